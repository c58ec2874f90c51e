//! Finds the replacement that a rule names: whether the description declares it, and whether it is deprecated itself.

use std::collections::HashSet;

use super::search::DescriptionSearch;
use sundown_exchange::OperationPattern;
use sundown_openapi::{
    DeprecationStatus, DescribedOperation, Description, Direction, Edge, EdgeKind, Marker, NodeId,
    SchemaId,
};

/// Whether a replacement is declared, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum ReplacementStatus {
    /// The rule names no replacement, or only describes it in prose.
    #[default]
    NotJudged,
    /// The replacement is declared nowhere in reach of the element.
    Missing,
    /// It is declared and marked as deprecated.
    Deprecated,
    /// It is declared. If it is a property, with its node.
    Declared(Option<NodeId>),
}

impl ReplacementStatus {
    /// That of an element with these markers.
    fn of(markers: &[&Marker], node: NodeId) -> Self {
        if markers.is_empty() {
            Self::Declared(Some(node))
        } else {
            Self::Deprecated
        }
    }

    /// The better of two: if several operations reach an element, one with the replacement is enough.
    pub(super) fn or(self, other: Self) -> Self {
        match self {
            Self::Declared(_) => self,
            _ => self.max(other),
        }
    }
}

impl DescriptionSearch<'_> {
    /// Finds the replacement of a property. `around` are the schemas of the objects around it, the innermost first.
    ///
    /// The replacement is a path of names from any of these objects, through lists, or starts with a schema's name.
    pub(super) fn property_replacement(
        &mut self,
        replacement: Option<&str>,
        around: impl Iterator<Item = SchemaId>,
        direction: Direction,
    ) -> ReplacementStatus {
        let Some(names) = replacement.and_then(names_in) else {
            return ReplacementStatus::NotJudged;
        };
        let mut best = ReplacementStatus::Missing;
        for schema in around {
            best = best.or(self.follow(schema, &names, direction));
            if matches!(best, ReplacementStatus::Declared(..)) {
                return best;
            }
        }
        let (first, rest) = names.split_first().unwrap_or((&"", &[]));
        for schema in self.named.get(first).cloned().unwrap_or_default() {
            best = best.or(match rest {
                [] => self.status_of(schema, None),
                rest => self.follow(schema, rest, direction),
            });
        }
        best
    }

    /// Finds the replacement of an operation: another operation, by method and path or by the end of its path.
    pub(super) fn operation_replacement(&mut self, replacement: Option<&str>) -> ReplacementStatus {
        let Some(text) = replacement else {
            return ReplacementStatus::NotJudged;
        };
        if let Some(known) = self.replaced_operations.get(text) {
            return *known;
        }
        let status = self.find_operation(text);
        self.replaced_operations.insert(text.to_owned(), status);
        status
    }

    fn find_operation(&self, text: &str) -> ReplacementStatus {
        let wanted = match OperationPattern::parse(text) {
            Err(_) if text.starts_with('/') => OperationPattern::parse(&format!("* {text}")),
            wanted => wanted,
        };
        let Ok(wanted) = wanted else {
            return ReplacementStatus::NotJudged;
        };
        let calls = self.description.operations().iter().zip(self.calls);
        let named = calls.filter(|(_, call)| is_named(&wanted, &call.name));
        let found = named.map(|(operation, _)| {
            let markers = self.description.operation_markers(operation);
            ReplacementStatus::of(&markers, operation.node)
        });
        found.fold(ReplacementStatus::Missing, ReplacementStatus::or)
    }

    /// Finds the replacement of a parameter: another parameter, or a field of a body.
    pub(super) fn parameter_replacement(
        &mut self,
        replacement: Option<&str>,
        operation: &DescribedOperation,
    ) -> ReplacementStatus {
        let names = replacement.and_then(|text| Some((text, names_in(text)?)));
        let Some((text, names)) = names else {
            return ReplacementStatus::NotJudged;
        };
        let mut parameters = self.description.carried(operation);
        if let Some((.., found)) =
            parameters.find(|(.., parameter)| parameter.name.eq_ignore_ascii_case(text))
        {
            let markers = self.description.parameter_markers(found);
            return ReplacementStatus::of(&markers, found.node);
        }
        let bodies = operation.bodies.iter();
        let found = bodies.filter_map(|body| {
            let schema = body.schema?;
            Some(self.follow(schema, &names, body.direction))
        });
        found.fold(ReplacementStatus::Missing, ReplacementStatus::or)
    }

    /// Follows a path of names from an object that `schema` describes.
    fn follow(
        &mut self,
        schema: SchemaId,
        names: &[&str],
        direction: Direction,
    ) -> ReplacementStatus {
        let mut here = vec![schema];
        let mut last: Vec<Edge> = Vec::new();
        for name in names {
            let applied = self.applied_at_any_depth(&here);
            last = self.description.member(&applied, name, direction);
            last.retain(|edge| edge.kind == EdgeKind::Property);
            here = last.iter().map(|edge| edge.to).collect();
        }
        let missing = ReplacementStatus::Missing;
        last.into_iter().fold(missing, |best, edge| {
            best.or(self.status_of(edge.to, Some(edge.node)))
        })
    }

    fn status_of(&self, schema: SchemaId, node: Option<NodeId>) -> ReplacementStatus {
        match self.description.deprecation_of(schema) {
            DeprecationStatus::Deprecated => ReplacementStatus::Deprecated,
            _ => ReplacementStatus::Declared(node),
        }
    }

    /// The schemas that apply to the values and, if these are lists, to their elements at any depth.
    fn applied_at_any_depth(&mut self, schemas: &[SchemaId]) -> Vec<SchemaId> {
        let mut all: Vec<SchemaId> = Vec::new();
        let mut open = schemas.to_vec();
        let mut seen = HashSet::new();
        while let Some(schema) = open.pop() {
            if !seen.insert(schema) {
                continue;
            }
            let applied = self.applied(schema);
            let elements = self.description.schemas().elements_of(&applied);
            open.extend(elements.map(|edge| edge.to));
            all.extend(applied.iter().copied());
        }
        self.work += all.len();
        all
    }
}

/// The name of a schema in a map of named schemas.
pub(super) fn own_name(description: &Description, schema: SchemaId) -> Option<&str> {
    let value = description.schema_value(schema)?;
    let parent_key = value.parent()?.key()?;
    ["schemas", "definitions", "$defs"]
        .contains(&parent_key)
        .then(|| value.key())?
}

/// The names of a replacement that is a path of names; `None` if the text is prose.
fn names_in(text: &str) -> Option<Vec<&str>> {
    let path = text.strip_prefix("$.").unwrap_or(text).split('.');
    let names = path.map(|name| name.trim_end_matches("[*]").trim_end_matches("[]"));
    let names: Vec<&str> = names.collect();
    let is_path = names.iter().all(|name| {
        let mut letters = name.chars();
        !name.is_empty() && letters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'))
    });
    is_path.then_some(names)
}

/// Whether a pattern names the call; variables may have any name.
fn is_named(wanted: &OperationPattern, name: &str) -> bool {
    let Ok(called) = OperationPattern::parse(name) else {
        return false;
    };
    let same_method = wanted.method.is_none() || wanted.method == called.method;
    same_method && called.segments.ends_with(&wanted.segments)
}

#[cfg(test)]
mod tests {
    use super::names_in;

    #[test]
    fn prose_is_not_a_path_of_names() {
        assert_eq!(
            names_in("answer.trackingToken"),
            Some(vec!["answer", "trackingToken"])
        );
        assert_eq!(names_in("$.a[*].b"), Some(vec!["a", "b"]));
        for prose in ["the new one", "", "a..b", "see `x`"] {
            assert_eq!(names_in(prose), None, "{prose}");
        }
    }
}
