//! Cassettes: the requests and responses that test suites record and play back, in YAML or JSON. The recorders write nearly
//! the same: a list of interactions, each a request and a response.

mod body;
mod json;
mod list;
mod two_lists;
mod yaml;

use chrono::{DateTime, NaiveDateTime, Utc};

use crate::formats::file_head::FileHead;
use crate::formats::header_fields::HeaderFields;
use crate::formats::message::BodyContent;
use crate::formats::pieces;
use crate::formats::record_place::RecordPlace;
use crate::formats::spec::{
    FormatFamily, FormatReader, FormatSpec, Keeps, MarkSign, ReadUnit, Recognition, common,
    distinctive,
};
use crate::formats::{Limits, Record, RecordSink};
use crate::json::ValueRef;
use crate::text::{Block, Span};
use crate::traffic::{Call, Exchange, Message, Method, Reason, Skip, StatusCode};

/// Cassettes of Ruby's VCR (YAML, JSON) and betamax (JSON).
pub(in crate::formats) const VCR: FormatSpec = FormatSpec {
    name: "vcr",
    title: "Cassettes of Ruby's VCR (YAML, JSON) and betamax (JSON)",
    family: FormatFamily::Cassettes,
    recognised: "a list `http_interactions` at the top",
    recognition: Recognition::Sniff(sniff_vcr),
    reader: FormatReader::Records(read_vcr),
    unit: ReadUnit::File,
    keeps: Keeps::Exchanges,
    reads: "`http_interactions` with `uri`",
    limits: "A use in a base64 body is located at the whole string that holds the body.",
    is_binary: false,
    endings: &["json", "yaml", "yml"],
    marks: &[
        distinctive(MarkSign::Key("http_interactions"), "list `http_interactions` at the top"),
        distinctive(MarkSign::Key("recorded_with"), "`recorded_with` at the top"),
        common(MarkSign::Text(&["uri"]), "`uri`"),
    ],
    sample: "captures/cassettes/vcr.yml",
};

/// Cassettes of vcrpy (YAML, JSON).
pub(in crate::formats) const VCRPY: FormatSpec = FormatSpec {
    name: "vcrpy",
    title: "Cassettes of vcrpy (YAML, JSON)",
    family: FormatFamily::Cassettes,
    recognised: "a list `interactions` at the top whose requests have a `uri`, or a list `requests` of such requests",
    recognition: Recognition::Sniff(sniff_vcrpy),
    reader: FormatReader::Records(read_vcrpy),
    unit: ReadUnit::File,
    keeps: Keeps::Exchanges,
    reads: "`interactions` with `uri`; the lists `requests` and `responses` that LangChain's serializer writes",
    limits: "A use in a `!!binary` body is located at the whole text that holds the body. Bodies that were sent from open files are reported as not checked.",
    is_binary: false,
    endings: &["json", "yaml", "yml"],
    marks: &[
        distinctive(MarkSign::List("interactions"), "list `interactions` at the top"),
        common(MarkSign::Text(&["request"]), "`request` in an interaction"),
        common(MarkSign::Text(&["\"uri\"", "uri:"]), "`uri` in the first request"),
    ],
    sample: "captures/cassettes/vcrpy.yaml",
};

/// Cassettes of go-vcr 1 to 3 (YAML).
pub(in crate::formats) const GO_VCR: FormatSpec = FormatSpec {
    name: "go-vcr",
    title: "Cassettes of go-vcr 1 to 3 (YAML)",
    family: FormatFamily::Cassettes,
    recognised: "a list `interactions` at the top whose requests have a `url`",
    recognition: Recognition::Sniff(sniff_go_vcr),
    reader: FormatReader::Records(read_go_vcr),
    unit: ReadUnit::File,
    keeps: Keeps::Exchanges,
    reads: "`interactions` with `url`",
    limits: "Nothing follows the list: a file that is cut off between two interactions looks complete.",
    is_binary: false,
    endings: &["yaml", "yml"],
    marks: &[
        distinctive(MarkSign::List("interactions"), "list `interactions` at the top"),
        common(MarkSign::Key("version"), "`version` at the top"),
        common(MarkSign::Text(&["url:"]), "`url` in the first request"),
    ],
    sample: "captures/cassettes/go-vcr.yaml",
};

/// The library that wrote a cassette.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Recorder {
    /// Ruby's VCR, and betamax: `http_interactions` with `uri`.
    Vcr,
    /// vcrpy: `interactions` with `uri`.
    Vcrpy,
    /// go-vcr: `interactions` with `url`.
    GoVcr,
}

fn sniff_vcr(head: &FileHead<'_>) -> bool {
    recorder(head) == Some(Recorder::Vcr)
}

fn sniff_vcrpy(head: &FileHead<'_>) -> bool {
    recorder(head) == Some(Recorder::Vcrpy) || two_lists::has_two_lists(head)
}

fn sniff_go_vcr(head: &FileHead<'_>) -> bool {
    recorder(head) == Some(Recorder::GoVcr)
}

fn recorder(head: &FileHead<'_>) -> Option<Recorder> {
    if head.bytes.get(head.start) == Some(&b'{') {
        json::recorder(head)
    } else {
        yaml::recorder(head.bytes, head.start)
    }
}

fn read_vcr<'a>(file: Block<'a>, limits: Limits, sink: &mut dyn RecordSink<'a>) {
    read(Recorder::Vcr, file, limits, sink);
}

fn read_vcrpy<'a>(file: Block<'a>, limits: Limits, sink: &mut dyn RecordSink<'a>) {
    if two_lists::has_two_lists(&FileHead::new(file.bytes, file.text_start())) {
        return two_lists::read(file, limits, sink);
    }
    read(Recorder::Vcrpy, file, limits, sink);
}

fn read_go_vcr<'a>(file: Block<'a>, limits: Limits, sink: &mut dyn RecordSink<'a>) {
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

    /// The key of the URL.
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
        let place = RecordPlace { file: self.file, start };
        let record = self.recorder.record(interaction, place, self.limits);
        let no_exchange = || Skip::at(Reason::NoExchange, place.span(interaction.span()));
        self.sink.record(match record {
            Some(Record::Exchange(exchange)) => Record::Exchange(Exchange { index, ..exchange }),
            Some(other) => other,
            None => Record::Skip(no_exchange()),
        });
    }
}

impl Recorder {
    /// Reads an interaction as an exchange, or as a skip if it has two calls.
    fn record<'a>(
        self,
        interaction: ValueRef<'_>,
        place: RecordPlace<'a>,
        limits: Limits,
    ) -> Option<Record<'a>> {
        let exchange = self.exchange(interaction, place, limits)?;
        let request = interaction.get("request")?;
        for name in ["method", self.url()] {
            let mut members = request.children().filter(|member| member.key() == Some(name));
            let first = members.next().and_then(ValueRef::text);
            // Parsers differ in which they keep.
            if let Some(other) = members.find(|member| member.text() != first) {
                let skip = Skip::at(Reason::InvalidYaml, place.span(other.label()));
                return Some(Record::Skip(skip.because(format!("`{name}` occurs twice"))));
            }
        }
        Some(Record::Exchange(exchange))
    }

    /// Reads an interaction as an exchange.
    fn exchange<'a>(
        self,
        interaction: ValueRef<'_>,
        place: RecordPlace<'a>,
        limits: Limits,
    ) -> Option<Exchange<'a>> {
        let request = interaction.get("request")?;
        let exchange = self.exchange_of(request, interaction.get("response"), place, limits)?;
        let started = interaction.get("recorded_at").and_then(ValueRef::text);
        Some(Exchange { started: started.and_then(recorded_at), ..exchange })
    }

    /// Reads a request and its response as an exchange.
    fn exchange_of<'a>(
        self,
        request: ValueRef<'_>,
        response: Option<ValueRef<'_>>,
        place: RecordPlace<'a>,
        limits: Limits,
    ) -> Option<Exchange<'a>> {
        let url = request.get(self.url())?;
        let method = request.get("method").and_then(ValueRef::text).and_then(Method::parse);
        let message = |value| message(value, place, limits);
        Some(Exchange {
            index: 0,
            call: Call {
                method,
                target: pieces::target(url.as_str()?),
                url_span: Some(place.span(url.span())),
            },
            started: None,
            status: response.and_then(status),
            request: message(request),
            response: response.map(message).unwrap_or_default(),
            ..Exchange::default()
        })
    }
}

fn message<'a>(message: ValueRef<'_>, place: RecordPlace<'a>, limits: Limits) -> Message<'a> {
    let headers = message.get("headers");
    let fields = headers.map(|all| HeaderFields::of_object(all, place)).unwrap_or_default();
    let content = match body::of(message, place, limits) {
        Ok(body) => body.map_or(BodyContent::Nothing, BodyContent::Body),
        Err(unread) => BodyContent::Unread(unread),
    };
    content.into_message(fields)
}

/// The status of a response: VCR and vcrpy write `status: {code}`, go-vcr `code`.
fn status(response: ValueRef<'_>) -> Option<StatusCode> {
    let code = response.get("status").and_then(|status| status.get("code"));
    StatusCode::parse(code.or_else(|| response.get("code"))?.text()?.as_bytes())
}

/// Parses a time: VCR writes the date of HTTP (RFC 9110, section 5.6.7), betamax ISO 8601 in UTC without a zone.
fn recorded_at(text: &str) -> Option<DateTime<Utc>> {
    let of_http = || DateTime::parse_from_rfc2822(text).ok();
    let with_zone = of_http().or_else(|| DateTime::parse_from_rfc3339(text).ok());
    let without = || NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f").ok();
    with_zone.map(|time| time.to_utc()).or_else(|| without().map(|time| time.and_utc()))
}

/// Returns the skip for an interaction, or the rest of a file, that is cut off.
fn truncated(lost: Span) -> Skip {
    Skip::at(Reason::Truncated, lost)
}
