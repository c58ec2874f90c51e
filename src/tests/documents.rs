//! The documentation names every format, key and limit.

use super::support::text;

#[test]
fn the_limits_of_report_formats_are_documented() {
    let documented = text("docs/reports.md");
    assert!(documented.contains("25,000 results and 10 MB"));
    assert!(documented.contains("GitHub shows ten annotations of each type"));
}

#[test]
fn every_format_of_lists_and_exports_is_documented() {
    let documented = text("docs/rules.md");
    let formats = sundown_lint::rules::lists::ListFormat::ALL;
    for name in formats.map(sundown_lint::rules::lists::ListFormat::name) {
        assert!(
            documented.contains(&format!("`{name}`")),
            "docs/rules.md does not explain `{name}`"
        );
    }
}

#[test]
fn every_key_of_a_rule_is_documented() {
    let documented = text("docs/rules.md");
    let ids = sundown_lint::rules::RuleFile::parse(
        "x",
        "api = 'x'\nq = 1\n[[rule]]\nid = 'x'\noperation = 'GET /x'\nq = 1\n",
    );
    let mistakes = ids.unwrap_err().mistakes;
    assert_eq!(mistakes.len(), 2);
    for mistake in mistakes {
        let help = mistake.help.unwrap();
        for key in help.strip_prefix("keys here: ").unwrap().split(", ") {
            assert!(
                documented.contains(&format!("`{key}`")),
                "docs/rules.md does not explain `{key}`"
            );
        }
    }
}
