//! The operations of a description, each matched against the rules like a call.

use std::sync::Arc;

use crate::openapi::{DescribedOperation, Description, OperationId, OperationRole};
use crate::rules::{MatchedOperations, RulePlace, RulePlaceRef, RuleTable};
use crate::text::{MAX_SHOWN_LEN, truncate_text};
use crate::traffic::{Method, Target};

/// An operation of the description.
#[derive(Debug)]
pub(super) struct DescribedCall {
    pub(super) id: OperationId,
    /// Method and path, with the server's path in front by which rules know it.
    pub(super) name: Arc<str>,
    /// The operations of the table that it is.
    pub(super) resolved: MatchedOperations,
}

/// All operations, in the description's order.
///
/// Webhooks and callbacks have no path of the service, so no rule is about them.
pub(super) fn calls(description: &Description, table: &RuleTable) -> Vec<DescribedCall> {
    let operations = description.operation_ids().zip(description.operations());
    operations.map(|(id, operation)| call(id, operation, table)).collect()
}

fn call(id: OperationId, operation: &DescribedOperation, table: &RuleTable) -> DescribedCall {
    let mut resolved = MatchedOperations::default();
    let mut prefix = operation.prefixes.first().map(String::as_str).unwrap_or_default();
    // Without a method that is one, it would match every method.
    let method =
        Method::parse(&operation.method).filter(|_| operation.role == OperationRole::Served);
    for candidate in operation.prefixes.iter().filter(|_| method.is_some()) {
        let path = format!("{candidate}{}", operation.path);
        let found = table.resolve(method.as_ref(), &Target::parse(&path));
        if resolved.is_empty() && !found.is_empty() {
            prefix = candidate;
        }
        resolved = resolved.or(found);
    }
    // It stands in each of its findings.
    let name = format!("{} {prefix}{}", operation.method, operation.path);
    let name = truncate_text(&name, MAX_SHOWN_LEN).into();
    DescribedCall { id, name, resolved }
}

/// The places of the rules that are about these operations, each with its rule's number.
pub(super) fn places<'t>(
    table: &'t RuleTable,
    resolved: &MatchedOperations,
) -> Vec<(usize, &'t RulePlace)> {
    let indices = resolved.templates.iter().chain(&resolved.patterns);
    let operations = indices.filter_map(|&index| Some((index, table.operations().get(index)?)));
    let places = operations.flat_map(|(index, operation)| {
        let is_meant =
            move |place: &&RulePlaceRef| resolved.is_meant(index, table.file_of(place.rule));
        operation.places.iter().filter(is_meant)
    });
    places
        .filter_map(|at| Some((at.rule, table.rules().get(at.rule)?.places.get(at.place)?)))
        .collect()
}
