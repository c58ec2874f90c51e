//! Writes JSON in which every character that a terminal or a build log would interpret is escaped.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

use super::is_unsafe;

/// Writes a value on one line, without a line end.
pub fn compact(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    Ok(value.serialize(&mut Serializer::with_formatter(out, Safe(CompactFormatter)))?)
}

/// Writes a value on several lines, indented.
pub fn pretty(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    Ok(value.serialize(&mut Serializer::with_formatter(
        out,
        Safe(PrettyFormatter::new()),
    ))?)
}

/// A value that always serializes on several lines, with a line end.
pub fn to_text(value: &impl Serialize) -> String {
    let mut text = Vec::new();
    // Writing to memory never fails.
    let _ = pretty(&mut text, value);
    text.push(b'\n');
    String::from_utf8(text).unwrap_or_default()
}

/// Returns the number of bytes of a value on one line.
pub fn size(value: &impl Serialize) -> io::Result<usize> {
    let mut line = Vec::new();
    compact(&mut line, value)?;
    Ok(line.len())
}

/// Wraps a formatter, and writes characters that are unsafe outside JSON as `\u….`.
struct Safe<F>(F);

impl<F: Formatter> Formatter for Safe<F> {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        let mut written = 0;
        let mut before = None;
        for (at, character) in text.char_indices() {
            let commands = (before, character) == (Some('#'), '#');
            if is_unsafe(character) || commands {
                out.write_all(text.get(written..at).unwrap_or_default().as_bytes())?;
                // Beyond the basic plane, JSON has a pair of surrogates.
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}")?;
                }
                written = at + character.len_utf8();
            }
            before = Some(character);
        }
        out.write_all(text.get(written..).unwrap_or_default().as_bytes())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        compact(&mut out, &[text]).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_something_would_obey_is_escaped() {
        assert_eq!(
            written("##[x]\u{9b}\u{202e}\u{7f}"),
            r##"["#\u0023[x]\u009b\u202e\u007f"]"##
        );
        assert_eq!(written("\u{e0041}"), r#"["\udb40\udc41"]"#);
        assert_eq!(written("é #1 \n"), r#"["é #1 \n"]"#);
    }

    proptest! {
        #[test]
        fn it_is_read_as_what_was_written(text in "[##<\\PC\u{0}-\u{9f}\u{202e}\"\\\\]{0,20}") {
            let read: Vec<String> = serde_json::from_str(&written(&text)).unwrap();
            prop_assert_eq!(&read, &[text]);
        }

        #[test]
        fn indented_it_is_what_anyone_would_write(keys in prop::collection::vec("[a-z]{1,3}", 0..4)) {
            let value: serde_json::Value =
                keys.iter().map(|key| (key.clone(), serde_json::json!([key, { "a": [] }]))).collect();
            let mut out = Vec::new();
            pretty(&mut out, &value).unwrap();
            prop_assert_eq!(String::from_utf8(out).unwrap(), serde_json::to_string_pretty(&value).unwrap());
        }
    }
}
