//! The walker accepts exactly JSON: it passes the independent test suite in `testdata/json-test-suite`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use insta::assert_snapshot;
use serde::Deserialize;
use sundown_text_json::json::{SyntaxError, Walker, earliest, valid_prefix};

/// One test of the suite; the first letter of its name says what is expected.
#[derive(Deserialize)]
struct Case {
    name: String,
    text: Option<String>,
    base64: Option<String>,
}

impl Case {
    fn bytes(&self) -> Vec<u8> {
        match (&self.text, &self.base64) {
            (Some(text), None) => text.clone().into_bytes(),
            (None, Some(bytes)) => STANDARD.decode(bytes).unwrap(),
            _ => panic!("{}: either `text` or `base64`", self.name),
        }
    }
}

fn cases(prefix: &str) -> Vec<Case> {
    let all = include_str!("../testdata/json-test-suite/cases.ndjson");
    let cases = all
        .lines()
        .map(|line| serde_json::from_str::<Case>(line).unwrap());
    cases.filter(|case| case.name.starts_with(prefix)).collect()
}

/// Reads one JSON text to its end, event by event.
fn read(bytes: &[u8]) -> Result<(), SyntaxError> {
    let (text, cut) = valid_prefix(bytes);
    let mut walker = Walker::new(text);
    let found = walker.skip_rest().and_then(|()| walker.finish());
    earliest(text, found.err(), cut).map_or(Ok(()), Err)
}

#[test]
fn valid_documents_are_accepted() {
    let cases = cases("y_");
    assert_eq!(cases.len(), 95);
    for case in cases {
        assert_eq!(read(&case.bytes()), Ok(()), "{}", case.name);
    }
}

#[test]
fn invalid_documents_are_refused() {
    let cases = cases("n_");
    assert_eq!(cases.len(), 188);
    for case in cases {
        assert!(read(&case.bytes()).is_err(), "{}", case.name);
    }
}

#[test]
fn implementation_defined_cases_are_pinned() {
    let mut chosen = String::new();
    for case in cases("i_") {
        let choice = match read(&case.bytes()) {
            Ok(()) => "accepted".to_owned(),
            Err(error) => format!("refused: {error}"),
        };
        writeln!(chosen, "{}: {choice}", case.name).unwrap();
    }
    assert_eq!(chosen.lines().count(), 35);
    assert_snapshot!(chosen);
}
