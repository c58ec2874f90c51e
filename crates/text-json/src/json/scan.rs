//! Follows the quotes and brackets of JSON and nothing else, to cut a list into its parts even if one of them is broken or the
//! text is cut off. The strict walker validates the parts.

use super::simd;
use super::whitespace::is_whitespace;
pub use super::whitespace::skip_whitespace;
use crate::text::Span;

/// The reason why a scan ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Break {
    /// The text ends inside the value that begins at this offset.
    Truncated(usize),
    /// The text at this offset cannot be part of a list.
    Malformed(usize),
}

/// The expected text where a list is malformed.
pub const LIST_GOES_ON: &str = "`,` or the end of the list";

/// A member of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemberSpans {
    /// The key with the quotes.
    pub key: Span,
    pub value: Span,
}

/// Returns the members of the object that opens at `open`. An error is the last item.
pub fn members(bytes: &[u8], open: usize) -> impl Iterator<Item = Result<MemberSpans, Break>> {
    let mut list = List::new(bytes, open, b'}');
    std::iter::from_fn(move || list.next_part(member, |member| member.value.end))
}

/// Returns the elements of the array that opens at `open`. An error is the last item.
pub fn elements(bytes: &[u8], open: usize) -> impl Iterator<Item = Result<Span, Break>> {
    let mut list = List::new(bytes, open, b']');
    std::iter::from_fn(move || list.next_part(value, |value| value.end))
}

/// Returns the keys of the object that opens at `open`, each with the offset of its value. In an object that is cut off, the
/// last value may be incomplete.
pub fn keys(bytes: &[u8], open: usize) -> impl Iterator<Item = (Span, usize)> {
    let mut members = members(bytes, open);
    let mut behind = open + 1;
    std::iter::from_fn(move || match members.next()? {
        Ok(member) => {
            behind = member.value.end;
            Some((member.key, member.value.start))
        }
        Err(_) => unfinished_member(bytes, behind),
    })
}

/// Returns the key of the unfinished member at or after `at`, and the offset of its value.
///
/// In a text that is cut off, the content of this member can be read up to the end.
fn unfinished_member(bytes: &[u8], at: usize) -> Option<(Span, usize)> {
    let at = skip_whitespace(bytes, at);
    let has_comma = bytes.get(at) == Some(&b',');
    member_head(bytes, at + usize::from(has_comma)).ok()
}

/// Returns the span of the value at `at`, or after the white space there.
#[inline]
pub fn value(bytes: &[u8], at: usize) -> Result<Span, Break> {
    let start = skip_whitespace(bytes, at);
    let end = match bytes.get(start) {
        None => return Err(Break::Truncated(start)),
        Some(b'"') => string_end(bytes, start),
        Some(b'{' | b'[') => container_end(bytes, start),
        Some(_) => match scalar_end(bytes, start) {
            Some(end) if end == start => return Err(Break::Malformed(start)),
            end => end,
        },
    };
    end.map(|end| Span::new(start, end))
        .ok_or(Break::Truncated(start))
}

/// Walks a comma-separated list up to its closing bracket.
struct List<'a> {
    bytes: &'a [u8],
    at: usize,
    close: u8,
    first: bool,
    over: bool,
}

impl<'a> List<'a> {
    fn new(bytes: &'a [u8], open: usize, close: u8) -> Self {
        Self {
            bytes,
            at: open + 1,
            close,
            first: true,
            over: false,
        }
    }

    fn next_part<T>(
        &mut self,
        read: fn(&[u8], usize) -> Result<T, Break>,
        end: fn(&T) -> usize,
    ) -> Option<Result<T, Break>> {
        if self.over {
            return None;
        }
        let part = self
            .advance()
            .transpose()?
            .and_then(|at| read(self.bytes, at));
        match &part {
            Ok(part) => self.at = end(part),
            Err(_) => self.over = true,
        }
        Some(part)
    }

    /// Moves to the next part; `None` at the end of the list.
    fn advance(&mut self) -> Result<Option<usize>, Break> {
        let at = skip_whitespace(self.bytes, self.at);
        match self.bytes.get(at) {
            None => Err(Break::Truncated(at)),
            Some(&byte) if byte == self.close => {
                self.over = true;
                Ok(None)
            }
            Some(b',') if !self.first => Ok(Some(at + 1)),
            Some(_) if self.first => {
                self.first = false;
                Ok(Some(at))
            }
            Some(_) => Err(Break::Malformed(at)),
        }
    }
}

fn member(bytes: &[u8], at: usize) -> Result<MemberSpans, Break> {
    let (key, start) = member_head(bytes, at)?;
    Ok(MemberSpans {
        key,
        value: value(bytes, start)?,
    })
}

/// Returns the key of the member at `at`, and the offset of its value, which may be the end of the text.
#[inline]
pub fn member_head(bytes: &[u8], at: usize) -> Result<(Span, usize), Break> {
    let start = skip_whitespace(bytes, at);
    match bytes.get(start) {
        None => return Err(Break::Truncated(start)),
        Some(b'"') => {}
        Some(_) => return Err(Break::Malformed(start)),
    }
    let key = Span::new(
        start,
        string_end(bytes, start).ok_or(Break::Truncated(start))?,
    );
    let colon = skip_whitespace(bytes, key.end);
    match bytes.get(colon) {
        None => Err(Break::Truncated(start)),
        Some(b':') => Ok((key, skip_whitespace(bytes, colon + 1))),
        Some(_) => Err(Break::Malformed(colon)),
    }
}

/// Returns the offset of the first byte from `start` on that no number or literal has.
#[inline]
pub(super) fn scalar_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut rest = bytes.get(start..)?.iter();
    rest.position(|&byte| ends_scalar(byte))
        .map(|length| start + length)
}

fn ends_scalar(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']' | b':') || is_whitespace(byte)
}

/// Returns the offset after the string with its opening quote at `start`.
pub(super) fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    simd::string_end(bytes, start + 1)
}

/// Returns the offset after the array or object that opens at `start`.
pub(super) fn container_end(bytes: &[u8], start: usize) -> Option<usize> {
    simd::container_end(bytes, start + 1)
}

/// Finds the end of a value whose text comes in several parts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Skimmer {
    depth: usize,
    in_string: bool,
    escaped: bool,
    begun: bool,
}

impl Skimmer {
    /// Returns the offset after the value in the next part of its text, if it ends there.
    pub fn end(&mut self, stretch: &[u8]) -> Option<usize> {
        for (at, &byte) in stretch.iter().enumerate() {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => {
                        self.in_string = false;
                        if self.depth == 0 {
                            return Some(at + 1);
                        }
                    }
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth > 1 => self.depth -= 1,
                b'}' | b']' if self.depth == 1 => return Some(at + 1),
                // A scalar ends at the next token.
                _ if self.depth == 0 && self.begun && ends_scalar(byte) => return Some(at),
                _ => {}
            }
            self.begun |= !byte.is_ascii_whitespace();
        }
        None
    }
}

/// The elements of the list that a text is, or its values in a row.
pub fn list_or_row(
    bytes: &[u8],
    start: usize,
) -> Box<dyn Iterator<Item = Result<Span, Break>> + '_> {
    let start = skip_whitespace(bytes, start);
    if bytes.get(start) == Some(&b'[') {
        return Box::new(elements(bytes, start));
    }
    let mut at = start;
    Box::new(std::iter::from_fn(move || {
        at = skip_whitespace(bytes, at);
        let value = (at < bytes.len()).then(|| self::value(bytes, at))?;
        at = value.as_ref().map_or(bytes.len(), |span| span.end);
        Some(value)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> (Vec<&str>, Option<Break>) {
        let mut found = Vec::new();
        for element in elements(text.as_bytes(), 0) {
            match element {
                Ok(span) => found.push(&text[span.start..span.end]),
                Err(error) => return (found, Some(error)),
            }
        }
        (found, None)
    }

    #[test]
    fn elements_are_cut_out_whole() {
        let (found, error) = texts(r#"[ {"a":"]}\""} , [1,[2]],"x,y", 7 ,null]"#);
        assert_eq!(
            found,
            [r#"{"a":"]}\""}"#, "[1,[2]]", r#""x,y""#, "7", "null"]
        );
        assert_eq!(error, None);
        assert_eq!(texts("[]"), (vec![], None));
    }

    #[test]
    fn a_broken_element_does_not_hide_the_next() {
        let (found, error) = texts(r#"[{"a": nope}, {"b":1], {"c":2}]"#);
        assert_eq!(found, [r#"{"a": nope}"#, r#"{"b":1]"#, r#"{"c":2}"#]);
        assert_eq!(error, None);
    }

    #[test]
    fn a_cut_text_says_where_the_cut_part_begins() {
        assert_eq!(
            texts(r#"[{"a":1},{"b":"#),
            (vec![r#"{"a":1}"#], Some(Break::Truncated(9)))
        );
        assert_eq!(
            texts(r#"["a","b"#),
            (vec![r#""a""#], Some(Break::Truncated(5)))
        );
        assert_eq!(
            texts(r#"["a" "b"]"#),
            (vec![r#""a""#], Some(Break::Malformed(5)))
        );
    }

    #[test]
    fn keys_are_given_up_to_the_cut() {
        let names = |text: &str| -> Vec<String> {
            keys(text.as_bytes(), 0)
                .map(|(key, value)| text[key.start..key.end].to_owned() + &text[value..=value])
                .collect()
        };
        assert_eq!(names(r#"{"a":1,"b":{"#), [r#""a"1"#, r#""b"{"#]);
        assert_eq!(names(r#"{"a":[1],"b":2}"#), [r#""a"["#, r#""b"2"#]);
        assert!(names(r#"{"a"#).is_empty() && names("{").is_empty());
    }

    #[test]
    fn members_give_keys_and_values() {
        let text = r#"{"a" : 1, "b\"":{"c":[]}}"#;
        let found: Vec<_> = members(text.as_bytes(), 0)
            .map(|member| {
                member.map(|m| {
                    (
                        &text[m.key.start..m.key.end],
                        &text[m.value.start..m.value.end],
                    )
                })
            })
            .collect();
        assert_eq!(
            found,
            [Ok((r#""a""#, "1")), Ok((r#""b\"""#, r#"{"c":[]}"#))]
        );
    }

    #[test]
    fn a_value_in_stretches_ends_where_it_ends_in_one() {
        for text in [
            r#"{"a":"]}\\\"","b":[1,{}]}"#,
            r#""x\\\"y""#,
            "12.5",
            " [ ] ",
            "true",
        ] {
            let whole = format!("{text},\"next\"]");
            let end = value(whole.as_bytes(), 0).unwrap().end;
            for size in 1..whole.len() {
                let mut skimmer = Skimmer::default();
                let mut before = 0;
                let found = whole.as_bytes().chunks(size).find_map(|stretch| {
                    let found = skimmer.end(stretch).map(|end| before + end);
                    before += stretch.len();
                    found
                });
                assert_eq!(found, Some(end), "{whole} in stretches of {size}");
            }
        }
    }
}
