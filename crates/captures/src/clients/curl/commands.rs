//! Cuts a script into commands and their words (POSIX.1-2024, Shell Command Language, sections 2.2 and 2.3; bash for `$'…'`). Words
//! for `cmd.exe` have other quotes.
//!
//! Nothing is run: an expansion or a substitution is the placeholder `{{$}}`. Only a call reaches over several lines, so that a
//! quote in other text hides none.

use super::words::{ShellWord, UNKNOWN, ansi_c, name_length};
use crate::names::{NAMES, is_one_of};
use sundown_text_json::text::Span;

/// The characters that have a meaning in a word, or end it.
const SPECIAL: &[u8] = b" \t\r\n;&|<>()'\"$`\\";

/// A command.
#[derive(Debug, Default)]
pub(super) struct ShellCommand {
    pub words: Vec<ShellWord>,
    /// The index of the word that names curl, if the command calls it.
    pub call: Option<usize>,
    /// Whether it only speaks of programs.
    pub is_mention: bool,
}

/// Reads the commands of a line.
#[derive(Default)]
pub(super) struct CommandLine<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The end of the part of the file.
    end: usize,
    command: ShellCommand,
    word: Option<ShellWord>,
    /// The character that opened the quotes around the text: `$` for `$'…'`, `^` for quotes of `cmd` with escapes; 0 without quotes.
    quote: u8,
    /// The characters that end the substitutions and groups around the command, the innermost last, each with the quotes around it.
    closers: Vec<(u8, u8)>,
    /// Whether the next word is the target of a redirection.
    is_target: bool,
    pub commands: Vec<ShellCommand>,
    /// Substitutions that are read as placeholders. There may be commands in them.
    pub unread: Vec<Span>,
    /// A call with a part that has no end.
    pub broken: Option<Span>,
}

impl<'a> CommandLine<'a> {
    /// Reads the line that begins a part of a file. A call in it may end in a later line; the rest of the part follows.
    pub(super) fn read(bytes: &'a [u8], part: Span, is_cmd: bool) -> (Self, Span) {
        let mut line = Self {
            bytes,
            at: part.start,
            end: part.end,
            ..Self::default()
        };
        while let Some((&byte, next)) = line.rest().split_first() {
            // Quoted text has no calls.
            let is_in_call = line.quote != 0 && line.command.call.is_some();
            if byte == b'\n' && (is_cmd || !is_in_call || begins_call(next)) {
                break;
            }
            if is_cmd {
                line.cmd_step();
            } else {
                line.step(byte);
            }
        }
        if line.quote != 0 && line.command.call.is_some() {
            let start = line
                .command
                .words
                .first()
                .map_or(line.at, |word| word.span.start);
            line.broken = Some(Span::new(start, line.at));
        } else {
            line.end_command(0);
        }
        let rest = Span::new((line.at + 1).min(part.end), part.end);
        (line, rest)
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..self.end).unwrap_or_default()
    }

    /// Adds text to the word, for so many bytes of the file. Quotes make a word even of nothing.
    fn push(&mut self, text: &[u8], length: usize) {
        let from = Span::new(self.at, (self.at + length).min(self.end));
        let word = self.word.get_or_insert_default();
        if word.span.is_empty() {
            word.span = from;
        }
        if !text.is_empty() {
            word.push(text, from);
        }
        self.at = from.end;
    }

    /// Begins or ends quotes.
    fn quote(&mut self, quote: u8, length: usize) {
        self.quote = quote;
        self.push(b"", length);
    }

    /// Ends a word, and skips so many bytes after it.
    fn end_word(&mut self, skipped: usize) {
        if let Some(mut word) = self.word.take() {
            word.span.end = self.at;
            if !std::mem::take(&mut self.is_target) {
                self.command.push(word);
            }
        }
        self.at += skipped;
    }

    fn end_command(&mut self, skipped: usize) {
        self.end_word(skipped);
        self.is_target = false;
        let command = std::mem::take(&mut self.command);
        self.commands
            .extend((!command.words.is_empty()).then_some(command));
    }

    /// Reads the next character, or several without a meaning.
    fn step(&mut self, byte: u8) {
        let rest = self.rest();
        match (self.quote, rest) {
            (b'\'' | b'$', [b'\'', ..]) | (b'"', [b'"', ..]) => self.quote(0, 1),
            (b'$', [b'\\', ..]) => {
                let (decoded, length) = ansi_c(rest);
                self.push(&decoded, length);
            }
            (b'\'' | b'$', _) => self.plain(),
            (0, _) if self.closers.last().is_some_and(|last| last.0 == byte) => {
                self.end_command(1);
                let (_, outer_quote) = self.closers.pop().unwrap_or_default();
                self.quote = outer_quote;
            }
            // In fish. POSIX has no bracket there.
            (0, [b'(', ..]) if self.command.call.is_some() => self.expansion(rest),
            (0, [b'(', ..]) => {
                self.end_command(1);
                self.closers.push((b')', 0));
            }
            (0, [b'\'' | b'"', ..]) => self.quote(byte, 1),
            (0, [b'$', b'\'', ..]) => self.quote(b'$', 2),
            (0, [b'$', b'"', ..]) => self.at += 1,
            (_, [b'\\', b'\n', ..]) => self.at += 2,
            (_, [b'\\', b'\r', b'\n', ..]) => self.at += 3,
            // The next line is missing.
            (0, [b'\\']) => self.quote(byte, 1),
            (0, [b'\\', escaped, ..])
            | (_, [b'\\', escaped @ (b'"' | b'$' | b'`' | b'\\'), ..]) => {
                self.push(&[*escaped], 2);
            }
            (_, [b'$' | b'`', ..]) | (0, [b'<' | b'>', b'(', ..]) => self.expansion(rest),
            (0, [b' ' | b'\t' | b'\r', ..]) => self.end_word(1),
            (0, [b';' | b'&' | b'|' | b')', ..]) => self.end_command(1),
            (0, [b'<' | b'>', ..]) => self.redirection(rest),
            (0, [b'#', ..]) if self.word.is_none() => {
                self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            }
            _ => self.plain(),
        }
    }

    /// Reads text without a meaning, and at least one character.
    fn plain(&mut self) {
        let rest = self.rest();
        let length = rest.iter().position(|byte| SPECIAL.contains(byte));
        let length = length.unwrap_or(rest.len()).max(1);
        self.push(rest.get(..length).unwrap_or_default(), length);
    }

    /// Reads an expansion or a substitution, whose value is not known. Outside of calls, a substitution has commands of the script.
    fn expansion(&mut self, rest: &[u8]) {
        let (closer, skipped) = match rest {
            [b'`', ..] => (b'`', 1),
            [_, b'(', ..] => (b')', 2),
            _ => (0, 0),
        };
        if closer != 0 && self.command.call.is_none() {
            self.end_command(skipped);
            let outer_quote = std::mem::take(&mut self.quote);
            self.closers.push((closer, outer_quote));
            return;
        }
        // A bracket alone is one of fish, on one line.
        let is_in_line = self.command.call.is_none() || rest.starts_with(b"(");
        let line = memchr::memchr(b'\n', rest).filter(|_| is_in_line);
        let text = rest.get(..line.unwrap_or(rest.len())).unwrap_or_default();
        let length = match text {
            [b'`', inside @ ..] => memchr::memchr(b'`', inside).map(|length| length + 2),
            [b'(', ..] => closed_length(text),
            [_, inside @ ..] if matches!(inside, [b'(' | b'{', ..]) => {
                closed_length(inside).map(|length| length + 1)
            }
            [_, byte, ..] if b"0123456789@*#?$!-".contains(byte) => Some(2),
            _ => Some(1 + name_length(text.get(1..).unwrap_or_default())),
        };
        match length {
            Some(1) => self.push(b"$", 1),
            Some(length) => {
                self.unread.push(Span::new(self.at, self.at + length));
                self.push(UNKNOWN, length);
            }
            // Its end is missing.
            None if rest.starts_with(b"(") => self.push(b"(", 1),
            None => self.quote(b'\\', text.len()),
        }
    }

    /// Reads a redirection up to its target. A number before it is that of a file.
    fn redirection(&mut self, rest: &[u8]) {
        let is_number = |word: &mut ShellWord| word.bytes().iter().all(u8::is_ascii_digit);
        self.word.take_if(is_number);
        let operator = rest.iter().take_while(|byte| b"<>&|-".contains(byte));
        self.end_word(operator.count());
        self.is_target = true;
    }

    /// Reads the next character for `cmd.exe`, as browsers write it: quotes that are escaped have escapes in them, and others have
    /// none.
    fn cmd_step(&mut self) {
        let quote = self.quote;
        let (byte, caret) = self.cmd_byte(self.at);
        let (second, more) = self.cmd_byte(self.at + caret + 1);
        match byte {
            // A program reads two quotes in quotes as one that is text.
            b'\\' | b'"' if quote != 0 && (second == b'"' || second == byte) => {
                self.push(&[second], caret + more + 2);
            }
            b'"' if quote != 0 => self.quote(0, caret + 1),
            b'"' => self.quote(if caret == 0 { b'"' } else { b'^' }, caret + 1),
            b' ' | b'\t' | b'\r' if quote == 0 => self.end_word(caret + 1),
            b'&' | b'|' if quote == 0 => self.end_command(caret + 1),
            b'%' if caret == 0 => match variable_length(self.rest()) {
                Some(length) => self.push(UNKNOWN, length),
                None => self.push(b"%", 1),
            },
            _ => self.push(&[byte], caret + 1),
        }
    }

    /// The next character, and the length of the caret before it. After a caret, one line break is removed.
    fn cmd_byte(&self, at: usize) -> (u8, usize) {
        let rest = self.bytes.get(at..self.end).unwrap_or_default();
        let caret = match rest {
            _ if self.quote == b'"' => 0,
            [b'^', b'\n', ..] => 2,
            [b'^', b'\r', b'\n', b'\r', ..] => 4,
            [b'^', b'\r', ..] => 3,
            [b'^', ..] => 1,
            _ => 0,
        };
        (rest.get(caret).copied().unwrap_or_default(), caret)
    }
}

impl ShellCommand {
    fn push(&mut self, word: ShellWord) {
        if self.call.is_none() && !self.is_mention {
            let is_call = matches!(word.program(), b"curl" | b"curl.exe");
            // `command -v curl`
            let is_test = self
                .words
                .last()
                .is_some_and(|last| last.bytes().eq_ignore_ascii_case(b"-v"));
            self.is_mention = is_call && is_test || is_one_of(word.bytes(), &NAMES.mentions);
            self.call = (is_call && !is_test).then_some(self.words.len());
        }
        self.words.push(word);
    }
}

/// Whether a line calls curl, after blanks and the prompt of a terminal.
pub(super) fn begins_call(line: &[u8]) -> bool {
    let blanks = line.iter().take_while(|byte| b" \t".contains(byte)).count();
    let line = line.get(blanks..).unwrap_or_default();
    let command = line.strip_prefix(b"$ ").unwrap_or(line);
    command.starts_with(b"curl ")
}

/// The length of a text up to the bracket that closes its first one.
fn closed_length(text: &[u8]) -> Option<usize> {
    let open = text.first().copied()?;
    let close = if open == b'(' { b')' } else { b'}' };
    let mut depth = 0usize;
    let end = text.iter().position(|&byte| {
        depth += usize::from(byte == open);
        depth -= usize::from(byte == close);
        depth == 0
    });
    end.map(|end| end + 1)
}

/// The length of `%NAME%` at the beginning. The escapes of a URL are no name.
fn variable_length(text: &[u8]) -> Option<usize> {
    let length = name_length(text.get(1..)?);
    let name = text.get(1..1 + length)?;
    let first = name.get(..2)?;
    let is_escape = first.iter().all(u8::is_ascii_hexdigit)
        && (length == 2 || first.iter().any(u8::is_ascii_digit));
    (text.get(1 + length) == Some(&b'%') && !is_escape).then_some(length + 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::process;

    fn commands(text: &str) -> (Vec<ShellCommand>, bool) {
        let (mut commands, mut is_broken) = (Vec::new(), false);
        let mut rest = Span::new(0, text.len());
        while !rest.is_empty() {
            let line;
            (line, rest) = CommandLine::read(text.as_bytes(), rest, false);
            is_broken |= line.broken.is_some();
            commands.extend(line.commands);
        }
        (commands, is_broken)
    }

    fn words(text: &str) -> (Vec<String>, bool) {
        let (commands, is_broken) = commands(text);
        let words = commands.into_iter().flat_map(|command| command.words);
        let text = |word: ShellWord| String::from_utf8_lossy(word.bytes()).into_owned();
        (words.map(text).collect(), is_broken)
    }

    #[test]
    fn what_only_running_would_show_is_a_placeholder() {
        for (text, read) in [
            (
                "curl $a ${a}/b \"$a\"'$a'\\$a ${a:-{b}} $1 $(($a + 1)) `date`",
                "curl {{$}} {{$}}/b {{$}}$a$a {{$}} {{$}} {{$}} {{$}}",
            ),
            (
                "curl \"$(echo \"a b\")\" x$(cat f)y <(z) > /dev/null 2>&1 < f $",
                "curl {{$}} x{{$}}y {{$}} $",
            ),
            ("A=b\nx=\"$(curl a)\" c", "A=b x= curl a  c"),
            ("x=`curl a` && curl 'b", "x= curl a"),
        ] {
            assert_eq!(words(text).0.join(" "), read, "{text}");
        }
    }

    #[test]
    fn unterminated_calls_are_reported_and_other_commands_end_with_the_line() {
        for text in ["'a", "\"a", "$'a", "$(a", "`a", "${a", "\\"] {
            assert!(words(&format!("curl {text}")).1, "{text}");
            let (found, is_broken) = words(&format!("x {text}\ncurl b\n"));
            assert!(
                found.ends_with(&["curl".to_owned(), "b".to_owned()]) && !is_broken,
                "{text}"
            );
        }
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
                let (words, broken) = words(&format!("curl {word}"));
                prop_assert!(!broken && words.len() <= 2, "{}", word);
                prop_assert_eq!(words.get(1).cloned().unwrap_or_default(), expected, "{} in {}", word, shell);
            }
        }

        #[test]
        fn any_text_is_read_to_its_end(text in "[a'\"`$(){}<>|;&#=\\\\ \n-]{0,60}") {
            let text = text.replace("a=", "curl ");
            let (commands, _) = commands(&text);
            for word in commands.iter().flat_map(|command| &command.words) {
                prop_assert!(word.span.end <= text.len());
                prop_assert_eq!(word.text.map.inner_len(), word.bytes().len());
            }
        }
    }
}
