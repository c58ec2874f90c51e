//! Decides which values may be shown if the user asks for them: scalars of deprecated keys that do not look like a secret.
//!
//! In doubt, a value stays hidden.

/// Whether findings show values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Values {
    /// They are never shown.
    #[default]
    Hidden,
    /// Those that may be are shown.
    Shown,
}

/// Parts of the names of keys whose values are secret or personal.
const SECRET_NAMES: [&str; 28] = [
    "auth",
    "token",
    "secret",
    "passw",
    "passphrase",
    "pwd",
    "credential",
    "cookie",
    "session",
    "apikey",
    "api_key",
    "api-key",
    "accesskey",
    "access_key",
    "privatekey",
    "private_key",
    "signature",
    "bearer",
    "jwt",
    "otp",
    "pin_code",
    "pincode",
    "ssn",
    "iban",
    "card",
    "email",
    "phone",
    "address",
];

/// Returns whether values of a key of this name are never shown.
pub(super) fn is_secret_name(name: &str) -> bool {
    let name = name.to_lowercase();
    SECRET_NAMES.iter().any(|piece| name.contains(piece))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_secrets_are_known_however_they_are_written() {
        for name in ["Authorization", "trackingToken", "API-Key", "userPassword", "X-Amz-Signature"]
        {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["boardId", "citations", "isNegated", "role"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
