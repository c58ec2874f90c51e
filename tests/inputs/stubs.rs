//! Stubs and contracts: the configured responses of test servers, and the agreements of clients and services.

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

/// The locations of all findings: side, pointer, and the text there.
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
    report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(place)
        .collect()
}

#[test]
fn wiremock_mappings_are_read_alone_and_in_lists() {
    let found = |key: &str| {
        let pointer = "/messages/0/citations".to_owned();
        let request = (
            "request".to_owned(),
            pointer.clone(),
            format!("\\\"{key}\\\""),
        );
        [
            request,
            ("response".to_owned(), pointer, format!("\"{key}\"")),
        ]
    };
    let desk = Desk::new().with("one.json", MAPPING).with(
        "all.json",
        format!("{{\"mappings\": [{MAPPING}, {{\"request\": {{}}}}], \"meta\": {{\"total\": 2}}}}"),
    );
    assert_eq!(places(&desk, "one.json"), found("citations"));
    assert_eq!(places(&desk, "all.json"), found("citations"));
    let ran = desk.run(&["check", "all.json"]);
    assert!(
        ran.stdout.contains("a record without a method and URL"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_truncated_mapping_gives_its_complete_parts_and_is_reported() {
    for cut in 1..MAPPING.len() {
        let desk = Desk::new().with("cut.json", &MAPPING.as_bytes()[..cut]);
        let ran = desk.run(&["check", "cut.json", "--input-format", "wiremock"]);
        let is_read = !ran.stdout.contains("Nothing was checked");
        assert!(ran.code < 2 || !is_read, "{cut}: {}", ran.stderr);
        assert!(
            ran.stdout.contains("truncated") || ran.stdout.contains("ends before"),
            "{cut}: {}",
            ran.stdout
        );
    }
}

/// The lines of a report that name a finding's place, in their order.
fn located(desk: &Desk, path: &str) -> Vec<String> {
    let text = desk
        .run(&["check", path, "--no-fold", "--format", "ndjson"])
        .stdout;
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let findings = lines.filter(|line| line.get("rule").is_some());
    findings
        .map(|line| {
            format!("{} {} {}", line["file"], line["line"], line["pointer"]).replace('"', "")
        })
        .collect()
}

#[test]
fn bodies_in_files_that_captures_name_are_checked_at_their_names() {
    let body = r#"{"citations": []}"#;
    let stub = mapping_of("b.json");
    let har = r#"{"log": {"version": "1.2", "entries": [{"request": {"method": "POST", "url": "https://h/rest/api/v1/chat", "postData": {"mimeType": "application/json", "_file": "b.json"}},
"response": {"status": 200, "content": {"size": -1, "_file": "b.json"}}}]}}"#;
    let url = "https://h/rest/api/v1/chat";
    let desk = Desk::new()
        .with("stubs/mappings/deep/a.json", stub)
        .with("stubs/__files/b.json", body)
        .with("har/a.har", har)
        .with("har/b.json", body)
        .with("requests/b.json", body)
        .with("requests/deep/a.http", format!("POST {url}\nContent-Type: application/json\n\n< ../b.json\n"))
        .with("requests/a.sh", format!("curl {url} -H 'Content-Type: application/json' -d @b.json\n"))
        .with("requests/a.hurl", format!("POST {url}\nfile,b.json;\nHTTP 200\n"))
        .with(
            "requests/a.bru",
            format!("meta {{\n  name: a\n}}\n\npost {{\n  url: {url}\n  body: file\n}}\n\nbody:file {{\n  file: @file(b.json) @contentType(application/json)\n}}\n"),
        );
    assert_eq!(
        located(&desk, "."),
        [
            "har/a.har 1 /citations",
            "har/a.har 2 /citations",
            "requests/a.bru 11 /citations",
            "requests/a.hurl 2 /citations",
            "requests/a.sh 1 /citations",
            "requests/deep/a.http 4 /citations",
            "stubs/mappings/deep/a.json 3 /citations",
        ]
    );
    let text = desk.run(&["check", ".", "-v"]).stdout;
    assert!(
        text.contains("= the body is in the file that is named here"),
        "{text}"
    );
    assert!(!text.contains("unknown operation"), "{text}");
    desk.run(&["check", "stubs/mappings", "--partial", "a.partial"]);
    desk.run(&["check", "stubs/__files", "--partial", "b.partial"]);
    let whole = desk.run(&["check", "stubs/mappings", "stubs/__files"]);
    assert_eq!(
        desk.run(&["merge", "b.partial", "a.partial"]).stdout,
        whole.stdout
    );
}

/// A stub whose response has its body in this file.
fn mapping_of(file: &str) -> String {
    format!(
        "{{\"request\": {{\"method\": \"POST\", \"urlPath\": \"/rest/api/v1/chat\"}},\n\"response\": {{\"status\": 200,\n\"bodyFileName\": \"{file}\"}}}}"
    )
}

#[cfg(unix)]
#[test]
fn no_file_outside_of_the_folder_is_read_for_a_body() {
    let desk = Desk::new()
        .with("secret.json", r#"{"citations": []}"#)
        .with("s/mappings/up.json", mapping_of("../../secret.json"))
        .with("s/mappings/gone.json", mapping_of("gone.json"))
        .with("s/mappings/link.json", mapping_of("link.json"));
    let secret = desk.path("secret.json");
    let folder = desk.path("s/__files");
    std::fs::create_dir(&folder).unwrap();
    std::os::unix::fs::symlink(&secret, folder.join("link.json")).unwrap();
    let absolute = mapping_of(secret.to_str().unwrap());
    std::fs::write(desk.path("s/mappings/absolute.json"), absolute).unwrap();
    let text = desk.run(&["check", "s/mappings", "-v"]).stdout;
    let missing = text.matches("a body that the capture does not contain");
    assert_eq!(missing.count(), 4, "{text}");
    assert!(located(&desk, "s/mappings").is_empty());
}

/// A contract of this version with these interactions.
fn contract(interactions: &str, version: &str) -> String {
    format!(
        r#"{{"consumer": {{"name": "a"}}, "provider": {{"name": "b"}}, "interactions": [{interactions}], "metadata": {{"pactSpecification": {{"version": "{version}"}}}}}}"#
    )
}

#[test]
fn a_contract_says_which_consumer_expects_a_response() {
    let call = r#"{"description": "x", "request": {"method": "POST", "path": "/rest/api/v1/chat"}, "response": {"status": 200, "body": {"citations": []}}}"#;
    let last = contract(call, "2.0.0").replace(r#"{"consumer": {"name": "a"}, "#, "{");
    let last = last.strip_suffix('}').unwrap().to_owned();
    let desk = Desk::new().with("a.json", contract(call, "2.0.0")).with(
        "z.json",
        last + r#", "consumer": {"id": 7, "name": "z \"1\""}}"#,
    );
    let text = desk.run(&["check", "a.json", "z.json"]).stdout;
    assert!(text.contains("= expected by `a`\n"), "{text}");
    assert!(text.contains("= expected by `z \"1\"`\n"), "{text}");
    let text = desk
        .run(&["check", "a.json", "--group-by", "origin"])
        .stdout;
    assert!(text.starts_with("the contract of a\n"), "{text}");
    let json = desk.run(&["check", "a.json", "--format", "json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["findings"][0]["origins"][0]["consumer"], "a");
    for arguments in [&["usage", "."][..], &["usage", ".", "--by", "consumer"]] {
        let text = desk.run(arguments).stdout;
        assert!(text.contains("by a: 1 call"), "{text}");
        let mut lines = text.lines();
        assert!(
            lines.any(|line| line.contains("in use") && line.contains("2  100.0 %")),
            "{text}"
        );
        assert!(text.contains("; contracts of consumers expect 2"), "{text}");
    }
    for file in ["a", "z"] {
        let name = format!("{file}.json");
        let partial = format!("{file}.partial");
        desk.run(&["usage", &name, "--partial", &partial]);
    }
    let merged = desk.run(&["merge", "a.partial", "z.partial"]).stdout;
    assert!(merged.contains("by a: 1 call"), "{merged}");
    assert!(
        merged.contains("; contracts of consumers expect 2"),
        "{merged}"
    );
}

#[test]
fn messages_of_contracts_are_reported() {
    let event = r#"{"description": "x", "type": "Asynchronous/Messages", "contents": {"content": {"citations": []}}}"#;
    let call = r#"{"description": "x", "type": "Synchronous/Messages", "pluginConfiguration": {"protobuf": {"a": 1}}, "request": {"contents": {}}, "response": []}"#;
    let desk = Desk::new().with("a.json", contract(&format!("{event}, {call}"), "4.0"));
    let ran = desk.run(&["check", "a.json", "-v"]);
    assert!(ran.stdout.contains("2 × a queue message"), "{}", ran.stdout);
}
