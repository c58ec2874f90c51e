//! The files of scripts and their source maps below a folder.

use std::io;
use std::path::{Component, Path, PathBuf};

use sundown_exchange::decode_base64;
use sundown_files::FileAccess;
use sundown_text_json::text::{io_error_text, percent_decode};

/// Finds scripts and their maps below a folder, and never outside of it.
#[derive(Debug)]
pub(super) struct ScriptFiles {
    access: FileAccess,
    /// Without symbolic links.
    folder: PathBuf,
}

/// A file that leads to a source map. Its path has no symbolic links.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum MapLead {
    /// A script, which may refer to its map.
    Script(PathBuf),
    /// The map itself.
    Map(PathBuf),
}

/// The map of a script.
#[derive(Debug)]
pub(super) enum ScriptMap {
    /// In a file of its own.
    File(PathBuf),
    /// The text, in a comment of the script.
    Inline(Vec<u8>),
}

/// The largest file that is read, in bytes: several times the size of large bundles and their maps.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// How many segments of a script's path are compared with the folder.
const MAX_SEGMENTS: usize = 32;

/// The comment that refers from a script to its map. Old programs write `@`.
const COMMENTS: [&[u8]; 2] = [b"//# sourceMappingURL=", b"//@ sourceMappingURL="];

impl ScriptFiles {
    pub(super) fn below(folder: &Path, access: FileAccess) -> io::Result<Self> {
        let folder = folder.canonicalize()?;
        if !folder.is_dir() {
            return Err(io::Error::from(io::ErrorKind::NotADirectory));
        }
        Ok(Self { access, folder })
    }

    /// Finds the longest end of a script's path for which the folder has the script, or a file with `.map` after its name. No
    /// file is read.
    pub(super) fn find(&self, path: &[String]) -> Option<MapLead> {
        let first = path.len().saturating_sub(MAX_SEGMENTS);
        (first..path.len()).find_map(|start| {
            let name = path.get(start..)?.join("/");
            self.inside(&name)
                .map(MapLead::Script)
                .or_else(|| self.inside(&format!("{name}.map")).map(MapLead::Map))
        })
    }

    /// Reads a script and finds its map: the one that it names, or the file with `.map` after its name. An error is in words.
    pub(super) fn map_of(&self, script: &Path) -> Result<Option<ScriptMap>, String> {
        let named = match MapReference::find(&self.read(script)?)? {
            Some(MapReference::Inline(text)) => return Ok(Some(ScriptMap::Inline(text))),
            Some(MapReference::Url(url)) => self.resolve(script, &url),
            None => None,
        };
        Ok(named
            .or_else(|| {
                let mut name = script.as_os_str().to_owned();
                name.push(".map");
                self.existing(Path::new(&name))
            })
            .map(ScriptMap::File))
    }

    /// Reads a file whose size is limited. An error is in words.
    pub(super) fn read(&self, file: &Path) -> Result<Vec<u8>, String> {
        self.access
            .read_whole(file, MAX_FILE_BYTES)
            .map_err(|error| io_error_text(&error))
    }

    /// The path of a file below the folder, with `/`.
    pub(super) fn name(&self, file: &Path) -> String {
        let parts: Vec<_> = file
            .strip_prefix(&self.folder)
            .unwrap_or(file)
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        parts.join("/")
    }

    /// The file to which a script refers. The root of a site is the folder.
    fn resolve(&self, script: &Path, reference: &str) -> Option<PathBuf> {
        if reference.contains(['\\', '\0', ':']) {
            return None;
        }
        let base = if reference.starts_with('/') {
            &*self.folder
        } else {
            script.parent()?
        };
        let mut path = base.to_owned();
        for segment in reference.split('/') {
            match segment {
                "" | "." => {}
                ".." => drop(path.pop()),
                name => path.push(name),
            }
        }
        self.existing(&path)
    }

    /// The file of this name, if it is inside of the folder; symbolic links are followed.
    fn inside(&self, name: &str) -> Option<PathBuf> {
        let relative = Path::new(name);
        let is_plain =
            |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if name.contains(['\\', '\0', ':']) || !relative.components().all(is_plain) {
            return None;
        }
        self.existing(&self.folder.join(relative))
    }

    /// The file without symbolic links, if it exists inside of the folder.
    fn existing(&self, file: &Path) -> Option<PathBuf> {
        let file = file.canonicalize().ok()?;
        (file.starts_with(&self.folder) && file.is_file()).then_some(file)
    }
}

/// What a script says about its map.
enum MapReference {
    Inline(Vec<u8>),
    /// The name of a file.
    Url(String),
}

impl MapReference {
    /// Finds the last comment that refers to a map. An error is in words.
    fn find(script: &[u8]) -> Result<Option<Self>, String> {
        let Some(url) = reference(script) else {
            return Ok(None);
        };
        let Some(data) = url.strip_prefix("data:") else {
            let path = url.split(['?', '#']).next().unwrap_or_default();
            return Ok((!path.is_empty()).then(|| Self::Url(percent_decode(path).into_owned())));
        };
        let text = decode_data(data).ok_or("the map in its last comment cannot be decoded")?;
        Ok(Some(Self::Inline(text)))
    }
}

/// Decodes what follows `data:` in a URL.
fn decode_data(data: &str) -> Option<Vec<u8>> {
    let (kind, content) = data.split_once(',')?;
    if kind.ends_with(";base64") {
        decode_base64(content)
    } else {
        Some(percent_decode(content).into_owned().into_bytes())
    }
}

/// The URL in the last comment that refers to a map.
fn reference(script: &[u8]) -> Option<&str> {
    let comments = COMMENTS
        .iter()
        .filter_map(|comment| memchr::memmem::rfind(script, comment).map(|at| at + comment.len()));
    let rest = script.get(comments.max()?..)?;
    let end = rest
        .iter()
        .position(u8::is_ascii_whitespace)
        .unwrap_or(rest.len());
    let url = std::str::from_utf8(rest.get(..end)?).ok()?;
    // In a string of a script, it is the comment of another one.
    (!url.contains(['"', '\'', '`', '\\'])).then_some(url)
}
