//! The excerpt of a file around a mistake: its line, truncated if it is long, and the lines above and below.

use std::ops::Range;

use sundown_text_json::text::{Location, replace_unsafe};

/// The length in bytes up to which a line is shown as a whole. Few lines that people write are longer.
const MAX_WHOLE_BYTES: usize = 200;

/// The number of characters that are shown of a longer line: of the mistake, and of the text on each side.
const SIDE: usize = 60;
const MIDDLE: usize = 100;

/// The lines around a mistake, safe to print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The beginning of the mistake.
    pub location: Location,
    /// The text before it on its line.
    pub before: String,
    /// The mistaken text on this line.
    pub marked: String,
    /// The text after it on its line.
    pub after: String,
    /// The line above, if it is not blank.
    pub above: Option<String>,
    /// The line below, if it is not blank.
    pub below: Option<String>,
}

/// The amount of a file's content that excerpts and messages show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disclosure {
    /// All content.
    Plain,
    /// A `*` for each letter and digit in excerpts, and no content in messages.
    Masked,
}

impl Disclosure {
    /// A line with a character for each of its characters.
    fn of(self, line: &str) -> String {
        let safe = replace_unsafe(line);
        match self {
            Self::Plain => safe,
            Self::Masked => safe
                .chars()
                .map(|character| {
                    if character.is_alphanumeric() {
                        '*'
                    } else {
                        character
                    }
                })
                .collect(),
        }
    }
}

/// A file, split into lines.
pub(super) struct ExcerptSource<'t> {
    text: &'t str,
    sight: Disclosure,
    /// Each line with its offset, without the line end.
    lines: Vec<(usize, &'t str)>,
}

impl<'t> ExcerptSource<'t> {
    pub(super) fn new(text: &'t str, sight: Disclosure) -> Self {
        let mut next = 0;
        let lines = text.split('\n').map(|line| {
            let begins = next;
            next += line.len() + 1;
            (begins, line.strip_suffix('\r').unwrap_or(line))
        });
        Self {
            text,
            sight,
            lines: lines.collect(),
        }
    }

    /// Returns the excerpt of a span that begins at `location`.
    pub(super) fn excerpt(&self, span: &Range<usize>, location: Location) -> Excerpt {
        let (begins, line) = self.line(location.line).unwrap_or_default();
        let ends = [span.start, span.end.max(span.start)];
        let [start, end] = ends.map(|offset| {
            let until = self.boundary(offset).saturating_sub(begins).min(line.len());
            line.get(..until).unwrap_or_default().chars().count()
        });
        let first = usize::from(line.starts_with('\u{feff}')).min(start);
        let safe: Vec<char> = self.sight.of(line).chars().collect();
        let [middle, side] = shown_lengths(line);
        Excerpt {
            location,
            before: end_of(safe.get(first..start).unwrap_or_default(), side),
            marked: beginning(safe.get(start..end).unwrap_or_default(), middle),
            after: beginning(safe.get(end..).unwrap_or_default(), side),
            above: self.neighbour(location.line - 1),
            below: self.neighbour(location.line + 1),
        }
    }

    /// A line next to the one with the mistake, if it has text.
    fn neighbour(&self, number: usize) -> Option<String> {
        let (_, line) = self
            .line(number)
            .filter(|(_, line)| !line.trim().is_empty())?;
        let safe: Vec<char> = self.sight.of(line).chars().collect();
        let [middle, _] = shown_lengths(line);
        Some(beginning(&safe, middle))
    }

    /// The line with this one-based number, and its offset.
    fn line(&self, number: usize) -> Option<(usize, &'t str)> {
        self.lines.get(number.checked_sub(1)?).copied()
    }

    /// Returns the offset, or the start of the character that contains it.
    fn boundary(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        (0..=offset)
            .rev()
            .find(|at| self.text.is_char_boundary(*at))
            .unwrap_or_default()
    }
}

/// The numbers of characters that are shown of what is marked in a line, and at each side of it.
fn shown_lengths(line: &str) -> [usize; 2] {
    if line.len() <= MAX_WHOLE_BYTES {
        [usize::MAX; 2]
    } else {
        [MIDDLE, SIDE]
    }
}

/// Returns the first characters, and an ellipsis if there are more.
fn beginning(text: &[char], count: usize) -> String {
    text.iter()
        .take(count)
        .chain((text.len() > count).then_some(&'…'))
        .collect()
}

/// Returns the last characters, and an ellipsis if there are more.
fn end_of(text: &[char], count: usize) -> String {
    let more = text.len().saturating_sub(count);
    (more > 0)
        .then_some(&'…')
        .into_iter()
        .chain(text.iter().skip(more))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sundown_text_json::text::{Block, Locations};

    fn excerpt(text: &str, span: Range<usize>, sight: Disclosure) -> Excerpt {
        let locations = Locations::of(Block::whole(text.as_bytes()), vec![span.start]);
        ExcerptSource::new(text, sight).excerpt(&span, locations.get(span.start))
    }

    fn line(spot: &Excerpt) -> [&str; 3] {
        [&spot.before, &spot.marked, &spot.after].map(String::as_str)
    }

    #[test]
    fn a_line_is_shown_with_those_around_it() {
        let spot = excerpt("a = 1\r\nbé = 22\r\n\r\n", 13..15, Disclosure::Plain);
        assert_eq!((spot.location.line, spot.location.column), (2, 6));
        assert_eq!(line(&spot), ["bé = ", "22", ""]);
        assert_eq!(
            (spot.above.as_deref(), spot.below.as_deref()),
            (Some("a = 1"), None)
        );
    }

    #[test]
    fn a_long_line_is_shown_around_the_mistake_only() {
        let text = format!("{}x = 'é'{}", "ä".repeat(100_000), "ö".repeat(100_000));
        let at = text.find('x').unwrap();
        let spot = excerpt(&text, at..text.len() - 2, Disclosure::Plain);
        assert_eq!(spot.location.column, 100_001);
        assert_eq!(spot.before, format!("…{}", "ä".repeat(SIDE)));
        assert_eq!(spot.marked, format!("x = 'é'{}…", "ö".repeat(MIDDLE - 7)));
        assert_eq!(
            (spot.after.as_str(), spot.above, spot.below),
            ("ö", None, None)
        );
    }

    #[test]
    fn long_lines_around_it_are_shown_from_their_beginnings() {
        let long = "é".repeat(70_000);
        let spot = excerpt(
            &format!("{long}\nx\n{long}"),
            140_001..140_002,
            Disclosure::Plain,
        );
        let shown = Some(format!("{}…", "é".repeat(MIDDLE)));
        assert_eq!(line(&spot), ["", "x", ""]);
        assert_eq!((spot.above, spot.below), (shown.clone(), shown));
    }

    #[test]
    fn what_goes_on_behind_the_line_is_marked_to_its_end() {
        assert_eq!(
            line(&excerpt("a = [\n1,\n2]", 4..11, Disclosure::Plain)),
            ["a = ", "[", ""]
        );
    }

    #[test]
    fn nothing_is_shown_that_a_terminal_would_obey() {
        let spot = excerpt("\u{1b}[2J\t\u{202e}x\n\u{7}", 8..9, Disclosure::Plain);
        assert_eq!(line(&spot), ["?[2J\t?", "x", ""]);
        assert_eq!(spot.below.as_deref(), Some("?"));
        let spot = excerpt("a##[x]", 2..3, Disclosure::Plain);
        assert_eq!(line(&spot), ["a#", "?", "[x]"]);
        assert_eq!(
            line(&excerpt("a\r::b", 0..1, Disclosure::Plain)),
            ["", "a", "?::b"]
        );
    }

    #[test]
    fn masked_text_keeps_its_columns() {
        let spot = excerpt("é-key: 's3crét'\nmore", 4..7, Disclosure::Masked);
        assert_eq!(line(&spot), ["*-*", "**:", " '******'"]);
        assert_eq!(spot.below.as_deref(), Some("****"));
    }

    #[test]
    fn a_place_at_the_end_in_a_character_or_past_the_end_is_shown() {
        let text = "ab\n";
        for span in [3..3, 9..12] {
            assert_eq!(line(&excerpt(text, span, Disclosure::Plain)), ["", "", ""]);
        }
        assert_eq!(line(&excerpt("é", 1..2, Disclosure::Plain)), ["", "é", ""]);
        assert_eq!(line(&excerpt("", 0..0, Disclosure::Plain)), ["", "", ""]);
    }

    #[test]
    fn a_byte_order_mark_is_not_shown() {
        assert_eq!(
            line(&excerpt("\u{feff}ab", 4..5, Disclosure::Plain)),
            ["a", "b", ""]
        );
    }
}
