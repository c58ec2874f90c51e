//! sundown finds every use of a deprecated or removed API element (an operation, a field, a parameter, a header field) in
//! JSON bodies, captured HTTP traffic and API descriptions, and grades each by the days left until its removal date.
//!
//! The layers, from the bottom up. A module imports only modules of lower layers; a test enforces it.
//!
//! | layer | modules |
//! |---|---|
//! | 11 | `cli` |
//! | 10 | [`run`] |
//! | 9 | `config` |
//! | 8 | `report` |
//! | 7 | `inspect` |
//! | 6 | `lint` |
//! | 5 | `findings` |
//! | 4 | `rules`, `formats` |
//! | 3 | `traffic`, `openapi` |
//! | 2 | `selector`, `toml_file` |
//! | 1 | `json` |
//! | 0 | `text` |

#[doc(hidden)]
pub mod cli;
pub mod config;
pub mod findings;
pub mod formats;
pub mod inspect;
pub mod json;
pub mod lint;
pub mod openapi;
pub mod report;
pub mod rules;
pub mod run;
pub mod selector;
pub mod text;
pub mod toml_file;
pub mod traffic;
