//! Descriptions are read completely, and each mistake in one is reported with its location and a remedy.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

use proptest::prelude::*;

use sundown_openapi::{
    Carrier, Description, Direction, LoadErrorKind, Marker, MarkerOptions, OperationRole,
    ParameterLocation, SchemasWithRules,
};
use sundown_text_json::json::Node;

/// Loads the description in the first of these files, with the others next to it.
fn load_files(files: &[(&str, &str)]) -> Description {
    try_load(files, MarkerOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn try_load(
    files: &[(&str, &str)],
    markers: MarkerOptions,
) -> Result<Description, sundown_openapi::LoadError> {
    let read = |name: &str| -> io::Result<Vec<u8>> {
        let found = files.iter().find(|(own, _)| *own == name);
        found
            .map(|(_, text)| text.as_bytes().to_vec())
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    };
    Description::load(files[0].0, &read, markers)
}

/// A description of OpenAPI 3.1 with these lines.
fn load(lines: &str) -> Description {
    let description = load_files(&[("api.yaml", &format!("openapi: 3.1.0\n{lines}"))]);
    assert!(
        description.problems().is_empty(),
        "{}",
        problems(&description)
    );
    description
}

/// The problems of a description, as they are reported to people.
fn problems(description: &Description) -> String {
    let mut text = String::new();
    for problem in description.problems() {
        let at = description.shown(problem.at);
        let (kind, help) = (&problem.kind, problem.kind.help());
        let cost = if kind.is_unread() { "unread" } else { "odd" };
        let _ = writeln!(text, "{at}: {cost}: {kind}\n  help: {help}");
    }
    text
}

fn calls(description: &Description) -> Vec<String> {
    let operations = description.operations().iter();
    let all = operations.flat_map(|operation| {
        operation
            .prefixes
            .iter()
            .map(|prefix| format!("{} {prefix}{}", operation.method, operation.path))
    });
    all.collect()
}

#[test]
fn every_version_is_recognised_at_any_position_of_its_key() {
    for text in [
        "openapi: 3.0.3\npaths: {}",
        "paths: {}\nopenapi: 3.1.0",
        "openapi: '3.2.0'",
        "{\"paths\": {}, \"openapi\": \"3.0\"}",
        "paths: {}\nswagger: '2.0'",
        "swagger: 2.0",
    ] {
        assert!(load_files(&[("api", text)]).problems().is_empty(), "{text}");
    }
}

#[test]
fn what_is_not_a_description_is_refused_with_location_and_remedy() {
    let mut bomb = "openapi: 3.0.0\na0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..12 {
        let inside = vec![format!("*a{}", level - 1); 9].join(",");
        let _ = writeln!(bomb, "a{level}: &a{level} [{inside}]");
    }
    let deep = format!("{{\"openapi\": \"3.0.0\", \"x\": {}", "[".repeat(2000));
    let mut reported = String::new();
    for (name, text) in [
        ("missing.yaml", None),
        ("cut.json", Some("{\"openapi\": \"3.0.0\",\n \"paths\": {")),
        (
            "comma.json",
            Some("{\"openapi\": \"3.0.0\",\n \"paths\": {},}"),
        ),
        ("tab.yaml", Some("openapi: 3.0.0\npaths:\n\t/x: {}\n")),
        ("package.json", Some("{\"name\": \"x\"}")),
        ("list.yaml", Some("- openapi: 3.0.0")),
        ("empty.yaml", Some("")),
        ("old.json", Some("{\n  \"swagger\": \"1.2\"}")),
        ("new.yaml", Some("info: {}\nopenapi: 4.0.0")),
        ("number.yaml", Some("openapi: [3]")),
        ("bomb.yaml", Some(&bomb)),
        ("deep.json", Some(&deep)),
    ] {
        let files: Vec<_> = text.map(|text| (name, text)).into_iter().collect();
        let read = |wanted: &str| -> io::Result<Vec<u8>> {
            let found = files.iter().find(|(own, _)| *own == wanted);
            found
                .map(|(_, text)| text.as_bytes().to_vec())
                .ok_or_else(|| io::ErrorKind::NotFound.into())
        };
        let error = Description::load(name, &read, MarkerOptions::default()).unwrap_err();
        let _ = writeln!(reported, "{error}; {}", error.kind.help());
    }
    insta::assert_snapshot!(reported);
    let wide = Description::from_bytes(
        "x",
        b"\xFF\xFEo\0",
        &|_: &str| Ok(vec![]),
        MarkerOptions::default(),
    );
    assert!(matches!(
        wide.unwrap_err().kind,
        LoadErrorKind::NoDocument(_)
    ));
}

#[test]
fn operation_paths_include_the_path_of_each_server() {
    let description = load(
        "servers: [{url: 'https://x.example/v1/'}, {url: 'https://x.example/{v}', variables: {v: {default: v2, enum: [v2, v3]}}}]
paths:
  /a/{id}:
    get: {operationId: getA}
    POST: {x: not a method}
    x-get: {}
    additionalOperations: {COPY: {}}
  /b:
    servers: [{url: /own}]
    query: {}
    put:
      servers: [{url: /mine}]
  x-not-a-path: {get: {}}
",
    );
    assert_eq!(
        calls(&description),
        [
            "GET /v1/a/{id}",
            "GET /v2/a/{id}",
            "GET /v3/a/{id}",
            "COPY /v1/a/{id}",
            "COPY /v2/a/{id}",
            "COPY /v3/a/{id}",
            "QUERY /own/b",
            "PUT /mine/b"
        ]
    );
    assert_eq!(description.operations()[0].id.as_deref(), Some("getA"));
}

#[test]
fn parameters_come_from_the_path_too_unless_overridden() {
    let description = load(
        "paths:
  /a/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}}
      - $ref: '#/components/parameters/Page'
      - {name: page, in: header}
    get:
      parameters:
        - {name: page, in: query, deprecated: true, content: {application/json: {schema: {type: object}}}}
        - {name: sid, in: cookie}
        - {name: q, in: querystring}
components:
  parameters:
    Page: {name: page, in: query}
",
    );
    let operation = &description.operations()[0];
    let parameters: Vec<_> = operation
        .parameters
        .iter()
        .map(|&id| description.parameter(id).unwrap())
        .map(|p| {
            (
                p.name.as_str(),
                p.location,
                p.is_required,
                p.schema.is_some(),
            )
        })
        .collect();
    assert_eq!(
        parameters,
        [
            ("page", ParameterLocation::Query, false, true),
            ("sid", ParameterLocation::Cookie, false, false),
            ("q", ParameterLocation::QueryString, false, false),
            ("id", ParameterLocation::Path, true, true),
            ("page", ParameterLocation::Header, false, false),
        ]
    );
    let page = description.parameter(operation.parameters[0]).unwrap();
    assert_eq!(description.parameter_markers(page).len(), 1);
}

fn bodies(description: &Description) -> Vec<String> {
    let operations = description.operations().iter();
    let bodies = operations.flat_map(|operation| {
        operation.bodies.iter().map(move |body| {
            let carrier = match &body.carrier {
                Carrier::Request => "request".to_owned(),
                Carrier::Response(status) => status.to_string(),
            };
            format!(
                "{} {carrier} {} {:?} {:?}",
                operation.path, body.media_type, body.direction, body.is_sequence
            )
        })
    });
    bodies.collect()
}

#[test]
fn bodies_are_read_by_media_type_and_references() {
    let description = load(
        "paths:
  /a:
    post:
      requestBody: {$ref: '#/components/requestBodies/B'}
      responses:
        200: {$ref: '#/components/responses/R'}
        default: {description: none}
components:
  requestBodies:
    B: {content: {application/json: {schema: {type: object}}, text/plain: {}}}
  responses:
    R:
      headers: {X-Old: {deprecated: true, schema: {type: string}}}
      content: {application/jsonl: {itemSchema: {type: object}}}
",
    );
    assert_eq!(
        bodies(&description),
        [
            "/a request application/json ToService false",
            "/a request text/plain ToService false",
            "/a 200 application/jsonl FromService true",
        ]
    );
    let operation = &description.operations()[0];
    let (carrier, header) = &operation.headers[0];
    let header = description.parameter(*header).unwrap();
    assert_eq!(*carrier, Carrier::Response("200".into()));
    assert_eq!(
        (header.name.as_str(), header.location),
        ("X-Old", ParameterLocation::ResponseHeader)
    );
    assert_eq!(description.markers().len(), 1);
}

#[test]
fn webhooks_and_callbacks_belong_to_the_consumer_with_sides_swapped() {
    let description = load(
        "paths:
  /subscribe:
    post:
      callbacks:
        event: {$ref: '#/components/callbacks/Event'}
        done:
          '{$request.body#/url}':
            post: {requestBody: {content: {application/json: {schema: {type: object}}}}}
webhooks:
  newPet:
    post:
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {200: {content: {application/json: {schema: {type: object}}}}}
components:
  callbacks:
    Event:
      '{$request.query.url}':
        put:
          callbacks:
            again: {$ref: '#/components/callbacks/Event'}
",
    );
    let roles: Vec<_> = description
        .operations()
        .iter()
        .map(|o| (o.path.as_str(), o.role))
        .collect();
    assert_eq!(
        roles,
        [
            ("/subscribe", OperationRole::Served),
            ("newPet", OperationRole::Webhook),
            ("{$request.query.url}", OperationRole::Callback),
            ("{$request.body#/url}", OperationRole::Callback),
        ]
    );
    assert_eq!(
        bodies(&description),
        [
            "newPet request application/json FromService false",
            "newPet 200 application/json ToService false",
            "{$request.body#/url} request application/json FromService false",
        ]
    );
}

#[test]
fn swagger_gives_the_same_graph() {
    let text = "basePath: /v1/
consumes: [application/json]
paths:
  /a:
    parameters:
      - {name: body, in: body, schema: {$ref: '#/definitions/A'}}
    post:
      produces: [application/json, text/xml]
      parameters:
        - {name: old, in: query, type: string, x-deprecated: true}
      responses:
        200:
          schema: {$ref: '#/definitions/A'}
          headers: {X-A: {type: string}}
          examples: {application/json: {old: 1}}
    put:
      consumes: [multipart/form-data]
      parameters:
        - {name: file, in: formData, type: file}
definitions:
  A:
    discriminator: kind
    properties:
      old: {type: string, x-deprecated: gone soon}
parameters:
  Unused: {in: body, name: b, schema: {properties: {x: {type: string}}}}
securityDefinitions: {basic: {type: basic}}
swagger: '2.0'
";
    let description = load_files(&[("api.yaml", text)]);
    assert_eq!(problems(&description), "");
    assert_eq!(calls(&description), ["POST /v1/a", "PUT /v1/a"]);
    assert_eq!(
        bodies(&description),
        [
            "/a request application/json ToService false",
            "/a 200 application/json FromService false",
            "/a 200 text/xml FromService false",
            "/a request multipart/form-data ToService false",
        ]
    );
    let post = &description.operations()[0];
    assert_eq!(post.bodies[0].schema, post.bodies[1].schema);
    assert_eq!(
        (post.bodies[1].examples.len(), post.bodies[2].examples.len()),
        (1, 0)
    );
    let form = description
        .parameter(description.operations()[1].parameters[0])
        .unwrap();
    assert_eq!(
        (form.location, form.schema),
        (ParameterLocation::Form, None)
    );
    assert_eq!(description.markers().len(), 2);
    assert_eq!(description.deprecated_values().count(), 1);
}

/// A marker as one readable line.
fn marker_line(description: &Description, marker: &Marker) -> String {
    let value = description.value(marker.holder).unwrap();
    let slice = |span: sundown_text_json::text::Span| value.document().text_at(span).to_owned();
    let sources: Vec<_> = marker
        .sources
        .iter()
        .map(|(source, _)| source.key())
        .collect();
    let dated = |dated: Option<sundown_openapi::MarkerDate>| {
        dated.map(|dated| format!("{} (written {})", dated.date, slice(dated.span)))
    };
    let one = marker.value.as_ref();
    let scope = one.map_or_else(|| "whole".to_owned(), |one| format!("value {one}"));
    let mut text = format!(
        "{} {:?} {scope}, by {}",
        value.pointer(),
        marker.element,
        sources.join(", ")
    );
    for (what, said) in [
        ("introduced", dated(marker.introduced)),
        ("removal", dated(marker.removal)),
        ("message", marker.message.clone()),
        ("replacement", marker.replacement.clone()),
        ("docs", marker.docs.clone()),
    ] {
        if let Some(said) = said {
            let _ = write!(text, "\n  {what}: {said}");
        }
    }
    text
}

const MARKED: &str = r#"openapi: 3.1.0
paths:
  /a:
    get: {deprecated: true, x-sunset: '2026-12-31', description: "It will be removed on 2026-01-02."}
    put: {deprecated: false}
    post:
      deprecated: true
      x-github: {deprecationDate: '2024-07-22', removalDate: '2025-07-22', category: orgs}
      parameters:
        - {name: a, in: query, x-glean-deprecated: {id: p-1, introduced: 2026-01-15, removal: '2026-07-15', message: gone, docs: 'https://x.example'}}
    patch:
      description: "Old. It will be removed on January 2nd, 2027."
      deprecated: true
      x-speakeasy-deprecation-message: use PUT
      x-replaced-by: PUT /a
    delete: {x-github: {category: orgs}, x-replaced-by: nothing}
    head: {x-deprecated: {message: gone, since: 2025-01-01, removal: 2026-01-01, replacement: other}}
components:
  securitySchemes: {old: {type: http, deprecated: true}}
  headers: {X-Old: {deprecated: true, schema: {}}}
  schemas:
    A:
      properties:
        deprecated: {type: boolean}
        x-sunset: {type: string}
        flag: {type: string, deprecated: true, x-remove-on: 2026-03-04T23:59:59Z}
        quoted: {deprecated: 'true'}
        ms: {x-ms-deprecation: {date: '2022-01-01', removalDate: '2023-01-01', description: moved, version: 2022-01/x}}
        version: {x-deprecatedInVersion: 68, x-deprecatedMessage: "use\n`flag`"}
        ref: {$ref: '#/components/schemas/B', deprecated: true}
        all: {allOf: [{$ref: '#/components/schemas/B'}, {deprecated: true}]}
        values:
          enum: [a, b]
          x-glean-deprecated:
            - {kind: enum-value, enum-value: a, id: v-1, removal: 2027-01-01}
            - {enum-value: b}
            - {kind: property, id: p-2, removal: 2028-01-01}
        google: {enum: [a, b, c], x-enumDeprecated: [false, true, false]}
        differ: {x-sunset: '2026-01-01', x-remove-on: '2026-02-01'}
        contradicted: {deprecated: false, x-sunset: '2026-01-01'}
        undated: {deprecated: true, x-sunset: soon, x-remove-on: null}
        wrong: {deprecated: maybe}
        live: {x-deprecated: false, x-is-deprecated: false}
        example: {examples: [{deprecated: true}], default: {deprecated: true}}
    B: {type: string}
"#;

#[test]
fn every_deprecation_marker_is_read() {
    let description = load_files(&[("api.yaml", MARKED)]);
    let markers: Vec<_> = description
        .markers()
        .iter()
        .map(|marker| marker_line(&description, marker))
        .collect();
    insta::assert_snapshot!(format!(
        "{}\n\n{}",
        markers.join("\n"),
        problems(&description)
    ));
    let properties: Vec<_> = description
        .deprecated_values()
        .map(|(edge, _)| description.key_of(edge).unwrap().to_owned())
        .collect();
    assert_eq!(
        properties,
        [
            "flag", "quoted", "ms", "version", "ref", "all", "values", "google", "differ",
            "undated"
        ]
    );
}

/// The markers of operations whose other members are the lines, one operation for each.
fn ends(lines: &[&str]) -> (Vec<String>, Description) {
    let paths: Vec<_> = lines
        .iter()
        .enumerate()
        .map(|(n, line)| format!("  /p{n}: {{get: {{deprecated: true, {line}}}}}"))
        .collect();
    let text = format!("openapi: 3.0.3\npaths:\n{}\n", paths.join("\n"));
    let description = load_files(&[("api.yaml", &text)]);
    let ends = description
        .markers()
        .iter()
        .map(|marker| match marker.removal {
            Some(removal) => removal.date.to_string(),
            None if marker.has_unreadable_end => "unreadable".to_owned(),
            None => "none".to_owned(),
        });
    (ends.collect(), description)
}

#[test]
fn an_end_is_read_in_every_form_or_named() {
    let (read, description) = ends(&[
        "x-sunset: 31 Dec 2026",
        "x-sunset: 2026/12/31",
        "x-sunset: 20261231",
        "x-sunset: {date: 2026-12-31}",
        "x-sunset: 1798761599",
        "x-sunset: Q4 2026",
        "x-deprecated: {removal: 2026-12}",
        "x-sunset: 2026-02-30",
        "x-remove-on: next winter",
        "x-github: {removalDate: [2026-12-31]}",
        "x-sunset: null",
        "x-sunset: soon, x-eol: 2026-12-31",
    ]);
    let last = "2026-12-31";
    assert_eq!(
        read,
        [
            last,
            last,
            last,
            last,
            last,
            last,
            last,
            "unreadable",
            "unreadable",
            "unreadable",
            "none",
            last
        ]
    );
    insta::assert_snapshot!(problems(&description));
}

#[test]
fn a_key_whose_name_says_that_it_is_an_end_gives_the_last_day() {
    let (read, description) = ends(&[
        "x-sunset-date: 2026-12-31",
        "x-deprecated-until: 2026-12-31",
        "x-eol: 2026-12-31",
        "x-eolDate: 2026-12-31",
        "x-end-of-life: 2026-12-31",
        "X-Sunset: 2026-12-31",
        "x-removal-date: 2026-12-31T23:59:59Z",
        "x-discontinued: Q4 2026",
        // The key of the table comes first.
        "x-sunset: 2026-12-31, x-sunset-date: 2026-12-31",
        "x-shutdown: winter of 2026",
        // What is no end, or no date.
        "x-geolocation: 2026-12-31",
        "x-since: 2026-12-31",
        "x-removed-in: v3",
        "x-removable: true",
        "x-sunset-policy: https://docs.example/2026/sunset",
        "eol: 2026-12-31",
    ]);
    let last = "2026-12-31";
    let mut expected = vec![last; 9];
    expected.push("unreadable");
    expected.extend(["none"; 6]);
    assert_eq!(read, expected);
    insta::assert_snapshot!(problems(&description));
}

#[test]
fn dates_are_read_from_prose_on_request_if_there_is_no_other() {
    let description = try_load(
        &[("api.yaml", MARKED)],
        MarkerOptions {
            dates_from_text: true,
            ..MarkerOptions::default()
        },
    )
    .unwrap();
    let removal = |method: &str| {
        let mut operations = description.operations().iter();
        let operation = operations
            .find(|operation| operation.method == method)
            .unwrap();
        let marker = description.operation_markers(operation)[0];
        marker.removal.unwrap().date.to_string()
    };
    assert_eq!(
        (removal("GET").as_str(), removal("PATCH").as_str()),
        ("2026-12-31", "2027-01-02")
    );
}

#[test]
fn references_across_files_are_resolved() {
    let description = load_files(&[
        (
            "specs/./api.yaml",
            "openapi: 3.0.0
paths:
  /a: {$ref: 'paths/a%20b.yaml#/~1a'}
components:
  schemas:
    Shared: {properties: {old: {deprecated: true}}}
",
        ),
        (
            "specs/paths/a b.yaml",
            "/a:
  get:
    parameters: [{$ref: ../common.json#/page}]
    responses: {200: {content: {application/json: {schema: {$ref: '../api.yaml#/components/schemas/Shared'}}}}}
  post:
    requestBody: {content: {application/json: {schema: {$ref: ../whole.yaml}}}}
",
        ),
        ("specs/common.json", "{\"page\": {\"name\": \"page\", \"in\": \"query\", \"deprecated\": true}}"),
        ("specs/whole.yaml", "properties: {next: {$ref: '#'}, kind: {$ref: '#kind'}}\n$defs: {K: {$anchor: kind, enum: [x], deprecated: true}}"),
    ]);
    assert_eq!(problems(&description), "");
    assert_eq!(description.files().len(), 4);
    assert_eq!(calls(&description), ["GET /a", "POST /a"]);
    let holders: Vec<_> = description
        .markers()
        .iter()
        .map(|marker| {
            let file = &description.file(marker.holder.file).unwrap().name;
            format!(
                "{file}#{}",
                description.value(marker.holder).unwrap().pointer()
            )
        })
        .collect();
    assert_eq!(
        holders,
        [
            "specs/./api.yaml#/components/schemas/Shared/properties/old",
            "specs/common.json#/page",
            "specs/whole.yaml#/$defs/K",
        ]
    );
    let post = &description.operations()[1].bodies[0];
    let whole: Vec<_> = description.applied(post.schema).collect();
    let next = description.member(&whole, "next", Direction::ToService);
    assert_eq!(next[0].to, post.schema.unwrap(), "it is its own member");
}

#[test]
fn wrong_references_and_types_are_reported_and_the_rest_is_read() {
    let description = load_files(&[
        (
            "api.yaml",
            "openapi: 3.0.0
paths:
  /a/{x}:
    get:
      parameters:
        - {$ref: 'https://example.com/specs/parameters.yaml?token=1#/Page'}
        - {$ref: '#/components/parameters/Nowhere'}
        - {name: here, in: nowhere}
        - 7
      responses:
        200: {content: {application/json: {schema: {$ref: missing.yaml#/X}}}}
        400: {content: {application/json: {schema: {$ref: broken.yaml}}}}
  /a/{y}:
    get: {responses: []}
  /b: []
components:
  schemas:
    Loop: {$ref: '#/components/schemas/Pool'}
    Pool: {$ref: '#/components/schemas/Loop'}
    Own: {$ref: '#/components/schemas/Own'}
    Base: {allOf: [{$ref: '#/components/schemas/Base'}], properties: {old: {deprecated: true}}}
    Odd: {properties: {a: {$ref: 7}, b: text}, allOf: {}, patternProperties: {'(?=x)': {type: string}}}
    Odd: {type: string}
  parameters:
    P: {$ref: '#/components/parameters/Q'}
    Q: {$ref: '#/components/parameters/P'}
",
        ),
        ("broken.yaml", "a: 1\nb: [\n"),
    ]);
    insta::assert_snapshot!(problems(&description));
    assert_eq!(description.operations().len(), 2);
    assert_eq!(description.deprecated_values().count(), 1);
}

#[test]
fn examples_are_located() {
    let description = load(
        "paths:
  /a:
    post:
      x-codeSamples: [{lang: curl, source: 'curl x'}]
      parameters: [{name: p, in: query, example: 1, schema: {default: 2}}]
      requestBody:
        content:
          application/json:
            example: {a: 1}
            examples: {one: {value: {a: 2}}, two: {$ref: '#/components/examples/E'}, three: {externalValue: x.json}}
            schema: {example: {a: 3}, examples: [{a: 4}, {a: 5}], default: {a: 6}, properties: {example: {type: string}}}
components:
  examples: {E: {value: {a: 7}}}
",
    );
    let operation = &description.operations()[0];
    let body = &operation.bodies[0];
    let parameter = description.parameter(operation.parameters[0]).unwrap();
    let written = |examples: &[sundown_openapi::NodeId]| -> Vec<String> {
        let value = |&example: &_| description.value(example).unwrap().raw().to_string();
        examples.iter().map(value).collect()
    };
    assert_eq!(written(&body.examples), ["{a: 1}", "{a: 2}", "{a: 7}"]);
    assert_eq!(
        written(&description.schema_examples(body.schema.unwrap())),
        ["{a: 3}", "{a: 4}", "{a: 5}", "{a: 6}"]
    );
    assert_eq!(written(&parameter.examples), ["1"]);
    assert_eq!(written(&description.code_samples(operation)), ["'curl x'"]);
}

#[test]
fn yaml_and_json_describe_the_same() {
    let pointers = |description: &Description| -> BTreeMap<String, String> {
        let markers = description.markers().iter();
        let pointer = |marker: &Marker| description.value(marker.holder).unwrap().pointer();
        markers
            .map(|marker| (pointer(marker), format!("{:?}", marker.element)))
            .collect()
    };
    let json = r##"{"openapi": "3.0.0", "paths": {"/a": {"get": {"deprecated": true}}},
        "components": {"schemas": {"A": {"properties": {"x": {"deprecated": true}, "y": {"$ref": "#/components/schemas/A"}}}}}}"##;
    let yaml = "openapi: 3.0.0
paths:
  /a:
    get: &deprecated
      deprecated: yes
      <<: {deprecated: true}
components:
  schemas:
    A:
      properties:
        x: {deprecated: true}
        y: {$ref: '#/components/schemas/A'}
";
    let yaml = yaml.replace("      deprecated: yes\n", "");
    let (json, yaml) = (
        load_files(&[("a.json", json)]),
        load_files(&[("a.yaml", &yaml)]),
    );
    assert_eq!(pointers(&json), pointers(&yaml));
    assert_eq!(
        json.schemas().all_edges().len(),
        yaml.schemas().all_edges().len()
    );
}

proptest! {
    #[test]
    fn no_damaged_description_breaks_the_reader(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0usize..30, "[-a{}\\[\\]:,&*'\"\n $#/]{0,4}"), 1..5)
    ) {
        let mut text = MARKED.to_owned();
        for (at, len, instead) in cuts {
            let at = at.index(text.len());
            text.replace_range(at..(at + len).min(text.len()), &instead);
        }
        let files: [(&str, &str); 1] = [("api.yaml", &text)];
        match try_load(&files, MarkerOptions { dates_from_text: true, ..MarkerOptions::default() }) {
            Ok(description) => {
                for marker in description.markers() {
                    let (_, span) = marker.sources[0];
                    prop_assert!(text.get(span.start..span.end).is_some());
                    prop_assert!(description.value(marker.holder).is_some());
                }
                let reported = problems(&description);
                prop_assert_eq!(reported.lines().count(), 2 * description.problems().len(), "{}", reported);
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

#[test]
fn the_schemas_that_lead_to_a_property_are_found_at_once() {
    let description = load(
        "paths: {}\ncomponents: {schemas: {Old: {properties: {old: {}}}, List: {items: {$ref: '#/components/schemas/Old'}}, Part: {anyOf: [{$ref: '#/components/schemas/List'}]}, Other: {properties: {new: {}}}}}",
    );
    let is_old = |node| {
        let key = description.value(node).and_then(Node::key);
        key == Some("old")
    };
    let leading = SchemasWithRules::new(&description, is_old);
    let found = description.schemas().ids().filter(|&id| leading.leads(id));
    let mut names: Vec<_> = found.filter_map(|id| description.name_of(id)).collect();
    names.sort_unstable();
    assert_eq!(names, ["List", "Old", "Part"]);
}

#[test]
fn extensions_of_vendors_give_dates_replacements_and_values() {
    for (keys, line) in [
        ("x-deprecated-sunset: 2026-06-30", "removal 2026-06-30"),
        ("X-Sunset: 2026-06-30", "removal 2026-06-30"),
        ("x-discontinued: 9.4.0", ""),
        ("x-cfDeprecation: {eol: 2026-03-19}", "removal 2026-03-19"),
        (
            "x-forge-sunset: {date: 2030-01-01T00:00:00Z}",
            "removal 2030-01-01",
        ),
        ("x-deprecation: {retirementDate: TBD}", ""),
        (
            "x-deprecated: {sunset_at: 2026-03-19, owner: me}",
            "removal 2026-03-19",
        ),
        (
            "x-sap-deprecated-operation: {successorOperationId: b}",
            "replacement b",
        ),
        (
            "deprecated: true, x-speakeasy-deprecation-replacement: b",
            "replacement b",
        ),
        ("x-fern-availability: deprecated", ""),
        ("x-releaseStatus: DEPRECATED", ""),
        ("x-status: {status: deprecated}", ""),
        ("x-okta-lifecycle: {lifecycle: DEPRECATED}", ""),
        (
            "enum: [a, b], x-enumDeprecated: {b: true, a: false}",
            "value b",
        ),
        ("enum: [a, b], x-enum-deprecated: [b]", "value b"),
        (
            "enum: [a, b], x-deprecated-enum-members: [{name: b}]",
            "value b",
        ),
    ] {
        let text = format!("paths: {{}}\ncomponents: {{schemas: {{S: {{{keys}}}}}}}");
        let description = load(&text);
        let [marker] = description.markers() else {
            panic!("{keys}: {:?}", description.markers());
        };
        let facts = [
            marker.removal.map(|date| format!("removal {}", date.date)),
            marker
                .replacement
                .as_ref()
                .map(|text| format!("replacement {text}")),
            marker.value.as_ref().map(|text| format!("value {text}")),
        ];
        let facts: Vec<_> = facts.into_iter().flatten().collect();
        assert_eq!(facts.join(" "), line, "{keys}");
    }
    for keys in [
        "x-fern-availability: beta",
        "x-status: {status: current}",
        "x-okta-lifecycle: {lifecycle: GA}",
        "x-eol: false",
    ] {
        let text = format!("paths: {{}}\ncomponents: {{schemas: {{S: {{{keys}}}}}}}");
        assert!(load(&text).markers().is_empty(), "{keys}");
    }
}

#[test]
fn keys_that_look_like_marks_and_are_not_read_are_counted() {
    let description = load(
        "tags: [{name: a, x-sunset: 2026-01-01}]\npaths: {/a: {get: {x-acme-sunset-plan: 1, responses: {200: {description: d, x-sunset: 2026-01-01}}}, post: {x-acme-sunset-plan: 2, x-acme: {x-old-deprecated: 1}}}}\ncomponents: {schemas: {S: {properties: {x-deprecated-a: {}}, example: {deprecated: true}, x-deprecated-b: false}}}",
    );
    let keys = description.unread_keys().into_iter();
    let lines: Vec<_> = keys
        .map(|(key, count, place)| format!("{} {count}x {key}", description.shown(place)))
        .collect();
    assert_eq!(
        lines,
        [
            "api.yaml:2:18 2x x-sunset",
            "api.yaml:3:20 2x x-acme-sunset-plan"
        ]
    );
}
