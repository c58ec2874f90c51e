//! Assembles exchanges from packets.

use super::assembled::{AssembledMessage, CaptureRecord, MessageLimits, Output};
use super::connection::Connection;
use super::message;
use super::opaque::has_request;
use super::packets::{Packet, PacketStep, Packets};
use super::segment::{PacketContent, TcpSegment, UnreadPacket, WITHOUT_TCP};
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use sundown_exchange::RecordSink;
use sundown_exchange::{Reason, Skip};
use sundown_text_json::text::{ExpansionFactor, Span};

/// Reassembles exchanges while a file is being read.
#[derive(Debug)]
pub struct Assembler {
    packets: Packets,
    connections: HashMap<[SocketAddr; 2], Connection>,
    /// The approximate size in bytes of the memory that the connections allocate.
    held: usize,
    /// The number of packets.
    number: u64,
    /// The offset in the file up to which packets have been processed.
    at: usize,
    limits: MessageLimits,
    /// Packets that are not read, by what they are: the first of them, and their bytes.
    unread: BTreeMap<UnreadPacket, (Span, usize)>,
    /// Whether there has been any output, including skips.
    has_reported: bool,
    is_broken: bool,
    out: Vec<CaptureRecord>,
}

/// The largest number of connections.
const MAX_CONNECTIONS: usize = 65_536;

/// The largest total of bytes that they hold.
const MAX_HELD: usize = 64 * 1024 * 1024;

/// The share of a record's limit that a message may have: many connections may be within a message.
const SHARE: usize = 16;

/// Reads the assembled messages, and returns the number of exchanges.
pub fn read_outputs(outputs: &[Output], sink: &mut dyn RecordSink) -> usize {
    let mut index = 0;
    for Output(outcome) in outputs {
        match outcome {
            CaptureRecord::Skip(skip) => sink.skip(skip.clone()),
            CaptureRecord::Exchange(pair) => {
                let response = pair.response.as_ref().map(AssembledMessage::run);
                let pair = message::WireExchange {
                    request: pair.request.run(),
                    response,
                    started: pair.started,
                };
                pair.read(index, sink);
                index += 1;
            }
        }
    }
    index
}

impl Assembler {
    /// Creates one for files whose records may have so many bytes, and expand as much when they are decompressed.
    pub fn new(record: usize, expansion: ExpansionFactor) -> Self {
        Self {
            packets: Packets::default(),
            connections: HashMap::new(),
            held: 0,
            number: 0,
            at: 0,
            limits: MessageLimits {
                message: (record / SHARE).max(1),
                expansion,
            },
            unread: BTreeMap::new(),
            has_reported: false,
            is_broken: false,
            out: Vec::new(),
        }
    }

    /// Processes the complete packets of `bytes`, which begin after those of the last call, and returns their length.
    /// `all` says that nothing follows.
    pub fn take(&mut self, bytes: &[u8], all: bool) -> usize {
        let mut done = 0;
        while !self.is_broken {
            let rest = bytes.get(done..).unwrap_or_default();
            let length = match self.packets.step(rest) {
                PacketStep::Packet(packet, length) => {
                    self.packet(&packet, length);
                    length
                }
                PacketStep::NoPacket(length) => length,
                PacketStep::Unread(length) => {
                    let block = Span::new(self.at, self.at + length);
                    self.count_unread(WITHOUT_TCP, block);
                    length
                }
                PacketStep::Fault(length, detail) => {
                    let block = Span::new(self.at, self.at + length);
                    self.report(Skip::at(Reason::BrokenCapture, block).because(detail));
                    length
                }
                PacketStep::More => break,
                PacketStep::Broken(detail) => {
                    self.is_broken = true;
                    let rest = Span::new(self.at, self.at + rest.len());
                    self.report(Skip::at(Reason::BrokenCapture, rest).because(detail));
                    break;
                }
            };
            done += length;
            self.at += length;
        }
        if self.is_broken {
            self.at += bytes.len() - done;
            done = bytes.len();
        }
        if all {
            self.finish(bytes.len() - done);
            return bytes.len();
        }
        done
    }

    /// Takes the outputs so far.
    pub fn outputs(&mut self) -> Vec<Output> {
        std::mem::take(&mut self.out)
            .into_iter()
            .map(Output)
            .collect()
    }

    fn report(&mut self, skip: Skip) {
        self.has_reported = true;
        self.out.push(CaptureRecord::Skip(skip));
    }

    fn count_unread(&mut self, kind: UnreadPacket, packet: Span) {
        let (_, bytes) = self.unread.entry(kind).or_insert((packet, 0));
        *bytes += packet.len();
    }

    fn packet(&mut self, packet: &Packet<'_>, length: usize) {
        self.number += 1;
        let span = Span::new(self.at, self.at + length);
        match super::segment::segment(packet.link, packet.data) {
            PacketContent::Tcp(segment) => {
                let inside = segment
                    .data
                    .as_ptr()
                    .addr()
                    .saturating_sub(packet.data.as_ptr().addr());
                let start = self.at + packet.start + inside.min(packet.data.len());
                self.segment(&segment, start, packet.time);
            }
            PacketContent::Fragment => self.report(
                Skip::at(Reason::LostPackets, span).because("IP fragments are not reassembled"),
            ),
            PacketContent::Unread((Reason::NotHttp, _)) if has_request(packet.data) => {
                self.count_unread((Reason::UnreadPackets, "HTTP without TCP".into()), span);
            }
            PacketContent::Unread(kind) => self.count_unread(kind, span),
        }
    }

    fn segment(&mut self, segment: &TcpSegment<'_>, start: usize, time: Option<DateTime<Utc>>) {
        let (from, key) = if segment.from <= segment.to {
            (0, [segment.from, segment.to])
        } else {
            (1, [segment.to, segment.from])
        };
        let limits = self.limits;
        let connection = self
            .connections
            .entry(key)
            .or_insert_with(|| Connection::new(limits));
        let before = connection.memory_size();
        connection.last = self.number;
        if !connection.take(from, segment, start, time) {
            connection.restart();
            connection.take(from, segment, start, time);
        }
        self.held = (self.held + connection.memory_size()).saturating_sub(before);
        let out = connection.take_outputs();
        self.put(out);
        if self.held > MAX_HELD || self.connections.len() > MAX_CONNECTIONS {
            self.make_room();
        }
    }

    fn put(&mut self, out: Vec<CaptureRecord>) {
        self.has_reported |= !out.is_empty();
        self.out.extend(out);
    }

    /// Closes the connections that have been idle longest, until half of the limit is free.
    fn make_room(&mut self) {
        self.end_oldest(|own| {
            own.held <= MAX_HELD / 2 && own.connections.len() <= MAX_CONNECTIONS / 2
        });
    }

    /// Closes connections, beginning with the one that has been idle longest, until that is enough.
    fn end_oldest(&mut self, is_enough: impl Fn(&Self) -> bool) {
        let all = self.connections.iter();
        let mut all: Vec<_> = all
            .map(|(key, connection)| (connection.last, *key))
            .collect();
        all.sort_unstable();
        for (_, key) in all {
            if is_enough(self) {
                break;
            }
            self.end(key);
        }
    }

    fn end(&mut self, key: [SocketAddr; 2]) {
        let Some(mut connection) = self.connections.remove(&key) else {
            return;
        };
        self.held = self.held.saturating_sub(connection.memory_size());
        connection.finish();
        self.put(connection.take_outputs());
    }

    /// Handles the end of the file, with so many bytes after its last complete packet.
    fn finish(&mut self, cut: usize) {
        let before = self.out.len();
        self.end_oldest(|_| false);
        let is_reported = self
            .out
            .get(before..)
            .unwrap_or_default()
            .iter()
            .any(CaptureRecord::is_cut);
        if cut > 0 && !is_reported {
            self.report(Skip::at(
                Reason::Truncated,
                Span::new(self.at, self.at + cut),
            ));
        }
        for ((reason, detail), (first, bytes)) in std::mem::take(&mut self.unread) {
            let skip = Skip::at(reason, first).because(detail);
            self.report(Skip { bytes, ..skip });
        }
        let is_whole = cut == 0 && !self.is_broken;
        if is_whole && !self.has_reported {
            let skip = Skip::file(Reason::Empty, self.at);
            self.report(Skip { bytes: 0, ..skip }.because("a capture without an HTTP message"));
        }
    }
}
