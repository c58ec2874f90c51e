//! Rules laid over the graph of schemas: what of a body they accept, as the automaton asks for it.
//!
//! A value is described by *worlds*: each is a set of schemas that all hold, and one of the worlds is the case. `allOf`
//! makes a world larger; `oneOf`, `anyOf`, `if` and `dependentSchemas` make several of one. A member is a use
//! - *certainly*, where every world that declares it declares it as one: in `allOf` deprecated wins, and a world that does
//!   not know the member has no say;
//! - *possibly*, where other worlds declare it as something else.

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::operation::Direction;
use super::schema::{Edge, EdgeKind, SchemaId, SchemaStep};
use super::{Description, NodeId};
use crate::selector::automaton::{Graph, GraphStep, Nodes, PatternId};

/// A rule's pattern numbers: for a use that is certain, and for one that is possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsePatterns {
    /// Certainly a use.
    pub certain: PatternId,
    /// A use in one alternative, and none in another.
    pub possible: PatternId,
}

/// The bodies of one side of an operation, and the rules about properties of their schemas.
#[derive(Debug)]
pub struct SchemaGraph {
    description: Arc<Description>,
    direction: Direction,
    /// The schemas of the bodies, one for each media type and status.
    roots: Vec<SchemaId>,
    /// By the property as it stands in the description: those that can be reached.
    rules: HashMap<NodeId, Vec<UsePatterns>>,
    /// The schemas from which a property with a rule can be reached.
    leads: HashSet<SchemaId>,
    names: Vec<Box<str>>,
    indices: usize,
    /// How many schemas have been gone into.
    effort: Cell<usize>,
}

/// Schemas that all hold, and the alternatives that a discriminator has chosen, each behind the schema that has it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Alternative {
    schemas: BTreeSet<u32>,
    chosen: BTreeSet<(u32, u32)>,
}

/// How many worlds are told apart. Where there are more, each schema makes a world of its own: then a use that is certain
/// may be told as possible, and none is missed.
const MOST_WORLDS: usize = 64;

impl SchemaGraph {
    /// Lays rules over the bodies that these schemas describe. `number` is asked once for each property that can be reached, and
    /// gives the numbers of the rules about it.
    pub fn new(
        description: Arc<Description>,
        direction: Direction,
        mut roots: Vec<SchemaId>,
        number: impl FnMut(NodeId) -> Vec<UsePatterns>,
    ) -> Self {
        roots.sort_unstable();
        roots.dedup();
        let mut walk = Self {
            description,
            direction,
            roots,
            rules: HashMap::new(),
            leads: HashSet::new(),
            names: Vec::new(),
            indices: 0,
            effort: Cell::new(0),
        };
        let reachable = walk.reachable();
        walk.rules = walk.numbered(&reachable, number);
        walk.leads = walk.leading(&reachable);
        walk.names = walk.telling_names(&reachable);
        walk.indices = walk.telling_indices(&reachable);
        walk
    }

    /// Whether the rules accept nothing in these bodies.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The names of the properties with a rule.
    pub fn fields(&self) -> BTreeSet<&str> {
        let places = self.rules.keys();
        places.filter_map(|place| self.description.value(*place)?.key()).collect()
    }

    fn numbered(
        &self,
        reachable: &[SchemaId],
        mut number: impl FnMut(NodeId) -> Vec<UsePatterns>,
    ) -> HashMap<NodeId, Vec<UsePatterns>> {
        let edges = reachable.iter().flat_map(|&id| self.open_edges(id));
        let properties = edges.filter(|edge| edge.kind == EdgeKind::Property);
        let places = properties.filter_map(|edge| self.place_of(edge));
        let numbered = places.map(|place| (place, number(place)));
        numbered.filter(|(_, uses)| !uses.is_empty()).collect()
    }

    /// All schemas that describe a part of these bodies.
    fn reachable(&self) -> Vec<SchemaId> {
        let mut seen: HashSet<SchemaId> = self.roots.iter().copied().collect();
        let mut found = self.roots.clone();
        let mut next = 0;
        while let Some(&id) = found.get(next) {
            next += 1;
            let edges = self.open_edges(id).map(|edge| edge.to);
            found.extend(edges.chain(self.chosen_from(id)).filter(|&to| seen.insert(to)));
        }
        found
    }

    fn open_edges(&self, id: SchemaId) -> impl Iterator<Item = &Edge> {
        let edges = self.description.schemas().edges(id).iter();
        edges.filter(|edge| self.description.is_open(edge, self.direction))
    }

    /// The schemas from which a property with a rule can be reached: backwards from those that have one.
    fn leading(&self, reachable: &[SchemaId]) -> HashSet<SchemaId> {
        let mut into: HashMap<SchemaId, Vec<SchemaId>> = HashMap::new();
        let mut leads = HashSet::new();
        let mut stack = Vec::new();
        for &id in reachable {
            for edge in self.open_edges(id) {
                into.entry(edge.to).or_default().push(id);
            }
            for to in self.chosen_from(id) {
                into.entry(to).or_default().push(id);
            }
            if self.open_edges(id).any(|edge| self.has_rule(edge)) {
                stack.push(id);
            }
        }
        while let Some(id) = stack.pop() {
            if leads.insert(id) {
                stack.extend(into.get(&id).into_iter().flatten());
            }
        }
        leads
    }

    fn leads(&self, id: SchemaId) -> bool {
        self.leads.contains(&id)
    }

    /// The names that lead to a rule somewhere; where members of any name do, all that are declared.
    fn telling_names(&self, reachable: &[SchemaId]) -> Vec<Box<str>> {
        let edges = || reachable.iter().flat_map(|&id| self.open_edges(id));
        let is_for_any = |edge: &Edge| {
            edge.kind.step() == SchemaStep::Key
                && edge.kind != EdgeKind::Property
                && self.leads(edge.to)
        };
        let all = edges().any(is_for_any);
        let properties = edges().filter(|edge| edge.kind == EdgeKind::Property);
        let telling = properties.filter(|edge| all || self.leads(edge.to) || self.has_rule(edge));
        let names: BTreeSet<&str> = telling.filter_map(|edge| self.name_of(edge)).collect();
        names.into_iter().map(Box::from).collect()
    }

    fn telling_indices(&self, reachable: &[SchemaId]) -> usize {
        let prefixes = reachable.iter().flat_map(|&id| self.open_edges(id));
        let prefixes: Vec<_> = prefixes.filter(|edge| edge.kind == EdgeKind::PrefixItem).collect();
        let lists: HashSet<SchemaId> = prefixes.iter().map(|edge| edge.from).collect();
        // Of lists in which nothing leads anywhere, no element differs from another.
        let matters = |edge: &&Edge| {
            lists.contains(&edge.from) && self.open_edges(edge.from).any(|one| self.leads(one.to))
        };
        prefixes.into_iter().filter(matters).map(|edge| edge.index as usize + 1).max().unwrap_or(0)
    }

    fn name_of(&self, edge: &Edge) -> Option<&str> {
        let place = self.place_of(edge)?;
        self.description.value(place)?.key()
    }

    fn place_of(&self, edge: &Edge) -> Option<NodeId> {
        let file = self.description.schemas().get(edge.from)?.place.file;
        Some(NodeId { file, value: edge.member })
    }

    fn rules_of(&self, edge: &Edge) -> &[UsePatterns] {
        let place = (edge.kind == EdgeKind::Property).then(|| self.place_of(edge)).flatten();
        place.and_then(|place| self.rules.get(&place)).map_or(&[], Vec::as_slice)
    }

    fn has_rule(&self, edge: &Edge) -> bool {
        !self.rules_of(edge).is_empty()
    }

    /// What a discriminator's value chooses: one of the alternatives, or a kind of the schema that refers to it.
    fn branch(&self, id: SchemaId, value: &str) -> Option<SchemaId> {
        let heir = || {
            let mut heirs = self.description.schemas().heirs(id).iter().copied();
            heirs.find(|&heir| self.description.name_of(heir) == Some(value))
        };
        self.description.branch(id, value).or_else(heir)
    }

    /// Where a discriminator may lead.
    fn chosen_from(&self, id: SchemaId) -> impl Iterator<Item = SchemaId> {
        let chosen = self.description.schemas().discriminator(id);
        let mapped = chosen.into_iter().flat_map(|chosen| &chosen.mapping).map(|(_, to)| *to);
        mapped.chain(self.description.schemas().heirs(id).iter().copied())
    }

    /// What the worlds become when each schema's compositions are gone into.
    fn spread(&self, worlds: &[Alternative]) -> Vec<Alternative> {
        let mut done = Vec::new();
        let mut open: Vec<PendingAlternative> = worlds.iter().map(PendingAlternative::of).collect();
        while let Some(mut world) = open.pop() {
            self.effort.set(self.effort.get() + 1 + world.world.schemas.len());
            if done.len() + open.len() >= MOST_WORLDS {
                return self.apart(worlds);
            }
            match world.next() {
                None => done.push(world.world),
                Some(id) => open.extend(self.alternatives(SchemaId(id), world)),
            }
        }
        done.sort_unstable();
        done.dedup();
        done
    }

    /// The worlds into which one is split by a schema that it holds.
    fn alternatives(&self, id: SchemaId, mut world: PendingAlternative) -> Vec<PendingAlternative> {
        let edges = || self.description.schemas().unnamed_edges(id);
        let of = |kind: EdgeKind| -> Vec<u32> {
            edges().filter(|edge| edge.kind == kind).map(|edge| edge.to.0).collect()
        };
        let always = edges().filter(|edge| edge.kind.step() == SchemaStep::Always);
        world.pending.extend(always.map(|edge| edge.to.0));
        let chosen: Vec<u32> =
            world.world.chosen.iter().filter(|(by, _)| *by == id.0).map(|&(_, to)| to).collect();
        let branches = |kind| {
            let all = of(kind);
            let kept: Vec<u32> = all.iter().copied().filter(|to| chosen.contains(to)).collect();
            if kept.is_empty() { all } else { kept }
        };
        // What is chosen and no branch stands beside the schema: a kind of it that refers to it.
        world.pending.extend(chosen.iter().copied());
        let mut worlds = vec![world];
        for kind in [EdgeKind::OneOf, EdgeKind::AnyOf] {
            let branches: Vec<_> = branches(kind).into_iter().map(|to| vec![to]).collect();
            worlds = split(worlds, &branches);
        }
        let (condition, then, otherwise) =
            (of(EdgeKind::If), of(EdgeKind::Then), of(EdgeKind::Else));
        if !(condition.is_empty() && then.is_empty() && otherwise.is_empty()) {
            worlds = split(worlds, &[[condition, then].concat(), otherwise]);
        }
        for dependent in of(EdgeKind::DependentSchema) {
            worlds = split(worlds, &[vec![dependent], Vec::new()]);
        }
        worlds
    }

    /// Every schema that may hold, in a world of its own.
    fn apart(&self, worlds: &[Alternative]) -> Vec<Alternative> {
        let chosen = worlds.iter().flat_map(|world| &world.chosen).map(|(_, to)| *to);
        let held = worlds.iter().flat_map(|world| &world.schemas).copied();
        let mut seen: BTreeSet<u32> = held.chain(chosen).collect();
        let mut stack: Vec<u32> = seen.iter().copied().collect();
        while let Some(id) = stack.pop() {
            let edges = self.description.schemas().unnamed_edges(SchemaId(id));
            let parts = edges
                .filter(|edge| matches!(edge.kind.step(), SchemaStep::Always | SchemaStep::Perhaps))
                .map(|edge| edge.to.0);
            stack.extend(parts.filter(|&to| seen.insert(to)));
        }
        let alone = |id| Alternative { schemas: BTreeSet::from([id]), chosen: BTreeSet::new() };
        seen.into_iter().map(alone).collect()
    }

    /// The worlds without those compositions that can be found again, where any leads to a rule.
    fn written(&self, worlds: Vec<Alternative>) -> Nodes {
        let leads = |world: &Alternative| world.schemas.iter().any(|&id| self.leads(SchemaId(id)));
        if !worlds.iter().any(leads) {
            return Nodes::default();
        }
        write(&worlds.into_iter().collect())
    }

    /// The edges to a member from all schemas of a world, in bodies of this direction.
    fn member_edges<'s>(&'s self, world: &Alternative, name: Option<&str>) -> Vec<&'s Edge> {
        let edges = world.schemas.iter().flat_map(|&id| match name {
            Some(name) => self.description.edges_to_member(SchemaId(id), name),
            None => self.description.edges_to_others(SchemaId(id)),
        });
        let open = edges.filter(|edge| self.description.is_open(edge, self.direction)).collect();
        evaluated(open)
    }
}

/// Without what other schemas leave over, where they leave nothing (JSON Schema 2020-12, core, section 11).
fn evaluated(mut edges: Vec<&Edge>) -> Vec<&Edge> {
    let is_leftover = |edge: &&Edge| {
        matches!(edge.kind, EdgeKind::UnevaluatedProperties | EdgeKind::UnevaluatedItems)
    };
    if !edges.iter().all(is_leftover) {
        edges.retain(|edge| !is_leftover(edge));
    }
    edges
}

impl Graph for SchemaGraph {
    fn start(&self) -> Nodes {
        let world = |root: &SchemaId| Alternative {
            schemas: BTreeSet::from([root.0]),
            chosen: BTreeSet::new(),
        };
        self.written(self.roots.iter().map(world).collect())
    }

    fn member(&self, from: &[u32], name: Option<&str>) -> GraphStep {
        let mut next = Vec::new();
        let mut uses: Vec<UsePatterns> = Vec::new();
        let mut is_other_too = false;
        for world in self.spread(&read(from)) {
            let edges = self.member_edges(&world, name);
            if edges.is_empty() {
                continue;
            }
            let before = uses.len();
            uses.extend(edges.iter().flat_map(|edge| self.rules_of(edge)));
            is_other_too |= uses.len() == before;
            let schemas = edges.iter().map(|edge| edge.to.0).collect();
            next.push(Alternative { schemas, chosen: BTreeSet::new() });
        }
        let number = |uses: &UsePatterns| if is_other_too { uses.possible } else { uses.certain };
        let accepts: BTreeSet<PatternId> = uses.iter().map(number).collect();
        GraphStep { nodes: self.written(next), accepts: accepts.into_iter().collect() }
    }

    fn element(&self, from: &[u32], index: usize) -> Nodes {
        let next = self.spread(&read(from)).into_iter().filter_map(|world| {
            let schemas = world.schemas.iter();
            let edges =
                schemas.flat_map(|&id| self.description.edges_to_element(SchemaId(id), index));
            let edges = evaluated(edges.collect());
            let schemas: BTreeSet<u32> = edges.iter().map(|edge| edge.to.0).collect();
            (!schemas.is_empty()).then_some(Alternative { schemas, chosen: BTreeSet::new() })
        });
        self.written(next.collect())
    }

    fn distinguishes_other_names(&self, from: &[u32]) -> bool {
        let worlds = self.spread(&read(from));
        let mut schemas = worlds.iter().flat_map(|world| &world.schemas);
        schemas.any(|&id| {
            let mut edges = self.description.schemas().unnamed_edges(SchemaId(id));
            // Even one that leads nowhere takes its names from the edge for all others.
            edges.any(|edge| {
                let is_open = || self.description.is_open(edge, self.direction);
                edge.kind == EdgeKind::PatternProperty && is_open()
            })
        })
    }

    fn discriminators(&self, of: &[u32]) -> Vec<Box<str>> {
        let worlds = self.spread(&read(of));
        let schemas = worlds.iter().flat_map(|world| &world.schemas);
        let found =
            schemas.filter_map(|&id| self.description.schemas().discriminator(SchemaId(id)));
        let names: BTreeSet<&str> = found.map(|found| found.property.as_str()).collect();
        names.into_iter().map(Box::from).collect()
    }

    fn choose(&self, of: &[u32], discriminator: &str, value: &str) -> Nodes {
        let mut worlds = Vec::new();
        for mut world in read(of) {
            let spread = self.spread(std::slice::from_ref(&world));
            let schemas: BTreeSet<u32> =
                spread.iter().flat_map(|world| &world.schemas).copied().collect();
            for id in schemas.into_iter().map(SchemaId) {
                let known = self.description.schemas().discriminator(id);
                if known.is_some_and(|known| known.property == discriminator)
                    && let Some(branch) = self.branch(id, value)
                {
                    world.chosen.insert((id.0, branch.0));
                }
            }
            worlds.push(world);
        }
        self.written(worlds)
    }

    fn names(&self) -> Vec<Box<str>> {
        self.names.clone()
    }

    fn indices(&self) -> usize {
        self.indices
    }

    fn effort(&self) -> usize {
        self.effort.get()
    }
}

/// Several graphs side by side: more than one description may know an operation.
#[derive(Debug)]
pub struct SchemaGraphs(pub Vec<SchemaGraph>);

impl SchemaGraphs {
    /// The nodes of each graph.
    fn apart<'n>(&self, nodes: &'n [u32]) -> Vec<&'n [u32]> {
        let mut rest = nodes;
        let mut split = || {
            let (len, behind) = rest.split_first()?;
            let (own, others) = behind.split_at_checked(*len as usize)?;
            rest = others;
            Some(own)
        };
        self.0.iter().map(|_| split().unwrap_or_default()).collect()
    }

    /// The nodes of all graphs, behind what each of them gives for its own.
    fn together(
        &self,
        nodes: &[u32],
        mut next: impl FnMut(&SchemaGraph, &[u32]) -> Nodes,
    ) -> Nodes {
        let own = self.0.iter().zip(self.apart(nodes));
        let parts: Vec<Nodes> = own
            .map(
                |(walk, nodes)| if nodes.is_empty() { Nodes::default() } else { next(walk, nodes) },
            )
            .collect();
        join(&parts)
    }
}

/// The nodes of several graphs as those of one.
fn join(parts: &[Nodes]) -> Nodes {
    if parts.iter().all(|part| part.is_empty()) {
        return Nodes::default();
    }
    let len = |part: &Nodes| u32::try_from(part.len()).unwrap_or(u32::MAX);
    parts.iter().flat_map(|part| [len(part)].into_iter().chain(part.iter().copied())).collect()
}

impl Graph for SchemaGraphs {
    fn start(&self) -> Nodes {
        join(&self.0.iter().map(SchemaGraph::start).collect::<Vec<_>>())
    }

    fn member(&self, from: &[u32], name: Option<&str>) -> GraphStep {
        let mut accepts = BTreeSet::new();
        let nodes = self.together(from, |walk, nodes| {
            let reached = walk.member(nodes, name);
            accepts.extend(reached.accepts);
            reached.nodes
        });
        GraphStep { nodes, accepts: accepts.into_iter().collect() }
    }

    fn element(&self, from: &[u32], index: usize) -> Nodes {
        self.together(from, |walk, nodes| walk.element(nodes, index))
    }

    fn distinguishes_other_names(&self, from: &[u32]) -> bool {
        self.0
            .iter()
            .zip(self.apart(from))
            .any(|(walk, nodes)| walk.distinguishes_other_names(nodes))
    }

    fn discriminators(&self, of: &[u32]) -> Vec<Box<str>> {
        let all = self.0.iter().zip(self.apart(of));
        let names: BTreeSet<_> = all.flat_map(|(walk, nodes)| walk.discriminators(nodes)).collect();
        names.into_iter().collect()
    }

    fn choose(&self, of: &[u32], discriminator: &str, value: &str) -> Nodes {
        self.together(of, |walk, nodes| walk.choose(nodes, discriminator, value))
    }

    fn names(&self) -> Vec<Box<str>> {
        self.0.iter().flat_map(Graph::names).collect()
    }

    fn indices(&self) -> usize {
        self.0.iter().map(Graph::indices).max().unwrap_or(0)
    }

    fn effort(&self) -> usize {
        self.0.iter().map(Graph::effort).sum()
    }
}

/// A world whose schemas have not all been gone into.
#[derive(Debug, Clone)]
struct PendingAlternative {
    world: Alternative,
    pending: Vec<u32>,
}

impl PendingAlternative {
    fn of(world: &Alternative) -> Self {
        let pending = world.schemas.iter().copied().collect();
        Self {
            world: Alternative { schemas: BTreeSet::new(), chosen: world.chosen.clone() },
            pending,
        }
    }

    /// A schema that has just become one of the world's.
    fn next(&mut self) -> Option<u32> {
        while let Some(id) = self.pending.pop() {
            if self.world.schemas.insert(id) {
                return Some(id);
            }
        }
        None
    }
}

/// Each world with each of the alternatives; no alternative changes nothing.
fn split(worlds: Vec<PendingAlternative>, alternatives: &[Vec<u32>]) -> Vec<PendingAlternative> {
    if alternatives.is_empty() {
        return worlds;
    }
    let with = |world: &PendingAlternative, more: &Vec<u32>| {
        let mut world = world.clone();
        world.pending.extend(more);
        world
    };
    worlds
        .iter()
        .flat_map(|world| alternatives.iter().map(move |more| with(world, more)))
        .take(MOST_WORLDS + 1)
        .collect()
}

/// Worlds as numbers: of each how many schemas it has, and them, then how many choices, and them.
fn write(worlds: &BTreeSet<Alternative>) -> Nodes {
    let count = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
    let mut nodes = Vec::new();
    for Alternative { schemas, chosen } in worlds {
        nodes.push(count(schemas.len()));
        nodes.extend(schemas);
        nodes.push(count(chosen.len()));
        nodes.extend(chosen.iter().flat_map(|&(by, to)| [by, to]));
    }
    nodes.into()
}

fn read(nodes: &[u32]) -> Vec<Alternative> {
    let mut worlds = Vec::new();
    let mut rest = nodes.iter().copied();
    while let Some(len) = rest.next() {
        let schemas = rest.by_ref().take(len as usize).collect();
        let pairs = rest.next().unwrap_or(0);
        let chosen = (0..pairs).filter_map(|_| Some((rest.next()?, rest.next()?))).collect();
        worlds.push(Alternative { schemas, chosen });
    }
    worlds
}
