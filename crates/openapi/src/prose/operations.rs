//! Looks up operations by path, `operationId` or summary.

use std::collections::HashMap;

use super::sentences::ProseName;
use super::spelling::folded;
use crate::{Description, OperationId, OperationRole};

/// The least letters of an `operationId` that counts without quotes, so that common words do not.
const LEAST_LETTERS: usize = 6;

/// The operations of a service, by their names.
#[derive(Debug)]
pub(super) struct OperationNames<'d> {
    description: &'d Description,
    /// By `operationId` and by summary, without separators in lower case.
    by_name: HashMap<String, Vec<OperationId>>,
    /// The segments of each path, with each of its prefixes and without one, from the last to the first, in ascending order.
    by_end: Vec<(Vec<String>, OperationId)>,
}

/// The maximum number of operations that are known by one name: more than a path has methods.
const MAX_NAMESAKES: usize = 1_000;

/// A segment of a path that stands for any value.
const VARIABLE: &str = "{}";

impl<'d> OperationNames<'d> {
    pub(super) fn new(description: &'d Description) -> Self {
        let mut names = Self {
            description,
            by_name: HashMap::new(),
            by_end: Vec::new(),
        };
        for (id, operation) in description.operation_ids().zip(description.operations()) {
            if operation.role != OperationRole::Served {
                continue;
            }
            let value = description.value(operation.node);
            let summary = value.and_then(|value| value.get("summary")?.as_str());
            let known: Vec<String> = [operation.id.as_deref(), summary]
                .into_iter()
                .flatten()
                .map(folded)
                .collect();
            for name in known.into_iter().filter(|name| !name.is_empty()) {
                let ids = names.by_name.entry(name).or_default();
                if ids.last() != Some(&id) && ids.len() < MAX_NAMESAKES {
                    ids.push(id);
                }
            }
            let prefixes = operation.prefixes.iter().map(String::as_str).chain([""]);
            for prefix in prefixes {
                let segments = reversed_segments(&format!("{prefix}{}", operation.path));
                names.by_end.push((segments, id));
            }
        }
        names.by_end.sort_unstable();
        names
    }

    /// The operation of this name, as method and path, that is not the deprecated one.
    pub(super) fn find(
        &self,
        deprecated: Option<OperationId>,
        name: &ProseName<'_>,
    ) -> Option<String> {
        let found = if name.text.starts_with('/') {
            self.at_path(name.text)
        } else {
            self.named(name)
        };
        if found.is_empty() || found.iter().all(|id| Some(*id) == deprecated) {
            return None;
        }
        self.one_of(found, name.method)
    }

    /// The operations whose path ends with this one; those with exactly this path, if there are any. If their paths differ, not
    /// all are found.
    fn at_path(&self, path: &str) -> Vec<OperationId> {
        let wanted = reversed_segments(path);
        if wanted.iter().all(|segment| segment == VARIABLE) {
            return Vec::new();
        }
        let first = self
            .by_end
            .partition_point(|(segments, _)| *segments < wanted);
        let mut known = self
            .by_end
            .get(first..)
            .unwrap_or_default()
            .iter()
            .take_while(|(segments, _)| segments.starts_with(&wanted))
            .peekable();
        // A path comes before those that it ends.
        let has_exact = known
            .peek()
            .is_some_and(|(segments, _)| *segments == wanted);
        let mut found = Vec::new();
        for (_, id) in known.take_while(|(segments, _)| !has_exact || *segments == wanted) {
            found.push(*id);
            if found
                .first()
                .is_some_and(|first| self.path(*first) != self.path(*id))
            {
                break;
            }
        }
        found
    }

    fn path(&self, id: OperationId) -> Option<&str> {
        Some(self.description.operation(id)?.path.as_str())
    }

    fn named(&self, name: &ProseName<'_>) -> Vec<OperationId> {
        let folded = folded(name.text);
        if !name.is_quoted && folded.len() < LEAST_LETTERS {
            return Vec::new();
        }
        let by_name = self.by_name.get(&folded).cloned().unwrap_or_default();
        let may_be_path = by_name.is_empty() && name.text.contains('/');
        if may_be_path {
            self.at_path(name.text)
        } else {
            by_name
        }
    }

    /// Decides between operations. If the text gives a path without a method, several methods of it are that path alone.
    fn one_of(&self, found: Vec<OperationId>, method: Option<&str>) -> Option<String> {
        let operation = |id: OperationId| self.description.operation(id);
        let all: Vec<_> = found.into_iter().filter_map(operation).collect();
        let path = &all.first()?.path;
        if all.iter().any(|operation| operation.path != *path) {
            return None;
        }
        match (method, all.as_slice()) {
            (Some(method), _) => {
                let one = all.iter().find(|one| one.method == method)?;
                Some(format!("{} {}", one.method, one.path))
            }
            (None, [one]) => Some(format!("{} {}", one.method, one.path)),
            (None, _) => Some(path.clone()),
        }
    }
}

/// The segments of a path, from the last to the first. Variables are alike, in whatever notation: `{id}`, `:id`, `<id>`, `$ID`.
fn reversed_segments(path: &str) -> Vec<String> {
    let segments = path
        .split(['?', '#'])
        .next()
        .unwrap_or(path)
        .split('/')
        .filter(|segment| !segment.is_empty());
    segments
        .rev()
        .map(|segment| {
            let is_variable = segment.starts_with(['{', ':', '<', '$']);
            if is_variable {
                VARIABLE.to_owned()
            } else {
                segment.to_owned()
            }
        })
        .collect()
}
