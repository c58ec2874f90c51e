//! Partial results of `sundown check` add up to the same bytes as one run over all files, in every format.

use std::path::PathBuf;

use chrono::Days;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::support::{Files, date, lines, options, repository, sources};
use sundown_captures::Gauge;
use sundown_files::FileAccess;
use sundown_files::Names;
use sundown_lint::findings::suppression::{Completeness, RunScope, Suppression};
use sundown_lint::rules::{RuleFile, RuleTable};
use sundown_report::{
    CheckScan, IdentityFact, OutputFormat, PartialError, PartialKind, PartialReader, PartialWriter,
    RenderOptions, Report, Verbosity,
};
use sundown_run::config::Config;
use sundown_run::{
    CheckOptions, Gate, OutputRights, RuleSelection, StaleEntries, check, load_rules,
    read_baseline, report_scan, scan_check, update_baseline,
};

const RULES: &str = include_str!("../../testdata/merging/rules.toml");

const CONFIG: &str = include_str!("../../testdata/merging/sundown.toml");

/// A call, or a line that is something else.
fn record() -> impl Strategy<Value = Value> {
    let bodies = prop::sample::select(vec![
        json!({"legacyId": 1}),
        json!({"lines": [{"legacyId": 1}, {"legacyId": 2}]}),
        json!({"box": {"inner": [1], "legacyId": 2}}),
        json!({"box": [{"inner": 1}, {"inner": 2}, {"a": {"inner": 3}}]}),
        json!({"id": 1}),
        json!(null),
        json!("{\"legacyId\": cut off"),
    ]);
    let hosts = prop::sample::select(vec![
        "https://shop.example",
        "",
        "https://a.example",
        "https://b.example",
    ]);
    let statuses = prop::sample::select(vec![200, 204, 400, 404, 410, 500]);
    (0u64..60, bodies, hosts, statuses, 0u32..9).prop_map(|(day, body, host, status, kind)| {
        let day = date("2026-09-01") + Days::new(day);
        let response = json!({
            "status": status,
            "headers": {"Sunset": format!("{}", day.format("%a, %d %b %Y 00:00:00 GMT"))},
            "body": {"status": "open"},
        });
        match kind {
            0 => json!({"level": "info", "message": "no call"}),
            1 => json!({"time": format!("{day}T23:59:59.5Z"), "method": "GET", "url": format!("{host}/v1/orders/7?trace=1"), "response": response}),
            2 => json!({"method": "GET", "url": format!("{host}/v2/orders"), "response": response}),
            _ => json!({
                "time": if kind == 3 { Value::Null } else { json!(format!("{day}T10:00:00Z")) },
                "method": "POST", "url": format!("{host}/v1/orders"),
                "request": {"body": body}, "response": {"status": status},
            }),
        }
    })
}

/// The files of a run, its rules, and what is known about its findings.
struct Project {
    files: Files,
    table: RuleTable,
    suppression: Suppression,
}

impl Project {
    fn new(files: Files, table: RuleTable) -> Self {
        let allows = Config::parse("sundown.toml", CONFIG).unwrap().allows;
        let suppression = Suppression::default().with_allowances("sundown.toml", CONFIG, &allows);
        Self {
            files,
            table,
            suppression,
        }
    }

    fn options(&self, names: &[String]) -> CheckOptions<'_> {
        let root = self.files.path("");
        CheckOptions {
            paths: names.iter().map(|name| root.join(name)).collect(),
            names: Names::new(Some(&root)),
            suppression: self.suppression.clone(),
            // As if the paths of all runs together were all files of the project.
            scope: RunScope {
                files: Completeness::Complete,
                ..RunScope::default()
            },
            ..options(&root, &self.table)
        }
    }

    /// The partial result of a run over these files.
    fn part(&self, names: &[String]) -> Vec<u8> {
        let options = self.options(names);
        written(&scan_check(
            &options,
            &options.paths,
            &mut std::io::empty(),
            &Gauge::default(),
        ))
    }

    /// The report on merged partial results.
    fn report(&self, merged: CheckScan) -> Report {
        report_scan(&self.options(&[]), merged).unwrap()
    }

    fn whole(&self, names: &[String]) -> Report {
        check(
            &self.options(names),
            &mut std::io::empty(),
            &Gauge::default(),
        )
    }
}

fn written(scan: &CheckScan) -> Vec<u8> {
    let mut out = Vec::new();
    scan.write_partial(&mut out).unwrap();
    out
}

fn read(mut bytes: &[u8]) -> CheckScan {
    let mut reader = PartialReader::open(&mut bytes).unwrap().unwrap();
    CheckScan::read_partial(&mut reader).unwrap()
}

/// Adds partial results in their order.
fn merge(parts: &[Vec<u8>]) -> Result<CheckScan, PartialError> {
    let mut parts = parts.iter().map(|part| read(part));
    let first = parts.next().unwrap();
    parts.try_fold(first, |mut sum, part| sum.merge(part).map(|()| sum))
}

/// The report in every format, and how the run ends.
fn rendered(report: &Report) -> Vec<String> {
    let mut texts: Vec<String> = OutputFormat::ALL
        .iter()
        .map(|format| {
            let options = RenderOptions {
                verbosity: Verbosity::Verbose,
                ..RenderOptions::default()
            };
            let mut out = Vec::new();
            format.write(report, options, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        })
        .collect();
    for strict in [false, true] {
        let gate = Gate {
            fail_on: Some(sundown_lint::rules::Severity::Error),
            strict,
        };
        texts.push(format!("{:?} {:?}", gate.status(report), report.unread));
    }
    texts
}

/// Fails unless the partial results merge to this report, in this order and in the reverse one, grouped in this way.
fn assert_merges(project: &Project, parts: &[Vec<u8>], grouped: usize, whole: &Report) {
    let mut reversed = parts.to_vec();
    reversed.reverse();
    let (first, rest) = parts.split_at(grouped.clamp(1, parts.len()));
    let inner = written(&merge(first).unwrap());
    let tree = [&[inner][..], rest].concat();
    let sum = written(&merge(parts).unwrap());
    let expected = rendered(whole);
    for order in [parts.to_vec(), reversed, tree] {
        let merged = merge(&order).unwrap();
        assert_eq!(
            String::from_utf8(written(&merged)),
            String::from_utf8(sum.clone())
        );
        let texts = rendered(&project.report(merged));
        for (text, expected) in texts.iter().zip(&expected) {
            assert_eq!(text, expected);
        }
    }
}

fn shop() -> RuleTable {
    RuleTable::new(vec![RuleFile::parse("shop", RULES).unwrap()]).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Neither the split nor the order nor the grouping of the files changes a byte of any report.
    #[test]
    fn any_split_of_the_files_merges_to_the_report_on_all(
        records in prop::collection::vec((record(), 0usize..5), 0..60),
        of_part in prop::collection::vec(0usize..3, 5),
        order in Just(vec![0usize, 1, 2]).prop_shuffle(),
        grouped in 1usize..4,
        is_known in any::<bool>(),
    ) {
        let mut files = Files::new();
        for file in 0..5 {
            let own: Vec<_> = records.iter().filter(|(_, of)| *of == file).map(|(record, _)| record.clone()).collect();
            files = files.with(&format!("log{file}.ndjson"), lines(&own));
        }
        let mut project = Project::new(files.with("readme.txt", "no traffic"), shop());
        let name = |file: usize| format!("log{file}.ndjson");
        if is_known {
            let known = project.files.path("known.json");
            let options = CheckOptions {
                suppression: Suppression::default(),
                ..project.options(&[name(0), name(3)])
            };
            let report = check(&options, &mut std::io::empty(), &Gauge::default());
            let rights = OutputRights::default();
            update_baseline(&known, &rights, &report, StaleEntries::Keep, Verbosity::Quiet).unwrap();
            let baseline = read_baseline(&known, &FileAccess::default()).unwrap();
            project.suppression = project.suppression.with_baseline(baseline);
        }
        let all: Vec<String> = (0..5).map(name).chain(["readme.txt".to_owned(), "missing.har".to_owned()]).collect();
        let part = |number: usize| {
            let mut own: Vec<String> = (0..5).filter(|file| of_part[*file] == number).map(name).collect();
            if number == 0 {
                own.extend(["readme.txt".to_owned(), "missing.har".to_owned()]);
            }
            project.part(&own)
        };
        let parts: Vec<_> = order.iter().map(|number| part(*number)).collect();
        let whole = project.whole(&all);
        assert_merges(&project, &parts, grouped, &whole);
    }

}

#[test]
fn every_recorded_file_in_a_part_of_its_own_merges_to_the_report_on_all() {
    let selection = RuleSelection {
        library: crate::builtin::LIBRARY,
        contract: true,
        packs: vec!["llm-models".to_owned()],
        ..RuleSelection::default()
    };
    let table = load_rules(&selection).unwrap();
    let mut project = Project::new(Files::new(), table);
    project.suppression = Suppression::default();
    let of_folder = |folder: &str| sources(&repository(folder));
    let mut files: Vec<PathBuf> = [
        "crates/captures/samples",
        "testdata/captures",
        "testdata/descriptions",
    ]
    .map(of_folder)
    .concat();
    files.retain(|file| file.metadata().unwrap().len() < 300_000);
    files.sort();
    assert!(files.len() > 40, "{}", files.len());
    let names = |files: &[PathBuf]| -> Vec<String> {
        files
            .iter()
            .map(|file| file.display().to_string())
            .collect()
    };
    let parts: Vec<_> = files
        .chunks(3)
        .map(|own| project.part(&names(own)))
        .collect();
    let whole = project.whole(&names(&files));
    assert!(whole.findings.len() > 100, "{}", whole.findings.len());
    let kinds: std::collections::BTreeSet<_> = whole
        .findings
        .iter()
        .map(|located| located.finding.check())
        .collect();
    assert!(kinds.len() > 6, "{kinds:?}");
    assert!(
        whole
            .findings
            .iter()
            .any(|located| !located.finding.origins.by_count().is_empty())
    );
    assert_merges(&project, &parts, 5, &whole);
}

/// A line with a call that has this member in its body.
fn old_call(field: &str) -> String {
    let call = json!({
        "time": "2026-11-01T10:00:00Z", "method": "POST", "url": "/v1/orders",
        "request": {"body": {field: 1}}, "response": {"status": 200},
    });
    format!("{call}\n")
}

#[test]
fn parts_of_another_version_are_refused() {
    let project = Project::new(Files::new().with("a.ndjson", old_call("id")), shop());
    let mut part = read(&project.part(&["a.ndjson".to_owned()]));
    let mut newer = part.clone();
    newer.identity = newer.identity.with(IdentityFact::Version, ["99.0.0"]);
    let error = part.merge(newer).unwrap_err();
    assert!(error.to_string().contains("99.0.0 instead of"), "{error}");
}

#[test]
fn parts_with_the_same_file_are_refused() {
    let files = Files::new()
        .with("a.ndjson", old_call("id"))
        .with("b.ndjson", old_call("id"));
    let project = Project::new(files, shop());
    let part = |names: &[&str]| {
        project.part(
            &names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>(),
        )
    };
    assert!(merge(&[part(&["a.ndjson"]), part(&["b.ndjson"])]).is_ok());
    let error = merge(&[part(&["a.ndjson"]), part(&["b.ndjson", "a.ndjson"])]).unwrap_err();
    assert!(
        matches!(error, PartialError::RepeatedFile { .. }),
        "{error}"
    );
}

#[test]
fn results_share_nothing_that_depends_on_the_run() {
    let project = Project::new(Files::new().with("a.ndjson", old_call("legacyId")), shop());
    let input = ["a.ndjson".to_owned()];
    let (one, two) = (project.part(&input), project.part(&input));
    assert_eq!(one, two);
    assert_eq!(written(&read(&one)), one);
}

/// The pointers to all numbers in a value.
fn numbers(value: &Value, at: &str, into: &mut std::collections::BTreeSet<String>) {
    match value {
        Value::Number(_) => drop(into.insert(at.to_owned())),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(index, item)| numbers(item, &format!("{at}/{index}"), into));
        }
        Value::Object(members) => {
            members
                .iter()
                .for_each(|(key, member)| numbers(member, &format!("{at}/{key}"), into));
        }
        _ => {}
    }
}

/// A partial result of these lines, with the header of another.
fn sealed(header: &CheckScan, lines: &[Value]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = PartialWriter::start(&mut out, PartialKind::Check, &header.identity).unwrap();
    for line in lines {
        for (kind, part) in line.as_object().unwrap() {
            writer.line(kind, part).unwrap();
        }
    }
    writer.finish().unwrap();
    out
}

#[test]
fn no_number_in_a_part_makes_a_merge_or_a_report_panic() {
    let table = load_rules(&RuleSelection {
        library: crate::builtin::LIBRARY,
        ..RuleSelection::default()
    })
    .unwrap();
    let recorded = std::fs::read(repository("testdata/captures/devtools/chromium.har")).unwrap();
    let broken = "{\"method\": \"POST\", \"url\": \"https://a.example/x\", \"request\"\n{\n";
    let files = Files::new()
        .with("a.har", recorded)
        .with("b.ndjson", broken.repeat(2));
    let project = Project {
        suppression: Suppression::default(),
        ..Project::new(files, table)
    };
    let part = |name: &str| project.part(&[name.to_owned()]);
    let parts = ["a.har", "b.ndjson"].map(part);
    let lines = parts.each_ref().map(|part| {
        let lines: Vec<Value> = std::str::from_utf8(part)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        lines[1..lines.len() - 1].to_vec()
    });
    let mut pointers = std::collections::BTreeSet::new();
    lines
        .iter()
        .flatten()
        .for_each(|line| numbers(line, "", &mut pointers));
    assert!(pointers.len() > 20, "{pointers:?}");
    let mut reports = 0;
    for pointer in &pointers {
        for number in [json!(u64::MAX), json!(i64::MAX), json!(i64::MIN)] {
            let changed = lines.clone().map(|mut lines| {
                lines
                    .iter_mut()
                    .filter_map(|line| line.pointer_mut(pointer))
                    .for_each(|value| *value = number.clone());
                sealed(&read(&parts[0]), &lines)
            });
            let read = changed.each_ref().map(|part| {
                let mut bytes = part.as_slice();
                let mut reader = PartialReader::open(&mut bytes).unwrap().unwrap();
                CheckScan::read_partial(&mut reader)
            });
            let [Ok(mut one), Ok(two)] = read else {
                continue;
            };
            if one.merge(two).is_ok()
                && let Ok(report) = report_scan(&project.options(&[]), one)
            {
                reports += usize::from(!rendered(&report).is_empty());
            }
        }
    }
    assert!(reports > 20, "{reports}");
}
