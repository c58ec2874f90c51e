//! The formats of lists.

/// A format that lists are read from and written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListFormat {
    /// A table in a Markdown document.
    Markdown,
    /// Comma-separated values (RFC 4180) with a header.
    Csv,
    /// JSON: `{"endpoints": [{"method", "path", "deprecations": [{"id", "type", "name", …}]}]}`.
    Json,
}

impl ListFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Markdown, Self::Csv, Self::Json];

    /// The name of the format, as users write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }
}
