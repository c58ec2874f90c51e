//! Rules in other formats: what is written can be read, by ourselves and by anybody else.

use proptest::prelude::*;

use super::support::{builtin, date};
use sundown_exchange::OperationPattern;
use sundown_lint::rules::lists::ListFormat;
use sundown_lint::rules::lists::export::export;
use sundown_lint::rules::lists::import::{Imported, ImportedEntry, new_table};
use sundown_lint::rules::{Element, ElementPart, Rule, RuleFile, RuleSet, ValueTest};
use sundown_text_json::text::Location;

/// Text that every format must carry: quotes, separators, line ends, escapes, letters of all kinds.
fn hostile() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        any::<String>(),
        "[a\"',;\\\\\n\r\t|`=+@é\u{1b}\u{202e}-]{1,8}"
    ];
    text.prop_filter("a text that says something", |text| !text.trim().is_empty())
}

/// Text that stays what it is in a table of Markdown.
fn tame() -> impl Strategy<Value = String> {
    "[ab\\\\*_<>\\[\\]&~é@#]([ab|\\\\*_<>\\[\\]&~é@# `.;,]{0,6}[ab|\\\\*_<>\\[\\]&~é])?"
        .prop_filter("a command to a build service is escaped", |text| {
            !text.contains("##")
        })
}

fn rules(
    text: BoxedStrategy<String>,
    name: BoxedStrategy<String>,
) -> impl Strategy<Value = Vec<Rule>> {
    let operation = prop::sample::select(
        &[
            "GET /a",
            "POST /a/{id}",
            "POST /a/b",
            "* /c/d",
            "DELETE /it's/{x}/*",
            "GET /x/**",
        ][..],
    );
    let element = (0..5u8, name.clone(), name).prop_map(|(kind, name, value)| match kind {
        0 => Element {
            part: ElementPart::Endpoint,
            value: None,
        },
        1 => Element::field(name),
        2 => Element {
            value: Some(ValueTest::Exact(value)),
            ..Element::field(name)
        },
        3 => Element::parameter(name),
        _ => Element::header(name.to_ascii_lowercase()),
    });
    let day = || {
        prop::option::of((2020..2040i32, 1..13u32, 1..29u32)).prop_map(|day| {
            day.map(|(year, month, day)| date(&format!("{year}-{month:02}-{day:02}")))
        })
    };
    let some = move || prop::option::of(text.clone());
    let facts = (some(), some(), day(), day(), some()).prop_map(
        |(replacement, note, introduced, removal, docs)| Rule {
            replacement,
            note,
            introduced,
            removal,
            docs,
            ..Rule::default()
        },
    );
    prop::collection::vec((operation, element, facts), 1..6).prop_map(|all| {
        let announce = |(number, (operation, element, facts))| Rule {
            id: format!("r{number}"),
            announced: OperationPattern::parse(operation).ok(),
            element,
            ..facts
        };
        all.into_iter().enumerate().map(announce).collect()
    })
}

fn hostile_list() -> impl Strategy<Value = Vec<Rule>> {
    rules(hostile().boxed(), hostile().boxed())
}

fn imported(rules: &[Rule]) -> Imported {
    let entry = |rule: &Rule| ImportedEntry {
        rule: rule.clone(),
        location: Location::START,
    };
    let entries = rules.iter().map(entry).collect();
    let (name, remarks) = ("list".to_owned(), Vec::new());
    Imported {
        name,
        description: None,
        entries,
        remarks,
    }
}

/// The list as a rules file.
fn file(rules: &[Rule]) -> String {
    new_table(&imported(rules), "Shop").unwrap().0
}

/// All that rules have, for comparisons.
fn shown(rules: &[Rule]) -> Vec<String> {
    rules.iter().map(|rule| format!("{rule:?}")).collect()
}

fn rule_set(rules: &str) -> RuleSet {
    let file = RuleFile::parse("rules", rules)
        .unwrap_or_else(|error| panic!("{rules}\n{:?}", error.mistakes));
    RuleSet::new(vec![file]).unwrap()
}

/// Written as `format` and read again.
fn round_trip(rules: &[Rule], format: ListFormat) -> Vec<Rule> {
    let text = export(format, &rule_set(&file(rules))).unwrap().text;
    let imported = Imported::read(format, "list", &text)
        .unwrap_or_else(|error| panic!("{text}\n{:?}", error.mistakes));
    assert_eq!(imported.remarks, [], "{text}");
    imported
        .entries
        .into_iter()
        .map(|entry| entry.rule)
        .collect()
}

/// In the order of a list by operations.
fn by_operation(mut rules: Vec<Rule>) -> Vec<Rule> {
    let order: Vec<_> = rules.iter().map(|rule| rule.announced.clone()).collect();
    rules.sort_by_key(|rule| order.iter().position(|one| *one == rule.announced));
    rules
}

proptest! {
    #[test]
    fn csv_round_trips(list in hostile_list()) {
        prop_assert_eq!(shown(&round_trip(&list, ListFormat::Csv)), shown(&list));
    }

    #[test]
    fn json_round_trips(list in hostile_list()) {
        let back = round_trip(&list, ListFormat::Json);
        prop_assert_eq!(shown(&back), shown(&by_operation(list)));
    }

    #[test]
    fn markdown_round_trips(
        list in rules(tame().boxed(), "[a-z|*_<> .]?[a-z|`*_<>.]{1,5}[a-z|]".boxed()),
    ) {
        let mut list = list;
        // The table has no ids, which are not for people; two rows of one element would then be a mistake.
        let mut seen = std::collections::HashSet::new();
        list.retain(|one| seen.insert((one.announced.clone(), one.element.clone())));
        for docs in list.iter_mut().filter_map(|one| one.docs.as_mut()) {
            // Text in `<>` would be a link.
            *docs = format!("https://shop.example/{docs}/x");
        }
        let mut back = round_trip(&list, ListFormat::Markdown);
        for rule in list.iter_mut().chain(&mut back) {
            rule.id.clear();
        }
        prop_assert_eq!(shown(&back), shown(&list));
    }

    #[test]
    fn any_text_is_read_as_a_list_or_refused(text in "[|\\-:a`\\\\\n\"{}\\[\\],;#()é ]{0,60}") {
        for format in ListFormat::ALL {
            if let Err(error) = Imported::read(format, "list", &text) {
                prop_assert!(error.mistakes.iter().all(|mistake| mistake.help.is_some()));
            }
        }
    }
}

#[test]
fn an_empty_value_is_distinguished_from_a_missing_one() {
    let element = Element {
        value: Some(ValueTest::Exact(String::new())),
        ..Element::field("kind")
    };
    let list = [Rule {
        announced: OperationPattern::parse("GET /a").ok(),
        ..Rule::new("r".to_owned(), element)
    }];
    for format in [ListFormat::Csv, ListFormat::Json] {
        assert_eq!(shown(&round_trip(&list, format)), shown(&list));
    }
}

#[test]
fn the_same_rules_give_the_same_bytes() {
    for format in ListFormat::ALL {
        assert_eq!(
            export(format, &builtin()),
            export(format, &builtin()),
            "{}",
            format.name()
        );
    }
}
