//! The product tokens of a `User-Agent` header field (RFC 9110, section 10.1.5).

use sundown_exchange::is_token;

/// The longest product that is shown, in bytes; a user agent has few and short ones.
const MAX_PRODUCT_BYTES: usize = 64;

/// The number of products that are shown.
const MAX_PRODUCTS: usize = 8;

/// Returns the products of a user agent, separated by spaces, without comments; `None` if it does not begin with one. What follows
/// the first part that is neither a product nor a comment is left out.
pub(super) fn product_tokens(value: &str) -> Option<String> {
    let mut rest = value.trim_matches([' ', '\t']);
    let mut products: Vec<&str> = Vec::new();
    while !rest.is_empty() && products.len() < MAX_PRODUCTS {
        let next = match comment_end(rest) {
            Some(end) => end,
            None => {
                let end = rest.find([' ', '\t', '(']).unwrap_or(rest.len());
                let product = rest.get(..end).unwrap_or_default();
                if !is_product(product) {
                    break;
                }
                products.push(product);
                end
            }
        };
        rest = rest
            .get(next..)
            .unwrap_or_default()
            .trim_start_matches([' ', '\t']);
    }
    (!products.is_empty()).then(|| products.join(" "))
}

/// Returns the length of the comment at the beginning of a text; `None` if there is none that ends.
fn comment_end(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if depth > 0 => is_escaped = true,
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at + 1),
            b')' if depth > 1 => depth -= 1,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Returns whether a text is a token, or two tokens separated by a slash (RFC 9110, section 5.6.2).
fn is_product(text: &str) -> bool {
    let (name, version) = text.split_once('/').unwrap_or((text, "-"));
    text.len() <= MAX_PRODUCT_BYTES && is_token(name) && is_token(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_products_are_kept() {
        for (value, tokens) in [
            ("curl/8.5.0", Some("curl/8.5.0")),
            (
                "Mozilla/5.0 (X11; Linux (a\\)b)) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/1",
                Some("Mozilla/5.0 AppleWebKit/537.36 Chrome/1"),
            ),
            ("shop-app", Some("shop-app")),
            ("shop/1(x)billing/2", Some("shop/1 billing/2")),
            ("shop/1 token=secret other/2", Some("shop/1")),
            ("shop/1 (never ends", Some("shop/1")),
            ("someone@example.com", None),
            ("a/b/c", None),
            ("(only a comment)", None),
            ("\u{1b}[31mred", None),
            ("", None),
        ] {
            assert_eq!(product_tokens(value).as_deref(), tokens, "{value}");
        }
        assert_eq!(product_tokens(&"x".repeat(1_000_000)), None);
        assert_eq!(product_tokens(&"(".repeat(1_000_000)), None);
    }
}
