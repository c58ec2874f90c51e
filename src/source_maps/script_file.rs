//! The files of scripts and their source maps below a folder.

use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use crate::text::percent_decode;
use crate::traffic::decode_base64;

/// Finds scripts and their maps below a folder, and never outside of it.
#[derive(Debug)]
pub(super) struct ScriptFiles {
    /// Without symbolic links.
    folder: PathBuf,
}

/// The file with a source map.
#[derive(Debug)]
pub(super) struct MapFile {
    /// The map, or the script that contains it.
    pub(super) file: PathBuf,
    /// Its path below the folder, with `/`.
    pub(super) name: String,
    pub(super) text: io::Result<MapText>,
}

/// The text of a source map.
#[derive(Debug)]
pub(super) enum MapText {
    /// In a file of its own.
    File(Vec<u8>),
    /// In a comment of the script.
    Inline(Vec<u8>),
}

/// The largest file that is read, in bytes: several times the size of large bundles and their maps.
const LARGEST: u64 = 64 << 20;

/// How many segments of a script's path are compared with the folder.
const MOST_SEGMENTS: usize = 32;

/// The comment that refers from a script to its map. Old programs write `@`.
const COMMENTS: [&[u8]; 2] = [b"//# sourceMappingURL=", b"//@ sourceMappingURL="];

impl ScriptFiles {
    pub(super) fn below(folder: &Path) -> io::Result<Self> {
        let folder = folder.canonicalize()?;
        if !folder.is_dir() {
            return Err(io::Error::from(io::ErrorKind::NotADirectory));
        }
        Ok(Self { folder })
    }

    /// Finds the map of the script at a path: for the longest end of that path that exists in the folder, the map that the script
    /// names, or the file with `.map` after the script's name.
    pub(super) fn find(&self, path: &[String]) -> Option<MapFile> {
        let first = path.len().saturating_sub(MOST_SEGMENTS);
        (first..path.len()).find_map(|start| self.find_at(path.get(start..)?))
    }

    fn find_at(&self, path: &[String]) -> Option<MapFile> {
        let name = path.join("/");
        let beside = |name: &str| {
            let file = self.inside(name)?;
            Some(MapFile { text: read(&file).map(MapText::File), file, name: name.to_owned() })
        };
        let named = self.inside(&name).and_then(|script| {
            let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
            match MapReference::find(&read(&script).ok()?)? {
                MapReference::Inline(text) => {
                    let text = Ok(MapText::Inline(text));
                    Some(MapFile { file: script, name: name.clone(), text })
                }
                MapReference::Url(url) if folder.is_empty() => beside(&url),
                MapReference::Url(url) => beside(&format!("{folder}/{url}")),
            }
        });
        named.or_else(|| beside(&format!("{name}.map")))
    }

    /// The file of this name, if it is inside of the folder; symbolic links are followed.
    fn inside(&self, name: &str) -> Option<PathBuf> {
        let relative = Path::new(name);
        let is_plain =
            |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if name.contains(['\\', '\0', ':']) || !relative.components().all(is_plain) {
            return None;
        }
        let file = self.folder.join(relative).canonicalize().ok()?;
        (file.starts_with(&self.folder) && file.is_file()).then_some(file)
    }
}

/// Reads a file whose size is limited.
fn read(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(file)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::other(format!("it is larger than {} MiB", LARGEST >> 20)));
    }
    Ok(bytes)
}

/// What a script says about its map.
enum MapReference {
    Inline(Vec<u8>),
    /// The name of a file.
    Url(String),
}

impl MapReference {
    /// Finds the last comment that refers to a map.
    fn find(script: &[u8]) -> Option<Self> {
        let comments = COMMENTS.iter().filter_map(|comment| {
            memchr::memmem::rfind(script, comment).map(|at| at + comment.len())
        });
        let rest = script.get(comments.max()?..)?;
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let url = std::str::from_utf8(rest.get(..end)?).ok()?;
        match url.strip_prefix("data:") {
            Some(data) => {
                let (kind, content) = data.split_once(',')?;
                let is_base64 = kind.ends_with(";base64");
                let decoded = || percent_decode(content).into_owned().into_bytes();
                let text = if is_base64 { decode_base64(content)? } else { decoded() };
                Some(Self::Inline(text))
            }
            None => {
                let path = url.split(['?', '#']).next().unwrap_or_default();
                (!path.is_empty()).then(|| Self::Url(percent_decode(path).into_owned()))
            }
        }
    }
}
