//! The library checks what a program has in memory, with all that rules may be about.

use std::io::Write as _;

use chrono::NaiveDate;
use flate2::Compression;
use flate2::write::GzEncoder;

use sundown::{Checker, HttpExchange, Rules};

const RULES: &str = r#"
api = "Shop"

[[rule]]
id = "old-version"
operation = "POST /orders"
header = "X-Version"
values = ["1"]
removal = 2026-12-10

[[rule]]
id = "total"
operation = "POST /orders"
field = "total"
at = ["$.total"]
removal = 2026-12-10
"#;

fn found(rules: &Rules, exchange: &HttpExchange<'_>) -> Vec<String> {
    let today = NaiveDate::from_ymd_opt(2026, 11, 20);
    let mut checker = Checker::new(rules, today.unwrap_or_default());
    let outcome = checker.check(exchange);
    assert_eq!(outcome.not_checked, [""; 0]);
    outcome.findings.into_iter().map(|use_| use_.rule).collect()
}

#[test]
fn values_of_header_fields_decide() {
    let rules = Rules::from_toml("shop.toml", RULES).unwrap();
    let found = |version| {
        let exchange = HttpExchange {
            method: "POST",
            url: "https://shop.example/orders",
            request_headers: &[("X-Version", version)],
            ..HttpExchange::default()
        };
        found(&rules, &exchange)
    };
    assert_eq!(found("1"), ["old-version-1"]);
    assert!(found("2").is_empty());
}

#[test]
fn bodies_are_read_as_their_header_fields_say() {
    let rules = Rules::from_toml("shop.toml", RULES).unwrap();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(br#"{"total": 12.5}"#).unwrap();
    let exchange = HttpExchange {
        method: "POST",
        url: "https://shop.example/orders",
        request_headers: &[
            ("Content-Type", "application/json"),
            ("Content-Encoding", "gzip"),
        ],
        request_body: Some(&packed.finish().unwrap()),
        ..HttpExchange::default()
    };
    assert_eq!(found(&rules, &exchange), ["total"]);
}

#[test]
fn the_status_of_a_response_is_evidence() {
    let rules =
        "api = 'Shop'\n[[rule]]\nid = 'orders'\noperation = 'GET /orders'\nremoval = 2026-12-10\n";
    let rules = Rules::from_toml("shop.toml", rules).unwrap();
    let mut checker = Checker::new(&rules, "2026-12-20".parse().unwrap());
    let outcome = checker.check(&HttpExchange {
        method: "GET",
        url: "https://shop.example/orders",
        status: Some(410),
        response_body: Some(b""),
        ..HttpExchange::default()
    });
    assert_eq!(outcome.not_checked, [""; 0]);
    assert_eq!(outcome.findings[0].days_left, Some(-10));
    let consequence = &outcome.findings[0].consequence;
    assert!(consequence.contains("refused (410)"), "{consequence}");
}

#[test]
fn packs_are_rules() {
    let rules = Rules::from_pack("llm-models").unwrap().unwrap();
    let exchange = HttpExchange {
        method: "POST",
        url: "https://api.openai.com/v1/chat/completions",
        request_body: Some(br#"{"model": "gpt-4-0613", "messages": []}"#),
        ..HttpExchange::default()
    };
    assert_eq!(found(&rules, &exchange).len(), 1);
    assert!(Rules::from_pack("no-such-pack").unwrap().is_none());
}
