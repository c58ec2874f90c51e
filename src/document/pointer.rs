//! JSON Pointers (RFC 6901), which say where in a body a finding is.

use std::borrow::Cow;
use std::fmt::Write as _;

/// One step from a value to a value inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<'a> {
    /// To the member of this name.
    Key(Cow<'a, str>),
    /// To the element of this zero-based index.
    Index(usize),
}

/// The pointer along `steps`: `/results/0/title`, with `~` as `~0` and `/` as `~1` (RFC 6901, section 3).
pub fn pointer<'a>(steps: impl IntoIterator<Item = Step<'a>>) -> String {
    let mut pointer = String::new();
    for step in steps {
        pointer.push('/');
        match step {
            Step::Key(key) => push_escaped(&mut pointer, &key),
            Step::Index(index) => {
                let _ = write!(pointer, "{index}");
            }
        }
    }
    pointer
}

/// The pointer with every array index written as `*`, which is the same for all elements of a list.
///
/// A member that is itself named `*` is written `~2`, which no pointer holds, so that the two stay apart.
pub fn starred<'a>(steps: impl IntoIterator<Item = Step<'a>>) -> String {
    let mut pointer = String::new();
    for step in steps {
        pointer.push('/');
        match step {
            Step::Key(key) if key == "*" => pointer.push_str("~2"),
            Step::Key(key) => push_escaped(&mut pointer, &key),
            Step::Index(_) => pointer.push('*'),
        }
    }
    pointer
}

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

    fn steps() -> Vec<Step<'static>> {
        vec![
            Step::Key("a/b~c".into()),
            Step::Index(10),
            Step::Key("*".into()),
            Step::Key("".into()),
        ]
    }

    #[test]
    fn pointers_escape_slash_and_tilde() {
        assert_eq!(pointer(steps()), "/a~1b~0c/10/*/");
        assert_eq!(pointer([]), "");
    }

    #[test]
    fn starred_pointers_forget_indices_but_not_names() {
        assert_eq!(starred(steps()), "/a~1b~0c/*/~2/");
    }
}
