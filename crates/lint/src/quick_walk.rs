//! Rules out that a body holds a use by a walk over its index: keys and brackets are read, values are not, and what cannot hold a
//! use is jumped over. What is ruled out is neither decoded nor validated; everything else is left to the walk that reports.

use memchr::memchr2;

use super::plan::SidePlan;
use super::rule_choice::RulesByValue;
use sundown_exchange::{Body, Encoding, may_be_json_patch, may_be_other_notation};
use sundown_selector::automaton::{StateId, Walk};
use sundown_text_json::json::Index;
use sundown_text_json::json::key_context::{self, QuoteLevel};

/// The memory of the walks.
#[derive(Debug, Default)]
pub(crate) struct QuickWalk {
    index: Index,
    /// The open containers: the state of each, and that of its elements.
    open: Vec<(StateId, StateId)>,
}

impl QuickWalk {
    /// Whether no rule can match anything in a body, however it is spelled. `false` decides nothing.
    pub(super) fn rules_out(&mut self, body: &Body<'_>, plan: &mut SidePlan) -> bool {
        let (level, text) = match body.encoding {
            Encoding::Plain => (QuoteLevel::Document, body.raw()),
            Encoding::JsonString => (QuoteLevel::String, key_context::content(body.raw())),
            Encoding::Base64JsonString | Encoding::Decoded => return false,
        };
        !may_be_json_patch(text, level.quote().as_bytes())
            && self.rules_out_text(text, level, plan)
            && !body.may_be_cut()
    }

    /// Decides the same of the text of a body.
    pub(super) fn rules_out_text(
        &mut self,
        text: &[u8],
        level: QuoteLevel,
        plan: &mut SidePlan,
    ) -> bool {
        if !plan.is_decided_by_keys {
            return plan.walk.is_none();
        }
        let Some(mut walk) = plan.walk.take() else {
            return true;
        };
        let is_ruled_out = key_context::is_enclosed(text)
            && !may_be_other_notation(text, level.quote().as_bytes())
            && !(level == QuoteLevel::String && key_context::may_hide_names(text))
            && self.is_without_use(text, level, plan, &mut walk)
            && !key_context::may_begin_on_a_line(text, level);
        let is_ruled_out = is_ruled_out & !walk.take_overflow();
        plan.walk = Some(walk);
        is_ruled_out
    }

    /// Whether a text is one array or object, by its brackets, in which every key of a use has another value. What is unclear counts
    /// as a use: a key with escapes, an object that a discriminator describes, a colon after no key.
    fn is_without_use(
        &mut self,
        text: &[u8],
        level: QuoteLevel,
        plan: &SidePlan,
        walk: &mut Walk,
    ) -> bool {
        let mut marks = self.index.read(text, level);
        self.open.clear();
        let (mut around, mut element) = (StateId::DEAD, StateId::DEAD);
        // The state of the next value.
        let mut next = walk.start();
        while let Some((at, byte)) = marks.next_mark() {
            let end = match byte {
                b':' => {
                    let name = marks.name_before(at).filter(|name| !name.contains(&b'\\'));
                    let Some(name) = name else { return false };
                    next = walk.step_key(around, name);
                    let accepts = walk.accepts(next);
                    if !accepts.is_empty()
                        && plan.rules_of(accepts).any(|(rules, _)| {
                            !rules.whole().is_empty() || rules.may_be_about(text, at + 1, level)
                        })
                    {
                        return false;
                    }
                    continue;
                }
                b'{' | b'[' if walk.is_live(next) => {
                    if !walk.discriminators(next).is_empty() {
                        return false;
                    }
                    self.open.push((around, element));
                    around = next;
                    element = StateId::DEAD;
                    if byte == b'[' {
                        let Some(state) = walk.step_any_index(around) else {
                            return false;
                        };
                        element = state;
                    }
                    next = element;
                    continue;
                }
                b'{' | b'[' => marks.skip_container(),
                _ => {
                    let Some(outer) = self.open.pop() else {
                        return false;
                    };
                    (around, element) = outer;
                    Some(at)
                }
            };
            match end {
                Some(end) if self.open.is_empty() => return end + 1 == text.len(),
                Some(_) => next = element,
                None => return false,
            }
        }
        false
    }
}

impl RulesByValue {
    /// Whether a rule about values may be about the one from `at` on. Only a scalar without escapes or an object decides;
    /// everything else may be such a value.
    fn may_be_about(&self, text: &[u8], at: usize, level: QuoteLevel) -> bool {
        let rest = text
            .get(key_context::blank(text, at, level)..)
            .unwrap_or_default();
        let quote = level.quote().as_bytes();
        let content = match rest.first() {
            Some(b'{') => return false,
            Some(b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => scalar(rest),
            _ => rest
                .strip_prefix(quote)
                .and_then(|rest| string_content(rest, quote)),
        };
        let content = content.and_then(|content| std::str::from_utf8(content).ok());
        content.is_none_or(|content| {
            self.about(content).next().is_some()
                || self.find_other_case(&[content.into()]).is_some()
        })
    }
}

/// The content of a string up to its closing quote; `None` if it has an escape.
fn string_content<'t>(rest: &'t [u8], quote: &[u8]) -> Option<&'t [u8]> {
    let end = memchr2(b'"', b'\\', rest)?;
    let is_closed = rest.get(end..)?.starts_with(quote);
    rest.get(..end).filter(|_| is_closed)
}

/// A number or literal, up to what may follow it.
fn scalar(rest: &[u8]) -> Option<&[u8]> {
    let end = rest
        .iter()
        .position(|byte| !(byte.is_ascii_alphanumeric() || b"+-.".contains(byte)))?;
    let is_end = matches!(
        rest.get(end)?,
        b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n' | b'\\'
    );
    rest.get(..end).filter(|_| is_end)
}
