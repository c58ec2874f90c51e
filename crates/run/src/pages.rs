//! The pages about rules and formats: one page for each rule, and the list of formats.

use std::borrow::Borrow;
use std::fmt::Write as _;

use super::rule_locations::{RuleLocations, group_locations};
use sundown_captures::{Format, FormatSpec, log_shapes};
use sundown_exchange::Side;
use sundown_lint::findings::Check;
use sundown_lint::rules::{
    AfterRemoval, Grade, Lifecycle, RemovedInRequest, RemovedInResponse, Rule, RuleExample,
    RuleTable, ValueTest,
};
use sundown_report::{Cell, FindingDetail};
use sundown_text_json::text::escape_unsafe;

/// The day on which an element ends, and the days left.
pub(super) fn removal(rule: &Rule, lifecycle: &Lifecycle) -> [Cell; 2] {
    let left = match rule.removal.map(|date| lifecycle.days_left(date)) {
        None if matches!(rule.element.value, Some(ValueTest::Supported { .. })) => {
            "a date for each version".to_owned()
        }
        None => no_date(rule).to_owned(),
        Some(days @ ..0) => format!("({} ago)", in_days(-days)),
        Some(days) => format!("({} left)", in_days(days)),
    };
    [
        rule.removal.map(|date| date.to_string()).into(),
        left.into(),
    ]
}

/// What is said about a rule without a removal date.
fn no_date(rule: &Rule) -> &'static str {
    if rule.has_unreadable_end {
        "a date that cannot be read"
    } else {
        "no date announced"
    }
}

fn in_days(days: i64) -> String {
    format!("{days} day{}", if days == 1 { "" } else { "s" })
}

/// The facts about a rule that do not depend on the day.
#[derive(Debug)]
pub struct RulePage {
    /// Facts with their names, in order. Names of elements are in backticks.
    pub facts: Vec<(&'static str, String)>,
    /// An example with the element, and without it.
    pub example: RuleExample,
    /// The locations of the element, that in the announced operation first.
    pub locations: Vec<RuleLocations>,
    /// Locations that are never a use.
    pub exceptions: Vec<String>,
}

impl RulePage {
    /// Returns the page of the rule with this index; `until` words the end of the element's life.
    pub fn new(table: &RuleTable, index: usize, until: impl Fn(&Rule) -> String) -> Option<Self> {
        let rule = table.rules().get(index)?;
        let exceptions = rule
            .exceptions
            .iter()
            .map(|exception| exception.text().to_owned());
        Some(Self {
            facts: facts(rule, table.api(table.file_of(index)), until(rule)),
            example: rule.example(),
            locations: group_locations(rule),
            exceptions: exceptions.collect(),
        })
    }
}

fn facts(rule: &Rule, api: &str, until: String) -> Vec<(&'static str, String)> {
    let since = rule.introduced.map(|date| format!("deprecated on {date}"));
    let mut facts = vec![
        ("What", what(rule, api)),
        (
            "Why",
            text_or(rule.note.as_deref(), "no reason was announced"),
        ),
        ("Since", text_or(since.as_deref(), "not announced")),
        ("Until", until),
        (
            "Use instead",
            text_or(rule.replacement.as_deref(), "no replacement was announced"),
        ),
    ];
    if rule.versions.are_stated() {
        facts.push(("Versions", rule.versions.summary()));
    }
    facts.extend(after_removal(rule).map(|fate| ("Afterwards", fate)));
    facts.extend(graded(rule.grade).map(|grade| ("Severity", grade)));
    let doubt = "it is only possible that it is deprecated: one severity lower";
    facts.extend(rule.is_possible.then(|| ("Certainty", doubt.to_owned())));
    facts.extend(rule.docs.clone().map(|docs| ("Read more", docs)));
    facts.extend(
        rule.sources
            .iter()
            .map(|source| ("Source", source.to_string())),
    );
    facts.extend(rule.edit().map(|fix| {
        let safety = if fix.safe {
            "keeps the meaning"
        } else {
            "look at each place"
        };
        let change = fix.edit.phrase(rule.element.name().unwrap_or_default());
        ("Fix", format!("{change} ({safety})"))
    }));
    facts
}

/// A text, or what to say if there is none.
fn text_or(text: Option<&str>, none: &str) -> String {
    text.unwrap_or(none).to_owned()
}

/// Returns what the rules file states about the time after the last day.
fn after_removal(rule: &Rule) -> Option<String> {
    let AfterRemoval {
        operation,
        request,
        response,
    } = rule.after_removal;
    if rule.element.is_endpoint() {
        return operation.map(|status| format!("calls are answered with {status}"));
    }
    let request = request.map(|request| match request {
        RemovedInRequest::Refused(status) => format!("requests with it are answered with {status}"),
        RemovedInRequest::Ignored => "ignored in requests".to_owned(),
    });
    let response = response.map(|response| match response {
        RemovedInResponse::Omitted => "missing from responses",
        RemovedInResponse::Null => "null in responses",
    });
    let stated: Vec<_> = request
        .into_iter()
        .chain(response.map(str::to_owned))
        .collect();
    (!stated.is_empty()).then(|| stated.join("; "))
}

/// Returns the configured severity of a rule, if there is one.
fn graded(grade: Grade) -> Option<String> {
    let words = match grade {
        Grade::ByDays => return None,
        Grade::Always(severity) => format!("{}, regardless of the days left", severity.name()),
        Grade::Off => "off: not checked".to_owned(),
    };
    Some(format!("{words} (by the configuration)"))
}

/// Prints the page of a rule: its facts, an example, and its locations.
pub fn explain_rule(
    table: &RuleTable,
    index: usize,
    lifecycle: &Lifecycle,
    detail: FindingDetail,
) -> String {
    let Some(page) = RulePage::new(table, index, |rule| until(rule, lifecycle)) else {
        return String::new();
    };
    let id = table.rules().get(index).map_or("", |rule| &rule.id);
    let RulePage {
        facts,
        example,
        locations,
        exceptions,
    } = page;
    let mut page = format!("{id}\n\n");
    for (name, text) in facts {
        let _ = writeln!(page, "  {name:13}{}", escape_unsafe(&text));
    }
    let before = escape_unsafe(&example.before);
    let after = escape_unsafe(&example.after);
    let _ = writeln!(page, "\n  Before       {before}\n  After        {after}");
    let _ = writeln!(page, "\n  Locations:");
    for RuleLocations {
        operations,
        is_announced,
        places,
    } in &locations
    {
        let operations = name_some(operations, detail);
        let announced = if *is_announced { " (announced)" } else { "" };
        let _ = writeln!(page, "    {}{announced}", escape_unsafe(&operations));
        for place in places {
            let _ = writeln!(page, "      {}", escape_unsafe(&place.to_string()));
        }
    }
    for place in table.users_of_properties(index) {
        let _ = writeln!(page, "    {}", escape_unsafe(&place.property));
        for (side, operations) in by_side(&place.operations, detail) {
            let _ = writeln!(page, "      in the {side} of {operations}");
        }
    }
    for exception in exceptions {
        let _ = writeln!(page, "    never {}", escape_unsafe(&exception));
    }
    page
}

/// Prints the page of a check of API descriptions.
pub fn explain_check(check: Check) -> String {
    let page = check.page();
    let mut text = format!("{}\n\n", check.id());
    for (name, what) in [
        ("What", page.what),
        ("Why", page.why),
        ("Severity", page.severity),
        ("Reported to", page.who),
        ("Do", page.remedy),
        ("Mind", page.limits),
    ] {
        let _ = writeln!(text, "  {name:13}{what}");
    }
    text
}

fn what(rule: &Rule, api: &str) -> String {
    let kind = match rule.element.part.kind() {
        "segment" => "path segment",
        kind => kind,
    };
    let subject = match (rule.element.name(), &rule.element.value) {
        (None, _) => (rule.title.clone()).unwrap_or_else(|| "the whole endpoint".to_owned()),
        (Some(name), None) => format!("the {kind} `{name}`"),
        (Some(name), Some(value)) => value.phrase(&format!("the {kind} `{name}`")),
    };
    match &rule.announced {
        Some(operation) => format!("{subject}, announced for {operation} ({api})"),
        None => format!("{subject} ({api})"),
    }
}

fn until(rule: &Rule, lifecycle: &Lifecycle) -> String {
    let Some(removal) = rule.removal else {
        return no_date(rule).to_owned();
    };
    match lifecycle.days_left(removal) {
        days if days < 0 => format!("{removal}: {} ago", in_days(-days)),
        0 => format!("{removal}: today is its last day (UTC)"),
        days => format!(
            "{removal}: works through that day (UTC), {} left",
            in_days(days)
        ),
    }
}

/// Groups operations by side, and names the first of each.
fn by_side(operations: &[(String, Side)], detail: FindingDetail) -> Vec<(&'static str, String)> {
    Side::BOTH
        .into_iter()
        .filter_map(|side| {
            let all: Vec<_> = operations
                .iter()
                .filter(|(_, own)| *own == side)
                .map(|(name, _)| name.as_str())
                .collect();
            (!all.is_empty()).then(|| (side.name(), name_some(&all, detail)))
        })
        .collect()
}

/// Names all operations, or the first three, and counts the others.
fn name_some<S: Borrow<str>>(operations: &[S], detail: FindingDetail) -> String {
    let most = if detail == FindingDetail::All {
        operations.len()
    } else {
        3
    };
    let named = operations.get(..most).unwrap_or(operations).join(", ");
    let more = operations.len().saturating_sub(most);
    if more > 0 {
        format!("{named} and {more} more")
    } else {
        named
    }
}

/// Lists the input formats: the name of each, its title, and how it is recognised.
pub fn list_formats() -> String {
    let mut page = String::new();
    for format in Format::by_family() {
        let FormatSpec {
            name,
            title,
            recognised,
            limits,
            ..
        } = format.spec();
        let _ = write!(page, "{name}\n  {title}\n  recognised by: {recognised}\n");
        if !limits.is_empty() {
            let _ = writeln!(page, "  {limits}");
        }
        if [Format::Ndjson, Format::AccessLog].contains(&format) {
            let _ = writeln!(page, "  shapes:");
            for shape in log_shapes()
                .iter()
                .filter(|shape| shape.formats.is_empty() == (format == Format::Ndjson))
            {
                let _ = writeln!(page, "    {}", shape.title);
            }
        }
    }
    page
}
