//! The identity of a finding over time. It contains neither lines nor dates, so it survives edits around the finding.

use super::{Finding, Related};
use crate::rules::TextHash;
use serde::Serialize;
use sundown_text_json::text::join;

/// The properties that distinguish a finding from all others, independent of lines and dates.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Identity {
    /// The file's name, relative to the project's root, with `/` as separator; in a baseline, with `*` in place of dates.
    pub file: String,
    /// The rule's id.
    pub rule: String,
    /// The check of a description; empty for traffic.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub check: String,
    /// The operation; empty in a description, because the operations that reach an element change with it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub operation: String,
    /// The part of the exchange, by name; empty in a description.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub side: String,
    /// The pointer with starred array indices; empty for an element that is not in a body. For an announced deprecation it is
    /// the key of the element, which has no pointer, and for a violated requirement the header field.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pointer: String,
}

impl Identity {
    /// The identity of a finding in a file.
    pub fn of(finding: &Finding, file: &str) -> Self {
        let found = &finding.found;
        let (check, operation, side) = match finding.declared() {
            None => ("", &*found.operation, found.part.name()),
            Some(declared) => (declared.check.id(), "", ""),
        };
        let pointer = match (&found.pointer, finding.distinction()) {
            (None, Some((key, _))) => key,
            _ => finding.starred(),
        };
        Self {
            file: file.to_owned(),
            rule: finding.rule.id.clone(),
            check: check.to_owned(),
            operation: operation.to_owned(),
            side: side.to_owned(),
            pointer: pointer.to_owned(),
        }
    }

    /// The identity that an element inside a finding would have as a separate finding.
    pub fn inside(finding: &Finding, inside: &Related, file: &str) -> Self {
        Self {
            rule: inside.rule.id.clone(),
            side: inside.part.name().to_owned(),
            pointer: inside.starred().to_owned(),
            ..Self::of(finding, file)
        }
    }

    /// The first 128 bits of the SHA-256 hash of rule, operation, side, starred pointer and path, in hexadecimal.
    pub fn fingerprint(&self) -> String {
        let (operation, side) = match &*self.check {
            "" => (&*self.operation, &*self.side),
            check => ("check", check),
        };
        digest(&[&self.rule, operation, side, &self.pointer, &self.file])
    }

    /// Its name for people. Not escaped.
    pub fn title(&self) -> String {
        let check = match &*self.check {
            "" => String::new(),
            check if check == self.rule => String::new(),
            check => format!("{check}/"),
        };
        let own = [&self.rule, &self.operation, &self.side, &self.pointer];
        let own = join(own.into_iter().filter(|part| !part.is_empty()), " ");
        format!("{}: {check}{own}", self.file)
    }
}

/// The first 128 bits of the SHA-256 hash of the parts, each followed by a zero byte, in hexadecimal.
pub fn digest(parts: &[&str]) -> String {
    let mut hash = TextHash::default();
    for part in parts {
        hash.text(part);
    }
    hash.finish()
}
