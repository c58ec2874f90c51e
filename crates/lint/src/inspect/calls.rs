//! The operations of a description, each matched against the rules like a call.

use std::sync::Arc;

use crate::rules::{MatchedOperations, RulePlace, RuleSet};
use sundown_exchange::{Method, Target, expand_variables};
use sundown_openapi::{DescribedOperation, Description, OperationId, OperationRole};
use sundown_text_json::text::{MAX_SHOWN_LEN, truncate_text};

/// An operation of the description.
#[derive(Debug)]
pub(super) struct DescribedCall {
    pub id: OperationId,
    /// Method and path, with the server's path prefix under which rules match it.
    pub name: Arc<str>,
    /// The operations of the table that it matches.
    pub matched: MatchedOperations,
}

/// A rule that is looked for in one operation of the description.
#[derive(Clone, Copy)]
pub(super) struct RuleInCall<'s> {
    /// The index of the rule.
    pub rule: usize,
    pub place: &'s RulePlace,
    /// The index of the call.
    pub call: usize,
    pub operation: &'s DescribedOperation,
}

/// Matches all operations, in the description's order.
///
/// Webhooks and callbacks have no path on the service, so no rule matches them.
pub(super) fn match_operations(description: &Description, table: &RuleSet) -> Vec<DescribedCall> {
    let origins = origins(description);
    let mut calls = Vec::new();
    for (id, operation) in description.numbered_operations() {
        let templates = description.path_templates(operation);
        let mut matched = MatchedOperations::default();
        let mut prefix = operation
            .prefixes
            .first()
            .map(String::as_str)
            .unwrap_or_default();
        // An invalid method would match the operations of every method.
        let method =
            Method::parse(&operation.method).filter(|_| operation.role == OperationRole::Served);
        for candidate in operation.prefixes.iter().filter(|_| method.is_some()) {
            for (origin, template) in origins
                .iter()
                .flat_map(|origin| templates.iter().map(move |template| (origin, template)))
            {
                let url = format!("{origin}{candidate}{}", expand_variables(template));
                let found = table.resolve(method.as_ref(), &Target::parse(&url));
                if matched.is_empty() && !found.is_empty() {
                    prefix = candidate;
                }
                matched = matched.or(found);
            }
        }
        // Each finding of the operation repeats the name.
        let name = format!("{} {prefix}{}", operation.method, operation.path);
        let name = truncate_text(&name, MAX_SHOWN_LEN).into();
        calls.push(DescribedCall { id, name, matched });
    }
    calls
}

/// The beginnings of the URLs of a description's operations: one for each host, or an empty one if the hosts are unknown.
fn origins(description: &Description) -> Vec<String> {
    const MAX_HOSTS: usize = 16;
    let hosts = description.hosts();
    if hosts.is_empty() || hosts.len() > MAX_HOSTS || hosts.iter().any(|host| host.starts_with('*'))
    {
        return vec![String::new()];
    }
    hosts.iter().map(|host| format!("https://{host}")).collect()
}
