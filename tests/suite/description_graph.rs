//! The graph of schemas: where a body leads, what composition makes of deprecation, and that nothing in it loops.

use std::fmt::Write as _;

use proptest::prelude::*;
use sundown::openapi::{
    ChosenBranches, DateSources, DeprecationStatus, Description, Direction, EdgeKind, Reach,
    SchemaId,
};

use crate::descriptions::{load, load_files};

const BOTH: [Direction; 2] = [Direction::ToService, Direction::FromService];

/// The schema of the components of this name.
fn schema(description: &Description, name: &str) -> SchemaId {
    let mut ids = description.schemas().ids();
    let found = ids.find(|&id| description.name_of(id) == Some(name));
    found.unwrap_or_else(|| panic!("no schema {name}"))
}

fn verdict(description: &Description, name: &str, key: &str) -> DeprecationStatus {
    let id = schema(description, name);
    description.verdict(&[id], key, Direction::FromService, &ChosenBranches::new())
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
    let description = load(COMPOSED);
    for (name, key, expected) in [
        ("Old", "k", DeprecationStatus::Deprecated),
        ("New", "k", DeprecationStatus::Live),
        ("None", "k", DeprecationStatus::Undeclared),
        ("AllOf", "k", DeprecationStatus::Deprecated),
        ("OneOf", "k", DeprecationStatus::Possible),
        ("OneOf", "j", DeprecationStatus::Deprecated),
        ("Agree", "k", DeprecationStatus::Deprecated),
        ("Nested", "k", DeprecationStatus::Possible),
        ("Beside", "k", DeprecationStatus::Deprecated),
        ("Typed", "k", DeprecationStatus::Deprecated),
        ("Typed", "l", DeprecationStatus::Possible),
        ("Then", "k", DeprecationStatus::Possible),
        ("Either", "k", DeprecationStatus::Deprecated),
        ("Dependent", "k", DeprecationStatus::Possible),
        ("Value", "k", DeprecationStatus::Live),
    ] {
        assert_eq!(verdict(&description, name, key), expected, "{name}.{key}");
    }
}

#[test]
fn a_discriminator_selects_the_branch() {
    let description = load(COMPOSED);
    let one_of = schema(&description, "OneOf");
    for (value, expected) in [
        ("o", DeprecationStatus::Deprecated),
        ("n", DeprecationStatus::Live),
        ("Old", DeprecationStatus::Deprecated),
        ("New", DeprecationStatus::Live),
    ] {
        let branch = description.branch(one_of, value).unwrap();
        let selected = ChosenBranches::from([(one_of, branch)]);
        let verdict = description.verdict(&[one_of], "k", Direction::ToService, &selected);
        assert_eq!(verdict, expected, "{value}");
    }
    assert_eq!(description.branch(one_of, "nobody"), None);
}

#[test]
fn steps_record_the_chosen_alternatives() {
    let description = load(COMPOSED);
    let nested = description.applied(&[schema(&description, "Nested")]);
    let steps = description.member(&nested, "k", Direction::FromService);
    let mut reported: Vec<_> = steps
        .iter()
        .map(|step| {
            let choices = step.choices.iter().map(|choice| (choice.kind, choice.index));
            (description.name_of(step.edge.from).unwrap(), choices.collect::<Vec<_>>())
        })
        .collect();
    reported.sort();
    assert_eq!(
        reported,
        [("New", vec![(EdgeKind::OneOf, 1)]), ("Old", vec![(EdgeKind::OneOf, 0)])]
    );
}

#[test]
fn members_and_elements_follow_json_schema() {
    let description = load(
        "components:
  schemas:
    Map:
      properties: {a: {title: named}}
      patternProperties: {'^x-': {title: pattern}}
      additionalProperties: {title: rest}
    List: {prefixItems: [{title: first}, {title: second}], items: {title: others}}
    Plain: {items: {title: every}}
    Old: {items: [{title: first}], additionalItems: {title: others}}
    Closed: {additionalProperties: false}
    Rest: {allOf: [{properties: {a: {title: named}}}], unevaluatedProperties: {title: rest}}
",
    );
    let titles = |steps: Vec<sundown::openapi::Stepped>| -> Vec<String> {
        let title = |step: &sundown::openapi::Stepped| {
            description.keyword(step.edge.to, "title").unwrap().as_str().unwrap().to_owned()
        };
        steps.iter().map(title).collect()
    };
    let applied = |name| description.applied(&[schema(&description, name)]);
    let member = |name, key| titles(description.member(&applied(name), key, BOTH[0]));
    let element = |name, index| titles(description.element(&applied(name), index, BOTH[0]));
    assert_eq!(member("Map", "a"), ["named"]);
    assert_eq!(member("Map", "x-b"), ["pattern"]);
    assert_eq!(member("Map", "other"), ["rest"]);
    assert_eq!(element("List", 0), ["first"]);
    assert_eq!(element("List", 1), ["second"]);
    assert_eq!(element("List", 9), ["others"]);
    assert_eq!(element("Plain", 3), ["every"]);
    assert_eq!(
        (element("Old", 0), element("Old", 1)),
        (vec!["first".into()], vec!["others".into()])
    );
    assert_eq!(
        (member("Rest", "a"), member("Rest", "b")),
        (vec!["named".into()], vec!["rest".into()])
    );
    assert!(member("Closed", "a").is_empty() && member("List", "a").is_empty());
}

#[test]
fn read_only_and_write_only_properties_apply_to_one_side() {
    let description = load(
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
    );
    let applied = description.applied(&[schema(&description, "A")]);
    let ways = |key| BOTH.map(|direction| description.member(&applied, key, direction).len());
    assert_eq!((ways("id"), ways("secret"), ways("both")), ([0, 1], [1, 0], [1, 1]));
    let mut reach = Reach::new(&description);
    let mut roles = |name: &str| -> Vec<_> {
        let found = reach.operations(schema(&description, name));
        let describe = |reached: &sundown::openapi::EntryPoint| {
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
    let mut reach = Reach::new(&description);
    assert_eq!(reach.operations(schema(&description, "Used")).len(), 1);
    assert!(reach.operations(schema(&description, "Unused")).is_empty());
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
    assert_eq!(verdict(&description, "A", "k"), DeprecationStatus::Deprecated);
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
    let description = load_files(&[("api.yaml", &text)]);
    assert_eq!(verdict(&description, "A0", "k"), DeprecationStatus::Deprecated);
    let to_service =
        description.verdict(&[schema(&description, "A0")], "k", BOTH[0], &ChosenBranches::new());
    assert_eq!(to_service, DeprecationStatus::Undeclared);
}

#[test]
fn a_recursive_schema_is_walked_as_deep_as_the_body() {
    let description = load(
        "components:
  schemas:
    Tree: {properties: {children: {items: {$ref: '#/components/schemas/Tree'}}, old: {deprecated: true}}}
",
    );
    let tree = schema(&description, "Tree");
    let mut here = description.applied(&[tree]);
    for _ in 0..50 {
        let list = description.member(&here, "children", BOTH[1]);
        let list = description.applied(&[list[0].edge.to]);
        let element = description.element(&list, 0, BOTH[1]);
        assert_eq!(element[0].edge.to, tree);
        here = description.applied(&[element[0].edge.to]);
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
                let members: Vec<_> =
                    members.iter().map(|(n, value)| format!("\"\\u006b{n}\": {value}")).collect();
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
            Description::from_bytes("api.json", text.as_bytes(), &read, DateSources::Extensions);
        prop_assert!(description.is_ok());
        let description = description.unwrap();
        for edge in description.schemas().all_edges() {
            if edge.kind == EdgeKind::Property {
                let (name, label) = description.property(edge).unwrap();
                let written = &text[label.span.start..label.span.end];
                prop_assert_eq!(written, format!("\"{}\"", name.replace('k', "\\u006b")));
            }
        }
        for marker in description.markers() {
            prop_assert_eq!(&text[marker.span.start..marker.span.end], "\"deprecated\"");
        }
        for problem in description.problems() {
            prop_assert!(text.get(problem.span.start..problem.span.end).is_some());
        }
        for id in description.schemas().ids() {
            let mut here = description.applied(&[id]);
            for step in 0..12 {
                let members = description.member(&here, &format!("k{}", step % 3), BOTH[1]);
                let elements = description.element(&here, step, BOTH[1]);
                let next: Vec<_> = members.iter().chain(&elements).map(|step| step.edge.to).collect();
                // A set never holds more than all schemas.
                prop_assert!(here.len() <= description.schemas().ids().len());
                here = description.applied(&next);
            }
            description.verdict(&[id], "k1", BOTH[0], &ChosenBranches::new());
        }
    }
}
