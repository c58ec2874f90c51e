//! Checks exchanges and bodies that a program has in memory.

use crate::builtin::LIBRARY;
use chrono::NaiveDate;
use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use std::fmt;
use std::io;
use std::ops::Range;
use sundown_exchange::{
    Body, Call, Encoding, Exchange, HeaderFields, Message, Method, Side, Skip, StatusCode, Target,
};
use sundown_files::toml_file::FileMistakes;
use sundown_lint::findings::{Finding, Related};
use sundown_lint::rules::{DuplicateId, EmbeddedTable, Lifecycle, RuleFile, RuleSet, Severity};
use sundown_lint::{Coverage, LintSink, Linter};
use sundown_openapi::{Description, LoadError, MarkerOptions};
use sundown_text_json::text::Span;
use thiserror::Error;

/// Rules that say which API elements are deprecated, and until when they work.
#[derive(Debug)]
pub struct Rules {
    files: Vec<RuleFile>,
    set: RuleSet,
}

impl Rules {
    /// Returns the built-in rules.
    ///
    /// # Errors
    ///
    /// None in practice: the tests of this crate load them.
    pub fn builtin() -> Result<Self, RulesFault> {
        let files = LIBRARY
            .deprecations
            .iter()
            .map(EmbeddedTable::load)
            .collect::<Result<_, _>>();
        Self::new(files.map_err(|error| RulesFault::from_mistakes(&error))?)
    }

    /// Returns the rules of a pack that is part of the program, such as `llm-models`; `None` if there is none of that name.
    ///
    /// # Errors
    ///
    /// None in practice: the tests of this crate load them.
    pub fn from_pack(name: &str) -> Result<Option<Self>, RulesFault> {
        let Some(pack) = LIBRARY.packs.iter().find(|pack| pack.name == name) else {
            return Ok(None);
        };
        let files = pack
            .load()
            .map_err(|error| RulesFault::from_mistakes(&error))?;
        Self::new(files).map(Some)
    }

    /// Reads a rules file. `name` is its name in messages; excerpts of the text are shown if it ends in `.toml`.
    ///
    /// # Errors
    ///
    /// Returns every mistake in the file, each with its position.
    pub fn from_toml(name: &str, text: &str) -> Result<Self, RulesFault> {
        Self::new(vec![
            RuleFile::parse(name, text).map_err(|error| RulesFault::from_mistakes(&error))?,
        ])
    }

    /// Makes rules from an OpenAPI or Swagger description, in JSON or YAML, that marks deprecated elements. No other file is
    /// read. `name` is its name in messages.
    ///
    /// # Errors
    ///
    /// Returns the reason if `bytes` are not a description, or if a limit prevents reading all of it.
    pub fn from_description(name: &str, bytes: &[u8]) -> Result<Self, RulesFault> {
        let description = Description::from_bytes(
            name,
            bytes,
            &|_: &str| Err(io::Error::other("no other files are read here")),
            MarkerOptions::default(),
        )
        .and_then(Description::uncut)
        .map_err(|error| RulesFault::from_description(&error))?;
        Self::new(vec![RuleFile::from_description(name, description).0])
    }

    /// Combines two sets of rules.
    ///
    /// # Errors
    ///
    /// Returns an error if both have a rule with the same id.
    pub fn and(self, other: Self) -> Result<Self, RulesFault> {
        Self::new(self.files.into_iter().chain(other.files).collect())
    }

    /// Returns the number of rules.
    pub fn len(&self) -> usize {
        self.set.rules().len()
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn new(files: Vec<RuleFile>) -> Result<Self, RulesFault> {
        let set =
            RuleSet::new(files.clone()).map_err(|error| RulesFault::from_duplicate(&error))?;
        Ok(Self { files, set })
    }
}

/// The reason why rules could not be loaded.
///
/// It is a [`miette::Diagnostic`] with a help text, labels for all mistakes in the file, and the source code.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct RulesFault {
    message: String,
    help: Option<String>,
    labels: Vec<LabeledSpan>,
    text: Option<Box<NamedSource<String>>>,
}

impl RulesFault {
    fn from_mistakes(file: &FileMistakes) -> Self {
        let labels = file.mistakes.iter().map(|mistake| {
            let label = match &mistake.help {
                Some(help) => format!("{}: {help}", mistake.message),
                None => mistake.message.clone(),
            };
            LabeledSpan::new_with_span(Some(label), mistake.span.clone())
        });
        Self {
            message: file.to_string(),
            help: None,
            labels: labels.collect(),
            text: file
                .shown_text()
                .map(|text| Box::new(NamedSource::new(&file.name, text.to_owned()))),
        }
    }

    fn from_description(error: &LoadError) -> Self {
        Self::with_help(error.to_string(), error.kind.help())
    }

    fn from_duplicate(error: &DuplicateId) -> Self {
        let help = "give one of the rules another id";
        Self::with_help(error.to_string(), help.to_owned())
    }

    fn with_help(message: String, help: String) -> Self {
        Self {
            message,
            help: Some(help),
            labels: Vec::new(),
            text: None,
        }
    }
}

impl Diagnostic for RulesFault {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new("sundown::rules"))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help
            .as_ref()
            .map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.text.as_deref().map(|text| text as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}

/// A request and its response, as far as they are known.
#[derive(Debug, Clone, Copy, Default)]
pub struct HttpExchange<'a> {
    /// The method.
    pub method: &'a str,
    /// The URL, or the path with the query.
    pub url: &'a str,
    /// The header fields of the request, each with its name and value.
    pub request_headers: &'a [(&'a str, &'a str)],
    /// The body of the request as it is sent, empty if there is none; `None` if it is not known.
    pub request_body: Option<&'a [u8]>,
    /// The status of the response (RFC 9110, section 15).
    pub status: Option<u16>,
    /// The header fields of the response.
    pub response_headers: &'a [(&'a str, &'a str)],
    /// The body of the response, as that of the request. `Content-Encoding` and `Content-Type` say how bodies are read.
    pub response_body: Option<&'a [u8]>,
}

/// Checks exchanges against rules. Reuse it: it compiles the rules of an operation once.
#[derive(Debug)]
pub struct Checker<'r> {
    linter: Linter<'r>,
}

impl<'r> Checker<'r> {
    /// Creates a checker that grades findings by the days left on `today` (UTC).
    pub fn new(rules: &'r Rules, today: NaiveDate) -> Self {
        Self {
            linter: Linter::new(&rules.set, Lifecycle::on(today)),
        }
    }

    /// Checks an exchange.
    pub fn check(&mut self, exchange: &HttpExchange<'_>) -> Checked {
        let mut results = ResultCollector::default();
        let coverage = self.linter.check(&exchange.parse(), &mut results);
        let is_covered = coverage == Ok(Coverage::Checked);
        Checked {
            findings: results.findings,
            not_checked: results.not_checked,
            is_covered,
        }
    }

    /// Checks one body of a call.
    pub fn check_body(&mut self, method: &str, url: &str, side: Side, body: &[u8]) -> Checked {
        let call = HttpExchange {
            method,
            url,
            ..HttpExchange::default()
        };
        self.check(&match side {
            Side::Request => HttpExchange {
                request_body: Some(body),
                ..call
            },
            Side::Response => HttpExchange {
                response_body: Some(body),
                ..call
            },
        })
    }
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checked {
    /// The uses of deprecated elements, that of an operation last.
    pub findings: Vec<DeprecatedUse>,
    /// What could not be checked, and why. Without it, an empty list of findings proves nothing.
    pub not_checked: Vec<String>,
    /// Whether a rule covers the operation.
    pub is_covered: bool,
}

/// A use of a deprecated or removed element.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeprecatedUse {
    /// The id of the rule.
    pub rule: String,
    /// The severity, by the days left.
    pub severity: Severity,
    /// The days until the removal date, negative after it; `None` if no date is announced.
    pub days_left: Option<i64>,
    /// The element, and how long it works, in one sentence.
    pub message: String,
    /// What follows from the use, and what the exchange proves of it, such as that the service refused it.
    pub consequence: String,
    /// The replacement, or that there is none.
    pub advice: String,
    /// The operation, as the rules name it.
    pub operation: String,
    /// The side of the element; `None` for an operation.
    pub side: Option<Side>,
    /// The JSON Pointer (RFC 6901) in the body; `None` if the element is not in a body.
    pub pointer: Option<String>,
    /// The position of the key, with its quotes, in bytes of the body; `None` if the element is not in a body.
    pub span: Option<Range<usize>>,
    /// Deprecated elements inside this one, of an operation also those in its messages, at most 100. They have no use of their own
    /// because they are not worse than this one and do not end earlier.
    pub inside: Vec<ElementInside>,
}

/// A deprecated element inside another one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ElementInside {
    /// The id of the rule.
    pub rule: String,
    /// The side of the element; `None` for an operation.
    pub side: Option<Side>,
    /// The JSON Pointer (RFC 6901) in the body; `None` if the element is not in a body.
    pub pointer: Option<String>,
    /// The position of the key, with its quotes, in bytes of the body; `None` if the element is not in a body.
    pub span: Option<Range<usize>>,
}

impl<'a> HttpExchange<'a> {
    fn parse(&self) -> Exchange<'a> {
        // Only what has a place is an exchange, whose status proves something.
        let place = self.status.map(|_| Span::default());
        let call = Call::new(Method::parse(self.method), Target::parse(self.url), place);
        Exchange {
            call,
            status: self.status.and_then(StatusCode::new).into(),
            request: message(self.request_headers, self.request_body),
            response: message(self.response_headers, self.response_body),
            ..Exchange::default()
        }
    }
}

fn message<'a>(headers: &[(&str, &str)], body: Option<&'a [u8]>) -> Message<'a> {
    let mut fields = HeaderFields::default();
    for (name, value) in headers {
        fields.add(name, Span::default(), value);
    }
    let body = body.map(|bytes| Body::new(bytes, Span::new(0, bytes.len()), Encoding::Plain));
    Message::new(fields, body, None)
}

/// Collects what the linter reports.
#[derive(Debug, Default)]
struct ResultCollector {
    findings: Vec<DeprecatedUse>,
    not_checked: Vec<String>,
}

impl LintSink for ResultCollector {
    fn finding(&mut self, finding: Finding) {
        let found = &finding.found;
        let pointer = found.exact_pointer().map(str::to_owned);
        self.findings.push(DeprecatedUse {
            rule: finding.rule.id.clone(),
            severity: finding.severity,
            days_left: finding.days_left,
            message: finding.message(),
            consequence: finding.consequence(),
            advice: finding.advice(),
            operation: found.operation.to_string(),
            side: found.part.side(),
            span: pointer
                .is_some()
                .then_some(found.span.start..found.span.end),
            pointer,
            inside: finding.related.iter().map(element_inside).collect(),
        });
    }

    fn skip(&mut self, skip: Skip) {
        let reason = skip.reason.text();
        self.not_checked.push(match skip.detail {
            Some(detail) => format!("{reason}: {detail}"),
            None => reason.to_owned(),
        });
    }
}

fn element_inside(related: &Related) -> ElementInside {
    let span = related.span.start..related.span.end;
    ElementInside {
        rule: related.rule.id.clone(),
        side: related.part.side(),
        pointer: related.exact_pointer().map(str::to_owned),
        span: related.pointer.is_some().then_some(span),
    }
}
