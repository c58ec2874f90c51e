//! Configurations.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sundown_run::config::Config;

fuzz_target!(|text: &str| {
    if let Err(mistakes) = Config::parse("sundown.toml", text) {
        assert!(!mistakes.to_string().is_empty());
    }
});
