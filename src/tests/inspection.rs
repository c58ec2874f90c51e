//! Checks of generated API descriptions: each finding is at a key, elements are those that checks of bodies find, and nothing
//! takes long or panics.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;

use super::description_graph::random_schema;
use super::support::{builtin, check_with, day, load, text};
use sundown_lint::findings::{Check, CheckGrades, Finding};
use sundown_lint::inspect::{InspectionOptions, UserRole, inspect};
use sundown_lint::rules::{Lifecycle, RuleFile, RuleSet};
use sundown_openapi::{Description, EdgeKind, FileId, MarkerOptions, SchemaId};
use sundown_text_json::json::NodeIndex;

/// A rule about the fields of one operation that a selector locates.
fn rule_set(field: &str, selector: &str) -> RuleSet {
    let rules = format!(
        "api = 'Things'\nbase_path = '/v1'\n[[rule]]\nid = 'old'\noperation = 'POST /v1/things'\nfield = '{field}'\nat = ['{selector}']\nremoval = 2026-12-31\n"
    );
    RuleSet::new(vec![RuleFile::parse("rules", &rules).unwrap()]).unwrap()
}

/// The findings in a description, each with its file.
fn inspected(description: &Arc<Description>, set: &RuleSet) -> Vec<(FileId, Finding)> {
    let mut findings = Vec::new();
    let mut keep = |file, finding| {
        findings.push((file, finding));
        true
    };
    let grades = CheckGrades::default();
    let options = InspectionOptions {
        lifecycle: Lifecycle::on(day()),
        role: UserRole::Either,
        grades: &grades,
    };
    inspect(description, set, options, &mut keep);
    findings
}

#[test]
fn hostile_schemas_are_checked_in_bounded_time() {
    // Every schema holds every other, in lists, maps and alternatives.
    let schema = |n| format!("{{$ref: '#/components/schemas/S{n}'}}");
    let all: Vec<_> = (0..60).map(schema).collect();
    let members = (0..60).map(|n| format!("p{n}: {}", all[n]));
    let members = members.collect::<Vec<_>>().join(", ");
    let one = |n| {
        let (any, map, list) = (all.join(", "), &all[0], &all[1]);
        format!(
            "S{n}: {{anyOf: [{any}], properties: {{{members}, old: {{}}}}, additionalProperties: {map}, items: {list}}}"
        )
    };
    let schemas: Vec<_> = (0..60).map(one).collect();
    let description = format!(
        "servers: [{{url: /v1}}]\npaths: {{/things: {{post: {{requestBody: {{content: {{application/json: {{schema: {}}}}}}}}}}}}}\ncomponents: {{schemas: {{{}}}}}\n",
        all[0],
        schemas.join(", ")
    );
    let found = inspected(
        &Arc::new(load(&description)),
        &rule_set("old", "$..p1.*.*.p2..old"),
    );
    let exposed = found
        .iter()
        .filter(|(_, finding)| finding.check() == Some(Check::Exposed));
    assert_eq!(exposed.count(), 60);
}

proptest! {
    #[test]
    fn a_damaged_description_is_reported_without_a_panic(
        cut in 0usize..4_000, at in 0usize..4_000, byte in any::<u8>(),
    ) {
        let mut bytes = text("testdata/descriptions/api.yaml").into_bytes();
        bytes.truncate(cut.max(200));
        if let Some(damaged) = bytes.get_mut(at) {
            *damaged = byte;
        }
        let outcome = check_with("-".as_ref(), &bytes, &builtin(), Lifecycle::on(day()), None, true);
        let summary = outcome.summary;
        prop_assert!(summary.records + summary.failed > 0);
    }
}

/// A step into a body.
#[derive(Debug, Clone)]
enum Way {
    Key(String),
    First,
}

/// The ways of at most `depth` steps into bodies of a schema, each with the member at its end.
fn paths_into_bodies(
    description: &Description,
    root: SchemaId,
    depth: usize,
) -> Vec<(Vec<Way>, NodeIndex)> {
    let mut found = Vec::new();
    let mut open = vec![(root, Vec::new())];
    while let Some((schema, way)) = open.pop() {
        if way.len() == depth || found.len() > 2_000 {
            continue;
        }
        for schema in description.applied([schema]) {
            for edge in description.schemas().edges(schema) {
                let mut longer: Vec<Way> = way.clone();
                match edge.kind {
                    EdgeKind::Property => {
                        longer.push(Way::Key(description.key_of(edge).unwrap().to_owned()));
                        found.push((longer.clone(), edge.node.value));
                    }
                    EdgeKind::Items => longer.push(Way::First),
                    _ => continue,
                }
                open.push((edge.to, longer));
            }
        }
    }
    found
}

/// A call whose body has only this path.
fn call(way: &[Way]) -> String {
    let inside = way
        .iter()
        .rev()
        .fold("1".to_owned(), |inside, step| match step {
            Way::Key(key) => format!("{{\"{key}\":{inside}}}"),
            Way::First => format!("[{inside}]"),
        });
    format!("{{\"method\":\"POST\",\"url\":\"/v1/things\",\"request\":{{\"body\":{inside}}}}}\n")
}

proptest! {
    #[test]
    fn inspection_and_body_checks_find_the_same_elements_and_every_span_is_a_key(
        schemas in prop::collection::vec(random_schema(), 8),
        (selector, length) in prop::sample::select(&[
            ("$..k1", None), ("$.k1", Some(1)), ("$.k0.k1", Some(2)), ("$.*.k1", Some(2)), ("$[*].k1", Some(2)),
            ("$.k2[0].k1", Some(3)), ("$..k0.k1", None), ("$..k2[*]..k1", None), ("$..k0[?@.k2].k1", None), ("$[0].k1", None),
        ][..]),
    ) {
        let members: Vec<_> =
            schemas.iter().enumerate().map(|(n, text)| format!("\"S{n}\": {text}")).collect();
        let text = format!(
            r#"{{"openapi": "3.1.0", "paths": {{"/v1/things": {{"post": {{"requestBody": {{"content": {{"application/json": {{"schema": {{
                "properties": {{"k0": {schema}0"}}, "\u006b1": {schema}1"}}, "k2": {{"items": {schema}2"}}}}}},
                "items": {schema}3"}}, "anyOf": [{schema}4"}}, {schema}5"}}]
            }}}}}}}}}}}}}}, "components": {{"schemas": {{{}}}}}}}"#,
            members.join(", "),
            schema = "{\"$ref\": \"#/components/schemas/S",
        );
        let read = |_: &str| Err(std::io::ErrorKind::NotFound.into());
        let description = Description::from_bytes("api.json", text.as_bytes(), &read, MarkerOptions::default());
        let description = Arc::new(description.unwrap());
        let set = rule_set("k1", selector);
        let mut exposed = BTreeSet::new();
        for (file, finding) in inspected(&description, &set) {
            prop_assert_eq!(file.index(), 0);
            let span = finding.found.span;
            let written = &text[span.start..span.end];
            prop_assert_eq!(Some(written), finding.found.shown.key.as_deref().or(Some(written)));
            let pointer = &finding.found.pointer.as_ref().unwrap().exact;
            let document = &description.file(file).unwrap().document;
            // A pointer leads to the first of equal keys.
            let is_plain = document.notes().is_empty();
            prop_assert!(!is_plain || document.at(pointer).is_some(), "{}", pointer);
            if finding.check() == Some(Check::Exposed) {
                prop_assert_eq!(written, "\"\\u006b1\"");
                exposed.insert(pointer.to_string());
            }
        }
        let body = description.operations().first().and_then(|operation| operation.bodies.first()?.schema);
        let ways = body.map(|root| paths_into_bodies(&description, root, length.unwrap_or(6))).unwrap_or_default();
        let traffic: String = ways.iter().map(|(way, _)| call(way)).collect();
        let report = check_with("-".as_ref(), traffic.as_bytes(), &set, Lifecycle::on(day()), None, false);
        let mut found = BTreeSet::new();
        for placed in &report.findings {
            let (way, member) = &ways[placed.finding.found.exchange.as_ref().unwrap().index];
            let depth = placed.finding.found.pointer.as_ref().unwrap().exact.matches('/').count();
            // A use above the end of the way is found by a shorter one.
            if depth == way.len() {
                found.insert(description.files()[0].document.node(*member).pointer());
            }
        }
        prop_assert!(found.is_subset(&exposed), "{found:?} {exposed:?}");
        // All ways of a selector of fixed length have been tried.
        if length.is_some() && ways.len() < 2_000 {
            prop_assert_eq!(found, exposed);
        }
    }
}
