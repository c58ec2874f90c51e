//! The element that a text describes: a sentence in its description may be about another one.

use regex::Captures;

use super::spelling::folded;

/// The element that a text describes.
#[derive(Debug, Clone, Copy)]
pub(in crate::openapi) struct ProseSubject<'t> {
    /// Its kind.
    pub kind: SubjectKind,
    /// Its names: of an operation its `operationId` and its path, of others the name or key.
    pub names: &'t [&'t str],
}

/// The kinds of elements that texts call by different words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::openapi) enum SubjectKind {
    /// An operation, or all operations of a path.
    Operation,
    /// A parameter, a header or a schema: a part of a call.
    Part,
}

/// A pattern of the words for an element: the group `call` has those for operations, `part` those for parts of a call.
pub(super) const KIND: &str = r"(?:(?:api|json|query|path|request|response|body|header|url|string|boolean|legacy|optional) )*(?:(?P<call>operations?|end ?points?(?: routes?)?|methods?|calls?|routes?|requests?|commands?|functions?|web ?services?|rpc|actions?|features?)|(?P<part>fields?|property|properties|param(?:eter)?s?|attributes?|arguments?|options?|headers?|keys?|flags?|settings?|elements?|members?|inputs?|outputs?)|apis?|resources?|objects?|types?|schemas?|models?|messages?|enums?|services?|items?)";

impl ProseSubject<'_> {
    /// Returns whether the words of [`KIND`] that a pattern found may mean it.
    pub(super) fn may_be(&self, found: &Captures<'_>) -> bool {
        match self.kind {
            SubjectKind::Operation => found.name("part").is_none(),
            SubjectKind::Part => found.name("call").is_none(),
        }
    }

    /// Returns whether it has this name; case and separators do not matter.
    pub(super) fn is_called(&self, name: &str) -> bool {
        let name = folded(name);
        !name.is_empty() && self.names.iter().any(|own| folded(own) == name)
    }
}
