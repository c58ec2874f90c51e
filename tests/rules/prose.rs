//! Elements that only the text of a description calls deprecated are possible findings, and say why.

use serde_json::Value;

use crate::support::Desk;

/// A description that marks `marked` alone, and says of others that they are deprecated.
const SAID: &str = r##"
openapi: 3.0.3
info: { title: Shop, version: "1" }
paths:
  /orders:
    get:
      summary: List orders (deprecated)
      responses: {}
    post:
      description: "Creates an order. The `note` field is deprecated."
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } }
      responses: {}
  /items:
    get:
      parameters:
        - { name: page, in: query, description: "Deprecated: use `cursor` instead." }
        - { name: cursor, in: query, description: "Replaces the deprecated `page`." }
      responses: {}
components:
  schemas:
    Order:
      type: object
      properties:
        marked: { type: string, deprecated: true }
        kept: { type: string, deprecated: false, description: This field is deprecated. }
        note: { type: string, description: "note is deprecated and will be removed on November, 13, 2027." }
        state: { type: string, description: "One of open, and held (deprecated)." }
        deprecated: { type: boolean, description: "deprecated indicates that this order is deprecated." }
"##;

const CALLS: &str = concat!(
    r#"{"request":{"method":"GET","url":"https://h/orders"}}"#,
    "\n",
    r#"{"request":{"method":"GET","url":"https://h/items?page=1&cursor=a"}}"#,
    "\n",
    r#"{"request":{"method":"POST","url":"https://h/orders","body":{"marked":"","kept":"","note":"","state":"","deprecated":true}}}"#,
    "\n"
);

#[test]
fn elements_that_only_the_text_calls_deprecated_are_possible_findings_on_request() {
    let desk = Desk::new()
        .with("api.yaml", SAID)
        .with("calls.ndjson", CALLS);
    let check = |rules: &str, options: &[&str]| {
        let fixed = [
            "check",
            "calls.ndjson",
            "--no-builtin-rules",
            "--format",
            "json",
            "--rules",
        ];
        let ran = desk.run(&[&fixed[..], &[rules, "--as-of", "2027-11-10"], options].concat());
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        let findings = report["findings"].as_array().unwrap().iter();
        let shown = findings.map(|finding| {
            let rule = finding["rule"].as_str().unwrap().to_owned();
            (
                rule,
                finding["possible"] == true,
                finding["severity"].as_str().unwrap().to_owned(),
            )
        });
        let mut shown: Vec<_> = shown.collect();
        shown.sort();
        shown
    };
    let finding = |name: &str, possible: bool, severity: &str| {
        (name.to_owned(), possible, severity.to_owned())
    };
    assert_eq!(
        check("api.yaml", &[]),
        [finding("order-marked", false, "warning")]
    );
    let all = check("api.yaml", &["--deprecations-from-text"]);
    let undated =
        ["get-orders", "order-note", "items-page"].map(|name| finding(name, true, "note"));
    let [operation, note, page] = undated;
    let marked = finding("order-marked", false, "warning");
    assert_eq!(all, [operation.clone(), page.clone(), marked.clone(), note]);
    // A use with three days left would be an error: it is one level lower.
    let options = ["--deprecations-from-text", "--dates-from-text"];
    let dated = finding("order-note", true, "warning");
    assert_eq!(
        check("api.yaml", &options),
        [operation, page, marked, dated]
    );

    // An import keeps that they are possible.
    let made = desk.run(&[&["rules", "import", "api.yaml"][..], &options].concat());
    assert_eq!(made.code, 0, "{}", made.stderr);
    std::fs::write(desk.path("shop.toml"), made.stdout).unwrap();
    assert_eq!(check("shop.toml", &[]), check("api.yaml", &options));
    // No format of deprecations has a place for a doubt, so an export says that it is missing.
    for format in ["csv", "json", "markdown"] {
        let fixed = [
            "rules",
            "export",
            "--no-builtin-rules",
            "--rules",
            "api.yaml",
            "--format",
        ];
        let ran = desk.run(&[&fixed[..], &[format, "--deprecations-from-text"]].concat());
        assert!(
            ran.stderr.contains("left out 3 doubts"),
            "{format}: {}",
            ran.stderr
        );
    }
}

#[test]
fn a_possible_finding_says_why() {
    let desk = Desk::new()
        .with("api.yaml", SAID)
        .with("calls.ndjson", CALLS);
    let ran = desk.run(&[
        "check",
        "calls.ndjson",
        "--no-builtin-rules",
        "--rules",
        "api.yaml",
        "--deprecations-from-text",
    ]);
    let message = "(possibly: it is not certain that the element is deprecated)";
    assert!(ran.stdout.contains(message), "{}", ran.stdout);
    let explained = desk.run(&[
        "explain",
        "order-note",
        "--rules",
        "api.yaml",
        "--deprecations-from-text",
    ]);
    assert!(
        explained
            .stdout
            .contains("it is only possible that it is deprecated"),
        "{}",
        explained.stdout
    );
}

#[test]
fn a_declaration_of_an_element_that_is_only_possibly_deprecated_is_a_level_lower_and_says_why() {
    let rules = "api = 'Shop'\n[[rule]]\nid = 'note'\noperation = 'GET /orders'\nparameter = 'note'\nremoval = 2026-01-31\n";
    let severity = |rules: String| {
        let description = "openapi: 3.0.3\ninfo: {title: Shop, version: '1'}\npaths:\n  /orders:\n    get:\n      parameters:\n        - {name: note, in: query, schema: {type: string}}\n      responses: {'200': {description: ok}}\n";
        let desk = Desk::new()
            .with("api.yaml", description)
            .with("rules.toml", rules);
        let fixed = [
            "check",
            "api.yaml",
            "--no-builtin-rules",
            "--rules",
            "rules.toml",
        ];
        let ran = desk.run(&[&fixed[..], &["--as-of", "2026-11-20", "--format", "json"]].concat());
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let findings = report["findings"].as_array().unwrap().iter();
        let exposed = findings
            .clone()
            .find(|finding| finding["check"] == "exposed")
            .unwrap();
        let text = |key: &str| exposed[key].as_str().unwrap().to_owned();
        (text("severity"), text("message"))
    };
    let (certain, _) = severity(rules.to_owned());
    let (possible, message) = severity(format!("{rules}possible = true\n"));
    assert_eq!((certain.as_str(), possible.as_str()), ("error", "warning"));
    assert!(
        message.ends_with("(possibly: it is not certain that the element is deprecated)"),
        "{message}"
    );
}

#[test]
fn a_text_beside_a_reference_describes_the_property() {
    let text = r##"
openapi: 3.0.3
info: { title: Shop, version: "1" }
paths:
  /orders: { post: { requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } }, responses: {} } }
components:
  schemas:
    Config: { type: object }
    Order:
      type: object
      properties:
        old: { $ref: "#/components/schemas/Config", description: "This field is deprecated, use new instead." }
        new: { $ref: "#/components/schemas/Config", description: "Replaces old." }
"##;
    let call =
        r#"{"request":{"method":"POST","url":"https://h/orders","body":{"old":{},"new":{}}}}"#;
    let desk = Desk::new()
        .with("api.yaml", text)
        .with("calls.ndjson", call);
    let check = [
        "check",
        "calls.ndjson",
        "--no-builtin-rules",
        "--rules",
        "api.yaml",
    ];
    let ran = desk.run(&[&check[..], &["--deprecations-from-text"]].concat());
    assert!(
        ran.stdout.contains("at /old") && !ran.stdout.contains("at /new"),
        "{}",
        ran.stdout
    );
    assert!(!desk.run(&check).stdout.contains("at /old"));
}
