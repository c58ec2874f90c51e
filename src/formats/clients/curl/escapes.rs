//! The escapes in `$'…'`, as bash reads them (Bash Reference Manual, section 3.1.2.4).

/// Decodes the escape at the beginning of `text`, and returns its length. A backslash before any other character is a
/// backslash.
pub(super) fn ansi_c(text: &[u8]) -> (Vec<u8>, usize) {
    let plain = |byte: u8| (vec![byte], 2);
    match text.get(1) {
        Some(b'a') => plain(7),
        Some(b'b') => plain(8),
        Some(b'e' | b'E') => plain(27),
        Some(b'f') => plain(12),
        Some(b'n') => plain(b'\n'),
        Some(b'r') => plain(b'\r'),
        Some(b't') => plain(b'\t'),
        Some(b'v') => plain(11),
        Some(&byte @ (b'\\' | b'\'' | b'"' | b'?')) => plain(byte),
        Some(b'0'..=b'7') => digits(text, 1, 3, 8).map_or((vec![b'\\'], 1), byte),
        Some(b'x') => digits(text, 2, 2, 16).map_or((vec![b'\\'], 1), byte),
        Some(b'u') => digits(text, 2, 4, 16).map_or((vec![b'\\'], 1), character),
        Some(b'U') => digits(text, 2, 8, 16).map_or((vec![b'\\'], 1), character),
        Some(b'c') => match text.get(2) {
            Some(letter) => (vec![letter.to_ascii_uppercase() & 0x1F], 3),
            None => (vec![b'\\'], 1),
        },
        _ => (vec![b'\\'], 1),
    }
}

/// Parses the digits at `from`, and returns the number and the offset after them.
fn digits(text: &[u8], from: usize, most: usize, radix: u32) -> Option<(u32, usize)> {
    let rest = text.get(from..)?;
    let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
    let length = rest.iter().take(most).take_while(is_digit).count();
    let digits = std::str::from_utf8(rest.get(..length)?).ok()?;
    Some((u32::from_str_radix(digits, radix).ok()?, from + length))
}

fn byte((value, length): (u32, usize)) -> (Vec<u8>, usize) {
    (vec![u8::try_from(value & 0xFF).unwrap_or_default()], length)
}

fn character((value, length): (u32, usize)) -> (Vec<u8>, usize) {
    let character = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
    (character.to_string().into_bytes(), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_as_bash_reads_them() {
        for (text, meant, length) in [
            (r"\n'", "\n", 2),
            (r"\'", "'", 2),
            (r"\u00e9x", "é", 6),
            (r"\u22", "\"", 4),
            (r"\U1F680", "🚀", 7),
            (r"\x7bz", "{", 4),
            (r"\173", "{", 4),
            (r"\xz", "\\", 1),
            (r"\q", "\\", 1),
            (r"\cA", "\u{1}", 3),
        ] {
            assert_eq!(ansi_c(text.as_bytes()), (meant.as_bytes().to_vec(), length), "{text}");
        }
    }
}
