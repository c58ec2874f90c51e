//! What texts say of the element that they describe. A sentence can also be about another element, some values or some callers.

use chrono::NaiveDate;
use regex::Captures;

use super::patterns::{DEPRECATED, SINCE, UNTIL, plain};
use super::spelling::folded;
use sundown_text_json::json::Node;
use sundown_text_json::text::{StatedDate, parse_date};

/// The keys of texts, the most detailed first.
const TEXT_KEYS: [&str; 3] = ["description", "summary", "title"];

/// The element that a text describes, or any element.
#[derive(Debug, Default)]
pub(crate) struct ProseSubject {
    /// The groups of words for elements of the other kind.
    others: &'static [&'static str],
    /// Its [`folded`] names.
    names: Option<Vec<String>>,
}

/// The dates that a text states.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ProseDates {
    /// The date since which the element is deprecated.
    pub introduced: Option<NaiveDate>,
    /// The date of its end; of several, the last. A month or a quarter ends on its last day.
    pub removal: Option<NaiveDate>,
}

impl ProseSubject {
    /// An operation, or all operations of a path: its names are its `operationId` and its path.
    pub(crate) fn operation<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self::new(&["part", "parts", "part_after"], names)
    }

    /// A parameter, a header or a schema: a part of a call, with its name or key.
    pub(crate) fn part<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self::new(&["call", "calls", "call_after"], names)
    }

    fn new<'n>(others: &'static [&'static str], names: impl IntoIterator<Item = &'n str>) -> Self {
        Self {
            others,
            names: Some(names.into_iter().map(folded).collect()),
        }
    }

    /// Whether a match is about it.
    fn is_meant(&self, found: &Captures<'_>) -> bool {
        let is_called = |group| Some(self.is_called(found.name(group)?.as_str()));
        self.others.iter().all(|kind| found.name(kind).is_none())
            && is_called("name") != Some(false)
            // `deprecated: …` describes a member of that name.
            && (self.names.is_none() || is_called("word") != Some(true))
    }

    /// Whether it has this name; case, separators and a verb before it do not matter.
    fn is_called(&self, name: &str) -> bool {
        let name = folded(name);
        self.names.as_ref().is_none_or(|names| {
            let mut names = names
                .iter()
                .map(|own| own.strip_prefix("is").unwrap_or(own));
            names.any(|own| own == name.strip_prefix("is").unwrap_or(&name))
        })
    }
}

/// The members of an object with texts that describe its element, the most detailed first.
pub fn prose_texts(holder: Node<'_>) -> impl Iterator<Item = (Node<'_>, &str)> {
    let members = TEXT_KEYS.into_iter().filter_map(move |key| holder.get(key));
    members.filter_map(|member| Some((member, member.as_str()?)))
}

/// Whether a key holds a text.
pub(crate) fn is_text_key(key: &str) -> bool {
    TEXT_KEYS.contains(&key)
}

/// Whether a text has a word for a deprecation, whatever it says.
pub(crate) fn mentions_deprecation(text: &str) -> bool {
    DEPRECATED.is_hinted(text)
}

/// Whether a text says that the element that it describes is deprecated.
pub(crate) fn says_deprecated(text: &str, subject: &ProseSubject) -> bool {
    DEPRECATED
        .find_map(&plain(text), |_, found| {
            subject.is_meant(found).then_some(())
        })
        .is_some()
}

/// Reads the dates that a text states for the element that it describes. A date counts only in a full statement, such as
/// `will be removed on 2026-11-20`.
pub(crate) fn stated_dates(text: &str, subject: &ProseSubject) -> ProseDates {
    let mut dates = ProseDates::default();
    if !UNTIL.is_hinted(text) {
        return dates;
    }
    let text = plain(text);
    let stated = |found: &Captures<'_>| {
        let date = found.name("date").filter(|_| subject.is_meant(found))?;
        parse_date(date.as_str())
    };
    UNTIL.find_map(&text, |_, found| {
        dates.removal = dates.removal.max(stated(found).map(StatedDate::last_day));
        None::<()>
    });
    dates.introduced = SINCE.find_map(&text, |_, found| stated(found)?.day());
    dates
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn part(name: &str, text: &str) -> bool {
        says_deprecated(text, &ProseSubject::part([name]))
    }

    fn operation(text: &str) -> bool {
        says_deprecated(text, &ProseSubject::operation(["listOrders", "/v1/orders"]))
    }

    #[test]
    fn statements_about_the_element_are_found() {
        for text in [
            "Deprecated.",
            "⚠️ DEPRECATED The number of the order",
            "Deprecated: please use `total`, this field will be deprecated in 1.7.",
            "The number. Deprecated since v2, use `total`.",
            "**[Deprecated]** The number",
            "_Deprecated_ - use total",
            "Deprecated and removed in version 2",
            "```\nsum=3\n```\nDeprecated: see below\n```\nsum=4\n```",
            "Deprecated field.",
            "This field has been deprecated and will be removed.",
            "The number.\n\nNote: This property is deprecated.",
            "**Warning:** the field is deprecated",
            "See https://example.com/docs#sum The field is never set, and now is deprecated.",
            "Always 0.This property is deprecated.",
            "sum is deprecated: it is no longer set",
            "The `sum` field has been deprecated in favor of `total`.",
            "sum is the deprecated field for old clients.",
            "This is a deprecated alias of `total`.",
            "This field is `deprecated`.",
            "This field is [deprecated](https://example.com/d), please use `total`.",
            "This field is _deprecated_ since version 2.",
            "It is a deprecated alias of `total`.",
            "The old name. Support for this field is deprecated.",
            "In new versions, this field is deprecated.",
            "As of version 3, this attribute is deprecated.",
            "The number of the order (deprecated)",
            "The number\nDeprecated: use `total`.",
            "The number\nDEPRECATED",
            "The number\n- Deprecated, use total",
            "> **Deprecated**\n>\n> Use `total`.",
            "__Deprecated__: use `total`.",
            "The number. **This field is closing down.**",
            "**Closing down notice**. The number.",
            "This field is being phased out.",
            "This field has been discontinued.",
            "This field will be retired on 2027-03-31.",
            "This field will be removed in the next major version.",
            "The number of the order (deprecated: use total)",
            "[Output only] Deprecated, use total",
            "This field is no longer supported.",
            "No longer supported.",
            "This parameter is no longer available. See the docs.",
            "The address, if known. (This field is no longer used)",
            "Starting in version 2022-08-17, this field is no longer returned.",
            "This field is not supported anymore.",
            "This field was retired on March 1, 2026.",
            "Will be sunset on 2026-12-31.",
            "This field will be deprecated on 2026-12-31.",
            "This field is planned to be deprecated.",
            "Marked for deprecation.",
            "Scheduled for removal in v5.",
            "Soon to be deprecated.",
            "This field is decommissioned.",
            "Decommissioned on 2026-01-01.",
            "Starting 2026-12-31 this field is no longer available.",
            "Discontinued.",
            "**Deprecation Notice**\n\nThis field will be shut down on 2026-12-31.",
            "Code of the condition Deprecated. Use total instead.",
            "<p> <i>This member has been deprecated.</i> </p> <p>The number.</p>",
            "_This field is deprecated._ The number.",
        ] {
            assert!(part("sum", text), "{text}");
        }
        for text in [
            "deprecated: use the 'watch' parameter with a list operation instead.",
            "This endpoint is deprecated.",
            "Method is deprecated and will be removed",
            "POST /v1/orders is deprecated.",
            "WARNING: ListOrders is deprecated.",
            "`GET /v1/orders` is deprecated.",
            "Since the \"Spring 2024\" release, this endpoint is deprecated.",
            "In version 3 (see \"release notes\"), this endpoint is deprecated.",
            "As of [release 2024.1](https://example.com/r), this endpoint is deprecated.",
            "This endpoint was replaced by [the new search](https://example.com/s), and is deprecated.",
        ] {
            assert!(operation(text), "{text}");
        }
        for title in [
            "List orders (deprecated)",
            "[DEPRECATED] List orders",
            "List - Deprecated",
        ] {
            assert!(operation(title), "{title}");
        }
    }

    #[test]
    fn statements_about_anything_else_are_none() {
        for text in [
            "",
            "The number of the order",
            "The shop is closing down.",
            "This field says when the shop is closing down.",
            "The order will be removed on 2027-03-31.",
            "Whether this field has been discontinued.",
            "The state:\n- Open\n- Deprecated: no longer sold",
            "The number of orders that are\ndeprecated. Others count, too.",
            "sum indicates whether the version is deprecated.",
            "Whether this field is deprecated",
            "Deprecated / removed / active",
            "DEPRECATED or ACTIVE",
            "Deprecated (true/false)",
            "deprecated: whether this is deprecated",
            "Deprecated on this date",
            "The order was not found or is no longer available",
            "The time at which the order expires and is no longer available.",
            "Retired customers are listed.",
            "If the field is no longer used, it is left out.",
            "Indicates that this field is deprecated",
            "Deprecated fields are not returned.",
            "The state is `Deprecated. Use` is another one.",
            "Deprecated resources are listed, too.",
            "If this field is deprecated, it is left out.",
            "This field is not deprecated.",
            "Replaces the deprecated `total`.",
            "`total` is deprecated.",
            "The `total` field is deprecated.",
            "This endpoint is deprecated.",
            "Valid options are Keep, Delete, and Recycle (deprecated).",
            "The state:\n\n* `open`: the order is open\n* `held`: Deprecated. The order is held\n",
            "<ul><li>held. Deprecated.</li></ul>",
            "The state. <ul><li> <p><code>DEPRECATED</code>: it is not sold.</p></li></ul>",
            "| held | Deprecated. |",
            "<table><tr><td>held</td><td>Deprecated.</td></tr></table>",
            "`open`: it is open.\n\nDeprecated:\nThese states are no longer used: `held`",
            "sum has been deprecated for update operations.",
            "Warning: deprecated for Apps created on or after Nov 17, 2015",
            "This field is deprecated for customers with version 2.",
            "This field is deprecated if `total` is set.",
            "Deprecated when used with `total`",
            "The annotation is officially deprecated, but still read.",
            "Depreciation of the asset. The asset has been depreciated by half",
            "May only be set when `deprecated` is true.",
            "A list of deprecated orders",
            "sum is `deprecated`, `open` or `removed`.",
            "sum is `deprecated` once the next version is published.",
            "DEPRECATED: no longer deprecated as of 2026.",
            "This field was deprecated but has been reinstated.",
            "This field was deprecated in version 2. It has been reinstated.",
            "Deprecated in version 2, un-deprecated in version 3.",
            "This field was deprecated, and is now undeprecated.",
            "This field is deprecated only for v1 tokens.",
            "sum is deprecated only if `total` is set.",
            "Deprecated only in version 2",
            "sum deleted is deprecated.",
            "`Simple mode` is deprecated.",
            "The value may be `all`. It is deprecated.",
            "OPEN: not paid. This is a deprecated value.",
        ] {
            assert!(!part("sum", text), "{text}");
        }
        assert!(!part(
            "deprecated",
            "`deprecated`: whether the version is outdated"
        ));
        for name in ["obsolete", "retired", "discontinued", "isDiscontinued"] {
            let text = name.trim_start_matches("is");
            assert!(!part(name, text), "{name}");
        }
        for text in [
            "Deprecated: default_format",
            "This parameter is deprecated.",
            "The `format` parameter is deprecated.",
            "The listOrders parameter is no longer supported.",
            "Since version 3, `Simple mode` is deprecated.",
            "GET /v1/carts is deprecated.",
            "Returns deprecated orders",
            "This endpoint was deprecated but has been reinstated.",
            "POST /v1/orders is deprecated only for v1 tokens.",
        ] {
            assert!(!operation(text), "{text}");
        }
        for title in [
            "List deprecated orders",
            "Deprecate an order",
            "Set the deprecated flag",
            "List orders (deprecated only for v1 tokens)",
            "List orders [no longer deprecated]",
        ] {
            assert!(!operation(title), "{title}");
        }
    }

    #[test]
    fn adjectives_and_hidden_text_are_no_statements() {
        for text in [
            "Deprecated and removed orders are listed, too.",
            "Deprecated, obsolete and removed orders are listed.",
            "Deprecated/removed orders are listed.",
            "Deprecated (old) orders are listed.",
            "The sum.\n\n<!-- This field\nis deprecated. -->",
            "The sum.\n```text\nDeprecated: no\n\n```\nIt counts.",
            "~~This field is deprecated.~~ It stays.",
        ] {
            assert!(!part("sum", text), "{text}");
        }
    }

    fn of(text: &str) -> ProseDates {
        stated_dates(text, &ProseSubject::operation(["listOrders"]))
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
            "`listOrders` will be retired on 2026-11-02",
            "Important: please note that this endpoint will be removed on 2026-11-02",
            "This endpoint is deprecated in favor of `GET /v2/orders` and will be removed on 2026-11-02",
            "Deprecated, use `searchOrders` instead, and will be removed on 2026-11-02",
            "Deprecated since version 3: please use the new search, this endpoint will be removed on 2026-11-02",
            "The legacy endpoint is deprecated since 1 May 2020 and it will be removed on 2026-11-02",
            "List orders (deprecated, will be removed on 2026-11-02)",
            "Support for this endpoint will end on 2026-11-02",
            "Calls to this endpoint will no longer be accepted after 2026-11-02",
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
