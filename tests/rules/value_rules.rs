//! Rules about many values, path segments, versions and conditions: uses, look-alikes, ids, and all kinds of files.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::Desk;

const VERSIONS: &str = include_str!("../../testdata/schemas/versions.toml");

/// The findings of a check on a day, as JSON.
fn findings_on(desk: &Desk, day: &str) -> Vec<Value> {
    let arguments = [
        "check",
        "log.ndjson",
        "--rules",
        "shop.toml",
        "--no-builtin-rules",
    ];
    let ran = desk.run(&[&arguments[..], &["--format", "json", "--as-of", day]].concat());
    let report: Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    report["findings"].as_array().unwrap().clone()
}

#[test]
fn an_old_table_finds_versions_that_it_does_not_know_when_they_end() {
    let versions = ["2026-07", "2026-10", "2027-01"];
    let call = |version| format!("{{\"method\":\"GET\",\"url\":\"/admin/{version}/x\"}}\n");
    let desk = Desk::new()
        .with("shop.toml", format!("api = 'Shop'\n{VERSIONS}"))
        .with("log.ndjson", versions.map(call).concat());
    let on = |day: &str| {
        let one = |finding: &Value| {
            let [rule, removal, use_instead] = ["rule", "removal", "replacement"]
                .map(|key| finding[key].as_str().unwrap_or("-").to_owned());
            format!("{rule} {removal} {use_instead}")
        };
        findings_on(&desk, day).iter().map(one).collect::<Vec<_>>()
    };
    let old = "path-version-2026-07 2027-06-30 2026-10";
    // The last day of 2026-10 is 2027-09-30, 90 days after 2027-07-02.
    assert_eq!(on("2027-07-01"), [old]);
    assert_eq!(on("2027-07-02"), [old, "path-version-2026-10 2027-09-30 -"]);
    assert_eq!(
        on("2029-01-01"),
        [
            old,
            "path-version-2026-10 2027-09-30 -",
            "path-version-2027-01 2027-12-31 -"
        ]
    );
}

#[test]
fn the_id_of_a_version_is_an_id_everywhere() {
    let log = ["2024-01", "2024-01", "2024-04"]
        .map(|version| format!("{{\"method\":\"GET\",\"url\":\"/admin/{version}/x\"}}\n"));
    let desk = Desk::new()
        .with("shop.toml", format!("api = 'Shop'\n{VERSIONS}"))
        .with("log.ndjson", log.concat())
        .with(
            "sundown.toml",
            "rules = [\"shop.toml\"]\n[severity]\npath-version-2024-04 = \"off\"\nheader-version-v3-0 = \"note\"\n[[allow]]\nrule = \"path-version-2024-01\"\nreason = \"r\"\nuntil = 2024-05-01\n",
        );
    let found = findings_on(&desk, "2024-06-01");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["rule"], json!("path-version-2024-01"));
    let check = |day| {
        desk.run(&[
            "check",
            "log.ndjson",
            "--fail-on",
            "warning",
            "--as-of",
            day,
        ])
    };
    let (allowed, expired) = (check("2024-04-20"), check("2024-06-01"));
    assert_eq!(
        [allowed.code, expired.code],
        [0, 1],
        "{} {}",
        allowed.stdout,
        expired.stdout
    );
    assert!(!expired.stderr.contains("no rule"), "{}", expired.stderr);
    let own = [
        "--rules",
        "shop.toml",
        "--no-builtin-rules",
        "--as-of",
        "2024-06-01",
    ];
    let run = |arguments: &[&str]| desk.run(&[arguments, &own].concat());
    let explained = run(&["explain", "path-version-2024-01"]);
    assert_eq!(explained.code, 0, "{}", explained.stderr);
    for fact in [
        "path-version-2024-01",
        "2024-12-31",
        "`2024-01`",
        "* /admin/{version}/**",
    ] {
        assert!(
            explained.stdout.contains(fact),
            "{fact}: {}",
            explained.stdout
        );
    }
    for unknown in [
        "path-version-foo",
        "path-version-2024-13",
        "path-version-",
        "header-version-3-0",
    ] {
        assert_eq!(run(&["explain", unknown]).code, 2, "{unknown}");
        let ran = run(&["usage", "log.ndjson", "--rule", unknown]);
        assert_eq!(ran.code, 2, "{unknown}: {}", ran.stdout);
        let desk = Desk::new()
            .with("shop.toml", format!("api = 'Shop'\n{VERSIONS}"))
            .with("log.ndjson", log.concat())
            .with(
                "sundown.toml",
                format!("rules = [\"shop.toml\"]\n[severity]\n\"{unknown}\" = \"off\"\n"),
            );
        let ran = desk.run(&["check", "log.ndjson"]);
        assert_eq!(ran.code, 2, "{unknown}: {}", ran.stdout);
        assert!(ran.stderr.contains(unknown), "{unknown}: {}", ran.stderr);
    }
    let uses = |rule: &str| {
        let ran = run(&["usage", "log.ndjson", "--format", "json", "--rule", rule]);
        let usage: Value =
            serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
        let elements = usage["elements"].as_array().unwrap().clone();
        let one =
            |element: &Value| format!("{} {}", element["rule"].as_str().unwrap(), element["uses"]);
        elements.iter().map(one).collect::<Vec<_>>()
    };
    assert_eq!(uses("path-version-2024-01"), ["path-version-2024-01 2"]);
    assert_eq!(uses("path-version-2023-01"), ["path-version-2023-01 0"]);
    let listed = run(&["rules", "list", "--removal-before", "2025-01-01"]);
    assert!(
        listed
            .stdout
            .contains("path-version  a date for each version"),
        "{}",
        listed.stdout
    );
    assert!(
        !listed.stdout.contains("header-version"),
        "{}",
        listed.stdout
    );
}

#[test]
fn findings_about_versions_name_the_version_its_last_day_and_the_newest() {
    let desk = Desk::new().with("shop.toml", format!("api = 'Shop'\n{VERSIONS}")).with(
        "log.ndjson",
        "{\"method\":\"GET\",\"url\":\"/admin/2024-01/canary1?api-version=2023-01-01-preview\"}\n{\"method\":\"GET\",\"url\":\"/admin/2026-01/canary2\",\"request\":{\"headers\":{\"api-version\":\"v3.0\",\"x\":\"canary3\"}}}\n{\"method\":\"GET\",\"url\":\"/admin/2024-01/x\"}\n",
    );
    let arguments = [
        "check",
        "--rules",
        "shop.toml",
        "--no-builtin-rules",
        "--as-of",
        "2026-12-01",
        "log.ndjson",
    ];
    let ran = desk.run(&arguments);
    let usage = desk.run(&[
        "usage",
        "--rules",
        "shop.toml",
        "--no-builtin-rules",
        "--as-of",
        "2026-12-01",
        "log.ndjson",
    ]);
    let all = [ran.stdout, ran.stderr, usage.stdout, usage.stderr].join("\n---\n");
    assert!(!all.contains("canary"), "{all}");
    assert_snapshot!(all);
}
