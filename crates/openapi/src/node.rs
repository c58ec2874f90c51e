//! Nodes of a description: its files, and the values in them.

use sundown_text_json::json::{Document, Node, NodeIndex};

/// The index of a file in its description. The description's own file is the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(super) u32);

impl FileId {
    /// The description's own file.
    pub const FIRST: Self = Self(0);

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A value in one of a description's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId {
    pub file: FileId,
    /// The value in it; for a YAML alias, the value that it refers to.
    pub value: NodeIndex,
}

impl NodeId {
    /// The value in this file.
    pub fn of(file: FileId, value: Node<'_>) -> Self {
        let value = value.index();
        Self { file, value }
    }
}

/// A file of a description.
#[derive(Debug)]
pub struct DescriptionFile {
    /// The name under which it was read.
    pub name: String,
    /// Its contents.
    pub document: Document<'static>,
}

impl DescriptionFile {
    /// The value at a node of this file.
    pub(crate) fn at(&self, node: NodeId) -> Node<'_> {
        self.document.node(node.value)
    }
}

/// A count or an index as the number of something in a description; [`u32::MAX`] at most, which no file reaches.
pub(crate) fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The content of a member that is a string.
pub(crate) fn string_of<'d>(object: Node<'d>, key: &str) -> Option<&'d str> {
    object.get(key).and_then(Node::as_str)
}
