//! Micro-benchmarks of the parts that every byte goes through: `cargo bench --bench engine`.
//!
//! Each says how many bytes it goes through a second; compare figures of one run on one machine only.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark that cannot be set up has nothing to measure"
)]

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use sundown_captures::Gauge;
use sundown_lint::rules::{RuleLibrary, RuleSet};
use sundown_run::{CheckOptions, check, load_rules};
use sundown_selector::Selector;
use sundown_selector::automaton::{Automaton, PatternRole, Walk};
use sundown_text_json::json::key_context::QuoteLevel;
use sundown_text_json::json::{Document, Index, Met, Walker, is_value, scan, string};

mod traffic;

use traffic::{Format, Layout, Settings, Traffic};

fn main() {
    divan::main();
}

const SEED: u64 = 7;
const SIZE: u64 = 4_000_000;

/// Traffic with deprecated elements in `hits` percent of the exchanges.
fn traffic(format: Format, hits: u32) -> Vec<u8> {
    let settings = Settings {
        format,
        layout: Layout::Minified,
        hits,
        seed: SEED,
    };
    let mut text = Vec::new();
    Traffic::new(settings)
        .write(SIZE, &mut text, &mut std::io::sink())
        .unwrap();
    text
}

/// Cut beforehand: that is not what is measured.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .collect()
}

/// Strict JSON, without events.
#[divan::bench]
fn quick_grammar(bencher: Bencher<'_, '_>) {
    let text = traffic(Format::Ndjson, 1);
    let lines = lines(&text);
    bencher
        .counter(BytesCount::of_slice(&text))
        .bench_local(|| lines.iter().filter(|line| is_value(line, 1_000)).count());
}

/// Strict JSON, event by event.
#[divan::bench]
fn walker(bencher: Bencher<'_, '_>) {
    let text = String::from_utf8(traffic(Format::Ndjson, 1)).unwrap();
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| {
        text.lines()
            .filter(|line| Walker::new(line).skip_rest().is_ok())
            .count()
    });
}

/// The trees of records by their quotes and brackets.
#[divan::bench]
fn skim(bencher: Bencher<'_, '_>) {
    let text = traffic(Format::Ndjson, 1);
    let lines = lines(&text);
    bencher
        .counter(BytesCount::of_slice(&text))
        .bench_local(|| {
            let skim = |line| Document::scan(line, |met: Met<'_>| met.levels < 3);
            lines.iter().filter(|line| skim(line).is_some()).count()
        });
}

/// The index of each record, and a walk over all of its keys and brackets.
#[divan::bench]
fn index(bencher: Bencher<'_, '_>) {
    let text = traffic(Format::Ndjson, 1);
    let lines = lines(&text);
    let mut index = Index::default();
    bencher
        .counter(BytesCount::of_slice(&text))
        .bench_local(|| {
            let mut marks = 0;
            for line in &lines {
                let mut walk = index.read(line, QuoteLevel::Document);
                marks += std::iter::from_fn(|| walk.next_mark()).count();
            }
            marks
        });
}

/// An archive into its entries.
#[divan::bench]
fn splitter(bencher: Bencher<'_, '_>) {
    let text = traffic(Format::Har, 1);
    let open = memchr::memmem::find(&text, b"\"entries\":[").unwrap() + "\"entries\":".len();
    bencher
        .counter(BytesCount::of_slice(&text))
        .bench_local(|| scan::elements(&text, open).flatten().count());
}

/// Bodies out of the strings that hold them.
#[divan::bench]
fn unescape(bencher: Bencher<'_, '_>) {
    let text = String::from_utf8(traffic(Format::Har, 1)).unwrap();
    bencher
        .counter(BytesCount::of_str(&text))
        .bench_local(|| black_box(string::unescape(black_box(&text))).len());
}

/// Keys through the automaton of 400 selectors.
#[divan::bench]
fn automaton(bencher: Bencher<'_, '_>) {
    let role = PatternRole::Use { owner: 0, scope: 0 };
    let selector =
        |number: usize| Selector::parse(&format!("$..parent{number}.field{number}")).unwrap();
    let patterns = (0..400)
        .map(|number| selector(number).pattern(role))
        .collect();
    let mut walk = Walk::new(Arc::new(Automaton::new(patterns)));
    let keys = [
        "id",
        "title",
        "parent7",
        "field7",
        "metadata",
        "trackingToken",
        "field399",
        "x",
    ];
    bencher
        .counter(ItemsCount::new(keys.len() * 100))
        .bench_local(|| {
            let mut state = walk.start();
            for key in keys.iter().cycle().take(keys.len() * 100) {
                state = walk.step_key(state, black_box(key).as_bytes());
            }
            state
        });
}

/// A whole run in memory, one thread: with what cannot match ruled out, and with everything parsed.
#[divan::bench(args = [(1, true), (20, true), (1, false), (20, false)])]
fn run(bencher: Bencher<'_, '_>, (hits, sift): (u32, bool)) {
    let text = traffic(Format::Ndjson, hits);
    let mut config = sundown_run::config::Config::default();
    config.settings.rules = ["client-api", "indexing-api", "beyond-reference"]
        .map(|name| PathBuf::from(format!("{}/rules/{name}.toml", env!("CARGO_MANIFEST_DIR"))))
        .to_vec();
    let set: RuleSet = load_rules(
        sundown_lint::rules::RuleOptions::default(),
        RuleLibrary::default(),
        &config,
        &sundown_files::FileAccess::default(),
    )
    .unwrap();
    let settings = sundown_run::config::Settings::of(vec![PathBuf::from("-")]);
    let mut options = CheckOptions::new(settings, &set, "2026-11-20".parse().unwrap());
    options.settings.strict = !sift;
    bencher
        .counter(BytesCount::of_slice(&text))
        .bench_local(|| {
            check(&options, &mut Cursor::new(&text), &Gauge::default())
                .findings
                .len()
        });
}
