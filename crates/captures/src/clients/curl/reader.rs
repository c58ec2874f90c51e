//! Recognises files with calls of curl, and reads them.

use super::super::http_file;
use super::call::requests;
use super::commands::{CommandLine, ShellCommand, begins_call};
use super::markdown::code_blocks;
use super::words::{ShellWord, UNKNOWN};
use crate::file_head::{FileHead, contains, first_line, lines_of};
use crate::messages::CallEmitter;
use crate::names::{NAMES, is_one_of};
use sundown_exchange::{Reason, RecordSink, Skip};
use sundown_text_json::Limits;
use sundown_text_json::text::{Block, Span};

/// Recognises a shell script, a file that begins with a call, and Markdown with a call in a block.
pub(crate) fn sniff(head: &FileHead<'_>) -> bool {
    head.contains(b"curl") && scripts(head.bytes).is_some()
}

/// The parts of a file that may have calls: all of it is a shell's commands, or it is Markdown with blocks. Each has its language.
fn scripts(bytes: &[u8]) -> Option<Vec<(String, Span)>> {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if is_script(text) {
        let whole = Span::new(bytes.len() - text.len(), bytes.len());
        return Some(vec![(String::new(), whole)]);
    }
    let first = text.trim_ascii_start();
    if NAMES
        .code_beginnings
        .iter()
        .any(|begin| first.starts_with(begin.as_bytes()))
        && !first.starts_with(b"---")
    {
        return None;
    }
    let blocks = code_blocks(bytes)?;
    let has_call = blocks
        .iter()
        .any(|(language, block)| is_one_of(language, &NAMES.shells) && calls(bytes, *block));
    has_call.then_some(blocks)
}

/// Whether a part of a file has a call, perhaps in the arguments of another command.
fn calls(bytes: &[u8], mut rest: Span) -> bool {
    if !contains(rest.slice(bytes), b"curl ") {
        return false;
    }
    while !rest.is_empty() {
        let line;
        (line, rest) = CommandLine::read(bytes, rest, false);
        let is_call = |command: &ShellCommand| match command.call {
            Some(call) => command.words.iter().skip(call + 1).any(is_argument),
            None => !command.is_mention && command.words.iter().any(|word| has_call(word.bytes())),
        };
        if line.broken.is_some() || line.commands.iter().any(is_call) {
            return true;
        }
    }
    false
}

fn is_argument(word: &ShellWord) -> bool {
    word.bytes().starts_with(b"-") || [b"://", UNKNOWN].iter().any(|mark| word.contains(mark))
}

/// Recognises a script by the first line of a shell, or a first line that is a call.
fn is_script(text: &[u8]) -> bool {
    let mut lines = lines_of(text).map(<[u8]>::trim_ascii);
    if let Some(program) = text.strip_prefix(b"#!") {
        return first_line(program)
            .split(|byte| b" \t\r/".contains(byte))
            .any(is_shell);
    }
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    let first = first.unwrap_or_default();
    let first = first.strip_prefix(b"$ ").unwrap_or(first);
    first.strip_prefix(b"curl ").is_some_and(are_arguments)
}

/// Whether a word is the name of a shell, which is also the ending of its scripts, or that of the scripts of Windows.
pub fn is_shell(word: &[u8]) -> bool {
    matches!(
        word,
        b"sh" | b"bash" | b"dash" | b"zsh" | b"ksh" | b"bat" | b"cmd"
    )
}

/// Whether text after the name has an option or a URL. A line of prose may begin with the name, too.
fn are_arguments(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    text.starts_with(b"-") || text == b"\\" || contains(text, b"://")
}

pub(crate) fn read(file: Block<'_>, _: Limits, sink: &mut dyn RecordSink) {
    let bytes = file.bytes;
    let whole = Span::new(file.text_start(), bytes.len());
    let mut calls = CallEmitter::new(sink);
    for (language, block) in scripts(bytes).unwrap_or_else(|| vec![(String::new(), whole)]) {
        let text = block.slice(bytes);
        if is_one_of(&language, &NAMES.shells) {
            read_script(bytes, block, &mut calls);
        } else if is_one_of(&language, &NAMES.languages) && contains(text, b"://") {
            calls.sink.skip(unread(block));
        } else if is_one_of(&language, &NAMES.raw_requests) && !text.starts_with(b"HTTP/") {
            let response = memchr::memmem::find(text, b"\nHTTP/").unwrap_or(text.len());
            let request = Span::new(block.start, block.start + response);
            calls = http_file::read_part(bytes, request, calls);
        }
    }
}

/// Reads the calls in a part of a file.
pub(crate) fn read_script(bytes: &[u8], script: Span, calls: &mut CallEmitter<'_>) {
    let text = script.slice(bytes);
    if escapes_with(text, b" `") {
        let skip = Skip::at(Reason::UnknownFormat, script);
        return calls
            .sink
            .skip(skip.because("commands for PowerShell are not read"));
    }
    let is_cmd = escapes_with(text, b" ^");
    let mut rest = script;
    while !rest.is_empty() {
        let line;
        (line, rest) = CommandLine::read(bytes, rest, is_cmd);
        for command in &line.commands {
            emit_command(command, bytes, calls);
        }
        for span in line.unread {
            if has_call(span.slice(bytes)) {
                calls.sink.skip(unread(span));
            }
        }
        if let Some(call) = line.broken {
            let skip = Skip::at(Reason::Truncated, call);
            calls
                .sink
                .skip(skip.because("a quote or a substitution has no end"));
        }
    }
}

fn emit_command(command: &ShellCommand, bytes: &[u8], calls: &mut CallEmitter<'_>) {
    let Some(call) = command.call else {
        if let Some(skip) = hidden_call(command) {
            calls.sink.skip(skip);
        }
        return;
    };
    // PowerShell has a command of this name, too.
    let mut options = command
        .words
        .iter()
        .map(|word| word.bytes().to_ascii_lowercase());
    if let [first, .., last] = &*command.words
        && options.any(|option| is_one_of(&option, &NAMES.powershell))
    {
        return calls
            .sink
            .skip(unread(Span::new(first.span.start, last.span.end)));
    }
    let requests = requests(&command.words, call, bytes);
    for span in requests.unknown {
        calls.skip(Reason::NoExchange, span);
    }
    for exchange in requests.exchanges {
        calls.emit(exchange);
    }
}

/// Whether a call in a script has this character of another shell at the end of its line or before its first quote.
fn escapes_with(script: &[u8], character: &[u8]) -> bool {
    lines_of(script).any(|line| {
        let before_quotes = line.split(|byte| b"'\"".contains(byte)).next();
        let ends = [line.trim_ascii_end(), before_quotes.unwrap_or_default()];
        begins_call(line) && ends.iter().any(|end| end.ends_with(character))
    })
}

/// A call that a command may make in a way that is not read: `$CURL https://…`, or in an argument, as `bash -c "curl …"`.
fn hidden_call(command: &ShellCommand) -> Option<Skip> {
    let (program, arguments) = command.words.split_first()?;
    let end = command.words.last()?.span.end;
    if program.is_unknown() && arguments.iter().any(|word| word.contains(b"://")) {
        let skip = Skip::at(Reason::NoExchange, Span::new(program.span.start, end));
        return Some(skip.because("only running the script shows its commands"));
    }
    // Before the program may be `if` or `sudo`.
    let mut words = command.words.iter().take(2);
    let takes_texts = words.any(|word| is_one_of(word.bytes(), &NAMES.text_programs));
    if command.is_mention || takes_texts {
        return None;
    }
    let words = &command.words;
    let sends = words
        .iter()
        .any(|word| is_one_of(word.bytes(), &NAMES.http_programs));
    let mut calls = words
        .iter()
        .filter(|word| has_call(word.bytes()) || sends && word.contains(b"://"));
    let first = calls.next()?;
    Some(unread(Span::new(first.span.start, end)))
}

/// Reports text with commands that are not read.
fn unread(span: Span) -> Skip {
    Skip::at(Reason::NoExchange, span)
        .because("calls by other programs than curl, or in their arguments, are not read")
}

/// Whether a text has a call in one of its lines.
fn has_call(text: &[u8]) -> bool {
    lines_of(text).any(|line| {
        let arguments = memchr::memmem::find(line, b"curl ").and_then(|at| line.get(at + 5..));
        arguments.is_some_and(|all| are_arguments(all) || contains(all, b" -"))
    })
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
}
