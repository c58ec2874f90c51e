//! The guide to API versions that releases of Kubernetes no longer serve: a Markdown page with a heading for each release, and
//! a sentence for each group version and its kinds.
//!
//! The guide names releases, not days, because each cluster stops serving a version when it is upgraded. The rules have no
//! date; their notes name the release.

use std::borrow::Cow;

use super::ImportedEntry;
use super::collector::{EntryCells, ListCell, ListCollector};
use crate::rules::{AnnouncementSite, RulePlace, Sides};
use crate::toml_file::WithSpan;
use crate::traffic::{OperationPattern, resource_name};

/// A paragraph or a list item, with the offset of its first line.
struct Paragraph {
    start: usize,
    text: String,
}

/// Returns whether a text is the guide.
pub(super) fn is_guide(text: &str) -> bool {
    text.contains("## Removed APIs by release") && text.contains("API version")
}

/// Reads the guide.
pub(super) fn read(text: &str, collector: &mut ListCollector) {
    collector.mark_as_list();
    let mut release = None;
    let mut pending: Vec<RemovedVersion> = Vec::new();
    for paragraph in paragraphs(text) {
        if let Some(heading) = paragraph.text.strip_prefix('#') {
            add_all(&mut pending, None, collector);
            let heading = heading.trim_start_matches('#').trim();
            let version = heading
                .strip_prefix('v')
                .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            release = version
                .map(str::to_owned)
                .or(release.filter(|_| paragraph.text.starts_with("####")));
            continue;
        }
        let Some(release) = &release else { continue };
        if paragraph.text.contains("no longer served")
            || paragraph.text.contains("longer be served")
        {
            add_all(&mut pending, None, collector);
            pending = removed_versions(&paragraph, release);
        } else if paragraph.text.contains("Migrate manifests") {
            let replacement = group_versions(&paragraph.text).into_iter().next();
            add_all(&mut pending, replacement.as_deref(), collector);
        }
    }
    add_all(&mut pending, None, collector);
}

/// A kind in a group version that a release no longer serves.
struct RemovedVersion {
    start: usize,
    group_version: String,
    kind: String,
    release: String,
}

/// Splits a page at blank lines, headings and list items.
fn paragraphs(text: &str) -> Vec<Paragraph> {
    let mut found: Vec<Paragraph> = Vec::new();
    let (mut start, mut is_open) = (0, false);
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        let begins = content.starts_with(['#', '*', '-']) && !content.starts_with("**");
        match found.last_mut().filter(|_| is_open && !begins) {
            Some(last) if !content.is_empty() => {
                last.text.push(' ');
                last.text.push_str(content);
            }
            _ if !content.is_empty() => {
                found.push(Paragraph { start, text: content.to_owned() });
            }
            _ => {}
        }
        is_open = !content.is_empty() && !content.starts_with('#');
        start += line.len();
    }
    found
}

/// The group versions that a text has in bold: `**batch/v1beta1**`.
fn group_versions(text: &str) -> Vec<String> {
    let bold = text.split("**").skip(1).step_by(2);
    bold.filter(|part| part.contains('/')).map(str::to_owned).collect()
}

/// The kinds and group versions of a sentence about what is no longer served.
fn removed_versions(paragraph: &Paragraph, release: &str) -> Vec<RemovedVersion> {
    let text = &paragraph.text;
    // `The **batch/v1beta1** API version of CronJob is …`, or `RuntimeClass in the **node.k8s.io/v1beta1** API version is …`.
    let after = |marker: &str| text.split_once(marker).map(|(_, after)| after);
    let kinds = after("API version of ").or_else(|| after("API versions of ")).unwrap_or(text);
    let is_kind = |word: &&str| {
        word.chars().next().is_some_and(char::is_uppercase)
            && word.chars().all(char::is_alphanumeric)
    };
    let words =
        kinds.split_whitespace().take_while(|word| !["is", "are", "will", "in"].contains(word));
    let kinds: Vec<_> = words.map(|word| word.trim_matches(',')).filter(is_kind).collect();
    let mut removed = Vec::new();
    for group_version in group_versions(text) {
        removed.extend(kinds.iter().map(|kind| RemovedVersion {
            start: paragraph.start,
            group_version: group_version.clone(),
            kind: (*kind).to_owned(),
            release: release.to_owned(),
        }));
    }
    removed
}

fn add_all(
    removed: &mut Vec<RemovedVersion>,
    replacement: Option<&str>,
    collector: &mut ListCollector,
) {
    for RemovedVersion { start, group_version, kind, release } in removed.drain(..) {
        let span = start..start + 1;
        let cell = |text: String| -> Option<ListCell<'static>> {
            Some(WithSpan { value: Cow::Owned(text), span: span.clone() })
        };
        collector.add_entry(&EntryCells {
            operation: cell(format!("* /apis/{group_version}/{}", resource_name(&kind))),
            kind: cell("endpoint".to_owned()),
            replacement: replacement.and_then(|replacement| cell(format!("{replacement} {kind}"))),
            note: cell(format!("not served by Kubernetes {release} and later")),
            span: span.clone(),
            ..EntryCells::default()
        });
    }
}

/// The segments before a resource: none, a namespace, and those of an older form of the parameter `watch`.
const PLACES: [&str; 4] =
    ["", "/namespaces/{namespace}", "/watch", "/watch/namespaces/{namespace}"];

/// Adds the further paths of each resource: of single objects, in namespaces, and to watch them.
pub(super) fn locate(entries: &mut [ImportedEntry]) {
    for entry in entries {
        let AnnouncementSite::Operation(operation) = &entry.announcement.site else { continue };
        let path = operation.path();
        let Some((base, resource)) = path.rsplit_once('/') else { continue };
        let place = |place: &&str| {
            // `**` matches no segment, too.
            let operation = format!("* {base}{place}/{resource}/**");
            let operation = OperationPattern::parse(&operation).ok()?;
            Some(RulePlace { operation, sides: Sides::Both, selectors: Vec::new() })
        };
        entry.places = PLACES.iter().filter_map(place).collect();
    }
}
