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
    let listed = "  carts  POST /v1/carts  request\n";
    let counted = usage(&desk(), &["log.ndjson"]).stdout;
    let text = counted.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("Never called: 1 element of 1 rule."),
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
