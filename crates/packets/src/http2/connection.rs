//! A connection of HTTP/2.

use super::super::assembled::{AssembledMessage, CaptureRecord, MessageLimits};
use super::super::hpack::{HpackDecoder, HpackField};
use super::super::stream::{Gap, Stream};
use super::frame::PREFACE;
use super::frame::{END_HEADERS, END_STREAM, FRAME_HEADER, FrameHeader, FrameKind, stream_id};
use super::stream::Http2Stream;
use crate::field_section::{FieldLine, FieldSection};
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;
use std::ops::Range;
use sundown_exchange::{Reason, Side, Skip};
use sundown_text_json::text::{OffsetMap, Span};

#[derive(Debug)]
pub(crate) struct Http2Connection {
    client: Http2Direction,
    server: Http2Direction,
    streams: BTreeMap<u32, Http2Stream>,
    /// The highest streams that the client and the server have opened. Lower ones that are not in `streams` are closed.
    last_opened: [u32; 2],
    /// The number of bytes of all header blocks, and of the fields that they expanded to.
    header_bytes: [usize; 2],
    /// The memory of all streams.
    memory: usize,
    limits: MessageLimits,
    out: Vec<CaptureRecord>,
}

/// One direction.
#[derive(Debug, Default)]
struct Http2Direction {
    expects_preface: bool,
    decoder: HpackDecoder,
    block: Option<HeaderBlock>,
    /// The reason why its rest is not read.
    stop: Option<DirectionStop>,
}

impl Http2Direction {
    fn memory_size(&self) -> usize {
        let block = self.block.as_ref().map_or(0, |block| block.bytes.len());
        self.decoder.memory_size() + block
    }
}

/// The rest of a direction that is not read.
#[derive(Debug)]
struct DirectionStop {
    skip: Skip,
    is_reported: bool,
}

/// A header block, as far as its frames have been read.
#[derive(Debug)]
struct HeaderBlock {
    /// The stream of its frames.
    frame_stream: u32,
    /// The stream of its message.
    stream: u32,
    side: Side,
    is_last: bool,
    bytes: Vec<u8>,
    map: OffsetMap,
    span: Span,
    started: Option<DateTime<Utc>>,
}

/// A complete frame.
struct Http2Frame<'f> {
    header: FrameHeader,
    payload: &'f [u8],
    /// The map from the payload to the file.
    map: OffsetMap,
    span: Span,
    time: Option<DateTime<Utc>>,
}

/// The reason why a direction cannot be read any further.
type Fault = (Reason, String);

/// The largest header block in bytes, compressed: several times what servers accept.
const MAX_BLOCK: usize = 256 * 1024;

/// The largest header section, counted as in RFC 9113, section 6.5.2.
const MAX_SECTION: usize = 256 * 1024;

/// The size to which the header blocks of a connection may expand together, and the ratio beyond that.
const ALWAYS_ALLOWED: usize = 4 * 1024 * 1024;

const MAX_RATIO: usize = 1024;

/// The largest number of open streams. Servers allow some hundred.
const MAX_STREAMS: usize = 4096;

impl Http2Connection {
    /// Begins with the client's preface.
    pub(crate) fn new(limits: MessageLimits) -> Self {
        Self {
            client: Http2Direction {
                expects_preface: true,
                ..Http2Direction::default()
            },
            server: Http2Direction::default(),
            streams: BTreeMap::new(),
            last_opened: [0, 0],
            header_bytes: [0, 0],
            memory: 0,
            limits,
            out: Vec::new(),
        }
    }

    /// Begins with the response to a request that asked for HTTP/2 in HTTP/1.1 (RFC 7540, section 3.2).
    pub(crate) fn upgraded(
        limits: MessageLimits,
        request: AssembledMessage,
        started: Option<DateTime<Utc>>,
    ) -> Self {
        let mut connection = Self::new(limits);
        let memory = request.bytes.len();
        let mut stream = Http2Stream {
            upgraded: Some(request),
            started,
            memory,
            ..Http2Stream::default()
        };
        stream.request.complete();
        connection.last_opened = [1, 0];
        connection.memory = memory;
        connection.streams.insert(1, stream);
        connection
    }

    /// Takes the outputs so far.
    pub(crate) fn take_outputs(&mut self) -> Vec<CaptureRecord> {
        std::mem::take(&mut self.out)
    }

    /// The approximate size in bytes of the memory that it allocates.
    pub(crate) fn memory_size(&self) -> usize {
        self.memory + self.client.memory_size() + self.server.memory_size()
    }

    fn direction(&self, side: Side) -> &Http2Direction {
        side.of([&self.client, &self.server])
    }

    fn direction_mut(&mut self, side: Side) -> &mut Http2Direction {
        side.of([&mut self.client, &mut self.server])
    }

    /// Reads the complete frames of a direction that are ready.
    pub(crate) fn read(&mut self, side: Side, input: &mut Stream) {
        loop {
            let direction = self.direction_mut(side);
            if direction.stop.is_some() {
                self.count_unread(side, input.ready().len());
                return input.clear_ready();
            }
            let ready = input.ready();
            if direction.expects_preface {
                if ready.len() < PREFACE.len() && PREFACE.starts_with(ready) {
                    return;
                }
                direction.expects_preface = false;
                if ready.starts_with(PREFACE) {
                    input.skip(PREFACE.len());
                } else {
                    self.stop(
                        side,
                        malformed("the client's preface is missing"),
                        input.span(1),
                    );
                }
                continue;
            }
            let Some(header) = FrameHeader::parse(ready) else {
                return;
            };
            if !header.is_valid() {
                let span = input.span(FRAME_HEADER);
                self.stop(
                    side,
                    malformed("there is no frame where one should begin"),
                    span,
                );
                continue;
            }
            let length = FRAME_HEADER + header.length;
            if ready.len() < length {
                return;
            }
            let time = input.mark().time;
            let (bytes, map) = input.take(length);
            let frame = Http2Frame {
                header,
                payload: bytes.get(FRAME_HEADER..).unwrap_or_default(),
                span: map.outer(Span::new(0, length)),
                map: map.part(Span::new(FRAME_HEADER, length)),
                time,
            };
            let unread = length + self.open_block(side);
            if let Err(fault) = self.frame(side, &frame) {
                self.stop(side, fault, frame.span);
                self.count_unread(side, unread);
            }
        }
    }

    /// Stops a direction in which packets are missing. The first `unread` bytes are those of an incomplete frame before them.
    pub(crate) fn lose(&mut self, side: Side, gap: Gap, unread: usize) {
        let detail = "packets are missing, so that the rest of an HTTP/2 connection cannot be read";
        let unread = gap.bytes + unread + self.open_block(side);
        self.stop(side, (Reason::LostPackets, detail.to_owned()), gap.before);
        self.count_unread(side, unread);
    }

    /// The size in bytes of the header block that is still open in a direction.
    fn open_block(&self, side: Side) -> usize {
        self.direction(side)
            .block
            .as_ref()
            .map_or(0, |block| block.bytes.len())
    }

    /// Counts bytes of a direction that were not read because it has stopped.
    fn count_unread(&mut self, side: Side, bytes: usize) {
        if let Some(stop) = &mut self.direction_mut(side).stop {
            stop.skip.bytes += bytes;
        }
    }

    /// Passes on the streams that are still open, and reports incomplete frames and what was not read.
    pub(crate) fn finish(&mut self, inputs: [(Side, &Stream); 2]) {
        for (side, input) in inputs {
            let ready = input.ready();
            let is_of_cut_message = FrameHeader::parse(ready)
                .and_then(|header| self.streams.get(&header.stream))
                .is_some_and(|stream| stream.message(side).is_cut());
            let block = self
                .direction_mut(side)
                .block
                .take()
                .map(|block| block.span);
            let rest = (!ready.is_empty()).then(|| input.span(ready.len()));
            if let Some(span) = rest.or(block).filter(|_| !is_of_cut_message)
                && self.direction(side).stop.is_none()
            {
                self.out
                    .push(CaptureRecord::Skip(Skip::at(Reason::Truncated, span)));
            }
        }
        while let Some((&id, _)) = self.streams.first_key_value() {
            self.close(id);
        }
        for side in Side::BOTH {
            if let Some(stop) = &mut self.direction_mut(side).stop
                && !stop.is_reported
            {
                stop.is_reported = true;
                let skip = stop.skip.clone();
                self.out.push(CaptureRecord::Skip(skip));
            }
        }
    }

    /// Ends a direction at a frame, for a reason. The bytes that are not read are counted as they come.
    fn stop(&mut self, side: Side, (reason, detail): Fault, at: Span) {
        let direction = self.direction_mut(side);
        if direction.stop.is_some() {
            return;
        }
        let skip = Skip {
            bytes: 0,
            ..Skip::at(reason, at)
        }
        .because(detail);
        let stop = DirectionStop {
            skip,
            is_reported: false,
        };
        *direction = Http2Direction {
            stop: Some(stop),
            ..Http2Direction::default()
        };
        // Nothing more will come for streams that wait for this direction alone.
        let ids: Vec<_> = self.streams.keys().copied().collect();
        for id in ids {
            self.close_if_done(id);
        }
    }

    fn frame(&mut self, side: Side, frame: &Http2Frame<'_>) -> Result<(), Fault> {
        let header = frame.header;
        let open = self
            .direction(side)
            .block
            .as_ref()
            .map(|block| block.frame_stream);
        let continues = (header.kind == FrameKind::Continuation).then_some(header.stream);
        if open != continues {
            return Err(malformed("a header block is interrupted by another frame"));
        }
        match header.kind {
            FrameKind::Data => self.data(side, frame),
            FrameKind::Headers => {
                let block = HeaderBlock::of(frame, header.stream, side);
                self.begin_block(side, block, frame, content(frame)?)
            }
            FrameKind::PushPromise => {
                let content = content(frame)?;
                let promised = frame
                    .payload
                    .get(content.clone())
                    .and_then(stream_id)
                    .unwrap_or_default();
                if side == Side::Request || promised == 0 || promised % 2 == 1 {
                    return Err(malformed("a stream is promised that a server cannot open"));
                }
                let block = HeaderBlock::of(frame, promised, Side::Request);
                let block = HeaderBlock {
                    is_last: true,
                    ..block
                };
                self.begin_block(side, block, frame, content.start + 4..content.end)
            }
            FrameKind::Continuation => self.add_to_block(side, frame, 0..frame.payload.len()),
            FrameKind::Reset => {
                if let Some(stream) = self.streams.get_mut(&header.stream) {
                    stream.message_mut(side).abort();
                    stream.is_reset = true;
                    self.close_if_done(header.stream);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn note_opened(&mut self, id: u32) {
        let last = self.last_opened(id);
        *last = id.max(*last);
    }

    /// The last stream that was opened by the side that opens streams like this one.
    fn last_opened(&mut self, id: u32) -> &mut u32 {
        let [by_client, by_server] = &mut self.last_opened;
        if id % 2 == 1 { by_client } else { by_server }
    }

    fn begin_block(
        &mut self,
        side: Side,
        block: HeaderBlock,
        frame: &Http2Frame<'_>,
        content: Range<usize>,
    ) -> Result<(), Fault> {
        self.direction_mut(side).block = Some(block);
        self.add_to_block(side, frame, content)
    }

    /// Adds a part of a header block, and reads the block after its last part.
    fn add_to_block(
        &mut self,
        side: Side,
        frame: &Http2Frame<'_>,
        content: Range<usize>,
    ) -> Result<(), Fault> {
        let direction = self.direction_mut(side);
        let Some(block) = &mut direction.block else {
            return Ok(());
        };
        block
            .bytes
            .extend_from_slice(frame.payload.get(content.clone()).unwrap_or_default());
        block.map.extend(&frame.map.part(content.into()));
        block.span = Span::new(
            block.span.start.min(frame.span.start),
            block.span.end.max(frame.span.end),
        );
        if block.bytes.len() > MAX_BLOCK {
            return Err(malformed("a header block of more than 256 KiB"));
        }
        if !frame.header.has(END_HEADERS) {
            return Ok(());
        }
        let Some(block) = direction.block.take() else {
            return Ok(());
        };
        self.read_block(side, &block)
    }

    /// Decodes a header block, and adds the header section to its message.
    fn read_block(&mut self, sender: Side, block: &HeaderBlock) -> Result<(), Fault> {
        let mut lines = Vec::new();
        let mut size = 0;
        self.direction_mut(sender)
            .decoder
            .decode(&block.bytes, |field| {
                size += field.size();
                if size <= MAX_SECTION {
                    lines.push(block.line(field));
                }
            })
            .map_err(malformed)?;
        self.count_header_bytes(block.bytes.len() + FRAME_HEADER, size)?;
        let Some(stream) = self.stream(block.stream, Some(block))? else {
            return Ok(());
        };
        let message = stream.message_mut(block.side);
        let section = FieldSection {
            lines,
            span: block.span,
        };
        let memory = message.add_section(section, size);
        if size > MAX_SECTION {
            let skip = Skip::at(Reason::BrokenCapture, block.span);
            message.give_up(skip.because("a message whose header fields have more than 256 KiB"));
        }
        if block.is_last {
            message.complete();
        }
        if block.side == Side::Request
            && let Some((reason, detail)) = stream.tunnel()
        {
            for side in Side::BOTH {
                let skip = Skip::at(reason, block.span).because(detail);
                let count = usize::from(side == Side::Request);
                stream.message_mut(side).give_up(Skip {
                    count,
                    bytes: 0,
                    ..skip
                });
            }
        }
        stream.memory += memory;
        self.memory += memory;
        self.close_if_done(block.stream);
        Ok(())
    }

    /// Counts a header block, which may be much shorter than the fields that it refers to.
    fn count_header_bytes(&mut self, coded: usize, decoded: usize) -> Result<(), Fault> {
        let [all_coded, all_decoded] = &mut self.header_bytes;
        *all_coded += coded;
        *all_decoded += decoded;
        let most = all_coded.saturating_mul(MAX_RATIO).max(ALWAYS_ALLOWED);
        if *all_decoded > self.limits.expansion.times(most) {
            return Err((
                Reason::ExpandsTooFar,
                "the header blocks of a connection".to_owned(),
            ));
        }
        Ok(())
    }

    fn data(&mut self, side: Side, frame: &Http2Frame<'_>) -> Result<(), Fault> {
        let content = content(frame)?;
        let id = frame.header.stream;
        let most_message = self.limits.message;
        let Some(stream) = self.stream(id, None)? else {
            return Ok(());
        };
        let message = stream.message_mut(side);
        if !message.has_section() {
            return Err(malformed(
                "the content of a message comes before its header fields",
            ));
        }
        let data = frame.payload.get(content.clone()).unwrap_or_default();
        let memory = message.add_data(data, &frame.map.part(content.into()), frame.span);
        if message.body_len() > most_message {
            message.give_up(Skip {
                bytes: 0,
                ..Skip::at(Reason::TooLarge, frame.span)
            });
        }
        if frame.header.has(END_STREAM) {
            message.complete();
        }
        stream.memory += memory;
        self.memory += memory;
        self.close_if_done(id);
        Ok(())
    }

    /// Returns a stream, which a header block opens if it is new; `None` if it is closed.
    fn stream(
        &mut self,
        id: u32,
        block: Option<&HeaderBlock>,
    ) -> Result<Option<&mut Http2Stream>, Fault> {
        if !self.streams.contains_key(&id) {
            if id <= *self.last_opened(id) {
                return Ok(None);
            }
            let started = block.and_then(|block| block.started);
            // A response may be captured before its request, and before the requests of other streams.
            if block.is_some_and(|block| block.side == Side::Request) {
                self.note_opened(id);
            }
            if self.streams.len() >= MAX_STREAMS {
                self.close_aborted();
            }
            if self.streams.len() >= MAX_STREAMS {
                return Err(malformed("a connection with more than 4096 open streams"));
            }
            self.streams.insert(
                id,
                Http2Stream {
                    started,
                    ..Http2Stream::default()
                },
            );
        }
        Ok(self.streams.get_mut(&id))
    }

    /// Closes the streams that one of both has aborted. The other may have sent more before it knew.
    fn close_aborted(&mut self) {
        let ids: Vec<_> = self
            .streams
            .iter()
            .filter(|(_, stream)| stream.is_reset)
            .map(|(&id, _)| id)
            .collect();
        for id in ids {
            self.close(id);
        }
    }

    fn close_if_done(&mut self, id: u32) {
        let Some(stream) = self.streams.get(&id) else {
            return;
        };
        if Side::BOTH
            .into_iter()
            .all(|side| stream.message(side).is_ended() || self.direction(side).stop.is_some())
        {
            self.close(id);
        }
    }

    /// Passes on a stream.
    fn close(&mut self, id: u32) {
        let Some(stream) = self.streams.remove(&id) else {
            return;
        };
        self.note_opened(id);
        self.memory = self.memory.saturating_sub(stream.memory);
        stream.into_records(&mut self.out);
    }
}

impl HeaderBlock {
    /// Begins the block of a message at its first frame.
    fn of(frame: &Http2Frame<'_>, stream: u32, side: Side) -> Self {
        Self {
            frame_stream: frame.header.stream,
            stream,
            side,
            is_last: frame.header.has(END_STREAM),
            bytes: Vec::new(),
            map: OffsetMap::default(),
            span: frame.span,
            started: frame.time,
        }
    }

    /// A field with its positions in the file.
    fn line(&self, field: HpackField) -> FieldLine {
        FieldLine {
            name_span: self.map.outer(field.name_span),
            value_span: self.map.outer(field.value_span),
            name: field.name,
            value: field.value,
        }
    }
}

/// The position of the content in the payload of a frame.
fn content(frame: &Http2Frame<'_>) -> Result<Range<usize>, Fault> {
    frame
        .header
        .content(frame.payload)
        .ok_or_else(|| malformed("a frame is shorter than its padding"))
}

fn malformed(detail: &str) -> Fault {
    (Reason::BrokenCapture, detail.to_owned())
}
