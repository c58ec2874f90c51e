//! Writes findings as compilers do: a title, then each place with its excerpt, and what the capture proves.
//!
//! A line that all findings of a group have comes once, after the last of them.

use std::collections::HashSet;
use std::fmt::Display;
use std::io::{self, Write};

use codespan_reporting::diagnostic::{LabelStyle, Severity as Level};
use codespan_reporting::term::WriteStyle;
use codespan_reporting::term::termcolor::Ansi;

use crate::log_text::{details, plural};
use crate::table::{text_width, wrap};
use crate::{LocatedFinding, RenderOptions, Verbosity, escape_unsafe, printable};
use sundown_lint::findings::{Finding, FindingKind};
use sundown_lint::rules::{ElementPart, Severity};
use sundown_text_json::json::ValueKind;

/// The number of places that are listed for a group that is shortened.
const MAX_PLACES: usize = 5;

/// Writes in colour.
pub(super) struct FindingWriter<'o> {
    out: Ansi<&'o mut dyn Write>,
    options: RenderOptions,
    /// How many digits the longest number of a line has in the current group.
    digits: usize,
    /// The lines about checks that have been written.
    references: HashSet<String>,
}

impl<'o> FindingWriter<'o> {
    pub(super) fn new(options: RenderOptions, out: &'o mut dyn Write) -> Self {
        Self {
            out: Ansi::new(out),
            options,
            digits: 0,
            references: HashSet::new(),
        }
    }

    /// Writes a group; if it is shortened, only the first of its findings in full.
    pub(super) fn write(
        &mut self,
        group: &[&LocatedFinding],
        is_shortened: bool,
    ) -> io::Result<()> {
        let [first, others @ ..] = group else {
            return Ok(());
        };
        let shown = if is_shortened {
            MAX_PLACES
        } else {
            group.len()
        };
        let shown = group.iter().take(shown);
        let last_line = shown.clone().map(|located| located.location.line).max();
        self.digits = last_line.unwrap_or_default().to_string().len();
        let mut shared = notes(first);
        for located in others {
            let own = notes(located);
            shared.retain(|line| own.contains(line));
        }
        // That is a fact about the rule, which findings in the announced operation need not say.
        let mut findings = group.iter().map(|located| &located.finding);
        let announced = findings.find_map(Finding::announcement_text);
        self.write_title(&first.finding)?;
        let mut advice = String::new();
        let mut shown = shown.enumerate().peekable();
        while let Some((index, located)) = shown.next() {
            self.write_text("┌─", &self.place(located))?;
            if is_shortened && index > 0 {
                continue;
            }
            self.write_excerpt(located, &mut advice)?;
            let own = notes(located);
            // What the next finding has, too, follows that.
            let next = shown.peek().filter(|_| !is_shortened);
            if next.is_none_or(|(_, next)| notes(next) != own) {
                let mut own = own.iter().filter(|line| !shared.contains(line));
                own.try_for_each(|line| self.write_text("=", line))?;
            }
        }
        let more = group.len().saturating_sub(MAX_PLACES);
        if is_shortened && more > 0 {
            self.write_text("=", &format!("and in {}", plural(more, "more place")))?;
        }
        if let Some(announced) = announced {
            self.write_text("=", &escape_unsafe(&announced))?;
        }
        for line in shared {
            let is_reference = reference(&first.finding).is_some_and(|own| own == line);
            if !is_reference || self.references.insert(line.clone()) {
                self.write_text("=", &line)?;
            }
        }
        writeln!(self.out)
    }

    fn write_title(&mut self, finding: &Finding) -> io::Result<()> {
        let name = format!("{}[{}]", finding.severity.name(), finding.code());
        let headline = finding.headline();
        let title = format!("{name}: {}", escape_unsafe(&headline));
        let title = self.wrap(&title, 2).join("\n  ");
        self.out.set_header(level(finding))?;
        write!(self.out, "{name}")?;
        self.out.set_header_message()?;
        write!(self.out, "{}", title.strip_prefix(&name).unwrap_or(&title))?;
        self.out.reset()?;
        writeln!(self.out)
    }

    /// Writes the excerpt, and below it what to use, unless that has been said.
    fn write_excerpt(&mut self, located: &LocatedFinding, said: &mut String) -> io::Result<()> {
        let finding = &located.finding;
        let excerpt = finding_excerpt(located);
        self.write_margin(located.location.line, "│")?;
        write!(self.out, "{}", excerpt.before)?;
        self.write_marked(finding, &excerpt.marked)?;
        writeln!(self.out, "{}", excerpt.after)?;
        let advice = finding.advice();
        if advice == *said {
            return Ok(());
        }
        let indent = text_width(&excerpt.before);
        let carets = "^".repeat(text_width(&excerpt.marked).max(1));
        let label = format!("{carets} {}", escape_unsafe(&advice));
        for line in self.wrap(&label, self.digits + 3 + indent) {
            self.write_margin("", "│")?;
            write!(self.out, "{:indent$}", "")?;
            self.write_marked(finding, &line)?;
            writeln!(self.out)?;
        }
        *said = advice;
        Ok(())
    }

    fn write_marked(&mut self, finding: &Finding, text: &str) -> io::Result<()> {
        self.out.set_label(level(finding), LabelStyle::Primary)?;
        write!(self.out, "{text}")?;
        self.out.reset()
    }

    /// Writes a text of one or several lines, the first of each after a sign.
    fn write_text(&mut self, sign: &str, text: &str) -> io::Result<()> {
        let next = if sign == "=" { " " } else { "│ " };
        for text in text.lines() {
            let lines = self.wrap(text, self.digits + text_width(sign) + 2);
            for (index, line) in lines.iter().enumerate() {
                self.write_margin("", if index == 0 { sign } else { next })?;
                writeln!(self.out, "{line}")?;
            }
        }
        Ok(())
    }

    /// Writes what is on the left of a line: its number and a sign.
    fn write_margin(&mut self, number: impl Display, sign: &str) -> io::Result<()> {
        self.out.set_source_border()?;
        write!(self.out, "{number:>0$} {sign}", self.digits)?;
        self.out.reset()?;
        write!(self.out, " ")
    }

    /// The lines of a text after a margin of so many columns.
    fn wrap(&self, text: &str, margin: usize) -> Vec<String> {
        match self.options.screen {
            Some(screen) => wrap(text, screen.columns.saturating_sub(margin)),
            None => vec![text.to_owned()],
        }
    }

    /// Where a finding is: file, position, operation, pointer, and how often it is there.
    fn place(&self, located: &LocatedFinding) -> String {
        let finding = &located.finding;
        let is_verbose = self.options.verbosity == Verbosity::Verbose;
        let mut place = located.place();
        if let Some(site) = finding.site() {
            place = format!("{place} {}", escape_unsafe(&site));
        }
        place += &located.pointer_text(" at ");
        // Of a file that is one line, the position does not show which exchange it is.
        let exchange = finding.found.exchange.as_ref();
        if let Some(exchange) =
            exchange.filter(|own| is_verbose || own.index > 0 && located.location.line == 1)
        {
            place = format!("{place} in exchange {}", exchange.index);
            let started = exchange.started.filter(|_| is_verbose);
            let started = started.map(|time| time.format(" (%Y-%m-%d %H:%M:%SZ)").to_string());
            place += &started.unwrap_or_default();
        }
        match finding.sightings.count.saturating_sub(1) {
            0 => place,
            more => format!("{place} and {more} more like it"),
        }
    }
}

fn level(finding: &Finding) -> Level {
    match finding.severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
        Severity::Note => Level::Note,
    }
}

/// Where to read more about the check of a finding, escaped; `None` for a use.
fn reference(finding: &Finding) -> Option<String> {
    let check = finding.check();
    check.map(|_| escape_unsafe(&finding.consequence_of_each()).into_owned())
}

/// The texts below an excerpt, escaped; some have several lines.
fn notes(located: &LocatedFinding) -> Vec<String> {
    let finding = &located.finding;
    let note = finding.note().map(|note| format!("note: {note}"));
    let after = note
        .into_iter()
        .chain([finding.consequence_of_each()])
        .chain(located.status.expiry_note());
    let body = match &finding.found.shown {
        shown if shown.in_other_file => Some("the body is in the file that is named here"),
        shown if shown.encoded => {
            Some("the body is encoded in the file: the location is that of the whole body")
        }
        _ => None,
    };
    let body = body.map(str::to_owned).into_iter();
    let texts = body.chain(details(located)).chain(after);
    texts.map(|text| escape_lines(&text)).collect()
}

/// Escapes each line of a text.
fn escape_lines(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(escape_unsafe).collect();
    lines.join("\n")
}

/// What a line of a finding shows: keys, escaped, with what is around them.
struct FindingExcerpt {
    pub before: String,
    pub marked: String,
    pub after: String,
}

/// The line of a finding.
fn finding_excerpt(located: &LocatedFinding) -> FindingExcerpt {
    let finding = &located.finding;
    let shown = &finding.found.shown;
    let Some(key) = &shown.key else {
        // The URL is a value.
        return call(finding);
    };
    let is_operation =
        matches!(finding.kind, FindingKind::Use) && finding.rule.element.is_endpoint();
    let before = match &shown.parent {
        Some(parent) => before(parent),
        None if is_operation && located.location.column == 1 => String::new(),
        None => "… ".to_owned(),
    };
    let value = match shown.text.as_deref() {
        Some(text) => printable(text),
        None => masked(shown.value).into(),
    };
    FindingExcerpt {
        before,
        marked: printable(key).into_owned(),
        // The member that states an operation has its value in it.
        after: if is_operation {
            String::new()
        } else {
            format!(": {value}")
        },
    }
}

/// The call of an endpoint or with a parameter: the method, and the end of the template of the path.
fn call(finding: &Finding) -> FindingExcerpt {
    let operation = printable(&finding.found.operation);
    let call = operation.split_once(' ').map(|(method, path)| {
        let end = last_word(path);
        let ellipsis = if end.len() == path.len() { "" } else { "…" };
        format!("{method} {ellipsis}{end}")
    });
    let value = finding.found.shown.text.as_deref().map(printable);
    match (&finding.rule.element.part, call) {
        (ElementPart::Endpoint | ElementPart::Segment(_), Some(call))
            if finding.declared().is_none() =>
        {
            let value = value.map(|value| format!(" with {value}"));
            excerpt("", &call, value.unwrap_or_default())
        }
        (ElementPart::Parameter(name), Some(call)) if finding.declared().is_none() => {
            let value = value.as_deref().unwrap_or("…");
            excerpt(&format!("{call}?"), &printable(name), format!("={value}"))
        }
        _ => excerpt("", "…", String::new()),
    }
}

/// An excerpt whose middle is marked.
fn excerpt(before: &str, marked: &str, after: String) -> FindingExcerpt {
    FindingExcerpt {
        before: before.to_owned(),
        marked: marked.to_owned(),
        after,
    }
}

/// The end of the template of a path, from its last segment that is no variable.
fn last_word(path: &str) -> &str {
    let mut ends = path
        .rmatch_indices('/')
        .filter_map(|(at, _)| path.get(at..));
    ends.find(|end| !end.starts_with("/{") && !end.starts_with("/*"))
        .unwrap_or(path)
}

fn before(parent: &str) -> String {
    format!("… \"{}\": … ", printable(parent))
}

fn masked(value: Option<ValueKind>) -> &'static str {
    match value {
        Some(ValueKind::String) => "\"…\"",
        Some(ValueKind::Object) => "{…}",
        Some(ValueKind::Array) => "[…]",
        _ => "…",
    }
}
