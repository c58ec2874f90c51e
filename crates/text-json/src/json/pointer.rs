//! JSON Pointers (RFC 6901): the positions of findings in bodies, and the paths that users configure.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::Write as _;
use std::sync::Arc;

use thiserror::Error;

use crate::text::{MAX_SHOWN_LEN, is_digits, truncate_text};

/// One step from a value to a value inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStep<'a> {
    /// To the member with this name.
    Key(Cow<'a, str>),
    /// To the element at this zero-based index.
    Index(usize),
}

/// The length in bytes at which the path of a pointer is truncated. Findings inside of each other each hold a path.
const MAX_PATH_LEN: usize = 1024;

/// A position in a document as two pointers. The path is truncated at 1 KiB and the last step at [`MAX_SHOWN_LEN`] bytes, and `…`
/// replaces the rest. A hash of the rest keeps different positions different.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pointers {
    /// The JSON Pointer: `/results/0/title`, with `~` as `~0` and `/` as `~1` (RFC 6901, section 3).
    pub exact: Arc<str>,
    /// The pointer with `*` for every array index, which is equal for all elements of a list. A member that is itself named `*`
    /// is written `~2`, which no valid pointer contains. A hash of the omitted text follows each `…`. Without indices, it is
    /// the same text.
    pub starred: Arc<str>,
}

impl Pointers {
    /// Adds a name to the starred pointer, to distinguish several things at one position.
    #[must_use]
    pub fn distinguished_by(mut self, name: &str) -> Self {
        let step = PathStep::Key(name.into());
        let (shown, hidden) = shown(&step);
        let mut starred = self.starred.to_string();
        push_starred(&mut starred, &shown);
        if hidden != 0 {
            let _ = write!(starred, "{hidden:016x}");
        }
        self.starred = starred.into();
        self
    }
}

/// A JSON Pointer that a user wrote, parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer(Vec<String>);

/// The error in a text that should be a JSON Pointer. Its author has to correct it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PointerError {
    /// It does not begin with `/`.
    #[error("a JSON Pointer begins with `/`")]
    NoSlash,
    /// A `~` is followed by neither 0 nor 1.
    #[error("in a JSON Pointer, `~` is written `~0`, and `/` in a name `~1`")]
    Tilde,
}

impl Pointer {
    /// Parses a pointer such as `/request/headers/0` (RFC 6901, section 3). The empty pointer, to the whole document, is an error.
    pub fn parse(text: &str) -> Result<Self, PointerError> {
        text.strip_prefix('/')
            .ok_or(PointerError::NoSlash)?
            .split('/')
            .map(parse_token)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// The unescaped tokens, in order.
    pub fn tokens(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// Returns the name that a token escapes: `~1` is `/`, and `~0` is `~` (RFC 6901, section 4).
pub fn unescape(token: &str) -> Cow<'_, str> {
    if token.contains('~') {
        Cow::Owned(token.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(token)
    }
}

/// The unescaped tokens of a JSON Pointer, in order; none of the empty pointer.
pub fn tokens(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(unescape)
}

/// Reads a token, in which every `~` must begin an escape.
fn parse_token(token: &str) -> Result<String, PointerError> {
    let mut tildes = token.split('~').skip(1);
    if tildes.any(|after| !after.starts_with(['0', '1'])) {
        return Err(PointerError::Tilde);
    }
    Ok(unescape(token).into_owned())
}

/// Parses a token as an array index: digits without leading zeros (RFC 6901, section 4).
pub(super) fn index(token: &str) -> Option<usize> {
    let is_short = token == "0" || !token.starts_with('0');
    (is_digits(token) && is_short).then(|| token.parse().ok())?
}

/// The pointer to the current position of a walk. Positions that share the beginning of their paths share the work of writing it.
#[derive(Debug, Default)]
pub struct PointerBuilder {
    exact: String,
    starred: String,
    /// A hash of the omitted steps; 0 if none is omitted.
    hidden: u64,
    /// The state before each step.
    before: Vec<Checkpoint>,
    /// The pointers that were made last. The elements of a list share the starred one, and what is deep the truncated ones.
    last: RefCell<Pointers>,
}

/// The lengths and the hash before a step.
#[derive(Debug, Clone, Copy)]
struct Checkpoint {
    exact: usize,
    starred: usize,
    hidden: u64,
}

impl PointerBuilder {
    /// The number of steps.
    pub fn depth(&self) -> usize {
        self.before.len()
    }

    /// Adds a step.
    pub fn push(&mut self, step: &PathStep<'_>) {
        let exact = self.exact.len();
        let starred = self.starred.len();
        self.before.push(Checkpoint {
            exact,
            starred,
            hidden: self.hidden,
        });
        if self.hidden == 0 {
            let (shown, hidden) = shown(step);
            push(&mut self.exact, &shown);
            push_starred(&mut self.starred, &shown);
            // Findings are folded by the starred pointer, which does not depend on the lengths of indices.
            if hidden == 0 && self.starred.len() <= MAX_PATH_LEN {
                return;
            }
            self.exact.truncate(exact);
            self.starred.truncate(starred);
            self.exact.push_str("/…");
            self.starred.push_str("/…");
        }
        self.hidden = mixed(self.hidden, step);
    }

    /// Removes all steps after the first `len`.
    pub fn truncate(&mut self, len: usize) {
        if let Some(&Checkpoint {
            exact,
            starred,
            hidden,
        }) = self.before.get(len)
        {
            self.exact.truncate(exact);
            self.starred.truncate(starred);
            self.hidden = hidden;
            self.before.truncate(len);
        }
    }

    /// Returns the pointers to the position one step from here.
    pub fn to(&self, step: &PathStep<'_>) -> Pointers {
        self.place(step, &self.starred, push_starred)
    }

    /// Like [`Self::to`], but with indices instead of `*` in the starred pointer.
    pub(crate) fn to_exact(&self, step: &PathStep<'_>) -> Pointers {
        self.place(step, &self.exact, push)
    }

    fn place(
        &self,
        step: &PathStep<'_>,
        way: &str,
        write: fn(&mut String, &PathStep<'_>),
    ) -> Pointers {
        let (shown, hidden) = shown(step);
        let mut exact = self.exact.clone();
        let mut starred = way.to_owned();
        push(&mut exact, &shown);
        if self.hidden != 0 {
            let _ = write!(starred, "{:016x}", self.hidden);
        }
        write(&mut starred, &shown);
        if hidden != 0 {
            let _ = write!(starred, "{hidden:016x}");
        }
        let mut last = self.last.borrow_mut();
        if *exact != *last.exact {
            last.exact = exact.into();
        }
        if *starred == *last.exact {
            last.starred = Arc::clone(&last.exact);
        } else if *starred != *last.starred {
            last.starred = starred.into();
        }
        last.clone()
    }
}

/// Returns a step as it is shown, and a hash of it if that is truncated, else 0.
fn shown<'s>(step: &'s PathStep<'_>) -> (PathStep<'s>, u64) {
    match step {
        PathStep::Index(index) => (PathStep::Index(*index), 0),
        PathStep::Key(key) if key.len() <= MAX_SHOWN_LEN => (PathStep::Key(Cow::Borrowed(key)), 0),
        PathStep::Key(key) => (
            PathStep::Key(truncate_text(key, MAX_SHOWN_LEN)),
            mixed(0, step),
        ),
    }
}

/// Hashes a step into another hash; never 0. It is the word hash of Firefox: fast, equal on all machines, and good enough
/// unless an author makes names collide on purpose.
fn mixed(before: u64, step: &PathStep<'_>) -> u64 {
    let mix =
        |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x517C_C1B7_2722_0A95);
    let hash = match step {
        // As in starred pointers, all indices are equal.
        PathStep::Index(_) => mix(before, 1),
        PathStep::Key(key) => {
            let (words, rest) = key.as_bytes().as_chunks();
            let words = words.iter().map(|&word| u64::from_le_bytes(word));
            let rest = rest
                .iter()
                .fold(0, |word, &byte| word << 8 | u64::from(byte));
            words.chain([rest]).fold(mix(before, key.len() as u64), mix)
        }
    };
    hash | 1
}

/// Appends a step to a pointer.
pub fn push(pointer: &mut String, step: &PathStep<'_>) {
    pointer.push('/');
    match step {
        PathStep::Index(index) => {
            let _ = write!(pointer, "{index}");
        }
        PathStep::Key(key) => push_escaped(pointer, key),
    }
}

fn push_starred(pointer: &mut String, step: &PathStep<'_>) {
    match step {
        PathStep::Index(_) => pointer.push_str("/*"),
        PathStep::Key(key) if key == "*" => pointer.push_str("/~2"),
        PathStep::Key(_) => push(pointer, step),
    }
}

/// Appends a name as an escaped token (RFC 6901, section 3).
fn push_escaped(pointer: &mut String, key: &str) {
    for character in key.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> PathStep<'_> {
        PathStep::Key(name.into())
    }

    #[test]
    fn pointers_escape_and_starred_ones_forget_indices_but_not_names() {
        let mut path = PointerBuilder::default();
        path.push(&key("a/b~c"));
        path.push(&PathStep::Index(10));
        path.push(&key("*"));
        let there = path.to(&key(""));
        assert_eq!(&*there.exact, "/a~1b~0c/10/*/");
        assert_eq!(&*there.starred, "/a~1b~0c/*/~2/");
    }

    #[test]
    fn pointers_are_read_back() {
        let tokens = |text: &str| {
            Pointer::parse(text).map(|pointer| pointer.tokens().map(str::to_owned).collect())
        };
        assert_eq!(
            tokens("/a~1b~0c/10//~01"),
            Ok(vec![
                "a/b~c".into(),
                "10".into(),
                String::new(),
                "~1".into()
            ])
        );
        for text in ["", "a", "a/b", "$.a"] {
            assert_eq!(tokens(text), Err(PointerError::NoSlash), "{text}");
        }
        for text in ["/~", "/a~2", "/~a/b"] {
            assert_eq!(tokens(text), Err(PointerError::Tilde), "{text}");
        }
    }

    #[test]
    fn indices_are_plain_numbers() {
        assert_eq!(["0", "7", "10"].map(index), [Some(0), Some(7), Some(10)]);
        for text in ["", "-", "01", "+1", "1a", "99999999999999999999999"] {
            assert_eq!(index(text), None, "{text}");
        }
    }

    #[test]
    fn a_way_without_end_is_cut_and_told_apart_all_the_same() {
        let long = |end: &str| "é".repeat(MAX_SHOWN_LEN) + end;
        let to = |names: &[&str], last: &str| {
            let mut path = PointerBuilder::default();
            path.push(&key("a"));
            path.push(&PathStep::Index(1_000));
            for name in names {
                path.push(&key(name));
            }
            path.to(&key(last))
        };
        let cut = to(&[&long("1")], "x");
        assert_eq!(&*cut.exact, "/a/1000/…/x");
        assert!(
            cut.starred.starts_with("/a/*/…") && cut.starred.ends_with("/x"),
            "{cut:?}"
        );
        assert_eq!(to(&[&long("1")], "x"), cut);
        let others = [
            to(&[&long("2")], "x"),
            to(&[&long("1"), "b"], "x"),
            to(&[&long("1"), "b", "c"], "x"),
            to(&[&long("1"), "bc"], "x"),
            to(&["b"], &long("1")),
            to(&["b"], &long("2")),
        ];
        let mut all: Vec<_> = others
            .iter()
            .chain([&cut])
            .map(|place| &place.starred)
            .collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), others.len() + 1);
        assert!(
            others
                .iter()
                .all(|place| place.exact.len() < 2 * MAX_SHOWN_LEN && place.exact.contains('…'))
        );
    }

    #[test]
    fn so_many_steps_are_cut_alike_whatever_the_indices_and_forgotten_on_the_way_back() {
        let mut path = PointerBuilder::default();
        path.push(&key("a"));
        let deep = |path: &mut PointerBuilder, index: usize| {
            path.truncate(1);
            for _ in 0..100_000 {
                path.push(&PathStep::Index(index));
            }
            path.to(&key("x"))
        };
        let (one, other) = (deep(&mut path, 7), deep(&mut path, 12_345));
        assert_eq!(one.starred, other.starred);
        assert!(
            one.starred.len() < MAX_PATH_LEN + 30 && one.exact.ends_with("/7/…/x"),
            "{one:?}"
        );
        path.truncate(2);
        assert_eq!(&*path.to(&key("x")).exact, "/a/12345/x");
    }

    #[test]
    fn going_back_forgets_the_steps() {
        let mut path = PointerBuilder::default();
        path.push(&key("a"));
        path.push(&PathStep::Index(1));
        path.truncate(5);
        assert_eq!(path.depth(), 2);
        path.truncate(1);
        assert_eq!(&*path.to(&key("b")).exact, "/a/b");
        path.truncate(0);
        assert_eq!(&*path.to(&key("b")).exact, "/b");
    }
}
