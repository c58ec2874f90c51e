//! What is ruled out by a search of raw bytes has no finding: with the search and without it, the findings are the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sundown_captures::Format;
use sundown_fuzz::{options, outline, report};

fuzz_target!(|bytes: &[u8]| {
    for format in [Format::Ndjson, Format::Har] {
        let mut options = options(Some(format));
        // Small blocks, so that the text is read in several.
        options.settings.limits.block = 64;
        let (searched, _, _) = outline(&report(&options, bytes));
        options.settings.strict = true;
        let (parsed, _, _) = outline(&report(&options, bytes));
        assert_eq!(searched, parsed);
    }
});
