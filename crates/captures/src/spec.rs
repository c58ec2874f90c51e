//! Defines what a capture format declares about itself: one [`FormatSpec`] per format.
//!
//! The specification is the only place that describes a format. Recognition, reading, `sundown formats`, the tables of
//! `docs/reference/formats.md`, the hint "closest to", the fuzz target of all formats and the tests follow from it.

use super::Limits;
use super::chunker::Chunker;
use super::file_head::FileHead;
use sundown_exchange::RecordSink;
use sundown_text_json::text::Block;

/// A capture format, as its module describes it.
#[derive(Debug)]
pub struct FormatSpec {
    /// Name on the command line.
    pub name: &'static str,
    /// A phrase that describes the format.
    pub title: &'static str,
    /// The family, which is the section of `docs/reference/formats.md` that documents the format.
    pub family: FormatFamily,
    /// How a file is recognised, for people; `recognition` does it.
    pub recognised: &'static str,
    /// Recognises a file.
    pub(crate) recognition: Recognition,
    /// Reads a file.
    pub(crate) reader: FormatReader,
    /// Which parts of the traffic the format can hold.
    pub keeps: Keeps,
    /// The parts that are read, for `docs/reference/formats.md`; follows the title. Empty if the title or the section says it.
    pub reads: &'static str,
    /// The parts that the format cannot express, or that are not read. Empty if nothing is lost.
    pub limits: &'static str,
    /// Whether files are not text, and so have no lines.
    pub is_binary: bool,
    /// File-name endings, without the dot, of the files that the hook checks. Recognition does not look at names.
    pub endings: &'static [&'static str],
    /// Features by which a file that no format recognises is close to this one.
    pub marks: &'static [FormatMark],
    /// A file or folder below `testdata` that the real tool wrote. Empty only for formats without a tool.
    pub sample: &'static str,
}

/// A group of formats that come from the same kind of program, in the order of their sections in `docs/reference/formats.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FormatFamily {
    /// JSON without any sign of its producer.
    Json,
    /// Logs with one call per line.
    Logs,
    /// HTTP Archives.
    Archives,
    /// Requests that API clients and scripts store.
    Clients,
    /// Recordings of test suites.
    Cassettes,
    /// Stubs and contracts.
    Stubs,
    /// Recordings of network traffic.
    Wire,
    /// Objects that a cluster is to have.
    Manifests,
    /// API descriptions.
    Descriptions,
}

impl FormatFamily {
    /// The heading of the family's section in `docs/reference/formats.md`.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Json => "JSON bodies",
            Self::Logs => "Logs",
            Self::Archives => "HAR",
            Self::Cassettes => "Test cassettes",
            Self::Clients => "API clients",
            Self::Stubs => "Contracts and stubs",
            Self::Wire => "Network captures",
            Self::Manifests => "Kubernetes manifests",
            Self::Descriptions => "API descriptions",
        }
    }
}

/// The parts of the traffic that a format can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// Requests and responses.
    Exchanges,
    /// Requests without their responses.
    Requests,
    /// Calls without bodies.
    Calls,
    /// A body without its call.
    Bodies,
    /// No traffic: an API description.
    Nothing,
}

/// How a file is recognised.
#[derive(Debug)]
pub(crate) enum Recognition {
    /// By a function that looks at the beginning of the file. The first format in the list wins, but no function may accept
    /// files of other formats: a test tries it on the sample of each.
    Sniff(fn(&FileHead<'_>) -> bool),
    /// As JSON values or log lines, if no other format has been recognised.
    Content,
    /// Never: only the user can say so.
    Declared,
}

/// Which reader reads a file.
#[derive(Debug)]
pub(crate) enum FormatReader {
    /// A function that reads all records of a file.
    Records(for<'a> fn(Block<'a>, Limits, &mut dyn RecordSink<'a>)),
    /// The reader of JSON documents, which may be lists of records.
    Document,
    /// Begins to cut a file, which may be larger than memory, into blocks of whole records.
    Blocks(fn(Limits) -> Box<dyn Chunker>),
    /// The reader of records in documents of YAML.
    YamlDocuments,
    /// None: the whole file is a body.
    Body,
    /// None: a description holds no records, and is loaded elsewhere.
    Description,
}

/// A feature that files of a format have.
#[derive(Debug)]
pub struct FormatMark {
    /// How the feature is detected.
    pub(crate) sign: MarkSign,
    /// The feature, for people; follows "has no".
    pub(crate) what: &'static str,
    /// Whether files of few other formats have it.
    pub is_distinctive: bool,
}

/// How a mark is detected. Keys are those at the top of a JSON or YAML document.
#[derive(Debug)]
pub(crate) enum MarkSign {
    Key(&'static str),
    /// A key whose value is a list.
    List(&'static str),
    /// A key whose value is an object.
    Object(&'static str),
    /// One of these texts, anywhere.
    Text(&'static [&'static str]),
    /// A line that begins with one of these.
    Line(&'static [&'static str]),
}

/// A mark that files of few other formats have.
pub(crate) const fn distinctive(sign: MarkSign, what: &'static str) -> FormatMark {
    FormatMark {
        sign,
        what,
        is_distinctive: true,
    }
}

/// A mark that files of many formats have.
pub(crate) const fn common(sign: MarkSign, what: &'static str) -> FormatMark {
    FormatMark {
        sign,
        what,
        is_distinctive: false,
    }
}
