//! The keys of a rules file and its entries: each is read and checked on its own.

use std::cell::Cell;

use super::reference::{SchemaReference, TextError, local_file};
use super::{Edit, Element, ElementPart, RuleFix, Sides, ValueTest, Version};
use sundown_exchange::Side;
use sundown_files::toml_file::{MessageText, Mistake, TableReader, WithSpan};
use sundown_selector::{Selector, path_meant_by};
use sundown_text_json::text::toml::string as toml_string;

pub(super) fn rule_id<'t>(fields: &mut TableReader<'t, '_>) -> Option<WithSpan<&'t str>> {
    let id = fields.required_string("id");
    if let Some(id) = &id
        && !is_id(id.value)
    {
        fields.refuse(
            id.span.clone(),
            format!("`{}` is not a valid id", id.value),
            "write lower-case words of letters and digits, separated by `-`: chat-citations",
        );
    }
    id
}

pub(super) fn owned(text: Option<WithSpan<&str>>) -> Option<String> {
    text.map(|text| text.value.to_owned())
}

fn is_id(text: &str) -> bool {
    text.split('-').all(|word| {
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    })
}

/// Reads the element of an entry. With a schema, the field has the name of the property, unless the entry gives a name.
pub(super) fn element(
    schema: Option<&SchemaReference>,
    fields: &mut TableReader<'_, '_>,
) -> Option<Element> {
    let field = fields.string("field");
    let mut given = Vec::from_iter(field.map(|field| Element::field(field.value)));
    given.extend((fields.string("parameter")).map(|name| Element::parameter(name.value)));
    given.extend((fields.string("header")).map(|name| Element::header(name.value)));
    given.extend((fields.string("segment")).map(|name| Element::segment(name.value)));
    let value = value_test(fields);
    let has_value = has_value_key(fields) || fields.has("values");
    let part = given.first().map(|element| &element.part);
    let complaint = if given.len() > 1 {
        "a rule is about one of `field`, `parameter`, `header` and `segment`"
    } else if has_value && part.is_none() && !fields.has("schema") {
        "a value needs the `field`, `parameter`, `header` or `segment` whose value it is"
    } else if matches!(part, Some(ElementPart::Segment(_))) && !has_value {
        "`segment` needs the deprecated values: without them, the whole operation is deprecated"
    } else if fields.has("schema")
        && part.is_some_and(|part| !matches!(part, ElementPart::Field(_)))
    {
        "`schema` is for a field; parameters, headers and segments are located by `operation` and `also`"
    } else if schema.is_none() && fields.has("schema") && part.is_none() {
        // The reference is invalid, which has been reported.
        return None;
    } else {
        let of_schema = || Some(Element::field(schema?.name()));
        let element = given.pop().or_else(of_schema);
        return Some(element.unwrap_or(Element::ENDPOINT).with_test(value));
    };
    fields.complain(fields.span.clone(), complaint);
    None
}

/// Reads what people call the operations of a rule.
pub(super) fn title(element: Option<&Element>, fields: &mut TableReader<'_, '_>) -> Option<String> {
    let title = fields.string("title")?;
    if element.is_some_and(|element| !element.is_endpoint()) {
        let message = "`title` is for whole operations: other elements have names";
        fields.complain(title.span.clone(), message);
    }
    Some(title.value.to_owned())
}

/// The keys that say which values are deprecated.
const VALUE_KEYS: [&str; 4] = ["value", "starts_with", "before", "supported_months"];

pub(super) fn has_value_key(fields: &TableReader<'_, '_>) -> bool {
    VALUE_KEYS.iter().any(|key| fields.has(key))
}

/// Reads which values are deprecated, if not all are.
pub(super) fn value_test(fields: &mut TableReader<'_, '_>) -> Option<ValueTest> {
    let given = VALUE_KEYS.iter().filter(|key| fields.has(key)).count();
    let supported = supported(fields);
    let value = fields.scalar_text("value").map(ValueTest::Exact);
    let beginning = fields
        .string("starts_with")
        .map(|text| ValueTest::StartsWith(text.value.to_owned()));
    let before = version("before", fields).map(ValueTest::Before);
    if given > 1 {
        let span = fields.span.clone();
        let message = "the deprecated values are named by one of `value`, `starts_with`, `before` and `supported_months`";
        fields.refuse(span, message, "use `values` for several");
    }
    value.or(beginning).or(before).or(supported)
}

/// Reads the tests of which one must hold in a condition.
pub(super) fn value_tests(fields: &mut TableReader<'_, '_>) -> Vec<ValueTest> {
    let values = fields.scalar_text("value").into_iter();
    let values = values.chain(fields.scalar_texts("values"));
    let mut tests: Vec<_> = values.map(ValueTest::Exact).collect();
    let beginnings = fields.one_or_more("starts_with").unwrap_or_default();
    tests.extend(
        beginnings
            .iter()
            .map(|text| ValueTest::StartsWith(text.value.to_owned())),
    );
    tests.extend(version("before", fields).map(ValueTest::Before));
    tests
}

/// Reads for how long versions work.
fn supported(fields: &mut TableReader<'_, '_>) -> Option<ValueTest> {
    let months = fields.integer("supported_months");
    let newest = version("newest", fields);
    let newest_span = fields.span_of("newest");
    let help = "the newest known version decides the form of versions: newest = \"2026-10\"";
    let Some(months) = months else {
        if let Some(span) = newest_span.filter(|_| !fields.has("supported_months")) {
            let message = "`newest` needs `supported_months`: for how long each version works";
            fields.complain(span, message);
        }
        return None;
    };
    let Some(span) = newest_span else {
        let message = "`supported_months` needs `newest`";
        fields.add_mistake(Mistake::missing(months.span, message).with_help(help));
        return None;
    };
    let number = u32::try_from(months.value)
        .ok()
        .filter(|months| (1..=1200).contains(months));
    if number.is_none() {
        let message = "`supported_months` is a number of months between 1 and 1200";
        fields.complain(months.span, message);
    }
    let newest = newest?;
    if newest.date().is_none() {
        let message = "`newest` is not a date, so the age of versions is unknown";
        fields.refuse(
            span,
            message,
            "write 2026-10 or 2026-10-01, or list the versions in `values`",
        );
        return None;
    }
    if let Some(span) = fields.span_of("removal") {
        let message =
            "`removal` contradicts `supported_months`, which gives each version its own last day";
        fields.refuse(span, message, "remove one of them");
    }
    Some(ValueTest::Supported {
        months: number?,
        newest,
    })
}

/// Reads a version that others are compared with.
fn version(key: &'static str, fields: &mut TableReader<'_, '_>) -> Option<Version> {
    let text = fields.string(key)?;
    let version = parsed(&text, Version::read, fields)?.value;
    if !version.has_older() {
        let message = MessageText::own(format!("no version is before `{version}`"));
        let help = "write the first version that still works";
        fields.add_mistake(Mistake::doubt(text.span, message).with_help(help));
    }
    Some(version)
}

/// Reads the path of the description by which operations are distinguished and schemas located.
pub(super) fn description(fields: &mut TableReader<'_, '_>) -> Option<WithSpan<String>> {
    let path = fields.string("description")?;
    parsed(&path, local_file, fields)
}

/// Reads the reference that locates a field in a description, and reports the keys that cannot be combined with it.
pub(super) fn schema(fields: &mut TableReader<'_, '_>) -> Option<WithSpan<SchemaReference>> {
    let text = fields.string("schema")?;
    for (key, help) in [
        (
            "at",
            "remove `at`; for places outside the schema, use `also`",
        ),
        (
            "except",
            "point `schema` to a property that is always deprecated, or use `operation` and `at` instead",
        ),
    ] {
        if let Some(span) = fields.span_of(key) {
            let message =
                format!("`{key}` only works with selectors; this field is located by `schema`");
            fields.refuse(span, MessageText::own(message), help);
        }
    }
    parsed(&text, SchemaReference::parse, fields)
}

/// Parses a text, and reports what is wrong with it.
fn parsed<T>(
    text: &WithSpan<&str>,
    parse: impl Fn(&str) -> Result<T, TextError>,
    fields: &mut TableReader<'_, '_>,
) -> Option<WithSpan<T>> {
    let span = text.span.clone();
    let parsed = parse(text.value).map_err(|error| {
        let message = format!("`{}` {}", text.value, error.message);
        Mistake::new(span.clone(), message).with_help(error.help)
    });
    let value = fields.accept(parsed)?;
    Some(WithSpan { value, span })
}

pub(super) fn sides(element: Option<&Element>, fields: &mut TableReader<'_, '_>) -> Option<Sides> {
    let names = fields.strings("sides")?;
    if let (
        Some(first),
        Some(ElementPart::Endpoint | ElementPart::Parameter(_) | ElementPart::Segment(_)),
    ) = (names.first(), element.map(|element| &element.part))
    {
        let message = "`sides` is for fields and headers: an endpoint has no sides, and parameters and segments are always in the request";
        fields.complain(first.span.clone(), message);
    }
    let mut found = Vec::new();
    for name in &names {
        match Side::from_name(name.value) {
            Some(side) => found.push(side),
            None => {
                fields.refuse(
                    name.span.clone(),
                    format!("`{}` is not a side", name.value),
                    "the sides are \"request\" and \"response\"",
                );
            }
        }
    }
    match *found.as_slice() {
        [] => {
            if names.is_empty() {
                let message = "`sides` is empty, so the rule can never match";
                fields.complain(fields.span.clone(), message);
            }
            None
        }
        [first, ..] if found.iter().all(|side| *side == first) => Some(Sides::Only(first)),
        [..] => Some(Sides::Both),
    }
}

/// Reads the selectors under `key`, each of which must end with the field of the rule.
pub(super) fn selectors(
    key: &'static str,
    element: Option<&Element>,
    regexes: &RegexCount,
    fields: &mut TableReader<'_, '_>,
) -> Option<WithSpan<Vec<Selector>>> {
    let texts = fields.strings(key)?;
    let span = texts
        .first()
        .map_or_else(|| fields.span.clone(), |first| first.span.clone());
    let name = match element.map(Element::field_name) {
        Some(Some(name)) => Some(name),
        Some(None) => {
            fields.complain(
                span.clone(),
                MessageText::own(format!("`{key}` is for a `field`, and this rule has none")),
            );
            return None;
        }
        None => None,
    };
    if texts.is_empty() {
        fields.complain(
            span.clone(),
            MessageText::own(format!("`{key}` is empty, so the rule can never match")),
        );
    }
    let mut selectors = Vec::new();
    for text in &texts {
        let Some(selector) = regexes.selector(text, fields) else {
            continue;
        };
        if let Some(name) = name
            && selector.last_names().is_none_or(|names| names != [name])
        {
            fields.refuse(
                text.span.clone(),
                format!("`{}` does not end with the field `{name}`", text.value),
                match path_meant_by(name) {
                    Some((_, last)) => format!("write field = {}", toml_string(&last)),
                    None => format!(
                        "the last step of each selector must be the field's name: $.….{name}"
                    ),
                },
            );
        }
        selectors.push(selector);
    }
    Some(WithSpan {
        value: selectors,
        span,
    })
}

pub(super) fn default_selectors(element: Option<&Element>) -> Vec<Selector> {
    element
        .and_then(Element::field_name)
        .map(Selector::anywhere)
        .into_iter()
        .collect()
}

/// The maximum number of regular expressions in the filters of a file. Each may take a mebibyte.
const MAX_REGEXES: usize = 64;

/// Counts the regular expressions of a file.
#[derive(Default)]
pub(super) struct RegexCount(Cell<usize>);

impl RegexCount {
    /// Reads a selector, if the file may have so many expressions; else, the first excess is a mistake.
    pub(super) fn selector(
        &self,
        text: &WithSpan<&str>,
        fields: &mut TableReader<'_, '_>,
    ) -> Option<Selector> {
        let before = self.0.get();
        if before > MAX_REGEXES {
            return None;
        }
        let selector = selector(text, fields)?;
        self.0.set(before + selector.regexes());
        if self.0.get() > MAX_REGEXES {
            let message = format!(
                "the filters of this file have more than {MAX_REGEXES} regular expressions"
            );
            fields.refuse(
                text.span.clone(),
                MessageText::own(message),
                "join those of one place with `|`, or split the file",
            );
            return None;
        }
        Some(selector)
    }
}

pub(super) fn selector(
    text: &WithSpan<&str>,
    fields: &mut TableReader<'_, '_>,
) -> Option<Selector> {
    fields.accept(Selector::parse(text.value).map_err(|error| {
        let mistake = Mistake::new(text.span.clone(), error.message);
        match (path_meant_by(text.value), error.help) {
            (Some((path, _)), _) => mistake.with_help(format!("write {path}")),
            (None, Some(help)) => mistake.with_help(help),
            (None, None) => mistake,
        }
    }))
}

pub(super) fn exceptions(
    element: Option<&Element>,
    regexes: &RegexCount,
    fields: &mut TableReader<'_, '_>,
) -> Vec<Selector> {
    let texts = fields.strings("except").unwrap_or_default();
    if let (Some(first), Some(element)) = (texts.first(), element)
        && element.field_name().is_none()
    {
        fields.complain(
            first.span.clone(),
            "`except` is for a `field`, and this rule has none",
        );
    }
    texts
        .iter()
        .filter_map(|text| regexes.selector(text, fields))
        .collect()
}

/// Reads the key `fix` of an entry about this element. Without `safe`, the fix is not safe.
pub(super) fn fix(element: Option<&Element>, fields: &mut TableReader<'_, '_>) -> Option<RuleFix> {
    let table = fields.table("fix")?;
    let span = table.span.clone();
    let mut inner = fields.inner(table);
    let rename = inner
        .string("rename")
        .map(|name| Edit::Rename(name.value.to_owned()));
    let set = inner.scalar_text("set").map(Edit::Set);
    let remove = inner.boolean("remove").filter(|remove| remove.value);
    let given = [rename, set, remove.map(|_| Edit::Remove)];
    let safe = inner.boolean("safe").is_some_and(|safe| safe.value);
    let mut given = given.into_iter().flatten();
    let edit = given.next();
    let complaint = match (&edit, given.next()) {
        (Some(edit), None) => element.and_then(|element| complaint(edit, element)),
        _ => Some("a fix is one of `rename`, `set` and `remove`"),
    };
    inner.finish();
    let Some(complaint) = complaint else {
        return edit.map(|edit| RuleFix { edit, safe });
    };
    let help = "write, for example, { rename = \"newName\", safe = true }";
    fields.refuse(span, complaint, help);
    None
}

/// Why an edit cannot be applied to this element; `None` if it can.
fn complaint(edit: &Edit, element: &Element) -> Option<&'static str> {
    match edit {
        Edit::Rename(new) if Some(new.as_str()) == element.name() => {
            Some("the new name is the old one")
        }
        Edit::Rename(new) if new.is_empty() => Some("the new name is empty"),
        Edit::Rename(_)
            if element.value.is_some()
                || !matches!(
                    element.part,
                    ElementPart::Field(_) | ElementPart::Parameter(_)
                ) =>
        {
            Some("`rename` is for a field or a parameter that is deprecated with all its values")
        }
        Edit::Set(_) if element.value.is_none() => {
            Some("`set` is for a rule about values, and this one names none")
        }
        Edit::Remove if element.field_name().is_none() => Some("`remove` is for a field"),
        _ => None,
    }
}
