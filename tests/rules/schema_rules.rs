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

/// The findings of a check of calls with a description or a table as the rules, each with its line, its rule and its pointer.
fn findings(rules: &str, calls: &str) -> Vec<(u64, String, Option<String>)> {
    let desk = Desk::new().with("rules", rules).with("calls.ndjson", calls);
    let rules = ["--rules", "rules", "--no-builtin-rules"];
    let format = ["--format", "ndjson", "--no-fold"];
    let ran = desk.run(&[&["check", "calls.ndjson"], &rules[..], &format[..]].concat());
    let lines = ran.stdout.lines();
    let lines = lines.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    let found = lines.filter_map(|one| {
        Some((
            one["line"].as_u64()?,
            text(&one["rule"])?,
            text(&one["pointer"]),
        ))
    });
    found.collect()
}

#[test]
fn a_shared_whole_body_is_a_use_where_no_other_body_may_look_like_it() {
    let description = r"
openapi: 3.0.0
info: {title: T, version: '1'}
paths:
  /a: {get: {responses: {'200': {$ref: '#/components/responses/Old'}}}}
  /b: {get: {responses: {'200': {$ref: '#/components/responses/Old'}, '404': {content: {application/json: {schema: {type: object}}}}}}}
components: {responses: {Old: {content: {application/json: {schema: {type: object, deprecated: true}}}}}}
";
    let call = |path: &str| {
        format!(
            r#"{{"method": "GET", "url": "{path}", "response": {{"status": 200, "body": {{}}}}}}"#
        )
    };
    let found = findings(description, &[call("/a"), call("/b")].join("\n"));
    assert_eq!(found, [(1, "old".to_owned(), Some(String::new()))]);
    let desk = Desk::new().with("api.yaml", description);
    let named = desk.run(&["rules", "check", "api.yaml"]).stderr;
    assert!(named.contains("a whole body of `GET /b`"), "{named}");
}

#[test]
fn a_member_of_a_parameter_is_one_use_with_the_parameter() {
    let member =
        "{type: object, properties: {m: {type: string, deprecated: true}, n: {type: string}}}";
    let description = format!(
        "openapi: 3.0.0\ninfo: {{title: T, version: '1'}}\npaths:\n  /a:\n    get:\n      parameters:\n      \
         - {{name: d, in: query, style: deepObject, deprecated: true, schema: {member}}}\n      \
         - {{name: j, in: query, deprecated: true, content: {{application/json: {{schema: {member}}}}}}}\n      \
         responses: {{}}\n"
    );
    let calls = [
        "/a?d[m]=1",
        "/a?d[n]=1",
        r"/a?j={%22m%22:1}",
        r"/a?j={%22n%22:1}",
    ];
    let calls = calls.map(|url| format!(r#"{{"method": "GET", "url": "{url}", "request": {{}}}}"#));
    let found = findings(&description, &calls.join("\n"));
    let found: Vec<_> = found
        .iter()
        .map(|(line, rule, _)| (*line, rule.as_str()))
        .collect();
    assert_eq!(found, [(1, "a-d-m"), (2, "a-d"), (3, "a-j-m"), (4, "a-j")]);
}

#[test]
fn the_value_of_a_parameter_decides_its_alternatives() {
    let one = "{oneOf: [{const: up}, {const: down, deprecated: true}]}";
    let description = format!(
        "openapi: 3.1.0
info: {{title: T, version: '1'}}
paths:
  /a/{{k}}:
    get:
      parameters:
      - {{name: k, in: path, required: true, schema: {one}}}
      - {{name: s, in: query, schema: {one}}}
      - {{name: l, in: query, schema: {{type: array, items: {one}}}}}
      - {{name: all, in: query, schema: {{type: array, items: {{deprecated: true}}}}}}
      - {{name: h, in: header, schema: {one}}}
      responses: {{}}
  '/b/{{ref}}': {{get: {{deprecated: true, parameters: [{{name: ref, in: path, x-multi-segment: true}}], responses: {{}}}}}}
"
    );
    let call = |url: &str, header: &str| {
        format!(
            r#"{{"method": "GET", "url": "{url}", "request": {{"headers": {{"h": "{header}"}}}}}}"#
        )
    };
    let calls = [
        call("/a/up?s=up&l=up,up", "up"),
        call("/a/down", "up"),
        call("/a/up?s=down", "up"),
        call("/a/up?l=up&l=down", "up"),
        call("/a/up?all=1", "up"),
        call("/a/up", "down"),
        call("/b/heads/main", "up"),
    ];
    let found = findings(&description, &calls.join("\n"));
    let lines: Vec<_> = found.iter().map(|one| one.0).collect();
    assert_eq!(lines, [2, 3, 4, 5, 6, 7], "{found:?}");
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
        call("Other", "").replace(r#"{"old": 1}"#, r#""Version=2010-05-08&Action=Stop""#),
        call("Other", "").replace(r#"{"old": 1}"#, r#""Version=2010-05-08&Action=Start""#),
    ];
    let calls = calls.join("\n");
    let lines = |rules: &str| {
        findings(rules, &calls)
            .iter()
            .map(|one| one.0)
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(description), [1, 2, 4, 7]);
    assert_eq!(lines(rules), [2]);
    let desk = Desk::new()
        .with("rules.toml", rules)
        .with("body.json", "{}");
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
