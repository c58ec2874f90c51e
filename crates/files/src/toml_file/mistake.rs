//! The mistakes in a file that people write: all of them in one report, each with its position.

use std::ops::Range;

use thiserror::Error;

use super::excerpt::{Disclosure, Excerpt, ExcerptSource};
use super::message::MessageText;
use sundown_text_json::text::{Block, Locations, escape_unsafe, group_digits};

/// The maximum number of mistakes that are shown. More than fit on a screen do not help, and a file of another kind has one on
/// every line.
const SHOWN: usize = 20;

/// A mistake in a file, with its position and a remedy for the author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Its span in the file.
    pub span: Range<usize>,
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
    pub(super) certainty: MistakeCertainty,
    /// Whether a key is not one of this program's files, or its value has another type.
    pub(super) is_foreign: bool,
    /// The texts that are shown instead if no content of the file may be.
    masked: MaskedMessage,
}

/// The certainty of a mistake in a file that also has broken syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MistakeCertainty {
    /// It is a mistake.
    Certain,
    /// Something is missing, perhaps only because of the broken syntax.
    Absence,
    /// It is not a mistake: the reader of the value accepts its broken syntax.
    Pardon,
    /// It may be intended: the file can be used.
    Doubt,
}

/// The texts of a mistake without content of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MaskedMessage {
    message: String,
    help: Option<String>,
}

impl Mistake {
    /// Creates a mistake at `span`.
    pub fn new(span: Range<usize>, message: impl Into<MessageText>) -> Self {
        let message = message.into();
        let masked = MaskedMessage {
            message: message.masked().to_owned(),
            help: None,
        };
        Self {
            span,
            message: message.text,
            help: None,
            certainty: MistakeCertainty::Certain,
            is_foreign: false,
            masked,
        }
    }

    /// Creates a mistake about a key or a value that a file of another kind may have. `span` is that of the key or the value.
    pub(super) fn foreign(span: Range<usize>, message: MessageText) -> Self {
        Self {
            is_foreign: true,
            ..Self::new(span, message)
        }
    }

    /// Creates a mistake for something that is missing.
    pub fn missing(span: Range<usize>, message: impl Into<MessageText>) -> Self {
        Self {
            certainty: MistakeCertainty::Absence,
            ..Self::new(span, message)
        }
    }

    /// Creates a warning: the content is probably a mistake, but the file can be used.
    pub fn doubt(span: Range<usize>, message: impl Into<MessageText>) -> Self {
        Self {
            certainty: MistakeCertainty::Doubt,
            ..Self::new(span, message)
        }
    }

    /// Whether it is a warning.
    pub fn is_doubt(&self) -> bool {
        self.certainty == MistakeCertainty::Doubt
    }

    /// Accepts the broken syntax of the value at `span`.
    pub(super) fn pardon(span: Range<usize>) -> Self {
        Self {
            certainty: MistakeCertainty::Pardon,
            ..Self::new(span, "")
        }
    }

    /// Adds a remedy.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<MessageText>) -> Self {
        let help = help.into();
        // A remedy with a part removed is useless.
        self.masked.help = help.is_own().then(|| help.text.clone());
        self.help = Some(help.text);
        self
    }
}

/// The error for a file that cannot be used, with all its mistakes. Without certain mistakes, it holds the warnings about a file
/// that can be used.
#[derive(Debug, Clone, Error)]
#[error("{name}: {} in the {what}", self.count())]
pub struct FileMistakes {
    /// The kind of the file, in a word.
    what: &'static str,
    /// The name of the file, safe to print.
    pub name: String,
    text: String,
    sight: Disclosure,
    /// The mistakes in the order of the file; never empty, and safe to print.
    pub mistakes: Vec<Mistake>,
}

impl FileMistakes {
    /// Creates the error from the kind of the file, its name, and its text, for excerpts.
    pub fn new(
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
            mistake.help = mistake
                .help
                .as_deref()
                .map(|help| escape_unsafe(help).into_owned());
        }
        Self {
            what,
            name: escape_unsafe(name).into_owned(),
            text: text.to_owned(),
            sight,
            mistakes,
        }
    }

    fn count(&self) -> String {
        let doubts = self
            .mistakes
            .iter()
            .filter(|mistake| mistake.is_doubt())
            .count();
        match (self.mistakes.len() - doubts, doubts) {
            (mistakes, 0) => counted(mistakes, "mistake"),
            (0, doubts) => counted(doubts, "warning"),
            (mistakes, doubts) => {
                format!(
                    "{} and {}",
                    counted(mistakes, "mistake"),
                    counted(doubts, "warning")
                )
            }
        }
    }

    /// Whether it holds only warnings.
    pub fn are_doubts(&self) -> bool {
        self.mistakes.iter().all(Mistake::is_doubt)
    }

    /// The first mistakes, each with its excerpt.
    pub fn excerpts(&self) -> impl Iterator<Item = (&Mistake, Excerpt)> {
        let shown = self.mistakes.get(..SHOWN).unwrap_or(&self.mistakes);
        let page = ExcerptSource::new(&self.text, self.sight);
        let starts = shown.iter().map(|mistake| mistake.span.start).collect();
        let locations = Locations::of(Block::whole(self.text.as_bytes()), starts);
        shown.iter().map(move |mistake| {
            (
                mistake,
                page.excerpt(&mistake.span, locations.get(mistake.span.start)),
            )
        })
    }

    /// Returns the text of the file if it may be shown.
    pub fn shown_text(&self) -> Option<&str> {
        (self.sight == Disclosure::Plain).then_some(&self.text)
    }

    /// The number of mistakes that are not shown, if there are any.
    pub fn rest(&self) -> Option<String> {
        let rest = self
            .mistakes
            .len()
            .checked_sub(SHOWN)
            .filter(|rest| *rest > 0)?;
        Some(format!(
            "the first {SHOWN} are shown, and {} more are not",
            group_digits(rest)
        ))
    }
}

/// A number of things, such as `2 mistakes`.
fn counted(count: usize, one: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        count => format!("{} {one}s", group_digits(count)),
    }
}
