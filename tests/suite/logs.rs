//! Access logs and structured logs: the calls of the other captures in the log of every server, without what logs leave
//! out; lines that are broken, cut or hostile.

use base64::Engine as _;
use std::collections::BTreeSet;

use insta::assert_snapshot;
use proptest::prelude::*;
use sundown_captures::{Gauge, Limits, LogMapping, log_shapes};
use sundown_lint::rules::{RuleFile, RuleTable};
use sundown_report::Report;
use sundown_run::config::Config;
use sundown_run::{CheckOptions, check};

use crate::support::{
    Desk, builtin, check_with, options, report_formats, repository, separate_findings, text,
};

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

fn logs(config: &str) -> Vec<LogMapping> {
    Config::parse("sundown.toml", config).unwrap().logs
}

fn log_format(format: &str) -> String {
    format!("[[log]]\nlog-format = '''{format}'''\n")
}

/// Checks text as standard input.
fn check_text(
    bytes: &[u8],
    table: &RuleTable,
    config: &str,
    limits: Limits,
    uses_prefilter: bool,
) -> Report {
    let options = CheckOptions {
        logs: logs(config),
        limits,
        validate_all: !uses_prefilter,
        fold: false,
        ..options("-".as_ref(), table)
    };
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
            .map(|pointer| pointer.exact.clone());
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
        let is_nonsense = |reason| ["no-request", "no-exchange", "other-order"].contains(&reason);
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
fn the_prefilter_changes_nothing_for_any_block_size() {
    for (name, format) in CALLS {
        let (whole, bytes) = recorded(name, format);
        let config = format.map(log_format).unwrap_or_default();
        for (block, uses_prefilter) in [(500, false), (700, true), (2_000, true), (3_000, false)] {
            let limits = Limits {
                block,
                ..Limits::default()
            };
            let report = check_text(&bytes, &builtin(), &config, limits, uses_prefilter);
            assert_eq!(known(&report), known(&whole), "{name} {block}");
            assert_eq!(reasons(&report), reasons(&whole), "{name} {block}");
            assert_eq!(
                report.summary.records, whole.summary.records,
                "{name} {block}"
            );
        }
    }
}

/// The files of `testdata/formats/logs`, with the shape that each is an example of.
const SHAPES: [(&str, &str); 22] = [
    ("pino-http", "pino-http"),
    ("caddy", "Caddy"),
    ("kong", "Kong"),
    ("apisix", "APISIX"),
    ("request", "Any with a `request`"),
    ("datadog", "Datadog"),
    ("ecs", "Elastic"),
    ("otel-flat", "OpenTelemetry, old names"),
    ("otlp-traces", "OpenTelemetry (spans"),
    ("otlp-traces-old", "OpenTelemetry (spans"),
    ("otlp-logs", "OpenTelemetry (spans"),
    ("otel-console", "OpenTelemetry (spans"),
    ("gcp", "Google"),
    ("traefik", "Traefik"),
    ("api-gateway", "Amazon API Gateway"),
    ("envoy", "Envoy"),
    ("nginx", "nginx"),
    ("kubernetes", "Kubernetes"),
    ("other", "Any other"),
    ("lambda", "AWS Lambda"),
    ("http2", "HTTP/2"),
    ("spelled", "Any spelling"),
];

/// Those that keep what was sent.
const WITH_BODIES: [&str; 12] = [
    "pino-http",
    "kong",
    "apisix",
    "request",
    "ecs",
    "otlp-traces",
    "nginx",
    "kubernetes",
    "other",
    "lambda",
    "http2",
    "spelled",
];

#[test]
fn every_log_layout_has_an_example() {
    for shape in log_shapes() {
        assert!(
            SHAPES
                .iter()
                .any(|(_, title)| shape.title.starts_with(title)),
            "{}",
            shape.title
        );
    }
    for (file, title) in SHAPES {
        assert_eq!(
            log_shapes()
                .filter(|shape| shape.title.starts_with(title))
                .count(),
            1,
            "{file}"
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
    let table = RuleTable::new(vec![RuleFile::parse("t", TWO_CALLS).unwrap()]).unwrap();
    for (name, _) in SHAPES {
        let bytes =
            std::fs::read(repository("testdata/formats/logs").join(format!("{name}.ndjson")))
                .unwrap();
        for uses_prefilter in [false, true] {
            let limits = Limits {
                block: 512,
                ..Limits::default()
            };
            let report = check_text(&bytes, &table, "", limits, uses_prefilter);
            let findings = separate_findings(&report, &table);
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
            assert_eq!(
                count("token"),
                usize::from(WITH_BODIES.contains(&name)),
                "{name}"
            );
            // A route template has no query, and neither has a URL in parts.
            let without = ["api-gateway", "datadog"].contains(&name);
            assert_eq!(count("locale") > 0, !without, "{name}");
            for placed in &report.findings {
                let first = placed.finding.sightings.first.expect(name);
                assert!(
                    first.to_rfc3339().starts_with("2026-11-19T08:12:44"),
                    "{name}: {first}"
                );
            }
            let reported: Vec<_> = reasons(&report)
                .into_iter()
                .filter(|reported| reported.0 != "no-body")
                .collect();
            assert!(reported.is_empty(), "{name}: {reported:?}");
        }
    }
}

#[test]
fn the_host_of_every_layout_is_matched() {
    // An API server logs only its calls, without its name.
    for (name, _) in SHAPES.into_iter().filter(|(name, _)| *name != "kubernetes") {
        let bytes =
            std::fs::read(repository("testdata/formats/logs").join(format!("{name}.ndjson")))
                .unwrap();
        for (host, is_met) in [("api.test", true), ("other.test", false)] {
            let config = format!(
                "[[api]]\napi = \"Client API\"\nhosts = [\"{host}\", \"{host}:8443\", \"{host}:9443\"]\n"
            );
            let desk = Desk::new()
                .with("sundown.toml", config)
                .with("a.ndjson", &bytes);
            let ran = desk.run(&["check", "a.ndjson", "--format", "ndjson", "--no-fold"]);
            assert_eq!(
                ran.stdout.contains("listanswers-endpoint"),
                is_met,
                "{name}: {}",
                ran.stdout
            );
        }
    }
}

#[test]
fn the_virtual_host_at_the_start_of_a_line_is_matched() {
    let line = |host: &str| {
        format!(
            "{host} 127.0.0.1 - - [19/Nov/2026:09:12:44 +0100] \"POST /rest/api/v1/listanswers HTTP/1.1\" 200 5\n"
        )
    };
    let config = "[[api]]\napi = \"Client API\"\nhosts = [\"api.test\"]\n";
    for (host, count) in [("api.test", 2), ("api.test:443", 2), ("other.test", 0)] {
        let desk = Desk::new()
            .with("sundown.toml", config)
            .with("a.log", line(host).repeat(2));
        let ran = desk.run(&["check", "a.log", "--format", "ndjson", "--no-fold"]);
        assert_eq!(
            ran.stdout.matches("listanswers-endpoint").count(),
            count,
            "{host}: {}",
            ran.stdout
        );
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

fn table() -> RuleTable {
    RuleTable::new(vec![RuleFile::parse("t", RULES).unwrap()]).unwrap()
}

fn rules_of(report: &Report) -> Vec<&str> {
    report
        .findings
        .iter()
        .map(|placed| &*placed.finding.rule.id)
        .collect()
}

#[test]
fn parameters_header_fields_and_announcements_are_found_in_lines() {
    let config = log_format(r#"[$time_local] "$request" "$http_x_old" $sent_http_sunset"#);
    let bytes = b"[19/Nov/2026:09:12:44 +0100] \"GET /v1/chat?page%20size=1&q=\\x22 HTTP/1.1\" \"-\" -\n\
        [19/Nov/2026:09:12:44 +0100] \"GET /v1/chat HTTP/1.1\" \"a\\x22b\" -\n\
        [19/Nov/2026:09:12:44 +0100] \"GET /v1/new HTTP/1.1\" \"-\" Fri, 15 Jan 2027 23:59:59 GMT\n";
    let report = check_text(bytes, &table(), &config, Limits::default(), false);
    assert_eq!(rules_of(&report)[..2], ["page", "x-old"]);
    let spans: Vec<&[u8]> = report
        .findings
        .iter()
        .map(|placed| placed.finding.found.span.slice(bytes))
        .collect();
    let expected: [&[u8]; 3] = [
        b"/v1/chat?page%20size=1&q=\\x22",
        b"a\\x22b",
        b"Fri, 15 Jan 2027 23:59:59 GMT",
    ];
    assert_eq!(spans, expected);
    let first = report.findings[0].finding.sightings.first.unwrap();
    assert_eq!(first.to_rfc3339(), "2026-11-19T08:12:44+00:00");
}

#[test]
fn values_of_lines_are_never_shown() {
    let line = "127.0.0.1 - secret-user [19/Nov/2026:09:12:44 +0100] \"POST /rest/api/v1/listanswers?token=secret-query HTTP/1.1\" 200 5 \"secret-page\" \"secret-agent\"\n\
        127.0.0.1 - - [19/Nov/2026:09:12:44 +0100] \"secret-greeting\" 400 0 \"-\" \"-\"\n";
    for format in report_formats() {
        let desk = Desk::new().with("access.log", line);
        let ran = desk.run(&["check", "access.log", "--format", format, "-v"]);
        assert!(
            ran.stdout.contains("listanswers"),
            "{format}: {}",
            ran.stdout
        );
        assert!(
            !ran.stdout.contains("secret") && !ran.stderr.contains("secret"),
            "{format}"
        );
    }
}

#[test]
fn lines_of_several_layouts_are_read_in_one_file() {
    let text = "starting up\n\
        127.0.0.1 - - [19/Nov/2026:09:12:44 +0100] \"GET /v1/old HTTP/1.1\" 200 5\n\
        {\"method\":\"GET\",\"url\":\"/v1/old\"}\n\
        \n\
        [2026-11-19T09:12:44.027Z] \"GET /v1/old HTTP/2\" 200 - 0 57 3 2 \"-\"\r\n";
    for text in [
        text.to_owned(),
        format!("\u{feff}{text}"),
        text.replace("starting up\n", ""),
    ] {
        let report = check_text(text.as_bytes(), &table(), "", Limits::default(), false);
        assert_eq!(rules_of(&report), ["old", "old", "old"], "{text}");
        let banner = text.contains("starting").then_some(("no-exchange", 1));
        assert_eq!(reasons(&report), Vec::from_iter(banner));
    }
}

#[test]
fn a_log_in_a_custom_order_is_recognised_by_its_log_format_or_its_name() {
    let named = format!("{}files = \"*.log\"\n", log_format("<$host> $request"));
    let line = "<h.test> GET /v1/old HTTP/1.1\n";
    let table = "[[rule]]\nid = \"old\"\noperation = \"GET /v1/old\"\n";
    for (name, config, count) in [
        ("a.log", &*named, 1),
        ("a.txt", &*named, 0),
        ("a.txt", &*log_format("<$host> $request"), 1),
        ("a.txt", "", 0),
    ] {
        let desk = Desk::new()
            .with("t.toml", format!("api = \"T\"\n{table}"))
            .with("sundown.toml", config)
            .with(name, line);
        let ran = desk.run(&["check", name, "--rules", "t.toml", "--format", "ndjson"]);
        assert_eq!(
            ran.stdout.matches("\"rule\":\"old\"").count(),
            count,
            "{name}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
}

#[test]
fn a_json_record_with_invalid_utf8_is_read() {
    let line = b"{\"method\":\"GET\",\"url\":\"/v1/old?q=\xff\xfe\",\"agent\":\"\xc3\"}\n";
    let twice = line.repeat(2);
    for uses_prefilter in [false, true] {
        let limits = Limits {
            block: 60,
            ..Limits::default()
        };
        let report = check_text(&twice, &table(), "", limits, uses_prefilter);
        assert_eq!(rules_of(&report), ["old", "old"]);
        assert_eq!(
            report.findings[0].finding.found.span.slice(&twice),
            b"\"/v1/old?q=\xff\xfe\""
        );
    }
    let body = b"{\"method\":\"POST\",\"url\":\"/rest/api/v1/getanswer\",\"body\":{\"a\":\"\xff\",\"trackingToken\":1}}\n";
    let report = check_text(&body.repeat(2), &builtin(), "", Limits::default(), false);
    assert_eq!(
        reasons(&report),
        [("invalid-utf8", 2)],
        "a body is no JSON then"
    );
}

#[test]
fn a_body_line_with_invalid_utf8_hides_no_use_in_the_others() {
    let line = b"{\"method\":\"POST\",\"url\":\"/rest/api/v1/getanswer\",\"body\":\"{\\\"a\\\":\\\"\xff\\\"}\\n{\\\"trackingToken\\\":1}\\n\"}\n";
    let twice = line.repeat(2);
    for uses_prefilter in [false, true] {
        let limits = Limits {
            block: 60,
            ..Limits::default()
        };
        let report = check_text(&twice, &builtin(), "", limits, uses_prefilter);
        assert_eq!(reasons(&report), [("invalid-utf8", 2)]);
        assert_eq!(report.findings.len(), 2);
        let found = report.findings[0].finding.found.span;
        assert_eq!(found.slice(&twice), br#"\"trackingToken\""#);
    }
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
    for uses_prefilter in [false, true] {
        let limits = Limits {
            block: 60,
            ..Limits::default()
        };
        let report = check_text(&twice, &builtin(), "", limits, uses_prefilter);
        assert_eq!(reasons(&report), [("invalid-utf8", 600_000)]);
        assert_eq!(report.findings.len(), 2);
    }
}

#[test]
fn unusable_log_formats_are_refused_with_their_location() {
    let mistakes = |config: &str| {
        let mistakes = Config::parse("sundown.toml", config).unwrap_err().mistakes;
        let reported = |mistake: sundown_files::toml_file::Mistake| {
            let place = config[mistake.span].to_owned();
            format!(
                "{place}\n  {}\n  {}\n",
                mistake.message,
                mistake.help.unwrap_or_default()
            )
        };
        mistakes.into_iter().map(reported).collect::<String>()
    };
    assert_snapshot!(mistakes(
        "[[log]]\nlog-format = '$remote_addr $status'\n\
         [[log]]\nlog-format = '%h %Q'\n\
         [[log]]\nlog-format = '$request$status'\n\
         [[log]]\nlog-format = \"log_format main '$request';\"\n\
         [[log]]\nlog-format = 'plain'\n\
         [[log]]\nlog-format = 7\n\
         [[log]]\nfiles = \"*.log\"\n"
    ));
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
        let expected: BTreeSet<Known> = all.iter().filter(|use_| use_.0 < whole).cloned().collect();
        assert_eq!(found, expected, "{cut}");
        let is_in_line = !ends.contains(&cut) && !ends.contains(&(cut - 1));
        let reported = reasons(&report).contains(&("truncated", 1));
        assert_eq!(reported, is_in_line, "{cut}");
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
        let begun = std::time::Instant::now();
        let text = format!("{known}{line}\n{known}");
        let report = check_text(text.as_bytes(), &table(), &config, Limits::default(), false);
        assert!(rules_of(&report).len() >= 8, "{:?}", &line[..20]);
        assert!(begun.elapsed().as_secs() < 10, "{:?}", &line[..20]);
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
            let report = check_text(&text, &table(), &log_format("<$host> $request"), Limits::default(), false);
            prop_assert!(rules_of(&report).len() >= 2 + usize::from(!is_last));
            prop_assert_eq!(report.summary.bytes, text.len());
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let bytes = std::fs::read(repository(COMBINED)).unwrap().repeat(40);
    let desk = Desk::new().with("a.log", &bytes);
    let one = desk.run(&["check", "a.log", "--format", "json", "--threads", "1"]);
    let four = desk.run(&["check", "a.log", "--format", "json", "--threads", "4"]);
    assert_eq!((one.stdout, one.code), (four.stdout, 1));
    let whole = check_with(
        "-".as_ref(),
        &bytes,
        &builtin(),
        sundown_lint::rules::Lifecycle::on(crate::support::day()),
        None,
        true,
    );
    assert_eq!(whole.summary.records, 41 * 40);
}

#[test]
fn a_line_that_does_not_fit_the_format_fails_and_one_without_a_request_does_not() {
    let format = "$http_x_forwarded_for $request_method $request_uri $status";
    let of_file = format!("{}files = \"x.log\"\n", log_format(format));
    let fits = "1.1.1.1 POST /rest/api/v1/getanswer 200\n";
    let call = "1.1.1.1, 2.2.2.2 POST /rest/api/v1/listanswers 200\n";
    for (config, line, reason) in [
        (&of_file, call, "other-order"),
        (&of_file, "1.1.1.1, 2.2.2.2 POST\n", "other-order"),
        (&of_file, "1.1.1.1 - - 400\n", "no-request"),
        (&of_file, "1.1.1.1   400\n", "no-request"),
        (&of_file, "1.1.1.1 - \\x16\\x03 400\n", "no-request"),
        (&of_file, "1.1.1.1 OPTIONS * 200\n", "no-request"),
        (&of_file, "1.1.1.1 CONNECT h.test:443 400\n", "no-request"),
        (&log_format(format), call, "other-order"),
    ] {
        for text in [format!("{fits}{line}"), format!("{line}{fits}{line}")] {
            let desk = Desk::new()
                .with("sundown.toml", config)
                .with("x.log", &text);
            let ran = desk.run(&["check", "x.log", "--strict", "--format", "ndjson"]);
            assert!(
                ran.stdout.contains(&format!("\"{reason}\"")),
                "{line}{}",
                ran.stdout
            );
            let reasons = ["other-order", "no-request", "no-exchange"];
            let reported = reasons
                .iter()
                .filter(|it| ran.stdout.contains(&format!("\"{it}\"")));
            assert_eq!(reported.count(), 1, "{line}{}", ran.stdout);
        }
    }
    let desk = Desk::new()
        .with("sundown.toml", &of_file)
        .with("x.log", call);
    let ran = desk.run(&["check", "x.log", "--strict"]);
    assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("log-format"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn a_log_line_in_code_or_prose_does_not_make_the_file_a_log() {
    let line = "1.1.1.1 - - [19/Nov/2026:09:12:44 +0100] \"POST /rest/api/v1/listanswers HTTP/1.1\" 200 0 \"-\" \"-\"\n";
    let code = format!("import re\n\nLINE = '''\n{line}'''\nprint(LINE)\n");
    let prose = format!("# Logs\n\nThey look so:\n\n{line}\nAnd so on.\n");
    let log = format!("starting up\n{line}2026-11-19 09:12:44 reloading\n");
    let own = log_format("$remote_addr $request_method $request_uri $status");
    let said = format!(
        "Some prose\nand more\nof it\n{}",
        "1.1.1.1 POST /rest/api/v1/listanswers 200\n"
    );
    let of_files = format!("{own}files = \"x/a.*\"\n");
    for (name, config, text, is_log) in [
        ("a.py", "", &code, false),
        ("a.md", "", &prose, false),
        ("a.log", "", &log, true),
        ("a.md", &*own, &said, false),
        ("a.md", &*of_files, &said, true),
    ] {
        let desk = Desk::new()
            .with("sundown.toml", config)
            .with(&format!("x/{name}"), text);
        let ran = desk.run(&["check", "x", "--format", "ndjson"]);
        let is_found =
            ran.stdout.contains("\"type\":\"finding\"") || ran.stdout.contains("\"rule\"");
        assert_eq!(
            is_found, is_log,
            "{name}: {text}{}{}",
            ran.stdout, ran.stderr
        );
    }
    let desk = Desk::new().with("a.py", &code);
    let ran = desk.run(&[
        "check",
        "a.py",
        "--input-format",
        "access-log",
        "--format",
        "ndjson",
    ]);
    assert!(
        ran.stdout.contains("\"rule\""),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn a_request_in_a_line_of_another_order_fails() {
    let fits = "1.1.1.1 - - [19/Nov/2026:09:12:44 +0100] \"GET / HTTP/1.1\" 200 0 \"-\" \"-\"\n";
    let call = "\"POST /rest/api/v1/listanswers HTTP/1.1\"";
    for (line, reason) in [
        (
            format!("1.1.1.1 - - [19/Nov/2026:09:12:44 +0100] 0.004 {call} 200 0 \"-\" \"-\""),
            "other-order",
        ),
        (format!("{call} 200"), "other-order"),
        (format!("[2026-11-19] \"-\" {call}"), "other-order"),
        (
            format!("2026/11/19 [error] open() failed, request: {call}, host: \"h\""),
            "no-exchange",
        ),
        (
            "1.1.1.1 said \"GET me HTTP/1.1\" and \"left\"".to_owned(),
            "other-order",
        ),
        ("1.1.1.1 said \"hello\" \"there\"".to_owned(), "no-exchange"),
    ] {
        let report = check_text(
            format!("{fits}{line}\n").as_bytes(),
            &builtin(),
            "",
            Limits::default(),
            false,
        );
        assert_eq!(reasons(&report), [(reason, 1)], "{line}");
    }
}

/// The uses in the bodies of records, as side and pointer, the text at each, and the reasons for not checking.
fn check_records(text: &str) -> (Vec<String>, Vec<&'static str>) {
    let desk = Desk::new().with("a.ndjson", text);
    let ran = desk.run(&["check", "a.ndjson", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let uses = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|found| {
            let (start, end) = (&found["span"]["start"], &found["span"]["end"]);
            let span =
                |offset: &serde_json::Value| usize::try_from(offset.as_u64().unwrap()).unwrap();
            let written = &text[span(start)..span(end)];
            let seen = span(&found["seen"]);
            std::iter::repeat_n(
                format!("{} {}", found["side"].as_str().unwrap(), written),
                seen,
            )
        });
    let all = sundown_exchange::Reason::ALL;
    let reasons = report["skipped"].as_array().unwrap().iter().map(|skip| {
        let name = skip["reason"].as_str().unwrap();
        all.iter()
            .find(|reason| reason.name() == name)
            .unwrap()
            .name()
    });
    (uses.collect(), reasons.collect())
}

#[test]
fn envelopes_are_read_as_people_write_them() {
    let sent = r#"{"messages":[{"citations":[]}]}"#;
    let digits = base64::engine::general_purpose::STANDARD.encode(sent);
    let record =
        format!(r#"{{"method":"POST","url":"/rest/api/v1/chat","request":{{"body":{sent}}}}}"#);
    let text = serde_json::to_string(&record).unwrap();
    let twice = serde_json::to_string(sent).unwrap();
    let inner =
        format!(r#"{{"method":"POST","url":"/rest/api/v1/chat","request":{{"body":{twice}}}}}"#);
    let inner = serde_json::to_string(&inner).unwrap();
    for (record, expected) in [
        (
            format!(r#"{{":method":"POST",":path":"/rest/api/v1/chat","body":{sent}}}"#),
            "request \"citations\"",
        ),
        (
            format!(
                r#"{{"request":{{"headers":[{{"name":":method","value":"POST"}},{{"name":":path","value":"/rest/api/v1/chat"}}],"body":{sent}}}}}"#
            ),
            "request \"citations\"",
        ),
        (
            format!(r#"{{"verb":"POST","endpoint":"/rest/api/v1/chat","payload":{sent}}}"#),
            "request \"citations\"",
        ),
        (
            format!(r#"{{"Method":"POST","Path":"/rest/api/v1/chat","RequestBody":{sent}}}"#),
            "request \"citations\"",
        ),
        (
            format!(r#"{{"method":"POST","path":"/rest/api/v1/chat","reqBody":{sent}}}"#),
            "request \"citations\"",
        ),
        (
            format!(r#"{{"method":"POST","path":"/rest/api/v1/chat","Response_Body":{sent}}}"#),
            "response \"citations\"",
        ),
        (
            format!(r#"{{"log":{text},"stream":"stdout","time":"2026-11-19T08:12:44Z"}}"#),
            r#"request \"citations\""#,
        ),
        (
            format!(r#"{{"log":{inner},"stream":"stdout"}}"#),
            r#"request \\\"citations\\\""#,
        ),
        (
            format!(
                r#"{{"method":"POST","path":"/rest/api/v1/chat","request":{{"body":"{digits}","isBase64Encoded":true}}}}"#
            ),
            &*format!("request \"{digits}\""),
        ),
        (
            format!(
                r#"{{"method":"POST","path":"/rest/api/v1/chat","body":"{digits}","encoding":"base64"}}"#
            ),
            &*format!("request \"{digits}\""),
        ),
    ] {
        for count in [1, 3] {
            let (uses, reasons) = check_records(&format!("{record}\n").repeat(count));
            assert_eq!(uses, vec![expected.to_owned(); count], "{record}");
            assert!(reasons.is_empty(), "{record}: {reasons:?}");
        }
    }
}

#[test]
fn the_calls_of_batches_and_recordings_are_read() {
    let sent = r#"{"messages":[{"citations":[]}]}"#;
    for (record, expected) in [
        (
            format!(
                r#"{{"method":"POST","url":"https://h/$batch","request":{{"body":{{"requests":[{{"id":"1","method":"POST","url":"/rest/api/v1/chat","body":{sent}}}]}}}}}}"#
            ),
            "request \"citations\"",
        ),
        (
            format!(
                r#"{{"Entries":[{{"RequestUri":"https://h/rest/api/v1/chat","RequestMethod":"POST","RequestBody":{sent},"StatusCode":200}}]}}"#
            ),
            "request \"citations\"",
        ),
    ] {
        assert_eq!(
            check_records(&format!("{record}\n{record}\n")),
            (vec![expected.to_owned(); 2], vec![])
        );
    }
}

#[test]
fn members_that_occur_twice_are_all_read() {
    let (old, new) = (r#"{"messages":[{"citations":[]}]}"#, r#"{"messages":[]}"#);
    let url = "/rest/api/v1/chat";
    for record in [
        format!(r#"{{"method":"POST","url":"{url}","request":{{"body":{old},"body":{new}}}}}"#),
        format!(r#"{{"method":"POST","url":"{url}","request":{{"body":{new},"body":{old}}}}}"#),
        format!(
            r#"{{"method":"POST","url":"{url}","request":{{"body":{new}}},"request":{{"body":{old}}}}}"#
        ),
        format!(r#"{{"method":"GET","url":"{url}","body":{old},"method":"POST"}}"#),
        format!(r#"{{"method":"POST","url":"/x","body":{old},"url":"{url}"}}"#),
        format!(r#"{{"method":"POST","url":"{url}","body":{old},"url":"{url}"}}"#),
    ] {
        let (uses, _) = check_records(&format!("{record}\n{record}\n"));
        assert!(
            !uses.is_empty() && uses.len().is_multiple_of(2),
            "{record}: {uses:?}"
        );
    }
}

#[test]
fn a_member_that_may_be_a_body_is_named() {
    let body = r#"{"messages":[{"citations":[]}]}"#;
    for name in [
        "data",
        "json",
        "body_text",
        "bodyJson",
        "input",
        "resData",
        "rawBody",
    ] {
        let record = format!(r#"{{"method":"POST","url":"/rest/api/v1/chat","{name}":{body}}}"#);
        let (uses, reasons) = check_records(&format!("{record}\n{record}\n"));
        assert_eq!((uses.len(), &*reasons), (0, &["unread-body"][..]), "{name}");
        let desk = Desk::new().with("a.ndjson", format!("{record}\n{record}\n"));
        let ran = desk.run(&["check", "a.ndjson", "--strict"]);
        assert_eq!(ran.code, 2, "{}", ran.stdout);
        assert!(ran.stdout.contains(&format!("`{name}`")), "{}", ran.stdout);
        let config =
            format!("[[log]]\nmethod = \"/method\"\nurl = \"/url\"\nrequest-body = \"/{name}\"\n");
        let desk = Desk::new()
            .with("a.ndjson", format!("{record}\n{record}\n"))
            .with("sundown.toml", config);
        assert!(
            desk.run(&["check", "a.ndjson"])
                .stdout
                .contains("citations"),
            "{name}"
        );
    }
    // Neither sizes nor text are bodies.
    for member in [
        r#""body_bytes_sent": 7"#,
        r#""data": "text""#,
        r#""data": {}"#,
        r#""body_size": "9""#,
    ] {
        let record = format!(r#"{{"method":"POST","url":"/rest/api/v1/chat",{member}}}"#);
        assert_eq!(
            check_records(&format!("{record}\n")).1,
            ["no-body"],
            "{member}"
        );
    }
}

#[test]
fn a_table_is_proposed_for_an_unknown_layout_and_makes_it_read() {
    let body = r#"{"messages":[{"citations":[]}]}"#;
    let text = serde_json::to_string(body).unwrap();
    let hostile =
        "{\"a\\\"b/c~d\":{\"how\":\"POST\",\"where\":\"/rest/api/v1/chat\"},\"sent\":BODY}";
    for line in [
        format!(
            r#"{{"t":1,"call":{{"how":"POST","where":"https://h/rest/api/v1/chat"}},"sent":{body}}}"#
        ),
        format!(
            r#"{{"@ts":"2026-10-01T10:00:00+02:00","op":{{"verb":"POST","target":"/rest/api/v1/chat"}},"in":{text},"out":{{"code":201,"payload":"{{}}"}}}}"#
        ),
        format!(r#"{{"t":1,"how":"POST","where":"/rest/api/v1/chat","arguments":{text}}}"#),
        format!(
            r#"{{"op":{{"type":"POST","target":"/rest/api/v1/chat"}},"sent":{{"headers":{{}},"content":{body}}},"got":{{"code":200}}}}"#
        ),
        hostile.replace("BODY", body),
    ] {
        for log in [format!("{line}\n{line}\n"), format!("[{line},{line}]")] {
            let desk = Desk::new().with("a.ndjson", &log);
            let ran = desk.run(&["check", "a.ndjson", "--format", "json"]);
            let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
            let skip = &report["skipped"][0];
            assert_eq!(skip["reason"], "unknown-layout", "{log}: {}", ran.stdout);
            let table = skip["detail"].as_str().unwrap().trim_matches('`');
            assert!(!table.contains("rest/api"), "names, never values: {table}");
            let desk = Desk::new()
                .with("a.ndjson", &log)
                .with("sundown.toml", format!("{table}\n"));
            let ran = desk.run(&["check", "a.ndjson", "--format", "json"]);
            let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
            assert_eq!(report["findings"][0]["seen"], 2, "{table}: {}", ran.stdout);
            assert_eq!(
                desk.run(&["check", "a.ndjson", "--strict"]).code,
                1,
                "{table}"
            );
        }
    }
}

#[test]
fn a_proposed_table_has_the_time_the_status_and_both_bodies() {
    let line = r#"{"@ts":"2026-10-01T10:00:00+02:00","op":{"verb":"POST","target":"/v1/orders"},"in":"{}","out":{"code":201,"payload":"{}"}}"#;
    let desk = Desk::new().with("a.ndjson", format!("{line}\n{line}\n"));
    let ran = desk.run(&["usage", "a.ndjson"]);
    let table = r#"log = [{ method = "/op/verb", url = "/op/target", response-body = "/out/payload", started = "/@ts", request-body = "/in", status = "/out/code" }]"#;
    assert!(
        ran.stdout.contains(&format!("\n  {table}\n")),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.code, 2, "nothing was read");
}

#[test]
fn no_table_is_proposed_for_what_may_be_anything() {
    for text in [
        r#"{"links":[{"rel":"self","href":"/x","method":"GET"}]}"#,
        r#"{"kind":"POST","href":"/x"}"#,
        "{\"verb\":\"GET\",\"file\":\"/etc/x\"}\n{\"verb\":\"GET\",\"file\":\"/etc/x\"}\n",
        "{\"level\":30,\"msg\":\"POST\"}\n{\"level\":30,\"msg\":\"/x\"}\n",
    ] {
        assert!(!check_records(text).1.contains(&"unknown-layout"), "{text}");
    }
}

#[test]
fn an_archive_may_have_the_call_in_pseudo_header_fields() {
    let har = r#"{"log":{"entries":[{"request":{"headers":[{"name":":method","value":"POST"},{"name":":path","value":"/rest/api/v1/chat"}],"postData":{"text":"{\"messages\":[{\"citations\":[]}]}"}},"response":{"status":200}}]}}"#;
    let desk = Desk::new().with("a.har", har);
    let ran = desk.run(&["check", "a.har"]);
    assert!(
        ran.stdout
            .contains("`citations` in the request of POST /rest/api/v1/chat"),
        "{}",
        ran.stdout
    );
}
