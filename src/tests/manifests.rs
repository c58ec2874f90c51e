//! Kubernetes manifests: every use of a removed API version is found at its place, and nothing that only looks like one.

use std::fmt::Write as _;

use super::support::{check_bytes, pack, text};
use sundown_captures::Format;
use sundown_exchange::Reason;
use sundown_lint::rules::RuleSet;

const BUDGET: &str =
    "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata:\n  name: x\n";

/// The table of the pack.
fn rule_set() -> RuleSet {
    RuleSet::new(pack("kubernetes").load().unwrap()).unwrap()
}

#[test]
fn a_file_that_is_cut_off_anywhere_is_read_up_to_there() {
    let set = rule_set();
    for (name, whole) in [("manifests.yaml", 5), ("list.json", 2)] {
        let text = text(&format!("testdata/formats/kubernetes/{name}"));
        for end in (0..=text.len()).filter(|&end| text.is_char_boundary(end)) {
            let report = check_bytes(&text.as_bytes()[..end], Some(Format::Kubernetes), &set);
            let skipped: usize = report.skipped.iter().map(|skip| skip.bytes).sum();
            assert!(skipped <= end, "{name} to {end}: {:?}", report.skipped);
            let found = report.findings.len();
            assert!(found <= whole, "{name} to {end}");
            assert!(end < text.len() || found == whole, "{name}: {found}");
        }
    }
}

#[test]
fn hostile_documents_are_refused_with_a_reason() {
    let set = rule_set();
    let deep = "[".repeat(100_000);
    let mut bomb = "apiVersion: v1\nkind: Pod\na0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let alias = format!("*a{}", level - 1);
        let list = vec![alias; 9].join(", ");
        let _ = writeln!(bomb, "a{level}: &a{level} [{list}]");
    }
    let json = format!("{{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"x\": {deep}");
    for (text, reason, found) in [
        (
            format!("apiVersion: v1\nkind: Pod\nspec: {deep}\n"),
            Some(Reason::TooDeep),
            1,
        ),
        (json, Some(Reason::Truncated), 0),
        // No rule looks into the body, so that it is not unfolded.
        (bomb, None, 1),
    ] {
        let text = format!("{text}---\n{BUDGET}");
        let report = check_bytes(text.as_bytes(), Some(Format::Kubernetes), &set);
        let reasons: Vec<_> = report.skipped.iter().map(|skip| skip.reason).collect();
        assert!(
            reason.is_none_or(|reason| reasons.contains(&reason)),
            "{reasons:?}"
        );
        assert_eq!(report.findings.len(), found, "{reasons:?}");
    }
}

#[test]
fn in_a_template_a_schema_with_the_names_of_the_keys_is_no_object() {
    let schema = "properties:\n  apiVersion:\n    type: string\n  kind:\n    type: string\n";
    let text = format!(
        "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nspec:\n  x: {{{{ .Values.x }}}}\n{schema}---\n{BUDGET}"
    );
    for end in 0..=text.len() {
        check_bytes(
            &text.as_bytes()[..end],
            Some(Format::Kubernetes),
            &rule_set(),
        );
    }
    let report = check_bytes(text.as_bytes(), Some(Format::Kubernetes), &rule_set());
    let places: Vec<_> = report
        .findings
        .iter()
        .map(|found| found.location.line)
        .collect();
    assert_eq!(places, [1, 11]);
}
