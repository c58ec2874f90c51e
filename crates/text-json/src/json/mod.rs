//! JSON and YAML: a strict walker, the decoding of strings, JSON Pointers, and a scanner that follows only
//! structure, for text that is broken in places.
//!
//! A [`Document`] is a JSON or YAML text as a tree of [`Node`]s, whose scalars are decoded when they are read. Bodies are walked
//! and have none.

mod document;
mod document_error;
mod error;
mod escape;
mod index;
mod json_loader;
mod json_text;
pub mod key_context;
mod load;
pub mod pointer;
mod quote_level;
mod repair;
pub mod scalars;
pub mod scan;
mod simd;
pub mod string;
mod validate;
mod value_kind;
mod walker;
mod whitespace;
mod yaml_loader;
mod yaml_offset_map;

pub use document::{Children, Document, MAX_DOCUMENT_DEPTH, Node, NodeIndex, Note, NoteKind};
pub use document_error::{DocumentError, DocumentErrorKind};
pub use error::{SyntaxError, SyntaxErrorKind, earliest, valid_beginning, valid_prefix};
pub use index::{Index, Marks};
pub use json_loader::Met;
pub use json_text::JsonText;
pub use load::DocumentFormat;
pub use repair::repair;
pub use validate::{is_value, is_value_except};
pub use value_kind::ValueKind;
pub use walker::{Event, Token, Walker, find_error};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    /// The text of a JSON value, with white space and escapes.
    pub(super) fn value() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            prop::sample::select(
                &[
                    "1",
                    "-0.5e7",
                    "true",
                    "null",
                    "\"\"",
                    "\"a b\"",
                    "\"\\\"}\\\\\"",
                    "\"é\\u0041\""
                ][..]
            )
            .prop_map(str::to_owned),
            "\"[a-z{}\\[\\],: ]{0,70}\"",
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            let members = prop::collection::vec(("[a-c]{0,2}", inner.clone()), 0..4);
            prop_oneof![
                prop::collection::vec(inner, 0..4)
                    .prop_map(|items| format!("[{}]", items.join(", "))),
                members.prop_map(|members| {
                    let members: Vec<_> = members
                        .iter()
                        .map(|(key, value)| format!("\"{key}\" : {value}"))
                        .collect();
                    format!("{{ {} }}", members.join(","))
                }),
            ]
        })
    }
}
