//! Parses rules files: from the text to checked rules, or to the list of all mistakes.

use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::Range;

use super::keys::{
    default_selectors, description, element, exceptions, fix, owned, rule_id, schema, selector,
    selectors, sides,
};
use super::locate::{SchemaLookup, SchemaLookups, locate};
use super::{
    AfterRemoval, Element, Grade, IdSource, Requirement, Rule, RuleFile, RulePlace, Sides,
};
use crate::openapi::FileSource;
use crate::traffic::{HostPattern, OperationPattern};
use toml::de::DeTable;

use crate::toml_file::{FileMistakes, Mistake, TableReader, TomlContent, WithSpan, read_table};

impl RuleFile {
    /// Parses a rules file (TOML). `name` is the name for messages.
    ///
    /// The error holds all mistakes of the file: syntax, unknown keys, invalid dates, selectors and templates, and duplicate
    /// ids. No other file is read, so a reference to an API description is a mistake as well; see [`Self::load`].
    pub fn parse(name: &str, text: &str) -> Result<Self, FileMistakes> {
        let none = |_: &str| Err(io::Error::other("other files are not read here"));
        Self::load(name, text, &none)
    }

    /// Parses a rules file and loads the API descriptions that it refers to. Their names are relative to `name`, the name of
    /// the rules file.
    pub fn load(name: &str, text: &str, files: &dyn FileSource) -> Result<Self, FileMistakes> {
        let TomlContent { value: (mut file, wanted), mut mistakes, keys } = read(name, text);
        let located = locate(name, std::mem::take(&mut file.rules), &wanted, files);
        mistakes.extend(located.mistakes);
        (file.rules, file.described) = (located.rules, located.described);
        if mistakes.is_empty() {
            return Ok(file);
        }
        let disclosure = keys.disclosure(name, LEAST_KEYS);
        Err(FileMistakes::new(disclosure, "rules", name, text, mistakes))
    }

    /// Parses a rules file without loading descriptions: one rule for each entry, also for those with a `schema`.
    pub(super) fn parse_entries(name: &str, text: &str) -> Result<Self, FileMistakes> {
        let TomlContent { value: (file, _), mistakes, keys } = read(name, text);
        if mistakes.is_empty() {
            return Ok(file);
        }
        let disclosure = keys.disclosure(name, LEAST_KEYS);
        Err(FileMistakes::new(disclosure, "rules", name, text, mistakes))
    }
}

/// The number of known keys by which a rules file is recognised: `api`, `rule`, and one in a rule.
const LEAST_KEYS: usize = 3;

fn read(name: &str, text: &str) -> TomlContent<(RuleFile, SchemaLookups)> {
    read_table(text, |fields| RuleFileReader::file(name, fields))
}

/// The parts of a rules file that its entries share.
struct RuleFileReader<'t> {
    base: Option<OperationPattern>,
    groups: HashMap<&'t str, Vec<OperationPattern>>,
    after_removal: AfterRemoval,
}

impl<'t> RuleFileReader<'t> {
    fn file(name: &str, mut fields: TableReader<'t, '_>) -> (RuleFile, SchemaLookups) {
        let api = fields.required_string("api").map(|api| api.value.to_owned()).unwrap_or_default();
        let base_path = fields.string("base_path");
        let base = base_path.as_ref().and_then(|path| base_pattern(path, &mut fields));
        let hosts = host_patterns(&mut fields);
        let opaque = fields.strings("opaque").unwrap_or_default();
        let opaque = opaque.iter().filter_map(|text| selector(text, &mut fields)).collect();
        let description = description(&mut fields);
        let after_removal = AfterRemoval::read(&mut fields);
        let mut checker = Self { base, groups: HashMap::new(), after_removal };
        if let Some(groups) = fields.table("groups") {
            checker.read_groups(&groups, &mut fields);
        }
        let entries = fields.tables("rule");
        let mut wanted = SchemaLookups { description, entries: Vec::new() };
        let mut rules = Vec::new();
        for entry in &entries {
            let fields = TableReader::new(entry.value, head("rule", entry), fields.mistakes());
            let Some((rule, schema)) = checker.rule(fields) else { continue };
            let rule_number = rules.len();
            wanted.entries.extend(schema.map(|entry| SchemaLookup { rule: rule_number, ..entry }));
            rules.push(rule);
        }
        let required = fields.tables("requirement");
        let requirements = checker.requirements(&required, &mut fields);
        if entries.is_empty() && required.is_empty() {
            let span = fields.span.clone();
            fields.add_mistake(
                Mistake::missing(span, "this file has no rules")
                    .with_help("each rule is a [[rule]] or [[requirement]] table"),
            );
        }
        duplicate_ids(entries.iter().chain(&required), &mut fields);
        fields.finish();
        let (described, notes) = (Vec::new(), Vec::new());
        let file = RuleFile {
            name: name.to_owned(),
            api,
            base_path: checker.base,
            hosts,
            opaque,
            rules,
            requirements,
            described,
            ids: IdSource::Given,
            notes,
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
                fields.add_mistake(Mistake::new(list.span(), "a group is a list of operations"));
                continue;
            };
            let mut operations = Vec::new();
            for item in items {
                match item.get_ref().as_str() {
                    Some(text) => operations.extend(
                        self.operation(&WithSpan { value: text, span: item.span() }, fields),
                    ),
                    None => fields
                        .add_mistake(Mistake::new(item.span(), "a group is a list of operations")),
                }
            }
            self.groups.insert(name.get_ref().as_ref(), operations);
        }
    }

    fn operation(
        &self,
        text: &WithSpan<&str>,
        fields: &mut TableReader<'_, '_>,
    ) -> Option<OperationPattern> {
        match OperationPattern::parse(text.value) {
            Ok(operation) => {
                if let Some(base) = &self.base
                    && !operation.segments.starts_with(&base.segments)
                {
                    let message = format!(
                        "`{}` does not start with the base path `{}`",
                        operation.path(),
                        base.path()
                    );
                    let mistake = Mistake::new(text.span.clone(), message);
                    fields.add_mistake(
                        mistake.with_help("write the whole path, as it was announced"),
                    );
                }
                Some(operation)
            }
            Err(error) => {
                fields.add_mistake(Mistake::new(
                    text.span.clone(),
                    format!("`{}`: {error}", text.value),
                ));
                None
            }
        }
    }

    /// Reads the requirements.
    fn requirements(
        &self,
        entries: &[WithSpan<&'t DeTable<'t>>],
        fields: &mut TableReader<'t, '_>,
    ) -> Vec<Requirement> {
        let read = |entry: &WithSpan<&'t DeTable<'t>>| {
            let head = head("requirement", entry);
            let fields = TableReader::new(entry.value, head, fields.mistakes());
            Requirement::read(fields, |text, fields| self.operation(text, fields))
        };
        entries.iter().map(read).collect()
    }

    /// Reads an entry: its rule and, if it has a `schema`, the reference that locates it.
    fn rule(&self, mut fields: TableReader<'t, '_>) -> Option<(Rule, Option<SchemaLookup>)> {
        let id = rule_id(&mut fields);
        let schema = schema(&mut fields);
        let reference = schema.as_ref().map(|schema| &schema.value);
        let element = element(reference, &mut fields);
        let announced = fields.string("operation");
        let announced_pattern =
            announced.as_ref().and_then(|text| self.operation(text, &mut fields));
        let sides = sides(element.as_ref(), &mut fields).unwrap_or(Sides::Both);
        let at = selectors("at", element.as_ref(), &mut fields);
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
            places.push(RulePlace { operation: operation.clone(), sides, selectors });
        }
        let also_tables = fields.tables("also");
        let says_where = announced.is_some() || !also_tables.is_empty() || fields.has("schema");
        for also in also_tables {
            let inner = TableReader::new(also.value, also.span, fields.mistakes());
            places.extend(self.also(inner, element.as_ref(), sides));
        }
        if !says_where {
            let span = fields.span.clone();
            let mistake = Mistake::missing(span, "the rule names no operation");
            fields.add_mistake(
                mistake.with_help("add `operation`, or `also` for a rule about several operations"),
            );
        }
        let rule = Rule {
            id: id.map(|id| id.value.to_owned()).unwrap_or_default(),
            schema: reference.cloned(),
            announced: announced_pattern,
            places,
            exceptions: exceptions(element.as_ref(), &mut fields),
            replacement: owned(fields.string("replacement")),
            note: owned(fields.string("note")),
            introduced: fields.date("introduced"),
            removal: fields.date("removal"),
            docs: owned(fields.string("docs")),
            fix: fix(&mut fields),
            grade: Grade::ByDays,
            after_removal: self.after_removal,
            element: element.clone().unwrap_or(Element::ENDPOINT),
        };
        let field = fields.span_of("field");
        fields.finish();
        let entry = schema.map(|reference| SchemaLookup { rule: 0, reference, sides, field });
        element.map(|_| (rule, entry))
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
        let selectors = selectors("at", element, &mut fields)
            .map_or_else(|| default_selectors(element), |at| at.value);
        let sides = sides(element, &mut fields).unwrap_or(default_sides);
        let operations = match (operation, group) {
            (Some(operation), None) => {
                self.operation(&operation, &mut fields).into_iter().collect()
            }
            (None, Some(group)) => self.groups.get(group.value).cloned().unwrap_or_else(|| {
                let mut known: Vec<_> = self.groups.keys().copied().collect();
                known.sort_unstable();
                let mistake =
                    Mistake::new(group.span, format!("no group `{}` in [groups]", group.value));
                fields.add_mistake(
                    mistake.with_help(format!("the groups are: {}", known.join(", "))),
                );
                Vec::new()
            }),
            _ => {
                let span = fields.span.clone();
                fields.add_mistake(Mistake::new(
                    span,
                    "an entry of `also` names either an `operation` or a `group`",
                ));
                Vec::new()
            }
        };
        fields.finish();
        operations
            .into_iter()
            .map(|operation| RulePlace { operation, sides, selectors: selectors.clone() })
            .collect()
    }
}

/// The span of the header of an entry under `key`, at which missing keys are reported.
fn head(key: &str, entry: &WithSpan<&DeTable<'_>>) -> Range<usize> {
    let length = key.len() + "[[]]".len();
    entry.span.start..entry.span.start + length.min(entry.span.len())
}

fn base_pattern(
    path: &WithSpan<&str>,
    fields: &mut TableReader<'_, '_>,
) -> Option<OperationPattern> {
    let base = OperationPattern::parse(&format!("* {}", path.value));
    if let Err(error) = &base {
        fields.add_mistake(Mistake::new(path.span.clone(), format!("`{}`: {error}", path.value)));
    }
    base.ok()
}

/// Reads the hosts that serve the operations.
fn host_patterns(fields: &mut TableReader<'_, '_>) -> Vec<HostPattern> {
    let mut hosts = Vec::new();
    for WithSpan { value, span } in fields.strings("hosts").unwrap_or_default() {
        match HostPattern::parse(value) {
            Ok(host) => hosts.push(host),
            Err(error) => fields.add_mistake(Mistake::new(span, format!("`{value}`: {error}"))),
        }
    }
    hosts
}

fn duplicate_ids<'e, 't: 'e>(
    entries: impl Iterator<Item = &'e WithSpan<&'t DeTable<'t>>>,
    fields: &mut TableReader<'_, '_>,
) {
    let mut seen = HashSet::new();
    for entry in entries {
        let Some(id) = entry.value.get("id") else { continue };
        let Some(name) = id.get_ref().as_str() else { continue };
        if !seen.insert(name.to_owned()) {
            let mistake = Mistake::new(id.span(), format!("the id `{name}` is used twice"));
            fields.add_mistake(mistake.with_help("give each rule its own id"));
        }
    }
}
