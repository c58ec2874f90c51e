//! The formats of cassettes.

use super::reader;
use crate::spec::{
    FormatFamily, FormatReader, FormatSpec, Keeps, MarkSign, Recognition, common, distinctive,
};

/// Cassettes of Ruby's VCR (YAML, JSON) and betamax (JSON).
pub(crate) const VCR: FormatSpec = FormatSpec {
    name: "vcr",
    title: "Cassettes of Ruby's VCR (YAML, JSON) and betamax (JSON)",
    recognised: "a list `http_interactions` at the top",
    recognition: Recognition::Sniff(|head| reader::is_of(head, "vcr")),
    reader: FormatReader::Records(|file, limits, sink| reader::read(file, "vcr", limits, sink)),
    reads: "`http_interactions` with `uri`",
    limits: "A use in a base64 body is located at the whole string that holds the body.",
    marks: &[
        distinctive(
            MarkSign::Key("http_interactions"),
            "list `http_interactions` at the top",
        ),
        distinctive(MarkSign::Key("recorded_with"), "`recorded_with` at the top"),
        common(MarkSign::Text(&["uri"]), "`uri`"),
    ],
    sample: "captures/cassettes/vcr.yml",
    ..CASSETTE
};

/// Cassettes of vcrpy (YAML, JSON).
pub(crate) const VCRPY: FormatSpec = FormatSpec {
    name: "vcrpy",
    title: "Cassettes of vcrpy (YAML, JSON)",
    recognised: "a list `interactions` at the top whose requests have a `uri`, or a list `requests` of such requests",
    recognition: Recognition::Sniff(|head| {
        reader::is_of(head, "vcrpy") || reader::is_of(head, reader::TWO_LISTS)
    }),
    reader: FormatReader::Records(|file, limits, sink| reader::read(file, "vcrpy", limits, sink)),
    reads: "`interactions` with `uri`; the lists `requests` and `responses` that LangChain's serializer writes",
    limits: "A use in a `!!binary` body is located at the whole text that holds the body. Bodies that were sent from open files are reported as not checked.",
    marks: &[
        distinctive(
            MarkSign::List("interactions"),
            "list `interactions` at the top",
        ),
        common(MarkSign::Text(&["request"]), "`request` in an interaction"),
        common(
            MarkSign::Text(&["\"uri\"", "uri:"]),
            "`uri` in the first request",
        ),
    ],
    sample: "captures/cassettes/vcrpy.yaml",
    ..CASSETTE
};

/// Cassettes of go-vcr 1 to 3 (YAML).
pub(crate) const GO_VCR: FormatSpec = FormatSpec {
    name: "go-vcr",
    title: "Cassettes of go-vcr 1 to 3 (YAML)",
    recognised: "a list `interactions` at the top whose requests have a `url`",
    recognition: Recognition::Sniff(|head| reader::is_of(head, "go-vcr")),
    reader: FormatReader::Records(|file, limits, sink| reader::read(file, "go-vcr", limits, sink)),
    reads: "`interactions` with `url`",
    limits: "Nothing follows the list: a file that is cut off between two interactions looks complete.",
    endings: &["yaml", "yml"],
    marks: &[
        distinctive(
            MarkSign::List("interactions"),
            "list `interactions` at the top",
        ),
        common(MarkSign::Key("version"), "`version` at the top"),
        common(MarkSign::Text(&["url:"]), "`url` in the first request"),
    ],
    sample: "captures/cassettes/go-vcr.yaml",
    ..CASSETTE
};

/// What all of them have in common.
const CASSETTE: FormatSpec = FormatSpec {
    name: "",
    title: "",
    family: FormatFamily::Cassettes,
    recognised: "",
    recognition: Recognition::Declared,
    reader: FormatReader::Body,
    keeps: Keeps::Exchanges,
    reads: "",
    limits: "",
    is_binary: false,
    endings: &["json", "yaml", "yml"],
    marks: &[],
    sample: "",
};
