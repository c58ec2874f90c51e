//! Looks up operations by path, `operationId` or summary.

use std::collections::{BTreeSet, HashMap};

use super::reader::ProseName;
use super::spelling::folded;
use crate::{Description, OperationId, OperationRole};

/// The least letters of an `operationId` that counts without quotes, so that common words do not.
const LEAST_LETTERS: usize = 6;

/// The maximum number of operations that are known by one name: more than a path has methods.
const MAX_NAMESAKES: usize = 1_000;

/// The operations of a service, by their names.
#[derive(Debug)]
pub(super) struct OperationNames<'d> {
    description: &'d Description,
    /// By `operationId` and by summary, without separators in lower case, and by path, reversed.
    by_name: HashMap<String, Vec<OperationId>>,
    /// The reversed paths without prefixes.
    by_end: BTreeSet<String>,
}

impl<'d> OperationNames<'d> {
    pub(super) fn new(description: &'d Description) -> Self {
        let mut by_name: HashMap<String, Vec<OperationId>> = HashMap::new();
        let mut by_end = BTreeSet::new();
        for (id, operation) in description.numbered_operations() {
            if operation.role != OperationRole::Served {
                continue;
            }
            let value = description.value(operation.node);
            let summary = value.and_then(|value| value.get("summary")?.as_str());
            let names = [operation.id.as_deref(), summary].into_iter().flatten();
            let prefixes = operation.prefixes.iter().map(String::as_str).chain([""]);
            let paths = prefixes.map(|prefix| reversed(&format!("{prefix}{}", operation.path)));
            for name in names.map(folded).chain(paths) {
                let ids = by_name.entry(name).or_default();
                if ids.last() != Some(&id) && ids.len() < MAX_NAMESAKES {
                    ids.push(id);
                }
            }
            by_end.insert(reversed(&operation.path));
        }
        by_name.remove("");
        Self {
            description,
            by_name,
            by_end,
        }
    }

    /// The operation of this name, as method and path, that is not the deprecated one.
    pub(super) fn find(
        &self,
        deprecated: Option<OperationId>,
        name: &ProseName<'_>,
    ) -> Option<String> {
        let folded = folded(name.text);
        let is_name = name.is_quoted || folded.len() >= LEAST_LETTERS;
        let named = self.by_name.get(&folded).filter(|_| is_name);
        let found = match named.filter(|_| !name.text.starts_with('/')) {
            None if name.text.contains('/') => self.at_path(name.text)?,
            named => named?,
        };
        if found.iter().all(|id| Some(*id) == deprecated) {
            return None;
        }
        self.one_of(found, name.method)
    }

    /// The operations with this path, or else with the only path that ends with it.
    fn at_path(&self, path: &str) -> Option<&Vec<OperationId>> {
        let wanted = reversed(path);
        if !wanted.contains(|c: char| c.is_alphanumeric()) {
            return None;
        }
        self.by_name.get(&wanted).or_else(|| {
            let mut longer = self.by_end.range(wanted.clone()..);
            let only = longer.next().filter(|one| one.starts_with(&wanted))?;
            let next = longer.next().filter(|one| one.starts_with(&wanted));
            self.by_name.get(only).filter(|_| next.is_none())
        })
    }

    /// Decides between operations. If the text gives a path without a method, several methods of it are that path alone.
    fn one_of(&self, found: &[OperationId], method: Option<&str>) -> Option<String> {
        let operations = found
            .iter()
            .filter_map(|&id| self.description.operation(id));
        let all: Vec<_> = operations.collect();
        let path = &all.first()?.path;
        if all.iter().any(|operation| operation.path != *path) {
            return None;
        }
        let one = match (method, all.as_slice()) {
            (Some(method), _) => all.iter().find(|one| one.method == method)?,
            (None, [one]) => one,
            (None, _) => return Some(path.clone()),
        };
        Some(format!("{} {}", one.method, one.path))
    }
}

/// The segments of a path, from the last to the first. Variables are alike, in whatever notation: `{id}`, `:id`, `<id>`, `$ID`.
fn reversed(path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let segments = path.rsplit('/').filter(|segment| !segment.is_empty());
    let segments = segments.map(|segment| {
        let is_variable = segment.starts_with(['{', ':', '<', '$']);
        if is_variable {
            "{}/".to_owned()
        } else {
            format!("{segment}/")
        }
    });
    segments.collect()
}
