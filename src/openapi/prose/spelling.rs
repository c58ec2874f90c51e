//! Compares names as people write them: prose has other letter case and separators than schemas.

/// The name that equals `wanted`, or else the only one that equals it but for letter case and separators: prose says
/// `evaluation_mode` for `evaluationMode`.
pub(super) fn unique<'n>(names: impl Iterator<Item = &'n str>, wanted: &str) -> Option<&'n str> {
    let folded = folded(wanted);
    let mut alike: Option<&str> = None;
    let mut are_many = false;
    for name in names {
        if name == wanted {
            return Some(name);
        }
        if self::folded(name) == folded {
            are_many |= alike.is_some_and(|alike| alike != name);
            alike = Some(name);
        }
    }
    alike.filter(|_| !are_many && !folded.is_empty())
}

/// The letters and digits of a name, in lower case.
pub(super) fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
