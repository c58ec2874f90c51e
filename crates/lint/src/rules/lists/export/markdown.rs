//! Rules as a table in GitHub Flavored Markdown.

use std::fmt::Write as _;

use super::format::ListedRule;
use crate::rules::lists::element_names::named;
use sundown_text_json::text::markdown::{code_cell as code, plain};

/// Writes a row for each rule in an operation, with a column of links if there are any.
pub(super) fn write(listed: &[ListedRule<'_>]) -> String {
    let has_docs = listed.iter().any(|listed| listed.rule.docs.is_some());
    let (docs, dashes) = if has_docs {
        (" Docs |", "---|")
    } else {
        ("", "")
    };
    let mut text = format!(
        "| Operation | Item | Replacement | Note | Introduced | Removal date |{docs}\n|---|---|---|---|---|---|{dashes}\n"
    );
    for ListedRule { rule, operation } in listed {
        let replacement = rule.replacement.as_deref();
        let [introduced, removal] = [rule.introduced, rule.removal]
            .map(|date| date.map_or_else(|| "not announced".to_owned(), |date| date.to_string()));
        let _ = write!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            code(&operation.to_string()),
            named(&rule.element, code),
            replacement.map_or_else(|| "none stated".to_owned(), plain),
            rule.note.as_deref().map(plain).unwrap_or_default(),
            introduced,
            removal,
        );
        if has_docs {
            let link = rule.docs.as_deref().map(plain).unwrap_or_default();
            let _ = write!(text, " {link} |");
        }
        text.push('\n');
    }
    text
}
