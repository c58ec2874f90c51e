//! One TCP connection: its two directions framed into messages, and requests paired with their responses.
//!
//! Responses answer requests in order. If packets are missing, the order is unknown; then a response belongs to
//! the request whose packet acknowledges everything up to the beginning of the response.

use std::collections::VecDeque;

use chrono::{DateTime, Utc};

use super::assembled::{AssembledExchange, AssembledMessage, CaptureRecord, MessageLimits};
use super::http1_direction::{Http1Direction, Http1State, KEPT};
use super::http2::{Http2Connection, PREFACE, are_frames, are_settings};
use super::opaque::{OTHER, Opaque, PROTOCOL_BYTES, name_protocol};
use super::segment::TcpSegment;
use super::stream::{Gap, StreamPiece};
use crate::frame::{
    FrameError, FrameProgress, Framer, MessageFrame, could_begin, false_start, next_start,
};
use crate::message::{asks_for_upgrade, broken, method_of, orphan, status_of};
use sundown_exchange::{Reason, Side, Skip};
use sundown_text_json::text::Span;

/// A TCP connection: two directions, the first of which is that of the peer with the lower address.
#[derive(Debug)]
pub(super) struct Connection {
    halves: [Http1Direction; 2],
    /// The index of the direction with the requests.
    client: Option<usize>,
    pending: VecDeque<PendingRequest>,
    pending_bytes: usize,
    order: Order,
    opaque: Option<Opaque>,
    /// Whether a proxy has connected it to another server, so that it begins again.
    is_tunnel: bool,
    /// The connection after it has changed to HTTP/2.
    http2: Option<Box<Http2Connection>>,
    limits: MessageLimits,
    out: Vec<CaptureRecord>,
    /// Number of the last packet.
    pub last: u64,
}

/// Whether the order of requests and responses is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Nothing is missing since the beginning, if that was seen.
    Unseen,
    /// Nothing is missing since a response that belongs to its request.
    Known,
    /// Something is missing.
    Lost,
}

/// A request that waits for its response.
#[derive(Debug)]
struct PendingRequest {
    request: AssembledMessage,
    /// The sequence number up to which its sender had received responses.
    acknowledged: u32,
    started: Option<DateTime<Utc>>,
}

/// The largest number of bytes that wait for the beginning of a connection.
const MAX_BEFORE: usize = 256 * 1024;

/// The largest number of bytes that wait for missing ones before them: more than a connection has in transit.
const MAX_OUT_OF_ORDER: usize = 4 * 1024 * 1024;

impl Connection {
    pub(super) fn new(limits: MessageLimits) -> Self {
        Self {
            halves: [
                Http1Direction::new(Side::Request),
                Http1Direction::new(Side::Response),
            ],
            client: None,
            pending: VecDeque::new(),
            pending_bytes: 0,
            order: Order::Unseen,
            opaque: None,
            is_tunnel: false,
            http2: None,
            limits,
            out: Vec::new(),
            last: 0,
        }
    }

    /// Finishes the connection and starts a new one between the same peers.
    pub(super) fn restart(&mut self) {
        self.finish();
        let out = self.take_outputs();
        *self = Self {
            out,
            last: self.last,
            ..Self::new(self.limits)
        };
    }

    /// Takes the outputs so far.
    pub(super) fn take_outputs(&mut self) -> Vec<CaptureRecord> {
        std::mem::take(&mut self.out)
    }

    /// The approximate size in bytes of the memory that it allocates.
    pub(super) fn memory_size(&self) -> usize {
        let pending = self.pending_bytes + self.pending.len() * size_of::<PendingRequest>();
        let http2 = self.http2.as_ref().map_or(0, |http2| http2.memory_size());
        self.halves
            .iter()
            .map(|half| half.stream.memory_size())
            .sum::<usize>()
            + pending
            + http2
    }

    /// Adds a segment of the direction `from`, whose data are at `start` in the file. Returns `false` if the segment begins
    /// another connection.
    pub(super) fn take(
        &mut self,
        from: usize,
        segment: &TcpSegment<'_>,
        start: usize,
        time: Option<DateTime<Utc>>,
    ) -> bool {
        let Some(half) = self.halves.get_mut(from) else {
            return true;
        };
        let mut sequence = segment.sequence;
        if segment.flags.begins {
            if !half.stream.begin(sequence) {
                return false;
            }
            sequence = sequence.wrapping_add(1);
            let client = if segment.flags.answers {
                1 - from
            } else {
                from
            };
            self.set_client(client);
        }
        let Some(half) = self.halves.get_mut(from) else {
            return true;
        };
        let at = Span::new(start, start + segment.data.len());
        if let Some(opaque) = &mut self.opaque {
            opaque.take(segment.data);
        } else if !segment.data.is_empty() {
            let piece = StreamPiece::new(segment.data, start, segment.acknowledged, time);
            half.stream.add(sequence, piece);
        }
        if segment.flags.ends {
            half.stream.end(sequence, segment.data.len(), at.end);
        }
        if segment.flags.breaks {
            self.finish();
        } else {
            self.advance();
        }
        true
    }

    fn set_client(&mut self, client: usize) {
        if self.client.is_some() {
            return;
        }
        self.client = Some(client);
        for (index, half) in self.halves.iter_mut().enumerate() {
            let side = if index == client {
                Side::Request
            } else {
                Side::Response
            };
            half.state = Http1State::Message(Framer::new(side));
        }
    }

    fn side(&self, index: usize) -> Side {
        if self.client == Some(index) {
            Side::Request
        } else {
            Side::Response
        }
    }

    /// Reads the complete messages, and gives up gaps for which too many bytes wait.
    fn advance(&mut self) {
        if self
            .halves
            .iter()
            .any(|half| !half.stream.is_open() && half.stream.waiting() > MAX_BEFORE)
        {
            self.open_streams();
        }
        self.work(false);
        for index in 0..self.halves.len() {
            while self
                .halves
                .get(index)
                .is_some_and(|half| half.stream.waiting() > MAX_OUT_OF_ORDER)
            {
                self.skip_gap(index);
                self.work(false);
            }
        }
    }

    /// Reads what is left of a connection that receives no more packets: gaps and incomplete messages are reported.
    pub(super) fn finish(&mut self) {
        self.open_streams();
        self.work(false);
        for index in self.requests_first() {
            while self
                .halves
                .get(index)
                .is_some_and(|half| half.stream.waiting() > 0)
            {
                self.skip_gap(index);
                self.work(false);
            }
        }
        self.work(true);
        self.finish_http2();
        for half in &mut self.halves {
            if let Some(gap) = half
                .stream
                .take_lost_end()
                .filter(|_| self.opaque.is_none())
            {
                self.out.push(CaptureRecord::Skip(lost(gap)));
            }
            half.stream.clear();
        }
        self.release_requests(usize::MAX);
        if let Some(opaque) = self.opaque.as_mut().filter(|opaque| !opaque.is_reported) {
            opaque.is_reported = true;
            let skip = Skip::at(opaque.reason, opaque.at).because(opaque.detail);
            self.out.push(CaptureRecord::Skip(Skip {
                bytes: opaque.bytes,
                ..skip
            }));
        }
    }

    /// The indices of the directions, that of the requests first.
    fn requests_first(&self) -> [usize; 2] {
        if self.client == Some(1) {
            [1, 0]
        } else {
            [0, 1]
        }
    }

    /// Assumes that both directions begin with the first bytes that were captured.
    fn open_streams(&mut self) {
        for half in &mut self.halves {
            if !half.stream.is_open() {
                half.stream.skip_gap();
            }
        }
    }

    /// Reports missing packets, and continues after them.
    fn skip_gap(&mut self, index: usize) {
        self.end_message(index);
        // The message may have changed the protocol.
        if self.http2.is_some() {
            return self.skip_http2_gap(index);
        }
        let Some(half) = self.halves.get_mut(index) else {
            return;
        };
        let Some(gap) = half.stream.skip_gap() else {
            return;
        };
        if self.opaque.is_some() {
            return;
        }
        half.state = Http1State::Searching;
        half.has_spoken = true;
        self.order = Order::Lost;
        self.out.push(CaptureRecord::Skip(lost(gap)));
    }

    /// Ends a message with the bytes that are ready.
    fn end_message(&mut self, index: usize) {
        while self.is_http1() && self.step(index, true) {}
    }

    /// Reads all messages that are ready; `ended` says that no more bytes will come.
    fn work(&mut self, ended: bool) {
        loop {
            if self.opaque.is_none() && self.client.is_none() {
                self.detect_protocol(ended);
            }
            if self.opaque.is_some() {
                return self.discard();
            }
            if self.http2.is_some() {
                return self.read_http2();
            }
            if self.client.is_none() {
                return;
            }
            let mut moved = false;
            for index in self.requests_first() {
                while self.is_http1() && self.step(index, ended) {
                    moved = true;
                }
            }
            if !moved && self.is_http1() {
                return;
            }
        }
    }

    fn is_http1(&self) -> bool {
        self.opaque.is_none() && self.http2.is_none()
    }

    /// Changes to HTTP/2.
    fn begin_http2(&mut self) {
        self.release_requests(usize::MAX);
        self.http2 = Some(Box::new(Http2Connection::new(self.limits)));
    }

    /// Begins again: a proxy passes on all further bytes.
    fn begin_tunnel(&mut self) {
        self.is_tunnel = true;
        for half in &mut self.halves {
            half.has_spoken = false;
        }
    }

    fn read_http2(&mut self) {
        for index in self.requests_first() {
            let side = self.side(index);
            if let (Some(http2), Some(half)) = (&mut self.http2, self.halves.get_mut(index)) {
                http2.read(side, &mut half.stream);
                self.out.extend(http2.take_outputs());
            }
        }
    }

    fn skip_http2_gap(&mut self, index: usize) {
        let side = self.side(index);
        if let (Some(http2), Some(half)) = (&mut self.http2, self.halves.get_mut(index)) {
            let unread = half.stream.ready().len();
            if let Some(gap) = half.stream.skip_gap() {
                http2.lose(side, gap, unread);
            }
        }
    }

    fn finish_http2(&mut self) {
        let sides = [self.side(0), self.side(1)];
        let Some(http2) = &mut self.http2 else { return };
        let [first, second] = &self.halves;
        http2.finish([(sides[0], &first.stream), (sides[1], &second.stream)]);
        self.out.extend(http2.take_outputs());
    }

    /// Discards the bytes of a connection that is no longer read.
    fn discard(&mut self) {
        self.release_requests(usize::MAX);
        let Some(opaque) = &mut self.opaque else {
            return;
        };
        for half in &mut self.halves {
            opaque.take(half.stream.ready());
            opaque.bytes += half.stream.waiting();
            half.stream.clear();
        }
    }

    /// Detects which direction has the requests by its first message, if the capture lacks the beginning of the connection.
    fn detect_protocol(&mut self, ended: bool) {
        for index in 0..2 {
            let Some(half) = self.halves.get_mut(index) else {
                continue;
            };
            half.skip_proxy_header();
            let bytes = half.stream.ready();
            if bytes.starts_with(PREFACE) {
                self.set_client(index);
                return self.begin_http2();
            }
            if are_frames(bytes) {
                let detail = "the capture begins in the midst of an HTTP/2 connection";
                let at = half.stream.span(bytes.len().min(KEPT));
                return self.refuse(Reason::LostPackets, detail, at);
            }
        }
        for index in 0..2 {
            let Some(half) = self.halves.get(index) else {
                continue;
            };
            let bytes = half.stream.ready();
            if next_start(bytes, 0, &[Side::Request]).is_some() {
                return self.set_client(index);
            }
            if next_start(bytes, 0, &[Side::Response]).is_some() {
                return self.set_client(1 - index);
            }
        }
        let Some(half) = self
            .halves
            .iter()
            .find(|half| !half.stream.ready().is_empty())
        else {
            return;
        };
        let bytes = half.stream.ready();
        let (reason, detail) = name_protocol(bytes);
        if ended || bytes.len() > MAX_BEFORE || detail != OTHER {
            self.refuse(reason, detail, half.stream.span(bytes.len()));
        }
    }

    fn refuse(&mut self, reason: Reason, detail: &'static str, at: Span) {
        self.opaque = Some(Opaque {
            reason,
            detail,
            at,
            bytes: 0,
            is_reported: false,
        });
    }

    /// Reads the next message of a direction, or searches for one. Returns `false` if more bytes are needed.
    fn step(&mut self, index: usize, ended: bool) -> bool {
        let side = self.side(index);
        let Some(half) = self.halves.get_mut(index) else {
            return false;
        };
        let is_ended = ended || half.stream.is_ended();
        let is_early = half.skip_proxy_header() && !is_ended || half.stream.ready().is_empty();
        if is_early || side == Side::Response && self.must_wait(index, ended) {
            return false;
        }
        let ended = is_ended;
        let answers = if side == Side::Response {
            self.find_request(index)
        } else {
            None
        };
        let method = answers
            .and_then(|at| self.pending.get(at))
            .and_then(|pending| pending.method())
            .map(str::to_owned);
        let Some(half) = self.halves.get_mut(index) else {
            return false;
        };
        match &mut half.state {
            Http1State::Skipping(rest) => {
                let count = half.stream.ready().len().min(*rest);
                half.stream.skip(count);
                *rest -= count;
                if *rest == 0 {
                    half.state = Http1State::Message(Framer::new(side));
                }
                count > 0
            }
            Http1State::Searching => half.search(side, ended),
            Http1State::Message(framer) => {
                let bytes = half.stream.ready();
                match framer.advance(bytes, method.as_deref(), ended) {
                    FrameProgress::More if bytes.len() > self.limits.message => {
                        let rest = framer.missing(bytes.len());
                        self.skip_oversized(index, rest);
                        true
                    }
                    FrameProgress::More => false,
                    FrameProgress::Done(frame) => {
                        self.message(index, side, frame, answers);
                        true
                    }
                    FrameProgress::Not => self.report_malformed(index, ended),
                }
            }
        }
    }

    /// Whether a response must wait until more of the requests has been read.
    fn must_wait(&self, index: usize, ended: bool) -> bool {
        let (Some(own), Some(other)) = (self.halves.get(index), self.halves.get(1 - index)) else {
            return false;
        };
        if self.find_request(index).is_some() || own.stream.ready().len() > MAX_OUT_OF_ORDER {
            return false;
        }
        let more_may_come = !ended && !other.stream.is_ended();
        let could_be = could_begin(own.stream.ready(), Side::Response) || own.has_spoken;
        let is_late = other.stream.waiting() > 0 || more_may_come && !other.stream.is_open();
        could_be && (is_late || self.is_in_order() && more_may_come)
    }

    /// Whether nothing has been missing so far, so that responses are in the order of their requests.
    fn is_in_order(&self) -> bool {
        match self.order {
            Order::Known => true,
            Order::Lost => false,
            Order::Unseen => self.halves.iter().all(|half| half.stream.has_start()),
        }
    }

    /// Returns the index of the request that the next response of a direction answers.
    fn find_request(&self, index: usize) -> Option<usize> {
        if self.is_in_order() {
            return if self.pending.is_empty() {
                None
            } else {
                Some(0)
            };
        }
        let sequence = self.halves.get(index)?.stream.sequence();
        self.pending
            .iter()
            .position(|pending| pending.acknowledged == sequence)
    }

    /// Reports bytes that are not a message.
    fn report_malformed(&mut self, index: usize, ended: bool) -> bool {
        let side = self.side(index);
        let Some(half) = self.halves.get_mut(index) else {
            return false;
        };
        if begins_http2(side, half) {
            self.begin_http2();
            return true;
        }
        let bytes = half.stream.ready();
        let span = half.stream.span(bytes.len().min(KEPT));
        let (passed, fault) = match &half.state {
            Http1State::Message(framer) => (framer.passed(bytes), framer.fault()),
            _ => (false_start(bytes, side), FrameError::Malformed),
        };
        if half.has_spoken {
            self.out.push(CaptureRecord::Skip(broken(span, fault)));
        } else if half.stream.has_start() || self.is_tunnel {
            if bytes.len() < PROTOCOL_BYTES && !ended {
                return false;
            }
            let (reason, detail) = match name_protocol(bytes) {
                (reason, OTHER) if self.is_tunnel => (reason, "a tunnel through a proxy"),
                named => named,
            };
            self.refuse(reason, detail, span);
            return true;
        } else {
            let detail = "the capture begins in the midst of a connection";
            self.out.push(CaptureRecord::Skip(
                Skip::at(Reason::LostPackets, span).because(detail),
            ));
        }
        half.has_spoken = true;
        half.state = Http1State::Searching;
        half.stream.skip(passed);
        self.order = Order::Lost;
        true
    }

    /// Reports a message that exceeds the limit, and skips the rest of it.
    fn skip_oversized(&mut self, index: usize, rest: Option<usize>) {
        let answered = if self.side(index) == Side::Response {
            self.find_request(index)
        } else {
            None
        };
        let Some(half) = self.halves.get_mut(index) else {
            return;
        };
        let have = half.stream.ready().len();
        let span = half.stream.span(have);
        let bytes = have.saturating_add(rest.unwrap_or_default());
        self.out.push(CaptureRecord::Skip(Skip {
            bytes,
            ..Skip::at(Reason::TooLarge, span)
        }));
        half.stream.skip(have);
        half.has_spoken = true;
        half.state = rest.map_or(Http1State::Searching, Http1State::Skipping);
        // A request that was skipped has a response, too.
        let is_known = answered.is_some() && rest.is_some();
        self.order = if is_known { Order::Known } else { Order::Lost };
        if let Some(at) = answered {
            self.release_requests(at + 1);
        }
    }

    fn message(&mut self, index: usize, side: Side, frame: MessageFrame, answers: Option<usize>) {
        let Some(half) = self.halves.get_mut(index) else {
            return;
        };
        let mark = half.stream.mark();
        let end = frame.end;
        let (bytes, map) = half.stream.take(end);
        half.has_spoken = true;
        half.state = Http1State::Message(Framer::new(side));
        let behind = half.stream.sequence();
        let carried = AssembledMessage {
            section: None,
            bytes,
            map,
            frame,
        };
        match side {
            Side::Request => {
                self.pending_bytes += carried.bytes.len();
                let acknowledged = mark.acknowledged;
                let started = mark.time;
                self.pending.push_back(PendingRequest {
                    request: carried,
                    acknowledged,
                    started,
                });
            }
            Side::Response => self.response(carried, answers, behind),
        }
    }

    fn response(&mut self, response: AssembledMessage, answers: Option<usize>, behind: u32) {
        let Some(at) = answers else {
            return self.out.push(CaptureRecord::Skip(orphan(response.whole())));
        };
        let status = status_of(&response.bytes).unwrap_or_default();
        if (100..=199).contains(&status) && status != 101 {
            // The final response follows.
            if let Some(pending) = self.pending.get_mut(at) {
                pending.acknowledged = behind;
            }
            return;
        }
        self.release_requests(at);
        let Some(pending) = self.pending.pop_front() else {
            return;
        };
        self.pending_bytes -= pending.request.bytes.len();
        if status == 101 && asks_for_upgrade(&pending.request.bytes, "h2c") {
            let PendingRequest {
                request, started, ..
            } = pending;
            let http2 = Http2Connection::upgraded(self.limits, request, started);
            self.release_requests(usize::MAX);
            self.http2 = Some(Box::new(http2));
            return;
        }
        let opaque = match status {
            101 if asks_for_upgrade(&pending.request.bytes, "websocket") => {
                Some((Reason::WebSocket, "a connection that became a WebSocket"))
            }
            101 => Some((Reason::NotHttp, "a connection that was upgraded")),
            _ => None,
        };
        if matches!(status, 200..=299) && pending.method() == Some("CONNECT") {
            self.begin_tunnel();
        }
        let at = response.whole();
        self.out.push(pending.into_record(Some(response)));
        self.order = Order::Known;
        if let Some((reason, detail)) = opaque {
            self.refuse(reason, detail, at);
        }
    }

    /// Passes on the first `count` requests without responses.
    fn release_requests(&mut self, count: usize) {
        for pending in self.pending.drain(..count.min(self.pending.len())) {
            self.pending_bytes -= pending.request.bytes.len();
            self.out.push(pending.into_record(None));
        }
    }
}

impl PendingRequest {
    fn method(&self) -> Option<&str> {
        method_of(&self.request.bytes)
    }

    fn into_record(self, response: Option<AssembledMessage>) -> CaptureRecord {
        let Self {
            request, started, ..
        } = self;
        CaptureRecord::Exchange(Box::new(AssembledExchange {
            request,
            response,
            started,
        }))
    }
}

fn lost(gap: Gap) -> Skip {
    Skip {
        bytes: gap.bytes,
        ..Skip::at(Reason::LostPackets, gap.before)
    }
}

/// Whether bytes that are not a message begin an HTTP/2 connection. A server may send its settings before it has
/// received the preface.
fn begins_http2(side: Side, half: &Http1Direction) -> bool {
    let bytes = half.stream.ready();
    match side {
        Side::Request => PREFACE.starts_with(bytes) || bytes.starts_with(PREFACE),
        Side::Response => !half.has_spoken && half.stream.has_start() && are_settings(bytes),
    }
}
