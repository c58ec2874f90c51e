//! The sides of an exchange on which a rule applies.

use sundown_exchange::Side;

/// The sides of an exchange on which a rule applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sides {
    /// One side only.
    Only(Side),
    /// Both sides.
    Both,
}

impl Sides {
    /// Whether `side` is one of them.
    pub fn contains(self, side: Side) -> bool {
        match self {
            Self::Only(only) => only == side,
            Self::Both => true,
        }
    }
}
