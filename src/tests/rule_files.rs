//! The limits of filters in rules files, and their JSON Schema.

use serde_json::{Value, json};
use sundown_lint::rules::{RULES_SCHEMA, RuleFile, RuleSet};
use sundown_report::LocatedFinding;

use super::accounting::files;
use super::support::{check_bytes, repository};

/// A value of TOML as editors validate it: a date is its text.
fn as_json(value: &toml::Value) -> Value {
    match value {
        toml::Value::Datetime(date) => json!(date.to_string()),
        toml::Value::Array(items) => items.iter().map(as_json).collect(),
        toml::Value::Table(table) => {
            let members = table
                .iter()
                .map(|(key, value)| (key.clone(), as_json(value)));
            Value::Object(members.collect())
        }
        other => serde_json::to_value(other).unwrap(),
    }
}

/// The texts of all rules files of the repository, with those of cases.
fn texts_of_rules() -> Vec<String> {
    let folders = ["rules", "docs", "testdata"].map(|folder| files(&repository(folder)));
    let paths = folders.into_iter().flatten();
    let mut texts = Vec::new();
    for path in paths.filter(|path| path.extension().is_some_and(|ending| ending == "toml")) {
        // Some cases are about files that are not text.
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        if path.ends_with("case.toml") {
            let case: toml::Table = text.parse().unwrap();
            let files = case.get("files").and_then(toml::Value::as_table);
            let files = files.into_iter().flatten();
            texts.extend(files.filter_map(|(_, file)| file.as_str().map(str::to_owned)));
        } else {
            texts.push(text);
        }
    }
    texts.retain(|text| RuleFile::parse("test", text).is_ok());
    texts
}

#[test]
fn the_schema_accepts_every_rules_file_that_the_program_accepts() {
    let schema = serde_json::from_str(RULES_SCHEMA).unwrap();
    let validator = jsonschema::draft7::new(&schema).unwrap();
    let texts = texts_of_rules();
    assert!(texts.len() > 300, "{}", texts.len());
    for text in texts {
        let file: toml::Table = text.parse().unwrap();
        let file = as_json(&toml::Value::Table(file));
        let mistakes: Vec<_> = validator
            .iter_errors(&file)
            .map(|it| it.to_string())
            .collect();
        assert!(mistakes.is_empty(), "{mistakes:?}\n{text}");
    }
}

#[test]
fn the_program_knows_every_key_of_the_schema() {
    let schema: Value = serde_json::from_str(RULES_SCHEMA).unwrap();
    for (table, entry) in [("rule", "id = 'a'"), ("requirement", "id = 'a'")] {
        let keys = &schema["properties"][table]["items"]["properties"];
        for key in keys.as_object().unwrap().keys().filter(|key| *key != "id") {
            let text = format!("api = 'a'\n[[{table}]]\n{entry}\n{key} = 1\n");
            let mistakes = RuleFile::parse("test", &text).unwrap_err().mistakes;
            let is_unknown = |text: &str| text.starts_with("unknown key");
            assert!(!mistakes.iter().any(|it| is_unknown(&it.message)), "{key}");
        }
    }
}

#[test]
fn what_filters_cannot_check_is_reported() {
    let rules = r#"
api = "Shop"
[[rule]]
id = "filtered"
operation = "POST /a"
field = "x"
at = ["$[?@..k].x"]
[[rule]]
id = "simple"
operation = "POST /a"
field = "y"
"#;
    let table = RuleSet::new(vec![RuleFile::parse("test", rules).unwrap()]).unwrap();
    let check = |body: &str| {
        let body = serde_json::to_string(body).unwrap();
        let traffic = format!(r#"{{"method":"POST","url":"/a","body":{body}}}"#);
        let report = check_bytes(traffic.as_bytes(), None, &table);
        let line = |placed: &LocatedFinding| {
            let found = &placed.finding.found;
            let (rule, side) = (&placed.finding.rule.id, found.part.name());
            format!("{rule} {side} {}", found.pointer.as_ref().unwrap().exact)
        };
        let lines: Vec<_> = report.findings.iter().map(line).collect();
        let reasons: Vec<_> = report
            .skipped
            .iter()
            .map(|skipped| skipped.reason.name())
            .collect();
        (lines, reasons)
    };
    let nested = |levels: usize| {
        let (open, close) = ("[".repeat(levels - 3), "]".repeat(levels - 3));
        format!(r#"{{"o":{{"x":1,"y":2,"deep":{open}{{"k":1}}{close}}}}}"#)
    };
    let both = vec![
        "filtered request /o/x".to_owned(),
        "simple request /o/y".to_owned(),
    ];
    let simple = vec!["simple request /o/y".to_owned()];
    assert_eq!(check(&nested(500)), (both, vec![]));
    assert_eq!(
        check(&nested(501)),
        (simple.clone(), vec!["too-deep-for-filters"])
    );
    let cut = nested(9);
    assert_eq!(check(&cut[..cut.len() - 1]), (simple, vec!["truncated"]));
}
