//! The ids of imported rules. They are derived from operation and element, so that the same list gives the same ids.

use std::collections::HashSet;
use std::hash::Hash;

use crate::rules::{Element, ElementPart, Rule};
use sundown_exchange::{Method, OperationPattern, PatternSegment};

/// Converts a text to lower-case words joined by `-`: `searchSessionSatisfaction` becomes `search-session-satisfaction`.
///
/// Words consist of ASCII letters and digits; any other character separates them. A text without words gives an empty id.
pub(super) fn kebab(text: &str) -> String {
    let mut words = String::new();
    let characters: Vec<char> = text.chars().collect();
    for (at, &character) in characters.iter().enumerate() {
        let is_sign = !character.is_ascii_alphanumeric();
        let before = at.checked_sub(1).and_then(|before| characters.get(before));
        let after = characters.get(at + 1);
        let begins_word = character.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || before.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase)
            });
        if (is_sign || begins_word) && !words.is_empty() && !words.ends_with('-') {
            words.push('-');
        }
        if !is_sign {
            words.push(character.to_ascii_lowercase());
        }
    }
    words.truncate(words.trim_end_matches('-').len());
    words
}

/// The identity of what an entry is about: its operation or schema, and the element.
pub(super) fn subject(rule: &Rule) -> impl Eq + Hash + use<'_> {
    (operation(rule), &rule.schema, &rule.element)
}

/// The identity of an entry's operation. The names of path variables do not matter.
pub(super) fn operation(rule: &Rule) -> impl Eq + Hash + use<'_> {
    let operation = rule.announced.as_ref();
    operation.map(|operation| (&operation.method, &operation.segments))
}

/// Assigns an id to each entry.
///
/// An id from the list takes precedence over derived ids, and the first entry with an id keeps it. If several entries are
/// about one element, the ids of all but the first include their replacements.
pub(super) fn assign(rules: &[&Rule]) -> Vec<String> {
    let mut used: HashSet<String> = HashSet::new();
    let given: Vec<Option<String>> = rules
        .iter()
        .map(|rule| given(rule).filter(|id| used.insert(id.clone())))
        .collect();
    let mut seen = HashSet::new();
    let assigned = given.into_iter().zip(rules).map(|(given, rule)| {
        let is_second = !seen.insert(subject(rule));
        given.unwrap_or_else(|| {
            let mut element = element(&rule.element);
            let replacement = rule.replacement.as_deref().map(kebab);
            if let Some(replacement) = replacement.filter(|words| is_second && !words.is_empty()) {
                element = format!("{element}-{replacement}");
            }
            let id = derive_id(rule, element, &used);
            used.insert(id.clone());
            id
        })
    });
    assigned.collect()
}

/// The id that the list gives an entry.
fn given(rule: &Rule) -> Option<String> {
    Some(rule.id.clone()).filter(|id| !id.is_empty())
}

/// Derives an id: the first unused one of the element after the last path segment, after more segments, after the method
/// too, and with a number at the end.
fn derive_id(rule: &Rule, element: String, used: &HashSet<String>) -> String {
    let operation = rule.announced.as_ref();
    let literals: Vec<String> = operation.map(literals).unwrap_or_default();
    let method = operation
        .and_then(|operation| operation.method.as_ref())
        .map_or("any", Method::as_str)
        .to_lowercase();
    let given = given(rule);
    let mut longest = element;
    let mut candidates = Vec::new();
    for literal in literals.iter().rev() {
        // An id that is given for several operations is extended by each of them, not replaced.
        candidates.push(match &given {
            Some(given) => format!("{given}-{literal}"),
            None => format!("{literal}-{longest}"),
        });
        longest = format!("{literal}-{longest}");
    }
    let longest = match (operation, given) {
        // The id of a property is already derived from its location, so there is no shorter one.
        (None, Some(given)) => given,
        _ => format!("{method}-{longest}"),
    };
    candidates.push(longest.clone());
    let numbered = (2u64..).map(|number| format!("{longest}-{number}"));
    candidates
        .into_iter()
        .chain(numbered)
        .find(|id| !used.contains(id))
        .unwrap_or(longest)
}

fn literals(operation: &OperationPattern) -> Vec<String> {
    let literals = operation
        .segments
        .iter()
        .filter_map(PatternSegment::literal);
    let words = literals.map(kebab).filter(|words| !words.is_empty());
    words.collect()
}

fn element(element: &Element) -> String {
    let part = match &element.part {
        ElementPart::Endpoint => "endpoint".to_owned(),
        ElementPart::Field(name) => words(element, name),
        ElementPart::Parameter(name) => format!("{}-parameter", words(element, name)),
        // Ids do not depend on how a list writes the name.
        ElementPart::Header(name) => {
            format!("{}-header", words(element, &name.to_ascii_lowercase()))
        }
        ElementPart::Segment(name) => format!("{}-segment", words(element, name)),
    };
    match &element.value {
        Some(value) => format!("{part}-{}", words(element, &value.to_string())),
        None => part,
    }
}

/// The words of a name; those of its kind if the name has none.
fn words(element: &Element, name: &str) -> String {
    let words = kebab(name);
    if words.is_empty() {
        element.kind().to_owned()
    } else {
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words() {
        for (name, words) in [
            ("searchSessionSatisfaction", "search-session-satisfaction"),
            ("boardId", "board-id"),
            ("URLPath", "url-path"),
            ("v2Total", "v2-total"),
            ("X-Old__Header", "x-old-header"),
            ("a.b c", "a-b-c"),
            ("名前", ""),
            ("-", ""),
            ("naïve", "na-ve"),
        ] {
            assert_eq!(kebab(name), words, "{name}");
            assert_eq!(kebab(words), words, "{name}: an id stays unchanged");
        }
    }

    #[test]
    fn the_id_of_a_header_field_does_not_depend_on_its_spelling() {
        for name in ["X-RequestID", "x-requestid"] {
            assert_eq!(element(&Element::header(name)), "x-requestid-header");
        }
    }

    fn field(id: &str, operation: &str, name: &str) -> Rule {
        Rule {
            announced: OperationPattern::parse(operation).ok(),
            ..Rule::new(id.to_owned(), Element::field(name))
        }
    }

    fn ids(rules: &[Rule]) -> Vec<String> {
        assign(&rules.iter().collect::<Vec<_>>())
    }

    #[test]
    fn ids_are_distinguished_by_more_of_the_operation() {
        let list = [
            field("", "GET /v1/orders/{id}", "total"),
            field("", "GET /v2/orders/{id}", "total"),
            field("", "GET /v2/orders", "total"),
            field("", "POST /v2/orders", "total"),
            field("", "POST /v2/orders", "total"),
            field("", "* /{id}", "名前"),
        ];
        let expected = [
            "orders-total",
            "v2-orders-total",
            "get-v2-orders-total",
            "post-v2-orders-total",
            "post-v2-orders-total-2",
            "any-field",
        ];
        assert_eq!(ids(&list), expected);
    }

    #[test]
    fn second_entries_are_distinguished_by_their_replacement() {
        let mut second = field("", "GET /v1/orders", "total");
        second.replacement = Some("amount.grossValue".to_owned());
        let list = [field("", "GET /v1/orders", "total"), second];
        assert_eq!(
            ids(&list),
            ["orders-total", "orders-total-amount-gross-value"]
        );
    }

    #[test]
    fn given_ids_come_first() {
        let list = [
            field("", "GET /v1/orders", "total"),
            field("orders-total", "GET /v1/carts", "x"),
            field("orders-total", "GET /v1/lists", "x"),
        ];
        assert_eq!(
            ids(&list),
            ["v1-orders-total", "orders-total", "orders-total-lists"]
        );
    }
}
