//! Compares names as people write them: prose has other letter case and separators than schemas.

use std::collections::HashMap;

use crate::SchemaId;

/// The names in one object or operation.
#[derive(Debug, Default)]
pub(super) struct NameIndex<'d> {
    /// The schemas of each name.
    schemas: HashMap<&'d str, Vec<SchemaId>>,
    /// The names that are equal but for letter case and separators, by what they have in common.
    alike: HashMap<String, Vec<&'d str>>,
}

/// The maximum number of names that are kept as equal but for letter case: an own one and two others, which are ambiguous.
const MAX_ALIKE: usize = 3;

impl<'d> NameIndex<'d> {
    /// Adds a name, with its schema if it is a property.
    pub(super) fn insert(&mut self, name: &'d str, schema: Option<SchemaId>) {
        let known = self.schemas.entry(name).or_insert_with(|| {
            let alike = self.alike.entry(folded(name)).or_default();
            if alike.len() < MAX_ALIKE {
                alike.push(name);
            }
            Vec::new()
        });
        known.extend(schema);
    }

    /// The schemas of the property of this name.
    pub(super) fn schemas(&self, name: &str) -> &[SchemaId] {
        self.schemas.get(name).map_or(&[], Vec::as_slice)
    }
}

/// The name that equals `wanted`, or else the only one that equals it but for letter case and separators: prose says
/// `evaluation_mode` for `evaluationMode`. The name `own` does not count.
pub(super) fn unique<'i, 'd: 'i>(
    indexes: impl Iterator<Item = &'i NameIndex<'d>> + Clone,
    wanted: &str,
    own: Option<&str>,
) -> Option<&'d str> {
    let mut equal = indexes
        .clone()
        .filter_map(|index| index.schemas.get_key_value(wanted));
    if let Some((name, _)) = equal.next().filter(|(name, _)| Some(**name) != own) {
        return Some(name);
    }
    let folded = folded(wanted);
    let mut alike = indexes
        .filter_map(|index| index.alike.get(&folded))
        .flatten()
        .copied()
        .filter(|name| Some(*name) != own);
    let first = alike.next().filter(|_| !folded.is_empty())?;
    alike.all(|name| name == first).then_some(first)
}

/// The letters and digits of a name, in lower case.
pub(super) fn folded(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}
