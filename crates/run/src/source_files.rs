//! The files that people write, which are searched for values of rules: by their names, and by what Git and build tools leave out.

use std::collections::HashMap;
use std::path::{Path, PathBuf, absolute};
use std::sync::LazyLock;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::types::{Types, TypesBuilder};

use super::check_options::CheckOptions;
use sundown_captures::InputFile;
use sundown_files::FileAccess;

/// Folders that build tools write to.
const BUILD_FOLDERS: [&str; 6] = ["target", "dist", "build", "vendor", ".venv", "venv"];

/// The size of a `.gitignore`, at most.
const MAX_IGNORES: u64 = 1 << 20;

/// Further names of files, by type. `lists` only name things, as those of the type `lock` do.
const MORE_NAMES: [(&str, &str); 5] = [
    ("settings", ".env*"),
    ("lists", "{sundown.toml,go.sum,npm-shrinkwrap.json}"),
    ("lists", "[Cc][Hh][Aa][Nn][Gg][Ee][Ll][Oo][Gg]*"),
    ("lists", "{CHANGES,HISTORY,History,RELEASES}{,.*}"),
    ("lists", "*.map"),
];

/// The types of files that only name things.
const LISTS: [&str; 3] = ["lists", "lock", "minified"];

/// All types. They have 850 globs, whose compilation costs more than the check of a small file, so they are asked last.
static TYPES: LazyLock<Types> = LazyLock::new(|| compile(&["all"]));

static LIST_TYPES: LazyLock<Types> = LazyLock::new(|| compile(&LISTS));

fn compile(names: &[&str]) -> Types {
    let mut types = TypesBuilder::new();
    types.add_defaults();
    for (name, glob) in MORE_NAMES {
        // All of these are valid.
        let _ = types.add(name, glob);
    }
    for name in names {
        types.select(name);
    }
    types.build().unwrap_or_else(|_| Types::empty())
}

/// Whether the name of a file is that of source code, configuration or documentation, and of no list.
pub(super) fn is_source(path: &Path) -> bool {
    !is_list(path) && TYPES.matched(path, false).is_whitelist()
}

/// Whether the name of a file is that of a list, which only names things.
pub(super) fn is_list(path: &Path) -> bool {
    LIST_TYPES.matched(path, false).is_whitelist()
}

/// The files `.gitignore` that were read, by their folders.
#[derive(Debug, Default)]
pub(super) struct IgnoreFiles(HashMap<PathBuf, Option<Gitignore>>);

impl IgnoreFiles {
    /// Whether a file of a folder is not searched, because it is hidden, or no file of the project: Git ignores it, or a tool made it.
    pub(super) fn leave_out(&mut self, options: &CheckOptions<'_>, found: &InputFile) -> bool {
        let Some(path) = found.path.as_ref().filter(|_| !found.origin.is_given()) else {
            return false;
        };
        let mut roots = options
            .settings
            .paths
            .iter()
            .filter(|root| path.starts_with(root));
        let Some(root) = roots.next() else {
            return false;
        };
        let below = path.strip_prefix(root).ok().and_then(Path::parent);
        let mut folders = below.into_iter().flat_map(Path::iter);
        folders.any(|folder| {
            let name = folder.to_string_lossy();
            name.starts_with('.') || BUILD_FOLDERS.contains(&&*name)
        }) || self.ignore(&options.access, root, path).unwrap_or_default()
    }

    /// Whether Git ignores a file below a folder. Without a repository around it, the files `.gitignore` from that folder on count.
    fn ignore(&mut self, access: &FileAccess, root: &Path, path: &Path) -> Option<bool> {
        let (root, path) = (absolute(root).ok()?, absolute(path).ok()?);
        let folders: Vec<_> = path.ancestors().skip(1).collect();
        let mut all = folders.iter();
        let top = all.position(|folder| folder.join(".git").exists());
        let top = top.or_else(|| folders.iter().position(|folder| **folder == *root))?;
        let folders = folders.get(..=top)?;
        for folder in folders {
            if !self.0.contains_key(*folder) {
                self.0
                    .insert(folder.to_path_buf(), read_ignores(access, folder));
            }
        }
        // A folder that is ignored has no file that is not, so the outermost comes first.
        let mut entries = path.ancestors().take(top + 1).zip(0..).collect::<Vec<_>>();
        entries.reverse();
        Some(entries.into_iter().any(|(entry, depth)| {
            let above = folders.iter().skip(depth);
            let above = above.filter_map(|folder| self.0.get(*folder)?.as_ref());
            let mut matches = above.map(|ignores| ignores.matched(entry, depth > 0));
            let first = matches.find(|matched| !matched.is_none());
            first.as_ref().is_some_and(Match::is_ignore)
        }))
    }
}

/// Reads what the file `.gitignore` of a folder ignores.
fn read_ignores(access: &FileAccess, folder: &Path) -> Option<Gitignore> {
    let text = access.read_whole(&folder.join(".gitignore"), MAX_IGNORES);
    let mut ignores = GitignoreBuilder::new(folder);
    for line in String::from_utf8_lossy(&text.ok()?).lines() {
        // Git passes over a line that is no glob, too.
        let _ = ignores.add_line(None, line);
    }
    ignores.build().ok()
}
