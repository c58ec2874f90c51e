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
    outcome: TestOutcome,
    /// The elements in it, escaped.
    content: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TestOutcome {
    Passed,
    Failure,
    Error,
    Skipped,
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
        failures += count(cases, TestOutcome::Failure);
        errors += count(cases, TestOutcome::Error);
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

fn count(cases: &[TestCase], outcome: TestOutcome) -> usize {
    cases.iter().filter(|case| case.outcome == outcome).count()
}

/// Writes the suite of a file; build services group test cases by their class.
fn write_suite(name: &str, cases: &[TestCase], out: &mut dyn Write) -> io::Result<()> {
    let name = escape(name);
    writeln!(
        out,
        "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
        cases.len(),
        count(cases, TestOutcome::Failure),
        count(cases, TestOutcome::Error),
        count(cases, TestOutcome::Skipped)
    )?;
    for case in cases {
        let head = format!(
            "    <testcase name=\"{}\" classname=\"{name}\"",
            escape(&case.name)
        );
        match &case.content {
            Some(content) => writeln!(out, "{head}>\n      {content}\n    </testcase>")?,
            None => writeln!(out, "{head}/>")?,
        }
    }
    writeln!(out, "  </testsuite>")
}

/// The test case that fails if the run was interrupted. Its output has the remarks.
fn case_of_run(report: &Report) -> TestCase {
    let remarks: Vec<String> = report.remarks.iter().map(RunRemark::sentence).collect();
    let (outcome, content) = if report.complete {
        let output = (!remarks.is_empty()).then(|| output(&remarks.join("\n")));
        (TestOutcome::Passed, output)
    } else {
        let problem = problem("error", "incomplete", INTERRUPTED, INTERRUPTED);
        (TestOutcome::Error, Some(problem))
    };
    TestCase {
        name: "the run was not interrupted".to_owned(),
        outcome,
        content,
    }
}

fn case_of(diagnostic: &Diagnostic<'_>, options: RenderOptions) -> TestCase {
    let title = diagnostic.sentence(SentenceRole::Title).unwrap_or_default();
    let (name, outcome, content) = match diagnostic.subject {
        DiagnosticSubject::Finding(located) => {
            let severity = located.finding.severity;
            let at = located.pointer_text(" ");
            let text = format!("{}{at}{}", located.place(), diagnostic.text(sentence));
            let kind = severity.name();
            let (outcome, content) = if options.fail_on.is_some_and(|least| severity >= least) {
                (
                    TestOutcome::Failure,
                    problem("failure", kind, &title, &text),
                )
            } else {
                (
                    TestOutcome::Passed,
                    output(&format!("{kind}: {title}\n{text}")),
                )
            };
            let found = &located.finding.found;
            let (operation, part) = (&found.operation, found.part.name());
            let name = format!("{}: {operation} {part}{at}", diagnostic.code);
            (name, outcome, content)
        }
        DiagnosticSubject::Skips(group) if group.reason.kind() == SkipKind::Failed => {
            let content = problem("error", &diagnostic.code, &title, &group.place());
            (diagnostic.code.to_string(), TestOutcome::Error, content)
        }
        DiagnosticSubject::Skips(_) | DiagnosticSubject::Interruption => {
            let content = format!("<skipped message=\"{}\"/>", escape(&title));
            (diagnostic.code.to_string(), TestOutcome::Skipped, content)
        }
    };
    TestCase {
        name,
        outcome,
        content: Some(content),
    }
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
