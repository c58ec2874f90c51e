//! `[[log]]`: where the records of a log have the parts of an exchange, or the order of the fields in its lines.

use super::keys::{ConfigKey, KeyType};
use super::readers::read_glob_list;
use sundown_captures::{LogFormat, LogMapping, MessageMapping};
use sundown_files::toml_file::{MessageText, Mistake, TableReader, WithSpan};
use sundown_text_json::json::pointer::{Pointer, PointerError};

/// The key `log`.
pub(super) const KEY: ConfigKey = ConfigKey::required(
    "log",
    KeyType::Tables(KEYS),
    "Where the records of a log have the parts of an exchange, for logs in a layout of your own: lines of JSON, a list of records, or a single record; or the order of the fields in the lines of an access log. Each location is a JSON Pointer (RFC 6901) from the record: `/http/request/0`, with `~1` for a `/` in a name and `~0` for `~`. Of several tables, the first that matches a record applies; a record that matches none is read in the known layouts. Such logs are parsed line by line, which takes longer.",
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
        KeyType::Text,
        "The format of the lines of an access log: the `log_format` of nginx or the `LogFormat` of Apache, as quoted there. It needs a field with the request. Header fields, the host, the time and (nginx) the body of the request are read if the format has them. A field ends where the text after it starts. All other keys except `files` apply to JSON records in the same logs.",
        "'$remote_addr [$time_iso8601] \"$request\" $status \"$http_x_client\"'",
    )
    .or("lines are JSON, or an access log in the common or combined format"),
    ConfigKey::required(
        "method",
        KeyType::Text,
        "The method. A record without it does not match this table; a record with `-` matches every method.",
        "\"/call/verb\"",
    )
    .or("unknown: every method matches"),
    ConfigKey::required(
        "url",
        KeyType::Text,
        "The URL, with or without a host. A record has this or `path`.",
        "\"/call/url\"",
    )
    .or("`path` is given"),
    ConfigKey::required(
        "path",
        KeyType::Text,
        "The path, for records without `url`.",
        "\"/call/path\"",
    )
    .or("`url` is given"),
    ConfigKey::required(
        "query",
        KeyType::Text,
        "The query, if it is not in the URL: text, an object, or a list of names and values.",
        "\"/call/query\"",
    )
    .or("in the URL"),
    ConfigKey::required(
        "host",
        KeyType::Text,
        "The host, if it is not in the URL.",
        "\"/call/host\"",
    )
    .or("in the URL or the header fields"),
    ConfigKey::required(
        "status",
        KeyType::Text,
        "The status of the response. A record without it does not match this table: give this key if the log has other lines with a method and a URL.",
        "\"/answer/status\"",
    )
    .or("not read"),
    ConfigKey::required(
        "started",
        KeyType::Text,
        "The start of the exchange: an RFC 3339 timestamp, or a number of seconds, milliseconds, microseconds or nanoseconds since 1970.",
        "\"/at\"",
    )
    .or("not reported"),
    ConfigKey::required(
        "request-headers",
        KeyType::Text,
        "The header fields of the request: an object, a list of names and values, or a list of pairs.",
        "\"/call/headers\"",
    )
    .or("not checked"),
    ConfigKey::required(
        "request-body",
        KeyType::Text,
        "The body of the request, as JSON or as a string that holds JSON.",
        "\"/call/body\"",
    )
    .or("not checked"),
    ConfigKey::required(
        "response-headers",
        KeyType::Text,
        "The header fields of the response.",
        "\"/answer/headers\"",
    )
    .or("not checked"),
    ConfigKey::required(
        "response-body",
        KeyType::Text,
        "The body of the response, as JSON or as a string that holds JSON.",
        "\"/answer/body\"",
    )
    .or("not checked"),
];

/// Reads one table.
pub(super) fn read_log(mut fields: TableReader<'_, '_>) -> Option<LogMapping> {
    let has_files = fields.has("files");
    let mapping = LogMapping {
        files: if has_files {
            read_glob_list("files", &mut fields)
        } else {
            fields.one_or_more("files").and(None)
        },
        format: read_log_format(&mut fields),
        method: read_pointer("method", &mut fields),
        url: read_pointer("url", &mut fields),
        path: read_pointer("path", &mut fields),
        query: read_pointer("query", &mut fields),
        host: read_pointer("host", &mut fields),
        status: read_pointer("status", &mut fields),
        started: read_pointer("started", &mut fields),
        request: MessageMapping {
            headers: read_pointer("request-headers", &mut fields),
            body: read_pointer("request-body", &mut fields),
        },
        response: MessageMapping {
            headers: read_pointer("response-headers", &mut fields),
            body: read_pointer("response-body", &mut fields),
        },
    };
    if !["url", "path", FORMAT].iter().any(|key| fields.has(key)) {
        fields.refuse_incomplete(
            "none of `url`, `path` and `log-format` is given",
            "give the location of the URL: url = \"/http/url\"; or the format of lines that are not JSON",
        );
    }
    fields.finish();
    // An invalid list of files must not select all files.
    (mapping.files.is_some() || !has_files).then_some(mapping)
}

/// The key for the format of lines, as the configuration of their server has it.
const FORMAT: &str = "log-format";

fn read_log_format(fields: &mut TableReader<'_, '_>) -> Option<LogFormat> {
    let WithSpan { value, span } = fields.string(FORMAT)?;
    fields.accept(LogFormat::parse(value).map_err(|error| {
        Mistake::new(span, format!("`{FORMAT}`: {error}")).with_help(error.help())
    }))
}

fn read_pointer(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<Pointer> {
    let WithSpan { value, span } = fields.string(key)?;
    fields.accept(Pointer::parse(value).map_err(|error| {
        let mistake = Mistake::new(span, MessageText::own(format!("`{key}`: {error}")));
        match error {
            PointerError::NoSlash => mistake.with_help(format!("write {}", suggest_pointer(value))),
            PointerError::Tilde => mistake,
        }
    }))
}

/// Returns the pointer that a dotted path or a name seems to mean.
fn suggest_pointer(text: &str) -> String {
    let parts: Vec<&str> = text
        .strip_prefix("$.")
        .unwrap_or(text)
        .split('.')
        .filter(|part| !part.is_empty())
        .collect();
    format!("\"/{}\"", parts.join("/"))
}
