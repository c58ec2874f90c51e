//! HTTP Archives (HAR 1.1 to 1.3) as their many producers really write them.
//!
//! Entries are cut out one by one and parsed alone, so that a broken or cut entry hides no other. Only what is needed
//! is asked of an entry; everything else may be missing, null or of the wrong type.

use super::{Record, entry, fields};
use crate::document::scan::{self, Break};
use crate::document::{
    NodeRef, SyntaxError, SyntaxErrorKind, Tree, Walker, earliest, string, valid_prefix,
};
use crate::exchange::{Exchange, Reason, Skip};
use crate::source::{Source, Span};

/// Reads every entry of every `log.entries`.
pub(super) fn read<'a>(source: &'a Source, max_depth: usize, emit: &mut dyn FnMut(Record<'a>)) {
    let mut reader = Reader { bytes: &source.bytes, max_depth, index: 0, lists: 0, emit };
    let open = scan::skip_whitespace(&source.bytes, source.text_start());
    let end = reader.object(open, Level::Archive);
    reader.behind(end);
    // What broke off has been told; a whole archive without an entry would pass in silence.
    if reader.index == 0 && end.is_some() {
        let whole = Span::new(open, source.bytes.len());
        (reader.emit)(Record::Skip(match reader.lists {
            0 => Skip::at(Reason::InvalidJson, whole).because("a HAR without a list `log.entries`"),
            _ => Skip::at(Reason::Empty, whole).because("a HAR without an entry"),
        }));
    }
}

/// How far into the archive an object stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Archive,
    Log,
}

struct Reader<'a, 'e> {
    bytes: &'a [u8],
    max_depth: usize,
    index: usize,
    /// How many lists of entries there were.
    lists: usize,
    emit: &'e mut dyn FnMut(Record<'a>),
}

/// How many bytes are read, at most, to find the next entry behind a broken one.
const SEARCH_BUDGET: usize = 256 * 1024 * 1024;

impl<'a> Reader<'a, '_> {
    /// Reads the object at `open` and gives the offset behind it; `None` where that cannot be told.
    fn object(&mut self, open: usize, level: Level) -> Option<usize> {
        let mut behind = open + 1;
        for member in scan::members(self.bytes, open) {
            let (key, value, end) = match member {
                Ok(member) => (member.key, member.value.start, Some(member.value.end)),
                // The value that does not end may be the one that holds the entries: its whole part counts.
                Err(at) => match scan::unfinished_member(self.bytes, behind) {
                    Some((key, value)) if matches!(at, Break::Truncated(_)) => (key, value, None),
                    _ => {
                        self.broken(at);
                        return None;
                    }
                },
            };
            let name = string::decode_bytes(self.bytes, key);
            let opens = self.bytes.get(value).copied();
            match (level, &*name, opens) {
                (Level::Archive, "log", Some(b'{')) => {
                    self.object(value, Level::Log);
                }
                (Level::Log, "entries", Some(b'[')) => self.entries(value),
                _ => self.other(Span::new(value, end.unwrap_or(self.bytes.len()))),
            }
            behind = end?;
        }
        scan::value(self.bytes, open).ok().map(|span| span.end)
    }

    fn entries(&mut self, open: usize) {
        self.lists += 1;
        for element in scan::elements(self.bytes, open) {
            match element {
                Ok(entry) => self.entry(entry),
                Err(Break::Malformed(at)) => {
                    let end =
                        scan::value(self.bytes, open).map_or(self.bytes.len(), |list| list.end);
                    let error = SyntaxError {
                        offset: 0,
                        kind: SyntaxErrorKind::Expected(scan::LIST_GOES_ON),
                    };
                    self.search(error, Span::new(at, end));
                }
                // Cut off, or a bracket lost on the way: the strict walker tells which.
                Err(Break::Truncated(at)) => {
                    let rest = Span::new(at.min(self.bytes.len()), self.bytes.len());
                    match self.parse(rest) {
                        Err(error) if !error.leaves_prefix_whole() => self.search(error, rest),
                        _ => self.broken(Break::Truncated(at)),
                    }
                }
            }
        }
    }

    fn entry(&mut self, entry: Span) {
        match self.parse(entry) {
            Ok(tree) => self.parsed(tree.root(), entry.start),
            Err(error) => self.search(error, entry),
        }
    }

    fn parse(&self, piece: Span) -> Result<Tree<'a>, SyntaxError> {
        Tree::parse_bytes(piece.slice(self.bytes), self.max_depth)
    }

    /// Tells that a piece is broken, and reads the whole entries behind the fault: a lost bracket makes all that follow
    /// look like parts of the broken entry.
    fn search(&mut self, error: SyntaxError, piece: Span) {
        let mut pending = Some(error);
        let mut gap = piece.start;
        let mut from = (piece.start + error.offset).min(piece.end);
        while let Some(entry) = self.next_entry(from, piece.end) {
            self.gap(pending.take(), Span::new(gap, entry.start));
            self.entry(entry);
            gap = entry.end;
            from = entry.end;
        }
        self.gap(pending, Span::new(gap, piece.end));
    }

    /// Tells of what stands between entries that were found behind a fault, unless it is what belongs there.
    fn gap(&mut self, error: Option<SyntaxError>, gap: Span) {
        let belongs = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b'}');
        let error = match error {
            None if gap.slice(self.bytes).iter().all(belongs) => return,
            None => SyntaxError { offset: 0, kind: SyntaxErrorKind::Expected("a whole entry") },
            Some(error) => error,
        };
        self.index += 1;
        (self.emit)(Record::Skip(Skip::broken(error, gap)));
    }

    /// The next object that is a whole entry: it begins where one could, behind a comma or another object.
    fn next_entry(&self, from: usize, end: usize) -> Option<Span> {
        let bytes = self.bytes.get(..end)?;
        let mut budget = SEARCH_BUDGET;
        for open in memchr::memchr_iter(b'{', bytes.get(from..)?).map(|at| from + at) {
            let before = bytes.get(..open).unwrap_or_default().trim_ascii_end().last();
            let behind = bytes.get(scan::skip_whitespace(bytes, open + 1));
            // A key in escaped quotes is in a string.
            if !matches!(before, Some(b',' | b'}')) || behind != Some(&b'"') {
                continue;
            }
            let Ok(span) = scan::value(bytes, open) else {
                budget = budget.checked_sub(end - open)?;
                continue;
            };
            let is_entry = |tree: Tree<'_>| {
                entry::exchange(tree.root(), fields::Place { file: bytes, start: open }).is_some()
            };
            if self.parse(span).is_ok_and(is_entry) {
                return Some(span);
            }
            budget = budget.checked_sub(span.len())?;
        }
        None
    }

    fn parsed(&mut self, entry: NodeRef<'_>, start: usize) {
        let place = fields::Place { file: self.bytes, start };
        match entry::exchange(entry, place) {
            Some(exchange) => {
                (self.emit)(Record::Exchange(Exchange { index: self.index, ..exchange }));
            }
            None => {
                let span = entry.span().shifted(place.start);
                (self.emit)(Record::Skip(Skip::at(Reason::NoExchange, span)));
            }
        }
        if let Some(messages) =
            entry.get("_webSocketMessages").filter(|list| list.children().next().is_some())
        {
            (self.emit)(Record::Skip(Skip::at(
                Reason::WebSocket,
                messages.span().shifted(place.start),
            )));
        }
        self.index += 1;
    }

    /// What stands beside the entries holds no exchange, but must be JSON all the same.
    fn other(&mut self, value: Span) {
        let (text, cut) = valid_prefix(value.slice(self.bytes));
        let mut walker = Walker::new(text).with_max_depth(self.max_depth);
        let found = walker.skip_rest().and_then(|()| walker.finish()).err();
        if let Some(error) = earliest(text, found, cut) {
            (self.emit)(Record::Skip(Skip::broken(error, value)));
        }
    }

    /// The archive is one value, with nothing behind it.
    fn behind(&mut self, end: Option<usize>) {
        let Some(end) = end else { return };
        let rest = scan::skip_whitespace(self.bytes, end);
        if rest < self.bytes.len() {
            let error =
                SyntaxError { offset: 0, kind: SyntaxErrorKind::Expected("the end of the file") };
            (self.emit)(Record::Skip(Skip::broken(error, Span::new(rest, self.bytes.len()))));
        }
    }

    /// Tells that the rest of the file could not be read.
    fn broken(&mut self, at: Break) {
        (self.emit)(Record::Skip(Skip::broken_off(at, self.bytes.len())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::Message;

    /// A line for each record: `POST v1/chat >request <response`, or the reason of a skip.
    fn read(text: &str) -> Vec<String> {
        let source = Source::new("test.har", text);
        let mut lines = Vec::new();
        super::read(&source, 99, &mut |record| {
            lines.push(match record {
                Record::Exchange(exchange) => describe(&exchange),
                Record::Body(_) => "body".to_owned(),
                Record::Skip(skip) => {
                    format!("{} at {}", skip.reason.name(), skip.span.unwrap().start)
                }
            });
        });
        lines
    }

    fn describe(exchange: &Exchange<'_>) -> String {
        let body = |message: &Message<'_>| match (&message.body, message.unread) {
            (Some(body), _) => String::from_utf8(body.decode().unwrap().into_owned()).unwrap(),
            (None, Some(unread)) => unread.reason.name().to_owned(),
            (None, None) => "none".to_owned(),
        };
        let method = exchange.call.method.as_ref().map_or("?", |method| method.as_str());
        let path = exchange.call.target.segments.join("/");
        format!(
            "{} {method} {path} >{} <{}",
            exchange.index,
            body(&exchange.request),
            body(&exchange.response)
        )
    }

    fn har(entries: &str) -> String {
        format!(r#"{{"log":{{"version":"1.2","creator":{{"name":"x"}},"entries":[{entries}]}}}}"#)
    }

    const CALL: &str = r#""method":"POST","url":"https://h/v1/chat""#;

    #[test]
    fn bodies_are_found_as_text_and_as_base64() {
        let entry = format!(
            r#"{{"request":{{{CALL},"postData":{{"text":"{{\"a\":1}}"}}}},"response":{{"content":{{"encoding":"base64","text":"eyJiIjoyfQ"}}}}}}"#
        );
        assert_eq!(read(&har(&entry)), [r#"0 POST v1/chat >{"a":1} <{"b":2}"#]);
        let sent =
            format!(r#"{{"request":{{{CALL},"postData":{{"encoding":"base64","text":"e30="}}}}}}"#);
        assert_eq!(read(&har(&sent)), ["0 POST v1/chat >{} <none"]);
    }

    #[test]
    fn what_producers_leave_out_or_write_otherwise_is_borne() {
        let odd = format!(
            "\u{feff} {{\"log\":{{\"creator\":\"a string\",\"entries\":[{{\"request\":{{{CALL},\"headers\":[[\"A\",\"b\"]],\"postData\":{{\"params\":[{{\"name\":\"x\"}}]}},\"bodySize\":9}},\"response\":{{\"status\":0,\"content\":{{}}}},\"_webSocketMessages\":[]}}],\"pages\":null}}}}"
        );
        assert_eq!(read(&odd), ["0 POST v1/chat >not-json <none"]);
        let entry = format!(r#"{{"request":{{{CALL},"postData":null}},"response":null}}"#);
        assert_eq!(read(&har(&entry)), ["0 POST v1/chat >none <none"]);
        assert_eq!(read(&har("{}, 7")).len(), 2, "entries that are no exchange are told");
    }

    #[test]
    fn a_body_that_was_left_out_is_told() {
        let entry = format!(
            r#"{{"request":{{{CALL},"bodySize":7,"postData":{{"text":""}}}},"response":{{"content":{{"size":12,"mimeType":"application/json"}}}}}}"#
        );
        assert_eq!(read(&har(&entry)), ["0 POST v1/chat >body-missing <body-missing"]);
    }

    #[test]
    fn web_socket_messages_are_told() {
        let entry = format!(r#"{{"request":{{{CALL}}},"_webSocketMessages":[{{"data":"x"}}]}}"#);
        let lines = read(&har(&entry));
        assert!(lines[1].starts_with("websocket at "), "{lines:?}");
    }

    #[test]
    fn a_broken_entry_hides_no_other() {
        let good = format!(r#"{{"request":{{{CALL}}}}}"#);
        let lines = read(&har(&format!("{good},{{\"request\":nope}},{good}")));
        assert_eq!(lines.len(), 3);
        assert!(lines[1].starts_with("invalid-json at "));
        assert!(lines[2].starts_with("2 POST"));
    }

    #[test]
    fn a_lost_bracket_or_a_comma_too_many_hides_no_other_entry() {
        let good = format!(r#"{{"request":{{{CALL}}}}}"#);
        let unclosed = good.strip_suffix('}').unwrap();
        for entries in [
            format!("{unclosed},{good},{good}"),
            format!("{good},,{good}"),
            format!("{good},{unclosed},{good}"),
        ] {
            let lines = read(&har(&entries));
            assert_eq!(lines.iter().filter(|line| line.contains("POST")).count(), 2, "{lines:?}");
            assert!(lines.iter().any(|line| line.starts_with("invalid-json")), "{lines:?}");
        }
    }

    #[test]
    fn an_entry_is_read_once_whatever_is_broken_around_it() {
        let good = format!(r#"{{"request":{{{CALL}}}}}"#);
        let text =
            format!(r#"{{"log":{{"entries":[{good},,{good}],"comment":"x","entries":[{good}]}}}}"#);
        let lines = read(&text);
        assert_eq!(lines.iter().filter(|line| line.contains("POST")).count(), 3, "{lines:?}");
        assert_eq!(lines.len(), 4, "{lines:?}");
    }

    #[test]
    fn a_lost_bracket_in_a_cut_archive_hides_no_other_entry() {
        let good = format!(
            r#"{{"request":{{{CALL},"postData":{{"text":"[,{{\"a\":1}},{{\"b\":2}}]"}}}}}}"#
        );
        let unclosed = good.strip_suffix('}').unwrap();
        let whole = har(&format!("{good},{unclosed},{good},{good},{good}"));
        let lines = read(&whole[..whole.len() - 30]);
        assert_eq!(lines.iter().filter(|line| line.contains("POST")).count(), 3, "{lines:?}");
    }

    #[test]
    fn json_that_curl_sent_as_a_form_is_read() {
        let entry = format!(
            r#"{{"request":{{{CALL},"postData":{{"params":[{{"name":"{{\"a\":1}}","value":""}}]}}}}}}"#
        );
        assert_eq!(read(&har(&entry)), [r#"0 POST v1/chat >{"a":1} <none"#]);
    }

    #[test]
    fn an_archive_without_a_list_of_entries_is_told() {
        for text in [
            r#"{"log":{"entries":{}}}"#,
            r#"{"log":{"entries":null}}"#,
            r#"{"log":{"creator":{}}}"#,
        ] {
            assert_eq!(read(text), ["invalid-json at 0"], "{text}");
        }
        assert_eq!(read(&har("")), ["empty at 0"]);
    }

    #[test]
    fn bodies_that_are_json_instead_of_text_are_read() {
        let entry = format!(
            r#"{{"request":{{{CALL},"postData":{{"text":{{"a":1}}}}}},"response":{{"content":{{"text":[2]}}}}}}"#
        );
        assert_eq!(read(&har(&entry)), [r#"0 POST v1/chat >{"a":1} <[2]"#]);
        let entry = format!(r#"{{"request":{{{CALL},"postData":"{{\"a\":1}}"}}}}"#);
        assert_eq!(read(&har(&entry)), [r#"0 POST v1/chat >{"a":1} <none"#]);
    }

    #[test]
    fn a_har_cut_anywhere_gives_its_whole_entries_and_one_truncation() {
        let good = format!(r#"{{"request":{{{CALL}}}}}"#);
        let whole = har(&format!("{good},{good}"));
        let second_ends = whole.rfind(&good).unwrap() + good.len();
        let first_ends = whole.find(&good).unwrap() + good.len();
        for cut in whole.find("entries").unwrap() + 10..whole.len() {
            let lines = read(&whole[..cut]);
            let entries = lines.iter().filter(|line| line.contains("POST")).count();
            let expected = usize::from(cut >= first_ends) + usize::from(cut >= second_ends);
            assert_eq!(entries, expected, "cut at {cut}: {lines:?}");
            let cuts = lines.iter().filter(|line| line.starts_with("truncated")).count();
            assert_eq!((cuts, lines.len()), (1, expected + 1), "cut at {cut}: {lines:?}");
        }
    }

    #[test]
    fn rubbish_beside_the_entries_is_told() {
        let entry = format!(r#"{{"request":{{{CALL}}}}}"#);
        let lines = read(&format!(r#"{{"log":{{"version":1.2.3,"entries":[{entry}]}}}} trailing"#));
        assert!(lines[0].starts_with("invalid-json at 21"), "{lines:?}");
        assert!(lines[1].contains("POST"));
        assert!(lines[2].starts_with("invalid-json at "), "{lines:?}");
    }
}
