//! `[[payload]]`: which operation and side the bare bodies in some files are.

use super::read::{glob_list, one_of};
use crate::formats::GlobList;
use crate::rules::Sides;
use crate::toml_file::{TableReader, WithSpan};
use crate::traffic::Side;

/// What the bare bodies in some files are.
#[derive(Debug, Clone)]
pub struct Payload {
    /// The files.
    pub files: GlobList,
    /// The operation: method and path, or the last path segment of exactly one operation of the rules.
    pub operation: WithSpan<String>,
    /// The side, or both where it is not said.
    pub sides: Sides,
}

const SIDES: [(&str, Sides); 2] =
    [("request", Sides::Only(Side::Request)), ("response", Sides::Only(Side::Response))];

impl Payload {
    pub(super) fn read(mut fields: TableReader<'_, '_>) -> Option<Self> {
        let files = glob_list("files", &mut fields);
        let operation = fields.required_string("operation");
        let sides = one_of("side", &SIDES, &mut fields);
        fields.finish();
        let operation = operation?;
        Some(Self {
            files: files?,
            operation: WithSpan { value: operation.value.to_owned(), span: operation.span },
            sides: sides.map_or(Sides::Both, |sides| sides.value),
        })
    }
}
