//! Follows a log that grows: hands out its complete lines as they are written, across rotation and truncation.

mod byte_stream;
mod growing_file;
mod line_cutter;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::thread;
use std::time::Duration;

use byte_stream::{ByteStream, OpenStream};
use growing_file::GrowingFile;
use line_cutter::LineCutter;

use super::feed::{Part, detail};
use super::file_head::DECISIVE_HEAD;
use super::{Format, InputFile, Limits, ReadUnit, Sniffed};
use crate::text::{Block, magic};
use crate::traffic::Reason;

/// The time between two looks at a file that does not grow.
const PATIENCE: Duration = Duration::from_millis(100);

/// Follows one log.
pub struct LogFollower<'f> {
    source: Source,
    choose: &'f ChooseFormat<'f>,
    limits: Limits,
    cutter: LineCutter,
    /// The format of the log, once it is known. The files that follow the first have the same.
    format: Option<Format>,
    /// Steps that are known already.
    steps: VecDeque<FollowStep>,
    /// Whether anything was handed out.
    has_text: bool,
}

/// Chooses the format of a log by its lines so far; `None` if that takes more of them.
type ChooseFormat<'f> = dyn Fn(Block<'_>) -> Option<Sniffed> + 'f;

/// What a log that grows has next.
#[derive(Debug)]
pub enum FollowStep {
    /// A part of the file.
    Part(Part),
    /// The file was rotated or truncated: parts that follow are of the next one.
    NewFile,
    /// Nothing for now.
    Nothing,
    /// Nothing any more.
    End,
}

/// Why an input cannot be followed.
#[derive(Debug)]
pub enum FollowError {
    /// It cannot be read: the message of the system.
    Unreadable(String),
    /// It is not in a format with a record per line: the format.
    NoLines(Format),
    /// It is compressed: the name of the compression.
    Compressed(&'static str),
    /// Its beginning is not a log: the reason, and a detail.
    NoLog(Reason, Option<String>),
}

/// Where the bytes of a log come from.
enum Source {
    File(GrowingFile),
    Stream(ByteStream),
}

/// How a log has grown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Growth {
    /// There are more bytes.
    Bytes,
    /// Not at all, so far.
    Nothing,
    /// The bytes that follow are those of another file.
    NewFile,
    /// It never will.
    End,
}

impl<'f> LogFollower<'f> {
    /// Follows a file, which need not exist yet, or standard input. `choose` decides the format.
    pub fn open(
        found: &InputFile,
        choose: &'f ChooseFormat<'f>,
        limits: Limits,
    ) -> Result<Self, FollowError> {
        Ok(Self {
            source: Source::open(found.path.as_deref())?,
            choose,
            limits,
            cutter: LineCutter::new(limits),
            format: None,
            steps: VecDeque::new(),
            has_text: false,
        })
    }

    /// Returns whether the file does not exist yet.
    pub fn is_missing(&self) -> bool {
        matches!(&self.source, Source::File(file) if file.is_missing())
    }

    /// Returns what comes next; without waiting for it, except for a moment at the input's end. With `is_ending`, what has been
    /// written so far is handed out, and then the input ends.
    pub fn next(&mut self, is_ending: bool) -> Result<FollowStep, FollowError> {
        loop {
            if let Some(step) = self.steps.pop_front() {
                return Ok(step);
            }
            if let Some(part) = self.cutter.take(self.format) {
                self.has_text = true;
                return Ok(FollowStep::Part(part));
            }
            let source = &mut self.source;
            let growth = self.cutter.fill(|text, most| source.read(text, most, is_ending));
            match growth.map_err(FollowError::unreadable)? {
                Growth::Bytes => self.choose_format()?,
                Growth::Nothing => return Ok(FollowStep::Nothing),
                Growth::NewFile => self.end_file(FollowStep::NewFile),
                Growth::End => self.end_file(FollowStep::End),
            }
        }
    }

    /// Waits until the input may have grown.
    pub fn wait(&mut self) -> Result<(), FollowError> {
        match &mut self.source {
            Source::File(_) => thread::sleep(PATIENCE),
            Source::Stream(stream) => stream.wait(PATIENCE).map_err(FollowError::unreadable)?,
        }
        Ok(())
    }

    /// Chooses the format of the log, if that is possible.
    fn choose_format(&mut self) -> Result<(), FollowError> {
        if self.format.is_some() {
            return Ok(());
        }
        if let Some(compression) = magic::file_compression(self.cutter.beginning()) {
            return Err(FollowError::Compressed(compression));
        }
        let lines = self.cutter.lines();
        if lines.bytes.is_empty() {
            return self.refuse_archive();
        }
        match (self.choose)(lines) {
            Some(Sniffed::Format(format)) if format.spec().unit == ReadUnit::Lines => {
                self.format = Some(format);
            }
            Some(Sniffed::Format(format)) => return Err(FollowError::NoLines(format)),
            Some(Sniffed::Not(reason, detail)) => return Err(FollowError::NoLog(reason, detail)),
            Some(Sniffed::Empty) | None => {
                if lines.bytes.len() >= DECISIVE_HEAD.min(self.limits.record) {
                    return Err(FollowError::NoLog(Reason::NotAFormat, None));
                }
            }
        }
        Ok(())
    }

    /// Refuses a file that begins like an archive. It may be a single line that never ends, so its end cannot be awaited. A line
    /// of a log that is not complete yet may look like other documents.
    fn refuse_archive(&self) -> Result<(), FollowError> {
        let beginning = Block { bytes: self.cutter.beginning(), start: 0 };
        match (self.choose)(beginning) {
            Some(Sniffed::Format(format))
                if !matches!(format.spec().unit, ReadUnit::Lines | ReadUnit::File) =>
            {
                Err(FollowError::NoLines(format))
            }
            _ => Ok(()),
        }
    }

    /// Hands out the rest of a file. A file in which nothing was written is not one, unless there is no other.
    fn end_file(&mut self, then: FollowStep) {
        let cutter = std::mem::replace(&mut self.cutter, LineCutter::new(self.limits));
        let is_last = matches!(then, FollowStep::End);
        if is_last && let Some(detail) = self.unread_file() {
            self.has_text = true;
            self.steps.push_back(FollowStep::Part(Part::Not(Reason::Unreadable, 0, Some(detail))));
        }
        if cutter.is_untouched() && (!is_last || self.has_text) {
            return if is_last {
                self.steps.push_back(then);
            };
        }
        if let Some(part) = cutter.finish(self.format) {
            self.has_text = true;
            self.steps.push_back(FollowStep::Part(part));
        }
        self.steps.push_back(then);
    }
}

impl LogFollower<'_> {
    /// Says why there is a file, or should be one, that was not read.
    fn unread_file(&self) -> Option<String> {
        let Source::File(file) = &self.source else { return None };
        let missing = file.is_missing().then(|| io::ErrorKind::NotFound.to_string());
        file.trouble().and_then(detail).or(missing)
    }
}

impl Source {
    #[allow(clippy::disallowed_methods, reason = "the path is on the command line")]
    fn open(path: Option<&Path>) -> Result<Self, FollowError> {
        let Some(path) = path else {
            return Ok(Self::stream(Box::new(|| Ok(Box::new(io::stdin()) as Box<dyn Read>))));
        };
        let is_stream = path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir());
        if is_stream {
            let path = path.to_owned();
            let open = move || Ok(Box::new(File::open(path)?) as Box<dyn Read>);
            return Ok(Self::stream(Box::new(open)));
        }
        GrowingFile::open(path).map(Self::File).map_err(FollowError::unreadable)
    }

    fn stream(open: OpenStream) -> Self {
        Self::Stream(ByteStream::start(open))
    }

    fn read(&mut self, text: &mut Vec<u8>, most: usize, is_ending: bool) -> io::Result<Growth> {
        match self {
            Self::File(file) => file.read(text, most, is_ending),
            Self::Stream(stream) => stream.read(text, most, is_ending),
        }
    }
}

impl FollowError {
    #[allow(clippy::needless_pass_by_value, reason = "it maps errors")]
    fn unreadable(error: io::Error) -> Self {
        Self::Unreadable(detail(&error).unwrap_or_default())
    }
}
