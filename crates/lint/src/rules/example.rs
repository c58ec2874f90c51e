//! Examples of rules: a body that uses the element, and the same body without it.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};

use super::{ElementPart, Rule, ValueTest};
use sundown_selector::Selector;
use sundown_selector::automaton::SegmentTest;

/// Two small texts, before and after the migration. Those of fields are JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleExample {
    /// A text that uses the deprecated element.
    pub before: String,
    /// The text without it.
    pub after: String,
}

/// The characters that are encoded in the value of a query parameter.
const NOT_IN_QUERY: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b':');

/// The characters that are encoded in a segment of a path.
const NOT_IN_PATH: AsciiSet = NOT_IN_QUERY.remove(b'@').remove(b'$').remove(b'!');

/// Replaces a value in an example.
const MASKED: &str = "\"…\"";

impl Rule {
    /// Makes an example from a place in the announced operation, or else from any place, and from the replacement.
    pub fn example(&self) -> RuleExample {
        let first = self.places.first().map(|place| &place.operation);
        let operation = self.announced.as_ref().or(first);
        let operation = operation.map(ToString::to_string).unwrap_or_default();
        let no_call = "(no call)".to_owned();
        let value = self.example_value();
        let (before, after) = match &self.element.part {
            ElementPart::Endpoint => (operation, no_call),
            ElementPart::Parameter(name) => match value {
                None => (format!("{operation}?{name}=…"), operation),
                Some(value) => {
                    let with = |value: &str| {
                        format!("{operation}?{name}={}", encode(value, &NOT_IN_QUERY))
                    };
                    let (before, after) = (with(&value), self.new_value().map(with));
                    (before, after.unwrap_or(operation))
                }
            },
            ElementPart::Segment(name) => {
                let variable = format!("{{{name}}}");
                let with =
                    |value: &str| operation.replacen(&variable, &encode(value, &NOT_IN_PATH), 1);
                let after = self.new_value().map(with);
                (with(&value.unwrap_or_default()), after.unwrap_or(no_call))
            }
            ElementPart::Header(name) => {
                let after = match value {
                    None => self.new_name().map(|name| format!("{name}: …")),
                    Some(_) => self.new_value().map(|value| format!("{name}: {value}")),
                };
                let value = value.unwrap_or_else(|| "…".to_owned());
                (format!("{name}: {value}"), after.unwrap_or_default())
            }
            ElementPart::Field(name) => self.field_example(name, value),
        };
        RuleExample { before, after }
    }

    /// The objects with a field, before and after the migration.
    fn field_example(&self, name: &str, value: Option<String>) -> (String, String) {
        let steps = self.closest().map(sketch).unwrap_or_default();
        let (value, after) = match value {
            None => {
                let new = self
                    .new_name()
                    .map(|new| new.split('.').collect::<Vec<_>>());
                (MASKED.to_owned(), new.map(|names| member(&names, MASKED)))
            }
            // The replacement of a value is another value of the same member.
            Some(value) => (
                string(&value),
                self.new_value().map(|new| member(&[name], &string(new))),
            ),
        };
        let before = nest(&steps, &member(&[name], &value));
        (before, nest(&steps, &after.unwrap_or_default()))
    }

    /// A deprecated value, if not all are.
    fn example_value(&self) -> Option<String> {
        self.element.value.as_ref().map(ValueTest::example)
    }

    /// The selector in the announced operation with the most names in it, or else that of any operation.
    fn closest(&self) -> Option<&Selector> {
        let selectors = self.places.iter().flat_map(|place| {
            let announced = self.announced.as_ref();
            let is_announced =
                announced.is_some_and(|announced| announced.is_same(&place.operation));
            let selectors = place.selectors.iter();
            selectors.map(move |selector| (selector, is_announced))
        });
        // Reversed, so that the first among equals wins: rules name their main place first.
        let closest = selectors.rev().max_by_key(|(selector, is_announced)| {
            let names = sketch(selector).into_iter().flatten();
            (*is_announced, names.count())
        });
        closest.map(|(selector, _)| selector)
    }

    /// The replacement of a value, if it is one, and not a sentence.
    fn new_value(&self) -> Option<&str> {
        self.replacement.as_deref().filter(|new| !new.contains(' '))
    }

    /// The replacement, if it is the name of a member, and not a type or a sentence.
    fn new_name(&self) -> Option<&str> {
        self.replacement.as_deref().filter(|name| {
            name.starts_with(|first: char| first.is_ascii_lowercase())
                && name
                    .chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-'))
        })
    }
}

/// The steps to the object that contains the field, without `..` and wildcards for members: to a member of a name, or an element.
fn sketch(selector: &Selector) -> Vec<Option<&str>> {
    let segments = selector.segments();
    let above = &segments[..segments.len().saturating_sub(1)];
    let tests = above.iter().filter_map(|segment| segment.tests.first());
    let names = tests.map(|test| match test {
        SegmentTest::Name(name) => Some(&**name),
        SegmentTest::Index(_) | SegmentTest::Wildcard | SegmentTest::Condition(_) => None,
    });
    names.collect()
}

fn encode(value: &str, set: &'static AsciiSet) -> String {
    percent_encoding::utf8_percent_encode(value, set).to_string()
}

/// A text as a JSON string.
fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// `"a": { "b": … }` for the names `a` and `b`.
fn member(names: &[&str], value: &str) -> String {
    match names {
        [] => value.to_owned(),
        [last] => format!("{}: {value}", string(last)),
        [first, rest @ ..] => format!("{}: {}", string(first), object(&member(rest, value))),
    }
}

fn object(members: &str) -> String {
    if members.is_empty() {
        "{}".to_owned()
    } else {
        format!("{{ {members} }}")
    }
}

/// The object with these members, nested in the objects and lists along the steps.
fn nest(steps: &[Option<&str>], members: &str) -> String {
    steps
        .iter()
        .rev()
        .fold(object(members), |inner, step| match step {
            Some(name) => object(&format!("{}: {inner}", string(name))),
            None => format!("[{inner}]"),
        })
}

#[cfg(test)]
mod tests {
    use super::super::RuleFile;

    fn example(rule: &str) -> (String, String) {
        let text =
            format!("api = 'SegmentTest'\n[[rule]]\nid = 'x'\noperation = 'POST /v1/x'\n{rule}");
        let example = RuleFile::parse("test", &text).unwrap().rules[0].example();
        (example.before, example.after)
    }

    #[test]
    fn a_field_is_shown_in_its_most_specific_place() {
        let rule = "field = 'old'\nat = ['$.old', '$..list[*].item.old']\nreplacement = 'new.name'";
        let (before, after) = example(rule);
        assert_eq!(before, r#"{ "list": [{ "item": { "old": "…" } }] }"#);
        assert_eq!(
            after,
            r#"{ "list": [{ "item": { "new": { "name": "…" } } }] }"#
        );
    }

    #[test]
    fn without_a_member_to_use_instead_the_field_is_gone() {
        for replacement in [
            "",
            "replacement = 'ChannelInfo'",
            "replacement = 'something else entirely'",
        ] {
            let (before, after) = example(&format!("field = 'old'\n{replacement}"));
            assert_eq!(
                (before.as_str(), after.as_str()),
                (r#"{ "old": "…" }"#, "{}")
            );
        }
    }

    #[test]
    fn endpoints_parameters_and_values_have_examples() {
        assert_eq!(example(""), ("POST /v1/x".into(), "(no call)".into()));
        assert_eq!(
            example("parameter = 'page'"),
            ("POST /v1/x?page=…".into(), "POST /v1/x".into())
        );
        assert_eq!(
            example("field = 'kind'\nvalue = 'OLD'").0,
            r#"{ "kind": "OLD" }"#
        );
        let (before, after) = example("field = 'ki\"nd'\nvalue = 'OLD'\nreplacement = 'new'");
        assert_eq!(before, r#"{ "ki\"nd": "OLD" }"#);
        assert_eq!(after, r#"{ "ki\"nd": "new" }"#);
    }
}
