//! The texts about reasons for not checking something, which are in `reasons.toml`.

use std::sync::LazyLock;

use super::Reason;
use serde::Deserialize;
use serde::de::IntoDeserializer as _;
use serde::de::value::Error;
use sundown_text_json::text::toml::read_own;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReasonFile {
    reason: Vec<ReasonRow>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReasonRow {
    name: String,
    text: String,
    help: String,
}

/// The row of each reason, in their order.
static ROWS: LazyLock<Vec<ReasonRow>> =
    LazyLock::new(|| read_own::<ReasonFile>(include_str!("../reasons.toml")).reason);

impl Reason {
    /// All reasons, in their order.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().filter_map(|row| {
            let name = row.name.as_str().into_deserializer();
            let reason: Result<Self, Error> = Self::deserialize(name);
            reason.ok()
        })
    }

    /// Its name in machine formats.
    pub fn name(self) -> &'static str {
        self.row(|row| &row.name)
    }

    /// Its meaning, for people. The text follows the name of a file or a place.
    pub fn text(self) -> &'static str {
        self.row(|row| &row.text)
    }

    /// The remedy.
    pub fn help(self) -> &'static str {
        self.row(|row| &row.help)
    }

    fn row(self, part: fn(&ReasonRow) -> &str) -> &'static str {
        ROWS.get(self as usize).map_or("", part)
    }
}
