//! Embeds the linter in a program: loads rules, checks an exchange and a single body, and prints the findings.
//!
//! ```sh
//! cargo run --example embed
//! ```

#![allow(clippy::print_stdout, reason = "an example that shows its output")]

use std::error::Error;

use sundown::{Checked, Checker, HttpExchange, Rules, Side};

const RULES: &str = r#"
api = "Shop API"

[[rule]]
id = "order-legacy-id"
operation = "POST /v1/orders"
field = "legacyId"
at = ["$.order.legacyId"]
replacement = "id"
removal = 2027-01-15
"#;

const URL: &str = "https://shop.example/v1/orders?dry-run=true";
const REQUEST: &[u8] = br#"{"order": {"legacyId": 17, "items": []}}"#;
const RESPONSE: &[u8] = br#"{"order": {"id": "o-17", "legacyId": 17}}"#;

fn main() -> Result<(), Box<dyn Error>> {
    let rules = Rules::from_toml("shop.toml", RULES)?;
    let mut checker = Checker::new(&rules, "2026-11-20".parse()?);

    print(&checker.check(&HttpExchange {
        method: "POST",
        url: URL,
        request_body: Some(REQUEST),
        response_body: Some(RESPONSE),
        ..HttpExchange::default()
    }));
    print(&checker.check_body("POST", URL, Side::Request, REQUEST));
    Ok(())
}

fn print(checked: &Checked) {
    for found in &checked.findings {
        let pointer = found.pointer.as_deref().unwrap_or_default();
        println!(
            "{} at {pointer}: {}; {}",
            found.severity.name(),
            found.message,
            found.advice
        );
    }
    for reason in &checked.not_checked {
        println!("not checked: {reason}");
    }
    println!("covered by a rule: {}", checked.is_covered);
}
