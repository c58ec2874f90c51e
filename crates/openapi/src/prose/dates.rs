//! Finds the dates that a text states for the element that it describes: since when it is deprecated, and when it ends.
//!
//! A date counts only in a full statement, such as `will be removed on 2026-11-20`: a verb or noun of an end, a preposition, and
//! a date. Dates of versions, of examples and of other elements do not, nor those of an end that was postponed.

use std::sync::LazyLock;

use chrono::NaiveDate;
use regex::{Captures, Regex};

use super::clause::{introduces, is_named};
use super::markup::plain;
use super::pattern::{alternatives, pattern};
use super::sentences::sentences;
use super::subject::ProseSubject;
use super::words::{DEPRECATED, ENDED, MONTH, PREPOSITION};
use sundown_text_json::text::{StatedDate, parse_date};

/// The dates that a text states.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ProseDates {
    /// The date since which the element is deprecated.
    pub(crate) introduced: Option<NaiveDate>,
    /// The date of its end; of several, the last. A month or a quarter ends on its last day.
    pub(crate) removal: Option<NaiveDate>,
}

/// Verbs for an action of an element until then, or of its publisher with it.
const ACTION: &str = r"(?:accept|return|support|send|includ|contain|allow|provid|receiv|offer|serv|maintain|show|list|us)(?:s|es|e|ing)?";
const NOTICE: &str =
    r"^(?:(?:note|important|warning|attention|notice|please note)[^\w`]{1,3}(?:that )?)?";

/// A date: a day, a month, a quarter, or the end of a year.
fn date() -> String {
    let day = "[0-9]{1,2}(?:['’]?(?:st|nd|rd|th))?";
    let year = "(?:19|20)[0-9]{2}";
    let forms = [
        r"[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}(?:T[0-9:.]{5,15}(?:Z|[+-][0-9]{2}:?[0-9]{2}))?"
            .to_owned(),
        format!(r"{MONTH},? {day},? {year}"),
        format!(r"{day} (?:of )?{MONTH},? {year}"),
        format!(r"(?:end of )?{MONTH},? (?:of )?{year}"),
        format!(
            r"(?:end of )?(?:q[1-4]|(?:first|second|third|fourth|last) quarter)(?:,? (?:of )?| ?/ ?){year}"
        ),
        format!(r"end of {year}"),
    ];
    format!(r"(?P<date>{})\b", forms.join("|"))
}

/// Statements of an end. If they have them, the group `subject` is what ends, and `object` what the element no longer accepts or
/// returns.
static ENDS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let date = date();
    let adverbs = r"(?:(?:be|been|being|completely|permanently|fully|officially|also|then|therefore|now|eventually|entirely|finally|(?:scheduled|planned|set|due|expected|going) to be) )*";
    alternatives(&[
        format!(
            r"(?:\b(?:will|shall|to|is|are|was|were|been|being|be|and|gets?) {adverbs}|^){ENDED}(?:,? (?:from|for) (?:[a-z]+ ){{1,4}}?)?,? ?(?:{PREPOSITION})?{date}"
        ),
        format!(
            r"\bno longer (?:{ACTION} (?P<object>[^.;]{{1,60}}?) |(?:be )?(?:[a-z-]+ ){{0,3}}?){PREPOSITION}{date}"
        ),
        format!(
            r"\b(?:stops?|stopped|ceases?|ceased)(?: to)? (?:{ACTION} (?P<object>[^.;]{{1,60}}?) |(?:[a-z-]+ ){{0,4}}?){PREPOSITION}{date}"
        ),
        format!(
            r"\b(?:supported|available|functional|operational|usable|works?|working|maintained|accessible|deprecated),? (?:only )?(?:until|till|through|up to) (?:the )?{date}"
        ),
        format!(
            r"\b(?:sunset|removal|retirement|shut ?down|end[- ]of[- ](?:life|support|service)|eol|decommission(?:ing)?|discontinuation)(?: date)?(?: is| will be| was)?(?: scheduled| planned| set| expected)?(?: for| on| in)?(?: ?[:=–-])? (?:the )?{date}"
        ),
        format!(
            r"\bsupport (?:for (?P<subject>.{{1,60}}?) )?(?:has )?(?:ended|ends|will end|ceased|ceases) (?:{PREPOSITION})?{date}"
        ),
        format!(
            r"{NOTICE}{PREPOSITION}{date},? (?P<subject>[^.;]{{1,80}}?)\b(?:(?:will|shall|is|are|was|were|has been|have been) (?:be )?(?:no longer|{ENDED}|stop|cease)|stops|ceases)\b(?: {ACTION} (?P<object>[^.,;]{{1,60}}?)(?:[.,;]| and\b|$))?"
        ),
    ])
});

/// Statements of a deprecation. Only a day counts.
static BEGINNINGS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let date = date();
    alternatives(&[
        format!(
            r"\b{DEPRECATED}(?: (?:since|as of|as from|on|from|starting(?: on| from)?|effective(?: on)?|in))?[:,]? (?:the )?{date}"
        ),
        format!(r"\bdeprecation date(?: is)?:? {date}"),
        format!(
            r"{NOTICE}{PREPOSITION}{date},? (?P<subject>[^.;]{{1,80}}?)\b(?:is|are|was|were|has been|have been|will be) (?:now )?{DEPRECATED}\b"
        ),
    ])
});

pattern! {
    /// Sentences that no date counts in: examples, conditions, ends that were moved, and what is about some callers.
    EXCLUDED = r"\b(?:if|unless|example|e\.g\.|temporarily|brownouts?|postponed|delayed|extended|originally|was planned|created (?:on|before|after)|new (?:customers?|users?|apps?|accounts?|applications?|projects?|integrations?))\b";
    /// An end that was moved: the dates of it in other sentences no longer count either.
    POSTPONED = {
        let moved = r"(?:postponed|(?:delayed|extended) (?:until|till|to|by))";
        let end = r"(?:(?:19|20)[0-9]{2}|remov|sunset|retire|shut|deprecat|deadline|end of)";
        format!(r"\b{moved}\b.*{end}|{end}.*\b{moved}\b")
    };
    /// Inside of a statement: the end of an obligation, not of the element.
    OBLIGATION = r"\b(?:no longer|stop[a-z]*|cease[a-z]*)(?: [a-z-]+){0,3}? (?:required|mandatory|needed|necessary|recommended)\b";
    /// Cheap to search, and part of every date that counts.
    YEAR = r"(?:19|20)[0-9]{2}";
}

/// Reads the dates that a text states for the element that it describes.
pub(crate) fn stated_dates(text: &str, subject: &ProseSubject) -> ProseDates {
    let mut dates = ProseDates::default();
    if !YEAR.is_match(text) {
        return dates;
    }
    let text = plain(text);
    let sentences = sentences(&text);
    let is_postponed = sentences
        .iter()
        .any(|sentence| POSTPONED.is_match(sentence.text));
    for sentence in sentences {
        let sentence = sentence.text;
        if !YEAR.is_match(sentence) || EXCLUDED.is_match(sentence) {
            continue;
        }
        if !is_postponed {
            dates.removal = dates.removal.max(end(sentence, subject));
        }
        let mut begins =
            statements(&BEGINNINGS, sentence).filter(|found| is_about(found, sentence, subject));
        dates.introduced = dates
            .introduced
            .or_else(|| begins.find_map(|found| stated(&found)?.day()));
    }
    dates
}

/// The last end that a sentence states for the element, if it states no later one for something else: that may be a part of it,
/// or some callers.
fn end(sentence: &str, subject: &ProseSubject) -> Option<NaiveDate> {
    let mut own = None;
    let mut any = None;
    for found in statements(&ENDS, sentence) {
        let last = stated(&found).map(StatedDate::last_day);
        any = any.max(last);
        if is_about(&found, sentence, subject) {
            own = own.max(last);
        }
    }
    own.filter(|_| own == any)
}

fn statements<'s>(patterns: &'s [Regex], sentence: &'s str) -> impl Iterator<Item = Captures<'s>> {
    patterns
        .iter()
        .flat_map(move |pattern| pattern.captures_iter(sentence))
}

/// Whether a statement is about the element.
fn is_about(found: &Captures<'_>, sentence: &str, subject: &ProseSubject) -> bool {
    let Some(whole) = found.get(0) else {
        return false;
    };
    let before = sentence.get(..whole.start()).unwrap_or_default();
    let after = sentence.get(whole.end()..).unwrap_or_default();
    let mut inside = ["subject", "object"]
        .into_iter()
        .filter_map(|name| found.name(name));
    !OBLIGATION.is_match(whole.as_str())
        && introduces(before, whole.as_str(), after, subject)
        && inside.all(|words| is_named(words.as_str(), subject))
}

/// The date in a statement.
fn stated(found: &Captures<'_>) -> Option<StatedDate> {
    parse_date(found.name("date")?.as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::subject::SubjectKind;
    use super::*;

    fn of(text: &str) -> ProseDates {
        stated_dates(
            text,
            &ProseSubject::new(SubjectKind::Operation, ["listOrders"]),
        )
    }

    fn on(year: i32, month: u32, day: u32) -> Option<NaiveDate> {
        NaiveDate::from_ymd_opt(year, month, day)
    }

    #[test]
    fn ends_are_read_in_all_notations() {
        for text in [
            "Deprecated since 2020-01-01. It will be removed on 2026-11-02.",
            "Stops working on November 2, 2026",
            "Deprecated. Sunset: 2nd of Nov 2026!",
            "No longer there after Nov. 2nd, 2026",
            "The [Orders API](https://example.com/2020-02-14-note) will be removed on November, 2, 2026.",
            "Deprecated until 2026-11-02",
            "This API will no longer be supported as of 2 November 2026.",
            "As of November 2, 2026, this endpoint is no longer available.",
            "Method is deprecated and will be removed from 2'nd of November 2026",
            "It is scheduled for removal on 2026/11/02.",
            "Removal date: 2026-11-02T23:59:59Z",
            "Removed on 2025-01-01 in a preview: it will be removed on 2025-01-01, and shut down by 2026-11-02",
            "`listOrders` will be retired on 2026-11-02",
            "Important: please note that this endpoint will be removed on 2026-11-02",
            "This endpoint is deprecated in favor of `GET /v2/orders` and will be removed on 2026-11-02",
            "Deprecated, use `searchOrders` instead, and will be removed on 2026-11-02",
            "Deprecated since version 3: please use the new search, this endpoint will be removed on 2026-11-02",
            "The legacy endpoint is deprecated since 1 May 2020 and it will be removed on 2026-11-02",
            "List orders (deprecated, will be removed on 2026-11-02)",
            "Support for this endpoint will end on 2026-11-02",
            "Calls to this endpoint will no longer be accepted after 2026-11-02",
            "The orders endpoint will be removed on 2026-11-02",
            "GET listOrders is deprecated and is scheduled for removal on 2026-11-02",
            "Its removal is planned for 2026-11-02",
            "The sunset date is 2026-11-02",
            "This endpoint is deprecated because it is slow, and reaches end of life on 2026-11-02",
            "We will stop supporting this endpoint on 2026-11-02",
            "As of 2026-11-02, we will stop supporting this endpoint.",
            "This API version is available until 2026-11-02",
            "Please use the new search instead, because it will be removed on 2026-11-02",
            "Please migrate to the new search before it is removed on 2026-11-02",
            "Do not use this endpoint, because it will be removed on 2026-11-02",
            "This endpoint is [deprecated](https://example.com/d) and will be [removed](https://example.com/r) on 2026-11-02.",
            "Deprecated 2024-01-01, end of life 2026-11-02",
            "Do not use: it will be removed on 2026-11-02",
            "Unsupported since 2020, and it will be removed on 2026-11-02",
            "To be removed 2026-11-02.",
            "Will be discontinued November 2, 2026.",
            "Removed on 2026-11-02.",
        ] {
            assert_eq!(of(text).removal, on(2026, 11, 2), "{text}");
        }
    }

    #[test]
    fn a_month_or_a_quarter_ends_on_its_last_day() {
        for (text, expected) in [
            (
                "This version will be retired in February 2028.",
                on(2028, 2, 29),
            ),
            ("It will be removed starting May 2021", on(2021, 5, 31)),
            ("Will be removed in Q3 2025", on(2025, 9, 30)),
            (
                "Will be removed in the first quarter of 2025",
                on(2025, 3, 31),
            ),
            ("This will be removed at the end of 2022.", on(2022, 12, 31)),
            ("Support for this method ended May 2023.", on(2023, 5, 31)),
        ] {
            assert_eq!(
                of(text),
                ProseDates {
                    introduced: None,
                    removal: expected
                },
                "{text}"
            );
        }
    }

    #[test]
    fn beginnings_are_read_apart_from_ends() {
        let both = of("Deprecated since 2020-01-01. It will be removed on 2026-11-02.");
        assert_eq!(both.introduced, on(2020, 1, 1));
        for text in [
            "This method is deprecated as of Feb 28, 2022.",
            "Deprecated 2022/02/28.",
            "Starting on February 28, 2022, this method will be deprecated",
        ] {
            assert_eq!(
                of(text),
                ProseDates {
                    introduced: on(2022, 2, 28),
                    removal: None
                },
                "{text}"
            );
        }
    }

    #[test]
    fn dates_without_a_full_statement_are_none() {
        for text in [
            "Will be removed soon",
            "removed on 2026-99-99",
            "removed on 02.11.2026",
            "removed in 2026",
            "DEPRECATED at version 2021-06-16. Will be retired at version 2021-12-15.",
            "Deprecated: it used Python 2 which was sunsetted on 2020-01-01.",
            "Deprecated for Apps created on or after Nov 17, 2015",
            "For example, it will be removed on 2026-11-02",
            "The `format` parameter will be removed on 2026-11-02",
            "The format parameter will be removed on 2026-11-02",
            "The value `full` will be removed on 2026-11-02",
            "Will no longer be available for new customers after 2026-11-02",
            "See the [post](https://example.com/2020-02-14-removed-on-2026-11-02)",
            "Returns the orders that were created on 2026-11-02",
            "This is not used since 2012",
            "It is not supported until 2026-11-02",
            "It will not be removed on 2026-11-02",
            "It won't be removed on 2026-11-02",
            "The number is no longer required after 2026-11-02",
            "Deprecated as of July 2020",
            // Dates of anything else.
            "The old behaviour was removed on 2021-02-03.",
            "Support for XML was removed on 2021-02-03; JSON keeps working.",
            "Support for XML ended on 2021-02-03",
            "XML support: removed by default, will be removed on 2021-02-03",
            "Accounts that were not migrated will be deleted on 2025-12-31.",
            "Orders will be deleted on 2025-12-31.",
            "The old orders were archived and deleted on 2025-12-31.",
            "The XML API was removed on 2021-02-03.",
            "XML is deprecated and will be removed on 2021-02-03",
            "XML (deprecated, will be removed on 2021-02-03), JSON",
            "This endpoint is deprecated for XML and was removed on 2021-02-03",
            "Its XML output will be removed on 2021-02-03",
            "XML is outdated, and it will be removed on 2021-02-03",
            "This endpoint no longer accepts XML after 2021-02-03",
            "It stops returning totals on 2021-02-03",
            "Do not delete the cart, because it will be deleted on 2021-02-03.",
            "Do not use the cart, because it will be deleted on 2021-02-03.",
            "Use the cart before it is deleted on 2021-02-03.",
            "Please renew the contract before it is terminated, and it will be deleted on 2021-02-03.",
            "Disabled accounts keep their data until it will be removed on 2021-02-03.",
            "Removed orders are archived, and it will be removed on 2021-02-03.",
            "As of 2021-02-03, this endpoint stops accepting XML.",
            "As of 2021-02-03, XML is no longer supported.",
            "XML is deprecated since 2021-02-03",
            "It will be removed on 2024-01-01 in the sandbox, and everything else will be removed on 2027-06-01",
            // Dates that no longer hold.
            "Removal was planned for 2024-01-01, but is postponed to 2027-06-01.",
            "It will be removed on 2024-01-01. Update: the removal is delayed until 2027-06-01.",
            "Originally, it was to be removed on 2024-01-01.",
            "It will be removed on 2024-01-01. The removal has been postponed.",
        ] {
            assert_eq!(of(text), ProseDates::default(), "{text}");
        }
    }

    /// The forms of a day that count.
    fn written(date: NaiveDate) -> Vec<String> {
        [
            "%Y-%m-%d",
            "%Y/%m/%d",
            "%B %-d, %Y",
            "%B, %-d, %Y",
            "%b. %-d, %Y",
            "%-d %B %Y",
            "%-d of %b %Y",
        ]
        .map(|form| date.format(form).to_string())
        .into()
    }

    proptest! {
        #[test]
        fn a_full_statement_gives_its_date_and_no_other(
            days in 0i64..40_000,
            form in 0usize..7,
            statement in prop::sample::select(vec![
                "It will be removed on", "This endpoint will be shut down by", "Deprecated until",
                "It is no longer supported after", "It stops working on", "Sunset:",
            ]),
            noise in "[A-Za-z ,]{0,40}",
        ) {
            let date = NaiveDate::from_ymd_opt(1990, 1, 1).unwrap() + chrono::Duration::days(days);
            let written = written(date).swap_remove(form);
            let text = format!("Lists orders. {statement} {written}. Then use the other one");
            prop_assert_eq!(of(&text).removal, Some(date), "{}", text);
            // Without the verb or without the year, nothing counts.
            prop_assert_eq!(of(&format!("{noise} {written}")), ProseDates::default());
            let yearless = text.replace(&date.format("%Y").to_string(), "");
            prop_assert_eq!(of(&yearless), ProseDates::default(), "{}", yearless);
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in any::<String>()) {
            of(&text);
        }
    }
}
