//! The operation and side of a bare body: given by the user, or by the name of the file.

use std::path::Path;

use crate::formats::GlobList;
use crate::rules::{RuleTable, Sides};
use crate::text::quote_list;
use crate::traffic::{OperationPattern, Side};

/// The operation and side of bare bodies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyOperation {
    /// The operation.
    pub operation: OperationPattern,
    /// The side; both if it is unknown.
    pub sides: Sides,
}

/// The operation and side of the bare bodies in some files.
#[derive(Debug, Clone)]
pub struct BodyFiles {
    /// The files.
    pub files: GlobList,
    /// The operation and side.
    pub named: BodyOperation,
}

/// The reason why a name is not that of an operation. The user's fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationNameError {
    /// The mistake.
    pub message: String,
    /// The remedy.
    pub help: String,
}

/// Returns the operation that the user names by method and path, or by its last path segment, and a warning if no rule covers
/// it.
pub fn resolve_operation_name(
    text: &str,
    table: &RuleTable,
) -> Result<(OperationPattern, Option<String>), OperationNameError> {
    if !text.contains(['/', ' ']) {
        return match table.operations_called(text).as_slice() {
            [only] => Ok(((*only).clone(), None)),
            [] => Err(OperationNameError {
                message: format!("no operation of the rules ends in `{text}`"),
                help: nearest(text, table),
            }),
            several => Err(OperationNameError {
                message: format!("`{text}` is the name of {} operations", several.len()),
                help: format!("write one of: {}", quote_list(several)),
            }),
        };
    }
    let operation = OperationPattern::parse(text).map_err(|error| OperationNameError {
        message: format!("`{text}`: {error}"),
        help: nearest(text, table),
    })?;
    let target = crate::traffic::Target::parse(operation.path());
    let covered = !table.resolve(operation.method.as_ref(), &target).is_empty();
    let warning =
        (!covered).then(|| format!("no rule covers `{operation}`; {}", nearest(text, table)));
    Ok((operation, warning))
}

/// Returns the operation and side that the name of a file gives: `<operation>.<request|response>.json` or
/// `<operation>/<request|response>.json`, where `<operation>` is the last path segment of exactly one operation.
pub(super) fn operation_from_file_name(path: &Path, table: &RuleTable) -> Option<BodyOperation> {
    let stem = path.file_name()?.to_str()?.strip_suffix(".json")?;
    let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    let (operation, side) = match stem.rsplit_once('.') {
        Some((operation, side)) => (operation, side),
        None => (folder?, stem),
    };
    let side = Side::from_name(side)?;
    match table.operations_called(operation).as_slice() {
        [only] => Some(BodyOperation { operation: (*only).clone(), sides: Sides::Only(side) }),
        _ => None,
    }
}

/// Lists the three operations whose text is most similar to `text`.
fn nearest(text: &str, table: &RuleTable) -> String {
    let mut known: Vec<(f64, String)> = table
        .operations()
        .iter()
        .filter(|operation| operation.pattern.is_concrete())
        .map(|operation| (likeness(text, &operation.pattern), operation.pattern.to_string()))
        .collect();
    known.sort_by(|(a, a_text), (b, b_text)| b.total_cmp(a).then_with(|| a_text.cmp(b_text)));
    known.truncate(3);
    format!("the nearest are {}", quote_list(known.into_iter().map(|(_, text)| text)))
}

fn likeness(text: &str, pattern: &OperationPattern) -> f64 {
    let short = |text: &str| text.rsplit('/').next().unwrap_or_default().to_lowercase();
    let by_last = strsim::jaro_winkler(&short(text), &short(pattern.path()));
    let by_all = strsim::normalized_levenshtein(text, &pattern.to_string());
    by_last.max(by_all)
}

#[cfg(test)]
mod tests {
    use super::super::rules::{RuleSelection, load_rules};
    use super::*;

    fn table() -> RuleTable {
        load_rules(&RuleSelection::default()).unwrap()
    }

    fn named(path: &str) -> Option<String> {
        let named = operation_from_file_name(Path::new(path), &table())?;
        let side = match named.sides {
            Sides::Only(side) => side.name(),
            Sides::Both => "both",
        };
        Some(format!("{} {side}", named.operation))
    }

    #[test]
    fn files_named_after_operation_and_side_are_known() {
        assert_eq!(named("x/chat.request.json").as_deref(), Some("POST /rest/api/v1/chat request"));
        assert_eq!(named("chat/response.json").as_deref(), Some("POST /rest/api/v1/chat response"));
        for path in [
            "chat.json",
            "chat.requests.json",
            "request.json",
            "policies.request.json",
            "nothing.request.json",
        ] {
            assert_eq!(named(path), None, "{path}");
        }
    }

    #[test]
    fn operations_are_named_in_full_or_by_their_last_segment() {
        let table = table();
        let name = |text: &str| {
            resolve_operation_name(text, &table)
                .map(|(operation, warning)| (operation.to_string(), warning))
        };
        assert_eq!(name("chat").unwrap(), ("POST /rest/api/v1/chat".to_owned(), None));
        assert_eq!(name("POST /rest/api/v1/chat").unwrap().1, None);
        assert!(
            name("policies")
                .unwrap_err()
                .help
                .contains("GET /rest/api/v1/governance/data/policies")
        );
    }

    #[test]
    fn an_unknown_operation_offers_the_nearest() {
        let table = table();
        let (_, warning) = resolve_operation_name("POST /rest/api/v1/chats", &table).unwrap();
        assert!(warning.unwrap().contains("`POST /rest/api/v1/chat`"));
        assert!(
            resolve_operation_name("gatanswer", &table).unwrap_err().help.contains("getanswer")
        );
        assert!(resolve_operation_name("POST rest/api", &table).is_err());
    }
}
