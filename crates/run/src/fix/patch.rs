//! Writes changes in the unified format (GNU diffutils, "Detailed Description of Unified Format"), as `git apply` reads it.
//!
//! The changes are known, so nothing is compared: the lines with a change are removed, and their new text is added.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use super::byte_edit::{ByteEdit, apply};
use memchr::{memchr_iter, memrchr};

/// The number of unchanged lines around a change.
const CONTEXT: usize = 3;

/// Writes the patch of the file at a path from the root of the project. The changes are in order and apart from each other.
pub(super) fn write_patch(
    path: &Path,
    old: &[u8],
    changes: &[ByteEdit],
    out: &mut dyn Write,
) -> io::Result<()> {
    let parts: Vec<_> = path.iter().map(OsStr::as_encoded_bytes).collect();
    let name = parts.join(&b'/');
    writeln!(out, "--- {}", quoted(&[b"a/", &*name].concat()))?;
    writeln!(out, "+++ {}", quoted(&[b"b/", &*name].concat()))?;
    let starts = line_starts(old);
    // How many lines the new file has more so far.
    let mut shift = 0isize;
    // Lines that the context of two changes shares are in one hunk.
    for hunk in changes.chunk_by(|change, next| {
        line_of(&starts, next.start) <= line_of(&starts, change.end) + 1 + 2 * CONTEXT
    }) {
        shift += write_hunk(hunk, old, &starts, shift, out)?;
    }
    Ok(())
}

/// Writes changes that are near each other, and returns how many lines they add.
fn write_hunk(
    changes: &[ByteEdit],
    old: &[u8],
    starts: &[usize],
    shift: isize,
    out: &mut dyn Write,
) -> io::Result<isize> {
    let (Some(first), Some(last)) = (changes.first(), changes.last()) else {
        return Ok(0);
    };
    let lines = starts.len() - 1;
    let begin = line_of(starts, first.start).saturating_sub(CONTEXT);
    let end = (line_of(starts, last.end) + 1 + CONTEXT).min(lines);
    let offset = |line: usize| starts.get(line).copied().unwrap_or(old.len());
    let own = |from: usize, to: usize| old.get(offset(from)..offset(to)).unwrap_or_default();
    let mut body = Vec::new();
    let mut added = 0isize;
    let mut at = begin;
    // Lines that one change joins, or several changes share, are replaced at once.
    for shared in
        changes.chunk_by(|change, next| line_of(starts, next.start) <= line_of(starts, change.end))
    {
        let (Some(first), Some(last)) = (shared.first(), shared.last()) else {
            continue;
        };
        let (from, to) = (line_of(starts, first.start), line_of(starts, last.end) + 1);
        write_lines(b' ', own(at, from), &mut body)?;
        let base = offset(from);
        let moved: Vec<_> = shared
            .iter()
            .map(|change| ByteEdit {
                start: change.start - base,
                end: change.end - base,
                new: change.new.clone(),
            })
            .collect();
        let (before, after) = (own(from, to), apply(own(from, to), &moved));
        let removed = write_lines(b'-', before, &mut body)?;
        added += write_lines(b'+', &after, &mut body)? - removed;
        at = to;
    }
    write_lines(b' ', own(at, end), &mut body)?;
    let old_count = end - begin;
    let new_count = old_count.saturating_add_signed(added);
    let new_begin = begin.saturating_add_signed(shift);
    writeln!(
        out,
        "@@ -{},{old_count} +{},{new_count} @@",
        begin + 1,
        new_begin + 1
    )?;
    out.write_all(&body)?;
    Ok(added)
}

/// Writes lines with a sign before each, and returns their number.
fn write_lines(sign: u8, text: &[u8], out: &mut Vec<u8>) -> io::Result<isize> {
    let mut count = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        out.push(sign);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            out.write_all(b"\n\\ No newline at end of file\n")?;
        }
        count += 1;
    }
    Ok(count)
}

/// The number of the line with an offset, from zero.
fn line_of(starts: &[usize], offset: usize) -> usize {
    starts
        .partition_point(|start| *start <= offset)
        .saturating_sub(1)
}

/// The offsets at which lines begin, and that of the end.
fn line_starts(text: &[u8]) -> Vec<usize> {
    let mut starts = vec![0];
    starts.extend(memchr_iter(b'\n', text).map(|end| end + 1));
    let ends_with_line = memrchr(b'\n', text).is_some_and(|last| last + 1 == text.len());
    if !ends_with_line {
        starts.push(text.len());
    }
    starts
}

/// A name as Git reads it, byte for byte: with quotes and octal escapes if it has signs that may end a name.
fn quoted(name: &[u8]) -> String {
    let mut quoted = String::new();
    for &byte in name {
        if byte.is_ascii_graphic() && byte != b'"' && byte != b'\\' {
            quoted.push(char::from(byte));
        } else {
            let _ = write!(quoted, "\\{byte:03o}");
        }
    }
    if quoted.len() > name.len() {
        quoted = format!("\"{quoted}\"");
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(text: &str, old: &str, new: &str) -> ByteEdit {
        let start = text.find(old).unwrap();
        ByteEdit {
            start,
            end: start + old.len(),
            new: new.to_owned(),
        }
    }

    #[test]
    fn changes_that_are_near_share_a_hunk_and_others_have_their_own() {
        let text = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\no\np";
        let changes = [
            edit(text, "b", "B"),
            edit(text, "d\ne\n", ""),
            edit(text, "p", "P"),
        ];
        let mut out = Vec::new();
        write_patch(Path::new("x y\u{e9}"), text.as_bytes(), &changes, &mut out).unwrap();
        let expected = "\
--- \"a/x\\040y\\303\\251\"
+++ \"b/x\\040y\\303\\251\"
@@ -1,9 +1,7 @@
 a
-b
+B
 c
-d
-e
-f
+f
 g
 h
 i
@@ -13,4 +11,4 @@
 m
 n
 o
-p
\\ No newline at end of file
+P
\\ No newline at end of file
";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
