//! What a configuration says about inputs, as the program takes it: its messages, and large files.

use std::fmt::Write as _;

use insta::assert_snapshot;

use crate::support::Desk;

/// A shop whose API has a base path, with one deprecated field in orders and one endpoint.
const SHOP: &str = r#"
api = "Shop"
base_path = "/api/v1"
[[rule]]
id = "order-code"
operation = "POST /api/v1/orders"
field = "code"
at = ["$.code"]
removal = 2026-12-01
[[rule]]
id = "order-legacy"
operation = "GET /api/v1/orders/{id}"
removal = 2027-12-01
"#;

#[test]
fn a_large_capture_of_several_hosts_gives_the_same_report_with_and_without_the_quick_walk() {
    let config = "rules = [\"shop.toml\"]\nbuiltin-rules = false\n\
                  [[api]]\nhosts = [\"shop.test\"]\nbase-paths = [\"/gate\"]\n";
    let filler = "x".repeat(200);
    let (mut text, mut expected) = (String::new(), 0);
    for number in 0..6_000 {
        let (host, is_met) = [
            ("https://shop.test", true),
            ("https://bank.test", false),
            ("", number % 8 < 4),
            ("https://shop.test:8443", true),
        ][number % 4];
        let headers = match (host, is_met) {
            ("", true) => r#"{"Host":"shop.test"}"#,
            ("", false) => r#"{"host":"bank.test"}"#,
            _ => "{}",
        };
        let base = ["/api/v1", "/gate", "/x"][number % 3];
        let key = if number % 7 == 0 { "code" } else { "other" };
        expected += usize::from(is_met && base != "/x" && key == "code");
        let _ = writeln!(
            text,
            "{{\"method\":\"POST\",\"url\":\"{host}{base}/orders\",\"headers\":{headers},\"body\":{{\"{key}\":\"{filler}\"}}}}"
        );
    }
    assert!(text.len() > 1_500_000);
    let desk = Desk::new()
        .with("shop.toml", SHOP)
        .with("sundown.toml", config)
        .with("traffic.ndjson", text);
    let run = |more: &[&str]| {
        desk.run(
            &[
                &["check", "traffic.ndjson", "--format", "ndjson", "--no-fold"],
                more,
            ]
            .concat(),
        )
    };
    let (quick, close) = (run(&[]), run(&["--strict"]));
    assert_eq!(quick.stdout, close.stdout);
    assert_eq!(
        quick.stdout.matches("\"rule\":\"order-code\"").count(),
        expected
    );
    assert!(expected > 200, "{expected}");
}

#[test]
fn a_configuration_that_contradicts_the_rules_ends_the_run() {
    let config = "rules = [\"shop.toml\"]\nbuiltin-rules = false\n[severity]\norder-coda = \"off\"\n\
                  [[payload]]\nfiles = \"*.json\"\noperation = \"order\"\n[[api]]\napi = \"Sop\"\nhosts = [\"a.test\"]\n";
    let desk = Desk::new()
        .with("shop.toml", SHOP)
        .with("sundown.toml", config);
    let ran = desk.run(&["check", "."]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert_snapshot!(ran.stderr);
}

#[test]
fn settings_of_built_in_rules_are_allowed_without_these_rules() {
    let config = "[severity]\ngetanswer-tracking-token = \"off\"\n\"exposed/getanswer-tracking-token\" = \"note\"\n\
                  [[api]]\napi = \"Client API\"\nhosts = [\"a.test\"]\n[[api]]\napi = \"client-api\"\nhosts = [\"a.test\"]\n";
    let desk = Desk::new()
        .with("shop.toml", SHOP)
        .with("sundown.toml", config)
        .with("orders.request.json", "{\"code\":1}");
    let ran = desk.run(&["check", "--no-builtin-rules", "--rules", "shop.toml"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{}", ran.stdout);
}

#[test]
fn explain_shows_how_a_rule_is_graded() {
    let page = |severity: &str| {
        let desk = Desk::new().with(
            "sundown.toml",
            format!("[severity]\ngetanswer-tracking-token = \"{severity}\"\n"),
        );
        desk.run(&["explain", "getanswer-tracking-token"]).stdout
    };
    assert!(
        page("note")
            .contains("  Severity     note, regardless of the days left (by the configuration)\n")
    );
    assert!(page("off").contains("  Severity     off: not checked (by the configuration)\n"));
}

#[test]
fn a_payload_entry_without_rules_is_warned_about_unless_quiet() {
    let config = "[[payload]]\nfiles = \"a.json\"\noperation = \"POST /nowhere\"\n";
    let desk = Desk::new()
        .with("sundown.toml", config)
        .with("a.json", "{}");
    let reported = desk.run(&["check", "a.json"]);
    assert_eq!(reported.code, 0);
    assert!(
        reported
            .stderr
            .starts_with("warning: sundown.toml:3:13: no rule covers `POST /nowhere`"),
        "{}",
        reported.stderr
    );
    assert_eq!(desk.run(&["check", "-q", "a.json"]).stderr, "");
}
