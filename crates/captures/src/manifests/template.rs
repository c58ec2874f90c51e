//! Finds the objects in a template, which is not YAML, by the lines that are literal.

use super::objects::{ACTION, DESCRIPTIVE, ObjectReader};
use crate::file_head::{scalar, top_level_key};
use sundown_text_json::text::Span;

/// An object of a template.
pub(super) struct TemplateObject<'t> {
    /// The column of its keys.
    depth: usize,
    /// Its API versions, in the branches of the template.
    versions: Vec<(&'t str, Span)>,
    kinds: Vec<&'t str>,
    /// Whether it has other keys of an object, and is no reference to one.
    is_whole: bool,
}

/// The number of branches of an object that are read.
pub(super) const MAX_BRANCHES: usize = 8;

impl TemplateObject<'_> {
    /// Emits each combination of its branches. A reference is looked up in any version of its group, but of `extensions`, which has no
    /// kinds any more. Returns whether it has more branches than are read.
    pub(super) fn emit(&self, objects: &mut ObjectReader<'_, '_>) -> bool {
        objects.is_possible = self.versions.len() * self.kinds.len() > 1;
        for &(version, at) in self.versions.iter().take(MAX_BRANCHES) {
            for kind in self.kinds.iter().take(MAX_BRANCHES) {
                if self.is_whole || self.depth == 0 || version.starts_with("extensions/") {
                    objects.literal(version, kind, at);
                }
            }
        }
        self.versions.len().max(self.kinds.len()) > MAX_BRANCHES
    }
}

/// The objects of a template, in their order. Texts in block style are none.
pub(super) fn template_objects(document: Span, file: &[u8]) -> Vec<TemplateObject<'_>> {
    let mut objects: Vec<TemplateObject<'_>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut text_depth = None;
    let mut start = document.start;
    for line in document.slice(file).split_inclusive(|&byte| byte == b'\n') {
        let begin = start;
        start += line.len();
        let content = line.trim_ascii_start();
        let depth = line.len() - content.len();
        let is_literal =
            !content.is_empty() && !content.starts_with(b"#") && !content.starts_with(ACTION);
        if !is_literal || text_depth.is_some_and(|own| depth > own) {
            continue;
        }
        open.retain(|&index| {
            objects
                .get(index)
                .is_some_and(|object| object.depth <= depth)
        });
        let in_item = content
            .strip_prefix(b"- ")
            .map_or(content, <[u8]>::trim_ascii_start);
        let depth = line.len() - in_item.len();
        let Some((key, value)) = top_level_key(in_item) else {
            continue;
        };
        let value = scalar(value);
        text_depth = value
            .first()
            .filter(|first| b"|>".contains(first))
            .map(|_| depth);
        if !matches!(key, b"apiVersion" | b"kind" | b"metadata" | b"spec") {
            continue;
        }
        let known = open.last().copied().filter(|&index| {
            objects
                .get(index)
                .is_some_and(|object| object.depth == depth)
        });
        let index = known.unwrap_or_else(|| {
            open.push(objects.len());
            objects.push(TemplateObject {
                depth,
                versions: Vec::new(),
                kinds: Vec::new(),
                is_whole: false,
            });
            objects.len() - 1
        });
        let (Some(object), Ok(text)) = (objects.get_mut(index), std::str::from_utf8(value)) else {
            continue;
        };
        match key {
            b"apiVersion" => {
                let end = memchr::memmem::find(line, value).unwrap_or_default() + value.len();
                object.versions.push((
                    text,
                    Span::new(begin + line.len() - in_item.len(), begin + end),
                ));
            }
            b"kind" => object.kinds.push(text),
            _ => object.is_whole = true,
        }
    }
    // The objects in some are examples.
    if objects.iter().any(|object| {
        object.depth == 0 && object.kinds.iter().any(|kind| DESCRIPTIVE.contains(kind))
    }) {
        objects.retain(|object| object.depth == 0);
    }
    objects
}
