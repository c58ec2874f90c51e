//! Chooses the shape of a record, and locates the pieces of its call.

use super::audit_event;
use super::automaton::NameId;
use super::compiled::{Compiled, CompiledShape, Logs, METHOD_FIELD};
use super::found::Found;
use super::known::RECORDERS;
use super::located::{LocatedMessage, LocatedRecord, TargetForm};
use super::message::{self, describes_left_out};
use super::shape::{LogShape, Piece};
use super::unread;
use crate::file_head::{contains, without_quotes};
use crate::messages::recorded_body;
use crate::names::{NAMES, has_name};
use crate::pieces::{self, split_request};
use sundown_exchange::Side;
use sundown_text_json::Limits;
use sundown_text_json::json::scan::{self, Break, MemberSpans};
use sundown_text_json::json::{Node, ValueKind};
use sundown_text_json::text::Span;

/// The call of a record, and its shape.
struct CallMatch<'t, 'c> {
    shape: &'c CompiledShape,
    method: Option<Node<'t>>,
    /// The URL, the request line, or the header fields with both.
    url: Node<'t>,
    form: TargetForm,
}

impl<'t, 'c> Found<'t, 'c> {
    /// Locates the pieces of the call in a record: in the places of the first of its shapes that the record has completely, and
    /// else in the usual ones. A user's shapes come before all others.
    pub(crate) fn locate(&self, record: Node<'t>, logs: &Logs<'_>) -> Option<LocatedRecord<'t>> {
        let call = logs
            .own()
            .find_map(|shape| self.call_of_own(shape))
            .or_else(|| self.call())?;
        self.locate_call(&call, record)
    }

    /// Locates the pieces of an interaction where its recorder keeps them; those of the response among the names of `answer`.
    pub(crate) fn locate_recorded(
        &self,
        answer: &Self,
        interaction: Node<'t>,
        recorder: &LogShape,
        limits: Limits,
    ) -> Option<LocatedRecord<'t>> {
        let number = RECORDERS
            .iter()
            .position(|known| known.name == recorder.name)?;
        let shape = self.compiled().recorders.get(number)?;
        let call = self
            .call_in_members(shape)
            .or_else(|| self.call_without_method(shape))?;
        let [request, response] = ["request", "response"].map(|name| interaction.get(name));
        Some(LocatedRecord {
            status: answer.first(shape.names(Piece::Status), is_scalar),
            request: self.recorded_message(shape, Side::Request, request, limits),
            response: answer.recorded_message(shape, Side::Response, response, limits),
            ..self.locate_call(&call, interaction)?
        })
    }

    /// Locates one half of an interaction, with all forms of its body.
    fn recorded_message(
        &self,
        shape: &CompiledShape,
        side: Side,
        message: Option<Node<'t>>,
        limits: Limits,
    ) -> LocatedMessage<'t> {
        let bodies: Vec<_> = self.all(shape.names(side.of(BODIES))).collect();
        let mut forms = bodies.iter().flat_map(|body| recorded_body::forms(*body));
        let unknown = message.filter(|_| bodies.is_empty());
        LocatedMessage {
            headers: self.all(shape.names(side.of(HEADERS))).next(),
            body: forms.next(),
            others: forms
                .filter(|form| !recorded_body::is_form(*form))
                .collect(),
            recorded: Some(limits),
            unknown: unknown.map_or_else(Vec::new, |node| message::find_unknown(node, |_| true)),
            ..LocatedMessage::default()
        }
    }

    /// Locates the pieces of a call in the places of its shape, and else in the usual ones.
    fn locate_call(&self, call: &CallMatch<'t, 'c>, record: Node<'t>) -> Option<LocatedRecord<'t>> {
        let shape = call.shape;
        let usual = &self.compiled().usual;
        let number = self
            .all(usual.names(Piece::Status))
            .find(|node| node.kind() == ValueKind::Number && node.is_called("status"));
        let has_call = call.method.is_some() || call.form != TargetForm::Url || shape.is_own;
        if !has_call && number.is_none() && !self.has_sign(usual) {
            return None;
        }
        let itself = own_bodies(call, record);
        // If the request is the body, its members belong to the body.
        let is_outside = |name: &&NameId| {
            itself[0].is_none() || !self.compiled().automaton.text(**name).starts_with("req")
        };
        let names = |piece| shape.names(piece).iter().chain(usual.names(piece));
        let value = |name: &NameId| self.get(*name);
        let (mut queries, mut taken): (Vec<Node<'t>>, Vec<Node<'t>>) = Default::default();
        let mut has_variables = false;
        for query in names(Piece::Query).filter(is_outside).filter_map(value) {
            let is_new = taken.iter().all(|known| known.index() != query.index());
            let may_be_other = query
                .key()
                .is_some_and(|key| has_name(&NAMES.parameters, key))
                && !self
                    .all(shape.names(Piece::Query))
                    .any(|own| own.index() == query.index());
            if !is_new
                || may_be_other && !queries.is_empty()
                || unread::is_other_notation(query.raw_bytes())
            {
                continue;
            }
            let is_query = !may_be_other || !has_path_variables(query, call.url);
            has_variables |= !is_query;
            queries.extend(is_query.then_some(query));
            // They may be the body, too, but for a text beside the query of the URL.
            let is_repeated = is_string(query) && call.url.raw_bytes().contains(&b'?');
            if !(may_be_other && is_query && has_body(call.method)) || is_repeated {
                taken.push(query);
            }
        }
        let [mut request, response] = self.messages(call, itself, record, &taken, number.is_some());
        // Names and values in a list were an object.
        let is_list = |body: &mut Node<'_>| {
            let is_body = |query: &Node<'_>| query.index() == body.index();
            body.kind() == ValueKind::Array && queries.iter().any(is_body)
        };
        request.unknown.extend(request.body.take_if(is_list));
        // An object with a matcher is one of a stub, and no body.
        let unread = self.first(shape.names(Piece::Unread), |_| true);
        let is_matcher =
            |body: &mut Node<'_>| unread.is_some_and(|unread| is_around(*body, unread));
        request.body.take_if(is_matcher);
        let mut hosts = names(Piece::Host).filter(is_outside).filter_map(value);
        let located = LocatedRecord {
            record,
            method: call.method,
            url: call.url,
            form: call.form,
            host: hosts.find(|node| is_string(*node)),
            queries,
            has_path_variables: has_variables,
            started: names(Piece::Started).find_map(value),
            status: names(Piece::Status)
                .filter_map(value)
                .find(|node| is_scalar(*node)),
            initiator: self
                .first(shape.names(Piece::Initiator), is_object)
                .or_else(|| self.first(shape.names(Piece::Initiator), is_string)),
            announcements: self.first(shape.names(Piece::Announcements), is_object),
            stage: self.first(shape.names(Piece::Stage), is_string),
            unread,
            request,
            response,
        };
        let known = [located.method, Some(located.url)];
        let is_call = shape.is_own || located.has_evidence() || !message::is_route(record, known);
        is_call.then_some(located)
    }

    /// Locates both halves of a call in a record. `itself` are those that are their own bodies, and `queries` are no bodies.
    fn messages(
        &self,
        call: &CallMatch<'t, '_>,
        itself: [Option<Node<'t>>; 2],
        record: Node<'t>,
        queries: &[Node<'t>],
        has_status: bool,
    ) -> [LocatedMessage<'t>; 2] {
        let [sent, answered] = itself;
        let mut request = self.message(call, sent, Side::Request);
        let mut response = self.message(call, answered, Side::Response);
        // A body beside a status may be that of the response: it is checked as both.
        if has_status && response.body.is_none() {
            let beside = record.get("body").map(Node::index);
            let is_between = |body: &Node<'_>| beside == Some(body.index());
            response.body = request.body.filter(is_between);
        }
        let may_be_elsewhere = !call.shape.traits.only_named_bodies;
        let other = |known: Node<'t>, is_answer| {
            let is_free = |node: &Node<'t>| {
                let mut taken = queries.iter().chain([&known]);
                taken.all(|other| other.index() != node.index())
                    && !is_around(*node, known)
                    && !is_around(*node, call.url)
            };
            message::find_other_bodies(record, is_answer, is_free)
        };
        match (request.body, response.body) {
            _ if !may_be_elsewhere => {}
            (None, None) => {
                message::find_unknown_bodies(record, queries, &mut request, &mut response);
            }
            (None, Some(known)) => request.unknown = other(known, false),
            (Some(known), None) => response.unknown = other(known, true),
            (Some(_), Some(_)) => {}
        }
        [request, response].map(|message| LocatedMessage {
            base64: message.body.and_then(message::find_base64_sign),
            ..message
        })
    }

    fn first(&self, names: &[NameId], fits: fn(Node<'_>) -> bool) -> Option<Node<'t>> {
        self.all(names).find(|node| fits(*node))
    }

    /// Whether the record has one of the members by which a shape is known.
    pub(super) fn has_sign(&self, shape: &CompiledShape) -> bool {
        let mut signs = shape.when.iter();
        shape.when.is_empty()
            || signs.any(|(name, value)| {
                self.get(*name).is_some_and(|node| {
                    value
                        .as_ref()
                        .is_none_or(|value| node.text() == Some(value))
                })
            })
    }

    /// The call in a shape of the user: its URL, and the method and the status, if the shape names them.
    fn call_of_own(&self, shape: &'c CompiledShape) -> Option<CallMatch<'t, 'c>> {
        let is_given = |piece, fits: fn(Node<'_>) -> bool| {
            shape.names(piece).is_empty() || self.first(shape.names(piece), fits).is_some()
        };
        if !self.has_sign(shape) || !is_given(Piece::Status, is_there) {
            return None;
        }
        let Some(url) = self.first(shape.names(Piece::Url), is_string) else {
            return self.call_in_request_line(shape);
        };
        let method = self.first(shape.methods(), is_string);
        if method.is_none() && !shape.methods().is_empty() {
            return None;
        }
        Some(CallMatch {
            shape,
            // Some write `-` where they do not know it.
            method: method.filter(|node| is_method(shape, *node)),
            url,
            form: form(shape),
        })
    }

    /// Finds the method and URL of one known shape: the first that has both, else the first request line, else the first URL.
    fn call(&self) -> Option<CallMatch<'t, 'c>> {
        let compiled = self.compiled();
        let of = |set| {
            let shapes = compiled.shapes_of(set);
            shapes.filter(|shape| self.has_sign(shape))
        };
        let roles = self.roles;
        of(roles.methods & roles.urls & roles.signs)
            .find_map(|shape| self.call_in_members(shape))
            .or_else(|| {
                of(roles.lines & roles.signs).find_map(|shape| self.call_in_request_line(shape))
            })
            .or_else(|| self.call_in_header_fields())
            .or_else(|| {
                of(roles.urls & roles.signs).find_map(|shape| self.call_without_method(shape))
            })
    }

    fn call_in_members(&self, shape: &'c CompiledShape) -> Option<CallMatch<'t, 'c>> {
        let is_common = |node: &Node<'t>| !shape.traits.any_spelling || is_common_method(*node);
        let method = self
            .all(shape.methods())
            .find(|node| is_method(shape, *node) && is_common(node))?;
        let url = self
            .all(shape.names(Piece::Url))
            .find(|url| is_string(*url) && (!shape.traits.any_spelling || is_address(*url)))?;
        Some(CallMatch {
            shape,
            method: Some(method),
            url,
            form: form(shape),
        })
    }

    /// The method and URL in a request line. A member of that name may contain anything.
    fn call_in_request_line(&self, shape: &'c CompiledShape) -> Option<CallMatch<'t, 'c>> {
        let url = self.first(shape.names(Piece::RequestLine), is_string)?;
        let line = url.as_str()?.lines().next()?;
        split_request(line.as_bytes(), Span::new(0, line.len()))?;
        Some(CallMatch {
            shape,
            method: None,
            url,
            form: TargetForm::RequestLine,
        })
    }

    /// The method and the path among header fields, as HTTP/2 sends them.
    fn call_in_header_fields(&self) -> Option<CallMatch<'t, 'c>> {
        let usual = &self.compiled().usual;
        let headers = |shape: &'c CompiledShape| {
            let mut headers = self.all(shape.names(Piece::RequestHeaders));
            headers.find(|node| contains(node.raw_bytes(), METHOD_FIELD))
        };
        let url = headers(usual)?;
        // The other pieces are where a shape says whose signs the record has.
        let signed = self.compiled().shapes_of(self.roles.signs);
        let mut signed = signed.filter(|shape| !shape.when.is_empty() && self.has_sign(shape));
        let shape = signed
            .find(|shape| headers(shape).is_some())
            .unwrap_or(usual);
        Some(CallMatch {
            shape,
            method: None,
            url,
            form: TargetForm::HeaderFields,
        })
    }

    fn call_without_method(&self, shape: &'c CompiledShape) -> Option<CallMatch<'t, 'c>> {
        if shape.traits.any_spelling {
            return None;
        }
        Some(CallMatch {
            shape,
            method: None,
            url: self.first(shape.names(Piece::Url), is_string)?,
            form: form(shape),
        })
    }

    /// Locates one half of a call: in the places of its shape, then in the usual ones. What has been taken for the URL is not a
    /// body.
    fn message(
        &self,
        call: &CallMatch<'t, '_>,
        itself: Option<Node<'t>>,
        side: Side,
    ) -> LocatedMessage<'t> {
        let usual = &self.compiled().usual;
        let [headers, body] = [HEADERS, BODIES].map(|pieces| side.of(pieces));
        let own = call.shape.names(body);
        // What a user names is meant.
        let is_named = call.shape.is_own && !own.is_empty();
        let is_other = |node: &Node<'_>| {
            let is_message =
                || call.form == TargetForm::RequestLine && contains(node.raw_bytes(), b"\\n");
            node.index() != call.url.index() || is_message()
        };
        let itself = itself.filter(|node| !is_named && is_other(node));
        // What the shape has for the other half is usual for this one.
        let is_free = |node: &Node<'_>| {
            let of_other = |pieces| self.all(call.shape.names(side.other().of(pieces)));
            let mut others = [HEADERS, BODIES].into_iter().flat_map(of_other);
            others.all(|other| other.index() != node.index())
        };
        let headers = self
            .all(call.shape.names(headers))
            .chain(self.all(usual.names(headers)).filter(is_free))
            .next();
        let elsewhere = || {
            let is_open = !call.shape.traits.only_named_bodies && !is_named;
            let usual = self.all(usual.names(body)).filter(move |_| is_open);
            usual.filter(is_free)
        };
        let has_content = |node: &Node<'_>| is_there(*node) && !node.is_empty_text();
        let node = itself
            .or_else(|| self.all(own).find(has_content))
            .or_else(|| {
                self.all(own)
                    .chain(elsewhere())
                    .find(|node| is_there(*node))
            });
        let left_out =
            node.filter(|node| !call.shape.traits.wrapped_bodies && describes_left_out(*node));
        LocatedMessage {
            headers: headers.filter(|node| !itself.is_some_and(|body| is_around(body, *node))),
            body: node.filter(|_| left_out.is_none()),
            left_out,
            is_wrapped: call.shape.traits.wrapped_bodies,
            size: self.all(call.shape.names(side.of(SIZES))).next(),
            ..LocatedMessage::default()
        }
    }
}

/// The pieces of both halves of a call.
const HEADERS: [Piece; 2] = [Piece::RequestHeaders, Piece::ResponseHeaders];
const BODIES: [Piece; 2] = [Piece::RequestBody, Piece::ResponseBody];
const SIZES: [Piece; 2] = [Piece::RequestSize, Piece::ResponseSize];

impl Compiled {
    /// Whether a record has a member for a request line, whatever it contains: mostly bytes of other protocols.
    pub(crate) fn has_request_line(&self, record: Node<'_>) -> bool {
        let found = self.find(record);
        self.known.iter().any(|shape| {
            found
                .first(shape.names(Piece::RequestLine), is_string)
                .is_some()
        })
    }
}

/// The request and the response that are their own bodies. The URL is none of a body.
fn own_bodies<'t>(call: &CallMatch<'t, '_>, record: Node<'t>) -> [Option<Node<'t>>; 2] {
    if call.shape.traits.only_named_bodies {
        return [None; 2];
    }
    [&NAMES.requests, &NAMES.responses]
        .map(|names| message::body_itself(record, names).filter(|node| !is_around(*node, call.url)))
}

fn is_around(node: Node<'_>, inner: Node<'_>) -> bool {
    let (outer, inner) = (node.span(), inner.span());
    outer.start < inner.start && inner.end < outer.end
}

/// Whether an object has variables of the path, as frameworks keep them beside the query: each value is a segment of the URL.
fn has_path_variables(object: Node<'_>, url: Node<'_>) -> bool {
    let text = object.raw_bytes();
    let segments = url.raw_bytes().split(|byte| b"/?#\"".contains(byte));
    let is_segment = |member: Result<MemberSpans, Break>| {
        member.is_ok_and(|member| {
            let value = without_quotes(member.value.slice(text));
            segments.clone().any(|segment| segment == value)
        })
    };
    object.kind() == ValueKind::Object && scan::members(text, 0).all(is_segment)
}

/// Whether calls of a method usually have a body.
fn has_body(method: Option<Node<'_>>) -> bool {
    let none = ["GET", "HEAD", "DELETE", "OPTIONS"];
    method
        .and_then(Node::as_str)
        .is_none_or(|name| !none.contains(&name))
}

fn form(shape: &CompiledShape) -> TargetForm {
    if shape.has_verbs() {
        TargetForm::ResourceVerb
    } else {
        TargetForm::Url
    }
}

fn is_method(shape: &CompiledShape, node: Node<'_>) -> bool {
    let parse = if shape.has_verbs() {
        audit_event::method
    } else {
        pieces::method
    };
    is_string(node) && parse(node).is_some()
}

fn is_there(node: Node<'_>) -> bool {
    node.kind() != ValueKind::Null
}

pub(super) fn is_string(node: Node<'_>) -> bool {
    node.kind() == ValueKind::String
}

fn is_scalar(node: Node<'_>) -> bool {
    matches!(node.kind(), ValueKind::Number | ValueKind::String)
}

fn is_object(node: Node<'_>) -> bool {
    node.kind() == ValueKind::Object
}

/// Whether a value is a path or a URL.
pub(crate) fn is_address(node: Node<'_>) -> bool {
    let starts = ["/", "http://", "https://"];
    node.as_str()
        .is_some_and(|text| starts.iter().any(|start| text.starts_with(start)))
}

/// Whether a value is one of the methods that nearly all calls have.
pub(crate) fn is_common_method(node: Node<'_>) -> bool {
    is_string(node) && pieces::method(node).is_some_and(|method| method.is_common())
}
