//! The locations of a rule for people: each once, grouped by operation and side.

use std::collections::BTreeSet;
use std::fmt;

use sundown_exchange::{OperationPattern, Side};
use sundown_lint::rules::{ElementPart, Rule, RulePlace};
use sundown_selector::Selector;

/// Operations in which the element of a rule has the same places.
#[derive(Debug)]
pub struct RuleLocations {
    /// The operations, or patterns over several.
    pub operations: Vec<String>,
    /// Whether the deprecation was announced for the operation, which is then the only one.
    pub is_announced: bool,
    /// The places; none if the element is not part of a message.
    pub places: Vec<MessagePlaces>,
}

/// Places in the messages of an operation.
#[derive(Debug, PartialEq, Eq)]
pub struct MessagePlaces {
    /// The selectors; none if the element is not a field.
    pub selectors: Vec<String>,
    /// The sides, in words.
    pub sides: &'static str,
}

/// Groups the places of a rule. The announced operation comes first.
pub(super) fn group_locations(rule: &Rule) -> Vec<RuleLocations> {
    let mut operations: Vec<&OperationPattern> = Vec::new();
    for RulePlace { operation, .. } in rule.places.iter() {
        if !operations.iter().any(|known| known.is_same(operation)) {
            operations.push(operation);
        }
    }
    let is_announced = |operation: &&OperationPattern| {
        rule.announced
            .as_ref()
            .is_some_and(|announced| announced.is_same(operation))
    };
    // Sorting keeps the order of equals.
    operations.sort_by_key(|operation| !is_announced(operation));
    let mut groups: Vec<RuleLocations> = Vec::new();
    for operation in operations {
        let places = places_in(rule, operation);
        let is_announced = is_announced(&operation);
        match groups
            .iter_mut()
            .find(|group| group.places == places && !group.is_announced)
        {
            Some(group) => group.operations.push(operation.to_string()),
            None => groups.push(RuleLocations {
                operations: vec![operation.to_string()],
                is_announced,
                places,
            }),
        }
    }
    groups
}

/// Returns the places of a rule in one operation, each once.
fn places_in(rule: &Rule, operation: &OperationPattern) -> Vec<MessagePlaces> {
    let mut by_selector: Vec<(&str, BTreeSet<Side>)> = Vec::new();
    for place in rule
        .places
        .iter()
        .filter(|place| place.operation.is_same(operation))
    {
        let sides = Side::BOTH.into_iter();
        let sides = sides.filter(|side| place.sides.contains(*side));
        for text in texts(rule, place) {
            match by_selector.iter_mut().find(|(known, _)| *known == text) {
                Some((_, known)) => known.extend(sides.clone()),
                None => by_selector.push((text, sides.clone().collect())),
            }
        }
    }
    drop_covered(rule, &mut by_selector);
    let mut places: Vec<MessagePlaces> = Vec::new();
    for (text, sides) in by_selector {
        let Some(sides) = words(&sides) else { continue };
        let selector = (!text.is_empty()).then(|| text.to_owned());
        match places.iter_mut().find(|place| place.sides == sides) {
            Some(place) => place.selectors.extend(selector),
            None => places.push(MessagePlaces {
                selectors: selector.into_iter().collect(),
                sides,
            }),
        }
    }
    places
}

/// The selectors of a place; one that is empty for a header field, and none for what is in no message.
fn texts<'r>(rule: &'r Rule, place: &'r RulePlace) -> Vec<&'r str> {
    match &rule.element.part {
        ElementPart::Endpoint | ElementPart::Parameter(_) | ElementPart::Segment(_) => Vec::new(),
        ElementPart::Header(_) => vec![""],
        ElementPart::Field(_) => place.selectors.iter().map(Selector::text).collect(),
    }
}

/// Removes what a selector of the field at any depth covers.
fn drop_covered(rule: &Rule, by_selector: &mut [(&str, BTreeSet<Side>)]) {
    let Some(field) = rule.element.field_name() else {
        return;
    };
    let anywhere = Selector::anywhere(field);
    let covering = by_selector
        .iter()
        .find(|(text, _)| *text == anywhere.text())
        .cloned();
    let Some((covering, covered)) = covering else {
        return;
    };
    for (_, sides) in by_selector.iter_mut().filter(|(text, _)| *text != covering) {
        sides.retain(|side| !covered.contains(side));
    }
}

/// Names sides; `None` if there are none.
fn words(sides: &BTreeSet<Side>) -> Option<&'static str> {
    let first = sides.first()?;
    Some(if sides.len() > 1 {
        "request and response"
    } else {
        first.name()
    })
}

/// On one line.
impl fmt::Display for MessagePlaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gap = if self.selectors.is_empty() { "" } else { " " };
        write!(f, "{}{gap}in the {}", self.selectors.join(", "), self.sides)
    }
}
