//! The findings of a report, worst first: the order of formats that have a limit.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::{LocatedFinding, Report};

/// A finding with its identity in the report.
#[derive(Debug)]
pub(super) struct RankedFinding<'r> {
    /// The finding.
    pub(super) located: &'r LocatedFinding,
    /// Its fingerprint.
    pub(super) fingerprint: String,
    /// Its number among the findings with this fingerprint, in the report's order; one-based.
    pub(super) occurrence: usize,
}

/// All findings, worst first: by severity, then by days left, then in the report's order.
///
/// Occurrences are counted in the report's order, so that they do not change with the day.
pub(super) fn worst_first(report: &Report) -> Vec<RankedFinding<'_>> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let identities: Vec<_> = report
        .findings
        .iter()
        .map(|located| {
            let fingerprint = located.fingerprint();
            let occurrence = seen.entry(fingerprint.clone()).or_default();
            *occurrence += 1;
            (fingerprint, *occurrence)
        })
        .collect();
    let mut ranked: Vec<_> = (report.findings.iter().zip(identities))
        .map(|(located, (fingerprint, occurrence))| RankedFinding {
            located,
            fingerprint,
            occurrence,
        })
        .collect();
    ranked.sort_by_key(|ranked| {
        let finding = &ranked.located.finding;
        (
            Reverse(finding.severity),
            finding.days_left.unwrap_or(i64::MAX),
        )
    });
    ranked
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{FileKind, OutputFormat, RenderOptions};
    use sundown_exchange::Side;
    use sundown_lint::findings::suppression::SuppressionStatus;
    use sundown_lint::findings::{Certainty, ExcerptParts, ExchangePart, Finding, Occurrence};
    use sundown_lint::rules::{Lifecycle, RuleFile};
    use sundown_text_json::text::{Location, Span};

    /// A report of one element, found for certain and as one of two alternatives, and of one that is removed.
    fn report() -> Report {
        let rules = "api = 'x'\n[[rule]]\nid = 'old'\noperation = 'POST /x'\nfield = 'old'\n\
            [[rule]]\nid = 'gone'\noperation = 'POST /x'\nfield = 'gone'\nremoval = 2026-01-01\n";
        let rules: Vec<_> = RuleFile::parse("x", rules)
            .unwrap()
            .rules
            .into_iter()
            .map(Arc::new)
            .collect();
        let as_of = "2026-11-20".parse().unwrap();
        let located = |rule: usize, certainty| {
            let found = Occurrence {
                operation: "POST /x".into(),
                part: ExchangePart::Message(Side::Request),
                pointer: None,
                span: Span::new(0, 5),
                shown: ExcerptParts::default(),
                exchange: None,
                certainty,
            };
            let finding = Finding::new(&rules[rule], &Lifecycle::on(as_of), found);
            let (location, end) = (Location::START, Location::START);
            LocatedFinding {
                finding,
                status: SuppressionStatus::Open,
                file: "a".into(),
                rooted: "a".into(),
                compression: None,
                kind: FileKind::Other,
                location,
                end,
                related: Vec::new(),
            }
        };
        let findings = [
            (0, Certainty::Certain),
            (0, Certainty::Possible),
            (1, Certainty::Certain),
        ];
        Report {
            as_of,
            findings: findings
                .map(|(rule, certainty)| located(rule, certainty))
                .into(),
            complete: true,
            ..Report::default()
        }
    }

    #[test]
    fn the_worst_comes_first_and_one_fingerprint_twice_is_two_occurrences() {
        let report = report();
        let ranked = worst_first(&report);
        let of = |ranked: &RankedFinding<'_>| {
            (ranked.located.finding.rule.id.clone(), ranked.occurrence)
        };
        let expected = [("gone", 1), ("old", 1), ("old", 2)].map(|(id, n)| (id.to_owned(), n));
        assert_eq!(ranked.iter().map(of).collect::<Vec<_>>(), expected);
        assert_eq!(ranked[1].fingerprint, ranked[2].fingerprint);
    }

    #[test]
    fn formats_that_tell_findings_apart_by_fingerprint_can() {
        let written = |name: &str| -> serde_json::Value {
            let mut out = Vec::new();
            let format: OutputFormat = name.parse().unwrap();
            format
                .write(&report(), RenderOptions::default(), &mut out)
                .unwrap();
            serde_json::from_slice(&out).unwrap()
        };
        let gitlab = written("gitlab");
        let first = gitlab[1]["fingerprint"].as_str().unwrap();
        assert_eq!(gitlab[2]["fingerprint"], format!("{first}-2"));
        let sarif = &written("sarif")["runs"][0]["results"];
        let print =
            |index: usize| sarif[index]["partialFingerprints"]["primaryLocationLineHash"].clone();
        assert_eq!(
            (print(1), print(2)),
            (format!("{first}:1").into(), format!("{first}:2").into())
        );
    }
}
