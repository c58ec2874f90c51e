//! The formats for build services: each writes the fixture report, a hostile one, and one that is too large.
//!
//! Independent programs validate the formats in `scripts/validate-reports.sh`;
//! these tests cover what they miss.

use std::fmt::Write as _;

use insta::assert_snapshot;
use serde_json::Value;

use crate::reports::{CHECK, check, desk};
use crate::support::{Desk, Ran, report_formats, text};
use crate::web_pages::embedded;

/// The limits of the services that read the reports, which `docs/reports.md` states.
const MAX_ANNOTATIONS: usize = 10;
const MAX_RESULTS: usize = 25_000;

fn run(format: &str) -> String {
    let ran = check(&["--format", format]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{format}");
    settled(&ran.stdout)
}

/// The part of a report that differs from those of other runs.
fn settled(report: &str) -> String {
    embedded(report).replace(env!("CARGO_PKG_VERSION"), "[version]")
}

/// The formats with a text of their own: a page has that of `json`.
fn text_formats() -> impl Iterator<Item = &'static str> {
    report_formats().into_iter().filter(|name| *name != "html")
}

fn pretty(text: &str) -> String {
    let value: Value = serde_json::from_str(text).unwrap();
    serde_json::to_string_pretty(&value).unwrap()
}

/// The fixture report in every format.
#[test]
fn the_fixture_report_in_every_format() {
    for name in text_formats() {
        let report = run(name);
        let report = if name == "sarif" {
            pretty(&report)
        } else {
            report
        };
        assert_snapshot!(format!("fixture_{name}"), report);
    }
}

/// A report whose names would be commands, links, markup or escapes, in every format.
#[test]
fn a_hostile_report_in_every_format() {
    for name in text_formats() {
        let report = settled(&run_hostile(name).stdout);
        let report = if name == "sarif" {
            pretty(&report)
        } else {
            report
        };
        assert_snapshot!(format!("hostile_{name}"), report);
    }
}

const RULES: &str = "api = 'x'\n[[rule]]\nid = 'x'\noperation = 'POST /x'\nfield = 'old'\n";

/// One finding for each key, below that key.
fn below(keys: &[String]) -> Desk {
    let mut traffic = String::new();
    for key in keys {
        let key = serde_json::to_string(key).unwrap();
        let _ = writeln!(
            traffic,
            r#"{{"method":"POST","url":"/x","body":{{{key}:{{"old":1}}}}}}"#
        );
    }
    Desk::new().with("x.toml", RULES).with("a.ndjson", traffic)
}

/// Keys that would be a command, a link, markup or an escape, if something let them.
fn hostile_keys() -> Vec<String> {
    serde_json::from_str(&text("testdata/reports/hostile-keys.json")).unwrap()
}

/// A pointer to `old` below each of them.
fn hostile_pointers() -> Vec<String> {
    let pointer = |key: &String| format!("/{}/old", key.replace('~', "~0").replace('/', "~1"));
    hostile_keys().iter().map(pointer).collect()
}

fn hostile() -> Desk {
    below(&hostile_keys()).with(
        "::error::[x](y)##[z] <b>.ndjson",
        "{\"method\": \"POST\", \"url\": \"/x\", \"body\": {\"old\"",
    )
}

fn run_hostile(format: &str) -> Ran {
    hostile().run(&[
        "check",
        ".",
        "--rules",
        "x.toml",
        "--no-builtin-rules",
        "--format",
        format,
    ])
}

#[test]
fn no_text_of_an_input_controls_a_terminal_or_a_log() {
    for format in report_formats() {
        let ran = run_hostile(format);
        let text = settled(&ran.stdout) + &ran.stderr;
        let tame =
            |character: char| character == '\n' || !sundown_text_json::text::is_unsafe(character);
        assert!(
            format == "human" || text.chars().all(tame),
            "{format}: {text:?}"
        );
        assert!(
            !text.contains("##[") && !text.contains("##vso["),
            "{format}: {text}"
        );
        for line in text.lines().map(str::trim_start) {
            let ours = [
                "::error title=",
                "::warning title=",
                "::notice title=",
                "::group::Not annotated",
                "::endgroup::",
            ];
            let is_ours = format == "github" && ours.iter().any(|ours| line.starts_with(ours));
            assert!(!line.starts_with("::") || is_ours, "{format}: {line}");
        }
    }
}

#[test]
fn hostile_text_in_github_commands_is_escaped() {
    let ran = run_hostile("github");
    let commands: Vec<_> = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with("::"))
        .map(command)
        .collect();
    let kinds: Vec<&str> = commands
        .iter()
        .map(|command| command.kind.as_str())
        .collect();
    let expected = [
        &["warning"; MAX_ANNOTATIONS][..],
        &["notice", "group", "endgroup"],
    ]
    .concat();
    assert_eq!(kinds, expected);
    for command in commands.iter().filter(|command| command.kind == "warning") {
        assert_eq!(
            command.properties[1],
            ("file".to_owned(), "a.ndjson".to_owned())
        );
        assert!(command.message.contains("at /"), "{}", command.message);
    }
    assert!(
        commands[0].message.contains(r"%0A::error::x"),
        "{}",
        commands[0].message
    );
}

#[test]
fn hostile_text_in_markup_is_escaped() {
    for format in ["junit", "checkstyle"] {
        let text = run_hostile(format).stdout;
        assert!(!text.contains("]]>") && !text.contains("<script") && !text.contains("<img"));
        assert!(text.contains("]]&gt;"), "{format}");
    }
}

/// Every element of the format is on a line of its own.
#[test]
fn checkstyle_groups_findings_and_failures_by_file() {
    let desk = Desk::new()
        .with(
            "a.ndjson",
            "{\"method\":\"POST\",\"url\":\"/rest/api/v1/chat\",\"body\":{}}\n",
        )
        .with("b\t\"&\u{ffff}.har", "{\"log\":{\"entries\":[{\"request\":");
    let empty = desk
        .run(&["check", "a.ndjson", "--format", "checkstyle"])
        .stdout;
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- sundown 0.1.0 -->\n<checkstyle version=\"4.3\">\n";
    assert_eq!(empty, format!("{head}</checkstyle>\n"));
    let failed = desk.run(&["check", ".", "--format", "checkstyle"]).stdout;
    assert!(
        failed.contains("  <file name=\"b\\u{9}&quot;&amp;\\u{ffff}.har\">\n"),
        "{failed}"
    );
    assert!(
        failed.contains("severity=\"info\" message=\"not checked: "),
        "{failed}"
    );
    let findings = run("checkstyle");
    assert_eq!(
        findings.matches("<file ").count(),
        findings.matches("</file>").count()
    );
    assert_eq!(
        findings.matches("    <error line=").count(),
        4,
        "{findings}"
    );
}

#[test]
fn hostile_text_in_rdjsonl_is_code_in_comments() {
    let text = run_hostile("rdjsonl").stdout;
    for (line, pointer) in text.lines().zip(hostile_pointers()) {
        let diagnostic: Value = serde_json::from_str(line).unwrap();
        let message = diagnostic["message"].as_str().unwrap();
        let code = sundown_text_json::text::markdown::code(&pointer);
        assert!(
            message.ends_with(&format!("no replacement announced. At {code}.")),
            "{message}"
        );
    }
}

#[test]
fn hostile_text_in_sarif_is_neither_a_link_nor_a_placeholder() {
    let log: Value = serde_json::from_str(&run_hostile("sarif").stdout).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), hostile_keys().len());
    for result in results {
        let text = result["message"]["text"].as_str().unwrap();
        for bare in ["[x](", "{id}"] {
            assert!(!text.contains(bare), "{text}");
        }
        let pointer = result["properties"]["pointer"].as_str().unwrap().to_owned();
        assert!(hostile_pointers().contains(&pointer), "{pointer}");
    }
}

#[test]
fn hostile_text_in_json_is_unchanged() {
    let report: Value = serde_json::from_str(&run_hostile("json").stdout).unwrap();
    let found: Vec<&str> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["pointer"].as_str().unwrap())
        .collect();
    assert_eq!(found, hostile_pointers());
}

/// The ellipsis of a text that was cut: as it is, or as formats in ASCII escape it.
const ELLIPSES: [&str; 4] = ["…", "\\u2026", "0x2026", "&#x2026;"];

#[test]
fn a_key_of_a_megabyte_is_truncated() {
    let desk = below(&["k".repeat(1_000_000)]);
    for format in report_formats() {
        let ran = desk.run(&[
            "check",
            ".",
            "--rules",
            "x.toml",
            "--no-builtin-rules",
            "--format",
            format,
        ]);
        let length = embedded(&ran.stdout).len();
        assert!(length < 20_000, "{format}: {length} bytes");
        let is_marked = ELLIPSES
            .iter()
            .any(|ellipsis| ran.stdout.contains(ellipsis));
        assert!(is_marked, "{format}: without an ellipsis: {}", ran.stdout);
    }
}

/// A workflow command as the service's runner reads it.
struct Command {
    kind: String,
    properties: Vec<(String, String)>,
    message: String,
}

fn command(line: &str) -> Command {
    let (head, message) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
    let (kind, properties) = head.split_once(' ').unwrap_or((head, ""));
    let unescape = |text: &str| {
        text.replace("%3A", ":")
            .replace("%2C", ",")
            .replace("%0D", "\r")
            .replace("%0A", "\n")
            .replace("%25", "%")
    };
    let property = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap();
        (name.to_owned(), unescape(value))
    };
    let properties = properties
        .split(',')
        .filter(|pair| !pair.is_empty())
        .map(property)
        .collect();
    let message = message
        .replace("%0D", "\r")
        .replace("%0A", "\n")
        .replace("%25", "%");
    Command {
        kind: kind.to_owned(),
        properties,
        message,
    }
}

#[test]
fn each_sarif_result_points_at_its_rule_and_its_bytes() {
    let text = run("sarif");
    let log: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&log["version"], log["runs"].as_array().unwrap().len()),
        (&"2.1.0".into(), 1)
    );
    let run = &log["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let desk = desk();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 4);
    let mut seen = 0;
    for result in results {
        let rule = &run["tool"]["driver"]["rules"]
            [usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        let file =
            std::fs::read_to_string(desk.path(place["artifactLocation"]["uri"].as_str().unwrap()))
                .unwrap();
        let number = |name: &str| usize::try_from(place["region"][name].as_u64().unwrap()).unwrap();
        let (start, length) = (number("byteOffset"), number("byteLength"));
        // Lines and columns, both one-based and the end exclusive, select what the bytes select.
        assert_eq!(number("startLine"), number("endLine"));
        let line = file.lines().nth(number("startLine") - 1).unwrap();
        let selected: String = line
            .chars()
            .skip(number("startColumn") - 1)
            .take(number("endColumn") - number("startColumn"))
            .collect();
        assert_eq!(selected, file[start..start + length]);
        let prints = &result["partialFingerprints"];
        assert_eq!(
            prints["primaryLocationLineHash"],
            format!("{}:1", prints["sundown/v1"].as_str().unwrap())
        );
        seen += result["occurrenceCount"].as_u64().unwrap();
    }
    assert_eq!(seen, 5, "repeats are counted");
    for notification in run["invocations"][0]["toolExecutionNotifications"]
        .as_array()
        .unwrap()
    {
        let index = usize::try_from(notification["descriptor"]["index"].as_u64().unwrap()).unwrap();
        assert_eq!(
            run["tool"]["driver"]["notifications"][index]["id"],
            notification["descriptor"]["id"]
        );
    }
}

#[test]
fn files_with_findings_are_listed_once_and_failures_are_warnings() {
    let cut = "{\"method\": \"POST\", \"url\": \"/x\", \"body\": {\"old\"";
    let desk = below(&["a".to_owned(), "b".to_owned()])
        .with("b.ndjson", cut)
        .with("c.ndjson", r#"{"method":"POST","url":"/x","body":{}}"#);
    let ran = desk.run(&["check", ".", "-l", "--rules", "x.toml", "--fail-on", "note"]);
    assert_eq!((ran.stdout.as_str(), ran.code), ("a.ndjson\n", 1));
    let warning = "warning: b.ndjson: not checked: ends before it is complete";
    assert!(ran.stderr.starts_with(warning), "{}", ran.stderr);
    let refused = desk.run(&["check", ".", "-l", "--format", "json"]);
    assert_eq!(refused.code, 2, "{}", refused.stdout);
}

#[test]
fn a_concise_line_has_its_place_severity_rule_and_message() {
    let text = run("concise");
    assert_eq!(text.lines().count(), 4, "{text}");
    for line in text.lines() {
        let (place, rest) = line.split_once(": ").unwrap();
        let [column, number, file] = place.rsplitn(3, ':').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        assert!(desk().path(file).is_file(), "{line}");
        assert!(
            number.parse::<usize>().is_ok() && column.parse::<usize>().is_ok(),
            "{line}"
        );
        let (severity, rest) = rest.split_once('[').unwrap();
        assert!(["error", "warning"].contains(&severity), "{line}");
        assert!(
            rest.contains("]: ") && rest.contains("deprecated"),
            "{line}"
        );
    }
}

#[test]
fn columns_count_what_each_format_counts() {
    let line = r#"{"é😀":"é😀","method":"POST","url":"/x","body":{"old":1}}"#;
    let desk = Desk::new().with("x.toml", RULES).with("a.ndjson", line);
    let run = |format| {
        let ran = desk.run(&[
            "check",
            "a.ndjson",
            "--rules",
            "x.toml",
            "--no-builtin-rules",
            "--format",
            format,
        ]);
        ran.stdout
    };
    let (before, _) = line.split_once("\"old\"").unwrap();
    let points = before.chars().count() + 1;
    let bytes = before.len() + 1;
    let sarif: Value = serde_json::from_str(&run("sarif")).unwrap();
    let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(
        (&region["startColumn"], &region["endColumn"]),
        (&points.into(), &(points + 5).into())
    );
    assert_eq!(
        (&region["byteOffset"], &region["byteLength"]),
        (&(bytes - 1).into(), &5.into())
    );
    let diagnostic: Value = serde_json::from_str(run("rdjsonl").lines().next().unwrap()).unwrap();
    let range = &diagnostic["location"]["range"];
    assert_eq!(
        (&range["start"]["column"], &range["end"]["column"]),
        (&bytes.into(), &(bytes + 5).into())
    );
    assert!(run("github").contains(&format!(",col={points},endColumn={}::", points + 5)));
}

#[test]
fn findings_in_compressed_files_have_lines_but_no_byte_spans() {
    let line = r#"{"method":"POST","url":"/x","body":{"old":1}}"#;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, line.as_bytes()).unwrap();
    let desk = Desk::new()
        .with("x.toml", RULES)
        .with("a.ndjson.gz", gzip.finish().unwrap());
    let arguments = [
        "check",
        "a.ndjson.gz",
        "--rules",
        "x.toml",
        "--no-builtin-rules",
        "--format",
        "sarif",
    ];
    let sarif: Value = serde_json::from_str(&desk.run(&arguments).stdout).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    let region = &result["locations"][0]["physicalLocation"]["region"];
    let column = line.find("\"old\"").unwrap() + 1;
    assert_eq!(
        (&region["startLine"], &region["startColumn"]),
        (&1.into(), &column.into())
    );
    assert!(region.get("byteOffset").is_none(), "{region}");
    assert_eq!(result["properties"]["decompressed_from"], "gzip");
}

fn run_keys(count: usize, length: usize, format: &str) -> String {
    let keys: Vec<String> = (0..count)
        .map(|number| format!("{number:0length$}"))
        .collect();
    let ran = below(&keys).run(&[
        "check",
        "a.ndjson",
        "--rules",
        "x.toml",
        "--no-builtin-rules",
        "--format",
        format,
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.stdout
}

#[test]
fn github_gets_ten_annotations_of_a_type_and_the_rest_in_the_log() {
    let text = run_keys(MAX_ANNOTATIONS + 3, 1, "github");
    let commands: Vec<_> = text
        .lines()
        .filter(|line| line.starts_with("::"))
        .map(command)
        .collect();
    let of_kind = |kind: &str| {
        commands
            .iter()
            .filter(|command| command.kind == kind)
            .count()
    };
    assert_eq!(
        (of_kind("warning"), of_kind("notice")),
        (MAX_ANNOTATIONS, 1)
    );
    assert!(text.contains("Not annotated: 3 warnings."), "{text}");
    assert_eq!(
        text.lines()
            .filter(|line| line.starts_with("warning a.ndjson:"))
            .count(),
        3
    );
    assert!(!run_keys(MAX_ANNOTATIONS, 1, "github").contains("Not annotated"));
}

#[test]
fn sarif_stays_within_the_limits_of_the_service_and_says_so() {
    let text = run_keys(30_000, 1, "sarif");
    let log: Value = serde_json::from_str(&text).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap().len();
    assert!(
        text.len() < 10_000_000 && results <= MAX_RESULTS,
        "{} bytes, {results} results",
        text.len()
    );
    assert!(
        results > 5_000,
        "the service shows 5,000, and here are {results}"
    );
    let left_out = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!(left_out["descriptor"]["id"], "results-left-out");
    assert_eq!(left_out["properties"]["count"], 30_000 - results);
    assert_eq!(log["runs"][0]["properties"]["summary"]["warnings"], 30_000);
}

#[test]
fn the_worst_findings_are_kept_first() {
    let mut rules = "api = 'x'\n".to_owned();
    let mut traffic = String::new();
    for number in 0..30 {
        let removal = if number == 29 {
            "2026-11-01"
        } else {
            "2026-12-01"
        };
        let _ = writeln!(
            rules,
            "[[rule]]\nid = 'r{number:02}'\noperation = 'POST /x'\nfield = 'f{number}'\nremoval = {removal}"
        );
        let _ = writeln!(
            traffic,
            r#"{{"method":"POST","url":"/x","body":{{"f{number}":1}}}}"#
        );
    }
    let desk = Desk::new().with("x.toml", rules).with("a.ndjson", traffic);
    let run = |format| {
        let ran = desk.run(&[
            "check",
            "a.ndjson",
            "--rules",
            "x.toml",
            "--no-builtin-rules",
            "--format",
            format,
        ]);
        ran.stdout
    };
    assert!(run("github").lines().next().unwrap().contains("`f29`"));
    assert!(
        run("markdown")
            .lines()
            .find(|line| line.starts_with("| error"))
            .unwrap()
            .contains("`f29`")
    );
    let sarif: Value = serde_json::from_str(&run("sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "r29");
}

#[test]
fn a_step_summary_stays_within_its_limit_and_says_what_it_left_out() {
    let text = run_keys(20_000, 100, "markdown");
    assert!(text.len() < 1_000_000, "{} bytes", text.len());
    let rows = text
        .lines()
        .filter(|line| line.starts_with("| warning"))
        .count();
    assert!(rows > 1_000, "{rows}");
    assert!(text.contains(&format!(
        "{} more findings are left out here",
        20_000 - rows
    )));
}

#[test]
fn junit_fails_exactly_if_the_run_fails() {
    for (threshold, failures) in [("error", 2), ("warning", 4), ("never", 0)] {
        let ran = check(&["--format", "junit", "--fail-on", threshold]);
        assert_eq!(
            ran.stdout.matches("<failure ").count(),
            failures,
            "{threshold}"
        );
        assert!(ran.stdout.contains(&format!("failures=\"{failures}\"")));
        assert_eq!(ran.code, i32::from(failures > 0));
    }
}

/// Formats that consist of one line for each finding: without findings they are empty. All others have a frame or totals.
const EMPTY_WITHOUT_FINDINGS: [&str; 2] = ["concise", "rdjsonl"];

#[test]
fn every_format_is_valid_without_findings() {
    let desk = Desk::new().with(
        "a.ndjson",
        "{\"method\":\"POST\",\"url\":\"/rest/api/v1/chat\",\"body\":{}}\n",
    );
    for format in report_formats() {
        let ran = desk.run(&["check", "a.ndjson", "--format", format]);
        assert_eq!(ran.code, 0, "{format}");
        let is_lines = EMPTY_WITHOUT_FINDINGS.contains(&format);
        let help = "list it in EMPTY_WITHOUT_FINDINGS if it has only a line for each finding";
        assert_eq!(
            ran.stdout.is_empty(),
            is_lines,
            "{format}: {help}: {}",
            ran.stdout
        );
    }
    assert_eq!(
        desk.run(&["check", "a.ndjson", "--format", "gitlab"])
            .stdout,
        "[\n]\n"
    );
}

#[test]
fn every_format_includes_what_could_not_be_checked() {
    let desk = Desk::new().with("a.har", "{\"log\":{\"entries\":[{\"request\":");
    for format in report_formats() {
        let ran = desk.run(&["check", "a.har", "--format", format]);
        assert!(
            ran.stdout.contains("a.har") && ran.stdout.contains("record it again"),
            "{format}: {}",
            ran.stdout
        );
    }
}

#[test]
fn annotations_are_the_default_under_github_actions() {
    let desk = desk();
    let run = |value, more: &[&str]| {
        let arguments = [&CHECK[..], more].concat();
        desk.run_in(&[("GITHUB_ACTIONS", value)], &arguments, b"")
            .stdout
    };
    assert!(run("true", &[]).starts_with("::error title="));
    assert!(!run("false", &[]).contains("::error"));
    assert!(!run("true", &["--format", "human"]).contains("::error"));
}

#[test]
fn several_formats_in_one_run() {
    let desk = desk();
    // The terminal of a build gets one; `human` has other colours in a file.
    let files: Vec<_> = report_formats()
        .into_iter()
        .filter(|name| !["human", "github"].contains(name))
        .collect();
    let formats: Vec<String> = files
        .iter()
        .map(|name| format!("{name}=out.{name}"))
        .collect();
    let mut arguments = [&CHECK[..], &["--format", "github"]].concat();
    for format in &formats {
        arguments.extend(["--format", format]);
    }
    let ran = desk.run(&arguments);
    assert_eq!(ran.stdout, run("github"));
    for name in files {
        let written = std::fs::read_to_string(desk.path(&format!("out.{name}"))).unwrap();
        assert_eq!(settled(&written), run(name), "{name}");
    }
}
