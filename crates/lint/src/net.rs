//! The net: finds calls and values that rules are about in text that was not read.
//!
//! No list of formats is complete. So what no reader understands is searched for the literal text of paths and values, and what
//! looks like the URL of a call is resolved as that of a recorded call is: by its method, host and path. Nothing is decoded but escapes
//! of characters, as in `\/v1\/orders` in JSON and `%2Fv1%2Forders` in a URL ([`PlainText`]).

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::{AhoCorasick, AhoCorasickKind, Match, MatchKind};

use super::mentions::ends;
use super::path_words;
use super::plain_text::{PlainText, is_apart};
use super::plan::{Plan, PlanElement};
use super::plans::PlanCache;
use crate::findings::ExchangePart;
use crate::rules::{ElementPart, Rule, RuleSet, SetRule, Version, is_version};
use sundown_exchange::{
    Host, HostPattern, Method, OperationPattern, PatternSegment, Side, Target, is_api_version,
    resource_name,
};
use sundown_text_json::text::Span;

/// The texts that a set's rules are about.
#[derive(Debug)]
pub(super) struct Net {
    automaton: AhoCorasick,
    needles: Vec<(String, Needle)>,
    /// What paths have before values, and texts may have: the region of a model.
    prefixes: BTreeSet<String>,
}

/// What was found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Its offset in the text.
    pub start: usize,
    /// What it is, in words of the rules.
    pub what: String,
    /// The line or the record that it is in.
    pub around: Span,
}

/// What a search of a text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Calls. The text is one of any values.
    Calls,
    /// Calls, and values that say enough alone.
    CallsAndValues,
    /// Calls with their methods, except for those of the plan with this index: the text is beside a call.
    OtherCalls(Option<usize>),
}

/// What a text is about that the net finds.
#[derive(Debug, Clone)]
struct Needle {
    kind: NeedleKind,
    /// The rules about it; those of a path are known once it is resolved.
    rules: Vec<SetRule>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NeedleKind {
    /// A part of the path of operations, between slashes.
    Path,
    /// The end of the name of a host of operations whose paths have no name. The rules are about all calls of it.
    Host,
    /// A value, or what names an operation in a header field.
    Value,
    /// A version of a Kubernetes API. It says enough with the kind beside it, in text that people write.
    ApiVersion,
}

impl From<NeedleKind> for Needle {
    fn from(kind: NeedleKind) -> Self {
        let rules = Vec::new();
        Self { kind, rules }
    }
}

/// How much of a text belongs together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextUnit {
    /// Each line is about something else.
    Lines,
    /// All of it is one record.
    Record,
}

/// A call that a text seems to state.
struct WrittenCall {
    /// The offset of its URL.
    start: usize,
    /// The offset after it.
    end: usize,
    method: Option<Method>,
    url: String,
    /// Whether a word is directly before its path, which may belong to another path or name.
    is_joined: bool,
    /// Whether the URL is the value of a key: then the method may be that of another.
    is_value: bool,
    /// Whether a proxy is asked for a connection to its host.
    is_tunnel: bool,
}

/// The bytes of needles up to which an automaton with a row of states for each byte is built: it is faster, and large.
const MAX_DENSE: usize = 64 * 1024;

/// The bytes of a URL before and after a part of its path that are looked at.
pub(super) const MAX_URL: usize = 512;

/// The keys of URLs that name something, or from where a call came.
const LINKS: [&str; 7] = [
    "$schema", "$id", "$ref", "@context", "xmlns", "referrer", "referer",
];

/// The shortest value that says enough by itself.
const MIN_VALUE: usize = 5;

/// The bytes of a line of source code, at most: people write shorter ones.
const MAX_LINE: usize = 2000;

impl Net {
    /// Compiles the net of a rule set; `None` if nothing in its rules can be searched.
    pub(super) fn new(set: &RuleSet) -> Option<Self> {
        let mut needles: BTreeMap<String, Needle> = BTreeMap::new();
        let mut prefixes = BTreeSet::new();
        for operation in set.operations() {
            let mut files = operation.files.iter().map(|&file| &set.file(file).hosts);
            let hosts = files.clone().flatten();
            let has_hosts = files.all(|hosts| !hosts.is_empty());
            match literal_path(&operation.pattern.segments) {
                // Every service has versions: on hosts of its own, the path of an operation has to have a name, too.
                Some((path, names)) if names > 0 || !has_hosts => {
                    needles.insert(path, NeedleKind::Path.into());
                }
                _ => needles.extend(hosts.map(|host| (ending(host), NeedleKind::Host.into()))),
            }
        }
        for rule in set.rules() {
            let value = distinctive_value(rule).map(str::to_owned);
            if value.is_some() && matches!(rule.element.part, ElementPart::Segment(_)) {
                let places = rule.places.iter();
                let segments = places.flat_map(|place| &place.operation.segments);
                prefixes.extend(segments.filter_map(|segment| match segment {
                    PatternSegment::Partial(template) => template.prefix().map(str::to_owned),
                    _ => None,
                }));
            }
            let value = value.map(|value| (value, NeedleKind::Value));
            let mut names: BTreeMap<_, _> = value.into_iter().collect();
            let is_meant = rule.element.is_endpoint() && !rule.is_off();
            for place in rule.places.iter().filter(|_| is_meant) {
                let operation = &place.operation;
                let version = group_version(&operation.segments);
                names.extend(version.map(|name| (name, NeedleKind::ApiVersion)));
                names.extend(field_value(operation).map(|name| (name, NeedleKind::Value)));
                if operation.method.is_none() && operation.segments == [PatternSegment::Rest] {
                    let hosts = set.file(rule.file).hosts.iter();
                    names.extend(hosts.map(|host| (ending(host), NeedleKind::Host)));
                }
            }
            for (name, kind) in names {
                let needle = needles.entry(name).or_insert(kind.into());
                needle.rules.push(rule.clone());
            }
        }
        let bytes: usize = needles.keys().map(String::len).sum();
        let kind = (bytes <= MAX_DENSE).then_some(AhoCorasickKind::DFA);
        let has_hosts = needles.values().any(|one| one.kind == NeedleKind::Host);
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(has_hosts)
            .kind(kind)
            .build(needles.keys());
        Some(Self {
            automaton: automaton.ok().filter(|_| bytes > 0)?,
            needles: needles.into_iter().collect(),
            prefixes,
        })
    }

    /// Finds the mentions in a text.
    pub(super) fn mentions<'s>(
        &'s self,
        searched: &'s PlainText<'_>,
        unit: TextUnit,
        wanted: Wanted,
        set: &'s RuleSet,
        plans: &'s mut PlanCache<'_>,
    ) -> impl Iterator<Item = Mention> {
        let text = searched.bytes();
        let matches = self.automaton.find_overlapping_iter(text);
        let mut calls = CallSearch {
            text,
            wanted,
            set,
            around: Around::of(text, unit),
            resolved: 0,
        };
        matches.filter_map(move |found| {
            let needle = self.needle(text, found)?;
            let (start, what) = match needle.kind {
                NeedleKind::ApiVersion => return None,
                NeedleKind::Value if wanted != Wanted::CallsAndValues => return None,
                NeedleKind::Value => {
                    let rule = needle.rules.first()?;
                    let value = String::from_utf8_lossy(text.get(found.range())?);
                    let what = || format!("`{value}`, which rule `{}` is about", rule.id);
                    let is_mentioned = self.is_whole_value(text, found);
                    (found.start(), is_mentioned.then(what)?)
                }
                NeedleKind::Path | NeedleKind::Host => calls.find(needle, found, plans)?,
            };
            let start = searched.written(start);
            let written = searched.as_written();
            Some(Mention {
                start,
                what,
                around: match unit {
                    TextUnit::Lines => Span::line_around(written, start),
                    TextUnit::Record => Span::new(0, written.len()),
                },
            })
        })
    }

    /// What was found; only the names of hosts have no case.
    fn needle(&self, text: &[u8], found: Match) -> Option<&Needle> {
        let (written, needle) = self.needles.get(found.pattern().as_usize())?;
        let found = text.get(found.range())?;
        (needle.kind == NeedleKind::Host || found == written.as_bytes()).then_some(needle)
    }

    /// Whether it has values that end.
    pub(super) fn has_values(&self) -> bool {
        let mut rules = self.needles.iter().flat_map(|(_, needle)| &needle.rules);
        rules.any(|rule| ends(rule))
    }

    /// Whether a match is no part of a longer name, or follows a prefix that calls have, too.
    fn is_whole_value(&self, text: &[u8], found: Match) -> bool {
        let before = text.get(..found.start()).unwrap_or_default();
        let follows = |prefix: &String| {
            before.ends_with(prefix.as_bytes()) && {
                let start = found.start() - prefix.len();
                is_whole(text, Match::new(found.pattern(), start..found.end()), b"-.")
            }
        };
        is_whole(text, found, b"-.") || self.prefixes.iter().any(follows)
    }

    /// Finds all values in a text that people write, each with the rules about it. One in another is a part of that.
    pub(super) fn find_values(&self, text: &[u8], set: &RuleSet) -> Vec<(Span, Vec<SetRule>)> {
        let mut values: Vec<(Span, Vec<SetRule>)> = Vec::new();
        let mut line = Span::new(0, 0);
        for found in self.automaton.find_overlapping_iter(text) {
            let Some(needle) = self.needle(text, found) else {
                continue;
            };
            let (span, host) = match needle.kind {
                NeedleKind::Value | NeedleKind::ApiVersion if self.is_whole_value(text, found) => {
                    (Span::new(found.start(), found.end()), None)
                }
                NeedleKind::Host => match host_around(text, found) {
                    Some((span, host)) => (span, Some(host)),
                    None => continue,
                },
                _ => continue,
            };
            if span.start >= line.end {
                line = Span::line_around(text, span.start);
            }
            let is_part = |(last, _): &(Span, _)| last.start <= span.start && span.end <= last.end;
            if line.len() > MAX_LINE || values.last().is_some_and(is_part) {
                continue;
            }
            let mut rules = needle.rules.clone();
            rules.retain(|rule| match &host {
                Some(host) => {
                    let mut hosts = set.file(rule.file).hosts.iter();
                    hosts.any(|pattern| pattern.matches(host))
                }
                None => needle.kind == NeedleKind::Value || has_kind(text, line, rule),
            });
            if rules.is_empty() {
                continue;
            }
            while values
                .pop_if(|(last, _)| span.start <= last.start)
                .is_some()
            {}
            values.push((span, rules));
        }
        values
    }
}

/// A search of a text for the calls that it states.
struct CallSearch<'s> {
    text: &'s [u8],
    wanted: Wanted,
    set: &'s RuleSet,
    around: Around<'s>,
    /// The end of the URL that was resolved last: its further parts are in the same call.
    resolved: usize,
}

impl CallSearch<'_> {
    /// The offset and the operation of the call that is stated around a match.
    fn find(
        &mut self,
        needle: &Needle,
        found: Match,
        plans: &mut PlanCache<'_>,
    ) -> Option<(usize, String)> {
        let (text, set) = (self.text, self.set);
        let is_part = needle.kind == NeedleKind::Path && !is_whole(text, found, b"-");
        if found.start() < self.resolved || is_part {
            return None;
        }
        self.around.go_to(found.start());
        let at = match needle.kind {
            NeedleKind::Host => host_around(text, found)?.0.end,
            _ => found.start(),
        };
        let call = written_call(text, at)?;
        self.resolved = call.end;
        let nearest = call.method.as_ref().or(self.around.method.as_ref());
        let method = nearest.filter(|_| call.method.is_some() || call.is_value);
        let target = Target::parse(&call.url);
        let of_nearest = plans.find_called(nearest, &target);
        let called = match of_nearest.filter(|(.., is_exact)| *is_exact) {
            None if nearest != method => plans.find_called(method, &target),
            None => of_nearest,
            exact => exact,
        };
        let (plan, index, is_exact) = called?;
        let operation = set.operations().get(index)?;
        let pattern = &operation.pattern;
        let names = literal_path(&pattern.segments).map_or(0, |it| it.1);
        let is_possible = match self.wanted {
            Wanted::OtherCalls(own) => is_exact && method.is_some() && own != Some(plan),
            // A word before its first slash may be of another path.
            _ => !call.is_joined || method.is_some(),
        };
        let has_method = method.is_some() || self.around.has_method;
        let is_open = pattern.segments.contains(&PatternSegment::Rest);
        let is_stated = match needle.kind {
            // At any path of a host, only a rule about all of it is sure. A host without a path may be a setting.
            NeedleKind::Host if names == 0 => {
                let written = Span::new(call.start, call.end).slice(text);
                (has_method || call.is_tunnel || written.contains(&b'/'))
                    && (!needle.rules.is_empty() || !is_open && method.is_some())
            }
            // A longer path says enough without a method or a name beside it, and a short one with its host.
            _ => {
                let hosts = operation
                    .files
                    .iter()
                    .flat_map(|&file| &set.file(file).hosts);
                has_method || names > 1 || names == 1 && self.around.is_at(&target, hosts)
            }
        };
        let elements = elements(set, plans.get(plan)?, NamedElements::All);
        let may_name = names > 0 || !is_open;
        let is_named = || self.around.names_element(index, elements);
        let is_sure = is_possible && (is_exact && is_stated || may_name && is_named());
        is_sure.then(|| (call.start, format!("`{pattern}`")))
    }
}

/// What belongs to a place in a text. What has been found out about it is kept, so that many places in one line cost little.
struct Around<'t> {
    text: &'t [u8],
    unit: TextUnit,
    span: Span,
    /// Its method, if it has one alone.
    method: Option<Method>,
    has_method: bool,
    /// Operations of whose elements it has no name.
    unnamed: Vec<usize>,
}

impl<'t> Around<'t> {
    fn of(text: &'t [u8], unit: TextUnit) -> Self {
        Self {
            text,
            unit,
            span: Span::new(0, 0),
            method: None,
            has_method: false,
            unnamed: Vec::new(),
        }
    }

    /// Moves to an offset.
    fn go_to(&mut self, start: usize) {
        if start < self.span.start || start >= self.span.end {
            self.span = match self.unit {
                TextUnit::Lines => Span::line_around(self.text, start),
                TextUnit::Record => Span::new(0, self.text.len()),
            };
            let text = self.span.slice(self.text);
            let mut methods = Method::common().filter(|method| states_method(text, method));
            let first = methods.next();
            self.has_method = first.is_some();
            self.method = first
                .filter(|_| methods.next().is_none())
                .and_then(Method::parse);
            self.unnamed.clear();
        }
    }

    /// Whether it has the name of an element of the operation.
    fn names_element<'p>(
        &mut self,
        operation: usize,
        mut elements: impl Iterator<Item = (&'p str, Option<&'p str>)>,
    ) -> bool {
        if self.unnamed.contains(&operation) {
            return false;
        }
        let text = self.span.slice(self.text);
        let is_named = elements.any(|(name, _)| has_word(text, name));
        if !is_named {
            self.unnamed.push(operation);
        }
        is_named
    }

    /// Whether it names one of the hosts of a call, in the URL or beside it. A URL in JSON may be a link.
    fn is_at<'p>(
        &self,
        target: &Target<'_>,
        mut hosts: impl Iterator<Item = &'p HostPattern>,
    ) -> bool {
        let text = self.span.slice(self.text);
        let is_json =
            text.starts_with(b"{") || text.starts_with(b"[") && self.unit == TextUnit::Record;
        hosts.any(|pattern| match &target.host {
            Some(host) => !is_json && pattern.matches(host),
            None => has_word(text, &pattern.to_string()),
        })
    }
}

/// The end of the names of hosts: all of it, or what follows a wildcard.
fn ending(pattern: &HostPattern) -> String {
    let text = pattern.to_string();
    text.rsplit("*.").next().unwrap_or_default().to_owned()
}

/// The name of a host around the end of one in a text. After `@`, it is of an address of mail, but not in a URL.
fn host_around(text: &[u8], found: Match) -> Option<(Span, Host<'_>)> {
    let is_of_host = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._@".contains(byte);
    let (before, after) = text.split_at(found.start());
    let before = before.rchunks(MAX_URL).next().unwrap_or_default();
    let start = before
        .iter()
        .rev()
        .take_while(|byte| is_of_host(byte))
        .count();
    let start = found.start() - start;
    let after = after.chunks(MAX_URL).next().unwrap_or_default();
    let length = after.iter().take_while(|byte| is_of_host(byte)).count();
    let name = std::str::from_utf8(text.get(start..found.start() + length)?).ok()?;
    let user = name.rfind('@').map_or(0, |at| at + 1);
    if user > 0 && !ends_in_user(text.get(..start + user)?) {
        return None;
    }
    let (start, name) = (start + user, name.get(user..)?.trim_end_matches('.'));
    let host = Host::parse(name, None)?;
    Some((Span::new(start, start + name.len()), host))
}

/// Whether a text ends in the user information of a URL.
fn ends_in_user(text: &[u8]) -> bool {
    let text = text.rchunks(MAX_URL).next().unwrap_or_default();
    memchr::memmem::rfind(text, b"://").is_some_and(|at| {
        text.iter()
            .skip(at + 3)
            .all(|byte| !byte.is_ascii_whitespace() && !b"/\"'<>,".contains(byte))
    })
}

/// What names an operation beside its path, in a header field or a parameter: the value, if that says enough without the name.
fn field_value(operation: &OperationPattern) -> Option<String> {
    let (_, value) = operation.named_fields().next()?;
    let value = value.filter(|value| value.bytes().any(|byte| !byte.is_ascii_alphabetic()));
    let named = || Some(operation.path().split_once('#')?.1.to_owned());
    value.map(str::to_owned).or_else(named)
}

/// The longest run of literal segments in a path, with a slash before each but without versions before it, which texts may lack, and
/// its number of segments with these, or 0 if all are versions; `None` if there is none.
fn literal_path(segments: &[PatternSegment]) -> Option<(String, usize)> {
    let runs = segments.split(|segment| !matches!(segment, PatternSegment::Literal(_)));
    let runs = runs.map(|run| {
        let names = run.iter().filter_map(|segment| match segment {
            PatternSegment::Literal(name) => Some(name.as_str()),
            _ => None,
        });
        let literals = names.clone().count();
        let is_named = names.clone().any(|name| !is_version(name));
        let names = names.skip_while(|name| is_named && is_version(name));
        let path: String = names.flat_map(|name| ["/", name]).collect();
        (path, if is_named { literals } else { 0 })
    });
    runs.filter(|(path, _)| !path.is_empty())
        .max_by_key(|(path, literals)| (*literals, path.len()))
}

/// The value of a rule, if it is no ordinary word, number, date or version.
pub(super) fn distinctive_value(rule: &Rule) -> Option<&str> {
    let value = rule.element.exact_value().filter(|_| !rule.is_off())?;
    let has = |is: fn(&u8) -> bool| value.as_bytes().iter().any(is);
    let is_name = value.len() >= MIN_VALUE
        && has(u8::is_ascii_alphabetic)
        && has(u8::is_ascii_digit)
        && value.bytes().all(|byte| byte.is_ascii_graphic());
    // A name may end with a date: `gpt-audio-mini-2025-10-06`.
    let is_date = || {
        value.starts_with(|first: char| first.is_ascii_digit())
            && Version::parse(value).is_some_and(|version| version.date().is_some())
    };
    (is_name && !is_version(value) && !is_date()).then_some(value)
}

/// The version of a Kubernetes API as manifests write it, if the path of an operation has one: `batch/v1beta1`.
fn group_version(segments: &[PatternSegment]) -> Option<String> {
    use PatternSegment::Literal;
    match segments {
        [Literal(apis), Literal(group), Literal(version), ..]
            if apis == "apis" && is_api_version(version) =>
        {
            Some(format!("{group}/{version}"))
        }
        _ => None,
    }
}

/// Whether the line after or before the one with a version of a Kubernetes API has the kind that a rule is about. The line before may be
/// of another object.
fn has_kind(text: &[u8], line: Span, rule: &Rule) -> bool {
    let before = Span::line_around(text, line.start.saturating_sub(1));
    let after = Span::line_around(text, line.end.saturating_add(1));
    let mut kinds = [after, before].into_iter().filter_map(|line| {
        let line = std::str::from_utf8(line.slice(text)).ok()?;
        let mut words = line.split(|c: char| !c.is_ascii_alphanumeric());
        words
            .find(|word| !word.is_empty())
            .filter(|word| *word == "kind")?;
        words.find(|word| !word.is_empty()).map(resource_name)
    });
    let is_of = |kind: &str| {
        let is_own = |segment: &PatternSegment| matches!(segment, PatternSegment::Literal(name) if name == kind);
        let mut places = rule.places.iter();
        places.any(|place| place.operation.segments.iter().any(is_own))
    };
    kinds.next().is_some_and(|kind| is_of(&kind))
}

/// Whether a match is no part of a longer name. A dot counts as a part of one only before another part.
fn is_whole(text: &[u8], found: Match, signs: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || signs.contains(byte);
    let before = text.get(..found.start()).unwrap_or_default();
    let begins_apart = text.get(found.start()) == Some(&b'/') || is_apart(before, is_part);
    let after = text.get(found.end()..).unwrap_or_default();
    let ends_apart = match after {
        [b'.', next, ..] => !next.is_ascii_alphanumeric() || !signs.contains(&b'.'),
        [byte, ..] => !is_part(byte),
        [] => true,
    };
    begins_apart && ends_apart
}

/// Which elements of a plan are searched by their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NamedElements {
    All,
    /// The members of bodies.
    Members,
    /// The members of the body of one side, but for those whose names records have, too.
    MembersOf(Side),
}

/// The names of elements that rules of a plan are about, each with the value if there is one.
pub(super) fn elements<'p>(
    set: &'p RuleSet,
    plan: &'p Plan,
    named: NamedElements,
) -> impl Iterator<Item = (&'p str, Option<&'p str>)> {
    plan.elements()
        .iter()
        .filter_map(move |PlanElement { rule, part, .. }| {
            let element = &set.rule_at(*rule)?.element;
            let name = match named {
                NamedElements::All => element.name(),
                NamedElements::Members => element.field_name(),
                NamedElements::MembersOf(side) => element.field_name().filter(|name| {
                    *part == ExchangePart::Message(side) && !path_words::is_of_records(name)
                }),
            };
            Some((name?, element.exact_value()))
        })
}

/// Whether a text states a method. In JSON, it begins a string, or is in one with a path: elsewhere, it is a word of a sentence.
fn states_method(text: &[u8], method: &str) -> bool {
    let is_json = text.starts_with(b"{") || text.starts_with(b"[{");
    let mut places = memchr::memmem::find_iter(text, method);
    places.any(|start| {
        // A string may be as long as the text: only what is near the method belongs to the same call.
        let (before, after) = text.split_at(start);
        let before = before.rchunks(MAX_URL).next().unwrap_or_default();
        let after = after.chunks(MAX_URL).next().unwrap_or_default();
        let is_part = |byte: &&u8| **byte != b'"';
        let mut string =
            (before.iter().rev().take_while(is_part)).chain(after.iter().take_while(is_part));
        let is_stated = !is_json || before.ends_with(b"\"") || string.any(|byte| *byte == b'/');
        is_stated && is_word(text, start, start + method.len())
    })
}

/// Whether a text has a name as a whole word.
pub(super) fn has_word(text: &[u8], word: &str) -> bool {
    let mut places = memchr::memmem::find_iter(text, word);
    places.any(|start| is_word(text, start, start + word.len()))
}

/// Whether a part of a text is no part of a longer name.
pub(super) fn is_word(text: &[u8], start: usize, end: usize) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-$".contains(byte);
    let before = text.get(..start).unwrap_or_default();
    is_apart(before, is_part) && !text.get(end).is_some_and(is_part)
}

/// The call that a text states around an offset in its path or after its host: the URL, and the method if the word before it is one;
/// `None` if it is a link.
fn written_call(text: &[u8], at: usize) -> Option<WrittenCall> {
    let before = text.get(at.saturating_sub(MAX_URL)..at)?;
    let is_of_host = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~:/@%{}$".contains(byte);
    let start = before.iter().rposition(|byte| !is_of_host(byte));
    let (around, host) = before.split_at(start.map_or(0, |at| at + 1));
    let host = match (around, host) {
        ([.., b'\\'], [b'n' | b'r' | b't', host @ ..]) => host,
        _ => host,
    };
    let start = at - host.len();
    let end = at + (text.len() - at).min(MAX_URL);
    let path = text.get(at..end)?;
    let is_of_url = |(place, byte): (usize, &u8)| match byte {
        // A regular expression goes on with a group.
        b'(' => path.get(place + 1) != Some(&b'\\'),
        // After a URL in the query of another one is the next parameter, and XML writes a quote so.
        b'&' => {
            path.get(..place).is_some_and(|it| it.contains(&b'?'))
                && !path
                    .get(place..)
                    .is_some_and(|it| it.starts_with(b"&quot;"))
        }
        // A comma is between the columns of a table.
        byte => byte.is_ascii_graphic() && !b"\"'`<>|^,;\\".contains(byte),
    };
    let length = path.iter().enumerate().position(|it| !is_of_url(it));
    let path = path.get(..length.unwrap_or(path.len()))?;
    let next = memchr::memmem::find(path, b"://");
    let end = at + next.unwrap_or(path.len());
    let [host, path] = [host, path].map(String::from_utf8_lossy);
    // A proxy may have a URL in its own.
    let scheme = host.rfind("://");
    let all = format!("{host}{path}");
    let url = match scheme {
        Some(colon) => {
            let name = all.get(..colon).unwrap_or_default();
            let name = name.trim_end_matches(|c: char| c.is_ascii_alphanumeric());
            all.get(name.len()..)
        }
        // Without a scheme, it begins with a path, a host or another word.
        None => all.get(all.find('/').unwrap_or(all.len())..),
    }?;
    let before = all.get(..all.len() - url.len()).unwrap_or_default();
    let is_host = before.contains('.') && !before.ends_with(['/', ':']);
    let is_joined = scheme.is_none() && !is_host && before.ends_with(|c: char| c.is_alphanumeric());
    let url = match before {
        _ if is_host => format!("https://{before}{url}"),
        _ if is_joined => format!("/{before}{url}"),
        _ => url.to_owned(),
    };
    let mut url = url.trim_end_matches(['.', ':', ')', ']', '!', '*', '$', '(']);
    if !url.contains('{') {
        url = url.trim_end_matches('}');
    }
    let is_between = |byte: &u8| b" \t\"'\\,=:[(".contains(byte);
    let words = around.iter().rposition(|byte| !is_between(byte));
    let (word, between) = around.split_at(words.map_or(0, |at| at + 1));
    let name = word.iter().rposition(|byte| !byte.is_ascii_uppercase());
    let name = word.get(name.map_or(0, |at| at + 1)..)?;
    let mut keys = word.rsplit(|byte| !byte.is_ascii_alphanumeric() && !b"$@:".contains(byte));
    let key = keys.next()?;
    // Namespaces of XML have names: `xmlns:a`.
    let key = key.split(|byte| *byte == b':').next()?;
    let is_value = between.iter().any(|byte| b"=:".contains(byte));
    if is_value
        && LINKS
            .iter()
            .any(|link| key.eq_ignore_ascii_case(link.as_bytes()))
    {
        return None;
    }
    let method = std::str::from_utf8(name).ok().and_then(Method::parse);
    Some(WrittenCall {
        start,
        end,
        method: method.filter(Method::is_common),
        url: url.to_owned(),
        is_joined,
        is_value,
        is_tunnel: name == b"CONNECT",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Linter;
    use crate::rules::{Lifecycle, RuleFile};

    const RULES: &str = "api = 'Marina'
hosts = ['api.test']
rule = [
    { id = 'berths', operation = 'POST /v2/berths', field = 'tonnage' },
    { id = 'invoices', operation = 'POST /users/{id}/invoices', field = 'total' },
    { id = 'photo', operation = 'GET /v2/berths/{id}/photo' },
    { id = 'orders', operation = 'GET /orders/{id}', parameter = 'expand' },
    { id = 'old-model', operation = 'POST /v2/berths', field = 'model', value = 'crane-35-0301' },
    { id = 'older-model', operation = 'POST /v2/berths', field = 'model', value = 'crane-mini-2025-10-06' },
]
";

    #[test]
    fn calls_and_values_are_found_as_texts_write_them() {
        let file = RuleFile::parse("rules.toml", RULES).unwrap();
        let set = RuleSet::new(vec![file]).unwrap();
        let as_of = chrono::NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
        let mut linter = Linter::new(&set, Lifecycle::on(as_of));
        let mut find = |text: &str, unit| {
            let mention = linter
                .find_mentions(
                    &PlainText::of(text.as_bytes()),
                    unit,
                    Wanted::CallsAndValues,
                )
                .next();
            mention.map(|mention| (mention.start, mention.what))
        };
        let berths = "`POST /v2/berths`";
        for (text, start, what) in [
            ("sent POST https://api.test/v2/berths.", 10, berths),
            ("/v2/berths", 0, berths),
            (
                "Request{method=POST, url=https://api.test/v2/berths}",
                25,
                berths,
            ),
            ("sent api.test/v2/berths", 5, berths),
            ("GET /health, then https://api.test/v2/berths", 18, berths),
            (
                "sent POST /users/7/invoices",
                10,
                "`POST /users/{id}/invoices`",
            ),
            (r"to https:\/\/api.test\/v2\/berths with", 3, berths),
            ("url=https%3A%2F%2Fapi.test%2Fv2%2Fberths&", 4, berths),
            ("GET /orders/7?expand=all", 4, "`GET /orders/{id}`"),
            ("method=GET path=\"/orders/7\"", 17, "`GET /orders/{id}`"),
            ("at /orders/7 with expand", 3, "`GET /orders/{id}`"),
            (
                "GET /v2/berths/7/photo?x=1",
                4,
                "`GET /v2/berths/{id}/photo`",
            ),
            ("POST /internal/v2/berths {tonnage: 3}", 5, berths),
            ("POST https://a.test/https://api.test/v2/berths", 5, berths),
            (
                "url=caf%C3%A9https%3A%2F%2Fapi.test%2Fv2%2Fberths",
                13,
                berths,
            ),
            ("GET v2/berths/7/photo", 4, "`GET /v2/berths/{id}/photo`"),
            ("POST $BASE/berths {tonnage: 3}", 5, berths),
            ("POST /{version}/berths {tonnage: 3}", 5, berths),
            ("POST v2/berths {tonnage: 3}", 5, berths),
            (
                "x = 'crane-mini-2025-10-06'",
                5,
                "`crane-mini-2025-10-06`, which rule `older-model` is about",
            ),
            (
                "x = 'crane-35-0301'",
                5,
                "`crane-35-0301`, which rule `old-model` is about",
            ),
        ] {
            assert_eq!(
                find(text, TextUnit::Lines),
                Some((start, what.to_owned())),
                "{text}"
            );
        }
        for text in [
            "GET https://api.test/v2/berths",
            "at=info method=GET path=\"/v2/berths\"",
            "POST other.test/v2/berths",
            "the file docs/v2/berths changed",
            "POST https://other.test/v2/berths",
            "POST /v2/berths-archive",
            "POST /v2/berths/7",
            "POST /internal/v2/berths",
            "see /orders/7",
            "GET\n/orders/7",
            "crane-35-0301-preview",
            "tonnage",
        ] {
            assert_eq!(find(text, TextUnit::Lines), None, "{text}");
        }
        assert!(find("GET\n/orders/7", TextUnit::Record).is_some());
    }
}
