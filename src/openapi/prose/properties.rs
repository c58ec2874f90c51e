//! Looks up names among the properties of the object that has a deprecated property, and inside of them.

use std::collections::HashMap;

use super::sentences::ProseName;
use super::spelling::{folded, unique};
use crate::openapi::{Description, Edge, EdgeKind, SchemaId, SchemaStep};

/// The most schemas that are composed to the object around a property.
const MOST_SCHEMAS: usize = 500;

/// The most names in a path.
const MOST_STEPS: usize = 6;

/// The properties of a description, by the schemas that have them.
#[derive(Debug)]
pub(super) struct PropertyNames<'d> {
    description: &'d Description,
    /// For each schema, those that are composed of it.
    composed_of: HashMap<SchemaId, Vec<SchemaId>>,
    /// Named schemas, by their names without separators in lower case.
    named: HashMap<String, Vec<SchemaId>>,
}

impl<'d> PropertyNames<'d> {
    pub(super) fn new(description: &'d Description) -> Self {
        let schemas = description.schemas();
        let mut composed_of: HashMap<SchemaId, Vec<SchemaId>> = HashMap::new();
        for edge in schemas.all_edges() {
            if matches!(edge.kind.step(), SchemaStep::Always | SchemaStep::Conditional) {
                composed_of.entry(edge.to).or_default().push(edge.from);
            }
        }
        let mut named: HashMap<String, Vec<SchemaId>> = HashMap::new();
        for id in schemas.ids() {
            if let Some(name) = description.name_of(id) {
                named.entry(folded(name)).or_default().push(id);
            }
        }
        Self { description, composed_of, named }
    }

    /// The path to a property other than the deprecated one, from the object that has the deprecated one.
    pub(super) fn find<'n>(&self, deprecated: &Edge, name: &ProseName<'n>) -> Option<String> {
        let without_brackets = |step: &'n str| step.trim_end_matches("[*]").trim_end_matches("[]");
        let steps = name.text.split(['.', '$', ':']).filter(|step| !step.is_empty());
        let steps: Vec<&str> = steps.map(without_brackets).collect();
        if steps.is_empty() || steps.len() > MOST_STEPS {
            return None;
        }
        let around = self.around(deprecated.from);
        if let Some(inside) = name.inside {
            let mut longer: Vec<&str> = inside.split('.').collect();
            longer.extend(&steps);
            match self.walk(&around, &longer) {
                Some(path) => return Some(path),
                None if is_elsewhere(inside) => return None,
                None => {}
            }
        }
        let (own, _) = self.description.property(deprecated)?;
        let found = self.walk(&around, &steps).or_else(|| self.walk_from_type(&around, &steps));
        found.filter(|found| found != own)
    }

    /// Follows names from an object.
    fn walk(&self, object: &[SchemaId], steps: &[&str]) -> Option<String> {
        let mut here = object.to_vec();
        let mut path: Vec<&str> = Vec::new();
        for step in steps {
            let edges: Vec<&Edge> = self.edges(&here).collect();
            let names = edges.iter().filter_map(|edge| Some(self.description.property(edge)?.0));
            let name = unique(names, step)?;
            path.push(name);
            let is_step = |edge: &&&Edge| {
                self.description.property(edge).is_some_and(|(found, _)| found == name)
            };
            let inner: Vec<SchemaId> = edges.iter().filter(is_step).map(|edge| edge.to).collect();
            here = self.applied_through_lists(&inner);
        }
        Some(path.join("."))
    }

    /// Follows names from a named schema: `Reminder.metadata`. The name of the schema around the property itself is left out.
    fn walk_from_type(&self, around: &[SchemaId], steps: &[&str]) -> Option<String> {
        let (first, rest) = steps.split_first()?;
        if rest.is_empty() {
            return None;
        }
        let &[schema] = self.named.get(&folded(first))?.as_slice() else { return None };
        let path = self.walk(&self.description.applied(&[schema]), rest)?;
        if around.contains(&schema) {
            return Some(path);
        }
        Some(format!("{}.{path}", self.description.name_of(schema)?))
    }

    fn edges(&self, schemas: &[SchemaId]) -> impl Iterator<Item = &'d Edge> {
        let edges = schemas.iter().flat_map(|&id| self.description.schemas().edges(id));
        edges.filter(|edge| edge.kind == EdgeKind::Property)
    }

    /// All schemas of the object that a schema describes: those composed of it, and those that it is composed of.
    fn around(&self, schema: SchemaId) -> Vec<SchemaId> {
        let mut all = vec![schema];
        let mut next = 0;
        while let Some(&id) = all.get(next) {
            next += 1;
            let outer = self.composed_of.get(&id).into_iter().flatten();
            for &outer in outer {
                if all.len() < MOST_SCHEMAS && !all.contains(&outer) {
                    all.push(outer);
                }
            }
        }
        let mut applied = self.description.applied(&all);
        applied.truncate(MOST_SCHEMAS);
        applied
    }

    /// The schemas that apply to values, and to the elements of values that are lists.
    fn applied_through_lists(&self, schemas: &[SchemaId]) -> Vec<SchemaId> {
        let applied = self.description.applied(schemas);
        let edges = applied.iter().flat_map(|&id| self.description.schemas().edges(id));
        let elements = edges.filter(|edge| edge.kind.step() == SchemaStep::Element);
        let elements: Vec<SchemaId> = elements.map(|edge| edge.to).take(MOST_SCHEMAS).collect();
        let inner = self.description.applied(&elements);
        applied.into_iter().chain(inner).collect()
    }
}

/// Returns whether words after `from` or `in` name another service, so that a property of the same name is not meant.
fn is_elsewhere(inside: &str) -> bool {
    let words = ["api", "service", "endpoint", "sdk", "namespace", "resource"];
    inside.split(' ').any(|word| words.contains(&word.to_ascii_lowercase().as_str()))
}
