//! `[[log]]`: where the records of a log have the parts of an exchange, or the order of the fields in its lines.

use super::keys::{ConfigKey, KeyType};
use super::readers::read_glob_list;
use sundown_captures::LogShape;
use sundown_files::toml_file::TableReader;

/// The key `log`.
pub(super) const KEY: ConfigKey = ConfigKey::required(
    "log",
    KeyType::Tables(KEYS),
    "Where the records of a log have the parts of an exchange, for logs in a layout of your own: lines of JSON, a list of records, or a single record; or the order of the fields in the lines of an access log. Each location is a JSON Pointer (RFC 6901) from the record: `/http/request/0`, with `~1` for a `/` in a name and `~0` for `~`; or a list, of which the first that is present applies. A part that is not given is read from the usual places. Of several tables, the first that matches a record applies; a record that matches none is read in the known layouts.",
    "",
)
.or("only the known layouts");

const KEYS: &[ConfigKey] = &[
    ConfigKey::required(
        "files",
        KeyType::OneOrMore,
        "The logs, as globs. A file that matches is read line by line even if its format is not recognised.",
        "[\"logs/*.ndjson\"]",
    )
    .or("all files"),
    ConfigKey::required(
        "log-format",
        KeyType::OneOrMore,
        "The format of the lines of an access log: the `log_format` of nginx or the `LogFormat` of Apache, as quoted there; or a list of its versions, the fullest first. It needs a field with the request. Header fields, the host, the time and (nginx) the body of the request are read if the format has them. A field ends where the text after it starts; a line may go on after a format that ends with text. All other keys except `files` apply to JSON records in the same logs.",
        "'$remote_addr [$time_iso8601] \"$request\" $status \"$http_x_client\"'",
    )
    .or("lines are JSON, or an access log in a known format"),
    ConfigKey::required(
        "names",
        KeyType::Text,
        "How locations are written: `pointers`, or `dotted` for names such as `http.request.method`, which may be nested objects, one member with dots in its name, both, or keys in a list of attributes.",
        "\"dotted\"",
    )
    .or("`pointers`"),
    ConfigKey::required(
        "when",
        KeyType::OneOrMore,
        "Members of which a record must have one, each alone or with a value: `/kind=http`. A record without them does not match this table.",
        "\"/kind=http\"",
    )
    .or("the method and the URL suffice"),
    ConfigKey::required(
        "records",
        KeyType::OneOrMore,
        "The lists of records in a document, as JSON Pointers in which `*` is each element or member.",
        "\"/hits/hits/*/_source\"",
    )
    .or("the document, each line, each element of a list"),
    ConfigKey::required(
        "unwrap",
        KeyType::OneOrMore,
        "Members that hold another record, as text or as an object.",
        "\"/message\"",
    )
    .or("the usual ones"),
    ConfigKey::required(
        "method",
        KeyType::OneOrMore,
        "The method. A record without it does not match this table; a record with `-` matches every method.",
        "\"/call/verb\"",
    )
    .or("unknown: every method matches"),
    ConfigKey::required(
        "url",
        KeyType::OneOrMore,
        "The URL, with or without a host. A record has this or `path`.",
        "\"/call/url\"",
    )
    .or("`path` or `request-line` is given"),
    ConfigKey::required(
        "request-line",
        KeyType::OneOrMore,
        "A request line (`GET /orders HTTP/1.1`), for records without `url`.",
        "\"/call/line\"",
    )
    .or("`url` or `path` is given"),
    ConfigKey::required(
        "path",
        KeyType::OneOrMore,
        "The path, for records without `url`.",
        "\"/call/path\"",
    )
    .or("`url` is given"),
    ConfigKey::required(
        "query",
        KeyType::OneOrMore,
        "The query, if it is not in the URL: text, an object, or a list of names and values.",
        "\"/call/query\"",
    )
    .or("in the URL and the usual places"),
    ConfigKey::required(
        "host",
        KeyType::OneOrMore,
        "The host, if it is not in the URL.",
        "\"/call/host\"",
    )
    .or("in the URL, the header fields, or the usual places"),
    ConfigKey::required(
        "status",
        KeyType::OneOrMore,
        "The status of the response. A record without it does not match this table: give this key if the log has other lines with a method and a URL.",
        "\"/answer/status\"",
    )
    .or("the usual places"),
    ConfigKey::required(
        "started",
        KeyType::OneOrMore,
        "The start of the exchange: an RFC 3339 timestamp, or a number of seconds, milliseconds, microseconds or nanoseconds since 1970.",
        "\"/at\"",
    )
    .or("the usual places"),
    ConfigKey::required(
        "request-headers",
        KeyType::OneOrMore,
        "The header fields of the request: an object, a list of names and values, or a list of pairs.",
        "\"/call/headers\"",
    )
    .or("the usual places"),
    ConfigKey::required(
        "request-body",
        KeyType::OneOrMore,
        "The body of the request, as JSON or as a string that holds JSON.",
        "\"/call/body\"",
    )
    .or("the usual places"),
    ConfigKey::required(
        "response-headers",
        KeyType::OneOrMore,
        "The header fields of the response.",
        "\"/answer/headers\"",
    )
    .or("the usual places"),
    ConfigKey::required(
        "response-body",
        KeyType::OneOrMore,
        "The body of the response, as JSON or as a string that holds JSON.",
        "\"/answer/body\"",
    )
    .or("the usual places"),
    ConfigKey::required(
        "request-size",
        KeyType::OneOrMore,
        "The size of the request body in bytes. A body with a size that the record does not have is reported; if the size is negative, `Content-Length` decides.",
        "\"/call/bodySize\"",
    )
    .or("a missing body is none"),
    ConfigKey::required(
        "response-size",
        KeyType::OneOrMore,
        "The size of the response body in bytes.",
        "\"/answer/bodySize\"",
    )
    .or("a missing body is none"),
    ConfigKey::required(
        "initiator",
        KeyType::OneOrMore,
        "The code that made the call, as the DevTools protocol of Chrome describes it.",
        "\"/_initiator\"",
    )
    .or("attributes of OpenTelemetry"),
    ConfigKey::required(
        "verb",
        KeyType::OneOrMore,
        "The verb of a call of a Kubernetes API (`list`, `create`), in place of `method`.",
        "\"/verb\"",
    )
    .or("`method`"),
    ConfigKey::required(
        "announcements",
        KeyType::OneOrMore,
        "An object with annotations of Kubernetes that announce a deprecation.",
        "\"/annotations\"",
    )
    .or("only header fields announce"),
    ConfigKey::required(
        "stage",
        KeyType::OneOrMore,
        "The stage of a call in an audit log of Kubernetes, which has several records of each call.",
        "\"/stage\"",
    )
    .or("each record is a call"),
    ConfigKey::required(
        "correlation",
        KeyType::OneOrMore,
        "The id of a call whose request and response are two records. A response that matches this table and has no URL is reported.",
        "\"/correlation\"",
    )
    .or("a response without a call is no exchange"),
    ConfigKey::required(
        "only-named-bodies",
        KeyType::Boolean,
        "Whether other members than those that this table names are no bodies.",
        "false",
    )
    .or("`false`"),
    ConfigKey::required(
        "wrapped-bodies",
        KeyType::Boolean,
        "Whether bodies are in objects that describe them (`text`, `mimeType`, `size`, `encoding`, `params`), as in HTTP Archives. An object with other members is itself the body.",
        "false",
    )
    .or("`false`"),
    ConfigKey::required(
        "any-spelling",
        KeyType::Boolean,
        "Whether names are compared without regard to case, spaces, `_` and `-`. The method must then be a common one, and the URL a path or a URL.",
        "false",
    )
    .or("`false`"),
];

/// Reads one table.
pub(super) fn read_log(mut fields: TableReader<'_, '_>) -> Option<LogShape> {
    let has_files = fields.has("files");
    let mut shape = LogShape::read(&mut fields);
    shape.files = if has_files {
        read_glob_list("files", &mut fields)
    } else {
        fields.one_or_more("files").and(None)
    };
    let has_call = [
        "url",
        "path",
        "request-line",
        "unwrap",
        "records",
        "correlation",
        "log-format",
    ]
    .iter()
    .any(|key| fields.has(key));
    if !has_call {
        fields.refuse_incomplete(
            "none of `url`, `path` and `log-format` is given",
            "give the location of the URL: url = \"/http/url\"; or the format of lines that are not JSON",
        );
    }
    fields.finish();
    // An invalid list of files must not select all files.
    (shape.files.is_some() || !has_files).then_some(shape)
}
