//! JUnit XML, as Jenkins' schema has it: a suite for each file, a test case for each finding.
//!
//! What makes the run fail is a failure; other findings pass, with their message as output. What could not be checked is an
//! error, what was passed over is skipped.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::{LocatedFinding, Report, Reporter, SkipGroup, printable};
use crate::rules::Severity;
use crate::text::escape_unsafe;
use crate::traffic::SkipKind;

/// Writes one XML document.
#[derive(Debug, Clone, Copy, Default)]
pub struct Junit {
    /// The mildest severity that is a failure; `None`: none is.
    pub fail_on: Option<Severity>,
}

/// The test cases of one file, or of the run as a whole.
struct TestSuite {
    name: String,
    cases: Vec<TestCase>,
}

struct TestCase {
    name: String,
    /// The file, by which build services group.
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

impl Reporter for Junit {
    fn write(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let suites = self.suites(report);
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
}

impl Junit {
    /// The run itself first: a document without a test case counts as a mistake with many readers.
    fn suites(self, report: &Report) -> Vec<TestSuite> {
        let mut suites = vec![TestSuite { name: "sundown".to_owned(), cases: vec![run(report)] }];
        let findings = report.findings.iter().map(|placed| (&placed.file, self.finding(placed)));
        let skipped = report.skipped.iter().map(|skipped| (&skipped.file, skip(skipped)));
        let mut cases: Vec<_> = findings.chain(skipped).collect();
        cases.sort_by_key(|(file, _)| *file);
        for (file, case) in cases {
            let name = escape_unsafe(file);
            match suites.last_mut().filter(|suite| suite.name == name) {
                Some(suite) => suite.cases.push(case),
                None => suites.push(TestSuite { name: name.into_owned(), cases: vec![case] }),
            }
        }
        suites
    }

    fn finding(self, placed: &LocatedFinding) -> TestCase {
        let finding = &placed.finding;
        let found = &finding.found;
        let at = found.pointer.as_ref().map(|pointer| format!(" {}", printable(&pointer.exact)));
        let at = at.unwrap_or_default();
        let ended = placed.status.expiry_note().map(|ended| format!("\n{}", escape_unsafe(&ended)));
        let text = format!(
            "{}:{}:{}{at}\n{}\n{}{}",
            escape_unsafe(&placed.file),
            placed.location.line,
            placed.location.column,
            finding.advice(),
            finding.consequence(),
            ended.unwrap_or_default()
        );
        let message = finding.message();
        let outcome = if self.fail_on.is_some_and(|least| finding.severity >= least) {
            TestOutcome::Failure(TestProblem { kind: finding.severity.name(), message, text })
        } else {
            let output = Some(format!("{}: {message}\n{text}", finding.severity.name()));
            TestOutcome::Passed { output }
        };
        TestCase {
            name: format!("{}: {} {}{at}", finding.code(), found.operation, found.part.name()),
            class: escape_unsafe(&placed.file).into_owned(),
            outcome,
        }
    }
}

/// Whether the run came to its end.
fn run(report: &Report) -> TestCase {
    let outcome = if report.complete {
        TestOutcome::Passed { output: None }
    } else {
        let message =
            "the run was broken off: not all that should have been checked was".to_owned();
        TestOutcome::Error(TestProblem { kind: "incomplete", text: message.clone(), message })
    };
    TestCase { name: "everything was read".to_owned(), class: "sundown".to_owned(), outcome }
}

fn skip(skipped: &SkipGroup) -> TestCase {
    let message = skipped.sentence();
    let outcome = match skipped.reason.kind() {
        SkipKind::Unrelated => TestOutcome::Skipped { message },
        SkipKind::Failed => {
            let place = skipped.location.map(|at| format!(":{}:{}", at.line, at.column));
            let text = format!("{}{}", escape_unsafe(&skipped.file), place.unwrap_or_default());
            TestOutcome::Error(TestProblem { kind: skipped.reason.name(), message, text })
        }
    };
    TestCase {
        name: skipped.reason.name().to_owned(),
        class: escape_unsafe(&skipped.file).into_owned(),
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
            xml(&self.name),
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
        write!(
            out,
            "    <testcase name=\"{}\" classname=\"{}\"",
            xml(&self.name),
            xml(&self.class)
        )?;
        let (tag, problem) = match &self.outcome {
            TestOutcome::Passed { output: None } => return writeln!(out, "/>"),
            TestOutcome::Passed { output: Some(output) } => {
                writeln!(out, ">\n      <system-out>{}</system-out>", xml(output))?;
                return writeln!(out, "    </testcase>");
            }
            TestOutcome::Skipped { message } => {
                writeln!(out, ">\n      <skipped message=\"{}\"/>", xml(message))?;
                return writeln!(out, "    </testcase>");
            }
            TestOutcome::Failure(problem) => ("failure", problem),
            TestOutcome::Error(problem) => ("error", problem),
        };
        let TestProblem { kind, message, text } = problem;
        let (message, text) = (xml(message), xml(text));
        writeln!(out, ">\n      <{tag} type=\"{kind}\" message=\"{message}\">{text}</{tag}>")?;
        writeln!(out, "    </testcase>")
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

/// Text in which nothing is markup, in content and in attributes alike (XML 1.0, section 2.4); line ends stay.
fn xml(text: &str) -> String {
    let mut written = String::new();
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            written.push('\n');
        }
        for character in escape_unsafe(line).chars() {
            match character {
                '&' => written.push_str("&amp;"),
                '<' => written.push_str("&lt;"),
                '>' => written.push_str("&gt;"),
                '"' => written.push_str("&quot;"),
                '\'' => written.push_str("&apos;"),
                // The two that XML cannot hold in any way (section 2.2); the other such are spelled out already.
                '\u{fffe}' | '\u{ffff}' => {
                    let _ = write!(written, "\\u{{{:x}}}", u32::from(character));
                }
                plain => written.push(plain),
            }
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_text_is_markup() {
        assert_eq!(
            xml("]]></a>&\"'\n\u{1b}\u{ffff}"),
            "]]&gt;&lt;/a&gt;&amp;&quot;&apos;\n\\u{1b}\\u{ffff}"
        );
    }
}
