//! Reads the tables of a configuration, each with the keys that `tables.toml` documents: allowances, the addresses of APIs, the layouts
//! of logs, the operations of bare bodies, and severities.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

use super::readers::{compile_globs, read_glob_list, read_one_of, refuse_empty_list};
use sundown_captures::LogShape;
use sundown_exchange::{HostPattern, OperationPattern, Side};
use sundown_files::GlobList;
use sundown_files::toml_file::{MessageText, Mistake, TableReader, WithSpan};
use sundown_lint::findings::suppression::{
    Allowance, AllowanceTerms, OperationScope, PointerPattern,
};
use sundown_lint::rules::{ApiAddress, BasePath, Grade, Severity, Sides};
use sundown_text_json::text::{Block, Locations, join};

/// Reads `[[allow]]`, findings that do not count until a date, in the file with this name and text.
pub(super) fn read_allowance(fields: TableReader<'_>, name: &str, text: &str) -> Option<Allowance> {
    let start = fields.span.start;
    let has_target = ["rule", "files", "operation", "pointer"]
        .iter()
        .any(|key| fields.has(key));
    let rules = fields.one_or_more("rule");
    let globs = fields.one_or_more("files");
    let files = globs.and_then(|globs| compile_globs("files", &globs, &fields));
    let operation = fields
        .string("operation")
        .and_then(|text| fields.accept(parse_operation(&text)));
    let pointer = fields
        .string("pointer")
        .and_then(|text| fields.accept(parse_pointer(&text)));
    let reason = fields.required_string("reason");
    let until = fields.lenient_date("until");
    let force = fields.boolean("force");
    if !has_target {
        fields.refuse_incomplete(
            "this allowance would apply to every finding",
            "add at least one of rule, files, operation and pointer",
        );
    }
    for key in ["rule", "files"] {
        refuse_empty_list(key, &fields);
    }
    fields.finish();
    let WithSpan { value, span } = until?;
    let terms = AllowanceTerms {
        file: name.into(),
        line: Locations::of(Block::whole(text.as_bytes()), vec![start])
            .get(start)
            .line,
        reason: join(reason?.value.split_whitespace(), " "),
        until: value.map_err(|()| {
            let written = text.get(span).unwrap_or_default();
            written.trim_matches(['"', '\'']).to_owned()
        }),
    };
    Some(Allowance {
        rules: rules
            .unwrap_or_default()
            .iter()
            .map(|rule| rule.value.to_owned())
            .collect(),
        files,
        operation,
        pointer,
        terms: Arc::new(terms),
        outlasts_removal: force.is_some_and(|force| force.value),
    })
}

/// Parses an operation as rules write it, or one that only descriptions can have.
fn parse_operation(text: &WithSpan<&str>) -> Result<OperationScope, Mistake> {
    match OperationPattern::parse(text.value) {
        Ok(pattern) => Ok(OperationScope::Pattern(pattern)),
        Err(_) if is_template(text.value) => Ok(OperationScope::Named(text.value.to_owned())),
        Err(error) => {
            let help = "write it as reports show it: \"POST /v1/orders/{id}\", or \"* /v1/**\"";
            Err(invalid(text, error, help))
        }
    }
}

/// Whether a text that is not a pattern has a method and a template like `/a/x{b}`, which rules cannot express.
fn is_template(text: &str) -> bool {
    text.split_once(' ').is_some_and(|(method, path)| {
        method.bytes().all(|byte| byte.is_ascii_uppercase())
            && path.starts_with('/')
            && path.contains('{')
            && !path.contains(' ')
    })
}

fn parse_pointer(text: &WithSpan<&str>) -> Result<PointerPattern, Mistake> {
    text.value.parse().map_err(|error| {
        let help = "write it as reports show it: \"/messages/*/citations\"";
        invalid(text, error, help)
    })
}

fn invalid(text: &WithSpan<&str>, error: impl Display, help: &'static str) -> Mistake {
    let message = MessageText::about(&format!("`{}`", text.value), &format!(": {error}"));
    Mistake::new(text.span.clone(), message).with_help(help)
}

/// The hosts and base paths of an API, or of all APIs.
#[derive(Debug)]
pub struct Api {
    /// The hosts and base paths.
    pub reach: ApiAddress,
    /// The span of the name of the API, or the start of the table.
    pub name_at: std::ops::Range<usize>,
    /// The span of its base paths.
    pub base_paths_at: std::ops::Range<usize>,
}

impl Api {
    /// Reads `[[api]]`.
    pub(super) fn read(fields: TableReader<'_>) -> Option<Self> {
        let api = fields.string("api");
        let hosts = read_list("hosts", &fields, |text| {
            HostPattern::parse(text).map_err(str::to_owned)
        });
        let base_paths = read_list("base-paths", &fields, BasePath::parse);
        if !fields.has("hosts") && !fields.has("base-paths") {
            fields.refuse_incomplete(
                "neither `hosts` nor `base-paths` is given",
                "give its hosts or its base paths",
            );
        }
        let name_at = api
            .as_ref()
            .map_or_else(|| fields.span.clone(), |api| api.span.clone());
        let base_paths_at = fields.span_of("base-paths").unwrap_or_default();
        fields.finish();
        let api = api.map(|api| api.value.to_owned());
        Some(Self {
            reach: ApiAddress {
                api,
                hosts: hosts?,
                base_paths: base_paths?,
            },
            name_at,
            base_paths_at,
        })
    }
}

/// Parses each entry of the list under `key`; `None` if one is invalid, which is noted as a mistake.
fn read_list<T>(
    key: &'static str,
    fields: &TableReader<'_>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Option<Vec<T>> {
    if !fields.has(key) {
        // Asking for the key makes it a known key.
        let _ = fields.strings(key);
        return Some(Vec::new());
    }
    let texts = fields.strings(key)?;
    if texts.is_empty() {
        let span = fields.span_of(key).unwrap_or_default();
        let message = MessageText::own(format!("`{key}` is empty"));
        fields.refuse(span, message, "omit it if nothing is known");
        return None;
    }
    let mut items = Vec::new();
    let count = texts.len();
    for WithSpan { value, span } in texts {
        match parse(value) {
            Ok(item) => items.push(item),
            Err(why) => fields.complain(span, format!("`{value}`: {why}")),
        }
    }
    (items.len() == count).then_some(items)
}

/// Reads `[[log]]`: where the records of a log have the parts of an exchange, or the order of the fields in its lines.
pub(super) fn read_log(fields: TableReader<'_>) -> Option<LogShape> {
    let has_files = fields.has("files");
    let mut shape = LogShape::read(&fields);
    shape.read_ignored(&fields);
    shape.files = if has_files {
        read_glob_list("files", &fields)
    } else {
        fields.one_or_more("files").and(None)
    };
    let has_call = [
        "url",
        "path",
        "request-line",
        "unwrap",
        "records",
        "correlation",
        "log-format",
        "ignore",
    ]
    .iter()
    .any(|key| fields.has(key));
    if !has_call {
        fields.refuse_incomplete(
            "none of `url`, `path`, `log-format` and `ignore` is given",
            "give the location of the URL: url = \"/http/url\"; or the format of lines that are not JSON",
        );
    }
    fields.finish();
    // An invalid list of files must not select all files.
    (shape.files.is_some() || !has_files).then_some(shape)
}

/// The operation and side of the bare bodies in some files.
#[derive(Debug)]
pub struct Payload {
    pub files: GlobList,
    /// The operation: method and path, or the last path segment of exactly one operation of the rules.
    pub operation: WithSpan<String>,
    /// The side; both if none is given.
    pub sides: Sides,
}

impl Payload {
    /// Reads `[[payload]]`.
    pub(super) fn read(fields: TableReader<'_>) -> Option<Self> {
        let files = read_glob_list("files", &fields);
        let operation = fields.required_string("operation");
        let side = read_one_of("side", &Side::BOTH.map(Side::name), &fields);
        let side = side.and_then(|side| Side::from_name(&side.value));
        fields.finish();
        Some(Self {
            files: files?,
            operation: operation?.map(str::to_owned),
            sides: side.map_or(Sides::Both, Sides::Only),
        })
    }
}

/// Reads `[severity]`, the severity of single rules and checks: by rule or check, each with the span of its name.
pub(super) fn read_severities(fields: &TableReader<'_>) -> BTreeMap<String, WithSpan<Grade>> {
    let mut severities = BTreeMap::new();
    let Some(table) = fields.table("severity") else {
        return severities;
    };
    for (rule, value) in table.value {
        let name = rule.get_ref().as_ref();
        let known = match value.get_ref().as_str() {
            Some("off") => Some(Grade::Off),
            text => Severity::ALL
                .into_iter()
                .find(|severity| Some(severity.name()) == text)
                .map(Grade::Always),
        };
        match known {
            Some(value) => {
                let span = rule.span();
                severities.insert(name.to_owned(), WithSpan { value, span });
            }
            None => {
                fields.refuse(
                    value.span(),
                    format!("the severity of `{name}` is unknown"),
                    "error, warning, note or off, as a string",
                );
            }
        }
    }
    severities
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    fn read(keys: &str) -> Result<Allowance, Vec<String>> {
        Config::parse("sundown.toml", &format!("[[allow]]\n{keys}\n"))
            .map(|config| config.allows[0].clone())
            .map_err(|error| {
                error
                    .mistakes
                    .into_iter()
                    .map(|mistake| mistake.message)
                    .collect()
            })
    }

    #[test]
    fn what_would_allow_everything_is_refused() {
        let found =
            |keys: &str| read(&format!("{keys}\nreason = 'x'\nuntil = 2026-01-01")).unwrap_err();
        assert_eq!(found(""), ["this allowance would apply to every finding"]);
        assert_eq!(found("rule = []"), ["`rule` is empty"]);
        assert_eq!(found("files = []"), ["`files` is empty"]);
    }

    #[test]
    fn reason_and_day_must_be_there() {
        assert_eq!(
            read("rule = 'x'").unwrap_err(),
            ["`reason` is missing", "`until` is missing"]
        );
        assert_eq!(
            read("rule = 'x'\nreason = ' '\nuntil = 2026-01-01").unwrap_err(),
            ["`reason` is empty"]
        );
    }

    #[test]
    fn a_day_that_is_none_counts_as_past_and_stops_nothing() {
        for until in [
            "2026-02-30",
            "'2026-13-01'",
            "'soon'",
            "'2026-02'",
            "20261231",
            "true",
        ] {
            let allowance = read(&format!("rule = 'x'\nreason = 'x'\nuntil = {until}")).unwrap();
            assert!(allowance.terms.until.is_err(), "{until}");
        }
        for until in [
            "2026-02-28",
            "'2026-02-28'",
            "'28 Feb 2026'",
            "2026-02-28T00:00:00Z",
        ] {
            let allowance = read(&format!("rule = 'x'\nreason = 'x'\nuntil = {until}")).unwrap();
            assert_eq!(allowance.terms.until, Ok("2026-02-28".parse().unwrap()));
        }
    }

    #[test]
    fn a_day_that_is_none_hides_no_mistake_elsewhere() {
        let found = read("rule = 'x'\nuntil = 2026-02-30").unwrap_err();
        assert_eq!(found, ["`reason` is missing"]);
        let found =
            read("rule = 'x'\nreason = 'x'\nuntil = 2026-02-30\nforce = maybe").unwrap_err();
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn operations_and_pointers_are_checked() {
        let found = |key: &str| {
            read(&format!("{key}\nreason = 'x'\nuntil = 2026-01-01"))
                .unwrap_err()
                .remove(0)
        };
        assert!(found("operation = 'POST v1'").contains("must begin with `/`"));
        assert!(found("operation = 'chat'").contains("a method and a path"));
        assert!(found("pointer = 'a/b'").contains("begins with `/`"));
        let named = read("operation = 'GET /a/{b}{c}'\nreason = 'x'\nuntil = 2026-01-01").unwrap();
        assert!(matches!(named.operation, Some(OperationScope::Named(_))));
    }
}
