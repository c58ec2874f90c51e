//! The tree of a walked value, for what a walk alone cannot decide: filters of selectors, conditions on other members, and
//! alternatives of schemas. It is made when the first of them asks for it, and all of them share it.

use std::cell::OnceCell;

use super::matcher::WalkedValue;
use sundown_text_json::json::{Document, Node, SyntaxError, SyntaxErrorKind};

/// The length in bytes beyond which a value is not loaded: a tree takes several times the memory of its text.
pub(super) const MAX_LOADED_BYTES: usize = 64 * 1024 * 1024;

/// A value, and its tree once something has asked for it.
pub(super) struct ValueTree<'t> {
    pub value: WalkedValue<'t>,
    document: OnceCell<Result<Document<'t>, SyntaxError>>,
}

impl<'t> ValueTree<'t> {
    pub(super) fn of(value: WalkedValue<'t>) -> Self {
        Self {
            value,
            document: OnceCell::new(),
        }
    }

    /// The tree, whose offsets count from the beginning of the value; or why there is none, with the offset in the text.
    pub(super) fn document(&self) -> Result<&Document<'t>, SyntaxError> {
        let WalkedValue {
            text,
            start,
            limits,
        } = self.value;
        self.document
            .get_or_init(|| {
                let text = text.get(start..).unwrap_or_default();
                if text.len() > MAX_LOADED_BYTES {
                    return Err(SyntaxError::new(start, SyntaxErrorKind::TooLarge));
                }
                Document::parse_first_value(text, limits.depth)
                    .map_err(|error| SyntaxError::new(start + error.offset, error.kind))
            })
            .as_ref()
            .map_err(|error| *error)
    }

    /// The array, object or scalar at an offset of the text; `None` if there is no tree.
    pub(super) fn node_at(&self, offset: usize) -> Option<Node<'_>> {
        let at = offset.checked_sub(self.value.start)?;
        self.document().ok()?.value_at(at)
    }
}
