//! The checks beyond uses in traffic: of API descriptions, of deprecations that the traffic announces, of requirements, and of values in
//! source code.

/// A check of a description, of an announced deprecation, of a requirement, or of a text that people write, against the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// A deprecated element is still declared.
    Exposed,
    /// A deprecated element is not marked as deprecated.
    Unmarked,
    /// A deprecated element is marked, but without a date.
    Undated,
    /// A deprecated element is marked with a date other than that of the rules.
    DateDiffers,
    /// The replacement of an element is not declared.
    ReplacementMissing,
    /// The replacement of an element is itself deprecated.
    ReplacementDeprecated,
    /// Requests must contain a deprecated element.
    StillRequired,
    /// An element is missing before its removal date.
    RemovedEarly,
    /// A rule names operations that the description does not have.
    NeverMatched,
    /// The description marks an element as deprecated that no rule covers.
    UnknownToTable,
    /// An example uses a deprecated element.
    Examples,
    /// A response announces a deprecation.
    AnnouncedInTraffic,
    /// An exchange violates a requirement of a rule table.
    Requirement,
    /// A text that people write names a value of the rules.
    Mentioned,
}

/// The texts of a check's reference page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckPage {
    /// The situation that it reports.
    pub what: &'static str,
    /// Why that matters.
    pub why: &'static str,
    /// The severity of its findings.
    pub severity: &'static str,
    /// Who sees its findings.
    pub who: &'static str,
    /// The remedy.
    pub remedy: &'static str,
    /// Its limits: cases that it cannot decide, and assumptions.
    pub limits: &'static str,
}

const OWNERS: &str = "owners of the API (left out with --role consumer)";
const EVERYONE: &str = "owners and consumers";

impl Check {
    /// All checks.
    pub const ALL: [Self; 14] = [
        Self::Exposed,
        Self::Unmarked,
        Self::Undated,
        Self::DateDiffers,
        Self::ReplacementMissing,
        Self::ReplacementDeprecated,
        Self::StillRequired,
        Self::RemovedEarly,
        Self::NeverMatched,
        Self::UnknownToTable,
        Self::Examples,
        Self::AnnouncedInTraffic,
        Self::Requirement,
        Self::Mentioned,
    ];

    /// Its name on the command line and in machine formats.
    pub fn id(self) -> &'static str {
        match self {
            Self::Exposed => "exposed",
            Self::Unmarked => "unmarked",
            Self::Undated => "undated",
            Self::DateDiffers => "date-differs",
            Self::ReplacementMissing => "replacement-missing",
            Self::ReplacementDeprecated => "replacement-deprecated",
            Self::StillRequired => "still-required",
            Self::RemovedEarly => "removed-early",
            Self::NeverMatched => "never-matched",
            Self::UnknownToTable => "unknown-to-table",
            Self::Examples => "examples",
            Self::AnnouncedInTraffic => "announced-in-traffic",
            Self::Requirement => "requirement",
            Self::Mentioned => "mentioned",
        }
    }

    /// The check of this name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|check| check.id() == id)
    }

    /// The texts of its reference page.
    #[allow(clippy::too_many_lines, reason = "a table: one entry for each check")]
    pub fn page(self) -> CheckPage {
        const WARNING: &str = "warning";
        let page = |what, why, severity, who, remedy, limits| CheckPage {
            what,
            why,
            severity,
            who,
            remedy,
            limits,
        };
        match self {
            Self::Exposed => page(
                "an API description that declares an element of the rules",
                "clients are generated from the description and people read it, so whatever it declares will be used",
                "by the removal date, as for a use in traffic; a removed element is an error. With --role owner, at most a warning until the last day, because the element must be declared as long as it works",
                EVERYONE,
                "remove the element from the description by its removal date",
                "filters, slices and indices of selectors cannot be decided on a schema and count as matched. An element is reported once, at its definition, with all operations that reach it",
            ),
            Self::Unmarked => page(
                "an element of the rules without `deprecated: true` in the description",
                "generated clients and documentation contain no warning",
                WARNING,
                OWNERS,
                "add `deprecated: true` where the report points; after the removal date, take the element out",
                "`deprecated: true` on the schema that the property refers to counts as well",
            ),
            Self::Undated => page(
                "an element of the rules that is marked as deprecated, but without a removal date",
                "readers of the description cannot plan",
                WARNING,
                OWNERS,
                "add the date in an extension, such as `x-sunset: 2027-01-15`",
                "dates are read from known extensions, not from prose",
            ),
            Self::DateDiffers => page(
                "an element whose removal date in the description differs from the one in the rules",
                "one of the two dates is misleading",
                WARNING,
                OWNERS,
                "correct the one that is wrong",
                "a date in the description also differs if the rules have none",
            ),
            Self::ReplacementMissing => page(
                "an element whose replacement, according to the rules, is not declared",
                "callers have nothing to migrate to",
                WARNING,
                OWNERS,
                "declare the replacement, or correct its name in the rules",
                "the replacement is looked for beside the element, in the enclosing schemas, among named schemas, or, for an operation, among operations; a replacement in prose is not checked",
            ),
            Self::ReplacementDeprecated => page(
                "an element whose replacement, according to the rules, is itself deprecated",
                "callers would have to migrate twice",
                WARNING,
                OWNERS,
                "name a replacement that is not deprecated",
                "a replacement is deprecated if the description marks it or a rule covers it",
            ),
            Self::StillRequired => page(
                "a deprecated field or parameter that requests must contain",
                "callers cannot stop using it",
                WARNING,
                OWNERS,
                "remove its name from `required`, or set `required: false`; after the removal date, take the element out",
                "requests only: a response may require an element until its removal",
            ),
            Self::RemovedEarly => page(
                "an element of the rules that the description no longer declares, before its removal date",
                "callers were promised that it works until that date",
                WARNING,
                OWNERS,
                "declare it until its removal date, or correct the date in the rules",
                "reported only if the object that should contain the element is declared, and no location of the rule contains it; header fields are seldom declared and are not checked",
            ),
            Self::NeverMatched => page(
                "a rule whose operations are all missing from the description",
                "the operation in the rule may be misspelt, and then the rule finds nothing",
                WARNING,
                OWNERS,
                "compare the operation with the most similar one in the description, which the report names; correct the rule if it is yours, or disregard a built-in rule for an operation that your service does not have",
                "reported only for rules files that have another rule whose operation is in the description",
            ),
            Self::UnknownToTable => page(
                "an element that the description marks as deprecated and no rule covers",
                "its uses in traffic are not found",
                "note",
                EVERYONE,
                "add a rule for it",
                "an element is reported once, where it is marked",
            ),
            Self::Examples => page(
                "an example that uses a deprecated element",
                "people copy examples",
                "by the removal date, but at most a warning",
                EVERYONE,
                "remove the element from the example",
                "rules with filters, slices or indices from the end are not applied to examples; in code samples of up to 256 KiB, only JSON objects are read",
            ),
            Self::AnnouncedInTraffic => page(
                "a response whose header fields announce a deprecation: `Sunset`, `Deprecation`, `Link` with the relation sunset, deprecation or successor-version, `Warning` with the code 299, `X-Glean-Deprecated`",
                "the service itself announces a removal, which the rules may have, lack, or have with another date",
                "by the announced date, as for a use in traffic; without a date, a warning",
                EVERYONE,
                "add a rule if none covers the element; correct the date that is wrong",
                "an announcement is reported once for each operation, element and date in a file, at the header field; all fields about the operation itself are one announcement. Only dates, and names and values of elements, are kept from header fields; such a value is shown only with `--show-values`. For an operation that no rule covers, the path is shown with `*` in place of every segment that may be a value: only versions, and words that do not follow a plural, are shown",
            ),
            Self::Requirement => page(
                "an exchange that violates a `[[requirement]]` of a rules file, or of the built-in contract tables with `--contract`",
                "the service demands it, and refuses or misunderstands calls that violate it",
                "that of the requirement: a warning, unless its `severity` says otherwise",
                EVERYONE,
                "the remedy of the requirement, which each finding names",
                "what a capture does not show violates nothing: a missing status, a message without header fields, a body that was not recorded, was cut off, or is not one JSON value, and a value that a recorder or an API client has masked. Values are compared and never reported",
            ),
            Self::Mentioned => page(
                "a value of the rules, such as a model id or the version of a Kubernetes API beside its kind, in source code, configuration or documentation",
                "the code that names it may send it",
                "by the removal date, but at most a warning; a note beyond 90 days, or `warn-within`",
                EVERYONE,
                "use the replacement; allow what is no use, or set `mentioned = \"off\"` in `[severity]`",
                "a mention is no call, and shows no host: of several owners of a value, the last day counts, and all are named. Only values with a letter, a digit and at least five characters that end on a stated day are searched; a date, a number or `v1.2` says too little. A file that names 20 values or more is a list, which is one note",
            ),
        }
    }
}
