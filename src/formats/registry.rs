//! All formats in one list: what each is called, how it is told from the others, and who reads it.

use super::clients::{bruno, curl, http_file, insomnia, postman};
use super::file_head::FileHead;
use super::stubs::{hoverfly, pact, wiremock};
use super::wire::charles;
use super::{Limits, RecordSink, cassettes, wire};
use crate::text::Block;

/// A format that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One JSON document: an exchange, a list of exchanges, or a bare body.
    Json,
    /// A bare body, said to be one: not searched for an exchange around it.
    Body,
    /// JSON values on lines of their own.
    Ndjson,
    /// Access logs of web servers.
    AccessLog,
    /// An HTTP Archive (HAR 1.1 to 1.3).
    Har,
    /// An API description, in JSON or YAML.
    OpenApi,
    /// WireMock stub mappings.
    WireMock,
    /// Contracts of Pact.
    Pact,
    /// Hoverfly's simulations.
    Hoverfly,
    /// Postman collections.
    Postman,
    /// Insomnia exports in JSON.
    Insomnia,
    /// Insomnia files in YAML.
    InsomniaYaml,
    /// Bruno requests.
    Bruno,
    /// Request files of editors.
    HttpFile,
    /// Calls of curl.
    Curl,
    /// Cassettes of Ruby's VCR and of betamax.
    Vcr,
    /// Cassettes of vcrpy.
    Vcrpy,
    /// Cassettes of go-vcr.
    GoVcr,
    /// Captures of packets.
    Pcap,
    /// Flow dumps of mitmproxy.
    Mitmproxy,
    /// Raw HTTP messages.
    RawHttp,
    /// Sessions of Charles.
    Charles,
}

impl Format {
    /// Whether large files of it are read in blocks, rather than as a whole.
    pub fn is_read_in_blocks(self) -> bool {
        matches!(self, Self::Ndjson | Self::AccessLog | Self::Har | Self::Pcap | Self::Mitmproxy)
    }

    /// Whether its files are no text, and have no lines.
    pub fn is_binary(self) -> bool {
        matches!(self, Self::Pcap | Self::Mitmproxy)
    }
}

/// What people are told of a format.
#[derive(Debug, Clone, Copy)]
pub struct FormatInfo {
    /// The format.
    pub format: Format,
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    /// How it is recognised.
    pub recognised: &'static str,
    /// What it cannot say, or what is not read of it.
    pub limits: &'static str,
}

/// Every format that is read.
pub const FORMATS: &[FormatInfo] = &[
    FormatInfo {
        format: Format::Json,
        name: "json",
        title: "One JSON document: an exchange, a list of exchanges, or a bare body",
        recognised: "one JSON value, or several behind one another, that are nothing else in this list",
        limits: "A bare body does not say what it belongs to; see `--operation` and `[[payload]]`.",
    },
    FormatInfo {
        format: Format::Body,
        name: "body",
        title: "A bare body",
        recognised: "never by itself: with `--operation`, a `[[payload]]`, or a name such as `chat.request.json`",
        limits: "",
    },
    FormatInfo {
        format: Format::Ndjson,
        name: "ndjson",
        title: "Logs with one JSON object a line",
        recognised: "lines that are JSON objects with a method, a URL and bodies, in the shapes of many loggers",
        limits: "What loggers leave out, mostly bodies, cannot be checked. Of a shape that is not known, `[[log]]` says where its pieces are.",
    },
    FormatInfo {
        format: Format::AccessLog,
        name: "access-log",
        title: "Access logs of web servers: Common Log Format, combined, with more in front or behind; or in any order",
        recognised: "lines with a time in brackets, a request in quotes and a status; any other order by `log-format` under `[[log]]`",
        limits: "They have no bodies: operations and parameters are checked. A cut inside the last field of the last line cannot be seen.",
    },
    FormatInfo {
        format: Format::Har,
        name: "har",
        title: "HTTP Archive (HAR 1.1 to 1.3)",
        recognised: "an object `log` with `entries`, `pages` or `creator`",
        limits: "The messages of WebSockets belong to no operation and are told.",
    },
    FormatInfo {
        format: Format::OpenApi,
        name: "openapi",
        title: "API description (OpenAPI 3.0 to 3.2, Swagger 2.0), in JSON or YAML",
        recognised: "`openapi` or `swagger` at the top, with `paths`, `info`, `components`, `webhooks` or `definitions`",
        limits: "",
    },
    FormatInfo {
        format: Format::WireMock,
        name: "wiremock",
        title: "WireMock stub mappings",
        recognised: "an object with `request` (`url`, `urlPath`, `urlPattern`, …) and `response`, or a list of them under `mappings`",
        limits: "Requests are patterns: bodies that they are compared with are read where they are JSON. Files that are named are not opened.",
    },
    FormatInfo {
        format: Format::Pact,
        name: "pact",
        title: "Contracts of Pact (versions 1 to 4)",
        recognised: "objects `consumer` and `provider`, and a list `interactions` or `messages`, at the top",
        limits: "Bodies are read as the examples that they are, whatever the matching rules loosen. Messages belong to no operation and are told.",
    },
    FormatInfo {
        format: Format::Hoverfly,
        name: "hoverfly",
        title: "Simulations of Hoverfly (versions 1 to 5)",
        recognised: "an object `data` with a list `pairs`, and an object `meta`, at the top",
        limits: "Requests are patterns: bodies that they are compared with are read where they are JSON. Files that are named are not opened.",
    },
    FormatInfo {
        format: Format::Postman,
        name: "postman",
        title: "Postman collections (v2.0 and v2.1), with saved responses",
        recognised: "`info` and `item` at the top (or in `collection`), and Postman's schema or `_postman_id`",
        limits: "Variables are those of the collection; environments are files of their own.",
    },
    FormatInfo {
        format: Format::Insomnia,
        name: "insomnia",
        title: "Insomnia exports, v4 (JSON)",
        recognised: "`_type`, `__export_format` and `resources` at the top",
        limits: "Responses are not in it.",
    },
    FormatInfo {
        format: Format::InsomniaYaml,
        name: "insomnia-v5",
        title: "Insomnia files, v5 (YAML)",
        recognised: "a first line like `type: collection.insomnia.rest/5.0`",
        limits: "Responses are not in it. YAML has no end: a cut between two lines cannot be seen.",
    },
    FormatInfo {
        format: Format::Bruno,
        name: "bruno",
        title: "Bruno requests (`.bru`), with examples",
        recognised: "a first block `meta` or a method's, and a method's block with a `url`",
        limits: "Variables are those of the file; environments are files of their own.",
    },
    FormatInfo {
        format: Format::HttpFile,
        name: "http",
        title: "Request files of editors (`.http`, `.rest`)",
        recognised: "a first line, behind comments, variables and scripts, like `GET https://…`; `GET /…` where a line begins with `###`",
        limits: "Files that are named are not opened, scripts not run. It has no end: only a cut inside a body can be seen.",
    },
    FormatInfo {
        format: Format::Curl,
        name: "curl",
        title: "Calls of curl in shell scripts, in Markdown's code blocks, or alone",
        recognised: "`#!` and a shell, or a first line that is a call, or a fenced block for a shell with one",
        limits: "What only running the script would tell is not known; arguments in variables, functions and loops are not followed. Only a cut inside quotes, a here-document or a continued line can be seen.",
    },
    FormatInfo {
        format: Format::Vcr,
        name: "vcr",
        title: "Cassettes of Ruby's VCR (YAML, JSON) and betamax (JSON)",
        recognised: "a list `http_interactions` at the top",
        limits: "A body in base64 is placed at the whole text that holds it.",
    },
    FormatInfo {
        format: Format::Vcrpy,
        name: "vcrpy",
        title: "Cassettes of vcrpy (YAML, JSON)",
        recognised: "a list `interactions` at the top whose requests have a `uri`",
        limits: "A body in `!!binary` is placed at the whole text that holds it; bodies that were sent from open files are told.",
    },
    FormatInfo {
        format: Format::GoVcr,
        name: "go-vcr",
        title: "Cassettes of go-vcr 1 to 3 (YAML)",
        recognised: "a list `interactions` at the top whose requests have a `url`",
        limits: "Nothing stands behind the list: a file that is cut off between two interactions looks whole.",
    },
    FormatInfo {
        format: Format::Pcap,
        name: "pcap",
        title: "Captures of packets (pcap, pcapng) with HTTP/1.1 in the clear",
        recognised: "the numbers that such files begin with",
        limits: "What is encrypted, HTTP/2, and fragments of IP are told. A body in several packets, or compressed, is placed at the packets that hold it.",
    },
    FormatInfo {
        format: Format::Mitmproxy,
        name: "mitmproxy",
        title: "Flow dumps of mitmproxy",
        recognised: "a tnetstring with a table that has a flow's keys",
        limits: "Flows of WebSockets, TCP, UDP and DNS are told. A compressed body is placed as a whole.",
    },
    FormatInfo {
        format: Format::RawHttp,
        name: "raw-http",
        title: "HTTP/1.1 messages as they are on the wire",
        recognised: "a first line like `POST /path HTTP/1.1` or `HTTP/1.1 200 OK`, behind it a header field, another such line or nothing, and no line that begins with `###`",
        limits: "Responses answer the requests in front of them in their order; without any, they belong to no operation.",
    },
    FormatInfo {
        format: Format::Charles,
        name: "charles",
        title: "Sessions of Charles in JSON (`.chlsj`)",
        recognised: "a list whose first object has a `host`, and of `durations`, `tunnel`, `keptAlive` and `totalSize` two",
        limits: "A body in base64 is placed at the whole text that holds it.",
    },
];

impl Format {
    /// What people are told of it.
    pub fn info(self) -> &'static FormatInfo {
        // A test holds that all formats are in the list.
        FORMATS.iter().find(|info| info.format == self).unwrap_or(&FORMATS[0])
    }

    /// The format of this name.
    pub fn named(name: &str) -> Option<Self> {
        FORMATS.iter().find(|info| info.name == name).map(|info| info.format)
    }
}

/// A format whose files are read as a whole.
pub(super) struct Reader {
    pub(super) format: Format,
    /// Whether a file is in this format; asked of all that are no HAR and no API description.
    pub(super) is: fn(&FileHead<'_>) -> bool,
    pub(super) read: for<'a> fn(Block<'a>, Limits, &mut dyn RecordSink<'a>),
}

/// In the order in which they are asked.
pub(super) const READERS: &[Reader] = &[
    Reader { format: Format::WireMock, is: wiremock::is, read: wiremock::read },
    Reader { format: Format::Pact, is: pact::is, read: pact::read },
    Reader { format: Format::Hoverfly, is: hoverfly::is, read: hoverfly::read },
    Reader { format: Format::Vcr, is: cassettes::is_vcr, read: cassettes::read_vcr },
    Reader { format: Format::Vcrpy, is: cassettes::is_vcrpy, read: cassettes::read_vcrpy },
    Reader { format: Format::GoVcr, is: cassettes::is_go_vcr, read: cassettes::read_go_vcr },
    Reader { format: Format::Postman, is: postman::is, read: postman::read },
    Reader { format: Format::Insomnia, is: insomnia::is_v4, read: insomnia::read_v4 },
    Reader { format: Format::InsomniaYaml, is: insomnia::is_v5, read: insomnia::read_v5 },
    Reader { format: Format::Pcap, is: wire::is_pcap, read: wire::read_pcap },
    Reader { format: Format::Mitmproxy, is: wire::is_mitmproxy, read: wire::read_mitmproxy },
    Reader { format: Format::Charles, is: charles::is, read: charles::read },
    Reader { format: Format::RawHttp, is: wire::is_raw, read: wire::read_raw },
    Reader { format: Format::Bruno, is: bruno::is, read: bruno::read },
    Reader { format: Format::HttpFile, is: http_file::is, read: http_file::read },
    Reader { format: Format::Curl, is: curl::is, read: curl::read },
];

/// The reader of a format whose files are read as a whole.
pub(super) fn reader(format: Format) -> Option<&'static Reader> {
    READERS.iter().find(|reader| reader.format == format)
}

/// The format of a file by what those say who read files as a whole.
pub(super) fn recognised(bytes: &[u8], start: usize) -> Option<Format> {
    let look = FileHead::new(bytes, start);
    READERS.iter().find(|reader| (reader.is)(&look)).map(|reader| reader.format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_one_entry_and_a_name_of_its_own() {
        for info in FORMATS {
            assert_eq!(Format::named(info.name), Some(info.format));
            assert_eq!(info.format.info().name, info.name);
        }
        for reader in READERS {
            assert_eq!(reader.format.info().format, reader.format);
        }
    }
}
