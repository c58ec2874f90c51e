//! Lines that are not JSON, in the formats that shapes have for them.

use super::compiled::Logs;
use super::known::known_formats;
use crate::access_log::{LineFit, LineMiss, may_be_common};

impl Logs<'_> {
    /// Parses a line by the formats of the user, or else by the known ones.
    pub(crate) fn read_line(&self, text: &[u8]) -> LineFit<'_> {
        let known = known_formats().map(|format| format.read(text));
        let own = self.formats().map(|format| format.read(text));
        let mut best = LineMiss::Not;
        for fit in own.chain(known) {
            match fit {
                LineFit::Missed(miss) => best = best.max(miss),
                whole @ LineFit::Whole(_) => return whole,
            }
        }
        LineFit::Missed(best)
    }
}

/// Whether a line belongs to an access log in a known format.
pub(crate) fn is_common_line(text: &[u8]) -> bool {
    may_be_common(text) && matches!(Logs::default().read_line(text), LineFit::Whole(_))
}
