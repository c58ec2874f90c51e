//! Every rule of the loaded tables against its own uses and look-alikes, which a generator with its own evaluator made
//! from the facts alone.

use serde::Deserialize;

use super::support::{builtin, check_path, repository, separate_findings, text};

#[derive(Deserialize)]
struct Expected {
    findings: Vec<ExpectedFinding>,
}

#[derive(Deserialize, Debug, PartialEq, Eq, Clone)]
struct ExpectedFinding {
    line: usize,
    rule: String,
    operation: String,
    side: String,
    pointer: Option<String>,
    severity: String,
    #[serde(default)]
    related: Vec<ExpectedRelated>,
}

#[derive(Deserialize, Debug, PartialEq, Eq, Clone)]
struct ExpectedRelated {
    rule: String,
    pointer: String,
}

/// The findings of the whole table in a file, in the order of the expectations.
fn found(path: &str) -> Vec<ExpectedFinding> {
    let report = check_path(&repository(path), &builtin());
    assert_eq!(report.summary.failed, 0, "{path}: {:?}", report.skipped);
    let finding = |placed: &sundown_report::LocatedFinding| {
        let finding = &placed.finding;
        ExpectedFinding {
            line: placed.location.line,
            rule: finding.rule.id.clone(),
            operation: finding.found.operation.to_string(),
            side: finding.found.part.name().to_owned(),
            pointer: finding
                .found
                .pointer
                .as_ref()
                .map(|pointer| pointer.exact.clone()),
            severity: finding.severity.name().to_owned(),
            related: finding
                .related
                .iter()
                .map(|related| ExpectedRelated {
                    rule: related.rule.clone(),
                    pointer: related.pointer.as_ref().unwrap().exact.clone(),
                })
                .collect(),
        }
    };
    separate_findings(&report, &builtin())
        .iter()
        .map(finding)
        .collect()
}

fn expected(path: &str) -> Vec<ExpectedFinding> {
    let expected: Expected =
        serde_json::from_str(&text(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    expected.findings
}

fn assert_same(name: &str, found: &[ExpectedFinding], expected: &[ExpectedFinding]) {
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found, expected, "{name}, line {}", expected.line);
    }
    assert_eq!(found.len(), expected.len(), "{name}");
}

#[test]
fn every_rule_finds_its_uses_and_ignores_its_look_alikes() {
    for rule in builtin().rules() {
        let folder = format!("testdata/rules/{}", rule.id);
        for kind in ["uses", "lookalikes"] {
            let file = format!("{folder}/{kind}.ndjson");
            let expected = expected(&format!("{folder}/{kind}.expected.json"));
            assert_same(&file, &found(&file), &expected);
            let own = |finding: &&ExpectedFinding| finding.rule == rule.id;
            let any = expected.iter().any(|finding| own(&finding));
            assert_eq!(any, kind == "uses", "{file}: findings of the rule itself");
        }
    }
}

#[test]
fn every_folder_of_the_corpus_belongs_to_a_rule() {
    let table = builtin();
    for entry in std::fs::read_dir(repository("testdata/rules")).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            let id = entry.file_name().into_string().unwrap();
            assert!(
                table.rule(&id).is_some(),
                "testdata/rules/{id} belongs to no rule"
            );
        }
    }
}
