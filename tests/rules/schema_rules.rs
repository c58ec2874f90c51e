//! An API description as the rules: what it finds is what a plain recursive walk along the schemas finds.

use crate::support::Desk;

const SHOP: &str = include_str!("../../testdata/schemas/shop.yaml");

#[test]
fn what_captures_cannot_show_is_reported() {
    let desk = Desk::new().with("api.yaml", SHOP).with(
        "x.ndjson",
        "{\"method\":\"GET\",\"url\":\"/v1/orders/7\",\"status\":200}\n",
    );
    let ran = desk.run(&[
        "check",
        "--rules",
        "api.yaml",
        "--no-builtin-rules",
        "x.ndjson",
    ]);
    assert!(
        ran.stderr.contains("the cookie `session` is deprecated"),
        "{}",
        ran.stderr
    );
    let page = desk.run(&[
        "explain",
        "order-legacy-id",
        "--rules",
        "api.yaml",
        "--no-builtin-rules",
        "--as-of",
        "2026-11-20",
    ]);
    insta::assert_snapshot!(page.stdout);
}

#[test]
fn a_description_is_recognised_as_rules_and_as_a_list_for_any_order_of_keys() {
    let paths = r#""paths":{"/a":{"get":{"deprecated":true,"responses":{}}}},"info":{"title":"T","version":"1"}"#;
    for (name, text) in [
        ("last.json", format!(r#"{{{paths},"swagger":"2.0"}}"#)),
        (
            "marked.json",
            format!("\u{feff}{{{paths},\"openapi\":\"3.1.0\"}}"),
        ),
        (
            "flow.yaml",
            format!("{{{}, openapi: 3.1.0}}", paths.replace('"', "")).replace(':', ": "),
        ),
        (
            "quoted.yaml",
            format!("# made by hand\n'openapi': 3.1.0\n{}\n", paths_in_blocks()),
        ),
    ] {
        let desk = Desk::new().with(name, text);
        let listed = desk.run(&["rules", "list", "--rules", name, "--no-builtin-rules"]);
        assert!(
            listed.stdout.contains("get-a "),
            "{name}: {}{}",
            listed.stdout,
            listed.stderr
        );
        let imported = desk.run(&["rules", "import", name]);
        assert!(
            imported.stdout.contains("id = \"get-a\""),
            "{name}: {}",
            imported.stderr
        );
    }
}

fn paths_in_blocks() -> &'static str {
    "paths:\n  /a: {get: {deprecated: true, responses: {}}}\ninfo: {title: T, version: '1'}"
}
