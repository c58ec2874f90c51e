//! Scripts in the arguments of other commands: `bash -c '…'`, `eval "…"`, `ssh host '…'`.

use super::words::{ShellCommand, ShellWord};
use crate::text::Span;

/// The programs that run the argument of `-c`.
const SHELLS: [&[u8]; 8] = [b"sh", b"bash", b"dash", b"zsh", b"ksh", b"ash", b"su", b"runuser"];

/// The options of ssh that take a value.
const SSH_LETTERS: &[u8] = b"bcDEeFIiJLlmOopQRSWwB";

/// The words that only speak of a program after them, or print it.
const SPEAKS_OF: [&[u8]; 9] =
    [b"install", b"add", b"which", b"type", b"echo", b"printf", b"hash", b"alias", b"man"];

/// The name of the program that a word calls.
pub(super) fn program(word: &ShellWord) -> &[u8] {
    word.text.rsplit(|&byte| byte == b'/').next().unwrap_or_default()
}

/// Returns whether the words before the name of a program say that it is not called.
pub(super) fn is_only_mentioned(before: &[ShellWord]) -> bool {
    // `command -v curl`
    before.last().is_some_and(|word| matches!(word.text.as_slice(), b"-v" | b"-V"))
        || before.iter().any(|word| SPEAKS_OF.contains(&word.text.as_slice()))
}

/// The script that a command runs, if it is one of its arguments. A word after an HTTP client runs nothing: it may be a URL that
/// ends like the name of a program.
pub(super) fn script_of(
    command: &ShellCommand,
    is_client: impl Fn(&ShellWord) -> bool,
) -> Option<ShellWord> {
    let runs = |word: &ShellWord| {
        let program = program(word);
        SHELLS.contains(&program) || matches!(program, b"eval" | b"ssh" | b"watch")
    };
    let at = command.words.iter().position(runs)?;
    let (before, from) = command.words.split_at_checked(at)?;
    let (name, arguments) = from.split_first()?;
    if is_only_mentioned(before) || before.iter().any(is_client) {
        return None;
    }
    match program(name) {
        b"eval" => joined(arguments),
        b"watch" => joined(skip_options(arguments, b"ndx")),
        // The first argument is the host.
        b"ssh" => joined(skip_options(arguments, SSH_LETTERS).get(1..)?),
        _ => {
            let is_option = |word: &ShellWord| word.text.first() == Some(&b'-');
            let runs = |word: &ShellWord| {
                is_option(word) && !word.text.starts_with(b"--") && word.text.contains(&b'c')
            };
            let rest = arguments.get(arguments.iter().position(runs)? + 1..)?;
            rest.iter().find(|word| !is_option(word)).cloned()
        }
    }
}

/// The arguments after the options at the beginning. Those with one of these letters take a value.
fn skip_options<'w>(words: &'w [ShellWord], with_value: &[u8]) -> &'w [ShellWord] {
    let mut rest = words;
    while let Some((word, more)) = rest.split_first()
        && let [b'-', letter, value @ ..] = word.text.as_slice()
    {
        let has_value = with_value.contains(letter) && value.is_empty();
        rest = more.get(usize::from(has_value)..).unwrap_or_default();
    }
    rest
}

/// The words with spaces between them.
fn joined(words: &[ShellWord]) -> Option<ShellWord> {
    let (first, more) = words.split_first()?;
    let mut script = first.clone();
    for word in more {
        script.push(b" ", Span::new(word.span.start, word.span.start));
        script.text.extend_from_slice(&word.text);
        script.map.extend(&word.map);
        script.span.end = script.span.end.max(word.span.end);
    }
    Some(script)
}
