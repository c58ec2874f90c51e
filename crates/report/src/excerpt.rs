//! Excerpts: the line of a mistake with its neighbours, or that of a finding, with keys, and with values only if the user asks for them.
//!
//! Real payloads have megabytes on one line, so the excerpt of a finding never prints a line of the file. It shows the true line and
//! column numbers.

use std::borrow::Cow;
use std::iter;
use std::ops::Range;

use codespan_reporting::files::{Error, Files};

use crate::{LocatedFinding, escape_unsafe, printable};
use sundown_files::toml_file::Excerpt;
use sundown_lint::findings::{Finding, ValueShape};
use sundown_lint::rules::ElementPart;

/// Adjacent lines of a file, and what is marked in them.
#[derive(Debug, Default)]
pub(super) struct SourceExcerpt {
    /// The name of the file.
    pub(super) name: String,
    pub(super) text: String,
    /// The ranges of the lines in `text`.
    pub(super) lines: Vec<Range<usize>>,
    /// The marked range of `text`.
    pub(super) marked: Range<usize>,
    /// The number of the first line.
    pub(super) first: usize,
    /// The column at which the marked range begins.
    pub(super) column: usize,
}

impl<'a> Files<'a> for SourceExcerpt {
    type FileId = ();
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, (): ()) -> Result<&'a str, Error> {
        Ok(&self.name)
    }

    fn source(&'a self, (): ()) -> Result<&'a str, Error> {
        Ok(&self.text)
    }

    fn line_index(&'a self, (): (), at: usize) -> Result<usize, Error> {
        Ok(self.lines.partition_point(|line| line.end < at))
    }

    fn line_number(&'a self, (): (), index: usize) -> Result<usize, Error> {
        Ok(self.first + index)
    }

    fn column_number(&'a self, (): (), _: usize, _: usize) -> Result<usize, Error> {
        Ok(self.column)
    }

    fn line_range(&'a self, (): (), index: usize) -> Result<Range<usize>, Error> {
        self.lines.get(index).cloned().ok_or(Error::LineTooLarge {
            given: index,
            max: self.lines.len(),
        })
    }
}

/// The line with the mistake, and its neighbours.
pub(super) fn mistake_excerpt(name: &str, spot: Excerpt) -> SourceExcerpt {
    let Excerpt {
        location,
        before,
        marked,
        after,
        above,
        below,
    } = spot;
    // Line numbers are aligned only if no number is longer than that of the marked line.
    let below = below.filter(|_| (location.line + 1).ilog10() == location.line.ilog10());
    let start = above.as_ref().map_or(0, |above| above.len() + 1) + before.len();
    let mut excerpt = SourceExcerpt {
        name: name.to_owned(),
        marked: start..start + marked.len(),
        first: location.line - usize::from(above.is_some()),
        column: location.column,
        ..SourceExcerpt::default()
    };
    let line = format!("{before}{marked}{after}");
    for line in above.into_iter().chain(iter::once(line)).chain(below) {
        let start = excerpt.text.len();
        excerpt.text += &line;
        excerpt.lines.push(start..excerpt.text.len());
        excerpt.text.push('\n');
    }
    excerpt
}

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
            let value = shown
                .text
                .as_deref()
                .map(printable)
                .unwrap_or(Cow::Borrowed(masked(shown.value)));
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
    let end = path
        .rmatch_indices('/')
        .map(|(at, _)| (at, path.get(at..).unwrap_or_default()))
        .find(|&(_, segment)| !is_variable(segment.trim_start_matches('/')))
        .map_or(0, |(at, _)| at);
    let ellipsis = if end == 0 { "" } else { "…" };
    let call = format!("{method} {ellipsis}{}", path.get(end..).unwrap_or_default());
    let value = finding.found.shown.text.as_deref().map(printable);
    match &finding.rule.element.part {
        _ if finding.declared().is_some() => masked(),
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
