//! Suggests which format a file that is in no format comes closest to, and what it lacks.

use super::registry::Format;
use super::spec::{FormatMark, MarkSign};
use crate::file_head::{FileHead, is_text};
use sundown_text_json::text::Block;

/// The number of bytes at the beginning of a file in which marks are searched.
const SEARCHED_BYTES: usize = 64 * 1024;

/// How close a file must be to a format for the format to be suggested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closeness {
    /// It has a distinctive mark.
    Any,
    /// It has most of the marks, too.
    Most,
}

/// The format that a file comes closest to, and what it lacks of it.
pub fn suggest_format(file: Block<'_>, closeness: Closeness) -> Option<String> {
    if !is_text(file.bytes) {
        return Some("it is binary data".to_owned());
    }
    let head = file.bytes.chunks(SEARCHED_BYTES).next().unwrap_or_default();
    let head = FileHead::of(Block::whole(head));
    let formats = Format::by_family().into_iter();
    let close = formats
        .rev()
        .filter_map(|format| compare(format, &head, closeness));
    let (_, text) = close.max_by_key(|(share, _)| *share)?;
    Some(format!("it comes closest to {text}"))
}

/// The part of the marks of a format that a file has, in percent, and which it lacks; `None` if it is not close to the format.
fn compare(format: Format, head: &FileHead<'_>, closeness: Closeness) -> Option<(usize, String)> {
    let spec = format.spec();
    let (has, lacks): (Vec<_>, Vec<_>) = spec.marks.iter().partition(|mark| has_mark(head, mark));
    // What a file with all marks lacks is none of them, so that nothing could be said of it.
    let has_most = has.len() >= 2 && !lacks.is_empty() && lacks.len() < has.len();
    let is_close = closeness == Closeness::Any || has_most;
    if !is_close || has.iter().all(|mark| mark.is_common) {
        return None;
    }
    let lacks: Vec<_> = lacks.iter().map(|mark| mark.what).collect();
    let difference = match lacks.as_slice() {
        [] => "does not begin like it".to_owned(),
        lacks => format!("has no {}", lacks.join(", and no ")),
    };
    let share = has.len() * 100 / spec.marks.len();
    Some((share, format!("`{}`, but {difference}", spec.name)))
}

fn has_mark(head: &FileHead<'_>, mark: &FormatMark) -> bool {
    let is_json = head.begins_with(b'{');
    let has_line = |start: &str| {
        let text = head.bytes.get(head.start..).unwrap_or_default();
        text.starts_with(start.as_bytes()) || head.contains(format!("\n{start}"))
    };
    mark.names.iter().any(|name| match mark.sign {
        MarkSign::Text => head.contains(name),
        MarkSign::Line => has_line(name),
        MarkSign::Object if is_json => head.has(name, b'{'),
        MarkSign::List if is_json => head.has(name, b'['),
        MarkSign::Key if is_json => head.has_key(name),
        MarkSign::Key | MarkSign::List | MarkSign::Object => {
            has_line(&format!("{name}:")) || has_line(&format!("\"{name}\":"))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_marks_have_no_suggestion() {
        for text in ["", "plain text\n", "name: x\nversion: 3\n"] {
            assert_eq!(
                suggest_format(Block::whole(text.as_bytes()), Closeness::Any),
                None,
                "{text}"
            );
        }
        let binary = b"\x7fELF\0{\"log\": {\"entries\": []}}\nHTTP/1.1 200\n";
        assert_eq!(
            suggest_format(Block::whole(binary), Closeness::Any).as_deref(),
            Some("it is binary data")
        );
        let body = r#"{"data": {"uri": "x"}, "meta": {}, "url": 1}"#;
        assert_eq!(
            suggest_format(Block::whole(body.as_bytes()), Closeness::Most),
            None
        );
    }
}
