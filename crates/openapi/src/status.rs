//! The effect of composition on deprecation: with `allOf`, one deprecated part is enough; alternatives must agree.

use std::collections::HashMap;

use super::schema::{Edge, EdgeKind, SchemaId, SchemaStep};
use super::{DeprecationStatus, Description, MarkerScope};

impl Description {
    /// Whether the values that this schema describes are deprecated, including what it is composed of.
    pub fn deprecation_of(&self, schema: SchemaId) -> DeprecationStatus {
        self.statuses
            .get_or_init(|| self.find_statuses())
            .get(schema.index())
            .copied()
            .unwrap_or(DeprecationStatus::NotDeprecated)
    }

    /// The alternative that a discriminator's value chooses: by the mapping, or else by the name of a branch's schema.
    pub fn branch(&self, schema: SchemaId, value: &str) -> Option<SchemaId> {
        let mapped = self
            .schemas()
            .discriminator(schema)?
            .mapping
            .iter()
            .find(|(name, _)| name == value);
        mapped.map(|(_, to)| *to).or_else(|| {
            self.schemas()
                .edges(schema)
                .iter()
                .filter(|edge| matches!(edge.kind, EdgeKind::OneOf | EdgeKind::AnyOf))
                .find(|edge| self.name_of(edge.to) == Some(value))
                .map(|edge| edge.to)
        })
    }

    /// The key of a schema in the object that contains it.
    pub fn name_of(&self, schema: SchemaId) -> Option<&str> {
        self.value(self.schemas().get(schema)?.node)?.key()
    }

    /// The status that the markers of the schema itself give.
    pub(super) fn own_status(&self, schema: SchemaId) -> DeprecationStatus {
        let Some(schema) = self.schemas().get(schema) else {
            return DeprecationStatus::Undeclared;
        };
        let markers = self.markers_at(schema.node);
        if markers
            .iter()
            .any(|marker| marker.scope == MarkerScope::Whole)
        {
            DeprecationStatus::Deprecated
        } else {
            DeprecationStatus::NotDeprecated
        }
    }

    fn find_statuses(&self) -> Vec<DeprecationStatus> {
        let mut known = KnownStatuses::default();
        self.schemas()
            .ids()
            .map(|id| {
                if !self.schemas().has_markers(id) {
                    return DeprecationStatus::NotDeprecated;
                }
                self.fold_composition(self.schemas().representative(id), &mut known)
            })
            .collect()
    }

    /// Combines the status of a schema and of all that it is composed of, from the inside out. Without recursion: the
    /// nesting of schemas has no limit.
    fn fold_composition(&self, root: SchemaId, known: &mut KnownStatuses) -> DeprecationStatus {
        let mut in_context = Vec::new();
        let mut stack = vec![(root, FoldStep::Enter)];
        while let Some((id, step)) = stack.pop() {
            match step {
                FoldStep::Enter if known.0.contains_key(&id) => {}
                FoldStep::Enter => {
                    // A schema that contains itself adds nothing.
                    known.0.insert(id, KnownStatus::default());
                    stack.push((id, FoldStep::Leave));
                    stack.extend(self.parts(id).map(|part| (part, FoldStep::Enter)));
                }
                FoldStep::Leave => {
                    let status = self
                        .circle(id)
                        .map(|id| self.own_status(id).and(self.composed_status(id, known)))
                        .fold(DeprecationStatus::Undeclared, DeprecationStatus::and);
                    let is_final = self.parts(id).all(|part| known.is_final(part));
                    known.0.insert(id, KnownStatus { status, is_final });
                    if !is_final {
                        in_context.push(id);
                    }
                }
            }
        }
        let status = known.get(root);
        for id in in_context {
            known.0.remove(&id);
        }
        status
    }

    /// A schema and those that always apply with it, by its representative.
    fn circle(&self, id: SchemaId) -> impl Iterator<Item = SchemaId> + '_ {
        [id].into_iter()
            .chain(self.schemas().circle(id).iter().copied())
    }

    /// The representatives of the schemas that a circle is composed of, without its own.
    fn parts(&self, id: SchemaId) -> impl Iterator<Item = SchemaId> + '_ {
        let parts = self
            .circle(id)
            .flat_map(|id| self.schemas().edges(id))
            .filter(|edge| {
                matches!(
                    edge.kind.step(),
                    SchemaStep::Always | SchemaStep::Conditional
                )
            });
        parts
            .map(|edge| self.schemas().representative(edge.to))
            .filter(move |&part| part != id)
    }

    /// The status that the parts of a composed schema give together.
    fn composed_status(&self, id: SchemaId, known: &KnownStatuses) -> DeprecationStatus {
        const NONE: DeprecationStatus = DeprecationStatus::Undeclared;
        let edges = self.schemas().edges(id);
        let status = |edge: &Edge| known.get(self.schemas().representative(edge.to));
        let has = |kind| edges.iter().any(|edge: &Edge| edge.kind == kind);
        let any_of = |kinds: &[EdgeKind]| {
            edges
                .iter()
                .filter(|edge| kinds.contains(&edge.kind))
                .map(status)
                .fold(NONE, DeprecationStatus::or)
        };
        let always = edges
            .iter()
            .filter(|edge| edge.kind.step() == SchemaStep::Always)
            .map(status)
            .fold(NONE, DeprecationStatus::and);
        let conditional = edges
            .iter()
            .filter(|edge| matches!(edge.kind, EdgeKind::If | EdgeKind::DependentSchema))
            .map(|edge| status(edge).if_applied())
            .fold(NONE, DeprecationStatus::and);
        // Without an `else`, there is an alternative to `then` that says nothing.
        let then_or_else = any_of(&[EdgeKind::Then, EdgeKind::Else]);
        let is_certain = has(EdgeKind::Then) && has(EdgeKind::Else);
        let then_or_else = if is_certain {
            then_or_else
        } else {
            then_or_else.if_applied()
        };
        always
            .and(any_of(&[EdgeKind::OneOf]))
            .and(any_of(&[EdgeKind::AnyOf]))
            .and(then_or_else)
            .and(conditional)
    }
}

/// The status of the schemas visited so far, by representative.
#[derive(Default)]
struct KnownStatuses(HashMap<SchemaId, KnownStatus>);

/// The status of a schema; undeclared while its parts are being visited.
#[derive(Clone, Copy, Default)]
struct KnownStatus {
    status: DeprecationStatus,
    /// Whether it is the same in every search. If not, a part contains a schema that was being visited.
    is_final: bool,
}

impl KnownStatuses {
    fn get(&self, id: SchemaId) -> DeprecationStatus {
        self.0
            .get(&id)
            .map(|known| known.status)
            .unwrap_or_default()
    }

    fn is_final(&self, id: SchemaId) -> bool {
        self.0.get(&id).is_some_and(|known| known.is_final)
    }
}

enum FoldStep {
    Enter,
    Leave,
}
