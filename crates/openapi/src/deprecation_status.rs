//! Whether a schema is deprecated, and how the statuses of its parts combine.

/// Whether the values that a schema describes are deprecated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum DeprecationStatus {
    /// The schema does not say.
    #[default]
    Undeclared,
    NotDeprecated,
    /// Deprecated in one alternative and not in another.
    Possible,
    Deprecated,
}

impl DeprecationStatus {
    /// The status if both of two schemas apply.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.max(other)
    }

    /// The status if one of two schemas applies; an undeclared one does not count.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Undeclared, declared) | (declared, Self::Undeclared) => declared,
            (one, another) if one == another => one,
            _ => Self::Possible,
        }
    }

    /// The status if the schema may not apply.
    pub(super) fn if_applied(self) -> Self {
        if self == Self::Deprecated {
            Self::Possible
        } else {
            self
        }
    }
}
