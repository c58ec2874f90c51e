//! Reads the words of shell commands, with their positions in the file: quoting, continuations, here-documents, and
//! known variables (POSIX.1-2024, Shell Command Language, sections 2.2 to 2.7; bash for `$'…'` and `<<<`).
//!
//! Nothing is run. A value that only running would show is the unknown variable `{{$}}`.

use std::collections::HashMap;

use super::client;
use super::nested::script_of;
use super::words::{ShellCommand, ShellWord, UNKNOWN};
use crate::text::{ExpansionFactor, OffsetMap, Span};

/// The beginnings of lines that call curl.
const CALL: &[u8] = b"curl ";

/// The largest nesting of substitutions.
const MOST_NESTED: usize = 32;

/// The largest total size of the known values that are inserted.
const MOST_PUT_IN: usize = 8 * 1024 * 1024;

/// Reads commands.
#[derive(Default)]
pub(super) struct Shell<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
    /// The closing characters of the open substitutions.
    closers: Vec<u8>,
    /// The variables that have been assigned.
    known: HashMap<Vec<u8>, (Vec<u8>, OffsetMap)>,
    put_in: usize,
    most_put_in: usize,
    commands: Vec<ShellCommand>,
    /// The number of scripts around this one.
    depth: usize,
    /// The beginning of a part without an end, and the position up to which its end was searched.
    broken: Option<Span>,
}

struct HereDocument {
    delimiter: Vec<u8>,
    is_quoted: bool,
    has_tabs: bool,
}

/// The end of a text with expansions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExpansionEnd {
    Quote,
    End,
}

impl<'a> Shell<'a> {
    pub(super) fn new(bytes: &'a [u8], expansion: ExpansionFactor) -> Self {
        Self { bytes, most_put_in: expansion.times(MOST_PUT_IN), ..Self::default() }
    }

    /// Reads the commands in a part of the file, in order. One without an end is included, and reported.
    pub(super) fn commands(&mut self, within: Span) -> (Vec<ShellCommand>, Option<Span>) {
        (self.at, self.end, self.broken) = (within.start, within.end, None);
        self.closers.clear();
        while self.at < self.end && self.broken.is_none() {
            self.list(None);
        }
        let mut commands = std::mem::take(&mut self.commands);
        commands.sort_by_key(|command| command.words.first().map(|word| word.span.start));
        (commands, self.broken)
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied().filter(|_| self.at + ahead < self.end)
    }

    fn starts_with(&self, text: &[u8]) -> bool {
        self.rest().starts_with(text)
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..self.end).unwrap_or_default()
    }

    fn no_end(&mut self, start: usize) {
        self.broken = self.broken.or(Some(Span::new(start, self.at.max(start))));
    }

    /// Reads commands up to `closer`, and consumes it.
    fn list(&mut self, closer: Option<u8>) {
        let start = self.at;
        let mut command = ShellCommand::default();
        let mut documents = Vec::new();
        let mut open = 0usize;
        while let Some(byte) = self.peek(0) {
            if self.broken.is_some() {
                break;
            }
            match byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if self.peek(1) == Some(b'\n') => self.at += 2,
                b'\\' if self.starts_with(b"\\\r\n") => self.at += 3,
                b'#' => self.at += memchr::memchr(b'\n', self.rest()).unwrap_or(self.rest().len()),
                b'\n' => {
                    self.at += 1;
                    for document in documents.drain(..) {
                        command.input = Some(self.here_document(&document));
                    }
                    self.finish(&mut command, None);
                }
                b'|' if self.peek(1) != Some(b'|') => {
                    self.at += 1;
                    // A here-document follows the line, and belongs to the command before the pipe.
                    if documents.is_empty() {
                        self.pipe(&mut command);
                    } else {
                        self.documents_ahead(&mut command, &mut documents);
                    }
                }
                b';' | b'&' | b'|' => {
                    self.at += 1;
                    self.finish(&mut command, None);
                }
                b'(' => {
                    (self.at, open) = (self.at + 1, open + 1);
                    self.finish(&mut command, None);
                }
                b')' | b'`' if closer == Some(byte) && open == 0 => {
                    self.at += 1;
                    self.finish(&mut command, None);
                    return;
                }
                b')' => {
                    (self.at, open) = (self.at + 1, open.saturating_sub(1));
                    self.finish(&mut command, None);
                }
                b'<' | b'>' => self.redirection(&mut command, &mut documents),
                _ => self.argument(&mut command),
            }
        }
        self.finish(&mut command, None);
        if closer.is_some() {
            self.no_end(start);
        }
    }

    /// Ends a command whose output is the input of the next one.
    fn pipe(&mut self, command: &mut ShellCommand) {
        let output = output(command).cloned();
        let first = command.words.first().map(|word| word.span);
        let unread = first.filter(|_| output.is_none());
        self.finish(command, output);
        command.unread_input = unread;
    }

    /// Ends a command. Its output is the input of the next one.
    fn finish(&mut self, command: &mut ShellCommand, output: Option<ShellWord>) {
        let next = ShellCommand { input: output, ..ShellCommand::default() };
        let done = std::mem::replace(command, next);
        if done.words.is_empty() {
            return;
        }
        let script = script_of(&done, client::is_name).filter(|script| !script.begins_unknown());
        match script.and_then(|script| self.nested(&script)) {
            Some(commands) => self.commands.extend(commands),
            None => self.commands.push(done),
        }
    }

    /// Reads the commands of a script that is an argument of another command; `None` if a part of it has no end. Variables of
    /// this shell are not known there.
    fn nested(&mut self, script: &ShellWord) -> Option<Vec<ShellCommand>> {
        if self.depth >= MOST_NESTED {
            return None;
        }
        let (put_in, most_put_in, depth) = (self.put_in, self.most_put_in, self.depth + 1);
        let mut inner =
            Shell { bytes: &script.text, put_in, most_put_in, depth, ..Shell::default() };
        let (commands, broken) = inner.commands(Span::new(0, script.text.len()));
        self.put_in = inner.put_in;
        let is_whole = broken.is_none() && !commands.is_empty();
        is_whole.then(|| commands.into_iter().map(|command| command.within(script)).collect())
    }

    /// Reads a word of a command, or an assignment before it.
    fn argument(&mut self, command: &mut ShellCommand) {
        let first = command.words.first().map(|word| word.text.as_slice());
        let assigns = matches!(
            first,
            None | Some(b"export" | b"local" | b"readonly" | b"declare" | b"typeset")
        );
        if let Some(length) = assigns.then(|| assignment(self.rest())).flatten() {
            let name = self.rest().get(..length).unwrap_or_default().to_vec();
            self.at += length + 1;
            let ShellWord { text, map, .. } = self.word();
            self.known.insert(name, (text, map));
            return;
        }
        let word = self.word();
        // Reading continues after a character that cannot be part of a word.
        self.at += usize::from(word.span.is_empty());
        if is_variable(word.span.slice(self.bytes)) {
            // POSIX, section 2.6.5: without quotes, the value is split at white space.
            command.words.extend(word.fields());
        } else {
            command.words.push(word);
        }
    }

    /// Reads a redirection.
    fn redirection(&mut self, command: &mut ShellCommand, documents: &mut Vec<HereDocument>) {
        let is_number = |word: &mut ShellWord| {
            word.span.end == self.at && word.text.iter().all(u8::is_ascii_digit)
        };
        command.words.pop_if(is_number);
        if self.starts_with(b"<(") || self.starts_with(b">(") {
            let start = self.at;
            self.at += 2;
            self.substitution(start, b')');
            let mut word = ShellWord { span: Span::new(start, self.at), ..ShellWord::default() };
            word.push(UNKNOWN, Span::new(start, self.at));
            return command.words.push(word);
        }
        let is_here_string = self.starts_with(b"<<<");
        let is_document = !is_here_string && self.starts_with(b"<<");
        let is_input = self.starts_with(b"<") && !is_here_string && !is_document;
        self.at += if is_here_string { 3 } else { 1 + usize::from(is_document) };
        let has_tabs = is_document && self.peek(0) == Some(b'-');
        while matches!(self.peek(0), Some(b' ' | b'\t'))
            || self.peek(0).is_some_and(|byte| !is_document && b"<>&|-".contains(&byte))
            || has_tabs && self.peek(0) == Some(b'-')
        {
            self.at += 1;
        }
        if self.peek(0).is_none_or(|byte| b"\r\n;()".contains(&byte)) {
            return;
        }
        let start = self.at;
        let word = self.word();
        if is_input {
            command.unread_input = Some(word.span);
        } else if is_here_string {
            command.input = Some(word);
        } else if is_document {
            let raw = self.bytes.get(start..self.at).unwrap_or_default();
            let is_quoted = raw.iter().any(|byte| b"'\"\\".contains(byte));
            documents.push(HereDocument { delimiter: word.text, is_quoted, has_tabs });
        }
    }

    /// Reads the here-documents that begin on the next line although their command continues after a pipe, and the rest
    /// of that line.
    fn documents_ahead(&mut self, command: &mut ShellCommand, documents: &mut Vec<HereDocument>) {
        let here = self.at;
        let Some(length) = memchr::memchr(b'\n', self.rest()) else { return };
        self.at = here + length + 1;
        for document in documents.drain(..) {
            command.input = Some(self.here_document(&document));
        }
        self.pipe(command);
        let behind = std::mem::replace(&mut self.at, here);
        let end = std::mem::replace(&mut self.end, here + length);
        while self.at < self.end && self.broken.is_none() {
            match self.peek(0) {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b';' | b'&' | b'|' | b'(' | b')') => {
                    self.at += 1;
                    self.finish(command, None);
                }
                Some(b'<' | b'>') => self.redirection(command, documents),
                _ => self.argument(command),
            }
        }
        self.finish(command, None);
        (self.at, self.end) = (behind, end);
    }

    /// Reads the lines up to the delimiter.
    fn here_document(&mut self, document: &HereDocument) -> ShellWord {
        let start = self.at;
        let mut close = None;
        let mut line_start = start;
        while line_start < self.end {
            let rest = self.bytes.get(line_start..self.end).unwrap_or_default();
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = rest.get(..length).unwrap_or_default();
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let bare = if document.has_tabs { without_tabs(line) } else { line };
            if bare == document.delimiter {
                close = Some((line_start, (line_start + length + 1).min(self.end)));
                break;
            }
            line_start += length + 1;
        }
        let Some((inside_end, behind)) = close else {
            self.at = self.end;
            self.no_end(start);
            return ShellWord { span: Span::new(start, self.end), ..ShellWord::default() };
        };
        let mut word = ShellWord { span: Span::new(start, inside_end), ..ShellWord::default() };
        if document.is_quoted {
            word.copy(self.bytes, start, inside_end);
        } else {
            let end = std::mem::replace(&mut self.end, inside_end);
            self.expanding(&mut word, ExpansionEnd::End);
            self.end = end;
        }
        self.at = behind;
        word
    }

    fn word(&mut self) -> ShellWord {
        let start = self.at;
        let mut word = ShellWord::default();
        while let Some(byte) = self.peek(0) {
            if self.broken.is_some() {
                break;
            }
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' => {
                    break;
                }
                b'\'' => self.single(&mut word),
                b'"' => self.double(&mut word),
                b'$' if self.peek(1) == Some(b'\'') => self.ansi_c(&mut word),
                b'$' if self.peek(1) == Some(b'"') => self.at += 1,
                b'$' => self.expansion(&mut word),
                b'`' if self.closers.last() == Some(&b'`') => break,
                b'`' => self.backquoted(&mut word),
                b'\\' => self.escaped(&mut word),
                _ => {
                    word.copy(self.bytes, self.at, self.at + 1);
                    self.at += 1;
                }
            }
        }
        word.span = Span::new(start, self.at);
        word
    }

    /// Reads a backslash outside of quotes: the next character, or nothing at the end of a line.
    fn escaped(&mut self, word: &mut ShellWord) {
        match self.peek(1) {
            Some(b'\n') => self.at += 2,
            Some(b'\r') if self.peek(2) == Some(b'\n') => self.at += 3,
            Some(byte) => {
                word.push(&[byte], Span::new(self.at, self.at + 2));
                self.at += 2;
            }
            None => {
                self.at += 1;
                self.no_end(self.at - 1);
            }
        }
    }

    fn single(&mut self, word: &mut ShellWord) {
        let (start, from) = (self.at, self.at + 1);
        let end = memchr::memchr(b'\'', self.bytes.get(from..self.end).unwrap_or_default());
        let end =
            end.map(|length| from + length).filter(|&end| self.next_call(from, end).is_none());
        let Some(end) = end else { return self.open_quote(start) };
        word.copy(self.bytes, from, end);
        self.at = end + 1;
    }

    /// Handles a quote without an end: reading stops at the end of the file, or where another call begins.
    fn open_quote(&mut self, start: usize) {
        self.at = self.next_call(start, self.end).unwrap_or(self.end);
        self.no_end(start);
    }

    /// Finds the next line that begins with another call: quoted text has none.
    fn next_call(&self, from: usize, end: usize) -> Option<usize> {
        let text = self.bytes.get(from..end)?;
        let mut calls = memchr::memmem::find_iter(text, CALL).map(|at| from + at);
        calls.find(|&at| {
            let line = memchr::memrchr(b'\n', self.bytes.get(from..at).unwrap_or_default());
            line.is_some_and(|line| {
                let before = self.bytes.get(from + line..at).unwrap_or_default();
                before.trim_ascii().is_empty()
            })
        })
    }

    fn double(&mut self, word: &mut ShellWord) {
        let start = self.at;
        self.at += 1;
        if !self.expanding(word, ExpansionEnd::Quote) && self.broken.is_none() {
            self.at = start;
            self.open_quote(start);
        }
    }

    /// Reads text with expansions, and returns whether it ends properly.
    fn expanding(&mut self, word: &mut ShellWord, until: ExpansionEnd) -> bool {
        while let Some(byte) = self.peek(0) {
            if self.broken.is_some() {
                return false;
            }
            let next = self.peek(1);
            match (byte, next) {
                (b'"', _) if until == ExpansionEnd::Quote => {
                    self.at += 1;
                    return true;
                }
                (b'\n', _) if until == ExpansionEnd::Quote && begins_call(self.rest().get(1..)) => {
                    return false;
                }
                (b'\\', Some(b'\n')) => self.at += 2,
                (b'\\', Some(escaped @ (b'$' | b'`' | b'\\'))) => {
                    word.push(&[escaped], Span::new(self.at, self.at + 2));
                    self.at += 2;
                }
                (b'\\', Some(b'"')) if until == ExpansionEnd::Quote => {
                    word.push(b"\"", Span::new(self.at, self.at + 2));
                    self.at += 2;
                }
                (b'$', _) => self.expansion(word),
                (b'`', _) => self.backquoted(word),
                _ => {
                    word.copy(self.bytes, self.at, self.at + 1);
                    self.at += 1;
                }
            }
        }
        until == ExpansionEnd::End
    }

    /// Reads `$'…'` as bash does.
    fn ansi_c(&mut self, word: &mut ShellWord) {
        let start = self.at;
        self.at += 2;
        let mut ended = false;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\'' => {
                    self.at += 1;
                    return;
                }
                b'\n' if begins_call(self.rest().get(1..)) => break,
                b'\\' => {
                    let (text, length) = super::escapes::ansi_c(self.rest());
                    // A zero byte ends the text, though not the quotes.
                    ended |= text == [0];
                    if !ended {
                        word.push(&text, Span::new(self.at, self.at + length));
                    }
                    self.at += length;
                }
                _ => {
                    if !ended {
                        word.copy(self.bytes, self.at, self.at + 1);
                    }
                    self.at += 1;
                }
            }
        }
        self.at = start;
        self.open_quote(start);
    }

    /// Reads an expansion.
    fn expansion(&mut self, word: &mut ShellWord) {
        let start = self.at;
        match self.peek(1) {
            Some(b'(') if self.peek(2) == Some(b'(') => {
                let end = memchr::memmem::find(self.rest(), b"))").map(|length| start + length + 2);
                self.at = end.unwrap_or(self.end);
                if end.is_none() {
                    self.no_end(start);
                }
                word.push(UNKNOWN, Span::new(start, self.at));
            }
            Some(b'(') => {
                self.at += 2;
                self.substituted(word, start, b')');
            }
            Some(b'{') => self.braced(word),
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                self.at += 1;
                let length = name_length(self.rest());
                let name = self.rest().get(..length).unwrap_or_default().to_vec();
                self.at += length;
                self.put(word, &name, start, None);
            }
            Some(byte) if byte.is_ascii_digit() || b"@*#?$!-".contains(&byte) => {
                self.at += 2;
                word.push(UNKNOWN, Span::new(start, self.at));
            }
            _ => {
                word.copy(self.bytes, start, start + 1);
                self.at += 1;
            }
        }
    }

    /// Reads `${name}` and its variants. A default applies if the name is not known.
    fn braced(&mut self, word: &mut ShellWord) {
        let start = self.at;
        let Some(length) = brace_end(self.rest()) else {
            self.at = self.end;
            return self.no_end(start);
        };
        let inside = self.rest().get(2..length).unwrap_or_default();
        let name = inside.get(..name_length(inside)).unwrap_or_default().to_vec();
        let behind = inside.get(name.len()..).unwrap_or_default();
        let default = behind.strip_prefix(b":-").or_else(|| behind.strip_prefix(b"-"));
        let default = default.filter(|text| !text.iter().any(|byte| b"$`\\'\"".contains(byte)));
        let is_plain = behind.is_empty() || default.is_some() || behind.starts_with(b":?");
        self.at = start + length + 1;
        let from = start + length - default.map_or(0, <[u8]>::len);
        let default = default.map(|text| Span::new(from, from + text.len()));
        let name = if is_plain { name } else { Vec::new() };
        self.put(word, &name, start, default);
    }

    /// Inserts the value of a variable.
    fn put(&mut self, word: &mut ShellWord, name: &[u8], start: usize, default: Option<Span>) {
        let known = self.known.get(name);
        let room = self.most_put_in.saturating_sub(self.put_in);
        match known.filter(|(text, _)| text.len() <= room) {
            Some((text, map)) => {
                self.put_in += text.len().max(1);
                word.text.extend_from_slice(text);
                word.map.extend(map);
            }
            None => match default {
                Some(span) => word.copy(self.bytes, span.start, span.end),
                None => word.push(UNKNOWN, Span::new(start, self.at)),
            },
        }
    }

    fn backquoted(&mut self, word: &mut ShellWord) {
        let start = self.at;
        self.at += 1;
        self.substituted(word, start, b'`');
    }

    /// Inserts the output of commands, if it is known. The commands are read as well.
    fn substituted(&mut self, word: &mut ShellWord, start: usize, closer: u8) {
        match self.substitution(start, closer) {
            Some(output) => {
                let kept = output.text.trim_ascii_end().len();
                word.map.extend(&output.map.truncated(kept));
                word.text.extend_from_slice(output.text.get(..kept).unwrap_or_default());
            }
            None => word.push(UNKNOWN, Span::new(start, self.at)),
        }
    }

    fn substitution(&mut self, start: usize, closer: u8) -> Option<ShellWord> {
        if self.closers.len() >= MOST_NESTED {
            self.no_end(start);
            return None;
        }
        self.closers.push(closer);
        let before = self.commands.len();
        self.list(Some(closer));
        self.closers.pop();
        let inside = self.commands.get(before..).unwrap_or_default();
        let [only] = inside else { return None };
        output(only).cloned()
    }
}

/// Returns the output of a command, if it is simple: `cat` of a here-document, `echo` or `printf '%s'` of one word.
fn output(command: &ShellCommand) -> Option<&ShellWord> {
    let words: Vec<&[u8]> = command.words.iter().map(|word| word.text.as_slice()).collect();
    match words.as_slice() {
        [b"cat"] | [b"cat", b"-"] => command.input.as_ref(),
        [b"echo", text] if !text.starts_with(b"-") => command.words.last(),
        [b"echo", b"-n", _] | [b"printf", b"%s" | b"%s\\n", _] => command.words.last(),
        _ => None,
    }
}

/// Returns whether a word, as it is written, is a variable and nothing else.
fn is_variable(raw: &[u8]) -> bool {
    let Some(name) = raw.strip_prefix(b"$") else { return false };
    let braced = name.strip_prefix(b"{").and_then(|name| name.strip_suffix(b"}"));
    let name = braced.unwrap_or(name);
    !name.is_empty() && name_length(name) == name.len()
}

fn begins_call(line: Option<&[u8]>) -> bool {
    line.is_some_and(|line| {
        let bare = line.iter().take_while(|byte| b" \t".contains(byte)).count();
        line.get(bare..).is_some_and(|line| line.starts_with(CALL))
    })
}

fn without_tabs(line: &[u8]) -> &[u8] {
    let tabs = line.iter().take_while(|&&byte| byte == b'\t').count();
    line.get(tabs..).unwrap_or_default()
}

/// The length of the name at the beginning.
fn name_length(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count()
}

/// The length of the name in front of an assignment's `=`.
fn assignment(text: &[u8]) -> Option<usize> {
    let length = name_length(text);
    let begins = text.first().is_some_and(|first| !first.is_ascii_digit());
    (length > 0 && begins && text.get(length) == Some(&b'=')).then_some(length)
}

/// Offset of the brace that closes `${`.
fn brace_end(text: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(at),
            b'}' => depth = depth.checked_sub(1)?,
            b'\n' => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::process;

    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> (Vec<String>, bool) {
        let (commands, broken) = Shell::new(text.as_bytes(), ExpansionFactor::default())
            .commands(Span::new(0, text.len()));
        let words = commands.into_iter().flat_map(|command| command.words);
        let text = |word: ShellWord| String::from_utf8_lossy(&word.text).into_owned();
        (words.map(text).collect(), broken.is_some())
    }

    #[test]
    fn what_only_running_would_tell_is_a_variable() {
        for (text, read) in [
            (
                "a=1; x $a ${a} ${b:-c} ${a##*/} $1 $(($a + 1)) `date`",
                "x 1 1 c {{$}} {{$}} {{$}} date {{$}}",
            ),
            (
                "x \"$(echo \"a b\")\" $(cat f) <(y) > /dev/null 2>&1",
                "echo a b cat f y x a b {{$}} {{$}}",
            ),
            ("export A=b\nx \"$A\" '$A' \\$A $", "export x b $A $A $"),
        ] {
            let (mut found, broken) = words(text);
            let mut wanted: Vec<_> = read.split(' ').collect();
            // Nested commands come in the order of their words.
            found = found.iter().flat_map(|word| word.split(' ').map(str::to_owned)).collect();
            found.sort();
            wanted.sort_unstable();
            assert_eq!(
                (found.iter().map(String::as_str).collect(), broken),
                (wanted, false),
                "{text}"
            );
        }
    }

    #[test]
    fn unterminated_parts_are_reported_and_end() {
        let deep = "$(".repeat(100_000);
        let bomb = format!("A=xxxxxxxxxx\n{}x $A", "A=$A$A$A$A$A$A$A$A$A$A\n".repeat(40));
        for text in ["x 'a", "x \"a", "x $'a", "x $(a", "x `a", "x ${a", "x <<E\na", "x \\", &deep]
        {
            assert!(words(text).1, "{}", &text[..8.min(text.len())]);
        }
        assert!(words(&bomb).0.iter().all(|word| word.len() <= MOST_PUT_IN));
    }

    /// Reads a word as a shell does.
    fn printed(shell: &str, word: &str) -> Option<String> {
        let mut command = process::Command::new(shell);
        command.env_clear().env("LC_ALL", "C.UTF-8").args(["-c", &format!("printf %s {word}")]);
        let output = command.output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// A part of a word in one kind of quotes.
    fn part() -> impl Strategy<Value = String> {
        prop_oneof![
            "'[a \"\\\\$#\n]{0,4}'",
            "\"([a '#]|\\\\\\\\|\\\\\"|\\\\a|\\\\\n|\\\\[$]){0,4}\"",
            "\\\\[a'\" $#\\\\;]",
            "[a=,.%é]{1,3}",
            Just("\\\n".to_owned()),
        ]
    }

    proptest! {
        #[test]
        fn words_are_what_shells_make_of_them(
            parts in prop::collection::vec(part(), 1..6),
            ansi in "([a\"#é]|\\\\n|\\\\'|\\\\x41|\\\\101|\\\\u00e9|\\\\\\\\|\\\\q){0,4}",
        ) {
            let plain = parts.concat();
            for (shell, word) in [("dash", plain.clone()), ("bash", format!("{plain}$'{ansi}'"))] {
                let Some(expected) = printed(shell, &word) else { continue };
                let (words, broken) = words(&format!("x {word}"));
                prop_assert!(!broken && words.len() <= 2, "{}", word);
                prop_assert_eq!(words.get(1).cloned().unwrap_or_default(), expected, "{} in {}", word, shell);
            }
        }

        #[test]
        fn any_text_is_read_to_its_end(text in "[a'\"`$(){}<>|;&#=\\\\ \n-]{0,60}") {
            let (commands, _) = Shell::new(text.as_bytes(), ExpansionFactor::default()).commands(Span::new(0, text.len()));
            for word in commands.iter().flat_map(|command| &command.words) {
                prop_assert!(word.span.end <= text.len());
                prop_assert_eq!(word.map.inner_len(), word.text.len());
            }
        }
    }
}
