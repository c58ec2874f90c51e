//! Severities, and the grades that users give to rules.

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
