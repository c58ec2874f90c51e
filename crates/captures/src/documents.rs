//! Documents in JSON and YAML that are read as a whole, as far as they can be read.

use crate::file_head::lines_of;
use sundown_exchange::{Reason, RecordPlace, RecordSink, Skip};
use sundown_text_json::Limits;
use sundown_text_json::json::{
    Document, DocumentError, DocumentErrorKind, DocumentFormat, MAX_DOCUMENT_DEPTH,
    SyntaxErrorKind, earliest, repair, valid_prefix,
};
use sundown_text_json::text::{Block, Span};

/// The number of bytes that are parsed again while list items are given up, from the last complete line backwards.
const MAX_TRIED: usize = 64 << 20;

/// A document and the file it was read from.
pub(crate) struct ParsedDocument<'a> {
    pub document: Document<'a>,
    pub place: RecordPlace<'a>,
    /// Whether it looks complete but is cut off, which has been reported: a value at the end of the file may be incomplete.
    pub ends_with_file: bool,
}

impl<'a> ParsedDocument<'a> {
    fn of(file: Block<'a>, document: Document<'a>) -> Self {
        let place = RecordPlace {
            file: file.bytes,
            start: file.text_start(),
        };
        Self {
            document,
            place,
            ends_with_file: false,
        }
    }

    /// The end of the last line, if the file is cut off in it. A value that ends there may be incomplete.
    pub(crate) fn broken_line(&self) -> Option<usize> {
        let bytes = self.place.file;
        let last = bytes.rsplit(|&byte| byte == b'\n').next()?;
        let is_broken = self.ends_with_file && !last.trim_ascii().is_empty();
        is_broken.then(|| bytes.trim_ascii_end().len())
    }
}

/// Parses the JSON document in a file. If it is broken, reports that, and parses its complete part with all brackets closed.
pub(crate) fn json<'a>(
    file: Block<'a>,
    limits: Limits,
    sink: &mut dyn RecordSink,
) -> Option<ParsedDocument<'a>> {
    let start = file.text_start();
    let (text, cut) = valid_prefix(file.bytes.get(start..).unwrap_or_default());
    let whole = Span::new(start, file.bytes.len());
    let refused = match Document::parse_within(text, DocumentFormat::Json, limits) {
        Ok(document) if cut.is_none() => return Some(ParsedDocument::of(file, document)),
        Ok(_) => Skip::at(Reason::InvalidUtf8, whole),
        Err(error) => Skip::at(Reason::InvalidJson, whole).because(error),
    };
    let mended = mended(file.bytes, whole, limits);
    let (skip, document) = mended.unwrap_or((refused, None));
    sink.skip(skip);
    Some(ParsedDocument::of(file, document?))
}

/// Parses the YAML document in a file. If it is broken, the part before the broken list item is read, and the fault is reported.
pub(crate) fn yaml<'a>(
    file: Block<'a>,
    limits: Limits,
    sink: &mut dyn RecordSink,
) -> Option<ParsedDocument<'a>> {
    let start = file.text_start();
    let end = file.bytes.len();
    let (text, cut) = valid_prefix(file.bytes.get(start..).unwrap_or_default());
    let error = match Document::parse_within(text, DocumentFormat::Yaml, limits) {
        Ok(document) if cut.is_none() => {
            // The tools that write such files end each line.
            let ends_with_file = !text.ends_with('\n');
            if ends_with_file {
                sink.skip(Skip::at(Reason::Truncated, Span::new(end, end)));
            }
            return Some(ParsedDocument {
                ends_with_file,
                ..ParsedDocument::of(file, document)
            });
        }
        Ok(_) => DocumentError {
            offset: text.len(),
            kind: DocumentErrorKind::InvalidUtf8,
        },
        Err(error) => error,
    };
    let reason = if cut.is_none() {
        reason_at_end(text, &error, limits)
    } else {
        reason(&error)
    };
    sink.skip(skip_of(reason, &error, Span::new(start, end)));
    let document = whole_part(text, error.offset, limits)?;
    Some(ParsedDocument::of(file, document))
}

/// The documents of a YAML stream, cut at the lines where `kubectl` cuts it.
pub fn yaml_documents(bytes: &[u8], start: usize) -> Vec<Span> {
    let mut documents = Vec::new();
    let mut begin = start;
    let mut line_start = start;
    let ends = memchr::memchr_iter(b'\n', bytes).filter(|&end| end >= start);
    for line_end in ends.chain([bytes.len()]) {
        if is_separator(Span::new(line_start.min(line_end), line_end).slice(bytes)) {
            documents.push(Span::new(begin, line_start));
            begin = line_start + 3;
        }
        line_start = line_end + 1;
    }
    documents.push(Span::new(begin, bytes.len()));
    documents.retain(|span| {
        lines_of(span.slice(bytes))
            .any(|line| !line.trim_ascii().is_empty() && !b"#%".contains(&line[0]))
    });
    documents
}

/// Whether a line ends a document: `---`, perhaps with a comment or the beginning of the next one.
pub(crate) fn is_separator(line: &[u8]) -> bool {
    line.strip_prefix(b"---")
        .is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

/// Reports the fault of a YAML document at `span`. No flag raises the nesting limit of YAML.
pub(crate) fn skip_of(reason: Reason, error: &DocumentError, span: Span) -> Skip {
    let from = (span.start + error.offset).min(span.end);
    let skip = Skip::at(reason, Span::new(from, span.end));
    match error.kind {
        DocumentErrorKind::TooDeep(limit) if limit >= MAX_DOCUMENT_DEPTH => skip.because(format!(
            "{error}, the most that is read of YAML whatever the limit"
        )),
        _ => skip.because(error),
    }
}

/// The whole part of a broken document at `span` with all brackets closed, and what is reported of the rest; `None` if there is
/// none.
pub(crate) fn mended(
    bytes: &[u8],
    span: Span,
    limits: Limits,
) -> Option<(Skip, Option<Document<'static>>)> {
    let (text, cut) = valid_prefix(span.slice(bytes));
    let mended = repair(text, limits)?;
    let error = earliest(text, Some(mended.error), cut).unwrap_or(mended.error);
    let skip = Skip {
        bytes: span.len() - mended.cut,
        ..Skip::broken(error, span)
    };
    let document = Document::parse(mended.text, DocumentFormat::Json).ok();
    Some((skip, document))
}

/// Why a YAML document that ends with its file is not read.
pub(crate) fn reason_at_end(text: &str, error: &DocumentError, limits: Limits) -> Reason {
    // A limit that is exceeded stays exceeded, however the document continues.
    let goes_too_far = matches!(
        error.kind,
        DocumentErrorKind::TooManyAliases(_) | DocumentErrorKind::TooDeep(_)
    );
    let at_end = error.offset >= text.trim_end().len() || is_cut_off(text, limits);
    if at_end && !goes_too_far {
        Reason::Truncated
    } else {
        reason(error)
    }
}

/// Whether a document is broken by its end: in its last line, or inside quotes.
fn is_cut_off(text: &str, limits: Limits) -> bool {
    let is_whole =
        |text: String| Document::parse_within(text, DocumentFormat::Yaml, limits).is_ok();
    let last = memchr::memrchr(b'\n', text.as_bytes()).map_or(0, |end| end + 1);
    let (before, last) = text.split_at(last);
    !last.trim().is_empty() && is_whole(before.to_owned())
        || ["'", "\""]
            .into_iter()
            .any(|quote| is_whole(format!("{text}{quote}")))
}

/// Parses a document in YAML, or its part before the broken list item.
pub(crate) fn whole_yaml(text: &str) -> Option<Document<'_>> {
    match Document::parse(text, DocumentFormat::Yaml) {
        Err(error) => whole_part(text, error.offset, Limits::default()),
        parsed => parsed.ok(),
    }
}

/// Parses the document up to the last list item that leaves it valid.
fn whole_part(text: &str, fault: usize, limits: Limits) -> Option<Document<'_>> {
    let before = text.get(..fault).unwrap_or(text);
    let items = memchr::memrchr_iter(b'\n', before.as_bytes())
        .map(|end| end + 1)
        .filter(|&line| {
            text.get(line..)
                .is_some_and(|line| line.trim_start_matches(' ').starts_with("- "))
        });
    let mut tried = 0;
    std::iter::once(before.len())
        .chain(items)
        .take_while(|end| {
            tried += end;
            tried <= MAX_TRIED.max(before.len())
        })
        .find_map(|end| Document::parse_within(text.get(..end)?, DocumentFormat::Yaml, limits).ok())
}

/// Why a YAML document is not read.
pub(crate) fn reason(error: &DocumentError) -> Reason {
    match &error.kind {
        DocumentErrorKind::TooDeep(_) => Reason::TooDeep,
        DocumentErrorKind::TooLarge => Reason::BeyondLimit,
        DocumentErrorKind::TooManyAliases(_) => Reason::ExpandsTooFar,
        DocumentErrorKind::Json(SyntaxErrorKind::UnexpectedEnd) => Reason::Truncated,
        DocumentErrorKind::InvalidUtf8 | DocumentErrorKind::Utf16 => Reason::InvalidUtf8,
        _ => Reason::InvalidYaml,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_document_is_whole_up_to_the_item_that_breaks_it() {
        let text = "a:\n  - b: 1\n  - b: 2\n  - b: \"x\n";
        let error = Document::parse(text, DocumentFormat::Yaml).unwrap_err();
        let whole = whole_part(text, error.offset, Limits::default()).unwrap();
        assert!(whole.root().get("a").unwrap().children().len() >= 2);
    }

    #[test]
    fn documents_are_cut_where_a_line_says_so() {
        let text = "---\na: 1\n--- # next\nb: |\n  ---\n---x: 1\n# only a comment\n---\n#\n";
        let found: Vec<_> = yaml_documents(text.as_bytes(), 0)
            .iter()
            .map(|span| &text[span.start..span.end])
            .collect();
        assert_eq!(
            found,
            [
                "\na: 1\n",
                " # next\nb: |\n  ---\n---x: 1\n# only a comment\n"
            ]
        );
    }
}
