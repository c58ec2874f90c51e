//! Findings that are held back until it is known whether they are to be told.

use super::FindingSink;
use crate::findings::Finding;
use crate::traffic::Skip;

/// How many findings are held back: more than bodies have, less than fills memory.
const MOST: usize = 1_000;

/// Holds findings back.
#[derive(Default)]
pub(super) struct Held {
    findings: Vec<Finding>,
    /// There were more than are held, or something besides them was to be told.
    is_spoilt: bool,
}

impl Held {
    /// The findings, where they are all that there was to tell.
    pub(super) fn whole(self) -> Option<Vec<Finding>> {
        (!self.is_spoilt).then_some(self.findings)
    }
}

impl FindingSink for Held {
    fn finding(&mut self, finding: Finding) {
        if self.findings.len() < MOST {
            self.findings.push(finding);
        } else {
            self.is_spoilt = true;
        }
    }

    fn skip(&mut self, _: Skip) {
        self.is_spoilt = true;
    }
}
