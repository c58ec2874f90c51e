//! An archive or a log gives the same in blocks of any size as in one, to the byte.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sundown_captures::Format;
use sundown_text_json::Limits;
use sundown_fuzz::{options, outline, report};

fuzz_target!(|input: (u8, &[u8])| {
    let (size, bytes) = input;
    for format in [Format::Har, Format::Ndjson] {
        let mut options = options(Some(format));
        // The target `quick_walk` tests the difference that validation makes.
        options.settings.strict = true;
        options.settings.limits.record = 1 << 20;
        options.settings.limits.block = 1 << 20;
        let whole = outline(&report(&options, bytes));
        options.settings.limits = Limits { block: 16 + usize::from(size), ..options.settings.limits };
        assert_eq!(outline(&report(&options, bytes)), whole);
    }
});
