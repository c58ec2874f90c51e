//! The excerpt of a finding: one line with keys, and with values only if the user asks for them.
//!
//! Real payloads have megabytes on one line, so an excerpt never prints a line of the file. It shows the true line and
//! column numbers.

use std::borrow::Cow;
use std::iter;

use crate::source_excerpt::SourceExcerpt;
use crate::{LocatedFinding, escape_unsafe, printable};
use sundown_lint::findings::{Finding, ValueShape};
use sundown_lint::rules::ElementPart;

/// The line of a finding.
pub(super) fn finding_excerpt(located: &LocatedFinding) -> SourceExcerpt {
    let shown = &located.finding.found.shown;
    let (before, key, after) = match &shown.key {
        // The URL is a value.
        None => call(&located.finding),
        Some(key) => {
            let before = shown
                .parent
                .as_ref()
                .map_or_else(|| "… ".to_owned(), |parent| before(parent));
            let value = shown.text.as_deref().map(printable);
            let value = value.unwrap_or(Cow::Borrowed(masked(shown.value)));
            (before, printable(key).into_owned(), format!(": {value}"))
        }
    };
    let text = format!("{before}{key}{after}");
    SourceExcerpt {
        name: escape_unsafe(&located.file).into_owned(),
        lines: iter::once(0..text.len()).collect(),
        text,
        marked: before.len()..before.len() + key.len(),
        first: located.location.line,
        column: located.location.column,
    }
}

/// The call of an endpoint or with a parameter: the method, and the end of the template of the path.
fn call(finding: &Finding) -> (String, String, String) {
    let masked = || (String::new(), "…".to_owned(), String::new());
    let operation = printable(&finding.found.operation);
    let Some((method, path)) = operation.split_once(' ') else {
        return masked();
    };
    let is_variable = |segment: &str| segment.starts_with('{') || segment.starts_with('*');
    let segments = path
        .rmatch_indices('/')
        .map(|(at, _)| (at, path.get(at..).unwrap_or_default()));
    let end = segments
        .clone()
        .find(|&(_, segment)| !is_variable(segment.trim_start_matches('/')))
        .map_or(0, |(at, _)| at);
    let ellipsis = if end == 0 { "" } else { "…" };
    let call = format!("{method} {ellipsis}{}", path.get(end..).unwrap_or_default());
    let value = finding.found.shown.text.as_deref().map(printable);
    match &finding.rule.element.part {
        _ if finding.declared.is_some() => masked(),
        ElementPart::Endpoint | ElementPart::Segment(_) => {
            let value = value
                .map(|value| format!(" with {value}"))
                .unwrap_or_default();
            (String::new(), call, value)
        }
        ElementPart::Parameter(name) => {
            let value = value.unwrap_or(Cow::Borrowed("…"));
            (
                format!("{call}?"),
                printable(name).into_owned(),
                format!("={value}"),
            )
        }
        ElementPart::Field(_) | ElementPart::Header(_) => masked(),
    }
}

fn before(parent: &str) -> String {
    format!("… \"{}\": … ", printable(parent))
}

fn masked(value: ValueShape) -> &'static str {
    match value {
        ValueShape::Scalar => "…",
        ValueShape::String => "\"…\"",
        ValueShape::Object => "{…}",
        ValueShape::Array => "[…]",
    }
}
