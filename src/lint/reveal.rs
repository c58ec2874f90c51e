//! Whether findings show values of the input.

/// Whether findings show values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Values {
    /// They are never shown.
    #[default]
    Hidden,
    /// Those that cannot be personal are shown.
    Shown,
}
