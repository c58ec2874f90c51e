//! Severities and the grades that users give to rules, and the severities that follow from the days left.

use chrono::NaiveDate;

use super::Rule;
use sundown_exchange::Side;

/// The day and the thresholds by which removal dates are graded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifecycle {
    /// Today, in UTC.
    pub as_of: NaiveDate,
    /// The most days left for which a use is an error.
    pub error_within: i64,
    /// The most days left for which a use is a warning; beyond, it is a note. `None` means no limit.
    pub warn_within: Option<i64>,
    /// The highest severity of findings on the response side.
    pub response_cap: Option<Severity>,
}

impl Lifecycle {
    /// The default thresholds on the given day: an error within 30 days, a warning before.
    pub fn on(as_of: NaiveDate) -> Self {
        Self {
            as_of,
            error_within: 30,
            warn_within: None,
            response_cap: None,
        }
    }

    /// The number of days until an element stops working: 0 on its last day, negative after it.
    ///
    /// An element works until the end of its removal date, 23:59:59 UTC.
    pub fn days_left(&self, removal: NaiveDate) -> i64 {
        removal.signed_duration_since(self.as_of).num_days()
    }

    /// The severity of a use of a rule. `side` is `None` for uses of the operation itself.
    pub(crate) fn severity_of(&self, rule: &Rule, side: Option<Side>) -> Severity {
        match rule.grade {
            Grade::Always(severity) => self.capped(severity, side),
            Grade::ByDays | Grade::Off => self.severity(rule.removal, side),
        }
    }

    /// The severity of a use that is graded by the removal date.
    pub fn severity(&self, removal: Option<NaiveDate>, side: Option<Side>) -> Severity {
        let graded = match removal.map(|removal| self.days_left(removal)) {
            None => Severity::Warning,
            Some(days) if days < 0 || days <= self.error_within => Severity::Error,
            Some(days) if self.warn_within.is_some_and(|within| days > within) => Severity::Note,
            Some(_) => Severity::Warning,
        };
        self.capped(graded, side)
    }

    /// Limits a severity to the highest one for this side.
    pub(crate) fn capped(&self, severity: Severity, side: Option<Side>) -> Severity {
        match (side, self.response_cap) {
            (Some(Side::Response), Some(cap)) => severity.min(cap),
            _ => severity,
        }
    }
}

/// The severity of a finding, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// For information.
    Note,
    /// The call will break later.
    Warning,
    /// The call will break soon, or is already broken.
    Error,
}

impl Severity {
    /// All severities, the worst first.
    pub const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Note];

    /// `error`, `warning` or `note`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// How the uses of a rule are graded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grade {
    /// By the days left.
    #[default]
    ByDays,
    /// Always with the same severity.
    Always(Severity),
    /// Not at all: the rule is off.
    Off,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn an_element_works_through_its_removal_date() {
        let removal = day("2026-10-15");
        assert_eq!(Lifecycle::on(day("2026-10-15")).days_left(removal), 0);
        assert_eq!(Lifecycle::on(day("2026-10-16")).days_left(removal), -1);
    }

    #[test]
    fn thresholds_include_their_own_day() {
        let removal = Some(day("2027-01-15"));
        let on = |today| Lifecycle::on(day(today)).severity(removal, None);
        assert_eq!(on("2026-12-15"), Severity::Warning, "31 days left");
        assert_eq!(on("2026-12-16"), Severity::Error, "30 days left");
        let far = Lifecycle {
            warn_within: Some(60),
            ..Lifecycle::on(day("2026-11-16"))
        };
        assert_eq!(
            far.severity(removal, None),
            Severity::Warning,
            "60 days left"
        );
        let farther = Lifecycle {
            as_of: day("2026-11-15"),
            ..far
        };
        assert_eq!(
            farther.severity(removal, None),
            Severity::Note,
            "61 days left"
        );
    }

    #[test]
    fn a_removed_element_is_an_error_with_any_thresholds() {
        let strict = Lifecycle {
            error_within: -10,
            ..Lifecycle::on(day("2027-01-16"))
        };
        assert_eq!(
            strict.severity(Some(day("2027-01-15")), None),
            Severity::Error
        );
    }

    #[test]
    fn no_date_announced_is_a_warning() {
        assert_eq!(
            Lifecycle::on(day("2027-01-16")).severity(None, None),
            Severity::Warning
        );
    }

    #[test]
    fn the_cap_holds_on_the_response_side_only() {
        let capped = Lifecycle {
            response_cap: Some(Severity::Note),
            ..Lifecycle::on(day("2027-01-16"))
        };
        let removal = Some(day("2027-01-15"));
        assert_eq!(
            capped.severity(removal, Some(Side::Response)),
            Severity::Note
        );
        assert_eq!(
            capped.severity(removal, Some(Side::Request)),
            Severity::Error
        );
        assert_eq!(capped.severity(removal, None), Severity::Error);
    }
}
