//! Rules in other formats: what is written can be read, by ourselves and by anybody else.

use insta::assert_snapshot;

use crate::support::{Desk, names_after, text};

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
    assert!(names.len() > 2, "{names:?}");
    for name in &names {
        assert_snapshot!(format!("exported_{name}"), exported(name));
    }
}
