//! Findings that wait until the text that contains them is known to be valid.

use super::LintSink;
use crate::findings::Finding;
use crate::traffic::Skip;

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
