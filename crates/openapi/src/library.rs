//! The files of a description, and the resolution of references between and inside them.

use std::collections::HashMap;
use std::sync::Arc;

use crate::files::{has_scheme, join};
use crate::limits::{MAX_PER_VALUE, MAX_SHARED};
use crate::{
    DescriptionFile, DescriptionProblem, DescriptionProblemKind, FileId, FileSource, Label,
    LoadError, LoadErrorKind, NodeId, narrow,
};
use sundown_text_json::json::{Document, DocumentError, DocumentFormat, Node, NodeIndex, pointer};
use sundown_text_json::text::{Block, ExpansionFactor, Location, Locations, Span, percent_decode};

/// The files loaded so far, and the references resolved so far.
pub(super) struct Library<'f> {
    source: &'f dyn FileSource,
    pub files: Vec<Arc<DescriptionFile>>,
    /// Files by name. A file that cannot be loaded is kept with its problem, which is reported at each reference.
    names: HashMap<String, Result<FileId, DescriptionProblemKind>>,
    /// By file: the nodes with an `$anchor` or an `$id`, indexed on first use.
    anchors: Vec<Option<HashMap<String, NodeIndex>>>,
    /// The members of large objects by name, indexed on first use.
    members: HashMap<NodeId, HashMap<String, NodeIndex>>,
    pub problems: Vec<DescriptionProblem>,
    /// The number of values in all files.
    values: usize,
}

/// What an object or array with more members than this has is indexed: references may point to each of them.
const MANY_MEMBERS: usize = 32;

impl<'f> Library<'f> {
    pub(super) fn new(source: &'f dyn FileSource) -> Self {
        Self {
            source,
            files: Vec::new(),
            values: 0,
            names: HashMap::new(),
            anchors: Vec::new(),
            members: HashMap::new(),
            problems: Vec::new(),
        }
    }

    /// Loads the description's own file.
    pub(super) fn open_first(
        &mut self,
        name: &str,
        bytes: &[u8],
    ) -> Result<Arc<DescriptionFile>, LoadError> {
        let parsed = self.parse(name, bytes).map_err(|error| {
            let span = Span::new(error.offset, error.offset);
            LoadError {
                file: name.to_owned(),
                at: Some((span, locate(bytes, error.offset))),
                kind: LoadErrorKind::NoDocument(error.kind),
            }
        })?;
        Ok(self.add(name, parsed.into_owned()).1)
    }

    fn parse<'b>(&self, name: &str, bytes: &'b [u8]) -> Result<Document<'b>, DocumentError> {
        Document::parse_bytes_within(
            bytes,
            DocumentFormat::guess(name, bytes),
            self.source.limits(),
        )
    }

    /// The limit for the expansion of all files.
    pub(super) fn expansion(&self) -> ExpansionFactor {
        self.source.limits().expansion
    }

    fn add(&mut self, name: &str, document: Document<'static>) -> (FileId, Arc<DescriptionFile>) {
        let id = FileId(narrow(self.files.len()));
        let notes = document.notes().into_iter();
        self.problems.extend(notes.map(|note| DescriptionProblem {
            at: Label {
                file: id,
                span: note.span,
            },
            kind: DescriptionProblemKind::Note(note.kind),
        }));
        self.values += document.all().len();
        let file = Arc::new(DescriptionFile {
            name: name.to_owned(),
            document,
        });
        self.files.push(Arc::clone(&file));
        self.anchors.push(None);
        // References are resolved to normalized names, without `./`.
        self.names.insert(join("", name), Ok(id));
        (id, file)
    }

    fn open(&mut self, name: &str) -> Result<FileId, DescriptionProblemKind> {
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        let loaded = match self.source.read(name) {
            Err(error) => Err(DescriptionProblemKind::NoFile(
                name.to_owned(),
                reason(&error),
            )),
            Ok(bytes) => self
                .parse(name, &bytes)
                .map(Document::into_owned)
                .map_err(|error| {
                    let location = locate(&bytes, error.offset);
                    DescriptionProblemKind::BrokenFile(name.to_owned(), location, error.kind)
                }),
        };
        match loaded {
            Ok(document) => Ok(self.add(name, document).0),
            Err(problem) => {
                self.names.insert(name.to_owned(), Err(problem.clone()));
                Err(problem)
            }
        }
    }

    /// The limit for visits of what parts of the description share.
    pub(super) fn visits(&self) -> usize {
        let usual = MAX_SHARED + MAX_PER_VALUE * self.values;
        self.expansion().times(usual)
    }

    /// A file that has been loaded.
    pub(super) fn file(&self, id: FileId) -> Option<Arc<DescriptionFile>> {
        self.files.get(id.index()).cloned()
    }

    pub(super) fn report(&mut self, file: FileId, span: Span, kind: DescriptionProblemKind) {
        let at = Label { file, span };
        self.problems.push(DescriptionProblem { at, kind });
    }

    /// Reports a problem of the value at a node.
    pub(super) fn report_at(&mut self, node: NodeId, kind: DescriptionProblemKind) {
        if let Some(file) = self.file(node.file) {
            self.report(node.file, file.at(node).label(), kind);
        }
    }

    /// Reports that `what` is expected instead of `value`.
    pub(super) fn expected(&mut self, file: FileId, value: Node<'_>, what: &'static str) {
        self.report(file, value.label(), DescriptionProblemKind::Expected(what));
    }

    /// Resolves a reference, the value of a `$ref` in the given file. Reports a reference that cannot be resolved.
    pub(super) fn target(&mut self, file: FileId, reference: Node<'_>) -> Option<NodeId> {
        let Some(text) = reference.as_str() else {
            self.report(
                file,
                reference.span(),
                DescriptionProblemKind::ReferenceIsNoText,
            );
            return None;
        };
        self.find(file, text)
            .map_err(|kind| self.report(file, reference.span(), kind))
            .ok()
    }

    /// Resolves an entry of a discriminator's mapping: the name of a component, or else a reference.
    pub(super) fn schema_named(&mut self, file: FileId, name: Node<'_>) -> Option<NodeId> {
        if let Some(text) = name.as_str() {
            let found = [
                name.document().at("/components/schemas"),
                name.document().at("/definitions"),
            ]
            .into_iter()
            .flatten()
            .find_map(|map| map.get(text));
            if let Some(found) = found {
                return Some(NodeId::of(file, found.resolved()));
            }
        }
        self.target(file, name)
    }

    fn find(&mut self, from: FileId, text: &str) -> Result<NodeId, DescriptionProblemKind> {
        let (path, fragment) = text.split_once('#').unwrap_or((text, ""));
        let fragment = percent_decode(fragment);
        if has_scheme(path) {
            let embedded = (0..self.files.len()).find_map(|index| self.anchor(index, path));
            let Some(base) = embedded else {
                return Err(DescriptionProblemKind::Network(without_secrets(path)));
            };
            return self.inside(base, &fragment);
        }
        let file = match path {
            "" => from,
            path => {
                let base = self
                    .file(from)
                    .map(|file| file.name.clone())
                    .unwrap_or_default();
                self.open(&join(&base, &percent_decode(path)))?
            }
        };
        self.inside(
            NodeId {
                file,
                value: NodeIndex::ROOT,
            },
            &fragment,
        )
    }

    /// Resolves a fragment in a document, or in a schema embedded in it.
    fn inside(&mut self, base: NodeId, fragment: &str) -> Result<NodeId, DescriptionProblemKind> {
        let file = self.file(base.file);
        let missing = || {
            let name = file
                .as_ref()
                .map(|file| file.name.clone())
                .unwrap_or_default();
            DescriptionProblemKind::NoTarget(name, fragment.to_owned())
        };
        if !fragment.is_empty() && !fragment.starts_with('/') {
            return self
                .anchor(base.file.index(), &format!("#{fragment}"))
                .ok_or_else(missing);
        }
        let mut found = file.as_ref().map(|file| file.at(base));
        for token in pointer::tokens(fragment) {
            found = found.and_then(|value| self.step(base.file, value, &token));
        }
        let value = found.ok_or_else(missing)?;
        Ok(NodeId::of(base.file, value.resolved()))
    }

    /// Takes one step of a JSON Pointer.
    fn step<'d>(&mut self, file: FileId, value: Node<'d>, token: &str) -> Option<Node<'d>> {
        if value.children().len() <= MANY_MEMBERS {
            return value.step(token);
        }
        let node = NodeId::of(file, value.resolved());
        let members = self.members.entry(node).or_insert_with(|| {
            let mut members = HashMap::with_capacity(value.children().len());
            for (number, member) in value.children().enumerate() {
                let token = member
                    .key()
                    .map_or_else(|| number.to_string(), str::to_owned);
                // Of two members with one name, the first counts.
                members.entry(token).or_insert(member.index());
            }
            members
        });
        members.get(token).map(|&id| value.document().node(id))
    }

    /// The schema with this `$id`, or, for a name that starts with `#`, with this `$anchor`.
    fn anchor(&mut self, file: usize, name: &str) -> Option<NodeId> {
        let document = &self.files.get(file)?.document;
        let anchors = self
            .anchors
            .get_mut(file)?
            .get_or_insert_with(|| anchors(document));
        let value = *anchors.get(name)?;
        Some(NodeId {
            file: FileId(u32::try_from(file).ok()?),
            value,
        })
    }

    /// Follows references to the first value that is not a reference: the objects along the chain, each with a `$ref`, and its end;
    /// `None` if the last reference cannot be resolved, which has been reported.
    pub(super) fn follow(&mut self, start: NodeId) -> (Vec<NodeId>, Option<NodeId>) {
        let mut hops = Vec::new();
        let mut node = start;
        while let Some(file) = self.file(node.file) {
            let value = file.at(node).resolved();
            node.value = value.index();
            let Some(reference) = value.get("$ref") else {
                return (hops, Some(node));
            };
            hops.push(node);
            let Some(next) = self.target(node.file, reference) else {
                break;
            };
            // No real chain is this long.
            if hops.len() > MAX_CHAIN || hops.contains(&next) {
                self.report(node.file, reference.span(), DescriptionProblemKind::Circle);
                break;
            }
            node = next;
        }
        (hops, None)
    }
}

/// The longest chain of references outside schemas.
const MAX_CHAIN: usize = 100;

fn anchors(document: &Document<'_>) -> HashMap<String, NodeIndex> {
    let mut anchors = HashMap::new();
    for value in document.all() {
        let is_anchor = match value.key() {
            Some("$anchor" | "$dynamicAnchor") => true,
            Some("$id" | "$self") => false,
            _ => continue,
        };
        let Some(name) = value.as_str() else { continue };
        let name = if is_anchor {
            format!("#{name}")
        } else {
            name.trim_end_matches('#').to_owned()
        };
        if let Some(holder) = value.parent() {
            anchors.entry(name).or_insert(holder.index());
        }
    }
    anchors
}

/// Removes the query and the credentials from an address, which a message is going to show.
fn without_secrets(url: &str) -> String {
    let url = url.split_once('?').map_or(url, |(address, _)| address);
    let Some((scheme, rest)) = url.split_once("//") else {
        return url.to_owned();
    };
    let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{scheme}//{host}{path}")
}

/// The line and column of an offset.
pub(super) fn locate(bytes: &[u8], offset: usize) -> Location {
    Locations::of(Block::whole(bytes), vec![offset]).get(offset)
}

/// The reason of an I/O error in words.
pub(super) fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        _ => error.to_string(),
    }
}
