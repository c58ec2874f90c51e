//! The places where calls of a provider have the id of a model, as the pack has them.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use crate::rules::{Announcement, ElementPart, Rule, RuleFile, RulePlace};
use crate::traffic::OperationPattern;

/// A kind of place: a member, a parameter or a segment, in some operations.
pub(super) struct ModelPlace {
    pub(super) operations: Arc<[RulePlace]>,
    part: ElementPart,
    /// The texts before an id, mostly empty ones, with the families of models that the pack has with each.
    prefixes: BTreeMap<String, HashSet<String>>,
    /// The families of models in all places of the pack.
    families: Arc<HashSet<String>>,
}

impl ModelPlace {
    /// The places of the rules of a file about ids of models.
    pub(super) fn all(file: &RuleFile) -> Vec<Self> {
        let rules: Vec<(&Rule, &str)> = file.rules.iter().filter_map(model_rule).collect();
        let known: HashSet<&str> = rules.iter().map(|(_, id)| *id).collect();
        let families = rules.iter().map(|(_, id)| family(bare_id(id, &known)).to_owned());
        let families = Arc::new(families.collect());
        let mut found: Vec<Self> = Vec::new();
        for (rule, written) in rules {
            let is_same = |place: &Self| {
                place.part == rule.element.part && Arc::ptr_eq(&place.operations, &rule.places)
            };
            if !found.iter().any(is_same) {
                found.push(Self::of(rule, &families));
            }
            let id = bare_id(written, &known);
            let prefix = written.strip_suffix(id).unwrap_or_default();
            for place in found.iter_mut().filter(|place| is_same(place)) {
                let families = place.prefixes.entry(prefix.to_owned()).or_default();
                families.insert(family(id).to_owned());
            }
        }
        found
    }

    fn of(rule: &Rule, families: &Arc<HashSet<String>>) -> Self {
        Self {
            part: rule.element.part.clone(),
            operations: Arc::clone(&rule.places),
            prefixes: BTreeMap::new(),
            families: Arc::clone(families),
        }
    }

    /// The operation that an announcement about this kind of place names.
    pub(super) fn operation(&self) -> Option<&OperationPattern> {
        self.operations.first().map(|place| &place.operation)
    }

    /// The type and the name of a deprecated element in this kind of place.
    pub(super) fn kind_and_name(&self) -> Option<(&'static str, &str)> {
        kind_and_name(&self.part)
    }

    /// The ways in which the place has an id. A family that the pack has without a prefix alone never has one.
    pub(super) fn spellings(&self, id: &str) -> Vec<String> {
        let is_new = !self.families.contains(family(id));
        let prefixes = self.prefixes.iter();
        let own = prefixes.filter(|(_, families)| is_new || families.contains(family(id)));
        own.map(|(prefix, _)| format!("{prefix}{id}")).collect()
    }

    /// The id in a text that has a prefix of the place before it.
    pub(super) fn without_prefix<'i>(&self, id: &'i str) -> Option<&'i str> {
        let mut prefixes = self.prefixes.keys().filter(|prefix| !prefix.is_empty());
        prefixes.find_map(|prefix| id.strip_prefix(prefix.as_str()))
    }

    /// Returns whether an announcement is about this kind of place.
    pub(super) fn is_place_of(&self, announcement: &Announcement) -> bool {
        announcement.element.part == self.part && announcement.site.operation() == self.operation()
    }
}

/// A rule about an id of a model, with the id.
fn model_rule(rule: &Rule) -> Option<(&Rule, &str)> {
    kind_and_name(&rule.element.part)?;
    rule.element.exact_value().map(|id| (rule, id))
}

/// The type and the name of a part that can have the id of a model.
fn kind_and_name(part: &ElementPart) -> Option<(&'static str, &str)> {
    match part {
        ElementPart::Parameter(name) => Some(("parameter", name)),
        ElementPart::Segment(name) => Some(("segment", name)),
        ElementPart::Field(name) => Some(("enum-value", name)),
        ElementPart::Header(_) | ElementPart::Endpoint => None,
    }
}

/// An id without what is before it in some places. An id may contain a slash, so the rest must be an id as well.
fn bare_id<'r>(written: &'r str, known: &HashSet<&str>) -> &'r str {
    let rest = written.split_once('/').map(|(_, rest)| rest);
    rest.filter(|rest| known.contains(rest)).unwrap_or(written)
}

/// The first word of an id: `gemini` of `gemini-2.0-flash`.
fn family(id: &str) -> &str {
    id.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default()
}
