//! Raw messages and binary captures in folders, among files that only look like them.

use serde_json::Value;

use crate::support::{Desk, repository};

const ASK: &str = "POST /rest/api/v1/chat HTTP/1.1\r\nHost: shop.example\r\nContent-Type: application/json\r\nContent-Length: 33\r\n\r\n{\"messages\": [{\"citations\": []}]}";

fn recorded(name: &str) -> Vec<u8> {
    std::fs::read(repository("testdata/captures").join(name)).unwrap()
}

#[test]
fn pages_that_begin_with_a_start_line_are_not_failures_in_folders() {
    let desk = Desk::new()
        .with("d/a.md", "GET /users HTTP/1.1\n\nasks for all users.\n")
        .with("d/b.md", "HTTP/1.1 200 OK\nis what you get.\n")
        .with("d/c.http", ASK);
    let ran = desk.run(&["check", "d", "--format", "json"]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let skipped = report["skipped"].as_array().unwrap();
    assert!(
        skipped.iter().all(|skip| skip["reason"] == "not-a-format"),
        "{skipped:?}"
    );
    assert_eq!(report["findings"].as_array().unwrap().len(), 1);
}

#[test]
fn captures_are_found_in_folders_and_other_binaries_skipped() {
    let desk = Desk::new()
        .with("d/a.pcap", recorded("wire/loopback.pcap"))
        .with("d/b.bin", recorded("mitmproxy.flows"))
        .with("d/c.bin", [1u8, 0, 2, 0]);
    let ran = desk.run(&["check", "d", "--format", "json"]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let files: Vec<_> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["file"].as_str().unwrap())
        .collect();
    assert!(
        files.contains(&"d/a.pcap") && files.contains(&"d/b.bin"),
        "{files:?}"
    );
    let mut skipped = report["skipped"].as_array().unwrap().iter();
    let other = skipped.find(|skip| skip["file"] == "d/c.bin").unwrap();
    assert_eq!(other["reason"], "not-a-format");
}
