//! The alternatives that composition leaves for a value, and their form as nodes of the automaton.

use std::cell::Cell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::{
    DeprecationStatus, Description, Edge, EdgeKind, SchemaId, SchemaStep, narrow, reachable,
};
use sundown_selector::automaton::Nodes;

/// The most alternatives that are kept apart. Beyond, each schema becomes an alternative of its own: a certain use may then
/// be reported as possible, and none is missed.
const MAX_ALTERNATIVES: usize = 64;

/// Schemas that all apply to a value, and the branches that a discriminator has chosen, each after the schema that has the
/// discriminator.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Alternative {
    /// Each with whether it applies under a condition that the value has not decided.
    pub schemas: BTreeMap<u32, bool>,
    pub chosen: BTreeSet<(u32, u32)>,
    /// The body contradicts it, and not all others. It still describes what no other alternative declares: descriptions have
    /// errors.
    pub is_contradicted: bool,
    /// Its schemas include the parts and one choice of branches of each of them.
    pub is_expanded: bool,
    /// It is one of the two results of a condition that is open, so what it does not declare may be no use.
    pub is_result: bool,
}

impl Alternative {
    pub(super) fn of_schema(id: u32) -> Self {
        Self::default().inside([(id, false)])
    }

    /// The alternative for a value in this one, whose schemas have not been expanded; each with whether it is conditional.
    pub(super) fn inside(&self, schemas: impl IntoIterator<Item = (u32, bool)>) -> Self {
        let mut all: BTreeMap<u32, bool> = BTreeMap::new();
        for (id, is_conditional) in schemas {
            *all.entry(id).or_insert(is_conditional) &= is_conditional;
        }
        Self {
            schemas: all,
            is_contradicted: self.is_contradicted,
            ..Self::default()
        }
    }

    /// The schemas that apply whatever conditions say, or those that apply under one.
    pub(super) fn schemas_if(&self, is_conditional: bool) -> impl Iterator<Item = SchemaId> {
        let all = self.schemas.iter();
        let own = all.filter(move |(_, conditional)| **conditional == is_conditional);
        own.map(|(id, _)| SchemaId(*id))
    }

    pub(super) fn has_conditional(&self) -> bool {
        self.schemas_if(true).next().is_some()
    }
}

/// An alternative whose schemas have not all been expanded.
#[derive(Debug, Clone)]
struct PendingAlternative {
    pub expanded: Alternative,
    pub pending: Vec<u32>,
    /// Those that only apply under a condition, which come after the others.
    pub conditional: Vec<u32>,
}

impl PendingAlternative {
    fn of(alternative: &Alternative) -> Self {
        let mut pending = Self {
            expanded: alternative.clone(),
            pending: Vec::new(),
            conditional: Vec::new(),
        };
        if !alternative.is_expanded {
            for (id, is_conditional) in std::mem::take(&mut pending.expanded.schemas) {
                pending.list(is_conditional).push(id);
            }
        }
        pending
    }

    fn list(&mut self, is_conditional: bool) -> &mut Vec<u32> {
        if is_conditional {
            &mut self.conditional
        } else {
            &mut self.pending
        }
    }

    /// Takes the next schema that is to be expanded.
    fn next(&mut self) -> Option<u32> {
        loop {
            let own = self.pending.pop();
            let id = own.or_else(|| self.conditional.pop())?;
            if let Entry::Vacant(free) = self.expanded.schemas.entry(id) {
                free.insert(own.is_none());
                return Some(id);
            }
        }
    }

    /// Adds parts of a schema, which are conditional if the schema is.
    fn add(&mut self, of: SchemaId, parts: impl IntoIterator<Item = u32>) {
        let is_conditional = self.expanded.schemas.get(&of.0) == Some(&true);
        self.list(is_conditional).extend(parts);
    }
}

/// Whether a part of a schema under a condition applies; `None` if that is open.
type Applies<'a> = dyn FnMut(&Edge) -> Option<bool> + 'a;

impl Description {
    /// Expands the compositions of all schemas in the alternatives. Those that the body contradicts do not take room from the
    /// others.
    pub(super) fn expand(
        &self,
        alternatives: &[Alternative],
        effort: &Cell<usize>,
    ) -> Vec<Alternative> {
        self.expand_if(alternatives, effort, &mut |_| None)
    }

    /// Expands them for a value that decides conditions.
    pub(super) fn expand_if(
        &self,
        alternatives: &[Alternative],
        effort: &Cell<usize>,
        applies: &mut Applies<'_>,
    ) -> Vec<Alternative> {
        let (contradicted, others): (Vec<Alternative>, Vec<Alternative>) = alternatives
            .iter()
            .cloned()
            .partition(|one| one.is_contradicted);
        let mut expanded = self.expand_equal(&others, effort, applies);
        for one in self.expand_equal(&contradicted, effort, applies) {
            expanded.push(Alternative {
                is_contradicted: true,
                ..one
            });
        }
        expanded
    }

    fn expand_equal(
        &self,
        alternatives: &[Alternative],
        effort: &Cell<usize>,
        applies: &mut Applies<'_>,
    ) -> Vec<Alternative> {
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
                Some(id) => {
                    open.extend(self.split_by_schema(SchemaId(id), alternative, applies));
                }
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
        applies: &mut Applies<'_>,
    ) -> Vec<PendingAlternative> {
        let edges = self.schemas().unnamed_edges(id);
        let always = edges
            .clone()
            .filter(|edge| edge.kind.step() == SchemaStep::Always);
        alternative.add(id, always.map(|edge| edge.to.0));
        let mut undecided = Vec::new();
        for edge in edges.clone().filter(|edge| edge.kind.is_under_condition()) {
            match applies(edge) {
                Some(true) => alternative.add(id, [edge.to.0]),
                Some(false) => {}
                None => undecided.push(*edge),
            }
        }
        // One of the two applies whatever the condition says.
        let mut either: Vec<Edge> = undecided
            .extract_if(.., |edge| {
                matches!(edge.kind, EdgeKind::Then | EdgeKind::Else)
            })
            .collect();
        if either.len() < 2 {
            undecided.append(&mut either);
        }
        let either: Vec<u32> = either.iter().map(|edge| edge.to.0).collect();
        alternative.expanded.is_result |= !either.is_empty();
        let conditional = undecided.iter().map(|edge| edge.to.0);
        alternative.conditional.extend(conditional);
        let chosen: Vec<u32> = alternative
            .expanded
            .chosen
            .iter()
            .filter(|(by, _)| *by == id.0)
            .map(|&(_, to)| to)
            .collect();
        // A chosen schema that is not a branch is a subtype, which applies together with this schema.
        alternative.add(id, chosen.iter().copied());
        let mut alternatives = split(vec![alternative], id, &either);
        for kind in [EdgeKind::OneOf, EdgeKind::AnyOf] {
            let branches = edges.clone().filter(|edge| edge.kind == kind);
            let mut branches: Vec<u32> = branches.map(|edge| edge.to.0).collect();
            if branches.iter().any(|to| chosen.contains(to)) {
                branches.retain(|to| chosen.contains(to));
            }
            alternatives = split(alternatives, id, &branches);
        }
        alternatives
    }

    /// Every schema that may apply, in an alternative of its own.
    fn separate_schemas(&self, alternatives: &[Alternative]) -> Vec<Alternative> {
        let chosen = alternatives
            .iter()
            .flat_map(|one| &one.chosen)
            .map(|(_, to)| *to);
        let own = alternatives
            .iter()
            .flat_map(|one| one.schemas.keys())
            .copied();
        let all = reachable(
            own.chain(chosen).map(|id| (id, false)),
            |(id, is_conditional)| {
                let edges = self.schemas().unnamed_edges(SchemaId(id));
                let parts = edges.filter(|edge| !edge.kind.step().is_inside());
                parts.map(move |edge| {
                    let is_conditional = is_conditional || edge.kind.is_under_condition();
                    (edge.to.0, is_conditional)
                })
            },
        );
        let alone = Alternative::default();
        let all = alone.inside(all).schemas.into_iter();
        all.map(|one| alone.inside([one])).collect()
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
        let has_mark = |one: &Alternative, is_conditional: bool| {
            let mut schemas = one.schemas_if(is_conditional);
            schemas.any(|id| self.has_own_marker(id))
        };
        let deprecated = alternatives.iter().filter(|one| has_mark(one, false));
        match deprecated.count() {
            0 if !alternatives.iter().any(|one| has_mark(one, true)) => {
                DeprecationStatus::NotDeprecated
            }
            count if count == alternatives.len() => DeprecationStatus::Deprecated,
            _ => DeprecationStatus::Possible,
        }
    }

    /// Whether a marker of the schema itself is about all its values.
    fn has_own_marker(&self, schema: SchemaId) -> bool {
        let schema = self.schemas().get(schema);
        let markers = schema.map(|schema| self.markers_at(schema.node));
        let mut markers = markers.into_iter().flatten();
        markers.any(|marker| marker.value.is_none())
    }
}

/// Combines each alternative with each branch of a schema. Without branches, nothing changes.
fn split(
    alternatives: Vec<PendingAlternative>,
    of: SchemaId,
    branches: &[u32],
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
            alternative.add(of, [*more]);
            alternative
        })
        .collect()
}

/// Encodes alternatives as numbers: for each, what is known about it, the count of its schemas, the schemas, doubled, with one more if
/// it is conditional, the count of its choices, the choices.
pub(super) fn encode(alternatives: &BTreeSet<Alternative>) -> Nodes {
    let mut nodes = Vec::new();
    for one in alternatives {
        let facts = [one.is_contradicted, one.is_expanded, one.is_result];
        nodes.push(
            facts
                .iter()
                .fold(0, |bits, &fact| bits * 2 + u32::from(fact)),
        );
        nodes.push(narrow(one.schemas.len()));
        let schemas = one.schemas.iter();
        nodes.extend(schemas.map(|(id, &is_conditional)| id * 2 + u32::from(is_conditional)));
        nodes.push(narrow(one.chosen.len()));
        nodes.extend(one.chosen.iter().flat_map(|&(by, to)| [by, to]));
    }
    nodes.into()
}

/// Decodes what [`encode`] has made.
pub(super) fn decode(nodes: &[u32]) -> Vec<Alternative> {
    let mut alternatives = Vec::new();
    let mut rest = nodes.iter().copied();
    while let (Some(facts), Some(len)) = (rest.next(), rest.next()) {
        let schemas = rest.by_ref().take(len as usize);
        let schemas = schemas
            .map(|number| (number / 2, number % 2 != 0))
            .collect();
        let pairs = rest.next().unwrap_or(0);
        let chosen = (0..pairs)
            .filter_map(|_| Some((rest.next()?, rest.next()?)))
            .collect();
        alternatives.push(Alternative {
            schemas,
            chosen,
            is_contradicted: facts & 4 != 0,
            is_expanded: facts & 2 != 0,
            is_result: facts & 1 != 0,
        });
    }
    alternatives
}
