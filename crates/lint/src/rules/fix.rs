//! The edit that replaces a deprecated element, as a rule states it or as it follows from the rule.

/// An edit that replaces the uses of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFix {
    /// What is changed.
    pub edit: Edit,
    /// Whether it keeps the meaning of what it changes, wherever the new name is not there yet.
    pub safe: bool,
}

/// A change at the place of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// The field or the parameter gets this name, and keeps its value.
    Rename(String),
    /// The element gets this value.
    Set(String),
    /// The field goes, with its value.
    Remove,
}

impl Edit {
    /// The kind: `rename`, `set` or `remove`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Rename(_) => "rename",
            Self::Set(_) => "set",
            Self::Remove => "remove",
        }
    }

    /// What is done to an element of this name, in a few words.
    pub fn phrase(&self, name: &str) -> String {
        match self {
            Self::Rename(new) => format!("rename `{name}` to `{new}`"),
            Self::Set(new) => format!("set `{name}` to `{new}`"),
            Self::Remove => format!("remove `{name}`"),
        }
    }

    /// The new name or value; `None` if there is none.
    pub fn to(&self) -> Option<&str> {
        match self {
            Self::Rename(new) | Self::Set(new) => Some(new),
            Self::Remove => None,
        }
    }
}
