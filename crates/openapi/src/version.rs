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
        let is = |key: &str, version: &str| {
            root.text_of(key)
                .unwrap_or_default()
                .strip_prefix(version)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        if ["3.0", "3.1", "3.2"]
            .iter()
            .any(|version| is("openapi", version))
        {
            return Some(Self::OpenApi);
        }
        // A number may have lost its zero.
        let is_swagger = is("swagger", "2.0") || is("swagger", "2");
        is_swagger.then_some(Self::Swagger)
    }
}
