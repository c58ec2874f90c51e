//! Cassettes: the requests and responses that test suites record and play back, in YAML or JSON. The recorders write nearly
//! the same: a list of interactions, each a request and a response.

mod body;
mod json;
mod list;
mod yaml;

use chrono::{DateTime, NaiveDateTime, Utc};

use crate::formats::file_head::FileHead;
use crate::formats::pieces::{self, Place};
use crate::formats::{Limits, Record, RecordSink};
use crate::json::ValueRef;
use crate::text::{Block, Span};
use crate::traffic::{Call, Exchange, Message, Method, Reason, Skip};

/// Who writes a cassette.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Recorder {
    /// Ruby's VCR, and betamax: `http_interactions` with `uri`.
    Vcr,
    /// vcrpy: `interactions` with `uri`.
    Vcrpy,
    /// go-vcr: `interactions` with `url`.
    GoVcr,
}

pub(super) fn is_vcr(look: &FileHead<'_>) -> bool {
    recorder(look) == Some(Recorder::Vcr)
}

pub(super) fn is_vcrpy(look: &FileHead<'_>) -> bool {
    recorder(look) == Some(Recorder::Vcrpy)
}

pub(super) fn is_go_vcr(look: &FileHead<'_>) -> bool {
    recorder(look) == Some(Recorder::GoVcr)
}

fn recorder(look: &FileHead<'_>) -> Option<Recorder> {
    if look.bytes.get(look.start) == Some(&b'{') {
        json::recorder(look)
    } else {
        yaml::recorder(look.bytes, look.start)
    }
}

pub(super) fn read_vcr<'a>(file: Block<'a>, limits: Limits, sink: &mut dyn RecordSink<'a>) {
    read(Recorder::Vcr, file, limits, sink);
}

pub(super) fn read_vcrpy<'a>(file: Block<'a>, limits: Limits, sink: &mut dyn RecordSink<'a>) {
    read(Recorder::Vcrpy, file, limits, sink);
}

pub(super) fn read_go_vcr<'a>(file: Block<'a>, limits: Limits, sink: &mut dyn RecordSink<'a>) {
    read(Recorder::GoVcr, file, limits, sink);
}

/// Reads a cassette interaction by interaction, so that a broken one hides no other and a large cassette takes little memory.
fn read<'a>(recorder: Recorder, file: Block<'a>, limits: Limits, sink: &mut dyn RecordSink<'a>) {
    let start = crate::json::scan::skip_whitespace(file.bytes, file.text_start());
    let mut cassette = CassetteReader { recorder, file: file.bytes, limits, sink };
    if file.bytes.get(start) == Some(&b'{') {
        json::read(&mut cassette, file);
    } else {
        yaml::read(&mut cassette, file.text_start());
    }
}

/// A cassette that is being read.
struct CassetteReader<'t, 'a> {
    recorder: Recorder,
    file: &'a [u8],
    limits: Limits,
    sink: &'t mut dyn RecordSink<'a>,
}

impl Recorder {
    /// The key of the list.
    fn list(self) -> &'static str {
        match self {
            Self::Vcr => "http_interactions",
            Self::Vcrpy | Self::GoVcr => "interactions",
        }
    }

    /// The key of what is called.
    fn url(self) -> &'static str {
        match self {
            Self::Vcr | Self::Vcrpy => "uri",
            Self::GoVcr => "url",
        }
    }
}

impl CassetteReader<'_, '_> {
    fn skip(&mut self, skip: Skip) {
        self.sink.record(Record::Skip(skip));
    }

    /// Hands on the interaction of this number, in a document that begins at byte `start`.
    fn interaction(&mut self, index: usize, interaction: ValueRef<'_>, start: usize) {
        let place = Place::new(self.file, start);
        let record = match self.recorder.exchange(interaction, place, self.limits) {
            Some(exchange) => Record::Exchange(Exchange { index, ..exchange }),
            None => Record::Skip(Skip::at(Reason::NoExchange, place.span(interaction.span()))),
        };
        self.sink.record(record);
    }
}

impl Recorder {
    /// The exchange that an interaction is.
    fn exchange<'a>(
        self,
        interaction: ValueRef<'_>,
        place: Place<'a>,
        limits: Limits,
    ) -> Option<Exchange<'a>> {
        let request = interaction.get("request")?;
        let url = request.get(self.url())?;
        let method = request.get("method").and_then(ValueRef::text).and_then(Method::parse);
        let response = interaction.get("response");
        let message = |value| message(value, place, limits);
        Some(Exchange {
            index: 0,
            call: Call {
                method,
                target: pieces::target(url.as_str()?),
                url_span: Some(place.span(url.span())),
            },
            started: interaction.get("recorded_at").and_then(ValueRef::text).and_then(recorded_at),
            request: message(request),
            response: response.map(message).unwrap_or_default(),
        })
    }
}

fn message<'a>(message: ValueRef<'_>, place: Place<'a>, limits: Limits) -> Message<'a> {
    let headers = message.get("headers");
    let (body, unread) = match body::of(message, headers, place, limits) {
        Ok(body) => (body, None),
        Err(unread) => (None, Some(unread)),
    };
    let media_type = headers.and_then(pieces::media_type);
    Message {
        headers: headers.map(|all| place.header_names(all)).unwrap_or_default(),
        signals: headers.map(|all| place.signals(all)).unwrap_or_default(),
        body: body.map(|mut body| {
            body.media_type = media_type;
            body
        }),
        unread,
    }
}

/// VCR writes the date of HTTP (RFC 9110, section 5.6.7), betamax that of ISO 8601 in UTC, without saying so.
fn recorded_at(text: &str) -> Option<DateTime<Utc>> {
    let of_http = || DateTime::parse_from_rfc2822(text).ok();
    let with_zone = of_http().or_else(|| DateTime::parse_from_rfc3339(text).ok());
    let without = || NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f").ok();
    with_zone.map(|time| time.to_utc()).or_else(|| without().map(|time| time.and_utc()))
}

/// An interaction, or the rest of a file, that breaks off.
fn truncated(lost: Span) -> Skip {
    Skip::at(Reason::Truncated, lost)
}
