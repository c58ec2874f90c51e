//! Names in any spelling: compared without regard to case, spaces, `_` and `-`.

/// Gives `then` the bytes of a key that matter in any spelling: in memory of their own only if the key is long.
pub fn with_letters<T>(key: &[u8], then: impl FnOnce(&[u8]) -> T) -> T {
    const SHORT: usize = 64;
    let mut short = [0u8; SHORT];
    if key.len() > SHORT {
        let long: Vec<u8> = letters(key).collect();
        return then(&long);
    }
    let mut length = 0;
    for (place, byte) in short.iter_mut().zip(letters(key)) {
        *place = byte;
        length += 1;
    }
    then(short.get(..length).unwrap_or_default())
}

/// The bytes of a key that matter in any spelling.
fn letters(key: &[u8]) -> impl Iterator<Item = u8> {
    key.iter().filter(counts).map(u8::to_ascii_lowercase)
}

/// Whether a byte of a key matters in any spelling.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "for filters of bytes")]
pub fn counts(byte: &&u8) -> bool {
    !b"_- ".contains(byte)
}

/// Whether two names are the same but for case, spaces, `_` and `-`.
pub fn is_spelled(key: &str, name: &str) -> bool {
    letters(key.as_bytes()).eq(letters(name.as_bytes()))
}
