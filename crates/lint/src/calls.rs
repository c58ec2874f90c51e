//! Calls of operations with rules: the elements that each could have used, and how its bodies were read.

use super::plan::{Plan, PlanElement};
use crate::rules::{MatchedOperations, RuleSet};
use std::sync::Arc;
use sundown_exchange::{CodeOrigin, Exchange, Method, Reason, Side, StatusCode};

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
    /// It is something else than JSON, or has no content by the rules of HTTP.
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

/// Whether a call has a body on this side if the capture has all of it: GET sends none, and responses to HEAD and with some statuses
/// have none (RFC 9110, sections 6.4.1 and 9.3.1).
pub(super) fn may_have_body(exchange: &Exchange<'_>, side: Side) -> bool {
    let method = exchange.call.method.as_ref().map_or("", Method::as_str);
    let status = exchange.status.get().map(StatusCode::code);
    match side {
        Side::Request => !matches!(method, "GET" | "HEAD"),
        Side::Response => method != "HEAD" && !matches!(status, Some(100..=199 | 204 | 304)),
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
