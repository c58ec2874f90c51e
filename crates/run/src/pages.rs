//! The pages about rules, requirements, checks and formats: one for each, and the list of formats. The locations of a rule are shown
//! once each, grouped by operation and side.

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write as _;

use sundown_captures::{Format, FormatSpec, log_shapes};
use sundown_exchange::{Method, OperationPattern, Side};
use sundown_lint::findings::Check;
use sundown_lint::rules::{
    AfterRemoval, ElementPart, ExchangeCondition, Grade, Lifecycle, RemovedInRequest,
    RemovedInResponse, Requirement, Rule, RuleExample, RulePlace, RuleSet, SetRule, ValueTest,
};
use sundown_report::{Cell, FindingDetail};
use sundown_selector::Selector;
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
    /// Returns the page of a rule of a set; `until` words the end of the element's life.
    pub fn new(set: &RuleSet, rule: &SetRule, until: impl Fn(&Rule) -> String) -> Self {
        let exceptions = rule
            .exceptions
            .iter()
            .map(|exception| exception.text().to_owned());
        Self {
            facts: facts(rule, &set.file(rule.file).api, until(rule)),
            example: rule.example(),
            locations: group_locations(rule),
            exceptions: exceptions.collect(),
        }
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
    set: &RuleSet,
    rule: &SetRule,
    lifecycle: &Lifecycle,
    detail: FindingDetail,
) -> String {
    let RulePage {
        facts,
        example,
        locations,
        exceptions,
    } = RulePage::new(set, rule, |rule| until(rule, lifecycle));
    let mut page = list_facts(&rule.id, &facts);
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
    for place in set.users_of_properties(rule) {
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

/// The beginning of a page: what it is about, and a line for each fact.
fn list_facts(id: &str, facts: &[(&str, impl AsRef<str>)]) -> String {
    let mut page = format!("{id}\n\n");
    for (name, fact) in facts {
        let _ = writeln!(page, "  {name:13}{}", escape_unsafe(fact.as_ref()));
    }
    page
}

/// Prints the page of a check of API descriptions.
pub fn explain_check(check: Check) -> String {
    let page = check.page();
    let facts = [
        ("What", page.what),
        ("Why", page.why),
        ("Severity", page.severity),
        ("Reported to", page.who),
        ("Do", page.remedy),
        ("Mind", page.limits),
    ];
    list_facts(check.id(), &facts)
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
    /// The page of a requirement of a set; `None` for another rule.
    pub fn new(set: &RuleSet, rule: &SetRule) -> Option<Self> {
        let api = &set.file(rule.file).api;
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
pub fn explain_requirement(set: &RuleSet, id: &str) -> Option<String> {
    let RequirementPage {
        facts,
        violates,
        fits,
        ..
    } = RequirementPage::new(set, set.rule(id)?)?;
    let mut text = list_facts(id, &facts);
    let _ = writeln!(text, "\n  Violates     {violates}\n  Fits         {fits}");
    Some(text)
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

/// Operations in which the element of a rule has the same places.
#[derive(Debug)]
pub struct RuleLocations {
    /// The operations, or patterns over several.
    pub operations: Vec<String>,
    /// Whether the deprecation was announced for the operation, which is then the only one.
    pub is_announced: bool,
    /// The places; none if the element is not part of a message.
    pub places: Vec<MessagePlaces>,
}

/// Places in the messages of an operation.
#[derive(Debug, PartialEq, Eq)]
pub struct MessagePlaces {
    /// The selectors; none if the element is not a field.
    pub selectors: Vec<String>,
    /// The sides, in words.
    pub sides: &'static str,
}

/// Groups the places of a rule. The announced operation comes first.
fn group_locations(rule: &Rule) -> Vec<RuleLocations> {
    let mut operations: Vec<&OperationPattern> = Vec::new();
    for RulePlace { operation, .. } in rule.places.iter() {
        if !operations.iter().any(|known| known.is_same(operation)) {
            operations.push(operation);
        }
    }
    let is_announced = |operation: &&OperationPattern| {
        rule.announced
            .as_ref()
            .is_some_and(|announced| announced.is_same(operation))
    };
    // Sorting keeps the order of equals.
    operations.sort_by_key(|operation| !is_announced(operation));
    let mut groups: Vec<RuleLocations> = Vec::new();
    for operation in operations {
        let places = places_in(rule, operation);
        let is_announced = is_announced(&operation);
        match groups
            .iter_mut()
            .find(|group| group.places == places && !group.is_announced)
        {
            Some(group) => group.operations.push(operation.to_string()),
            None => groups.push(RuleLocations {
                operations: vec![operation.to_string()],
                is_announced,
                places,
            }),
        }
    }
    groups
}

/// Returns the places of a rule in one operation, each once.
fn places_in(rule: &Rule, operation: &OperationPattern) -> Vec<MessagePlaces> {
    let mut by_selector: Vec<(&str, BTreeSet<Side>)> = Vec::new();
    for place in rule
        .places
        .iter()
        .filter(|place| place.operation.is_same(operation))
    {
        let sides = Side::BOTH.into_iter();
        let sides = sides.filter(|side| place.sides.contains(*side));
        for text in texts(rule, place) {
            match by_selector.iter_mut().find(|(known, _)| *known == text) {
                Some((_, known)) => known.extend(sides.clone()),
                None => by_selector.push((text, sides.clone().collect())),
            }
        }
    }
    drop_covered(rule, &mut by_selector);
    let mut places: Vec<MessagePlaces> = Vec::new();
    for (text, sides) in by_selector {
        let Some(sides) = words(&sides) else { continue };
        let selector = (!text.is_empty()).then(|| text.to_owned());
        match places.iter_mut().find(|place| place.sides == sides) {
            Some(place) => place.selectors.extend(selector),
            None => places.push(MessagePlaces {
                selectors: selector.into_iter().collect(),
                sides,
            }),
        }
    }
    places
}

/// The selectors of a place; one that is empty for a header field, and none for what is in no message.
fn texts<'r>(rule: &'r Rule, place: &'r RulePlace) -> Vec<&'r str> {
    match &rule.element.part {
        ElementPart::Endpoint | ElementPart::Parameter(_) | ElementPart::Segment(_) => Vec::new(),
        ElementPart::Header(_) => vec![""],
        ElementPart::Field(_) => place.selectors.iter().map(Selector::text).collect(),
    }
}

/// Removes what a selector of the field at any depth covers.
fn drop_covered(rule: &Rule, by_selector: &mut [(&str, BTreeSet<Side>)]) {
    let Some(field) = rule.element.field_name() else {
        return;
    };
    let anywhere = Selector::anywhere(field);
    let covering = by_selector
        .iter()
        .find(|(text, _)| *text == anywhere.text())
        .cloned();
    let Some((covering, covered)) = covering else {
        return;
    };
    for (_, sides) in by_selector.iter_mut().filter(|(text, _)| *text != covering) {
        sides.retain(|side| !covered.contains(side));
    }
}

/// Names sides; `None` if there are none.
fn words(sides: &BTreeSet<Side>) -> Option<&'static str> {
    let first = sides.first()?;
    Some(if sides.len() > 1 {
        "request and response"
    } else {
        first.name()
    })
}

/// On one line.
impl fmt::Display for MessagePlaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gap = if self.selectors.is_empty() { "" } else { " " };
        write!(f, "{}{gap}in the {}", self.selectors.join(", "), self.sides)
    }
}
