//! One TCP connection: its two directions framed into messages, and requests paired with their responses.
//!
//! Responses answer requests in order. If packets are missing, the order is not known any more. Then a response answers
//! the request whose packet acknowledges everything up to the beginning of the response.

use std::collections::VecDeque;

use chrono::{DateTime, Utc};

use super::half::{Half, HalfState, KEPT};
use super::opaque::{ENOUGH, OTHER, Opaque, what_else};
use super::segment::TcpSegment;
use super::stream::{Gap, StreamPiece};
use super::{AssembledExchange, AssembledMessage, CaptureRecord};
use crate::formats::wire::frame::{
    FrameError, FrameProgress, Framer, MessageFrame, could_begin, false_start, next_start,
};
use crate::formats::wire::message::{asks_for_websocket, broken, method_of, orphan, status_of};
use crate::text::Span;
use crate::traffic::{Reason, Side, Skip};

/// A connection, from the peer that was seen first to the other.
#[derive(Debug)]
pub(super) struct Connection {
    halves: [Half; 2],
    /// Which of them sends requests.
    client: Option<usize>,
    asked: VecDeque<Asked>,
    asked_bytes: usize,
    order: Order,
    opaque: Option<Opaque>,
    /// The largest message in bytes.
    most_message: usize,
    out: Vec<CaptureRecord>,
    /// Number of the last packet.
    pub(super) last: u64,
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
struct Asked {
    request: AssembledMessage,
    /// Up to where its sender had received responses.
    acknowledged: u32,
    started: Option<DateTime<Utc>>,
}

/// The largest number of bytes that wait for the beginning of a connection.
const MOST_BEFORE: usize = 256 * 1024;

/// The largest number of bytes that wait for missing ones before them: more than a connection has in flight.
const MOST_BEHIND: usize = 4 * 1024 * 1024;

impl Connection {
    pub(super) fn new(most_message: usize) -> Self {
        Self {
            halves: [Half::new(Side::Request), Half::new(Side::Response)],
            client: None,
            asked: VecDeque::new(),
            asked_bytes: 0,
            order: Order::Unseen,
            opaque: None,
            most_message,
            out: Vec::new(),
            last: 0,
        }
    }

    /// Ends it, and begins another between the same peers.
    pub(super) fn restart(&mut self) {
        self.finish();
        let out = self.take_outputs();
        *self = Self { out, last: self.last, ..Self::new(self.most_message) };
    }

    /// Takes the outputs so far.
    pub(super) fn take_outputs(&mut self) -> Vec<CaptureRecord> {
        std::mem::take(&mut self.out)
    }

    /// About how many bytes of memory it takes beside itself.
    pub(super) fn held(&self) -> usize {
        let asked = self.asked_bytes + self.asked.len() * size_of::<Asked>();
        self.halves.iter().map(|half| half.stream.held()).sum::<usize>() + asked
    }

    /// Adds a segment of the direction `from`, with its data at `start` of the file. Returns `false` if it begins
    /// another connection.
    pub(super) fn take(
        &mut self,
        from: usize,
        segment: &TcpSegment<'_>,
        start: usize,
        time: Option<DateTime<Utc>>,
    ) -> bool {
        let Some(half) = self.halves.get_mut(from) else { return true };
        let mut sequence = segment.sequence;
        if segment.flags.begins {
            if !half.stream.begin(sequence) {
                return false;
            }
            sequence = sequence.wrapping_add(1);
            let client = if segment.flags.answers { 1 - from } else { from };
            self.be_client(client);
        }
        let Some(half) = self.halves.get_mut(from) else { return true };
        let at = Span::new(start, start + segment.data.len());
        if let Some(opaque) = &mut self.opaque {
            opaque.bytes += segment.data.len();
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
            self.go_on();
        }
        true
    }

    fn be_client(&mut self, client: usize) {
        if self.client.is_some() {
            return;
        }
        self.client = Some(client);
        for (index, half) in self.halves.iter_mut().enumerate() {
            let side = if index == client { Side::Request } else { Side::Response };
            half.state = HalfState::Message(Framer::new(side));
        }
    }

    fn side(&self, index: usize) -> Side {
        if self.client == Some(index) { Side::Request } else { Side::Response }
    }

    /// Does what can be done with what is there.
    fn go_on(&mut self) {
        let is_late = |half: &Half| !half.stream.is_open() && half.stream.waiting() > MOST_BEFORE;
        if self.halves.iter().any(is_late) {
            self.open();
        }
        self.work(false);
        for index in 0..self.halves.len() {
            while self.halves.get(index).is_some_and(|half| half.stream.waiting() > MOST_BEHIND) {
                self.skip_gap(index);
                self.work(false);
            }
        }
    }

    /// All that will come has come: what is missing is missing, and what is cut is cut.
    pub(super) fn finish(&mut self) {
        self.open();
        self.work(false);
        for index in self.in_turn() {
            while self.halves.get(index).is_some_and(|half| half.stream.waiting() > 0) {
                self.skip_gap(index);
                self.work(false);
            }
        }
        self.work(true);
        for half in &mut self.halves {
            if let Some(gap) = half.stream.take_lost_end().filter(|_| self.opaque.is_none()) {
                self.out.push(CaptureRecord::Skip(lost(gap)));
            }
            half.stream.drop_all();
        }
        self.unanswered(usize::MAX);
        if let Some(opaque) = self.opaque.as_mut().filter(|opaque| !opaque.is_told) {
            opaque.is_told = true;
            let skip = Skip::at(opaque.reason, opaque.at).because(opaque.detail);
            self.out.push(CaptureRecord::Skip(Skip { bytes: opaque.bytes, ..skip }));
        }
    }

    /// The directions, that of the requests first.
    fn in_turn(&self) -> [usize; 2] {
        if self.client == Some(1) { [1, 0] } else { [0, 1] }
    }

    /// Takes it that what has come first is where both directions begin.
    fn open(&mut self) {
        for half in &mut self.halves {
            if !half.stream.is_open() {
                half.stream.give_up();
            }
        }
    }

    /// Reports that packets are missing, and continues after them.
    fn skip_gap(&mut self, index: usize) {
        self.end_message(index);
        let Some(half) = self.halves.get_mut(index) else { return };
        let Some(gap) = half.stream.give_up() else { return };
        if self.opaque.is_some() {
            return;
        }
        half.state = HalfState::Searching;
        half.has_spoken = true;
        self.order = Order::Lost;
        self.out.push(CaptureRecord::Skip(lost(gap)));
    }

    /// The bytes of a message that are ready are all of it.
    fn end_message(&mut self, index: usize) {
        while self.step(index, true) {}
    }

    /// Frames messages as long as there are any; `ended` says that nothing more will come.
    fn work(&mut self, ended: bool) {
        loop {
            if self.opaque.is_none() && self.client.is_none() {
                self.detect_protocol(ended);
            }
            if self.opaque.is_some() {
                return self.be_opaque();
            }
            if self.client.is_none() {
                return;
            }
            let mut moved = false;
            for index in self.in_turn() {
                while self.opaque.is_none() && self.step(index, ended) {
                    moved = true;
                }
            }
            if !moved && self.opaque.is_none() {
                return;
            }
        }
    }

    /// Nothing of it is read any more.
    fn be_opaque(&mut self) {
        self.unanswered(usize::MAX);
        let Some(opaque) = &mut self.opaque else { return };
        for half in &mut self.halves {
            opaque.bytes += half.stream.ready().len() + half.stream.waiting();
            half.stream.drop_all();
        }
    }

    /// Finds out by what was said first who asks, where the beginning was not seen.
    fn detect_protocol(&mut self, ended: bool) {
        for index in 0..2 {
            let Some(half) = self.halves.get(index) else { continue };
            let bytes = half.stream.ready();
            if next_start(bytes, 0, &[Side::Request]).is_some() {
                return self.be_client(index);
            }
            if next_start(bytes, 0, &[Side::Response]).is_some() {
                return self.be_client(1 - index);
            }
        }
        let Some(half) = self.halves.iter().find(|half| !half.stream.ready().is_empty()) else {
            return;
        };
        let bytes = half.stream.ready();
        if ended || bytes.len() > MOST_BEFORE || what_else(bytes) != OTHER {
            self.refuse(what_else(bytes), half.stream.span(bytes.len()));
        }
    }

    fn refuse(&mut self, detail: &'static str, at: Span) {
        self.opaque =
            Some(Opaque { reason: Reason::NotHttp, detail, at, bytes: 0, is_told: false });
    }

    /// Takes the next message of a direction, or looks for one; `false` where nothing can be done.
    fn step(&mut self, index: usize, ended: bool) -> bool {
        let side = self.side(index);
        let Some(half) = self.halves.get(index) else { return false };
        let is_empty = half.stream.ready().is_empty();
        if is_empty || side == Side::Response && self.waits(index, ended) {
            return false;
        }
        let ended = ended || half.stream.is_ended();
        let answers = if side == Side::Response { self.answered(index) } else { None };
        let method = answers.and_then(|at| self.asked.get(at)).and_then(|asked| asked.method());
        let method = method.map(str::to_owned);
        let Some(half) = self.halves.get_mut(index) else { return false };
        match &mut half.state {
            HalfState::Passing(rest) => {
                let count = half.stream.ready().len().min(*rest);
                half.stream.pass(count);
                *rest -= count;
                if *rest == 0 {
                    half.state = HalfState::Message(Framer::new(side));
                }
                count > 0
            }
            HalfState::Searching => half.search(side, ended),
            HalfState::Message(framer) => {
                let bytes = half.stream.ready();
                match framer.advance(bytes, method.as_deref(), ended) {
                    FrameProgress::More if bytes.len() > self.most_message => {
                        let rest = framer.missing(bytes.len());
                        self.pass_over(index, rest);
                        true
                    }
                    FrameProgress::More => false,
                    FrameProgress::Done(frame) => {
                        self.message(index, side, frame, answers);
                        true
                    }
                    FrameProgress::Not => self.no_message(index, ended),
                }
            }
        }
    }

    /// Returns whether a response has to wait until more of the requests is known.
    fn waits(&self, index: usize, ended: bool) -> bool {
        let (Some(own), Some(other)) = (self.halves.get(index), self.halves.get(1 - index)) else {
            return false;
        };
        if self.answered(index).is_some() || own.stream.ready().len() > MOST_BEHIND {
            return false;
        }
        let more_may_come = !ended && !other.stream.is_ended();
        let could_be = could_begin(own.stream.ready(), Side::Response) || own.has_spoken;
        let is_late = other.stream.waiting() > 0 || more_may_come && !other.stream.is_open();
        could_be && (is_late || self.in_order() && more_may_come)
    }

    /// Whether nothing has been missing so far.
    fn in_order(&self) -> bool {
        match self.order {
            Order::Known => true,
            Order::Lost => false,
            Order::Unseen => self.halves.iter().all(|half| half.stream.has_start()),
        }
    }

    /// Which request the next response of a direction answers.
    fn answered(&self, index: usize) -> Option<usize> {
        if self.in_order() {
            return if self.asked.is_empty() { None } else { Some(0) };
        }
        let sequence = self.halves.get(index)?.stream.sequence();
        self.asked.iter().position(|asked| asked.acknowledged == sequence)
    }

    /// Reports text that is not a message.
    fn no_message(&mut self, index: usize, ended: bool) -> bool {
        let side = self.side(index);
        let Some(half) = self.halves.get_mut(index) else { return false };
        let bytes = half.stream.ready();
        let span = half.stream.span(bytes.len().min(KEPT));
        let (passed, fault) = match &half.state {
            HalfState::Message(framer) => (framer.passed(bytes), framer.fault()),
            _ => (false_start(bytes, side), FrameError::Malformed),
        };
        if half.has_spoken {
            self.out.push(CaptureRecord::Skip(broken(span, fault)));
        } else if half.stream.has_start() {
            if bytes.len() < ENOUGH && !ended {
                return false;
            }
            let detail = what_else(bytes);
            self.refuse(detail, span);
            return true;
        } else {
            let detail = "the capture begins in the midst of a connection";
            self.out.push(CaptureRecord::Skip(Skip::at(Reason::LostPackets, span).because(detail)));
        }
        half.has_spoken = true;
        half.state = HalfState::Searching;
        half.stream.pass(passed);
        self.order = Order::Lost;
        true
    }

    /// A message that is larger than is kept.
    fn pass_over(&mut self, index: usize, rest: Option<usize>) {
        let answered = if self.side(index) == Side::Response { self.answered(index) } else { None };
        let Some(half) = self.halves.get_mut(index) else { return };
        let have = half.stream.ready().len();
        let span = half.stream.span(have);
        let bytes = have.saturating_add(rest.unwrap_or_default());
        self.out.push(CaptureRecord::Skip(Skip { bytes, ..Skip::at(Reason::TooLarge, span) }));
        half.stream.pass(have);
        half.has_spoken = true;
        half.state = rest.map_or(HalfState::Searching, HalfState::Passing);
        // A request that is passed over is answered all the same.
        let is_known = answered.is_some() && rest.is_some();
        self.order = if is_known { Order::Known } else { Order::Lost };
        if let Some(at) = answered {
            self.unanswered(at + 1);
        }
    }

    fn message(&mut self, index: usize, side: Side, frame: MessageFrame, answers: Option<usize>) {
        let Some(half) = self.halves.get_mut(index) else { return };
        let mark = half.stream.mark();
        let end = frame.end;
        let (bytes, map) = half.stream.take(end);
        half.has_spoken = true;
        half.state = HalfState::Message(Framer::new(side));
        let behind = half.stream.sequence();
        let carried = AssembledMessage { bytes, map, frame };
        match side {
            Side::Request => {
                self.asked_bytes += carried.bytes.len();
                let (acknowledged, started) = (mark.acknowledged, mark.time);
                self.asked.push_back(Asked { request: carried, acknowledged, started });
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
            // The answer itself is still to come.
            if let Some(asked) = self.asked.get_mut(at) {
                asked.acknowledged = behind;
            }
            return;
        }
        self.unanswered(at);
        let Some(asked) = self.asked.pop_front() else { return };
        self.asked_bytes -= asked.request.bytes.len();
        let method = asked.method();
        let opaque = match status {
            101 if asks_for_websocket(&asked.request.bytes) => {
                Some((Reason::WebSocket, "a connection that became a WebSocket"))
            }
            101 => Some((Reason::NotHttp, "a connection that was upgraded")),
            200..=299 if method == Some("CONNECT") => {
                Some((Reason::NotHttp, "a tunnel through a proxy"))
            }
            _ => None,
        };
        let at = response.whole();
        self.out.push(asked.answered(Some(response)));
        self.order = Order::Known;
        if let Some((reason, detail)) = opaque {
            self.opaque = Some(Opaque { reason, detail, at, bytes: 0, is_told: false });
        }
    }

    /// Hands the first requests on without a response.
    fn unanswered(&mut self, count: usize) {
        for asked in self.asked.drain(..count.min(self.asked.len())) {
            self.asked_bytes -= asked.request.bytes.len();
            self.out.push(asked.answered(None));
        }
    }
}

impl Asked {
    fn method(&self) -> Option<&str> {
        method_of(&self.request.bytes)
    }

    fn answered(self, response: Option<AssembledMessage>) -> CaptureRecord {
        let Self { request, started, .. } = self;
        CaptureRecord::Exchange(Box::new(AssembledExchange { request, response, started }))
    }
}

fn lost(gap: Gap) -> Skip {
    Skip { bytes: gap.bytes, ..Skip::at(Reason::LostPackets, gap.before) }
}
