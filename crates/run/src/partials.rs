//! Partial results: written as a whole, and merged one after the other, so that memory does not grow with their number.

use std::collections::HashSet;
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use sundown_files::FileAccess;
use sundown_report::Failure;
use sundown_usage::{PartialError, UsageScan};

/// A partial result cannot be used.
fn unusable(name: &str, error: &PartialError) -> Failure {
    Failure::with_help(format!("{name}: {error}"), error.help())
}

/// A file or folder without a partial result.
fn nothing(name: &str) -> Failure {
    Failure::with_help(
        format!("{name} has no partial results"),
        "name files that `--partial` wrote, or their folder",
    )
}

/// Merges the partial results in these files, and in all files of these folders and their subfolders; `-` is standard input.
pub fn merge_parts(
    paths: &[PathBuf],
    stdin: &mut dyn Read,
    access: &FileAccess,
) -> Result<UsageScan, Failure> {
    let mut merged: Option<UsageScan> = None;
    let mut seen = HashSet::new();
    for path in expand_folders(paths)? {
        let name = path.display().to_string();
        let real = fs::canonicalize(&path).ok().filter(|real| real.is_file());
        if real.is_some_and(|real| !seen.insert(real)) {
            return Err(Failure::with_help(
                format!("{name} is named twice: it would count twice"),
                "name each file once",
            ));
        }
        let opened: io::Result<Box<dyn Read + '_>> = match path.to_str() {
            Some("-") => Ok(Box::new(&mut *stdin)),
            _ => access.open(&path).map(|(file, _)| Box::new(file) as _),
        };
        let added = opened
            .map_err(PartialError::from)
            .and_then(|file| add_all(&mut merged, &mut BufReader::new(file)));
        match added {
            Ok(0) => return Err(nothing(&name)),
            Ok(_) => {}
            Err(error) => return Err(unusable(&name, &error)),
        }
    }
    merged.ok_or_else(|| nothing("the command line"))
}

/// Adds all partial results of a file, and returns their number.
fn add_all(merged: &mut Option<UsageScan>, file: &mut dyn BufRead) -> Result<usize, PartialError> {
    let mut number = 0;
    while let Some(part) = UsageScan::read_partial(file)? {
        match merged {
            None => *merged = Some(part),
            Some(merged) => merged.merge(part)?,
        }
        number += 1;
    }
    Ok(number)
}

/// Replaces folders by the files in them and in their subfolders, except files and folders whose names begin with a dot or an
/// underscore, which are markers of other programs.
fn expand_folders(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut own = list_files(path).map_err(|error| {
            let name = error.path().unwrap_or(path).display().to_string();
            // Without following links, there are no other errors.
            let error = error
                .into_io_error()
                .unwrap_or_else(|| io::ErrorKind::Other.into());
            unusable(&name, &error.into())
        })?;
        if own.is_empty() {
            return Err(nothing(&path.display().to_string()));
        }
        files.append(&mut own);
    }
    Ok(files)
}

/// Lists the files in a folder in the order of their names. Links to files count as files; links to folders are not followed.
fn list_files(folder: &Path) -> walkdir::Result<Vec<PathBuf>> {
    let entries = WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| {
            entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with(['.', '_'])
        });
    entries
        .map(|entry| entry.map(DirEntry::into_path))
        .filter(|path| path.as_ref().map_or(true, |path| path.is_file()))
        .collect()
}
