//! The result of a command.

use crate::report::Failure;

/// The result of a command, or what prevents it.
pub(super) type Result<T, E = Failure> = std::result::Result<T, E>;
