//! The set of rules: all rules of a run, indexed by operation.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Deref;
use std::sync::{Arc, LazyLock, OnceLock};

use thiserror::Error;

use super::address::OperationAlias;
use super::described::{PropertyRule, PropertyUsers};
use super::path_index::PathIndex;
use super::plausibility::path_as_name;
use super::resolve::AddressCheck;
use super::{
    ApiAddress, DescribedRules, Grade, Precedence, Rule, RuleFile, RuleOrigin, RulePlace, Severity,
    TargetVersion, ValueTest,
};
use sundown_exchange::{HostPattern, Method, OperationPattern, PatternSegment};
use sundown_openapi::{NodeId, OperationId};
use sundown_selector::Selector;

/// The number of operations that are listed for rules which descriptions locate: an operation of a rule is a row of an export.
const MAX_LOCATED: usize = 100_000;

/// The rules of all files, indexed by operation.
#[derive(Debug, Default)]
pub struct RuleSet {
    pub(super) files: Vec<SetFile>,
    rules: Vec<SetRule>,
    /// The name of the file of each rule and requirement, by its id.
    file_names: HashMap<String, Arc<str>>,
    pub(super) operations: Vec<RuleOperation>,
    /// Operations by all their paths.
    pub(super) paths: PathIndex,
    /// Operations by the ends of their paths, once a call matches none.
    pub(super) ends: OnceLock<PathIndex>,
    /// The descriptions that locate rules.
    described: Vec<DescribedRules>,
    notes: Vec<String>,
    /// The requirements, if there are any. They are apart from the rules, so that their operations, which are often patterns over
    /// a whole API, do not decide which calls the rules cover.
    pub(super) requirements: Option<Box<RuleSet>>,
    /// Whether operations match calls of an unknown host, even if they are those of packs.
    pub(super) unknown_hosts: bool,
    /// The calls that may be calls of an operation.
    pub(crate) address_check: AddressCheck,
}

/// What the user says about rules, beside their files. What is about none of them has no effect.
#[derive(Debug, Clone, Default)]
pub struct RuleOptions {
    /// Whether operations match calls of an unknown host, even if they are those of packs.
    pub unknown_hosts: bool,
    /// Whether operations match on any host and with any segments before their path.
    pub any_address: bool,
    /// The addresses of APIs.
    pub addresses: Vec<ApiAddress>,
    /// The grades of rules, requirements and versions, by their ids. Findings name these versions.
    pub grades: Vec<(String, Grade)>,
    /// The ids of further versions that findings name, because the configuration names them.
    pub named_versions: Vec<String>,
    /// The versions of the user's servers. By these, and not by the day, are the rules graded that state versions: what a later one
    /// deprecates is off. Severities of the configuration stay.
    pub targets: Vec<TargetVersion>,
    /// The ids of versions that have a rule of their own, so that they are counted and explained.
    pub own_versions: Vec<String>,
    /// Whether each place with rules about values has one about all other values, so that uses of values that no rule knows are
    /// counted. It never counts in place of another rule.
    pub other_values: bool,
}

/// A rule in a set.
#[derive(Debug, Clone)]
pub struct SetRule {
    rule: Arc<Rule>,
    /// Its index in the set.
    pub number: usize,
    /// The index of its file.
    pub file: usize,
    pub precedence: Precedence,
}

impl Deref for SetRule {
    type Target = Arc<Rule>;

    fn deref(&self) -> &Self::Target {
        &self.rule
    }
}

/// A rules file, whose rules and descriptions are in the set.
#[derive(Debug)]
pub(super) struct SetFile {
    pub file: RuleFile,
    /// The base paths of its operations.
    pub bases: Vec<Vec<PatternSegment>>,
    /// The number of its own hosts. The user added the others.
    pub own_hosts: usize,
}

/// An operation that rules name, with all places that name it.
#[derive(Debug)]
pub struct RuleOperation {
    /// The pattern as the first rule writes it.
    pub pattern: OperationPattern,
    /// The places of rules in this operation.
    pub places: Vec<RulePlaceRef>,
    /// The operation in descriptions.
    pub described: Vec<DescribedOperationRef>,
    /// The indices of the rules files that name it, ascending.
    pub files: Vec<usize>,
    /// Further paths under which it is called.
    pub(super) aliases: Vec<OperationAlias>,
}

/// A reference to an operation of a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DescribedOperationRef {
    /// Index of the description in the set.
    pub description: usize,
    /// The operation there.
    pub operation: OperationId,
}

/// A reference to a place of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RulePlaceRef {
    /// Index of the rule in the set.
    pub rule: usize,
    /// Index of the place in the rule.
    pub place: usize,
}

/// Two rules have the same id. The fault of the rules files.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{second}: the rule id `{id}` is already used in {first}")]
pub struct DuplicateId {
    pub id: String,
    /// The file that uses it first.
    pub first: String,
    /// The file that uses it again.
    pub second: String,
}

impl RuleSet {
    /// Combines rules files. Ids must be unique over all of them.
    pub fn new(files: Vec<RuleFile>) -> Result<Self, DuplicateId> {
        Self::with_options(files, &RuleOptions::default())
    }

    /// Combines rules files, and applies what the user says about their rules.
    pub fn with_options(files: Vec<RuleFile>, options: &RuleOptions) -> Result<Self, DuplicateId> {
        let mut file_names = HashMap::new();
        let mut set = Self::combine(files, options, &mut file_names)?;
        set.file_names = file_names;
        Ok(set)
    }

    /// Combines rules files. `ids` has the ids that are taken, each with the name of its file.
    fn combine(
        files: Vec<RuleFile>,
        options: &RuleOptions,
        ids: &mut HashMap<String, Arc<str>>,
    ) -> Result<Self, DuplicateId> {
        let mut set = Self {
            unknown_hosts: options.unknown_hosts,
            address_check: if options.any_address {
                AddressCheck::Any
            } else {
                AddressCheck::Declared
            },
            ..Self::default()
        };
        let mut known = KnownOperations::default();
        let mut required_files = Vec::new();
        for mut file in files {
            if file.hosts.is_empty() {
                file.hosts = hosts_of_all(&file.described);
            }
            if !file.requirements.is_empty() {
                required_files.push(requirement_file(&mut file));
            }
            let (number, origin) = (set.files.len(), file.origin);
            let first_rule = set.rules.len();
            let name: Arc<str> = file.name.as_str().into();
            let base = file.base_path.iter().map(|base| base.segments.clone());
            let bases = base.chain(file.described.iter().flat_map(DescribedRules::base_paths));
            let bases = bases.collect();
            let rules = std::mem::take(&mut file.rules);
            let described = std::mem::take(&mut file.described);
            set.notes.append(&mut file.notes);
            set.files.push(SetFile {
                own_hosts: file.hosts.len(),
                file,
                bases,
            });
            for mut rule in rules {
                if origin == RuleOrigin::Description {
                    rule.id = free_id(rule.id, ids);
                    // A description announces an element for all operations that have it, not for the first.
                    rule.announced = rule.announced.filter(|_| rule.places.len() == 1);
                }
                let own = set.rules.get(first_rule..).unwrap_or_default();
                let is_one_entry = own.last().is_some_and(|before| {
                    before.id == rule.id && rule.schema.is_some() && before.schema == rule.schema
                });
                if let Some(first) = ids.get(&rule.id).filter(|_| !is_one_entry) {
                    return Err(DuplicateId {
                        first: first.to_string(),
                        id: rule.id,
                        second: name.to_string(),
                    });
                }
                ids.insert(rule.id.clone(), Arc::clone(&name));
                set.add(rule, number, &mut known);
            }
            for described in described {
                set.push_description(described, number, first_rule, &mut known);
            }
            set.note_paths(first_rule, &name);
        }
        set.notes.extend(set.notes_on_contradictions());
        if !required_files.is_empty() {
            let required = Self::combine(required_files, options, ids)?;
            set.requirements = Some(Box::new(required));
        }
        set.apply(options);
        Ok(set)
    }

    /// Applies the options in their order.
    fn apply(&mut self, options: &RuleOptions) {
        for address in &options.addresses {
            self.add_address(address);
        }
        for (id, grade) in &options.grades {
            self.name_version(id, Some(*grade));
            for rule in self.rules.iter_mut().filter(|rule| rule.is_called(id)) {
                Arc::make_mut(&mut rule.rule).grade = *grade;
            }
        }
        for id in &options.named_versions {
            self.name_version(id, None);
        }
        for target in &options.targets {
            self.set_target(target);
        }
        for id in &options.own_versions {
            self.add_version(id);
        }
        if options.other_values {
            self.add_other_values();
        }
    }

    /// The requirements, if there are any.
    pub fn requirements(&self) -> Option<&Self> {
        self.requirements.as_deref()
    }

    /// All rules and requirements.
    fn all(&self) -> impl Iterator<Item = &SetRule> {
        let required = self.requirements.iter().flat_map(|set| set.rules());
        self.rules.iter().chain(required)
    }

    /// The rules and the requirement that are selected by this id: those with the id, or of the entry with the id.
    fn called(&self, id: &str) -> impl Iterator<Item = &SetRule> {
        self.all().filter(move |rule| rule.is_called(id))
    }

    /// The rules that findings with this id have, or are selected by it: also the rule about one version.
    pub(crate) fn selected(&self, id: &str) -> impl Iterator<Item = Arc<Rule>> {
        let of_version = self.version_of_id(id);
        let of_version = of_version.and_then(|(rule, version)| rule.for_version(&version));
        let called = self.called(id).map(|rule| Arc::clone(rule));
        called.chain(of_version.map(Arc::new))
    }

    /// Whether findings can have this id, or be selected by it: that of a rule, a requirement, or one version.
    pub fn selects(&self, id: &str) -> bool {
        self.selected(id).next().is_some()
    }

    /// The rule about the version that was found, if the rule with this index is about versions.
    ///
    /// The rules of a stranger can take any number in the traffic for a version: of an account, a card, a phone. So a version is
    /// named only if the rule comes with sundown, the configuration names the version, or it is a date near that of the rule. Of any
    /// other, only the last day counts.
    pub(crate) fn rule_for_found_version(&self, rule: &SetRule, version: &str) -> Option<Rule> {
        let test = rule.element.value.as_ref();
        if !self.origin(rule.file).is_users()
            || test == Some(&ValueTest::Other)
            || rule.version_grades.contains_key(version)
            || (test.and_then(ValueTest::version)).is_some_and(|known| known.is_near_date(version))
        {
            return rule.for_version(version);
        }
        let removal = test?.last_day_of_hidden(version)?;
        Some(Rule {
            removal: Some(removal),
            ..Rule::clone(rule)
        })
    }

    /// The rule about versions, and the one of them that findings with this id are about.
    fn version_of_id(&self, id: &str) -> Option<(&SetRule, String)> {
        let mut rules = self.rules.iter();
        rules.find_map(|rule| Some((rule, rule.version_of_id(id)?)))
    }

    /// Adds the rule about one version of this id, if there is one.
    fn add_version(&mut self, id: &str) {
        if let Some((base, version)) = self.version_without_rule(id)
            && let Some(own) = base.for_version(&version)
        {
            let rule = Rule {
                is_of_one_version: false,
                places: Arc::clone(&base.places),
                exceptions: base.exceptions.clone(),
                ..own
            };
            self.add_at_places_of(&base.clone(), &BTreeSet::new(), rule);
        }
    }

    /// As [`Self::version_of_id`], if no rule has this id.
    fn version_without_rule(&self, id: &str) -> Option<(&SetRule, String)> {
        self.version_of_id(id)
            .filter(|_| self.called(id).next().is_none())
    }

    /// Adds a rule about all other values to each place with rules about values.
    fn add_other_values(&mut self) {
        let mut properties: HashMap<usize, BTreeSet<_>> = HashMap::new();
        for (file, described) in self.described.iter().enumerate() {
            for (node, rules) in &described.properties {
                for rule in rules {
                    let located = properties.entry(rule.rule).or_default();
                    located.insert((file, *node));
                }
            }
        }
        let mut known = HashSet::new();
        for rule in self.rules.clone() {
            let located = properties.remove(&rule.number).unwrap_or_default();
            // The rules of one entry share their places.
            let places = Arc::as_ptr(&rule.places).cast::<()>().addr();
            let has_place = !rule.places.is_empty() || !located.is_empty();
            let part = rule.element.part.clone();
            let subject = (part, places, located.clone(), rule.when.clone());
            let has_values = rule.element.value.is_some() && has_place;
            if !has_values || rule.is_off() || !known.insert(subject) {
                continue;
            }
            let element = rule.element.clone().with_test(Some(ValueTest::Other));
            // No rules file can use an id with a space.
            let id = format!("{} and others", rule.id);
            let other = Rule {
                other_ids: rule.other_ids.clone(),
                places: Arc::clone(&rule.places),
                exceptions: rule.exceptions.clone(),
                when: rule.when.clone(),
                is_of_list: rule.is_of_list,
                grade: Grade::Always(Severity::Note),
                ..Rule::new(id, element)
            };
            self.add_at_places_of(&rule, &located, other);
        }
    }

    /// Adds a rule at the places of another, and at these properties, each with the number of its description.
    fn add_at_places_of(&mut self, of: &SetRule, located: &BTreeSet<(usize, NodeId)>, rule: Rule) {
        let new = self.rules.len();
        for operation in &mut self.operations {
            let own = operation.places.clone().into_iter();
            let own = own.filter(|place| place.rule == of.number);
            operation
                .places
                .extend(own.map(|own| RulePlaceRef { rule: new, ..own }));
        }
        for (file, node) in located {
            let described = self.described.get_mut(*file);
            if let Some(rules) = described.and_then(|one| one.properties.get_mut(node)) {
                let own = rules.iter().find(|one| one.rule == of.number).copied();
                rules.extend(own.map(|one| PropertyRule { rule: new, ..one }));
            }
        }
        self.push(rule, of.file);
    }

    fn push(&mut self, rule: Rule, file: usize) {
        self.rules.push(SetRule {
            number: self.rules.len(),
            file,
            precedence: Precedence::of(&rule, self.origin(file)),
            rule: Arc::new(rule),
        });
    }

    /// The name of the file with the rule or requirement of this id.
    pub fn file_name_of(&self, id: &str) -> Option<&str> {
        self.file_names.get(id).map(|name| &**name)
    }

    /// The ids of all rules and requirements.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.all().map(|rule| rule.id.as_str())
    }

    /// Adds a rule of a file at its places.
    fn add(&mut self, rule: Rule, file: usize, known: &mut KnownOperations) {
        if known.file != file || !Arc::ptr_eq(&known.places, &rule.places) {
            let operations = rule
                .places
                .iter()
                .map(|place| self.operation(&place.operation, file, known));
            known.of_places = operations.collect();
            (known.file, known.places) = (file, Arc::clone(&rule.places));
        }
        for (place, operation) in known.of_places.iter().enumerate() {
            if let Some(operation) = self.operations.get_mut(*operation) {
                let rule = self.rules.len();
                operation.places.push(RulePlaceRef { rule, place });
            }
        }
        self.push(rule, file);
    }

    /// Adds a description of a file whose first rule has the index `first_rule`.
    fn push_description(
        &mut self,
        mut described: DescribedRules,
        file: usize,
        first_rule: usize,
        known: &mut KnownOperations,
    ) {
        let description = self.described.len();
        for (pattern, operation) in std::mem::take(&mut described.operations) {
            let index = self.operation(&pattern, file, known);
            if let Some(known) = self.operations.get_mut(index) {
                known.described.push(DescribedOperationRef {
                    description,
                    operation,
                });
            }
        }
        for rule in described.properties.values_mut().flatten() {
            rule.rule += first_rule;
        }
        described.file = file;
        self.described.push(described);
    }

    /// The index of the operation with this pattern, which is added if it is new. `file` names it.
    fn operation(
        &mut self,
        pattern: &OperationPattern,
        file: usize,
        known: &mut KnownOperations,
    ) -> usize {
        let key = (pattern.method.clone(), pattern.segments.clone());
        let index = *known.by_pattern.entry(key).or_insert_with(|| {
            let index = self.operations.len();
            self.paths.insert(&pattern.segments, index, 0);
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
        // Files are added one after the other.
        if let Some(operation) = self.operations.get_mut(index)
            && operation.files.last() != Some(&file)
        {
            operation.files.push(file);
        }
        index
    }

    fn set_target(&mut self, target: &TargetVersion) {
        let own = self.files_of_target(target).unwrap_or_default();
        for rule in &mut self.rules {
            if !rule.versions.are_stated() || !own.contains(&rule.file) {
                continue;
            }
            let rule = Arc::make_mut(&mut rule.rule);
            rule.versions.target = Some(target.version);
            rule.note.take_if(|_| rule.is_note_of_removal);
            let grade = rule.versions.grade(target.version);
            if rule.grade == Grade::ByDays || grade == Grade::Off {
                rule.grade = grade;
            }
        }
    }

    /// Lets findings name the version of this id, if it is one. With a grade, they have this one.
    fn name_version(&mut self, id: &str, grade: Option<Grade>) {
        let version = self.version_without_rule(id);
        if let Some((number, version)) = version.map(|(rule, version)| (rule.number, version))
            && let Some(rule) = self.rules.get_mut(number)
        {
            let grade = grade.unwrap_or_else(|| rule.grade_of_version(&version));
            Arc::make_mut(&mut rule.rule)
                .version_grades
                .insert(version, grade);
        }
    }

    /// Notes the first rule of a file, from this one on, that may match nothing because it has a path in place of a name.
    fn note_paths(&mut self, first: usize, file: &str) {
        let own = self.rules.iter().skip(first);
        let mut doubtful = own.filter_map(|rule| {
            let name = rule.element.name().filter(|_| rule.names_path)?;
            Some((&rule.id, path_as_name(name)?))
        });
        let Some((id, (message, help))) = doubtful.next() else {
            return;
        };
        self.notes.push(format!(
            "{file}: the rule `{id}` may match nothing: {message}; {help}"
        ));
        let more = doubtful.count();
        if more > 0 {
            let note = format!("{file}: `sundown rules check` names {more} more such rules");
            self.notes.push(note);
        }
    }

    /// Notes for the user about parts of the files that cannot be used.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The properties by which descriptions locate a rule, each with the operations whose bodies contain it. An entry about a
    /// schema makes a rule for each name of its properties.
    pub fn users_of_properties(&self, rule: &Rule) -> Vec<PropertyUsers> {
        let of_description = |described: &DescribedRules| {
            let users =
                described.users(|one| self.rule_at(one.rule).is_some_and(|own| own.id == rule.id));
            let users = users.into_iter();
            let users = users.map(|((node, _), users)| described.property_users(node, &users));
            users.collect::<Vec<_>>()
        };
        self.described.iter().flat_map(of_description).collect()
    }

    /// By rule: the operations whose bodies have the properties by which descriptions locate it; not more than [`MAX_LOCATED`] in all,
    /// for whole rules.
    pub(super) fn located_operations(&self) -> HashMap<usize, BTreeSet<OperationPattern>> {
        let mut operations: HashMap<usize, BTreeSet<_>> = HashMap::new();
        let mut left = MAX_LOCATED;
        for described in &self.described {
            for ((_, rule), users) in described.users(|_| true) {
                let Some(room) = left.checked_sub(users.len()) else {
                    operations.remove(&rule);
                    return operations;
                };
                left = room;
                let users = users.into_iter();
                let patterns = users.filter_map(|(id, _)| described.pattern(id));
                operations.entry(rule).or_default().extend(patterns);
            }
        }
        operations
    }

    /// The ids of the rules that descriptions locate in the bodies of the operations that are wanted.
    pub fn ids_used_by(&self, is_wanted: impl Fn(&OperationPattern) -> bool) -> HashSet<&str> {
        let described = self.described.iter();
        let rules = described.flat_map(|described| described.rules_used_by(&is_wanted));
        rules
            .filter_map(|rule| Some(&*self.rule_at(rule)?.id))
            .collect()
    }

    /// A description that locates rules.
    pub fn described(&self, index: usize) -> Option<&DescribedRules> {
        self.described.get(index)
    }

    /// All rules, in the order of the files and their entries.
    pub fn rules(&self) -> &[SetRule] {
        &self.rules
    }

    /// The rule with this index.
    pub(crate) fn rule_at(&self, index: usize) -> Option<&SetRule> {
        self.rules.get(index)
    }

    /// The rule with this id.
    pub fn rule(&self, id: &str) -> Option<&SetRule> {
        self.rules.iter().find(|rule| rule.id == id)
    }

    /// The index of a rule's file.
    pub(crate) fn file_of(&self, rule: usize) -> usize {
        self.rules.get(rule).map_or(0, |rule| rule.file)
    }

    /// The rules file with this index. Its rules and descriptions are in the set.
    pub fn file(&self, file: usize) -> &RuleFile {
        static NONE: LazyLock<RuleFile> = LazyLock::new(RuleFile::default);
        self.files.get(file).map_or(&NONE, |one| &one.file)
    }

    /// Where the rules file with this index comes from.
    pub fn origin(&self, file: usize) -> RuleOrigin {
        self.file(file).origin
    }

    /// The free-form maps of the rules file with this index.
    pub fn opaque(&self, file: usize) -> &[Selector] {
        &self.file(file).opaque
    }

    /// All operations that rules name.
    pub fn operations(&self) -> &[RuleOperation] {
        &self.operations
    }

    /// The operations that the user's rules name, by rules file, without those of packs and built-in rules, of which most users
    /// call few.
    pub fn own_operations(&self) -> impl Iterator<Item = UncalledOperation> {
        let of_files = self.operations().iter().flat_map(|operation| {
            let files = operation.files.iter();
            files.map(move |&file| (operation, file))
        });
        let own = of_files.filter(|(_, file)| self.origin(*file).is_users());
        own.filter_map(|(operation, file)| {
            let places = operation.places.iter();
            let rules = places
                .filter_map(|place| self.rule_at(place.rule))
                .filter(|rule| rule.file == file && !rule.is_off());
            let rules: BTreeSet<_> = rules.map(|rule| rule.id.clone()).collect();
            (!rules.is_empty()).then(|| UncalledOperation {
                operation: operation.pattern.to_string(),
                file,
                rules,
            })
        })
    }

    /// Whether it has rules about objects of Kubernetes: `/apis/batch/v1/…`, or `/api/v1/namespaces/…`.
    pub fn has_resources(&self) -> bool {
        self.operations.iter().any(|operation| {
            let literal = |at: usize| operation.pattern.segments.get(at)?.literal();
            let is_core = literal(0) == Some("api") && literal(2) == Some("namespaces");
            literal(0) == Some("apis") || is_core
        })
    }
}

/// A file with the rules of a file's requirements.
fn requirement_file(file: &mut RuleFile) -> RuleFile {
    RuleFile {
        name: file.name.clone(),
        api: file.api.clone(),
        base_path: file.base_path.clone(),
        hosts: file.hosts.clone(),
        rules: std::mem::take(&mut file.requirements),
        // No requirement replaces another.
        origin: RuleOrigin::User,
        facts_read: file.facts_read,
        ..RuleFile::default()
    }
}

/// The hosts of all descriptions; none if one of them states none.
fn hosts_of_all(described: &[DescribedRules]) -> Vec<HostPattern> {
    let hosts: Vec<_> = described.iter().map(DescribedRules::hosts).collect();
    if hosts.iter().any(Vec::is_empty) {
        Vec::new()
    } else {
        hosts.concat()
    }
}

/// The id; if it is taken, with the first number that makes it unique.
fn free_id(id: String, taken: &HashMap<String, Arc<str>>) -> String {
    if !taken.contains_key(&id) {
        return id;
    }
    (2..usize::MAX)
        .map(|number| format!("{id}-{number}"))
        .find(|candidate| !taken.contains_key(candidate))
        .unwrap_or_default()
}

/// The indices of operations, while rules are added to a set.
#[derive(Default)]
struct KnownOperations {
    by_pattern: HashMap<OperationKey, usize>,
    /// The file of the last rule.
    file: usize,
    /// Its places, and their operations: the rules of one entry share their places.
    places: Arc<[RulePlace]>,
    of_places: Vec<usize>,
}

/// The identity of an operation. The names of path variables do not matter.
type OperationKey = (Option<Method>, Vec<PatternSegment>);

/// An operation that rules name and no call reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncalledOperation {
    /// The operation, as the rules write it.
    pub operation: String,
    /// The number of their file.
    pub file: usize,
    /// The ids of its rules.
    pub rules: BTreeSet<String>,
}
