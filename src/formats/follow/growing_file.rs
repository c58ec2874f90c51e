//! A file that a program appends to, and that is rotated or truncated now and then.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use same_file::Handle;

use super::Growth;

/// How often a file that was replaced must not have grown before the next one is read, two seconds: servers write to the old file
/// until they have reopened their log.
const QUIET_LOOKS: usize = 20;

/// The number of files that wait to be read.
const MOST_WAITING: usize = 8;

/// The number of bytes before the end of what was read that are compared, to recognise a file that was written again.
const COMPARED: usize = 64;

/// Reads the file that is at a path, and those that follow it there.
#[derive(Debug)]
pub(super) struct GrowingFile {
    path: PathBuf,
    /// The file that is read, and those that have replaced it.
    files: VecDeque<OpenLog>,
    /// How often the first file had not grown since it was replaced or grew last.
    quiet_looks: usize,
    /// Why the file that is at the path now cannot be read.
    trouble: Option<io::Error>,
}

impl GrowingFile {
    /// Opens the file, if it exists.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let (path, files) = (path.to_owned(), VecDeque::new());
        let mut file = Self { path, files, quiet_looks: 0, trouble: None };
        file.look()?;
        Ok(file)
    }

    /// Returns whether there is no file.
    pub(super) fn is_missing(&self) -> bool {
        self.files.is_empty()
    }

    /// Appends at most `most` bytes to `text`. With `is_ending`, everything that has been written so far is read at once, and
    /// then the input ends.
    pub(super) fn read(
        &mut self,
        text: &mut Vec<u8>,
        most: usize,
        is_ending: bool,
    ) -> io::Result<Growth> {
        if let Some(current) = self.files.front_mut() {
            match current.read(text, most, is_ending)? {
                Growth::Nothing => {}
                growth => {
                    self.quiet_looks = 0;
                    return Ok(growth);
                }
            }
        }
        self.look_again();
        self.quiet_looks += usize::from(self.files.len() > 1);
        let is_quiet = self.quiet_looks > QUIET_LOOKS;
        if self.files.len() > 1 && (is_ending || is_quiet || self.files.len() > MOST_WAITING) {
            self.files.pop_front();
            self.quiet_looks = 0;
            return Ok(Growth::NewFile);
        }
        Ok(if is_ending { Growth::End } else { Growth::Nothing })
    }

    /// Returns why the last file could not be read, if there is one that could not.
    pub(super) fn trouble(&self) -> Option<&io::Error> {
        self.trouble.as_ref()
    }

    /// Looks for a new file after the first one. One that cannot be opened yet is tried again later.
    fn look_again(&mut self) {
        self.trouble = self.look().err();
    }

    /// Opens the file at the path, unless it is open.
    fn look(&mut self) -> io::Result<()> {
        // To open a named pipe waits for a writer.
        match std::fs::metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => return Err(io::ErrorKind::InvalidInput.into()),
            Ok(_) => {}
            Err(error) => return Err(error),
        }
        let found = Handle::from_path(&self.path)?;
        if self.files.back().is_some_and(|last| last.file == found) {
            return Ok(());
        }
        self.files.push_back(OpenLog::new(found));
        Ok(())
    }
}

/// An open file, and how far it was read.
#[derive(Debug)]
struct OpenLog {
    file: Handle,
    offset: u64,
    /// The bytes before the offset.
    last: Vec<u8>,
    /// The size up to which it is read, once the input ends: the file may grow as fast as it is read.
    end: Option<u64>,
}

impl OpenLog {
    fn new(file: Handle) -> Self {
        Self { file, offset: 0, last: Vec::new(), end: None }
    }

    fn read(&mut self, text: &mut Vec<u8>, most: usize, is_ending: bool) -> io::Result<Growth> {
        let mut size = self.file.as_file().metadata()?.len();
        if is_ending && size >= self.offset {
            size = size.min(*self.end.get_or_insert(size));
        }
        if size == self.offset {
            return Ok(Growth::Nothing);
        }
        if size < self.offset || !self.is_same()? {
            (self.offset, self.end) = (0, None);
            self.last.clear();
            return Ok(Growth::NewFile);
        }
        let most = u64::try_from(most).unwrap_or(u64::MAX).min(size - self.offset);
        let before = text.len();
        self.file_at(self.offset)?.take(most).read_to_end(text)?;
        let read = text.get(before..).unwrap_or_default();
        self.offset += read.len() as u64;
        self.last
            .extend_from_slice(read.get(read.len().saturating_sub(COMPARED)..).unwrap_or(read));
        self.last.drain(..self.last.len().saturating_sub(COMPARED));
        Ok(if read.is_empty() { Growth::Nothing } else { Growth::Bytes })
    }

    /// Returns whether the bytes before the offset are those that were read. If not, the file was truncated and has grown since.
    fn is_same(&mut self) -> io::Result<bool> {
        let mut now = vec![0; self.last.len()];
        match self.file_at(self.offset - self.last.len() as u64)?.read_exact(&mut now) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            read => read.map(|()| now == self.last),
        }
    }

    fn file_at(&mut self, offset: u64) -> io::Result<&mut File> {
        let file = self.file.as_file_mut();
        file.seek(SeekFrom::Start(offset))?;
        Ok(file)
    }
}
