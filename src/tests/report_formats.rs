//! Every report format is complete, and says that a run was interrupted.

use std::sync::atomic::Ordering;

use sundown_captures::Gauge;
use sundown_report::{OutputFormat, RenderOptions};
use sundown_run::check;

use super::support::{builtin, options, repository, text};

/// Everything that a report format needs besides its module; the message lists all that is missing.
#[test]
fn every_report_format_is_complete() {
    let mut missing = Vec::new();
    for format in OutputFormat::ALL {
        missing.extend(missing_parts(*format));
    }
    missing.extend(unlisted_modules());
    assert!(
        missing.is_empty(),
        "report formats lack these parts:\n  {}\n",
        missing.join("\n  ")
    );
}

fn missing_parts(format: OutputFormat) -> Vec<String> {
    let (name, about, skips) = (format.name, format.about, format.skips);
    let reports = text("docs/reports.md");
    let row = format!("| `{name}` | {about} | {skips} |");
    let parts = [
        (
            !about.contains("TODO") && !skips.contains("TODO"),
            format!(
                "crates/report/src/formats/{name}.rs: say in `about` and `skips` what the format is"
            ),
        ),
        (
            exists(&format!("crates/report/src/formats/{name}.rs"))
                || exists(&format!("crates/report/src/formats/{name}/mod.rs")),
            format!("crates/report/src/formats/{name}.rs: the module has the name of the format"),
        ),
        (
            reports.contains(&row),
            format!("docs/reports.md: in the table, the row {row}"),
        ),
        (
            reports.contains(&format!("--format {name}")),
            format!("docs/reports.md: an example with `--format {name}`"),
        ),
        (
            text("docs/living-with-findings.md").contains(&format!("`{name}`")),
            format!("docs/living-with-findings.md: `{name}` in the table \"In reports\""),
        ),
        (
            // People call `human` text.
            name == "human" || text("CHANGELOG.md").to_lowercase().contains(name),
            format!("CHANGELOG.md: {name}"),
        ),
        (
            text("scripts/validate-reports.py").contains(&format!("\n    \"{name}\": ")),
            format!("scripts/validate-reports.py: \"{name}\" in VALIDATORS"),
        ),
    ];
    // In a run that writes the snapshots, the tests that write them may not be done.
    let are_written = std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always");
    let snapshots = ["fixture", "hostile"].map(|report| {
        let path = format!("tests/reports/snapshots/reports__report_formats__{report}_{name}.snap");
        let help =
            "run INSTA_UPDATE=always cargo test --test reports report_formats, and review it";
        // A page has the text of `json`.
        let is_there = are_written || name == "html" || exists(&path);
        (is_there, format!("{path}: {help}"))
    });
    let missing = parts
        .into_iter()
        .chain(snapshots)
        .filter(|(is_there, _)| !is_there);
    missing.map(|(_, part)| format!("{name}: {part}")).collect()
}

fn exists(path: &str) -> bool {
    repository(path).exists()
}

/// Modules of report formats that the list does not have.
fn unlisted_modules() -> Vec<String> {
    let listed: Vec<_> = OutputFormat::ALL.iter().map(|format| format.name).collect();
    let entries = std::fs::read_dir(repository("crates/report/src/formats")).unwrap();
    let names = entries.map(|entry| entry.unwrap().path().file_stem().unwrap().to_owned());
    let names = names.map(|name| name.into_string().unwrap());
    names
        .filter(|name| !["mod", "registry"].contains(&&**name) && !listed.contains(&name.as_str()))
        .map(|name| {
            format!("{name}: crates/report/src/formats/registry.rs: `super::{name}::FORMAT`")
        })
        .collect()
}

#[test]
fn every_format_says_that_a_run_was_interrupted() {
    let set = builtin();
    let path = repository("testdata/captures/pino-http.ndjson");
    let options = options(&path, &set);
    let gauge = Gauge::default();
    gauge.stop.store(true, Ordering::Relaxed);
    let report = check(&options, &mut &b""[..], &gauge);
    for format in OutputFormat::ALL {
        let mut text = Vec::new();
        format
            .write(&report, RenderOptions::default(), &mut text)
            .unwrap();
        let text = String::from_utf8(text).unwrap().replace("\": ", "\":");
        let marks = [
            "interrupted",
            "\"incomplete\":true",
            "\"executionSuccessful\":false",
        ];
        assert!(
            marks.iter().any(|mark| text.contains(mark)),
            "{}: {text}",
            format.name
        );
    }
}
