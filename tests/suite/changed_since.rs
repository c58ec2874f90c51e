//! `--changed-since`: only files changed in git are checked; if the changes cannot be determined, the run stops.

use serde_json::Value;

use crate::baseline::git;
use crate::support::{Desk, Ran};

const RULES: &str =
    "api = 'x'\n[[rule]]\nid = 'x'\noperation = 'POST /x'\nfield = 'old'\nremoval = 2026-01-01\n";
const USE: &str = r#"{"method":"POST","url":"/x","body":{"old":1}}"#;

/// A repository with a commit on `main`, from which `work` has parted.
fn desk() -> Desk {
    let desk = Desk::new()
        .with("x.toml", RULES)
        .with(".gitignore", "ignored.ndjson\n")
        .with("same.ndjson", USE)
        .with("edited.ndjson", USE)
        .with("staged.ndjson", USE)
        .with("committed.ndjson", USE)
        .with("deleted.ndjson", USE)
        .with("renamed.ndjson", USE);
    git(&desk, &["init", "-q"]);
    git(&desk, &["add", "."]);
    git(&desk, &["commit", "-qm", "first"]);
    git(&desk, &["checkout", "-qb", "work"]);
    desk
}

fn write(desk: &Desk, name: &str) {
    let path = desk.path(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("{USE}\n{USE}\n")).unwrap();
}

/// The program finds git where the tests do.
fn run(desk: &Desk, arguments: &[&str]) -> Ran {
    let path = std::env::var("PATH").unwrap();
    let environment = [("PATH", path.as_str()), ("GIT_CONFIG_NOSYSTEM", "1")];
    let flags = ["--rules", "x.toml", "--no-builtin-rules"];
    desk.run_in(&environment, &[&["check"][..], arguments, &flags].concat(), b"")
}

fn checked(desk: &Desk, arguments: &[&str]) -> Vec<String> {
    let ran = run(desk, &[arguments, &["--format", "json"]].concat());
    let report: Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    let findings = report["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["file"].as_str().unwrap().to_owned()).collect()
}

fn change(desk: &Desk) {
    write(desk, "committed.ndjson");
    git(desk, &["rm", "-q", "deleted.ndjson"]);
    git(desk, &["mv", "renamed.ndjson", "sub-renamed.ndjson"]);
    git(desk, &["commit", "-qam", "second"]);
    write(desk, "staged.ndjson");
    git(desk, &["add", "staged.ndjson"]);
    write(desk, "edited.ndjson");
    write(desk, "new/è \"x\"\tß.ndjson");
    write(desk, "ignored.ndjson");
}

const CHANGED: [&str; 5] = [
    "committed.ndjson",
    "edited.ndjson",
    "new/è \"x\"\tß.ndjson",
    "staged.ndjson",
    "sub-renamed.ndjson",
];

#[test]
fn only_changed_files_are_checked() {
    let desk = desk();
    change(&desk);
    assert_eq!(checked(&desk, &["--changed-since", "main"]), CHANGED);
    // Later commits of others on the base branch are not changes of this branch.
    git(&desk, &["stash", "-qu"]);
    git(&desk, &["checkout", "-q", "main"]);
    write(&desk, "same.ndjson");
    git(&desk, &["commit", "-qam", "third"]);
    git(&desk, &["checkout", "-q", "work"]);
    git(&desk, &["stash", "pop", "-q"]);
    assert_eq!(checked(&desk, &["--changed-since", "main"]), CHANGED);
    assert_eq!(checked(&desk, &["--changed-since", "HEAD"]).len(), 3, "what is not yet committed");
    assert_eq!(checked(&desk, &["--changed-since", "HEAD~1"]), CHANGED);
}

#[test]
fn paths_and_globs_narrow_it_further() {
    let desk = desk();
    change(&desk);
    let since = ["--changed-since", "main"];
    assert_eq!(checked(&desk, &[&since[..], &["new", "same.ndjson"]].concat()), [CHANGED[2]]);
    assert_eq!(checked(&desk, &[&since[..], &["--exclude", "*ed.ndjson"]].concat()), [CHANGED[2]]);
    assert_eq!(checked(&desk, &[&since[..], &["--include", "staged*"]].concat()), [CHANGED[3]]);
    let stdin = desk.run_in(
        &[("PATH", &std::env::var("PATH").unwrap())],
        &["check", "-", "--changed-since", "main", "--rules", "x.toml", "--no-builtin-rules"],
        USE.as_bytes(),
    );
    assert_eq!(stdin.code, 1, "what comes in on standard input is new");
}

#[test]
fn it_works_from_a_subfolder_and_in_nested_repositories() {
    let desk = desk();
    write(&desk, "sub/inner/a.ndjson");
    write(&desk, "lib/b.ndjson");
    let inner = Desk::new();
    git(&inner, &["init", "-q"]);
    std::fs::rename(inner.path(".git"), desk.path("lib/.git")).unwrap();
    assert_eq!(
        checked(&desk, &["--changed-since", "main"]),
        ["lib/b.ndjson", "sub/inner/a.ndjson"]
    );
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_sundown"));
    command.current_dir(desk.path("sub")).args(["check", ".", "--changed-since", "main"]);
    let output = command.args(["--rules", "../x.toml", "--no-builtin-rules"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("inner/a.ndjson:1:"), "{text}");
}

#[test]
fn a_run_without_changes_says_so() {
    let desk = desk();
    let ran = run(&desk, &["--changed-since", "main"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("Nothing to check has changed since main.\n"), "{}", ran.stdout);
    let json = run(&desk, &["--changed-since", "main", "--format", "json"]).stdout;
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&report["summary"]["files"], &report["summary"]["unchanged"]),
        (&0.into(), &8.into())
    );
    let markdown = run(&desk, &["--changed-since", "main", "--format", "markdown"]).stdout;
    assert!(markdown.contains("Nothing to check has changed since main."), "{markdown}");
    write(&desk, "edited.ndjson");
    let ran = run(&desk, &["--changed-since", "main"]);
    assert!(
        ran.stdout.contains("7 files were left out: they have not changed since main.\n"),
        "{}",
        ran.stdout
    );
}

fn refused(desk: &Desk, arguments: &[&str], what: &str, remedy: &str) {
    let ran = run(desk, arguments);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}");
    let said =
        ran.stderr.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    assert!(said.contains(what) && said.contains(remedy), "{said}");
}

#[test]
fn an_unknown_revision_stops_the_run_with_a_remedy() {
    let repository = desk();
    let since = |revision: &'static str| ["--changed-since", revision];
    refused(&repository, &since("nowhere"), "no commit `nowhere`", "fetch it first");
    refused(&repository, &since(""), "no commit ``", "name a branch");
    refused(&repository, &since("HEAD:x.toml"), "no commit `HEAD:x.toml`", "name a branch");
    refused(&repository, &since("main\u{1b}[31m"), "\\u{1b}[31m", "name a branch");
    let hostile = format!("--changed-since=--output={}", repository.path("made").display());
    refused(&repository, &[hostile.as_str()], "no commit `--output", "name a branch");
    assert!(!repository.path("made").exists());
    git(&repository, &["checkout", "-q", "--orphan", "alone"]);
    git(&repository, &["commit", "-qm", "other"]);
    refused(&repository, &since("main"), "no common ancestor", "--unshallow");

    let elsewhere = Desk::new().with("x.toml", RULES).with("a.ndjson", USE);
    refused(&elsewhere, &since("main"), "no working copy of git", "inside the repository");
    let outside = elsewhere.path("a.ndjson").display().to_string();
    refused(
        &desk(),
        &[&outside, "--changed-since", "main"],
        "is outside of the repository",
        "in the repository",
    );

    let no_git =
        desk().run_in(&[("PATH", "/nonexistent")], &["check", "--changed-since", "main"], b"");
    assert_eq!(no_git.code, 2);
    assert!(no_git.stderr.contains("`git` cannot be run"), "{}", no_git.stderr);
}

#[test]
fn a_baseline_keeps_the_entries_of_unchanged_files() {
    let desk = desk();
    let flags = ["--rules", "x.toml", "--no-builtin-rules", "--as-of", "2026-11-20"];
    let path = std::env::var("PATH").unwrap();
    let baseline = |more: &[&str]| {
        let arguments = [&["baseline"][..], &flags, more].concat();
        desk.run_in(&[("PATH", &path)], &arguments, b"").stdout
    };
    assert!(baseline(&[]).contains("6 entries, 6 new"));
    std::fs::write(desk.path("edited.ndjson"), USE.replace("old", "new")).unwrap();
    let pruned = baseline(&["--changed-since", "main", "--prune"]);
    assert!(pruned.contains("5 entries, 0 new, 1 gone and taken out"), "{pruned}");
}

#[cfg(unix)]
#[test]
fn a_new_link_is_a_new_file_whatever_its_target() {
    let desk = desk();
    std::os::unix::fs::symlink("same.ndjson", desk.path("link.ndjson")).unwrap();
    git(&desk, &["add", "link.ndjson"]);
    assert_eq!(checked(&desk, &["link.ndjson", "--changed-since", "HEAD"]), ["link.ndjson"]);
    assert!(checked(&desk, &["same.ndjson", "--changed-since", "HEAD"]).is_empty());
}

#[test]
fn changes_in_a_submodule_are_found() {
    let other = Desk::new().with("s.ndjson", USE);
    git(&other, &["init", "-q"]);
    git(&other, &["add", "."]);
    git(&other, &["commit", "-qm", "first"]);
    let desk = desk();
    let from = other.path("").display().to_string();
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &from, "sm"];
    git(&desk, &add);
    git(&desk, &["config", "-f", ".gitmodules", "submodule.sm.ignore", "all"]);
    git(&desk, &["add", "."]);
    git(&desk, &["commit", "-qm", "second"]);
    write(&desk, "sm/new.ndjson");
    let changed = checked(&desk, &["sm/new.ndjson", "--changed-since", "HEAD"]);
    assert_eq!(changed, ["sm/new.ndjson"]);
}
