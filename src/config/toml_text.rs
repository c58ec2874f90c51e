//! Prints text as TOML.

use std::fmt::Write as _;

/// Quotes a text as a TOML string.
pub fn toml_string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            control if crate::text::is_unsafe(control) => {
                let _ = write!(quoted, "\\U{:08x}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
