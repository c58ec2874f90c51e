//! Writes lists in any format.

use crate::rules::lists::ListFormat;
use crate::rules::{Rule, RuleSet};
use std::collections::{BTreeSet, HashSet};
use sundown_exchange::OperationPattern;

/// A rule in one of its operations.
pub(super) struct ListedRule<'r> {
    pub rule: &'r Rule,
    pub operation: &'r OperationPattern,
}

/// Exported rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The exported text.
    pub text: String,
    /// One line for each kind of content that the format cannot hold.
    pub left_out: Vec<String>,
}

/// Writes all rules of a set. The error says what was left out, and that nothing is left.
pub fn export(format: ListFormat, set: &RuleSet) -> Result<Exported, String> {
    let mut listed = Vec::new();
    let mut located: Vec<&str> = Vec::new();
    let mut conditional: Vec<&str> = Vec::new();
    let mut possible: Vec<&str> = Vec::new();
    let operations = set.located_operations();
    for rule in set.rules() {
        let id = rule.id.as_str();
        possible.extend(rule.is_possible.then_some(id));
        if rule.element.is_about_many_values() || !rule.when.is_empty() {
            conditional.push(id);
            continue;
        }
        let own = operations_of(rule, operations.get(&rule.number));
        if own.is_empty() && !located.contains(&id) {
            located.push(id);
        }
        let own = own.into_iter();
        listed.extend(own.map(|operation| ListedRule { rule, operation }));
    }
    let why = "because no operation has them in its bodies, or too many have";
    let located = left_out("rule", why, &located);
    let why = "because such a list has single values and no conditions";
    let conditional = left_out("rule", why, &conditional);
    let why = "because the format cannot say that a deprecation is only possible";
    let possible = left_out("doubt", why, &possible);
    let mut left_out: Vec<String> = located.into_iter().chain(conditional).collect();
    if listed.is_empty() && !left_out.is_empty() {
        let nothing = "none of these rules can be written in this format";
        return Err(format!("{nothing}; {}", left_out.join("; ")));
    }
    left_out.extend(possible);
    let text = match format {
        ListFormat::Markdown => super::markdown::write(&listed),
        ListFormat::Csv => super::csv::write(&listed),
        ListFormat::Json => super::json::write(&listed),
    };
    Ok(Exported { text, left_out })
}

/// The operations of which a list says that a rule is about them: the one for which it was announced, or else those of its places,
/// or those in whose bodies a description locates it.
fn operations_of<'r>(
    rule: &'r Rule,
    located: Option<&'r BTreeSet<OperationPattern>>,
) -> Vec<&'r OperationPattern> {
    let mut operations: Vec<_> = rule.announced.iter().collect();
    if operations.is_empty() {
        let places = rule.places.iter().map(|place| &place.operation);
        operations = places.chain(located.into_iter().flatten()).collect();
    }
    let mut seen = HashSet::new();
    operations.retain(|operation| seen.insert((&operation.method, &operation.segments)));
    operations
}

/// A line such as ``left out N fields, because …: id, id``; `None` if there are no ids.
fn left_out(what: &str, why: &str, ids: &[&str]) -> Option<String> {
    let plural = if ids.len() == 1 { "" } else { "s" };
    let line = format!(
        "left out {} {what}{plural}, {why}: {}",
        ids.len(),
        ids.join(", ")
    );
    (!ids.is_empty()).then_some(line)
}
