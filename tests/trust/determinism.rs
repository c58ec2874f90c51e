//! The same input gives the same bytes for any number of threads, order of paths, language, time zone,
//! terminal width or home folder.

use crate::support::{Desk, report_formats, repository};

/// Captures of several formats, good and broken.
fn desk() -> Desk {
    let mut desk = Desk::new();
    for name in [
        "pino-http.ndjson",
        "mitmproxy.har",
        "chromium-omit.har",
        "cassettes/vcr.yml",
    ] {
        let bytes = std::fs::read(repository("testdata/captures").join(name)).unwrap();
        desk = desk.with(&format!("captures/{name}"), &bytes).with(
            &format!("captures/cut-{}", name.replace('/', "-")),
            &bytes[..bytes.len() * 2 / 3],
        );
    }
    desk.with("captures/chat.request.json", r#"{"citations":[]}"#)
        .with("captures/notes.txt", "x")
}

#[test]
fn the_environment_changes_no_byte_of_any_report() {
    let desk = desk();
    let surroundings: [&[(&str, &str)]; 6] = [
        &[],
        &[("LC_ALL", "tr_TR.UTF-8"), ("LANG", "de_DE.UTF-8")],
        &[("TZ", "Pacific/Kiritimati")],
        &[("COLUMNS", "20"), ("LINES", "3"), ("TERM", "dumb")],
        &[("HOME", "/nowhere"), ("USER", "x"), ("TMPDIR", "/nowhere")],
        &[
            ("CI", "true"),
            ("NO_COLOR", "1"),
            ("RAYON_NUM_THREADS", "7"),
            ("SOURCE_DATE_EPOCH", "0"),
        ],
    ];
    for format in report_formats() {
        let arguments = ["check", "captures", "--contract", "--format", format];
        let expected = desk.run(&arguments);
        assert!(
            expected.stdout.contains("citations"),
            "{format}: {}",
            expected.stderr
        );
        for environment in surroundings {
            let ran = desk.run_in(environment, &arguments, b"");
            assert_eq!(ran.stdout, expected.stdout, "{format} with {environment:?}");
            assert_eq!(
                (ran.stderr, ran.code),
                (expected.stderr.clone(), expected.code)
            );
        }
        for threads in ["--threads=1", "--threads=2", "--threads=5"] {
            let ran = desk.run(&[&arguments[..], &[threads]].concat());
            assert_eq!(ran.stdout, expected.stdout, "{format} with {threads}");
        }
    }
}

#[test]
fn the_order_of_the_paths_changes_no_report() {
    let desk = desk();
    let paths = [
        "captures/pino-http.ndjson",
        "captures/mitmproxy.har",
        "captures/cut-mitmproxy.har",
        "captures/chat.request.json",
    ];
    let report = |order: [usize; 4], format: &str| {
        let named = order.map(|index| paths[index]);
        desk.run(&[&["check", "--format", format], &named[..]].concat())
            .stdout
    };
    for format in report_formats() {
        let expected = report([0, 1, 2, 3], format);
        for order in [[3, 2, 1, 0], [1, 3, 0, 2]] {
            assert_eq!(report(order, format), expected, "{format}");
        }
    }
}
