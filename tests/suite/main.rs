//! The integration tests: the program's command line, the library's public API, and the recorded data.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]
#![allow(clippy::disallowed_methods, reason = "tests open files of their own")]

mod addresses;
mod announced;
mod announced_for;
mod audit_logs;
mod bad_input;
mod baseline;
mod bombs;
mod canaries;
mod changed_since;
mod clients;
mod command_line;
mod configuration;
mod containers;
mod contract;
mod decompression;
mod description_import;
mod determinism;
mod documents;
mod doubtful_rules;
mod examples;
mod explain;
mod exporting;
mod faults;
mod format_hints;
mod hook;
mod hostile_configuration;
mod importing;
mod inspection;
mod links;
mod logs;
mod manifests;
mod mapping;
mod merging;
mod origins;
mod outputs;
mod packaging;
mod packs;
mod pages;
mod partials;
mod precedence;
mod prefilter;
mod prose;
mod report_formats;
mod report_schema;
mod reports;
mod requirements;
mod rule_files;
mod schema_key;
mod schema_rules;
mod silent_passes;
mod source_maps;
mod stdin_file;
mod strangers;
mod streaming;
mod stubs;
mod support;
mod suppression;
mod usage;
mod use_list;
mod value_rules;
mod values;
mod web_pages;
mod wire;

/// The benchmarks' traffic: every use in it is known.
#[path = "../../benches/traffic/mod.rs"]
mod traffic;

/// The hook's benchmark: files that hold nothing.
#[path = "../../benches/ordinary/mod.rs"]
mod ordinary;
