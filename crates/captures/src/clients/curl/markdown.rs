//! The code blocks of Markdown that may have calls (`CommonMark` 0.31, section 4.5).

use crate::line_spans::LineSpans;
use sundown_text_json::text::Span;

/// Finds the contents of blocks, each with its language, unless the text is source code with Markdown in its comments. A block that is
/// open at the end ends there.
pub(super) fn code_blocks(bytes: &[u8]) -> Option<Vec<(String, Span)>> {
    let (mut blocks, mut open) = (Vec::new(), None::<(&[u8], String, usize)>);
    let (mut text_lines, mut code_lines) = (0, 0);
    let whole = Span::new(0, bytes.len());
    let mut lines = LineSpans::within(bytes, whole);
    while let Some(span) = lines.next() {
        let line = span.slice(bytes).trim_ascii();
        let marker = line.first().filter(|first| b"`~".contains(first));
        let run = line.iter().take_while(|byte| Some(*byte) == marker);
        let (fence, info) = line.split_at(run.count());
        match &open {
            Some((marker, ..)) => {
                if info.is_empty() && fence.starts_with(marker) {
                    let ended = open.take();
                    blocks.extend(ended.map(|(_, of, start)| (of, Span::new(start, span.start))));
                }
            }
            None if fence.len() >= 3 && !info.contains(&b'`') => {
                open = Some((fence, language(info), lines.at));
            }
            None => {
                text_lines += usize::from(!line.is_empty());
                code_lines += usize::from(matches!(line, [.., b';' | b'{'] | b"}"));
            }
        }
    }
    blocks.extend(open.map(|(_, of, start)| (of, Span::new(start, whole.end))));
    (code_lines * 5 <= text_lines).then_some(blocks)
}

/// The first word after a fence, in lower case. Without one, a block may have anything.
fn language(info: &[u8]) -> String {
    let info = String::from_utf8_lossy(info.trim_ascii()).to_lowercase();
    let mut words = info.split([' ', '\t', '{', '}', ',', ':', '=', '.']);
    let word = words.find(|word| !word.is_empty());
    word.unwrap_or(&info).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_with_their_languages() {
        let text = "# T\n```bash\none\n```\n~~~~ console\ntwo\n~~~\n~~~~\n``` json\n{}\n```\n`x`\n```\nthree\n  ```\n```{.sh}\nfour";
        let blocks = code_blocks(text.as_bytes()).unwrap();
        let blocks = blocks
            .iter()
            .map(|(of, span)| (of.as_str(), text[span.start..span.end].trim()));
        assert_eq!(
            blocks.collect::<Vec<_>>(),
            [
                ("bash", "one"),
                ("console", "two\n~~~"),
                ("json", "{}"),
                ("", "three"),
                ("sh", "four"),
            ]
        );
    }
}
