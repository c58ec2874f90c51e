//! Messages and exchanges that were assembled from packets.

use super::field_section::FieldSection;
use super::frame::MessageFrame;
use super::message::{MessageBytes, WireMessage};
use chrono::{DateTime, Utc};
use sundown_exchange::{Reason, Skip};
use sundown_text_json::text::{ExpansionFactor, OffsetMap, Span};

/// The messages that were assembled from packets.
#[derive(Debug)]
pub struct Output(pub(super) CaptureRecord);

/// See [`Output`].
#[derive(Debug)]
pub(super) enum CaptureRecord {
    Exchange(Box<AssembledExchange>),
    Skip(Skip),
}

/// A complete message, and where its bytes are in the file.
#[derive(Debug)]
pub(super) struct AssembledMessage {
    /// The header section of an HTTP/2 message, which its bytes do not contain.
    pub section: Option<FieldSection>,
    pub bytes: Vec<u8>,
    pub map: OffsetMap,
    pub frame: MessageFrame,
}

/// The limits of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageLimits {
    /// The largest message in bytes.
    pub message: usize,
    /// The factor for the usual limit of expansion.
    pub expansion: ExpansionFactor,
}

/// A request, and its response.
#[derive(Debug)]
pub(super) struct AssembledExchange {
    pub request: AssembledMessage,
    pub response: Option<AssembledMessage>,
    pub started: Option<DateTime<Utc>>,
}

impl AssembledMessage {
    pub(super) fn run(&self) -> WireMessage<'_, 'static> {
        WireMessage {
            bytes: &self.bytes,
            frame: &self.frame,
            origin: MessageBytes::Scattered(&self.map),
            section: self.section.as_ref(),
        }
    }

    pub(super) fn whole(&self) -> Span {
        self.run().whole()
    }
}

impl CaptureRecord {
    /// Whether it is an incomplete message.
    pub(super) fn is_cut(&self) -> bool {
        match self {
            Self::Skip(skip) => skip.reason == Reason::Truncated,
            Self::Exchange(pair) => {
                pair.request.frame.is_cut
                    || pair
                        .response
                        .as_ref()
                        .is_some_and(|response| response.frame.is_cut)
            }
        }
    }
}
