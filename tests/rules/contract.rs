//! The published contract: every statement of the reference, what checks it, and a use and a look-alike of each requirement.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Desk, repository, sources};

/// A requirement with an exchange that violates it, and one that only looks like it.
struct Row {
    id: &'static str,
    violates: Value,
    looks_alike: Value,
}

const SEARCH: &str = "/rest/api/v1/search";

const INDEX: &str = "/api/index/v1/indexdocument";

const ROTATE: &str = "/api/index/v1/rotatetoken";

const CONFIG: &str = "/api/index/v1/getdatasourceconfig";

/// An exchange as a line of a log has it.
fn exchange(method: &str, path: &str, request: &Value, response: &Value) -> Value {
    json!({"method": method, "url": format!("https://h.test{path}"), "request": request, "response": response})
}

/// A call with this body, answered with 200.
fn sent(path: &str, body: &Value) -> Value {
    let headers = json!({"Content-Type": "application/json; charset=utf-8", "Host": "h.test"});
    let request = json!({"headers": headers, "body": body});
    exchange(
        "POST",
        path,
        &request,
        &json!({"status": 200, "headers": {}, "body": {}}),
    )
}

/// A call that is answered with this status and body.
fn answered(path: &str, status: u16, body: &Value) -> Value {
    exchange(
        "POST",
        path,
        &json!({"headers": {"Host": "h.test"}}),
        &json!({"status": status, "body": body}),
    )
}

/// A call with these header fields.
fn with_headers(path: &str, headers: &Value, status: u16, body: &Value) -> Value {
    let request = json!({"headers": headers, "body": {}});
    exchange(
        "POST",
        path,
        &request,
        &json!({"status": status, "body": body}),
    )
}

fn row(id: &'static str, violates: Value, looks_alike: Value) -> Row {
    Row {
        id,
        violates,
        looks_alike,
    }
}

#[allow(
    clippy::too_many_lines,
    reason = "a table: one entry for each requirement"
)]
fn rows() -> Vec<Row> {
    let get = |path: &str| exchange("GET", path, &json!({}), &json!({"status": 200, "body": {}}));
    let document = |document: Value| sent(INDEX, &json!({"datasource": "d", "document": document}));
    let plain = json!({"Content-Type": "text/plain"});
    let json_type = json!({"content-type": "Application/JSON; charset=utf-8"});
    let missing = json!({"error": "the header x-service-actas is required"});
    let mut rows = vec![
        row(
            "client-method",
            get(SEARCH),
            get("/rest/api/v1/governance/data/policies/7"),
        ),
        row(
            "client-media-type",
            with_headers(SEARCH, &plain, 200, &json!({})),
            with_headers(SEARCH, &json_type, 200, &json!({})),
        ),
        row(
            "search-query-type",
            sent(SEARCH, &json!({"query": ["a"]})),
            sent(SEARCH, &json!({"query": "7", "filter": {"query": 7}})),
        ),
        row(
            "search-page-size-type",
            sent(SEARCH, &json!({"pageSize": "ten"})),
            sent(
                SEARCH,
                &json!({"pageSize": 2e1, "inner": {"pageSize": "ten"}}),
            ),
        ),
        row(
            "search-response-types",
            answered(SEARCH, 200, &json!({"results": {}})),
            answered(SEARCH, 400, &json!({"results": {}})),
        ),
        row(
            "client-act-as",
            answered(SEARCH, 403, &missing),
            answered(SEARCH, 200, &missing),
        ),
        row(
            "client-auth-type",
            answered(SEARCH, 401, &json!("missing X-Service-Auth-Type")),
            answered(
                "/api/index/v1/getusercount",
                401,
                &json!("missing X-Service-Auth-Type"),
            ),
        ),
        row(
            "client-invalid-secret",
            with_headers(
                SEARCH,
                &json!({"Host": "h.test"}),
                401,
                &json!("Invalid Secret"),
            ),
            with_headers(
                SEARCH,
                &json!({"x-service-auth-type": "OAUTH"}),
                401,
                &json!("Invalid Secret"),
            ),
        ),
        row(
            "indexing-method",
            get(INDEX),
            exchange("OPTIONS", INDEX, &json!({}), &json!({"status": 204})),
        ),
        row(
            "indexing-media-type",
            with_headers(INDEX, &plain, 200, &json!({})),
            with_headers(INDEX, &json_type, 200, &json!({})),
        ),
        row(
            "indexing-oauth",
            with_headers(
                INDEX,
                &json!({"x-SERVICE-auth-type": "oauth"}),
                200,
                &json!({}),
            ),
            with_headers(
                SEARCH,
                &json!({"X-Service-Auth-Type": "OAUTH"}),
                200,
                &json!({}),
            ),
        ),
        row(
            "indexdocument-datasource",
            sent(INDEX, &json!({"document": {"datasource": "d"}})),
            sent(INDEX, &json!({"datasource": "d"})),
        ),
        row(
            "indexdocument-document",
            sent(INDEX, &json!({"datasource": "d"})),
            sent("/api/index/v1/indexdocuments", &json!({})),
        ),
        row(
            "indexdocument-types",
            document(json!({"body": {"mimeType": 7}})),
            document(json!({"body": {"mimeType": "text/plain", "id": 7}})),
        ),
        row(
            "indexdocument-updated-at",
            document(json!({"updatedAt": "15 January"})),
            document(json!({"updatedAt": "2027-01-15T09:30:00.5Z"})),
        ),
        row(
            "getdatasourceconfig-datasource",
            sent(CONFIG, &json!({"name": "d"})),
            sent(CONFIG, &json!({"datasource": "d"})),
        ),
        row(
            "getdatasourceconfig-response-types",
            answered(CONFIG, 200, &json!({"urlRegex": 7})),
            answered(CONFIG, 200, &json!({"urlRegex": "x", "other": 7})),
        ),
        row(
            "rotatetoken-live-secret",
            answered(ROTATE, 200, &json!({"rawSecret": "cHJpdmF0ZQ"})),
            answered(ROTATE, 200, &json!({"rawSecret": "[REDACTED]"})),
        ),
        row(
            "rotatetoken-response-types",
            answered(ROTATE, 200, &json!({"createdAt": "now"})),
            answered(ROTATE, 200, &json!({"createdAt": 7})),
        ),
        row(
            "rotation-period",
            answered(ROTATE, 200, &json!({"rotationPeriodMinutes": 1439})),
            answered(ROTATE, 200, &json!({"rotationPeriodMinutes": 1440})),
        ),
        row(
            "indexing-status-400",
            answered(INDEX, 400, &json!({})),
            answered(SEARCH, 400, &json!({})),
        ),
    ];
    for (status, ids) in [
        (401, ["client-status-401", "indexing-status-401"]),
        (403, ["client-status-403", "indexing-status-403"]),
        (413, ["client-status-413", "indexing-status-413"]),
        (429, ["client-status-429", "indexing-status-429"]),
        (500, ["client-status-500", "indexing-status-500"]),
    ] {
        let [client, indexing] = ids;
        rows.push(row(
            client,
            answered(SEARCH, status, &json!({})),
            answered(INDEX, status, &json!({})),
        ));
        rows.push(row(
            indexing,
            answered(INDEX, status, &json!({})),
            answered(SEARCH, status, &json!({})),
        ));
    }
    rows
}

/// The exchanges as an NDJSON log.
fn log(exchanges: &[&Value]) -> String {
    let lines: Vec<_> = exchanges.iter().map(ToString::to_string).collect();
    lines.join("\n") + "\n"
}

/// The exchanges as a HAR.
fn har(exchanges: &[&Value]) -> String {
    let list = |headers: &Value| -> Vec<Value> {
        let fields = headers.as_object().into_iter().flatten();
        fields
            .map(|(name, value)| json!({"name": name, "value": value}))
            .collect()
    };
    let entry = |exchange: &&Value| {
        let (request, response) = (&exchange["request"], &exchange["response"]);
        let media_type = list(&request["headers"]).into_iter().find(|field| {
            field["name"]
                .as_str()
                .unwrap()
                .eq_ignore_ascii_case("content-type")
        });
        let media_type = media_type.map_or(json!(""), |field| field["value"].clone());
        let mut sent = json!({"method": exchange["method"], "url": exchange["url"], "headers": list(&request["headers"])});
        if !request["body"].is_null() {
            sent["postData"] = json!({"mimeType": media_type, "text": request["body"].to_string()});
        }
        let content = json!({"mimeType": "application/json", "text": response["body"].to_string()});
        let received = json!({"status": response["status"], "headers": [], "content": content});
        json!({"startedDateTime": "2026-11-20T09:00:00Z", "request": sent, "response": received})
    };
    json!({"log": {"entries": exchanges.iter().map(entry).collect::<Vec<_>>()}}).to_string()
}

/// The requirements that each exchange of a file violates, as pairs of index and id.
fn violated(desk: &Desk, arguments: &[&str]) -> BTreeSet<(u64, String)> {
    let ran = desk.run(
        &[
            &["check", "--contract", "--no-fold", "--format", "ndjson"],
            arguments,
        ]
        .concat(),
    );
    let lines = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let lines: Vec<_> = lines
        .filter(|line| line["check"] == "requirement")
        .collect();
    let pair = |line: &Value| {
        let index = line["exchange"]["index"].as_u64().unwrap();
        (index, line["rule"].as_str().unwrap().to_owned())
    };
    lines.iter().map(pair).collect()
}

#[test]
fn each_requirement_finds_its_violation_and_ignores_its_look_alike() {
    let rows = rows();
    let violating: Vec<_> = rows.iter().map(|row| &row.violates).collect();
    let alike: Vec<_> = rows.iter().map(|row| &row.looks_alike).collect();
    let desk = Desk::new()
        .with("violates.ndjson", log(&violating))
        .with("violates.har", har(&violating))
        .with("alike.ndjson", log(&alike))
        .with("alike.har", har(&alike));
    for ending in ["ndjson", "har"] {
        let found = violated(&desk, &[&format!("violates.{ending}")]);
        let alike = violated(&desk, &[&format!("alike.{ending}")]);
        for (index, row) in (0..).zip(&rows) {
            let pair = (index, row.id.to_owned());
            assert!(
                found.contains(&pair),
                "{} in {ending}: {}",
                row.id,
                row.violates
            );
            assert!(
                !alike.contains(&pair),
                "{} in {ending}: {}",
                row.id,
                row.looks_alike
            );
        }
    }
    let ids: BTreeSet<_> = rows.iter().map(|row| row.id.to_owned()).collect();
    assert_eq!(ids, contract_ids(), "each requirement has a row");
}

/// The ids of all built-in requirements.
fn contract_ids() -> BTreeSet<String> {
    let mut files = sources(&repository("rules"));
    files.retain(|file| file.to_string_lossy().ends_with("-contract.toml"));
    assert_eq!(files.len(), 2);
    let of_file = |file: PathBuf| {
        let table: toml::Table = toml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let requirements = table["requirement"].as_array().unwrap().clone();
        requirements
            .into_iter()
            .map(|one| one["id"].as_str().unwrap().to_owned())
    };
    files.into_iter().flat_map(of_file).collect()
}

#[test]
fn the_contract_is_off_by_default() {
    let rows = rows();
    let all: Vec<_> = rows.iter().map(|row| &row.violates).collect();
    let desk = Desk::new()
        .with("all.ndjson", log(&all))
        .with("on.toml", "contract = true\n");
    let off = desk.run(&["check", "all.ndjson", "--format", "json"]);
    assert!(!off.stdout.contains("requirement"), "{}", off.stdout);
    let flag = desk.run(&["check", "all.ndjson", "--format", "json", "--contract"]);
    let key = desk.run(&[
        "check",
        "all.ndjson",
        "--format",
        "json",
        "--config",
        "on.toml",
    ]);
    assert!(
        flag.stdout.contains("\"check\": \"requirement\""),
        "{}",
        flag.stdout
    );
    assert_eq!(flag.stdout, key.stdout);
    let less = [
        "check",
        "all.ndjson",
        "--contract",
        "--without-table",
        "client-contract",
    ];
    let less = desk.run(&less);
    assert!(!less.stdout.contains("client-") && less.stdout.contains("indexing-oauth"));
}

#[test]
fn a_live_token_is_never_shown() {
    let response = json!({"rawSecret": "a-live-token", "createdAt": 1, "rotationPeriodMinutes": 7});
    let exchange = answered(ROTATE, 200, &response);
    let desk = Desk::new()
        .with("a.ndjson", log(&[&exchange]))
        .with("a.har", har(&[&exchange]));
    for format in [
        "human",
        "json",
        "ndjson",
        "sarif",
        "markdown",
        "github",
        "gitlab",
        "junit",
        "checkstyle",
        "rdjsonl",
        "html",
    ] {
        let ran = desk.run(&[
            "check",
            ".",
            "--contract",
            "--show-values",
            "--format",
            format,
        ]);
        assert!(
            ran.stdout.contains("rawSecret"),
            "{format}: {}{}",
            ran.stdout,
            ran.stderr
        );
        assert!(
            !ran.stdout.contains("a-live-token"),
            "{format}: {}",
            ran.stdout
        );
    }
}

#[test]
fn the_summary_counts_refused_calls_and_names_what_may_explain_them() {
    let employee = |status: u16, body: &Value| {
        let request = json!({"headers": {"Host": "h.test"}, "body": body});
        let response = json!({"status": status, "body": {}});
        exchange("POST", "/api/index/v1/indexemployee", &request, &response)
    };
    let location = json!({"employee": {"location": "here"}});
    let mut exchanges = vec![
        employee(400, &location),
        employee(400, &json!({})),
        employee(200, &location),
    ];
    exchanges.extend(std::iter::repeat_n(answered(SEARCH, 401, &json!({})), 3));
    exchanges.extend(std::iter::repeat_n(answered(SEARCH, 429, &json!({})), 12));
    let desk = Desk::new()
        .with("a.ndjson", log(&exchanges.iter().collect::<Vec<_>>()))
        .with(
            "b.ndjson",
            log(&[&employee(400, &json!({})), &employee(200, &location)]),
        );
    let report = |day: &str| {
        desk.run(&["check", "a.ndjson", "--contract", "--as-of", day])
            .stdout
    };
    let late = "Refused calls:\n  POST /api/index/v1/indexemployee: 2 × 400\n    `location` in the request, whose last day was 2026-10-15, may explain the 400\n  POST /rest/api/v1/search: 12 × 429, 3 × 401\n";
    assert!(
        report("2026-11-20").contains(late),
        "{}",
        report("2026-11-20")
    );
    assert!(
        !report("2026-10-15").contains("may explain"),
        "{}",
        report("2026-10-15")
    );
    let run = |file: &str| desk.run(&["check", file, "--as-of", "2026-11-20"]).stdout;
    // Without the contract, only elements past their last day may explain an answer, and not in how many calls.
    let alone = "Refused calls:\n  POST /api/index/v1/indexemployee: 400\n    `location` in the request, whose last day was 2026-10-15, may explain the 400\n\n";
    assert!(run("a.ndjson").contains(alone), "{}", run("a.ndjson"));
    assert!(
        !run("b.ndjson").contains("Refused calls"),
        "{}",
        run("b.ndjson")
    );
}

#[test]
fn an_element_may_explain_a_400_among_other_errors() {
    let sent = |status: u16| {
        let request = json!({"headers": {"Host": "h.test"}, "body": {"employee": {"location": 1}}});
        let response = json!({"status": status, "body": {}});
        exchange("POST", "/api/index/v1/indexemployee", &request, &response)
    };
    let desk = Desk::new().with("a.ndjson", log(&[&sent(400), &sent(422)]));
    let run = |more: &[&str]| {
        let arguments = ["check", "a.ndjson", "--as-of", "2026-11-20"];
        desk.run(&[&arguments, more].concat()).stdout
    };
    assert!(
        run(&["--contract"]).contains("may explain the 400"),
        "{}",
        run(&["--contract"])
    );
    assert!(!run(&[]).contains("Refused calls"), "{}", run(&[]));
}

#[test]
fn a_refusal_is_explained_once_and_by_what_the_exchange_shows() {
    let refused = |headers: Value, status: u16, text: &str| {
        with_headers(SEARCH, &headers, status, &json!({"error": text}))
    };
    let host = json!({"Host": "h.test"});
    let rows = [
        (
            refused(
                json!({"x-service-actas": "***"}),
                403,
                "user in X-Service-ActAs not found",
            ),
            vec!["client-status-403"],
        ),
        (
            refused(
                json!({"X-Service-Auth-Type": "OAUTH"}),
                401,
                "bad X-Service-Auth-Type",
            ),
            vec!["client-status-401"],
        ),
        (
            refused(host.clone(), 401, "X-Service-ActAs header is required"),
            vec!["client-act-as"],
        ),
        (
            refused(json!({}), 403, "X-Service-ActAs header is required"),
            vec!["client-act-as"],
        ),
        (
            refused(
                host.clone(),
                401,
                "invalid secret; is the auth-type header missing?",
            ),
            vec!["client-auth-type"],
        ),
        (
            refused(host.clone(), 401, "Invalid Secret"),
            vec!["client-invalid-secret"],
        ),
        (
            refused(host.clone(), 401, "X-Service-ActAs or X-Service-Auth-Type"),
            vec!["client-act-as", "client-auth-type"],
        ),
        (refused(host, 401, "no"), vec!["client-status-401"]),
    ];
    let exchanges: Vec<_> = rows.iter().map(|(exchange, _)| exchange).collect();
    let desk = Desk::new().with("a.ndjson", log(&exchanges));
    let found = violated(&desk, &["a.ndjson"]);
    for (index, (exchange, ids)) in (0..).zip(&rows) {
        let own = found
            .iter()
            .filter(|(own, _)| *own == index)
            .map(|(_, id)| id.as_str());
        assert_eq!(own.collect::<Vec<_>>(), *ids, "{exchange}");
    }
    // The summary counts each call, and once.
    let report = desk.run(&["check", "a.ndjson", "--contract"]).stdout;
    assert!(report.contains("/search: 6 × 401, 2 × 403\n"), "{report}");
}

#[test]
fn near_misses_of_deprecated_operations_are_still_reported() {
    let exchange = answered("/rest/api/v1/Chat", 200, &json!({"citations": []}));
    let desk = Desk::new().with("a.ndjson", log(&[&exchange]));
    for arguments in [
        &["check", "a.ndjson", "-v"][..],
        &["check", "a.ndjson", "-v", "--contract"],
    ] {
        let ran = desk.run(arguments);
        assert!(
            ran.stdout.contains("almost"),
            "{arguments:?}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
}
