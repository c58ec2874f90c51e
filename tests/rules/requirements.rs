//! Requirements in rules files of users: their mistakes, their conditions, and what a capture does not show.

use serde_json::{Value, json};

use crate::support::{Desk, text};

/// A rules file with one requirement of these conditions.
fn rules(conditions: &str) -> String {
    format!(
        "api = 'Shop'\n[[requirement]]\nid = 'demand'\noperations = ['* /orders/**']\n{conditions}\nmessage = 'it is wrong'\nremedy = 'make it right'\n"
    )
}

/// The findings of one requirement in a file: side, pointer, header, and what was found.
fn found_in(conditions: &str, name: &str, text: &str) -> Vec<String> {
    let desk = Desk::new()
        .with("shop.toml", rules(conditions))
        .with(name, text);
    let arguments = [
        "check",
        name,
        "--rules",
        "shop.toml",
        "--no-builtin-rules",
        "--format",
        "json",
    ];
    let ran = desk.run(&arguments);
    let report: Value = serde_json::from_str(&ran.stdout)
        .unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr));
    let brief = |finding: &Value| {
        assert_eq!(finding["rule"], "demand", "{finding}");
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let found = finding["requirement"]["found"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let found: Vec<_> = found.iter().map(text).collect();
        let parts = [
            &finding["side"],
            &finding["pointer"],
            &finding["requirement"]["header"],
        ];
        format!("{} {}", parts.map(text).join(" "), found.join("+"))
    };
    report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(brief)
        .collect()
}

/// A line of a log about a call of `POST /orders/7`.
fn line(request: &Value, response: &Value) -> String {
    format!(
        "{}\n",
        json!({"method": "POST", "url": "/orders/7", "request": request, "response": response})
    )
}

fn in_log(conditions: &str, request: &Value, response: &Value) -> Vec<String> {
    found_in(conditions, "log.ndjson", &line(request, response))
}

#[test]
#[allow(clippy::too_many_lines, reason = "a table: one entry for each mistake")]
fn mistakes_are_reported_with_their_remedies() {
    for (conditions, message, help) in [
        ("", "the requirement has no condition", "add `expect`"),
        (
            "expect = [{ side = 'request' }]",
            "a condition is about one property",
            "method, status, header",
        ),
        (
            "expect = [{ status = 200, method = 'GET' }]",
            "a condition is about one property",
            "each table",
        ),
        ("expect = []", "`expect` has no condition", "remove the key"),
        (
            "when = [{ status = 401 }]\nunless = []",
            "`unless` has no condition",
            "add a condition",
        ),
        (
            "expect = [{ status = 99 }]",
            "99 is not a status code",
            "100 to 599",
        ),
        ("expect = [{ status = [] }]", "`status` is empty", ""),
        (
            "expect = [{ status = 'ok' }]",
            "`status` is a whole number, not a string",
            "",
        ),
        (
            "expect = [{ method = 'NO METHOD' }]",
            "`NO METHOD` is not a method",
            "\"POST\"",
        ),
        (
            "expect = [{ header = 'x-a' }]",
            "the condition has no `side`",
            "add `side = \"request\"`",
        ),
        (
            "expect = [{ header = 'x-a', side = 'both' }]",
            "`both` is not a known `side`",
            "request, response",
        ),
        (
            "expect = [{ header = 'x-a', side = 'request', present = false, equals = 'a' }]",
            "what is absent has no value",
            "remove `present = false`",
        ),
        (
            "expect = [{ member = '$..a', side = 'request' }]",
            "`$..a` does not lead to a member by names",
            "$.items[*].price",
        ),
        (
            "expect = [{ member = '$.a[*]', side = 'request' }]",
            "does not lead to a member",
            "ends with a name",
        ),
        (
            "expect = [{ member = 'a.b', side = 'request' }]",
            "`a.b` is not a JSONPath",
            "",
        ),
        (
            "expect = [{ member = '$.a', side = 'request', type = 'int' }]",
            "`int` is not a known `type`",
            "integer",
        ),
        (
            "expect = [{ member = '$.a', side = 'request', format = 'date' }]",
            "`date` is not a known `format`",
            "date-time-utc",
        ),
        (
            "expect = [{ member = '$.a', side = 'request', minimum = '1' }]",
            "`minimum` is a whole number",
            "",
        ),
        (
            "expect = [{ member = '$.a', side = 'request', minimun = 1 }]",
            "minimun",
            "did you mean `minimum`?",
        ),
        (
            "expect = [{ member = '$.a', side = 'request', minimum = 2, maximum = 1 }]",
            "`minimum` is greater than `maximum`",
            "remove one of the tests",
        ),
        (
            "expect = [{ member = '$.a', side = 'request', type = 'string', minimum = 2 }]",
            "`minimum` and `maximum` are for numbers",
            "remove one of the tests",
        ),
        (
            "expect = [{ member = '$.a', side = 'request', type = 'integer', format = 'date-time-utc' }]",
            "`format` is for strings",
            "remove one of the tests",
        ),
        (
            "expect = [{ media_type = 'application/json; charset=utf-8', side = 'request' }]",
            "`application/json; charset=utf-8` is not a media type",
            "without parameters",
        ),
        (
            "expect = [{ header = 'X Tenant:', side = 'request' }]",
            "`X Tenant:` is not the name of a header field",
            "\"X-Tenant\"",
        ),
        (
            "expect = [{ text = '', side = 'response' }]",
            "`text` is empty",
            "",
        ),
        (
            "expect = [{ status = 200 }]\nseverity = 'bad'",
            "`bad` is not a known `severity`",
            "error, warning, note",
        ),
        (
            "expect = [{ status = 200 }]\nsince = 2026-01-01",
            "since",
            "keys here",
        ),
    ] {
        let desk = Desk::new().with("shop.toml", rules(conditions));
        let ran = desk.run(&["rules", "check", "shop.toml"]);
        assert_eq!(ran.code, 2, "{conditions}");
        for part in [message, help] {
            assert!(
                ran.stderr.contains(part),
                "{conditions}: {part}\n{}",
                ran.stderr
            );
        }
    }
    let twice =
        "api = 'Shop'\n[[rule]]\nid = 'a'\noperation = 'GET /a'\n[[requirement]]\nid = 'a'\n";
    let ran = Desk::new()
        .with("shop.toml", twice)
        .run(&["rules", "check", "shop.toml"]);
    for part in [
        "the id `a` is used twice",
        "names no operation",
        "`message` is missing",
        "`remedy` is missing",
    ] {
        assert!(ran.stderr.contains(part), "{part}\n{}", ran.stderr);
    }
}

#[test]
fn the_documented_example_is_the_file_that_it_names() {
    assert!(text("docs/rules.md").contains(&text("docs/example-requirements.toml")));
}

#[test]
fn a_file_may_have_requirements_alone() {
    let desk = Desk::new().with("shop.toml", rules("expect = [{ status = 200 }]"));
    let ran = desk.run(&["rules", "check", "shop.toml"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "shop.toml: 1 rule, no mistakes\n")
    );
    let listed = desk.run(&[
        "rules",
        "list",
        "--rules",
        "shop.toml",
        "--no-builtin-rules",
    ]);
    assert!(
        listed.stdout.contains("demand  it is wrong"),
        "{}",
        listed.stdout
    );
    let explained = desk.run(&["explain", "demand", "--rules", "shop.toml"]);
    assert!(
        explained.stdout.contains("the status is 200"),
        "{}",
        explained.stdout
    );
}

#[test]
fn header_fields_are_tested_in_every_form() {
    let oauth = "when = [{ side = 'request', header = 'X-Auth', equals = 'OAuth' }]";
    for headers in [
        json!({"x-auth": "oauth"}),
        json!({"X-AUTH": ["other", " OAUTH "]}),
        json!([{"name": "X-Auth", "value": "OAUTH"}]),
        json!([["x-Auth", "o\u{41}uth"]]),
    ] {
        let found = in_log(oauth, &json!({"headers": headers}), &json!({"status": 200}));
        assert_eq!(found, ["request - X-Auth "], "{headers}");
    }
    for headers in [
        json!({"x-auth": "oauth2"}),
        json!({"x-auth-type": "oauth"}),
        json!({"x-auth": 7}),
    ] {
        let found = in_log(oauth, &json!({"headers": headers}), &json!({"status": 200}));
        assert!(found.is_empty(), "{headers}: {found:?}");
    }
    let scheme =
        "expect = [{ side = 'request', header = 'Authorization', starts_with = 'Bearer ' }]";
    let tested = |value: &str| {
        in_log(
            scheme,
            &json!({"headers": {"authorization": value}}),
            &json!({}),
        )
    };
    assert_eq!(
        tested("Basic eHg="),
        ["request - Authorization another value"]
    );
    for value in [
        "bearer abc",
        "Bearer {{token}}",
        "***",
        "[REDACTED]",
        "<TOKEN>",
        "",
    ] {
        assert!(tested(value).is_empty(), "{value}");
    }
}

#[test]
fn a_header_field_is_absent_only_from_a_complete_list() {
    let trace = "expect = [{ side = 'request', header = 'X-Trace', present = true }]";
    let missing = in_log(
        trace,
        &json!({"headers": {"Host": "h.test"}}),
        &json!({"status": 200}),
    );
    assert_eq!(missing, ["request - X-Trace missing"]);
    for request in [
        json!({}),
        json!({"headers": {}}),
        json!({"headers": []}),
        json!({"headers": {"x-trace": ""}}),
    ] {
        let found = in_log(trace, &request, &json!({"status": 200}));
        assert!(found.is_empty(), "{request}: {found:?}");
    }
    // An access log has only some fields.
    let line = "10.0.0.1 - - [20/Nov/2026:09:00:00 +0000] \"POST /orders/7 HTTP/1.1\" 200 5 \"-\" \"curl/8.1\"\n";
    assert!(found_in(trace, "access.log", line).is_empty());
    let log = "expect = [{ status = 201 }]";
    assert_eq!(found_in(log, "access.log", line), ["operation - - 200"]);
}

#[test]
fn a_condition_of_unless_excludes_only_if_it_holds() {
    let refused = "when = [{ status = 403 }]\nunless = [{ side = 'request', header = 'X-User', present = true }, { side = 'response', text = 'quota' }]";
    let tested = |headers: Value, body: Value| {
        in_log(
            refused,
            &json!({"headers": headers}),
            &json!({"status": 403, "body": body}),
        )
    };
    assert_eq!(
        tested(json!({"Host": "h.test"}), json!({})),
        ["operation - - 403"]
    );
    assert_eq!(
        tested(json!({}), Value::Null),
        ["operation - - 403"],
        "not known"
    );
    assert!(tested(json!({"x-user": "[REDACTED]"}), json!({})).is_empty());
    assert!(tested(json!({}), json!("the Quota is used up")).is_empty());
}

#[test]
fn the_places_of_one_condition_are_bounded() {
    let demand = "expect = [{ side = 'request', member = '$.price', type = 'number' }]";
    let members = vec!["\"price\":\"x\""; 3000].join(",");
    let log = format!(
        "{{\"method\":\"POST\",\"url\":\"/orders/7\",\"request\":{{\"body\":{{{members}}}}}}}\n"
    );
    let desk = Desk::new()
        .with("shop.toml", rules(demand))
        .with("log.ndjson", log);
    let arguments = [
        "check",
        "log.ndjson",
        "--rules",
        "shop.toml",
        "--no-builtin-rules",
        "--no-fold",
        "--format",
        "ndjson",
    ];
    let ran = desk.run(&arguments);
    let findings = ran
        .stdout
        .lines()
        .filter(|line| line.contains("\"demand\""))
        .count();
    assert_eq!(findings, 100, "{}", ran.stderr);
}

#[test]
fn a_member_is_missing_only_from_a_whole_body() {
    let demand = "expect = [{ side = 'request', member = '$.lines[*].price', present = true, type = 'number' }]";
    let sent = |body: Value| in_log(demand, &json!({"body": body}), &json!({"status": 200}));
    assert_eq!(
        sent(json!({"lines": [{"price": 1}, {}]})),
        ["request /lines/1/price - missing"]
    );
    assert_eq!(
        sent(json!({"lines": [{"price": "1"}, {"price": null}]})),
        ["request /lines/0/price - a string+null"]
    );
    for body in [
        json!({}),
        json!({"lines": []}),
        json!({"lines": [7]}),
        json!([]),
        json!({"lines": [{"price": 2.5}]}),
        json!({"lines": [{"price": "{{price}}"}]}),
        json!("{\"lines\": [{"),
        json!("price=7"),
        Value::Null,
    ] {
        assert!(sent(body.clone()).is_empty(), "{body}");
    }
    // A body in a string, and one that is encoded twice.
    assert_eq!(sent(json!("{\"lines\": [{}]}")).len(), 1);
    assert_eq!(sent(json!("\"{\\\"lines\\\": [{}]}\"")).len(), 1);
    let cut = json!({"log": {"entries": [{
        "request": {"method": "POST", "url": "https://h.test/orders/7", "bodySize": 900, "postData": {"mimeType": "application/json", "text": "{\"lines\": [{}"}},
        "response": {"status": 200},
    }]}});
    assert!(found_in(demand, "cut.har", &cut.to_string()).is_empty());
}

#[test]
fn a_body_that_a_requirement_needs_and_cannot_read_is_reported() {
    let demand = "expect = [{ side = 'request', member = '$.price', present = true }]";
    let desk = Desk::new()
        .with("shop.toml", rules(demand))
        .with(
            "broken.ndjson",
            line(
                &json!({"body": "{\"price\": nope}"}),
                &json!({"status": 200}),
            ),
        )
        .with(
            "missing.ndjson",
            "{\"method\":\"POST\",\"url\":\"/orders/7\"}\n",
        );
    let check = |name: &str| {
        let arguments = [
            "check",
            name,
            "--rules",
            "shop.toml",
            "--no-builtin-rules",
            "-v",
        ];
        desk.run(&arguments).stdout
    };
    assert!(
        check("broken.ndjson").contains("broken.ndjson:1:"),
        "{}",
        check("broken.ndjson")
    );
    assert!(
        check("missing.ndjson").contains("bod"),
        "{}",
        check("missing.ndjson")
    );
}

#[test]
fn the_operation_and_side_of_a_requirement_are_respected() {
    let demand = "expect = [{ side = 'request', member = '$.price', type = 'number' }]";
    let wrong = json!({"body": {"price": "x"}});
    assert_eq!(
        in_log(demand, &wrong, &json!({"status": 200})),
        ["request /price - a string"]
    );
    assert!(
        in_log(
            demand,
            &json!({}),
            &json!({"status": 200, "body": {"price": "x"}})
        )
        .is_empty()
    );
    let other = line(&wrong, &json!({})).replace("/orders/7", "/carts/7");
    assert!(found_in(demand, "log.ndjson", &other).is_empty());
    let no_method = line(&wrong, &json!({})).replace("\"method\":\"POST\",", "");
    assert_eq!(found_in(demand, "log.ndjson", &no_method).len(), 1);
    assert!(found_in("expect = [{ method = 'GET' }]", "log.ndjson", &no_method).is_empty());
}

#[test]
fn texts_are_found_in_bodies_of_any_notation() {
    let refused =
        "when = [{ status = [401, 403] }, { side = 'response', text = ['x-user', 'no such'] }]";
    for body in [
        json!({"error": "the header X-User is missing"}),
        json!("No Such user"),
        json!("<p>no such</p>"),
    ] {
        let found = in_log(refused, &json!({}), &json!({"status": 401, "body": body}));
        assert_eq!(found, ["operation - - "], "{body}");
    }
    assert!(
        in_log(
            refused,
            &json!({}),
            &json!({"status": 200, "body": "x-user"})
        )
        .is_empty()
    );
    assert!(in_log(refused, &json!({}), &json!({"body": "x-user"})).is_empty());
    // A text that is not in the part of a body that is searched is not absent.
    let long = format!("{}x-user", " ".repeat(100_000));
    let lacking = "expect = [{ side = 'response', text = 'x-user' }]";
    assert!(in_log(lacking, &json!({}), &json!({"status": 200, "body": long})).is_empty());
    assert_eq!(
        in_log(lacking, &json!({}), &json!({"status": 200, "body": "{}"})),
        ["operation - - "]
    );
}

#[test]
fn findings_of_a_requirement_are_graded_allowed_and_recorded_in_a_baseline() {
    let rules = rules(
        "expect = [{ side = 'request', member = '$.price', type = 'number' }]\nseverity = 'error'",
    );
    let log = line(&json!({"body": {"price": "x"}}), &json!({"status": 200}));
    let config = |more: &str| format!("rules = ['shop.toml']\nbuiltin-rules = false\n{more}");
    let run = |more: &str, arguments: &[&str]| {
        let desk = Desk::new()
            .with("shop.toml", &rules)
            .with("log.ndjson", &log)
            .with("sundown.toml", config(more));
        let ran = desk.run(&[&["check", "log.ndjson"], arguments].concat());
        (ran.code, ran.stdout, desk)
    };
    let (code, text, desk) = run("", &[]);
    assert!(
        code == 1 && text.contains("error[requirement/demand]"),
        "{text}"
    );
    assert_eq!(
        desk.run(&["baseline", "log.ndjson", "--baseline", "known.json"])
            .code,
        0
    );
    let known = desk.run(&["check", "log.ndjson", "--baseline", "known.json"]);
    assert!(
        known.code == 0 && known.stdout.contains("0 errors"),
        "{}",
        known.stdout
    );
    for more in [
        "[severity]\ndemand = 'off'",
        "[severity]\nrequirement = 'off'",
        "[severity]\n\"requirement/demand\" = 'off'",
        "[[allow]]\nrule = 'demand'\nreason = 'known'\nuntil = 2999-01-01",
        "[[allow]]\nrule = 'requirement'\nreason = 'known'\nuntil = 2999-01-01",
    ] {
        let (code, text, _) = run(more, &[]);
        assert!(code == 0 && text.contains("0 errors"), "{more}\n{text}");
    }
    let (_, text, _) = run("[severity]\ndemand = 'note'", &[]);
    assert!(text.contains("note[requirement/demand]"), "{text}");
}

#[test]
fn findings_do_not_depend_on_threads_folding_or_validation() {
    let demand = "expect = [{ side = 'request', member = '$.price', type = 'number' }]";
    let values = [json!("x"), json!(7), json!(null), json!(["y"])];
    let log: String = (0..400)
        .map(|number| {
            line(
                &json!({"body": {"price": values[number % 4], "pad": "p".repeat(900)}}),
                &json!({"status": 200}),
            )
        })
        .collect();
    let desk = Desk::new()
        .with("shop.toml", rules(demand))
        .with("log.ndjson", log);
    let base = [
        "check",
        "log.ndjson",
        "--rules",
        "shop.toml",
        "--no-builtin-rules",
        "--format",
        "json",
    ];
    let once = desk.run(&[&base[..], &["--threads", "1"]].concat()).stdout;
    assert!(once.contains("\"seen\": 300"), "{once}");
    for more in [&["--threads", "4"][..], &["--strict"]] {
        assert_eq!(
            desk.run(&[&base[..], more].concat()).stdout,
            once,
            "{more:?}"
        );
    }
}
