//! Errors for people: what is wrong, where, and what to do about it.

use std::fmt;
use std::io;

use codespan_reporting::diagnostic::{Diagnostic, Label, Severity};
use codespan_reporting::term::{self, Config, termcolor::Ansi};

use super::escape_unsafe;
use super::excerpt::{SourceExcerpt, mistake_excerpt};
use sundown_files::toml_file::FileMistakes;

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

    fn rendered(&self) -> io::Result<String> {
        let mut out = Ansi::new(Vec::new());
        let nothing = SourceExcerpt::default();
        match self {
            Self::Plain { message, help } => {
                let note = help.as_deref().map(help_note);
                emit(&mut out, Severity::Error, &nothing, message, note)?;
            }
            Self::Mistakes(file) => {
                for (mistake, spot) in file.excerpts() {
                    let excerpt = mistake_excerpt(&file.name, spot);
                    let note = mistake.help.as_deref().map(help_note);
                    let severity = severity(mistake.is_doubt());
                    emit(&mut out, severity, &excerpt, &mistake.message, note)?;
                }
                let all = severity(file.are_doubts());
                emit(&mut out, all, &nothing, &file.to_string(), file.rest())?;
            }
        }
        Ok(String::from_utf8(out.into_inner())
            .map_err(io::Error::other)?
            .trim_end_matches('\n')
            .to_owned())
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

fn emit(
    out: &mut Ansi<Vec<u8>>,
    severity: Severity,
    excerpt: &SourceExcerpt,
    message: &str,
    note: Option<String>,
) -> io::Result<()> {
    // Without a line, there is no position.
    let label = (!excerpt.lines.is_empty()).then(|| Label::primary((), excerpt.marked.clone()));
    let diagnostic = Diagnostic::new(severity)
        .with_message(escape_unsafe(message))
        .with_labels_iter(label)
        .with_notes_iter(note);
    let config = Config {
        before_label_lines: 1,
        after_label_lines: 1,
        ..Config::default()
    };
    term::emit_to_write_style(out, &config, excerpt, &diagnostic).map_err(io::Error::other)
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
