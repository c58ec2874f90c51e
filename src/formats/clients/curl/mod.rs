//! Commands of curl, HTTPie, xh and wget: in shell scripts, in code blocks of Markdown, and alone, as browsers copy them.
//!
//! A command is read as the shell and the program read it. Nothing is run: a value that only running would show is not known,
//! and a file that would be sent is not opened.

mod call;
mod client;
mod escapes;
mod fences;
mod form_data;
mod httpie;
mod nested;
mod options;
mod request_json;
mod shell;
mod wget;
mod words;

use crate::formats::file_head::FileHead;
use crate::formats::placeholders::hand_on;
use crate::formats::spec::{
    FormatFamily, FormatReader, FormatSpec, Keeps, MarkSign, ReadUnit, Recognition, common,
    distinctive,
};
use crate::formats::{Limits, Record, RecordSink};
use crate::text::{Block, Span};
use crate::traffic::{Exchange, Reason, Skip};
use client::begins_with_call;
use fences::fences;
use nested::script_of;
use shell::Shell;
use words::{ShellCommand, ShellWord};

/// curl calls in shell scripts, in Markdown code blocks, or alone.
pub(in crate::formats) const CURL: FormatSpec = FormatSpec {
    name: "curl",
    title: "calls of curl, curlie, HTTPie, xh and wget in shell scripts, in Markdown code blocks, or alone",
    family: FormatFamily::Clients,
    recognised: "`#!` and a shell, or a first line that is a call, or a fenced block for a shell with one",
    recognition: Recognition::Sniff(sniff),
    reader: FormatReader::Records(read),
    unit: ReadUnit::File,
    keeps: Keeps::Requests,
    reads: "quoting as in POSIX shells and `$'…'`, continuations, here-documents, pipes from `echo` and `cat`, `$(…)`, assignments; `-X`, `-d` and related options, `--json`, `-G`, `-F`, `-T`, `-H`, `-I`, `--url`, `--next`; the request items of HTTPie; commands in `bash -c`, `eval` and `ssh`",
    limits: "Nothing is run: what only running the script would show is not known. Arguments in arrays, functions and loops are not followed; PowerShell and `cmd` are not read. Only a cut inside quotes, a here-document or a continued line can be detected.",
    is_binary: false,
    endings: &[],
    marks: &[
        common(MarkSign::Line(&["#!", "```"]), "`#!` and a shell, or code block for one"),
        distinctive(MarkSign::Text(&["curl "]), "call of curl"),
    ],
    sample: "formats/curl/calls.md",
};

/// The number of times that reading restarts after something without an end. Each restart scans to the end of the file.
const MOST_BROKEN: usize = 64;

/// The beginnings of source code, which may have Markdown blocks in its comments and strings.
const CODE: [&str; 16] = [
    "//", "/*", "#include", "#[", "#!", "import ", "from ", "package ", "use ", "\"\"\"", "'''",
    "<?", "const ", "'use ", "\"use ", "--",
];

/// The kind of file.
enum CurlSource {
    Script,
    Markdown,
}

/// Recognises a shell script, a file that begins with a call, and Markdown with a call in a block.
fn sniff(head: &FileHead<'_>) -> bool {
    let mut lines = head.bytes.split(|&byte| byte == b'\n');
    let has_call =
        memchr::memmem::find(head.bytes, b"curl").is_some() || lines.any(has_call_in_line);
    has_call && kind(head.bytes).is_some()
}

fn kind(bytes: &[u8]) -> Option<CurlSource> {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if is_script(text) {
        return Some(CurlSource::Script);
    }
    let first = text.trim_ascii_start();
    if CODE.iter().any(|begin| first.starts_with(begin.as_bytes())) && !first.starts_with(b"---") {
        return None;
    }
    let found = fences(bytes);
    let is_prose = found.code_lines * 5 <= found.lines;
    let calls = |block: &Span| {
        block.slice(bytes).split(|&byte| byte == b'\n').any(|line| {
            // On a line of its own, or as an argument of another command.
            has_call_in_line(line) || memchr::memmem::find(line, b"$(curl ").is_some()
        })
    };
    (is_prose && found.blocks.iter().any(calls)).then_some(CurlSource::Markdown)
}

/// Returns whether a command of a pipeline in the line is a call.
fn has_call_in_line(line: &[u8]) -> bool {
    line.split(|&byte| byte == b'|').any(begins_with_call)
}

/// Recognises a script by the first line of a shell, or a first line that is a call.
fn is_script(text: &[u8]) -> bool {
    let mut lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    if let Some(program) = lines.next().and_then(|line| line.strip_prefix(b"#!")) {
        let words = program.split(|byte| b" \t/".contains(byte));
        return words
            .into_iter()
            .any(|word| matches!(word, b"sh" | b"bash" | b"dash" | b"zsh" | b"ksh"));
    }
    let mut lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#")).unwrap_or_default();
    let first = first.strip_prefix(b"$ ").unwrap_or(first);
    // A line of prose may begin with the name, too, but without an option or a URL after it.
    match first.strip_prefix(b"curl ") {
        Some(rest) => {
            let rest = rest.trim_ascii_start();
            rest.starts_with(b"-") || rest == b"\\" || memchr::memmem::find(rest, b"://").is_some()
        }
        None => begins_with_call(first) && memchr::memmem::find(first, b"://").is_some(),
    }
}

fn read<'a>(file: Block<'a>, limits: Limits, sink: &mut dyn RecordSink<'a>) {
    let bytes = file.bytes;
    let whole = Span::new(file.text_start(), bytes.len());
    let blocks = match kind(bytes) {
        Some(CurlSource::Markdown) => fences(bytes).blocks,
        _ => vec![whole],
    };
    let mut reading = CurlReader::new(bytes, limits);
    for block in blocks {
        reading.block(block, sink);
    }
}

/// Reads the calls in a part of another file, which begins with one.
pub(in crate::formats) fn in_stretch<'a>(
    bytes: &'a [u8],
    within: Span,
    limits: Limits,
) -> Vec<Record<'a>> {
    let mut records = Vec::new();
    let mut take = |record: Record<'a>| records.push(record);
    CurlReader::new(bytes, limits).block(within, &mut take);
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
        Self { bytes, shell: Shell::new(bytes, limits.expansion), index: 0, broken: 0 }
    }

    fn block(&mut self, block: Span, sink: &mut dyn RecordSink<'a>) {
        let mut rest = block;
        while !rest.is_empty() {
            let (mut commands, broken) = self.shell.commands(rest);
            let Some(at) = broken else { return self.hand_on(&commands, sink) };
            // A command with a part that has no end is not known, and neither are the commands around it.
            let lost = commands.iter().position(|command| last_word(command) >= at.start);
            let cut = lost.map(|lost| commands.split_off(lost)).unwrap_or_default();
            self.hand_on(&commands, sink);
            let lost = cut.iter().find(|command| client::is_call(command));
            if let Some(start) = lost.and_then(|command| command.words.first()) {
                let span = Span::new(start.span.start, at.end.max(start.span.start));
                let skip = Skip::at(Reason::Truncated, span);
                sink.record(Record::Skip(skip.because("a quote or here-document has no end")));
            }
            self.broken += 1;
            if self.broken > MOST_BROKEN {
                let left = Span::new(at.start, block.end);
                return sink.record(Record::Skip(Skip::at(Reason::Truncated, left)));
            }
            rest = Span::new(self.next_line(at, block.end), block.end);
        }
    }

    /// Finds the next line that begins with a call, after the beginning of something without an end.
    fn next_line(&self, broken: Span, end: usize) -> usize {
        let text = self.bytes.get(broken.start..end).unwrap_or_default();
        let mut lines = memchr::memchr_iter(b'\n', text).map(|at| broken.start + at + 1);
        let calls = |line: &usize| {
            let line = self.bytes.get(*line..end).unwrap_or_default();
            let line = line.trim_ascii_start();
            line.strip_prefix(b"$ ").unwrap_or(line).starts_with(b"curl ")
        };
        lines.find(calls).unwrap_or(end)
    }

    fn hand_on(&mut self, commands: &[ShellCommand], sink: &mut dyn RecordSink<'a>) {
        for command in commands {
            let calls = client::calls(self.bytes, command);
            for span in calls.unknown {
                sink.record(Record::Skip(Skip::at(Reason::NoExchange, span)));
            }
            self.report_script(command, sink);
            for exchange in calls.exchanges {
                let index = self.index;
                self.index += 1;
                hand_on(Record::Exchange(Exchange { index, ..exchange }), sink);
            }
        }
    }

    /// Reports the script of a command such as `eval "$script"` that could not be read.
    fn report_script(&self, command: &ShellCommand, sink: &mut dyn RecordSink<'a>) {
        let Some(script) = script_of(command, client::is_name) else {
            return report_unknown_program(command, sink);
        };
        if script.begins_unknown() {
            // The commands of a substitution were read, and few of them print calls: `eval "$(ssh-agent)"`.
            let raw = script.span.slice(self.bytes);
            if !raw.contains(&b'(') && !raw.contains(&b'`') {
                let skip = Skip::at(Reason::NoExchange, script.span);
                sink.record(Record::Skip(
                    skip.because("only running the script shows its commands"),
                ));
            }
        } else if memchr::memmem::find(&script.text, b"curl ").is_some() {
            let skip = Skip::at(Reason::Truncated, script.span);
            sink.record(Record::Skip(skip.because("a quote or here-document has no end")));
        }
    }
}

/// Reports a command such as `$CURL https://…`, whose program is not known.
fn report_unknown_program(command: &ShellCommand, sink: &mut dyn RecordSink<'_>) {
    let Some((program, arguments)) = command.words.split_first() else { return };
    let has_url = |word: &ShellWord| memchr::memmem::find(&word.text, b"://").is_some();
    if program.is_unknown() && arguments.iter().any(has_url) && !client::is_call(command) {
        let skip = Skip::at(Reason::NoExchange, program.span);
        sink.record(Record::Skip(skip.because("only running the script shows its commands")));
    }
}

/// The end of a command's last word.
fn last_word(command: &ShellCommand) -> usize {
    let input = command.input.as_ref().map_or(0, |input| input.span.end);
    command.words.iter().map(|word| word.span.end).max().unwrap_or_default().max(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_one(text: &str) -> bool {
        sniff(&FileHead::new(text.as_bytes(), 0))
    }

    #[test]
    fn the_lists_of_options_are_in_order_so_that_they_can_be_searched() {
        for table in [options::CURL, httpie::HTTPIE, wget::WGET] {
            assert!(table.words.is_sorted());
        }
    }

    #[test]
    fn scripts_calls_and_markdown_are_told_from_all_else() {
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
}
