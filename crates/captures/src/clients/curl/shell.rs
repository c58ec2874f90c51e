//! Cuts a script into its commands: quoting, continuations, here-documents, and known variables (POSIX.1-2024, Shell Command
//! Language, sections 2.2 to 2.7; bash for `$'…'` and `<<<`). Words for `cmd.exe` have other quotes.
//!
//! Nothing is run. A value that only running would show is the unknown variable `{{$}}`.

use std::collections::HashMap;

use super::words::{ShellCommand, ShellWord, UNKNOWN, ansi_c};
use sundown_text_json::text::{ExpansionFactor, Span};

/// The largest nesting of substitutions.
const MAX_NESTED: usize = 32;

/// The largest total size of the known values that are inserted.
const MAX_INSERTED: usize = 8 * 1024 * 1024;

/// The characters that have a meaning in a word, or end it.
const SPECIAL: &[u8] = b" \t\r\n;&|<>()'\"$`\\";

/// Reads commands.
#[derive(Default)]
pub(super) struct Shell<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
    /// Whether the commands are for `cmd.exe`.
    pub(super) is_cmd: bool,
    /// The closing character of the innermost substitution, and the number of those around it.
    closer: Option<u8>,
    depth: usize,
    /// The variables that have been assigned.
    known: HashMap<&'a [u8], ShellWord>,
    inserted: usize,
    max_inserted: usize,
    commands: Vec<ShellCommand>,
    /// The beginning of a part without an end, and the position up to which its end was searched.
    broken: Option<Span>,
}

struct HereDocument {
    delimiter: Vec<u8>,
    is_quoted: bool,
    has_tabs: bool,
    /// The index of the command that reads it, once that has been read.
    command: Option<usize>,
}

/// What a text is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quoting {
    Nothing,
    Single,
    Double,
    /// `$'…'`
    Ansi,
    Document,
}

impl<'a> Shell<'a> {
    pub(super) fn new(bytes: &'a [u8], expansion: ExpansionFactor) -> Self {
        Self {
            bytes,
            max_inserted: expansion.times(MAX_INSERTED),
            ..Self::default()
        }
    }

    /// Reads the commands in a part of the file, in order. One without an end is included, and reported.
    pub(super) fn commands(&mut self, within: Span) -> (Vec<ShellCommand>, Option<Span>) {
        (self.at, self.end, self.broken) = (within.start, within.end, None);
        (self.closer, self.depth) = (None, 0);
        self.list();
        let mut commands = std::mem::take(&mut self.commands);
        commands.sort_by_key(|command| command.words.first().map(|word| word.span.start));
        (commands, self.broken)
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..self.end).unwrap_or_default()
    }

    /// The next character, unless something has no end.
    fn next(&self) -> Option<u8> {
        self.rest()
            .first()
            .copied()
            .filter(|_| self.broken.is_none())
    }

    /// The length of an escape character with the line break that it removes.
    fn continuation(&self) -> usize {
        let escape = if self.is_cmd { b'^' } else { b'\\' };
        match self.rest().strip_prefix(&[escape]) {
            Some([b'\n', ..]) => 2,
            Some([b'\r', b'\n', ..]) => 3,
            _ => 0,
        }
    }

    fn no_end(&mut self, start: usize) {
        self.broken = self.broken.or(Some(Span::new(start, self.at.max(start))));
    }

    /// Reads commands up to the end of the innermost substitution.
    fn list(&mut self) {
        let start = self.at;
        let mut command = ShellCommand::default();
        let mut documents = Vec::new();
        let mut open = 0usize;
        while let Some(byte) = self.next() {
            match byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                _ if self.continuation() > 0 => self.at += self.continuation(),
                b'#' => self.at += memchr::memchr(b'\n', self.rest()).unwrap_or(self.rest().len()),
                b'\n' => {
                    self.at += 1;
                    self.finish(&mut command, &mut documents);
                    for document in documents.drain(..) {
                        self.here_document(&document);
                    }
                }
                b')' | b'`' if self.closer == Some(byte) && open == 0 => {
                    self.at += 1;
                    return self.finish(&mut command, &mut documents);
                }
                b';' | b'&' | b'|' | b'(' | b')' => {
                    self.at += 1;
                    open = (open + usize::from(byte == b'('))
                        .saturating_sub(usize::from(byte == b')'));
                    self.finish(&mut command, &mut documents);
                }
                b'<' | b'>' => self.redirection(&mut command, &mut documents),
                _ => self.argument(&mut command),
            }
        }
        self.finish(&mut command, &mut documents);
        if self.closer.is_some() {
            self.no_end(start);
        }
    }

    /// Ends a command. Its here-documents follow the line.
    fn finish(&mut self, command: &mut ShellCommand, documents: &mut [HereDocument]) {
        for document in documents {
            document.command.get_or_insert(self.commands.len());
        }
        let done = std::mem::take(command);
        self.commands
            .extend((!done.words.is_empty()).then_some(done));
    }

    /// Reads a word of a command, or an assignment before it.
    fn argument(&mut self, command: &mut ShellCommand) {
        let rest = self.rest();
        let first = command.words.first().map(|word| word.text.as_slice());
        let assigns = matches!(
            first,
            None | Some(b"export" | b"local" | b"readonly" | b"declare" | b"typeset")
        );
        let (name, behind) = rest.split_at(name_length(rest));
        if assigns && !name.is_empty() && behind.starts_with(b"=") {
            self.at += name.len() + 1;
            let value = self.word();
            self.known.insert(name, value);
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
        let start = self.at;
        command
            .words
            .pop_if(|word| word.span.end == start && word.text.iter().all(u8::is_ascii_digit));
        if let [b'<' | b'>', b'(', ..] = self.rest() {
            let mut word = ShellWord::default();
            self.substitution(&mut word, b')');
            word.span = Span::new(start, self.at);
            return command.words.push(word);
        }
        let operator = self.rest();
        let is_document = operator.starts_with(b"<<") && !operator.starts_with(b"<<<");
        // The delimiter of a here-document may begin with hyphens.
        let length = match operator {
            [_, _, b'-', ..] if is_document => 3,
            _ if is_document => 2,
            _ => operator
                .iter()
                .take_while(|byte| b"<>&|-".contains(byte))
                .count(),
        };
        self.at += length;
        self.at += self
            .rest()
            .iter()
            .take_while(|byte| b" \t".contains(byte))
            .count();
        let from = self.at;
        if self.next().is_none_or(|byte| b"\r\n;()".contains(&byte)) {
            return;
        }
        let word = self.word();
        if operator.starts_with(b"<<<") {
            command.input = Some(word);
        } else if operator.starts_with(b"<<") {
            let raw = Span::new(from, self.at).slice(self.bytes);
            documents.push(HereDocument {
                delimiter: word.text,
                is_quoted: raw.iter().any(|byte| b"'\"\\".contains(byte)),
                has_tabs: operator.starts_with(b"<<-"),
                command: None,
            });
        }
    }

    /// Reads the lines up to the delimiter, as the input of the command.
    fn here_document(&mut self, document: &HereDocument) {
        let start = self.at;
        let end = self.end;
        let mut word = ShellWord {
            span: Span::new(start, end),
            ..ShellWord::default()
        };
        let mut found = false;
        while self.at < end && !found {
            (word.span.end, found) = (self.at, self.is_delimiter(document));
            self.at +=
                memchr::memchr(b'\n', self.rest()).map_or(self.rest().len(), |length| length + 1);
        }
        if !found {
            word.span.end = end;
            self.no_end(start);
        } else if document.is_quoted {
            word.copy(self.bytes, word.span);
        } else {
            let behind = std::mem::replace(&mut self.at, start);
            self.end = word.span.end;
            self.text(&mut word, Quoting::Document);
            (self.at, self.end) = (behind, end);
        }
        if let Some(command) = document.command.and_then(|at| self.commands.get_mut(at)) {
            command.input = Some(word);
        }
    }

    /// Whether the line is the end of a here-document.
    fn is_delimiter(&self, document: &HereDocument) -> bool {
        let line = self.rest();
        let tabs = line
            .iter()
            .take_while(|&&byte| byte == b'\t' && document.has_tabs)
            .count();
        let line = line
            .get(tabs..)
            .and_then(|line| line.strip_prefix(&*document.delimiter));
        matches!(line, Some([] | [b'\n', ..] | [b'\r'] | [b'\r', b'\n', ..]))
    }

    fn word(&mut self) -> ShellWord {
        let start = self.at;
        let mut word = ShellWord::default();
        if self.is_cmd {
            self.cmd_text(&mut word);
        } else {
            self.text(&mut word, Quoting::Nothing);
        }
        word.span = Span::new(start, self.at);
        word
    }

    /// Reads text for `cmd.exe`, as browsers write it: quotes that are escaped have escapes in them, and others have none.
    fn cmd_text(&mut self, word: &mut ShellWord) {
        let start = self.at;
        let mut open = None;
        while self.next().is_some() {
            let is_literal = open == Some(0);
            let (byte, caret) = self.cmd_byte(self.at, is_literal);
            let end = (self.at + caret + 1).min(self.end);
            let (second, more) = self.cmd_byte(end, is_literal);
            let (text, end) = match (byte, second) {
                // A program reads two quotes in quotes as one that is text.
                (b'\\', b'"' | b'\\') | (b'"', b'"') if open.is_some() => (second, end + more + 1),
                (b'"', _) => {
                    open = open.xor(Some(caret));
                    self.at = end;
                    continue;
                }
                (b'\n', _) if caret == 0 => break,
                _ if open.is_none() && b" \t\r\n&|".contains(&byte) => break,
                _ => (byte, end),
            };
            word.push(&[text], Span::new(self.at, end));
            self.at = end;
        }
        if open.is_some() {
            self.no_end(start);
        }
    }

    /// The next character, and the length of the caret before it. After a caret, one line break is removed.
    fn cmd_byte(&self, at: usize, is_literal: bool) -> (u8, usize) {
        let rest = self.bytes.get(at..self.end).unwrap_or_default();
        let caret = match rest {
            _ if is_literal => 0,
            [b'^', b'\n', ..] => 2,
            [b'^', b'\r', b'\n', b'\r', ..] => 4,
            [b'^', b'\r', ..] => 3,
            [b'^', ..] => 1,
            _ => 0,
        };
        (rest.get(caret).copied().unwrap_or_default(), caret)
    }

    /// Reads text up to the end of what it is in.
    fn text(&mut self, word: &mut ShellWord, within: Quoting) {
        // In `$'…'`, a zero byte ends the text, though not the quotes.
        let mut has_ended = false;
        while let Some(byte) = self.next() {
            let second = self.rest().get(1).copied();
            match (within, byte) {
                (Quoting::Single | Quoting::Ansi, b'\'') | (Quoting::Double, b'"') => return,
                (Quoting::Single | Quoting::Ansi | Quoting::Double, b'\n')
                    if self.rest().get(1..).is_some_and(begins_call) =>
                {
                    // Quoted text has no calls.
                    self.at += memchr::memchr(b'c', self.rest()).unwrap_or_default();
                    return;
                }
                (Quoting::Ansi, b'\\') => {
                    let (decoded, length) = ansi_c(self.rest());
                    has_ended |= decoded == [0];
                    if !has_ended {
                        word.push(&decoded, Span::new(self.at, self.at + length));
                    }
                    self.at += length;
                }
                (Quoting::Ansi, _) if has_ended => self.at += 1,
                (Quoting::Single | Quoting::Ansi, _) => self.plain(word),
                (Quoting::Nothing, _) if b" \t\r\n;&|<>()".contains(&byte) => return,
                (Quoting::Nothing, b'`') if self.closer == Some(b'`') => return,
                (Quoting::Nothing, b'\'') => self.quoted(word, Quoting::Single),
                (Quoting::Nothing, b'"') => self.quoted(word, Quoting::Double),
                (Quoting::Nothing, b'$') if second == Some(b'\'') => {
                    self.quoted(word, Quoting::Ansi);
                }
                (Quoting::Nothing, b'$') if second == Some(b'"') => self.at += 1,
                (_, b'\\') => self.escaped(word, within),
                (_, b'`') => self.substitution(word, b'`'),
                (_, b'$') => self.expansion(word),
                _ => self.plain(word),
            }
        }
    }

    /// Reads text without a meaning, and at least one character.
    fn plain(&mut self, word: &mut ShellWord) {
        let rest = self.rest();
        let length = rest
            .iter()
            .position(|byte| SPECIAL.contains(byte))
            .unwrap_or(rest.len());
        let part = Span::new(self.at, self.at + length.max(1));
        word.copy(self.bytes, part);
        self.at = part.end;
    }

    /// Reads text in quotes. Without an end, reading stops at the end of the file, or where another call begins.
    fn quoted(&mut self, word: &mut ShellWord, quoting: Quoting) {
        let start = self.at;
        self.at += 1 + usize::from(quoting == Quoting::Ansi);
        self.text(word, quoting);
        match self.next() {
            Some(b'\'' | b'"') => self.at += 1,
            _ => self.no_end(start),
        }
    }

    /// Reads a backslash outside of single quotes: the next character, or nothing at the end of a line.
    fn escaped(&mut self, word: &mut ShellWord, within: Quoting) {
        let removed = self.continuation();
        let escaped = self.rest().get(1).copied();
        match (within, escaped) {
            _ if removed > 0 => self.at += removed,
            (Quoting::Nothing, None) => {
                self.at += 1;
                self.no_end(self.at - 1);
            }
            (Quoting::Nothing, Some(byte))
            | (Quoting::Double, Some(byte @ b'"'))
            | (_, Some(byte @ (b'$' | b'`' | b'\\'))) => {
                word.push(&[byte], Span::new(self.at, self.at + 2));
                self.at += 2;
            }
            _ => self.plain(word),
        }
    }

    /// Reads an expansion, and inserts its value if that is known.
    fn expansion(&mut self, word: &mut ShellWord) {
        let start = self.at;
        let rest = self.rest();
        let inside = rest.get(1..).unwrap_or_default();
        let length = match inside {
            [b'(', b'(', ..] => memchr::memmem::find(rest, b"))").map(|length| length + 2),
            [b'(', ..] => return self.substitution(word, b')'),
            [b'{', ..] => brace_end(rest),
            [byte, ..] if b"0123456789@*#?$!-".contains(byte) => Some(2),
            _ => Some(1 + name_length(inside)),
        };
        let Some(length) = length else {
            self.at = self.end;
            return self.no_end(start);
        };
        if length == 1 {
            return self.plain(word);
        }
        let (name, default) = match inside.strip_prefix(b"{") {
            Some(braced) => parameter(braced.get(..length - 3).unwrap_or_default()),
            None => (inside.get(..name_length(inside)).unwrap_or_default(), None),
        };
        self.at += length;
        let room = self.max_inserted.saturating_sub(self.inserted);
        match (
            self.known
                .get(name)
                .filter(|value| value.text.len() <= room),
            default,
        ) {
            (Some(value), _) => {
                self.inserted += value.text.len().max(1);
                word.append(value);
            }
            (None, Some(text)) => {
                word.copy(self.bytes, Span::new(self.at - 1 - text.len(), self.at - 1));
            }
            (None, None) => word.push(UNKNOWN, Span::new(start, self.at)),
        }
    }

    /// Reads the commands of `$(…)`, `<(…)` or a text in backquotes. What they print is not known.
    fn substitution(&mut self, word: &mut ShellWord, closer: u8) {
        let start = self.at;
        self.at += 1 + usize::from(closer == b')');
        if self.depth >= MAX_NESTED {
            return self.no_end(start);
        }
        let outer = self.closer.replace(closer);
        self.depth += 1;
        self.list();
        self.depth -= 1;
        self.closer = outer;
        word.push(UNKNOWN, Span::new(start, self.at));
    }
}

/// Whether a line calls curl, after blanks.
pub(super) fn begins_call(line: &[u8]) -> bool {
    let blanks = line.iter().take_while(|byte| b" \t".contains(byte)).count();
    line.get(blanks..)
        .is_some_and(|line| line.starts_with(b"curl "))
}

/// Whether a word, as it is written, is a variable and nothing else.
fn is_variable(raw: &[u8]) -> bool {
    let Some(name) = raw.strip_prefix(b"$") else {
        return false;
    };
    let name = name
        .strip_prefix(b"{")
        .and_then(|name| name.strip_suffix(b"}"))
        .unwrap_or(name);
    !name.is_empty() && name_length(name) == name.len()
}

/// The name in `${…}`, and the default that applies if it is not known. Other forms of expansions have no name.
fn parameter(inside: &[u8]) -> (&[u8], Option<&[u8]>) {
    let (name, behind) = inside.split_at(name_length(inside));
    let default = behind
        .strip_prefix(b":-")
        .or_else(|| behind.strip_prefix(b"-"))
        .filter(|text| !text.iter().any(|byte| b"$`\\'\"".contains(byte)));
    let is_plain = behind.is_empty() || default.is_some() || behind.starts_with(b":?");
    (if is_plain { name } else { &[] }, default)
}

/// The length of the name at the beginning.
fn name_length(text: &[u8]) -> usize {
    if text.first().is_some_and(u8::is_ascii_digit) {
        return 0;
    }
    text.iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
        .count()
}

/// The length of `${…}` at the beginning.
fn brace_end(text: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(at + 1),
            b'}' => depth = depth.checked_sub(1)?,
            b'\n' => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::process;

    fn words(text: &str) -> (Vec<String>, bool) {
        let (commands, broken) = Shell::new(text.as_bytes(), ExpansionFactor::default())
            .commands(Span::new(0, text.len()));
        let words = commands.into_iter().flat_map(|command| command.words);
        let text = |word: ShellWord| String::from_utf8_lossy(&word.text).into_owned();
        (words.map(text).collect(), broken.is_some())
    }

    #[test]
    fn what_only_running_would_show_is_a_variable() {
        for (text, read) in [
            (
                "a=1; x $a ${a} ${b:-c} ${a##*/} $1 $(($a + 1)) `date`",
                "x 1 1 c {{$}} {{$}} {{$}} date {{$}}",
            ),
            (
                "x \"$(echo \"a b\")\" $(cat f) <(y) > /dev/null 2>&1",
                "echo a b cat f y x {{$}} {{$}} {{$}}",
            ),
            ("export A=b\nx \"$A\" '$A' \\$A $", "export x b $A $A $"),
        ] {
            let (mut found, broken) = words(text);
            let mut wanted: Vec<_> = read.split(' ').collect();
            // Nested commands come in the order of their words.
            found = found
                .iter()
                .flat_map(|word| word.split(' ').map(str::to_owned))
                .collect();
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
        let bomb = format!(
            "A=xxxxxxxxxx\n{}x $A",
            "A=$A$A$A$A$A$A$A$A$A$A\n".repeat(40)
        );
        for text in [
            "x 'a", "x \"a", "x $'a", "x $(a", "x `a", "x ${a", "x <<E\na", "x \\", &deep,
        ] {
            assert!(words(text).1, "{}", &text[..8.min(text.len())]);
        }
        assert!(words(&bomb).0.iter().all(|word| word.len() <= MAX_INSERTED));
    }

    /// Reads a word as a shell does.
    fn printed(shell: &str, word: &str) -> Option<String> {
        let mut command = process::Command::new(shell);
        command
            .env_clear()
            .env("LC_ALL", "C.UTF-8")
            .args(["-c", &format!("printf %s {word}")]);
        let output = command.output().ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
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
