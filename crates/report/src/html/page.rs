//! A page in HTML.

use super::buffer::HtmlBuffer;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The style of every page.
const STYLE: &str = include_str!("page.css");

/// The script of every page.
const SCRIPT: &str = include_str!("page.js");

/// Longer tables and sections have the class `long`, so that the browser lays out only the part that it shows. Short ones are
/// laid out at once, so that pictures and searches of a page never miss a part.
pub const MAX_LAID_OUT: usize = 50;

/// A page apart from its content.
#[derive(Debug)]
pub struct HtmlPage<'p> {
    /// The title and first heading.
    pub title: &'p str,
    /// The answer in one sentence.
    pub answer: &'p str,
    /// Sentences about the answer.
    pub remarks: &'p [String],
    /// The sections: the id of each, and its title.
    pub sections: &'p [(&'static str, &'static str)],
}

impl HtmlPage<'_> {
    /// Writes the page around its content.
    pub fn write(&self, content: impl FnOnce(&mut HtmlBuffer)) -> String {
        let mut out = HtmlBuffer::default();
        self.write_head(&mut out);
        content(&mut out);
        out.markup("</main>\n<footer><p>Written by sundown ")
            .text(env!("CARGO_PKG_VERSION"))
            .markup(
                ". This page loads nothing and sends nothing.</p></footer>\n</body>\n</html>\n",
            );
        out.into_string()
    }

    fn write_head(&self, out: &mut HtmlBuffer) {
        out.markup("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        out.markup("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-");
        out.text(&hash(STYLE))
            .markup("'; script-src 'sha256-")
            .text(&hash(SCRIPT));
        out.markup("'; img-src data:; base-uri 'none'; form-action 'none'\">\n")
            .markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
            .markup("<meta name=\"color-scheme\" content=\"light dark\">\n")
            .markup("<meta name=\"referrer\" content=\"no-referrer\">\n")
            .markup("<meta name=\"robots\" content=\"noindex\">\n<title>")
            .text(self.title)
            .markup("</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>")
            .markup(STYLE)
            .markup("</style>\n<script>")
            .markup(SCRIPT)
            .markup("</script>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n")
            .markup("<header>\n<h1>")
            .text(self.title)
            .markup("</h1>\n<p class=\"answer\">")
            .text(self.answer)
            .markup("</p>\n");
        for remark in self.remarks {
            out.markup("<p>").prose(remark).markup("</p>\n");
        }
        out.markup("<nav aria-label=\"Sections\"><ul>");
        for (id, title) in self.sections {
            out.markup("<li><a href=\"#")
                .text(id)
                .markup("\">")
                .text(title)
                .markup("</a></li>");
        }
        out.markup("</ul></nav>\n<button type=\"button\" id=\"theme\" aria-pressed=\"false\" hidden>Dark colours</button>\n")
            .markup("</header>\n<main id=\"content\">\n");
    }
}

/// The hash by which a content security policy names a style or a script.
fn hash(content: &str) -> String {
    STANDARD.encode(Sha256::digest(content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_and_script_are_small_and_end_where_they_should() {
        assert!(STYLE.len() + SCRIPT.len() <= 60_000);
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
        // A browser reads other line ends as this one, and would compute another hash.
        assert!(!STYLE.contains('\r') && !SCRIPT.contains('\r'));
    }

    #[test]
    fn the_frame_is_escaped() {
        let remarks = ["of `<b>` & <i>".to_owned()];
        let page = HtmlPage {
            title: "a<b",
            answer: "c\"d",
            remarks: &remarks,
            sections: &[],
        };
        let page = page.write(|out| {
            out.markup("<p>").text("</p>").markup("</p>");
        });
        assert!(page.contains("<title>a&lt;b</title>") && page.contains("<h1>a&lt;b</h1>"));
        assert!(page.contains("c&quot;d"));
        assert!(page.contains("<p>of <code>&lt;b&gt;</code> &amp; &lt;i&gt;</p>"));
        assert!(page.contains("<p>&lt;/p&gt;</p></main>"), "{page}");
    }
}
