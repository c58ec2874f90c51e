//! The extensions of vendors and generators that mark an element as deprecated or give details, and the keys of their objects.

/// What an extension contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExtensionContent {
    /// `true`, a message, or an object with details. It marks the element.
    Details,
    /// The last day, or a text about it. It marks the element.
    Removal,
    /// A state of the element, which may be that it is deprecated.
    State,
    /// Values of an `enum`. It marks them.
    Values,
    /// The day since which the element is deprecated.
    Introduced,
    Message,
    Replacement,
    Docs,
}

/// The extensions, without letter case, hyphens and underscores.
pub(super) const EXTENSIONS: [(&str, ExtensionContent); 65] = {
    use ExtensionContent::{
        Details, Docs, Introduced, Message, Removal, Replacement, State, Values,
    };
    [
        ("x-deprecation", Details),
        ("x-deprecation-info", Details),
        ("x-cfDeprecation", Details),
        ("x-sap-deprecated-operation", Details),
        ("x-sap-stateInfo", State),
        ("x-fern-availability", State),
        ("x-okta-lifecycle", State),
        ("x-snyk-api-lifecycle", State),
        ("x-lifecycle", State),
        ("x-lifecycle-state", State),
        ("x-lifecycle-status", State),
        ("x-lifecycle-stage", State),
        ("x-release-status", State),
        ("x-api-status", State),
        ("x-api-lifecycle", State),
        ("x-status", State),
        ("x-state", State),
        ("x-stability", State),
        ("x-availability", State),
        ("x-maturity", State),
        ("x-deprecated-sunset", Removal),
        ("x-deprecation-sunset", Removal),
        ("x-forge-sunset", Removal),
        ("x-sunset-date", Removal),
        ("x-sunset-at", Removal),
        ("x-sunset-on", Removal),
        ("x-discontinued", Removal),
        ("x-removal-date", Removal),
        ("x-removal", Removal),
        ("x-removed-on", Removal),
        ("x-remove-date", Removal),
        ("x-retirement-date", Removal),
        ("x-retired-on", Removal),
        ("x-eol", Removal),
        ("x-eol-date", Removal),
        ("x-end-of-life", Removal),
        ("x-deprecated-until", Removal),
        ("x-deprecated-removal", Removal),
        ("x-deprecated-removal-date", Removal),
        ("x-snyk-sunset-eligible", Removal),
        ("x-deprecated-enum-members", Values),
        ("x-deprecated-enum-values", Values),
        ("x-deprecated-enum", Values),
        ("x-deprecated-values", Values),
        ("x-enum-deprecated", Values),
        ("x-enum-deprecated-values", Values),
        ("x-deprecated-at", Introduced),
        ("x-deprecated-on", Introduced),
        ("x-deprecated-since", Introduced),
        ("x-deprecated-date", Introduced),
        ("x-deprecation-date", Introduced),
        ("x-deprecated-message", Message),
        ("x-deprecated-reason", Message),
        ("x-deprecated-description", Message),
        ("x-deprecation-message", Message),
        ("x-deprecation-reason", Message),
        ("x-deprecation-notice", Message),
        ("x-stainless-deprecation-message", Message),
        ("x-speakeasy-deprecation-replacement", Replacement),
        ("x-deprecated-replacement", Replacement),
        ("x-deprecation-replacement", Replacement),
        ("x-replacement", Replacement),
        ("x-superseded-by", Replacement),
        ("x-successor", Replacement),
        ("x-deprecation-docs", Docs),
    ]
};

/// A fact in an object about a deprecation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fact {
    Message,
    Replacement,
    Introduced,
    Removal,
    Docs,
    Version,
    State,
}

/// The keys of each fact, in lower case and without hyphens and underscores. The first that is there is used.
const FACTS: [(Fact, &[&str]); 7] = [
    (
        Fact::Message,
        &[
            "message",
            "description",
            "reason",
            "note",
            "notes",
            "text",
            "comment",
            "details",
            "information",
        ],
    ),
    (
        Fact::Replacement,
        &[
            "replacement",
            "replacedby",
            "alternative",
            "successoroperationid",
            "successoroperationref",
            "successor",
            "supersededby",
            "replacewith",
            "replacedwith",
            "useinstead",
            "instead",
        ],
    ),
    (
        Fact::Introduced,
        &[
            "introduced",
            "since",
            "date",
            "deprecationdate",
            "deprecatedat",
            "deprecatedon",
            "deprecatedsince",
            "deprecateddate",
            "announced",
            "startdate",
        ],
    ),
    (
        Fact::Removal,
        &[
            "removal",
            "removaldate",
            "sunset",
            "removeon",
            "sunsetdate",
            "sunsetat",
            "sunseton",
            "removedin",
            "removedon",
            "removedat",
            "removeat",
            "removedate",
            "retirementdate",
            "retirement",
            "retireon",
            "retiredon",
            "retiresat",
            "decommissioneddate",
            "decommissiondate",
            "eol",
            "eoldate",
            "endoflife",
            "endoflifedate",
            "enddate",
            "until",
        ],
    ),
    (
        Fact::Docs,
        &[
            "docs",
            "link",
            "url",
            "guide",
            "guideurl",
            "migrationguide",
            "migrationguideurl",
            "documentation",
            "href",
        ],
    ),
    (
        Fact::Version,
        &[
            "version",
            "inversion",
            "sinceversion",
            "deprecatedinversion",
        ],
    ),
    (
        Fact::State,
        &["state", "status", "lifecycle", "stage", "availability"],
    ),
];

/// The keys of a fact, in the order in which they are used.
pub(super) fn keys_of(fact: Fact) -> &'static [&'static str] {
    FACTS
        .iter()
        .find(|(own, _)| *own == fact)
        .map_or(&[], |(_, keys)| keys)
}

/// Whether a key has this name, without letter case, hyphens and underscores.
pub(super) fn is_called(key: &str, name: &str) -> bool {
    letters(key).eq(letters(name))
}

fn letters(name: &str) -> impl Iterator<Item = u8> {
    let letters = name.bytes().filter(|byte| !matches!(byte, b'-' | b'_'));
    letters.map(|byte| byte.to_ascii_lowercase())
}

/// Whether a key of an object about a deprecation gives a fact.
pub(crate) fn is_fact(key: &str) -> bool {
    let mut names = FACTS
        .iter()
        .flat_map(|(_, names)| *names)
        .chain(&["id", "display"]);
    names.any(|name| is_called(key, name))
}

/// Whether a state is that of a deprecated element.
pub(super) fn is_deprecated_state(text: &str) -> bool {
    let states = [
        "deprecated",
        "sunset",
        "retired",
        "decommissioned",
        "obsolete",
        "discontinued",
    ];
    states.iter().any(|state| text.eq_ignore_ascii_case(state))
}

/// Whether an extension looks like a mark of deprecation or a detail of one.
pub(crate) fn looks_like_mark(key: &str) -> bool {
    const PARTS: [&str; 13] = [
        "deprecat",
        "sunset",
        "endoflife",
        "retire",
        "removal",
        "removedin",
        "removedon",
        "removeon",
        "obsolete",
        "discontinu",
        "replacedby",
        "replacement",
        "supersed",
    ];
    if !key
        .get(..2)
        .is_some_and(|begin| begin.eq_ignore_ascii_case("x-"))
    {
        return false;
    }
    let plain = key.to_ascii_lowercase().replace(['-', '_'], "");
    PARTS.iter().any(|part| plain.contains(part))
        || key
            .to_ascii_lowercase()
            .split(['-', '_'])
            .any(|word| word == "eol")
}
