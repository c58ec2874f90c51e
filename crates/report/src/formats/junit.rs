//! JUnit XML according to the schema of Jenkins: a suite for each file, a test case for each finding.
//!
//! A finding that makes the run fail is a failure; other findings pass and have their message as output. What could not be
//! checked is an error; other skips are skipped test cases.

use std::io::{self, Write};

use crate::diagnostic::{Diagnostic, DiagnosticSubject, SentenceRole, all_problems, by_file};
use crate::log_text::INTERRUPTED;
use crate::{OutputFormat, RenderOptions, Report};
use sundown_exchange::SkipKind;
use sundown_lint::findings::RunRemark;
use sundown_text_json::text::escape_unsafe;
use sundown_text_json::text::xml::escape;

/// Writes one XML document.
pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "junit",
    about: "JUnit XML",
    skips: "failures as errors, the rest as skipped",
    has_remarks: true,
    mark: r#"^<\?xml[^>]*>\n<testsuites name="sundown" "#,
    write,
};

/// A test case.
struct TestCase {
    name: String,
    /// The name of the element that says how it ended; a case that passed may have none.
    tag: &'static str,
    /// The element.
    content: String,
}

fn write(report: &Report, options: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    let unrelated = report.skips_of(SkipKind::Unrelated);
    let problems = all_problems(report).chain(unrelated.map(Diagnostic::of_skips));
    // The first suite is the run itself, because many readers reject a document without a test case.
    let mut suites = vec![("sundown".to_owned(), vec![case_of_run(report)])];
    for (file, problems) in by_file(problems) {
        let cases = problems.iter().map(|problem| case_of(problem, options));
        suites.push((escape_unsafe(file).into_owned(), cases.collect()));
    }
    let (mut tests, mut failures, mut errors) = (0, 0, 0);
    for (_, cases) in &suites {
        tests += cases.len();
        failures += count(cases, "failure");
        errors += count(cases, "error");
    }
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<testsuites name=\"sundown\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">"
    )?;
    for (name, cases) in &suites {
        write_suite(name, cases, out)?;
    }
    writeln!(out, "</testsuites>")
}

fn count(cases: &[TestCase], tag: &str) -> usize {
    cases.iter().filter(|case| case.tag == tag).count()
}

/// Writes the suite of a file; build services group test cases by their class.
fn write_suite(name: &str, cases: &[TestCase], out: &mut dyn Write) -> io::Result<()> {
    let name = escape(name);
    writeln!(
        out,
        "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
        cases.len(),
        count(cases, "failure"),
        count(cases, "error"),
        count(cases, "skipped")
    )?;
    for case in cases {
        let head = format!(
            "    <testcase name=\"{}\" classname=\"{name}\"",
            escape(&case.name)
        );
        match &*case.content {
            "" => writeln!(out, "{head}/>")?,
            content => writeln!(out, "{head}>\n      {content}\n    </testcase>")?,
        }
    }
    writeln!(out, "  </testsuite>")
}

/// The test case that fails if the run was interrupted. Its output has the remarks.
fn case_of_run(report: &Report) -> TestCase {
    let remarks: Vec<String> = report.remarks.iter().map(RunRemark::sentence).collect();
    let (tag, content) = match &*remarks {
        _ if !report.complete => {
            let content = problem("error", "incomplete", INTERRUPTED, INTERRUPTED);
            ("error", content)
        }
        [] => ("", String::new()),
        remarks => ("system-out", output(&remarks.join("\n"))),
    };
    TestCase {
        name: "the run was not interrupted".to_owned(),
        tag,
        content,
    }
}

fn case_of(diagnostic: &Diagnostic<'_>, options: RenderOptions) -> TestCase {
    let title = diagnostic.sentence(SentenceRole::Title).unwrap_or_default();
    let code = &*diagnostic.code;
    let (name, tag, content) = match diagnostic.subject {
        DiagnosticSubject::Finding(located) => {
            let severity = located.finding.severity;
            let at = located.pointer_text(" ");
            let text = format!("{}{at}{}", located.place(), diagnostic.text(sentence));
            let kind = severity.name();
            let (tag, content) = if options.fail_on.is_some_and(|least| severity >= least) {
                ("failure", problem("failure", kind, &title, &text))
            } else {
                ("system-out", output(&format!("{kind}: {title}\n{text}")))
            };
            let found = &located.finding.found;
            let (operation, part) = (&found.operation, found.part.name());
            (format!("{code}: {operation} {part}{at}"), tag, content)
        }
        DiagnosticSubject::Skips(group) if group.reason.kind() == SkipKind::Failed => {
            let content = problem("error", code, &title, &group.place());
            (code.to_owned(), "error", content)
        }
        DiagnosticSubject::Skips(_) | DiagnosticSubject::Interruption => {
            let content = format!("<skipped message=\"{}\"/>", escape(&title));
            (code.to_owned(), "skipped", content)
        }
    };
    TestCase { name, tag, content }
}

fn sentence(role: SentenceRole, text: &str) -> String {
    match role {
        // The attribute and the line of the place have these.
        SentenceRole::Title | SentenceRole::Pointer | SentenceRole::Repeats => String::new(),
        SentenceRole::Note | SentenceRole::Related => format!("; {text}"),
        _ => format!("\n{text}"),
    }
}

fn output(text: &str) -> String {
    format!("<system-out>{}</system-out>", escape(text))
}

fn problem(tag: &str, kind: &str, message: &str, text: &str) -> String {
    let (message, text) = (escape(message), escape(text));
    format!("<{tag} type=\"{kind}\" message=\"{message}\">{text}</{tag}>")
}
