//! A scan as a partial result: a header, a line of JSON for each part of the counts, and a checksum at the end.
//!
//! The last line distinguishes a whole result from one that is cut off or damaged. The header says what must agree before counts are
//! added. Several results may follow each other in one file.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::caller::{CallerId, CallerName, attributes_or_consumer, hex};
use super::identity::{IdentityDifference, ScanIdentity};
use super::scan::{ElementTally, ExcludedCalls, RuleFacts, UsageScan};
use super::tally::{ElementId, ReadTally, UseCount};
use sundown_report::InputTally;
use sundown_text_json::text::{io_error_text, safe_json};

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

/// The version of the format. A program reads its own version.
const FORMAT_VERSION: u32 = 4;

/// The longest line, in bytes: a limit for files that are made to exhaust memory.
const MAX_LINE_BYTES: u64 = 64 * 1024 * 1024;

/// Why a file cannot be read as a partial result.
#[derive(Debug, Error)]
pub enum PartialError {
    /// The file is something else. The fault of the user who names it.
    #[error("this is not a partial result of sundown")]
    Foreign,
    /// The file has the format of another version.
    #[error("this partial result has format {format}, and was written by sundown {program}")]
    OtherFormat {
        /// The version of the format.
        format: u32,
        /// The version of the program.
        program: String,
    },
    /// The end is missing.
    #[error("this partial result is cut off after {lines} lines")]
    Truncated {
        /// The lines that there are.
        lines: u64,
    },
    /// The content is not what was written.
    #[error("line {line} of this partial result is damaged: {detail}")]
    Damaged {
        /// The line, counted from the header.
        line: u64,
        /// The exact problem.
        detail: String,
    },
    /// The partial result was made with other rules or options.
    #[error(transparent)]
    Differs(#[from] IdentityDifference),
    /// The partial result has more than a report can have.
    #[error("this partial result has more than {0} elements")]
    TooMany(usize),
    /// The file cannot be read.
    #[error("{}", io_error_text(.0))]
    Unreadable(#[from] io::Error),
}

/// Writes a partial result.
struct PartialWriter<'w> {
    out: &'w mut dyn Write,
    hash: Sha256,
    lines: u64,
}

/// Reads a partial result line by line.
struct PartialReader<'r> {
    input: &'r mut dyn BufRead,
    line: Vec<u8>,
    hash: Sha256,
    lines: u64,
    /// What must be equal before it is added to others.
    pub identity: ScanIdentity,
}

#[derive(Serialize, Deserialize)]
struct Header {
    sundown_partial: u32,
    program: String,
    identity: ScanIdentity,
}

/// The part of a header that every version has.
#[derive(Deserialize)]
struct AnyHeader {
    sundown_partial: u32,
    program: String,
}

#[derive(Deserialize)]
struct EndLine {
    end: End,
}

#[derive(Serialize, Deserialize)]
struct End {
    lines: u64,
    sha256: String,
}

/// How the last line begins, and no other.
const END: &[u8] = br#"{"end":"#;

impl PartialError {
    /// The remedy.
    pub fn help(&self) -> String {
        match self {
            Self::Foreign => "write one with `sundown usage --partial FILE`".to_owned(),
            Self::OtherFormat { program, .. } => {
                format!("merge it with sundown {program}, or write it again with this version")
            }
            Self::Truncated { .. } | Self::Damaged { .. } => {
                "write it again, or copy it again".to_owned()
            }
            Self::Differs(difference) => difference.help().to_owned(),
            Self::TooMany(_) => "leave it out, or merge it by itself".to_owned(),
            Self::Unreadable(_) => "name files that `--partial` wrote, or `-`".to_owned(),
        }
    }
}

impl<'w> PartialWriter<'w> {
    /// Writes the header. Only partial results with equal identities are added.
    pub(super) fn start(out: &'w mut dyn Write, identity: &ScanIdentity) -> io::Result<Self> {
        let mut writer = Self {
            out,
            hash: Sha256::new(),
            lines: 0,
        };
        writer.write(&line_of(&Header {
            sundown_partial: FORMAT_VERSION,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            identity: identity.clone(),
        })?)?;
        Ok(writer)
    }

    /// Writes a part of the result: an object whose only member is named after its kind.
    pub(super) fn line(&mut self, kind: &str, part: &impl Serialize) -> io::Result<()> {
        self.write(&line_of(&BTreeMap::from([(kind, part)]))?)
    }

    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        self.hash.update(line);
        self.lines += 1;
        self.out.write_all(line)
    }

    /// Writes the end.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let sha256 = hex(&std::mem::take(&mut self.hash).finalize());
        let lines = self.lines;
        self.line("end", &End { lines, sha256 })?;
        self.out.flush()
    }
}

impl<'r> PartialReader<'r> {
    /// Reads the next header; `None` if nothing follows.
    pub(super) fn open(input: &'r mut dyn BufRead) -> Result<Option<Self>, PartialError> {
        let mut line = Vec::new();
        read_line(input, &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        let AnyHeader {
            sundown_partial: format,
            program,
        } = serde_json::from_slice(&line).map_err(|_| PartialError::Foreign)?;
        if format != FORMAT_VERSION {
            return Err(PartialError::OtherFormat { format, program });
        }
        let Header { identity, .. } =
            serde_json::from_slice(&line).map_err(|error| damaged(1, &error))?;
        let hash = Sha256::new_with_prefix(&line);
        Ok(Some(Self {
            input,
            line,
            hash,
            lines: 1,
            identity,
        }))
    }

    /// Reads the next part; `None` at the end, if everything is as it was written.
    pub(super) fn next<'l, P: Deserialize<'l>>(&'l mut self) -> Result<Option<P>, PartialError> {
        read_line(self.input, &mut self.line)?;
        if self.line.last() != Some(&b'\n') {
            return Err(PartialError::Truncated { lines: self.lines });
        }
        self.lines += 1;
        if self.line.starts_with(END) {
            return self.check_end().map(|()| None);
        }
        self.hash.update(&self.line);
        let lines = self.lines;
        serde_json::from_slice(&self.line)
            .map(Some)
            .map_err(|error| damaged(lines, &error))
    }

    /// Returns an error about the part that was read last.
    fn damage(&self, detail: &str) -> PartialError {
        damaged(self.lines, &detail)
    }

    fn check_end(&mut self) -> Result<(), PartialError> {
        let lines = self.lines;
        let EndLine { end } =
            serde_json::from_slice(&self.line).map_err(|error| damaged(lines, &error))?;
        if end.lines.checked_add(1) != Some(lines)
            || end.sha256 != hex(&std::mem::take(&mut self.hash).finalize())
        {
            return Err(damaged(
                lines,
                &"the checksum does not match the lines before it",
            ));
        }
        Ok(())
    }
}

/// A value as a line.
fn line_of(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    safe_json::compact(&mut line, value)?;
    line.push(b'\n');
    Ok(line)
}

fn damaged(line: u64, detail: &dyn Display) -> PartialError {
    // The parser counts lines within this one.
    let detail = detail
        .to_string()
        .split(" at line 1 column ")
        .next()
        .unwrap_or_default()
        .to_owned();
    PartialError::Damaged { line, detail }
}

/// Reads a line with its end; nothing at the end of the input, and no more than the limit.
fn read_line(input: &mut dyn BufRead, line: &mut Vec<u8>) -> io::Result<()> {
    line.clear();
    input.take(MAX_LINE_BYTES).read_until(b'\n', line).map(drop)
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

#[cfg(test)]
mod line_tests {
    use super::*;

    fn written() -> Vec<u8> {
        let mut out = Vec::new();
        let mut writer = PartialWriter::start(&mut out, &ScanIdentity::default()).unwrap();
        writer.line("part", &[1, 2]).unwrap();
        writer.line("part", &[3]).unwrap();
        writer.finish().unwrap();
        out
    }

    /// Reads all partial results of a text, and returns the parts of each.
    fn read(mut bytes: &[u8]) -> Result<Vec<Vec<Vec<u64>>>, PartialError> {
        let mut all = Vec::new();
        while let Some(mut reader) = PartialReader::open(&mut bytes)? {
            let mut parts = Vec::new();
            while let Some(mut part) = reader.next::<BTreeMap<String, Vec<u64>>>()? {
                parts.extend(part.remove("part"));
            }
            all.push(parts);
        }
        Ok(all)
    }

    #[test]
    fn it_is_read_as_it_was_written_and_several_follow_each_other() {
        let parts = vec![vec![1, 2], vec![3]];
        assert_eq!(read(&written()).unwrap(), std::slice::from_ref(&parts));
        assert_eq!(
            read(&[written(), written()].concat()).unwrap(),
            [parts.clone(), parts]
        );
        assert!(read(b"").unwrap().is_empty());
    }

    #[test]
    fn no_part_of_it_is_whole() {
        let whole = written();
        for length in 1..whole.len() {
            let error = read(&whole[..length]).unwrap_err();
            let is_expected = matches!(
                error,
                PartialError::Foreign | PartialError::Truncated { .. }
            );
            assert!(is_expected, "{length}: {error}");
        }
    }

    #[test]
    fn every_change_is_noticed() {
        let whole = written();
        let text = std::str::from_utf8(&whole).unwrap();
        let most = text.replace("\"lines\":3", &format!("\"lines\":{}", u64::MAX));
        assert!(most != text && read(most.as_bytes()).is_err());
        for at in 0..whole.len() {
            for byte in [b'0', b'\n', b' ', 0xff] {
                let mut changed = whole.clone();
                changed[at] = byte;
                assert!(changed == whole || read(&changed).is_err(), "{at}: {byte}");
            }
        }
    }

    #[test]
    fn other_files_and_other_formats_are_refused() {
        for text in ["{}\n", "{\"a\": 1}", "<html>\n", "\u{1f}\u{8b}", "\n"] {
            assert!(
                matches!(read(text.as_bytes()), Err(PartialError::Foreign)),
                "{text}"
            );
        }
        for format in [FORMAT_VERSION - 1, FORMAT_VERSION + 1] {
            let other =
                format!("{{\"sundown_partial\":{format},\"program\":\"9.0.0\",\"more\":[]}}\n");
            let error = read(other.as_bytes()).unwrap_err();
            assert!(error.help().contains("9.0.0"), "{}", error.help());
        }
    }
}
