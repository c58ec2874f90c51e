//! Changes one file in memory: plans the edits, skips edits that overlap, and checks the result. The changed file is to have the
//! findings of the old one, without the uses that edits change. Edits are refused that reach beyond the call that has the use: those
//! of bytes that are a piece of no call, or of several, and those of what another part of a stub names. A stub whose matchers
//! disagree fits no call any more.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use memchr::{memchr_iter, memchr2_iter};

use super::byte_edit::{ByteEdit, EditRefusal, apply, byte_edit, listed_names, replace};
use super::changed_file::{AppliedEdit, ChangedFile};
use crate::check_options::CheckOptions;
use crate::worker::{Outcome, Worker};
use sundown_captures::{Editable, Format, FormatFamily, InputFile, Stubs};
use sundown_exchange::{CallPiece, Side};
use sundown_files::FileAccess;
use sundown_lint::findings::suppression::SuppressionStatus;
use sundown_lint::findings::{ExchangePart, Finding};
use sundown_lint::inspect::UserRole;
use sundown_lint::rules::{Edit, ElementPart, RuleFix};
use sundown_report::LocatedFinding;
use sundown_text_json::json::{Document, MAX_DOCUMENT_DEPTH, Node, is_value, scan};
use sundown_text_json::text::io_error_text;

/// The size of the largest file that is changed, in bytes. It is held in memory, old and new.
const MAX_FILE: u64 = 1 << 30;

/// How many names an edit follows that are deprecated themselves.
const MAX_CHAIN: usize = 8;

/// Which edits are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixLevel {
    /// Those that keep the meaning.
    Safe,
    /// All.
    Unsafe,
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

/// Changes one file.
pub(super) struct FileFixer<'r, 't> {
    pub options: &'r CheckOptions<'t>,
    pub level: FixLevel,
    pub file: &'r InputFile,
    pub format: Format,
    /// The edits that were not made.
    pub left: Vec<LeftUse>,
}

impl FileFixer<'_, '_> {
    /// Makes the edits of these findings of the file. Returns nothing if none could be made.
    pub(super) fn fix(&mut self, uses: &[LocatedFinding]) -> Option<ChangedFile> {
        let path = self.file.path.as_ref()?;
        let old = match FileAccess::default().read_whole(path, MAX_FILE) {
            Ok(old) => old,
            Err(error) => {
                let open = uses.iter().filter(|located| is_open(located));
                for applied in open.filter_map(AppliedEdit::of) {
                    self.leave(applied, EditRefusal::System(io_error_text(&error)));
                }
                return None;
            }
        };
        let (new, edits) = self.fix_text(&old, uses)?;
        Some(ChangedFile {
            input: self.file.clone(),
            from_root: self.options.names.from_root(path),
            old,
            new,
            changes: changes(&edits),
            edits: edits.into_iter().map(|edit| edit.applied).collect(),
        })
    }

    /// Makes the edits of these findings of a text.
    pub(super) fn fix_text<'u>(
        &mut self,
        old: &[u8],
        uses: &'u [LocatedFinding],
    ) -> Option<(Vec<u8>, Vec<PlannedEdit<'u>>)> {
        let mut edits = self.edits(old, uses);
        if !edits.is_empty() && self.is_reached_from_elsewhere(old, uses) {
            self.leave_all(
                &mut edits,
                &EditRefusal::ByHand("another description refers to the file"),
            );
            return None;
        }
        self.drop_twins(&mut edits);
        self.drop_overlapping(&mut edits);
        // Descriptions name the header field, and no body.
        let states_size = self.format != Format::OpenApi && states_a_size(old);
        while !edits.is_empty() {
            drop_orphans(&mut edits);
            match self.verify(old, uses, &mut edits) {
                Ok((new, pieces)) => {
                    let are_stubs = self.format.spec().family == FormatFamily::Stubs;
                    let stubs = are_stubs.then_some(&*new);
                    let refusals = refuse_beyond_calls(old, &edits, pieces, stubs);
                    let (mut refusals, count) = (refusals.into_iter(), edits.len());
                    self.leave_some(&mut edits, |edit| {
                        let beyond = refusals.next().flatten();
                        let is_refused = states_size && edit.resizes();
                        is_refused
                            .then_some(EditRefusal::ByHand("the file states the size of its body"))
                            .or(beyond)
                    });
                    if edits.len() == count {
                        return Some((new, edits));
                    }
                }
                Err(refusal) => self.leave_all(&mut edits, &refusal),
            }
        }
        None
    }

    /// The edits that this run is to make, in the order of their places, each once: a body that is checked as a request and as a
    /// response has each use twice.
    fn edits<'u>(&mut self, old: &[u8], uses: &'u [LocatedFinding]) -> Vec<PlannedEdit<'u>> {
        let mut planned: BTreeMap<ByteEdit, PlannedEdit<'u>> = BTreeMap::new();
        let has_aliases = has_aliases(old);
        let urls = self.urls(old, uses);
        for located in uses.iter().filter(|located| is_open(located)) {
            let Some(applied) = AppliedEdit::of(located) else {
                continue;
            };
            let changes = if has_aliases {
                Err(EditRefusal::ByHand(
                    "the file has aliases, so that the place has several meanings",
                ))
            } else {
                self.changes(old, located, &applied, &urls)
            };
            let changes = match changes {
                Ok(changes) => changes,
                Err(refusal) => {
                    self.leave(applied, refusal);
                    continue;
                }
            };
            let mut site = Some(UseSite::of(located));
            for change in changes {
                let edit = planned
                    .entry(change.clone())
                    .or_insert_with(|| PlannedEdit {
                        place: located.finding.found.span.start,
                        change: change.clone(),
                        applied: applied.clone(),
                        uses: Vec::new(),
                    });
                edit.uses.extend(site.take());
            }
        }
        planned.into_values().collect()
    }

    /// The URLs of calls in the order of the file, if a use is a parameter, which may be listed after the URL.
    fn urls(&self, old: &[u8], uses: &[LocatedFinding]) -> Vec<CallPiece> {
        let has_parameter = uses
            .iter()
            .any(|located| matches!(located.finding.rule.element.part, ElementPart::Parameter(_)));
        if !has_parameter {
            return Vec::new();
        }
        let (_, pieces, _) = self.lint(old).unwrap_or_default();
        let mut urls: Vec<_> = pieces.into_iter().filter(|piece| piece.is_url).collect();
        urls.sort_by_key(|url| url.span.start);
        urls
    }

    /// The change at a use, and that of the list in which a collection has the parameters of a URL again, so that both agree.
    fn changes(
        &self,
        old: &[u8],
        located: &LocatedFinding,
        applied: &AppliedEdit,
        urls: &[CallPiece],
    ) -> Result<Vec<ByteEdit>, EditRefusal> {
        let change = self.change(old, located, &applied.fix)?;
        let ElementPart::Parameter(name) = &applied.rule.element.part else {
            return Ok(vec![change]);
        };
        let mut calls = urls.iter().map(|url| url.span);
        let is_in_url = calls.any(|url| (url.start..url.end).contains(&change.start));
        if !is_in_url || !matches!(self.format, Format::Postman | Format::Bruno) {
            return Ok(vec![change]);
        }
        let listed = listed_names(old, change.start, urls, name);
        match (&applied.fix.edit, &*listed) {
            (_, []) => Ok(vec![change]),
            (Edit::Rename(new), &[span]) => Ok(vec![change, replace(span, new)]),
            _ => Err(EditRefusal::ByHand("the file lists the parameter, too")),
        }
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
            Editable::Stubs => !is_response || self.options.settings.role == UserRole::Owner,
            Editable::Nothing => false,
        };
        if !may_edit {
            return Err(EditRefusal::Recorded("the response is recorded"));
        }
        let pointer = located.finding.found.exact_pointer();
        if pointer.is_some_and(|pointer| pointer.contains('…')) {
            return Err(EditRefusal::ByHand("it is inside of too many members"));
        }
        let change = byte_edit(old, &located.finding, fix)?;
        let may = fix.safe || self.level == FixLevel::Unsafe;
        may.then_some(change).ok_or(EditRefusal::Unsafe)
    }

    /// Whether a description has other findings if it is checked alone: others refer to it, and the check of the changed file would
    /// not see those.
    fn is_reached_from_elsewhere(&self, old: &[u8], uses: &[LocatedFinding]) -> bool {
        if self.format != Format::OpenApi {
            return false;
        }
        let mut expected = ExpectedFindings::after([].iter(), uses);
        let (alone, ..) = self.lint(old).unwrap_or_default();
        !alone.iter().all(|own| expected.take(own)) || !expected.is_complete()
    }

    /// Leaves edits that would give two members of one object the same name.
    fn drop_twins(&mut self, edits: &mut Vec<PlannedEdit<'_>>) {
        let mut names: HashMap<_, usize> = HashMap::new();
        for name in edits.iter().flat_map(PlannedEdit::new_members) {
            *names.entry(name).or_default() += 1;
        }
        let is_twin =
            |edit: &PlannedEdit<'_>| edit.new_members().any(|name| names.get(&name) > Some(&1));
        let twins: Vec<bool> = edits.iter().map(is_twin).collect();
        let mut twins = twins.into_iter();
        self.leave_some(edits, |_| {
            let is_twin = twins.next()?;
            is_twin.then_some(EditRefusal::ByHand("several uses would get the same name"))
        });
    }

    /// Leaves edits that share bytes.
    fn drop_overlapping(&mut self, edits: &mut Vec<PlannedEdit<'_>>) {
        let mut end = 0;
        let joins = edits.iter().map(|PlannedEdit { change, .. }| {
            let joins = change.start < end;
            end = end.max(change.end);
            joins
        });
        let joins: Vec<bool> = joins.collect();
        let next = joins.iter().skip(1).chain([&false]);
        let mut overlaps = joins.iter().zip(next).map(|(own, next)| *own || *next);
        self.leave_some(edits, |_| {
            overlaps
                .next()?
                .then_some(EditRefusal::ByHand("another edit changes the same place"))
        });
    }

    /// Checks the changed file, and returns it with the pieces of its calls if its findings are those of the old file without the changed ones. A new name that is
    /// itself deprecated, and has an edit, is followed to the last one.
    fn verify(
        &self,
        old: &[u8],
        uses: &[LocatedFinding],
        edits: &mut [PlannedEdit<'_>],
    ) -> Result<(Vec<u8>, Vec<CallPiece>), EditRefusal> {
        for _ in 0..MAX_CHAIN {
            let new = apply(old, &changes(edits));
            let (findings, pieces, failures) = self.lint(&new).ok_or(EditRefusal::Unchecked)?;
            // What could not be checked before stays as it was.
            if failures > 0 && self.lint(old).is_none_or(|(.., before)| failures > before) {
                return Err(EditRefusal::Unchecked);
            }
            let mut expected =
                ExpectedFindings::after(edits.iter().flat_map(|edit| &edit.uses), uses);
            let come: Vec<_> = findings.iter().filter(|own| !expected.take(own)).collect();
            let Some(first) = come.first() else {
                return if expected.is_complete() {
                    Ok((new, pieces))
                } else {
                    Err(EditRefusal::ByHand(
                        "a finding at another place would be lost",
                    ))
                };
            };
            if !self.follow(&new, &come, edits)? {
                let rule = &first.finding.rule.id;
                return Err(EditRefusal::Finding(rule.clone()));
            }
        }
        Err(EditRefusal::ByHand(
            "the new name is deprecated, and so are those after it",
        ))
    }

    /// Replaces the new names that are deprecated, too, by theirs. Returns false if a finding has come that no edit explains.
    fn follow(
        &self,
        new: &[u8],
        come: &[&LocatedFinding],
        edits: &mut [PlannedEdit<'_>],
    ) -> Result<bool, EditRefusal> {
        let starts = new_starts(edits);
        for located in come {
            let Some(applied) = AppliedEdit::of(located) else {
                return Ok(false);
            };
            let next = self.change(new, located, &applied.fix)?;
            let own = starts.binary_search(&next.start).ok();
            let own = own.and_then(|index| edits.get_mut(index));
            // Of a body with two sides, the second finding is about what the first has changed.
            let own = own.filter(|edit| {
                next.end - next.start == edit.change.new.len() || edit.change.new == next.new
            });
            let Some(edit) = own else {
                return Ok(false);
            };
            edit.change.new = next.new;
            edit.applied.fix.edit = applied.fix.edit;
        }
        Ok(true)
    }

    /// The findings of a text in place of the file, the pieces of its calls, and the number of pieces that could not be checked; `None`
    /// if none could.
    pub(super) fn lint(&self, text: &[u8]) -> Option<(Vec<LocatedFinding>, Vec<CallPiece>, usize)> {
        let mut worker = Worker::new(self.options).for_every_use();
        let reports = match worker.check_text(self.file, text).outcome {
            Outcome::Collected(report) => vec![report],
            // The first is that of the file itself.
            Outcome::Described(files) => files.into_iter().map(|file| file.report).collect(),
            Outcome::SkippedPart(..) | Outcome::Skipped(_) => Vec::new(),
        };
        let failures = reports.iter().map(|report| report.failures()).sum();
        let findings = reports.into_iter().next()?.into_findings();
        Some((findings, worker.pieces.unwrap_or_default(), failures))
    }

    pub(super) fn leave(&mut self, edit: AppliedEdit, refusal: EditRefusal) {
        let file = Arc::clone(&self.file.name.shown);
        self.left.push(LeftUse {
            file,
            edit,
            refusal,
        });
    }

    /// Leaves the edits that are refused.
    fn leave_some(
        &mut self,
        edits: &mut Vec<PlannedEdit<'_>>,
        mut refuse: impl FnMut(&PlannedEdit<'_>) -> Option<EditRefusal>,
    ) {
        for edit in std::mem::take(edits) {
            match refuse(&edit) {
                Some(refusal) => self.leave(edit.applied, refusal),
                None => edits.push(edit),
            }
        }
    }

    fn leave_all(&mut self, edits: &mut Vec<PlannedEdit<'_>>, refusal: &EditRefusal) {
        self.leave_some(edits, |_| Some(refusal.clone()));
    }
}

/// Drops the changes of lists whose edit at the URL is left.
fn drop_orphans(edits: &mut Vec<PlannedEdit<'_>>) {
    let own = edits.iter().filter(|edit| !edit.uses.is_empty());
    let places: HashSet<_> = own.map(|edit| edit.place).collect();
    edits.retain(|edit| places.contains(&edit.place));
}

/// An edit, the change of bytes that makes it, and the uses that it changes.
pub(super) struct PlannedEdit<'u> {
    pub change: ByteEdit,
    /// Where the use begins, mostly before what changes.
    pub place: usize,
    pub applied: AppliedEdit,
    pub uses: Vec<UseSite<'u>>,
}

impl PlannedEdit<'_> {
    fn resizes(&self) -> bool {
        self.change.new.len() != self.change.end - self.change.start
    }

    /// What goes: a name, or a value.
    pub(super) fn old_text<'f>(&'f self, file: &'f [u8]) -> Cow<'f, str> {
        match self.applied.fix.edit {
            Edit::Set(_) => String::from_utf8_lossy(self.change.span().slice(file)),
            Edit::Rename(_) | Edit::Remove => {
                self.applied.rule.element.name().unwrap_or_default().into()
            }
        }
    }

    /// The members that get a new name.
    fn new_members(&self) -> impl Iterator<Item = (UsePlace<'_>, &str)> {
        let is_rename = matches!(self.applied.fix.edit, Edit::Rename(_));
        let uses = self.uses.iter().filter(move |_| is_rename);
        uses.map(|site| (site.parent(), &*self.change.new))
    }
}

/// Where the new texts are in the changed file, in order.
pub(super) fn new_starts(edits: &[PlannedEdit<'_>]) -> Vec<usize> {
    let mut shift = 0isize;
    let starts = edits.iter().map(|PlannedEdit { change, .. }| {
        let start = change.start.saturating_add_signed(shift);
        shift += change.new.len().cast_signed() - (change.end - change.start).cast_signed();
        start
    });
    starts.collect()
}

/// The changes of bytes, in order.
fn changes(edits: &[PlannedEdit<'_>]) -> Vec<ByteEdit> {
    edits.iter().map(|edit| edit.change.clone()).collect()
}

/// Whether a finding counts.
pub(super) fn is_open(located: &LocatedFinding) -> bool {
    matches!(
        located.status,
        SuppressionStatus::Open | SuppressionStatus::Expired(_)
    )
}

/// Whether people write what has a finding, in a file of this format.
pub(super) fn is_written(format: Format, located: &LocatedFinding) -> bool {
    let is_written = match format.spec().editable {
        Editable::Nothing => false,
        Editable::Bodies => located.finding.found.exchange.is_none(),
        Editable::Requests | Editable::Stubs | Editable::Everything => true,
    };
    is_written && located.compression.is_none()
}

/// Whether a file names the size of a body.
fn states_a_size(file: &[u8]) -> bool {
    const NAME: &[u8] = b"content-length";
    memchr2_iter(b'c', b'C', file).any(|at| {
        file.get(at..at + NAME.len())
            .is_some_and(|text| text.eq_ignore_ascii_case(NAME))
    })
}

/// Whether a file may have aliases of YAML: it is no JSON, and has names after both signs.
fn has_aliases(file: &[u8]) -> bool {
    [b'*', b'&'].into_iter().all(|sign| {
        memchr_iter(sign, file).any(|at| {
            let before = at.checked_sub(1).and_then(|at| file.get(at));
            let after = file.get(at + 1);
            before.is_none_or(|byte| b" \t\n[{,-:".contains(byte))
                && after.is_some_and(u8::is_ascii_graphic)
        })
    }) && !is_value(file, MAX_DOCUMENT_DEPTH)
}

/// Where a use is, apart from its bytes.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct UseSite<'u> {
    pub place: UsePlace<'u>,
    finding: FindingKey<'u>,
}

/// A place in the exchanges of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct UsePlace<'u> {
    /// The number of the exchange.
    pub exchange: Option<usize>,
    part: ExchangePart,
    pointer: &'u str,
}

impl<'u> UseSite<'u> {
    fn of(located: &'u LocatedFinding) -> Self {
        let found = &located.finding.found;
        Self {
            place: UsePlace {
                exchange: found.exchange.as_ref().map(|exchange| exchange.index),
                part: found.part,
                pointer: found.exact_pointer().unwrap_or_default(),
            },
            finding: key_of(located),
        }
    }

    /// The object that has it, whatever the rule.
    fn parent(&self) -> UsePlace<'u> {
        let parts = self.place.pointer.rsplit_once('/');
        let pointer = parts.map_or("", |(parent, _)| parent);
        UsePlace {
            pointer,
            ..self.place
        }
    }
}

impl UsePlace<'_> {
    /// Whether it is inside of a member.
    fn is_inside(&self, member: &UsePlace<'_>) -> bool {
        let rest = self.pointer.strip_prefix(member.pointer);
        (self.exchange, self.part) == (member.exchange, member.part)
            && rest.is_some_and(|rest| rest.starts_with('/'))
    }
}

/// What a finding keeps when the file around it changes: its rule, operation and side.
type FindingKey<'u> = (&'u str, &'u str, Option<Side>);

fn key_of(located: &LocatedFinding) -> FindingKey<'_> {
    let Finding { rule, found, .. } = &located.finding;
    (&rule.id, &found.operation, found.part.side())
}

/// The findings that a changed file is to have.
struct ExpectedFindings<'u> {
    /// Those of the old file that no edit changes.
    kept: HashMap<FindingKey<'u>, usize>,
    /// Those inside of a member that an edit changes: they may go with it.
    inner: HashMap<FindingKey<'u>, usize>,
}

impl<'u> ExpectedFindings<'u> {
    /// Those of the old file, without the uses that edits change.
    fn after<'s>(
        changed: impl Iterator<Item = &'s UseSite<'s>>,
        uses: &'u [LocatedFinding],
    ) -> Self {
        let changed: HashSet<&UseSite<'_>> = changed.collect();
        let mut expected = Self {
            kept: HashMap::new(),
            inner: HashMap::new(),
        };
        let mut sites: Vec<_> = uses
            .iter()
            .map(|located| (located.finding.found.span.start, UseSite::of(located)))
            .collect();
        sites.sort_by_key(|(start, _)| *start);
        // In the order of the file, what is inside of a member follows it. A body may be checked on both sides.
        let mut around: HashMap<_, UsePlace<'_>> = HashMap::new();
        for (_, site) in sites {
            let UseSite { place, .. } = &site;
            let outer = around.get(&(place.exchange, place.part));
            let is_inside = outer.is_some_and(|outer| place.is_inside(outer));
            if changed.contains(&site) {
                if !is_inside && !place.pointer.is_empty() {
                    around.insert((place.exchange, place.part), *place);
                }
                continue;
            }
            let list = if is_inside {
                &mut expected.inner
            } else {
                &mut expected.kept
            };
            *list.entry(site.finding).or_default() += 1;
        }
        expected
    }

    /// Takes a finding of the changed file. Returns false if it is not expected.
    fn take(&mut self, located: &'u LocatedFinding) -> bool {
        let key = key_of(located);
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

/// Why each edit is refused, if it is. The pieces are those of the changed file, which is given if it has stubs.
fn refuse_beyond_calls(
    old: &[u8],
    edits: &[PlannedEdit<'_>],
    mut pieces: Vec<CallPiece>,
    stubs: Option<&[u8]>,
) -> Vec<Option<EditRefusal>> {
    let document = stubs.map(|file| Document::of_valid(file, |_| true));
    let mut stubs = stubs.map(Stubs::of_valid);
    pieces.sort_by_key(|piece| (piece.span.start, Reverse(piece.span.end)));
    let urls = pieces.iter().filter(|piece| piece.is_url);
    let urls: HashMap<_, _> = urls.map(|url| (url.exchange, url.span)).collect();
    let mut next = pieces.iter().peekable();
    // The pieces around a place, the narrowest last: the body of an object has those of the objects in it.
    let mut open: Vec<&CallPiece> = Vec::new();
    let refusals = edits.iter().zip(new_starts(edits)).map(|(edit, start)| {
        let exchange = edit.uses.first()?.place.exchange?;
        let place = start.saturating_sub(edit.change.start.saturating_sub(edit.place));
        while let Some(piece) = next.next_if(|piece| piece.span.start <= place) {
            open.push(piece);
        }
        open.retain(|piece| piece.span.end > place);
        let own = open.last().map(|piece| piece.span);
        let mut owners = open
            .iter()
            .rev()
            .take_while(|piece| Some(piece.span) == own);
        let Some(own) = own.filter(|_| owners.all(|piece| piece.exchange == exchange)) else {
            return Some(EditRefusal::ByHand("the place is not in the call alone"));
        };
        if let Some(name) = repeated_key(document.as_ref()?, start) {
            return Some(EditRefusal::Present(name));
        }
        let url = *urls.get(&exchange)?;
        let name = stubs.as_mut()?.find_beside(own, url, &edit.old_text(old))?;
        Some(EditRefusal::NamedBeside(name))
    });
    refusals.collect()
}

/// The key of a member that is written at an offset, if another member of its object has it, too: a matcher that a call has no part
/// for, as one that demands that a parameter is absent.
fn repeated_key(document: &Document<'_>, at: usize) -> Option<String> {
    let before = document.text().get(..=at)?;
    let quote = memchr::memrchr(b'"', before)?;
    let (_, value) = scan::member_head(document.text(), quote).ok()?;
    let member = document.value_at(value)?;
    let key = member.key()?;
    let mut members = member.parent()?.children();
    let is_other = |other: Node<'_>| other.index() != member.index() && other.is_called(key);
    members.any(is_other).then(|| key.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_those_of_yaml_alone() {
        for (file, expected) in [
            ("a: &x {b: 1}\nc: *x\n", true),
            ("a: &_d\n  b: 1\nc: [*_d]\n", true),
            ("a: Tom & Jerry\nb: 2 * 3\n", false),
            ("{a: &x {b: 1}, \"c\":*x}", true),
            ("a: &x 1\n", false),
            ("{\"a\": \"see &x and *x\"}", false),
        ] {
            assert_eq!(has_aliases(file.as_bytes()), expected, "{file}");
        }
    }

    #[test]
    fn a_size_may_be_stated_in_any_letter_case() {
        assert!(states_a_size(b"POST /x\ncontent-Length: 3\n\n{}\n"));
        assert!(!states_a_size(b"POST /x\nContent-Type: a\n\n{}\n"));
    }
}
