//! Readers of values that several tables of a configuration share.

use crate::formats::{GlobBase, GlobList};
use crate::text::quote_list;
use crate::toml_file::{MessageText, Mistake, TableReader, WithSpan};

/// Reads the list of strings under `key`, none of which may be empty.
pub(super) fn read_texts(
    key: &'static str,
    fields: &mut TableReader<'_, '_>,
) -> Option<WithSpan<Vec<String>>> {
    let texts = fields.strings(key)?;
    let span = fields.span_of(key)?;
    for text in texts.iter().filter(|text| text.value.trim().is_empty()) {
        let message = MessageText::own(format!("`{key}` has an empty entry"));
        let mistake = Mistake::new(text.span.clone(), message);
        fields.add_mistake(mistake.with_help("remove it"));
    }
    Some(WithSpan { value: texts.iter().map(|text| text.value.to_owned()).collect(), span })
}

/// Reads the globs under `key`, which is required: a string or a list of strings.
pub(super) fn read_glob_list(
    key: &'static str,
    fields: &mut TableReader<'_, '_>,
) -> Option<GlobList> {
    if !fields.has(key) {
        let span = fields.span.clone();
        let mistake = Mistake::missing(span, MessageText::own(format!("`{key}` is missing")));
        fields
            .add_mistake(mistake.with_help("give globs: \"captures/**\" or [\"*.har\", \"logs\"]"));
    }
    let globs = fields.one_or_more(key)?;
    refuse_empty_list(key, fields);
    compile_globs(key, &globs, fields)
}

/// Refuses a list without entries under `key`: it would select nothing.
pub(super) fn refuse_empty_list(key: &'static str, fields: &mut TableReader<'_, '_>) {
    let Some(value) = fields.peek(key) else { return };
    if value.get_ref().as_array().is_some_and(|list| list.is_empty()) {
        let mistake = Mistake::new(value.span(), MessageText::own(format!("`{key}` is empty")));
        fields.add_mistake(mistake.with_help("omit the key, or add an entry"));
    }
}

/// Compiles globs that are relative to the root of the project. Every invalid glob is a mistake.
pub(super) fn compile_globs(
    key: &'static str,
    globs: &[WithSpan<&str>],
    fields: &mut TableReader<'_, '_>,
) -> Option<GlobList> {
    let mut all = true;
    for glob in globs {
        if let Err(error) = GlobList::new(&[glob.value], GlobBase::Root) {
            all = false;
            let mistake = Mistake::new(glob.span.clone(), format!("`{key}`: {error}"));
            fields.add_mistake(mistake.with_help("globs look like *.har or captures/**"));
        }
    }
    let texts: Vec<&str> = globs.iter().map(|glob| glob.value).collect();
    GlobList::new(&texts, GlobBase::Root).ok().filter(|_| all)
}

/// Reads the value under `key`, which is one of these names.
pub(super) fn read_one_of<T: Copy>(
    key: &'static str,
    names: &[(&str, T)],
    fields: &mut TableReader<'_, '_>,
) -> Option<WithSpan<T>> {
    let text = fields.string(key)?;
    match names.iter().find(|(name, _)| *name == text.value) {
        Some((_, value)) => Some(WithSpan { value: *value, span: text.span }),
        None => {
            let known = quote_list(names.iter().map(|(name, _)| name));
            let message = format!("`{}` is not known here", text.value);
            let help = format!("`{key}` is one of {known}");
            fields.add_mistake(Mistake::new(text.span, message).with_help(MessageText::own(help)));
            None
        }
    }
}
