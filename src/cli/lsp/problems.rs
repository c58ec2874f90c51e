//! The problems of a document: findings, what could not be checked, and the mistakes in configurations and rules files.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::rc::Rc;

use serde_json::{Value, json};

use super::document::{OpenDocument, Range, TextIndex, is_configuration};
use super::project::{Project, Workspace};
use sundown_exchange::{Reason, SkipKind};
use sundown_files::full_path;
use sundown_files::toml_file::FileMistakes;
use sundown_lint::findings::{Check, FindingKind};
use sundown_lint::rules::Lifecycle;
use sundown_report::{Diagnostic, Failure, FindingDetail, SentenceRole, all_problems};
use sundown_run::{RulesReader, check_text, explain_check, explain_requirement, explain_rule};
use sundown_text_json::text::markdown::{code, prose};
use sundown_text_json::text::{Location, escape_unsafe};

/// The number of problems of a document that are shown, the worst.
const MAX_PROBLEMS: usize = 1000;

/// The severities of the protocol: an error, a warning, an information, and another one for what could not be checked.
const SEVERITIES: [u8; 4] = [1, 2, 3, 3];

/// The tag of what is deprecated, which editors strike through.
const DEPRECATED: u8 = 2;

/// Lists the problems of a document; none if it is not for this program.
pub(super) fn list_problems(workspace: &mut Workspace<'_>, document: &OpenDocument) -> Vec<Value> {
    let Some(index) = &document.index else {
        let text = "not checked: it is larger than 4 MiB; `sundown check` checks it";
        return vec![mark(Location::START.into(), 3, text)];
    };
    let path = &document.path;
    let mut problems = Vec::new();
    let checked = if is_configuration(path) {
        workspace.try_config(path, &index.text).map_err(Rc::new)
    } else if document.is_table() {
        check_rules(workspace, path, index, &mut problems)
    } else {
        check(workspace, document, &mut |_, problem| {
            problems.push(mark_problem(&problem, document, index));
        })
        .map(|broken| problems.extend(broken))
    };
    match checked.as_ref().map_err(AsRef::as_ref) {
        Ok(()) => {}
        Err(Failure::Mistakes(mistakes))
            if mistakes.name == escape_unsafe(&path.to_string_lossy()) =>
        {
            problems.extend(mark_mistakes(mistakes, index));
        }
        Err(Failure::Plain {
            message,
            help: Some(help),
        }) => {
            problems.push(not_checked(&format!("{message}; {help}")));
        }
        Err(failure) => problems.push(not_checked(&failure.to_string())),
    }
    if problems.len() > MAX_PROBLEMS {
        let text = format!("the first {MAX_PROBLEMS} of {} problems", problems.len());
        problems.truncate(MAX_PROBLEMS);
        problems.push(mark(Location::START.into(), 3, &text));
    }
    problems
}

/// Describes the findings at a place in Markdown; empty if there are none.
pub(super) fn describe_findings(
    workspace: &mut Workspace<'_>,
    document: &OpenDocument,
    range: Range,
) -> String {
    let mut page = String::new();
    let at = document.index.as_ref().map(|index| index.span(range).start);
    // The problems of the document say what prevents its check.
    let _ = check(workspace, document, &mut |project, problem| {
        let span = problem.finding().map(|located| located.finding.found.span);
        if span.is_none_or(|span| !(Some(span.start)..=Some(span.end)).contains(&at)) {
            return;
        }
        let text = problem.text(|role, text| match role {
            SentenceRole::Title => prose(text),
            SentenceRole::Pointer => format!("\n- at {}", code(text)),
            _ => format!("\n- {}", prose(text)),
        });
        // An indented block is literal, whatever is in it.
        let rule: String = explain(project, &problem.code)
            .lines()
            .skip(2)
            .flat_map(|line| ["    ", line, "\n"])
            .collect();
        // A body that is checked as a request and as a response has each finding twice.
        let rule = if page.contains(&rule) { "" } else { &rule };
        let _ = writeln!(page, "{text}\n\n---\n\n{rule}");
    });
    page
}

/// The page of `sundown explain` about the code of a finding; empty if there is none.
pub(super) fn explain(project: &Project, code: &str) -> String {
    let set = &project.set;
    if let Some(rule) = set.rule(code) {
        let lifecycle = Lifecycle {
            as_of: project.day,
            ..project.config.settings.lifecycle
        };
        return explain_rule(set, rule, &lifecycle, FindingDetail::Grouped);
    }
    let (check, _) = code.split_once('/').unwrap_or((code, ""));
    let check = Check::from_id(check).map(explain_check);
    check
        .or_else(|| explain_requirement(set.requirements()?, code))
        .unwrap_or_default()
}

/// Checks a document as an input, and passes on its problems, the worst first. Returns the mark of the place where its JSON breaks off:
/// somebody is typing there, and what is outside of the broken element is checked without it.
fn check(
    workspace: &mut Workspace<'_>,
    document: &OpenDocument,
    each: &mut dyn FnMut(&Project, Diagnostic<'_>),
) -> Result<Option<Value>, Rc<Failure>> {
    let OpenDocument { path, index, .. } = document;
    let Some(index) = index.as_ref().filter(|_| !document.is_table()) else {
        return Ok(None);
    };
    let project = workspace.project(path)?;
    let options = project.options(path, workspace.access)?;
    let text = index.text.as_bytes();
    let report = check_text(&options, text);
    let name = options.names.of(path).shown;
    let mut failed = report.skips_of(SkipKind::Failed);
    let broken = failed.find_map(|group| {
        let is_broken = group.reason == Reason::InvalidJson && *group.file == *name;
        let at = index.offset_at(group.location.filter(|_| is_broken)?);
        Some((at, group.detail_text()))
    });
    // Up to the break, and without the element that has it: only one of the two may still be a document.
    let parts = broken.as_ref().map(|(at, _)| {
        let before = text.get(..*at).unwrap_or_default();
        [before, &blank_element(text, *at)].map(|part| check_text(&options, part))
    });
    let mut seen = BTreeSet::new();
    for part in parts.iter().flatten().chain([&report]) {
        // A description also leads to findings in the files that it refers to.
        let own = all_problems(part).filter(|problem| *problem.file == *name);
        let mut starts = Vec::new();
        for problem in own {
            let start = problem.finding().map(|own| own.finding.found.span.start);
            starts.extend(start);
            let is_new = match start {
                Some(start) => !seen.contains(&start),
                None => broken.is_none() || problem.code != Reason::InvalidJson.name(),
            };
            if is_new && (start.is_some() || std::ptr::eq(part, &raw const report)) {
                each(&project, problem);
            }
        }
        seen.extend(starts);
    }
    Ok(broken.map(|(at, detail)| {
        let text =
            format!("not valid JSON here{detail}; complete it: what is around it was checked");
        mark(index.range(at, at + 1), 3, &text)
    }))
}

/// A text with spaces in place of the member or item that breaks off at an offset, and of the comma that belongs to it.
fn blank_element(text: &[u8], at: usize) -> Vec<u8> {
    let (before, after) = text.split_at(at.min(text.len()));
    let start = before.iter().rposition(|byte| b",[{".contains(byte));
    let start = start.unwrap_or_default();
    let is_first = before.get(start) != Some(&b',');
    let end = after.iter().position(|byte| b",]}".contains(byte));
    let end = end.map_or(text.len(), |end| at + end);
    let has_comma = is_first && text.get(end) == Some(&b',');
    let mut text = text.to_owned();
    if let Some(element) = text.get_mut(start + usize::from(is_first)..end + usize::from(has_comma))
    {
        element.fill(b' ');
    }
    text
}

/// Checks a list of rules, if the configuration names it.
fn check_rules(
    workspace: &Workspace<'_>,
    path: &Path,
    index: &TextIndex,
    problems: &mut Vec<Value>,
) -> Result<(), Rc<Failure>> {
    let config = workspace.resolve(path)?;
    let mut named = config.settings.rules.iter();
    if named.any(|own| full_path(own).as_deref() == Some(path)) {
        let rules = RulesReader::new(&config, workspace.access).parse(path, &index.text)?;
        let doubts = rules.doubts.iter();
        problems.extend(doubts.flat_map(|doubts| mark_mistakes(doubts, index)));
    }
    Ok(())
}

fn mark_problem(problem: &Diagnostic<'_>, document: &OpenDocument, index: &TextIndex) -> Value {
    let level = problem.level(SEVERITIES);
    let line = escape_unsafe(&problem.line()).into_owned();
    let Some(located) = problem.finding() else {
        let start = problem.start.unwrap_or(Location::START);
        return mark(start.into(), level, &line);
    };
    let finding = &located.finding;
    let span = finding.found.span;
    let mut marked = mark(index.range(span.start, span.end), level, &line);
    marked["code"] = json!(problem.code);
    if let Some(docs) = problem.docs() {
        marked["codeDescription"] = json!({"href": docs});
    }
    if matches!(finding.kind, FindingKind::Use) {
        marked["tags"] = json!([DEPRECATED]);
    }
    let related = problem.related().map(|(span, message)| {
        let range = index.range(span.start, span.end);
        json!({"location": {"uri": document.uri, "range": range}, "message": message})
    });
    marked["relatedInformation"] = related.collect();
    marked
}

fn mark_mistakes(mistakes: &FileMistakes, index: &TextIndex) -> impl Iterator<Item = Value> {
    mistakes.mistakes.iter().take(MAX_PROBLEMS).map(|mistake| {
        let help = mistake.help.iter().flat_map(|help| ["; ", help]);
        let text: String = [&*mistake.message].into_iter().chain(help).collect();
        let range = index.range(mistake.span.start, mistake.span.end);
        mark(range, if mistake.is_doubt() { 2 } else { 1 }, &text)
    })
}

fn not_checked(why: &str) -> Value {
    let text = format!("not checked: {}", escape_unsafe(why));
    mark(Location::START.into(), 1, &text)
}

fn mark(range: Range, severity: u8, message: &str) -> Value {
    json!({"range": range, "severity": severity, "source": "sundown", "message": message})
}
