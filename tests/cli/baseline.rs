//! The baseline: what was there before does not count, what is new does, and no run takes more out than it has seen.

use std::process::Command;

use serde_json::Value;

use crate::support::{Desk, Ran};

const RULES: &str = "api = 'Shop'\n\
    [[rule]]\nid = 'old'\noperation = 'POST /v1/orders'\nfield = 'old'\nremoval = 2026-12-15\n\
    [[rule]]\nid = 'older'\noperation = 'POST /v1/orders'\nfield = 'older'\n\
    [[rule]]\nid = 'gone'\noperation = 'POST /v1/orders'\nfield = 'gone'\nremoval = 2026-01-01\n";

const FLAGS: [&str; 3] = ["--rules", "shop.toml", "--no-builtin-rules"];
const FILE: &str = "sundown-baseline.json";

fn order(body: &str) -> String {
    format!("{{\"method\":\"POST\",\"url\":\"/v1/orders\",\"body\":{body}}}\n")
}

fn desk() -> Desk {
    Desk::new()
        .with("shop.toml", RULES)
        .with("a.ndjson", order(r#"{"old":1}"#) + &order(r#"{"gone":1}"#))
        .with("sub/b.ndjson", order(r#"{"items":[{"old":1},{"old":2}]}"#))
}

trait Known {
    fn write(&self, name: &str, text: &str);
    fn read(&self) -> String;
    fn baseline(&self, more: &[&str]) -> Ran;
    fn checked(&self, more: &[&str]) -> (i32, Value);
}

impl Known for Desk {
    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn read(&self) -> String {
        std::fs::read_to_string(self.path(FILE)).unwrap()
    }

    fn baseline(&self, more: &[&str]) -> Ran {
        let day = ["--as-of", "2026-11-20"];
        self.run(&[&["baseline"][..], &FLAGS, &day, more].concat())
    }

    /// Exit code and summary of a check with the baseline.
    fn checked(&self, more: &[&str]) -> (i32, Value) {
        let with = ["--baseline", FILE, "--format", "json"];
        let ran = self.run(&[&["check"][..], &FLAGS, &with, more].concat());
        let report: Value = serde_json::from_str(&ran.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}{}", ran.stdout, ran.stderr));
        (ran.code, report["summary"].clone())
    }
}

/// Errors, warnings, those in the baseline, and entries that are gone.
fn counts(summary: &Value) -> [u64; 4] {
    ["errors", "warnings", "baselined", "baseline_gone"].map(|name| summary[name].as_u64().unwrap())
}

#[test]
fn an_unchanged_baseline_is_not_written() {
    let desk = desk();
    desk.baseline(&[]);
    let path = desk.path(FILE);
    let crlf = desk.read().replace('\n', "\r\n");
    for text in [desk.read(), crlf] {
        desk.write(FILE, &text);
        let before = std::fs::metadata(&path).unwrap().modified().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        let ran = desk.baseline(&[]);
        assert_eq!(
            ran.stdout,
            "sundown-baseline.json: 3 entries, 0 new, none gone\n"
        );
        assert_eq!(desk.read(), text);
        assert_eq!(
            std::fs::metadata(&path).unwrap().modified().unwrap(),
            before
        );
    }
    desk.write("c.ndjson", &order("{\"older\":1}"));
    desk.baseline(&[]);
    assert_eq!(
        desk.read().matches("\r\n").count(),
        desk.read().matches('\n').count()
    );
    let left: Vec<_> = std::fs::read_dir(desk.path("")).unwrap().collect();
    assert_eq!(left.len(), 5, "nothing is left behind: {left:?}");
}

#[test]
fn a_file_that_is_not_a_baseline_is_refused_with_its_line() {
    let desk = desk();
    let check = |desk: &Desk| desk.run(&[&["check", "--baseline", FILE][..], &FLAGS].concat());
    let ran = check(&desk);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(
        ran.stderr
            .contains("there is no baseline sundown-baseline.json"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr
            .contains("`sundown baseline --baseline sundown-baseline.json`"),
        "{}",
        ran.stderr
    );
    desk.baseline(&[]);
    let good = desk.read();
    let second = good.lines().nth(2).unwrap();
    for (broken, reported) in [
        (
            good.replace(second, &format!("{second}\n{second}")),
            "sundown-baseline.json:4:1",
        ),
        (
            good.replace(
                second,
                &format!("<<<<<<< HEAD\n{second}\n=======\n>>>>>>> x"),
            ),
            "this merge conflict is not resolved",
        ),
        (
            good.replace("\"version\":1", "\"version\":2"),
            "unsupported version of the format",
        ),
        ("{}".to_owned(), "a list of entries"),
        (String::new(), "not JSON"),
    ] {
        desk.write(FILE, &broken);
        for ran in [check(&desk), desk.baseline(&["--prune"])] {
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{broken}");
            assert!(ran.stderr.contains(reported), "{reported}: {}", ran.stderr);
        }
        assert_eq!(desk.read(), broken, "it is not touched");
    }
    std::fs::write(desk.path(FILE), b"[\xff]").unwrap();
    assert!(check(&desk).stderr.contains("not UTF-8"));
    let folder = desk.run(&["check", "--baseline", "sub", "--as-of", "2026-11-20"]);
    assert_eq!(folder.code, 2);
    let nowhere = desk.baseline(&["--baseline", "no/where.json"]);
    assert_eq!(nowhere.code, 2);
    assert!(
        nowhere.stderr.contains("no/where.json cannot be written"),
        "{}",
        nowhere.stderr
    );
}

/// Runs git without the settings of any user.
pub(crate) fn git(desk: &Desk, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@example.org",
            "-c",
            "core.autocrlf=false",
        ])
        .args([
            "-c",
            "init.defaultBranch=main",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        .current_dir(desk.path(""))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {text}{errors}");
    text
}

#[test]
fn two_branches_that_add_entries_merge_without_a_conflict() {
    let desk = desk()
        .with("m.ndjson", order("{\"old\":1}"))
        .with("x.ndjson", order("{\"old\":1}"));
    desk.baseline(&[]);
    git(&desk, &["init", "-q"]);
    git(&desk, &["add", "."]);
    git(&desk, &["commit", "-qm", "first"]);
    // One adds in front, in the middle and at the end, the other at other places in between.
    let add = |branch: &str, names: &[&str]| {
        git(&desk, &["checkout", "-qb", branch, "main"]);
        for name in names {
            desk.write(name, &order("{\"older\":1}"));
        }
        desk.baseline(&[]);
        git(&desk, &["add", "."]);
        git(&desk, &["commit", "-qm", branch]);
    };
    add("one", &["0.ndjson", "c.ndjson", "z.ndjson"]);
    add("two", &["n.ndjson", "t.ndjson"]);
    git(&desk, &["merge", "-q", "--no-edit", "one"]);
    let (code, summary) = desk.checked(&["--fail-on", "note"]);
    assert_eq!((code, counts(&summary)), (0, [0, 0, 10, 0]));
    let merged = desk.read();
    desk.baseline(&[]);
    assert_eq!(desk.read(), merged, "what git has merged is in order");
}

#[test]
fn two_branches_that_add_at_one_place_merge_as_a_union() {
    let desk = desk().with(".gitattributes", format!("{FILE} merge=union\n"));
    desk.baseline(&[]);
    git(&desk, &["init", "-q"]);
    git(&desk, &["add", "."]);
    git(&desk, &["commit", "-qm", "first"]);
    for name in ["y", "z"] {
        git(&desk, &["checkout", "-qb", name, "main"]);
        desk.write(&format!("{name}.ndjson"), &order("{\"older\":1}"));
        desk.baseline(&[]);
        git(&desk, &["add", "."]);
        git(&desk, &["commit", "-qm", name]);
    }
    git(&desk, &["merge", "-q", "--no-edit", "y"]);
    let (code, summary) = desk.checked(&["--fail-on", "note"]);
    assert_eq!(
        (code, counts(&summary)),
        (0, [0, 0, 5, 0]),
        "{}",
        desk.read()
    );
}
