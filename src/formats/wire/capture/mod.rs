//! Packet captures (pcap, pcapng): reassembles connections from packets, and exchanges from connections.
//!
//! Only unfinished messages are kept, within limits: if there are too many connections, or they hold too much, those
//! that have been idle longest are closed.

mod assembled;
mod assembler;
mod connection;
mod half;
mod hpack;
mod http2;
mod opaque;
mod packets;
mod segment;
mod stream;

pub use assembled::Output;
pub(in crate::formats) use assembler::{Assembler, PCAP, read_outputs};
