//! Stubs: what test servers are told to answer.

use crate::support::Desk;

const MAPPING: &str = r#"{
  "request": {
    "method": "POST",
    "urlPath": "/rest/api/v1/chat",
    "headers": { "Content-Type": { "equalTo": "application/json" } },
    "bodyPatterns": [{ "equalToJson": "{\"messages\": [{\"citations\": []}]}" }]
  },
  "response": { "status": 200, "jsonBody": { "messages": [{ "citations": [] }] } }
}"#;

/// The places of all findings: side, pointer, and what stands there.
fn places(desk: &Desk, file: &str) -> Vec<(String, String, String)> {
    let ran = desk.run(&["check", file, "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let bytes = std::fs::read(desk.path(file)).unwrap();
    let place = |finding: &serde_json::Value| {
        let at = |key: &str| usize::try_from(finding["span"][key].as_u64().unwrap()).unwrap();
        let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        let slice = String::from_utf8_lossy(&bytes[at("start")..at("end")]).into_owned();
        (text("side"), text("pointer"), slice)
    };
    report["findings"].as_array().unwrap().iter().map(place).collect()
}

#[test]
fn wiremock_mappings_are_read_alone_and_in_lists() {
    let found = |key: &str| {
        let pointer = "/messages/0/citations".to_owned();
        let request = ("request".to_owned(), pointer.clone(), format!("\\\"{key}\\\""));
        [request, ("response".to_owned(), pointer, format!("\"{key}\""))]
    };
    let desk = Desk::new().with("one.json", MAPPING).with(
        "all.json",
        format!("{{\"mappings\": [{MAPPING}, {{\"request\": {{}}}}], \"meta\": {{\"total\": 2}}}}"),
    );
    assert_eq!(places(&desk, "one.json"), found("citations"));
    assert_eq!(places(&desk, "all.json"), found("citations"));
    let ran = desk.run(&["check", "all.json"]);
    assert!(ran.stdout.contains("a record without a method and URL"), "{}", ran.stdout);
}

#[test]
fn a_mapping_cut_anywhere_gives_what_is_whole_and_says_that_it_is_cut() {
    for cut in 1..MAPPING.len() {
        let desk = Desk::new().with("cut.json", &MAPPING.as_bytes()[..cut]);
        let ran = desk.run(&["check", "cut.json", "--input-format", "wiremock"]);
        assert!(ran.code < 2, "{cut}: {}", ran.stderr);
        assert!(
            ran.stdout.contains("truncated") || ran.stdout.contains("ends before"),
            "{cut}: {}",
            ran.stdout
        );
    }
}
