//! `[severity]`: the severity of single rules and checks.

use std::collections::BTreeMap;

use super::keys::{ConfigKey, KeyType};
use sundown_files::toml_file::{TableReader, WithSpan};
use sundown_lint::rules::Severity;

/// The key `severity`.
pub(super) const KEY: ConfigKey = ConfigKey::optional(
    "severity",
    KeyType::Named(&["error", "warning", "note", "off"]),
    "The severity of single rules, by id, regardless of the days left; `off` disables a rule. The maximum of `response-severity` still applies, and a possible finding is one severity lower. A check of API descriptions is named by its id (`undated`), for all rules, or as reports show it (`\"undated/order-legacy-id\"`), for one rule. An entry for a check and a rule takes precedence over one for the check, and that over one for the rule.",
    "\"note\"",
    "graded by the days left",
);

/// Reads the severities: by rule or check, each with the span of its name; `None` disables it.
pub(super) fn read_severities(
    fields: &mut TableReader<'_, '_>,
) -> BTreeMap<String, WithSpan<Option<Severity>>> {
    let mut severities = BTreeMap::new();
    let Some(table) = fields.table(KEY.name) else {
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
