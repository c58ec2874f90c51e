//! The cases in `testdata/cases`: inputs, arguments, and what the program says about them. A case needs no code.
//!
//! `CASES=NAME cargo test --test cases` runs the cases whose path contains the name.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]
#![allow(clippy::disallowed_methods, reason = "tests open files of their own")]

mod case;

#[path = "../support/mod.rs"]
mod support;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use case::Case;
use support::{repository, sources};

#[test]
fn every_case_holds() {
    let root = repository("testdata/cases");
    let wanted = std::env::var("CASES").unwrap_or_default();
    let is_wanted =
        |path: &PathBuf| path.ends_with("case.toml") && path.to_string_lossy().contains(&wanted);
    let mut paths: Vec<PathBuf> = sources(&root).into_iter().filter(is_wanted).collect();
    paths.sort();
    assert!(!paths.is_empty(), "no case has {wanted:?} in its path");
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            let name = path.parent().unwrap().strip_prefix(&root).unwrap();
            for difference in Case::read(path).differences() {
                failures
                    .lock()
                    .unwrap()
                    .push(format!("{}: {difference}", name.display()));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    assert!(
        failures.is_empty(),
        "{} differences in {} cases:\n{}",
        failures.len(),
        paths.len(),
        failures.join("\n")
    );
}
