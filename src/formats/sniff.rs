//! Tells by a file's content what it is. Names and endings are not asked: captures are called anything.

use memchr::memchr_iter;

use super::access_log;
use super::file_head::FileHead;
use super::registry::{Format, sniff_format};
use crate::json::{SyntaxError, Walker, scan};
use crate::text::{Block, Span, magic};
use crate::traffic::Reason;

/// What a file turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sniffed {
    /// To be read as this.
    Format(Format),
    /// Nothing in it.
    Empty,
    /// Sniffed, and not read: the reason says as what.
    Not(Reason, Option<String>),
}

/// Looks at a whole file.
pub fn sniff(file: Block<'_>) -> Sniffed {
    let bytes = file.bytes;
    let start = scan::skip_whitespace(bytes, file.text_start());
    by_mark(bytes).or_else(|| by_beginning(bytes, start)).unwrap_or_else(|| {
        match bytes.get(start) {
            None => Sniffed::Empty,
            // One document, or several values on lines of their own; else one document that is broken, as its reader will say.
            Some(b'{' | b'[') => one_value(bytes, start)
                .or_else(|| by_lines(bytes, start))
                .unwrap_or(Sniffed::Format(Format::Json)),
            Some(_) => by_lines(bytes, start).unwrap_or(Sniffed::Not(Reason::NotAFormat, None)),
        }
    })
}

/// Looks at the beginning of a file; `None` where that does not tell, and more of it is needed.
pub fn sniff_head(head: Block<'_>) -> Option<Sniffed> {
    let bytes = head.bytes;
    let start = scan::skip_whitespace(bytes, head.text_start());
    if let Some(recognised) = by_mark(bytes).or_else(|| by_beginning(bytes, start)) {
        return Some(recognised);
    }
    // Bytes that are no UTF-8 are no end of what they stand in.
    let text = String::from_utf8_lossy(bytes);
    let first = Walker::starting_at(&text, start).skip_rest();
    if first.is_err_and(SyntaxError::leaves_prefix_whole) {
        // One document that goes on.
        return None;
    }
    // The last line is cut off.
    let lines = memchr::memrchr(b'\n', bytes).and_then(|end| bytes.get(..end)).unwrap_or_default();
    let by_lines = if lines.len() > start { by_lines(lines, start) } else { None };
    match bytes.get(start) {
        None | Some(b'{' | b'[') => by_lines,
        Some(_) => by_lines.or(Some(Sniffed::Not(Reason::NotAFormat, None))),
    }
}

/// UTF-16, by its first bytes.
fn by_mark(bytes: &[u8]) -> Option<Sniffed> {
    magic::is_utf16(bytes)
        .then(|| Sniffed::Not(Reason::InvalidUtf8, Some("it is UTF-16".to_owned())))
}

/// The format that recognises the beginning of the file.
fn by_beginning(bytes: &[u8], start: usize) -> Option<Sniffed> {
    sniff_format(&FileHead::new(bytes, start)).map(Sniffed::Format)
}

/// Whether a file is an API description in YAML, which is no format that traffic comes in: by its top-level keys, and
/// where it does not begin with the one that says so, only if something else says that it `may_be_yaml`.
pub fn is_yaml_description(file: Block<'_>, may_be_yaml: bool) -> bool {
    let text = file.bytes.get(file.text_start()..).unwrap_or_default();
    let (mut version, mut parts) = (false, false);
    // What is indented, a comment, or the beginning of a document is no key at the top.
    let is_key = |line: &&[u8]| line.first().is_some_and(|first| !b" \t\r#%-".contains(first));
    for line in text.split(|&byte| byte == b'\n').filter(is_key) {
        if !version && !parts && matches!(line.first(), Some(b'{' | b'[')) {
            return false;
        }
        match top_level_key(line) {
            Some((b"openapi" | b"swagger", value)) => version |= is_version(value),
            Some((b"paths" | b"info" | b"components" | b"webhooks" | b"definitions", _)) => {
                parts = true;
            }
            _ => {}
        }
        if version && parts {
            return true;
        }
        if !version && !may_be_yaml {
            return false;
        }
    }
    false
}

/// Digits and dots, in quotes or not, perhaps a comment behind them: logs have lines that begin like keys, too.
fn is_version(value: &[u8]) -> bool {
    let value = value.split(|&byte| byte == b'#').next().unwrap_or_default().trim_ascii();
    let bare = [b'"', b'\'']
        .iter()
        .find_map(|quote| value.strip_prefix(&[*quote][..])?.strip_suffix(&[*quote][..]));
    let bare = bare.unwrap_or(value);
    bare.first().is_some_and(u8::is_ascii_digit)
        && bare.iter().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(byte))
}

/// The key that a line begins with, and what follows its colon.
fn top_level_key(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memchr(b':', line)?;
    let (key, value) = (line.get(..colon)?.trim_ascii_end(), line.get(colon + 1..)?);
    let quoted = |quote: &[u8]| key.strip_prefix(quote)?.strip_suffix(quote);
    Some((quoted(b"\"").or_else(|| quoted(b"'")).unwrap_or(key), value))
}

/// The one value fills the file.
fn one_value(bytes: &[u8], start: usize) -> Option<Sniffed> {
    let value = scan::value(bytes, start).ok()?;
    (scan::skip_whitespace(bytes, value.end) == bytes.len())
        .then_some(Sniffed::Format(Format::Json))
}

/// Whether lines are JSON values of their own. One whole object is enough where the text begins with a broken one; most
/// lines must be whole where it begins like one document over several lines; and a good part of them where it begins
/// with other text: loggers write banners, and source code has lines that are JSON by chance. Lines of access logs count as
/// well, and where they are more, it is one, if its beginning is that of a log.
fn by_lines(bytes: &[u8], start: usize) -> Option<Sniffed> {
    let mut line_start = start;
    let (mut whole, mut objects, mut calls, mut other) = (0usize, 0usize, 0usize, 0usize);
    let (mut first, mut beginning) = (None, access_log::Beginning::default());
    for line_end in memchr_iter(b'\n', bytes).filter(|&end| end >= start).chain([bytes.len()]) {
        let line = Span::new(line_start.min(line_end), line_end).slice(bytes).trim_ascii();
        line_start = line_end + 1;
        if line.is_empty() {
            continue;
        }
        first = first.or(Some(line));
        beginning.line(line, access_log::is_common);
        match (line.first(), scan::value(line, 0)) {
            (Some(b'{' | b'['), Ok(value)) if value.len() == line.len() => {
                whole += 1;
                objects += usize::from(line.starts_with(b"{"));
            }
            _ if access_log::is_common(line) => calls += 1,
            _ => other += 1,
        }
    }
    if calls > objects && calls * 4 >= other && beginning.is_log() {
        return Some(Sniffed::Format(Format::AccessLog));
    }
    let enough = match first {
        Some(line) if line == b"{" || line.starts_with(b"[") => whole >= other,
        Some(line) if line.starts_with(b"{") => objects > 0,
        _ => objects > 0 && objects * 4 >= other && (calls == 0 || beginning.is_log()),
    };
    (whole > 0 && enough).then_some(Sniffed::Format(Format::Ndjson))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(text: &str) -> Sniffed {
        sniff(Block::whole(text.as_bytes()))
    }

    #[test]
    fn one_document_is_json_whatever_its_layout() {
        for text in [
            "{}",
            " {\"a\":1}\n",
            "[1,\n2]\n",
            "\u{feff}{\"log\":{\"level\":1}}",
            "{\n\"a\": [\n{}\n]\n}",
        ] {
            assert_eq!(format(text), Sniffed::Format(Format::Json), "{text:?}");
        }
    }

    #[test]
    fn a_har_is_known_by_its_entries_wherever_they_stand() {
        for text in [
            r#"{"log":{"entries":[]}}"#,
            "\u{feff}{\"x\":{\"entries\":1},\"comment\":\"\",\n\"log\":{\"version\":\"1.2\",\"pages\":[],\"entries\":[]}}",
            r#"{"l\u006fg":{"entries":[]}}"#,
            r#"{"log":{"version":"1.2","creator":{},"entries":[{"request":{"#,
        ] {
            assert_eq!(format(text), Sniffed::Format(Format::Har), "{text:?}");
        }
    }

    #[test]
    fn lines_with_a_value_each_are_ndjson_even_where_some_are_broken() {
        for text in [
            "{}\n{}",
            "{\"a\":1}\r\n\r\n{\"b\":2}\r\n",
            "{broken\n{broken\n{\"a\":1}\n",
            "one\ntwo\n{}\n",
            " {}\n {}\n",
            "starting\n{}\n{}\n",
            "[1]\n[2]\n",
        ] {
            assert_eq!(format(text), Sniffed::Format(Format::Ndjson), "{text:?}");
        }
    }

    #[test]
    fn broken_json_is_left_to_its_reader_to_say_so() {
        for text in
            ["{\"a\":", "{\n  \"a\": 1,\n  \"b\": {}\n", "[\n{\"a\":1},\n{\"b\":2}\n", "{'a': 1}"]
        {
            assert_eq!(format(text), Sniffed::Format(Format::Json), "{text:?}");
        }
    }

    #[test]
    fn a_first_line_that_is_no_text_is_no_document_that_goes_on() {
        let head = |bytes: &[u8]| sniff_head(Block::whole(bytes));
        let lines = Some(Sniffed::Format(Format::Ndjson));
        assert_eq!(head(b"{\"a\":\"\xff\"}\n{\"a\":1}\n{\"a\""), lines);
        assert_eq!(head(b"{\"a\":\xff}\n{\"a\":1}\n{\"a\""), lines);
        assert_eq!(head(b"{\"a\":\"\xff\",\n\"b\":\n{}\n,\"a\":\"\xe2\x82"), None);
        assert_eq!(head(b"{\"a\":\"\xe2\x82"), None);
    }

    #[test]
    fn a_description_in_yaml_is_known_by_its_keys() {
        let is_one = |text: &str, may_be_yaml| {
            is_yaml_description(Block::whole(text.as_bytes()), may_be_yaml)
        };
        for text in [
            "openapi: 3.1.0\ninfo: {}\n",
            "\u{feff}# Ours\n%YAML 1.2\n---\n\n\"openapi\": '3.0.3' # old\r\nx:\n  y: 1\npaths: {}",
            "swagger: \"2.0\"\nx: [\n]\ndefinitions:\n",
        ] {
            assert!(is_one(text, false), "{text}");
        }
        let late = "info:\n  title: x\npaths: {}\nopenapi: 3.1.0\n";
        assert!(is_one(late, true) && !is_one(late, false));
        for text in [
            "",
            "openapi: 3.1.0\n",
            "openapi: yes\npaths: {}",
            "openapi: 3.0 was loaded\ninfo: listening\n",
            "  openapi: 3.1.0\n  info: {}\n",
            "{\"a\": 1}\nopenapi: 3.1.0\ninfo: {}\n",
            "paths: {}\ninfo: {}\n",
        ] {
            assert!(!is_one(text, true), "{text}");
        }
    }

    #[test]
    fn what_is_not_read_is_told_apart() {
        assert_eq!(format(""), Sniffed::Empty);
        assert_eq!(format(" \n"), Sniffed::Empty);
        assert_eq!(format("name: x\n"), Sniffed::Not(Reason::NotAFormat, None));
        assert_eq!(
            format("a\nb\nc\nd\ne\n{}\n"),
            Sniffed::Not(Reason::NotAFormat, None),
            "one line by chance"
        );
        assert_eq!(
            format(r#"{"info":{},"paths":{},"openapi":"3.1.0"}"#),
            Sniffed::Format(Format::OpenApi)
        );
        let reason = |bytes: &[u8]| match sniff(Block::whole(bytes)) {
            Sniffed::Not(reason, _) => reason,
            other => panic!("{other:?}"),
        };
        assert_eq!(reason(b"\xff\xfe{\0}\0"), Reason::InvalidUtf8);
    }
}
