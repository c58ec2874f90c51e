//! The versions of custom resources of Kubernetes that their definitions mark as deprecated, as rules.

use std::fmt::Write as _;

use sundown_captures::yaml_documents;
use sundown_exchange::resource_name;
use sundown_text_json::Limits;
use sundown_text_json::json::{Document, DocumentFormat, Node};

/// The kind of a definition.
const DEFINITION: &str = "CustomResourceDefinition";

/// The rules of the definitions in a text, as a rules file; `None` if it has no definition.
pub(super) fn rules_of_definitions(text: &str, limits: Limits) -> Option<String> {
    let may_have = text.contains(DEFINITION);
    let spans = may_have.then(|| yaml_documents(text.as_bytes(), 0))?;
    let mut file = None;
    for span in spans {
        let part = text.get(span.start..span.end).unwrap_or_default();
        let Ok(document) = Document::parse_within(part, DocumentFormat::Yaml, limits) else {
            continue;
        };
        let root = document.root();
        if root.text_of("kind") == Some(DEFINITION)
            && let Some(spec) = root.get("spec")
        {
            let group = spec.text_of("group").unwrap_or_default();
            let file = file.get_or_insert_with(|| format!("api = {}\n", quoted(group)));
            add_versions(file, group, spec);
        }
    }
    file
}

/// Adds a rule for each version that is deprecated.
fn add_versions(file: &mut String, group: &str, spec: Node<'_>) -> Option<()> {
    let names = spec.get("names")?;
    let (kind, plural) = (names.text_of("kind")?, names.text_of("plural")?);
    // Objects in files are located by the plural that their kind usually has.
    let mut plurals = vec![plural.to_owned(), resource_name(kind)];
    plurals.dedup();
    for version in spec.children_of("versions") {
        if version.get("deprecated").and_then(Node::as_bool) != Some(true) {
            continue;
        }
        let name = version.text_of("name")?;
        let places = plurals.iter().flat_map(|plural| {
            ["", "/namespaces/{namespace}"].map(|place| {
                let path = format!("* /apis/{group}/{name}{place}/{plural}/**");
                format!("{{ operation = {} }}", quoted(&path))
            })
        });
        let places = places.collect::<Vec<_>>().join(", ");
        let title = quoted(&format!("{group}/{name} {kind}"));
        let id = quoted(&format!("{plural}-{name}"));
        let _ = writeln!(
            file,
            "[[rule]]\nid = {id}\ntitle = {title}\nalso = [{places}]"
        );
        if let Some(warning) = version.text_of("deprecationWarning") {
            let _ = writeln!(file, "note = {}", quoted(warning));
        }
    }
    Some(())
}

/// A string of TOML, which is written like one of JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
