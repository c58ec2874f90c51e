//! The way from a decoded string back: what each decoded piece came from decodes to it again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sundown_text_json::json::string::{LazyOffsetMap, offset_map, unescape};
use sundown_text_json::text::Span;

fuzz_target!(|raw: &str| {
    let decoded = unescape(raw);
    let map = offset_map(raw, 0);
    let mut trail = LazyOffsetMap::new(raw.as_bytes(), 0);
    let mut last = 0;
    for (at, character) in decoded.char_indices() {
        let inner = Span::new(at, at + character.len_utf8());
        let outer = map.outer(inner);
        assert_eq!(trail.outer(inner), outer);
        assert!(last <= outer.start && outer.end <= raw.len());
        assert!(unescape(&raw[outer.start..outer.end]).contains(character));
        last = outer.start;
    }
});
