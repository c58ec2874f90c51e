//! The ids of imported rules. They are derived from operation and element, so that the same list gives the same ids.

use std::collections::HashSet;

use crate::rules::{Announcement, Element, ElementPart};
use sundown_exchange::{Method, OperationPattern, PatternSegment};

/// Converts a text to lower-case words joined by `-`: `searchSessionSatisfaction` becomes `search-session-satisfaction`.
///
/// Words consist of ASCII letters and digits; any other character separates them. A text without words gives an empty id.
pub(super) fn kebab(text: &str) -> String {
    let mut words = String::new();
    let characters: Vec<char> = text.chars().collect();
    for (at, &character) in characters.iter().enumerate() {
        if !character.is_ascii_alphanumeric() {
            if !words.is_empty() && !words.ends_with('-') {
                words.push('-');
            }
            continue;
        }
        let before = at.checked_sub(1).and_then(|before| characters.get(before));
        let after = characters.get(at + 1);
        let begins_word = character.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || before.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase)
            });
        if begins_word && !words.is_empty() && !words.ends_with('-') {
            words.push('-');
        }
        words.push(character.to_ascii_lowercase());
    }
    words.truncate(words.trim_end_matches('-').len());
    words
}

/// Assigns an id to each announcement.
///
/// An id from the list takes precedence over derived ids, and the first entry with an id keeps it. If several entries are
/// about one element, the ids of all but the first include their replacements.
pub(super) fn assign(announcements: &[&Announcement]) -> Vec<String> {
    let mut used: HashSet<String> = HashSet::new();
    let given: Vec<Option<String>> = announcements
        .iter()
        .map(|announcement| announcement.id.clone().filter(|id| used.insert(id.clone())))
        .collect();
    let mut seen = HashSet::new();
    let assigned = given
        .into_iter()
        .zip(announcements)
        .map(|(given, announcement)| {
            let is_second = !seen.insert(announcement.key());
            given.unwrap_or_else(|| {
                let mut element = element(&announcement.element);
                let replacement = announcement.facts.replacement.as_deref().map(kebab);
                if let Some(replacement) =
                    replacement.filter(|words| is_second && !words.is_empty())
                {
                    element = format!("{element}-{replacement}");
                }
                let id = derive_id(announcement, element, &used);
                used.insert(id.clone());
                id
            })
        });
    assigned.collect()
}

/// Derives an id: the first unused one of the element after the last path segment, after more segments, after the method
/// too, and with a number at the end.
fn derive_id(announcement: &Announcement, element: String, used: &HashSet<String>) -> String {
    let operation = announcement.site.operation();
    let literals: Vec<String> = operation.map(literals).unwrap_or_default();
    let method = operation
        .and_then(|operation| operation.method.as_ref())
        .map_or("any", Method::as_str)
        .to_lowercase();
    let given = announcement.id.as_deref();
    let mut longest = element;
    let mut candidates = Vec::new();
    for literal in literals.iter().rev() {
        // An id that is given for several operations is extended by each of them, not replaced.
        candidates.push(match given {
            Some(given) => format!("{given}-{literal}"),
            None => format!("{literal}-{longest}"),
        });
        longest = format!("{literal}-{longest}");
    }
    let longest = match (operation, given) {
        // The id of a property is already derived from its location, so there is no shorter one.
        (None, Some(given)) => given.to_owned(),
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
    operation
        .segments
        .iter()
        .filter_map(|segment| match segment {
            PatternSegment::Literal(text) => Some(kebab(text)).filter(|text| !text.is_empty()),
            _ => None,
        })
        .collect()
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
    use crate::rules::{AnnouncedFacts, AnnouncementSite};

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

    fn field(id: Option<&str>, operation: &str, name: &str) -> Announcement {
        Announcement {
            id: id.map(str::to_owned),
            site: AnnouncementSite::Operation(OperationPattern::parse(operation).unwrap()),
            element: Element::field(name),
            facts: AnnouncedFacts::default(),
        }
    }

    fn ids(announcements: &[Announcement]) -> Vec<String> {
        assign(&announcements.iter().collect::<Vec<_>>())
    }

    #[test]
    fn ids_are_distinguished_by_more_of_the_operation() {
        let list = [
            field(None, "GET /v1/orders/{id}", "total"),
            field(None, "GET /v2/orders/{id}", "total"),
            field(None, "GET /v2/orders", "total"),
            field(None, "POST /v2/orders", "total"),
            field(None, "POST /v2/orders", "total"),
            field(None, "* /{id}", "名前"),
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
        let mut second = field(None, "GET /v1/orders", "total");
        second.facts.replacement = Some("amount.grossValue".to_owned());
        let list = [field(None, "GET /v1/orders", "total"), second];
        assert_eq!(
            ids(&list),
            ["orders-total", "orders-total-amount-gross-value"]
        );
    }

    #[test]
    fn given_ids_come_first() {
        let list = [
            field(None, "GET /v1/orders", "total"),
            field(Some("orders-total"), "GET /v1/carts", "x"),
            field(Some("orders-total"), "GET /v1/lists", "x"),
        ];
        assert_eq!(
            ids(&list),
            ["v1-orders-total", "orders-total", "orders-total-lists"]
        );
    }
}
