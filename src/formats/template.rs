//! Texts with variables in them, as API clients keep requests: URLs, in which what the file itself defines is put in, and
//! bodies, in which each variable gets a JSON value of the same length in its place, so that all places stay what they are.

use std::borrow::Cow;
use std::collections::HashMap;

use super::fields::bare_media_type;
use super::pieces::{self, Place};
use crate::json::{Kind, MAX_DOCUMENT_DEPTH, Value, is_value};
use crate::text::{OffsetMap, Span};
use crate::traffic::{Body, Decoded, HeaderName, Message, Reason, Signal, Target, Unread, signals};

/// How often variables are looked for in what variables stand for.
const MOST_ROUNDS: usize = 8;

/// How many bytes a variable may have, its braces included.
const LONGEST_VARIABLE: usize = 1024;

/// How long a URL may become by that.
const LONGEST_URL: usize = 8 * 1024;

/// The variables that a file defines, by name.
#[derive(Debug, Default)]
pub(super) struct Variables(HashMap<String, String>);

impl Variables {
    /// The first definition of a name is the one that counts.
    pub(super) fn define(&mut self, name: &str, value: &str) {
        self.0.entry(name.trim().to_owned()).or_insert_with(|| value.trim().to_owned());
    }

    /// What a URL calls, with all that is known put in.
    pub(super) fn target(&self, url: &str) -> Target<'static> {
        let mut url = Cow::Borrowed(url);
        for _ in 0..MOST_ROUNDS {
            match self.substituted(&url) {
                Some(longer) if longer.len() <= LONGEST_URL => url = Cow::Owned(longer),
                _ => break,
            }
        }
        Target::parse(&url).into_owned()
    }

    /// The text with what is known put in once; `None` where nothing is.
    fn substituted(&self, text: &str) -> Option<String> {
        let (mut written, mut at, mut any) = (String::new(), 0, false);
        while let Some(open) = text.get(at..)?.find("{{").map(|open| at + open) {
            let Some(close) = text.get(open..)?.find("}}").map(|close| open + close) else { break };
            let name = text.get(open + 2..close)?.trim();
            // Insomnia's variables are members of `_`.
            let value = self.0.get(name).or_else(|| self.0.get(name.strip_prefix("_.")?));
            written.push_str(text.get(at..open)?);
            written.push_str(value.map_or(text.get(open..close + 2)?, String::as_str));
            any |= value.is_some();
            at = close + 2;
        }
        written.push_str(text.get(at..)?);
        any.then_some(written)
    }
}

/// What is known of a message's body.
#[derive(Debug, Default)]
pub(super) enum Content<'a> {
    /// There is none.
    #[default]
    Nothing,
    /// It stands in the file.
    Body(Body<'a>),
    /// It stands elsewhere, or is of another kind.
    Unread(Unread),
}

impl<'a> Content<'a> {
    /// A body that stands at `span` of its file byte for byte.
    pub(super) fn plain(file: &'a [u8], span: Span) -> Self {
        let mut map = OffsetMap::default();
        map.push(span.len(), span);
        Self::text(file, span, span.slice(file).to_vec(), Some(map))
    }

    /// A body that has been decoded from what stands at `span`.
    pub(super) fn text(file: &'a [u8], span: Span, text: Vec<u8>, map: Option<OffsetMap>) -> Self {
        let content = text.trim_ascii();
        if content.is_empty() {
            return Self::Nothing;
        }
        if variable_end(content, 0) == Some(content.len()) {
            return Self::elsewhere(span);
        }
        let bytes = as_json(&text).unwrap_or(text);
        Self::Body(Body::decoded(file, span, Decoded { bytes, map }))
    }

    /// A body that is a value of a document: the text in a string, in which variables may stand, or JSON as it is.
    pub(super) fn value(value: Value<'_>, place: Place<'a>) -> Self {
        match value.text().filter(|text| value.kind() == Kind::String && text.contains("{{")) {
            Some(text) => {
                let map = place.text_map(value);
                Self::text(place.file(), place.span(value.span()), text.into(), map)
            }
            None => place.body(value).map_or(Self::Nothing, Self::Body),
        }
    }

    /// A body that stands as base64 in a string.
    pub(super) fn base64(value: Value<'_>, place: Place<'a>) -> Self {
        place.base64(value).map_or(Self::Nothing, Self::Body)
    }

    /// A body that the file only names, as another file or a variable.
    pub(super) fn elsewhere(span: Span) -> Self {
        Self::Unread(Unread { reason: Reason::BodyMissing, span })
    }

    /// A body that is no JSON by the way in which it is given.
    pub(super) fn form(span: Span) -> Self {
        Self::Unread(Unread { reason: Reason::NotJson, span })
    }

    /// The message with this body and these header fields.
    pub(super) fn into_message(self, headers: Fields<'a>) -> Message<'a> {
        let Fields { names, media_type, signals } = headers;
        let message = Message { headers: names, signals, ..Message::default() };
        match self {
            Self::Nothing => message,
            Self::Unread(unread) => Message { unread: Some(unread), ..message },
            Self::Body(mut body) => {
                body.media_type = media_type;
                Message { body: Some(body), ..message }
            }
        }
    }
}

/// Header fields, by name, and the one value that matters.
#[derive(Debug, Default)]
pub(super) struct Fields<'a> {
    pub(super) names: Vec<HeaderName<'a>>,
    pub(super) media_type: Option<String>,
    /// What they say about deprecation.
    pub(super) signals: Vec<Signal>,
}

impl<'a> Fields<'a> {
    /// Fields that are an object's members: texts, or lists of texts.
    pub(super) fn of_object(fields: Value<'_>, place: Place<'a>) -> Self {
        Self {
            names: place.header_names(fields),
            media_type: pieces::media_type(fields),
            signals: place.signals(fields),
        }
    }

    /// Adds a field whose name stands at `span`; its value is looked at and forgotten.
    pub(super) fn add(&mut self, name: &str, span: Span, value: &str) {
        let name = name.trim().to_ascii_lowercase();
        if name == "content-type" && !value.contains("{{") {
            self.media_type = bare_media_type(value);
        }
        self.signals.extend(signals(&name, value, span));
        self.names.push(HeaderName { name: Cow::Owned(name), span });
    }

    /// Says that the body is JSON where no field says what it is.
    pub(super) fn or_json(mut self) -> Self {
        self.media_type.get_or_insert_with(|| "application/json".to_owned());
        self
    }
}

/// Offset behind the variable (`{{…}}`, `{{{…}}}`, or `{% … %}`) that begins at `at`. Variables stand on one line.
fn variable_end(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    // Braces that are never closed must not cost a look at all that follows, each time.
    let rest = rest.get(..LONGEST_VARIABLE).unwrap_or(rest);
    let close: &[u8] = match rest {
        [b'{', b'%', ..] => b"%}",
        [b'{', b'{', b'{', ..] => b"}}}",
        [b'{', b'{', ..] => b"}}",
        _ => return None,
    };
    let line = rest.split(|&byte| byte == b'\n').next()?;
    let inside = line.get(close.len()..)?;
    let length = memchr::memmem::find(inside, close)?;
    let is_plain = !inside.get(..length)?.contains(&b'{');
    is_plain.then_some(at + close.len() + length + close.len())
}

/// The text as JSON, byte for byte as long: variables outside of strings become strings, and comments blanks. `None` where
/// it is JSON already, or has nothing of the kind.
pub(super) fn as_json(text: &[u8]) -> Option<Vec<u8>> {
    if is_value(text, MAX_DOCUMENT_DEPTH) {
        return None;
    }
    let mut filler = Filler { text, filled: text.to_vec(), open: Vec::new(), last: 0 };
    let mut at = 0;
    while let Some(next) = filler.step(at) {
        at = next;
    }
    (filler.filled != text).then_some(filler.filled)
}

struct Filler<'t> {
    text: &'t [u8],
    filled: Vec<u8>,
    /// The brackets that are open.
    open: Vec<u8>,
    /// The last byte that is neither blank nor part of a scalar.
    last: u8,
}

impl Filler<'_> {
    /// Looks at what begins at `at`, and gives the offset behind it.
    fn step(&mut self, at: usize) -> Option<usize> {
        let next = self.text.get(at + 1).copied();
        match *self.text.get(at)? {
            b'"' => Some(self.string(at)),
            b'/' if next == Some(b'/') => Some(self.comment(at, b"\n")),
            b'/' if next == Some(b'*') => Some(self.comment(at, b"*/")),
            byte if byte.is_ascii_whitespace() => Some(at + 1),
            byte if variable_end(self.text, at).is_none() && b"{}[],:".contains(&byte) => {
                self.bracket(byte);
                Some(at + 1)
            }
            _ => Some(self.scalar(at)),
        }
    }

    fn bracket(&mut self, byte: u8) {
        match byte {
            b'{' | b'[' => self.open.push(byte),
            b'}' | b']' => drop(self.open.pop()),
            _ => {}
        }
        self.last = byte;
    }

    /// Blanks a comment up to what ends it; line breaks stay.
    fn comment(&mut self, at: usize, close: &[u8]) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        let behind = rest.get(2..).unwrap_or_default();
        let length = memchr::memmem::find(behind, close).map_or(rest.len(), |end| match close {
            b"\n" => 2 + end,
            _ => 2 + end + close.len(),
        });
        self.fill(at, at + length, |byte| if byte == b'\n' { byte } else { b' ' });
        at + length
    }

    /// Passes over a string; quotes inside a variable in it are no end of it.
    fn string(&mut self, open: usize) -> usize {
        let mut at = open + 1;
        while let Some(&byte) = self.text.get(at) {
            match byte {
                b'"' => return at + 1,
                b'\n' => return at,
                b'\\' => at += 2,
                b'{' => match variable_end(self.text, at).filter(|&end| self.has_quotes(at, end)) {
                    Some(end) => {
                        self.fill(at, end, unquoted);
                        at = end;
                    }
                    None => at += 1,
                },
                _ => at += 1,
            }
        }
        self.text.len()
    }

    /// Whether the variable begins like a name and has quotes in pairs: else they are those of strings around it.
    fn has_quotes(&self, start: usize, end: usize) -> bool {
        let inside = self.text.get(start + 2..end - 2).unwrap_or_default();
        let quotes = memchr::memchr_iter(b'"', inside).count();
        let begins = inside.trim_ascii_start().first();
        begins.is_some_and(|first| first.is_ascii_alphabetic() || b"$_#%".contains(first))
            && quotes > 0
            && quotes.is_multiple_of(2)
    }

    /// Passes over a scalar; one with a variable in it becomes a string, or a member where a member should stand.
    fn scalar(&mut self, start: usize) -> usize {
        let (mut at, mut has_variable) = (start, false);
        while let Some(byte) = self.text.get(at) {
            if let Some(end) = variable_end(self.text, at) {
                at = end;
                has_variable = true;
            } else if byte.is_ascii_whitespace() || b"{}[],:\"".contains(byte) {
                break;
            } else {
                at += 1;
            }
        }
        if has_variable && self.is_member(at) {
            self.fill(start, at, |_| b' ');
            if let Some(room) = self.filled.get_mut(start..start + 4) {
                room.copy_from_slice(b"\"\":0");
            }
        } else if has_variable {
            self.fill(start, at, unquoted);
            for quote in [start, at - 1] {
                if let Some(byte) = self.filled.get_mut(quote) {
                    *byte = b'"';
                }
            }
        }
        at.max(start + 1)
    }

    /// Whether what ends at `end` stands where an object has its members, and is no key.
    fn is_member(&self, end: usize) -> bool {
        let rest = self.text.get(end..).unwrap_or_default().trim_ascii_start();
        self.open.last() == Some(&b'{')
            && matches!(self.last, b'{' | b',')
            && rest.first() != Some(&b':')
    }

    fn fill(&mut self, start: usize, end: usize, with: impl Fn(u8) -> u8) {
        let end = end.min(self.filled.len());
        for byte in self.filled.get_mut(start..end).unwrap_or_default() {
            *byte = with(*byte);
        }
    }
}

/// What can stand in a JSON string as it is.
fn unquoted(byte: u8) -> u8 {
    if matches!(byte, b'"' | b'\\' | 0..=0x1F) { b'_' } else { byte }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filled(text: &str) -> Option<String> {
        as_json(text.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn variables_become_json_of_the_same_length() {
        for (text, json) in [
            (r#"{"a": {{b}}}"#, r#"{"a": "{b}"}"#),
            (r#"{"a":{{b}},"c":[{{d}},-{{e}}.5]}"#, r#"{"a":"{b}","c":["{d}","{{e}}."]}"#),
            (r#"{"a": {{{b}}} }"#, r#"{"a": "{{b}}" }"#),
            (r"{{{k}}: 1}", r#"{"{k}": 1}"#),
            (r"{ {{all}} }", r#"{ "":0    }"#),
            (r#"{ "a": 1, {{all}} }"#, r#"{ "a": 1, "":0    }"#),
            (r#"[{% x "y" %}]"#, r#"["% x _y_ %"]"#),
            (r#"{"a": "{{$date "Y"}}", "b": {{c}}}"#, r#"{"a": "{{$date _Y_}}", "b": "{c}"}"#),
            ("{ // {{x}} \"\n \"a\": 1 /* \" */ }", "{           \n \"a\": 1         }"),
        ] {
            assert_eq!(filled(text).as_deref(), Some(json), "{text}");
            assert!(is_value(json.as_bytes(), 9), "{json}");
        }
    }

    #[test]
    fn json_and_what_has_no_variable_is_left_alone() {
        for text in
            [r#"{"a": "{{b}} // c"}"#, r#"{"{{": 1, "b": "}}"}"#, "{} {}", "{\"a\": {{b", "", "a=b"]
        {
            assert_eq!(filled(text), None, "{text}");
        }
    }

    #[test]
    fn urls_have_what_is_known_put_in() {
        let mut variables = Variables::default();
        variables.define("host", "https://h.example");
        variables.define("base", "{{host}}/rest/v1");
        variables.define("loop", "{{loop}}x{{loop}}");
        let path = |url: &str| variables.target(url).segments.join("/");
        assert_eq!(path("{{ base }}/chat"), "rest/v1/chat");
        assert_eq!(path("{{ _.base }}/chat?x={{y}}"), "rest/v1/chat");
        assert_eq!(path("{{other}}/v1/{{id}}"), "{{other}}/v1/{{id}}");
        assert!(path("/{{loop}}").len() <= LONGEST_URL);
    }

    proptest! {
        #[test]
        fn filling_keeps_every_length_and_all_that_is_no_variable(text in "[{}\\[\\],:\"a1%/*\\\\ \n]{0,40}") {
            if let Some(json) = filled(&text) {
                prop_assert_eq!(json.len(), text.len());
                prop_assert_eq!(json.matches('\n').count() , text.matches('\n').count());
            }
        }

        #[test]
        fn scalars_may_be_variables_anywhere(value in "(\\{(\"[ab]\": (V|1|\"x\"|\\[(V|2)\\]))?\\})", name in "[a-z$. ]{0,6}") {
            let with = value.replace('V', &format!("{{{{{name}}}}}"));
            let json = filled(&with).unwrap_or(with);
            prop_assert!(is_value(json.as_bytes(), 9), "{}", json);
        }
    }
}
