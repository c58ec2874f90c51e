//! The JSON walker, the validation with it and another's parser accept the same bytes, and refuse the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sundown_text_json::json::{Walker, is_value, valid_prefix};

/// Less than where the other parser gives up.
const DEPTH: usize = 100;

fuzz_target!(|bytes: &[u8]| {
    let (text, cut) = valid_prefix(bytes);
    let walked = cut.is_none() && walks(text);
    assert_eq!(walked, is_value(bytes, DEPTH));
    let deeper = bytes.iter().filter(|byte| matches!(byte, b'{' | b'[')).count() > DEPTH;
    if cut.is_none() && !deeper {
        let other = serde_json::from_str::<serde::de::IgnoredAny>(text);
        assert_eq!(walked, other.is_ok(), "{other:?}");
    }
});

fn walks(text: &str) -> bool {
    let mut walker = Walker::new(text).up_to(DEPTH);
    loop {
        match walker.next_event() {
            Ok(Some(event)) => assert!(text.get(event.span.start..event.span.end).is_some()),
            Ok(None) => {
                return text[walker.position()..].trim_matches([' ', '\t', '\n', '\r']).is_empty();
            }
            Err(error) => {
                assert!(error.offset <= text.len());
                return false;
            }
        }
    }
}
