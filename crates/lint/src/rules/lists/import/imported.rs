//! What an import gives, and from which formats.

use std::fmt::Write as _;

use super::collector::ListCollector;
use super::ids;
use crate::rules::lists::ListFormat;
use crate::rules::{ElementPart, Rule, RuleFile, RulePlace, Sides, ValueTest};
use sundown_files::toml_file::FileMistakes;
use sundown_selector::Selector;
use sundown_text_json::text::toml::string;
use sundown_text_json::text::{Location, escape_unsafe, join};

/// The contents of a list or a description.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The name of the source in messages.
    pub name: String,
    /// The description, if the source is one.
    pub description: Option<ImportedDescription>,
    /// The entries, in the order of the source.
    pub entries: Vec<ImportedEntry>,
    /// Content that a rules file cannot hold, and how it was handled.
    pub remarks: Vec<ImportRemark>,
}

/// An imported description, as the rules file refers to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedDescription {
    /// Its path, relative to the rules file.
    pub path: String,
    /// The name of the API.
    pub api: String,
}

/// An entry of a list, or an element that a description marks as deprecated.
#[derive(Debug, Clone)]
pub struct ImportedEntry {
    /// The rule; without an id if the list has none. It has no places if the list does not name any, and if a schema locates it.
    pub rule: Rule,
    /// The location of the entry in the list.
    pub location: Location,
}

/// A note about an import that is not a mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRemark {
    /// The location in the list.
    pub location: Location,
    /// The text of the note.
    pub message: String,
}

impl ListFormat {
    /// Guesses the format of a text from its beginning.
    pub fn recognise(text: &str) -> Option<Self> {
        if text.trim_start().starts_with(['{', '[']) {
            return Some(Self::Json);
        }
        // CSV comes first: it begins with a header, but a Markdown document can begin with any text.
        if super::csv::is_list(text) {
            return Some(Self::Csv);
        }
        super::markdown::has_table(text).then_some(Self::Markdown)
    }
}

impl Imported {
    /// Reads a list; messages call it `name`. The error holds all mistakes of the list.
    pub fn read(format: ListFormat, name: &str, text: &str) -> Result<Self, FileMistakes> {
        let mut collector = ListCollector::default();
        match format {
            ListFormat::Markdown => super::markdown::read(text, &mut collector),
            ListFormat::Csv => super::csv::read(text, &mut collector),
            ListFormat::Json => super::json::read(text, &mut collector),
        }
        collector.finish(name, text)
    }
}

/// Writes a rules file with all entries, and returns it with remarks. `api` is the name of the API. The error has the mistakes that
/// a reader of the file would report, at the entries from which they come.
///
/// The rules match at any depth of the announced operation. The owner of the file can add exact places (`at`, `also`).
pub fn new_table(
    imported: &Imported,
    api: &str,
) -> Result<(String, Vec<ImportRemark>), Vec<ImportRemark>> {
    let entries = &imported.entries;
    let rules: Vec<_> = entries.iter().map(|entry| &entry.rule).collect();
    let ids = ids::assign(&rules);
    let remarks = remark_on_ids(entries, &ids);
    let mut table = format!(
        "# Generated from {} by `sundown rules import`.\n\napi = {}\n",
        escape_unsafe(&imported.name),
        string(api)
    );
    if let Some(ImportedDescription { path, .. }) = &imported.description {
        let _ = writeln!(table, "description = {}", string(path));
    }
    let mut starts = Vec::new();
    for (entry, id) in entries.iter().zip(ids) {
        starts.push((table.len(), entry.location));
        table.push_str("\n[[rule]]\n");
        for (key, value) in members(&entry.rule, &id) {
            let _ = writeln!(table, "{key} = {value}");
        }
    }
    // The messages may show the content: it is that of a known list, in a file that is written here.
    match RuleFile::check_entries("rules.toml", &table) {
        Ok(()) => Ok((table, remarks)),
        Err(error) => Err(refusals(&error, &starts)),
    }
}

/// Returns the mistakes of a table at the locations of the entries that start there.
fn refusals(error: &FileMistakes, starts: &[(usize, Location)]) -> Vec<ImportRemark> {
    error
        .mistakes
        .iter()
        .filter(|mistake| !mistake.is_doubt())
        .map(|mistake| {
            let next = starts.partition_point(|(start, _)| *start <= mistake.span.start);
            let entry = next.checked_sub(1).and_then(|last| starts.get(last));
            let help = mistake
                .help
                .as_ref()
                .map(|help| format!("; {help}"))
                .unwrap_or_default();
            let message = format!("{}{help}", mistake.message);
            ImportRemark {
                location: entry.map_or(Location::START, |(_, location)| *location),
                message,
            }
        })
        .collect()
}

/// Returns a remark for each id that differs from the list.
fn remark_on_ids(entries: &[ImportedEntry], ids: &[String]) -> Vec<ImportRemark> {
    let remarks = entries.iter().zip(ids).filter_map(|(entry, id)| {
        let given = &entry.rule.id;
        (!given.is_empty() && given != id).then(|| ImportRemark {
            location: entry.location,
            message: format!("the id `{given}` is already used; this entry gets `{id}`"),
        })
    });
    remarks.collect()
}

/// The keys of a rule with their values as TOML.
fn members(rule: &Rule, id: &str) -> Vec<(&'static str, String)> {
    let place = rule.places.first();
    let sides = place.and_then(|place| written_sides(rule, place));
    let also = also(rule, sides.as_deref());
    let operation = rule.announced.as_ref().filter(|_| rule.schema.is_none());
    // The location of a property ends with its name.
    let name = rule.element.name().filter(|_| rule.schema.is_none());
    let beginning = match &rule.element.value {
        Some(ValueTest::StartsWith(beginning)) => Some(beginning.as_str()),
        _ => None,
    };
    let members = [
        ("id", Some(string(id))),
        ("operation", operation.map(|it| string(&it.to_string()))),
        (
            "schema",
            rule.schema.as_ref().map(|it| string(&it.to_string())),
        ),
        (rule.element.part.kind(), name.map(string)),
        ("value", rule.element.exact_value().map(string)),
        ("starts_with", beginning.map(string)),
        ("at", place.and_then(written_selectors)),
        ("sides", sides),
        ("replacement", rule.replacement.as_deref().map(string)),
        ("note", rule.note.as_deref().map(string)),
        ("introduced", rule.introduced.map(|date| date.to_string())),
        ("removal", rule.removal.map(|date| date.to_string())),
        ("docs", rule.docs.as_deref().map(string)),
        ("possible", rule.is_possible.then(|| "true".to_owned())),
        ("also", also),
    ];
    let members = members.into_iter();
    members
        .filter_map(|(key, value)| Some((key, value?)))
        .collect()
}

/// The sides of a place, if a rule about such an element can have sides.
fn written_sides(rule: &Rule, place: &RulePlace) -> Option<String> {
    match (&rule.element.part, place.sides) {
        (ElementPart::Field(_) | ElementPart::Header(_), Sides::Only(side)) => {
            Some(format!("[{}]", string(side.name())))
        }
        _ => None,
    }
}

/// The selectors of a place, unless they select the field at any depth, as without selectors.
fn written_selectors(place: &RulePlace) -> Option<String> {
    let texts: Vec<&str> = place.selectors.iter().map(Selector::text).collect();
    if texts.iter().all(|text| text.starts_with("$..")) {
        return None;
    }
    Some(format!("[{}]", join(texts.into_iter().map(string), ", ")))
}

/// All places but the first, each on a line. A place whose sides differ from `sides` states its own.
fn also(rule: &Rule, sides: Option<&str>) -> Option<String> {
    let further = rule.places.get(1..).filter(|further| !further.is_empty())?;
    let mut also = "[\n".to_owned();
    for place in further {
        let operation = string(&place.operation.to_string());
        let own = written_sides(rule, place);
        let own = own.filter(|own| sides != Some(own.as_str()));
        let members = [
            ("operation", Some(operation)),
            ("at", written_selectors(place)),
            ("sides", own),
        ];
        let members = members.into_iter();
        let members = members.filter_map(|(key, value)| Some(format!("{key} = {}", value?)));
        let _ = writeln!(also, "  {{ {} }},", join(members, ", "));
    }
    Some(also + "]")
}
