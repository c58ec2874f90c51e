//! The graph of schemas: where a body leads, what composition makes of deprecation, and that nothing in it loops.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use proptest::prelude::*;

use super::support::{load, load_files};
use sundown_lint::rules::{PropertyCertainty, RuleFile};
use sundown_openapi::{
    BodyRoot, Carrier, DeprecationStatus, Description, Direction, EdgeKind, MarkerOptions, NodeId,
    Reach, SchemaGraph, SchemaId, SchemaStep, SchemasWithRules, UsePatterns,
};
use sundown_selector::automaton::{Graph, GraphStep, Nodes, ValueStep};

const BOTH: [Direction; 2] = [Direction::ToService, Direction::FromService];

fn start(graph: &SchemaGraph) -> Nodes {
    graph.step(&[], Some(ValueStep::Start)).nodes
}

fn member(graph: &SchemaGraph, from: &[u32], name: Option<&str>) -> GraphStep {
    graph.step(from, name.map(ValueStep::Member))
}

fn element(graph: &SchemaGraph, from: &[u32], index: usize) -> Nodes {
    graph.step(from, Some(ValueStep::Element(index))).nodes
}

/// The schema of the components of this name.
fn schema(description: &Description, name: &str) -> SchemaId {
    let mut ids = description.schemas().ids();
    let found = ids.find(|&id| description.name_of(id) == Some(name));
    found.unwrap_or_else(|| panic!("no schema {name}"))
}

/// The rules of a description.
fn rules(description: Description) -> RuleFile {
    RuleFile::from_description("api", description).0
}

/// The status of a member, as the linter finds it with the rules of the description.
fn status(file: &RuleFile, name: &str, key: &str) -> DeprecationStatus {
    let id = schema(&file.described[0].description, name);
    status_in(file, id, key, Direction::FromService, None)
}

/// The status of a member in bodies of one direction, after a discriminator has chosen a branch.
fn status_in(
    file: &RuleFile,
    schema: SchemaId,
    key: &str,
    direction: Direction,
    chosen: Option<(&str, &str)>,
) -> DeprecationStatus {
    const CERTAIN: usize = 0;
    const POSSIBLE: usize = 1;
    let described = &file.described[0];
    let is_whole = |rule: usize| {
        let element = &file.rules[rule].element;
        element.field_name().is_some() && element.value.is_none()
    };
    let number = |node: NodeId| {
        let rules = described.properties.get(&node).into_iter().flatten();
        let number = |is_possible| UsePatterns {
            certain: if is_possible { POSSIBLE } else { CERTAIN },
            possible: POSSIBLE,
            depends_on_value: is_possible,
        };
        rules
            .filter(|one| is_whole(one.rule))
            .map(|one| number(one.certainty != PropertyCertainty::Certain))
            .collect()
    };
    let description = Arc::clone(&described.description);
    let graph = SchemaGraph::new(
        Arc::clone(&description),
        leading(&description),
        direction,
        roots(&description, schema),
        number,
    );
    let start = start(&graph);
    let nodes = match chosen {
        Some((discriminator, value)) => graph.choose(&start, discriminator, value),
        None => start,
    };
    let accepts = member(&graph, &nodes, Some(key)).accepts;
    if accepts.contains(&CERTAIN) {
        DeprecationStatus::Deprecated
    } else if accepts.contains(&POSSIBLE) {
        DeprecationStatus::Possible
    } else {
        DeprecationStatus::NotDeprecated
    }
}

/// What leads to members and elements.
fn leading(description: &Description) -> Arc<SchemasWithRules> {
    Arc::new(SchemasWithRules::new(description, |_| true))
}

fn roots(description: &Description, schema: SchemaId) -> Vec<BodyRoot> {
    vec![BodyRoot {
        call: 0,
        carrier: Carrier::Request,
        media_type: String::new(),
        node: description.schemas().get(schema).unwrap().node,
        schema,
        has_rules: true,
    }]
}

/// A schema as a graph in which every property has a rule, so that no step is left out.
fn graph_of(description: &Arc<Description>, schema: SchemaId, direction: Direction) -> SchemaGraph {
    let number = |_: NodeId| {
        vec![UsePatterns {
            certain: 0,
            possible: 0,
            depends_on_value: false,
        }]
    };
    SchemaGraph::new(
        Arc::clone(description),
        leading(description),
        direction,
        roots(description, schema),
        number,
    )
}

const COMPOSED: &str = "components:
  schemas:
    Old: {properties: {k: {deprecated: true}}}
    New: {properties: {k: {type: string}, j: {deprecated: true}}}
    None: {properties: {other: {type: string}}}
    AllOf: {allOf: [{$ref: '#/components/schemas/New'}, {$ref: '#/components/schemas/Old'}]}
    OneOf: {oneOf: [{$ref: '#/components/schemas/New'}, {$ref: '#/components/schemas/Old'}], discriminator: {propertyName: t, mapping: {o: '#/components/schemas/Old', n: New}}}
    Agree: {anyOf: [{$ref: '#/components/schemas/Old'}, {$ref: '#/components/schemas/Old'}, {$ref: '#/components/schemas/None'}]}
    Nested: {allOf: [{oneOf: [{$ref: '#/components/schemas/Old'}, {allOf: [{$ref: '#/components/schemas/New'}]}]}]}
    Beside: {$ref: '#/components/schemas/New', properties: {k: {deprecated: true}}}
    Typed: {properties: {k: {$ref: '#/components/schemas/Gone'}, l: {oneOf: [{$ref: '#/components/schemas/Gone'}, {type: string}]}}}
    Gone: {type: object, deprecated: true}
    Then: {if: {required: [t]}, then: {$ref: '#/components/schemas/Old'}}
    Either: {if: {required: [t]}, then: {$ref: '#/components/schemas/Old'}, else: {$ref: '#/components/schemas/Old'}}
    Dependent: {dependentSchemas: {t: {$ref: '#/components/schemas/Old'}}}
    Value: {properties: {k: {enum: [a], x-enumDeprecated: [true]}}}
";

#[test]
fn deprecated_wins_in_all_of_and_alternatives_must_agree() {
    let file = rules(load(COMPOSED));
    for (name, key, expected) in [
        ("Old", "k", DeprecationStatus::Deprecated),
        ("New", "k", DeprecationStatus::NotDeprecated),
        ("None", "k", DeprecationStatus::NotDeprecated),
        ("AllOf", "k", DeprecationStatus::Deprecated),
        ("OneOf", "k", DeprecationStatus::Possible),
        ("OneOf", "j", DeprecationStatus::Deprecated),
        ("Agree", "k", DeprecationStatus::Deprecated),
        ("Nested", "k", DeprecationStatus::Possible),
        ("Beside", "k", DeprecationStatus::Deprecated),
        ("Typed", "k", DeprecationStatus::Deprecated),
        ("Typed", "l", DeprecationStatus::Possible),
        // What applies under a condition is possible, unless both of its results agree.
        ("Then", "k", DeprecationStatus::Possible),
        ("Either", "k", DeprecationStatus::Deprecated),
        ("Dependent", "k", DeprecationStatus::Possible),
        ("Value", "k", DeprecationStatus::NotDeprecated),
    ] {
        assert_eq!(status(&file, name, key), expected, "{name}.{key}");
    }
}

#[test]
fn a_discriminator_selects_the_branch() {
    let file = rules(load(COMPOSED));
    let description = &file.described[0].description;
    let one_of = schema(description, "OneOf");
    for (value, expected) in [
        ("o", DeprecationStatus::Deprecated),
        ("n", DeprecationStatus::NotDeprecated),
        ("Old", DeprecationStatus::Deprecated),
        ("New", DeprecationStatus::NotDeprecated),
    ] {
        let found = status_in(&file, one_of, "k", Direction::ToService, Some(("t", value)));
        assert_eq!(found, expected, "{value}");
    }
    assert_eq!(description.branch(one_of, "nobody"), None);
}

#[test]
fn members_and_elements_follow_json_schema() {
    let description = Arc::new(load(
        "components:
  schemas:
    Map:
      properties: {a: {properties: {named: {}}}}
      patternProperties: {'^x-': {properties: {pattern: {}}}}
      additionalProperties: {properties: {rest: {}}}
    List: {prefixItems: [{properties: {first: {}}}, {properties: {second: {}}}], items: {properties: {others: {}}}}
    Plain: {items: {properties: {every: {}}}}
    Old: {items: [{properties: {first: {}}}], additionalItems: {properties: {others: {}}}}
    Closed: {additionalProperties: false}
    Rest: {allOf: [{properties: {a: {properties: {named: {}}}}}], unevaluatedProperties: {properties: {rest: {}}}}
",
    ));
    let declared = |graph: &SchemaGraph, nodes: &Nodes| -> Vec<&'static str> {
        let mut names = vec![
            "named", "pattern", "rest", "first", "second", "others", "every",
        ];
        names.retain(|name| !member(graph, nodes, Some(name)).accepts.is_empty());
        names
    };
    let graph = |name| graph_of(&description, schema(&description, name), BOTH[0]);
    let member = |name, key| {
        let graph = graph(name);
        declared(&graph, &member(&graph, &start(&graph), Some(key)).nodes)
    };
    let element = |name, index| {
        let graph = graph(name);
        declared(&graph, &element(&graph, &start(&graph), index))
    };
    assert_eq!(member("Map", "a"), ["named"]);
    assert_eq!(member("Map", "x-b"), ["pattern"]);
    assert_eq!(member("Map", "other"), ["rest"]);
    assert_eq!(element("List", 0), ["first"]);
    assert_eq!(element("List", 1), ["second"]);
    assert_eq!(element("List", 9), ["others"]);
    assert_eq!(element("Plain", 3), ["every"]);
    assert_eq!(
        (element("Old", 0), element("Old", 1)),
        (vec!["first"], vec!["others"])
    );
    assert_eq!(
        (member("Rest", "a"), member("Rest", "b")),
        (vec!["named"], vec!["rest"])
    );
    assert!(member("Closed", "a").is_empty() && member("List", "a").is_empty());
}

#[test]
fn read_only_and_write_only_properties_apply_to_one_side() {
    let description = Arc::new(load(
        "paths:
  /a:
    post:
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}
      responses: {200: {content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}}
webhooks:
  event: {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}}}
components:
  schemas:
    A:
      properties:
        id: {readOnly: true, properties: {inner: {deprecated: true}}}
        secret: {allOf: [{$ref: '#/components/schemas/Secret'}]}
        both: {type: string}
    Secret: {writeOnly: true, properties: {inside: {deprecated: true}}}
",
    ));
    let reach = Reach::new(&description);
    let roles = |name: &str| -> Vec<_> {
        let mut found = BTreeSet::new();
        reach.find(&[schema(&description, name)], |_, entry| {
            _ = found.insert(entry.clone());
        });
        let describe = |reached: &sundown_openapi::EntryPoint| {
            let operation = description.operation(reached.operation).unwrap();
            (operation.path.clone(), reached.direction)
        };
        found.iter().map(describe).collect()
    };
    let (post, event) = ("/a".to_owned(), "event".to_owned());
    assert_eq!(roles("inner"), [(post.clone(), BOTH[1]), (event, BOTH[1])]);
    assert_eq!(roles("inside"), [(post, BOTH[0])]);
}

#[test]
fn unreachable_schemas_are_identified() {
    let description = load(
        "paths:
  /a: {get: {parameters: [{name: p, in: query, schema: {$ref: '#/components/schemas/Used'}}]}}
components:
  schemas: {Used: {type: string}, Unused: {properties: {x: {$ref: '#/components/schemas/Used'}}}}
",
    );
    let schemas = ["Used", "Unused"].map(|name| schema(&description, name));
    let mut found = Vec::new();
    Reach::new(&description).find(&schemas, |schema, _| found.push(schema));
    assert_eq!(found, [0]);
}

#[test]
fn many_schemas_are_searched_at_once_as_one_by_one() {
    // A path into a circle, two ways out of it, a read-only member, and more schemas than one search takes.
    let mut tail = String::new();
    for at in 0..100 {
        let next = format!("$ref: '#/components/schemas/T{}'", at + 1);
        writeln!(tail, "    T{at}: {{properties: {{x: {{{next}}}}}}}").unwrap();
    }
    let description = load(&format!(
        "paths:
  /a: {{post: {{requestBody: {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/A'}}}}}}}}}}}}
  /b: {{get: {{responses: {{'200': {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/C'}}}}}}}}}}}}}}
components:
  schemas:
    A: {{properties: {{b: {{$ref: '#/components/schemas/B'}}}}}}
    B: {{properties: {{c: {{$ref: '#/components/schemas/C'}}, t: {{$ref: '#/components/schemas/T0'}}}}}}
    C: {{properties: {{d: {{$ref: '#/components/schemas/D'}}}}}}
    D: {{properties: {{b: {{$ref: '#/components/schemas/B'}}, r: {{$ref: '#/components/schemas/R'}}}}}}
    R: {{readOnly: true, properties: {{u: {{type: string}}}}}}
{tail}    T100: {{type: string}}
"
    ));
    let names = [
        "A", "B", "C", "D", "R", "T0", "T50", "T63", "T64", "T99", "T100",
    ];
    let reach = Reach::new(&description);
    let all: Vec<SchemaId> = description.schemas().ids().collect();
    let mut at_once = BTreeSet::new();
    reach.find(&all, |schema, entry| {
        _ = at_once.insert((all[schema], entry.clone()));
    });
    let mut one_by_one = BTreeSet::new();
    for &schema in &all {
        reach.find(&[schema], |_, entry| {
            _ = one_by_one.insert((schema, entry.clone()));
        });
    }
    assert_eq!(at_once, one_by_one);
    let users = names.map(|name| {
        let own = schema(&description, name);
        at_once.iter().filter(|(schema, _)| *schema == own).count()
    });
    assert_eq!(users, [1, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2]);
}

#[test]
fn two_hundred_levels_of_all_of_cost_no_depth() {
    let inside = "{\"properties\": {\"k\": {\"deprecated\": true}}}";
    let text = format!(
        "{{\"openapi\": \"3.0.0\", \"components\": {{\"schemas\": {{\"A\": {}{inside}{}}}}}}}",
        "{\"allOf\": [".repeat(200),
        "]}".repeat(200)
    );
    let description = load_files(&[("api.json", &text)]);
    assert!(description.problems().is_empty());
    assert_eq!(
        status(&rules(description), "A", "k"),
        DeprecationStatus::Deprecated
    );
    // Through references, the nesting is unlimited.
    let mut text = "openapi: 3.0.0\ncomponents:\n  schemas:\n".to_owned();
    for level in 0..20_000 {
        let _ = writeln!(
            text,
            "    A{level}: {{allOf: [{{$ref: '#/components/schemas/A{}'}}]}}",
            level + 1
        );
    }
    text.push_str("    A20000: {properties: {k: {deprecated: true, readOnly: true}}}\n");
    let file = rules(load_files(&[("api.yaml", &text)]));
    assert_eq!(status(&file, "A0", "k"), DeprecationStatus::Deprecated);
    let first = schema(&file.described[0].description, "A0");
    let to_service = status_in(&file, first, "k", BOTH[0], None);
    assert_eq!(to_service, DeprecationStatus::Possible);
}

#[test]
fn a_recursive_schema_is_walked_as_deep_as_the_body() {
    let description = Arc::new(load(
        "components:
  schemas:
    Tree: {properties: {children: {items: {$ref: '#/components/schemas/Tree'}}, old: {deprecated: true}}}
",
    ));
    let graph = graph_of(&description, schema(&description, "Tree"), BOTH[1]);
    let tree = start(&graph);
    let mut here = tree.clone();
    for _ in 0..50 {
        let list = member(&graph, &here, Some("children")).nodes;
        here = element(&graph, &list, 0);
        assert_eq!(here, tree);
    }
}

/// A schema out of references to a few others, composed in all ways, some of them deprecated.
pub(crate) fn random_schema() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (0usize..8).prop_map(|n| format!("{{\"$ref\": \"#/components/schemas/S{n}\"}}")),
        (0usize..8).prop_map(|n| format!(
            "{{\"$ref\": \"#/components/schemas/S{n}\", \"deprecated\": true}}"
        )),
        Just("{\"$ref\": \"#/components/schemas/Nowhere\"}".to_owned()),
        Just("{\"type\": \"string\", \"deprecated\": true}".to_owned()),
        Just("true".to_owned()),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..3).prop_map(|parts| parts.join(", "));
        prop_oneof![
            (prop::sample::select(&["allOf", "oneOf", "anyOf"][..]), list)
                .prop_map(|(keyword, parts)| format!("{{\"{keyword}\": [{parts}]}}")),
            prop::collection::vec((0usize..3, inner.clone()), 0..3).prop_map(|members| {
                let members: Vec<_> = members
                    .iter()
                    .map(|(n, value)| format!("\"\\u006b{n}\": {value}"))
                    .collect();
                format!("{{\"properties\": {{{}}}}}", members.join(", "))
            }),
            inner.prop_map(|value| format!("{{\"items\": {value}}}")),
        ]
    })
}

proptest! {
    #[test]
    fn random_graphs_terminate_and_their_spans_are_their_keys(
        schemas in prop::collection::vec(random_schema(), 8)
    ) {
        let members: Vec<_> =
            schemas.iter().enumerate().map(|(n, text)| format!("\"S{n}\": {text}")).collect();
        let text = format!(
            "{{\"openapi\": \"3.1.0\", \"components\": {{\"schemas\": {{{}}}}}}}",
            members.join(", ")
        );
        let read = |_: &str| Err(std::io::ErrorKind::NotFound.into());
        let description =
            Description::from_bytes("api.json", text.as_bytes(), &read, MarkerOptions::default());
        prop_assert!(description.is_ok());
        let description = description.unwrap();
        for edge in description.schemas().all_edges() {
            if edge.kind == EdgeKind::Property {
                let span = description.value(edge.node).unwrap().label();
                let (name, written) = (description.key_of(edge).unwrap(), &text[span.start..span.end]);
                prop_assert_eq!(written, format!("\"{}\"", name.replace('k', "\\u006b")));
            }
        }
        for marker in description.markers() {
            let (_, span) = marker.sources[0];
            prop_assert_eq!(&text[span.start..span.end], "\"deprecated\"");
        }
        for problem in description.problems() {
            prop_assert!(text.get(problem.at.span.start..problem.at.span.end).is_some());
        }
        let file = rules(description);
        let description = &file.described[0].description;
        for id in description.schemas().ids() {
            let mut here: Vec<_> = description.applied([id]).collect();
            for step in 0..12 {
                let members = description.member(&here, &format!("k{}", step % 3), BOTH[1]);
                let edges = here.iter().flat_map(|&id| description.schemas().edges(id));
                let elements = edges.filter(|edge| edge.kind.step() == SchemaStep::Element);
                let next: Vec<_> = members.iter().chain(elements).map(|edge| edge.to).collect();
                // A set never holds more than all schemas.
                prop_assert!(here.len() <= description.schemas().ids().len());
                here = description.applied(next).collect();
            }
            status_in(&file, id, "k1", BOTH[0], None);
        }
    }
}
