//! Sinks between the checks of an exchange and the caller: one relates the deprecated elements of an exchange to the finding about
//! its operation, and one notes how a body is read.

use super::calls::BodyReading;
use super::reveal::InnerElements;
use super::sink::LintSink;
use crate::findings::Finding;
use crate::text::Span;
use crate::traffic::{Skip, SkipKind};

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
        let covers = |operation: &&mut Finding| {
            // Related elements are found again by their rules, which the table must have.
            self.inner == InnerElements::Related
                && !finding.rule.is_of_one_version
                && operation.found.operation == finding.found.operation
                && operation.covers(finding.severity, finding.rule.removal)
        };
        match self.operations.iter_mut().find(covers) {
            Some(operation) => operation.add_inside(finding),
            None => self.sink.finding(finding),
        }
    }

    fn skip(&mut self, skip: Skip) {
        self.sink.skip(skip);
    }
}

/// Notes how a body is read, by what is skipped in it.
pub(super) struct SkipWatch<'s> {
    /// How it has been read so far.
    pub(super) reading: BodyReading,
    /// The position of the body.
    body: Span,
    sink: &'s mut dyn LintSink,
}

impl<'s> SkipWatch<'s> {
    pub(super) fn new(body: Span, sink: &'s mut dyn LintSink) -> Self {
        Self {
            reading: BodyReading::Read,
            body,
            sink,
        }
    }
}

impl LintSink for SkipWatch<'_> {
    fn finding(&mut self, finding: Finding) {
        self.sink.finding(finding);
    }

    fn skip(&mut self, skip: Skip) {
        // A stream may have single events that are not JSON.
        let is_most = skip
            .span
            .is_none_or(|span| span.len() * 2 >= self.body.len());
        match (skip.reason.kind(), self.reading) {
            (_, BodyReading::Failed(_)) => {}
            (SkipKind::Failed, _) => self.reading = BodyReading::Failed(skip.reason),
            (SkipKind::Unrelated, _) if is_most => self.reading = BodyReading::NotJson,
            (SkipKind::Unrelated, _) => {}
        }
        self.sink.skip(skip);
    }
}
