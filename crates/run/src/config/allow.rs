//! `[[allow]]`: findings that do not count until a date, for a reason.

use std::fmt::Display;
use std::sync::Arc;

use super::readers::{compile_globs, refuse_empty_list};
use sundown_exchange::OperationPattern;
use sundown_files::toml_file::{MessageText, Mistake, TableReader, WithSpan};
use sundown_lint::findings::suppression::{
    Allowance, AllowanceTerms, OperationScope, PointerPattern,
};
use sundown_text_json::text::{Block, Locations, join};

/// Reads one table of the file with this name and text.
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
