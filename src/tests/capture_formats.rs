//! Every registered capture format is complete: documented, sampled, and part of the tests that concern all formats.
//!
//! A new format appears here by its line in `crates/captures/src/formats/registry.rs`. The first test then lists what it still lacks.

use std::path::PathBuf;

use regex::Regex;
use serde_json::Value;

use super::equivalence;
use super::support::{
    Files, builtin, check_bytes, check_path, options, repository, sources, text, written,
};
use sundown_captures::{Format, FormatFamily, FormatSpec, Gauge, Keeps, Sniffed, sniff};
use sundown_report::LocatedFinding;
use sundown_run::{CheckOptions, check};
use sundown_text_json::Limits;
use sundown_text_json::text::Block;

/// The folder of the samples.
const SAMPLES: &str = "crates/captures/samples";

/// The placeholder for a secret in a sample.
const MARK: &str = "§";

/// The place in a sample for deeply nested lists: a number, which needs no escaping in any format.
const NUMBER: &str = "7007";

/// The page that documents the formats.
const PAGE: &str = "docs/reference/formats.md";

/// The page that lists the files of the hook.
const HOOK_PAGE: &str = "docs/pre-commit.md";

/// The page that says who wrote the files of the tools.
const ORIGINS: &str = "testdata/formats/README.md";

/// The formats without a sample, with the reason.
const WITHOUT_SAMPLE: &[(&str, &str)] = &[
    (
        "body",
        "a body without its call is in no format; `canaries` has one by its file name",
    ),
    (
        "pcap",
        "a binary file, in which nothing can be replaced; there are recorded ones",
    ),
    (
        "mitmproxy",
        "a binary file, in which nothing can be replaced; there are recorded ones",
    ),
    (
        "kubernetes",
        "its calls are those of one API, which no built-in rule covers; `manifests` has the tests",
    ),
    (
        "httprr",
        "it gives the length of each message, so nothing can be replaced; `wire` has the tests",
    ),
];

/// The samples without a body in which lists can nest, with the reason.
const WITHOUT_NESTING: &[(&str, &str)] = &[
    ("access-log", "has no bodies"),
    ("openapi", "has no bodies"),
    ("raw-http", "gives the length of each body"),
];

/// The formats whose files the hook does not check, with the reason.
const NOT_HOOKED: &[(&str, &str)] = &[
    ("access-log", "logs of servers are not in repositories"),
    ("table", "logs and exports are not in repositories"),
    ("curl", "its files are scripts and pages of any kind"),
    ("pcap", "binary"),
    ("mitmproxy", "binary"),
    ("charles", "logs of a proxy are not in repositories"),
];

/// The formats that no file comes close to, with the reason.
const WITHOUT_MARK: &[(&str, &str)] = &[
    ("json", "any text may be JSON"),
    ("body", "any text may be a body"),
    ("pcap", "it begins with a number, or is no packet capture"),
];

/// The families of files that people write, in which names in bodies may lack quotes. The other bodies are recorded.
const WRITTEN_BY_PEOPLE: [FormatFamily; 2] = [FormatFamily::Clients, FormatFamily::Stubs];

/// A small file by hand that has what the tests of all formats need: see `crates/captures/samples/README.md`.
pub(crate) struct Sample {
    pub format: Format,
    /// The file name.
    pub name: String,
    /// The content, with marks for secrets.
    pub text: String,
}

impl Sample {
    /// The content as it would be written.
    fn plain(&self) -> String {
        self.text.replace(MARK, "x")
    }

    fn spec(&self) -> &'static FormatSpec {
        self.format.spec()
    }
}

/// Whether a file can come close to the format.
fn has_distinctive_mark(spec: &FormatSpec) -> bool {
    spec.marks.iter().any(|mark| !mark.is_common)
}

/// The samples of all formats that have one. Those that are still to be written are missing.
pub(crate) fn samples() -> Vec<Sample> {
    let of = |format: &Format| {
        let path = sample(format.spec().name)?;
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(path).unwrap();
        (!text.contains("TODO")).then_some(Sample {
            format: *format,
            name,
            text,
        })
    };
    Format::ALL.iter().filter_map(of).collect()
}

/// The sample of the format of this name.
fn sample(name: &str) -> Option<PathBuf> {
    let is_sample = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == name);
    sources(&repository(SAMPLES)).into_iter().find(is_sample)
}

/// Returns whether the list names the format.
fn is_in(list: &[(&str, &str)], name: &str) -> bool {
    list.iter().any(|(format, _)| *format == name)
}

/// The pattern of the files that the hook checks.
fn hooked() -> String {
    let hooks = text(".pre-commit-hooks.yaml");
    let line = hooks
        .lines()
        .find_map(|line| line.strip_prefix("  files: "));
    line.unwrap().to_owned()
}

/// What the format still lacks: the file to change, and what to add.
fn missing(format: Format) -> Vec<String> {
    let spec = format.spec();
    let name = spec.name;
    let module = format!("crates/captures/formats/{name}.toml");
    let mut missing = Vec::new();
    let mut lacks = |is_there: bool, file: &str, what: &str| {
        if !is_there {
            missing.push(format!("{name}: {file}: {what}"));
        }
    };
    for (field, text) in [
        ("title", spec.title),
        ("recognised", spec.recognised),
        ("reads", spec.reads),
        ("limits", spec.limits),
    ] {
        lacks(
            !text.contains("TODO"),
            &module,
            &format!("say in `{field}` what users should know"),
        );
    }
    lacks(
        has_distinctive_mark(spec) || is_in(WITHOUT_MARK, name),
        &module,
        "in `[[mark]]`, features that few other files have, for the hint on unknown files",
    );
    lacks(
        text(PAGE).contains(&format!("| `{name}` |")),
        PAGE,
        "its row: UPDATE_BOOK=1 cargo test --lib book",
    );
    lacks(
        is_in(equivalence::EXCUSED, name) || equivalence::ROWS.iter().any(|row| row.format == name),
        "src/tests/equivalence.rs",
        "a row in ROWS with a file of the recorded calls, or the reason why there is none in EXCUSED",
    );
    let recorded =
        !spec.sample.is_empty() && repository(&format!("testdata/{}", spec.sample)).exists();
    lacks(
        recorded || is_in(equivalence::EXCUSED, name),
        &module,
        "in `sample`, a file below testdata that the real tool wrote, and in the README there, which tool",
    );
    let pattern = Regex::new(&hooked()).unwrap();
    lacks(
        !spec.endings.is_empty() || is_in(NOT_HOOKED, name),
        &module,
        "in `endings`, the file-name endings that the hook checks",
    );
    for ending in &spec.endings {
        lacks(
            pattern.is_match(&format!("file.{ending}")),
            ".pre-commit-hooks.yaml",
            &format!("`{ending}` in `files`"),
        );
        lacks(
            text(HOOK_PAGE).contains(&format!("`.{ending}`")),
            HOOK_PAGE,
            &format!("`.{ending}` among the extensions"),
        );
    }
    let folder = spec
        .sample
        .strip_prefix("formats/")
        .and_then(|path| path.split('/').next());
    if let Some(folder) = folder {
        let row = format!("| `{folder}` |");
        lacks(
            text(ORIGINS).contains(&row),
            ORIGINS,
            &format!("the row {row}"),
        );
    }
    missing.extend(missing_in_sample(spec));
    missing
}

/// What the sample of the format still lacks.
fn missing_in_sample(spec: &FormatSpec) -> Vec<String> {
    let name = spec.name;
    if is_in(WITHOUT_SAMPLE, name) {
        return Vec::new();
    }
    let Some(path) = sample(name) else {
        return vec![format!(
            "{name}: {SAMPLES}/{name}.ENDING: a sample, as the README there describes it"
        )];
    };
    let file = format!("{SAMPLES}/{}", path.file_name().unwrap().display());
    let text = std::fs::read_to_string(path).unwrap();
    let announces = !matches!(spec.keeps, Keeps::Exchanges)
        || text.contains("Sunset")
        || text.contains("sunset");
    let needed = [
        (!text.contains("TODO"), "content instead of TODO"),
        (
            text.contains(MARK),
            "`§` wherever a file of the format holds a value",
        ),
        (
            text.contains(NUMBER) || is_in(WITHOUT_NESTING, name),
            "the number 7007 in the body of a request",
        ),
        (
            !WRITTEN_BY_PEOPLE.contains(&spec.family) || with_bare_name(&text, "") != text,
            "`\"citations\"` in the body of a call of `POST /rest/api/v1/chat`",
        ),
        (
            announces,
            "a response of `GET https://h.test/v1/reports` with `Sunset`",
        ),
    ];
    let lacks = needed.into_iter().filter(|(is_there, _)| !is_there);
    lacks
        .map(|(_, what)| format!("{name}: {file}: {what}"))
        .collect()
}

#[test]
fn every_capture_format_is_complete() {
    let missing: Vec<_> = Format::ALL
        .iter()
        .flat_map(|format| missing(*format))
        .collect();
    assert!(
        missing.is_empty(),
        "still missing, with the file to change:\n{}\n",
        missing.join("\n")
    );
}

#[test]
fn exceptions_name_registered_formats() {
    for (name, reason) in [WITHOUT_SAMPLE, WITHOUT_NESTING, NOT_HOOKED, WITHOUT_MARK].concat() {
        assert!(
            Format::from_name(name).is_some() && !reason.is_empty(),
            "{name}"
        );
    }
    for (name, _) in WITHOUT_SAMPLE {
        assert!(sample(name).is_none(), "{name} has a sample");
    }
    for (name, _) in WITHOUT_MARK {
        let spec = Format::from_name(name).unwrap().spec();
        assert!(!has_distinctive_mark(spec), "{name} has a distinctive mark");
    }
    for path in sources(&repository(SAMPLES)) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(
            name == "README" || Format::from_name(name).is_some(),
            "{}",
            path.display()
        );
    }
}

#[test]
fn names_and_titles_of_formats_are_unique() {
    for format in Format::ALL {
        let same = Format::ALL.iter().filter(|other| {
            other.spec().name == format.spec().name || other.spec().title == format.spec().title
        });
        assert_eq!(same.count(), 1, "{}", format.spec().name);
    }
}

#[test]
fn every_sample_is_recognised_as_its_format() {
    for sample in samples() {
        let plain = sample.plain();
        let found = sniff(Block::whole(plain.as_bytes()));
        assert_eq!(found, Sniffed::Format(sample.format), "{}", sample.name);
    }
}

#[test]
fn every_sample_has_a_use() {
    for sample in samples() {
        let report = check_bytes(sample.plain().as_bytes(), None, &builtin());
        let failed = report
            .skipped
            .iter()
            .filter(|it| it.reason.kind().name() == "failed");
        assert_eq!(failed.count(), 0, "{}: {:?}", sample.name, report.skipped);
        assert!(
            !report.findings.is_empty(),
            "{} has no finding",
            sample.name
        );
    }
}

#[test]
fn every_format_with_responses_gives_announced_deprecations() {
    for sample in samples() {
        let files = Files::new().with(&sample.name, sample.plain());
        let json = written(&check_path(&files.path(&sample.name), &builtin()), "json");
        let report: Value = serde_json::from_str(&json).unwrap();
        let findings = report["findings"].as_array().unwrap().iter();
        let announced = findings.filter(|finding| finding["check"] == "announced-in-traffic");
        let announced: Vec<_> = announced
            .map(|it| format!("{} {}", it["operation"], it["removal"]))
            .collect();
        let expected: &[&str] = match sample.spec().keeps {
            Keeps::Exchanges => &["\"GET /v1/reports\" \"2027-01-15\""],
            _ => &[],
        };
        assert_eq!(announced, expected, "{}: {json}", sample.name);
    }
}

/// Writes the name of the deprecated field of the samples without its double quotes.
fn with_bare_name(sample: &str, name: &str) -> String {
    sample
        .replace("\\\"citations\\\"", name)
        .replace("\"citations\"", name)
}

/// The quick walk takes what is in double quotes for a name, so a body with others must not pass it.
#[test]
fn a_body_with_names_that_are_not_in_double_quotes_is_reported_in_any_format() {
    let set = builtin();
    let written = |sample: &Sample| WRITTEN_BY_PEOPLE.contains(&sample.spec().family);
    let samples: Vec<_> = samples().into_iter().filter(written).collect();
    assert!(samples.len() > 5);
    for sample in samples {
        for name in ["citations", "'citations'"] {
            let text = with_bare_name(&sample.plain(), name);
            let report = check_bytes(text.as_bytes(), Some(sample.format), &set);
            let failed = report
                .skipped
                .iter()
                .any(|it| it.reason.kind().name() == "failed");
            let found = |it: &LocatedFinding| it.finding.found.pointer.is_some();
            let is_found = report.findings.iter().any(found);
            assert!(
                failed || is_found,
                "{}: {name} is not reported",
                sample.name
            );
        }
    }
}

/// The report for people on a file with this text, under the name of the sample.
fn told_within(limits: Limits, sample: &Sample, format: Option<Format>, text: &str) -> String {
    let files = Files::new().with(&sample.name, text);
    let set = builtin();
    let mut options = CheckOptions {
        format,
        ..options(&files.path(&sample.name), &set)
    };
    options.settings.limits = limits;
    written(
        &check(&options, &mut std::io::empty(), &Gauge::default()),
        "human",
    )
}

#[test]
fn a_deeply_nested_body_in_any_format_is_reported_with_its_remedy() {
    let deep = "[".repeat(50_000) + &"]".repeat(50_000);
    let too_deep = sundown_exchange::Reason::TooDeep;
    for sample in samples()
        .iter()
        .filter(|sample| sample.text.contains(NUMBER))
    {
        let text = sample.plain().replace(NUMBER, &deep);
        let limits = Limits {
            depth: 1000,
            ..Limits::default()
        };
        let told = told_within(limits, sample, None, &text);
        for text in [too_deep.text(), too_deep.help()] {
            assert!(told.contains(text), "{}: {told}", sample.name);
        }
    }
}

/// The formats whose files may be larger than a record.
const READ_IN_BLOCKS: [Format; 8] = [
    Format::Charles,
    Format::Json,
    Format::Ndjson,
    Format::AccessLog,
    Format::Table,
    Format::Har,
    Format::Mitmproxy,
    Format::Pcap,
];

#[test]
fn a_file_that_is_too_large_in_any_format_is_reported_with_its_remedy() {
    for sample in samples()
        .iter()
        .filter(|sample| !READ_IN_BLOCKS.contains(&sample.format))
    {
        let text = sample.plain() + &" ".repeat(3 << 20);
        let limits = Limits {
            record: 1 << 20,
            ..Limits::default()
        };
        let told = told_within(limits, sample, Some(sample.format), &text);
        for text in ["larger than the record limit", "--max-record"] {
            assert!(told.contains(text), "{}: {told}", sample.name);
        }
    }
}

#[test]
fn a_sample_that_is_cut_off_anywhere_gives_only_findings_of_the_whole() {
    let set = builtin();
    for sample in samples()
        .iter()
        .filter(|sample| sample.spec().keeps != Keeps::Nothing)
    {
        let plain = sample.plain();
        let found = |bytes: &[u8]| -> Vec<_> {
            let report = check_bytes(bytes, Some(sample.format), &set);
            let key = |placed: &LocatedFinding| {
                (
                    placed.finding.rule.id.clone(),
                    placed.finding.found.span.start,
                )
            };
            report.findings.iter().map(key).collect()
        };
        let whole = found(plain.as_bytes());
        for cut in (0..plain.len()).step_by(3) {
            for one in found(&plain.as_bytes()[..cut]) {
                assert!(
                    whole.contains(&one),
                    "{} cut at {cut}: {one:?}",
                    sample.name
                );
            }
        }
    }
}
