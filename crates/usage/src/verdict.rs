//! The verdict on an element: whether it is used, or not seen in enough calls, or why that is unknown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chrono::{DateTime, NaiveDate, Utc};

use super::history::TimeUnit;
use super::scan::{ElementTally, RuleFacts};
use super::tally::{ReadTally, UseCount};
use sundown_exchange::Side;
use sundown_lint::findings::ExchangePart;
use sundown_lint::rules::{Element, ElementPart};
use sundown_text_json::text::group_digits;

/// Whether an element may be removed as far as the traffic shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UsageVerdict {
    /// It is used: in the call or the request, or in the contract of a consumer.
    InUse,
    /// It is used: the response still has it.
    StillSent,
    /// The traffic does not show whether it is used.
    CannotTell,
    /// It was not used in enough calls on enough days.
    NotSeen,
    /// The same of a response, which says nothing about its readers.
    NotSent,
}

/// What a verdict depends on besides the counts.
#[derive(Debug)]
pub struct VerdictOptions {
    /// The day of the report.
    pub as_of: NaiveDate,
    /// The days with readable calls that *not seen* and *not sent* need.
    pub quiet_days: u64,
    /// Fewer calls with a use do not count as use.
    pub min_uses: u64,
    /// A smaller share of the readable calls does not count as use, in percent.
    pub min_share: f64,
}

/// Why an element has its verdict.
#[derive(Debug)]
pub(super) struct Judgement {
    pub verdict: UsageVerdict,
    /// The best that is known if the traffic does not show whether the element is used, in place of the verdict.
    pub known: Option<String>,
    /// A sentence without its full stop.
    pub reason: String,
    /// Calls with a use that do not count as use.
    pub below_threshold: u64,
}

impl Judgement {
    /// The verdict for people, or the best that is known.
    pub(super) fn text(&self) -> &str {
        self.known.as_deref().unwrap_or_else(|| self.verdict.text())
    }
}

impl UsageVerdict {
    /// All verdicts, in their order.
    pub(super) const ALL: [Self; 5] = [
        Self::InUse,
        Self::StillSent,
        Self::CannotTell,
        Self::NotSeen,
        Self::NotSent,
    ];

    /// Its name for people.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::InUse => "in use",
            Self::StillSent => "still sent",
            Self::CannotTell => "cannot tell",
            Self::NotSeen => "not seen",
            Self::NotSent => "not sent",
        }
    }

    /// Its name in machine formats.
    pub(super) fn name(self) -> String {
        self.text().replace(' ', "-")
    }

    /// Returns whether the element is used.
    pub(super) fn is_use(self) -> bool {
        matches!(self, Self::InUse | Self::StillSent)
    }
}

/// A count with its noun: `1 call`, `2,000 calls`.
pub(super) fn counted(count: u64, noun: &str) -> String {
    let number = group(count);
    format!("{number} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A count with commas between groups of three digits.
pub(super) fn group(count: u64) -> String {
    group_digits(usize::try_from(count).unwrap_or(usize::MAX))
}

/// The percentage of a share.
#[allow(clippy::cast_precision_loss, reason = "percentages are rounded")]
pub(super) fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        100.0 * part as f64 / whole as f64
    }
}

/// Facts about the whole scan that verdicts depend on.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScanContext<'s> {
    /// The calls of each API.
    pub apis: &'s BTreeMap<String, ReadTally>,
    /// The pieces that could not be checked and may have calls.
    pub unread_pieces: u64,
    /// The unit of all uses over time.
    pub unit: TimeUnit,
}

impl ElementTally {
    /// The calls in which the element would have been seen.
    pub(crate) fn readable(&self) -> u64 {
        let beyond = self.uses.beyond_read.values().sum::<u64>();
        self.reads.read + self.uses.beyond_json + beyond
    }

    /// The calls whose piece could not be read, and in which no use was seen.
    pub fn unreadable(&self) -> u64 {
        let beyond = self.uses.beyond_read.values().sum();
        self.reads.failures().saturating_sub(beyond)
    }

    /// Returns whether no call reached the element.
    pub(crate) fn is_never_called(&self) -> bool {
        self.reads.calls() == 0 && self.reads.missed == 0 && self.uses.left_out == 0
    }

    /// Returns the verdict on the element.
    pub(super) fn judge(
        &self,
        part: ExchangePart,
        facts: &RuleFacts,
        options: &VerdictOptions,
        scan: ScanContext<'_>,
    ) -> Judgement {
        let RuleFacts {
            element,
            names_path,
            ..
        } = facts;
        let is_response = part.side() == Some(Side::Response);
        let expected = self.uses.expected;
        let (present, missing) = if is_response {
            // Only a contract says who reads a response.
            let is_read = expected > 0;
            let present = if is_read {
                UsageVerdict::InUse
            } else {
                UsageVerdict::StillSent
            };
            (present, UsageVerdict::NotSent)
        } else {
            (UsageVerdict::InUse, UsageVerdict::NotSeen)
        };
        let UseCount {
            calls: uses,
            period,
            possible,
            ..
        } = self.uses.count;
        let readable = self.readable();
        let is_rare = uses < options.min_uses || percent(uses, readable) < options.min_share;
        let judgement = |verdict, known, reason| Judgement {
            verdict,
            known,
            reason,
            below_threshold: if is_rare { uses } else { 0 },
        };
        let calls_around = self.calls_around(facts, scan);
        let share = match calls_around {
            Some(calls) => format!(
                "not among {} of this API that rules are about,",
                counted(calls.read, "call")
            ),
            None => {
                let calls = counted(readable, "readable call");
                format!("in {} of {calls}", group(uses))
            }
        };
        if uses > 0 && !is_rare && possible == uses {
            let reason = format!("possibly {share}: none of the uses is certain");
            let known = format!("possibly {}", present.text());
            return judgement(UsageVerdict::CannotTell, Some(known), reason);
        }
        if uses > 0 && !is_rare {
            let last = period
                .last
                .map(|last| self.describe_silence(last, scan.unit));
            let expected = match expected {
                0 => String::new(),
                count => format!("; contracts of consumers expect {}", group(count)),
            };
            let last = last.unwrap_or_default();
            return judgement(present, None, format!("{share}{last}{expected}"));
        }
        let doubt = self
            .doubt(element, calls_around, options)
            .or_else(|| names_path.then(|| "the rule has a path in place of a name: `sundown rules check` says what to write".to_owned()))
            .or_else(|| doubt_input(scan.unread_pieces));
        if let Some(doubt) = doubt {
            let known = self.best_known(missing, options);
            return judgement(UsageVerdict::CannotTell, known, doubt);
        }
        let reads = calls_around.unwrap_or(&self.reads);
        let days = counted(reads.days_until(options.as_of), "day");
        let mut reason = format!("{share} on {days}");
        reason.push_str(&reads.describe_age(options).unwrap_or_default());
        if uses > 0 {
            reason.push_str(", which is below --min-uses or --min-share");
        }
        let absent = self.reads.absent + self.reads.not_json;
        if absent > 0 {
            let has = if absent == 1 { "has" } else { "have" };
            let piece = if is_header(element) {
                "header fields"
            } else {
                "JSON body"
            };
            let _ = write!(
                reason,
                "; {} {has} no {piece}",
                counted(absent, "more call")
            );
        }
        judgement(missing, None, reason)
    }

    /// The calls of other operations of its API, if those show whether an operation of the user's rules was called.
    fn calls_around<'s>(&self, facts: &RuleFacts, scan: ScanContext<'s>) -> Option<&'s ReadTally> {
        let may_show = self.is_never_called() && facts.is_own && facts.element.is_endpoint();
        scan.apis.get(&facts.api).filter(|_| may_show)
    }

    /// What the readable calls show if they are not enough for a verdict; `None` if they show nothing.
    fn best_known(&self, missing: UsageVerdict, options: &VerdictOptions) -> Option<String> {
        let readable = self.readable();
        if readable == 0 || self.uses.count.calls > 0 || self.uses.left_out > 0 {
            return None;
        }
        let text = missing.text();
        let days = self.reads.days_until(options.as_of);
        let needed = options.quiet_days;
        Some(if (1..needed).contains(&days) {
            format!("{text} in {} ({needed} needed)", counted(days, "day"))
        } else {
            let calls = counted(self.reads.calls(), "call");
            format!("{text} in {} of {calls}", group(readable))
        })
    }

    /// Returns why too little was read to say that the element is not used.
    fn doubt(
        &self,
        element: &Element,
        calls_around: Option<&ReadTally>,
        options: &VerdictOptions,
    ) -> Option<String> {
        let reads = &self.reads;
        let calls = counted(reads.calls(), "call");
        let piece = match element.part {
            ElementPart::Header(_) => "header fields",
            ElementPart::Parameter(_) => "a query",
            _ => "a body",
        };
        let left_out = self.uses.left_out;
        if left_out > 0 {
            let calls = counted(left_out, "call");
            return Some(format!(
                "used in {calls} without a time, which --since and --until leave out"
            ));
        }
        if self.is_never_called() {
            let is_shown = calls_around.is_some_and(|calls| {
                calls.read > 0 && calls.days_until(options.as_of) >= options.quiet_days
            });
            return (!is_shown).then(|| "never called".to_owned());
        }
        if reads.missed > 0 {
            let calls = counted(reads.missed, "call");
            return Some(format!(
                "{calls} at another address or in another spelling of the path may be of it: `sundown check -v` lists them"
            ));
        }
        let unreadable = self.unreadable();
        if unreadable > 0 {
            let count = group(unreadable);
            let of = counted(reads.calls(), "call");
            let piece = piece.trim_start_matches("a ");
            return Some(format!(
                "the {piece} of {count} of {of} could not be read completely"
            ));
        }
        if self.readable() == 0 {
            let is_missing = reads.absent >= reads.not_json;
            return Some(if is_missing {
                format!("the capture has {piece} for none of {calls}")
            } else {
                format!("none of {calls} has a JSON body")
            });
        }
        // A logger that keeps some bodies leaves out others for a reason that is not known.
        let is_member = matches!(element.part, ElementPart::Field(_));
        if is_member && reads.absent > self.readable() {
            let readable = group(self.readable());
            return Some(format!(
                "the capture has a body for only {readable} of {calls}"
            ));
        }
        let days = reads.days_until(options.as_of);
        let wanted = options.quiet_days;
        if days < wanted {
            let readable = counted(self.readable(), "readable call");
            let undated = match reads.undated {
                0 => String::new(),
                undated => format!(" and {} without a time", group(undated)),
            };
            let on = counted(days, "day");
            let later = match self.days() - days {
                0 => String::new(),
                later => format!(", and on {} after {}", counted(later, "day"), options.as_of),
            };
            return Some(format!(
                "only {readable} on {on}{later}{undated}; --quiet-days asks for {wanted}"
            ));
        }
        None
    }

    /// The days (UTC) with a readable call.
    pub fn days(&self) -> u64 {
        self.reads.history.days()
    }

    /// Says how many readable calls without a use there were since the last hour or day with a use.
    fn describe_silence(&self, last: DateTime<Utc>, unit: TimeUnit) -> String {
        let (on, each, noun) = match unit {
            TimeUnit::Hour => (last.format("%Y-%m-%d at %H:%M UTC"), "in", "hour"),
            TimeUnit::Day => (last.format("%Y-%m-%d"), "on", "day"),
        };
        let counts = self.reads.history.counts(unit);
        let later = counts.range(unit.of(last).saturating_add(1)..);
        let (times, calls) = later.fold((0, 0), |(times, calls), (_, count)| {
            (times + 1, calls + count)
        });
        if calls == 0 {
            return format!(", last on {on}");
        }
        let calls = counted(calls, "readable call");
        let times = counted(times, noun);
        format!(", last on {on}; in none of {calls} {each} {times} since")
    }
}

impl ReadTally {
    /// The days (UTC) with a readable call up to this one. A clock that is wrong may have written later ones.
    fn days_until(&self, last: NaiveDate) -> u64 {
        self.history.days_until(last).count() as u64
    }

    /// Says when the last readable call was, if that is longer ago than as many days as are needed.
    fn describe_age(&self, options: &VerdictOptions) -> Option<String> {
        let last = self.history.days_until(options.as_of).next()?;
        let age = u64::try_from((options.as_of - last).num_days()).unwrap_or_default();
        (age > options.quiet_days)
            .then(|| format!(", the last of them {last}, {} ago", counted(age, "day")))
    }
}

/// Returns why the rest of the input keeps from saying that an element is not used.
fn doubt_input(unread_pieces: u64) -> Option<String> {
    let pieces = counted(unread_pieces, "piece");
    (unread_pieces > 0)
        .then(|| format!("calls may be missing: {pieces} of the input could not be checked"))
}

fn is_header(element: &Element) -> bool {
    matches!(element.part, ElementPart::Header(_))
}
