//! The web page of a report: a static file that draws the JSON report which is embedded in it.
//!
//! The page loads nothing. Its content security policy names its style and its script by their hashes, so that nothing else can
//! run, and the script makes text nodes only.

use std::io::{self, Write};

use sundown_text_json::text::{JsonValue, safe_json};

/// The page, with its style and its script.
const PAGE: &str = include_str!("page.html");

/// The element in the page that has the report; it is empty.
const PLACE: &str = "<script type=\"application/json\" id=\"report\">";

/// Writes the page of a report, which is the document of the format `json`.
pub fn write_page(report: &JsonValue<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (before, after) = PAGE.split_once(PLACE).unwrap_or((PAGE, ""));
    write!(out, "{before}{PLACE}")?;
    let mut text = Vec::new();
    safe_json::compact(&mut text, report)?;
    // The text of a script element, which a `<` might end. In JSON, it appears only in strings.
    for (index, part) in text.split(|byte| *byte == b'<').enumerate() {
        if index > 0 {
            out.write_all(b"\\u003c")?;
        }
        out.write_all(part)?;
    }
    out.write_all(after.as_bytes())
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use proptest::prelude::*;
    use sha2::{Digest, Sha256};

    use super::*;

    fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
        let (_, rest) = text.split_once(start).unwrap();
        rest.split_once(end).unwrap().0
    }

    #[test]
    fn the_policy_has_the_hashes_of_the_style_and_the_script() {
        for (element, directive) in [("style", "style-src"), ("script", "script-src")] {
            let content = between(PAGE, &format!("<{element}>"), &format!("</{element}>"));
            // A browser reads other line ends as this one, and would compute another hash.
            assert!(!content.contains('\r'));
            let hash = STANDARD.encode(Sha256::digest(content));
            let policy = between(PAGE, &format!("{directive} 'sha256-"), "'");
            assert_eq!(policy, hash, "write the hash on the right into {directive}");
        }
    }

    #[test]
    fn the_page_is_short_and_has_one_place_for_the_report() {
        assert!(PAGE.lines().count() <= 900);
        assert_eq!(PAGE.matches(&format!("{PLACE}</script>")).count(), 1);
        assert_eq!(PAGE.matches("</script>").count(), 2);
    }

    proptest! {
        #[test]
        fn a_report_is_never_markup_and_is_read_as_it_was_written(
            names in prop::collection::vec("(</script>|<!--|<script>|\u{2028}|\u{2029}|\\PC|\u{0})*", 0..4),
        ) {
            let mut page = Vec::new();
            write_page(&JsonValue::list(&names), &mut page).unwrap();
            let page = String::from_utf8(page).unwrap();
            let (before, after) = PAGE.split_once(PLACE).unwrap();
            let report = page.strip_prefix(before).unwrap().strip_prefix(PLACE).unwrap();
            let report = report.strip_suffix(after).unwrap();
            prop_assert!(!report.contains(['<', '\u{2028}', '\u{2029}', '\u{0}']), "{report}");
            prop_assert_eq!(serde_json::from_str::<Vec<String>>(report).unwrap(), names);
        }
    }
}
