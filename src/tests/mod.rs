//! Tests of what the modules do together, in this process: files and rules in, a report out.
//!
//! Each file is about one promise. What one module promises alone is tested beside its code. Tests that need the whole
//! program are in the folder `tests` of the repository. Most of these tests read files of the repository, so they are not
//! for the published package.

#![allow(clippy::disallowed_methods, reason = "tests open files of their own")]

mod accounting;
mod body_codings;
mod book;
mod builtin_tables;
mod capture_formats;
mod captures;
mod cassettes;
mod clients;
mod configuration;
mod contract;
mod dates;
mod decompression;
mod description_graph;
mod documents;
mod equivalence;
mod evidence;
mod explain;
mod exporting;
mod file_size;
mod fixing;
mod http2;
mod importing;
mod inspection;
mod jsonpath_compliance;
mod logs;
mod manifests;
mod packets;
mod packs;
mod positions;
mod prose;
mod quick_walk;
mod recordings;
mod reference;
mod report_formats;
mod reports;
mod rule_files;
mod schema_key;
mod schema_rules;
mod selectors;
mod statuses;
mod streaming;
mod stubs;
mod support;
mod truncation;
mod values;
mod wire;

/// The benchmarks' traffic: every use in it is known.
#[path = "../../benches/traffic/mod.rs"]
mod traffic;
