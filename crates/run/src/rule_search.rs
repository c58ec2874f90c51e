//! Finds the rules that a person means: by id, by operation, or by the name of the element.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::pages::removal;
use super::rule_list::OPTIONAL;
use sundown_exchange::{OperationPattern, PatternSegment};
use sundown_lint::rules::{ElementPart, Lifecycle, Rule, RuleSet};
use sundown_report::{Cell, Table};
use sundown_text_json::text::{escape_unsafe, most_similar};

/// What a person asks for.
struct RuleQuery<'q> {
    text: &'q str,
    /// The operation, if the text is one or a path.
    operation: Option<OperationPattern>,
}

/// Returns the rules that a text means: the rule of this id, or else all rules about an operation or an element of this name.
/// Rules that were announced for the operation come first. An id is returned once.
pub fn find_rules<'t>(table: &'t RuleSet, text: &str) -> Vec<&'t Rule> {
    if let Some(rule) = table.rule(text) {
        return vec![rule];
    }
    let query = RuleQuery::parse(text);
    let mut seen = HashSet::new();
    let of_schemas = table.ids_used_by(|operation| query.is_call_of(operation));
    let mut found: Vec<_> = table
        .rules()
        .iter()
        .map(|rule| &**rule)
        .filter(|rule| of_schemas.contains(rule.id.as_str()) || query.is_about(rule))
        .filter(|rule| seen.insert(&rule.id))
        .collect();
    found.sort_by_key(|rule| !query.is_announcement_of(rule));
    found
}

/// Returns the id, the name of an element, or the name of an operation that is most similar to a text.
pub fn nearest_rule_name<'t>(table: &'t RuleSet, text: &str) -> Option<&'t str> {
    let ids = table.rules().iter().map(|rule| rule.id.as_str());
    let elements = table.rules().iter().filter_map(|rule| rule.element.name());
    let operations = table
        .operations()
        .iter()
        .filter_map(|operation| operation.pattern.segments.iter().rev().find_map(literal));
    // The names in an id are those of elements and operations: a misspelled id is more similar to them than to itself.
    if text.contains('-') {
        return most_similar(text, ids);
    }
    most_similar(text, ids.chain(elements).chain(operations))
}

/// Lists several rules that a text may mean, a line for each.
pub fn list_matches(
    rules: &[&Rule],
    text: &str,
    lifecycle: &Lifecycle,
    width: Option<usize>,
) -> String {
    let mut page = format!("{} rules match `{}`:\n\n", rules.len(), escape_unsafe(text));
    let rows = rules.iter().map(|rule| {
        let element = rule.element.label();
        let announced = rule
            .announced
            .as_ref()
            .map(|operation| format!(", announced for {operation}"))
            .unwrap_or_default();
        let [date, left] = removal(rule, lifecycle);
        let element = format!("{element}{announced}").into();
        [Cell::from(rule.id.as_str()), date, left, element]
    });
    for line in Table::plain(4).optional(&OPTIONAL).lines(rows, width) {
        let _ = writeln!(page, "{line}");
    }
    page.push_str("\n`sundown explain ID` explains each\n");
    page
}

impl<'q> RuleQuery<'q> {
    fn parse(text: &'q str) -> Self {
        let text = text.trim();
        let path = text.starts_with('/').then(|| format!("* {text}"));
        let operation = OperationPattern::parse(path.as_deref().unwrap_or(text)).ok();
        Self { text, operation }
    }

    /// Whether a rule is about the operation or an element of this name.
    fn is_about(&self, rule: &Rule) -> bool {
        let is_named = match &rule.element.part {
            ElementPart::Endpoint => false,
            ElementPart::Header(name) => name.eq_ignore_ascii_case(self.text),
            ElementPart::Field(name)
            | ElementPart::Parameter(name)
            | ElementPart::Segment(name) => name == self.text,
        };
        let is_named =
            is_named || rule.element.exact_value() == Some(self.text) || rule.is_called(self.text);
        is_named
            || self.is_announcement_of(rule)
            || rule
                .places
                .iter()
                .any(|place| self.is_call_of(&place.operation))
    }

    fn is_announcement_of(&self, rule: &Rule) -> bool {
        rule.announced
            .as_ref()
            .is_some_and(|operation| self.is_call_of(operation))
    }

    /// Whether an operation is the one of the text: by its method and path, its path, or the last name in its path.
    fn is_call_of(&self, operation: &OperationPattern) -> bool {
        match &self.operation {
            Some(own) => own.covers(operation) || operation.covers(own),
            None => operation.segments.iter().rev().find_map(literal) == Some(self.text),
        }
    }
}

fn literal(segment: &PatternSegment) -> Option<&str> {
    match segment {
        PatternSegment::Literal(name) => Some(name),
        _ => None,
    }
}
