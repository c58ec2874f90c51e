//! Compressed files: every byte before damage is read, and no buffer size and number of threads changes the report.

use std::io::{Read, Write as _};
use std::num::NonZeroUsize;

use proptest::prelude::*;

use super::support::{Files, builtin, options, repository, written};
use sundown_captures::Gauge;
use sundown_report::Report;
use sundown_run::{CheckOptions, check};
use sundown_text_json::Limits;

/// The way in which a file is compressed.
#[derive(Debug, Clone, Copy)]
enum Codec {
    Gzip,
    Zstd,
    Brotli,
}

const CODECS: [Codec; 3] = [Codec::Gzip, Codec::Zstd, Codec::Brotli];

/// The length of the beginning by which a file is recognised.
const MAGIC_BYTES: usize = 4;

fn brotli_file() -> Vec<u8> {
    std::fs::read(repository(
        "crates/captures/testdata/compressed/calls.ndjson.br",
    ))
    .unwrap()
}

/// The calls in the brotli file: 1,498 lines.
fn calls() -> Vec<u8> {
    Codec::Brotli.unpack_prefix(&brotli_file())
}

pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

impl Codec {
    fn extension(self) -> &'static str {
        match self {
            Self::Gzip => "gz",
            Self::Zstd => "zst",
            Self::Brotli => "br",
        }
    }

    /// The calls, compressed in two members or frames where the format has them.
    fn pack_calls(self) -> Vec<u8> {
        let calls = calls();
        let (front, back) = calls.split_at(calls.len() / 3);
        match self {
            Self::Gzip => [gzip(front), gzip(back)].concat(),
            Self::Zstd => [front, back]
                .map(|text| zstd::encode_all(text, 1).unwrap())
                .concat(),
            Self::Brotli => brotli_file(),
        }
    }

    /// The text of a truncated file, as the decoder of its crate reads it.
    fn unpack_prefix(self, packed: &[u8]) -> Vec<u8> {
        let mut decoder: Box<dyn Read> = match self {
            Self::Gzip => Box::new(flate2::read::MultiGzDecoder::new(packed)),
            Self::Zstd => Box::new(zstd::Decoder::new(packed).unwrap()),
            Self::Brotli => Box::new(brotli_decompressor::Decompressor::new(packed, 4096)),
        };
        let mut text = Vec::new();
        // The end of a truncated file is an error.
        let _ = decoder.read_to_end(&mut text);
        text
    }
}

fn check_packed(packed: &[u8], codec: Codec, block: usize, threads: usize) -> Report {
    let name = format!("calls.ndjson.{}", codec.extension());
    // Several files: the memory of one is recycled for the next.
    let files = Files::new().with(&name, packed).with("a/b.ndjson", calls());
    let set = builtin();
    let (path, other) = (files.path(&name), files.path("a/b.ndjson"));
    let mut options = CheckOptions {
        threads: NonZeroUsize::new(threads).unwrap(),
        fold: false,
        ..options(&path, &set)
    };
    options.settings.paths = vec![other, path.clone()];
    options.settings.limits = Limits {
        block,
        ..Limits::default()
    };
    let mut report = check(&options, &mut &b""[..], &Gauge::default());
    report
        .findings
        .retain(|found| !found.file.ends_with("b.ndjson"));
    report
}

fn json(report: &Report) -> String {
    let text = written(report, "json");
    // The name of the temporary folder, and what depends on it.
    let is_stable = |line: &&str| !line.contains("\"file\"") && !line.contains("\"fingerprint\"");
    text.lines()
        .filter(is_stable)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The number of uses on the complete lines of a text.
fn uses(text: &[u8]) -> usize {
    let whole = text
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    memchr::memmem::find_iter(&text[..whole], "\"citations\"").count()
}

/// Damage of a file.
#[derive(Debug, Clone, Copy)]
enum Damage {
    Cut,
    Flip(u8),
    /// So many bytes are replaced with zeros.
    Zeros(usize),
}

impl Damage {
    fn apply(self, packed: &mut Vec<u8>, at: usize) {
        match self {
            Self::Cut => packed.truncate(at),
            Self::Flip(mask) => packed[at] ^= mask,
            Self::Zeros(count) => packed
                .iter_mut()
                .skip(at)
                .take(count)
                .for_each(|byte| *byte = 0),
        }
    }
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        Just(Damage::Cut),
        (1..=255u8).prop_map(Damage::Flip),
        (1..3_000usize).prop_map(Damage::Zeros),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn a_damaged_file_is_read_up_to_its_damage_with_any_buffers_and_threads(
        codec in prop::sample::select(CODECS.to_vec()),
        damage in damage(),
        at in any::<prop::sample::Index>(),
        blocks in prop::collection::vec((64usize..200_000, 1usize..4), 3),
    ) {
        let mut packed = codec.pack_calls();
        // The magic number stays.
        let at = MAGIC_BYTES + at.index(packed.len() - MAGIC_BYTES);
        let before = codec.unpack_prefix(&packed[..at]);
        damage.apply(&mut packed, at);
        let whole = check_packed(&packed, codec, 1 << 30, 1);
        let found = whole.findings.len();
        prop_assert!(found >= uses(&before), "{} uses, {} found", uses(&before), found);
        let whole = json(&whole);
        for (block, threads) in blocks {
            let reported = json(&check_packed(&packed, codec, block, threads));
            let both = reported.lines().zip(whole.lines());
            let differs = both.clone().find(|(one, other)| one != other);
            prop_assert!(reported == whole, "blocks of {} by {} threads: {:?}", block, threads, differs);
        }
    }
}

#[test]
fn a_file_that_begins_with_damage_is_recognised_with_any_buffers() {
    let codec = Codec::Zstd;
    let mut packed = codec.pack_calls();
    // The first block of the data decodes to garbage.
    Damage::Zeros(552).apply(&mut packed, 67);
    let whole = check_packed(&packed, codec, 1 << 30, 1);
    assert!(!whole.findings.is_empty());
    assert_eq!(json(&check_packed(&packed, codec, 64, 1)), json(&whole));
}

#[test]
fn complete_files_are_read_in_full() {
    for codec in CODECS {
        let report = check_packed(&codec.pack_calls(), codec, 10_000, 2);
        assert_eq!(
            (report.findings.len(), report.skipped.len()),
            (500, 0),
            "{codec:?}"
        );
    }
}

#[test]
fn padding_and_skippable_frames_are_not_damage() {
    let calls = calls();
    // RFC 8878, section 3.1.2; the size is in little endian.
    let skippable = |last: u8| [&[0x50 + last, 0x2A, 0x4D, 0x18, 3, 0, 0, 0], &b"abc"[..]].concat();
    let frame = zstd::encode_all(&*calls, 1).unwrap();
    for (name, packed, codec) in [
        (
            "zeros",
            [gzip(&calls), vec![0; 70_000]].concat(),
            Codec::Gzip,
        ),
        (
            "zeros between",
            [gzip(b"\n"), vec![0; 9], gzip(&calls)].concat(),
            Codec::Gzip,
        ),
        (
            "skippable",
            [skippable(0), frame.clone()].concat(),
            Codec::Zstd,
        ),
        (
            "two skippable",
            [skippable(15), skippable(3), frame.clone(), skippable(1)].concat(),
            Codec::Zstd,
        ),
    ] {
        for block in [1 << 30, 10_000] {
            let report = check_packed(&packed, codec, block, 2);
            assert_eq!(
                (report.findings.len(), report.skipped.len()),
                (500, 0),
                "{name}"
            );
        }
    }
}

#[test]
fn text_after_a_file_is_damage_that_loses_nothing() {
    for codec in CODECS {
        let packed = [codec.pack_calls(), b"garbage, not compressed".to_vec()].concat();
        let report = check_packed(&packed, codec, 10_000, 2);
        assert_eq!(
            (report.findings.len(), report.skipped.len()),
            (500, 1),
            "{codec:?}"
        );
    }
}
