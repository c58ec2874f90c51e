//! Findings name the code that made a call, if the capture says so.

use serde_json::{Value, json};

use crate::support::{Desk, Ran};

const RULES: &str = r#"
api = "Shop"
[[rule]]
id = "total"
operation = "POST /orders"
field = "total"
removal = 2026-11-10
"#;

/// A frame of a call stack. The protocol counts lines and columns from zero.
fn frame(url: &str, line: u32, column: u32, function: &str) -> Value {
    json!({"functionName": function, "scriptId": "7", "url": url, "lineNumber": line, "columnNumber": column})
}

fn stack(frames: &[Value]) -> Value {
    json!({"type": "script", "stack": {"callFrames": frames}})
}

/// An entry of an archive that uses the deprecated field.
fn entry(initiator: Option<&Value>) -> Value {
    let mut entry = json!({
        "startedDateTime": "2026-11-20T00:00:00Z",
        "request": {
            "method": "POST",
            "url": "https://shop.example/orders",
            "headers": [],
            "postData": {"mimeType": "application/json", "text": "{\"total\":1}"},
        },
        "response": {"status": 200, "headers": [], "content": {}},
    });
    if let Some(initiator) = initiator {
        entry["_initiator"] = initiator.clone();
    }
    entry
}

fn har(entries: &[Value]) -> String {
    json!({"log": {"version": "1.2", "creator": {"name": "WebInspector"}, "entries": entries}})
        .to_string()
}

fn run(har: &str, arguments: &[&str]) -> Ran {
    let desk = Desk::new().with("rules.toml", RULES).with("a.har", har);
    let common = [
        "check",
        "a.har",
        "--rules",
        "rules.toml",
        "--as-of",
        "2026-11-20",
    ];
    desk.run(&[&common, arguments].concat())
}

fn json_of(har: &str) -> Value {
    serde_json::from_str(&run(har, &["--format", "json"]).stdout).unwrap()
}

#[test]
fn the_innermost_place_outside_libraries_is_named() {
    let initiator = stack(&[
        frame(
            "https://shop.example/node_modules/.vite/deps/axios.js",
            5,
            6,
            "dispatch",
        ),
        frame("https://u:p@shop.example/app.js?v=1#x", 0, 344, "save"),
        frame("https://shop.example/app.js", 9, 0, "click"),
    ]);
    let har = har(&[entry(Some(&initiator))]);
    let expected = json!([{
        "file": "https://shop.example/app.js",
        "line": 1,
        "column": 345,
        "function": "save",
        "callers": [{"file": "https://shop.example/app.js", "line": 10, "column": 1, "function": "click"}],
        "seen": 1,
    }]);
    assert_eq!(json_of(&har)["findings"][0]["origins"], expected);
    let phrase = "called from https://shop.example/app.js:1:345 in `save`";
    for format in ["human", "github", "gitlab", "junit", "checkstyle"] {
        let out = run(&har, &["--format", format]).stdout;
        assert!(
            out.contains(phrase) || out.contains(&phrase.replace(':', "%3A")),
            "{format}: {out}"
        );
    }
    let sarif: Value = serde_json::from_str(&run(&har, &["--format", "sarif"]).stdout).unwrap();
    let related = &sarif["runs"][0]["results"][0]["relatedLocations"][0];
    assert_eq!(
        related,
        &json!({
            "id": 1,
            "physicalLocation": {
                "artifactLocation": {"uri": "https://shop.example/app.js"},
                "region": {"startLine": 1},
            },
            "logicalLocations": [{"name": "save", "kind": "function"}],
            "message": {"text": "called from here"},
        })
    );
}

#[test]
fn the_code_that_opentelemetry_records_is_named() {
    let code = json!({
        "code.file.path": "/srv/shop/orders.py?token=S",
        "code.line.number": 41,
        "code.function.name": "orders.save",
    });
    let call = json!({"http.request.method": "POST", "url.full": "https://shop.example/orders"});
    let body = json!({"http.request.body.content": "{\"total\":1}"});
    let attributes: serde_json::Map<_, _> = [&code, &call, &body]
        .into_iter()
        .flat_map(|part| part.as_object().unwrap().clone())
        .collect();
    let list: Vec<Value> = attributes
        .iter()
        .map(|(key, value)| {
            let kind = if value.is_string() {
                "stringValue"
            } else {
                "intValue"
            };
            json!({"key": key, "value": {kind: value}})
        })
        .collect();
    let time = "1795075964000000000";
    let span = json!({"name": "POST", "startTimeUnixNano": time, "attributes": list});
    let other = json!({"name": "GET", "attributes": [{"key": "code.filepath", "value": {"stringValue": "other.py"}}]});
    let batch = json!({"resourceSpans": [{"scopeSpans": [{"spans": [other, span]}]}]});
    let single = json!({"name": "POST", "attributes": attributes});
    let wrapped = json!({"log": single.to_string(), "stream": "stdout"});
    for record in [&batch, &single, &wrapped] {
        let report = json_of(&record.to_string());
        let expected = json!([{
            "file": "/srv/shop/orders.py",
            "line": 41,
            "function": "orders.save",
            "seen": 1,
        }]);
        assert_eq!(report["findings"][0]["origins"], expected, "{record}");
    }
}

#[test]
fn findings_are_grouped_by_the_code_that_made_the_calls() {
    let at = |line: u32| frame("https://shop.example/app.js", line, 4, "send");
    let save = stack(&[at(0), at(8)]);
    let load = stack(&[at(0), at(20)]);
    let har = har(&[
        entry(Some(&load)),
        entry(Some(&save)),
        entry(Some(&load)),
        entry(None),
    ]);
    let text = run(&har, &["--group-by", "origin"]).stdout;
    insta::assert_snapshot!(text);
}

#[test]
fn a_stack_of_libraries_alone_is_marked() {
    let initiator = stack(&[frame("https://shop.example/vendor.js", 0, 1, "a")]);
    let report = json_of(&har(&[entry(Some(&initiator))]));
    assert_eq!(report["findings"][0]["origins"][0]["library"], json!(true));
}

#[test]
fn entries_without_a_call_stack_have_no_origin() {
    let other = json!({"type": "other"});
    let odd = [
        json!(null),
        json!(7),
        json!([]),
        json!({"stack": {"callFrames": {}}}),
        json!(""),
    ];
    for initiator in [None, Some(&other)].into_iter().chain(odd.iter().map(Some)) {
        let report = json_of(&har(&[entry(initiator)]));
        assert_eq!(report["findings"][0].get("origins"), None, "{initiator:?}");
    }
}

#[test]
fn folded_findings_count_their_origins_in_any_order() {
    let at = |line: u32| {
        entry(Some(&stack(&[frame(
            "https://shop.example/app.js",
            line,
            0,
            "",
        )])))
    };
    let entries: Vec<Value> = (0..30)
        .map(|number| at(number % 15))
        .chain([entry(None), at(2)])
        .collect();
    let report = json_of(&har(&entries));
    let finding = &report["findings"][0];
    assert_eq!(finding["seen"], json!(32));
    let origins = finding["origins"].as_array().unwrap();
    assert_eq!(origins.len(), 10);
    assert_eq!(
        (&origins[0]["line"], &origins[0]["seen"]),
        (&json!(3), &json!(3))
    );
    assert_eq!(finding["origins_left_out"], json!(10));
    let reversed: Vec<Value> = entries.into_iter().rev().collect();
    assert_eq!(
        &json_of(&har(&reversed))["findings"][0]["origins"],
        &finding["origins"]
    );
}

#[test]
fn origins_do_not_depend_on_where_an_entry_is_read() {
    let desk = Desk::new().with("rules.toml", RULES);
    let initiator = stack(&[frame("https://shop.example/app.js", 3, 4, "save")]);
    let arguments = [
        "check",
        "-",
        "--rules",
        "rules.toml",
        "--no-builtin-rules",
        "--no-config",
    ];
    let origins = |text: &str| {
        let report = desk.run_with(&arguments, text.as_bytes()).stdout;
        let lines = report.lines().filter(|line| line.contains("called from"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let expected = ["  = called from https://shop.example/app.js:4:5 in `save`"];
    let mut chrome = entry(Some(&initiator));
    assert_eq!(origins(&har(&[chrome.clone()])), expected);
    assert_eq!(
        origins(&format!("{chrome}\n")),
        expected,
        "an entry on a line"
    );
    let lost = har(&[chrome.clone()]).replacen("{\"version\"", "{,\"version\"", 1);
    assert_eq!(origins(&lost), expected, "in a broken archive");
    chrome["_initiator"] = json!("https://shop.example/app.js");
    chrome["_initiator_line"] = json!(4);
    chrome["_initiator_detail"] = json!(initiator.to_string());
    assert_eq!(
        origins(&har(&[chrome])),
        expected,
        "as chrome-har writes it"
    );
}

#[test]
fn findings_in_cassettes_name_the_recorded_test() {
    let cassette = |field: &str| {
        let body = json!({"string": json!({field: 1}).to_string()});
        json!({"http_interactions": [{
            "request": {"method": "post", "uri": "https://shop.example/orders", "body": body, "headers": {}},
            "response": {"status": {"code": 200}, "body": {"string": ""}, "headers": {}},
            "recorded_at": "Fri, 20 Nov 2026 00:00:00 GMT",
        }], "recorded_with": "VCR 6.0.0"})
        .to_string()
    };
    let desk = Desk::new()
        .with("rules.toml", RULES)
        .with("spec/cassettes/Orders/has_a_total.json", cassette("total"))
        .with("spec/cassettes/Orders/has_none.json", cassette("sum"));
    let run = |arguments: &[&str]| {
        let common = [
            "check",
            "spec",
            "--rules",
            "rules.toml",
            "--as-of",
            "2026-11-20",
        ];
        desk.run(&[&common, arguments].concat()).stdout
    };
    let by_origin = run(&["--group-by", "origin"]);
    let heading =
        "the test recorded as Orders/has_a_total\n    error[total]: `total` in the request";
    assert!(by_origin.starts_with(heading), "{by_origin}");
    let json: Value = serde_json::from_str(&run(&["--format", "json"])).unwrap();
    assert_eq!(json["findings"][0]["recorded_test"], "Orders/has_a_total");
    let sarif: Value = serde_json::from_str(&run(&["--format", "sarif"])).unwrap();
    let location = &sarif["runs"][0]["results"][0]["locations"][0]["logicalLocations"];
    assert_eq!(
        *location,
        json!([{"name": "Orders/has_a_total", "kind": "test"}])
    );
    // A capture is no recording of a test.
    let har = json_of(&har(&[entry(None)]));
    assert_eq!(har["findings"][0].get("recorded_test"), None);
}
