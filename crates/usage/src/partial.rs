//! A scan as the lines of a partial result.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::sync::Arc;

use serde::Deserialize;

use super::caller::{CallerId, CallerName, attributes_or_consumer};
use super::partial_file::{PartialError, PartialReader, PartialWriter};
use super::scan::{ElementTally, ExcludedCalls, RuleFacts, UsageScan};
use super::tally::{ElementId, ReadTally, UseCount};
use sundown_report::InputTally;

/// The most elements of a partial result: a limit for files that are made to exhaust memory.
const MAX_ELEMENTS: usize = 500_000;

/// A line of a partial result. Elements are numbered in their order, from 0.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum UsageLine {
    Input(InputTally),
    Rule(Arc<str>, RuleFacts),
    Calls(ReadTally),
    Api(String, Box<ReadTally>),
    Element(ElementId, Box<ElementTally>),
    /// The lowest caller that was left out.
    CallerLimit(CallerId),
    Caller(CallerId, CallerName, Vec<(u32, UseCount)>),
    Excluded(ExcludedCalls),
}

impl UsageScan {
    /// Writes the scan as a partial result. Equal scans give equal bytes.
    pub fn write_partial(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = PartialWriter::start(out, &self.identity)?;
        writer.line("input", &self.input)?;
        for rule in &self.rules {
            writer.line("rule", &rule)?;
        }
        writer.line("calls", &self.calls)?;
        for api in &self.apis {
            writer.line("api", &api)?;
        }
        for element in &self.elements {
            writer.line("element", &element)?;
        }
        if let Some(limit) = self.callers.limit() {
            writer.line("caller_limit", &limit)?;
        }
        let numbers: HashMap<&ElementId, usize> = self.elements.keys().zip(0..).collect();
        for (id, name, uses) in self.callers.iter() {
            let uses = uses.filter_map(|(of, found)| Some((*numbers.get(of)?, *found.count)));
            let mut uses: Vec<_> = uses.collect();
            uses.sort_unstable_by_key(|(element, _)| *element);
            writer.line("caller", &(id, name, uses))?;
        }
        writer.line("excluded", &self.excluded)?;
        writer.finish()
    }

    /// Whether an input is empty, or begins as a partial result does.
    pub fn is_partial(input: &mut dyn BufRead) -> bool {
        PartialReader::open(input).is_ok()
    }

    /// Reads the next partial result; `None` if nothing follows.
    pub fn read_partial(input: &mut dyn BufRead) -> Result<Option<Self>, PartialError> {
        let reader = PartialReader::open(input)?;
        reader
            .map(|mut reader| Self::read_lines(&mut reader))
            .transpose()
    }

    /// Reads the lines after the header. What is read is added to nothing, which corrects what no scan has.
    fn read_lines(reader: &mut PartialReader<'_>) -> Result<Self, PartialError> {
        let mut scan = Self {
            identity: reader.identity.clone(),
            ..Self::default()
        };
        let named = scan.named_attributes();
        let named = named.map_err(|error| reader.damage(&error))?;
        let attributes = attributes_or_consumer(&named).len();
        while let Some(line) = reader.next()? {
            let is_possible = match line {
                UsageLine::Input(input) => {
                    scan.input.merge(input);
                    true
                }
                UsageLine::Rule(id, facts) => scan.rules.insert(id, facts).is_none(),
                UsageLine::Calls(calls) => {
                    scan.calls.merge(calls);
                    true
                }
                UsageLine::Api(api, calls) => scan.apis.insert(api, *calls).is_none(),
                UsageLine::Element(id, tally) => {
                    // Callers refer to elements by their numbers.
                    scan.callers.number(&id);
                    scan.elements.entry(id).or_default().merge(*tally);
                    true
                }
                UsageLine::CallerLimit(limit) => {
                    scan.callers.leave_out_from(limit);
                    true
                }
                UsageLine::Caller(id, name, uses) => {
                    name.0.len() == attributes && scan.callers.add_known(id, &name, uses)
                }
                UsageLine::Excluded(excluded) => {
                    scan.excluded.merge(excluded);
                    true
                }
            };
            if !is_possible {
                return Err(reader.damage("it has a value that no scan has"));
            }
            if scan.elements.len() > MAX_ELEMENTS {
                return Err(PartialError::TooMany(MAX_ELEMENTS));
            }
        }
        Ok(scan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caller::CallerValue;
    use crate::caller_uses::CallerUses;
    use crate::identity::{IdentityFact, ScanIdentity};
    use sundown_lint::findings::ExchangePart;
    use sundown_lint::rules::Element;

    fn written(scan: &UsageScan) -> Vec<u8> {
        let mut out = Vec::new();
        scan.write_partial(&mut out).unwrap();
        out
    }

    #[test]
    fn callers_that_were_left_out_stay_left_out() {
        let facts = RuleFacts {
            api: "Shop".to_owned(),
            element: Element::field("old"),
            removal: None,
            replacement: None,
            names_path: false,
            is_own: true,
        };
        let id = ElementId {
            rule: "rule".into(),
            operation: "GET /".into(),
            part: ExchangePart::Operation,
        };
        let mut callers = CallerUses::default();
        let number = callers.number(&id);
        for caller in 0..70 {
            let name = CallerName(Arc::new([CallerValue::Shown("x".repeat(1_000_000))]));
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
        scan.identity = ScanIdentity::default().with(IdentityFact::CallersBy, ["user-agent"]);
        scan.rules.insert("rule".into(), facts);
        scan.elements.insert(id, ElementTally::default());
        let bytes = written(&scan);
        let mut input = bytes.as_slice();
        let read = UsageScan::read_partial(&mut input).unwrap().unwrap();
        assert_eq!(read.callers.limit(), Some(limit));
        assert_eq!(written(&read), bytes);
    }
}
