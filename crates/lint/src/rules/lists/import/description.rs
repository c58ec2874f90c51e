//! The importer of API descriptions: each deprecated element with its location in the description.

use super::{ImportRemark, Imported, ImportedDescription, ImportedEntry};
use crate::rules::generate::GeneratedRules;
use crate::rules::reference::written_file;
use crate::rules::{ElementPart, Rule, RulePlace, UnsupportedElements};
use sundown_exchange::OperationPattern;
use sundown_openapi::{Description, FileId, Label, local_name};
use sundown_text_json::text::Location;

impl Imported {
    /// Reads the elements that a description marks as deprecated, and separately those that no rule can match. `name` is the
    /// name of the description in messages; `path` turns the name of one of its files into a path relative to the rules file.
    ///
    /// The rules are the same as those of a description that is used as rules ([`RuleFile::from_description`]).
    ///
    /// [`RuleFile::from_description`]: crate::rules::RuleFile::from_description
    pub fn from_description(
        name: &str,
        description: Description,
        path: &dyn Fn(&str) -> String,
    ) -> (Self, Vec<UnsupportedElements>) {
        // Names are compared, so each file has one.
        let path = &|name: &str| {
            let path = path(name);
            local_name("", &written_file(&path)).unwrap_or(path)
        };
        let GeneratedRules {
            file,
            labels,
            unsupported,
        } = GeneratedRules::new(name, &description.into());
        let description = file
            .described
            .first()
            .map(|described| &*described.description);
        let locations = description
            .map(|description| locations(description, &labels))
            .unwrap_or_default();
        let mut entries = Vec::new();
        let mut remarks = Vec::new();
        for (rule, location) in file.rules.into_iter().zip(locations) {
            match entry(rule, location, path) {
                Ok(entry) => entries.push(entry),
                Err(remark) => remarks.push(remark),
            }
        }
        let origin = ImportedDescription {
            path: written_file(&path(name)),
            api: file.api,
        };
        let name = name.to_owned();
        (
            Self {
                name,
                description: Some(origin),
                entries,
                remarks,
            },
            unsupported,
        )
    }
}

/// The locations of the labels. A label in another file is reported at the beginning of the description.
fn locations(description: &Description, labels: &[Label]) -> Vec<Location> {
    let offsets = labels.iter().map(|label| match label.file {
        FileId::FIRST => label.span.start,
        _ => 0,
    });
    let found = description.locations(FileId::FIRST, offsets.clone().collect());
    offsets.map(|offset| found.get(offset)).collect()
}

fn entry(
    mut rule: Rule,
    location: Location,
    path: &dyn Fn(&str) -> String,
) -> Result<ImportedEntry, ImportRemark> {
    let ignored = |why: &str| {
        let message = format!("`{}` is ignored: {why}", rule.id);
        Err(ImportRemark { location, message })
    };
    match &mut rule.schema {
        Some(reference) => {
            reference.file = path(&reference.file);
            // A rules file is compared without the description: there, the reference alone gives the name.
            rule.element.part = ElementPart::Field(reference.name());
        }
        None if rule.announced.is_none() => {
            return ignored("the path of its operation cannot be called");
        }
        None if rule.element.name().is_some_and(is_blank) => return ignored("it has no name"),
        None => {}
    }
    for text in [&mut rule.replacement, &mut rule.note, &mut rule.docs] {
        text.take_if(|text| is_blank(text));
    }
    rule.announced = rule.announced.map(OperationPattern::as_parsed);
    let places = rule.places.iter().cloned().map(|place| RulePlace {
        operation: place.operation.as_parsed(),
        ..place
    });
    rule.places = places.collect();
    Ok(ImportedEntry { rule, location })
}

/// Whether a text says nothing.
fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
