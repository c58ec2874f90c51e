//! Lists all capture formats. A new format is one module with a [`FormatSpec`] and one line here.
//!
//! `scripts/new format NAME` adds both, and `every_capture_format_is_complete` lists what the format still lacks.

use super::Limits;
use super::chunker::Chunker;
use super::clients::{bruno, curl, http_file, insomnia, postman};
use super::file_head::FileHead;
use super::spec::{FormatReader, FormatSpec, Recognition};
use super::stubs::{hoverfly, pact, wiremock};
use super::wire::{charles, flows, httprr, pcap, raw};
use super::{cassettes, core_formats, manifests, yaml_records};

/// Makes the [`Format`] enum and the map from each format to its specification, so that neither can miss a format.
macro_rules! formats {
    ($($format:ident: $spec:path,)*) => {
        /// A capture format.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Format {
            $(#[doc = concat!("Specified by `", stringify!($spec), "`.")] $format,)*
        }

        impl Format {
            /// All formats, in the order in which recognition tries them.
            pub const ALL: &[Self] = &[$(Self::$format),*];

            /// Returns the specification of the format.
            pub fn spec(self) -> &'static FormatSpec {
                match self {
                    $(Self::$format => &$spec,)*
                }
            }
        }
    };
}

// A file belongs to the first format that recognises it.
formats! {
    Json: core_formats::JSON,
    Body: core_formats::BODY,
    Ndjson: core_formats::NDJSON,
    AccessLog: core_formats::ACCESS_LOG,
    Table: super::table::TABLE,
    Har: core_formats::HAR,
    OpenApi: core_formats::OPENAPI,
    Kubernetes: manifests::KUBERNETES,
    WireMock: wiremock::WIREMOCK,
    Pact: pact::PACT,
    Hoverfly: hoverfly::HOVERFLY,
    Vcr: cassettes::VCR,
    Vcrpy: cassettes::VCRPY,
    GoVcr: cassettes::GO_VCR,
    Postman: postman::POSTMAN,
    Insomnia: insomnia::INSOMNIA,
    InsomniaYaml: insomnia::INSOMNIA_YAML,
    Pcap: pcap::PCAP,
    Mitmproxy: flows::MITMPROXY,
    Charles: charles::CHARLES,
    RawHttp: raw::RAW_HTTP,
    Httprr: httprr::HTTPRR,
    Bruno: bruno::BRUNO,
    YamlRecords: yaml_records::YAML_RECORDS,
    HttpFile: http_file::HTTP_FILE,
    Curl: curl::CURL,
    Hurl: super::clients::hurl::HURL,
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
        match self.spec().reader {
            FormatReader::Blocks(begin) => Some(begin(limits)),
            FormatReader::Document => Some(super::body::begin(limits)),
            _ => None,
        }
    }

    /// Whether files are not text, and so have no lines.
    pub fn is_binary(self) -> bool {
        self.spec().is_binary
    }
}

/// Whether a file begins like one of a binary format.
pub(super) fn is_binary_head(bytes: &[u8]) -> bool {
    let head = FileHead::new(bytes, 0);
    let binary = Format::ALL
        .iter()
        .map(|format| format.spec())
        .filter(|spec| spec.is_binary);
    binary
        .map(|spec| &spec.recognition)
        .any(|recognition| match recognition {
            Recognition::Sniff(sniff) => sniff(&head),
            Recognition::Content | Recognition::Declared => false,
        })
}

/// The first format that recognises a file by its beginning.
pub(super) fn sniff_format(head: &FileHead<'_>) -> Option<Format> {
    Format::ALL
        .iter()
        .copied()
        .find(|format| match format.spec().recognition {
            Recognition::Sniff(sniff) => sniff(head),
            Recognition::Content | Recognition::Declared => false,
        })
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
    fn no_format_recognises_the_sample_of_another() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/samples");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            let head = FileHead::new(&bytes, scan::skip_whitespace(&bytes, 0));
            let others = Format::ALL.iter().map(|format| format.spec());
            for spec in others.filter(|spec| path.file_stem() != Some(spec.name.as_ref())) {
                if let Recognition::Sniff(sniff) = spec.recognition {
                    assert!(!sniff(&head), "{} recognises {}", spec.name, path.display());
                }
            }
        }
    }
}
