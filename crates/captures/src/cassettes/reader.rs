//! Reads cassettes.

use super::recorder::{CassetteReader, Recorder};
use crate::Limits;
use crate::file_head::FileHead;
use crate::spec::{
    FormatFamily, FormatReader, FormatSpec, Keeps, MarkSign, Recognition, common, distinctive,
};
use sundown_exchange::RecordSink;
use sundown_text_json::text::Block;

/// Cassettes of Ruby's VCR (YAML, JSON) and betamax (JSON).
pub(crate) const VCR: FormatSpec = FormatSpec {
    name: "vcr",
    title: "Cassettes of Ruby's VCR (YAML, JSON) and betamax (JSON)",
    family: FormatFamily::Cassettes,
    recognised: "a list `http_interactions` at the top",
    recognition: Recognition::Sniff(sniff_vcr),
    reader: FormatReader::Records(read_vcr),
    keeps: Keeps::Exchanges,
    reads: "`http_interactions` with `uri`",
    limits: "A use in a base64 body is located at the whole string that holds the body.",
    is_binary: false,
    endings: &["json", "yaml", "yml"],
    marks: &[
        distinctive(
            MarkSign::Key("http_interactions"),
            "list `http_interactions` at the top",
        ),
        distinctive(MarkSign::Key("recorded_with"), "`recorded_with` at the top"),
        common(MarkSign::Text(&["uri"]), "`uri`"),
    ],
    sample: "captures/cassettes/vcr.yml",
};

/// Cassettes of vcrpy (YAML, JSON).
pub(crate) const VCRPY: FormatSpec = FormatSpec {
    name: "vcrpy",
    title: "Cassettes of vcrpy (YAML, JSON)",
    family: FormatFamily::Cassettes,
    recognised: "a list `interactions` at the top whose requests have a `uri`, or a list `requests` of such requests",
    recognition: Recognition::Sniff(sniff_vcrpy),
    reader: FormatReader::Records(read_vcrpy),
    keeps: Keeps::Exchanges,
    reads: "`interactions` with `uri`; the lists `requests` and `responses` that LangChain's serializer writes",
    limits: "A use in a `!!binary` body is located at the whole text that holds the body. Bodies that were sent from open files are reported as not checked.",
    is_binary: false,
    endings: &["json", "yaml", "yml"],
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
};

/// Cassettes of go-vcr 1 to 3 (YAML).
pub(crate) const GO_VCR: FormatSpec = FormatSpec {
    name: "go-vcr",
    title: "Cassettes of go-vcr 1 to 3 (YAML)",
    family: FormatFamily::Cassettes,
    recognised: "a list `interactions` at the top whose requests have a `url`",
    recognition: Recognition::Sniff(sniff_go_vcr),
    reader: FormatReader::Records(read_go_vcr),
    keeps: Keeps::Exchanges,
    reads: "`interactions` with `url`",
    limits: "Nothing follows the list: a file that is cut off between two interactions looks complete.",
    is_binary: false,
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
};

pub(super) fn sniff_vcr(head: &FileHead<'_>) -> bool {
    recorder(head) == Some(Recorder::Vcr)
}

pub(super) fn sniff_vcrpy(head: &FileHead<'_>) -> bool {
    recorder(head) == Some(Recorder::Vcrpy) || super::two_lists::has_two_lists(head)
}

pub(super) fn sniff_go_vcr(head: &FileHead<'_>) -> bool {
    recorder(head) == Some(Recorder::GoVcr)
}

pub(super) fn recorder(head: &FileHead<'_>) -> Option<Recorder> {
    if head.bytes.get(head.start) == Some(&b'{') {
        super::json::recorder(head)
    } else {
        super::yaml::recorder(head.bytes, head.start)
    }
}

pub(super) fn read_vcr<'a>(file: Block<'a>, limits: Limits, sink: &mut dyn RecordSink<'a>) {
    read(Recorder::Vcr, file, limits, sink);
}

pub(super) fn read_vcrpy<'a>(file: Block<'a>, limits: Limits, sink: &mut dyn RecordSink<'a>) {
    if super::two_lists::has_two_lists(&FileHead::new(file.bytes, file.text_start())) {
        return super::two_lists::read(file, limits, sink);
    }
    read(Recorder::Vcrpy, file, limits, sink);
}

pub(super) fn read_go_vcr<'a>(file: Block<'a>, limits: Limits, sink: &mut dyn RecordSink<'a>) {
    read(Recorder::GoVcr, file, limits, sink);
}

/// Reads a cassette interaction by interaction, so that a broken one hides no other and a large cassette takes little memory.
pub(super) fn read<'a>(
    recorder: Recorder,
    file: Block<'a>,
    limits: Limits,
    sink: &mut dyn RecordSink<'a>,
) {
    let start = sundown_text_json::json::scan::skip_whitespace(file.bytes, file.text_start());
    let mut cassette = CassetteReader {
        recorder,
        file: file.bytes,
        limits,
        sink,
    };
    if file.bytes.get(start) == Some(&b'{') {
        super::json::read(&mut cassette, file);
    } else {
        super::yaml::read(&mut cassette, file.text_start());
    }
}
