//! The reports of the program, for people and for machines.

use crate::builtin::LIBRARY;

/// The report of a check, as it is written to a terminal of this height.
fn on_screen(rows: Option<usize>) -> String {
    on_screen_of(rows, 1_000)
}

/// The report of a check, as it is written to a terminal of this height and width.
fn on_screen_of(rows: Option<usize>, columns: usize) -> String {
    let record = |day: u32| {
        serde_json::json!({
            "time": format!("2026-11-0{day}T10:00:00Z"), "method": "POST", "url": "/rest/api/v1/getanswer",
            "response": {"status": 200, "body": {"answerResult": {"trackingToken": "x"}}},
        })
    };
    let traffic = (1..=3)
        .map(|day| record(day).to_string())
        .collect::<Vec<_>>()
        .join("\n");
    let table = LIBRARY
        .deprecations
        .iter()
        .map(|table| table.load().unwrap())
        .collect();
    let table = sundown_lint::rules::RuleTable::new(table).unwrap();
    let today = sundown_lint::rules::Lifecycle::on(super::support::day());
    let report = super::support::check_with(
        std::path::Path::new("-"),
        traffic.as_bytes(),
        &table,
        today,
        None,
        true,
    );
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

#[test]
fn on_a_terminal_that_is_too_small_the_summary_comes_first() {
    let (piped, tall) = (on_screen(None), on_screen(Some(100)));
    let lines = tall.lines().count();
    assert!(!piped.contains("seen from"), "{piped}");
    assert_eq!(
        tall.lines()
            .filter(|line| line.contains("seen from 2026-11-01 to 2026-11-03"))
            .count(),
        1,
        "{tall}"
    );
    assert!(tall.starts_with("warning["), "{tall}");
    // One line is left for the prompt.
    assert_eq!(on_screen(Some(lines + 1)), tall);
    let small = on_screen(Some(lines));
    assert!(small.starts_with("Summary as of "), "{small}");
    let sorted = |text: &str| {
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&small), sorted(&tall));
    assert_eq!(small.lines().last(), tall.lines().last());
}

/// The usage of the recorded orders, as it is written to a terminal of this width.
fn usage_on_screen(columns: usize) -> String {
    let rules = super::support::repository("testdata/usage/rules.toml");
    let rules = std::fs::read_to_string(rules).unwrap();
    let rules = sundown_lint::rules::RuleFile::parse("rules.toml", &rules).unwrap();
    let table = sundown_lint::rules::RuleTable::new(vec![rules]).unwrap();
    let folder = super::support::repository("testdata/usage");
    let day = super::support::day();
    let lifecycle = sundown_lint::rules::Lifecycle::on(day);
    let options = sundown_run::CheckOptions::new(vec![folder], &table, lifecycle);
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
    let table = sundown_lint::rules::RuleTable::new(files).unwrap();
    let options = sundown_run::RuleListOptions {
        removal_before: None,
        detail: sundown_report::FindingDetail::Grouped,
        only_packs: false,
        width: Some(columns),
    };
    let lifecycle = sundown_lint::rules::Lifecycle::on(super::support::day());
    let page = sundown_run::list_rules(&table, options, &lifecycle);
    page.lines().take(5).collect::<Vec<_>>().join("\n")
}

#[test]
fn tables_fit_terminals_of_60_80_and_140_columns() {
    let screens = [60, 80, 140].map(|columns| {
        let report = on_screen_of(Some(1_000), columns);
        let (_, summary) = report.split_once("Summary as of").unwrap();
        let (summary, _) = summary.split_once("\n\n").unwrap();
        let tables = [
            summary.to_owned(),
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
