//! Readers of values that several tables of a configuration share.

use toml::de::DeValue;

use sundown_files::toml_file::{MessageText, TableReader, WithSpan};
use sundown_files::{GlobBase, GlobError, GlobList, MAX_GLOBS_WEIGHT, weight_of_glob};
use sundown_text_json::text::quote_list;

/// Reads the list of strings under `key`, none of which may be empty.
pub(super) fn read_texts(
    key: &'static str,
    fields: &TableReader<'_>,
) -> Option<WithSpan<Vec<String>>> {
    let texts = fields.strings(key)?;
    let span = fields.span_of(key)?;
    for text in texts.iter().filter(|text| text.value.trim().is_empty()) {
        let message = MessageText::own(format!("`{key}` has an empty entry"));
        fields.refuse(text.span.clone(), message, "remove it");
    }
    Some(WithSpan {
        value: texts.iter().map(|text| text.value.to_owned()).collect(),
        span,
    })
}

/// Reads the globs under `key`, which is required: a string or a list of strings.
pub(super) fn read_glob_list(key: &'static str, fields: &TableReader<'_>) -> Option<GlobList> {
    if !fields.has(key) {
        fields.refuse_incomplete(
            MessageText::own(format!("`{key}` is missing")),
            "give globs: \"captures/**\" or [\"*.har\", \"logs\"]",
        );
    }
    let globs = fields.one_or_more(key)?;
    refuse_empty_list(key, fields);
    compile_globs(key, &globs, fields)
}

/// Refuses a list without entries under `key`: it would select nothing.
pub(super) fn refuse_empty_list(key: &'static str, fields: &TableReader<'_>) {
    if let Some(value) = fields.peek(key)
        && value
            .get_ref()
            .as_array()
            .is_some_and(|list| list.is_empty())
    {
        let message = MessageText::own(format!("`{key}` is empty"));
        fields.refuse(value.span(), message, "omit the key, or add an entry");
    }
}

/// Whether the globs of all keys together are few enough to compile; else, this is a mistake.
pub(super) fn check_all_globs(fields: &TableReader<'_>) -> bool {
    let tables = ["allow", "payload", "log"].into_iter();
    let tables = tables
        .filter_map(|key| fields.peek(key)?.get_ref().as_array())
        .flatten()
        .filter_map(|table| table.get_ref().as_table()?.get("files"));
    let mut lists = ["include", "exclude"]
        .into_iter()
        .filter_map(|key| fields.peek(key))
        .chain(tables);
    let mut weight = 0;
    let last = lists.find(|list| {
        weight += weight_of_globs(list.get_ref());
        weight > MAX_GLOBS_WEIGHT
    });
    let Some(last) = last else { return true };
    fields.refuse(
        last.span().start..last.span().start,
        MessageText::own(GlobError::TooMany.to_string()),
        "name a folder in place of its files, or use wildcards",
    );
    false
}

fn weight_of_globs(globs: &DeValue<'_>) -> usize {
    match globs {
        DeValue::String(glob) => weight_of_glob(glob),
        DeValue::Array(globs) => globs
            .iter()
            .filter_map(|glob| glob.get_ref().as_str())
            .map(weight_of_glob)
            .sum(),
        _ => 0,
    }
}

/// Compiles globs that are relative to the root of the project. Every invalid glob is a mistake.
pub(super) fn compile_globs(
    key: &'static str,
    globs: &[WithSpan<&str>],
    fields: &TableReader<'_>,
) -> Option<GlobList> {
    let mut all = true;
    for glob in globs {
        if let Err(error) = GlobList::new(&[glob.value], GlobBase::Root) {
            all = false;
            let message = format!("`{key}`: {error}");
            fields.refuse(
                glob.span.clone(),
                message,
                "globs look like *.har or captures/**",
            );
        }
    }
    let texts: Vec<&str> = globs.iter().map(|glob| glob.value).collect();
    GlobList::new(&texts, GlobBase::Root).ok().filter(|_| all)
}

/// Reads the value under `key`, which is one of these names.
pub(super) fn read_one_of(
    key: &'static str,
    names: &[&str],
    fields: &TableReader<'_>,
) -> Option<WithSpan<String>> {
    let text = fields.string(key)?;
    if names.contains(&text.value) {
        return Some(text.map(str::to_owned));
    }
    let known = quote_list(names);
    let message = format!("`{}` is not known here", text.value);
    let help = format!("`{key}` is one of {known}");
    fields.refuse(text.span, message, MessageText::own(help));
    None
}
