//! The operations of a description as patterns that match calls.

use sundown_exchange::OperationPattern;
use sundown_openapi::{DescribedOperation, Description, OperationId, OperationRole};

/// All operations of the service, once for each pattern.
pub(super) fn patterns_by_operation(
    description: &Description,
) -> impl Iterator<Item = (OperationPattern, OperationId)> {
    let served = description
        .operation_ids()
        .zip(description.operations())
        .filter(|(_, operation)| operation.role == OperationRole::Served);
    served.flat_map(|(id, operation)| {
        call_patterns(operation)
            .into_iter()
            .map(move |pattern| (pattern, id))
    })
}

/// The patterns of an operation, one for each path prefix. A query or fragment in the path is ignored: traffic cannot be told
/// apart by it.
pub(super) fn call_patterns(operation: &DescribedOperation) -> Vec<OperationPattern> {
    let path = operation.path.split(['?', '#']).next().unwrap_or_default();
    let mut patterns: Vec<OperationPattern> = Vec::new();
    for prefix in operation.prefixes.iter() {
        let whole = format!("{prefix}{path}");
        let segments: Vec<&str> = whole.split('/').map(pattern_segment).collect();
        let text = format!(
            "{} /{}",
            operation.method,
            segments.join("/").trim_start_matches('/')
        );
        let written = format!("{} /{}", operation.method, whole.trim_start_matches('/'));
        if let Ok(pattern) = OperationPattern::parse(&text) {
            let pattern = pattern.written_as(written);
            if !patterns.contains(&pattern) {
                patterns.push(pattern);
            }
        }
    }
    patterns
}

/// A path segment as a pattern has it: a segment with a variable in it becomes a variable.
pub(super) fn pattern_segment(segment: &str) -> &str {
    let name = segment
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
        .unwrap_or(segment);
    if name.contains(['{', '}', '*']) || name.contains(char::is_whitespace) {
        "{variable}"
    } else {
        segment
    }
}
