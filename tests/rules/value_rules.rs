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

/// Rules of which each is about one value, and calls that use another letter case, one with each rule.
const CASES: &str = r#"
api = "Shop"
[[rule]]
id = "wrapping"
operation = "POST /carts/{cart}/items"
field = "giftWrap"
value = "Foil"
replacement = "FOIL"
[[rule]]
id = "model"
operation = "POST /carts/{cart}/items"
field = "model"
starts_with = "Shop-1"
[[rule]]
id = "sort"
operation = "GET /carts/{cart}"
parameter = "sort"
value = "Price"
[[rule]]
id = "accept"
operation = "GET /carts/{cart}"
header = "Accept"
value = "application/vnd.Shop"
[[rule]]
id = "kind"
operation = "GET /kinds/{kind}"
segment = "kind"
value = "Big"
"#;

#[test]
fn a_value_in_other_letter_case_is_named_and_is_no_finding() {
    let post =
        |body: Value| json!({"method": "POST", "url": "/carts/1/items", "request": {"body": body}});
    let get = |url: &str| json!({"method": "GET", "url": url});
    let accept = json!({"method": "GET", "url": "/carts/1", "request": {"headers": {"Accept": "text/html, APPLICATION/VND.SHOP"}}});
    for (call, rule) in [
        (post(json!({"giftWrap": "foil"})), Some("wrapping")),
        (
            post(json!({"a": {"giftWrap": ["paper", "fOIL"]}})),
            Some("wrapping"),
        ),
        (post(json!("{\"giftWrap\": \"foil\"}")), Some("wrapping")),
        (
            post(json!([{"op": "add", "path": "/giftWrap", "value": "foil"}])),
            None,
        ),
        (post(json!({"giftWrap": "FOIL"})), None),
        (post(json!({"giftWrap": "foils"})), None),
        (post(json!({"model": "SHOP-1-mini"})), Some("model")),
        (post(json!({"model": "shop-2"})), None),
        (get("/carts/1?sort=price"), Some("sort")),
        (get("/carts/1?sort=prices"), None),
        (accept, Some("accept")),
        (get("/kinds/BIG"), Some("kind")),
        (get("/kinds/bigger"), None),
    ] {
        let desk = Desk::new()
            .with("shop.toml", CASES)
            .with("log.ndjson", call.to_string());
        for more in [&[][..], &["--strict"]] {
            let arguments = [
                "check",
                "log.ndjson",
                "--rules",
                "shop.toml",
                "--format",
                "json",
            ];
            let ran = desk.run(&[&arguments[..], more].concat());
            assert_eq!(ran.code, 0, "{call} {}", ran.stdout);
            let report: Value = serde_json::from_str(&ran.stdout).unwrap();
            assert_eq!(report["findings"], json!([]));
            let named: Vec<_> = report["skipped"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|skip| skip["reason"] == "letter-case")
                .map(|skip| skip["detail"].as_str().unwrap().to_owned())
                .collect();
            let expected: Vec<_> = rule.iter().map(|rule| format!("rule `{rule}`")).collect();
            assert_eq!(named, expected, "{call} {more:?}");
        }
    }
}

#[test]
fn operations_of_own_rules_that_no_call_reached_are_named() {
    let calls = ["/carts/1?sort=Name", "/kinds/Small"]
        .map(|url| format!("{{\"method\":\"GET\",\"url\":\"{url}\"}}\n"));
    let body = "{\"giftWrap\": \"Paper\"}";
    let desk = Desk::new()
        .with("shop.toml", CASES)
        .with("one.ndjson", &calls[0])
        .with("two.ndjson", &calls[1])
        .with("body.json", body);
    let never_called = |arguments: &[&str]| {
        let fixed = [
            "--rules",
            "shop.toml",
            "--pack",
            "kubernetes",
            "--format",
            "json",
        ];
        let ran = desk.run(&[arguments, &fixed].concat());
        let report: Value =
            serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
        report["summary"]["never_called"].clone()
    };
    let items = json!({"operation": "POST /carts/{cart}/items", "rules": ["model", "wrapping"]});
    let kinds = json!({"operation": "GET /kinds/{kind}", "rules": ["kind"]});
    assert_eq!(
        never_called(&["check", "one.ndjson", "two.ndjson"]),
        json!([items])
    );
    assert_eq!(
        never_called(&["check", "one.ndjson"]),
        json!([items, kinds])
    );
    let of_body = never_called(&[
        "check",
        "body.json",
        "--operation",
        "POST /carts/{cart}/items",
    ]);
    assert_eq!(of_body.as_array().unwrap().len(), 2, "{of_body}");
    assert_eq!(never_called(&["check", "shop.toml"]), Value::Null);

    let scan = ["--rules", "shop.toml", "--pack", "kubernetes", "--partial"];
    for name in ["one", "two"] {
        let (log, partial) = (format!("{name}.ndjson"), format!("{name}.partial"));
        let ran = desk.run(&[&["check", &log][..], &scan, &[&partial]].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    assert_eq!(
        never_called(&["merge", "one.partial", "two.partial"]),
        json!([items])
    );

    let ran = desk.run(&["check", "one.ndjson", "-v", "--rules", "shop.toml"]);
    let expected = "2 operations with your rules were never called:\n  \
        POST /carts/{cart}/items (model and 1 more)\n  GET /kinds/{kind} (kind)\n";
    assert!(ran.stdout.contains(expected), "{}", ran.stdout);
    let quiet = desk.run(&["check", "one.ndjson", "--rules", "shop.toml"]);
    assert!(!quiet.stdout.contains("never called"), "{}", quiet.stdout);

    // A call of another host is none of the same operation in other rules.
    let rule = |host: &str| {
        let rule = "[[rule]]\noperation = 'GET /kinds/{kind}'\n";
        format!("api = 'A'\nhosts = ['{host}.test']\n{rule}id = 'of-{host}'\n")
    };
    let desk = desk.with("a.toml", rule("a")).with("b.toml", rule("b"));
    let desk = desk.with(
        "a.ndjson",
        r#"{"method":"GET","url":"https://a.test/kinds/1"}"#,
    );
    let ran = desk.run(&[
        "check", "a.ndjson", "-v", "--rules", "a.toml", "--rules", "b.toml",
    ]);
    let expected = "never called:\n  GET /kinds/{kind} (of-b)\n";
    assert!(ran.stdout.contains(expected), "{}", ran.stdout);
}
