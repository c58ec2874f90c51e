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
mod clients;
mod corpus;
mod dates;
mod description_graph;
mod equivalence;
mod http2;
mod inspection;
mod jsonpath_compliance;
mod packets;
mod positions;
mod prose;
mod recordings;
mod reference;
mod selectors;
mod statuses;
mod support;
mod truncation;
mod wire;

/// The benchmarks' traffic: every use in it is known.
#[path = "../../benches/traffic/mod.rs"]
mod traffic;
