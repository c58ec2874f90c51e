//! The Reviewdog Diagnostic Format, one diagnostic per line.
//!
//! The format is that of reviewdog's `reviewdog.proto`, in the JSON mapping of protocol buffers. Columns are one-based and
//! count bytes. Messages become comments on pull requests, so they are Markdown.

use std::io::{self, Write};

use crate::diagnostic::{Diagnostic, SentenceRole, all_problems};
use crate::format::TOOL_NAME;
use crate::{OutputFormat, RenderOptions, Report};
use sundown_text_json::object;
use sundown_text_json::text::markdown::{code, plain, prose};
use sundown_text_json::text::{JsonValue, Location, safe_json};

/// Writes one diagnostic per line.
pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "rdjsonl",
    about: "Reviewdog Diagnostic Format",
    skips: "failures as diagnostics",
    has_remarks: false,
    mark: r#""source":\{"name":"sundown"\},"code":\{"value":"[^"\n]*"\}\}\n$"#,
    write,
};

fn write(report: &Report, _: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    for problem in all_problems(report).chain(Diagnostic::of_interruption(report)) {
        safe_json::compact(out, &diagnostic(&problem))?;
        writeln!(out)?;
    }
    Ok(())
}

fn diagnostic<'d>(problem: &'d Diagnostic<'_>) -> JsonValue<'d> {
    let suggestion = problem.finding().and_then(|own| own.suggestion.as_ref());
    object! {
        "message": problem.text(sentence) + problem.finding().map_or("", |_| "."),
        "location": object! {
            "path": problem.file,
            "range": problem.start.and_then(|start| range(start, problem.end)),
        },
        "severity": problem.level(["ERROR", "WARNING", "INFO", "INFO"]),
        "source": object! { "name": TOOL_NAME },
        "code": object! {
            "value": &*problem.code,
            "url": problem.docs(),
        },
        "suggestions": JsonValue::list_if_any(suggestion.map(|own| {
            let (start, end) = own.lines;
            object! { "range": range(start, Some(end)), "text": own.text.as_str() }
        })),
    }
}

fn sentence(role: SentenceRole, text: &str) -> String {
    match role {
        SentenceRole::Title => prose(text),
        SentenceRole::Outlook | SentenceRole::Reference | SentenceRole::Repeats => String::new(),
        SentenceRole::Pointer => format!(". At {}", code(text)),
        SentenceRole::Announcement => format!(". It is {}", plain(text)),
        SentenceRole::Origin => format!(". The operation is {}", plain(text)),
        SentenceRole::Expiry => format!(". Note: {}", plain(text)),
        _ => format!("; {}", prose(text)),
    }
}

fn range(start: Location, end: Option<Location>) -> Option<JsonValue<'static>> {
    let end = end.and_then(position);
    position(start).map(|start| object! { "start": start, "end": end })
}

/// A line and column, which are 32-bit integers in the definition of the format; `None` if it cannot represent the line.
fn position(location: Location) -> Option<JsonValue<'static>> {
    let line = i32::try_from(location.line).ok()?;
    let column = i32::try_from(location.byte_column).ok();
    Some(object! { "line": i64::from(line), "column": column.map(i64::from) })
}
