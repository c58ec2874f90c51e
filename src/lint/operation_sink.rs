//! Relates the deprecated elements of an exchange to the finding about its operation.

use super::LintSink;
use crate::findings::Finding;
use crate::traffic::Skip;

/// Keeps the finding about a deprecated operation until its exchange has been checked, and adds to it the deprecated elements in
/// the exchange: they need no work of their own, because the call must go.
pub(super) struct OperationSink<'s> {
    operation: Option<Finding>,
    sink: &'s mut dyn LintSink,
}

impl<'s> OperationSink<'s> {
    /// A sink for the findings of one exchange.
    pub(super) fn new(sink: &'s mut dyn LintSink) -> Self {
        Self { operation: None, sink }
    }

    /// Takes a finding about the operation. The most severe one is kept, the others are passed on.
    pub(super) fn operation_finding(&mut self, finding: Finding) {
        let is_worse = self.operation.as_ref().is_none_or(|kept| kept.severity < finding.severity);
        let passed_on = if is_worse { self.operation.replace(finding) } else { Some(finding) };
        if let Some(finding) = passed_on {
            self.sink.finding(finding);
        }
    }

    /// Reports the finding about the operation.
    pub(super) fn finish(self) {
        if let Some(operation) = self.operation {
            self.sink.finding(operation);
        }
    }
}

impl LintSink for OperationSink<'_> {
    /// Adds a finding to that about the operation, unless it is worse or is reported under another operation.
    fn finding(&mut self, finding: Finding) {
        match &mut self.operation {
            Some(operation)
                if finding.severity <= operation.severity
                    && finding.found.operation == operation.found.operation =>
            {
                operation.add_inside(finding);
            }
            _ => self.sink.finding(finding),
        }
    }

    fn skip(&mut self, skip: Skip) {
        self.sink.skip(skip);
    }
}
