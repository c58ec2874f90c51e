//! The loader of documents, in YAML and JSON: every value has its place, and what is broken its own.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sundown_text_json::Limits;
use sundown_text_json::json::{Document, DocumentFormat};

fuzz_target!(|bytes: &[u8]| {
    for format in [DocumentFormat::Yaml, DocumentFormat::Json] {
        match Document::parse_bytes_within(bytes, format, Limits::default()) {
            Ok(document) => {
                let (mut open, mut seen) = (vec![document.root()], 0);
                while let Some(value) = open.pop() {
                    let span = value.span();
                    assert!(document.text().get(span.start..span.end).is_some(), "{span:?}");
                    seen += 1;
                    // An alias shares its target: a small file may have more values than time allows to visit.
                    if seen < 10_000 {
                        open.extend(value.children());
                    }
                }
            }
            Err(error) => assert!(error.offset <= bytes.len(), "{error:?}"),
        }
    }
});
