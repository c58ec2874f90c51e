//! The report of a scan: a row for each element with its verdict, the answer to a gate, and an inventory of the values that calls send
//! in the elements that have rules about values.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use chrono::NaiveDate;

use super::caller::{CallerAttribute, CallerName};
use super::caller_uses::CallerUse;
use super::capped::{add_count, sum_counts};
use super::history::TimeUnit;
use super::scan::{ElementTally, RuleFacts, UsageScan};
use super::tally::ElementId;
use super::verdict::{Judgement, ScanContext, UsageVerdict, VerdictOptions};
use sundown_exchange::OperationPattern;
use sundown_lint::findings::ExchangePart;
use sundown_report::Report;

/// What a report says about elements that no call reached.
#[derive(Debug, PartialEq, Eq)]
pub enum UncalledElements {
    /// How many are left out.
    LeftOut,
    /// How many there are. Formats for programs list those of the user's own rules.
    Counted,
    /// Which they are.
    Listed,
}

/// What a report says beyond the counts.
#[derive(Debug)]
pub struct UsageReportOptions {
    /// What verdicts depend on.
    pub verdicts: VerdictOptions,
    /// The attributes that identify callers.
    pub attributes: Vec<CallerAttribute>,
    /// What is said about elements that no call reached.
    pub uncalled: UncalledElements,
    /// The only caller whose uses are reported.
    pub caller: Option<String>,
}

/// The report of a scan. It depends on the scan and the options alone.
#[derive(Debug)]
pub struct UsageReport<'s> {
    pub(super) scan: &'s UsageScan,
    /// The input of the scan, with what follows from all parts of files.
    pub(super) input: Report,
    pub(super) options: &'s UsageReportOptions,
    /// The elements: by rule, then by operation and side.
    pub(super) rows: Vec<ElementRow<'s>>,
    /// Elements that no call reached and that were left out.
    pub(super) never_called: usize,
    /// The values of elements with rules about values, if they were counted.
    pub(super) inventory: Inventory<'s>,
}

/// An element with its verdict.
#[derive(Debug)]
pub(super) struct ElementRow<'s> {
    pub id: &'s ElementId,
    pub facts: &'s RuleFacts,
    pub tally: &'s ElementTally,
    pub judgement: Judgement,
    /// The callers with a use, those with the most calls first.
    pub callers: Vec<CallerUse<'s>>,
    /// The calls with a use of callers that were not kept.
    pub calls_of_other_callers: u64,
}

/// The answer to the question whether all elements of a report may be removed.
#[derive(Debug, Clone, Copy)]
pub enum GateAnswer {
    /// None of them is used.
    Unused,
    /// At least one is used.
    Used,
    /// The verdict on at least one is *cannot tell*, or nothing was selected.
    Unknown,
}

impl<'s> UsageReport<'s> {
    /// Judges the elements of a scan.
    pub fn new(scan: &'s UsageScan, options: &'s UsageReportOptions) -> Self {
        let called: HashSet<(&Arc<str>, ExchangePart)> = (scan.elements.iter())
            .filter(|(_, tally)| !tally.is_never_called())
            .map(|(id, _)| (&id.rule, id.part))
            .collect();
        let mut by_element = scan.callers.by_element();
        let input = scan.input.report();
        let context = ScanContext {
            apis: &scan.apis,
            unread_pieces: count_unread_pieces(&input)
                .saturating_sub(scan.excluded.failures_in_calls),
            unit: scan.calls.history.unit(),
        };
        let mut never_called = 0;
        let mut rows = Vec::new();
        for (id, tally) in &scan.elements {
            let Some(facts) = scan.rules.get(&id.rule) else {
                continue;
            };
            if facts.element.is_about_other_values() {
                continue;
            }
            if tally.is_never_called() {
                // Calls that match a pattern are those of an operation if rules name it.
                if is_pattern(&id.operation) && called.contains(&(&id.rule, id.part)) {
                    continue;
                }
                if options.uncalled == UncalledElements::LeftOut {
                    never_called += 1;
                    continue;
                }
            }
            let judgement = tally.judge(id.part, facts, &options.verdicts, context);
            let mut callers = by_element.remove(id).unwrap_or_default();
            if let Some(wanted) = &options.caller {
                callers.retain(|caller| caller.name.to_string() == *wanted);
                if callers.is_empty() {
                    continue;
                }
            }
            callers.sort_by(|a, b| {
                b.count
                    .calls
                    .cmp(&a.count.calls)
                    .then_with(|| a.name.cmp(b.name))
            });
            rows.push(ElementRow {
                id,
                facts,
                tally,
                judgement,
                calls_of_other_callers: count_other_callers(scan, tally, &callers),
                callers,
            });
        }
        Self {
            scan,
            input,
            options,
            rows,
            never_called,
            inventory: take_inventory(scan),
        }
    }

    /// Whether no element is reported.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// What was read, and what of it was not checked.
    pub fn input(&self) -> &Report {
        &self.input
    }

    /// Returns whether the elements may be removed. What is unknown outranks a use, as what could not be done outranks
    /// findings in other commands: with *used*, every verdict is known.
    pub fn gate(&self) -> GateAnswer {
        let mut verdicts = self.rows.iter().map(|row| row.judgement.verdict);
        if self.rows.is_empty()
            || verdicts
                .clone()
                .any(|verdict| verdict == UsageVerdict::CannotTell)
        {
            GateAnswer::Unknown
        } else if verdicts.any(UsageVerdict::is_use) {
            GateAnswer::Used
        } else {
            GateAnswer::Unused
        }
    }

    /// What keeps the gate closed: the rules with their verdicts; empty if nothing does.
    pub fn closed_by(&self) -> Vec<String> {
        let open = [UsageVerdict::NotSeen, UsageVerdict::NotSent];
        let rows = self.rows.iter();
        let closing = rows.filter(|row| !open.contains(&row.judgement.verdict));
        let rules: BTreeSet<_> = closing
            .map(|row| (row.judgement.verdict, &*row.id.rule))
            .collect();
        let texts = rules
            .into_iter()
            .map(|(verdict, rule)| format!("{rule} ({})", verdict.text()));
        texts.collect()
    }

    /// The removal date of an element with the days left, as a phrase.
    pub(super) fn last_day(&self, removal: Option<NaiveDate>) -> Option<String> {
        let removal = removal?;
        let left = (removal - self.options.verdicts.as_of).num_days();
        Some(match left {
            ..=-2 => format!("last day was {removal}, {} days ago", -left),
            -1 => format!("last day was {removal}, yesterday"),
            0 => format!("last day is {removal}, today"),
            1 => format!("last day is {removal}, 1 day left"),
            _ => format!("last day is {removal}, {left} days left"),
        })
    }

    /// The uses of each caller, in the order of their names: those that end first come first.
    pub(super) fn by_caller(&self) -> BTreeMap<&CallerName, Vec<(&ElementRow<'s>, CallerUse<'s>)>> {
        let mut callers: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for row in &self.rows {
            for caller in &row.callers {
                callers.entry(caller.name).or_default().push((row, *caller));
            }
        }
        for uses in callers.values_mut() {
            uses.sort_by_key(|(row, _)| (row.facts.removal.is_none(), row.facts.removal));
        }
        callers
    }

    /// The unit of the uses over time: the same for all elements.
    pub(super) fn unit(&self) -> TimeUnit {
        self.scan.calls.history.unit()
    }

    /// The elements that formats beside the table for people list: those that were called, those of the user's own rules, and, if
    /// the user asks for them, the many that packs and built-in tables know, without a call.
    pub(super) fn listed(&self) -> impl Iterator<Item = &ElementRow<'s>> + Clone {
        let lists_all = self.options.uncalled == UncalledElements::Listed;
        self.rows
            .iter()
            .filter(move |row| lists_all || row.facts.is_own || !row.tally.is_never_called())
    }

    /// The number of the elements that are not listed.
    pub(super) fn unlisted(&self) -> usize {
        self.rows.len() - self.listed().count()
    }

    /// The number of elements with a verdict.
    pub(super) fn count(&self, verdict: UsageVerdict) -> usize {
        self.rows
            .iter()
            .filter(|row| row.judgement.verdict == verdict)
            .count()
    }
}

/// Returns whether an operation is a pattern over several.
fn is_pattern(operation: &str) -> bool {
    OperationPattern::parse(operation).is_ok_and(|pattern| !pattern.is_concrete())
}

impl ElementRow<'_> {
    /// Whether no call reached the element, and the traffic does not show why.
    pub(super) fn is_uncalled(&self) -> bool {
        self.tally.is_never_called() && self.judgement.verdict == UsageVerdict::CannotTell
    }

    /// The side, or the operation itself: `request`, `response` or `operation`.
    pub(super) fn side(&self) -> &'static str {
        self.id.part.name()
    }
}

/// The number of pieces that could not be checked and may have calls.
fn count_unread_pieces(input: &Report) -> u64 {
    let hiding = input.skipped.iter();
    let hiding = hiding.filter(|group| group.reason.may_hide_calls());
    sum_counts(hiding.map(|group| group.count as u64))
}

fn count_other_callers(scan: &UsageScan, tally: &ElementTally, callers: &[CallerUse<'_>]) -> u64 {
    if scan.callers.limit().is_none() {
        return 0;
    }
    let kept = sum_counts(callers.iter().map(|caller| caller.count.calls));
    tally.uses.count.calls.saturating_sub(kept)
}

/// The calls with each value, in the order of reports.
type Inventory<'s> = BTreeMap<CalledValue<'s>, u64>;

/// A value of an element in all operations of an API. Of each element, what ends first comes first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CalledValue<'s> {
    pub api: &'s str,
    pub kind: &'static str,
    pub name: &'s str,
    pub side: &'static str,
    pub state: ValueState<'s>,
    /// The value, or how the rule describes its values; `None` for all values that are not listed.
    pub value: Option<String>,
}

/// What rules say about a value.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ValueState<'s> {
    /// It has a last day by this rule.
    Ends(NaiveDate, &'s str),
    /// It is deprecated by this rule.
    Undated(&'s str),
    /// No rule knows it.
    Unknown,
}

impl<'s> CalledValue<'s> {
    fn new(id: &'s ElementId, facts: &'s RuleFacts, value: Option<String>) -> Self {
        Self {
            api: &facts.api,
            kind: facts.element.part.kind(),
            name: facts.element.name().unwrap_or_default(),
            side: id.part.name(),
            state: match facts.removal {
                _ if facts.element.is_about_other_values() => ValueState::Unknown,
                Some(removal) => ValueState::Ends(removal, &id.rule),
                None => ValueState::Undated(&id.rule),
            },
            value,
        }
    }
}

/// Counts the calls by value, if the scan counted those with values that no rule knows.
fn take_inventory(scan: &UsageScan) -> Inventory<'_> {
    let mut inventory = Inventory::new();
    let mut facts = scan.rules.values();
    if !facts.any(|facts| facts.element.is_about_other_values()) {
        return inventory;
    }
    for (id, tally) in &scan.elements {
        let facts = scan.rules.get(&id.rule);
        let Some((facts, test)) =
            facts.and_then(|facts| Some((facts, facts.element.value.as_ref()?)))
        else {
            continue;
        };
        let uses = &tally.uses;
        for (value, calls) in uses.values.iter() {
            let value = CalledValue::new(id, facts, Some(value.clone()));
            add_count(inventory.entry(value).or_default(), *calls);
        }
        let known = Some(test.to_string()).filter(|_| !facts.element.is_about_other_values());
        let listed = sum_counts(uses.values.iter().map(|(_, calls)| *calls));
        let rest = uses.count.calls.saturating_sub(listed);
        add_count(
            inventory
                .entry(CalledValue::new(id, facts, known))
                .or_default(),
            rest,
        );
    }
    inventory.retain(|_, calls| *calls > 0);
    inventory
}
