//! Recognises the format of a file by its content: captures have names of any kind.

use super::registry::{Format, sniff_format};
use crate::access_log;
use crate::file_head::{FileHead, first_line, lines_of, top_level_key, without_quotes};
use crate::logs::{is_piece, ndjson};
use crate::shapes::is_common_line;
use memchr::memchr_iter;
use sundown_exchange::Reason;
use sundown_text_json::json::scan::{self, Break};
use sundown_text_json::json::{SyntaxError, Walker, is_value};
use sundown_text_json::text::{Block, Span, magic};

/// The result of looking at a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sniffed {
    /// The file is read in this format.
    Format(Format),
    /// The file is empty.
    Empty,
    /// The file is not read, for this reason and with this detail.
    Not(Reason, Option<String>),
}

/// Recognises a whole file.
pub fn sniff(file: Block<'_>) -> Sniffed {
    let bytes = file.bytes;
    let start = scan::skip_whitespace(bytes, file.text_start());
    let lines = || by_lines(bytes, start).or_else(|| text_log(bytes, start));
    by_mark(bytes)
        .or_else(|| by_beginning(bytes, start))
        .unwrap_or_else(|| match bytes.get(start) {
            None => Sniffed::Empty,
            // One document, or one value per line. Otherwise it is a broken document, which its reader reports.
            Some(_) if begins_json(bytes, start) => {
                let others = (!is_one_value(bytes, start)).then(lines).flatten();
                others.unwrap_or(Sniffed::Format(Format::Json))
            }
            Some(_) => lines().unwrap_or(Sniffed::Not(Reason::NotAFormat, None)),
        })
}

/// Recognises a file by its beginning; `None` if that does not suffice, and more of it is needed.
pub fn sniff_head(head: Block<'_>) -> Option<Sniffed> {
    let bytes = head.bytes;
    let start = scan::skip_whitespace(bytes, head.text_start());
    if let Some(recognised) = by_mark(bytes).or_else(|| by_beginning(bytes, start)) {
        return Some(recognised);
    }
    if matches!(scan::value(bytes, start), Err(Break::Truncated(_))) {
        // Bytes that are not UTF-8 do not end the string that contains them.
        let text = String::from_utf8_lossy(bytes);
        let first = Walker::starting_at(&text, start).skip_rest();
        if first.is_err_and(SyntaxError::leaves_prefix_whole) {
            // One document, whose rest is still to come.
            return None;
        }
    }
    // The last line may be incomplete.
    let lines = memchr::memrchr(b'\n', bytes)
        .and_then(|end| bytes.get(..end))
        .unwrap_or_default();
    let has_line = lines.len() > start;
    let by_lines = has_line.then(|| by_lines(lines, start)).flatten();
    let found = by_lines.or_else(|| text_log(bytes, start));
    match bytes.get(start) {
        None => found,
        Some(_) if begins_json(bytes, start) => found,
        Some(_) => found.or(Some(Sniffed::Not(Reason::NotAFormat, None))),
    }
}

/// Recognises UTF-16 by its byte order mark.
fn by_mark(bytes: &[u8]) -> Option<Sniffed> {
    magic::is_utf16(bytes)
        .then(|| Sniffed::Not(Reason::InvalidUtf8, Some("it is UTF-16".to_owned())))
}

/// Finds the format that recognises the beginning of the file.
fn by_beginning(bytes: &[u8], start: usize) -> Option<Sniffed> {
    sniff_format(&FileHead::new(bytes, start)).map(Sniffed::Format)
}

/// Whether a file is an API description in YAML, by its top-level keys. If its first key is not `openapi` or
/// `swagger`, something else must suggest that it `may_be_yaml`.
pub fn is_yaml_description(file: Block<'_>, may_be_yaml: bool) -> bool {
    yaml_description(file, may_be_yaml) == YamlDescription::Complete
}

/// What the top-level keys of a file in YAML say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum YamlDescription {
    /// It is a description.
    Complete,
    /// It has a part of one, but no version so far: writers that sort keys put it after the parts.
    WithoutVersion,
    No,
}

/// Looks for the keys of a description in YAML.
pub(super) fn yaml_description(file: Block<'_>, may_be_yaml: bool) -> YamlDescription {
    let text = file.bytes.get(file.text_start()..).unwrap_or_default();
    let mut version = false;
    let mut parts = false;
    // An indented line, a comment and a document marker are not top-level keys.
    let keys = lines_of(text).filter(|line| {
        line.first()
            .is_some_and(|first| !b" \t\r#%-".contains(first))
    });
    for line in keys {
        if !version && !parts && matches!(line.first(), Some(b'{' | b'[')) {
            return YamlDescription::No;
        }
        match top_level_key(line) {
            Some((b"openapi" | b"swagger", value)) => version |= is_version(value),
            Some((b"paths" | b"info" | b"components" | b"webhooks" | b"definitions", _)) => {
                parts = true;
            }
            _ => {}
        }
        if version && parts {
            return YamlDescription::Complete;
        }
        if !version && !may_be_yaml {
            return YamlDescription::No;
        }
    }
    if parts {
        YamlDescription::WithoutVersion
    } else {
        YamlDescription::No
    }
}

/// Whether a value is a version: digits and dots, perhaps quoted, perhaps with a comment. Lines of logs can
/// begin like a key, too.
fn is_version(value: &[u8]) -> bool {
    let value = value.split(|&byte| byte == b'#').next();
    let bare = without_quotes(value.unwrap_or_default().trim_ascii());
    bare.first().is_some_and(u8::is_ascii_digit)
        && bare
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(byte))
}

/// Whether a text begins as an object or a list. What is in brackets may also be the name of a section, a label or a link, which are on
/// one line: if the first element is there, it is a number or a word of JSON, or begins a string, an object or a comment.
fn begins_json(text: &[u8], start: usize) -> bool {
    let rest = text.get(start..).unwrap_or_default();
    let Some(list) = rest.strip_prefix(b"[") else {
        return rest.starts_with(b"{");
    };
    let line = first_line(list);
    let is_open = |byte: &u8| *byte == b'[' || byte.is_ascii_whitespace();
    let first = line.iter().position(|byte| !is_open(byte));
    let first = first.and_then(|at| line.get(at..)).unwrap_or_default();
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b",]".contains(byte);
    let mut words = first.split(ends);
    matches!(
        first,
        [] | [b']' | b'{' | b'"' | b'\'', ..] | [b'/', b'/' | b'*', ..]
    ) || words.next().is_some_and(|word| is_value(word, 0))
}

/// Whether one JSON value fills the file.
fn is_one_value(bytes: &[u8], start: usize) -> bool {
    scan::value(bytes, start)
        .is_ok_and(|value| scan::skip_whitespace(bytes, value.end) == bytes.len())
}

/// The number of lines that show whether a text is a log.
const FIRST_LINES: usize = 256;

/// Recognises a log in text: most of its lines have a method and a path, and most of these a field of logs, as lists of routes do not;
/// or the first begins with a time or a level in brackets, which is no list.
fn text_log(bytes: &[u8], start: usize) -> Option<Sniffed> {
    let text = bytes.get(start..)?;
    let has_calls = access_log::has_call(text) && {
        let lines = lines_of(text).take(FIRST_LINES);
        let (calls, others): (Vec<_>, Vec<_>) = lines
            .filter(|line| !line.trim_ascii().is_empty())
            .partition(|line| access_log::has_call(line));
        let logged = calls.iter().filter(|line| access_log::has_log_field(line));
        calls.len() > others.len() && logged.count() * 2 > calls.len()
    };
    let line = first_line(text);
    let after_label = memchr::memchr(b']', line).and_then(|end| line.get(end + 1..));
    let is_labelled = line.starts_with(b"[")
        && !begins_json(line, 0)
        && matches!(after_label, Some([b' ' | b'\t', _, ..]));
    // A label may be in braces, too.
    let is_label = matches!(text, [b'{', b'A'..=b'Z' | b'a'..=b'z', ..]);
    let is_document = matches!(text.first(), Some(b'{' | b'[')) && !is_label;
    let detail = "a log in text: `log-format` under `[[log]]` says the order of its fields";
    (is_labelled || has_calls && !is_document)
        .then(|| Sniffed::Not(Reason::NotAFormat, Some(detail.to_owned())))
}

/// Recognises logs by their lines. If the text begins with an object, complete ones suffice, unless as many are indented. If it begins
/// like a document over several lines, most lines must be complete values. If it begins with other text, a quarter
/// suffices: loggers write banners, and source code has lines that are JSON by chance. Records of calls may also come after other
/// text in their lines, as the name of a container. If more lines are those of an
/// access log, and the beginning is that of a log, it is an access log.
fn by_lines(bytes: &[u8], start: usize) -> Option<Sniffed> {
    let mut line_start = start;
    let mut whole = 0usize;
    let mut indented = 0usize;
    let mut objects = 0usize;
    let mut calls = 0usize;
    let mut after_text = 0usize;
    let mut other = 0usize;
    let mut first = None;
    let mut beginning = access_log::Beginning::default();
    // What a line must have, most texts do not have anywhere.
    let may_have_calls = access_log::may_be_common(bytes);
    let is_call = |line: &[u8]| may_have_calls && is_common_line(line);
    for line_end in memchr_iter(b'\n', bytes)
        .filter(|&end| end >= start)
        .chain([bytes.len()])
    {
        let line = Span::new(line_start.min(line_end), line_end)
            .slice(bytes)
            .trim_ascii();
        line_start = line_end + 1;
        if line.is_empty() {
            continue;
        }
        first = first.or(Some(line));
        beginning.line(line, is_call);
        match line {
            _ if begins_json(line, 0)
                && scan::value(line, 0).is_ok_and(|value| value.len() == line.len()) =>
            {
                whole += 1;
                objects += usize::from(line.starts_with(b"{"));
            }
            b"{" => indented += 1,
            // A section or a label alone says nothing about the lines around it.
            [b'[', .., b']'] => {}
            _ if is_call(line) => calls += 1,
            _ if is_piece(line) => after_text += usize::from(has_member(line)),
            _ if has_member(line) && ndjson::has_record_after_text(line) => after_text += 1,
            _ => other += 1,
        }
    }
    if calls > objects && calls * 4 >= other && beginning.is_log() {
        return Some(Sniffed::Format(Format::AccessLog));
    }
    let enough = match first {
        Some(line) if line.starts_with(b"{") && line.len() > 1 => objects > indented,
        Some(line) if begins_json(line, 0) => whole >= other + indented,
        _ => objects > 0 && objects * 4 >= other && (calls == 0 || beginning.is_log()),
    };
    let is_after_text = after_text > objects && after_text * 4 >= other;
    (whole > 0 && enough || is_after_text).then_some(Sniffed::Format(Format::Ndjson))
}

/// Whether the first bracket of an object in a line comes before a key.
fn has_member(line: &[u8]) -> bool {
    memchr::memchr(b'{', line)
        .is_some_and(|open| line.get(scan::skip_whitespace(line, open + 1)) == Some(&b'"'))
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
        let labels = "[Started]\n[Ready]\n[Busy]\n[Idle]\n[Stopped]\n{\"a\": 1}\n";
        assert_eq!(format(labels), Sniffed::Format(Format::Ndjson));
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
            "app-1  | {\"method\":\"GET\",\"url\":\"/a\"}\napp-1  | ready\n",
            "\u{1b}[32m{\"method\":\"GET\",\"url\":\"/a\"}\u{1b}[0m\n",
            "[pod/app] {\"method\":\"GET\",\"url\":\"/a\"}\n",
            " {}\n {}\n",
            "starting\n{}\n{}\n",
            "[1]\n[2]\n",
        ] {
            assert_eq!(format(text), Sniffed::Format(Format::Ndjson), "{text:?}");
        }
    }

    #[test]
    fn broken_json_is_left_to_its_reader_to_say_so() {
        for text in [
            "{\"a\":",
            "{\n  \"a\": 1,\n  \"b\": {}\n",
            "[\n{\"a\":1},\n{\"b\":2}\n",
            "{'a': 1}",
        ] {
            assert_eq!(format(text), Sniffed::Format(Format::Json), "{text:?}");
        }
    }

    #[test]
    fn a_text_log_with_brackets_is_no_broken_list() {
        for text in [
            "[20/Nov/2026:13:26:06 +0200] - 200 200 - GET https h \"/x\"\n",
            "[INFO] started\n[INFO] {\"a\": 1}\n",
            "[2026-11-20 10:00:00] GET /x 200",
        ] {
            let Sniffed::Not(Reason::NotAFormat, Some(detail)) = format(text) else {
                panic!("{text:?}: {:?}", format(text));
            };
            assert!(detail.contains("log-format"), "{detail}");
            let head = sniff_head(Block::whole(text.as_bytes()));
            assert_eq!(head, Some(format(text)), "{text:?}");
        }
        for text in [
            "2026-11-20 12:00:00,002 INFO GET /v1/old 200\n",
            "started\nINFO\tGET\t/v1/old\t200\nINFO [GET /v1/old]\n",
            "level=info GET http://api.test/v1/old\n",
            "{web} GET /v1/old 200\n{web} GET /v1/x 200\n",
            "[/v1/x] started\n",
        ] {
            assert!(matches!(format(text), Sniffed::Not(_, Some(_))), "{text:?}");
        }
        for text in [
            "GET     /clients/:id   controllers.Clients.show(id: Long)\nPOST    /error   controllers.Clients.add\n",
            "| GET | /v1/x | a |\n| POST | /v1/y | b |\n",
            "a GET /v1/x\n",
            "[package]\nname = \"x\"\n",
            "[metadata]\n",
            "[submodule \"lib/ref\"]\n\tpath = lib/ref\n",
            "[*.py]\nindent_size = 4\n",
            "[[bin]]\nname = \"x\"\n",
            "[Device Install Log]\n     OS Version = 10.0\n",
            "[![badge](https://b/x.svg)](https://b)\n\n# Title\n",
        ] {
            assert_eq!(
                format(text),
                Sniffed::Not(Reason::NotAFormat, None),
                "{text:?}"
            );
        }
        for text in [
            "[1, 2] x\n",
            "[null\n",
            "[{\"a\": x}] y",
            "[1 2]",
            "[\"a\"] x",
            "[[1, x]",
            "[\n  ...,\n  {\n    \"a\": 1\n  }\n]",
            "{a: 1}",
        ] {
            assert_eq!(format(text), Sniffed::Format(Format::Json), "{text:?}");
        }
    }

    #[test]
    fn a_first_line_that_is_no_text_is_no_document_that_goes_on() {
        let head = |bytes: &[u8]| sniff_head(Block::whole(bytes));
        let lines = Some(Sniffed::Format(Format::Ndjson));
        assert_eq!(head(b"{\"a\":\"\xff\"}\n{\"a\":1}\n{\"a\""), lines);
        assert_eq!(head(b"{\"a\":\xff}\n{\"a\":1}\n{\"a\""), lines);
        assert_eq!(
            head(b"{\"a\":\"\xff\",\n\"b\":\n{}\n,\"a\":\"\xe2\x82"),
            None
        );
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
        let head = Block::whole(b"components:\n  schemas: {}\n");
        let found = [true, false].map(|may_be_yaml| yaml_description(head, may_be_yaml));
        assert_eq!(
            found,
            [YamlDescription::WithoutVersion, YamlDescription::No]
        );
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
    fn unreadable_files_are_distinguished() {
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
