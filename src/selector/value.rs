//! A JSON value as a tree for filters to look into, which knows where each key stands.

use crate::json::{SyntaxError, Token, Walker, string};
use crate::text::Span;

/// A value, with all that is in it.
#[derive(Debug, Clone, Default)]
pub(super) enum Value {
    #[default]
    Null,
    Bool(bool),
    /// As a double, which is how filters compare numbers.
    Number(f64),
    String(String),
    Array(Vec<Value>),
    Object(Box<Object>),
}

/// The members of an object, duplicates kept.
#[derive(Debug, Clone)]
pub(super) struct Object {
    members: Box<[Member]>,
    /// The last member of each name, sorted by name.
    by_name: Box<[usize]>,
}

/// A member of an object.
#[derive(Debug, Clone)]
pub(super) struct Member {
    /// Decoded.
    pub(super) name: String,
    /// Where the key stands, quotes included.
    pub(super) key: Span,
    pub(super) value: Value,
}

impl Value {
    /// Loads the value that begins at byte `start`, which may nest `max_depth` levels deep.
    pub(super) fn load(text: &str, start: usize, max_depth: usize) -> Result<Self, SyntaxError> {
        let mut walker = Walker::starting_at(text, start).with_max_depth(max_depth);
        let mut open: Vec<Open> = Vec::new();
        let mut key = None;
        let mut complete = Self::Null;
        while let Some(event) = walker.next_event()? {
            let decoded = || string::decode(text, event.span).into_owned();
            let value = match event.token {
                Token::Key => {
                    key = Some((decoded(), event.span));
                    continue;
                }
                Token::ObjectStart => {
                    open.push(Open { key: key.take(), items: Items::Members(Vec::new()) });
                    continue;
                }
                Token::ArrayStart => {
                    open.push(Open { key: key.take(), items: Items::Elements(Vec::new()) });
                    continue;
                }
                Token::ObjectEnd | Token::ArrayEnd => {
                    let Some(container) = open.pop() else { continue };
                    key = container.key;
                    match container.items {
                        Items::Elements(mut elements) => {
                            elements.shrink_to_fit();
                            Self::Array(elements)
                        }
                        Items::Members(members) => Self::Object(Box::new(Object::new(members))),
                    }
                }
                Token::String => Self::String(decoded()),
                Token::Number => Self::Number(number(event.span.slice(text.as_bytes()))),
                Token::True => Self::Bool(true),
                Token::False => Self::Bool(false),
                Token::Null => Self::Null,
            };
            match (open.last_mut().map(|container| &mut container.items), key.take()) {
                (Some(Items::Elements(elements)), _) => elements.push(value),
                (Some(Items::Members(members)), Some((name, key))) => {
                    members.push(Member { name, key, value });
                }
                (Some(Items::Members(_)), None) => {}
                (None, _) => complete = value,
            }
        }
        Ok(complete)
    }

    /// The member of this name.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(object) => object.get(name),
            _ => None,
        }
    }

    /// The element at this index, from the end if negative.
    pub(super) fn element(&self, index: i64) -> Option<&Self> {
        let Self::Array(elements) = self else { return None };
        let distance = usize::try_from(index.unsigned_abs()).ok()?;
        elements.get(if index < 0 { elements.len().checked_sub(distance)? } else { distance })
    }

    /// Its elements, or its members' values, each name once.
    pub(super) fn children(&self) -> Vec<&Self> {
        match self {
            Self::Array(elements) => elements.iter().collect(),
            Self::Object(object) => {
                object.distinct().into_iter().map(|member| &member.value).collect()
            }
            _ => Vec::new(),
        }
    }

    /// How many characters, elements or names it has (RFC 9535, section 2.4.4).
    pub(super) fn length(&self) -> Option<usize> {
        match self {
            Self::String(text) => Some(text.chars().count()),
            Self::Array(elements) => Some(elements.len()),
            Self::Object(object) => Some(object.by_name.len()),
            _ => None,
        }
    }
}

/// An array or object of which the end has not been read.
struct Open {
    /// Its own key.
    key: Option<(String, Span)>,
    items: Items,
}

enum Items {
    Elements(Vec<Value>),
    Members(Vec<Member>),
}

/// The grammar has been checked, so that all that can go wrong is size, which gives infinity.
fn number(digits: &[u8]) -> f64 {
    std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).unwrap_or_default()
}

impl Object {
    fn new(members: Vec<Member>) -> Self {
        let mut by_name: Vec<usize> = (0..members.len()).collect();
        let name = |index: usize| members.get(index).map(|member| member.name.as_str());
        by_name.sort_by(|&a, &b| name(a).cmp(&name(b)).then(b.cmp(&a)));
        by_name.dedup_by(|next, kept| name(*next) == name(*kept));
        Self { members: members.into(), by_name: by_name.into() }
    }

    /// All members, in the order of the text.
    pub(super) fn members(&self) -> &[Member] {
        &self.members
    }

    fn get(&self, name: &str) -> Option<&Value> {
        let name_at = |index: &usize| self.members.get(*index).map(|member| member.name.as_str());
        let found = self.by_name.binary_search_by(|index| name_at(index).cmp(&Some(name))).ok()?;
        Some(&self.members.get(*self.by_name.get(found)?)?.value)
    }

    /// The last member of each name, in the order of the text.
    fn distinct(&self) -> Vec<&Member> {
        if self.by_name.len() == self.members.len() {
            return self.members.iter().collect();
        }
        let mut indices = self.by_name.clone();
        indices.sort_unstable();
        indices.into_iter().filter_map(|index| self.members.get(index)).collect()
    }
}

/// Equality of values (RFC 9535, section 2.3.5.2.2): numbers by what they are, objects in any order.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Number(a), Self::Number(b)) => a == b,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => a == b,
            (Self::Object(a), Self::Object(b)) => {
                a.by_name.len() == b.by_name.len()
                    && a.distinct()
                        .into_iter()
                        .all(|member| b.get(&member.name) == Some(&member.value))
            }
            _ => false,
        }
    }
}
