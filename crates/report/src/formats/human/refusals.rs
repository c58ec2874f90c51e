//! The calls that the service refused for a reason which a requirement or a deprecated element may explain: by operation and
//! status.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use crate::{LocatedFinding, printable};
use sundown_exchange::{Side, StatusCode};
use sundown_lint::findings::{CodeRange, ExchangePart, Finding, FindingKind, UseOutcome};

/// The refused calls of one operation.
#[derive(Default)]
struct Refusals<'r> {
    /// How many there are with each status that a requirement explains.
    counts: BTreeMap<StatusCode, usize>,
    /// The elements past their last day in requests that were answered with 400.
    suspects: BTreeSet<(&'r str, String)>,
}

/// Writes a line for each operation: `POST /rest/api/v1/search: 12 × 429, 3 × 401`.
pub(super) fn write_refusals(findings: &[LocatedFinding], out: &mut dyn Write) -> io::Result<()> {
    let all = count_refusals(findings);
    if all.is_empty() {
        return Ok(());
    }
    writeln!(out, "Refused calls:")?;
    for (operation, Refusals { counts, suspects }) in all {
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by(|(one, a), (other, b)| b.cmp(a).then_with(|| one.cmp(other)));
        let counts = counts
            .iter()
            .map(|(status, count)| format!("{count} × {status}"))
            .collect::<Vec<_>>()
            .join(", ");
        // Evidence counts uses, which may be several in one call.
        let counts = if counts.is_empty() {
            "400".to_owned()
        } else {
            counts
        };
        writeln!(out, "  {}: {counts}", printable(operation))?;
        for (name, last_day) in suspects {
            let name = printable(name);
            writeln!(
                out,
                "    `{name}` in the request, whose last day was {last_day}, may explain the 400"
            )?;
        }
    }
    writeln!(out)
}

fn count_refusals(findings: &[LocatedFinding]) -> BTreeMap<&str, Refusals<'_>> {
    let mut all: BTreeMap<&str, Refusals<'_>> = BTreeMap::new();
    for LocatedFinding { finding, .. } in findings {
        let FindingKind::Violated(violated) = &finding.kind else {
            continue;
        };
        for (status, count) in &violated.refusals {
            let own = all.entry(&finding.found.operation).or_default();
            let known = own.counts.entry(*status).or_default();
            *known = known.saturating_add(*count);
        }
    }
    for LocatedFinding { finding, .. } in findings {
        let operation = &*finding.found.operation;
        let mut counts = all.get(operation).into_iter().flat_map(|own| &own.counts);
        let has_400 = counts.any(|(status, _)| status.code() == 400);
        if let Some(suspect) = suspect(finding, has_400) {
            all.entry(operation).or_default().suspects.insert(suspect);
        }
    }
    all
}

/// The name and the last day of an element past its last day in a request that was answered with 400. If 400 is known to be an
/// answer of the operation, it may also be one of several that the evidence sums up.
fn suspect(finding: &Finding, has_400: bool) -> Option<(&str, String)> {
    let is_past = finding.check().is_none() && finding.days_left.is_some_and(|days| days < 0);
    let is_sent = finding.found.part == ExchangePart::Message(Side::Request);
    let evidence = finding.use_evidence().into_iter();
    let mut tallies = evidence.flat_map(|evidence| &evidence.tallies);
    let is_suspect = is_past
        && is_sent
        && tallies.any(|tally| match tally.codes {
            CodeRange::One(status) => status.code() == 400,
            CodeRange::Class(4) => has_400 && tally.outcome == UseOutcome::ClientError,
            CodeRange::None | CodeRange::Class(_) | CodeRange::Mixed => false,
        });
    let removal = finding.rule.removal.filter(|_| is_suspect)?;
    Some((finding.rule.element.name()?, removal.to_string()))
}
