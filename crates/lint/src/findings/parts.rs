//! The parts of a finding: where it is, what is shown of it, and how certain it is.

use crate::rules::{Rule, Severity};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use sundown_exchange::{CodeOrigin, Side, StatusCode};
use sundown_text_json::json::ValueKind;
use sundown_text_json::json::pointer::Pointers;
use sundown_text_json::text::Span;

/// The part of an exchange in which an element is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ExchangePart {
    /// The call itself.
    Operation,
    /// One of the messages.
    Message(Side),
}

/// An exchange of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExchangeRef {
    /// Zero-based number of the record.
    pub index: usize,
    /// Whether it is only possible that it calls the operation.
    pub is_possible: bool,
    /// When the exchange began.
    pub started: Option<DateTime<Utc>>,
    /// The status of its response.
    pub status: Option<StatusCode>,
    /// Where in code the call was made.
    pub origin: Option<Arc<CodeOrigin>>,
}

impl ExchangePart {
    /// Its name in reports: `request`, `response` or `operation`.
    pub fn name(self) -> &'static str {
        self.side().map_or("operation", Side::name)
    }

    /// The side; `None` for the call itself.
    pub fn side(self) -> Option<Side> {
        match self {
            Self::Operation => None,
            Self::Message(side) => Some(side),
        }
    }
}

/// Whether an element is certainly the deprecated one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// It is the deprecated element.
    Certain,
    /// It is deprecated in one alternative of the schema, and not in another, or only prose says that it is deprecated.
    Possible,
}

impl Certainty {
    /// The certainty of a use of a rule.
    #[must_use]
    pub(crate) fn with_rule(self, rule: &Rule) -> Self {
        if rule.is_possible {
            Self::Possible
        } else {
            self
        }
    }

    /// Lowers the severity by one level if the element is only possibly the deprecated one.
    #[must_use]
    pub fn lower(self, severity: Severity) -> Severity {
        match (self, severity) {
            (Self::Certain, _) => severity,
            (Self::Possible, Severity::Error) => Severity::Warning,
            (Self::Possible, _) => Severity::Note,
        }
    }
}

/// The longest parent key that an excerpt shows, in bytes: longer than real keys, and short enough to be copied into each of
/// many findings.
pub(crate) const MAX_PARENT_BYTES: usize = 1024;

/// The parts of an excerpt: keys, and values only if the user asks for them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExcerptParts {
    /// The nearest enclosing key, decoded, if it takes at most `MAX_PARENT_BYTES` bytes in the file.
    pub parent: Option<String>,
    /// The key as the body writes it, with quotes and escapes.
    pub key: Option<String>,
    /// The number of a query parameter in its URL, as long as the span is that of the URL. Where the text of the file is known, the
    /// span is narrowed.
    pub parameter: Option<usize>,
    /// Whether the file holds the body encoded (base64), so that the span covers the whole body.
    pub encoded: bool,
    /// Whether another file has the body, so that the span covers the name of that.
    pub in_other_file: bool,
    /// The kind of its value, which is shown in place of the value, if it is known.
    pub value: Option<ValueKind>,
    /// The value as the body writes it, if the user asks for values and this one may be shown.
    pub text: Option<String>,
}

/// A deprecated element inside another.
#[derive(Debug, Clone)]
pub struct Related {
    /// Its rule.
    pub rule: Arc<Rule>,
    /// The part of the exchange that contains it.
    pub part: ExchangePart,
    /// Its position in the body; `None` if it is not in a body.
    pub pointer: Option<Pointers>,
    /// Its position in the file.
    pub span: Span,
    /// Whether the file holds its body encoded; see [`ExcerptParts::encoded`].
    pub encoded: bool,
    /// Whether the element is certainly the deprecated one.
    pub certainty: Certainty,
}

impl Related {
    /// Returns whether another one is the same element, apart from its indices in arrays.
    pub(super) fn is_repeat_of(&self, other: &Self) -> bool {
        self.rule.id == other.rule.id
            && self.part == other.part
            && self.starred() == other.starred()
    }

    /// Its JSON Pointer, which is empty for a whole body; `None` if it is not in a body.
    pub fn exact_pointer(&self) -> Option<&str> {
        Some(&self.pointer.as_ref()?.exact)
    }

    /// The pointer with starred array indices; empty for an element that is not in a body.
    pub fn starred(&self) -> &str {
        self.pointer.as_ref().map_or("", |pointer| &pointer.starred)
    }
}
