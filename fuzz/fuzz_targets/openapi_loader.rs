//! API descriptions: loaded, taken as rules, checked.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sundown_openapi::{MarkerOptions, Description, LoadError};
use sundown_captures::Format;
use sundown_lint::rules::lists::import::Imported;
use sundown_fuzz::{hold, options, report};

fuzz_target!(|bytes: &[u8]| {
    let nothing = |_: &str| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    let loaded: Result<_, LoadError> =
        Description::from_bytes("api.yaml", bytes, &nothing, MarkerOptions::default());
    if let Ok(description) = loaded {
        let _ = Imported::from_description("api.yaml", description, &str::to_owned);
    }
    hold(&report(&options(Some(Format::OpenApi)), bytes), bytes);
});
