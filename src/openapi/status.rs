//! The effect of composition on deprecation: with `allOf`, one deprecated part is enough; alternatives must agree.

use std::collections::HashMap;

use super::schema::{Edge, EdgeKind, SchemaId, SchemaStep};
use super::{Description, MarkerScope};

/// Whether the values that a schema describes are deprecated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum DeprecationStatus {
    /// The schema does not say.
    #[default]
    Undeclared,
    /// Not deprecated.
    NotDeprecated,
    /// Deprecated in one alternative and not in another.
    Possible,
    /// Deprecated.
    Deprecated,
}

impl DeprecationStatus {
    /// The status if both of two schemas apply.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.max(other)
    }

    /// The status if one of two schemas applies; an undeclared one does not count.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Undeclared, declared) | (declared, Self::Undeclared) => declared,
            (one, another) if one == another => one,
            _ => Self::Possible,
        }
    }

    /// The status if the schema may not apply.
    fn if_applied(self) -> Self {
        if self == Self::Deprecated { Self::Possible } else { self }
    }
}

impl Description {
    /// Returns whether the values that this schema describes are deprecated, including what it is composed of.
    pub fn deprecation_of(&self, schema: SchemaId) -> DeprecationStatus {
        if !self.schemas().has_markers(schema) {
            return DeprecationStatus::NotDeprecated;
        }
        self.fold_composition(schema)
    }

    /// The alternative that a discriminator's value chooses: by the mapping, or else by the name of a branch's schema.
    pub fn branch(&self, schema: SchemaId, value: &str) -> Option<SchemaId> {
        let discriminator = self.schemas().discriminator(schema)?;
        let mapped = discriminator.mapping.iter().find(|(name, _)| name == value);
        let is_branch = |edge: &&Edge| matches!(edge.kind, EdgeKind::OneOf | EdgeKind::AnyOf);
        let named = || {
            let mut branches = self.schemas().edges(schema).iter().filter(is_branch);
            branches.find(|edge| self.name_of(edge.to) == Some(value)).map(|edge| edge.to)
        };
        mapped.map(|(_, to)| *to).or_else(named)
    }

    /// The key of a schema in the object that contains it.
    pub fn name_of(&self, schema: SchemaId) -> Option<&str> {
        self.value(self.schemas().get(schema)?.node)?.key()
    }

    /// The status that the markers of the schema itself give.
    fn own_status(&self, schema: SchemaId) -> DeprecationStatus {
        let Some(schema) = self.schemas().get(schema) else { return DeprecationStatus::Undeclared };
        let markers = self.markers_at(schema.node);
        if markers.iter().any(|marker| marker.scope == MarkerScope::Whole) {
            DeprecationStatus::Deprecated
        } else {
            DeprecationStatus::NotDeprecated
        }
    }

    /// Combines the status of a schema and of all that it is composed of, from the inside out. Without recursion: the
    /// nesting of schemas has no limit.
    fn fold_composition(&self, root: SchemaId) -> DeprecationStatus {
        let mut done = KnownStatuses::default();
        let mut stack = vec![(root, FoldStep::Enter)];
        while let Some((id, step)) = stack.pop() {
            match step {
                FoldStep::Enter if done.0.contains_key(&id) => {}
                FoldStep::Enter => {
                    // A schema that contains itself adds nothing.
                    done.0.insert(id, None);
                    stack.push((id, FoldStep::Leave));
                    let parts = self.schemas().edges(id).iter().filter(|edge| {
                        matches!(edge.kind.step(), SchemaStep::Always | SchemaStep::Conditional)
                    });
                    stack.extend(parts.map(|edge| (edge.to, FoldStep::Enter)));
                }
                FoldStep::Leave => {
                    let status = self.own_status(id).and(self.composed_status(id, &done));
                    done.0.insert(id, Some(status));
                }
            }
        }
        done.get(root)
    }

    /// The status that the parts of a composed schema give together.
    fn composed_status(&self, id: SchemaId, done: &KnownStatuses) -> DeprecationStatus {
        const NONE: DeprecationStatus = DeprecationStatus::Undeclared;
        let edges = self.schemas().edges(id);
        let has = |kind| edges.iter().any(|edge: &Edge| edge.kind == kind);
        let any_of = |kinds: &[EdgeKind]| {
            let branches = edges.iter().filter(|edge| kinds.contains(&edge.kind));
            branches.map(|edge| done.get(edge.to)).fold(NONE, DeprecationStatus::or)
        };
        let always = edges.iter().filter(|edge| edge.kind.step() == SchemaStep::Always);
        let always = always.map(|edge| done.get(edge.to)).fold(NONE, DeprecationStatus::and);
        let conditional = edges
            .iter()
            .filter(|edge| matches!(edge.kind, EdgeKind::If | EdgeKind::DependentSchema))
            .map(|edge| done.get(edge.to).if_applied())
            .fold(NONE, DeprecationStatus::and);
        // Without an `else`, there is an alternative to `then` that says nothing.
        let then_or_else = any_of(&[EdgeKind::Then, EdgeKind::Else]);
        let is_certain = has(EdgeKind::Then) && has(EdgeKind::Else);
        let then_or_else = if is_certain { then_or_else } else { then_or_else.if_applied() };
        always
            .and(any_of(&[EdgeKind::OneOf]))
            .and(any_of(&[EdgeKind::AnyOf]))
            .and(then_or_else)
            .and(conditional)
    }
}

/// The status of the schemas visited so far; `None` while a schema's parts are being visited.
#[derive(Default)]
struct KnownStatuses(HashMap<SchemaId, Option<DeprecationStatus>>);

impl KnownStatuses {
    fn get(&self, id: SchemaId) -> DeprecationStatus {
        self.0.get(&id).copied().flatten().unwrap_or_default()
    }
}

enum FoldStep {
    Enter,
    Leave,
}
