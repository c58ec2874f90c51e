//! API descriptions in the file system, as the rules of a run.

use std::path::Path;

use crate::json::{scan, string};
use crate::openapi::{DateSources, Description, FileSource, LoadError, ProblemCost};
use crate::rules::{RuleFile, UnsupportedElement};

/// How many notes of one kind are told; the rest are counted.
const TOLD: usize = 3;

/// Whether a text that was named as rules or as a list of them is an API description: by its keys at the top.
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
    let names_version = |line: &str| {
        let key = line.trim_start_matches(['"', '\'']);
        VERSIONS.iter().any(|version| {
            let behind = key.strip_prefix(version).map(|rest| rest.trim_start_matches(['"', '\'']));
            behind.is_some_and(|behind| behind.trim_start().starts_with(':'))
        })
    };
    text.lines().any(names_version)
}

/// The keys that say which version of which language a description is written in.
const VERSIONS: [&str; 2] = ["openapi", "swagger"];

/// The rules that the description in a file makes, of which the bytes have been read; local files beside it are read as
/// well, and nothing is ever fetched.
pub(super) fn load_description(
    path: &Path,
    bytes: &[u8],
    dates: DateSources,
    files: &dyn FileSource,
) -> Result<RuleFile, LoadError> {
    let name = path.display().to_string();
    let description = Description::from_bytes(&name, bytes, files, dates)?.uncut()?;
    let mut notes = problems(&description);
    let (mut file, unmatched) = RuleFile::from_description(&name, description);
    notes.extend(left_out(&name, &unmatched));
    if file.rules.is_empty() {
        notes.push(format!("{name} marks nothing as deprecated"));
    }
    file.notes = notes;
    Ok(file)
}

/// What could not be looked at, each with its place.
pub(super) fn problems(description: &Description) -> Vec<String> {
    let located = description.located_problems().into_iter();
    let unread: Vec<_> =
        located.filter(|(problem, _)| problem.kind.cost() == ProblemCost::Unread).collect();
    let told = unread.iter().take(TOLD).map(|(problem, at)| {
        let file = description.file(problem.file).map_or("", |file| &file.name);
        format!("{file}:{}:{}: {}; {}", at.line, at.column, problem.kind, problem.kind.help())
    });
    let more = unread.len().saturating_sub(TOLD);
    let more = (more > 0).then(|| format!("and {more} more places that could not be looked at"));
    told.chain(more).collect()
}

/// What is marked and cannot be looked for, counted by kind.
pub(super) fn left_out(name: &str, unmatched: &[UnsupportedElement]) -> Vec<String> {
    let mut kinds: Vec<&str> = unmatched.iter().map(|one| one.what).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let note = |kind: &str| {
        let all: Vec<_> = unmatched.iter().filter(|one| one.what == kind).collect();
        let names: Vec<_> =
            all.iter().take(TOLD).map(|one| format!("`{}`", one.name.escape_debug())).collect();
        let more = all.len().saturating_sub(TOLD);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!(
            "{name}: {kind} {}{more} is deprecated; captures do not tell, so it is not looked for",
            names.join(", ")
        )
    };
    kinds.into_iter().map(note).collect()
}
