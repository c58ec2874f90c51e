//! `[[api]]`: where in traffic the operations of an API are met.

use crate::rules::{ApiAddress, BasePath};
use crate::toml_file::{MessageText, Mistake, TableReader, WithSpan};
use crate::traffic::HostPattern;

/// Where the operations of an API, or of all, are met.
#[derive(Debug, Clone)]
pub struct Api {
    /// What is known of it.
    pub reach: ApiAddress,
    /// Where the API is named, or the table begins.
    pub name_at: std::ops::Range<usize>,
    /// Where its base paths stand.
    pub base_paths_at: std::ops::Range<usize>,
}

impl Api {
    pub(super) fn read(mut fields: TableReader<'_, '_>) -> Option<Self> {
        let api = fields.string("api");
        let hosts = list("hosts", &mut fields, |text| {
            HostPattern::parse(text).map_err(|error| error.to_string())
        });
        let base_paths = list("base-paths", &mut fields, BasePath::parse);
        if !fields.has("hosts") && !fields.has("base-paths") {
            let span = fields.span.clone();
            let mistake = Mistake::missing(span, "neither `hosts` nor `base-paths` is given");
            fields.add_mistake(
                mistake.with_help("say on which hosts or under which paths it is met"),
            );
        }
        let name_at = api.as_ref().map_or_else(|| fields.span.clone(), |api| api.span.clone());
        let base_paths_at = fields.span_of("base-paths").unwrap_or_default();
        fields.finish();
        let api = api.map(|api| api.value.to_owned());
        Some(Self {
            reach: ApiAddress { api, hosts: hosts?, base_paths: base_paths? },
            name_at,
            base_paths_at,
        })
    }
}

/// The list under `key`, each text read by itself: `None` where one is wrong, which has been told.
fn list<T>(
    key: &'static str,
    fields: &mut TableReader<'_, '_>,
    read: impl Fn(&str) -> Result<T, String>,
) -> Option<Vec<T>> {
    if !fields.has(key) {
        // The key is asked for, to be known.
        let _ = fields.strings(key);
        return Some(Vec::new());
    }
    let texts = fields.strings(key)?;
    if texts.is_empty() {
        let span = fields.span_of(key).unwrap_or_default();
        let mistake = Mistake::new(span, MessageText::own(format!("`{key}` is empty")));
        fields.add_mistake(mistake.with_help("leave it out where nothing is known"));
        return None;
    }
    let mut items = Vec::new();
    let count = texts.len();
    for WithSpan { value, span } in texts {
        match read(value) {
            Ok(item) => items.push(item),
            Err(why) => fields.add_mistake(Mistake::new(span, format!("`{value}`: {why}"))),
        }
    }
    (items.len() == count).then_some(items)
}
