//! Files with partial results: a header, a line of JSON for each part of the result, and a checksum at the end.
//!
//! The last line distinguishes a whole file from one that is cut off or damaged. The header says what must agree before results are
//! added. Several partial results may follow each other in one file.

use std::fmt::{self, Display};
use std::io::{self, BufRead, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use sundown_text_json::text::{io_error_text, safe_json};

/// The version of the format. A program reads its own version.
const FORMAT_VERSION: u32 = 1;

/// The longest line, in bytes: a limit for files that are made to exhaust memory.
const MAX_LINE_BYTES: u64 = 64 * 1024 * 1024;

/// The command that wrote a partial result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartialKind {
    /// `sundown usage`.
    Usage,
    /// `sundown check`.
    Check,
}

/// A rule or an option on which results must agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityFact {
    /// What it is, a noun in the plural.
    pub what: &'static str,
    /// Its value, for people.
    pub value: String,
    /// The remedy if it differs.
    pub help: &'static str,
}

/// The result with which a partial result must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherIdentity {
    /// The first of those that are merged.
    FirstPart,
    /// The scan that is compared with it.
    ThisScan,
    /// The merge of partial results that agree with each other.
    ThisMerge,
}

/// Why a file cannot be read as a partial result.
#[derive(Debug, Error)]
pub enum PartialError {
    /// The file is something else. The fault of the user who names it.
    #[error("this is not a partial result of sundown")]
    Foreign,
    /// The file has a format that this version does not know.
    #[error("this partial result has format {format}, and was written by sundown {program}")]
    Newer {
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
    /// The partial result belongs to another command.
    #[error("this is a partial result of `sundown {found}` instead of `sundown {wanted}`")]
    OtherCommand {
        /// The command of this one.
        found: &'static str,
        /// The command of those before it.
        wanted: &'static str,
    },
    /// The partial result was made with other rules or options.
    #[error("{what} of {other}: {found} instead of {wanted}")]
    Differs {
        /// What differs, a noun in the plural.
        what: &'static str,
        /// From what it differs.
        other: OtherIdentity,
        /// What this one has.
        found: String,
        /// What the other one has.
        wanted: String,
        /// The remedy.
        help: &'static str,
    },
    /// The partial result is about a file that another one is about, too.
    #[error("{file} is in another partial result, too: its uses would count twice")]
    RepeatedFile {
        /// The file.
        file: String,
    },
    /// The partial result has more than a report can have.
    #[error("this partial result has more than {most} {what}")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        most: usize,
    },
    /// The file cannot be read.
    #[error("{}", io_error_text(.0))]
    Unreadable(#[from] io::Error),
}

/// Writes a partial result.
pub struct PartialWriter<'w> {
    out: &'w mut dyn Write,
    line: Vec<u8>,
    hash: Sha256,
    lines: u64,
}

/// Reads a partial result line by line.
pub struct PartialReader<'r> {
    input: &'r mut dyn BufRead,
    line: Vec<u8>,
    hash: Sha256,
    lines: u64,
    kind: PartialKind,
    identity: serde_json::Value,
}

#[derive(Serialize, Deserialize)]
struct Header<P, I> {
    sundown_partial: u32,
    program: P,
    kind: PartialKind,
    identity: I,
}

/// The part of a header that every version has.
#[derive(Deserialize)]
struct AnyHeader {
    sundown_partial: u32,
    program: String,
}

#[derive(Serialize, Deserialize)]
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

impl PartialKind {
    /// The name of the command.
    pub fn command(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Check => "check",
        }
    }
}

impl Display for OtherIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FirstPart => "this partial result differ from those of the first",
            Self::ThisScan => "this partial result differ from those of this scan",
            Self::ThisMerge => "the partial results differ from those of this merge",
        })
    }
}

impl IdentityFact {
    /// Returns an error about the first of these facts that differs from that of another result.
    pub fn compare_all(
        found: impl IntoIterator<Item = Self>,
        wanted: impl IntoIterator<Item = Self>,
        other: OtherIdentity,
    ) -> Result<(), PartialError> {
        let Some((found, wanted)) = found
            .into_iter()
            .zip(wanted)
            .find(|(found, wanted)| found.value != wanted.value)
        else {
            return Ok(());
        };
        let Self {
            what,
            value: found,
            help,
        } = found;
        Err(PartialError::Differs {
            what,
            other,
            found,
            wanted: wanted.value,
            help,
        })
    }
}

impl PartialError {
    /// The remedy.
    pub fn help(&self) -> String {
        match self {
            Self::Foreign => {
                "write one with `sundown check --partial FILE` or `sundown usage --partial FILE`"
                    .to_owned()
            }
            Self::Newer { program, .. } => {
                format!("merge it with sundown {program}, or with a newer version")
            }
            Self::Truncated { .. } | Self::Damaged { .. } => {
                "write it again, or copy it again".to_owned()
            }
            Self::OtherCommand { .. } => "merge them one command at a time".to_owned(),
            Self::Differs { help, .. } => (*help).to_owned(),
            Self::RepeatedFile { .. } => {
                "check each file in one run only, and start all runs in the same folder; `--stdin-filename` names standard input"
                    .to_owned()
            }
            Self::TooMany { .. } => "leave it out, or merge it by itself".to_owned(),
            Self::Unreadable(_) => "name files that `--partial` wrote, or `-`".to_owned(),
        }
    }
}

impl<'w> PartialWriter<'w> {
    /// Writes the header. Only partial results with equal identities are added.
    pub fn start(
        out: &'w mut dyn Write,
        kind: PartialKind,
        identity: &impl Serialize,
    ) -> io::Result<Self> {
        let mut writer = Self {
            out,
            line: Vec::new(),
            hash: Sha256::new(),
            lines: 0,
        };
        writer.line(&Header {
            sundown_partial: FORMAT_VERSION,
            program: env!("CARGO_PKG_VERSION"),
            kind,
            identity,
        })?;
        Ok(writer)
    }

    /// Writes a part of the result.
    pub fn line(&mut self, part: &impl Serialize) -> io::Result<()> {
        self.line.clear();
        safe_json::compact(&mut self.line, part)?;
        self.line.push(b'\n');
        self.hash.update(&self.line);
        self.lines += 1;
        self.out.write_all(&self.line)
    }

    /// Writes the end.
    pub fn finish(mut self) -> io::Result<()> {
        let sha256 = hex(std::mem::take(&mut self.hash));
        let end = EndLine {
            end: End {
                lines: self.lines,
                sha256,
            },
        };
        self.line(&end)?;
        self.out.flush()
    }
}

impl<'r> PartialReader<'r> {
    /// Reads the next header; `None` if nothing follows.
    pub fn open(input: &'r mut dyn BufRead) -> Result<Option<Self>, PartialError> {
        let mut line = Vec::new();
        read_line(input, &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        let AnyHeader {
            sundown_partial: format,
            program,
        } = serde_json::from_slice(&line).map_err(|_| PartialError::Foreign)?;
        if format > FORMAT_VERSION {
            return Err(PartialError::Newer { format, program });
        }
        let header: Header<String, serde_json::Value> =
            serde_json::from_slice(&line).map_err(|error| damaged(1, &error))?;
        let Header { kind, identity, .. } = header;
        let hash = Sha256::new_with_prefix(&line);
        Ok(Some(Self {
            input,
            line,
            hash,
            lines: 1,
            kind,
            identity,
        }))
    }

    /// The command that wrote it.
    pub fn kind(&self) -> PartialKind {
        self.kind
    }

    /// What must be equal before it is added to others.
    pub fn identity<I: DeserializeOwned>(&mut self) -> Result<I, PartialError> {
        let identity = std::mem::take(&mut self.identity);
        serde_json::from_value(identity).map_err(|error| damaged(1, &error))
    }

    /// Reads the next part; `None` at the end, if everything is as it was written.
    pub fn next<'l, P: Deserialize<'l>>(&'l mut self) -> Result<Option<P>, PartialError> {
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
    pub fn damage(&self, detail: &str) -> PartialError {
        damaged(self.lines, &detail)
    }

    fn check_end(&mut self) -> Result<(), PartialError> {
        let lines = self.lines;
        let EndLine { end } =
            serde_json::from_slice(&self.line).map_err(|error| damaged(lines, &error))?;
        if end.lines.checked_add(1) != Some(lines)
            || end.sha256 != hex(std::mem::take(&mut self.hash))
        {
            return Err(damaged(
                lines,
                &"the checksum does not match the lines before it",
            ));
        }
        Ok(())
    }
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

fn hex(hash: Sha256) -> String {
    hash.finalize()
        .iter()
        .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> Vec<u8> {
        let mut out = Vec::new();
        let mut writer = PartialWriter::start(&mut out, PartialKind::Usage, &"the rules").unwrap();
        writer.line(&[1, 2]).unwrap();
        writer.line(&[3]).unwrap();
        writer.finish().unwrap();
        out
    }

    /// Reads all partial results of a text, and returns the parts of each.
    fn read(mut bytes: &[u8]) -> Result<Vec<Vec<Vec<u64>>>, PartialError> {
        let mut all = Vec::new();
        while let Some(mut reader) = PartialReader::open(&mut bytes)? {
            reader.identity::<String>()?;
            let mut parts = Vec::new();
            while let Some(part) = reader.next()? {
                parts.push(part);
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
    fn other_files_and_newer_formats_are_refused() {
        for text in ["{}\n", "{\"a\": 1}", "<html>\n", "\u{1f}\u{8b}", "\n"] {
            assert!(
                matches!(read(text.as_bytes()), Err(PartialError::Foreign)),
                "{text}"
            );
        }
        let newer = "{\"sundown_partial\":2,\"program\":\"9.0.0\",\"more\":[]}\n";
        let error = read(newer.as_bytes()).unwrap_err();
        assert!(error.help().contains("9.0.0"), "{}", error.help());
    }
}
