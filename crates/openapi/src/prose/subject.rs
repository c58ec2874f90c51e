//! The element that a text describes: a sentence in its description may be about another one.

use regex::Captures;

use super::spelling::folded;

/// The element that a text describes.
#[derive(Debug)]
pub(crate) struct ProseSubject {
    kind: SubjectKind,
    /// Its [`folded`] names.
    names: Vec<String>,
}

/// The kinds of elements that texts call by different words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SubjectKind {
    /// An operation, or all operations of a path.
    Operation,
    /// A parameter, a header or a schema: a part of a call.
    Part,
}

/// A pattern of the words for an element: the group `call` has those for operations, `part` those for parts of a call.
pub(super) const KIND: &str = r"(?:(?:api|json|query|path|request|response|body|header|url|string|boolean|legacy|optional) )*(?:(?P<call>operations?|end ?points?(?: routes?)?|methods?|calls?|routes?|requests?|commands?|functions?|web ?services?|rpc|actions?|features?)|(?P<part>fields?|property|properties|param(?:eter)?s?|attributes?|arguments?|options?|headers?|keys?|flags?|settings?|elements?|members?|inputs?|outputs?)|apis?|resources?|objects?|types?|schemas?|models?|messages?|enums?|services?|items?)";

impl ProseSubject {
    /// An element of this kind and these names: an operation has its `operationId` and its path, others have the name or key.
    pub(crate) fn new<'n>(kind: SubjectKind, names: impl IntoIterator<Item = &'n str>) -> Self {
        Self {
            kind,
            names: names.into_iter().map(folded).collect(),
        }
    }

    /// Whether the words of [`KIND`] that a pattern found may mean it.
    pub(super) fn may_be(&self, found: &Captures<'_>) -> bool {
        match self.kind {
            SubjectKind::Operation => found.name("part").is_none(),
            SubjectKind::Part => found.name("call").is_none(),
        }
    }

    /// Whether it has this name; case and separators do not matter.
    pub(super) fn is_called(&self, name: &str) -> bool {
        let name = folded(name);
        !name.is_empty() && self.names.contains(&name)
    }

    /// Whether the first word of a sentence is its name, perhaps after `is`: the sentence explains the name.
    pub(super) fn is_named_by(&self, sentence: &str) -> bool {
        let words = sentence.split(|c: char| !c.is_alphanumeric());
        let first = words.map(folded).find(|word| !word.is_empty());
        let names = self
            .names
            .iter()
            .map(|name| name.strip_prefix("is").unwrap_or(name));
        first.is_some_and(|first| names.into_iter().any(|name| name == first))
    }

    /// Whether a word is a part of its names.
    pub(super) fn has_in_name(&self, word: &str) -> bool {
        let word = folded(word);
        word.len() > 2 && self.names.iter().any(|own| own.contains(&word))
    }
}
