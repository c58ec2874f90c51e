//! What composition makes of deprecation: in `allOf` deprecated wins, among alternatives all have to agree.

use std::collections::HashMap;

use super::operation::Direction;
use super::schema::{Edge, EdgeKind, SchemaId, SchemaStep};
use super::{Description, MarkerScope};

/// How certain it is that something is deprecated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum DeprecationStatus {
    /// The schema says nothing of it.
    #[default]
    Undeclared,
    /// It is declared, and is not deprecated.
    Live,
    /// In one alternative it is deprecated, in another it is not.
    Possible,
    /// It is deprecated.
    Deprecated,
}

impl DeprecationStatus {
    /// Of two schemas that both hold.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.max(other)
    }

    /// Of two alternatives; one that says nothing has no say.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Undeclared, said) | (said, Self::Undeclared) => said,
            (one, another) if one == another => one,
            _ => Self::Possible,
        }
    }

    /// Where it holds only perhaps.
    fn perhaps(self) -> Self {
        if self == Self::Deprecated { Self::Possible } else { self }
    }
}

/// Which alternatives a value has taken, by the schema that has them: what a discriminator says.
pub type ChosenBranches = HashMap<SchemaId, SchemaId>;

impl Description {
    /// Whether a value that this schema describes is itself deprecated.
    pub fn verdict_of(&self, schema: SchemaId) -> DeprecationStatus {
        if !self.schemas().has_markers(schema) {
            return DeprecationStatus::Live;
        }
        self.fold(&[schema], &ChosenBranches::new(), &mut |id| self.own_verdict(id))
    }

    /// Whether the member of this name is deprecated in an object that all these schemas describe, in bodies that go this
    /// way. `selected` says which branches a discriminator has chosen; see [`Self::branch`].
    pub fn verdict(
        &self,
        schemas: &[SchemaId],
        name: &str,
        direction: Direction,
        selected: &ChosenBranches,
    ) -> DeprecationStatus {
        self.fold(schemas, selected, &mut |id| {
            let edges = self.edges_to_member(id, name).into_iter();
            let open = edges.filter(|edge| self.is_open(edge, direction));
            open.map(|edge| self.verdict_of(edge.to))
                .fold(DeprecationStatus::Undeclared, DeprecationStatus::and)
        })
    }

    /// The alternative of a schema that its discriminator's value chooses: by its mapping, or by the name of a branch's
    /// schema.
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

    /// The name under which a schema stands.
    pub fn name_of(&self, schema: SchemaId) -> Option<&str> {
        self.value(self.schemas().get(schema)?.place)?.key()
    }

    fn own_verdict(&self, schema: SchemaId) -> DeprecationStatus {
        let Some(schema) = self.schemas().get(schema) else { return DeprecationStatus::Undeclared };
        let is_whole =
            self.markers_at(schema.place).iter().any(|marker| marker.scope == MarkerScope::Whole);
        if is_whole { DeprecationStatus::Deprecated } else { DeprecationStatus::Live }
    }

    /// Puts together what each schema says alone, from the inside out, without recursion: schemas can nest as they like.
    fn fold(
        &self,
        roots: &[SchemaId],
        selected: &ChosenBranches,
        own: &mut dyn FnMut(SchemaId) -> DeprecationStatus,
    ) -> DeprecationStatus {
        let mut done: HashMap<SchemaId, Option<DeprecationStatus>> = HashMap::new();
        let mut stack: Vec<(SchemaId, FoldStep)> =
            roots.iter().map(|&id| (id, FoldStep::Enter)).collect();
        while let Some((id, visit)) = stack.pop() {
            match visit {
                FoldStep::Enter if done.contains_key(&id) => {}
                FoldStep::Enter => {
                    // What comes back to itself says nothing new.
                    done.insert(id, None);
                    stack.push((id, FoldStep::Leave));
                    let parts = self.schemas().edges(id).iter();
                    let parts = parts.filter(|edge| {
                        matches!(edge.kind.step(), SchemaStep::Always | SchemaStep::Perhaps)
                    });
                    stack.extend(parts.map(|edge| (edge.to, FoldStep::Enter)));
                }
                FoldStep::Leave => {
                    let verdict = own(id).and(self.composed(id, selected, &done));
                    done.insert(id, Some(verdict));
                }
            }
        }
        let verdict = |id| done.get(id).copied().flatten().unwrap_or_default();
        roots.iter().map(verdict).fold(DeprecationStatus::Undeclared, DeprecationStatus::and)
    }

    fn composed(
        &self,
        id: SchemaId,
        selected: &ChosenBranches,
        done: &HashMap<SchemaId, Option<DeprecationStatus>>,
    ) -> DeprecationStatus {
        let verdict = |id| done.get(&id).copied().flatten().unwrap_or_default();
        let edges = self.schemas().edges(id);
        let chosen = selected.get(&id);
        // Branches of one keyword, by their number; `else` may be missing.
        let among = |kinds: &[EdgeKind]| {
            let branches = edges.iter().filter(|edge| kinds.contains(&edge.kind));
            let open = branches.filter(|edge| chosen.is_none_or(|chosen| *chosen == edge.to));
            open.map(|edge| verdict(edge.to))
                .fold(DeprecationStatus::Undeclared, DeprecationStatus::or)
        };
        let all = edges.iter().filter(|edge| edge.kind.step() == SchemaStep::Always);
        let always = all
            .map(|edge| verdict(edge.to))
            .fold(DeprecationStatus::Undeclared, DeprecationStatus::and);
        let conditional = edges
            .iter()
            .filter(|edge| matches!(edge.kind, EdgeKind::If | EdgeKind::DependentSchema));
        let perhaps = conditional.map(|edge| verdict(edge.to).perhaps());
        let has = |kind| edges.iter().any(|edge: &Edge| edge.kind == kind);
        let either = among(&[EdgeKind::Then, EdgeKind::Else]);
        let is_certain = has(EdgeKind::Then) && has(EdgeKind::Else);
        let either = if is_certain { either } else { either.perhaps() };
        always
            .and(among(&[EdgeKind::OneOf]))
            .and(among(&[EdgeKind::AnyOf]))
            .and(either)
            .and(perhaps.fold(DeprecationStatus::Undeclared, DeprecationStatus::and))
    }
}

enum FoldStep {
    Enter,
    Leave,
}
