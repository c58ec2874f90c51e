//! Which edits reach beyond the call that has the use: those of bytes that are a piece of no call, or of several, and those of what
//! another part of a stub names. A stub whose matchers disagree fits no call any more.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::byte_edit::EditRefusal;
use super::file_fixer::{PlannedEdit, new_starts};
use sundown_captures::Stubs;
use sundown_exchange::CallPiece;

/// Why each edit is refused, if it is. The pieces are those of the changed file.
pub(super) fn refuse_beyond_calls(
    old: &[u8],
    edits: &[PlannedEdit<'_>],
    mut pieces: Vec<CallPiece>,
    mut stubs: Option<Stubs<'_>>,
) -> Vec<Option<EditRefusal>> {
    pieces.sort_by_key(|piece| (piece.span.start, Reverse(piece.span.end)));
    let urls = pieces.iter().filter(|piece| piece.is_url);
    let urls: HashMap<_, _> = urls.map(|url| (url.exchange, url.span)).collect();
    let mut next = pieces.iter().peekable();
    // The pieces around a place, the narrowest last: the body of an object has those of the objects in it.
    let mut open: Vec<&CallPiece> = Vec::new();
    let refusals = edits.iter().zip(new_starts(edits)).map(|(edit, start)| {
        let exchange = edit.uses.first()?.place.exchange?;
        let place = start.saturating_sub(edit.change.start.saturating_sub(edit.place));
        while let Some(piece) = next.next_if(|piece| piece.span.start <= place) {
            open.push(piece);
        }
        open.retain(|piece| piece.span.end > place);
        let own = open.last().map(|piece| piece.span);
        let mut owners = open
            .iter()
            .rev()
            .take_while(|piece| Some(piece.span) == own);
        let Some(own) = own.filter(|_| owners.all(|piece| piece.exchange == exchange)) else {
            return Some(EditRefusal::ByHand("the place is not in the call alone"));
        };
        let url = *urls.get(&exchange)?;
        let name = stubs.as_mut()?.find_beside(own, url, &edit.old_text(old))?;
        Some(EditRefusal::NamedBeside(name))
    });
    refusals.collect()
}
