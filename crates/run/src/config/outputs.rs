//! Reads the key `format`: which reports are written, and into which files.

use std::path::{Component, Path, PathBuf};

use super::readers::refuse_empty_list;
use sundown_files::toml_file::{Mistake, TableReader, WithSpan};
use sundown_report::OutputTarget;

/// Reads the output formats under `key`; at most one may go to standard output.
pub(super) fn read_outputs(
    key: &'static str,
    fields: &TableReader<'_>,
) -> Option<WithSpan<Vec<OutputTarget>>> {
    let texts = fields.one_or_more(key)?;
    let span = fields.span_of(key)?;
    refuse_empty_list(key, fields);
    let mut value: Vec<OutputTarget> = Vec::new();
    for text in texts {
        let target = parse_output(text.value, &value);
        value.extend(fields.accept(
            target.map_err(|(message, help)| Mistake::new(text.span, message).with_help(help)),
        ));
    }
    Some(WithSpan { value, span })
}

/// Parses an output format; the error is a message and a help text. The file of a report must be below the folder of the
/// configuration, whose author may be unknown, and no other report may be written to it.
fn parse_output(
    text: &str,
    others: &[OutputTarget],
) -> Result<OutputTarget, (String, &'static str)> {
    let target: OutputTarget = text.parse().map_err(|error: String| {
        (
            format!("`{text}`: {error}"),
            "to write a file, append its name: \"json=report.json\"",
        )
    })?;
    let Some(file) = target.file.as_deref() else {
        if others.iter().any(|other| other.file.is_none()) {
            let message = "only one format can go to standard output".to_owned();
            return Err((message, "write all others to files: \"json=report.json\""));
        }
        return Ok(target);
    };
    let is_plain = file.components().all(|part| {
        matches!(
            part,
            Component::Normal(_) | Component::CurDir | Component::ParentDir
        )
    });
    let Some(below) = normalize(file).filter(|_| is_plain) else {
        let message = format!(
            "`{}` is outside of the configuration's folder",
            file.display()
        );
        return Err((message, "name a file below that folder, or use --format"));
    };
    let mut files = others.iter().filter_map(|other| other.file.as_deref());
    if files.any(|other| normalize(other).as_ref() == Some(&below)) {
        let message = format!("two formats would be written to `{}`", file.display());
        return Err((message, "give each its own file"));
    }
    Ok(target)
}

/// Removes `.` and `..` from a path; `None` if it climbs above its beginning.
fn normalize(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.pop() => {}
            Component::ParentDir => return None,
            named => plain.push(named),
        }
    }
    Some(plain)
}
