//! Calls that almost match an operation of the rules. They are counted and reported, because they may be uses, and no
//! findings, because most are not.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::masks::{is_cut, known_parts, may_be_literal};
use super::path_index::{IndexedPath, MAX_INDEXED, PathIndex, is_version};
use super::resolve::{AddressCheck, MatchedOperations, matches};
use super::rule_set::{RuleOperation, RuleSet};
use crate::step_match::matches_steps;
use sundown_exchange::{Method, OperationPattern, PatternSegment, Target};

/// An operation that a call almost matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NearMiss {
    /// The index of the operation in [`RuleSet::operations`].
    pub operation: usize,
    /// How the call differs from it.
    pub difference: CallDifference,
    /// The number of other operations from which the call differs as much.
    others: usize,
    /// The number of variables at the beginning of the call.
    variables: usize,
    /// The number of segments at the beginning of the operation that the call has not.
    base: usize,
}

/// How a call differs from an operation that it almost matches; the smallest difference is first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallDifference {
    /// The case of letters in the path.
    LetterCase,
    /// A slash of the path is percent-encoded.
    EncodedSlash,
    /// A sign and other text follow the path: `/v1/chat.json`, `/v1/chat>`.
    Ending,
    /// A part of its path is masked or cut: `/v1/[redacted]`, `/v1/ch…`.
    Unknown,
    Method,
    /// A version in the path: `v2` instead of `v1`.
    Version,
    /// The base path or the version at the beginning of the path, which the call lacks, or has a variable for: `/{version}/chat`.
    NoBase,
    /// The beginning of the path, which the variable at that of the call may contain: `{{base}}/chat`.
    BasePath,
}

impl NearMiss {
    /// Describes the near miss of a call with this method. The text contains no value of the call.
    pub fn describe(self, operation: &OperationPattern, method: Option<&Method>) -> String {
        let called = method.filter(|method| method.is_registered());
        let others = match self.others {
            0 => String::new(),
            1 => " or another".to_owned(),
            others => format!(" or one of {others} others"),
        };
        match (self.difference, called) {
            (CallDifference::LetterCase, _) => format!("`{operation}` differs only in letter case"),
            (CallDifference::EncodedSlash, _) => format!("`{operation}` with a slash as %2F"),
            (CallDifference::Ending, _) => format!("`{operation}` with more text after its path"),
            (CallDifference::Unknown, _) => {
                format!("`{operation}`{others}, by what is masked or cut in its path")
            }
            (CallDifference::Method, Some(called)) => {
                let called = called.as_str();
                let path = operation.path();
                format!("`{called} {path}` where the rules have `{operation}`")
            }
            (CallDifference::Method, None) => format!("`{operation}` with another method"),
            (CallDifference::Version, _) => format!("`{operation}` in another version"),
            (CallDifference::NoBase, _) => {
                format!("`{operation}` without the beginning of its path")
            }
            (CallDifference::BasePath, _) => {
                format!("`{operation}`{others}, by what its variable contains")
            }
        }
    }

    /// Whether the call may be of more operations than can be named.
    pub(crate) fn is_of_any(self) -> bool {
        self.others >= MAX_COMPARISONS
    }

    /// Whether a server may treat the call as one of the operation, of which it can be named. With another method or version, it is
    /// another operation.
    pub(crate) fn may_be_a_call(self) -> bool {
        !matches!(
            self.difference,
            CallDifference::Method | CallDifference::Version
        ) && !self.is_of_any()
    }

    /// The less it differs and the fewer variables the path has, the better it fits. What is unknown fits all alike.
    fn rank(&self, set: &RuleSet) -> (CallDifference, usize) {
        let is_known = self.difference != CallDifference::Unknown;
        let operation = set.operations().get(self.operation);
        let segments = operation.iter().flat_map(|one| &one.pattern.segments);
        let variables = segments.filter(|segment| is_known && segment.literal().is_none());
        (self.difference, variables.count())
    }
}

/// The number of segments that a call may have before and after the longest path. Real calls have fewer.
const MAX_EXTRA_SEGMENTS: usize = 64;

/// The maximum number of paths with which a call is compared. Those of real APIs have variables in a few places, and a path is in few
/// versions. If masked or cut segments leave more, the call may be of each of them.
const MAX_COMPARISONS: usize = 1_000;

/// A call whose path is compared with those of operations.
#[derive(Clone, Copy)]
struct NearCall<'c> {
    set: &'c RuleSet,
    method: Option<&'c Method>,
    target: &'c Target<'c>,
    check: AddressCheck,
    segments: &'c [Cow<'c, str>],
    /// How these segments differ from those of the target.
    difference: Option<CallDifference>,
}

impl RuleSet {
    /// The ends of the paths of all operations, for calls that lack the beginning of a path.
    fn ends(&self) -> &PathIndex {
        self.ends.get_or_init(|| {
            let mut index = PathIndex::default();
            for (operation, RuleOperation { pattern, .. }) in self.operations().iter().enumerate() {
                for base in 1..pattern.segments.len().min(MAX_INDEXED) {
                    let end = pattern.segments.get(base..).unwrap_or_default();
                    if end.iter().any(|segment| segment.literal().is_some()) {
                        index.insert(end, operation, base);
                    }
                }
            }
            index
        })
    }

    /// The operations whose path ends in the literal segment `name`.
    pub fn operations_called(&self, name: &str) -> Vec<&OperationPattern> {
        let indices = [&self.paths, self.ends()].into_iter();
        let ends = indices.flat_map(|index| index.find(&[name.into()], 0..=0));
        let ends: BTreeSet<usize> = ends.map(|(_, path)| path.operation).collect();
        let operations = ends
            .iter()
            .filter_map(|&index| self.operations().get(index));
        let called = operations.filter(|operation| {
            let mut files = operation.files.iter();
            operation.pattern.short_name() == Some(name)
                && operation.pattern.is_concrete()
                && files.any(|&file| self.is_served_by(file, None))
        });
        called.map(|operation| &operation.pattern).collect()
    }

    /// The operations that a call of these almost matches, with the smallest difference. If it matches one, others are those that it may
    /// be meant for by what is masked or cut in its path: a variable takes any text.
    pub(crate) fn near_misses(
        &self,
        method: Option<&Method>,
        target: &Target<'_>,
        check: AddressCheck,
        matched: &MatchedOperations,
    ) -> Vec<NearMiss> {
        let segments = &target.segments;
        if !matched.is_empty() && !is_masked(segments) {
            return Vec::new();
        }
        let call = NearCall {
            set: self,
            method,
            target,
            check,
            segments,
            difference: None,
        };
        let mut found = call.find();
        if matched.is_empty() {
            for (segments, difference) in spellings(segments) {
                let spelled = NearCall {
                    segments: &segments,
                    difference: Some(difference),
                    ..call
                };
                found.extend(spelled.find());
            }
        } else {
            found.retain(|near| {
                let is_other = matched.all().all(|own| own != near.operation);
                near.difference == CallDifference::Unknown && is_other
            });
        }
        let best = found.iter().map(|near| near.rank(self)).min();
        found.retain(|near| Some(near.rank(self)) == best);
        found.sort_by_key(|near| near.operation);
        found.dedup_by_key(|near| near.operation);
        let others = found.len().saturating_sub(1);
        for near in &mut found {
            near.others = others;
        }
        found
    }
}

/// Whether a part of a path is masked or cut.
fn is_masked(segments: &[Cow<'_, str>]) -> bool {
    segments.iter().any(|one| known_parts(one).is_some())
}

/// Other segments that a path may have been written for, each with how it differs from them.
fn spellings<'s>(segments: &'s [Cow<'_, str>]) -> Vec<(Vec<Cow<'s, str>>, CallDifference)> {
    let mut spellings = Vec::new();
    if segments.iter().any(|segment| segment.contains('/')) {
        let parts = segments.iter().flat_map(|segment| segment.split('/'));
        let parts = parts.filter(|part| !part.is_empty());
        let split = parts.map(Cow::Borrowed).collect();
        spellings.push((split, CallDifference::EncodedSlash));
    }
    if let Some((last, before)) = segments.split_last()
        && let Some(name) = without_ending(last)
    {
        let texts = before.iter().map(|segment| &**segment).chain([name]);
        let difference = match known_parts(last) {
            Some(_) => CallDifference::Unknown,
            None => CallDifference::Ending,
        };
        spellings.push((texts.map(Cow::Borrowed).collect(), difference));
    }
    spellings
}

impl NearCall<'_> {
    /// The operations that it almost matches.
    fn find(&self) -> Vec<NearMiss> {
        let length = self.segments.len();
        if length > self.set.paths.longest + MAX_EXTRA_SEGMENTS {
            return Vec::new();
        }
        // A variable at the beginning may contain some segments.
        let last_start = match self.segments.first() {
            Some(first) if is_variable(first) || first.starts_with(':') => length,
            _ => 0,
        };
        let mut whole = self.set.paths.find(self.segments, 0..=length);
        let mut ends = self.set.ends().find(self.segments, 0..=last_start);
        let is_open = whole.len() > MAX_COMPARISONS && is_masked(self.segments);
        let limit = |paths: &mut Vec<_>| {
            paths.sort_unstable();
            paths.truncate(MAX_COMPARISONS);
        };
        limit(&mut ends);
        if !is_open {
            limit(&mut whole);
        }
        let near =
            whole
                .into_iter()
                .chain(ends)
                .filter_map(|(start, IndexedPath { operation, base })| {
                    let own = self.set.operations().get(operation)?;
                    let difference = match base {
                        0 if is_open => (self.is_served(own)
                            && self.differing_methods(own).is_none())
                        .then_some(CallDifference::Unknown),
                        0 => self.compare(own, start),
                        _ => self.lack(own, start, base),
                    };
                    Some(NearMiss {
                        operation,
                        difference: difference?,
                        others: 0,
                        variables: start,
                        base,
                    })
                });
        near.collect()
    }

    /// Whether a host that may be called serves an operation.
    fn is_served(&self, operation: &RuleOperation) -> bool {
        let mut files = operation.files.iter();
        files.any(|&file| self.set.serves(file, self.target, self.check))
    }

    /// The methods of the call and of an operation, if they differ.
    fn differing_methods<'o>(&'o self, operation: &'o RuleOperation) -> Option<[&'o Method; 2]> {
        let methods = [self.method?, operation.pattern.method.as_ref()?];
        Some(methods).filter(|[called, wanted]| called != wanted)
    }

    /// Compares the call, from the segment `start`, with the most similar path of an operation, and returns the largest difference;
    /// `None` if they are not similar or equal.
    fn compare(&self, operation: &RuleOperation, start: usize) -> Option<CallDifference> {
        let set = self.set;
        let called = self.segments.get(start..)?;
        let files = operation.files.iter().copied();
        let paths = files
            .filter(|&file| set.serves(file, self.target, self.check))
            .flat_map(|file| set.paths(operation, file, self.target, self.check))
            .filter(|(_, prefix)| start <= prefix.longest(self.segments.len()));
        let path = paths
            .filter_map(|(pattern, _)| compare_paths(pattern, called))
            .min()?;
        let differing = self.differing_methods(operation);
        if differing.is_some_and(|[called, wanted]| !is_mistakable(called, wanted, operation)) {
            return None;
        }
        let path = match path {
            PathComparison::Equal => None,
            PathComparison::Different(CallDifference::Version) if is_about_version(operation) => {
                return None;
            }
            PathComparison::Different(CallDifference::Unknown) if differing.is_some() => {
                return None;
            }
            PathComparison::Different(difference) => Some(difference),
        };
        path.max(self.difference)
            .max(differing.map(|_| CallDifference::Method))
    }

    /// How the call differs from an operation of whose path it lacks the first `base` segments; `None` if it is otherwise, from the
    /// segment `start` on, none of it.
    fn lack(&self, operation: &RuleOperation, start: usize, base: usize) -> Option<CallDifference> {
        let rest = operation.pattern.segments.get(base..)?;
        let is_call = self.differing_methods(operation).is_none()
            && compare_paths(rest, self.segments.get(start..)?) == Some(PathComparison::Equal);
        let variables = leading_variables(self.target);
        let mut literals = rest.iter().filter_map(PatternSegment::literal);
        let difference = if (1..=variables).contains(&start) && !literals.all(is_version) {
            CallDifference::BasePath
        // A variable at the very beginning may contain more.
        } else if (start == 0 || start == base && variables == 0) && self.may_lack(operation, base)
        {
            CallDifference::NoBase
        } else {
            return None;
        };
        is_call.then_some(difference)
    }

    /// Whether calls may lack the first `base` segments of the path of an operation: a version, or a base path if the call has no host.
    fn may_lack(&self, operation: &RuleOperation, base: usize) -> bool {
        let segments = &operation.pattern.segments;
        let files = operation.files.iter();
        let mut bases = files.flat_map(|&file| self.set.bases(file));
        let mut is_base = || bases.any(|own| own.len() == base && segments.starts_with(own));
        (versions_of(segments) == base || self.target.host.is_none() && is_base())
            && self.is_served(operation)
    }
}

/// A segment without the text after it that a sign separates, or its file name extension; `None` if it has none. A colon is before the
/// method of a resource.
fn without_ending(segment: &str) -> Option<&str> {
    let is_sign = |c: char| !c.is_ascii_alphanumeric() && !"-_~.:@%{}$*".contains(c);
    let end = segment.find(is_sign).unwrap_or(segment.len());
    // OData writes the key of an entity so.
    let is_key = segment.ends_with(')') && segment.get(end..)?.starts_with('(');
    let name = segment.get(..end)?.trim_end_matches(['.', '}']);
    let name = match name.rsplit_once('.') {
        Some((before, _)) if name.len() == segment.len() => before,
        _ => name,
    };
    (!name.is_empty() && name.len() < segment.len() && !is_key).then_some(name)
}

/// The number of versions at the beginning of a path that has more segments.
fn versions_of(segments: &[PatternSegment]) -> usize {
    let literals = || segments.iter().map(PatternSegment::literal);
    let count = literals().take_while(|text| text.is_some_and(is_version));
    let count = count.count();
    let has_more = literals().skip(count).any(|text| text.is_some());
    if has_more { count } else { 0 }
}

/// Whether a text begins with a variable of a template.
pub(crate) fn is_variable(text: &str) -> bool {
    text.starts_with(['{', '$', '<'])
}

/// The number of variables at the beginning of a call, which may contain the beginning of its path.
pub(crate) fn leading_variables(target: &Target<'_>) -> usize {
    let variables = target
        .segments
        .iter()
        .take_while(|segment| is_variable(segment));
    if target.is_from_root {
        0
    } else {
        variables.count()
    }
}

impl NearMiss {
    /// The path of a call of its operation whose beginning variables contain; `None` if the call differs otherwise, or may be one of
    /// several operations.
    pub(crate) fn path_behind_variables<'a>(
        self,
        set: &RuleSet,
        target: &Target<'a>,
    ) -> Option<Vec<Cow<'a, str>>> {
        if self.difference != CallDifference::BasePath || self.others > 0 {
            return None;
        }
        let pattern = &set.operations().get(self.operation)?.pattern;
        let sample = pattern.sample_target().segments.into_iter().take(self.base);
        let called = target.segments.iter().skip(self.variables).cloned();
        Some(sample.chain(called).collect())
    }
}

/// How a called path compares with that of an operation that it is similar to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PathComparison {
    Equal,
    Different(CallDifference),
}

/// Compares a called path with that of an operation; `None` if they are not similar.
fn compare_paths(pattern: &[PatternSegment], path: &[Cow<'_, str>]) -> Option<PathComparison> {
    let has_parts = |segment: &PatternSegment| {
        matches!(
            segment,
            PatternSegment::Several | PatternSegment::Parameter(..)
        )
    };
    let is_similar = |wanted: &str, text: &str| {
        wanted.eq_ignore_ascii_case(text) || is_version(wanted) && is_version(text)
    };
    let mut literals = pattern.iter().filter_map(PatternSegment::literal);
    if pattern.iter().any(has_parts) || literals.next().is_none() {
        None
    } else if matches(pattern, path, str::eq) {
        Some(PathComparison::Equal)
    } else if matches(pattern, path, str::eq_ignore_ascii_case) {
        Some(PathComparison::Different(CallDifference::LetterCase))
    } else if matches(pattern, path, is_similar) {
        Some(PathComparison::Different(CallDifference::Version))
    } else {
        may_be_path(pattern, path).then_some(PathComparison::Different(CallDifference::Unknown))
    }
}

/// Whether a path of which segments are masked or cut may be that of an operation. One of its literals has to be known.
fn may_be_path(pattern: &[PatternSegment], path: &[Cow<'_, str>]) -> bool {
    // After a cut, the path may go on.
    let is_cut = path.last().is_some_and(|last| is_cut(last));
    let pattern = pattern
        .get(..path.len())
        .filter(|_| is_cut)
        .unwrap_or(pattern);
    let fits = |wanted: &PatternSegment, text: &Cow<'_, str>| match wanted {
        PatternSegment::Literal(wanted) => may_be_literal(wanted, text),
        PatternSegment::Partial(template) => known_parts(text).is_some() || template.matches(text),
        _ => true,
    };
    let mut known = path
        .iter()
        .filter(|text| known_parts(text) != Some(("", "")));
    let literals = pattern.iter().filter_map(PatternSegment::literal);
    known.any(|text| literals.clone().any(|wanted| may_be_literal(wanted, text)))
        && matches_steps(
            pattern,
            path,
            |wanted| *wanted == PatternSegment::Rest,
            fits,
        )
}

/// Whether an operation is every call below a path, or has no other name than a version. Its version is what is deprecated, and another
/// one is not.
fn is_about_version(operation: &RuleOperation) -> bool {
    let OperationPattern {
        method, segments, ..
    } = &operation.pattern;
    let mut literals = segments.iter().filter_map(PatternSegment::literal);
    method.is_none() && segments.last() == Some(&PatternSegment::Rest) || literals.all(is_version)
}

/// Whether a call of an operation's path with another method may be meant as a call of this operation.
///
/// A description lists all methods of a path, so one that it lacks is worth a report. A rules file lists only deprecated
/// operations, and most resources have more methods than those. Reporting each `GET /users` because `POST /users` is
/// deprecated would be noise, so only methods count that are rarely served on one path beside each other.
fn is_mistakable(called: &Method, wanted: &Method, operation: &RuleOperation) -> bool {
    let called_name = called.as_str();
    let wanted_name = wanted.as_str();
    // A preflight request (CORS) precedes calls of browsers and calls no operation.
    if matches!(called_name, "OPTIONS" | "CONNECT" | "TRACE") {
        return false;
    }
    if !operation.described.is_empty() || !called.is_registered() {
        return true;
    }
    // `POST /users/search` is no mistake for `PUT /users/{id}`.
    let ends_in_literal = operation.pattern.short_name().is_some();
    match (wanted_name, called_name) {
        ("GET", "HEAD") => true,
        ("POST", "PUT" | "PATCH") | ("PUT" | "PATCH", "POST") => ends_in_literal,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::RuleFile;
    use super::*;

    fn find(header: &str, operations: &[&str], call: &str) -> Vec<String> {
        let rule = |(number, operation)| {
            format!("[[rule]]\nid = 'r{number}'\nalso = [{{ operation = '{operation}' }}]\n")
        };
        let rules: Vec<String> = operations.iter().enumerate().map(rule).collect();
        let text = format!("api = 'Test'\n{header}\n{}", rules.concat());
        let set = RuleSet::new(vec![RuleFile::parse("test", &text).unwrap()]).unwrap();
        let (method, url) = call.split_once(' ').unwrap();
        let (method, target) = (Method::parse(method), Target::parse(url));
        assert!(
            set.resolve(method.as_ref(), &target).is_empty(),
            "{call} matches"
        );
        let found = set.near_misses(
            method.as_ref(),
            &target,
            set.address_check,
            &MatchedOperations::default(),
        );
        let describe = |near: NearMiss| {
            near.describe(&set.operations()[near.operation].pattern, method.as_ref())
        };
        found.into_iter().map(describe).collect()
    }

    #[test]
    fn a_call_with_one_small_difference_is_a_near_miss() {
        let rules = [
            "POST /api/v1/chat",
            "GET /api/v1/teams/{id}",
            "* /v1beta1/**",
            "* /apis/v1beta1/jobs/**",
        ];
        for (call, expected) in [
            (
                "POST /api/V1/Chat",
                "`POST /api/v1/chat` differs only in letter case",
            ),
            (
                "POST /api%2Fv1/chat",
                "`POST /api/v1/chat` with a slash as %2F",
            ),
            (
                "POST /api/v2/chat",
                "`POST /api/v1/chat` in another version",
            ),
            (
                "POST /api/v1.1/chat",
                "`POST /api/v1/chat` in another version",
            ),
            ("- /api/v2/chat", "`POST /api/v1/chat` in another version"),
            (
                "PUT /api/v1/chat",
                "`PUT /api/v1/chat` where the rules have `POST /api/v1/chat`",
            ),
            (
                "PUT /api/V1/chat",
                "`PUT /api/v1/chat` where the rules have `POST /api/v1/chat`",
            ),
            ("PUT /api/v2/chat", "`POST /api/v1/chat` in another version"),
            (
                "POST /api/v1/chat.json",
                "`POST /api/v1/chat` with more text after its path",
            ),
            (
                "POST /api/v1/chat)",
                "`POST /api/v1/chat` with more text after its path",
            ),
            (
                "POST /API%2Fv1/chat",
                "`POST /api/v1/chat` with a slash as %2F",
            ),
            (
                "POST /api/v2%2Fchat",
                "`POST /api/v1/chat` in another version",
            ),
            (
                "FETCH /api/v1/chat",
                "`POST /api/v1/chat` with another method",
            ),
            (
                "HEAD https://h.test/api/v1/teams/5",
                "`HEAD /api/v1/teams/{id}` where the rules have `GET /api/v1/teams/{id}`",
            ),
            (
                "GET /api/v1/TEAMS/Ann",
                "`GET /api/v1/teams/{id}` differs only in letter case",
            ),
            (
                "GET {{base}}/api/v3/teams/5",
                "`GET /api/v1/teams/{id}` in another version",
            ),
            (
                "GET /V1Beta1/x/y",
                "`* /v1beta1/**` differs only in letter case",
            ),
            (
                "POST /api/v1/[REDACTED]",
                "`POST /api/v1/chat`, by what is masked or cut in its path",
            ),
            (
                "POST /api/\u{2026}/chat",
                "`POST /api/v1/chat`, by what is masked or cut in its path",
            ),
            (
                "POST /api/V1/c***a\u{2026}",
                "`POST /api/v1/chat`, by what is masked or cut in its path",
            ),
            (
                "POST /api/v1/c***t",
                "`POST /api/v1/chat`, by what is masked or cut in its path",
            ),
            (
                "POST /api/v1/chat,token=***",
                "`POST /api/v1/chat`, by what is masked or cut in its path",
            ),
            (
                "GET /api/v1/te...",
                "`GET /api/v1/teams/{id}`, by what is masked or cut in its path",
            ),
        ] {
            assert_eq!(find("", &rules, call), [expected], "{call}");
        }
        for call in [
            "GET /api/v1/chat",
            "OPTIONS /api/v1/chat",
            "DELETE /api/v1/teams/5",
            "POST /x/y/api/V1/chat",
            "POST /api/version/chat",
            "POST /api/V1/chat/5",
            "POST /api/v1/chats",
            "POST /api/v1/chat:cancel",
            "POST /api/v1/chat-2",
            "POST /api/v1/d***t",
            "POST /api/v1/chat***chat",
            "POST /\u{2022}\u{2022}\u{2022}",
            "PUT /api/v1/[redacted]",
            "POST /api/v1/[redacted]/5",
            "POST /api/v1/{id}",
            "GET /apis/v1/jobs/5",
            "GET /",
        ] {
            assert_eq!(find("", &rules, call), [""; 0], "{call}");
        }
    }

    #[test]
    fn the_operation_with_the_smallest_difference_is_reported() {
        let rules = [
            "GET /v1/Teams/{id}",
            "GET /v1/teams/export",
            "GET /v2/teams/{id}",
        ];
        assert_eq!(
            find("", &rules, "GET /v1/TEAMS/export"),
            ["`GET /v1/teams/export` differs only in letter case"]
        );
        assert_eq!(
            find("", &rules, "GET /V2/teams/5"),
            ["`GET /v2/teams/{id}` differs only in letter case"]
        );
    }

    #[test]
    fn a_path_of_very_many_segments_is_not_searched() {
        let operations: Vec<_> = (0..500)
            .map(|i| format!("GET /a{i}/{{id}}/users"))
            .collect();
        let operations: Vec<&str> = operations.iter().map(String::as_str).collect();
        let call = format!("GET {}/zz", "/users".repeat(200_000));
        assert_eq!(find("", &operations, &call), [""; 0]);
    }

    #[test]
    fn a_call_is_compared_only_with_paths_that_have_its_literals() {
        let rule = |at| format!("[[rule]]\nid = 'r{at}'\noperation = 'POST /a{at}/{{id}}/users'\n");
        let rules: String = (0..3_000).map(rule).collect();
        let file = RuleFile::parse("test", &format!("api = 'Test'\n{rules}")).unwrap();
        let set = RuleSet::new(vec![file]).unwrap();
        for (call, expected) in [
            ("/zz/5/users", 0),
            ("/A7/5/Users", 1),
            ("/a7/5/users", 1),
            ("/a7/5/[redacted]", 1),
            ("/a7...", 111),
        ] {
            let segments = Target::parse(call).segments;
            let found = set.paths.find(&segments, 0..=segments.len());
            assert_eq!(found.len(), expected, "{call}");
        }
    }

    #[test]
    fn the_address_counts() {
        let rules = ["POST /api/v1/chat"];
        let hosts = "hosts = ['api.test']\nbase_path = '/api'";
        for (call, expected) in [
            ("POST https://api.test/api/v2/chat", 1),
            ("POST https://api.test/proxy/API/v1/chat", 1),
            ("POST /api/v2/chat", 1),
            ("POST https://other.test/api/v2/chat", 0),
            ("POST {{base}}/v1/chat", 1),
            ("POST ${BASE}/v1/chat", 1),
            ("GET {{base}}/v1/chat", 0),
            ("POST /{{base}}/v1/chat", 1),
            ("POST {{base}}/chat", 1),
            ("POST {{base}}/{{version}}/chat", 1),
            ("POST {{base}}/chats", 0),
        ] {
            assert_eq!(find(hosts, &rules, call).len(), expected, "{call}");
        }
    }
}
