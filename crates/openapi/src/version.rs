//! The supported versions of OpenAPI.

use sundown_text_json::json::Node;

/// The languages of the supported versions.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Swagger 2.0.
    Swagger,
    /// OpenAPI 3.0, 3.1 and 3.2.
    OpenApi,
}

impl Dialect {
    /// That of the description with this root. Returns `None` if it is not a description of a supported version.
    pub(super) fn of(root: Node<'_>) -> Option<Self> {
        let known = [
            ("openapi", "3.0", Self::OpenApi),
            ("openapi", "3.1", Self::OpenApi),
            ("openapi", "3.2", Self::OpenApi),
            ("swagger", "2.0", Self::Swagger),
            // A number may have lost its zero.
            ("swagger", "2", Self::Swagger),
        ];
        let own = known.into_iter().find(|(key, version, _)| {
            let rest = root.text_of(key).and_then(|own| own.strip_prefix(version));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        own.map(|(.., dialect)| dialect)
    }
}
