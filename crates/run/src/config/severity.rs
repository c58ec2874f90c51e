//! `[severity]`: the severity of single rules and checks.

use std::collections::BTreeMap;

use sundown_files::toml_file::{TableReader, WithSpan};
use sundown_lint::rules::Severity;

/// Reads the severities: by rule or check, each with the span of its name; `None` disables it.
pub(super) fn read_severities(
    fields: &TableReader<'_>,
) -> BTreeMap<String, WithSpan<Option<Severity>>> {
    let mut severities = BTreeMap::new();
    let Some(table) = fields.table("severity") else {
        return severities;
    };
    for (rule, value) in table.value {
        let name = rule.get_ref().as_ref();
        let known = match value.get_ref().as_str() {
            Some("off") => Some(None),
            text => Severity::ALL
                .into_iter()
                .find(|severity| Some(severity.name()) == text)
                .map(Some),
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
