//! Takes what the linter finds, and changes it on the way: keeps it until it is known to hold, relates the deprecated elements of an
//! exchange to the finding about its operation, and notes how a body is read.

use super::calls::{CheckedCall, PartReading};
use super::options::InnerElements;
use crate::findings::{Finding, FindingKind, FoldKey, UseKind};
use std::collections::HashSet;
use sundown_exchange::{OperationPattern, Reason, Skip, SkipKind};
use sundown_text_json::text::Span;

/// Takes the results of the linter.
pub trait LintSink {
    /// A use of a deprecated element.
    fn finding(&mut self, finding: Finding);
    /// Something that could not be checked.
    fn skip(&mut self, skip: Skip);
    /// A call of an operation with rules, after its findings and skips. Only `Linter::with_calls` reports calls.
    fn call(&mut self, _: &CheckedCall<'_, '_>) {}
    /// A call that may be one of this operation with rules and does not match it: at another address, or in another spelling of the
    /// path. Only `Linter::with_calls` reports such calls.
    fn missed_call(&mut self, _: &OperationPattern) {}
}

/// The number of findings that are kept: more than bodies have, and few enough for memory.
const MAX_FINDINGS: usize = 1_000;

/// Keeps findings, up to a limit.
#[derive(Default)]
pub(super) struct FindingBuffer {
    findings: Vec<Finding>,
    is_dropped: bool,
}

impl FindingBuffer {
    /// Drops the findings: others are reported in their place.
    pub(super) fn give_up(&mut self) {
        self.is_dropped = true;
    }

    /// Whether there are findings.
    pub(super) fn has_findings(&self) -> bool {
        !self.findings.is_empty()
    }

    /// The findings; `None` if there were too many to keep, if they were given up, or if anything was skipped.
    pub(super) fn into_findings(self) -> Option<Vec<Finding>> {
        (!self.is_dropped).then_some(self.findings)
    }
}

impl LintSink for FindingBuffer {
    fn finding(&mut self, finding: Finding) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
        } else {
            self.is_dropped = true;
        }
    }

    fn skip(&mut self, _: Skip) {
        self.is_dropped = true;
    }
}

/// Keeps the findings about a deprecated operation until its exchange has been checked, and adds to them the deprecated elements
/// in the exchange that work at least as long: who stops calling the operation has no more work with them.
pub(super) struct OperationSink<'s> {
    operations: Vec<Finding>,
    inner: InnerElements,
    sink: &'s mut dyn LintSink,
}

impl<'s> OperationSink<'s> {
    /// A sink for the findings of one exchange.
    pub(super) fn new(sink: &'s mut dyn LintSink, inner: InnerElements) -> Self {
        Self {
            operations: Vec::new(),
            inner,
            sink,
        }
    }

    /// Takes a finding about the operation.
    pub(super) fn operation_finding(&mut self, finding: Finding) {
        self.operations.push(finding);
    }

    /// Reports the findings about the operation.
    pub(super) fn finish(self) {
        for operation in self.operations {
            self.sink.finding(operation);
        }
    }
}

impl LintSink for OperationSink<'_> {
    /// Adds a finding to one about its operation, or passes it on.
    fn finding(&mut self, finding: Finding) {
        let outer = self.operations.iter_mut().find(|operation| {
            // Related elements are found again by their rules, which the set must have.
            self.inner == InnerElements::Related
                && !finding.rule.is_of_one_version
                && operation.found.operation == finding.found.operation
                && operation.covers(finding.severity, finding.rule.removal)
        });
        match outer {
            Some(operation) => operation.add_inside(finding),
            None => self.sink.finding(finding),
        }
    }

    fn skip(&mut self, skip: Skip) {
        self.sink.skip(skip);
    }
}

/// Adds what a response announces to the finding of the rule that states the same.
pub(super) struct AnnouncementSink<'s> {
    /// The findings about announcements, and whether the rule has a finding.
    announced: Vec<(Finding, bool)>,
    sink: &'s mut dyn LintSink,
}

impl<'s> AnnouncementSink<'s> {
    pub(super) fn new(known: Vec<Finding>, sink: &'s mut dyn LintSink) -> Self {
        let announced = known.into_iter().map(|finding| (finding, false)).collect();
        Self { announced, sink }
    }

    /// Reports the announcements of which no rule has a finding.
    pub(super) fn finish(self) {
        for (finding, _) in self.announced.into_iter().filter(|(_, has_rule)| !has_rule) {
            self.sink.finding(finding);
        }
    }
}

impl LintSink for AnnouncementSink<'_> {
    fn finding(&mut self, mut finding: Finding) {
        for (announcement, has_rule) in &mut self.announced {
            let FindingKind::Announced(announced) = &announcement.kind else {
                continue;
            };
            let rule = announced.standing.rule().unwrap_or_default();
            let is_own = finding.rule.is_called(rule)
                || finding.check().is_none() && announced.is_stated_by(&finding.rule);
            if is_own && finding.check().is_none() {
                finding.evidence.announced_by.extend(&announced.by);
            }
            *has_rule |= is_own || finding.related.iter().any(|inside| inside.rule.id == rule);
        }
        self.sink.finding(finding);
    }

    fn skip(&mut self, skip: Skip) {
        self.sink.skip(skip);
    }

    fn call(&mut self, call: &CheckedCall<'_, '_>) {
        self.sink.call(call);
    }
}

/// By what uses in the values of a streamed response are equal: those with another pointer are not.
pub(super) type StreamKey = (FoldKey, String);

/// The number of different uses that are remembered of a response: more than real ones have, and few enough for memory.
const MAX_STREAM_KEYS: usize = 100_000;

/// Marks what a later value of a streamed response repeats: the response counts once.
pub(super) struct StreamSink<'s> {
    /// What the values before had; `None` outside of streams.
    seen: Option<&'s mut HashSet<StreamKey>>,
    found: Vec<StreamKey>,
    sink: &'s mut dyn LintSink,
}

impl<'s> StreamSink<'s> {
    pub(super) fn new(
        seen: Option<&'s mut HashSet<StreamKey>>,
        sink: &'s mut dyn LintSink,
    ) -> Self {
        Self {
            seen,
            found: Vec::new(),
            sink,
        }
    }

    /// Ends the value.
    pub(super) fn finish(self) {
        if let Some(seen) = self.seen {
            let room = MAX_STREAM_KEYS.saturating_sub(seen.len());
            seen.extend(self.found.into_iter().take(room));
        }
    }
}

impl LintSink for StreamSink<'_> {
    fn finding(&mut self, mut finding: Finding) {
        if let Some(seen) = &self.seen {
            let pointer = finding.found.exact_pointer().unwrap_or_default();
            let key = (finding.fold_key(), pointer.to_owned());
            if seen.contains(&key) {
                finding.use_kind = UseKind::Repeat;
            } else {
                self.found.push(key);
            }
        }
        self.sink.finding(finding);
    }

    fn skip(&mut self, skip: Skip) {
        self.sink.skip(skip);
    }
}

/// Notes how a body is read, by what is skipped in it.
pub(super) struct SkipWatch<'s> {
    /// How it has been read so far.
    pub reading: PartReading,
    /// Whether it has a use.
    pub has_use: bool,
    /// The position of the body.
    body: Span,
    sink: &'s mut dyn LintSink,
}

impl<'s> SkipWatch<'s> {
    pub(super) fn new(body: Span, sink: &'s mut dyn LintSink) -> Self {
        Self {
            reading: PartReading::Read,
            has_use: false,
            body,
            sink,
        }
    }
}

impl LintSink for SkipWatch<'_> {
    fn finding(&mut self, finding: Finding) {
        self.has_use = true;
        self.sink.finding(finding);
    }

    fn skip(&mut self, skip: Skip) {
        // A stream may have single events that are not JSON.
        let is_most = skip
            .span
            .is_none_or(|span| span.len() * 2 >= self.body.len());
        match (skip.reason.kind(), self.reading) {
            (_, PartReading::Failed(_)) => {}
            _ if skip.reason == Reason::LetterCase => {}
            (SkipKind::Failed, _) => self.reading = PartReading::Failed(skip.reason),
            (SkipKind::Unrelated, _) if is_most => self.reading = PartReading::NotJson,
            (SkipKind::Unrelated, _) => {}
        }
        self.sink.skip(skip);
    }
}
