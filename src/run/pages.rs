//! The pages about rules and formats: the lists, and one page for each rule.

use std::fmt::Write as _;

use crate::exchange::Side;
use crate::finding::Check;
use crate::input::{FORMATS, FormatInfo};
use crate::rule::{Element, Lifecycle, Place, Rule, RuleTable, Selector, Sides};
use crate::source::escaped;

/// All rules, a line each.
pub fn list(table: &RuleTable, lifecycle: &Lifecycle) -> String {
    let mut page = String::new();
    let width = table.rules().iter().map(|rule| rule.id.len()).max().unwrap_or_default();
    for (index, rule) in table.rules().iter().enumerate() {
        let first_of_file = index == 0 || table.file_of(index) != table.file_of(index - 1);
        if first_of_file {
            let file = table.file_of(index);
            let gap = if index == 0 { "" } else { "\n" };
            let _ = writeln!(page, "{gap}{} ({})", table.file_name(file), table.api(file));
        }
        let element = rule.element.name().unwrap_or("(whole endpoint)");
        let _ = writeln!(page, "  {:width$}  {}  {element}", rule.id, removal(rule, lifecycle));
    }
    let _ =
        writeln!(page, "\n{} rules; `sundown explain ID` tells more of each", table.rules().len());
    page
}

fn removal(rule: &Rule, lifecycle: &Lifecycle) -> String {
    match rule.removal {
        None => format!("{:27}", "no date announced"),
        Some(date) => {
            let days = lifecycle.days_left(date);
            let left = if days < 0 {
                format!("({} days ago)", -days)
            } else {
                format!("({days} days left)")
            };
            format!("{date} {left:16}")
        }
    }
}

fn in_days(days: i64) -> String {
    format!("{days} day{}", if days == 1 { "" } else { "s" })
}

/// The page of one rule: what, why, since when, until when, what to use instead, where, and an example.
pub fn explain(table: &RuleTable, index: usize, lifecycle: &Lifecycle) -> String {
    let Some(rule) = table.rules().get(index) else { return String::new() };
    let mut page = String::new();
    let line = |page: &mut String, name: &str, text: &str| {
        let _ = writeln!(page, "  {name:13}{text}");
    };
    let _ = writeln!(page, "{}\n", rule.id);
    line(&mut page, "What", &what(rule, table.api(table.file_of(index))));
    line(&mut page, "Why", rule.note.as_deref().unwrap_or("no reason was announced"));
    let since = rule
        .introduced
        .map_or_else(|| "not announced".to_owned(), |date| format!("deprecated on {date}"));
    line(&mut page, "Since", &since);
    line(&mut page, "Until", &until(rule, lifecycle));
    line(
        &mut page,
        "Use instead",
        rule.replacement.as_deref().unwrap_or("no replacement was announced"),
    );
    if let Some(docs) = &rule.docs {
        line(&mut page, "Read more", docs);
    }
    if let Some(fix) = &rule.fix {
        let safety = if fix.safe { "changes nothing else" } else { "look at each place" };
        line(&mut page, "Rename to", &format!("{} ({safety})", fix.rename));
    }
    let example = rule.example();
    let _ = writeln!(page, "\n  Before       {}\n  After        {}", example.before, example.after);
    let _ = writeln!(page, "\n  Where it is looked for:");
    for place in grouped(&rule.places) {
        let _ = writeln!(page, "    {place}");
    }
    for place in table.schema_places(index) {
        let _ = writeln!(page, "    {}", escaped(&place.property));
        for (side, operations) in by_side(&place.operations) {
            let _ = writeln!(page, "      in the {side} of {operations}");
        }
    }
    for exception in &rule.exceptions {
        let _ = writeln!(page, "    never {}", exception.text());
    }
    page
}

/// The page of one check of descriptions.
pub fn explain_check(check: Check) -> String {
    let page = check.page();
    let mut text = format!("{}\n\n", check.id());
    for (name, what) in [
        ("What", page.what),
        ("Why", page.why),
        ("Severity", page.severity),
        ("Told to", page.who),
        ("Do", page.remedy),
        ("Mind", page.limits),
    ] {
        let _ = writeln!(text, "  {name:13}{what}");
    }
    text
}

fn what(rule: &Rule, api: &str) -> String {
    let subject = match &rule.element {
        Element::Endpoint => "the whole endpoint".to_owned(),
        Element::Field(field) => match &field.value {
            Some(value) => format!("the value `{value}` of the field `{}`", field.name),
            None => format!("the field `{}`", field.name),
        },
        element => format!("the {} `{}`", element.kind(), element.name().unwrap_or_default()),
    };
    match &rule.announced {
        Some(operation) => format!("{subject}, announced for {operation} ({api})"),
        None => format!("{subject} ({api})"),
    }
}

fn until(rule: &Rule, lifecycle: &Lifecycle) -> String {
    let Some(removal) = rule.removal else { return "no date announced".to_owned() };
    match lifecycle.days_left(removal) {
        days if days < 0 => format!("{removal}: removed {} ago", in_days(-days)),
        0 => format!("{removal}: today is its last day (UTC)"),
        days => format!("{removal}: works through that day (UTC), {} left", in_days(days)),
    }
}

/// The operations of each side that has any, the first of them by name.
fn by_side(operations: &[(String, Side)]) -> Vec<(&'static str, String)> {
    let of = |side: Side| {
        let all: Vec<_> = operations
            .iter()
            .filter(|(_, own)| *own == side)
            .map(|(name, _)| name.as_str())
            .collect();
        (!all.is_empty()).then(|| (side.name(), some_of(&all)))
    };
    Side::BOTH.into_iter().filter_map(of).collect()
}

/// The first three, and how many more there are.
fn some_of(operations: &[&str]) -> String {
    let named = operations.iter().take(3).copied().collect::<Vec<_>>().join(", ");
    let more = operations.len().saturating_sub(3);
    if more > 0 { format!("{named} and {more} more") } else { named }
}

/// The places, those of equal selectors and sides on one line each.
fn grouped(places: &[Place]) -> Vec<String> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for place in places {
        let selectors: Vec<_> = place.selectors.iter().map(Selector::text).collect();
        let sides = match place.sides {
            _ if selectors.is_empty() => "",
            Sides::Only(side) => side.name(),
            Sides::Both => "request and response",
        };
        let key = format!("{} {sides}", selectors.join(", ")).trim().to_owned();
        let operation = place.operation.to_string();
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, operations)) => operations.push(operation),
            None => groups.push((key, vec![operation])),
        }
    }
    groups
        .into_iter()
        .map(|(key, operations)| {
            let operations = some_of(&operations.iter().map(String::as_str).collect::<Vec<_>>());
            if key.is_empty() { operations } else { format!("{key} of {operations}") }
        })
        .collect()
}

/// The formats that are read: what each is called, what it is, and how it is recognised.
pub fn formats() -> String {
    let mut page = String::new();
    for info in FORMATS {
        let FormatInfo { name, title, recognised, limits, .. } = info;
        let _ = write!(page, "{name}\n  {title}\n  recognised by: {recognised}\n");
        if !limits.is_empty() {
            let _ = writeln!(page, "  {limits}");
        }
    }
    page
}
