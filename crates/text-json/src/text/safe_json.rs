//! Writes JSON in which every character that a terminal or a build log would interpret is escaped.

use std::io::{self, Write};

use serde::Serialize;

use super::sanitize::with_safety;

/// Writes a value on one line, without a line end.
pub fn compact(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    Ok(serde_json::to_writer(SafeWriter(out), value)?)
}

/// Writes a value on several lines, indented.
pub fn pretty(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    Ok(serde_json::to_writer_pretty(SafeWriter(out), value)?)
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

/// Writes JSON with the unsafe characters as `\u….`. They are all in strings, but for the line ends between values.
struct SafeWriter<'w>(&'w mut dyn Write);

impl Write for SafeWriter<'_> {
    /// Writes a piece of JSON, in which no character is cut.
    fn write(&mut self, json: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(json).map_err(io::Error::other)?;
        let mut written = 0;
        let mut at = 0;
        for (character, is_safe) in with_safety(text) {
            let behind = at + character.len_utf8();
            if !is_safe && character != '\n' {
                self.0
                    .write_all(json.get(written..at).unwrap_or_default())?;
                // Beyond the basic plane, JSON has a pair of surrogates.
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(self.0, "\\u{unit:04x}")?;
                }
                written = behind;
            }
            at = behind;
        }
        self.0.write_all(json.get(written..).unwrap_or_default())?;
        Ok(json.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
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
