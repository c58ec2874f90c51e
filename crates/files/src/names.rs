//! Names of files, and lists of globs that select files.

use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use thiserror::Error;

use sundown_text_json::text::did_you_mean;

/// Why a text is not a glob.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GlobError {
    /// It selects nothing: an empty text, as of a variable that is not set, or `/` alone.
    #[error("the glob `{0}` names no file and no folder")]
    Nothing(String),
    /// It has a syntax error.
    #[error(transparent)]
    Syntax(#[from] globset::Error),
    /// It is too long.
    #[error("a glob has more than {MAX_GLOB_LENGTH} bytes")]
    TooLong,
    /// Its alternatives nest too deep.
    #[error("braces of a glob nest deeper than {MAX_GLOB_DEPTH} levels")]
    TooDeep,
    /// The globs of a list weigh more than [`MAX_GLOBS_WEIGHT`].
    #[error("the globs have more than 128 KiB together, where each counts 64 bytes more")]
    TooMany,
}

/// The maximum length of a glob in bytes. The time to compile one grows faster than its length.
const MAX_GLOB_LENGTH: usize = 1_024;

/// The maximum nesting of alternatives in braces. The library calls itself for each that is inside another one.
const MAX_GLOB_DEPTH: usize = 16;

/// The maximum weight of the globs of a list or a configuration. Some patterns take a kilobyte of memory for each byte.
pub const MAX_GLOBS_WEIGHT: usize = 128 * 1024;

/// A file's names, with `/` between the parts and none of them `.` or `..`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileName {
    /// The name in reports: relative to the folder in which the run started, if the file is below it.
    pub shown: Arc<str>,
    /// The name in configurations, fingerprints and baselines: relative to the project's root, if the file is below it.
    pub rooted: Arc<str>,
}

/// The folders to which names are relative.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// The folder in which the run started.
    start: Option<PathBuf>,
    /// The project's root.
    root: Option<PathBuf>,
}

/// The folder to which the globs of a list are relative.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GlobBase {
    /// The folder in which the run started: globs of the command line.
    #[default]
    Start,
    /// The project's root: globs of a configuration.
    Root,
}

/// A list of globs. A file matches if one of them does.
#[derive(Debug, Clone, Default)]
pub struct GlobList {
    set: GlobSet,
    /// For each glob, a text that every matching name contains. Searching for it costs far less than matching the set.
    letters: Vec<Box<str>>,
    base: GlobBase,
}

impl FileName {
    /// The name of standard input.
    pub fn standard_input() -> Self {
        Self::verbatim("-")
    }

    /// A name that is used as it is, everywhere.
    pub fn verbatim(name: &str) -> Self {
        Self {
            shown: name.into(),
            rooted: name.into(),
        }
    }
}

impl Names {
    /// Names relative to where the process started, and to the project's root, if there is one elsewhere.
    pub fn new(root: Option<&Path>) -> Self {
        let start = std::env::current_dir().ok();
        let root = root.and_then(full_path).or_else(|| start.clone());
        Self { start, root }
    }

    /// The paths that the file with this name may have: below the project's root, or below the folder in which the run
    /// started.
    pub fn places(&self, name: &str) -> [PathBuf; 2] {
        [&self.root, &self.start].map(|base| base.as_deref().unwrap_or(Path::new("")).join(name))
    }

    /// The path of a file from the project's root, byte for byte; `None` if it is not below that.
    pub fn from_root(&self, path: &Path) -> Option<PathBuf> {
        let full = full_path(path)?;
        let below = full.strip_prefix(self.root.as_ref()?).ok()?;
        Some(below.to_owned())
    }

    /// The names of the file at `path`.
    pub fn of(&self, path: &Path) -> FileName {
        // `full_path` asks the system where the process is, unless the path is absolute.
        let start = self.start.as_deref().unwrap_or(Path::new(""));
        let full = full_path(&start.join(path));
        let below = |base: &Option<PathBuf>| {
            let below = full.as_deref()?.strip_prefix(base.as_deref()?).ok()?;
            Some(with_slashes(below))
        };
        let shown = below(&self.start).unwrap_or_else(|| with_slashes(path));
        let rooted = if self.root == self.start {
            None
        } else {
            below(&self.root)
        };
        let rooted = rooted.unwrap_or_else(|| Arc::clone(&shown));
        FileName { shown, rooted }
    }
}

fn with_slashes(path: &Path) -> Arc<str> {
    // Names that differ only in bytes that are not UTF-8 must stay different.
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        text.push_str(&chunk.valid().replace(std::path::MAIN_SEPARATOR, "/"));
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    if text.is_empty() {
        ".".into()
    } else {
        text.into()
    }
}

/// The number of names in a folder among which a similar one is searched.
const MAX_SIMILAR: usize = 10_000;

/// Returns the path that one without a file is probably a misspelling of: that of the most similar name in its folder.
pub fn similar_path(path: &Path) -> Option<String> {
    let name = path.file_name().filter(|_| !path.exists())?.to_str()?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let opened = std::fs::read_dir(Path::new(".").join(folder));
    let entries = opened.ok()?.take(MAX_SIMILAR);
    let names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    let nearest = did_you_mean(name, names.iter().map(String::as_str))?;
    // The ending alone is no likeness.
    let stems = [name, nearest].map(|name| name.rsplit_once('.').map_or(name, |(stem, _)| stem));
    did_you_mean(stems[0], [stems[1]])?;
    Some(folder.join(nearest).display().to_string())
}

/// Makes a path absolute, and resolves each `..` by name only. For paths that are shown and compared, not opened.
pub fn full_path(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in std::path::absolute(path).ok()?.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    Some(plain)
}

impl GlobList {
    /// Compiles the globs. The error names the one with a mistake.
    ///
    /// A glob matches anywhere below its base. If it begins with `/`, it matches from the base on. A glob that matches
    /// a folder matches everything in it, as in ignore files.
    pub fn new(globs: &[impl AsRef<str>], base: GlobBase) -> Result<Self, GlobError> {
        let mut builder = GlobSetBuilder::new();
        let mut letters = Vec::new();
        if globs
            .iter()
            .map(|glob| weight_of_glob(glob.as_ref()))
            .sum::<usize>()
            > MAX_GLOBS_WEIGHT
        {
            return Err(GlobError::TooMany);
        }
        for glob in globs {
            let written = glob.as_ref();
            let glob = written
                .strip_prefix("./")
                .unwrap_or(written)
                .trim_end_matches('/');
            if glob.trim().is_empty() {
                return Err(GlobError::Nothing(written.to_owned()));
            }
            check_glob(glob)?;
            builder.add(compiled(glob)?);
            builder.add(compiled(&format!("{glob}/**"))?);
            // From the base, or anywhere below it. Files elsewhere have their absolute path as a name.
            let below = match glob.strip_prefix('/') {
                Some(from_base) => from_base.to_owned(),
                None => format!("**/{glob}"),
            };
            builder.add(compiled(&below)?);
            builder.add(compiled(&format!("{below}/**"))?);
            letters.push(letters_of(glob).into());
        }
        Ok(Self {
            set: builder.build()?,
            letters,
            base,
        })
    }

    /// Whether one of the globs matches the file.
    pub fn matches(&self, name: &FileName) -> bool {
        let name = match self.base {
            GlobBase::Start => &name.shown,
            GlobBase::Root => &name.rooted,
        };
        self.letters.iter().any(|letters| name.contains(&**letters)) && self.set.is_match(&**name)
    }
}

/// Returns the longest literal part of a glob, which every matching name contains.
fn letters_of(glob: &str) -> &str {
    // After these, literal text may be one of several alternatives.
    let plain = glob.split(['[', '{', '\\']).next().unwrap_or_default();
    // A slash next to `**` can also match no folder.
    plain
        .split(['*', '?'])
        .map(|stretch| stretch.trim_matches('/'))
        .max_by_key(|stretch| stretch.len())
        .unwrap_or_default()
}

/// The share of a glob in [`MAX_GLOBS_WEIGHT`]: its bytes, and those that it costs at least.
pub const fn weight_of_glob(glob: &str) -> usize {
    glob.len() + 64
}

/// Checks the limits of a glob. They hold before a library reads it.
pub fn check_glob(glob: &str) -> Result<(), GlobError> {
    if glob.len() > MAX_GLOB_LENGTH {
        return Err(GlobError::TooLong);
    }
    let mut depth = 0_usize;
    for byte in glob.bytes() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_GLOB_DEPTH {
            return Err(GlobError::TooDeep);
        }
    }
    Ok(())
}

/// A `*` matches a part of one name, as in ignore files. `**` matches any number of folders.
fn compiled(glob: &str) -> Result<Glob, GlobError> {
    Ok(GlobBuilder::new(glob).literal_separator(true).build()?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_relative_to_the_start_and_to_the_root() {
        let start = std::env::current_dir().unwrap();
        let names = Names::new(Some(&start.join("api")));
        let name = names.of(Path::new("./api/x/../captures/a.har"));
        assert_eq!(
            (&*name.shown, &*name.rooted),
            ("api/captures/a.har", "captures/a.har")
        );
        let outside = names.of(Path::new("other/b.har"));
        assert_eq!(
            (&*outside.shown, &*outside.rooted),
            ("other/b.har", "other/b.har")
        );
        let above = Names::new(start.parent());
        let below = format!("{}/c.har", start.file_name().unwrap().to_string_lossy());
        assert_eq!(*above.of(Path::new("c.har")).rooted, *below);
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_no_text_stay_apart() {
        use std::os::unix::ffi::OsStrExt as _;
        let name =
            |bytes: &[u8]| Names::default().of(Path::new(std::ffi::OsStr::from_bytes(bytes)));
        assert_eq!(*name(b"c\xff.har").shown, *"c\\xff.har");
        assert_ne!(name(b"c\xff.har"), name(b"c\xfe.har"));
    }

    proptest! {
        #[test]
        fn the_letters_of_a_glob_rule_out_nothing_that_it_matches(
            glob in "(\\*\\*/|/)?[ab*?/{},\\[\\]\\\\]{1,6}(/\\*\\*)?",
            name in "[ab/]{1,6}",
        ) {
            let name = FileName { shown: name.as_str().into(), rooted: name.as_str().into() };
            if let Ok(list) = GlobList::new(&[&glob], GlobBase::Start) {
                prop_assert_eq!(list.matches(&name), list.set.is_match(&*name.shown));
            }
        }
    }

    #[test]
    fn globs_match_from_their_base() {
        let name = FileName {
            shown: "api/captures/a.har".into(),
            rooted: "captures/a.har".into(),
        };
        let matches = |glob: &str, base| GlobList::new(&[glob], base).unwrap().matches(&name);
        assert!(matches("captures/*.har", GlobBase::Root));
        assert!(matches("./captures", GlobBase::Root));
        assert!(matches("*.har", GlobBase::Start));
        assert!(!matches("api/captures/*.har", GlobBase::Root));
        assert!(matches("/captures", GlobBase::Root));
        assert!(!matches("/captures", GlobBase::Start));
        assert!(!matches("/*.har", GlobBase::Root), "a star is no folder");
        assert!(matches("/**/*.har", GlobBase::Root));
        assert!(matches("/*/a.har", GlobBase::Root));
    }
}
