//! Decodes JSON strings (RFC 8259, section 7), and maps decoded text back to its source.

use std::borrow::Cow;

use super::error::valid_prefix;
use super::simd;
use crate::text::{OffsetMap, Span};

/// One piece of the text between a string's quotes.
enum StringPiece<'a> {
    Verbatim(&'a [u8]),
    Escape(char),
}

impl StringPiece<'_> {
    /// Its length in bytes, decoded.
    fn len(&self) -> usize {
        match self {
            Self::Verbatim(run) => run.len(),
            Self::Escape(character) => character.len_utf8(),
        }
    }
}

/// Decodes the content of a string; `raw` is the text between its quotes.
///
/// An unpaired surrogate becomes U+FFFD. `raw` must have passed the walker; invalid escapes are copied.
pub fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let text = String::from_utf8(unescaped::<false>(raw.as_bytes()).unwrap_or_default());
    Cow::Owned(text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// Decodes the content of a string that has not been validated; `None` if it breaks the grammar (RFC 8259, section 7).
///
/// The result is UTF-8 if and only if `raw` is.
pub fn unescape_unvalidated(raw: &[u8]) -> Option<Cow<'_, [u8]>> {
    if memchr::memchr(b'\\', raw).is_none() {
        return (simd::string(raw, 0) == Err(raw.len())).then_some(Cow::Borrowed(raw));
    }
    unescaped::<true>(raw).map(Cow::Owned)
}

/// Decodes most of the text by vector code, and rare escapes piece by piece. If `STRICT`, the result is `None` for invalid
/// content.
fn unescaped<const STRICT: bool>(bytes: &[u8]) -> Option<Vec<u8>> {
    // Vector code copies whole blocks, so it may write past the decoded text.
    let mut text = vec![0; bytes.len() + 64];
    let mut at = 0;
    let mut len = 0;
    loop {
        (at, len) = simd::unescape(bytes, at, &mut text, len);
        let rest = bytes.get(at..).unwrap_or_default();
        let (piece, length) = match rest.first() {
            Some(b'\\') => {
                if STRICT {
                    super::escape::escape(bytes, at)?;
                }
                escape(rest)
            }
            Some(_) if STRICT => return None,
            Some(&control) => (StringPiece::Escape(char::from(control)), 1),
            None => break,
        };
        let mut room = [0; 4];
        let piece = match piece {
            StringPiece::Verbatim(run) => run,
            StringPiece::Escape(character) => character.encode_utf8(&mut room).as_bytes(),
        };
        if let Some(room) = text.get_mut(len..len + piece.len()) {
            room.copy_from_slice(piece);
        }
        (at, len) = (at + length, len + piece.len());
    }
    text.truncate(len);
    Some(text)
}

/// Returns the map from `unescape(raw)` to the text in which `raw` begins at byte `start`.
pub fn offset_map(raw: &str, start: usize) -> OffsetMap {
    let mut map = OffsetMap::default();
    let mut at = 0;
    while let Some((piece, span)) = piece(raw.as_bytes(), at) {
        map.push(piece.len(), span.shifted(start));
        at = span.end;
    }
    map
}

/// An offset map that is computed on demand instead of stored. It is fast for spans in ascending order, as a walk finds them.
#[derive(Debug)]
pub struct LazyOffsetMap<'a> {
    raw: &'a [u8],
    start: usize,
    /// The start of the last span that was mapped.
    last: MapPosition,
}

/// A position between two pieces.
#[derive(Debug, Clone, Copy, Default)]
struct MapPosition {
    /// Offset in the raw text.
    at: usize,
    /// Offset in the decoded text.
    inner: usize,
}

/// The numbers of bytes that are skipped at once: the second when the first is too many.
const STRIDES: [usize; 2] = [256, 64];

/// The length of the longest escape, a surrogate pair.
const MAX_ESCAPE_BYTES: usize = 12;

impl<'a> LazyOffsetMap<'a> {
    /// Maps `unescape(raw)` to the bytes in which `raw` begins at byte `start`.
    pub fn new(raw: &'a [u8], start: usize) -> Self {
        Self {
            raw,
            start,
            last: MapPosition::default(),
        }
    }

    /// Returns the outer span that `inner` was decoded from; it covers whole escapes.
    pub fn outer(&mut self, inner: Span) -> Span {
        let from = if inner.start < self.last.inner {
            MapPosition::default()
        } else {
            self.last
        };
        self.last = self.step_to(from, inner.start);
        let start = self.place(self.last, inner.start, |span| span.start);
        let end = match inner.end.checked_sub(1).filter(|_| !inner.is_empty()) {
            Some(final_byte) => {
                let step = self.step_to(self.last, final_byte);
                self.place(step, inner.end, |span| span.end)
            }
            None => start,
        };
        Span {
            start,
            end: end.max(start),
        }
    }

    /// Returns the start of the piece that contains the byte at `inner`, not before `from`; the end if there is none.
    fn step_to(&self, mut from: MapPosition, inner: usize) -> MapPosition {
        for length in STRIDES {
            while let Some(bytes) = self.raw.get(from.at..from.at + length) {
                match stride(bytes) {
                    Some((at, meant)) if from.inner + meant <= inner => {
                        from = MapPosition {
                            at: from.at + at,
                            inner: from.inner + meant,
                        };
                    }
                    Some(_) => break,
                    None => {
                        let end = from.at + length;
                        from = self.pieces_to(from, inner, end);
                        if from.at < end {
                            return from;
                        }
                    }
                }
            }
        }
        self.pieces_to(from, inner, self.raw.len())
    }

    /// Like [`Self::step_to`], piece by piece, up to the first piece that does not end before `end`.
    fn pieces_to(&self, mut from: MapPosition, inner: usize, end: usize) -> MapPosition {
        while from.at < end
            && let Some((piece, span)) = piece(self.raw, from.at)
        {
            let next = MapPosition {
                at: span.end,
                inner: from.inner + piece.len(),
            };
            if next.inner > inner {
                break;
            }
            from = next;
        }
        from
    }

    /// Maps the byte at `inner`, which is in the piece at `step`. `whole` chooses one end of an escape.
    fn place(&self, step: MapPosition, inner: usize, whole: fn(Span) -> usize) -> usize {
        self.start
            + match piece(self.raw, step.at) {
                Some((StringPiece::Verbatim(_), span)) if inner >= step.inner => {
                    span.start + (inner - step.inner)
                }
                Some((_, span)) => whole(span),
                None => step.at,
            }
    }
}

/// Returns the raw and the decoded length of whole pieces at the beginning of `bytes`; `None` if the bytes may end inside an
/// escape.
fn stride(bytes: &[u8]) -> Option<(usize, usize)> {
    // Neither an escape nor a character may be split.
    let kept = bytes
        .iter()
        .rev()
        .position(|&byte| byte != b'\\' && byte.is_ascii())?;
    let bytes = bytes.get(..bytes.len() - kept)?;
    let mut unicode = Vec::new();
    let meant = bytes.len() - simd::escapes(bytes, &mut unicode);
    match unicode.last() {
        None => Some((bytes.len(), meant)),
        Some(last) if last + MAX_ESCAPE_BYTES <= bytes.len() => {
            Some((bytes.len(), content_len(bytes)))
        }
        Some(_) => None,
    }
}

/// Returns the text between the quotes of the string at `literal`, a span that includes the quotes.
pub fn between_quotes(text: &str, literal: Span) -> &str {
    let inside = literal.start.saturating_add(1)..literal.end.saturating_sub(1);
    text.get(inside).unwrap_or_default()
}

/// Decodes the string at `literal`, a span that includes the quotes.
pub fn decode(text: &str, literal: Span) -> Cow<'_, str> {
    unescape(between_quotes(text, literal))
}

/// Like [`decode`], in bytes that may not be UTF-8; the string ends at the first invalid one.
pub fn decode_bytes(bytes: &[u8], literal: Span) -> Cow<'_, str> {
    let inside = bytes.get(literal.start.saturating_add(1)..literal.end.saturating_sub(1));
    let (text, _) = valid_prefix(inside.unwrap_or_default());
    unescape(text)
}

/// Returns the decoded length of a string in bytes; `raw` is the text between its quotes.
pub fn content_len(raw: &[u8]) -> usize {
    let mut unicode = Vec::new();
    let mut saved = simd::escapes(raw, &mut unicode);
    let mut behind = 0;
    for at in unicode {
        if at < behind {
            continue;
        }
        if let (StringPiece::Escape(character), length) =
            unicode_escape(raw.get(at..).unwrap_or_default())
        {
            // The backslashes of the escape, two in a pair, have been counted already.
            saved += length - character.len_utf8() - length / 6;
            behind = at + length;
        }
    }
    raw.len().saturating_sub(saved)
}

/// Returns the piece of `raw` that begins at `at`, and its span.
fn piece(raw: &[u8], at: usize) -> Option<(StringPiece<'_>, Span)> {
    let rest = raw.get(at..).filter(|rest| !rest.is_empty())?;
    let (piece, length) = match memchr::memchr(b'\\', rest) {
        Some(0) => escape(rest),
        Some(run) => (StringPiece::Verbatim(rest.get(..run)?), run),
        None => (StringPiece::Verbatim(rest), rest.len()),
    };
    Some((piece, Span::new(at, at + length)))
}

/// Decodes the escape at the beginning of `rest`, and returns its length in bytes.
fn escape(rest: &[u8]) -> (StringPiece<'_>, usize) {
    let character = match rest.get(1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode_escape(rest),
        _ => return (StringPiece::Verbatim(b"\\"), 1),
    };
    (StringPiece::Escape(character), 2)
}

fn unicode_escape(rest: &[u8]) -> (StringPiece<'_>, usize) {
    let Some(first) = code_unit(rest) else {
        return (StringPiece::Verbatim(b"\\"), 1);
    };
    if let Some(character) = char::from_u32(first) {
        return (StringPiece::Escape(character), 6);
    }
    let second = rest
        .get(6..)
        .and_then(code_unit)
        .filter(|unit| (0xDC00..0xE000).contains(unit));
    if let (0xD800..0xDC00, Some(second)) = (first, second) {
        let code_point = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        if let Some(character) = char::from_u32(code_point) {
            return (StringPiece::Escape(character), 12);
        }
    }
    (StringPiece::Escape(char::REPLACEMENT_CHARACTER), 6)
}

/// Returns the UTF-16 code unit of a `\uXXXX` at the beginning of `rest`.
fn code_unit(rest: &[u8]) -> Option<u32> {
    rest.strip_prefix(b"\\u")?
        .get(..4)?
        .iter()
        .try_fold(0, |unit, &digit| {
            Some(unit * 16 + char::from(digit).to_digit(16)?)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_decode() {
        assert_eq!(
            unescape(r#"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"#),
            "a\"\\/\u{8}\u{c}\n\r\té😀"
        );
    }

    #[test]
    fn half_a_surrogate_pair_becomes_the_replacement_character() {
        assert_eq!(unescape(r"\ud83dx"), "\u{fffd}x");
        assert_eq!(unescape(r"\ude00"), "\u{fffd}");
        assert_eq!(unescape(r"\ud83d\u0041"), "\u{fffd}A");
    }

    const RIGHT: &[&[u8]] = &[
        b"abcdefgh",
        b"x",
        br"\n",
        br#"\""#,
        br"\\",
        br"\/",
        br"\u00e9",
        br"\ud83d",
        br"\ud83d\ude00",
        "é".as_bytes(),
    ];
    const WRONG: &[&[u8]] = &[
        b"\n", b"\x1f", b"\x00", br"\x", br"\u00g0", b"\xff", b"\xc3", b"\x7f", br"\",
    ];

    fn piece_by_piece(raw: &[u8]) -> Vec<u8> {
        let (mut slow, mut at) = (Vec::new(), 0);
        while let Some((piece, span)) = piece(raw, at) {
            match piece {
                StringPiece::Verbatim(run) => slow.extend(run),
                StringPiece::Escape(character) => slow.extend(character.to_string().bytes()),
            }
            at = span.end;
        }
        slow
    }

    proptest! {
        #[test]
        fn decodes_what_serde_json_encodes(text in any::<String>()) {
            let literal = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(decode(&literal, Span::new(0, literal.len())), text);
        }

        #[test]
        fn what_is_decoded_at_once_is_what_is_decoded_piece_by_piece(raw in r#"(\\["\\/bfnrtux]|\\u[0-9a-fD]{4}|é|[ -~]|[\x00-\x1f]){0,60}"#) {
            let slow = String::from_utf8(piece_by_piece(raw.as_bytes())).unwrap();
            prop_assert_eq!(unescape(&raw), slow.as_str());
            let is_whole = serde_json::from_str::<String>(&format!("\"{}\"", raw.replace('"', "x"))).is_ok();
            if is_whole {
                prop_assert_eq!(content_len(raw.as_bytes()), slow.len());
            }
        }

        #[test]
        fn of_what_nobody_has_read_only_strings_are_decoded(
            pieces in prop::collection::vec(
                prop_oneof![
                    40 => prop::sample::select(RIGHT),
                    1 => prop::sample::select(WRONG),
                ],
                0..60,
            ),
        ) {
            let raw = pieces.concat();
            let literal = [b"\"", &raw[..], b"\""].concat();
            // A string ends at the first quote that is not escaped.
            prop_assume!(super::super::scan::string_end(&literal, 0) == Some(literal.len()));
            let is_string = super::super::scalars::string(&literal, 0) == Some(literal.len());
            let decoded = unescape_unvalidated(&raw);
            prop_assert_eq!(decoded.is_some(), is_string, "{}", raw.escape_ascii());
            let whatever = unescaped::<false>(&raw).unwrap_or_default();
            prop_assert_eq!(&whatever, &piece_by_piece(&raw), "{}", raw.escape_ascii());
            if let Some(decoded) = decoded {
                let is_text = std::str::from_utf8(&raw).is_ok();
                prop_assert_eq!(std::str::from_utf8(&decoded).is_ok(), is_text, "{}", raw.escape_ascii());
                prop_assert_eq!(&*decoded, whatever);
            }
        }

        #[test]
        fn a_trail_leads_where_the_map_does(
            pieces in prop::collection::vec(
                prop_oneof![
                    30 => prop::sample::select(vec!["abcdefgh", "x", r"\n", r#"\""#, r"\\", r"\/", "é", "🚀"]),
                    1 => prop::sample::select(vec![r"\u0041", r"\\u", r"\ud83d\ude80", r"\uD800"]),
                ],
                1..900,
            ),
            spans in prop::collection::vec((any::<prop::sample::Index>(), 0usize..30), 1..12),
            is_sorted in any::<bool>(),
        ) {
            let raw = pieces.concat();
            let len = unescape(&raw).len();
            let (map, mut trail) = (offset_map(&raw, 7), LazyOffsetMap::new(raw.as_bytes(), 7));
            let span = |(from, len_of): (prop::sample::Index, usize)| {
                let from = from.index(len + 1);
                Span::new(from, (from + len_of).min(len))
            };
            let mut spans: Vec<_> = spans.into_iter().map(span).collect();
            if is_sorted {
                spans.sort();
            }
            for inner in spans {
                prop_assert_eq!(trail.outer(inner), map.outer(inner), "{:?} of {}", inner, raw);
            }
        }

        #[test]
        fn every_character_maps_back_to_what_it_was_decoded_from(text in any::<String>(), start in 0usize..9) {
            let literal = serde_json::to_string(&text).unwrap();
            let raw = between_quotes(&literal, Span::new(0, literal.len()));
            let map = offset_map(raw, start);
            prop_assert_eq!(map.inner_len(), text.len());
            for (at, character) in text.char_indices() {
                let outer = map.outer(Span::new(at, at + character.len_utf8()));
                let piece = &raw[outer.start - start..outer.end - start];
                prop_assert_eq!(unescape(piece), character.to_string());
            }
        }
    }
}
