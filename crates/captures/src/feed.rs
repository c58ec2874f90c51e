//! Reads the files of a run in parts that fit into memory: a small file as a whole, a large one block by block, each of
//! complete records.

use std::io::{self, Read};
use std::sync::atomic::Ordering;

use super::archive::{ArchivePiece, Cutter};
use super::budget::MemoryBudget;
use super::buffer::{Buffer, ReadContext};
use super::file_head::DECISIVE_HEAD;
use super::ndjson::kept_from;
use super::open::{Opened, open};
use super::registry::is_binary_head;
use super::table::Columns;
use super::wire::{FlowCut, cut_flows};
use super::{Format, Gauge, InputFile, Limits, ReadUnit, Sniffed};
use sundown_exchange::Reason;
use sundown_files::FileAccess;
use sundown_packets::{Assembler, Output};
use sundown_text_json::json::scan::Skimmer;
use sundown_text_json::text::{Block, Location, magic};

/// An entry that has become this large is looked into: it may have lost a bracket.
const LARGE: usize = 4 * 1024 * 1024;

/// The length of the beginning in which a zero byte means that a file is not text.
const TEXT_HEAD: usize = 8 * 1024;

/// The end of a first line that is too large is searched in so many times the bytes of the largest record: compressed data may
/// never end.
const FIRST_LINE_FACTOR: usize = 8;

/// Sniffs the format of a file by its beginning; `None` if that does not decide it.
type Decide<'d> = dyn Fn(&InputFile, Block<'_>) -> Option<Sniffed> + Sync + 'd;

/// Reads files chunk by chunk.
pub struct BlockReader<'f> {
    files: &'f [InputFile],
    access: &'f FileAccess,
    stdin: Option<&'f mut (dyn Read + Send)>,
    decide: &'f Decide<'f>,
    limits: Limits,
    context: ReadContext<'f>,
    next_file: usize,
    next_number: usize,
    open: Option<OpenFile<'f>>,
}

/// One piece of work.
#[derive(Debug)]
pub struct Work {
    /// The number by which results are put into order.
    pub number: usize,
    /// Index of the file.
    pub file: usize,
    /// The chunk of the file.
    pub chunk: Chunk,
    /// The name of the compression of the file.
    pub compression: Option<&'static str>,
    /// The number of bytes that have been read from disk up to the end of this chunk, in all files.
    pub taken: usize,
}

/// A part of a file, read at once.
#[derive(Debug)]
pub enum Chunk {
    /// The whole file.
    Whole(Buffer),
    /// Some complete lines, the format of the file, and the columns of a table.
    Lines(Buffer, Format, Columns),
    /// Some complete pieces of an archive.
    Pieces(Buffer, Vec<ArchivePiece>),
    /// Some complete mitmproxy flows.
    Flows(Buffer),
    /// Packets, and the messages that were assembled from them and from those before.
    Packets(Buffer, Vec<Output>),
    /// A record that is too large and was skipped.
    TooLarge {
        /// Its length in bytes, with its end.
        bytes: usize,
        /// The location after it, counted from its beginning.
        end: Location,
        /// The count for numbering records: 1, or 0 for a value beside the entries of an archive.
        numbered: usize,
    },
    /// The file, or the rest of it, cannot be read or has nothing to read: the reason, the number of bytes and the detail.
    Not(Reason, usize, Option<String>),
}

struct OpenFile<'f> {
    index: usize,
    input: Opened<'f>,
    mode: Mode,
    /// The columns of a table before the next chunk.
    columns: Columns,
    /// The text that has been read and not handed out.
    carry: Buffer,
}

/// How a file is read in blocks.
#[derive(Debug)]
enum Mode {
    /// Line by line, in this format.
    Lines(Format),
    Archive(Cutter),
    Flows,
    Packets(Box<Assembler>),
    /// The rest cannot be read, for this reason.
    Broken(Reason, Option<String>),
    Ended,
}

impl Chunk {
    /// The number of its bytes.
    pub fn size(&self) -> usize {
        match self {
            Self::Whole(buffer)
            | Self::Lines(buffer, ..)
            | Self::Pieces(buffer, _)
            | Self::Flows(buffer)
            | Self::Packets(buffer, _) => buffer.block().bytes.len(),
            Self::TooLarge { .. } | Self::Not(..) => 0,
        }
    }

    /// The format in which the chunk is read; `None` if it is not read, or must be recognised by its content.
    pub fn format(&self) -> Option<Format> {
        match self {
            Self::Lines(_, format, _) => Some(*format),
            Self::Pieces(..) => Some(Format::Har),
            Self::Flows(..) => Some(Format::Mitmproxy),
            Self::Packets(..) => Some(Format::Pcap),
            Self::Whole(..) | Self::TooLarge { .. } | Self::Not(..) => None,
        }
    }
}

enum FileStart {
    Chunk(Chunk, Option<&'static str>),
    /// The file is read in blocks.
    Blocks,
}

impl<'f> BlockReader<'f> {
    /// Reads all `files`, opened through `access`; one without a path is `stdin`.
    pub fn new(
        files: &'f [InputFile],
        access: &'f FileAccess,
        stdin: &'f mut (dyn Read + Send),
        decide: &'f Decide<'f>,
        limits: Limits,
        gauge: &'f Gauge,
    ) -> Self {
        let stdin = Some(stdin);
        // Checking takes about as much memory again.
        let budget = MemoryBudget::new(limits.record);
        let context = ReadContext { gauge, budget };
        Self {
            files,
            access,
            stdin,
            decide,
            limits,
            context,
            next_file: 0,
            next_number: 0,
            open: None,
        }
    }

    /// Shows the progress, and can stop the run.
    pub fn gauge(&self) -> &'f Gauge {
        self.context.gauge
    }

    /// Returns the next chunk, in `spare` memory; `None` at the end of all files, or if the run is to stop.
    pub fn next(&mut self, mut spare: Buffer) -> Option<Work> {
        let (file, chunk, compression) = loop {
            if let Some(file) = &mut self.open {
                let index = file.index;
                let compression = file.input.compression;
                match file.next(spare, self.limits, &self.context) {
                    Ok(chunk) => break (index, chunk, compression),
                    Err(unused) => spare = unused,
                }
                self.open = None;
            }
            if self.context.gauge.is_stopped() {
                return None;
            }
            let index = self.next_file;
            let found = self.files.get(index)?;
            self.next_file += 1;
            match self.begin(index, found, std::mem::take(&mut spare)) {
                FileStart::Chunk(chunk, compression) => break (index, chunk, compression),
                FileStart::Blocks => {}
            }
        };
        let number = self.next_number;
        self.next_number += 1;
        let taken = self.context.gauge.taken.load(Ordering::Relaxed);
        Some(Work {
            number,
            file,
            chunk,
            compression,
            taken,
        })
    }

    /// Opens a file and reads as much of it as it takes to know how to go on.
    fn begin(&mut self, index: usize, found: &InputFile, mut buffer: Buffer) -> FileStart {
        let stdin = if found.path.is_none() {
            self.stdin.take()
        } else {
            None
        };
        let mut input = match open(found, self.access, stdin, &self.context.gauge.taken) {
            Ok(input) => input,
            Err(error) => {
                return FileStart::Chunk(Chunk::Not(Reason::Unreadable, 0, detail(&error)), None);
            }
        };
        let compression = input.compression;
        let size = |read: usize| input.size.filter(|_| compression.is_none()).unwrap_or(read);
        buffer.clear(0);
        let head = self.limits.head();
        let mut wanted = TEXT_HEAD.min(head);
        loop {
            match buffer.fill(&mut *input.text, wanted, &self.context) {
                _ if self.context.gauge.is_stopped() => {
                    return self.begin_stopped(index, found, input, buffer);
                }
                Ok(true) => {}
                Ok(false) if is_binary(found, &buffer) => break,
                Ok(false) => return FileStart::Chunk(Chunk::Whole(buffer), compression),
                Err(error) => {
                    let (reason, detail) = read_error(&error, compression);
                    if buffer.len() == 0 {
                        return FileStart::Chunk(Chunk::Not(reason, 0, detail), compression);
                    }
                    // The text before the error is checked as far as it goes.
                    self.resume(
                        index,
                        input,
                        Mode::Broken(reason, detail),
                        Buffer::default(),
                    );
                    return FileStart::Chunk(Chunk::Whole(buffer), compression);
                }
            }
            if wanted < head {
                if is_binary(found, &buffer) {
                    break;
                }
                wanted = head;
                continue;
            }
            match (self.decide)(found, buffer.block()) {
                Some(Sniffed::Not(Reason::NotAFormat, _)) if wanted < self.decisive_head() => {}
                Some(Sniffed::Not(reason, detail)) => {
                    let (reason, detail) = classify_refusal(found, buffer.bytes(), reason, detail);
                    return FileStart::Chunk(
                        Chunk::Not(reason, size(buffer.len()), detail),
                        compression,
                    );
                }
                Some(Sniffed::Format(format)) => {
                    if let Some(mode) = self.block_mode(format) {
                        self.resume(index, input, mode, buffer);
                        return FileStart::Blocks;
                    }
                }
                Some(Sniffed::Empty) | None => {}
            }
            if wanted >= self.limits.record {
                return self.begin_too_large(index, found, input, buffer);
            }
            wanted = (wanted * 2).min(self.limits.record);
        }
        let (reason, detail) = classify_refusal(found, buffer.bytes(), Reason::NotAFormat, None);
        FileStart::Chunk(Chunk::Not(reason, size(buffer.len()), detail), compression)
    }

    fn decisive_head(&self) -> usize {
        DECISIVE_HEAD.min(self.limits.record)
    }

    /// Begins a file of which no more is read because the run is to stop: the lines of a log that have come are still checked.
    fn begin_stopped(
        &mut self,
        index: usize,
        found: &InputFile,
        input: Opened<'f>,
        head: Buffer,
    ) -> FileStart {
        if let Some(Sniffed::Format(format)) = (self.decide)(found, head.block())
            && format.spec().unit == ReadUnit::Lines
        {
            self.resume(index, input, Mode::Lines(format), head);
        }
        FileStart::Blocks
    }

    /// Handles a buffer that is filled by one document or line and larger than allowed. After a line, there may be others.
    fn begin_too_large(
        &mut self,
        index: usize,
        found: &InputFile,
        input: Opened<'f>,
        buffer: Buffer,
    ) -> FileStart {
        let compression = input.compression;
        let size = input.size.filter(|_| compression.is_none());
        let mut read = buffer.len();
        if !has_line_end(buffer.bytes()) {
            let mode = Mode::Lines(Format::Ndjson);
            let mut file = OpenFile {
                index,
                input,
                mode,
                columns: Columns::default(),
                carry: Buffer::default(),
            };
            let patience = self.limits.record.saturating_mul(FIRST_LINE_FACTOR);
            let chunk =
                file.skip_oversized_record(buffer, self.limits.block, patience, &self.context);
            if file.is_broken() || self.are_lines(found, &mut file) {
                self.open = Some(file);
                return FileStart::Chunk(chunk, compression);
            }
            read = file.carry.end();
        }
        let limit = Some(self.limits.too_large());
        FileStart::Chunk(
            Chunk::Not(Reason::TooLarge, size.unwrap_or(read), limit),
            compression,
        )
    }

    /// Returns whether the rest of a file, after its first line, looks like lines. It is then read as such.
    fn are_lines(&self, found: &InputFile, file: &mut OpenFile<'_>) -> bool {
        if !matches!(file.mode, Mode::Lines(_)) {
            return false;
        }
        let head = self.limits.head();
        let more = file.carry.fill(&mut *file.input.text, head, &self.context);
        let mut text = file.carry.bytes().to_vec();
        // The last line is complete if nothing follows it. An error comes again after the text before it.
        if !matches!(more, Ok(true)) {
            text.push(b'\n');
        }
        let sniffed = (self.decide)(
            found,
            Block {
                bytes: &text,
                start: file.carry.start(),
            },
        );
        match sniffed {
            Some(Sniffed::Format(format)) if format.spec().unit == ReadUnit::Lines => {
                file.mode = Mode::Lines(format);
                true
            }
            _ => false,
        }
    }

    /// How a large file in this format is read in blocks; `None` where it is read as a whole.
    fn block_mode(&self, format: Format) -> Option<Mode> {
        match format.spec().unit {
            ReadUnit::File => None,
            ReadUnit::Lines => Some(Mode::Lines(format)),
            ReadUnit::Entries => Some(Mode::Archive(Cutter::new(self.limits.depth))),
            ReadUnit::Flows => Some(Mode::Flows),
            ReadUnit::Packets => Some(Mode::Packets(Box::new(Assembler::new(
                self.limits.record,
                self.limits.expansion,
            )))),
        }
    }

    /// Reads on after `head`, the beginning of the file, according to `mode`.
    fn resume(&mut self, index: usize, input: Opened<'f>, mode: Mode, head: Buffer) {
        self.open = Some(OpenFile {
            index,
            input,
            mode,
            columns: Columns::default(),
            carry: head,
        });
    }
}

/// Returns whether the end of a line that is not blank is in the text.
fn has_line_end(text: &[u8]) -> bool {
    memchr::memchr(b'\n', text.trim_ascii_start()).is_some()
}

/// Returns whether a file that was not named is clearly not text.
fn is_binary(found: &InputFile, buffer: &Buffer) -> bool {
    let bytes = buffer.bytes();
    let head = bytes.get(..TEXT_HEAD).unwrap_or(bytes);
    !found.origin.is_expected()
        && head.contains(&0)
        && !magic::is_utf16(head)
        && !is_binary_head(head)
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
    match packed {
        Some(packed)
            if !found.origin.is_given()
                && magic::is_zip(bytes)
                && !found.name.shown.to_ascii_lowercase().ends_with(".zip") =>
        {
            (reason, Some(packed.to_owned()))
        }
        Some(packed) => (Reason::Packed, Some(packed.to_owned())),
        None => (reason, detail),
    }
}

/// The message of the system, without its number.
fn detail(error: &io::Error) -> Option<String> {
    error
        .to_string()
        .split(" (os error")
        .next()
        .map(str::to_lowercase)
}

/// The reason why reading failed: compressed data that ends early or is damaged, or a file that cannot be read.
fn read_error(error: &io::Error, compression: Option<&str>) -> (Reason, Option<String>) {
    match (compression, error.kind()) {
        (Some(name), io::ErrorKind::UnexpectedEof) => (
            Reason::Truncated,
            Some(format!("the {name} data ends before it is complete")),
        ),
        (Some(name), io::ErrorKind::Unsupported) => {
            let command = if name == "xz" {
                "xz -d"
            } else {
                "zstd -d --long=31"
            };
            let detail = format!(
                "the {name} data needs a window of more than 128 MiB: decompress it with `{command}`"
            );
            (Reason::Packed, Some(detail))
        }
        (Some(name), _) => (
            Reason::BadEncoding,
            Some(format!("the {name} data is damaged")),
        ),
        (None, _) => (Reason::Unreadable, detail(error)),
    }
}

impl OpenFile<'_> {
    /// Returns the next chunk, or the memory if there is none.
    fn next(
        &mut self,
        mut buffer: Buffer,
        limits: Limits,
        context: &ReadContext<'_>,
    ) -> Result<Chunk, Buffer> {
        match &self.mode {
            Mode::Ended => return Err(buffer),
            Mode::Broken(reason, detail) => {
                let chunk = Chunk::Not(*reason, 0, detail.clone());
                self.mode = Mode::Ended;
                return Ok(chunk);
            }
            Mode::Lines(_) | Mode::Archive(_) | Mode::Flows | Mode::Packets(_) => {}
        }
        buffer.take_over(std::mem::take(&mut self.carry));
        let mut wanted = limits.block.max(buffer.len());
        loop {
            let (all, then) = match buffer.fill(&mut *self.input.text, wanted, context) {
                _ if context.gauge.is_stopped() => return self.stop(buffer),
                Ok(more) => (!more, Mode::Ended),
                Err(error) => {
                    let (reason, detail) = read_error(&error, self.input.compression);
                    (true, Mode::Broken(reason, detail))
                }
            };
            let chunk = self.cut(&mut buffer, all, limits.record);
            if all {
                self.mode = then;
            }
            match chunk {
                Some(chunk) => return Ok(chunk.in_memory(buffer)),
                None if all => return self.next(buffer, limits, context),
                None => match self.next_size(&buffer, wanted, limits.record) {
                    Some(size) => wanted = size,
                    None => {
                        return Ok(self.skip_oversized_record(
                            buffer,
                            limits.block,
                            usize::MAX,
                            context,
                        ));
                    }
                },
            }
        }
    }

    /// Returns the complete lines that were read before the run was stopped. Text after them, and text without lines, is not the
    /// end of the file.
    fn stop(&mut self, mut buffer: Buffer) -> Result<Chunk, Buffer> {
        let cuts = match self.mode {
            Mode::Lines(_) => self.cut(&mut buffer, false, 0),
            _ => None,
        };
        match cuts {
            Some(cuts) => {
                self.mode = Mode::Ended;
                Ok(cuts.in_memory(buffer))
            }
            None => Err(buffer),
        }
    }

    /// Returns the number of bytes to look at if the first `size` have nothing complete; `None` if more will not help.
    fn next_size(&self, buffer: &Buffer, size: usize, limit: usize) -> Option<usize> {
        if let Mode::Flows = self.mode {
            match cut_flows(buffer.bytes()) {
                FlowCut::Needs(needed) => return Some(needed).filter(|&needed| needed <= limit),
                FlowCut::Broken => return None,
                FlowCut::Whole(_) | FlowCut::More => {}
            }
        }
        // The kept line is not part of the record after it.
        let kept = match self.mode {
            Mode::Lines(format) if format != Format::Table => last_line_end(buffer.bytes()),
            _ => 0,
        };
        let most = limit.saturating_add(kept);
        (size < most).then(|| (size * 2).min(most))
    }

    /// Cuts complete records off the front of the buffer, and carries the rest over.
    fn cut(&mut self, buffer: &mut Buffer, all: bool, limit: usize) -> Option<Cuts> {
        let (cuts, consumed) = match &mut self.mode {
            Mode::Archive(cutter) => {
                let mut cut = cutter.cut(buffer.block(), all);
                if !all && cut.consumed == 0 && buffer.len() >= LARGE.min(limit) {
                    cutter.look_into(buffer.block());
                    cut = cutter.cut(buffer.block(), all);
                }
                (Cuts::Pieces(cut.pieces), cut.consumed)
            }
            Mode::Flows if !all => match cut_flows(buffer.bytes()) {
                FlowCut::Whole(end) => (Cuts::Flows, end),
                _ => return None,
            },
            Mode::Flows => (Cuts::Flows, buffer.len()),
            Mode::Packets(assembler) => {
                let consumed = assembler.take(buffer.bytes(), all);
                (Cuts::Packets(assembler.outputs()), consumed)
            }
            Mode::Lines(format) => {
                let columns = self.columns.clone();
                let end = match format {
                    _ if all => buffer.len(),
                    Format::Table => self.columns.pass(buffer.block()),
                    _ => end_of_lines(buffer.bytes(), limit),
                };
                (Cuts::Lines(*format, columns), end)
            }
            Mode::Broken(..) | Mode::Ended => return None,
        };
        // The end of a capture shows which connections were not finished, and that of an archive what is missing.
        let flushes_at_eof = match &cuts {
            Cuts::Packets(_) => true,
            Cuts::Pieces(pieces) => !pieces.is_empty(),
            Cuts::Lines(..) | Cuts::Flows => false,
        };
        if consumed == 0 && !(all && flushes_at_eof) {
            return None;
        }
        self.carry = buffer.split(consumed);
        Some(cuts)
    }

    /// Returns whether nothing more can be read.
    fn is_broken(&self) -> bool {
        matches!(self.mode, Mode::Broken(..))
    }

    /// Gives up a full buffer without an end: a record that is too large, or text after a fault in which no entry begins. If
    /// the end does not follow within about `most` bytes, the file counts as ended.
    fn skip_oversized_record(
        &mut self,
        mut buffer: Buffer,
        block: usize,
        most: usize,
        context: &ReadContext<'_>,
    ) -> Chunk {
        let mut skip_to = SkipTo::Line;
        let mut numbered = 1;
        if let Mode::Archive(cutter) = &mut self.mode {
            if let Some(pieces) = cutter.give_up_search(buffer.block()) {
                self.carry = Buffer::at(buffer.end());
                return Chunk::Pieces(buffer, pieces);
            }
            numbered = usize::from(cutter.is_in_entry());
            skip_to = SkipTo::Value(Skimmer::default(), cutter.value_start(buffer.block()));
        }
        let is_flow = matches!(self.mode, Mode::Flows);
        if is_flow {
            skip_to = match cut_flows(buffer.bytes()) {
                FlowCut::Needs(bytes) => SkipTo::Bytes(bytes),
                _ => SkipTo::Rest,
            };
        }
        let is_broken = matches!(skip_to, SkipTo::Rest);
        let mut bytes = 0;
        let mut end = Location::START;
        loop {
            let stop = skip_to.end(buffer.bytes());
            let text = buffer.block();
            let passed = text
                .bytes
                .get(..stop.unwrap_or(buffer.len()))
                .unwrap_or_default();
            end = end.then(if is_flow {
                Location::in_bytes(passed.len())
            } else {
                Block {
                    bytes: passed,
                    ..text
                }
                .end()
            });
            bytes += passed.len();
            let after = buffer.start() + passed.len();
            if let Some(stop) = stop {
                self.carry = buffer.split(stop);
                if let Mode::Archive(cutter) = &mut self.mode {
                    cutter.passed_over();
                }
                break;
            }
            buffer.clear(after);
            self.carry = Buffer::at(after);
            if bytes >= most {
                self.mode = Mode::Ended;
                break;
            }
            match buffer.fill(&mut *self.input.text, block, context) {
                // An error comes again after the text before it.
                _ if buffer.len() > 0 => {}
                Ok(_) => {
                    self.mode = Mode::Ended;
                    break;
                }
                Err(error) => {
                    let (reason, detail) = read_error(&error, self.input.compression);
                    self.mode = Mode::Broken(reason, detail);
                    break;
                }
            }
        }
        if is_broken {
            let detail = Some(super::wire::NO_FLOW.to_owned());
            return Chunk::Not(Reason::BrokenCapture, bytes, detail);
        }
        Chunk::TooLarge {
            bytes,
            end,
            numbered,
        }
    }
}

/// Returns the end of the lines that can be handed out while there is more to read. The last of them is kept for the next,
/// which may be the last line of the file and is judged by it, unless that is too large anyway.
fn end_of_lines(text: &[u8], limit: usize) -> usize {
    let end = last_line_end(text);
    if text.len() - end >= limit {
        return end;
    }
    kept_from(text.get(..end).unwrap_or_default()).unwrap_or(end)
}

/// Returns the offset after the last line feed.
fn last_line_end(text: &[u8]) -> usize {
    memchr::memrchr(b'\n', text).map_or(0, |at| at + 1)
}

/// The records that were cut off the front of a buffer.
enum Cuts {
    Lines(Format, Columns),
    Pieces(Vec<ArchivePiece>),
    Flows,
    Packets(Vec<Output>),
}

impl Cuts {
    fn in_memory(self, buffer: Buffer) -> Chunk {
        match self {
            Self::Lines(format, columns) => Chunk::Lines(buffer, format, columns),
            Self::Pieces(pieces) => Chunk::Pieces(buffer, pieces),
            Self::Flows => Chunk::Flows(buffer),
            Self::Packets(outputs) => Chunk::Packets(buffer, outputs),
        }
    }
}

/// Searches for the end of a skipped record.
enum SkipTo {
    Line,
    /// A value, so many bytes after the beginning of the text.
    Value(Skimmer, usize),
    /// A number of bytes.
    Bytes(usize),
    /// The rest of the input.
    Rest,
}

impl SkipTo {
    /// Returns the offset after the end in the next stretch of text, if it is there.
    fn end(&mut self, text: &[u8]) -> Option<usize> {
        match self {
            Self::Line => memchr::memchr(b'\n', text).map(|at| at + 1),
            Self::Rest => None,
            Self::Bytes(bytes) if *bytes <= text.len() => Some(*bytes),
            Self::Bytes(bytes) => {
                *bytes -= text.len();
                None
            }
            Self::Value(skimmer, before) => {
                let skip = (*before).min(text.len());
                *before -= skip;
                skimmer.end(text.get(skip..)?).map(|end| skip + end)
            }
        }
    }
}
