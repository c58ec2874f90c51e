//! Parses rules files: from the text to checked rules, or to the list of all mistakes.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::ops::Range;

use super::keys::{
    RegexCount, default_selectors, description, element, exceptions, fix, has_value_key, rule_id,
    schema, selectors, sides, title, value_test, when,
};
use super::locate::{SchemaLookup, SchemaLookups, locate};
use super::plausibility::{
    KnownPlaces, check_path, check_selectors, doubt_dates, doubt_method, doubt_name,
};
use super::source::NamedSources;
use super::version::id_words;
use super::{
    AfterRemoval, Element, ElementPart, Requirement, Rule, RuleFile, RuleOrigin, RulePlace,
    ServerVersions, Sides, ValueTest,
};
use sundown_exchange::{HostPattern, OperationPattern};
use sundown_openapi::FileSource;
use sundown_selector::Selector;
use toml::de::DeTable;

use sundown_files::toml_file::{
    FileMistakes, KeyCounts, Mistake, TableReader, TomlContent, WithSpan, read_table,
};
use sundown_text_json::text::{join, quote_list};

impl RuleFile {
    /// Parses a rules file (TOML). `name` is the name for messages.
    ///
    /// The error holds all mistakes of the file: syntax, unknown keys, invalid dates, selectors and templates, and duplicate
    /// ids. No other file is read, so a reference to an API description is a mistake as well; see [`Self::load`].
    pub fn parse(name: &str, text: &str) -> Result<Self, FileMistakes> {
        Self::load(name, text, &no_other_file)
    }

    /// Parses a rules file of the program. Its rules are not compared with each other to find doubtful dates: a test has done that.
    pub(super) fn parse_tested(
        name: &str,
        text: &str,
        origin: RuleOrigin,
    ) -> Result<Self, FileMistakes> {
        let file = Self::locate(name, text, read(name, text, None), &no_other_file)?;
        Ok(Self { origin, ..file })
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
        mistakes.extend(locate(&mut file, wanted, files));
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

    /// Checks a rules file without loading descriptions.
    pub(super) fn check_entries(name: &str, text: &str) -> Result<(), FileMistakes> {
        let TomlContent { mistakes, keys, .. } = read(name, text, None);
        if mistakes.iter().all(Mistake::is_doubt) {
            return Ok(());
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
    read_table(text, |fields| {
        let read = RuleFileReader::file(name, &fields, known);
        fields.finish();
        read
    })
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
    combinations: usize,
    /// The number of regular expressions so far.
    regexes: RegexCount,
    /// The ids of entries and values so far, each of which must be used once.
    ids: HashSet<String>,
    /// The rules so far, if they are compared.
    known: Option<KnownPlaces>,
}

impl<'t> RuleFileReader<'t> {
    fn file(
        name: &str,
        fields: &TableReader<'t>,
        known: Option<KnownPlaces>,
    ) -> (RuleFile, SchemaLookups) {
        let api = fields.required_text("api").unwrap_or_default();
        let base = fields
            .string("base_path")
            .and_then(|path| pattern(&path, &format!("* {}", path.value), fields));
        let hosts = host_patterns(fields);
        let mut regexes = RegexCount::default();
        let opaque = regexes.selectors(&fields.strings("opaque").unwrap_or_default(), fields);
        let description = description(fields);
        let mut reader = Self {
            base,
            opaque,
            groups: HashMap::new(),
            after_removal: AfterRemoval::read(fields),
            sources: NamedSources::read(fields),
            combinations: 0,
            regexes,
            ids: HashSet::new(),
            known,
        };
        let facts_read = reader.sources.oldest();
        if let Some(groups) = fields.table("groups") {
            reader.read_groups(&groups, fields);
        }
        let entries = |key: &'static str| {
            let tables = fields.tables(key).into_iter();
            tables.map(move |entry| fields.inner(at_head(key, &entry)))
        };
        let (rules, required) = (entries("rule"), entries("requirement"));
        if rules.len() + required.len() == 0 {
            fields.refuse_incomplete(
                "this file has no rules",
                "each rule is a [[rule]] or [[requirement]] table",
            );
        }
        let rules = rules.filter_map(|entry| reader.entry(entry)).flatten();
        let wanted = SchemaLookups {
            description,
            rules: rules.collect(),
        };
        let requirements = required.map(|entry| Requirement::read(entry, &mut reader));
        let file = RuleFile {
            name: name.to_owned(),
            api,
            hosts,
            requirements: requirements.collect(),
            base_path: reader.base,
            opaque: reader.opaque,
            facts_read,
            ..RuleFile::default()
        };
        (file, wanted)
    }

    fn read_groups(&mut self, groups: &WithSpan<&'t DeTable<'t>>, fields: &TableReader<'_>) {
        for (name, list) in groups.value {
            let refuse = |span| fields.complain(span, "a group is a list of operations");
            let Some(items) = list.get_ref().as_array() else {
                refuse(list.span());
                continue;
            };
            let operations = items.iter().filter_map(|item| {
                let span = item.span();
                let Some(value) = item.get_ref().as_str() else {
                    refuse(span);
                    return None;
                };
                self.operation(&WithSpan { value, span }, fields)
            });
            let operations = operations.collect();
            self.groups.insert(name.get_ref().as_ref(), operations);
        }
    }

    pub(super) fn operation(
        &self,
        text: &WithSpan<&str>,
        fields: &TableReader<'_>,
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
    fn may_combine(&mut self, more: usize, fields: &TableReader<'_>) -> bool {
        let before = self.combinations;
        self.combinations = before.saturating_add(more);
        if self.combinations > MAX_COMBINATIONS && before <= MAX_COMBINATIONS {
            let message = "the rules of this file have more than 1,000,000 combinations of operations, selectors, exceptions and values";
            fields.refuse(fields.span.clone(), message, "split the file");
        }
        self.combinations <= MAX_COMBINATIONS
    }

    /// Adds the id of an entry or a value, which is written at `span` or derived from what is there.
    fn add_id(
        &mut self,
        id: &str,
        span: Range<usize>,
        help: &'static str,
        fields: &TableReader<'_>,
    ) {
        if !id.is_empty() && !self.ids.insert(id.to_owned()) {
            fields.refuse(span, format!("the id `{id}` is used twice"), help);
        }
    }

    /// Adds the id of an entry.
    pub(super) fn add_own_id(&mut self, id: &str, fields: &TableReader<'_>) {
        self.add_id(id, fields.label("id"), "give each rule its own id", fields);
    }

    /// Reads an entry: its rules, each with the reference that locates it if the entry has a `schema`.
    fn entry(&mut self, fields: TableReader<'t>) -> Option<Vec<(Rule, Option<SchemaLookup>)>> {
        let values = fields.has("values");
        let values = values.then(|| fields.scalars_and_tables("values"));
        let mistakes = fields.count_mistakes();
        let read = self.rule(&fields);
        let rules = match (&read, values) {
            (None, _) => Vec::new(),
            (Some((rule, _)), None) => {
                self.add_own_id(&rule.id, &fields);
                vec![rule.clone()]
            }
            (Some((rule, _)), Some(values)) => {
                let span = fields.label("values");
                if rule.element.value.is_some() {
                    let message = "`values` takes the place of `value`, `starts_with`, `before` and `supported_months`";
                    fields.complain(span.clone(), message);
                }
                if values.is_empty() && fields.count_mistakes() == mistakes {
                    let message = "`values` is empty, so the rule can never match";
                    fields.complain(span, message);
                }
                self.add_own_id(&rule.id, &fields);
                let copied =
                    rule.places.len() + rule.exceptions.len() + length_of_texts(rule) / 256;
                if self.may_combine(values.len().saturating_mul(copied), &fields) {
                    self.value_rules(rule, values, &fields)
                } else {
                    Vec::new()
                }
            }
        };
        if let Some(known) = &mut self.known {
            known.add(&rules, fields.span_of("id").as_ref(), &fields);
        }
        if let Some(rule) = rules.first() {
            let selectors = rule.places.iter().map(|place| place.selectors.len());
            let around = rule.exceptions.len() + self.opaque.len();
            if self.may_combine(selectors.sum::<usize>().saturating_mul(around), &fields) {
                check_selectors(rule, &self.opaque, &fields);
            }
        }
        fields.finish();
        let (_, schema) = read?;
        let rules = rules.into_iter().map(|rule| (rule, schema.clone()));
        Some(rules.collect())
    }

    /// Reads the rule of an entry, without the keys of its values.
    fn rule(&mut self, fields: &TableReader<'t>) -> Option<(Rule, Option<SchemaLookup>)> {
        let id = rule_id(fields).map_or("", |id| id.value).to_owned();
        let schema = schema(fields);
        let reference = schema.as_ref().map(|schema| &schema.value);
        let element = element(reference, fields);
        let operation = fields.string("operation");
        let announced = operation.as_ref();
        let announced = announced.and_then(|text| self.operation(text, fields));
        let sides = sides(element.as_ref(), fields).unwrap_or(Sides::Both);
        let at = selectors(element.as_ref(), &mut self.regexes, fields);
        let has_schema = fields.has("schema");
        if let (None, Some(at), None) = (&operation, &at, reference) {
            let message = "`at` selects fields in `operation`, which is missing";
            let mistake = Mistake::missing(at.span.clone(), message);
            fields
                .add_mistake(mistake.with_help("add `operation`, or move the selectors to `also`"));
        }
        let mut places = Vec::new();
        // With a schema, the operation is only the one for which the deprecation was announced.
        if let (Some(operation), false) = (announced.clone(), has_schema) {
            let selectors = at.map_or_else(|| default_selectors(element.as_ref()), |at| at.value);
            places.push(RulePlace {
                operation,
                sides,
                selectors,
            });
        }
        let also_tables = fields.tables("also");
        if operation.is_none() && also_tables.is_empty() && !has_schema {
            fields.refuse_incomplete(
                "the rule names no operation",
                "add `operation`, or `also` for a rule about several operations",
            );
        }
        for also in also_tables {
            places.extend(self.also(fields.inner(also), element.as_ref(), sides));
        }
        let (note, of_removal) = (fields.text("note"), fields.text("removal_note"));
        let rule = with_replacement(Rule {
            title: title(element.as_ref(), fields),
            schema: reference.cloned(),
            announced,
            places: places.into(),
            exceptions: exceptions(element.as_ref(), &mut self.regexes, fields),
            replacement: fields.text("replacement"),
            is_note_of_removal: note.is_none() && of_removal.is_some(),
            note: note.or(of_removal),
            introduced: fields.date("introduced"),
            removal: fields.date("removal"),
            versions: ServerVersions::read(fields),
            docs: fields.text("docs"),
            sources: self.sources.of_entry(fields),
            is_possible: is_possible(fields).unwrap_or_default(),
            fix: fix(element.as_ref(), fields),
            after_removal: self.after_removal,
            when: when(element.as_ref(), fields),
            names_path: doubt_name(element.as_ref(), fields),
            ..Rule::new(id, element.clone().unwrap_or(Element::ENDPOINT))
        });
        doubt_dates(&rule, fields);
        check_segment(&rule, fields);
        let field = fields.span_of("field");
        let lookup = schema.map(|reference| SchemaLookup {
            reference,
            sides,
            field,
        });
        element.map(|_| (rule, lookup))
    }

    /// Reads an entry of `also`: one place for each operation that it names.
    fn also(
        &mut self,
        fields: TableReader<'t>,
        element: Option<&Element>,
        default_sides: Sides,
    ) -> Vec<RulePlace> {
        let operation = fields.string("operation");
        let group = fields.string("group");
        let selectors = selectors(element, &mut self.regexes, &fields)
            .map_or_else(|| default_selectors(element), |at| at.value);
        let sides = sides(element, &fields).unwrap_or(default_sides);
        let operations = match (operation, group) {
            (Some(operation), None) => self.operation(&operation, &fields).into_iter().collect(),
            (None, Some(group)) => self.group(group, &fields),
            _ => {
                let message = "an entry of `also` names either an `operation` or a `group`";
                fields.complain(fields.span.clone(), message);
                Vec::new()
            }
        };
        let combinations = operations.len().saturating_mul(selectors.len());
        if !self.may_combine(combinations, &fields) {
            return Vec::new();
        }
        fields.finish();
        let operations = operations.into_iter();
        let places = operations.map(|operation| RulePlace {
            operation,
            sides,
            selectors: selectors.clone(),
        });
        places.collect()
    }

    /// The operations of a group.
    fn group(&self, name: WithSpan<&str>, fields: &TableReader<'_>) -> Vec<OperationPattern> {
        if let Some(operations) = self.groups.get(name.value) {
            return operations.clone();
        }
        let help = if self.groups.is_empty() {
            "define it: add a table [groups] with a list of operations for each name".to_owned()
        } else {
            let known: BTreeSet<_> = self.groups.keys().copied().collect();
            format!("the groups are: {}", join(known, ", "))
        };
        let message = format!("no group `{}` in [groups]", name.value);
        fields.refuse(name.span, message, help);
        Vec::new()
    }

    /// Makes a rule for each of the values of an entry.
    fn value_rules(
        &mut self,
        entry: &Rule,
        values: Vec<ValueItem<'t>>,
        fields: &TableReader<'t>,
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
                Err(value) => {
                    let span = span.clone();
                    let inner = fields.inner(WithSpan { value, span });
                    id = inner.has("id").then(|| rule_id(&inner)).flatten();
                    self.read_value(&mut rule, inner)
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
            self.add_id(&id, span, help, fields);
            rule.id = id;
            rule.element.value = Some(test);
            rules.push(with_replacement(rule));
        }
        rules
    }

    /// Reads one value, and the facts about it; those of its entry stay where it has none.
    fn read_value(&self, rule: &mut Rule, fields: TableReader<'_>) -> Option<ValueTest> {
        let test = value_test(&fields);
        if test.is_none() && !has_value_key(&fields) {
            fields.refuse_incomplete(
                "the value is missing",
                "add `value`, `starts_with`, `before` or `supported_months`",
            );
        }
        let replace = |text: &mut Option<String>, key| *text = fields.text(key).or(text.take());
        replace(&mut rule.replacement, "replacement");
        replace(&mut rule.note, "note");
        rule.introduced = fields.date("introduced").or(rule.introduced);
        rule.removal = fields.date("removal").or(rule.removal);
        replace(&mut rule.docs, "docs");
        rule.is_possible = is_possible(&fields).unwrap_or(rule.is_possible);
        if fields.has("sources") {
            rule.sources = self.sources.of_entry(&fields);
        }
        doubt_dates(rule, &fields);
        fields.finish();
        test
    }
}

/// Checks that the paths of a rule about a segment have its variable.
fn check_segment(rule: &Rule, fields: &TableReader<'_>) {
    let ElementPart::Segment(name) = &rule.element.part else {
        return;
    };
    let mut operations = rule.places.iter().map(|place| &place.operation);
    let Some(operation) = operations.find(|operation| operation.variable(name).is_none()) else {
        return;
    };
    let message = format!("`{operation}` has no variable `{{{name}}}`");
    let help = match quote_list(operation.variables()) {
        none if none.is_empty() => format!("write `{{{name}}}` where the path has the value"),
        known => format!("its variables are: {known}"),
    };
    fields.refuse(fields.label("segment"), message, help);
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
    fields: &TableReader<'_>,
) -> Option<OperationPattern> {
    fields.accept(OperationPattern::parse(written).map_err(|error| {
        let message = format!("`{}`: {error}", text.value);
        let mistake = Mistake::new(text.span.clone(), message);
        if written.contains("://") {
            mistake.with_help("write the path alone, and the host under `hosts`")
        } else {
            mistake
        }
    }))
}

/// Reads the hosts that serve the operations.
fn host_patterns(fields: &TableReader<'_>) -> Vec<HostPattern> {
    let texts = fields.strings("hosts").unwrap_or_default().into_iter();
    let hosts = texts.filter_map(|WithSpan { value, span }| {
        fields.accept(HostPattern::parse(value).map_err(|error| {
            let after_scheme = value.split_once("://").map_or(value, |(_, rest)| rest);
            let host = after_scheme.split('/').next().unwrap_or_default();
            let mistake = Mistake::new(span, format!("`{value}`: {error}"));
            match HostPattern::parse(host) {
                Ok(_) => mistake.with_help(format!("write \"{host}\"")),
                Err(_) => mistake,
            }
        }))
    });
    hosts.collect()
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

fn is_possible(fields: &TableReader<'_>) -> Option<bool> {
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
