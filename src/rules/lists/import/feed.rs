//! Feeds about the ends of models: deprecations.info (JSON, JSON Feed and RSS), model-eol/0.1, and endoflife.date (v0 and v1).
//!
//! A feed names a provider and an id, but no operation. The operations are those of the table about the provider in the pack
//! `llm-models`. A rules file is bound to hosts, so one import is about one provider.

use std::borrow::Cow;
use std::sync::Arc;

use super::collector::{EntryCells, ListCell, ListCollector};
use super::ending_rows::ending_rows;
use super::feed_row::FeedRow;
use super::model_place::ModelPlace;
use super::{ImportedEntry, ImportedService, ListFormat, rss};
use crate::json::{
    DEFAULT_MAX_DEPTH, Document, DocumentFormat, DocumentLimits, ValueKind, ValueRef,
};
use crate::rules::{Pack, RuleFile};
use crate::text::quote_list;
use crate::toml_file::{MessageText, WithSpan};

/// The names that feeds give to providers, and the APIs of the pack. An API is known by its own name, too.
const PROVIDERS: [(&str, &str); 8] = [
    ("Google", "Gemini API"),
    ("Google Vertex", "Vertex AI"),
    ("AWS Bedrock", "Amazon Bedrock"),
    ("Azure", "Azure OpenAI"),
    ("openai", "OpenAI"),
    ("anthropic", "Anthropic"),
    ("claude", "Anthropic"),
    ("google", "Gemini API"),
];

/// The pack with the operations of the providers.
const PACK: &str = "llm-models";

/// The operations of a provider, and the rows about it in a feed.
pub(super) struct ProviderTable {
    file: RuleFile,
    places: Vec<ModelPlace>,
}

/// Recognises a feed by its first members.
pub(super) fn recognise(text: &str) -> Option<ListFormat> {
    let start: String = text.chars().filter(|c| !c.is_whitespace()).take(4_096).collect();
    let has = |key: &str| start.contains(key);
    if has("\"spec\":\"model-eol/") {
        Some(ListFormat::ModelEol)
    } else if has("\"model_id\":") && (has("\"shutdown_date\":") || has("jsonfeed.org/version")) {
        Some(ListFormat::DeprecationsInfo)
    } else if start.starts_with('[') && has("\"cycle\":") && has("\"eol\":")
        || has("\"schema_version\":") && has("\"result\":") && has("\"releases\":")
    {
        Some(ListFormat::EndOfLife)
    } else {
        None
    }
}

/// Reads the rows about one provider; without a name, the feed must be about one alone.
pub(super) fn read(
    format: ListFormat,
    text: &str,
    provider: Option<&str>,
    collector: &mut ListCollector,
) -> Option<ProviderTable> {
    if rss::is_feed(text) {
        let rows = rss::read(text, collector)?;
        return read_rows(rows, provider, collector);
    }
    let limits = DocumentLimits { depth: DEFAULT_MAX_DEPTH, ..DocumentLimits::default() };
    let document = match Document::parse_within(text, DocumentFormat::Json, limits) {
        Ok(document) => document,
        Err(error) => {
            let message = MessageText::own(format!("not JSON: {error}"));
            collector.add_mistake(0..0, message, "check that the file is complete");
            return None;
        }
    };
    let rows = match format {
        ListFormat::ModelEol => model_eol(document.root()),
        ListFormat::EndOfLife => end_of_life(document.root()),
        _ => deprecations_info(document.root()),
    };
    read_rows(rows, provider, collector)
}

fn read_rows(
    rows: Vec<FeedRow<'_>>,
    provider: Option<&str>,
    collector: &mut ListCollector,
) -> Option<ProviderTable> {
    collector.mark_as_list();
    let table = ProviderTable::find(&rows, provider, collector)?;
    table.add(rows, collector);
    Some(table)
}

fn deprecations_info(root: ValueRef<'_>) -> Vec<FeedRow<'_>> {
    let list = ["items", "data"].iter().find_map(|name| member(root, name)).unwrap_or(root);
    list.children().filter_map(deprecation_row).collect()
}

fn deprecation_row(item: ValueRef<'_>) -> Option<FeedRow<'_>> {
    let facts = member(item, "_deprecation").unwrap_or(item);
    let row = FeedRow {
        provider: text(facts, "provider")?.value,
        start: item.span().start,
        id: text(facts, "model_id")?,
        is_alias: false,
        introduced: text(facts, "deprecation_date"),
        removal: text(facts, "shutdown_date"),
        replacement: member(facts, "replacement_models").and_then(joined),
        docs: text(item, "url"),
        is_not_before: false,
    };
    Some(row.without_repeated_date())
}

fn model_eol(root: ValueRef<'_>) -> Vec<FeedRow<'_>> {
    let publisher = text(root, "publisher").map(|cell| cell.value).unwrap_or_default();
    let mut rows = Vec::new();
    for model in member(root, "models").into_iter().flat_map(ValueRef::children) {
        let aliases = member(model, "aliases").into_iter().flat_map(ValueRef::children);
        let ids = text(model, "id").into_iter().map(|id| (id, false));
        let ids = ids.chain(aliases.filter_map(cell).map(|alias| (alias, true)));
        let precision = text(model, "date_precision");
        rows.extend(ids.map(|(id, is_alias)| FeedRow {
            provider: publisher.clone(),
            start: model.span().start,
            id,
            is_alias,
            introduced: text(model, "announced"),
            removal: text(model, "shutdown"),
            replacement: text(model, "replacement"),
            docs: text(model, "source"),
            is_not_before: precision.as_ref().is_some_and(|precision| precision.value != "exact"),
        }));
    }
    rows
}

fn end_of_life(root: ValueRef<'_>) -> Vec<FeedRow<'_>> {
    let product = member(root, "result");
    let name = product.and_then(|product| text(product, "name")).map(|cell| cell.value);
    let list = product.and_then(|product| member(product, "releases")).unwrap_or(root);
    let name = name.unwrap_or_default();
    list.children().filter_map(|release| release_row(release, &name)).collect()
}

fn release_row<'t>(release: ValueRef<'t>, product: &Cow<'t, str>) -> Option<FeedRow<'t>> {
    let active_until = text(release, "eoasFrom").or_else(|| text(release, "support"));
    let replacement = text(release, "recommendedReplacement")
        .or_else(|| text(member(release, "custom")?, "recommendedReplacement"));
    Some(FeedRow {
        provider: product.clone(),
        start: release.span().start,
        id: text(release, "cycle").or_else(|| text(release, "name"))?,
        is_alias: false,
        // The end of active support is the day of the announcement. Without it, the end is only a promise.
        is_not_before: active_until.is_none(),
        introduced: active_until,
        removal: text(release, "eolFrom").or_else(|| text(release, "eol")),
        replacement: replacement.filter(|replacement| replacement.value != "N/A"),
        docs: None,
    })
}

impl ProviderTable {
    /// Finds the operations of the provider with this name, or of the only one in the feed.
    fn find(
        rows: &[FeedRow<'_>],
        provider: Option<&str>,
        collector: &mut ListCollector,
    ) -> Option<Self> {
        let files = Pack::named(PACK).and_then(|pack| pack.load().ok()).unwrap_or_default();
        let mut named: Vec<&str> = rows.iter().map(|row| &*row.provider).collect();
        named.sort_unstable();
        named.dedup();
        let wanted = match (provider, named.as_slice()) {
            (Some(provider), _) => provider,
            (None, [only]) if !only.is_empty() => only,
            (None, _) => {
                let message = if named.iter().all(|name| name.is_empty()) {
                    "the feed does not name the provider".to_owned()
                } else {
                    format!("the feed is about several providers: {}", quote_list(&named))
                };
                let help = "name one with --provider: a rules file is bound to its hosts";
                collector.add_mistake(0..0, message, help);
                return None;
            }
        };
        let api = api_of(wanted);
        let known: Vec<String> = files.iter().map(|file| file.api.clone()).collect();
        let file = files.into_iter().find(|file| file.api.eq_ignore_ascii_case(api));
        if file.is_none() {
            let help = format!("the operations of these are known: {}", quote_list(&known));
            let message = format!("the operations of `{wanted}` are not known");
            collector.add_mistake(0..0, message, MessageText::own(help));
        }
        file.map(|file| Self { places: ModelPlace::all(&file), file })
    }

    /// The API of the provider and its hosts.
    pub(super) fn service(&self) -> ImportedService {
        let hosts = self.file.hosts.iter().map(ToString::to_string).collect();
        ImportedService { api: self.file.api.clone(), hosts }
    }

    /// Adds an entry for each id that ends on a day, and each kind of place.
    fn add(&self, rows: Vec<FeedRow<'_>>, collector: &mut ListCollector) {
        let api = self.file.api.as_str();
        let is_own = |row: &FeedRow<'_>| {
            row.provider.is_empty() || api_of(&row.provider).eq_ignore_ascii_case(api)
        };
        let count = rows.len();
        let own: Vec<_> = rows.into_iter().filter(is_own).collect();
        let others = count - own.len();
        let own = own.into_iter().map(|row| self.with_bare_id(row)).collect();
        for row in ending_rows(own, others, collector) {
            self.add_row(&row, collector);
        }
    }

    /// The row with the id alone: a feed may have a prefix of some places before it.
    fn with_bare_id<'t>(&self, mut row: FeedRow<'t>) -> FeedRow<'t> {
        let id = self.places.iter().find_map(|place| place.without_prefix(&row.id.value));
        if let Some(id) = id.map(str::to_owned) {
            row.id.value = id.into();
        }
        row
    }

    /// Adds an entry for each kind of place, and each way in which it has the id.
    fn add_row(&self, row: &FeedRow<'_>, collector: &mut ListCollector) {
        let span = row.start..row.start + 1;
        let own = |value: &str| WithSpan { value: value.to_owned().into(), span: span.clone() };
        for place in &self.places {
            let Some(operation) = place.operation() else { continue };
            let Some((kind, name)) = place.kind_and_name() else { continue };
            for spelling in place.spellings(&row.id.value) {
                collector.add_entry(&EntryCells {
                    span: span.clone(),
                    id: None,
                    operation: Some(own(&operation.to_string())),
                    kind: Some(own(kind)),
                    name: Some(own(name)),
                    value: Some(WithSpan { value: spelling.into(), span: row.id.span.clone() }),
                    replacement: row.replacement.clone(),
                    note: None,
                    introduced: row.introduced.clone(),
                    removal: row.removal.clone(),
                    docs: row.docs.clone(),
                });
            }
        }
    }

    /// Adds the places of the elements, which the feed does not name.
    pub(super) fn locate(&self, entries: &mut [ImportedEntry]) {
        for entry in entries {
            let place = self.places.iter().find(|place| place.is_place_of(&entry.announcement));
            entry.places = place.map_or_else(Arc::default, |place| Arc::clone(&place.operations));
        }
    }
}

/// The name of the API that a feed calls by this name.
fn api_of(provider: &str) -> &str {
    let known = PROVIDERS.iter().find(|(name, _)| *name == provider);
    known.map_or(provider, |(_, api)| api)
}

fn member<'t>(value: ValueRef<'t>, name: &str) -> Option<ValueRef<'t>> {
    value.children().find(|member| member.key() == Some(name))
}

/// A text that is not empty.
fn cell(value: ValueRef<'_>) -> Option<ListCell<'_>> {
    let text = value.as_str().filter(|text| !text.trim().is_empty())?;
    Some(WithSpan { value: text.into(), span: value.span().into() })
}

fn text<'t>(value: ValueRef<'t>, name: &str) -> Option<ListCell<'t>> {
    cell(member(value, name)?)
}

/// The ids of a list, if all its texts are ids.
fn joined(list: ValueRef<'_>) -> Option<ListCell<'_>> {
    if list.kind() != ValueKind::Array {
        return None;
    }
    let ids: Option<Vec<&str>> = list.children().map(ValueRef::as_str).collect();
    let ids = ids
        .filter(|ids| !ids.is_empty() && ids.iter().all(|id| !id.contains(char::is_whitespace)))?;
    Some(WithSpan { value: ids.join(" or ").into(), span: list.span().into() })
}
