//! Errors for people: what is wrong, where, and what to do about it.

use std::fmt;
use std::io::Write as _;

use codespan_reporting::diagnostic::{LabelStyle, Severity};
use codespan_reporting::files::Error;
use codespan_reporting::term::termcolor::Ansi;
use codespan_reporting::term::{Config, Renderer, WriteStyle as _};

use super::escape_unsafe;
use sundown_files::toml_file::{Excerpt, FileMistakes};
use sundown_text_json::text::Location;

/// An error that ends the program. The user or the environment must correct it.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// An error without a position in a file.
    #[error("{}", escape_unsafe(.message))]
    Plain {
        /// The error itself.
        message: String,
        /// The remedy.
        help: Option<String>,
    },
    /// The mistakes of a file that cannot be used.
    #[error("{0}")]
    Mistakes(Box<FileMistakes>),
}

impl Failure {
    /// An error without a remedy.
    pub fn new(message: impl fmt::Display) -> Self {
        Self::Plain {
            message: message.to_string(),
            help: None,
        }
    }

    /// An error with a remedy.
    pub fn with_help(message: impl fmt::Display, help: impl Into<String>) -> Self {
        Self::Plain {
            message: message.to_string(),
            help: Some(help.into()),
        }
    }

    /// The complete text, in colour; the caller removes the colour where it does not belong.
    ///
    /// The number of mistakes comes last, where it stays visible.
    pub fn text(&self) -> String {
        self.rendered().unwrap_or_else(|_| format!("error: {self}"))
    }

    fn rendered(&self) -> Result<String, Error> {
        let mut out = Ansi::new(Vec::new());
        let config = Config::default();
        let mut page = MistakeWriter {
            out: Renderer::new(&mut out, &config),
            severity: Severity::Error,
        };
        match self {
            Self::Plain { message, help } => {
                page.write(message, None, help.as_deref().map(help_note))?;
            }
            Self::Mistakes(file) => {
                for (mistake, excerpt) in file.excerpts() {
                    page.severity = severity(mistake.is_doubt());
                    let excerpt = Some((&*file.name, excerpt));
                    let note = mistake.help.as_deref().map(help_note);
                    page.write(&mistake.message, excerpt, note)?;
                }
                page.severity = severity(file.are_doubts());
                page.write(&file.to_string(), None, file.rest())?;
            }
        }
        let text = String::from_utf8_lossy(out.get_ref());
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

/// The severity of a mistake, or of what may be one.
fn severity(is_doubt: bool) -> Severity {
    if is_doubt {
        Severity::Warning
    } else {
        Severity::Error
    }
}

fn help_note(help: &str) -> String {
    format!("help: {}", escape_unsafe(help))
}

/// Writes mistakes of a severity.
struct MistakeWriter<'o> {
    out: Renderer<'o, 'o>,
    severity: Severity,
}

impl MistakeWriter<'_> {
    /// Writes what is wrong, the lines of a file around it, and a note.
    fn write(
        &mut self,
        message: &str,
        excerpt: Option<(&str, Excerpt)>,
        note: Option<String>,
    ) -> Result<(), Error> {
        let message = escape_unsafe(message);
        self.out
            .render_header(None, self.severity, None, &message)?;
        let digits = match excerpt {
            Some((name, excerpt)) => self.write_excerpt(name, excerpt)?,
            None => 0,
        };
        if let Some(note) = note {
            if digits > 0 {
                self.out
                    .render_snippet_empty(digits, self.severity, 0, &[])?;
            }
            self.out.render_snippet_note(digits, &note)?;
        }
        self.out.render_empty()
    }

    /// Writes the line with the mistake and its neighbours, and returns how many digits its number has.
    fn write_excerpt(&mut self, name: &str, excerpt: Excerpt) -> Result<usize, Error> {
        let Self { out, severity } = self;
        let Excerpt {
            location: Location { line, column, .. },
            before,
            marked,
            after,
            above,
            below,
        } = excerpt;
        let digits = line.to_string().len();
        // The renderer would want the whole file for this line.
        write!(out, "{:digits$} ", "")?;
        out.set_source_border()?;
        write!(out, "┌─")?;
        out.reset()?;
        writeln!(out, " {name}:{line}:{column}")?;
        out.render_snippet_empty(digits, *severity, 0, &[])?;
        let start = before.len();
        let marks = start..start + marked.len().max(1);
        let label = (LabelStyle::Primary, marks, "");
        let own = Some(format!("{before}{marked}{after}"));
        // Line numbers are aligned only if no number is longer than that of the marked line.
        let below = below.filter(|_| (line + 1).ilog10() == line.ilog10());
        for (number, text, labels) in [
            (line - 1, above, &[][..]),
            (line, own, &[label]),
            (line + 1, below, &[]),
        ] {
            if let Some(text) = text {
                out.render_snippet_source(digits, number, &text, *severity, labels, 0, &[])?;
            }
        }
        Ok(digits)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use sundown_files::toml_file::Disclosure;
    use sundown_files::toml_file::Mistake;

    fn plain(failure: &Failure) -> String {
        anstream::adapter::strip_str(&failure.text()).to_string()
    }

    fn mistakes(name: &str, text: &str, mistakes: Vec<Mistake>) -> Failure {
        FileMistakes::new(Disclosure::Plain, "rules", name, text, mistakes).into()
    }

    #[test]
    fn an_error_without_a_position_is_a_message_and_a_remedy() {
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
    fn mistakes_beyond_a_screenful_are_counted() {
        let wrong = |count: usize| {
            let wrong = (0..count).map(|at| Mistake::new(2 * at..2 * at + 1, "wrong"));
            plain(&mistakes("r.toml", &"a\n".repeat(count), wrong.collect()))
        };
        assert!(
            wrong(20).ends_with("\nerror: r.toml: 20 mistakes in the rules"),
            "{}",
            wrong(20)
        );
        let text = wrong(1_021);
        assert_eq!(text.matches("error: wrong\n").count(), 20, "{text}");
        assert!(
            text.contains("r.toml:20:1\n") && !text.contains("r.toml:21:1\n"),
            "{text}"
        );
        let end = "\nerror: r.toml: 1,021 mistakes in the rules\n \
                   = the first 20 are shown, and 1,001 more are not";
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn line_numbers_are_aligned() {
        let failure = mistakes("r.toml", &"a\n".repeat(12), vec![Mistake::new(16..17, "x")]);
        assert!(
            plain(&failure).contains("8 │ a\n9 │ a\n  │ ^\n"),
            "{}",
            plain(&failure)
        );
    }

    #[test]
    fn commands_to_terminals_and_build_services_are_escaped() {
        let hostile = "::error::\u{1b}[2J\n##[group]\u{202e}";
        let mistake = Mistake::new(0..3, hostile).with_help(hostile);
        for failure in [
            mistakes(hostile, hostile, vec![mistake]),
            Failure::with_help(hostile, hostile),
        ] {
            let text = plain(&failure);
            assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
            assert!(
                text.lines()
                    .all(|line| !line.trim_start().starts_with("::")),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_position_in_any_text_is_shown(
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
