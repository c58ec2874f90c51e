//! The texts of findings about violated requirements.

use super::evidence::{CodeRange, Evidence};
use super::finding::Finding;
use super::requirement::RequirementViolation;
use sundown_text_json::text::join;

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
