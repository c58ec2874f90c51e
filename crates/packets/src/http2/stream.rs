//! One stream of an HTTP/2 connection: a request and its response, as far as their frames have been read.

use chrono::{DateTime, Utc};

use super::super::assembled::{AssembledExchange, AssembledMessage, CaptureRecord};
use crate::field_section::FieldSection;
use crate::frame::MessageFrame;
use crate::message::orphan;
use sundown_exchange::{Reason, Side, Skip};
use sundown_text_json::text::{OffsetMap, Span};

#[derive(Debug, Default)]
pub(super) struct Http2Stream {
    pub request: Http2Message,
    pub response: Http2Message,
    /// The request that asked for HTTP/2 in HTTP/1.1.
    pub upgraded: Option<AssembledMessage>,
    pub started: Option<DateTime<Utc>>,
    /// Whether one of both has aborted it.
    pub is_reset: bool,
    /// The approximate size in bytes of the memory that it allocates.
    pub memory: usize,
}

/// One half of a stream.
#[derive(Debug, Default)]
pub(super) struct Http2Message {
    section: Option<FieldSection>,
    body: Vec<u8>,
    map: OffsetMap,
    /// Whether its last frame has been read.
    is_complete: bool,
    /// Whether no more frames will come.
    is_ended: bool,
    /// The reason why it is not read.
    fault: Option<Skip>,
}

/// The approximate memory of a field line or a data frame in bytes, besides its text.
const OVERHEAD: usize = 96;

impl Http2Stream {
    pub(super) fn message(&self, side: Side) -> &Http2Message {
        side.of([&self.request, &self.response])
    }

    pub(super) fn message_mut(&mut self, side: Side) -> &mut Http2Message {
        side.of([&mut self.request, &mut self.response])
    }

    /// The protocol that the stream carries instead of a body, and the reason why it is not read.
    pub(super) fn tunnel(&self) -> Option<(Reason, &'static str)> {
        let values = [":method", ":protocol"].map(|name| {
            let line = self.request.section.as_ref()?.pseudo_header(name)?;
            Some(&*line.value)
        });
        match values {
            [Some(b"CONNECT"), Some(b"websocket")] => {
                Some((Reason::WebSocket, "a stream that became a WebSocket"))
            }
            [Some(b"CONNECT"), _] => Some((Reason::NotHttp, "a tunnel through a proxy")),
            _ => None,
        }
    }

    /// Converts it to the exchange, or to the reasons why there is none.
    pub(super) fn into_records(self, out: &mut Vec<CaptureRecord>) {
        let Self {
            request,
            response,
            upgraded,
            started,
            ..
        } = self;
        let whole = response.section.as_ref().map(|section| section.span);
        for fault in [&request.fault, &response.fault].into_iter().flatten() {
            out.push(CaptureRecord::Skip(fault.clone()));
        }
        // A tunnel's bytes are reported, and its exchange is read nevertheless.
        let is_unread = request
            .fault
            .as_ref()
            .is_some_and(|fault| !is_tunnel(fault));
        let has_target = request.section.as_ref().is_none_or(|section| {
            section.head().method.is_some() && section.head().target.is_some()
        });
        let span = request.section.as_ref().map(|section| section.span);
        match (
            upgraded.or_else(|| request.into_message(Side::Request)),
            whole,
        ) {
            (None, Some(span)) => out.push(CaptureRecord::Skip(orphan(span))),
            (None, None) => {}
            (Some(_), _) if is_unread => {}
            (Some(_), _) if !has_target => {
                let skip = Skip::at(Reason::BrokenCapture, span.unwrap_or_default());
                let detail = "a request whose method and path cannot be read";
                out.push(CaptureRecord::Skip(skip.because(detail)));
            }
            (Some(request), _) => {
                let response = response.into_message(Side::Response);
                let exchange = AssembledExchange {
                    request,
                    response,
                    started,
                };
                out.push(CaptureRecord::Exchange(Box::new(exchange)));
            }
        }
    }
}

fn is_tunnel(fault: &Skip) -> bool {
    matches!(fault.reason, Reason::WebSocket | Reason::NotHttp)
}

impl Http2Message {
    /// Adds a header section, and returns the memory that it needs. The section after a body is its trailers, which are not
    /// checked, as in HTTP/1.1.
    pub(super) fn add_section(&mut self, section: FieldSection, size: usize) -> usize {
        let is_interim = section
            .status()
            .is_some_and(|status| (100..=199).contains(&status));
        match &mut self.section {
            Some(first) => extend(&mut first.span, section.span),
            None if is_interim => {}
            None => {
                let memory = size + section.lines.len() * OVERHEAD;
                self.section = Some(section);
                return memory;
            }
        }
        0
    }

    /// Adds the content of a data frame, and returns the memory that it needs.
    pub(super) fn add_data(&mut self, data: &[u8], map: &OffsetMap, frame: Span) -> usize {
        if let Some(section) = &mut self.section {
            extend(&mut section.span, frame);
        }
        if let Some(fault) = &mut self.fault {
            fault.bytes += data.len();
            return 0;
        }
        if data.is_empty() {
            return 0;
        }
        self.body.extend_from_slice(data);
        let before = self.map.memory_size();
        self.map.extend(map);
        data.len() + self.map.memory_size() - before
    }

    /// Gives up its body, or the whole message if it is a request. The first reason counts.
    pub(super) fn give_up(&mut self, skip: Skip) {
        let bytes = skip.bytes + self.body.len();
        self.fault.get_or_insert(Skip { bytes, ..skip });
        self.body = Vec::new();
        self.map = OffsetMap::default();
    }

    pub(super) fn body_len(&self) -> usize {
        self.body.len()
    }

    /// Whether its header section has been read.
    pub(super) fn has_section(&self) -> bool {
        self.section.is_some()
    }

    /// Ends it with its last frame.
    pub(super) fn complete(&mut self) {
        (self.is_complete, self.is_ended) = (true, true);
    }

    /// Ends it where it is.
    pub(super) fn abort(&mut self) {
        self.is_ended = true;
    }

    pub(super) fn is_ended(&self) -> bool {
        self.is_ended
    }

    /// Whether it will be reported as incomplete.
    pub(super) fn is_cut(&self) -> bool {
        self.section.is_some() && !self.is_complete
    }

    /// `None` if there is none, or if it is not read.
    fn into_message(self, side: Side) -> Option<AssembledMessage> {
        let is_dropped = self.fault.as_ref().is_some_and(|fault| !is_tunnel(fault));
        if is_dropped && side == Side::Response {
            return None;
        }
        let body = Span::new(0, self.body.len());
        let pieces = if body.is_empty() {
            Vec::new()
        } else {
            vec![body]
        };
        let is_tunnelled = self.fault.as_ref().is_some_and(is_tunnel);
        let is_cut = !self.is_complete && !is_tunnelled;
        Some(AssembledMessage {
            section: Some(self.section?),
            bytes: self.body,
            map: self.map,
            frame: MessageFrame {
                side,
                head: 0,
                pieces,
                end: body.end,
                is_cut,
            },
        })
    }
}

fn extend(span: &mut Span, by: Span) {
    *span = Span::new(span.start.min(by.start), span.end.max(by.end));
}
