//! What loggers and recorders write in place of text, and what is still known of the text.

/// The words and the signs that loggers and recorders write in place of text.
pub(crate) const MASK_WORDS: [&str; 6] = [
    "redacted", "filtered", "masked", "removed", "hidden", "scrubbed",
];
pub(crate) const MASK_MARKS: [&str; 3] = ["***", "\u{2022}\u{2022}\u{2022}", "\u{2026}"];

/// The beginning and the end of a segment between which a logger masked or cut text; `None` if all of it is known.
pub(super) fn known_parts(segment: &str) -> Option<(&str, &str)> {
    /// In bytes. Literals are shorter.
    const LONGEST: usize = 256;
    if segment.len() > LONGEST {
        return None;
    }
    let inner = (segment
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']')))
    .or_else(|| segment.strip_prefix('<')?.strip_suffix('>'));
    if inner.is_some_and(|inner| {
        MASK_WORDS
            .iter()
            .any(|word| inner.eq_ignore_ascii_case(word))
    }) {
        return Some(("", ""));
    }
    let marks = MASK_MARKS.iter().chain(&["..."]);
    let start = marks.clone().filter_map(|mark| segment.find(mark)).min()?;
    let ends = marks.filter_map(|mark| Some(segment.rfind(mark)? + mark.len()));
    Some((segment.get(..start)?, segment.get(ends.max()?..)?))
}

/// Whether a segment may be this literal, in any letter case.
pub(super) fn may_be_literal(wanted: &str, text: &str) -> bool {
    match known_parts_lower(text) {
        Some(parts) => has_parts(&wanted.to_ascii_lowercase(), &parts),
        None => wanted.eq_ignore_ascii_case(text),
    }
}

/// The same parts in lower case.
pub(super) fn known_parts_lower(segment: &str) -> Option<[String; 2]> {
    let (start, end) = known_parts(segment)?;
    Some([start, end].map(str::to_ascii_lowercase))
}

/// Whether a literal begins and ends with the known parts of a segment, all in lower case.
pub(super) fn has_parts(wanted: &str, [start, end]: &[String; 2]) -> bool {
    let rest = wanted.strip_prefix(start.as_str());
    rest.is_some_and(|rest| rest.ends_with(end.as_str()))
}

/// Whether the end of a path is cut off in its last segment, so that the path may go on.
pub(super) fn is_cut(last: &str) -> bool {
    last.ends_with("...") || last.ends_with('\u{2026}')
}
