//! The header section of an HTTP/2 message (RFC 9113, section 8.3), as it was decoded from its header block.

use std::sync::Arc;

use httparse::Header;

use super::frame::Head;
use sundown_text_json::text::Span;

/// A header section, with the positions of its field lines in the file.
#[derive(Debug, Default)]
pub struct FieldSection {
    pub(super) lines: Vec<FieldLine>,
    /// The position of the message: of all its frames so far.
    pub(super) span: Span,
}

/// A name and its value.
#[derive(Debug)]
pub(super) struct FieldLine {
    pub name: Arc<[u8]>,
    pub value: Arc<[u8]>,
    pub name_span: Span,
    pub value_span: Span,
}

impl FieldSection {
    /// The line with a pseudo-header field, such as `:path`.
    pub(super) fn pseudo_header(&self, name: &str) -> Option<&FieldLine> {
        self.lines
            .iter()
            .find(|line| &*line.name == name.as_bytes())
    }

    fn text(&self, name: &str) -> Option<&str> {
        std::str::from_utf8(&self.pseudo_header(name)?.value).ok()
    }

    /// Its fields as those of other messages.
    pub(super) fn head(&self) -> Head<'_> {
        let target = self
            .pseudo_header(":path")
            .or_else(|| self.pseudo_header(":authority"));
        let mut head = Head {
            method: self.text(":method"),
            target: target.and_then(|line| std::str::from_utf8(&line.value).ok()),
            target_span: target.map(|line| line.value_span),
            authority: self.text(":authority"),
            status: self.status().unwrap_or_default(),
            ..Head::default()
        };
        for line in &self.lines {
            // A name that is not UTF-8 matches no rule.
            let name = std::str::from_utf8(&line.name)
                .ok()
                .filter(|name| !name.starts_with(':'));
            if let Some(name) = name {
                head.fields.push(Header {
                    name,
                    value: &line.value,
                });
                head.name_spans.push(line.name_span);
            }
        }
        head
    }

    /// The status of a response.
    pub(super) fn status(&self) -> Option<u16> {
        self.text(":status")?.parse().ok()
    }
}
