//! The details and texts of findings about violated requirements.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::{CodeRange, Evidence, Finding};
use crate::rules::{MemberType, Requirement};
use sundown_exchange::StatusCode;
use sundown_text_json::text::join;

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
        f.write_str(match self {
            Self::Missing => "missing",
            Self::Present => "present",
            Self::Type(MemberType::Object) => "an object",
            Self::Type(MemberType::Array) => "an array",
            Self::Type(MemberType::String) => "a string",
            Self::Type(MemberType::Integer) => "an integer",
            Self::Type(MemberType::Number) => "a number with a fraction",
            Self::Type(MemberType::Boolean) => "true or false",
            Self::Type(MemberType::Null) => "null",
            Self::TooSmall => "below the minimum",
            Self::TooGreat => "above the maximum",
            Self::OtherFormat => "a string in another format",
            Self::OtherValue => "another value",
            Self::Kind(kind) => kind,
            Self::Method(method) => method,
            Self::Status(status) => return status.fmt(f),
        })
    }
}

impl RequirementViolation {
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

impl RequirementViolation {
    /// One line: the operation, and what is wrong.
    pub(super) fn message(&self, finding: &Finding) -> String {
        let message = &self.requirement.message;
        format!(
            "{}: {message}{}",
            finding.found.operation,
            self.observed_text()
        )
    }

    /// What is there instead, as the end of a sentence; empty if the message says it.
    pub(super) fn observed_text(&self) -> String {
        // A message about what should not be says what it is.
        let is_expected = !self.requirement.expect.is_empty();
        let observed = self.observed.iter().filter(|_| is_expected);
        let observed = join(observed.map(ToString::to_string), " or ");
        if observed.is_empty() {
            observed
        } else {
            format!(" (found: {observed})")
        }
    }

    /// The source of the requirement, and how the service answered.
    pub(super) fn consequence(&self, finding: &Finding) -> String {
        let section = self
            .requirement
            .section
            .as_deref()
            .map(section_phrase)
            .unwrap_or_default();
        let codes = finding
            .use_evidence()
            .and_then(Evidence::headline)
            .map(|tally| tally.codes);
        let answer = match codes {
            None | Some(CodeRange::None | CodeRange::Mixed) => String::new(),
            Some(codes) => format!("; the call was answered with {}", codes.in_words()),
        };
        let id = &finding.rule.id;
        format!("requirement{section}{answer}: see `sundown explain {id}`")
    }
}

/// The section of the source as the end of a phrase: ` of section 5.1, rule 1`, ` of sections 4 and 9`.
fn section_phrase(section: &str) -> String {
    let is_several = section.split_once(" and ").is_some_and(|parts| {
        [parts.0, parts.1]
            .iter()
            .all(|part| part.starts_with(|c: char| c.is_ascii_digit()))
    });
    let noun = if is_several { "sections" } else { "section" };
    format!(" of {noun} {section}")
}
