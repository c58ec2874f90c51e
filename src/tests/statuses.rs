//! Every format that records the status of a response hands it over with the exchange.

use super::equivalence::{ROWS, Row};
use super::support::repository;
use sundown_captures::{Format, Logs, ReadOptions, Sniffed, read, sniff};
use sundown_exchange::{Record, StatusCode};
use sundown_text_json::text::Block;

/// The formats without a status, with the reason.
const WITHOUT_STATUS: &[(&str, &str)] = &[
    ("pact", "a contract is an agreement: no one answered"),
    ("wiremock", "a stub says what will be answered"),
    ("hoverfly", "a stub says what will be answered"),
    ("postman", "a saved response is an example"),
    ("bruno", "a saved response is an example"),
    ("insomnia", "has no responses"),
    ("insomnia-v5", "has no responses"),
    ("http", "has no responses"),
    ("hurl", "says which response is expected"),
    ("curl", "has no responses"),
];

/// The log shapes without a status, with the reason.
const LOGS_WITHOUT_STATUS: &[(&str, &str)] = &[
    ("lambda", "an event is a request; the response comes later"),
    ("pact", "a contract is an agreement: no one answered"),
    ("logbook", "the response is a record of its own"),
    ("mountebank", "only requests are recorded"),
    ("ocsf", "the schema only recommends a response"),
    ("thunder-client", "only requests are kept"),
    ("apart", "the response is a record of its own"),
    ("devtools", "the response is a record of its own"),
    ("hoppscotch", "only requests are kept"),
    ("rancher", "the response is a record of its own"),
    ("yaak", "only requests are kept"),
    ("aws-waf", "only the status of a custom response is logged"),
];

/// Calls that no one answered, by their files.
const UNANSWERED: &[(&str, usize)] = &[
    ("captures/mitmproxy.har", 1),
    ("captures/mitmproxy.flows", 1),
    ("captures/wire/charles.chlsj", 1),
    ("formats/keploy/mocks.yaml", 1),
];

/// The status of each exchange in a file.
fn statuses(file: &[u8], format: &str) -> Vec<Option<u16>> {
    let format = Format::from_name(format).expect("a format");
    let mut statuses = Vec::new();
    read(
        Block::whole(file),
        format,
        &ReadOptions::new(&Logs::default()),
        &mut |record: Record<'_>| {
            if let Record::Exchange(exchange) = record {
                statuses.push(exchange.status.get().map(StatusCode::code));
            }
        },
    );
    statuses
}

#[test]
fn every_recorded_status_is_handed_over() {
    for row in ROWS {
        let Row { format, path, .. } = row;
        let files = row
            .files()
            .into_iter()
            .map(|file| std::fs::read(file).unwrap());
        let found: Vec<_> = files.flat_map(|file| statuses(&file, format)).collect();
        assert!(!found.is_empty(), "{path}: no exchanges");
        if WITHOUT_STATUS.iter().any(|(name, _)| name == format) {
            assert!(found.iter().all(Option::is_none), "{path}: {found:?}");
        } else {
            let unanswered = UNANSWERED
                .iter()
                .find(|(file, _)| file == path)
                .map_or(0, |it| it.1);
            let without = found.iter().filter(|status| status.is_none()).count();
            assert_eq!(without, unanswered, "{path}: {found:?}");
            assert!(found.contains(&Some(200)), "{path}: {found:?}");
        }
    }
}

#[test]
fn every_shape_of_log_records_has_its_status() {
    let folder = repository("testdata/formats/logs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let format = match path.extension().and_then(|ending| ending.to_str()) {
            Some("md") => continue,
            Some("ndjson") => Format::Ndjson,
            _ => match sniff(Block::whole(&bytes)) {
                Sniffed::Format(format) => format,
                other => panic!("{}: {other:?}", path.display()),
            },
        };
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let found = statuses(&bytes, format.spec().name);
        assert!(!found.is_empty(), "{name}");
        if LOGS_WITHOUT_STATUS.iter().any(|(log, _)| *log == name) {
            continue;
        }
        assert!(found.iter().all(Option::is_some), "{name}: {found:?}");
    }
}
