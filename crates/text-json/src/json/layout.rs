//! Layouts of similar records, such as the lines of a log. The text between the values of a record is compared with that of an
//! earlier one, so that only the ends of values have to be found.

use super::document::{Arena, Document, NodeBuffer, NodeData, narrow};
use super::json_loader::{Opens, value_end};
use super::literal::Literal;
use super::value_kind::ValueKind;

/// Makes the trees of records, and remembers their layouts.
#[derive(Debug)]
pub struct LayoutCache {
    opens: Opens,
    /// The layout that matched last is the first.
    known: Vec<Layout>,
    /// The number of layouts that have been made.
    made: usize,
    /// The number of records in a row that none of them matched.
    misses: usize,
    /// By how many bytes the text after each leaf has moved.
    moved: Vec<u32>,
}

/// The nodes of a document and the text between its leaves: scalars, and containers whose content is left out.
#[derive(Debug)]
struct Layout {
    number: usize,
    nodes: Vec<NodeData>,
    /// The text before each leaf, from the end of the one before it.
    before: Vec<Literal>,
    /// The text after the last leaf.
    after: Box<[u8]>,
    /// The indexes of the leaves.
    leaves: Vec<usize>,
    /// For each node, the number of leaves before it and before its end.
    counts: Vec<[usize; 2]>,
}

/// The number of layouts that are remembered.
const MAX_LAYOUTS: usize = 8;

/// The number of nodes that a remembered layout may have.
const MAX_NODES: usize = 128;

impl LayoutCache {
    /// Creates a cache for layouts that contain the arrays and objects for which `opens` is true, as for [`Document::scan`].
    pub fn new(opens: fn(usize, &[u8]) -> bool) -> Self {
        Self {
            opens,
            known: Vec::new(),
            made: 0,
            misses: 0,
            moved: Vec::new(),
        }
    }

    /// Makes the same document as [`Document::scan`], and returns it with a number. Outlines with the same number have the same
    /// keys and kinds of values.
    pub fn document<'a>(
        &mut self,
        text: &'a [u8],
        mut spare: NodeBuffer,
    ) -> Option<(Document<'a>, usize)> {
        for place in 0..self.known.len() {
            let Some(template) = self.known.get(place) else {
                break;
            };
            if let Some(document) = template.match_layout(text, &mut spare, &mut self.moved) {
                let number = template.number;
                self.misses = 0;
                if let Some(first) = self.known.get_mut(..=place) {
                    first.rotate_right(1);
                }
                return Some((document, number));
            }
        }
        let document = Document::scan(text, self.opens, spare)?;
        self.made += 1;
        self.misses += 1;
        // If every record is different, remembering layouts is useless.
        if self.misses.is_power_of_two()
            && let Some(template) = Layout::new(&document, self.made)
        {
            self.known.truncate(MAX_LAYOUTS - 1);
            self.known.insert(0, template);
        }
        Some((document, self.made))
    }
}

impl Layout {
    /// Creates the layout of a document; `None` if that has too many nodes.
    fn new(document: &Document<'_>, number: usize) -> Option<Self> {
        let text = document.text();
        let nodes = &document.arena.nodes;
        if nodes.len() > MAX_NODES {
            return None;
        }
        let mut before = Vec::new();
        let mut leaves: Vec<usize> = Vec::new();
        let mut at = 0;
        for (index, node) in nodes.iter().enumerate().filter(|(_, node)| node.is_leaf()) {
            before.push(Literal::new(text.get(at..node.span().start)?));
            leaves.push(index);
            at = node.span().end;
        }
        let counts = nodes
            .iter()
            .enumerate()
            .map(|(index, node)| {
                [index, node.next as usize].map(|end| leaves.partition_point(|&leaf| leaf < end))
            })
            .collect();
        Some(Self {
            number,
            nodes: nodes.clone(),
            before,
            after: text.get(at..)?.into(),
            leaves,
            counts,
        })
    }

    /// Makes the document of another text, if it has this layout; otherwise `spare` is unchanged.
    fn match_layout<'a>(
        &self,
        text: &'a [u8],
        spare: &mut NodeBuffer,
        moved: &mut Vec<u32>,
    ) -> Option<Document<'a>> {
        moved.clear();
        moved.push(0);
        let mut at = 0;
        for (before, &leaf) in self.before.iter().zip(&self.leaves) {
            if !before.begins(text.get(at..)?) {
                return None;
            }
            at += before.len();
            let node = self.nodes.get(leaf)?;
            if ValueKind::of_first_byte(*text.get(at)?)? != node.kind {
                return None;
            }
            at = value_end(text, at, node.kind)?;
            moved.push(narrow(at).wrapping_sub(narrow(node.span().end)));
        }
        if text.get(at..)? != &*self.after {
            return None;
        }
        let mut nodes = std::mem::take(spare).0;
        nodes.clear();
        nodes.extend(self.nodes.iter().zip(&self.counts).map(|(node, counts)| {
            let by = counts.map(|count| moved.get(count).copied().unwrap_or_default());
            node.moved(by[0], by[1])
        }));
        let arena = Arena {
            nodes,
            ..Arena::default()
        };
        Some(Document::new(text.into(), arena))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn outer(around: usize, name: &[u8]) -> bool {
        around < 2 && name != b"c"
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn texts_have_the_outline_that_they_have_alone(
            texts in prop::collection::vec(
                prop_oneof![
                    3 => super::super::tests::value(),
                    2 => "[{][\"]a[\"][:](1|22|true|null|[\"]x[\"]|[{][}]|[{] [\"]b[\"]:2[}]|[\\[][0-9][\\]])(,[\"]c[\"]: ?([{][}]|[0-9]{1,2}|[\"][a-z]{0,3}[\"]))?[}]",
                    1 => r#"[{}\[\]",:a1 ]{0,9}"#,
                ],
                1..12,
            ),
        ) {
            let mut layouts = LayoutCache::new(outer);
            let mut shapes = std::collections::HashMap::new();
            for text in texts.iter().chain(&texts) {
                let expected = Document::scan(text.as_bytes(), outer, NodeBuffer::default());
                let found = layouts.document(text.as_bytes(), NodeBuffer::default());
                let written = |document: &Document<'_>| format!("{:?}", document.arena.nodes);
                prop_assert_eq!(
                    found.as_ref().map(|(document, _)| written(document)),
                    expected.as_ref().map(written),
                    "{}", text
                );
                let Some((document, number)) = found else { continue };
                let shape: Vec<_> = document
                    .arena
                    .nodes
                    .iter()
                    .map(|node| (node.kind, node.key_span().map(|key| key.slice(text.as_bytes()).to_vec())))
                    .collect();
                prop_assert_eq!(shapes.entry(number).or_insert_with(|| shape.clone()), &shape);
            }
        }
    }
}
