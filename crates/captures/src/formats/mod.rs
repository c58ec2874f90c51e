//! The capture formats: which there are, by what files are recognised, and which reader reads them.

mod hints;
mod read;
mod registry;
mod sniff;
mod spec;
mod suggest;

pub use hints::FormatHints;
pub use read::read;
pub use registry::Format;
pub(super) use registry::is_binary_head;
pub use sniff::{Sniffed, is_yaml_description, sniff, sniff_head};
pub use spec::{Editable, FormatFamily, FormatSpec, Keeps};
pub use suggest::{Closeness, suggest_format};
