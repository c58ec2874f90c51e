//! A file that is cut off anywhere gives what is found in its whole part, and says once that it is cut: in every format.

use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;

use super::equivalence::{End, Order, ROWS, Row, Use};
use super::support::{builtin, check_bytes};
use sundown_captures::Format;
use sundown_lint::rules::RuleSet;
use sundown_report::Report;

/// The number of cuts of each file, in addition to those around its ends.
const CUTS: u32 = 40;

/// The number of bytes at the end before each of which the file is cut.
const LAST: usize = 60;

/// A use, its position, and its record.
type Found = (usize, usize, Use);

fn found(report: &Report) -> Vec<Found> {
    let one = |placed: &sundown_report::LocatedFinding| {
        let found = &placed.finding.found;
        let index = found.exchange.as_ref().map_or(0, |exchange| exchange.index);
        (index, found.span.start, Use::of(&placed.finding))
    };
    report.findings.iter().map(one).collect()
}

/// A file and what is found in all of it.
struct Whole<'r> {
    row: &'r Row,
    bytes: Vec<u8>,
    found: Vec<Found>,
    /// The skips of the complete file.
    reported: Vec<&'static str>,
    format: Format,
}

/// Why what should have been checked was not.
fn failed(report: &Report) -> Vec<&'static str> {
    let failed = report
        .skipped
        .iter()
        .filter(|it| it.reason.kind().name() == "failed");
    failed.map(|skipped| skipped.reason.name()).collect()
}

impl Whole<'_> {
    /// Describes the fault in the report on the part up to `cut`.
    fn fault(&self, cut: usize, set: &RuleSet) -> Option<String> {
        self.fault_of(
            cut,
            &check_bytes(&self.bytes[..cut], Some(self.format), set),
        )
    }

    /// The fault if the format is not named. A short beginning may be recognised as another format, or as none.
    fn fault_unnamed(&self, cut: usize, set: &RuleSet) -> Option<String> {
        let report = check_bytes(&self.bytes[..cut], None, set);
        if cut >= self.bytes.len() / 2 {
            return self.fault_of(cut, &report);
        }
        let more = found(&report)
            .into_iter()
            .find(|one| !self.found.contains(one));
        more.map(|more| format!("finds {more:?}"))
    }

    fn fault_of(&self, cut: usize, report: &Report) -> Option<String> {
        let found = found(report);
        if let Some(more) = found.iter().find(|one| !self.found.contains(one)) {
            return Some(format!("finds {more:?}"));
        }
        // Records follow each other: if the next one has begun, one is complete.
        let begun = self
            .found
            .iter()
            .filter(|one| one.1 < cut)
            .map(|one| one.0)
            .max();
        let begun = begun.filter(|_| self.row.order == Order::Consecutive);
        let whole = |one: &&Found| begun.is_some_and(|begun| one.0 < begun);
        if let Some(lost) = self
            .found
            .iter()
            .filter(whole)
            .find(|one| !found.contains(one))
        {
            return Some(format!("loses {lost:?}"));
        }
        let reported: Vec<_> = failed(report)
            .into_iter()
            .filter(|reported| !self.reported.contains(reported))
            .collect();
        let may_be_silent = self.looks_whole(cut) || found.len() == self.found.len();
        (reported != ["truncated"] && !(reported.is_empty() && may_be_silent))
            .then(|| format!("reports {reported:?}"))
    }

    /// Whether nothing shows that the file was longer.
    fn looks_whole(&self, cut: usize) -> bool {
        let (before, after) = self.bytes.split_at(cut);
        match self.row.end {
            End::Seen => false,
            End::Lines => before.ends_with(b"\n") || after.starts_with(b"\n"),
            End::Records => {
                let is_between = before.ends_with(b"\n") || after.starts_with(b"\n");
                let next: [&[u8]; 3] = [b"- ", b"recorded_with", b"version"];
                let after = after.trim_ascii_start();
                is_between && next.iter().any(|next| after.starts_with(next))
            }
            End::Bodies => !self.is_inside_body(cut),
        }
    }

    /// Whether one body has uses on both sides of the cut.
    fn is_inside_body(&self, cut: usize) -> bool {
        let in_bodies = || self.found.iter().filter(|one| !one.2.pointer.is_empty());
        in_bodies().filter(|one| one.1 < cut).any(|before| {
            let is_same = |one: &&Found| one.0 == before.0 && one.2.side == before.2.side;
            in_bodies().filter(is_same).any(|after| after.1 >= cut)
        })
    }
}

fn wholes(set: &RuleSet) -> Vec<Whole<'static>> {
    let of = |row: &'static Row| {
        let format = Format::from_name(row.format).unwrap();
        // One of the richest files represents a folder of small files.
        let read = row
            .files()
            .into_iter()
            .map(|file| std::fs::read(file).unwrap());
        let bytes = read.max_by_key(|bytes| bytes.len().min(100_000)).unwrap();
        let report = check_bytes(&bytes, Some(format), set);
        Whole {
            row,
            bytes,
            found: found(&report),
            reported: failed(&report),
            format,
        }
    };
    ROWS.iter().map(of).collect()
}

#[test]
fn a_truncated_file_gives_its_complete_parts_and_is_reported_once() {
    let set = builtin();
    let mut faults = Vec::new();
    for whole in wholes(&set) {
        assert!(!whole.found.is_empty(), "{}", whole.row.path);
        let length = whole.bytes.len();
        let mut runner = TestRunner::deterministic();
        let strategy = 1..length;
        let mut cuts: Vec<usize> = (length - LAST..length).collect();
        cuts.extend((0..CUTS).map(|_| strategy.new_tree(&mut runner).unwrap().current()));
        let fault = |cut| {
            let fault = whole
                .fault(cut, &set)
                .or_else(|| whole.fault_unnamed(cut, &set));
            Some((cut, fault?))
        };
        let fault = cuts.into_iter().filter_map(fault);
        let reported: Vec<_> = fault.take(2).collect();
        if !reported.is_empty() {
            faults.push(format!("{}: {reported:#?}", whole.row.path));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
