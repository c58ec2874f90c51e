//! Validates JSON with the strict walker, without its errors.

use super::scalars::is_utf8;
use super::walker::Walker;
use crate::text::Span;

/// Whether the bytes are one JSON value (RFC 8259) and white space, nested at most `max_depth` levels deep.
pub fn is_value(bytes: &[u8], max_depth: usize) -> bool {
    is_value_except(bytes, &[], max_depth)
}

/// Whether the bytes are one value, if the values at `holes` are valid. Those are in order and are not read.
pub fn is_value_except(bytes: &[u8], holes: &[Span], max_depth: usize) -> bool {
    let mut walker = Walker::over(bytes, 0).up_to(max_depth);
    walker.unread = holes;
    let is_whole = walker.skip_rest().and_then(|()| walker.finish()).is_ok();
    let ends = holes.iter().map(|hole| hole.start).chain([bytes.len()]);
    let mut between = [0]
        .into_iter()
        .chain(holes.iter().map(|hole| hole.end))
        .zip(ends)
        .map(|(start, end)| bytes.get(start..end));
    is_whole && walker.unread.is_empty() && between.all(|gap| gap.is_some_and(is_utf8))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// Whatever is written in a value that is not read, the others decide; and every hole must be a value.
        #[test]
        fn values_that_are_not_read_do_not_matter(
            values in prop::collection::vec(super::super::tests::value(), 3..40),
            number in any::<prop::sample::Index>(),
            hidden in prop::sample::select(&["\"a\\x\"", "{\"a\":nope}", "[1,]", "{}", "\"\u{1}\""][..]),
            broken in any::<bool>(),
        ) {
            let number = number.index(values.len());
            let mut values: Vec<&str> = values.iter().map(String::as_str).collect();
            values[number] = hidden;
            let before = values[..number].join(",");
            let start = 1 + before.len() + usize::from(number > 0);
            let hole = Span::new(start, start + hidden.len());
            let text = format!("[{}{}]", values.join(","), if broken { ",nope" } else { "" });
            prop_assert_eq!(is_value_except(text.as_bytes(), &[hole], 100), !broken, "{}", text);
            let elsewhere = Span::new(text.len(), text.len());
            prop_assert!(!is_value_except(text.as_bytes(), &[hole, elsewhere], 100));
        }
    }

    #[test]
    fn only_utf8_is_json() {
        assert!(is_value(b"\"\xC3\xA9\"", 9) && !is_value(b"\"\xC3\"", 9));
        assert!(is_value_except(b"[\"\xC3\"]", &[Span::new(1, 4)], 9));
    }
}
