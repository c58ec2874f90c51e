//! The names that a record has, and the other records that it holds.

use super::automaton::NameId;
use super::compiled::{Compiled, CompiledShape, Logs, Outer, Roles};
use super::located::may_be_json;
use super::shape::Piece;
use crate::file_head::contains;
use crate::messages::{is_in_base64, is_record_in_text};
use crate::pieces::{REQUEST_END, elements};
use sundown_text_json::json::{Node, ValueKind};

impl Compiled {
    /// Finds the names that a record has.
    pub(crate) fn find<'t>(&self, record: Node<'t>) -> Found<'t, '_> {
        let mut found = Found::new(self);
        self.automaton
            .find(record, &mut |name, node| found.add(name, node));
        found
    }

    /// Returns the names that a record has.
    pub(crate) fn found<'t>(&self, outer: &'t Outer<'_>) -> Found<'t, '_> {
        let Some(names) = &outer.found else {
            return self.find(outer.document.root());
        };
        let mut found = Found::new(self);
        for &(name, index) in names {
            found.add(name, outer.document.node(index));
        }
        found
    }
}

/// The names that a record has.
pub(crate) struct Found<'t, 'c> {
    compiled: &'c Compiled,
    /// The names that it has, each with the first node.
    nodes: Vec<(NameId, Node<'t>)>,
    /// A bit for each name that it has: most are asked for and not there.
    has: Vec<u64>,
    /// What its names are in known shapes.
    pub(super) roles: Roles,
    /// Further values of names.
    duplicates: Vec<(NameId, Node<'t>)>,
}

impl<'t, 'c> Found<'t, 'c> {
    fn new(compiled: &'c Compiled) -> Self {
        Self {
            compiled,
            nodes: Vec::with_capacity(32),
            has: vec![0; compiled.roles.len() / 64 + 1],
            roles: Roles {
                signs: compiled.without_sign,
                ..Roles::default()
            },
            duplicates: Vec::new(),
        }
    }

    fn add(&mut self, name: NameId, node: Node<'t>) {
        let (word, bit) = place(name);
        let word = self.has.get_mut(word);
        let (Some(word), Some(roles)) = (word, self.compiled.roles.get(name as usize)) else {
            return;
        };
        if *word & bit != 0 {
            self.duplicates.push((name, node));
            return;
        }
        *word |= bit;
        self.nodes.push((name, node));
        self.roles.add(*roles);
    }

    pub(super) fn compiled(&self) -> &'c Compiled {
        self.compiled
    }

    /// Whether some name occurs several times.
    pub(crate) fn has_duplicates(&self) -> bool {
        !self.duplicates.is_empty()
    }

    /// The further values of the names of a value.
    pub(super) fn duplicates_of(&self, node: Node<'t>) -> impl Iterator<Item = Node<'t>> + '_ {
        let is_of = move |name| {
            self.get(name)
                .is_some_and(|first| first.index() == node.index())
        };
        let duplicates = self.duplicates.iter();
        duplicates
            .filter(move |(name, _)| is_of(*name))
            .map(|(_, duplicate)| *duplicate)
    }

    /// The first value of a name.
    #[inline]
    pub(super) fn get(&self, name: NameId) -> Option<Node<'t>> {
        let (word, bit) = place(name);
        if self.has.get(word)? & bit == 0 {
            return None;
        }
        let mut nodes = self.nodes.iter();
        Some(nodes.find(|(known, _)| *known == name)?.1)
    }

    /// The values of names, in the order of the names.
    pub(super) fn all<'s>(&'s self, names: &'s [NameId]) -> impl Iterator<Item = Node<'t>> + 's {
        names.iter().filter_map(|name| self.get(*name))
    }
}

/// The word and the bit of a name.
#[inline]
fn place(name: NameId) -> (usize, u64) {
    (name as usize / 64, 1 << (name % 64))
}

/// A record in a list, or one by itself.
pub(crate) struct Listed<'t> {
    pub node: Node<'t>,
    /// The objects that describe it and others: its scope and its resource, where they are given.
    pub around: Vec<Node<'t>>,
}

impl<'t> Listed<'t> {
    pub(crate) fn alone(node: Node<'t>) -> Self {
        Self {
            node,
            around: Vec::new(),
        }
    }
}

impl<'t> Found<'t, '_> {
    /// Whether the record may have lists of records.
    pub(crate) fn may_have_lists(&self, logs: &Logs<'_>) -> bool {
        self.roles.records != 0 || logs.own().any(|shape| !shape.records.is_empty())
    }

    /// The records in the lists of a record, where its shapes say so.
    pub(crate) fn lists(&self, record: Node<'t>, logs: &Logs<'_>) -> Vec<Listed<'t>> {
        let known = self.compiled.shapes_of(self.roles.records);
        let mut listed = Vec::new();
        // Several programs may call their lists alike: each list is read once.
        let mut read: Vec<&[String]> = Vec::new();
        for shape in logs.own().chain(known) {
            for path in &shape.records {
                if self.get(path.first).is_none() || read.contains(&&*path.tokens) {
                    continue;
                }
                let before = listed.len();
                collect(record, &path.tokens, &mut Vec::new(), &mut listed);
                let mut first = listed.iter().skip(before).take(FIRST_RECORDS);
                if first.any(|first| self.compiled.is_record_of(first.node, shape)) {
                    read.push(&path.tokens);
                } else {
                    listed.truncate(before);
                }
            }
        }
        listed
    }

    /// A body whose call is in another record.
    pub(crate) fn lone_response(&self, logs: &Logs<'_>) -> Option<Node<'t>> {
        let known = self.compiled.shapes_of(self.roles.halves);
        let is_half = |shape: &&CompiledShape| {
            let mut ids = self.all(shape.names(Piece::Correlation));
            self.has_sign(shape) && ids.next().is_some()
        };
        let mut shapes = logs.own().chain(known).filter(is_half);
        shapes.find_map(|shape| {
            let bodies = [Piece::ResponseBody, Piece::RequestBody];
            let mut bodies = bodies
                .into_iter()
                .flat_map(|piece| self.all(shape.names(piece)));
            // Without a sign, the names alone say little.
            let is_sure = !shape.when.is_empty();
            bodies.find(|body| is_sure && body.kind() != ValueKind::Null || may_be_json(*body))
        })
    }

    /// The members in which the record may have what a program wrote.
    pub(crate) fn wrapped(&self, logs: &Logs<'_>) -> Vec<Node<'t>> {
        let known = self.compiled.shapes_of(self.roles.wrappers);
        let mut wrapped: Vec<Node<'t>> = Vec::new();
        for shape in logs.own().chain(known) {
            for node in self.all(shape.names(Piece::Unwrap)) {
                if wrapped.iter().all(|known| known.index() != node.index()) {
                    wrapped.push(node);
                }
            }
        }
        wrapped
    }
}

/// The number of records of a list that are asked whether they are some: those of several programs may be mixed.
const FIRST_RECORDS: usize = 64;

/// Collects the values at a pointer, in which `*` is each element or member, with the objects that describe them.
fn collect<'t>(
    node: Node<'t>,
    tokens: &[String],
    around: &mut Vec<Node<'t>>,
    listed: &mut Vec<Listed<'t>>,
) {
    /// The members that describe the records of a list beside them (OpenTelemetry).
    const AROUND: [&str; 2] = ["scope", "resource"];
    let Some((first, rest)) = tokens.split_first() else {
        // A pointer may end at the list. Lists within lists are none.
        let records = elements(node).into_iter();
        listed.extend(records.map(|node| Listed {
            node,
            around: around.iter().rev().copied().collect(),
        }));
        return;
    };
    if first == "*" {
        for child in node.children() {
            collect(child, rest, around, listed);
        }
    } else if let Some(child) = node.step(first) {
        let before = around.len();
        around.extend(AROUND.iter().filter_map(|name| node.get(name)));
        collect(child, rest, around, listed);
        around.truncate(before);
    }
}

impl Compiled {
    /// Whether a record of a list is one of the shape that names the list: one with its signs, or with another record
    /// inside. Without either, the way to the list says enough.
    fn is_record_of(&self, record: Node<'_>, shape: &CompiledShape) -> bool {
        let found = self.find(record);
        if !shape.when.is_empty() {
            return found.has_sign(shape);
        }
        let wrappers = shape.names(Piece::Unwrap);
        wrappers.is_empty()
            || found.all(wrappers).any(|text| {
                text.kind() != ValueKind::String
                    || is_record_in_text(text)
                    || is_in_base64(text)
                    || contains(text.raw_bytes(), REQUEST_END)
            })
    }
}
