//! Records whose bodies are read when they are checked give what those give that are read before.

use proptest::prelude::*;
use sundown::findings::Finding;
use sundown::formats::{Format as InputFormat, Limits, Logs, Record, RecordSink, read};
use sundown::lint::{FindingSink, Linter};
use sundown::rules::{Lifecycle, RuleTable};
use sundown::text::Block;
use sundown::traffic::{Exchange, Skip};

use crate::support::{builtin, day};
use crate::traffic::{Format, Layout, Settings, Traffic};

/// What is told, one line each.
#[derive(Default)]
struct Told(Vec<String>);

impl FindingSink for Told {
    fn finding(&mut self, finding: Finding) {
        self.0.push(format!("{finding:?}"));
    }

    fn skip(&mut self, skip: Skip) {
        self.0.push(format!("{skip:?}"));
    }
}

struct Reader<'t> {
    linter: Linter<'t>,
    told: Told,
    /// How many exchanges were taken unread; `None` where none is to be.
    taken: Option<usize>,
}

impl<'a> RecordSink<'a> for Reader<'_> {
    fn record(&mut self, record: Record<'a>) {
        match record {
            Record::Exchange(exchange) => {
                let coverage = self.linter.check(&exchange, &mut self.told);
                self.told.0.push(format!("{coverage:?}"));
            }
            Record::Skip(skip) => self.told.skip(skip),
            Record::Body(body) => self.told.0.push(format!("{body:?}")),
        }
    }

    fn take_unread(&mut self, exchange: &Exchange<'a>, levels: usize) -> bool {
        let Some(taken) = &mut self.taken else { return false };
        let coverage = self.linter.check_unread(exchange, levels, &mut self.told);
        if let Some(coverage) = coverage {
            *taken += 1;
            self.told.0.push(format!("{coverage:?}"));
        }
        coverage.is_some()
    }
}

/// Deeper than anything generated.
const DEPTH: usize = 60;

fn told(
    text: &[u8],
    (format, depth): (InputFormat, usize),
    table: &RuleTable,
    taken: Option<usize>,
) -> (Vec<String>, usize) {
    let linter = Linter::new(table, Lifecycle::on(day())).with_max_depth(depth);
    let mut reader = Reader { linter, told: Told::default(), taken };
    let limits = Limits { depth, ..Limits::default() };
    read(Block::whole(text), format, limits, &Logs::default(), &mut reader);
    (reader.told.0, reader.taken.unwrap_or_default())
}

/// How many were taken unread.
fn assert_alike(text: &[u8], format: (InputFormat, usize), table: &RuleTable) -> usize {
    let (read, _) = told(text, format, table, None);
    let (unread, taken) = told(text, format, table, Some(0));
    assert_eq!(unread, read, "{}", text.escape_ascii());
    taken
}

fn traffic(format: Format, hits: u32, seed: u64, bytes: u64) -> Vec<u8> {
    let settings = Settings { format, layout: Layout::Minified, hits, seed };
    let mut text = Vec::new();
    Traffic::new(settings).write(bytes, &mut text, &mut std::io::sink()).unwrap();
    text
}

#[test]
fn most_generated_records_are_read_when_they_are_checked() {
    let table = builtin();
    for (made, format) in
        [(Format::Ndjson, (InputFormat::Ndjson, DEPTH)), (Format::Har, (InputFormat::Har, DEPTH))]
    {
        let text = traffic(made, 20, 5, 1_000_000);
        let (all, _) = told(&text, format, &table, None);
        let records = all.iter().filter(|line| !line.starts_with("Finding")).count();
        let taken = assert_alike(&text, format, &table);
        assert!(records > 100 && taken * 10 > records * 9, "{taken} of {records}");
    }
}

/// What a place of a record may become.
const WRONG: &[&[u8]] = &[
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b" ",
    b"0",
    b"-",
    b"e",
    b"t",
    b"\x00",
    b"\x1f",
    b"\x7f",
    b"\xff",
    b"\xc3",
    b"\xc3\xa9",
    br"\u00e9",
    br"\ud83d",
    br"\x",
    br"\u00g0",
    b"null",
    b"{}",
    b"[]",
    b"\"x\":",
    b",,",
    b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
    b"\\\"citations\\\":[],",
    b"\"citations\":0,",
];

#[derive(Debug, Clone)]
struct Damage {
    line: prop::sample::Index,
    place: prop::sample::Index,
    wrong: &'static [u8],
    takes: usize,
}

fn damage() -> impl Strategy<Value = Damage> {
    let (line, place) = (any::<prop::sample::Index>(), any::<prop::sample::Index>());
    let takes = prop_oneof![3 => 0usize..2, 1 => 0usize..40];
    (line, place, prop::sample::select(WRONG), takes)
        .prop_map(|(line, place, wrong, takes)| Damage { line, place, wrong, takes })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn damaged_records_give_the_same(
        seed in 0u64..1_000,
        damages in prop::collection::vec(damage(), 0..12),
    ) {
        let text = traffic(Format::Ndjson, 60, seed, 60_000);
        let mut lines: Vec<Vec<u8>> = text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        // Each is met again, when it is known what it looks like.
        let again = lines.clone();
        for Damage { line, place, wrong, takes } in damages {
            let line = line.get_mut(&mut lines);
            let at = if line.is_empty() { 0 } else { place.index(line.len()) };
            let end = line.len().min(at + takes);
            line.splice(at..end, wrong.iter().copied());
        }
        let text = [again.join(&b'\n'), lines.join(&b'\n')].join(&b'\n');
        let taken = assert_alike(&text, (InputFormat::Ndjson, DEPTH), &builtin());
        prop_assert!(taken > 0, "none is taken unread");
    }

    #[test]
    fn damaged_archives_give_the_same(
        seed in 0u64..1_000,
        damages in prop::collection::vec(damage(), 0..6),
    ) {
        let mut text = traffic(Format::Har, 60, seed, 100_000);
        for Damage { place, wrong, takes, .. } in damages {
            // The first entries tell what the others look like.
            let at = text.len() / 2 + place.index(text.len() / 2);
            let end = text.len().min(at + takes);
            text.splice(at..end, wrong.iter().copied());
        }
        let taken = assert_alike(&text, (InputFormat::Har, DEPTH), &builtin());
        prop_assert!(taken > 0, "none is taken unread");
    }

    #[test]
    fn short_records_that_look_alike_give_the_same(
        bodies in prop::collection::vec(
            (
                prop::sample::select(&["null", "1", "-0.5e3", "01", "\"x\"", "{}", "[]", "{\"citations\":[]}", "{\"citations\":[}",
                    "{\"a\":1}x", "[1,]", "\"{\\\"citations\\\":0}\"", "\"{\\\"a\\\":\\x}\"", "\"<p>\"", "\"\\u007b}\"", "\"\"", "tru",
                    "[{\"citations\":1},{\"citations\":2}]", "\"a\nb\"", "\"data: {\\\"citations\\\":1}\\n\\n\"", "{\"a\":\"\u{1}\"}"][..]),
                prop::sample::select(&["POST /rest/api/v1/chat", "GET /nothing", "POST /rest/api/v1/feed"][..]),
                prop::sample::select(&["1", "\"s\"", "{\"k\":[1]}", "[,]", "2.", "\"\\q\"", "{\"k\":{}"][..]),
            ),
            1..12,
        ),
        levels in prop::collection::vec(0usize..14, 0..4),
        depth in 1usize..14,
        part in prop::sample::select(&["body", "payload"][..]),
        header in prop::sample::select(&["", r#""headers":{"deprecation":"@1767225600"},"#, r#""headers":{"x":"y"},"#][..]),
    ) {
        let line = |(body, call, other): &(&str, &str, &str)| {
            let (method, url) = call.split_once(' ').unwrap();
            format!(r#"{{"method":"{method}","url":"{url}","time":{other},"request":{{"{part}":{body}}},"response":{{{header}"status":200,"{part}":{body}}}}}"#)
        };
        let long = format!("\"{{\\\"citations\\\":[\\\"{}\\\"]}}\"", "x".repeat(90));
        let known = ("{\"citations\":[]}", "POST /rest/api/v1/chat", "1");
        let (long, deep) = ((&*long, known.1, "1"), levels.iter().map(|&levels| "[".repeat(levels) + &"]".repeat(levels)));
        let deep: Vec<String> = deep.map(|deep| if deep.is_empty() { "{}".to_owned() } else { deep }).collect();
        let deep = deep.iter().map(|deep| (&**deep, known.1, "1"));
        // What it looks like is known by the first two.
        let all: Vec<_> = [known, known, known, long, long].into_iter().chain(deep).chain(bodies.iter().copied()).collect();
        let lines: Vec<_> = all.iter().chain(&bodies).map(line).collect();
        let taken = assert_alike(lines.join("\n").as_bytes(), (InputFormat::Ndjson, depth), &builtin());
        prop_assert!(depth < 9 || taken > 0, "none is taken unread");
    }
}
