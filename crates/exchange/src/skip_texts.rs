//! The texts for people about what was not checked: one entry for each reason.

use super::Reason;

impl Reason {
    /// Its meaning, for people. The text follows the name of a file or a place.
    pub fn text(self) -> &'static str {
        self.texts().0
    }

    /// The remedy.
    pub fn help(self) -> &'static str {
        self.texts().1
    }

    #[allow(clippy::too_many_lines, reason = "a table: one entry for each reason")]
    fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::NoOperation => (
                "a JSON body with no known operation",
                "name it with --operation 'POST /path' --side request, by [[payload]] in the configuration, or call the file <operation>.request.json or <operation>.response.json",
            ),
            Self::NoExchange => (
                "a record without a method and URL that could be recognised",
                "records need a `url` or `path`, and a `method`, `request` or `response`; for other layouts, add [[log]] to the configuration",
            ),
            Self::NoRequest => (
                "an access-log line without a request",
                "connections that sent nothing, or something other than HTTP, leave such lines: nothing was called",
            ),
            Self::EarlierStage => (
                "an audit event about an earlier stage of a call",
                "the call counts once, by its `ResponseComplete` or `Panic` event; if the log has none, remove these stages from `omitStages` in the audit policy",
            ),
            Self::NotAFormat => (
                "not in a format that sundown reads",
                "`sundown formats` lists the known formats",
            ),
            Self::UnusualDescription => (
                "something unusual in an API description, which was checked anyway",
                "-v lists each; correct those that are unintended",
            ),
            Self::NotJson => ("a body that is not JSON", "only JSON and forms are checked"),
            Self::NoBody => (
                "an exchange without bodies; only its call was checked",
                "if it had bodies, configure the recorder or logger to keep them",
            ),
            Self::OtherAddress => (
                "a call to the path of a known operation, but on another or an unknown host, or with further segments before it",
                "if it goes to the same service, name its host under [[api]] in the configuration; --unknown-host checks calls without a host, and --any-host all such calls",
            ),
            Self::NearMiss => (
                "a call that almost matches an operation of the rules",
                "if the server treats it as this operation, it may be a use: check it by hand, or add its operation to the rules",
            ),
            Self::LetterCase => (
                "a value that differs from that of a rule only in letter case",
                "if the server treats both alike, it may be a use: check it by hand, or add the value to the rules",
            ),
            Self::UnreadAnnouncement => (
                "a header field of a response that looks like an announcement of a deprecation and is not read",
                "look up its meaning, and add what it announces to the rules",
            ),
            Self::WebSocket => (
                "WebSocket messages",
                "they belong to no operation; save them as JSON bodies to check them",
            ),
            Self::Message => (
                "a queue message",
                "it belongs to no operation; save its content as a JSON body to check it",
            ),
            Self::Symlink => (
                "a symbolic link",
                "name the file it points to on the command line",
            ),
            Self::NotAFile => (
                "a socket, pipe or device",
                "send its content to standard input: sundown check -",
            ),
            Self::ToolFolder => (
                "a folder that belongs to another tool",
                "name it on the command line to check it",
            ),
            Self::Excluded => (
                "left out by --include or --exclude",
                "change the globs to check it",
            ),
            Self::Unreadable => (
                "cannot be read",
                "check that the path exists and that you may read it",
            ),
            Self::UnknownFormat => (
                "in an unknown format",
                "`sundown formats` lists the known formats; --input-format sets the right one",
            ),
            Self::Packed => (
                "a compressed file or an archive that is not unpacked",
                "unpack it with the given command, and check what it contains; or leave it out with --exclude",
            ),
            Self::Empty => ("empty", "record it again, or leave it out with --exclude"),
            Self::NoKnownAddress => (
                "no call was checked, because none is at an address of the rules",
                "if they go to the same service, name its hosts under [[api]] in the configuration; --any-host checks the calls on all hosts",
            ),
            Self::NothingToCheck => (
                "holds nothing that could be checked",
                "name captures (`sundown formats` lists the formats), or JSON bodies with --operation; --skip-unrelated skips named files without either",
            ),
            Self::Truncated => (
                "ends before it is complete",
                "record it again; whole records before the cut were checked",
            ),
            Self::InvalidJson => (
                "not valid JSON",
                "fix it at the given position, or leave the file out with --exclude",
            ),
            Self::LogFormatMismatch => (
                "a line of a log that does not fit its format",
                "set `log-format` under [[log]] in the configuration to the log format of the server; the row of a table needs a cell for each column",
            ),
            Self::InvalidUtf8 => (
                "not UTF-8",
                "convert it to UTF-8 (iconv -t UTF-8) and check it again",
            ),
            Self::TooDeep => ("nested too deeply", "raise the limit with --max-depth"),
            Self::TooDeepForFilters => (
                "nested too deeply for the rules that need filters, slices or indices from the end",
                "all other rules were applied; review it by hand for these",
            ),
            Self::TooManyStates => (
                "a body in which the selectors of its rules have too many states",
                "use selectors with fewer `..` and `*`; review it by hand for these rules",
            ),
            Self::BadEncoding => (
                "in an encoding that could not be decoded",
                "record it again with decoded bodies",
            ),
            Self::Compressed => (
                "a body that is still compressed",
                "record it again with decoded bodies",
            ),
            Self::BodyMissing => (
                "a body that the capture does not contain",
                "if a file has it, check that with --operation; otherwise, let the recorder keep bodies (HAR: with content)",
            ),
            Self::UnknownLayout => (
                "a record of a call in an unknown layout",
                "copy the `[[log]]` table of the report to the end of sundown.toml, or its `log` line to the top, and correct the names in it where they are wrong",
            ),
            Self::UnreadBody => (
                "a member that may be a body and is not read",
                "in logs, name it under [[log]] in the configuration: `request-body` or `response-body`; in cassettes, call it `body`",
            ),
            Self::LoneResponse => (
                "a body whose call is in another record",
                "let the logger write both into one record, or join the records by their id before the check",
            ),
            Self::TooLarge => (
                "larger than the record limit",
                "raise the limit with --max-record",
            ),
            Self::ExpandsTooFar => (
                "expands to far more than its size",
                "if it is genuine, raise the limit with --max-expansion",
            ),
            Self::TooMany => (
                "more distinct uses than can be stored",
                "fix those that are reported, or check the file in parts",
            ),
            Self::BrokenDescription => (
                "an API description that cannot be read",
                "fix it at the given position, or leave the file out with --exclude",
            ),
            Self::UnreadPart => (
                "a part of an API description that cannot be read",
                "everything else was checked",
            ),
            Self::DescriptionTooLarge => (
                "more combinations of schemas and rules than are searched",
                "raise the limit with --max-expansion, use rules with fewer `..` and `*` in their selectors, or split the description",
            ),
            Self::InvalidYaml => (
                "not valid YAML",
                "fix it at the given position, or leave the file out with --exclude",
            ),
            Self::Template => (
                "a template of Kubernetes manifests, which is not YAML",
                "check what the tool makes of it, such as Helm: helm template CHART | sundown check -",
            ),
            Self::NotHttp => (
                "a connection without HTTP/1.1 or HTTP/2",
                "if it carries calls, record them in a client or a proxy: as a HAR, or with mitmproxy",
            ),
            Self::Encrypted => (
                "an encrypted connection (TLS)",
                "record the calls where they are not encrypted: as a HAR in the client, with mitmproxy, or after the load balancer that ends TLS; keys of the connection are not used, even if the capture contains them",
            ),
            Self::LostPackets => (
                "packets that are missing from the capture",
                "capture again with whole packets (tcpdump -s 0) and a larger buffer (-B)",
            ),
            Self::UnreadPackets => (
                "packets whose content is not read",
                "capture on an interface with bare Ethernet or IP packets, as inside a tunnel; or record the calls in a client or a proxy: as a HAR, or with mitmproxy",
            ),
            Self::BrokenCapture => (
                "a part of a capture that violates its format",
                "record it again; everything before it was checked",
            ),
            Self::BrokenSourceMap => (
                "a source map that cannot be read; findings name the place in the script",
                "build it again with the script",
            ),
            Self::NoSourceMap => (
                "no source map for any script in the folder of --source-root",
                "name the folder in which the paths of the scripts' URLs end, as `dist` for `/app.js` in `dist/app.js.map`",
            ),
        }
    }
}
