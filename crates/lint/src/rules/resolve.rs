//! Resolves a call to the operations of the rule set that it matches.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::address::{PathPrefix, allows_host};
use super::rule_set::{RuleOperation, RuleSet};
use crate::step_match::matches_steps;
use sundown_exchange::{Call, Method, OperationPattern, PathVariable, PatternSegment, Target};

/// The operations that a call matches: indices into [`RuleSet::operations`]. Equal values have equal rules.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct MatchedOperations {
    /// Templates of one operation. There are several only if the method is unknown.
    pub templates: BTreeSet<usize>,
    /// Patterns over several operations.
    pub patterns: BTreeSet<usize>,
    /// The pairs of operation and rules file that apply to the call, by its host and base path.
    pub(crate) meant: BTreeSet<(usize, usize)>,
}

impl MatchedOperations {
    /// The match of one operation of a set.
    pub(crate) fn of_one(set: &RuleSet, operation: usize) -> Self {
        let mut matched = Self::default();
        if let Some(RuleOperation { pattern, files, .. }) = set.operations().get(operation) {
            matched.insert(operation, pattern, files);
        }
        matched
    }

    fn insert(&mut self, operation: usize, pattern: &OperationPattern, files: &[usize]) {
        if pattern.is_concrete() {
            self.templates.insert(operation);
        } else {
            self.patterns.insert(operation);
        }
        let meant = files.iter().map(|&file| (operation, file));
        self.meant.extend(meant);
    }

    /// All of them, the templates first.
    pub fn all(&self) -> impl Iterator<Item = usize> {
        self.templates.iter().chain(&self.patterns).copied()
    }

    /// Whether no rule names the operation.
    pub fn is_empty(&self) -> bool {
        self.templates.is_empty() && self.patterns.is_empty()
    }

    /// Whether the rules of a file about this operation apply to the call.
    pub fn is_meant(&self, operation: usize, file: usize) -> bool {
        self.meant.contains(&(operation, file))
    }

    /// Combines the operations that two calls match.
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {
        self.templates.extend(other.templates);
        self.patterns.extend(other.patterns);
        self.meant.extend(other.meant);
        self
    }

    /// Removes the templates, which fit worse than another.
    fn clear_templates(&mut self) {
        for template in std::mem::take(&mut self.templates) {
            self.meant.retain(|(operation, _)| *operation != template);
        }
    }
}

/// How well a template fits a path; the greatest wins. A template fits better if less of the path precedes it, and then if
/// it has a literal where another template has a variable. Text around a variable is between both.
type TemplateFit = (Reverse<usize>, Vec<SegmentFit>);

/// How well a segment of a template fits; the greatest wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SegmentFit {
    Several,
    Variable,
    Partial,
    Literal,
    Parameter,
}

impl RuleSet {
    /// Resolves a captured method (if known) and path to the operations that are called.
    ///
    /// Calls of other hosts than those of a rules file do not match its operations. Further segments, such as the base path of
    /// a proxy, may precede the template if the user added the host, or if the template starts with a base path of its file.
    /// None may precede a template that starts with a variable. A literal segment beats a variable.
    pub fn resolve(&self, method: Option<&Method>, target: &Target<'_>) -> MatchedOperations {
        self.resolve_at(method, target, self.address_check)
    }

    /// Resolves a call. That of a bare body is an operation that the user names: without a host, it may be one of any API.
    pub fn resolve_call(&self, call: &Call<'_>) -> MatchedOperations {
        let target = call.target();
        let check = if call.url_span.is_none() && target.lacks_host() {
            AddressCheck::Any
        } else {
            self.address_check
        };
        let own = self.resolve_at(call.method.as_ref(), target, check);
        match &call.other_method {
            Some(other) => own.or(self.resolve_at(Some(other), target, check)),
            None => own,
        }
    }

    /// Resolves a captured method and path as [`Self::resolve`] does, with this check of the address.
    pub(crate) fn resolve_at(
        &self,
        method: Option<&Method>,
        target: &Target<'_>,
        check: AddressCheck,
    ) -> MatchedOperations {
        let (mut plain, plain_fit) = self.resolve_segments(method, target, check);
        let Some(segments) = target.segments_with_parameters.clone() else {
            return plain;
        };
        let target = Target {
            segments,
            segments_with_parameters: None,
            ..target.clone()
        };
        let (mut full, full_fit) = self.resolve_segments(method, &target, check);
        // A literal may contain the parameters of a segment, and a variable covers them.
        if full_fit < plain_fit {
            full.clear_templates();
        } else if full_fit > plain_fit {
            plain.clear_templates();
        }
        plain.or(full)
    }

    fn resolve_segments(
        &self,
        method: Option<&Method>,
        target: &Target<'_>,
        check: AddressCheck,
    ) -> (MatchedOperations, Option<TemplateFit>) {
        let mut resolved = MatchedOperations::default();
        let mut best: Option<TemplateFit> = None;
        let paths = self.paths.find(&target.segments, 0..=target.segments.len());
        let candidates: BTreeSet<_> = paths.iter().map(|(_, path)| path.operation).collect();
        for index in candidates {
            let Some(operation) = self.operations().get(index) else {
                continue;
            };
            let pattern = &operation.pattern;
            if let (Some(called), Some(wanted)) = (method, &pattern.method)
                && called != wanted
            {
                continue;
            }
            let Some((fit, files)) = self.fit(operation, target, check) else {
                continue;
            };
            if pattern.is_concrete() {
                if best.as_ref().is_some_and(|best| *best > fit) {
                    continue;
                }
                if best.as_ref().is_none_or(|best| *best < fit) {
                    resolved.clear_templates();
                    best = Some(fit);
                }
            }
            resolved.insert(index, pattern, &files);
        }
        (resolved, best)
    }

    /// The best fit of an operation over all its rules files, and those to which the call belongs.
    fn fit(
        &self,
        operation: &RuleOperation,
        target: &Target<'_>,
        check: AddressCheck,
    ) -> Option<(TemplateFit, Vec<usize>)> {
        if !has_parameters(&operation.pattern.segments, target) {
            return None;
        }
        let mut best = None;
        let mut meant = Vec::new();
        let files = operation.files.iter().copied();
        for file in files.filter(|&file| self.serves(file, target, check)) {
            let paths = self.paths(operation, file, target, check);
            let fits = paths.filter_map(|(path, prefix)| fit(path, prefix, &target.segments));
            if let Some(fit) = fits.max() {
                best = best.max(Some(fit));
                meant.push(file);
            }
        }
        Some((best?, meant))
    }

    /// Whether a call of this target may be one of a file's operations, as far as its host decides that.
    pub(super) fn serves(&self, file: usize, target: &Target<'_>, check: AddressCheck) -> bool {
        check == AddressCheck::Any || self.is_served_by(file, target.host.as_ref())
    }

    /// The paths of an operation for a file and the called host, each with the prefix that may precede it.
    pub(super) fn paths<'t>(
        &self,
        operation: &'t RuleOperation,
        file: usize,
        target: &'t Target<'_>,
        check: AddressCheck,
    ) -> impl Iterator<Item = (&'t [PatternSegment], PathPrefix)> + Clone + use<'t> {
        let segments = operation.pattern.segments.as_slice();
        let own = (segments, self.prefix_of(file, segments, target, check));
        let host = target.host.as_ref();
        let aliases = operation.aliases.iter().filter(move |alias| {
            alias.file == file && (check == AddressCheck::Any || allows_host(&alias.hosts, host))
        });
        let aliases = aliases.map(|alias| (alias.segments.as_slice(), alias.prefix));
        std::iter::once(own).chain(aliases)
    }

    /// The value that a call of an operation has for a variable of its path, as the rules of a file see it.
    pub(crate) fn variable_value<'t>(
        &self,
        index: usize,
        file: usize,
        place: PathVariable,
        target: &'t Target<'_>,
    ) -> Option<&'t str> {
        let operation = self.operations().get(index)?;
        let length = operation.pattern.segments.len();
        let paths = self.paths(operation, file, target, self.address_check);
        let full = target.segments_with_parameters.as_ref();
        let segments = [&target.segments].into_iter().chain(full);
        segments
            .flat_map(|called| paths.clone().map(move |path| (called, path)))
            .find_map(|(called, (segments, prefix))| {
                let start = start_of(segments, prefix, called)?;
                // Another base path has another number of segments.
                let at = (place.segment + segments.len()).checked_sub(length)?;
                segments.get(at)?.value_of(place, called.get(start + at)?)
            })
    }

    /// The prefix that may precede an operation of a file in a call that the file's hosts serve.
    fn prefix_of(
        &self,
        file: usize,
        segments: &[PatternSegment],
        target: &Target<'_>,
        check: AddressCheck,
    ) -> PathPrefix {
        let mut bases = self.bases(file).iter();
        // The user added the others, such as a gateway.
        let own = self.files.get(file).map_or(0, |file| file.own_hosts);
        let mut added = self.file(file).hosts.iter().skip(own);
        if check == AddressCheck::Any
            || (target.host.as_ref()).is_some_and(|host| added.any(|pattern| pattern.matches(host)))
            || bases.any(|base| !base.is_empty() && segments.starts_with(base))
        {
            return PathPrefix::of(segments);
        }
        if target.is_from_root {
            PathPrefix::Nothing
        } else {
            PathPrefix::OneSegment
        }
    }

    /// The segments of all paths of operations.
    pub(crate) fn path_segments(&self) -> impl Iterator<Item = &PatternSegment> {
        self.operations().iter().flat_map(|operation| {
            let aliases = operation.aliases.iter().flat_map(|alias| &alias.segments);
            operation.pattern.segments.iter().chain(aliases)
        })
    }
}

/// Which calls may be calls of an operation, by host and by the segments before its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum AddressCheck {
    /// Those that the rules declare.
    #[default]
    Declared,
    /// All.
    Any,
}

fn fit(
    pattern: &[PatternSegment],
    prefix: PathPrefix,
    path: &[Cow<'_, str>],
) -> Option<TemplateFit> {
    let start = start_of(pattern, prefix, path)?;
    Some((
        Reverse(start),
        pattern
            .iter()
            .map(|segment| match segment {
                PatternSegment::Literal(_) => SegmentFit::Literal,
                PatternSegment::Partial(_) => SegmentFit::Partial,
                PatternSegment::Several => SegmentFit::Several,
                PatternSegment::Parameter(..) => SegmentFit::Parameter,
                PatternSegment::Variable | PatternSegment::AnyOne | PatternSegment::Rest => {
                    SegmentFit::Variable
                }
            })
            .collect(),
    ))
}

/// The number of segments of a path before a template.
fn start_of(
    pattern: &[PatternSegment],
    prefix: PathPrefix,
    path: &[Cow<'_, str>],
) -> Option<usize> {
    (0..=prefix.longest(path.len()))
        .find(|&start| matches(pattern, path.get(start..).unwrap_or_default(), str::eq))
}

/// Whether a path is that of a template, of which each literal `fits` its segment.
pub(super) fn matches(
    pattern: &[PatternSegment],
    path: &[Cow<'_, str>],
    fits: impl Fn(&str, &str) -> bool,
) -> bool {
    // Query parameters come after the path.
    let is_parameter = |segment: &PatternSegment| matches!(segment, PatternSegment::Parameter(..));
    let end = pattern.iter().position(is_parameter);
    let pattern = pattern.get(..end.unwrap_or(pattern.len()));
    matches_steps(
        pattern.unwrap_or_default(),
        path,
        |wanted| matches!(wanted, PatternSegment::Several | PatternSegment::Rest),
        |wanted, segment| match wanted {
            PatternSegment::Literal(text) => fits(text, segment),
            PatternSegment::Partial(template) => template.matches(segment),
            _ => true,
        },
    )
}

/// Whether a call has the query parameters that a template names.
fn has_parameters(pattern: &[PatternSegment], target: &Target<'_>) -> bool {
    pattern.iter().all(|segment| match segment {
        PatternSegment::Parameter(name, wanted) => target.parameters.iter().any(|parameter| {
            let value = parameter.value.as_deref();
            parameter.name == *name && wanted.as_deref().is_none_or(|wanted| value == Some(wanted))
        }),
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::super::RuleFile;
    use super::*;

    fn rule_set(header: &str, operations: &[&str]) -> RuleSet {
        let rule = |(number, operation)| {
            format!("[[rule]]\nid = 'r{number}'\nalso = [{{ operation = '{operation}' }}]\n")
        };
        let rules: Vec<String> = operations.iter().enumerate().map(rule).collect();
        RuleSet::new(vec![
            RuleFile::parse(
                "test",
                &format!("api = 'Test'\n{header}\n{}", rules.concat()),
            )
            .unwrap(),
        ])
        .unwrap()
    }

    fn resolve(operations: &[&str], method: &str, url: &str) -> Vec<String> {
        resolve_in(&rule_set("", operations), method, url)
    }

    fn resolve_in(set: &RuleSet, method: &str, url: &str) -> Vec<String> {
        let resolved = set.resolve(Method::parse(method).as_ref(), &Target::parse(url));
        let all = resolved.templates.iter().chain(&resolved.patterns);
        all.map(|&index| set.operations()[index].pattern.to_string())
            .collect()
    }

    #[test]
    fn concrete_beats_templated() {
        let operations = [
            "GET /v1/policies/{id}",
            "GET /v1/policies/export",
            "GET /v1/{kind}/{id}",
        ];
        assert_eq!(
            resolve(&operations, "GET", "/v1/policies/export"),
            ["GET /v1/policies/export"]
        );
        assert_eq!(
            resolve(&operations, "GET", "/v1/policies/7"),
            ["GET /v1/policies/{id}"]
        );
        assert_eq!(
            resolve(&operations, "GET", "/v1/reports/7"),
            ["GET /v1/{kind}/{id}"]
        );
        assert!(resolve(&operations, "POST", "/v1/policies/7").is_empty());
        assert!(resolve(&operations, "GET", "/v1/policies/7/x").is_empty());
    }

    #[test]
    fn templates_and_variables_in_the_captured_path_fill_a_variable() {
        let operations = ["GET /v1/policies/{id}"];
        for url in [
            "/v1/policies/{id}",
            "{{base}}/v1/policies/{{policy}}",
            "/v1/policies/:id",
            "/v1/policies/a%2Fb",
        ] {
            assert_eq!(resolve(&operations, "get", url), operations, "{url}");
        }
    }

    #[test]
    fn a_prefix_may_precede_the_template_and_the_longest_template_wins() {
        let operations = ["POST /rest/v1/chat", "POST /v1/chat", "POST /{any}/chat"];
        let mut set = rule_set("", &operations);
        set.address_check = AddressCheck::Any;
        let resolve = |url: &str| resolve_in(&set, "POST", url);
        assert_eq!(
            resolve("https://host/proxy/rest/v1/chat"),
            ["POST /rest/v1/chat"]
        );
        assert_eq!(resolve("/other/v1/chat"), ["POST /v1/chat"]);
        assert_eq!(resolve("/x/chat"), ["POST /{any}/chat"]);
        assert!(
            resolve("/x/y/chat").is_empty(),
            "a template that starts with a variable allows no prefix"
        );
        assert!(resolve("/chat").is_empty());
    }

    #[test]
    fn a_prefix_needs_a_base_path_of_the_rules() {
        let operation = "GET /teams/{id}";
        let prefixed = [
            "https://api.test/orgs/acme/teams/core",
            "/orgs/acme/teams/core",
        ];
        let plain = [
            "https://other.test/teams/5",
            "/teams/5",
            "{{base}}/teams/5",
            "h.test/teams/5",
        ];
        let found = |header: &str, operation: &str, url: &str| {
            !resolve_in(&rule_set(header, &[operation]), "GET", url).is_empty()
        };
        for url in plain {
            assert!(found("", operation, url), "{url}");
        }
        for url in prefixed {
            assert!(!found("", operation, url), "{url}");
            let anywhere = rule_set("", &[operation]);
            let anywhere = anywhere.resolve_at(None, &Target::parse(url), AddressCheck::Any);
            assert_eq!(anywhere.templates, [0].into(), "{url}");
        }
        for url in ["/proxy/v1/teams/5", "https://other.test/a/b/v1/teams/5"] {
            assert!(
                found("base_path = '/v1'", "GET /v1/teams/{id}", url),
                "{url}"
            );
        }
        let hosts = "hosts = ['api.test']";
        assert_eq!(
            prefixed.map(|url| found(hosts, operation, url)),
            [false, false]
        );
        assert_eq!(
            plain.map(|url| found(hosts, operation, url)),
            [false, true, true, false]
        );
        let own = "hosts = ['h.test']";
        assert_eq!(
            plain.map(|url| found(own, operation, url)),
            [false, true, true, true]
        );
    }

    #[test]
    fn parameters_of_segments_match_literals_that_have_them() {
        let operations = ["GET /a/b", "GET /a/{id}/x", "GET /c;v=1/d"];
        assert_eq!(resolve(&operations, "GET", "/a;q/b;v=2"), ["GET /a/b"]);
        assert_eq!(resolve(&operations, "GET", "/a/5;v=2/x"), ["GET /a/{id}/x"]);
        assert_eq!(resolve(&operations, "GET", "/c;v=1/d"), ["GET /c;v=1/d"]);
        assert!(resolve(&operations, "GET", "/c/d").is_empty());
        let operations = [
            "GET /c;v=1/d",
            "GET /{x}/d",
            "GET /{x}/e",
            "GET /f/e",
            "* /**",
        ];
        let patterns = |operation| vec![operation, "* /**"];
        assert_eq!(
            resolve(&operations, "GET", "/c;v=1/d"),
            patterns("GET /c;v=1/d")
        );
        assert_eq!(
            resolve(&operations, "GET", "/c;v=2/d"),
            patterns("GET /{x}/d")
        );
        assert_eq!(
            resolve(&operations, "GET", "/f;v=2/e"),
            patterns("GET /f/e")
        );
    }

    #[test]
    fn an_unknown_method_matches_every_method() {
        let operations = [
            "GET /v1/policies/{id}",
            "POST /v1/policies/{pid}",
            "POST /v1/policies",
        ];
        assert_eq!(resolve(&operations, "", "/v1/policies/7"), operations[..2]);
    }

    #[test]
    fn patterns_apply_beside_the_template() {
        let operations = [
            "POST /v1/chat",
            "* /v1/**",
            "POST /v1/*",
            "GET /v1/**",
            "* /v1/*/x",
        ];
        assert_eq!(
            resolve(&operations, "POST", "/v1/chat"),
            ["POST /v1/chat", "* /v1/**", "POST /v1/*"]
        );
        assert_eq!(resolve(&operations, "PUT", "/v1"), ["* /v1/**"]);
        assert_eq!(
            resolve(&operations, "PUT", "/v1/a/x"),
            ["* /v1/**", "* /v1/*/x"]
        );
    }
}
