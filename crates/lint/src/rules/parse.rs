//! Parses rules files: from the text to checked rules, or to the list of all mistakes.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::Range;

use super::id_words::id_words;
use super::keys::{
    RegexCount, default_selectors, description, element, exceptions, fix, has_value_key, owned,
    rule_id, schema, selectors, sides, title, value_test,
};
use super::locate::{SchemaLookup, SchemaLookups, locate};
use super::plausibility::{
    KnownPlaces, check_path, check_selectors, doubt_dates, doubt_method, doubt_name,
};
use super::source::NamedSources;
use super::when_tables::when;
use super::{
    AfterRemoval, Element, ElementPart, Requirement, Rule, RuleFile, RulePlace, ServerVersions,
    Sides, ValueTest,
};
use sundown_exchange::{HostPattern, OperationPattern};
use sundown_openapi::FileSource;
use sundown_selector::Selector;
use toml::de::DeTable;

use sundown_files::toml_file::{
    FileMistakes, KeyCounts, Mistake, TableReader, TomlContent, WithSpan, read_table,
};
use sundown_text_json::text::quote_list;

impl RuleFile {
    /// Parses a rules file (TOML). `name` is the name for messages.
    ///
    /// The error holds all mistakes of the file: syntax, unknown keys, invalid dates, selectors and templates, and duplicate
    /// ids. No other file is read, so a reference to an API description is a mistake as well; see [`Self::load`].
    pub fn parse(name: &str, text: &str) -> Result<Self, FileMistakes> {
        Self::load(name, text, &no_other_file)
    }

    /// Parses a rules file whose rules are not compared with each other to find doubtful dates: a test has done that.
    pub(super) fn parse_tested(name: &str, text: &str) -> Result<Self, FileMistakes> {
        Self::locate(name, text, read(name, text, None), &no_other_file)
    }

    /// Parses a rules file and loads the API descriptions that it refers to. Their names are relative to `name`, the name of
    /// the rules file.
    pub fn load(name: &str, text: &str, files: &dyn FileSource) -> Result<Self, FileMistakes> {
        let content = read(name, text, Some(KnownPlaces::default()));
        Self::locate(name, text, content, files)
    }

    /// Finds the places of rules about schemas, and returns the file if it has no mistakes but doubts.
    fn locate(
        name: &str,
        text: &str,
        content: TomlContent<(Self, SchemaLookups)>,
        files: &dyn FileSource,
    ) -> Result<Self, FileMistakes> {
        let TomlContent {
            value: (mut file, wanted),
            mut mistakes,
            keys,
        } = content;
        mistakes.extend(locate(&mut file, &wanted, files));
        if mistakes.is_empty() {
            return Ok(file);
        }
        let can_be_used = mistakes.iter().all(Mistake::is_doubt);
        let mistakes = refusal(name, text, keys, mistakes);
        if !can_be_used {
            return Err(mistakes);
        }
        file.doubts = Some(Box::new(mistakes));
        Ok(file)
    }

    /// Parses a rules file without loading descriptions: one rule for each entry, also for those with a `schema`.
    pub(super) fn parse_entries(name: &str, text: &str) -> Result<Self, FileMistakes> {
        let TomlContent {
            value: (file, _),
            mistakes,
            keys,
        } = read(name, text, None);
        if mistakes.iter().all(Mistake::is_doubt) {
            return Ok(file);
        }
        Err(refusal(name, text, keys, mistakes))
    }
}

/// Refuses to read the files that a rules file refers to.
fn no_other_file(_: &str) -> io::Result<Vec<u8>> {
    Err(io::Error::other("other files are not read here"))
}

/// The keys that no other file has several of.
const OWN_KEYS: [&str; 13] = [
    "api",
    "rule",
    "requirement",
    "id",
    "operation",
    "removal",
    "introduced",
    "replacement",
    "base_path",
    "hosts",
    "also",
    "field",
    "parameter",
];

/// The error for a rules file with mistakes.
fn refusal(name: &str, text: &str, keys: KeyCounts, mistakes: Vec<Mistake>) -> FileMistakes {
    let keys = keys.or(KeyCounts::of_lines(text, &OWN_KEYS));
    let disclosure = keys.disclosure(name, LEAST_KEYS);
    FileMistakes::new(disclosure, "rules", name, text, mistakes)
}

/// The number of known keys by which a rules file is recognised: `api`, `rule`, and one in a rule.
const LEAST_KEYS: usize = 3;

fn read(
    name: &str,
    text: &str,
    known: Option<KnownPlaces>,
) -> TomlContent<(RuleFile, SchemaLookups)> {
    read_table(text, |fields| RuleFileReader::file(name, fields, known))
}

/// The maximum number of combinations of the operations, selectors, exceptions and values of a rule, in a file. Each combination
/// is a place of a rule, takes up to half a kilobyte, and is checked.
const MAX_COMBINATIONS: usize = 1_000_000;

/// The parts of a rules file that its entries share.
pub(super) struct RuleFileReader<'t> {
    base: Option<OperationPattern>,
    opaque: Vec<Selector>,
    groups: HashMap<&'t str, Vec<OperationPattern>>,
    after_removal: AfterRemoval,
    sources: NamedSources<'t>,
    /// The number of combinations so far.
    combinations: Cell<usize>,
    /// The number of regular expressions so far.
    regexes: RegexCount,
}

impl<'t> RuleFileReader<'t> {
    fn file(
        name: &str,
        mut fields: TableReader<'t, '_>,
        mut known: Option<KnownPlaces>,
    ) -> (RuleFile, SchemaLookups) {
        let api = owned(fields.required_string("api")).unwrap_or_default();
        let base = fields
            .string("base_path")
            .and_then(|path| pattern(&path, &format!("* {}", path.value), &mut fields));
        let hosts = host_patterns(&mut fields);
        let regexes = RegexCount::default();
        let opaque: Vec<_> = fields
            .strings("opaque")
            .unwrap_or_default()
            .iter()
            .filter_map(|text| regexes.selector(text, &mut fields))
            .collect();
        let description = description(&mut fields);
        let mut checker = Self {
            base,
            opaque,
            groups: HashMap::new(),
            after_removal: AfterRemoval::read(&mut fields),
            sources: NamedSources::read(&mut fields),
            combinations: Cell::new(0),
            regexes,
        };
        let facts_read = checker.sources.oldest();
        if let Some(groups) = fields.table("groups") {
            checker.read_groups(&groups, &mut fields);
        }
        let entries = fields.tables("rule");
        let mut wanted = SchemaLookups {
            description,
            entries: Vec::new(),
        };
        let mut rules = Vec::new();
        let mut ids = RuleIds::default();
        for entry in &entries {
            let entry = fields.inner(at_head("rule", entry));
            let Some((own, schema)) = checker.entry(entry, &mut ids, known.as_mut()) else {
                continue;
            };
            for rule in own {
                let lookup = schema.clone().map(|lookup| (rules.len(), lookup));
                wanted.entries.extend(lookup);
                rules.push(rule);
            }
        }
        let required = fields.tables("requirement");
        let requirements = required.iter().map(|entry| {
            let entry = fields.inner(at_head("requirement", entry));
            Requirement::read(entry, &checker)
        });
        let requirements = requirements.collect();
        if entries.is_empty() && required.is_empty() {
            fields.refuse_incomplete(
                "this file has no rules",
                "each rule is a [[rule]] or [[requirement]] table",
            );
        }
        for entry in &required {
            ids.add_given(entry.value, &mut fields);
        }
        fields.finish();
        let file = RuleFile {
            name: name.to_owned(),
            api,
            base_path: checker.base,
            hosts,
            opaque: checker.opaque,
            rules,
            requirements,
            facts_read,
            ..RuleFile::default()
        };
        (file, wanted)
    }

    fn read_groups(
        &mut self,
        groups: &WithSpan<&'t DeTable<'t>>,
        fields: &mut TableReader<'_, '_>,
    ) {
        for (name, list) in groups.value {
            let Some(items) = list.get_ref().as_array() else {
                fields.complain(list.span(), "a group is a list of operations");
                continue;
            };
            let mut operations = Vec::new();
            for item in items {
                match item.get_ref().as_str() {
                    Some(text) => operations.extend(self.operation(
                        &WithSpan {
                            value: text,
                            span: item.span(),
                        },
                        fields,
                    )),
                    None => fields.complain(item.span(), "a group is a list of operations"),
                }
            }
            self.groups.insert(name.get_ref().as_ref(), operations);
        }
    }

    pub(super) fn operation(
        &self,
        text: &WithSpan<&str>,
        fields: &mut TableReader<'_, '_>,
    ) -> Option<OperationPattern> {
        let operation = pattern(text, text.value, fields)?;
        check_path(&operation, &text.span, fields);
        doubt_method(&operation, &text.span, fields);
        if let Some(base) = &self.base
            && !operation.segments.starts_with(&base.segments)
        {
            let message = format!(
                "`{}` does not start with the base path `{}`",
                operation.path(),
                base.path()
            );
            let help = "write the whole path, as it was announced";
            fields.refuse(text.span.clone(), message, help);
        }
        Some(operation)
    }

    /// Counts combinations of an entry before they are made. Returns whether the file may have so many; else, the first excess is
    /// a mistake.
    fn may_combine(&self, more: usize, fields: &mut TableReader<'_, '_>) -> bool {
        let before = self.combinations.get();
        self.combinations.set(before.saturating_add(more));
        if self.combinations.get() > MAX_COMBINATIONS && before <= MAX_COMBINATIONS {
            let message = "the rules of this file have more than 1,000,000 combinations of operations, selectors, exceptions and values";
            fields.refuse(fields.span.clone(), message, "split the file");
        }
        self.combinations.get() <= MAX_COMBINATIONS
    }

    /// Reads an entry: its rules and, if it has a `schema`, the reference that locates all of them.
    fn entry(
        &self,
        mut fields: TableReader<'t, '_>,
        ids: &mut RuleIds,
        known: Option<&mut KnownPlaces>,
    ) -> Option<(Vec<Rule>, Option<SchemaLookup>)> {
        let values = fields
            .has("values")
            .then(|| fields.scalars_and_tables("values"));
        let span = fields.span_of("values");
        let given_id = fields.span_of("id");
        let mistakes = fields.mistakes().len();
        let read = self.rule(&mut fields);
        let rules = match (&read, values) {
            (None, _) => Vec::new(),
            (Some((rule, _)), None) => {
                ids.add(&rule.id, given_id, OWN_ID, &mut fields);
                vec![rule.clone()]
            }
            (Some((rule, _)), Some(values)) => {
                let span = span.unwrap_or(0..0);
                if rule.element.value.is_some() {
                    let message = "`values` takes the place of `value`, `starts_with`, `before` and `supported_months`";
                    fields.complain(span.clone(), message);
                }
                if values.is_empty() && fields.mistakes().len() == mistakes {
                    let message = "`values` is empty, so the rule can never match";
                    fields.complain(span, message);
                }
                ids.add(&rule.id, given_id, OWN_ID, &mut fields);
                let copied =
                    rule.places.len() + rule.exceptions.len() + length_of_texts(rule) / 256;
                if self.may_combine(values.len().saturating_mul(copied), &mut fields) {
                    value_rules(rule, values, ids, &self.sources, &mut fields)
                } else {
                    Vec::new()
                }
            }
        };
        let id = fields.span_of("id");
        if let Some(known) = known {
            known.add(&rules, id.as_ref(), &mut fields);
        }
        if let Some(rule) = rules.first() {
            let selectors = rule
                .places
                .iter()
                .map(|place| place.selectors.len())
                .sum::<usize>();
            let around = rule.exceptions.len() + self.opaque.len();
            if self.may_combine(selectors.saturating_mul(around), &mut fields) {
                check_selectors(rule, &self.opaque, &mut fields);
            }
        }
        fields.finish();
        read.map(|(_, schema)| (rules, schema))
    }

    /// Reads the rule of an entry, without the keys of its values.
    fn rule(&self, fields: &mut TableReader<'t, '_>) -> Option<(Rule, Option<SchemaLookup>)> {
        let id = rule_id(fields);
        let schema = schema(fields);
        let reference = schema.as_ref().map(|schema| &schema.value);
        let element = element(reference, fields);
        let announced = fields.string("operation");
        let announced_pattern = announced
            .as_ref()
            .and_then(|text| self.operation(text, fields));
        let sides = sides(element.as_ref(), fields).unwrap_or(Sides::Both);
        let at = selectors("at", element.as_ref(), &self.regexes, fields);
        if let (None, Some(at), None) = (&announced, at.as_ref(), reference) {
            let mistake = Mistake::missing(
                at.span.clone(),
                "`at` selects fields in `operation`, which is missing",
            );
            fields
                .add_mistake(mistake.with_help("add `operation`, or move the selectors to `also`"));
        }
        let mut places = Vec::new();
        // With a schema, the operation is only the one for which the deprecation was announced.
        if let (Some(operation), false) = (&announced_pattern, fields.has("schema")) {
            let selectors = at.map_or_else(|| default_selectors(element.as_ref()), |at| at.value);
            places.push(RulePlace {
                operation: operation.clone(),
                sides,
                selectors,
            });
        }
        let also_tables = fields.tables("also");
        let says_where = announced.is_some() || !also_tables.is_empty() || fields.has("schema");
        for also in also_tables {
            places.extend(self.also(fields.inner(also), element.as_ref(), sides));
        }
        if !says_where {
            fields.refuse_incomplete(
                "the rule names no operation",
                "add `operation`, or `also` for a rule about several operations",
            );
        }
        let element_or_call = element.clone().unwrap_or(Element::ENDPOINT);
        let id = owned(id).unwrap_or_default();
        let (note, of_removal) = (fields.string("note"), fields.string("removal_note"));
        let rule = Rule {
            title: title(element.as_ref(), fields),
            schema: reference.cloned(),
            announced: announced_pattern,
            places: places.into(),
            exceptions: exceptions(element.as_ref(), &self.regexes, fields),
            replacement: owned(fields.string("replacement")),
            is_note_of_removal: note.is_none() && of_removal.is_some(),
            note: owned(note.or(of_removal)),
            introduced: fields.date("introduced"),
            removal: fields.date("removal"),
            versions: ServerVersions::read(fields),
            docs: owned(fields.string("docs")),
            sources: self.sources.of_entry(fields),
            is_possible: is_possible(fields).unwrap_or_default(),
            fix: fix(element.as_ref(), fields),
            after_removal: self.after_removal,
            when: when(element.as_ref(), fields),
            names_path: doubt_name(element.as_ref(), fields),
            ..Rule::new(id, element_or_call)
        };
        let rule = with_replacement(rule);
        doubt_dates(rule.introduced, rule.removal, fields);
        Self::check_segment(&rule, fields);
        let field = fields.span_of("field");
        let lookup = schema.map(|reference| SchemaLookup {
            reference,
            sides,
            field,
        });
        element.map(|_| (rule, lookup))
    }

    /// Checks that the paths of a rule about a segment have its variable.
    fn check_segment(rule: &Rule, fields: &mut TableReader<'t, '_>) {
        let ElementPart::Segment(name) = &rule.element.part else {
            return;
        };
        let Some(place) = rule
            .places
            .iter()
            .find(|place| place.operation.variable(name).is_none())
        else {
            return;
        };
        let span = fields
            .span_of("segment")
            .unwrap_or_else(|| fields.span.clone());
        let message = format!("`{}` has no variable `{{{name}}}`", place.operation);
        let help = match quote_list(place.operation.variables()) {
            none if none.is_empty() => format!("write `{{{name}}}` where the path has the value"),
            known => format!("its variables are: {known}"),
        };
        fields.refuse(span, message, help);
    }

    /// Reads an entry of `also`: one place for each operation that it names.
    fn also(
        &self,
        mut fields: TableReader<'t, '_>,
        element: Option<&Element>,
        default_sides: Sides,
    ) -> Vec<RulePlace> {
        let operation = fields.string("operation");
        let group = fields.string("group");
        let selectors = selectors("at", element, &self.regexes, &mut fields)
            .map_or_else(|| default_selectors(element), |at| at.value);
        let sides = sides(element, &mut fields).unwrap_or(default_sides);
        let operations = match (operation, group) {
            (Some(operation), None) => self
                .operation(&operation, &mut fields)
                .into_iter()
                .collect(),
            (None, Some(group)) => self.groups.get(group.value).cloned().unwrap_or_else(|| {
                let mut known: Vec<_> = self.groups.keys().copied().collect();
                known.sort_unstable();
                let help = match known.join(", ") {
                    none if none.is_empty() => {
                        "define it: add a table [groups] with a list of operations for each name"
                            .to_owned()
                    }
                    names => format!("the groups are: {names}"),
                };
                let message = format!("no group `{}` in [groups]", group.value);
                fields.refuse(group.span, message, help);
                Vec::new()
            }),
            _ => {
                fields.complain(
                    fields.span.clone(),
                    "an entry of `also` names either an `operation` or a `group`",
                );
                Vec::new()
            }
        };
        if !self.may_combine(
            operations.len().saturating_mul(selectors.len()),
            &mut fields,
        ) {
            return Vec::new();
        }
        fields.finish();
        operations
            .into_iter()
            .map(|operation| RulePlace {
                operation,
                sides,
                selectors: selectors.clone(),
            })
            .collect()
    }
}

/// An entry under `key` with the span of its header, at which missing keys are reported.
fn at_head<'t>(key: &str, entry: &WithSpan<&'t DeTable<'t>>) -> WithSpan<&'t DeTable<'t>> {
    let length = key.len() + "[[]]".len();
    let start = entry.span.start;
    WithSpan {
        value: entry.value,
        span: start..start + length.min(entry.span.len()),
    }
}

/// Parses the pattern that a text means, in its written form.
fn pattern(
    text: &WithSpan<&str>,
    written: &str,
    fields: &mut TableReader<'_, '_>,
) -> Option<OperationPattern> {
    fields.accept(OperationPattern::parse(written).map_err(|error| {
        let message = format!("`{}`: {error}", text.value);
        Mistake::new(text.span.clone(), message)
    }))
}

/// Reads the hosts that serve the operations.
fn host_patterns(fields: &mut TableReader<'_, '_>) -> Vec<HostPattern> {
    let mut hosts = Vec::new();
    for WithSpan { value, span } in fields.strings("hosts").unwrap_or_default() {
        match HostPattern::parse(value) {
            Ok(host) => hosts.push(host),
            Err(error) => {
                let after_scheme = value.split_once("://").map_or(value, |(_, rest)| rest);
                let host = after_scheme.split('/').next().unwrap_or_default();
                let mistake = Mistake::new(span, format!("`{value}`: {error}"));
                fields.add_mistake(match HostPattern::parse(host) {
                    Ok(_) => mistake.with_help(format!("write \"{host}\"")),
                    Err(_) => mistake,
                });
            }
        }
    }
    hosts
}

/// What to do about an id that another entry has.
const OWN_ID: &str = "give each rule its own id";

/// The ids of a file, each of which must be used once.
#[derive(Default)]
struct RuleIds(HashSet<String>);

impl RuleIds {
    /// Adds the id of an entry or a value, which is written at `span` or derived from what is there.
    fn add(
        &mut self,
        id: &str,
        span: Option<Range<usize>>,
        help: &'static str,
        fields: &mut TableReader<'_, '_>,
    ) {
        let Some(span) = span.filter(|_| !id.is_empty() && !self.0.insert(id.to_owned())) else {
            return;
        };
        fields.refuse(span, format!("the id `{id}` is used twice"), help);
    }

    /// Adds the id of an entry that is not read here.
    fn add_given(&mut self, entry: &DeTable<'_>, fields: &mut TableReader<'_, '_>) {
        let Some(id) = entry.get("id") else { return };
        self.add(
            id.get_ref().as_str().unwrap_or_default(),
            Some(id.span()),
            OWN_ID,
            fields,
        );
    }
}

/// The length of the texts that each rule of an entry has, in bytes.
fn length_of_texts(rule: &Rule) -> usize {
    [&rule.replacement, &rule.note, &rule.docs]
        .into_iter()
        .flatten()
        .map(String::len)
        .sum()
}

/// An item of `values`: a value, or a table with the details of one.
type ValueItem<'t> = WithSpan<Result<String, &'t DeTable<'t>>>;

/// Makes a rule for each of the values of an entry.
fn value_rules<'t>(
    entry: &Rule,
    values: Vec<ValueItem<'t>>,
    ids: &mut RuleIds,
    named: &NamedSources<'t>,
    fields: &mut TableReader<'t, '_>,
) -> Vec<Rule> {
    let mut rules = Vec::with_capacity(values.len());
    for WithSpan { value, span } in values {
        let mut rule = Rule {
            other_ids: vec![entry.id.as_str().into()],
            ..entry.clone()
        };
        let mut id = None;
        let test = match value {
            Ok(text) => Some(ValueTest::Exact(text)),
            Err(table) => {
                let mut inner = fields.inner(WithSpan {
                    value: table,
                    span: span.clone(),
                });
                id = inner.has("id").then(|| rule_id(&mut inner)).flatten();
                let test = value_test(&mut inner);
                if test.is_none() && !has_value_key(&inner) {
                    inner.refuse_incomplete(
                        "the value is missing",
                        "add `value`, `starts_with`, `before` or `supported_months`",
                    );
                }
                read_facts(&mut rule, &mut inner);
                if inner.has("sources") {
                    rule.sources = named.of_entry(&mut inner);
                }
                doubt_dates(rule.introduced, rule.removal, &mut inner);
                inner.finish();
                test
            }
        };
        let Some(test) = test else { continue };
        let (id, span) = match id {
            Some(id) => (id.value.to_owned(), id.span),
            None => (
                format!("{}-{}", entry.id, id_words(&test.to_string())),
                span,
            ),
        };
        let help = "give this value its own id: { value = \"…\", id = \"…\" }";
        ids.add(&id, Some(span), help, fields);
        rule.id = id;
        rule.element.value = Some(test);
        rules.push(with_replacement(rule));
    }
    rules
}

/// Reads the facts about one value; those of its entry stay where it has none.
fn read_facts(rule: &mut Rule, fields: &mut TableReader<'_, '_>) {
    rule.replacement = owned(fields.string("replacement")).or(rule.replacement.take());
    rule.note = owned(fields.string("note")).or(rule.note.take());
    rule.introduced = fields.date("introduced").or(rule.introduced);
    rule.removal = fields.date("removal").or(rule.removal);
    rule.docs = owned(fields.string("docs")).or(rule.docs.take());
    rule.is_possible = is_possible(fields).unwrap_or(rule.is_possible);
}

fn is_possible(fields: &mut TableReader<'_, '_>) -> Option<bool> {
    fields.boolean("possible").map(|possible| possible.value)
}

/// Completes a rule that names no replacement. The name or the value that its edit writes is one. Of versions that work for some
/// months, the newest replaces old ones; each has its own last day.
fn with_replacement(mut rule: Rule) -> Rule {
    if rule.replacement.is_none() {
        let written = rule.fix.as_ref().and_then(|fix| fix.edit.to());
        rule.replacement = written.map(str::to_owned);
    }
    if let Some(ValueTest::Supported { newest, .. }) = &rule.element.value {
        rule.removal = None;
        rule.replacement.get_or_insert_with(|| newest.to_string());
    }
    rule
}
