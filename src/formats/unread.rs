//! Handing on of exchanges of which only the outline has been read: most records look like one that is known to be JSON.

use super::RecordSink;
use super::fields::Place;
use crate::json::{Alike, Tree};
use crate::text::Span;
use crate::traffic::{Exchange, Side};

/// How many levels of a record are part of such an outline: as deep, at most, its bodies stand.
pub(super) const LEVELS: usize = 4;

/// How often in a row it may be in vain before it is tried seldom: in some captures most bodies are something else.
const PATIENCE: usize = 4;

/// Hands on exchanges unread, and counts how often that was in vain.
#[derive(Debug, Default)]
pub(super) struct Unread {
    /// How often in a row it was in vain, or was not tried.
    in_vain: usize,
}

impl Unread {
    /// Whether the exchange with this outline, whose text looks `alike`, has been taken by the sink, which reads its bodies.
    pub(super) fn take<'a>(
        &mut self,
        exchange: &Exchange<'a>,
        (outline, alike): (&Tree<'_>, Option<Alike>),
        place: Place<'_>,
        max_depth: usize,
        sink: &mut dyn RecordSink<'a>,
    ) -> bool {
        let Some(alike) = alike.filter(|_| self.is_next()) else { return false };
        let is_taken = outline.is_json_but_for(
            &bodies(exchange, place),
            max_depth.saturating_sub(LEVELS),
            alike,
        ) && sink.take_unread(exchange, LEVELS);
        if is_taken {
            self.in_vain = 0;
        }
        is_taken
    }

    /// Whether to try it: after many times in vain, each twice as long after the one before.
    fn is_next(&mut self) -> bool {
        let is_next = self.in_vain < PATIENCE || self.in_vain.is_power_of_two();
        self.in_vain = self.in_vain.saturating_add(1);
        is_next
    }
}

/// Where the bodies of an exchange that can be unread stand in the outline's text; an empty span where there is none.
fn bodies(exchange: &Exchange<'_>, place: Place<'_>) -> [Span; 2] {
    Side::BOTH.map(|side| {
        let body = exchange.message(side).body.as_ref().filter(|body| body.can_be_unread());
        let inside = |at: usize| at.saturating_sub(place.start);
        body.map_or(Span::default(), |body| {
            Span::new(inside(body.span.start), inside(body.span.end))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_vain_is_tried_seldom_until_it_is_not() {
        let mut unread = Unread::default();
        let count = (0..1_000).filter(|_| unread.is_next()).count();
        assert_eq!(count, 4 + 8, "at first, and at 4, 8, up to 512");
        unread.in_vain = 0;
        assert!((0..4).all(|_| unread.is_next()));
    }
}
