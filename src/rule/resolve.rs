//! From what an exchange called to the operations whose rules apply.

use std::borrow::Cow;
use std::cmp::Reverse;

use super::table::RuleTable;
use crate::exchange::{Method, OperationPattern, PatternSegment, Target};

/// The operations that a call matches: indices into [`RuleTable::operations`], ascending. Equal sets have equal rules.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Resolved {
    /// Templates of one operation; several only where the method is unknown.
    pub templates: Vec<usize>,
    /// Patterns over several operations.
    pub patterns: Vec<usize>,
}

impl Resolved {
    /// Whether no rule knows the operation.
    pub fn is_empty(&self) -> bool {
        self.templates.is_empty() && self.patterns.is_empty()
    }
}

/// How well a template fits a path; the greater wins. A template that leaves less of the path in front of it fits
/// better, then one that has a literal where another has a variable.
type Fit = (Reverse<usize>, Vec<bool>);

impl RuleTable {
    /// The operations that a captured method (if known) and path match.
    ///
    /// A path may have anything in front of the template (the base path of a proxy), unless the template begins with a
    /// variable. Concrete beats templated.
    pub fn resolve(&self, method: Option<&Method>, target: &Target<'_>) -> Resolved {
        let mut resolved = Resolved::default();
        let mut best: Option<Fit> = None;
        for (index, operation) in self.candidates(target.segments.last().map(|last| &**last)) {
            let pattern = &operation.pattern;
            if let (Some(called), Some(wanted)) = (method, &pattern.method)
                && called != wanted
            {
                continue;
            }
            let Some(fit) = fit(pattern, &target.segments) else { continue };
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
        resolved.templates.sort_unstable();
        resolved.patterns.sort_unstable();
        resolved
    }
}

fn fit(pattern: &OperationPattern, path: &[Cow<'_, str>]) -> Option<Fit> {
    let anchored = !matches!(pattern.segments.first(), Some(PatternSegment::Literal(_)));
    let last_start = if anchored { 0 } else { path.len() };
    let start = (0..=last_start)
        .find(|&start| matches(&pattern.segments, path.get(start..).unwrap_or_default()))?;
    let literals = pattern
        .segments
        .iter()
        .map(|segment| matches!(segment, PatternSegment::Literal(_)))
        .collect();
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
