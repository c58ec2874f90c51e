//! Published lists into rules files: what is read, and what is refused.

use insta::assert_snapshot;

use crate::support::Desk;

/// Five entries in each of the three formats.
const MARKDOWN: &str = include_str!("../../testdata/lists/orders.md");

const CSV: &str = include_str!("../../testdata/lists/orders.csv");

const JSON: &str = include_str!("../../testdata/lists/orders.json");

#[test]
fn the_format_is_recognised_unless_it_is_named() {
    let desk = Desk::new()
        .with("a.txt", MARKDOWN)
        .with("b.txt", format!("\u{feff}{CSV}"))
        .with("c.txt", JSON)
        .with("prose.txt", "Fields may go away.\n")
        .with("api.yaml", "openapi: 3.1.0\n")
        .with("api.json", "{\n  \"openapi\": \"3.1.0\"\n}");
    let printed = desk
        .run(&["rules", "import", "a.txt", "--api", "Shop"])
        .stdout;
    for (file, format) in [("a.txt", "markdown"), ("b.txt", "csv"), ("c.txt", "json")] {
        let ran = desk.run(&["rules", "import", file, "--api", "Shop"]);
        assert_eq!(
            (ran.stdout.replace(file, "a.txt"), ran.code),
            (printed.clone(), 0)
        );
        let named = desk.run(&["rules", "import", file, "--api", "Shop", "--from", format]);
        assert_eq!(named.stdout, ran.stdout);
        let wrong = if format == "json" { "csv" } else { "json" };
        assert_eq!(
            desk.run(&["rules", "import", file, "--from", wrong]).code,
            2
        );
    }
    let piped = desk.run_with(&["rules", "import", "-", "--api", "Shop"], JSON.as_bytes());
    assert_eq!(piped.stdout, printed.replace("a.txt", "-"));
    for (file, part) in [
        ("prose.txt", "name its format with --from"),
        ("api.yaml", "marks nothing as deprecated"),
        ("api.json", "marks nothing as deprecated"),
        ("none.txt", "check the path of the list"),
    ] {
        let ran = desk.run(&["rules", "import", file]);
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
        assert_eq!((ran.stdout.as_str(), ran.code), ("", 2));
    }
}

#[test]
fn all_mistakes_of_a_markdown_list_are_reported_together() {
    let list = "\
| Operation | Item | Replacement or note | Removal date |
|---|---|---|---|
| same | field `a` | none stated | 2027-01-15 |
| POST /v1/x | fieldset `a` | none stated | 2027-01-15 |
| POST /v1/x | field `b` | none stated | 15.01.2027 |
| POST /v1/x | field `c` | 2027-01-15 |
| POST v1/x | field `d` | none stated | 2027-02-30 |
| GET /v1/y | field `e` | none stated | 2027-01-15 |
| same | field `e` | none stated | 2027-02-15 |
| | field `f` | none stated | 2027-02-30 |
| GET /v1/y | value `V` | none stated | soon |
";
    let ran = Desk::new().with("list.md", list).run_import("list.md");
    assert_snapshot!(ran);
}

#[test]
fn all_mistakes_of_a_csv_list_are_reported_together() {
    let list = "\
id,operation,type,name,value,removal
a,POST /v1/x,feild,total,,2027-01-15
b,POST /v1/x,field,,,2027-01-15
c,POST /v1/x,field,total,OLD,2027-01-15
d,POST /v1/x,enum-value,kind,,2027-01-15
e,/v1/x,field,total,,2027-01-32
f,POST /v1/x,field,total
g,GET /v1/y,field,a,,
g,GET /v1/y,field,b,,
,GET /v1/y,field,c,,
,GET /v1/y,field,c,,
h,GET /v1/y,field,\"never closed,,
";
    let ran = Desk::new().with("list.csv", list).run_import("list.csv");
    assert_snapshot!(ran);
}

#[test]
fn all_mistakes_of_a_json_list_are_reported_together() {
    let list = r#"{"endpoints": [
  {"path": "/v1/x", "deprecations": []},
  {"method": "GET", "path": "/v1/{x", "deprecations": [{"type": "field", "name": "a"}]},
  {"method": "GET", "path": "/v1/x", "deprecations": [
    {"type": "value", "name": "a"},
    {"name": "b"},
    {"type": "field", "name": 7},
    {"type": "field", "name": "c", "name": "d", "removal": "2027"},
    "e"
  ]},
  {"method": "GET", "path": "/v1/y"}
]}"#;
    let ran = Desk::new().with("list.json", list).run_import("list.json");
    assert_snapshot!(ran);
    let broken = Desk::new()
        .with("list.json", &list[..60])
        .run_import("list.json");
    assert!(
        broken.contains("not JSON: the text ends inside a value"),
        "{broken}"
    );
    for wrong in ["[]", r#"{"endpoints": {}}"#, r#"{"endpoints": [1]}"#, "{}"] {
        let reported = Desk::new().with("list.json", wrong).run_import("list.json");
        assert!(reported.contains("help:"), "{reported}");
    }
}

#[test]
fn a_file_that_is_not_a_list_is_reported_by_location_without_values() {
    let header = "operation,type,token";
    for (name, text, format) in [
        ("a.txt", "token: hunter2", "markdown"),
        (
            "a.md",
            "| Name | Token |\n|---|---|\n| zoe | hunter2 |\n",
            "markdown",
        ),
        (
            "a.md",
            "hunter2\n\n| Name |\n|---|\n| hunter2 |\n",
            "markdown",
        ),
        ("a.csv", "name,hunter2\nzoe,hunter2\n", "csv"),
        ("a.csv", "\"hunter2\n", "csv"),
        ("a.csv", &format!("{header}\nG T /a,field,hunter2\n"), "csv"),
        ("a.json", "{\"token\": \"hunter2\"}", "json"),
        ("a.json", "{\"token\": \"hunter2\", }", "json"),
        ("a.json", "[{\"token\": \"hunter2\"}]", "json"),
        ("a.json", "\"hunter2\"", "json"),
        (
            "a.json",
            "{\"endpoints\": [{\"method\": \"hunter2\"}]}",
            "json",
        ),
    ] {
        let desk = Desk::new().with(name, text);
        let reported = desk.run(&["rules", "import", name, "--from", format]);
        assert_eq!(reported.code, 2, "{text}");
        assert!(
            !reported.stderr.contains("hunter2"),
            "{text}:\n{}",
            reported.stderr
        );
        assert!(
            reported.stderr.contains(&format!("─ {name}:")),
            "{text}:\n{}",
            reported.stderr
        );
    }
    // The excerpt of a list with a mistake shows the mistake.
    for (name, text) in [
        (
            "a.md",
            "| Operation | Item | Removal date |\n|---|---|---|\n| GET /a | field `b` | soon |\n",
        ),
        ("a.csv", "operation,removal\nGET /a,soon\n"),
        (
            "a.json",
            r#"{"endpoints": [{"method": "GET", "path": "/a", "deprecations": [{"type": "endpoint", "removal": "soon"}]}]}"#,
        ),
    ] {
        let reported = Desk::new().with(name, text).run_import(name);
        assert!(
            reported.contains("`soon` is not a date") && reported.contains("GET"),
            "{reported}"
        );
    }
}

#[test]
fn tables_that_are_not_lists_are_counted_in_correct_english() {
    let table = "| Name |\n|---|\n| zoe |\n\n";
    let reported = |count: usize| {
        let desk = Desk::new().with("a.md", table.repeat(count));
        let reported = desk.run_import("a.md");
        reported.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(
        reported(1),
        "error: the only table in this document is not a deprecation list"
    );
    assert_eq!(
        reported(2),
        "error: none of the 2 tables in this document is a deprecation list"
    );
}

#[test]
fn an_excerpt_of_a_long_line_shows_only_the_context_of_the_mistake() {
    let padding = " ".repeat(70_000);
    let known = r#"{"method":"GET","path":"/a","deprecations":[]}"#;
    let list = format!(r#"{{"endpoints":[{known},{padding}[7]{padding}]}}"#);
    let column = list.find("[7]").unwrap() + 1;
    let reported = Desk::new().with("list.json", list).run_import("list.json");
    assert!(
        reported.contains(&format!("┌─ list.json:1:{column}\n")),
        "{reported}"
    );
    let [place, shown, mark] = ["1 │ …", "[7]", "^"].map(|piece| reported.find(piece).unwrap());
    assert!(place < shown && shown < mark, "{reported}");
    assert!(reported.len() < 1_000, "{} bytes", reported.len());
}

#[test]
fn entries_that_a_rules_file_cannot_express_are_reported_with_their_location() {
    let list = r#"{"endpoints": [
  {"method": "GET", "path": "/v1/x", "tags": [], "deprecations": [
    {"id": "Old_Name-", "type": "field", "name": "a", "severity": "high"},
    {"id": "shared", "type": "field", "name": "b"},
    {"type": "parameter", "name": "param[3]"},
    {"type": "endpoint", "name": "the old one"}]},
  {"method": "GET", "path": "/v1/y", "deprecations": [{"id": "shared", "type": "field", "name": "b"}]}
], "totalCount": 7}"#;
    let ran = Desk::new()
        .with("list.json", list)
        .run(&["rules", "import", "list.json"]);
    assert_eq!(ran.code, 0);
    assert_snapshot!(
        "told_besides_the_rules",
        format!("{}---\n{}", ran.stdout, ran.stderr)
    );
}

#[test]
fn hostile_names_are_printed_escaped() {
    let name = "a\"\"\"'\\\n\r\u{1b}[31m\u{202e}é]";
    let quoted = serde_json::to_string(name).unwrap();
    let json = format!(
        r#"{{"endpoints": [{{"method": "POST", "path": "/v1/x", "deprecations": [
            {{"type": "field", "name": {quoted}, "replacement": {quoted}, "docs": {quoted}}},
            {{"type": "{}", "name": "x"}}]}}]}}"#,
        "\\u001b[2J"
    );
    let csv = format!(
        "operation,name,replacement\nPOST /v1/x,\"{0}\",\"{0}\"\n",
        name.replace('"', "\"\"")
    );
    let good = json.replace(r#""type": "\u001b[2J""#, r#""type": "field""#);
    let desk = Desk::new()
        .with("bad.json", &json)
        .with("good.json", &good)
        .with("list.csv", &csv);
    for arguments in [
        &["bad.json"][..],
        &["good.json"],
        &["list.csv", "--api", "\u{1b}[31m"],
    ] {
        let ran = desk.run(&[&["rules", "import"], arguments].concat());
        for output in [&ran.stdout, &ran.stderr] {
            assert!(
                !output.contains(['\u{1b}', '\u{202e}', '\r']),
                "{arguments:?}: {output:?}"
            );
        }
    }
    let rules = desk.run(&["rules", "import", "good.json"]).stdout;
    let desk = desk.with("rules.toml", rules);
    assert_eq!(desk.run(&["rules", "check", "rules.toml"]).code, 0);
}

#[test]
fn an_entry_that_a_rules_file_cannot_hold_is_refused_at_its_place() {
    let desk = Desk::new().with(
        "list.csv",
        "operation,name\nGET /v1/a,b\nGET /v1/:id,b\nGET /v1/<x>,b\n",
    );
    let ran = desk.run(&["rules", "import", "list.csv"]);
    assert_eq!((ran.stdout.as_str(), ran.code), ("", 2));
    for part in [
        "list.csv:3:1: `:id` is matched literally",
        "`{id}`",
        "1 more",
        "rules check",
    ] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
}

#[test]
fn a_rules_file_without_rules_is_not_made() {
    let desk = Desk::new().with(
        "list.csv",
        "operation,type,name\nGET /v1/a,parameter,param[1]\n",
    );
    let ran = desk.run(&["rules", "import", "list.csv"]);
    assert_eq!((ran.stdout.as_str(), ran.code), ("", 0), "{}", ran.stderr);
    let message = "list.csv: no entry becomes a rule";
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
}
