//! The fenced code blocks of Markdown (`CommonMark` 0.31, section 4.5) that may hold a shell's commands.

use crate::text::Span;

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
pub(super) struct Fences {
    /// The contents of the blocks.
    pub(super) blocks: Vec<Span>,
    /// Lines of text outside of them that are not blank, and those of them that end as lines of source code do.
    pub(super) lines: usize,
    pub(super) code_lines: usize,
}

/// Finds the blocks; one that is open at the end ends there.
pub(super) fn fences(bytes: &[u8]) -> Fences {
    let mut found = Fences { blocks: Vec::new(), lines: 0, code_lines: 0 };
    let mut open: Option<Fence> = None;
    let mut at = 0;
    while at < bytes.len() {
        let end = memchr::memchr(b'\n', bytes.get(at..).unwrap_or_default())
            .map_or(bytes.len(), |length| at + length + 1);
        let line = bytes.get(at..end).unwrap_or_default().trim_ascii();
        let run = line.first().map_or(0, |first| line.iter().take_while(|b| *b == first).count());
        let info = line.get(run..).unwrap_or_default();
        let is_fence = run >= 3 && matches!(line.first(), Some(b'`' | b'~'));
        match &open {
            Some(fence) => {
                let closes = is_fence && line.first() == Some(&fence.marker) && run >= fence.length;
                if closes && info.is_empty() {
                    found.blocks.extend(fence.is_shell.then(|| Span::new(fence.inside, at)));
                    open = None;
                }
            }
            None if is_fence && !info.contains(&b'`') => {
                let marker = line.first().copied().unwrap_or_default();
                open = Some(Fence { marker, length: run, inside: end, is_shell: is_shell(info) });
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
    found.blocks.extend(rest.map(|fence| Span::new(fence.inside, bytes.len())));
    found
}

/// Returns whether the first word after a fence names a shell.
fn is_shell(info: &[u8]) -> bool {
    let info = std::str::from_utf8(info).unwrap_or("?").trim();
    let word = info.trim_start_matches(['{', '.']);
    let word = word.split([' ', '\t', '{', '}', ',', ':', '=']).next().unwrap_or_default();
    LANGUAGES.contains(&word.to_ascii_lowercase().as_str()) && (!word.is_empty() || info.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

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
