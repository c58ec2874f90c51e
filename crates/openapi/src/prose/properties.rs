//! Looks up names among the properties of the object that has a deprecated property, and inside of them.

use std::collections::HashMap;

use super::spelling::{NameIndex, unique};
use crate::{Description, Edge, SchemaId};

/// The most schemas that are composed to the object around a property.
const MAX_SCHEMAS: usize = 500;

/// The most names in a path.
const MAX_STEPS: usize = 6;

/// The properties of a description, by the schemas that have them.
#[derive(Debug)]
pub(super) struct PropertyNames<'d> {
    description: &'d Description,
    /// The properties of each schema that was asked for.
    own: HashMap<SchemaId, NameIndex<'d>>,
    /// The schema whose property was asked for last, with all schemas of its object.
    last: Option<(SchemaId, Vec<SchemaId>)>,
}

impl<'d> PropertyNames<'d> {
    pub(super) fn new(description: &'d Description) -> Self {
        Self {
            description,
            own: HashMap::new(),
            last: None,
        }
    }

    /// The path to a property other than the deprecated one, from the object that has the deprecated one.
    pub(super) fn find(&mut self, deprecated: &Edge, name: &str) -> Option<String> {
        let steps: Vec<&str> = name
            .split(['.', '$', ':'])
            .filter(|step| !step.is_empty())
            .map(|step| step.trim_end_matches("[*]").trim_end_matches("[]"))
            .collect();
        if steps.is_empty() || steps.len() > MAX_STEPS {
            return None;
        }
        let around = self.around(deprecated.from);
        let own = self.description.key_of(deprecated)?;
        self.walk(around, &steps).filter(|found| found != own)
    }

    /// Follows names from an object.
    fn walk(&mut self, object: Vec<SchemaId>, steps: &[&str]) -> Option<String> {
        let mut here = object;
        let mut path: Vec<&str> = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            for &schema in &here {
                self.add_properties(schema);
            }
            let properties = here.iter().filter_map(|schema| self.own.get(schema));
            let name = unique(properties.clone(), step, None)?;
            path.push(name);
            if number + 1 < steps.len() {
                let inner = properties.flat_map(|properties| properties.schemas(name));
                here = self
                    .description
                    .applied_through_lists(inner.copied(), MAX_SCHEMAS);
            }
        }
        Some(path.join("."))
    }

    /// Indexes the properties of a schema itself.
    fn add_properties(&mut self, schema: SchemaId) {
        let description = self.description;
        self.own.entry(schema).or_insert_with(|| {
            let mut index = NameIndex::default();
            for edge in description.schemas().edges(schema) {
                if let Some(name) = description.property_name(edge) {
                    index.insert(name, Some(edge.to));
                }
            }
            index
        });
    }

    /// All schemas of the object that a schema describes: those composed of it, and those that it is composed of.
    fn around(&mut self, schema: SchemaId) -> Vec<SchemaId> {
        if let Some((_, around)) = self.last.as_ref().filter(|(known, _)| *known == schema) {
            return around.clone();
        }
        let schemas = self.description.schemas();
        let all = schemas.composed_of([schema], |step| !step.is_inside());
        let around = self.description.applied(all.take(MAX_SCHEMAS));
        let around: Vec<SchemaId> = around.take(MAX_SCHEMAS).collect();
        self.last = Some((schema, around.clone()));
        around
    }
}
