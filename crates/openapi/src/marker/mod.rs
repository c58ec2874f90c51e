//! Markers of deprecation: `deprecated: true`, and the extensions that mark an element or give details.

mod model;
mod prose;
mod reader;

pub use model::{
    DateSources, DeprecationSources, MarkedElement, Marker, MarkerDate, MarkerOptions, MarkerScope,
    MarkerSource, MarkerText,
};
pub(super) use reader::read;
