//! Bad input that is too large, too deep or too strange for a case: it is reported with file, place and remedy, and hides nothing.

use crate::support::{Desk, input_formats};

const USE: &str =
    r#"{"method":"POST","url":"/rest/api/v1/chat","request":{"body":{"citations":[]}}}"#;

#[cfg(unix)]
#[test]
fn the_first_mistakes_of_a_file_are_reported_and_the_rest_counted() {
    const MANY: usize = 30_000;
    /// Far less than by the square of it.
    const MAX_SECONDS: u32 = 10;
    let lines = "a b\n".repeat(MANY);
    let (check, rules) = (&["check"][..], &["rules", "check", "rules.toml"][..]);
    let import = &["rules", "import", "list.csv"][..];
    let baseline = &["check", "--baseline", "known.toml"][..];
    let twice = "[[rule]]\nid = 'x'\noperation = 'GET /a'\n".repeat(MANY);
    let list = format!("paths = [\n{}]\n", "1,\n".repeat(MANY));
    // Each is reported four times, because every key that an allowance needs is missing.
    let allowances = "[[allow]]\nnope = 1\n".repeat(MANY / 4);
    // All but the first have a duplicate id, and the last line is not TOML.
    let duplicates = format!("api = 'x'\n{twice}a b\n");
    let table = format!("operation,removal\n{}", "x,y\n".repeat(MANY / 2));
    let entries = format!("[\n{}{{\"version\":1}}]\n", "{\"a\":1},\n".repeat(MANY));
    for (name, text, arguments) in [
        ("sundown.toml", &lines, check),
        ("sundown.toml", &list, check),
        ("sundown.toml", &allowances, check),
        ("rules.toml", &lines, rules),
        ("rules.toml", &duplicates, rules),
        ("list.csv", &table, import),
        ("known.toml", &entries, baseline),
    ] {
        let desk = Desk::new().with(name, text);
        let ran = desk.run_limited(MAX_SECONDS, None, arguments).unwrap();
        let error = &ran.stderr;
        let shown = error.matches("\n  ┌─ ").count() + error.matches("\n   ┌─ ").count();
        assert_eq!((ran.code, shown), (2, 20), "{name}: {error}");
        assert!(error.contains("and 29,980 more"), "{name}: {error}");
        let reported = format!("{name}: 30,000 mistakes in the ");
        assert!(error.contains(&reported), "{name}: {error}");
    }
}

#[test]
fn deep_bodies_and_lists_are_read_or_reported() {
    let deep = |levels, inner| "[".repeat(levels) + inner + &"]".repeat(levels);
    let body = deep(200_000, r#"{"citations":1}"#);
    let records = format!("{}\n{USE}\n", deep(500_000, ""));
    // More uses than a file may have findings.
    let uses: Vec<_> = (0..60_000)
        .map(|at| format!("\"{at}\":{{\"citations\":0}}"))
        .collect();
    let [open, close] = ["{\"x\":", "}"].map(|bracket| bracket.repeat(1_900));
    let many = format!("{open}{{{}}}{close}", uses.join(","));
    let too_deep = "chat.request.json:1:1001: nested too deeply: the limit is 1000 levels";
    for (name, text, more, code, shown) in [
        (
            "chat.request.json",
            &body,
            "",
            1,
            "chat.request.json:1:200002",
        ),
        ("chat.request.json", &body, "--max-depth=1000", 0, too_deep),
        (
            "chat.request.json",
            &body,
            "--max-depth=1000 --strict",
            2,
            too_deep,
        ),
        ("d.ndjson", &records, "", 1, "1 × a record without"),
        (
            "chat.request.json",
            &many,
            "--format=ndjson --strict",
            2,
            "\"reason\":\"too-many\"",
        ),
    ] {
        let desk = Desk::new().with(name, text);
        let more: Vec<_> = more.split_whitespace().collect();
        let ran = desk.run(&[&["check", name][..], &more].concat());
        assert_eq!(ran.code, code, "{name} {more:?}: {}", ran.stderr);
        let has_remedy = ["--max-depth", "check the file in parts", "chat-citations"];
        let is_told = has_remedy.iter().any(|text| ran.stdout.contains(text));
        assert!(is_told && ran.stdout.contains(shown), "{name} {more:?}");
    }
}

#[cfg(unix)]
#[test]
fn files_that_are_not_regular_are_skipped_and_reported() {
    let desk = Desk::new().with("d/app.ndjson", USE);
    std::os::unix::fs::symlink(desk.path("d/app.ndjson"), desk.path("d/link.ndjson")).unwrap();
    std::os::unix::fs::symlink(desk.path("d"), desk.path("d/loop")).unwrap();
    let report = desk.run(&["check", "d"]).stdout;
    let links = "2 × a symbolic link (d/link.ndjson and 1 more file)";
    assert!(
        report.contains(links) && report.contains("1 record"),
        "{report}"
    );
    let named = desk.run(&["check", "d/link.ndjson"]).stdout;
    assert!(named.contains("chat-citations"), "{named}");
}

#[test]
fn no_line_of_an_error_is_a_workflow_command() {
    for length in 50..90 {
        let text = format!("baseline = \"{} ::stop-commands::x\"\n", "a".repeat(length));
        let ran = Desk::new().with("sundown.toml", text).run(&["check", "."]);
        let mut lines = ran.stderr.lines();
        let is_command = lines.any(|line| line.trim_start().starts_with("::"));
        assert_eq!((ran.code, is_command), (2, false), "{}", ran.stderr);
    }
}

#[test]
fn a_file_that_is_not_in_the_named_format_is_reported() {
    for text in [
        "0",
        "{}",
        "[]",
        "[1]",
        "{\"a\":1}",
        "\"x\"",
        "a: 1",
        "hello",
        " \n",
        "<a/>",
    ] {
        let desk = Desk::new().with("one", text);
        for format in input_formats() {
            let report = desk.run(&["check", "one", "--input-format", format]).stdout;
            let says = ["Could not be checked:", "Not checked:"];
            let is_told = says.iter().any(|text| report.contains(text));
            assert!(is_told, "{format} {text:?}: {report}");
        }
    }
    // In blocks, too; many files of a folder are something else.
    let desk = Desk::new()
        .with("folder/blank.txt", "\n".repeat(3 << 20))
        .with(
            "folder/calls.ndjson",
            "{\"method\":\"GET\",\"url\":\"/nothing\",\"status\":200}\n",
        );
    for (path, code) in [("folder/blank.txt", 2), ("folder", 0)] {
        let ran = desk.run(&["check", path, "--input-format", "ndjson", "--strict"]);
        assert_eq!(ran.code, code, "{path}: {}", ran.stdout);
    }
}
