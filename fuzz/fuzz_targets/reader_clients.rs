//! Requests that people keep: collections, request files, calls of curl.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sundown::formats::Format;

fuzz_target!(|bytes: &[u8]| {
    sundown_fuzz::read_as(
        &[
            Format::Postman,
            Format::Insomnia,
            Format::InsomniaYaml,
            Format::Bruno,
            Format::HttpFile,
            Format::Curl,
        ],
        bytes,
    );
});
