//! Finds the HTTP client that a command calls.

use super::call::{self, ShellCalls};
use super::nested::{is_only_mentioned, program};
use super::words::{ShellCommand, ShellWord};
use super::{httpie, wget};

/// The HTTP clients whose calls are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HttpClient {
    Curl,
    Curlie,
    /// HTTPie and xh. The scheme of URLs without one.
    Httpie(&'static str),
    Wget,
}

/// The words that may precede the name of a program that is called: keywords of the shell, and programs that call others.
const PREFIXES: [&[u8]; 19] = [
    b"!", b"{", b"if", b"then", b"else", b"elif", b"do", b"while", b"until", b"time", b"sudo",
    b"env", b"command", b"exec", b"nohup", b"xargs", b"timeout", b"nice", b"$",
];

/// Returns whether a word is the name of a client.
pub(super) fn is_name(word: &ShellWord) -> bool {
    client(word).is_some()
}

/// Returns whether a command calls a client.
pub(super) fn is_call(command: &ShellCommand) -> bool {
    find_client(command).is_some()
}

/// Reads the calls of a command.
pub(super) fn calls<'a>(file: &'a [u8], command: &ShellCommand) -> ShellCalls<'a> {
    let Some((client, before, words)) = find_client(command) else { return ShellCalls::default() };
    let mut calls = match client {
        HttpClient::Curl => call::calls(file, words, command),
        HttpClient::Curlie => httpie::calls_of_curlie(file, words, command),
        HttpClient::Httpie(scheme) => httpie::calls(file, words, scheme, command),
        HttpClient::Wget => wget::calls(file, words, command),
    };
    // xargs appends the URL, which it reads.
    let is_appended = before.iter().any(|word| program(word) == b"xargs");
    if is_appended && calls.exchanges.is_empty() && calls.unknown.is_empty() {
        calls.unknown.extend(command.words.first().map(|word| word.span));
    }
    calls
}

/// The client that a command calls, the words before it, and its arguments.
fn find_client(command: &ShellCommand) -> Option<(HttpClient, &[ShellWord], &[ShellWord])> {
    let words = command.words.iter().enumerate();
    let mut clients = words.filter_map(|(at, word)| Some((at, client(word)?)));
    let (at, client) = clients.find(|(at, client)| {
        // `http` is a common word: it counts only where a program is called.
        let before = command.words.get(..*at).unwrap_or_default();
        matches!(client, HttpClient::Curl) || before.iter().all(may_precede)
    })?;
    let (before, from) = command.words.split_at_checked(at)?;
    (!is_only_mentioned(before)).then_some((client, before, from.get(1..)?))
}

fn client(word: &ShellWord) -> Option<HttpClient> {
    Some(match program(word) {
        b"curl" | b"curl.exe" => HttpClient::Curl,
        b"curlie" => HttpClient::Curlie,
        b"http" | b"xh" => HttpClient::Httpie("http"),
        b"https" | b"xhs" => HttpClient::Httpie("https"),
        b"wget" => HttpClient::Wget,
        _ => return None,
    })
}

/// Returns whether a word may precede the name of a program that is called: also an option, an assignment or a number.
fn may_precede(word: &ShellWord) -> bool {
    let text = word.text.as_slice();
    PREFIXES.contains(&program(word))
        || text.starts_with(b"-")
        || text.contains(&b'=')
        || text.first().is_some_and(u8::is_ascii_digit)
}

/// Returns whether a line of a script or of a block in Markdown begins with a call.
pub(super) fn begins_with_call(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let line = line.strip_prefix(b"$ ").unwrap_or(line);
    let Some(end) = line.iter().position(|byte| b" \t".contains(byte)) else { return false };
    let (name, arguments) = line.split_at_checked(end).unwrap_or_default();
    let has = |text: &[u8]| memchr::memmem::find(arguments, text).is_some();
    match name {
        b"curl" | b"curlie" => true,
        b"wget" | b"xh" | b"xhs" | b"http" | b"https" => {
            let methods: [&[u8]; 7] =
                [b" GET ", b" POST ", b" PUT ", b" PATCH ", b" DELETE ", b" HEAD ", b" OPTIONS "];
            has(b"://")
                || has(b":=")
                || has(b" --post-")
                || methods.iter().any(|method| has(method) && has(b"/"))
        }
        _ => false,
    }
}
