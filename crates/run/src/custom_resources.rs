//! The versions of custom resources of Kubernetes that their definitions mark as deprecated, as rules.

use std::fmt::Write as _;

use sundown_captures::yaml_documents;
use sundown_exchange::resource_name;
use sundown_text_json::Limits;
use sundown_text_json::json::{Document, DocumentFormat, Node};
use sundown_text_json::text::toml::string;

/// The kind of a definition.
const DEFINITION: &str = "CustomResourceDefinition";

/// The rules of the definitions in a text, as a rules file; `None` if it has no definition. The error says what cannot be used.
pub(super) fn rules_of_definitions(text: &str, limits: Limits) -> Result<Option<String>, String> {
    if !text.contains(DEFINITION) {
        return Ok(None);
    }
    let mut count = 0;
    let mut rules = String::new();
    for span in yaml_documents(text.as_bytes(), 0) {
        let part = text.get(span.start..span.end).unwrap_or_default();
        let document = match Document::parse_within(part, DocumentFormat::Yaml, limits) {
            Ok(document) => document,
            Err(_) if !part.contains(DEFINITION) => continue,
            Err(error) => {
                return Err(format!(
                    "a {DEFINITION} is not YAML: {error}; a template has to be rendered before"
                ));
            }
        };
        let root = document.root();
        for object in [root].into_iter().chain(root.children_of("items")) {
            if object.text_of("kind") == Some(DEFINITION)
                && let Some(spec) = object.get("spec")
            {
                count += 1;
                let versions = spec.children_of("versions");
                rules.extend(versions.filter_map(|version| rule_of_version(spec, version)));
            }
        }
    }
    match (count, rules.is_empty()) {
        (0, _) => Ok(None),
        (_, true) => Err(format!("no version of its {DEFINITION} is deprecated")),
        _ => Ok(Some(format!("api = \"custom resources\"\n{rules}"))),
    }
}

/// The rule about a version of a definition, if that is deprecated.
fn rule_of_version(spec: Node<'_>, version: Node<'_>) -> Option<String> {
    let is_deprecated = version.get("deprecated").and_then(Node::as_bool) == Some(true);
    let name = version.text_of("name").filter(|_| is_deprecated)?;
    let group = spec.text_of("group")?;
    let names = spec.get("names")?;
    let (kind, plural) = (names.text_of("kind")?, names.text_of("plural")?);
    // Objects in files are located by the plural that their kind usually has.
    let mut plurals = vec![plural.to_owned(), resource_name(kind)];
    plurals.dedup();
    let places = plurals.iter().flat_map(|plural| {
        ["", "/namespaces/{namespace}"].map(|place| {
            let path = format!("* /apis/{group}/{name}{place}/{plural}/**");
            format!("{{ operation = {} }}", string(&path))
        })
    });
    let places = places.collect::<Vec<_>>().join(", ");
    let title = string(&format!("{group}/{name} {kind}"));
    let id = string(&format!("{plural}-{}-{name}", group.replace('.', "-")));
    let mut rule = format!("[[rule]]\nid = {id}\ntitle = {title}\nalso = [{places}]\n");
    let warning = version.text_of("deprecationWarning");
    if let Some(warning) = warning.filter(|text| !text.is_empty()) {
        let _ = writeln!(rule, "note = {}", string(warning));
    }
    Some(rule)
}
