//! Published lists into rules files: what is read, and what is refused.

use std::collections::BTreeSet;

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::support::{builtin, processor_time, text};
use sundown_exchange::Side;
use sundown_lint::rules::lists::ListFormat;
use sundown_lint::rules::lists::import::{Imported, new_table};
use sundown_lint::rules::{Rule, RuleFile, Sides};

/// Operation, element's name, replacement, note, removal date.
type Row = (
    String,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
);

fn row(rule: &Rule) -> Row {
    (
        rule.announced
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default(),
        rule.element.name().map(str::to_owned),
        rule.replacement.clone(),
        rule.note.clone(),
        rule.removal.map(|date| date.to_string()),
    )
}

/// The rules that a list makes, by way of the rules file.
fn rules(format: ListFormat, list: &str) -> Vec<Rule> {
    let imported =
        Imported::read(format, "list", list).unwrap_or_else(|error| panic!("{:?}", error.mistakes));
    let (table, _) = new_table(&imported, "Shop").unwrap();
    RuleFile::parse("list", &table)
        .unwrap_or_else(|error| panic!("{table}\n{:?}", error.mistakes))
        .rules
}

#[test]
fn the_published_list_gives_the_built_in_tables() {
    let list = text("testdata/deprecation-list.md");
    let imported = rules(ListFormat::Markdown, &list);
    let table = builtin();
    let ours = table.rules().iter();
    let ours: BTreeSet<Row> = ours
        .filter(|rule| table.file(rule.file).name != "beyond-reference")
        .map(|rule| row(rule))
        .collect();
    assert_eq!((imported.len(), ours.len()), (28, 28));
    assert_eq!(imported.iter().map(row).collect::<BTreeSet<_>>(), ours);
}

#[test]
fn the_models_of_litellm_are_values_of_model_in_requests() {
    let list = json!({
        "sample_spec": {"litellm_provider": "one of many", "deprecation_date": "when the model ends"},
        "gpt-4-0613": {"litellm_provider": "openai", "deprecation_date": "2026-10-23", "mode": "chat"},
        "azure/gpt-4-0613": {"litellm_provider": "azure", "deprecation_date": "2025-06-06"},
        "gpt-6": {"litellm_provider": "openai"},
        "gpt-7": {"litellm_provider": "openai", "deprecation_date": null},
    });
    let rules = rules(ListFormat::Json, &list.to_string());
    let found: Vec<_> = rules
        .iter()
        .map(|rule| {
            let place = &rule.places[0];
            assert_eq!(place.operation.to_string(), "POST /**");
            assert_eq!(place.sides, Sides::Only(Side::Request));
            assert_eq!(place.selectors[0].text(), "$.model");
            let day = rule.removal.unwrap().to_string();
            (rule.element.exact_value().unwrap().to_owned(), day)
        })
        .collect();
    let expected = [
        ("gpt-4-0613", "2026-10-23"),
        ("azure/gpt-4-0613", "2025-06-06"),
    ];
    let mut expected = expected.map(|(id, day)| (id.to_owned(), day.to_owned()));
    expected.sort();
    let mut found = found;
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn a_day_of_litellm_that_is_no_text_is_a_mistake() {
    for day in [
        json!({"day": "2026-10-23"}),
        json!(["2026-10-23"]),
        json!(20_261_023),
    ] {
        let list = json!({"gpt-4": {"litellm_provider": "openai", "deprecation_date": day}});
        let error = Imported::read(ListFormat::Json, "list", &list.to_string()).unwrap_err();
        let mistake = &error.mistakes[0];
        assert_eq!(mistake.message, "`deprecation_date` is no text");
        let written = list.to_string();
        assert_eq!(written[mistake.span.clone()], day.to_string());
    }
}

#[test]
fn a_list_in_an_unknown_form_leads_to_the_keys_of_the_known_ones() {
    let error = Imported::read(ListFormat::Json, "list", r#"{"models": []}"#).unwrap_err();
    let help = error.mistakes[0].help.clone().unwrap();
    for key in [
        "endpoints",
        "deprecations",
        "litellm_provider",
        "deprecation_date",
    ] {
        assert!(help.contains(key), "{help}");
    }
}

/// Five entries in each of the three formats.
const MARKDOWN: &str = include_str!("../../testdata/lists/orders.md");

const CSV: &str = include_str!("../../testdata/lists/orders.csv");

const JSON: &str = include_str!("../../testdata/lists/orders.json");

#[test]
fn the_same_list_in_any_format_gives_the_same_rules() {
    let imported = |format, list| {
        let imported = Imported::read(format, "list", list).unwrap();
        assert_eq!(imported.remarks, [], "nothing is left out");
        let (table, remarks) = new_table(&imported, "Shop").unwrap();
        assert_eq!(remarks, []);
        table
    };
    let table = imported(ListFormat::Markdown, MARKDOWN);
    assert_snapshot!(table);
    assert_eq!(imported(ListFormat::Csv, CSV), table);
    assert_eq!(imported(ListFormat::Json, JSON), table);
}

#[test]
fn a_sentence_that_names_one_word_to_use_names_the_replacement() {
    let list = r#"{"endpoints": [{"method": "POST", "path": "/v1/chat", "deprecations": [
        {"type": "field", "name": "a", "message": "The field a is deprecated. Use b.c instead."},
        {"type": "field", "name": "b", "message": "Use the other field instead."}]}]}"#;
    let replacements: Vec<_> = rules(ListFormat::Json, list)
        .into_iter()
        .map(|rule| (rule.replacement, rule.note.is_some()))
        .collect();
    assert_eq!(replacements, [(Some("b.c".to_owned()), true), (None, true)]);
}

#[test]
fn hostile_names_are_written_unchanged() {
    let name = "a\"\"\"'\\\n\r\u{1b}[31m\u{202e}é]";
    let quoted = serde_json::to_string(name).unwrap();
    let json = format!(
        r#"{{"endpoints": [{{"method": "POST", "path": "/v1/x", "deprecations": [
            {{"type": "field", "name": {quoted}, "replacement": {quoted}, "docs": {quoted}}},
            {{"type": "field", "name": "x"}}]}}]}}"#
    );
    let csv = format!(
        "operation,name,replacement\nPOST /v1/x,\"{0}\",\"{0}\"\n",
        name.replace('"', "\"\"")
    );
    for (format, list) in [(ListFormat::Json, &json), (ListFormat::Csv, &csv)] {
        let rules = rules(format, list);
        assert_eq!(rules[0].element.name(), Some(name));
        assert_eq!(rules[0].replacement.as_deref(), Some(name));
        assert_eq!(rules[0].id, "x-a-31m-e".replace("-e", ""));
    }
}

#[test]
fn large_and_odd_lists_are_read_in_linear_time() {
    let many = 60_000;
    let members: Vec<_> = (0..many)
        .map(|number| format!("\"k{number}\": 1,"))
        .collect();
    let json = format!("{{{}\"endpoints\": []}}", members.concat());
    let header = "| Operation | Item | Replacement or note | Removal date |\n|-|-|-|-|\n";
    let marks = format!(
        "{header}| GET /x | whole endpoint | {} ) | |\n",
        "`(` (".repeat(many)
    );
    let pipes = format!("{header}{}{}\n", " ".repeat(many), "|".repeat(many));
    let start = processor_time();
    for (format, list) in [
        (ListFormat::Json, json),
        (ListFormat::Markdown, marks),
        (ListFormat::Markdown, pipes),
    ] {
        // It need not be a list here.
        let _ = Imported::read(format, "list", &list);
    }
    let used = processor_time().saturating_sub(start);
    assert!(used.as_secs() < 20, "{used:?}");
}

#[test]
fn ids_of_a_list_are_kept_and_others_are_derived() {
    let ids = |list: &str| {
        rules(ListFormat::Csv, list)
            .into_iter()
            .map(|rule| rule.id)
            .collect::<Vec<_>>()
    };
    let list = "id,operation,name\n,GET /v1/orders,boardId\nboard,GET /v1/orders,other\n,GET /v2/orders,boardId\n";
    assert_eq!(
        ids(list),
        ["orders-board-id", "board", "v2-orders-board-id"]
    );
}

/// The rules file of a list is read back as what the list says.
#[test]
fn rules_round_trip_to_their_entries() {
    let imported = Imported::read(ListFormat::Json, "list", JSON).unwrap();
    let rules = rules(ListFormat::Json, JSON);
    let all = |rule: &Rule| {
        (
            row(rule),
            rule.element.clone(),
            rule.introduced,
            rule.docs.clone(),
        )
    };
    let read: Vec<_> = imported
        .entries
        .iter()
        .map(|entry| all(&entry.rule))
        .collect();
    assert_eq!(rules.iter().map(all).collect::<Vec<_>>(), read);
}

/// Texts of hostile lists: what other tools write, what controls a terminal, what is empty, long, or no text of its column.
fn hostile_text() -> impl Strategy<Value = String> {
    let known = proptest::sample::select(vec![
        "",
        " ",
        "-",
        "a",
        "a.b",
        "$..a",
        "$['a']",
        "{id}",
        ":id",
        "<int:id>",
        "{a}{b}",
        "{",
        "}",
        "*",
        "**",
        "[a",
        "\u{0}",
        "\u{1b}[2J",
        "\u{202e}",
        "\r\n",
        "\"\"\"",
        "''",
        "\\",
        "\u{85}",
        "\u{7f}",
        "\u{feff}",
        "2027-01-15",
        "0000-01-01",
        "9999-12-31",
        "endpoint",
        "field",
        "parameter",
        "header",
        "segment",
        "enum-value",
        "X-Old",
        "X Old",
        "é",
        "1",
        "2027-02-30",
    ]);
    let long = (1usize..3).prop_map(|times| "long-".repeat(times * 1000));
    prop_oneof![6 => known.prop_map(str::to_owned), 1 => any::<String>(), 1 => long]
}

/// Operations, most of which are one.
fn hostile_operation() -> impl Strategy<Value = (String, String)> {
    let method = proptest::sample::select(vec!["GET", "POST", "*", "get", "FOO", "G T", ""]);
    let parts = proptest::collection::vec(hostile_text(), 0..3);
    (method, parts, any::<bool>()).prop_map(|(method, parts, is_plain)| {
        let path = if is_plain {
            "/v1/x/{id}".to_owned()
        } else {
            format!("/{}", parts.join("/"))
        };
        (method.to_owned(), path)
    })
}

/// Entries of a list, by column.
fn hostile_entries() -> impl Strategy<Value = Vec<Value>> {
    let kind = proptest::sample::select(vec![
        "",
        "endpoint",
        "field",
        "parameter",
        "header",
        "segment",
        "enum-value",
    ]);
    let cells = proptest::array::uniform6(hostile_text());
    let dates = proptest::array::uniform2(proptest::sample::select(vec![
        "",
        "2027-01-15",
        "2026-01-15",
        "0000-01-01",
        "9999-12-31",
        "-001-01-01",
    ]));
    let entry = (hostile_operation(), kind, cells, dates).prop_map(|((method, path), kind, cells, dates)| {
        let [id, name, value, replacement, note, docs] = cells;
        let [introduced, removal] = dates;
        json!({
            "method": method, "path": path, "operation": format!("{method} {path}"), "type": kind,
            "id": id, "name": name, "value": value, "replacement": replacement, "note": note,
            "message": note, "docs": docs, "introduced": introduced, "removal": removal,
        })
    });
    proptest::collection::vec(entry, 1..5)
}

/// The same entries as a list in each format.
fn hostile_lists(entries: &[Value]) -> Vec<(ListFormat, String)> {
    let columns = [
        "id",
        "operation",
        "type",
        "name",
        "value",
        "replacement",
        "note",
        "introduced",
        "removal",
        "docs",
    ];
    let (mut csv, mut markdown) = (columns.join(","), format!("|{}|\n|", columns.join("|")));
    markdown += &"---|".repeat(columns.len());
    for entry in entries {
        let cell = |column: &&str| entry[*column].as_str().unwrap().to_owned();
        let cells: Vec<String> = columns.iter().map(cell).collect();
        let quoted = cells
            .iter()
            .map(|cell| format!("\"{}\"", cell.replace('"', "\"\"")));
        csv.push('\n');
        csv += &quoted.collect::<Vec<_>>().join(",");
        let escaped = cells
            .iter()
            .map(|cell| cell.replace('|', "\\|").replace(['\n', '\r'], " "));
        markdown = markdown + "\n|" + &escaped.collect::<Vec<_>>().join("|") + "|";
    }
    let endpoints: Vec<_> = entries
        .iter()
        .map(|entry| json!({"method": entry["method"], "path": entry["path"], "deprecations": [entry]}))
        .collect();
    vec![
        (ListFormat::Csv, csv),
        (ListFormat::Markdown, markdown),
        (
            ListFormat::Json,
            json!({ "endpoints": endpoints }).to_string(),
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn an_imported_rules_file_is_always_accepted(entries in hostile_entries(), api in hostile_text()) {
        for (format, list) in hostile_lists(&entries) {
            let Ok(imported) = Imported::read(format, "list", &list) else { continue };
            match new_table(&imported, &api) {
                Ok((table, _)) => {
                    let read = RuleFile::parse("list", &table);
                    prop_assert!(read.is_ok(), "{format:?}\n{table}\n{:?}", read.unwrap_err().mistakes);
                }
                Err(refused) => prop_assert!(!refused.is_empty(), "{list}"),
            }
        }
    }
}
