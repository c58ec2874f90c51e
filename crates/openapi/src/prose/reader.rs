//! Looks up the names of a sentence in the description, near the deprecated element.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::ProseAdvice;
use super::markup::plain;
use super::operations::OperationNames;
use super::properties::PropertyNames;
use super::sentences::{
    ProseName, ReplacementPhrase, Sentence, quote, quote_of_version, sentences,
};
use super::spelling::{NameIndex, unique};
use crate::{Description, Edge, OperationId, ParameterId};

/// A deprecated element of a description, for which a replacement is looked up.
#[derive(Debug, Clone, Copy)]
pub enum DeprecatedElement<'d> {
    Operation(OperationId),
    /// A parameter or header.
    Parameter(ParameterId),
    Property(&'d Edge),
}

/// Reads the prose of a description. Built once for all its deprecated elements.
#[derive(Debug)]
pub struct ProseReader<'d> {
    description: &'d Description,
    operations: OperationNames<'d>,
    properties: PropertyNames<'d>,
    users: HashMap<ParameterId, Vec<OperationId>>,
    /// The names of the parameters of each operation that was asked for.
    parameters: RefCell<HashMap<OperationId, Rc<NameIndex<'d>>>>,
}

impl<'d> ProseReader<'d> {
    /// Indexes the names of a description.
    pub fn new(description: &'d Description) -> Self {
        let mut users: HashMap<ParameterId, Vec<OperationId>> = HashMap::new();
        for (id, operation) in description.operation_ids().zip(description.operations()) {
            for &parameter in &operation.parameters {
                users.entry(parameter).or_default().push(id);
            }
        }
        Self {
            description,
            operations: OperationNames::new(description),
            properties: PropertyNames::new(description),
            users,
            parameters: RefCell::default(),
        }
    }

    /// Reads what texts say about a deprecated element. The first text that names a replacement counts.
    pub fn advice<'t>(
        &self,
        element: DeprecatedElement<'d>,
        texts: impl IntoIterator<Item = &'t str>,
    ) -> ProseAdvice {
        let mut note = None;
        for text in texts {
            let text = plain(text);
            let sentences = sentences(&text);
            let mut phrases = sentences.iter().flat_map(Sentence::phrases);
            if let Some(replacement) = phrases.find_map(|phrase| self.replacement(element, &phrase))
            {
                let note = quote_of_version(&sentences);
                return ProseAdvice {
                    replacement: Some(replacement),
                    note,
                };
            }
            note = note.or_else(|| quote(&sentences));
        }
        ProseAdvice {
            replacement: None,
            note,
        }
    }

    /// The names of a phrase as the description has them; `None` if it has none of them, or not a quoted one.
    fn replacement(
        &self,
        element: DeprecatedElement<'d>,
        phrase: &ReplacementPhrase<'_>,
    ) -> Option<String> {
        let mut found: Vec<String> = Vec::new();
        for (index, name) in phrase.names.iter().enumerate() {
            match self.look_up(element, name) {
                Some(known) if !found.contains(&known) => found.push(known),
                Some(_) => {}
                None if found.is_empty() => return None,
                None if name.is_quoted && index < phrase.listed => return None,
                // The list has ended, and other words follow.
                None => break,
            }
        }
        let separator = if phrase.is_choice { " or " } else { " and " };
        (!found.is_empty()).then(|| found.join(separator))
    }

    fn look_up(&self, element: DeprecatedElement<'d>, name: &ProseName<'_>) -> Option<String> {
        let is_call = name.method.is_some() || name.text.starts_with('/');
        match element {
            DeprecatedElement::Operation(operation) => self.operations.find(Some(operation), name),
            _ if is_call => self.operations.find(None, name),
            DeprecatedElement::Parameter(parameter) => self.parameter(parameter, name),
            DeprecatedElement::Property(edge) => self.properties.find(edge, name),
        }
    }

    /// The other parameter of this name in an operation with the deprecated one.
    fn parameter(&self, deprecated: ParameterId, name: &ProseName<'_>) -> Option<String> {
        let names: Vec<_> = self
            .users
            .get(&deprecated)?
            .iter()
            .map(|&user| self.parameters_of(user))
            .collect();
        let own = self
            .description
            .parameter(deprecated)
            .map(|parameter| parameter.name.as_str());
        unique(&names, name.text, own).map(str::to_owned)
    }

    /// The names of the parameters of an operation.
    fn parameters_of(&self, operation: OperationId) -> Rc<NameIndex<'d>> {
        let mut known = self.parameters.borrow_mut();
        let names = known.entry(operation).or_insert_with(|| {
            let mut index = NameIndex::default();
            let operation = self.description.operation(operation);
            let ids = operation
                .into_iter()
                .flat_map(|operation| &operation.parameters);
            for parameter in ids.filter_map(|&id| self.description.parameter(id)) {
                index.insert(&parameter.name, None);
            }
            Rc::new(index)
        });
        Rc::clone(names)
    }
}
