//! The keys of a rules file and its entries: each is read and checked on its own.

use super::reference::{SchemaReference, TextError, local_file};
use super::{
    ConditionMember, Edit, Element, ElementPart, MemberCondition, RuleFix, Sides, ValueTest,
    Version,
};
use sundown_exchange::Side;
use sundown_files::toml_file::{MessageText, Mistake, TableReader, WithSpan};
use sundown_selector::automaton::SegmentTest;
use sundown_selector::{Selector, path_meant_by};
use sundown_text_json::text::toml::string as toml_string;

pub(super) fn rule_id<'t>(fields: &TableReader<'t>) -> Option<WithSpan<&'t str>> {
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

fn is_id(text: &str) -> bool {
    let mut words = text.split('-');
    words.all(|word| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

/// Reads the element of an entry. With a schema, the field has the name of the property, unless the entry gives a name.
pub(super) fn element(
    schema: Option<&SchemaReference>,
    fields: &TableReader<'_>,
) -> Option<Element> {
    let given = [
        fields.text("field").map(Element::field),
        fields.text("parameter").map(Element::parameter),
        fields.text("header").map(Element::header),
        fields.text("segment").map(Element::segment),
    ];
    let mut given: Vec<_> = given.into_iter().flatten().collect();
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
        let element = given.pop().or_else(|| Some(Element::field(schema?.name())));
        return Some(element.unwrap_or(Element::ENDPOINT).with_test(value));
    };
    fields.complain(fields.span.clone(), complaint);
    None
}

/// Reads what people call the operations of a rule.
pub(super) fn title(element: Option<&Element>, fields: &TableReader<'_>) -> Option<String> {
    let title = fields.string("title")?;
    if element.is_some_and(|element| !element.is_endpoint()) {
        let message = "`title` is for whole operations: other elements have names";
        fields.complain(title.span.clone(), message);
    }
    Some(title.value.to_owned())
}

/// The keys that say which values are deprecated.
const VALUE_KEYS: [&str; 4] = ["value", "starts_with", "before", "supported_months"];

pub(super) fn has_value_key(fields: &TableReader<'_>) -> bool {
    VALUE_KEYS.iter().any(|key| fields.has(key))
}

/// Reads which values are deprecated, if not all are.
pub(super) fn value_test(fields: &TableReader<'_>) -> Option<ValueTest> {
    let given = VALUE_KEYS.iter().filter(|key| fields.has(key)).count();
    let supported = supported(fields);
    let value = fields.scalar_text("value").map(ValueTest::Exact);
    let beginning = fields.text("starts_with").map(ValueTest::StartsWith);
    let before = version("before", fields).map(ValueTest::Before);
    if given > 1 {
        let span = fields.span.clone();
        let message = "the deprecated values are named by one of `value`, `starts_with`, `before` and `supported_months`";
        fields.refuse(span, message, "use `values` for several");
    }
    value.or(beginning).or(before).or(supported)
}

/// Reads the tests of which one must hold in a condition.
fn value_tests(fields: &TableReader<'_>) -> Vec<ValueTest> {
    let values = fields.scalar_text("value").into_iter();
    let values = values.chain(fields.scalar_texts("values"));
    let values = values.map(ValueTest::Exact);
    let beginnings = fields.one_or_more("starts_with").unwrap_or_default();
    let beginnings = beginnings.into_iter().map(|text| text.value.to_owned());
    let before = version("before", fields).map(ValueTest::Before);
    let tests = values.chain(beginnings.map(ValueTest::StartsWith));
    tests.chain(before).collect()
}

/// Reads for how long versions work.
fn supported(fields: &TableReader<'_>) -> Option<ValueTest> {
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
fn version(key: &'static str, fields: &TableReader<'_>) -> Option<Version> {
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
pub(super) fn description(fields: &TableReader<'_>) -> Option<WithSpan<String>> {
    let path = fields.string("description")?;
    parsed(&path, local_file, fields)
}

/// Reads the reference that locates a field in a description, and reports the keys that cannot be combined with it.
pub(super) fn schema(fields: &TableReader<'_>) -> Option<WithSpan<SchemaReference>> {
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
    fields: &TableReader<'_>,
) -> Option<WithSpan<T>> {
    let span = text.span.clone();
    let parsed = parse(text.value).map_err(|error| {
        let message = format!("`{}` {}", text.value, error.message);
        Mistake::new(span.clone(), message).with_help(error.help)
    });
    let value = fields.accept(parsed)?;
    Some(WithSpan { value, span })
}

pub(super) fn sides(element: Option<&Element>, fields: &TableReader<'_>) -> Option<Sides> {
    let names = fields.strings("sides")?;
    if let (
        Some(first),
        Some(ElementPart::Endpoint | ElementPart::Parameter(_) | ElementPart::Segment(_)),
    ) = (names.first(), element.map(|element| &element.part))
    {
        let message = "`sides` is for fields and headers: an endpoint has no sides, and parameters and segments are always in the request";
        fields.complain(first.span.clone(), message);
    }
    if names.is_empty() {
        let message = "`sides` is empty, so the rule can never match";
        fields.complain(fields.span.clone(), message);
    }
    let sides = names.into_iter().filter_map(|WithSpan { value, span }| {
        let side = Side::from_name(value);
        if side.is_none() {
            let help = "the sides are \"request\" and \"response\"";
            fields.refuse(span, format!("`{value}` is not a side"), help);
        }
        side.map(Sides::Only)
    });
    sides.reduce(|one, other| if one == other { one } else { Sides::Both })
}

/// Reads the selectors under `at`, each of which must end with the field of the rule.
pub(super) fn selectors(
    element: Option<&Element>,
    regexes: &mut RegexCount,
    fields: &TableReader<'_>,
) -> Option<WithSpan<Vec<Selector>>> {
    let texts = fields.strings("at")?;
    let first = texts.first().map(|first| first.span.clone());
    let span = first.unwrap_or_else(|| fields.span.clone());
    let name = element.and_then(Element::field_name);
    if element.is_some() && name.is_none() {
        fields.complain(span, "`at` is for a `field`, and this rule has none");
        return None;
    }
    if texts.is_empty() {
        let message = "`at` is empty, so the rule can never match";
        fields.complain(span.clone(), message);
    }
    let mut selectors = Vec::new();
    for text in &texts {
        let Some(selector) = regexes.selector(text, fields) else {
            continue;
        };
        if let Some(name) = name
            && selector.last_names().is_none_or(|names| names != [name])
        {
            let message = format!("`{}` does not end with the field `{name}`", text.value);
            let help = match path_meant_by(name) {
                Some((_, last)) => format!("write field = {}", toml_string(&last)),
                None => {
                    format!("the last step of each selector must be the field's name: $.….{name}")
                }
            };
            fields.refuse(text.span.clone(), message, help);
        }
        selectors.push(selector);
    }
    Some(WithSpan {
        value: selectors,
        span,
    })
}

pub(super) fn default_selectors(element: Option<&Element>) -> Vec<Selector> {
    let name = element.and_then(Element::field_name);
    name.map(Selector::anywhere).into_iter().collect()
}

/// The maximum number of regular expressions in the filters of a file. Each may take a mebibyte.
const MAX_REGEXES: usize = 64;

/// Counts the regular expressions of a file.
#[derive(Default)]
pub(super) struct RegexCount(usize);

impl RegexCount {
    /// Reads selectors, as long as the file may have so many expressions; the first excess is a mistake.
    pub(super) fn selectors(
        &mut self,
        texts: &[WithSpan<&str>],
        fields: &TableReader<'_>,
    ) -> Vec<Selector> {
        let selectors = texts.iter().filter_map(|text| self.selector(text, fields));
        selectors.collect()
    }

    fn selector(&mut self, text: &WithSpan<&str>, fields: &TableReader<'_>) -> Option<Selector> {
        if self.0 > MAX_REGEXES {
            return None;
        }
        let selector = selector(text, fields)?;
        self.0 += selector.regexes();
        if self.0 > MAX_REGEXES {
            let message = format!(
                "the filters of this file have more than {MAX_REGEXES} regular expressions"
            );
            let help = "join those of one place with `|`, or split the file";
            fields.refuse(text.span.clone(), MessageText::own(message), help);
            return None;
        }
        Some(selector)
    }
}

pub(super) fn selector(text: &WithSpan<&str>, fields: &TableReader<'_>) -> Option<Selector> {
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
    regexes: &mut RegexCount,
    fields: &TableReader<'_>,
) -> Vec<Selector> {
    let texts = fields.strings("except").unwrap_or_default();
    if let (Some(first), Some(element)) = (texts.first(), element)
        && element.field_name().is_none()
    {
        let message = "`except` is for a `field`, and this rule has none";
        fields.complain(first.span.clone(), message);
    }
    regexes.selectors(&texts, fields)
}

/// Reads the key `fix` of an entry about this element. Without `safe`, the fix is not safe.
pub(super) fn fix(element: Option<&Element>, fields: &TableReader<'_>) -> Option<RuleFix> {
    let table = fields.table("fix")?;
    let span = table.span.clone();
    let inner = fields.inner(table);
    let rename = inner.text("rename").map(Edit::Rename);
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

/// Reads the conditions under `when`: one table, or a list of tables.
pub(super) fn when(element: Option<&Element>, fields: &TableReader<'_>) -> Vec<MemberCondition> {
    if let (Some(span), Some(element)) = (fields.span_of("when"), element)
        && element.field_name().is_none()
    {
        let message = "`when` is for a `field`: it is about other members of the same body";
        fields.complain(span, message);
    }
    let tables = fields.one_or_more_tables("when");
    let conditions = tables
        .into_iter()
        .filter_map(|table| condition(fields.inner(table)));
    conditions.collect()
}

/// Reads a `when` table.
fn condition(fields: TableReader<'_>) -> Option<MemberCondition> {
    let field = fields.text("field");
    let at = fields.string("at");
    let member = match (field, at) {
        (Some(field), None) => Some(ConditionMember::Sibling(field)),
        (None, Some(at)) => {
            let names = selector(&at, &fields).map(|selector| names(&selector));
            if let Some(None) = names {
                let message = "`at` in `when` is a path of names from the root, like `$.model`";
                fields.refuse(
                    at.span,
                    message,
                    "for a member of the same object, use `field`",
                );
            }
            names.flatten().map(ConditionMember::Path)
        }
        (None, None) if fields.has("field") || fields.has("at") => None,
        _ => {
            fields.refuse_incomplete(
                "`when` names one member: a `field` of the same object, or a path `at`",
                "when = { field = \"kind\", value = \"Ingress\" }",
            );
            None
        }
    };
    let tests = value_tests(&fields);
    let keys = ["value", "values", "starts_with", "before"];
    if !keys.iter().any(|key| fields.has(key)) {
        fields.refuse_incomplete(
            "`when` needs the value of the member",
            "add `value`, `values`, `starts_with` or `before`",
        );
    }
    fields.finish();
    let member = member.filter(|_| !tests.is_empty())?;
    Some(MemberCondition { member, tests })
}

/// The names of a selector that has nothing else.
fn names(selector: &Selector) -> Option<Vec<String>> {
    let steps = selector.steps()?.into_iter();
    let names = steps.map(|step| match step {
        SegmentTest::Name(name) => Some(name.to_string()),
        _ => None,
    });
    names.collect()
}
