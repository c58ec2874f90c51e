//! The documentation pages as the book's own parser reads them: their examples, links and headings.

use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::support::{repository, text};

/// A Markdown file.
pub(crate) struct Page {
    /// Its path in the repository.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A block of code.
pub(crate) struct Example {
    /// The first word after the fence.
    pub(crate) language: String,
    pub(crate) text: String,
    pub(crate) line: usize,
    /// The comment right before it, which no reader of the page sees.
    pub(crate) remark: Option<String>,
}

/// All pages that people read: those at the top, the book's, and those of the built-in tables.
pub(crate) fn pages() -> Vec<Page> {
    let top = [
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "DEPENDENCIES.md",
        "PERFORMANCE.md",
        "SECURITY.md",
        "deploy/spark/README.md",
    ];
    let mut paths: Vec<String> = top.map(str::to_owned).into();
    paths.extend(markdown("docs"));
    paths.extend(markdown("rules"));
    paths.into_iter().map(Page::of).collect()
}

/// The paths of the book's pages.
pub(crate) fn book() -> Vec<String> {
    let mut paths = markdown("docs");
    paths.retain(|path| path != "docs/SUMMARY.md");
    paths
}

/// The paths of the pages in a folder.
fn markdown(folder: &str) -> Vec<String> {
    fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, paths);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                paths.push(path);
            }
        }
    }
    let mut paths = Vec::new();
    collect(&repository(folder), &mut paths);
    paths.sort();
    let root = repository("");
    let relative = |path: PathBuf| {
        path.strip_prefix(&root)
            .unwrap()
            .to_str()
            .unwrap()
            .replace('\\', "/")
    };
    paths.into_iter().map(relative).collect()
}

impl Page {
    pub(crate) fn of(path: String) -> Self {
        let text = text(&path);
        Self { path, text }
    }

    fn events(&self) -> impl Iterator<Item = (Event<'_>, std::ops::Range<usize>)> {
        Parser::new_ext(&self.text, Options::ENABLE_TABLES).into_offset_iter()
    }

    /// Every block of code.
    pub(crate) fn examples(&self) -> Vec<Example> {
        let mut examples: Vec<Example> = Vec::new();
        let (mut comment, mut open) = (None, false);
        for (event, range) in self.events() {
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    let info = match &kind {
                        CodeBlockKind::Fenced(info) => info.as_ref(),
                        CodeBlockKind::Indented => "",
                    };
                    examples.push(Example {
                        language: info.split(' ').next().unwrap_or_default().to_owned(),
                        text: String::new(),
                        line: self.text[..range.start].matches('\n').count() + 1,
                        remark: comment.take(),
                    });
                    open = true;
                }
                Event::Text(text) if open => examples.last_mut().unwrap().text.push_str(&text),
                Event::End(TagEnd::CodeBlock) => open = false,
                Event::Html(html) => {
                    let inside = html
                        .trim()
                        .strip_prefix("<!--")
                        .and_then(|rest| rest.strip_suffix("-->"));
                    comment = inside.map(|text| text.trim().to_owned());
                }
                Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => {}
                _ => comment = None,
            }
        }
        examples
    }

    /// The text of every inline code span.
    pub(crate) fn code_spans(&self) -> Vec<String> {
        let code = |(event, _)| match event {
            Event::Code(code) => Some(code.to_string()),
            _ => None,
        };
        self.events().filter_map(code).collect()
    }

    /// The targets of all links and images.
    pub(crate) fn links(&self) -> Vec<String> {
        let target = |(event, _)| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                Some(dest_url.to_string())
            }
            _ => None,
        };
        self.events().filter_map(target).collect()
    }

    /// The anchors of a page, which the book derives from its headings.
    pub(crate) fn anchors(&self) -> Vec<String> {
        let mut anchors: Vec<String> = Vec::new();
        let mut heading: Option<String> = None;
        for (event, _) in self.events() {
            match (event, &mut heading) {
                (Event::Start(Tag::Heading { .. }), _) => heading = Some(String::new()),
                (Event::Text(text) | Event::Code(text), Some(heading)) => heading.push_str(&text),
                (Event::End(TagEnd::Heading(_)), Some(text)) => {
                    let anchor = anchor(text);
                    let again = anchors.iter().filter(|known| **known == anchor).count();
                    anchors.push(if again == 0 {
                        anchor
                    } else {
                        format!("{anchor}-{again}")
                    });
                    heading = None;
                }
                _ => {}
            }
        }
        anchors
    }
}

/// Letters, digits, `_` and `-` of a heading; spaces become `-`.
fn anchor(heading: &str) -> String {
    let of = |character: char| match character {
        '_' | '-' => Some(character),
        _ if character.is_alphanumeric() => Some(character.to_ascii_lowercase()),
        _ if character.is_whitespace() => Some('-'),
        _ => None,
    };
    heading.chars().filter_map(of).collect()
}

#[test]
fn examples_links_and_headings_are_found() {
    let text = "# A `b` *c*!\n\n[x](y.md#z) `[no](link)`\n\n<!-- not run: why -->\n\n```sh x\nls\n```\n\n- in a list:\n\n  ```toml\n  a = 1\n  ```\n\n<!-- far -->\n\nText.\n\n```text\n```\n\n## A b c\n";
    let page = Page {
        path: String::new(),
        text: text.to_owned(),
    };
    assert_eq!(page.anchors(), ["a-b-c", "a-b-c-1"]);
    assert_eq!(page.links(), ["y.md#z"]);
    let seen: Vec<_> = page
        .examples()
        .into_iter()
        .map(|example| (example.language, example.text, example.line, example.remark))
        .collect();
    let of = |language: &str, text: &str, line, remark: Option<&str>| {
        (
            language.to_owned(),
            text.to_owned(),
            line,
            remark.map(str::to_owned),
        )
    };
    let expected = [
        of("sh", "ls\n", 7, Some("not run: why")),
        of("toml", "a = 1\n", 13, None),
        of("text", "", 21, None),
    ];
    assert_eq!(seen, expected);
}
