//! A shape: where in the records of a program each piece of a call is, as a `[[log]]` table says.

use std::sync::OnceLock;

use regex::bytes::Regex;

use crate::access_log::LogFormat;
use sundown_files::toml_file::{MessageText, Mistake, TableReader, WithSpan};
use sundown_files::{FileName, GlobList};
use sundown_text_json::json::pointer::{Pointer, PointerError};

/// Makes [`Piece`] and the list of all pieces with their keys.
macro_rules! pieces {
    ($($piece:ident: $key:literal, $title:literal;)*) => {
        /// A part of a record that a shape names.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Piece {
            $(#[doc = concat!("`", $key, "`: ", $title, ".")] $piece,)*
        }

        impl Piece {
            /// All of them, in the order of the documentation.
            pub const ALL: &[Self] = &[$(Self::$piece),*];

            /// The number of pieces.
            pub(super) const COUNT: usize = Self::ALL.len();

            /// The key of a `[[log]]` table that names it.
            pub fn key(self) -> &'static str {
                match self {
                    $(Self::$piece => $key,)*
                }
            }

            /// What it is, for people.
            pub fn title(self) -> &'static str {
                match self {
                    $(Self::$piece => $title,)*
                }
            }
        }
    };
}

pieces! {
    Method: "method", "method";
    Verb: "verb", "verb of Kubernetes";
    Url: "url", "URL";
    RequestLine: "request-line", "request line";
    Query: "query", "query";
    Host: "host", "host";
    Started: "started", "time";
    Status: "status", "status";
    RequestHeaders: "request-headers", "request headers";
    RequestBody: "request-body", "request body";
    ResponseHeaders: "response-headers", "response headers";
    ResponseBody: "response-body", "response body";
    RequestSize: "request-size", "size of the request body";
    ResponseSize: "response-size", "size of the response body";
    Initiator: "initiator", "what made the call";
    Announcements: "announcements", "announcements";
    Stage: "stage", "stage";
    Unread: "unread", "a part of the call that is not read";
    Correlation: "correlation", "id of a call whose request and response are two records";
    Unwrap: "unwrap", "a record in a string or an object";
}

/// Where the records of a program have the pieces of a call.
///
/// A name is a JSON Pointer (`/http/request/0`) or, with `names = "dotted"`, a dotted name (`http.request.method`), whose parts
/// may be nested, joined by dots, or keys in a list of attributes. Of several names of a piece, the first that a record has applies.
#[derive(Debug, Clone)]
pub struct LogShape {
    /// The name of its file; empty for a shape of a user.
    pub name: String,
    /// The programs that write it; empty for a shape of a user.
    pub title: String,
    /// The logs; `None`: all of them.
    pub files: Option<GlobList>,
    /// The formats of lines that are not JSON: versions, the fullest first. All other members are about JSON records.
    pub formats: Vec<LogFormat>,
    /// Members of which a record must have one, if there are any, each with the text that it must be.
    pub when: Vec<(String, Option<String>)>,
    /// The lists of records in a document: JSON Pointers, with `*` for each element or member.
    pub records: Vec<String>,
    /// The members of a record in the order in which a recorder of tests writes them. The last shows that a record is whole.
    pub(crate) order: Vec<String>,
    /// What a recorder of tests writes after the list of records.
    pub(crate) end: Option<String>,
    /// How its names are meant.
    pub traits: Traits,
    /// Regular expressions for text that is no call, if it is not read otherwise.
    pub(super) ignored: Vec<String>,
    /// These, compiled when they are first needed.
    ignored_patterns: OnceLock<Vec<Regex>>,
    names: [Vec<String>; Piece::COUNT],
}

/// How a shape means its names.
#[derive(Debug, Clone, Copy, Default)]
pub struct Traits {
    /// Whether bodies are only where the shape says: other members with such names are something else.
    pub(super) only_named_bodies: bool,
    /// Whether bodies are in objects that describe them, so that one without text was left out.
    pub(super) wrapped_bodies: bool,
    /// Whether names are compared without regard to case, spaces, `_` and `-`. Such names are too common to prove a call: the
    /// values must be a common method and a path or URL.
    pub(super) any_spelling: bool,
}

impl LogShape {
    /// Reads the keys of a `[[log]]` table that are about records.
    pub fn read(fields: &TableReader<'_>) -> Self {
        let are_dotted = read_dotted(fields);
        let mut names: [Vec<String>; Piece::COUNT] = Default::default();
        for (piece, names) in Piece::ALL.iter().zip(&mut names) {
            *names = read_names(piece.key(), are_dotted, fields);
        }
        // A path is a URL without a host.
        let paths = read_names("path", are_dotted, fields);
        if let Some(urls) = names.get_mut(Piece::Url as usize) {
            urls.extend(paths);
        }
        let when = read_names("when", are_dotted, fields);
        let flag =
            |key, fields: &TableReader<'_>| fields.boolean(key).is_some_and(|flag| flag.value);
        Self {
            name: String::new(),
            title: String::new(),
            files: None,
            formats: read_formats(fields),
            ignored: Vec::new(),
            ignored_patterns: OnceLock::new(),
            when: when
                .into_iter()
                .map(|text| match text.split_once('=') {
                    Some((name, value)) => (name.trim().to_owned(), Some(value.trim().to_owned())),
                    None => (text, None),
                })
                .collect(),
            records: read_names("records", false, fields),
            order: Vec::new(),
            end: None,
            traits: Traits {
                only_named_bodies: flag("only-named-bodies", fields),
                wrapped_bodies: flag("wrapped-bodies", fields),
                any_spelling: flag("any-spelling", fields),
            },
            names,
        }
    }

    /// Reads the patterns of text that is no call in a table of a user.
    pub fn read_ignored(&mut self, fields: &TableReader<'_>) {
        const KEY: &str = "ignore";
        let texts = fields.one_or_more(KEY).unwrap_or_default().into_iter();
        let patterns = texts.filter_map(|WithSpan { value, span }| {
            let compiled = Regex::new(value).map_err(|error| {
                let error = error.to_string();
                let reason = error.lines().last().unwrap_or_default();
                let reason = reason.trim_start_matches("error: ");
                let message = format!("`{KEY}` is no regular expression: {reason}");
                Mistake::new(span, MessageText::own(message))
            });
            fields.accept(compiled).map(|_| value.to_owned())
        });
        self.ignored = patterns.collect();
    }

    /// Whether it says that a line or a record is no call.
    pub(super) fn ignores(&self, text: &[u8]) -> bool {
        let compiled = || self.ignored.iter().filter_map(|text| Regex::new(text).ok());
        let patterns = self.ignored_patterns.get_or_init(|| compiled().collect());
        patterns.iter().any(|pattern| pattern.is_match(text))
    }

    /// The names of a piece, in order.
    pub fn names(&self, piece: Piece) -> &[String] {
        self.names.get(piece as usize).map_or(&[], Vec::as_slice)
    }

    /// Adds names of a piece, before and after those that it has.
    pub(super) fn add(&mut self, piece: Piece, before: &[String], after: &[String]) {
        if let Some(names) = self.names.get_mut(piece as usize) {
            *names = [before, names, after].concat();
        }
    }

    /// Gives the pieces that it does not name the names that another has for them.
    pub(super) fn complete_with(&mut self, other: &Self) {
        for (names, others) in self.names.iter_mut().zip(&other.names) {
            if names.is_empty() {
                names.clone_from(others);
            }
        }
    }

    /// Whether it says where records have a call.
    pub(super) fn is_about_calls(&self) -> bool {
        [Piece::Url, Piece::RequestLine]
            .iter()
            .any(|piece| !self.names(*piece).is_empty())
    }

    /// Whether it is about records, and not only about lines that are not JSON.
    pub(super) fn is_about_records(&self) -> bool {
        let wraps = !self.names(Piece::Unwrap).is_empty() || !self.records.is_empty();
        self.is_about_calls() || wraps
    }

    /// Whether it says only what is no call.
    pub(super) fn is_about_ignored_text(&self) -> bool {
        !self.ignored.is_empty() && !self.is_about_records() && self.formats.is_empty()
    }

    /// Whether it applies to a file.
    pub(super) fn applies_to(&self, file: &FileName) -> bool {
        self.files.as_ref().is_none_or(|files| files.matches(file))
    }
}

/// Reads the formats of lines, each as the configuration of its server has it.
fn read_formats(fields: &TableReader<'_>) -> Vec<LogFormat> {
    const KEY: &str = "log-format";
    let texts = fields.one_or_more(KEY).unwrap_or_default().into_iter();
    let formats = texts.filter_map(|WithSpan { value, span }| {
        fields.accept(LogFormat::parse(value).map_err(|error| {
            let message = MessageText::own(format!("`{KEY}`: {}", error.message));
            Mistake::new(span, message).with_help(error.help)
        }))
    });
    formats.collect()
}

/// Reads whether names may be dotted.
fn read_dotted(fields: &TableReader<'_>) -> bool {
    let Some(WithSpan { value, span }) = fields.string("names") else {
        return false;
    };
    let is_dotted = match value {
        "dotted" => Ok(true),
        "pointers" => Ok(false),
        _ => Err(Mistake::new(
            span,
            "`names` is neither `dotted` nor `pointers`",
        )),
    };
    fields.accept(is_dotted).unwrap_or_default()
}

/// The number of parts of a dotted name, at most: each way of joining them has states of its own, 255 in all.
const MAX_PARTS: usize = 8;

/// Reads the names of a piece.
fn read_names(key: &'static str, are_dotted: bool, fields: &TableReader<'_>) -> Vec<String> {
    let mut names = Vec::new();
    for WithSpan { value, span } in fields.one_or_more(key).unwrap_or_default() {
        let is_dotted = are_dotted && !value.starts_with('/') && !value.is_empty();
        let name = if !is_dotted {
            Pointer::parse(value).map(drop).map_err(|error| {
                let mistake = Mistake::new(span, MessageText::own(format!("`{key}`: {error}")));
                match error {
                    PointerError::NoSlash => mistake.with_help(suggest_pointer(value)),
                    PointerError::Tilde => mistake,
                }
            })
        } else if value.split('.').count() > MAX_PARTS {
            let message = format!("`{key}` has a name of more than {MAX_PARTS} parts");
            Err(Mistake::new(span, MessageText::own(message)))
        } else {
            Ok(())
        };
        names.extend(fields.accept(name).map(|()| value.to_owned()));
    }
    names
}

/// Suggests the pointer that a dotted path or a name seems to mean.
fn suggest_pointer(text: &str) -> String {
    let parts: Vec<&str> = text
        .strip_prefix("$.")
        .unwrap_or(text)
        .split('.')
        .filter(|part| !part.is_empty())
        .collect();
    format!(
        "write \"/{}\"; or `names = \"dotted\"`, for names whose parts may be joined",
        parts.join("/")
    )
}
