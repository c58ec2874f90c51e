//! Access logs and structured logs: the calls of the other captures in the log of every server, without what logs leave
//! out; lines that are broken, cut or hostile.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use proptest::prelude::*;

use super::support::{
    Files, builtin, options, processor_time, repository, separate_findings, text, written,
};
use sundown_captures::{Gauge, LogShapes, log_shapes};
use sundown_lint::rules::{RuleFile, RuleSet};
use sundown_report::Report;
use sundown_run::config::Config;
use sundown_run::{CheckOptions, check};
use sundown_text_json::Limits;

/// The log formats of the servers, for files that do not declare them.
const NGINX_FIELDS: &str = r#"$time_iso8601|$request_method|$scheme://$host$request_uri|$status|"$http_user_agent"|"$request_body"|$sent_http_deprecation|$sent_http_sunset"#;

const APACHE_FIELDS: &str = r#"%{usec}t %m %U%q %>s \"%{User-Agent}i\" \"%{Content-Type}i\" \"%{Deprecation}o\" \"%{Sunset}o\""#;

/// Recorded logs without bodies, and the format of those that are in no known one.
const CALLS: [(&str, Option<&str>); 9] = [
    ("apache-combined.log", None),
    ("apache-common.log", None),
    ("apache-fields.log", Some(APACHE_FIELDS)),
    ("apache-vhost.log", None),
    ("caddy.ndjson", None),
    ("nginx-combined.log", None),
    ("nginx-request.ndjson", None),
    ("nginx-timed.log", None),
    ("nginx-fields.log", Some(NGINX_FIELDS)),
];

/// The calls that mitmproxy recorded reach the servers' logs but for one, which went elsewhere.
const ELSEWHERE: u64 = 18;

/// Rule, operation, side and pointer of a use, and the number of its exchange.
type Known = (u64, String, String, String, String);

fn logs(config: &str) -> LogShapes {
    LogShapes::new(Config::parse("sundown.toml", config).unwrap().logs)
}

fn log_format(format: &str) -> String {
    format!("[[log]]\nlog-format = '''{format}'''\n")
}

/// Checks text as standard input.
fn check_text(bytes: &[u8], set: &RuleSet, config: &str, limits: Limits, is_quick: bool) -> Report {
    let mut options = CheckOptions {
        logs: logs(config),
        fold: false,
        ..options("-".as_ref(), set)
    };
    options.settings.limits = limits;
    options.settings.strict = !is_quick;
    check(&options, &mut &*bytes, &Gauge::default())
}

fn plainly(bytes: &[u8]) -> Report {
    check_text(bytes, &builtin(), "", Limits::default(), false)
}

fn known(report: &Report) -> BTreeSet<Known> {
    let of = |placed: &sundown_report::LocatedFinding| {
        let finding = &placed.finding;
        let pointer = finding
            .found
            .pointer
            .as_ref()
            .map(|pointer| pointer.exact.to_string());
        (
            finding.found.exchange.as_ref().unwrap().index as u64,
            finding.rule.id.clone(),
            finding.found.operation.to_string(),
            finding.found.part.name().to_owned(),
            pointer.unwrap_or_default(),
        )
    };
    separate_findings(report, &builtin())
        .iter()
        .map(of)
        .collect()
}

/// The findings of the other captures in these calls, on those sides.
fn expected(sides: &[&str]) -> BTreeSet<Known> {
    let expected = text("testdata/captures/mitmproxy.expected.json");
    let expected: serde_json::Value = serde_json::from_str(&expected).unwrap();
    let findings = expected["findings"].as_array().unwrap().iter();
    let known = |finding: &serde_json::Value| {
        let part = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        let entry = finding["entry"].as_u64().unwrap();
        let line = entry - u64::from(entry > ELSEWHERE);
        (entry != ELSEWHERE && sides.contains(&&*part("side"))).then(|| {
            (
                line,
                part("rule"),
                part("operation"),
                part("side"),
                part("pointer"),
            )
        })
    };
    findings.filter_map(known).collect()
}

fn reasons(report: &Report) -> Vec<(&'static str, usize)> {
    report
        .skipped
        .iter()
        .map(|skipped| (skipped.reason.name(), skipped.count))
        .collect()
}

fn recorded(name: &str, format: Option<&str>) -> (Report, Vec<u8>) {
    let bytes = std::fs::read(repository("testdata/captures/logs").join(name)).unwrap();
    let config = format.map(log_format).unwrap_or_default();
    (
        check_text(&bytes, &builtin(), &config, Limits::default(), false),
        bytes,
    )
}

#[test]
fn every_server_log_has_the_calls_of_the_other_captures() {
    let operations = expected(&["operation"]);
    assert_eq!(operations.len(), 6);
    for (name, format) in CALLS {
        let (report, bytes) = recorded(name, format);
        let calls: BTreeSet<Known> = known(&report)
            .into_iter()
            .filter(|use_| use_.3 == "operation")
            .collect();
        assert_eq!(calls, operations, "{name}");
        for placed in &report.findings {
            let span = placed.finding.found.span;
            if placed.finding.found.pointer.is_none() {
                let url = String::from_utf8_lossy(&bytes[span.start..span.end]).into_owned();
                let bare = url.trim_matches('"');
                assert!(
                    bare.starts_with('/') && !bare.contains(' '),
                    "{name}: {url}"
                );
            }
            assert_eq!(
                placed.location.line,
                placed.finding.found.exchange.as_ref().unwrap().index + 1
            );
            let first = placed.finding.sightings.first.unwrap().to_rfc3339();
            assert!(first.starts_with("20"), "{name}: {first}");
        }
        let reported = reasons(&report);
        let is_nonsense =
            |reason| ["no-request", "no-exchange", "log-format-mismatch"].contains(&reason);
        let nonsense = reported
            .iter()
            .filter(|reported| is_nonsense(reported.0))
            .map(|reported| reported.1);
        // Caddy logs only requests.
        assert_eq!(
            nonsense.sum::<usize>(),
            if name == "caddy.ndjson" { 0 } else { 2 },
            "{name}"
        );
        assert!(
            reported
                .iter()
                .all(|(reason, _)| is_nonsense(*reason) || *reason == "no-body"),
            "{reported:?}"
        );
    }
}

#[test]
fn bodies_that_nginx_logs_are_checked_in_lines_and_in_json() {
    let sent = expected(&["request", "operation"]);
    for (name, format, quote) in [
        ("nginx-fields.ndjson", None, "\\\""),
        ("nginx-fields.log", Some(NGINX_FIELDS), "\\x22"),
    ] {
        let (report, bytes) = recorded(name, format);
        let found = known(&report);
        let missing: Vec<_> = sent.difference(&found).collect();
        assert!(missing.is_empty(), "{name}: {missing:#?}");
        // mitmproxy's capture has no bodies of DELETE requests; nginx logs them.
        let more: Vec<_> = found.difference(&sent).collect();
        assert!(
            more.iter().all(|use_| use_.2.starts_with("DELETE ")),
            "{more:#?}"
        );
        for placed in report
            .findings
            .iter()
            .filter(|placed| placed.finding.found.pointer.is_some())
        {
            let span = placed.finding.found.span;
            let key = std::str::from_utf8(&bytes[span.start..span.end]).unwrap();
            let bare = key
                .strip_prefix(quote)
                .unwrap()
                .strip_suffix(quote)
                .unwrap();
            let bare = bare.replace("\\x5Cu0061", "a").replace("\\\\u0061", "a");
            let bare = bare.replace("\\x5Cu0069", "i").replace("\\\\u0069", "i");
            assert_eq!(
                Some(&*bare),
                placed.finding.rule.element.name(),
                "{name}: {key}"
            );
        }
    }
}

#[test]
fn the_quick_walk_changes_nothing_for_any_block_size() {
    for (name, format) in CALLS {
        let (whole, bytes) = recorded(name, format);
        let config = format.map(log_format).unwrap_or_default();
        for (block, is_quick) in [(500, false), (700, true), (2_000, true), (3_000, false)] {
            let limits = Limits {
                block,
                ..Limits::default()
            };
            let report = check_text(&bytes, &builtin(), &config, limits, is_quick);
            assert_eq!(known(&report), known(&whole), "{name} {block}");
            assert_eq!(reasons(&report), reasons(&whole), "{name} {block}");
            assert_eq!(
                report.summary.records, whole.summary.records,
                "{name} {block}"
            );
        }
    }
}

/// The samples of known shapes: a file of `testdata/formats/logs` for each, called like its shape, and more for some.
fn samples() -> Vec<(String, Vec<u8>)> {
    let folder = repository("testdata/formats/logs");
    let files = std::fs::read_dir(folder).unwrap();
    let paths = files.map(|entry| entry.unwrap().path());
    let mut samples: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|it| it != "md"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(&path).unwrap())
        })
        .collect();
    samples.sort();
    samples
}

#[test]
fn every_log_layout_has_a_sample() {
    let samples = samples();
    let is_of = |sample: &str, shape: &str| {
        sample
            .strip_prefix(shape)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    for shape in log_shapes() {
        assert!(
            samples.iter().any(|(sample, _)| is_of(sample, &shape.name)),
            "crates/captures/shapes/{}.toml has no sample",
            shape.name
        );
    }
    for (sample, _) in &samples {
        let mut shapes = log_shapes().iter();
        assert!(
            shapes.any(|shape| is_of(sample, &shape.name)),
            "{sample} is no sample of a shape"
        );
    }
}

const TWO_CALLS: &str = r#"
api = "T"
[[rule]]
id = "listed"
operation = "POST /rest/api/v1/listanswers"
[[rule]]
id = "locale"
operation = "POST /rest/api/v1/listanswers"
parameter = "locale"
[[rule]]
id = "token"
operation = "POST /rest/api/v1/getanswer"
field = "trackingToken"
"#;

#[test]
fn calls_hosts_times_and_bodies_are_found_in_every_layout() {
    let set = RuleSet::new(vec![RuleFile::parse("t", TWO_CALLS).unwrap()]).unwrap();
    let traits: toml::Table = text("testdata/samples.toml").parse().unwrap();
    for (name, bytes) in samples() {
        let is_in = |list| {
            traits[list]
                .as_array()
                .unwrap()
                .contains(&name.as_str().into())
        };
        let has_bodies =
            memchr::memmem::find(&bytes, b"trackingToken").is_some() || is_in("base64-bodies");
        for is_quick in [false, true] {
            let limits = Limits {
                block: 512,
                ..Limits::default()
            };
            let report = check_text(&bytes, &set, "", limits, is_quick);
            let findings = separate_findings(&report, &set);
            let count = |rule: &str| {
                findings
                    .iter()
                    .filter(|it| it.finding.rule.id == rule)
                    .count()
            };
            let all = report.summary.records;
            assert!(
                all >= 2 && all.is_multiple_of(2),
                "{name}: {:?}",
                reasons(&report)
            );
            assert_eq!(count("listed"), all / 2, "{name}");
            assert_eq!(count("token"), usize::from(has_bodies), "{name}");
            assert_eq!(count("locale") > 0, !is_in("no-queries"), "{name}");
            let has_times = !is_in("no-times");
            let timed = report.findings.iter().filter(|_| has_times);
            for placed in timed {
                let first = placed.finding.sightings.first.expect(&name);
                assert!(
                    first.to_rfc3339().starts_with("2026-11-19T08:12:44"),
                    "{name}: {first}"
                );
            }
            let reported: Vec<_> = reasons(&report)
                .into_iter()
                .filter(|reported| {
                    // Datadog has the query in a member beside the path.
                    let is_known = reported.0 == "unread-query" && is_in("no-queries");
                    reported.0 != "no-body" && !is_known
                })
                .collect();
            assert!(reported.is_empty(), "{name}: {reported:?}");
        }
    }
}

const RULES: &str = r#"
api = "T"
[[rule]]
id = "old"
operation = "GET /v1/old"
[[rule]]
id = "page"
operation = "GET /v1/chat"
parameter = "page size"
[[rule]]
id = "x-old"
operation = "GET /v1/chat"
header = "x-old"
"#;

fn rule_set() -> RuleSet {
    RuleSet::new(vec![RuleFile::parse("t", RULES).unwrap()]).unwrap()
}

fn rules_of(report: &Report) -> Vec<&str> {
    report
        .findings
        .iter()
        .map(|placed| &*placed.finding.rule.id)
        .collect()
}

#[test]
fn many_body_lines_with_invalid_utf8_are_read_in_linear_time() {
    let no_text = b"{\\\"a\\\":\\\"\xff\\\"}\\n".repeat(150_000);
    let call = br#"{"method":"POST","url":"/rest/api/v1/getanswer","body":""#;
    let line = [
        &call[..],
        &no_text,
        br#"{\"trackingToken\":1}\n"#,
        &no_text,
        b"\"}\n",
    ]
    .concat();
    let twice = line.repeat(2);
    for is_quick in [false, true] {
        let limits = Limits {
            block: 60,
            ..Limits::default()
        };
        let report = check_text(&twice, &builtin(), "", limits, is_quick);
        assert_eq!(reasons(&report), [("invalid-utf8", 600_000)]);
        assert_eq!(report.findings.len(), 2);
    }
}

const COMBINED: &str = "testdata/captures/logs/nginx-combined.log";

#[test]
fn a_truncated_log_gives_its_complete_lines_and_is_reported() {
    let bytes = std::fs::read(repository(COMBINED)).unwrap();
    let all = known(&plainly(&bytes));
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', &bytes).collect();
    // Each byte of three lines in the middle, and of the last: other lines are like these.
    let cuts = (ends[13]..ends[16]).chain(ends[41]..bytes.len());
    for cut in cuts {
        let report = plainly(&bytes[..cut]);
        let whole = ends.iter().filter(|&&end| end <= cut).count() as u64;
        let found = known(&report);
        let is_in_line = !ends.contains(&cut) && !ends.contains(&(cut - 1));
        let reported = reasons(&report).contains(&("truncated", 1));
        assert!(is_in_line || !reported, "{cut}");
        // A line that is cut after its status has all of its call.
        let read = whole + u64::from(is_in_line && !reported);
        let expected: BTreeSet<Known> = all.iter().filter(|use_| use_.0 < read).cloned().collect();
        assert_eq!(found, expected, "{cut}");
    }
}

#[test]
fn very_long_and_punctuation_only_lines_are_read_in_linear_time() {
    let path = "a".repeat(1_000_000);
    for line in [
        format!("h - - [19/Nov/2026:09:12:44 +0100] \"GET /v1/old?{path} HTTP/1.1\" 200 5"),
        format!("{path} - - [19/Nov/2026:09:12:44 +0100] \"GET /v1/old HTTP/1.1\" 200 5"),
        "[".repeat(1_000_000),
        " [".repeat(500_000),
        format!(
            "h - - [19/Nov/2026:09:12:44 +0100] {}",
            "\"".repeat(1_000_000)
        ),
        format!(
            "h - - [19/Nov/2026:09:12:44 +0100] \"{}",
            "\\\"".repeat(500_000)
        ),
        format!(
            "h - - [19/Nov/2026:09:12:44 +0100] \"GET {} HTTP/1.1\" 200 5",
            "%0A\0".repeat(250_000)
        ),
    ] {
        let known =
            "127.0.0.1 - - [19/Nov/2026:09:12:44 +0100] \"GET /v1/old HTTP/1.1\" 200 5\n".repeat(4);
        let config = log_format("$host ; $request ; $status");
        let begun = processor_time();
        let text = format!("{known}{line}\n{known}");
        let report = check_text(
            text.as_bytes(),
            &rule_set(),
            &config,
            Limits::default(),
            false,
        );
        assert!(rules_of(&report).len() >= 8, "{:?}", &line[..20]);
        let used = processor_time().saturating_sub(begun);
        assert!(used.as_secs() < 10, "{used:?}: {:?}", &line[..20]);
    }
}

proptest! {
    #[test]
    fn any_line_leaves_its_neighbours_readable(
        noise in proptest::collection::vec(any::<u8>().prop_filter("a line", |byte| *byte != b'\n'), 0..80),
        signs in "[\\[\\]\"\\\\ 0-9a-zA-Z/:+-]{0,60}",
        is_last: bool,
    ) {
        let line: &[u8] = b"127.0.0.1 - - [19/Nov/2026:09:12:44 +0100] \"GET /v1/old HTTP/1.1\" 200 5\n";
        for middle in [noise, signs.into_bytes()] {
            let rest: &[u8] = if is_last { b"" } else { line };
            let end: &[u8] = if is_last { b"" } else { b"\n" };
            let text = [line, line, middle.as_slice(), end, rest].concat();
            let report = check_text(&text, &rule_set(), &log_format("<$host> $request"), Limits::default(), false);
            prop_assert!(rules_of(&report).len() >= 2 + usize::from(!is_last));
            prop_assert_eq!(report.summary.bytes, text.len());
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let bytes = std::fs::read(repository(COMBINED)).unwrap().repeat(40);
    let files = Files::new().with("a.log", &bytes);
    let set = builtin();
    let in_threads = |threads: usize| {
        let options = CheckOptions {
            threads: NonZeroUsize::new(threads).unwrap(),
            ..options(&files.path("a.log"), &set)
        };
        check(&options, &mut std::io::empty(), &Gauge::default())
    };
    let whole = in_threads(1);
    assert_eq!(whole.summary.records, 41 * 40);
    assert!(!whole.findings.is_empty());
    assert_eq!(written(&in_threads(4), "json"), written(&whole, "json"));
}

/// Checks a table with blocks of this size: rules with the text of their findings and the lines, and what was not checked.
fn check_table(text: &str, block: usize) -> (Vec<String>, Vec<(&'static str, usize)>) {
    let limits = Limits {
        block,
        ..Limits::default()
    };
    let report = check_text(text.as_bytes(), &builtin(), "", limits, true);
    let found = report.findings.iter().map(|placed| {
        let found = &placed.finding.found;
        let written = String::from_utf8_lossy(found.span.slice(text.as_bytes()));
        format!(
            "{}: {} {}",
            placed.location.line, placed.finding.rule.id, written
        )
    });
    (found.collect(), reasons(&report))
}

#[test]
fn rows_of_tables_are_read_in_blocks_of_any_size_and_findings_point_into_cells() {
    let body = r#""{""a"": ""é,;"",
 ""trackingToken"": 1}""#;
    let escaped = r#""{""a"": ""\"",\""trackingToken\"": 2"", ""trackingToken"": 1}""#;
    let url = "/rest/api/v1/getanswer";
    let rows = [
        &["id", "method", "url", "request_body", "note"][..],
        &["1", "POST", url, body, "\"a\"\"b\nc\""],
        &[
            "2",
            "POST",
            "\"/rest/api/v1/listanswers?locale=1\"",
            "",
            "x",
        ],
        &["3", "POST", url, escaped, "NULL"],
        &["4", "POST", url],
        &[],
        &["5", "POST", url, "\"{\"\"a\"\": \"", "-"],
    ];
    let table = |separator: &str| {
        let rows = rows.map(|cells| cells.join(separator) + "\r\n");
        "\u{feff}".to_owned() + &rows.concat()
    };
    let csv = table(",");
    let expected = [
        "3: getanswer-tracking-token \"\"trackingToken\"\"",
        "5: listanswers-endpoint /rest/api/v1/listanswers?locale=1",
        "6: getanswer-tracking-token \"\"trackingToken\"\"",
    ];
    let (whole, skipped) = check_table(&csv, usize::MAX / 4);
    assert_eq!(
        skipped,
        [("no-body", 1), ("truncated", 1), ("log-format-mismatch", 1)]
    );
    for separator in [";", "\t"] {
        assert_eq!(check_table(&table(separator), 100).0, whole, "{separator}");
    }
    for block in [1, 50, 100, 200] {
        assert_eq!(
            check_table(&csv, block),
            (whole.clone(), skipped.clone()),
            "{block}"
        );
    }
    let ends: Vec<_> = whole
        .iter()
        .map(|it| it.split(": ").next().unwrap())
        .collect();
    assert_eq!(
        ends,
        expected.map(|it| it.split(": ").next().unwrap()),
        "{whole:#?}"
    );
    assert!(
        whole
            .iter()
            .zip(expected)
            .all(|(found, it)| found.ends_with(it.rsplit(' ').next().unwrap())),
        "{whole:#?}"
    );
}

#[test]
fn columns_of_w3c_logs_may_change_and_are_known_in_later_blocks() {
    let call = |uri: &str, more: &str| format!("2026-11-19 08:12:44 POST {uri} {more}\n");
    let row = call("/rest/api/v1/listanswers", "- 200 app/1.2+(a+b)");
    let other = "/v1/announced\t2026-11-19\t08:12:44\tPOST\tapi.test\tSat,%2021%20Nov%202026%2023:59:59%20GMT\n";
    let text = format!(
        "#Version: 1.0\n#Fields: date time cs-method cs-uri-stem cs-uri-query sc-status cs(User-Agent)\n{}\
         a row that does not fit\n#Fields: cs-uri-stem date time cs-method cs(Host) sc(Sunset)\n{}{}",
        row.repeat(40),
        other.repeat(40),
        &other[..30],
    );
    let whole = check_table(&text, usize::MAX / 4);
    let of_rule = |found: &&String| found.contains("listanswers-endpoint");
    assert_eq!(whole.0.iter().filter(of_rule).count(), 40);
    assert!(whole.0.len() > 40, "and announcements");
    let skipped: Vec<_> = whole.1.iter().filter(|it| it.0 != "no-body").collect();
    assert_eq!(skipped, [&("truncated", 1), &("log-format-mismatch", 1)]);
    for block in [1, 300, 1_000, 5_000] {
        assert_eq!(check_table(&text, block), whole, "{block}");
    }
}

#[test]
fn a_record_that_took_the_end_of_its_list_is_one_fault() {
    let record = r#"{"method":"GET","url":"/v1/old"}"#;
    for text in [
        format!("[{record},{record},{{\"a\":{{}}]"),
        format!("[{{\"url\":\"/a\",\"a\":{{}},{record},{record}]"),
    ] {
        for limits in BLOCKS.map(limits_of) {
            let report = check_text(text.as_bytes(), &rule_set(), "", limits, false);
            assert_eq!(rules_of(&report), ["old"; 2], "{text}");
            assert_eq!(reasons(&report), [("invalid-json", 1)], "{text}");
        }
    }
}

#[test]
fn lists_with_commas_between_them_are_read_and_reported() {
    let list = r#"[{"method":"GET","url":"/v1/old"}]"#;
    let text = format!("{list},\n{list},{list}");
    for limits in BLOCKS.map(limits_of) {
        let report = check_text(text.as_bytes(), &rule_set(), "", limits, false);
        assert_eq!(rules_of(&report), ["old"; 3]);
        assert_eq!(reasons(&report), [("invalid-json", 2)]);
    }
}

#[test]
fn a_quote_without_an_end_hides_no_other_row() {
    let text = "method,url,note\nGET,/v1/old,\"open\nGET,/v1/old,b\nGET,/v1/old,\"c";
    let report = check_text(
        text.as_bytes(),
        &rule_set(),
        "",
        Limits {
            block: 20,
            ..Limits::default()
        },
        false,
    );
    assert_eq!(rules_of(&report), ["old", "old"]);
    assert_eq!(reasons(&report), [("truncated", 1)], "the last one is cut");
}

/// Sizes of blocks.
const BLOCKS: [usize; 3] = [1 << 20, 64, 16];

fn limits_of(block: usize) -> Limits {
    Limits {
        block,
        ..Limits::default()
    }
}

#[test]
fn after_a_fault_in_a_list_records_of_every_kind_are_found() {
    let config = "[[log]]\nmethod = \"/verb_of_ours\"\nurl = \"/address\"\n";
    let own = r#"{"verb_of_ours":"GET","address":"/v1/old"}"#;
    let wrapped = r#"{"log":"{\"method\":\"GET\",\"url\":\"/v1/old\"}"}"#;
    let listed = r#"{"logEvents":[{"message":"{\"method\":\"GET\",\"url\":\"/v1/old\"}"}]}"#;
    for record in [own, wrapped, listed] {
        let text = format!("[{record},{{\"address\":nope}},{record},{record}]");
        for limits in BLOCKS.map(limits_of) {
            let report = check_text(text.as_bytes(), &rule_set(), config, limits, false);
            assert_eq!(rules_of(&report), ["old"; 3], "{text}");
            assert_eq!(reasons(&report), [("invalid-json", 1)], "{text}");
        }
    }
}
