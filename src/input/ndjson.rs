//! One exchange a line (NDJSON, JSON Lines): what loggers and proxies write.

use memchr::memchr_iter;

use super::{Intake, Record, body, envelope, fields};
use crate::document::{Kind, Tree, is_value};
use crate::exchange::{Exchange, Reason, Skip};
use crate::source::{Block, Span};

/// Reads a whole file. One in which no line is an exchange is a body of several values.
pub(super) fn read<'a>(file: Block<'a>, max_depth: usize, intake: &mut dyn Intake<'a>) {
    let has_exchange = |line| matches!(read_line(file.bytes, line, max_depth), Ok(parts) if parts.iter().any(Result::is_ok));
    if !lines(file).any(has_exchange) {
        return intake.record(Record::Body(body::whole(file)));
    }
    read_lines(file, max_depth, intake);
}

/// Reads line by line; a broken line hides no other. Gives the number of lines that hold anything.
pub(super) fn read_lines<'a>(
    block: Block<'a>,
    max_depth: usize,
    intake: &mut dyn Intake<'a>,
) -> usize {
    let mut index = 0;
    for line in lines(block) {
        if intake.sifts() && sift_line(block.bytes, line, index, max_depth, intake) {
            index += 1;
            continue;
        }
        match read_line(block.bytes, line, max_depth) {
            Err(skip) => intake.record(Record::Skip(skip)),
            Ok(parts) => {
                for part in parts {
                    intake.record(match part {
                        Ok(exchange) => Record::Exchange(Exchange { index, ..exchange }),
                        Err(other) => Record::Skip(Skip::at(Reason::NoExchange, other)),
                    });
                }
            }
        }
        index += 1;
    }
    index
}

/// Looks at the quotes and brackets of a line first, and says whether that was enough: nothing can match in it, or it is
/// JSON, so that what was seen holds.
fn sift_line<'a>(
    file: &'a [u8],
    line: Span,
    index: usize,
    max_depth: usize,
    intake: &mut dyn Intake<'a>,
) -> bool {
    let Some(outline) = Tree::skim(line.slice(file), LEVELS) else { return false };
    if outline.root().kind() != Kind::Object {
        return false;
    }
    let mut parts = envelope::parts(outline.root(), fields::Place { file, start: line.start });
    let (Some(part), true) = (parts.pop(), parts.is_empty()) else { return false };
    if outline.was_asked_deeper() {
        return false;
    }
    match part {
        Ok(exchange) => {
            let exchange = Exchange { index, ..exchange };
            if !intake.is_clean(&exchange) {
                if !is_value(line.slice(file), max_depth) {
                    return false;
                }
                intake.record(Record::Exchange(exchange));
            }
        }
        Err(other) => intake.record(Record::Skip(Skip::at(Reason::NoExchange, other))),
    }
    true
}

/// The lines that hold anything, without what ends them.
fn lines(block: Block<'_>) -> impl Iterator<Item = Span> {
    let mut start = block.text_start();
    memchr_iter(b'\n', block.bytes).chain([block.bytes.len()]).filter_map(move |end| {
        let line = Span::new(start.min(end), end);
        start = end + 1;
        let text = line.slice(block.bytes);
        let blank_front = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let blank_back = text.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
        (blank_front < text.len())
            .then(|| Span::new(line.start + blank_front, line.end - blank_back))
    })
}

fn read_line(file: &[u8], line: Span, max_depth: usize) -> Result<envelope::Parts<'_>, Skip> {
    let bytes = line.slice(file);
    // Loggers write other lines too: a banner, a stack trace.
    if !matches!(bytes.first(), Some(b'{' | b'[')) {
        return Err(Skip::at(Reason::NoExchange, line));
    }
    let place = fields::Place { file, start: line.start };
    let broken = |error| Skip::broken(error, line);
    let outline = Tree::outline_bytes(bytes, max_depth, LEVELS).map_err(broken)?;
    let parts = envelope::parts(outline.root(), place);
    if !outline.was_asked_deeper() {
        return Ok(parts);
    }
    let tree = Tree::parse_bytes(bytes, max_depth).map_err(broken)?;
    Ok(envelope::parts(tree.root(), place))
}

/// How many levels of a record are looked at before all of them are: of a record, of its request, of the header fields.
const LEVELS: usize = 3;
