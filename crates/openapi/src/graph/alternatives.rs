//! The alternatives that composition leaves for a value, and their form as nodes of the automaton.

use std::collections::BTreeSet;

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
