//! Writes lists in any format.

use super::exported::{Exported, left_out};
use crate::rules::lists::ListFormat;
use crate::rules::{Announcement, RuleTable};

/// Writes all rules of a table. The error says what was left out, and that nothing is left.
pub fn export(format: ListFormat, table: &RuleTable) -> Result<Exported, String> {
    let mut announcements = Vec::new();
    let mut located: Vec<&str> = Vec::new();
    let mut conditional: Vec<&str> = Vec::new();
    let mut possible: Vec<&str> = Vec::new();
    let operations = table.located_operations();
    for (number, rule) in table.rules().iter().enumerate() {
        let id = rule.id.as_str();
        possible.extend(rule.is_possible.then_some(id));
        if rule.element.is_about_many_values() || !rule.when.is_empty() {
            conditional.push(id);
            continue;
        }
        let own = Announcement::of(rule, operations.get(&number));
        if own.is_empty() && !located.contains(&id) {
            located.push(id);
        }
        announcements.extend(own);
    }
    let why = "because no operation has them in its bodies, or too many have";
    let located = left_out("rule", why, &located);
    let why = "because such a list has single values and no conditions";
    let conditional = left_out("rule", why, &conditional);
    let why = "because the format cannot say that a deprecation is only possible";
    let possible = left_out("doubt", why, &possible);
    let mut left_out: Vec<String> = located.into_iter().chain(conditional).collect();
    if announcements.is_empty() && !left_out.is_empty() {
        let nothing = "none of these rules can be written in this format";
        return Err(format!("{nothing}; {}", left_out.join("; ")));
    }
    left_out.extend(possible);
    let text = match format {
        ListFormat::Markdown => super::markdown::write(&announcements),
        ListFormat::Csv => super::csv::write(&announcements),
        ListFormat::Json => super::json::write(&announcements),
    };
    Ok(Exported { text, left_out })
}
