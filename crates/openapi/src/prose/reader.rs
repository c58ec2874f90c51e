//! Looks up the names of a sentence in the description, near the deprecated element.

use std::collections::HashMap;

use super::operations::OperationNames;
use super::patterns::{ANNOUNCEMENT, LAST_VERSION, NAME, REPLACEMENT, Topic, beginning, plain};
use super::properties::PropertyNames;
use super::spelling::{NameIndex, unique};
use crate::{Description, Edge, OperationId, ParameterId};

/// The most bytes of a sentence that is quoted.
const MAX_QUOTED: usize = 240;

/// A deprecated element of a description, for which a replacement is looked up.
#[derive(Debug, Clone, Copy)]
pub enum DeprecatedElement<'d> {
    Operation(OperationId),
    /// A parameter or header.
    Parameter(ParameterId),
    Property(&'d Edge),
}

/// Advice that prose gives about a deprecated element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProseAdvice {
    /// The replacement, by the names that the description has for it.
    pub replacement: Option<String>,
    /// The sentence about the deprecation, without markup: if no replacement was found, or if it says in which version the
    /// element ends.
    pub note: Option<String>,
}

/// A name in a sentence.
#[derive(Debug)]
pub(super) struct ProseName<'t> {
    /// The method before a path.
    pub method: Option<&'t str>,
    /// The name, or the path of an operation.
    pub text: &'t str,
    /// Whether it is a path, or in quotes, code, or a link.
    pub is_quoted: bool,
}

/// Reads the prose of a description. Built once for all its deprecated elements.
#[derive(Debug)]
pub struct ProseReader<'d> {
    description: &'d Description,
    operations: OperationNames<'d>,
    properties: PropertyNames<'d>,
    users: HashMap<ParameterId, Vec<OperationId>>,
    /// The names of the parameters of each operation.
    parameters: HashMap<OperationId, NameIndex<'d>>,
}

impl<'d> ProseReader<'d> {
    /// Indexes the names of a description.
    pub fn new(description: &'d Description) -> Self {
        let mut users: HashMap<ParameterId, Vec<OperationId>> = HashMap::new();
        let mut parameters: HashMap<OperationId, NameIndex<'d>> = HashMap::new();
        for (id, operation) in description.numbered_operations() {
            for &parameter in &operation.parameters {
                users.entry(parameter).or_default().push(id);
                if let Some(parameter) = description.parameter(parameter) {
                    let names = parameters.entry(id).or_default();
                    names.insert(&parameter.name, None);
                }
            }
        }
        Self {
            description,
            operations: OperationNames::new(description),
            properties: PropertyNames::new(description),
            users,
            parameters,
        }
    }

    /// Reads what texts say about a deprecated element. The first text that names a replacement counts.
    pub fn advice<'t>(
        &mut self,
        element: DeprecatedElement<'d>,
        texts: impl IntoIterator<Item = &'t str>,
    ) -> ProseAdvice {
        let mut advice = ProseAdvice::default();
        for text in texts {
            let text = plain(text);
            advice.replacement = REPLACEMENT.find_map(&text, |_, found| {
                self.replacement(element, found.name("names")?.as_str())
            });
            if advice.replacement.is_some() {
                advice.note = quote(&LAST_VERSION, &text, 1);
                break;
            }
            advice.note = advice.note.or_else(|| quote(&ANNOUNCEMENT, &text, 2));
        }
        advice
    }

    /// The names of a list as the description has them; `None` if it lacks the first of them, or a quoted one.
    fn replacement(&mut self, element: DeprecatedElement<'d>, list: &str) -> Option<String> {
        let mut known: Vec<String> = Vec::new();
        let mut separator = " and ";
        let is_unknown = NAME.find_map(list, |_, found| {
            let part = |group| found.name(group).map(|part| part.as_str());
            if part("or").is_some() {
                separator = " or ";
            }
            let quoted = part("quoted").or_else(|| Some(trim_path(part("path")?)));
            let name = ProseName {
                method: part("method"),
                text: quoted.or_else(|| part("word"))?,
                is_quoted: quoted.is_some(),
            };
            match self.look_up(element, &name) {
                Some(name) if !known.contains(&name) => known.push(name),
                Some(_) => {}
                None => return Some(known.is_empty() || name.is_quoted),
            }
            None
        });
        (!known.is_empty() && is_unknown != Some(true)).then(|| known.join(separator))
    }

    fn look_up(&mut self, element: DeprecatedElement<'d>, name: &ProseName<'_>) -> Option<String> {
        let is_call = name.method.is_some() || name.text.starts_with('/');
        match element {
            DeprecatedElement::Operation(operation) => self.operations.find(Some(operation), name),
            _ if is_call => self.operations.find(None, name),
            DeprecatedElement::Parameter(parameter) => self.parameter(parameter, name.text),
            DeprecatedElement::Property(edge) => self.properties.find(edge, name.text),
        }
    }

    /// The other parameter of this name in an operation with the deprecated one.
    fn parameter(&self, deprecated: ParameterId, name: &str) -> Option<String> {
        let users = self.users.get(&deprecated)?.iter();
        let names = users.filter_map(|user| self.parameters.get(user));
        let own = self.description.parameter(deprecated)?.name.as_str();
        unique(names, name, Some(own)).map(str::to_owned)
    }
}

fn trim_path(path: &str) -> &str {
    path.trim_end_matches(['.', ':', '"', '\'', '_', '/'])
}

/// The first sentences of a topic as one line, for people.
fn quote(topic: &Topic, text: &str, most: usize) -> Option<String> {
    let mut quoted: Vec<String> = Vec::new();
    topic.find_map(text, |sentence, _| {
        if quoted.last().is_none_or(|last| last != sentence) {
            quoted.push(sentence.to_owned());
        }
        (quoted.len() == most).then_some(())
    });
    let text = quoted.join(" ").replace('\u{2060}', "");
    if text.len() <= MAX_QUOTED {
        return Some(text).filter(|text| !text.is_empty());
    }
    let cut = beginning(&text, MAX_QUOTED);
    let whole = cut.rsplit_once(' ').map_or(cut, |(whole, _)| whole);
    Some(format!("{whole}…"))
}
