//! Reads markers and reports their problems.

use super::extension::{ExtensionContent, TEXTS, is_deprecated_state, names_end, words};
use super::prose;
use crate::{
    DescriptionProblemKind, FileId, Library, MarkedElement, Marker, MarkerDate, MarkerOptions,
    MarkerSource, NodeId, string_of,
};
use sundown_text_json::json::{Node, ValueKind};
use sundown_text_json::text::spelling::is_spelled;
use sundown_text_json::text::{Span, parse_date};

/// Whether an object has a key of a marker.
fn is_marked(value: Node<'_>) -> bool {
    value
        .children()
        .filter_map(Node::key)
        .any(|key| MarkerSource::of(key).is_some())
}

/// Reads the markers of an object, and reports their problems.
pub(crate) fn read(
    library: &mut Library<'_>,
    node: NodeId,
    value: Node<'_>,
    element: MarkedElement,
    options: MarkerOptions,
) -> Vec<Marker> {
    if !is_marked(value) && !options.deprecations_from_text {
        return Vec::new();
    }
    let mut reader = MarkerReader {
        library,
        file: node.file,
        whole: MarkerDraft::default(),
        values: Vec::new(),
    };
    for member in value.children() {
        match member.key().map(|key| (key, MarkerSource::of(key))) {
            Some((_, Some(MarkerSource::Flag))) => reader.flag(member),
            Some((_, Some(source))) => reader.extension(source, member, value),
            Some((key, None)) if names_end(key) => reader.other_end(member),
            _ => {}
        }
    }
    let MarkerReader {
        mut whole, values, ..
    } = reader;
    if options.deprecations_from_text && whole.flag.is_none() && whole.claims.is_empty() {
        whole.claims.extend(prose::statement(value, element));
    }
    if options.dates_from_text && whole.is_deprecated() {
        whole.add_stated_dates(value, element);
    }
    [whole]
        .into_iter()
        .chain(values)
        .filter_map(|draft| draft.seal(library, node, element))
        .collect()
}

/// A text, with the key that holds it.
#[derive(Debug)]
pub(super) struct MarkerText {
    /// What it gives: one of [`TEXTS`].
    pub fact: &'static str,
    pub text: String,
    pub span: Span,
    pub source: MarkerSource,
}

/// The parts of a marker that have been read so far.
#[derive(Debug, Default)]
struct MarkerDraft {
    value: Option<String>,
    flag: Option<bool>,
    /// The keys that mark the element as deprecated.
    claims: Vec<(MarkerSource, Span)>,
    /// The keys that only give details.
    additions: Vec<(MarkerSource, Span)>,
    introduced: Vec<MarkerDate>,
    removal: Vec<MarkerDate>,
    has_unreadable_end: bool,
    texts: Vec<MarkerText>,
}

impl MarkerDraft {
    fn is_deprecated(&self) -> bool {
        self.flag != Some(false) && !self.claims.is_empty()
    }

    /// Adds the end that a member gives, or notes that it cannot be read.
    fn add_end(&mut self, end: Option<MarkerDate>, member: Node<'_>) {
        self.has_unreadable_end |= end.is_none() && states_date(member);
        self.removal.extend(end);
    }

    /// Adds the dates that texts state, if no key gives them.
    fn add_stated_dates(&mut self, value: Node<'_>, element: MarkedElement) {
        let (introduced, removal) = prose::dates(value, element, &self.texts);
        if self.introduced.is_empty() {
            self.introduced.extend(introduced);
        }
        if self.removal.is_empty() {
            self.removal.extend(removal);
        }
    }

    fn seal(
        self,
        library: &mut Library<'_>,
        holder: NodeId,
        element: MarkedElement,
    ) -> Option<Marker> {
        let file = holder.file;
        if self.flag == Some(false) {
            let claims = self
                .claims
                .iter()
                .filter(|(source, _)| *source != MarkerSource::Flag);
            for (_, span) in claims {
                library.report(file, *span, DescriptionProblemKind::Contradiction);
            }
            return None;
        }
        if self.claims.is_empty() {
            for (_, span) in self.additions {
                library.report(file, span, DescriptionProblemKind::NotDeprecated);
            }
            return None;
        }
        Some(Marker {
            element,
            holder,
            value: self.value,
            sources: [self.claims, self.additions].concat(),
            introduced: first_date(library, file, &self.introduced),
            has_unreadable_end: self.has_unreadable_end && self.removal.is_empty(),
            removal: first_date(library, file, &self.removal),
            message: first_text(&self.texts, "message"),
            replacement: first_text(&self.texts, "replacement"),
            docs: first_text(&self.texts, "docs"),
        })
    }
}

fn first_text(texts: &[MarkerText], fact: &str) -> Option<String> {
    let own = texts.iter().filter(|one| one.fact == fact);
    own.min_by_key(|one| one.source).map(|one| one.text.clone())
}

fn first_date(library: &mut Library<'_>, file: FileId, dated: &[MarkerDate]) -> Option<MarkerDate> {
    let first = dated.iter().min_by_key(|dated| dated.source).copied()?;
    if let Some(other) = dated.iter().find(|other| other.date != first.date) {
        library.report(
            file,
            first.span,
            DescriptionProblemKind::DatesDiffer(other.span),
        );
    }
    Some(first)
}

struct MarkerReader<'l, 'f> {
    library: &'l mut Library<'f>,
    file: FileId,
    whole: MarkerDraft,
    /// Drafts about one value each.
    values: Vec<MarkerDraft>,
}

impl MarkerReader<'_, '_> {
    fn extension(&mut self, source: MarkerSource, member: Node<'_>, holder: Node<'_>) {
        let Some(content) = source.content() else {
            return;
        };
        let key = (source, member.label());
        let is_date = written_date(member).and_then(parse_date).is_some();
        match content {
            ExtensionContent::Entries if member.kind() == ValueKind::Array => {
                for entry in member.children() {
                    self.entry(source, entry);
                }
            }
            ExtensionContent::Entries => self.entry(source, member),
            ExtensionContent::Values => self.enumeration(source, member, holder),
            ExtensionContent::Details
                if member.kind() == ValueKind::Array && !enum_of(holder).is_empty() =>
            {
                self.enumeration(source, member, holder);
            }
            ExtensionContent::Details => self.own(source, member),
            ExtensionContent::Dates => {
                let mut facts = ["introduced", "removal"].into_iter();
                if facts.any(|fact| fact_of(member, fact).is_some()) {
                    self.own(source, member);
                }
            }
            ExtensionContent::State if member.kind() == ValueKind::Object => {
                if fact_of(member, "state").is_some() {
                    self.own(source, member);
                }
            }
            ExtensionContent::State => {
                let is_deprecated = member.text().is_some_and(is_deprecated_state);
                self.whole.claims.extend(is_deprecated.then_some(key));
            }
            ExtensionContent::Version => self.whole.claims.push(key),
            ExtensionContent::Removal if !is_date => {
                let is_absent = matches!(member.kind(), ValueKind::Null | ValueKind::Object)
                    || member.as_bool() == Some(false);
                if !is_absent {
                    self.whole.claims.push(key);
                    // Some give the version.
                    let message = said("message", source, member);
                    self.whole
                        .texts
                        .extend(message.filter(|said| said.text.contains(' ')));
                }
            }
            ExtensionContent::End | ExtensionContent::Removal => {
                self.whole.claims.push(key);
                let end = self.date(source, member);
                self.whole.add_end(end, member);
            }
            ExtensionContent::Introduced => {
                self.whole.additions.push(key);
                let date = is_date.then(|| self.date(source, member));
                self.whole.introduced.extend(date.flatten());
            }
            ExtensionContent::Text(fact) => {
                self.whole.additions.push(key);
                self.whole.texts.extend(said(fact, source, member));
            }
        }
    }

    /// Reads the value of a key whose name says that it is an end, if that is a date or is written like one.
    fn other_end(&mut self, member: Node<'_>) {
        let Some(text) = member.text() else { return };
        let mut numbers = text.split(|c: char| !c.is_ascii_digit());
        let is_text = member.kind() == ValueKind::String && !text.contains("://");
        if parse_date(text).is_some() || is_text && numbers.any(|year| year.len() == 4) {
            let source = MarkerSource::OtherEnd;
            self.whole.additions.push((source, member.label()));
            let end = self.date(source, member);
            self.whole.add_end(end, member);
        }
    }

    fn flag(&mut self, member: Node<'_>) {
        let is_set = match (member.as_bool(), member.as_str()) {
            (Some(is_set), _) => is_set,
            // Quoted by mistake.
            (_, Some("true")) => true,
            (_, Some("false")) => false,
            _ if member.kind() == ValueKind::Null => return,
            _ => {
                return self
                    .library
                    .expected(self.file, member, "`true` or `false`");
            }
        };
        self.whole.flag = Some(is_set);
        if is_set {
            // The key of the specification comes first.
            self.whole
                .claims
                .insert(0, (MarkerSource::Flag, member.label()));
        }
    }

    /// Reads a date, or an object with one, and reports it if it cannot be read or is no day.
    fn date(&mut self, source: MarkerSource, member: Node<'_>) -> Option<MarkerDate> {
        if !states_date(member) {
            return None;
        }
        let key = member.key().unwrap_or_default().to_owned();
        let span = member.span();
        let Some(stated) = written_date(member).and_then(parse_date) else {
            self.library
                .report(self.file, span, DescriptionProblemKind::NoDate(key));
            return None;
        };
        let date = stated.last_day();
        if stated.day().is_none() {
            self.library
                .report(self.file, span, DescriptionProblemKind::Period(key, date));
        }
        Some(MarkerDate { date, span, source })
    }

    /// Reads an object with details, and the value if it is about one.
    fn entry(&mut self, source: MarkerSource, entry: Node<'_>) {
        let named = entry.get("enum-value").or_else(|| entry.get("value"));
        let is_about_value = match string_of(entry, "kind") {
            Some(kind) => kind == "enum-value",
            None => named.is_some(),
        };
        if entry.kind() != ValueKind::Object || !is_about_value {
            return self.own(source, entry);
        }
        let Some(value) = named.and_then(Node::text).filter(|text| !text.is_empty()) else {
            let what = "an object with an `enum-value`";
            return self.library.expected(self.file, entry, what);
        };
        let draft = MarkerDraft {
            value: Some(value.to_owned()),
            claims: vec![(source, entry.label())],
            ..MarkerDraft::default()
        };
        let draft = self.details(source, entry, draft);
        self.values.push(draft);
    }

    /// Reads `true`, a message, or an object, for whose keys there is no convention.
    fn own(&mut self, source: MarkerSource, member: Node<'_>) {
        // Some tools write a list of such objects.
        let first = member.element(0);
        let value = first.filter(|first| first.kind() == ValueKind::Object);
        let value = value.unwrap_or(member);
        match value.kind() {
            ValueKind::Bool if value.as_bool() == Some(false) => return,
            ValueKind::Null | ValueKind::Number | ValueKind::Array => {
                return self
                    .library
                    .expected(self.file, member, "`true`, a text or an object");
            }
            ValueKind::String if matches!(value.as_str(), Some("false" | "")) => return,
            ValueKind::String if value.text().and_then(parse_date).is_some() => {
                let what = "a text or an object that says what the date is";
                self.library.expected(self.file, member, what);
            }
            ValueKind::String if value.as_str() != Some("true") => {
                self.whole.texts.extend(said("message", source, value));
            }
            ValueKind::Object => {
                let state = fact_of(value, "state").and_then(Node::text);
                if state.is_some_and(|state| !state.is_empty() && !is_deprecated_state(state)) {
                    return;
                }
                let whole = std::mem::take(&mut self.whole);
                self.whole = self.details(source, value, whole);
            }
            ValueKind::Bool | ValueKind::String => {}
        }
        self.whole.claims.push((source, member.label()));
    }

    /// Adds the facts in an object.
    fn details(
        &mut self,
        source: MarkerSource,
        object: Node<'_>,
        mut draft: MarkerDraft,
    ) -> MarkerDraft {
        let texts = TEXTS.into_iter();
        let texts = texts.filter_map(|fact| said(fact, source, fact_of(object, fact)?));
        draft.texts.extend(texts);
        if let Some(introduced) = fact_of(object, "introduced") {
            draft.introduced.extend(self.date(source, introduced));
        }
        if let Some(end) = fact_of(object, "removal") {
            draft.add_end(self.date(source, end), end);
        }
        draft
    }

    /// Reads which values are deprecated: a boolean for each of `enum`, their names, or an object with a name for each. The `enum` may
    /// no longer list a name.
    fn enumeration(&mut self, source: MarkerSource, member: Node<'_>, holder: Node<'_>) {
        const WHAT: &str = "a boolean for each value of `enum`, or the names of some values, as in `x-enumDeprecated`";
        let values = enum_of(holder);
        if member.kind() == ValueKind::Null {
            return;
        }
        let is_positional = member.kind() == ValueKind::Array
            && member.children().all(|one| one.as_bool().is_some());
        let is_list = matches!(member.kind(), ValueKind::Array | ValueKind::Object);
        let is_short =
            is_positional && member.children().len() > 0 && member.children().len() != values.len();
        if !is_list || is_short {
            return self.library.expected(self.file, member, WHAT);
        }
        // The name of a number, such as that of a constant, is not its value.
        let has_text = values.iter().any(|value| value.as_str().is_some());
        let may_be_value =
            |name: &&str| has_text || values.is_empty() || name.parse::<f64>().is_ok();
        for (number, entry) in member.children().enumerate() {
            let name = match entry.kind() {
                _ if is_positional => values.get(number).and_then(|value| value.text()),
                _ if entry.key().is_some() => entry.key(),
                ValueKind::Object => ["name", "value", "enum-value"]
                    .iter()
                    .find_map(|key| entry.get(key)?.text()),
                _ => entry.text(),
            };
            let Some(value) = name.filter(may_be_value) else {
                self.library.expected(self.file, entry, WHAT);
                continue;
            };
            if entry.as_bool() == Some(false) || entry.kind() == ValueKind::Null {
                continue;
            }
            self.values.push(MarkerDraft {
                value: Some(value.to_owned()),
                claims: vec![(source, member.label())],
                ..MarkerDraft::default()
            });
        }
    }
}

/// The text of a date, or of an object with one.
fn written_date(member: Node<'_>) -> Option<&str> {
    member.get("date").unwrap_or(member).text()
}

/// Whether a member that may give a date does: it may be null, to be decided, or to be announced.
fn states_date(member: Node<'_>) -> bool {
    let is_open = written_date(member).is_some_and(|text| {
        let mut open = ["TBD", "TBA"].iter();
        open.any(|one| text.eq_ignore_ascii_case(one))
    });
    member.kind() != ValueKind::Null && !is_open
}

/// The member of an object about a deprecation that gives a fact.
fn fact_of<'d>(object: Node<'d>, fact: &str) -> Option<Node<'d>> {
    words(fact).iter().find_map(|name| {
        let mut members = object.children();
        members.find(|one| one.key().is_some_and(|key| is_spelled(key, name)))
    })
}

/// The values that a schema, or the items of one, can have.
fn enum_of(holder: Node<'_>) -> Vec<Node<'_>> {
    let list = holder
        .get("enum")
        .or_else(|| holder.get("items")?.get("enum"));
    list.into_iter().flat_map(Node::children).collect()
}

fn said(fact: &'static str, source: MarkerSource, value: Node<'_>) -> Option<MarkerText> {
    let text = value.text().filter(|text| !text.is_empty())?;
    Some(MarkerText {
        fact,
        text: text.to_owned(),
        span: value.span(),
        source,
    })
}
