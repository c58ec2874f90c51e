//! Reads paths, webhooks and callbacks into operations.

mod api_keys;
mod contents;
mod path_reader;

pub(super) use path_reader::PathReader;
