//! `sundown check --partial` and `sundown merge` as commands: what they print, write and refuse, and their exit codes.

use serde_json::json;

use crate::support::{Desk, Ran, report_formats};

const RULES: &str = include_str!("../../testdata/merging/rules.toml");

const CONFIG: &str = include_str!("../../testdata/merging/sundown.toml");

/// A line with a call that has this member in its body.
fn old_call(field: &str) -> String {
    let call = json!({
        "time": "2026-11-01T10:00:00Z", "method": "POST", "url": "/v1/orders",
        "request": {"body": {field: 1}}, "response": {"status": 200},
    });
    format!("{call}\n")
}

/// Runs `check` on a file, and writes a partial result.
fn check_part(desk: &Desk, file: &str, part: &str, more: &[&str]) -> Ran {
    desk.run(&[&["check", file, "--partial", part][..], &OPTIONS, more].concat())
}

const OPTIONS: [&str; 4] = [
    "--rules",
    "rules.toml",
    "--no-builtin-rules",
    "--error-within=20",
];

const OTHER_OPTIONS: [&str; 4] = [
    "--rules",
    "other.toml",
    "--no-builtin-rules",
    "--error-within=20",
];

fn merged(desk: &Desk, arguments: &[&str]) -> Ran {
    desk.run(&[&["merge"], arguments, &OPTIONS].concat())
}

fn desk() -> Desk {
    Desk::new()
        .with("rules.toml", RULES)
        .with("sundown.toml", CONFIG)
        .with("a.ndjson", old_call("legacyId"))
        .with("b.ndjson", old_call("inner"))
        .with("c.ndjson", old_call("id"))
}

#[test]
fn the_program_merges_with_the_exit_code_and_the_output_of_one_run() {
    let desk = desk();
    let all = ["check", "a.ndjson", "b.ndjson", "c.ndjson"];
    for (file, code) in [("a", 1), ("b", 0), ("c", 0)] {
        let alone = desk.run(&[&["check", &format!("{file}.ndjson")][..], &OPTIONS].concat());
        let ran = check_part(
            &desk,
            &format!("{file}.ndjson"),
            &format!("{file}.part"),
            &[],
        );
        assert_eq!(
            (&ran.stdout, ran.code),
            (&alone.stdout, code),
            "{}",
            ran.stderr
        );
    }
    let parts = ["c.part", "a.part", "b.part"];
    for format in report_formats() {
        for more in [
            &["--format", format][..],
            &["--format", format, "--fail-on", "note"],
            &["--format", format, "--no-config"],
        ] {
            let whole = desk.run(&[&all[..], &OPTIONS, more].concat());
            let ran = merged(&desk, &[&parts[..], more].concat());
            assert_eq!(
                (ran.stdout, ran.code),
                (whole.stdout, whole.code),
                "{format}: {}",
                ran.stderr
            );
        }
    }
    // Several outputs; a part of parts, which takes no rules; and standard input.
    let files = [
        "--format",
        "json=out.json",
        "--format",
        "sarif=out.sarif",
        "--partial",
        "sum",
    ];
    assert_eq!(merged(&desk, &[&parts[..], &files].concat()).code, 1);
    let whole = desk.run(&[&all[..], &OPTIONS, &["--format", "json"]].concat());
    assert_eq!(
        std::fs::read_to_string(desk.path("out.json")).unwrap(),
        whole.stdout
    );
    let sum = desk.run(&["merge", "a.part", "b.part", "c.part", "--partial", "-"]);
    assert_eq!(
        sum.stdout,
        std::fs::read_to_string(desk.path("sum")).unwrap(),
        "{}",
        sum.stderr
    );
    let arguments = [&["merge", "-", "--format", "json"][..], &OPTIONS].concat();
    let again = desk.run_with(&arguments, sum.stdout.as_bytes());
    assert_eq!(
        (again.stdout, again.code),
        (whole.stdout, 1),
        "{}",
        again.stderr
    );
    let files = ["--format", "json=out.json"];
    let only = check_part(&desk, "a.ndjson", "-", &files);
    assert_eq!(
        (only.stdout, only.code),
        (std::fs::read_to_string(desk.path("a.part")).unwrap(), 1)
    );
    let alone = desk.run(&[&["check", "a.ndjson", "--format", "json"][..], &OPTIONS].concat());
    assert_eq!(
        std::fs::read_to_string(desk.path("out.json")).unwrap(),
        alone.stdout
    );
    let refused = check_part(&desk, "a.ndjson", "-", &["--format", "json"]);
    assert_eq!((refused.stdout.as_str(), refused.code), ("", 2));
    assert!(
        refused.stderr.contains("leaves no report for --format"),
        "{}",
        refused.stderr
    );
}

#[test]
fn parts_that_do_not_fit_are_refused_with_their_name_and_the_remedy() {
    let desk = desk().with("other.toml", RULES.replace("2027-01-15", "2027-01-16"));
    std::fs::write(desk.path("grades.toml"), "[severity]\nbox = 'error'\n").unwrap();
    let with =
        |first: &[&'static str], options: &[&'static str]| desk.run(&[first, options].concat());
    let other = with(&["check", "b.ndjson", "--partial", "rules"], &OTHER_OPTIONS);
    assert!(desk.path("rules").exists(), "{}", other.stderr);
    for (file, part, more) in [
        ("a.ndjson", "part", &[][..]),
        ("a.ndjson", "same-file", &[]),
        ("b.ndjson", "severities", &["--config", "grades.toml"]),
        ("b.ndjson", "day", &["--as-of", "2026-11-21"]),
        ("b.ndjson", "strict", &["--strict"]),
        ("b.ndjson", "values", &["--show-values"]),
        ("b.ndjson", "role", &["--role", "owner"]),
        ("b.ndjson", "response", &["--response-severity", "note"]),
        ("b.ndjson", "good", &[]),
    ] {
        let ran = check_part(&desk, file, part, more);
        assert!(desk.path(part).exists(), "{part}: {}", ran.stderr);
    }
    let usage = [
        "usage",
        "b.ndjson",
        "--partial",
        "usage",
        "--rules",
        "rules.toml",
        "--no-builtin-rules",
    ];
    assert_eq!(desk.run(&usage).code, 0);
    let good = std::fs::read_to_string(desk.path("good")).unwrap();
    let desk = desk
        .with("cut", &good[..good.len() / 2])
        .with(
            "newer",
            good.replacen("\"sundown_partial\":2", "\"sundown_partial\":7", 1),
        )
        .with(
            "changed",
            good.replacen("\"records\":1", "\"records\":2", 1),
        );
    let mut messages = String::new();
    for part in [
        "same-file",
        "rules",
        "severities",
        "day",
        "strict",
        "values",
        "role",
        "response",
        "usage",
        "cut",
        "newer",
        "changed",
        "a.ndjson",
        "part",
    ] {
        let ran = merged(&desk, &["part", part, "--partial", "sum"]);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (2, ""),
            "{part}: {}",
            ran.stderr
        );
        assert!(
            ran.stderr.contains(part) && !desk.path("sum").exists(),
            "{}",
            ran.stderr
        );
        messages += &ran.stderr;
    }
    messages += &refusals_of_the_merge(&desk);
    let mut settings = insta::Settings::clone_current();
    settings.add_filter("[0-9a-f]{32}", "[DIGEST]");
    settings.add_filter(r"0?\d+\.\d+\.\d+(-[a-z0-9.]+)?", "[VERSION]");
    settings.bind(|| insta::assert_snapshot!("refused_check_parts", messages));
}

/// The messages about parts that fit each other, and not the rules or options of the merge.
fn refusals_of_the_merge(desk: &Desk) -> String {
    let mut messages = String::new();
    for more in [
        &["part", "good", "--any-host"][..],
        &["part", "good", "--as-of", "2026-11-21"],
        &["part", "good", "--strict"],
        &["part", "good", "--config", "grades.toml"],
        &["part", "good", "--quiet-days", "3"],
        &["part", "good", "--format", "csv"],
        &["part", "good", "--format", "json", "--partial", "-"],
        &["usage", "--fail-on", "note"],
        &["usage", "--format", "sarif"],
        &["usage", "--quiet"],
    ] {
        let is_usage = more[0] == "usage";
        let own = if is_usage { &[][..] } else { &OPTIONS };
        let ran = desk.run(&[&["merge"], more, own].concat());
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (2, ""),
            "{more:?}: {}",
            ran.stderr
        );
        messages += &ran.stderr;
    }
    for options in [&OTHER_OPTIONS[..], &OPTIONS[..3]] {
        let ran = desk.run(&[&["merge", "part", "good"], options].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
        messages += &ran.stderr;
    }
    assert_eq!(merged(desk, &["part", "good"]).code, 1);
    messages
}

#[test]
fn a_folder_without_traffic_is_reported_only_if_no_part_has_some() {
    let desk = desk()
        .with("x/readme.txt", "nothing")
        .with("y/readme.txt", "nothing");
    for (folder, part) in [("x", "x.part"), ("y", "y.part"), ("a.ndjson", "a.part")] {
        check_part(&desk, folder, part, &[]);
    }
    for (paths, parts) in [
        (&["x", "y"][..], &["y.part", "x.part"][..]),
        (&["x", "a.ndjson"], &["a.part", "x.part"]),
    ] {
        let whole = desk.run(&[&["check", "--format", "json"], paths, &OPTIONS].concat());
        let ran = merged(&desk, &[&["--format", "json"], parts].concat());
        assert_eq!(
            (ran.stdout, ran.code),
            (whole.stdout, whole.code),
            "{}",
            ran.stderr
        );
    }
}

#[cfg(unix)]
#[test]
fn a_partial_that_cannot_be_written_fails_the_run_and_the_report_is_still_printed() {
    let desk = desk();
    for target in ["/dev/full", "no/such/folder/part"] {
        let ran = check_part(&desk, "a.ndjson", target, &[]);
        assert_eq!(ran.code, 2);
        assert!(
            ran.stderr.contains(target) && ran.stdout.contains("legacy-id"),
            "{}",
            ran.stderr
        );
    }
    for target in ["a.ndjson", "rules.toml", "sundown.toml"] {
        let before = std::fs::read_to_string(desk.path(target)).unwrap();
        let ran = check_part(&desk, "a.ndjson", target, &[]);
        let after = std::fs::read_to_string(desk.path(target)).unwrap();
        assert_eq!((ran.code, after), (2, before), "{}", ran.stderr);
    }
}

#[test]
fn changes_since_a_revision_are_those_of_all_parts() {
    let desk = desk();
    let git = |arguments: &[&str]| {
        let done = std::process::Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
            .args(arguments)
            .current_dir(desk.path(""))
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "all"]);
    std::fs::write(desk.path("a.ndjson"), old_call("legacyId").repeat(2)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let run = |arguments: &[&str]| {
        let arguments = [
            &["check"],
            arguments,
            &OPTIONS,
            &["--changed-since", "HEAD"],
        ]
        .concat();
        desk.run_in(&[("PATH", &path)], &arguments, b"")
    };
    for file in ["a", "b", "c"] {
        let (file, part) = (format!("{file}.ndjson"), format!("{file}.part"));
        assert_ne!(run(&[&file, "--partial", &part]).code, 2);
    }
    let whole = run(&["a.ndjson", "b.ndjson", "c.ndjson"]);
    assert!(
        whole.stdout.contains("2 files were left out"),
        "{}{}",
        whole.stdout,
        whole.stderr
    );
    let ran = merged(&desk, &["c.part", "b.part", "a.part"]);
    assert_eq!(
        (ran.stdout, ran.code),
        (whole.stdout, whole.code),
        "{}",
        ran.stderr
    );
}
