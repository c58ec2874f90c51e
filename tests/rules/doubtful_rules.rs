//! Rules that can never match are mistakes, and rules that are probably wrong are warnings: each with its place and a remedy.

use insta::assert_snapshot;

use crate::support::Desk;

fn rule(operation: &str, keys: &str) -> String {
    format!("[[rule]]\nid = 'r'\noperation = '{operation}'\n{keys}\n")
}

#[test]
fn values_and_conditions_that_cannot_be_are_mistakes() {
    let cases = [
        "value = 'x'",
        "segment = 'id'",
        "segment = 'other'\nvalue = 'x'",
        "field = 'a'\nsegment = 'id'\nvalue = 'x'",
        "field = 'a'\nvalue = 'x'\nstarts_with = 'y'",
        "field = 'a'\nvalue = 'x'\nvalues = ['y']",
        "field = 'a'\nvalues = []",
        "field = 'a'\nvalues = ['x', 'x']",
        "field = 'a'\nvalues = ['x.1', { value = 'x-1' }]",
        "field = 'a'\nvalues = [{ removal = 2027-01-01 }]",
        "field = 'a'\nvalues = [{ value = 'x', at = ['$.a'] }, [1]]",
        "field = 'a'\nbefore = 'soon'",
        "field = 'a'\nsupported_months = 12",
        "field = 'a'\nnewest = '2026-10'",
        "field = 'a'\nsupported_months = 0\nnewest = '2026-10'",
        "field = 'a'\nsupported_months = 12\nnewest = 'v19.0'",
        "field = 'a'\nsupported_months = 12\nnewest = '2026-10'\nremoval = 2030-01-01",
        "field = 'a'\nvalues = [{ supported_months = 12, newest = '2026-10', removal = 2030-01-01 }]",
        "field = 'a'\nbefore = '2024-02-30'",
        "field = 'a'\nsupported_months = 12\nnewest = '2026-13'",
        "field = 'a'\nbefore = '99999999'",
        "parameter = 'a'\nwhen = { field = 'kind', value = 'x' }",
        "field = 'a'\nwhen = { field = 'kind' }",
        "field = 'a'\nwhen = { value = 'x' }",
        "field = 'a'\nwhen = { at = '$..kind', value = 'x' }",
        "field = 'a'\nwhen = { field = 'kind', at = '$.kind', value = 'x' }",
        "field = 'a'\nwhen = [{ fields = 'kind', value = 'x' }]",
        "field = 'a'\nstarts-with = 'x'",
    ];
    let mut all = String::new();
    for case in cases {
        let desk = Desk::new().with(
            "shop.toml",
            format!("api = 'Shop'\n{}", rule("GET /a/{id}", case)),
        );
        let ran = desk.run(&["rules", "check", "shop.toml"]);
        assert_eq!(ran.code, 2, "{case}: {}", ran.stderr);
        let lines = ran
            .stderr
            .lines()
            .filter(|line| line.contains("error: ") || line.contains("help: "));
        let lines: Vec<_> = lines
            .map(str::trim)
            .filter(|line| !line.contains("shop.toml: "))
            .collect();
        let lines = lines.join("\n    ");
        all += &[case, "\n    ", &lines, "\n"].concat();
    }
    assert_snapshot!(all);
}

#[test]
fn warnings_are_reported_with_their_places_and_do_not_fail() {
    let rules = "api = 'Shop'\n[[rule]]\nid = 'a'\noperation = 'GETT /a'\nfield = 'order.total'\nintroduced = 2027-01-02\nremoval = 2027-01-01\n";
    let desk = Desk::new().with("shop.toml", rules);
    let ran = desk.run(&["rules", "check", "shop.toml"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "shop.toml: 1 rule, no mistakes, 3 warnings\n")
    );
    assert_snapshot!(ran.stderr);
    // Together with a mistake, all are reported at once.
    let broken = desk.with("broken.toml", format!("{rules}removl = 1\n"));
    let ran = broken.run(&["rules", "check", "broken.toml"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("1 mistake and 3 warnings"),
        "{}",
        ran.stderr
    );
}
