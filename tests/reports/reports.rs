//! The reports of the program, for people and for machines.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Desk, Ran, report_formats, repository};

/// A small capture with one of everything: repeats, a container, an endpoint, an undated rule, base64, and things that
/// are not checked.
pub(crate) fn desk() -> Desk {
    let log = r#"{"time":"2026-11-19T08:12:44Z","method":"POST","url":"https://h/rest/api/v1/getanswer?trace=secret-1","response":{"body":"{\"answerResult\":{\"track\\u0069ngToken\":\"secret-2\",\"answer\":{\"trackingToken\":\"live\"}}}"}}
{"time":"2026-11-19T09:40:01Z","method":"POST","url":"/rest/api/v1/getanswer","response":{"body":{"answerResult":{"trackingToken":"secret-3"}}}}
{"time":"2026-11-19T09:40:02Z","method":"POST","url":"/api/index/v1/getdocumentcount","request":{"headers":{"authorization":"Bearer secret-4"}}}
{"method":"GET","url":"/rest/api/v1/governance/data/policies/secret-5","response":{"body":{"config":{"sensitiveInfoTypes":[{"likelihoodThreshold":"secret-6"}]}}}}
{"method":"POST","url":"/rest/api/v1/unknown","request":{"body":{"citations":1}}}
{"msg":"started"}
"#;
    let har = r#"{"log":{"entries":[{"startedDateTime":"2026-11-19T10:00:00.250+01:00","request":{"method":"POST","url":"https://h/v9/things"},"response":{"content":{"text":"eyJ0aGluZyI6InNlY3JldC03In0=","encoding":"base64"}}}]}}"#;
    let rules =
        "api = 'Things'\n[[rule]]\nid = 'thing'\noperation = 'POST /v9/things'\nfield = 'thing'\n";
    Desk::new()
        .with("app.ndjson", log)
        .with("things.har", har)
        .with("things.toml", rules)
        .with("package.json", "{}")
}

/// The check of a desk by its rules and the built-in tables.
pub(crate) const CHECK: [&str; 5] = [
    "check",
    ".",
    "--rules",
    "things.toml",
    "--no-builtin-rules=false",
];

pub(crate) fn check(more: &[&str]) -> Ran {
    desk().run(&[&CHECK, more].concat())
}

fn run(format: &str) -> Ran {
    check(&["--format", format])
}

#[test]
fn for_people() {
    let ran = run("human");
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert_snapshot!(ran.stdout);
}

#[test]
fn as_json() {
    let ran = run("json");
    assert_snapshot!(ran.stdout.replace(env!("CARGO_PKG_VERSION"), "[version]"));
}

#[test]
fn as_ndjson_the_same_findings_and_summary() {
    let lines: Vec<Value> = run("ndjson")
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let document: Value = serde_json::from_str(&run("json").stdout).unwrap();
    let of_type = |name: &str| -> Vec<Value> {
        let matching = lines.iter().filter(|line| line["type"] == name);
        matching
            .map(|line| {
                let mut line = line.clone();
                line.as_object_mut().unwrap().remove("type");
                line
            })
            .collect()
    };
    assert_eq!(Value::from(of_type("finding")), document["findings"]);
    assert_eq!(Value::from(of_type("skipped")), document["skipped"]);
    let summary = lines.last().unwrap();
    assert_eq!(summary["type"], "summary");
    for (name, count) in document["summary"].as_object().unwrap() {
        assert_eq!(&summary[name], count, "{name}");
    }
}

#[test]
fn no_value_of_an_input_is_ever_printed() {
    for format in report_formats() {
        for more in [&[][..], &["-v"], &["-q"]] {
            let ran = check(&[&["--format", format], more].concat());
            assert!(ran.stdout.contains("trackingToken"));
            assert!(
                !(ran.stdout + &ran.stderr).contains("secret"),
                "{format} {more:?}"
            );
        }
    }
}

#[test]
fn a_finding_in_two_megabytes_on_one_line_prints_under_a_kilobyte() {
    let filler = r#""filler-filler-filler-filler","#.repeat(70_000);
    let body = format!("{{\"list\":[{filler}0],\"citations\":[]}}");
    assert!(body.len() > 2_000_000);
    let column = body.find("\"citations\"").unwrap() + 1;
    let ran = Desk::new()
        .with("chat.request.json", body)
        .run(&["check", "chat.request.json"]);
    assert!(ran.stdout.len() < 1_024, "{} bytes", ran.stdout.len());
    assert!(
        ran.stdout
            .contains(&format!("chat.request.json:1:{column} in the request")),
        "{}",
        ran.stdout
    );
}

#[test]
fn every_occurrence_is_reported_without_folding() {
    let arguments = ["check", "app.ndjson", "--format", "ndjson", "--no-fold"];
    let unfolded = desk().run(&arguments).stdout;
    let folded = desk().run(&arguments[..4]).stdout;
    let findings = |text: &str| {
        text.lines()
            .filter(|line| line.contains(r#""type":"finding""#))
            .count()
    };
    assert_eq!((findings(&folded), findings(&unfolded)), (3, 4));
    assert_eq!(
        desk().run(&["check", ".", "--no-fold"]).code,
        2,
        "only ndjson can hold every use"
    );
}

#[test]
fn folding_keeps_the_elements_inside_a_repeat() {
    let url = "/rest/api/v1/governance/data/policies";
    let line = |inside: &str| {
        format!(
            "{{\"method\":\"POST\",\"url\":\"{url}\",\"body\":{{\"config\":{{\"sensitiveInfoTypes\":[{inside}]}}}}}}\n"
        )
    };
    let traffic =
        line("") + &line("{\"likelihoodThreshold\":1}") + &line("{\"likelihoodThreshold\":2}");
    let ran = Desk::new()
        .with("a.ndjson", traffic)
        .run(&["check", "a.ndjson", "--format", "json"]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["findings"].as_array().unwrap().len(), 1);
    assert_eq!(report["findings"][0]["seen"], 3);
    assert_eq!(
        report["findings"][0]["related"].as_array().unwrap().len(),
        1,
        "{report:#}"
    );
    assert_eq!(report["findings"][0]["related"][0]["line"], 2);
}

#[test]
fn a_fingerprint_does_not_depend_on_how_the_path_was_typed() {
    let desk = Desk::new().with(
        "d/a.ndjson",
        r#"{"method":"POST","url":"/rest/api/v1/listanswers"}"#,
    );
    let absolute = desk.path("d/a.ndjson").display().to_string();
    let fingerprint = |path: &str| -> Value {
        let ran = desk.run(&["check", path, "--format", "json"]);
        serde_json::from_str::<Value>(&ran.stdout).unwrap()["findings"][0]["fingerprint"].clone()
    };
    assert_eq!(fingerprint("d/a.ndjson"), fingerprint("./d/../d/a.ndjson"));
    assert_eq!(fingerprint("d/a.ndjson"), fingerprint(&absolute));
    assert!(fingerprint("d").is_string());
}

#[test]
fn names_from_inputs_cannot_control_a_terminal() {
    let rules = "api = 'x'\n[[rule]]\nid = 'x'\noperation = 'POST /x'\nfield = 'old'\n";
    let traffic = r#"{"method":"POST","url":"/x","body":{"\u001b[2J\u202e\n::error::":{"old":1}}}"#;
    let desk = Desk::new().with("x.toml", rules).with("a.ndjson", traffic);
    let ran = desk.run(&["check", "a.ndjson", "--rules", "x.toml", "--color", "never"]);
    assert!(
        ran.stdout.contains("\\u{1b}[2J\\u{202e}\\u{a}::error::"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains(['\u{1b}', '\u{202e}']));
    assert!(
        !ran.stdout
            .lines()
            .any(|line| line.trim_start().starts_with("::"))
    );
}

#[test]
fn a_long_report_shows_one_finding_of_each_element_in_full() {
    let rules = "api = 'Shop'\n[[rule]]\nid = 'a'\noperation = 'POST /b'\nfield = 'x'\n[[rule]]\nid = 'b'\noperation = 'POST /b'\nfield = 'y'\n";
    let body = |from: usize, to: usize| {
        let members = (from..to).map(|number| format!(r#""k{number}":{{"x":1}}"#));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    };
    let record = |body: &str| {
        format!(
            r#"{{"method":"POST","url":"/b","request":{{"body":{body}}},"response":{{"body":{{"y":1}}}}}}"#
        )
    };
    let desk = Desk::new()
        .with("rules.toml", rules)
        .with("short.ndjson", record(&body(0, 19)))
        .with("long.ndjson", record(&body(0, 20)));
    let run = |file: &str, more: &[&str]| {
        let arguments = ["check", file, "--rules", "rules.toml", "--color", "never"];
        desk.run(&[&arguments, more].concat()).stdout
    };
    let shown = |text: &str| text.matches("│ … ").count();
    assert_eq!(shown(&run("short.ndjson", &[])), 20);
    let long = run("long.ndjson", &[]);
    assert_eq!(shown(&long), 2);
    assert_eq!(shown(&run("long.ndjson", &["--all"])), 21);
    assert_snapshot!(long);
}

#[test]
fn thirteen_findings_fit_on_two_screens() {
    let capture = std::fs::read(repository("testdata/captures/mitmproxy.har")).unwrap();
    let desk = Desk::new().with("a.har", capture);
    let rules = [
        "bulkindexemployees-endpoint",
        "createannouncement-snippet",
        "getanswer-tracking-token",
        "getcollection-tracking-token",
        "getdocumentcount-endpoint",
        "getdocumentstatus-endpoint",
        "getusercount-endpoint",
    ];
    let mut arguments = vec!["check", "a.har", "--as-of", "2026-11-20"];
    arguments.extend(rules.iter().flat_map(|rule| ["--rule", rule]));
    let report = desk.run(&arguments).stdout;
    assert_eq!(report.matches("┌─").count(), 13, "{report}");
    // Of 45 lines with 100 columns each.
    let rows = report
        .lines()
        .map(|line| line.chars().count().div_ceil(100).max(1));
    assert!(rows.sum::<usize>() <= 2 * 45, "{report}");
    // Each element has one title.
    assert_eq!(report.matches("is deprecated: ").count(), rules.len());
}

#[test]
fn the_summary_of_a_long_report_has_one_line_for_each_element() {
    let desk = Desk::new().with(
        "a.har",
        std::fs::read(repository("testdata/captures/mitmproxy.har")).unwrap(),
    );
    let summary = |more: &[&str]| {
        let run = desk
            .run(&[&["check", "a.har", "--as-of", "2026-11-24"], more].concat())
            .stdout;
        let (_, summary) = run.split_once("Summary as of 2026-11-24:\n").unwrap();
        summary.split("\n\n").next().unwrap().to_owned()
    };
    let (short, full) = (summary(&[]), summary(&["--all"]));
    let uses = |lines: &str| -> usize {
        let count = |line: &str| {
            line.split('×')
                .next()?
                .rsplit(' ')
                .next()?
                .parse::<usize>()
                .ok()
        };
        lines.lines().map(|line| count(line).unwrap()).sum()
    };
    assert_eq!(uses(&short), uses(&full));
    assert!(full.lines().count() > 2 * short.lines().count(), "{full}");
    assert_snapshot!(short);
}

#[test]
fn the_description_of_a_rule_about_a_value_names_the_value_and_its_field() {
    let rule = |id: &str, test: &str| {
        format!(
            "[[rule]]\nid = '{id}'\noperation = 'POST /v1/carts'\n{test}\nremoval = 2026-01-01\n"
        )
    };
    let rules = [
        rule("foil", "field = 'wrap'\nvalue = 'foil'"),
        rule("old", "header = 'X-Api'\nbefore = '2025-01-01'"),
        rule("total", "field = 'total'"),
    ];
    let desk = Desk::new()
        .with("rules.toml", format!("api = 'Shop'\n{}", rules.concat()))
        .with(
            "calls.ndjson",
            r#"{"method":"POST","url":"/v1/carts","request":{"headers":{"X-Api":"2024-01-01"},"body":{"wrap":"foil","total":1}}}"#,
        );
    let ran = desk.run(&[
        "check",
        "--no-builtin-rules",
        "--rules",
        "rules.toml",
        "--format",
        "sarif",
        "calls.ndjson",
    ]);
    for description in [
        "\"The value `foil` of the field `wrap` of POST /v1/carts is deprecated.\"",
        "\"The value `2024-01-01` of the header `X-Api` of POST /v1/carts is deprecated.\"",
        "\"The field `total` of POST /v1/carts is deprecated.\"",
    ] {
        assert!(ran.stdout.contains(description), "{}", ran.stdout);
    }
}

#[test]
fn an_element_has_its_kind_its_name_and_the_values_of_the_rule() {
    let rule = |id: &str, more: &str| format!("[[rule]]\nid = '{id}'\n{more}\n");
    let rules = [
        "api = 'x'\n".to_owned(),
        rule("a", "operation = 'GET /gone'"),
        rule("b", "operation = 'POST /x/{name}'\nparameter = 'old'"),
        rule("c", "operation = 'POST /x/{name}'\nheader = 'X-Old'"),
        rule("d", "operation = 'POST /x/{name}'\nfield = 'old'"),
        rule(
            "e",
            "operation = 'POST /x/{name}'\nfield = 'mode'\nvalue = 'slow'",
        ),
        rule(
            "f",
            "operation = 'POST /x/{name}'\nsegment = 'name'\nvalue = 'last'",
        ),
    ];
    let traffic = "{\"method\":\"GET\",\"url\":\"/gone\"}\n{\"method\":\"POST\",\"url\":\"/x/last?old=1\",\
        \"headers\":{\"x-old\":\"1\"},\"body\":{\"old\":1,\"mode\":\"slow\"}}";
    let desk = Desk::new()
        .with("x.toml", rules.concat())
        .with("a.ndjson", traffic);
    let ran = desk.run(&[
        "check",
        "a.ndjson",
        "--rules",
        "x.toml",
        "--no-builtin-rules",
        "--format",
        "json",
    ]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let mut elements: Vec<_> = findings
        .iter()
        .map(|finding| (finding["rule"].as_str().unwrap(), &finding["element"]))
        .collect();
    elements.sort_by_key(|(rule, _)| *rule);
    let expected = [
        ("a", json!({"kind": "operation"})),
        ("b", json!({"kind": "parameter", "name": "old"})),
        ("c", json!({"kind": "header", "name": "X-Old"})),
        ("d", json!({"kind": "field", "name": "old"})),
        (
            "e",
            json!({"kind": "value", "name": "mode", "value": "slow"}),
        ),
        (
            "f",
            json!({"kind": "segment", "name": "name", "value": "last"}),
        ),
    ];
    let expected: Vec<_> = expected.iter().map(|(rule, own)| (*rule, own)).collect();
    assert_eq!(elements, expected, "{}", ran.stderr);
}
