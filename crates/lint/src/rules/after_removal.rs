//! What a service does with an element after its last day, as far as its publisher states it.
//!
//! Services differ: one answers 410, another ignores what it no longer knows. Nothing is assumed that a rules file does not
//! state.

use sundown_exchange::StatusCode;
use sundown_files::toml_file::{MessageText, TableReader, WithSpan};
use sundown_text_json::text::join;

/// The keys of `[after_removal]` in a rules file. What is `None` is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AfterRemoval {
    /// The answer to a call of a removed operation.
    pub operation: Option<StatusCode>,
    /// What happens to a request that has a removed element.
    pub request: Option<RemovedInRequest>,
    /// What happens to a removed element of a response.
    pub response: Option<RemovedInResponse>,
}

/// What happens to a request that has a removed element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemovedInRequest {
    /// The request is refused with this status.
    Refused(StatusCode),
    /// The element has no effect.
    Ignored,
}

/// What happens to a removed element of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemovedInResponse {
    /// It is missing.
    Omitted,
    Null,
}

impl AfterRemoval {
    /// Reads the table `after_removal` of a rules file, if it has one.
    pub(super) fn read(fields: &TableReader<'_>) -> Self {
        let Some(table) = fields.table("after_removal") else {
            return Self::default();
        };
        let inner = fields.inner(table);
        let operation = status("operation", &inner);
        let request = match inner
            .peek("request")
            .and_then(|value| value.get_ref().as_str())
        {
            None => status("request", &inner).map(RemovedInRequest::Refused),
            Some(_) => word("request", &[("ignored", RemovedInRequest::Ignored)], &inner),
        };
        let words = [
            ("omitted", RemovedInResponse::Omitted),
            ("null", RemovedInResponse::Null),
        ];
        let response = word("response", &words, &inner);
        inner.finish();
        Self {
            operation,
            request,
            response,
        }
    }
}

/// Reads the status code under `key`: one from 300 to 599.
fn status(key: &'static str, fields: &TableReader<'_>) -> Option<StatusCode> {
    let WithSpan { value, span } = fields.integer(key)?;
    let code = u16::try_from(value)
        .ok()
        .filter(|code| (300..600).contains(code));
    if code.is_none() {
        fields.refuse(
            span,
            "not a status code from 300 to 599",
            "write the status with which the service answers, such as 410",
        );
    }
    code.and_then(StatusCode::new)
}

/// Reads one of some words under `key`.
fn word<T: Copy>(key: &'static str, words: &[(&str, T)], fields: &TableReader<'_>) -> Option<T> {
    let WithSpan { value, span } = fields.string(key)?;
    let known = words
        .iter()
        .find(|(word, _)| *word == value)
        .map(|&(_, known)| known);
    if known.is_none() {
        let words = words.iter().map(|(word, _)| format!("\"{word}\""));
        let status = if key == "request" {
            ", or a status code"
        } else {
            ""
        };
        let help = format!("write {}{status}", join(words, " or "));
        fields.refuse(
            span,
            MessageText::own(format!("`{key}` does not take this value")),
            MessageText::own(help),
        );
    }
    known
}
