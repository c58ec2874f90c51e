//! What findings show: values of the input, and the elements inside their own.

/// Whether findings show values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Values {
    /// They are never shown.
    #[default]
    Hidden,
    /// Those that cannot be personal are shown.
    Shown,
}

/// How deprecated elements inside a deprecated field are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InnerElements {
    /// With the finding about the field, unless they are worse.
    #[default]
    Related,
    /// As findings of their own.
    Separate,
}
