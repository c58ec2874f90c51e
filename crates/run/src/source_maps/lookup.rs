//! Finds the source that a position of a script was generated from.

use super::mappings::MAX_SEGMENTS_TOGETHER;
use super::script_file::{MapLead, ScriptFiles, ScriptMap};
use super::source_map::SourceMap;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use sundown_exchange::{CodePlace, FoundSource, SourceLookup};
use sundown_files::FileAccess;
use sundown_report::MAX_SCRIPTS;
use sundown_text_json::text::percent_decode;

/// Finds source code by the source maps below a folder. Each file is read once, when the first script asks for it.
#[derive(Debug)]
pub struct SourceMaps {
    files: ScriptFiles,
    /// The folder's name in reports.
    name: String,
    known: Mutex<KnownMaps>,
}

/// The maps that have been searched for.
#[derive(Debug, Default)]
struct KnownMaps {
    /// By the URL or path of the script, for the first [`MAX_SCRIPTS`].
    by_script: HashMap<Box<str>, Option<Arc<LocatedMap>>>,
    /// By the files that were read: several URLs may have the same file.
    by_file: HashMap<MapLead, Option<Arc<LocatedMap>>>,
    /// The maps that cannot be read, by their names in reports.
    damaged: BTreeMap<String, String>,
    /// The number of mappings of all maps.
    mappings: usize,
    /// The size of all maps that were read, in bytes.
    bytes: usize,
}

/// The size of all maps of a run, in bytes: eight of the largest.
const MAX_BYTES_TOGETHER: usize = 512 << 20;

/// A map and the folder to which its sources are relative.
#[derive(Debug)]
struct LocatedMap {
    map: SourceMap,
    /// The folder's name in reports.
    folder: String,
}

impl SourceMaps {
    /// Uses the maps below `folder`, which reports call `name`.
    pub fn below(folder: &Path, name: &str, access: FileAccess) -> io::Result<Self> {
        let files = ScriptFiles::below(folder, access)?;
        Ok(Self {
            files,
            name: name.to_owned(),
            known: Mutex::default(),
        })
    }

    /// The name of the folder in reports.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The maps that could not be read so far, by their names in reports, each with what is wrong.
    pub fn damaged(&self) -> BTreeMap<String, String> {
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .damaged
            .clone()
    }

    /// The scripts that were searched for so far, if there was a map for none of them; the first [`MAX_SCRIPTS`].
    pub(crate) fn scripts_without_any_map(&self) -> Option<BTreeSet<String>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let has_map = !known.damaged.is_empty() || known.by_file.values().any(Option::is_some);
        (!has_map).then(|| known.by_script.keys().map(ToString::to_string).collect())
    }

    fn find_map(&self, script: &str) -> Option<Arc<LocatedMap>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(map) = known.by_script.get(script) {
            return map.clone();
        }
        let lead = self.files.find(&script_path(script));
        let map = lead.and_then(|lead| self.load(lead, &mut known));
        if known.by_script.len() < MAX_SCRIPTS {
            known.by_script.insert(script.into(), map.clone());
        }
        map
    }

    fn load(&self, lead: MapLead, known: &mut KnownMaps) -> Option<Arc<LocatedMap>> {
        if let Some(map) = known.by_file.get(&lead) {
            return map.clone();
        }
        let map = match &lead {
            MapLead::Map(file) => self.parse(file, self.files.read(file), known),
            MapLead::Script(script) => match self.files.map_of(script) {
                Ok(None) => None,
                Ok(Some(ScriptMap::File(file))) => self.load(MapLead::Map(file), known),
                Ok(Some(ScriptMap::Inline(text))) => self.parse(script, Ok(text), known),
                Err(detail) => self.parse(script, Err(detail), known),
            },
        };
        known.by_file.insert(lead, map.clone());
        map
    }

    /// Parses the text of a map in a file, or records why that cannot be read.
    fn parse(
        &self,
        file: &Path,
        text: Result<Vec<u8>, String>,
        known: &mut KnownMaps,
    ) -> Option<Arc<LocatedMap>> {
        // The file's own name, whatever symbolic links lead to it: the first script must not decide.
        let name = join(&self.name, &self.files.name(file));
        let left = MAX_SEGMENTS_TOGETHER - known.mappings;
        let parse = |text: Vec<u8>| {
            known.bytes = known.bytes.saturating_add(text.len());
            if known.bytes > MAX_BYTES_TOGETHER {
                let limit = MAX_BYTES_TOGETHER >> 20;
                return Err(format!(
                    "the maps of this run are larger than {limit} MiB together"
                ));
            }
            SourceMap::parse(&text, left).map_err(|error| error.to_string())
        };
        match text.and_then(parse) {
            Ok(map) => {
                known.mappings += map.size();
                let folder = name
                    .rsplit_once('/')
                    .map_or("", |(folder, _)| folder)
                    .to_owned();
                Some(Arc::new(LocatedMap { map, folder }))
            }
            Err(detail) => {
                known.damaged.insert(name, detail);
                None
            }
        }
    }
}

impl SourceLookup for SourceMaps {
    fn find_source(&self, script: &CodePlace) -> Option<FoundSource> {
        let line = script.line?.checked_sub(1)?;
        let column = script.column.and_then(|column| column.checked_sub(1));
        let located = self.find_map(&script.file)?;
        let position = located.map.find(line, column)?;
        let place = CodePlace::new(&source_name(&position.source, &located.folder))?;
        let one_based = |number: u32| number.checked_add(1);
        let line = one_based(position.line);
        let column = position.column.and_then(one_based);
        Some(FoundSource {
            place: CodePlace {
                line,
                column,
                ..place
            },
            is_third_party: position.is_third_party,
        })
    }
}

/// The segments of the path of a script, decoded.
fn script_path(script: &str) -> Vec<String> {
    let path = match script.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => script,
    };
    path.split(['/', '\\'])
        .filter(|segment| !segment.is_empty())
        .map(|segment| percent_decode(segment).into_owned())
        .collect()
}

/// The name of a source in reports. A relative one is relative to the folder of its map; a bundler's own scheme is left out.
fn source_name(source: &str, folder: &str) -> String {
    let Some((scheme, rest)) = source.split_once("://") else {
        let is_absolute = source.starts_with('/') || source.get(1..2) == Some(":");
        return if is_absolute {
            source.to_owned()
        } else {
            join(folder, source)
        };
    };
    // After the scheme is the name of the project: `webpack://shop/./src/a.ts`, `webpack:///./src/a.ts`.
    if ["webpack", "turbopack", "ng", "rollup"].contains(&scheme) {
        return join("", rest.split_once('/').map_or(rest, |(_, path)| path));
    }
    source.to_owned()
}

/// Joins a path and a relative one, and resolves `.` and `..`.
fn join(folder: &str, relative: &str) -> String {
    let root = if folder.starts_with('/') { "/" } else { "" };
    let mut segments: Vec<&str> = Vec::new();
    for segment in folder.split('/').chain(relative.split(['/', '\\'])) {
        match segment {
            "" | "." => {}
            ".." if segments.last().is_some_and(|last| *last != "..") => drop(segments.pop()),
            other => segments.push(other),
        }
    }
    format!("{root}{}", segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_named_from_where_the_run_started() {
        for (source, folder, name) in [
            ("../src/a.ts", "dist", "src/a.ts"),
            ("../../src/a.ts", "web/dist/assets", "web/src/a.ts"),
            ("./a.ts", "", "a.ts"),
            ("../src/a.ts", "", "../src/a.ts"),
            ("../src/a.ts", "/tmp/dist", "/tmp/src/a.ts"),
            ("/srv/src/a.ts", "dist", "/srv/src/a.ts"),
            ("webpack://shop/./src/a.ts", "dist", "src/a.ts"),
            ("webpack:///./src/a.ts", "dist", "src/a.ts"),
            ("webpack:///webpack/bootstrap", "dist", "webpack/bootstrap"),
            ("https://h/src/a.ts", "dist", "https://h/src/a.ts"),
        ] {
            assert_eq!(source_name(source, folder), name);
        }
    }
    const MAP: &str = r#"{"version":3,"sources":["../src/a.ts","../node_modules/b/b.js"],"names":[],"mappings":"AAAA,UCCA"}"#;

    #[test]
    fn a_file_is_read_once_for_several_urls() {
        let comment = "f()\n//# sourceMappingURL=1.map\n";
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("app.js");
        std::fs::write(&script, comment).unwrap();
        std::fs::write(folder.path().join("1.map"), MAP).unwrap();
        let maps = SourceMaps::below(folder.path(), "dist", FileAccess::default()).unwrap();
        let find = |url: &str| {
            let place = CodePlace {
                line: Some(1),
                column: Some(1),
                ..CodePlace::new(url).unwrap()
            };
            maps.find_source(&place)
                .map(|found| found.place.file.into_string())
        };
        assert_eq!(find("https://h/1/app.js").as_deref(), Some("src/a.ts"));
        std::fs::write(&script, "f()").unwrap();
        assert_eq!(find("https://h/2/app.js").as_deref(), Some("src/a.ts"));
    }
}
