//! An API description as the rules: what it finds is what a plain recursive walk along the schemas finds.

use crate::support::Desk;

const SHOP: &str = include_str!("../../testdata/schemas/shop.yaml");

#[test]
fn what_captures_cannot_show_is_reported() {
    let desk = Desk::new().with("api.yaml", SHOP).with(
        "x.ndjson",
        "{\"method\":\"GET\",\"url\":\"/v1/orders/7\",\"status\":200}\n",
    );
    let ran = desk.run(&[
        "check",
        "--rules",
        "api.yaml",
        "--no-builtin-rules",
        "x.ndjson",
    ]);
    assert!(
        ran.stderr.contains("the cookie `session` is deprecated"),
        "{}",
        ran.stderr
    );
    let page = desk.run(&[
        "explain",
        "order-legacy-id",
        "--rules",
        "api.yaml",
        "--no-builtin-rules",
        "--as-of",
        "2026-11-20",
    ]);
    insta::assert_snapshot!(page.stdout);
}

#[test]
fn a_description_is_recognised_as_rules_and_as_a_list_for_any_order_of_keys() {
    let paths = r#""paths":{"/a":{"get":{"deprecated":true,"responses":{}}}},"info":{"title":"T","version":"1"}"#;
    for (name, text) in [
        ("last.json", format!(r#"{{{paths},"swagger":"2.0"}}"#)),
        (
            "marked.json",
            format!("\u{feff}{{{paths},\"openapi\":\"3.1.0\"}}"),
        ),
        (
            "flow.yaml",
            format!("{{{}, openapi: 3.1.0}}", paths.replace('"', "")).replace(':', ": "),
        ),
        (
            "quoted.yaml",
            format!("# made by hand\n'openapi': 3.1.0\n{}\n", paths_in_blocks()),
        ),
    ] {
        let desk = Desk::new().with(name, text);
        let listed = desk.run(&["rules", "list", "--rules", name, "--no-builtin-rules"]);
        assert!(
            listed.stdout.contains("get-a "),
            "{name}: {}{}",
            listed.stdout,
            listed.stderr
        );
        let imported = desk.run(&["rules", "import", name]);
        assert!(
            imported.stdout.contains("id = \"get-a\""),
            "{name}: {}",
            imported.stderr
        );
    }
}

#[test]
fn marks_that_no_rule_finds_are_named_with_their_places() {
    let text = r#"openapi: 3.0.3
info: {title: T, version: "1"}
paths:
  "/#Target": {get: {deprecated: true, responses: {}}}
  /a:
    post:
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Old'}}}}
      responses: {"200": {description: ok, content: {application/v1+json: {x-sunset: 2026-06-30, schema: {type: object}}}}}
  /c: {get: {responses: {"200": {content: {application/json: {schema: {$ref: '#/components/schemas/Old'}}}}, "404": {content: {application/json: {schema: {type: object}}}}}}, post: {requestBody: {content: {application/xml: {schema: {properties: {old: {deprecated: true}}}}}}, responses: {}}}
  /b:
    get:
      deprecated: true
      x-acme-deprecation: soon
      x-deprecated: {sunsetDate: 2027-06-30, owner: me}
      parameters:
      - {name: q, in: query, schema: {enum: [x, y], x-enumDeprecated: [true]}}
      responses: {}
components:
  schemas:
    Old: {type: object, deprecated: true, example: {x-old-deprecated: 1}}
    Page: {type: object, properties: {lines: {type: array, items: {$ref: '#/components/schemas/Old'}}}}
  securitySchemes:
    key: {type: http, scheme: basic, deprecated: true}
"#;
    let desk = Desk::new().with("api.yaml", text).with("x.ndjson", "");
    let rules = ["--rules", "api.yaml", "--no-builtin-rules"];
    let all = |start: &[&str]| desk.run(&[start, &rules[..]].concat());
    let imported = desk.run(&["rules", "import", "api.yaml"]);
    assert!(
        imported.stdout.contains("removal = 2027-06-30"),
        "{}",
        imported.stdout
    );
    for ran in [
        all(&["check", "x.ndjson"]),
        desk.run(&["rules", "check", "api.yaml"]),
        imported,
    ] {
        for note in [
            "api.yaml:4:16: the path `/#Target` is deprecated; no call has it, so it is not checked",
            "a whole body of `GET /c` is deprecated; others of another status or media type may look like it",
            "a member of a body of `POST /c` is deprecated; bodies of its media type are not read",
            "api.yaml:23:5: the security scheme `key` is deprecated; captures do not show it",
            "api.yaml:8:76: the key `x-sunset` looks like a mark or a detail of a deprecation, and is not read",
            "api.yaml:13:7: the key `x-acme-deprecation` looks like a mark",
            "the key `owner` looks like a mark",
            "expected a boolean for each value of `enum`",
        ] {
            let output = format!("{}{}", ran.stdout, ran.stderr);
            assert!(output.contains(note), "{note}\n{output}");
            assert!(!output.contains("x-old-deprecated"), "{output}");
        }
    }
}

fn paths_in_blocks() -> &'static str {
    "paths:\n  /a: {get: {deprecated: true, responses: {}}}\ninfo: {title: T, version: '1'}"
}

#[test]
fn header_fields_and_parameters_that_a_fragment_names_decide_the_operation() {
    let description = r"
openapi: 3.0.0
info: {title: T, version: '1'}
servers: [{url: 'https://rpc.example'}]
paths:
  '/#X-Amz-Target=Deploy.ListAll':
    post:
      requestBody: {content: {application/x-amz-json-1.1: {schema: {properties: {old: {deprecated: true}}}}}}
      responses: {}
  '/#X-Amz-Target=Deploy.GetOld': {post: {operationId: get-old, deprecated: true, responses: {}}}
  '/#Action=Stop': {post: {operationId: stop, deprecated: true, responses: {}}}
";
    let rules =
        "api = 'T'\n[[rule]]\nid = 'get-old'\noperation = 'POST /#X-Amz-Target=Deploy.GetOld'\n";
    let call = |target: &str, query: &str| {
        let headers = format!(r#"{{"x-amz-target": "{target}"}}"#);
        let url = format!("https://rpc.example/{query}");
        let request = format!(r#"{{"headers": {headers}, "body": {{"old": 1}}}}"#);
        format!(r#"{{"method": "POST", "url": "{url}", "request": {request}}}"#)
    };
    let calls = [
        call("Deploy.ListAll", ""),
        call("Deploy.GetOld", ""),
        call("Deploy.getold", ""),
        call("Other", "?Action=Stop"),
        call("Other", "?Action=Start"),
        call("Other", "#X-Amz-Target=Deploy.GetOld"),
    ];
    let desk = Desk::new()
        .with("api.yaml", description)
        .with("rules.toml", rules)
        .with("body.json", "{}")
        .with("calls.ndjson", calls.join("\n"));
    let lines = |rules: &str| {
        let arguments = [
            "check",
            "calls.ndjson",
            "--rules",
            rules,
            "--no-builtin-rules",
        ];
        let ran = desk.run(&[&arguments[..], &["--format", "ndjson", "--no-fold"]].concat());
        let findings = ran
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let findings = findings.filter_map(|one: serde_json::Value| one["line"].as_u64());
        findings.collect::<Vec<_>>()
    };
    assert_eq!(lines("api.yaml"), [1, 2, 4]);
    assert_eq!(lines("rules.toml"), [2]);
    let operation = ["--operation", "POST /#X-Amz-Target=Deploy.GetOld"];
    let arguments = [
        "check",
        "body.json",
        "--rules",
        "rules.toml",
        "--no-builtin-rules",
    ];
    let ran = desk.run(&[&arguments[..], &operation[..]].concat());
    assert!(ran.stdout.contains("1 warning"), "{}", ran.stdout);
}
