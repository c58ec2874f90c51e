//! The hook: what `.pre-commit-hooks.yaml` runs is silent on files that hold nothing for it, and on nothing else.

use crate::ordinary::write_files;
use crate::support::{Desk, Ran, text};

const FINDING: &str =
    r#"{"method":"POST","url":"/rest/api/v1/chat","request":{"body":{"citations":[]}}}"#;

/// The hooks that build the program, use the one of the machine, or install the released one.
const HOOK_FILES: [&str; 2] = [
    ".pre-commit-hooks.yaml",
    "packaging/pre-commit-mirror/.pre-commit-hooks.yaml",
];

/// The value of a key, which is the same in all hooks and on the page that shows one.
fn of_hook(key: &str) -> String {
    let prefix = format!("  {key}: ");
    let files = HOOK_FILES.map(text).concat();
    let values: Vec<_> = files
        .lines()
        .filter_map(|line| line.strip_prefix(&prefix))
        .collect();
    assert_eq!(values.len(), 3, "{key}");
    assert!(
        values.iter().all(|value| *value == values[0]),
        "{key}: {values:?}"
    );
    let shown = format!("    {key}: {}\n", values[0]);
    assert!(
        text("docs/pre-commit.md").contains(&shown),
        "docs/pre-commit.md: {shown}"
    );
    values[0].to_owned()
}

/// Runs the hook's entry, its arguments unless there are others, and files, as pre-commit puts them together.
fn hook_with(desk: &Desk, arguments: Option<&[&str]>, files: &[&str]) -> Ran {
    let entry = of_hook("entry");
    let own = of_hook("args");
    let own: Vec<_> = own.trim_matches(['[', ']']).split(", ").collect();
    let mut words: Vec<_> = entry
        .split(' ')
        .skip(1)
        .chain(["--as-of", "2026-11-20"])
        .collect();
    words.extend(arguments.unwrap_or(&own));
    words.extend(files);
    desk.run(&words)
}

fn hook(desk: &Desk, files: &[&str]) -> Ran {
    hook_with(desk, None, files)
}

fn assert_silent(ran: &Ran) {
    assert_eq!(
        (ran.stdout.as_str(), ran.stderr.as_str(), ran.code),
        ("", "", 0)
    );
}

#[test]
fn two_hundred_ordinary_files_print_nothing() {
    let desk = Desk::new();
    let names = write_files(&desk.path("."), 200).unwrap();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    assert_silent(&hook(&desk, &names));
    let reported = desk.run(&[&["check"], &names[..]].concat());
    assert!(
        reported.stdout.contains("Could not be checked:"),
        "some files named by the user are reported"
    );
}

#[test]
fn files_of_other_tools_print_nothing() {
    for (name, content) in [
        ("empty.json", ""),
        ("blank.yaml", "\n"),
        ("null.json", "null\n"),
        ("text.json", "\"just\"\n"),
        ("comments.json", "// ours\n{\n  \"a\": 1,\n}\n"),
        ("number.json", "{\"a\": NaN}"),
        ("latin.json", "{\"a\": \"\u{fffd}\""),
        ("two.json", "{\"a\":1}{\"b\":1}"),
        ("binary.json", "\0\0\0"),
        ("rows.jsonl", "{\"a\":1}\n{\"b\":2}\n"),
        ("compose.yaml", "services:\n  web:\n    image: x\n"),
        ("lines.yaml", "body: |\n  {\"a\": 1}\n"),
        (
            "chart.yaml",
            "{{- if .Values.on }}\nlist: {}\n{}\n{{- end }}\n",
        ),
        ("several.yml", "---\na: 1\n---\n- {\"b\": 2}\n"),
    ] {
        let desk = Desk::new().with(name, content);
        let ran = hook(&desk, &[name]);
        assert_eq!(
            (ran.stdout.as_str(), ran.code),
            ("", 0),
            "{name}: {}",
            ran.stderr
        );
    }
}

#[test]
fn machine_formats_count_the_skipped_files() {
    let desk = Desk::new()
        .with("a.json", "{}")
        .with("b.yaml", "a: 1\n")
        .with("c.json", "");
    let files = ["--format", "json", "--", "a.json", "b.yaml", "c.json"];
    let ran = hook_with(&desk, Some(&[]), &files);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["summary"]["unrelated"], 3);
    assert_eq!(report["summary"]["failed"], 0);
    let reasons: Vec<_> = (0..3)
        .map(|at| report["skipped"][at]["reason"].clone())
        .collect();
    assert_eq!(reasons, ["no-operation", "not-a-format", "not-a-format"]);
}

#[test]
fn findings_fail_the_hook_and_name_file_line_and_rule() {
    let desk = Desk::new()
        .with("log.ndjson", format!("{{}}\n{FINDING}\n"))
        .with("a.json", "{}");
    let ran = hook(&desk, &["log.ndjson", "a.json"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.starts_with("error[chat-citations]"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("log.ndjson:2:63"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("Not checked") && !ran.stdout.contains("Summary"));
}

#[test]
fn a_broken_file_named_like_a_capture_or_body_is_reported() {
    for (name, content, reason) in [
        ("a.har", "", "empty"),
        ("a.ndjson", "\n", "empty"),
        ("chat.request.json", "", "empty"),
        (
            "chat.request.json",
            "{\"messages\": [",
            "ends before it is complete",
        ),
        (
            "a.har",
            "{\"log\":{\"entries\":[{\"request\":",
            "ends before it is complete",
        ),
    ] {
        let desk = Desk::new().with(name, content);
        let ran = hook(&desk, &[name]);
        assert!(
            ran.stdout.contains(name) && ran.stdout.contains(reason),
            "{name}: {}",
            ran.stdout
        );
        assert_eq!(ran.code, 0, "{name}");
        assert_eq!(
            hook_with(&desk, Some(&["--strict", "--"]), &[name]).code,
            2,
            "{name}"
        );
    }
}

#[test]
fn a_missing_or_unreadable_file_is_an_error() {
    let desk = Desk::new().with("a.json", "{}");
    let ran = hook(&desk, &["a.json", "gone.json"]);
    assert!(
        ran.stdout.contains("gone.json: cannot be read"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.code, 2);
}

#[test]
fn file_names_that_look_like_flags_are_file_names() {
    for name in [
        "-x.json",
        "--help.json",
        "a b,c.ndjson",
        "new\nline.har",
        "\u{202e}r.json",
    ] {
        let desk = Desk::new().with(name, FINDING);
        let ran = hook(&desk, &[name]);
        assert_eq!(ran.code, 1, "{name}: {}", ran.stderr);
        assert!(
            ran.stdout.contains("error[chat-citations]"),
            "{name}: {}",
            ran.stdout
        );
    }
}

#[test]
fn excluded_files_stay_excluded_if_named() {
    let desk = Desk::new()
        .with("old/a.ndjson", FINDING)
        .with("new/b.ndjson", FINDING);
    let run = |globs: &[&str]| {
        let arguments = [globs, &["--"]].concat();
        hook_with(&desk, Some(&arguments), &["old/a.ndjson", "new/b.ndjson"])
    };
    let excluded = run(&["--exclude", "old"]);
    assert!(!excluded.stdout.contains("old/a") && excluded.stdout.contains("new/b"));
    let not_included = run(&["--include", "new/**"]);
    assert!(!not_included.stdout.contains("old/a") && not_included.stdout.contains("new/b"));
    assert_silent(&run(&["--exclude", "*.ndjson"]));
}

#[test]
fn a_configuration_applies_silently() {
    let desk = Desk::new()
        .with("sundown.toml", "exclude = [\"old\"]\nfail-on = \"never\"\n")
        .with("old/sundown.toml", "")
        .with("old/a.ndjson", FINDING)
        .with("new/b.ndjson", FINDING);
    let ran = hook(&desk, &["old/a.ndjson", "new/b.ndjson"]);
    assert_eq!((ran.stderr.as_str(), ran.code), ("", 0));
    assert!(
        !ran.stdout.contains("old/a") && ran.stdout.contains("new/b"),
        "{}",
        ran.stdout
    );
    let words = ["check", "old/a.ndjson", "new/b.ndjson"];
    assert!(
        desk.run(&words).stderr.contains("note: "),
        "there is something to be noted"
    );
}

#[test]
fn payload_mappings_and_the_baseline_of_the_configuration_apply() {
    let payload = "[[payload]]\nfiles = [\"fixtures/*.json\"]\noperation = \"POST /rest/api/v1/chat\"\nside = \"request\"\n";
    let desk = Desk::new()
        .with("sundown.toml", payload)
        .with("fixtures/a.json", r#"{"citations": 1}"#)
        .with("fixtures/empty.json", "");
    let files = ["fixtures/a.json", "fixtures/empty.json", "known.json"];
    let before = hook(&desk, &files[..2]);
    assert!(
        before.stdout.contains("fixtures/a.json:1:2"),
        "{}",
        before.stdout
    );
    assert!(
        before.stdout.contains("fixtures/empty.json: empty"),
        "{}",
        before.stdout
    );
    let desk = desk
        .with(
            "sundown.toml",
            format!("baseline = \"known.json\"\n{payload}"),
        )
        .with("fixtures/empty.json", "{}");
    let kept = desk.run(&["baseline", "--as-of", "2026-11-20"]);
    assert_eq!(kept.code, 0, "{}", kept.stderr);
    assert_silent(&hook(&desk, &files));
}

#[test]
fn bodies_that_are_named_by_an_argument_are_checked() {
    let desk = Desk::new()
        .with("x.json", r#"{"citations": 1}"#)
        .with("broken.json", r#"{"a": "#);
    let arguments = ["--operation", "chat", "--side", "request", "--"];
    let ran = hook_with(&desk, Some(&arguments), &["x.json", "broken.json"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("x.json:1:2"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("broken.json:1:7: ends before"),
        "{}",
        ran.stdout
    );
}

#[test]
fn github_annotations_omit_files_with_nothing_to_check() {
    let desk = Desk::new().with("a.json", "{}").with("b.ndjson", FINDING);
    let entry = of_hook("entry");
    let entry: Vec<_> = entry.split(' ').skip(1).collect();
    let run = |file| {
        let words = [&entry[..], &["--as-of", "2026-11-20", "--", file]].concat();
        desk.run_in(&[("GITHUB_ACTIONS", "true")], &words, b"")
    };
    assert_silent(&run("a.json"));
    let found = run("b.ndjson").stdout;
    assert!(
        found.starts_with("::error ") && found.lines().count() == 1,
        "{found}"
    );
}

#[test]
fn the_hook_covers_every_file_extension() {
    let pattern = of_hook("files");
    let pattern = regex::Regex::new(&pattern).unwrap();
    for name in [
        "a.json",
        "a/B.JSON",
        "x.har",
        "x.jsonl",
        "x.ndjson",
        "api.yaml",
        "api.yml",
        "x.har.gz",
        "x.ndjson.zst",
        "x.json.br",
    ] {
        assert!(pattern.is_match(name), "{name}");
    }
    for name in [
        "json",
        "a.json5",
        "a.geojson",
        "a.jsonc",
        "a.tar.gz",
        "a.json.md",
        "a.txt",
    ] {
        assert!(!pattern.is_match(name), "{name}");
    }
}

#[test]
fn the_hook_page_quotes_the_hook() {
    let page = text("docs/pre-commit.md");
    let entry = of_hook("entry");
    assert!(page.contains(&format!("The hook always runs `{entry}`")));
    let help = Desk::new().run(&["check", "--help"]).stdout;
    // Options in examples of the program, not of other tools.
    let own = page.lines().filter(|line| {
        line.contains("sundown check") || line.starts_with("- `--") || line.contains("args: [")
    });
    let is_option = |word: &&str| word.starts_with("--") && word.len() > 2;
    let letters = |c: char| !(c.is_ascii_alphanumeric() || c == '-');
    let named: Vec<_> = own
        .flat_map(|line| line.split(letters))
        .filter(is_option)
        .collect();
    assert!(named.len() >= 12, "{named:?}");
    for option in named {
        assert!(
            help.contains(&format!("{option} "))
                || help.contains(&format!("{option}\n"))
                || help.contains(&format!("{option}[")),
            "{option}"
        );
    }
}
