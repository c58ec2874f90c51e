//! Rules files of users: every mistake in one report, and every key doing what it says.

use insta::assert_snapshot;

use crate::support::Desk;

#[test]
fn all_mistakes_are_reported_together_with_their_locations() {
    let rules = r#"
api = "Shop"
base_path = "/v1"
opqaue = ["$..meta"]

[groups]
lists = ["GET /v1/orders", "GET orders"]

[[rule]]
id = "orders-total"
operation = "GET /v1/orders/{id"
field = "total"
removal = 2026-13-40

[[rule]]
id = "orders-total"
operation = "GET /v2/orders"
field = "total"
at = ["$.sum", "total", "$[?@[?@.x]].total"]
removal = "soon"
replacment = "amount"

[[rule]]
id = "Orders Total"
field = "total"
header = "x-total"

[[rule]]
id = "carts"
also = [{ group = "carts" }, { operation = "GET /v1/carts/x{id}/**", sides = ["both"] }]
field = "items"

[[rule]]
field = 7
schema = "openapi.yaml#/x"
value = "OLD"
"#;
    let desk = Desk::new().with("shop.toml", rules);
    let ran = desk.run(&["rules", "check", "shop.toml"]);
    assert_eq!(ran.code, 2);
    assert_snapshot!(ran.stderr);
    assert_eq!(desk.run(&["check", "--rules", "shop.toml", "."]).code, 2);
}

#[test]
fn a_file_without_mistakes_is_confirmed() {
    let rules = "api = 'Shop'\n[[rule]]\nid = 'carts'\noperation = 'GET /v1/carts'\n";
    let desk = Desk::new()
        .with("shop.toml", rules)
        .with("again.toml", rules);
    let ran = desk.run(&["rules", "check", "shop.toml"]);
    assert_eq!(
        (ran.stdout.as_str(), ran.code),
        ("shop.toml: 1 rule, no mistakes\n", 0)
    );
    let twice = desk.run(&[
        "check",
        "--rules",
        "shop.toml",
        "--rules",
        "again.toml",
        ".",
    ]);
    assert!(
        twice
            .stderr
            .contains("the rule id `carts` is already used in shop.toml"),
        "{}",
        twice.stderr
    );
    assert_eq!(twice.code, 2);
}

#[test]
fn other_files_are_refused_by_name() {
    let desk = Desk::new()
        .with("list.json", "[{}]")
        .with("api.yaml", "openapi: 4.0.0\n")
        .with("bad.toml", b"api = '\xFF'");
    for (file, text) in [
        (
            "list.json",
            "list.json is neither a rules file in TOML nor an API description",
        ),
        (
            "api.yaml",
            "api.yaml:1:10: not a supported version of OpenAPI",
        ),
        ("bad.toml", "it is not UTF-8"),
        ("none.toml", "cannot be read: no such file"),
    ] {
        let ran = desk.run(&["check", "--rules", file, "."]);
        assert!(
            ran.stderr.contains(text) && ran.stderr.contains("help:"),
            "{}",
            ran.stderr
        );
        assert_eq!(ran.code, 2);
    }
}

#[test]
fn what_after_removal_does_not_take_is_reported_with_what_it_takes() {
    let rules = "api = 'Shop'\n[after_removal]\noperation = 200\nrequest = 'refused'\nresponse = 410\nbody = 1\n[[rule]]\nid = 'a'\noperation = 'GET /a'\n";
    let ran = Desk::new()
        .with("shop.toml", rules)
        .run(&["rules", "check", "shop.toml"]);
    assert_eq!(ran.code, 2);
    assert_snapshot!(ran.stderr);
}
