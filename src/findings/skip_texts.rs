//! The texts for people about what was not checked: one entry for each reason.

use crate::traffic::Reason;

impl Reason {
    /// Its meaning, for people. The text follows the name of a file or a place.
    pub fn text(self) -> &'static str {
        self.texts().0
    }

    /// What the user can do about it.
    pub fn help(self) -> &'static str {
        self.texts().1
    }

    #[allow(clippy::too_many_lines, reason = "a table: one entry for each reason")]
    fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::NoOperation => (
                "a JSON body of no known operation",
                "name it with --operation 'POST /path' --side request, by [[payload]] in the configuration, or call the file <operation>.request.json or <operation>.response.json",
            ),
            Self::NoExchange => (
                "a record without a method and URL that could be recognised",
                "records need a `url` or `path`, and a `method`, `request` or `response`; [[log]] in the configuration says where others have them",
            ),
            Self::NoRequest => (
                "an access-log line without a request",
                "connections that sent nothing, or something other than HTTP, leave such lines: nothing was called",
            ),
            Self::NotAFormat => {
                ("not in a format that sundown reads", "`sundown formats` lists those that are")
            }
            Self::OddPart => (
                "something odd in an API description, which was checked all the same",
                "-v lists each; correct those that are unintended",
            ),
            Self::NotJson => ("a body that is not JSON", "only JSON bodies are checked"),
            Self::NoBody => (
                "an exchange without bodies; only its call was checked",
                "if it had bodies, let the recorder or logger keep them",
            ),
            Self::WebSocket => (
                "WebSocket messages",
                "they belong to no operation; save them as JSON bodies to check them",
            ),
            Self::Message => (
                "a message of a queue",
                "it belongs to no operation; save its content as a JSON body to check it",
            ),
            Self::Symlink => ("a symbolic link", "name the file it points to on the command line"),
            Self::NotAFile => {
                ("a socket, pipe or device", "send its content to standard input: sundown check -")
            }
            Self::ToolFolder => {
                ("a folder of other tools' files", "name it on the command line to check it")
            }
            Self::Excluded => {
                ("left out by --include or --exclude", "change the globs to check it")
            }
            Self::Unreadable => ("cannot be read", "check that the path exists and may be read"),
            Self::UnknownFormat => (
                "in an unknown format",
                "`sundown formats` lists those that are; --input-format says which one it is",
            ),
            Self::Empty => ("empty", "record it again, or leave it out with --exclude"),
            Self::NothingToCheck => (
                "holds nothing that could be checked",
                "name a folder with captures (HAR, NDJSON) or JSON bodies; bodies need an operation: see sundown check --help",
            ),
            Self::Truncated => (
                "ends before it is complete",
                "record it again; whole records before the cut were checked",
            ),
            Self::InvalidJson => (
                "not valid JSON",
                "fix it at the given position, or leave the file out with --exclude",
            ),
            Self::OtherOrder => (
                "a line of an access log that does not fit its format",
                "`log-format` under [[log]] in the configuration says the order of its fields, as that of the server does",
            ),
            Self::InvalidUtf8 => {
                ("not UTF-8", "convert it to UTF-8 (iconv -t UTF-8) and check it again")
            }
            Self::TooDeep => ("nested too deeply", "raise the limit with --max-depth"),
            Self::TooDeepForFilters => (
                "nested too deeply for the rules that need filters, slices or indices from the end",
                "all other rules were applied; review it by hand for these",
            ),
            Self::BadEncoding => {
                ("in an encoding that could not be undone", "record it again with decoded bodies")
            }
            Self::Compressed => {
                ("a body that is still compressed", "record it again with decoded bodies")
            }
            Self::BodyMissing => {
                ("a body that the capture left out", "record again with bodies (HAR: with content)")
            }
            Self::TooLarge => ("larger than is read at once", "raise the limit with --max-record"),
            Self::UnfoldsTooFar => (
                "expands to far more than its size",
                "if it is genuine, raise the limit with --max-expansion",
            ),
            Self::TooMany => (
                "more different uses than can be kept",
                "fix those that are reported, or check the file in parts",
            ),
            Self::BrokenDescription => (
                "an API description that cannot be read",
                "fix it at the given position, or leave the file out with --exclude",
            ),
            Self::UnreadPart => {
                ("a part of an API description that cannot be read", "all the rest was checked")
            }
            Self::DescriptionTooLarge => (
                "more combinations of schemas and rules than are searched",
                "raise the limit with --max-expansion, use rules whose selectors have fewer `..` and `*`, or split the description",
            ),
            Self::InvalidYaml => (
                "not valid YAML",
                "fix it at the given position, or leave the file out with --exclude",
            ),
            Self::NotHttp => (
                "a connection without unencrypted HTTP/1.1",
                "record encrypted traffic and HTTP/2 in a proxy or a client: mitmproxy, or a HAR",
            ),
            Self::LostPackets => (
                "packets that the capture lacks",
                "capture again with whole packets (tcpdump -s 0) and more room for them (-B)",
            ),
            Self::BrokenCapture => (
                "a part of a capture that is not what its format says",
                "record it again; everything before it was checked",
            ),
        }
    }
}
