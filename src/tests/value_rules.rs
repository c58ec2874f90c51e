//! Rules about many values, path segments, versions and conditions: uses, look-alikes, ids, and all kinds of files.

use insta::assert_snapshot;
use serde_json::{Value, json};
use sundown_lint::rules::{RuleFile, RuleTable};

use super::support::check_bytes;

fn table(rules: &str) -> RuleTable {
    let file = RuleFile::parse("test.toml", &format!("api = 'Shop'\n{rules}"));
    RuleTable::new(vec![file.unwrap_or_else(|error| panic!("{error:?}"))]).unwrap()
}

/// The rule of each finding in one call, with its pointer, sorted.
fn found(table: &RuleTable, call: &Value) -> Vec<String> {
    let report = check_bytes(format!("{call}\n").as_bytes(), None, table);
    let one = |located: &sundown_report::LocatedFinding| {
        let pointer = located.finding.found.pointer.as_ref();
        let pointer = pointer
            .map(|pointer| format!(" {}", pointer.starred))
            .unwrap_or_default();
        format!("{}{pointer}", located.finding.rule.id)
    };
    let mut found: Vec<_> = report.findings.iter().map(one).collect();
    found.sort();
    found
}

fn call(url: &str) -> Value {
    json!({"method": "POST", "url": url})
}

fn body(body: &Value) -> Value {
    json!({"method": "POST", "url": "/a", "request": {"body": body}})
}

const MODELS: &str = "
[[rule]]
id = 'model'
operation = 'POST /a'
field = 'model'
at = ['$.model', '$.models', '$.items[*].model']
removal = 2027-06-30
replacement = 'new'
values = [
  'old',
  { value = 'old.1', removal = 2026-12-31, replacement = 'newer', note = 'n', introduced = 2026-01-01, docs = 'https://d.test' },
  { value = 'old-1', id = 'model-other' },
  { starts_with = 'old-2' },
]
";

#[test]
fn each_value_of_an_entry_is_a_rule_with_its_own_facts() {
    let table = table(&MODELS.replace("'$.models', ", ""));
    let facts = |rule: &sundown_lint::rules::Rule| {
        let date = |date: Option<chrono::NaiveDate>| date.map(|date| date.to_string());
        format!(
            "{} | {} | {:?} {:?} {:?} {:?} {:?}",
            rule.id,
            rule.element.label(),
            date(rule.removal),
            rule.replacement,
            rule.note,
            date(rule.introduced),
            rule.docs
        )
    };
    let rules: Vec<_> = table.rules().iter().map(|rule| facts(rule)).collect();
    assert_snapshot!(rules.join("\n"));
}

#[test]
fn one_value_of_an_entry_can_be_possibly_deprecated() {
    let uncertain = "values = [{ value = 'a', possible = true }, 'b']";
    let models = MODELS.replace("'$.models', ", "");
    let rules = models.split_once("values").unwrap().0;
    let possible = |rules: &str| {
        let table = table(rules);
        let rules = table.rules().iter();
        rules.map(|rule| rule.is_possible).collect::<Vec<_>>()
    };
    assert_eq!(possible(&format!("{rules}{uncertain}")), [true, false]);
    let all =
        format!("{rules}possible = true\nvalues = [{{ value = 'a', possible = false }}, 'b']");
    assert_eq!(possible(&all), [false, true]);
}

#[test]
fn a_value_of_an_entry_is_found_only_where_it_is_equal() {
    let table = table(&MODELS.replace("'$.models', ", ""));
    let used = |body_value: Value| found(&table, &body(&body_value));
    assert_eq!(used(json!({"model": "old"})), ["model-old /model"]);
    assert_eq!(used(json!({"model": "old.1"})), ["model-old-1 /model"]);
    assert_eq!(used(json!({"model": "old-1"})), ["model-other /model"]);
    assert_eq!(used(json!({"model": "old-2"})), ["model-old-2 /model"]);
    assert_eq!(used(json!({"model": "old-25"})), ["model-old-2 /model"]);
    assert_eq!(
        used(json!({"items": [{"model": "old"}, {"model": "x"}, {"model": ["old.1"]}]})),
        ["model-old /items/*/model", "model-old-1 /items/*/model"]
    );
    for other in [
        "olds", "Old", " old", "old ", "xold-2", "old.2", "", "old.1x", "OLD-2",
    ] {
        assert_eq!(used(json!({"model": other})), [""; 0], "{other}");
    }
    for other in [
        json!({"old": "model"}),
        json!({"messages": [{"content": "model old"}, {"model": "old"}]}),
        json!({"metadata": {"model": "old"}}),
        json!({"Model": "old"}),
        json!({"model": {"id": "old"}}),
        json!({"model": [{"id": "old"}]}),
        json!("{\"model\": \"old"),
    ] {
        assert_eq!(used(other.clone()), [""; 0], "{other}");
    }
    let elsewhere = json!({"method": "POST", "url": "/b", "request": {"body": {"model": "old"}}});
    assert_eq!(found(&table, &elsewhere), [""; 0]);
    let answer = json!({"method": "POST", "url": "/a", "response": {"body": {"model": "old"}}});
    assert_eq!(found(&table, &answer), ["model-old /model"]);
}

#[test]
fn several_values_in_one_list_are_several_findings() {
    let rules = MODELS.replace(
        "field = 'model'\nat = ['$.model', '$.models', '$.items[*].model']",
        "field = 'models'",
    );
    let table = table(&format!(
        "{rules}[[rule]]\nid = 'any'\noperation = 'POST /a'\nfield = 'models'\n"
    ));
    let used = |models: Value| found(&table, &body(&json!({"models": models})));
    assert_eq!(
        used(json!(["x", "old.1", "old", "old-2a", "old-2b", "old"])),
        [
            "model-old /models",
            "model-old-1 /models",
            "model-old-2 /models"
        ]
    );
    assert_eq!(used(json!(["x", "y"])), ["any /models"]);
    assert_eq!(used(json!("old")), ["model-old /models"]);
}

const PATHS: &str = "
[[rule]]
id = 'path-model'
operation = 'POST /v1/models/{model}:run'
also = [{ operation = 'POST /deploy/{group}/{model}/run' }, { operation = 'POST /arn/x%3A{region}%3A%3A{model}/run' }, { operation = '* /any/{model}/**' }]
segment = 'model'
values = ['old', 'org/old', 'old:1']
";

#[test]
fn a_segment_is_compared_where_the_template_has_the_variable() {
    let table = table(PATHS);
    for url in [
        "/v1/models/old:run",
        "/v1/models/old%3Arun",
        "/v1/models/%6fld:run?x=1#y",
        "https://h.test/v1/models/old:run/",
        "/deploy/g/old/run",
        "/deploy/old/old/run",
        "/arn/x:eu::old/run",
        "/arn/x%3Aeu%3A%3Aold/run",
        "/any/old",
        "/any/old/b/c",
    ] {
        assert_eq!(found(&table, &call(url)), ["path-model-old"], "{url}");
    }
    assert_eq!(
        found(&table, &call("/v1/models/org%2Fold:run")),
        ["path-model-org-old"]
    );
    assert_eq!(
        found(&table, &call("/v1/models/old:1:run")),
        ["path-model-old-1"]
    );
    for url in [
        "/v1/models/old",
        "/v1/models/old:runs",
        "/v1/models/old:RUN",
        "/v1/models/Old:run",
        "/v1/models/older:run",
        "/v1/models/xold:run",
        "/v1/models/x:run?model=old",
        "/v1/models/old/run",
        "/v1/models/org/old:run",
        "/deploy/old/x/run",
        "/deploy/g/x/old",
        "/arn/x:eu:old/run",
        "/arn/x:old::x/run",
        "/any/x/old",
        "/v1/models/{model}:run",
        "/v2/models/old:run",
    ] {
        assert_eq!(found(&table, &call(url)), [""; 0], "{url}");
    }
}

#[test]
fn a_segment_is_found_behind_base_paths_and_proxies() {
    let rules = "base_path = '/v1'\nhosts = ['api.test']\n[[rule]]\nid = 'm'\noperation = 'POST /v1/models/{model}:run'\nsegment = 'model'\nvalue = 'old'\n";
    let table = table(rules);
    for url in [
        "https://api.test/v1/models/old:run",
        "https://api.test/proxy/v1/models/old:run",
        "{{base}}/v1/models/old:run",
    ] {
        assert_eq!(found(&table, &call(url)), ["m"], "{url}");
    }
    assert_eq!(
        found(&table, &call("https://other.test/v1/models/old:run")),
        [""; 0]
    );
}

const VERSIONS: &str = include_str!("../../testdata/schemas/versions.toml");

#[test]
fn versions_are_compared_in_their_form_and_have_their_own_ids() {
    let table = table(VERSIONS);
    let header = |version: &str| json!({"method": "GET", "url": "/x", "request": {"headers": {"api-version": version}}});
    assert_eq!(
        found(&table, &call("/admin/2024-01/x")),
        ["path-version-2024-01"]
    );
    assert_eq!(
        found(&table, &call("/x?api-version=2024-09-30-preview")),
        ["query-version-2024-09-30-preview"]
    );
    assert_eq!(found(&table, &header("v2.10")), ["header-version"]);
    for version in ["v19.0", "v20.0", "19.0", "v18", "v18.0.1", "secret"] {
        assert_eq!(found(&table, &header(version)), [""; 0], "{version}");
    }
    for url in [
        "/admin/2026-10/x",
        "/admin/2027-01/x",
        "/admin/2027-02-30/x",
        "/admin/unstable/x",
        "/admin/2024-01-01/x",
        "/admin/2024-13/x",
        "/x/2024-01/x",
        "/x?api-version=2024-10-01-preview",
        "/x?api-version=2024-09-30",
        "/x?api-version=2025-01-01-preview",
    ] {
        assert_eq!(found(&table, &call(url)), [""; 0], "{url}");
    }
}

const CONDITIONS: &str = "
[[rule]]
id = 'ingress'
operation = 'POST /a'
field = 'apiVersion'
value = 'extensions/v1beta1'
when = { field = 'kind', value = 'Ingress' }
[[rule]]
id = 'deployment'
operation = 'POST /a'
field = 'apiVersion'
value = 'extensions/v1beta1'
when = { field = 'kind', values = ['Deployment', 'DaemonSet'] }
[[rule]]
id = 'temperature'
operation = 'POST /a'
field = 'temperature'
at = ['$.temperature', '$.config.temperature']
when = [{ at = '$.model', starts_with = 'o' }, { at = '$.meta.mode', values = ['x', true, 1] }]
";

#[test]
fn a_condition_is_about_a_member_of_the_same_object_or_at_a_path() {
    let table = table(CONDITIONS);
    let used = |value: Value| found(&table, &body(&value));
    let object = |kind: &str| json!({"apiVersion": "extensions/v1beta1", "kind": kind});
    assert_eq!(used(object("Ingress")), ["ingress /apiVersion"]);
    assert_eq!(used(object("DaemonSet")), ["deployment /apiVersion"]);
    assert_eq!(
        used(json!({"kind": "Ingress", "apiVersion": "extensions/v1beta1"})),
        ["ingress /apiVersion"]
    );
    assert_eq!(
        used(
            json!({"kind": "List", "apiVersion": "v1", "items": [object("Pod"), object("Deployment"), {"spec": object("Ingress")}]})
        ),
        [
            "deployment /items/*/apiVersion",
            "ingress /items/*/spec/apiVersion"
        ]
    );
    for other in [
        object("Pod"),
        object("ingress"),
        object(""),
        json!({"apiVersion": "extensions/v1beta1"}),
        json!({"apiVersion": "extensions/v1beta1", "kind": {"kind": "Ingress"}}),
        json!({"kind": "Ingress", "spec": {"apiVersion": "extensions/v1beta1"}}),
        json!({"apiVersion": "extensions/v1beta1", "spec": {"kind": "Ingress"}}),
        json!([{"kind": "Ingress"}, {"apiVersion": "extensions/v1beta1"}]),
        json!({"apiVersion": "networking/v1", "kind": "Ingress"}),
    ] {
        assert_eq!(used(other.clone()), [""; 0], "{other}");
    }
    let set = |model: &str, mode: Value| json!({"temperature": 1, "config": {"temperature": 2}, "model": model, "meta": {"mode": mode}});
    for mode in [json!("x"), json!(true), json!(1), json!(["y", "x"])] {
        assert_eq!(
            used(set("o1", mode)),
            [
                "temperature /config/temperature",
                "temperature /temperature"
            ]
        );
    }
    for other in [
        set("x", json!("x")),
        set("o1", json!("y")),
        set("o1", json!(null)),
        json!({"temperature": 1, "config": {"model": "o1"}, "meta": {"mode": "x"}}),
    ] {
        assert_eq!(used(other.clone()), [""; 0], "{other}");
    }
}

#[test]
fn of_members_with_one_name_the_last_decides_a_condition() {
    let table = table(CONDITIONS);
    let line = |kinds: [&str; 2]| {
        format!(
            "{{\"method\":\"POST\",\"url\":\"/a\",\"request\":{{\"body\":{{\"kind\":\"{}\",\"apiVersion\":\"extensions/v1beta1\",\"kind\":\"{}\"}}}}}}",
            kinds[0], kinds[1]
        )
    };
    let count = |kinds| {
        check_bytes(line(kinds).as_bytes(), None, &table)
            .findings
            .len()
    };
    assert_eq!(
        [count(["Pod", "Ingress"]), count(["Ingress", "Pod"])],
        [1, 0]
    );
}

#[test]
fn conditions_of_many_members_are_decided() {
    let table = table(CONDITIONS);
    let member = "\"apiVersion\":\"extensions/v1beta1\",";
    let deep = format!(
        "{}\"kind\":1{}",
        format!("{{{member}\"a\":").repeat(200) + "{",
        "}".repeat(201)
    );
    let wide = format!("{{{}\"kind\":\"Ingress\"}}", member.repeat(20_000));
    for (text, uses) in [(deep, 0), (wide, 20_000)] {
        let line =
            format!("{{\"method\":\"POST\",\"url\":\"/a\",\"request\":{{\"body\":{text}}}}}");
        let report = check_bytes(line.as_bytes(), None, &table);
        assert_eq!((report.skipped.len(), report.findings.len()), (0, uses));
    }
}

#[test]
fn a_table_that_is_restricted_to_a_rule_has_no_version_of_another() {
    use sundown_lint::rules::{Grade, Severity};
    let other = "[[rule]]\nid = 'other'\noperation = 'GET /other'\n";
    let mut table = table(&format!("{VERSIONS}{other}"));
    table.set_grade("path-version-2024-01", Grade::Always(Severity::Error));
    table.focus_on("other");
    let on: Vec<_> = table
        .rules()
        .iter()
        .filter(|rule| !rule.is_off())
        .map(|rule| &*rule.id)
        .collect();
    assert_eq!(on, ["other"]);
}
