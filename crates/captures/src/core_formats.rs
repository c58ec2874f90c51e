//! The specifications of JSON documents, logs, HTTP Archives and API descriptions, whose readers are modules of
//! their own.

use super::file_head::FileHead;
use super::har;
use super::ndjson::LineChunker;
use super::spec::{
    FormatFamily, FormatReader, FormatSpec, Keeps, MarkSign, Recognition, common, distinctive,
};
use sundown_text_json::json::{scan, string};

/// One JSON document: an exchange, a list of exchanges, or a bare body.
pub(crate) const JSON: FormatSpec = FormatSpec {
    name: "json",
    title: "One JSON document: an exchange, a list of exchanges, or a bare body",
    family: FormatFamily::Json,
    recognised: "one JSON value, or several in a row, in no other format of this list",
    recognition: Recognition::Content,
    reader: FormatReader::Document,
    keeps: Keeps::Exchanges,
    reads: "",
    limits: "A bare body does not say which operation it belongs to; see `--operation` and `[[payload]]`.",
    is_binary: false,
    endings: &["json"],
    marks: &[],
    sample: "",
};

/// A bare body.
pub(crate) const BODY: FormatSpec = FormatSpec {
    name: "body",
    title: "A bare body",
    family: FormatFamily::Json,
    recognised: "never automatically: by `--operation`, `[[payload]]`, or a name such as `chat.request.json`",
    recognition: Recognition::Declared,
    reader: FormatReader::Body,
    keeps: Keeps::Bodies,
    reads: "",
    limits: "",
    is_binary: false,
    endings: &["json"],
    marks: &[],
    sample: "",
};

/// Logs with one JSON object per line.
pub(crate) const NDJSON: FormatSpec = FormatSpec {
    name: "ndjson",
    title: "Logs with one JSON object per line",
    family: FormatFamily::Logs,
    recognised: "lines that are JSON objects with a method, a URL and bodies, in the shapes of many loggers",
    recognition: Recognition::Content,
    reader: FormatReader::Blocks(LineChunker::begin),
    keeps: Keeps::Exchanges,
    reads: "",
    limits: "What a logger omits, mostly bodies, cannot be checked. For a shape that is not known, `[[log]]` says where each part is.",
    is_binary: false,
    endings: &["json", "jsonl", "ndjson"],
    marks: &[
        distinctive(MarkSign::Line(&["{"]), "lines that are JSON objects"),
        common(MarkSign::Text(&["\"method\"", "\"verb\""]), "`method`"),
    ],
    sample: "captures/pino-http.ndjson",
};

/// Access logs of web servers and load balancers.
pub(crate) const ACCESS_LOG: FormatSpec = FormatSpec {
    name: "access-log",
    title: "Access logs of web servers and load balancers: Common Log Format, combined, with additional fields around it; those of known shapes; or in any order",
    family: FormatFamily::Logs,
    recognised: "lines with a time, a request in quotes and a status in the order of a known format; any other order by `log-format` under `[[log]]`",
    recognition: Recognition::Content,
    reader: FormatReader::Blocks(LineChunker::begin_access_log),
    keeps: Keeps::Calls,
    reads: "",
    limits: "Access logs have no bodies: operations and parameters are checked. A cut inside the last field of the last line cannot be detected.",
    is_binary: false,
    endings: &[],
    marks: &[
        distinctive(
            MarkSign::Text(&[" HTTP/1.", " HTTP/2."]),
            "request like `GET /path HTTP/1.1`",
        ),
        common(MarkSign::Text(&["] \""]), "time in brackets before a quote"),
        common(
            MarkSign::Text(&["\" 2", "\" 3", "\" 4", "\" 5"]),
            "status after a quote",
        ),
    ],
    sample: "captures/logs/nginx-combined.log",
};

/// HTTP Archive (HAR 1.1 to 1.3).
pub(crate) const HAR: FormatSpec = FormatSpec {
    name: "har",
    title: "HTTP Archive (HAR 1.1 to 1.3)",
    family: FormatFamily::Archives,
    recognised: "an object `log` with `entries`, `pages` or `creator`",
    recognition: Recognition::Sniff(sniff_har),
    reader: FormatReader::Blocks(har::begin),
    keeps: Keeps::Exchanges,
    reads: "",
    limits: "WebSocket messages belong to no operation; they are reported as not checked.",
    is_binary: false,
    endings: &["har", "json"],
    marks: &[
        distinctive(MarkSign::Object("log"), "object `log` at the top"),
        distinctive(MarkSign::Text(&["\"entries\""]), "list `entries`"),
        common(
            MarkSign::Text(&["\"startedDateTime\""]),
            "`startedDateTime`",
        ),
    ],
    sample: "captures/mitmproxy.har",
};

/// API description (OpenAPI 3.0 to 3.2, Swagger 2.0), in JSON or YAML.
pub(crate) const OPENAPI: FormatSpec = FormatSpec {
    name: "openapi",
    title: "API description (OpenAPI 3.0 to 3.2, Swagger 2.0), in JSON or YAML",
    family: FormatFamily::Descriptions,
    recognised: "`openapi` or `swagger` at the top, with `paths`, `info`, `components`, `webhooks` or `definitions`",
    recognition: Recognition::Sniff(sniff_description),
    reader: FormatReader::Description,
    keeps: Keeps::Nothing,
    reads: "",
    limits: "",
    is_binary: false,
    endings: &["json", "yaml", "yml"],
    marks: &[
        distinctive(MarkSign::Key("openapi"), "`openapi` at the top"),
        distinctive(MarkSign::Key("paths"), "`paths` at the top"),
        common(MarkSign::Key("info"), "`info` at the top"),
    ],
    sample: "descriptions",
};

/// Recognises a HAR by its `log`, wherever it is: every producer writes one of these keys. Stops at the first.
fn sniff_har(head: &FileHead<'_>) -> bool {
    let name = |key| string::decode_bytes(head.bytes, key);
    head.begins_with(b'{')
        && scan::keys(head.bytes, head.start).any(|(key, value)| {
            let mut inside = scan::keys(head.bytes, value);
            head.bytes.get(value) == Some(&b'{')
                && name(key) == "log"
                && inside.any(|(key, _)| ["entries", "pages", "creator"].contains(&&*name(key)))
        })
}

/// Recognises a description in JSON. A body may have one of these keys; a description has both.
fn sniff_description(head: &FileHead<'_>) -> bool {
    ["openapi", "swagger"].iter().any(|key| head.has(key, b'"'))
        && ["paths", "info", "components", "webhooks", "definitions"]
            .iter()
            .any(|key| head.has_key(key))
}
