//! Replacements that the prose of descriptions names: each must be an element of the description, near the deprecated one.

use serde_json::{Value, json};

use super::support::load_files;
use sundown_lint::rules::{Rule, RuleFile};

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
        // A property of another object.
        (
            "Deprecated. Use `Invoice.total` instead.",
            "Deprecated. Use `Invoice.total` instead.",
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
