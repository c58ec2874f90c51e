//! Published deprecation lists in other formats: [`import`] makes a rule table of one, [`export`] writes one.

pub mod export;
pub mod import;
