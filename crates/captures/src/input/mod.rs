//! Finds the files of a run, opens them, and keeps their decompressed text within the memory that a run may take.

mod budget;
mod buffer;
mod decoder;
mod discover;
mod gauge;
mod open;

pub(super) use budget::MemoryBudget;
pub use buffer::Buffer;
pub(super) use buffer::ReadContext;
pub use discover::{Discovery, Globs, InputFile, PathOrigin, SkippedPath, discover};
pub use gauge::Gauge;
pub use open::beginning;
pub(super) use open::{Opened, open};
