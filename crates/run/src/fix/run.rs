//! Finds the uses, changes their files in memory, and checks the changed files.

use std::cell::OnceCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
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
use sundown_lint::findings::ExchangePart;
use sundown_lint::findings::suppression::SuppressionStatus;
use sundown_lint::inspect::UserRole;
use sundown_lint::rules::{Edit, Lifecycle, Rule, RuleFix, RuleTable};
use sundown_report::{LocatedFinding, Report};
use sundown_text_json::text::{Block, io_error_text};

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
            && is_open(located)
        {
            let file = Arc::clone(&located.file);
            *outcome.recorded.entry(file).or_default() += 1;
        }
    });
    let with_uses = files
        .into_iter()
        .filter(|(_, found)| !found.uses.is_empty());
    for (_, FoundFile { file, format, uses }) in with_uses.collect::<BTreeMap<_, _>>() {
        if gauge.is_stopped() {
            break;
        }
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
        let old = match FileAccess::default().read_whole(path, MAX_FILE) {
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
            edits: edits.into_iter().map(|edit| edit.applied).collect(),
        })
    }

    /// Makes the edits of these findings of a text.
    fn fix_text(
        &mut self,
        old: &[u8],
        uses: &[LocatedFinding],
    ) -> Option<(Vec<u8>, Vec<PlannedEdit>)> {
        let mut edits = self.edits(old, uses);
        self.drop_twins(&mut edits);
        self.drop_overlapping(&mut edits);
        self.drop_resizing(old, &mut edits);
        if edits.is_empty() {
            return None;
        }
        let verified = self.verify(old, uses, &mut edits);
        let resizes = edits.iter().any(PlannedEdit::resizes) && states_a_size(old);
        match verified {
            // A name that was followed may have another length.
            Ok(_) if resizes => self.leave_all(edits, &EditRefusal::StatedSize),
            Ok(new) => return Some((new, edits)),
            Err(refusal) => self.leave_all(edits, &refusal),
        }
        None
    }

    /// The edits that this run is to make, in the order of their places, each once: a body that is checked as a request and as a
    /// response has each use twice.
    fn edits(&mut self, old: &[u8], uses: &[LocatedFinding]) -> Vec<PlannedEdit> {
        let mut planned: BTreeMap<ByteEdit, PlannedEdit> = BTreeMap::new();
        let has_aliases = self.may_be_yaml() && has_aliases(old);
        for located in uses.iter().filter(|located| is_open(located)) {
            let Some(applied) = applied_edit(located) else {
                continue;
            };
            let change = if has_aliases {
                Err(EditRefusal::Aliases)
            } else {
                self.change(old, located, &applied.fix)
            };
            match change {
                Ok(change) => match planned.entry(change.clone()) {
                    Entry::Occupied(mut known) => known.get_mut().uses.push(UseSite::of(located)),
                    Entry::Vacant(new) => {
                        new.insert(PlannedEdit {
                            change,
                            applied,
                            uses: vec![UseSite::of(located)],
                        });
                    }
                },
                Err(refusal) => self.leave(applied, refusal),
            }
        }
        planned.into_values().collect()
    }

    fn may_be_yaml(&self) -> bool {
        self.format.spec().endings.contains(&"yaml") || self.format == Format::Body
    }

    fn change(
        &self,
        old: &[u8],
        located: &LocatedFinding,
        fix: &RuleFix,
    ) -> Result<ByteEdit, EditRefusal> {
        let is_response = located.finding.found.part == ExchangePart::Message(Side::Response);
        let may_edit = match self.format.spec().editable {
            Editable::Bodies | Editable::Everything => true,
            Editable::Requests => !is_response,
            Editable::Stubs => !is_response || self.options.role == UserRole::Owner,
            Editable::Nothing => false,
        };
        if !may_edit {
            return Err(EditRefusal::RecordedResponse);
        }
        let change = byte_edit(old, &located.finding, fix)?;
        let may = fix.safe || self.level == FixLevel::Unsafe;
        may.then_some(change).ok_or(EditRefusal::Unsafe)
    }

    /// Leaves edits that would give two members of one object the same name.
    fn drop_twins(&mut self, edits: &mut Vec<PlannedEdit>) {
        let mut names: HashMap<_, usize> = HashMap::new();
        for edit in edits.iter() {
            for name in edit.new_members() {
                *names.entry(name).or_default() += 1;
            }
        }
        let is_twin =
            |edit: &PlannedEdit| edit.new_members().any(|name| names.get(&name) > Some(&1));
        let (twins, kept): (Vec<_>, Vec<_>) = std::mem::take(edits).into_iter().partition(is_twin);
        *edits = kept;
        for edit in twins {
            let new = edit.change.new.clone();
            self.leave(edit.applied, EditRefusal::Present(new));
        }
    }

    /// Leaves edits that share bytes.
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
            if group.len() == 1 {
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
            let mut expected = ExpectedFindings::after(edits, uses);
            let come: Vec<_> = findings.iter().filter(|own| !expected.take(own)).collect();
            let Some(first) = come.first() else {
                return if expected.is_complete() {
                    Ok(new)
                } else {
                    Err(EditRefusal::Lost)
                };
            };
            if !self.follow(&new, &come, edits)? {
                let rule = &first.finding.rule.id;
                return Err(EditRefusal::Finding(rule.clone()));
            }
        }
        Err(EditRefusal::Endless)
    }

    /// Replaces the new names that are deprecated, too, by theirs. Returns false if a finding has come that no edit explains.
    fn follow(
        &self,
        new: &[u8],
        come: &[&LocatedFinding],
        edits: &mut [PlannedEdit],
    ) -> Result<bool, EditRefusal> {
        // Where the new texts are in the changed file, in order.
        let mut shift = 0isize;
        let mut starts = Vec::with_capacity(edits.len());
        for PlannedEdit { change, .. } in edits.iter() {
            starts.push(change.start.saturating_add_signed(shift));
            shift += change.new.len().cast_signed() - (change.end - change.start).cast_signed();
        }
        for located in come {
            let Some(applied) = applied_edit(located) else {
                return Ok(false);
            };
            let next = self.change(new, located, &applied.fix)?;
            let own = starts.binary_search(&next.start).ok();
            let own = own.and_then(|index| edits.get_mut(index));
            // Of a body with two sides, the second finding is about what the first has changed.
            let is_own = |edit: &&mut PlannedEdit| {
                next.end - next.start == edit.change.new.len() || edit.change.new == next.new
            };
            let Some(edit) = own.filter(is_own) else {
                return Ok(false);
            };
            edit.change.new = next.new;
            edit.applied.fix.edit = applied.fix.edit;
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

/// The size of the largest file that is changed, in bytes. It is held in memory, old and new.
const MAX_FILE: u64 = 1 << 30;

/// How many names an edit follows that are deprecated themselves.
const MAX_CHAIN: usize = 8;

/// An edit, the change of bytes that makes it, and the uses that it changes.
struct PlannedEdit {
    change: ByteEdit,
    applied: AppliedEdit,
    uses: Vec<UseSite>,
}

impl PlannedEdit {
    fn resizes(&self) -> bool {
        self.change.new.len() != self.change.end - self.change.start
    }

    /// The members that get a new name.
    fn new_members(&self) -> impl Iterator<Item = (UseSite, String)> {
        let is_rename = matches!(self.applied.fix.edit, Edit::Rename(_));
        let uses = self.uses.iter().filter(move |_| is_rename);
        uses.map(|site| (site.parent(), self.change.new.clone()))
    }
}

/// Where a use is, apart from its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct UseSite {
    /// The number of its exchange.
    exchange: Option<usize>,
    part: ExchangePart,
    pointer: String,
    finding: FindingKey,
}

impl UseSite {
    fn of(located: &LocatedFinding) -> Self {
        let found = &located.finding.found;
        Self {
            exchange: found.exchange.as_ref().map(|exchange| exchange.index),
            part: found.part,
            pointer: found.exact_pointer().unwrap_or_default().to_owned(),
            finding: FindingKey::of(located),
        }
    }

    /// The object that has it, whatever the rule.
    fn parent(&self) -> Self {
        let parent = self
            .pointer
            .rsplit_once('/')
            .map_or("", |(parent, _)| parent);
        Self {
            pointer: parent.to_owned(),
            finding: FindingKey::default(),
            ..self.clone()
        }
    }
}

/// What a finding keeps when the file around it changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct FindingKey {
    rule: String,
    operation: String,
    side: Option<Side>,
}

impl FindingKey {
    fn of(located: &LocatedFinding) -> Self {
        let finding = &located.finding;
        Self {
            rule: finding.rule.id.clone(),
            operation: finding.found.operation.to_string(),
            side: finding.found.part.side(),
        }
    }
}

/// The findings that a changed file is to have.
struct ExpectedFindings {
    /// Those of the old file that no edit changes.
    kept: HashMap<FindingKey, usize>,
    /// Those inside of a member that an edit changes: they may go with it.
    inner: HashMap<FindingKey, usize>,
}

impl ExpectedFindings {
    fn after(edits: &[PlannedEdit], uses: &[LocatedFinding]) -> Self {
        let changed: HashSet<&UseSite> = edits.iter().flat_map(|edit| &edit.uses).collect();
        let objects: HashSet<UseSite> = changed
            .iter()
            .map(|site| UseSite {
                finding: FindingKey::default(),
                ..(*site).clone()
            })
            .collect();
        let mut expected = Self {
            kept: HashMap::new(),
            inner: HashMap::new(),
        };
        for located in uses {
            let site = UseSite::of(located);
            if changed.contains(&site) {
                continue;
            }
            let mut around = site.parent();
            let is_inner = loop {
                if around.pointer.is_empty() {
                    break false;
                }
                if objects.contains(&around) {
                    break true;
                }
                around = around.parent();
            };
            let list = if is_inner {
                &mut expected.inner
            } else {
                &mut expected.kept
            };
            *list.entry(site.finding).or_default() += 1;
        }
        expected
    }

    /// Takes a finding of the changed file. Returns false if it is not expected.
    fn take(&mut self, located: &LocatedFinding) -> bool {
        let key = FindingKey::of(located);
        let lists = [&mut self.kept, &mut self.inner].into_iter();
        let mut counts = lists.filter_map(|list| list.get_mut(&key));
        let count = counts.find(|count| **count > 0);
        count.map(|count| *count -= 1).is_some()
    }

    /// Whether all findings that no edit changes were taken.
    fn is_complete(&self) -> bool {
        self.kept.values().all(|count| *count == 0)
    }
}

fn changes(edits: &[PlannedEdit]) -> Vec<ByteEdit> {
    edits.iter().map(|edit| edit.change.clone()).collect()
}

/// The edit of a use that its rule has.
fn applied_edit(located: &LocatedFinding) -> Option<AppliedEdit> {
    Some(AppliedEdit {
        location: located.location,
        rule: Arc::clone(&located.finding.rule),
        fix: located.finding.edit_of_rule()?,
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
            before
                .is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'[' | b'{' | b',' | b'-'))
                && after.is_some_and(u8::is_ascii_graphic)
        })
    };
    has(b'*') && has(b'&')
}
