//! Rules in other formats: what is written can be read, by ourselves and by anybody else.

use insta::assert_snapshot;

use crate::support::{Desk, names_after, repository, text};

fn exported(format: &str) -> String {
    let desk = Desk::new().with("shop.toml", text("testdata/exports/rules.toml"));
    let arguments = [
        "rules",
        "export",
        "--rules",
        "shop.toml",
        "--no-builtin-rules",
        "--format",
    ];
    let operation: &[&str] = match format {
        "json-schema" => &["--operation", "POST /v2/orders"],
        _ => &[],
    };
    let ran = desk.run(&[&arguments[..], &[format], operation].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let reported = if ran.stderr.is_empty() {
        String::new()
    } else {
        format!("---\n{}", ran.stderr)
    };
    ran.stdout + &reported
}

#[test]
fn rules_are_written_in_every_format() {
    let names = names_after(&["rules", "export", "--format"]);
    assert!(names.len() > 3, "{names:?}");
    for name in &names {
        assert_snapshot!(format!("exported_{name}"), exported(name));
    }
}

#[test]
fn an_export_that_would_be_empty_says_so() {
    let rules = "api = 'Shop'\n[[rule]]\nid = 'old'\noperation = 'GET /x'\nfield = 'old'\n";
    let desk = Desk::new().with("shop.toml", rules);
    let fixed = [
        "rules",
        "export",
        "--rules",
        "shop.toml",
        "--no-builtin-rules",
    ];
    let ran = desk.run(&[&fixed[..], &["--format", "ical"]].concat());
    let reported = ran
        .stderr
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace("│ ", "");
    let part = "1 rule, because no removal date was announced: old";
    assert!(reported.contains(part), "{reported}");
    assert_eq!((ran.stdout.as_str(), ran.code), ("", 2));
}

#[test]
fn the_built_in_tables_round_trip_through_csv_and_json() {
    let desk = Desk::new();
    for (format, name) in [("csv", "list.csv"), ("json", "list.json")] {
        let arguments = ["rules", "export", "--format", format];
        let text = desk.run(&arguments).stdout;
        std::fs::write(desk.path(name), text).unwrap();
        for table in ["client-api", "indexing-api", "beyond-reference"] {
            let rules = repository(&format!("rules/{table}.toml"));
            let check = [
                "rules",
                "import",
                name,
                "--check",
                "--into",
                rules.to_str().unwrap(),
            ];
            let ran = desk.run(&check);
            assert!(
                !ran.stdout.contains("changed  ") && !ran.stdout.contains("gone  "),
                "{}",
                ran.stdout
            );
        }
    }
}
