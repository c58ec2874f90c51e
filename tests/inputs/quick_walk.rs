//! The quick walk never changes what `usage` counts.

use serde_json::{Value, json};

use crate::support::{Desk, lines};
use crate::traffic::{Format, Layout, Settings, Traffic};

/// Generated traffic, and the number of uses planted in it, with those inside others.
fn traffic(settings: Settings, bytes: u64) -> (Vec<u8>, usize) {
    let (mut text, mut truth) = (Vec::new(), Vec::new());
    Traffic::new(settings)
        .write(bytes, &mut text, &mut truth)
        .unwrap();
    (text, std::str::from_utf8(&truth).unwrap().lines().count())
}

#[test]
fn usage_has_the_same_counts_with_and_without_the_quick_walk() {
    let settings = Settings {
        format: Format::Ndjson,
        layout: Layout::Minified,
        hits: 5,
        seed: 6,
    };
    let (text, planted) = traffic(settings, 3_000_000);
    let message = |body: Option<&str>| match body {
        Some(body) => json!({"headers": {}, "body": body}),
        None => json!({"headers": {}}),
    };
    let record = |body| {
        let mut record =
            json!({"time": 1_795_046_400_027_u64, "req": message(body), "res": message(body)});
        record["req"]["method"] = "POST".into();
        record["req"]["url"] = "/rest/api/v1/search".into();
        record["res"]["statusCode"] = 200.into();
        record
    };
    // Without a body, with an empty one, with one that is no JSON, and with one that is cut off.
    let odd = [None, Some(""), Some("<html>"), Some(r#"{"id":""#)].map(record);
    let text = String::from_utf8(text).unwrap() + &lines(&odd);
    let desk = Desk::new().with("log.ndjson", text);
    let usage = [
        "usage",
        "log.ndjson",
        "--by",
        "user-agent",
        "--format",
        "json",
    ];
    let [with, without] =
        [&[][..], &["--strict"]].map(|strict| desk.run(&[&usage, strict].concat()));
    let report: Value = serde_json::from_str(&with.stdout).unwrap();
    let elements = report["elements"].as_array().unwrap();
    let count = |name: &str| {
        elements
            .iter()
            .map(|one| one[name].as_u64().unwrap())
            .sum::<u64>()
    };
    // A use counts for each rule that it fits, and one of those that are planted fits two.
    assert_eq!(count("uses"), planted as u64 + 1);
    assert!(
        ["without_body", "not_json", "unreadable"]
            .iter()
            .all(|name| count(name) > 0)
    );
    assert_eq!(with.stdout, without.stdout);
}
