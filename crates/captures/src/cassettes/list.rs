//! Cuts the list of interactions in a YAML cassette into its items, by their indentation and without a parser. A broken
//! item hides no other, and a large cassette is never in memory as a tree.

use super::recorder::Recorder;
use crate::file_head::contains;
use sundown_text_json::text::Span;

/// Keys next to the list, which recorders write with scalar values.
const MARKS: [&[u8]; 2] = [b"version", b"recorded_with"];

/// The largest number of lines before the list.
const LINES_BEFORE: usize = 64;

/// The position of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InteractionList {
    /// Whether its key is `http_interactions`.
    pub(super) is_http: bool,
    /// Whether one of the marks is before it.
    pub(super) marked: bool,
    /// The beginning of its first item, and the indentation of its items; `None` if it is not written line by line.
    pub(super) block: Option<ItemBlock>,
}

/// A list that is written line by line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ItemBlock {
    first: usize,
    indent: usize,
}

/// The items of a list, and the text after it.
#[derive(Debug, Default)]
pub(super) struct ItemSpans {
    pub(super) spans: Vec<Span>,
    /// Whether a mark with a value follows the list.
    pub(super) marked: bool,
    /// The beginning of a further document.
    pub(super) further: Option<usize>,
}

/// A line: its bytes without the break, and the offset of the next one.
#[derive(Clone, Copy)]
struct YamlLine<'a> {
    start: usize,
    next: usize,
    text: &'a [u8],
}

fn lines(bytes: &[u8], start: usize) -> impl Iterator<Item = YamlLine<'_>> + Clone {
    let mut at = start;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |feed| feed + 1);
        let text = rest.get(..length)?.trim_ascii_end();
        let line = YamlLine {
            start: at,
            next: at + length,
            text,
        };
        at = line.next;
        Some(line)
    })
}

impl<'a> YamlLine<'a> {
    fn indent(self) -> usize {
        self.text.iter().take_while(|&&byte| byte == b' ').count()
    }

    /// The text after its indentation; `None` for an empty line or a comment.
    fn content(self) -> Option<&'a [u8]> {
        let content = self.text.get(self.indent()..)?;
        (!content.is_empty() && content.first() != Some(&b'#')).then_some(content)
    }

    fn begins_item(self) -> bool {
        self.content()
            .is_some_and(|content| content == b"-" || content.starts_with(b"- "))
    }

    /// The key at its beginning, in quotes or not, after the dash of an item; its indentation; and the text after its colon.
    fn key(self) -> Option<(&'a [u8], usize, &'a [u8])> {
        let mut content = self.content()?;
        let mut indent = self.indent();
        while let Some(rest) = content.strip_prefix(b"-") {
            let inner = rest.trim_ascii_start();
            indent += content.len() - inner.len();
            content = inner;
        }
        let quote = content
            .first()
            .copied()
            .filter(|byte| matches!(byte, b'"' | b'\''));
        let content = if quote.is_some() {
            content.get(1..)?
        } else {
            content
        };
        let end = memchr::memchr(quote.unwrap_or(b':'), content)?;
        let key = content.get(..end)?;
        let behind = content.get(end..)?;
        let behind = if quote.is_some() {
            behind.get(1..)?.trim_ascii_start()
        } else {
            behind
        };
        let value = behind.strip_prefix(b":")?;
        let is_name = key
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte));
        let is_pair = value.first().is_none_or(|&byte| byte == b' ');
        (is_name && is_pair && !key.is_empty()).then(|| (key, indent, value.trim_ascii()))
    }

    /// The quote of a text that begins in the line and does not end in it.
    fn open_quote(self) -> Option<u8> {
        let mut value = match self.key() {
            Some((_, _, value)) => value,
            None => self
                .content()
                .filter(|content| content.starts_with(b"- "))?,
        };
        // Anchors, tags and the dashes of lists are before the text.
        while let Some(b'&' | b'!' | b'-') = value.first() {
            let end = memchr::memchr(b' ', value)?;
            value = value.get(end..)?.trim_ascii_start();
        }
        let quote = value
            .first()
            .copied()
            .filter(|byte| matches!(byte, b'"' | b'\''))?;
        quote_end(value.get(1..)?, quote).is_none().then_some(quote)
    }

    fn is_mark(self) -> bool {
        self.key()
            .is_some_and(|(key, indent, _)| indent == 0 && MARKS.contains(&key))
    }
}

/// Returns the offset of the quote that ends a text.
fn quote_end(text: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let is_doubled = text.get(at + 1) == Some(&quote);
        match byte {
            b'\\' if quote == b'"' => at += 2,
            b'\'' if quote == b'\'' && is_doubled => at += 2,
            _ if byte == quote => return Some(at),
            _ => at += 1,
        }
    }
    None
}

/// Finds the list among the keys of a document. Other keys than recorders write may come before `http_interactions` alone, which
/// is a name that nothing else has.
pub(super) fn find(bytes: &[u8], start: usize) -> Option<InteractionList> {
    let mut marked = false;
    let mut has_key = false;
    let mut has_other_key = false;
    for line in lines(bytes, start).take(LINES_BEFORE) {
        let Some(content) = line.content() else {
            continue;
        };
        let is_inside = has_key && (line.indent() > 0 || line.begins_item());
        if is_inside || content == b"---" || content.first() == Some(&b'%') {
            continue;
        }
        let (key, _, value) = line.key().filter(|&(_, indent, _)| indent == 0)?;
        let is_list = match key {
            b"http_interactions" => true,
            b"interactions" => !has_other_key,
            _ => false,
        };
        if is_list {
            let is_open = value.is_empty() || value.first() == Some(&b'#');
            let block = if is_open {
                block(bytes, line.next)
            } else {
                None
            };
            return Some(InteractionList {
                is_http: key.starts_with(b"http"),
                marked,
                block,
            });
        }
        has_key = true;
        marked |= line.is_mark();
        has_other_key |= !line.is_mark();
    }
    None
}

fn block(bytes: &[u8], behind: usize) -> Option<ItemBlock> {
    let first = lines(bytes, behind).find(|line| line.content().is_some())?;
    first.begins_item().then(|| ItemBlock {
        first: first.start,
        indent: first.indent(),
    })
}

/// Identifies the recorder by the first interaction, if there is one.
pub(super) fn recorder_of(bytes: &[u8], list: InteractionList) -> Option<Recorder> {
    if list.is_http {
        return Some(Recorder::Vcr);
    }
    let Some(block) = list.block else {
        // Without an item, all recorders write the same, and there is nothing to read.
        return list.marked.then_some(Recorder::GoVcr);
    };
    let mut request = None;
    let mut inside = None;
    let mut open = None;
    for (number, line) in lines(bytes, block.first).enumerate() {
        // Some libraries indent the lines of a quoted text less than the text around it.
        if let Some(quote) = open {
            open = open.filter(|_| quote_end(line.text, quote).is_none());
            continue;
        }
        open = line.open_quote();
        if number > 0 && line.begins_item() && line.indent() <= block.indent {
            return None;
        }
        let Some(at) = request else {
            let found = line.key().filter(|&(key, _, _)| key == b"request");
            request = found.map(|(_, indent, _)| indent);
            if let Some((_, _, [b'{', members @ ..])) = found {
                let names: [(&[u8], _); 2] =
                    [(b"uri:", Recorder::Vcrpy), (b"url:", Recorder::GoVcr)];
                return names
                    .into_iter()
                    .find(|(name, _)| contains(members, name))
                    .map(|(_, known)| known);
            }
            continue;
        };
        if line.content().is_none() {
            continue;
        }
        let depth = *inside.get_or_insert_with(|| line.indent());
        if depth <= at || line.indent() < depth {
            return None;
        }
        match line.key() {
            Some((b"uri", indent, _)) if indent == depth => return Some(Recorder::Vcrpy),
            Some((b"url", indent, _)) if indent == depth => return Some(Recorder::GoVcr),
            _ => {}
        }
    }
    // A body continues after the end of the text. Only go-vcr writes the version first.
    inside.map(|_| {
        if list.marked {
            Recorder::GoVcr
        } else {
            Recorder::Vcrpy
        }
    })
}

/// Cuts a list into its items. Text that fits no item belongs to the item before it, which its reader reports as
/// broken.
pub(super) fn items(bytes: &[u8], block: ItemBlock) -> ItemSpans {
    let mut items = ItemSpans::default();
    let mut open: Option<usize> = None;
    // The offset at which a top-level line may have ended the last item.
    let mut ended: Option<usize> = None;
    for line in lines(bytes, block.first) {
        let Some(content) = line.content() else {
            continue;
        };
        let indent = line.indent();
        if indent == block.indent && line.begins_item() {
            let end = ended.take().unwrap_or(line.start);
            items.spans.extend(
                open.replace(line.start)
                    .map(|start| Span::new(start, end.max(start))),
            );
            continue;
        }
        if indent > 0 {
            continue;
        }
        if content.starts_with(b"---") || content == b"..." {
            items.further = content.starts_with(b"---").then_some(line.start);
            ended = ended.or(Some(line.start));
            break;
        }
        // The beginning of a mark at the end of the file is not part of the last item.
        let is_cut_mark =
            line.next == bytes.len() && MARKS.iter().any(|mark| mark.starts_with(content));
        if line.is_mark() || is_cut_mark {
            items.marked |= line.key().is_some_and(|(_, _, value)| !value.is_empty());
            ended = ended.or(Some(line.start));
        }
    }
    let end = ended.unwrap_or(bytes.len());
    items
        .spans
        .extend(open.map(|start| Span::new(start, end.max(start))));
    items
}

/// The complete lines of an item.
pub(super) fn whole_lines(item: &[u8]) -> &[u8] {
    memchr::memrchr(b'\n', item)
        .and_then(|feed| item.get(..=feed))
        .unwrap_or_default()
}

/// Returns whether the members of an item's messages are those that the recorder writes, in its order. Other serializers may
/// leave out the text after the list.
pub(super) fn is_as_recorded(item: &[u8], recorder: Recorder) -> bool {
    let (request, response): (&[&[u8]], &[&[u8]]) = match recorder {
        Recorder::Vcr => (
            &[b"method", b"uri", b"body", b"headers"],
            &[
                b"status",
                b"headers",
                b"body",
                b"http_version",
                b"adapter_metadata",
            ],
        ),
        Recorder::Vcrpy => (
            &[b"body", b"headers", b"method", b"uri"],
            &[b"body", b"headers", b"status"],
        ),
        Recorder::GoVcr => return true,
    };
    // Only other serializers indent the list, and vcr for R says in each item what recorded it.
    let is_other = |line: YamlLine<'_>| line.indent() > 0;
    if lines(item, 0).next().is_none_or(is_other) || keys(item).any(|key| key == (MARKS[1], 2)) {
        return false;
    }
    let is_part = |name: &[u8], known: &[&[u8]]| {
        let mut known = known.iter();
        message_keys(whole_lines(item), name).all(|key| known.any(|name| *name == key))
    };
    is_part(b"request", request) && is_part(b"response", response)
}

/// The keys of lines, each with its indentation.
fn keys(text: &[u8]) -> impl Iterator<Item = (&[u8], usize)> + Clone {
    lines(text, 0)
        .filter_map(YamlLine::key)
        .map(|(key, indent, _)| (key, indent))
}

/// The keys of a message in an item.
fn message_keys<'a>(item: &'a [u8], message: &[u8]) -> impl Iterator<Item = &'a [u8]> {
    let own = keys(item).next().map_or(0, |(_, own)| own);
    let mut members = keys(item)
        .skip_while(move |&key| key != (message, own))
        .skip(1)
        .peekable();
    let depth = members.peek().map_or(0, |&(_, depth)| depth);
    members
        .take_while(move |&(_, indent)| indent > own)
        .filter(move |&(_, indent)| indent == depth)
        .map(|(key, _)| key)
}

/// Returns whether an item has the member that its recorder writes last, with a complete line.
pub(super) fn is_whole(item: &[u8], recorder: Recorder) -> bool {
    let whole = whole_lines(item);
    let Some((_, own)) = keys(whole).next() else {
        return false;
    };
    let last: &[u8] = match recorder {
        Recorder::Vcr => return keys(whole).any(|key| key == (b"recorded_at", own)),
        Recorder::Vcrpy => b"message",
        Recorder::GoVcr => b"code",
    };
    // Only a line with the indentation of the response's members is one of them. Bodies are indented further.
    let mut response = keys(whole)
        .skip_while(|&key| key != (b"response", own))
        .skip(1);
    let Some((_, depth)) = response.clone().next() else {
        return false;
    };
    match recorder {
        Recorder::GoVcr => response.any(|key| key == (last, depth)),
        _ => {
            let status = response
                .clone()
                .skip_while(|&key| key != (b"status", depth))
                .skip(1);
            status
                .take_while(|&(_, indent)| indent > depth)
                .any(|(key, _)| key == last)
                // Some clients' responses have it in one line.
                || response.any(|key| key == (b"status_code", depth))
        }
    }
}
