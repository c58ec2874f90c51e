//! Lists all capture formats. A new format is a table in `formats`, one module, and one line here.
//!
//! `scripts/new format NAME` adds them, and `every_capture_format_is_complete` lists what the format still lacks.

use std::sync::LazyLock;

use super::spec::FormatReader::{self, Blocks, Description, Document, Records, YamlDocuments};
use super::spec::FormatSpec;
use crate::chunks::Chunker;
use crate::clients::{bruno, curl, http_file, hurl, insomnia, postman};
use crate::file_head::{FileHead, is_description};
use crate::logs::{LineChunker, table};
use crate::stubs::{hoverfly, pact, wiremock};
use crate::wire::{charles, flows, httprr, pcap, raw};
use crate::{cassettes, har, manifests, yaml_records};
use sundown_text_json::Limits;

/// Makes the [`Format`] enum, with the table of each format and the functions that recognise and read its files, so that none can
/// miss a format.
macro_rules! formats {
    ($($format:ident: $name:literal, $sniff:expr, $reader:expr;)*) => {
        /// A capture format.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Format {
            $(#[doc = concat!("Described by `formats/", $name, ".toml`.")] $format,)*
        }

        impl Format {
            /// All formats, in the order in which recognition tries them.
            pub const ALL: &[Self] = &[$(Self::$format),*];

            /// Returns the description of the format.
            pub fn spec(self) -> &'static FormatSpec {
                match self {
                    $(Self::$format => {
                        const SOURCE: &str = include_str!(concat!("../../formats/", $name, ".toml"));
                        static SPEC: LazyLock<FormatSpec> =
                            LazyLock::new(|| FormatSpec::parse($name, SOURCE));
                        &SPEC
                    })*
                }
            }

            /// Whether the beginning of a file shows this format.
            fn recognises(self, head: &FileHead<'_>) -> bool {
                let sniff: fn(&FileHead<'_>) -> bool = match self {
                    $(Self::$format => $sniff,)*
                };
                sniff(head)
            }

            pub(crate) fn reader(self) -> FormatReader {
                match self {
                    $(Self::$format => $reader,)*
                }
            }
        }
    };
}

// A file belongs to the first format that recognises its beginning: a test tries the functions before on the sample of each. Other
// files are JSON or logs by all of their content, or bodies because the user says so.
formats! {
    Json: "json", |_| false, Document;
    Body: "body", |_| false, FormatReader::Body;
    Ndjson: "ndjson", |_| false, Blocks(|limits| LineChunker::begin(limits, false));
    AccessLog: "access-log", |_| false, Blocks(|limits| LineChunker::begin(limits, true));
    Table: "table", table::sniff, Blocks(table::begin);
    Har: "har", har::sniff, Blocks(har::begin);
    OpenApi: "openapi", is_description, Description;
    Kubernetes: "kubernetes", manifests::sniff, Records(manifests::read);
    WireMock: "wiremock", wiremock::sniff, Records(wiremock::read);
    Pact: "pact", pact::sniff, Records(pact::read);
    Hoverfly: "hoverfly", hoverfly::sniff, Records(hoverfly::read);
    Vcr: "vcr", |head| cassettes::is_of(head, "vcr"),
        Records(|file, limits, sink| cassettes::read(file, "vcr", limits, sink));
    Vcrpy: "vcrpy", |head| cassettes::is_of(head, "vcrpy"),
        Records(|file, limits, sink| cassettes::read(file, "vcrpy", limits, sink));
    GoVcr: "go-vcr", |head| cassettes::is_of(head, "go-vcr"),
        Records(|file, limits, sink| cassettes::read(file, "go-vcr", limits, sink));
    Postman: "postman", postman::sniff, Records(postman::read);
    Insomnia: "insomnia", insomnia::sniff_v4, Records(insomnia::read_v4);
    InsomniaYaml: "insomnia-v5", insomnia::sniff_v5, Records(insomnia::read_v5);
    Pcap: "pcap", pcap::sniff, Blocks(pcap::begin);
    Mitmproxy: "mitmproxy", flows::sniff, Blocks(flows::begin);
    Charles: "charles", charles::sniff, Document;
    RawHttp: "raw-http", raw::sniff, Records(raw::read);
    Httprr: "httprr", httprr::sniff, Records(httprr::read);
    Bruno: "bruno", bruno::sniff, Records(bruno::read);
    YamlRecords: "yaml-records", yaml_records::sniff, YamlDocuments;
    HttpFile: "http", http_file::sniff, Records(http_file::read);
    Curl: "curl", curl::sniff, Records(curl::read);
    Hurl: "hurl", hurl::is_hurl, Records(hurl::read);
}

impl Format {
    /// All formats in the order of the documentation, for lists that people read.
    pub fn by_family() -> Vec<Self> {
        let mut formats = Self::ALL.to_vec();
        formats.sort_by_key(|format| format.spec().family);
        formats
    }

    /// The format of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|format| format.spec().name == name)
    }

    /// Begins to read a large file in blocks; `None` where it is read as a whole.
    pub(crate) fn chunker(self, limits: Limits) -> Option<Box<dyn Chunker>> {
        match self.reader() {
            Blocks(begin) => Some(begin(limits)),
            Document => Some(crate::body::begin(limits)),
            _ => None,
        }
    }

    /// Whether files are not text, and so have no lines.
    pub fn is_binary(self) -> bool {
        self.spec().is_binary
    }
}

/// Whether a file begins like one of a binary format.
pub(crate) fn is_binary_head(bytes: &[u8]) -> bool {
    let head = FileHead::new(bytes, 0);
    let mut binary = Format::ALL.iter().filter(|format| format.is_binary());
    binary.any(|format| format.recognises(&head))
}

/// The first format that recognises a file by its beginning.
pub(super) fn sniff_format(head: &FileHead<'_>) -> Option<Format> {
    let mut formats = Format::ALL.iter().copied();
    formats.find(|format| format.recognises(head))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sundown_text_json::json::scan;

    #[test]
    fn every_format_is_found_by_its_name() {
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.spec().name), Some(*format));
        }
    }

    #[test]
    fn no_format_before_its_own_recognises_a_sample() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/samples");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            let head = FileHead::new(&bytes, scan::skip_whitespace(&bytes, 0));
            let is_own = |format: &&Format| path.file_stem() == Some(format.spec().name.as_ref());
            for format in Format::ALL.iter().take_while(|format| !is_own(format)) {
                assert!(
                    !format.recognises(&head),
                    "{} recognises {}",
                    format.spec().name,
                    path.display()
                );
            }
        }
    }
}
