//! The report on a named file in an unknown format names the closest format.

use crate::support::Desk;

/// A name for each file, and what is in it.
const FILES: [(&str, &str); 11] = [
    (
        "vcr-renamed.yml",
        "---\ninteractions_http:\n- request:\n    uri: http://h/x\nrecorded_with: VCR 6.0.0\n",
    ),
    (
        "vcrpy-without-requests.yaml",
        "interactions:\n- call:\n    uri: http://h/x\nversion: 1\n",
    ),
    (
        "pact-without-provider.json",
        r#"{"consumer": {"name": "a"}, "interactions": []}"#,
    ),
    (
        "har-without-log.json",
        r#"{"entries": [{"startedDateTime": "2026-11-20T00:00:00Z"}]}"#,
    ),
    (
        "postman-without-info.json",
        r#"{"item": [], "schema": "https://schema.postman.com/x"}"#,
    ),
    (
        "bruno-without-method.bru",
        "meta {\n  name: x\n}\n\nurl: https://h/x\n",
    ),
    ("requests.txt", "To ask:\nPOST https://h/x\n"),
    (
        "other-order.log",
        "1.1.1.1 0.004 \"POST /x HTTP/1.1\" 200\n",
    ),
    ("script.txt", "echo before\ncurl https://h/x\n"),
    ("notes.txt", "Nothing of the kind.\n"),
    ("body.json", r#"{"data": {"url": "x"}, "info": {"uri": 1}}"#),
];

#[test]
fn a_named_file_in_an_unknown_format_gets_the_closest_format_as_a_hint() {
    let mut reported = String::new();
    for (name, text) in FILES {
        let ran = Desk::new().with(name, text).run(&["check", name]);
        let lines = ran.stdout.lines().filter(|line| line.contains(name));
        reported.extend(lines.flat_map(|line| [line.trim(), "\n"]));
    }
    insta::assert_snapshot!(reported);
}

#[test]
fn a_file_found_in_a_folder_gets_no_hint() {
    let mut desk = Desk::new();
    for (name, text) in FILES {
        desk = desk.with(name, text);
    }
    let ran = desk.run(&["check", ".", "-v"]);
    assert!(!ran.stdout.contains("closest"), "{}", ran.stdout);
}

#[test]
fn the_content_of_a_file_is_not_shown() {
    let text = "recorded_with: secret-1\nhttp_interactions_secret: secret-2\nuri: secret-3\n";
    let ran = Desk::new()
        .with("a.yml", text)
        .run(&["check", "a.yml", "-v"]);
    assert!(
        ran.stdout.contains("closest") && !ran.stdout.contains("secret"),
        "{}",
        ran.stdout
    );
}
