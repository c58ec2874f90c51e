//! Placeholders (`{{name}}`) in requests that API clients store.
//!
//! In a URL, a variable that the file itself defines is replaced by its value. In a body, each placeholder becomes a JSON
//! value of the same length, so that all positions stay valid.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::file_head::first_line;
use sundown_exchange::{Call, Exchange, Reason, Record, RecordSink, Skip, Target};
use sundown_text_json::json::{MAX_DOCUMENT_DEPTH, is_value};
use sundown_text_json::text::Span;

/// The number of times that variables are replaced in the values of variables.
const MAX_ROUNDS: usize = 8;

/// The largest length of a variable in bytes, with its braces.
const MAX_VARIABLE_BYTES: usize = 1024;

/// The largest length of a URL with its variables replaced.
const MAX_URL_BYTES: usize = 8 * 1024;

/// The variables that a file defines, by name.
#[derive(Debug, Default)]
pub(crate) struct Variables(HashMap<String, String>);

impl Variables {
    /// The first definition of a name is the one that counts.
    pub(crate) fn define(&mut self, name: &str, value: &str) {
        self.0
            .entry(name.trim().to_owned())
            .or_insert_with(|| value.trim().to_owned());
    }

    /// Parses a URL, with all known variables replaced.
    pub(crate) fn resolve_url(&self, url: &str) -> Target<'static> {
        Target::parse(&self.resolve(url)).into_owned()
    }

    /// Replaces all known variables in a part of a URL.
    pub(crate) fn resolve<'u>(&self, url: &'u str) -> Cow<'u, str> {
        let mut url = Cow::Borrowed(url);
        for _ in 0..MAX_ROUNDS {
            match self.substituted(&url) {
                Some(longer) if longer.len() <= MAX_URL_BYTES => url = Cow::Owned(longer),
                _ => break,
            }
        }
        url
    }

    /// Replaces the known variables once; `None` if there are none.
    fn substituted(&self, text: &str) -> Option<String> {
        let mut written = String::new();
        let mut at = 0;
        let mut any = false;
        while let Some(open) = text.get(at..)?.find("{{").map(|open| at + open) {
            let Some(close) = text.get(open..)?.find("}}").map(|close| open + close) else {
                break;
            };
            let name = text.get(open + 2..close)?.trim();
            // Insomnia's variables are members of `_`.
            let value = self
                .0
                .get(name)
                .or_else(|| self.0.get(name.strip_prefix("_.")?));
            written.push_str(text.get(at..open)?);
            written.push_str(value.map_or(text.get(open..close + 2)?, String::as_str));
            any |= value.is_some();
            at = close + 2;
        }
        written.push_str(text.get(at..)?);
        any.then_some(written)
    }
}

/// Emits the calls of a file that people write, numbered in their order.
pub(crate) struct CallEmitter<'s> {
    pub sink: &'s mut dyn RecordSink,
    index: usize,
}

impl<'s> CallEmitter<'s> {
    pub(crate) fn new(sink: &'s mut dyn RecordSink) -> Self {
        Self { sink, index: 0 }
    }

    /// Emits a call. One whose URL consists of variables may be one of any operation, which is reported.
    pub(crate) fn emit(&mut self, exchange: Exchange<'_>) {
        if let Some(skip) = skip_unknown_call(&exchange.call) {
            self.sink.skip(skip);
        }
        let index = self.index;
        self.index += 1;
        self.sink
            .record(Record::Exchange(Exchange { index, ..exchange }));
    }

    /// Reports a part of the file.
    pub(crate) fn skip(&mut self, reason: Reason, span: Span) {
        self.sink.skip(Skip::at(reason, span));
    }
}

/// The skip for a call whose URL consists of variables that are not known.
fn skip_unknown_call(call: &Call<'_>) -> Option<Skip> {
    let Target {
        is_from_root,
        segments,
        ..
    } = call.target();
    let is_unknown = !is_from_root
        && !segments.is_empty()
        && segments
            .iter()
            .all(|segment| is_placeholder(segment.as_bytes()));
    let span = call.url_span.filter(|_| is_unknown)?;
    let skip = Skip {
        bytes: 0,
        ..Skip::at(Reason::NoExchange, span)
    };
    Some(skip.because("the URL consists of variables that the file does not define"))
}

/// Whether the text is one placeholder and nothing else.
pub(super) fn is_placeholder(text: &[u8]) -> bool {
    variable_end(text, 0) == Some(text.len())
}

/// Returns the offset after the variable (`{{…}}`, `{{{…}}}`, or `{% … %}`) that begins at `at`. A variable is on one
/// line.
fn variable_end(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    // Braces that are never closed must not make the search quadratic.
    let rest = rest.get(..MAX_VARIABLE_BYTES).unwrap_or(rest);
    let close: &[u8] = match rest {
        [b'{', b'%', ..] => b"%}",
        [b'{', b'{', b'{', ..] => b"}}}",
        [b'{', b'{', ..] => b"}}",
        _ => return None,
    };
    let inside = first_line(rest).get(close.len()..)?;
    let length = memchr::memmem::find(inside, close)?;
    let is_plain = !inside.get(..length)?.contains(&b'{');
    is_plain.then_some(at + close.len() + length + close.len())
}

/// Turns the text of a recorded body into JSON of the same length: recorders write placeholders (`<TOKEN>`) in place of secrets,
/// and some secrets are no strings. `None` if it is JSON already, or is none without them.
pub(super) fn recorded_as_json(text: &[u8]) -> Option<Vec<u8>> {
    let may_have = matches!(text.trim_ascii_start().first(), Some(b'{' | b'['))
        && memchr::memchr(b'<', text).is_some();
    if !may_have || is_value(text, MAX_DOCUMENT_DEPTH) {
        return None;
    }
    let mut written = text.to_vec();
    let mut at = 0;
    let mut in_string = false;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            b'<' if !in_string => {
                if let Some(end) = recorded_end(text, at) {
                    for inner in written.get_mut(at..end)? {
                        *inner = unquoted(*inner);
                    }
                    (*written.get_mut(at)?, *written.get_mut(end - 1)?) = (b'"', b'"');
                    at = end - 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    is_value(&written, MAX_DOCUMENT_DEPTH).then_some(written)
}

/// Returns the offset after the placeholder `<NAME>` that begins at `at`.
fn recorded_end(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at + 1..)?;
    let rest = rest.get(..MAX_VARIABLE_BYTES).unwrap_or(rest);
    let length = memchr::memchr(b'>', rest)?;
    let name = rest.get(..length)?;
    let is_placeholder = name.first().is_some_and(u8::is_ascii_alphabetic)
        && name
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_ .:-".contains(byte));
    is_placeholder.then_some(at + 1 + length + 1)
}

/// Turns the text into JSON of the same length: variables outside of strings become strings, and comments become
/// blanks. `None` if it is JSON already, or has neither. In a URL-encoded form, this concerns the values in JSON.
pub(super) fn as_json(text: &[u8]) -> Option<Vec<u8>> {
    if is_value(text, MAX_DOCUMENT_DEPTH) {
        return None;
    }
    if begins_form(text) {
        return form_with_json(text);
    }
    let mut filler = Filler {
        text,
        filled: text.to_vec(),
        open: Vec::new(),
        last: 0,
    };
    let mut at = 0;
    while let Some(next) = filler.step(at) {
        at = next;
    }
    (filler.filled != text).then_some(filler.filled)
}

/// Whether a text begins with the name of a field and an equals sign.
fn begins_form(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let length = text
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_.-[]%".contains(byte))
        .count();
    text.first().is_some_and(u8::is_ascii_alphanumeric) && text.get(length) == Some(&b'=')
}

/// Turns the values of a URL-encoded form that begin like JSON into JSON of the same length.
fn form_with_json(text: &[u8]) -> Option<Vec<u8>> {
    let mut form = text.to_vec();
    for field in form.split_mut(|&byte| byte == b'&') {
        let start = memchr::memchr(b'=', field).map_or(field.len(), |equals| equals + 1);
        let value = field.get_mut(start..)?;
        let is_variable = variable_end(value, 0).is_some();
        if matches!(value.first(), Some(b'{' | b'['))
            && !is_variable
            && let Some(filled) = as_json(value)
        {
            value.copy_from_slice(&filled);
        }
    }
    (form != text).then_some(form)
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
    /// Processes the token at `at`, and returns the offset after it.
    fn step(&mut self, at: usize) -> Option<usize> {
        let next = self.text.get(at + 1).copied();
        Some(match *self.text.get(at)? {
            b'"' => self.string(at),
            b'/' if next == Some(b'/') => self.comment(at, b"\n"),
            b'/' if next == Some(b'*') => self.comment(at, b"*/"),
            byte if byte.is_ascii_whitespace() => at + 1,
            byte if variable_end(self.text, at).is_none() && b"{}[],:".contains(&byte) => {
                self.bracket(byte);
                at + 1
            }
            _ => self.scalar(at),
        })
    }

    fn bracket(&mut self, byte: u8) {
        match byte {
            b'{' | b'[' => self.open.push(byte),
            b'}' | b']' => drop(self.open.pop()),
            _ => {}
        }
        self.last = byte;
    }

    /// Blanks a comment up to its end. Line breaks stay.
    fn comment(&mut self, at: usize, close: &[u8]) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        let behind = rest.get(2..).unwrap_or_default();
        let length = memchr::memmem::find(behind, close).map_or(rest.len(), |end| match close {
            b"\n" => 2 + end,
            _ => 2 + end + close.len(),
        });
        self.fill(
            at,
            at + length,
            |byte| if byte == b'\n' { byte } else { b' ' },
        );
        at + length
    }

    /// Passes over a string. Quotes inside a variable do not end it.
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

    /// Whether the variable begins like a name and has quotes in pairs. Otherwise the quotes are those of
    /// strings around it.
    fn has_quotes(&self, start: usize, end: usize) -> bool {
        let inside = self.text.get(start + 2..end - 2).unwrap_or_default();
        let quotes = memchr::memchr_iter(b'"', inside).count();
        inside
            .trim_ascii_start()
            .first()
            .is_some_and(|first| first.is_ascii_alphabetic() || b"$_#%".contains(first))
            && quotes > 0
            && quotes.is_multiple_of(2)
    }

    /// Passes over a scalar. One with a variable becomes a string, or a member in the place of a member.
    fn scalar(&mut self, start: usize) -> usize {
        let mut at = start;
        let mut has_variable = false;
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
                self.fill(quote, quote + 1, |_| b'"');
            }
        }
        at.max(start + 1)
    }

    /// Whether the scalar that ends at `end` is in the place of a member, and is not a key.
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

/// Replaces a byte that a JSON string cannot contain as it is.
fn unquoted(byte: u8) -> u8 {
    if matches!(byte, b'"' | b'\\' | 0..=0x1F) {
        b'_'
    } else {
        byte
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn filled(text: &str) -> Option<String> {
        as_json(text.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn variables_become_json_of_the_same_length() {
        for (text, json) in [
            (r#"{"a": {{b}}}"#, r#"{"a": "{b}"}"#),
            (
                r#"{"a":{{b}},"c":[{{d}},-{{e}}.5]}"#,
                r#"{"a":"{b}","c":["{d}","{{e}}."]}"#,
            ),
            (r#"{"a": {{{b}}} }"#, r#"{"a": "{{b}}" }"#),
            (r"{{{k}}: 1}", r#"{"{k}": 1}"#),
            (r"{ {{all}} }", r#"{ "":0    }"#),
            (r#"{ "a": 1, {{all}} }"#, r#"{ "a": 1, "":0    }"#),
            (r#"[{% x "y" %}]"#, r#"["% x _y_ %"]"#),
            (
                r#"{"a": "{{$date "Y"}}", "b": {{c}}}"#,
                r#"{"a": "{{$date _Y_}}", "b": "{c}"}"#,
            ),
            (
                "{ // {{x}} \"\n \"a\": 1 /* \" */ }",
                "{           \n \"a\": 1         }",
            ),
        ] {
            assert_eq!(filled(text).as_deref(), Some(json), "{text}");
            assert!(is_value(json.as_bytes(), 9), "{json}");
        }
    }

    #[test]
    fn json_and_what_has_no_variable_is_left_alone() {
        for text in [
            r#"{"a": "{{b}} // c"}"#,
            r#"{"{{": 1, "b": "}}"}"#,
            "{} {}",
            "{\"a\": {{b",
            "",
            "a=b",
        ] {
            assert_eq!(filled(text), None, "{text}");
        }
    }

    #[test]
    fn placeholders_of_recorders_become_json_of_the_same_length() {
        let filled = |text: &str| {
            recorded_as_json(text.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap())
        };
        for (text, json) in [
            (
                r#"{"id": <GITHUB_ID>, "a": "<b>"}"#,
                r#"{"id": "GITHUB_ID", "a": "<b>"}"#,
            ),
            (r#"[<USER NAME>,"\"<x>"]"#, r#"["USER NAME","\"<x>"]"#),
        ] {
            assert_eq!(filled(text).as_deref(), Some(json), "{text}");
        }
        for text in [
            r#"{"a": "<b>"}"#,
            "<html></html>",
            "{<a href=x>}",
            "{\"a\": <B",
            "{\"a\": <B>, }",
        ] {
            assert_eq!(filled(text), None, "{text}");
        }
    }

    #[test]
    fn urls_have_what_is_known_put_in() {
        let mut variables = Variables::default();
        variables.define("host", "https://h.example");
        variables.define("base", "{{host}}/rest/v1");
        variables.define("loop", "{{loop}}x{{loop}}");
        let path = |url: &str| variables.resolve_url(url).segments.join("/");
        assert_eq!(path("{{ base }}/chat"), "rest/v1/chat");
        assert_eq!(path("{{ _.base }}/chat?x={{y}}"), "rest/v1/chat");
        assert_eq!(path("{{other}}/v1/{{id}}"), "{{other}}/v1/{{id}}");
        assert!(path("/{{loop}}").len() <= MAX_URL_BYTES);
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
