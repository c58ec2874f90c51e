//! Rules from an API description, by way of a rules file that points into it.

use insta::assert_snapshot;

use crate::support::{Desk, text};

fn desk() -> Desk {
    Desk::new().with("api/shop.yaml", text("testdata/located/shop.yaml"))
}

/// The description after a release.
fn released() -> String {
    let before = text("testdata/located/shop.yaml");
    let after = before
        // A postponed date, a value that is no longer deprecated, and a newly deprecated property.
        .replace("x-sunset: 2027-03-31", "x-sunset: 2027-09-30")
        .replace("          x-glean-deprecated: [{ kind: enum-value, enum-value: lost, removal: \"2027-01-15\" }]\n", "")
        .replace("phone: { type: string }", "phone: { type: string, deprecated: true, x-sunset: 2027-12-31 }");
    assert_ne!(before, after);
    after
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
    let merged = desk.run(&[
        "check",
        "--rules",
        "api.yaml",
        "--partial",
        "part",
        "calls.ndjson",
    ]);
    assert_eq!(merged.code, 0, "{}", merged.stderr);
    let merge = ["merge", "--rules", "api.yaml", "part"];
    assert!(desk.run(&merge).stdout.contains(expected));
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
fn the_rules_file_may_be_in_any_folder() {
    for (description, table, path) in [
        ("api/shop.yaml", "api/shop.toml", "shop.yaml"),
        ("api/shop.yaml", "rules/shop.toml", "../api/shop.yaml"),
        (
            "./api/../api/shop.yaml",
            "rules/deep/../shop.toml",
            "../api/shop.yaml",
        ),
    ] {
        let desk = desk().with("rules/x", "").with("rules/deep/x", "");
        let made = desk.run(&["rules", "import", description, "--into", table]);
        assert_eq!(
            made.stdout,
            format!("{table}: made with 6 new\n"),
            "{}",
            made.stderr
        );
        let rules = std::fs::read_to_string(desk.path(table)).unwrap();
        assert!(
            rules.contains(&format!("\ndescription = \"{path}\"\n")),
            "{rules}"
        );
        let checked = desk.run(&["rules", "check", table]);
        assert_eq!(
            checked.stdout,
            format!("{table}: 6 rules, no mistakes\n"),
            "{}",
            checked.stderr
        );
    }
    let desk = desk();
    let absolute = desk.path("api/shop.yaml");
    desk.run(&[
        "rules",
        "import",
        absolute.to_str().unwrap(),
        "--into",
        "shop.toml",
    ]);
    let rules = std::fs::read_to_string(desk.path("shop.toml")).unwrap();
    assert!(
        rules.contains("\ndescription = \"api/shop.yaml\"\n"),
        "{rules}"
    );
    let elsewhere = desk.run(&["rules", "import", "-"]);
    assert_eq!(elsewhere.code, 2);
    let piped = desk.run_with(
        &["rules", "import", "-"],
        text("testdata/located/shop.yaml").as_bytes(),
    );
    assert!(piped.stderr.contains("has no path"), "{}", piped.stderr);
    assert_eq!((piped.stdout.as_str(), piped.code), ("", 2));
}

#[test]
fn importing_again_updates_only_what_the_description_changed() {
    let desk = desk();
    desk.run(&["rules", "import", "api/shop.yaml", "--into", "shop.toml"]);
    let made = std::fs::read_to_string(desk.path("shop.toml")).unwrap();
    // The changes of its owner: an id, a note, sides, an omitted operation.
    let own = made
        .replace("id = \"order-legacy-id\"", "id = \"old-numbers\" # ours")
        .replace("  { operation = \"DELETE /v1/carts\" },\n", "")
        .replace(
            "value = \"lost\"",
            "value = \"lost\"\nnote = \"ask the warehouse\"\nsides = [\"response\"]",
        );
    let desk = desk.with("shop.toml", &own);
    let arguments = ["rules", "import", "api/shop.yaml", "--into", "shop.toml"];
    let check = |desk: &Desk| desk.run(&[&arguments[..], &["--check"]].concat());
    let same = check(&desk);
    assert_eq!(
        (same.stdout.as_str(), same.code),
        ("shop.toml: 0 new, 0 changed, 0 gone, 6 unchanged\n", 0)
    );
    assert!(
        same.stderr.contains("does not cover DELETE /v1/carts"),
        "{}",
        same.stderr
    );
    let desk = desk.with("api/shop.yaml", released());
    let stale = check(&desk);
    assert_eq!(stale.code, 1);
    assert_snapshot!(stale.stdout);
    let merged = desk.run(&arguments);
    assert_eq!((&merged.stdout, merged.code), (&stale.stdout, 0));
    let text = std::fs::read_to_string(desk.path("shop.toml")).unwrap();
    assert_snapshot!(text);
    assert_eq!(desk.run(&[&arguments[..], &["--prune"]].concat()).code, 0);
    assert_eq!(
        desk.run(&["rules", "check", "shop.toml"]).stdout,
        "shop.toml: 6 rules, no mistakes\n"
    );
}

#[test]
fn a_property_that_moved_keeps_its_rule() {
    let desk = desk();
    desk.run(&["rules", "import", "api/shop.yaml", "--into", "shop.toml"]);
    let before = std::fs::read_to_string(desk.path("shop.toml")).unwrap();
    let moved = text("testdata/located/shop.yaml")
        .replace("#/components/schemas/Order", "order.yaml#/Order")
        .replace("    Order:\n", "    Other:\n")
        .replace("deprecated: true\n          description", "description");
    let order = "Order:\n  properties:\n    legacyId: { deprecated: true, x-replaced-by: id }\n";
    let desk = desk
        .with("api/shop.yaml", moved)
        .with("api/order.yaml", order);
    let ran = desk.run(&[
        "rules",
        "import",
        "api/shop.yaml",
        "--into",
        "shop.toml",
        "--prune",
    ]);
    let old = "api/shop.yaml#/components/schemas/Order/properties/legacyId";
    let new = "api/order.yaml#/Order/properties/legacyId";
    let reported = format!("changed  order-legacy-id: schema was {old}, is {new}\n");
    assert!(
        ran.stdout.contains(&reported),
        "{}\n{}",
        ran.stdout,
        ran.stderr
    );
    let after = std::fs::read_to_string(desk.path("shop.toml")).unwrap();
    assert!(before.contains(old) && after.contains(new), "{after}");
    let checked = desk.run(&["rules", "check", "shop.toml"]);
    assert_eq!(checked.code, 0, "{}", checked.stderr);
}

#[test]
fn rules_of_a_list_and_of_a_description_share_a_file() {
    let rules = "# By hand.\napi = \"Shop\"\nbase_path = \"/v1\"\n\n[[rule]]\nid = \"order-legacy-id\"\noperation = \"GET /v1/x\"\nfield = \"legacyId\"\n";
    let desk = desk().with("shop.toml", rules);
    let ran = desk.run(&["rules", "import", "api/shop.yaml", "--into", "shop.toml"]);
    assert!(
        ran.stderr
            .contains("already used; this entry gets `order-legacy-id-2`"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("add description = \"api/shop.yaml\""),
        "{}",
        ran.stderr
    );
    let after = std::fs::read_to_string(desk.path("shop.toml")).unwrap();
    assert!(after.starts_with(rules), "{after}");
    assert_eq!(
        desk.run(&["rules", "check", "shop.toml"]).stdout,
        "shop.toml: 7 rules, no mistakes\n"
    );
}

#[test]
fn a_description_and_its_import_give_the_same_report() {
    let order = r#"{"legacyId":"1","state":"lost","parent":{"legacyId":"2"}}"#;
    let traffic = format!(
        "{{\"method\":\"GET\",\"url\":\"/v1/orders?page=2\",\"response\":{{\"body\":[{order}]}},\"status\":200}}\n\
         {{\"method\":\"POST\",\"url\":\"/v1/orders\",\"request\":{{\"body\":{order}}},\"response\":{{\"headers\":{{\"X-Order-Number\":\"7\"}}}},\"status\":201}}\n\
         {{\"method\":\"GET\",\"url\":\"/v1/orders/export\",\"status\":200}}\n"
    );
    let desk = desk().with("x.ndjson", traffic);
    desk.run(&["rules", "import", "api/shop.yaml", "--into", "rules.toml"]);
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
    let desk = desk();
    desk.run(&["rules", "import", "api/shop.yaml", "--into", "shop.toml"]);
    let own = "[[rule]]\nid = 'persons'\nschema = 'api/shop.yaml#/components/schemas/Person'\n\
               [[rule]]\nid = 'sent'\nschema = 'api/shop.yaml#/components/schemas/Person/properties/phone'\nsides = ['request']\n";
    let rules = std::fs::read_to_string(desk.path("shop.toml")).unwrap() + own;
    let desk = desk.with("shop.toml", rules);
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
    assert!(
        export("ical").stdout.contains("field"),
        "{}",
        export("ical").stdout
    );
}
