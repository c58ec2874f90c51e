//! The way back through a directed graph: which nodes reach some of its nodes.

use std::collections::{HashSet, VecDeque};
use std::hash::Hash;

use crate::narrow;

/// A directed graph whose nodes are numbers from 0, reversed. Built once for many searches.
#[derive(Debug)]
pub struct Ancestry {
    incoming: Vec<Vec<u32>>,
    /// Sets of nodes that reach each other, each before the sets that reach it.
    pub(super) components: Vec<Vec<u32>>,
    /// The component of each node.
    component_of: Vec<usize>,
}

/// The nodes beside each node.
pub(super) fn neighbours(nodes: usize, edges: impl Iterator<Item = (u32, u32)>) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new(); nodes];
    for (node, neighbour) in edges {
        if let Some(list) = lists.get_mut(node as usize) {
            list.push(neighbour);
        }
    }
    lists
}

pub(super) fn beside(lists: &[Vec<u32>], node: u32) -> &[u32] {
    lists.get(node as usize).map_or(&[], Vec::as_slice)
}

impl Ancestry {
    /// The number of targets for which one search goes out.
    pub const AT_ONCE: usize = u64::BITS as usize;

    /// Reverses the edges, which lead from the first node of each pair to the second.
    pub fn new(nodes: usize, edges: &[(u32, u32)]) -> Self {
        let outgoing = neighbours(nodes, edges.iter().copied());
        let incoming = neighbours(nodes, edges.iter().map(|&(from, to)| (to, from)));
        let (components, component_of) = components(nodes, &incoming, &outgoing);
        Self {
            incoming,
            components,
            component_of,
        }
    }

    /// A node and all nodes that reach it, the nearest first.
    pub fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> {
        let first = narrow(node);
        let all = reachable([first], |node| beside(&self.incoming, node).iter().copied());
        all.map(|node| node as usize)
    }

    /// Finds all nodes that reach each target, and the targets themselves. `visit` receives a node and the indices of the targets
    /// that it reaches, once for every [`Self::AT_ONCE`] targets, in no order.
    ///
    /// The time is that of one search for so many targets: a component passes a word on to those that reach it, with a bit for each
    /// target that it reaches.
    pub fn find(&self, targets: &[usize], mut visit: impl FnMut(usize, &[usize])) {
        for (chunk, targets) in targets.chunks(Self::AT_ONCE).enumerate() {
            let mut reached = vec![0_u64; self.components.len()];
            for (bit, target) in targets.iter().enumerate() {
                self.add(&mut reached, *target, 1 << bit);
            }
            for (component, members) in self.components.iter().enumerate() {
                let word = reached.get(component).copied().unwrap_or_default();
                if word == 0 {
                    continue;
                }
                let bits = (0..Self::AT_ONCE).filter(|bit| word >> bit & 1 == 1);
                let found: Vec<usize> = bits.map(|bit| chunk * Self::AT_ONCE + bit).collect();
                for &node in members {
                    for &source in beside(&self.incoming, node) {
                        self.add(&mut reached, source as usize, word);
                    }
                    visit(node as usize, &found);
                }
            }
        }
    }

    fn add(&self, reached: &mut [u64], node: usize, word: u64) {
        let component = self.component_of.get(node).copied();
        if let Some(reached) = component.and_then(|component| reached.get_mut(component)) {
            *reached |= word;
        }
    }
}

/// These nodes of a graph and all to which `next` leads from them, each once, the nearest first.
pub(super) fn reachable<T: Copy + Eq + Hash, I: Iterator<Item = T>>(
    from: impl IntoIterator<Item = T>,
    next: impl Fn(T) -> I,
) -> impl Iterator<Item = T> {
    let mut seen = HashSet::new();
    let mut queue: VecDeque<T> = from.into_iter().filter(|&node| seen.insert(node)).collect();
    std::iter::from_fn(move || {
        let node = queue.pop_front()?;
        queue.extend(next(node).filter(|&node| seen.insert(node)));
        Some(node)
    })
}

/// Finds the components and the component of each node (Kosaraju's algorithm, without recursion).
fn components(
    nodes: usize,
    incoming: &[Vec<u32>],
    outgoing: &[Vec<u32>],
) -> (Vec<Vec<u32>>, Vec<usize>) {
    const NONE: usize = usize::MAX;
    let all = 0..narrow(nodes);
    // The nodes in the order in which a depth-first search against the edges leaves them.
    let mut left = Vec::with_capacity(nodes);
    let mut is_entered = vec![false; nodes];
    let mut enter = |node: u32| {
        let entered = is_entered.get_mut(node as usize);
        entered.is_some_and(|entered| !std::mem::replace(entered, true))
    };
    for start in all {
        let mut stack = Vec::new();
        if enter(start) {
            stack.push((start, beside(incoming, start).iter()));
        }
        while let Some((node, sources)) = stack.last_mut() {
            match sources.next() {
                Some(&source) if enter(source) => {
                    stack.push((source, beside(incoming, source).iter()));
                }
                Some(_) => {}
                None => {
                    left.push(*node);
                    stack.pop();
                }
            }
        }
    }
    let mut components: Vec<Vec<u32>> = Vec::new();
    let mut component_of = vec![NONE; nodes];
    for &start in left.iter().rev() {
        let mut stack = vec![start];
        let mut members = Vec::new();
        while let Some(node) = stack.pop() {
            let of = component_of.get_mut(node as usize);
            let Some(of) = of.filter(|of| **of == NONE) else {
                continue;
            };
            *of = components.len();
            members.push(node);
            stack.extend(beside(outgoing, node));
        }
        if !members.is_empty() {
            components.push(members);
        }
    }
    (components, component_of)
}

#[cfg(test)]
mod tests {
    use super::Ancestry;
    use std::collections::BTreeSet;

    /// The pairs of a target's index and a node that reaches it.
    fn pairs(nodes: usize, edges: &[(u32, u32)], targets: &[usize]) -> BTreeSet<(usize, usize)> {
        let mut pairs = BTreeSet::new();
        Ancestry::new(nodes, edges).find(targets, |node, found| {
            pairs.extend(found.iter().map(|&target| (target, node)));
        });
        pairs
    }

    #[test]
    fn all_nodes_that_reach_a_target_are_found_through_circles() {
        // 0 → 1 ⇄ 2 → 3, 4 → 3, 5 alone.
        let edges = [(0, 1), (1, 2), (2, 1), (2, 3), (4, 3)];
        let found = pairs(6, &edges, &[3, 1, 5]);
        let of = |target| -> Vec<usize> {
            let own = found.iter().filter(|(index, _)| *index == target);
            own.map(|(_, node)| *node).collect()
        };
        assert_eq!(of(0), [0, 1, 2, 3, 4]);
        assert_eq!(of(1), [0, 1, 2]);
        assert_eq!(of(2), [5]);
    }

    #[test]
    fn more_targets_than_bits_of_a_word_are_found() {
        let edges: Vec<(u32, u32)> = (1..200).map(|node| (node - 1, node)).collect();
        let targets: Vec<usize> = (0..200).collect();
        assert_eq!(pairs(200, &edges, &targets).len(), 200 * 201 / 2);
    }
}
