//! Published lists into rules files: what is read, what is refused, what of a file survives.

use insta::assert_snapshot;

use crate::support::{Desk, repository};

#[test]
fn the_built_in_tables_are_up_to_date_with_the_list() {
    let desk = Desk::new();
    let list = repository("testdata/deprecation-list.md");
    for (name, count) in [("client-api", 23), ("indexing-api", 5)] {
        let rules = repository(&format!("rules/{name}.toml"));
        let arguments = [
            "rules",
            "import",
            list.to_str().unwrap(),
            "--check",
            "--into",
        ];
        let ran = desk.run(&[&arguments[..], &[rules.to_str().unwrap()]].concat());
        let expected = format!(
            "{}: 0 new, 0 changed, 0 gone, {count} unchanged\n",
            rules.display()
        );
        assert_eq!((ran.stdout, ran.code), (expected, 0));
        // The list is about two interfaces: the entries of the other one are reported, each with its location.
        assert_eq!(ran.stderr.lines().count(), 28 - count, "{}", ran.stderr);
    }
}

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
    let old = "api = 'Shop'\n[[rule]]\nid = 'old'\noperation = 'GET /v1/old'\n";
    let desk = desk.with("rules.toml", old);
    for arguments in [
        &["bad.json"][..],
        &["good.json"],
        &["list.csv", "--api", "\u{1b}[31m"],
        &["good.json", "--into", "rules.toml"],
    ] {
        let ran = desk.run(&[&["rules", "import"], arguments].concat());
        for output in [&ran.stdout, &ran.stderr] {
            assert!(
                !output.contains(['\u{1b}', '\u{202e}', '\r']),
                "{arguments:?}: {output:?}"
            );
        }
    }
    assert_eq!(desk.run(&["rules", "check", "rules.toml"]).code, 0);
}

/// A rules file that its owner has worked on.
const OWN: &str = r#"# The shop's rules.
api = "Shop"   # not the other shop

[groups]
all = ["GET /v2/orders", "GET /v2/orders/{id}"]

# Reviewed in May.
[[rule]]
removal = 2026-12-01 # as they said on the phone
id = "own-id"
operation = 'POST /v2/orders'
field = "total"
at = ["$.total"]
except = ["$.live.total"]
also = [
  { group = "all", at = ["$..total"] }, # everywhere
]
replacement = "amount"

# Ours alone.
[[rule]]
id = "ours"
operation = "GET /v2/ours"

[[rule]]
id = "kind"
operation = "GET /v2/orders/{order}"
field = "kind"
note = "unchanged"
[rule.fix]
rename = "type"
safe = true
"#;

const LIST: &str = "\
operation,name,replacement,note,introduced,removal,docs
GET /v2/orders/{id},kind,,unchanged,,2027-03-01,https://shop.example/kind
POST /v2/orders,total,amount.value,,2026-03-01,2026-12-31,
DELETE /v2/carts,,,\"carts are gone, say \"\"they\"\"\",,2026-11-01,
";

#[test]
fn a_merge_updates_only_what_the_list_changed() {
    let desk = Desk::new().with("rules.toml", OWN).with("list.csv", LIST);
    let import = |more: &[&str]| {
        desk.run(
            &[
                &["rules", "import", "list.csv", "--into", "rules.toml"],
                more,
            ]
            .concat(),
        )
    };
    let file = || std::fs::read_to_string(desk.path("rules.toml")).unwrap();
    let checked = import(&["--check"]);
    assert_eq!(
        (checked.code, file().as_str()),
        (1, OWN),
        "a check changes nothing"
    );
    let ran = import(&[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout, checked.stdout);
    assert_snapshot!("merged", format!("{}---\n{}", ran.stdout, file()));
    let merged = file();
    let again = import(&["--check"]);
    assert_eq!(again.code, 0, "{}", again.stdout);
    assert_eq!(import(&[]).stdout, again.stdout);
    assert_eq!(file(), merged, "importing again changes nothing");
    assert_eq!(import(&["--check", "--prune"]).code, 1);
    import(&["--prune"]);
    assert_eq!(
        file(),
        merged.replace(
            "# Ours alone.\n[[rule]]\nid = \"ours\"\noperation = \"GET /v2/ours\"\n\n",
            ""
        )
    );
    assert_eq!(import(&["--check", "--prune"]).code, 0);
}

#[test]
fn a_merge_keeps_line_ends_marks_and_rules_in_one_list() {
    let own = "\u{feff}api = 'Shop'\r\nrule = [\r\n  { id = 'a', operation = 'GET /x' }, # a\r\n  { id = 'b', operation = 'GET /y', removal = 2027-01-01 },\r\n]";
    let list = "operation,removal\nGET /x,2027-02-02\nGET /z,\n";
    let desk = Desk::new().with("rules.toml", own).with("list.csv", list);
    let import = ["rules", "import", "list.csv", "--into", "rules.toml"];
    assert_eq!(desk.run(&import).code, 0);
    let file = || std::fs::read_to_string(desk.path("rules.toml")).unwrap();
    let expected = own
        .replace("'GET /x' }", "'GET /x', removal = 2027-02-02 }")
        .replace(
            "2027-01-01 },",
            "2027-01-01 },\r\n  { id = \"z-endpoint\", operation = \"GET /z\" },",
        );
    assert_eq!(file(), expected);
    assert_eq!(desk.run(&[&import[..], &["--prune"]].concat()).code, 0);
    let left = desk
        .run(&[
            "rules",
            "list",
            "--no-builtin-rules",
            "--rules",
            "rules.toml",
        ])
        .stdout;
    assert!(
        left.contains("  a ") && !left.contains("  b ") && left.contains("z-endpoint"),
        "{left}"
    );
}

#[test]
fn rules_of_one_list_are_added_and_removed_together() {
    let (a, b) = (
        "{ id = 'a', operation = 'GET /x' }",
        "{ id = 'b', operation = 'GET /y' }",
    );
    for own in [
        format!("[{a}, {b}]"),
        format!("[{b}, {a}]"),
        format!("[{b} , {a},\n]"),
        format!("[{b}]"),
    ] {
        let desk = Desk::new()
            .with("rules.toml", format!("api = 'Shop'\nrule = {own}\n"))
            .with(
                "list.csv",
                "operation,name\nGET /x,\nGET /z,new\nGET /z,newer\n",
            );
        let import = [
            "rules",
            "import",
            "list.csv",
            "--into",
            "rules.toml",
            "--prune",
            "--prune-most",
        ];
        let ran = desk.run(&import);
        assert_eq!(ran.code, 0, "{own}: {}", ran.stderr);
        let again = desk.run(&import).stdout;
        assert_eq!(
            again, "rules.toml: 0 new, 0 changed, 0 gone, 3 unchanged\n",
            "{own}"
        );
    }
}

#[test]
fn a_missing_rules_file_is_created() {
    let desk = Desk::new().with("list.md", MARKDOWN);
    let import = [
        "rules",
        "import",
        "list.md",
        "--into",
        "rules.toml",
        "--api",
        "Shop",
    ];
    let ran = desk.run(&import);
    assert_eq!(
        (ran.stdout.as_str(), ran.code),
        ("rules.toml: made with 8 new\n", 0)
    );
    let printed = desk
        .run(&["rules", "import", "list.md", "--api", "Shop"])
        .stdout;
    assert_eq!(
        std::fs::read_to_string(desk.path("rules.toml")).unwrap(),
        printed
    );
    assert_eq!(desk.run(&[&import[..], &["--check"]].concat()).code, 0);
    let missing = desk.run(&[
        "rules",
        "import",
        "list.md",
        "--into",
        "none.toml",
        "--check",
    ]);
    assert!(
        missing.stderr.contains("none.toml cannot be read"),
        "{}",
        missing.stderr
    );
    assert_eq!(missing.code, 2);
}

#[test]
fn a_rules_file_with_mistakes_is_not_touched() {
    let desk = Desk::new()
        .with("rules.toml", "api = 'Shop'\nrule = 7\n")
        .with("list.md", MARKDOWN);
    let ran = desk.run(&["rules", "import", "list.md", "--into", "rules.toml"]);
    assert!(ran.stderr.contains("rules.toml:2:8"), "{}", ran.stderr);
    assert_eq!(ran.code, 2);
    assert!(
        std::fs::read_to_string(desk.path("rules.toml"))
            .unwrap()
            .ends_with("rule = 7\n")
    );
}

#[test]
fn a_rule_of_several_operations_is_found_in_each_of_them() {
    let own = "api = 'Shop'\n[[rule]]\nid = 'shared'\nfield = 'old'\nalso = [{ operation = 'GET /a' }, { operation = 'GET /b' }]\n";
    let list = "operation,name,removal\nGET /a,old,2027-01-01\nGET /b,old,2027-01-01\n";
    let desk = Desk::new().with("rules.toml", own).with("list.csv", list);
    let ran = desk.run(&["rules", "import", "list.csv", "--into", "rules.toml"]);
    assert_eq!(
        ran.stdout,
        "changed  shared: removal was nothing, is 2027-01-01\nrules.toml: 0 new, 1 changed, 0 gone, 0 unchanged\n"
    );
    let desk = desk.with("list.csv", list.replace("b,old,2027", "b,old,2028"));
    let ran = desk.run(&[
        "rules",
        "import",
        "list.csv",
        "--into",
        "rules.toml",
        "--check",
    ]);
    assert!(
        ran.stderr.contains("list.csv:3:1: the entry is ignored"),
        "{}",
        ran.stderr
    );
}

#[test]
fn entries_about_one_element_keep_their_rules() {
    let own = "api = 'Shop'\n[[rule]]\nid = 'first'\noperation = 'GET /a'\nreplacement = 'x'\n";
    let list = "id,operation,docs\none,GET /a,\ntwo,GET /a,https://shop.example\n";
    let desk = Desk::new().with("rules.toml", own).with("list.csv", list);
    let import = ["rules", "import", "list.csv", "--into", "rules.toml"];
    let reported = desk.run(&import).stdout;
    assert!(reported.starts_with("new      two: GET /a"), "{reported}");
    let again = desk.run(&import).stdout;
    assert_eq!(again, "rules.toml: 0 new, 0 changed, 0 gone, 2 unchanged\n");
}

#[test]
fn an_entry_that_a_rules_file_cannot_hold_is_refused_at_its_place() {
    let desk = Desk::new()
        .with(
            "list.csv",
            "operation,name\nGET /v1/a,b\nGET /v1/:id,b\nGET /v1/<x>,b\n",
        )
        .with(
            "rules.toml",
            "api = 'Shop'\n[[rule]]\nid = 'a-b'\noperation = 'GET /v1/a'\n",
        );
    let old = std::fs::read_to_string(desk.path("rules.toml")).unwrap();
    for target in [&[][..], &["--into", "new.toml"], &["--into", "rules.toml"]] {
        let ran = desk.run(&[&["rules", "import", "list.csv"], target].concat());
        assert_eq!((ran.stdout.as_str(), ran.code), ("", 2), "{target:?}");
        for part in [
            "list.csv:3:1: `:id` is matched literally",
            "`{id}`",
            "1 more",
            "rules check",
        ] {
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        }
    }
    assert!(!desk.path("new.toml").exists());
    assert_eq!(
        std::fs::read_to_string(desk.path("rules.toml")).unwrap(),
        old
    );
}

#[test]
fn a_rules_file_without_rules_is_not_made() {
    let desk = Desk::new().with(
        "list.csv",
        "operation,type,name\nGET /v1/a,parameter,param[1]\n",
    );
    for target in [&[][..], &["--into", "new.toml"]] {
        let ran = desk.run(&[&["rules", "import", "list.csv"], target].concat());
        assert_eq!((ran.stdout.as_str(), ran.code), ("", 0), "{}", ran.stderr);
        assert!(
            ran.stderr.contains("list.csv: no entry becomes a rule"),
            "{}",
            ran.stderr
        );
    }
    assert!(!desk.path("new.toml").exists());
}

#[test]
fn a_list_without_most_of_the_rules_removes_them_only_if_that_is_asked_for() {
    let rule = |name: &str| format!("[[rule]]\nid = '{name}'\noperation = 'GET /v1/{name}'\n");
    let rules = format!(
        "api = 'Shop'\n{}",
        ["a", "b", "c", "d", "e"].map(rule).concat()
    );
    let list = |names: &[&str]| {
        let lines = names.iter().map(|name| format!("GET /v1/{name},\n"));
        format!("operation,name\n{}", lines.collect::<String>())
    };
    let import = [
        "rules",
        "import",
        "list.csv",
        "--into",
        "rules.toml",
        "--prune",
    ];
    // Other rules that are new do not take the place of these.
    for names in [&["a", "b"][..], &["a", "b", "x", "y", "z"], &["x"]] {
        let desk = Desk::new()
            .with("rules.toml", &rules)
            .with("list.csv", list(names));
        let ran = desk.run(&import);
        let gone = if names == ["x"] { 5 } else { 3 };
        let message = format!("--prune would remove {gone} of the 5 rules in rules.toml");
        assert_eq!((ran.stdout.as_str(), ran.code), ("", 2), "{names:?}");
        assert!(ran.stderr.contains(&message), "{}", ran.stderr);
        assert!(ran.stderr.contains("--prune-most"), "{}", ran.stderr);
        assert_eq!(
            std::fs::read_to_string(desk.path("rules.toml")).unwrap(),
            rules
        );
        assert_eq!(
            desk.run(&[&import[..], &["--check"]].concat()).code,
            1,
            "this removes nothing"
        );
        let ran = desk.run(&[&import[..], &["--prune-most"]].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let checked = desk.run(&["rules", "check", "rules.toml"]).stdout;
        assert!(
            checked.contains(&format!("{} rule", names.len())),
            "{checked}"
        );
    }
    let desk = Desk::new()
        .with("rules.toml", &rules)
        .with("list.csv", list(&["a", "b", "c"]));
    assert_eq!(desk.run(&import).code, 0, "two of five are less than half");
    let desk = desk.with("list.csv", list(&["a"]));
    assert_eq!(desk.run(&import).code, 2);
    let desk = desk.with(
        "rules.toml",
        format!("api = 'Shop'\n{}{}", rule("a"), rule("b")),
    );
    assert_eq!(desk.run(&import).code, 0, "one of two is half");
}
