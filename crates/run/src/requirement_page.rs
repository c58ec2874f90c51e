//! The page of a requirement: what it demands, of which operations, and what to do.

use std::fmt::Write as _;

use sundown_exchange::Method;
use sundown_lint::rules::{ExchangeCondition, Grade, Requirement, RuleTable};
use sundown_report::{Cell, Table};

/// The facts about a requirement, with their names and in order.
#[derive(Debug)]
pub struct RequirementPage {
    pub id: String,
    pub facts: Vec<(&'static str, String)>,
    /// A sketch of an exchange that violates it.
    pub violates: String,
    /// A sketch of one that does not.
    pub fits: String,
}

impl RequirementPage {
    /// The page of the requirement with this index.
    pub fn new(table: &RuleTable, index: usize) -> Option<Self> {
        let rule = table.rules().get(index)?;
        let api = table.api(table.file_of(index));
        let requirement = rule.requirement.as_ref()?;
        let Requirement {
            when,
            unless,
            expect,
            message,
            remedy,
            section,
        } = &**requirement;
        let operations = rule
            .places
            .iter()
            .map(|place| format!("`{}`", place.operation))
            .collect::<Vec<_>>()
            .join(", ");
        let mut facts = vec![
            ("What", message.clone()),
            ("Operations", format!("{operations} ({api})")),
        ];
        facts.extend(in_words(when, ", and ").map(|when| ("When", when)));
        facts.extend(in_words(unless, ", or ").map(|unless| ("Unless", unless)));
        facts.extend(in_words(expect, ", and ").map(|expect| ("Expected", expect)));
        facts.push(("Do", remedy.clone()));
        facts.extend(section.clone().map(|section| ("Section", section)));
        facts.push(("Severity", severity(rule.grade)));
        facts.extend(rule.docs.clone().map(|docs| ("Read more", docs)));
        let (violates, fits) = example(requirement);
        Some(Self {
            id: rule.id.clone(),
            facts,
            violates,
            fits,
        })
    }
}

/// Joins conditions; `None` if there are none.
fn in_words(conditions: &[ExchangeCondition], separator: &str) -> Option<String> {
    let words: Vec<_> = conditions.iter().map(ToString::to_string).collect();
    (!words.is_empty()).then(|| words.join(separator))
}

fn severity(grade: Grade) -> String {
    match grade {
        Grade::Always(severity) => severity.name().to_owned(),
        Grade::ByDays => "warning".to_owned(),
        Grade::Off => "off: not checked".to_owned(),
    }
}

/// Prints the page of the requirement with this id; `None` if there is none.
pub fn explain_requirement(table: &RuleTable, id: &str) -> Option<String> {
    let (index, _) = table.rule(id)?;
    let RequirementPage {
        facts,
        violates,
        fits,
        ..
    } = RequirementPage::new(table, index)?;
    let mut text = format!("{id}\n\n");
    for (name, fact) in facts {
        let _ = writeln!(text, "  {name:13}{fact}");
    }
    let _ = writeln!(text, "\n  Violates     {violates}\n  Fits         {fits}");
    Some(text)
}

/// Lists all requirements, one per line.
pub(super) fn list_requirements(table: &RuleTable, width: Option<usize>) -> String {
    let rows = table.rules().iter().map(|rule| {
        let message = rule.requirement.as_ref().map(|own| own.message.as_str());
        [Cell::from(&*rule.id), message.unwrap_or_default().into()]
    });
    let lines = Table::plain(2).lines(rows, width);
    let mut page = String::new();
    let mut last_file = None;
    for (index, line) in lines.iter().enumerate() {
        let file = table.file_of(index);
        if last_file != Some(file) {
            let _ = writeln!(
                page,
                "\n{}: requirements ({})",
                table.file_name(file),
                table.api(file)
            );
            last_file = Some(file);
        }
        let _ = writeln!(page, "{line}");
    }
    page
}

/// Sketches an exchange that violates a requirement, and one that does not.
fn example(requirement: &Requirement) -> (String, String) {
    let condition = requirement.expect.first().or(requirement.when.last());
    let (fails, holds) = condition.map(sketches).unwrap_or_default();
    if requirement.expect.is_empty() {
        (holds, fails)
    } else {
        (fails, holds)
    }
}

/// Sketches an exchange for which a condition does not hold, and one for which it does.
fn sketches(condition: &ExchangeCondition) -> (String, String) {
    match condition {
        ExchangeCondition::Method(methods) => {
            let other = ["GET", "POST"]
                .into_iter()
                .find(|other| methods.iter().all(|m| m.as_str() != *other));
            let own = methods.first().map(Method::as_str).unwrap_or_default();
            (other.unwrap_or("PUT").to_owned(), own.to_owned())
        }
        ExchangeCondition::Status(codes) => (
            "200".to_owned(),
            codes.first().map(ToString::to_string).unwrap_or_default(),
        ),
        ExchangeCondition::Header { name, test, .. } => {
            let value = match (&test.equals, &test.starts_with) {
                (Some(value), _) => value.clone(),
                (None, Some(start)) => format!("{start}…"),
                (None, None) => "…".to_owned(),
            };
            let with = format!("{name}: {value}");
            let without = format!("(no {name})");
            if test.present == Some(false) {
                (with, without)
            } else {
                (without, with)
            }
        }
        ExchangeCondition::MediaType(_, types) => {
            let own = types.first().map(String::as_str).unwrap_or_default();
            (
                "content-type: text/plain".to_owned(),
                format!("content-type: {own}"),
            )
        }
        ExchangeCondition::Member { path, test, .. } => {
            let (fails, holds) = test.sketches();
            let [fails, holds] = [fails, holds].map(|value| match value {
                Some(value) => format!("{{\"{}\": {value}}}", path.name),
                None => "{}".to_owned(),
            });
            (fails, holds)
        }
        ExchangeCondition::BodyText(_, texts) => {
            let own = texts.first().map(String::as_str).unwrap_or_default();
            ("\"…\"".to_owned(), format!("\"… {own} …\""))
        }
    }
}
