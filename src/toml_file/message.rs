//! What is told of a file: the program's own words, or some that have pieces of the file in them.

use crate::text::looks_secret;

/// The words of a message.
///
/// A text that the program has as it is holds nothing of a file. One that is put together may, in quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageText {
    pub(super) text: String,
    /// The text without what it has of the file, where it may have anything.
    masked: Option<String>,
}

impl MessageText {
    /// A text that is put together of the program's own words, such as the names of keys it knows.
    pub fn own(text: String) -> Self {
        Self { text, masked: None }
    }

    /// What there is to say about something that the file names, without quotes around it.
    pub fn about(name: &str, rest: &str) -> Self {
        Self { text: format!("{name}{rest}"), masked: Some(format!("`…`{rest}")) }
    }

    /// That nobody knows this key. A key is a name, unless it looks like a secret.
    pub fn unknown_key(name: &str) -> Self {
        let text = format!("unknown key `{name}`");
        if looks_secret(name) { text.into() } else { Self::own(text) }
    }

    pub(super) fn is_own(&self) -> bool {
        self.masked.is_none()
    }

    /// The text without anything of the file.
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
        Self { masked: Some(without_quotes(&text)), text }
    }
}

/// The text without what stands in quotes, from the first of them to the last: what is quoted may have quotes in it.
fn without_quotes(text: &str) -> String {
    const QUOTES: [char; 3] = ['`', '"', '\''];
    let Some((first, last)) = text.find(QUOTES).zip(text.rfind(QUOTES)) else {
        return text.to_owned();
    };
    let before = text.get(..first).unwrap_or_default();
    let behind = text.get(last + 1..).unwrap_or_default();
    format!("{before}`…`{behind}")
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
        assert_eq!(MessageText::about("a.yaml", " is `not` there").masked(), "`…` is `not` there");
    }

    #[test]
    fn keys_are_told_unless_they_look_like_secrets() {
        assert_eq!(MessageText::unknown_key("pathes").masked(), "unknown key `pathes`");
        assert_eq!(MessageText::unknown_key("62ba6c104f35d776").masked(), "unknown key `…`");
    }

    #[test]
    fn the_programs_own_words_are_kept() {
        assert_eq!(MessageText::from("`paths` is missing").masked(), "`paths` is missing");
        assert_eq!(MessageText::own("`a` is missing".to_owned()).masked(), "`a` is missing");
    }
}
