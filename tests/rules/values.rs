//! Rules about one value of a query parameter, a header field or a field: uses, look-alikes, and all spellings.

use std::fmt::Write as _;

use insta::assert_snapshot;

use crate::support::Desk;

/// Rules as a service with dated versions has them.
const VERSIONS: &str = r#"api = "Shop"
[[rule]]
id = "version-2023"
operation = "GET /orders"
parameter = "api-version"
value = "2023-01-01"
replacement = "2025-01-01"
removal = 2026-12-01
[[rule]]
id = "version-header"
operation = "GET /orders"
header = "Shop-Version"
value = "2023 preview"
replacement = "2025-01-01"
removal = 2026-10-01
"#;

#[test]
fn parameters_in_all_kinds_of_files_have_values() {
    let desk = Desk::new()
        .with("shop.toml", VERSIONS)
        .with("a.har", r#"{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[{"request":{"method":"GET","url":"https://h.test/orders","queryString":[{"name":"api-version","value":"2023-01-01"}]},"response":{"status":200}}]}}"#)
        .with("b.ndjson", r#"{"request":{"method":"GET","uri":"/orders","querystring":{"api-version":["2024-01-01","2023-01-01"]}}}"#)
        .with("c.log", r#"10.0.0.1 - - [01/Nov/2026:10:00:00 +0000] "GET /orders?api-version=2023-01-01 HTTP/1.1" 200 5"#)
        .with("d.sh", "curl -G https://h.test/orders -d api-version=2023-01-01\ncurl --url-query api-version=2023-01-01 https://h.test/orders\n")
        .with("e.hurl", "GET https://h.test/orders\n[Query]\napi-version: 2023-01-01\n")
        .with("f/mappings/g.json", r#"{"request":{"method":"GET","urlPath":"/orders","queryParameters":{"api-version":{"equalTo":"2023-01-01"}}},"response":{"status":200}}"#)
        .with("h.json", r#"{"consumer":{"name":"a"},"provider":{"name":"b"},"interactions":[{"description":"c","request":{"method":"GET","path":"/orders","query":{"api-version":["2023-01-01"]}},"response":{"status":200}}],"metadata":{"pactSpecification":{"version":"3.0.0"}}}"#)
        .with("i.json", r#"{"info":{"name":"x","schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},"item":[{"name":"a","request":{"method":"GET","url":{"host":["h","test"],"path":["orders"],"query":[{"key":"api-version","value":"2023-01-01"}]}}}]}"#);
    let files = [
        "a.har",
        "b.ndjson",
        "c.log",
        "d.sh",
        "e.hurl",
        "f/mappings/g.json",
        "h.json",
        "i.json",
    ];
    let mut counts = String::new();
    for file in files {
        let ran = desk.run(&["check", "--rules", "shop.toml", "--format", "json", file]);
        let report: serde_json::Value = serde_json::from_str(&ran.stdout)
            .unwrap_or_else(|error| panic!("{file}: {error}: {}", ran.stderr));
        let seen: u64 = (report["findings"].as_array().unwrap().iter())
            .map(|finding| finding["seen"].as_u64().unwrap_or(1))
            .sum();
        writeln!(counts, "{file}: {seen}").unwrap();
    }
    assert_snapshot!(counts);
}

#[test]
fn findings_examples_and_lists_name_the_value_of_the_rule() {
    let desk = Desk::new()
        .with("shop.toml", VERSIONS)
        .with("log.ndjson", r#"{"method":"GET","url":"/orders?api-version=2023-01-01&token=Canary1","request":{"headers":{"shop-version":" 2023 preview ","x":"Canary2"}}}"#);
    let check = desk.run(&["check", "--rules", "shop.toml", "log.ndjson"]);
    // The rest of a page depends on the day.
    let is_example = |line: &&str| {
        ["  Before", "  After"]
            .iter()
            .any(|name| line.starts_with(name))
    };
    let explain = ["version-2023", "version-header"].map(|id| {
        let page = desk.run(&["explain", "--rules", "shop.toml", id]).stdout;
        page.lines()
            .filter(is_example)
            .collect::<Vec<_>>()
            .join("\n")
    });
    let show = desk.run(&[
        "rules",
        "export",
        "--format",
        "csv",
        "--rules",
        "shop.toml",
        "--no-builtin-rules",
    ]);
    let all = [
        check.stdout,
        check.stderr,
        explain.join("\n"),
        show.stdout,
        show.stderr,
    ];
    assert!(!all.concat().contains("Canary"));
    assert_snapshot!(all.join("\n---\n"));
}

#[test]
fn marked_values_of_parameters_in_a_description_are_rules() {
    let description = r#"{"openapi":"3.1.0","info":{"title":"Shop","version":"1"},"servers":[{"url":"https://h.test"}],"paths":{"/orders":{"get":{"parameters":[
{"name":"api-version","in":"query","schema":{"type":"string","enum":["2023-01-01","2025-01-01"],"x-enumDeprecated":[true,false]}},
{"name":"V","in":"header","schema":{"enum":["old","new"],"x-enumDeprecated":[true,false]}}],"responses":{"200":{"description":"x"}}}}}}"#;
    let desk = Desk::new().with("shop.json", description).with(
        "log.ndjson",
        r#"{"method":"GET","url":"https://h.test/orders?api-version=2023-01-01","request":{"headers":{"v":"old"}}}
{"method":"GET","url":"https://h.test/orders?api-version=2025-01-01","request":{"headers":{"v":"new"}}}"#,
    );
    let check = |file: &str| desk.run(&["check", "--rules", "shop.json", file]).stdout;
    assert_snapshot!([check("log.ndjson"), check("shop.json")].join("\n---\n"));
}
