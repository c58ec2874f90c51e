//! A web page in one file.

use std::io::{self, Write};

use super::json::document;
use crate::page::write_page;
use crate::{OutputFormat, RenderOptions, Report};

/// Writes the page that draws the JSON report.
pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "html",
    about: "a web page in one file, with filters",
    skips: "everything",
    has_remarks: true,
    mark: r#"^<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="generator" content="sundown">"#,
    write,
};

fn write(report: &Report, _: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    write_page(&document(report), out)
}
