//! Stubs that are cut off, and stubs that name files elsewhere.

use crate::support::Desk;

const MAPPING: &str = r#"{"request": {"method": "POST", "urlPath": "/rest/api/v1/chat",
"headers": {"Content-Type": {"equalTo": "application/json"}},
"bodyPatterns": [{"equalToJson": "{\"messages\": [{\"citations\": []}]}"}]},
"response": {"status": 200, "jsonBody": {"messages": [{"citations": []}]}}}"#;

#[test]
fn a_truncated_mapping_gives_its_complete_parts_and_is_reported() {
    for cut in 1..MAPPING.len() {
        let desk = Desk::new().with("cut.json", &MAPPING.as_bytes()[..cut]);
        let ran = desk.run(&["check", "cut.json", "--input-format", "wiremock"]);
        let has = |text| ran.stdout.contains(text);
        assert!(
            ran.code < 2 || has("Nothing was checked"),
            "{cut}: {}",
            ran.stderr
        );
        assert!(
            has("truncated") || has("ends before"),
            "{cut}: {}",
            ran.stdout
        );
    }
}

#[cfg(unix)]
#[test]
fn no_file_outside_of_the_folder_is_read_for_a_body() {
    let desk = Desk::new().with("secret.json", r#"{"citations": []}"#);
    let secret = desk.path("secret.json");
    let outside = secret.to_str().unwrap();
    let desk = ["../../secret.json", "gone.json", "link.json", outside]
        .iter()
        .enumerate()
        .fold(desk, |desk, (number, file)| {
            let request = r#"{"method": "POST", "urlPath": "/rest/api/v1/chat"}"#;
            let mapping =
                format!(r#"{{"request": {request}, "response": {{"bodyFileName": "{file}"}}}}"#);
            desk.with(&format!("s/mappings/{number}.json"), mapping)
        })
        .with("s/__files/other.json", "{}");
    std::os::unix::fs::symlink(&secret, desk.path("s/__files/link.json")).unwrap();
    let report = desk.run(&["check", "s/mappings", "-v"]).stdout;
    let missing = report.matches("a body that the capture does not contain");
    assert_eq!(missing.count(), 4, "{report}");
    assert!(report.contains("0 errors, 0 warnings, 0 notes"), "{report}");
}
