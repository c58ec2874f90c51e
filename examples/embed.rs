//! Embeds the linter in a program: loads rules, checks an exchange and a single body, and prints the findings.
//!
//! ```sh
//! cargo run --example embed
//! ```

#![allow(clippy::print_stdout, reason = "an example that shows its output")]

use std::error::Error;

use chrono::NaiveDate;
use sundown::findings::Finding;
use sundown::lint::{LintSink, Linter};
use sundown::rules::{Lifecycle, RuleFile, RuleTable};
use sundown::text::Span;
use sundown::traffic::{Body, Call, Encoding, Exchange, Message, Method, Skip, Target};

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

/// Prints what the linter finds.
struct Printer;

impl LintSink for Printer {
    fn finding(&mut self, finding: Finding) {
        let pointer = finding.found.pointer.as_ref().map_or("", |pointer| &pointer.exact);
        let (severity, span) = (finding.severity.name(), finding.found.span);
        println!(
            "{severity} at {pointer} (bytes {} to {}): {}",
            span.start,
            span.end,
            finding.message()
        );
    }

    fn skip(&mut self, skip: Skip) {
        println!("not checked: {}", skip.reason.name());
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let table = RuleTable::new(vec![RuleFile::parse("shop.toml", RULES)?])
        .map_err(|duplicate| format!("{duplicate:?}"))?;
    let today: NaiveDate = "2026-11-20".parse()?;
    let mut linter = Linter::new(&table, Lifecycle::on(today));

    // An exchange borrows its bodies; they are decoded only where a rule applies.
    let call =
        || Call { method: Method::parse("POST"), target: Target::parse(URL), url_span: None };
    let exchange = Exchange {
        call: call(),
        request: message(REQUEST),
        response: message(RESPONSE),
        ..Exchange::default()
    };
    println!("coverage: {:?}", linter.check(&exchange, &mut Printer));

    // A single body is an exchange that has nothing else.
    let body = Exchange { call: call(), request: message(REQUEST), ..Exchange::default() };
    println!("coverage: {:?}", linter.check(&body, &mut Printer));
    Ok(())
}

/// The message with this body, which is a file of its own.
fn message(file: &[u8]) -> Message<'_> {
    let body = Body::new(file, Span::new(0, file.len()), Encoding::Plain);
    Message { body: Some(body), ..Message::default() }
}
