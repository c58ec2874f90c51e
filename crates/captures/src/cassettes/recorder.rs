//! The recorders, and their interactions.

use crate::Limits;
use crate::body_content::BodyContent;
use crate::pieces;
use crate::shapes::Logs;
use crate::stored_form::StoredForm;
use sundown_exchange::RecordPlace;
use sundown_exchange::{
    Call, Exchange, Message, Method, Reason, Record, RecordSink, Skip, StatusCode, Target,
};
use sundown_exchange::{FormField, FormKind, HeaderFields, MappedText, NamedNode};
use sundown_text_json::json::{Node, ValueKind};
use sundown_text_json::text::Span;

/// The library that wrote a cassette.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recorder {
    /// Ruby's VCR, and betamax: `http_interactions` with `uri`.
    Vcr,
    /// vcrpy: `interactions` with `uri`.
    Vcrpy,
    /// go-vcr: `interactions` with `url`.
    GoVcr,
}

/// A cassette that is being read.
pub(super) struct CassetteReader<'t, 'a> {
    pub(super) recorder: Recorder,
    pub(super) file: &'a [u8],
    pub(super) limits: Limits,
    pub(super) sink: &'t mut dyn RecordSink<'a>,
}

impl Recorder {
    /// The key of the list.
    pub(super) fn list(self) -> &'static str {
        match self {
            Self::Vcr => "http_interactions",
            Self::Vcrpy | Self::GoVcr => "interactions",
        }
    }

    /// The key of the URL.
    pub(super) fn url(self) -> &'static str {
        match self {
            Self::Vcr | Self::Vcrpy => "uri",
            Self::GoVcr => "url",
        }
    }
}

impl CassetteReader<'_, '_> {
    pub(super) fn skip(&mut self, skip: Skip) {
        self.sink.skip(skip);
    }

    /// Hands on the interaction of this number, in a document that begins at byte `start`.
    pub(super) fn interaction(&mut self, index: usize, interaction: Node<'_>, start: usize) {
        let place = RecordPlace {
            file: self.file,
            start,
        };
        let record = self.recorder.record(interaction, place, self.limits);
        self.sink.record(match record {
            Some(Record::Exchange(exchange)) => Record::Exchange(Exchange { index, ..exchange }),
            Some(other) => other,
            None => Record::Skip(Skip::at(Reason::NoExchange, place.span(interaction.span()))),
        });
    }
}

impl Recorder {
    /// Reads an interaction as an exchange, or as a skip if it has two calls.
    pub(super) fn record<'a>(
        self,
        interaction: Node<'_>,
        place: RecordPlace<'a>,
        limits: Limits,
    ) -> Option<Record<'a>> {
        let exchange = self.exchange(interaction, place, limits)?;
        let request = interaction.get("request")?;
        for name in ["method", self.url()] {
            let mut members = request
                .children()
                .filter(|member| member.key() == Some(name));
            let first = members.next().and_then(Node::text);
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
        interaction: Node<'_>,
        place: RecordPlace<'a>,
        limits: Limits,
    ) -> Option<Exchange<'a>> {
        let request = interaction.get("request")?;
        let exchange = self.exchange_of(request, interaction.get("response"), place, limits)?;
        // VCR writes the date of HTTP (RFC 9110, section 5.6.7), betamax ISO 8601 in UTC without a zone.
        let started = interaction.text_of("recorded_at");
        Some(Exchange {
            started: started.and_then(pieces::time).into(),
            ..exchange
        })
    }

    /// Reads a request and its response as an exchange.
    pub(super) fn exchange_of<'a>(
        self,
        request: Node<'_>,
        response: Option<Node<'_>>,
        place: RecordPlace<'a>,
        limits: Limits,
    ) -> Option<Exchange<'a>> {
        let url = request.get(self.url())?;
        let method = request.text_of("method").and_then(Method::parse);
        let mut target = Target::parse(url.as_str()?).into_owned();
        let logs = Logs::default();
        let queries = logs.compiled().find(request);
        pieces::add_query(
            &mut target,
            queries.queries().flat_map(pieces::parameters).collect(),
        );
        let message = |value| message(value, place, limits);
        Some(Exchange {
            index: 0,
            call: Call::new(method, target, Some(place.span(url.span()))),
            status: response.and_then(status).into(),
            request: message(request),
            response: response.map(message).unwrap_or_default(),
            ..Exchange::default()
        })
    }
}

pub(super) fn message<'a>(
    message: Node<'_>,
    place: RecordPlace<'a>,
    limits: Limits,
) -> Message<'a> {
    let fields = message
        .get("headers")
        .map(|all| HeaderFields::of(all, place))
        .unwrap_or_default();
    let content = match super::body::of(message, place, limits) {
        Ok(Some(body)) => BodyContent::Body(body),
        Ok(None) => parsed_form(message, place),
        Err(unread) => BodyContent::Unread(unread),
    };
    content.into_message(fields)
}

/// The fields of a form that go-vcr keeps beside an empty body, already decoded.
fn parsed_form<'a>(message: Node<'_>, place: RecordPlace<'a>) -> BodyContent<'a> {
    let Some(fields) = message.get("form") else {
        return BodyContent::Nothing;
    };
    // Fields of this kind are not decoded once more.
    let mut form = StoredForm::recorded(FormKind::Multipart);
    for field in fields.children().take(FormField::MAX + 1) {
        let Some(named) = NamedNode::of(field) else {
            continue;
        };
        let mut name = MappedText::default();
        name.bytes.extend_from_slice(named.name.as_bytes());
        name.map.push(name.bytes.len(), place.span(named.name_span));
        let is_list = |value: &Node<'_>| value.kind() == ValueKind::Array;
        let value = named.value;
        let listed = value.filter(is_list).into_iter().flat_map(Node::children);
        for value in listed.chain(value.filter(|value| !is_list(value))) {
            form.add(name.clone(), pieces::mapped_text(value, place));
        }
    }
    form.into_content(place.file, place.span(fields.span()))
}

/// The status of a response: VCR and vcrpy write `status: {code}`, go-vcr `code`, vcr for R a number, once
/// `status: {status_code}`.
pub(super) fn status(response: Node<'_>) -> Option<StatusCode> {
    let status = response.get("status");
    let names = ["code", "status_code"];
    let code = status.and_then(|status| names.iter().find_map(|name| status.get(name)));
    let code = code.or_else(|| response.get("code")).or(status);
    StatusCode::parse(code?.text()?.as_bytes())
}

/// Returns the skip for an interaction, or the rest of a file, that is cut off.
pub(super) fn truncated(lost: Span) -> Skip {
    Skip::at(Reason::Truncated, lost)
}
