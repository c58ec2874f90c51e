//! Cuts files into whole records, so that files may be larger than memory and a broken record hides no other.

mod chunker;
mod list_cutter;
mod list_reader;

pub(super) use chunker::{Chunker, Cut, Oversized, RecordEnd};
pub use chunker::{ReadOptions, Records};
pub(super) use list_cutter::{ListChunker, ListCutter, RecordList};
pub(super) use list_reader::ListRecords;
