//! Interprets the words after `wget` as GNU Wget does (its manual, chapter 2).

use super::call::{ShellCalls, Transfer};
use super::options::{OptionTable, ProgramOption};
use super::words::{ShellCommand, ShellWord};

/// The options of Wget that take a value and matter here, or often have it in the next word.
pub(super) const WGET: OptionTable = OptionTable {
    letters: b"aABDeiIlloOPQRtTUwX",
    words: &[
        "accept",
        "append-output",
        "base",
        "bind-address",
        "body-data",
        "body-file",
        "ca-certificate",
        "ca-directory",
        "certificate",
        "connect-timeout",
        "cut-dirs",
        "directory-prefix",
        "dns-timeout",
        "domains",
        "execute",
        "header",
        "http-password",
        "http-user",
        "input-file",
        "level",
        "limit-rate",
        "load-cookies",
        "method",
        "output-document",
        "output-file",
        "password",
        "post-data",
        "post-file",
        "private-key",
        "progress",
        "proxy-password",
        "proxy-user",
        "quota",
        "read-timeout",
        "referer",
        "reject",
        "save-cookies",
        "secure-protocol",
        "timeout",
        "tries",
        "user",
        "user-agent",
        "wait",
        "waitretry",
    ],
    word_of: |letter| match letter {
        b'i' => "input-file",
        b'U' => "user-agent",
        _ => "",
    },
};

/// Reads the calls of a command.
pub(super) fn calls<'a>(
    file: &'a [u8],
    words: &[ShellWord],
    command: &ShellCommand,
) -> ShellCalls<'a> {
    let mut calls = ShellCalls::default();
    let mut transfer = Transfer::default();
    for ProgramOption { name, value } in WGET.parse(words) {
        let name = match &*name {
            "post-data" | "body-data" => "data-raw",
            // The name of a file is not a body.
            "post-file" | "body-file" => "upload-file",
            "method" => "request",
            "header" => "header",
            "user-agent" => "user-agent",
            "input-file" => "input-file",
            "url" => "url",
            _ => continue,
        };
        transfer.take(name, value, command.input.as_ref());
        if name == "upload-file" && transfer.method.is_none() {
            transfer.method = Some("POST".to_owned());
        }
    }
    transfer.finish(file, &mut calls);
    calls
}
