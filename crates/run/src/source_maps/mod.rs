//! Source maps in a folder: they lead from a place in a bundled script to the place in the source code it was built from.
//!
//! Only files inside the folder are read, nothing is fetched, and the source code itself is not read.

mod lookup;
mod mappings;
mod script_file;
mod source_map;

pub use lookup::SourceMaps;
