//! Reads markers and reports their problems.

use std::collections::HashMap;

use super::extension::{ExtensionContent, is_deprecated_state, names_end, words};
use super::{
    DateSources, DeprecationSources, MarkedElement, Marker, MarkerDate, MarkerOptions, MarkerScope,
    MarkerSource, MarkerText, prose,
};
use crate::library::Library;
use crate::problem::DescriptionProblemKind;
use crate::{FileId, NodeId};
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
    let reads_statements = options.deprecations == DeprecationSources::KeysAndProse;
    if !is_marked(value) && !reads_statements {
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
            Some((_, Some(source))) => reader.member(source, member, value),
            Some((key, None)) if names_end(key) => reader.other_end(member),
            _ => {}
        }
    }
    let MarkerReader {
        mut whole, values, ..
    } = reader;
    if reads_statements && whole.flag.is_none() && whole.claims.is_empty() {
        whole.claims.extend(prose::statement(value, element));
    }
    if options.dates == DateSources::ExtensionsAndProse && whole.is_deprecated() {
        whole.add_stated_dates(value, element);
    }
    [whole]
        .into_iter()
        .chain(values)
        .filter_map(|draft| draft.seal(library, node, value, element))
        .collect()
}

/// The parts of a marker that have been read so far.
#[derive(Debug, Default)]
struct MarkerDraft {
    value: Option<MarkerText>,
    flag: Option<bool>,
    /// The keys that mark the element as deprecated.
    claims: Vec<(MarkerSource, Span)>,
    /// The keys that only give details.
    additions: Vec<(MarkerSource, Span)>,
    id: Vec<MarkerText>,
    introduced: Vec<MarkerDate>,
    removal: Vec<MarkerDate>,
    has_unreadable_end: bool,
    version: Vec<MarkerText>,
    message: Vec<MarkerText>,
    replacement: Vec<MarkerText>,
    docs: Vec<MarkerText>,
}

impl MarkerDraft {
    fn is_deprecated(&self) -> bool {
        self.flag != Some(false) && !self.claims.is_empty()
    }

    fn add_end(&mut self, end: DateReading) {
        self.has_unreadable_end |= matches!(end, DateReading::Unreadable);
        self.removal.extend(end.date());
    }

    /// Adds the dates that texts state, if no key gives them.
    fn add_stated_dates(&mut self, value: Node<'_>, element: MarkedElement) {
        let (introduced, removal) = prose::dates(value, element, &self.message);
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
        value: Node<'_>,
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
        let Some(&(_, span)) = self.claims.first() else {
            for (_, span) in self.additions {
                library.report(file, span, DescriptionProblemKind::NotDeprecated);
            }
            return None;
        };
        Some(Marker {
            element,
            holder,
            label: value.label(),
            span,
            scope: self
                .value
                .map_or(MarkerScope::Whole, MarkerScope::EnumValue),
            sources: self.claims.into_iter().chain(self.additions).collect(),
            id: first(self.id),
            introduced: first_date(library, file, &self.introduced),
            has_unreadable_end: self.has_unreadable_end && self.removal.is_empty(),
            removal: first_date(library, file, &self.removal),
            version: first(self.version),
            message: first(self.message),
            replacement: first(self.replacement),
            docs: first(self.docs),
        })
    }
}

fn first(said: Vec<MarkerText>) -> Option<MarkerText> {
    said.into_iter().min_by_key(|said| said.source)
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

/// A date that a key may give.
#[derive(Debug, Clone, Copy)]
enum DateReading {
    Absent,
    /// It is given, and cannot be read.
    Unreadable,
    Read(MarkerDate),
}

impl DateReading {
    fn date(self) -> Option<MarkerDate> {
        match self {
            Self::Read(date) => Some(date),
            Self::Absent | Self::Unreadable => None,
        }
    }
}

struct MarkerReader<'l, 'f> {
    library: &'l mut Library<'f>,
    file: FileId,
    whole: MarkerDraft,
    /// Drafts about one value each.
    values: Vec<MarkerDraft>,
}

impl MarkerReader<'_, '_> {
    fn member(&mut self, source: MarkerSource, member: Node<'_>, holder: Node<'_>) {
        match source {
            MarkerSource::Flag => self.flag(member),
            MarkerSource::Glean if member.kind() == ValueKind::Array => {
                for entry in member.children() {
                    self.glean(entry);
                }
            }
            MarkerSource::Glean => self.glean(member),
            MarkerSource::Sunset | MarkerSource::RemoveOn => {
                self.whole.claims.push((source, member.label()));
                let end = self.date(source, Some(member));
                self.whole.add_end(end);
            }
            MarkerSource::Microsoft => self.microsoft(member),
            MarkerSource::GitHub => self.github(member),
            MarkerSource::Deprecated | MarkerSource::IsDeprecated
                if member.kind() == ValueKind::Array && !enum_of(holder).is_empty() =>
            {
                self.enumeration(source, member, holder);
            }
            MarkerSource::Deprecated | MarkerSource::IsDeprecated => self.own(source, member),
            MarkerSource::InVersion => {
                self.whole.claims.push((source, member.label()));
                self.whole.version.extend(said(source, member));
            }
            MarkerSource::EnumDeprecated => self.enumeration(source, member, holder),
            MarkerSource::Vendor(_) => self.vendor(source, member, holder),
            MarkerSource::Message | MarkerSource::Speakeasy => {
                self.whole.additions.push((source, member.label()));
                self.whole.message.extend(said(source, member));
            }
            MarkerSource::ReplacedBy => {
                self.whole.additions.push((source, member.label()));
                self.whole.replacement.extend(said(source, member));
            }
            MarkerSource::OtherEnd | MarkerSource::Prose => {}
        }
    }

    /// Reads the value of a key whose name says that it is an end, if that is a date or is written like one.
    fn other_end(&mut self, member: Node<'_>) {
        let Some(text) = member.text() else { return };
        let has_year = || {
            let mut words = text.split(|c: char| !c.is_ascii_digit());
            words.any(|digits| digits.len() == 4)
        };
        let is_text = member.kind() == ValueKind::String && !text.contains("://");
        if parse_date(text).is_some() || is_text && has_year() {
            let source = MarkerSource::OtherEnd;
            self.whole.additions.push((source, member.label()));
            let end = self.date(source, Some(member));
            self.whole.add_end(end);
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
    fn date(&mut self, source: MarkerSource, member: Option<Node<'_>>) -> DateReading {
        let Some(member) = member.filter(|member| member.kind() != ValueKind::Null) else {
            return DateReading::Absent;
        };
        let value = member.get("date").unwrap_or(member);
        // To be decided, to be announced.
        let is_open = |text: &str| {
            ["TBD", "TBA"]
                .iter()
                .any(|one| text.eq_ignore_ascii_case(one))
        };
        if value.text().is_some_and(is_open) {
            return DateReading::Absent;
        }
        let key = member.key().unwrap_or_default().to_owned();
        let span = member.span();
        let Some(stated) = value.text().and_then(parse_date) else {
            self.library
                .report(self.file, span, DescriptionProblemKind::NoDate(key));
            return DateReading::Unreadable;
        };
        let date = stated.last_day();
        if stated.day().is_none() {
            self.library
                .report(self.file, span, DescriptionProblemKind::Period(key, date));
        }
        DateReading::Read(MarkerDate { date, span, source })
    }

    /// Reads an object with `id`, `introduced`, `removal`, `message` and `docs`, and the value if it is about one.
    fn glean(&mut self, entry: Node<'_>) {
        let source = MarkerSource::Glean;
        if entry.kind() != ValueKind::Object {
            return self.own(source, entry);
        }
        let named = ["enum-value", "value"]
            .into_iter()
            .find_map(|key| entry.get(key));
        let is_about_value = match entry.get("kind").and_then(Node::as_str) {
            Some(kind) => kind == "enum-value",
            None => entry.get("enum-value").is_some() || named.is_some(),
        };
        let introduced = self.date(source, entry.get("introduced")).date();
        let end = self.date(source, entry.get("removal"));
        let value = named
            .and_then(|named| said(source, named))
            .filter(|_| is_about_value);
        if is_about_value && value.is_none() {
            return self
                .library
                .expected(self.file, entry, "an object with an `enum-value`");
        }
        let mut draft = match value {
            Some(value) => MarkerDraft {
                value: Some(value),
                ..MarkerDraft::default()
            },
            None => std::mem::take(&mut self.whole),
        };
        draft.claims.push((source, entry.label()));
        draft.introduced.extend(introduced);
        draft.add_end(end);
        let text = |key| entry.get(key).and_then(|member| said(source, member));
        draft.id.extend(text("id"));
        draft.message.extend(text("message"));
        draft.docs.extend(text("docs"));
        draft.replacement.extend(text("replacement"));
        if draft.value.is_some() {
            self.values.push(draft);
        } else {
            self.whole = draft;
        }
    }

    /// Reads the first and the last day of the whole element.
    fn dates(&mut self, source: MarkerSource, first: Option<Node<'_>>, last: Option<Node<'_>>) {
        let introduced = self.date(source, first).date();
        let end = self.date(source, last);
        self.whole.introduced.extend(introduced);
        self.whole.add_end(end);
    }

    fn microsoft(&mut self, member: Node<'_>) {
        let source = MarkerSource::Microsoft;
        // Some tools write a list of such objects.
        let entry = member.element(0).unwrap_or(member);
        self.whole.claims.push((source, member.label()));
        self.dates(source, entry.get("date"), entry.get("removalDate"));
        let text = |key| entry.get(key).and_then(|member| said(source, member));
        self.whole.message.extend(text("description"));
        self.whole.version.extend(text("version"));
    }

    fn github(&mut self, member: Node<'_>) {
        let source = MarkerSource::GitHub;
        let since = member.get("deprecationDate");
        let until = member.get("removalDate");
        if since.is_none() && until.is_none() {
            return;
        }
        self.whole.claims.push((source, member.label()));
        self.dates(source, since, until);
    }

    /// Reads `true`, a message, or an object, for whose keys there is no convention.
    fn own(&mut self, source: MarkerSource, member: Node<'_>) {
        match member.kind() {
            ValueKind::Bool if member.as_bool() == Some(false) => return,
            ValueKind::Null | ValueKind::Number | ValueKind::Array => {
                return self
                    .library
                    .expected(self.file, member, "`true`, a text or an object");
            }
            ValueKind::String if matches!(member.as_str(), Some("false" | "")) => return,
            ValueKind::String if member.as_str() != Some("true") => {
                self.whole.message.extend(said(source, member));
            }
            ValueKind::Object => {
                let value = |fact| {
                    let mut names = words(fact).iter();
                    names.find_map(|name| {
                        let mut members = member.children();
                        members.find(|one| one.key().is_some_and(|key| is_spelled(key, name)))
                    })
                };
                let text = |fact| value(fact).and_then(|found| said(source, found));
                let is_other_state = |state: &MarkerText| !is_deprecated_state(&state.text);
                if text("state").as_ref().is_some_and(is_other_state) {
                    return;
                }
                self.whole.message.extend(text("message"));
                self.whole.replacement.extend(text("replacement"));
                self.whole.docs.extend(text("docs"));
                self.whole.version.extend(text("version"));
                let (introduced, removal) = (value("introduced"), value("removal"));
                self.dates(source, introduced, removal);
            }
            ValueKind::Bool | ValueKind::String => {}
        }
        self.whole.claims.push((source, member.label()));
    }

    /// Reads an extension of a vendor.
    fn vendor(&mut self, source: MarkerSource, member: Node<'_>, holder: Node<'_>) {
        let Some(content) = source.content() else {
            return;
        };
        let dated = member.get("date").unwrap_or(member);
        let date = dated.text().and_then(parse_date).is_some();
        let of = match content {
            ExtensionContent::Details => return self.own(source, member),
            ExtensionContent::Values => return self.enumeration(source, member, holder),
            ExtensionContent::State if member.kind() == ValueKind::Object => {
                let has_state = words("state").iter().any(|name| member.get(name).is_some());
                if has_state {
                    self.own(source, member);
                }
                return;
            }
            ExtensionContent::State => {
                if member.text().is_some_and(is_deprecated_state) {
                    self.whole.claims.push((source, member.label()));
                }
                return;
            }
            ExtensionContent::Removal => {
                if member.kind() == ValueKind::Null
                    || member.kind() == ValueKind::Object && !date
                    || member.as_bool() == Some(false)
                {
                    return;
                }
                self.whole.claims.push((source, member.label()));
                if date {
                    let end = self.date(source, Some(member));
                    self.whole.add_end(end);
                    return;
                }
                // Some give the version.
                match member.text() {
                    Some(text) if !text.contains(' ') => &mut self.whole.version,
                    _ => &mut self.whole.message,
                }
            }
            ExtensionContent::Introduced if date => {
                self.whole.additions.push((source, member.label()));
                let date = self.date(source, Some(member));
                self.whole.introduced.extend(date.date());
                return;
            }
            ExtensionContent::Introduced => &mut self.whole.version,
            ExtensionContent::Message => &mut self.whole.message,
            ExtensionContent::Replacement => &mut self.whole.replacement,
            ExtensionContent::Docs => &mut self.whole.docs,
        };
        of.extend(said(source, member));
        if content != ExtensionContent::Removal {
            self.whole.additions.push((source, member.label()));
        }
    }

    /// Reads which values of `enum` are deprecated: a boolean for each, their names, or an object with a name for each.
    fn enumeration(&mut self, source: MarkerSource, member: Node<'_>, holder: Node<'_>) {
        const WHAT: &str = "a boolean for each value of `enum`, or the names of some values, as in `x-enumDeprecated`";
        let values = enum_of(holder);
        let entries = || member.children();
        if values.is_empty() || member.kind() == ValueKind::Null {
            return;
        }
        let is_positional =
            member.kind() == ValueKind::Array && entries().all(|one| one.as_bool().is_some());
        let is_list = matches!(member.kind(), ValueKind::Array | ValueKind::Object);
        let is_short = is_positional && entries().len() > 0 && entries().len() != values.len();
        if !is_list || is_short {
            return self.library.expected(self.file, member, WHAT);
        }
        let texts = values
            .iter()
            .filter_map(|value| Some((value.text()?, value)));
        let by_text: HashMap<_, _> = texts.rev().collect();
        for (number, entry) in entries().enumerate() {
            let name = match entry.kind() {
                _ if is_positional => values.get(number).and_then(|value| value.text()),
                _ if entry.key().is_some() => entry.key(),
                ValueKind::Object => ["name", "value", "enum-value"]
                    .iter()
                    .find_map(|key| entry.get(key)?.text()),
                _ => entry.text(),
            };
            let Some(value) = name.and_then(|name| by_text.get(name)) else {
                self.library.expected(self.file, entry, WHAT);
                continue;
            };
            if entry.as_bool() == Some(false) || entry.kind() == ValueKind::Null {
                continue;
            }
            let mut draft = MarkerDraft {
                value: said(source, **value),
                claims: vec![(source, member.label())],
                ..MarkerDraft::default()
            };
            let version = entry
                .get("deprecatedInVersion")
                .and_then(|version| said(source, version));
            draft.version.extend(version);
            self.values.push(draft);
        }
    }
}

/// The values that a schema, or the items of one, can have.
fn enum_of(holder: Node<'_>) -> Vec<Node<'_>> {
    let list = holder
        .get("enum")
        .or_else(|| holder.get("items")?.get("enum"));
    list.into_iter().flat_map(Node::children).collect()
}

fn said(source: MarkerSource, value: Node<'_>) -> Option<MarkerText> {
    let text = value.text().filter(|text| !text.is_empty())?;
    Some(MarkerText {
        text: text.to_owned(),
        span: value.span(),
        source,
    })
}
