//! Pieces of input that were not checked, each with its reason. Every one of them is counted and reported.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

use sundown_text_json::json::scan::{self, Break};
use sundown_text_json::json::{SyntaxError, SyntaxErrorKind};
use sundown_text_json::text::{OffsetMap, Span};

/// Something that was not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skip {
    pub reason: Reason,
    /// Its position in the file; `None` for the file as a whole.
    pub span: Option<Span>,
    /// The number of pieces: 0 where it continues one that has been reported.
    pub count: usize,
    /// The number of bytes that were not checked.
    pub bytes: usize,
    /// What exactly is wrong, where the reason does not say it; never a value from the input.
    pub detail: Option<String>,
}

impl Skip {
    /// Creates a skip for a piece of a file.
    pub fn at(reason: Reason, span: Span) -> Self {
        Self {
            span: Some(span),
            ..Self::file(reason, span.len())
        }
    }

    /// Creates a skip for a piece that should be JSON and is not, at the position of the error, whose offset counts from the
    /// beginning of the piece.
    pub fn broken(error: SyntaxError, piece: Span) -> Self {
        let start = (piece.start + error.offset).min(piece.end);
        let (reason, detail) = match error.kind {
            SyntaxErrorKind::UnexpectedEnd => (Reason::Truncated, None),
            SyntaxErrorKind::InvalidUtf8 => (Reason::InvalidUtf8, None),
            SyntaxErrorKind::TooDeep(limit) => (
                Reason::TooDeep,
                Some(format!("the limit is {limit} levels")),
            ),
            SyntaxErrorKind::TooLarge => (Reason::BeyondLimit, Some(error.to_string())),
            _ => (Reason::InvalidJson, Some(error.to_string())),
        };
        Self {
            bytes: piece.len(),
            detail,
            ..Self::at(reason, Span::new(start, piece.end))
        }
    }

    /// Creates a skip for the rest of a file of `length` bytes, from where a scan of it broke off.
    pub fn broken_off(at: Break, length: usize) -> Self {
        let (start, kind) = match at {
            Break::Truncated(start) => (start, SyntaxErrorKind::UnexpectedEnd),
            Break::Malformed(start) => (start, SyntaxErrorKind::Expected(scan::LIST_GOES_ON)),
        };
        Self::broken(
            SyntaxError { offset: 0, kind },
            Span::new(start.min(length), length),
        )
    }

    /// Creates a skip for a whole file of `bytes` bytes.
    pub fn file(reason: Reason, bytes: usize) -> Self {
        Self {
            reason,
            span: None,
            count: 1,
            bytes,
            detail: None,
        }
    }

    /// The part of the file that was not checked. It may begin before the reported position.
    pub fn stretch(&self) -> Span {
        let end = self.span.map_or(self.bytes, |span| span.end);
        Span::new(end.saturating_sub(self.bytes), end)
    }

    /// The same part in the file from which its text was made.
    #[must_use]
    pub fn through(mut self, map: &OffsetMap) -> Self {
        if let Some(span) = &mut self.span {
            let outer = map.outer(*span);
            if self.bytes == span.len() {
                self.bytes = outer.len();
            }
            *span = outer;
        }
        self
    }

    /// Adds what exactly is wrong.
    #[must_use]
    pub fn because(mut self, detail: impl fmt::Display) -> Self {
        self.detail = Some(detail.to_string());
        self
    }
}

/// How serious a skip is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipKind {
    /// Not for this tool to check.
    Unrelated,
    /// Should have been checked and could not be; `--strict` fails on it.
    Failed,
}

impl SkipKind {
    /// `unrelated` or `failed`, as in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unrelated => "unrelated",
            Self::Failed => "failed",
        }
    }
}

/// The reason why something was not checked. Those up to [`Self::Encrypted`] are no failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A JSON body of unknown operation.
    NoOperation,
    /// A record in which no exchange could be recognised.
    NoExchange,
    /// An access-log line without a request.
    NoRequest,
    /// An event about an earlier stage of a call, of which another event counts.
    EarlierStage,
    /// A file of unknown format, found while walking a folder.
    NotAFormat,
    /// An anomaly in an API description, which was checked nevertheless.
    UnusualDescription,
    /// A body that is not JSON and does not claim to be.
    NotJson,
    /// An exchange without bodies whose operation has rules for bodies.
    NoBody,
    /// A call of an operation's path on another host or after other segments.
    OtherAddress,
    /// A call that almost matches an operation of the rules.
    NearMiss,
    /// A value that differs from that of a rule only in letter case.
    LetterCase,
    /// A header field of a response that looks like an announcement of a deprecation and is not read.
    UnreadAnnouncement,
    /// Messages of a WebSocket. They belong to no operation.
    #[serde(rename = "websocket")]
    WebSocket,
    /// A message of a queue. It belongs to no operation.
    Message,
    /// A symbolic link found while walking.
    Symlink,
    /// A socket, pipe or device found while walking.
    NotAFile,
    /// A folder of other tools' files (`.git`, `node_modules`).
    ToolFolder,
    /// Left out by the user's globs.
    Excluded,
    /// A line or a record that the user's patterns name as no call.
    Ignored,
    /// A connection or flow other than HTTP.
    NotHttp,
    /// An encrypted connection.
    Encrypted,
    /// A path that does not exist or cannot be read.
    Unreadable,
    /// A named file of unknown format.
    UnknownFormat,
    /// A compressed file or an archive that is not unpacked.
    Packed,
    /// An empty file that was named or should hold something.
    Empty,
    /// A run whose calls are all at other addresses than those of the rules.
    NoKnownAddress,
    /// A folder, a named file, or a file of a `[[log]]` table without anything to check.
    NothingToCheck,
    /// Ends before it is complete.
    Truncated,
    /// Should be JSON and is not.
    InvalidJson,
    /// A line of an access log that does not fit its format, or a row that does not fit the header of its table.
    LogFormatMismatch,
    /// Should be text and is not UTF-8.
    InvalidUtf8,
    /// Nested deeper than the limit.
    TooDeep,
    /// Nested deeper than filters, slices and indices from the end can be evaluated.
    TooDeepForFilters,
    /// A body in which the automaton of the selectors would have more states than the limit.
    TooManyStates,
    /// A captured body that could not be decoded.
    BadEncoding,
    /// A body in a notation that is not read.
    UnreadNotation,
    /// A captured body that is still compressed.
    Compressed,
    /// A body that was sent but is not in the capture.
    BodyMissing,
    /// A record of a call in a layout that is not known.
    UnknownLayout,
    /// A text that is not read and states a call or a value that the rules are about.
    UnreadCall,
    /// A call that may be of more operations than can be named, by what is masked or cut in its path.
    MaskedCall,
    /// A query that may be in a member that is not read.
    UnreadQuery,
    /// Header fields that may be in a member that is not read.
    UnreadHeaders,
    /// A body that may be in a member that is not read.
    UnreadBody,
    /// A further part of a call, such as a second response of a stub, that is not read.
    UnreadPiece,
    /// A response in a record of its own, apart from its request.
    LoneResponse,
    /// A record or document larger than the limit.
    TooLarge,
    /// A piece beyond a limit that no option raises.
    BeyondLimit,
    /// A body or YAML document that expands far beyond its size.
    ExpandsTooFar,
    /// A use beyond the number of different uses that are kept for one file.
    TooMany,
    /// An API description that cannot be read.
    BrokenDescription,
    /// A part of an API description that cannot be read.
    UnreadPart,
    /// An API description with more combinations of schemas and rules than are searched.
    DescriptionTooLarge,
    /// Should be YAML and is not.
    InvalidYaml,
    /// A template from which a tool makes manifests.
    Template,
    /// Packets that a capture lacks.
    LostPackets,
    /// Packets of a capture in a layer that is not read.
    UnreadPackets,
    /// A part of a capture that breaks its format.
    BrokenCapture,
}

impl Reason {
    /// Returns how serious it is.
    pub fn kind(self) -> SkipKind {
        if self <= Self::Encrypted {
            SkipKind::Unrelated
        } else {
            SkipKind::Failed
        }
    }

    /// Whether a piece that was not checked for this reason may have calls.
    pub fn may_hide_calls(self) -> bool {
        let has_none = matches!(
            self,
            Self::Empty
                | Self::NoKnownAddress
                | Self::TooMany
                | Self::BrokenDescription
                | Self::UnreadPart
                | Self::DescriptionTooLarge
        );
        self.kind() == SkipKind::Failed && !has_none
    }

    /// Whether a piece that was not checked for this reason is text that may state calls.
    pub fn is_text(self) -> bool {
        matches!(
            self,
            Self::NoOperation
                | Self::NoExchange
                | Self::NotAFormat
                | Self::UnknownFormat
                | Self::NotJson
                | Self::WebSocket
                | Self::Message
        )
    }

    /// Returns whether different pieces of one file are reported one by one.
    pub fn is_reported_singly(self) -> bool {
        matches!(
            self,
            Self::UnreadPart
                | Self::UnusualDescription
                | Self::LetterCase
                | Self::UnreadAnnouncement
                | Self::UnreadCall
        )
    }
}

/// A detail in one line. A table for the configuration becomes the line that means the same.
pub fn detail_in_one_line(detail: &str) -> Cow<'_, str> {
    match detail.strip_prefix("[[log]]\n") {
        Some(table) => format!("`log = [{{ {} }}]`", table.replace('\n', ", ")).into(),
        None => detail.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_row_with_its_name_in_the_order_of_declaration() {
        let (_, declared) = include_str!("skip.rs")
            .split_once("pub enum Reason {\n")
            .unwrap();
        let (declared, _) = declared.split_once("\n}\n").unwrap();
        let variants = declared.lines().map(str::trim);
        let variants = variants.filter(|line| !line.starts_with(['/', '#']));
        let listed: Vec<_> = Reason::all().map(|reason| format!("{reason:?},")).collect();
        assert_eq!(variants.collect::<Vec<_>>(), listed);
        for reason in Reason::all() {
            let name = serde_json::to_value(reason).unwrap();
            assert_eq!(name, reason.name());
        }
    }
}
