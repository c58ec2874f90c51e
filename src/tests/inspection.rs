//! Checks of API descriptions: each check alone, then all on a generated description.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use insta::assert_snapshot;
use proptest::prelude::*;

use super::description_graph::random_schema;
use super::support::{builtin, check_with, day, load, repository, text};
use sundown_lint::findings::{Check, CheckGrades, Finding};
use sundown_lint::inspect::{InspectionOptions, UserRole, inspect};
use sundown_lint::rules::{Lifecycle, RuleFile, RuleTable, Severity};
use sundown_openapi::{Description, EdgeKind, FileId, MarkerOptions, SchemaId};
use sundown_run::explain_check;
use sundown_text_json::json::NodeIndex;

fn table(rules: &str) -> RuleTable {
    let file = RuleFile::parse(
        "rules",
        &format!("api = 'Things'\nbase_path = '/v1'\n{rules}"),
    );
    RuleTable::new(vec![file.unwrap_or_else(|error| panic!("{error:?}"))]).unwrap()
}

/// A rule about the field `old` of one operation.
const OLD: &str = "[[rule]]\nid = 'old'\noperation = 'POST /v1/things'\nfield = 'old'\nat = ['$.old']\nremoval = 2026-12-31\n";

/// A description in which requests and responses of `POST /v1/things` have these members.
fn description_of_things(properties: &str) -> String {
    format!(
        "servers: [{{url: /v1}}]\npaths:\n  /things:\n    post:\n      requestBody: {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/Thing'}}}}}}}}\n      responses: {{'200': {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/Thing'}}}}}}}}}}\ncomponents: {{schemas: {{Thing: {{properties: {{{properties}}}}}}}}}\n"
    )
}

/// The findings in a description, each with its file.
fn inspected(
    description: &Description,
    table: &RuleTable,
    lifecycle: Lifecycle,
    role: UserRole,
) -> Vec<(FileId, Finding)> {
    let mut findings = Vec::new();
    let mut keep = |file, finding| {
        findings.push((file, finding));
        true
    };
    let grades = CheckGrades::default();
    let options = InspectionOptions {
        lifecycle,
        role,
        grades: &grades,
    };
    inspect(description, table, options, &mut keep);
    findings
}

/// The findings of some checks, a line each: check, rule, severity, line of the description, message.
fn finding_lines(rules: &str, description: &str, role: UserRole) -> Vec<String> {
    let (table, description) = (table(rules), load(description));
    let findings = inspected(&description, &table, Lifecycle::on(day()), role);
    let line = |(file, finding): &(_, Finding)| {
        let offset = finding.found.span.start;
        let at = description.locations(*file, vec![offset]).get(offset);
        let check = finding.check().unwrap().id();
        format!(
            "{check} {} {}:{}",
            finding.severity.name(),
            at.line,
            finding.message()
        )
    };
    findings.iter().map(line).collect()
}

fn checks(rules: &str, description: &str) -> Vec<String> {
    let reported = finding_lines(rules, description, UserRole::Either);
    reported
        .iter()
        .map(|line| line.split(' ').next().unwrap().to_owned())
        .collect()
}

/// A rule about `old` of bodies with `mode: x`, and one in which a member of the same object decides.
const CONDITIONAL: &str = "
[[rule]]
id = 'old'
operation = 'POST /v1/things'
field = 'old'
at = ['$.old', '$.list[*].old']
when = { at = '$.mode', value = 'x' }
removal = 2026-12-31
[[rule]]
id = 'api'
operation = 'POST /v1/things'
field = 'api'
value = 'v1'
when = { field = 'kind', starts_with = 'In' }
removal = 2026-12-31
";

#[test]
fn a_declaration_leaves_conditions_undecided_and_an_example_decides_them() {
    let lines = |properties: &str, more: &str| {
        let description =
            description_of_things(properties).replace("{Thing: {", &format!("{{Thing: {{{more}"));
        finding_lines(CONDITIONAL, &description, UserRole::Owner)
    };
    let declared = lines(
        "old: {}, mode: {}, list: {items: {properties: {old: {}}}}",
        "required: [old], ",
    );
    assert_eq!(declared.len(), 2, "{declared:#?}");
    for line in &declared {
        assert!(
            line.starts_with("exposed note ") && line.contains("(possibly: "),
            "{line}"
        );
    }
    let marked = lines("old: {deprecated: true}, mode: {enum: [y, x]}", "");
    assert_eq!(marked.len(), 1, "{marked:#?}");
    for impossible in [
        "old: {}, mode: {enum: [y, z]}",
        "old: {}, mode: {allOf: [{type: string}, {const: y}]}",
        "api: {enum: [v1, v2]}, kind: {enum: [Pod]}",
        "list: {items: {properties: {old: {}}}}, mode: {enum: [y]}",
    ] {
        assert_eq!(lines(impossible, ""), [""; 0], "{impossible}");
    }
    for possible in [
        "old: {}, mode: {oneOf: [{enum: [y]}, {}]}",
        "old: {}, mode: {enum: [y, x]}",
        "old: {}",
        "api: {enum: [v1, v2]}, kind: {enum: [Pod, Ingress]}",
    ] {
        let lines = lines(possible, "");
        assert!(
            lines.len() == 1 && lines[0].starts_with("exposed "),
            "{possible}: {lines:?}"
        );
    }
    let example = |example: &str| {
        let lines = lines(
            "old: {}, mode: {}, list: {items: {properties: {old: {}}}}, api: {enum: [v1]}",
            &format!("example: {example}, "),
        );
        lines
            .into_iter()
            .filter(|line| line.starts_with("examples "))
            .collect::<Vec<_>>()
    };
    for used in [
        "{old: 1, mode: x}",
        "{list: [{old: 1}], mode: x}",
        "'{\"old\": 1, \"mode\": \"x\"}'",
        "{api: v1, kind: Ingress}",
    ] {
        assert_eq!(example(used).len(), 1, "{used}");
    }
    for other in [
        "{old: 1, mode: y}",
        "{old: 1}",
        "{list: [{old: 1, mode: x}]}",
        "{api: v1, kind: Pod}",
        "{api: v2, kind: Ingress}",
    ] {
        assert_eq!(example(other), [""; 0], "{other}");
    }
    // An example of a part of a body does not show the rest.
    let part = lines(
        "old: {}, mode: {}, list: {items: {properties: {old: {}}, example: {old: 1, mode: x}}}",
        "",
    );
    assert!(
        !part.iter().any(|line| line.starts_with("examples ")),
        "{part:?}"
    );
}

#[test]
fn an_element_is_reported_once_with_all_operations_that_reach_it() {
    let found = finding_lines(
        OLD,
        &description_of_things("old: {type: string, deprecated: true, x-sunset: 2026-12-31}"),
        UserRole::Either,
    );
    assert_eq!(
        found,
        [
            "exposed warning 8:`old` in the request of POST /v1/things and the response of POST /v1/things is still declared but is deprecated: 41 days left, until 2026-12-31"
        ]
    );
}

#[test]
fn marks_and_dates_are_compared_with_the_rules() {
    let with =
        |property: &str| checks(OLD, &description_of_things(&format!("old: {{{property}}}")));
    assert_eq!(with("deprecated: true, x-sunset: 2026-12-31"), ["exposed"]);
    assert_eq!(with("type: string"), ["exposed", "unmarked"]);
    assert_eq!(with("deprecated: true"), ["exposed", "undated"]);
    assert_eq!(
        with("deprecated: true, x-sunset: 2027-01-01"),
        ["exposed", "date-differs"]
    );
    let undated = OLD.replace("removal = 2026-12-31", "");
    let found = checks(
        &undated,
        &description_of_things("old: {deprecated: true, x-sunset: 2027-01-01}"),
    );
    assert_eq!(found, ["exposed", "date-differs"], "the rules have no date");
}

#[test]
fn a_replacement_is_searched_for_next_to_the_element() {
    let dated = "deprecated: true, x-sunset: 2026-12-31";
    let with = |replacement: &str, more: &str| {
        let rules = format!("{OLD}replacement = '{replacement}'\n");
        checks(
            &rules,
            &description_of_things(&format!("old: {{{dated}}}, {more}")),
        )
    };
    assert_eq!(with("new", "new: {}"), ["exposed"]);
    assert_eq!(with("new", "other: {}"), ["exposed", "replacement-missing"]);
    assert_eq!(
        with("a.b", "a: {items: {properties: {b: {}}}}"),
        ["exposed"],
        "in lists, too"
    );
    assert_eq!(
        with("a.b", "a: {properties: {c: {}}}"),
        ["exposed", "replacement-missing"]
    );
    assert_eq!(with("Thing", "other: {}"), ["exposed"], "a schema's name");
    assert_eq!(
        with("see the guide", "other: {}"),
        ["exposed"],
        "prose is not judged"
    );
    assert_eq!(
        with("new", &format!("new: {{{dated}}}")),
        ["exposed", "replacement-deprecated", "unknown-to-table"]
    );
    let both = format!(
        "{OLD}replacement = 'new'\n{}",
        OLD.replace("'old'", "'new'").replace("$.old", "$.new")
    );
    let found = checks(
        &both,
        &description_of_things(&format!("old: {{{dated}}}, new: {{{dated}}}")),
    );
    assert_eq!(
        found,
        ["exposed", "replacement-deprecated", "exposed"],
        "by a rule"
    );
}

#[test]
fn required_request_members_are_reported() {
    let described = |sides: &str, required: &str| {
        let rules = format!("{OLD}sides = ['{sides}']\n");
        let properties = "old: {deprecated: true, x-sunset: 2026-12-31}";
        let text = description_of_things(properties).replace(
            "Thing: {properties",
            &format!("Thing: {{required: [{required}], properties"),
        );
        finding_lines(&rules, &text, UserRole::Owner)
    };
    let found = described("request", "x, old");
    assert_eq!(
        found[1],
        "still-required warning 8:`old` in the request of POST /v1/things is deprecated but still required"
    );
    assert_eq!(
        described("response", "old").len(),
        1,
        "the service may promise it"
    );
    assert_eq!(described("request", "x").len(), 1);
}

#[test]
fn operations_and_parameters_are_reported() {
    let rules = "[[rule]]\nid = 'gone'\noperation = 'GET /v1/carts/{id}'\nremoval = 2026-11-01\nreplacement = 'GET /v1/orders'\n[[rule]]\nid = 'page'\noperation = 'GET /v1/orders'\nparameter = 'page'\nreplacement = 'cursor'\n[[rule]]\nid = 'trace'\noperation = 'GET /v1/orders'\nheader = 'x-trace'\n";
    let description = "servers: [{url: 'https://example.com/v1'}]\npaths:\n  /carts/{cart}: {get: {deprecated: true}}\n  /orders:\n    get:\n      parameters:\n      - {in: query, name: page, required: true}\n      - {in: header, name: X-Trace, deprecated: true}\n      responses: {'200': {headers: {X-TRACE: {deprecated: true}}}}\n";
    assert_snapshot!(finding_lines(rules, description, UserRole::Either).join("\n"));
}

#[test]
fn a_value_is_reported_where_the_schema_lists_it() {
    let rules = format!("{OLD}value = 'LEGACY'\nsides = ['request']\n");
    let listed = "old: {enum: [NEW, LEGACY], x-enumDeprecated: [false, true]}";
    assert_eq!(
        checks(&rules, &description_of_things(listed)),
        ["exposed", "undated"]
    );
    let other = "old: {enum: [LEGACY, OTHER], x-enumDeprecated: [false, true]}";
    assert_eq!(
        checks(&rules, &description_of_things(other)),
        ["exposed", "unmarked", "unknown-to-table"]
    );
    assert_eq!(
        checks(
            &rules,
            &description_of_things("old: {items: {enum: [LEGACY]}}")
        )[0],
        "exposed"
    );
    assert_eq!(
        checks(&rules, &description_of_things("old: {enum: [NEW]}")),
        ["removed-early"]
    );
    assert!(
        checks(&rules, &description_of_things("old: {type: string}")).is_empty(),
        "nobody can say"
    );
}

#[test]
fn an_element_removed_before_its_date_is_reported_at_the_operation() {
    let found = finding_lines(OLD, &description_of_things("other: {}"), UserRole::Either);
    assert_eq!(
        found,
        [
            "removed-early warning 5:`old` in the request of POST /v1/things and the response of POST /v1/things is not declared, although it works until 2026-12-31"
        ]
    );
    let past = OLD.replace("2026-12-31", "2026-11-01");
    assert!(
        checks(&past, &description_of_things("other: {}")).is_empty(),
        "it is gone as announced"
    );
    assert!(
        checks(OLD, &description_of_things("")).is_empty(),
        "the schema does not say what is in the body"
    );
    let inside = OLD.replace("$.old", "$.list[*].old");
    assert!(
        checks(&inside, &description_of_things("other: {}")).is_empty(),
        "nor does it have the list"
    );
    let list = "list: {items: {properties: {other: {}}}}";
    assert_eq!(
        checks(&inside, &description_of_things(list)),
        ["removed-early"]
    );
    let any = OLD
        .replace("POST /v1/things", "* /v1/**")
        .replace("operation = '* /v1/**'", "")
        .replace(
            "at = ['$.old']",
            "also = [{ operation = '* /v1/**', at = ['$.old'] }]",
        );
    assert!(
        checks(&any, &description_of_things("other: {}")).is_empty(),
        "a pattern promises nothing"
    );
}

#[test]
fn rules_about_unknown_operations_are_reported_if_their_file_is_about_this_api() {
    let typo = OLD
        .replace("id = 'old'", "id = 'typo'")
        .replace("/v1/things", "/v1/thinsg");
    let found = finding_lines(
        &format!("{OLD}{typo}"),
        &description_of_things("old: {}"),
        UserRole::Owner,
    );
    assert_eq!(
        found.last().unwrap(),
        "never-matched warning 3:no operation of the rule is in this description: `POST /v1/thinsg`; the nearest here is `POST /v1/things`"
    );
    assert!(
        checks(&typo, &description_of_things("old: {}")).is_empty(),
        "of another API, for all we know"
    );
}

#[test]
fn a_marked_element_without_a_rule_is_a_note() {
    let description = r"
servers: [{url: /v1}]
paths:
  /things:
    deprecated: true
    post:
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}
webhooks:
  changed:
    post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}}
components:
  schemas:
    Unused: {deprecated: true}
    Thing:
      properties:
        a: {deprecated: true, x-sunset: 2027-01-31}
        b: {enum: [x, y], x-enumDeprecated: [false, true]}
        c: {items: {deprecated: true}}
  securitySchemes: {Key: {type: apiKey, name: k, in: query, deprecated: true}}
";
    let others = OLD.replace("/v1/things", "/v1/others");
    assert_snapshot!(finding_lines(&others, description, UserRole::Consumer).join("\n"));
}

#[test]
fn examples_are_read_in_every_position() {
    let rules = "[[rule]]\nid = 'old'\noperation = 'POST /v1/things'\nfield = 'old'\nat = ['$.list[0].old']\nremoval = 2026-11-01\n";
    let description = r#"servers: [{url: /v1}]
paths:
  /things:
    post:
      requestBody:
        content:
          application/json:
            example: {list: [{old: 1}, {old: 2}], old: 3}
            schema:
              example: '{"list": [{"old": 1}]}'
              properties:
                list:
                  default: [{old: 1}]
                  items: {examples: [{old: 1}]}
      x-codeSamples:
      - {lang: shell, source: "curl -d '{\"list\": [{\"old\": 1}]}' {host}"}
      - {lang: text, source: "nothing"}
"#;
    let found = finding_lines(rules, description, UserRole::Consumer);
    let places: Vec<_> = found
        .iter()
        .map(|line| line.split(':').next().unwrap())
        .collect();
    assert_eq!(
        places,
        [
            "examples warning 9",
            "examples warning 11",
            "examples warning 14",
            "examples warning 15",
            "examples warning 17"
        ],
        "{found:#?}"
    );
}

#[test]
fn filters_are_possible_on_a_schema_and_exact_in_an_example() {
    let with = |selector: &str, except: &str| {
        let rules = OLD.replace("$.old", selector) + except;
        let schema = "list: {example: [{}, {old: 1}], prefixItems: [{properties: {old: {}}}], items: {properties: {old: {}}}}, map: {additionalProperties: {properties: {old: {}}}}";
        let mut found = checks(&rules, &description_of_things(schema));
        found.retain(|check| check != "unmarked");
        found
    };
    assert_eq!(with("$.list[0].old", ""), ["exposed", "exposed"]);
    assert_eq!(
        with("$.list[1].old", ""),
        ["exposed", "exposed", "examples"]
    );
    assert_eq!(with("$.list[-1].old", ""), ["exposed", "exposed"]);
    assert_eq!(with("$.list[?@.old == 1].old", ""), ["exposed", "exposed"]);
    assert_eq!(with("$.map.any.old", ""), ["exposed"]);
    assert_eq!(with("$.map[0].old", ""), [""; 0]);
    assert_eq!(
        with("$..old", "except = ['$.map.any.old']"),
        ["exposed", "exposed", "exposed", "examples"]
    );
    assert_eq!(
        with("$..old", "except = ['$.map.*.old']"),
        ["exposed", "exposed", "examples"]
    );
    assert_eq!(
        with("$..old", "except = ['$.list[?@.x].old']").len(),
        3,
        "no example can be judged"
    );
}

#[test]
fn the_response_cap_applies_if_only_responses_are_concerned() {
    let capped = |sides: &str| {
        let table = table(&format!("{OLD}sides = {sides}\n"));
        let description = load(&description_of_things(
            "old: {deprecated: true, x-sunset: 2026-12-31}",
        ));
        let lifecycle = Lifecycle {
            response_cap: Some(Severity::Note),
            ..Lifecycle::on(day())
        };
        inspected(&description, &table, lifecycle, UserRole::Either)[0]
            .1
            .severity
    };
    assert_eq!(capped("['response']"), Severity::Note);
    assert_eq!(capped("['request', 'response']"), Severity::Warning);
}

#[test]
fn a_consumer_sees_only_findings_about_consumers() {
    for check in Check::ALL {
        assert_eq!(Check::from_id(check.id()), Some(check));
    }
    let rules = format!("{OLD}replacement = 'new'");
    let found = finding_lines(
        &rules,
        &description_of_things("old: {}"),
        UserRole::Consumer,
    );
    assert_eq!(found.len(), 1);
}

#[test]
fn every_location_is_the_key_that_is_shown() {
    let outcome = check_with(
        &repository("testdata/descriptions/api.yaml"),
        b"",
        &builtin(),
        Lifecycle::on(day()),
        None,
        true,
    );
    let mut keys = 0;
    for placed in &outcome.findings {
        let found = &placed.finding.found;
        let text = text(&placed.file);
        let written = &text[found.span.start..found.span.end];
        assert_eq!(
            placed.location.line,
            text[..found.span.start].matches('\n').count() + 1
        );
        match &found.shown.key {
            Some(key) if !found.shown.encoded => {
                keys += 1;
                assert_eq!(written, key, "{}", placed.finding.message());
            }
            _ => assert!(written.contains("curl"), "{written}"),
        }
    }
    assert!(keys > 15);
}

#[test]
fn every_check_has_a_page() {
    let pages: Vec<_> = Check::ALL.into_iter().map(explain_check).collect();
    assert_snapshot!(pages.join("\n"));
}

#[test]
fn hostile_schemas_are_checked_in_bounded_time() {
    // Every schema holds every other, in lists, maps and alternatives.
    let mut schemas = String::new();
    for n in 0..60 {
        let refs: Vec<_> = (0..60)
            .map(|m| format!("{{$ref: '#/components/schemas/S{m}'}}"))
            .collect();
        let members: Vec<_> = refs
            .iter()
            .enumerate()
            .map(|(m, r)| format!("p{m}: {r}"))
            .collect();
        let _ = writeln!(
            schemas,
            "    S{n}: {{anyOf: [{}], properties: {{{}, old: {{}}}}, additionalProperties: {}, items: {}}}",
            refs.join(", "),
            members.join(", "),
            refs[0],
            refs[1]
        );
    }
    let description = format!(
        "servers: [{{url: /v1}}]\npaths:\n  /things:\n    post:\n      requestBody: {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/S0'}}}}}}}}\ncomponents:\n  schemas:\n{schemas}"
    );
    let rules = OLD.replace("$.old", "$..p1.*.*.p2..old");
    let found = checks(&rules, &description);
    assert_eq!(found.iter().filter(|check| *check == "exposed").count(), 60);
}

proptest! {
    #[test]
    fn random_descriptions_terminate_and_every_span_is_a_key(
        schemas in prop::collection::vec(random_schema(), 8),
        selector in prop::sample::select(&["$..k1", "$.k0.k1", "$..k2[*]..k1", "$.*.k1", "$..k0[?@.k2].k1", "$[0].k1"][..]),
    ) {
        let members: Vec<_> =
            schemas.iter().enumerate().map(|(n, text)| format!("\"S{n}\": {text}")).collect();
        let body = r##"{"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}}"##;
        let text = format!(
            "{{\"openapi\": \"3.1.0\", \"paths\": {{\"/v1/things\": {{\"post\": {{\"requestBody\": {body}, \"responses\": {{\"200\": {body}}}}}}}}}, \"components\": {{\"schemas\": {{{}}}}}}}",
            members.join(", ")
        );
        let read = |_: &str| Err(std::io::ErrorKind::NotFound.into());
        let description = Description::from_bytes("api.json", text.as_bytes(), &read, MarkerOptions::default()).unwrap();
        let rules = OLD.replace("field = 'old'", "field = 'k1'").replace("$.old", selector);
        for (file, finding) in &inspected(&description, &table(&rules), Lifecycle::on(day()), UserRole::Either) {
            prop_assert_eq!(file.index(), 0);
            let span = finding.found.span;
            let written = &text[span.start..span.end];
            prop_assert_eq!(Some(written), finding.found.shown.key.as_deref().or(Some(written)));
            if finding.check() == Some(Check::Exposed) {
                prop_assert_eq!(written, "\"\\u006b1\"");
            }
            let pointer = &finding.found.pointer.as_ref().unwrap().exact;
            let file = description.file(*file).unwrap();
            // A pointer leads to the first of equal keys.
            let is_plain = file.document.notes().is_empty();
            prop_assert!(!is_plain || file.document.at(pointer).is_some(), "{}", pointer);
        }
    }
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
        for schema in description.applied(&[schema]) {
            for edge in description.schemas().edges(schema) {
                let mut longer: Vec<Way> = way.clone();
                match edge.kind {
                    EdgeKind::Property => {
                        longer.push(Way::Key(description.property(edge).unwrap().0.to_owned()));
                        found.push((longer.clone(), edge.member));
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
    fn inspection_and_body_checks_find_the_same_elements(
        schemas in prop::collection::vec(random_schema(), 8),
        (selector, length) in prop::sample::select(&[
            ("$..k1", None), ("$.k1", Some(1)), ("$.k0.k1", Some(2)), ("$.*.k1", Some(2)), ("$[*].k1", Some(2)),
            ("$.k2[0].k1", Some(3)), ("$..k0.k1", None), ("$..k2[*]..k1", None),
        ][..]),
    ) {
        let members: Vec<_> =
            schemas.iter().enumerate().map(|(n, text)| format!("\"S{n}\": {text}")).collect();
        let text = format!(
            r#"{{"openapi": "3.1.0", "paths": {{"/v1/things": {{"post": {{"requestBody": {{"content": {{"application/json": {{"schema": {{
                "properties": {{"k0": {schema}0"}}, "k1": {schema}1"}}, "k2": {{"items": {schema}2"}}}}}},
                "items": {schema}3"}}, "anyOf": [{schema}4"}}, {schema}5"}}]
            }}}}}}}}}}}}}}, "components": {{"schemas": {{{}}}}}}}"#,
            members.join(", "),
            schema = "{\"$ref\": \"#/components/schemas/S",
        );
        let read = |_: &str| Err(std::io::ErrorKind::NotFound.into());
        let description = Description::from_bytes("api.json", text.as_bytes(), &read, MarkerOptions::default()).unwrap();
        let table = table(&OLD.replace("field = 'old'", "field = 'k1'").replace("$.old", selector));
        let inspected = inspected(&description, &table, Lifecycle::on(day()), UserRole::Either);
        let exposed: BTreeSet<String> = inspected.iter()
            .filter(|(_, finding)| finding.check() == Some(Check::Exposed))
            .map(|(_, finding)| finding.found.pointer.as_ref().unwrap().exact.clone())
            .collect();
        let body = description.operations().first().and_then(|operation| operation.bodies.first()?.schema);
        let ways = body.map(|root| paths_into_bodies(&description, root, length.unwrap_or(6))).unwrap_or_default();
        let traffic: String = ways.iter().map(|(way, _)| call(way)).collect();
        let report = check_with("-".as_ref(), traffic.as_bytes(), &table, Lifecycle::on(day()), None, false);
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

#[test]
fn each_value_of_a_sequence_is_checked_as_a_body() {
    let description = "servers: [{url: /v1}]\npaths:\n  /things:\n    post:\n      responses:\n        '200':\n          content:\n            application/jsonl:\n              itemSchema: {properties: {old: {}}}\n              example: [{old: 1}]\n";
    let found = checks(OLD, description);
    assert_eq!(found, ["exposed", "unmarked", "examples"]);
}
