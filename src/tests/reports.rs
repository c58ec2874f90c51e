//! The reports of the program, for people and for machines.

use crate::builtin::LIBRARY;

/// The report of a check, as it is written to a terminal of this height.
fn on_screen(rows: Option<usize>) -> String {
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
    let screen = rows.map(|rows| sundown_report::ScreenSize {
        rows,
        columns: 1_000,
    });
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
