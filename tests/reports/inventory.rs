//! `sundown usage --inventory` lists the values of elements with rules about values: those that rules know, and how many calls have
//! values that no rule knows.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Desk, lines};
use crate::usage::{json_of, usage};

const RULES: &str = r#"
api = "Models"
[[rule]]
id = "model"
operation = "POST /v1/chat"
field = "model"
sides = ["request"]
values = [{ value = "m-1", removal = 2026-11-01 }, { value = "m-2", removal = 2027-06-01 }, "m-3"]
[[rule]]
id = "old-models"
operation = "POST /v1/chat"
field = "model"
sides = ["request"]
starts_with = "old-"
possible = true
[[rule]]
id = "other-model"
also = [{ operation = "POST /v1/speech" }, { operation = "POST /v1/chat" }]
field = "model"
sides = ["request"]
value = "s-1"
[[rule]]
id = "version"
operation = "GET /{version}/users"
segment = "version"
before = "v5"
[[rule]]
id = "mode"
operation = "GET /{version}/users"
parameter = "mode"
value = "fast"
[[rule]]
id = "total"
operation = "POST /v1/chat"
field = "total"
"#;

/// The calls: values that rules know, one of them in another letter case, and one that no rule knows.
fn calls() -> Vec<Value> {
    let chat = |model: Value| json!({"method": "POST", "url": "/v1/chat", "request": {"body": {"model": model, "total": 1}}});
    let get = |url: &str| json!({"method": "GET", "url": url});
    vec![
        chat(json!("m-1")),
        chat(json!("m-1")),
        chat(json!("m-2")),
        chat(json!("M-1")),
        chat(json!("my-own-model")),
        chat(json!(["m-3", "my-own-model", "old-9"])),
        chat(json!({"name": "m-1"})),
        json!({"method": "POST", "url": "/v1/speech", "request": {"body": {"model": "s-1"}}}),
        json!({"method": "POST", "url": "/v1/speech", "request": {"body": {"model": "my-own-model"}}}),
        json!({"method": "POST", "url": "/v1/speech", "request": {"body": {"input": "model"}}}),
        get("/v4/users?mode=fast"),
        get("/v5/users?mode=my-own-mode"),
    ]
}

fn desk() -> Desk {
    Desk::new()
        .with("rules.toml", RULES)
        .with("log.ndjson", lines(&calls()))
}

#[test]
fn values_are_listed_with_what_rules_say() {
    let desk = desk();
    let arguments = ["log.ndjson", "--inventory"];
    assert_snapshot!("inventory", usage(&desk, &arguments).stdout);
    let report = json_of(&desk, &[&arguments[..], &["--show-values"]].concat());
    let rows = report["values"].as_array().unwrap();
    let rows = rows.iter().map(|row| {
        let texts =
            ["name", "value", "rule", "removal"].map(|name| row[name].as_str().unwrap_or("-"));
        format!("{} {}", texts.join(" "), row["calls"])
    });
    assert_eq!(
        rows.collect::<Vec<_>>(),
        [
            "model m-1 model-m-1 2026-11-01 2",
            "model m-2 model-m-2 2027-06-01 1",
            "model m-3 model-m-3 - 1",
            "model old-… old-models - 1",
            "model s-1 other-model - 1",
            "model M-1 - - 1",
            "model my-own-model - - 3",
            "mode fast mode - 1",
            "mode my-own-mode - - 1",
            "version before v5 version - 1",
            "version v5 - - 1",
        ]
    );
}

/// Counting the values that no rule knows changes nothing about those that rules know.
#[test]
fn an_inventory_changes_no_other_count() {
    let desk = desk();
    let [mut plain, mut with] = [
        &["log.ndjson"][..],
        &["log.ndjson", "--inventory", "--show-values"],
    ]
    .map(|arguments| json_of(&desk, arguments));
    assert!(plain["values"].is_null());
    assert!(with["values"].as_array().is_some_and(|rows| rows.len() > 5));
    for report in [&mut plain, &mut with] {
        report.as_object_mut().unwrap().remove("values");
    }
    assert_eq!(plain, with);
}

#[test]
fn values_that_no_rule_knows_appear_only_if_the_user_asks() {
    let desk = desk();
    for format in ["human", "json", "csv", "markdown", "html"] {
        let arguments = [
            "log.ndjson",
            "--inventory",
            "--format",
            format,
            "--partial",
            "p",
        ];
        let hidden = usage(&desk, &arguments).stdout;
        let partial = std::fs::read_to_string(desk.path("p")).unwrap();
        for text in [&hidden, &partial] {
            assert!(!text.contains("my-own") && !text.contains("M-1"), "{text}");
        }
        let shown = usage(&desk, &[&arguments[..], &["--show-values"]].concat()).stdout;
        assert_eq!(shown.contains("my-own-model"), format != "csv", "{shown}");
    }
}

#[test]
fn inventories_of_parts_add_up() {
    let desk = desk();
    let calls = calls();
    let (one, other) = calls.split_at(5);
    let desk = desk
        .with("1.ndjson", lines(one))
        .with("2.ndjson", lines(other));
    let scan = |files: &[&str], partial: &str| {
        let options = ["--inventory", "--show-values", "--partial", partial];
        usage(&desk, &[files, &options].concat())
    };
    let whole = scan(&["1.ndjson", "2.ndjson"], "whole");
    scan(&["1.ndjson"], "1");
    scan(&["2.ndjson"], "2");
    for parts in [["1", "2"], ["2", "1"]] {
        let merged = desk.run(
            &[
                &["merge"],
                &parts[..],
                &["--as-of", "2026-11-20", "--partial", "sum"],
            ]
            .concat(),
        );
        assert_eq!(merged.stdout, whole.stdout);
        let [sum, whole] = ["sum", "whole"].map(|file| std::fs::read(desk.path(file)).unwrap());
        assert_eq!(sum, whole);
    }
    // A part without an inventory is refused.
    usage(&desk, &["1.ndjson", "--partial", "plain"]);
    let refused = desk.run(&["merge", "plain", "2"]);
    assert_eq!(
        (refused.code, &*refused.stdout),
        (2, ""),
        "{}",
        refused.stderr
    );
}

#[test]
fn an_inventory_of_many_values_is_limited() {
    let call = |number: usize| json!({"method": "POST", "url": "/v1/chat", "request": {"body": {"model": format!("x{number:05}")}}});
    let log: Vec<_> = (0..1_500).map(call).collect();
    let desk = desk().with("many.ndjson", lines(&log));
    let report = json_of(&desk, &["many.ndjson", "--inventory", "--show-values"]);
    let rows = report["values"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["calls"]), (1_001, &json!(500)));
    assert!(rows[0]["value"].is_null());
}
