//! The model of rules: rules, elements, places, and the edits that replace elements.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::version::id_words;
use super::{
    AfterRemoval, Grade, MemberCondition, Requirement, RuleSource, SchemaReference, ServerVersions,
    ValueTest, Version, is_version,
};
use sundown_exchange::{OperationPattern, Side};
use sundown_selector::Selector;

/// One deprecated element. Serialised, it has what reports say: not what decides where it is searched.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about the rule"
)]
#[derive(Debug, Clone, Default)]
pub struct Rule {
    /// The id, unique and stable.
    pub id: String,
    /// Further ids by which it is selected: for one version, the id of the rule about all versions; for one of several values,
    /// the id of their entry.
    pub other_ids: Vec<Arc<str>>,
    /// Whether it was made for one version that was found, and so is not in the set.
    pub is_of_one_version: bool,
    /// The deprecated element.
    pub element: Element,
    /// What people call an operation or a group of operations, if not by their paths.
    pub title: Option<String>,
    /// The property of a description that locates the element, or the schema of several properties. Its file is relative to
    /// the rules file or, for generated rules, named as it was read.
    pub schema: Option<SchemaReference>,
    /// The operation for which the deprecation was announced.
    pub announced: Option<OperationPattern>,
    /// The places of the element; for an endpoint, the operations themselves. The rules of one entry share them: an entry may
    /// have hundreds of values and dozens of operations.
    pub places: Arc<[RulePlace]>,
    /// Nodes that are never a use of this rule.
    pub exceptions: Vec<Selector>,
    /// What the body must have besides the element; all of it.
    pub when: Vec<MemberCondition>,
    pub replacement: Option<String>,
    /// A further note for users.
    pub note: Option<String>,
    /// Whether the note is about the last day, which does not matter if a version of the server decides.
    pub is_note_of_removal: bool,
    /// The date since which the element is deprecated.
    pub introduced: Option<NaiveDate>,
    /// The last day on which it works; `None` if no date was announced.
    pub removal: Option<NaiveDate>,
    /// The versions of the server in which it is deprecated and removed.
    pub versions: ServerVersions,
    /// Whether the name of its field is a path, and no selector says where the field is: no body may have a member of this name.
    pub names_path: bool,
    /// Whether that day is stated, as a date that cannot be read.
    pub has_unreadable_end: bool,
    /// The address of the documentation.
    pub docs: Option<String>,
    /// The pages that state the facts.
    pub sources: Vec<Arc<RuleSource>>,
    /// Whether it is only possible that the element is deprecated: the prose of a description says so, and no key marks it.
    pub is_possible: bool,
    /// Whether it is about values of a parameter that is a list, perhaps in one text.
    pub is_of_list: bool,
    /// The edit that the rule states; see [`Self::edit`].
    pub fix: Option<RuleFix>,
    /// How its uses are graded.
    pub grade: Grade,
    /// How uses of single versions are graded, if otherwise.
    pub version_grades: BTreeMap<String, Grade>,
    /// What the service does with it after its last day.
    pub after_removal: AfterRemoval,
    /// What it demands of calls, if it is no deprecation but a requirement.
    pub requirement: Option<Arc<Requirement>>,
}

/// A deprecated element: a part of a call, or some values of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Element {
    pub part: ElementPart,
    /// The deprecated values, if not all are. An endpoint has none, a path segment always.
    pub value: Option<ValueTest>,
}

/// The part of a call that an element is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum ElementPart {
    /// The whole operation.
    #[default]
    Endpoint,
    /// A member of a JSON body.
    Field(String),
    /// A query parameter.
    Parameter(String),
    /// A header field.
    Header(HeaderFieldName),
    /// A variable of the path, by its name in the templates.
    Segment(String),
}

/// The name of a header field, as it is written. Names that differ only in the case of letters are equal.
#[derive(Debug, Clone, Eq, Serialize, Deserialize)]
pub struct HeaderFieldName(String);

/// A place of a rule: selectors in the bodies of an operation.
#[derive(Debug, Clone)]
pub struct RulePlace {
    /// The operation, or a pattern over several.
    pub operation: OperationPattern,
    /// The sides on which the selectors apply.
    pub sides: Sides,
    /// The selectors; none for elements that are not fields.
    pub selectors: Vec<Selector>,
}

impl Rule {
    /// A rule about an element that has nothing else.
    pub fn new(id: String, element: Element) -> Self {
        Self {
            id,
            element,
            ..Self::default()
        }
    }

    /// Whether it is selected by this id: its own, or that of the entry that it comes from.
    pub fn is_called(&self, id: &str) -> bool {
        self.id == id || self.other_ids.iter().any(|other| **other == *id)
    }

    /// Whether it states an end of the element: a day, readable or not, one for each version, or a version of the server.
    pub(crate) fn has_end(&self) -> bool {
        let has_days = matches!(self.element.value, Some(ValueTest::Supported { .. }));
        self.removal.is_some()
            || self.has_unreadable_end
            || has_days
            || self.versions.removed_in.is_some()
    }

    /// What its element is called in sentences; `None` for operations that have no other name than their path.
    pub(crate) fn phrase(&self) -> Option<String> {
        (self.title.clone()).or_else(|| self.element.phrase(in_backticks))
    }

    /// The day to which its facts are known to hold: that of its newest source. `None` if it names none.
    pub fn facts_day(&self) -> Option<NaiveDate> {
        self.sources.iter().map(|source| source.facts_day()).max()
    }

    /// A value as captures have it: header fields without the white space around them.
    pub(crate) fn normalized<'v>(&self, value: &'v str) -> &'v str {
        match self.element.part {
            ElementPart::Header(_) => value.trim(),
            _ => value,
        }
    }

    /// Whether it is about versions of the API: such values of a parameter, a header field or a segment.
    pub(crate) fn is_about_version(&self) -> bool {
        let Element { part, value } = &self.element;
        !matches!(part, ElementPart::Field(_))
            && value.as_ref().is_some_and(|test| {
                self.is_of_one_version
                    || test.version().is_some()
                    || test.exact().is_some_and(is_version)
                    || test
                        .exact()
                        .and_then(Version::parse)
                        .is_some_and(|it| it.date().is_some())
            })
    }

    /// What the element is renamed to, or else its replacement as the rule states it.
    pub(crate) fn successor(&self) -> Option<&str> {
        self.renamed().or(self.replacement.as_deref())
    }

    /// The name that its edit gives the element.
    pub(crate) fn renamed(&self) -> Option<&str> {
        match &self.fix.as_ref()?.edit {
            Edit::Rename(new) => Some(new),
            Edit::Set(_) | Edit::Remove => None,
        }
    }

    /// The edit that replaces the element: the one that the rule states, or else, for a value, the one value that replaces it. What
    /// follows from a replacement is never safe: the new value may mean something else.
    pub fn edit(&self) -> Option<RuleFix> {
        self.fix.clone().or_else(|| {
            self.element.value.as_ref()?;
            if matches!(
                self.element.part,
                ElementPart::Endpoint | ElementPart::Segment(_)
            ) {
                return None;
            }
            // The end of a sentence is no part of the value.
            let new = self.replacement.as_deref()?.trim_end_matches('.');
            let is_value = !new.is_empty() && !new.contains(|c: char| c.is_whitespace());
            is_value.then(|| RuleFix {
                edit: Edit::Set(new.to_owned()),
                safe: false,
            })
        })
    }

    /// Whether it is off, for all versions.
    pub fn is_off(&self) -> bool {
        let mut versions = self.version_grades.values();
        self.grade == Grade::Off && versions.all(|grade| *grade == Grade::Off)
    }

    /// Whether a value for which its test holds is reported on this day.
    pub fn reports(&self, value: &str, as_of: NaiveDate) -> bool {
        let is_on = self.version_grades.is_empty() || self.grade_of_version(value) != Grade::Off;
        let test = self.element.value.as_ref();
        is_on && test.is_none_or(|test| test.holds_on(as_of, value))
    }

    pub(super) fn grade_of_version(&self, version: &str) -> Grade {
        self.version_grades
            .get(version)
            .copied()
            .unwrap_or(self.grade)
    }

    /// The version of an id that begins with its own, if it is about versions and this is one of them.
    pub(super) fn version_of_id(&self, id: &str) -> Option<String> {
        let words = id.strip_prefix(self.id.as_str())?.strip_prefix('-')?;
        self.element.value.as_ref()?.version_of_id(words)
    }

    /// The rule about one version, if it is about versions: with the id, the value and the last day of this one, and without
    /// places, of which a finding needs none.
    pub(super) fn for_version(&self, version: &str) -> Option<Self> {
        let test = self.element.value.as_ref();
        let test = test.filter(|test| test.has_rule_for_each())?;
        let mut other_ids = self.other_ids.clone();
        other_ids.insert(0, self.id.as_str().into());
        // The newest version that the rule knows does not replace itself or a later one.
        let id = format!("{}-{}", self.id, id_words(version));
        let element = self.element.clone().with_value(Some(version.to_owned()));
        Some(Self {
            id,
            element,
            other_ids,
            is_of_one_version: true,
            replacement: self.replacement.clone().filter(|replacement| {
                test.knows_newer_than(version) || !test.is_newest(replacement)
            }),
            removal: test.last_day_of(version).or(self.removal),
            grade: self.grade_of_version(version),
            places: Arc::default(),
            exceptions: Vec::new(),
            version_grades: BTreeMap::new(),
            ..self.clone()
        })
    }
}

impl Element {
    /// The whole operation.
    pub(crate) const ENDPOINT: Self = Self {
        part: ElementPart::Endpoint,
        value: None,
    };

    /// A member of JSON bodies.
    pub fn field(name: impl Into<String>) -> Self {
        Self {
            part: ElementPart::Field(name.into()),
            value: None,
        }
    }

    /// A query parameter.
    pub fn parameter(name: impl Into<String>) -> Self {
        Self {
            part: ElementPart::Parameter(name.into()),
            value: None,
        }
    }

    /// A header field.
    pub fn header(name: impl Into<String>) -> Self {
        Self {
            part: ElementPart::Header(HeaderFieldName(name.into())),
            value: None,
        }
    }

    /// The name of the cookie that it is, and the value if only that is deprecated. A cookie is a member of a header field.
    pub(crate) fn cookie(&self) -> Option<(&str, Option<&str>)> {
        let is_cookie =
            matches!(&self.part, ElementPart::Header(name) if name.eq_ignore_ascii_case("cookie"));
        match self.value.as_ref().filter(|_| is_cookie)? {
            ValueTest::StartsWith(text) => Some((text.strip_suffix('=')?, None)),
            ValueTest::Exact(text) => text
                .split_once('=')
                .map(|(name, value)| (name, Some(value))),
            _ => None,
        }
    }

    /// A variable of the path.
    pub fn segment(name: impl Into<String>) -> Self {
        Self {
            part: ElementPart::Segment(name.into()),
            value: None,
        }
    }

    /// The same part, of which only this value is deprecated.
    #[must_use]
    pub(crate) fn with_value(self, value: Option<String>) -> Self {
        self.with_test(value.map(ValueTest::Exact))
    }

    /// The same part, of which only some values are deprecated.
    #[must_use]
    pub(crate) fn with_test(self, value: Option<ValueTest>) -> Self {
        Self { value, ..self }
    }

    /// The deprecated value, if it is one text.
    pub fn exact_value(&self) -> Option<&str> {
        self.value.as_ref()?.exact()
    }

    /// Whether it has values that the rule does not name.
    pub(crate) fn is_about_many_values(&self) -> bool {
        self.value.is_some() && self.exact_value().is_none()
    }

    /// Whether it has the values that no other rule is about.
    pub fn is_about_other_values(&self) -> bool {
        self.value == Some(ValueTest::Other)
    }

    /// Whether it is a whole operation.
    pub fn is_endpoint(&self) -> bool {
        self.part == ElementPart::Endpoint
    }

    /// The name of the field, parameter, header or variable; `None` for an endpoint.
    pub fn name(&self) -> Option<&str> {
        match &self.part {
            ElementPart::Endpoint => None,
            ElementPart::Field(name)
            | ElementPart::Parameter(name)
            | ElementPart::Segment(name) => Some(name),
            ElementPart::Header(name) => Some(name),
        }
    }

    /// The name of its field; `None` if it is something else.
    pub fn field_name(&self) -> Option<&str> {
        self.name()
            .filter(|_| matches!(self.part, ElementPart::Field(_)))
    }

    /// The kind: `value` for a value of a field, or else that of the part.
    pub fn kind(&self) -> &'static str {
        match (&self.part, &self.value) {
            (ElementPart::Field(_), Some(_)) => "value",
            (part, _) => part.kind(),
        }
    }

    /// Its name in tables: `total`, `status: open` for a value, or `(whole endpoint)`.
    pub fn label(&self) -> String {
        match (self.name(), &self.value) {
            (None, _) => "(whole endpoint)".to_owned(),
            (Some(name), None) => name.to_owned(),
            (Some(name), Some(value)) => format!("{name}: {value}"),
        }
    }

    /// A phrase for sentences, with the name as `named` puts it: `` `total` ``, ``the value `open` of `status` ``, ``the header
    /// `X-Team` ``. `None` for an endpoint.
    pub fn phrase(&self, named: impl Fn(&str) -> String) -> Option<String> {
        let name = named(self.name()?);
        let part = match self.part {
            ElementPart::Endpoint | ElementPart::Field(_) => name,
            ElementPart::Parameter(_) => format!("the parameter {name}"),
            ElementPart::Header(_) => format!("the header {name}"),
            ElementPart::Segment(_) => format!("the path segment {name}"),
        };
        Some(match &self.value {
            None => part,
            Some(value) => value.phrase(&part),
        })
    }
}

/// A name in a sentence.
pub(crate) fn in_backticks(name: &str) -> String {
    format!("`{name}`")
}

impl ElementPart {
    /// The kind: `endpoint`, `field`, `parameter`, `header` or `segment`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Endpoint => "endpoint",
            Self::Field(_) => "field",
            Self::Parameter(_) => "parameter",
            Self::Header(_) => "header",
            Self::Segment(_) => "segment",
        }
    }
}

impl Deref for HeaderFieldName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl PartialEq for HeaderFieldName {
    fn eq(&self, other: &Self) -> bool {
        self.eq_ignore_ascii_case(other)
    }
}

impl Hash for HeaderFieldName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to_ascii_lowercase().hash(state);
    }
}

impl fmt::Display for HeaderFieldName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The sides of an exchange on which a rule applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sides {
    /// One side only.
    Only(Side),
    /// Both sides.
    Both,
}

impl Sides {
    /// Whether `side` is one of them.
    pub fn contains(self, side: Side) -> bool {
        match self {
            Self::Only(only) => only == side,
            Self::Both => true,
        }
    }
}

/// An edit that replaces the uses of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFix {
    /// What is changed.
    pub edit: Edit,
    /// Whether it keeps the meaning of what it changes, wherever the new name is not there yet.
    pub safe: bool,
}

/// A change at the place of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// The field or the parameter gets this name, and keeps its value.
    Rename(String),
    /// The element gets this value.
    Set(String),
    /// The field goes, with its value.
    Remove,
}

impl Edit {
    /// The kind: `rename`, `set` or `remove`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Rename(_) => "rename",
            Self::Set(_) => "set",
            Self::Remove => "remove",
        }
    }

    /// What is done to an element of this name, in a few words.
    pub fn phrase(&self, name: &str) -> String {
        match self {
            Self::Rename(new) => format!("rename `{name}` to `{new}`"),
            Self::Set(new) => format!("set `{name}` to `{new}`"),
            Self::Remove => format!("remove `{name}`"),
        }
    }

    /// The new name or value; `None` if there is none.
    pub fn to(&self) -> Option<&str> {
        match self {
            Self::Rename(new) | Self::Set(new) => Some(new),
            Self::Remove => None,
        }
    }
}
