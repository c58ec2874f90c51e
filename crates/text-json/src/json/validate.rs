//! Fast validation of JSON by its tape, without events, spans or errors: the strict walker finds the error.

use super::scalars::{is_utf8, scalar};
use super::tokens::Tape;
use super::whitespace::skip_whitespace;
use crate::text::Span;

/// Whether the bytes are one JSON value (RFC 8259) and white space, nested at most `max_depth` levels deep.
pub fn is_value(bytes: &[u8], max_depth: usize) -> bool {
    let start = skip_whitespace(bytes, 0);
    match bytes.get(start) {
        Some(b'{' | b'[') => is_value_except(bytes, &[], max_depth),
        Some(&byte) => {
            let end = scalar(bytes, start, byte);
            end.is_some_and(|end| skip_whitespace(bytes, end) == bytes.len()) && is_utf8(bytes)
        }
        None => false,
    }
}

/// Whether the bytes are one array or object, if the values at `holes` are valid. Those are in order and are not read.
pub fn is_value_except(bytes: &[u8], holes: &[Span], max_depth: usize) -> bool {
    let ends = holes.iter().map(|hole| hole.start).chain([bytes.len()]);
    let mut between = [0]
        .into_iter()
        .chain(holes.iter().map(|hole| hole.end))
        .zip(ends)
        .map(|(start, end)| bytes.get(start..end));
    end_of_container(bytes, holes, max_depth) == Some(bytes.len())
        && between.all(|gap| gap.is_some_and(is_utf8))
}

fn end_of_container(bytes: &[u8], holes: &[Span], max_depth: usize) -> Option<usize> {
    let start = skip_whitespace(bytes, 0);
    let is_object = match *bytes.get(start)? {
        open @ (b'{' | b'[') if max_depth > 0 => open == b'{',
        _ => return None,
    };
    let mut tape = Tape::new(bytes, start + 1).with_holes(holes);
    let end = tape.skip_container(is_object, max_depth)?;
    (tape.has_met_holes()).then(|| skip_whitespace(bytes, end))
}
