//! What is wrong with a file that people write: every mistake with its place, in one report.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::path::Path;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

use crate::source::{Block, Locations, escaped, harmless};

/// One mistake. The writer's fault, with the place and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Where, in bytes of the file.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    pub(super) weight: Weight,
}

/// What becomes of a mistake beside broken syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// It holds.
    Certain,
    /// Something is missing, which in a file with broken syntax may only have been lost.
    Absence,
    /// None: whoever reads the value makes do with what is wrong in its syntax.
    Pardon,
}

impl Mistake {
    /// Something at `span` is wrong.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None, weight: Weight::Certain }
    }

    /// Something is missing.
    pub fn missing(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { weight: Weight::Absence, ..Self::new(span, message) }
    }

    /// No mistake: what is wrong in the syntax of the value at `span` is made do with.
    pub(super) fn pardon(span: Range<usize>) -> Self {
        Self { weight: Weight::Pardon, ..Self::new(span, "") }
    }

    /// The same, with what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Mistake {}

impl Diagnostic for Mistake {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(None, self.span.clone()))))
    }
}

/// A file that cannot be used, with all its mistakes.
#[derive(Debug)]
pub struct FileMistakes {
    /// What the file holds, in a word.
    what: &'static str,
    source: NamedSource<String>,
    /// In the file's order, never empty.
    pub mistakes: Vec<Mistake>,
}

/// The report's renderer cannot show columns past 65,535; a file with a longer line is shown without excerpts.
const LONGEST_SHOWN_LINE: usize = 60_000;

impl FileMistakes {
    /// `what` the file holds, in a word, which ends its headline; its name and text, of which excerpts are shown.
    pub fn new(what: &'static str, name: &str, text: &str, mut mistakes: Vec<Mistake>) -> Self {
        mistakes.sort_by_key(|mistake| (mistake.span.start, mistake.span.end));
        let text =
            &*if what == "list" || is_toml(name) { Cow::Borrowed(text) } else { masked(text) };
        let shown =
            if text.lines().any(|line| line.len() > LONGEST_SHOWN_LINE) { "" } else { text };
        for mistake in &mut mistakes {
            mistake.message = escaped(&mistake.message).into_owned();
            mistake.help = mistake.help.as_deref().map(|help| escaped(help).into_owned());
        }
        if shown.is_empty() {
            let offsets = mistakes.iter().map(|mistake| mistake.span.start).collect();
            let locations = Locations::of(Block::whole(text.as_bytes()), offsets);
            for mistake in &mut mistakes {
                let place = locations.get(mistake.span.start);
                mistake.message =
                    format!("line {}, column {}: {}", place.line, place.column, mistake.message);
                mistake.span = 0..0;
            }
        }
        let source = NamedSource::new(escaped(name), harmless(shown).into_owned());
        Self { what, source, mistakes }
    }
}

fn is_toml(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

/// The same text with a `*` for each byte of a letter or digit: what is no file of the kind that was asked for may hold
/// anything, secrets too.
fn masked(text: &str) -> Cow<'_, str> {
    let mut masked = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_alphanumeric() {
            masked.extend(std::iter::repeat_n('*', character.len_utf8()));
        } else {
            masked.push(character);
        }
    }
    Cow::Owned(masked)
}

impl fmt::Display for FileMistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.mistakes.len();
        write!(
            f,
            "{}: {count} {} in the {}",
            self.source.name(),
            if count == 1 { "mistake" } else { "mistakes" },
            self.what
        )
    }
}

impl std::error::Error for FileMistakes {}

impl Diagnostic for FileMistakes {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(self.mistakes.iter().map(|mistake| mistake as &dyn Diagnostic)))
    }
}
