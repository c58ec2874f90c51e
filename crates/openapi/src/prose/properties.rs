//! Looks up names among the properties of the object that has a deprecated property, and inside of them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::spelling::{NameIndex, unique};
use crate::{Description, Edge, EdgeKind, SchemaId};

/// The most schemas that are composed to the object around a property.
const MAX_SCHEMAS: usize = 500;

/// The most names in a path.
const MAX_STEPS: usize = 6;

/// The properties of a description, by the schemas that have them.
#[derive(Debug)]
pub(super) struct PropertyNames<'d> {
    description: &'d Description,
    /// The properties of each schema that was asked for.
    own: RefCell<HashMap<SchemaId, Rc<NameIndex<'d>>>>,
    /// The schema whose property was asked for last, with all schemas of its object.
    last: RefCell<Option<(SchemaId, Rc<[SchemaId]>)>>,
}

impl<'d> PropertyNames<'d> {
    pub(super) fn new(description: &'d Description) -> Self {
        Self {
            description,
            own: RefCell::default(),
            last: RefCell::default(),
        }
    }

    /// The path to a property other than the deprecated one, from the object that has the deprecated one.
    pub(super) fn find(&self, deprecated: &Edge, name: &str) -> Option<String> {
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
        self.walk(&around, &steps).filter(|found| found != own)
    }

    /// Follows names from an object.
    fn walk(&self, object: &[SchemaId], steps: &[&str]) -> Option<String> {
        let mut here = object.to_vec();
        let mut path: Vec<&str> = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            let properties: Vec<_> = here.iter().map(|&schema| self.properties(schema)).collect();
            let name = unique(properties.iter().map(Rc::as_ref), step, None)?;
            path.push(name);
            if number + 1 < steps.len() {
                let inner = properties
                    .iter()
                    .flat_map(|properties| properties.schemas(name));
                let inner = inner.copied();
                here = self.description.applied_through_lists(inner, MAX_SCHEMAS);
            }
        }
        Some(path.join("."))
    }

    /// The properties of a schema itself.
    fn properties(&self, schema: SchemaId) -> Rc<NameIndex<'d>> {
        let mut known = self.own.borrow_mut();
        let own = known.entry(schema).or_insert_with(|| {
            let mut index = NameIndex::default();
            let edges = self.description.schemas().edges(schema).iter();
            for edge in edges.filter(|edge| edge.kind == EdgeKind::Property) {
                if let Some(name) = self.description.key_of(edge) {
                    index.insert(name, Some(edge.to));
                }
            }
            Rc::new(index)
        });
        Rc::clone(own)
    }

    /// All schemas of the object that a schema describes: those composed of it, and those that it is composed of.
    fn around(&self, schema: SchemaId) -> Rc<[SchemaId]> {
        let mut last = self.last.borrow_mut();
        if let Some((_, around)) = last.as_ref().filter(|(known, _)| *known == schema) {
            return Rc::clone(around);
        }
        let schemas = self.description.schemas();
        let all = schemas.composed_of([schema], |step| !step.is_inside());
        let around = self.description.applied(all.take(MAX_SCHEMAS));
        let around = around.take(MAX_SCHEMAS).collect();
        Rc::clone(&last.insert((schema, around)).1)
    }
}
