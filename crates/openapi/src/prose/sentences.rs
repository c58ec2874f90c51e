//! Finds the sentences that announce a deprecation, and the names that they give as replacements.

use super::pattern::{LazyPattern, pattern};
use super::words::{ENDED, METHOD, MONTHS};

/// The most characters of a description that are read: what announces a deprecation is at its beginning or end.
const MAX_READ: usize = 20_000;

/// The most characters of a sentence that is quoted.
const MAX_QUOTED: usize = 240;

/// The most names in a list of replacements.
const MAX_NAMES: usize = 4;

/// A sentence, with the context that decides whether it is about the deprecation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sentence<'t> {
    pub(super) text: &'t str,
    /// Whether the sentence before it is a short statement of the deprecation: `This field is deprecated.`
    follows_statement: bool,
}

/// Names that a sentence gives as a replacement. The first must exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReplacementPhrase<'t> {
    pub(super) names: Vec<ProseName<'t>>,
    /// Whether the names are alternatives (`a or b`) instead of parts (`a and b`).
    pub(super) is_choice: bool,
    /// How many of the names are certainly part of a list: a comma may also begin another clause.
    pub(super) listed: usize,
}

/// A name in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProseName<'t> {
    /// The method before a path.
    pub(super) method: Option<&'t str>,
    /// The name, or the path of an operation.
    pub(super) text: &'t str,
    /// Whether it is in quotes, code, or a link.
    pub(super) is_quoted: bool,
    /// The object or service that has it: `id` *from* `UserInfo`.
    pub(super) inside: Option<&'t str>,
}

pattern! {
    STATEMENT = r"deprecat|depricat|closing down|phased out|obsolete|legacy|no longer|discontinu|will be removed|soon be removed|\bignore\b|superseded|sunset";
    /// Phrases that introduce a replacement by themselves.
    STRONG = r"\b(?:(?:is|are|been|was|were|be) replaced (?:by|with)|replaced (?:by|with)|superseded by|in favou?r of|(?:is|been) moved to|renamed to|switch(?:ing)? to|transition(?:ing)? to(?: use| using)?|migrat(?:e|ing)\b[^.`]{0,40}?\bto(?: use| using)?|recommended (?:alternative|replacement|endpoint|operation|method|field|parameter)(?: is|:))\s+";
    /// Phrases that introduce a replacement if the sentence is about the deprecation.
    USE = r"\b(?:use|using|prefer)\s+";
    /// Phrases that introduce a replacement if the sentence says `instead`.
    OTHER = r"\b(?:see|populate|specify|configure|call|check|refer to)\s+";
    /// An end in a version, for which there is no date.
    VERSION = format!(r"\b(?:{ENDED}|no longer (?:be )?[a-z]+)\s+(?:from\s+(?:the\s+)?(?:[a-z]+\s+){{1,3}})?(?:in|with|by|at|as of|since|starting (?:from|in|with))\s+(?:the\s+)?(?:[a-z]+\s+){{0,4}}?(?:v|versions?\s+|releases?\s+)`?v?[0-9]+");
    INSTEAD = r"\binstead\b";
    NEGATION = r"(?:\bnot|\bnever|n['’]t|\bcannot|\blonger)\s+(?:be\s+)?$";
    NAME_LEAD = r"^(?:(?:the|a|an|our|its|their|new|newer|following|dedicated|equivalent|corresponding|relationship|fields?|filed|property|properties|parameters?|attributes?|methods?|endpoints?|operations?|api|calls?|function|query|in|header|option|key)\s+)+";
    /// The end of a clause.
    CLOSED = r"^\s*(?:$|[.,;:)]|(?:instead|and|or)\b)";
    ARTICLE = r"^(?:the|an?|its|their)\s+";
    NAME = format!(r"(?-i)^(?:({METHOD})\s+`?(/[^\s`,;)]+)`?|`\s*(?:({METHOD})\s+)?([^`]{{1,100}}?)\s*`|(/[^\s`,;)]+)|([A-Za-z_$@][\w$-]*(?:(?:\[[*]?\])?(?:[./$]|::)[\w-]+)*))");
    CALL = format!(r"(?-i)\b({METHOD})\s+`?(/[^\s`,;)]+)`?");
    NOUN = r"^\s+(?:fields?|property|properties|parameters?|attributes?|methods?|endpoints?|operations?|api|calls?|objects?|keys?|header)\b";
    NEXT = r"^\s*(?:,\s*(?:and\s+|or\s+)?|(?:and|&|or)\s+)(?:the\s+)?";
    INSIDE = r"^\s*(?:from|of|in|on)\s+(?:the\s+)?(?:`([^`]{1,60})`|([A-Za-z_][\w.]*(?:\s+[A-Za-z]+){0,5}))";
}

/// Splits text without markup into sentences. Names in backticks are not split.
pub(super) fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let text = beginning(text, MAX_READ);
    let mut all = Vec::new();
    let mut start = 0;
    let mut is_quoted = false;
    let mut follows_statement = false;
    let mut add = |from: usize, to: usize| {
        let sentence = text.get(from..to).unwrap_or_default().trim();
        if sentence.is_empty() {
            return;
        }
        all.push(Sentence {
            text: sentence,
            follows_statement,
        });
        follows_statement = STATEMENT.is_match(sentence) && sentence.split(' ').count() <= 12;
    };
    for (at, character) in text.char_indices() {
        match character {
            '`' => is_quoted = !is_quoted,
            '\n' => {
                add(start, at);
                (start, is_quoted) = (at, false);
            }
            '.' | '!' | '?' | ';' if !is_quoted && ends_sentence(text, at) => {
                add(start, at + 1);
                start = at + 1;
            }
            _ => {}
        }
    }
    add(start, text.len());
    all
}

/// Whether the punctuation mark at `at` ends a sentence: white space follows, and it ends no abbreviation: `Nov. 2`.
fn ends_sentence(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let after = text.get(at + 1..).unwrap_or_default();
    let is_abbreviation = ["e.g", "i.e", "etc", "vs"]
        .iter()
        .any(|word| before.ends_with(word));
    let last_word = before
        .rsplit(|c: char| !c.is_alphabetic())
        .next()
        .unwrap_or_default();
    let is_month = MONTHS
        .iter()
        .chain(&["sept"])
        .any(|month| last_word.eq_ignore_ascii_case(month))
        && after.trim_start().starts_with(|c: char| c.is_ascii_digit());
    !is_abbreviation
        && !is_month
        && after
            .chars()
            .next()
            .is_none_or(|c| c.is_whitespace() || matches!(c, '`' | ')'))
}

impl<'t> Sentence<'t> {
    /// The phrases that may name a replacement, the most trustworthy first.
    pub(super) fn phrases(&self) -> Vec<ReplacementPhrase<'t>> {
        let says_instead = INSTEAD.is_match(self.text);
        let is_about = self.follows_statement || STATEMENT.is_match(self.text);
        let mut phrases = Vec::new();
        self.follow(&STRONG, |_| true, &mut phrases);
        self.follow(
            &USE,
            |tail| says_instead || is_about || is_all(self.text, tail),
            &mut phrases,
        );
        if says_instead {
            self.follow(&OTHER, |_| true, &mut phrases);
        }
        if says_instead || is_about && USE.is_match(self.text) {
            phrases.extend(CALL.captures_iter(self.text).filter_map(|call| {
                let path = trim_path(call.get(2)?.as_str());
                let name = ProseName {
                    method: call.get(1).map(|method| method.as_str()),
                    text: path,
                    is_quoted: true,
                    inside: None,
                };
                Some(ReplacementPhrase {
                    names: vec![name],
                    is_choice: false,
                    listed: 1,
                })
            }));
        }
        phrases
    }

    /// Reads the names after each match of a pattern that is not negated.
    fn follow(
        &self,
        pattern: &LazyPattern,
        accepts: impl Fn(&str) -> bool,
        phrases: &mut Vec<ReplacementPhrase<'t>>,
    ) {
        for found in pattern.find_iter(self.text) {
            let before = self.text.get(..found.start()).unwrap_or_default();
            let tail = self.text.get(found.end()..).unwrap_or_default();
            if NEGATION.is_match(before) || !accepts(tail) {
                continue;
            }
            // A word such as `new` or `key` may be the name itself.
            let mut starts = [NAME_LEAD.end(tail), ARTICLE.end(tail), 0];
            starts.sort_unstable_by(|one, other| other.cmp(one));
            let mut last = None;
            for start in starts {
                if last.replace(start) != Some(start) {
                    phrases.extend(names(tail.get(start..).unwrap_or_default()));
                }
            }
        }
    }

    /// Whether the sentence is about a deprecation or a replacement.
    pub(super) fn is_announcement(&self) -> bool {
        STATEMENT.is_match(self.text)
            || INSTEAD.is_match(self.text) && USE.is_match(self.text)
            || STRONG.is_match(self.text)
            || self.follows_statement && USE.is_match(self.text)
    }

    /// Whether the sentence says in which version the element ends.
    pub(super) fn names_last_version(&self) -> bool {
        VERSION.is_match(self.text)
    }

    /// Whether the sentence only says that the element is deprecated.
    pub(super) fn is_bare_statement(&self) -> bool {
        let words = self
            .text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        let names_something = self.text.contains('`') || USE.is_match(self.text);
        STATEMENT.is_match(self.text) && !names_something && words.count() <= 5
    }
}

/// Whether a sentence consists of a phrase and little else, such as `Please use /orders/v3`.
fn is_all(sentence: &str, tail: &str) -> bool {
    let before = sentence.len() - tail.len();
    let after = tail.get(NAME_LEAD.end(tail)..).unwrap_or_default();
    let name = NAME.end(after);
    let rest = after
        .get(name..)
        .unwrap_or_default()
        .trim_matches(|c: char| !c.is_alphanumeric());
    before <= "Please use ".len()
        && name > 0
        && rest.split(' ').filter(|word| !word.is_empty()).count() <= 1
}

/// Reads a list of names at the start of a text.
fn names(text: &str) -> Option<ReplacementPhrase<'_>> {
    let mut names = Vec::new();
    let mut is_choice = false;
    let mut rest = text;
    let mut listed = 1;
    while names.len() < MAX_NAMES {
        let Some((mut name, after)) = name(rest) else {
            break;
        };
        rest = after.get(NOUN.end(after)..).unwrap_or_default();
        if let Some(inside) = INSIDE.captures(rest) {
            name.inside = inside
                .get(1)
                .or_else(|| inside.get(2))
                .map(|inside| inside.as_str());
        }
        names.push(name);
        let next = NEXT.end(rest);
        if next == 0 {
            break;
        }
        let (separator, after) = rest.split_at(next);
        let separator = separator.to_ascii_lowercase();
        is_choice |= separator.contains("or ");
        if separator.contains(['a', 'o', '&']) {
            listed = names.len() + 1;
        }
        rest = after;
    }
    (!names.is_empty()).then_some(ReplacementPhrase {
        names,
        is_choice,
        listed,
    })
}

/// Reads a name at the start of a text, and returns the rest.
fn name(text: &str) -> Option<(ProseName<'_>, &str)> {
    let found = NAME.captures(text)?;
    let part = |index| found.get(index).map(|part: regex::Match<'_>| part.as_str());
    let (method, name, is_quoted) = match (part(2), part(4), part(5), part(6)) {
        (Some(path), ..) => (part(1), trim_path(path), true),
        (_, Some(quoted), ..) => (part(3), quoted.trim_end_matches(['.', ',']), true),
        (.., Some(path), _) => (None, trim_path(path), true),
        (.., Some(word)) => (None, word, false),
        _ => return None,
    };
    let rest = text.get(found.get(0)?.end()..)?;
    // `the new search`: a word that leads to a name is a name itself only if none follows.
    let is_lead = !is_quoted && NAME_LEAD.end(&format!("{name} ")) > name.len();
    if is_lead && NOUN.end(rest) == 0 && !CLOSED.is_match(rest) {
        return None;
    }
    Some((
        ProseName {
            method,
            text: name,
            is_quoted,
            inside: None,
        },
        rest,
    ))
}

fn trim_path(path: &str) -> &str {
    path.trim_end_matches(['.', ':', '"', '\'', '_', '/'])
}

/// The first sentences about the deprecation as one line, for people.
pub(super) fn quote(sentences: &[Sentence<'_>]) -> Option<String> {
    let about: Vec<_> = sentences
        .iter()
        .filter(|sentence| sentence.is_announcement())
        .take(2)
        .collect();
    if about.iter().all(|sentence| sentence.is_bare_statement()) {
        return None;
    }
    let text = about
        .iter()
        .map(|sentence| sentence.text)
        .collect::<Vec<_>>()
        .join(" ");
    Some(shortened(text))
}

/// The sentence that says in which version the element ends, for people.
pub(super) fn quote_of_version(sentences: &[Sentence<'_>]) -> Option<String> {
    sentences
        .iter()
        .find(|sentence| sentence.names_last_version())
        .map(|sentence| shortened(sentence.text.to_owned()))
}

fn shortened(text: String) -> String {
    if text.len() <= MAX_QUOTED {
        return text;
    }
    let cut = beginning(&text, MAX_QUOTED);
    format!("{}…", cut.rsplit_once(' ').map_or(cut, |(whole, _)| whole))
}

/// The text up to a length in bytes, without a part of a character.
fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len()))
        .rev()
        .find(|&end| text.is_char_boundary(end));
    text.get(..end.unwrap_or_default()).unwrap_or_default()
}
