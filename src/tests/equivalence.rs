//! The same calls give the same findings in every format; the losses of a format are listed here, and verified.
//!
//! The expectations come from an independent oracle (`tests/mock-service/expected.py`), not from this program.

use std::collections::{BTreeSet, HashSet};
use std::io::Read;
use std::path::PathBuf;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::support::{builtin, check_path, repository, separate_findings, text};
use sundown_captures::Format;
use sundown_lint::findings::Finding;
use sundown_report::Report;
use sundown_text_json::json::string;
use sundown_text_json::text::Span;

/// Which calls a file keeps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Calls {
    /// Those of curl, of Python's requests and of Node.js, as mitmproxy saw them.
    All,
    /// Those of curl among them.
    Curl,
    /// Those of Python's requests among them.
    Wide,
    /// All calls, with a smaller page of results.
    Requests,
}

/// The encoding of the bodies in a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bodies {
    /// As text: each use is at its key.
    Text,
    /// Some in base64: such a use is at the value that holds the body.
    Base64,
    /// As they were sent, some compressed: such a use is at the compressed bytes.
    Wire,
}

/// The arrangement of the records in a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// One after the other.
    Consecutive,
    /// Side by side, or all requests and then all answers.
    Mixed,
}

/// How much of a truncation is detectable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// All of it: nothing may follow the end.
    Seen,
    /// Not one between two lines: nothing says how many there are.
    Lines,
    /// Not one between two records, or before what follows the last: tools drop that.
    Records,
    /// Only one inside a body, or what else is closed.
    Bodies,
}

/// Uses that a format cannot keep.
pub(crate) struct Loss {
    pub of: fn(&Use) -> bool,
    pub because: &'static str,
}

/// A file, or a folder of them, with recorded calls.
pub(crate) struct Row {
    /// The format, by its name on the command line.
    pub format: &'static str,
    /// Below `testdata`.
    pub path: &'static str,
    pub calls: Calls,
    pub bodies: Bodies,
    pub loses: &'static [Loss],
    pub end: End,
    pub order: Order,
}

const fn row(format: &'static str, path: &'static str, calls: Calls) -> Row {
    let (bodies, end, order) = (Bodies::Text, End::Seen, Order::Consecutive);
    Row {
        format,
        path,
        calls,
        bodies,
        loses: &[],
        end,
        order,
    }
}

const NO_ANSWERS: Loss = Loss {
    of: |used| used.side == "response",
    because: "keeps no answers",
};

const ANSWERS_IN_FILES: Loss = Loss {
    of: |used| {
        let larger = [
            "/search",
            "/getcollection",
            "/getchat",
            "/createannouncement",
        ];
        used.side == "response" && larger.iter().any(|path| used.operation.ends_with(path))
    },
    because: "larger responses are in separate files, which are named",
};

const NO_BODIES: Loss = Loss {
    of: |used| used.side != "operation",
    because: "keeps no bodies",
};

/// The bytes on the wire.
const fn wire(format: &'static str, path: &'static str) -> Row {
    Row {
        bodies: Bodies::Wire,
        order: Order::Mixed,
        ..row(format, path, Calls::All)
    }
}

/// A log of calls alone.
const fn log(format: &'static str, path: &'static str) -> Row {
    Row {
        loses: &[NO_BODIES],
        end: End::Bodies,
        ..row(format, path, Calls::All)
    }
}

/// One line for each file that keeps the calls.
pub(crate) const ROWS: &[Row] = &[
    row("har", "captures/mitmproxy.har", Calls::All),
    row("har", "captures/cassettes/polly.har", Calls::Requests),
    Row {
        end: End::Lines,
        ..row("ndjson", "captures/pino-http.ndjson", Calls::All)
    },
    Row {
        bodies: Bodies::Base64,
        ..row("vcr", "captures/cassettes/betamax.json", Calls::Requests)
    },
    Row {
        bodies: Bodies::Base64,
        end: End::Records,
        ..row("vcr", "captures/cassettes/vcr.yml", Calls::Requests)
    },
    Row {
        bodies: Bodies::Base64,
        end: End::Records,
        ..row("vcr", "captures/cassettes/vcr-exact.yml", Calls::Requests)
    },
    row("vcr", "captures/cassettes/vcr-json.json", Calls::Requests),
    Row {
        end: End::Records,
        ..row("vcrpy", "captures/cassettes/vcrpy.yaml", Calls::Wide)
    },
    Row {
        end: End::Records,
        ..row(
            "vcrpy",
            "captures/cassettes/vcrpy-text.yaml",
            Calls::Requests,
        )
    },
    row(
        "vcrpy",
        "captures/cassettes/vcrpy-json.json",
        Calls::Requests,
    ),
    Row {
        end: End::Lines,
        ..row("go-vcr", "captures/cassettes/go-vcr.yaml", Calls::Requests)
    },
    row(
        "pact",
        "captures/contracts/pact/client-service-v2.json",
        Calls::Requests,
    ),
    row(
        "pact",
        "captures/contracts/pact/client-service-v3.json",
        Calls::Requests,
    ),
    row(
        "pact",
        "captures/contracts/pact/client-service-v4.json",
        Calls::Requests,
    ),
    row(
        "wiremock",
        "captures/contracts/wiremock/recorded.json",
        Calls::Requests,
    ),
    Row {
        loses: &[ANSWERS_IN_FILES],
        ..row(
            "wiremock",
            "captures/contracts/wiremock/files.json",
            Calls::Requests,
        )
    },
    row(
        "hoverfly",
        "captures/contracts/hoverfly/v1.json",
        Calls::Requests,
    ),
    row(
        "hoverfly",
        "captures/contracts/hoverfly/v2.json",
        Calls::Requests,
    ),
    row(
        "hoverfly",
        "captures/contracts/hoverfly/v5.2.json",
        Calls::Requests,
    ),
    Row {
        bodies: Bodies::Base64,
        ..row(
            "hoverfly",
            "captures/contracts/hoverfly/v5.2-encoded.json",
            Calls::Requests,
        )
    },
    row("postman", "formats/postman/collection.json", Calls::All),
    row("bruno", "formats/bruno", Calls::All),
    Row {
        end: End::Lines,
        ..row("bruno", "formats/opencollection/bundle.yml", Calls::All)
    },
    Row {
        end: End::Bodies,
        ..row("yaml-records", "formats/keploy/mocks.yaml", Calls::All)
    },
    Row {
        loses: &[NO_ANSWERS],
        ..row("insomnia", "formats/insomnia/v4.json", Calls::All)
    },
    Row {
        loses: &[NO_ANSWERS],
        end: End::Lines,
        ..row("insomnia-v5", "formats/insomnia/v5.yaml", Calls::All)
    },
    Row {
        loses: &[NO_ANSWERS],
        end: End::Bodies,
        ..row("http", "formats/http/requests.http", Calls::All)
    },
    Row {
        end: End::Bodies,
        ..row("hurl", "formats/hurl/requests.hurl", Calls::All)
    },
    Row {
        loses: &[NO_ANSWERS],
        end: End::Bodies,
        ..row("curl", "formats/curl/escaped.sh", Calls::Curl)
    },
    Row {
        loses: &[NO_ANSWERS],
        end: End::Bodies,
        ..row("curl", "formats/curl/calls.md", Calls::Curl)
    },
    wire("pcap", "captures/wire/loopback.pcap"),
    wire("pcap", "captures/wire/loopback.pcapng"),
    wire("pcap", "captures/wire/nginx-any.pcap"),
    Row {
        order: Order::Consecutive,
        ..wire("mitmproxy", "captures/mitmproxy.flows")
    },
    wire("raw-http", "captures/wire/socat.http"),
    Row {
        bodies: Bodies::Base64,
        ..row("charles", "captures/wire/charles.chlsj", Calls::All)
    },
    log("access-log", "captures/logs/nginx-combined.log"),
    log("access-log", "captures/logs/nginx-timed.log"),
    log("access-log", "captures/logs/apache-common.log"),
    log("access-log", "captures/logs/apache-combined.log"),
    log("access-log", "captures/logs/apache-vhost.log"),
    Row {
        end: End::Lines,
        ..log("ndjson", "captures/logs/caddy.ndjson")
    },
    Row {
        end: End::Lines,
        ..log("ndjson", "captures/logs/nginx-request.ndjson")
    },
];

/// The formats without a recorded file of the calls, with the reason.
pub(crate) const EXCUSED: &[(&str, &str)] = &[
    (
        "json",
        "one record of a log, or a list of them, by the reader of logs: the next test makes one of a log",
    ),
    ("body", "a body says nothing of its call"),
    (
        "table",
        "its rows are records by the reader of logs: `logs` compares them",
    ),
    ("openapi", "a description is no traffic"),
    (
        "httprr",
        "its messages are those of `raw-http`; `wire` compares them",
    ),
    (
        "kubernetes",
        "its calls are those of one API; `manifests` compares them with those that are expected",
    ),
];

/// A use, without its position.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Use {
    pub rule: String,
    pub operation: String,
    pub side: String,
    /// Empty for an endpoint.
    pub pointer: String,
}

impl Use {
    pub(crate) fn of(finding: &Finding) -> Self {
        let found = &finding.found;
        Self {
            rule: finding.rule.id.clone(),
            operation: found.operation.to_string(),
            side: found.part.name().to_owned(),
            pointer: found
                .pointer
                .as_ref()
                .map(|it| it.exact.to_string())
                .unwrap_or_default(),
        }
    }
}

/// The findings of the oracle in the calls.
fn expected(calls: Calls) -> BTreeSet<Use> {
    let file = match calls {
        Calls::Requests => "testdata/captures/cassettes/polly.expected.json",
        Calls::All | Calls::Curl | Calls::Wide => "testdata/captures/mitmproxy.expected.json",
    };
    let all: serde_json::Value = serde_json::from_str(&text(file)).unwrap();
    let part = |finding: &serde_json::Value, key: &str| {
        finding[key].as_str().unwrap_or_default().to_owned()
    };
    let findings = all["findings"].as_array().unwrap().iter();
    // curl made the first calls, `requests` the next ones.
    let entries = match calls {
        Calls::Curl => 0..19,
        Calls::Wide => 19..30,
        Calls::All | Calls::Requests => 0..u64::MAX,
    };
    let wanted = findings.filter(|f| entries.contains(&f["entry"].as_u64().unwrap()));
    let of = |f| Use {
        rule: part(f, "rule"),
        operation: part(f, "operation"),
        side: part(f, "side"),
        pointer: part(f, "pointer"),
    };
    wanted.map(of).collect()
}

impl Row {
    /// The files, in the order of their names.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let path = repository(&format!("testdata/{}", self.path));
        if !path.is_dir() {
            return vec![path];
        }
        let entries = std::fs::read_dir(path).unwrap();
        let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }

    /// The expected findings: all but the losses of the format.
    fn expected(&self) -> BTreeSet<Use> {
        let mut uses = expected(self.calls);
        for Loss { of, because } in self.loses {
            let before = uses.len();
            uses.retain(|used| !of(used));
            assert!(
                uses.len() < before,
                "{}: nothing is lost though it {because}",
                self.path
            );
        }
        uses
    }
}

#[test]
fn every_format_gives_the_same_findings_except_its_documented_losses() {
    let set = builtin();
    let mut unlike = Vec::new();
    for row in ROWS {
        let reports: Vec<_> = row
            .files()
            .iter()
            .map(|file| check_path(file, &set))
            .collect();
        let found = reports
            .iter()
            .flat_map(|report| separate_findings(report, &set));
        let found: BTreeSet<_> = found.map(|placed| Use::of(&placed.finding)).collect();
        let expected = row.expected();
        let missing: Vec<_> = expected.difference(&found).collect();
        let more: Vec<_> = found.difference(&expected).collect();
        if !missing.is_empty() || !more.is_empty() {
            unlike.push(format!(
                "{}: missing {missing:#?}, more {more:#?}",
                row.path
            ));
        }
    }
    assert!(unlike.is_empty(), "{}", unlike.join("\n"));
}

#[test]
fn a_list_of_records_gives_the_findings_of_its_log() {
    let log = text("testdata/captures/pino-http.ndjson");
    let list = format!("[{}]", log.trim_end().replace('\n', ","));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.json");
    std::fs::write(&path, list).unwrap();
    let report = check_path(&path, &builtin());
    let found: BTreeSet<_> = separate_findings(&report, &builtin())
        .iter()
        .map(|it| Use::of(&it.finding))
        .collect();
    assert_eq!(found, expected(Calls::All));
}

#[test]
fn the_calls_of_one_client_are_among_those_of_all() {
    let starred = |calls| -> BTreeSet<String> {
        let uses = expected(calls).into_iter();
        let pointer = |text: &str| {
            let is_index =
                |step: &str| !step.is_empty() && step.bytes().all(|b| b.is_ascii_digit());
            let steps = text
                .split('/')
                .map(|step| if is_index(step) { "*" } else { step });
            steps.collect::<Vec<_>>().join("/")
        };
        uses.map(|it| {
            format!(
                "{} {} {} {}",
                it.rule,
                it.operation,
                it.side,
                pointer(&it.pointer)
            )
        })
        .collect()
    };
    assert!(expected(Calls::Requests).len() > 15);
    assert!(expected(Calls::Curl).is_subset(&expected(Calls::All)));
    assert!(starred(Calls::Requests).is_subset(&starred(Calls::All)));
}

#[test]
fn every_traffic_format_has_a_recorded_file_or_a_documented_exception() {
    let known: HashSet<_> = ROWS.iter().map(|row| row.format).collect();
    let excused: HashSet<_> = EXCUSED.iter().map(|(name, _)| *name).collect();
    assert!(known.is_disjoint(&excused));
    let listed: HashSet<_> = Format::ALL
        .iter()
        .map(|format| format.spec().name)
        .collect();
    assert_eq!(
        known.union(&excused).copied().collect::<HashSet<_>>(),
        listed
    );
}

#[test]
fn every_file_is_recognised_as_its_format() {
    for row in ROWS {
        for file in row.files() {
            let bytes = std::fs::read(&file).unwrap();
            let block = sundown_text_json::text::Block::whole(&bytes);
            let wanted = sundown_captures::Sniffed::Format(Format::from_name(row.format).unwrap());
            assert_eq!(sundown_captures::sniff(block), wanted, "{}", file.display());
        }
    }
}

#[test]
fn every_finding_is_at_its_key_or_at_the_smallest_value_that_contains_it() {
    let set = builtin();
    let mut unlike = Vec::new();
    for row in ROWS {
        let mut encoded = 0;
        for file in row.files() {
            let bytes = std::fs::read(&file).unwrap();
            let report = check_path(&file, &set);
            encoded += report
                .findings
                .iter()
                .filter(|it| it.finding.found.shown.encoded)
                .count();
            assert_places(row, &report, &bytes);
        }
        if (encoded > 0) != (row.bodies != Bodies::Text) {
            unlike.push(format!("{}: {encoded} encoded", row.path));
        }
    }
    assert!(unlike.is_empty(), "{unlike:?}");
}

fn assert_places(row: &Row, report: &Report, bytes: &[u8]) {
    for placed in &report.findings {
        let finding = &placed.finding;
        let slice = finding.found.span.slice(bytes);
        match &finding.found.pointer {
            None => {
                let last = finding.found.operation.rsplit('/').next().unwrap();
                let url = String::from_utf8_lossy(slice)
                    .replace("%62", "b")
                    .replace("%61", "a");
                assert!(url.contains(last), "{}: {url}", row.path);
            }
            Some(_) if finding.found.shown.encoded && row.bodies == Bodies::Wire => {
                assert!(
                    is_compressed(slice),
                    "{}: {:?}",
                    row.path,
                    finding.found.span
                );
            }
            Some(pointer) if finding.found.shown.encoded => {
                let has = |value: &serde_json::Value| value.pointer(&pointer.exact).is_some();
                assert!(decoded(slice).iter().any(has), "{}: {pointer:?}", row.path);
            }
            Some(_) => assert_eq!(
                Some(key_of(slice).as_str()),
                finding.rule.element.name(),
                "{}: {}",
                row.path,
                String::from_utf8_lossy(slice)
            ),
        }
    }
}

/// Whether the bytes begin like a compressed stream, perhaps after the length of a chunk.
fn is_compressed(slice: &[u8]) -> bool {
    let begins = |bytes: &[u8]| {
        [&b"\x1f\x8b"[..], b"\x28\xb5\x2f\xfd", b"\x78"]
            .iter()
            .any(|magic| bytes.starts_with(magic))
    };
    let chunk = slice
        .iter()
        .position(|byte| *byte == b'\n')
        .and_then(|at| slice.get(at + 1..));
    begins(slice) || chunk.is_some_and(begins)
}

/// The base64 values, perhaps compressed, in a string.
fn decoded(value: &[u8]) -> Vec<serde_json::Value> {
    let engine = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    let digits: Vec<u8> = value.iter().copied().filter(is_digit).collect();
    let bytes = engine.decode(digits).unwrap();
    let unpacked = |mut reader: Box<dyn Read + '_>| {
        let mut text = Vec::new();
        reader
            .read_to_end(&mut text)
            .ok()
            .and_then(|_| values(&String::from_utf8(text).ok()?))
    };
    unpacked(Box::new(&*bytes))
        .or_else(|| unpacked(Box::new(flate2::read::MultiGzDecoder::new(&*bytes))))
        .or_else(|| unpacked(Box::new(flate2::read::ZlibDecoder::new(&*bytes))))
        .or_else(|| unpacked(Box::new(zstd::Decoder::new(&*bytes).ok()?)))
        .or_else(|| {
            unpacked(Box::new(brotli_decompressor::Decompressor::new(
                &*bytes, 4096,
            )))
        })
        .unwrap()
}

/// The values of a body: one, or one a line, or one an event.
fn values(text: &str) -> Option<Vec<serde_json::Value>> {
    if let Ok(value) = serde_json::from_str(text) {
        return Some(vec![value]);
    }
    let lines = text
        .lines()
        .map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
    let values = lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect::<Vec<_>>();
    (!values.is_empty()).then_some(values)
}

/// Decodes a key from its quotes and escapes: in JSON, in a string of JSON or YAML, or in a
/// word of a shell.
fn key_of(slice: &[u8]) -> String {
    let raw = String::from_utf8_lossy(slice);
    // Inside YAML quotes, a line may break inside a key, after a backslash.
    let raw = raw.split("\\\n").map(str::trim_start).collect::<String>();
    let plain = if raw.starts_with('\\') {
        string::unescape(&raw).into_owned()
    } else {
        raw
    };
    let key = string::decode(&plain, Span::new(0, plain.len()));
    string::unescape(&key).into_owned()
}
