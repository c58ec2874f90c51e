//! The operation and side of a bare body: given by the user, or by the name of the file.

use std::path::Path;

use sundown_exchange::{Call, OperationPattern, Side};
use sundown_files::GlobList;
use sundown_lint::rules::{RuleSet, Sides};
use sundown_text_json::text::quote_list;

/// The operation and side of bare bodies.
#[derive(Debug, Clone)]
pub struct BodyOperation {
    pub operation: OperationPattern,
    /// The side; both if it is unknown.
    pub sides: Sides,
}

/// The operation and side of the bare bodies in some files.
#[derive(Debug, Clone)]
pub struct BodyFiles {
    pub files: GlobList,
    /// The operation and side.
    pub named: BodyOperation,
}

/// The reason why a name is not that of an operation of the rules. The user's fault.
#[derive(Debug)]
pub struct OperationNameError {
    /// The mistake.
    pub message: String,
    /// The remedy.
    pub help: String,
    /// The operation, if only the rules do not know it.
    pub operation: Option<Box<OperationPattern>>,
}

/// Returns the operation that the user names by method and path or URL, or by its last path segment. Without a host, it may be one of
/// any API.
pub fn resolve_operation_name(
    text: &str,
    set: &RuleSet,
) -> Result<OperationPattern, OperationNameError> {
    if !text.contains(['/', ' ']) {
        return match set.operations_called(text).as_slice() {
            [only] => Ok((*only).clone()),
            [] => Err(mistake(
                format!("no operation of the rules ends in `{text}`"),
                nearest(text, set),
            )),
            several => Err(mistake(
                format!("`{text}` is the name of {} operations", several.len()),
                format!("write one of: {}", quote_list(several)),
            )),
        };
    }
    let mut known = set.operations().iter().map(|known| &known.pattern);
    if let Some(named) = known.find(|known| known.to_string() == text) {
        return Ok(named.clone());
    }
    let operation = parse_operation(text)
        .map_err(|error| mistake(format!("`{text}`: {error}"), nearest(text, set)))?;
    let call = Call::new(operation.method.clone(), operation.sample_target(), None);
    if set.resolve_call(&call).is_empty() {
        let unknown = mistake(format!("no rule covers `{text}`"), nearest(text, set));
        return Err(OperationNameError {
            operation: Some(Box::new(operation)),
            ..unknown
        });
    }
    Ok(operation)
}

/// An error about a text that names no known operation.
fn mistake(message: String, help: String) -> OperationNameError {
    OperationNameError {
        message,
        help,
        operation: None,
    }
}

/// Parses a method with a path or a URL.
fn parse_operation(text: &str) -> Result<OperationPattern, String> {
    let url = text.split_whitespace().last().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else {
        return OperationPattern::parse(text);
    };
    if scheme.is_empty() || rest.is_empty() || rest.starts_with('/') {
        return Err("the URL has no scheme or no host".to_owned());
    }
    let path = rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/");
    Ok(OperationPattern::parse(&text.replace(url, path))?.called_at(url))
}

/// Returns the operation and side that the name of a file gives, if it is the name of exactly one operation.
pub(super) fn operation_from_file_name(path: &Path, set: &RuleSet) -> Option<BodyOperation> {
    let (operations, side) = operations_from_file_name(path, set)?;
    match operations.as_slice() {
        [only] => Some(BodyOperation {
            operation: (*only).clone(),
            sides: Sides::Only(side),
        }),
        _ => None,
    }
}

/// Says that the name of a file is that of several operations; `None` if it is not.
pub(super) fn describe_ambiguous_name(path: &Path, set: &RuleSet) -> Option<String> {
    let (operations, _) = operations_from_file_name(path, set)?;
    (operations.len() > 1).then(|| {
        format!(
            "the name of the file is that of several operations: {}",
            quote_list(&operations)
        )
    })
}

/// Returns the operations and the side that the name of a file gives: `<operation>.<request|response>.json` or
/// `<operation>/<request|response>.json`, where `<operation>` is the last path segment.
fn operations_from_file_name<'t>(
    path: &Path,
    set: &'t RuleSet,
) -> Option<(Vec<&'t OperationPattern>, Side)> {
    let stem = path.file_name()?.to_str()?.strip_suffix(".json")?;
    let folder = path
        .parent()
        .and_then(Path::file_name)
        .and_then(|name| name.to_str());
    let (operation, side) = match stem.rsplit_once('.') {
        Some((operation, side)) => (operation, side),
        None => (folder?, stem),
    };
    let side = Side::from_name(side)?;
    Some((set.operations_called(operation), side))
}

/// Lists the three operations whose text is most similar to `text`.
fn nearest(text: &str, set: &RuleSet) -> String {
    let mut known: Vec<(f64, String)> = set
        .operations()
        .iter()
        .filter(|operation| operation.pattern.is_concrete())
        .map(|operation| {
            let likeness = likeness(text, &operation.pattern);
            // The user's own operations come first, if they are like it at all.
            let mut files = operation.files.iter();
            let is_own = files.any(|&file| set.origin(file).is_users());
            let rank = likeness + f64::from(u8::from(is_own && likeness > LIKE));
            (rank, operation.pattern.to_string())
        })
        .collect();
    known.sort_by(|(a, a_text), (b, b_text)| b.total_cmp(a).then_with(|| a_text.cmp(b_text)));
    known.truncate(3);
    format!(
        "the nearest are {}",
        quote_list(known.into_iter().map(|(_, text)| text))
    )
}

/// The likeness above which an operation may be meant.
const LIKE: f64 = 0.7;

fn likeness(text: &str, pattern: &OperationPattern) -> f64 {
    let short = |text: &str| {
        text.rsplit(['/', ' '])
            .next()
            .unwrap_or_default()
            .to_lowercase()
    };
    let by_last = strsim::jaro_winkler(&short(text), &short(pattern.path()));
    let by_all = strsim::normalized_levenshtein(text, &pattern.to_string());
    by_last.max(by_all)
}

#[cfg(test)]
mod tests {
    use sundown_lint::rules::RuleFile;

    use super::*;

    const OPERATIONS: [&str; 5] = [
        "POST /rest/api/v1/chat",
        "POST /rest/api/v1/getanswer",
        "GET /rest/api/v1/governance/data/policies",
        "POST /rest/api/v1/governance/data/policies",
        "PUT /rest/api/v1/documents",
    ];

    fn rule_set() -> RuleSet {
        let rules = OPERATIONS.iter().enumerate().map(|(number, operation)| {
            format!(
                "[[rule]]\nid = 'rule-{number}'\noperation = '{operation}'\nfield = 'old'\nat = ['$.old']\n"
            )
        });
        let text = format!("api = 'Test API'\n{}", rules.collect::<String>());
        RuleSet::new(vec![RuleFile::parse("test.toml", &text).unwrap()]).unwrap()
    }

    fn named(path: &str) -> Option<String> {
        let named = operation_from_file_name(Path::new(path), &rule_set())?;
        let side = match named.sides {
            Sides::Only(side) => side.name(),
            Sides::Both => "both",
        };
        Some(format!("{} {side}", named.operation))
    }

    #[test]
    fn files_named_after_operation_and_side_are_known() {
        assert_eq!(
            named("x/chat.request.json").as_deref(),
            Some("POST /rest/api/v1/chat request")
        );
        assert_eq!(
            named("chat/response.json").as_deref(),
            Some("POST /rest/api/v1/chat response")
        );
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
        let set = rule_set();
        let name =
            |text: &str| resolve_operation_name(text, &set).map(|operation| operation.to_string());
        assert_eq!(name("chat").unwrap(), "POST /rest/api/v1/chat");
        assert_eq!(
            name("POST /rest/api/v1/chat").unwrap(),
            "POST /rest/api/v1/chat"
        );
        assert!(
            name("policies")
                .unwrap_err()
                .help
                .contains("GET /rest/api/v1/governance/data/policies")
        );
    }

    #[test]
    fn an_unknown_operation_offers_the_nearest() {
        let set = rule_set();
        let unknown = |text| resolve_operation_name(text, &set).unwrap_err();
        for text in [
            "POST /rest/api/v1/chats",
            "POST chat",
            "post /chat/",
            "chta",
        ] {
            assert!(
                unknown(text).help.contains("`POST /rest/api/v1/chat`"),
                "{text}"
            );
        }
        assert!(unknown("POST /rest/api/v1/chats").operation.is_some());
        assert!(unknown("gatanswer").help.contains("getanswer"));
        assert!(unknown("POST rest/api").operation.is_none());
    }
}
