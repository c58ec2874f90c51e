//! Interprets the words after `wget` as GNU Wget does (its manual, chapter 2).

use super::call::{ShellCalls, Transfer};
use super::words::{ShellCommand, ShellWord};

/// The options of one letter that take a value.
const LETTERS: &[u8] = b"aABDeiIlloOPQRtTUwX";

/// The long options that take a value and matter here, or often have it in the next word.
const WORDS: [&str; 26] = [
    "append-output",
    "body-data",
    "body-file",
    "ca-certificate",
    "certificate",
    "directory-prefix",
    "execute",
    "header",
    "http-password",
    "http-user",
    "input-file",
    "limit-rate",
    "load-cookies",
    "method",
    "output-document",
    "output-file",
    "password",
    "post-data",
    "post-file",
    "private-key",
    "referer",
    "timeout",
    "tries",
    "user",
    "user-agent",
    "wait",
];

/// Reads the calls of a command.
pub(super) fn calls<'a>(
    file: &'a [u8],
    words: &[ShellWord],
    command: &ShellCommand,
) -> ShellCalls<'a> {
    let mut calls = ShellCalls::default();
    let mut transfer = Transfer::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.lossy();
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, _)) => (name, Some(word.part(name.len() + 3, word.text.len()))),
                None if WORDS.contains(&long) => (long, words.next().cloned()),
                None => (long, None),
            };
            let name = match name {
                "post-data" | "body-data" => "data-raw",
                // The name of a file is not a body.
                "post-file" | "body-file" => "upload-file",
                "method" => "request",
                "header" => "header",
                "input-file" => "input-file",
                _ => continue,
            };
            let is_file = name == "upload-file";
            transfer.take(name, value, command.input.as_ref());
            if is_file && transfer.method.is_none() {
                transfer.method = Some("POST".to_owned());
            }
        } else if let [b'-', letters @ ..] = word.text.as_slice() {
            let value = letters.iter().position(|letter| LETTERS.contains(letter));
            let file = letters.get(value.unwrap_or(letters.len())) == Some(&b'i');
            let next = value.filter(|at| at + 1 == letters.len()).and_then(|_| words.next());
            if file {
                transfer.take("input-file", next.or(Some(word)).cloned(), None);
            }
        } else {
            transfer.take("url", Some(word.clone()), None);
        }
    }
    transfer.finish(file, &mut calls);
    calls
}
