//! Compressed files on the command line: what is not unpacked is named, with its remedy.

use std::io::Write as _;

use crate::support::{Desk, gzip, repository};

fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

#[test]
fn what_is_not_unpacked_is_named_with_the_command_that_does() {
    let tar = [&b"a.har"[..], &[0; 252], b"ustar\x0000", &[0; 300]].concat();
    for (packed, expected) in [
        (&b"\x04\x22\x4D\x18d@\0"[..], "compressed by lz4"),
        (b"PK\x03\x04\x14\0\0\0", "a zip archive: unpack it"),
        (b"7z\xBC\xAF\x27\x1C\0\x04", "a 7z archive"),
        (&tar, "a tar archive"),
        (&gzip(&tar), "a tar archive"),
        (&bzip2(&tar), "a tar archive"),
        (&gzip(&bzip2(b"{}")), "compressed once more"),
    ] {
        for bytes in [packed.to_vec(), [packed, &vec![0xAB; 200_000]].concat()] {
            // Text after the end of compressed data is damage.
            let is_read = bytes.starts_with(b"\x1F\x8B") || bytes.starts_with(b"BZh");
            if is_read && bytes.len() > 100_000 {
                continue;
            }
            let desk = crate::support::Desk::new()
                .with("calls/packed.zip", bytes)
                .with("calls/a.ndjson", r#"{"method":"GET","url":"/x"}"#);
            let named = desk.run(&["check", "calls/packed.zip"]);
            assert!(
                named.code == 2 && named.stdout.contains(expected),
                "{}",
                named.stdout
            );
            // In a folder, it is one of the pieces that could not be checked.
            for (arguments, code) in [
                (&["check", "calls"][..], 0),
                (&["check", "calls", "--strict"], 2),
            ] {
                let walked = desk.run(arguments);
                assert!(
                    walked.code == code && walked.stdout.contains(expected),
                    "{}",
                    walked.stdout
                );
            }
            let report = desk.run(&["check", "calls", "--format", "json"]).stdout;
            assert!(report.contains("\"reason\": \"packed\""), "{report}");
        }
    }
}

#[test]
fn documents_that_are_archives_are_not_failures_in_folders() {
    let desk = Desk::new()
        .with("calls/report.docx", b"PK\x03\x04\x14\0\0\0\x08\0")
        .with("calls/a.ndjson", r#"{"method":"GET","url":"/x"}"#);
    assert_eq!(desk.run(&["check", "calls", "--strict"]).code, 0);
    let named = desk.run(&["check", "calls/report.docx"]);
    assert!(
        named.code == 2 && named.stdout.contains("a zip archive"),
        "{}",
        named.stdout
    );
}

#[test]
fn a_zstd_window_that_is_too_large_is_not_called_damage() {
    // A frame with one raw block, and a window of 2^27 or 2^28 bytes.
    let frame = |exponent: u8| {
        let text = br#"{"method":"GET","url":"/x"}"#;
        let header = u32::try_from(text.len()).unwrap() << 3 | 1;
        let front = [0x28, 0xB5, 0x2F, 0xFD, 0, (exponent - 10) << 3];
        [&front, &header.to_le_bytes()[..3], text].concat()
    };
    let desk = Desk::new()
        .with("narrow.zst", frame(27))
        .with("wide.zst", frame(28));
    assert_eq!(desk.run(&["check", "narrow.zst"]).code, 0);
    let wide = desk.run(&["check", "wide.zst"]);
    assert_eq!(wide.code, 2, "{}", wide.stdout);
    assert!(
        wide.stdout.contains("`zstd -d --long=31`"),
        "{}",
        wide.stdout
    );
    assert!(!wide.stdout.contains("damaged"), "{}", wide.stdout);
    // The dictionary of an xz file may have up to 4 GiB: a header of a block that wants 256 MiB.
    let mut wide = std::fs::read(repository(
        "crates/captures/testdata/compressed/calls.ndjson.xz",
    ))
    .unwrap();
    assert_eq!(wide[12..16], [2, 0, 0x21, 1]);
    wide[16] = 32;
    let sum = crc32(&wide[12..20]);
    wide[20..24].copy_from_slice(&sum.to_le_bytes());
    let wide = Desk::new().with("wide.xz", wide).run(&["check", "wide.xz"]);
    assert!(
        wide.code == 2 && wide.stdout.contains("`xz -d`"),
        "{}",
        wide.stdout
    );
}

/// The checksum in headers of xz.
fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(bytes);
    sum.sum()
}
