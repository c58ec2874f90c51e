//! All rules of a run in one table, found by operation.

use std::collections::HashMap;
use std::sync::Arc;

use super::described::PropertyUsers;
use super::reach::{OperationAlias, admits};
use super::{DescribedRules, Grade, IdSource, Rule, RuleFile, RulePlace, Sides};
use crate::json::ValueRef;
use crate::json::pointer::PathStep;
use crate::openapi::{FileId, OperationId};
use crate::selector::Selector;
use crate::traffic::{Host, HostPattern, Method, OperationPattern, PatternSegment};

/// The rules of all files, indexed by the operations that they name.
#[derive(Debug, Default)]
pub struct RuleTable {
    files: Vec<RuleFileInfo>,
    rules: Vec<Arc<Rule>>,
    /// Which file each rule came from.
    rule_files: Vec<usize>,
    operations: Vec<RuleOperation>,
    /// Operations by their last literal segment.
    by_last: HashMap<String, Vec<usize>>,
    /// Operations that do not end in a literal segment.
    open_ended: Vec<usize>,
    /// The descriptions that locate rules.
    described: Vec<DescribedRules>,
    /// Which file each description belongs to.
    described_files: Vec<usize>,
    notes: Vec<String>,
}

/// What is known of a rules file beside its rules.
#[derive(Debug)]
struct RuleFileInfo {
    name: String,
    api: String,
    opaque: Vec<Selector>,
    /// The paths with which its operations begin.
    bases: Vec<Vec<PatternSegment>>,
    /// The hosts on which its operations are met; empty where that may be any.
    hosts: Vec<HostPattern>,
}

/// An operation that rules name, with all the places that name it.
#[derive(Debug)]
pub struct RuleOperation {
    /// As the first rule writes it.
    pub pattern: OperationPattern,
    /// The places in this operation.
    pub places: Vec<RulePlaceRef>,
    /// The descriptions of this operation.
    pub described: Vec<DescribedOperationRef>,
    /// The numbers of the rules files that name it, ascending.
    pub(super) files: Vec<usize>,
    /// Other ways to call it.
    pub(super) aliases: Vec<OperationAlias>,
}

/// An operation of a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescribedOperationRef {
    /// Index of the description in the table.
    pub description: usize,
    /// The operation there.
    pub operation: OperationId,
}

/// A place by its rule and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RulePlaceRef {
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
                if file.ids == IdSource::Made {
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
            let base = file.base_path.map(|base| base.segments);
            let mut bases: Vec<_> = base.into_iter().collect();
            bases.extend(file.described.iter().flat_map(DescribedRules::bases));
            for described in file.described {
                table.describe(described, number, first_rule, &mut known);
            }
            table.notes.extend(file.notes);
            let (name, api, opaque) = (file.name, file.api, file.opaque);
            table.files.push(RuleFileInfo { name, api, opaque, bases, hosts: Vec::new() });
        }
        Ok(table)
    }

    fn push(&mut self, rule: Rule, file: usize, known: &mut HashMap<OperationKey, usize>) {
        let number = self.rules.len();
        for (place, RulePlace { operation, .. }) in rule.places.iter().enumerate() {
            if let Some(operation) = self.operation_mut(operation, file, known) {
                operation.places.push(RulePlaceRef { rule: number, place });
            }
        }
        self.rules.push(Arc::new(rule));
        self.rule_files.push(file);
    }

    /// Takes in a description of a file, whose rules are numbered from `first_rule` on.
    fn describe(
        &mut self,
        mut described: DescribedRules,
        file: usize,
        first_rule: usize,
        known: &mut HashMap<OperationKey, usize>,
    ) {
        let description = self.described.len();
        for (pattern, operation) in std::mem::take(&mut described.operations) {
            if let Some(known) = self.operation_mut(&pattern, file, known) {
                known.described.push(DescribedOperationRef { description, operation });
            }
        }
        for rule in described.properties.values_mut().flatten() {
            rule.rule += first_rule;
        }
        self.described.push(described);
        self.described_files.push(file);
    }

    /// The operation of this pattern, which is added if it is new; `file` names it.
    fn operation_mut(
        &mut self,
        pattern: &OperationPattern,
        file: usize,
        known: &mut HashMap<OperationKey, usize>,
    ) -> Option<&mut RuleOperation> {
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
            self.operations.push(RuleOperation {
                pattern,
                places: Vec::new(),
                described: Vec::new(),
                files: Vec::new(),
                aliases: Vec::new(),
            });
            index
        });
        let operation = self.operations.get_mut(index)?;
        // Files come one after the other.
        if operation.files.last() != Some(&file) {
            operation.files.push(file);
        }
        Some(operation)
    }

    /// Lets an operation be called in other ways, too.
    pub(super) fn add_aliases(&mut self, index: usize, aliases: Vec<OperationAlias>) {
        for alias in &aliases {
            let list = match alias.segments.last() {
                Some(PatternSegment::Literal(last)) => {
                    self.by_last.entry(last.clone()).or_default()
                }
                _ => &mut self.open_ended,
            };
            if !list.contains(&index) {
                list.push(index);
            }
        }
        if let Some(operation) = self.operations.get_mut(index) {
            operation.aliases.extend(aliases);
        }
    }

    /// Adds to the hosts on which the operations of a file are met.
    pub(super) fn add_hosts(&mut self, file: usize, hosts: &[HostPattern]) {
        if let Some(file) = self.files.get_mut(file) {
            file.hosts.extend_from_slice(hosts);
        }
    }

    /// Has the rules of this id graded so.
    pub fn set_grade(&mut self, id: &str, grade: Grade) {
        for rule in self.rules.iter_mut().filter(|rule| rule.id == id) {
            Arc::make_mut(rule).grade = grade;
        }
    }

    /// What whoever uses the table should know: parts of its files that could not be used.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Where a rule is located by descriptions: the file and the property's pointer in it, and the operations whose bodies have
    /// it, by side.
    pub fn schema_places(&self, rule: usize) -> Vec<PropertyUsers> {
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
    pub fn described(&self, index: usize) -> Option<&DescribedRules> {
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

    /// How many rules files there are.
    pub(super) fn file_count(&self) -> usize {
        self.files.len()
    }

    /// The paths with which the operations of a file begin.
    pub(super) fn bases(&self, file: usize) -> &[Vec<PatternSegment>] {
        self.files.get(file).map_or(&[], |file| &file.bases)
    }

    /// Whether calls of `host`, where it is known, may be calls of a file's operations.
    pub(super) fn is_met_on(&self, file: usize, host: Option<&Host<'_>>) -> bool {
        self.files.get(file).is_none_or(|file| admits(&file.hosts, host))
    }

    /// Whether it matters which host is called.
    pub fn tells_hosts(&self) -> bool {
        self.files.iter().any(|file| !file.hosts.is_empty())
    }

    /// The number of the file that a description belongs to.
    pub fn file_of_description(&self, index: usize) -> usize {
        self.described_files.get(index).copied().unwrap_or_default()
    }

    /// The free-form maps of the rules file of this number.
    pub fn opaque(&self, file: usize) -> &[Selector] {
        self.files.get(file).map_or(&[], |file| &file.opaque)
    }

    /// Every operation that some rule names.
    pub fn operations(&self) -> &[RuleOperation] {
        &self.operations
    }

    /// The operations whose path could end in `last`.
    pub(super) fn candidates(
        &self,
        last: Option<&str>,
    ) -> impl Iterator<Item = (usize, &RuleOperation)> {
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
            .filter(|pattern| pattern.is_concrete() && pattern.short_name() == Some(name))
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
    pub(super) steps: Vec<PathStep<'static>>,
    /// The sides on which it is deprecated.
    pub(super) sides: Sides,
}

/// The way from a document's root to a value in it.
fn steps_to(value: ValueRef<'_>) -> Vec<PathStep<'static>> {
    let around = std::iter::successors(Some(value), |value| value.parent());
    let step = |value: ValueRef<'_>| match value.key() {
        Some(key) => Some(PathStep::Key(key.to_owned().into())),
        None => {
            let index = value.parent()?.children().position(|child| child.id() == value.id())?;
            Some(PathStep::Index(index))
        }
    };
    let mut steps: Vec<_> = around.filter_map(step).collect();
    steps.reverse();
    steps
}

/// What makes an operation; variables of other names make no other one.
type OperationKey = (Option<Method>, Vec<PatternSegment>);
