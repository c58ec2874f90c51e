//! What was not checked, and why: every such piece is counted and told.

use std::fmt;

use crate::json::scan::{self, Break};
use crate::json::{SyntaxError, SyntaxErrorKind};
use crate::text::Span;

/// Something that was not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skip {
    /// Why not.
    pub reason: Reason,
    /// Where it stands in its file; `None` for the file as a whole.
    pub span: Option<Span>,
    /// How many pieces it is: 0 where it is more of one that has been told.
    pub count: usize,
    /// How many bytes were not checked.
    pub bytes: usize,
    /// What exactly is wrong, where there is more to say than the reason; never a value from the input.
    pub detail: Option<String>,
}

impl Skip {
    /// A piece of a file.
    pub fn at(reason: Reason, span: Span) -> Self {
        Self { reason, span: Some(span), count: 1, bytes: span.len(), detail: None }
    }

    /// A piece that should be JSON and is not; the place is that of the error, whose offset counts from the piece's start.
    pub fn broken(error: SyntaxError, piece: Span) -> Self {
        let start = (piece.start + error.offset).min(piece.end);
        let (reason, detail) = match error.kind {
            SyntaxErrorKind::UnexpectedEnd => (Reason::Truncated, None),
            SyntaxErrorKind::InvalidUtf8 => (Reason::InvalidUtf8, None),
            SyntaxErrorKind::TooDeep(limit) => {
                (Reason::TooDeep, Some(format!("the limit is {limit} levels")))
            }
            _ => (Reason::InvalidJson, Some(error.to_string())),
        };
        let span = Some(Span::new(start, piece.end));
        Self { reason, span, count: 1, bytes: piece.len(), detail }
    }

    /// The rest of a file of `length` bytes, from where a scan of it broke off.
    pub fn broken_off(at: Break, length: usize) -> Self {
        let (start, kind) = match at {
            Break::Truncated(start) => (start, SyntaxErrorKind::UnexpectedEnd),
            Break::Malformed(start) => (start, SyntaxErrorKind::Expected(scan::LIST_GOES_ON)),
        };
        Self::broken(SyntaxError { offset: 0, kind }, Span::new(start.min(length), length))
    }

    /// A file as a whole, of so many bytes.
    pub fn file(reason: Reason, bytes: usize) -> Self {
        Self { reason, span: None, count: 1, bytes, detail: None }
    }

    /// The stretch of its file that was not checked, which may begin before the place that is told.
    pub fn stretch(&self) -> Span {
        let end = self.span.map_or(self.bytes, |span| span.end);
        Span::new(end.saturating_sub(self.bytes), end)
    }

    /// Says what exactly is wrong.
    #[must_use]
    pub fn because(mut self, detail: impl fmt::Display) -> Self {
        self.detail = Some(detail.to_string());
        self
    }
}

/// Whether a skip is a matter of course or a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipKind {
    /// Nothing that this tool could check.
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

/// Why something was not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// A JSON body of which nobody says whose it is.
    NoOperation,
    /// A record in which no exchange could be recognised.
    NoExchange,
    /// A line of an access log that says no request.
    NoRequest,
    /// A file in no format that is read, found while walking a folder.
    NotAFormat,
    /// Something odd in an API description, which was read all the same.
    OddPart,
    /// A body that is no JSON and does not say that it is.
    NotJson,
    /// An exchange of which neither body was recorded, where a rule would have looked.
    NoBody,
    /// The messages of a WebSocket, which belong to no operation.
    WebSocket,
    /// A message of a queue, which belongs to no operation.
    Message,
    /// A symbolic link found while walking.
    Symlink,
    /// A socket, pipe or device found while walking.
    NotAFile,
    /// A folder of other tools' files (`.git`, `node_modules`).
    ToolFolder,
    /// The user's globs leave it out.
    Excluded,
    /// A path that does not exist or cannot be read.
    Unreadable,
    /// A named file in no format that is read.
    UnknownFormat,
    /// A named file, or one that must hold something, without a byte in it.
    Empty,
    /// A folder without anything to check.
    NothingToCheck,
    /// Ends before it is complete.
    Truncated,
    /// Should be JSON and is not.
    InvalidJson,
    /// A line of an access log whose fields stand in another order than its format says.
    OtherOrder,
    /// Should be text and is not UTF-8.
    InvalidUtf8,
    /// Nested deeper than the limit.
    TooDeep,
    /// Nested deeper than filters, slices and indices from the end can be evaluated.
    TooDeepForFilters,
    /// A captured body in an encoding that could not be undone.
    BadEncoding,
    /// A captured body that is still compressed.
    Compressed,
    /// A body that was sent but is not in the capture.
    BodyMissing,
    /// A record or document of more bytes than the limit.
    TooLarge,
    /// A body that unfolds, or YAML whose aliases stand for, far more times its size than real ones do.
    UnfoldsTooFar,
    /// A use beyond as many different ones as are kept of one file.
    TooMany,
    /// An API description that cannot be read.
    BrokenDescription,
    /// A part of an API description that cannot be read.
    UnreadPart,
    /// An API description whose schemas and rules make more pairs than are searched.
    DescriptionTooLarge,
    /// Should be YAML and is not.
    InvalidYaml,
    /// A connection or a flow of something else than HTTP/1.1 in the clear.
    NotHttp,
    /// Packets that a capture does not have.
    LostPackets,
    /// A part of a capture that is not what its format says.
    BrokenCapture,
}

impl Reason {
    /// All of them, in their order.
    pub const ALL: [Self; 36] = [
        Self::NoOperation,
        Self::NoExchange,
        Self::NoRequest,
        Self::NotAFormat,
        Self::OddPart,
        Self::NotJson,
        Self::NoBody,
        Self::WebSocket,
        Self::Message,
        Self::Symlink,
        Self::NotAFile,
        Self::ToolFolder,
        Self::Excluded,
        Self::Unreadable,
        Self::UnknownFormat,
        Self::Empty,
        Self::NothingToCheck,
        Self::Truncated,
        Self::InvalidJson,
        Self::OtherOrder,
        Self::InvalidUtf8,
        Self::TooDeep,
        Self::TooDeepForFilters,
        Self::BadEncoding,
        Self::Compressed,
        Self::BodyMissing,
        Self::TooLarge,
        Self::UnfoldsTooFar,
        Self::TooMany,
        Self::BrokenDescription,
        Self::UnreadPart,
        Self::DescriptionTooLarge,
        Self::InvalidYaml,
        Self::NotHttp,
        Self::LostPackets,
        Self::BrokenCapture,
    ];

    /// A matter of course, or a failure.
    pub fn kind(self) -> SkipKind {
        match self {
            Self::NoOperation
            | Self::NoExchange
            | Self::NoRequest
            | Self::NotAFormat
            | Self::OddPart
            | Self::NotJson
            | Self::NoBody
            | Self::WebSocket
            | Self::Message
            | Self::Symlink
            | Self::NotAFile
            | Self::ToolFolder
            | Self::Excluded
            | Self::NotHttp => SkipKind::Unrelated,
            Self::Unreadable
            | Self::UnknownFormat
            | Self::Empty
            | Self::NothingToCheck
            | Self::Truncated
            | Self::InvalidJson
            | Self::OtherOrder
            | Self::InvalidUtf8
            | Self::TooDeep
            | Self::TooDeepForFilters
            | Self::BadEncoding
            | Self::Compressed
            | Self::BodyMissing
            | Self::TooLarge
            | Self::UnfoldsTooFar
            | Self::TooMany
            | Self::BrokenDescription
            | Self::UnreadPart
            | Self::DescriptionTooLarge
            | Self::InvalidYaml
            | Self::LostPackets
            | Self::BrokenCapture => SkipKind::Failed,
        }
    }

    /// Whether pieces of one file that were not checked for this reason are told one by one, where they differ.
    pub fn is_told_apart(self) -> bool {
        matches!(self, Self::UnreadPart | Self::OddPart)
    }

    /// Its name in machine formats.
    pub fn name(self) -> &'static str {
        self.texts().0
    }

    /// What it means, for people; follows the name of a file or a place.
    pub fn text(self) -> &'static str {
        self.texts().1
    }

    /// What the user can do about it.
    pub fn help(self) -> &'static str {
        self.texts().2
    }

    #[allow(clippy::too_many_lines, reason = "a table: one entry for each reason")]
    fn texts(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::NoOperation => (
                "no-operation",
                "a JSON body of no known operation",
                "name it with --operation 'POST /path' --side request, by [[payload]] in the configuration, or call the file <operation>.request.json or <operation>.response.json",
            ),
            Self::NoExchange => (
                "no-exchange",
                "a record without a method and URL that could be recognised",
                "records need a `url` or `path`, and a `method`, `request` or `response`; [[log]] in the configuration says where others have them",
            ),
            Self::NoRequest => (
                "no-request",
                "a line of an access log in whose place for the request stands none",
                "connections that sent nothing, or something other than HTTP, leave such lines: nothing was called",
            ),
            Self::NotAFormat => (
                "not-a-format",
                "not a format that is read",
                "`sundown formats` lists those that are",
            ),
            Self::OddPart => (
                "odd-part",
                "something odd in an API description, which was checked all the same",
                "-v names each; correct what is not meant so",
            ),
            Self::NotJson => {
                ("not-json", "a body that is not JSON", "only JSON bodies are checked")
            }
            Self::NoBody => (
                "no-body",
                "an exchange without bodies, of which only the call was checked",
                "if it had bodies, let the recorder or logger keep them",
            ),
            Self::WebSocket => (
                "websocket",
                "WebSocket messages",
                "they belong to no operation; save them as JSON bodies to check them",
            ),
            Self::Message => (
                "message",
                "a message of a queue",
                "it belongs to no operation; save its content as a JSON body to check it",
            ),
            Self::Symlink => {
                ("symlink", "a symbolic link", "name the file it points to on the command line")
            }
            Self::NotAFile => (
                "not-a-file",
                "a socket, pipe or device",
                "send its content to standard input: sundown check -",
            ),
            Self::ToolFolder => (
                "tool-folder",
                "a folder of other tools' files",
                "name it on the command line to check it",
            ),
            Self::Excluded => {
                ("excluded", "left out by --include or --exclude", "change the globs to check it")
            }
            Self::Unreadable => {
                ("unreadable", "cannot be read", "check that the path exists and may be read")
            }
            Self::UnknownFormat => (
                "unknown-format",
                "in no format that is read",
                "`sundown formats` lists those that are; --input-format says which one it is",
            ),
            Self::Empty => ("empty", "empty", "record it again, or leave it out with --exclude"),
            Self::NothingToCheck => (
                "nothing-to-check",
                "holds nothing that could be checked",
                "name a folder with captures (HAR, NDJSON) or JSON bodies; bodies need an operation: see sundown check --help",
            ),
            Self::Truncated => (
                "truncated",
                "ends before it is complete",
                "record it again; whole records before the cut were checked",
            ),
            Self::InvalidJson => (
                "invalid-json",
                "not valid JSON",
                "mend it at the place given, or leave the file out with --exclude",
            ),
            Self::OtherOrder => (
                "other-order",
                "a line of an access log that does not fit its format",
                "`log-format` under [[log]] in the configuration says the order of its fields, as that of the server does",
            ),
            Self::InvalidUtf8 => (
                "invalid-utf8",
                "not UTF-8",
                "convert it to UTF-8 (iconv -t UTF-8) and check it again",
            ),
            Self::TooDeep => ("too-deep", "nested too deeply", "raise the limit with --max-depth"),
            Self::TooDeepForFilters => (
                "too-deep-for-filters",
                "nested too deeply for the rules that need filters, slices or indices from the end",
                "all other rules were applied; look it over by hand for these",
            ),
            Self::BadEncoding => (
                "bad-encoding",
                "in an encoding that could not be undone",
                "record it again with decoded bodies",
            ),
            Self::Compressed => (
                "compressed",
                "a body that is still compressed",
                "record it again with decoded bodies",
            ),
            Self::BodyMissing => (
                "body-missing",
                "a body that the capture left out",
                "record again with bodies (HAR: with content)",
            ),
            Self::TooLarge => {
                ("too-large", "larger than is read at once", "raise the limit with --max-record")
            }
            Self::UnfoldsTooFar => (
                "unfolds-too-far",
                "packed so that it unfolds to far more than its size",
                "if it is none that was made to, raise the limit with --max-expansion",
            ),
            Self::TooMany => (
                "too-many",
                "more different uses than can be kept",
                "mend those that are reported, or check the file in parts",
            ),
            Self::BrokenDescription => (
                "broken-description",
                "an API description that cannot be read",
                "mend it at the place given, or leave the file out with --exclude",
            ),
            Self::UnreadPart => (
                "unread-part",
                "a part of an API description that cannot be read",
                "all the rest was checked",
            ),
            Self::DescriptionTooLarge => (
                "description-too-large",
                "schemas and rules that meet in more ways than are searched",
                "raise the limit with --max-expansion, use rules whose selectors have fewer `..` and `*`, or split the description",
            ),
            Self::InvalidYaml => (
                "invalid-yaml",
                "not valid YAML",
                "mend it at the place given, or leave the file out with --exclude",
            ),
            Self::NotHttp => (
                "not-http",
                "a connection without HTTP/1.1 in the clear",
                "what is encrypted, and HTTP/2, is recorded by a proxy or a client: mitmproxy, or a HAR",
            ),
            Self::LostPackets => (
                "lost-packets",
                "packets that the capture does not have",
                "capture again with whole packets (tcpdump -s 0) and more room for them (-B)",
            ),
            Self::BrokenCapture => (
                "broken-capture",
                "a part of a capture that is not what its format says",
                "record it again; what stands in front of it was checked",
            ),
        }
    }
}
