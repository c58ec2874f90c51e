//! `[[api]]`: the hosts and base paths under which traffic calls an API.

use sundown_exchange::HostPattern;
use sundown_files::toml_file::{MessageText, TableReader, WithSpan};
use sundown_lint::rules::{ApiAddress, BasePath};

/// The hosts and base paths of an API, or of all APIs.
#[derive(Debug)]
pub struct Api {
    /// The hosts and base paths.
    pub reach: ApiAddress,
    /// The span of the name of the API, or the start of the table.
    pub name_at: std::ops::Range<usize>,
    /// The span of its base paths.
    pub base_paths_at: std::ops::Range<usize>,
}

impl Api {
    /// Reads one table.
    pub(super) fn read(fields: TableReader<'_>) -> Option<Self> {
        let api = fields.string("api");
        let hosts = read_list("hosts", &fields, |text| {
            HostPattern::parse(text).map_err(str::to_owned)
        });
        let base_paths = read_list("base-paths", &fields, BasePath::parse);
        if !fields.has("hosts") && !fields.has("base-paths") {
            fields.refuse_incomplete(
                "neither `hosts` nor `base-paths` is given",
                "give its hosts or its base paths",
            );
        }
        let name_at = api
            .as_ref()
            .map_or_else(|| fields.span.clone(), |api| api.span.clone());
        let base_paths_at = fields.span_of("base-paths").unwrap_or_default();
        fields.finish();
        let api = api.map(|api| api.value.to_owned());
        Some(Self {
            reach: ApiAddress {
                api,
                hosts: hosts?,
                base_paths: base_paths?,
            },
            name_at,
            base_paths_at,
        })
    }
}

/// Parses each entry of the list under `key`; `None` if one is invalid, which is noted as a mistake.
fn read_list<T>(
    key: &'static str,
    fields: &TableReader<'_>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Option<Vec<T>> {
    if !fields.has(key) {
        // Asking for the key makes it a known key.
        let _ = fields.strings(key);
        return Some(Vec::new());
    }
    let texts = fields.strings(key)?;
    if texts.is_empty() {
        let span = fields.span_of(key).unwrap_or_default();
        let message = MessageText::own(format!("`{key}` is empty"));
        fields.refuse(span, message, "omit it if nothing is known");
        return None;
    }
    let mut items = Vec::new();
    let count = texts.len();
    for WithSpan { value, span } in texts {
        match parse(value) {
            Ok(item) => items.push(item),
            Err(why) => fields.complain(span, format!("`{value}`: {why}")),
        }
    }
    (items.len() == count).then_some(items)
}
