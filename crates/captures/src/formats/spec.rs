//! What a capture format declares about itself: one table in `formats/` per format.
//!
//! The table is the only place that describes a format. `sundown formats`, the tables of `docs/reference/formats.md`, the hint "closest
//! to" and the tests follow from it; `registry` has the functions that recognise and read its files.

use crate::chunks::Chunker;
use serde::Deserialize;
use sundown_exchange::RecordSink;
use sundown_text_json::Limits;
use sundown_text_json::text::Block;
use sundown_text_json::text::toml::read_own;

/// A capture format, as its table describes it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FormatSpec {
    /// Name on the command line.
    #[serde(skip)]
    pub name: &'static str,
    /// A phrase that describes the format.
    pub title: &'static str,
    /// The family, which is the section of `docs/reference/formats.md` that documents the format.
    pub family: FormatFamily,
    /// How a file is recognised, for people.
    pub recognised: &'static str,
    /// Which parts of the traffic the format can hold.
    pub keeps: Keeps,
    /// What may be edited in files that people write.
    pub editable: Editable,
    /// The parts that are read, for `docs/reference/formats.md`; follows the title. Empty if the title or the section says it.
    pub reads: &'static str,
    /// The parts that the format cannot express, or that are not read. Empty if nothing is lost.
    pub limits: &'static str,
    /// Whether files are not text, and so have no lines.
    #[serde(rename = "binary")]
    pub is_binary: bool,
    /// File-name endings, without the dot, of the files that the hook checks. Recognition does not look at names.
    pub endings: Vec<&'static str>,
    /// Features by which a file that no format recognises is close to this one.
    #[serde(rename = "mark")]
    pub marks: Vec<FormatMark>,
    /// A file or folder below `testdata` that the real tool wrote. Empty only for formats without a tool.
    pub sample: &'static str,
}

impl FormatSpec {
    /// Reads the table of a format. Its texts have no escapes, and are borrowed.
    pub(crate) fn parse(name: &'static str, source: &'static str) -> Self {
        Self {
            name,
            ..read_own(source)
        }
    }
}

/// A group of formats that come from the same kind of program, in the order of their sections in `docs/reference/formats.md`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FormatFamily {
    /// JSON without any sign of its producer.
    #[default]
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keeps {
    /// Requests and responses.
    #[default]
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

/// What may be edited in the files of a format. What was recorded is evidence, and is not edited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Editable {
    /// Nothing: the files are recordings.
    #[default]
    Nothing,
    /// A body without its call.
    Bodies,
    /// Requests: responses are recordings.
    Requests,
    /// Requests, and by the owner of the API, responses: what a service answers is for that to change.
    Stubs,
    /// All.
    Everything,
}

/// Which reader reads a file.
#[derive(Debug)]
pub(crate) enum FormatReader {
    /// A function that reads all records of a file.
    Records(fn(Block<'_>, Limits, &mut dyn RecordSink)),
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
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormatMark {
    /// How the feature is detected.
    pub(crate) sign: MarkSign,
    /// The texts that are searched.
    pub(crate) names: Vec<&'static str>,
    /// The feature, for people; follows "has no".
    pub(crate) what: &'static str,
    /// Whether files of other formats have it, too.
    #[serde(default, rename = "common")]
    pub is_common: bool,
}

/// How a mark is detected. Keys are those at the top of a JSON or YAML document.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MarkSign {
    /// A key.
    Key,
    /// A key whose value is a list.
    List,
    /// A key whose value is an object.
    Object,
    /// One of the texts, anywhere.
    Text,
    /// A line that begins with one of the texts.
    Line,
}
