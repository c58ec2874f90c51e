//! Checks one body: decodes it, walks it value by value, and turns matches into findings.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use super::alternatives::Alternatives;
use super::context::Context;
use super::matcher::{self, Match, MatchVisitor, ValueAt, WalkedValue};
use super::member_conditions::MemberConditions;
use super::plan::SidePlan;
use super::queries::{NothingSelected, Selection};
use super::quick_walk::QuickWalk;
use super::replacement::ReplacementSearch;
use super::rule_choice::{ChosenRule, other_case};
use super::sinks::{FindingBuffer, StreamKey, StreamSink};
use super::value_tree::ValueTree;
use super::{InnerElements, LintSink, Values, values};
use crate::findings::{ExcerptParts, ExchangePart, Finding, Occurrence, Related};
use sundown_exchange::{
    Body, BodyMap, Encoding, Exchange, FormFields, FormJson, FormKind, Reason, Side, Skip,
    may_be_json_patch, writes_members,
};
use sundown_selector::automaton::{PatternId, Walk};
use sundown_text_json::Limits;
use sundown_text_json::json::key_context::QuoteLevel;
use sundown_text_json::json::pointer::PointerBuilder;
use sundown_text_json::json::{
    SyntaxError, SyntaxErrorKind, scan, string, valid_beginning, valid_prefix,
};
use sundown_text_json::text::{OffsetMap, Span, magic};

/// Checks the bodies of one side of one exchange.
pub(super) struct BodyCheck<'c, 'a, 's> {
    context: Context<'c, 'a>,
    side: Side,
    plan: &'s mut SidePlan,
    limits: Limits,
    sink: &'s mut dyn LintSink,
    /// Whether the body has fewer bytes than the capture says.
    cut_by_capture: bool,
    /// What the earlier values of a streamed response have; `None` if the body is no such response.
    seen_in_stream: Option<HashSet<StreamKey>>,
    replacements: ReplacementSearch,
}

impl<'c, 'a, 's> BodyCheck<'c, 'a, 's> {
    pub(super) fn new(
        context: Context<'c, 'a>,
        side: Side,
        plan: &'s mut SidePlan,
        limits: Limits,
        sink: &'s mut dyn LintSink,
    ) -> Self {
        let replacements = ReplacementSearch::default();
        Self {
            context,
            side,
            plan,
            limits,
            sink,
            cut_by_capture: false,
            seen_in_stream: None,
            replacements,
        }
    }

    /// Checks a body. A `quick` rules out a decoded body in which nothing can match; without it, all are validated.
    pub(super) fn check(mut self, body: &Body<'_>, quick: Option<&mut QuickWalk>) {
        let content = match self.context.unpacking.content(body, self.limits) {
            Ok(content) => content,
            Err(skip) => return self.sink.skip(skip),
        };
        let bytes = &*content.bytes;
        self.replacements = ReplacementSearch::of_size(bytes.len());
        self.cut_by_capture = content.is_cut(body);
        let mut map = content.map(body);
        if let Some(kind) = self.form_kind(body, bytes) {
            if kind.has_too_many_fields(bytes) {
                let detail = "a form with more than 20000 fields";
                return self.skip(Reason::BeyondLimit, body.span, detail);
            }
            return self.form(kind.parse(bytes), body, &mut map, quick);
        }
        if may_be_json_patch(bytes, b"\"") && writes_members(bytes) {
            let detail = "a JSON Patch, whose paths name the members";
            self.skip(Reason::UnreadNotation, body.span, detail);
        }
        let is_encoded = body.is_encoded() || content.is_unpacked;
        let may_rule_out = is_encoded && !self.cut_by_capture;
        if let Some(quick) = quick.filter(|_| may_rule_out)
            && quick.rules_out_text(bytes, QuoteLevel::Document, self.plan)
        {
            return;
        }
        let mut base = magic::text_start(bytes);
        let first = bytes
            .get(base..)
            .and_then(|text| text.trim_ascii_start().first());
        if !body.may_be_json() && first.is_some_and(|first| !b"{[\"".contains(first)) {
            return self.not_json(body, body.span);
        }
        let mut whole = true;
        let mut line_wise = None;
        // Bytes that are not UTF-8 end a text; another may begin on a later line.
        while let Some(rest) = bytes.get(base..).filter(|rest| !rest.is_empty()) {
            // Each line may have such bytes.
            let (text, cut) = match line_wise {
                None => valid_prefix(rest),
                Some(_) => valid_beginning(rest),
            };
            let after = cut
                .filter(|_| *line_wise.get_or_insert_with(|| values::is_line_wise(rest)))
                .and_then(|cut| next_line(rest, cut.offset));
            let end = after.unwrap_or(rest.len());
            let mut mapped = Mapped {
                map: &mut map,
                base,
                inside: None,
            };
            whole &= match values::text_in_string(text).filter(|_| cut.is_none()) {
                Some((content, inside)) => {
                    mapped.inside = Some(inside);
                    self.values(body, &content, None, &mut mapped)
                }
                None => self.values(body, text, cut.map(|cut| (cut, end)), &mut mapped),
            };
            let Some(after) = after else { break };
            base += after;
        }
        if whole && !is_one_json_text(body, bytes) {
            self.report_cut(body);
        }
    }

    /// Returns the kind of form that a body is. Only requests have forms without a media type.
    fn form_kind(&self, body: &Body<'_>, bytes: &[u8]) -> Option<FormKind> {
        let media_type = body.media_type.as_deref();
        let may_be_form = media_type.is_some() || self.side == Side::Request;
        let kind = FormKind::of(media_type, bytes).filter(|_| may_be_form)?;
        let is_stream = kind != FormKind::Multipart
            && std::str::from_utf8(bytes)
                .is_ok_and(|text| matches!(values::without_event_framing(text), Cow::Owned(_)));
        (!is_stream).then_some(kind)
    }

    /// Checks a form as the object that its fields describe.
    fn form(
        &mut self,
        fields: Option<FormFields>,
        body: &Body<'_>,
        map: &mut BodyMap<'_>,
        quick: Option<&mut QuickWalk>,
    ) {
        let Some(FormFields {
            named,
            unnamed,
            undecoded,
        }) = fields
        else {
            let detail = "the parts of the form cannot be separated";
            return self.skip(Reason::BadEncoding, body.span, detail);
        };
        if let Some(part) = unnamed {
            let detail = "a part of a form without a name";
            self.skip(Reason::NotJson, map.outer(part), detail);
        }
        if let Some(part) = undecoded {
            let detail =
                "a part of a form whose `Content-Transfer-Encoding` is wrong or is not known";
            self.skip(Reason::BadEncoding, map.outer(part), detail);
        }
        let FormJson {
            text,
            map: inside,
            broken,
        } = FormJson::of(&named);
        if let Some(value) = broken {
            let detail = "a field of the form begins like JSON";
            self.skip(Reason::InvalidJson, map.outer(value), detail);
        }
        let is_ruled_out = quick.is_some_and(|quick| {
            quick.rules_out_text(text.as_bytes(), QuoteLevel::Document, self.plan)
        });
        if !is_ruled_out {
            let mut mapped = Mapped {
                map,
                base: 0,
                inside: Some(inside),
            };
            if let Err(fault) = self.value(&text, 0, &mut mapped) {
                self.refuse(0, fault, text.len(), &mut mapped);
            }
        }
        self.report_cut(body);
    }

    /// Reports the end of a body that the capture lacks.
    fn report_cut(&mut self, body: &Body<'_>) {
        if self.cut_by_capture {
            let end = Span::new(body.span.end, body.span.end);
            self.skip(Reason::Truncated, end, CUT_BY_CAPTURE);
        }
    }

    fn skip(&mut self, reason: Reason, span: Span, detail: &str) {
        self.sink.skip(Skip::at(reason, span).because(detail));
    }

    /// Walks each value of a text, and returns whether all of it is valid. `cut` is the error that ends the text before the end of
    /// the body, and the offset up to which it matters.
    fn values(
        &mut self,
        body: &Body<'_>,
        text: &str,
        cut: Option<(SyntaxError, usize)>,
        mapped: &mut Mapped<'_, '_>,
    ) -> bool {
        // Each line of a file without calls may be a response of its own.
        let is_response =
            self.side == Side::Response && self.context.exchange.call.url_span.is_some();
        let (text, is_stream) = values::without_framing(text);
        if is_response && is_stream {
            self.seen_in_stream.get_or_insert_default();
        }
        let framed = matches!(text, Cow::Owned(_));
        let first = text.len() - text.trim_start_matches([' ', '\t', '\n', '\r']).len();
        let mut at = first;
        let mut whole = true;
        let mut line_wise = None;
        while at < text.len() {
            let fault = match self.value(&text, at, mapped) {
                Ok(next) => {
                    at = next;
                    continue;
                }
                Err(fault) => fault,
            };
            // A line break inside a string may be one that should have been escaped: then the string goes on.
            let in_string = fault.kind == SyntaxErrorKind::ControlCharacter
                && text.as_bytes().get(fault.offset) == Some(&b'\n');
            let apart = !in_string
                && *line_wise
                    .get_or_insert_with(|| framed || values::is_line_wise(text.as_bytes()));
            let resume = apart
                .then(|| values::resume_after(&text, at, fault.offset))
                .flatten();
            let (fault, rest) = cut
                .filter(|_| fault.offset >= text.len())
                .unwrap_or((fault, text.len()));
            if (framed || at == first) && !expects_json(body, &text, at, framed, fault) {
                // In a stream, this concerns one event; elsewhere, the whole text.
                let end = resume.filter(|_| framed);
                self.not_json(body, mapped.outer(Span::new(at, end.unwrap_or(rest))));
                let Some(next) = end else { return true };
                at = next;
                continue;
            }
            whole = false;
            self.refuse(at, fault, resume.unwrap_or(rest), mapped);
            let Some(next) = resume else { return false };
            at = next;
        }
        if let Some((error, end)) = cut {
            self.refuse(text.len(), error, end, mapped);
        }
        whole && cut.is_none()
    }

    /// Walks one value and returns the offset of the next. Its findings are reported if it is JSON, or JSON up to where it was cut
    /// off.
    fn value(
        &mut self,
        text: &str,
        at: usize,
        mapped: &mut Mapped<'_, '_>,
    ) -> Result<usize, SyntaxError> {
        let Some(mut walk) = self.plan.walk.take() else {
            return Ok(text.len());
        };
        let tree = ValueTree::of(WalkedValue {
            text,
            start: at,
            limits: self.limits,
        });
        let selection = self.plan.select(&tree);
        let selected = selection
            .as_ref()
            .ok()
            .filter(|selection| !selection.is_empty());
        let mut buffer = FindingBuffer::default();
        let mut value = ValueWalk {
            context: self.context,
            side: self.side,
            plan: &*self.plan,
            tree: &tree,
            walk: &mut walk,
            selected,
            alternatives: None,
        };
        let mut replacements = self.replacements.in_another_text();
        let walked = value.run(mapped, &mut replacements, &mut buffer);
        let end = walked.ok();
        let next = walked.and_then(|end| {
            let kind = SyntaxErrorKind::Expected("the end of the body");
            values::next_value(text, end).ok_or(SyntaxError::new(end, kind))
        });
        if let (Ok(_), Some(end), Err(error)) = (&next, end, selection.as_ref()) {
            let span = mapped.outer(Span::new(at, end));
            let reason = match error.kind {
                SyntaxErrorKind::TooLarge => Reason::BeyondLimit,
                _ => Reason::TooDeepForFilters,
            };
            self.sink.skip(Skip::at(reason, span).because(error));
        }
        let holds = next
            .as_ref()
            .err()
            .is_none_or(|error| error.leaves_prefix_whole());
        // Nothing is selected in a value that is not complete.
        if next.is_err() && value.selected.take().is_some() {
            buffer.give_up();
        }
        let mut sink = StreamSink::new(self.seen_in_stream.as_mut(), self.sink);
        match buffer.into_findings() {
            _ if !holds => {}
            Some(findings) if findings.is_empty() || !value.walk.has_alternatives() => {
                for finding in findings {
                    sink.finding(finding);
                }
            }
            // The same walk again, now that its findings are known to hold, and are worth deciding which alternatives do.
            _ => {
                // A form has only strings, which decide nothing.
                let is_whole = mapped.inside.is_none();
                value.alternatives = is_whole.then(|| Alternatives::of(&tree)).flatten();
                replacements = self.replacements.in_another_text();
                _ = value.run(mapped, &mut replacements, &mut sink);
            }
        }
        sink.finish();
        self.replacements = replacements;
        if walk.take_overflow() | self.plan.take_overflow_of_queries() {
            let span = mapped.outer(Span::new(at, end.unwrap_or(text.len())));
            self.sink.skip(Skip::at(Reason::TooManyStates, span));
        }
        self.plan.walk = Some(walk);
        next
    }

    /// Reports that the value at `at` was not checked, or not completely, up to `end`.
    fn refuse(&mut self, at: usize, error: SyntaxError, end: usize, mapped: &mut Mapped<'_, '_>) {
        let mut skip = Skip::broken(
            SyntaxError {
                offset: error.offset - at,
                ..error
            },
            Span::new(at, end),
        );
        skip.span = skip.span.map(|span| mapped.outer(span));
        if self.cut_by_capture && error.kind == SyntaxErrorKind::UnexpectedEnd {
            skip = skip.because(CUT_BY_CAPTURE);
        }
        self.sink.skip(skip);
    }

    /// Reports text that is not JSON and does not claim to be.
    fn not_json(&mut self, body: &Body<'_>, span: Span) {
        let detail = body
            .other_kind()
            .filter(|_| !body.may_be_json())
            .map(str::to_owned);
        self.sink.skip(Skip {
            detail,
            ..Skip::at(Reason::NotJson, span)
        });
    }
}

/// The members of a body that are texts of JSON, each with its name. What was taken for a body, in JSON or in the block style of YAML,
/// may only hold it.
pub(super) fn texts_inside(exchange: &Exchange<'_>, body: &Body<'_>) -> Vec<(String, Vec<u8>)> {
    let raw = body.raw();
    // A text in YAML has no colon, or begins with a mark of its style.
    let is_block = !matches!(raw.first(), Some(b'"' | b'\'' | b'|' | b'>')) && raw.contains(&b':');
    let text = match body.encoding {
        Encoding::Plain => raw.into(),
        Encoding::Decoded if is_block => body.decode().unwrap_or_default(),
        _ => return Vec::new(),
    };
    let may_hold = exchange.extent.is_some() && text.starts_with(b"{");
    if !may_hold || memchr::memmem::find(&text, br#"\""#).is_none() {
        return Vec::new();
    }
    let members = scan::members(&text, 0).map_while(Result::ok);
    let texts = members.filter(|member| member.value.slice(&text).starts_with(b"\""));
    texts
        .map(|member| [member.key, member.value].map(|it| string::decode_bytes(&text, it)))
        .filter(|[_, value]| value.trim_start().starts_with(['{', '[']))
        .map(|[name, value]| (name.into_owned(), value.into_owned().into_bytes()))
        .collect()
}

/// Whether a body is one object or array to its end, and no stream of several: what says that it is longer is wrong.
fn is_one_json_text(body: &Body<'_>, bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_end();
    let media_type = body.media_type.as_deref().unwrap_or_default();
    (media_type.ends_with("/json") || media_type.ends_with("+json"))
        && memchr::memchr2(b'{', b'[', text)
            .is_some_and(|open| scan::value(text, open).is_ok_and(|value| value.end == text.len()))
}

const CUT_BY_CAPTURE: &str = "the capture holds only its beginning";

/// Returns the offset of the next line after `from` that begins with a value.
fn next_line(bytes: &[u8], from: usize) -> Option<usize> {
    let after = bytes.get(from..)?;
    memchr::memchr_iter(b'\n', after)
        .map(|at| from + at + 1)
        .find(|&line| matches!(bytes.get(line), Some(b'{' | b'[')))
}

/// Whether invalid text should have been JSON: its body says so, or it begins like JSON and the body does not say
/// otherwise. An event of a stream is judged by itself.
fn expects_json(body: &Body<'_>, text: &str, at: usize, framed: bool, fault: SyntaxError) -> bool {
    let looks_like_json = text
        .get(at..)
        .is_some_and(|value| value.starts_with(['{', '[']));
    if framed {
        return looks_like_json;
    }
    body.claims_json() || looks_like_json && (body.may_be_json() || fault.leaves_prefix_whole())
}

/// Maps a text that begins somewhere in a body to the file.
struct Mapped<'m, 'b> {
    map: &'m mut BodyMap<'b>,
    base: usize,
    /// Maps the text to the body, where it was a string within it.
    inside: Option<OffsetMap>,
}

impl Mapped<'_, '_> {
    fn outer(&mut self, inner: Span) -> Span {
        let span = self
            .inside
            .as_ref()
            .map_or(inner, |inside| inside.outer(inner));
        self.map.outer(span.shifted(self.base))
    }
}

/// A walk over one value.
struct ValueWalk<'v, 'a> {
    context: Context<'v, 'a>,
    side: Side,
    plan: &'v SidePlan,
    tree: &'v ValueTree<'v>,
    walk: &'v mut Walk,
    selected: Option<&'v Selection>,
    /// Decides between the alternatives of schemas.
    alternatives: Option<Alternatives<'v>>,
}

impl ValueWalk<'_, '_> {
    /// Walks the value, and returns the offset after it.
    fn run(
        &mut self,
        mapped: &mut Mapped<'_, '_>,
        replacements: &mut ReplacementSearch,
        sink: &mut dyn LintSink,
    ) -> Result<usize, SyntaxError> {
        let mut build = Build {
            context: self.context,
            side: self.side,
            plan: self.plan,
            mapped,
            path: PointerBuilder::default(),
            open: Vec::new(),
            replacements,
            conditions: MemberConditions::of(self.tree),
            sink,
        };
        let (value, walk) = (self.tree.value, &mut *self.walk);
        let alternatives = self.alternatives.as_mut();
        let end = match self.selected {
            None => matcher::walk(value, walk, &NothingSelected, alternatives, &mut build),
            Some(keys) => matcher::walk(value, walk, keys, alternatives, &mut build),
        };
        build.ended(0);
        build.report_undecided(value, end.ok());
        end
    }
}

/// Makes findings, and keeps each until its value ends, to relate deprecated elements inside it.
struct Build<'b, 'a, 'm, 'f, 't> {
    context: Context<'b, 'a>,
    side: Side,
    plan: &'b SidePlan,
    mapped: &'b mut Mapped<'m, 'f>,
    /// The path to the innermost container of the last match; containers that have ended are removed.
    path: PointerBuilder,
    open: Vec<(usize, Finding)>,
    replacements: &'b mut ReplacementSearch,
    conditions: MemberConditions<'t>,
    sink: &'b mut dyn LintSink,
}

impl Build<'_, '_, '_, '_, '_> {
    /// Reports that the conditions of rules were not decided in a value that ends at `end`.
    fn report_undecided(self, value: WalkedValue<'_>, end: Option<usize>) {
        if self.conditions.is_undecided() {
            let end = end.unwrap_or(value.text.len());
            let skip = Skip::at(
                Reason::BeyondLimit,
                self.mapped.outer(Span::new(value.start, end)),
            );
            self.sink
                .skip(skip.because("rules with `when` need values of at most 64 MiB"));
        }
    }
}

impl MatchVisitor for Build<'_, '_, '_, '_, '_> {
    type Choice = ChosenRule;

    fn choose(&mut self, accepts: &[PatternId], value: ValueAt<'_>) -> Vec<ChosenRule> {
        let as_of = self.context.lifecycle.as_of;
        let chosen = self.plan.choose(
            accepts,
            value,
            &mut self.conditions,
            as_of,
            self.context.choice,
        );
        let matched = chosen.iter().map(|chosen| &chosen.matched);
        if Context::is_unknown(matched)
            && let Some(rule) = self
                .plan
                .find_other_case(accepts, value, &mut self.conditions)
        {
            let at = self.mapped.outer(Span::new(value.start, value.start));
            self.sink.skip(other_case(rule, at));
        }
        chosen
    }

    fn found(&mut self, choice: ChosenRule, at: &Match<'_>) {
        let ChosenRule { matched, certainty } = choice;
        let rule = &self.context.matched_rule(&matched);
        let rule_use = &matched.rule_use;
        let certainty = self.context.certainty(certainty).with_rule(rule);
        let span = self.mapped.outer(at.key);
        for step in at.steps_from(self.path.depth()) {
            self.path.push(&step);
        }
        let part = ExchangePart::Message(self.side);
        let pointer = Some(at.pointers(&self.path));
        let encoded = !self.mapped.map.is_exact();
        let lifecycle = self.context.lifecycle;
        let severity = certainty.lower(lifecycle.severity_of(rule, Some(self.side)));
        // Related elements are found again by their rules, which the set must have.
        let is_related = self.context.inner == InnerElements::Related && !rule.is_of_one_version;
        // Inside a deprecated field: part of that finding, unless it is worse than that.
        // Another finding about the same key is not around it.
        let around = self
            .open
            .iter_mut()
            .rev()
            .find(|(depth, _)| *depth < at.depth());
        if let Some((_, around)) =
            around.filter(|(_, around)| is_related && around.covers(severity, rule.removal))
        {
            around.add_related(Related {
                rule: Arc::clone(rule),
                part,
                pointer,
                span,
                encoded,
                certainty,
            });
            return;
        }
        let found = Occurrence {
            operation: Arc::clone(&rule_use.operation),
            part,
            pointer,
            span,
            shown: ExcerptParts {
                parent: at.parent().map(Cow::into_owned),
                key: at.raw_key().map(str::to_owned),
                encoded,
                value: at.value,
                text: match self.context.values {
                    Values::Hidden => None,
                    Values::Shown => {
                        let is_version = matched.version.is_some();
                        at.text_that_may_be_shown(
                            is_version || rule.element.exact_value().is_some(),
                        )
                    }
                },
                ..ExcerptParts::default()
            },
            exchange: self.context.exchange_ref(),
            certainty,
        };
        let mut finding = Finding::new(rule, lifecycle, found);
        if at.raw_key().is_some() {
            finding.replacement = self.replacements.state(rule, at.text, at.key);
        }
        self.open.push((at.depth(), finding));
    }

    #[inline]
    fn ended(&mut self, depth: usize) {
        // The root has no step.
        self.path.truncate(depth.saturating_sub(1));
        while let Some((_, finding)) = self.open.pop_if(|(opened, _)| *opened >= depth) {
            self.sink.finding(finding);
        }
    }
}
