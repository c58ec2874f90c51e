//! Collects a page, so that only markup of the program is markup.

use sundown_text_json::text::group_digits;
use sundown_text_json::text::xml::escape;

/// The text of a page. Markup must be part of the program; everything else is escaped.
#[derive(Debug, Default)]
pub struct HtmlBuffer {
    text: String,
}

impl HtmlBuffer {
    /// Appends markup.
    pub fn markup(&mut self, markup: &'static str) -> &mut Self {
        self.text.push_str(markup);
        self
    }

    /// Appends text, in content or in an attribute with quotes.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.text.push_str(&escape(text));
        self
    }

    /// Appends a name.
    pub fn code(&mut self, name: &str) -> &mut Self {
        self.markup("<code>").text(name).markup("</code>")
    }

    /// Appends a sentence, in which backticks enclose names.
    pub fn prose(&mut self, text: &str) -> &mut Self {
        let parts: Vec<&str> = text.split('`').collect();
        if parts.len().is_multiple_of(2) {
            return self.text(text);
        }
        for (index, part) in parts.into_iter().enumerate() {
            if index % 2 == 0 {
                self.text(part)
            } else {
                self.code(part)
            };
        }
        self
    }

    /// Appends a count with commas between groups of three digits.
    pub fn count(&mut self, count: u64) -> &mut Self {
        self.text
            .push_str(&group_digits(usize::try_from(count).unwrap_or(usize::MAX)));
        self
    }

    /// Appends a number without commas.
    pub fn number(&mut self, number: u64) -> &mut Self {
        self.text.push_str(&number.to_string());
        self
    }

    /// Appends an attribute, unless its value is empty.
    pub(crate) fn attribute(&mut self, name: &'static str, value: &str) -> &mut Self {
        if value.is_empty() {
            return self;
        }
        self.markup(" ").markup(name).markup("=\"");
        self.text(value).markup("\"")
    }

    /// Appends another part of the page.
    pub fn append(&mut self, part: &Self) -> &mut Self {
        self.text.push_str(&part.text);
        self
    }

    /// Returns the page.
    pub(crate) fn into_string(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn text_is_never_markup(parts in prop::collection::vec(any::<String>(), 0..8)) {
            let mut page = HtmlBuffer::default();
            for part in &parts {
                page.text(part).prose(part).code(part);
            }
            let mut page = page.into_string();
            for ours in ["<code>", "</code>", "&lt;", "&gt;", "&amp;", "&quot;", "&apos;"] {
                page = page.replace(ours, "");
            }
            prop_assert!(!page.contains(['<', '>', '&', '"', '\'']), "{page}");
        }
    }
}
