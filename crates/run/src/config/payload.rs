//! `[[payload]]`: the operation and side of the bare bodies in some files.

use super::readers::{read_glob_list, read_one_of};
use sundown_exchange::Side;
use sundown_files::GlobList;
use sundown_files::toml_file::{TableReader, WithSpan};
use sundown_lint::rules::Sides;

/// The operation and side of the bare bodies in some files.
#[derive(Debug)]
pub struct Payload {
    pub files: GlobList,
    /// The operation: method and path, or the last path segment of exactly one operation of the rules.
    pub operation: WithSpan<String>,
    /// The side; both if none is given.
    pub sides: Sides,
}

impl Payload {
    /// Reads one table.
    pub(super) fn read(fields: TableReader<'_>) -> Option<Self> {
        let files = read_glob_list("files", &fields);
        let operation = fields.required_string("operation");
        let side = read_one_of("side", &Side::BOTH.map(Side::name), &fields);
        let side = side.and_then(|side| Side::from_name(&side.value));
        fields.finish();
        Some(Self {
            files: files?,
            operation: operation?.map(str::to_owned),
            sides: side.map_or(Sides::Both, Sides::Only),
        })
    }
}
