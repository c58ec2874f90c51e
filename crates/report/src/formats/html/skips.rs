//! What a page says about pieces that were not checked, and about allowances and the baseline.

use crate::html::HtmlBuffer;
use crate::suppressed::REMARK_LISTS;
use crate::{Report, SkipGroup};
use sundown_exchange::SkipKind;

/// Writes the section.
pub(super) fn write(report: &Report, out: &mut HtmlBuffer) {
    out.markup("<section id=\"input\">\n<h2>What was not checked</h2>\n");
    let failed: Vec<_> = report.skips_of(SkipKind::Failed).collect();
    let unrelated: Vec<_> = report.skips_of(SkipKind::Unrelated).collect();
    if failed.is_empty() && unrelated.is_empty() {
        out.markup("<p>Everything was checked.</p>\n");
    }
    write_table("<h3>Could not be checked</h3>\n", &failed, out);
    write_table("<h3>Not checked</h3>\n", &unrelated, out);
    for (title, is_about_rules) in REMARK_LISTS {
        let mut own = report
            .remarks
            .iter()
            .filter(|one| one.kind.is_about_rules() == is_about_rules)
            .peekable();
        if own.peek().is_none() {
            continue;
        }
        out.markup("<h3>").text(title).markup("</h3>\n<ul>\n");
        for remark in own {
            out.markup("<li>")
                .prose(&remark.sentence())
                .markup("</li>\n");
        }
        out.markup("</ul>\n");
    }
    out.markup("</section>\n");
}

fn write_table(heading: &'static str, groups: &[&SkipGroup], out: &mut HtmlBuffer) {
    if groups.is_empty() {
        return;
    }
    out.markup(heading).markup(
        "<table class=\"skips\">\n<thead><tr><th scope=\"col\">Place</th><th scope=\"col\">Reason and remedy</th></tr></thead>\n<tbody>\n",
    );
    for group in groups {
        out.markup("<tr><th scope=\"row\">")
            .code(&group.place())
            .markup("</th><td>");
        out.prose(&group.sentence()).markup("</td></tr>\n");
    }
    out.markup("</tbody>\n</table>\n");
}
