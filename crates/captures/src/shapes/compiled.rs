//! Shapes as they are used: those of the user, then the known ones, with all their names in one automaton.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use super::automaton::{Automaton, DEAD, Name, NameId, RECORD, State};
use super::known::{KNOWN, RECORDERS, USUAL};
use super::shape::{LogShape, Piece, Traits};
use crate::access_log::LogFormat;
use crate::file_head::contains;
use crate::messages::may_be_base64;
use crate::names::{NAMES, is_one_of};
use crate::pieces::REQUEST_END;
use foldhash::fast::FixedState;
use sundown_files::FileName;
use sundown_text_json::json::{Document, Met, NodeIndex, ValueKind, pointer, scan, string};

/// The shapes of a user's configuration, beside the known ones.
#[derive(Debug, Default)]
pub struct LogShapes {
    own: Vec<LogShape>,
    compiled: OnceLock<Compiled>,
}

impl LogShapes {
    /// Creates it from the tables of a configuration, in their order.
    pub fn new(own: Vec<LogShape>) -> Self {
        Self {
            own,
            compiled: OnceLock::new(),
        }
    }
}

/// The shapes for one file: those of the user that apply to it, and the known ones.
#[derive(Debug, Clone)]
pub struct Logs<'m> {
    shapes: &'m LogShapes,
    /// The numbers of the user's that apply.
    own: Vec<usize>,
}

impl Default for Logs<'_> {
    fn default() -> Self {
        static NONE: LogShapes = LogShapes {
            own: Vec::new(),
            compiled: OnceLock::new(),
        };
        Logs {
            shapes: &NONE,
            own: Vec::new(),
        }
    }
}

impl<'m> Logs<'m> {
    /// The shapes for a file.
    pub fn of(shapes: &'m LogShapes, file: &FileName) -> Self {
        let own = (0..).zip(&shapes.own);
        Self {
            shapes,
            own: own
                .filter(|(_, shape)| shape.applies_to(file))
                .map(|(number, _)| number)
                .collect(),
        }
    }

    /// The tables that apply.
    fn tables(&self) -> impl Iterator<Item = &'m LogShape> {
        let own = &self.shapes.own;
        self.own.iter().filter_map(|&number| own.get(number))
    }

    /// Whether no table says where records have a call.
    pub(crate) fn has_no_call_table(&self) -> bool {
        !self.tables().any(LogShape::is_about_calls)
    }

    /// Whether no table is about JSON records.
    pub(crate) fn has_no_record_table(&self) -> bool {
        !self.tables().any(LogShape::is_about_records)
    }

    /// The formats of lines that are not JSON.
    pub(super) fn formats(&self) -> impl Iterator<Item = &'m LogFormat> {
        self.tables().flat_map(|table| &table.formats)
    }

    /// Whether some table gives the format of lines that are not JSON.
    pub(crate) fn has_line_formats(&self) -> bool {
        self.formats().next().is_some()
    }

    /// Whether the user gave the format of the lines of this very file.
    pub(crate) fn declares_line_format(&self) -> bool {
        self.tables()
            .any(|table| table.files.is_some() && !table.formats.is_empty())
    }

    /// Whether the user named the file as a log.
    pub fn declares_file(&self) -> bool {
        self.tables()
            .any(|table| table.files.is_some() && !table.is_about_ignored_text())
    }

    /// Whether a table says that a line or a record is no call.
    pub fn ignores(&self, text: &[u8]) -> bool {
        let mut tables = self.tables().chain(KNOWN.iter());
        tables.any(|table| table.ignores(text))
    }

    /// The shapes with their names.
    pub(crate) fn compiled(&self) -> &'m Compiled {
        static ALONE: LazyLock<Compiled> = LazyLock::new(|| Compiled::new(&[]));
        if self.shapes.own.is_empty() {
            &ALONE
        } else {
            self.shapes
                .compiled
                .get_or_init(|| Compiled::new(&self.shapes.own))
        }
    }

    /// The user's shapes that apply.
    pub(super) fn own(&self) -> impl Iterator<Item = &'m CompiledShape> {
        let own = &self.compiled().own;
        self.own.iter().filter_map(|&number| own.get(number))
    }

    /// Makes the tree of what is around the bodies of a record that need not be valid; `None` if its brackets do not match.
    pub(crate) fn outer<'t>(&self, text: &'t [u8]) -> Option<Outer<'t>> {
        let mut names = NameWalk::of(self.compiled());
        let document = Document::scan(text, |met| names.meet(met))?;
        Some(Outer {
            document,
            found: (!names.has_lists).then_some(names.found),
        })
    }

    /// The same tree of a valid record.
    pub(crate) fn outer_of_valid<'t>(&self, text: &'t [u8]) -> Document<'t> {
        let mut names = NameWalk::of(self.compiled());
        Document::of_valid(text, |met| names.meet(met))
    }
}

/// The header field with the method in HTTP/2, as it is written in JSON.
pub(super) const METHOD_FIELD: &[u8] = b"\":method\"";

/// A set of known shapes.
type KnownSet = u128;

/// What is around the bodies of a record.
pub(crate) struct Outer<'t> {
    pub document: Document<'t>,
    /// The names that the record has; `None` if some may be in lists.
    pub(super) found: Option<Vec<(NameId, NodeIndex)>>,
}

/// Follows names through the values of a record, while they become a tree.
struct NameWalk<'c> {
    compiled: &'c Compiled,
    /// The states of the containers around the next value.
    states: Vec<State>,
    found: Vec<(NameId, NodeIndex)>,
    has_lists: bool,
}

impl<'c> NameWalk<'c> {
    fn of(compiled: &'c Compiled) -> Self {
        Self {
            compiled,
            states: Vec::with_capacity(8),
            found: Vec::with_capacity(32),
            has_lists: false,
        }
    }

    /// Notes the names of a value, and returns whether it is opened: those on the way to a piece are, and others near the top,
    /// where a body of another name may be. Bodies and header fields are not.
    fn meet(&mut self, met: Met<'_>) -> bool {
        /// Containers around a body of another name.
        const NEAR: usize = 3;
        /// Inside of a list in which pieces may be.
        const ENTRY: State = State::MAX;
        let automaton = &self.compiled.automaton;
        let around = met.levels.checked_sub(1);
        let state = match (around.map(|at| self.states.get(at).copied()), met.key) {
            (None, _) => RECORD,
            (Some(Some(ENTRY)), _) => ENTRY,
            (Some(Some(RECORD)), None) => RECORD,
            (Some(Some(around)), Some(key)) => automaton.step_raw(around, key),
            (Some(Some(around)), None) if automaton.goes_on(around) => ENTRY,
            (Some(_), _) => DEAD,
        };
        let names = automaton.ends(state).iter();
        self.found.extend(names.map(|name| (*name, met.index)));
        if !matches!(met.kind, ValueKind::Object | ValueKind::Array) {
            return false;
        }
        let goes_on = state == ENTRY || automaton.goes_on(state);
        self.has_lists |= goes_on && met.kind == ValueKind::Array;
        let is_near = || {
            let key = met.key.unwrap_or_default();
            met.levels < NEAR && !self.compiled.is_content(state, key)
        };
        let opens = met.levels == 0 || goes_on || is_near();
        if opens {
            self.states.truncate(met.levels);
            self.states.push(state);
        }
        opens
    }
}

/// Shapes with the numbers of their names.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(super) automaton: Automaton,
    pub own: Vec<CompiledShape>,
    pub known: Vec<CompiledShape>,
    /// The shapes of [`RECORDERS`].
    pub recorders: Vec<CompiledShape>,
    /// The usual places of all pieces, in any spelling.
    pub usual: CompiledShape,
    /// For each name, what the known shapes have it for.
    pub(super) roles: Vec<Roles>,
    /// The known shapes that need no sign.
    pub without_sign: KnownSet,
    /// The states on the way to a call, or to a list of records that needs no sign.
    heads: Vec<bool>,
    /// The states on the way to other records, if those look like some.
    wrappers: Vec<bool>,
    /// What the lists of records have that need a sign.
    list_signs: Vec<String>,
    /// The states that end the name of a body, header fields or announcements.
    contents: Vec<bool>,
}

/// A shape with the numbers of its names.
#[derive(Debug)]
pub(crate) struct CompiledShape {
    pub names: [Vec<NameId>; Piece::COUNT],
    /// The names of which a record must have one, each with the text that it must be.
    pub when: Vec<(NameId, Option<String>)>,
    /// The lists of records.
    pub(super) records: Vec<RecordsPath>,
    pub traits: Traits,
    /// Whether it is a user's, or that of a format: what it says is meant.
    pub is_own: bool,
}

/// The way to a list of records.
#[derive(Debug)]
pub(super) struct RecordsPath {
    /// The first member on the way.
    pub first: NameId,
    /// The tokens of the pointer.
    pub tokens: Vec<String>,
}

/// The known shapes for which a name, or the names of a record, have some role.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Roles {
    pub methods: KnownSet,
    pub urls: KnownSet,
    pub lines: KnownSet,
    pub signs: KnownSet,
    pub records: KnownSet,
    pub wrappers: KnownSet,
    pub halves: KnownSet,
}

impl Roles {
    pub(super) fn add(&mut self, other: Self) {
        self.methods |= other.methods;
        self.urls |= other.urls;
        self.lines |= other.lines;
        self.signs |= other.signs;
        self.records |= other.records;
        self.wrappers |= other.wrappers;
        self.halves |= other.halves;
    }
}

/// Gives each name its number.
#[derive(Default)]
struct Numbers {
    names: Vec<Name>,
    known: HashMap<Name, NameId, FixedState>,
}

impl Numbers {
    fn number(&mut self, text: &str, any_spelling: bool) -> NameId {
        let name = Name {
            text: text.to_owned(),
            any_spelling,
        };
        *self.known.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            NameId::try_from(self.names.len() - 1).unwrap_or_default()
        })
    }

    fn shapes(&mut self, shapes: &[LogShape], is_own: bool) -> Vec<CompiledShape> {
        let shapes = shapes.iter();
        shapes.map(|shape| self.shape(shape, is_own)).collect()
    }

    fn shape(&mut self, shape: &LogShape, is_own: bool) -> CompiledShape {
        let any_spelling = shape.traits.any_spelling;
        let mut names: [Vec<NameId>; Piece::COUNT] = Default::default();
        for (piece, names) in Piece::ALL.iter().zip(&mut names) {
            *names = shape
                .names(*piece)
                .iter()
                .map(|name| self.number(name, any_spelling))
                .collect();
        }
        let when = shape.when.iter();
        let records = shape.records.iter().filter_map(|path| {
            let second = path.get(1..)?.find('/').map_or(path.len(), |at| at + 1);
            Some(RecordsPath {
                first: self.number(path.get(..second)?, false),
                tokens: pointer::tokens(path).map(Cow::into_owned).collect(),
            })
        });
        let records = records.collect();
        CompiledShape {
            names,
            when: when
                .map(|(name, value)| (self.number(name, false), value.clone()))
                .collect(),
            records,
            traits: shape.traits,
            is_own,
        }
    }
}

impl CompiledShape {
    /// The names of a piece, in order.
    pub(super) fn names(&self, piece: Piece) -> &[NameId] {
        self.names.get(piece as usize).map_or(&[], Vec::as_slice)
    }

    /// Whether the method is a verb of Kubernetes.
    pub(super) fn has_verbs(&self) -> bool {
        !self.names(Piece::Verb).is_empty()
    }

    /// The names of the method.
    pub(super) fn methods(&self) -> &[NameId] {
        self.names(if self.has_verbs() {
            Piece::Verb
        } else {
            Piece::Method
        })
    }

    /// Whether the records in its lists must show that they are some.
    fn has_doubtful_lists(&self) -> bool {
        !self.when.is_empty() || !self.names(Piece::Unwrap).is_empty()
    }

    /// The names on the way to a call, or to a list of records that needs no sign.
    fn heads(&self) -> impl Iterator<Item = NameId> {
        let pieces = [Piece::Url, Piece::RequestLine];
        let names = pieces.into_iter().flat_map(|piece| self.names(piece));
        let halves = self
            .names(Piece::Correlation)
            .iter()
            .filter(|_| !self.when.is_empty());
        let names = names.chain(halves);
        let lists = self.records.iter().filter(|_| !self.has_doubtful_lists());
        let lists = lists.map(|path| path.first);
        names.chain(self.methods()).copied().chain(lists)
    }

    /// The names on the way to other records, if those look like some.
    fn wrappers(&self) -> impl Iterator<Item = NameId> {
        let lists = self.records.iter().filter(|_| self.has_doubtful_lists());
        let lists = lists.map(|path| path.first);
        self.names(Piece::Unwrap).iter().copied().chain(lists)
    }

    /// The names of what a record is made of, and not where it is.
    fn contents(&self) -> impl Iterator<Item = NameId> {
        const PIECES: [Piece; 6] = [
            Piece::Query,
            Piece::RequestHeaders,
            Piece::RequestBody,
            Piece::ResponseHeaders,
            Piece::ResponseBody,
            Piece::Announcements,
        ];
        PIECES
            .into_iter()
            .flat_map(|piece| self.names(piece))
            .copied()
    }
}

impl Compiled {
    fn new(own: &[LogShape]) -> Self {
        let mut numbers = Numbers::default();
        let own = numbers.shapes(own, true);
        let known = numbers.shapes(&KNOWN, false);
        let recorders = numbers.shapes(&RECORDERS, true);
        let usual = numbers.shape(&USUAL, false);
        let automaton = Automaton::new(&numbers.names);
        let mut roles = vec![Roles::default(); numbers.names.len()];
        let mut without_sign = 0;
        for (number, shape) in (0u32..).zip(&known) {
            let own: KnownSet = 1 << number;
            let mut add = |names: &[NameId], role: fn(&mut Roles) -> &mut KnownSet| {
                for name in names {
                    if let Some(roles) = roles.get_mut(*name as usize) {
                        *role(roles) |= own;
                    }
                }
            };
            add(shape.methods(), |roles| &mut roles.methods);
            add(shape.names(Piece::Url), |roles| &mut roles.urls);
            add(shape.names(Piece::RequestLine), |roles| &mut roles.lines);
            add(shape.names(Piece::Unwrap), |roles| &mut roles.wrappers);
            add(shape.names(Piece::Correlation), |roles| &mut roles.halves);
            let signs: Vec<_> = shape.when.iter().map(|(name, _)| *name).collect();
            add(&signs, |roles| &mut roles.signs);
            let lists: Vec<_> = shape.records.iter().map(|path| path.first).collect();
            add(&lists, |roles| &mut roles.records);
            without_sign |= if signs.is_empty() { own } else { 0 };
        }
        let shapes = || own.iter().chain(&known);
        let heads: Vec<_> = shapes().flat_map(CompiledShape::heads).collect();
        let heads = automaton.states_to(&heads);
        // Header fields may have the call.
        let wrappers: Vec<_> = shapes()
            .flat_map(CompiledShape::wrappers)
            .chain(usual.names(Piece::RequestHeaders).iter().copied())
            .collect();
        let wrappers = automaton.states_to(&wrappers);
        let lists = shapes().filter(|shape| !shape.records.is_empty());
        let signs = lists.flat_map(|shape| &shape.when);
        let list_signs = signs
            .filter_map(|(name, _)| automaton.text(*name).rsplit(['.', '/']).next())
            .map(str::to_owned)
            .collect();
        let contents: Vec<_> = shapes()
            .chain([&usual])
            .flat_map(CompiledShape::contents)
            .collect();
        let mut contents = automaton.states_at(&contents);
        let wrapped = shapes().filter(|shape| shape.traits.wrapped_bodies);
        let bodies = [Piece::RequestBody, Piece::ResponseBody];
        let wrapped = wrapped.flat_map(|shape| bodies.map(|body| shape.names(body)));
        let wrapped: Vec<_> = wrapped.flatten().copied().collect();
        for (content, is_wrapped) in contents.iter_mut().zip(automaton.states_at(&wrapped)) {
            *content &= !is_wrapped;
        }
        Self {
            automaton,
            own,
            known,
            recorders,
            usual,
            roles,
            without_sign,
            heads,
            wrappers,
            list_signs,
            contents,
        }
    }

    /// The known shapes of a set, in order.
    pub(super) fn shapes_of(&self, mut set: KnownSet) -> impl Iterator<Item = &CompiledShape> {
        std::iter::from_fn(move || {
            let number = set.trailing_zeros();
            set &= set.wrapping_sub(1);
            self.known.get(number as usize)
        })
    }

    /// Whether a key leads to a body, header fields and the like, or is that of such a member elsewhere. A body in an object
    /// that describes it is further inside.
    fn is_content(&self, state: State, key: &[u8]) -> bool {
        self.contents.get(state as usize).is_some_and(|it| *it) || is_one_of(key, &NAMES.contents)
    }

    /// Whether the object at `open` has a member that begins the name of a call, or may hold other records.
    pub(crate) fn begins_record(&self, bytes: &[u8], open: usize) -> bool {
        scan::keys(bytes, open).any(|(key, value)| {
            let state = self
                .automaton
                .step(RECORD, string::decode_bytes(bytes, key).as_bytes());
            let is_in = |states: &[bool]| states.get(state as usize).is_some_and(|it| *it);
            is_in(&self.heads) || is_in(&self.wrappers) && self.may_wrap(bytes, value)
        })
    }

    /// Whether the value at an offset may be a record in a string, or have some in it.
    fn may_wrap(&self, bytes: &[u8], at: usize) -> bool {
        let end = scan::value(bytes, at).map_or(bytes.len(), |value| value.end);
        let text = bytes.get(at..end).unwrap_or_default();
        let looks_so = |text: &[u8]| {
            let signs = [REQUEST_END, b"\"{", METHOD_FIELD];
            let mut strings = text.split(|&byte| byte == b'"');
            signs.iter().any(|sign| contains(text, sign)) || strings.any(may_be_base64)
        };
        match text.first() {
            Some(b'"' | b'{') => looks_so(text),
            Some(b'[') => {
                let mut signs = self.list_signs.iter();
                let is_bytes = || text.iter().all(|byte| !byte.is_ascii_alphabetic());
                looks_so(text) || is_bytes() || signs.any(|sign| contains(text, sign.as_bytes()))
            }
            _ => false,
        }
    }
}
