//! Takes what the linter finds.

use super::calls::CheckedCall;
use crate::findings::Finding;
use crate::traffic::Skip;

/// Takes the results of the linter.
pub trait LintSink {
    /// A use of a deprecated element.
    fn finding(&mut self, finding: Finding);
    /// Something that could not be checked.
    fn skip(&mut self, skip: Skip);
    /// A call of an operation with rules, after its findings and skips. Only [`Linter::with_calls`] reports calls.
    fn call(&mut self, _: &CheckedCall<'_>) {}
}
