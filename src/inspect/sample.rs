//! Uses in examples: values that a description shows, texts that hold JSON, and the JSON in code samples.

use super::laid::SchemaAutomaton;
use super::spot::KeyLocation;
use crate::json::{DEFAULT_MAX_DEPTH, Document, DocumentFormat, ValueKind, ValueRef, scan};
use crate::openapi::{DescribedExample, Description, ExampleKeyword, NodeId};
use crate::rules::RuleTable;
use crate::selector::automaton::StateId;

/// How much of a code sample is searched for JSON, in bytes, and at how many brackets.
const LONGEST_SAMPLE: usize = 256 * 1024;
const MOST_BRACKETS: usize = 256;

/// The uses in one example, whose root is in `state`: rule, key, and place.
pub(super) fn uses(
    description: &Description,
    table: &RuleTable,
    example: DescribedExample,
    state: StateId,
    laid: &mut SchemaAutomaton,
) -> Vec<(usize, NodeId, KeyLocation)> {
    let place = NodeId { file: example.file, value: example.value };
    let Some(value) = description.value(place) else { return Vec::new() };
    let mut uses = Vec::new();
    if let Some(text) = value.as_str() {
        // The place of a key inside a text is all of the text.
        let is_code = example.keyword == ExampleKeyword::CodeSample;
        for json in if is_code { inside(text) } else { whole(text).into_iter().collect() } {
            let Ok(document) = Document::parse(json, DocumentFormat::Json) else { continue };
            walk(table, document.root(), state, laid, &mut |rule, _| {
                uses.extend(KeyLocation::whole(description, place).map(|spot| (rule, place, spot)));
            });
        }
        return uses;
    }
    walk(table, value, state, laid, &mut |rule, key| {
        let place = NodeId { file: example.file, value: key.id() };
        uses.extend(KeyLocation::of(description, place).map(|spot| (rule, place, spot)));
    });
    uses
}

/// Runs the automaton over a value, and tells of each key that it accepts.
fn walk(
    table: &RuleTable,
    root: ValueRef<'_>,
    state: StateId,
    laid: &mut SchemaAutomaton,
    found: &mut dyn FnMut(usize, ValueRef<'_>),
) {
    let mut open = vec![(root, state)];
    while let Some((value, state)) = open.pop() {
        if !laid.is_live(state) {
            continue;
        }
        for (index, child) in value.children().enumerate() {
            let behind = match child.key() {
                Some(key) => laid.member(state, key),
                None => laid.element(state, index),
            };
            if child.key().is_some() {
                for accepted in laid.accepted_exactly(table, behind) {
                    if accepted.value.as_deref().is_none_or(|wanted| has(child, wanted)) {
                        found(accepted.rule, child);
                    }
                }
            }
            open.push((child, behind));
        }
    }
}

/// Whether a value, or an element of a list, is this one.
fn has(value: ValueRef<'_>, wanted: &str) -> bool {
    value.text() == Some(wanted)
        || value.kind() == ValueKind::Array
            && value.children().any(|item| item.text() == Some(wanted))
}

/// The text, where it is JSON with something in it.
fn whole(text: &str) -> Option<&str> {
    text.trim_start().starts_with(['{', '[']).then_some(text)
}

/// The JSON objects in a text of another language, the outermost ones.
fn inside(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    if text.len() > LONGEST_SAMPLE {
        return found;
    }
    let mut at = 0;
    for _ in 0..MOST_BRACKETS {
        let rest = text.get(at..).unwrap_or_default();
        let Some(open) = rest.find('{').map(|open| at + open) else { break };
        match scan::value(text.as_bytes(), open) {
            Ok(span) if is_json(text.get(span.start..span.end).unwrap_or_default()) => {
                found.extend(text.get(span.start..span.end));
                at = span.end;
            }
            _ => at = open + 1,
        }
    }
    found
}

fn is_json(text: &str) -> bool {
    crate::json::Walker::new(text).with_max_depth(DEFAULT_MAX_DEPTH).skip_rest().is_ok()
}

#[cfg(test)]
mod tests {
    use super::inside;

    #[test]
    fn json_is_found_in_code() {
        let code = "curl -d '{\"a\": {\"b\": 1}}' {host} && echo {\"c\": [2]}";
        assert_eq!(inside(code), ["{\"a\": {\"b\": 1}}", "{\"c\": [2]}"]);
        assert!(inside("if (x) { return {y: 1} }").is_empty());
        assert!(inside(&"{".repeat(100_000)).is_empty());
    }
}
