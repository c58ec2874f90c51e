//! `--target-version` grades the rules that state versions of a server by the version of the user's server.

use crate::support::Desk;

/// An API version that is removed, one that is deprecated, one that is deprecated later, and a current one.
const MANIFESTS: &str = "\
apiVersion: batch/v1beta1
kind: CronJob
metadata:
  name: removed
---
apiVersion: networking.k8s.io/v1beta1
kind: ServiceCIDR
metadata:
  name: deprecated
---
apiVersion: resource.k8s.io/v1beta2
kind: DeviceClass
metadata:
  name: later
---
apiVersion: batch/v1
kind: Job
metadata:
  name: current
";

/// A table of another server, for custom resources.
const OPERATOR: &str = r#"
api = "Operator"
[[rule]]
id = "operator-v1alpha1"
title = "shop.example/v1alpha1"
also = [{ operation = "* /apis/shop.example/v1alpha1/**" }]
deprecated_in = "2.0"
removed_in = "2.4"
replacement = "shop.example/v1"
"#;

fn desk() -> Desk {
    Desk::new()
        .with("manifests.yaml", MANIFESTS)
        .with(
            "custom.yaml",
            "apiVersion: shop.example/v1alpha1\nkind: Basket\nmetadata:\n  name: x\n",
        )
        .with("operator.toml", OPERATOR)
}

/// Severity and headline of each finding.
fn found(desk: &Desk, arguments: &[&str]) -> Vec<String> {
    let fixed = ["check", "--no-builtin-rules", "--format=ndjson"];
    let ran = desk.run(&[&fixed[..], arguments].concat());
    assert!(ran.code < 2, "{}", ran.stderr);
    let findings = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|record| record["type"] == "finding");
    findings
        .map(|finding| {
            let text = |name: &str| finding[name].as_str().unwrap().to_owned();
            format!("{}: {}", text("severity"), text("message"))
        })
        .collect()
}

#[test]
fn the_version_of_the_cluster_decides_in_place_of_the_day() {
    let desk = desk();
    let at = |version: &str| {
        let pack = ["manifests.yaml", "--pack=kubernetes", "--target-version"];
        found(&desk, &[&pack[..], &[version]].concat())
    };
    assert_eq!(at("1.20"), [""; 0]);
    assert_eq!(
        at("v1.34.2-gke.100"),
        [
            "error: batch/v1beta1 CronJob in * /apis/batch/v1beta1/namespaces/{namespace}/cronjobs/** was removed in version 1.25; the target is 1.34.2",
            "warning: networking.k8s.io/v1beta1 ServiceCIDR in * /apis/networking.k8s.io/v1beta1/servicecidrs/** is deprecated since version 1.34, until 1.37 removes it; the target is 1.34.2",
        ]
    );
    let severities: Vec<_> = at("1.37")
        .iter()
        .map(|line| line.split(':').next().unwrap().to_owned())
        .collect();
    assert_eq!(severities, ["error", "error", "warning"]);
}

#[test]
fn each_server_has_its_own_target() {
    let desk = desk();
    let both = [".", "--pack=kubernetes", "--rules=operator.toml"];
    let targets = [
        "--target-version=kubernetes=1.20",
        "--target-version=Operator=2.4.0",
    ];
    assert_eq!(
        found(&desk, &[&both[..], &targets[..]].concat()),
        [
            "error: shop.example/v1alpha1 in * /apis/shop.example/v1alpha1/** was removed in version 2.4; the target is 2.4"
        ]
    );
    // Without a target of its own, a rule is graded by the day.
    assert_eq!(
        found(&desk, &[&both[..], &targets[..1]].concat()),
        [
            "warning: shop.example/v1alpha1 in * /apis/shop.example/v1alpha1/** is deprecated: version 2.4 removes it; no date announced"
        ]
    );
}

#[test]
fn a_severity_of_the_configuration_stays_unless_a_later_version_deprecates_the_element() {
    let config = "packs = ['kubernetes']\ntarget-version = ['1.34']\n[severity]\n\
                  kubernetes-batch-v1beta1-cronjob = 'note'\n\
                  kubernetes-resource-k8s-io-v1beta2-deviceclass = 'error'\n";
    let desk = desk().with("sundown.toml", config);
    let found = found(&desk, &["manifests.yaml"]);
    let severities: Vec<_> = found
        .iter()
        .map(|line| line.split(':').next().unwrap())
        .collect();
    assert_eq!(severities, ["note", "warning"]);
}

#[test]
fn a_target_without_rules_says_which_apis_there_are() {
    let desk = desk();
    let both = ["--pack=kubernetes", "--rules=operator.toml"];
    for (arguments, message) in [
        (
            &["--target-version=1.34"][..],
            "error: no rule states versions of a server that 1.34 could be compared with\n = help: add such rules, for example with --pack kubernetes\n",
        ),
        (
            &["--pack=kubernetes", "--target-version=istio=1.2"],
            "error: no rule of this API states versions of its server: istio=1.2\n = help: write API=1.2; the APIs are: `Kubernetes API`\n",
        ),
        (
            &[both[0], both[1], "--target-version=1.34"],
            "error: the rules of several APIs state versions, and 1.34 names none of them\n = help: write API=1.34; the APIs are: `Kubernetes API`, `Operator`\n",
        ),
    ] {
        let ran = desk.run(&[&["check", "manifests.yaml"], arguments].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (2, message));
    }
    let ran = desk.run(&["check", ".", "--pack=kubernetes", "--target-version=latest"]);
    assert!(ran.stderr.contains("such as 1.33"), "{}", ran.stderr);
}

#[test]
fn a_list_of_rules_has_the_versions_and_the_replacements() {
    let ran = Desk::new().run(&[
        "rules",
        "list",
        "--pack=kubernetes",
        "--removal-before=2024-01-01",
        "--all",
        "--as-of=2026-11-24",
    ]);
    let line = ran
        .stdout
        .lines()
        .find(|line| line.contains("batch-v1beta1-cronjob"));
    let words: Vec<_> = line
        .unwrap()
        .split("  ")
        .filter(|cell| !cell.is_empty())
        .map(str::trim)
        .collect();
    assert_eq!(
        words,
        [
            "kubernetes-batch-v1beta1-cronjob",
            "2023-07-28",
            "(1215 days ago)",
            "batch/v1beta1 CronJob",
            "deprecated in 1.21",
            "removed in 1.25",
            "use batch/v1 CronJob",
        ]
    );
}

#[test]
fn a_table_of_rules_for_other_programs_has_the_versions_apart() {
    let list = |format: &str| {
        let ran = Desk::new().run(&["rules", "list", "--pack=kubernetes", "--format", format]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stdout
    };
    assert!(list("csv").contains(
        "\nkubernetes-batch-v1beta1-cronjob,Kubernetes API,batch/v1beta1 CronJob,2023-07-28,1.21,1.25,batch/v1 CronJob\r\n"
    ));
    assert!(list("markdown").contains(
        "\n| `kubernetes-batch-v1beta1-cronjob` | Kubernetes API | batch/v1beta1 CronJob | 2023-07-28 | 1.21 | 1.25 | batch/v1 CronJob |\n"
    ));
}
