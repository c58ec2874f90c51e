//! Requirements: what a service demands of its callers beyond deprecations, and the `[[requirement]]` tables that state it.
//!
//! A requirement is violated if all conditions of `when` hold, none of `unless` holds and one of `expect` fails. Without
//! `expect`, `when` alone describes the violation. A condition about something that a capture does not show neither holds nor fails.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::keys::rule_id;
use super::parse::RuleFileReader;
use super::{Element, Grade, Rule, RulePlace, Severity, Sides};
use sundown_exchange::{Method, Side, StatusCode, is_token};
use sundown_files::toml_file::{Mistake, TableReader, WithSpan};
use sundown_selector::Selector;
use sundown_selector::automaton::SegmentTest;
use sundown_text_json::text::join;

/// What a rule demands of calls, where it is a requirement.
#[derive(Debug, Clone)]
pub struct Requirement {
    /// The conditions under which it applies.
    pub when: Vec<ExchangeCondition>,
    /// The conditions that exclude it if one of them holds. One that is not decided does not exclude it.
    pub unless: Vec<ExchangeCondition>,
    /// The conditions that must hold then; none if `when` describes a violation.
    pub expect: Vec<ExchangeCondition>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
    /// The section of the documentation that states it.
    pub section: Option<String>,
}

/// A condition on one property of an exchange.
#[derive(Debug, Clone, PartialEq)]
pub enum ExchangeCondition {
    /// The method is one of these.
    Method(Vec<Method>),
    /// The status of the response is one of these.
    Status(Vec<StatusCode>),
    /// The fields of this name pass the test.
    Header {
        /// The message with the field.
        side: Side,
        /// The name, in lower or upper case.
        name: String,
        /// What is demanded.
        test: PartTest,
    },
    /// The media type of the body, without parameters, is one of these.
    MediaType(Side, Vec<String>),
    /// The members at this path pass the test.
    Member {
        /// The message with the body.
        side: Side,
        /// Where the members are.
        path: MemberPath,
        /// What is demanded.
        test: PartTest,
    },
    /// The body contains one of these texts, in lower or upper case.
    BodyText(Side, Vec<String>),
}

/// What a condition demands of a header field or a member.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PartTest {
    /// Whether the part is required (`true`) or forbidden (`false`). Without it, only the value of a part is tested.
    pub present: Option<bool>,
    /// The value of a header field, in lower or upper case.
    pub equals: Option<String>,
    /// The beginning of the value of a header field, in lower or upper case.
    pub starts_with: Option<String>,
    /// The type of the value of a member.
    pub member_type: Option<MemberType>,
    /// The smallest number.
    pub minimum: Option<f64>,
    /// The greatest number.
    pub maximum: Option<f64>,
    /// The format of a string.
    pub format: Option<StringFormat>,
}

/// The type of a member's value, as JSON Schema names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the types of JSON Schema need no explanation")]
pub enum MemberType {
    Object,
    Array,
    String,
    Integer,
    Number,
    Boolean,
    Null,
}

/// The format of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StringFormat {
    /// A date and a time of ISO 8601 in UTC: `2027-01-15T09:30:00Z`.
    DateTimeUtc,
}

/// The path of members in a body: names and array elements, of which the last is a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberPath {
    /// Its source text.
    pub text: String,
    /// The steps from the root to the objects with the member.
    pub parents: Vec<SegmentTest>,
    /// The name of the member.
    pub name: String,
}

impl MemberType {
    const NAMES: [(&'static str, Self); 7] = [
        ("object", Self::Object),
        ("array", Self::Array),
        ("string", Self::String),
        ("integer", Self::Integer),
        ("number", Self::Number),
        ("boolean", Self::Boolean),
        ("null", Self::Null),
    ];

    pub fn name(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(_, own)| *own == self)
            .map_or("", |(name, _)| name)
    }
}

impl StringFormat {
    pub fn name(self) -> &'static str {
        match self {
            Self::DateTimeUtc => "date-time-utc",
        }
    }
}

impl MemberPath {
    /// Converts a selector; `None` if it has anything but names, indices and `[*]`, or does not end with a name.
    fn of(selector: &Selector) -> Option<Self> {
        let steps = selector.steps()?;
        let (last, parents) = steps.split_last()?;
        let SegmentTest::Name(name) = last else {
            return None;
        };
        selector.conditions().is_empty().then(|| Self {
            text: selector.text().to_owned(),
            parents: parents.iter().copied().cloned().collect(),
            name: name.to_string(),
        })
    }
}

impl Requirement {
    /// Whether it only explains statuses: nothing but the status decides whether it is violated.
    pub(crate) fn is_about_status(&self) -> bool {
        self.expect.is_empty() && matches!(*self.when, [ExchangeCondition::Status(_)])
    }

    /// Whether it explains statuses, perhaps with more conditions.
    pub(crate) fn explains_status(&self) -> bool {
        self.expect.is_empty()
            && self
                .when
                .iter()
                .any(|condition| matches!(condition, ExchangeCondition::Status(_)))
    }

    /// Reads an entry of a file: a rule about whole operations, without dates.
    pub(super) fn read(fields: TableReader<'_>, file: &mut RuleFileReader<'_>) -> Rule {
        let id = rule_id(&fields).map_or("", |id| id.value).to_owned();
        file.add_own_id(&id, &fields);
        let places = places(&fields, file);
        let when = conditions("when", &fields);
        let unless = conditions("unless", &fields);
        let expect = conditions("expect", &fields);
        if !fields.has("when") && !fields.has("expect") {
            fields.refuse_incomplete(
                "the requirement has no condition",
                "add `expect`, which must hold, or `when`, which describes what is wrong",
            );
        }
        let message = fields.required_text("message").unwrap_or_default();
        let remedy = fields.required_text("remedy").unwrap_or_default();
        let section = fields.text("section");
        let docs = fields.text("docs");
        let severities = Severity::ALL.map(|severity| (severity.name(), severity));
        let severity = named("severity", &severities, &fields);
        fields.finish();
        let requirement = Self {
            when,
            unless,
            expect,
            message,
            remedy,
            section,
        };
        Rule {
            places: places.into(),
            docs,
            grade: Grade::Always(severity.unwrap_or(Severity::Warning)),
            requirement: Some(Arc::new(requirement)),
            ..Rule::new(id, Element::ENDPOINT)
        }
    }
}

/// Reads the operations of an entry, which may be patterns.
fn places(fields: &TableReader<'_>, file: &RuleFileReader<'_>) -> Vec<RulePlace> {
    let texts = fields.one_or_more("operations");
    if texts.as_ref().is_none_or(Vec::is_empty) {
        fields.refuse_incomplete(
            "the requirement names no operation",
            "add `operations = [\"POST /path\"]`; `* /path/**` means all operations below a path",
        );
    }
    texts
        .unwrap_or_default()
        .iter()
        .filter_map(|text| file.operation(text, fields))
        .map(|operation| RulePlace {
            operation,
            sides: Sides::Both,
            selectors: Vec::new(),
        })
        .collect()
}

/// Reads one of several names.
fn named<T: Copy>(key: &'static str, names: &[(&str, T)], fields: &TableReader<'_>) -> Option<T> {
    let text = fields.string(key)?;
    let known = names.iter().find(|(name, _)| *name == text.value);
    if known.is_none() {
        let message = format!("`{}` is not a known `{key}`", text.value);
        let help = format!("known: {}", join(names.iter().map(|(name, _)| *name), ", "));
        fields.refuse(text.span, message, help);
    }
    known.map(|(_, value)| *value)
}

/// Reads the conditions under `key`.
fn conditions(key: &'static str, fields: &TableReader<'_>) -> Vec<ExchangeCondition> {
    let list = fields.peek(key);
    let list = list.and_then(|value| value.get_ref().as_array());
    let tables = fields.tables(key);
    if list.is_some_and(|list| list.is_empty()) {
        let message = format!("`{key}` has no condition");
        let help = "add a condition, or remove the key";
        fields.refuse(fields.span.clone(), message, help);
    }
    let tables = tables.into_iter();
    tables
        .filter_map(|table| condition(fields.inner(table)))
        .collect()
}

/// The keys of a condition, one of which says what it is about.
const SUBJECTS: [&str; 6] = ["method", "status", "header", "media_type", "member", "text"];

/// Reads one condition.
fn condition(fields: TableReader<'_>) -> Option<ExchangeCondition> {
    let subjects: Vec<_> = SUBJECTS.into_iter().filter(|key| fields.has(key)).collect();
    let &[subject] = subjects.as_slice() else {
        let message = "a condition is about one property of an exchange";
        let help = format!(
            "write one of these keys in each table: {}",
            SUBJECTS.join(", ")
        );
        fields.refuse(fields.span.clone(), message, help);
        return None;
    };
    let condition = match subject {
        "method" => methods(&fields).map(ExchangeCondition::Method),
        "status" => status_codes(&fields).map(ExchangeCondition::Status),
        "header" => {
            let name = header_name(&fields);
            let message = side(&fields).zip(name);
            let test = header_test(&fields);
            message.map(|(side, name)| ExchangeCondition::Header { side, name, test })
        }
        "media_type" => {
            let types = media_types(&fields);
            let message = side(&fields).zip(types);
            message.map(|(side, types)| ExchangeCondition::MediaType(side, types))
        }
        "member" => {
            let path = member_path(&fields);
            let message = side(&fields).zip(path);
            let test = member_test(&fields);
            message.map(|(side, path)| ExchangeCondition::Member { side, path, test })
        }
        _ => {
            let texts = texts("text", &fields);
            let message = side(&fields).zip(texts);
            message.map(|(side, texts)| ExchangeCondition::BodyText(side, texts))
        }
    };
    fields.finish();
    condition
}

/// Reads the side of a condition about a message.
fn side(fields: &TableReader<'_>) -> Option<Side> {
    if !fields.has("side") {
        fields.refuse_incomplete(
            "the condition has no `side`",
            "add `side = \"request\"` or `side = \"response\"`",
        );
    }
    named("side", &Side::BOTH.map(|side| (side.name(), side)), fields)
}

/// Reads the items under a key, each with `read`, which returns what is wrong with one, and the remedy. Reports an empty list.
fn each<I, T>(
    key: &str,
    items: Vec<WithSpan<I>>,
    fields: &TableReader<'_>,
    read: impl Fn(I) -> Result<T, (String, &'static str)>,
) -> Vec<T> {
    if items.is_empty() {
        let message = format!("`{key}` is empty, so the condition never holds");
        fields.complain(fields.span.clone(), message);
    }
    let items = items.into_iter().filter_map(|WithSpan { value, span }| {
        fields.accept(
            read(value).map_err(|(message, help)| Mistake::new(span, message).with_help(help)),
        )
    });
    items.collect()
}

/// Reads a text or several in lower case.
fn texts(key: &'static str, fields: &TableReader<'_>) -> Option<Vec<String>> {
    let texts = fields.one_or_more(key)?;
    for text in texts.iter().filter(|text| text.value.trim().is_empty()) {
        let message = format!("`{key}` has an empty text");
        fields.complain(text.span.clone(), message);
    }
    Some(each(key, texts, fields, |text| {
        Ok(text.to_ascii_lowercase())
    }))
}

/// Reads the names of media types, which have no parameters here.
fn media_types(fields: &TableReader<'_>) -> Option<Vec<String>> {
    let types = texts("media_type", fields)?;
    for media_type in types.iter().filter(|text| !text.is_empty()) {
        let (first, rest) = media_type.split_once('/').unwrap_or_default();
        if !is_token(first) || !is_token(rest) {
            let message = format!("`{media_type}` is not a media type");
            let help = "write it without parameters, such as \"application/json\"";
            fields.refuse(fields.span.clone(), message, help);
        }
    }
    Some(types)
}

/// Reads the name of a header field.
fn header_name(fields: &TableReader<'_>) -> Option<String> {
    let WithSpan { value, span } = fields.string("header")?;
    if !is_token(value) {
        let message = format!("`{value}` is not the name of a header field");
        fields.refuse(span, message, "write a name such as \"X-Tenant\"");
    }
    Some(value.to_owned())
}

fn methods(fields: &TableReader<'_>) -> Option<Vec<Method>> {
    let texts = fields.one_or_more("method")?;
    Some(each("method", texts, fields, |text| {
        Method::parse(text).ok_or_else(|| {
            (
                format!("`{text}` is not a method"),
                "write one such as \"POST\"",
            )
        })
    }))
}

fn status_codes(fields: &TableReader<'_>) -> Option<Vec<StatusCode>> {
    let numbers = fields.one_or_more_integers("status")?;
    Some(each("status", numbers, fields, |number| {
        let code = u16::try_from(number).ok().and_then(StatusCode::new);
        code.ok_or_else(|| {
            (
                format!("{number} is not a status code"),
                "status codes are 100 to 599",
            )
        })
    }))
}

fn header_test(fields: &TableReader<'_>) -> PartTest {
    let test = PartTest {
        present: fields.boolean("present").map(|present| present.value),
        equals: fields.text("equals"),
        starts_with: fields.text("starts_with"),
        ..PartTest::default()
    };
    test.completed(fields)
}

fn member_test(fields: &TableReader<'_>) -> PartTest {
    let formats = [StringFormat::DateTimeUtc].map(|format| (format.name(), format));
    let test = PartTest {
        present: fields.boolean("present").map(|present| present.value),
        member_type: named("type", &MemberType::NAMES, fields),
        minimum: number("minimum", fields),
        maximum: number("maximum", fields),
        format: named("format", &formats, fields),
        ..PartTest::default()
    };
    if let Some(contradiction) = test.contradiction() {
        let help = "remove one of the tests";
        fields.refuse(fields.span.clone(), contradiction, help);
    }
    test.completed(fields)
}

/// The whole numbers that a double holds exactly.
const EXACT: RangeInclusive<i64> = -(1 << 53)..=(1 << 53);

#[allow(
    clippy::cast_precision_loss,
    reason = "only numbers that a double holds exactly"
)]
fn number(key: &'static str, fields: &TableReader<'_>) -> Option<f64> {
    let number = fields.integer(key)?;
    if !EXACT.contains(&number.value) {
        let message = format!("`{key}` is out of range");
        fields.complain(number.span, message);
        return None;
    }
    Some(number.value as f64)
}

fn member_path(fields: &TableReader<'_>) -> Option<MemberPath> {
    let text = fields.string("member")?;
    let selector = super::keys::selector(&text, fields)?;
    let path = MemberPath::of(&selector);
    if path.is_none() {
        let message = format!("`{}` does not lead to a member by names", text.value);
        let help = "a path has names, indices and [*], and ends with a name: $.items[*].price";
        fields.refuse(text.span, message, help);
    }
    path
}

impl PartTest {
    /// The test, which wants the part to be there if it tests nothing else. Reports one that tests what it wants to be absent.
    fn completed(mut self, fields: &TableReader<'_>) -> Self {
        if !self.is_about_value() {
            self.present.get_or_insert(true);
        } else if self.present == Some(false) {
            let message = "what is absent has no value to test";
            let help = "remove `present = false`, or the other tests";
            fields.refuse(fields.span.clone(), message, help);
        }
        self
    }

    /// Whether it is about the value of a part that is there.
    pub(crate) fn is_about_value(&self) -> bool {
        let is_about_text = self.equals.is_some() || self.starts_with.is_some();
        let has_form = self.member_type.is_some() || self.format.is_some();
        is_about_text || has_form || self.is_limited()
    }

    /// Whether it limits numbers.
    pub(crate) fn is_limited(&self) -> bool {
        self.minimum.or(self.maximum).is_some()
    }

    /// Why no value passes it, if that is so.
    fn contradiction(&self) -> Option<&'static str> {
        let limits = self.minimum.zip(self.maximum);
        let may_be = |types: &[MemberType]| self.member_type.is_none_or(|own| types.contains(&own));
        if limits.is_some_and(|(minimum, maximum)| minimum > maximum) {
            Some("`minimum` is greater than `maximum`, so no value passes")
        } else if self.is_limited() && !may_be(&[MemberType::Number, MemberType::Integer]) {
            Some("`minimum` and `maximum` are for numbers, and `type` is another")
        } else if self.format.is_some() && (self.is_limited() || !may_be(&[MemberType::String])) {
            Some("`format` is for strings, and another test is for another type")
        } else {
            None
        }
    }

    /// Sketches values that fail and pass it, as JSON; `None` is a missing member.
    pub fn sketches(&self) -> (Option<String>, Option<String>) {
        if let Some(minimum) = self.minimum {
            return (Some((minimum - 1.0).to_string()), Some(minimum.to_string()));
        }
        if let Some(maximum) = self.maximum {
            return (Some((maximum + 1.0).to_string()), Some(maximum.to_string()));
        }
        let (failing, fitting) = match self.member_type {
            _ if self.format == Some(StringFormat::DateTimeUtc) => {
                ("\"15 January\"", "\"2027-01-15T09:30:00Z\"")
            }
            Some(MemberType::Object) => ("\"…\"", "{…}"),
            Some(MemberType::Array) => ("\"…\"", "[…]"),
            Some(MemberType::Integer | MemberType::Number) => ("\"…\"", "20"),
            Some(MemberType::Boolean) => ("\"…\"", "true"),
            Some(MemberType::Null) => ("\"…\"", "null"),
            Some(MemberType::String) => ("20", "\"…\""),
            None if self.present == Some(false) => return (Some("…".into()), None),
            None => return (None, Some("…".into())),
        };
        (Some(failing.into()), Some(fitting.into()))
    }
}

/// In words, as the rest of a sentence.
impl fmt::Display for ExchangeCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Method(methods) => {
                write!(
                    f,
                    "the method is {}",
                    any_of(methods.iter().map(Method::as_str))
                )
            }
            Self::Status(codes) => write!(f, "the status is {}", any_of(codes)),
            Self::Header { side, name, test } => {
                write!(f, "the header `{name}` of the {} {test}", side.name())
            }
            Self::MediaType(side, types) => {
                write!(
                    f,
                    "the media type of the {} is {}",
                    side.name(),
                    any_of(types)
                )
            }
            Self::Member { side, path, test } => {
                write!(f, "`{}` in the {} {test}", path.text, side.name())
            }
            Self::BodyText(side, texts) => {
                let texts = texts.iter().map(|text| format!("`{text}`"));
                write!(
                    f,
                    "the body of the {} contains {}",
                    side.name(),
                    any_of(texts)
                )
            }
        }
    }
}

/// As a predicate.
impl fmt::Display for PartTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let present = self
            .present
            .map(|present| if present { "is present" } else { "is absent" });
        let equals = self
            .equals
            .as_ref()
            .map(|value| format!("equals `{value}`"));
        let start = self.starts_with.as_ref();
        let start = start.map(|start| format!("starts with `{start}`"));
        let named = self.member_type.map(|own| match (own, own.name()) {
            (MemberType::Null, _) => "is null".to_owned(),
            (_, name) if name.starts_with(['a', 'i', 'o']) => format!("is an {name}"),
            (_, name) => format!("is a {name}"),
        });
        let minimum = self.minimum.map(|minimum| format!("is at least {minimum}"));
        let maximum = self.maximum.map(|maximum| format!("is at most {maximum}"));
        let format = self
            .format
            .map(|format| format!("has the format `{}`", format.name()));
        let present = present.map(str::to_owned);
        let all = [present, equals, start, named, minimum, maximum, format];
        f.write_str(&join(all.into_iter().flatten(), " and "))
    }
}

/// Joins alternatives: `a, b or c`.
fn any_of<T: fmt::Display>(all: impl IntoIterator<Item = T>) -> String {
    let mut all: Vec<_> = all.into_iter().map(|one| one.to_string()).collect();
    let last = all.pop().unwrap_or_default();
    if all.is_empty() {
        last
    } else {
        format!("{} or {last}", all.join(", "))
    }
}
