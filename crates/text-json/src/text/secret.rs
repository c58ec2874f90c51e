//! Recognizes texts that look like secrets or personal data.

/// The maximum length of a harmless value: a longer one is prose or a secret.
const MAX_CHARS: usize = 60;

/// A word with this number of letters and digits, some of them digits, is a secret, an id, or a point in time.
const MAX_WORD_LENGTH: usize = 15;

/// This number of digits is the number of a card, a telephone or a person.
const MAX_DIGITS: usize = 8;

/// The prefixes of secrets that identify themselves.
const SECRET_STARTS: [&str; 21] = [
    "eyJ",
    "sk_",
    "sk-",
    "pk_",
    "rk_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "npm_",
    "xox",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "Bearer ",
    "Basic ",
    "Digest ",
    "-----BEGIN",
];

/// Whether a text looks like a secret or personal data.
pub fn looks_secret(text: &str) -> bool {
    text.chars().count() > MAX_CHARS
        || text.contains('@')
        || SECRET_STARTS
            .iter()
            .any(|start| text.trim_start().starts_with(start))
        || text.chars().filter(char::is_ascii_digit).count() > MAX_DIGITS
        || text.contains("://") && text.contains(['?', '#'])
        || text
            .split(|character: char| {
                !(character.is_alphanumeric() || "_-+/=.~%:".contains(character))
            })
            .any(|word| {
                let count = word
                    .chars()
                    .filter(|character| character.is_alphanumeric())
                    .count();
                count > MAX_WORD_LENGTH && word.chars().any(|character| character.is_ascii_digit())
            })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_a_secret_stays_hidden() {
        for secret in [
            "eyJhbGciOiJIUzI1NiJ9.e30.c2ln",
            "sk_live_1",
            "Bearer x",
            "zoe@example.com",
            "62ba6c104f35d776",
            "dGhpcyBpcyBhIHNlY3JldCAx",
            "4111 1111 1111 1111",
            "+41 44 123 45 67",
            "https://example.com/a?sig=x",
            "AWS4-HMAC-SHA256-Signature-0a1b2c3d",
            &"a".repeat(61),
        ] {
            assert!(looks_secret(secret), "{secret}");
        }
        for plain in [
            "EQUALS",
            "true",
            "42",
            "-1.5",
            "2026-11-20",
            "Spreadsheet",
            "a short text",
            "",
        ] {
            assert!(!looks_secret(plain), "{plain}");
        }
    }
}
