//! From the text of a rules file to checked rules, or to the list of all its mistakes.

use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::Range;

use toml::de::DeTable;

use super::fields::{At, Fields};
use super::locate::{Wanted, WantedEntry, locate};
use super::mistake::{Mistake, RuleFileError};
use super::schema::{SchemaReference, local_file};
use super::selector::Selector;
use super::{Element, Fix, Named, Place, Rule, RuleFile, Sides};
use crate::description::Files;
use crate::exchange::{OperationPattern, Side};

impl RuleFile {
    /// Reads a rules file (TOML). `name` is what messages call it.
    ///
    /// The error holds every mistake of the file: syntax, unknown keys, bad dates, selectors, templates, and duplicate ids.
    /// No other file is read, so that an API description in it is one more mistake; see [`Self::load`].
    pub fn parse(name: &str, text: &str) -> Result<Self, RuleFileError> {
        let none = |_: &str| Err(io::Error::other("no other files are read here"));
        Self::load(name, text, &none)
    }

    /// The same, with the API descriptions that it names, of which `files` gives the bytes. Their names are relative to
    /// `name`, the rules file's own.
    pub fn load(name: &str, text: &str, files: &dyn Files) -> Result<Self, RuleFileError> {
        let (mut file, wanted, mut mistakes) = read(name, text);
        let located = locate(name, std::mem::take(&mut file.rules), &wanted, files);
        mistakes.extend(located.mistakes);
        (file.rules, file.described) = (located.rules, located.described);
        if mistakes.is_empty() { Ok(file) } else { Err(RuleFileError::new(name, text, mistakes)) }
    }

    /// The same without looking into descriptions: one rule for each entry, those with a `schema` found nowhere.
    pub(super) fn unlocated(name: &str, text: &str) -> Result<Self, RuleFileError> {
        let (file, _, mistakes) = read(name, text);
        if mistakes.is_empty() { Ok(file) } else { Err(RuleFileError::new(name, text, mistakes)) }
    }
}

fn read(name: &str, text: &str) -> (RuleFile, Wanted, Vec<Mistake>) {
    let (document, syntax) = DeTable::parse_recoverable(text);
    let mut mistakes = Vec::new();
    // Something that is missing from the file as a whole is shown at its first line.
    let first_line = 0..text.find('\n').unwrap_or(text.len());
    let fields = Fields::new(document.get_ref(), first_line, &mut mistakes);
    let (file, wanted) = Checker::file(name, fields);
    if !syntax.is_empty() {
        keep_certain(text, &syntax, &mut mistakes);
    }
    (file, wanted, mistakes)
}

/// Adds the errors of syntax, and drops what may only follow from them: what is missing, and what stands on their lines.
fn keep_certain(text: &str, syntax: &[toml::de::Error], mistakes: &mut Vec<Mistake>) {
    let line = |at: usize| text.get(..at).map_or(0, |before| before.matches('\n').count());
    let errors: Vec<_> = syntax
        .iter()
        .map(|error| {
            Mistake::new(error.span().unwrap_or(0..0), format!("not TOML: {}", error.message()))
        })
        .collect();
    mistakes.retain(|mistake| {
        !mistake.absence
            && errors.iter().all(|error| line(error.span.start) != line(mistake.span.start))
    });
    mistakes.extend(errors);
}

/// What the entries of one file share.
struct Checker<'t> {
    base: Option<OperationPattern>,
    groups: HashMap<&'t str, Vec<OperationPattern>>,
}

impl<'t> Checker<'t> {
    fn file(name: &str, mut fields: Fields<'t, '_>) -> (RuleFile, Wanted) {
        let api = fields.required_string("api").map(|api| api.value.to_owned()).unwrap_or_default();
        let base_path = fields.string("base_path");
        let base = base_path.as_ref().and_then(|path| base_pattern(path, &mut fields));
        let opaque = fields.strings("opaque").unwrap_or_default();
        let opaque = opaque.iter().filter_map(|text| selector(text, &mut fields)).collect();
        let description = description(&mut fields);
        let mut checker = Self { base, groups: HashMap::new() };
        if let Some(groups) = fields.table("groups") {
            checker.read_groups(&groups, &mut fields);
        }
        let entries = fields.tables("rule");
        let mut wanted = Wanted { description, entries: Vec::new() };
        let mut rules = Vec::new();
        for entry in &entries {
            let fields = Fields::new(entry.value, head(entry), fields.mistakes());
            let Some((rule, schema)) = checker.rule(fields) else { continue };
            let rule_number = rules.len();
            wanted.entries.extend(schema.map(|entry| WantedEntry { rule: rule_number, ..entry }));
            rules.push(rule);
        }
        if entries.is_empty() {
            let span = fields.span.clone();
            fields.complain(
                Mistake::missing(span, "no rules in this file")
                    .with_help("each entry is a [[rule]] table"),
            );
        }
        duplicate_ids(&entries, &mut fields);
        fields.finish();
        let (described, notes) = (Vec::new(), Vec::new());
        let file = RuleFile { name: name.to_owned(), api, opaque, rules, described, notes };
        (file, wanted)
    }

    fn read_groups(&mut self, groups: &At<&'t DeTable<'t>>, fields: &mut Fields<'_, '_>) {
        for (name, list) in groups.value {
            let Some(items) = list.get_ref().as_array() else {
                fields.complain(Mistake::new(list.span(), "a group is a list of operations"));
                continue;
            };
            let mut operations = Vec::new();
            for item in items {
                match item.get_ref().as_str() {
                    Some(text) => operations
                        .extend(self.operation(&At { value: text, span: item.span() }, fields)),
                    None => fields
                        .complain(Mistake::new(item.span(), "a group is a list of operations")),
                }
            }
            self.groups.insert(name.get_ref().as_ref(), operations);
        }
    }

    fn operation(&self, text: &At<&str>, fields: &mut Fields<'_, '_>) -> Option<OperationPattern> {
        match OperationPattern::parse(text.value) {
            Ok(operation) => {
                if let Some(base) = &self.base
                    && !operation.segments.starts_with(&base.segments)
                {
                    let message = format!(
                        "`{}` does not begin with the base path `{}`",
                        operation.path(),
                        base.path()
                    );
                    let mistake = Mistake::new(text.span.clone(), message);
                    fields
                        .complain(mistake.with_help("write the path in full, as it was announced"));
                }
                Some(operation)
            }
            Err(error) => {
                fields.complain(Mistake::new(
                    text.span.clone(),
                    format!("`{}`: {error}", text.value),
                ));
                None
            }
        }
    }

    /// The rule of an entry, and where to locate it, if that is by a `schema`.
    fn rule(&self, mut fields: Fields<'t, '_>) -> Option<(Rule, Option<WantedEntry>)> {
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
                "`at` says where in `operation`, which is missing",
            );
            fields
                .complain(mistake.with_help("give `operation`, or put the selectors into `also`"));
        }
        let mut places = Vec::new();
        // Beside a schema, the operation is only the one with which the deprecation was announced.
        if let (Some(operation), false) = (&announced_pattern, fields.has("schema")) {
            let selectors = at.map_or_else(|| default_selectors(element.as_ref()), |at| at.value);
            places.push(Place { operation: operation.clone(), sides, selectors });
        }
        let also_tables = fields.tables("also");
        let says_where = announced.is_some() || !also_tables.is_empty() || fields.has("schema");
        for also in also_tables {
            let inner = Fields::new(also.value, also.span, fields.mistakes());
            places.extend(self.also(inner, element.as_ref(), sides));
        }
        if !says_where {
            let span = fields.span.clone();
            let mistake = Mistake::missing(span, "the rule names no operation");
            fields.complain(
                mistake.with_help("give `operation`, or `also` for a rule that holds in several"),
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
            element: element.clone().unwrap_or(Element::Endpoint),
        };
        let field = fields.span_of("field");
        fields.finish();
        let entry = schema.map(|reference| WantedEntry { rule: 0, reference, sides, field });
        element.map(|_| (rule, entry))
    }

    /// The places of one entry of `also`: one for each operation that it names.
    fn also(
        &self,
        mut fields: Fields<'t, '_>,
        element: Option<&Element>,
        default_sides: Sides,
    ) -> Vec<Place> {
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
                fields.complain(mistake.with_help(format!("groups here: {}", known.join(", "))));
                Vec::new()
            }),
            _ => {
                let span = fields.span.clone();
                fields.complain(Mistake::new(
                    span,
                    "an entry of `also` names either an `operation` or a `group`",
                ));
                Vec::new()
            }
        };
        fields.finish();
        operations
            .into_iter()
            .map(|operation| Place { operation, sides, selectors: selectors.clone() })
            .collect()
    }
}

/// Where an entry is shown when something is missing from it: its header.
fn head(entry: &At<&DeTable<'_>>) -> Range<usize> {
    entry.span.start..entry.span.start + "[[rule]]".len().min(entry.span.len())
}

fn rule_id<'t>(fields: &mut Fields<'t, '_>) -> Option<At<&'t str>> {
    let id = fields.required_string("id");
    if let Some(id) = &id
        && !is_id(id.value)
    {
        let mistake = Mistake::new(id.span.clone(), format!("`{}` is no id", id.value));
        fields.complain(
            mistake.with_help(
                "lower-case words of letters and digits with `-` between: chat-citations",
            ),
        );
    }
    id
}

fn owned(text: Option<At<&str>>) -> Option<String> {
    text.map(|text| text.value.to_owned())
}

fn is_id(text: &str) -> bool {
    let word = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    text.split('-').all(word)
}

fn base_pattern(path: &At<&str>, fields: &mut Fields<'_, '_>) -> Option<OperationPattern> {
    let base = OperationPattern::parse(&format!("* {}", path.value));
    if let Err(error) = &base {
        fields.complain(Mistake::new(path.span.clone(), format!("`{}`: {error}", path.value)));
    }
    base.ok()
}

/// What the entry is about. A schema's field has the name of the property, unless the entry says it.
fn element(schema: Option<&SchemaReference>, fields: &mut Fields<'_, '_>) -> Option<Element> {
    let field = fields.string("field");
    let parameter = fields.string("parameter");
    let header = fields.string("header");
    let value = fields.scalar_text("value");
    let given = [&field, &parameter, &header].into_iter().flatten().count();
    let complaint = if given > 1 {
        "a rule is about one of `field`, `parameter` and `header`"
    } else if value.is_some() && !fields.has("field") && !fields.has("schema") {
        "`value` needs the `field` whose value it is"
    } else if fields.has("schema") && (parameter.is_some() || header.is_some()) {
        "`schema` is for a field; parameters and headers are located by `operation` and `also`"
    } else if schema.is_none() && fields.has("schema") && field.is_none() {
        // The reference is wrong, which has been told.
        return None;
    } else {
        let field = field.map(|field| field.value.to_owned());
        let field = field.or_else(|| Some(schema?.name()));
        return Some(match (field, parameter, header) {
            (Some(name), _, _) => Element::Field(Named { name, value }),
            (_, Some(parameter), _) => Element::Parameter(parameter.value.to_owned()),
            (_, _, Some(header)) => Element::Header(header.value.to_ascii_lowercase()),
            (None, None, None) => Element::Endpoint,
        });
    };
    let span = fields.span.clone();
    fields.complain(Mistake::new(span, complaint));
    None
}

/// The description whose operations and files the rules file knows.
fn description(fields: &mut Fields<'_, '_>) -> Option<At<String>> {
    let path = fields.string("description")?;
    match local_file(path.value) {
        Ok(value) => Some(At { value, span: path.span }),
        Err(error) => {
            let message = format!("`{}` {}", path.value, error.message);
            fields.complain(Mistake::new(path.span, message).with_help(error.help));
            None
        }
    }
}

/// The place in a description by which a field is located; what else would say where it is is refused.
fn schema(fields: &mut Fields<'_, '_>) -> Option<At<SchemaReference>> {
    let text = fields.string("schema")?;
    for (key, help) in [
        ("at", "leave out `at`; for other places than the schema's, give `also`"),
        (
            "except",
            "point `schema` at a property that is always deprecated, or give `operation` and `at` instead of it",
        ),
    ] {
        if let Some(span) = fields.span_of(key) {
            let message = format!(
                "`{key}` is for fields that selectors locate; this one is located by `schema`"
            );
            fields.complain(Mistake::new(span, message).with_help(help));
        }
    }
    match SchemaReference::parse(text.value) {
        Ok(value) => Some(At { value, span: text.span }),
        Err(error) => {
            let message = format!("`{}` {}", text.value, error.message);
            fields.complain(Mistake::new(text.span, message).with_help(error.help));
            None
        }
    }
}

fn sides(element: Option<&Element>, fields: &mut Fields<'_, '_>) -> Option<Sides> {
    let names = fields.strings("sides")?;
    if let (Some(first), Some(Element::Endpoint | Element::Parameter(_))) = (names.first(), element)
    {
        let message = "`sides` is for fields and headers: an endpoint has none, and a parameter is in the request";
        fields.complain(Mistake::new(first.span.clone(), message));
    }
    let mut found = Vec::new();
    for name in &names {
        match Side::from_name(name.value) {
            Some(side) => found.push(side),
            None => {
                let mistake =
                    Mistake::new(name.span.clone(), format!("`{}` is no side", name.value));
                fields.complain(mistake.with_help("sides are \"request\" and \"response\""));
            }
        }
    }
    match *found.as_slice() {
        [] if names.is_empty() => {
            let span = fields.span.clone();
            fields.complain(Mistake::new(span, "`sides` is empty: the rule could never match"));
            None
        }
        [] => None,
        [side] => Some(Sides::Only(side)),
        [first, ref rest @ ..] => {
            Some(if rest.contains(&first) { Sides::Only(first) } else { Sides::Both })
        }
    }
}

/// The selectors under `key`, each of which must end at the field that the rule is about.
fn selectors(
    key: &'static str,
    element: Option<&Element>,
    fields: &mut Fields<'_, '_>,
) -> Option<At<Vec<Selector>>> {
    let texts = fields.strings(key)?;
    let span = texts.first().map_or_else(|| fields.span.clone(), |first| first.span.clone());
    let name = match element {
        Some(Element::Field(field)) => Some(&field.name),
        Some(_) => {
            fields.complain(Mistake::new(
                span.clone(),
                format!("`{key}` is for a `field`; this rule is about none"),
            ));
            return None;
        }
        None => None,
    };
    if texts.is_empty() {
        fields.complain(Mistake::new(
            span.clone(),
            format!("`{key}` is empty: the rule could never match"),
        ));
    }
    let mut selectors = Vec::new();
    for text in &texts {
        let Some(selector) = selector(text, fields) else { continue };
        if let Some(name) = name
            && selector.last_names().is_none_or(|names| names != [name])
        {
            let mistake = Mistake::new(
                text.span.clone(),
                format!("`{}` does not end at the field `{name}`", text.value),
            );
            fields.complain(mistake.with_help(format!(
                "the last step of each selector is the field's name: $.….{name}"
            )));
        }
        selectors.push(selector);
    }
    Some(At { value: selectors, span })
}

fn default_selectors(element: Option<&Element>) -> Vec<Selector> {
    match element {
        Some(Element::Field(field)) => vec![Selector::anywhere(&field.name)],
        _ => Vec::new(),
    }
}

fn selector(text: &At<&str>, fields: &mut Fields<'_, '_>) -> Option<Selector> {
    match Selector::parse(text.value) {
        Ok(selector) => Some(selector),
        Err(error) => {
            let mut mistake = Mistake::new(text.span.clone(), error.message);
            mistake.help = error.help.map(str::to_owned);
            fields.complain(mistake);
            None
        }
    }
}

fn exceptions(element: Option<&Element>, fields: &mut Fields<'_, '_>) -> Vec<Selector> {
    let texts = fields.strings("except").unwrap_or_default();
    if let (Some(first), Some(Element::Endpoint | Element::Parameter(_) | Element::Header(_))) =
        (texts.first(), element)
    {
        fields.complain(Mistake::new(
            first.span.clone(),
            "`except` is for a `field`; this rule is about none",
        ));
    }
    texts.iter().filter_map(|text| selector(text, fields)).collect()
}

/// `fix` is reserved: it is read and checked, so that tables can carry it, and shown by `explain`.
fn fix(fields: &mut Fields<'_, '_>) -> Option<Fix> {
    let table = fields.table("fix")?;
    let mut inner = Fields::new(table.value, table.span, fields.mistakes());
    let rename = inner.required_string("rename");
    let safety = inner.required_string("safety");
    let safe = match safety.as_ref().map(|safety| safety.value) {
        Some("safe") => true,
        Some("unsafe") | None => false,
        Some(_) => {
            let span = safety.map_or(0..0, |safety| safety.span);
            inner.complain(Mistake::new(span, "`safety` is \"safe\" or \"unsafe\""));
            false
        }
    };
    inner.finish();
    rename.map(|rename| Fix { rename: rename.value.to_owned(), safe })
}

fn duplicate_ids(entries: &[At<&DeTable<'_>>], fields: &mut Fields<'_, '_>) {
    let mut seen = HashSet::new();
    for entry in entries {
        let Some(id) = entry.value.get("id") else { continue };
        let Some(name) = id.get_ref().as_str() else { continue };
        if !seen.insert(name.to_owned()) {
            let mistake = Mistake::new(id.span(), format!("the id `{name}` is used twice"));
            fields.complain(mistake.with_help("every rule has an id of its own"));
        }
    }
}
