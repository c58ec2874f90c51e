//! Finds out whether a text says that the element that it describes is deprecated. A text can also say that of another
//! element, of some values, or for some callers.

use std::sync::LazyLock;

use regex::Regex;

use super::clause::begins_with_subject;
use super::markup::plain;
use super::pattern::{alternatives, pattern};
use super::sentences::sentences;
use super::subject::{KIND, ProseSubject};
use super::texts::TextPlace;
use super::words::{AFTER_ANNOTATION, DEPRECATED};

/// The most words of a sentence that says so only at its end, in brackets.
const MAX_WORDS: usize = 30;

/// Words for the end of an element.
const ENDING: &str = "phased out|discontinued|retired|sunset(?:ted)?|decommissioned|shut ?down";

/// A state without the verb before it: `no longer supported`.
const GONE: &str =
    "(?:no longer (?:supported|available|used|returned)|not supported any ?more|no longer in use)";

/// A deprecation or a removal to come.
const PLANNED: &str = "(?:slated|scheduled|marked|planned) for (?:removal|deprecation)";

const IS: &str = "(?:is|are|was|were|has been|have been|should be considered|is being)(?: (?:now|also|officially|being|currently|hereby|therefore|considered|already|fully|formally|marked(?: as)?|as|obsolete and))*";

pattern! {
    MENTION = format!("deprec|depric|obsolete|closing down|removed|for removal|{GONE}|{ENDING}");
    /// A statement of the end: `is being phased out`, `will be removed in March 2027`.
    ENDS = format!(r"\b(?:(?:(?:is|are) being|(?:has|have) been|will be|(?:is|are) scheduled to be) (?:{ENDING})\b|(?:is|are|was|were) (?:{ENDING})(?: (?:on|in|by|since)\b|[.,;:!)]|$)|(?:is|are|has been|have been) (?:{GONE}|{PLANNED})\b|(?:will(?: soon)?|(?:is|are) (?:planned|going|about|scheduled) to) be {DEPRECATED}\b|will be removed (?:on|in|after|by|with) (?:\w+ ){{0,4}}(?:[0-9]|`?v[0-9]|(?:versions?|releases?|update)\b))");
    /// `Deprecated: …`, `[Deprecated]`, `Deprecated since …`.
    ANNOTATION = format!(r"^[\W_]*(?:(?:note|warning|important|attention|status|caution|notice|output only|read[- ]only|optional|required)\W{{1,3}})?(?:this is )?{DEPRECATED}`?{AFTER_ANNOTATION}");
    /// The same without a subject and a verb: `No longer supported.`, `Will be sunset on …`.
    BARE = format!(r"^[\W_]*(?:(?:parameter )?deprecation notice\s*:|(?:(?:this is )?{GONE}|{PLANNED}|discontinued|decommissioned|retired)(?:$|[.,;:!)]| (?:on|in|by|since|as of|after|from|and will)\b)|(?:will|soon to|to) be (?:{DEPRECATED}|{ENDING})\b)");
    /// One state of several: `Deprecated / removed / active`, `DEPRECATED or ACTIVE`, `Deprecated (true/false)`.
    STATES = format!(r"^[\W_]*{DEPRECATED}(?: or \w+\W*$|\s*/\s*\w+\s*(?:/|$)|\s*\((?:true|false|yes|no)\b|\W+whether\b|\s+(?:on|at) (?:this|the) (?:date|time)\W*$)");
    /// `DEPRECATED` in capitals is a tag, whatever follows.
    CAPITALS = r"(?-i)^[\W_]*(?:DEPRECATED|OBSOLETE)(?:[\W_]|$)";
    /// `Deprecated and removed items are …` is about the items.
    ADJECTIVES = {
        let another = r"(?:,? (?:and|or)|\s*[,/]| \() ?(?:[a-z]+ed|old|legacy|obsolete)\)?";
        format!(r"^[\W_]*{DEPRECATED}(?:{another})+ [a-z]+s (?:are|were|will|can|may|must|have|cannot|do)\b")
    };
    /// `Deprecated: default_format` is about a thing of that name.
    OTHER_NAME = format!(r"^[\W_]*{DEPRECATED}\s*:\s*`?([\w.]+)`?[.,;]?(?:$|\s+{DEPRECATED})");
    /// After the subject of a sentence: `has been deprecated`, `is a deprecated alias`.
    STATED = format!(r"\b(?:(?:is|was|has been) [a-z ]{{1,40}},? and (?:now )?)?{IS} (?:{DEPRECATED}|(?:an?|the) (?:now )?{DEPRECATED} (?:{KIND}|alias|name|version))\b");
    /// Even at the beginning of a sentence, `it` may be a value or another element.
    IT_IS = format!(r"\bit {IS} {DEPRECATED}\b");
    IT = r"^\W*it\b";
    /// A tag in a title: `List users (deprecated)`.
    TAG = format!(r"^[\W_]*[\[({{<]?{DEPRECATED}[\])}}>:]|[\[({{]\s*{DEPRECATED}(?:[^\])]{{0,60}})?[\])}}][\s.!]*$|[-–—:|,]\s*{DEPRECATED}[\s.!]*$|^{DEPRECATED}\s+-");
    /// The end of a description in one sentence: `The old name (deprecated).`
    END = format!(r"[\[(]\s*{DEPRECATED}(?:\s*[:-]\s*use [^\])]{{1,60}})?\s*[\])]\s*[.!]?$");
    /// Words that limit a statement, or deny it.
    LIMITED = format!(r"\b(?:not|never|n't)\s+(?:\w+\s+)?(?:been\s+)?{DEPRECATED}|{DEPRECATED} (?:if|when|unless)\b|{DEPRECATED} (?:for|only for|in) (?:(?:the|all|most) )?(?:apps?|applications|customers|users|accounts|specific|new|some|certain|clients|you|usage|[a-z]+ operations)\b|{DEPRECATED}\W+(?:these|those|the following)\b|^\W*(?:if|when|whether|unless)\b");
    /// A deprecation that was withdrawn, or is only that of a special case: no other sentence counts.
    WITHDRAWN = format!(r"\b(?:no longer {DEPRECATED}|reinstated|un-?{DEPRECATED}|deprecation (?:was|is|has been) (?:withdrawn|reverted|revoked|cancell?ed|lifted)|{DEPRECATED},? (?:but )?only (?:for|if|when|in)|only {DEPRECATED} (?:for|if|when|in))\b");
    ITEM = r"(?m)^[ \t]*[-*+•][ \t]";
    ITEM_MARK = r"(?m)(?-i)^[ \t]*[-*+•][ \t]+([*_]*(?:Deprecated|DEPRECATED)\b[*_]*[:,])";
    /// An address ends a clause, and some texts lack the space between two sentences.
    UNSPACED = r"(?-i)(https?://[^\s`]*[^\s`.])[ \n](This|The|Deprecated|DEPRECATED)\b";
    JOINED = r"(?-i)\.(This|Deprecated|DEPRECATED)\b|\b (Deprecated[.:] [Uu]se )";
}
/// Items of lists and tables. Each pattern is searched by itself: together, one tag without an end would make the search of every
/// other item read the whole text.
static LISTED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let patterns = [
        r"(?s)<(?:table|dl)\b[^<>]*>.*?</(?:table|dl)>",
        r"(?s)<li\b[^<>]*>.*?</li>",
        r"(?m)^[ \t]*(?:[-*+•][ \t]|[0-9]+[.)][ \t]|\|)[^\n]*$",
    ];
    alternatives(&patterns)
});

/// Whether a text says that the element that it describes is deprecated.
pub(crate) fn says_deprecated(text: &str, place: TextPlace, subject: &ProseSubject) -> bool {
    let is_tagged = place == TextPlace::Title && TAG.is_match(text.trim());
    let text = match place {
        TextPlace::Title => plain(text),
        TextPlace::Description => plain(&without_items(text)),
    };
    if WITHDRAWN.is_match(&text) {
        return false;
    }
    if is_tagged {
        return true;
    }
    let text = UNSPACED.replaced(&text, "$1. $2");
    let text = JOINED.replaced(&text, ". $1$2");
    let sentences = sentences(&text);
    let only = sentences.len() == 1;
    sentences.iter().any(|sentence| {
        let text = sentence.text;
        mentions_deprecation(text)
            && !LIMITED.is_match(text)
            && (is_statement(text, subject) || only && ends_with_tag(text))
    })
}

/// A text without the items of its lists and tables: a statement in one is about the item.
fn without_items(text: &str) -> String {
    // The only item of a text is no list.
    let text = match ITEM.find_iter(text).nth(1) {
        None => ITEM_MARK.replaced(text, "\n$1"),
        Some(_) => text.to_owned(),
    };
    LISTED.iter().fold(text, |text, listed| {
        listed.replace_all(&text, "\n\n").into_owned()
    })
}

/// Whether a text has one of the words, whatever it says.
pub(crate) fn mentions_deprecation(text: &str) -> bool {
    MENTION.is_match(text)
}

/// Where the first of the words is; 0 if there is none.
pub(super) fn first_mention(text: &str) -> usize {
    MENTION
        .find_iter(text)
        .next()
        .map_or(0, |found| found.start())
}

/// Whether a sentence without markup says that its element is deprecated.
fn is_statement(sentence: &str, subject: &ProseSubject) -> bool {
    if STATES.is_match(sentence) {
        return false;
    }
    if CAPITALS.is_match(sentence)
        || BARE.is_match(sentence)
        || ANNOTATION.is_match(sentence) && !ADJECTIVES.is_match(sentence)
    {
        // `deprecated: …` describes a member of that name.
        if subject.is_called("deprecated") || subject.is_named_by(sentence) {
            return false;
        }
        let other = OTHER_NAME.captures(sentence);
        let name = other
            .as_ref()
            .and_then(|other| other.get(1))
            .map(|name| name.as_str());
        return name.is_none_or(|name| subject.is_called(name) || matches!(name, "true" | "yes"));
    }
    !IT_IS.is_match(sentence)
        && STATED
            .find_iter(sentence)
            .chain(ENDS.find_iter(sentence).filter(|_| !IT.is_match(sentence)))
            .any(|found| {
                sentence
                    .get(..found.start())
                    .is_some_and(|before| begins_with_subject(before, subject))
            })
}

/// Whether a sentence ends with the word in brackets, and lists nothing to which that could belong.
fn ends_with_tag(sentence: &str) -> bool {
    let words = sentence.split(' ').count();
    let before = sentence
        .rsplit_once(['(', '['])
        .map_or(sentence, |(before, _)| before);
    END.is_match(sentence) && words <= MAX_WORDS && !before.contains([',', '`', ':', '|'])
}

#[cfg(test)]
mod tests {
    use super::super::subject::SubjectKind;
    use super::*;

    fn part(name: &str, text: &str) -> bool {
        let subject = ProseSubject::new(SubjectKind::Part, [name]);
        says_deprecated(text, TextPlace::Description, &subject)
    }

    fn operation(place: TextPlace, text: &str) -> bool {
        let names = ["listOrders", "/v1/orders"];
        says_deprecated(
            text,
            place,
            &ProseSubject::new(SubjectKind::Operation, names),
        )
    }

    #[test]
    fn statements_about_the_element_are_found() {
        for text in [
            "Deprecated.",
            "DEPRECATED The number of the order",
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
            assert!(operation(TextPlace::Description, text), "{text}");
        }
        for title in [
            "List orders (deprecated)",
            "[DEPRECATED] List orders",
            "List - Deprecated",
        ] {
            assert!(operation(TextPlace::Title, title), "{title}");
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
            "Since version 3, `Simple mode` is deprecated.",
            "GET /v1/carts is deprecated.",
            "Returns deprecated orders",
            "This endpoint was deprecated but has been reinstated.",
            "POST /v1/orders is deprecated only for v1 tokens.",
        ] {
            assert!(!operation(TextPlace::Description, text), "{text}");
        }
        for title in [
            "List deprecated orders",
            "Deprecate an order",
            "Set the deprecated flag",
            "List orders (deprecated only for v1 tokens)",
            "List orders [no longer deprecated]",
        ] {
            assert!(!operation(TextPlace::Title, title), "{title}");
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
}
