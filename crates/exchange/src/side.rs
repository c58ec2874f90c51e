//! The two sides of an exchange.

use serde::{Deserialize, Serialize};

/// One half of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the two sides need no explanation")]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Request,
    Response,
}

impl Side {
    /// Both sides, in the order in which they happen.
    pub const BOTH: [Self; 2] = [Self::Request, Self::Response];

    /// `request` or `response`.
    pub fn name(self) -> &'static str {
        self.of(["request", "response"])
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        self.of([Self::Response, Self::Request])
    }

    /// The one of two that is of this side: that of the request is the first.
    pub fn of<T>(self, [request, response]: [T; 2]) -> T {
        match self {
            Self::Request => request,
            Self::Response => response,
        }
    }

    /// The side of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::BOTH.into_iter().find(|side| side.name() == name)
    }
}
