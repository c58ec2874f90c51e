//! Deprecations that the traffic itself announces, in header fields of responses.

use serde_json::{Value, json};

use crate::support::{Desk, report_formats};

const SUNSET: &str = "Fri, 15 Jan 2027 23:59:59 GMT";

/// A line of a log: a call, and the header fields of its response.
fn line(method: &str, url: &str, headers: &Value) -> String {
    let response = json!({"status": 200, "headers": headers, "body": {"a": 1}});
    format!(
        "{}\n",
        json!({"method": method, "url": url, "response": response})
    )
}

/// A HAR with one entry.
fn har(method: &str, url: &str, headers: &Value) -> String {
    let response =
        json!({"status": 200, "headers": headers, "bodySize": 0, "content": {"text": "{}"}});
    let request = json!({"method": method, "url": url, "headers": [], "bodySize": 0});
    json!({"log": {"entries": [{"request": request, "response": response}]}}).to_string()
}

/// The announcements in a file: all findings of the check.
fn announced(desk: &Desk, arguments: &[&str]) -> Vec<Value> {
    let ran = desk.run(&[&["check", "--format", "json"], arguments].concat());
    let report: Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    let mut findings = report["findings"].as_array().unwrap().clone();
    findings.retain(|finding| finding["check"] == "announced-in-traffic");
    findings
}

/// The announcements in the text of a log.
fn in_log(text: &str) -> Vec<Value> {
    announced(&Desk::new().with("log.ndjson", text), &["log.ndjson"])
}

/// Operation, side, field, severity, standing and date of a finding.
fn brief(finding: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let standing = text(&finding["announced"]["standing"]);
    let parts =
        ["operation", "side", "field", "severity", "removal"].map(|key| text(&finding[key]));
    format!("{} {standing}", parts.join(" "))
}

#[test]
fn header_fields_are_read_in_every_form_and_located_at_their_names() {
    for headers in [
        json!({"Sunset": SUNSET}),
        json!({"sunset": [SUNSET]}),
        json!([{"name": "SUNSET", "value": SUNSET}]),
        json!([["Sunset", SUNSET]]),
    ] {
        for (name, text) in [
            ("one.ndjson", line("GET", "/v1/reports", &headers)),
            ("one.har", har("GET", "https://h.test/v1/reports", &headers)),
        ] {
            let desk = Desk::new().with(name, &text);
            let findings = announced(&desk, &[name]);
            let briefs: Vec<_> = findings.iter().map(brief).collect();
            assert_eq!(
                briefs,
                ["GET /v1/reports operation - warning 2027-01-15 unknown"],
                "{text}"
            );
            let at =
                |key: &str| usize::try_from(findings[0]["span"][key].as_u64().unwrap()).unwrap();
            assert!(
                text[at("start")..at("end")].eq_ignore_ascii_case("\"sunset\""),
                "{text}"
            );
        }
    }
}

#[test]
fn announcements_in_stubs_are_found() {
    let stub = json!({
        "request": {"method": "GET", "urlPath": "/v1/reports"},
        "response": {"status": 200, "headers": {"Sunset": SUNSET}, "jsonBody": {}},
    });
    let desk = Desk::new().with("stub.json", stub.to_string());
    let findings: Vec<_> = announced(&desk, &["stub.json"]).iter().map(brief).collect();
    assert_eq!(
        findings,
        ["GET /v1/reports operation - warning 2027-01-15 unknown"]
    );
}

#[test]
fn announcements_in_cassettes_are_found() {
    let cassette = format!(
        "interactions:\n- request:\n    method: GET\n    uri: https://h.test/v1/reports\n    headers: {{}}\n    body: null\n  response:\n    status: {{code: 200, message: OK}}\n    headers:\n      Sunset:\n      - {SUNSET}\n    body: {{string: '{{}}'}}\nversion: 1\n"
    );
    let desk = Desk::new().with("cassette.yaml", cassette);
    let findings: Vec<_> = announced(&desk, &["cassette.yaml"])
        .iter()
        .map(brief)
        .collect();
    assert_eq!(
        findings,
        ["GET /v1/reports operation - warning 2027-01-15 unknown"]
    );
}

#[test]
fn announcements_in_saved_responses_of_clients_are_found() {
    let collection = json!({
        "info": {"_postman_id": "x"},
        "item": [{
            "request": {"method": "GET", "url": "https://h.test/v1/reports"},
            "response": [{"header": [{"key": "Sunset", "value": SUNSET}], "body": "{}"}],
        }],
    });
    let request = format!(
        "meta {{\n  name: x\n}}\n\nget {{\n  url: https://h.test/v1/reports\n}}\n\nexample {{\n  name: x\n\n  request: {{\n    url: https://h.test/v1/reports\n    method: get\n  }}\n\n  response: {{\n    headers: {{\n      Sunset: {SUNSET}\n    }}\n  }}\n}}\n"
    );
    for (name, text) in [
        ("saved.json", collection.to_string()),
        ("saved.bru", request),
    ] {
        let desk = Desk::new().with(name, text);
        let findings: Vec<_> = announced(&desk, &[name]).iter().map(brief).collect();
        assert_eq!(
            findings,
            ["GET /v1/reports operation - warning 2027-01-15 unknown"],
            "{name}"
        );
    }
}

#[test]
fn announcements_in_contracts_and_simulations_are_found() {
    let pact = json!({
        "consumer": {"name": "a"}, "provider": {"name": "b"},
        "interactions": [{
            "request": {"method": "GET", "path": "/v1/reports"},
            "response": {"status": 200, "headers": {"Sunset": [SUNSET]}},
        }],
    });
    let simulation = json!({
        "data": {"pairs": [{
            "request": {"path": "/v1/reports", "method": "GET"},
            "response": {"status": 200, "headers": {"Sunset": [SUNSET]}, "body": ""},
        }]},
        "meta": {"schemaVersion": "v1"},
    });
    for text in [pact, simulation] {
        let desk = Desk::new().with("stub.json", text.to_string());
        let findings: Vec<_> = announced(&desk, &["stub.json"]).iter().map(brief).collect();
        assert_eq!(
            findings,
            ["GET /v1/reports operation - warning 2027-01-15 unknown"]
        );
    }
}

#[test]
fn one_response_with_several_fields_is_one_finding() {
    let link = "</v2>; rel=\"successor-version\"";
    let since = "@1767225600";
    for (headers, by) in [
        (json!({"Deprecation": since}), json!(["Deprecation"])),
        (json!({"Deprecation": "true"}), json!(["Deprecation"])),
        (json!({"Sunset": SUNSET}), json!(["Sunset"])),
        (json!({"Link": link}), json!(["Link rel=successor-version"])),
        (
            json!({"Warning": "299 - \"This is deprecated\""}),
            json!(["Warning 299"]),
        ),
        (
            json!({"X-Glean-Deprecated": "kind=endpoint"}),
            json!(["X-Glean-Deprecated"]),
        ),
        (
            json!({"Link": link, "Deprecation": since, "Sunset": SUNSET}),
            json!(["Deprecation", "Link rel=successor-version", "Sunset"]),
        ),
    ] {
        let findings = in_log(&line("GET", "/v1/x", &headers));
        let all: Vec<_> = findings
            .iter()
            .map(|finding| &finding["announced"]["by"])
            .collect();
        assert_eq!(json!(all), json!([by]), "{headers}");
    }
    let findings = in_log(&line(
        "GET",
        "/v1/x",
        &json!({"Deprecation": since, "Sunset": SUNSET}),
    ));
    assert_eq!(findings[0]["announced"]["since"], "2026-01-01");
}

#[test]
fn header_fields_that_announce_nothing_are_not_findings() {
    let headers = json!({
        "Deprecation": "false", "Link": "</2>; rel=next", "Warning": "110 - \"stale\"",
        "X-Sunset": SUNSET, "Sunset-Policy": SUNSET,
    });
    assert_eq!(in_log(&line("GET", "/v1/x", &headers)), [] as [Value; 0]);
    let request =
        json!({"method": "GET", "url": "/v1/x", "request": {"headers": {"Sunset": SUNSET}}});
    assert_eq!(
        in_log(&request.to_string()),
        [] as [Value; 0],
        "requests announce nothing"
    );
}

#[test]
fn what_is_not_certain_or_not_yet_so_is_a_note_that_says_it() {
    for (headers, severity, text) in [
        (
            json!({"Deprecation": "@1893456000"}),
            "note",
            "will be deprecated on 2030-01-01; no removal date announced",
        ),
        (
            json!({"Deprecation": "@1893456000", "Sunset": "Sun, 01 Dec 2030 23:59:59 GMT"}),
            "warning",
            "(Deprecation, Sunset, from 2030-01-01)",
        ),
        (
            json!({"Link": "</v2>; rel=\"successor-version\""}),
            "note",
            "may be deprecated, as responses announce",
        ),
        (
            json!({"Warning": "299 - \"[size] parameter is deprecated\""}),
            "note",
            "a part of GET /v1/* is deprecated",
        ),
        (
            json!({"Warning": "299 - \"[size] parameter is deprecated\"", "Deprecation": "true"}),
            "warning",
            "(Deprecation)",
        ),
        (
            json!({"Warning": "299 - \"Will be removed on 2027-12-01\""}),
            "warning",
            "until 2027-12-01",
        ),
    ] {
        let findings = in_log(&line("GET", "/v1/x", &headers));
        assert_eq!(findings[0]["severity"], severity, "{headers}");
        let message = findings[0]["message"].as_str().unwrap();
        assert!(message.contains(text), "{message}");
    }
}

#[test]
fn a_part_of_the_call_is_announced_beside_other_signals() {
    let warning = "299 - \"The field a will be removed on 2027-12-01\"";
    let glean = "name=citations;kind=field;context=response;removal=2027-12-01";
    for (name, value) in [
        ("Sunset", SUNSET),
        ("Deprecation", "true"),
        ("X-Glean-Deprecated", glean),
    ] {
        let log = line("GET", "/v1/x", &json!({"Warning": warning, name: value}));
        let findings = in_log(&log);
        assert_eq!(findings.len(), 2, "{name}");
        let part = findings
            .iter()
            .find(|it| it["announced"]["by"] == json!(["Warning 299"]));
        let message = part.unwrap()["message"].as_str().unwrap();
        assert!(message.contains("a part of GET /v1/*"), "{message}");
        assert!(message.contains("2027-12-01"), "{message}");
        let desk = Desk::new().with("log.ndjson", log);
        for arguments in [
            &["check", "log.ndjson"][..],
            &["check", "--format", "markdown", "log.ndjson"],
        ] {
            let report = desk.run(arguments).stdout;
            assert!(report.contains("part of "), "{report}");
        }
    }
}

#[test]
fn fields_that_look_like_announcements_are_named_once_with_their_count() {
    let one = |name: &str| line("GET", "/v1/x", &json!({ name: "2027-01-15" }));
    let log = one("X-Sunset") + &one("X-Sunset") + &one("X-Acme-Deprecated") + &one("X-Sum");
    let desk = Desk::new().with("log.ndjson", log);
    let ran = desk.run(&["check", "--format", "json", "log.ndjson"]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let mut skips = report["skipped"].as_array().unwrap().clone();
    skips.retain(|skip| skip["reason"] == "unread-announcement");
    let briefs: Vec<_> = skips
        .iter()
        .map(|skip| (&skip["detail"], &skip["count"]))
        .collect();
    assert_eq!(
        briefs,
        [
            (&json!("x-sunset"), &json!(2)),
            (&json!("another name"), &json!(1))
        ]
    );
    assert_eq!(ran.code, 0, "{}", ran.stdout);
}

#[test]
fn an_unreadable_date_is_reported() {
    let findings = in_log(&line("GET", "/v1/x", &json!({"Sunset": "next winter"})));
    assert_eq!(
        brief(&findings[0]),
        "GET /v1/* operation - warning - unknown"
    );
    let message = findings[0]["message"].as_str().unwrap();
    assert!(
        message.contains("a date that cannot be read") && !message.contains("winter"),
        "{message}"
    );
}

#[test]
fn announcements_are_compared_with_the_rules_of_their_operation() {
    let endpoint = "/api/index/v1/getdocumentcount";
    let chat = "/rest/api/v1/chat";
    let glean = |text: &str| json!({"X-Glean-Deprecated": text});
    for (url, headers, expected) in [
        (
            endpoint,
            json!({"Sunset": SUNSET}),
            "operation - warning 2027-01-15 date-differs",
        ),
        (
            chat,
            json!({"Sunset": SUNSET}),
            "operation - warning 2027-01-15 unknown",
        ),
        (
            chat,
            glean("name=citations;kind=field;context=response;removal=2026-10-15"),
            "response citations error 2026-10-15 known",
        ),
        (
            chat,
            glean("name=citations;kind=field;removal=2026-12-01"),
            "operation citations error 2026-12-01 date-differs",
        ),
        (
            chat,
            glean("name=citations;kind=parameter;removal=2026-12-31"),
            "operation citations warning 2026-12-31 unknown",
        ),
        (
            chat,
            glean("name=other;kind=field;context=request;removal=2027-03-01"),
            "request other warning 2027-03-01 unknown",
        ),
    ] {
        let findings: Vec<_> = in_log(&line("POST", url, &headers))
            .iter()
            .map(brief)
            .collect();
        assert_eq!(findings, [format!("POST {url} {expected}")], "{headers}");
    }
    let findings = in_log(&line("POST", endpoint, &json!({"Sunset": SUNSET})));
    let announced = &findings[0]["announced"];
    assert_eq!(
        (&announced["rule"], &announced["rule_removal"]),
        (&json!("getdocumentcount-endpoint"), &json!("2026-10-15"))
    );
}

#[test]
fn an_announcement_that_a_rule_states_is_a_line_of_its_finding() {
    let endpoint = "/api/index/v1/getdocumentcount";
    let chat = "/rest/api/v1/chat";
    let citations = "name=citations;kind=field;context=response;removal=2026-10-15";
    for (url, body, headers, line) in [
        (
            endpoint,
            json!({}),
            json!({"Sunset": "Thu, 15 Oct 2026 23:59:59 GMT", "Deprecation": "true"}),
            "responses announce it, too (Deprecation, Sunset)",
        ),
        (
            endpoint,
            json!({}),
            json!({"Sunset": "Fri, 16 Oct 2026 00:00:00 GMT"}),
            "responses announce it, too (Sunset)",
        ),
        (
            chat,
            json!({"messages": [{"citations": []}]}),
            json!({"X-Glean-Deprecated": citations}),
            "responses announce it, too (X-Glean-Deprecated)",
        ),
    ] {
        let response = json!({"status": 200, "headers": headers, "body": body});
        let call = json!({"method": "POST", "url": url, "response": response});
        let desk = Desk::new().with("log.ndjson", format!("{call}\n{call}\n"));
        assert_eq!(
            announced(&desk, &["log.ndjson"]),
            [] as [Value; 0],
            "{headers}"
        );
        let report = desk.run(&["check", "log.ndjson"]).stdout;
        assert_eq!(report.matches(line).count(), 1, "{report}");
        desk.run(&["check", "--partial", "part", "log.ndjson"]);
        assert_eq!(desk.run(&["merge", "part"]).stdout, report);
    }
}

#[test]
fn an_announcement_belongs_to_a_rule_that_found_its_version() {
    let rules = "api = 'S'\n[[rule]]\nid = 'v'\nalso = [{ operation = '* /g/{version}/**' }]\nsegment = 'version'\nvalue = 'v1'\nremoval = 2027-01-15\n[[rule]]\nid = 'p'\noperation = 'GET /c'\nparameter = 'old'\nremoval = 2027-01-15\n[[rule]]\nid = 'm'\noperation = 'GET /m'\nparameter = 'mode'\nvalue = 'old'\nremoval = 2027-01-15\n[[rule]]\nid = 'f'\noperation = 'GET /f'\nfield = 'a'\nsides = ['response']\nremoval = 2027-01-15\n";
    for (url, headers, own) in [
        ("/g/v1/x", json!({"Sunset": SUNSET}), 0),
        ("/g/v1/x", json!({"Deprecation": "true"}), 0),
        ("/g/v2/x", json!({"Deprecation": "true"}), 1),
        (
            "/g/v1/x",
            json!({"Sunset": "Sat, 16 Jan 2027 23:59:59 GMT"}),
            1,
        ),
        ("/g/v1/x", json!({"Sunset": "soon"}), 1),
        ("/c?old=1", json!({"Sunset": SUNSET}), 1),
        ("/c?old=1", json!({"Deprecation": "true"}), 1),
        ("/c", json!({"Sunset": SUNSET}), 1),
        ("/m?mode=old", json!({"Sunset": SUNSET}), 1),
        ("/m?mode=old", json!({"Sunset": "soon"}), 1),
        ("/m?mode=old", json!({"Deprecation": "true"}), 1),
        ("/f", json!({"Sunset": SUNSET}), 1),
    ] {
        let desk = Desk::new()
            .with("r.toml", rules)
            .with("log.ndjson", line("GET", url, &headers));
        let findings = announced(&desk, &["--rules", "r.toml", "log.ndjson"]);
        assert_eq!(findings.len(), own, "{url} {headers}");
    }
}

#[test]
fn an_announcement_of_a_version_is_one_finding_that_is_not_about_the_operations() {
    let headers = json!({
        "Deprecation": "@1773100800", "Sunset": "Fri, 10 Mar 2028 00:00:00 GMT",
        "X-Shop-Api-Version": "2022-11-28",
    });
    let log = line("GET", "/v1/a", &headers) + &line("GET", "/v1/b", &headers);
    let findings = in_log(&log);
    assert_eq!(
        findings.iter().map(brief).collect::<Vec<_>>(),
        ["* /** response x-shop-api-version warning 2028-03-09 unknown"]
    );
    let rules = "api = 'Shop'\n[[rule]]\nid = 'old-version'\nheader = 'X-Shop-Api-Version'\nsides = ['request']\nvalue = '2022-11-28'\nremoval = 2028-03-10\nalso = [{ operation = '* /**' }]\n";
    let call = |version: &Value| {
        json!({"method": "GET", "url": "/v1/a", "request": {"headers": version},
            "response": {"status": 200, "headers": headers}})
        .to_string()
            + "\n"
    };
    let stated = call(&json!({"X-Shop-Api-Version": "2022-11-28"}));
    let unstated = call(&json!({}));
    let desk = Desk::new()
        .with("rules.toml", rules)
        .with("stated.ndjson", stated)
        .with("unstated.ndjson", unstated);
    let found = |file: &str| {
        let arguments = ["--no-builtin-rules", "--rules", "rules.toml", file];
        let found = announced(&desk, &arguments);
        found.iter().map(brief).collect::<Vec<_>>()
    };
    assert_eq!(found("stated.ndjson"), [] as [String; 0]);
    // The service chose the version, so no rule about the request finds the call.
    assert_eq!(
        found("unstated.ndjson"),
        ["* /** response x-shop-api-version warning 2028-03-10 known"]
    );
    // A version without a date may be that of the operation, or of the program.
    let headers = json!({"Sunset": SUNSET, "X-Api-Version": "1"});
    let other = in_log(&line("GET", "/v1/a", &headers));
    assert_eq!(
        brief(&other[0]),
        "GET /v1/* operation - warning 2027-01-15 unknown"
    );
}

#[test]
fn position_and_excerpt_name_the_same_field() {
    let headers = json!({"Deprecation": "@1764547200", "Sunset": SUNSET});
    let log = line("GET", "/v1/a", &headers);
    let column = log.find("\"Sunset\"").unwrap() + 1;
    let desk = Desk::new().with("log.ndjson", log);
    let report = desk.run(&["check", "log.ndjson"]).stdout;
    assert!(
        report.contains(&format!("log.ndjson:1:{column}\n")),
        "{report}"
    );
    assert!(report.contains("1 │ … \"Sunset\": …\n"), "{report}");
}

#[test]
fn a_field_that_a_description_locates_is_known() {
    let description = r##"{"openapi":"3.0.3","info":{"title":"T","version":"1"},"paths":{"/orders/{id}":{"get":{"responses":{"200":{"description":"x","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Order"}}}}}}},"/other":{"get":{"responses":{}}}},"components":{"schemas":{
        "Order":{"type":"object","properties":{"total":{"deprecated":true,"x-sunset":"2027-01-15"}}}}}}"##;
    let glean =
        json!({"X-Glean-Deprecated": "name=total;kind=field;context=response;removal=2027-01-15"});
    let log = line("GET", "/orders/7", &glean) + &line("GET", "/other", &glean);
    let desk = Desk::new()
        .with("api.json", description)
        .with("log.ndjson", log);
    let findings = announced(
        &desk,
        &["--no-builtin-rules", "--rules", "api.json", "log.ndjson"],
    );
    assert_eq!(
        findings.iter().map(brief).collect::<Vec<_>>(),
        [
            "GET /orders/{id} response total warning 2027-01-15 known",
            "GET /other response total warning 2027-01-15 unknown",
        ]
    );
}

#[test]
fn several_elements_of_one_response_are_distinguished() {
    let glean = "name=a;kind=field;removal=2027-03-01, name=b;kind=field;removal=2027-03-01, name=a;kind=field;removal=2027-03-01";
    let headers = json!({"X-Glean-Deprecated": glean, "Sunset": "Mon, 01 Mar 2027 23:59:59 GMT"});
    let findings = in_log(&line("POST", "/v1/x", &headers));
    assert_eq!(
        findings.iter().map(brief).collect::<Vec<_>>(),
        [
            "POST /v1/* operation a warning 2027-03-01 unknown",
            "POST /v1/* operation b warning 2027-03-01 unknown",
        ]
    );
    assert_ne!(findings[0]["fingerprint"], findings[1]["fingerprint"]);
    let other = json!({"X-Glean-Deprecated": glean, "Sunset": SUNSET});
    assert_eq!(
        in_log(&line("POST", "/v1/x", &other)).len(),
        3,
        "a date of its own is reported"
    );
}

#[test]
fn a_value_is_announced_with_its_member_and_two_values_are_two_findings() {
    let value = |value: &str| {
        format!("name=kind;kind=enum-value;value={value};context=request;removal=2027-03-01")
    };
    let headers = json!({"X-Glean-Deprecated": format!("{}, {}", value("OLD"), value("OLDER"))});
    let findings = in_log(&line("POST", "/v1/x", &headers));
    let messages: Vec<_> = findings
        .iter()
        .map(|finding| finding["message"].as_str().unwrap())
        .collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(
        messages[0].starts_with("the value `OLD` of `kind` in the request of POST /v1/*"),
        "{messages:?}"
    );
    assert!(
        messages[1].starts_with("the value `OLDER` of `kind` in the request"),
        "{messages:?}"
    );
    assert_ne!(findings[0]["fingerprint"], findings[1]["fingerprint"]);
    // A value with its member is distinguished from one with a schema.
    let headers_alike = json!({"X-Glean-Deprecated": "name=status;kind=enum-value;value=OLD, kind=enum-value;value=status;schema=OLD"});
    let alike = in_log(&line("POST", "/v1/x", &headers_alike));
    assert_eq!(alike.len(), 2);
    assert_ne!(alike[0]["fingerprint"], alike[1]["fingerprint"]);
    // A rule about the value of a member of another name is another one.
    let rules = "api = 'T'\n[[rule]]\nid = 'old'\noperation = 'POST /v1/x'\nfield = 'kind'\nvalue = 'OLD'\nremoval = 2027-03-01\n\
        [[rule]]\nid = 'mode'\noperation = 'POST /v1/x'\nfield = 'mode'\nvalue = 'OLDER'\nremoval = 2027-03-01\n";
    let desk = Desk::new()
        .with("rules.toml", rules)
        .with("log.ndjson", line("POST", "/v1/x", &headers));
    let findings = announced(&desk, &["--rules", "rules.toml", "log.ndjson"]);
    let standings = findings
        .iter()
        .map(|finding| finding["announced"]["standing"].as_str().unwrap());
    assert_eq!(standings.collect::<Vec<_>>(), ["known", "unknown"]);
}

#[test]
fn repeats_fold_by_operation_and_date() {
    let other = json!({"Sunset": "Mon, 01 Feb 2027 23:59:59 GMT"});
    let sunset = json!({"Sunset": SUNSET});
    let mut log: String = (0..50)
        .map(|number| line("GET", &format!("/v1/users/u{number}"), &sunset))
        .collect();
    log.push_str(&line("GET", "/v1/users/u1", &other));
    log.push_str(&line("PUT", "/v1/users/u1", &sunset));
    let findings = in_log(&log);
    let seen = |finding: &Value| format!("{} {}", brief(finding), finding["seen"]);
    assert_eq!(
        findings.iter().map(seen).collect::<Vec<_>>(),
        [
            "GET /v1/users/* operation - warning 2027-01-15 unknown 50",
            "GET /v1/users/* operation - warning 2027-02-01 unknown 1",
            "PUT /v1/users/* operation - warning 2027-01-15 unknown 1",
        ]
    );
}

#[test]
fn a_method_that_is_not_registered_is_not_printed() {
    let sunset = json!({"Sunset": SUNSET});
    let shown = |method: &str| {
        let findings = in_log(&line(method, "/v1/orders", &sunset));
        findings[0]["operation"]
            .as_str()
            .unwrap()
            .split(' ')
            .next()
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        ["REPORT", "query", "HUNTER2SECRET"].map(shown),
        ["REPORT", "QUERY", "*"]
    );
}

#[test]
fn no_format_prints_a_path_or_a_value() {
    let headers = json!({
        "Authorization": "secret-1", "Set-Cookie": "secret-2",
        "Sunset": format!("secret-3 {SUNSET}"), "Deprecation": "secret-4",
        "Link": "<https://secret-5.test/>; rel=sunset; title=secret-6",
        "Warning": "299 secret-7 \"secret-8\"",
        "X-Glean-Deprecated": "name=::error::secret-9;kind=secret-10;schema=<b>secret-11;removal=secret-12;x=secret-13",
    });
    let log = line(
        "GET",
        "https://secret-14.test/v1/users/secret-15/secret16?secret-17=secret-18",
        &headers,
    );
    let desk = Desk::new().with("log.ndjson", log);
    for format in report_formats() {
        let ran = desk.run(&["check", "log.ndjson", "--format", format]);
        assert!(
            ran.stdout.contains("announced-in-traffic"),
            "{format}: {}",
            ran.stdout
        );
        assert!(!ran.stdout.contains("secret"), "{format}: {}", ran.stdout);
    }
}

#[test]
fn the_configuration_sets_their_severity_or_turns_them_off() {
    let glean = |name: &str| json!({"X-Glean-Deprecated": format!("name={name};kind=field;removal=2026-10-15")});
    let log = line("POST", "/rest/api/v1/chat", &glean("citations"))
        + &line("POST", "/rest/api/v1/chat", &glean("other"));
    let severities = |config: &str| {
        let desk = Desk::new()
            .with("log.ndjson", &log)
            .with("sundown.toml", config);
        let findings = announced(&desk, &["log.ndjson"]);
        let severity = |finding: &Value| finding["severity"].as_str().unwrap().to_owned();
        findings.iter().map(severity).collect::<Vec<_>>()
    };
    assert_eq!(severities(""), ["error", "error"]);
    assert_eq!(
        severities("[severity]\nannounced-in-traffic = 'note'\n"),
        ["note", "note"]
    );
    assert_eq!(
        severities("[severity]\nannounced-in-traffic = 'off'\n"),
        [] as [&str; 0]
    );
    let known_off = "[severity]\n'announced-in-traffic/chat-citations' = 'off'\n";
    assert_eq!(severities(known_off), ["error"]);
    let only_known = "[severity]\nannounced-in-traffic = 'off'\n'announced-in-traffic/chat-citations' = 'warning'\n";
    assert_eq!(severities(only_known), ["warning"]);
}

#[test]
fn a_baseline_recognises_each() {
    let glean = "name=a;kind=field;removal=2026-10-15, name=b;kind=field;removal=2026-10-15";
    let first = line("POST", "/v1/x", &json!({"X-Glean-Deprecated": glean}));
    let more = line(
        "POST",
        "/v1/x",
        &json!({"X-Glean-Deprecated": "name=c;kind=field"}),
    );
    let desk = Desk::new().with("log.ndjson", &first);
    assert_eq!(
        desk.run(&["baseline", "log.ndjson", "--as-of", "2026-11-20"])
            .code,
        0
    );
    let desk = desk.with("log.ndjson", first + &more);
    let findings = announced(
        &desk,
        &["log.ndjson", "--baseline", "sundown-baseline.json"],
    );
    let fields: Vec<_> = findings.iter().map(|finding| &finding["field"]).collect();
    assert_eq!(fields, ["c"]);
}

#[test]
fn explain_prints_the_page_about_announcements() {
    let ran = Desk::new().run(&["explain", "announced-in-traffic"]);
    assert!(
        ran.code == 0 && ran.stdout.contains("`Sunset`"),
        "{}",
        ran.stdout
    );
}
