//! The reasons for not checking something: one row for each.

use super::Reason;

/// All reasons in their order, each with its name in machine formats, its meaning for people, and the remedy.
const REASONS: [(Reason, &str, &str, &str); 57] = [
    (
        Reason::NoOperation,
        "no-operation",
        "a JSON body with no known operation",
        "name it with --operation 'POST /path' --side request, by [[payload]] in the configuration, or call the file <operation>.request.json or <operation>.response.json",
    ),
    (
        Reason::NoExchange,
        "no-exchange",
        "a record without a method and URL that could be recognised",
        "records need a `url` or `path`, and a `method`, `request` or `response`; for other layouts, add [[log]] to the configuration",
    ),
    (
        Reason::NoRequest,
        "no-request",
        "an access-log line without a request",
        "connections that sent nothing, or something other than HTTP, leave such lines: nothing was called",
    ),
    (
        Reason::EarlierStage,
        "earlier-stage",
        "an audit event about an earlier stage of a call",
        "the call counts once, by its `ResponseComplete` or `Panic` event; if the log has none, remove these stages from `omitStages` in the audit policy",
    ),
    (
        Reason::NotAFormat,
        "not-a-format",
        "not in a format that sundown reads",
        "`sundown formats` lists the known formats",
    ),
    (
        Reason::UnusualDescription,
        "unusual-description",
        "something unusual in an API description, which was checked anyway",
        "-v lists each; correct those that are unintended",
    ),
    (
        Reason::NotJson,
        "not-json",
        "a body that is not JSON",
        "only JSON and forms are checked",
    ),
    (
        Reason::NoBody,
        "no-body",
        "an exchange without bodies; only its call was checked",
        "if it had bodies, configure the recorder or logger to keep them",
    ),
    (
        Reason::OtherAddress,
        "other-address",
        "a call to the path of a known operation, but on another or an unknown host, or with further segments before it",
        "if it goes to the same service, name its host under [[api]] in the configuration; --unknown-host checks calls without a host, and --any-host all such calls",
    ),
    (
        Reason::NearMiss,
        "near-miss",
        "a call that almost matches an operation of the rules",
        "if the server treats it as this operation, it may be a use: check it by hand, or add its operation to the rules",
    ),
    (
        Reason::LetterCase,
        "letter-case",
        "a value that differs from that of a rule only in letter case",
        "if the server treats both alike, it may be a use: check it by hand, or add the value to the rules",
    ),
    (
        Reason::UnreadAnnouncement,
        "unread-announcement",
        "a header field of a response that looks like an announcement of a deprecation and is not read",
        "look up its meaning, and add what it announces to the rules",
    ),
    (
        Reason::WebSocket,
        "websocket",
        "WebSocket messages",
        "they belong to no operation; save them as JSON bodies to check them",
    ),
    (
        Reason::Message,
        "message",
        "a queue message",
        "it belongs to no operation; save its content as a JSON body to check it",
    ),
    (
        Reason::Symlink,
        "symlink",
        "a symbolic link",
        "name the file it points to on the command line",
    ),
    (
        Reason::NotAFile,
        "not-a-file",
        "a socket, pipe or device",
        "send its content to standard input: sundown check -",
    ),
    (
        Reason::ToolFolder,
        "tool-folder",
        "a folder that belongs to another tool",
        "name it on the command line to check it",
    ),
    (
        Reason::Excluded,
        "excluded",
        "left out by --include or --exclude",
        "change the globs to check it",
    ),
    (
        Reason::Ignored,
        "ignored",
        "a line or a record that mentions what rules are about, and is no call by `ignore` under [[log]], or by a known pattern",
        "change the patterns if it is one",
    ),
    (
        Reason::NotHttp,
        "not-http",
        "a connection without HTTP/1.1 or HTTP/2",
        "if it carries calls, record them in a client or a proxy: as a HAR, or with mitmproxy",
    ),
    (
        Reason::Encrypted,
        "encrypted",
        "an encrypted connection (TLS)",
        "record the calls where they are not encrypted: as a HAR in the client, with mitmproxy, or after the load balancer that ends TLS; keys of the connection are not used, even if the capture contains them",
    ),
    (
        Reason::Unreadable,
        "unreadable",
        "cannot be read",
        "check that the path exists and that you may read it",
    ),
    (
        Reason::UnknownFormat,
        "unknown-format",
        "in an unknown format",
        "`sundown formats` lists the known formats; --input-format sets the right one",
    ),
    (
        Reason::Packed,
        "packed",
        "a compressed file or an archive that is not unpacked",
        "unpack it with the given command, and check what it contains; or leave it out with --exclude",
    ),
    (
        Reason::Empty,
        "empty",
        "empty",
        "record it again, or leave it out with --exclude",
    ),
    (
        Reason::NoKnownAddress,
        "no-known-address",
        "no call was checked, because none is at an address of the rules",
        "if they go to the same service, name its hosts under [[api]] in the configuration; --any-host checks the calls on all hosts",
    ),
    (
        Reason::NothingToCheck,
        "nothing-to-check",
        "holds nothing that could be checked",
        "name captures (`sundown formats` lists the formats), or JSON bodies with --operation; --skip-unrelated skips named files without either",
    ),
    (
        Reason::Truncated,
        "truncated",
        "ends before it is complete",
        "record it again; whole records before the cut were checked",
    ),
    (
        Reason::InvalidJson,
        "invalid-json",
        "not valid JSON",
        "fix it at the given position, or leave the file out with --exclude",
    ),
    (
        Reason::LogFormatMismatch,
        "log-format-mismatch",
        "a line of a log that does not fit its format",
        "set `log-format` under [[log]] in the configuration to the log format of the server; the row of a table needs a cell for each column",
    ),
    (
        Reason::InvalidUtf8,
        "invalid-utf8",
        "not UTF-8",
        "convert it to UTF-8 (iconv -t UTF-8) and check it again",
    ),
    (
        Reason::TooDeep,
        "too-deep",
        "nested too deeply",
        "raise the limit with --max-depth",
    ),
    (
        Reason::TooDeepForFilters,
        "too-deep-for-filters",
        "nested too deeply for the rules that need filters, slices or indices from the end",
        "all other rules were applied; review it by hand for these",
    ),
    (
        Reason::TooManyStates,
        "too-many-states",
        "a body in which the selectors of its rules have too many states",
        "use selectors with fewer `..` and `*`; review it by hand for these rules",
    ),
    (
        Reason::BadEncoding,
        "bad-encoding",
        "in an encoding that could not be decoded",
        "record it again with decoded bodies",
    ),
    (
        Reason::UnreadNotation,
        "unread-notation",
        "a body in a notation that is not read",
        "let the recorder write it as JSON, or its bytes as base64",
    ),
    (
        Reason::Compressed,
        "compressed",
        "a body that is still compressed",
        "record it again with decoded bodies",
    ),
    (
        Reason::BodyMissing,
        "body-missing",
        "a body that the capture does not contain",
        "if a file has it, check that with --operation; otherwise, let the recorder keep bodies (HAR: with content)",
    ),
    (
        Reason::UnknownLayout,
        "unknown-layout",
        "a record of a call in an unknown layout",
        "copy the `[[log]]` table of the report to the end of sundown.toml, or its `log` line to the top, and correct the names in it where they are wrong",
    ),
    (
        Reason::UnreadCall,
        "unread-call",
        "a text that mentions what rules are about, and is in no form that sundown reads",
        "record these calls in a format of `sundown formats`, or say where they are with [[log]] in the configuration; leave out files without calls with --exclude",
    ),
    (
        Reason::UnreadQuery,
        "unread-query",
        "a member that may be the query and is not read",
        "in logs, name it under [[log]] in the configuration: `query`",
    ),
    (
        Reason::UnreadHeaders,
        "unread-headers",
        "a member that may be header fields and is not read",
        "in logs, name it under [[log]] in the configuration: `request-headers` or `response-headers`",
    ),
    (
        Reason::UnreadBody,
        "unread-body",
        "a member that may be a body and is not read",
        "in logs, name it under [[log]] in the configuration: `request-body` or `response-body`; in cassettes, call it `body`",
    ),
    (
        Reason::UnreadPiece,
        "unread-piece",
        "a further part of a call that is not read",
        "in stubs, give each response and its matchers a stub of its own; in logs, write a record for each call",
    ),
    (
        Reason::LoneResponse,
        "lone-response",
        "a body whose call is in another record",
        "let the logger write both into one record, or join the records by their id before the check",
    ),
    (
        Reason::TooLarge,
        "too-large",
        "larger than the record limit",
        "raise the limit with --max-record",
    ),
    (
        Reason::BeyondLimit,
        "beyond-limit",
        "larger than what is read of its kind",
        "no option raises this limit: check it in parts, or review it by hand",
    ),
    (
        Reason::ExpandsTooFar,
        "expands-too-far",
        "expands to far more than its size",
        "if it is genuine, raise the limit with --max-expansion",
    ),
    (
        Reason::TooMany,
        "too-many",
        "more distinct uses than can be stored",
        "fix those that are reported, or check the file in parts",
    ),
    (
        Reason::BrokenDescription,
        "broken-description",
        "an API description that cannot be read",
        "fix it at the given position, or leave the file out with --exclude",
    ),
    (
        Reason::UnreadPart,
        "unread-part",
        "a part of an API description that cannot be read",
        "everything else was checked",
    ),
    (
        Reason::DescriptionTooLarge,
        "description-too-large",
        "more combinations of schemas and rules than are searched",
        "raise the limit with --max-expansion, use rules with fewer `..` and `*` in their selectors, or split the description",
    ),
    (
        Reason::InvalidYaml,
        "invalid-yaml",
        "not valid YAML",
        "fix it at the given position, or leave the file out with --exclude",
    ),
    (
        Reason::Template,
        "template",
        "a template of Kubernetes manifests, which is not YAML",
        "check what the tool makes of it, such as Helm: helm template CHART | sundown check -",
    ),
    (
        Reason::LostPackets,
        "lost-packets",
        "packets that are missing from the capture",
        "capture again with whole packets (tcpdump -s 0) and a larger buffer (-B)",
    ),
    (
        Reason::UnreadPackets,
        "unread-packets",
        "packets whose content is not read",
        "capture on an interface with bare Ethernet or IP packets, as inside a tunnel; or record the calls in a client or a proxy: as a HAR, or with mitmproxy",
    ),
    (
        Reason::BrokenCapture,
        "broken-capture",
        "a part of a capture that violates its format",
        "record it again; everything before it was checked",
    ),
];

impl Reason {
    /// All reasons, in their order.
    pub fn all() -> impl Iterator<Item = Self> {
        REASONS.into_iter().map(|(reason, ..)| reason)
    }

    /// Its name in machine formats.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Its meaning, for people. The text follows the name of a file or a place.
    pub fn text(self) -> &'static str {
        self.row().2
    }

    /// The remedy.
    pub fn help(self) -> &'static str {
        self.row().3
    }

    fn row(self) -> (Self, &'static str, &'static str, &'static str) {
        REASONS
            .get(self as usize)
            .copied()
            .unwrap_or((self, "", "", ""))
    }
}
