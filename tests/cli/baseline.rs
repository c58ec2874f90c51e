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
fn only_new_findings_count() {
    let desk = desk();
    let ran = desk.baseline(&[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(
        ran.stdout,
        "sundown-baseline.json: 3 entries, 3 new, none gone\n\
         Use it with `sundown check --baseline sundown-baseline.json`, or say `baseline` in the configuration.\n"
    );
    let (code, summary) = desk.checked(&[]);
    assert_eq!((code, counts(&summary)), (0, [0, 0, 3, 0]));
    assert_eq!(summary["baselined_removed"], 1);
    assert_eq!(
        summary["unrelated"], 0,
        "neither the baseline nor the rules are input"
    );
    desk.write(
        "a.ndjson",
        &(order(r#"{"old":1,"older":1}"#) + &order("{\"gone\":1}")),
    );
    let (code, summary) = desk.checked(&["--fail-on", "warning"]);
    assert_eq!((code, counts(&summary)), (1, [0, 1, 3, 0]));
    assert_eq!(
        desk.run(&[&["check"][..], &FLAGS].concat()).code,
        1,
        "without it all count"
    );
}

#[test]
fn the_file_has_one_sorted_line_per_entry_wherever_it_is_written_from() {
    let desk = desk();
    desk.baseline(&[]);
    let text = desk.read();
    assert_eq!(
        text,
        "[\n\
         {\"file\":\"a.ndjson\",\"rule\":\"gone\",\"operation\":\"POST /v1/orders\",\"side\":\"request\",\"pointer\":\"/gone\",\"uses\":1},\n\
         {\"file\":\"a.ndjson\",\"rule\":\"old\",\"operation\":\"POST /v1/orders\",\"side\":\"request\",\"pointer\":\"/old\",\"uses\":1},\n\
         {\"file\":\"sub/b.ndjson\",\"rule\":\"old\",\"operation\":\"POST /v1/orders\",\"side\":\"request\",\"pointer\":\"/items/*/old\",\"uses\":2},\n\
         {\"version\":1}\n]\n"
    );
    serde_json::from_str::<Value>(&text).unwrap();
    // Piece by piece, in another order, with other threads, it becomes the same.
    std::fs::remove_file(desk.path(FILE)).unwrap();
    for part in ["./sub/../sub/b.ndjson", "a.ndjson"] {
        assert_eq!(desk.baseline(&[part, "--threads", "3"]).code, 0);
    }
    assert_eq!(desk.read(), text);
}

#[test]
fn more_uses_than_the_baseline_lists_are_new_findings() {
    let desk = desk();
    desk.baseline(&[]);
    let items = |count: usize| {
        let old = vec![r#"{"old":1}"#; count].join(",");
        order(&format!("{{\"items\":[{old}]}}"))
    };
    // The two uses may be anywhere in the file, and one may leave.
    for text in [items(1) + &items(1), items(1)] {
        desk.write("sub/b.ndjson", &text);
        let (code, summary) = desk.checked(&[]);
        assert_eq!((code, counts(&summary)), (0, [0, 0, 3, 0]), "{text}");
    }
    desk.write("sub/b.ndjson", &(items(1) + &items(2)));
    let (code, summary) = desk.checked(&[]);
    assert_eq!((code, counts(&summary)), (1, [1, 0, 2, 0]));
    let ran = desk.run(&[&["check"][..], &FLAGS, &["--baseline", FILE]].concat());
    assert!(
        ran.stdout
            .contains("sundown-baseline.json: 1 entry has more uses now; these findings count"),
        "{}",
        ran.stdout
    );
    let (code, summary) = desk.checked(&["--baseline-ignores-counts"]);
    assert_eq!((code, counts(&summary)), (0, [0, 0, 3, 0]));
    // One by one, only those beyond the number count.
    let each = ["--baseline", FILE, "--format", "ndjson", "--no-fold"];
    let ran = desk.run(&[&["check"][..], &FLAGS, &each].concat());
    let lines = |kind: &str| {
        ran.stdout
            .matches(&format!("{{\"type\":\"{kind}\""))
            .count()
    };
    assert_eq!((ran.code, lines("finding"), lines("suppressed")), (1, 1, 4));

    let ran = desk.baseline(&[]);
    assert!(
        ran.stdout
            .starts_with("sundown-baseline.json: 3 entries, 0 new, 1 with more uses, none gone\n"),
        "{}",
        ran.stdout
    );
    assert!(desk.read().contains("\"uses\":3}"), "{}", desk.read());
    assert_eq!(desk.checked(&[]).0, 0);
    // A baseline without numbers covers any number, and keeps doing so.
    let plain = desk
        .read()
        .replace(",\"uses\":3", "")
        .replace(",\"uses\":1", "");
    desk.write(FILE, &plain);
    desk.write("sub/b.ndjson", &items(9));
    assert_eq!(desk.checked(&[]).0, 0);
    desk.baseline(&[]);
    assert_eq!(desk.read(), plain);
}

#[test]
fn moved_lines_and_changed_values_keep_their_entries() {
    let desk = desk();
    desk.baseline(&[]);
    let more = order("{}").repeat(5);
    desk.write(
        "a.ndjson",
        &format!(
            "{more}{}{}",
            order("{\"gone\":[1]}"),
            order("{ \"old\" : null }")
        ),
    );
    assert_eq!(counts(&desk.checked(&[]).1), [0, 0, 3, 0]);
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
fn stale_entries_are_reported_and_removed_only_on_request() {
    let desk = desk();
    desk.baseline(&[]);
    desk.write("a.ndjson", &order("{\"old\":1}"));
    std::fs::remove_file(desk.path("sub/b.ndjson")).unwrap();
    let (code, summary) = desk.checked(&[]);
    assert_eq!((code, counts(&summary)), (0, [0, 0, 1, 2]));
    let human = desk
        .run(&[&["check", "--baseline", FILE, "-v"][..], &FLAGS].concat())
        .stdout;
    assert!(
        human.contains("2 entries no longer match a finding; `sundown baseline --prune`"),
        "{human}"
    );
    assert!(
        human.contains("  sub/b.ndjson: old POST /v1/orders request /items/*/old\n"),
        "{human}"
    );
    let ran = desk.baseline(&["-v"]);
    assert!(
        ran.stdout.contains("gone, kept: a.ndjson: gone POST"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout
            .ends_with("3 entries, 0 new, 2 gone (--prune takes them out)\n"),
        "{}",
        ran.stdout
    );
    let ran = desk.baseline(&["--prune"]);
    assert_eq!(
        ran.stdout,
        "sundown-baseline.json: 1 entry, 0 new, 2 gone and taken out\n"
    );
    assert_eq!(desk.read().lines().count(), 4);
}

#[test]
fn checking_a_part_of_the_project_removes_no_entries_of_the_rest() {
    let desk = desk();
    desk.baseline(&[]);
    let full = desk.read();
    let unchanged = |arguments: &[&str]| {
        desk.baseline(&[arguments, &["--prune"]].concat());
        assert_eq!(desk.read(), full, "{arguments:?}");
    };
    unchanged(&["sub"]);
    unchanged(&["a.ndjson"]);
    unchanged(&["--exclude", "sub"]);
    unchanged(&["--include", "*.har"]);
    // Files that cannot be read wholly, or at all.
    for (name, text) in [
        (
            "a.ndjson",
            order("{\"old\":1}") + "{\"method\":\"POST\",\"url\":\"/v1/orders\",\"body\":{\"go",
        ),
        ("a.ndjson", String::new()),
        ("a.ndjson", "binary\0".to_owned()),
    ] {
        let before = std::fs::read_to_string(desk.path(name)).unwrap();
        desk.write(name, &text);
        unchanged(&[]);
        desk.write(name, &before);
    }
    // Fewer rules.
    let ran = desk.run(&["baseline", "--as-of", "2026-11-20", "--prune"]);
    assert_eq!((ran.code, desk.read() == full), (0, true), "{}", ran.stdout);
    let ran = desk.baseline(&["missing.har", "--prune"]);
    assert_eq!((ran.code, desk.read() == full), (2, true), "{}", ran.stderr);
}

/// A run from a folder below with the rules and the baseline of the whole.
fn below(desk: &Desk, folder: &str, command: &str, more: &[&str]) -> Ran {
    let rules = [
        "--rules",
        "../shop.toml",
        "--no-builtin-rules",
        "--as-of",
        "2026-11-20",
    ];
    desk.run_below(folder, &[&[command][..], &rules, more].concat())
}

#[test]
fn a_run_from_a_subfolder_uses_the_paths_of_the_baseline_and_removes_nothing() {
    let desk = desk().with("other/c.ndjson", order("{\"old\":1}"));
    desk.baseline(&[]);
    let full = desk.read();
    let with = ["--baseline", "../sundown-baseline.json"];
    let prune = [&with[..], &["--prune"]].concat();
    let ran = below(&desk, "sub", "baseline", &prune);
    assert_eq!(
        (ran.code, desk.read() == full),
        (0, true),
        "{}{}",
        ran.stdout,
        desk.read()
    );
    assert!(
        ran.stdout.ends_with("4 entries, 0 new, none gone\n"),
        "{}",
        ran.stdout
    );
    let ran = below(&desk, "sub", "check", &with);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(
        !ran.stdout.contains("no longer match a finding"),
        "{}",
        ran.stdout
    );
    // Neither does a run that has a root of its own there.
    desk.write("sub/sundown.toml", "");
    below(&desk, "sub", "baseline", &prune);
    for entry in full.lines() {
        assert!(
            desk.read().contains(entry),
            "{entry} is lost: {}",
            desk.read()
        );
    }
}

#[test]
fn a_configuration_in_another_folder_removes_no_entries() {
    let desk = desk().with(".git/HEAD", "").with(
        "conf/sundown.toml",
        "rules = ['../shop.toml']\nbuiltin-rules = false\n",
    );
    let run = |more: &[&str]| {
        let with = [
            "baseline",
            "--config",
            "conf/sundown.toml",
            "--as-of",
            "2026-11-20",
        ];
        let ran = desk.run(&[&with[..], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        std::fs::read_to_string(desk.path("conf/sundown-baseline.json")).unwrap()
    };
    let full = run(&[]);
    assert_eq!(
        (full.lines().count(), run(&["a.ndjson", "--prune"]) == full),
        (6, true)
    );
    assert_eq!(run(&["conf", "a.ndjson", "--prune"]), full);
    assert_eq!(run(&["--prune"]), full);
    std::fs::remove_file(desk.path("sub/b.ndjson")).unwrap();
    assert_eq!(run(&["conf", "a.ndjson", "--prune"]).lines().count(), 6 - 1);
}

#[test]
fn a_deleted_file_is_stale_only_if_the_whole_project_is_checked() {
    let desk = desk();
    desk.baseline(&[]);
    let full = desk.read();
    std::fs::remove_file(desk.path("sub/b.ndjson")).unwrap();
    desk.baseline(&["a.ndjson", "--prune"]);
    assert_eq!(desk.read(), full);
    desk.baseline(&["--prune"]);
    assert!(!desk.read().contains("sub/b.ndjson"), "{}", desk.read());
}

#[test]
fn findings_hidden_by_other_flags_are_not_stale() {
    let desk = desk().with("bare.json", "{\"old\":1}");
    let named = ["--operation", "POST /v1/orders", "--side", "request"];
    desk.baseline(&named);
    let full = desk.read();
    assert!(full.contains("bare.json"), "{full}");
    let unchanged = |arguments: &[&str]| {
        let ran = desk.baseline(&[arguments, &["--prune"]].concat());
        let lost: Vec<&str> = full
            .lines()
            .filter(|line| !desk.read().contains(line))
            .collect();
        assert_eq!(
            (ran.code, lost),
            (0, Vec::new()),
            "{arguments:?} {}",
            ran.stdout
        );
        desk.write(FILE, &full);
    };
    unchanged(&["--operation", "POST /v1/orders", "--side", "response"]);
    unchanged(&["--operation", "POST /v1/other", "--allow-unknown-operation"]);
    unchanged(&["--input-format", "json"]);
    desk.write("sundown.toml", "[severity]\nold = 'off'\ngone = 'off'\n");
    unchanged(&[]);
    assert_eq!(
        counts(&desk.checked(&[]).1)[3],
        0,
        "and no advice to take it out"
    );
}

#[test]
fn a_description_and_the_files_it_refers_to_have_entries_of_their_own() {
    let describe = |reference: &str| {
        format!(
            r#"{{"openapi":"3.0.3","info":{{"title":"x","version":"1"}},"paths":{{"/v1/orders":{{"post":{{"requestBody":{{"content":{{"application/json":{{"schema":{{"$ref":"{reference}"}}}}}}}},"responses":{{}}}}}}}}}}"#
        )
    };
    let common = r#"{"A":{"type":"object","properties":{"old":{"type":"string"}}},"B":{"type":"object","properties":{"older":{"type":"string"}}}}"#;
    let desk = Desk::new()
        .with("shop.toml", RULES)
        .with("one.json", describe("common.json#/A"))
        .with("two.json", describe("common.json#/B"))
        .with("common.json", common);
    desk.baseline(&[]);
    let full = desk.read();
    assert!(
        full.contains(r#""file":"common.json","rule":"old","check":"exposed","pointer""#),
        "{full}"
    );
    assert_eq!(counts(&desk.checked(&[]).1)[3], 0);
    desk.baseline(&["one.json", "--prune"]);
    desk.baseline(&["common.json", "--prune"]);
    desk.baseline(&["--role", "consumer", "--prune"]);
    assert_eq!(desk.read(), full);
    desk.write("two.json", &describe("common.json#/A"));
    desk.baseline(&["--prune"]);
    assert!(
        !desk.read().contains("\"older\"") && desk.read().contains("\"old\""),
        "{}",
        desk.read()
    );
}

#[test]
fn a_new_element_inside_a_known_one_is_new() {
    let rules =
        format!("{RULES}[[rule]]\nid = 'box'\noperation = 'POST /v1/orders'\nfield = 'box'\n");
    let desk = Desk::new().with("shop.toml", rules);
    desk.write("a.ndjson", &order("{\"box\":{\"older\":1}}"));
    desk.baseline(&[]);
    assert_eq!(
        desk.read().lines().count(),
        5,
        "both are known: {}",
        desk.read()
    );
    let strict = ["--fail-on", "warning"];
    assert_eq!(desk.checked(&strict).0, 0);
    desk.write(
        "a.ndjson",
        &order("{\"box\":{\"older\":1,\"deep\":{\"older\":1}}}"),
    );
    let (code, summary) = desk.checked(&strict);
    assert_eq!((code, counts(&summary)), (1, [0, 1, 1, 0]));
    desk.baseline(&["--prune"]);
    assert_eq!(
        (desk.checked(&strict).0, desk.read().lines().count()),
        (0, 6)
    );
    desk.write("a.ndjson", &order("{\"older\":1}"));
    desk.baseline(&["--prune"]);
    assert_eq!(desk.read().lines().count(), 4, "{}", desk.read());
}

#[test]
fn every_occurrence_is_recognised_without_folding() {
    let desk = desk();
    desk.baseline(&["a.ndjson"]);
    let with = ["--baseline", FILE, "--format", "ndjson", "--no-fold"];
    let ran = desk.run(&[&["check"][..], &FLAGS, &with].concat());
    let lines: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |kind: &str| lines.iter().filter(|line| line["type"] == kind).count();
    assert_eq!((of("finding"), of("suppressed")), (2, 2));
    let summary = lines.iter().find(|line| line["type"] == "summary").unwrap();
    assert_eq!(summary["baselined"], 2);
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

#[test]
fn conflicting_flags_are_refused() {
    let desk = desk();
    assert_eq!(desk.baseline(&["--no-baseline"]).code, 2);
    assert_eq!(
        desk.run(&["check", "--no-baseline", "--baseline", "x"])
            .code,
        2
    );
    assert_eq!(
        desk.run(&[&["check", "--no-baseline"][..], &FLAGS].concat())
            .code,
        1
    );
}

#[test]
fn standard_input_has_a_name_of_its_own() {
    let desk = desk();
    let traffic = order("{\"older\":1}");
    let run = |arguments: &[&str]| {
        desk.run_with(
            &[arguments, &["-", "--as-of", "2026-11-20"], &FLAGS].concat(),
            traffic.as_bytes(),
        )
    };
    assert_eq!(run(&["baseline"]).code, 0);
    let strict = ["check", "--fail-on", "warning", "--baseline", FILE];
    assert_eq!((run(&strict).code, run(&strict[..3]).code), (0, 1));
    desk.baseline(&["--prune"]);
    assert!(desk.read().contains("\"file\":\"-\""), "it may still exist");
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
