//! HTTP/2 without encryption (RFC 9113): reads the frames of both directions, and pairs the messages of each stream.
//!
//! The two directions are read independently of each other. If one cannot be read any further, because packets are missing
//! or its header blocks cannot be decoded, its rest is reported, and the other is read on.

mod connection;
mod frame;
mod stream;

pub(super) use self::frame::{PREFACE, are_frames, are_settings};
pub(super) use connection::Http2Connection;
