//! Deprecations that header fields of a response, or the log of the server, announce. Of their values, only dates, releases and
//! names of elements are kept, and the texts of warnings, for the dates in them.

use chrono::{NaiveDate, NaiveTime};

use super::words::WORDS;
use super::{Side, may_name_header};
use sundown_text_json::text::{Span, StatedDate, parse_date};

/// A header field that announces a deprecation, or an annotation in a log that does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    /// The header field or the annotation.
    pub field: SignalField,
    /// The position of its name in the file.
    pub span: Span,
    /// Its meaning.
    pub kind: SignalKind,
}

/// The header fields that announce deprecations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SignalField {
    /// `Deprecation` (RFC 9745).
    Deprecation,
    /// `Sunset` (RFC 8594).
    Sunset,
    /// `Link` (RFC 8288) with a relation that announces one.
    Link(Relation),
    /// `Warning` (RFC 7234) with the code 299, a persistent warning, and a text about a deprecation.
    Warning,
    /// `X-Glean-Deprecated`, the service's own.
    Glean,
    /// `k8s.io/deprecated`, an annotation of an audit event of Kubernetes.
    AuditAnnotation,
}

/// The relations of links that announce a deprecation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// To the policy by which resources go away (RFC 8594, section 6).
    Sunset,
    /// To information about the deprecation (RFC 9745, section 3).
    Deprecation,
    /// To the successor version (RFC 5829, section 3.4).
    Successor,
}

/// The meaning of a signal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignalKind {
    /// The operation is deprecated, since this day if it is known.
    Deprecated(Option<NaiveDate>),
    /// The operation will be removed.
    Sunset(Removal),
    /// The operation is not served by this release and later ones.
    RemovedIn(String),
    /// There is further information.
    Hint,
    /// A text about a deprecation, of the operation or of a part of the call.
    Warning(String),
    /// An element of the operation is deprecated.
    Element(SignalElement),
}

/// An element that the service calls deprecated.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct SignalElement {
    pub kind: ElementKind,
    /// Its name, if it looks like one. That of a value is the name of its member, if known.
    pub name: Option<String>,
    /// The value, if the element is one and it looks like a name.
    pub value: Option<String>,
    /// The name of its schema, if it looks like one.
    pub schema: Option<String>,
    /// Its side, if known.
    pub side: Option<Side>,
    /// The day on which it was deprecated.
    pub since: Option<NaiveDate>,
    /// The date of its removal.
    pub removal: Removal,
    /// The first release of the service without it.
    pub release: Option<String>,
}

/// The kind of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ElementKind {
    /// The whole operation.
    Endpoint,
    /// A part of the call of which only the text of a warning says which it is.
    Part,
    /// A member of a body.
    #[default]
    Field,
    /// One value of a member.
    Value,
    /// A parameter of the query.
    Parameter,
    /// A header field.
    Header,
}

/// The date of a removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Removal {
    #[default]
    Unknown,
    /// It is not written as a date.
    Unreadable,
    /// On this day, in UTC.
    On(NaiveDate),
    /// At the beginning of this day, so that the day before is the last. Some services mean the end of this day.
    StartOf(NaiveDate),
    /// In a month or a quarter that ends with this day.
    EndOf(NaiveDate),
}

impl Removal {
    /// The last day on which it works: what ends as a day begins ends with the day before.
    pub fn last_day(self) -> Option<NaiveDate> {
        match self {
            Self::On(date) | Self::EndOf(date) => Some(date),
            Self::StartOf(date) => date.pred_opt(),
            Self::Unknown | Self::Unreadable => None,
        }
    }

    /// The day that is written.
    pub fn date(self) -> Option<NaiveDate> {
        match self {
            Self::On(date) | Self::StartOf(date) | Self::EndOf(date) => Some(date),
            Self::Unknown | Self::Unreadable => None,
        }
    }

    /// Whether the last day on which something works can be this one. An unknown day agrees with any.
    pub fn agrees_with(self, last: Option<NaiveDate>) -> bool {
        match self {
            Self::On(date) | Self::EndOf(date) => last == Some(date),
            Self::StartOf(date) => last == Some(date) || last.is_some() && last == date.pred_opt(),
            Self::Unknown | Self::Unreadable => true,
        }
    }
}

/// The names of the header fields, in lower case.
const NAMES: [&str; 5] = [
    "deprecation",
    "sunset",
    "link",
    "warning",
    "x-glean-deprecated",
];

/// Whether a header field of this name, in lower case, may be a signal.
pub(super) fn may_be_signal(name: &str) -> bool {
    NAMES.contains(&name)
}

/// The name to show of a header field that looks like an announcement and is not read.
pub fn unread_announcement(name: &str) -> Option<&'static str> {
    if may_be_signal(name) || !looks_like_signal(name.as_bytes()) {
        return None;
    }
    let known = WORDS
        .other_announcements
        .iter()
        .find(|known| *known == name);
    Some(known.map_or("another name", String::as_str))
}

/// Whether the name of a header field has a word for an end.
pub(super) fn looks_like_signal(name: &[u8]) -> bool {
    let end = name.last_chunk::<4>();
    matches!(name.len(), 5..=40)
        && (end.is_some_and(|end| end.eq_ignore_ascii_case(b"-eol"))
            || name.windows(6).any(|part| {
                part.eq_ignore_ascii_case(b"deprec") || part.eq_ignore_ascii_case(b"sunset")
            }))
}

/// Whether JSON with header fields may contain a signal.
pub(super) fn may_hold_signal(json: &[u8]) -> bool {
    may_name_header(json, |text| {
        looks_like_signal(text)
            || NAMES
                .iter()
                .any(|name| text.eq_ignore_ascii_case(name.as_bytes()))
    })
}

/// Parses the signals of a header field by its `name` in lower case, its position, and its value.
pub fn signals(name: &str, value: &str, span: Span) -> Vec<Signal> {
    let mut signals = Vec::new();
    let mut add = |field, kind| signals.push(Signal { field, span, kind });
    match name {
        "deprecation" => {
            if let Some(kind) = deprecation(value) {
                add(SignalField::Deprecation, kind);
            }
        }
        "sunset" => add(SignalField::Sunset, SignalKind::Sunset(removal(value))),
        "link" => {
            for relation in relations(value) {
                add(SignalField::Link(relation), SignalKind::Hint);
            }
        }
        "warning" => {
            for text in warnings(value) {
                add(SignalField::Warning, SignalKind::Warning(text));
            }
        }
        "x-glean-deprecated" => {
            for element in elements(value) {
                add(SignalField::Glean, SignalKind::Element(element));
            }
        }
        _ => {}
    }
    signals
}

impl Signal {
    /// The signal without the name of an element: for a text of which only a `log-format` says that it is this header field, so
    /// that it may be any text of the line.
    #[must_use]
    pub fn without_name(mut self) -> Self {
        if matches!(self.kind, SignalKind::Element(_)) {
            self.kind = SignalKind::Hint;
        }
        self
    }
}

impl SignalField {
    /// The name of the header field or the annotation.
    pub fn header(self) -> &'static str {
        match self {
            Self::Link(_) => "Link",
            Self::Warning => "Warning",
            Self::Deprecation | Self::Sunset | Self::Glean | Self::AuditAnnotation => self.name(),
        }
    }

    /// Where it is found, for people; a verb follows.
    pub fn announcer(self) -> &'static str {
        match self {
            Self::AuditAnnotation => "the audit log announces",
            _ => "responses announce",
        }
    }

    /// Its name, with the relation of a link.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deprecation => "Deprecation",
            Self::Sunset => "Sunset",
            Self::Link(Relation::Sunset) => "Link rel=sunset",
            Self::Link(Relation::Deprecation) => "Link rel=deprecation",
            Self::Link(Relation::Successor) => "Link rel=successor-version",
            Self::Warning => "Warning 299",
            Self::Glean => "X-Glean-Deprecated",
            Self::AuditAnnotation => "k8s.io/deprecated",
        }
    }
}

/// Parses `@1688169600` (RFC 9745), or `true` and dates from its drafts. Any other value announces a deprecation without a
/// date.
fn deprecation(value: &str) -> Option<SignalKind> {
    let (bare, _) = value.split_once(';').unwrap_or((value, ""));
    let bare = bare.trim();
    if ["false", "?0"]
        .iter()
        .any(|no| bare.eq_ignore_ascii_case(no))
    {
        return None;
    }
    let since = parse_date(bare).and_then(StatedDate::day);
    Some(SignalKind::Deprecated(since))
}

/// Parses a date. What ends as a day begins has its last day before it.
fn removal(value: &str) -> Removal {
    match parse_date(value) {
        None => Removal::Unreadable,
        Some(StatedDate::Moment(moment)) if moment.time() == NaiveTime::MIN => {
            Removal::StartOf(moment.date())
        }
        Some(StatedDate::Period(date)) => Removal::EndOf(date),
        Some(date) => Removal::On(date.last_day()),
    }
}

/// Returns the relations of links that announce a deprecation, each once.
fn relations(value: &str) -> Vec<Relation> {
    let mut found = Vec::new();
    for link in apart(value, ',') {
        // The text between the angle brackets is a URL, and may contain anything.
        let Some((_, parameters)) = link.split_once('>') else {
            continue;
        };
        let rel = apart(parameters, ';')
            .into_iter()
            .filter_map(|part| part.split_once('='))
            .find(|(name, _)| name.trim().eq_ignore_ascii_case("rel"));
        let Some((_, relations)) = rel else { continue };
        for relation in relations.trim().trim_matches('"').split_ascii_whitespace() {
            let relation = match relation.to_ascii_lowercase().as_str() {
                "sunset" => Relation::Sunset,
                "deprecation" => Relation::Deprecation,
                "successor-version" => Relation::Successor,
                _ => continue,
            };
            if !found.contains(&relation) {
                found.push(relation);
            }
        }
    }
    found
}

/// Splits a text at separators outside of quotes and angle brackets.
fn apart(text: &str, separator: char) -> Vec<&str> {
    let mut in_quotes = false;
    let mut in_brackets = false;
    let mut is_escaped = false;
    text.split(|character| {
        let is_literal = std::mem::take(&mut is_escaped);
        match character {
            '\\' if in_quotes && !is_literal => is_escaped = true,
            '"' if !is_literal && !in_brackets => in_quotes = !in_quotes,
            '<' if !in_quotes => in_brackets = true,
            '>' if !in_quotes => in_brackets = false,
            _ => return character == separator && !in_quotes && !in_brackets,
        }
        false
    })
    .collect()
}

/// The texts about a deprecation in warnings with the code 299, which means anything that lasts. The agent before a text and
/// the date of the warning after it are none.
fn warnings(value: &str) -> impl Iterator<Item = String> {
    apart(value, ',').into_iter().filter_map(|warning| {
        let text = warning.trim_start().strip_prefix("299 ")?;
        let text = text.replace("\\\"", "'");
        let quoted = text.split('"').nth(1).unwrap_or(&text);
        let lower = quoted.to_ascii_lowercase();
        let is_about_end = WORDS.in_warnings.iter().any(|word| lower.contains(word));
        is_about_end.then(|| quoted.to_owned())
    })
}

/// Parses a list of `name=…;kind=…;value=…;context=…;schema=…;removal=…`, separated by commas.
fn elements(value: &str) -> Vec<SignalElement> {
    let mut entries = apart(value, ',');
    entries.retain(|text| !text.trim().is_empty());
    entries.into_iter().flat_map(elements_of_entry).collect()
}

/// Parses an entry of the list: one element, or several if it names several values.
fn elements_of_entry(text: &str) -> Vec<SignalElement> {
    let mut element = SignalElement::default();
    let mut kind = None;
    let mut values = Vec::new();
    for (key, value) in apart(text, ';')
        .into_iter()
        .filter_map(|part| part.split_once('='))
    {
        let value = value.trim().trim_matches('"').trim();
        match key.trim().to_ascii_lowercase().as_str() {
            "name" => element.name = plain(value),
            "value" | "enum-value" => values.push(plain(value)),
            "schema" => element.schema = plain(value),
            "kind" => kind = Some(ElementKind::of(value)),
            "context" => element.side = side(value),
            "introduced" => element.since = parse_date(value).and_then(StatedDate::day),
            "removal" => element.removal = removal(value),
            _ => {}
        }
    }
    element.kind = kind.unwrap_or(match (&element.name, values.is_empty()) {
        (_, false) => ElementKind::Value,
        (None, true) => ElementKind::Endpoint,
        (Some(_), true) => ElementKind::Field,
    });
    if element.kind != ElementKind::Value {
        return vec![element];
    }
    if values.is_empty() {
        // Without the name of a member, the name is that of the value.
        values.push(element.name.take());
    }
    values
        .into_iter()
        .map(|value| SignalElement {
            value,
            ..element.clone()
        })
        .collect()
}

/// Returns the side that a text names or begins with: `request`, `responseBody`.
fn side(context: &str) -> Option<Side> {
    let context = context.to_ascii_lowercase();
    let mut named = Side::BOTH
        .into_iter()
        .filter(|side| context.contains(side.name()));
    named.next().filter(|_| named.next().is_none())
}

/// Returns a text if it is the number of a release (`1.25`).
pub fn plain_release(text: &str) -> Option<String> {
    let is_plain = matches!(text.len(), 1..=16)
        && text.chars().all(|c| c.is_ascii_digit() || c == '.')
        && text.starts_with(|c: char| c.is_ascii_digit());
    is_plain.then(|| text.to_owned())
}

/// Returns a text if it looks like a name, rather than a secret, a sentence or a command.
fn plain(text: &str) -> Option<String> {
    let is_plain = !text.is_empty()
        && text.len() <= 100
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-.$/[]".contains(c));
    is_plain.then(|| text.to_owned())
}

impl ElementKind {
    fn of(kind: &str) -> Self {
        match kind.to_ascii_lowercase().as_str() {
            "endpoint" | "operation" | "method" | "path" => Self::Endpoint,
            "enum-value" | "enum" | "value" => Self::Value,
            "parameter" | "query" | "query-parameter" => Self::Parameter,
            "header" => Self::Header,
            _ => Self::Field,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kinds(name: &str, value: &str) -> Vec<SignalKind> {
        signals(name, value, Span::new(1, 2))
            .into_iter()
            .map(|signal| signal.kind)
            .collect()
    }

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn deprecation_is_read_in_the_standard_form_and_in_those_of_its_drafts() {
        for (value, since) in [
            ("@1688169600", Some("2023-07-01")),
            (" @1688169600;x=1", Some("2023-07-01")),
            ("Sat, 01 Jul 2023 00:00:00 GMT", Some("2023-07-01")),
            ("true", None),
            ("?1", None),
            ("version=\"v1\"", None),
            ("@99999999999999999999", None),
            ("@9223372036854775807", None),
            ("", None),
        ] {
            assert_eq!(
                kinds("deprecation", value),
                [SignalKind::Deprecated(since.map(day))],
                "{value}"
            );
        }
        assert_eq!(kinds("deprecation", "false"), []);
        assert_eq!(kinds("deprecation", "?0"), []);
    }

    #[test]
    fn sunset_is_read_in_all_forms_of_dates() {
        let on = Removal::On(day("2027-01-15"));
        for (value, removal) in [
            ("Fri, 15 Jan 2027 23:59:59 GMT", on),
            ("Mon, 15 Jan 2027 23:59:59 GMT", on),
            ("Friday, 15-Jan-27 23:59:59 GMT", on),
            ("Fri Jan 15 23:59:59 2027", on),
            ("Fri Jan  1 23:59:59 2027", Removal::On(day("2027-01-01"))),
            ("2027-01-15", on),
            (
                "2027-01-15T23:00:00-01:00",
                Removal::StartOf(day("2027-01-16")),
            ),
            (
                "Fri, 15 Jan 2027 00:00:00 GMT",
                Removal::StartOf(day("2027-01-15")),
            ),
            ("Fri, 15 Jan 2027 23:59:59 UTC", on),
            ("Friday, 15 January 2027 23:59:59 GMT", on),
            ("2027-01-15T23:59:59", on),
            ("15 Jan 2027", on),
            ("@1800057599", on),
            ("Q1 2027", Removal::EndOf(day("2027-03-31"))),
            ("next winter", Removal::Unreadable),
            ("", Removal::Unreadable),
        ] {
            assert_eq!(
                kinds("sunset", value),
                [SignalKind::Sunset(removal)],
                "{value}"
            );
        }
    }

    #[test]
    fn what_ends_as_a_day_begins_agrees_with_that_day_and_the_one_before() {
        let removal = Removal::StartOf(day("2027-01-15"));
        let agrees = |text| removal.agrees_with(Some(day(text)));
        assert_eq!(
            [
                agrees("2027-01-13"),
                agrees("2027-01-14"),
                agrees("2027-01-15"),
                agrees("2027-01-16")
            ],
            [false, true, true, false]
        );
        assert!(!Removal::On(day("2027-01-15")).agrees_with(Some(day("2027-01-14"))));
        assert!(!removal.agrees_with(None) && Removal::Unknown.agrees_with(None));
    }

    #[test]
    fn links_count_by_their_relation_only() {
        for (value, relations) in [
            (
                "<https://x.test/a,b;rel=next>; rel=\"sunset\"",
                vec![Relation::Sunset],
            ),
            (
                "</p>; rel=next, </q>; title=\"a, b; rel=x\"; REL=Deprecation",
                vec![Relation::Deprecation],
            ),
            (
                "</v2>; rel=\"successor-version latest-version\"",
                vec![Relation::Successor],
            ),
            (
                "</x>; rel=preload, </rel=sunset>; rel=next; rel=sunset",
                vec![],
            ),
            ("rel=sunset", vec![]),
        ] {
            assert_eq!(super::relations(value), relations, "{value}");
        }
    }

    #[test]
    fn only_a_lasting_warning_of_a_deprecation_counts() {
        assert_eq!(
            kinds(
                "warning",
                "299 - \"Deprecated \\\"API\\\"\" \"Sat, 25 Aug 2012 23:34:45 GMT\""
            ),
            [SignalKind::Warning("Deprecated 'API'".to_owned())]
        );
        assert_eq!(
            kinds(
                "warning",
                "110 x \"stale, 299 \", 299 x \"Will be removed\""
            ),
            [SignalKind::Warning("Will be removed".to_owned())]
        );
        assert_eq!(kinds("warning", "110 x \"stale, 299 \""), []);
        assert_eq!(kinds("warning", "2990 - \"deprecated\""), []);
        assert_eq!(
            kinds("warning", "110 x \"deprecated\", 299 x \"no password\""),
            []
        );
    }

    #[test]
    fn the_service_names_elements() {
        let value = "name=citations;kind=field;context=response;schema=ChatMessage;removal=2026-10-15, kind=endpoint;removal=soon";
        let field = SignalElement {
            kind: ElementKind::Field,
            name: Some("citations".to_owned()),
            schema: Some("ChatMessage".to_owned()),
            value: None,
            side: Some(Side::Response),
            since: None,
            removal: Removal::On(day("2026-10-15")),
            release: None,
        };
        let endpoint = SignalElement {
            kind: ElementKind::Endpoint,
            removal: Removal::Unreadable,
            ..SignalElement::default()
        };
        assert_eq!(
            kinds("x-glean-deprecated", value),
            [SignalKind::Element(field), SignalKind::Element(endpoint)]
        );
    }

    #[test]
    fn values_belong_to_the_member_that_is_named() {
        let read = |text: &str| {
            let elements = super::elements(text).into_iter();
            elements
                .map(|element| (element.kind, element.name, element.value))
                .collect::<Vec<_>>()
        };
        let of = |name: Option<&str>, value: Option<&str>| {
            (
                ElementKind::Value,
                name.map(str::to_owned),
                value.map(str::to_owned),
            )
        };
        for (text, expected) in [
            (
                "name=status;kind=enum-value;value=OLD",
                vec![of(Some("status"), Some("OLD"))],
            ),
            (
                "name=status;value=OLD",
                vec![of(Some("status"), Some("OLD"))],
            ),
            (
                "kind=enum-value;enum-value=OLD",
                vec![of(None, Some("OLD"))],
            ),
            ("name=OLD;kind=enum-value", vec![of(None, Some("OLD"))]),
            ("kind=enum-value", vec![of(None, None)]),
            (
                "name=status;kind=enum-value;value=Bearer abc",
                vec![of(Some("status"), None)],
            ),
            (
                "name=status;kind=enum-value;value=OLD;value=OLDER, name=mode;kind=enum-value;value=X",
                vec![
                    of(Some("status"), Some("OLD")),
                    of(Some("status"), Some("OLDER")),
                    of(Some("mode"), Some("X")),
                ],
            ),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
        // Other kinds have no values.
        assert_eq!(
            read("name=a;kind=field;value=b"),
            [(ElementKind::Field, Some("a".to_owned()), None)]
        );
    }

    #[test]
    fn what_is_no_name_is_not_kept() {
        for name in [
            "Bearer abc",
            "a\u{1b}[31m",
            "::error::",
            "é",
            &"x".repeat(101),
        ] {
            let [SignalKind::Element(element)] =
                &kinds("x-glean-deprecated", &format!("name={name};kind=field"))[..]
            else {
                panic!("{name}");
            };
            assert_eq!(element.name, None, "{name}");
        }
    }

    #[test]
    fn other_fields_say_nothing() {
        assert_eq!(kinds("x-sunset", "2027-01-15"), []);
        assert!(!may_be_signal("x-sunset") && may_be_signal("sunset"));
        for (name, shown) in [
            ("x-sunset", Some("x-sunset")),
            ("x-acme-deprecated", Some("another name")),
            ("sunset", None),
            ("x-depth", None),
            ("x-geolocation", None),
        ] {
            assert_eq!(unread_announcement(name), shown, "{name}");
        }
    }

    #[test]
    fn names_are_seen_in_json_whatever_stands_around_them() {
        for json in [
            r#"{"SunSet":"x"}"#,
            r#"[{"value":"a\"b","name":"link"}]"#,
            r#"[["x\\","y"],["Warning","299"]]"#,
            r#"{"s\u0075nset":1}"#,
            r#"{"X-Glean-Deprecated":[]}"#,
            r#"{"X-Sunset":"x"}"#,
        ] {
            assert!(may_hold_signal(json.as_bytes()), "{json}");
        }
        for json in [
            r#"{"X-Sun":"warnings"}"#,
            r#"{"a":"the link"}"#,
            r#"{"etag":"W/\"1\""}"#,
            "",
        ] {
            assert!(!may_hold_signal(json.as_bytes()), "{json}");
        }
    }
    proptest! {
        #[test]
        fn any_header_value_is_read_without_a_panic(value in "[ -~é,;<>\"\\\\@=0-9]{0,60}") {
            for name in ["deprecation", "sunset", "link", "warning", "x-glean-deprecated"] {
                let all = signals(name, &value, Span::new(0, 1));
                prop_assert!(all.len() <= value.len() + 1);
            }
        }
    }
}
