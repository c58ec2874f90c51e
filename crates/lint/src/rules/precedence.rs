//! The places of rules that apply to a call, and which rule counts if several files are about the same element.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{
    Element, MatchedOperations, MemberCondition, Rule, RuleOrigin, RulePlace, RuleSet, SetRule,
    ValueTest,
};
use sundown_exchange::Side;
use sundown_selector::Selector;
use sundown_selector::automaton::Specificity;

/// A place of a rule in a matched operation.
#[derive(Debug, Clone, Copy)]
pub struct MatchedPlace<'t> {
    /// Index of the operation in the set.
    pub operation: usize,
    /// Index of the rule in the set.
    pub rule: usize,
    /// The rule itself.
    pub own: &'t SetRule,
    pub place: &'t RulePlace,
}

impl<'t> MatchedPlace<'t> {
    fn subjects(&self) -> Vec<Subject<'t>> {
        let (rule, place) = (self.own, self.place);
        let mut texts: Vec<&str> = place.selectors.iter().map(Selector::text).collect();
        if texts.is_empty() {
            texts.push("");
        }
        let sides = Side::BOTH.into_iter();
        let sides = sides.filter(|&side| place.sides.contains(side));
        sides
            .flat_map(|side| {
                texts
                    .iter()
                    .copied()
                    .map(move |text| (&rule.element, side, text, rule.when.as_slice()))
            })
            .collect()
    }
}

/// The precedence of a rule among those about the same element, the least first. The user's rules replace those of tables that
/// the user cannot edit. A vague one replaces none, because it says less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Precedence {
    /// A mark without a date in an API description, or a rule that only prose supports.
    #[default]
    Vague,
    /// A rule of a pack.
    Pack,
    /// A rule of a built-in table.
    BuiltIn,
    /// A rule of the user, or a mark with a date.
    User,
}

impl Precedence {
    pub(super) fn of(rule: &Rule, origin: RuleOrigin) -> Self {
        // A table that was imported from a description says what the description says.
        let is_mark = origin == RuleOrigin::Description || rule.schema.is_some();
        match origin {
            _ if rule.is_possible || is_mark && rule.removal.is_none() => Self::Vague,
            RuleOrigin::Pack(_) => Self::Pack,
            RuleOrigin::BuiltIn => Self::BuiltIn,
            RuleOrigin::Description | RuleOrigin::User => Self::User,
        }
    }
}

/// The rank of a rule among those that hold for one key: whether it knows the value, whether it is more than vague, whether it says when
/// the element ends, the specificity of its selector, that of its value, its precedence, and its id. The greatest is reported.
pub type RuleRank<'r> = (
    bool,
    bool,
    bool,
    Option<Specificity>,
    Option<(u8, usize)>,
    Precedence,
    Reverse<&'r str>,
);

impl Precedence {
    /// The rank of a rule with this precedence, and of its selector.
    pub fn rank(self, rule: &Rule, specificity: Option<Specificity>) -> RuleRank<'_> {
        let test = rule.element.value.as_ref().map(ValueTest::specificity);
        (
            !rule.element.is_about_other_values(),
            self > Self::Vague,
            rule.has_end(),
            specificity,
            test,
            self,
            Reverse(&rule.id),
        )
    }
}

/// What a rule is about in one operation: the element, the side, the selector (empty without one) and the conditions.
type Subject<'t> = (&'t Element, Side, &'t str, &'t [MemberCondition]);

impl RuleSet {
    /// The places of the rules about matched operations, those about templates first. A rule of a file with less precedence is
    /// left out where another file has a rule about the same.
    pub(crate) fn matched_places(&self, matched: &MatchedOperations) -> Vec<MatchedPlace<'_>> {
        let mut places: Vec<_> = self.all_matched_places(matched).collect();
        Self::leave_out_replaced(&mut places);
        places
    }

    /// The same places with those that are left out.
    pub(crate) fn all_matched_places(
        &self,
        matched: &MatchedOperations,
    ) -> impl Iterator<Item = MatchedPlace<'_>> {
        let places = matched
            .all()
            .flat_map(|operation| self.places_in(operation));
        places.filter(|place| matched.is_meant(place.operation, place.own.file))
    }

    fn places_in(&self, operation: usize) -> impl Iterator<Item = MatchedPlace<'_>> {
        let places = self.operations().get(operation).map(|own| &own.places);
        places.into_iter().flatten().filter_map(move |at| {
            let own = self.rule_at(at.rule)?;
            Some(MatchedPlace {
                operation,
                rule: at.rule,
                own,
                place: own.places.get(at.place)?,
            })
        })
    }

    fn leave_out_replaced(places: &mut Vec<MatchedPlace<'_>>) {
        let mut all = places.iter().map(|place| place.own.precedence);
        let first = all.next();
        if all.all(|other| Some(other) == first) {
            return;
        }
        let mut greatest: HashMap<(usize, Subject<'_>), Precedence> = HashMap::new();
        for place in places.iter().filter(|place| !place.own.is_off()) {
            let own = place.own.precedence;
            for subject in place.subjects() {
                let known = greatest.entry((place.operation, subject)).or_insert(own);
                *known = own.max(*known);
            }
        }
        places.retain(|place| {
            place.subjects().into_iter().any(|subject| {
                let greatest = greatest.get(&(place.operation, subject));
                greatest.is_none_or(|greatest| *greatest <= place.own.precedence)
            })
        });
    }

    /// The precedence of a rule.
    pub(crate) fn precedence_of(&self, rule: usize) -> Precedence {
        self.rule_at(rule)
            .map(|rule| rule.precedence)
            .unwrap_or_default()
    }

    /// Notes for the user about rules of different files that are about the same elements, with different removal dates.
    pub(super) fn notes_on_contradictions(&self) -> Vec<String> {
        // The pairs of rules, by the pair of their files.
        let mut found: BTreeMap<(usize, usize), BTreeSet<(usize, usize)>> = BTreeMap::new();
        for (number, operation) in self.operations().iter().enumerate() {
            let files = &operation.files;
            // Packs alone have thousands of rules that none of the user's contradicts.
            if files.len() < 2 || !files.iter().any(|file| self.origin(*file).is_users()) {
                continue;
            }
            // The first rule of each file about a subject.
            let mut known: HashMap<Subject<'_>, Vec<&SetRule>> = HashMap::new();
            let places = self.places_in(number);
            // A vague rule contradicts none.
            for place in places.filter(|place| place.own.precedence > Precedence::Vague) {
                let rule = place.own;
                for subject in place.subjects() {
                    let firsts = known.entry(subject).or_default();
                    for first in firsts.iter().filter(|one| self.contradicts(one, rule)) {
                        let pairs = found.entry((first.file, rule.file)).or_default();
                        pairs.insert((first.number, rule.number));
                    }
                    if firsts.iter().all(|first| first.file != rule.file) {
                        firsts.push(rule);
                    }
                }
            }
        }
        let notes = found.values().filter_map(|rules| self.note_on(rules));
        notes.collect()
    }

    /// Whether two rules of different files have different removal dates and may be about the same calls, and one of them
    /// is the user's, who can change it.
    fn contradicts(&self, first: &SetRule, second: &SetRule) -> bool {
        let [hosts, others] = [first, second].map(|rule| &self.file(rule.file).hosts);
        first.removal != second.removal
            && first.file != second.file
            && first.precedence.max(second.precedence) == Precedence::User
            && (hosts.is_empty()
                || others.is_empty()
                || hosts.iter().any(|one| others.contains(one)))
    }

    /// A note on pairs of contradictory rules of two files.
    fn note_on(&self, rules: &BTreeSet<(usize, usize)>) -> Option<String> {
        let &(first, second) = rules.first()?;
        let mut both = [self.rule_at(first)?, self.rule_at(second)?];
        both.sort_by_key(|rule| Reverse(rule.precedence));
        let [rank, other_rank] = both.map(|rule| rule.precedence);
        let [one, other] = both.map(|rule| {
            let date = rule.removal.map(|removal| removal.to_string());
            format!("`{}` ({})", rule.id, date.as_deref().unwrap_or("no date"))
        });
        let [winner, loser] = both.map(|rule| self.title(rule.file));
        let more = match rules.len() {
            1 => String::new(),
            count => format!(", and so in {} other cases", count - 1),
        };
        let about =
            format!("{one} of {winner} and {other} of {loser} are about the same element{more}");
        Some(if rank == other_rank {
            format!("{about}: remove one of them")
        } else {
            format!("{about}: {winner} has precedence")
        })
    }

    /// The name of a file in a sentence.
    fn title(&self, file: usize) -> String {
        let file = self.file(file);
        match file.origin.pack() {
            Some(pack) => format!("the pack {pack}"),
            None => file.name.clone(),
        }
    }
}
