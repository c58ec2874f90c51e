//! How much a small input may stand for.

use std::num::NonZeroU32;

/// How many times as much as usual an input may stand for that folds, repeats or multiplies something: compressed bodies,
/// YAML aliases, what the operations of an API description share, and what is searched of it.
///
/// The limits of all of these are meant for what was made to have no end. Whoever has a file that is real and goes beyond
/// raises them together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ExpansionFactor(NonZeroU32);

impl ExpansionFactor {
    /// So many times as much as usual.
    pub const fn new(times: NonZeroU32) -> Self {
        Self(times)
    }

    /// A usual limit, so many times; the largest number there is, where that is more.
    pub const fn times(self, usual: usize) -> usize {
        usual.saturating_mul(self.0.get() as usize)
    }
}

/// As much as usual.
impl Default for ExpansionFactor {
    fn default() -> Self {
        Self(NonZeroU32::MIN)
    }
}

/// As it is written on the command line and in configurations.
impl std::fmt::Display for ExpansionFactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::str::FromStr for ExpansionFactor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let times = text.parse().map_err(|_| format!("it is a number, 1 to {}", u32::MAX))?;
        Ok(Self(times))
    }
}
