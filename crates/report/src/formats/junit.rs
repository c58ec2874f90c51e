//! JUnit XML according to the schema of Jenkins: a suite for each file, a test case for each finding.
//!
//! A finding that makes the run fail is a failure; other findings pass and have their message as output. What could not be
//! checked is an error; other skips are skipped test cases.

use std::io::{self, Write};

use crate::log_text::{INTERRUPTED, place_of};
use crate::{LocatedFinding, OutputFormat, RenderOptions, Report, SkipGroup};
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

/// The test cases of one file, or of the run as a whole.
struct TestSuite {
    name: String,
    cases: Vec<TestCase>,
}

struct TestCase {
    name: String,
    /// The file; build services group by it.
    class: String,
    outcome: TestOutcome,
}

enum TestOutcome {
    Passed { output: Option<String> },
    Failure(TestProblem),
    Error(TestProblem),
    Skipped { message: String },
}

struct TestProblem {
    kind: &'static str,
    message: String,
    text: String,
}

fn write(report: &Report, options: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    let suites = test_suites(report, options);
    let count = |is: fn(&TestOutcome) -> bool| -> usize {
        suites.iter().map(|suite| suite.count(is)).sum()
    };
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<testsuites name=\"sundown\" tests=\"{}\" failures=\"{}\" errors=\"{}\">",
        count(|_| true),
        count(TestOutcome::is_failure),
        count(TestOutcome::is_error)
    )?;
    for suite in &suites {
        suite.write(out)?;
    }
    writeln!(out, "</testsuites>")
}

/// The suites of all files. The first suite is the run itself, because many readers reject a document without a test case.
fn test_suites(report: &Report, options: RenderOptions) -> Vec<TestSuite> {
    let mut suites = vec![TestSuite {
        name: "sundown".to_owned(),
        cases: vec![of_run(report)],
    }];
    let findings = report
        .findings
        .iter()
        .map(|located| (&located.file, of_finding(located, options)));
    let skipped = report
        .skipped
        .iter()
        .map(|group| (&group.file, of_skips(group)));
    let mut cases: Vec<_> = findings.chain(skipped).collect();
    cases.sort_by_key(|(file, _)| *file);
    for (file, case) in cases {
        let name = escape_unsafe(file);
        match suites.last_mut().filter(|suite| suite.name == name) {
            Some(suite) => suite.cases.push(case),
            None => suites.push(TestSuite {
                name: name.into_owned(),
                cases: vec![case],
            }),
        }
    }
    suites
}

/// The test case that fails if the run was interrupted. Its output has the remarks.
fn of_run(report: &Report) -> TestCase {
    let remarks: Vec<String> = report.remarks.iter().map(RunRemark::sentence).collect();
    let outcome = if report.complete {
        TestOutcome::Passed {
            output: (!remarks.is_empty()).then(|| remarks.join("\n")),
        }
    } else {
        let message = INTERRUPTED.to_owned();
        let text = INTERRUPTED.to_owned();
        TestOutcome::Error(TestProblem {
            kind: "incomplete",
            text,
            message,
        })
    };
    TestCase {
        name: "the run was not interrupted".to_owned(),
        class: "sundown".to_owned(),
        outcome,
    }
}

fn of_finding(located: &LocatedFinding, options: RenderOptions) -> TestCase {
    let finding = &located.finding;
    let found = &finding.found;
    let at = located.pointer_text(" ");
    let text = format!(
        "{}{at}\n{}\n{}{}{}",
        located.place(),
        finding.advice_and_note(),
        finding.consequence(),
        located.origin_text("\n"),
        located.expiry_text("\n")
    );
    let kind = finding.severity.name();
    let message = finding.message();
    let outcome = if options
        .fail_on
        .is_some_and(|least| finding.severity >= least)
    {
        TestOutcome::Failure(TestProblem {
            kind,
            message,
            text,
        })
    } else {
        TestOutcome::Passed {
            output: Some(format!("{kind}: {message}\n{text}")),
        }
    };
    TestCase {
        name: format!(
            "{}: {} {}{at}",
            finding.code(),
            found.operation,
            found.part.name()
        ),
        class: escape_unsafe(&located.file).into_owned(),
        outcome,
    }
}

fn of_skips(group: &SkipGroup) -> TestCase {
    let message = group.sentence();
    let kind = group.reason.name();
    let text = place_of(group);
    let outcome = match group.reason.kind() {
        SkipKind::Unrelated => TestOutcome::Skipped { message },
        SkipKind::Failed => TestOutcome::Error(TestProblem {
            kind,
            message,
            text,
        }),
    };
    TestCase {
        name: kind.to_owned(),
        class: escape_unsafe(&group.file).into_owned(),
        outcome,
    }
}

impl TestSuite {
    fn count(&self, is: fn(&TestOutcome) -> bool) -> usize {
        self.cases.iter().filter(|case| is(&case.outcome)).count()
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
            escape(&self.name),
            self.cases.len(),
            self.count(TestOutcome::is_failure),
            self.count(TestOutcome::is_error),
            self.count(TestOutcome::is_skipped)
        )?;
        for case in &self.cases {
            case.write(out)?;
        }
        writeln!(out, "  </testsuite>")
    }
}

impl TestCase {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let name = escape(&self.name);
        let class = escape(&self.class);
        write!(out, "    <testcase name=\"{name}\" classname=\"{class}\"")?;
        match &self.outcome {
            TestOutcome::Passed { output: None } => return writeln!(out, "/>"),
            TestOutcome::Passed {
                output: Some(output),
            } => {
                writeln!(out, ">\n      <system-out>{}</system-out>", escape(output))?;
            }
            TestOutcome::Skipped { message } => {
                writeln!(out, ">\n      <skipped message=\"{}\"/>", escape(message))?;
            }
            TestOutcome::Failure(problem) => problem.write("failure", out)?,
            TestOutcome::Error(problem) => problem.write("error", out)?,
        }
        writeln!(out, "    </testcase>")
    }
}

impl TestProblem {
    fn write(&self, tag: &str, out: &mut dyn Write) -> io::Result<()> {
        let kind = self.kind;
        let message = escape(&self.message);
        let text = escape(&self.text);
        writeln!(
            out,
            ">\n      <{tag} type=\"{kind}\" message=\"{message}\">{text}</{tag}>"
        )
    }
}

impl TestOutcome {
    fn is_failure(&self) -> bool {
        matches!(self, Self::Failure(_))
    }

    fn is_error(&self) -> bool {
        matches!(self, Self::Error(_))
    }

    fn is_skipped(&self) -> bool {
        matches!(self, Self::Skipped { .. })
    }
}
