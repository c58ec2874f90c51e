//! Opens an input: a file or standard input, decompressed according to its first bytes.

use std::io::{self, Cursor, Read};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::decoder::Decoder;
use super::discover::InputFile;
use sundown_files::FileAccess;
use sundown_text_json::text::magic;

/// The number of bytes that are read at first, at most: a small file is read at once.
const MAX_HEAD: usize = 64 * 1024;

/// An open input.
pub(crate) struct Opened<'s> {
    /// Its decompressed text.
    pub text: Box<dyn Read + Send + 's>,
    /// The name of its compression.
    pub compression: Option<&'static str>,
    /// The size of the file on disk in bytes, if it is a file.
    pub size: Option<usize>,
}

impl Opened<'_> {
    /// The size of its text: that of the file, or what has been `read` of one that is compressed or no file.
    pub(crate) fn text_size(&self, read: usize) -> usize {
        let size = self.size.filter(|_| self.compression.is_none());
        size.unwrap_or(read)
    }
}

/// Opens `found` through `access`. `stdin` is its input if it has no path; `taken` counts the bytes that are read.
pub(crate) fn open<'s>(
    found: &InputFile,
    access: &FileAccess,
    stdin: Option<&'s mut (dyn Read + Send)>,
    taken: &'s AtomicUsize,
) -> io::Result<Opened<'s>> {
    let mut size = None;
    let raw: Box<dyn Read + Send + 's> = match (&found.path, stdin) {
        (Some(path), _) => {
            let (file, metadata) = if found.origin.is_given() {
                access.open_named(path)?
            } else {
                access.open(path)?
            };
            size = usize::try_from(metadata.len())
                .ok()
                .filter(|_| metadata.is_file());
            Box::new(file)
        }
        (None, Some(stdin)) => Box::new(stdin),
        (None, None) => Box::new(io::empty()),
    };
    let mut raw = Counted { raw, taken };
    // A file of the system may have more than its size.
    let room = size.map_or(MAX_HEAD, |size| {
        MAX_HEAD.min(size.saturating_add(magic::MAX_BYTES))
    });
    let mut head = vec![0; room];
    let mut length = 0;
    while length < magic::MAX_BYTES {
        match raw.read(head.get_mut(length..).unwrap_or_default()) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    head.truncate(length);
    let brotli = found.named_path().extension().is_some_and(|e| e == "br");
    let compression = magic::compression(&head).or(brotli.then_some("brotli"));
    let raw = Cursor::new(head).chain(raw);
    let text: Box<dyn Read + Send + 's> = match compression {
        Some(name) => Box::new(Decoder::new(raw, name)?),
        None => Box::new(raw),
    };
    Ok(Opened {
        text,
        compression,
        size,
    })
}

/// Counts the bytes that are read, for progress.
struct Counted<'s> {
    raw: Box<dyn Read + Send + 's>,
    taken: &'s AtomicUsize,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.raw.read(buffer)?;
        self.taken.fetch_add(count, Ordering::Relaxed);
        Ok(count)
    }
}

/// Reads the decompressed beginning of a file, at most so many bytes. Text after damage of the compressed data is missing.
pub fn beginning(found: &InputFile, access: &FileAccess, most: u64) -> io::Result<Vec<u8>> {
    let taken = AtomicUsize::new(0);
    let mut head = Vec::new();
    let read = open(found, access, None, &taken)?
        .text
        .take(most)
        .read_to_end(&mut head);
    match read {
        Err(error) if head.is_empty() => Err(error),
        _ => Ok(head),
    }
}
