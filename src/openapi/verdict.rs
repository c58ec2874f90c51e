//! What composition makes of deprecation: in `allOf` deprecated wins, among alternatives all have to agree.

use std::collections::HashMap;

use super::operation::Direction;
use super::schema::{Edge, EdgeKind, SchemaId, Step};
use super::{Description, Scope};

/// How certain it is that something is deprecated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Verdict {
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

impl Verdict {
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
pub type Selected = HashMap<SchemaId, SchemaId>;

impl Description {
    /// Whether a value that this schema describes is itself deprecated.
    pub fn verdict_of(&self, schema: SchemaId) -> Verdict {
        if !self.schemas().has_markers(schema) {
            return Verdict::Live;
        }
        self.fold(&[schema], &Selected::new(), &mut |id| self.own_verdict(id))
    }

    /// Whether the member of this name is deprecated in an object that all these schemas describe, in bodies that go this
    /// way. `selected` says which branches a discriminator has chosen; see [`Self::branch`].
    pub fn verdict(
        &self,
        schemas: &[SchemaId],
        name: &str,
        direction: Direction,
        selected: &Selected,
    ) -> Verdict {
        self.fold(schemas, selected, &mut |id| {
            let edges = self.edges_to_member(id, name).into_iter();
            let open = edges.filter(|edge| self.is_open(edge, direction));
            open.map(|edge| self.verdict_of(edge.to)).fold(Verdict::Undeclared, Verdict::and)
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

    fn own_verdict(&self, schema: SchemaId) -> Verdict {
        let Some(schema) = self.schemas().get(schema) else { return Verdict::Undeclared };
        let is_whole =
            self.markers_at(schema.place).iter().any(|marker| marker.scope == Scope::Whole);
        if is_whole { Verdict::Deprecated } else { Verdict::Live }
    }

    /// Puts together what each schema says alone, from the inside out, without recursion: schemas can nest as they like.
    fn fold(
        &self,
        roots: &[SchemaId],
        selected: &Selected,
        own: &mut dyn FnMut(SchemaId) -> Verdict,
    ) -> Verdict {
        let mut done: HashMap<SchemaId, Option<Verdict>> = HashMap::new();
        let mut stack: Vec<(SchemaId, Visit)> =
            roots.iter().map(|&id| (id, Visit::Enter)).collect();
        while let Some((id, visit)) = stack.pop() {
            match visit {
                Visit::Enter if done.contains_key(&id) => {}
                Visit::Enter => {
                    // What comes back to itself says nothing new.
                    done.insert(id, None);
                    stack.push((id, Visit::Leave));
                    let parts = self.schemas().edges(id).iter();
                    let parts = parts
                        .filter(|edge| matches!(edge.kind.step(), Step::Always | Step::Perhaps));
                    stack.extend(parts.map(|edge| (edge.to, Visit::Enter)));
                }
                Visit::Leave => {
                    let verdict = own(id).and(self.composed(id, selected, &done));
                    done.insert(id, Some(verdict));
                }
            }
        }
        let verdict = |id| done.get(id).copied().flatten().unwrap_or_default();
        roots.iter().map(verdict).fold(Verdict::Undeclared, Verdict::and)
    }

    fn composed(
        &self,
        id: SchemaId,
        selected: &Selected,
        done: &HashMap<SchemaId, Option<Verdict>>,
    ) -> Verdict {
        let verdict = |id| done.get(&id).copied().flatten().unwrap_or_default();
        let edges = self.schemas().edges(id);
        let chosen = selected.get(&id);
        // Branches of one keyword, by their number; `else` may be missing.
        let among = |kinds: &[EdgeKind]| {
            let branches = edges.iter().filter(|edge| kinds.contains(&edge.kind));
            let open = branches.filter(|edge| chosen.is_none_or(|chosen| *chosen == edge.to));
            open.map(|edge| verdict(edge.to)).fold(Verdict::Undeclared, Verdict::or)
        };
        let all = edges.iter().filter(|edge| edge.kind.step() == Step::Always);
        let always = all.map(|edge| verdict(edge.to)).fold(Verdict::Undeclared, Verdict::and);
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
            .and(perhaps.fold(Verdict::Undeclared, Verdict::and))
    }
}

enum Visit {
    Enter,
    Leave,
}
