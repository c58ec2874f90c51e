//! A selector in the first line, JSON after it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sundown_selector::automaton::PatternRole;
use sundown_selector::Queries;
use sundown_selector::Selector;
use sundown_text_json::json::Document;

fuzz_target!(|text: &str| {
    let (selector, body) = text.split_once('\n').unwrap_or((text, "{}"));
    let Ok(selector) = Selector::parse(selector) else { return };
    let pattern = selector.pattern(PatternRole::Use { owner: 0, scope: 0 });
    let mut queries = Queries::new([(pattern, selector.conditions().to_vec())]);
    let mut last = 0;
    let Ok(document) = Document::parse_first_value(body, Queries::MAX_DEPTH) else { return };
    let _ = queries.select(&document, 0, &mut |found| {
        if let Some(key) = found.key {
            assert!(body[key.start..key.end].starts_with('"') && last <= key.start);
            last = key.start;
        }
    });
});
