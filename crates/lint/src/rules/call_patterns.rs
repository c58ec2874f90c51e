//! The operations of a description as patterns that match calls.

use sundown_exchange::{OperationPattern, PatternSegment};
use sundown_openapi::{DescribedOperation, Description, OperationId, OperationRole};
use sundown_text_json::text::join;

/// All operations of the service, once for each pattern.
pub(super) fn patterns_by_operation(
    description: &Description,
) -> impl Iterator<Item = (OperationPattern, OperationId)> {
    let served = description
        .numbered_operations()
        .filter(|(_, operation)| operation.role == OperationRole::Served);
    served.flat_map(move |(id, operation)| {
        call_patterns(description, operation)
            .into_iter()
            .map(move |pattern| (pattern, id))
    })
}

/// The patterns of an operation, for each path prefix. There is none if calls do not show what distinguishes it.
pub(super) fn call_patterns(
    description: &Description,
    operation: &DescribedOperation,
) -> Vec<OperationPattern> {
    let mut patterns: Vec<OperationPattern> = Vec::new();
    let templates = description.path_templates(operation);
    for prefix in operation.prefixes.iter() {
        let written = format!("{prefix}{}", operation.path);
        let written = format!("{} /{}", operation.method, written.trim_start_matches('/'));
        for template in &templates {
            let pattern = pattern(&operation.method, &format!("{prefix}{template}"));
            let pattern = pattern.map(|pattern| pattern.written_as(written.clone()));
            patterns.extend(pattern.filter(|pattern| !patterns.contains(pattern)));
        }
    }
    patterns
}

/// The pattern of a path. A segment that is no template becomes a variable: `*` is no wildcard in a description.
pub(super) fn pattern(method: &str, path: &str) -> Option<OperationPattern> {
    without_wildcards(method, path).or_else(|| {
        let segments = path
            .split('/')
            .map(|segment| match without_wildcards(method, segment) {
                Some(_) => segment,
                None => "{variable}",
            });
        without_wildcards(method, &join(segments, "/"))
    })
}

fn without_wildcards(method: &str, path: &str) -> Option<OperationPattern> {
    let path = path.trim_start_matches('/');
    let pattern = OperationPattern::parse(&format!("{method} /{path}")).ok()?;
    let mut segments = pattern.segments.iter();
    let is_one = !segments.any(|one| matches!(one, PatternSegment::AnyOne | PatternSegment::Rest));
    is_one.then_some(pattern)
}
