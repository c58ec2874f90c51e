//! Whether what a rule says to use instead is declared, and not deprecated itself.

use std::collections::HashMap;

use super::calls::DescribedCall;
use crate::openapi::{
    Applied, DeprecationStatus, DescribedOperation, Description, Direction, Edge, EdgeKind, NodeId,
    Parameter, SchemaId, SchemaStep,
};
use crate::traffic::OperationPattern;

/// How a replacement stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum ReplacementStatus {
    /// There is none, or it is prose.
    #[default]
    NotJudged,
    /// Nowhere where one would look for it.
    Missing(String),
    /// There, and marked as deprecated.
    Deprecated(String),
    /// There; a property's place.
    Declared(String, Option<NodeId>),
}

impl ReplacementStatus {
    /// Of two operations that reach the same element, the better one counts.
    pub(super) fn or(self, other: Self) -> Self {
        let rank = |standing: &Self| match standing {
            Self::NotJudged => 0,
            Self::Missing(_) => 1,
            Self::Deprecated(_) => 2,
            Self::Declared(..) => 3,
        };
        if rank(&other) > rank(&self) { other } else { self }
    }
}

/// Looks for replacements in one description.
pub(super) struct ReplacementFinder<'d> {
    description: &'d Description,
    /// Schemas with names of their own.
    named: HashMap<&'d str, Vec<SchemaId>>,
    /// The operations, by number.
    calls: &'d [DescribedCall],
    /// What describes a value, by the schema that it begins with.
    applied: HashMap<SchemaId, Vec<Applied>>,
    /// How another operation that a text names stands.
    of_calls: HashMap<String, ReplacementStatus>,
    /// How many objects have been looked into since somebody counted them.
    pub(super) steps: usize,
}

impl<'d> ReplacementFinder<'d> {
    pub(super) fn new(description: &'d Description, calls: &'d [DescribedCall]) -> Self {
        let mut named: HashMap<&str, Vec<SchemaId>> = HashMap::new();
        for id in description.schemas().ids() {
            if let Some(name) = own_name(description, id) {
                named.entry(name).or_default().push(id);
            }
        }
        let (applied, of_calls) = (HashMap::new(), HashMap::new());
        Self { description, named, calls, applied, of_calls, steps: 0 }
    }

    /// Of a property in an object that is described by the first of `around`, which lies in objects described by the others.
    ///
    /// The replacement is a way of names from any of these objects, lists passed through, or begins with a schema's name.
    pub(super) fn of_property(
        &mut self,
        replacement: Option<&str>,
        around: impl Iterator<Item = SchemaId>,
        direction: Direction,
    ) -> ReplacementStatus {
        let Some((text, way)) = replacement.and_then(|text| Some((text, path(text)?))) else {
            return ReplacementStatus::NotJudged;
        };
        let mut best = ReplacementStatus::Missing(format!("`{text}`"));
        for schema in around {
            best = best.or(self.from(schema, &way, text, direction));
            if matches!(best, ReplacementStatus::Declared(..)) {
                return best;
            }
        }
        let (first, rest) = (way.first().copied().unwrap_or_default(), way.get(1..));
        for schema in self.named.get(first).cloned().unwrap_or_default() {
            best = best.or(match rest {
                None | Some([]) => self.standing(schema, None, text),
                Some(rest) => self.from(schema, rest, text, direction),
            });
        }
        best
    }

    /// Of an operation: another one, by method and path or by its last segment.
    pub(super) fn of_call(&mut self, replacement: Option<&str>) -> ReplacementStatus {
        let Some(text) = replacement else { return ReplacementStatus::NotJudged };
        if let Some(known) = self.of_calls.get(text) {
            return known.clone();
        }
        let standing = self.find_call(text);
        self.of_calls.insert(text.to_owned(), standing.clone());
        standing
    }

    fn find_call(&self, text: &str) -> ReplacementStatus {
        let wanted = match OperationPattern::parse(text) {
            Ok(pattern) => pattern,
            Err(_) if text.starts_with('/') => {
                match OperationPattern::parse(&format!("* {text}")) {
                    Ok(pattern) => pattern,
                    Err(_) => return ReplacementStatus::NotJudged,
                }
            }
            Err(_) => return ReplacementStatus::NotJudged,
        };
        let named = format!("`{text}`");
        let mut best = ReplacementStatus::Missing(named.clone());
        for call in self.calls {
            let Some(operation) = self.description.operation(call.id) else { continue };
            if !is_called(&wanted, &call.name) {
                continue;
            }
            let is_marked = self.description.operation_markers(operation).next().is_some();
            let standing = if is_marked {
                ReplacementStatus::Deprecated(named.clone())
            } else {
                ReplacementStatus::Declared(named.clone(), Some(operation.place))
            };
            best = best.or(standing);
        }
        best
    }

    /// Of a parameter: another one, or a field of the request.
    pub(super) fn of_parameter(
        &mut self,
        replacement: Option<&str>,
        operation: &DescribedOperation,
    ) -> ReplacementStatus {
        let Some((text, way)) = replacement.and_then(|text| Some((text, path(text)?))) else {
            return ReplacementStatus::NotJudged;
        };
        let named = format!("`{text}`");
        let headers = operation.headers.iter().map(|(_, id)| *id);
        let ids = operation.parameters.iter().copied().chain(headers);
        let mut parameters = ids.filter_map(|id| self.description.parameter(id));
        let is_it = |parameter: &&Parameter| parameter.name.eq_ignore_ascii_case(text);
        if let Some(found) = parameters.find(is_it) {
            return if self.description.parameter_markers(found).is_empty() {
                ReplacementStatus::Declared(named, Some(found.place))
            } else {
                ReplacementStatus::Deprecated(named)
            };
        }
        let bodies =
            operation.bodies.iter().filter_map(|body| Some((body.schema?, body.direction)));
        let mut best = ReplacementStatus::Missing(named);
        for (schema, direction) in bodies {
            best = best.or(self.from(schema, &way, text, direction));
        }
        best
    }

    /// A way of names from an object that is described by this schema.
    fn from(
        &mut self,
        schema: SchemaId,
        names: &[&str],
        text: &str,
        direction: Direction,
    ) -> ReplacementStatus {
        let mut here = vec![schema];
        let mut last: Vec<Edge> = Vec::new();
        for name in names {
            let applied = self.through_lists(&here);
            let steps = self.description.member(&applied, name, direction);
            last = steps.iter().map(|step| step.edge).collect();
            last.retain(|edge| edge.kind == EdgeKind::Property);
            here = last.iter().map(|edge| edge.to).collect();
        }
        let missing = ReplacementStatus::Missing(format!("`{text}`"));
        last.into_iter().fold(missing, |best, edge| {
            let file = self.description.schemas().get(edge.from).map(|from| from.place.file);
            let place = file.map(|file| NodeId { file, value: edge.member });
            best.or(self.standing(edge.to, place, text))
        })
    }

    fn standing(&self, schema: SchemaId, place: Option<NodeId>, text: &str) -> ReplacementStatus {
        match self.description.verdict_of(schema) {
            DeprecationStatus::Deprecated => ReplacementStatus::Deprecated(format!("`{text}`")),
            _ => ReplacementStatus::Declared(format!("`{text}`"), place),
        }
    }

    /// What describes the values, and the elements where they are lists, of lists too.
    fn through_lists(&mut self, schemas: &[SchemaId]) -> Vec<Applied> {
        let mut all: Vec<Applied> = Vec::new();
        let mut open = schemas.to_vec();
        let mut seen = std::collections::HashSet::new();
        while let Some(schema) = open.pop() {
            if !seen.insert(schema) {
                continue;
            }
            let description = self.description;
            let applied =
                self.applied.entry(schema).or_insert_with(|| description.applied(&[schema]));
            let edges = applied.iter().flat_map(|one| description.schemas().edges(one.schema));
            open.extend(
                edges.filter(|edge| edge.kind.step() == SchemaStep::Element).map(|edge| edge.to),
            );
            all.extend(applied.iter().cloned());
        }
        self.steps += all.len();
        all
    }
}

/// The name of a schema that stands among others of a name each.
fn own_name(description: &Description, schema: SchemaId) -> Option<&str> {
    let value = description.value(description.schemas().get(schema)?.place)?;
    let stands_in = value.parent()?.key()?;
    ["schemas", "definitions", "$defs"].contains(&stands_in).then(|| value.key())?
}

/// The names that a replacement consists of; `None` where it is prose.
fn path(text: &str) -> Option<Vec<&str>> {
    let text = text.strip_prefix("$.").unwrap_or(text);
    let names: Vec<&str> =
        text.split('.').map(|name| name.trim_end_matches("[*]").trim_end_matches("[]")).collect();
    let is_name = |name: &&str| {
        !name.is_empty()
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'))
    };
    names.iter().all(is_name).then_some(names)
}

/// Whether a call's name is what a pattern names; variables may have any name.
fn is_called(wanted: &OperationPattern, name: &str) -> bool {
    let Ok(called) = OperationPattern::parse(name) else { return false };
    let same_method = wanted.method.is_none() || wanted.method == called.method;
    same_method && called.segments.ends_with(&wanted.segments)
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn prose_is_no_way() {
        assert_eq!(path("answer.trackingToken"), Some(vec!["answer", "trackingToken"]));
        assert_eq!(path("$.a[*].b"), Some(vec!["a", "b"]));
        for prose in ["the new one", "", "a..b", "see `x`"] {
            assert_eq!(path(prose), None, "{prose}");
        }
    }
}
