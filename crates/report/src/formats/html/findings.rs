//! The findings of a page: one table with a group for each element, and filters.

use crate::diagnostic::Diagnostic;
use crate::html::{HtmlBuffer, MAX_LAID_OUT};
use crate::log_text::{details, plural};
use crate::{LocatedFinding, printable, uri};
use chrono::NaiveDate;
use std::borrow::Cow;
use std::collections::HashMap;
use sundown_lint::findings::{Finding, digest};
use sundown_lint::rules::Severity;

/// The findings of one rule.
pub(super) struct RuleFindings<'r> {
    first: &'r Finding,
    /// Each with its diagnostic.
    findings: Vec<(&'r Diagnostic<'r>, &'r LocatedFinding)>,
}

/// The form with the filters. The script shows it; without a script it would have no effect.
const FILTERS: &str = "<form class=\"filter\" data-rows=\"#findings tr[id]\" data-groups=\"#findings tbody\" \
    data-noun=\"findings\" hidden>\n\
    <label class=\"wide\">Search <input type=\"search\" data-test=\"has\" autocomplete=\"off\"></label>\n\
    <label>Severity <select data-key=\"severity\" data-test=\"is\"><option value=\"\">all</option><option>error</option>\
    <option>warning</option><option>note</option></select></label>\n\
    <label>Rule <input type=\"search\" data-key=\"group\" data-test=\"has\" autocomplete=\"off\"></label>\n\
    <label>File <input type=\"search\" data-key=\"place\" data-test=\"has\" autocomplete=\"off\"></label>\n\
    <button type=\"reset\">Clear</button>\n<output></output>\n</form>\n";

const HEAD: &str = "\">\n<thead><tr><th scope=\"col\" data-key=\"severity\">Severity</th>\
    <th scope=\"col\" data-key=\"place\">Place</th><th scope=\"col\">Use</th><th scope=\"col\">Seen</th>\
    <th scope=\"col\">What to do</th></tr></thead>\n";

/// Writes the section. So many findings are left out.
pub(super) fn write(rules: &[RuleFindings<'_>], left_out: usize, out: &mut HtmlBuffer) {
    out.markup("<section id=\"findings\">\n<h2>Findings</h2>\n");
    if rules.is_empty() {
        out.markup("<p>No use of a deprecated element was found.</p>\n</section>\n");
        return;
    }
    out.markup(FILTERS);
    if left_out > 0 {
        let text = format!("{left_out} more findings are left out here, none of them worse.");
        out.markup("<p>").text(&text).markup("</p>\n");
    }
    let findings: usize = rules.iter().map(|rule| rule.findings.len()).sum();
    let is_long = findings > MAX_LAID_OUT;
    out.markup("<table class=\"findings")
        .markup(if is_long { " long" } else { "" })
        .markup(HEAD);
    for rule in rules {
        rule.write(out);
    }
    out.markup("</table>\n</section>\n");
}

impl<'r> RuleFindings<'r> {
    /// Groups findings, in the order of the first of each rule.
    pub(super) fn group(diagnostics: &'r [Diagnostic<'r>]) -> Vec<Self> {
        let mut rules: Vec<Self> = Vec::new();
        let mut known = HashMap::new();
        let findings = diagnostics.iter();
        for own in findings.filter_map(|diagnostic| Some((diagnostic, diagnostic.finding()?))) {
            let finding = &own.1.finding;
            // The rules of announcements have ids of their kind, and elements of their own.
            let key = (finding.code(), finding.rule.removal);
            let index = *known.entry(key).or_insert(rules.len());
            match rules.get_mut(index) {
                Some(rule) => rule.findings.push(own),
                None => rules.push(Self {
                    first: finding,
                    findings: vec![own],
                }),
            }
        }
        rules
    }

    /// Its name in reports.
    pub(super) fn code(&self) -> Cow<'_, str> {
        self.first.code()
    }

    /// The last day of its element.
    pub(super) fn removal(&self) -> Option<NaiveDate> {
        self.first.rule.removal
    }

    /// The days until then.
    pub(super) fn days_left(&self) -> Option<i64> {
        self.first.days_left
    }

    /// Returns whether it is a requirement, which has no last day.
    pub(super) fn is_requirement(&self) -> bool {
        self.first.is_violation()
    }

    /// The id of its group.
    pub(super) fn anchor(&self) -> String {
        let removal = self
            .removal()
            .map(|day| day.to_string())
            .unwrap_or_default();
        anchor_of("r", &format!("{} {removal}", self.code()))
    }

    /// The numbers of its findings by severity.
    pub(super) fn counts(&self) -> String {
        let count = |severity| {
            self.findings
                .iter()
                .filter(|(_, located)| located.finding.severity == severity)
                .count()
        };
        Severity::ALL
            .map(|severity| (count(severity), severity.name()))
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| plural(*count, name))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn write(&self, out: &mut HtmlBuffer) {
        let finding = self.first;
        let anchor = self.anchor();
        out.markup("<tbody id=\"")
            .text(&anchor)
            .markup("\">\n<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"5\"><a href=\"#")
            .text(&anchor)
            .markup("\">")
            .code(&printable(&self.code()))
            .markup("</a><p>");
        out.text(&self.counts());
        if !self.is_requirement() {
            out.markup("; ").text(&finding.time_left());
        }
        let advice = finding.general_advice();
        out.markup("; ").prose(&advice);
        if let Some(docs) = uri::link(finding.rule.docs.as_deref()) {
            out.markup(" (<a rel=\"noopener noreferrer\" href=\"")
                .text(docs);
            out.markup("\">documentation</a>)");
        }
        out.markup("</p>");
        if let Some(note) = finding.note() {
            out.markup("<p class=\"quiet\">").prose(note).markup("</p>");
        }
        out.markup("</th></tr>\n");
        for (diagnostic, located) in &self.findings {
            write_row(diagnostic, located, &advice, out);
        }
        out.markup("</tbody>\n");
    }
}

/// Writes a finding of a group with this advice, which is not repeated.
fn write_row(
    diagnostic: &Diagnostic<'_>,
    located: &LocatedFinding,
    general: &str,
    out: &mut HtmlBuffer,
) {
    let finding = &located.finding;
    out.markup("<tr id=\"f-").text(&diagnostic.fingerprint);
    if diagnostic.occurrence > 1 {
        out.markup("-").number(diagnostic.occurrence as u64);
    }
    out.markup("\"><td>")
        .markup(badge(finding.severity))
        .markup("</td><th scope=\"row\">");
    write_place(located, out);
    out.markup("</th><td>").prose(&finding.message());
    let announced = finding.announcement_text().into_iter();
    for text in announced.chain(details(located)) {
        for line in text.lines() {
            out.markup("<br>").prose(line);
        }
    }
    out.markup("</td><td>")
        .count(finding.sightings.count as u64)
        .markup("</td><td>");
    let advice = finding.advice();
    if advice != general {
        out.prose(&advice).markup("<br>");
    }
    out.prose(&finding.consequence());
    if let Some(note) = located.expiry_note() {
        out.markup("<br>").prose(&note);
    }
    out.markup("</td></tr\n>");
}

fn write_place(located: &LocatedFinding, out: &mut HtmlBuffer) {
    out.code(&format!(
        "{}:{}",
        printable(&located.file),
        located.location
    ));
    if let Some(pointer) = located.pointer() {
        out.markup("<br>").code(&pointer);
    }
}

/// A severity in its colour.
fn badge(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "<span class=\"badge bad\">error</span>",
        Severity::Warning => "<span class=\"badge warn\">warning</span>",
        Severity::Note => "<span class=\"badge\">note</span>",
    }
}

/// An id in the page: the same in every report. Half of a digest is enough to tell those of one page apart.
fn anchor_of(kind: &str, part: &str) -> String {
    let digest = digest(&[part]);
    format!("{kind}-{}", digest.get(..16).unwrap_or(&digest))
}
