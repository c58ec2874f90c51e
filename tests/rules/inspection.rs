//! Checks of API descriptions: each check alone, then all on a generated description.

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::{Desk, repository, text};

/// A description whose `POST /v1/things` has one member.
const THINGS: &str = "openapi: 3.1.0\npaths: {/v1/things: {post: {requestBody: {content: {application/json: {schema: {properties: {old: {}}}}}}}}}\n";

#[test]
fn each_marked_value_is_reported_where_it_is_listed() {
    let description = r"openapi: 3.1.0
info: {title: x, version: '1'}
components:
  schemas:
    Kind:
      enum:
        - old
        - older
        - new
      x-glean-deprecated:
        - {enum-value: old, removal: 2027-01-15}
        - {enum-value: older, removal: 2026-12-31}
        - {enum-value: gone, removal: 2027-02-28}
        - {enum-value: lost, removal: 2027-03-31}
";
    let desk = Desk::new().with("api.yaml", description);
    let ran = desk.run(&[
        "check",
        "api.yaml",
        "--format",
        "ndjson",
        "--as-of",
        "2026-11-20",
    ]);
    let reported = ran.stdout.lines().filter_map(|line| {
        let finding: Value = serde_json::from_str(line).unwrap();
        let place = || {
            format!(
                "{}:{}",
                finding["line"],
                finding["pointer"].as_str().unwrap()
            )
        };
        let message = finding["message"].as_str()?.split(',').next()?.to_owned();
        Some(format!(
            "{} {message} until {}",
            place(),
            finding["removal"].as_str()?
        ))
    });
    assert_snapshot!(reported.collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_marked_value_is_recognised_at_any_position_of_its_list() {
    let description = |values: &str, marked: &str| {
        format!(
            "openapi: 3.1.0\ninfo: {{title: x, version: '1'}}\ncomponents: {{schemas: {{Kind: {{enum: [{values}], x-glean-deprecated: [{marked}]}}}}}}\n"
        )
    };
    let mark = |value: &str| format!("{{enum-value: {value}, removal: 2027-01-15}}");
    let before = description("old, new", &[mark("old"), mark("lost")].join(", "));
    let desk = Desk::new().with("api.yaml", before);
    let ran = desk.run(&[
        "baseline",
        "api.yaml",
        "--baseline",
        "b.json",
        "--as-of",
        "2026-11-20",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let more = [mark("oldest"), mark("old"), mark("lost"), mark("gone")].join(", ");
    let desk = desk.with("api.yaml", description("oldest, old, new", &more));
    let ran = desk.run(&[
        "check",
        "api.yaml",
        "--baseline",
        "b.json",
        "--format",
        "ndjson",
        "--as-of",
        "2026-11-20",
    ]);
    for (value, is_known) in [
        ("oldest", false),
        ("old", true),
        ("lost", true),
        ("gone", false),
    ] {
        let about = format!("the value `{value}` of");
        let line = ran
            .stdout
            .lines()
            .find(|line| line.contains(&about))
            .unwrap();
        let is_suppressed = line.starts_with(r#"{"type":"suppressed""#);
        assert_eq!(is_suppressed, is_known, "{value}: {}", ran.stdout);
    }
}

fn fixture() -> Desk {
    Desk::new()
        .with("api.yaml", text("testdata/descriptions/api.yaml"))
        .with("shared.yaml", text("testdata/descriptions/shared.yaml"))
}

#[test]
fn for_people() {
    let ran = fixture().run(&["check", "api.yaml"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert_snapshot!(ran.stdout);
}

#[test]
fn as_json() {
    let ran = fixture().run(&[
        "check", "api.yaml", "--role", "consumer", "--format", "json",
    ]);
    assert_snapshot!(ran.stdout.replace(env!("CARGO_PKG_VERSION"), "[version]"));
}

#[test]
fn ndjson_streams_the_same_findings() {
    let findings = |arguments: &[&str]| {
        let ran =
            fixture().run(&[&["check", "api.yaml", "--format", "ndjson"], arguments].concat());
        let lines: Vec<Value> = ran
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let findings = lines.iter().filter(|line| line["type"] == "finding");
        findings.map(ToString::to_string).collect::<Vec<_>>()
    };
    assert!(findings(&[]).len() > 10);
    assert_eq!(
        findings(&[]),
        findings(&["--no-fold"]),
        "each is reported once"
    );
}

#[test]
fn no_value_of_a_description_is_ever_printed() {
    for format in ["human", "json", "ndjson"] {
        let ran = fixture().run(&["check", "api.yaml", "-v", "--format", format]);
        assert!(ran.stdout.contains("trackingToken"));
        assert!(!(ran.stdout + &ran.stderr).contains("secret"), "{format}");
    }
}

#[test]
fn a_description_is_read_in_yaml_and_json_under_any_file_name() {
    let yaml = format!("# A comment\n---\n{THINGS}");
    let late = format!(
        "{}openapi: '3.1.0'\n",
        THINGS.replace("openapi: 3.1.0\n", "")
    );
    let json = r#"{"paths": {"/v1/things": {"post": {"requestBody": {"content": {"application/json": {"schema": {"properties": {"old": {}}}}}}}}}, "openapi": "3.1.0"}"#;
    let rules = "api = 'Things'\n[[rule]]\nid = 'old'\noperation = 'POST /v1/things'\nfield = 'old'\nat = ['$.old']\nremoval = 2026-12-31\n";
    let desk = Desk::new()
        .with("rules.toml", rules)
        .with("d/first", &yaml)
        .with("d/late.yml", &late)
        .with("d/late", &late)
        .with("d/api.json", json)
        .with("d/values.yaml", "openapi: 3.1.0\nreplicas: 2\n")
        .with("d/notes.txt", "info: x\nopenapi: 3\n");
    let ran = desk.run(&[
        "check",
        "d",
        "d/late",
        "--rules",
        "rules.toml",
        "--no-builtin-rules",
        "--format",
        "json",
    ]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let mut files: Vec<&str> = findings
        .iter()
        .filter(|f| f["check"] == "exposed")
        .map(|f| f["file"].as_str().unwrap())
        .collect();
    files.dedup();
    assert_eq!(files, ["d/api.json", "d/first", "d/late", "d/late.yml"]);
    let skipped: Vec<_> = report["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["file"].as_str().unwrap())
        .collect();
    assert_eq!(skipped, ["d/notes.txt", "d/values.yaml"]);
}

#[test]
fn what_cannot_be_read_is_reported_with_location_and_remedy() {
    let desk = Desk::new()
        .with("broken.yaml", "openapi: 3.1.0\npaths:\n  /x: [\n")
        .with("cut.json", "{\"openapi\": \"3.1.0\",\n \"paths\": {")
        .with("new.yaml", "openapi: 4.0.0\npaths: {}\n")
        .with("refs.yaml", "openapi: 3.1.0\npaths:\n  /a: {$ref: 'missing.yaml#/a'}\n  /b: {$ref: 'https://example.com/b.yaml'}\n  /c: {$ref: 'folder'}\n  /d: {$ref: '#/nowhere'}\n  /e: {get: {x-sunset: soon}}\n")
        .with("folder/x", "");
    let ran = desk.run(&[
        "check",
        "broken.yaml",
        "cut.json",
        "new.yaml",
        "refs.yaml",
        "-v",
    ]);
    assert_snapshot!(ran.stdout);
    assert_eq!(ran.code, 2);
    assert_eq!(desk.run(&["check", "refs.yaml"]).code, 0);
    assert_eq!(desk.run(&["check", "refs.yaml", "--strict"]).code, 2);
}

#[test]
fn a_description_without_anything_deprecated_is_silent() {
    let ran =
        Desk::new()
            .with("api.yaml", THINGS)
            .run(&["check", "api.yaml", "-q", "--fail-on", "note"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
        (0, "", "")
    );
}

#[test]
fn the_documented_example_is_up_to_date() {
    let page = text("docs/descriptions.md");
    let (_, block) = page.split_once("```sh\nsundown ").unwrap();
    let command = block.lines().next().unwrap();
    let ran = assert_cmd::Command::new(env!("CARGO_BIN_EXE_sundown"))
        .env_clear()
        .current_dir(repository(""))
        .args(command.split(' '))
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(1));
    let output = String::from_utf8(ran.stdout).unwrap();
    let checks = text("docs/reference/checks.md");
    let ids = checks.lines().filter_map(|line| line.strip_prefix("## "));
    let of_traffic = ["announced-in-traffic", "requirement"];
    let of_descriptions: Vec<_> = ids.filter(|id| !of_traffic.contains(id)).collect();
    assert!(of_descriptions.len() > 10, "{of_descriptions:?}");
    for id in of_descriptions {
        assert!(
            page.contains(&format!("| `{id}` |")),
            "{id} is not explained"
        );
        assert!(
            output.contains(&format!("[{id}")),
            "the example shows no {id}"
        );
    }
}

/// A description with three required fields that are deprecated: with days left, past the last day, and with a year left.
const OWN: &str = "openapi: 3.0.3\ninfo: {title: Own, version: '1'}\npaths:\n  /orders:\n    post:\n      requestBody:\n        content:\n          application/json:\n            schema:\n              type: object\n              required: [ended]\n              properties:\n                soon: {type: string, deprecated: true, x-sunset: 2026-12-01}\n                ended: {type: string, deprecated: true, x-sunset: 2026-01-01}\n      responses: {}\n";

#[test]
fn a_description_is_checked_by_its_own_marks_if_its_owner_has_no_other_rules() {
    let desk = Desk::new().with("own.yaml", OWN);
    let run = |arguments: &[&str]| {
        let ran = desk.run(&[&["check", "own.yaml", "--format", "json"], arguments].concat());
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let text =
            |finding: &serde_json::Value, key: &str| finding[key].as_str().unwrap().to_owned();
        let findings = report["findings"].as_array().unwrap().iter();
        let findings: Vec<_> = findings
            .map(|one| {
                [
                    text(one, "severity"),
                    text(one, "check"),
                    text(one, "field"),
                ]
                .join(" ")
            })
            .collect();
        (findings, ran.code)
    };
    let owner = [
        "warning still-required ended",
        "warning exposed soon",
        "error exposed ended",
    ];
    let owner = (owner.map(str::to_owned).to_vec(), 1);
    assert_eq!(run(&["--role", "owner"]), owner);
    assert_eq!(run(&["--role", "owner", "--rules", "own.yaml"]), owner);
    // Without the role, an element with few days left is graded as in traffic.
    let (either, _) = run(&["--rules", "own.yaml"]);
    assert_eq!(either[1], "error exposed soon");
    let early = run(&["--role", "owner", "--as-of", "2025-12-31"]);
    assert_eq!(
        early.1, 0,
        "the owner must declare what works: {:?}",
        early.0
    );
}

#[test]
fn what_is_past_its_last_day_is_to_be_taken_out() {
    let unmarked = OWN.replace(
        "ended: {type: string, deprecated: true, x-sunset: 2026-01-01}",
        "ended: {}",
    );
    let desk = Desk::new()
        .with("api.yaml", unmarked)
        .with("rules.yaml", OWN);
    let ran = desk.run(&["check", "api.yaml", "--rules", "rules.yaml"]);
    for check in ["unmarked", "still-required", "exposed"] {
        let title = format!("[{check}/orders-post-request-body-ended]");
        let mut findings = ran.stdout.split("\n\n");
        let finding = findings.find(|finding| finding.contains(&title));
        assert!(
            finding.is_some_and(|finding| finding.contains("take it out")),
            "{check}: {}",
            ran.stdout
        );
    }
}

#[test]
fn what_a_description_drops_before_its_last_day_is_reported() {
    let version = |line: &str, checkout: &str| {
        format!(
            "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /lines: {{post: {{requestBody: {{content: {{application/json: {{schema: {{type: object, properties: {{sku: {{}}{line}}}}}}}}}}}, responses: {{}}}}}}\n{checkout}"
        )
    };
    let field = ", qty: {deprecated: true, x-sunset: 2027-12-15}";
    let operation =
        "  /checkout: {post: {deprecated: true, x-sunset: 2027-12-15, responses: {}}}\n";
    let desk = Desk::new()
        .with("v1.yaml", version(field, operation))
        .with("without-field.yaml", version("", operation))
        .with("without-operation.yaml", version(field, ""));
    for (file, count) in [
        ("v1.yaml", 0),
        ("without-field.yaml", 1),
        ("without-operation.yaml", 1),
    ] {
        let ran = desk.run(&[
            "check",
            file,
            "--rules",
            "v1.yaml",
            "--no-builtin-rules",
            "--as-of",
            "2026-11-20",
            "--format",
            "ndjson",
        ]);
        assert_eq!(
            ran.stdout.matches("removed-early").count() > 0,
            count > 0,
            "{}",
            ran.stdout
        );
    }
}
