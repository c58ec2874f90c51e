//! Replacements that the prose of descriptions names: each must be an element of the description, near the deprecated one.

use serde_json::{Value, json};
use sundown::rules::{Rule, RuleFile};

use crate::descriptions::load_files;
use crate::support::Desk;

/// The rule that a description has for the property `old` of an object with these other properties.
fn rule_of_property(description: &str, others: &[&str]) -> Rule {
    let mut properties =
        json!({ "old": { "type": "string", "deprecated": true, "description": description } });
    for name in others {
        properties[*name] = json!({ "type": "string" });
    }
    properties["nested"] = json!({ "type": "object", "properties": { "inner": {}, "old": {} } });
    let schemas = json!({
        "Order": { "type": "object", "properties": properties },
        "Invoice": { "type": "object", "properties": { "total": {} } },
    });
    only_rule(&json!({
        "openapi": "3.0.3",
        "info": { "title": "Shop", "version": "1" },
        "paths": { "/orders": { "post": { "requestBody": { "content": { "application/json": {
            "schema": { "$ref": "#/components/schemas/Order" } } } }, "responses": {} } } },
        "components": { "schemas": schemas },
    }))
}

/// The rule that a description has for `GET /v1/orders`.
fn rule_of_operation(description: &str) -> Rule {
    let live =
        |summary: &str, id: &str| json!({ "summary": summary, "operationId": id, "responses": {} });
    only_rule(&json!({
        "openapi": "3.0.3",
        "info": { "title": "Shop", "version": "1" },
        "servers": [{ "url": "https://shop.example.com/api" }],
        "paths": {
            "/v1/orders": { "get": { "deprecated": true, "summary": "List orders (old)", "operationId": "listOrdersV1",
                "description": description, "responses": {} } },
            "/v2/orders": { "get": live("List orders", "listOrders"), "post": live("Create an order", "createOrder") },
            "/v2/orders/{id}": { "get": live("Get an order", "getOrder") },
            "/v2/search": { "post": live("Search", "searchAll") },
        },
    }))
}

fn only_rule(description: &Value) -> Rule {
    let description = load_files(&[("api.json", &description.to_string())]);
    let (RuleFile { mut rules, .. }, _) = RuleFile::from_description("api.json", description);
    assert_eq!(rules.len(), 1, "{rules:?}");
    rules.remove(0)
}

#[test]
fn the_replacement_of_a_property_is_another_property_of_the_same_object() {
    for (description, replacement) in [
        ("Deprecated. Use `new` instead.", "new"),
        ("Deprecated: use new instead", "new"),
        (
            "The old one. **Deprecated**, please use the `new` field.",
            "new",
        ),
        ("DEPRECATED in favor of the new property", "new"),
        ("This field has been replaced by \"new\".", "new"),
        (
            "<p>This field is deprecated.</p><p>Use <code>new</code>.</p>",
            "new",
        ),
        (
            "Superseded by [`new`](https://shop.example.com/docs#new).",
            "new",
        ),
        ("Use `new` instead of `old`.", "new"),
        ("This field is deprecated; use order_number", "orderNumber"),
        (
            "Deprecated. Instead, use `new` or `orderNumber`.",
            "new or orderNumber",
        ),
        (
            "(Deprecated; use new and order_number instead)",
            "new and orderNumber",
        ),
        ("Deprecated, use `nested.inner`.", "nested.inner"),
        (
            "Deprecated, use `inner` in `nested` instead.",
            "nested.inner",
        ),
        ("Deprecated, use `old` from `nested` instead.", "nested.old"),
        ("Deprecated. Use `Order.new` instead.", "new"),
        ("Deprecated. Use `Invoice.total` instead.", "Invoice.total"),
        ("Deprecated. Use\n`new` instead.", "new"),
        (
            "Please use the `new` field, `old` will be deprecated.",
            "new",
        ),
        ("Deprecated. Use `POST /orders` instead.", "POST /orders"),
    ] {
        let rule = rule_of_property(description, &["new", "orderNumber"]);
        assert_eq!(
            rule.replacement.as_deref(),
            Some(replacement),
            "{description}"
        );
        assert_eq!(rule.note, None, "{description}");
    }
}

#[test]
fn a_name_that_the_description_does_not_have_is_quoted_in_a_sentence() {
    for (description, note) in [
        (
            "Deprecated. Use `missing` instead.",
            "Deprecated. Use `missing` instead.",
        ),
        (
            "Deprecated: please use the new search.",
            "Deprecated: please use the new search.",
        ),
        (
            "The id.\n\nThis field is *deprecated* and will be removed in version 3.",
            "This field is deprecated and will be removed in version 3.",
        ),
        // A list with a quoted name that is not there is not half a replacement.
        (
            "Deprecated, use `new` and `missing`.",
            "Deprecated, use `new` and `missing`.",
        ),
    ] {
        let rule = rule_of_property(description, &["new"]);
        assert_eq!(rule.replacement, None, "{description}");
        assert_eq!(rule.note.as_deref(), Some(note), "{description}");
    }
}

#[test]
fn words_that_only_look_like_advice_are_no_replacement() {
    for description in [
        "Deprecated. Do not use `new` instead.",
        "The id that you use in `new`.",
        "Use `new` to sort the list.",
        "Deprecated. The value of `new` applies.",
        "Deprecated. Use `old` instead.",
        "Deprecated. See `new` for the format.",
        "Deprecated",
    ] {
        let rule = rule_of_property(description, &["new"]);
        assert_eq!(rule.replacement, None, "{description}");
    }
}

#[test]
fn names_that_differ_only_in_separators_must_be_unambiguous() {
    let description = "Deprecated. Use `order_number` instead.";
    let rule = rule_of_property(description, &["orderNumber", "OrderNumber"]);
    assert_eq!(rule.replacement, None);
    let rule = rule_of_property(description, &["orderNumber", "order_number"]);
    assert_eq!(rule.replacement.as_deref(), Some("order_number"));
}

#[test]
fn the_replacement_of_an_operation_is_another_operation() {
    for (description, replacement) in [
        (
            "Deprecated. Use `GET /v2/orders` instead.",
            "GET /v2/orders",
        ),
        ("Deprecated, use /api/v2/search.", "POST /v2/search"),
        (
            "This endpoint is deprecated. Please use the DELETE `/v2/orders` method or GET /v2/orders/$ID instead.",
            "GET /v2/orders/{id}",
        ),
        (
            "We recommend migrating your existing code to use the new [List orders](https://shop.example.com/docs) endpoint.",
            "GET /v2/orders",
        ),
        ("Deprecated in favor of `searchAll`.", "POST /v2/search"),
        (
            "Deprecated: moved to [Search](#operation/searchAll). It has been moved to [Search](#operation/searchAll).",
            "POST /v2/search",
        ),
        // A path without a method is one of several operations.
        ("Deprecated. Use /v2/orders instead.", "/v2/orders"),
    ] {
        let rule = rule_of_operation(description);
        assert_eq!(
            rule.replacement.as_deref(),
            Some(replacement),
            "{description}"
        );
    }
    for description in [
        "Deprecated. Use /v3/orders instead.",
        "Deprecated. Use `DELETE /v2/orders` instead.",
        "Deprecated, use [List orders (old)](https://shop.example.com/docs) instead.",
    ] {
        assert_eq!(
            rule_of_operation(description).replacement,
            None,
            "{description}"
        );
    }
}

#[test]
fn the_replacement_of_a_parameter_is_another_parameter_of_its_operations() {
    let rule = only_rule(&json!({
        "openapi": "3.0.3",
        "info": { "title": "Shop", "version": "1" },
        "paths": { "/orders": { "get": { "parameters": [
            { "name": "page", "in": "query", "deprecated": true, "description": "Deprecated, use page_from and page_to instead." },
            { "name": "page_from", "in": "query" },
            { "name": "page_to", "in": "query" },
        ], "responses": {} } } },
    }));
    assert_eq!(rule.replacement.as_deref(), Some("page_from and page_to"));
}

#[test]
fn extensions_come_before_prose_and_external_docs_are_the_documentation() {
    let rule = only_rule(&json!({
        "openapi": "3.0.3",
        "info": { "title": "Shop", "version": "1" },
        "paths": { "/orders": { "get": {
            "deprecated": true, "x-replaced-by": "GET /v2/orders", "description": "Deprecated. Use GET /search instead.",
            "externalDocs": { "url": "https://shop.example.com/migrate" }, "responses": {} },
        }, "/search": { "get": { "responses": {} } } },
    }));
    assert_eq!(rule.replacement.as_deref(), Some("GET /v2/orders"));
    assert_eq!(
        rule.docs.as_deref(),
        Some("https://shop.example.com/migrate")
    );
}

#[test]
fn the_replacement_is_also_read_from_a_title() {
    let rule = only_rule(&json!({
        "openapi": "3.1.0",
        "info": { "title": "Shop", "version": "1" },
        "paths": { "/orders": { "post": { "requestBody": { "content": { "application/json": { "schema": {
            "type": "object", "properties": {
                "old": { "type": "string", "deprecated": true, "title": "Deprecated, use `new`" },
                "new": { "type": "string" },
            } } } } }, "responses": {} } } },
    }));
    assert_eq!(rule.replacement.as_deref(), Some("new"));
}

#[test]
fn the_version_of_an_end_is_a_note_beside_a_replacement() {
    let rule = rule_of_property(
        "Deprecated, use `new`. It will be removed in version 4.",
        &["new"],
    );
    assert_eq!(rule.replacement.as_deref(), Some("new"));
    assert_eq!(
        rule.note.as_deref(),
        Some("It will be removed in version 4.")
    );
    assert_eq!(rule.removal, None);
    let rule = rule_of_property(
        "Deprecated, use `new`. It will be removed in a later one.",
        &["new"],
    );
    assert_eq!(rule.note, None);
}

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

    // An import keeps that they are possible, and takes it back if the description marks them.
    let import = ["rules", "import", "api.yaml", "--into", "shop.toml"];
    let made = desk.run(&[&import[..], &options].concat());
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert_eq!(check("shop.toml", &[]), check("api.yaml", &options));
    let marked = SAID.replace(
        "{ type: string, description: \"note is",
        "{ type: string, deprecated: true, description: \"note is",
    );
    assert_ne!(marked, SAID);
    std::fs::write(desk.path("api.yaml"), marked).unwrap();
    let again = desk.run(&[&import[..], &options].concat());
    assert!(
        again.stdout.contains("possible"),
        "{}{}",
        again.stdout,
        again.stderr
    );
    assert!(check("shop.toml", &[]).contains(&finding("order-note", false, "error")));

    // A rule without a doubt stays so.
    std::fs::write(desk.path("api.yaml"), SAID).unwrap();
    let before = std::fs::read_to_string(desk.path("shop.toml")).unwrap();
    assert_eq!(desk.run(&[&import[..], &options].concat()).code, 0);
    assert_eq!(
        std::fs::read_to_string(desk.path("shop.toml")).unwrap(),
        before
    );

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
