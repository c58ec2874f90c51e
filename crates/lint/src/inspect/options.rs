//! What an inspection is asked for, and its result.

use crate::findings::{Check, CheckGrades, Finding};
use crate::rules::Lifecycle;
use sundown_openapi::FileId;

/// The user's relation to the API, which decides which checks are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UserRole {
    /// Not given: all checks are reported.
    #[default]
    Either,
    /// Serves the API and can change its description.
    Owner,
    /// Calls the API.
    Consumer,
}

impl UserRole {
    /// Whether a check is reported to this user.
    pub(crate) fn wants(self, check: Check) -> bool {
        let concerns_consumers = matches!(
            check,
            Check::Exposed | Check::UnknownToTable | Check::Examples
        );
        self != Self::Consumer || concerns_consumers
    }
}

/// How the findings of a description are selected and graded.
#[derive(Debug, Clone, Copy)]
pub struct InspectionOptions<'o> {
    /// The day and the thresholds by which removal dates are graded.
    pub lifecycle: Lifecycle,
    /// The user's relation to the API.
    pub role: UserRole,
    /// The configured severities of the checks.
    pub grades: &'o CheckGrades,
}

/// The result of inspecting a description, beside its findings.
#[derive(Debug, Clone, Copy)]
pub struct Inspected {
    /// Whether some rule names an operation of the description.
    pub is_covered: bool,
    /// Whether the search stopped at its limit.
    pub is_cut: bool,
}

/// Takes a finding and the file that it is in. Returns whether the report has room for another finding in that file.
pub type InspectionSink<'s> = dyn FnMut(FileId, Finding) -> bool + 's;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_consumer_wants_only_findings_about_consumers() {
        for check in Check::ALL {
            let concerns = matches!(
                check,
                Check::Exposed | Check::UnknownToTable | Check::Examples
            );
            assert_eq!(UserRole::Consumer.wants(check), concerns);
            assert!(UserRole::Owner.wants(check) && UserRole::Either.wants(check));
        }
    }
}
