//! What is wrong with a file that people write: every mistake with its place, in one report.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use super::excerpt::{Disclosure, Excerpt, ExcerptSource};
use super::message::MessageText;
use crate::text::{Block, Locations, escape_unsafe, group_digits};

/// How many mistakes of a file are shown: more than fit a screen say nothing new, and a file that is of another kind has one
/// on every line.
const SHOWN: usize = 20;

/// One mistake. The writer's fault, with the place and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Where, in bytes of the file.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    pub(super) weight: MistakeCertainty,
    /// What is told instead where nothing of the file may be.
    masked: MaskedMessage,
}

/// What becomes of a mistake beside broken syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MistakeCertainty {
    /// It holds.
    Certain,
    /// Something is missing, which in a file with broken syntax may only have been lost.
    Absence,
    /// None: whoever reads the value makes do with what is wrong in its syntax.
    Pardon,
}

/// A mistake in words that are none of its file's.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MaskedMessage {
    message: String,
    help: Option<String>,
}

impl Mistake {
    /// Something at `span` is wrong.
    pub fn new(span: Range<usize>, message: impl Into<MessageText>) -> Self {
        let message = message.into();
        let masked = MaskedMessage { message: message.masked().to_owned(), help: None };
        Self { span, message: message.text, help: None, weight: MistakeCertainty::Certain, masked }
    }

    /// Something is missing.
    pub fn missing(span: Range<usize>, message: impl Into<MessageText>) -> Self {
        Self { weight: MistakeCertainty::Absence, ..Self::new(span, message) }
    }

    /// No mistake: what is wrong in the syntax of the value at `span` is made do with.
    pub(super) fn pardon(span: Range<usize>) -> Self {
        Self { weight: MistakeCertainty::Pardon, ..Self::new(span, "") }
    }

    /// The same, with what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<MessageText>) -> Self {
        let help = help.into();
        // Half a remedy is none.
        self.masked.help = help.is_own().then(|| help.text.clone());
        self.help = Some(help.text);
        self
    }
}

/// A file that cannot be used, with all its mistakes.
#[derive(Debug)]
pub struct FileMistakes {
    /// What the file holds, in a word.
    what: &'static str,
    /// The file's name, safe to print.
    pub name: String,
    text: String,
    sight: Disclosure,
    /// In the file's order, never empty; their words are safe to print.
    pub mistakes: Vec<Mistake>,
}

impl FileMistakes {
    /// `what` the file holds, in a word, which ends its headline; its name and text, of which excerpts are shown.
    pub fn new(what: &'static str, name: &str, text: &str, mistakes: Vec<Mistake>) -> Self {
        // What is no file of the kind that was asked for may hold anything, secrets too.
        let sight = if is_toml(name) { Disclosure::Plain } else { Disclosure::Masked };
        Self::seen(sight, what, name, text, mistakes)
    }

    /// The same of a file of which so much is shown.
    pub fn seen(
        sight: Disclosure,
        what: &'static str,
        name: &str,
        text: &str,
        mut mistakes: Vec<Mistake>,
    ) -> Self {
        mistakes.sort_by_key(|mistake| (mistake.span.start, mistake.span.end));
        for mistake in &mut mistakes {
            if sight == Disclosure::Masked {
                let MaskedMessage { message, help } = mistake.masked.clone();
                (mistake.message, mistake.help) = (message, help);
            }
            mistake.message = escape_unsafe(&mistake.message).into_owned();
            mistake.help = mistake.help.as_deref().map(|help| escape_unsafe(help).into_owned());
        }
        Self {
            what,
            name: escape_unsafe(name).into_owned(),
            text: text.to_owned(),
            sight,
            mistakes,
        }
    }

    /// The first mistakes, each with what is shown of its place.
    pub fn excerpts(&self) -> impl Iterator<Item = (&Mistake, Excerpt)> {
        let shown = self.mistakes.get(..SHOWN).unwrap_or(&self.mistakes);
        let page = ExcerptSource::new(&self.text, self.sight);
        let starts = shown.iter().map(|mistake| mistake.span.start).collect();
        let locations = Locations::of(Block::whole(self.text.as_bytes()), starts);
        shown.iter().map(move |mistake| {
            (mistake, page.excerpt(&mistake.span, locations.get(mistake.span.start)))
        })
    }

    /// How many mistakes there are besides those that are shown, where there are any.
    pub fn rest(&self) -> Option<String> {
        let rest = self.mistakes.len().checked_sub(SHOWN).filter(|rest| *rest > 0)?;
        Some(format!("the first {SHOWN} are shown, and {} more are not", group_digits(rest)))
    }
}

fn is_toml(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

impl fmt::Display for FileMistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.mistakes.len();
        let mistakes = if count == 1 { "mistake" } else { "mistakes" };
        write!(f, "{}: {} {mistakes} in the {}", self.name, group_digits(count), self.what)
    }
}

impl std::error::Error for FileMistakes {}
