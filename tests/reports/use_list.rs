//! `sundown explain RULE --in PATH` lists the exchanges of one rule, in the order of time.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Desk, Ran};

const RULES: &str = r#"
api = "Shop"
[after_removal]
operation = 410
[[rule]]
id = "total"
operation = "POST /v1/orders"
field = "total"
at = ["$..total"]
removal = 2026-11-10
[[rule]]
id = "total-inside"
operation = "POST /v1/orders"
field = "total"
at = ["$..inside.total"]
[[rule]]
id = "cart"
operation = "POST /v1/orders"
field = "cart"
[[rule]]
id = "call"
operation = "POST /v1/gone"
removal = 2026-11-10
"#;

fn record(time: &str, url: &str, status: u16, request: &Value) -> String {
    let mut record = json!({"method": "POST", "url": url, "request": {"body": request}, "response": {"status": status, "body": {}}});
    if !time.is_empty() {
        record["time"] = time.into();
    }
    format!("{record}\n")
}

fn desk() -> Desk {
    let total = json!({"total": "secret"});
    let first = [
        record("2026-11-12T10:00:00Z", "/v1/orders", 200, &total),
        record("", "/v1/orders", 200, &total),
        record(
            "2026-11-01T10:00:00Z",
            "/v1/orders",
            400,
            &json!({"lines": [{"total": 1}, {"total": 2}]}),
        ),
        record(
            "2026-11-02T10:00:00Z",
            "/v1/orders",
            200,
            &json!({"other": 1}),
        ),
        record(
            "2026-11-03T10:00:00Z",
            "/v1/orders",
            200,
            &json!({"inside": {"total": 1}}),
        ),
        record("2026-11-15T10:00:00Z", "/v1/gone", 410, &json!({})),
    ];
    let second = [
        record(
            "2026-11-11T10:00:00Z",
            "/v1/orders",
            200,
            &json!({"cart": {"total": 1}}),
        ),
        record("2026-11-12T10:00:00Z", "/v1/orders", 503, &total),
        record("2026-11-14T10:00:00Z", "/v1/gone", 200, &json!({})),
    ];
    Desk::new()
        .with("rules.toml", RULES)
        .with("logs/b.ndjson", first.concat())
        .with("logs/a.ndjson", second.concat())
}

fn list(desk: &Desk, rule: &str, arguments: &[&str]) -> Ran {
    let own = [
        "explain",
        rule,
        "--no-builtin-rules",
        "--rules",
        "rules.toml",
        "--as-of",
        "2026-11-20",
    ];
    desk.run(&[&own, arguments].concat())
}

#[test]
fn exchanges_are_listed_in_the_order_of_time_with_their_totals() {
    let desk = desk();
    let ran = list(&desk, "total", &["--in", "logs"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_snapshot!("uses_of_a_field", ran.stdout);
    assert!(!ran.stdout.contains("secret"));
    let ran = list(
        &desk,
        "call",
        &["--in", "logs/a.ndjson", "--in", "logs/b.ndjson"],
    );
    assert_eq!(ran.code, 0);
    assert_snapshot!("uses_of_an_operation", ran.stdout);
    let ran = list(&desk, "total", &["--in", "logs", "--format", "json"]);
    assert_eq!(ran.code, 0);
    assert_snapshot!("uses_as_json", ran.stdout);
}

/// The uses that `check` reports of a rule, as file, line and pointer.
fn checked(desk: &Desk, rule: &str) -> Vec<(String, u64, String)> {
    let arguments = [
        "--no-builtin-rules",
        "--rules",
        "rules.toml",
        "--no-fold",
        "--format",
        "ndjson",
        "logs",
    ];
    let ran = desk.run(&[&["check"], &arguments[..]].concat());
    let lines = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let place = |finding: &Value, file: &Value| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (
            text(file),
            finding["line"].as_u64().unwrap(),
            text(&finding["pointer"]),
        )
    };
    let found = lines
        .filter(|line| line["type"] == "finding")
        .flat_map(|line| {
            let inside = line["related"].as_array().cloned().unwrap_or_default();
            let all = std::iter::once(line.clone()).chain(inside);
            let own = all.filter(|finding| finding["rule"] == rule);
            own.map(|finding| place(&finding, &line["file"]))
                .collect::<Vec<_>>()
        });
    found.collect()
}

#[test]
fn the_list_has_what_a_check_finds_also_inside_of_other_elements() {
    let desk = desk();
    for rule in ["total", "total-inside", "cart", "call"] {
        let ran = list(&desk, rule, &["--in", "logs", "--format", "json"]);
        let document: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(
            usize::try_from(document["uses"].as_u64().unwrap()).unwrap(),
            checked(&desk, rule).len(),
            "{rule}"
        );
        let mut listed: Vec<_> = document["listed"]
            .as_array()
            .unwrap()
            .iter()
            .map(|listed| {
                let text = |key: &str| listed[key].as_str().unwrap_or_default().to_owned();
                (
                    text("file"),
                    listed["line"].as_u64().unwrap(),
                    text("pointer"),
                )
            })
            .collect();
        listed.sort();
        let mut checked = checked(&desk, rule);
        // The two totals of one order are one line.
        checked.retain(|(_, _, pointer)| pointer != "/lines/1/total");
        checked.sort();
        assert_eq!(listed, checked, "{rule}");
    }
}

#[test]
fn without_a_use_the_number_of_exchanges_is_reported() {
    let desk = Desk::new()
        .with("rules.toml", RULES)
        .with(
            "a.ndjson",
            record("", "/v1/orders", 200, &json!({})).repeat(3)
                + &record("", "/v1/gone", 200, &json!({})),
        )
        .with("b.ndjson", record("", "/v1/gone", 200, &json!({})));
    let head = |file: &str| {
        list(&desk, "total", &["--in", file])
            .stdout
            .lines()
            .next()
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        head("a.ndjson"),
        "total: in none of the 3 exchanges of its operations"
    );
    assert_eq!(
        head("b.ndjson"),
        "total: no exchange of its operations was found"
    );
    assert_eq!(list(&desk, "total", &["--in", "a.ndjson"]).code, 0);
    // An API description is no exchange.
    let description = r#"{"openapi":"3.0.3","info":{"title":"T","version":"1"},"paths":{}}"#;
    let described = Desk::new()
        .with("rules.toml", RULES)
        .with("api.json", description);
    let text = list(&described, "total", &["--in", "api.json"]).stdout;
    assert!(
        text.starts_with("total: no exchange of its operations was found\n"),
        "{text}"
    );
}

#[test]
fn what_could_not_be_checked_is_reported_and_fails() {
    let cut = record("", "/v1/orders", 200, &json!({"total": 1}))
        + "{\"method\": \"POST\", \"url\": \"/v1/orders\", \"request\": {\"body\": {\"total\"";
    let desk = Desk::new().with("rules.toml", RULES).with("a.ndjson", cut);
    let ran = list(&desk, "total", &["--in", "a.ndjson"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stdout
            .contains("total: 1 use in 1 of 1 exchange of its operations"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("Could not be checked:\n  a.ndjson:2:"),
        "{}",
        ran.stdout
    );
    let ran = list(&desk, "total", &["--in", "none.ndjson"]);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
}

#[test]
fn the_earliest_uses_are_listed_up_to_a_limit() {
    let line = |second: u32| {
        record(
            &format!("2026-11-01T00:{:02}:{:02}Z", second / 60, second % 60),
            "/v1/orders",
            200,
            &json!({"total": 1}),
        )
    };
    let log: String = (0..1_200).rev().map(line).collect();
    let desk = Desk::new().with("rules.toml", RULES).with("a.ndjson", &log);
    let listed = |arguments: &[&str]| {
        let ran = list(&desk, "total", &[&["--in", "a.ndjson"], arguments].concat());
        let rows: Vec<_> = ran
            .stdout
            .lines()
            .filter(|line| line.contains("a.ndjson:"))
            .map(str::to_owned)
            .collect();
        (rows, ran.stdout)
    };
    let (rows, text) = listed(&["--limit", "2"]);
    assert_eq!(rows.len(), 2);
    assert!(
        rows[0].contains("00:00:00Z") && rows[1].contains("00:00:01Z"),
        "{rows:?}"
    );
    assert!(
        text.contains("total: 1200 uses in 1200 of 1200 exchanges"),
        "{text}"
    );
    assert!(
        text.contains("and 1198 more uses; --all lists them"),
        "{text}"
    );
    assert_eq!(listed(&[]).0.len(), 1_000);
    assert_eq!(listed(&["--all"]).0.len(), 1_200);
    // Neither threads nor the order of files matter.
    assert_eq!(listed(&["--threads", "1"]), listed(&["--threads", "4"]));
}

#[test]
fn known_uses_are_listed_with_a_mark() {
    let desk = desk().with(
        "sundown.toml",
        "[[allow]]\nrule = 'total'\nfiles = 'logs/b.ndjson'\nreason = 'migration is planned'\nuntil = 2027-01-01\nforce = true\n",
    );
    let ran = list(&desk, "total", &["--in", "logs"]);
    assert_eq!(
        ran.stdout
            .matches(", allowed: migration is planned")
            .count(),
        3,
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    let ran = list(&desk, "total", &["--in", "logs", "--format", "json"]);
    assert_eq!(
        ran.stdout
            .matches("\"suppressed_by\": \"allowance\"")
            .count(),
        3,
        "{}",
        ran.stdout
    );
}

#[test]
fn only_one_rule_can_be_proved() {
    let desk = desk();
    let several = list(&desk, "orders", &["--in", "logs"]);
    assert_eq!(several.code, 2);
    assert!(
        several
            .stderr
            .contains("--in needs one rule, and `orders` means several"),
        "{}",
        several.stderr
    );
    assert!(
        several
            .stderr
            .contains("give the id of one of them: total, total-inside, cart\n"),
        "{}",
        several.stderr
    );
    let check = list(&desk, "exposed", &["--in", "logs"]);
    assert!(
        check
            .stderr
            .contains("--in needs a rule, and `exposed` is a check"),
        "{}",
        check.stderr
    );
    // The name of an element is enough if one rule has it.
    assert_eq!(
        list(&desk, "gone", &["--in", "logs"]).stdout,
        list(&desk, "call", &["--in", "logs"]).stdout
    );
}

#[test]
fn uses_inside_of_uses_are_listed_and_counted() {
    let rules = RULES.replace(
        "id = \"total-inside\"",
        "id = \"total-inside\"\nremoval = 2026-11-01",
    );
    let many: Vec<_> = (0..120).map(|_| json!({"total": 1})).collect();
    for (body, uses) in [
        (json!({"total": {"total": 1}}), 2),
        (json!({"inside": {"total": {"total": 1}}}), 1),
        (json!({"total": {"lines": many}}), 121),
    ] {
        let desk = Desk::new().with("rules.toml", &rules).with(
            "a.ndjson",
            record("2026-11-01T10:00:00Z", "/v1/orders", 200, &body),
        );
        for limit in ["0", "1", "1000"] {
            let ran = list(
                &desk,
                "total",
                &["--format", "json", "--limit", limit, "--in", "a.ndjson"],
            );
            let document: Value = serde_json::from_str(&ran.stdout).unwrap();
            assert_eq!(document["uses"], uses, "{}", ran.stdout);
            let listed = document["listed"].as_array().unwrap().iter();
            let listed: u64 = listed.map(|listed| listed["count"].as_u64().unwrap()).sum();
            assert_eq!(
                listed + document["left_out"].as_u64().unwrap(),
                uses,
                "{}",
                ran.stdout
            );
        }
    }
}

#[test]
fn pages_about_rules_escape_their_texts() {
    let rules = "api = 'T'\n[[rule]]\nid = 'a'\noperation = 'GET /v1/x'\nfield = \"a\\u001b[31m\"\nreplacement = \"b\\u001b[31m\"\n\
        [[rule]]\nid = 'b'\noperation = 'GET /v1/x'\nparameter = \"c\\u001b[31m\"\n";
    let desk = Desk::new().with("rules.toml", rules);
    for topic in ["a", "b", "/v1/x"] {
        let ran = desk.run(&[
            "explain",
            topic,
            "--no-builtin-rules",
            "--rules",
            "rules.toml",
        ]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(!ran.stdout.contains('\u{1b}'), "{}", ran.stdout);
    }
}
