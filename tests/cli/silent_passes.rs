//! No input with a use of a deprecated element passes silently: the use is found, or the report says what was not checked.
//!
//! The inputs are in `silent_passes.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use crate::support::{Desk, repository, text};

/// The use in rows that name no other.
const USE: &str = "chat-citations /messages/0/citations";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PassTable {
    texts: BTreeMap<String, String>,
    row: Vec<PassRow>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PassRow {
    name: String,
    file: String,
    text: Option<String>,
    copy: Option<String>,
    #[serde(rename = "as", default)]
    filters: Vec<String>,
    #[serde(default)]
    with: BTreeMap<String, String>,
    #[serde(default)]
    beside: BTreeMap<String, String>,
    link: Option<String>,
    args: Option<Vec<String>>,
    must: Option<String>,
    pending: Option<String>,
}

/// The result of the two runs on a row.
#[derive(Debug)]
enum PassResult {
    Refused {
        strict_code: i32,
    },
    Report {
        uses: BTreeSet<String>,
        reasons: BTreeSet<String>,
        strict_code: i32,
    },
}

#[test]
fn no_use_passes_silently() {
    let table: PassTable = toml::from_str(&text("tests/cli/silent_passes.toml")).unwrap();
    let names: BTreeSet<_> = table.row.iter().map(|row| &row.name).collect();
    assert_eq!(names.len(), table.row.len(), "two rows have the same name");
    let next = AtomicUsize::new(0);
    let mistakes = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(row) = table.row.get(next.fetch_add(1, Ordering::Relaxed)) {
                    mistakes.lock().unwrap().extend(row.mistake(&table.texts));
                }
            });
        }
    });
    let mistakes = mistakes.into_inner().unwrap();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

impl PassRow {
    /// Returns how the program deviates from the row.
    fn mistake(&self, texts: &BTreeMap<String, String>) -> Option<String> {
        if self.link.is_some() && !cfg!(unix) {
            return None;
        }
        let result = self.run(texts);
        let must = self.must.as_deref().unwrap_or("found");
        match (&self.pending, result.fulfils(must)) {
            (None, false) => Some(format!("{}: must be `{must}`, is {result}", self.name)),
            (Some(_), true) => Some(format!("{}: holds now; remove `pending`", self.name)),
            (None, true) | (Some(_), false) => None,
        }
    }

    fn run(&self, texts: &BTreeMap<String, String>) -> PassResult {
        let content = self.content(texts);
        let mut desk = Desk::new().with(&self.file, &content);
        for (name, text) in &self.beside {
            desk = desk.with(name, self.expand(text, texts));
        }
        self.link_in(&desk);
        let own = self.args.clone().unwrap_or_else(|| vec![self.file.clone()]);
        let run = |more: &[&str]| {
            let own = own.iter().map(String::as_str);
            let fixed = ["check", "--fail-on", "note"].into_iter();
            let arguments: Vec<_> = fixed.chain(own).chain(more.iter().copied()).collect();
            desk.run_with(&arguments, &content)
        };
        let (plain, strict) = (run(&["--format", "json"]), run(&["--strict"]));
        if plain.stdout.is_empty() {
            assert!(
                plain.code == 2 && !plain.stderr.is_empty(),
                "{}: {}",
                self.name,
                plain.code
            );
            return PassResult::Refused {
                strict_code: strict.code,
            };
        }
        let report: serde_json::Value = serde_json::from_str(&plain.stdout).unwrap();
        let entries = |key: &str| report[key].as_array().unwrap().iter();
        let field = |entry: &serde_json::Value, key: &str| {
            entry[key].as_str().unwrap_or_default().to_owned()
        };
        let uses = entries("findings").map(|finding| {
            format!("{} {}", field(finding, "rule"), field(finding, "pointer"))
                .trim()
                .to_owned()
        });
        PassResult::Report {
            uses: uses.collect(),
            reasons: entries("skipped")
                .map(|skip| field(skip, "reason"))
                .collect(),
            strict_code: strict.code,
        }
    }

    #[cfg(unix)]
    fn link_in(&self, desk: &Desk) {
        let Some(link) = &self.link else { return };
        let (name, to) = link.split_once(" -> ").unwrap_or((link, &self.file));
        std::fs::create_dir_all(desk.path(name).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(desk.path(to), desk.path(name)).unwrap();
    }

    #[cfg(not(unix))]
    fn link_in(&self, _desk: &Desk) {}

    fn content(&self, texts: &BTreeMap<String, String>) -> Vec<u8> {
        let bytes = match (&self.text, &self.copy) {
            (Some(text), None) => self.expand(text, texts),
            (None, Some(path)) => std::fs::read(repository(path)).unwrap(),
            _ => panic!("{}: one of `text` and `copy` is needed", self.name),
        };
        self.filters
            .iter()
            .fold(bytes, |bytes, filter| apply(filter, bytes))
    }

    /// Inserts the named texts.
    fn expand(&self, text: &str, texts: &BTreeMap<String, String>) -> Vec<u8> {
        let mut expanded = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("@{") {
            expanded.extend_from_slice(before.as_bytes());
            let (inner, after) = after.split_once('}').unwrap();
            let mut parts = inner.split('|');
            let named = parts
                .next()
                .and_then(|name| self.with.get(name).or(texts.get(name)));
            let Some(named) = named else {
                panic!("{}: {inner} is not a text", self.name)
            };
            let inserted = self.expand(named, texts);
            expanded.extend(parts.fold(inserted, |bytes, filter| apply(filter, bytes)));
            rest = after;
        }
        expanded.extend_from_slice(rest.as_bytes());
        expanded
    }
}

impl PassResult {
    fn fulfils(&self, must: &str) -> bool {
        let (kind, rest) = must.split_once(' ').unwrap_or((must, ""));
        let (uses, reasons, strict_code) = match self {
            Self::Refused { strict_code } => return kind == "refused" && *strict_code == 2,
            Self::Report {
                uses,
                reasons,
                strict_code,
            } => (uses, reasons, *strict_code),
        };
        match kind {
            "found" => {
                let (place, more) = rest.split_once(", ").unwrap_or((rest, ""));
                let place = if place.is_empty() { USE } else { place };
                let is_found = uses.contains(place) && (uses.len() == 1 || more == "among others");
                match more.strip_prefix("reported ") {
                    Some(reason) => is_found && reasons.contains(reason) && strict_code == 2,
                    None => is_found && strict_code == 1,
                }
            }
            "reported" => {
                let (reason, more) = rest.split_once(", ").unwrap_or((rest, ""));
                let has_none = uses.is_empty() || more == "whatever is found";
                has_none && reasons.contains(reason) && strict_code == 2
            }
            "counted" => uses.is_empty() && reasons.contains(rest) && strict_code == 0,
            "refused" => false,
            _ => panic!("`{must}` is no result"),
        }
    }
}

impl fmt::Display for PassResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { strict_code } => write!(f, "refused, and {strict_code} with --strict"),
            Self::Report {
                uses,
                reasons,
                strict_code,
            } => {
                write!(
                    f,
                    "found {uses:?}, reported {reasons:?}, and {strict_code} with --strict"
                )
            }
        }
    }
}

/// Applies a filter of the table.
fn apply(filter: &str, bytes: Vec<u8>) -> Vec<u8> {
    let (name, count) = filter.split_once(' ').unwrap_or((filter, "0"));
    let count: usize = count.parse().unwrap();
    let as_text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    match name {
        "json" => {
            let quoted = serde_json::to_string(&as_text(&bytes)).unwrap();
            quoted[1..quoted.len() - 1].into()
        }
        "percent" => bytes
            .iter()
            .flat_map(|byte| format!("%{byte:02X}").into_bytes())
            .collect(),
        "bytes" => bytes
            .iter()
            .map(u8::to_string)
            .collect::<Vec<_>>()
            .join(",")
            .into_bytes(),
        "hex" => bytes
            .iter()
            .flat_map(|byte| format!("{byte:02x}").into_bytes())
            .collect(),
        "unhex" => {
            let digits = as_text(&bytes);
            let pair = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
            (0..digits.len()).step_by(2).map(pair).collect()
        }
        "base64" => STANDARD.encode(bytes).into_bytes(),
        "unbase64" => STANDARD.decode(bytes).unwrap(),
        "bom" => [b"\xef\xbb\xbf", &bytes[..]].concat(),
        "utf16le" => {
            let units = as_text(&bytes);
            let units = std::iter::once(0xfeff).chain(units.encode_utf16());
            units.flat_map(u16::to_le_bytes).collect()
        }
        "utf16be" => as_text(&bytes)
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect(),
        "gzip" => {
            let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            writer.write_all(&bytes).unwrap();
            writer.finish().unwrap()
        }
        "zlib" => {
            let mut writer =
                flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
            writer.write_all(&bytes).unwrap();
            writer.finish().unwrap()
        }
        "zstd" => zstd::encode_all(&bytes[..], 3).unwrap(),
        "br" => store_brotli(&bytes),
        "zip" => store_zip(&bytes),
        "tar" => store_tar(&bytes),
        "cut" => bytes[..bytes.len() - count].to_vec(),
        "behead" => bytes[count..].to_vec(),
        "damage" => {
            let mut bytes = bytes;
            bytes[count..count + 8]
                .iter_mut()
                .for_each(|byte| *byte = !*byte);
            bytes
        }
        _ => panic!("`{filter}` is no filter"),
    }
}

/// Writes a brotli stream (RFC 7932) of one uncompressed meta-block.
fn store_brotli(bytes: &[u8]) -> Vec<u8> {
    // From the lowest bit: a window of 64 KiB (1), not the last block (1), 4 digits of length (2), the length less one (16),
    // uncompressed (1).
    let length = u32::try_from(bytes.len() - 1).unwrap();
    assert!(length < 1 << 16);
    let header = (length << 4 | 1 << 20).to_le_bytes();
    // At the end, a last block that is empty.
    [&header[..3], bytes, &[3]].concat()
}

/// Writes a zip archive with one stored file.
fn store_zip(bytes: &[u8]) -> Vec<u8> {
    let name = b"a.har";
    let mut checksum = flate2::Crc::new();
    checksum.update(bytes);
    let size = u32::try_from(bytes.len()).unwrap().to_le_bytes();
    // The version, flags, method, time, date, checksum, sizes, and the lengths of the name and of the extra field.
    let entry = [
        &[10, 0, 0, 0, 0, 0, 0, 0, 0x21, 0][..],
        &checksum.sum().to_le_bytes(),
        &size,
        &size,
        &[5, 0, 0, 0],
    ]
    .concat();
    let local = [b"PK\x03\x04", &entry[..], name, bytes].concat();
    let central = [b"PK\x01\x02\x0a\x00", &entry[..], &[0; 14], name].concat();
    let end = [
        &b"PK\x05\x06\0\0\0\0\x01\0\x01\0"[..],
        &u32::try_from(central.len()).unwrap().to_le_bytes(),
        &u32::try_from(local.len()).unwrap().to_le_bytes(),
        &[0, 0],
    ]
    .concat();
    [local, central, end].concat()
}

/// Writes a tar archive with one file.
fn store_tar(bytes: &[u8]) -> Vec<u8> {
    let mut header = [0; 512];
    header[..5].copy_from_slice(b"a.har");
    header[100..108].copy_from_slice(b"0000644\0");
    header[124..136].copy_from_slice(format!("{:011o}\0", bytes.len()).as_bytes());
    header[148..156].copy_from_slice(b"        ");
    header[156] = b'0';
    header[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let padding = bytes.len().next_multiple_of(512) - bytes.len();
    [&header[..], bytes, &vec![0; padding + 1024]].concat()
}
