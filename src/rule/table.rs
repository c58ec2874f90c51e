//! All rules of a run in one table, found by operation.

use std::collections::HashMap;
use std::sync::Arc;

use super::described::SchemaPlaces;
use super::{Described, Ids, Place, Rule, RuleFile, Selector, Sides};
use crate::description::{FileId, OperationId};
use crate::document::Value;
use crate::document::pointer::Step;
use crate::exchange::{Method, OperationPattern, PatternSegment};

/// The rules of all files, indexed by the operations that they name.
#[derive(Debug, Default)]
pub struct RuleTable {
    files: Vec<FileInfo>,
    rules: Vec<Arc<Rule>>,
    /// Which file each rule came from.
    rule_files: Vec<usize>,
    operations: Vec<Operation>,
    /// Operations by their last literal segment.
    by_last: HashMap<String, Vec<usize>>,
    /// Operations that do not end in a literal segment.
    open_ended: Vec<usize>,
    /// The descriptions that locate rules.
    described: Vec<Described>,
    notes: Vec<String>,
}

/// What is known of a rules file beside its rules.
#[derive(Debug)]
struct FileInfo {
    name: String,
    api: String,
    opaque: Vec<Selector>,
}

/// An operation that rules name, with all the places that name it.
#[derive(Debug)]
pub struct Operation {
    /// As the first rule writes it.
    pub pattern: OperationPattern,
    /// The places in this operation.
    pub places: Vec<PlaceRef>,
    /// The descriptions of this operation.
    pub described: Vec<DescribedRef>,
}

/// An operation of a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescribedRef {
    /// Index of the description in the table.
    pub description: usize,
    /// The operation there.
    pub operation: OperationId,
}

/// A place by its rule and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaceRef {
    /// Index of the rule in the table.
    pub rule: usize,
    /// Index of the place in the rule.
    pub place: usize,
}

/// Two rules with one id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateId {
    /// The id.
    pub id: String,
    /// The file that had it first.
    pub first: String,
    /// The file that has it again.
    pub second: String,
}

impl RuleTable {
    /// Puts the files together. Ids must be unique over all of them.
    pub fn new(files: Vec<RuleFile>) -> Result<Self, DuplicateId> {
        let mut table = Self::default();
        let mut ids: HashMap<String, usize> = HashMap::new();
        let mut known: HashMap<OperationKey, usize> = HashMap::new();
        for file in files {
            let number = table.files.len();
            let first_rule = table.rules.len();
            for mut rule in file.rules {
                if file.ids == Ids::Made {
                    rule.id = free_id(rule.id, &ids);
                }
                let again = table.rules.last().filter(|_| table.rules.len() > first_rule);
                let is_one_entry = again.is_some_and(|before| {
                    before.id == rule.id && before.schema.is_some() && before.schema == rule.schema
                });
                if let Some(&first) = ids.get(&rule.id).filter(|_| !is_one_entry) {
                    let first = table.files.get(first).map_or(&file.name, |first| &first.name);
                    return Err(DuplicateId {
                        id: rule.id,
                        first: first.clone(),
                        second: file.name,
                    });
                }
                ids.insert(rule.id.clone(), number);
                table.push(rule, number, &mut known);
            }
            for described in file.described {
                table.describe(described, first_rule, &mut known);
            }
            table.notes.extend(file.notes);
            table.files.push(FileInfo { name: file.name, api: file.api, opaque: file.opaque });
        }
        Ok(table)
    }

    fn push(&mut self, rule: Rule, file: usize, known: &mut HashMap<OperationKey, usize>) {
        let number = self.rules.len();
        for (place, Place { operation, .. }) in rule.places.iter().enumerate() {
            if let Some(operation) = self.operation_mut(operation, known) {
                operation.places.push(PlaceRef { rule: number, place });
            }
        }
        self.rules.push(Arc::new(rule));
        self.rule_files.push(file);
    }

    /// Takes in a description, whose rules are numbered from `first_rule` on.
    fn describe(
        &mut self,
        mut described: Described,
        first_rule: usize,
        known: &mut HashMap<OperationKey, usize>,
    ) {
        let description = self.described.len();
        for (pattern, operation) in std::mem::take(&mut described.operations) {
            if let Some(known) = self.operation_mut(&pattern, known) {
                known.described.push(DescribedRef { description, operation });
            }
        }
        for rule in described.properties.values_mut().flatten() {
            rule.rule += first_rule;
        }
        self.described.push(described);
    }

    /// The operation of this pattern, which is added if it is new.
    fn operation_mut(
        &mut self,
        pattern: &OperationPattern,
        known: &mut HashMap<OperationKey, usize>,
    ) -> Option<&mut Operation> {
        let key = (pattern.method.clone(), pattern.segments.clone());
        let index = *known.entry(key).or_insert_with(|| {
            let index = self.operations.len();
            match pattern.segments.last() {
                Some(PatternSegment::Literal(last)) => {
                    self.by_last.entry(last.clone()).or_default().push(index);
                }
                _ => self.open_ended.push(index),
            }
            let pattern = pattern.clone();
            self.operations.push(Operation { pattern, places: Vec::new(), described: Vec::new() });
            index
        });
        self.operations.get_mut(index)
    }

    /// What whoever uses the table should know: parts of its files that could not be used.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Where a rule is located by descriptions: the file and the property's pointer in it, and the operations whose bodies have
    /// it, by side.
    pub fn schema_places(&self, rule: usize) -> Vec<SchemaPlaces> {
        let described = self.described.iter();
        described
            .flat_map(|described| described.places_of(|one| self.is_same(one.rule, rule)))
            .collect()
    }

    /// The properties by which descriptions locate a rule.
    pub(super) fn properties_of(&self, rule: usize) -> Vec<LocatedProperty> {
        let described = self.described.iter().enumerate();
        let all = described.flat_map(|(number, described)| {
            let own = described.properties_of(|one| one.rule == rule).into_iter();
            own.filter_map(move |(place, property)| {
                Some(LocatedProperty {
                    is_in_first_file: number == 0 && place.file == FileId::FIRST,
                    steps: steps_to(described.description.value(place)?),
                    sides: property.sides,
                })
            })
        });
        all.collect()
    }

    /// Whether two numbers are one entry's: one about a schema has a rule for each name of its properties.
    fn is_same(&self, one: usize, other: usize) -> bool {
        let rule = |number: usize| self.rules.get(number).map(|rule| &rule.id);
        one == other || rule(one) == rule(other)
    }

    /// A description that locates rules.
    pub fn described(&self, index: usize) -> Option<&Described> {
        self.described.get(index)
    }

    /// All rules, in the order of the files and of their entries.
    pub fn rules(&self) -> &[Arc<Rule>] {
        &self.rules
    }

    /// The rule of this id.
    pub fn rule(&self, id: &str) -> Option<(usize, &Arc<Rule>)> {
        self.rules.iter().enumerate().find(|(_, rule)| rule.id == id)
    }

    /// The number of the file that a rule came from.
    pub fn file_of(&self, rule: usize) -> usize {
        self.rule_files.get(rule).copied().unwrap_or_default()
    }

    /// The name of the rules file of this number.
    pub fn file_name(&self, file: usize) -> &str {
        self.files.get(file).map_or("", |file| &file.name)
    }

    /// The API that the rules file of this number is about.
    pub fn api(&self, file: usize) -> &str {
        self.files.get(file).map_or("", |file| &file.api)
    }

    /// The free-form maps of the rules file of this number.
    pub fn opaque(&self, file: usize) -> &[Selector] {
        self.files.get(file).map_or(&[], |file| &file.opaque)
    }

    /// Every operation that some rule names.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The operations whose path could end in `last`.
    pub(super) fn candidates(
        &self,
        last: Option<&str>,
    ) -> impl Iterator<Item = (usize, &Operation)> {
        let by_last = last.and_then(|last| self.by_last.get(last)).map_or(&[][..], Vec::as_slice);
        by_last
            .iter()
            .chain(&self.open_ended)
            .filter_map(|&index| Some((index, self.operations.get(index)?)))
    }

    /// The operations whose path ends in the literal segment `name`.
    pub fn called(&self, name: &str) -> Vec<&OperationPattern> {
        let indices = self.by_last.get(name).map_or(&[][..], Vec::as_slice);
        let operations = indices.iter().filter_map(|&index| self.operations.get(index));
        operations
            .map(|operation| &operation.pattern)
            .filter(|pattern| pattern.is_concrete())
            .collect()
    }
}

/// The id, or, where that is taken, the same with the first number that makes it another.
fn free_id(id: String, taken: &HashMap<String, usize>) -> String {
    if !taken.contains_key(&id) {
        return id;
    }
    let mut numbered = (2..usize::MAX).map(|number| format!("{id}-{number}"));
    numbered.find(|candidate| !taken.contains_key(candidate)).unwrap_or_default()
}

/// A property by which a rule is located.
#[derive(Debug)]
pub(super) struct LocatedProperty {
    /// Whether it stands in the own file of the first of the descriptions.
    pub(super) is_in_first_file: bool,
    /// The way to it in its file.
    pub(super) steps: Vec<Step<'static>>,
    /// The sides on which it is deprecated.
    pub(super) sides: Sides,
}

/// The way from a document's root to a value in it.
fn steps_to(value: Value<'_>) -> Vec<Step<'static>> {
    let around = std::iter::successors(Some(value), |value| value.parent());
    let step = |value: Value<'_>| match value.key() {
        Some(key) => Some(Step::Key(key.to_owned().into())),
        None => {
            let index = value.parent()?.children().position(|child| child.id() == value.id())?;
            Some(Step::Index(index))
        }
    };
    let mut steps: Vec<_> = around.filter_map(step).collect();
    steps.reverse();
    steps
}

/// What makes an operation; variables of other names make no other one.
type OperationKey = (Option<Method>, Vec<PatternSegment>);
