//! A call with its request and its response.

use std::cell::OnceCell;
use std::sync::Arc;

use super::body::Body;
use super::call_record::CallRecord;
use super::form::{FormField, FormKind};
use super::header::HeaderField;
use super::header_fields::HeaderFields;
use super::host::Host;
use super::lazy::Lazy;
use super::operation::Method;
use super::origin::RecordedOrigin;
use super::record_place::RecordValue;
use super::side::Side;
use super::signal::{Signal, may_hold_signal};
use super::skip::{Reason, Skip};
use super::status_code::StatusCode;
use super::target::{QueryParameter, Target};
use super::words::WORDS;
use chrono::{DateTime, Utc};
use std::borrow::Cow;
use sundown_text_json::json::is_value_except;
use sundown_text_json::text::{OffsetMap, Span};

/// One request and what came back, or as much of it as a capture holds.
///
/// A reader may have located the pieces by the quotes and brackets of their record alone. They are parsed when someone asks for
/// them, and kept for all who ask again; [`Self::is_valid`] reads the rest of the record.
#[derive(Debug, Clone, Default)]
pub struct Exchange<'a> {
    /// Zero-based number of the record in its file.
    pub index: usize,
    /// Maps its positions to the file, if they are those in a text that its reader has made of a part of that.
    pub map: Option<Lazy<'a, Arc<OffsetMap>>>,
    pub call: Call<'a>,
    /// The time at which it began.
    pub started: Lazy<'a, Option<DateTime<Utc>>>,
    /// The status of the response. A status that is only expected, as in a stub, is none.
    pub status: Lazy<'a, Option<StatusCode>>,
    /// Where in code the call was made.
    pub origin: RecordedOrigin<'a>,
    /// Its JSON record in the capture, if there is one: other members may name the caller.
    pub record: Option<CallRecord<'a>>,
    /// Where all is that its file says about this call alone, if that is known: its record, entry or request.
    pub extent: Option<Span>,
    /// The maximum nesting depth of its record, if that has not been validated.
    pub unvalidated: Option<usize>,
    /// The values of some header fields of the request, by their names in lower case: a line of an access log has no others. Of the
    /// row of a table, the values of all columns, by their names.
    pub logged: Lazy<'a, Vec<(Cow<'a, str>, Cow<'a, str>)>>,
    /// Where its record may state other calls: in texts, or deep inside.
    pub beside: Vec<Span>,
    pub request: Message<'a>,
    pub response: Message<'a>,
}

/// The call of an exchange, as far as it is known.
#[derive(Debug, Clone, Default)]
pub struct Call<'a> {
    /// `None` where the capture does not say.
    pub method: Option<Method>,
    /// The method that servers may take in its place, because a header field says so.
    pub other_method: Option<Method>,
    /// The position of the URL in the file; `None` for a body whose operation was named from outside.
    pub url_span: Option<Span>,
    /// Whether it is one of several candidate calls, of which perhaps another was made.
    pub is_possible: bool,
    /// A member of its record that may be the query, which is not read.
    pub unread_query: Lazy<'a, Option<Unread>>,
    source: Option<CallSource<'a>>,
    /// Boxed: of most calls, it is not asked for.
    target: OnceCell<Box<Target<'a>>>,
}

/// The values of a record that say what was called.
#[derive(Debug, Clone)]
pub struct CallSource<'a> {
    /// The URL as the file writes it, without quotes.
    pub url: &'a [u8],
    /// The query outside of the URL.
    pub queries: Vec<RecordValue<'a>>,
    /// The host outside of the URL.
    pub host: Option<RecordValue<'a>>,
    /// The header fields of the request, which may have the host, too.
    pub headers: Option<RecordValue<'a>>,
    /// Makes the target, with all of this.
    pub target: for<'s> fn(&'s CallSource<'a>) -> Target<'a>,
    /// Parses the host outside of the URL.
    pub other_host: for<'s> fn(&'s CallSource<'a>) -> Option<Host<'a>>,
}

impl<'a> Call<'a> {
    /// Creates a call whose target is known.
    pub fn new(method: Option<Method>, target: Target<'a>, url_span: Option<Span>) -> Self {
        Self {
            method,
            url_span,
            target: OnceCell::from(Box::new(target)),
            ..Self::default()
        }
    }

    /// Creates a call whose URL is at `url_span` and whose target is parsed when someone asks for it.
    pub fn located(method: Option<Method>, source: CallSource<'a>, url_span: Span) -> Self {
        Self {
            method,
            url_span: Some(url_span),
            source: Some(source),
            ..Self::default()
        }
    }

    /// What was called.
    pub fn target(&self) -> &Target<'a> {
        self.target.get_or_init(|| {
            Box::new(match &self.source {
                Some(source) => (source.target)(source),
                None => Target::default(),
            })
        })
    }

    /// Changes what was called.
    pub fn change_target(&mut self, change: impl FnOnce(&mut Target<'a>)) {
        self.target();
        self.source = None;
        let mut target = self.target.take().unwrap_or_default();
        change(&mut target);
        self.target = OnceCell::from(target);
    }

    /// The values that say what was called, unless it was known from the beginning.
    pub fn source(&self) -> Option<&CallSource<'a>> {
        self.source.as_ref()
    }
}

/// A piece of a call in its file: the URL, the name of a header field, or a body.
#[derive(Debug, Clone, Copy)]
pub struct CallPiece {
    /// Where it is.
    pub span: Span,
    /// The number of the exchange.
    pub exchange: usize,
    /// Whether it is the URL.
    pub is_url: bool,
    /// Where the record of the call ends, if it is one of several pieces of a file.
    pub record_end: Option<usize>,
}

/// One half of an exchange.
#[derive(Debug, Clone, Default)]
pub struct Message<'a> {
    /// A member of its record that may be its header fields, which is not read.
    pub unread_headers: Lazy<'a, Option<Unread>>,
    fields: Lazy<'a, HeaderFields<'a>>,
    /// Whether the record may announce a deprecation outside of header fields.
    has_other_announcements: bool,
    body: Option<Body<'a>>,
    /// The body with what header fields that were located only say about it.
    described: OnceCell<Box<Body<'a>>>,
    unread: Option<Unread>,
    /// The position of a message without a body that lacks one if its header fields promise it.
    promised_at: Option<Span>,
}

/// A body, or another part of a call, that cannot be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    pub reason: Reason,
    /// Where it is in the file, or should be.
    pub span: Span,
    /// The name of the member that may be it.
    pub member: Option<Box<str>>,
    /// The name of the file that has the body.
    pub file: Option<Box<str>>,
}

impl Unread {
    /// Creates a body that cannot be checked.
    pub fn at(reason: Reason, span: Span) -> Self {
        Self {
            reason,
            span,
            member: None,
            file: None,
        }
    }

    /// Sets the name of the file that has the body, relative to the capture or to a folder around it.
    #[must_use]
    pub fn in_file(self, name: &str) -> Self {
        Self {
            file: Some(name.into()),
            ..self
        }
    }

    /// Sets the name of the member that may be it.
    #[must_use]
    pub fn in_member(self, name: &str) -> Self {
        Self {
            member: Some(name.into()),
            ..self
        }
    }

    /// The skip for the body.
    pub fn to_skip(&self) -> Skip {
        let skip = Skip {
            bytes: 0,
            ..Skip::at(self.reason, self.span)
        };
        match &self.member {
            Some(name) => skip.because(format!("`{name}`")),
            None => skip,
        }
    }
}

impl<'a> Message<'a> {
    /// Creates a message from its header fields, its body, where the capture has one, and a body that cannot be checked.
    pub fn new(
        fields: impl Into<Lazy<'a, HeaderFields<'a>>>,
        body: Option<Body<'a>>,
        unread: Option<Unread>,
    ) -> Self {
        let mut message = Self {
            fields: fields.into(),
            body,
            unread,
            ..Self::default()
        };
        message.describe();
        message
    }

    /// Replaces what cannot be checked by what was found where the capture says that it is.
    pub fn complete(&mut self, body: Option<Body<'a>>, unread: Option<Unread>) {
        self.set_body(body);
        self.unread = unread;
    }

    /// Replaces the body.
    pub fn set_body(&mut self, body: Option<Body<'a>>) {
        self.described = OnceCell::new();
        self.body = body;
        self.describe();
    }

    fn describe(&mut self) {
        if let (Some(body), Some(fields)) = (&mut self.body, self.fields.known()) {
            fields.describe(body);
        }
    }

    /// Sets the body that cannot be checked, unless there is one already. It is reported only if a rule would have looked at it.
    #[must_use]
    pub fn or_unread(mut self, unread: Option<Unread>) -> Self {
        self.unread = self.unread.or(unread);
        self
    }

    /// Sets the position of the message, whose body is missing if its header fields promise one.
    #[must_use]
    pub fn promised_at(mut self, span: Span) -> Self {
        self.promised_at = Some(span);
        self
    }

    /// Its header fields.
    pub fn headers(&self) -> &[HeaderField<'a>] {
        &self.fields.get().list
    }

    /// The announcements in header fields. Those of a request are ignored.
    pub fn signals(&self) -> &[Signal] {
        &self.fields.get().signals
    }

    /// Sets whether the record may announce a deprecation outside of header fields.
    #[must_use]
    pub fn with_other_announcements(mut self, announces: bool) -> Self {
        self.has_other_announcements = announces;
        self
    }

    /// Whether it may have announcements. Header fields that have not been parsed need not be parsed for that.
    pub fn may_announce(&self) -> bool {
        self.has_other_announcements
            || may_hold_signal(self.fields.raw())
            || self.fields.known().is_some_and(HeaderFields::may_announce)
    }

    /// Its header fields, and what their values say.
    pub fn fields(&self) -> &Lazy<'a, HeaderFields<'a>> {
        &self.fields
    }

    /// The body, where the capture has one.
    pub fn body(&self) -> Option<&Body<'a>> {
        let body = self.body.as_ref()?;
        if self.fields.span().is_none() {
            return Some(body);
        }
        Some(self.described.get_or_init(|| {
            let mut body = body.clone();
            self.fields.get().describe(&mut body);
            Box::new(body)
        }))
    }

    /// The fields of the body, if that is a form in a URL's encoding.
    fn form_fields(&self) -> Vec<FormField> {
        let text = self.body().and_then(Body::decode).unwrap_or_default();
        let media_type = self.body().and_then(|body| body.media_type.as_deref());
        FormKind::of(media_type, &text)
            .filter(|kind| *kind == FormKind::UrlEncoded && !kind.has_too_many_fields(&text))
            .and_then(|kind| kind.parse(&text))
            .unwrap_or_default()
            .named
    }

    /// The body without what header fields that have not been parsed yet say about it.
    pub fn raw_body(&self) -> Option<&Body<'a>> {
        self.body.as_ref()
    }

    /// Whether there is no body, but perhaps a sign that the capture lacks one.
    pub fn may_lack_body(&self) -> bool {
        self.body.is_none() && (self.unread.is_some() || self.promised_at.is_some())
    }

    /// Whether there is neither a body that is not empty, nor a sign that there was one.
    pub fn has_no_text(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_empty) && self.unread().is_none()
    }

    /// A body that cannot be checked. It is reported only if a rule would have looked at it.
    pub fn unread(&self) -> Option<Unread> {
        self.unread.clone().or_else(|| {
            let span = self.promised_at.filter(|_| self.body.is_none())?;
            let is_promised = self.fields.get().promises_body;
            is_promised.then(|| Unread::at(Reason::BodyMissing, span))
        })
    }
}

impl<'a> Exchange<'a> {
    /// The position in the file of a part of it.
    pub fn outer(&self, part: Span) -> Span {
        let map = self.map.as_ref();
        map.map_or(part, |map| map.get().outer(part))
    }

    /// The pieces that its file has.
    pub fn pieces(&self) -> impl Iterator<Item = CallPiece> {
        let others = Side::BOTH.into_iter().flat_map(|side| {
            let message = self.message(side);
            let headers = message.headers().iter().map(|header| header.span);
            headers.chain(message.body.as_ref().map(|body| body.span))
        });
        let parameters = self.call.target().parameters.iter();
        let others = others.chain(parameters.filter_map(|parameter| parameter.span));
        let url = self.call.url_span.map(|span| (span, true)).into_iter();
        let pieces = url.chain(others.map(|span| (span, false)));
        pieces.map(|(span, is_url)| CallPiece {
            span: self.outer(span),
            exchange: self.index,
            is_url,
            record_end: self.extent.map(|own| self.outer(own).end),
        })
    }

    /// Adds the values of header fields, parameters and form fields as parameters of the call: of those with these names, which begin
    /// with `#`. A description of an RPC service distinguishes its operations by them, and leaves open where calls have them.
    #[must_use]
    pub fn with_named_fields(&self, names: &[String]) -> Self {
        let form = self.request.form_fields();
        let mut values = Vec::new();
        for name in names {
            let plain = name.trim_start_matches('#');
            let headers = self.request.headers().iter();
            let headers = headers.filter(|header| header.name.eq_ignore_ascii_case(plain));
            let parameters = self.call.target().parameters.iter();
            let parameters = parameters.filter(|one| one.name.eq_ignore_ascii_case(plain));
            let fields = form.iter().map(|field| [&field.name, &field.value]);
            let fields = fields.map(|parts| parts.map(|part| part.lossy()));
            let fields = fields.filter(|[name, _]| name.eq_ignore_ascii_case(plain));
            let found = headers.flat_map(|header| header.value.texts());
            let found = found
                .chain(parameters.filter_map(|one| one.value.clone()))
                .chain(fields.map(|[_, value]| value.into_owned().into()));
            let found = found.map(|value| value.trim().to_owned());
            values.extend(found.map(|value| QueryParameter::new(name.clone(), value)));
        }
        let mut completed = self.clone();
        completed
            .call
            .change_target(|target| target.parameters.extend(values));
        completed
    }

    /// The method that a header field of the request puts in the place of its own.
    pub fn overriding_method(&self) -> Option<Method> {
        let fields = self.request.fields();
        // Each name has one of these, however it is written.
        let may_have = |mark: &[u8]| memchr::memmem::find(fields.raw(), mark).is_some();
        if fields.known().is_none() && !may_have(b"ethod") && !may_have(b"METHOD") {
            return None;
        }
        let names = &WORDS.method_overrides;
        let mut fields = self.request.headers().iter();
        let field = fields.find(|field| names.iter().any(|name| *name == field.name))?;
        Method::parse(field.values().first()?)
    }

    /// Whether neither side has a body, or a sign that there was one.
    pub fn has_no_body(&self) -> bool {
        Side::BOTH.into_iter().all(|side| {
            let message = self.message(side);
            message.body.is_none() && message.unread().is_none()
        })
    }

    /// Whether its record is valid and nests no deeper than allowed. The bodies at the given positions, in order, are not
    /// read.
    pub fn is_valid(&self, but: &[Span]) -> bool {
        let (Some(depth), Some(record)) = (self.unvalidated, &self.record) else {
            return true;
        };
        let own = record.own();
        let holes: Vec<_> = but
            .iter()
            .map(|body| {
                let [from, to] = [body.start, body.end].map(|at| at.saturating_sub(own.span.start));
                Span::new(from, to)
            })
            .collect();
        is_value_except(own.text, &holes, depth)
    }

    /// The values of its record that were read as its URL, its query, its host, its time, its status, and as header fields.
    pub fn read_parts(&self) -> Vec<Span> {
        let source = self.call.source().into_iter();
        let values = source.flat_map(|source| source.queries.iter().chain(&source.host));
        let values = values.map(|value| value.span);
        let [sent, answered] = Side::BOTH.map(|side| self.message(side).fields.span());
        let parts = [
            self.call.url_span,
            self.started.span(),
            self.status.span(),
            sent,
            answered,
        ];
        let parts = parts.into_iter().flatten();
        parts.chain(values).map(|part| self.outer(part)).collect()
    }

    /// Its bodies, each with its place.
    pub fn bodies(&self) -> impl Iterator<Item = (&Body<'a>, Span)> {
        let bodies = [&self.request.body, &self.response.body]
            .into_iter()
            .flatten();
        bodies.map(|body| (body, self.outer(body.span)))
    }

    /// The message of one side.
    pub fn message(&self, side: Side) -> &Message<'a> {
        side.of([&self.request, &self.response])
    }

    /// The message of one side, to be filled in.
    pub fn message_mut(&mut self, side: Side) -> &mut Message<'a> {
        side.of([&mut self.request, &mut self.response])
    }
}
