//! The reports of the program, for people and for machines.

use crate::builtin::LIBRARY;

/// The report of a check of this file, as it is written to a terminal of this height and width.
fn on_screen_of(text: &[u8], rules: Option<&str>, rows: Option<usize>, columns: usize) -> String {
    let mut files: Vec<_> = LIBRARY
        .deprecations
        .iter()
        .map(|table| table.load().unwrap())
        .collect();
    let own = rules.map(|rules| sundown_lint::rules::RuleFile::parse("rules.toml", rules));
    files.extend(own.map(Result::unwrap));
    let set = sundown_lint::rules::RuleSet::new(files).unwrap();
    let today = sundown_lint::rules::Lifecycle::on(super::support::day());
    let path = std::path::Path::new("-");
    let report = super::support::check_with(path, text, &set, today, None, true);
    let screen = rows.map(|rows| sundown_report::ScreenSize { rows, columns });
    let options = sundown_report::RenderOptions {
        screen,
        ..Default::default()
    };
    let mut out = anstream::StripStream::new(Vec::new());
    sundown_report::OutputFormat::HUMAN
        .write(&report, options, &mut out)
        .unwrap();
    String::from_utf8(out.into_inner()).unwrap()
}

/// The report of a check with many findings, as it is written to a terminal of this height.
fn on_screen(rows: Option<usize>, columns: usize) -> String {
    let capture = super::support::repository("testdata/captures/mitmproxy.har");
    on_screen_of(&std::fs::read(capture).unwrap(), None, rows, columns)
}

#[test]
fn on_a_terminal_that_is_too_small_the_summary_comes_first() {
    let (piped, tall) = (on_screen(None, 1_000), on_screen(Some(10_000), 1_000));
    let lines = tall.lines().count();
    assert!(!piped.contains("seen on"), "{piped}");
    assert!(tall.contains("seen on 2026-11-20"), "{tall}");
    assert!(!tall.starts_with("Summary as of "), "{tall}");
    let small = on_screen(Some(lines / 2), 1_000);
    assert!(small.starts_with("Summary as of "), "{small}");
    let sorted = |text: &str| {
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&small), sorted(&tall));
    assert_eq!(small.lines().last(), tall.lines().last());
}

/// Calls with two uses of one element, and with one of each other kind.
const CALLS: &str = r#"{"time":"2026-11-01T10:00:00Z","method":"POST","url":"/v1/orders?page=1&legacy_search=2","status":200,"request":{"headers":{"X-Old-Team":"a"},"body":{"customer":{"legacy_identifier":7}}},"response":{"body":{"orders":[{"legacy_identifier":7}]}}}
{"time":"2026-11-02T10:00:00Z","method":"GET","url":"/v1/archive/7/everything","status":200}
"#;

const RULES: &str = "api = 'Shop'
[[rule]]
id = 'order-identifier'
operation = 'POST /v1/orders'
field = 'legacy_identifier'
replacement = 'id'
removal = 2026-12-31
note = 'identifiers of the former system, which the warehouse still prints on its labels'
[[rule]]
id = 'order-search'
operation = 'POST /v1/orders'
parameter = 'legacy_search'
[[rule]]
id = 'order-team'
operation = 'POST /v1/orders'
header = 'X-Old-Team'
removal = 2026-10-31
[[rule]]
id = 'archive'
operation = 'GET /v1/archive/{id}/everything'
removal = 2026-11-10
";

#[test]
fn findings_fit_terminals_of_60_80_and_140_columns() {
    let screens = [60, 80, 140].map(|columns| {
        let report = on_screen_of(CALLS.as_bytes(), Some(RULES), Some(1_000), columns);
        let (findings, _) = report.rsplit_once("\n\n").unwrap();
        for line in findings.lines() {
            assert!(line.chars().count() <= columns, "{line}");
        }
        format!("{columns} columns\n{findings}")
    });
    insta::assert_snapshot!(screens.join("\n\n"));
}

/// The usage of the recorded orders, as it is written to a terminal of this width.
fn usage_on_screen(columns: usize) -> String {
    let rules = super::support::repository("testdata/usage/rules.toml");
    let rules = std::fs::read_to_string(rules).unwrap();
    let rules = sundown_lint::rules::RuleFile::parse("rules.toml", &rules).unwrap();
    let set = sundown_lint::rules::RuleSet::new(vec![rules]).unwrap();
    let folder = super::support::repository("testdata/usage");
    let day = super::support::day();
    let options = super::support::options(&folder, &set);
    let usage = sundown_usage::UsageOptions {
        rules: None,
        api: None,
        since: None,
        until: None,
        callers: sundown_usage::CallerOptions {
            attributes: Vec::new(),
            key: sundown_usage::CallerKey::PUBLIC,
            values: sundown_usage::CallerValues::Hashed,
            excluded: Vec::new(),
        },
        values: sundown_lint::Values::Hidden,
    };
    let gauge = sundown_captures::Gauge::default();
    let scan = sundown_run::scan_usage(&options, &usage, &mut std::io::empty(), &gauge);
    let options = sundown_usage::UsageReportOptions {
        caller: None,
        verdicts: sundown_usage::VerdictOptions {
            as_of: day,
            quiet_days: 90,
            min_uses: 0,
            min_share: 0.0,
        },
        attributes: Vec::new(),
        uncalled: sundown_usage::UncalledElements::Counted,
    };
    let report = sundown_usage::UsageReport::new(&scan, &options);
    let mut out = Vec::new();
    sundown_usage::UsageFormat::Human
        .write(&report, Some(columns), &mut out)
        .unwrap();
    String::from_utf8(out).unwrap()
}

/// The first rules that are listed on a terminal of this width.
fn rules_on_screen(columns: usize) -> String {
    let files = LIBRARY.deprecations.iter();
    let files = files.map(|table| table.load().unwrap()).collect();
    let set = sundown_lint::rules::RuleSet::new(files).unwrap();
    let options = sundown_run::RuleListOptions {
        removal_before: None,
        detail: sundown_report::FindingDetail::Grouped,
        only_packs: false,
        width: Some(columns),
    };
    let lifecycle = sundown_lint::rules::Lifecycle::on(super::support::day());
    let page = sundown_run::list_rules(&set, options, &lifecycle);
    page.lines().take(5).collect::<Vec<_>>().join("\n")
}

#[test]
fn tables_fit_terminals_of_60_80_and_140_columns() {
    let screens = [60, 80, 140].map(|columns| {
        let report = on_screen(Some(10_000), columns);
        let (_, summary) = report.split_once("Summary as of 2026-11-20:\n").unwrap();
        let summary: Vec<_> = summary.lines().take(3).collect();
        let tables = [
            summary.join("\n"),
            usage_on_screen(columns),
            rules_on_screen(columns),
        ];
        for line in tables.iter().flat_map(|text| text.lines()) {
            assert!(line.chars().count() <= columns, "{line}");
        }
        format!("{columns} columns\n{}", tables.join("\n"))
    });
    insta::assert_snapshot!(screens.join("\n\n"));
}
