//! Rules as an overlay for `OpenAPI` descriptions (Overlay Specification 1.0.0): it marks deprecated operations and
//! parameters with `deprecated` and `x-sunset`.
//!
//! Only a description knows the location of a field's schema: a field that a description locates is marked there; other
//! fields are left out, with a remark. Paths are those of the rules; a description with a part of the path in `servers` has
//! shorter ones.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{Exported, NothingToExport, left_out};
use crate::json::pointer::PathStep;
use crate::rules::announcement::{is_in_requests, is_in_responses, named};
use crate::rules::table::LocatedProperty;
use crate::rules::{ElementPart, Rule, RuleTable, Sides};
use crate::text::safe_json;
use crate::traffic::{Method, OperationPattern, PatternSegment};

#[derive(Serialize)]
struct Overlay<'a> {
    #[serde(rename = "overlay")]
    specification: &'static str,
    info: OverlayInfo,
    actions: &'a [OverlayAction],
}

#[derive(Serialize)]
struct OverlayInfo {
    title: String,
    version: String,
}

#[derive(Serialize, PartialEq, Eq)]
struct OverlayAction {
    target: String,
    description: String,
    update: OverlayUpdate,
}

#[derive(Serialize, PartialEq, Eq)]
struct OverlayUpdate {
    deprecated: bool,
    #[serde(rename = "x-sunset", skip_serializing_if = "Option::is_none")]
    sunset: Option<String>,
}

/// The ids of the rules that cannot be written, by reason.
#[derive(Default)]
struct UnwrittenRules<'r> {
    fields: Vec<&'r str>,
    values: Vec<&'r str>,
    one_sided: Vec<&'r str>,
    elsewhere: Vec<&'r str>,
    response_headers: Vec<&'r str>,
    patterns: Vec<&'r str>,
}

/// Writes an overlay with an action for each operation and parameter, and for each property of the first description.
pub(super) fn write(
    rules: &[(&str, &Rule)],
    table: &RuleTable,
) -> Result<Exported, NothingToExport> {
    let mut out = UnwrittenRules::default();
    let mut actions: Vec<OverlayAction> = Vec::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let stamps = rules.iter().enumerate().flat_map(|(index, (_, rule))| match rule.schema {
        Some(_) => property_stamps(rule, &table.properties_of(index), &mut out),
        None => stamps(rule, &mut out),
    });
    for action in stamps {
        let number = *numbers.entry(action.target.clone()).or_insert(actions.len());
        // Actions must be unique. If two rules give different dates for one target, the earlier date is safe.
        match actions.get_mut(number) {
            None => actions.push(action),
            Some(known) if is_earlier(&action.update, &known.update) => *known = action,
            Some(_) => {}
        }
    }
    let left_out = out.lines();
    if actions.is_empty() {
        return Err(NothingToExport { left_out });
    }
    let apis: BTreeSet<&str> = rules.iter().map(|(api, _)| *api).collect();
    let apis: Vec<&str> = apis.into_iter().collect();
    let title = format!("Deprecations of {}", apis.join(", "));
    let info = OverlayInfo { title, version: version(&actions) };
    let overlay = Overlay { specification: "1.0.0", info, actions: &actions };
    let text = safe_json::to_text(&overlay);
    Ok(Exported { text, left_out })
}

fn is_earlier(one: &OverlayUpdate, other: &OverlayUpdate) -> bool {
    match (&one.sunset, &other.sunset) {
        (Some(one), Some(other)) => one < other,
        (one, other) => one.is_some() && other.is_none(),
    }
}

/// A hash of the actions: the version changes exactly when they change.
fn version(actions: &[OverlayAction]) -> String {
    let text = serde_json::to_string(actions).unwrap_or_default();
    let hash = Sha256::digest(text.as_bytes());
    hash.iter().take(6).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn stamps<'r>(rule: &'r Rule, out: &mut UnwrittenRules<'r>) -> Vec<OverlayAction> {
    let below = match &rule.element.part {
        _ if rule.element.value.is_some() => {
            out.values.push(&rule.id);
            return Vec::new();
        }
        ElementPart::Field(_) | ElementPart::Segment(_) => {
            out.fields.push(&rule.id);
            return Vec::new();
        }
        ElementPart::Endpoint => String::new(),
        ElementPart::Parameter(name) => {
            format!(".parameters[?@.name == {} && @.in == 'query']", quoted(name))
        }
        ElementPart::Header(name) => {
            if is_in_responses(rule) {
                out.response_headers.push(&rule.id);
            }
            if !is_in_requests(rule) {
                return Vec::new();
            }
            let pattern = quoted(&case_insensitive_pattern(name));
            format!(".parameters[?match(@.name, {pattern}) && @.in == 'header']")
        }
    };
    let mut actions: Vec<OverlayAction> = Vec::new();
    let mut has_patterns = false;
    for place in rule.places.iter() {
        let Some(target) = target(&place.operation) else {
            has_patterns = true;
            continue;
        };
        let element = &rule.element;
        let is_endpoint = element.is_endpoint();
        let subject = if is_endpoint { place.operation.to_string() } else { named(element) };
        actions.push(OverlayAction::new(rule, target + &below, &subject));
    }
    if has_patterns {
        out.patterns.push(&rule.id);
    }
    actions
}

/// The actions for the properties that locate a rule, if a mark on the property means the same as the rule.
fn property_stamps<'r>(
    rule: &'r Rule,
    properties: &[LocatedProperty],
    out: &mut UnwrittenRules<'r>,
) -> Vec<OverlayAction> {
    if rule.element.value.is_some() {
        out.values.push(&rule.id);
        return Vec::new();
    }
    if properties.iter().any(|property| property.sides != Sides::Both) {
        out.one_sided.push(&rule.id);
        return Vec::new();
    }
    let (here, elsewhere): (Vec<_>, Vec<_>) =
        properties.iter().partition(|property| property.is_in_first_file);
    if !elsewhere.is_empty() || !rule.places.is_empty() {
        out.elsewhere.push(&rule.id);
    }
    let subject = named(&rule.element);
    let action =
        |property: &&LocatedProperty| OverlayAction::new(rule, path_to(&property.steps), &subject);
    here.iter().map(action).collect()
}

/// A singular path (RFC 9535, section 2.3.5.1), with names in quotes only if necessary.
fn path_to(steps: &[PathStep<'_>]) -> String {
    let is_plain = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    steps.iter().fold("$".to_owned(), |mut path, step| {
        let _ = match step {
            PathStep::Index(index) => write!(path, "[{index}]"),
            PathStep::Key(name) if is_plain(name) => write!(path, ".{name}"),
            PathStep::Key(name) => write!(path, "[{}]", quoted(name)),
        };
        path
    })
}

impl OverlayAction {
    fn new(rule: &Rule, target: String, subject: &str) -> Self {
        let mut description = format!("{}: {subject}", rule.id);
        if let Some(replacement) = &rule.replacement {
            let _ = write!(description, "; use {replacement}");
        }
        let sunset = rule.removal.map(|date| date.to_string());
        Self { target, description, update: OverlayUpdate { deprecated: true, sunset } }
    }
}

/// The location of the operation in a description; `None` for a pattern that matches several paths.
fn target(operation: &OperationPattern) -> Option<String> {
    let is_wild =
        |segment: &PatternSegment| matches!(segment, PatternSegment::AnyOne | PatternSegment::Rest);
    if operation.segments.iter().any(is_wild) {
        return None;
    }
    let path = quoted(operation.path());
    Some(match operation.method.as_ref().map(Method::as_str) {
        Some(method) => format!("$.paths[{path}].{}", method.to_ascii_lowercase()),
        None => format!(
            "$.paths[{path}]['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']"
        ),
    })
}

/// A string literal of JSONPath (RFC 9535, section 2.3.1.1).
fn quoted(text: &str) -> String {
    let mut quoted = "'".to_owned();
    for character in text.chars() {
        match character {
            '\'' | '\\' => quoted.extend(['\\', character]),
            character if character.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(character));
            }
            character => quoted.push(character),
        }
    }
    quoted + "'"
}

/// A regular expression (I-Regexp, RFC 9485) that matches the name of a header in any letter case.
fn case_insensitive_pattern(name: &str) -> String {
    let mut pattern = String::new();
    for character in name.chars() {
        match character {
            letter if letter.is_ascii_alphabetic() => {
                pattern.extend([
                    '[',
                    letter.to_ascii_uppercase(),
                    letter.to_ascii_lowercase(),
                    ']',
                ]);
            }
            '$' => pattern.push_str("[$]"),
            special if "()*+.?[\\]^{|}".contains(special) => pattern.extend(['\\', special]),
            other => pattern.push(other),
        }
    }
    pattern
}

impl UnwrittenRules<'_> {
    fn lines(&self) -> Vec<String> {
        let lines = [
            left_out("field", "because only a description locates their schemas", &self.fields),
            left_out(
                "value",
                "because only a whole property, parameter or header can be marked",
                &self.values,
            ),
            left_out("field", "because a mark would apply to both sides", &self.one_sided),
            left_out("field", "in other files or places", &self.elsewhere),
            left_out(
                "header",
                "in responses, because descriptions key these by names whose case is unknown",
                &self.response_headers,
            ),
            left_out("rule", "in patterns that match several paths", &self.patterns),
        ];
        lines.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleFile;
    use crate::selector::Selector;

    fn exported(rules: &str) -> Result<Exported, NothingToExport> {
        let file = RuleFile::parse("test", &format!("api = 'Shop'\n{rules}")).unwrap();
        let rules: Vec<_> = file.rules.iter().map(|rule| ("Shop", rule)).collect();
        write(&rules, &RuleTable::default())
    }

    #[test]
    fn every_target_is_a_jsonpath() {
        let rules = r#"
[[rule]]
id = "quote"
operation = "GET /it's/{a}/b\\c"
[[rule]]
id = "page"
operation = "* /orders"
parameter = "it's"
[[rule]]
id = "old"
operation = "PUT /orders"
header = "X-Old.$^|~"
"#;
        let overlay: serde_json::Value =
            serde_json::from_str(&exported(rules).unwrap().text).unwrap();
        let targets: Vec<_> = overlay["actions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|action| action["target"].as_str().unwrap())
            .collect();
        assert_eq!(targets.len(), 3);
        for target in targets {
            Selector::parse(target).unwrap_or_else(|error| panic!("{target}: {error}"));
        }
    }

    #[test]
    fn one_target_is_marked_once_with_the_earlier_date() {
        let rules = "
[[rule]]
id = 'a'
operation = 'GET /x'
[[rule]]
id = 'b'
operation = 'GET /x'
removal = 2027-05-01
[[rule]]
id = 'c'
operation = 'GET /x'
removal = 2027-04-01
[[rule]]
id = 'd'
operation = 'GET /x'
";
        let text = exported(rules).unwrap().text;
        assert_eq!(text.matches("\"target\"").count(), 1);
        assert!(text.contains("2027-04-01"), "{text}");
    }

    #[test]
    fn omitted_rules_are_reported() {
        let rules = "
[[rule]]
id = 'field'
operation = 'GET /x'
field = 'f'
[[rule]]
id = 'header'
operation = 'GET /x'
header = 'h'
sides = ['response']
[[rule]]
id = 'pattern'
also = [{ operation = '* /x/**' }]
";
        let left_out = exported(rules).unwrap_err().left_out;
        let ids: Vec<_> =
            left_out.iter().filter_map(|line| line.rsplit_once(": ")).map(|(_, ids)| ids).collect();
        assert_eq!(ids, ["field", "header", "pattern"]);
    }
}
