//! The mappings of a source map: its `mappings`, decoded (ECMA-426, section 5).

use thiserror::Error;

/// A stretch of generated code, from its beginning to that of the next one on the line. All numbers count from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MappedSegment {
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) original: Option<OriginalPosition>,
}

/// A position in a source. All numbers count from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OriginalPosition {
    pub(super) source: u32,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// Why mappings cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(super) enum MappingsError {
    #[error("`mappings` has a character that is not base64, at offset {0}")]
    Character(usize),
    #[error("`mappings` has a number out of range, at offset {0}")]
    Number(usize),
    #[error("`mappings` has a segment of {1} numbers, at offset {0}")]
    Length(usize, usize),
    #[error("it has more than {MAX_SEGMENTS} mappings")]
    TooMany,
    #[error("the maps of this run have more than {MAX_SEGMENTS_TOGETHER} mappings together")]
    TooManyTogether,
}

/// How many segments a map may have: several times those of the largest bundles. They take 24 bytes each.
const MAX_SEGMENTS: usize = 8_000_000;

/// How many segments all maps of a run may have: four of the largest.
pub(super) const MAX_SEGMENTS_TOGETHER: usize = 4 * MAX_SEGMENTS;

/// Decodes mappings, and appends their segments, moved by the position of a section of an index map. Segments of a line may be
/// in any order. There may be `left` of them.
pub(super) fn decode_mappings(
    text: &[u8],
    offset: (u32, u32),
    left: usize,
    segments: &mut Vec<MappedSegment>,
) -> Result<(), MappingsError> {
    // The column, the source, and its line and column. Each number is relative to the one before it.
    let mut state = [0i64; 4];
    let (mut line, column_offset) = offset;
    let mut at = 0;
    for (number, row) in text.split(|&byte| byte == b';').enumerate() {
        if number > 0 {
            line = line.checked_add(1).ok_or(MappingsError::Number(at))?;
        }
        state[0] = if number == 0 {
            i64::from(column_offset)
        } else {
            0
        };
        for segment in row.split(|&byte| byte == b',') {
            let (numbers, count) = decode_numbers(segment, at)?;
            if count > 0 {
                if segments.len() == MAX_SEGMENTS {
                    return Err(MappingsError::TooMany);
                }
                if segments.len() == left {
                    return Err(MappingsError::TooManyTogether);
                }
                segments.push(add_segment(&mut state, line, &numbers, count, at)?);
            }
            at += segment.len() + 1;
        }
    }
    Ok(())
}

fn add_segment(
    state: &mut [i64; 4],
    line: u32,
    numbers: &[i64; 5],
    count: usize,
    at: usize,
) -> Result<MappedSegment, MappingsError> {
    let used = match count {
        1 => 1,
        // The fifth is a name, which is not needed.
        4 | 5 => 4,
        _ => return Err(MappingsError::Length(at, count)),
    };
    for (value, added) in state.iter_mut().zip(numbers).take(used) {
        // Both are below 2^33, so that the sum cannot overflow.
        *value += added;
    }
    let to_u32 = |value: i64| u32::try_from(value).map_err(|_| MappingsError::Number(at));
    let original = match used {
        1 => None,
        _ => Some(OriginalPosition {
            source: to_u32(state[1])?,
            line: to_u32(state[2])?,
            column: to_u32(state[3])?,
        }),
    };
    Ok(MappedSegment {
        line,
        column: to_u32(state[0])?,
        original,
    })
}

/// Decodes the numbers of a segment, at most five, and returns how many there are.
fn decode_numbers(segment: &[u8], at: usize) -> Result<([i64; 5], usize), MappingsError> {
    let mut numbers = [0; 5];
    let mut count = 0;
    let mut value = 0i64;
    let mut shift = 0u32;
    for (index, &byte) in segment.iter().enumerate() {
        let digit = base64_digit(byte).ok_or(MappingsError::Character(at + index))?;
        if shift > 30 {
            return Err(MappingsError::Number(at + index));
        }
        value |= i64::from(digit & 31) << shift;
        shift += 5;
        if digit & 32 == 0 {
            let Some(number) = numbers.get_mut(count) else {
                return Err(MappingsError::Length(at, count + 1));
            };
            *number = if value & 1 == 1 {
                -(value >> 1)
            } else {
                value >> 1
            };
            (count, value, shift) = (count + 1, 0, 0);
        }
    }
    if shift > 0 {
        Err(MappingsError::Number(at))
    } else {
        Ok((numbers, count))
    }
}

fn base64_digit(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode(text: &str) -> Result<Vec<MappedSegment>, MappingsError> {
        let mut segments = Vec::new();
        decode_mappings(
            text.as_bytes(),
            (0, 0),
            MAX_SEGMENTS_TOGETHER,
            &mut segments,
        )
        .map(|()| segments)
    }

    fn encode(number: i64, text: &mut String) {
        const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut rest = if number < 0 {
            (-number) << 1 | 1
        } else {
            number << 1
        };
        loop {
            let digit = rest & 31;
            rest >>= 5;
            let more = i64::from(rest > 0) << 5;
            text.push(char::from(DIGITS[usize::try_from(digit | more).unwrap()]));
            if rest == 0 {
                return;
            }
        }
    }

    proptest! {
        #[test]
        fn mappings_are_decoded_as_they_were_encoded(
            positions in prop::collection::vec(
                (0u32..4, 0u32..=u32::MAX / 4, prop::option::of((0u32..50, 0u32..=u32::MAX / 4, 0u32..=u32::MAX / 4)), any::<bool>()),
                0..40,
            ),
        ) {
            let mut text = String::new();
            let (mut line, mut before) = (0, [0i64; 4]);
            let mut expected = Vec::new();
            for (lines, column, original, is_named) in positions {
                if lines > 0 {
                    text.push_str(&";".repeat(lines as usize));
                    line += lines;
                    before[0] = 0;
                } else {
                    text.push(',');
                }
                encode(i64::from(column) - before[0], &mut text);
                before[0] = i64::from(column);
                let original = original.map(|(source, line, column)| {
                    for (index, value) in [source, line, column].into_iter().enumerate() {
                        encode(i64::from(value) - before[index + 1], &mut text);
                        before[index + 1] = i64::from(value);
                    }
                    if is_named {
                        encode(-3, &mut text);
                    }
                    OriginalPosition { source, line, column }
                });
                expected.push(MappedSegment { line, column, original });
            }
            prop_assert_eq!(decode(&text), Ok(expected));
        }

        #[test]
        fn hostile_mappings_end_in_an_error(text in "[A-Za-z0-9+/,;é]{0,60}") {
            let _ = decode(&text);
        }
    }

    #[test]
    fn mistakes_are_located() {
        assert_eq!(decode("AAAA,A*"), Err(MappingsError::Character(6)));
        assert_eq!(decode("AA"), Err(MappingsError::Length(0, 2)));
        assert_eq!(decode("AAAA;AAAAAA"), Err(MappingsError::Length(5, 6)));
        assert_eq!(
            decode("D"),
            Err(MappingsError::Number(0)),
            "a negative column"
        );
        assert_eq!(
            decode("AAAg"),
            Err(MappingsError::Number(0)),
            "an unfinished number"
        );
        assert_eq!(decode("gggggggggggggB"), Err(MappingsError::Number(7)));
    }
}
