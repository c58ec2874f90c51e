//! The line of a finding: with keys, and with values only if the user asks for them.
//!
//! Real payloads have megabytes on one line, so an excerpt never prints a line of the file.

use crate::{LocatedFinding, printable};
use sundown_lint::findings::{Finding, FindingKind};
use sundown_lint::rules::ElementPart;
use sundown_text_json::json::ValueKind;

/// What a line of a finding shows: keys, escaped, with what is around them.
pub(super) struct FindingExcerpt {
    pub before: String,
    pub marked: String,
    pub after: String,
}

/// The line of a finding.
pub(super) fn finding_excerpt(located: &LocatedFinding) -> FindingExcerpt {
    let finding = &located.finding;
    let shown = &finding.found.shown;
    let Some(key) = &shown.key else {
        // The URL is a value.
        return call(finding);
    };
    let is_operation =
        matches!(finding.kind, FindingKind::Use) && finding.rule.element.is_endpoint();
    let before = match &shown.parent {
        Some(parent) => before(parent),
        None if is_operation && located.location.column == 1 => String::new(),
        None => "… ".to_owned(),
    };
    let value = match shown.text.as_deref() {
        Some(text) => printable(text),
        None => masked(shown.value).into(),
    };
    FindingExcerpt {
        before,
        marked: printable(key).into_owned(),
        // The member that states an operation has its value in it.
        after: if is_operation {
            String::new()
        } else {
            format!(": {value}")
        },
    }
}

/// The call of an endpoint or with a parameter: the method, and the end of the template of the path.
fn call(finding: &Finding) -> FindingExcerpt {
    let operation = printable(&finding.found.operation);
    let call = operation.split_once(' ').map(|(method, path)| {
        let end = last_word(path);
        let ellipsis = if end.len() == path.len() { "" } else { "…" };
        format!("{method} {ellipsis}{end}")
    });
    let value = finding.found.shown.text.as_deref().map(printable);
    match (&finding.rule.element.part, call) {
        (ElementPart::Endpoint | ElementPart::Segment(_), Some(call))
            if finding.declared().is_none() =>
        {
            let value = value.map(|value| format!(" with {value}"));
            excerpt("", &call, value.unwrap_or_default())
        }
        (ElementPart::Parameter(name), Some(call)) if finding.declared().is_none() => {
            let value = value.as_deref().unwrap_or("…");
            excerpt(&format!("{call}?"), &printable(name), format!("={value}"))
        }
        _ => excerpt("", "…", String::new()),
    }
}

/// An excerpt whose middle is marked.
fn excerpt(before: &str, marked: &str, after: String) -> FindingExcerpt {
    FindingExcerpt {
        before: before.to_owned(),
        marked: marked.to_owned(),
        after,
    }
}

/// The end of the template of a path, from its last segment that is no variable.
fn last_word(path: &str) -> &str {
    let mut ends = path
        .rmatch_indices('/')
        .filter_map(|(at, _)| path.get(at..));
    ends.find(|end| !end.starts_with("/{") && !end.starts_with("/*"))
        .unwrap_or(path)
}

fn before(parent: &str) -> String {
    format!("… \"{}\": … ", printable(parent))
}

fn masked(value: Option<ValueKind>) -> &'static str {
    match value {
        Some(ValueKind::String) => "\"…\"",
        Some(ValueKind::Object) => "{…}",
        Some(ValueKind::Array) => "[…]",
        _ => "…",
    }
}
