//! Finds the objects in a template, which is not YAML, by the lines that are literal.

use super::api_type::{is_group_version, is_kind};
use super::objects::{ACTION, DESCRIPTIVE, ObjectReader};
use crate::file_head::{scalar, top_level_key};
use crate::line_spans::LineSpans;
use sundown_text_json::text::Span;

/// An object of a template.
#[derive(Default)]
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
    /// Whether it is a whole object with a literal API version and kind.
    pub(super) fn is_object(&self) -> bool {
        let mut versions = self.versions.iter();
        self.is_whole
            && versions.any(|(version, _)| is_group_version(version))
            && self.kinds.iter().any(|kind| is_kind(kind))
    }

    /// Emits each combination of its branches. A reference is looked up in any version of its group, but of `extensions`, which has no
    /// kinds any more. Returns whether it has more branches than are read.
    pub(super) fn emit(&self, objects: &mut ObjectReader<'_, '_>) -> bool {
        objects.is_possible = self.versions.len() * self.kinds.len() > 1;
        for &(version, at) in self.versions.iter().take(MAX_BRANCHES) {
            for kind in self.kinds.iter().take(MAX_BRANCHES) {
                if self.is_whole || self.depth == 0 || version.starts_with("extensions/") {
                    objects.literal("POST", version, kind, at);
                }
            }
        }
        self.versions.len().max(self.kinds.len()) > MAX_BRANCHES
    }
}

/// The objects of a template, in their order; those in texts, too.
pub(super) fn template_objects(document: Span, file: &[u8]) -> Vec<TemplateObject<'_>> {
    let mut template = Template::default();
    for line in LineSpans::within(file, document) {
        template.add(line.slice(file), line.start);
    }
    let mut objects = template.objects;
    // The objects in some are examples.
    if objects.iter().any(|object| {
        object.depth == 0 && object.kinds.iter().any(|kind| DESCRIPTIVE.contains(kind))
    }) {
        objects.retain(|object| object.depth == 0);
    }
    objects
}

/// A template that is being read.
#[derive(Default)]
struct Template<'t> {
    objects: Vec<TemplateObject<'t>>,
    /// The numbers of those whose keys may follow, from the outermost on.
    open: Vec<usize>,
}

impl<'t> Template<'t> {
    /// Adds what a line says, which begins at byte `start` of the file.
    fn add(&mut self, line: &'t [u8], start: usize) {
        let content = line.trim_ascii_start();
        let depth = line.len() - content.len();
        if content.is_empty() || content.starts_with(b"#") || content.starts_with(ACTION) {
            return;
        }
        let objects = &self.objects;
        let depth_of = |index: &usize| objects.get(*index).map(|object| object.depth);
        self.open.retain(|index| depth_of(index) <= Some(depth));
        let in_item = content
            .strip_prefix(b"- ")
            .map_or(content, <[u8]>::trim_ascii_start);
        let Some((key, value)) = top_level_key(in_item) else {
            return;
        };
        let value = scalar(value);
        let depth = line.len() - in_item.len();
        if !matches!(key, b"apiVersion" | b"kind" | b"metadata" | b"spec") {
            return;
        }
        let last = self.open.last().copied();
        let known = last.filter(|index| depth_of(index) == Some(depth));
        let index = known.unwrap_or(self.objects.len());
        if known.is_none() {
            self.open.push(index);
            self.objects.push(TemplateObject {
                depth,
                ..TemplateObject::default()
            });
        }
        let object = self.objects.get_mut(index);
        let (Some(object), Ok(text)) = (object, std::str::from_utf8(value)) else {
            return;
        };
        match key {
            // A schema has the name of the key, and no value.
            b"apiVersion" | b"kind" if value.is_empty() => {}
            b"apiVersion" => {
                let after_key = depth + key.len();
                let rest = line.get(after_key..).unwrap_or_default();
                let end =
                    after_key + memchr::memmem::find(rest, value).unwrap_or_default() + value.len();
                let span = Span::new(depth, end).shifted(start);
                object.versions.push((text, span));
            }
            b"kind" => object.kinds.push(text),
            _ => object.is_whole = true,
        }
    }
}
