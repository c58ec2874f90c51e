//! The lists of rules and packs, and the rules that a person means: by id, by operation, or by the name of the element.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;
use std::ops::Range;

use chrono::NaiveDate;

use super::pages::removal;
use sundown_exchange::{OperationPattern, PatternSegment};
use sundown_lint::rules::{
    ElementPart, Lifecycle, Pack, Rule, RuleFile, RuleSet, SetRule, ValueTest,
};
use sundown_report::{Cell, ColumnKind, Failure, FindingDetail, Table, plural};
use sundown_text_json::text::{escape_unsafe, most_similar};

/// The rules that a list has.
#[derive(Debug, Clone, Copy)]
pub struct RuleListOptions {
    /// List only rules whose element ends before this date.
    pub removal_before: Option<NaiveDate>,
    /// Whether a long table is listed in full, or by its counts and the rules that end next.
    pub detail: FindingDetail,
    /// List only the tables of packs.
    pub only_packs: bool,
    /// The width of the terminal, if the list is written to one.
    pub width: Option<usize>,
}

/// The columns that a narrow screen does not show: ids are needed in full.
const OPTIONAL: [usize; 4] = [2, 6, 4, 3];

/// The number of rules in a list from which on tables are shortened.
const LONG_LIST: usize = 100;

/// The number of rules of a table that is never shortened.
const SHORT_TABLE: usize = 10;

/// The number of rules of a longer table that are listed: those that end next.
const NEXT: usize = 5;

/// Lists rules by table, one per line.
pub fn list_rules(set: &RuleSet, options: RuleListOptions, lifecycle: &Lifecycle) -> String {
    let groups = table_groups(set, options);
    let count: usize = groups.iter().map(|group| group.rules.len()).sum();
    let is_long = options.detail == FindingDetail::Grouped && count > LONG_LIST;
    let mut page = String::new();
    let is_short = |group: &TableGroup<'_>| is_long && group.rules.len() > SHORT_TABLE;
    let is_shortened = groups.iter().any(is_short);
    let lists: Vec<_> = groups
        .iter()
        .map(|group| {
            if is_short(group) {
                group.next(lifecycle)
            } else {
                group.all()
            }
        })
        .collect();
    let rows = lists.iter().flatten().map(|listed| listed.cells(lifecycle));
    let lines = Table::plain(7).optional(&OPTIONAL);
    let mut lines = lines.lines(rows, options.width).into_iter();
    for (group, rules) in groups.iter().zip(&lists) {
        let gap = if page.is_empty() { "" } else { "\n" };
        let _ = writeln!(page, "{gap}{}", group.title(set));
        if is_short(group) {
            group.write_counts(lifecycle, &mut page);
        }
        for line in lines.by_ref().take(rules.len()) {
            let _ = writeln!(page, "{line}");
        }
    }
    let required = set
        .requirements()
        .filter(|_| !options.only_packs && options.removal_before.is_none());
    page.extend(required.map(|required| list_requirements(required, options.width)));
    if page.is_empty() {
        return "no rules\n".to_owned();
    }
    let required = match required.map_or(0, |required| required.rules().len()) {
        0 => String::new(),
        count => format!(" and {count} requirements"),
    };
    let more = if is_shortened {
        "; `--all` lists each, `--removal-before DATE` those that end before a date"
    } else {
        ""
    };
    let rules = plural(count, "rule");
    let _ = writeln!(
        page,
        "\n{rules}{required}; `sundown explain ID` explains each{more}"
    );
    page
}

/// Lists all requirements, one per line.
fn list_requirements(set: &RuleSet, width: Option<usize>) -> String {
    let rows = set.rules().iter().map(|rule| {
        let message = rule.requirement.as_ref().map(|own| own.message.as_str());
        [Cell::from(&*rule.id), message.unwrap_or_default().into()]
    });
    let lines = Table::plain(2).lines(rows, width);
    let mut page = String::new();
    let mut last_file = None;
    for (rule, line) in set.rules().iter().zip(&lines) {
        if last_file != Some(rule.file) {
            let RuleFile { name, api, .. } = set.file(rule.file);
            let _ = writeln!(page, "\n{name}: requirements ({api})");
            last_file = Some(rule.file);
        }
        let _ = writeln!(page, "{line}");
    }
    page
}

/// The columns of a table of rules.
const COLUMNS: [(ColumnKind, &str); 7] = [
    (ColumnKind::Name, "rule"),
    (ColumnKind::Text, "API"),
    (ColumnKind::Text, "element"),
    (ColumnKind::Date, "last day"),
    (ColumnKind::Text, "deprecated in"),
    (ColumnKind::Text, "removed in"),
    (ColumnKind::Prose, "use instead"),
];

/// All rules as one table, without the sentences of a list.
pub fn rule_table(set: &RuleSet, options: RuleListOptions) -> (Table, Vec<[Cell; 7]>) {
    let groups = table_groups(set, options);
    let rows = groups.iter().flat_map(|group| {
        let api = set.file(group.file).api.as_str();
        group.rules.iter().map(move |rule| row(rule, api))
    });
    (Table::new(COLUMNS), rows.collect())
}

fn row(rule: &Rule, api: &str) -> [Cell; 7] {
    let versions = &rule.versions;
    [
        rule.id.as_str().into(),
        api.into(),
        element(rule).into(),
        rule.removal.map(|date| date.to_string()).into(),
        versions
            .deprecated_in
            .map(|version| version.to_string())
            .into(),
        versions
            .removed_in
            .map(|version| version.to_string())
            .into(),
        rule.replacement.as_deref().into(),
    ]
}

/// What the element of a rule is called in a list.
fn element(rule: &Rule) -> &str {
    (rule.element.name().or(rule.title.as_deref())).unwrap_or("(whole endpoint)")
}

impl RuleListOptions {
    fn includes(self, rule: &Rule) -> bool {
        // Each version has its own last day, so that some version ends before any date.
        let has_versions = matches!(rule.element.value, Some(ValueTest::Supported { .. }));
        self.removal_before
            .is_none_or(|before| has_versions || rule.removal.is_some_and(|date| date < before))
    }
}

/// A rule in a list.
struct RuleLine<'t> {
    rule: &'t SetRule,
    /// The number of further rules about the same value, with the same date.
    alike: usize,
}

impl<'t> RuleLine<'t> {
    fn new(rule: &'t SetRule) -> Self {
        Self { rule, alike: 0 }
    }

    /// The id, the end, the days left, and the element; of a rule with versions of a server, these and the replacement.
    fn cells(&self, lifecycle: &Lifecycle) -> [Cell; 7] {
        let Self { rule, alike } = self;
        let element = element(rule);
        let more = match alike {
            0 => String::new(),
            1 => ", and 1 more rule about this value".to_owned(),
            alike => format!(", and {alike} more rules about this value"),
        };
        let [date, left] = removal(rule, lifecycle);
        let element = format!("{element}{more}").into();
        let versions = &rule.versions;
        let deprecated = (versions.deprecated_in).map(|version| format!("deprecated in {version}"));
        let removed = (versions.removed_in).map(|version| format!("removed in {version}"));
        let replacement = rule.replacement.as_ref();
        let replacement = replacement.filter(|_| versions.are_stated());
        let replacement = replacement.map(|replacement| format!("use {replacement}"));
        [
            rule.id.as_str().into(),
            date,
            left,
            element,
            deprecated.into(),
            removed.into(),
            replacement.into(),
        ]
    }

    /// Returns whether another rule is about the same value, in another part of calls, and ends on the same day.
    fn is_like(&self, other: &Rule) -> bool {
        let value = self.rule.element.exact_value();
        value.is_some()
            && value == other.element.exact_value()
            && self.rule.removal == other.removal
    }
}

/// The listed rules of one table.
struct TableGroup<'t> {
    file: usize,
    rules: Vec<&'t SetRule>,
}

/// The tables with rules to list. If they are selected by date, the rules are in the order of their dates.
fn table_groups(set: &RuleSet, options: RuleListOptions) -> Vec<TableGroup<'_>> {
    let mut groups: Vec<TableGroup<'_>> = Vec::new();
    for rule in set.rules() {
        let file = rule.file;
        let is_left_out = options.only_packs && set.origin(file).pack().is_none();
        if is_left_out || !options.includes(rule) {
            continue;
        }
        match groups.last_mut().filter(|group| group.file == file) {
            Some(group) => group.rules.push(rule),
            None => groups.push(TableGroup {
                file,
                rules: vec![rule],
            }),
        }
    }
    if options.removal_before.is_some() {
        for group in &mut groups {
            group.rules.sort_by_key(|rule| rule.removal);
        }
    }
    groups
}

impl<'t> TableGroup<'t> {
    fn title(&self, set: &RuleSet) -> String {
        let RuleFile { name, api, .. } = set.file(self.file);
        format!("{name} ({api})")
    }

    /// Writes how many rules end when.
    fn write_counts(&self, lifecycle: &Lifecycle, page: &mut String) {
        let days = self
            .rules
            .iter()
            .filter_map(|rule| days_left(rule, lifecycle));
        let days: Vec<_> = days.collect();
        let count = |range: Range<i64>| days.iter().filter(|days| range.contains(days)).count();
        let (ended, soon) = (count(i64::MIN..0), count(0..91));
        let (later, undated) = (count(91..i64::MAX), self.rules.len() - days.len());
        let _ = writeln!(
            page,
            "  {}: {ended} ended, {soon} end within 90 days, {later} later, {undated} without a date",
            plural(self.rules.len(), "rule")
        );
    }

    fn all(&self) -> Vec<RuleLine<'t>> {
        self.rules.iter().copied().map(RuleLine::new).collect()
    }

    /// The rules that end next, each value once.
    fn next(&self, lifecycle: &Lifecycle) -> Vec<RuleLine<'t>> {
        let mut rules = self.rules.clone();
        rules.retain(|rule| days_left(rule, lifecycle).is_some_and(|days| days >= 0));
        rules.sort_by_key(|rule| rule.removal);
        let mut next: Vec<RuleLine<'_>> = Vec::new();
        for rule in rules {
            if let Some(known) = next.iter_mut().find(|listed| listed.is_like(rule)) {
                known.alike += 1;
            } else if next.len() < NEXT {
                next.push(RuleLine::new(rule));
            }
        }
        next
    }
}

fn days_left(rule: &Rule, lifecycle: &Lifecycle) -> Option<i64> {
    rule.removal.map(|removal| lifecycle.days_left(removal))
}

/// Lists the packs, each with its content, the date of its facts, its hosts and its sources.
pub fn list_packs(packs: &[Pack], lifecycle: &Lifecycle) -> Result<String, Failure> {
    let mut page = String::new();
    for pack in packs {
        let files = pack.load()?;
        if !page.is_empty() {
            page.push('\n');
        }
        page.push_str(&describe_pack(pack, &files, lifecycle));
    }
    page.push_str(
        "\n`--pack NAME`, or `packs = [\"NAME\"]` in the configuration, adds the rules of a pack\n",
    );
    Ok(page)
}

fn describe_pack(pack: &Pack, files: &[RuleFile], lifecycle: &Lifecycle) -> String {
    let rules: Vec<&Rule> = files.iter().flat_map(|file| &file.rules).collect();
    let dated = rules
        .iter()
        .filter(|rule| {
            let versions = rule.element.value.as_ref();
            rule.removal.is_some() || matches!(versions, Some(ValueTest::Supported { .. }))
        })
        .count();
    let ended = rules
        .iter()
        .filter_map(|rule| rule.removal)
        .filter(|removal| lifecycle.days_left(*removal) < 0)
        .count();
    let read = files.iter().filter_map(|file| file.facts_read).min();
    let read = read.map(|read| read.to_string()).unwrap_or_default();
    let mut page = format!("{}\n  {}\n", pack.name, pack.about);
    let _ = writeln!(
        page,
        "  facts read on {read}: {}, {dated} with a date, {ended} of them in the past",
        plural(rules.len(), "rule")
    );
    for file in files {
        let hosts: Vec<_> = file.hosts.iter().map(ToString::to_string).collect();
        let sources: BTreeSet<_> = file
            .rules
            .iter()
            .flat_map(|rule| &rule.sources)
            .map(|source| &source.page)
            .collect();
        let _ = writeln!(page, "  {}: {}", file.api, plural(file.rules.len(), "rule"));
        let _ = writeln!(page, "    hosts: {}", hosts.join(", "));
        for source in sources.iter().take(3) {
            let _ = writeln!(page, "    source: {source}");
        }
        if sources.len() > 3 {
            let _ = writeln!(
                page,
                "    and {} more sources; `sundown explain ID` names those of a rule",
                sources.len() - 3
            );
        }
    }
    page
}

/// What a person asks for.
struct RuleQuery<'q> {
    text: &'q str,
    /// The operation, if the text is one or a path.
    operation: Option<OperationPattern>,
}

/// Returns the rules that a text means: the rule of this id, or else all rules about an operation or an element of this name.
/// Rules that were announced for the operation come first. An id is returned once.
pub fn find_rules<'t>(set: &'t RuleSet, text: &str) -> Vec<&'t SetRule> {
    if let Some(rule) = set.rule(text) {
        return vec![rule];
    }
    let query = RuleQuery::parse(text);
    let mut seen = HashSet::new();
    let of_schemas = set.ids_used_by(|operation| query.is_call_of(operation));
    let mut found: Vec<_> = set
        .rules()
        .iter()
        .filter(|rule| of_schemas.contains(rule.id.as_str()) || query.is_about(rule))
        .filter(|rule| seen.insert(&rule.id))
        .collect();
    found.sort_by_key(|rule| !query.is_announcement_of(rule));
    found
}

/// Returns the id, the name of an element, or the name of an operation that is most similar to a text.
pub fn nearest_rule_name<'t>(set: &'t RuleSet, text: &str) -> Option<&'t str> {
    let ids = set.rules().iter().map(|rule| rule.id.as_str());
    let elements = set.rules().iter().filter_map(|rule| rule.element.name());
    let operations = set
        .operations()
        .iter()
        .filter_map(|operation| operation.pattern.segments.iter().rev().find_map(literal));
    // The names in an id are those of elements and operations: a misspelled id is more similar to them than to itself.
    if text.contains('-') {
        return most_similar(text, ids);
    }
    most_similar(text, ids.chain(elements).chain(operations))
}

/// Lists several rules that a text may mean, a line for each.
pub fn list_matches(
    rules: &[&SetRule],
    text: &str,
    lifecycle: &Lifecycle,
    width: Option<usize>,
) -> String {
    let mut page = format!("{} rules match `{}`:\n\n", rules.len(), escape_unsafe(text));
    let rows = rules.iter().map(|rule| {
        let element = rule.element.label();
        let announced = rule
            .announced
            .as_ref()
            .map(|operation| format!(", announced for {operation}"))
            .unwrap_or_default();
        let [date, left] = removal(rule, lifecycle);
        let element = format!("{element}{announced}").into();
        [Cell::from(rule.id.as_str()), date, left, element]
    });
    for line in Table::plain(4).optional(&OPTIONAL).lines(rows, width) {
        let _ = writeln!(page, "{line}");
    }
    page.push_str("\n`sundown explain ID` explains each\n");
    page
}

impl<'q> RuleQuery<'q> {
    fn parse(text: &'q str) -> Self {
        let text = text.trim();
        let path = text.starts_with('/').then(|| format!("* {text}"));
        let operation = OperationPattern::parse(path.as_deref().unwrap_or(text)).ok();
        Self { text, operation }
    }

    /// Whether a rule is about the operation or an element of this name.
    fn is_about(&self, rule: &Rule) -> bool {
        let is_named = match &rule.element.part {
            ElementPart::Endpoint => false,
            ElementPart::Header(name) => name.eq_ignore_ascii_case(self.text),
            ElementPart::Field(name)
            | ElementPart::Parameter(name)
            | ElementPart::Segment(name) => name == self.text,
        };
        let is_named =
            is_named || rule.element.exact_value() == Some(self.text) || rule.is_called(self.text);
        is_named
            || self.is_announcement_of(rule)
            || rule
                .places
                .iter()
                .any(|place| self.is_call_of(&place.operation))
    }

    fn is_announcement_of(&self, rule: &Rule) -> bool {
        rule.announced
            .as_ref()
            .is_some_and(|operation| self.is_call_of(operation))
    }

    /// Whether an operation is the one of the text: by its method and path, its path, or the last name in its path.
    fn is_call_of(&self, operation: &OperationPattern) -> bool {
        match &self.operation {
            Some(own) => own.covers(operation) || operation.covers(own),
            None => operation.segments.iter().rev().find_map(literal) == Some(self.text),
        }
    }
}

fn literal(segment: &PatternSegment) -> Option<&str> {
    match segment {
        PatternSegment::Literal(name) => Some(name),
        _ => None,
    }
}
