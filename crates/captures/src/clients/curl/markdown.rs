//! The code blocks of Markdown that may have calls (`CommonMark` 0.31, section 4.5).

use crate::line_spans::LineSpans;
use crate::names::{NAMES, is_one_of};
use sundown_text_json::text::Span;

/// Finds the contents of the blocks for shells, unless the text is source code with Markdown in its comments. A block that is open
/// at the end ends there.
pub(super) fn shell_blocks(bytes: &[u8]) -> Option<Vec<Span>> {
    let (mut blocks, mut open) = (Vec::new(), None::<(&[u8], Option<usize>)>);
    let (mut text_lines, mut code_lines) = (0, 0);
    let whole = Span::new(0, bytes.len());
    let mut lines = LineSpans::within(bytes, whole);
    while let Some(span) = lines.next() {
        let line = span.slice(bytes).trim_ascii();
        let marker = line.first().filter(|first| b"`~".contains(first));
        let run = line.iter().take_while(|byte| Some(*byte) == marker);
        let (fence, info) = line.split_at(run.count());
        match open {
            Some((marker, content)) => {
                if info.is_empty() && fence.starts_with(marker) {
                    blocks.extend(content.map(|start| Span::new(start, span.start)));
                    open = None;
                }
            }
            None if fence.len() >= 3 && !info.contains(&b'`') => {
                open = Some((fence, is_shell(info).then_some(lines.at)));
            }
            None => {
                text_lines += usize::from(!line.is_empty());
                code_lines += usize::from(matches!(line, [.., b';' | b'{'] | b"}"));
            }
        }
    }
    let rest = open.and_then(|(_, content)| content);
    blocks.extend(rest.map(|start| Span::new(start, whole.end)));
    (code_lines * 5 <= text_lines).then_some(blocks)
}

/// Whether the first word after a fence names a shell.
fn is_shell(info: &[u8]) -> bool {
    let info = info.trim_ascii().to_ascii_lowercase();
    let mut words = info.split(|byte| b" \t{},:=.".contains(byte));
    let word = words.find(|word| !word.is_empty()).unwrap_or(&info);
    is_one_of(word, &NAMES.shells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_shells_are_found_and_no_others() {
        let text = "# T\n```bash\none\n```\n~~~~ console\ntwo\n~~~\n~~~~\n``` json\n{}\n```\n`x`\n```\nthree\n  ```\n```{.sh}\nfour";
        let blocks: Vec<_> = shell_blocks(text.as_bytes())
            .into_iter()
            .flatten()
            .map(|span| text[span.start..span.end].trim())
            .collect();
        assert_eq!(blocks, ["one", "two\n~~~", "three", "four"]);
    }
}
