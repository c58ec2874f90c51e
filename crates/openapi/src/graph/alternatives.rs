//! The alternatives that composition leaves for a value, and their form as nodes of the automaton.

use std::cell::Cell;
use std::collections::BTreeSet;

use crate::ancestry::reachable;
use crate::schema::{EdgeKind, SchemaId, SchemaStep};
use crate::{DeprecationStatus, Description, MarkerScope};
use sundown_selector::automaton::Nodes;

/// The most alternatives that are kept apart. Beyond, each schema becomes an alternative of its own: a certain use may then
/// be reported as possible, and none is missed.
pub(super) const MAX_ALTERNATIVES: usize = 64;

/// Schemas that all apply to a value, and the branches that a discriminator has chosen, each after the schema that has the
/// discriminator.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Alternative {
    pub schemas: BTreeSet<u32>,
    pub chosen: BTreeSet<(u32, u32)>,
    pub facts: AlternativeFacts,
}

/// What the walk knows about an alternative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct AlternativeFacts {
    /// The body contradicts it, and not all others. It still describes what no other alternative declares: descriptions have
    /// errors.
    pub is_contradicted: bool,
    /// Its schemas include the parts and one choice of branches of each of them.
    pub is_expanded: bool,
}

impl AlternativeFacts {
    fn encode(self) -> u32 {
        u32::from(self.is_contradicted) | u32::from(self.is_expanded) << 1
    }

    fn decode(number: u32) -> Self {
        Self {
            is_contradicted: number & 1 != 0,
            is_expanded: number & 2 != 0,
        }
    }
}

impl Alternative {
    pub(super) fn of_schema(id: u32) -> Self {
        Self::of_schemas(BTreeSet::from([id]))
    }

    pub(super) fn of_schemas(schemas: BTreeSet<u32>) -> Self {
        Self {
            schemas,
            ..Self::default()
        }
    }

    /// The alternative for a value in one with these facts, whose schemas have not been expanded.
    pub(super) fn inside(facts: AlternativeFacts, schemas: BTreeSet<u32>) -> Self {
        let mut inside = Self::of_schemas(schemas);
        inside.facts.is_contradicted = facts.is_contradicted;
        inside
    }
}

/// An alternative whose schemas have not all been expanded.
#[derive(Debug, Clone)]
pub(super) struct PendingAlternative {
    pub expanded: Alternative,
    pub pending: Vec<u32>,
}

impl PendingAlternative {
    pub(super) fn of(alternative: &Alternative) -> Self {
        if alternative.facts.is_expanded {
            return Self {
                expanded: alternative.clone(),
                pending: Vec::new(),
            };
        }
        let pending = alternative.schemas.iter().copied().collect();
        Self {
            expanded: Alternative {
                schemas: BTreeSet::new(),
                ..alternative.clone()
            },
            pending,
        }
    }

    /// Takes the next schema that is to be expanded.
    pub(super) fn next(&mut self) -> Option<u32> {
        while let Some(id) = self.pending.pop() {
            if self.expanded.schemas.insert(id) {
                return Some(id);
            }
        }
        None
    }
}

impl Description {
    /// Expands the compositions of all schemas in the alternatives. Those that the body contradicts do not take room from the
    /// others.
    pub(super) fn expand(
        &self,
        alternatives: &[Alternative],
        effort: &Cell<usize>,
    ) -> Vec<Alternative> {
        let (contradicted, others): (Vec<Alternative>, Vec<Alternative>) = alternatives
            .iter()
            .cloned()
            .partition(|one| one.facts.is_contradicted);
        let mut expanded = self.expand_equal(&others, effort);
        let further = self.expand_equal(&contradicted, effort).into_iter();
        expanded.extend(further.map(|mut one| {
            one.facts.is_contradicted = true;
            one
        }));
        expanded
    }

    fn expand_equal(&self, alternatives: &[Alternative], effort: &Cell<usize>) -> Vec<Alternative> {
        let mut done = Vec::new();
        let mut open: Vec<PendingAlternative> =
            alternatives.iter().map(PendingAlternative::of).collect();
        while let Some(mut alternative) = open.pop() {
            effort.set(effort.get() + 1 + alternative.expanded.schemas.len());
            if done.len() + open.len() >= MAX_ALTERNATIVES {
                return self.separate_schemas(alternatives);
            }
            match alternative.next() {
                None => done.push(alternative.expanded),
                Some(id) => open.extend(self.split_by_schema(SchemaId(id), alternative)),
            }
        }
        done.sort_unstable();
        done.dedup();
        done
    }

    /// Splits an alternative by the composition of one of its schemas.
    fn split_by_schema(
        &self,
        id: SchemaId,
        mut alternative: PendingAlternative,
    ) -> Vec<PendingAlternative> {
        let edges = || self.schemas().unnamed_edges(id);
        let of = |kind: EdgeKind| -> Vec<u32> {
            edges()
                .filter(|edge| edge.kind == kind)
                .map(|edge| edge.to.0)
                .collect()
        };
        let always = edges().filter(|edge| edge.kind.step() == SchemaStep::Always);
        alternative.pending.extend(always.map(|edge| edge.to.0));
        let chosen: Vec<u32> = alternative
            .expanded
            .chosen
            .iter()
            .filter(|(by, _)| *by == id.0)
            .map(|&(_, to)| to)
            .collect();
        let branches = |kind| {
            let all = of(kind);
            let kept: Vec<u32> = all
                .iter()
                .copied()
                .filter(|to| chosen.contains(to))
                .collect();
            if kept.is_empty() { all } else { kept }
        };
        // A chosen schema that is not a branch is a subtype, which applies together with this schema.
        alternative.pending.extend(chosen.iter().copied());
        let mut alternatives = vec![alternative];
        for kind in [EdgeKind::OneOf, EdgeKind::AnyOf] {
            let branches: Vec<_> = branches(kind).into_iter().map(|to| vec![to]).collect();
            alternatives = split(alternatives, &branches);
        }
        let condition = of(EdgeKind::If);
        let then = of(EdgeKind::Then);
        let otherwise = of(EdgeKind::Else);
        if !(condition.is_empty() && then.is_empty() && otherwise.is_empty()) {
            alternatives = split(alternatives, &[[condition, then].concat(), otherwise]);
        }
        for dependent in of(EdgeKind::DependentSchema) {
            alternatives = split(alternatives, &[vec![dependent], Vec::new()]);
        }
        alternatives
    }

    /// Every schema that may apply, in an alternative of its own.
    fn separate_schemas(&self, alternatives: &[Alternative]) -> Vec<Alternative> {
        let chosen = alternatives
            .iter()
            .flat_map(|one| &one.chosen)
            .map(|(_, to)| *to);
        let own = alternatives.iter().flat_map(|one| &one.schemas).copied();
        let parts = |id| {
            let edges = self.schemas().unnamed_edges(SchemaId(id));
            let parts = edges.filter(|edge| !edge.kind.step().is_inside());
            parts.map(|edge| edge.to.0)
        };
        let all = reachable(own.chain(chosen), parts);
        all.map(Alternative::of_schema).collect()
    }

    /// The result of [`Self::deprecation_of`]. Each schema that is visited adds to `effort`.
    pub(crate) fn find_status(&self, schema: SchemaId, effort: &Cell<usize>) -> DeprecationStatus {
        if !self.schemas().has_markers(schema) {
            return DeprecationStatus::NotDeprecated;
        }
        let always = self.always_applied([schema]);
        effort.set(effort.get() + always.len());
        if always.iter().any(|&id| self.has_own_marker(id)) {
            return DeprecationStatus::Deprecated;
        }
        let own = Alternative::of_schema(self.schemas().representative(schema).0);
        self.status_in(&self.expand(&[own], effort))
    }

    /// Whether a value is deprecated of which one of these alternatives holds.
    pub(super) fn status_in(&self, alternatives: &[Alternative]) -> DeprecationStatus {
        let is_deprecated = |one: &Alternative| {
            let mut schemas = one.schemas.iter();
            schemas.any(|&id| self.has_own_marker(SchemaId(id)))
        };
        match alternatives.iter().filter(|one| is_deprecated(one)).count() {
            0 => DeprecationStatus::NotDeprecated,
            count if count == alternatives.len() => DeprecationStatus::Deprecated,
            _ => DeprecationStatus::Possible,
        }
    }

    /// Whether a marker of the schema itself is about all its values.
    fn has_own_marker(&self, schema: SchemaId) -> bool {
        let schema = self.schemas().get(schema);
        let markers = schema.map(|schema| self.markers_at(schema.node));
        let mut markers = markers.into_iter().flatten();
        markers.any(|marker| marker.scope == MarkerScope::Whole)
    }
}

/// Combines each alternative with each branch. Without branches, nothing changes.
pub(super) fn split(
    alternatives: Vec<PendingAlternative>,
    branches: &[Vec<u32>],
) -> Vec<PendingAlternative> {
    if branches.is_empty() {
        return alternatives;
    }
    alternatives
        .iter()
        .flat_map(|alternative| branches.iter().map(move |more| (alternative, more)))
        .take(MAX_ALTERNATIVES + 1)
        .map(|(alternative, more)| {
            let mut alternative = alternative.clone();
            alternative.pending.extend(more);
            alternative
        })
        .collect()
}

/// Encodes alternatives as numbers: for each, its facts, the count of its schemas, the schemas, the count of its choices, the
/// choices.
pub(super) fn encode(alternatives: &BTreeSet<Alternative>) -> Nodes {
    let count = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
    let mut nodes = Vec::new();
    for Alternative {
        schemas,
        chosen,
        facts,
    } in alternatives
    {
        nodes.push(facts.encode());
        nodes.push(count(schemas.len()));
        nodes.extend(schemas);
        nodes.push(count(chosen.len()));
        nodes.extend(chosen.iter().flat_map(|&(by, to)| [by, to]));
    }
    nodes.into()
}

/// Decodes what [`encode`] has made.
pub(super) fn decode(nodes: &[u32]) -> Vec<Alternative> {
    let mut alternatives = Vec::new();
    let mut rest = nodes.iter().copied();
    while let (Some(facts), Some(len)) = (rest.next(), rest.next()) {
        let schemas = rest.by_ref().take(len as usize).collect();
        let pairs = rest.next().unwrap_or(0);
        let chosen = (0..pairs)
            .filter_map(|_| Some((rest.next()?, rest.next()?)))
            .collect();
        alternatives.push(Alternative {
            schemas,
            chosen,
            facts: AlternativeFacts::decode(facts),
        });
    }
    alternatives
}
