//! Makes rules from API descriptions in the file system.

use std::collections::BTreeMap;
use std::path::Path;

use sundown_lint::rules::{RuleFile, UnsupportedElements};
use sundown_openapi::{Description, FileSource, LoadError, MarkerOptions};
use sundown_text_json::json::{scan, string};

/// The maximum number of notes of one kind; the others are counted.
const MAX_NOTES: usize = 3;

/// Whether a text that was named as rules or as a list is an API description, by its top-level keys.
pub(super) fn is_description(text: &str) -> bool {
    let start = text.len() - text.trim_start().len();
    let bytes = text.as_bytes();
    if bytes.get(start) == Some(&b'{') {
        let mut keys = scan::keys(bytes, start).peekable();
        // In YAML, keys between brackets need no quotes.
        if keys.peek().is_none() {
            return VERSIONS.iter().any(|key| text.contains(&format!("{key}:")));
        }
        return keys.any(|(key, _)| VERSIONS.contains(&&*string::decode(text, key)));
    }
    text.lines().any(|line| {
        let key = line.trim_start_matches(['"', '\'']);
        VERSIONS.iter().any(|version| {
            let rest = key
                .strip_prefix(version)
                .map(|rest| rest.trim_start_matches(['"', '\'']));
            rest.is_some_and(|rest| rest.trim_start().starts_with(':'))
        })
    })
}

/// The keys that give the version of the format of a description.
const VERSIONS: [&str; 2] = ["openapi", "swagger"];

/// Makes rules from the description in a file, whose bytes have been read. Local files that it refers to are read, too; nothing
/// is fetched from a network.
pub(super) fn load_description(
    path: &Path,
    bytes: &[u8],
    markers: MarkerOptions,
    files: &dyn FileSource,
) -> Result<RuleFile, LoadError> {
    let name = path.display().to_string();
    let description = Description::from_bytes(&name, bytes, files, markers)?.uncut()?;
    let (mut notes, is_marked) = remarks(&description);
    let (mut file, unmatched) = RuleFile::from_description(&name, description);
    notes.extend(unsupported_elements(&unmatched));
    if file.rules.is_empty() && !is_marked {
        notes.push(format!("{name} marks nothing as deprecated"));
    }
    file.notes = notes;
    Ok(file)
}

/// Lists what of a description is not read, and returns whether it has a mark, or what looks like one.
pub(super) fn remarks(description: &Description) -> (Vec<String>, bool) {
    let mut notes = problems(description);
    let unread = unread_keys(description);
    let is_marked = !unread.is_empty() || !description.markers().is_empty();
    notes.extend(unread);
    (notes, is_marked)
}

/// Lists the parts that could not be read, or not as they are written, with their locations.
pub(super) fn problems(description: &Description) -> Vec<String> {
    let unread = description.problems().iter();
    let unread: Vec<_> = unread
        .filter(|problem| problem.kind.affects_rules())
        .collect();
    let notes = unread.iter().take(MAX_NOTES).map(|problem| {
        let (at, kind) = (description.shown(problem.at), &problem.kind);
        format!("{at}: {kind}; {}", kind.help())
    });
    let more = unread.len().saturating_sub(MAX_NOTES);
    let more = (more > 0).then(|| {
        format!("and {more} more parts that could not be read, or not as they are written")
    });
    notes.chain(more).collect()
}

/// Lists the keys that look like marks and are not read, with their first locations.
fn unread_keys(description: &Description) -> Vec<String> {
    let unread = description.unread_keys().into_iter().map(|(key, count, place)| {
        let location = description.shown(place);
        let times = if count == 1 { String::new() } else { format!(", {count} times") };
        format!("{location}: the key `{key}`{times} looks like a mark or a detail of a deprecation, and is not read")
    });
    unread.collect()
}

/// Lists the deprecated elements that no rule can match, by kind.
pub(super) fn unsupported_elements(unmatched: &[UnsupportedElements]) -> Vec<String> {
    let mut notes: Vec<_> = unmatched.iter().map(unsupported_note).collect();
    notes.sort_unstable();
    notes
}

fn unsupported_note(elements: &UnsupportedElements) -> String {
    let UnsupportedElements {
        what,
        why,
        names,
        location,
    } = elements;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    let shown: Vec<_> = counts
        .iter()
        .take(MAX_NOTES)
        .map(|(name, count)| match count {
            1 => format!("`{}`", name.escape_debug()),
            _ => format!("`{}` ({count} times)", name.escape_debug()),
        })
        .collect();
    let more = match counts.len().saturating_sub(MAX_NOTES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let shown = shown.join(", ");
    format!("{location}: {what} {shown}{more} is deprecated; {why}, so it is not checked")
}
