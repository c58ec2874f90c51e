//! The supported versions of OpenAPI.

use sundown_text_json::json::Node;

/// The supported versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the versions' own names")]
pub enum SpecVersion {
    Swagger20,
    OpenApi30,
    OpenApi31,
    OpenApi32,
}

/// The two languages of the versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Swagger,
    OpenApi,
}

impl SpecVersion {
    /// The version of the description with this root. Returns `None` if it is not a description of a supported version.
    pub fn of(root: Node<'_>) -> Option<Self> {
        let is = |key: &str, version: &str| {
            root.text_of(key)
                .unwrap_or_default()
                .strip_prefix(version)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        match () {
            () if is("openapi", "3.0") => Some(Self::OpenApi30),
            () if is("openapi", "3.1") => Some(Self::OpenApi31),
            () if is("openapi", "3.2") => Some(Self::OpenApi32),
            // A number may have lost its zero.
            () if is("swagger", "2.0") || is("swagger", "2") => Some(Self::Swagger20),
            () => None,
        }
    }

    pub(super) fn dialect(self) -> Dialect {
        if self == Self::Swagger20 {
            Dialect::Swagger
        } else {
            Dialect::OpenApi
        }
    }
}
