//! Reads the files of a run in parts that fit into memory: a small file as a whole, a large one block by block, each of
//! complete records.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::chunks::{Chunker, Oversized, Records};
use crate::file_head::{DECISIVE_HEAD, TEXT_HEAD, is_text};
use crate::formats::{Format, FormatFamily, Sniffed, is_binary_head};
use crate::input::{Buffer, Gauge, InputFile, MemoryBudget, Opened, ReadContext, open};
use crate::names::{NAMES, has_name};
use crate::shapes::{LogShapes, Logs};
use sundown_exchange::Reason;
use sundown_files::FileAccess;
use sundown_text_json::Limits;
use sundown_text_json::text::{Block, Location, io_error_text, magic};

/// The end of a first line that is too large is searched in so many times the bytes of the largest record: compressed data may
/// never end.
const FIRST_LINE_FACTOR: usize = 8;

/// What is to be read of files that are larger than their heads.
#[derive(Clone, Copy)]
pub struct LargeFiles<'d> {
    /// Sniffs the format of a file by its beginning; `None` if that does not decide it.
    pub decide: &'d (dyn Fn(&InputFile, Block<'_>) -> Option<Sniffed> + Sync + 'd),
    /// Whether the lines of a file are wanted, although it is in no format.
    pub is_searched: &'d (dyn Fn(&InputFile) -> bool + Sync + 'd),
}

/// The number of files that a thread takes at once.
const BATCH: usize = 8;

/// Reads the files of a run for all of its threads. A thread takes some files, and opens and reads them by itself. A file that is
/// larger than its head, and the files after it, go back to all threads: these take its chunks one after another.
pub struct BlockReader<'f> {
    files: &'f [InputFile],
    access: &'f FileAccess,
    large: LargeFiles<'f>,
    shapes: &'f LogShapes,
    limits: Limits,
    context: ReadContext<'f>,
    left: Mutex<WorkLeft<'f>>,
    /// Notified when a thread ends with its files, or leaves some of them to the others.
    returned: Condvar,
}

struct WorkLeft<'f> {
    /// By the index of the first file, which is handed out first.
    files: BTreeMap<usize, FilesLeft<'f>>,
    /// The number of threads that have files.
    taken: usize,
    stdin: Option<&'f mut (dyn Read + Send)>,
}

enum FilesLeft<'f> {
    /// The files up to this index have not been opened.
    UpTo(usize),
    Open(Box<OpenFile<'f>>),
}

/// Some files that a thread opens.
pub struct FileBatch<'r, 'f> {
    reader: &'r BlockReader<'f>,
    files: Range<usize>,
    /// The place of the work after that of the batch.
    pub following: WorkOrder,
}

/// What a thread is to do next.
pub enum Task<'r, 'f> {
    /// To open files, of which the first is the place of their work.
    Files(FileBatch<'r, 'f>, WorkOrder),
    /// To read this chunk.
    Chunk(Work),
    /// Nothing: the file with the chunks before this one has no more.
    End(WorkOrder),
}

/// The place of a piece of work among all: the index of its file, and the number of the chunk in it.
pub type WorkOrder = (usize, usize);

/// One piece of work.
#[derive(Debug)]
pub struct Work {
    /// By which results are put into order.
    pub order: WorkOrder,
    /// The chunk of the file.
    pub chunk: Chunk,
    /// The name of the compression of the file.
    pub compression: Option<&'static str>,
}

/// A part of a file, read at once.
#[derive(Debug)]
pub enum Chunk {
    /// The whole file.
    Whole(Buffer),
    /// Some whole records, and the format of the file.
    Records(Buffer, Format, Box<dyn Records>),
    /// A record that is too large and was skipped.
    TooLarge {
        /// Its length in bytes, with its end.
        bytes: usize,
        /// The location after it, counted from its beginning.
        end: Location,
        /// The count for numbering records: 1, or 0 for a value beside the entries of an archive.
        numbered: usize,
    },
    /// Some whole lines of a file in no format.
    Lines(Buffer),
    /// The file, or the rest of it, cannot be read or has nothing to read: the reason, the number of bytes and the detail.
    Not(Reason, usize, Option<String>),
}

struct OpenFile<'f> {
    /// The place of its next chunk.
    order: WorkOrder,
    input: Opened<'f>,
    rest: Rest,
    logs: Logs<'f>,
    /// The text that has been read and not handed out.
    carry: Buffer,
}

/// How the rest of a file is read.
#[derive(Debug)]
enum Rest {
    /// Its head has been read, at most.
    Head,
    Records(Format, Box<dyn Chunker>),
    /// Lines in no format, and what is said of the file after them.
    Lines(Box<Chunk>),
    /// Nothing but what is said of it.
    Broken(Box<Chunk>),
    Ended,
}

impl Chunk {
    /// What is said where reading failed: compressed data ends early or is damaged, or a file cannot be read.
    fn failed(error: &io::Error, compression: Option<&str>) -> Self {
        let (reason, detail) = match (compression, error.kind()) {
            (Some(name), io::ErrorKind::UnexpectedEof) => (
                Reason::Truncated,
                format!("the {name} data ends before it is complete"),
            ),
            (Some(name), io::ErrorKind::Unsupported) => (
                Reason::Packed,
                format!(
                    "the {name} data needs a window of more than 128 MiB: decompress it with `zstd -d --long=31`"
                ),
            ),
            (Some(name), _) => (Reason::BadEncoding, format!("the {name} data is damaged")),
            (None, _) => (Reason::Unreadable, io_error_text(error)),
        };
        Self::Not(reason, 0, Some(detail))
    }

    /// The number of its bytes.
    pub fn size(&self) -> usize {
        match self {
            Self::Whole(buffer) | Self::Records(buffer, ..) | Self::Lines(buffer) => buffer.len(),
            _ => 0,
        }
    }

    /// The format in which the chunk is read; `None` if it is not read, or must be recognised by its content.
    pub fn format(&self) -> Option<Format> {
        match self {
            Self::Records(_, format, _) => Some(*format),
            _ => None,
        }
    }
}

impl<'f> BlockReader<'f> {
    /// Reads all `files`, opened through `access`; one without a path is `stdin`.
    pub fn new(
        files: &'f [InputFile],
        access: &'f FileAccess,
        stdin: &'f mut (dyn Read + Send),
        large: LargeFiles<'f>,
        shapes: &'f LogShapes,
        limits: Limits,
        gauge: &'f Gauge,
    ) -> Self {
        // Checking takes about as much memory again.
        let context = ReadContext {
            gauge,
            budget: MemoryBudget::new(limits.record),
        };
        Self {
            files,
            access,
            large,
            shapes,
            limits,
            context,
            left: Mutex::new(WorkLeft {
                files: BTreeMap::from([(0, FilesLeft::UpTo(files.len()))]),
                taken: 0,
                stdin: Some(stdin),
            }),
            returned: Condvar::new(),
        }
    }

    /// Shows the progress, and can stop the run.
    pub fn gauge(&self) -> &'f Gauge {
        self.context.gauge
    }

    fn left(&self) -> MutexGuard<'_, WorkLeft<'f>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what is to be done next, in `spare` memory; `None` at the end of all files. Waits while other threads may leave some.
    pub fn next(&self, spare: &mut Buffer) -> Option<Task<'_, 'f>> {
        let mut left = self
            .returned
            .wait_while(self.left(), |left| left.files.is_empty() && left.taken > 0)
            .unwrap_or_else(PoisonError::into_inner);
        let (start, first) = left.files.pop_first()?;
        let mut file = match first {
            FilesLeft::Open(file) => file,
            FilesLeft::UpTo(all) => {
                let end = all.min(start + BATCH);
                if end < all {
                    left.files.insert(end, FilesLeft::UpTo(all));
                }
                left.taken += 1;
                let batch = FileBatch {
                    reader: self,
                    files: start..end,
                    following: (end, 0),
                };
                return Some(Task::Files(batch, (start, 0)));
            }
        };
        // Memory beyond a head is taken here alone, by one thread at a time.
        let first = match file.rest {
            Rest::Head => self.begin(&mut file, head_size(self.limits)),
            _ => None,
        };
        let chunk = match first {
            Some(chunk) => Ok(chunk),
            None => file.next(std::mem::take(spare), self.limits, &self.context),
        };
        Some(match chunk {
            Ok(chunk) => {
                let work = Work {
                    order: file.order,
                    chunk,
                    compression: file.input.compression,
                };
                file.order.1 += 1;
                left.files.insert(start, FilesLeft::Open(file));
                Task::Chunk(work)
            }
            Err(unused) => {
                *spare = unused;
                Task::End(file.order)
            }
        })
    }

    /// Reads as much of a file as it takes to know how to go on. If `wanted` is less than the head, no more than the head is read.
    /// Returns its first chunk, if it is not read in blocks.
    fn begin(&self, file: &mut OpenFile<'f>, mut wanted: usize) -> Option<Chunk> {
        let found = self.files.get(file.order.0)?;
        let mut buffer = std::mem::take(&mut file.carry);
        file.rest = Rest::Ended;
        let head = head_size(self.limits);
        let is_opening = wanted < head;
        loop {
            match buffer.fill(&mut *file.input.text, wanted, &self.context) {
                // The records that have come are still checked.
                _ if self.context.gauge.is_stopped() => {
                    if let Some(Sniffed::Format(format)) =
                        (self.large.decide)(found, buffer.block())
                        && let Some(chunker) = format.chunker(self.limits)
                    {
                        (file.rest, file.carry) = (Rest::Records(format, chunker), buffer);
                    }
                    return None;
                }
                Ok(true) => {}
                Ok(false) if is_binary(found, &buffer) => break,
                Ok(false) => return Some(Chunk::Whole(buffer)),
                Err(error) => {
                    if buffer.len() == 0 {
                        return Some(Chunk::failed(&error, file.input.compression));
                    }
                    // The text before the error is checked as far as it goes.
                    file.rest = file.broken(&error);
                    return Some(Chunk::Whole(buffer));
                }
            }
            if wanted < head {
                if is_binary(found, &buffer) {
                    break;
                }
                wanted = head;
                continue;
            }
            if is_opening {
                (file.rest, file.carry) = (Rest::Head, buffer);
                return None;
            }
            match (self.large.decide)(found, buffer.block()) {
                Some(Sniffed::Not(Reason::NotAFormat, _))
                    if wanted < DECISIVE_HEAD.min(self.limits.record) => {}
                Some(Sniffed::Not(reason, detail)) => {
                    let refused = refuse(found, &file.input, &buffer, reason, detail);
                    if matches!(refused, Chunk::Not(Reason::NotAFormat, ..))
                        && is_text(buffer.bytes())
                        && (self.large.is_searched)(found)
                    {
                        (file.rest, file.carry) = (Rest::Lines(Box::new(refused)), buffer);
                        return None;
                    }
                    return Some(refused);
                }
                Some(Sniffed::Format(format)) => {
                    if let Some(chunker) = format.chunker(self.limits) {
                        (file.rest, file.carry) = (Rest::Records(format, chunker), buffer);
                        return None;
                    }
                }
                Some(Sniffed::Empty) | None => {}
            }
            if wanted >= self.limits.record {
                return Some(self.begin_too_large(found, file, buffer));
            }
            wanted = (wanted * 2).min(self.limits.record);
        }
        Some(refuse(
            found,
            &file.input,
            &buffer,
            Reason::NotAFormat,
            None,
        ))
    }

    /// Handles a buffer that is filled by one document or line and larger than allowed. After a line, there may be others.
    fn begin_too_large(&self, found: &InputFile, file: &mut OpenFile<'f>, buffer: Buffer) -> Chunk {
        let mut size = file.input.text_size(buffer.len());
        // Blank lines have no record.
        let text = buffer.bytes().trim_ascii_start();
        if memchr::memchr(b'\n', text).is_none()
            && let Some(chunker) = Format::Ndjson.chunker(self.limits)
        {
            file.rest = Rest::Records(Format::Ndjson, chunker);
            let patience = self.limits.record.saturating_mul(FIRST_LINE_FACTOR);
            let chunk = file.skip_oversized(buffer, self.limits.block, patience, &self.context);
            if matches!(file.rest, Rest::Broken(..)) || self.are_lines(found, file) {
                return chunk;
            }
            file.rest = Rest::Ended;
            size = file.input.text_size(file.carry.end());
        }
        Chunk::Not(Reason::TooLarge, size, Some(self.limits.too_large()))
    }

    /// Whether the rest of a file, after its first line, looks like lines. It is then read as such.
    fn are_lines(&self, found: &InputFile, file: &mut OpenFile<'_>) -> bool {
        if !matches!(file.rest, Rest::Records(..)) {
            return false;
        }
        let head = head_size(self.limits);
        let more = file.carry.fill(&mut *file.input.text, head, &self.context);
        let mut text = file.carry.bytes().to_vec();
        // The last line is complete if nothing follows it. An error comes again after the text before it.
        if !matches!(more, Ok(true)) {
            text.push(b'\n');
        }
        let sniffed = (self.large.decide)(
            found,
            Block {
                bytes: &text,
                start: file.carry.start(),
            },
        );
        match sniffed {
            Some(Sniffed::Format(format)) if format.spec().family == FormatFamily::Logs => {
                let chunker = format.chunker(self.limits);
                file.rest = chunker.map_or(Rest::Ended, |chunker| Rest::Records(format, chunker));
                true
            }
            _ => false,
        }
    }
}

impl FileBatch<'_, '_> {
    /// Opens the next file, and returns its first chunk if it is read as a whole. If more of it is to be read, that and the other files
    /// are left to all threads.
    pub fn open(&mut self, mut spare: Buffer) -> Option<Work> {
        let reader = self.reader;
        let gauge = reader.gauge();
        let index = self.files.next().filter(|_| !gauge.is_stopped())?;
        let found = reader.files.get(index)?;
        let order = (index, 0);
        let is_stdin = found.path.is_none();
        let stdin = is_stdin.then(|| reader.left().stdin.take()).flatten();
        let input = match open(found, reader.access, stdin, &gauge.taken) {
            Ok(input) => input,
            Err(error) => {
                return Some(Work {
                    order,
                    chunk: Chunk::failed(&error, None),
                    compression: None,
                });
            }
        };
        spare.clear(0);
        let mut file = OpenFile {
            order,
            input,
            rest: Rest::Head,
            logs: Logs::of(reader.shapes, &found.name),
            carry: spare,
        };
        let chunk = reader.begin(
            &mut file,
            TEXT_HEAD.min(head_size(reader.limits).saturating_sub(1)),
        );
        let work = chunk.map(|chunk| Work {
            order,
            chunk,
            compression: file.input.compression,
        });
        if !matches!(file.rest, Rest::Ended) {
            file.order.1 = usize::from(work.is_some());
            self.following = file.order;
            let rest = std::mem::take(&mut self.files);
            let mut left = reader.left();
            if !rest.is_empty() {
                left.files.insert(rest.start, FilesLeft::UpTo(rest.end));
            }
            left.files.insert(index, FilesLeft::Open(Box::new(file)));
        }
        work
    }
}

impl Drop for FileBatch<'_, '_> {
    fn drop(&mut self) {
        self.reader.left().taken -= 1;
        self.reader.returned.notify_all();
    }
}

/// Whether a file that was not named is clearly not text.
fn is_binary(found: &InputFile, buffer: &Buffer) -> bool {
    let head = buffer.bytes();
    !found.origin.is_expected() && !is_text(head) && !magic::is_utf16(head) && !is_binary_head(head)
}

/// The number of bytes of a file that are looked at first.
fn head_size(limits: Limits) -> usize {
    2 * limits.block
}

/// Refuses a file by its beginning.
fn refuse(
    found: &InputFile,
    input: &Opened<'_>,
    head: &Buffer,
    reason: Reason,
    detail: Option<String>,
) -> Chunk {
    let (reason, detail) = classify_refusal(found, head.bytes(), reason, detail);
    Chunk::Not(reason, input.text_size(head.len()), detail)
}

/// The location after the first bytes of a text.
fn location_after(text: Block<'_>, length: usize, format: Format) -> Location {
    if format.is_binary() {
        return Location::in_bytes(length);
    }
    let bytes = text.bytes.get(..length).unwrap_or_default();
    Block { bytes, ..text }.end()
}

/// The reason for not reading a file in no known format, which may be packed. In folders, the zip archives of other programs
/// (`.docx`, `.jar`) are not for this tool.
pub fn classify_refusal(
    found: &InputFile,
    bytes: &[u8],
    reason: Reason,
    detail: Option<String>,
) -> (Reason, Option<String>) {
    let packed = magic::describe_packed(bytes).filter(|_| reason == Reason::NotAFormat);
    let Some(packed) = packed else {
        return (reason, detail);
    };
    let ending = found.named_path().extension().map(OsStr::as_encoded_bytes);
    let has_calls = ending.is_some_and(|ending| has_name(&NAMES.zip_endings, ending));
    let is_unrelated = !found.origin.is_given() && bytes.starts_with(b"PK") && !has_calls;
    let reason = if is_unrelated { reason } else { Reason::Packed };
    (reason, Some(packed.to_owned()))
}

impl OpenFile<'_> {
    fn broken(&self, error: &io::Error) -> Rest {
        Rest::Broken(Box::new(Chunk::failed(error, self.input.compression)))
    }

    /// Returns the next chunk, or the memory if there is none.
    fn next(
        &mut self,
        mut buffer: Buffer,
        limits: Limits,
        context: &ReadContext<'_>,
    ) -> Result<Chunk, Buffer> {
        let (format, mut chunker) = match std::mem::replace(&mut self.rest, Rest::Ended) {
            Rest::Head | Rest::Ended => return Err(buffer),
            Rest::Broken(refused) => return Ok(*refused),
            Rest::Lines(refused) => return self.next_lines(refused, buffer, limits, context),
            Rest::Records(format, chunker) => (format, chunker),
        };
        buffer.take_over(std::mem::take(&mut self.carry));
        let mut wanted = limits.block.max(buffer.len());
        loop {
            let end = match buffer.fill(&mut *self.input.text, wanted, context) {
                // Text after whole records, and text without one, is not the end of the file.
                _ if context.gauge.is_stopped() => {
                    let cut = chunker.stop(buffer.block(), &self.logs);
                    return match cut {
                        Some(cut) => {
                            buffer.split(cut.bytes);
                            Ok(Chunk::Records(buffer, format, cut.records))
                        }
                        None => Err(buffer),
                    };
                }
                Ok(true) => None,
                Ok(false) => Some(Rest::Ended),
                Err(error) => Some(self.broken(&error)),
            };
            let cut = chunker.cut(buffer.block(), end.is_some(), &self.logs);
            if let Some(cut) = cut {
                self.carry = buffer.split(cut.bytes);
                self.rest = end.unwrap_or(Rest::Records(format, chunker));
                return Ok(Chunk::Records(buffer, format, cut.records));
            }
            if let Some(end) = end {
                self.rest = end;
                return self.next(buffer, limits, context);
            }
            match chunker.next_size(buffer.bytes(), wanted, limits.record) {
                Some(size) => wanted = size,
                None => {
                    self.rest = Rest::Records(format, chunker);
                    return Ok(self.skip_oversized(buffer, limits.block, usize::MAX, context));
                }
            }
        }
    }

    /// Returns the next lines of a file in no format, of which `refused` is said at its end.
    fn next_lines(
        &mut self,
        refused: Box<Chunk>,
        mut buffer: Buffer,
        limits: Limits,
        context: &ReadContext<'_>,
    ) -> Result<Chunk, Buffer> {
        buffer.take_over(std::mem::take(&mut self.carry));
        let mut wanted = limits.block.max(buffer.len() + 1);
        self.rest = loop {
            match buffer.fill(&mut *self.input.text, wanted, context) {
                _ if context.gauge.is_stopped() => return Err(buffer),
                Ok(true) => {
                    let end = memchr::memrchr(b'\n', buffer.bytes());
                    // A call in a line that is cut would be lost.
                    if end.is_none() && wanted < limits.record {
                        wanted = (wanted * 2).min(limits.record);
                        continue;
                    }
                    self.carry = buffer.split(end.map_or(buffer.len(), |end| end + 1));
                    break Rest::Lines(refused);
                }
                Ok(false) => break Rest::Broken(refused),
                Err(error) => break self.broken(&error),
            }
        };
        Ok(Chunk::Lines(buffer))
    }

    /// Gives up a full buffer without an end: a record that is too large, or text after a fault in which no record begins. If
    /// the end does not follow within about `most` bytes, the file counts as ended.
    fn skip_oversized(
        &mut self,
        mut buffer: Buffer,
        block: usize,
        most: usize,
        context: &ReadContext<'_>,
    ) -> Chunk {
        let Rest::Records(format, mut chunker) = std::mem::replace(&mut self.rest, Rest::Ended)
        else {
            return Chunk::Not(Reason::TooLarge, buffer.len(), None);
        };
        let (mut end, numbered) = match chunker.give_up(buffer.block()) {
            Oversized::Text(records) => {
                self.carry = Buffer::at(buffer.end());
                self.rest = Rest::Records(format, chunker);
                return Chunk::Records(buffer, format, records);
            }
            Oversized::Record { end, numbered } => (Ok(end), numbered),
            Oversized::Rest(detail) => (Err(detail), 0),
        };
        let mut bytes = 0;
        let mut location = Location::START;
        self.rest = loop {
            let text = buffer.block();
            let stop = end.as_mut().ok().and_then(|end| end.find(text.bytes));
            let passed = stop.unwrap_or(buffer.len());
            location = location.then(location_after(text, passed, format));
            bytes += passed;
            let after = buffer.start() + passed;
            if let Some(stop) = stop {
                self.carry = buffer.split(stop);
                chunker.passed_over();
                break Rest::Records(format, chunker);
            }
            buffer.clear(after);
            self.carry = Buffer::at(after);
            if bytes >= most {
                break Rest::Ended;
            }
            match buffer.fill(&mut *self.input.text, block, context) {
                // An error comes again after the text before it.
                _ if buffer.len() > 0 => {}
                Ok(_) => break Rest::Ended,
                Err(error) => break self.broken(&error),
            }
        };
        match end {
            Err(detail) => Chunk::Not(Reason::BrokenCapture, bytes, Some(detail.to_owned())),
            Ok(_) => Chunk::TooLarge {
                bytes,
                end: location,
                numbered,
            },
        }
    }
}
