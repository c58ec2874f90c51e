//! What is checked beyond the uses of rules, each check with a name of its own: of an API description, and of what traffic
//! itself announces.

/// A check of a description, or of what traffic announces, against the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// A deprecated element is still declared.
    Exposed,
    /// It is not marked as deprecated.
    Unmarked,
    /// It is marked, without a date.
    Undated,
    /// It is marked with another date than the rules have.
    DateDiffers,
    /// What should be used instead is not declared.
    ReplacementMissing,
    /// What should be used instead is itself deprecated.
    ReplacementDeprecated,
    /// Callers have to send it.
    StillRequired,
    /// It is gone before its time.
    RemovedEarly,
    /// A rule names operations that the description does not have.
    NeverMatched,
    /// The description says that something is deprecated that no rule knows.
    UnknownToTable,
    /// An example uses a deprecated element.
    Examples,
    /// A response announces a deprecation.
    AnnouncedInTraffic,
}

/// What a check's page says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckPage {
    /// What is reported.
    pub what: &'static str,
    /// Why that matters.
    pub why: &'static str,
    /// How bad it is.
    pub severity: &'static str,
    /// Who is told.
    pub who: &'static str,
    /// What to do.
    pub remedy: &'static str,
    /// What cannot be told, and what is taken for what.
    pub limits: &'static str,
}

const OWNERS: &str = "who owns the API (left out with --role consumer)";
const EVERYBODY: &str = "owners and consumers";

impl Check {
    /// All of them.
    pub const ALL: [Self; 12] = [
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
    ];

    /// Its name: on the command line, and in machine formats.
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
        }
    }

    /// The check of this name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|check| check.id() == id)
    }

    /// What there is to know about it.
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
                "clients are generated from it, and people read it: what stands there will be used",
                "by the removal date, as for a use in traffic; a removed element is an error",
                EVERYBODY,
                "take the element out of the description by its removal date",
                "filters, slices and indices of selectors cannot be decided on a schema: they are taken as met. Told once, at its definition, with all operations that reach it",
            ),
            Self::Unmarked => page(
                "an element of the rules without `deprecated: true` in the description",
                "generated clients and documentation do not warn anybody",
                WARNING,
                OWNERS,
                "add `deprecated: true` where the report points",
                "`deprecated: true` on the schema that the property refers to counts as well",
            ),
            Self::Undated => page(
                "an element of the rules that is marked as deprecated, with no date for its removal",
                "readers of the description cannot plan",
                WARNING,
                OWNERS,
                "say the date in an extension, such as `x-sunset: 2027-01-15`",
                "dates are looked for in the extensions that are known, not in prose",
            ),
            Self::DateDiffers => page(
                "an element whose removal date in the description is not the one in the rules",
                "one of the two misleads people",
                WARNING,
                OWNERS,
                "correct the one that is wrong",
                "a date in the description of an element for which the rules have none differs, too",
            ),
            Self::ReplacementMissing => page(
                "an element whose replacement, by the rules, is not declared",
                "callers have nothing to migrate to",
                WARNING,
                OWNERS,
                "declare the replacement, or correct its name in the rules",
                "looked for beside the element, in everything around it, among named schemas, or, for an operation, among operations; a replacement in prose is not judged",
            ),
            Self::ReplacementDeprecated => page(
                "an element whose replacement, by the rules, is itself deprecated",
                "callers would have to migrate twice",
                WARNING,
                OWNERS,
                "name a replacement that stays",
                "deprecated: as the description marks it, or by a rule",
            ),
            Self::StillRequired => page(
                "a deprecated field or parameter that requests must have",
                "callers cannot stop using it",
                WARNING,
                OWNERS,
                "take its name out of `required`, or say `required: false`",
                "only of requests: a response may promise an element for as long as it is there",
            ),
            Self::RemovedEarly => page(
                "an element of the rules that the description no longer declares, before its removal date",
                "callers were promised that it works until then",
                WARNING,
                OWNERS,
                "declare it until its removal date, or correct the date in the rules",
                "only where the object that should have the element is declared, and no place of the rule has it; headers are seldom declared, and not judged",
            ),
            Self::NeverMatched => page(
                "a rule none of whose operations the description has",
                "the rule's operation may be misspelt, and then finds nothing",
                WARNING,
                OWNERS,
                "correct the operation in the rule; the nearest one of the description is named",
                "only of rules files of which another rule's operation is in the description",
            ),
            Self::UnknownToTable => page(
                "an element that the description marks as deprecated, and no rule knows",
                "its uses in traffic are not found",
                "note",
                EVERYBODY,
                "add a rule for it",
                "told once, at what carries the mark",
            ),
            Self::Examples => page(
                "an example that uses a deprecated element",
                "examples are copied",
                "by the removal date, but a warning at worst",
                EVERYBODY,
                "take the element out of the example",
                "rules with filters, slices or indices from the end are not applied to examples; in code samples of up to 256 KiB, JSON objects are read, and nothing else",
            ),
            Self::AnnouncedInTraffic => page(
                "a response whose header fields announce a deprecation: `Sunset`, `Deprecation`, `Link` with the relation sunset, deprecation or successor-version, `Warning` with the code 299, `X-Glean-Deprecated`",
                "the service says itself what goes away, be it in the rules, missing there, or there with another date",
                "by the date that is announced, as for a use in traffic; without one a warning",
                EVERYBODY,
                "add a rule for what no rule knows, and correct the date that is wrong",
                "told once for an operation, element and date in a file, at the header field; the fields about the operation are one announcement. Of header values, only dates and names of elements are kept. Of an operation that no rule knows, the path is shown with `*` for whatever may be a value in it: only words that follow no plural, and versions, are shown",
            ),
        }
    }
}
