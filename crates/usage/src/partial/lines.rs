//! The lines of a partial result of usage.

use super::super::caller::{CallerId, CallerName, CallerValue, attributes_or_consumer};
use super::super::scan::{ElementTally, ExcludedCalls, RuleFacts, UsageScan};
use super::super::scanned_input::{ScannedInput, ScannedPaths, SkippedPieces};
use super::super::tally::{ElementId, UseCount};
use super::counts::{ReadCounts, Seconds, UseCounts, seconds, usable, use_count};
use chrono::{Datelike, NaiveDate};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;
use sundown_exchange::{Reason, Side};
use sundown_lint::findings::ExchangePart;
use sundown_lint::rules::{Element, ElementPart, ValueTest, Version};
use sundown_report::{PartialError, PartialKind, PartialReader, PartialWriter};
use sundown_text_json::text::Location;

/// The most elements of a partial result: a limit for files that are made to exhaust memory.
const MAX_ELEMENTS: usize = 500_000;

/// A line of a partial result. Elements are numbered in their order, from 0.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum ScanLine<'l> {
    #[serde(borrow)]
    Rule(RuleLine<'l>),
    Calls(ReadCounts<'l>),
    #[serde(borrow)]
    Element(Box<ElementLine<'l>>),
    /// The lowest caller that was left out.
    #[serde(borrow)]
    CallerLimit(Cow<'l, str>),
    #[serde(borrow)]
    Caller(CallerLine<'l>),
    Input(InputLine),
    #[serde(borrow)]
    Skipped(SkippedLine<'l>),
    #[serde(borrow)]
    Unread(Cow<'l, str>),
    #[serde(borrow)]
    Folder(Cow<'l, str>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleLine<'l> {
    #[serde(borrow)]
    id: Cow<'l, str>,
    #[serde(borrow)]
    api: Cow<'l, str>,
    #[serde(borrow)]
    part: Cow<'l, str>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    name: Option<Cow<'l, str>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    value: Option<ValueLine<'l>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    removal: Option<i32>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    replacement: Option<Cow<'l, str>>,
}

/// The values of an element that are deprecated.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum ValueLine<'l> {
    #[serde(borrow)]
    Exact(Cow<'l, str>),
    #[serde(borrow)]
    StartsWith(Cow<'l, str>),
    #[serde(borrow)]
    Before(Cow<'l, str>),
    Supported {
        months: u32,
        #[serde(borrow)]
        newest: Cow<'l, str>,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ElementLine<'l> {
    #[serde(borrow)]
    rule: Cow<'l, str>,
    #[serde(borrow)]
    operation: Cow<'l, str>,
    #[serde(borrow)]
    side: Cow<'l, str>,
    #[serde(borrow, default, skip_serializing_if = "is_default")]
    reads: ReadCounts<'l>,
    #[serde(borrow, default, skip_serializing_if = "is_default")]
    uses: UseCounts<'l>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CallerLine<'l> {
    /// Its identity in hexadecimal.
    #[serde(borrow)]
    id: Cow<'l, str>,
    #[serde(borrow)]
    values: Vec<ValueCell<'l>>,
    /// The element, the calls, the uses, the possible ones, and when the first and last call was.
    uses: Vec<(usize, u64, u64, u64, Seconds)>,
}

/// The value of an attribute.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum ValueCell<'l> {
    Unidentified,
    #[serde(borrow)]
    Shown(Cow<'l, str>),
    #[serde(borrow)]
    Hash(Cow<'l, str>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct InputLine {
    files: u64,
    records: u64,
    descriptions: u64,
    bytes: u64,
    no_rule: u64,
    named_files: bool,
    incomplete: bool,
    outside_period: u64,
    undated: u64,
    by_caller: u64,
    unusable_callers: u64,
    failures_in_calls: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SkippedLine<'l> {
    #[serde(borrow)]
    reason: Cow<'l, str>,
    count: u64,
    bytes: u64,
    files: u64,
    #[serde(borrow)]
    first_file: Cow<'l, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_at: Option<Location>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    first_detail: Option<Cow<'l, str>>,
}

impl UsageScan {
    /// Writes the scan as a partial result. Equal scans give equal bytes.
    pub fn write_partial(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = PartialWriter::start(out, PartialKind::Usage, &self.identity)?;
        for (id, facts) in &self.rules {
            writer.line(&ScanLine::Rule(RuleLine::of(id, facts)))?;
        }
        writer.line(&ScanLine::Calls(ReadCounts::of(&self.calls)))?;
        for (id, tally) in &self.elements {
            writer.line(&ScanLine::Element(Box::new(ElementLine::of(id, tally))))?;
        }
        if let Some(limit) = self.callers.limit() {
            writer.line(&ScanLine::CallerLimit(Cow::Owned(hex_id(limit))))?;
        }
        let numbers: HashMap<&ElementId, usize> = self
            .elements
            .keys()
            .enumerate()
            .map(|(number, id)| (id, number))
            .collect();
        for (id, name, uses) in self.callers.iter() {
            let uses = uses.filter_map(|(of, found)| Some((*numbers.get(of)?, found.count())));
            writer.line(&ScanLine::Caller(CallerLine::of(id, name, uses)))?;
        }
        writer.line(&ScanLine::Input(InputLine::of(self)))?;
        for ((_, reason), pieces) in &self.input.skipped {
            writer.line(&ScanLine::Skipped(SkippedLine::of(*reason, pieces)))?;
        }
        for name in &self.input.unread {
            writer.line(&ScanLine::Unread(Cow::Borrowed(name)))?;
        }
        for name in &self.input.paths.folders {
            writer.line(&ScanLine::Folder(Cow::Borrowed(name)))?;
        }
        writer.finish()
    }

    /// Reads the rest of a partial result.
    pub fn read_partial(reader: &mut PartialReader<'_>) -> Result<Self, PartialError> {
        let mut scan = Self {
            identity: reader.identity()?,
            ..Self::default()
        };
        let named = scan.identity.attributes();
        let named = named.map_err(|error| reader.damage(&error))?;
        let attributes = attributes_or_consumer(&named).len();
        while let Some(line) = reader.next()? {
            let read = match line {
                ScanLine::Rule(line) => line.add_to(&mut scan),
                ScanLine::Calls(counts) => counts.read().map(|counts| scan.calls.merge(counts)),
                ScanLine::Element(line) => line.add_to(&mut scan),
                ScanLine::CallerLimit(id) => {
                    read_id(&id).map(|limit| scan.callers.leave_out_from(limit))
                }
                ScanLine::Caller(line) => line.add_to(&mut scan, attributes),
                ScanLine::Input(line) => line.add_to(&mut scan),
                ScanLine::Skipped(line) => line.add_to(&mut scan),
                ScanLine::Unread(name) => {
                    scan.input.unread.insert(name.into());
                    Some(())
                }
                ScanLine::Folder(name) => {
                    scan.input.paths.folders.insert(name.into());
                    Some(())
                }
            };
            read.ok_or_else(|| reader.damage("it has a value that no scan has"))?;
            if scan.elements.len() > MAX_ELEMENTS {
                let what = "elements";
                let most = MAX_ELEMENTS;
                return Err(PartialError::TooMany { what, most });
            }
        }
        Ok(scan)
    }
}

impl<'l> RuleLine<'l> {
    fn of(id: &'l str, facts: &'l RuleFacts) -> Self {
        Self {
            id: Cow::Borrowed(id),
            api: Cow::Borrowed(&facts.api),
            part: Cow::Borrowed(facts.element.part.kind()),
            name: facts.element.name().map(Cow::Borrowed),
            value: facts.element.value.as_ref().map(ValueLine::of),
            removal: facts.removal.map(|day| day.num_days_from_ce()),
            replacement: facts.replacement.as_deref().map(Cow::Borrowed),
        }
    }

    fn add_to(self, scan: &mut UsageScan) -> Option<()> {
        let name = self.name.map(Cow::into_owned);
        let part = match (&*self.part, name) {
            ("endpoint", None) => ElementPart::Endpoint,
            ("field", Some(name)) => ElementPart::Field(name),
            ("parameter", Some(name)) => ElementPart::Parameter(name),
            ("header", Some(name)) => ElementPart::Header(name.into()),
            ("segment", Some(name)) => ElementPart::Segment(name),
            _ => return None,
        };
        let value = match self.value {
            Some(value) => Some(value.read()?),
            None => None,
        };
        let facts = RuleFacts {
            api: self.api.into_owned(),
            element: Element { part, value },
            removal: match self.removal {
                Some(day) => Some(NaiveDate::from_num_days_from_ce_opt(day)?),
                None => None,
            },
            replacement: self.replacement.map(Cow::into_owned),
        };
        scan.rules.insert(self.id.into(), facts);
        Some(())
    }
}

impl<'l> ValueLine<'l> {
    fn of(values: &'l ValueTest) -> Self {
        let version = |version: &Version| Cow::Owned(version.to_string());
        match values {
            ValueTest::Exact(text) => Self::Exact(Cow::Borrowed(text)),
            ValueTest::StartsWith(beginning) => Self::StartsWith(Cow::Borrowed(beginning)),
            ValueTest::Before(first) => Self::Before(version(first)),
            ValueTest::Supported { months, newest } => Self::Supported {
                months: *months,
                newest: version(newest),
            },
        }
    }

    fn read(self) -> Option<ValueTest> {
        Some(match self {
            Self::Exact(text) => ValueTest::Exact(text.into_owned()),
            Self::StartsWith(beginning) => ValueTest::StartsWith(beginning.into_owned()),
            Self::Before(version) => ValueTest::Before(Version::parse(&version)?),
            Self::Supported { months, newest } => ValueTest::Supported {
                months,
                newest: Version::parse(&newest)?,
            },
        })
    }
}

impl<'l> ElementLine<'l> {
    fn of(id: &'l ElementId, tally: &'l ElementTally) -> Self {
        Self {
            rule: Cow::Borrowed(&id.rule),
            operation: Cow::Borrowed(&id.operation),
            side: Cow::Borrowed(id.part.name()),
            reads: ReadCounts::of(&tally.reads),
            uses: UseCounts::of(&tally.uses),
        }
    }

    fn add_to(self, scan: &mut UsageScan) -> Option<()> {
        // Reports say nothing about elements without a rule.
        let (rule, _) = scan.rules.get_key_value(&*self.rule)?;
        let part = match &*self.side {
            "operation" => ExchangePart::Operation,
            "request" => ExchangePart::Message(Side::Request),
            "response" => ExchangePart::Message(Side::Response),
            _ => return None,
        };
        let id = ElementId {
            rule: Arc::clone(rule),
            operation: self.operation.into(),
            part,
        };
        let tally = ElementTally {
            reads: self.reads.read()?,
            uses: self.uses.read()?,
        };
        // Callers refer to elements by their numbers.
        scan.callers.number(&id);
        scan.elements.insert(id, tally).is_none().then_some(())
    }
}

impl<'l> CallerLine<'l> {
    fn of(
        id: CallerId,
        name: &'l CallerName,
        uses: impl Iterator<Item = (usize, UseCount)>,
    ) -> Self {
        let uses = uses.map(|(element, count)| {
            let UseCount {
                calls,
                occurrences,
                possible,
                period,
            } = count;
            (element, calls, occurrences, possible, seconds(period))
        });
        let mut uses: Vec<_> = uses.collect();
        uses.sort_unstable_by_key(|(element, ..)| *element);
        let values = name
            .values()
            .iter()
            .map(|value| match value {
                CallerValue::Unidentified => ValueCell::Unidentified,
                CallerValue::Shown(value) => ValueCell::Shown(Cow::Borrowed(value)),
                CallerValue::Hashed(hash) => {
                    ValueCell::Hash(Cow::Owned(format!("{:016x}", u64::from_be_bytes(*hash))))
                }
            })
            .collect();
        Self {
            id: Cow::Owned(hex_id(id)),
            values,
            uses,
        }
    }

    fn add_to(self, scan: &mut UsageScan, attributes: usize) -> Option<()> {
        if self.values.len() != attributes {
            return None;
        }
        let id = read_id(&self.id)?;
        let values = self.values.into_iter().map(|value| {
            Some(match value {
                ValueCell::Unidentified => CallerValue::Unidentified,
                ValueCell::Shown(value) => CallerValue::Shown(value.into_owned()),
                ValueCell::Hash(hash) => {
                    CallerValue::Hashed(u64::from_str_radix(&hash, 16).ok()?.to_be_bytes())
                }
            })
        });
        let name = CallerName::new(values.collect::<Option<_>>()?);
        for (number, calls, uses, possible, seen) in self.uses {
            let count = use_count(calls, uses, possible, seen)?;
            let number = u32::try_from(number).ok()?;
            if !scan.callers.has_number(number) {
                return None;
            }
            scan.callers.add(id, &name, number, count);
        }
        Some(())
    }
}

impl InputLine {
    fn of(scan: &UsageScan) -> Self {
        let UsageScan {
            input,
            excluded,
            unusable_callers,
            failures_in_calls,
            ..
        } = scan;
        Self {
            files: input.files,
            records: input.records,
            descriptions: input.descriptions,
            bytes: input.bytes,
            no_rule: input.no_rule,
            named_files: input.paths.has_files,
            incomplete: input.is_incomplete,
            outside_period: excluded.outside_period,
            undated: excluded.undated,
            by_caller: excluded.by_caller,
            unusable_callers: *unusable_callers,
            failures_in_calls: *failures_in_calls,
        }
    }

    fn add_to(&self, scan: &mut UsageScan) -> Option<()> {
        scan.input.merge(ScannedInput {
            files: usable(self.files)?,
            records: usable(self.records)?,
            descriptions: usable(self.descriptions)?,
            bytes: self.bytes,
            no_rule: usable(self.no_rule)?,
            is_incomplete: self.incomplete,
            paths: ScannedPaths {
                has_files: self.named_files,
                ..ScannedPaths::default()
            },
            ..ScannedInput::default()
        });
        scan.excluded.merge(ExcludedCalls {
            outside_period: usable(self.outside_period)?,
            undated: usable(self.undated)?,
            by_caller: usable(self.by_caller)?,
        });
        scan.unusable_callers = usable(self.unusable_callers)?;
        scan.failures_in_calls = usable(self.failures_in_calls)?;
        Some(())
    }
}

impl<'l> SkippedLine<'l> {
    fn of(reason: Reason, pieces: &'l SkippedPieces) -> Self {
        let (file, location, detail) = &pieces.first;
        Self {
            reason: Cow::Borrowed(reason.name()),
            count: pieces.count,
            bytes: pieces.bytes,
            files: pieces.files,
            first_file: Cow::Borrowed(file),
            first_at: *location,
            first_detail: detail.as_deref().map(Cow::Borrowed),
        }
    }

    fn add_to(self, scan: &mut UsageScan) -> Option<()> {
        let reason = Reason::from_name(&self.reason)?;
        let pieces = SkippedPieces {
            count: usable(self.count)?,
            bytes: self.bytes,
            files: usable(self.files)?,
            first: (
                self.first_file.into(),
                self.first_at,
                self.first_detail.map(Cow::into_owned),
            ),
        };
        scan.input.add_skipped((reason.kind(), reason), pieces);
        Some(())
    }
}

fn hex_id(id: CallerId) -> String {
    format!("{:032x}", u128::from_be_bytes(id))
}

fn read_id(hex: &str) -> Option<CallerId> {
    u128::from_str_radix(hex, 16).ok().map(u128::to_be_bytes)
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caller_uses::CallerUses;

    fn written(scan: &UsageScan) -> Vec<u8> {
        let mut out = Vec::new();
        scan.write_partial(&mut out).unwrap();
        out
    }

    #[test]
    fn callers_that_were_left_out_stay_left_out() {
        let facts = RuleFacts {
            api: "Shop".to_owned(),
            element: Element {
                part: ElementPart::Endpoint,
                value: None,
            },
            removal: None,
            replacement: None,
        };
        let id = ElementId {
            rule: "rule".into(),
            operation: "GET /".into(),
            part: ExchangePart::Operation,
        };
        let mut callers = CallerUses::default();
        let number = callers.number(&id);
        for caller in 0..40 {
            let name = CallerName::new(Arc::new([CallerValue::Shown("x".repeat(1_000_000))]));
            let count = UseCount {
                calls: 1,
                occurrences: 1,
                ..UseCount::default()
            };
            callers.add([caller; 16], &name, number, count);
        }
        let limit = callers.limit().unwrap();
        let mut scan = UsageScan {
            callers,
            ..UsageScan::default()
        };
        scan.identity = serde_json::from_str(r#"{"rules": "", "by": ["user-agent"]}"#).unwrap();
        scan.rules.insert("rule".into(), facts);
        scan.elements.insert(id, ElementTally::default());
        let bytes = written(&scan);
        let mut input = bytes.as_slice();
        let mut reader = PartialReader::open(&mut input).unwrap().unwrap();
        let read = UsageScan::read_partial(&mut reader).unwrap();
        assert_eq!(read.callers.limit(), Some(limit));
        assert_eq!(written(&read), bytes);
    }
}
