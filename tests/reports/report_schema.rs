//! `sundown schema report` describes each member of the JSON report.

use serde_json::{Map, Value, json};

use crate::reports;
use crate::support::{Desk, repository};

fn schema() -> Value {
    let ran = Desk::new().run(&["schema", "report"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

/// Calls `each` with every schema of an object, and its place.
fn for_each_object(
    value: &mut Value,
    place: &str,
    each: &mut dyn FnMut(&str, &mut Map<String, Value>),
) {
    match value {
        Value::Object(members) => {
            for (key, value) in members.iter_mut() {
                for_each_object(value, &format!("{place}/{key}"), each);
            }
            if members.get("properties").is_some_and(Value::is_object)
                && members.contains_key("type")
            {
                each(place, members);
            }
        }
        Value::Array(values) => {
            for value in values {
                for_each_object(value, place, each);
            }
        }
        _ => {}
    }
}

/// Reports of many kinds: of the recordings, with everything that is suppressed, announced, declared, shown or unread.
fn documents() -> Vec<Value> {
    let testdata = repository("testdata");
    let in_testdata = |path: &str| testdata.join(path).to_str().unwrap().to_owned();
    let config = "baseline = 'baseline.json'\n[[allow]]\nrule = 'thing'\nreason = 'known'\nuntil = 2027-01-01\n\
        [[allow]]\nrule = 'getdocumentcount-endpoint'\nreason = 'old'\nuntil = 2026-01-01\n";
    let glean = json!({"X-Glean-Deprecated": "name=citations;kind=field;schema=M;removal=2027-01-01", "Deprecation": "@1767225600"});
    let announced =
        json!({"method": "POST", "url": "/rest/api/v1/chat", "response": {"headers": glean}});
    // More elements inside a finding than it keeps.
    let answers = vec![json!({"answer": {"boardId": 1}}); 150];
    let many = json!({"method": "POST", "url": "/rest/api/v1/listanswers", "response": {"body": {"answerResults": answers}}});
    let desk = reports::desk()
        .with("sundown.toml", config)
        .with("announced.ndjson", announced.to_string())
        .with("many.ndjson", many.to_string());
    desk.run(&["baseline", "app.ndjson"]);
    let (captures, descriptions) = (in_testdata("captures"), in_testdata("descriptions"));
    let runs: [&[&str]; 8] = [
        &[".", "--rules", "things.toml", "--no-builtin-rules=false"],
        &[
            ".",
            "--rules",
            "things.toml",
            "--no-builtin-rules=false",
            "--no-config",
            "--show-values",
            "--as-of",
            "2026-10-01",
        ],
        &["app.ndjson", "none.ndjson", "--no-baseline"],
        &["announced.ndjson"],
        &["many.ndjson", "--no-config"],
        &[&captures, "--no-config", "--as-of", "2026-11-20"],
        &[
            &captures,
            "--no-config",
            "--as-of",
            "2026-09-20",
            "--show-values",
        ],
        &[&descriptions, "--no-config"],
    ];
    let document = |run: &&[&str]| {
        let ran = desk.run(&[&["check", "--format", "json"], *run].concat());
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{run:?}: {}", ran.stderr))
    };
    let documents: Vec<Value> = runs.iter().map(document).collect();
    assert!(
        documents
            .iter()
            .any(|report| report["findings"][0]["related_incomplete"] == true)
    );
    documents
}

#[test]
fn every_report_fits_the_schema_and_has_no_other_member() {
    let mut schema = schema();
    for_each_object(&mut schema, "", &mut |_, object| {
        object.entry("additionalProperties").or_insert(false.into());
    });
    let validator = jsonschema::draft202012::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap();
    let mut findings = 0;
    for document in documents() {
        findings += document["findings"].as_array().unwrap().len();
        let errors: Vec<_> = validator
            .iter_errors(&document)
            .take(5)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
    assert!(findings > 100, "{findings}");
}

#[test]
fn every_member_is_described() {
    let mut schema = schema();
    let definitions = schema["$defs"].clone();
    for_each_object(&mut schema, "", &mut |place, object| {
        for (name, member) in object["properties"].as_object().unwrap() {
            let reference = member["$ref"]
                .as_str()
                .and_then(|reference| reference.strip_prefix("#/$defs/"));
            let described = reference.map_or(member, |name| &definitions[name]);
            let text = described["description"].as_str().unwrap_or_default();
            assert!(text.ends_with('.'), "{place}: {name}");
        }
    });
}
