//! Suggests which format a file that is in no format comes closest to, and what it lacks.

use super::registry::Format;
use super::spec::{FormatMark, MarkSign};
use crate::file_head::FileHead;
use sundown_text_json::text::Block;

/// How many formats are suggested at most.
const MAX_SUGGESTED: usize = 2;

/// How close a file must be to a format for the format to be suggested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closeness {
    /// It has a distinctive mark.
    Any,
    /// It has most of the marks, too.
    Most,
}

/// The number of bytes in which a zero byte shows that a file is no text.
const BINARY_HEAD: usize = 8 * 1024;

/// The formats that a file comes closest to, and what it lacks of each.
pub fn suggest_format(file: Block<'_>, closeness: Closeness) -> Option<String> {
    let head = file.bytes.get(..BINARY_HEAD).unwrap_or(file.bytes);
    if head.contains(&0) {
        return Some("it is binary data".to_owned());
    }
    let features = FileFeatures::new(file);
    let mut close: Vec<_> = Format::by_family()
        .into_iter()
        .filter_map(|format| features.compare(format, closeness))
        .collect();
    close.sort_by(|one, other| other.share().total_cmp(&one.share()));
    let best = close.first()?.share();
    let best: Vec<_> = close
        .iter()
        .filter(|close| close.share() >= best)
        .take(MAX_SUGGESTED)
        .map(CloseFormat::describe)
        .collect();
    Some(format!("it comes closest to {}", best.join("; and to ")))
}

/// A format, with the marks that a file has and lacks.
struct CloseFormat {
    format: Format,
    has: usize,
    lacks: Vec<&'static str>,
}

impl CloseFormat {
    /// The part of the marks that the file has.
    fn share(&self) -> f64 {
        let count = |many: usize| f64::from(u32::try_from(many).unwrap_or(u32::MAX));
        count(self.has) / count(self.has + self.lacks.len())
    }

    fn describe(&self) -> String {
        let name = self.format.spec().name;
        // The lines may be complete, and in an order of their own.
        let remedy = match self.format {
            Format::AccessLog => " (`log-format` under `[[log]]` says the order of its fields)",
            _ => "",
        };
        match self.lacks.as_slice() {
            [] => format!("`{name}`, but does not begin like it{remedy}"),
            lacks => format!("`{name}`, but has no {}{remedy}", lacks.join(", and no ")),
        }
    }
}

/// The parts of a file in which marks are detected.
struct FileFeatures<'a> {
    head: FileHead<'a>,
    lines: Vec<&'a [u8]>,
}

impl<'a> FileFeatures<'a> {
    fn new(file: Block<'a>) -> Self {
        let head = FileHead::of(file);
        let text = file.bytes.get(head.start..).unwrap_or_default();
        Self {
            head,
            lines: text.split(|&byte| byte == b'\n').collect(),
        }
    }

    /// The format with its marks, if the file is close to it.
    fn compare(&self, format: Format, closeness: Closeness) -> Option<CloseFormat> {
        let marks = format.spec().marks.iter();
        let (has, lacks): (Vec<_>, Vec<_>) = marks.partition(|mark| self.has(mark));
        let is_close = match closeness {
            Closeness::Any => true,
            Closeness::Most => has.len() >= 2 && has.len() > lacks.len(),
        };
        let has_distinctive = has.iter().any(|mark| mark.is_distinctive);
        let lacks = lacks.iter().map(|mark| mark.what).collect();
        (is_close && has_distinctive).then_some(CloseFormat {
            format,
            has: has.len(),
            lacks,
        })
    }

    fn has(&self, mark: &FormatMark) -> bool {
        let is_json = self.head.begins_with(b'{');
        let mut names = mark.names.iter();
        names.any(|name| match mark.sign {
            MarkSign::Text => self.head.contains(name),
            MarkSign::Line => self.has_line(name),
            MarkSign::Object if is_json => self.head.has(name, b'{'),
            MarkSign::List if is_json => self.head.has(name, b'['),
            MarkSign::Key if is_json => self.head.has_key(name),
            MarkSign::Key | MarkSign::List | MarkSign::Object => {
                self.has_line(&format!("{name}:")) || self.has_line(&format!("\"{name}\":"))
            }
        })
    }

    fn has_line(&self, start: &str) -> bool {
        let mut lines = self.lines.iter();
        lines.any(|line| line.starts_with(start.as_bytes()))
    }
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
