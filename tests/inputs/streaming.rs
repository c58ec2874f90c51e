//! Large files through the program: what it writes while it reads is what it writes at the end.

use crate::support::{Desk, repository};

const CAPTURES: [&str; 4] = [
    "pino-http.ndjson",
    "mitmproxy.har",
    "chromium.har",
    "chromium-omit.har",
];

#[test]
fn every_occurrence_is_streamed_and_equals_the_collected_report() {
    for name in CAPTURES {
        let capture = std::fs::read(repository("testdata/captures").join(name)).unwrap();
        let desk = Desk::new().with(name, capture);
        let check = ["check", name, "--no-fold", "--format"];
        let streamed = desk.run(&[&check[..], &["ndjson"]].concat());
        // Several reports are written when the run has ended.
        let two = ["ndjson", "--format", "ndjson=second"];
        let collected = desk.run(&[&check[..], &two].concat());
        for (line, wanted) in streamed.stdout.lines().zip(collected.stdout.lines()) {
            assert_eq!(line, wanted, "{name}");
        }
        assert_eq!(streamed.stdout.len(), collected.stdout.len());
        desk.run(&[&check[..], &["ndjson=out"]].concat());
        assert!(
            std::fs::read_to_string(desk.path("out")).unwrap() == streamed.stdout,
            "{name}"
        );
    }
}
