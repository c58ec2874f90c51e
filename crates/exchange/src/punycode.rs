//! Names of hosts with other characters than ASCII, in the form in which they are sent (punycode, RFC 3492).
//!
//! Only the encoding: the tables by which browsers map characters first (UTS 46) have hundreds of kilobytes, and the names in
//! captures have been mapped.

// The parameters of RFC 3492, section 5.
const BASE: u32 = 36;
const T_MIN: u32 = 1;
const T_MAX: u32 = 26;
const SKEW: u32 = 38;
const DAMP: u32 = 700;
const FIRST_BIAS: u32 = 72;
const FIRST_CODE: u32 = 0x80;

/// The number of characters of a label, at most. A longer one is no label, and encoding takes time that grows with its square.
const MAX_LABEL_CHARS: usize = 63;

/// Encodes a label. One that is ASCII, or too long, stays as it is.
pub(super) fn to_ascii(label: &str) -> String {
    if label.is_ascii() {
        return label.to_owned();
    }
    encode(label).map_or_else(|| label.to_owned(), |encoded| format!("xn--{encoded}"))
}

fn encode(label: &str) -> Option<String> {
    let codes: Vec<u32> = label.chars().map(u32::from).collect();
    if codes.len() > MAX_LABEL_CHARS {
        return None;
    }
    let mut encoded: String = label.chars().filter(char::is_ascii).collect();
    let basic = u32::try_from(encoded.len()).ok()?;
    if basic > 0 {
        encoded.push('-');
    }
    let mut next = FIRST_CODE;
    let mut delta = 0u32;
    let mut bias = FIRST_BIAS;
    let mut handled = basic;
    while let Some(code) = codes.iter().copied().filter(|&code| code >= next).min() {
        delta = delta.checked_add((code - next).checked_mul(handled + 1)?)?;
        next = code;
        for &one in &codes {
            if one < code {
                delta = delta.checked_add(1)?;
            } else if one == code {
                push_number(&mut encoded, delta, bias);
                bias = adapt(delta, handled + 1, handled == basic);
                delta = 0;
                handled += 1;
            }
        }
        delta = delta.checked_add(1)?;
        next += 1;
    }
    Some(encoded)
}

/// Writes a number in digits whose weights depend on the bias (section 3.3).
fn push_number(encoded: &mut String, mut number: u32, bias: u32) {
    let mut position = BASE;
    loop {
        let threshold = position.saturating_sub(bias).clamp(T_MIN, T_MAX);
        if number < threshold {
            break encoded.push(digit(number));
        }
        encoded.push(digit(threshold + (number - threshold) % (BASE - threshold)));
        number = (number - threshold) / (BASE - threshold);
        position += BASE;
    }
}

/// The bias after a number (section 3.4).
fn adapt(delta: u32, count: u32, is_first: bool) -> u32 {
    let mut delta = if is_first { delta / DAMP } else { delta / 2 };
    delta += delta / count;
    let mut position = 0;
    while delta > (BASE - T_MIN) * T_MAX / 2 {
        delta /= BASE - T_MIN;
        position += BASE;
    }
    position + (BASE - T_MIN + 1) * delta / (delta + SKEW)
}

fn digit(value: u32) -> char {
    char::from_digit(if value < 26 { value + 10 } else { value - 26 }, BASE).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The labels are examples of RFC 3492, section 7.1, and well-known names.
    #[test]
    fn labels_are_encoded_as_in_the_standard() {
        for (label, encoded) in [
            ("bücher", "xn--bcher-kva"),
            ("münchen", "xn--mnchen-3ya"),
            ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"),
            (
                "почемужеонинеговорятпорусски",
                "xn--b1abfaaepdrnnbgefbadotcwatmq2g4l",
            ),
            ("ひとつ屋根の下2", "xn--2-u9tlzr9756bt3uc0v"),
            ("api", "api"),
        ] {
            assert_eq!(to_ascii(label), encoded, "{label}");
        }
        let long = "ü".repeat(64);
        assert_eq!(to_ascii(&long), long);
    }
}
