//! Calls of operations with rules: the elements that each could have used, and how its bodies were read.

use super::plan::{Plan, PlanElement};
use crate::rules::{MatchedOperations, RuleSet};
use std::sync::Arc;
use sundown_exchange::{CodeOrigin, Exchange, Reason};

/// A call of an operation with rules, checked.
#[derive(Debug, Clone, Copy)]
pub struct CheckedCall<'c, 'a> {
    /// The number of its plan: calls with the same number, checked by one linter, can use the same elements.
    pub plan: usize,
    /// The elements that it can use.
    pub elements: &'c Arc<[PlanElement]>,
    /// The call with its messages.
    pub exchange: &'c Exchange<'a>,
    /// How its parts were read.
    pub readings: Readings,
}

/// How the parts of a call were read that rules are about.
#[derive(Debug, Clone, Copy, Default)]
pub struct Readings {
    pub query: PartReading,
    /// Those of the request, and of the response.
    pub headers: [PartReading; 2],
    /// The same for the bodies, which are absent if no rule is about them.
    pub bodies: [PartReading; 2],
}

/// How a part of a call was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PartReading {
    /// It was compared with the rules, or nothing in it can match, however it is spelled.
    #[default]
    Read,
    /// The capture does not have it.
    Absent,
    /// It is something else than JSON.
    NotJson,
    /// At least a part of it could not be read.
    Failed(Reason),
}

impl CheckedCall<'_, '_> {
    /// Returns where in code the call was made, if the capture says it.
    pub fn origin(&self) -> Option<Arc<CodeOrigin>> {
        self.exchange.origin.find()
    }
}

/// Lists the elements of all operations of a rule set, each once.
pub fn list_elements(set: &RuleSet) -> Vec<PlanElement> {
    let mut elements: Vec<_> = (0..set.operations().len())
        .flat_map(|index| {
            Plan::new(set, &MatchedOperations::of_one(set, index))
                .elements()
                .to_vec()
        })
        .collect();
    elements.sort_unstable();
    elements.dedup();
    elements
}
