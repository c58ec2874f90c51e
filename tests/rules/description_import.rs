//! Rules from an API description, by way of a rules file that points into it.

use insta::assert_snapshot;

use crate::support::{Desk, text};

fn desk() -> Desk {
    Desk::new().with("api/shop.yaml", text("testdata/located/shop.yaml"))
}

#[test]
fn a_description_becomes_a_rules_file() {
    let ran = desk().run(&["rules", "import", "api/shop.yaml"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_snapshot!(ran.stdout);
    let dated = desk()
        .run(&["rules", "import", "api/shop.yaml", "--dates-from-text"])
        .stdout;
    assert_eq!(dated.lines().count(), ran.stdout.lines().count() + 1);
    assert!(dated.contains("removal = 2027-06-30"), "{dated}");
    let named = desk().run(&[
        "rules",
        "import",
        "api/shop.yaml",
        "--from",
        "openapi",
        "--api",
        "X",
    ]);
    assert_eq!(named.stdout, ran.stdout.replace("\"Shop API\"", "\"X\""));
}

#[test]
fn an_end_that_cannot_be_read_is_reported_at_its_place() {
    let operation = |path: &str, end: &str| {
        format!("  {path}: {{get: {{deprecated: true, x-sunset: {end}}}}}\n")
    };
    let description = format!(
        "openapi: 3.0.3\ninfo: {{title: Shop}}\npaths:\n{}{}",
        operation("/a", "2027-02-30"),
        operation("/b", "Q4 2027")
    );
    let desk = Desk::new()
        .with("api.yaml", description)
        .with("calls.ndjson", "{\"method\": \"GET\", \"url\": \"/a\"}\n");
    let unread =
        "api.yaml:4:42: `x-sunset` is a date that cannot be read; write the date as YYYY-MM-DD";
    let period =
        "api.yaml:5:42: `x-sunset` names no day: the last day of that time, 2027-12-31, is used";
    let checked = desk.run(&["rules", "check", "api.yaml"]);
    assert_eq!(
        (checked.code, checked.stdout.as_str()),
        (2, "api.yaml: 2 rules, 1 mistake\n")
    );
    let imported = desk.run(&["rules", "import", "api.yaml"]);
    assert_eq!(imported.stdout.matches("removal = 2027-12-31").count(), 1);
    let run = desk.run(&["check", "--rules", "api.yaml", "calls.ndjson"]);
    for stderr in [&checked.stderr, &imported.stderr, &run.stderr] {
        assert!(
            stderr.contains(unread) && stderr.contains(period),
            "{stderr}"
        );
    }
    let expected = "GET /a is deprecated, with a date that cannot be read\n";
    assert!(run.stdout.contains(expected), "{}", run.stdout);
    assert!(!run.stdout.contains("no date"), "{}", run.stdout);
    let explained = desk.run(&["explain", "get-a", "--rules", "api.yaml"]);
    assert!(explained.stdout.contains("a date that cannot be read"));
}

#[test]
fn a_name_of_several_elements_that_no_rule_can_match_is_said_once() {
    let operation = |path: &str| {
        format!(
            "  /{path}/{{name}}: {{get: {{parameters: [{{name: name, in: path, deprecated: true}}]}}}}\n"
        )
    };
    let description = format!(
        "openapi: 3.0.3\ninfo: {{title: Shop}}\npaths:\n{}{}  /c: {{get: {{deprecated: true}}}}\n",
        operation("a"),
        operation("b")
    );
    let ran = Desk::new()
        .with("api.yaml", description)
        .run(&["rules", "import", "api.yaml"]);
    let said = ran
        .stderr
        .matches("the path parameter `name` is deprecated");
    assert_eq!(said.count(), 1, "{}", ran.stderr);
}

#[test]
fn lists_have_dates_in_every_form() {
    let list =
        "operation,removal\nGET /a,31 Dec 2027\nGET /b,2027-12\nGET /c,\"December 31, 2027\"\n";
    let desk = Desk::new().with("list.csv", list);
    let ran = desk.run(&["rules", "import", "list.csv"]);
    assert_eq!(
        ran.stdout.matches("removal = 2027-12-31").count(),
        3,
        "{}",
        ran.stdout
    );
    let note = "list.csv:3:8: the removal date `2027-12` names no day: the last day of that time, 2027-12-31, is used";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
}

#[test]
fn the_path_of_a_description_is_relative_to_the_working_directory() {
    let desk = desk();
    let absolute = desk.path("api/shop.yaml");
    for description in [
        "api/shop.yaml",
        "./api/../api/shop.yaml",
        absolute.to_str().unwrap(),
    ] {
        let made = desk.run(&["rules", "import", description]);
        let named = "\ndescription = \"api/shop.yaml\"\n";
        assert!(made.stdout.contains(named), "{}", made.stdout);
    }
    let desk = desk.with("rules/shop.toml", "");
    let from_below = desk.run_below("rules", &["rules", "import", "../api/shop.yaml"]);
    std::fs::write(desk.path("rules/shop.toml"), &from_below.stdout).unwrap();
    let checked = desk.run(&["rules", "check", "rules/shop.toml"]);
    let expected = "rules/shop.toml: 6 rules, no mistakes\n";
    assert_eq!(checked.stdout, expected, "{}", checked.stderr);
}

#[test]
fn a_description_on_standard_input_has_no_path() {
    let description = text("testdata/located/shop.yaml");
    let piped = desk().run_with(&["rules", "import", "-"], description.as_bytes());
    assert!(piped.stderr.contains("has no path"), "{}", piped.stderr);
    assert_eq!((piped.stdout.as_str(), piped.code), ("", 2));
}

#[test]
fn a_description_and_its_import_give_the_same_report() {
    let order = r#"{"legacyId":"1","state":"lost","parent":{"legacyId":"2"}}"#;
    let traffic = format!(
        "{{\"method\":\"GET\",\"url\":\"/v1/orders?page=2\",\"response\":{{\"body\":[{order}]}},\"status\":200}}\n\
         {{\"method\":\"POST\",\"url\":\"/v1/orders\",\"request\":{{\"body\":{order}}},\"response\":{{\"headers\":{{\"X-Order-Number\":\"7\"}}}},\"status\":201}}\n\
         {{\"method\":\"GET\",\"url\":\"/v1/orders/export\",\"status\":200}}\n"
    );
    let rules = desk().run(&["rules", "import", "api/shop.yaml"]).stdout;
    let desk = desk().with("x.ndjson", traffic).with("rules.toml", rules);
    let report = |rules: &str| {
        desk.run(&[
            "check",
            "--no-builtin-rules",
            "--format",
            "json",
            "x.ndjson",
            "--rules",
            rules,
        ])
    };
    let (described, imported) = (report("api/shop.yaml"), report("rules.toml"));
    // Only the name of the table differs.
    assert_eq!(
        imported.stdout.replace("rules.toml", "api/shop.yaml"),
        described.stdout
    );
    assert_eq!(
        described.stdout.matches("\"pointer\"").count(),
        6,
        "{}",
        described.stdout
    );
}

#[test]
fn an_export_omits_the_properties_that_only_a_schema_locates() {
    let rules = desk().run(&["rules", "import", "api/shop.yaml"]).stdout;
    let own = "[[rule]]\nid = 'persons'\nschema = 'api/shop.yaml#/components/schemas/Person'\n\
               [[rule]]\nid = 'sent'\nschema = 'api/shop.yaml#/components/schemas/Person/properties/phone'\nsides = ['request']\n";
    let desk = desk().with("shop.toml", rules + own);
    let export = |format| {
        desk.run(&[
            "rules",
            "export",
            "--format",
            format,
            "--rules",
            "shop.toml",
            "--no-builtin-rules",
        ])
    };
    for format in ["csv", "json", "markdown"] {
        let left_out = export(format).stderr;
        assert!(
            left_out.starts_with("left out 4 rules, because a schema locates them"),
            "{left_out}"
        );
    }
}
