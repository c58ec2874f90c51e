//! The texts of findings for people, and the sentences about what a capture proves of an element.

use std::collections::BTreeSet;

use chrono::NaiveDate;

use super::{
    Certainty, Check, CodeRange, Finding, FindingKind, Period, RuleAgreement, Tally, UseOutcome,
};
use crate::rules::{AfterRemoval, ElementPart, RemovedInRequest, RemovedInResponse, Rule};
use sundown_exchange::{OperationPattern, Side};
use sundown_text_json::text::join;

/// The number of rules that a text names for the elements inside a finding.
const MAX_NAMED: usize = 5;

impl Finding {
    /// One line: what is used, where, and how long it will work.
    pub fn message(&self) -> String {
        match &self.kind {
            FindingKind::Use => format!("{} {}{}", self.subject(), self.fate(), self.doubt()),
            FindingKind::Declared(declared) => declared.message(self),
            FindingKind::Announced(announced) => announced.message(self),
            FindingKind::Violated(violated) => violated.message(self),
        }
    }

    /// Why it is only possible that this is a use, for the end of a message.
    pub(super) fn doubt(&self) -> &'static str {
        match self.found.certainty {
            Certainty::Certain => "",
            // The message says that it is not known to be used.
            Certainty::Possible if self.check() == Some(Check::Mentioned) => "",
            Certainty::Possible if self.rule.is_possible => {
                " (possibly: it is not certain that the element is deprecated)"
            }
            // In traffic, the conditions have been decided.
            Certainty::Possible if self.declared().is_some() => {
                " (possibly: only in bodies that meet the rule's `when`)"
            }
            Certainty::Possible
                if self
                    .found
                    .exchange
                    .as_ref()
                    .is_some_and(|one| one.is_possible) =>
            {
                " (possibly: a variable, a branch of a template or a header field decides what is called)"
            }
            Certainty::Possible => {
                " (possibly: its schema leaves open whether it is deprecated here)"
            }
        }
    }

    /// Its message without what only this finding of its element has: that is its [`site`](Self::site).
    pub fn headline(&self) -> String {
        match (&self.kind, self.rule.phrase()) {
            (FindingKind::Use, Some(element)) => {
                format!("{element} {}{}", self.fate(), self.doubt())
            }
            (FindingKind::Violated(violated), _) => violated.requirement.message.clone(),
            (FindingKind::Declared(own), _) if own.check == Check::Mentioned => {
                own.subject.as_ref().map_or_else(
                    || self.message(),
                    |value| format!("{value} {}", self.fate()),
                )
            }
            _ => self.message(),
        }
    }

    /// Where its element is used: `in the response of POST /orders`; `None` if the headline says that.
    pub fn site(&self) -> Option<String> {
        let operation = &self.found.operation;
        match (&self.kind, &self.rule.element.part) {
            (FindingKind::Use, ElementPart::Endpoint) => {
                self.rule.title.as_ref().map(|_| format!("in {operation}"))
            }
            (FindingKind::Use, ElementPart::Parameter(_) | ElementPart::Segment(_)) => {
                Some(format!("of {operation}"))
            }
            (FindingKind::Use, _) => {
                Some(format!("in the {} of {operation}", self.found.part.name()))
            }
            (FindingKind::Violated(violated), _) => {
                Some(format!("in {operation}{}", violated.observed_text()))
            }
            (FindingKind::Declared(_) | FindingKind::Announced(_), _) => None,
        }
    }

    fn subject(&self) -> String {
        let element = self.rule.phrase();
        match element.zip(self.site()) {
            Some((element, site)) => format!("{element} {site}"),
            None => self.found.operation.to_string(),
        }
    }

    /// How long the element works, as a predicate with its date. That it has been removed is not claimed: only its last day is known.
    pub(super) fn fate(&self) -> String {
        if let Some(fate) = self.rule.versions.fate() {
            return fate;
        }
        if let Some(last_day) = self.last_day() {
            return format!("is deprecated: {last_day}");
        }
        match (self.days_left, self.rule.removal) {
            (Some(0), Some(removal)) => {
                format!("is deprecated: today is its last day ({removal}, UTC)")
            }
            (Some(1), Some(removal)) => format!("is deprecated: 1 day left, until {removal}"),
            (Some(days), Some(removal)) => {
                format!("is deprecated: {days} days left, until {removal}")
            }
            _ if self.rule.has_unreadable_end => {
                "is deprecated, with a date that cannot be read".to_owned()
            }
            _ if let Some(version) = self.rule.versions.removed_in => {
                format!("is deprecated: version {version} removes it; no date announced")
            }
            _ => match self.begins {
                Some(since) => format!("will be deprecated on {since}; no removal date announced"),
                None => "is deprecated; no date announced".to_owned(),
            },
        }
    }

    /// The last day of an element, if it is in the past.
    pub(super) fn last_day(&self) -> Option<String> {
        let (days, removal) = (self.days_left.filter(|days| *days < 0)?, self.rule.removal?);
        // On the first day after it, it may have ended a minute ago.
        let ago = if days < -1 {
            format!(", {} days ago", -days)
        } else {
            String::new()
        };
        Some(format!("its last day was {removal}{ago}"))
    }

    /// Until when the element should work.
    pub(super) fn promise(&self) -> String {
        match (self.days_left, self.rule.removal) {
            (Some(days), Some(removal)) if days >= 0 => format!("works until {removal}"),
            (_, Some(removal)) => format!("worked until {removal}"),
            _ if self.rule.has_unreadable_end => {
                "has a removal date that cannot be read".to_owned()
            }
            _ => "has no removal date".to_owned(),
        }
    }

    /// The days left in a few words, for tables.
    pub fn time_left(&self) -> String {
        let versions = self.rule.versions;
        match self.days_left {
            _ if versions.target.is_some() => versions.summary(),
            None if self.rule.has_unreadable_end => "unreadable date".to_owned(),
            None => "no date".to_owned(),
            Some(-1) => "1 day past".to_owned(),
            Some(days) if days < 0 => format!("{} days past", -days),
            Some(0) => "last day".to_owned(),
            Some(1) => "1 day left".to_owned(),
            Some(days) => format!("{days} days left"),
        }
    }

    /// The remedy in a few words: usually the replacement, or that the body already has it.
    pub fn advice(&self) -> String {
        let replacement = self.rule.successor().filter(|_| self.has_replacement());
        match (replacement, self.rule.element.name()) {
            (Some(replacement), Some(name)) => match self.found.part.side() {
                Some(Side::Response) => format!("read `{replacement}`, which is already present"),
                _ => format!("`{replacement}` is already present: drop `{name}`"),
            },
            _ => self.general_advice(),
        }
    }

    /// The remedy for all uses of the element.
    pub fn general_advice(&self) -> String {
        match &self.kind {
            FindingKind::Use => replacement_advice(&self.rule),
            FindingKind::Declared(declared) => declared.advice(self),
            FindingKind::Announced(announced) => announced.advice(self),
            FindingKind::Violated(violated) => violated.requirement.remedy.clone(),
        }
    }

    /// The note of its rule; `None` if the advice is not about a replacement.
    pub fn note(&self) -> Option<&str> {
        let is_about_rule = match &self.kind {
            FindingKind::Declared(own) => {
                matches!(
                    own.check,
                    Check::Exposed | Check::Examples | Check::Mentioned
                )
            }
            FindingKind::Announced(own) => matches!(own.standing, RuleAgreement::Known(_)),
            FindingKind::Use | FindingKind::Violated(_) => true,
        };
        self.rule.note.as_deref().filter(|_| is_about_rule)
    }

    /// The rules of the elements inside it, each once.
    pub fn rules_inside(&self) -> Option<String> {
        let rules: BTreeSet<&str> = self.related.iter().map(|inside| &*inside.rule.id).collect();
        (!rules.is_empty()).then(|| first_of(MAX_NAMED, rules.into_iter()))
    }

    /// The operation for which the deprecation of a part of messages was announced, if it is another one than that of the use.
    pub fn announced_for(&self) -> Option<&OperationPattern> {
        let announced = self.rule.announced.as_ref()?;
        let own = OperationPattern::parse(&self.found.operation).ok()?;
        let is_part_in_use = self.check().is_none() && !self.rule.element.is_endpoint();
        (is_part_in_use && !announced.covers(&own)).then_some(announced)
    }

    /// Why a use in another operation than the announced one is a finding.
    pub fn announcement_text(&self) -> Option<String> {
        let announced = self.announced_for()?;
        Some(format!(
            "announced for {announced}, which has the same element"
        ))
    }

    /// The effect of the removal on callers, and that responses announce it if they do.
    pub fn consequence(&self) -> String {
        let by = &self.evidence.announced_by;
        let Some(first) = by.first() else {
            return self.effect();
        };
        let fields = join(by.iter().map(|field| field.name()), ", ");
        let (effect, announcer) = (self.effect(), first.announcer());
        format!("{effect}; {announcer} it, too ({fields})")
    }

    /// The consequence without the number of uses, for a text that has it elsewhere.
    pub fn consequence_of_each(&self) -> String {
        let mut each = self.clone();
        if let [tally] = each.evidence.tallies.as_mut_slice()
            && tally.uses.count == self.sightings.count
        {
            tally.uses.count = 1;
        }
        each.consequence()
    }

    fn effect(&self) -> String {
        if let FindingKind::Violated(violated) = &self.kind {
            return violated.consequence(self);
        }
        if let Some(check) = self.check().map(Check::id) {
            return format!("check {check}: see `sundown explain {check}`");
        }
        if let Some(proved) = self.evidence_text() {
            return proved;
        }
        let Outlook { text, is_stated } = self.outlook();
        let when = match self.days_left {
            _ if self.rule.versions.has_removed() => "on the target,",
            _ if self.rule.versions.target.is_some() => "once removed,",
            None => "once removed,",
            Some(days) if days < 0 => "past its last day,",
            Some(_) => "after its last day,",
        };
        let source = if is_stated { AS_STATED } else { "" };
        format!("{when} {text}{source}")
    }
}

/// What to use instead of the element of a rule, in a few words.
pub(crate) fn replacement_advice(rule: &Rule) -> String {
    let Some(replacement) = rule.replacement.as_deref() else {
        return "no replacement announced".to_owned();
    };
    // The advice is part of a sentence.
    let replacement = replacement.trim_end_matches('.');
    if let Some(alternatives) = quote_alternatives(replacement) {
        return format!("use {alternatives}");
    }
    if replacement.contains(' ') {
        return format!("use {replacement}");
    }
    let is_type =
        is_type_name(replacement) && rule.element.name().is_some_and(|name| !is_type_name(name));
    let kind = if is_type { "the type " } else { "" };
    format!("use {kind}`{replacement}`")
}

/// The names up to a limit, and how many more there are: `a, b and 7 more`.
pub(super) fn first_of<'a>(limit: usize, names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = match names.len().saturating_sub(limit) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    join(names.take(limit), ", ") + &more
}

/// Returns whether a name is spelled like that of a type: `ChannelInviteInfo`.
fn is_type_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.contains(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
}

/// Quotes the names of a list such as `a or b` and `a, b and c`; `None` for a single name and for other text.
fn quote_alternatives(text: &str) -> Option<String> {
    let mut quoted = Vec::new();
    let words: Vec<&str> = text.split(' ').collect();
    let mut follows_name = false;
    for word in &words {
        let (name, comma) = word
            .strip_suffix(',')
            .map_or((*word, ""), |name| (name, ","));
        // A word of prose is no name: names of several words have an inner capital or a sign.
        let is_name = name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))
            && name.contains(|c: char| !c.is_lowercase());
        match *word {
            "or" | "and" => {
                quoted.push(name.to_owned());
                follows_name = false;
            }
            // Two words without a separator are one title: `Responses API`.
            _ if is_name && !follows_name => {
                quoted.push(format!("`{name}`{comma}"));
                follows_name = comma.is_empty();
            }
            _ => return None,
        }
    }
    (words.len() > 1).then(|| quoted.join(" "))
}

/// That the rules state what was said before.
const AS_STATED: &str = ", as the rule table says";

/// The words for what happens after the last day.
struct Outlook {
    /// The predicate.
    pub text: String,
    /// Whether the rules state it.
    pub is_stated: bool,
}

impl Finding {
    /// The message whose part the element is; `None` if it is the operation.
    fn side(&self) -> Option<Side> {
        let side = self.found.part.side().unwrap_or(Side::Request);
        Some(side).filter(|_| !self.rule.element.is_endpoint())
    }

    /// What the capture proves, and what to expect after the last day; `None` if it proves nothing.
    fn evidence_text(&self) -> Option<String> {
        let tally = self.evidence.headline()?;
        if tally.period == Period::Unknown {
            return self.refusal_text();
        }
        let when = self.when(tally)?;
        let answer = self.answer(tally);
        let others = self.other_answers(tally);
        Some(match tally.period {
            Period::Late => {
                let is_served = tally.outcome <= UseOutcome::Accepted && !self.is_removal_silent();
                let still = if is_served { "still " } else { "" };
                format!("{still}{answer}{when}{}{others}", self.late_remark(tally))
            }
            // What is refused already needs no outlook.
            Period::InTime if tally.outcome == UseOutcome::Refused => {
                format!("{answer}{when}{others}")
            }
            Period::InTime | Period::Unknown => {
                format!("{answer}{when}{others}; {}", self.outlook_with_date()?)
            }
        })
    }

    /// That an operation was refused at last, although its last day or the time is not known. Of a field, that proves nothing.
    fn refusal_text(&self) -> Option<String> {
        let mut tallies = self.evidence.tallies.iter();
        let refused = tallies
            .clone()
            .find(|tally| tally.outcome == UseOutcome::Refused)?;
        let is_refused_at_last = tallies.all(|tally| {
            let times = tally.uses.last.zip(refused.uses.first);
            tally.outcome != UseOutcome::Accepted || times.is_some_and(|(a, b)| a < b)
        });
        if self.side().is_some() || !is_refused_at_last {
            return None;
        }
        let days = refused
            .days()
            .map(|(first, last)| days_text(first, last))
            .unwrap_or_default();
        let remark = if self.states_status_of(refused) {
            AS_STATED
        } else {
            ": it may have been removed already"
        };
        Some(format!("{}{days}{remark}", self.answer(refused)))
    }

    /// The day, or the range of days.
    fn when(&self, tally: &Tally) -> Option<String> {
        let last_day = self.rule.removal?;
        let (first, last) = tally.days()?;
        let after = match (last - last_day).num_days() {
            ..0 if tally.outcome == UseOutcome::Refused => ", before its last day".to_owned(),
            0 if tally.outcome == UseOutcome::Refused => ", its last day".to_owned(),
            ..=0 => String::new(),
            1 if first == last => ", the day after its last day".to_owned(),
            1 => ", most recently the day after its last day".to_owned(),
            days if first == last => format!(", {days} days after its last day"),
            days => format!(", most recently {days} days after its last day"),
        };
        Some(days_text(first, last) + &after)
    }

    /// How the uses were answered, as a predicate with their number.
    fn answer(&self, tally: &Tally) -> String {
        let side = self.side();
        let is_late = tally.period == Period::Late;
        let used = if side.is_none() { "called" } else { "sent" };
        let (participle, status) = match tally.outcome {
            UseOutcome::Sent => ("sent", String::new()),
            UseOutcome::Accepted if is_late => ("accepted", tally.codes.in_brackets()),
            UseOutcome::Accepted | UseOutcome::Unknown => (used, String::new()),
            UseOutcome::Refused => ("refused", tally.codes.in_brackets()),
            UseOutcome::Redirected => ("redirected", tally.codes.in_brackets()),
            UseOutcome::ClientError | UseOutcome::Inconclusive | UseOutcome::ServerError => {
                ("answered", format!(" with {}", tally.codes.in_words()))
            }
        };
        // A status is about the whole request, and says nothing else about its parts.
        let is_about_request = match tally.outcome {
            UseOutcome::Sent | UseOutcome::Unknown => false,
            UseOutcome::Accepted => is_late && self.is_removal_silent(),
            _ => true,
        };
        match tally.uses.count {
            1 if is_about_request && side == Some(Side::Request) => {
                format!("sent in a request that was {participle}{status}")
            }
            count if is_about_request && side == Some(Side::Request) => {
                format!("sent in {count} requests that were {participle}{status}")
            }
            1 => format!("{participle}{status}"),
            2 => format!("{participle} twice{status}"),
            count => format!("{participle} {count} times{status}"),
        }
    }

    /// The other outcomes of the same period.
    fn other_answers(&self, headline: &Tally) -> String {
        let answers = [("also", false), ("later", true)].map(|(word, later)| {
            let of_time = self.evidence.tallies.iter().skip(1).filter(|tally| {
                let times = tally.uses.first.zip(headline.uses.last);
                tally.period == headline.period && times.is_some_and(|(a, b)| a > b) == later
            });
            match join(of_time.map(|tally| self.other_answer(tally)), ", ") {
                none if none.is_empty() => none,
                answers => format!("; {word} {answers}"),
            }
        });
        answers.concat()
    }

    /// An answer after another one, whose status the words before it do not give.
    fn other_answer(&self, tally: &Tally) -> String {
        let unknown = if tally.outcome == UseOutcome::Unknown {
            " without a known status"
        } else {
            ""
        };
        self.answer(tally) + unknown
    }

    /// How an answer after the last day agrees with what the rules state, or else what it does not show.
    fn late_remark(&self, tally: &Tally) -> String {
        let Outlook { text, is_stated } = self.outlook();
        let contradicted = format!(", although the rule table says that {text}");
        match (self.side(), tally.outcome) {
            (_, UseOutcome::Sent | UseOutcome::Accepted | UseOutcome::Unknown)
                if self.is_removal_silent() =>
            {
                format!("; the rule table says that {text}")
            }
            (_, UseOutcome::Unknown) if is_stated => format!("; the rule table says that {text}"),
            (_, UseOutcome::Unknown) => String::new(),
            (Some(Side::Response), _) if !is_stated => ": do not rely on it".to_owned(),
            (Some(Side::Response), _) => contradicted,
            _ if self.states_status_of(tally) => AS_STATED.to_owned(),
            (_, UseOutcome::Accepted) if is_stated => contradicted,
            (_, UseOutcome::Sent | UseOutcome::Accepted | UseOutcome::Refused) => String::new(),
            _ => ": this does not show whether it still works".to_owned(),
        }
    }

    /// Returns whether the rules state that the answers to uses look the same after the removal: the element of a request is
    /// ignored, that of a response is `null`. Then a success after the last day does not prove that it is served.
    pub(super) fn is_removal_silent(&self) -> bool {
        let AfterRemoval {
            request, response, ..
        } = self.rule.after_removal;
        match self.side() {
            None => false,
            Some(Side::Request) => request == Some(RemovedInRequest::Ignored),
            Some(Side::Response) => response == Some(RemovedInResponse::Null),
        }
    }

    /// Returns whether the rules state the status of these answers for uses after the last day.
    fn states_status_of(&self, tally: &Tally) -> bool {
        let AfterRemoval {
            operation, request, ..
        } = self.rule.after_removal;
        let stated = match (self.side(), request) {
            (None, _) => operation,
            (Some(Side::Request), Some(RemovedInRequest::Refused(status))) => Some(status),
            _ => None,
        };
        stated.is_some() && stated == tally.status()
    }

    fn outlook_with_date(&self) -> Option<String> {
        let last_day = self.rule.removal?;
        let Outlook { text, is_stated } = self.outlook();
        Some(match self.side() {
            _ if is_stated => {
                format!("according to the rule table, {text} after {last_day}")
            }
            Some(Side::Response) => format!("do not rely on it after {last_day}"),
            _ => format!("{text} after {last_day}"),
        })
    }

    /// What the service does with the element after its last day: what its rules state, or else what services may do.
    fn outlook(&self) -> Outlook {
        let AfterRemoval {
            operation,
            request,
            response,
        } = self.rule.after_removal;
        let stated = match self.side() {
            None => operation.map(|status| format!("the service answers {status}")),
            Some(Side::Response) => response.map(|response| match response {
                RemovedInResponse::Omitted => "it is missing from responses".to_owned(),
                RemovedInResponse::Null => "its value is null".to_owned(),
            }),
            Some(Side::Request) => request.map(|request| match request {
                RemovedInRequest::Refused(status) => {
                    format!("the service answers {status} to requests with it")
                }
                RemovedInRequest::Ignored => "the service ignores it".to_owned(),
            }),
        };
        Outlook {
            is_stated: stated.is_some(),
            text: stated.unwrap_or_else(|| match self.side() {
                None => "calls may fail".to_owned(),
                Some(Side::Response) => "it may be missing: do not rely on it".to_owned(),
                Some(Side::Request) => "it may be refused or ignored".to_owned(),
            }),
        }
    }
}

/// A day, or a range of days, after a space.
fn days_text(first: NaiveDate, last: NaiveDate) -> String {
    if first == last {
        format!(" on {first}")
    } else {
        format!(" between {first} and {last}")
    }
}

impl CodeRange {
    fn text(self) -> Option<String> {
        match self {
            Self::One(status) => Some(status.to_string()),
            Self::Class(class) => Some(format!("{class}xx")),
            Self::None | Self::Mixed => None,
        }
    }

    /// In brackets after a space; empty if there is no word for it.
    fn in_brackets(self) -> String {
        let text = self.text().map(|text| format!(" ({text})"));
        text.unwrap_or_default()
    }

    pub(super) fn in_words(self) -> String {
        self.text().unwrap_or_else(|| "errors".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_a_list_are_quoted_and_titles_are_not() {
        for (text, expected) in [
            ("orderId or order_no", Some("`orderId` or `order_no`")),
            (
                "gpt-5, gpt-5-nano or o3",
                Some("`gpt-5`, `gpt-5-nano` or `o3`"),
            ),
            ("Responses API and Conversations API", None),
            ("the new one", None),
            ("orderId", None),
        ] {
            assert_eq!(quote_alternatives(text).as_deref(), expected, "{text}");
        }
    }
}
