//! The marks of a description that are not read.

use std::collections::{HashMap, HashSet};

use crate::marker::{has_part, is_fact, is_one_of, looks_like_mark};
use crate::{Description, FileId, Label, MarkerSource, NodeId};
use sundown_text_json::json::{Node, ValueKind};
use sundown_text_json::text::parse_date;

impl Description {
    /// The keys that look like marks or details of them and are not read, each once, in the order of the description: with how often it
    /// occurs, and first where.
    pub fn unread_keys(&self) -> Vec<(&str, usize, Label)> {
        let markers = self.markers().iter();
        let read: HashSet<_> = markers
            .flat_map(|one| one.sources.iter().map(|(_, span)| (one.holder.file, *span)))
            .collect();
        let mut found: HashMap<&str, (usize, Label)> = HashMap::new();
        for (file, root) in (0..)
            .map(FileId)
            .zip(self.files().iter().map(|file| file.document.root()))
        {
            // Whether the keys of the object are names.
            let mut stack = vec![(root, false)];
            while let Some((object, has_names)) = stack.pop() {
                let node = NodeId::of(file, object);
                for member in object
                    .children()
                    .filter(|one| one.resolved().index() == one.index())
                {
                    let key = member.key().unwrap_or_default();
                    if !has_names
                        && !key.is_empty()
                        && !read.contains(&(file, member.label()))
                        && (is_unread(member, key, self.reads_marks(node))
                            || !self.markers_at(node).is_empty() && gives_other_date(member, key))
                    {
                        let place = Label::of(file, member);
                        let (count, first) = found.entry(key).or_insert((0, place));
                        *count += 1;
                        *first = place.min(*first);
                    }
                    let is_data =
                        !has_names && (is_one_of(key, "data-keys") || is_other_extension(key));
                    if matches!(member.kind(), ValueKind::Object | ValueKind::Array) && !is_data {
                        let is_map =
                            member.kind() == ValueKind::Object && is_one_of(key, "map-keys");
                        stack.push((member, !has_names && is_map));
                    }
                }
            }
        }
        let found = found.into_iter();
        let mut found: Vec<_> = found.map(|(key, (count, at))| (key, count, at)).collect();
        found.sort_unstable_by_key(|(.., place)| *place);
        found
    }
}

/// Whether a member of an object says something about a deprecation that is not read.
fn is_unread(member: Node<'_>, key: &str, is_known: bool) -> bool {
    let is_empty = member.kind() == ValueKind::Null
        || member.as_bool() == Some(false)
        || matches!(member.as_str(), Some("" | "false"));
    if is_empty {
        return false;
    }
    match MarkerSource::of(key) {
        Some(MarkerSource::Flag) => !is_known && member.as_bool() == Some(true),
        Some(source) => !is_known && source.marks(),
        None if looks_like_mark(key) => true,
        None => {
            let holder = member
                .parent()
                .and_then(Node::key)
                .and_then(MarkerSource::of);
            holder.is_some_and(MarkerSource::has_details) && !is_fact(key)
        }
    }
}

/// Whether an extension is a date, or has one, that may be an end.
fn gives_other_date(member: Node<'_>, key: &str) -> bool {
    let mut values = [member].into_iter().chain(member.children());
    let is_day = |text| parse_date(text).is_some_and(|date| date.day().is_some());
    key.starts_with("x-")
        && !has_part(key, "other-dates", |_| false)
        && values.any(|value| value.as_str().is_some_and(is_day))
}

/// Whether a key is an extension that holds no part of the description.
fn is_other_extension(key: &str) -> bool {
    key.starts_with("x-")
        && !matches!(
            key,
            "x-ms-paths" | "x-webhooks" | "x-oai-additionalOperations"
        )
        && !MarkerSource::of(key).is_some_and(MarkerSource::has_details)
}
