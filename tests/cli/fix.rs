//! Fixes: what people write is changed at the exact bytes, what was recorded is listed, and what is unclear is left with its reason.

use crate::baseline::git;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::{Desk, Ran};

const RULES: &str = "api = 'Shop'\n\
    [[rule]]\nid = 'old'\noperation = 'POST /v1/orders'\nfield = 'old'\nat = ['$..old']\n\
    fix = { rename = 'new', safe = true }\n\
    [[rule]]\nid = 'colour'\noperation = 'POST /v1/orders'\nfield = 'colour'\nvalue = 'red'\nat = ['$..colour']\n\
    fix = { set = 'dark-red', safe = true }\n\
    [[rule]]\nid = 'gone'\noperation = 'POST /v1/orders'\nfield = 'gone'\nat = ['$..gone']\n\
    fix = { remove = true, safe = true }\n\
    [[rule]]\nid = 'plain'\noperation = 'POST /v1/orders'\nfield = 'plain'\nat = ['$..plain']\n";

const ONE_CALL: &str = "POST http://x/v1/orders\n\n{\"old\": 1}\n";

fn desk() -> Desk {
    Desk::new().with("shop.toml", RULES)
}

trait Fixed {
    fn fix(&self, more: &[&str]) -> Ran;
    fn read(&self, name: &str) -> String;
}

impl Fixed for Desk {
    fn fix(&self, more: &[&str]) -> Ran {
        let flags = ["fix", "--rules", "shop.toml", "--no-builtin-rules"];
        self.run(&[&flags[..], more].concat())
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }
}

#[test]
fn what_is_not_committed_is_left() {
    let text = "POST http://x/v1/orders\n\n{\"old\": 1}\n";
    let desk = desk()
        .with("a.http", text)
        .with(".gitignore", "ignored\n")
        .with("ignored/a.http", text);
    git(&desk, &["init", "-q"]);
    git(&desk, &["commit", "-q", "--allow-empty", "-m", "x"]);
    let path = std::env::var("PATH").unwrap();
    let fix = || {
        let arguments = ["fix", "--write", "--rules", "shop.toml"];
        desk.run_in(&[("PATH", &path)], &arguments, b"")
    };
    let left = fix();
    assert!(
        left.code == 2 && left.stdout.matches("--allow-dirty").count() == 2,
        "{}",
        left.stdout
    );
    git(&desk, &["add", "-A"]);
    git(&desk, &["commit", "-qm", "x"]);
    let made = fix();
    assert_eq!(made.code, 2, "{}", made.stdout);
    assert_ne!(desk.read("a.http"), text);
    assert_eq!(desk.read("ignored/a.http"), text);
}

#[test]
fn git_applies_the_patch_and_takes_it_back() {
    let mut lines = String::new();
    for line in 0..40 {
        let name = if line % 13 == 5 { "old" } else { "x" };
        let _ = writeln!(lines, "  \"line{line}\": {{ \"{name}\": 1 }},");
    }
    let old = format!("POST http://x/v1/orders\n\n{{\n{lines}  \"gone\":\n    1}}");
    let desk = desk().with("sub/a b.http", &old);
    let patch = desk.fix(&["--diff"]);
    assert_eq!(desk.read("sub/a b.http"), old, "nothing is written");
    fs::write(desk.path("p.patch"), &patch.stdout).unwrap();
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        let ran = git
            .current_dir(desk.path("."))
            .arg("apply")
            .args(arguments)
            .output()
            .unwrap();
        assert!(
            ran.status.success(),
            "{}\n{}",
            patch.stdout,
            String::from_utf8_lossy(&ran.stderr)
        );
        desk.read("sub/a b.http")
    };
    let applied = git(&["p.patch"]);
    assert_eq!(git(&["-R", "p.patch"]), old);
    desk.fix(&["--write"]);
    assert_eq!(desk.read("sub/a b.http"), applied);
    let again = desk.fix(&["--write"]);
    assert!(
        again.stdout.ends_with("No edit to make.\n"),
        "{}",
        again.stdout
    );
}

#[cfg(unix)]
#[test]
fn git_applies_a_patch_of_files_with_odd_names() {
    use std::os::unix::ffi::OsStrExt as _;
    let (desk, other) = (desk(), desk().with("outside.http", ONE_CALL));
    let names: [&[u8]; 4] = [
        b"a\xff\\xff.http",
        b"\t\n 2026-01-01 00:00:00",
        "\"é\"\\".as_bytes(),
        b" -- ",
    ];
    let paths = names.map(|name| desk.path("").join(OsStr::from_bytes(name)));
    for path in &paths {
        fs::write(path, ONE_CALL).unwrap();
    }
    let outside = other.path("outside.http");
    let patch = desk.fix(&[".", outside.to_str().unwrap(), "--diff"]);
    assert!(
        patch.stderr.contains("outside of the project"),
        "{}",
        patch.stderr
    );
    fs::write(desk.path("p.patch"), &patch.stdout).unwrap();
    let mut git = Command::new("git");
    let ran = git
        .current_dir(desk.path("."))
        .args(["apply", "p.patch"])
        .output()
        .unwrap();
    let problems = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{}\n{problems}", patch.stdout);
    for path in paths {
        assert_eq!(
            fs::read_to_string(path).unwrap(),
            ONE_CALL.replace("old", "new")
        );
    }
}

#[cfg(unix)]
#[test]
fn the_rights_of_a_file_and_links_to_it_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let desk = desk().with(
        "a.sh",
        "curl http://x/v1/orders -d '{\"old\":1}' -H 'Content-Type: application/json'\n",
    );
    fs::set_permissions(desk.path("a.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    symlink(desk.path("a.sh"), desk.path("b.sh")).unwrap();
    let ran = desk.fix(&["b.sh", "--write", "--backup"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(desk.path("b.sh").is_symlink());
    assert!(desk.read("a.sh").contains("\"new\""));
    assert!(desk.read("a.sh.orig").contains("\"old\""));
    for name in ["a.sh", "a.sh.orig"] {
        let mode = fs::metadata(desk.path(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o750, "{name}");
    }
}

/// The JSON documents of a report, one a line.
fn documents(report: &str) -> Vec<Value> {
    let lines = report.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Where a line and a column are; `width` is how much a character adds to the column.
fn offset(text: &str, place: &Value, names: [&str; 2], width: fn(char) -> usize) -> usize {
    let [line, column] = names.map(|name| usize::try_from(place[name].as_u64().unwrap()).unwrap());
    let start: usize = text
        .split_inclusive('\n')
        .take(line - 1)
        .map(str::len)
        .sum();
    let mut left = column - 1;
    let mut at = start;
    for character in text[start..].chars() {
        if left == 0 {
            break;
        }
        left -= width(character);
        at += character.len_utf8();
    }
    at
}

/// Replaces parts of a text.
fn replaced(text: &str, mut changes: Vec<(usize, usize, String)>) -> String {
    changes.sort();
    changes.dedup();
    let mut new = text.to_owned();
    for (start, end, replacement) in changes.into_iter().rev() {
        new.replace_range(start..end, &replacement);
    }
    new
}

const TO_REVIEW: &str = "POST http://x/v1/orders\n\n{\"name\": \"é𝄞\", \"old\": 1,\n \"colour\": \"red\",\n \"gone\":\n  [1],\n\
    \"list\": [{\"é\": 1, \"old\": 2}]}\n";

#[test]
fn suggestions_in_reports_are_the_edits_that_fix_makes() {
    let desk = desk().with("a.http", TO_REVIEW);
    let report = |format: &str| {
        let flags = ["--suggestions", "--fail-on", "never", "--no-builtin-rules"];
        let named = [
            "check",
            "a.http",
            "--rules",
            "shop.toml",
            "--format",
            format,
        ];
        let ran = desk.run(&[&named[..], &flags[..]].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stdout
    };
    let mut of_review = Vec::new();
    for diagnostic in documents(&report("rdjsonl")) {
        let range = &diagnostic["suggestions"][0]["range"];
        let at = |place| offset(TO_REVIEW, place, ["line", "column"], char::len_utf8);
        let text = diagnostic["suggestions"][0]["text"].as_str().unwrap();
        of_review.push((at(&range["start"]), at(&range["end"]), text.to_owned()));
    }
    let mut of_sarif = Vec::new();
    for result in documents(&report("sarif"))[0]["runs"][0]["results"]
        .as_array()
        .unwrap()
    {
        let change = &result["fixes"][0]["artifactChanges"][0];
        assert_eq!(change["artifactLocation"]["uri"], "a.http");
        let replacement = &change["replacements"][0];
        let region = &replacement["deletedRegion"];
        let at = |names| offset(TO_REVIEW, region, names, |_| 1);
        let start = at(["startLine", "startColumn"]);
        assert_eq!(region["byteOffset"].as_u64().unwrap(), start as u64);
        let text = replacement["insertedContent"]["text"].as_str().unwrap();
        of_sarif.push((start, at(["endLine", "endColumn"]), text.to_owned()));
    }
    assert_snapshot!("suggestions_in_text", report("human"));
    desk.fix(&["a.http", "--write"]);
    let expected = desk.read("a.http");
    assert_ne!(expected, TO_REVIEW);
    assert_eq!(replaced(TO_REVIEW, of_review), expected);
    assert_eq!(replaced(TO_REVIEW, of_sarif), expected);
}

#[test]
fn findings_that_a_report_leaves_out_take_no_suggestion_from_others() {
    let desk = desk().with("a.http", TO_REVIEW);
    let suggested = |selection: &[&str]| {
        let named = ["check", "a.http", "--rules", "shop.toml"];
        let flags = ["--no-builtin-rules", "--suggestions", "--format", "rdjsonl"];
        let ran = desk.run(&[&named[..], &flags[..], selection].concat());
        let all = documents(&ran.stdout);
        all.iter()
            .filter(|one| one["suggestions"].is_array())
            .count()
    };
    assert_eq!(suggested(&[]), 4);
    assert_eq!(suggested(&["--rule", "old"]), 2);
    assert_eq!(suggested(&["--ignore", "old"]), 2);
}
