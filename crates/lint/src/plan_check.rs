//! Checks an exchange against the rules of its operation. A query parameter may have members: `where[lines][0][state]=1`, or
//! `where={"state":1}` with JSON as the value.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use memchr::memmem::Finder;

use super::body::{BodyCheck, texts_inside};
use super::calls::{PartReading, Readings, may_have_body};
use super::context::Context;
use super::options::Values;
use super::plan::{Plan, SidePlan};
use super::quick_walk::QuickWalk;
use super::replacement::is_template_name;
use super::rule_choice::{MatchedRule, PartRules, other_case, push_new};
use super::sinks::{FindingBuffer, LintSink, OperationSink, SkipWatch};
use super::unread_parts;
use crate::findings::{
    Certainty, ExcerptParts, ExchangePart, Finding, Occurrence, ReplacementState,
};
use crate::rules::{Edit, Rule};
use sundown_exchange::{Body, Decoded, QueryParameter, Reason, Side, Skip};
use sundown_text_json::Limits;
use sundown_text_json::json::{Document, Node, ValueKind};
use sundown_text_json::text::Span;

/// What loggers write for parts of an object that they leave out, and Node.js for the pieces of a body.
const LEFT_OUT: [&str; 11] = [
    "\"[Object]\"",
    "\"[Array]\"",
    "\"[...]\"",
    "\"[truncated]\"",
    "\"_truncated\":true",
    "\"_truncated\": true",
    " object at 0x",
    "\"#<",
    " not stringified\"",
    ", aborting normalization\"",
    "[{\"type\":\"Buffer\",",
];

/// What a record has in place of a body or a part of it: a size or a flag, or what says that a part was left out.
fn left_out(body: &Body<'_>) -> Option<&'static str> {
    // One search for each: their first bytes are so common in JSON that a search for all at once stops at most of them.
    static MARKS: LazyLock<[Finder<'_>; 11]> = LazyLock::new(|| LEFT_OUT.map(Finder::new));
    let raw = body.raw();
    let is_number = !raw.is_empty() && raw.iter().all(u8::is_ascii_digit);
    if is_number || matches!(raw, b"true" | b"false") {
        return Some("a number or a flag is in its place");
    }
    // A text that is JSON by itself is whole.
    let is_made = matches!(raw, [b'{' | b'[', ..]);
    (is_made && MARKS.iter().any(|mark| mark.find(raw).is_some()))
        .then_some("its logger left out a part")
}

impl Context<'_, '_> {
    /// Checks an exchange against the rules of its operation. Returns how its parts were read.
    pub(super) fn check_plan(
        self,
        plan: &mut Plan,
        limits: Limits,
        walks: [bool; 2],
        mut quick: Option<&mut QuickWalk>,
        sink: &mut dyn LintSink,
    ) -> Readings {
        let mut sink = OperationSink::new(sink, self.inner);
        for rule in &plan.endpoints {
            let matched = MatchedRule {
                rule_use: rule.clone(),
                version: None,
            };
            sink.operation_finding(self.call_finding(&matched, ExchangePart::Operation));
        }
        let request = ExchangePart::Message(Side::Request);
        let target = self.exchange.call.target();
        let segments = &plan.segments;
        let matched = segments.choose(self.set, target, self.lifecycle.as_of, self.choice);
        if Self::is_unknown(matched.iter())
            && let Some(near) = segments.find_other_case(self.set, target)
        {
            sink.skip(other_case(&near.rule, self.call_span()));
        }
        for rule in matched {
            sink.finding(self.call_finding(&rule, request));
        }
        self.check_parameters(plan, &mut sink);
        let mut readings = Readings {
            bodies: [PartReading::Absent; 2],
            ..Readings::default()
        };
        if let Some(query) = unread_parts::query(self.exchange, &plan.parameters) {
            readings.query = PartReading::Failed(query.reason);
            sink.skip(query.to_skip());
        }
        let parts = readings.headers.iter_mut().zip(&mut readings.bodies);
        for ((side, walks), (headers, reading)) in Side::BOTH.into_iter().zip(walks).zip(parts) {
            let plan = plan.side_mut(side);
            if let Some(unread) = unread_parts::headers(self.exchange, side, &plan.headers) {
                *headers = PartReading::Failed(unread.reason);
                sink.skip(unread.to_skip());
            }
            self.check_headers(side, plan, &mut sink);
            if plan.walk.is_none() {
                continue;
            }
            let message = self.exchange.message(side);
            if let Some(body) = message.body() {
                let mut watched = SkipWatch::new(body.span, &mut sink);
                if walks {
                    BodyCheck::new(self, side, plan, limits, &mut watched)
                        .check(body, quick.as_deref_mut());
                    // One with a use is the body itself.
                    if !watched.has_use {
                        self.check_texts_inside(side, plan, limits, body, &mut watched);
                    }
                }
                if let Some(what) = left_out(body).filter(|_| self.exchange.extent.is_some()) {
                    watched.skip(Skip::at(Reason::BodyMissing, body.span).because(what));
                }
                // Loggers write an empty text for a body that they did not keep.
                *reading = if body.is_empty() {
                    PartReading::Absent
                } else {
                    watched.reading
                };
            }
            if *reading == PartReading::Absent && !may_have_body(self.exchange, side) {
                *reading = PartReading::NotJson;
            }
            if let Some(unread) = message.unread() {
                *reading = PartReading::Failed(unread.reason);
                sink.skip(unread.to_skip());
            }
        }
        sink.finish();
        readings
    }

    /// Reports the texts in what was taken for a body that would be uses if they were the body.
    fn check_texts_inside(
        self,
        side: Side,
        plan: &mut SidePlan,
        limits: Limits,
        body: &Body<'_>,
        sink: &mut dyn LintSink,
    ) {
        for (name, bytes) in texts_inside(self.exchange, body) {
            let mut uses = FindingBuffer::default();
            let inner = Body::decoded(body.file(), body.span, Decoded { bytes, map: None });
            BodyCheck::new(self, side, plan, limits, &mut uses).check(&inner, None);
            if uses.has_findings() {
                let unread = Skip::at(Reason::UnreadBody, body.span);
                sink.skip(unread.because(format!("`{name}`")));
            }
        }
    }

    fn check_parameters(&self, plan: &Plan, sink: &mut dyn LintSink) {
        let parameters = &self.exchange.call.target().parameters;
        let mut members = ParameterMembers::default();
        let mut parts: Vec<_> = plan.parameters.parts().collect();
        parts.sort_by_key(|named| Reverse(named.name.len()));
        // A use of a member is no other use of the parameter that holds it.
        let mut used: HashMap<usize, Vec<&str>> = HashMap::new();
        for named in parts {
            let mut matched = Vec::new();
            let mut numbers = Vec::new();
            for (at, called) in parameters.iter().enumerate() {
                let Some(values) = members.values(at, called, named) else {
                    continue;
                };
                let whole = named.name.trim_end_matches("[*]");
                let names = used.get(&at).into_iter().flatten();
                let mut inside = names.filter_map(|name| name.strip_prefix(whole));
                if inside.any(|rest| rest.starts_with('[')) {
                    continue;
                }
                if let Some(near) = named.rules.find_other_case(&values) {
                    let span = called.span.unwrap_or_else(|| self.call_span());
                    sink.skip(other_case(&near.rule, span));
                }
                for rule in named
                    .rules
                    .choose(|| values, self.lifecycle.as_of, self.choice)
                {
                    push_new(&mut matched, rule);
                    numbers.resize(matched.len(), at);
                    used.entry(at).or_default().push(&named.name);
                }
            }
            let request = ExchangePart::Message(Side::Request);
            for (rule, number) in matched.iter().zip(numbers) {
                let own = parameters.get(number).and_then(|called| called.span);
                let shown = ExcerptParts {
                    parameter: own.is_none().then_some(number),
                    ..ExcerptParts::default()
                };
                let span = own.unwrap_or_else(|| self.call_span());
                let mut finding = self.finding(rule, request, span, shown);
                finding.replacement = self.renamed_parameter(&finding.rule);
                sink.finding(finding);
            }
        }
    }

    /// Whether the query has the parameter to which the fix of a rule renames another; unknown if the other is there several times.
    fn renamed_parameter(&self, rule: &Rule) -> ReplacementState {
        let Some(Edit::Rename(new)) = rule.fix.as_ref().map(|fix| &fix.edit) else {
            return ReplacementState::Unknown;
        };
        let call = &self.exchange.call;
        let mut names = call.target().parameters.iter().map(|one| &*one.name);
        let is_open = call.unread_query.get().is_some() || names.clone().any(is_template_name);
        let old = names
            .clone()
            .filter(|name| Some(*name) == rule.element.name());
        let is_open = is_open || old.count() > 1;
        if names.any(|name| name == new) {
            ReplacementState::Present
        } else if is_open {
            ReplacementState::Unknown
        } else {
            ReplacementState::Absent
        }
    }

    fn check_headers(&self, side: Side, plan: &SidePlan, sink: &mut dyn LintSink) {
        let message = self.exchange.message(side);
        for named in plan.headers.parts() {
            for header in message
                .headers()
                .iter()
                .filter(|header| header.name == named.name)
            {
                let values = header.values();
                if let Some(near) = named.rules.find_other_case(&values) {
                    sink.skip(other_case(&near.rule, header.span));
                }
                for rule in named
                    .rules
                    .choose(|| values, self.lifecycle.as_of, self.choice)
                {
                    // The capture may have it in lower case, as HTTP/2 does.
                    let key = rule.rule_use.rule.element.name().map(str::to_owned);
                    let shown = ExcerptParts {
                        key,
                        ..ExcerptParts::default()
                    };
                    let part = ExchangePart::Message(side);
                    sink.finding(self.finding(&rule, part, header.span, shown));
                }
            }
        }
    }

    /// Makes a finding at the URL.
    fn call_finding(&self, rule: &MatchedRule, part: ExchangePart) -> Finding {
        self.finding(rule, part, self.call_span(), ExcerptParts::default())
    }

    /// Where findings about the call are.
    fn call_span(&self) -> Span {
        let url = self.exchange.call.url_span;
        url.unwrap_or_else(|| self.bare_start())
    }

    fn finding(
        &self,
        rule: &MatchedRule,
        part: ExchangePart,
        span: Span,
        shown: ExcerptParts,
    ) -> Finding {
        let checked = self.matched_rule(rule);
        let operation = Arc::clone(&rule.rule_use.operation);
        let exchange = self.exchange_ref();
        let text = rule
            .version
            .clone()
            .filter(|_| self.values == Values::Shown);
        let shown = ExcerptParts { text, ..shown };
        let found = Occurrence {
            operation,
            part,
            pointer: None,
            span,
            shown,
            exchange,
            certainty: self.certainty(Certainty::Certain),
        };
        Finding::new(&checked, self.lifecycle, found)
    }
}

/// The depth to which the value of a parameter may nest: more than real ones have.
const MAX_DEPTH: usize = 64;

/// The parameters of a call that are JSON, each parsed when a rule asks for a member.
#[derive(Default)]
struct ParameterMembers<'p>(HashMap<usize, Option<Document<'p>>>);

impl<'p> ParameterMembers<'p> {
    /// The values of a named element in the parameter with this index: of the parameter itself, or of its member; `None` if it is
    /// not there. `name[*]` is a parameter with all of its members, as `name[member]` has its own. An object has no values, and those
    /// of a list are apart.
    fn values(
        &mut self,
        index: usize,
        parameter: &'p QueryParameter<'_>,
        named: &PartRules<String>,
    ) -> Option<Vec<Cow<'p, str>>> {
        let name = &*named.name;
        let value = parameter.value.as_deref();
        let own = name.strip_suffix("[*]").unwrap_or(name);
        let has_members = name.contains('[');
        let is_index = |c: char| c.is_ascii_digit() || "[]".contains(c);
        let rest = rest_after(&parameter.name, own).filter(|rest| {
            rest.is_empty()
                || has_members && rest.starts_with('[')
                || named.rules.is_list && rest.starts_with('[') && rest.chars().all(is_index)
        });
        if let Some(rest) = rest {
            let value = value.filter(|_| rest.chars().all(is_index));
            let list = value.filter(|_| named.rules.is_list).unwrap_or_default();
            let pieces = list.split([',', ' ', '|']);
            let pieces = pieces.filter(|one| !one.is_empty() && Some(*one) != value);
            return Some(value.into_iter().chain(pieces).map(Cow::Borrowed).collect());
        }
        let path = name.strip_prefix(&*parameter.name)?;
        let mut steps = path.strip_prefix('[')?.strip_suffix(']')?.split("][");
        let value = value?;
        let document = self
            .0
            .entry(index)
            .or_insert_with(|| Document::parse_json(value.as_bytes(), MAX_DEPTH).ok());
        let mut nodes = vec![document.as_ref()?.root()];
        steps.all(|step| {
            nodes = nodes
                .iter()
                .flat_map(|node| children(*node, step))
                .collect();
            !nodes.is_empty()
        });
        let elements = nodes.iter().flat_map(|node| match node.kind() {
            ValueKind::Array => node.children().collect(),
            _ => vec![*node],
        });
        let texts: Vec<Cow<'p, str>> = elements
            .filter_map(|node| Some(Cow::Owned(node.text()?.to_owned())))
            .collect();
        (!nodes.is_empty()).then_some(texts)
    }
}

/// What a parameter's name has after `name`, whose `[]` means any index.
fn rest_after<'c>(called: &'c str, name: &str) -> Option<&'c str> {
    let mut parts = name.split("[]");
    let first = called.strip_prefix(parts.next()?)?;
    parts.try_fold(first, |rest, part| {
        let index = rest.strip_prefix('[')?;
        let after = index.trim_start_matches(|c: char| c.is_ascii_digit());
        after.strip_prefix(']')?.strip_prefix(part)
    })
}

/// The members of this name, or all elements of an array without a name.
fn children<'d>(node: Node<'d>, step: &str) -> Vec<Node<'d>> {
    match (node.kind(), step) {
        (ValueKind::Array, "") => node.children().collect(),
        (ValueKind::Object, _) => node.get(step).into_iter().collect(),
        _ => Vec::new(),
    }
}
