//! Finds the uses, changes their files in memory, and checks the changed files.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::sync::Arc;

use memchr::{memchr_iter, memchr2_iter};

use super::byte_edit::{ByteEdit, EditRefusal, apply, byte_edit};
use super::changed_file::{AppliedEdit, ChangedFile};
use crate::body_operation::BodyOperation;
use crate::check::check_each;
use crate::check_options::CheckOptions;
use crate::recognition::recognise;
use crate::worker::{Outcome, Worker};
use chrono::NaiveDate;
use sundown_captures::{Editable, Format, Gauge, InputFile, PathOrigin, discover};
use sundown_exchange::Side;
use sundown_files::{FileAccess, FileName};
use sundown_lint::InnerElements;
use sundown_lint::findings::suppression::SuppressionStatus;
use sundown_lint::findings::{Certainty, ExchangePart, FindingKind};
use sundown_lint::inspect::UserRole;
use sundown_lint::rules::{Edit, Lifecycle, Rule, RuleFix, RuleTable};
use sundown_report::{LocatedFinding, Report};
use sundown_text_json::text::{Block, Span, io_error_text};

/// Which edits are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixLevel {
    /// Those that keep the meaning.
    Safe,
    /// All.
    Unsafe,
}

/// What was not changed, and the report of the run that found the uses.
#[derive(Debug, Default)]
pub struct FixOutcome {
    /// The uses with an edit that was not made, by file and place.
    pub left: Vec<LeftUse>,
    /// The files of recorded traffic, with the number of their findings.
    pub recorded: BTreeMap<Arc<str>, usize>,
    /// The number of findings in other files that have no edit.
    pub without_edit: usize,
    /// What the first pass says about the files; its findings are in the other parts.
    pub report: Report,
}

/// A use with an edit that was not made.
#[derive(Debug)]
pub struct LeftUse {
    /// The name of the file.
    pub file: Arc<str>,
    /// The edit.
    pub edit: AppliedEdit,
    /// Why it was not made.
    pub refusal: EditRefusal,
}

/// Applies the edits to everything that the options name, a file at a time. `each` gets the changed files, and may refuse one.
pub fn fix_files(
    options: &CheckOptions<'_>,
    level: FixLevel,
    gauge: &Gauge,
    each: &mut dyn FnMut(&ChangedFile) -> Result<(), EditRefusal>,
) -> FixOutcome {
    let discovery = discover(
        &options.paths,
        options.given,
        &options.globs,
        options.names.clone(),
    );
    let mut files: HashMap<_, _> = discovery
        .files
        .into_iter()
        .map(|file| (Arc::clone(&file.name.shown), FoundFile::new(file)))
        .collect();
    let mut outcome = FixOutcome::default();
    outcome.report = check_each(options, &mut io::empty(), gauge, &mut |located| {
        if let Some(found) = files.get_mut(&located.file)
            && !found.add(located, options)
        {
            let file = Arc::clone(&located.file);
            *outcome.recorded.entry(file).or_default() += 1;
        }
    });
    let with_uses = files
        .into_iter()
        .filter(|(_, found)| !found.uses.is_empty());
    for (_, FoundFile { file, format, uses }) in with_uses.collect::<BTreeMap<_, _>>() {
        let Some(Some(format)) = format.into_inner() else {
            continue;
        };
        let without = uses
            .iter()
            .filter(|located| is_open(located) && applied_edit(located).is_none());
        // A body of both sides has each use twice.
        let places: BTreeSet<_> = without
            .map(|located| (located.location, &located.finding.rule.id))
            .collect();
        outcome.without_edit += places.len();
        let mut fixer = FileFixer {
            options,
            level,
            file: &file,
            format,
            left: Vec::new(),
        };
        if let Some(changed) = fixer.fix(&uses) {
            match each(&changed) {
                Ok(()) => {}
                Err(refusal) => {
                    for edit in changed.edits {
                        fixer.leave(edit, refusal.clone());
                    }
                }
            }
        }
        fixer.left.sort_by_key(|left| left.edit.location);
        fixer
            .left
            .dedup_by(|one, other| one.edit.is_same(&other.edit));
        outcome.left.append(&mut fixer.left);
    }
    outcome
}

/// A file, and its findings if people write such files.
struct FoundFile {
    file: InputFile,
    /// Its format, once it is looked for; `None` if it has none.
    format: OnceCell<Option<Format>>,
    uses: Vec<LocatedFinding>,
}

impl FoundFile {
    fn new(file: InputFile) -> Self {
        Self {
            file,
            format: OnceCell::new(),
            uses: Vec::new(),
        }
    }

    /// Keeps a finding. Returns false if it is in a recording.
    fn add(&mut self, located: &LocatedFinding, options: &CheckOptions<'_>) -> bool {
        let format = *self.format.get_or_init(|| {
            self.file.path.as_ref()?;
            let recognised = recognise(options, &self.file, &mut io::empty());
            recognised.format.ok().and_then(Format::from_name)
        });
        let is_written = format.is_some_and(|format| match format.spec().editable {
            // Descriptions are written, too; their findings have no edit.
            Editable::Nothing => format == Format::OpenApi,
            Editable::Bodies => located.finding.found.exchange.is_none(),
            Editable::Requests | Editable::Stubs | Editable::Everything => true,
        });
        let is_written = is_written && located.compression.is_none();
        if is_written {
            self.uses.push(located.clone());
        }
        is_written
    }
}

/// Changes one file.
struct FileFixer<'r, 't> {
    options: &'r CheckOptions<'t>,
    level: FixLevel,
    file: &'r InputFile,
    format: Format,
    left: Vec<LeftUse>,
}

impl FileFixer<'_, '_> {
    /// Makes the edits of these findings of the file. Returns nothing if none could be made.
    fn fix(&mut self, uses: &[LocatedFinding]) -> Option<ChangedFile> {
        let path = self.file.path.as_ref()?;
        let old = match FileAccess::default().read_whole(path, u64::MAX) {
            Ok(old) => old,
            Err(error) => {
                for applied in uses.iter().filter_map(applied_edit) {
                    self.leave(applied, EditRefusal::System(io_error_text(&error)));
                }
                return None;
            }
        };
        let (new, edits) = self.fix_text(&old, uses)?;
        Some(ChangedFile {
            name: Arc::clone(&self.file.name.shown),
            path: path.clone(),
            old,
            new,
            changes: changes(&edits),
            edits: applied_once(edits),
        })
    }

    /// Makes the edits of these findings of a text.
    fn fix_text(
        &mut self,
        old: &[u8],
        uses: &[LocatedFinding],
    ) -> Option<(Vec<u8>, Vec<PlannedEdit>)> {
        let mut edits = self.edits(old, uses);
        self.drop_overlapping(&mut edits);
        self.drop_resizing(old, &mut edits);
        if edits.is_empty() {
            return None;
        }
        match self.verify(old, uses, &mut edits) {
            Ok(new) => Some((new, edits)),
            Err(refusal) => {
                self.leave_all(edits, &refusal);
                None
            }
        }
    }

    /// The edits that this run is to make, in the order of their places.
    fn edits(&mut self, old: &[u8], uses: &[LocatedFinding]) -> Vec<PlannedEdit> {
        let mut planned = Vec::new();
        for located in uses.iter().filter(|located| is_open(located)) {
            let Some(applied) = applied_edit(located) else {
                continue;
            };
            match self.change(old, located, &applied.fix) {
                Ok(change) => planned.push(PlannedEdit {
                    change,
                    applied,
                    key: FindingKey::of(located),
                }),
                Err(refusal) => self.leave(applied, refusal),
            }
        }
        planned.sort_by(|one, other| one.change.cmp(&other.change));
        planned
    }

    fn change(
        &self,
        old: &[u8],
        located: &LocatedFinding,
        fix: &RuleFix,
    ) -> Result<ByteEdit, EditRefusal> {
        let finding = &located.finding;
        let is_response = finding.found.part == ExchangePart::Message(Side::Response);
        let may_edit = match self.format.spec().editable {
            Editable::Bodies | Editable::Everything => true,
            Editable::Requests => !is_response,
            Editable::Stubs => !is_response || self.options.role == UserRole::Owner,
            Editable::Nothing => false,
        };
        if !may_edit {
            return Err(EditRefusal::RecordedResponse);
        }
        let change = byte_edit(old, finding, fix)?;
        if has_aliases(old) {
            return Err(EditRefusal::Aliases);
        }
        self.allow(fix.safe && finding.found.certainty == Certainty::Certain)?;
        Ok(change)
    }

    fn allow(&self, is_safe: bool) -> Result<(), EditRefusal> {
        let may = is_safe || self.level == FixLevel::Unsafe;
        may.then_some(()).ok_or(EditRefusal::Unsafe)
    }

    /// Leaves edits that share bytes. Equal ones are one: a body that is checked as a request and as a response has each use twice.
    fn drop_overlapping(&mut self, edits: &mut Vec<PlannedEdit>) {
        let mut end = 0;
        let mut groups: Vec<Vec<PlannedEdit>> = Vec::new();
        for edit in std::mem::take(edits) {
            let joins = edit.change.start < end;
            end = end.max(edit.change.end);
            match groups.last_mut().filter(|_| joins) {
                Some(group) => group.push(edit),
                None => groups.push(vec![edit]),
            }
        }
        for group in groups {
            let is_one = group.iter().all(|edit| edit.change == group[0].change);
            if is_one {
                edits.extend(group);
            } else {
                self.leave_all(group, &EditRefusal::Overlap);
            }
        }
    }

    /// Leaves edits that change the size of a body in a file that may state it.
    fn drop_resizing(&mut self, old: &[u8], edits: &mut Vec<PlannedEdit>) {
        if !states_a_size(old) {
            return;
        }
        let resizes =
            |edit: &PlannedEdit| edit.change.new.len() != edit.change.end - edit.change.start;
        let (resizing, kept) = std::mem::take(edits).into_iter().partition(resizes);
        *edits = kept;
        self.leave_all(resizing, &EditRefusal::StatedSize);
    }

    /// Checks the changed file, and returns it if its findings are those of the old file without the changed ones. A new name that is
    /// itself deprecated, and has an edit, is followed to the last one.
    fn verify(
        &self,
        old: &[u8],
        uses: &[LocatedFinding],
        edits: &mut [PlannedEdit],
    ) -> Result<Vec<u8>, EditRefusal> {
        for _ in 0..MAX_CHAIN {
            let new = apply(old, &changes(edits));
            let findings = self.lint(&new)?;
            let mut expected = HashMap::new();
            for located in uses {
                *expected.entry(FindingKey::of(located)).or_insert(0) += 1;
            }
            for edit in edits.iter() {
                if let Some(count) = expected.get_mut(&edit.key) {
                    *count -= 1;
                }
            }
            let mut come = Vec::new();
            for located in &findings {
                let left = expected.entry(FindingKey::of(located)).or_default();
                *left -= 1;
                if *left < 0 {
                    come.push(located);
                }
            }
            let Some(first) = come.first() else {
                return Ok(new);
            };
            if !self.follow(&come, edits)? {
                let rule = &first.finding.rule.id;
                return Err(EditRefusal::Finding(rule.clone()));
            }
        }
        Err(EditRefusal::Endless)
    }

    /// Replaces the new names that are deprecated, too, by theirs. Returns false if a finding has come that no edit explains.
    fn follow(
        &self,
        come: &[&LocatedFinding],
        edits: &mut [PlannedEdit],
    ) -> Result<bool, EditRefusal> {
        // Where the new texts are in the changed file.
        let mut shift = 0isize;
        let mut places = Vec::new();
        for edit in edits.iter() {
            let start = edit.change.start.saturating_add_signed(shift);
            places.push(Span::new(start, start + edit.change.new.len()));
            let is_repeat = places.len() > 1 && places[places.len() - 2].start == start;
            if !is_repeat {
                shift += edit.change.new.len().cast_signed()
                    - (edit.change.end - edit.change.start).cast_signed();
            }
        }
        for located in come {
            let span = located.finding.found.span;
            let Some(applied) = applied_edit(located) else {
                return Ok(false);
            };
            let Edit::Rename(next) = &applied.fix.edit else {
                return Ok(false);
            };
            self.allow(applied.fix.safe)?;
            let mut is_followed = false;
            for (edit, place) in edits.iter_mut().zip(&places) {
                if span.start <= place.start && place.end <= span.end {
                    edit.change.new.clone_from(next);
                    edit.applied.fix.edit = Edit::Rename(next.clone());
                    is_followed = true;
                }
            }
            if !is_followed {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The findings of a text in place of the file. What could not be checked is a refusal.
    fn lint(&self, text: &[u8]) -> Result<Vec<LocatedFinding>, EditRefusal> {
        let mut worker = Worker::new(self.options);
        let (_, outcome) = worker.whole(self.file, Block::whole(text));
        match outcome {
            Outcome::Collected(report) if !report.has_failures() => Ok(report.into_findings()),
            _ => Err(EditRefusal::Unchecked),
        }
    }

    fn leave(&mut self, edit: AppliedEdit, refusal: EditRefusal) {
        let file = Arc::clone(&self.file.name.shown);
        self.left.push(LeftUse {
            file,
            edit,
            refusal,
        });
    }

    fn leave_all(&mut self, edits: Vec<PlannedEdit>, refusal: &EditRefusal) {
        for edit in edits {
            self.leave(edit.applied, refusal.clone());
        }
    }
}

/// Applies the fix of each rule about a field to the example of the rule, and returns the rules whose fix leaves the example with a
/// finding, each with the reason.
pub fn find_faulty_fixes(table: &RuleTable) -> Vec<(Arc<Rule>, EditRefusal)> {
    let with_fix = table
        .rules()
        .iter()
        .filter(|rule| rule.fix.is_some() && rule.element.field_name().is_some() && !rule.is_off());
    let faults = with_fix.filter_map(|rule| Some((Arc::clone(rule), find_fault(rule, table)?)));
    faults.collect()
}

/// Why a fix leaves the example of its rule with a finding; `None` if it does not, or if the example is no use.
fn find_fault(rule: &Arc<Rule>, table: &RuleTable) -> Option<EditRefusal> {
    let text = rule.example().before.into_bytes();
    rule.places.iter().find_map(|place| {
        let named = BodyOperation {
            operation: place.operation.clone(),
            sides: place.sides,
        };
        let options = CheckOptions {
            named: Some(named),
            fold: false,
            inner: InnerElements::Separate,
            ..CheckOptions::new(Vec::new(), table, Lifecycle::on(NaiveDate::MIN))
        };
        let file = InputFile {
            path: None,
            name: FileName::verbatim("example.json"),
            origin: PathOrigin::Named,
        };
        let mut fixer = FileFixer {
            options: &options,
            level: FixLevel::Unsafe,
            file: &file,
            format: Format::Body,
            left: Vec::new(),
        };
        let uses = fixer.lint(&text).ok()?;
        let is_use = uses
            .iter()
            .any(|located| located.finding.rule.id == rule.id);
        fixer.fix_text(&text, &uses);
        let own = |left: &LeftUse| is_use && left.edit.rule.id == rule.id;
        fixer.left.into_iter().find(own).map(|left| left.refusal)
    })
}

/// How many names an edit follows that are deprecated themselves.
const MAX_CHAIN: usize = 8;

/// An edit, and the change of bytes that makes it.
struct PlannedEdit {
    change: ByteEdit,
    applied: AppliedEdit,
    key: FindingKey,
}

/// What a finding keeps when the file around it changes.
#[derive(Debug, PartialEq, Eq, Hash)]
struct FindingKey {
    rule: String,
    operation: Arc<str>,
    part: ExchangePart,
}

impl FindingKey {
    fn of(located: &LocatedFinding) -> Self {
        let finding = &located.finding;
        Self {
            rule: finding.rule.id.clone(),
            operation: Arc::clone(&finding.found.operation),
            part: finding.found.part,
        }
    }
}

/// The changes of edits, each once.
fn changes(edits: &[PlannedEdit]) -> Vec<ByteEdit> {
    let mut changes: Vec<_> = edits.iter().map(|edit| edit.change.clone()).collect();
    changes.dedup();
    changes
}

/// The edits, each once.
fn applied_once(edits: Vec<PlannedEdit>) -> Vec<AppliedEdit> {
    let mut applied: Vec<_> = edits.into_iter().map(|edit| edit.applied).collect();
    applied.dedup_by(|one, other| one.is_same(other));
    applied
}

/// The edit of a use that its rule has.
fn applied_edit(located: &LocatedFinding) -> Option<AppliedEdit> {
    let finding = &located.finding;
    let FindingKind::Use = finding.kind else {
        return None;
    };
    Some(AppliedEdit {
        location: located.location,
        rule: Arc::clone(&finding.rule),
        fix: finding.rule.edit()?,
    })
}

/// Whether a finding counts.
fn is_open(located: &LocatedFinding) -> bool {
    matches!(
        located.status,
        SuppressionStatus::Open | SuppressionStatus::Expired(_)
    )
}

/// Whether a file may say how long a body in it is.
fn states_a_size(file: &[u8]) -> bool {
    const NAME: &[u8] = b"content-length";
    memchr2_iter(b'c', b'C', file).any(|at| {
        file.get(at..at + NAME.len())
            .is_some_and(|text| text.eq_ignore_ascii_case(NAME))
    })
}

/// Whether a file may have aliases of YAML: it has names after both signs, outside of JSON.
fn has_aliases(file: &[u8]) -> bool {
    let has = |sign: u8| {
        memchr_iter(sign, file).any(|at| {
            let before = at.checked_sub(1).and_then(|at| file.get(at));
            let after = file.get(at + 1);
            before.is_none_or(|byte| matches!(byte, b' ' | b'\n' | b'[' | b','))
                && after.is_some_and(u8::is_ascii_alphanumeric)
        })
    };
    has(b'*') && has(b'&')
}
