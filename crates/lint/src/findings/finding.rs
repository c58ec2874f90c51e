//! A use of a deprecated or removed element, or another deviation that a check reports.

use super::announced::Announced;
use super::check::Check;
use super::declared::{AffectedOperation, Declared};
use super::evidence::Evidence;
use super::origins::Origins;
use super::parts::{Certainty, ExcerptParts, ExchangePart, ExchangeRef, Related};
use super::requirement::RequirementViolation;
use crate::rules::{Edit, ElementPart, Lifecycle, Rule, RuleFix, Severity};
use chrono::{DateTime, NaiveDate, Utc};
use std::borrow::Cow;
use std::sync::Arc;
use sundown_text_json::json::pointer::{self, Pointers};
use sundown_text_json::text::Span;

/// The number of deprecated elements inside a finding that are kept.
const MAX_RELATED: usize = 100;

/// One use of a deprecated element; after folding, the first of several equal ones.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The rule that matched.
    pub rule: Arc<Rule>,
    /// How bad it is.
    pub severity: Severity,
    /// Days until the removal, negative after it; `None` if no date has been announced.
    pub days_left: Option<i64>,
    /// The day since which it is deprecated, if that is in the future.
    pub begins: Option<NaiveDate>,
    /// Where and how the element is used.
    pub found: Occurrence,
    /// Deprecated elements inside this one, for an operation also those in its messages; at most `MAX_RELATED`.
    pub related: Vec<Related>,
    /// Whether there are more.
    pub has_more_related: bool,
    /// Whether none of those that are kept can make room for another: there are `MAX_RELATED`, and none repeats another.
    pub is_related_full: bool,
    /// Whether it is a use of its own.
    pub use_kind: UseKind,
    /// How often it was seen.
    pub sightings: Sightings,
    /// Whether the object with the deprecated field also has the replacement, in all uses that were folded.
    pub replacement: ReplacementState,
    /// What the answers to its exchanges prove.
    pub evidence: Evidence,
    /// Where in code its uses were made.
    pub origins: Origins,
    /// What it is about.
    pub kind: FindingKind,
}

/// What a finding is about.
#[derive(Debug, Clone)]
pub enum FindingKind {
    /// The use of a deprecated element in traffic.
    Use,
    /// An element of an API description, or of another text that people write.
    Declared(Box<Declared>),
    /// A deprecation that the traffic announces.
    Announced(Box<Announced>),
    /// A violated requirement.
    Violated(Box<RequirementViolation>),
}

/// Whether a finding is a use of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UseKind {
    /// It is.
    Own,
    /// An earlier value of the same streamed response has the element, too: folded with that, it does not count.
    Repeat,
}

/// Whether the object with a deprecated field also has the member that replaces it, from the least that is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReplacementState {
    /// No member is known to replace it, or the body was not searched.
    #[default]
    Unknown,
    /// It has not.
    Absent,
    /// It has, and the member is `null`.
    Null,
    /// It has.
    Present,
}

/// How often a finding was seen, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sightings {
    /// 1, or the number of equal findings that were folded into this one.
    pub count: usize,
    /// The start of the earliest exchange, if exchanges are timestamped.
    pub first: Option<DateTime<Utc>>,
    /// The start of the latest exchange.
    pub last: Option<DateTime<Utc>>,
}

/// One occurrence of a deprecated element: everything that does not follow from its rule and the day.
#[derive(Debug, Clone)]
pub struct Occurrence {
    /// The matched operation's template, never the captured path.
    pub operation: Arc<str>,
    /// The part of the exchange that contains it.
    pub part: ExchangePart,
    /// Its position in the body; `None` if it is not in a body.
    pub pointer: Option<Pointers>,
    /// Its position in the file: a field's key with its quotes, an endpoint's URL, or, if the decoded body has no offset
    /// map, the smallest value that contains it.
    pub span: Span,
    /// The parts of its excerpt.
    pub shown: ExcerptParts,
    /// The exchange that contains it; `None` in a bare body.
    pub exchange: Option<ExchangeRef>,
    /// Whether the element is certainly the deprecated one.
    pub certainty: Certainty,
}

impl Occurrence {
    /// Its JSON Pointer, which is empty for a whole body; `None` if it is not in a body.
    pub fn exact_pointer(&self) -> Option<&str> {
        Some(&self.pointer.as_ref()?.exact)
    }
}

/// About how many bytes a report format needs for a finding.
const REPORTED: usize = 512;

/// The key by which findings of one file are folded into one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FoldKey {
    rule: String,
    operation: Arc<str>,
    part: ExchangePart,
    certainty: Certainty,
    /// The pointer with starred indices.
    pointer: Option<Arc<str>>,
    check: Option<Check>,
    /// The announced element and its date; for a mark, only the date; for a violated requirement, the header field.
    distinction: Option<(String, Option<NaiveDate>)>,
}

impl Finding {
    /// Whether the object with the deprecated field also has the replacement, and not as `null`.
    pub fn has_replacement(&self) -> bool {
        self.replacement == ReplacementState::Present
    }

    /// The edit of its rule, if it is a use. It is not safe for what is possibly another element.
    pub fn edit_of_rule(&self) -> Option<RuleFix> {
        let is_alone = match &self.kind {
            FindingKind::Use => true,
            // Its schema may demand the old name, and operations without the rule may have the same example.
            FindingKind::Declared(declared) if declared.check == Check::Examples => false,
            _ => return None,
        };
        let fix = self.rule.edit()?;
        let is_certain = is_alone && self.found.certainty == Certainty::Certain;
        Some(RuleFix {
            safe: fix.safe && is_certain,
            ..fix
        })
    }

    /// The edit that replaces this use; `None` if the rule has none, or a member with the new name is there already. It is safe only
    /// if that is known to be absent.
    pub fn edit(&self) -> Option<RuleFix> {
        let fix = self.edit_of_rule()?;
        let Edit::Rename(_) = fix.edit else {
            return Some(fix);
        };
        let is_free = self.replacement == ReplacementState::Absent;
        let may_be_free = is_free || self.replacement == ReplacementState::Unknown;
        may_be_free.then_some(RuleFix {
            safe: fix.safe && is_free,
            ..fix
        })
    }

    /// Creates the finding of an occurrence, graded for the day of the lifecycle.
    pub fn new(rule: &Arc<Rule>, lifecycle: &Lifecycle, found: Occurrence) -> Self {
        let certainty = found.certainty.with_rule(rule);
        let found = Occurrence { certainty, ..found };
        let exchange = found.exchange.as_ref();
        let evidence = exchange
            .map(|exchange| Evidence::of(exchange, found.part, &found.operation, rule.removal));
        let sightings = Sightings::one(exchange.and_then(|exchange| exchange.started));
        let origins = Origins::of(exchange.and_then(|exchange| exchange.origin.as_ref()));
        Self {
            severity: found
                .certainty
                .lower(lifecycle.severity_of(rule, found.part.side())),
            days_left: rule.removal.map(|removal| lifecycle.days_left(removal)),
            begins: rule.introduced.filter(|since| *since > lifecycle.as_of),
            rule: Arc::clone(rule),
            found,
            related: Vec::new(),
            has_more_related: false,
            is_related_full: false,
            use_kind: UseKind::Own,
            sightings,
            replacement: ReplacementState::Unknown,
            evidence: evidence.unwrap_or_default(),
            origins,
            kind: FindingKind::Use,
        }
    }

    /// Returns whether a deprecated element on one of its parts, with this severity and last day, needs no finding of its own: it
    /// is not worse, and does not end earlier.
    pub fn covers(&self, severity: Severity, removal: Option<NaiveDate>) -> bool {
        let ends_earlier = match (removal, self.rule.removal) {
            (Some(inside), Some(own)) => inside < own,
            (Some(_), None) => true,
            (None, _) => false,
        };
        severity <= self.severity && !ends_earlier
    }

    /// Adds a deprecated element inside this one, and returns its index; `None` if there is no room for it.
    pub(crate) fn add_related(&mut self, related: Related) -> Option<usize> {
        if self.related.len() < MAX_RELATED {
            self.related.push(related);
            return Some(self.related.len() - 1);
        }
        self.has_more_related = true;
        let mut known = self.related.iter().rev();
        if self.is_related_full || known.any(|known| known.is_repeat_of(&related)) {
            return None;
        }
        self.replace_repeat(related)
    }

    /// Adds an element in place of the last one that repeats another, so that no element is lost to repeats. Returns its index.
    fn replace_repeat(&mut self, related: Related) -> Option<usize> {
        let index = (0..self.related.len()).rev().find(|index| {
            let (before, rest) = self.related.split_at(*index);
            rest.first()
                .is_some_and(|last| before.iter().any(|known| known.is_repeat_of(last)))
        });
        self.is_related_full = index.is_none();
        let index = index?;
        *self.related.get_mut(index)? = related;
        Some(index)
    }

    /// Adds a finding inside this one, with the elements inside that.
    pub(crate) fn add_inside(&mut self, inside: Self) {
        let found = inside.found;
        self.add_related(Related {
            rule: inside.rule,
            part: found.part,
            pointer: found.pointer,
            span: found.span,
            encoded: found.shown.encoded,
            certainty: found.certainty,
        });
        for related in inside.related {
            self.add_related(related);
        }
        self.has_more_related |= inside.has_more_related;
    }

    /// An element inside it as a finding of its own.
    #[must_use]
    pub fn separate(&self, inside: &Related, lifecycle: &Lifecycle) -> Self {
        let rule = &inside.rule;
        let member = inside.exact_pointer().and_then(|at| at.rsplit('/').next());
        let key = match (member, &rule.element.part) {
            (Some(member), _) => Some(format!("\"{}\"", pointer::unescape(member))),
            (None, ElementPart::Header(_)) => rule.element.name().map(str::to_owned),
            (None, _) => None,
        };
        let found = Occurrence {
            operation: Arc::clone(&self.found.operation),
            part: inside.part,
            pointer: inside.pointer.clone(),
            span: inside.span,
            shown: ExcerptParts {
                key,
                encoded: inside.encoded,
                ..ExcerptParts::default()
            },
            // It may come from a folded repeat of the outer finding in another exchange.
            exchange: None,
            certainty: inside.certainty,
        };
        Self::new(rule, lifecycle, found)
    }

    /// Merges an equal finding: counts it, adds its related elements that are new, and keeps the earlier position.
    pub fn merge(&mut self, mut other: Self) {
        if other.found.span.start < self.found.span.start {
            std::mem::swap(self, &mut other);
        }
        self.merge_later(other);
    }

    /// Merges a later equal finding. Returns the indices of its related elements that were added, and those that they have now.
    pub fn merge_later(&mut self, other: Self) -> Vec<(usize, usize)> {
        self.count_uses(&other);
        self.replacement = self.replacement.min(other.replacement);
        if let (FindingKind::Violated(violated), FindingKind::Violated(other)) =
            (&mut self.kind, other.kind)
        {
            violated.merge(*other);
        }
        let mut added = Vec::new();
        for (index, related) in other.related.into_iter().enumerate() {
            let mut known = self.related.iter_mut();
            match known.find(|known| known.is_repeat_of(&related)) {
                Some(known) => known.certainty = known.certainty.min(related.certainty),
                None => added.extend(self.add_related(related).map(|place| (index, place))),
            }
        }
        self.has_more_related |= other.has_more_related;
        added
    }

    /// Adds the uses of an equal finding. What a streamed response repeats is no further use.
    fn count_uses(&mut self, other: &Self) {
        match (self.use_kind, other.use_kind) {
            (UseKind::Own, UseKind::Repeat) => {}
            (UseKind::Repeat, UseKind::Own) => {
                self.use_kind = UseKind::Own;
                self.sightings = other.sightings;
                self.evidence = other.evidence.clone();
                self.origins = other.origins.clone();
            }
            (UseKind::Own, UseKind::Own) | (UseKind::Repeat, UseKind::Repeat) => {
                self.sightings.add(other.sightings);
                self.evidence.add(&other.evidence);
                self.origins.add(&other.origins);
            }
        }
    }

    /// Converts positions in a block to positions in its file. So many bytes and records precede the block.
    pub fn shift(&mut self, bytes: usize, records: usize) {
        self.found.span = self.found.span.shifted(bytes);
        for related in &mut self.related {
            related.span = related.span.shifted(bytes);
        }
        if let Some(exchange) = &mut self.found.exchange {
            exchange.index += records;
        }
    }

    /// About how many bytes it takes in memory, including its fold keys and its text in a report.
    pub fn weight(&self) -> usize {
        let Occurrence { shown, pointer, .. } = &self.found;
        let texts = [&shown.parent, &shown.key, &shown.text]
            .into_iter()
            .flatten();
        let texts: usize = texts.map(String::len).sum();
        let inside = self.related.iter().map(|inside| &inside.pointer);
        let pointers = inside.chain([pointer]).flatten();
        let pointers = pointers.map(|own| own.exact.len() + 3 * own.starred.len());
        let related = 2 * size_of::<Related>() * self.related.len() + pointers.sum::<usize>();
        let keys = 2 * (size_of::<FoldKey>() + self.rule.id.len());
        // A mark that no rule covers, an announcement and a version have rules of their own, and the value that a mark names may have
        // any length.
        let value = self.rule.element.exact_value().map_or(0, str::len);
        let own_rule = size_of::<Rule>() + self.rule.id.len() + value;
        let rule = match self.check() {
            Some(Check::UnknownToTable | Check::AnnouncedInTraffic) => own_rule,
            _ if self.rule.is_of_one_version => own_rule,
            _ => 0,
        };
        let operations = self.declared().map_or(&[][..], |own| &own.operations);
        let operations = operations
            .iter()
            .map(|own| size_of::<AffectedOperation>() + own.operation.len());
        let details = size_of::<Announced>() + operations.sum::<usize>() + self.origins.weight();
        REPORTED + size_of::<Self>() + keys + texts + related + rule + details
    }

    /// The key by which it is folded with equal findings of its file.
    pub fn fold_key(&self) -> FoldKey {
        let check = self.check();
        let distinction = match self.distinction() {
            // Two marks may have the same position.
            None if check == Some(Check::UnknownToTable) => Some(("", self.rule.removal)),
            distinction => distinction,
        };
        let pointer = self.found.pointer.as_ref();
        FoldKey {
            rule: self.rule.id.clone(),
            operation: Arc::clone(&self.found.operation),
            part: self.found.part,
            certainty: self.found.certainty,
            pointer: pointer.map(|pointer| Arc::clone(&pointer.starred)),
            check,
            distinction: distinction.map(|(element, date)| (element.to_owned(), date)),
        }
    }

    /// By what findings of one check about one operation differ: the announced element and its date, or the header field that
    /// violates a requirement.
    pub fn distinction(&self) -> Option<(&str, Option<NaiveDate>)> {
        match &self.kind {
            FindingKind::Violated(violated) => Some((&violated.header, None)),
            FindingKind::Announced(announced) => Some((&announced.key, self.rule.removal)),
            FindingKind::Use | FindingKind::Declared(_) => None,
        }
    }

    /// Its name in reports: the rule's id, in descriptions with the check before it.
    pub fn code(&self) -> Cow<'_, str> {
        match self.check().map(Check::id) {
            Some(check) if check != self.rule.id => Cow::Owned(format!("{check}/{}", self.rule.id)),
            _ => Cow::Borrowed(&self.rule.id),
        }
    }

    /// The check that found it; `None` for a use in traffic.
    pub fn check(&self) -> Option<Check> {
        match &self.kind {
            FindingKind::Use => None,
            FindingKind::Declared(declared) => Some(declared.check),
            FindingKind::Announced(_) => Some(Check::AnnouncedInTraffic),
            FindingKind::Violated(_) => Some(Check::Requirement),
        }
    }

    /// The details of a finding in an API description.
    pub fn declared(&self) -> Option<&Declared> {
        match &self.kind {
            FindingKind::Declared(declared) => Some(declared),
            _ => None,
        }
    }

    /// Returns whether it is a violated requirement.
    pub fn is_violation(&self) -> bool {
        matches!(self.kind, FindingKind::Violated(_))
    }

    /// Returns whether it is about a part of the call that only the text of a warning names.
    pub fn is_about_unnamed_part(&self) -> bool {
        matches!(&self.kind, FindingKind::Announced(announced) if announced.is_about_part())
    }

    /// What its exchanges prove about its use, or how they were answered if they violate a requirement; `None` for what is
    /// neither.
    pub fn use_evidence(&self) -> Option<&Evidence> {
        let is_use = self.check().is_none() || self.is_violation();
        Some(&self.evidence).filter(|evidence| is_use && evidence.headline().is_some())
    }

    /// Returns whether the capture proves that the element was still served after its last day.
    pub fn is_served_late(&self) -> bool {
        let is_proved = self.found.certainty == Certainty::Certain && !self.is_removal_silent();
        is_proved && self.use_evidence().is_some_and(Evidence::is_served_late)
    }

    /// The pointer with starred array indices; empty for an element that is not in a body.
    pub fn starred(&self) -> &str {
        self.found
            .pointer
            .as_ref()
            .map_or("", |pointer| &pointer.starred)
    }
}

impl Sightings {
    /// One, at this time.
    pub(super) fn one(time: Option<DateTime<Utc>>) -> Self {
        Self {
            count: 1,
            first: time,
            last: time,
        }
    }

    /// Adds the sightings of another finding.
    pub fn add(&mut self, other: Self) {
        self.count = self.count.saturating_add(other.count);
        self.first = [self.first, other.first].into_iter().flatten().min();
        self.last = [self.last, other.last].into_iter().flatten().max();
    }
}
