//! The files of a description, and what the references between and inside them stand for.

use std::collections::HashMap;
use std::sync::Arc;

use super::files::{FileSource, has_scheme, join};
use super::problem::{DescriptionProblem, DescriptionProblemKind, LoadError, LoadErrorKind};
use super::{File, FileId, NodeId};
use crate::json::{Document, DocumentError, DocumentFormat, ValueId, ValueKind, ValueRef};
use crate::text::{Block, ExpansionFactor, Location, Locations, Span, percent_decode};

/// All files so far, and everything that was resolved.
pub(super) struct Library<'f> {
    source: &'f dyn FileSource,
    pub(super) files: Vec<Arc<File>>,
    /// By name, those that could not be loaded too: that is told at each reference.
    names: HashMap<String, Result<FileId, DescriptionProblemKind>>,
    /// By the file that a reference stands in, and its text.
    targets: Vec<HashMap<String, Result<NodeId, DescriptionProblemKind>>>,
    /// By file: places with an `$anchor` or an `$id`. Made when first asked for.
    anchors: Vec<Option<HashMap<String, ValueId>>>,
    /// The members of large objects by their names. Made when first asked for.
    members: HashMap<NodeId, HashMap<String, ValueId>>,
    pub(super) problems: Vec<DescriptionProblem>,
    /// How many values stand in all files.
    values: usize,
}

/// With more members than this, an object's names are looked up in a table: others may point at each of them.
const MANY_MEMBERS: usize = 32;

/// What the references of one file stand for, by their texts.
pub(super) type ReferenceTargets = HashMap<String, NodeId>;

/// Where a chain of references leads.
#[derive(Debug, Default)]
pub(super) struct ReferenceChain {
    /// The objects passed on the way, each with a `$ref`.
    pub(super) hops: Vec<NodeId>,
    /// What the last of them stands for; `None` where that cannot be found, which has been told.
    pub(super) end: Option<NodeId>,
}

impl ReferenceChain {
    /// All objects that say something about the element: those with a `$ref`, and the last.
    pub(super) fn places(&self) -> impl Iterator<Item = NodeId> {
        self.hops.iter().copied().chain(self.end)
    }
}

impl<'f> Library<'f> {
    pub(super) fn new(source: &'f dyn FileSource) -> Self {
        Self {
            source,
            files: Vec::new(),
            values: 0,
            names: HashMap::new(),
            targets: Vec::new(),
            anchors: Vec::new(),
            members: HashMap::new(),
            problems: Vec::new(),
        }
    }

    /// Loads the description's own file.
    pub(super) fn open_first(&mut self, name: &str, bytes: &[u8]) -> Result<FileId, LoadError> {
        match self.parse(name, bytes) {
            Ok(document) => Ok(self.add(name, document.into_owned())),
            Err(error) => {
                let span = Span::new(error.offset, error.offset);
                let place = locate(bytes, error.offset);
                let kind = LoadErrorKind::NoDocument(error.kind);
                Err(LoadError { file: name.to_owned(), at: Some((span, place)), kind })
            }
        }
    }

    fn parse<'b>(&self, name: &str, bytes: &'b [u8]) -> Result<Document<'b>, DocumentError> {
        Document::parse_bytes_within(
            bytes,
            DocumentFormat::guess(name, bytes),
            self.source.bounds(),
        )
    }

    /// How much all of them may stand for.
    pub(super) fn expansion(&self) -> ExpansionFactor {
        self.source.bounds().expansion
    }

    fn add(&mut self, name: &str, document: Document<'static>) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        let notes = document.notes().iter();
        self.problems.extend(notes.map(|note| DescriptionProblem {
            file: id,
            span: note.span,
            kind: DescriptionProblemKind::Note(note.kind),
        }));
        self.values += document.len();
        self.files.push(Arc::new(File { name: name.to_owned(), document }));
        self.targets.push(HashMap::new());
        self.anchors.push(None);
        // References to it are written out from the beginning, `./` left out.
        self.names.insert(join("", name), Ok(id));
        id
    }

    fn open(&mut self, name: &str) -> Result<FileId, DescriptionProblemKind> {
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        let loaded = match self.source.read(name) {
            Err(error) => Err(DescriptionProblemKind::NoFile(name.to_owned(), reason(&error))),
            Ok(bytes) => {
                let document = self.parse(name, &bytes).map(Document::into_owned);
                document.map_err(|error| {
                    let place = locate(&bytes, error.offset);
                    DescriptionProblemKind::BrokenFile(name.to_owned(), place, error.kind)
                })
            }
        };
        match loaded {
            Ok(document) => Ok(self.add(name, document)),
            Err(problem) => {
                self.names.insert(name.to_owned(), Err(problem.clone()));
                Err(problem)
            }
        }
    }

    /// How many values stand in all files that have been loaded.
    pub(super) fn values(&self) -> usize {
        self.values
    }

    /// A file that has been loaded.
    pub(super) fn file(&self, id: FileId) -> Option<Arc<File>> {
        self.files.get(id.index()).cloned()
    }

    pub(super) fn tell(&mut self, file: FileId, span: Span, kind: DescriptionProblemKind) {
        self.problems.push(DescriptionProblem { file, span, kind });
    }

    /// Tells that something else belongs where `value` stands.
    pub(super) fn expected(&mut self, file: FileId, value: ValueRef<'_>, what: &'static str) {
        self.tell(file, value.label(), DescriptionProblemKind::Expected(what));
    }

    /// What the reference, the value of a `$ref` in the given file, stands for; where that is nothing, it is told.
    pub(super) fn target(&mut self, file: FileId, reference: ValueRef<'_>) -> Option<NodeId> {
        let Some(text) = reference.as_str() else {
            self.tell(file, reference.span(), DescriptionProblemKind::ReferenceIsNoText);
            return None;
        };
        let known = self.targets.get(file.index()).and_then(|targets| targets.get(text)).cloned();
        let target = known.unwrap_or_else(|| {
            let target = self.find(file, text);
            if let Some(targets) = self.targets.get_mut(file.index()) {
                targets.insert(text.to_owned(), target.clone());
            }
            target
        });
        target.map_err(|kind| self.tell(file, reference.span(), kind)).ok()
    }

    /// The schema that a discriminator's mapping means: one of the components by its name, or else a reference.
    pub(super) fn schema_named(&mut self, file: FileId, name: ValueRef<'_>) -> Option<NodeId> {
        if let Some(text) = name.as_str() {
            let maps =
                [name.document().at("/components/schemas"), name.document().at("/definitions")];
            let found = maps.into_iter().flatten().find_map(|map| map.get(text));
            if let Some(found) = found {
                return Some(NodeId { file, value: found.resolved().id() });
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
                let base = self.file(from).map(|file| file.name.clone()).unwrap_or_default();
                self.open(&join(&base, &percent_decode(path)))?
            }
        };
        self.inside(NodeId { file, value: ValueId::ROOT }, &fragment)
    }

    /// What the fragment stands for in a document or in a schema embedded in it.
    fn inside(&mut self, base: NodeId, fragment: &str) -> Result<NodeId, DescriptionProblemKind> {
        let file = self.file(base.file);
        let missing = || {
            let name = file.as_ref().map(|file| file.name.clone()).unwrap_or_default();
            DescriptionProblemKind::NoTarget(name, fragment.to_owned())
        };
        if !fragment.is_empty() && !fragment.starts_with('/') {
            return self.anchor(base.file.index(), &format!("#{fragment}")).ok_or_else(missing);
        }
        let mut found = file.as_ref().map(|file| file.document.value(base.value));
        for token in fragment.split('/').skip(1) {
            let token = token.replace("~1", "/").replace("~0", "~");
            found = found.and_then(|value| self.step(base.file, value, &token));
        }
        let value = found.ok_or_else(missing)?;
        Ok(NodeId { file: base.file, value: value.resolved().id() })
    }

    /// One step of a pointer.
    fn step<'d>(&mut self, file: FileId, value: ValueRef<'d>, token: &str) -> Option<ValueRef<'d>> {
        if value.kind() != ValueKind::Object || value.children().len() <= MANY_MEMBERS {
            return value.step(token);
        }
        let place = NodeId { file, value: value.resolved().id() };
        let members = self.members.entry(place).or_insert_with(|| {
            // Of two of one name, the first is read.
            let named = value.children().rev();
            named.filter_map(|member| Some((member.key()?.to_owned(), member.id()))).collect()
        });
        members.get(token).map(|&id| value.document().value(id))
    }

    /// The schema that carries this `$id`, or (behind `#`) this `$anchor`.
    fn anchor(&mut self, file: usize, name: &str) -> Option<NodeId> {
        let document = &self.files.get(file)?.document;
        let anchors = self.anchors.get_mut(file)?.get_or_insert_with(|| anchors(document));
        let value = *anchors.get(name)?;
        Some(NodeId { file: FileId(u32::try_from(file).ok()?), value })
    }

    /// Goes through references until something that is none.
    pub(super) fn follow(&mut self, start: NodeId) -> ReferenceChain {
        let mut followed = ReferenceChain::default();
        let mut place = start;
        while let Some(file) = self.file(place.file) {
            let value = file.document.value(place.value).resolved();
            place.value = value.id();
            let Some(reference) = value.get("$ref") else {
                followed.end = Some(place);
                break;
            };
            followed.hops.push(place);
            let Some(next) = self.target(place.file, reference) else { break };
            // Nobody writes chains this long: it is a circle, or as good as one.
            if followed.hops.len() > MAX_CHAIN || followed.hops.contains(&next) {
                self.tell(place.file, reference.span(), DescriptionProblemKind::Circle);
                break;
            }
            place = next;
        }
        followed
    }

    /// The targets of all references that lead anywhere, by file.
    pub(super) fn into_parts(
        self,
    ) -> (Vec<Arc<File>>, Vec<ReferenceTargets>, Vec<DescriptionProblem>) {
        let found = |targets: HashMap<String, Result<NodeId, DescriptionProblemKind>>| {
            targets.into_iter().filter_map(|(text, target)| Some((text, target.ok()?))).collect()
        };
        (self.files, self.targets.into_iter().map(found).collect(), self.problems)
    }
}

/// How many references may stand one behind the other, outside schemas.
const MAX_CHAIN: usize = 100;

fn anchors(document: &Document<'_>) -> HashMap<String, ValueId> {
    let mut anchors = HashMap::new();
    for index in 0..document.len() {
        let Some(value) = document.nth(index) else { continue };
        let Some(name) = value.as_str() else { continue };
        let name = match value.key() {
            Some("$anchor" | "$dynamicAnchor") => format!("#{name}"),
            Some("$id" | "$self") => name.trim_end_matches('#').to_owned(),
            _ => continue,
        };
        if let Some(holder) = value.parent() {
            anchors.entry(name).or_insert(holder.id());
        }
    }
    anchors
}

/// An address without its query and without a password.
fn without_secrets(url: &str) -> String {
    let url = url.split_once('?').map_or(url, |(address, _)| address);
    let Some((scheme, rest)) = url.split_once("//") else { return url.to_owned() };
    let (host, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{scheme}//{host}{path}")
}

fn locate(bytes: &[u8], offset: usize) -> Location {
    Locations::of(Block::whole(bytes), vec![offset]).get(offset)
}

/// The reason without the number that the system gives it.
pub(super) fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        _ => error.to_string(),
    }
}
