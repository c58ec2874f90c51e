//! One body: decoded, walked value by value, its uses made findings.

use std::borrow::Cow;
use std::sync::Arc;

use super::hits::{self, KeyAt, Visitor, value_is};
use super::plan::SidePlan;
use super::{Context, Sink, values};
use crate::automaton::PatternId;
use crate::document::pointer::Path;
use crate::document::{SyntaxError, SyntaxErrorKind, valid_prefix};
use crate::exchange::{Body, BodyMap, Reason, Side, Skip};
use crate::finding::{Finding, Part, Related, Shown, Use};
use crate::source::{OffsetMap, Span};

/// Checks the bodies of one side of one exchange.
pub(super) struct BodyCheck<'c, 's> {
    pub(super) context: Context<'c>,
    pub(super) side: Side,
    pub(super) plan: &'s mut SidePlan,
    pub(super) max_depth: usize,
    pub(super) sink: &'s mut dyn Sink,
}

impl BodyCheck<'_, '_> {
    pub(super) fn check(mut self, body: &Body<'_>) {
        let Some(bytes) = body.decode() else {
            return self.sink.skip(Skip::at(Reason::BadEncoding, body.span).because("not base64"));
        };
        if bytes.starts_with(&[0x1F, 0x8B]) || bytes.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]) {
            return self.sink.skip(Skip::at(Reason::Compressed, body.span));
        }
        let mut map = body.map();
        let mut base = if bytes.starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
        // Bytes that are no UTF-8 end a text; a line of its own behind them is another.
        while let Some(rest) = bytes.get(base..).filter(|rest| !rest.is_empty()) {
            let (text, cut) = valid_prefix(rest);
            let behind = cut.and_then(|cut| next_line(rest, cut.offset));
            let end = behind.unwrap_or(rest.len());
            let mut mapped = Mapped { map: &mut map, base, inside: None };
            match values::text_in_string(text).filter(|_| cut.is_none()) {
                Some((content, inside)) => {
                    mapped.inside = Some(inside);
                    self.values(body, &content, None, &mut mapped);
                }
                None => self.values(body, text, cut.map(|cut| (cut, end)), &mut mapped),
            }
            let Some(behind) = behind else { break };
            base += behind;
        }
    }

    /// Walks each value of a text; `cut` is what ends the text, if it is not the body's end, and up to where it spoils it.
    fn values(
        &mut self,
        body: &Body<'_>,
        text: &str,
        cut: Option<(SyntaxError, usize)>,
        mapped: &mut Mapped<'_, '_>,
    ) {
        let text = values::without_event_framing(text);
        let framed = matches!(text, Cow::Owned(_));
        let first = text.len() - text.trim_start_matches([' ', '\t', '\n', '\r']).len();
        let mut at = first;
        while at < text.len() {
            let (error, resume) = match self.value(&text, at, mapped) {
                Ok(end) => match values::next_value(&text, end) {
                    Some(next) => {
                        at = next;
                        continue;
                    }
                    None => (
                        SyntaxError {
                            offset: end,
                            kind: SyntaxErrorKind::Expected("the end of the body"),
                        },
                        None,
                    ),
                },
                Err(error) => (error, values::resume_after(&text, at, error.offset, framed)),
            };
            let (error, rest) =
                cut.filter(|_| error.offset >= text.len()).unwrap_or((error, text.len()));
            if at == first && !expects_json(body, &text, at, framed) {
                let span = mapped.outer(Span::new(0, text.len()));
                return self.sink.skip(Skip {
                    detail: body.media_type.clone(),
                    ..Skip::at(Reason::NotJson, span)
                });
            }
            let end = resume.unwrap_or(rest);
            self.refuse(body, at, error, end, mapped);
            let Some(next) = resume else { return };
            at = next;
        }
        if let Some((error, end)) = cut {
            self.refuse(body, text.len(), error, end, mapped);
        }
    }

    /// Walks one value. What it holds is reported only if it is JSON, or JSON up to where it was cut off.
    fn value(
        &mut self,
        text: &str,
        at: usize,
        mapped: &mut Mapped<'_, '_>,
    ) -> Result<usize, SyntaxError> {
        let Some(mut walk) = self.plan.walk.take() else { return Ok(text.len()) };
        let mut probe = Probe { plan: self.plan, hit: false };
        let mut end = hits::walk(text, at, self.max_depth, &mut walk, &mut probe);
        let hit = probe.hit;
        if hit && end.as_ref().err().is_none_or(|error| error.leaves_prefix_whole()) {
            let mut open = Vec::new();
            let (context, side, sink) = (self.context, self.side, &mut *self.sink);
            let mut build = Build {
                context,
                side,
                plan: self.plan,
                mapped,
                path: Path::default(),
                open: &mut open,
                sink,
            };
            end = hits::walk(text, at, self.max_depth, &mut walk, &mut build);
            build.ended(0);
        }
        self.plan.walk = Some(walk);
        end
    }

    /// Tells that the value at `at` was not (wholly) checked, up to `end`.
    fn refuse(
        &mut self,
        body: &Body<'_>,
        at: usize,
        error: SyntaxError,
        end: usize,
        mapped: &mut Mapped<'_, '_>,
    ) {
        let inner =
            Skip::broken(SyntaxError { offset: error.offset - at, ..error }, Span::new(at, end));
        let skip = Skip { span: inner.span.map(|span| mapped.outer(span)), ..inner };
        let cut_by_capture = body.truncated && error.kind == SyntaxErrorKind::UnexpectedEnd;
        self.sink.skip(if cut_by_capture {
            skip.because("the capture holds only its beginning")
        } else {
            skip
        });
    }
}

/// The beginning of the next line behind `from`, if a value begins there.
fn next_line(bytes: &[u8], from: usize) -> Option<usize> {
    let line = from + memchr::memchr(b'\n', bytes.get(from..)?)? + 1;
    matches!(bytes.get(line), Some(b'{' | b'[')).then_some(line)
}

/// Whether a body that cannot be read as JSON should have been: it says so, or says nothing else and begins like it.
fn expects_json(body: &Body<'_>, text: &str, at: usize, framed: bool) -> bool {
    let looks_like_json = text.get(at..).is_some_and(|value| value.starts_with(['{', '[']));
    body.claims_json() || looks_like_json && (framed || body.media_type.is_none())
}

/// The way from a text that begins somewhere in a body to the file.
struct Mapped<'m, 'b> {
    map: &'m mut BodyMap<'b>,
    base: usize,
    /// Where the text was once more a string inside the body: the way out of that.
    inside: Option<OffsetMap>,
}

impl Mapped<'_, '_> {
    fn outer(&mut self, inner: Span) -> Span {
        let span = self.inside.as_ref().map_or(inner, |inside| inside.outer(inner));
        self.map.outer(span.shifted(self.base))
    }
}

/// Only asks whether there is anything to report: in most bodies there is not.
struct Probe<'p> {
    plan: &'p SidePlan,
    hit: bool,
}

impl Visitor for Probe<'_> {
    fn choose(&mut self, accepts: &[PatternId], value: &str) -> Option<PatternId> {
        self.plan.choose(accepts, |wanted| value_is(value, wanted))
    }

    fn found(&mut self, _: PatternId, _: &KeyAt<'_>) {
        self.hit = true;
    }

    fn ended(&mut self, _: usize) {}
}

/// Makes findings, and holds each until its value ends, to take in what is deprecated inside it.
struct Build<'b, 'm, 'f> {
    context: Context<'b>,
    side: Side,
    plan: &'b SidePlan,
    mapped: &'b mut Mapped<'m, 'f>,
    /// The way to the innermost container of the last use; what has ended since is taken off.
    path: Path,
    open: &'b mut Vec<(usize, Finding)>,
    sink: &'b mut dyn Sink,
}

impl Visitor for Build<'_, '_, '_> {
    fn choose(&mut self, accepts: &[PatternId], value: &str) -> Option<PatternId> {
        self.plan.choose(accepts, |wanted| value_is(value, wanted))
    }

    fn found(&mut self, pattern: PatternId, at: &KeyAt<'_>) {
        let Some(rule_use) = self.plan.pattern_use(pattern).map(|pattern| &pattern.rule_use) else {
            return;
        };
        let Some(rule) = self.context.rule(rule_use.rule) else { return };
        let span = self.mapped.outer(at.key);
        for step in at.steps_from(self.path.len()) {
            self.path.push(step);
        }
        let severity = self.context.lifecycle.severity(rule.removal, Some(self.side));
        // Inside a deprecated field: part of that finding, unless it is worse than that.
        if let Some((_, around)) =
            self.open.last_mut().filter(|(_, around)| severity <= around.severity)
        {
            let path = &self.path;
            around.relate(|| Related {
                rule: rule.id.clone(),
                pointer: path.to(at.last_step()).exact,
                span,
            });
            return;
        }
        let found = Use {
            operation: Arc::clone(&rule_use.operation),
            part: Part::Message(self.side),
            pointer: Some(self.path.to(at.last_step())),
            span,
            shown: Shown {
                parent: at.parent().map(Cow::into_owned),
                key: Some(at.raw_key().to_owned()),
                encoded: !self.mapped.map.is_exact(),
                value: at.value,
            },
            exchange: self.context.exchange_ref(),
        };
        self.open.push((at.depth(), Finding::new(rule, self.context.lifecycle, found)));
    }

    fn ended(&mut self, depth: usize) {
        // The root has no step.
        self.path.truncate(depth.saturating_sub(1));
        while let Some((_, finding)) = self.open.pop_if(|(opened, _)| *opened >= depth) {
            self.sink.finding(finding);
        }
    }
}
