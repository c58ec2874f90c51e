//! One JSON value, walked the quick way: by its tokens, and without a word about what is wrong.

use super::hits::{Choices, Frame, KeyAt, NO_KEY, Visitor, both, shape};
use super::queries::Selected;
use crate::json::tokens::Tokens;
use crate::json::{quick, string};
use crate::selector::automaton::{StateId, Walk};
use crate::text::Span;

/// The walk of [`super::hits::walk`]: `None` where anything is wrong. What the visitor was told until then may be of no value
/// that is JSON.
pub(super) fn walk(
    text: &str,
    start: usize,
    max_depth: usize,
    automaton: &mut Walk,
    selection: &impl Selected,
    visitor: &mut impl Visitor,
) -> Option<usize> {
    let bytes = text.as_bytes();
    let first = quick::blank(bytes, start);
    let byte = *bytes.get(first)?;
    if !matches!(byte, b'{' | b'[') {
        let end = quick::scalar(bytes, first, byte)?;
        visitor.ended(0);
        return Some(end);
    }
    let state = automaton.start();
    QuickWalk {
        text,
        tokens: Tokens::new(bytes, first),
        max_depth,
        automaton,
        selection,
        visitor,
        choices: Choices::of(text),
        frames: Vec::with_capacity(32),
        state,
        key: NO_KEY,
        index: 0,
    }
    .run()
}

struct QuickWalk<'w, 't, S, V> {
    text: &'t str,
    tokens: Tokens<'t>,
    max_depth: usize,
    automaton: &'w mut Walk,
    selection: &'w S,
    visitor: &'w mut V,
    choices: Choices,
    frames: Vec<Frame>,
    /// The state that the next value is reached in.
    state: StateId,
    /// Where its key begins; [`NO_KEY`] for the root and for elements.
    key: usize,
    /// Its index, in an array.
    index: usize,
}

impl<S: Selected, V: Visitor> QuickWalk<'_, '_, S, V> {
    fn run(mut self) -> Option<usize> {
        let mut byte = self.tokens.next();
        loop {
            // Where a value begins.
            match byte {
                b'{' | b'[' => {
                    if let Opened::Before(first) = self.open(byte == b'{')? {
                        byte = first;
                        continue;
                    }
                }
                b'"' => {}
                _ if self.tokens.is_scalar(byte) => {}
                _ => return None,
            }
            self.visitor.ended(self.frames.len());
            // Behind a value.
            loop {
                // The root is a container, which has been closed.
                let Some(frame) = self.frames.last() else { return Some(self.tokens.at() + 1) };
                byte = self.tokens.next();
                if byte == b',' {
                    break;
                }
                if byte != quick::closing(frame.is_object) {
                    return None;
                }
                self.frames.pop();
                self.visitor.ended(self.frames.len());
            }
            byte = self.tokens.next();
            byte = self.begin(byte)?;
        }
    }

    /// Goes into an array or object, or past it where nothing in it is of interest.
    #[inline]
    fn open(&mut self, is_object: bool) -> Option<Opened> {
        let at = self.tokens.at();
        if is_object {
            let bytes = self.text.as_bytes();
            self.state = self.choices.choose(self.automaton, self.state, bytes, at);
        }
        let room = self.max_depth.checked_sub(self.frames.len()).filter(|&room| room > 0)?;
        if !self.automaton.is_live(self.state) && !self.selection.goes_on_behind(at) {
            self.tokens.skip_container(is_object, room)?;
            return Some(Opened::Ended);
        }
        let byte = self.tokens.next();
        if byte == quick::closing(is_object) {
            return Some(Opened::Ended);
        }
        let Self { state, key, index, .. } = *self;
        self.frames.push(Frame { state, key, index, elements: 0, is_object });
        self.begin(byte).map(Opened::Before)
    }

    /// Goes into the element or member whose first token, the one at hand, begins with `byte`; gives the first byte of its
    /// value, which is then at hand.
    #[inline]
    fn begin(&mut self, byte: u8) -> Option<u8> {
        let frame = self.frames.last_mut()?;
        if !frame.is_object {
            self.index = frame.elements;
            self.key = NO_KEY;
            frame.elements += 1;
            // Elements are no uses: only where there is something inside does it matter where they lead.
            if matches!(byte, b'{' | b'[') {
                self.state = self.automaton.step_index(frame.state, self.index);
            }
            return Some(byte);
        }
        let start = self.tokens.at();
        if byte != b'"' || self.tokens.next() != b':' {
            return None;
        }
        let span = Span::new(start, self.tokens.key_end());
        let raw = self.text.as_bytes().get(start + 1..span.end - 1).unwrap_or_default();
        let has_escapes = self.tokens.may_have_escapes(start) && raw.contains(&b'\\');
        self.state = if has_escapes {
            let key = string::decode(self.text, span);
            self.automaton.step_key(frame.state, key.as_bytes())
        } else {
            self.automaton.step_key(frame.state, raw)
        };
        self.key = start;
        let accepts = both(self.automaton.accepts(self.state), self.selection.at(span));
        if !accepts.is_empty() {
            let rest = self.text.get(self.tokens.at() + 1..).unwrap_or_default();
            if let Some(pattern) = self.visitor.choose(&accepts, rest) {
                let (text, frames, value) = (self.text, &*self.frames, shape(rest));
                self.visitor.found(pattern, &KeyAt { text, frames, key: span, value });
            }
        }
        Some(self.tokens.next())
    }
}

/// Where the walk is when an array or object has been opened.
enum Opened {
    /// Before the first value in it, which begins with this byte.
    Before(u8),
    /// At its end.
    Ended,
}
