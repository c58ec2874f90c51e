//! Reads the records that are cut out of a list, each by itself, so that a broken one hides no other and a large file is never in
//! memory as a tree.

use super::chunker::{ReadOptions, Records};
use super::list_cutter::{ListCutter, ListPiece, RecordList, pieces_of_broken};
use crate::documents::mended;
use crate::records::{Parts, emit_part};
use crate::shapes::Logs;
use sundown_exchange::{CallRecord, Reason, RecordPlace, RecordSink, Skip};
use sundown_text_json::Limits;
use sundown_text_json::json::{Document, Node, SyntaxError, find_error};
use sundown_text_json::text::{Block, Span};

/// Turns a record into exchanges, whose number is filled in later, or what is reported of it.
pub(crate) type Make<'m, 'a> = &'m dyn Fn(Node<'_>, RecordPlace<'a>) -> Parts<'a>;

/// Reads a record from its number on. Returns for how many records it counts, or the error that breaks it.
type ReadPiece<'m> =
    &'m mut dyn FnMut(Span, usize, &mut dyn RecordSink) -> Result<usize, SyntaxError>;

/// Reads the records among pieces of a text with `read`, and reports faults. In a broken piece, whole records are searched. Returns the
/// number of records.
fn read_pieces(
    pieces: &[ListPiece],
    bytes: &[u8],
    list: &RecordList<'_>,
    options: &ReadOptions<'_>,
    sink: &mut dyn RecordSink,
    read: ReadPiece<'_>,
) -> usize {
    let mut index = 0;
    let mut broken = Vec::new();
    let mut pieces = pieces.iter().cloned();
    while let Some(piece) = broken.pop().or_else(|| pieces.next()) {
        let record = match piece {
            ListPiece::Record(record) => record,
            ListPiece::Other(value) => {
                // It must be JSON all the same.
                if let Some(error) = find_error(value.slice(bytes), options.limits.depth) {
                    sink.skip(Skip::broken(error, value));
                }
                continue;
            }
            ListPiece::Fault(skip, numbered) => {
                index += numbered;
                sink.skip(skip);
                continue;
            }
        };
        match read(record, index, sink) {
            Ok(numbered) => index += numbered,
            Err(error) => {
                let within = pieces_of_broken(bytes, record, error, list, options);
                broken.extend(within.into_iter().rev());
            }
        }
    }
    index
}

/// Reads a record of a text as [`ReadPiece`] does.
type ReadRecord =
    fn(&[u8], &ReadOptions<'_>, Span, usize, &mut dyn RecordSink) -> Result<usize, SyntaxError>;

/// The records of a block, and what is between them.
#[derive(Debug)]
pub(crate) struct ListRecords {
    pub pieces: Vec<ListPiece>,
    pub list: RecordList<'static>,
    pub read: ReadRecord,
}

impl Records for ListRecords {
    fn read(
        &self,
        block: Block<'_>,
        options: &ReadOptions<'_>,
        sink: &mut dyn RecordSink,
    ) -> usize {
        let bytes = block.bytes;
        read_pieces(
            &self.pieces,
            bytes,
            &self.list,
            options,
            sink,
            &mut |record, index, sink| (self.read)(bytes, options, record, index, sink),
        )
    }
}

impl RecordList<'_> {
    /// Reads the records of a whole file.
    pub(crate) fn read<'a>(
        self,
        file: Block<'a>,
        limits: Limits,
        make: Make<'_, 'a>,
        sink: &mut dyn RecordSink,
    ) {
        let bytes = file.bytes;
        let logs = Logs::default();
        let options = ReadOptions {
            limits,
            ..ReadOptions::new(&logs)
        };
        let (mut pieces, _) = ListCutter::new(self, limits).pieces(file, true, &logs);
        let cut_off = match pieces.last() {
            Some(ListPiece::Fault(skip, 0)) if skip.reason == Reason::Truncated => skip.span,
            _ => None,
        };
        let cut_off = cut_off.filter(|rest| rest.slice(bytes).starts_with(b"{"));
        pieces.pop_if(|_| cut_off.is_some());
        let index = read_pieces(
            &pieces,
            bytes,
            &self,
            &options,
            sink,
            &mut |record, index, sink| {
                let document = Document::parse_json(record.slice(bytes), limits.depth)?;
                let start = record.start;
                let place = RecordPlace { file: bytes, start };
                let mut parts = make(document.root(), place);
                if parts.is_empty() {
                    parts.push(Err(Skip::at(Reason::NoExchange, record)));
                }
                let messages = messages_of(document.root(), place);
                let new = parts
                    .iter_mut()
                    .flatten()
                    .filter(|part| part.record.is_none());
                for exchange in new {
                    exchange.record = Some(CallRecord::new(bytes, messages));
                    exchange.extent = Some(messages);
                }
                for part in parts {
                    emit_part(part, index, sink);
                }
                Ok(1)
            },
        );
        for part in cut_off.map_or_else(Vec::new, |rest| present(bytes, rest, limits, make)) {
            emit_part(part, index, sink);
        }
    }
}

/// The part of a record with its messages, if they have their usual names: what is around them describes the record.
fn messages_of(record: Node<'_>, place: RecordPlace<'_>) -> Span {
    let messages = ["request", "response"].map(|name| record.get(name));
    let spans = messages.into_iter().flatten().map(Node::span);
    let joined =
        spans.reduce(|one, other| Span::new(one.start.min(other.start), one.end.max(other.end)));
    place.span(joined.unwrap_or(record.span()))
}

/// Reports a record that the file cuts off, and reads its present part if that is enough to know the call.
fn present<'a>(bytes: &'a [u8], rest: Span, limits: Limits, make: Make<'_, 'a>) -> Parts<'a> {
    let Some((skip, document)) = mended(bytes, rest, limits) else {
        return vec![Err(Skip::at(Reason::Truncated, rest))];
    };
    let start = rest.start;
    let place = RecordPlace { file: bytes, start };
    let mut parts = vec![Err(skip)];
    if let Some(document) = document {
        let known = make(document.root(), place).into_iter();
        parts.extend(known.filter(|part| {
            part.as_ref()
                .is_ok_and(|exchange| exchange.call.method.is_some())
        }));
    }
    parts
}
