//! Where in code the uses of a finding were made.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use sundown_exchange::{CodeLocation, CodeOrigin};

/// The places in code that made the calls of a finding. Merging is associative and commutative, so that the result does not
/// depend on the order in which exchanges are checked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origins {
    /// The first [`MAX_ORIGINS`], each with the number of its uses.
    list: BTreeMap<Arc<CodeOrigin>, usize>,
    /// How many uses come from other places.
    left_out: usize,
}

/// How many different places in code a finding lists; the uses from others are counted.
const MAX_ORIGINS: usize = 10;

impl Origins {
    /// The origin of one use, if it is known.
    pub(super) fn of(origin: Option<&Arc<CodeOrigin>>) -> Self {
        Self {
            list: origin.map(|own| (Arc::clone(own), 1)).into_iter().collect(),
            left_out: 0,
        }
    }

    /// Adds the origins of another finding.
    pub(super) fn add(&mut self, other: &Self) {
        self.left_out = self.left_out.saturating_add(other.left_out);
        for (origin, count) in &other.list {
            let known = self.list.entry(Arc::clone(origin)).or_default();
            *known = known.saturating_add(*count);
        }
        // What is left out here comes after enough others in any order of merging.
        while self.list.len() > MAX_ORIGINS
            && let Some((_, count)) = self.list.pop_last()
        {
            self.left_out = self.left_out.saturating_add(count);
        }
    }

    /// The places, each with the number of its uses, the one with the most first.
    pub fn by_count(&self) -> Vec<(&CodeOrigin, usize)> {
        let mut list: Vec<_> = self
            .list
            .iter()
            .map(|(own, count)| (&**own, *count))
            .collect();
        list.sort_by_key(|(_, count)| Reverse(*count));
        list
    }

    /// How many uses come from places that are not listed.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// How many bytes it takes in memory.
    pub(super) fn weight(&self) -> usize {
        let frames = self.list.keys().flat_map(|origin| &origin.frames);
        let frames = frames.map(|place| {
            let function = place.function.as_ref().map_or(0, |name| name.len());
            size_of::<CodeLocation>() + place.file.len() + function
        });
        let consumers = self
            .list
            .keys()
            .filter_map(|origin| origin.consumer.as_ref());
        frames.sum::<usize>() + consumers.map(|name| name.len()).sum::<usize>()
    }

    /// The places with the most uses, at most `most`, each with its callers as several lines that are not escaped yet; then how
    /// many uses come from elsewhere.
    pub fn lines(&self, most: usize) -> Vec<String> {
        let list = self.by_count();
        let is_one = list.len() == 1 && self.left_out == 0;
        let mut lines = Vec::new();
        for (origin, count) in list.iter().take(most) {
            let count = if is_one {
                String::new()
            } else {
                format!(" ({count}×)")
            };
            let Some(first) = describe_first(origin) else {
                continue;
            };
            lines.push(first + &count);
            let callers = call_chain(&origin.frames).skip(1);
            lines.extend(callers.map(|caller| format!("  {caller}")));
        }
        let others = self.others(&list, most);
        if others > 0 {
            lines.push(format!("called from other places ({others}×)"));
        }
        lines
    }

    /// How many uses come from other places than the first ones of a list.
    fn others(&self, list: &[(&CodeOrigin, usize)], shown: usize) -> usize {
        let others = list.iter().skip(shown);
        others.map(|(_, count)| count).sum::<usize>() + self.left_out
    }

    /// The place with the most uses as a phrase that is not escaped yet, with its caller; `None` if no place is known.
    pub fn phrase(&self) -> Option<String> {
        let list = self.by_count();
        let (origin, _) = list.first()?;
        let mut text = describe_first(origin)?;
        if let Some(caller) = call_chain(&origin.frames).nth(1) {
            let _ = write!(text, ", {caller}");
        }
        if self.others(&list, 1) > 0 {
            text += ", and from other places";
        }
        Some(text)
    }
}

/// The consumer of a contract, or the place of the call.
fn describe_first(origin: &CodeOrigin) -> Option<String> {
    if let Some(consumer) = &origin.consumer {
        return Some(format!("expected by `{consumer}`"));
    }
    let first = describe_place(origin.frames.first()?);
    let library = if origin.is_library {
        " (library code)"
    } else {
        ""
    };
    Some(format!("called from {first}{library}"))
}

/// The places of a call stack, innermost first, a line for each that is not escaped yet.
pub fn call_chain(places: &[CodeLocation]) -> impl Iterator<Item = String> {
    places.iter().enumerate().map(|(index, place)| match index {
        0 => describe_place(place),
        _ => format!("which is called from {}", describe_place(place)),
    })
}

fn describe_place(place: &CodeLocation) -> String {
    let mut text = place.file.to_string();
    for number in [place.line, place.line.and(place.column)]
        .into_iter()
        .flatten()
    {
        let _ = write!(text, ":{number}");
    }
    if let Some(function) = &place.function {
        let _ = write!(text, " in `{function}`");
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frame(line: u32) -> CodeLocation {
        CodeLocation {
            line: Some(line),
            ..CodeLocation::new("app.js").unwrap()
        }
    }

    fn one(line: u32) -> Origins {
        let origin = CodeOrigin {
            frames: vec![frame(line)],
            ..CodeOrigin::default()
        };
        Origins::of(Some(&Arc::new(origin)))
    }

    fn merge(parts: &[Origins]) -> Origins {
        let mut whole = Origins::default();
        for part in parts {
            whole.add(part);
        }
        whole
    }

    proptest! {
        #[test]
        fn origins_do_not_depend_on_order_or_grouping(
            lines in prop::collection::vec(0u32..25, 0..60),
            at in 0usize..60,
            turn in 0usize..60,
        ) {
            let parts: Vec<_> = lines.iter().copied().map(one).collect();
            let whole = merge(&parts);
            let (left, right) = parts.split_at(at.min(parts.len()));
            prop_assert_eq!(&merge(&[merge(left), merge(right)]), &whole);
            prop_assert_eq!(&merge(&[merge(right), merge(left)]), &whole);
            let mut turned = parts.clone();
            turned.rotate_left(turn.min(parts.len()));
            turned.reverse();
            prop_assert_eq!(&merge(&turned), &whole);
            prop_assert!(whole.list.len() <= MAX_ORIGINS);
            let listed = whole.by_count().iter().map(|(_, count)| count).sum::<usize>();
            prop_assert_eq!(listed + whole.left_out(), lines.len());
        }
    }

    #[test]
    fn lines_count_what_they_leave_out() {
        let origins = merge(&[one(1), one(2), one(2), one(3), one(4)]);
        let expected = [
            "called from app.js:2 (2×)",
            "called from app.js:1 (1×)",
            "called from other places (2×)",
        ];
        assert_eq!(origins.lines(2), expected);
        assert_eq!(
            origins.phrase().unwrap(),
            "called from app.js:2, and from other places"
        );
        assert_eq!(one(7).lines(2), ["called from app.js:7"]);
        assert_eq!(Origins::default().phrase(), None);
    }

    #[test]
    fn frames_are_described_from_the_inside_out() {
        let inner = CodeLocation {
            column: Some(9),
            function: Some("f".into()),
            ..frame(3)
        };
        let origin = CodeOrigin {
            frames: vec![inner, frame(5), frame(6)],
            ..CodeOrigin::default()
        };
        let origins = Origins::of(Some(&Arc::new(origin)));
        let expected = [
            "called from app.js:3:9 in `f`",
            "  which is called from app.js:5",
            "  which is called from app.js:6",
        ];
        assert_eq!(origins.lines(1), expected);
        let phrase = "called from app.js:3:9 in `f`, which is called from app.js:5";
        assert_eq!(origins.phrase().unwrap(), phrase);
        let library = CodeOrigin {
            frames: vec![frame(1)],
            is_library: true,
            consumer: None,
        };
        let library = Origins::of(Some(&Arc::new(library)));
        assert_eq!(
            library.phrase().unwrap(),
            "called from app.js:1 (library code)"
        );
    }
}
