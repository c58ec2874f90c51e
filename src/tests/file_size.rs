//! A report depends neither on the size of a file, nor on how it arrives, nor on the number of threads.

use std::collections::HashMap;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::Path;

use proptest::prelude::*;

use super::support::{Files, builtin, options};
use sundown_captures::Gauge;
use sundown_lint::rules::RuleSet;
use sundown_report::Report;
use sundown_run::{CheckOptions, check};

/// Operations that have rules, and the side of the body.
const OPERATIONS: [(&str, &str); 5] = [
    ("getcollection", "request"),
    ("getanswer", "response"),
    ("editanswer", "response"),
    ("createannouncement", "request"),
    ("no/such/operation", "response"),
];

/// Pieces of bodies: whole and broken values, names of fields in their places and elsewhere, and other spellings of them.
const PIECES: [&str; 22] = [
    r#"{"trackingToken":1}"#,
    r#"{"tracking\u0054oken":1}"#,
    r#"{"boardId":1,"role":2}"#,
    r#"{"a":{"trackingToken":1,"boardId":2,"role":3}}"#,
    r#"{"viewerInfo":{"role":1}}"#,
    r#"{"viewerInfo":{"role":1x}}"#,
    r#"{"data":{"boardId":1}"#,
    r#"[{"role":1}]"#,
    r#"{"a":1 "b":2}"#,
    r#"{"a":nope}"#,
    r#"{"a":"b}"#,
    r#"{"a":1x""#,
    r#"c"}"#,
    r#"{"trackingToken":t"#,
    "rue}",
    "[[]",
    "[2]",
    "{}",
    "1",
    "<p>",
    r#"{"a":"\x"}"#,
    "",
];

/// A body as a string: pieces on one line or on several, and whether they are within brackets.
fn body() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(PIECES.to_vec()), 1..4);
    (pieces, prop::sample::select(vec!["\n", " ", ","]), 0..3).prop_map(
        |(pieces, between, brackets)| match brackets {
            0 => pieces.join(between),
            1 => format!("[{}]", pieces.join(between)),
            _ => format!("{{\"x\":{}}}", pieces.join(between)),
        },
    )
}

fn line((operation, side): (&str, &str), body: &str) -> String {
    let body = serde_json::to_string(body).unwrap();
    format!(
        r#"{{"method":"POST","url":"/rest/api/v1/{operation}","{side}":{{"status":200,"body":{body}}}}}"#
    )
}

fn entry((operation, side): (&str, &str), body: &str) -> String {
    let body = serde_json::to_string(body).unwrap();
    let call = format!(r#""method":"POST","url":"https://a.test/rest/api/v1/{operation}""#);
    if side == "request" {
        return format!(
            r#"{{"request":{{{call},"postData":{{"mimeType":"application/json","text":{body}}}}},"response":{{"status":200,"content":{{}}}}}}"#
        );
    }
    format!(
        r#"{{"request":{{{call}}},"response":{{"status":200,"content":{{"mimeType":"application/json","text":{body}}}}}}}"#
    )
}

/// How the records of a file follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Lines,
    Archive,
    List,
    /// Values in a row, on one line.
    Row,
}

const LAYOUTS: [Layout; 4] = [Layout::Lines, Layout::Archive, Layout::List, Layout::Row];

/// A file with so many harmless records after the others that it has the given size.
fn file(layout: Layout, bodies: &[(usize, String)], size: usize) -> Vec<u8> {
    let write = if layout == Layout::Archive {
        entry
    } else {
        line
    };
    let harmless = write(
        ("harmless", "response"),
        r#"{"a":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"#,
    );
    let records = bodies
        .iter()
        .map(|(number, body)| write(OPERATIONS[*number], body));
    // The first record says what the file is.
    let mut records: Vec<String> = std::iter::once(harmless.clone()).chain(records).collect();
    let length: usize = records.iter().map(|record| record.len() + 1).sum();
    let more = size.saturating_sub(length) / (harmless.len() + 1);
    records.extend(std::iter::repeat_n(harmless, more + 1));
    let text = match layout {
        Layout::Lines => records.join("\n") + "\n",
        Layout::Archive => format!(
            r#"{{"log":{{"version":"1.2","creator":{{}},"entries":[{}]}}}}"#,
            records.join(",")
        ),
        Layout::List => format!("[\n{}\n]\n", records.join(",\n")),
        Layout::Row => records.join(" "),
    };
    text.into_bytes()
}

/// The findings and the skips of a report, one line each.
fn listed(report: &Report) -> (Vec<String>, Vec<String>) {
    let findings = report
        .findings
        .iter()
        .map(|placed| format!("{:?}", placed.finding))
        .collect();
    let skips = report.skipped.iter().map(|skipped| {
        let start = skipped
            .location
            .map(|location| (location.line, location.column));
        format!(
            "{} {start:?} {} {}",
            skipped.reason.name(),
            skipped.count,
            skipped.bytes
        )
    });
    (findings, skips.collect())
}

/// The number of skips for each reason.
fn counts(skips: &[String]) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for skip in skips {
        let mut words = skip.rsplit(' ');
        let count: usize = words.nth(1).unwrap().parse().unwrap();
        *counts.entry(skip.split(' ').next().unwrap()).or_default() += count;
    }
    counts
}

fn checked(
    path: &Path,
    stdin: &[u8],
    set: &RuleSet,
    (validate_all, threads): (bool, usize),
) -> (Vec<String>, Vec<String>) {
    let threads = NonZeroUsize::new(threads).unwrap();
    let mut options = CheckOptions {
        threads,
        fold: false,
        ..options(path, set)
    };
    options.settings.strict = validate_all;
    listed(&check(&options, &mut &*stdin, &Gauge::default()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_same_records_give_the_same_report(
        bodies in prop::collection::vec((0..OPERATIONS.len(), body()), 1..40),
        layout in prop::sample::select(LAYOUTS.to_vec()),
        validate_all in any::<bool>(),
    ) {
        let set = builtin();
        let (small, large) = (file(layout, &bodies, 10_000), file(layout, &bodies, 2_000_000));
        let (plain, gzipped) = ("large".to_owned(), "large.gz".to_owned());
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&large).unwrap();
        let files = Files::new().with(&plain, &large).with(&gzipped, encoder.finish().unwrap());
        let pipe = Path::new("-");
        let expected = checked(pipe, &small, &set, (validate_all, 1));
        prop_assert_eq!(&checked(pipe, &small, &set, (validate_all, 2)), &expected);
        prop_assert_eq!(&checked(pipe, &large, &set, (validate_all, 1)), &expected);
        for threads in [1, 2] {
            for name in [&plain, &gzipped] {
                let found = checked(&files.path(name), b"", &set, (validate_all, threads));
                prop_assert_eq!(&found, &expected, "{} by {} threads", name, threads);
            }
        }
        let (findings, skips) = checked(pipe, &large, &set, (!validate_all, 1));
        prop_assert_eq!(&findings, &expected.0, "what is validated changes no finding");
        let (fewer, more) = if validate_all { (skips, expected.1) } else { (expected.1, skips) };
        prop_assert!(counts(&fewer).iter().all(|(reason, count)| counts(&more)[reason] >= *count));
    }
}

#[test]
fn lines_in_no_format_are_searched_in_files_of_any_size() {
    let set = builtin();
    let call = "09:12 INFO sent POST https://a.test/rest/api/v1/getanswer\n";
    let text = |lines: usize| [call, &"09:12 INFO worker is idle\n".repeat(lines), call].concat();
    let large = text(100_000);
    let files = Files::new().with("large", &large);
    let found = |path: &Path, text: &str| {
        let (findings, skips) = checked(path, text.as_bytes(), &set, (false, 2));
        assert_eq!(findings, [""; 0]);
        let counts = counts(&skips).into_iter();
        counts
            .map(|(reason, count)| (reason.to_owned(), count))
            .collect::<HashMap<_, _>>()
    };
    let expected = HashMap::from([
        ("unread-call".to_owned(), 2),
        ("unknown-format".to_owned(), 1),
    ]);
    assert_eq!(found(Path::new("-"), &text(9)), expected);
    assert_eq!(found(Path::new("-"), &large), expected);
    assert_eq!(found(&files.path("large"), ""), expected);
}
