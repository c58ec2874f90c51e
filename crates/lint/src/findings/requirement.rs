//! The details and texts of findings about violated requirements.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::rules::{MemberType, Requirement};
use sundown_exchange::StatusCode;

/// The details of a violated requirement.
#[derive(Debug, Clone)]
pub struct RequirementViolation {
    /// The requirement.
    pub requirement: Arc<Requirement>,
    /// The header field that violates it; empty if none does. It distinguishes violations outside of bodies.
    pub header: String,
    /// What is there instead, in all findings that were folded; never a value.
    pub observed: BTreeSet<Observation>,
    /// The statuses of refused calls that it explains, each with the number of calls. Of several violations in one exchange,
    /// one explains the status, so that no call counts twice.
    pub refusals: BTreeMap<StatusCode, usize>,
}

/// What an exchange has in place of what a requirement demands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Observation {
    /// Nothing.
    Missing,
    /// Something that should not be there.
    Present,
    /// A value of another type.
    Type(MemberType),
    /// A number below the minimum.
    TooSmall,
    /// A number above the maximum.
    TooGreat,
    /// A string in another format.
    OtherFormat,
    /// Another value.
    OtherValue,
    /// A body of another kind, such as a form.
    Kind(Cow<'static, str>),
    /// This registered method.
    Method(String),
    /// This status.
    Status(StatusCode),
}

impl fmt::Display for Observation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("missing"),
            Self::Present => f.write_str("present"),
            Self::Type(own) => match own {
                MemberType::Object => f.write_str("an object"),
                MemberType::Array => f.write_str("an array"),
                MemberType::String => f.write_str("a string"),
                MemberType::Integer => f.write_str("an integer"),
                MemberType::Number => f.write_str("a number with a fraction"),
                MemberType::Boolean => f.write_str("true or false"),
                MemberType::Null => f.write_str("null"),
            },
            Self::TooSmall => f.write_str("below the minimum"),
            Self::TooGreat => f.write_str("above the maximum"),
            Self::OtherFormat => f.write_str("a string in another format"),
            Self::OtherValue => f.write_str("another value"),
            Self::Kind(kind) => f.write_str(kind),
            Self::Method(method) => f.write_str(method),
            Self::Status(status) => status.fmt(f),
        }
    }
}

impl RequirementViolation {
    /// Creates the details of one violation.
    pub fn new(
        requirement: Arc<Requirement>,
        header: String,
        observed: Option<Observation>,
    ) -> Self {
        let observed = observed.into_iter().collect();
        Self {
            requirement,
            header,
            observed,
            refusals: BTreeMap::new(),
        }
    }

    /// Counts a refused call that it explains.
    pub(crate) fn add_refusal(&mut self, status: StatusCode) {
        *self.refusals.entry(status).or_default() += 1;
    }

    /// Adds what was observed in another violation of the requirement.
    pub(super) fn merge(&mut self, other: Self) {
        self.observed.extend(other.observed);
        for (status, count) in other.refusals {
            let known = self.refusals.entry(status).or_default();
            *known = known.saturating_add(count);
        }
    }
}
