//! The code that made a call, as OpenTelemetry records it in the attributes of spans and log records (semantic conventions, "Code
//! attributes" and "Test attributes"), or the test that its record names.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::code_location::CodeLocation;
use super::words::WORDS;
use sundown_text_json::json::{Document, MAX_DOCUMENT_DEPTH, Node, ValueKind};

/// The names of attributes, first the stable ones, then those before version 1.33 of the conventions.
const FILE: [&str; 2] = ["code.file.path", "code.filepath"];
const LINE: [&str; 2] = ["code.line.number", "code.lineno"];
const COLUMN: [&str; 2] = ["code.column.number", "code.column"];
const FUNCTION: [&str; 2] = ["code.function.name", "code.function"];

/// The name of the class or module of a function, which the stable name of the function contains.
const NAMESPACE: &str = "code.namespace";

/// The names of a test in attributes: of OpenTelemetry and of Datadog.
const TEST: [&str; 2] = ["test.case.name", "test.name"];

/// The names of a suite of tests in attributes.
const SUITE: [&str; 2] = ["test.suite.name", "test.suite"];

/// Whether a record may have such attributes.
fn may_have_code(record: &[u8]) -> bool {
    static MARKS: LazyLock<[Finder<'static>; 6]> = LazyLock::new(|| {
        let marks = [
            "code.",
            "\"code\"",
            "\"test",
            "_TEST\"",
            "TestName\"",
            "\"nodeid\"",
        ];
        marks.map(Finder::new)
    });
    MARKS.iter().any(|mark| mark.find(record).is_some())
}

/// The place in code that the attributes of a record name, or else the test; `None` without either.
pub(super) fn code_of_record(record: &[u8]) -> Option<CodeLocation> {
    if !may_have_code(record) {
        return None;
    }
    let document = Document::parse_json(record, MAX_DOCUMENT_DEPTH).ok()?;
    let root = document.root();
    let holders = WORDS
        .attribute_holders
        .iter()
        .filter_map(|name| member(root, name));
    let holders: Vec<_> = holders.chain([root]).collect();
    let find = |names: &[&str]| {
        holders
            .iter()
            .find_map(|&holder| names.iter().find_map(|name| attribute(holder, name)))
    };
    let text = |names: &[&str]| find(names)?.as_str();
    let number = |names: &[&str]| {
        let node = find(names)?;
        // OTLP's JSON writes 64-bit numbers as strings.
        let number = node.as_i64().or_else(|| node.as_str()?.parse().ok())?;
        u32::try_from(number).ok().filter(|&number| number > 0)
    };
    let Some(file) = text(&FILE) else {
        let mut ids = WORDS.tests.iter();
        let place = ids.find_map(|name| CodeLocation::of_test(text(&[name.as_str()])?));
        return place.or_else(|| {
            let case = text(&TEST)?;
            Some(CodeLocation::new(text(&SUITE).unwrap_or(case))?.in_function(case))
        });
    };
    let place = CodeLocation::new(file)?;
    let function = text(&FUNCTION).unwrap_or_default();
    let function = match text(&[NAMESPACE]) {
        Some(namespace) if !function.is_empty() && !function.starts_with(namespace) => {
            format!("{namespace}.{function}")
        }
        _ => function.to_owned(),
    };
    let line = number(&LINE);
    let column = line.and_then(|_| number(&COLUMN));
    Some(CodeLocation {
        line,
        column,
        ..place.in_function(&function)
    })
}

/// The value of an attribute: in a list of keys and values, or in an object with dots in names, levels instead of dots, or both.
fn attribute<'t>(holder: Node<'t>, name: &str) -> Option<Node<'t>> {
    if holder.kind() != ValueKind::Array {
        return member(holder, name).filter(|node| node.kind() != ValueKind::Object);
    }
    let value = holder
        .children()
        .find(|entry| entry.get("key").and_then(Node::as_str) == Some(name))?
        .get("value")?;
    // `{"stringValue": "…"}`, `{"intValue": "7"}`
    if value.kind() == ValueKind::Object {
        value.children().next()
    } else {
        Some(value)
    }
}

/// The member with this name, whose dots may be levels.
fn member<'t>(object: Node<'t>, name: &str) -> Option<Node<'t>> {
    object.get(name).or_else(|| {
        name.match_indices('.')
            .find_map(|(dot, _)| member(object.get(name.get(..dot)?)?, name.get(dot + 1..)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(record: &str) -> Option<String> {
        let place = code_of_record(record.as_bytes())?;
        let CodeLocation {
            file,
            line,
            column,
            function,
        } = place;
        Some(format!("{file} {line:?} {column:?} {function:?}"))
    }

    #[test]
    fn attributes_are_found_in_all_notations() {
        let all = Some(r#"/srv/a.py Some(7) Some(3) Some("orders.send")"#.to_owned());
        for record in [
            r#"{"attributes":{"code.file.path":"/srv/a.py","code.line.number":7,"code.column.number":3,"code.function.name":"orders.send"}}"#,
            r#"{"attributes":[{"key":"code.filepath","value":{"stringValue":"/srv/a.py"}},{"key":"code.lineno","value":{"intValue":"7"}},{"key":"code.column","value":{"intValue":3}},{"key":"code.namespace","value":{"stringValue":"orders"}},{"key":"code.function","value":{"stringValue":"send"}}]}"#,
            r#"{"code":{"file":{"path":"/srv/a.py"},"line":{"number":7},"column.number":3,"function.name":"orders.send"}}"#,
            r#"{"attributes":{"attributes":{"code":{"filepath":"/srv/a.py","lineno":"7","column":"3","function":"send","namespace":"orders"}}}}"#,
            r#"{"tags":[{"key":"code.filepath","type":"string","value":"/srv/a.py"},{"key":"code.lineno","value":7},{"key":"code.column","value":3},{"key":"code.function","value":"orders.send"}]}"#,
        ] {
            assert_eq!(describe(record), all, "{record}");
        }
    }

    #[test]
    fn tests_are_found_by_the_names_that_their_runners_give_them() {
        for (record, place) in [
            (
                r#"{"PYTEST_CURRENT_TEST":"tests/test_a.py::TestA::test_b[secret] (call)"}"#,
                Some(r#"tests/test_a.py None None Some("TestA › test_b")"#),
            ),
            (
                r#"{"attributes":{"test":"[chromium] › e2e/a.spec.ts:12:5 › orders › has a total"}}"#,
                Some(r#"e2e/a.spec.ts Some(12) None Some("orders › has a total")"#),
            ),
            (
                r#"{"attributes":[{"key":"test.case.name","value":{"stringValue":"b"}},{"key":"test.suite.name","value":{"stringValue":"A"}}]}"#,
                Some(r#"A None None Some("b")"#),
            ),
            (r#"{"test.name":"b"}"#, Some(r#"b None None Some("b")"#)),
            (r#"{"test":"sk-live-123"}"#, None),
            (r#"{"test_name":"a > b"}"#, None),
            (r#"{"test":true,"nodeid":7}"#, None),
        ] {
            assert_eq!(describe(record).as_deref(), place, "{record}");
        }
    }

    #[test]
    fn without_a_file_there_is_no_place() {
        for record in [
            "",
            "{",
            "[]",
            r#"{"attributes":{"code.function":"send","code.lineno":7}}"#,
            r#"{"status":{"code":200},"attributes":null}"#,
            r#"{"attributes":{"code.filepath":7}}"#,
            r#"{"attributes":{"code.filepath":{"stringValue":"a.py"}}}"#,
            r#"{"attributes":[{"key":"code.filepath"},7,{"key":"code.filepath","value":{}}]}"#,
        ] {
            assert_eq!(describe(record), None, "{record}");
        }
        let without_line =
            r#"{"attributes":{"code.filepath":"a.py","code.lineno":-7,"code.column":3}}"#;
        assert_eq!(describe(without_line).unwrap(), "a.py None None None");
    }
}
