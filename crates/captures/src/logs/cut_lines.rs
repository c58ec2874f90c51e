//! Lines that a container engine cut into pieces. Docker cuts after 16 KiB: the `log` of a piece has no line feed at its end. The
//! runtimes of CRI (containerd, CRI-O) write `TIME STREAM TAG TEXT`, with the tag `P` for a piece and `F` for the last one.

use std::sync::Arc;

use crate::messages::DecodedText;
use sundown_text_json::json::{Document, MAX_DOCUMENT_DEPTH, is_value, scan};
use sundown_text_json::text::{OffsetMap, Span};

/// The length in bytes below which no engine cuts: CRI-O cuts after 8 KiB, the others after 16.
const SHORTEST_CUT: usize = 8000;

/// The longest line that is joined, in bytes of the file. A block leaves as many to the next one, so its size does not decide what is
/// joined.
const MAX_JOINED_BYTES: usize = 1024 * 1024;

/// A record whose line was cut.
#[derive(Default)]
pub(super) struct Joined {
    text: String,
    /// Maps the text to the file.
    map: OffsetMap,
    /// All its lines.
    whole: Span,
    /// The number of lines after the first.
    pub others: usize,
}

impl Joined {
    /// Joins the pieces of a record that begins in a line and ends in one of those after it; `None` if it was not cut, or has no end.
    /// Lines before `tried` have been looked at in vain: pieces without an end are not joined again from each of them.
    pub(super) fn begin(
        file: &[u8],
        line: Span,
        others: impl Iterator<Item = Span>,
        tried: &mut usize,
    ) -> Option<Self> {
        let is_new = line.start >= *tried;
        let first = Piece::of(file, line).filter(|piece| piece.is_continued && is_new)?;
        let mut joined = Self {
            whole: line,
            ..Self::default()
        };
        joined.add(&first, file)?;
        // Some collectors drop all line feeds.
        let is_whole = || is_value(joined.text.as_bytes(), MAX_DOCUMENT_DEPTH);
        if !joined.text.starts_with('{') || is_whole() {
            return None;
        }
        for line in others {
            *tried = line.end;
            let piece = Piece::of(file, line)?;
            joined.whole.end = line.end;
            joined.others += 1;
            if piece.stream != first.stream || joined.whole.len() > MAX_JOINED_BYTES {
                return None;
            }
            joined.add(&piece, file)?;
            if !piece.is_continued {
                return Some(joined);
            }
        }
        None
    }

    /// The record as a text of its own.
    pub(super) fn source(&self) -> DecodedText<'_> {
        DecodedText {
            text: &self.text,
            whole: self.whole,
            map: Arc::new(self.map.clone()).into(),
        }
    }

    fn add(&mut self, piece: &Piece<'_>, file: &[u8]) -> Option<()> {
        let text = std::str::from_utf8(piece.text.slice(file)).ok()?;
        if piece.is_string {
            let string = Document::parse_json(text, 1).ok()?;
            self.text.push_str(string.root().as_str()?);
            self.map.extend(&string.root().text_map(piece.text.start)?);
        } else {
            self.text.push_str(text);
            self.map.push(text.len(), piece.text);
        }
        Some(())
    }
}

/// Whether a runtime of CRI cut a line and goes on with it in another one.
pub(crate) fn is_piece(line: &[u8]) -> bool {
    let piece = Piece::of(line, Span::new(0, line.len()));
    piece.is_some_and(|piece| piece.is_continued && !piece.is_string)
}

/// Returns where the record begins that may go on after `end`: the first of the lines above it that are pieces of one.
pub(super) fn begin_of_pieces(file: &[u8], end: usize) -> usize {
    let mut begin = end;
    while let Some(above) = file
        .get(..begin)
        .and_then(|lines| lines.strip_suffix(b"\n"))
    {
        let start = memchr::memrchr(b'\n', above).map_or(0, |at| at + 1);
        let piece = Piece::of(file, Span::new(start, above.len()));
        if !piece.is_some_and(|piece| piece.is_continued) {
            break;
        }
        if end - start > MAX_JOINED_BYTES {
            return end;
        }
        begin = start;
    }
    begin
}

/// One of the lines that an engine wrote.
struct Piece<'t> {
    text: Span,
    /// Whether the text is a JSON string.
    is_string: bool,
    /// What all pieces of a line have.
    stream: &'t [u8],
    is_continued: bool,
}

impl<'t> Piece<'t> {
    fn of(file: &'t [u8], line: Span) -> Option<Self> {
        let bytes = line.slice(file);
        if bytes.starts_with(br#"{"log":"#) {
            let mut members = scan::members(bytes, 0).map_while(Result::ok);
            let (log, stream) = (members.next()?.value, members.next()?.value);
            let text = log.slice(bytes);
            return Some(Self {
                text: log.shifted(line.start),
                is_string: true,
                stream: stream.slice(bytes),
                is_continued: text.len() >= SHORTEST_CUT && !text.ends_with(br#"\n""#),
            });
        }
        if !bytes.first()?.is_ascii_digit() {
            return None;
        }
        let head = bytes.get(..bytes.len().min(64))?;
        let mut spaces = memchr::memchr_iter(b' ', head);
        let (time, stream, tag) = (spaces.next()?, spaces.next()?, spaces.next()?);
        let name = bytes.get(time..stream)?;
        let tag_text = bytes.get(stream + 1..tag)?;
        let is_known = [&b" stdout"[..], b" stderr"].contains(&name);
        (is_known && [&b"P"[..], b"F"].contains(&tag_text)).then(|| Self {
            text: Span::new(line.start + tag + 1, line.end),
            is_string: false,
            stream: name,
            is_continued: tag_text == b"P",
        })
    }
}
