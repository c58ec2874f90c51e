//! Files that the program writes: where they may be, what they may replace, and how they are replaced.
//!
//! A configuration can come from a stranger, and its outputs with it. So an output of a configuration stays below a boundary and
//! out of the folders of tools, goes through no link, and replaces only what this program wrote before. The user on the command
//! line may do more. Neither replaces a file that the run has read.
//!
//! A file is replaced as a whole: it is written under another name in the same folder, and renamed when it is complete. The
//! folder stays open meanwhile, so that it cannot be exchanged between a check and the write.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Component, Path};

use thiserror::Error;

use crate::config::boundary_name;
use sundown_files::{EntryKind, FileAccess, Folder, FolderEntry, PathBoundary, open_special};
use sundown_report::{Failure, MARKED_BYTES, OutputFormat};
use sundown_text_json::text::io_error_text;
use sundown_usage::UsageScan;

/// Where outputs may be, and which files they must not replace.
#[derive(Debug, Default)]
pub struct OutputRights {
    /// The folder that outputs must not leave; `None` if the command line names them.
    pub boundary: Option<PathBoundary>,
    /// The files that the run reads.
    pub files: FileAccess,
}

impl OutputRights {
    /// What a report in this format may replace.
    pub fn of_report(&self, format: OutputFormat) -> Replaceable<'static> {
        if self.boundary.is_some() {
            Replaceable::Report(format)
        } else {
            Replaceable::Anything
        }
    }
}

/// What an output may replace besides an empty file.
#[derive(Debug, Clone, Copy)]
pub enum Replaceable<'c> {
    /// Any file: a report that the command line names, or a file whose content the caller has read and keeps.
    Anything,
    /// A report that this program wrote.
    Report(OutputFormat),
    PartialResult,
    /// The file with just this content, of which the output is a new version.
    Content(&'c [u8]),
}

/// Why a file is not written. The message follows the name of the file.
#[derive(Debug, Error)]
pub enum OutputError {
    /// The configuration names a place that is not its own. The fault of its author.
    #[error("it is outside of {0}")]
    Outside(&'static str),
    /// The configuration names a place in a folder in which tools find what they run.
    #[error("`{}` is hidden or belongs to another tool", .0.display())]
    ToolFolder(OsString),
    /// The configuration names a symbolic link, or a place to which one leads.
    #[error("`{}` is a symbolic link", .0.display())]
    Link(OsString),
    /// There is something that an output of a configuration does not replace.
    #[error("what is there is no report of sundown in this format")]
    OtherFile,
    /// There is something that a partial result does not replace.
    #[error("what is there is no partial result")]
    OtherResult,
    /// The file is not the one that was changed.
    #[error("it has changed meanwhile")]
    OtherContent,
    /// A new version would belong to another user or group.
    #[error("its owner and group cannot be kept")]
    Owner,
    /// The run needs the file that is there.
    #[error("this run has read the file that is there")]
    Read,
    /// The system refuses.
    #[error("{}", io_error_text(.0))]
    System(#[from] io::Error),
}

impl OutputError {
    /// This error as one that ends the program, with the name of the file and the remedy.
    pub fn of(&self, path: &Path) -> Failure {
        let message = format!("{} cannot be written: {self}", path.display());
        match self {
            Self::System(_) | Self::OtherContent => Failure::new(message),
            Self::Owner => Failure::with_help(
                message,
                "run as its owner, who must be in its group, or change its group",
            ),
            Self::Read => Failure::with_help(message, "give the report its own file"),
            Self::OtherResult => Failure::with_help(
                message,
                "give the partial result its own file, or delete this one",
            ),
            Self::OtherFile => Failure::with_help(
                message,
                "give the report its own file, delete this one, or name it on the command line with --format",
            ),
            Self::Outside(_) | Self::ToolFolder(_) | Self::Link(_) => Failure::with_help(
                message,
                "name another file in the configuration, or this one on the command line",
            ),
        }
    }
}

/// The folders in which tools of developers look for what they run or load, besides those whose names begin with a dot.
const TOOL_FOLDERS: [&str; 8] = [
    "__pycache__",
    "__pypackages__",
    "bower_components",
    "jspm_packages",
    "node_modules",
    "site-packages",
    "vendor",
    "venv",
];

/// What makes a folder one of a tool, whatever its name: a Git repository, or a Python environment.
const TOOL_FILES: [&[&str]; 2] = [&["HEAD", "objects", "refs"], &["pyvenv.cfg"]];

/// The beginning of the names of our own hidden files.
const OWN_HIDDEN: &str = ".sundown";

/// Writes the content of a file.
pub(super) type WriteContent<'w> = dyn FnMut(&mut (dyn Write + Send)) -> io::Result<()> + 'w;

/// Writes these bytes as a file; see [`write_output`].
pub(super) fn write_bytes(
    path: &Path,
    rights: &OutputRights,
    replaceable: Replaceable<'_>,
    bytes: &[u8],
) -> Result<(), OutputError> {
    write_output(path, rights, replaceable, &mut |out| out.write_all(bytes))
}

/// Writes a file: either all of its new content is there afterwards, or the previous file remains.
///
/// A pipe or a device that the command line names is written in place, and so is a file in a folder that takes no new files.
pub fn write_output(
    path: &Path,
    rights: &OutputRights,
    replaceable: Replaceable<'_>,
    write: &mut WriteContent<'_>,
) -> Result<(), OutputError> {
    if is_special(path, rights) {
        let mut special = open_special(path)?;
        return Ok(write(&mut special).and_then(|()| special.flush())?);
    }
    let place = OutputPlace::find(path, rights)?;
    let existing = place.existing(rights, replaceable)?;
    let (temporary, file) = match place.folder.create_temporary(&place.name) {
        Ok(created) => created,
        Err(error)
            if existing.is_some()
                && rights.boundary.is_none()
                && !matches!(replaceable, Replaceable::Content(_))
                && is_closed_folder(&error) =>
        {
            let mut file = place.folder.open_emptied(&place.name)?;
            return Ok(write(&mut file).and_then(|()| file.flush())?);
        }
        Err(error) => return Err(error.into()),
    };
    let mut unfinished = Unfinished {
        place: &place,
        temporary,
        file,
        is_renamed: false,
    };
    if let Some(existing) = &existing {
        let kept = match replaceable {
            Replaceable::Content(_) => {
                keep_owner(&unfinished.file, existing).map_err(|_| OutputError::Owner)?;
                0o7777
            }
            // No output is a program.
            _ => 0o666,
        };
        keep_access_rights(&unfinished.file, existing, kept)?;
    }
    write(&mut unfinished.file)?;
    unfinished.replace(rights, replaceable)
}

/// Whether the command line names a pipe, a device or a folder: what is written in place, or refused by the system.
fn is_special(path: &Path, rights: &OutputRights) -> bool {
    rights.boundary.is_none() && fs::metadata(path).is_ok_and(|found| !found.is_file())
}

/// Checks what [`write_output`] would check before it writes: a long run should not end in a refusal.
pub fn check_output(
    path: &Path,
    rights: &OutputRights,
    replaceable: Replaceable<'_>,
) -> Result<(), OutputError> {
    if is_special(path, rights) {
        return Ok(());
    }
    match OutputPlace::find(path, rights) {
        // Its folder may be made later.
        Err(OutputError::System(_)) => Ok(()),
        place => place?.existing(rights, replaceable).map(drop),
    }
}

/// Whether a file is an output of an earlier run, and so nothing to check.
pub fn is_own_output(path: &Path, replaceable: Replaceable<'_>) -> bool {
    let rights = OutputRights::default();
    OutputPlace::find(path, &rights)
        .and_then(|place| Ok(place.existing(&rights, replaceable)?.is_some()))
        .unwrap_or(false)
}

/// The folder of a file, which is the working folder if its path names none.
pub fn folder_of(path: &Path) -> &Path {
    let folder = path.parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Locks the folder of a file that is going to be read and replaced, so that another run does not replace it in between.
pub(super) fn lock_folder_of(
    path: &Path,
    rights: &OutputRights,
) -> Result<impl Sized, OutputError> {
    Ok(OutputPlace::find(path, rights)?.folder.lock()?)
}

/// The folder of an output, and its name there.
struct OutputPlace {
    folder: Folder,
    name: OsString,
}

impl OutputPlace {
    fn find(path: &Path, rights: &OutputRights) -> Result<Self, OutputError> {
        match &rights.boundary {
            Some(boundary) => Self::below(boundary, path),
            None => Self::anywhere(path),
        }
    }

    /// The target of a link is replaced, not the link.
    fn anywhere(path: &Path) -> Result<Self, OutputError> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let name = path
            .file_name()
            .ok_or(io::ErrorKind::IsADirectory)
            .map_err(io::Error::from)?;
        Ok(Self {
            folder: Folder::open(folder_of(&path))?,
            name: name.to_owned(),
        })
    }

    /// Goes down from the boundary, a folder at a time and through no link.
    fn below(boundary: &PathBoundary, path: &Path) -> Result<Self, OutputError> {
        let outside = || OutputError::Outside(boundary_name(boundary));
        let below = boundary.below(path).ok_or_else(outside)?;
        let mut folder = Folder::open(boundary.folder())?;
        refuse_tool_files(&folder, boundary.folder().as_os_str())?;
        let mut names = below.components().map(|component| match component {
            Component::Normal(name) => Ok(name),
            _ => Err(outside()),
        });
        let name = names.next_back().ok_or_else(outside)??;
        for name in names {
            let name = name?;
            if is_hidden(name) || is_tool_folder(name) || may_be_alias(name) {
                return Err(OutputError::ToolFolder(name.to_owned()));
            }
            if folder
                .entry(name)?
                .is_some_and(|entry| entry.kind == EntryKind::Link)
            {
                return Err(OutputError::Link(name.to_owned()));
            }
            folder = folder.open_folder(name)?;
            refuse_tool_files(&folder, name)?;
        }
        let is_own = plain_name(name).starts_with(OWN_HIDDEN);
        if is_hidden(name) && !is_own || is_tool_folder(name) {
            return Err(OutputError::ToolFolder(name.to_owned()));
        }
        Ok(Self {
            folder,
            name: name.to_owned(),
        })
    }

    /// Returns the file that is there, if it may be replaced.
    fn existing(
        &self,
        rights: &OutputRights,
        replaceable: Replaceable<'_>,
    ) -> Result<Option<FolderEntry>, OutputError> {
        let Some(entry) = self.folder.entry(&self.name)? else {
            return match replaceable {
                Replaceable::Content(_) => Err(OutputError::OtherContent),
                _ => Ok(None),
            };
        };
        match entry.kind {
            EntryKind::File => {}
            EntryKind::Link if rights.boundary.is_some() => {
                return Err(OutputError::Link(self.name.clone()));
            }
            // A link to nothing.
            EntryKind::Link => return Ok(None),
            EntryKind::Folder => return Err(io::Error::from(io::ErrorKind::IsADirectory).into()),
            EntryKind::Special => return Err(OutputError::OtherFile),
        }
        if rights.files.has_read(&entry.identity) {
            return Err(OutputError::Read);
        }
        // The owner protects such a file, although renaming would replace it.
        if entry.is_read_only() {
            return Err(io::Error::from(io::ErrorKind::PermissionDenied).into());
        }
        let open = || self.folder.open_file(&self.name);
        match replaceable {
            Replaceable::Anything => {}
            Replaceable::Report(format) if !is_report(open()?, format)? => {
                return Err(OutputError::OtherFile);
            }
            Replaceable::PartialResult if !UsageScan::is_partial(&mut BufReader::new(open()?)) => {
                return Err(OutputError::OtherResult);
            }
            Replaceable::Content(content) if !has_content(open()?, content)? => {
                return Err(OutputError::OtherContent);
            }
            Replaceable::Report(_) | Replaceable::PartialResult | Replaceable::Content(_) => {}
        }
        Ok(Some(entry))
    }
}

/// A file that is being written under another name, and deleted unless it gets its own.
struct Unfinished<'p> {
    place: &'p OutputPlace,
    temporary: OsString,
    file: File,
    is_renamed: bool,
}

impl Unfinished<'_> {
    /// Gives the file its name. What is there may be another file by now, or one that the run has read meanwhile.
    fn replace(
        mut self,
        rights: &OutputRights,
        replaceable: Replaceable<'_>,
    ) -> Result<(), OutputError> {
        self.file.flush()?;
        self.place.existing(rights, replaceable)?;
        self.file.sync_all()?;
        self.place
            .folder
            .rename(&self.temporary, &self.place.name)?;
        self.is_renamed = true;
        Ok(())
    }
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if !self.is_renamed {
            // If that fails, there is nothing left to try.
            let _ = self.place.folder.remove(&self.temporary);
        }
    }
}

/// Gives a file the owner and the group of the one that it replaces. Doing so takes its set-user-id bit, so its rights come after.
#[cfg(unix)]
fn keep_owner(file: &File, existing: &FolderEntry) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let metadata = file.metadata()?;
    match existing.owner {
        Some((user, group)) if (metadata.uid(), metadata.gid()) != (user, group) => {
            fchown(file, Some(user), Some(group))
        }
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "other systems can refuse")]
fn keep_owner(_: &File, _: &FolderEntry) -> io::Result<()> {
    Ok(())
}

/// Gives a file those rights of the one that it replaces that are among `kept`.
#[cfg(unix)]
fn keep_access_rights(file: &File, existing: &FolderEntry, kept: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(existing.mode & kept))
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "other systems can refuse")]
fn keep_access_rights(_: &File, _: &FolderEntry, _: u32) -> io::Result<()> {
    Ok(())
}

/// Whether a file cannot be created because its folder takes no new files. Writing in place is no remedy for a full disk:
/// it would destroy the old file.
fn is_closed_folder(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
    )
}

/// Whether a file is empty, or was written as a report in this format.
fn is_report(mut file: File, format: OutputFormat) -> io::Result<bool> {
    let length = file.metadata()?.len();
    let marked = MARKED_BYTES as u64;
    let mut head = Vec::new();
    let mut tail = Vec::new();
    (&mut file).take(marked).read_to_end(&mut head)?;
    file.seek(SeekFrom::Start(length.saturating_sub(marked)))?;
    file.take(marked).read_to_end(&mut tail)?;
    Ok(length == 0 || format.has_mark(&head, &tail))
}

/// Whether a file has just this content.
fn has_content(file: File, content: &[u8]) -> io::Result<bool> {
    let mut reader = BufReader::new(file);
    let mut rest = content;
    loop {
        let read = reader.fill_buf()?;
        let Some(others) = rest.get(..read.len()).map(|own| own != read) else {
            return Ok(false);
        };
        if others || read.is_empty() {
            return Ok(!others && rest.is_empty());
        }
        let length = read.len();
        rest = rest.get(length..).unwrap_or_default();
        reader.consume(length);
    }
}

/// Refuses a folder that belongs to a tool because of what is in it.
fn refuse_tool_files(folder: &Folder, name: &OsStr) -> Result<(), OutputError> {
    for files in TOOL_FILES {
        let mut has_all = true;
        for file in files {
            has_all = has_all && folder.entry(OsStr::new(file))?.is_some();
        }
        if has_all {
            return Err(OutputError::ToolFolder(name.to_owned()));
        }
    }
    Ok(())
}

/// Whether a name begins with a dot for some file system.
fn is_hidden(name: &OsStr) -> bool {
    let name = plain_name(name);
    name.is_empty() || name.starts_with('.')
}

/// Whether a name is that of a folder of a tool.
fn is_tool_folder(name: &OsStr) -> bool {
    TOOL_FOLDERS.contains(&plain_name(name).as_str())
}

/// Whether a name may mean a folder with another name on the file systems of Windows: `GIT~1` is short for `.git`, and
/// what follows a colon says which part of the folder is meant.
fn may_be_alias(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let is_short = name
        .split_once('~')
        .is_some_and(|(_, number)| number.starts_with(|c: char| c.is_ascii_digit()));
    is_short || name.contains(':')
}

/// The name that a file system takes this one for: some ignore the letter case, dots and spaces at the end, or invisible
/// characters.
fn plain_name(name: &OsStr) -> String {
    let visible: String = name.to_string_lossy().chars().filter(|character| !matches!(character, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')).collect();
    visible.trim_end_matches(['.', ' ']).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) -> Result<(), OutputError> {
        write_bytes(
            path,
            &OutputRights::default(),
            Replaceable::Anything,
            text.as_bytes(),
        )
    }

    #[test]
    fn only_a_folder_that_takes_no_files_makes_a_file_be_written_in_place() {
        assert!(is_closed_folder(&io::ErrorKind::PermissionDenied.into()));
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded] {
            assert!(!is_closed_folder(&kind.into()), "{kind}");
        }
    }

    #[test]
    fn a_file_is_there_whole_or_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        write(&path, "old").unwrap();
        let failed = write_output(
            &path,
            &OutputRights::default(),
            Replaceable::Anything,
            &mut |out| {
                out.write_all(b"ne")?;
                assert_eq!(fs::read_to_string(&path)?, "old");
                Err(io::ErrorKind::StorageFull.into())
            },
        );
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        write(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_rights_stay_but_those_to_execute() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        for (before, after) in [(0o640, 0o640), (0o4755, 0o644)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(before)).unwrap();
            write(&link, "new").unwrap();
            assert!(link.is_symlink());
            assert_eq!(fs::read_to_string(&path).unwrap(), "new");
            assert_eq!(
                path.metadata().unwrap().permissions().mode() & 0o7777,
                after
            );
        }
    }

    #[test]
    fn folders_of_tools_are_known_however_their_names_are_written() {
        for name in [
            ".git",
            ".GIT",
            ".g\u{200c}it",
            ".git. ",
            "\u{feff}.venv",
            "...",
        ] {
            assert!(is_hidden(OsStr::new(name)), "{name:?}");
        }
        for name in ["node_modules", "Node_Modules", "venv."] {
            assert!(is_tool_folder(OsStr::new(name)), "{name:?}");
        }
        for name in ["NODE_M~1", "GIT~1", "venv::$INDEX_ALLOCATION"] {
            assert!(may_be_alias(OsStr::new(name)), "{name:?}");
        }
        for name in ["reports", "git", "a.b", "a~", "my_modules", "v.env"] {
            let name = OsStr::new(name);
            assert!(
                !is_hidden(name) && !is_tool_folder(name) && !may_be_alias(name),
                "{name:?}"
            );
        }
    }
}
