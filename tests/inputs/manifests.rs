//! Kubernetes manifests: every use of a removed API version is found at its place, and nothing that only looks like one.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Desk, text};

const PACK: [&str; 3] = ["--pack", "kubernetes", "--no-builtin-rules"];

/// The report of a run on one file.
fn report(name: &str, text: &str, arguments: &[&str]) -> Value {
    let desk = Desk::new().with(name, text);
    let fixed = ["check", name, "--format", "json"];
    let ran = desk.run(&[&fixed[..], &PACK, arguments].concat());
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr))
}

/// The uses in a file: the end of the rule's id, the line, the column, and the text.
fn uses(name: &str, text: &str) -> Vec<String> {
    let desk = Desk::new().with(name, text);
    let fixed = ["check", name, "--format", "ndjson", "--no-fold"];
    let ran = desk.run(&[&fixed[..], &PACK].concat());
    let describe = |line: &str| {
        let finding: Value = serde_json::from_str(line).unwrap();
        let rule = finding["rule"]
            .as_str()?
            .trim_start_matches("kubernetes-")
            .to_owned();
        let at = |key: &str| usize::try_from(finding["span"][key].as_u64().unwrap()).unwrap();
        let (line, column) = (&finding["line"], &finding["column"]);
        Some(format!(
            "{rule} {line}:{column} {}",
            &text[at("start")..at("end")]
        ))
    };
    ran.stdout.lines().filter_map(describe).collect()
}

/// The reasons for what was not checked, with the lines.
fn reasons(report: &Value) -> Vec<(String, u64)> {
    let skipped = report["skipped"].as_array().unwrap().iter();
    let reason = |skip: &Value| {
        let line = skip["places"][0]["line"]
            .as_u64()
            .or_else(|| skip["line"].as_u64());
        (
            skip["reason"].as_str().unwrap().to_owned(),
            line.unwrap_or_default(),
        )
    };
    skipped.map(reason).collect()
}

const BUDGET: &str =
    "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata:\n  name: x\n";

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\n";

#[test]
fn every_object_of_a_stream_is_found_at_its_api_version() {
    let stream = format!(
        "# ours\n---\n{POD}---\n{BUDGET}--- # next\nkind: CronJob\nmetadata: {{}}\napiVersion: \"batch/v1beta1\" # old\n---\n"
    );
    let found = [
        "policy-v1beta1-poddisruptionbudget 8:1 apiVersion: policy/v1beta1",
        "batch-v1beta1-cronjob 15:1 apiVersion: \"batch/v1beta1\"",
    ];
    assert_eq!(uses("a.yaml", &stream), found);
    assert_eq!(uses("a.yaml", &stream.replace('\n', "\r\n")), found);
    assert_eq!(uses("a.yaml", &format!("\u{feff}{stream}")).len(), 2);
}

#[test]
fn objects_in_flow_style_and_indented_ones_are_found() {
    let flow = "{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: {name: x}}\n";
    let indented = format!("  {}\n", BUDGET.trim_end().replace('\n', "\n  "));
    let found = |line: u32, column: u32| {
        [format!(
            "policy-v1beta1-poddisruptionbudget {line}:{column} apiVersion: policy/v1beta1"
        )]
    };
    assert_eq!(uses("budget.yaml", flow), found(1, 2));
    assert_eq!(
        uses("budget.yaml", &format!("# ours\n---\n{flow}---\n{POD}")),
        found(3, 2)
    );
    assert_eq!(
        uses("budget.yaml", &format!("{POD}---\n{flow}")),
        found(6, 2)
    );
    assert_eq!(uses("budget.yaml", &indented), found(1, 3));
    assert_eq!(
        uses("budget.yaml", &format!("\n# ours\n{indented}---\n{POD}")),
        found(3, 3)
    );
}

#[test]
fn objects_in_json_are_found_however_they_are_written() {
    let budget = r#"{"apiVersion": "policy/v1beta1", "kind": "PodDisruptionBudget"}"#;
    let found = "policy-v1beta1-poddisruptionbudget";
    for (name, text, count) in [
        ("a.json", budget.to_owned(), 1),
        ("a.json", format!("{budget}\n{budget}\n"), 2),
        (
            "a.json",
            format!("{{\"kind\": \"Pod\", \"apiVersion\": \"v1\"}}{budget}"),
            1,
        ),
        (
            "a.json",
            format!(r#"{{"apiVersion": "v1", "kind": "List", "items": [{budget}, {budget}]}}"#),
            2,
        ),
        ("a.yaml", format!("{BUDGET}---\n{budget}\n"), 2),
        ("a.yaml", format!("{budget}\n---\n{budget}\n"), 2),
    ] {
        let uses = uses(name, &text);
        assert_eq!(uses.len(), count, "{text}: {uses:?}");
        assert!(
            uses.iter().all(|it| it.starts_with(found)),
            "{text}: {uses:?}"
        );
    }
    let list =
        r#"{"apiVersion": "policy/v1beta1", "kind": "PodDisruptionBudgetList", "items": [{}, {}]}"#;
    assert_eq!(
        uses("a.json", list),
        vec![format!("{found} 1:2 \"apiVersion\": \"policy/v1beta1\""); 2]
    );
}

#[test]
fn objects_and_references_inside_of_objects_are_uses() {
    let template = "apiVersion: template.openshift.io/v1\nkind: Template\nobjects:\n- apiVersion: batch/v1beta1\n  kind: CronJob\n  spec: {}\n";
    assert_eq!(
        uses("a.yaml", template),
        ["batch-v1beta1-cronjob 4:3 apiVersion: batch/v1beta1"]
    );
    let owned = "apiVersion: v1\nkind: Pod\nmetadata:\n  ownerReferences:\n  - apiVersion: extensions/v1beta1\n    kind: ReplicaSet\n    name: x\n";
    assert_eq!(
        uses("a.yaml", owned),
        ["extensions-v1beta1-replicaset 5:5 apiVersion: extensions/v1beta1"]
    );
    let scaler = |version: &str| {
        format!(
            "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nspec:\n  scaleTargetRef:\n    apiVersion: {version}\n    kind: Deployment\n    name: x\n"
        )
    };
    let removed = uses("a.yaml", &scaler("extensions/v1beta1"));
    assert_eq!(
        removed,
        ["extensions-v1beta1-deployment 5:5 apiVersion: extensions/v1beta1"]
    );
    // The controller looks for any version of the group.
    assert_eq!(uses("a.yaml", &scaler("apps/v1beta2")), [""; 0]);
    let other = scaler("apps/v1beta2").replace("HorizontalPodAutoscaler", "ScaledObject");
    assert_eq!(
        uses("a.yaml", &other),
        ["apps-v1beta2-deployment 5:5 apiVersion: apps/v1beta2"]
    );
}

#[test]
fn the_stored_configuration_is_a_use_at_its_place_in_the_text() {
    let applied = r#"{"apiVersion":"extensions/v1beta1","kind":"Ingress","metadata":{}}"#;
    let yaml = |text: &str| {
        format!(
            "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: {text}\n"
        )
    };
    let found = "extensions-v1beta1-ingress";
    let inner = "\"apiVersion\":\"extensions/v1beta1\"";
    let folded = format!("|\n      {applied}");
    assert_eq!(
        uses("a.yaml", &yaml(&folded)),
        [format!("{found} 6:8 {inner}")]
    );
    assert_eq!(
        uses("a.yaml", &yaml(&format!("'{applied}'"))),
        [format!("{found} 5:57 {inner}")]
    );
    let json = serde_json::json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
        "metadata": {"annotations": {"kapp.k14s.io/original": applied}},
    });
    let written = inner.replace('"', "\\\"");
    let uses_in_json = uses("a.json", &json.to_string());
    assert!(
        uses_in_json[0].starts_with(found) && uses_in_json[0].ends_with(&written),
        "{uses_in_json:?}"
    );
    // The same API version is one use.
    let same = yaml(&folded).replace("networking.k8s.io/v1", "extensions/v1beta1");
    assert_eq!(
        uses("a.yaml", &same),
        [format!("{found} 1:1 apiVersion: extensions/v1beta1")]
    );
    for other in [
        "'not JSON'",
        "'{}'",
        "7",
        "'{\"apiVersion\": 1, \"kind\": []}'",
    ] {
        assert_eq!(uses("a.yaml", &yaml(other)), [""; 0], "{other}");
    }
}

#[test]
fn what_only_looks_like_a_use_is_none() {
    for text in [
        // Current, another group, another kind, a longer version, a longer kind.
        BUDGET.replace("policy/v1beta1", "policy/v1"),
        BUDGET.replace("policy/v1beta1", "policy.example.com/v1beta1"),
        BUDGET.replace("PodDisruptionBudget", "PodDisruptionBudgetPolicy"),
        BUDGET.replace("policy/v1beta1", "policy/v1beta11"),
        BUDGET.replace("PodDisruptionBudget", "Eviction"),
        // Texts, comments and names.
        format!("{POD}# apiVersion: policy/v1beta1\n# kind: PodDisruptionBudget\n"),
        format!("apiVersion: v1\nkind: ConfigMap\ndata:\n  x: |\n    {}\n", BUDGET.replace('\n', "\n    ")),
        format!("{POD}  annotations:\n    apiVersion: policy/v1beta1\n"),
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: policy-v1beta1\n  managedFields:\n  - apiVersion: policy/v1beta1\n    kind: PodDisruptionBudget\n".to_owned(),
        "apiVersion: v1\nkind: Event\ninvolvedObject:\n  apiVersion: policy/v1beta1\n  kind: PodDisruptionBudget\n".to_owned(),
        "apiVersion: x.example.com/v1\nkind: X\nstatus:\n  made:\n  - apiVersion: policy/v1beta1\n    kind: PodDisruptionBudget\n".to_owned(),
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  example:\n    apiVersion: policy/v1beta1\n    kind: PodDisruptionBudget\n".to_owned(),
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nroleRef:\n  apiGroup: policy\n  kind: PodDisruptionBudget\n".to_owned(),
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- policy/v1beta1\n".to_owned(),
    ] {
        assert_eq!(uses("a.yaml", &text), [""; 0], "{text}");
    }
}

#[test]
fn a_template_is_reported_and_its_neighbours_are_checked() {
    let template = "{{- if .Values.on }}\napiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nspec:\n  {{- toYaml .Values.spec | nindent 2 }}\n{{- end }}\n";
    let text = format!("{template}---\n{BUDGET}");
    let found = report("a.yaml", &text, &[]);
    assert_eq!(reasons(&found), [("template".to_owned(), 1)], "{found}");
    assert_eq!(uses("a.yaml", &text).len(), 2, "a literal version is a use");
    for chosen in [
        template.replace("policy/v1beta1", "{{ .Values.version }}"),
        template.replace("PodDisruptionBudget", "{{ .Values.kind }}"),
        template.replace("apiVersion", "  apiVersion"),
    ] {
        assert_eq!(uses("a.yaml", &chosen), [""; 0], "{chosen}");
    }
    let branches = template.replace(
        "kind:",
        "{{- else }}\napiVersion: policy/v1\n{{- end }}\nkind:",
    );
    let found = report("a.yaml", &branches, &[]);
    let finding = &found["findings"][0];
    assert_eq!(
        (&finding["line"], &finding["possible"]),
        (&json!(2), &json!(true)),
        "{found}"
    );
    let more = "{{- else }}\napiVersion: policy/v1beta1\n".repeat(8) + "kind:";
    let found = report("a.yaml", &template.replace("kind:", &more), &[]);
    let detail = &found["skipped"][0]["detail"];
    assert_eq!(detail, "only 8 branches of an object are read", "{found}");
    let inner = "- apiVersion: policy/v1beta1\n  kind: PodDisruptionBudget\n  spec: {{ .x }}\n";
    for (around, count) in [
        (
            format!("apiVersion: v1\nkind: List\nitems:\n{inner}{inner}"),
            2,
        ),
        (
            format!(
                "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n{inner}"
            ),
            0,
        ),
        (
            format!(
                "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: |\n    {}\n  b: {{{{ .x }}}}\n",
                inner.replace('\n', "\n    ")
            ),
            0,
        ),
    ] {
        assert_eq!(uses("a.yaml", &around).len(), count, "{around}");
    }
    for action in ["<% if x %>", "%{ if x }"] {
        let other = format!("{BUDGET}{action}\n");
        assert_eq!(reasons(&report("a.yaml", &other, &[]))[0].0, "template");
        assert_eq!(uses("a.yaml", &other).len(), 1);
    }
    let helpers = "{{- define \"a.api\" -}}\n{{- print .Chart.Name -}}\n{{- end -}}\n";
    assert_eq!(
        reasons(&report("_helpers.tpl", helpers, &[]))[0].0,
        "template"
    );
    let unknown = "apiVersion: {{ include \"x\" . }}\nkind: Pod\n";
    assert_eq!(reasons(&report("a.yaml", unknown, &[]))[0].0, "template");
    // Actions in quotes leave it YAML.
    let values = BUDGET.replace("name: x", "name: \"{{ .Release.Name }}\"");
    assert_eq!(uses("a.yaml", &values).len(), 1);
    let desk = Desk::new()
        .with("chart/a.yaml", template)
        .with("chart/b.yaml", POD);
    let code = |strict: &[&str]| {
        desk.run(&[&["check", "chart"][..], &PACK, strict].concat())
            .code
    };
    assert_eq!((code(&[]), code(&["--strict"])), (1, 2));
}

#[test]
fn a_broken_document_affects_no_other_and_is_reported_at_its_place() {
    let text = format!("{BUDGET}---\napiVersion: v1\nkind: \"Pod\n---\n{BUDGET}---\n- 1\n");
    let found = report("a.yaml", &text, &[]);
    assert_eq!(uses("a.yaml", &text).len(), 2, "{found}");
    let names: Vec<_> = reasons(&found)
        .into_iter()
        .map(|(reason, _)| reason)
        .collect();
    assert_eq!(names.len(), 2, "{found}");
    assert!(names.contains(&"no-exchange".to_owned()), "{names:?}");
    let json = format!(
        "{{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}}\n{{\"apiVersion\": \"v1\", {}",
        "\"x\": ["
    );
    assert_eq!(reasons(&report("a.json", &json, &[]))[0].0, "truncated");
}

#[test]
fn a_key_that_occurs_twice_in_a_mapping_is_reported_at_its_place() {
    let twice = |line| vec![("invalid-yaml".to_owned(), line)];
    let json = |first: &str, second: &str| {
        format!(
            "{{\"apiVersion\": \"{first}\",\n\"apiVersion\": \"{second}\", \"kind\": \"PodDisruptionBudget\"}}"
        )
    };
    let second = "apiVersion: policy/v1beta1\n";
    for (name, text, expected) in [
        ("a.yaml", BUDGET.replace("v1beta1", "v1") + second, twice(5)),
        (
            "a.yaml",
            format!("{POD}---\n{}{second}", BUDGET.replace("v1beta1", "v1")),
            twice(10),
        ),
        (
            "a.yaml",
            format!("{POD}kind: PodDisruptionBudget\n"),
            twice(5),
        ),
        ("a.yaml", format!("{POD}  'name': y\n"), twice(5)),
        (
            "a.yaml",
            format!("{{{}, {}}}", "apiVersion: v1, kind: Pod", "\nkind: X"),
            twice(2),
        ),
        ("a.json", json("policy/v1", "policy/v1beta1"), twice(2)),
        // The same key in two mappings or documents, or beside a merge, is no duplicate.
        (
            "a.yaml",
            format!("{POD}spec:\n  containers:\n  - name: a\n  - name: b\n"),
            vec![],
        ),
        ("a.yaml", format!("{POD}---\n{POD}"), vec![]),
        (
            "a.yaml",
            format!("{POD}x: &x {{a: 1}}\ny: {{<<: *x, a: 2}}\n"),
            vec![],
        ),
        (
            "a.json",
            json("v1", "v1").replacen("apiVersion", "x", 1),
            vec![],
        ),
    ] {
        assert_eq!(reasons(&report(name, &text, &[])), expected, "{text}");
    }
    // The first names the object, and every other member of a body is checked.
    assert_eq!(
        uses("a.yaml", &format!("{BUDGET}apiVersion: policy/v1\n")).len(),
        1
    );
    let body = "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      serviceAccount: x\nspec: {}\n";
    let swapped = body
        .replace("spec: {}\n", "")
        .replace("spec:\n  t", "spec: {}\nspec:\n  t");
    for text in [body, &swapped] {
        let desk = Desk::new().with("rules.toml", FIELDS).with("a.yaml", text);
        let fixed = [
            "check",
            "a.yaml",
            "--rules",
            "rules.toml",
            "--no-builtin-rules",
        ];
        let ran = desk.run(&[&fixed[..], &["--format", "json", "--strict"]].concat());
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(
            (report["findings"].as_array().unwrap().len(), ran.code),
            (1, 2),
            "{report}"
        );
    }
}

#[test]
fn other_yaml_files_stay_quiet() {
    let desk = Desk::new()
        .with("values.yaml", "replicas: 1\nimage:\n  tag: x\n")
        .with("Chart.yaml", "apiVersion: v2\nname: shop\n")
        .with("compose.yml", "services:\n  a: {}\n")
        .with(
            "page.md",
            "# x\n\n```yaml\napiVersion: policy/v1beta1\nkind: PodDisruptionBudget\n```\n",
        )
        .with("pod.yaml", POD);
    let ran = desk.run(&[&["check", "."][..], &PACK, &["--strict"]].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("(1 record"), "{}", ran.stdout);
}

const FIELDS: &str = r#"
api = "Kubernetes"
[[rule]]
id = "account"
operation = "POST /apis/apps/v1/namespaces/{namespace}/deployments"
field = "serviceAccount"
at = ["$.spec.template.spec.serviceAccount"]
replacement = "serviceAccountName"
"#;

#[test]
fn an_object_is_the_body_of_the_request_that_creates_it() {
    let yaml = "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      serviceAccount: x\n";
    let json = r#"{"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"serviceAccount":"x"}}}}"#;
    for (name, text, place) in [("a.yaml", yaml, (6, 7)), ("a.json", json, (1, 73))] {
        let desk = Desk::new().with("rules.toml", FIELDS).with(name, text);
        let rules = [
            "--rules",
            "rules.toml",
            "--no-builtin-rules",
            "--format",
            "json",
        ];
        let ran = desk.run(&[&["check", name][..], &rules].concat());
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        let finding = &report["findings"][0];
        let at = |key: &str| finding[key].as_u64().unwrap();
        assert_eq!((at("line"), at("column")), place, "{report}");
        assert_eq!(finding["pointer"], "/spec/template/spec/serviceAccount");
    }
}

#[test]
fn a_body_whose_operation_is_named_is_no_manifest() {
    let body = r#"{"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"old": 1}}"#;
    let rules =
        "api = \"X\"\n[[rule]]\nid = \"old\"\noperation = \"POST /hooks/audit\"\nfield = \"old\"\n";
    let fixed = [
        "--rules",
        "rules.toml",
        "--no-builtin-rules",
        "--format",
        "json",
    ];
    for (name, arguments) in [
        ("audit.request.json", &[][..]),
        (
            "a.json",
            &["--operation", "POST /hooks/audit", "--side", "request"],
        ),
    ] {
        let desk = Desk::new().with("rules.toml", rules).with(name, body);
        let ran = desk.run(&[&["check", name][..], &fixed, arguments].concat());
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(report["findings"][0]["rule"], "old", "{name}: {report}");
    }
}

#[test]
fn no_value_of_a_manifest_is_shown() {
    let secret = "hunter2-secret";
    let text = format!(
        "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata:\n  name: {secret}\n  namespace: {secret}\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: '{{\"apiVersion\":\"extensions/v1beta1\",\"kind\":\"Ingress\",\"x\":\"{secret}\"}}'\nspec:\n  token: {secret}\n---\napiVersion: v1\nkind: \"{secret}\n"
    );
    for format in ["human", "json", "sarif", "html", "markdown", "ndjson"] {
        let desk = Desk::new().with("a.yaml", &text);
        let ran = desk.run(&[&["check", "a.yaml", "--format", format][..], &PACK].concat());
        assert!(ran.stdout.contains("cronjobs"), "{}", ran.stdout);
        assert!(
            !ran.stdout.contains(secret) && !ran.stderr.contains(secret),
            "{format}: {}",
            ran.stdout
        );
    }
}

#[test]
fn the_report_on_manifests_says_where_until_when_and_what_instead() {
    let mut desk = Desk::new();
    for name in ["manifests.yaml", "list.json"] {
        desk = desk.with(
            &format!("deploy/{name}"),
            text(&format!("testdata/formats/kubernetes/{name}")),
        );
    }
    let ran = desk.run(&[&["check", "deploy"][..], &PACK].concat());
    insta::assert_snapshot!("manifests_report", ran.stdout);
}

#[test]
fn a_large_list_is_read_although_its_kind_comes_last() {
    let item = "- apiVersion: policy/v1beta1\n  kind: PodDisruptionBudget\n  metadata: {name: a}\n";
    let count = 2 * 1024 * 1024 / item.len();
    let text = format!("apiVersion: v1\nitems:\n{}kind: List\n", item.repeat(count));
    assert_eq!(uses("list.yaml", &text).len(), count);
}

#[test]
fn objects_in_objects_are_read_within_a_limit_for_the_document() {
    let nested = |levels: usize| {
        let open = "{\"apiVersion\":\"policy/v1beta1\",\"kind\":\"PodDisruptionBudget\",\"spec\":";
        format!(
            "{}[{}0]{}",
            open.repeat(levels),
            "1,".repeat(1_000_000),
            "}".repeat(levels)
        )
    };
    let rules = "api = \"K\"\n[[rule]]\nid = \"x\"\nfield = \"x\"\noperation = \"POST /apis/policy/v1beta1/namespaces/{n}/poddisruptionbudgets\"\n";
    let found = |levels| {
        let desk = Desk::new()
            .with("a.json", nested(levels))
            .with("k.toml", rules);
        let fixed = ["check", "a.json", "--rules", "k.toml", "--no-builtin-rules"];
        let ran = desk.run(&[&fixed[..], &["--format", "json"]].concat());
        serde_json::from_str::<Value>(&ran.stdout).unwrap()
    };
    assert_eq!(reasons(&found(7)), []);
    let deep = found(12);
    assert_eq!(deep["summary"]["records"], 12);
    assert_eq!(deep["skipped"][0]["reason"], "expands-too-far");
    assert_eq!(deep["skipped"][0]["count"], 4);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is around it, a manifest is found once, at its place.
    #[test]
    fn a_use_is_found_among_any_documents(
        before in prop::collection::vec("(# [a-z]{0,9}\n){0,2}(apiVersion: v1\nkind: Pod\n|a: [0-9]\n|\\{\\}\n|)---\n", 0..4),
        after in prop::collection::vec("(apiVersion: v1\nkind: Pod\n|x: \\{\\{ y \\}\\}\n|b: \"\n|)---\n", 0..4),
    ) {
        let (before, after) = (before.concat(), after.concat());
        let text = format!("apiVersion: v1\nkind: Pod\n---\n{before}{BUDGET}---\n{after}");
        let line = text[..text.find("apiVersion: policy").unwrap()].matches('\n').count() + 1;
        let expected = format!("policy-v1beta1-poddisruptionbudget {line}:1 apiVersion: policy/v1beta1");
        prop_assert_eq!(uses("a.yaml", &text), [expected], "{}", text);
    }
}
