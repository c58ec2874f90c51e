//! A source map (ECMA-426), also an index map of several sections.

use std::collections::HashSet;
use std::sync::Arc;

use thiserror::Error;

use super::mappings::{MappedSegment, MappingsError, OriginalPosition, decode_mappings};
use sundown_text_json::json::{Document, MAX_DOCUMENT_DEPTH, Node, SyntaxError, ValueKind};

/// A source map, decoded. The content of sources is not kept.
#[derive(Debug)]
pub(super) struct SourceMap {
    /// The sources of all sections. A source may have no name.
    sources: Vec<Option<NamedSource>>,
    /// The indices of sources that are not the developer's own.
    third_party: HashSet<u32>,
    /// In the order of lines and columns.
    segments: Vec<MappedSegment>,
}

/// The name of a source, which is joined only for findings: a long root may be that of many sources.
#[derive(Debug)]
struct NamedSource {
    /// The `sourceRoot` of its section.
    root: Arc<str>,
    name: Box<str>,
}

/// A position in a source. Line and column count from zero.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SourcePosition {
    pub(super) source: String,
    pub(super) line: u32,
    /// `None` if that of the script is not known.
    pub(super) column: Option<u32>,
    /// Whether the map says that the source is not the developer's own.
    pub(super) is_third_party: bool,
}

/// Why a source map cannot be read.
#[derive(Debug, Error)]
pub(super) enum SourceMapError {
    #[error("{0}")]
    Json(#[from] SyntaxError),
    #[error("its version is not 3")]
    Version,
    #[error("it has no `mappings`")]
    NoMappings,
    #[error("a section refers to another file")]
    OtherFile,
    #[error("{0}")]
    Mappings(#[from] MappingsError),
    #[error("a mapping refers to a source that it does not list")]
    NoSource,
    #[error("it has more than {MAX_SOURCES} sources")]
    TooManySources,
    #[error("the name of a source is longer than {MAX_SOURCE_BYTES} bytes")]
    LongSource,
}

/// How many sources a map may have, of all sections.
const MAX_SOURCES: usize = 100_000;

/// The longest name of a source, and the longest root of sources, in bytes.
const MAX_SOURCE_BYTES: usize = 4096;

/// How many mappings of a line are compared if the column in it is not known. A line with more is one of a bundle.
const MAX_COMPARED: usize = 1000;

impl SourceMap {
    /// Parses a source map with at most `left` mappings.
    pub(super) fn parse(text: &[u8], left: usize) -> Result<Self, SourceMapError> {
        let document = Document::parse_json(json_part(text), MAX_DOCUMENT_DEPTH)?;
        let root = document.root();
        if root.get("version").and_then(Node::as_i64) != Some(3) {
            return Err(SourceMapError::Version);
        }
        let mut map = Self {
            sources: Vec::new(),
            third_party: HashSet::new(),
            segments: Vec::new(),
        };
        match root.get("sections") {
            None => map.add(root, (0, 0), left)?,
            Some(sections) => {
                for section in sections.children() {
                    let inner = section.get("map").ok_or(SourceMapError::OtherFile)?;
                    map.add(inner, offset_of(section), left)?;
                }
            }
        }
        map.segments
            .sort_by_key(|segment| (segment.line, segment.column));
        Ok(map)
    }

    /// Adds a map, or a section of an index map.
    fn add(
        &mut self,
        node: Node<'_>,
        offset: (u32, u32),
        left: usize,
    ) -> Result<(), SourceMapError> {
        let mappings = node
            .get("mappings")
            .filter(|node| node.kind() == ValueKind::String);
        let mappings = mappings
            .and_then(Node::as_str)
            .ok_or(SourceMapError::NoMappings)?;
        let root = node
            .get("sourceRoot")
            .and_then(Node::as_str)
            .unwrap_or_default();
        let root: Arc<str> = root.into();
        let first = self.sources.len();
        for source in node.get("sources").into_iter().flat_map(Node::children) {
            let name = source.as_str();
            if self.sources.len() == MAX_SOURCES {
                return Err(SourceMapError::TooManySources);
            }
            if root.len().max(name.as_ref().map_or(0, |name| name.len())) > MAX_SOURCE_BYTES {
                return Err(SourceMapError::LongSource);
            }
            let named = |name: &str| NamedSource {
                root: Arc::clone(&root),
                name: name.into(),
            };
            self.sources.push(name.map(named));
        }
        let ignored = ["ignoreList", "x_google_ignoreList"]
            .into_iter()
            .find_map(|name| node.get(name));
        let ignored = ignored
            .into_iter()
            .flat_map(Node::children)
            .filter_map(Node::as_i64);
        let moved = |index: u32| u32::try_from(first).ok()?.checked_add(index);
        self.third_party
            .extend(ignored.filter_map(|index| moved(u32::try_from(index).ok()?)));
        let before = self.segments.len();
        decode_mappings(mappings.as_bytes(), offset, left, &mut self.segments)?;
        for segment in self.segments.iter_mut().skip(before) {
            if let Some(original) = &mut segment.original {
                original.source = moved(original.source).ok_or(SourceMapError::NoSource)?;
                if original.source as usize >= self.sources.len() {
                    return Err(SourceMapError::NoSource);
                }
            }
        }
        Ok(())
    }

    /// The number of its mappings.
    pub(super) fn size(&self) -> usize {
        self.segments.len()
    }

    /// Returns the position of the source that a position of the script was generated from. Both count from zero. Without
    /// a column, it is the line of the source to which the whole line leads, if there is one.
    pub(super) fn find(&self, line: u32, column: Option<u32>) -> Option<SourcePosition> {
        let original = match column {
            Some(column) => self.original_at(line, column)?,
            None => self.original_of_line(line)?,
        };
        let source = self.sources.get(original.source as usize)?.as_ref()?;
        Some(SourcePosition {
            source: under_root(&source.root, &source.name),
            line: original.line,
            column: column.map(|_| original.column),
            is_third_party: self.third_party.contains(&original.source),
        })
    }

    fn original_at(&self, line: u32, column: u32) -> Option<OriginalPosition> {
        let after = self
            .segments
            .partition_point(|segment| (segment.line, segment.column) <= (line, column));
        let segment = self.segments.get(after.checked_sub(1)?)?;
        segment.original.filter(|_| segment.line == line)
    }

    /// Returns the position to which the first mapping of a line leads, if the others lead to the same line of the source.
    fn original_of_line(&self, line: u32) -> Option<OriginalPosition> {
        let first = self.segments.partition_point(|segment| segment.line < line);
        let rest = self.segments.get(first..)?;
        let mut mapped = rest.iter().take_while(|segment| segment.line == line);
        let original = mapped.next()?.original?;
        let is_one = mapped.by_ref().take(MAX_COMPARED).all(|segment| {
            let other = segment.original.map(|other| (other.source, other.line));
            other == Some((original.source, original.line))
        });
        (is_one && mapped.next().is_none()).then_some(original)
    }
}

/// The map without a byte order mark, and without the line `)]}'` that keeps browsers from running it as a script.
fn json_part(text: &[u8]) -> &[u8] {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if !text.starts_with(b")]}") {
        return text;
    }
    let line = memchr::memchr(b'\n', text).unwrap_or(text.len());
    text.get(line..).unwrap_or_default()
}

/// Where a section begins in the script.
fn offset_of(section: Node<'_>) -> (u32, u32) {
    let number = |name| {
        let number = section.get("offset")?.get(name)?.as_i64()?;
        u32::try_from(number).ok()
    };
    (number("line").unwrap_or(0), number("column").unwrap_or(0))
}

fn under_root(root: &str, source: &str) -> String {
    match root {
        "" => source.to_owned(),
        root if root.ends_with('/') => format!("{root}{source}"),
        root => format!("{root}/{source}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source_maps::mappings::MAX_SEGMENTS_TOGETHER;

    fn describe(map: &str, line: u32, column: u32) -> Option<String> {
        let map = SourceMap::parse(map.as_bytes(), MAX_SEGMENTS_TOGETHER).unwrap();
        let position = map.find(line, Some(column))?;
        let third_party = if position.is_third_party {
            " third party"
        } else {
            ""
        };
        let column = position.column.unwrap();
        Some(format!(
            "{}:{}:{column}{third_party}",
            position.source, position.line
        ))
    }

    #[test]
    fn without_a_column_a_line_leads_to_its_only_source_line() {
        let find = |mappings: &str| {
            let map =
                format!(r#"{{"version":3,"sources":["a.ts","b.ts"],"mappings":"{mappings}"}}"#);
            let position = SourceMap::parse(map.as_bytes(), MAX_SEGMENTS_TOGETHER)
                .unwrap()
                .find(0, None)?;
            Some((position.source, position.line, position.column))
        };
        assert_eq!(
            find("AACA,IAAI,IAAI;AACA"),
            Some(("a.ts".to_owned(), 1, None))
        );
        assert_eq!(find("AACA,IACA"), None, "two lines");
        assert_eq!(find("AACA,ICAA"), None, "two sources");
        assert_eq!(find("AACA,E"), None, "code without a source");
        assert_eq!(find(";AACA"), None, "no mapping");
        let long = vec!["EAAA"; MAX_COMPARED + 2].join(",");
        assert_eq!(find(&long), None, "a line of a bundle");
    }

    #[test]
    fn names_of_sources_are_limited() {
        let refused = |root: usize, name: usize, count: usize| {
            let sources = vec![format!("\"{}\"", "s".repeat(name)); count].join(",");
            let root = "r".repeat(root);
            let map = format!(
                r#"{{"version":3,"sourceRoot":"{root}","sources":[{sources}],"mappings":""}}"#
            );
            SourceMap::parse(map.as_bytes(), MAX_SEGMENTS_TOGETHER)
                .err()
                .map(|error| error.to_string())
        };
        assert_eq!(refused(4096, 4096, 2), None);
        let long = Some("the name of a source is longer than 4096 bytes".to_owned());
        assert_eq!(
            (refused(4097, 1, 1), refused(1, 4097, 1)),
            (long.clone(), long)
        );
        let many = Some("it has more than 100000 sources".to_owned());
        assert_eq!(
            (refused(0, 0, 100_000), refused(0, 0, 100_001)),
            (None, many)
        );
    }

    #[test]
    fn positions_lead_to_sources() {
        // Columns 0, 4 and 8 of the first line; the second has column 2 without a source, and column 4.
        let map = r#"{"version":3,"sourceRoot":"../src","sources":["a.ts",null,"b.ts"],"names":["x"],"ignoreList":[2],"mappings":"AAAA,IAEIA,IEFE;E,EDAJ"}"#;
        assert_eq!(describe(map, 0, 0).as_deref(), Some("../src/a.ts:0:0"));
        assert_eq!(describe(map, 0, 3).as_deref(), Some("../src/a.ts:0:0"));
        assert_eq!(describe(map, 0, 5).as_deref(), Some("../src/a.ts:2:4"));
        assert_eq!(
            describe(map, 0, 999).as_deref(),
            Some("../src/b.ts:0:6 third party")
        );
        assert_eq!(
            describe(map, 1, 1),
            None,
            "before the first mapping of a line"
        );
        assert_eq!(describe(map, 1, 2), None, "generated code without a source");
        assert_eq!(describe(map, 1, 4), None, "a source without a name");
        assert_eq!(describe(map, 2, 0), None);
    }

    #[test]
    fn sections_are_moved_to_their_positions() {
        let section = |line: u32, column: u32, source: &str| {
            format!(
                r#"{{"offset":{{"line":{line},"column":{column}}},"map":{{"version":3,"sources":["{source}"],"names":[],"mappings":"AAAA;AACA"}}}}"#
            )
        };
        let sections = [section(0, 0, "a.ts"), section(1, 10, "b.ts")].join(",");
        let map = format!(r#"{{"version":3,"sections":[{sections}]}}"#);
        assert_eq!(describe(&map, 0, 5).as_deref(), Some("a.ts:0:0"));
        assert_eq!(describe(&map, 1, 9).as_deref(), Some("a.ts:1:0"));
        assert_eq!(describe(&map, 1, 10).as_deref(), Some("b.ts:0:0"));
        assert_eq!(
            describe(&map, 2, 0).as_deref(),
            Some("b.ts:1:0"),
            "columns move on the first line only"
        );
    }

    #[test]
    fn a_prefix_against_running_it_is_skipped() {
        let map = ")]}'\n{\"version\":3,\"sources\":[\"a.ts\"],\"mappings\":\"AAAA\"}";
        assert_eq!(describe(map, 0, 0).as_deref(), Some("a.ts:0:0"));
    }

    #[test]
    fn damaged_maps_are_refused() {
        for (map, message) in [
            ("{", "the text ends"),
            (r#"{"version":2,"mappings":""}"#, "its version is not 3"),
            (r#"{"version":3}"#, "it has no `mappings`"),
            (
                r#"{"version":3,"sources":[],"mappings":"AAAA"}"#,
                "a mapping refers to a source",
            ),
            (
                r#"{"version":3,"sections":[{"url":"b.map"}]}"#,
                "a section refers to another file",
            ),
            (
                r#"{"version":3,"sources":["a"],"mappings":"A!"}"#,
                "not base64, at offset 1",
            ),
        ] {
            let error = SourceMap::parse(map.as_bytes(), MAX_SEGMENTS_TOGETHER)
                .unwrap_err()
                .to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
