//! Operations as rules and users write them: a method and a path template.

use crate::words::WORDS;
use std::borrow::Cow;
use std::fmt;

use crate::{QueryParameter, Target};
use sundown_text_json::text::percent_decode;

/// An HTTP method, in upper case (RFC 9110, section 9).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Method(Cow<'static, str>);

/// The methods that make up nearly all traffic.
const COMMON: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

impl Method {
    /// Parses a method in any case; `None` if the text is not a token (RFC 9110, section 5.6.2) or has no letter, like the `-`
    /// and `*` that logs write for an unknown method.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(common) = COMMON.iter().find(|common| **common == text) {
            return Some(Self(Cow::Borrowed(common)));
        }
        let fits =
            is_token(text) && text.len() <= 32 && text.contains(|c: char| c.is_ascii_alphabetic());
        fits.then(|| Self(Cow::Owned(text.to_ascii_uppercase())))
    }

    /// Its name in upper case.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The methods that make up nearly all traffic.
    pub fn common() -> impl Iterator<Item = &'static str> {
        COMMON.into_iter()
    }

    /// Whether it is one of these.
    pub fn is_common(&self) -> bool {
        COMMON.contains(&self.as_str())
    }

    /// Whether it is a registered method, rather than any text that a client sent.
    pub fn is_registered(&self) -> bool {
        let mut others = WORDS.registered_methods.iter();
        self.is_common() || others.any(|other| *other == self.0)
    }
}

/// Whether a text is a token of HTTP (RFC 9110, section 5.6.2).
pub fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// A method (or any) and a path template, as announced: `GET /policies/{id}`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationPattern {
    /// `None` means every method, written `*`.
    pub method: Option<Method>,
    /// The path's segments.
    pub segments: Vec<PatternSegment>,
    /// The text that is displayed.
    text: String,
    /// The path that was parsed.
    source: String,
}

/// One segment of a path template.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PatternSegment {
    /// This text, percent-decoded.
    Literal(String),
    /// `{name}`: any one segment.
    Variable,
    /// `{name}:run`: a segment with variables and other text.
    Partial(SegmentTemplate),
    /// `*`: any one segment, in patterns over several operations.
    AnyOne,
    /// `**`: any number of segments, none included; last only.
    Rest,
    /// Before the last segment of `{name=**}`: any number of segments, none included.
    Several,
    /// `?mode=old` after the path: a query parameter that a call must have, with this value if there is one. `#Action=Old` has the
    /// name `#action`: a header field, a parameter or a form field, see [`Exchange::with_named_fields`](crate::Exchange::with_named_fields).
    Parameter(String, Option<String>),
}

/// A template of one segment, with variables and text around them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SegmentTemplate {
    /// The texts before, between and after the variables, percent-decoded. Only the first and the last may be empty.
    literals: Vec<String>,
}

/// The place of a variable in a path template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PathVariable {
    /// The index of its segment.
    pub segment: usize,
    /// Its index among the variables of the segment.
    variable: usize,
}

impl OperationPattern {
    /// Parses `METHOD /path/{template}`; `*` is any method. The error says what is wrong, with its remedy.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let (Some(name), Some(path), None) = (words.next(), words.next(), words.next()) else {
            return Err("an operation is a method and a path, like `POST /v1/orders/{id}`".into());
        };
        // Such as `M-SEARCH` and `LINK2`: a digit before a letter is a slip.
        let method = Some(name)
            .filter(|name| {
                let letters = name.trim_end_matches(|last: char| last.is_ascii_digit());
                let mut parts = letters.split(['-', '_']);
                parts.all(|part| {
                    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphabetic())
                })
            })
            .and_then(Method::parse);
        if method.is_none() && name != "*" {
            return Err("the method is a word like GET or POST, or `*` for every method".into());
        }
        if !path.starts_with('/') {
            return Err("the path must begin with `/`".into());
        }
        let (before_fragment, fragment) = path.split_once('#').unwrap_or((path, ""));
        let fields: Vec<_> = fragment
            .split('&')
            .filter(|field| !field.is_empty())
            .collect();
        if fields.iter().any(|field| !field.contains('=')) {
            return Err("a fragment names header fields: `#X-Action=Old`".into());
        }
        let (plain, query) = before_fragment
            .split_once('?')
            .unwrap_or((before_fragment, ""));
        let mut segments = Vec::new();
        for segment in path_segments(plain) {
            if segments.last() == Some(&PatternSegment::Rest) {
                return Err("`**` is the rest of the path: nothing can follow it".into());
            }
            PatternSegment::parse_expanded(segment, &mut segments)?;
        }
        let mut parameters: Vec<_> = query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(name_and_value)
            .map(|(name, value)| PatternSegment::Parameter(name, value))
            .collect();
        parameters.extend(fields.into_iter().map(|field| {
            let (name, value) = name_and_value(field);
            PatternSegment::Parameter(format!("#{}", name.to_ascii_lowercase()), value)
        }));
        parameters.sort();
        segments.extend(parameters);
        let pattern = Self {
            text: String::new(),
            source: path.to_owned(),
            method,
            segments,
        };
        Ok(pattern.as_parsed())
    }

    /// The target of a call, with variables in place of values.
    pub fn sample_target(&self) -> Target<'static> {
        let mut target = Target::parse(&expand_variables(&self.source)).into_owned();
        target
            .parameters
            .extend(self.named_fields().map(|(name, value)| QueryParameter {
                name: name.to_owned().into(),
                value: value.map(|value| value.to_owned().into()),
                span: None,
            }));
        target
    }

    /// The header fields or parameters that a call must have, by their names after `#`, each with its value if it has one.
    pub fn named_fields(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.segments.iter().filter_map(|segment| match segment {
            PatternSegment::Parameter(name, value) if name.starts_with('#') => {
                Some((name.as_str(), value.as_deref()))
            }
            _ => None,
        })
    }

    /// The same, displayed as it was parsed.
    #[must_use]
    pub fn as_parsed(self) -> Self {
        let name = self.method.as_ref().map_or("*", Method::as_str);
        Self {
            text: format!("{name} {}", self.source),
            ..self
        }
    }

    /// Sets the URL of a call of it, which names the host, too.
    #[must_use]
    pub fn called_at(self, url: &str) -> Self {
        let source = url.to_owned();
        Self { source, ..self }
    }

    /// Sets the text that is displayed.
    #[must_use]
    pub fn written_as(self, text: String) -> Self {
        Self { text, ..self }
    }

    /// Whether it is a template of one operation, rather than a pattern over several.
    pub fn is_concrete(&self) -> bool {
        self.method.is_some()
            && !self
                .segments
                .iter()
                .any(|segment| matches!(segment, &PatternSegment::AnyOne | &PatternSegment::Rest))
    }

    /// Whether it covers the other: a wildcard covers every method or segment, a named one only itself.
    pub fn covers(&self, other: &Self) -> bool {
        let open_ended = self.segments.last() == Some(&PatternSegment::Rest);
        let fixed = self.segments.len() - usize::from(open_ended);
        let right_length = if open_ended {
            other.segments.len() >= fixed
        } else {
            other.segments.len() == fixed && other.segments.last() != Some(&PatternSegment::Rest)
        };
        right_length
            && (self.method.is_none() || self.method == other.method)
            && self
                .segments
                .iter()
                .zip(&other.segments)
                .all(|(own, other)| own.covers(other))
    }

    /// Whether both have the same method and path, except for the names of variables.
    pub fn is_same(&self, other: &Self) -> bool {
        self.method == other.method && self.segments == other.segments
    }

    /// The path in the text that was parsed.
    pub fn path(&self) -> &str {
        self.text.split_once(' ').map_or("", |(_, path)| path)
    }

    /// The place of the variable with this name; the first, if there are several.
    pub fn variable(&self, name: &str) -> Option<PathVariable> {
        let mut before = Vec::new();
        let named = path_segments(&self.source).find_map(|text| {
            let segment = before.len();
            PatternSegment::parse_expanded(text, &mut before).ok()?;
            let variable = variable_names(text).position(|other| other == name)?;
            Some(PathVariable { segment, variable })
        });
        named.filter(|place| {
            let may_be_elsewhere = before.contains(&PatternSegment::Several);
            !may_be_elsewhere
                && matches!(
                    self.segments.get(place.segment),
                    Some(PatternSegment::Variable | PatternSegment::Partial(_))
                )
        })
    }

    /// The names of the variables in the path.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        path_segments(self.path()).flat_map(variable_names)
    }

    /// The last segment if it is a literal: the usual short name of the operation.
    pub fn short_name(&self) -> Option<&str> {
        self.segments.last()?.literal()
    }
}

impl fmt::Display for OperationPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PatternSegment {
    /// Parses a segment of a text, which is several if a variable in it has a template of its own.
    fn parse_expanded(text: &str, segments: &mut Vec<Self>) -> Result<(), String> {
        if !text.contains('{') {
            segments.push(Self::parse(text)?);
            return Ok(());
        }
        let expanded = expand_variables(text);
        for segment in expanded.split('/').filter(|segment| !segment.is_empty()) {
            if segment.contains(MANY_SEGMENTS) {
                segments.push(Self::Several);
            }
            segments.push(Self::parse(&segment.replace(MANY_SEGMENTS, ONE_SEGMENT))?);
        }
        Ok(())
    }

    fn parse(text: &str) -> Result<Self, String> {
        let inside = text
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'));
        match (text, inside) {
            ("*", _) => Ok(Self::AnyOne),
            ("**", _) => Ok(Self::Rest),
            (_, Some(name)) if !name.is_empty() && !name.contains(['{', '}']) => Ok(Self::Variable),
            _ if text.contains(['{', '}']) => SegmentTemplate::parse(text).map(Self::Partial),
            _ if text.contains('*') => {
                Err(format!("`{text}`: `*` and `**` must be whole segments"))
            }
            _ => Ok(Self::Literal(percent_decode(text).into_owned())),
        }
    }

    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Rest, _) => true,
            (Self::Partial(own), Self::Literal(text)) => own.matches(text),
            (Self::Variable | Self::AnyOne, Self::Several | Self::Parameter(..)) => false,
            (Self::Variable | Self::AnyOne, _) => true,
            _ => self == other,
        }
    }

    /// Its text, if it is one.
    pub fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a variable in a segment that matches.
    pub fn value_of<'s>(&self, place: PathVariable, segment: &'s str) -> Option<&'s str> {
        match self {
            Self::Variable => Some(segment).filter(|_| place.variable == 0),
            Self::Partial(template) => template.values(segment)?.get(place.variable).copied(),
            _ => None,
        }
    }
}

/// Parses a parameter of a query or fragment. The value may be a variable.
fn name_and_value(pair: &str) -> (String, Option<String>) {
    let (name, value) = pair.split_once('=').unwrap_or((pair, "{}"));
    let value = (!value.starts_with('{')).then(|| percent_decode(value).into_owned());
    (percent_decode(name).into_owned(), value)
}

impl SegmentTemplate {
    fn parse(text: &str) -> Result<Self, String> {
        let mistake = |what: &str| Err(format!("`{text}` is not a template: {what}"));
        let mut literals = Vec::new();
        let mut rest = text;
        while let Some((literal, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else {
                return mistake(NO_VARIABLE);
            };
            if name.is_empty() || name.contains('{') || literal.contains('}') {
                return mistake(NO_VARIABLE);
            }
            if literal.is_empty() && !literals.is_empty() {
                return mistake("there must be text between two variables");
            }
            literals.push(literal);
            rest = after;
        }
        if rest.contains('}') {
            return mistake(NO_VARIABLE);
        }
        literals.push(rest);
        if literals.iter().any(|literal| literal.contains('*')) {
            return mistake("`*` and `**` must be whole segments");
        }
        Ok(Self {
            literals: literals
                .into_iter()
                .map(|literal| percent_decode(literal).into_owned())
                .collect(),
        })
    }

    /// The text before the only variable, if there is none after it.
    pub fn prefix(&self) -> Option<&str> {
        match self.literals.as_slice() {
            [prefix, rest] if rest.is_empty() => Some(prefix),
            _ => None,
        }
    }

    /// Whether a segment matches: it has the texts in their order, and a value for each variable.
    pub fn matches(&self, segment: &str) -> bool {
        self.values(segment).is_some()
    }

    /// The values of the variables in a segment. Each is as short as possible, except for the last.
    pub fn values<'s>(&self, segment: &'s str) -> Option<Vec<&'s str>> {
        let (first, rest) = self.literals.split_first()?;
        let (last, between) = rest.split_last()?;
        let mut segment = segment
            .strip_prefix(first.as_str())?
            .strip_suffix(last.as_str())?;
        let mut values = Vec::new();
        for literal in between {
            let begin = segment.chars().next()?.len_utf8();
            let end = begin + segment.get(begin..)?.find(literal.as_str())?;
            values.push(segment.get(..end)?);
            segment = segment.get(end + literal.len()..)?;
        }
        values.push(Some(segment).filter(|value| !value.is_empty())?);
        Some(values)
    }
}

const NO_VARIABLE: &str = "a variable is a name in braces, like `{id}`";

/// A variable of one segment, and one of several, in an expanded path.
const ONE_SEGMENT: &str = "{*}";
const MANY_SEGMENTS: &str = "{**}";

/// The segments of a path as it is written: a slash in a variable separates none.
fn path_segments(path: &str) -> impl Iterator<Item = &str> {
    let mut is_inside = false;
    path.split(move |character| {
        is_inside = match character {
            '{' => true,
            '}' => false,
            _ => is_inside,
        };
        character == '/' && !is_inside
    })
    .filter(|segment| !segment.is_empty())
}

/// Replaces variables that have a template of their own by it: `{name=shops/*}` by `shops/{*}`, and `{+name}` (RFC 6570), which
/// may have slashes, by `{**}`.
pub fn expand_variables(path: &str) -> String {
    let mut expanded = String::with_capacity(path.len());
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((inside, after)) = after.split_once('}') else {
            break;
        };
        expanded.push_str(before);
        match inside.split_once('=') {
            Some((name, template)) if !name.is_empty() && !template.is_empty() => {
                for (number, part) in template.split("**").enumerate() {
                    expanded.push_str(if number == 0 { "" } else { MANY_SEGMENTS });
                    expanded.push_str(&part.replace('*', ONE_SEGMENT));
                }
            }
            _ if inside.starts_with('+') => expanded.push_str(MANY_SEGMENTS),
            _ => expanded.extend(["{", inside, "}"]),
        }
        rest = after;
    }
    expanded.push_str(rest);
    expanded
}

/// The names of the variables in a segment of a template.
fn variable_names(segment: &str) -> impl Iterator<Item = &str> {
    segment
        .split('{')
        .skip(1)
        .filter_map(|rest| Some(rest.split_once('}')?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_read_and_printed_as_written() {
        let operation = OperationPattern::parse(" get  /v1/policies/{id}").unwrap();
        assert_eq!(operation.to_string(), "GET /v1/policies/{id}");
        assert!(operation.is_concrete());
        assert_eq!(operation.short_name(), None);
        assert_eq!(operation.segments[2], PatternSegment::Variable);
        assert!(!OperationPattern::parse("* /v1/x").unwrap().is_concrete());
        assert!(!OperationPattern::parse("GET /v1/**").unwrap().is_concrete());
    }

    #[test]
    fn a_pattern_covers_what_it_stands_for() {
        let covers = |own: &str, other: &str| {
            let parse = |text: &str| OperationPattern::parse(text).unwrap();
            parse(own).covers(&parse(other))
        };
        for own in [
            "GET /a/{id}",
            "GET /a/*",
            "* /a/{key}",
            "* /**",
            "GET /a/**",
            "GET /a/{id}/**",
        ] {
            assert!(covers(own, "GET /a/{id}"), "{own}");
        }
        for own in [
            "GET /a/b",
            "POST /a/{id}",
            "GET /a",
            "GET /a/{id}/c",
            "GET /b/**",
            "GET /a/*/*",
        ] {
            assert!(!covers(own, "GET /a/{id}"), "{own}");
        }
        assert!(!covers("GET /a", "GET /**"), "one segment is not several");
        assert!(!covers("GET /a/*", "GET /a/**"));
        assert!(!covers("GET /a", "* /a"));
        assert!(covers("GET /{a}:b", "GET /{c}:b") && covers("GET /{a}:b", "GET /c:b"));
        assert!(!covers("GET /{a}:b", "GET /{c}") && !covers("GET /{a}:b", "GET /c"));
    }

    #[test]
    fn a_segment_may_have_text_around_variables() {
        let operation =
            OperationPattern::parse("POST /v1/models/{model}:run/arn%3A{region}%2F{id}").unwrap();
        assert!(operation.is_concrete());
        assert_eq!(
            operation.variables().collect::<Vec<_>>(),
            ["model", "region", "id"]
        );
        let value = |name: &str, segment: &str| {
            let place = operation.variable(name).unwrap();
            operation.segments[place.segment]
                .value_of(place, segment)
                .map(str::to_owned)
        };
        assert_eq!(value("model", "a:b:run").as_deref(), Some("a:b"));
        assert_eq!(value("model", ":run:run").as_deref(), Some(":run"));
        for other in [":run", "a:runs", "a:Run", "a", "run"] {
            assert_eq!(value("model", other), None, "{other}");
        }
        assert_eq!(value("region", "arn:eu/a/b").as_deref(), Some("eu"));
        assert_eq!(value("id", "arn:eu/a/b").as_deref(), Some("a/b"));
        for other in ["arn:/a", "arn:eu/", "arn:eu", "arn:ä"] {
            assert_eq!(value("id", other), None, "{other}");
        }
        assert_eq!(operation.variable("other"), None);
    }

    #[test]
    fn a_variable_with_a_template_is_several_segments() {
        let segments = |text: &str| OperationPattern::parse(text).unwrap().segments;
        assert_eq!(
            segments("GET /v1/{name=shops/*/orders/*}:close"),
            segments("GET /v1/shops/{a}/orders/{b}:close")
        );
        let operation = OperationPattern::parse("GET /v1/{name=a/**}/{id}").unwrap();
        assert_eq!(operation.segments[2], PatternSegment::Several);
        assert_eq!(
            operation.sample_target().segments,
            ["v1", "a", "{**}", "{id}"]
        );
        assert_eq!(operation.variable("id"), None, "its place is not known");
        assert_eq!(
            segments("GET /{+name}"),
            [PatternSegment::Several, PatternSegment::Variable]
        );
        let operation = OperationPattern::parse("GET /{a=x/*}/{id}").unwrap();
        assert_eq!(operation.variable("id").unwrap().segment, 2);
        let named = operation.written_as("GET /{a}/{id}".to_owned());
        assert_eq!(named.to_string(), "GET /{a}/{id}");
        assert_eq!(named.as_parsed().to_string(), "GET /{a=x/*}/{id}");
    }

    #[test]
    fn impossible_templates_say_what_to_write() {
        for (text, part) in [
            ("/v1/x", "a method and a path"),
            ("POST v1/x", "must begin with `/`"),
            ("PO ST /x", "a method and a path"),
            ("P0ST /x", "the method is a word"),
            ("POST /x#y", "header fields"),
            ("POST /a/{b=c/**/}x{d}{e}", "text between two variables"),
            ("POST /a/{b", "a name in braces"),
            ("POST /a/b}", "a name in braces"),
            ("POST /a/{}", "a name in braces"),
            ("POST /a/{{b}}", "a name in braces"),
            ("POST /a/x{b}{c}", "text between two variables"),
            ("POST /a/{b}*", "whole segments"),
            ("POST /a/b*", "whole segments"),
            ("POST /**/b", "nothing can follow"),
        ] {
            let error = OperationPattern::parse(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
