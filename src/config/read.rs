//! What the readers of all tables of a configuration share.

use crate::formats::{GlobBase, GlobList};
use crate::toml_file::{MessageText, Mistake, TableReader, WithSpan};
use toml::Spanned;
use toml::de::DeValue;

/// The globs under `key`, which must be there: a string or a list of strings.
pub(super) fn glob_list(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<GlobList> {
    if !fields.has(key) {
        let span = fields.span.clone();
        let mistake = Mistake::missing(span, MessageText::own(format!("`{key}` is missing")));
        fields.add_mistake(mistake.with_help("globs, as \"captures/**\" or [\"*.har\", \"logs\"]"));
    }
    let globs = fields.one_or_more(key)?;
    some(key, &globs, fields);
    compiled(key, &globs, fields)
}

/// A list without an entry chooses nothing, which nobody means.
pub(super) fn some(key: &'static str, texts: &[WithSpan<&str>], fields: &mut TableReader<'_, '_>) {
    let is_list = fields.peek(key).is_some_and(|value| value.get_ref().is_array());
    if texts.is_empty() && is_list && !fields.peek(key).is_some_and(holds_any) {
        let span = fields.span_of(key).unwrap_or_default();
        let mistake = Mistake::new(span, MessageText::own(format!("`{key}` is empty")));
        fields.add_mistake(mistake.with_help("leave the key out, or name something"));
    }
}

/// Whether a list has entries, of whatever kind: those of a wrong kind have been told.
fn holds_any(value: &Spanned<DeValue<'_>>) -> bool {
    value.get_ref().as_array().is_some_and(|list| !list.is_empty())
}

/// A list of globs from the project's root on. The mistake names the one that is none.
pub(super) fn compiled(
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

/// The value under `key`, which is one of a few names.
pub(super) fn one_of<T: Copy>(
    key: &'static str,
    names: &[(&str, T)],
    fields: &mut TableReader<'_, '_>,
) -> Option<WithSpan<T>> {
    let text = fields.string(key)?;
    match names.iter().find(|(name, _)| *name == text.value) {
        Some((_, value)) => Some(WithSpan { value: *value, span: text.span }),
        None => {
            let known: Vec<String> = names.iter().map(|(name, _)| format!("`{name}`")).collect();
            let message = format!("`{}` is not known here", text.value);
            let help = format!("`{key}` is one of {}", known.join(", "));
            fields.add_mistake(Mistake::new(text.span, message).with_help(MessageText::own(help)));
            None
        }
    }
}
