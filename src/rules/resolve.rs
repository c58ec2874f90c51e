//! From what an exchange called to the operations whose rules apply.

use std::borrow::Cow;
use std::cmp::Reverse;

use super::reach::{OperationAlias, PathPrefix};
use super::table::{RuleOperation, RuleTable};
use crate::traffic::{Method, PatternSegment, Target};

/// The operations that a call matches: indices into [`RuleTable::operations`], ascending. Equal sets have equal rules.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct MatchedOperations {
    /// Templates of one operation; several only where the method is unknown.
    pub templates: Vec<usize>,
    /// Patterns over several operations.
    pub patterns: Vec<usize>,
    /// Which rules files do not mean the call by which of these operations, because of its host or its base path; ascending
    /// pairs of operation and file.
    pub left_out: Vec<(usize, usize)>,
}

impl MatchedOperations {
    /// Whether no rule knows the operation.
    pub fn is_empty(&self) -> bool {
        self.templates.is_empty() && self.patterns.is_empty()
    }

    /// Whether a rules file means the call by this operation.
    pub fn is_meant(&self, operation: usize, file: usize) -> bool {
        self.left_out.is_empty() || !self.left_out.contains(&(operation, file))
    }

    /// The operations that either of two calls matches, for the rules files that mean either.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let is_out_of_both = |pair: &(usize, usize)| {
            let is_out = |of: &Self| !of.has(pair.0) || of.left_out.contains(pair);
            is_out(&self) && is_out(&other)
        };
        let both = self.left_out.iter().chain(&other.left_out);
        let left_out = both.filter(|pair| is_out_of_both(pair)).copied().collect();
        let templates = [self.templates, other.templates].concat();
        let patterns = [self.patterns, other.patterns].concat();
        Self { templates, patterns, left_out }.tidy()
    }

    fn has(&self, operation: usize) -> bool {
        self.templates.contains(&operation) || self.patterns.contains(&operation)
    }

    fn tidy(mut self) -> Self {
        for list in [&mut self.templates, &mut self.patterns] {
            list.sort_unstable();
            list.dedup();
        }
        let Self { templates, patterns, left_out } = &mut self;
        left_out
            .retain(|(operation, _)| templates.contains(operation) || patterns.contains(operation));
        left_out.sort_unstable();
        left_out.dedup();
        self
    }
}

/// How well a template fits a path; the greater wins. A template that leaves less of the path in front of it fits
/// better, then one that has a literal where another has a variable.
type TemplateFit = (Reverse<usize>, Vec<bool>);

impl RuleTable {
    /// The operations that a captured method (if known) and path match.
    ///
    /// A path may have anything in front of the template (the base path of a proxy), unless the template begins with a
    /// variable. Concrete beats templated. Where it is known on which hosts an API is met, a call of another host is none of
    /// its operations.
    pub fn resolve(&self, method: Option<&Method>, target: &Target<'_>) -> MatchedOperations {
        let mut resolved = MatchedOperations::default();
        let mut best: Option<TemplateFit> = None;
        for (index, operation) in self.candidates(target.segments.last().map(|last| &**last)) {
            let pattern = &operation.pattern;
            if let (Some(called), Some(wanted)) = (method, &pattern.method)
                && called != wanted
            {
                continue;
            }
            let Some(fit) = self.fit(index, target, &mut resolved.left_out) else { continue };
            if !pattern.is_concrete() {
                resolved.patterns.push(index);
                continue;
            }
            if best.as_ref().is_some_and(|best| *best > fit) {
                continue;
            }
            if best.as_ref().is_none_or(|best| *best < fit) {
                resolved.templates.clear();
                best = Some(fit);
            }
            resolved.templates.push(index);
        }
        resolved.tidy()
    }

    /// How well an operation fits, for the rules file for which it fits best; those that do not mean the call are added to
    /// `left_out`.
    fn fit(
        &self,
        index: usize,
        target: &Target<'_>,
        left_out: &mut Vec<(usize, usize)>,
    ) -> Option<TemplateFit> {
        let RuleOperation { pattern, files, aliases, .. } = self.operations().get(index)?;
        let (host, path) = (target.host.as_ref(), target.segments.as_slice());
        let plain = fit(&pattern.segments, PathPrefix::of(&pattern.segments), path);
        let mut best = None;
        for &file in files {
            let plain = plain.as_ref().filter(|_| self.is_met_on(file, host)).cloned();
            let is_own = |alias: &&OperationAlias| {
                alias.file == file && alias.holds_on(host) && self.is_met_on(file, host)
            };
            let fits = aliases.iter().filter(is_own);
            let fits = fits.filter_map(|alias| fit(&alias.segments, alias.front, path));
            match fits.chain(plain).max() {
                Some(fit) => best = best.max(Some(fit)),
                None => left_out.push((index, file)),
            }
        }
        best
    }
}

fn fit(
    pattern: &[PatternSegment],
    front: PathPrefix,
    path: &[Cow<'_, str>],
) -> Option<TemplateFit> {
    let last_start = match front {
        PathPrefix::Nothing => 0,
        PathPrefix::Anything => path.len(),
    };
    let start =
        (0..=last_start).find(|&start| matches(pattern, path.get(start..).unwrap_or_default()))?;
    let literals =
        pattern.iter().map(|segment| matches!(segment, PatternSegment::Literal(_))).collect();
    Some((Reverse(start), literals))
}

fn matches(pattern: &[PatternSegment], path: &[Cow<'_, str>]) -> bool {
    let open_ended = pattern.last() == Some(&PatternSegment::Rest);
    let fixed = pattern.len() - usize::from(open_ended);
    let right_length = if open_ended { path.len() >= fixed } else { path.len() == fixed };
    right_length
        && pattern.iter().zip(path).all(|(wanted, segment)| match wanted {
            PatternSegment::Literal(text) => text == segment,
            PatternSegment::Variable | PatternSegment::AnyOne | PatternSegment::Rest => true,
        })
}

#[cfg(test)]
mod tests {
    use super::super::RuleFile;
    use super::*;

    fn table(operations: &[&str]) -> RuleTable {
        let rule = |(number, operation)| {
            format!("[[rule]]\nid = 'r{number}'\nalso = [{{ operation = '{operation}' }}]\n")
        };
        let rules: Vec<String> = operations.iter().enumerate().map(rule).collect();
        RuleTable::new(vec![
            RuleFile::parse("test", &format!("api = 'Test'\n{}", rules.concat())).unwrap(),
        ])
        .unwrap()
    }

    fn resolve(operations: &[&str], method: &str, url: &str) -> Vec<String> {
        let table = table(operations);
        let resolved = table.resolve(Method::parse(method).as_ref(), &Target::parse(url));
        let all = resolved.templates.iter().chain(&resolved.patterns);
        all.map(|&index| table.operations()[index].pattern.to_string()).collect()
    }

    #[test]
    fn concrete_beats_templated() {
        let operations =
            ["GET /v1/policies/{id}", "GET /v1/policies/export", "GET /v1/{kind}/{id}"];
        assert_eq!(resolve(&operations, "GET", "/v1/policies/export"), ["GET /v1/policies/export"]);
        assert_eq!(resolve(&operations, "GET", "/v1/policies/7"), ["GET /v1/policies/{id}"]);
        assert_eq!(resolve(&operations, "GET", "/v1/reports/7"), ["GET /v1/{kind}/{id}"]);
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
    fn something_may_stand_in_front_and_the_longest_template_wins() {
        let operations = ["POST /rest/v1/chat", "POST /v1/chat", "POST /{any}/chat"];
        assert_eq!(
            resolve(&operations, "POST", "https://host/proxy/rest/v1/chat"),
            ["POST /rest/v1/chat"]
        );
        assert_eq!(resolve(&operations, "POST", "/other/v1/chat"), ["POST /v1/chat"]);
        assert_eq!(resolve(&operations, "POST", "/x/chat"), ["POST /{any}/chat"]);
        assert!(
            resolve(&operations, "POST", "/x/y/chat").is_empty(),
            "a variable in front is no anchor"
        );
        assert!(resolve(&operations, "POST", "/chat").is_empty());
    }

    #[test]
    fn an_unknown_method_matches_every_method() {
        let operations = ["GET /v1/policies/{id}", "POST /v1/policies/{pid}", "POST /v1/policies"];
        assert_eq!(resolve(&operations, "", "/v1/policies/7"), operations[..2]);
    }

    #[test]
    fn patterns_apply_beside_the_template() {
        let operations = ["POST /v1/chat", "* /v1/**", "POST /v1/*", "GET /v1/**", "* /v1/*/x"];
        assert_eq!(
            resolve(&operations, "POST", "/v1/chat"),
            ["POST /v1/chat", "* /v1/**", "POST /v1/*"]
        );
        assert_eq!(resolve(&operations, "PUT", "/v1"), ["* /v1/**"]);
        assert_eq!(resolve(&operations, "PUT", "/v1/a/x"), ["* /v1/**", "* /v1/*/x"]);
    }
}
