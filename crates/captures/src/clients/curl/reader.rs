//! Recognises files with calls of curl, and reads them.

use super::call::{CurlCall, is_only_mentioned};
use super::shell::{Shell, begins_call};
use super::words::{ShellCommand, ShellWord, UNKNOWN};
use crate::file_head::{FileHead, contains};
use crate::limits::Limits;
use crate::messages::emit;
use sundown_exchange::{Exchange, Reason, Record, RecordSink, Skip};
use sundown_text_json::text::{Block, ExpansionFactor, Span};

/// The number of times that reading restarts after something without an end. Each restart scans to the end of the file.
const MAX_RESTARTS: usize = 64;

/// The beginnings of source code, which may have Markdown blocks in its comments and strings.
const CODE: [&str; 16] = [
    "//", "/*", "#include", "#[", "#!", "import ", "from ", "package ", "use ", "\"\"\"", "'''",
    "<?", "const ", "'use ", "\"use ", "--",
];

/// The programs whose arguments are commands.
const RUNNERS: [&[u8]; 11] = [
    b"sh", b"bash", b"dash", b"zsh", b"ksh", b"ash", b"su", b"runuser", b"eval", b"ssh", b"watch",
];

/// Recognises a shell script, a file that begins with a call, and Markdown with a call in a block.
pub(crate) fn sniff(head: &FileHead<'_>) -> bool {
    head.contains(b"curl") && scripts(head.bytes).is_some()
}

/// The parts of a file that are a shell's commands: all of it, or blocks of Markdown.
fn scripts(bytes: &[u8]) -> Option<Vec<Span>> {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if is_script(text) {
        return Some(vec![Span::new(bytes.len() - text.len(), bytes.len())]);
    }
    let first = text.trim_ascii_start();
    if CODE.iter().any(|begin| first.starts_with(begin.as_bytes())) && !first.starts_with(b"---") {
        return None;
    }
    let found = fences(bytes);
    let is_prose = found.code_lines * 5 <= found.lines;
    let has_call = found
        .blocks
        .iter()
        .map(|block| block.slice(bytes))
        .any(|block| block.split(|&byte| byte == b'\n').any(calls));
    (is_prose && has_call).then_some(found.blocks)
}

/// Whether a line has a call: at its beginning, after a pipe, or as an argument of another command.
fn calls(line: &[u8]) -> bool {
    line.split(|&byte| byte == b'|')
        .any(|command| begins_call(without_prompt(command)))
        || contains(line, b"$(curl ")
}

/// The text of a line without its indentation and the prompt of a terminal.
fn without_prompt(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| b" \t".contains(byte)).count();
    let text = text.get(blanks..).unwrap_or_default();
    text.strip_prefix(b"$ ").unwrap_or(text)
}

/// Recognises a script by the first line of a shell, or a first line that is a call.
fn is_script(text: &[u8]) -> bool {
    let mut lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    if let Some(program) = lines.next().and_then(|line| line.strip_prefix(b"#!")) {
        return program
            .split(|byte| b" \t/".contains(byte))
            .into_iter()
            .any(|word| matches!(word, b"sh" | b"bash" | b"dash" | b"zsh" | b"ksh"));
    }
    let first = text
        .split(|&byte| byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .find(|line| !line.is_empty() && !line.starts_with(b"#"))
        .unwrap_or_default();
    // A line of prose may begin with the name, too, but without an option or a URL after it.
    without_prompt(first)
        .strip_prefix(b"curl ")
        .is_some_and(|arguments| {
            let arguments = arguments.trim_ascii_start();
            arguments.starts_with(b"-") || arguments == b"\\" || contains(arguments, b"://")
        })
}

pub(crate) fn read<'a>(file: Block<'a>, limits: Limits, sink: &mut dyn RecordSink<'a>) {
    let bytes = file.bytes;
    let whole = Span::new(file.text_start(), bytes.len());
    let mut reading = CurlReader::new(bytes, limits);
    for script in scripts(bytes).unwrap_or_else(|| vec![whole]) {
        reading.script(script, sink);
    }
}

/// Reads the calls in a part of another file, which begins with one.
pub(crate) fn in_stretch(bytes: &[u8], within: Span, limits: Limits) -> Vec<Record<'_>> {
    let mut records = Vec::new();
    CurlReader::new(bytes, limits).script(within, &mut |record| records.push(record));
    records
}

struct CurlReader<'a> {
    bytes: &'a [u8],
    shell: Shell<'a>,
    index: usize,
    broken: usize,
}

impl<'a> CurlReader<'a> {
    fn new(bytes: &'a [u8], limits: Limits) -> Self {
        Self {
            bytes,
            shell: Shell::new(bytes, limits.expansion),
            index: 0,
            broken: 0,
        }
    }

    fn script(&mut self, script: Span, sink: &mut dyn RecordSink<'a>) {
        let text = script.slice(self.bytes);
        self.shell.is_cmd = escapes_with(text, b" ^");
        if escapes_with(text, b" `") {
            return sink.skip(
                Skip::at(Reason::UnknownFormat, script)
                    .because("commands for PowerShell are not read"),
            );
        }
        let mut rest = script;
        while !rest.is_empty() {
            let (mut commands, broken) = self.shell.commands(rest);
            let Some(at) = broken else {
                return self.emit(&commands, sink);
            };
            // A command with a part that has no end is not known, and neither are the commands around it.
            let lost = commands
                .iter()
                .position(|command| command.end() >= at.start);
            let cut = lost
                .map(|lost| commands.split_off(lost))
                .unwrap_or_default();
            self.emit(&commands, sink);
            let lost = cut.iter().find(|command| CurlCall::of(command).is_some());
            if let Some(start) = lost.and_then(|command| command.words.first()) {
                let span = Span::new(start.span.start, at.end.max(start.span.start));
                let skip = Skip::at(Reason::Truncated, span);
                sink.skip(skip.because("a quote or here-document has no end"));
            }
            self.broken += 1;
            if self.broken > MAX_RESTARTS {
                let left = Span::new(at.start, script.end);
                return sink.skip(Skip::at(Reason::Truncated, left));
            }
            rest = Span::new(self.next_line(at, script.end), script.end);
        }
    }

    /// Finds the next line that begins with a call, after the beginning of something without an end.
    fn next_line(&self, broken: Span, end: usize) -> usize {
        let text = self.bytes.get(broken.start..end).unwrap_or_default();
        memchr::memchr_iter(b'\n', text)
            .map(|at| broken.start + at + 1)
            .find(|&line| {
                begins_call(without_prompt(
                    self.bytes.get(line..end).unwrap_or_default(),
                ))
            })
            .unwrap_or(end)
    }

    fn emit(&mut self, commands: &[ShellCommand], sink: &mut dyn RecordSink<'a>) {
        for command in commands {
            let Some(call) = CurlCall::of(command) else {
                if let Some((word, because)) = hidden_call(command, self.bytes) {
                    let skip = Skip::at(Reason::NoExchange, word.span).because(because);
                    sink.skip(skip);
                }
                continue;
            };
            let requests = call.requests(self.bytes);
            for span in requests.unknown {
                sink.skip(Skip::at(Reason::NoExchange, span));
            }
            for exchange in requests.exchanges {
                let index = self.index;
                self.index += 1;
                emit(Record::Exchange(Exchange { index, ..exchange }), sink);
            }
        }
    }
}

/// Whether a call in a script has this character of another shell at the end of its line or before its first quote.
fn escapes_with(script: &[u8], character: &[u8]) -> bool {
    script.split(|&byte| byte == b'\n').any(|line| {
        let before_quotes = line.split(|byte| b"'\"".contains(byte)).next();
        let ends = [line.trim_ascii_end(), before_quotes.unwrap_or_default()];
        begins_call(without_prompt(line)) && ends.iter().any(|end| end.ends_with(character))
    })
}

/// A word of a command that may call curl, and why that is not known: `$CURL https://…`, `bash -c "curl …"`, `eval "$command"`.
fn hidden_call<'c>(
    command: &'c ShellCommand,
    file: &[u8],
) -> Option<(&'c ShellWord, &'static str)> {
    let words = &command.words;
    let program = words.first()?;
    if program.is_unknown() && words.iter().any(|word| word.contains(b"://")) {
        return Some((program, "only running the script shows its commands"));
    }
    let runner = words
        .iter()
        .position(|word| RUNNERS.contains(&word.program()))?;
    let (before, arguments) = words.split_at_checked(runner)?;
    if is_only_mentioned(before) {
        return None;
    }
    let mut scripts = arguments.iter().skip(1).chain(&command.input);
    // What a substitution prints is mostly no call: `eval "$(ssh-agent)"`.
    let script = scripts.find(|word| {
        let written = word.span.slice(file);
        word.text.starts_with(UNKNOWN) && !written.iter().any(|byte| b"(`".contains(byte))
            || has_call(&word.text)
    })?;
    Some((
        script,
        "commands in the arguments and the input of other commands are not read",
    ))
}

/// Whether the text of a script has a call, or may have one in a part without an end.
fn has_call(script: &[u8]) -> bool {
    if !contains(script, b"curl ") {
        return false;
    }
    let (commands, broken) =
        Shell::new(script, ExpansionFactor::default()).commands(Span::new(0, script.len()));
    broken.is_some() || commands.iter().any(|one| CurlCall::of(one).is_some())
}

/// The names of shells in info strings. A block without a name may contain anything.
const LANGUAGES: [&str; 15] = [
    "",
    "sh",
    "bash",
    "shell",
    "zsh",
    "ksh",
    "dash",
    "console",
    "terminal",
    "curl",
    "shellscript",
    "shell-session",
    "shellsession",
    "sh-session",
    "http+curl",
];

/// A fence that is open.
struct Fence {
    marker: u8,
    length: usize,
    inside: usize,
    is_shell: bool,
}

/// The parts of a Markdown text.
struct Fences {
    /// The contents of the blocks.
    blocks: Vec<Span>,
    /// Lines of text outside of them that are not blank, and those of them that end as lines of source code do.
    lines: usize,
    code_lines: usize,
}

/// Finds the blocks; one that is open at the end ends there.
fn fences(bytes: &[u8]) -> Fences {
    let mut found = Fences {
        blocks: Vec::new(),
        lines: 0,
        code_lines: 0,
    };
    let mut open: Option<Fence> = None;
    let mut at = 0;
    while at < bytes.len() {
        let end = memchr::memchr(b'\n', bytes.get(at..).unwrap_or_default())
            .map_or(bytes.len(), |length| at + length + 1);
        let line = bytes.get(at..end).unwrap_or_default().trim_ascii();
        let run = line
            .first()
            .map_or(0, |first| line.iter().take_while(|b| *b == first).count());
        let info = line.get(run..).unwrap_or_default();
        let is_fence = run >= 3 && matches!(line.first(), Some(b'`' | b'~'));
        match &open {
            Some(fence) => {
                let closes = is_fence && line.first() == Some(&fence.marker) && run >= fence.length;
                if closes && info.is_empty() {
                    found
                        .blocks
                        .extend(fence.is_shell.then(|| Span::new(fence.inside, at)));
                    open = None;
                }
            }
            None if is_fence && !info.contains(&b'`') => {
                let marker = line.first().copied().unwrap_or_default();
                open = Some(Fence {
                    marker,
                    length: run,
                    inside: end,
                    is_shell: is_shell(info),
                });
            }
            None if !line.is_empty() => {
                found.lines += 1;
                found.code_lines +=
                    usize::from(line.ends_with(b";") || line.ends_with(b"{") || line == b"}");
            }
            None => {}
        }
        at = end;
    }
    let rest = open.filter(|fence| fence.is_shell && fence.inside <= bytes.len());
    found
        .blocks
        .extend(rest.map(|fence| Span::new(fence.inside, bytes.len())));
    found
}

/// Whether the first word after a fence names a shell.
fn is_shell(info: &[u8]) -> bool {
    let info = std::str::from_utf8(info).unwrap_or("?").trim();
    let word = info
        .trim_start_matches(['{', '.'])
        .split([' ', '\t', '{', '}', ',', ':', '='])
        .next()
        .unwrap_or_default();
    LANGUAGES.contains(&word.to_ascii_lowercase().as_str()) && (!word.is_empty() || info.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_one(text: &str) -> bool {
        sniff(&FileHead::new(text.as_bytes(), 0))
    }

    #[test]
    fn scripts_calls_and_markdown_are_distinguished_from_all_else() {
        for text in [
            "#!/bin/sh\nset -eu\ncurl https://h/x\n",
            "#!/usr/bin/env bash\nA=$(curl -s x)\n",
            "\u{feff}# how to\n\ncurl -X POST https://h/x",
            "$ curl \\\n  https://h/x",
            "# API\n\nCall it;\nso:\nor so\nand\nthen\n\n```sh\n$ curl https://h\n```\n",
        ] {
            assert!(is_one(text), "{text}");
        }
        for text in [
            "curl is a tool for transfers\n",
            "#!/usr/bin/env python3\n# curl https://h\n",
            "//! Docs\n//! ```sh\n//! curl https://h\n//! ```\n",
            "//! Docs\nlet x = \"\n```sh\ncurl https://h\n```\n\";\n",
            "class A {\nint b;\n/*\n```\ncurl x\n```\n*/\n}\n",
            "{\"a\": \"curl -X POST\"}",
            "# Title\n\nUse curl.\n\n```json\n{}\n```\n",
            "RUN apt-get install curl\n",
        ] {
            assert!(!is_one(text), "{text}");
        }
    }

    #[test]
    fn blocks_of_shells_are_found_and_no_others() {
        let text = "# T\n```bash\none\n```\n~~~~ console\ntwo\n~~~\n~~~~\n``` json\n{}\n```\n`x`\n```\nthree\n  ```\n```{.sh}\nfour";
        let blocks: Vec<_> = fences(text.as_bytes())
            .blocks
            .into_iter()
            .map(|span| text[span.start..span.end].trim())
            .collect();
        assert_eq!(blocks, ["one", "two\n~~~", "three", "four"]);
    }
}
