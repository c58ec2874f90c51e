//! The inspection of a description, whose operations are matched against the rules like calls: what it is asked for, its steps, and
//! its result.

use std::collections::HashSet;
use std::sync::Arc;

use super::inspector::Inspector;
use super::search::DescriptionSearch;
use crate::findings::{Check, CheckGrades, Finding};
use crate::rules::{Lifecycle, MatchedOperations, RuleFile, RuleSet};
use sundown_exchange::{Method, Target, expand_variables};
use sundown_openapi::{Description, FileId, OperationRole};
use sundown_text_json::text::{MAX_SHOWN_LEN, truncate_text};

/// The user's relation to the API, which decides which checks are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UserRole {
    /// Not given: all checks are reported.
    #[default]
    Either,
    /// Serves the API and can change its description.
    Owner,
    /// Calls the API.
    Consumer,
}

impl UserRole {
    /// Whether a check is reported to this user.
    pub(crate) fn wants(self, check: Check) -> bool {
        let concerns_consumers = matches!(
            check,
            Check::Exposed | Check::UnknownToTable | Check::Examples
        );
        self != Self::Consumer || concerns_consumers
    }
}

/// How the findings of a description are selected and graded.
#[derive(Debug, Clone, Copy)]
pub struct InspectionOptions<'o> {
    /// The day and the thresholds by which removal dates are graded.
    pub lifecycle: Lifecycle,
    /// The user's relation to the API.
    pub role: UserRole,
    /// The configured severities of the checks.
    pub grades: &'o CheckGrades,
}

/// The result of inspecting a description, beside its findings.
#[derive(Debug, Clone, Copy)]
pub struct Inspected {
    /// Whether some rule names an operation of the description.
    pub is_covered: bool,
    /// Whether the search stopped at its limit.
    pub is_cut: bool,
}

fn are_covered(calls: &[DescribedCall], description: &Description) -> bool {
    // A part that was left out could contain an operation of the rules.
    description.is_cut() || calls.iter().any(|call| !call.matched.is_empty())
}

/// Checks a description against a rule set and passes each finding to `sink`, with the file that it is in. Its owner needs no other
/// rules than those of its own marks.
///
/// `sink` returns whether the report has room for another finding in that file. Once it has none, further findings there are only
/// counted: their operations are not looked up.
pub fn inspect(
    description: &Arc<Description>,
    set: &RuleSet,
    options: InspectionOptions<'_>,
    sink: &mut dyn FnMut(FileId, Finding) -> bool,
) -> Inspected {
    let mut calls = match_operations(description, set);
    let needs_own = options.role == UserRole::Owner && !are_covered(&calls, description);
    let own = needs_own.then(|| own_rules(description)).flatten();
    if let Some(own) = &own {
        calls = match_operations(description, own);
    }
    let set = own.as_ref().unwrap_or(set);
    let is_covered = are_covered(&calls, description);
    if !is_covered && description.markers().is_empty() {
        return Inspected {
            is_covered,
            is_cut: false,
        };
    }
    let results = DescriptionSearch::new(description, set, &calls).run();
    let mut inspector = Inspector {
        description,
        set,
        options,
        calls: &calls,
        sink,
        full: HashSet::new(),
    };
    let known = inspector.report_definitions(&results);
    inspector.report_examples(&results);
    // The absence of an element or a rule can only be reported if everything was searched.
    if !results.is_cut && !description.is_cut() {
        inspector.report_unmatched(&results);
        inspector.report_unknown(&known);
    }
    Inspected {
        is_covered,
        is_cut: results.is_cut,
    }
}

/// The rules of what a description itself marks as deprecated.
fn own_rules(description: &Arc<Description>) -> Option<RuleSet> {
    let name = &description.file(FileId::FIRST)?.name;
    let (file, _) = RuleFile::from_description(name, Arc::clone(description));
    RuleSet::new(vec![file]).ok()
}

/// An operation of the description as a call.
#[derive(Debug)]
pub(super) struct DescribedCall {
    /// Method and path, with the server's path prefix under which rules match it.
    pub name: Arc<str>,
    /// The operations of the set that it matches.
    pub matched: MatchedOperations,
}

/// Matches all operations, by their numbers.
///
/// Webhooks and callbacks have no path on the service, so no rule matches them.
fn match_operations(description: &Description, set: &RuleSet) -> Vec<DescribedCall> {
    let origins = origins(description);
    let mut calls = Vec::new();
    for operation in description.operations() {
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
                let found = set.resolve(method.as_ref(), &Target::parse(&url));
                if matched.is_empty() && !found.is_empty() {
                    prefix = candidate;
                }
                matched = matched.or(found);
            }
        }
        // Each finding of the operation repeats the name.
        let name = format!("{} {prefix}{}", operation.method, operation.path);
        let name = truncate_text(&name, MAX_SHOWN_LEN).into();
        calls.push(DescribedCall { name, matched });
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
