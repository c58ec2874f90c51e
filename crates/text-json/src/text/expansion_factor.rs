//! The factor by which users raise the limits of expansion.

use std::num::NonZeroU32;

/// A factor for all limits of inputs that expand: compressed bodies, YAML aliases, schemas that the operations of an API
/// description share, and the search of a description.
///
/// These limits exist for files that were made to expand without end. A user with a real file beyond a limit raises all of
/// them together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ExpansionFactor(NonZeroU32);

impl ExpansionFactor {
    /// Creates a factor.
    pub const fn new(times: NonZeroU32) -> Self {
        Self(times)
    }

    /// Multiplies a default limit; the result saturates.
    pub const fn times(self, usual: usize) -> usize {
        usual.saturating_mul(self.0.get() as usize)
    }
}

/// The default limits.
impl Default for ExpansionFactor {
    fn default() -> Self {
        Self(NonZeroU32::MIN)
    }
}

/// The form on the command line and in configurations.
impl std::fmt::Display for ExpansionFactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::str::FromStr for ExpansionFactor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let times = text
            .parse()
            .map_err(|_| format!("it is a number, 1 to {}", u32::MAX))?;
        Ok(Self(times))
    }
}
