//! A finding, or something that was not checked, made ready to be written. The formats of single problems only write these.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::iter;

use crate::log_text::{INTERRUPTED, describe_related};
use crate::{LocatedFinding, Report, SkipGroup, escape_unsafe, uri};
use sundown_exchange::SkipKind;
use sundown_lint::findings::{Evidence, Period};
use sundown_lint::rules::Severity;
use sundown_text_json::text::{Location, Span};

/// What a report says about one place. No text of it is escaped, but for pointers, which are truncated, too.
#[derive(Debug)]
pub struct Diagnostic<'r> {
    pub(super) subject: DiagnosticSubject<'r>,
    /// The name of its file.
    pub file: &'r str,
    /// Where it begins; `None` for the file as a whole.
    pub start: Option<Location>,
    /// The location after its last character; `None` if only the beginning is known.
    pub(super) end: Option<Location>,
    /// The rule's id, or the reason for which something was not checked.
    pub code: Cow<'r, str>,
    /// Its identity over time.
    pub(super) fingerprint: String,
    /// Its number among those with this fingerprint, in the report's order; one-based.
    pub(super) occurrence: usize,
}

/// What a diagnostic is about.
#[derive(Debug)]
pub(super) enum DiagnosticSubject<'r> {
    Finding(&'r LocatedFinding),
    Skips(&'r SkipGroup),
    /// The user ended the run.
    Interruption,
}

/// What a sentence of a diagnostic says. Sentences come in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentenceRole {
    /// What is wrong.
    Title,
    /// What to do.
    Replacement,
    Note,
    /// The rules of the elements inside it.
    Related,
    /// That the element was used after its last day, and what the service answered.
    Evidence,
    /// What happens after the last day.
    Outlook,
    /// Where to read more about the check.
    Reference,
    /// The JSON Pointer alone.
    Pointer,
    /// How many more were folded into it.
    Repeats,
    /// For which operation the deprecation was announced.
    Announcement,
    /// Where in code most uses were made.
    Origin,
    /// That its allowance has expired.
    Expiry,
}

/// All findings, worst first: by severity, then by days left, then in the report's order.
///
/// Occurrences are counted in the report's order, so that they do not change with the day.
pub(super) fn worst_first(report: &Report) -> impl Iterator<Item = Diagnostic<'_>> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut findings = Vec::with_capacity(report.findings.len());
    for located in &report.findings {
        let mut diagnostic = Diagnostic::new(DiagnosticSubject::Finding(located));
        let occurrence = seen.entry(diagnostic.fingerprint.clone()).or_default();
        *occurrence += 1;
        diagnostic.occurrence = *occurrence;
        let finding = &located.finding;
        let days_left = finding.days_left.unwrap_or(i64::MAX);
        findings.push(((Reverse(finding.severity), days_left), diagnostic));
    }
    findings.sort_by_key(|(order, _)| *order);
    findings.into_iter().map(|(_, diagnostic)| diagnostic)
}

/// All findings, worst first, then what could not be checked.
pub fn all_problems(report: &Report) -> impl Iterator<Item = Diagnostic<'_>> {
    let failed = report.skips_of(SkipKind::Failed).map(Diagnostic::of_skips);
    worst_first(report).chain(failed)
}

/// Diagnostics by file, those of each in the order of their locations.
pub(super) fn by_file<'r>(
    diagnostics: impl Iterator<Item = Diagnostic<'r>>,
) -> BTreeMap<&'r str, Vec<Diagnostic<'r>>> {
    let mut files: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for diagnostic in diagnostics {
        files.entry(diagnostic.file).or_default().push(diagnostic);
    }
    for own in files.values_mut() {
        own.sort_by_key(|diagnostic| (diagnostic.finding().is_none(), diagnostic.start));
    }
    files
}

impl<'r> Diagnostic<'r> {
    fn new(subject: DiagnosticSubject<'r>) -> Self {
        let (file, start, end, code, fingerprint) = match subject {
            DiagnosticSubject::Finding(located) => (
                &*located.file,
                Some(located.location),
                Some(located.end),
                located.finding.code(),
                located.fingerprint(),
            ),
            DiagnosticSubject::Skips(group) => {
                let code = group.reason.name().into();
                (
                    &*group.file,
                    group.location,
                    None,
                    code,
                    group.fingerprint(),
                )
            }
            DiagnosticSubject::Interruption => {
                let code = "incomplete";
                (".", None, None, code.into(), code.to_owned())
            }
        };
        Self {
            subject,
            file,
            start,
            end,
            code,
            fingerprint,
            occurrence: 1,
        }
    }

    pub(super) fn of_skips(group: &'r SkipGroup) -> Self {
        Self::new(DiagnosticSubject::Skips(group))
    }

    /// That the run was interrupted, if it was. It is in no file.
    pub(super) fn of_interruption(report: &Report) -> Option<Self> {
        (!report.complete).then(|| Self::new(DiagnosticSubject::Interruption))
    }

    /// The finding; `None` for something that was not checked.
    pub fn finding(&self) -> Option<&'r LocatedFinding> {
        match self.subject {
            DiagnosticSubject::Finding(located) => Some(located),
            DiagnosticSubject::Skips(_) | DiagnosticSubject::Interruption => None,
        }
    }

    /// The name of its severity, of those for an error, a warning, a note, and something that was not checked.
    pub fn level<T>(&self, [error, warning, note, unchecked]: [T; 4]) -> T {
        match self.finding().map(|located| located.finding.severity) {
            Some(Severity::Error) => error,
            Some(Severity::Warning) => warning,
            Some(Severity::Note) => note,
            None => unchecked,
        }
    }

    /// What it says, in order.
    fn sentences(&self) -> Vec<(SentenceRole, String)> {
        match self.subject {
            DiagnosticSubject::Finding(located) => sentences(located),
            DiagnosticSubject::Skips(group) => vec![(SentenceRole::Title, group.sentence())],
            DiagnosticSubject::Interruption => {
                vec![(SentenceRole::Title, INTERRUPTED.to_owned())]
            }
        }
    }

    /// Its sentences as one text, each as `piece` writes it.
    pub fn text(&self, piece: fn(SentenceRole, &str) -> String) -> String {
        let sentences = self.sentences();
        sentences
            .iter()
            .map(|(role, text)| piece(*role, text))
            .collect()
    }

    /// The web page about its element, if there is one and its address is safe as a link.
    pub fn docs(&self) -> Option<&'r str> {
        uri::link(self.finding()?.finding.rule.docs.as_deref())
    }

    /// The elements inside it, each with its place in the file and what it is.
    pub fn related(&self) -> impl Iterator<Item = (Span, String)> {
        let findings = self.finding().into_iter().map(|located| &located.finding);
        findings.flat_map(|finding| {
            let related = finding.related.iter();
            related.map(|related| (related.span, describe_related(finding, related)))
        })
    }

    /// The sentence with this role, if there is one.
    pub(super) fn sentence(&self, wanted: SentenceRole) -> Option<String> {
        let mut sentences = self.sentences().into_iter();
        sentences.find_map(|(role, text)| (role == wanted).then_some(text))
    }

    /// What it says in one line, without what only follows from the rule.
    pub fn line(&self) -> String {
        self.text(|role, text| match role {
            SentenceRole::Title => text.to_owned(),
            SentenceRole::Pointer => format!(" (at {text})"),
            SentenceRole::Outlook | SentenceRole::Reference | SentenceRole::Repeats => {
                String::new()
            }
            _ => format!("; {text}"),
        })
    }

    /// The line with its place, its severity and its code before it, escaped: as compilers write it.
    pub(super) fn line_with_place(&self) -> String {
        let at = self.start.unwrap_or(Location::START);
        let level = self.level(["error", "warning", "note", "note"]);
        let line = format!("{level}[{}]: {}", self.code, self.line());
        format!(
            "{}:{at}: {}",
            escape_unsafe(self.file),
            escape_unsafe(&line)
        )
    }
}

fn sentences(located: &LocatedFinding) -> Vec<(SentenceRole, String)> {
    let finding = &located.finding;
    let tally = finding.use_evidence().and_then(Evidence::headline);
    let consequence = if finding.check().is_some() {
        SentenceRole::Reference
    } else if tally.is_some_and(|tally| tally.period == Period::Late) {
        SentenceRole::Evidence
    } else {
        SentenceRole::Outlook
    };
    let more = finding.sightings.count.saturating_sub(1);
    let repeats = (more > 0).then(|| format!("and {more} more like it in this file"));
    // The format ends sentences.
    let note = finding
        .note()
        .map(|note| format!("note: {}", note.trim_end_matches('.')));
    let expiry = located.status.expiry_note();
    let expiry = expiry.map(|note| note.trim_end_matches('.').to_owned());
    let inside = finding.rules_inside();
    let inside = inside.map(|rules| format!("inside it: {rules}"));
    let others = [
        (SentenceRole::Note, note),
        (SentenceRole::Related, inside),
        (consequence, Some(finding.consequence())),
        (
            SentenceRole::Pointer,
            located.pointer().map(Cow::into_owned),
        ),
        (SentenceRole::Repeats, repeats),
        (SentenceRole::Announcement, finding.announcement_text()),
        (SentenceRole::Origin, finding.origins.phrase()),
        (SentenceRole::Expiry, expiry),
    ];
    let others = others
        .into_iter()
        .filter_map(|(role, text)| Some((role, text?)));
    iter::once((SentenceRole::Title, finding.message()))
        .chain([(SentenceRole::Replacement, finding.advice())])
        .chain(others)
        .collect()
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
                suggestion: None,
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
        let ranked: Vec<_> = worst_first(&report).collect();
        let of = |own: &Diagnostic<'_>| (own.code.to_string(), own.occurrence);
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
