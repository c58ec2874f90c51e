//! A finding says why it is here: which operation its deprecation was announced for, and which call its endpoint is.

use serde_json::{Value, json};

use crate::support::Desk;

fn call(method: &str, url: &str, response: &Value) -> String {
    format!(
        "{}\n",
        json!({"method": method, "url": url, "response": {"status": 200, "body": response}})
    )
}

fn output(desk: &Desk, file: &str, format: &str, arguments: &[&str]) -> String {
    desk.run(
        &[
            &["check", file, "--as-of", "2026-11-20", "--format", format],
            arguments,
        ]
        .concat(),
    )
    .stdout
}

fn json_findings(desk: &Desk, file: &str, arguments: &[&str]) -> Vec<Value> {
    let report: Value = serde_json::from_str(&output(desk, file, "json", arguments)).unwrap();
    report["findings"].as_array().unwrap().clone()
}

#[test]
fn a_use_through_a_shared_schema_names_the_operation_of_the_announcement() {
    let board = json!({"boardId": 7});
    let elsewhere = call("POST", "/rest/api/v1/editanswer", &board);
    let announced = call("POST", "/rest/api/v1/createannouncement", &board);
    let desk = Desk::new()
        .with("a.ndjson", &elsewhere)
        .with("b.ndjson", &announced);
    let announcement = "POST /rest/api/v1/createannouncement";
    let [finding] = &json_findings(&desk, "a.ndjson", &[])[..] else {
        panic!()
    };
    assert_eq!(finding["announced_for"], announcement);
    let sentence = format!("announced for {announcement}, which has the same element");
    assert!(output(&desk, "a.ndjson", "human", &[]).contains(&format!("= {sentence}\n")));
    let sarif: Value = serde_json::from_str(&output(&desk, "a.ndjson", "sarif", &[])).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["properties"]["announced_for"], announcement);
    assert!(
        result["message"]["text"]
            .as_str()
            .unwrap()
            .ends_with(&format!(" It is {sentence}."))
    );
    let [finding] = &json_findings(&desk, "b.ndjson", &[])[..] else {
        panic!()
    };
    assert_eq!(finding["announced_for"], Value::Null);
    for format in ["human", "sarif"] {
        assert!(
            !output(&desk, "b.ndjson", format, &[]).contains("announced for"),
            "{format}"
        );
    }
}

#[test]
fn a_pattern_that_covers_the_operation_is_no_other_announcement() {
    let rules = "api = 'T'\n[[rule]]\nid = 'a'\noperation = 'POST /v1/**'\nfield = 'x'\n\
        [[rule]]\nid = 'b'\noperation = 'POST /v1/{id}'\nfield = 'y'\n\
        [[rule]]\nid = 'c'\nfield = 'z'\nalso = [{ operation = 'POST /v1/{name}' }]\n";
    let log = call("POST", "/v1/7", &json!({"x": 1, "y": 2, "z": 3}));
    let desk = Desk::new().with("rules.toml", rules).with("a.ndjson", log);
    let findings = json_findings(&desk, "a.ndjson", &["--rules", "rules.toml"]);
    assert_eq!(findings.len(), 3);
    assert!(
        findings
            .iter()
            .all(|finding| finding["announced_for"].is_null())
    );
}

#[test]
fn header_fields_keep_the_spelling_of_their_rule() {
    let rules = "api = 'T'\n[[rule]]\nid = 'a'\noperation = 'GET /v1/x'\nheader = 'X-Old-Token'\n";
    let log =
        json!({"method": "GET", "url": "/v1/x", "request": {"headers": {"x-old-TOKEN": "v"}}});
    let desk = Desk::new()
        .with("rules.toml", rules)
        .with("a.ndjson", log.to_string());
    let arguments = ["--rules", "rules.toml"];
    let [finding] = &json_findings(&desk, "a.ndjson", &arguments)[..] else {
        panic!()
    };
    assert_eq!(finding["field"], "X-Old-Token");
    let text = output(&desk, "a.ndjson", "human", &arguments);
    assert!(
        text.contains("the header `X-Old-Token` is deprecated"),
        "{text}"
    );
    assert!(text.contains("in the request of GET /v1/x"), "{text}");
    assert!(text.contains("│ … \"x-old-TOKEN\": …"), "{text}");
    let page = desk.run(&["explain", "a", "--rules", "rules.toml"]).stdout;
    assert!(page.contains("the header `X-Old-Token`"), "{page}");
}

#[test]
fn excerpts_of_calls_show_the_method_and_the_end_of_the_template() {
    let rules = "api = 'T'\n[[rule]]\nid = 'a'\noperation = 'POST /v1/agents/{id}/import'\n\
        [[rule]]\nid = 'b'\noperation = 'GET /v1/agents/{id}'\n\
        [[rule]]\nid = 'c'\noperation = 'GET /search'\nparameter = 'page'\n\
        [[rule]]\nid = 'd'\noperation = 'GET /{id}'\n";
    for (method, url, line, marked) in [
        (
            "POST",
            "/v1/agents/secret/import",
            "POST …/import",
            "POST …/import",
        ),
        (
            "GET",
            "/v1/agents/secret",
            "GET …/agents/{id}",
            "GET …/agents/{id}",
        ),
        (
            "GET",
            "/search?q=secret&page=secret",
            "GET /search?page=…",
            "page",
        ),
        ("GET", "/secret", "GET /{id}", "GET /{id}"),
    ] {
        let desk = Desk::new()
            .with("rules.toml", rules)
            .with("a.ndjson", call(method, url, &json!({})));
        let text = output(&desk, "a.ndjson", "human", &["--rules", "rules.toml"]);
        let lines: Vec<_> = text.lines().collect();
        let at = lines
            .iter()
            .position(|shown| shown.ends_with(&format!("│ {line}")));
        let at = at.unwrap_or_else(|| panic!("{line}: {text}"));
        let carets = lines[at + 1].split('^').count() - 1;
        assert_eq!(carets, marked.chars().count(), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
}

#[test]
fn an_endpoint_is_no_element_that_operations_share() {
    let rules = "api = 'T'\n[[rule]]\nid = 'a'\noperation = 'GET /v1/a'\nalso = [{ operation = 'GET /v1/b' }]\n";
    let desk = Desk::new()
        .with("rules.toml", rules)
        .with("a.ndjson", call("GET", "/v1/b", &json!({})));
    let [finding] = &json_findings(&desk, "a.ndjson", &["--rules", "rules.toml"])[..] else {
        panic!()
    };
    assert_eq!(finding["announced_for"], Value::Null);
}

#[test]
fn a_description_announces_for_no_single_one_of_several_operations() {
    let description = r##"{"openapi":"3.0.3","info":{"title":"T","version":"1"},"components":{"parameters":{"P":{"name":"page","in":"query","deprecated":true,"schema":{"type":"string"}}}},
        "paths":{"/a":{"get":{"parameters":[{"$ref":"#/components/parameters/P"}],"responses":{}}},"/b":{"get":{"parameters":[{"$ref":"#/components/parameters/P"}],"responses":{}}}}}"##;
    let log = call("GET", "/a?page=1", &json!({})) + &call("GET", "/b?page=1", &json!({}));
    let desk = Desk::new()
        .with("api.json", description)
        .with("a.ndjson", log);
    let findings = json_findings(
        &desk,
        "a.ndjson",
        &["--no-builtin-rules", "--rules", "api.json"],
    );
    assert_eq!(findings.len(), 2);
    assert!(
        findings
            .iter()
            .all(|finding| finding["announced_for"].is_null()),
        "{findings:?}"
    );
}
