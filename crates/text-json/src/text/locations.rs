//! Converts byte offsets to lines and columns.

use super::block::Block;
use super::location::Location;

/// The locations of offsets in a block, as if it were the beginning of a file.
///
/// Offsets are sorted first, so that the text is read once, however many offsets there are and however long its lines are.
#[derive(Debug, Default)]
pub struct Locations(Vec<(usize, Location)>);

impl Locations {
    /// Finds the locations of all `offsets`; one past the end is at the end.
    ///
    /// A byte order mark is not a column. In text that is not UTF-8, each byte that does not continue a code point counts as one.
    pub fn of(block: Block<'_>, mut offsets: Vec<usize>) -> Self {
        offsets.sort_unstable();
        offsets.dedup();
        let mut place = Location::START;
        let mut at = 0;
        let located = offsets.into_iter().map(|wanted| {
            let offset = block.bytes.len().min(wanted);
            let between = Block {
                bytes: block.bytes.get(at..offset).unwrap_or_default(),
                start: block.start + at,
            };
            place = place.then(between.end());
            at = offset;
            (wanted, place)
        });
        Self(located.collect())
    }

    /// The location of one of the offsets.
    pub fn get(&self, offset: usize) -> Location {
        let index = self.0.binary_search_by_key(&offset, |&(offset, _)| offset);
        index
            .ok()
            .and_then(|index| self.0.get(index))
            .map_or(Location::START, |&(_, location)| location)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, offset: usize) -> (usize, usize) {
        let location = Locations::of(Block::whole(text.as_bytes()), vec![offset]).get(offset);
        (location.line, location.column)
    }

    #[test]
    fn the_first_byte_is_line_one_column_one() {
        assert_eq!(at("", 0), (1, 1));
        assert_eq!(at("abc", 0), (1, 1));
    }

    #[test]
    fn a_newline_belongs_to_the_line_it_ends() {
        assert_eq!(at("ab\ncd", 2), (1, 3));
        assert_eq!(at("ab\ncd", 3), (2, 1));
        assert_eq!(at("ab\r\ncd", 5), (2, 2));
    }

    #[test]
    fn columns_count_code_points_not_bytes() {
        assert_eq!(at("é😀x", "é😀".len()), (1, 3));
    }

    #[test]
    fn a_byte_order_mark_is_no_column() {
        assert_eq!(at("\u{feff}{}", 3), (1, 1));
        assert_eq!(at("\u{feff}{}\nab", 7), (2, 2));
    }

    #[test]
    fn long_lines_count_like_short_ones() {
        for blocks in 0..3 {
            for more in [0, 1, 2, 254] {
                let text = format!("x\n{}", "é".repeat(usize::midpoint(blocks * 255, more)));
                for offset in [2, text.len() / 4 * 2, text.len()] {
                    let slow = text[..offset].rsplit('\n').next().unwrap().chars().count() + 1;
                    assert_eq!(
                        at(&text, offset),
                        (if offset < 2 { 1 } else { 2 }, slow),
                        "{blocks} {more} {offset}"
                    );
                }
            }
        }
    }

    #[test]
    fn bytes_are_counted_from_the_start_of_the_line() {
        let text = "\u{feff}é😀x\né";
        let at = |offset| Locations::of(Block::whole(text.as_bytes()), vec![offset]).get(offset);
        let end = text.len();
        assert_eq!(at(3).byte_column, 1, "a byte order mark is no column");
        assert_eq!(at(end - 4).byte_column, "é😀".len() + 1);
        assert_eq!(at(end).byte_column, 3);
        let all = Locations::of(Block::whole(text.as_bytes()), vec![3, end - 4, end]);
        assert_eq!(
            [3, end - 4, end].map(|offset| all.get(offset)),
            [3, end - 4, end].map(at)
        );
    }

    #[test]
    fn an_offset_past_the_end_is_the_end() {
        assert_eq!(at("ab\n", 99), (2, 1));
    }

    #[test]
    fn many_places_are_found_as_each_alone() {
        let text = "\u{feff}ab\né😀\n\nlast é\n".repeat(30);
        // Nothing begins inside the byte order mark.
        let offsets: Vec<usize> = (3..text.len() + 3).rev().chain([0]).collect();
        let all = Locations::of(Block::whole(text.as_bytes()), offsets.clone());
        for offset in offsets {
            let (line, column) = at(&text, offset);
            let found = all.get(offset);
            assert_eq!((found.line, found.column), (line, column), "{offset}");
        }
    }

    #[test]
    fn places_in_blocks_add_up_to_places_in_the_whole() {
        let text = "\u{feff}ab\né😀\n\nlast é";
        let place = |block: Block<'_>, offset| Locations::of(block, vec![offset]).get(offset);
        let whole = |offset| place(Block::whole(text.as_bytes()), offset);
        for (cut, _) in text.char_indices().skip(1) {
            let (front, back) = text.as_bytes().split_at(cut);
            let end = Block::whole(front).end();
            assert_eq!(end, whole(cut), "cut at {cut}");
            let behind = Block {
                bytes: back,
                start: cut,
            };
            for (at, _) in text.char_indices().filter(|&(at, _)| at >= cut) {
                assert_eq!(end.then(place(behind, at - cut)), whole(at), "{cut} {at}");
            }
        }
    }
}
