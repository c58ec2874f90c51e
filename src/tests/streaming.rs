//! Files that are read block by block, compressed, or by several threads: the report is that of the file read whole.

use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::Path;

use base64::Engine as _;
use proptest::prelude::*;
use sundown_captures::{Format, Gauge};
use sundown_report::Report;
use sundown_run::{CheckOptions, check};
use sundown_text_json::Limits;

use super::support::{Files, builtin, options, repository, written};

const CAPTURES: [&str; 4] = [
    "pino-http.ndjson",
    "mitmproxy.har",
    "chromium.har",
    "chromium-omit.har",
];

fn json(report: &Report) -> String {
    written(report, "json")
}

/// The report on a file that is read in blocks of about `block` bytes by this number of threads.
fn report(path: &Path, block: usize, threads: usize, fold: bool) -> String {
    report_of(
        path,
        b"",
        Limits {
            block,
            ..Limits::default()
        },
        threads,
        fold,
    )
}

fn report_of(path: &Path, stdin: &[u8], limits: Limits, threads: usize, fold: bool) -> String {
    let set = builtin();
    let threads = NonZeroUsize::new(threads).unwrap();
    let mut options = CheckOptions {
        threads,
        fold,
        ..options(path, &set)
    };
    options.settings.limits = limits;
    json(&check(&options, &mut &*stdin, &Gauge::default()))
}

const WHOLE: usize = 1 << 30;

#[test]
fn blocks_of_any_size_and_any_number_of_threads_change_nothing() {
    for name in CAPTURES {
        let path = repository("testdata/captures").join(name);
        for fold in [true, false] {
            let whole = report(&path, WHOLE, 1, fold);
            for (block, threads) in [(64, 1), (1000, 1), (4096, 3), (30_000, 2), (WHOLE, 4)] {
                let blocks = report(&path, block, threads, fold);
                assert!(
                    blocks == whole,
                    "{name} in blocks of {block} by {threads} threads"
                );
            }
        }
    }
}

/// The first result of a file that is read in blocks may come before that of the batch which the file began.
#[test]
fn many_files_in_blocks_lose_nothing_however_many_threads_read_them() {
    let line = r#"{"method":"POST","url":"/rest/api/v1/getcollection","request":{"body":{"trackingToken":1}}}"#;
    let log = format!("{line}\n").repeat(40);
    let files = (0..80).fold(Files::new(), |files, number| {
        files.with(&format!("{number:02}.ndjson"), &log)
    });
    let read = |threads| report(&files.path(""), 512, threads, true);
    let expected = read(1);
    for _ in 0..10 {
        assert!(read(12) == expected);
    }
}

#[test]
fn an_archive_is_split_wherever_its_entries_are() {
    let text = std::fs::read_to_string(repository("testdata/captures/mitmproxy.har")).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let entries = serde_json::to_string_pretty(&document["log"]["entries"]).unwrap();
    let (front, back) = (vec!["}],\"entries\":["; 3000], vec![1.5; 3000]);
    let text = serde_json::json!({
        "entries": [{"request": {"method": "POST", "url": "/rest/api/v1/listanswers"}}],
        "front": front,
        "log": {"pages": null, "browser": {"log": {"entries": [1]}}, "comment": "entries"},
    })
    .to_string();
    let text = text.replace(
        "\"comment\"",
        &format!(
            "\"entr\\u0069es\": {entries}, \"back\": {}, \"comment\"",
            serde_json::json!(back)
        ),
    );
    let files = Files::new().with("odd.har", text);
    let whole = report(&files.path("odd.har"), WHOLE, 1, false);
    assert!(whole.matches("\"rule\"").count() > 80, "{whole}");
    for block in [64, 5000, 100_000] {
        assert!(
            report(&files.path("odd.har"), block, 2, false) == whole,
            "blocks of {block}"
        );
    }
}

#[test]
fn a_missing_bracket_hides_no_other_entry_of_a_large_archive() {
    let text = std::fs::read_to_string(repository("testdata/captures/mitmproxy.har")).unwrap();
    let rules = |text: &str, block: usize| {
        let files = Files::new().with("x.har", text);
        report(&files.path("x.har"), block, 1, false)
            .matches("\"rule\": \"")
            .count()
    };
    let whole = rules(&text, WHOLE);
    // The closing bracket of an early entry, just before the comma and the next entry.
    let ends: Vec<usize> = text
        .match_indices("\"startedDateTime\"")
        .map(|(at, _)| at)
        .collect();
    let lost = text[..ends[1]].rfind('}').unwrap();
    let broken = format!("{}{}", &text[..lost], &text[lost + 1..]);
    let found = rules(&broken, WHOLE);
    assert!(
        found + 20 > whole && found < whole + 1,
        "{found} of {whole}"
    );
    for block in [64, 9_000, 50_000] {
        assert_eq!(rules(&broken, block), found, "blocks of {block}");
    }
    // A limit below the size at which entries are looked into.
    let files = Files::new().with("x.har", &broken);
    let limits = Limits {
        record: 200_000,
        block: 9_000,
        ..Limits::default()
    };
    let reported = report_of(&files.path("x.har"), b"", limits, 1, false);
    assert_eq!(
        reported.matches("\"rule\": \"").count(),
        found,
        "{reported}"
    );
}

/// A call that a server logged, with so many of the fields after the request.
fn logged(fields: usize) -> String {
    let after = ["200", "57", "\"-\"", "\"curl/8\""][..fields].join(" ");
    format!("h - - [19/Nov/2026:09:12:44 +0100] \"POST /rest/api/v1/listanswers HTTP/1.1\" {after}")
}

/// The report on the lines of a log, in a file that is read so.
fn report_of_log(text: &[u8], format: Format, block: usize, threads: usize) -> String {
    let set = builtin();
    let mut options = CheckOptions {
        threads: NonZeroUsize::new(threads).unwrap(),
        format: Some(format),
        fold: false,
        // Validate every body: the skips then include those of bodies without uses.
        ..options(Path::new("-"), &set)
    };
    options.settings.limits = Limits {
        block,
        record: 1 << 20,
        ..Limits::default()
    };
    options.settings.strict = true;
    json(&check(&options, &mut &*text, &Gauge::default()))
}

#[test]
fn a_truncated_last_line_is_reported_alike_for_any_block_size() {
    let (whole, cut) = (logged(4), logged(2));
    let long = format!("{whole} \"{}\"", "x".repeat(100_000));
    let blanks = "\r\n".repeat(40_000);
    let (lines, of_log) = (Format::Ndjson, Format::AccessLog);
    for (format, before, last, is_cut) in [
        (lines, whole.as_str(), cut.as_str(), false),
        (lines, &cut, &cut, false),
        (lines, &whole, &whole, false),
        // Any words may begin a line of a log, but only in a log, after a line of one.
        (lines, &whole, "h - -", true),
        (lines, "stopped", "h - -", false),
        (of_log, "stopped", "h - -", true),
        (of_log, &long, "h", true),
        (lines, "stopped", &cut, false),
        (of_log, "stopped", &cut, false),
        // Blank lines are not records.
        (lines, &format!("{whole}\n\r"), "h - -", true),
        (lines, &format!("{whole}\n\n \n"), "h - -", true),
        (lines, &format!("{whole}\r"), "h - -", true),
        // A line that is buffered because of the next one ends here.
        (lines, &long, "h - -", false),
        (lines, &format!("{whole}\n{blanks}"), "h - -", false),
    ] {
        let text = format!("{}{before}\n{last}", format!("{whole}\n").repeat(3));
        let expected = report_of_log(text.as_bytes(), format, 1 << 20, 1);
        assert_eq!(
            expected.contains("\"truncated\""),
            is_cut,
            "{before:.90}\n{last}"
        );
        let sizes = (16..text.len().min(1_000))
            .step_by(7)
            .chain([60_000, 70_000, 99_000]);
        for (block, threads) in sizes.zip([1, 2, 4].into_iter().cycle()) {
            let reported = report_of_log(text.as_bytes(), format, block, threads);
            assert_eq!(
                reported, expected,
                "in blocks of {block} by {threads} threads"
            );
        }
    }
}

#[test]
fn a_line_after_a_buffered_one_may_have_any_length() {
    let long = |bytes: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(bytes - 8));
    let limit = 1 << 20;
    for (length, is_too_large) in [(limit - 2, false), (limit - 1, false), (limit + 1, true)] {
        let text = format!("{}\n{}", logged(4), long(length));
        let reported = report_of_log(text.as_bytes(), Format::Ndjson, 1_000, 1);
        assert_eq!(reported.contains("\"too-large\""), is_too_large, "{length}");
        assert_eq!(reported.matches("\"rule\"").count(), 1, "{length}");
    }
}

/// A line of a log, or text that may be between such lines.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        (1..=4usize).prop_map(logged),
        Just(USE.to_owned()),
        Just(String::new()),
        "[ -~]{0,20}",
        Just(format!("{} \"{}\"", logged(4), "x".repeat(70_000))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_truncated_log_gives_the_same_report_for_any_block_size(
        lines in prop::collection::vec(line(), 1..8),
        ends in prop::sample::select(&["\n", "\r\n"][..]),
        end in any::<prop::sample::Index>(),
        block in 16usize..600,
        threads in 1usize..4,
    ) {
        let text = lines.join(ends);
        // Half of them are cut off.
        let text = text.get(..end.index(2 * text.len() + 2)).unwrap_or(&text).as_bytes();
        for format in [Format::Ndjson, Format::AccessLog] {
            let whole = report_of_log(text, format, 1 << 20, 1);
            prop_assert_eq!(report_of_log(text, format, block, threads), whole);
        }
    }
}

#[test]
fn a_large_body_of_several_values_is_read_like_a_small_one() {
    let lines = "{\"citations\":1}\n".repeat(5_000);
    let files = Files::new()
        .with("chat.request.json", &lines)
        .with("bare.json", &lines);
    for block in [1000, WHOLE] {
        let reported = report(&files.path("chat.request.json"), block, 1, true);
        assert!(reported.contains("\"seen\": 5000"), "{reported}");
        let reported = report(&files.path("bare.json"), block, 1, true);
        assert!(
            reported.contains("\"no-operation\",\n      \"count\": 1,"),
            "{reported}"
        );
    }
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

#[test]
fn compressed_files_are_read_like_others_and_reported_as_compressed() {
    let plain = std::fs::read(repository("testdata/captures/pino-http.ndjson")).unwrap();
    // Two consecutive members, as log rotation writes them.
    let (front, back) = plain.split_at(plain.len() / 3);
    let files = Files::new()
        .with("x.ndjson", &plain)
        .with("x.ndjson.gz", [gzip(front), gzip(back)].concat())
        .with("x.ndjson.zst", zstd::encode_all(&*plain, 1).unwrap());
    for (name, kind) in [("x.ndjson.gz", "gzip"), ("x.ndjson.zst", "zstd")] {
        for block in [WHOLE, 20_000] {
            let inside = report(&files.path(name), block, 1, true);
            let places = |text: &str| -> Vec<String> {
                let wanted = [
                    "\"line\"",
                    "\"column\"",
                    "\"start\"",
                    "\"rule\"",
                    "\"seen\"",
                ];
                let is_wanted = |line: &&str| wanted.iter().any(|name| line.contains(name));
                text.lines().filter(is_wanted).map(str::to_owned).collect()
            };
            assert_eq!(
                places(&inside),
                places(&report(&files.path("x.ndjson"), WHOLE, 1, true))
            );
            assert!(inside.contains(&format!("\"decompressed_from\": \"{kind}\"")));
        }
    }
    let set = builtin();
    let path = files.path("x.ndjson.gz");
    let packed = check(&options(&path, &set), &mut &b""[..], &Gauge::default());
    let reported = written(&packed, "human");
    assert!(
        reported.contains("the location is in the decompressed gzip file"),
        "{reported}"
    );
}

#[test]
fn a_pipe_is_read_like_a_file() {
    let plain = std::fs::read(repository("testdata/captures/pino-http.ndjson")).unwrap();
    let limits = Limits {
        block: 10_000,
        ..Limits::default()
    };
    let whole = report_of(Path::new("-"), &plain, Limits::default(), 1, true);
    assert!(whole == report_of(Path::new("-"), &plain, limits, 1, true));
    assert!(
        whole
            == report_of(Path::new("-"), &gzip(&plain), limits, 2, true)
                .replace("      \"decompressed_from\": \"gzip\",\n", "",)
    );
}

const USE: &str =
    r#"{"method":"POST","url":"/rest/api/v1/chat","request":{"body":{"citations":[]}}}"#;

/// The line above three times, compressed with brotli, which has no mark of its own to be known by.
const BROTLI: &str = "G+8AwB0HbqzFShR80wNxW+oL5diyGM4RPBjkvxaLRacU+mADDtgD3rJBfSE5TY5VPpBk5IQbm0jMLNHj8prY0gJI+QFI87r1WrKPUwA=";

#[test]
fn brotli_is_recognised_by_its_extension() {
    let packed = base64::engine::general_purpose::STANDARD
        .decode(BROTLI)
        .unwrap();
    let files = Files::new()
        .with("x.ndjson.br", &packed)
        .with("cut.br", &packed[..packed.len() / 2]);
    let reported = report(&files.path("x.ndjson.br"), WHOLE, 1, true);
    assert!(
        reported.contains("\"seen\": 3") && reported.contains("\"decompressed_from\": \"brotli\""),
        "{reported}"
    );
    let reported = report(&files.path("cut.br"), WHOLE, 1, true);
    assert!(reported.contains("\"failed\": 1"), "{reported}");
}

#[test]
fn a_record_over_the_limit_is_reported_and_hides_no_other() {
    let large = format!(
        r#"{{"method":"POST","url":"/x","body":"{}"}}"#,
        "x\\\"{".repeat(60_000)
    );
    let limits = Limits {
        record: 100_000,
        block: 1000,
        ..Limits::default()
    };
    let lines = format!("{USE}\n{large}\n{USE}\n").repeat(2);
    let files = Files::new()
        .with("x.ndjson", &lines)
        .with("x.har", archive(&large));
    let reported = report_of(&files.path("x.ndjson"), b"", limits, 2, false);
    assert_eq!(reported.matches("\"rule\"").count(), 4, "{reported}");
    assert!(
        reported.contains("\"reason\": \"too-large\",\n      \"count\": 2"),
        "{reported}"
    );
    for line in [1, 3, 4, 6] {
        assert!(
            reported.contains(&format!("\"line\": {line},\n      \"column\": 63")),
            "{reported}"
        );
    }
    let reported = report_of(&files.path("x.har"), b"", limits, 2, false);
    assert_eq!(reported.matches("\"rule\"").count(), 2, "{reported}");
    assert!(
        reported.contains("\"reason\": \"too-large\",\n      \"count\": 2"),
        "{reported}"
    );
    assert!(
        reported.contains("\"index\": 0") && reported.contains("\"index\": 2"),
        "{reported}"
    );
}

/// An archive with a large value next to its entries, and a large entry between two uses.
fn archive(large: &str) -> String {
    let entry = r#"{"request":{"method":"POST","url":"/rest/api/v1/chat","postData":{"text":"{\"citations\":1}"}}}"#;
    format!(r#"{{"log":{{"creator":{{}},"x":{large},"entries":[{entry},{large},{entry}]}}}}"#)
}

#[test]
fn a_truncated_file_is_checked_up_to_its_end() {
    let plain = std::fs::read(repository("testdata/captures/pino-http.ndjson")).unwrap();
    let packed = gzip(&plain);
    let files = Files::new().with("x.gz", &packed[..packed.len() * 2 / 3]);
    for block in [WHOLE, 10_000] {
        let reported = report(&files.path("x.gz"), block, 1, true);
        assert!(reported.contains("\"rule\""), "{reported}");
        assert!(
            reported.contains("the gzip data ends before it is complete"),
            "{reported}"
        );
    }
}
