//! Kubernetes manifests among any documents, in large files, and nested.

use proptest::prelude::*;
use serde_json::Value;

use crate::support::Desk;

const BUDGET: &str = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: x}\n";

/// The lines of the report on a file.
fn report(name: &str, text: &str, more: &[&str]) -> Vec<Value> {
    let desk = Desk::new().with(name, text).with("k.toml", RULES);
    let fixed = [
        "check",
        name,
        "--no-builtin-rules",
        "--format",
        "ndjson",
        "--no-fold",
    ];
    let ran = desk.run(&[&fixed[..], more].concat());
    let lines = ran.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The lines and columns of the uses of `BUDGET`.
fn uses(text: &str) -> Vec<(u64, u64)> {
    let found = report("a.yaml", text, &["--pack", "kubernetes"]);
    let findings = found.iter().filter(|line| line["type"] == "finding");
    let place = |finding: &Value| {
        assert_eq!(
            finding["rule"],
            "kubernetes-policy-v1beta1-poddisruptionbudget"
        );
        (
            finding["line"].as_u64().unwrap(),
            finding["column"].as_u64().unwrap(),
        )
    };
    findings.map(place).collect()
}

#[test]
fn a_large_list_is_read_although_its_kind_comes_last() {
    let item = "- apiVersion: policy/v1beta1\n  kind: PodDisruptionBudget\n  metadata: {name: a}\n";
    let count = 2 * 1024 * 1024 / item.len();
    let text = format!("apiVersion: v1\nitems:\n{}kind: List\n", item.repeat(count));
    assert_eq!(uses(&text).len(), count);
}

const RULES: &str = "api = \"K\"\n[[rule]]\nid = \"x\"\nfield = \"x\"\noperation = \"POST /apis/policy/v1beta1/namespaces/{n}/poddisruptionbudgets\"\n";

#[test]
fn objects_in_objects_are_read_within_a_limit_for_the_document() {
    let found = |levels| {
        let open = "{\"apiVersion\":\"policy/v1beta1\",\"kind\":\"PodDisruptionBudget\",\"spec\":";
        let [open, close] = [open, "}"].map(|bracket| bracket.repeat(levels));
        let text = format!("{open}[{}0]{close}", "1,".repeat(1_000_000));
        report("a.json", &text, &["--rules", "k.toml"])
    };
    assert!(found(7).iter().all(|line| line["type"] != "skipped"));
    let [skip, summary] = &found(12)[..] else {
        panic!()
    };
    assert_eq!(
        (&skip["reason"], &skip["count"]),
        (&"expands-too-far".into(), &4.into())
    );
    assert_eq!(summary["records"], 12);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is around it, a manifest is found once, at its place.
    #[test]
    fn a_use_is_found_among_any_documents(
        before in prop::collection::vec("(# [a-z]{0,9}\n){0,2}(apiVersion: v1\nkind: Pod\n|a: [0-9]\n|\\{\\}\n|)---\n", 0..4),
        after in prop::collection::vec("(apiVersion: v1\nkind: Pod\n|x: \\{\\{ y \\}\\}\n|b: \"\n|)---\n", 0..4),
    ) {
        let before = format!("apiVersion: v1\nkind: Pod\n---\n{}", before.concat());
        let line = before.matches('\n').count() as u64 + 1;
        let text = format!("{before}{BUDGET}---\n{}", after.concat());
        prop_assert_eq!(uses(&text), [(line, 1)], "{}", text);
    }
}
