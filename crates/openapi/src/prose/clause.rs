//! Finds out whether a statement inside of a sentence is about the element that the text describes: the words before it are the
//! subject of its clause.

use regex::Captures;

use super::pattern::pattern;
use super::subject::{KIND, ProseSubject};
use super::words::{AFTER_ANNOTATION, DEPRECATED, ENDED, METHOD, MONTH, PREPOSITION};

/// The most characters before a statement that are read: each clause in them is tried as its own.
const MAX_BEFORE: usize = 400;

/// A date in any notation that counts, a version or a year.
fn time() -> String {
    format!(
        r"(?:{PREPOSITION}|with (?:the )?)(?:(?:end of|version|release|api|q[1-4]|first|second|third|fourth|last|quarter(?: of)?|{MONTH}),? )*v?[0-9][\w./'’-]*(?: (?:of )?{MONTH})?(?:,? [0-9]{{4}})?"
    )
}

/// Words for the state of a subject: `removed`, `deprecated`.
fn state() -> String {
    format!(r"\b(?:{DEPRECATED}|legacy|unused|{ENDED}|superseded)\b")
}

/// Words without a subject of their own between the subject and its statement.
fn links() -> String {
    let state = state();
    format!(
        r"{state}|\b(?:is|are|was|were|be|been|being|has|have|had|will|shall|to|also|now|only|then|therefore|thus|officially|currently|already|fully|completely|permanently|eventually|finally|entirely|still|scheduled|planned|set|due|slated|expected|going|considered|marked|reach(?:es|ed)?|as|for|its|and|but|of (?:this|the) (?:api|endpoint|method|operation|service|resource)|(?:please )?do not use|instead)\b"
    )
}

pattern! {
    /// Words before the first clause of a sentence.
    FIRST_CLAUSE = {
        let time = time();
        format!(r"^(?:[^\w`/]*\b(?:please|note|nb|notice|important|warning|attention|caution|be aware|be advised|that|update|status|however|currently|announcement|deprecation|{DEPRECATED}:? [0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}|{DEPRECATED}|legacy|{time})\b)*[^\w`/]*")
    };
    /// Before the subject of a statement: `In version 3, this field …`.
    CIRCUMSTANCE = r"^(?:since|as of|from|starting(?: with| from| in)?|in|on) [^,]{1,60},\s*";
    /// Where another clause may begin.
    CLAUSE_START = r"[,:;()\[\]–—]\s*|\s-\s+|\b(?:and|but|because|so|before|until|as|since|that|when|although|while|hence)\s+";
    /// A clause up to its statement. Its subject may be empty.
    CLAUSE = {
        let time = time(); let links = links();
        let reason = r"\b(?:due to|because of|in favou?r of|replaced (?:by|with)|superseded by|(?:please )?use) [^\s,;:]+(?: [^\s,;:]+){0,7}?(?:,| and\b| but\b| instead\b)|\bfor (?:[a-z]+ )?reasons\b|\bbecause [^,;:]{1,80},";
        format!(r"^(?:(?:support for|(?:the )?(?:use|usage) of|access to|(?:all )?(?:calls|requests) to) )?(?:(?P<pronoun>it|this|we)\b|(?:(?P<determiner>this|these|the|our|its)\b ?)?(?P<name>[^,:;()]{{0,80}}?) ?\b(?P<kind>{KIND}|(?:api )?(?:version|functionality))\b|(?:(?P<article>the|its|this)\b ?)?(?P<named>[^,:;()]{{0,80}}?))(?:\s*(?:[,:()\[\]–—!-]|{links}|{reason}|\b{time}))*\s*$")
    };
    /// After a name: `state deleted` is a value of `state`.
    STATE = format!(r"^\s*{}", state());
    /// Clauses that have no subject, but are about their element: `Deprecated, …`, `Removed since …`, `Use X instead`, `Please move
    /// to X`, `Do not use it`.
    SUBJECTLESS = {
        let here = format!(r"(?:it|this|(?:this|the) {KIND})");
        let advice = format!(r"use\b.*\binstead\b|(?:migrate|switch|move|transition|upgrade|change)\b.*\bto\b|(?:do not|don['’]t|avoid|stop) us(?:e|ing)(?: {here}\b|\W*$)");
        format!(r"^[\W_]*(?:(?:{DEPRECATED}|legacy|{ENDED}){AFTER_ANNOTATION}|(?:please )?(?:{advice}))")
    };
    /// A remark in brackets or after a dash, if what it follows is no list.
    REMARK = {
        let links = links();
        format!(r"^[^,`:|(\[]*(?:[(\[]| [-–—] )(?:\s*(?:[,:!]|{links}))*\s*$")
    };
    IS_DEPRECATED = format!(r"\b{DEPRECATED}\b");
    /// Directly before a statement: a clause about another word (`Python 2, which was retired on …`), or a negation.
    OTHER_CLAUSE = r"\b(?:which|that|who|not|never|cannot)\s*$|n['’]t\s*$";
    NOUN_AND_METHOD = format!(r"^(?:(?:operation|endpoint|method|field|property|parameter|attribute|header) )?`?(?:{METHOD} )?`?");
    PLACE = r"^(?:v?[0-9][\w.]*|rest|http|public|beta|whole|entire)$";
    /// A title in quotes, such as that of an API.
    TITLE = r"^`[^`]* [^`]*`(?: api)?$";
}

/// Whether the statement between two parts of a sentence is about the element: the words before it are no subject at all,
/// or name the element.
pub(super) fn introduces(
    before: &str,
    statement: &str,
    after: &str,
    subject: &ProseSubject,
) -> bool {
    if OTHER_CLAUSE.is_match(before) {
        return false;
    }
    [0, FIRST_CLAUSE.end(before)]
        .iter()
        .any(|start| is_about(before, *start, true, subject))
        || is_remark(before, statement, after)
        || clauses(before).any(|start| is_about(before, start, false, subject))
}

/// Whether the words at the beginning of a sentence are a subject that names the element. A title may be anything.
pub(super) fn begins_with_subject(words: &str, subject: &ProseSubject) -> bool {
    let names_element = |start| {
        name_in_clause(words, start, false, subject)
            .is_some_and(|name| !TITLE.is_match(name) || is_own_name(name, subject))
    };
    [0, FIRST_CLAUSE.end(words)].into_iter().any(|start| {
        let circumstance = CIRCUMSTANCE.end(words.get(start..).unwrap_or_default());
        names_element(start) || names_element(start + circumstance)
    })
}

/// Where the last clauses may begin.
fn clauses(before: &str) -> impl Iterator<Item = usize> {
    let from = before
        .char_indices()
        .rev()
        .nth(MAX_BEFORE)
        .map_or(0, |(at, _)| at);
    CLAUSE_START
        .find_iter(before.get(from..).unwrap_or_default())
        .map(move |start| from + start.end())
}

/// Whether the end of a sentence is a remark about a deprecation: `List orders (deprecated, will be removed on …)`.
fn is_remark(before: &str, statement: &str, after: &str) -> bool {
    after
        .chars()
        .all(|c| c.is_whitespace() || ")].!".contains(c))
        && REMARK.is_match(before)
        && (IS_DEPRECATED.is_match(before) || IS_DEPRECATED.is_match(statement))
}

/// Whether words in a statement name the element.
pub(super) fn is_named(words: &str, subject: &ProseSubject) -> bool {
    is_about(words, 0, false, subject)
}

/// Whether the clause at `start` has the element as its subject; only the first may have none.
fn is_about(before: &str, start: usize, is_first: bool, subject: &ProseSubject) -> bool {
    name_in_clause(before, start, is_first, subject).is_some()
}

/// The name that the clause at `start` has for the element as its subject; empty if another word means it.
fn name_in_clause<'b>(
    before: &'b str,
    start: usize,
    is_first: bool,
    subject: &ProseSubject,
) -> Option<&'b str> {
    let (earlier, clause) = before.split_at_checked(start)?;
    if clause.len() > MAX_BEFORE {
        return None;
    }
    let found = CLAUSE.captures(clause)?;
    let part = |name| found.name(name).map_or("", |part| part.as_str().trim());
    if !part("pronoun").is_empty() {
        return (is_first || continues(earlier, subject)).then_some("");
    }
    if found.name("kind").is_some() {
        return is_kind(&found, subject).then(|| part("name"));
    }
    let after_name = found
        .name("named")
        .and_then(|named| clause.get(named.end()..));
    let name = part("named");
    let is_element = match name {
        "" => is_first || !part("article").is_empty(),
        _ => !after_name.is_some_and(|after| STATE.is_match(after)) && is_name(name, subject),
    };
    is_element.then_some(name)
}

/// Whether `it` after these words means the element: they have no subject, or name it.
fn continues(earlier: &str, subject: &ProseSubject) -> bool {
    let start = FIRST_CLAUSE.end(earlier);
    start == earlier.len()
        || [0, start].iter().any(|start| {
            SUBJECTLESS.is_match(earlier.get(*start..).unwrap_or_default())
                || is_about(earlier, *start, true, subject)
        })
}

/// Whether `this endpoint`, `the orders endpoint` or `listOrders endpoint` means the element.
fn is_kind(found: &Captures<'_>, subject: &ProseSubject) -> bool {
    let part = |name| found.name(name).map_or("", |part| part.as_str().trim());
    let kind = part("kind").to_ascii_lowercase();
    let is_this = part("determiner").to_ascii_lowercase().starts_with("th")
        && !part("determiner").eq_ignore_ascii_case("the");
    // `Items`, `the resources` and `the functionality` may be anything.
    let is_vague = ["s", "version", "functionality"]
        .iter()
        .any(|end| kind.ends_with(end));
    if !subject.may_be(found) || is_vague && !is_this {
        return false;
    }
    let is_exact = found.name("call").is_some() || found.name("part").is_some();
    let name = part("name");
    name.is_empty()
        || is_name(name, subject)
        || (is_exact || kind.ends_with("api"))
            && name.split(' ').all(|word| {
                PLACE.is_match(word) || is_this && word == "old" || subject.has_in_name(word)
            })
}

/// Whether a name is that of the element or a title.
fn is_name(name: &str, subject: &ProseSubject) -> bool {
    TITLE.is_match(name) || is_own_name(name, subject)
}

fn is_own_name(name: &str, subject: &ProseSubject) -> bool {
    let bare = name.get(NOUN_AND_METHOD.end(name)..).unwrap_or_default();
    subject.is_called(name) || subject.is_called(bare)
}
