//! Chooses the rules of an element: by its name, its value and its version, the most specific ones.

use crate::findings::Certainty;
use crate::rules::{Rule, RuleRank, RuleSet, SetRule, ValueTest};
use chrono::NaiveDate;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use sundown_exchange::{Message, PathVariable, Reason, Skip, Target, may_name_header};
use sundown_selector::automaton::Specificity;
use sundown_text_json::json::key_context;
use sundown_text_json::text::Span;

/// A rule that holds for a key, or for one value of its list.
#[derive(Debug, Clone, Copy)]
pub(super) struct RuleCandidate<'p> {
    pub rule: &'p RuleUse,
    /// That of the selector, for a member of a body.
    pub specificity: Option<Specificity>,
    /// How certain it is that the key is a use.
    pub certainty: Certainty,
    /// The index of the value; `None` if the rule is about any value.
    pub value: Option<usize>,
}

/// The rule that is chosen for a key.
#[derive(Debug)]
pub(super) struct ChosenRule {
    pub matched: MatchedRule,
    pub certainty: Certainty,
}

impl RuleCandidate<'_> {
    fn rank(&self) -> RuleRank<'_> {
        let rule = &self.rule.rule;
        rule.precedence.rank(rule, self.specificity)
    }
}

impl RulesByValue {
    /// The rules that hold for a key with these values.
    pub(super) fn candidates<'s>(
        &'s self,
        values: &'s [Cow<'_, str>],
        as_of: NaiveDate,
    ) -> impl Iterator<Item = RuleCandidate<'s>> {
        let whole = self.whole().iter().map(|rule| (rule, None));
        let about_values = values.iter().enumerate().flat_map(move |(index, value)| {
            let about = self.about(value);
            let reported = about.filter(move |rule| rule.rule.reports(value, as_of));
            reported.map(move |rule| (rule, Some(index)))
        });
        whole
            .chain(about_values)
            .map(|(rule, value)| RuleCandidate {
                rule,
                specificity: None,
                certainty: Certainty::Certain,
                value,
            })
    }

    /// The rules to report for a part of a call. Its values are asked for only if a rule is about a value.
    pub(super) fn choose<'v>(
        &self,
        values: impl FnOnce() -> Vec<Cow<'v, str>>,
        as_of: NaiveDate,
        choice: RuleChoice,
    ) -> Vec<MatchedRule> {
        let values = if self.has_values() {
            values()
        } else {
            Vec::new()
        };
        let chosen = choose(self.candidates(&values, as_of), &values, choice);
        chosen.into_iter().map(|chosen| chosen.matched).collect()
    }
}

/// Which of the rules that hold for a key are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleChoice {
    /// The one with the most specific selector, then with the most specific value. If it is about a value and the key has a list,
    /// there is one for each further value of the list that rules are about.
    MostSpecific,
    /// All, and for a value that none of them is about, at most one rule about unknown values.
    All,
}

/// Chooses among the rules that hold for a key with these values.
pub(super) fn choose<'p>(
    candidates: impl IntoIterator<Item = RuleCandidate<'p>>,
    values: &[Cow<'_, str>],
    choice: RuleChoice,
) -> Vec<ChosenRule> {
    let candidates = candidates.into_iter();
    match choice {
        RuleChoice::MostSpecific => each_once(most_specific(candidates), values),
        RuleChoice::All => {
            let is_other = |own: &RuleCandidate<'_>| own.rule.rule.element.is_about_other_values();
            let (mut others, mut known): (Vec<_>, Vec<_>) = candidates.partition(is_other);
            others.retain(|other| {
                let mut known = known.iter();
                known.all(|own| own.value.is_some() && own.value != other.value)
            });
            known.sort_by(|one, other| other.rank().cmp(&one.rank()));
            known.extend(most_specific(others.into_iter()));
            each_once(known, values)
        }
    }
}

/// The most specific rule, or those about a value each.
fn most_specific<'p>(
    candidates: impl Iterator<Item = RuleCandidate<'p>>,
) -> Vec<RuleCandidate<'p>> {
    // By the index of the value, so that the rules are in the order of the list.
    let mut best: BTreeMap<Option<usize>, RuleCandidate<'_>> = BTreeMap::new();
    for candidate in candidates {
        let known = best.entry(candidate.value).or_insert(candidate);
        if candidate.rank() > known.rank() {
            *known = candidate;
        }
    }
    let greatest = best
        .values()
        .max_by(|one, other| one.rank().cmp(&other.rank()));
    let is_about_any = greatest.is_some_and(|greatest| greatest.value.is_none());
    let chosen = best.into_values();
    chosen
        .filter(|candidate| candidate.value.is_none() == is_about_any)
        .collect()
}

/// Each of the rules once, with the version that it is about.
fn each_once(candidates: Vec<RuleCandidate<'_>>, values: &[Cow<'_, str>]) -> Vec<ChosenRule> {
    let mut known = HashSet::new();
    let mut chosen = Vec::new();
    for candidate in candidates {
        let RuleCandidate {
            rule, certainty, ..
        } = candidate;
        let value = candidate.value.and_then(|index| values.get(index));
        let matched = rule.matched(value.map_or("", |value| value));
        let key = (rule.rule.number, &rule.operation, matched.version.clone());
        if known.insert(key) {
            chosen.push(ChosenRule { matched, certainty });
        }
    }
    chosen
}

/// A rule and the operation under which it is reported.
#[derive(Debug, Clone)]
pub(super) struct RuleUse {
    pub rule: SetRule,
    /// The matched operation.
    pub operation: Arc<str>,
}

/// Adds an item that is not in the list: a rule may name an operation several times, and is reported once.
pub(super) fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// The rules about one part, by the values that they are about.
#[derive(Debug, Default)]
pub(super) struct RulesByValue {
    /// The rules about the part with any value.
    whole: Vec<RuleUse>,
    /// The rules about one value, by the value.
    exact: HashMap<String, Vec<RuleUse>>,
    /// The rules about values with a beginning, by the beginning.
    beginnings: HashMap<String, Vec<RuleUse>>,
    /// The lengths of the beginnings.
    lengths: BTreeSet<usize>,
    /// The rules about versions.
    versions: Vec<RuleUse>,
    /// A rule about each value and beginning, by it in lower case.
    in_lower_case: HashMap<String, RuleUse>,
    /// The length of the longest of these.
    longest: usize,
    /// Whether the part may be a list of values in one text.
    pub is_list: bool,
}

/// A rule that a call uses.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MatchedRule {
    pub rule_use: RuleUse,
    /// The version that was found, if the rule is about versions.
    pub version: Option<String>,
}

impl RulesByValue {
    /// Adds a rule. One that is known is not added again.
    pub(super) fn push(&mut self, own: RuleUse) {
        let rule = &own.rule;
        self.is_list |= rule.is_of_list;
        let named = match &rule.element.value {
            Some(ValueTest::Exact(text) | ValueTest::StartsWith(text)) => Some(text),
            _ => None,
        };
        if let Some(text) = named {
            let text = rule.normalized(text).to_ascii_lowercase();
            self.longest = self.longest.max(text.len());
            let known = self.in_lower_case.entry(text);
            known.or_insert_with(|| own.clone());
        }
        let list = match &rule.element.value {
            None => &mut self.whole,
            Some(ValueTest::Exact(text)) => self
                .exact
                .entry(rule.normalized(text).to_owned())
                .or_default(),
            Some(ValueTest::StartsWith(text)) => {
                self.lengths.insert(text.len());
                self.beginnings.entry(text.clone()).or_default()
            }
            Some(ValueTest::Before(_) | ValueTest::Supported { .. } | ValueTest::Other) => {
                &mut self.versions
            }
        };
        push_new(list, own);
    }

    /// The rules about the part with any value.
    pub(super) fn whole(&self) -> &[RuleUse] {
        &self.whole
    }

    /// Whether a rule is about some values only.
    pub(super) fn has_values(&self) -> bool {
        !(self.exact.is_empty() && self.beginnings.is_empty() && self.versions.is_empty())
    }

    /// All rules, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &RuleUse> {
        let exact = self.exact.values().flatten();
        self.whole
            .iter()
            .chain(exact)
            .chain(self.beginnings.values().flatten())
            .chain(&self.versions)
    }

    /// The rules about this value, without those about any value.
    pub(super) fn about<'s>(&'s self, value: &'s str) -> impl Iterator<Item = &'s RuleUse> {
        let beginnings = self
            .lengths
            .iter()
            .take_while(|length| **length <= value.len())
            .filter_map(|&length| self.beginnings.get(value.get(..length)?));
        let versions = self.versions.iter().filter(|rule| rule.holds(value));
        self.exact
            .get(value)
            .into_iter()
            .chain(beginnings)
            .flatten()
            .chain(versions)
    }

    /// A rule that would be about one of these values if it were written in other letter case. The replacement of a rule is no
    /// such value.
    pub(super) fn find_other_case(&self, values: &[Cow<'_, str>]) -> Option<&RuleUse> {
        values.iter().find_map(|value| self.other_case(value))
    }

    fn other_case(&self, value: &str) -> Option<&RuleUse> {
        let is_too_long = value.len() > self.longest && self.lengths.is_empty();
        let mut known = self.about(value);
        let is_known = known.any(|it| !it.rule.element.is_about_other_values());
        if is_too_long || !self.whole.is_empty() || is_known {
            return None;
        }
        let beginnings = self
            .lengths
            .iter()
            .filter_map(|&length| self.in_lower_case.get(&*lower_case(value.get(..length)?)));
        let is_beginning =
            |rule: &&RuleUse| matches!(rule.rule.element.value, Some(ValueTest::StartsWith(_)));
        let whole = Some(value).filter(|value| value.len() <= self.longest);
        whole
            .and_then(|value| self.in_lower_case.get(&*lower_case(value)))
            .into_iter()
            .chain(beginnings.filter(is_beginning))
            .find(|rule| {
                let replacement = rule.rule.replacement.as_deref();
                !replacement.is_some_and(|replacement| replacement.contains(value))
            })
    }
}

/// A value in lower case. Most are already.
fn lower_case(value: &str) -> Cow<'_, str> {
    if value.bytes().any(|byte| byte.is_ascii_uppercase()) {
        value.to_ascii_lowercase().into()
    } else {
        value.into()
    }
}

impl RuleUse {
    fn holds(&self, value: &str) -> bool {
        self.rule
            .element
            .value
            .as_ref()
            .is_some_and(|test| test.holds(value))
    }

    /// The match of this value.
    fn matched(&self, value: &str) -> MatchedRule {
        let version = self
            .rule
            .element
            .value
            .as_ref()
            .is_some_and(ValueTest::has_rule_for_each)
            .then(|| value.to_owned());
        MatchedRule {
            rule_use: self.clone(),
            version,
        }
    }
}

impl PartialEq for RuleUse {
    fn eq(&self, other: &Self) -> bool {
        (self.rule.number, &self.operation) == (other.rule.number, &other.operation)
    }
}

/// The rules about parts of a call, by what names the part.
#[derive(Debug)]
pub(super) struct RulesByPart<K>(Vec<PartRules<K>>);

/// The rules about query parameters or header fields.
pub(super) type NamedRules = RulesByPart<String>;

/// The rules about path segments.
pub(super) type SegmentRules = RulesByPart<VariableKey>;

/// The rules about one part.
#[derive(Debug)]
pub(super) struct PartRules<K> {
    pub name: K,
    pub rules: RulesByValue,
}

impl<K> Default for RulesByPart<K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: PartialEq> RulesByPart<K> {
    /// Adds a rule about a part.
    pub(super) fn push(&mut self, name: K, rule: RuleUse) {
        let mut known = self.0.iter_mut();
        if let Some(part) = known.find(|part| part.name == name) {
            return part.rules.push(rule);
        }
        let mut rules = RulesByValue::default();
        rules.push(rule);
        self.0.push(PartRules { name, rules });
    }

    /// Whether there is no rule.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The parts, each once.
    pub(super) fn parts(&self) -> impl Iterator<Item = &PartRules<K>> {
        self.0.iter()
    }

    /// All rules, in no particular order.
    pub(super) fn rule_uses(&self) -> impl Iterator<Item = &RuleUse> {
        self.0.iter().flat_map(|part| part.rules.iter())
    }
}

impl NamedRules {
    /// Whether a rule may be about a header field. Fields that have not been parsed need not be parsed for that.
    pub(super) fn may_match(&self, message: &Message<'_>) -> bool {
        let known = message.fields().known();
        let headers = message.fields().raw();
        if self.is_empty() || headers.is_empty() {
            return !self.is_empty() && known.is_some_and(|fields| !fields.list.is_empty());
        }
        self.parts()
            .any(|part| !part.name.bytes().all(key_context::is_plain))
            || may_name_header(headers, |text| {
                self.parts()
                    .any(|part| part.name.as_bytes().eq_ignore_ascii_case(text))
            })
    }
}

/// A variable in the path of an operation, as the rules of a file see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VariableKey {
    /// Index into the set.
    pub operation: usize,
    pub file: usize,
    pub place: PathVariable,
}

impl SegmentRules {
    /// The values of the variables in a called path, each with the rules about it.
    fn values<'v>(
        &'v self,
        set: &'v RuleSet,
        target: &'v Target<'_>,
    ) -> impl Iterator<Item = (&'v str, &'v RulesByValue)> {
        self.0.iter().filter_map(|PartRules { name, rules }| {
            let VariableKey {
                operation,
                file,
                place,
            } = *name;
            Some((set.variable_value(operation, file, place, target)?, rules))
        })
    }

    /// See [`RulesByValue::find_other_case`].
    pub(super) fn find_other_case<'v>(
        &'v self,
        set: &'v RuleSet,
        target: &'v Target<'_>,
    ) -> Option<&'v RuleUse> {
        self.values(set, target)
            .find_map(|(value, rules)| rules.other_case(value))
    }

    /// The rules to report for the values in a called path, each once. Variables of several operations may have the same part of
    /// the path: it is one key.
    pub(super) fn choose(
        &self,
        set: &RuleSet,
        target: &Target<'_>,
        as_of: NaiveDate,
        choice: RuleChoice,
    ) -> Vec<MatchedRule> {
        let mut parts: Vec<([Cow<'_, str>; 1], Vec<&RulesByValue>)> = Vec::new();
        for (value, rules) in self.values(set, target) {
            match parts
                .iter_mut()
                .find(|([known], _)| is_same_part(known, value))
            {
                Some((_, known)) => known.push(rules),
                None => parts.push(([value.into()], vec![rules])),
            }
        }
        let mut chosen = Vec::new();
        for (value, rules) in &parts {
            let candidates = rules
                .iter()
                .flat_map(|rules| rules.candidates(value, as_of));
            for ChosenRule { matched, .. } in choose(candidates, value, choice) {
                push_new(&mut chosen, matched);
            }
        }
        chosen
    }
}

/// Reports a value that differs from that of a rule only in letter case.
pub(super) fn other_case(rule: &Rule, at: Span) -> Skip {
    let skip = Skip {
        bytes: 0,
        ..Skip::at(Reason::LetterCase, at)
    };
    skip.because(format!("rule `{}`", rule.id))
}

/// Whether two texts are the same part of one text, and not only equal.
fn is_same_part(one: &str, other: &str) -> bool {
    one.as_ptr() == other.as_ptr() && one.len() == other.len()
}

/// The rules about versions that were found lately, by the index of the rule about all of them.
#[derive(Debug, Default)]
pub(super) struct VersionRules(RefCell<HashMap<usize, HashMap<String, Arc<Rule>>>>);

/// The number of versions of one rule that are remembered: more than services have.
const MAX_VERSIONS: usize = 1_000;

impl VersionRules {
    /// The rule about this version; the one about all versions if findings must not name this one.
    pub(super) fn get(&self, set: &RuleSet, all: &SetRule, version: &str) -> Arc<Rule> {
        let mut rules = self.0.borrow_mut();
        let known = rules.entry(all.number).or_default();
        if let Some(known) = known.get(version) {
            return Arc::clone(known);
        }
        let own = set.rule_for_found_version(all, version);
        let own = own.map_or_else(|| Arc::clone(all), Arc::new);
        if known.len() >= MAX_VERSIONS {
            known.clear();
        }
        known.insert(version.to_owned(), Arc::clone(&own));
        own
    }
}
