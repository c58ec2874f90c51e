//! Why the program could not do what it was asked for, for people: what is wrong, where, and what to do about it.

use std::fmt;
use std::io;
use std::iter::once;
use std::ops::Range;

use codespan_reporting::diagnostic::{Diagnostic, Label};
use codespan_reporting::files::{Error, Files};
use codespan_reporting::term::{self, Config, termcolor::Ansi};

use super::escape_unsafe;
use crate::toml_file::{Excerpt, FileMistakes, Mistake};

/// What keeps the program from doing its job. The fault of the user, or of the surroundings.
#[derive(Debug)]
pub enum Failure {
    /// Something that has no place in a file.
    Plain {
        /// What is wrong.
        message: String,
        /// What to do about it.
        help: Option<String>,
    },
    /// A file that cannot be used.
    Mistakes(Box<FileMistakes>),
}

impl Failure {
    /// Something is wrong, and there is nothing to say about what to do.
    pub fn new(message: impl fmt::Display) -> Self {
        Self::Plain { message: message.to_string(), help: None }
    }

    /// Something is wrong, and `help` says what to do.
    pub fn with_help(message: impl fmt::Display, help: impl Into<String>) -> Self {
        Self::Plain { message: message.to_string(), help: Some(help.into()) }
    }

    /// All that there is to tell, in colour; whoever passes it on takes the colour out where it does not belong.
    ///
    /// The number of mistakes comes last, where it stays in sight.
    pub fn text(&self) -> String {
        self.rendered().unwrap_or_else(|_| format!("error: {self}"))
    }

    fn rendered(&self) -> io::Result<String> {
        let mut out = Ansi::new(Vec::new());
        match self {
            Self::Plain { message, help } => {
                emit(&mut out, None, message, help.as_deref().map(remedy))?;
            }
            Self::Mistakes(file) => {
                for (mistake, spot) in file.excerpts() {
                    show(&mut out, &file.name, mistake, spot)?;
                }
                emit(&mut out, None, &file.to_string(), file.rest())?;
            }
        }
        let text = String::from_utf8(out.into_inner()).map_err(io::Error::other)?;
        Ok(text.trim_end_matches('\n').to_owned())
    }
}

impl From<FileMistakes> for Failure {
    fn from(mistakes: FileMistakes) -> Self {
        Self::Mistakes(Box::new(mistakes))
    }
}

impl From<Box<FileMistakes>> for Failure {
    fn from(mistakes: Box<FileMistakes>) -> Self {
        Self::Mistakes(mistakes)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain { message, .. } => f.write_str(&escape_unsafe(message)),
            Self::Mistakes(file) => file.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

fn show(out: &mut Ansi<Vec<u8>>, name: &str, mistake: &Mistake, spot: Excerpt) -> io::Result<()> {
    let shown = MistakeExcerpt::new(name, spot);
    emit(out, Some(&shown), &mistake.message, mistake.help.as_deref().map(remedy))
}

fn remedy(help: &str) -> String {
    format!("help: {}", escape_unsafe(help))
}

fn emit(
    out: &mut Ansi<Vec<u8>>,
    shown: Option<&MistakeExcerpt<'_>>,
    message: &str,
    note: Option<String>,
) -> io::Result<()> {
    let label = shown.map(|shown| Label::primary((), shown.marked.clone()));
    let diagnostic = Diagnostic::error()
        .with_message(escape_unsafe(message))
        .with_labels_iter(label)
        .with_notes_iter(note);
    let config = Config { before_label_lines: 1, after_label_lines: 1, ..Config::default() };
    let nothing = MistakeExcerpt::default();
    term::emit_to_write_style(out, &config, shown.unwrap_or(&nothing), &diagnostic)
        .map_err(io::Error::other)
}

/// A file of up to three lines, as [`codespan_reporting`] wants to see it.
#[derive(Debug, Default)]
struct MistakeExcerpt<'m> {
    name: &'m str,
    text: String,
    /// Where the lines are in `text`.
    lines: Vec<Range<usize>>,
    /// Where the mistake is in `text`.
    marked: Range<usize>,
    /// The number of the first line.
    first: usize,
    /// The column at which the mistake begins.
    column: usize,
}

impl<'m> MistakeExcerpt<'m> {
    fn new(name: &'m str, spot: Excerpt) -> Self {
        let Excerpt { location, before, marked, after, above, below } = spot;
        // Numbers stand below each other only where the marked line's is the longest.
        let below = below.filter(|_| (location.line + 1).ilog10() == location.line.ilog10());
        let start = above.as_ref().map_or(0, |above| above.len() + 1) + before.len();
        let mut shown = Self {
            name,
            marked: start..start + marked.len(),
            first: location.line - usize::from(above.is_some()),
            column: location.column,
            ..Self::default()
        };
        let line = format!("{before}{marked}{after}");
        for line in above.into_iter().chain(once(line)).chain(below) {
            let start = shown.text.len();
            shown.text += &line;
            shown.lines.push(start..shown.text.len());
            shown.text.push('\n');
        }
        shown
    }
}

impl<'a> Files<'a> for MistakeExcerpt<'_> {
    type FileId = ();
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, (): ()) -> Result<&'a str, Error> {
        Ok(self.name)
    }

    fn source(&'a self, (): ()) -> Result<&'a str, Error> {
        Ok(&self.text)
    }

    fn line_index(&'a self, (): (), at: usize) -> Result<usize, Error> {
        Ok(self.lines.partition_point(|line| line.end < at))
    }

    fn line_number(&'a self, (): (), index: usize) -> Result<usize, Error> {
        Ok(self.first + index)
    }

    fn column_number(&'a self, (): (), _: usize, _: usize) -> Result<usize, Error> {
        Ok(self.column)
    }

    fn line_range(&'a self, (): (), index: usize) -> Result<Range<usize>, Error> {
        let max = self.lines.len();
        self.lines.get(index).cloned().ok_or(Error::LineTooLarge { given: index, max })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain(failure: &Failure) -> String {
        anstream::adapter::strip_str(&failure.text()).to_string()
    }

    fn mistakes(name: &str, text: &str, mistakes: Vec<Mistake>) -> Failure {
        FileMistakes::new("rules", name, text, mistakes).into()
    }

    #[test]
    fn what_has_no_place_is_a_message_and_a_remedy() {
        assert_eq!(plain(&Failure::new("no disk")), "error: no disk");
        let failure = Failure::with_help("no rule `x`", "list them");
        assert_eq!(plain(&failure), "error: no rule `x`\n = help: list them");
    }

    #[test]
    fn every_mistake_is_shown_in_the_files_order_and_counted_last() {
        let text = "api = 'x'\nremoval = 'soon'\n\n[[rule]]\n";
        let failure = mistakes(
            "r.toml",
            text,
            vec![
                Mistake::missing(28..36, "no id"),
                Mistake::new(20..26, "no date").with_help("write 2027-01-15"),
            ],
        );
        let expected = "\
error: no date
  ┌─ r.toml:2:11
  │
1 │ api = 'x'
2 │ removal = 'soon'
  │           ^^^^^^
  │
  = help: write 2027-01-15

error: no id
  ┌─ r.toml:4:1
  │
4 │ [[rule]]
  │ ^^^^^^^^

error: r.toml: 2 mistakes in the rules";
        assert_eq!(plain(&failure), expected);
    }

    #[test]
    fn of_more_mistakes_than_a_screen_holds_the_rest_is_counted() {
        let wrong = |count: usize| {
            let wrong = (0..count).map(|at| Mistake::new(2 * at..2 * at + 1, "wrong"));
            plain(&mistakes("r.toml", &"a\n".repeat(count), wrong.collect()))
        };
        assert!(wrong(20).ends_with("\nerror: r.toml: 20 mistakes in the rules"), "{}", wrong(20));
        let told = wrong(1_021);
        assert_eq!(told.matches("error: wrong\n").count(), 20, "{told}");
        assert!(told.contains("r.toml:20:1\n") && !told.contains("r.toml:21:1\n"), "{told}");
        let end = "\nerror: r.toml: 1,021 mistakes in the rules\n \
                   = the first 20 are shown, and 1,001 more are not";
        assert!(told.ends_with(end), "{told}");
    }

    #[test]
    fn numbers_of_lines_stand_below_each_other() {
        let failure = mistakes("r.toml", &"a\n".repeat(12), vec![Mistake::new(16..17, "x")]);
        assert!(plain(&failure).contains("8 │ a\n9 │ a\n  │ ^\n"), "{}", plain(&failure));
    }

    #[test]
    fn what_a_terminal_or_a_build_service_would_obey_is_spelled_out() {
        let hostile = "::error::\u{1b}[2J\n##[group]\u{202e}";
        let mistake = Mistake::new(0..3, hostile).with_help(hostile);
        for failure in
            [mistakes(hostile, hostile, vec![mistake]), Failure::with_help(hostile, hostile)]
        {
            let told = plain(&failure);
            assert!(!told.contains(['\u{1b}', '\u{202e}']), "{told:?}");
            assert!(told.lines().all(|line| !line.trim_start().starts_with("::")), "{told}");
        }
    }

    proptest! {
        #[test]
        fn any_place_in_any_text_is_shown(
            text in "([a-zé😀\t\u{1b}]{0,4}\r?\n?){0,12}",
            spans in prop::collection::vec((0usize..60, 0usize..60), 1..4),
        ) {
            let wrong = spans.iter().map(|&(start, end)| Mistake::new(start..end, "wrong"));
            let failure = mistakes("r.toml", &text, wrong.collect());
            prop_assert!(failure.rendered().is_ok());
            prop_assert_eq!(plain(&failure).matches("error: wrong\n").count(), spans.len());
            prop_assert_eq!(plain(&failure).matches("┌─ r.toml:").count(), spans.len());
        }
    }
}
