//! Rules that a rules file locates by `schema`: what they find, and what is refused.

use insta::assert_snapshot;

use crate::support::Desk;

/// A description that marks nothing.
const SHOP: &str = include_str!("../../testdata/schemas/orders.yaml");

const PARTS: &str =
    r"Draft: { type: object, properties: { legacyId: { type: string }, state: { type: string } } }";

fn desk(rules: &str) -> Desk {
    Desk::new()
        .with("api/shop.yaml", SHOP)
        .with("api/parts.yaml", PARTS)
        .with("api/shop.toml", format!("api = 'Shop'\n{rules}"))
}

const ORDER: &str = r#"{"legacyId":1,"buyer":{"name":"a","phone":"1"},"seller":{"name":"b"},"payer":{"name":"c"},"parent":{"parent":{"legacyId":2}},"legacy":{"legacyId":3},"properties":{"items":"x"},"state":"OLD"}"#;

/// The findings of rules in an order that is read and written.
fn found(rules: &str) -> Vec<String> {
    let desk = desk(rules);
    let traffic = format!(
        "{{\"method\":\"GET\",\"url\":\"/orders/7\",\"response\":{{\"body\":{ORDER}}},\"status\":200}}\n\
         {{\"method\":\"PUT\",\"url\":\"/orders/7\",\"request\":{{\"body\":{ORDER}}},\"status\":200}}\n"
    );
    let rules = desk.path("api/shop.toml");
    let arguments = [
        "check",
        "--no-builtin-rules",
        "--no-fold",
        "--format",
        "ndjson",
        "-",
        "--rules",
    ];
    let ran = desk.run_with(
        &[&arguments[..], &[rules.to_str().unwrap()]].concat(),
        traffic.as_bytes(),
    );
    let lines = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let found = lines.filter(|line: &serde_json::Value| line["pointer"].is_string());
    // Without a date a use is a warning, and one that is only possible one severity lower.
    let words = ["rule", "field", "side", "pointer", "severity"];
    let found: Vec<String> = found
        .map(|line| {
            words
                .iter()
                .filter_map(|key| line[key].as_str())
                .collect::<Vec<_>>()
                .join(" ")
        })
        .map(|line| line.trim_end_matches(" warning").to_owned())
        .collect();
    assert!(ran.code < 2, "{}", ran.stderr);
    found
}

#[test]
fn a_property_is_found_wherever_an_operation_reaches_it() {
    let rules = "[[rule]]\nid = 'old-id'\nschema = 'shop.yaml#/components/schemas/Order/properties/legacyId'\n";
    let expected = [
        "old-id legacyId response /legacyId",
        "old-id legacyId response /parent/parent/legacyId",
    ];
    assert_eq!(found(rules), expected);
    assert_eq!(found(&format!("{rules}field = 'legacyId'\n")), expected);
    assert_eq!(found(&format!("{rules}sides = ['response']\n")), expected);
    assert!(found(&format!("{rules}sides = ['request']\n")).is_empty());
    // The operation is that of the announcement, as lists have it.
    assert_eq!(
        found(&format!("{rules}operation = 'PUT /orders/{{id}}'\n")),
        expected
    );
    let also =
        format!("{rules}also = [{{ operation = 'PUT /orders/{{id}}', at = ['$.legacyId'] }}]\n");
    assert_eq!(
        found(&also).last().unwrap(),
        "old-id legacyId request /legacyId"
    );
    let odd = "[[rule]]\nid = 'odd'\nschema = 'shop.yaml#/components/schemas/Order/properties/properties'\n";
    assert_eq!(found(odd), ["odd properties response /properties"]);
}

#[test]
fn a_property_of_a_further_file_is_located_through_the_description_that_refers_to_it() {
    let rule = "[[rule]]\nid = 'state'\nschema = 'parts.yaml#/Draft/properties/state'\n";
    let through = format!("description = './shop.yaml'\n{rule}");
    assert_eq!(found(&through), ["state state request /state"]);
    assert_eq!(
        found(&format!("{through}value = 'OLD'\n")),
        ["state state request /state"]
    );
    assert!(found(&format!("{through}value = 'NEW'\n")).is_empty());
    let alone = desk(rule).run(&["rules", "check", "api/shop.toml"]);
    assert!(
        alone.stderr.contains("not an OpenAPI description"),
        "{}",
        alone.stderr
    );
    assert!(alone.stderr.contains("`description`"), "{}", alone.stderr);
}

#[test]
fn a_schema_covers_all_properties_that_use_it() {
    let rules = "[[rule]]\nid = 'person'\nschema = 'shop.yaml#/components/schemas/Person'\n";
    assert_eq!(
        found(rules),
        [
            "person buyer response /buyer",
            "person seller response /seller",
            "person payer response /payer note",
        ]
    );
    assert_eq!(
        found(&format!("{rules}field = 'buyer'\n")),
        ["person buyer response /buyer"]
    );
    let desk = desk(rules);
    let checked = desk.run(&["rules", "check", "api/shop.toml"]);
    assert_eq!(
        checked.stdout, "api/shop.toml: 1 rule, no mistakes\n",
        "{}",
        checked.stderr
    );
    let page = desk
        .run(&[
            "explain",
            "person",
            "--no-builtin-rules",
            "--rules",
            "api/shop.toml",
        ])
        .stdout;
    for name in ["buyer", "seller", "payer"] {
        assert!(
            page.contains(&format!("#/components/schemas/Order/properties/{name}")),
            "{page}"
        );
    }
}

#[test]
fn all_mistakes_about_schemas_are_reported_together_with_their_locations() {
    let order = "shop.yaml#/components/schemas/Order";
    let entries = [
        "schema = 'nowhere.yaml#/x'".to_owned(),
        "schema = 'nowhere.yaml#/y'".to_owned(),
        "schema = 'https://shop.example/api.yaml#/x'".to_owned(),
        "schema = '#/components/schemas/Order'".to_owned(),
        "schema = 'shop.yaml'".to_owned(),
        "schema = 'shop.yaml#Order'".to_owned(),
        "schema = 'shop.yaml#/components/schemas/Ordr'".to_owned(),
        format!("schema = '{order}/properties/legacyId/properties/x'"),
        "schema = 'shop.yaml#/components/schemas'".to_owned(),
        format!("schema = '{order}/properties/legacyId'\nfield = 'id'"),
        format!(
            "schema = '{order}/properties/legacyId'\nat = ['$.legacyId']\noperation = 'GET /orders/{{id}}'"
        ),
        format!("schema = '{order}/properties/legacyId'\nexcept = ['$.legacyId']"),
        format!("schema = '{order}/properties/legacyId'\nparameter = 'x'"),
        "schema = 'shop.yaml#/components/schemas/Person'\nfield = 'parent'".to_owned(),
        "schema = 'shop.yaml#/components/schemas/Person'\nalso = [{ operation = 'GET /x' }]"
            .to_owned(),
        "schema = 7".to_owned(),
    ];
    let entry = |(number, text)| format!("\n[[rule]]\nid = 'r{number}'\n{text}\n");
    let rules: String = (0..).zip(&entries).map(entry).collect();
    let ran = desk(&format!("description = 'broken.yaml'\n{rules}"))
        .with("api/broken.yaml", "openapi: 3.1.0\npaths: [\n")
        .run(&["rules", "check", "api/shop.toml"]);
    assert_eq!(ran.code, 2);
    assert_snapshot!(ran.stderr);
}
