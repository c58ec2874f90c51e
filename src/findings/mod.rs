//! A finding: one deprecated element in use, at one place.
//!
//! It holds no value from the input: names of members, pointers, templates, places.

mod announced;
mod check;
mod declared;
mod fingerprint;
mod grades;
mod message;
mod skip_texts;
pub mod suppression;

pub use announced::{Announced, RuleAgreement};
pub use check::{Check, CheckPage};
pub use declared::{AffectedOperation, Declared};
pub use fingerprint::{FindingSite, Identity, digest, fingerprint};
pub use grades::CheckGrades;

use std::borrow::Cow;
use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};

use crate::json::pointer::Pointers;
use crate::rules::{Element, Lifecycle, Rule, Severity};
use crate::text::Span;
use crate::traffic::Side;

/// One use of a deprecated element; after folding, the first of several alike.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The rule that found it.
    pub rule: Arc<Rule>,
    /// How bad it is.
    pub severity: Severity,
    /// Days until the removal; negative once removed; `None` where no date has been announced.
    pub days_left: Option<i64>,
    /// Where and how it is used.
    pub found: Occurrence,
    /// Deprecated elements inside this one, at most [`MAX_RELATED`].
    pub related: Vec<Related>,
    /// How many more there are inside.
    pub related_left_out: usize,
    /// How often it was seen.
    pub sightings: Sightings,
    /// What of an API description it is about; `None` for a use in traffic.
    pub declared: Option<Box<Declared>>,
    /// What the traffic announces; `None` for what a rule or a description says.
    pub announced: Option<Box<Announced>>,
}

/// How many of the deprecated elements inside a finding are listed; the rest are counted.
pub const MAX_RELATED: usize = 10;

/// The part of an exchange that a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExchangePart {
    /// The call itself.
    Operation,
    /// One of the messages.
    Message(Side),
}

/// How many bytes the key around another may have to be shown: more than real ones have, and few enough to be copied into
/// each of many findings.
pub const LONGEST_PARENT: usize = 1024;

/// The text of an excerpt: keys, and values only where the user asks for them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExcerptParts {
    /// The nearest key around it, decoded, if it is written with no more than [`LONGEST_PARENT`] bytes.
    pub parent: Option<String>,
    /// The key as the body writes it, quotes and escapes included.
    pub key: Option<String>,
    /// Whether the file holds the body encoded (base64), so that the place is the whole of it.
    pub encoded: bool,
    /// What its value is.
    pub value: ValueShape,
    /// The value as the body writes it, where the user asks for values and this one may be shown.
    pub text: Option<String>,
}

/// What a value is, which is all that is ever shown of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "the kinds of value need no explanation")]
pub enum ValueShape {
    #[default]
    Scalar,
    String,
    Object,
    Array,
}

/// Which exchange of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExchangeRef {
    /// Zero-based number of the record.
    pub index: usize,
    /// When it began.
    pub started: Option<DateTime<Utc>>,
}

/// A deprecated element inside another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// The rule's id.
    pub rule: String,
    /// Where in the body.
    pub pointer: Pointers,
    /// Where in the file.
    pub span: Span,
}

/// How often a finding was seen, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sightings {
    /// Once, or as often as equal findings were folded into this one.
    pub count: usize,
    /// The earliest exchange, where exchanges say their time.
    pub first: Option<DateTime<Utc>>,
    /// The latest exchange.
    pub last: Option<DateTime<Utc>>,
}

/// Everything about a use that does not follow from its rule and the day.
#[derive(Debug, Clone)]
pub struct Occurrence {
    /// The matched operation's template, never the captured path.
    pub operation: Arc<str>,
    /// The part of the exchange it stands in.
    pub part: ExchangePart,
    /// Where in the body; `None` for what is not in a body.
    pub pointer: Option<Pointers>,
    /// Where in the file: a field's key with its quotes, an endpoint's URL, or, where the body was decoded beyond
    /// mapping, the smallest value that holds it.
    pub span: Span,
    /// What an excerpt shows.
    pub shown: ExcerptParts,
    /// The exchange it came from; `None` in a bare body.
    pub exchange: Option<ExchangeRef>,
    /// How sure it is.
    pub certainty: Certainty,
}

/// How sure it is that an element is the deprecated one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// It is.
    Certain,
    /// Of several alternatives that a schema allows, it is in one and is not in another.
    Possible,
}

impl Certainty {
    /// What is only possible is one severity less.
    #[must_use]
    pub fn lower(self, severity: Severity) -> Severity {
        match (self, severity) {
            (Self::Certain, _) => severity,
            (Self::Possible, Severity::Error) => Severity::Warning,
            (Self::Possible, _) => Severity::Note,
        }
    }
}

/// About how many bytes a reporter needs to write a finding.
const REPORTED: usize = 512;

/// What makes findings of one file equal: rule, operation, part, how sure they are, the pointer with indices starred, the
/// check, and what is announced or marked, with its date.
pub type FoldKey = (
    String,
    Arc<str>,
    ExchangePart,
    Certainty,
    Option<Arc<str>>,
    Option<Check>,
    Option<(String, Option<NaiveDate>)>,
);

impl Finding {
    /// Grades a use.
    pub fn new(rule: &Arc<Rule>, lifecycle: &Lifecycle, found: Occurrence) -> Self {
        let started = found.exchange.as_ref().and_then(|exchange| exchange.started);
        Self {
            severity: found.certainty.lower(lifecycle.severity_of(rule, found.part.side())),
            days_left: rule.removal.map(|removal| lifecycle.days_left(removal)),
            rule: Arc::clone(rule),
            found,
            related: Vec::new(),
            related_left_out: 0,
            sightings: Sightings { count: 1, first: started, last: started },
            declared: None,
            announced: None,
        }
    }

    /// Notes a deprecated element inside this one; what it is is only asked while there is room for it.
    pub fn add_related(&mut self, related: impl FnOnce() -> Related) {
        if self.related.len() < MAX_RELATED {
            self.related.push(related());
        } else {
            self.related_left_out += 1;
        }
    }

    /// Takes in another sighting of the same: counts it, adds what is inside it and was not inside this one, and stands at
    /// the earlier place.
    pub fn merge(&mut self, mut other: Self) {
        if other.found.span.start < self.found.span.start {
            std::mem::swap(self, &mut other);
        }
        self.merge_later(other);
    }

    /// Takes in a later sighting, and gives the numbers of those elements inside it that were not known and found room.
    pub fn merge_later(&mut self, other: Self) -> Vec<usize> {
        self.sightings.add(other.sightings);
        let mut added = Vec::new();
        for (index, related) in other.related.into_iter().enumerate() {
            let known = |known: &Related| {
                known.rule == related.rule && known.pointer.starred == related.pointer.starred
            };
            if !self.related.iter().any(known) {
                let listed = self.related.len();
                self.add_related(|| related);
                added.extend((self.related.len() > listed).then_some(index));
            }
        }
        self.related_left_out = self.related_left_out.max(other.related_left_out);
        added
    }

    /// From places in a block to places in its file: so many bytes and so many records stand before it.
    pub fn shift(&mut self, bytes: usize, records: usize) {
        self.found.span = self.found.span.shifted(bytes);
        for related in &mut self.related {
            related.span = related.span.shifted(bytes);
        }
        if let Some(exchange) = &mut self.found.exchange {
            exchange.index += records;
        }
    }

    /// About how many bytes it takes in memory, with the keys by which it folds and what a report makes of it.
    pub fn weight(&self) -> usize {
        let pointers = |pointers: &Pointers| pointers.exact.len() + 3 * pointers.starred.len();
        let related = |related: &Related| {
            2 * size_of::<Related>() + related.rule.len() + pointers(&related.pointer)
        };
        let shown = &self.found.shown;
        let shown = [&shown.parent, &shown.key, &shown.text]
            .into_iter()
            .flatten()
            .map(String::len)
            .sum::<usize>();
        let inside: usize = self.related.iter().map(related).sum();
        let keys = 2 * (size_of::<FoldKey>() + self.rule.id.len());
        let declared = self.declared.as_ref().map_or(0, |declared| {
            let operations = declared.operations.iter();
            let operations = operations.map(|a| size_of::<AffectedOperation>() + a.operation.len());
            size_of::<Declared>() + operations.sum::<usize>()
        });
        let announced = self.announced.as_ref().map_or(0, |announced| {
            // Such a finding has a rule of its own.
            size_of::<Announced>() + size_of::<Rule>() + announced.key.len()
        });
        // So has one of a mark that no rule knows, which may be about a value of any length.
        let element = match &self.rule.element {
            Element::Field(field) if self.check() == Some(Check::UnknownToTable) => {
                size_of::<Rule>() + field.value.as_ref().map_or(0, String::len)
            }
            _ => 0,
        };
        let declared = declared + announced + element;
        let own = self.found.pointer.as_ref().map_or(0, pointers) + shown + inside + declared;
        REPORTED + size_of::<Self>() + keys + own
    }

    /// What makes findings of one file equal, so that they fold.
    pub fn fold_key(&self) -> FoldKey {
        let starred = self.found.pointer.as_ref().map(|pointer| Arc::clone(&pointer.starred));
        let operation = Arc::clone(&self.found.operation);
        let certainty = self.found.certainty;
        let (part, check) = (self.found.part, self.check());
        let announced = self.announcement().map(|(element, date)| (element.to_owned(), date));
        // Of marks, two may be at one place.
        let is_mark = check == Some(Check::UnknownToTable);
        let announced = announced.or_else(|| is_mark.then_some((String::new(), self.rule.removal)));
        (self.rule.id.clone(), operation, part, certainty, starred, check, announced)
    }

    /// What tells announcements about one operation from each other: the element and its date.
    pub fn announcement(&self) -> Option<(&str, Option<NaiveDate>)> {
        Some((&self.announced.as_ref()?.key, self.rule.removal))
    }

    /// What it is called in reports: the rule, and of a description the check in front of it.
    pub fn code(&self) -> Cow<'_, str> {
        match self.check().map(Check::id) {
            Some(check) if check != self.rule.id => Cow::Owned(format!("{check}/{}", self.rule.id)),
            _ => Cow::Borrowed(&self.rule.id),
        }
    }

    /// By which check it was found; `None` for a use in traffic.
    pub fn check(&self) -> Option<Check> {
        let announced = self.announced.as_ref().map(|_| Check::AnnouncedInTraffic);
        announced.or_else(|| self.declared.as_ref().map(|declared| declared.check))
    }

    /// The pointer with array indices starred; empty for what is not in a body.
    pub fn starred(&self) -> &str {
        self.found.pointer.as_ref().map_or("", |pointer| &pointer.starred)
    }
}

impl Sightings {
    /// Counts the other's sightings too.
    pub fn add(&mut self, other: Self) {
        self.count += other.count;
        self.first = [self.first, other.first].into_iter().flatten().min();
        self.last = [self.last, other.last].into_iter().flatten().max();
    }
}

impl ExchangePart {
    /// `request`, `response` or `operation`.
    pub fn name(self) -> &'static str {
        self.side().map_or("operation", Side::name)
    }

    /// The side, where it is one.
    pub fn side(self) -> Option<Side> {
        match self {
            Self::Operation => None,
            Self::Message(side) => Some(side),
        }
    }
}
