//! Decodes header blocks of HTTP/2 (HPACK, RFC 7541). A value is shared with the dynamic table, never copied.

mod decoder;
mod huffman;
mod static_table;

pub(super) use decoder::{HpackDecoder, HpackField};
