//! The bodies of an exchange, loaded when the first condition asks for them.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::condition::{ConditionResult, ConditionSite, is_masked};
use crate::findings::{ExcerptParts, MAX_PARENT_BYTES, Observation};
use crate::rules::{MemberPath, MemberType, PartTest, StringFormat};
use crate::value_tree::MAX_LOADED_BYTES;
use crate::values;
use sundown_exchange::{
    Body, BodyMap, Content, Encoding, Exchange, FormKind, Reason, Side, Skip, UnpackingBudget,
};
use sundown_selector::automaton::SegmentTest;
use sundown_text_json::Limits;
use sundown_text_json::json::pointer::{PathStep, PointerBuilder, Pointers};
use sundown_text_json::json::{
    Document, DocumentFormat, Node, SyntaxError, SyntaxErrorKind, ValueKind, Walker,
};
use sundown_text_json::text::{OffsetMap, Span, StatedDate, magic, parse_date};

/// The bodies of an exchange.
pub(super) struct RequirementBodies<'e, 'a> {
    exchange: &'e Exchange<'a>,
    limits: Limits,
    unpacking: &'e UnpackingBudget,
    /// By side.
    bodies: [LoadedBody<'a>; 2],
}

/// The forms of a body, each once a condition has asked for it: `None` if there is none, and the reason if it cannot be read.
#[derive(Default)]
struct LoadedBody<'a> {
    text: OnceCell<Result<Option<Content<'a>>, Skip>>,
    document: OnceCell<Result<Option<BodyDocument<'a>>, Skip>>,
}

/// The JSON value in a body.
struct BodyDocument<'a> {
    document: Document<'static>,
    /// Maps the text to the body, where it was a string within it.
    inside: Option<OffsetMap>,
    map: BodyMap<'a>,
    /// Whether its reader may have made strings of placeholders.
    may_have_placeholders: bool,
}

/// How many bytes of a body are searched for a text: messages of errors are short.
const SEARCHED: usize = 64 * 1024;

impl<'e, 'a> RequirementBodies<'e, 'a> {
    pub(super) fn new(
        exchange: &'e Exchange<'a>,
        limits: Limits,
        unpacking: &'e UnpackingBudget,
    ) -> Self {
        Self {
            exchange,
            limits,
            unpacking,
            bodies: Default::default(),
        }
    }

    /// Whether a condition has asked for a body.
    pub(super) fn is_needed(&self) -> bool {
        self.bodies.iter().any(|body| body.text.get().is_some())
    }

    /// The reasons why bodies could not be read, except for the sides that are `reported` anyway.
    pub(super) fn into_skips(self, reported: [bool; 2]) -> impl Iterator<Item = Skip> {
        let unreported = self.bodies.into_iter().zip(reported);
        unreported
            .filter(|(_, is_reported)| !is_reported)
            .filter_map(|(LoadedBody { text, document }, _)| {
                let fault = text.into_inner()?.err();
                fault.or_else(|| document.into_inner()?.err())
            })
    }

    /// Whether the body is known to be empty.
    pub(super) fn is_empty(&self, side: Side) -> bool {
        self.text(side)
            .is_some_and(|text| text.bytes.trim_ascii().is_empty())
    }

    /// Whether the body contains one of these texts, in lower or upper case; `None` if that is not known.
    pub(super) fn contains(&self, side: Side, texts: &[String]) -> Option<bool> {
        let text = self.text(side)?;
        let lower = text
            .bytes
            .get(..SEARCHED)
            .unwrap_or(&text.bytes)
            .to_ascii_lowercase();
        if texts
            .iter()
            .any(|wanted| memchr::memmem::find(&lower, wanted.as_bytes()).is_some())
        {
            return Some(true);
        }
        let is_whole = !self.body(side).is_some_and(|body| text.is_cut(body));
        (is_whole && text.bytes.len() <= SEARCHED).then_some(false)
    }

    /// Tests the members at a path.
    pub(super) fn members(
        &mut self,
        side: Side,
        path: &MemberPath,
        test: &PartTest,
    ) -> ConditionResult {
        let mut result = ConditionResult::default();
        // A body of both sides may belong to the other one, which does not have the member.
        let [sent, received] = Side::BOTH.map(|side| self.body(side).map(|body| body.span));
        let may_be_absent = sent != received && self.exchange.message(side).unread().is_none();
        let Some(loaded) = self.document(side) else {
            return result;
        };
        let BodyDocument {
            document,
            inside,
            map,
            may_have_placeholders,
        } = loaded;
        for parent in parents_of(document.root(), &path.parents) {
            let pointer = pointer_to(parent, &path.name);
            let mut site = |span: Span, shown, observed| {
                let span = inside.as_ref().map_or(span, |inside| inside.outer(span));
                ConditionSite {
                    span: Some(map.outer(span)),
                    pointer: Some(pointer.clone()),
                    shown,
                    ..ConditionSite::of_message(side, "", observed)
                }
            };
            let mut is_absent = true;
            for member in parent
                .children()
                .filter(|child| child.is_called(&path.name))
            {
                is_absent = false;
                if let Some((holds, observed)) = tested(member, test, *may_have_placeholders) {
                    let span = member.key_span().unwrap_or_default();
                    result.add(holds, site(span, excerpt(parent, member), observed));
                }
            }
            // An empty name is that of a variable that may be replaced by any members.
            if let Some(present) = test.present
                && is_absent
                && may_be_absent
                && !parent.children().any(|child| child.is_called(""))
            {
                let shown = ExcerptParts {
                    key: key_of(parent),
                    ..ExcerptParts::default()
                };
                let observed = present.then_some(Observation::Missing);
                result.add(!present, site(label(parent), shown, observed));
            }
        }
        result
    }

    fn body(&self, side: Side) -> Option<&'e Body<'a>> {
        self.exchange.message(side).body()
    }

    fn text(&self, side: Side) -> Option<&Content<'a>> {
        let text = &self.bodies[index_of(side)].text;
        let text = text.get_or_init(|| match self.body(side) {
            Some(body) => self.unpacking.content(body, self.limits).map(Some),
            None => match self.exchange.message(side).unread() {
                Some(unread) => Err(unread.to_skip()),
                None => Ok(None),
            },
        });
        text.as_ref().ok()?.as_ref()
    }

    fn document(&mut self, side: Side) -> Option<&mut BodyDocument<'a>> {
        let document = &self.bodies[index_of(side)].document;
        document.get_or_init(|| match self.body(side).zip(self.text(side)) {
            Some((body, text)) => load(body, text, self.limits),
            None => Ok(None),
        });
        let document = self.bodies[index_of(side)].document.get_mut()?;
        document.as_mut().ok()?.as_mut()
    }
}

fn index_of(side: Side) -> usize {
    usize::from(side == Side::Response)
}

/// Loads the JSON value of a body; `None` for an empty body.
fn load<'a>(
    body: &Body<'a>,
    text: &Content<'a>,
    limits: Limits,
) -> Result<Option<BodyDocument<'a>>, Skip> {
    let refused = |reason| Err(Skip::at(reason, body.span));
    let stream = || Skip::at(Reason::NotJson, body.span).because("a stream of several values");
    if text.bytes.trim_ascii().is_empty() {
        return Ok(None);
    }
    if text.is_cut(body) {
        return refused(Reason::Truncated);
    }
    if text.bytes.len() > MAX_LOADED_BYTES {
        return refused(Reason::BeyondLimit);
    }
    if FormKind::of(body.media_type.as_deref(), &text.bytes).is_some() {
        return refused(Reason::NotJson);
    }
    let Ok(written) = std::str::from_utf8(&text.bytes) else {
        return refused(Reason::InvalidUtf8);
    };
    if let (Cow::Owned(_), _) = values::without_framing(written) {
        return Err(stream());
    }
    let (json, inside) = match values::text_in_string(written) {
        Some((json, inside)) => (json, Some(inside)),
        None => (written.to_owned(), None),
    };
    if let Err(error) = find_fault(&json, limits) {
        return if values::is_line_wise(json.as_bytes()) {
            Err(stream())
        } else if body.claims_json() || json.trim_start().starts_with(['{', '[']) {
            Err(Skip::broken(SyntaxError::new(0, error.kind), body.span))
        } else {
            refused(Reason::NotJson)
        };
    }
    let Ok(document) = Document::parse_within(json, DocumentFormat::Json, limits) else {
        return refused(Reason::TooDeep);
    };
    Ok(Some(BodyDocument {
        document,
        inside,
        map: text.map(body),
        may_have_placeholders: body.encoding == Encoding::Decoded,
    }))
}

/// Reads a value strictly, to say what is wrong with it.
fn find_fault(json: &str, limits: Limits) -> Result<(), SyntaxError> {
    let start = magic::text_start(json.as_bytes());
    let mut walker = Walker::starting_at(json, start).up_to(limits.depth);
    walker.skip_rest()?;
    let rest = json.get(walker.position()..).unwrap_or_default();
    if rest.trim().is_empty() {
        return Ok(());
    }
    let kind = SyntaxErrorKind::Expected("the end of the body");
    Err(SyntaxError::new(walker.position(), kind))
}

/// The objects at a path.
fn parents_of<'d>(root: Node<'d>, path: &[SegmentTest]) -> Vec<Node<'d>> {
    let mut found = vec![root];
    for test in path {
        let children = found.into_iter().flat_map(|value| {
            let children = value.children().enumerate();
            children.filter(move |(at, child)| match (test, value.kind()) {
                (SegmentTest::Name(name), ValueKind::Object) => child.is_called(name),
                (SegmentTest::Index(index), ValueKind::Array) => at == index,
                (SegmentTest::Wildcard, ValueKind::Array) => true,
                _ => false,
            })
        });
        found = children.map(|(_, child)| child).collect();
    }
    found.retain(|value| value.kind() == ValueKind::Object);
    found
}

/// The position of the members of an object that have a name.
fn pointer_to(object: Node<'_>, name: &str) -> Pointers {
    let mut path = PointerBuilder::default();
    for step in &object.steps() {
        path.push(step);
    }
    path.to(&PathStep::Key(name.into()))
}

/// The key of an object, or its opening bracket.
fn label(object: Node<'_>) -> Span {
    let start = object.span().start;
    object.key_span().unwrap_or(Span::new(start, start + 1))
}

/// The key of a value as the body writes it.
fn key_of(value: Node<'_>) -> Option<String> {
    Some(value.document().text_at(value.key_span()?).to_owned())
}

fn excerpt(parent: Node<'_>, member: Node<'_>) -> ExcerptParts {
    let parent = parent
        .key()
        .filter(|key| key.len() <= MAX_PARENT_BYTES)
        .map(str::to_owned);
    ExcerptParts {
        parent,
        key: key_of(member),
        value: Some(member.kind()),
        ..ExcerptParts::default()
    }
}

/// Tests a member that is there: whether it passes, and what is there instead. `None` if its value is not known.
fn tested(
    member: Node<'_>,
    test: &PartTest,
    may_have_placeholders: bool,
) -> Option<(bool, Option<Observation>)> {
    if test.present == Some(false) {
        return Some((false, Some(Observation::Present)));
    }
    if !test.is_about_value() {
        return Some((true, None));
    }
    if let Some(text) = member.as_str()
        && (is_masked(text) || may_have_placeholders && is_placeholder_name(text))
    {
        return None;
    }
    let observed = wrong_type(member, test)
        .or_else(|| out_of_range(member, test))
        .or_else(|| wrong_format(member, test.format));
    // Numbers have no format, and strings are in no range.
    let is_tested = match member.kind() {
        _ if test.member_type.is_some() => true,
        ValueKind::Number => test.is_limited(),
        ValueKind::String => test.format.is_some(),
        _ => false,
    };
    is_tested.then_some((observed.is_none(), observed))
}

/// Whether a text looks like the name of a secret, which recorders write in its place.
fn is_placeholder_name(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_uppercase() || b"_ .:-".contains(&byte))
}

fn wrong_type(member: Node<'_>, test: &PartTest) -> Option<Observation> {
    let own = match member.kind() {
        ValueKind::Object => MemberType::Object,
        ValueKind::Array => MemberType::Array,
        ValueKind::String => MemberType::String,
        ValueKind::Bool => MemberType::Boolean,
        ValueKind::Null => MemberType::Null,
        ValueKind::Number if is_integer(member.raw()) => MemberType::Integer,
        ValueKind::Number => MemberType::Number,
    };
    let wanted = test.member_type?;
    let fits = wanted == own || (wanted, own) == (MemberType::Number, MemberType::Integer);
    (!fits).then_some(Observation::Type(own))
}

/// Whether a JSON number is an integer, however it is written.
fn is_integer(number: &str) -> bool {
    number
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'-')
        || number
            .parse::<f64>()
            .is_ok_and(|number| number.is_finite() && number.fract() == 0.0)
}

fn out_of_range(member: Node<'_>, test: &PartTest) -> Option<Observation> {
    let number = member.raw().parse().ok();
    let number: f64 = number.filter(|_| member.kind() == ValueKind::Number)?;
    if test.minimum.is_some_and(|minimum| number < minimum) {
        return Some(Observation::TooSmall);
    }
    let is_too_great = test.maximum.is_some_and(|maximum| number > maximum);
    is_too_great.then_some(Observation::TooGreat)
}

fn wrong_format(member: Node<'_>, format: Option<StringFormat>) -> Option<Observation> {
    let (text, format) = member.as_str().zip(format)?;
    let fits = match format {
        StringFormat::DateTimeUtc => is_date_time_utc(text),
    };
    (!fits).then_some(Observation::OtherFormat)
}

/// Whether a text is a date and a time of ISO 8601 in UTC, in the extended or the basic format.
fn is_date_time_utc(text: &str) -> bool {
    let zones = ["Z", "z", "+00:00", "-00:00", "+0000", "-0000", "+00", "-00"];
    let stated = parse_date(&text.replace(',', "."));
    text.bytes()
        .all(|byte| byte.is_ascii_digit() || b"TtZzWw:.,+-".contains(&byte))
        && zones.iter().any(|zone| text.ends_with(zone))
        && matches!(stated, Some(StatedDate::Moment(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_iso_8601_in_utc_are_recognised_in_each_format() {
        for text in [
            "2027-01-15T09:30:00Z",
            "2027-01-15T09:30:00.123Z",
            "2027-01-15T09:30Z",
            "2027-01-15T09:30:00+00:00",
            "20270115T093000Z",
            "2027-015T09:30:00Z",
            "2027-W02-5T09:30:00Z",
            "2027-01-15T24:00:00Z",
            "2027-06-30T23:59:60Z",
        ] {
            assert!(is_date_time_utc(text), "{text}");
        }
        for text in [
            "",
            "T",
            "2027-01-15",
            "2027-01-15 09:30:00Z",
            "2027-01-15T09:30:00",
            "2027-01-15T09:30:00+01:00",
            "2027-02-30T09:30:00Z",
            "2027-01-15T25:30:00Z",
            "2027-01-15T09:30:00.Z",
            "+2027-01-15T09:30:00Z",
            "15/01/2027T09:30:00Z",
            "1768469400",
            "Fri, 15 Jan 2027 09:30:00 GMT",
        ] {
            assert!(!is_date_time_utc(text), "{text}");
        }
    }

    #[test]
    fn integers_are_recognised_however_they_are_written() {
        for number in ["0", "-7", "20.0", "2e1", "123456789012345678901234567890"] {
            assert!(is_integer(number), "{number}");
        }
        for number in ["0.5", "-7.25", "2e-1"] {
            assert!(!is_integer(number), "{number}");
        }
    }
}
