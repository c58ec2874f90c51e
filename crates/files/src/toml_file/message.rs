//! Messages about a file, in two forms: with and without content of the file.

use sundown_text_json::text::looks_secret;

/// The text of a message.
///
/// A fixed text contains nothing of a file. A composed one may contain content of it, in quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageText {
    pub(super) text: String,
    /// The text without content of the file, if it may have any.
    masked: Option<String>,
}

impl MessageText {
    /// Creates a text that is composed of the program's own words, such as known keys.
    pub fn own(text: String) -> Self {
        Self { text, masked: None }
    }

    /// Creates a text with a name from the file that is not in quotes.
    pub fn about(name: &str, rest: &str) -> Self {
        Self {
            text: format!("{name}{rest}"),
            masked: Some(format!("`…`{rest}")),
        }
    }

    /// Creates the message for an unknown key. The key is shown, unless it looks like a secret.
    pub fn unknown_key(name: &str) -> Self {
        let text = format!("unknown key `{name}`");
        if looks_secret(name) {
            text.into()
        } else {
            Self::own(text)
        }
    }

    pub(super) fn is_own(&self) -> bool {
        self.masked.is_none()
    }

    /// The text without content of the file.
    pub(super) fn masked(&self) -> &str {
        self.masked.as_ref().unwrap_or(&self.text)
    }
}

impl From<&'static str> for MessageText {
    fn from(text: &'static str) -> Self {
        Self::own(text.to_owned())
    }
}

impl From<String> for MessageText {
    fn from(text: String) -> Self {
        Self {
            masked: Some(without_quotes(&text)),
            text,
        }
    }
}

/// Removes all text from the first quote to the last: quoted text may itself contain quotes.
fn without_quotes(text: &str) -> String {
    const QUOTES: [char; 3] = ['`', '"', '\''];
    let Some((first, last)) = text.find(QUOTES).zip(text.rfind(QUOTES)) else {
        return text.to_owned();
    };
    let before = text.get(..first).unwrap_or_default();
    let after = text.get(last + 1..).unwrap_or_default();
    format!("{before}`…`{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_is_quoted_nothing_is_left() {
        for (text, masked) in [
            ("the id `a` is used twice", "the id `…` is used twice"),
            ("`a`b` is none of `c`, 'd'", "`…`"),
            ("`key`: \"a\" is no glob", "`…` is no glob"),
            ("nothing is quoted", "nothing is quoted"),
        ] {
            assert_eq!(MessageText::from(text.to_owned()).masked(), masked);
        }
        assert_eq!(
            MessageText::about("a.yaml", " is `not` there").masked(),
            "`…` is `not` there"
        );
    }

    #[test]
    fn keys_are_told_unless_they_look_like_secrets() {
        assert_eq!(
            MessageText::unknown_key("pathes").masked(),
            "unknown key `pathes`"
        );
        assert_eq!(
            MessageText::unknown_key("62ba6c104f35d776").masked(),
            "unknown key `…`"
        );
    }

    #[test]
    fn the_programs_own_words_are_kept() {
        assert_eq!(
            MessageText::from("`paths` is missing").masked(),
            "`paths` is missing"
        );
        assert_eq!(
            MessageText::own("`a` is missing".to_owned()).masked(),
            "`a` is missing"
        );
    }
}
