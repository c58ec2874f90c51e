//! `sundown usage` counts calls and uses exactly, says why it has each verdict, and adds files in any order.

use chrono::{Days, NaiveDate};
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Desk, Ran, date, lines};

const RULES: &str = r#"
api = "Shop"
[[rule]]
id = "legacy-id"
operation = "POST /v1/orders"
field = "legacyId"
sides = ["request"]
replacement = "id"
removal = 2027-01-15
[[rule]]
id = "old-total"
operation = "POST /v1/orders"
field = "total"
sides = ["response"]
[[rule]]
id = "trace"
operation = "GET /v1/orders/{id}"
parameter = "trace"
[[rule]]
id = "team-header"
operation = "GET /v1/orders/{id}"
header = "X-Old-Team"
sides = ["request"]
[[rule]]
id = "gone"
operation = "DELETE /v1/orders/{id}"
removal = 2026-11-10
[[rule]]
id = "carts"
operation = "POST /v1/carts"
field = "cart"
sides = ["request"]
"#;

/// A call of `POST /v1/orders`.
fn order(day: &str, agent: &str, request: &Value) -> Value {
    json!({
        "time": format!("{day}T10:00:00Z"), "method": "POST", "url": "/v1/orders",
        "request": {"headers": {"User-Agent": agent, "X-Team": format!("team of {agent}")}, "body": request},
        "response": {"status": 200, "body": {"id": 1}},
        "service": {"name": agent},
    })
}

fn days() -> Vec<NaiveDate> {
    (0..60)
        .map(|later| date("2026-09-01") + Days::new(later))
        .collect()
}

/// A log of 60 days: each day, three callers order once. `shop/2` uses the field on the first 20 days, twice in a call;
/// `billing/1` on every tenth day; `report/3` never. On every second day, an order is read with the parameter.
fn log() -> Vec<Value> {
    let mut records = Vec::new();
    for (index, day) in days().into_iter().enumerate() {
        let day = day.to_string();
        let used = json!({"legacyId": 1, "lines": [{"legacyId": 2}]});
        let unused = json!({"id": 1});
        let of = |uses: bool| if uses { &used } else { &unused };
        records.push(order(&day, "shop/2 (x; \u{1b}[31m)", of(index < 20)));
        records.push(order(&day, "billing/1", of(index % 10 == 0)));
        records.push(order(&day, "report/3", of(false)));
        if index % 2 == 0 {
            records.push(json!({
                "time": format!("{day}T11:00:00Z"), "method": "GET", "url": "/v1/orders/7?trace=1",
                "request": {"headers": {"Accept": "*/*"}}, "response": {"status": 200},
            }));
        }
    }
    records
}

pub(crate) fn desk() -> Desk {
    Desk::new()
        .with("rules.toml", RULES)
        .with("log.ndjson", lines(&log()))
}

/// Runs `usage` with the rules.
pub(crate) fn usage(desk: &Desk, arguments: &[&str]) -> Ran {
    let fixed = [
        "usage",
        "--no-builtin-rules",
        "--rules",
        "rules.toml",
        "--as-of",
        "2026-11-20",
    ];
    desk.run(&[&fixed, arguments].concat())
}

pub(crate) fn json_of(desk: &Desk, arguments: &[&str]) -> Value {
    let ran = usage(desk, &[arguments, &["--format", "json"]].concat());
    assert!(!ran.stdout.is_empty(), "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stdout))
}

/// The element of a rule.
fn element<'v>(report: &'v Value, rule: &str) -> &'v Value {
    let elements = report["elements"].as_array().unwrap();
    elements
        .iter()
        .find(|element| element["rule"] == rule)
        .unwrap()
}

#[test]
fn counts_are_exact() {
    let desk = desk();
    let report = json_of(&desk, &["log.ndjson", "--by", "user-agent"]);
    let calls = json!({
        "count": 210, "undated": 0, "days": 60,
        "first": "2026-09-01T10:00:00Z", "last": "2026-10-30T10:00:00Z",
    });
    assert_eq!(report["calls"], calls);
    let found = element(&report, "legacy-id");
    let members = |element: &Value, names: &[&str]| {
        names
            .iter()
            .map(|name| element[name].clone())
            .collect::<Vec<_>>()
    };
    let counts = [
        "calls",
        "readable",
        "calls_with_use",
        "uses",
        "readable_days",
        "unreadable",
    ];
    // 20 calls of one caller, and 6 of the other; each with two uses.
    assert_eq!(members(found, &counts), [180, 180, 26, 52, 60, 0]);
    assert_eq!(found["verdict"], "in-use");
    assert_eq!(found["first_use"], "2026-09-01T10:00:00Z");
    assert_eq!(found["last_use"], "2026-10-21T10:00:00Z");
    assert_eq!(found["days"].as_array().unwrap().len(), 60);
    assert_eq!(
        found["days"][0],
        json!({"day": "2026-09-01", "readable": 3, "calls_with_use": 2})
    );
    assert_eq!(
        found["days"][59],
        json!({"day": "2026-10-30", "readable": 3, "calls_with_use": 0})
    );
    let callers = json!([
        {"values": [{"value": "shop/2"}], "calls_with_use": 20, "uses": 40,
         "first_use": "2026-09-01T10:00:00Z", "last_use": "2026-09-20T10:00:00Z"},
        {"values": [{"value": "billing/1"}], "calls_with_use": 6, "uses": 12,
         "first_use": "2026-09-01T10:00:00Z", "last_use": "2026-10-21T10:00:00Z"},
    ]);
    assert_eq!(found["callers"], callers);
    let verdicts = ["old-total", "trace", "team-header", "gone", "carts"]
        .map(|rule| element(&report, rule)["verdict"].as_str().unwrap());
    assert_eq!(
        verdicts,
        [
            "not-sent",
            "in-use",
            "not-seen",
            "cannot-tell",
            "cannot-tell"
        ]
    );
    assert_eq!(element(&report, "team-header")["readable"], 30);
}

/// Orders at these times with the field, and one without it at the end.
fn orders_at(times: &[&str]) -> String {
    let order = |(index, time): (usize, &&str)| {
        let body = if index + 1 < times.len() {
            json!({"legacyId": 1})
        } else {
            json!({})
        };
        let mut order = order("2026-09-01", "shop/2", &body);
        order["time"] = json!(time);
        order
    };
    lines(&times.iter().enumerate().map(order).collect::<Vec<_>>())
}

#[test]
fn calls_on_three_days_are_counted_by_hour() {
    let (early, late) = ("2026-09-01T02:59:59Z", "2026-09-03T23:00:00Z");
    let short = orders_at(&["2026-09-01T00:00:00Z", early, "2026-09-01T02:00:00Z", late]);
    let long = orders_at(&["2026-09-01T00:00:00Z", early, "2026-09-04T00:00:00Z"]);
    let desk = Desk::new()
        .with("rules.toml", RULES)
        .with("short", short)
        .with("long", long);
    let report = json_of(&desk, &["short"]);
    let found = element(&report, "legacy-id");
    let hour = |hour: &str, readable: u64, calls_with_use: u64| json!({"hour": hour, "readable": readable, "calls_with_use": calls_with_use});
    let hours = json!([
        hour("2026-09-01T00:00:00Z", 1, 1),
        hour("2026-09-01T02:00:00Z", 2, 2),
        hour("2026-09-03T23:00:00Z", 1, 0),
    ]);
    assert_eq!(found["hours"], hours);
    let days = json!([
        {"day": "2026-09-01", "readable": 3, "calls_with_use": 3},
        {"day": "2026-09-03", "readable": 1, "calls_with_use": 0},
    ]);
    assert_eq!(
        (&found["days"], &found["readable_days"]),
        (&days, &json!(2))
    );
    let reason = "in 3 of 4 readable calls, last on 2026-09-01 at 02:59 UTC; in none of 1 readable call in 1 hour since";
    assert_eq!(found["reason"], reason);
    let by = ["short", "--by", "user-agent"];
    assert_snapshot!("usage_human_by_hour", usage(&desk, &by).stdout);
    for (format, text) in [
        ("markdown", "| 3 | 2026-09-01 00:00 | 2026-09-01 02:59 |"),
        ("csv", ",3,3,2026-09-01T00:00:00Z,2026-09-01T02:59:59Z,"),
    ] {
        let page = usage(&desk, &[&by[..], &["--format", format]].concat()).stdout;
        assert!(page.contains(text), "{page}");
    }
    // The same unit for all elements: this one has calls on one of the days only.
    let other = json!({"time": "2026-09-20T10:00:00Z", "method": "GET", "url": "/v1/orders/7"});
    let mixed = desk.with("other", lines(&[other]));
    let report = json_of(&mixed, &["short", "other"]);
    let reason =
        "in 3 of 4 readable calls, last on 2026-09-01; in none of 1 readable call on 1 day since";
    assert_eq!(element(&report, "legacy-id")["reason"], reason);
    let desk = mixed;
    // Another day, and all are counted by day.
    let report = json_of(&desk, &["long"]);
    let found = element(&report, "legacy-id");
    assert!(found.get("hours").is_none() && found["days"].as_array().unwrap().len() == 2);
    let both = json_of(&desk, &["short", "long"]);
    assert!(element(&both, "legacy-id").get("hours").is_none());
    assert_eq!(element(&both, "legacy-id")["days"][0]["calls_with_use"], 5);
}

#[test]
fn a_name_stays_in_its_cell_and_is_no_formula() {
    let names = [
        "=cmd|' /C calc'!A0",
        "+1,\"=1+1\"",
        "@SUM(A1);=2",
        "-2+3",
        "＝1+1",
        "a\",\"b\"\"",
        "x\r\n=1+1",
        "\t=1+1",
    ];
    let calls = names.map(|name| {
        let mut call = order("2026-09-01", "shop/2", &json!({"legacyId": 1}));
        call["service"]["name"] = json!(name);
        call
    });
    let desk = Desk::new()
        .with("rules.toml", RULES)
        .with("log.ndjson", lines(&calls));
    let by = [
        "log.ndjson",
        "--by",
        "member:/service/name",
        "--show-callers",
        "--format",
        "csv",
    ];
    let ran = usage(&desk, &by);
    let mut reader = csv::Reader::from_reader(ran.stdout.as_bytes());
    let column = reader
        .headers()
        .unwrap()
        .iter()
        .position(|name| name == by[2])
        .unwrap();
    // A reader fails if a row has another number of cells.
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    let found: Vec<&str> = rows
        .iter()
        .map(|row| &row[column])
        .filter(|it| !it.is_empty())
        .collect();
    assert_eq!(found.len(), names.len(), "{}", ran.stdout);
    for name in names {
        let name = name.trim().replace("\r\n", "\\u{d}\\u{a}");
        let as_text = format!("'{name}");
        assert!(
            found.contains(&&*name) || found.contains(&&*as_text),
            "{name}: {found:?}"
        );
    }
    let starts = ['=', '+', '-', '@', '＝', '\t', '\r', '\n'];
    for cell in rows.iter().flatten().chain(ran.stdout.lines()) {
        assert!(
            !cell.trim_start_matches(['"', ' ']).starts_with(starts),
            "{cell}"
        );
    }
}

#[test]
fn people_read_the_verdicts_first() {
    let ran = usage(&desk(), &["log.ndjson", "--by", "user-agent"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.lines().all(|line| line.chars().count() <= 80),
        "{}",
        ran.stdout
    );
    assert_snapshot!("usage_human", ran.stdout);
}

/// A line with an order on a day of September, with these members of the request.
fn request(members: &str, day: u32) -> String {
    format!(
        "{{\"time\":\"2026-09-{day:02}T10:00:00Z\",\"method\":\"POST\",\"url\":\"/v1/orders\",\"request\":{{{members}}},\"response\":{{\"status\":200}}}}\n"
    )
}

/// Such a line for each day.
fn quiet(members: &str) -> String {
    (1..=30).map(|day| request(members, day)).collect()
}

#[test]
fn each_verdict_has_a_reason() {
    let clean = quiet("\"body\":{\"id\":1}");
    let undated =
        lines(&[json!({"method": "POST", "url": "/v1/orders", "request": {"body": {"id": 1}}})]);
    for (log, verdict, reason) in [
        (
            quiet("\"body\":{\"legacyId\":1}"),
            "in-use",
            "in 30 of 30 readable calls, last on 2026-09-30",
        ),
        (
            format!("{}{clean}", request("\"body\":{\"legacyId\":1}", 1)),
            "in-use",
            "in 1 of 31 readable calls, last on 2026-09-01; in none of 29 readable calls on 29 days since",
        ),
        (
            clean.clone(),
            "not-seen",
            "in 0 of 30 readable calls on 30 days, the last of them 2026-09-30, 51 days ago",
        ),
        (
            format!("{clean}{}", request("\"headers\":{}", 1)),
            "not-seen",
            "in 0 of 30 readable calls on 30 days, the last of them 2026-09-30, 51 days ago; 1 more call has no JSON body",
        ),
        (
            quiet("\"headers\":{}"),
            "cannot-tell",
            "the capture has a body for none of 30 calls",
        ),
        (
            quiet("\"headers\":{\"content-type\":\"text/html\"},\"body\":\"<html>\""),
            "cannot-tell",
            "no body of 30 calls is JSON",
        ),
        (
            format!(
                "{clean}{}",
                request(
                    "\"headers\":{\"content-type\":\"application/json\"},\"body\":\"{\\\"legacyId\"",
                    1
                )
            ),
            "cannot-tell",
            "the body of 1 of 31 calls could not be read completely",
        ),
        (
            request("\"body\":{\"id\":1}", 1),
            "cannot-tell",
            "only 1 readable call on 1 day; --quiet-days asks for 30",
        ),
        (
            undated,
            "cannot-tell",
            "only 1 readable call on 0 days and 1 without a time; --quiet-days asks for 30",
        ),
        (
            "{\"method\":\"POST\",\"url\":\"/v1/other\",\"response\":{\"status\":200}}\n"
                .to_owned(),
            "cannot-tell",
            "never called",
        ),
    ] {
        assert_verdict(&log, verdict, reason);
    }
}

/// Checks the verdict on the element `legacy-id` and its reason.
fn assert_verdict(log: &str, verdict: &str, reason: &str) {
    let desk = Desk::new()
        .with("rules.toml", RULES)
        .with("log.ndjson", log);
    for strict in [&[][..], &["--strict"]] {
        let report = json_of(&desk, &[&["log.ndjson"], strict].concat());
        let found = element(&report, "legacy-id");
        assert_eq!(
            (found["verdict"].as_str(), found["reason"].as_str()),
            (Some(verdict), Some(reason)),
            "{log}"
        );
    }
}

#[test]
fn a_verdict_that_cannot_be_told_says_the_best_that_is_known() {
    let clean = quiet("\"body\":{\"id\":1}");
    let fourteen: String = clean.split_inclusive('\n').take(14).collect();
    let broken = "\"headers\":{\"content-type\":\"application/json\"},\"body\":\"{\\\"legacyId\"";
    let bodiless = quiet("\"headers\":{}");
    for (log, known) in [
        (fourteen, "not seen in 14 days (30 needed)"),
        (
            format!("{clean}{}", request(broken, 1)),
            "not seen in 30 of 31 calls",
        ),
        (
            format!("{clean}{{\"method\":"),
            "not seen in 30 of 30 calls",
        ),
        (bodiless, "cannot tell"),
    ] {
        let desk = Desk::new()
            .with("rules.toml", RULES)
            .with("log.ndjson", log);
        for (format, before) in [("human", "POST /v1/orders  "), ("markdown", "| request | ")] {
            let rule = ["log.ndjson", "--rule", "legacy-id", "--format", format];
            let text = usage(&desk, &rule).stdout;
            assert!(text.contains(&format!("{before}{known}")), "{text}");
        }
        let json = json_of(&desk, &["log.ndjson"]);
        assert_eq!(element(&json, "legacy-id")["verdict"], "cannot-tell");
    }
}

#[test]
fn many_values_that_were_not_seen_are_counted_and_listed_on_request() {
    let rule = |number: usize| {
        format!(
            "[[rule]]\nid = 'v{number}'\noperation = 'POST /v1/orders'\nfield = 'kind'\nvalue = 'kind-{number}'\n\
             sides = ['request']\n"
        )
    };
    let text = |values: usize, more: &[&str]| {
        let rules: String = (0..values).map(rule).collect();
        let call = order("2026-11-01", "a", &json!({"kind": "kind-0"}));
        let desk = Desk::new()
            .with("rules.toml", format!("api = 'Shop'\n{rules}"))
            .with("log.ndjson", lines(&[call]));
        usage(&desk, &[&["log.ndjson"], more].concat()).stdout
    };
    let counted = text(12, &[]);
    let sentence = "Not seen in the calls: 11 values; --all lists them.";
    assert!(counted.contains(sentence), "{counted}");
    assert!(
        counted.contains("v0") && !counted.contains("v11"),
        "{counted}"
    );
    for listed in [text(12, &["--all"]), text(11, &[])] {
        assert!(!listed.contains("Not seen"), "{listed}");
        assert!(listed.contains("v10"), "{listed}");
    }
}

#[test]
fn elements_that_were_never_called_are_counted_and_listed_on_request() {
    let listed = "  gone   DELETE /v1/orders/{id}  operation\n";
    let counted = usage(&desk(), &["log.ndjson"]).stdout;
    let text = counted.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("Never called: 2 elements of 2 rules."),
        "{text}"
    );
    assert!(text.contains("--all lists them"), "{text}");
    let all = usage(&desk(), &["log.ndjson", "--all"]).stdout;
    assert!(all.contains(listed) && !counted.contains(listed), "{all}");
    let desk = desk();
    usage(&desk, &["log.ndjson", "--partial", "part"]);
    let as_of = ["--as-of", "2026-11-20"];
    let merged = desk.run(&[&["merge", "part", "--all"][..], &as_of].concat());
    assert_eq!(merged.stdout, all, "{}", merged.stderr);
}

#[test]
fn what_a_pack_knows_and_nobody_called_is_a_count() {
    let call = json!({
        "time": "2026-11-10T10:00:00Z", "method": "POST", "url": "https://api.openai.com/v1/chat/completions",
        "request": {"body": {"model": "gpt-4-0613"}},
    });
    let desk = Desk::new()
        .with("rules.toml", RULES)
        .with("log.ndjson", lines(&[call]));
    let run = |format: &str, more: &[&str]| {
        let arguments = ["log.ndjson", "--pack", "llm-models", "--format", format];
        usage(&desk, &[&arguments[..], more].concat()).stdout
    };
    for format in ["json", "csv", "markdown", "html"] {
        let (short, long) = (run(format, &[]), run(format, &["--all"]));
        // The rules of the user are listed, called or not.
        assert!(short.contains("gpt-4-0613") && short.contains("legacy-id"));
        assert!(long.contains("-claude-2-1") && !short.contains("-claude-2-1"));
        assert!(short.len() < 300_000, "{format}: {}", short.len());
        let is_told = short.contains("never called; --all lists them")
            || short.contains("; `--all` lists them")
            || ["json", "html"].contains(&format);
        assert!(is_told, "{short}");
    }
    let [short, long] = [&[][..], &["--all"]].map(|more| {
        let report: Value = serde_json::from_str(&run("json", more)).unwrap();
        let elements = report["elements"].as_array().unwrap().len() as u64;
        let unlisted = report["unlisted"].as_u64();
        (elements, unlisted, report["verdicts"].clone())
    });
    assert_eq!((long.0, None), (short.0 + short.1.unwrap(), long.1));
    assert_eq!(short.2, long.2);
}

#[test]
fn lost_lines_wrong_clocks_and_old_logs_are_in_the_reason() {
    let clean = quiet("\"body\":{\"id\":1}");
    for (log, verdict, reason) in [
        (
            format!("{clean}{{\"method\":\"POST\",\"url\":\"/v1/ord"),
            "cannot-tell",
            "calls may be missing: 1 piece of the input could not be checked",
        ),
        (
            clean.replace("2026-09", "2025-09"),
            "not-seen",
            "in 0 of 30 readable calls on 30 days, the last of them 2025-09-30, 416 days ago",
        ),
        (
            format!(
                "{}{}",
                clean.replace("2026-09", "9998-09"),
                request("\"body\":{\"id\":1}", 1)
            ),
            "cannot-tell",
            "only 31 readable calls on 1 day, and on 30 days after 2026-11-20; --quiet-days asks for 30",
        ),
    ] {
        assert_verdict(&log, verdict, reason);
    }
}

#[test]
fn input_that_was_not_read_leaves_no_element_unseen() {
    let clean = quiet("\"body\":{\"id\":1}");
    let gate = ["--gate", "--rule", "legacy-id"];
    let desk = || {
        Desk::new()
            .with("rules.toml", RULES)
            .with("logs/a.ndjson", &clean)
    };
    assert_eq!(usage(&desk(), &[&["logs"], &gate[..]].concat()).code, 0);
    let whole = crate::support::gzip(clean.repeat(50).as_bytes());
    for (name, bytes) in [
        ("logs/b.ndjson.gz", &whole[..whole.len() / 2]),
        ("logs/b.zip", b"PK\x03\x04".as_slice()),
        (
            "logs/b.ndjson",
            b"{\"method\":\"POST\",\"url\":\"/v1/orders\"}\n{\"method\":\"POST\",\"ur\n",
        ),
    ] {
        let desk = desk().with(name, bytes);
        let ran = usage(&desk, &[&["logs"], &gate[..]].concat());
        assert!(
            ran.code == 2 && ran.stdout.contains("calls may be missing"),
            "{name}: {}",
            ran.stdout
        );
        let partial = usage(&desk, &["logs", "--rule", "legacy-id", "--partial", "part"]);
        assert_eq!(partial.code, 0, "{}", partial.stderr);
        let merged = desk.run(&["merge", "part", "--gate", "--as-of", "2026-11-20"]);
        assert_eq!((merged.code, merged.stdout), (2, ran.stdout), "{name}");
    }
    // Nothing of these can have been a call.
    for (name, text) in [
        ("logs/b.json", ""),
        ("logs/b.yaml", "openapi: 3.1.0\ninfo: 7\npaths: 7\n"),
    ] {
        let ran = usage(&desk().with(name, text), &[&["logs"], &gate[..]].concat());
        assert_eq!(ran.code, 0, "{name}: {}", ran.stdout);
    }
}

#[test]
fn a_use_without_a_time_may_be_in_any_period() {
    let clean = quiet("\"body\":{\"id\":1}");
    let undated = |body: &str| {
        format!(
            "{{\"method\":\"POST\",\"url\":\"/v1/orders\",\"request\":{{\"headers\":{{\"User-Agent\":\"probe/1\"}},\"body\":{body}}}}}\n"
        )
    };
    let gate = [
        "log",
        "--gate",
        "--rule",
        "legacy-id",
        "--since",
        "2026-09-01",
    ];
    for (call, arguments, code) in [
        (undated("{\"id\":1}"), &[][..], 0),
        (undated("{\"legacyId\":1}"), &[], 2),
        (
            undated("{\"legacyId\":1}"),
            &["--by", "user-agent", "--exclude-caller", "probe*"],
            0,
        ),
        (
            undated("\"{\\\"legacyId\\\"\"").replace(
                "User-Agent\":\"probe/1",
                "content-type\":\"application/json",
            ),
            &[],
            2,
        ),
    ] {
        let desk = Desk::new()
            .with("rules.toml", RULES)
            .with("log", format!("{clean}{call}"));
        let ran = usage(&desk, &[&gate[..], arguments].concat());
        assert_eq!(ran.code, code, "{call}{}{}", ran.stdout, ran.stderr);
        // Also if no call of the period reached the operation.
        let ran = usage(
            &desk,
            &[&gate[..5], &["2026-11-01", "--called-only"], arguments].concat(),
        );
        let is_used = code == 2 && call.contains("{\"legacyId");
        assert_eq!(
            ran.stdout.contains("used in 1 call without a time"),
            is_used,
            "{}",
            ran.stdout
        );
    }
}

#[test]
fn reasons_name_the_piece_of_the_call() {
    let line = |day: u32, request: &str| {
        format!(
            "{{\"time\":\"2026-10-{day:02}T10:00:00Z\",\"method\":\"GET\",\"url\":\"/v1/orders/7\",\"request\":{request},\"response\":{{\"status\":200}}}}\n"
        )
    };
    let with: String = (1..=30)
        .map(|day| line(day, "{\"headers\":{\"Accept\":\"*/*\"}}"))
        .collect();
    let desk = Desk::new()
        .with("rules.toml", RULES)
        .with("log", format!("{with}{}", line(31, "{}")));
    let report = json_of(&desk, &["log"]);
    assert_eq!(
        element(&report, "team-header")["reason"],
        "in 0 of 30 readable calls on 30 days; 1 more call has no header fields"
    );
}

#[test]
fn a_gate_passes_only_if_nothing_is_used_and_all_is_known() {
    let desk = desk();
    for (arguments, code) in [
        (&["--rule", "team-header", "--rule", "old-total"][..], 0),
        (&["--rule", "legacy-id"], 1),
        (&["--rule", "legacy-id", "--since", "2026-09-25"], 1),
        // After the last use, with 9 days.
        (&["--rule", "legacy-id", "--since", "2026-10-22"], 2),
        (
            &[
                "--rule",
                "legacy-id",
                "--since",
                "2026-10-22",
                "--quiet-days",
                "9",
            ],
            0,
        ),
        (&["--rule", "legacy-id", "--min-uses", "27"], 0),
        (&["--rule", "legacy-id", "--min-share", "14"], 1),
        (&["--rule", "legacy-id", "--min-share", "15%"], 0),
        (&["--rule", "gone"], 2),
        (&["--rule", "gone", "--rule", "legacy-id"], 2),
        (
            &["--rule", "gone", "--rule", "legacy-id", "--called-only"],
            1,
        ),
        (&["--api", "shop"], 2),
    ] {
        let ran = usage(&desk, &[&["log.ndjson", "--gate"], arguments].concat());
        assert_eq!(
            ran.code, code,
            "{arguments:?}\n{}{}",
            ran.stdout, ran.stderr
        );
        assert_eq!(usage(&desk, &[&["log.ndjson"], arguments].concat()).code, 0);
    }
    for (arguments, message) in [
        (&["--rule", "legacyid"][..], "no rule has the id `legacyid`"),
        (&["--api", "nothing"], "no rule is about the API `nothing`"),
        (&["--since", "yesterday"], "dates look like 2026-11-20"),
        (
            &["--since", "2026-10-01", "--until", "2026-09-01"],
            "--since is not before --until",
        ),
        (&["--by", "name"], "attributes are user-agent"),
    ] {
        let ran = usage(&desk, &[&["log.ndjson"], arguments].concat());
        assert!(
            ran.code == 2 && ran.stderr.contains(message),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn what_is_left_out_is_counted() {
    let desk = desk().with(
        "undated.ndjson",
        "{\"method\":\"POST\",\"url\":\"/v1/orders\",\"request\":{\"body\":{\"legacyId\":1}}}\n",
    );
    let arguments = [
        ".",
        "--since",
        "2026-09-02",
        "--until",
        "2026-09-03",
        "--by",
        "user-agent",
        "--exclude-caller",
        "shop/*",
        "--rule",
        "legacy-id",
    ];
    let report = json_of(&desk, &arguments);
    let excluded = json!({"outside_period": 174, "undated": 1, "by_caller": 2, "never_called": 0});
    assert_eq!(report["excluded"], excluded);
    assert_eq!(
        (&report["calls"]["count"], &report["calls"]["days"]),
        (&json!(4), &json!(2))
    );
}

#[test]
fn values_of_callers_appear_only_if_the_user_asks() {
    let desk = desk().with("key", "a secret of enough bytes\n");
    let by = [
        "log.ndjson",
        "--by",
        "header:X-Team",
        "--by",
        "member:service.name",
        "--rule",
        "legacy-id",
    ];
    let key = ["--caller-key-file", "key"];
    for format in ["human", "json", "csv", "markdown", "html"] {
        let run = |more: &[&str]| {
            let ran = usage(&desk, &[&by[..], &["--format", format], more].concat());
            assert_eq!(ran.code, 0, "{}", ran.stderr);
            ran.stdout
        };
        let hashed = run(&key);
        assert!(
            !hashed.contains("team of") && !hashed.contains("billing"),
            "{hashed}"
        );
        assert!(!hashed.contains('\u{1b}'));
        assert_eq!(hashed, run(&key), "one key gives one hash");
        assert_ne!(run(&[]), run(&[]), "each run has its own key");
        let shown = run(&["--show-callers"]);
        assert!(shown.contains("team of billing/1"), "{shown}");
        assert!(!shown.contains('\u{1b}'), "{shown}");
    }
}

#[test]
fn collections_and_commands_name_their_callers_in_header_fields() {
    let (url, body) = ("https://shop.example/v1/orders", "{\"legacyId\": 1}");
    let postman = json!({
        "info": {"name": "x", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
        "item": [{"name": "a", "request": {
            "method": "POST", "url": url, "body": {"mode": "raw", "raw": body},
            "header": [
                {"key": "X-Team", "value": "off", "disabled": true},
                {"key": "X-Team", "value": "a"}, {"key": "user-agent", "value": "b/1"},
            ],
        }}],
    });
    let bruno = "meta {\n  name: a\n  type: http\n}\n\npost {\n  url: URL\n  body: json\n}\n\nheaders {\n  ~X-Team: off\n  X-Team: a\n  User-Agent: b/1\n}\n\nbody:json {\n  BODY\n}\n";
    let hurl = "POST URL\nX-Team: a\nUser-Agent: b/1\nBODY\n";
    let http = "POST URL\nX-Team: a\nUser-Agent: b/1\nContent-Type: application/json\n\nBODY\n";
    let filled = |text: &str| text.replace("URL", url).replace("BODY", body);
    let files = [
        ("a.postman_collection.json", postman.to_string()),
        ("a.bru", filled(bruno)),
        ("a.hurl", filled(hurl)),
        ("a.http", filled(http)),
        (
            "header.sh",
            filled("curl URL -H 'X-Team: a' -H 'User-Agent: b/1' -A c/1 --json 'BODY'"),
        ),
        (
            "agent.sh",
            filled("curl URL -H 'X-Team: a' -A b/1 --json 'BODY'"),
        ),
        (
            "long.sh",
            filled("curl URL -H 'X-Team: a' --user-agent b/1 --json 'BODY'"),
        ),
    ];
    for (name, text) in files {
        let desk = Desk::new().with("rules.toml", RULES).with(name, text);
        let by = [
            name,
            "--by",
            "header:x-team",
            "--by",
            "user-agent",
            "--show-callers",
        ];
        let report = json_of(&desk, &by);
        let callers = &element(&report, "legacy-id")["callers"];
        assert_eq!(
            callers[0]["values"],
            json!([{"value": "a"}, {"value": "b/1"}]),
            "{name}"
        );
        assert_eq!(callers.as_array().unwrap().len(), 1, "{name}");
    }
}

#[test]
fn callers_can_be_places_in_code() {
    let entry = |initiator: Option<Value>| {
        let mut entry = json!({
            "startedDateTime": "2026-11-01T00:00:00Z",
            "request": {
                "method": "POST", "url": "https://shop.example/v1/orders", "headers": [],
                "postData": {"mimeType": "application/json", "text": "{\"legacyId\":1}"},
            },
            "response": {"status": 200, "headers": [], "content": {}},
        });
        if let Some(initiator) = initiator {
            entry["_initiator"] = initiator;
        }
        entry
    };
    // The protocol counts lines and columns from zero.
    let frame = json!({
        "functionName": "save", "scriptId": "7", "lineNumber": 0, "columnNumber": 344,
        "url": "https://user:password@shop.example/app.js?token=secret",
    });
    let script = json!({"type": "script", "stack": {"callFrames": [frame]}});
    let entries = [
        entry(Some(script.clone())),
        entry(Some(script)),
        entry(None),
    ];
    let har =
        json!({"log": {"version": "1.2", "creator": {"name": "WebInspector"}, "entries": entries}});
    let desk = Desk::new()
        .with("rules.toml", RULES)
        .with("a.har", har.to_string());
    let report = json_of(
        &desk,
        &["a.har", "--by", "initiator", "--rule", "legacy-id"],
    );
    assert_eq!(
        calls_by_value(element(&report, "legacy-id")),
        [
            (json!("https://shop.example/app.js:1:345 (save)"), json!(2)),
            (Value::Null, json!(1))
        ]
    );
}

#[test]
fn callers_can_be_cassettes_and_other_files_identify_no_one() {
    let interaction = "\
- request: {method: POST, uri: 'https://shop.example/v1/orders', headers: {}, body: '{\"legacyId\": 1}'}
  response: {status: {code: 200, message: OK}, headers: {}, body: {string: '{}'}}
";
    let cassette = |count| format!("interactions:\n{}version: 1\n", interaction.repeat(count));
    let desk = Desk::new()
        .with("rules.toml", RULES)
        .with("test_pay.yaml", cassette(3))
        .with("test_cart.yaml", cassette(2))
        .with(
            "log.ndjson",
            lines(&[order("2026-11-01", "shop/2", &json!({"legacyId": 1}))]),
        );
    let paths = ["test_pay.yaml", "test_cart.yaml", "log.ndjson"];
    let report = json_of(&desk, &[&paths[..], &["--by", "cassette"]].concat());
    assert_eq!(
        calls_by_value(element(&report, "legacy-id")),
        [
            (json!("test_pay.yaml"), json!(3)),
            (json!("test_cart.yaml"), json!(2)),
            (Value::Null, json!(1)),
        ]
    );
}

/// Captures with secrets in everything that may name a caller, and in broken records.
fn secretive_desk() -> Desk {
    let headers = json!({
        "Authorization": "Bearer veiled-token", "Cookie": "session=veiled-cookie", "X-Team": "veiled-team",
        "User-Agent": "shop/2 (veiled-comment) lib/1 key=veiled-key lib/2",
    });
    let url = "https://ann:veiled-password@shop.example/v1/orders?key=veiled-query#veiled-fragment";
    let record = json!({
        "time": "2026-11-01T00:00:00Z", "method": "POST", "url": url,
        "request": {"headers": headers, "body": {"legacyId": "veiled-value"}},
        "response": {"status": 200, "headers": {"Set-Cookie": "veiled-answer"}, "body": {"total": "veiled-total"}},
        "service": {"name": "veiled-service"}, "kubernetes": {"pod": {"labels": {"app": ["veiled-app"]}}},
    });
    let access = r#"10.0.0.1 - veiled-user [20/Nov/2026:13:00:00 +0100] "GET /v1/orders/veiled-id?trace=veiled HTTP/1.1" 200 12 "https://h/veiled-referrer" "shop/2 (veiled-comment)""#;
    let broken = r#"{"method":"POST","url":"/v1/orders","request":{"body":"veiled-body"#;
    let log = format!(
        "{}{access}\n{broken}\n{broken}\n",
        lines(&[record.clone(), record])
    );
    let frame = json!({
        "functionName": "save", "lineNumber": 0, "columnNumber": 0,
        "url": "https://ann:veiled-password@shop.example/app.js?token=veiled-script#veiled-part",
    });
    let entry = json!({
        "startedDateTime": "2026-11-01T00:00:00Z", "_initiator": {"type": "script", "stack": {"callFrames": [frame]}},
        "request": {
            "method": "POST", "url": url, "headers": [{"name": "X-Team", "value": "veiled-team"}],
            "postData": {"mimeType": "application/json", "text": "{\"legacyId\":\"veiled-value\"}"},
        },
        "response": {"status": 200, "headers": [], "content": {}},
    });
    let har =
        json!({"log": {"version": "1.2", "creator": {"name": "WebInspector"}, "entries": [entry]}});
    let desk = Desk::new()
        .with("rules.toml", RULES)
        .with("log.ndjson", log);
    desk.with("a.har", har.to_string())
        .with("key", "veiled-secret-of-enough-bytes")
        .with("short", "veiled-1")
}

#[test]
fn no_output_shows_a_value_that_names_a_caller_or_anything_else() {
    let desk = secretive_desk();
    let attributes = [
        "user-agent",
        "header:x-team",
        "header:authorization",
        "header:cookie",
        "member:/service/name",
        "member:kubernetes.pod.labels.app",
        "file",
        "initiator",
        "cassette",
    ];
    let by: Vec<&str> = attributes
        .iter()
        .flat_map(|attribute| ["--by", *attribute])
        .collect();
    let help = desk.run(&["usage", "--help"]).stdout;
    let formats: Vec<&str> = ["human", "json", "csv", "markdown", "html"]
        .into_iter()
        .filter(|format| help.contains(*format))
        .collect();
    assert_eq!(formats.len(), 5, "{help}");
    let fixed = [
        "usage",
        "--no-builtin-rules",
        "--rules",
        "rules.toml",
        "--caller-key-file",
        "key",
    ];
    for format in formats {
        let plain = desk.run(
            &[
                &fixed[..],
                &["log.ndjson", "a.har", "--format", format],
                &by,
            ]
            .concat(),
        );
        let Ran {
            stdout,
            stderr,
            code,
        } = &plain;
        assert!(
            *code == 0 && stdout.contains("legacy-id"),
            "{format}: {stderr}"
        );
        assert!(
            !stdout.contains("veiled") && !stderr.contains("veiled"),
            "{format}: {stdout}{stderr}"
        );
        let partial =
            desk.run(&[&fixed[..], &["log.ndjson", "a.har", "--partial", "-"], &by].concat());
        assert!(
            partial.stdout.contains("\"end\"") && !partial.stdout.contains("veiled"),
            "{}",
            partial.stdout
        );
        // The table for people cuts the names of so many attributes.
        let is_named = format == "human" || plain.stdout.contains("app.js:1:1");
        assert!(is_named, "{}", plain.stdout);
        // What is asked for is shown, and nothing else.
        let shown = [
            "log.ndjson",
            "--format",
            format,
            "--by",
            "header:x-team",
            "--show-callers",
        ];
        let shown = desk.run(&[&fixed[..], &shown].concat()).stdout;
        assert!(
            shown.contains("veiled-team") && !shown.replace("veiled-team", "").contains("veiled"),
            "{shown}"
        );
    }
    let ran = usage(
        &desk,
        &[
            "a.har",
            "--by",
            "header:x-team",
            "--caller-key-file",
            "short",
        ],
    );
    assert!(
        ran.code == 2 && !ran.stderr.contains("veiled"),
        "{}",
        ran.stderr
    );
}

#[test]
fn logs_name_their_callers_outside_of_header_fields() {
    let call = r#""method":"POST","url":"/v1/orders","request":{"body":{"legacyId":1}}"#;
    let otel = |service: &str, agent: &str| {
        let attribute =
            |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
        let span = json!({"attributes": [
            attribute("http.request.method", "GET"), attribute("url.full", "http://h/v1/orders/7?trace=1"),
            attribute("user_agent.original", agent),
        ]});
        let resource = json!({"attributes": [attribute("service.name", service)]});
        json!({"resource": resource, "scopeSpans": [{"spans": [span]}]})
    };
    let batch = |spans: &[Value]| json!({"resourceSpans": spans}).to_string();
    let access =
        r#"10.0.0.1 - - [20/Nov/2026:13:00:00 +0100] "GET /v1/orders/7?trace=1 HTTP/1.1" 200 12"#;
    for (line, by, value) in [
        (
            format!(r#"{access} "https://shop.example/a" "shop/2 (x)""#),
            "user-agent",
            Some("shop/2"),
        ),
        (
            format!(r#"{access} "-" "a \"quoted\" agent/1" "10.1.1.1""#),
            "user-agent",
            Some("a"),
        ),
        (format!(r#"{access} "-" "-""#), "user-agent", None),
        (access.to_owned(), "user-agent", None),
        (
            format!(r#"{access} "-" "shop/2""#),
            "header:User-Agent",
            Some("shop/2"),
        ),
        (
            format!(r#"{{{call},"http_user_agent":"shop/2 (x)"}}"#),
            "user-agent",
            Some("shop/2"),
        ),
        (
            format!(r#"{{{call},"user_agent":{{"original":"shop/2"}}}}"#),
            "user-agent",
            Some("shop/2"),
        ),
        (
            format!(r#"{{{call},"httpRequest":{{"userAgent":"shop/2"}}}}"#),
            "user-agent",
            Some("shop/2"),
        ),
        (
            format!(r#"{{{call},"user_agent":{{"device":7}}}}"#),
            "user-agent",
            None,
        ),
        (
            batch(&[otel("shop", "shop/2")]),
            "user-agent",
            Some("shop/2"),
        ),
        (
            batch(&[otel("shop", "shop/2")]),
            "member:service.name",
            Some("shop"),
        ),
        (
            batch(&[otel("shop", "a/1"), otel("", "a/1")]),
            "user-agent",
            Some("a/1"),
        ),
    ] {
        // A log of one line is a document, and neither it nor a list of records says less about callers.
        let is_json = line.starts_with('{');
        let texts = [
            format!("{line}\n{line}\n"),
            format!("{line}\n"),
            format!("[{line},{line}]"),
            pretty(&line),
        ];
        for text in texts.iter().take(if is_json { 4 } else { 2 }) {
            let desk = Desk::new().with("rules.toml", RULES).with("log", text);
            let report = json_of(
                &desk,
                &["log", "--by", by, "--show-callers", "--called-only"],
            );
            assert_eq!(callers(&report), [json!(value)], "{text} {by}");
        }
    }
    // Each call of a batch has a service of its own.
    let line = batch(&[
        otel("shop", "a/1"),
        otel("billing", "a/1"),
        otel("shop", "a/1"),
    ]);
    let desk = Desk::new()
        .with("rules.toml", RULES)
        .with("log", format!("{line}\n"));
    let report = json_of(
        &desk,
        &["log", "--by", "member:service.name", "--show-callers"],
    );
    assert_eq!(
        calls_by_value(element(&report, "trace")),
        [(json!("shop"), json!(2)), (json!("billing"), json!(1))]
    );
}

/// JSON over several lines; other text as it is.
fn pretty(line: &str) -> String {
    let value: Option<Value> = serde_json::from_str(line).ok();
    value.map_or_else(
        || line.to_owned(),
        |value| serde_json::to_string_pretty(&value).unwrap(),
    )
}

/// The callers of all elements that are used.
fn callers(report: &Value) -> Vec<Value> {
    let used = report["elements"].as_array().unwrap().iter();
    let used = used.filter(|element| element["calls_with_use"].as_u64() > Some(0));
    used.flat_map(calls_by_value)
        .map(|(value, _)| value)
        .collect()
}

#[test]
fn a_body_names_no_caller() {
    let attribute = |key: &str, value: Value| json!({"key": key, "value": value});
    let named = [
        attribute("user_agent.original", json!("veiled/1")),
        attribute("service.name", json!({"stringValue": "veiled"})),
    ];
    let body = json!({"legacyId": 1, "attributes": named, "list": named, "resource": {"attributes": named}});
    let call = |body: &Value| json!({"method": "POST", "url": "/v1/orders", "request": {"body": body}, "response": {"status": 200, "body": body}});
    let itself = json!({"method": "POST", "url": "/v1/orders", "request": body});
    let encoded = call(&json!(body.to_string()));
    let mapped = json!({"m": "POST", "u": "/v1/orders", "attributes": [{"legacyId": 1}, named[0], named[1]]});
    let mapping = "[[log]]\nfiles = [\"mapped\"]\nmethod = \"/m\"\nurl = \"/u\"\nrequest-body = \"/attributes\"\n";
    let desk = Desk::new()
        .with("rules.toml", RULES)
        .with("mapped", lines(&[mapped]));
    let desk = desk
        .with("log", lines(&[call(&body), itself, encoded]))
        .with("sundown.toml", mapping);
    for by in ["user-agent", "member:service.name"] {
        let report = json_of(&desk, &["log", "mapped", "--by", by, "--show-callers"]);
        assert_eq!(
            calls_by_value(element(&report, "legacy-id")),
            [(Value::Null, json!(4))],
            "{report}"
        );
        assert!(!report.to_string().contains("veiled"), "{report}");
    }
}

#[test]
fn the_time_for_the_callers_of_a_batch_grows_with_its_size() {
    let attribute = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
    let span = json!({"attributes": [
        attribute("http.request.method", "GET"), attribute("url.full", "http://h/v1/orders/7?trace=1"),
    ]});
    let spans = vec![span; 4_000];
    let resource = json!({"attributes": [attribute("other", &"x".repeat(4_000_000)), attribute("service.name", "shop")]});
    let batch =
        json!({"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": spans}]}]});
    let desk = Desk::new()
        .with("rules.toml", RULES)
        .with("log", lines(&[batch]));
    let report = json_of(
        &desk,
        &["log", "--by", "member:service.name", "--show-callers"],
    );
    // If each call parsed the whole batch, that would be 20 GB.
    assert_eq!(
        calls_by_value(element(&report, "trace")),
        [(json!("shop"), json!(4_000))]
    );
}

#[test]
fn a_log_with_some_header_fields_says_nothing_about_the_others() {
    let format = r#"[[log]]
files = ["access.log"]
log-format = '$remote_addr [$time_iso8601] "$request" $status "$http_x_team"'
"#;
    let line = |day: u32| {
        format!(
            "::1 [2026-09-{day:02}T10:00:00+00:00] \"GET /v1/orders/7 HTTP/1.1\" 200 \"shop\"\n"
        )
    };
    let lines = (1..=30).map(line).collect::<Vec<_>>().concat();
    let desk = Desk::new()
        .with("rules.toml", RULES)
        .with("sundown.toml", format);
    let desk = desk.with("access.log", lines);
    let report = json_of(
        &desk,
        &["access.log", "--by", "header:x-team", "--show-callers"],
    );
    let header = element(&report, "team-header");
    let reason = "the capture has header fields for none of 30 calls";
    assert_eq!(
        (&header["verdict"], &header["reason"]),
        (&json!("cannot-tell"), &json!(reason))
    );
    assert_eq!(element(&report, "trace")["verdict"], "not-seen");
}

#[test]
fn times_of_any_year_and_zone_are_days_of_utc() {
    let at = |time: Value| {
        let mut record = order("2026-09-01", "shop/2", &json!({"legacyId": 1}));
        record["time"] = time;
        record
    };
    let times = [
        json!("1970-01-01T00:00:00Z"),
        json!("2026-09-02T00:30:00+02:00"),
        json!("2027-03-01T00:00:00Z"),
        json!("9999-12-31T23:59:59Z"),
        json!(1_795_182_834_993_u64),
        json!("yesterday"),
        json!(null),
    ];
    let desk = Desk::new()
        .with("rules.toml", RULES)
        .with("log.ndjson", lines(&times.map(at)));
    let report = json_of(&desk, &["log.ndjson", "--rule", "legacy-id"]);
    let found = element(&report, "legacy-id");
    let days: Vec<_> = found["days"]
        .as_array()
        .unwrap()
        .iter()
        .map(|day| day["day"].as_str().unwrap())
        .collect();
    assert_eq!(
        days,
        [
            "1970-01-01",
            "2026-09-01",
            "2026-11-20",
            "2027-03-01",
            "9999-12-31"
        ]
    );
    assert_eq!(
        (&found["undated"], &found["calls_with_use"]),
        (&json!(2), &json!(7))
    );
    let ran = usage(&desk, &["log.ndjson", "--rule", "legacy-id"]);
    let warning = "Times after 2026-11-20: 2 days, the last of them 9999-12-31. The clock of the log may be wrong.";
    assert!(
        ran.stdout.replace('\n', " ").contains(warning),
        "{}",
        ran.stdout
    );
}

/// The callers of an element in the order of the report: the value of their attribute, and their calls.
fn calls_by_value(element: &Value) -> Vec<(Value, Value)> {
    let callers = element["callers"].as_array().unwrap();
    let calls = |caller: &Value| {
        (
            caller["values"][0]["value"].clone(),
            caller["calls_with_use"].clone(),
        )
    };
    callers.iter().map(calls).collect()
}

#[test]
fn hostile_attributes_identify_no_one() {
    let long = "x".repeat(1_000_000);
    let agents = [
        json!(long),
        json!("\u{1b}[2J/1"),
        json!(["a", {}]),
        json!({}),
        json!("(".repeat(2_000)),
    ];
    let records: Vec<_> = agents
        .iter()
        .map(|agent| {
            let mut record = order("2026-09-01", "", &json!({"legacyId": 1}));
            record["request"]["headers"]["User-Agent"] = agent.clone();
            record["service"]["name"] = agent.clone();
            record
        })
        .collect();
    let desk = Desk::new()
        .with("rules.toml", RULES)
        .with("log.ndjson", lines(&records));
    for by in ["user-agent", "member:/service/name"] {
        let report = json_of(&desk, &["log.ndjson", "--by", by, "--show-callers"]);
        let text = report.to_string();
        assert!(
            text.len() < 20_000 && !text.contains('\u{1b}'),
            "{by}: {}",
            text.len()
        );
        assert!(
            report["input"]["unusable_callers"].as_u64().unwrap() >= 2,
            "{by}: {text}"
        );
        assert_eq!(element(&report, "legacy-id")["calls_with_use"], 5, "{by}");
    }
}

#[test]
fn different_callers_have_different_rows_in_csv() {
    let values = [
        json!({"X-One": "x, y", "X-Two": "z"}),
        json!({"X-One": "x", "X-Two": "y, z"}),
        json!({"X-One": "unidentified"}),
        json!({"X-Three": "z"}),
    ];
    let records = values.map(|headers| {
        let mut record = order("2026-09-01", "", &json!({"legacyId": 1}));
        record["request"]["headers"] = headers;
        record
    });
    let desk = Desk::new()
        .with("rules.toml", RULES)
        .with("log.ndjson", lines(&records));
    let by = [
        "--by",
        "header:X-One",
        "--by",
        "header:X-Two",
        "--show-callers",
    ];
    let csv = usage(
        &desk,
        &[
            &["log.ndjson", "--rule", "legacy-id", "--format", "csv"],
            &by[..],
        ]
        .concat(),
    );
    let heads = csv.stdout.lines().next().unwrap();
    assert!(
        heads.contains(",row,header:x-one,header:x-two,calls_with_use,"),
        "{heads}"
    );
    let cells = csv
        .stdout
        .lines()
        .filter_map(|line| Some(line.split_once(",caller,")?.1));
    let mut cells: Vec<_> = cells
        .map(|cells| cells.split(",1,2026").next().unwrap())
        .collect();
    cells.sort_unstable();
    assert_eq!(
        cells,
        ["\"x, y\",z,1", ",,1", "unidentified,,1", "x,\"y, z\",1"]
    );
}

#[test]
fn every_member_of_the_json_report_is_in_its_schema() {
    let desk = desk();
    let schema: Value = serde_json::from_str(&desk.run(&["schema", "usage"]).stdout).unwrap();
    let mut strict = schema.clone();
    close(&mut strict);
    for arguments in [
        &["--by", "user-agent"][..],
        &["--by", "header:x-team", "--since", "2026-09-05"],
    ] {
        let report = json_of(&desk, &[&["."], arguments].concat());
        jsonschema::validate(&strict, &report).unwrap();
    }
}

/// Forbids members that the schema does not name.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(close);
            if members.get("properties").is_some_and(Value::is_object)
                && members.contains_key("type")
            {
                members.insert("additionalProperties".to_owned(), json!(false));
            }
        }
        Value::Array(values) => values.iter_mut().for_each(close),
        _ => {}
    }
}

/// What a report says about the calls: all but the files.
fn counts(mut report: Value) -> Value {
    report["input"] = json!(null);
    report
}

fn call() -> impl Strategy<Value = Value> {
    let bodies = prop::sample::select(vec![
        json!({"legacyId": 1}),
        json!({"lines": [{"legacyId": 1}, {"legacyId": 2}], "note": "legacyId"}),
        json!({"id": 1}),
        json!(null),
        json!("no JSON"),
    ]);
    (0usize..40, 0usize..6, bodies, any::<bool>()).prop_map(|(day, agent, body, is_dated)| {
        let mut record = order(&days()[day].to_string(), &format!("agent{agent}/1"), &body);
        if !is_dated {
            record["time"] = json!(null);
        }
        record
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Neither the files nor the threads nor the quick walk matter.
    #[test]
    fn files_add_up_to_one(
        calls in prop::collection::vec((call(), 0usize..4), 1..60),
        threads in prop::sample::select(vec!["1", "2", "8"]),
    ) {
        let all: Vec<_> = calls.iter().map(|(call, _)| call.clone()).collect();
        let mut desk = Desk::new().with("rules.toml", RULES).with("key", "a secret of enough bytes");
        desk = desk.with("all.ndjson", lines(&all));
        let mut names = Vec::new();
        for file in 0..4 {
            let part: Vec<_> = calls.iter().filter(|(_, of)| *of == file).map(|(call, _)| call.clone()).collect();
            if !part.is_empty() {
                let name = format!("part{file}.ndjson");
                desk = desk.with(&name, lines(&part));
                names.insert(0, name);
            }
        }
        let by = ["--by", "user-agent", "--by", "header:X-Team", "--caller-key-file", "key", "--quiet-days", "5"];
        let whole = counts(json_of(&desk, &[&["all.ndjson"][..], &by].concat()));
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let parts = json_of(&desk, &[&names[..], &by, &["--threads", threads]].concat());
        prop_assert_eq!(&counts(parts), &whole);
        let strict = json_of(&desk, &[&["all.ndjson", "--strict"][..], &by].concat());
        prop_assert_eq!(&counts(strict), &whole);
    }
}

#[test]
fn a_folder_that_cannot_be_read_fails_the_scan_beside_others() {
    let desk = desk().with("log.ndjson", lines(&log()));
    let missing = usage(&desk, &["log.ndjson", "no-such-folder"]);
    assert_eq!(missing.code, 2, "{}", missing.stdout);
    let empty = desk.with("empty/notes.txt", "");
    assert_eq!(usage(&empty, &["log.ndjson", "empty"]).code, 0);
}

#[test]
fn a_record_that_is_a_call_itself_is_not_searched_in_its_texts() {
    let call = |message: &str| {
        json!({"time": "2026-10-01T10:00:00Z", "method": "POST", "url": "/v1/orders",
            "message": message, "request": {"body": {"legacyId": 1}}})
    };
    let texts = ["{\"service\":\"other\"}", "{\"x\"} done"];
    let desk = desk().with("own.ndjson", lines(&texts.map(call)));
    let report = json_of(
        &desk,
        &["own.ndjson", "--by", "member:service", "--show-callers"],
    );
    let callers = callers(&report);
    assert_eq!(callers, [Value::Null], "{report}");
}
