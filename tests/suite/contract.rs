//! The published contract: every statement of the reference, what checks it, and a use and a look-alike of each requirement.

use std::collections::BTreeSet;

use crate::builtin::LIBRARY;
use serde_json::{Value, json};
use sundown_lint::rules::RuleTable;

use crate::support::{Desk, builtin, repository};

/// A statement of the reference, or several that one check decides.
struct Statement {
    section: &'static str,
    text: &'static str,
    status: StatementStatus,
}

/// What decides whether traffic agrees with a statement.
enum StatementStatus {
    /// These rules of the tables of deprecations.
    Checked(&'static [&'static str]),
    /// These requirements, with `--contract`.
    OptIn(&'static [&'static str]),
    /// Nothing, for this reason.
    NotVisible(&'static str),
}

use StatementStatus::{Checked, NotVisible, OptIn};

const CONSOLE: &str = "the admin console does it, without an exchange of either API";
const KIND_OF_TOKEN: &str =
    "a captured token does not show of which kind it is, and recorders mask it";

const HIDDEN_TOKEN: &str = "recorders remove or mask this header field, so that neither its absence nor its value proves anything";

/// The statements in the order of the reference. What it marks as "not shown" states nothing.
#[rustfmt::skip]
const STATEMENTS: [Statement; 77] = [
    Statement { section: "2.1", text: "a token has a name, permissions, an expiry date, and optional IP restrictions", status: NotVisible(CONSOLE) },
    Statement { section: "2.1", text: "the rotation period of a token is an integer of at least 1440 minutes", status: OptIn(&["rotation-period", "rotatetoken-response-types"]) },
    Statement { section: "2.1, rule 1", text: "the value of a token is displayed once, at creation", status: NotVisible(CONSOLE) },
    Statement { section: "2.1, rule 2", text: "an Indexing API token is not valid for the Client API", status: NotVisible(KIND_OF_TOKEN) },
    Statement { section: "2.2", text: "`rawSecret` is the value of the new token", status: OptIn(&["rotatetoken-live-secret"]) },
    Statement { section: "2.2", text: "`rawSecret` is a string, `createdAt` and `rotationPeriodMinutes` are integers", status: OptIn(&["rotatetoken-response-types"]) },
    Statement { section: "2.3", text: "`name`, `displayName` and `urlRegex` of a datasource are strings", status: OptIn(&["getdatasourceconfig-response-types"]) },
    Statement { section: "2.3", text: "`urlRegex` is a regular expression", status: NotVisible("the reference does not name the dialect") },
    Statement { section: "2.4", text: "a request of indexdocument has the string `datasource`", status: OptIn(&["indexdocument-datasource"]) },
    Statement { section: "2.4", text: "`datasource` names an existing datasource", status: OptIn(&["indexing-status-400"]) },
    Statement { section: "2.4", text: "a request of indexdocument has the object `document`", status: OptIn(&["indexdocument-document"]) },
    Statement { section: "2.4", text: "`document.id` and `document.title` are strings", status: OptIn(&["indexdocument-types"]) },
    Statement { section: "2.4", text: "`document.body` is an object with the strings `mimeType` and `textContent`", status: OptIn(&["indexdocument-types"]) },
    Statement { section: "2.4", text: "`document.body.mimeType` is a MIME type", status: NotVisible("the reference does not list the types that are supported") },
    Statement { section: "2.4", text: "`document.updatedAt` is an ISO 8601 timestamp in UTC", status: OptIn(&["indexdocument-updated-at"]) },
    Statement { section: "2.5", text: "`query` of a search is a string", status: OptIn(&["search-query-type"]) },
    Statement { section: "2.5", text: "`pageSize` of a search is an integer", status: OptIn(&["search-page-size-type"]) },
    Statement { section: "2.5", text: "`results` of a search is an array, `trackingToken` and `requestId` are strings", status: OptIn(&["search-response-types"]) },
    Statement { section: "3", text: "a token stops being valid after its expiry date", status: OptIn(&["client-status-401", "indexing-status-401"]) },
    Statement { section: "3", text: "a rotation replaces a token", status: NotVisible("recorders mask tokens, so that no one can compare them") },
    Statement { section: "4", text: "requests with a body have the media type application/json", status: OptIn(&["client-media-type", "indexing-media-type"]) },
    Statement { section: "4", text: "the listed operations use POST", status: OptIn(&["client-method", "indexing-method"]) },
    Statement { section: "4", text: "a rotation needs no body", status: NotVisible("a body is not needed, but it is not forbidden either") },
    Statement { section: "4", text: "the answer to a rotation is a JSON object with three fields", status: OptIn(&["rotatetoken-response-types"]) },
    Statement { section: "4", text: "a request of getdatasourceconfig has the string `datasource`", status: OptIn(&["getdatasourceconfig-datasource"]) },
    Statement { section: "4", text: "a successful search is answered with 200", status: NotVisible("another status of success does not contradict it") },
    Statement { section: "4, rule 1", text: "the token of the request is the one that is rotated", status: NotVisible(KIND_OF_TOKEN) },
    Statement { section: "4, rule 2", text: "getdatasourceconfig changes nothing", status: NotVisible("a capture does not show the state of the service") },
    Statement { section: "5.1, rule 1", text: "the Indexing API does not support OAuth", status: OptIn(&["indexing-oauth"]) },
    Statement { section: "5.1, rule 2", text: "each request of the Indexing API has `Authorization: Bearer`", status: NotVisible(HIDDEN_TOKEN) },
    Statement { section: "5.1, rule 3", text: "`X-Service-Auth-Type` and `X-Service-ActAs` are not required", status: NotVisible("nothing violates it") },
    Statement { section: "5.1, rule 4", text: "token permissions are global", status: NotVisible(CONSOLE) },
    Statement { section: "5.1, rule 5", text: "some roles may create tokens", status: NotVisible(CONSOLE) },
    Statement { section: "5.1, rule 6", text: "the period of a rotation is at least 1440 minutes", status: OptIn(&["rotation-period"]) },
    Statement { section: "5.1, rule 7", text: "a request from an address outside of the allowed ranges is refused with 403", status: OptIn(&["indexing-status-403"]) },
    Statement { section: "5.2", text: "each request of the Client API has `Authorization: Bearer`", status: NotVisible(HIDDEN_TOKEN) },
    Statement { section: "5.2", text: "scopes, or the identity provider, grant access", status: NotVisible("neither is part of a request, and the reference names no scope") },
    Statement { section: "5.2", text: "a token of the own authorization server may be sent with `X-Service-Auth-Type: OAUTH`", status: NotVisible("it is optional, so that nothing violates it") },
    Statement { section: "5.2, rule 1", text: "a token of an external identity provider needs `X-Service-Auth-Type: OAUTH`", status: OptIn(&["client-auth-type", "client-invalid-secret"]) },
    Statement { section: "5.2, rule 2", text: "a global service-issued token needs `X-Service-ActAs`", status: OptIn(&["client-act-as"]) },
    Statement { section: "5.2", text: "`X-Service-ActAs` names the user by email address", status: NotVisible("recorders mask addresses, and the reference does not show their form") },
    Statement { section: "7", text: "401: the token is invalid or expired", status: OptIn(&["client-status-401", "indexing-status-401"]) },
    Statement { section: "7", text: "403 of the Indexing API: the address is not in the allowed ranges", status: OptIn(&["indexing-status-403"]) },
    Statement { section: "7", text: "403 of the Client API: insufficient permissions", status: OptIn(&["client-status-403"]) },
    Statement { section: "7", text: "400 of the Indexing API: the datasource does not exist", status: OptIn(&["indexing-status-400"]) },
    Statement { section: "7", text: "413: the request or document is too large", status: OptIn(&["client-status-413", "indexing-status-413"]) },
    Statement { section: "7", text: "429: the rate limit is exceeded", status: OptIn(&["client-status-429", "indexing-status-429"]) },
    Statement { section: "7", text: "500: an internal failure", status: OptIn(&["client-status-500", "indexing-status-500"]) },
    Statement { section: "7, rule 1", text: "documents are refused for their MIME type, size or permissions", status: NotVisible("the reference shows neither the bodies of errors nor their statuses") },
    Statement { section: "7, rule 2", text: "a document appears in search after 5 to 10 minutes", status: NotVisible("a capture does not show that two exchanges are about one document") },
    Statement { section: "7, rule 3", text: "an empty expiry date blocks the creation of a token", status: NotVisible(CONSOLE) },
    Statement { section: "8", text: "the minimum rotation period is 1440 minutes", status: OptIn(&["rotation-period"]) },
    Statement { section: "8", text: "each token has an expiry date", status: NotVisible(CONSOLE) },
    Statement { section: "9, rule 1", text: "the version is part of the path", status: NotVisible("a path without it is another operation, which is counted as a near miss") },
    Statement { section: "9, rule 2", text: "deprecations are announced with a removal date", status: NotVisible("the list of deprecations announces them, not the traffic") },
    Statement { section: "9", text: "insights: `searchSessionSatisfaction`", status: Checked(&["insights-search-session-satisfaction"]) },
    Statement { section: "9", text: "getanswer: `trackingToken`", status: Checked(&["getanswer-tracking-token"]) },
    Statement { section: "9", text: "getcollection: `trackingToken`", status: Checked(&["getcollection-tracking-token"]) },
    Statement { section: "9", text: "chat: `citations`", status: Checked(&["chat-citations"]) },
    Statement { section: "9", text: "indexemployee: `location`", status: Checked(&["indexemployee-location"]) },
    Statement { section: "9", text: "createannouncement: `isNegated`", status: Checked(&["createannouncement-is-negated"]) },
    Statement { section: "9", text: "createannouncement: `documents`", status: Checked(&["createannouncement-documents"]) },
    Statement { section: "9", text: "createannouncement: `boardId`", status: Checked(&["createannouncement-board-id"]) },
    Statement { section: "9", text: "createannouncement: `snippet`", status: Checked(&["createannouncement-snippet"]) },
    Statement { section: "9", text: "createannouncement: `inviteTime` and `reminderTime`", status: Checked(&["createannouncement-invite-time", "createannouncement-reminder-time"]) },
    Statement { section: "9", text: "createannouncement: `reactions`", status: Checked(&["createannouncement-reactions"]) },
    Statement { section: "9", text: "createannouncement: `role`", status: Checked(&["createannouncement-role"]) },
    Statement { section: "9", text: "policies: `sensitiveInfoTypes`", status: Checked(&["policy-sensitive-info-types", "policy-content-sensitive-info-types"]) },
    Statement { section: "9", text: "policies: `likelihoodThreshold`", status: Checked(&["policy-likelihood-threshold"]) },
    Statement { section: "9", text: "policies: `urlGreenlist`", status: Checked(&["policy-url-greenlist"]) },
    Statement { section: "9", text: "policies: `datasources`", status: Checked(&["policy-datasources"]) },
    Statement { section: "9", text: "policies: `externalSharingOptions`", status: Checked(&["policy-external-sharing-options"]) },
    Statement { section: "9", text: "policies: `enabled` and `anyoneWithLinkEnabled`", status: Checked(&["policy-enabled", "policy-anyone-with-link-enabled"]) },
    Statement { section: "9", text: "policies: `sensitiveTerms` and `sensitiveRegexes`", status: Checked(&["policy-sensitive-terms", "policy-sensitive-regexes"]) },
    Statement { section: "9", text: "the endpoints bulkindexemployees, getdocumentcount, getdocumentstatus and getusercount", status: Checked(&["bulkindexemployees-endpoint", "getdocumentcount-endpoint", "getdocumentstatus-endpoint", "getusercount-endpoint"]) },
    Statement { section: "9", text: "the endpoint listanswers", status: Checked(&["listanswers-endpoint"]) },
    Statement { section: "9, rule", text: "an item works until its removal date, and is removed after it", status: Checked(&["chat-citations", "getanswer-tracking-token"]) },
];

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
    let table = RuleTable::new(
        LIBRARY
            .contracts
            .iter()
            .map(|table| table.load().unwrap())
            .collect(),
    );
    table.unwrap().ids().map(str::to_owned).collect()
}

#[test]
fn every_statement_of_the_reference_has_a_check_or_a_reason() {
    let (rules, contract) = (builtin(), contract_ids());
    let mut named = BTreeSet::new();
    for Statement {
        section,
        text,
        status,
    } in &STATEMENTS
    {
        match status {
            Checked(ids) => {
                for id in *ids {
                    assert!(rules.rule(id).is_some(), "{section}: {text}: {id}");
                    // The test of the corpus proves that these rules find their uses, and not their look-alikes.
                    let folder = repository(&format!("testdata/rules/{id}"));
                    for file in ["uses.ndjson", "lookalikes.ndjson"] {
                        assert!(folder.join(file).exists(), "{id}: {file}");
                    }
                }
            }
            OptIn(ids) => {
                for id in *ids {
                    assert!(contract.contains(*id), "{section}: {text}: {id}");
                    named.insert((*id).to_owned());
                }
            }
            NotVisible(reason) => assert!(!reason.is_empty(), "{section}: {text}"),
        }
    }
    assert_eq!(named, contract, "each requirement belongs to a statement");
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
