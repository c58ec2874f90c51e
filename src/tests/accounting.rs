//! Every byte is accounted for: it is checked or reported as skipped, no byte is skipped twice, and a use that is
//! missed lies in a piece that is reported.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::support::{builtin, options, repository};
use sundown_captures::{Format, Gauge};
use sundown_exchange::Reason;
use sundown_lint::rules::RuleSet;
use sundown_report::{Report, SkipGroup};
use sundown_run::{CheckOptions, check};
use sundown_text_json::Limits;

/// All files below a folder, in their order.
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    entries
        .into_iter()
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

fn skipped_bytes(report: &Report) -> usize {
    report.skipped.iter().map(|skipped| skipped.bytes).sum()
}

#[test]
fn every_byte_of_the_recorded_files_is_read_or_skipped_once() {
    let set = builtin();
    let mut looked_at = 0;
    // The files of a case may be broken in any way, and the case says what is reported.
    let cases = repository("testdata/cases");
    let paths = files(&repository("testdata"));
    for path in paths.iter().filter(|path| !path.starts_with(&cases)) {
        let size = usize::try_from(path.metadata().unwrap().len()).unwrap();
        for block in [Limits::default().block, 4096] {
            let limits = Limits {
                block,
                ..Limits::default()
            };
            let mut options = CheckOptions {
                fold: false,
                ..options(path, &set)
            };
            options.settings.limits = limits;
            let Report {
                summary, skipped, ..
            } = &check(&options, &mut &b""[..], &Gauge::default());
            let skips = skipped.iter().map(|skipped| skipped.bytes).sum::<usize>();
            assert_eq!(summary.bytes, size, "{}", path.display());
            assert!(
                skips <= size,
                "{}: {skips} of {size} bytes are skipped",
                path.display()
            );
            // A file without a record is reported with all its bytes.
            let is_told = skips == size && !skipped.is_empty();
            // A contract that has only messages is reported message by message.
            let of_messages = skipped
                .iter()
                .any(|skipped| skipped.reason == Reason::Message);
            assert!(
                summary.records > 0 || is_told || of_messages,
                "{}: {skips} of {size}",
                path.display()
            );
        }
        looked_at += 1;
    }
    assert!(looked_at > 100, "{looked_at}");
}

/// A piece of a file with a use in it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Good,
    /// A lost quote.
    Broken,
    /// A byte that is not UTF-8.
    NotText,
    /// Nested beyond the limit.
    Deep,
    /// No exchange at all.
    Other,
}

const DEPTH: usize = 40;

fn kind() -> impl Strategy<Value = Kind> {
    use Kind::{Broken, Deep, Good, NotText, Other};
    prop::sample::select(&[Good, Good, Good, Broken, NotText, Deep, Other][..])
}

/// A record with one use of `citations`, or what has become of it.
fn piece(kind: Kind, har: bool) -> Vec<u8> {
    let call = r#""method":"POST","url":"https://h/rest/api/v1/chat""#;
    let good = if har {
        format!(r#"{{"request":{{{call},"postData":{{"text":"{{\"citations\":1}}"}}}}}}"#)
    } else {
        format!(r#"{{{call},"request":{{"body":{{"citations":[]}}}}}}"#)
    };
    match kind {
        Kind::Good => good.into_bytes(),
        Kind::Broken => good.replacen("\"POST\"", "POST", 1).into_bytes(),
        Kind::NotText => {
            // Within a text of a log's line such a byte is borne.
            let at = good.find(if har { "https" } else { "\"method\"" }).unwrap();
            [&good.as_bytes()[..at], b"\xff", &good.as_bytes()[at..]].concat()
        }
        Kind::Deep => {
            let deep = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
            good.replacen('{', &format!("{{\"x\":{deep},"), 1)
                .into_bytes()
        }
        Kind::Other => br#"{"message":"nothing here"}"#.to_vec(),
    }
}

fn report(bytes: &[u8], format: Format, block: usize, set: &RuleSet) -> Report {
    let limits = Limits {
        depth: DEPTH,
        block,
        ..Limits::default()
    };
    let format = Some(format);
    let mut options = CheckOptions {
        format,
        fold: false,
        ..options(Path::new("-"), set)
    };
    options.settings.limits = limits;
    check(&options, &mut &*bytes, &Gauge::default())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_good_or_broken_piece_is_checked_or_reported(
        kinds in prop::collection::vec(kind(), 1..30),
        har in any::<bool>(),
        block in prop::sample::select(&[64usize, 500, 1 << 20][..]),
    ) {
        let set = builtin();
        let pieces: Vec<_> = kinds.iter().map(|kind| piece(*kind, har)).collect();
        let (bytes, format) = if har {
            let entries = pieces.join(&b",\n"[..]);
            let file = [&b"{\"log\":{\"version\":\"1.2\",\"entries\":["[..], &entries, b"]}}"].concat();
            (file, Format::Har)
        } else {
            (pieces.join(&b"\n"[..]), Format::Ndjson)
        };
        let report = report(&bytes, format, block, &set);
        let good = kinds.iter().filter(|kind| **kind == Kind::Good).count();
        let bad = pieces.iter().zip(&kinds).filter(|(_, kind)| **kind != Kind::Good);
        let bad_bytes: usize = bad.map(|(piece, _)| piece.len()).sum();
        prop_assert_eq!(report.findings.len(), good);
        prop_assert_eq!(report.summary.bytes, bytes.len());
        prop_assert_eq!(skipped_bytes(&report), bad_bytes, "{:?}", report.skipped);
        let pieces = report.skipped.iter().filter(|skipped| skipped.reason != Reason::NothingToCheck);
        let count: usize = pieces.map(|skipped| skipped.count).sum();
        prop_assert_eq!(count, kinds.len() - good);
        for (reasons, kind) in [
            (&[Reason::InvalidJson][..], Kind::Broken),
            (&[Reason::InvalidUtf8], Kind::NotText),
            (&[Reason::TooDeep], Kind::Deep),
            (&[Reason::NoExchange], Kind::Other),
        ] {
            let reported = report.skipped.iter().filter(|skipped| reasons.contains(&skipped.reason));
            let reported: usize = reported.map(|skipped| skipped.count).sum();
            prop_assert_eq!(reported, kinds.iter().filter(|own| **own == kind).count(), "{:?}", reasons);
        }
    }
}

/// Returns the skips of a file that is read in blocks of this size.
fn skips_in_blocks(bytes: &[u8], format: Format, block: usize, set: &RuleSet) -> Vec<SkipGroup> {
    let limits = Limits {
        depth: DEPTH,
        block,
        ..Limits::default()
    };
    // Validate every body: the skips then include those of bodies without uses.
    let validate_all = true;
    let options = options(Path::new("-"), set);
    let mut options = CheckOptions {
        format: Some(format),
        fold: false,
        ..options
    };
    options.settings.limits = limits;
    options.settings.strict = validate_all;
    check(&options, &mut &*bytes, &Gauge::default()).skipped
}

/// A file is read as a whole in blocks of this size.
const WHOLE: usize = 1 << 20;

/// Asserts that blocks of any size give the same skips, to the byte, and returns them.
fn assert_same_skips_for_any_block_size(
    bytes: &[u8],
    format: Format,
    set: &RuleSet,
) -> Vec<SkipGroup> {
    let whole = skips_in_blocks(bytes, format, WHOLE, set);
    for block in (16..80).chain([100, 139, 200, 400, 1000]) {
        assert_eq!(
            skips_in_blocks(bytes, format, block, set),
            whole,
            "in blocks of {block}"
        );
    }
    whole
}

#[test]
fn bytes_after_an_unrecoverable_fault_are_counted_to_the_end() {
    // A record of a log that has lost its first bracket.
    let text = format!(
        "\"resourceLogs\":[{}]}}\n",
        "{\"key\":[{\"a\":{\"b\":\"c\"}}]},".repeat(40)
    );
    let set = builtin();
    let reported = assert_same_skips_for_any_block_size(text.as_bytes(), Format::Har, &set);
    let reported: Vec<_> = reported
        .iter()
        .map(|s| (s.reason, s.count, s.bytes))
        .collect();
    assert_eq!(reported, [(Reason::InvalidJson, 1, text.len() - 1)]);
}

#[test]
fn an_archive_without_entries_is_reported_with_its_size() {
    let pages = "{\"id\":\"page\"},".repeat(40);
    let set = builtin();
    for (text, reason) in [
        (
            format!("{{\"log\":{{\"pages\":[{pages}1]}}}}  \n"),
            Reason::InvalidJson,
        ),
        (
            format!("\u{feff} {{\"log\":{{\"pages\":[{pages}1],\"entries\":[]}}}}"),
            Reason::Empty,
        ),
    ] {
        let reported = assert_same_skips_for_any_block_size(text.as_bytes(), Format::Har, &set);
        let reported: Vec<_> = reported
            .iter()
            .map(|s| (s.reason, s.count, s.bytes))
            .collect();
        assert_eq!(reported, [(reason, 1, text.len())]);
    }
    // Any other skip of it counts once, for the same reason or another.
    for text in [
        format!("{{\"log\":{{\"pages\":[{pages}nope],\"entries\":[]}}}} and more"),
        format!("{{\"log\":{{\"pages\":[{pages}nope]}}}} and more"),
    ] {
        let reported = assert_same_skips_for_any_block_size(text.as_bytes(), Format::Har, &set);
        assert_eq!(
            reported.iter().map(|skipped| skipped.bytes).sum::<usize>(),
            text.len()
        );
    }
}

#[test]
fn truncation_at_a_block_boundary_is_reported() {
    let set = builtin();
    let entry = String::from_utf8(piece(Kind::Good, true)).unwrap();
    let text = format!("{{\"log\":{{\"entries\":[{}", vec![entry; 9].join(","));
    for cut in 30..=text.len() {
        for block in [16, 50, cut / 3, cut.div_ceil(4)].map(|size| size.max(16)) {
            let reported = skips_in_blocks(&text.as_bytes()[..cut], Format::Har, block, &set);
            let cuts = reported
                .iter()
                .filter(|skipped| skipped.reason == Reason::Truncated);
            assert_eq!(
                cuts.map(|skipped| skipped.count).sum::<usize>(),
                1,
                "{cut} in {block}"
            );
        }
    }
}

#[test]
fn entries_without_a_comma_are_read_in_blocks_of_any_size() {
    let set = builtin();
    let entry = String::from_utf8(piece(Kind::Good, true)).unwrap();
    for (between, end) in [("", ""), ("\n", ""), (" ", "]}}"), ("\"\" ", "]}}")] {
        let entries = [entry.as_str(); 3].join(between);
        let text = format!("{{\"log\":{{\"entries\":[{entries}{end}");
        let reported = assert_same_skips_for_any_block_size(text.as_bytes(), Format::Har, &set);
        let is_cut = reported
            .iter()
            .any(|skipped| skipped.reason == Reason::Truncated);
        assert_eq!(is_cut, end.is_empty(), "{between:?} {end:?}: {reported:?}");
        let found = |block| {
            report(text.as_bytes(), Format::Har, block, &set)
                .findings
                .len()
        };
        assert_eq!(found(16), found(WHOLE), "{between:?} {end:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_block_size_does_not_change_the_skips_of_a_damaged_file(
        kinds in prop::collection::vec(kind(), 1..12),
        har in any::<bool>(),
        lost in any::<prop::sample::Index>(),
        put in prop::sample::select(&["", "\"", "{", "]", "}", ",", "\\"][..]),
        end in any::<prop::sample::Index>(),
        block in 16usize..400,
    ) {
        let set = builtin();
        let pieces: Vec<_> = kinds.iter().map(|kind| piece(*kind, har)).collect();
        let (mut bytes, format) = if har {
            let entries = pieces.join(&b",\n"[..]);
            let file = [&b"{\"log\":{\"version\":\"1.2\",\"entries\":["[..], &entries, b"]}}"].concat();
            (file, Format::Har)
        } else {
            (pieces.join(&b"\n"[..]), Format::Ndjson)
        };
        let at = lost.index(bytes.len());
        bytes.splice(at..=at, put.bytes());
        // Half of them are cut off as well.
        bytes.truncate(end.index(2 * bytes.len() + 2).max(1));
        prop_assert_eq!(
            skips_in_blocks(&bytes, format, block, &set),
            skips_in_blocks(&bytes, format, WHOLE, &set)
        );
    }
}
