//! The record around the bodies: a line of a log, or an entry of an archive.

use super::json::{Json, Layout, decimal, digits, escape_into, hexadecimal};
use super::operations::Operation;
use super::random::Random;

/// The representation of a body in a line of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nesting {
    /// As JSON.
    Value,
    /// As a string that holds JSON.
    Text,
}

/// An exchange, ready to be put into its envelope.
#[derive(Debug)]
pub(super) struct Exchange<'a> {
    pub(super) number: u64,
    pub(super) operation: &'static Operation,
    pub(super) request: Option<&'a [u8]>,
    pub(super) response: &'a [u8],
}

/// The moment of the first record, in milliseconds since 1970: 2026-11-19, midnight.
const START: u64 = 1_795_046_400_000;

/// Milliseconds from one record to the next.
const PACE: u64 = 37;

impl Exchange<'_> {
    fn milliseconds(&self, random: &mut Random) -> u64 {
        START + self.number * PACE + u64::from(random.below(30))
    }

    /// Writes a line as `pino-http` does, with its line break.
    pub(super) fn write_line(
        &self,
        line: &mut Json,
        random: &mut Random,
        request: Nesting,
        response: Nesting,
    ) {
        line.begin();
        line.number("level", 30);
        let now = self.milliseconds(random);
        line.key("time");
        decimal(&mut line.out, now);
        line.begin_object("req");
        line.key("id");
        decimal(&mut line.out, self.number);
        line.string("method", self.operation.method());
        line.key("url");
        line.out.push(b'"');
        write_target(&mut line.out, self.operation, random);
        line.out.push(b'"');
        self.line_request_headers(line, random);
        line.string("remoteAddress", "127.0.0.1");
        if let Some(body) = self.request {
            write_nested(line, body, request);
        }
        line.end_object();
        line.begin_object("res");
        line.number("statusCode", 200);
        line.begin_object("headers");
        line.string("content-type", "application/json; charset=utf-8");
        line.key("content-length");
        write_quoted_length(&mut line.out, self.response);
        line.end_object();
        write_nested(line, self.response, response);
        line.end_object();
        line.number("responseTime", random.below(900));
        line.string("msg", "request completed");
        line.end_object();
        line.out.push(b'\n');
    }

    fn line_request_headers(&self, line: &mut Json, random: &mut Random) {
        line.begin_object("headers");
        line.string("host", "api.example.com");
        line.string("user-agent", "console/4.2");
        line.string("accept", "application/json");
        line.key("authorization");
        write_credentials(&mut line.out, random);
        if let Some(body) = self.request {
            line.string("content-type", "application/json");
            line.key("content-length");
            write_quoted_length(&mut line.out, body);
        }
        line.end_object();
    }

    /// Writes a line of an access log, as nginx and Apache do in their combined format, with its line break.
    pub(super) fn write_access(&self, line: &mut Json, random: &mut Random, size: usize) {
        let out = &mut line.out;
        let (hour, minute, second) = (
            self.number / 3600 % 24,
            self.number / 60 % 60,
            self.number % 60,
        );
        let client = random.below(250);
        out.extend_from_slice(
            format!(
                "192.0.2.{client} - - [20/Nov/2026:{hour:02}:{minute:02}:{second:02} +0000] \"{} ",
                self.operation.method()
            )
            .as_bytes(),
        );
        write_target(out, self.operation, random);
        let agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)";
        out.extend_from_slice(format!(" HTTP/1.1\" 200 {size} \"-\" \"{agent}\"\n").as_bytes());
    }

    /// Writes an entry: minified as proxies write it, or indented with its members in the order of a browser.
    pub(super) fn write_entry(&self, entry: &mut Json, random: &mut Random, layout: Layout) {
        let now = self.milliseconds(random);
        let wait = random.below(900_000);
        entry.begin();
        if layout == Layout::Minified {
            entry_time(entry, now, wait);
        } else {
            entry.begin_object("_initiator");
            entry.string("type", "script");
            entry.end_object();
            entry.string("_priority", "High");
            entry.string("_resourceType", "fetch");
        }
        self.entry_request(entry, random);
        self.entry_response(entry, random);
        entry.begin_object("cache");
        entry.end_object();
        entry.string("serverIPAddress", "127.0.0.1");
        if layout == Layout::Indented {
            entry_time(entry, now, wait);
        }
        entry_timings(entry, wait);
        entry.end_object();
    }

    fn entry_request(&self, entry: &mut Json, random: &mut Random) {
        entry.begin_object("request");
        entry.string("method", self.operation.method());
        entry.key("url");
        entry.out.extend_from_slice(b"\"https://api.example.com");
        let query = write_target(&mut entry.out, self.operation, random);
        entry.out.push(b'"');
        entry.string("httpVersion", "http/2.0");
        entry.begin_array("headers");
        named(entry, "Accept", |out| {
            out.extend_from_slice(b"\"application/json\"");
        });
        named(entry, "Authorization", |out| write_credentials(out, random));
        if let Some(body) = self.request {
            named(entry, "Content-Length", |out| {
                write_quoted_length(out, body);
            });
        }
        named(entry, "Host", |out| {
            out.extend_from_slice(b"\"api.example.com\"");
        });
        named(entry, "User-Agent", |out| {
            out.extend_from_slice(b"\"console/4.2\"");
        });
        entry.end_array();
        entry.begin_array("queryString");
        for (name, value) in query {
            named(entry, name, |out| write_text(out, value.as_bytes()));
        }
        entry.end_array();
        empty_array(entry, "cookies");
        entry.literal("headersSize", "-1");
        entry.key("bodySize");
        decimal(&mut entry.out, length(self.request.unwrap_or_default()));
        if let Some(body) = self.request {
            entry.begin_object("postData");
            entry.string("mimeType", "application/json");
            entry.key("text");
            write_text(&mut entry.out, body);
            entry.end_object();
        }
        entry.end_object();
    }

    fn entry_response(&self, entry: &mut Json, random: &mut Random) {
        begin_response(entry, "application/json; charset=utf-8", self.response);
        entry.key("text");
        // Some tools encode bodies in base64 that they consider binary.
        if random.once_in(200) {
            entry.out.push(b'"');
            base64_into(&mut entry.out, self.response);
            entry.out.push(b'"');
            entry.string("encoding", "base64");
        } else {
            write_text(&mut entry.out, self.response);
        }
        end_response(entry, self.response);
    }
}

/// Writes an entry for a page of the application around the API.
pub(super) fn write_page_entry(entry: &mut Json, random: &mut Random, number: u64) {
    let page =
        b"<!doctype html>\n<title>Console</title>\n<script src=\"/console/app.js\"></script>\n";
    let wait = random.below(90_000);
    entry.begin();
    entry_time(entry, START + number * PACE, wait);
    entry.begin_object("request");
    entry.string("method", "GET");
    entry.key("url");
    entry
        .out
        .extend_from_slice(b"\"https://app.example.com/console/");
    hexadecimal(&mut entry.out, random.next());
    entry.out.extend_from_slice(b".html\"");
    entry.string("httpVersion", "http/2.0");
    empty_array(entry, "headers");
    empty_array(entry, "queryString");
    empty_array(entry, "cookies");
    entry.literal("headersSize", "-1");
    entry.number("bodySize", 0);
    entry.end_object();
    begin_response(entry, "text/html", page);
    entry.key("text");
    write_text(&mut entry.out, page);
    end_response(entry, page);
    entry.begin_object("cache");
    entry.end_object();
    entry_timings(entry, wait);
    entry.end_object();
}

fn entry_time(entry: &mut Json, now: u64, wait: u32) {
    entry.key("startedDateTime");
    write_moment(&mut entry.out, now);
    entry.thousandths("time", wait);
}

fn entry_timings(entry: &mut Json, wait: u32) {
    entry.begin_object("timings");
    entry.literal("send", "0.1");
    entry.thousandths("wait", wait);
    entry.literal("receive", "0.4");
    entry.end_object();
}

fn begin_response(entry: &mut Json, media_type: &str, body: &[u8]) {
    entry.begin_object("response");
    entry.number("status", 200);
    entry.string("statusText", "OK");
    entry.string("httpVersion", "http/2.0");
    entry.begin_array("headers");
    named(entry, "Content-Length", |out| {
        write_quoted_length(out, body);
    });
    named(entry, "Content-Type", |out| {
        out.push(b'"');
        out.extend_from_slice(media_type.as_bytes());
        out.push(b'"');
    });
    entry.end_array();
    empty_array(entry, "cookies");
    entry.begin_object("content");
    entry.key("size");
    decimal(&mut entry.out, length(body));
    // Without the parameters, as in browsers.
    entry.string(
        "mimeType",
        media_type.split(';').next().unwrap_or(media_type),
    );
}

fn end_response(entry: &mut Json, body: &[u8]) {
    entry.end_object();
    entry.string("redirectURL", "");
    entry.literal("headersSize", "-1");
    entry.key("bodySize");
    decimal(&mut entry.out, length(body));
    entry.end_object();
}

/// An element with a name and a value.
fn named(entry: &mut Json, name: &str, value: impl FnOnce(&mut Vec<u8>)) {
    entry.begin_element();
    entry.string("name", name);
    entry.key("value");
    value(&mut entry.out);
    entry.end_object();
}

fn empty_array(entry: &mut Json, key: &'static str) {
    entry.begin_array(key);
    entry.end_array();
}

fn write_nested(line: &mut Json, body: &[u8], nesting: Nesting) {
    line.key("body");
    match nesting {
        Nesting::Value => line.out.extend_from_slice(body),
        Nesting::Text => write_text(&mut line.out, body),
    }
}

fn write_text(out: &mut Vec<u8>, body: &[u8]) {
    out.push(b'"');
    escape_into(out, body);
    out.push(b'"');
}

fn write_quoted_length(out: &mut Vec<u8>, body: &[u8]) {
    out.push(b'"');
    decimal(out, length(body));
    out.push(b'"');
}

fn write_credentials(out: &mut Vec<u8>, random: &mut Random) {
    out.extend_from_slice(b"\"Bearer made-up-");
    hexadecimal(out, random.next());
    out.push(b'"');
}

/// The parameters of a query.
type Query = &'static [(&'static str, &'static str)];

/// Writes the path and the query string, now and then in an unusual but equal spelling. Returns the query.
fn write_target(out: &mut Vec<u8>, operation: &Operation, random: &mut Random) -> Query {
    let spelling = random.below(128);
    let path = operation.path();
    if let Some((folder, _)) = path.split_once("{id}") {
        out.extend_from_slice(folder.as_bytes());
        hexadecimal(out, random.next());
    } else if spelling == 0 {
        // The `a` of `/api/` or of `/rest/api/`.
        let (before, after) = path.split_once("api").unwrap_or((path, ""));
        out.extend_from_slice(before.as_bytes());
        out.extend_from_slice(b"%61pi");
        out.extend_from_slice(after.as_bytes());
    } else {
        out.extend_from_slice(path.as_bytes());
    }
    if spelling == 1 {
        out.push(b'/');
    }
    let query: Query = match spelling {
        2..20 => &[("locale", "fr"), ("timezoneOffset", "-60")],
        20..30 => &[("role", "admin"), ("location", "paris")],
        _ => &[],
    };
    for (place, (name, value)) in query.iter().enumerate() {
        out.push(if place == 0 { b'?' } else { b'&' });
        out.extend_from_slice(name.as_bytes());
        out.push(b'=');
        out.extend_from_slice(value.as_bytes());
    }
    query
}

/// Writes a moment as archives do.
fn write_moment(out: &mut Vec<u8>, milliseconds: u64) {
    let (year, month, day) = civil(milliseconds / 86_400_000);
    let of_day = u32::try_from(milliseconds % 86_400_000).unwrap_or(0);
    out.push(b'"');
    for (number, width, after) in [
        (year, 4, b'-'),
        (month, 2, b'-'),
        (day, 2, b'T'),
        (of_day / 3_600_000, 2, b':'),
        (of_day / 60_000 % 60, 2, b':'),
        (of_day / 1000 % 60, 2, b'.'),
        (of_day % 1000, 3, b'Z'),
    ] {
        digits(out, number, width);
        out.push(after);
    }
    out.push(b'"');
}

/// Year, month and day of a day since 1970, counted in years that begin in March, as leap days end them.
fn civil(day: u64) -> (u32, u32, u32) {
    let day = u32::try_from(day).unwrap_or(0) + 719_468;
    let era = day / 146_097;
    let of_era = day % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (year_of_era + era * 400 + next, month, of_month)
}

fn base64_into(out: &mut Vec<u8>, bytes: &[u8]) {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for group in bytes.chunks(3) {
        let bits = group
            .iter()
            .fold(0, |bits, &byte| bits << 8 | usize::from(byte))
            << (8 * (3 - group.len()));
        for place in 0..4 {
            let symbol = ALPHABET[bits >> (18 - 6 * place) & 63];
            out.push(if place > group.len() { b'=' } else { symbol });
        }
    }
}

fn length(body: &[u8]) -> u64 {
    u64::try_from(body.len()).unwrap_or(u64::MAX)
}
