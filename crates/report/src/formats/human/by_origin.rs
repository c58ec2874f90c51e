//! The findings of a report by the places in code, or the tests, that made their calls: a list of work for a developer.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::log_text::plural;
use crate::{LocatedFinding, escape_unsafe};
use sundown_exchange::CodeLocation;
use sundown_lint::findings::call_chain;

/// A finding, and how many of its uses a place in code makes.
type CountedFinding<'r> = (&'r LocatedFinding, usize);

/// Writes each place in code with the findings that it causes, in the order of files and lines, then each consumer of a contract, then
/// each recorded test. What no
/// capture traces to a place or a test comes last.
pub(super) fn write_by_origin(findings: &[&LocatedFinding], out: &mut dyn Write) -> io::Result<()> {
    let mut by_place: BTreeMap<(Option<&str>, &[CodeLocation]), Vec<CountedFinding<'_>>> =
        BTreeMap::new();
    let mut elsewhere: BTreeMap<Option<&str>, Vec<CountedFinding<'_>>> = BTreeMap::new();
    for located in findings {
        let origins = &located.finding.origins;
        let mut traced = 0_usize;
        for counted in origins.by_count() {
            traced = traced.saturating_add(counted.count);
            let origin = &counted.origin;
            by_place
                .entry((origin.consumer.as_deref(), &origin.frames))
                .or_default()
                .push((located, counted.count));
        }
        let rest = located.finding.sightings.count.saturating_sub(traced);
        if rest > 0 {
            elsewhere
                .entry(located.recorded_test())
                .or_default()
                .push((located, rest));
        }
    }
    for ((consumer, places), findings) in &by_place {
        if let Some(consumer) = consumer {
            writeln!(out, "the contract of {}", escape_unsafe(consumer))?;
        }
        for (index, line) in call_chain(places).enumerate() {
            writeln!(
                out,
                "{}{}",
                if index == 0 { "" } else { "  " },
                escape_unsafe(&line)
            )?;
        }
        write_findings(findings, out)?;
    }
    let unknown = elsewhere.remove(&None);
    let known = if by_place.is_empty() && elsewhere.is_empty() {
        ""
    } else {
        "other "
    };
    for (test, findings) in &elsewhere {
        writeln!(
            out,
            "the test recorded as {}",
            escape_unsafe(test.unwrap_or_default())
        )?;
        write_findings(findings, out)?;
    }
    if let Some(findings) = unknown {
        writeln!(out, "{known}code that the captures do not name")?;
        write_findings(&findings, out)?;
    }
    Ok(())
}

fn write_findings(findings: &[CountedFinding<'_>], out: &mut dyn Write) -> io::Result<()> {
    for (located, uses) in findings {
        let finding = &located.finding;
        let severity = finding.severity.name();
        let code = finding.code();
        let message = finding.message();
        let advice = finding.advice();
        writeln!(out, "    {severity}[{code}]: {}", escape_unsafe(&message))?;
        writeln!(
            out,
            "        {} ({}, {})",
            escape_unsafe(&advice),
            plural(*uses, "use"),
            located.place()
        )?;
    }
    writeln!(out)
}
