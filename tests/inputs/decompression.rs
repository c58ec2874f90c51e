//! Compressed files on the command line: what is not unpacked is named, with its remedy.

use crate::support::{Desk, gzip};

#[test]
fn what_is_not_unpacked_is_named_with_the_command_that_does() {
    let tar = [&b"a.har"[..], &[0; 252], b"ustar\x0000", &[0; 300]].concat();
    for (packed, expected) in [
        (&b"\x04\x22\x4D\x18d@\0"[..], "compressed by lz4"),
        (b"PK\x03\x04\x14\0\0\0", "a zip archive: unpack it"),
        (b"7z\xBC\xAF\x27\x1C\0\x04", "a 7z archive"),
        (&tar, "a tar archive"),
        (&gzip(&tar), "a tar archive"),
        (&gzip(&gzip(b"{}")), "compressed once more"),
        (b"\xFD7zXZ\0\0\x04", "`xzcat FILE | sundown check -`"),
        (b"BZh91AY&SY\xA5T", "`bzcat FILE | sundown check -`"),
        (
            b"BZh9\x17\x72\x45\x38\x50\x90\0\0\0\0",
            "compressed by bzip2",
        ),
        (&gzip(b"BZh91AY&SY\xA5T"), "compressed by bzip2"),
    ] {
        for bytes in [packed.to_vec(), [packed, &vec![0xAB; 200_000]].concat()] {
            // Text after the end of compressed data is damage.
            if bytes.starts_with(b"\x1F\x8B") && bytes.len() > 100_000 {
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
}
