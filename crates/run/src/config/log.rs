//! `[[log]]`: where the records of a log have the parts of an exchange, or the order of the fields in its lines.

use super::keys::{ConfigKey, KeyType};
use super::readers::read_glob_list;
use sundown_captures::LogShape;
use sundown_files::toml_file::TableReader;

/// The key `log`.
pub(super) const KEY: ConfigKey = ConfigKey::optional(
    "log",
    KeyType::Tables(KEYS),
    "Where the records of a log have the parts of an exchange, for logs in a layout of your own: lines of JSON, a list of records, or a single record; or the order of the fields in the lines of an access log. Each location is a JSON Pointer (RFC 6901) from the record: `/http/request/0`, with `~1` for a `/` in a name and `~0` for `~`; or a list, of which the first that is present applies. A part that is not given is read from the usual places. Of several tables, the first that matches a record applies; a record that matches none is read in the known layouts.",
    "",
    "only the known layouts",
);

const KEYS: &[ConfigKey] = &[
    one_or_more(
        "files",
        "The logs, as globs. A file that matches is read line by line even if its format is not recognised.",
        "[\"logs/*.ndjson\"]",
        "all files",
    ),
    one_or_more(
        "log-format",
        "The format of the lines of an access log: the `log_format` of nginx or the `LogFormat` of Apache, as quoted there; or a list of its versions, the fullest first. It needs a field with the request. Header fields, the host, the time and (nginx) the body of the request are read if the format has them. A field ends where the text after it starts; a line may go on after a format that ends with text. All other keys except `files` apply to JSON records in the same logs.",
        "'$remote_addr [$time_iso8601] \"$request\" $status \"$http_x_client\"'",
        "lines are JSON, or an access log in a known format",
    ),
    one_or_more(
        "ignore",
        "Lines and records that are no calls, as regular expressions of which one must match somewhere in the text. They apply to text that is not read as a call and would be reported because it mentions what rules are about, is in an unknown layout, or does not fit its `log-format`. It is counted.",
        "' retry of POST /orders '",
        "error lines of nginx and Apache",
    ),
    ConfigKey::optional(
        "names",
        KeyType::Text,
        "How locations are written: `pointers`, or `dotted` for names such as `http.request.method`, which may be nested objects, one member with dots in its name, both, or keys in a list of attributes.",
        "\"dotted\"",
        "`pointers`",
    ),
    one_or_more(
        "when",
        "Members of which a record must have one, each alone or with a value: `/kind=http`. A record without them does not match this table.",
        "\"/kind=http\"",
        "the method and the URL suffice",
    ),
    one_or_more(
        "records",
        "The lists of records in a document, as JSON Pointers in which `*` is each element or member.",
        "\"/hits/hits/*/_source\"",
        "the document, each line, each element of a list",
    ),
    one_or_more(
        "unwrap",
        "Members that hold another record, as text or as an object.",
        "\"/message\"",
        "the usual ones",
    ),
    one_or_more(
        "method",
        "The method. A record without it does not match this table; a record with `-` matches every method.",
        "\"/call/verb\"",
        "unknown: every method matches",
    ),
    one_or_more(
        "url",
        "The URL, with or without a host. A record has this or `path`.",
        "\"/call/url\"",
        "`path` or `request-line` is given",
    ),
    one_or_more(
        "request-line",
        "A request line (`GET /orders HTTP/1.1`), for records without `url`.",
        "\"/call/line\"",
        "`url` or `path` is given",
    ),
    one_or_more(
        "path",
        "The path, for records without `url`.",
        "\"/call/path\"",
        "`url` is given",
    ),
    one_or_more(
        "query",
        "The query, if it is not in the URL: text, an object, or a list of names and values.",
        "\"/call/query\"",
        "in the URL and the usual places",
    ),
    one_or_more(
        "host",
        "The host, if it is not in the URL.",
        "\"/call/host\"",
        "in the URL, the header fields, or the usual places",
    ),
    one_or_more(
        "status",
        "The status of the response. A record without it does not match this table: give this key if the log has other lines with a method and a URL.",
        "\"/answer/status\"",
        "the usual places",
    ),
    one_or_more(
        "started",
        "The start of the exchange: an RFC 3339 timestamp, or a number of seconds, milliseconds, microseconds or nanoseconds since 1970.",
        "\"/at\"",
        "the usual places",
    ),
    one_or_more(
        "request-headers",
        "The header fields of the request: an object, a list of names and values, or a list of pairs.",
        "\"/call/headers\"",
        "the usual places",
    ),
    one_or_more(
        "request-body",
        "The body of the request, as JSON or as a string that holds JSON.",
        "\"/call/body\"",
        "the usual places",
    ),
    one_or_more(
        "response-headers",
        "The header fields of the response.",
        "\"/answer/headers\"",
        "the usual places",
    ),
    one_or_more(
        "response-body",
        "The body of the response, as JSON or as a string that holds JSON.",
        "\"/answer/body\"",
        "the usual places",
    ),
    one_or_more(
        "request-size",
        "The size of the request body in bytes. A body with a size that the record does not have is reported; if the size is negative, `Content-Length` decides.",
        "\"/call/bodySize\"",
        "a missing body is none",
    ),
    one_or_more(
        "response-size",
        "The size of the response body in bytes.",
        "\"/answer/bodySize\"",
        "a missing body is none",
    ),
    one_or_more(
        "initiator",
        "The code that made the call, as the DevTools protocol of Chrome describes it.",
        "\"/_initiator\"",
        "attributes of OpenTelemetry",
    ),
    one_or_more(
        "verb",
        "The verb of a call of a Kubernetes API (`list`, `create`), in place of `method`.",
        "\"/verb\"",
        "`method`",
    ),
    one_or_more(
        "announcements",
        "An object with annotations of Kubernetes that announce a deprecation.",
        "\"/annotations\"",
        "only header fields announce",
    ),
    one_or_more(
        "stage",
        "The stage of a call in an audit log of Kubernetes, which has several records of each call.",
        "\"/stage\"",
        "each record is a call",
    ),
    one_or_more(
        "unread",
        "A further part of a call that no other key names. A record that has it fails with `--strict`.",
        "\"/responses/1\"",
        "what is not named is no part of a call",
    ),
    one_or_more(
        "correlation",
        "The id of a call whose request and response are two records. A response that matches this table and has no URL is reported.",
        "\"/correlation\"",
        "a response without a call is no exchange",
    ),
    ConfigKey::optional(
        "only-named-bodies",
        KeyType::Boolean,
        "Whether other members than those that this table names are no bodies.",
        "false",
        "`false`",
    ),
    ConfigKey::optional(
        "wrapped-bodies",
        KeyType::Boolean,
        "Whether bodies are in objects that describe them (`text`, `mimeType`, `size`, `encoding`, `params`), as in HTTP Archives. An object with other members is itself the body.",
        "false",
        "`false`",
    ),
    ConfigKey::optional(
        "any-spelling",
        KeyType::Boolean,
        "Whether names are compared without regard to case, spaces, `_` and `-`. The method must then be a common one, and the URL a path or a URL.",
        "false",
        "`false`",
    ),
];

/// A key of which the value is a text, or a list of them.
const fn one_or_more(
    name: &'static str,
    doc: &'static str,
    example: &'static str,
    default: &'static str,
) -> ConfigKey {
    ConfigKey::optional(name, KeyType::OneOrMore, doc, example, default)
}

/// Reads one table.
pub(super) fn read_log(mut fields: TableReader<'_, '_>) -> Option<LogShape> {
    let has_files = fields.has("files");
    let mut shape = LogShape::read(&mut fields);
    shape.read_ignored(&mut fields);
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
        "ignore",
    ]
    .iter()
    .any(|key| fields.has(key));
    if !has_call {
        fields.refuse_incomplete(
            "none of `url`, `path`, `log-format` and `ignore` is given",
            "give the location of the URL: url = \"/http/url\"; or the format of lines that are not JSON",
        );
    }
    fields.finish();
    // An invalid list of files must not select all files.
    (shape.files.is_some() || !has_files).then_some(shape)
}
