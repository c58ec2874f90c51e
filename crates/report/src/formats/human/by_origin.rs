//! The findings of a report by the places in code, or the tests, that made their calls: a list of work for a developer.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::log_text::plural;
use crate::{LocatedFinding, escape_unsafe};
use sundown_exchange::CodeLocation;
use sundown_lint::findings::call_chain;

/// A finding, and how many of its uses a place in code makes.
type CountedFinding<'r> = (&'r LocatedFinding, usize);

/// What made the calls of a finding, in the order of the list.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum CallOrigin<'r> {
    /// Code, or the contract of a consumer.
    Code(Option<&'r str>, &'r [CodeLocation]),
    /// A recorded test.
    Test(&'r str),
    Unknown,
}

/// Writes each place in code with the findings that it causes, in the order of files and lines, then each consumer of a contract, then
/// each recorded test. What no capture traces to a place or a test comes last.
pub(super) fn write_by_origin(findings: &[&LocatedFinding], out: &mut dyn Write) -> io::Result<()> {
    let mut by_origin: BTreeMap<CallOrigin<'_>, Vec<CountedFinding<'_>>> = BTreeMap::new();
    for located in findings {
        let finding = &located.finding;
        let mut rest = finding.sightings.count;
        for (origin, count) in finding.origins.by_count() {
            rest = rest.saturating_sub(count);
            let origin = CallOrigin::Code(origin.consumer.as_deref(), &origin.frames);
            let own = by_origin.entry(origin).or_default();
            own.push((located, count));
        }
        if rest > 0 {
            let test = located.recorded_test();
            let origin = test.map_or(CallOrigin::Unknown, CallOrigin::Test);
            by_origin.entry(origin).or_default().push((located, rest));
        }
    }
    for (origin, findings) in &by_origin {
        match origin {
            CallOrigin::Code(consumer, places) => {
                if let Some(consumer) = consumer {
                    writeln!(out, "the contract of {}", escape_unsafe(consumer))?;
                }
                for (index, line) in call_chain(places).enumerate() {
                    let indent = if index == 0 { "" } else { "  " };
                    writeln!(out, "{indent}{}", escape_unsafe(&line))?;
                }
            }
            CallOrigin::Test(test) => {
                writeln!(out, "the test recorded as {}", escape_unsafe(test))?;
            }
            CallOrigin::Unknown => {
                let other = if by_origin.len() > 1 { "other " } else { "" };
                writeln!(out, "{other}code that the captures do not name")?;
            }
        }
        write_findings(findings, out)?;
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
