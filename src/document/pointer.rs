//! JSON Pointers (RFC 6901), which say where in a body a finding is.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::sync::Arc;

/// One step from a value to a value inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<'a> {
    /// To the member of this name.
    Key(Cow<'a, str>),
    /// To the element of this zero-based index.
    Index(usize),
}

/// How many bytes of the way to a member are written out: more than real documents have, and few enough that keys and nesting
/// without end cannot make each of many findings as large as its file. What is longer is cut there, and `…` stands for the
/// rest of the way, so that places that differ only in that are one.
pub const LONGEST: usize = 4 * 1024;

/// A place in a document, written in both ways, in front of its last step to no more than [`LONGEST`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointers {
    /// The JSON Pointer: `/results/0/title`, with `~` as `~0` and `/` as `~1` (RFC 6901, section 3).
    pub exact: String,
    /// The same with every array index as `*`, which is equal for all elements of a list. A member that is itself named
    /// `*` is written `~2`, which no pointer holds, so that the two stay apart. Shared, since findings fold by it.
    pub starred: Arc<str>,
}

/// A JSON Pointer that was written by somebody, to be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer(Vec<String>);

/// What is wrong with a text that should be a JSON Pointer. It is the writer's fault, and says what to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PointerError {
    /// It does not begin with `/`.
    NoSlash,
    /// A `~` is followed by neither 0 nor 1.
    Tilde,
}

impl fmt::Display for PointerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSlash => "a JSON Pointer begins with `/`",
            Self::Tilde => "in a JSON Pointer, `~` is written `~0`, and `/` in a name `~1`",
        })
    }
}

impl std::error::Error for PointerError {}

impl Pointer {
    /// Reads `/request/headers/0` (RFC 6901, section 3). The pointer to the whole document is refused: nothing is asked of it.
    pub fn parse(text: &str) -> Result<Self, PointerError> {
        let tokens = text.strip_prefix('/').ok_or(PointerError::NoSlash)?;
        tokens.split('/').map(unescaped).collect::<Result<_, _>>().map(Self)
    }

    /// The names and indices, in the order in which they are followed.
    pub fn tokens(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// A token as a name.
fn unescaped(token: &str) -> Result<String, PointerError> {
    let mut name = String::with_capacity(token.len());
    let mut characters = token.chars();
    while let Some(character) = characters.next() {
        name.push(match (character, character == '~') {
            (_, true) => match characters.next() {
                Some('0') => '~',
                Some('1') => '/',
                _ => return Err(PointerError::Tilde),
            },
            (other, false) => other,
        });
    }
    Ok(name)
}

/// A token as the index of an element: digits without a zero in front (RFC 6901, section 4).
pub(super) fn index(token: &str) -> Option<usize> {
    let is_number = token.bytes().all(|byte| byte.is_ascii_digit());
    let is_short = token == "0" || !token.starts_with('0');
    if is_number && is_short { token.parse().ok() } else { None }
}

/// The way to where a walk is, kept while it goes on: places that share their beginning share the work of writing it.
#[derive(Debug, Default)]
pub struct Path {
    exact: String,
    starred: String,
    /// The lengths of both texts before each step.
    lengths: Vec<(usize, usize)>,
}

impl Path {
    /// How many steps it has.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether it is at the root.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// Goes one step on.
    pub fn push(&mut self, step: &Step<'_>) {
        self.lengths.push((self.exact.len(), self.starred.len()));
        // The starred one is what findings fold by: indices of any length leave it as it is.
        if self.starred.len() < LONGEST {
            let step = &beginning(step);
            push(&mut self.exact, step);
            push_starred(&mut self.starred, step);
            self.cut();
        }
    }

    /// Lets a way that has become too long end with `…`.
    fn cut(&mut self) {
        let Some(mut over) = self.starred.len().checked_sub(LONGEST) else { return };
        while !self.starred.is_char_boundary(self.starred.len() - over) {
            over += 1;
        }
        // Names end alike in both.
        for text in [&mut self.exact, &mut self.starred] {
            text.truncate(text.len() - over);
            text.push('…');
        }
    }

    /// Goes back until no more than `len` steps are left.
    pub fn truncate(&mut self, len: usize) {
        if let Some(&(exact, starred)) = self.lengths.get(len) {
            self.exact.truncate(exact);
            self.starred.truncate(starred);
            self.lengths.truncate(len);
        }
    }

    /// The place one step on from here.
    pub fn to(&self, step: &Step<'_>) -> Pointers {
        // Paths can be long and many: no room beyond what is needed.
        let room = match step {
            Step::Key(key) => key.len() + 1,
            Step::Index(_) => 8,
        };
        let longer = |text: &str| {
            let mut longer = String::with_capacity(text.len() + room);
            longer.push_str(text);
            longer
        };
        let (mut exact, mut starred) = (longer(&self.exact), longer(&self.starred));
        push(&mut exact, step);
        push_starred(&mut starred, step);
        Pointers { exact, starred: starred.into() }
    }
}

/// As much of a step as is sure to be enough for what is written out.
fn beginning<'s>(step: &'s Step<'_>) -> Step<'s> {
    match step {
        Step::Index(index) => Step::Index(*index),
        Step::Key(key) => {
            let end = (LONGEST..key.len()).find(|&end| key.is_char_boundary(end));
            Step::Key(key.get(..end.unwrap_or(key.len())).unwrap_or_default().into())
        }
    }
}

/// Writes one more step.
pub(super) fn push(pointer: &mut String, step: &Step<'_>) {
    pointer.push('/');
    match step {
        Step::Index(index) => {
            let _ = write!(pointer, "{index}");
        }
        Step::Key(key) => push_escaped(pointer, key),
    }
}

fn push_starred(pointer: &mut String, step: &Step<'_>) {
    match step {
        Step::Index(_) => pointer.push_str("/*"),
        Step::Key(key) if key == "*" => pointer.push_str("/~2"),
        Step::Key(_) => push(pointer, step),
    }
}

/// Writes a name as a token of a pointer (RFC 6901, section 3).
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

    fn key(name: &str) -> Step<'_> {
        Step::Key(name.into())
    }

    #[test]
    fn pointers_escape_and_starred_ones_forget_indices_but_not_names() {
        let mut path = Path::default();
        path.push(&key("a/b~c"));
        path.push(&Step::Index(10));
        path.push(&key("*"));
        let there = path.to(&key(""));
        assert_eq!(there.exact, "/a~1b~0c/10/*/");
        assert_eq!(&*there.starred, "/a~1b~0c/*/~2/");
    }

    #[test]
    fn pointers_are_read_back() {
        let tokens = |text: &str| {
            Pointer::parse(text).map(|pointer| pointer.tokens().map(str::to_owned).collect())
        };
        assert_eq!(
            tokens("/a~1b~0c/10//~01"),
            Ok(vec!["a/b~c".into(), "10".into(), String::new(), "~1".into()])
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
    fn a_way_without_end_is_cut_and_its_last_step_told() {
        let mut path = Path::default();
        path.push(&key("a"));
        path.push(&Step::Index(1_000));
        let names = format!("é{}", "é".repeat(LONGEST));
        path.push(&key(&names));
        let cut = path.to(&key("x"));
        let kept = "é".repeat((LONGEST - "/a/*/".len()) / 2);
        assert_eq!(cut.exact, format!("/a/1000/{kept}…/x"));
        assert_eq!(&*cut.starred, format!("/a/*/{kept}…/x"));
        for _ in 0..100_000 {
            path.push(&key("b"));
        }
        assert_eq!(path.to(&key("x")), cut);
        path.truncate(2);
        assert_eq!(path.to(&key("x")).exact, "/a/1000/x");
        for index in [7, 12_345] {
            path.truncate(1);
            for _ in 0..LONGEST {
                path.push(&Step::Index(index));
            }
            assert_eq!(path.to(&key("x")).starred.len(), LONGEST + "…/x".len());
        }
    }

    #[test]
    fn going_back_forgets_the_steps() {
        let mut path = Path::default();
        path.push(&key("a"));
        path.push(&Step::Index(1));
        path.truncate(5);
        assert_eq!(path.len(), 2);
        path.truncate(1);
        assert_eq!(path.to(&key("b")).exact, "/a/b");
        path.truncate(0);
        assert_eq!(path.to(&key("b")).exact, "/b");
    }
}
