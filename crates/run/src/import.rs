//! `sundown rules import`: makes a rules file from a list or a description.

use std::io::Read;
use std::path::Path;

use super::description_rules::{is_description, remarks, unsupported_elements};
use super::rules::{MAX_RULES, RulesReader, refuse_large_table};
use crate::config::Config;
use sundown_files::{FileAccess, read_limited, utf8_text};
use sundown_lint::rules::lists::ListFormat;
use sundown_lint::rules::lists::import::{ImportRemark, Imported, new_table};
use sundown_openapi::Description;
use sundown_report::Failure;
use sundown_text_json::text::{escape_unsafe, group_digits, io_error_text};

/// The format of an import.
#[derive(Debug)]
pub enum ImportFormat {
    /// A published list.
    List(ListFormat),
    /// An OpenAPI description.
    Description,
}

/// The result of an import.
#[derive(Debug)]
pub struct ImportOutcome {
    /// The rules file; empty if no entry becomes a rule.
    pub rules: String,
    /// Remarks about single entries, one per line.
    pub remarks: Vec<String>,
}

/// Makes a rules file from a list or a description, in this format or one that is recognised. The file `-` is standard input, which
/// can only be a list. The configuration says how a description is read. Without a name, the API has the title of the description, or the
/// file name of the list without its ending.
pub fn import(
    file: &Path,
    format: Option<ImportFormat>,
    api: Option<&str>,
    config: &Config,
    access: &FileAccess,
    stdin: &mut dyn Read,
) -> Result<ImportOutcome, Failure> {
    let name = file.display().to_string();
    let unreadable = |why: String| {
        let message = format!("the list {name} cannot be read: {why}");
        Failure::with_help(message, "check the path of the list")
    };
    let read = if name == "-" {
        read_limited(stdin, MAX_RULES)
    } else {
        access.read_whole(file, MAX_RULES)
    };
    let text = read.and_then(utf8_text);
    let text = text.map_err(|error| unreadable(io_error_text(&error)))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let format = match format {
        Some(format) => format,
        None => recognise(&name, text)?,
    };
    let (imported, mut remarks) = match format {
        ImportFormat::Description => describe(file, text, config, access)?,
        ImportFormat::List(format) => {
            refuse_large_table(text).map_err(unreadable)?;
            let imported = Imported::read(format, &name, text).map_err(Box::new)?;
            (imported, Vec::new())
        }
    };
    let line = |remark: &ImportRemark| {
        let text = format!("{name}:{}: {}", remark.location, remark.message);
        escape_unsafe(&text).into_owned()
    };
    let mut own = imported.remarks.clone();
    let mut rules = String::new();
    if !imported.entries.is_empty() {
        let title = imported.description.as_ref().map(|origin| &*origin.api);
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let api = api.or(title).unwrap_or(&stem);
        let table = new_table(&imported, api);
        let (table, further) = table.map_err(|refused| refusal(refused.iter().map(line)))?;
        rules = table;
        own.extend(further);
    }
    own.sort_by_key(|remark| remark.location);
    remarks.extend(own.iter().map(line));
    if rules.is_empty() {
        // A rules file has rules.
        let name = escape_unsafe(&name);
        let message = "no entry becomes a rule, so there is no rules file to make";
        remarks.push(format!("{name}: {message}"));
    }
    Ok(ImportOutcome { rules, remarks })
}

/// Reads a description. The remarks name the parts that could not be read, and the elements that no rule can match.
fn describe(
    file: &Path,
    text: &str,
    config: &Config,
    access: &FileAccess,
) -> Result<(Imported, Vec<String>), Failure> {
    let name = &*file.display().to_string();
    if name == "-" {
        let help = "name its file: rules point into it by its path";
        return Err(Failure::with_help(
            "the description on standard input has no path",
            help,
        ));
    }
    let local = RulesReader::new(config, access).local_files(file, None);
    let markers = config.settings.markers();
    let description = Description::from_bytes(name, text.as_bytes(), &local, markers)
        .and_then(Description::uncut)
        .map_err(|error| Failure::with_help(&error, error.kind.help()))?;
    let (mut notes, is_marked) = remarks(&description);
    // The rules file is printed, so its folder is the working directory.
    let here = std::path::absolute(".").unwrap_or_default();
    let (imported, unmatched) = Imported::from_description(name, description, &|name| {
        let path = Path::new(name);
        let path = path.strip_prefix(&here).unwrap_or(path).display();
        path.to_string().replace(std::path::MAIN_SEPARATOR, "/")
    });
    notes.extend(unsupported_elements(&unmatched));
    if imported.entries.is_empty() && !is_marked {
        let message = format!("{name} marks nothing as deprecated that a rule can match");
        let help = "mark elements with `deprecated: true`, read its texts with --deprecations-from-text, or write rules by hand";
        return Err(Failure::with_help(message, help));
    }
    let notes = notes.iter().map(|note| escape_unsafe(note).into_owned());
    Ok((imported, notes.collect()))
}

fn recognise(name: &str, text: &str) -> Result<ImportFormat, Failure> {
    if is_description(text) {
        return Ok(ImportFormat::Description);
    }
    let format = ListFormat::recognise(text).map(ImportFormat::List);
    format.ok_or_else(|| {
        let names = ListFormat::ALL.map(ListFormat::name).join(", ");
        let help = format!(
            "name its format with --from ({names}, openapi); docs/rules.md shows what each looks like, and --rules takes a CustomResourceDefinition as it is"
        );
        Failure::with_help(format!("{name} is not in a known format"), help)
    })
}

/// The failure if a rules file cannot have some of the entries: the first of its mistakes, and the number of the others.
fn refusal(mut mistakes: impl ExactSizeIterator<Item = String>) -> Failure {
    let mut message = mistakes.next().unwrap_or_default();
    if mistakes.len() > 0 {
        let more = group_digits(mistakes.len());
        message = format!("{message} (and {more} more of the entries)");
    }
    let help = "correct it: `sundown rules check` would refuse such a rule";
    Failure::with_help(message, help)
}
