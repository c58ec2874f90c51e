//! Which rule is reported, and how often, if several rules or several operations of a rule match.

use serde_json::{Value, json};

use crate::support::{Desk, Ran, text};

/// Runs a check of these calls with rules files `a.toml`, `b.toml` and so on, and further arguments.
fn check(files: &[&str], calls: &[Value], arguments: &[&str]) -> (Desk, Ran) {
    let lines: Vec<_> = calls.iter().map(|call| format!("{call}\n")).collect();
    let mut desk = Desk::new().with("log.ndjson", lines.concat());
    let names: Vec<_> = ('a'..)
        .map(|name| format!("{name}.toml"))
        .take(files.len())
        .collect();
    let mut all = vec![
        "check",
        "log.ndjson",
        "--no-builtin-rules",
        "--format",
        "json",
    ];
    all.extend(arguments);
    for (name, rules) in names.iter().zip(files) {
        desk = desk.with(name, rules);
        all.extend(["--rules", name]);
    }
    let ran = desk.run(&all);
    (desk, ran)
}

/// The rules of the findings, each as often as it was seen, with their operations.
fn found(ran: &Ran) -> Vec<String> {
    let report: Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    let findings = report["findings"].as_array().unwrap().iter();
    let one = |finding: &Value| {
        let text = |name: &str| finding[name].as_str().unwrap_or_default().to_owned();
        let line = format!("{} {}", text("rule"), text("operation"));
        vec![line; usize::try_from(finding["seen"].as_u64().unwrap_or(1)).unwrap()]
    };
    let mut found: Vec<_> = findings.flat_map(one).collect();
    found.sort();
    found
}

const OVERLAPPING: &str = "api = 'A'
[[rule]]
id = 'patterns'
also = [{ operation = '* /a' }, { operation = '* /a/**' }]
[[rule]]
id = 'template'
operation = 'GET /b'
also = [{ operation = 'GET /b/**' }]
[[rule]]
id = 'parameter'
parameter = 'p'
also = [{ operation = '* /a' }, { operation = '* /a/**' }]
[[rule]]
id = 'version'
segment = 'v'
before = 'v9.0'
also = [{ operation = '* /{v}/c' }, { operation = '* /{v}/**' }]
[[rule]]
id = 'field'
field = 'f'
also = [{ operation = '* /a' }, { operation = '* /a/**', at = ['$.f'] }]
";

#[test]
fn a_rule_of_which_several_operations_match_is_one_finding_and_one_element() {
    let body = json!({"body": {"f": 1}});
    let calls = [
        json!({"method": "GET", "url": "/a?p=1", "request": body}),
        json!({"method": "GET", "url": "/b"}),
        json!({"method": "GET", "url": "/v1.0/c"}),
    ];
    let (desk, ran) = check(&[OVERLAPPING], &calls, &[]);
    // The parameter and the field are inside of the deprecated operation.
    let expected = ["patterns * /a", "template GET /b", "version * /{v}/c"];
    assert_eq!(found(&ran), expected, "{}", ran.stdout);
    let arguments = [
        "usage",
        "log.ndjson",
        "--no-builtin-rules",
        "--rules",
        "a.toml",
        "--format",
        "json",
    ];
    let usage: Value = serde_json::from_str(&desk.run(&arguments).stdout).unwrap();
    let used = usage["elements"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["uses"] != json!(0));
    let name = |one: &Value| {
        let [rule, operation] = ["rule", "operation"].map(|key| one[key].as_str().unwrap());
        format!("{rule} {operation} {}", one["uses"])
    };
    let mut used: Vec<_> = used.map(name).collect();
    used.sort();
    let expected = [
        "field * /a 1",
        "parameter * /a 1",
        "patterns * /a 1",
        "template GET /b 1",
        "version * /{v}/c 1",
    ];
    assert_eq!(used, expected, "{usage:#}");
}

const VALUES: &str = "api = 'A'
[[rule]]
id = 'any'
operation = 'GET /q'
parameter = 'v'
[[rule]]
id = 'exact'
operation = 'GET /q'
parameter = 'v'
value = 'ab'
[[rule]]
id = 'beginning'
operation = 'GET /q'
parameter = 'v'
starts_with = 'a'
[[rule]]
id = 'h-any'
operation = 'GET /h'
header = 'V'
[[rule]]
id = 'h-exact'
operation = 'GET /h'
header = 'v'
value = 'ab'
[[rule]]
id = 's-exact'
also = [{ operation = '* /{v}/s' }]
segment = 'v'
value = 'v1.0'
[[rule]]
id = 's-before'
also = [{ operation = '* /{other}/**' }]
segment = 'other'
before = 'v2.0'
";

#[test]
fn the_most_specific_value_of_a_parameter_a_header_field_or_a_segment_wins() {
    let of = |call: Value| found(&check(&[VALUES], &[call], &[]).1);
    let get = |url: &str| of(json!({"method": "GET", "url": url}));
    assert_eq!(get("/q?v=ab"), ["exact GET /q"]);
    assert_eq!(get("/q?v=ac"), ["beginning GET /q"]);
    assert_eq!(get("/q?v=x"), ["any GET /q"]);
    assert_eq!(get("/q?v"), ["any GET /q"]);
    // Each occurrence is a key.
    assert_eq!(
        get("/q?v=ab&v=x&v=ab&v=ac"),
        ["any GET /q", "beginning GET /q", "exact GET /q"]
    );
    let header = |value: Value| {
        of(json!({"method": "GET", "url": "/h", "request": {"headers": {"v": value}}}))
    };
    assert_eq!(header(json!("ab")), ["h-exact GET /h"]);
    assert_eq!(header(json!("x")), ["h-any GET /h"]);
    assert_eq!(get("/v1.0/s"), ["s-exact * /{v}/s"]);
    assert_eq!(get("/v1.1/s"), ["s-before * /{other}/**"]);
}

/// A rules file about the value `x` of `model`, an operation and a parameter, whose ids begin with `name`.
fn facts(name: &str, header: &str, removal: &str) -> String {
    let rule = |id: &str, keys: &str| format!("[[rule]]\nid = '{name}-{id}'\n{keys}\n{removal}\n");
    [
        format!("api = '{name}'\n{header}\n"),
        rule(
            "model",
            "operation = 'POST /a'\nfield = 'model'\nat = ['$.model']\nvalue = 'x'",
        ),
        rule("end", "operation = 'POST /b'"),
        rule("parameter", "operation = 'GET /c'\nparameter = 'p'"),
    ]
    .concat()
}

#[test]
fn contradicting_rules_of_two_files_are_noted() {
    let calls = [json!({"method": "POST", "url": "/a", "request": {"body": {"model": "x"}}})];
    let one = facts("one", "", "removal = 2027-01-31");
    let two = facts("two", "", "removal = 2028-01-31");
    let (_, ran) = check(&[&one, &two], &calls, &[]);
    assert_eq!(found(&ran), ["one-model POST /a"]);
    let note = "note: `one-model` (2027-01-31) of a.toml and `two-model` (2028-01-31) of b.toml are about the same element, and so in 2 other cases: remove one of them\n";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    // A rule that is only possible contradicts none, and hides no contradiction of others.
    let possible = facts("possible", "", "possible = true");
    let (_, ran) = check(&[&possible, &one, &two], &calls, &[]);
    let note = note.replace("b.toml", "c.toml").replace("a.toml", "b.toml");
    assert!(
        ran.stderr.contains(&note) && ran.stderr.matches("note: ").count() == 1,
        "{}",
        ran.stderr
    );
    for other in [
        facts("two", "", "removal = 2027-01-31"),
        facts("two", "hosts = ['h.test']", "removal = 2028-01-31"),
    ] {
        let one = facts("one", "hosts = ['other.test']", "removal = 2027-01-31");
        let (_, ran) = check(&[&one, &other], &calls, &[]);
        assert!(!ran.stderr.contains("note: "), "{}", ran.stderr);
    }
}

#[test]
fn the_users_rule_replaces_that_of_a_pack() {
    let pack: toml::Table = toml::from_str(&text("rules/packs/llm-models/openai.toml")).unwrap();
    let is_of_models = |rule: &&toml::Value| rule["id"].as_str() == Some("openai-model");
    let rule = pack["rule"].as_array().unwrap().iter().find(is_of_models);
    let value = rule.unwrap()["values"][0]["value"].as_str().unwrap();
    let host = pack["hosts"][0].as_str().unwrap();
    let operation = "POST /v1/chat/completions";
    let own = format!(
        "api = 'Own'\nhosts = ['{host}']\n[[rule]]\nid = 'zz-own'\noperation = '{operation}'\nfield = 'model'\nat = ['$.model']\nvalue = '{value}'\nremoval = 2099-12-31\n",
    );
    let url = format!("https://{host}/v1/chat/completions");
    let call = json!({"method": "POST", "url": url, "request": {"body": {"model": value}}});
    let (desk, ran) = check(&[&own], &[call], &["--pack", "llm-models"]);
    assert_eq!(
        found(&ran),
        [format!("zz-own {operation}")],
        "{}",
        ran.stdout
    );
    let note = format!("and `openai-model-{value}` (");
    assert!(
        ran.stderr.contains("note: `zz-own` (2099-12-31) of a.toml"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains(&note) && ran.stderr.contains("a.toml has precedence"),
        "{}",
        ran.stderr
    );
    // The replaced rule is no element of its own.
    let usage = desk.run(&[
        "usage",
        "log.ndjson",
        "--no-builtin-rules",
        "--rules",
        "a.toml",
        "--pack",
        "llm-models",
        "--format",
        "json",
    ]);
    let usage: Value = serde_json::from_str(&usage.stdout).unwrap();
    let has = |id: &str| {
        let mut elements = usage["elements"].as_array().unwrap().iter();
        elements.any(|one| one["rule"] == json!(id) && one["operation"] == json!(operation))
    };
    assert_eq!(
        [has("zz-own"), has(&format!("openai-model-{value}"))],
        [true, false]
    );
}

#[test]
fn a_mark_without_a_date_hides_no_rule_with_one() {
    let description = |sunset: &str| {
        let schema = format!("{{properties: {{model: {{deprecated: true{sunset}}}}}}}");
        let body = format!("{{content: {{application/json: {{schema: {schema}}}}}}}");
        format!(
            "openapi: 3.1.0
paths:
  /a: {{post: {{requestBody: {body}, responses: {{}}}}}}
  /c: {{get: {{deprecated: true{sunset}, responses: {{}}}}}}
"
        )
    };
    let rules = "api = 'A'
[[rule]]
id = 'model'
operation = 'POST /a'
field = 'model'
at = ['$.model']
removal = 2026-01-31
[[rule]]
id = 'end'
operation = 'GET /c'
removal = 2026-01-31
";
    let calls = [
        json!({"method": "POST", "url": "/a", "request": {"body": {"model": "x"}}}),
        json!({"method": "GET", "url": "/c"}),
    ];
    let found = |sunset: &str| {
        let (desk, _) = check(&[rules], &calls, &[]);
        let arguments = [
            "check",
            "log.ndjson",
            "--no-builtin-rules",
            "--format",
            "json",
        ];
        let files = ["--rules", "a.toml", "--rules", "d.yaml"];
        let ran = desk
            .with("d.yaml", description(sunset))
            .run(&[&arguments[..], &files].concat());
        assert!(!ran.stderr.contains("same element"), "{}", ran.stderr);
        found(&ran)
    };
    assert_eq!(found(""), ["end GET /c", "model POST /a"]);
    let dated = found(", x-sunset: 2026-01-31");
    assert_ne!(
        dated[0], "model POST /a",
        "a place that a schema locates is more specific"
    );
    assert_eq!(dated[1..], ["end GET /c", "get-c GET /c"]);
}
