//! Rules files, and lists that rules are made from.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sundown_lint::rules::lists::ListFormat;
use sundown_lint::rules::lists::import::Imported;
use sundown_lint::rules::{RuleFile, RuleSet};

fuzz_target!(|text: &str| {
    match RuleFile::parse("rules.toml", text) {
        Ok(file) => drop(RuleSet::new(vec![file])),
        Err(mistakes) => assert!(!mistakes.to_string().is_empty()),
    }
    if let Some(format) = ListFormat::recognise(text) {
        let _ = Imported::read(format, "list", text);
    }
});
