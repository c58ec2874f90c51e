//! Stubs and contracts: the configured responses of test servers, and the agreements of clients and services.

use proptest::prelude::*;
use sundown_report::Report;

use super::support::{builtin, check_bytes};

/// Side and pointer of each use in a text, and the reasons of the skips.
fn findings_and_skips(text: &str) -> (Vec<String>, Vec<&'static str>) {
    let report = check_bytes(text.as_bytes(), None, &builtin());
    let names = report.skipped.iter().map(|skipped| skipped.reason.name());
    (
        uses(&report),
        names.filter(|name| *name != "nothing-to-check").collect(),
    )
}

fn uses(report: &Report) -> Vec<String> {
    let one = |placed: &sundown_report::LocatedFinding| {
        let found = &placed.finding.found;
        let pointer = found.pointer.as_ref().map_or("-", |pointer| &pointer.exact);
        format!("{} {pointer}", found.part.name())
    };
    report.findings.iter().map(one).collect()
}

const SENT: &str = "request /citations";

const ANSWERED: &str = "response /citations";

/// A stub with this request and this answer.
fn mapping(request: &str, response: &str) -> String {
    format!(
        r#"{{"request": {{"method": "POST", "urlPath": "/rest/api/v1/chat", {request}}}, "response": {{"status": 200, {response}}}}}"#
    )
}

#[test]
fn bodies_of_stubs_are_found_wherever_wiremock_keeps_them() {
    let none = r#""priority": 1"#;
    for (request, response, found, skipped) in [
        (
            r#""bodyPatterns": [{"equalToJson": {"citations": []}}]"#,
            none,
            vec![SENT],
            vec![],
        ),
        (
            r#""bodyPatterns": [{"contains": "x"}, {"equalTo": "{\"citations\": []}"}]"#,
            none,
            vec![SENT],
            vec!["unread-piece"],
        ),
        (
            r#""bodyPatterns": [{"or": [{"contains": "x"}, {"equalToJson": "{\"citations\": 1}"}]}]"#,
            none,
            vec![SENT],
            vec!["unread-piece"],
        ),
        (
            r#""bodyPatterns": [{"binaryEqualTo": "eyJjaXRhdGlvbnMiOltdfQ=="}]"#,
            none,
            vec![SENT],
            vec![],
        ),
        (
            r#""bodyPatterns": [{"matchesJsonPath": "$.citations"}]"#,
            r#""body": "{\"citations\": []}""#,
            vec![ANSWERED],
            vec!["body-missing"],
        ),
        (
            r#""formParameters": {"citations": {"equalTo": "a"}, "id": {"absent": true}}"#,
            none,
            vec![SENT],
            vec![],
        ),
        (
            r#""formParameters": {"citations": {"matches": ".*"}}"#,
            none,
            vec![SENT],
            vec!["body-missing"],
        ),
        (
            r#""formParameters": {"citations": {"absent": true}, "messages": {"equalTo": "{\"x\": 1}"}}"#,
            none,
            vec![],
            vec![],
        ),
        (
            r#""multipartPatterns": [{"name": "citations", "bodyPatterns": [{"equalTo": "a"}]}]"#,
            none,
            vec![SENT],
            vec![],
        ),
        (
            r#""multipartPatterns": [{"bodyPatterns": [{"contains": "a"}]}]"#,
            none,
            vec![],
            vec!["body-missing"],
        ),
        (
            none,
            r#""jsonBody": {"citations": []}"#,
            vec![ANSWERED],
            vec![],
        ),
        (
            none,
            r#""base64Body": "eyJjaXRhdGlvbnMiOltdfQ==""#,
            vec![ANSWERED],
            vec![],
        ),
        (
            none,
            r#""body": "{\"id\": {{randomValue}}, \"citations\": []}""#,
            vec![ANSWERED],
            vec![],
        ),
        (
            none,
            r#""bodyFileName": "answer.json""#,
            vec![],
            vec!["body-missing"],
        ),
    ] {
        let list = format!(
            r#"{{"mappings": [{}], "meta": {{"total": 1}}}}"#,
            mapping(request, response)
        );
        let expected: Vec<String> = found.into_iter().map(str::to_owned).collect();
        assert_eq!(findings_and_skips(&list), (expected, skipped), "{list}");
    }
}

#[test]
fn urls_of_stubs_may_be_patterns_and_templates() {
    for (url, count) in [
        (
            r#""urlPathTemplate": "/rest/api/v1/governance/data/policies/{id}""#,
            1,
        ),
        (
            r#""urlPathPattern": "/rest/api/v1/governance/data/policies/[^/]+""#,
            1,
        ),
        (
            r#""urlPattern": "^/rest/api/v1/governance/data/policies/[a-z0-9]+\\?.*""#,
            1,
        ),
        (
            r#""urlPathPattern": "/rest/api/v1/governance/data/[a-z]+/7""#,
            0,
        ),
    ] {
        let body = r#""bodyPatterns": [{"equalToJson": {"config": {"inputOptions": {"urlGreenlist": []}}}}]"#;
        let text =
            format!(r#"{{"request": {{"method": "POST", {url}, {body}}}, "response": {{}}}}"#);
        assert_eq!(findings_and_skips(&text).0.len(), count, "{text}");
    }
}

/// A contract of this version with these interactions.
fn contract(interactions: &str, version: &str) -> String {
    format!(
        r#"{{"consumer": {{"name": "a"}}, "provider": {{"name": "b"}}, "interactions": [{interactions}], "metadata": {{"pactSpecification": {{"version": "{version}"}}}}}}"#
    )
}

/// An interaction with this request and this answer.
fn interaction(more: &str, request: &str, response: &str) -> String {
    format!(
        r#"{{"description": "x", {more} "request": {{"method": "post", "path": "/rest/api/v1/chat", {request}}}, "response": {{"status": 200, {response}}}}}"#
    )
}

#[test]
fn bodies_of_contracts_are_read_in_every_version() {
    let http = r#""type": "Synchronous/HTTP","#;
    let none = r#""headers": {}"#;
    for (version, more, request, response, found) in [
        (
            "1.0.0",
            "",
            r#""body": {"citations": []}"#,
            none,
            vec![SENT],
        ),
        (
            "2.0.0",
            "",
            r#""query": "a=1&b=2", "body": {"content": 1, "citations": []}"#,
            none,
            vec![SENT],
        ),
        (
            "3.0.0",
            "",
            r#""query": {"a": ["1", "2"]}"#,
            r#""body": {"citations": []}, "matchingRules": {"body": {}}"#,
            vec![ANSWERED],
        ),
        (
            "3.0.0",
            "",
            none,
            r#""body": "{\"citations\": []}""#,
            vec![ANSWERED],
        ),
        (
            "4.0",
            http,
            none,
            r#""body": {"content": {"citations": []}, "contentType": "application/json", "encoded": false}"#,
            vec![ANSWERED],
        ),
        (
            "4.0",
            http,
            none,
            r#""body": {"content": "{\"citations\": []}", "contentType": "application/json", "encoded": "JSON"}"#,
            vec![ANSWERED],
        ),
        (
            "4.0",
            http,
            r#""body": {"content": "eyJjaXRhdGlvbnMiOltdfQ==", "contentType": "application/json", "encoded": "base64"}"#,
            none,
            vec![SENT],
        ),
        ("4.0", http, none, r#""body": {"content": ""}"#, vec![]),
    ] {
        let text = contract(&interaction(more, request, response), version);
        assert_eq!(findings_and_skips(&text).0, found, "{text}");
    }
}

/// A simulation with one pair.
fn simulation(request: &str, response: &str, version: &str) -> String {
    format!(
        r#"{{"data": {{"pairs": [{{"request": {{{request}}}, "response": {{"status": 200, {response}}}}}]}}, "meta": {{"schemaVersion": "{version}"}}}}"#
    )
}

#[test]
fn simulations_are_read_in_every_version() {
    let none = r#""templated": false"#;
    let five =
        |more: &str| format!(r#""method": [{{"matcher": "exact", "value": "POST"}}], {more}"#);
    let path = r#""path": [{"matcher": "exact", "value": "/rest/api/v1/chat"}]"#;
    for (request, response, found) in [
        (r#""path": "/rest/api/v1/chat", "method": "POST", "body": "{\"citations\": []}", "query": """#.to_owned(), none, vec![SENT]),
        (r#""path": {"globMatch": "/rest/api/v1/chat*"}, "method": {"exactMatch": "POST"}, "body": {"jsonMatch": "{\"citations\": []}", "xpathMatch": null}"#.to_owned(), none, vec![SENT]),
        (five(r#""path": [{"matcher": "regex", "value": "^/rest/api/v1/chat$"}], "body": [{"matcher": "jsonpath", "value": "$.a"}, {"matcher": "jsonPartial", "value": "{\"citations\": []}"}]"#), none, vec![SENT]),
        (five(&format!(r#"{path}, "body": [{{"matcher": "json", "value": {{"citations": []}}}}]"#)), none, vec![SENT]),
        (five(path), r#""body": "{\"citations\": []}""#, vec![ANSWERED]),
        (five(path), r#""body": "eyJjaXRhdGlvbnMiOltdfQ==", "encodedBody": true"#, vec![ANSWERED]),
        (five(path), r#""body": "{\"a\": {{now}}, \"citations\": []}", "templated": true"#, vec![ANSWERED]),
        (five(r#""path": [{"matcher": "jsonpath", "value": "/rest/api/v1/chat"}]"#), r#""body": "{\"citations\": []}""#, vec![]),
    ] {
        let text = simulation(&request, response, "v5");
        assert_eq!(findings_and_skips(&text).0, found, "{text}");
    }
    let elsewhere = simulation(&five(path), r#""body": "", "bodyFile": "a.json""#, "v5.2");
    assert_eq!(
        findings_and_skips(&elsewhere),
        (vec![], vec!["body-missing"])
    );
}

/// Each list of items that is kept in JSON: a name, and one of three equal items in it.
fn lists() -> Vec<(&'static str, String, String)> {
    let body = r#""body": {"citations": []}"#;
    let pact = interaction("", body, body);
    let stub = mapping(
        r#""bodyPatterns": [{"equalToJson": {"citations": []}}]"#,
        r#""jsonBody": {"citations": []}"#,
    );
    let body = r#""body": {"string": "{\"citations\": []}"}"#;
    let taped = format!(
        r#"{{"request": {{"method": "POST", "uri": "http://h/rest/api/v1/chat", {body}}}, "response": {{{body}}}}}"#
    );
    let pair = r#"{"request": {"method": "POST", "path": "/rest/api/v1/chat", "body": "{\"citations\": []}"}, "response": {"body": "{\"citations\": []}"}}"#;
    let three = |one: &str| [one, one, one].join(", ");
    vec![
        ("pact", contract(&three(&pact), "2.0.0"), pact),
        (
            "wiremock",
            format!(r#"{{"mappings": [{}]}}"#, three(&stub)),
            stub,
        ),
        (
            "vcrpy",
            format!(r#"{{"interactions": [{}], "version": 1}}"#, three(&taped)),
            taped,
        ),
        (
            "hoverfly",
            format!(
                r#"{{"data": {{"pairs": [{}]}}, "meta": {{}}}}"#,
                three(pair)
            ),
            pair.to_owned(),
        ),
    ]
}

#[test]
fn a_list_that_is_cut_below_the_deepest_level_is_read_to_that_level() {
    let stub = r#"{"request":{"method":"POST","url":"/rest/api/v1/chat"},"response":{"status":200,"jsonBody":"#;
    let text = format!("{{\"mappings\":[{stub}{}", "[".repeat(2000));
    let (_, skips) = findings_and_skips(&text);
    assert_eq!(skips, ["truncated", "too-deep"]);
}

#[test]
fn a_truncated_list_gives_its_complete_items_and_is_reported_once() {
    let table = builtin();
    for (name, text, one) in lists() {
        let format = sundown_captures::Format::from_name(name);
        let first = text.find(&one).unwrap() + one.len();
        let last = text.rfind(&one).unwrap() + one.len();
        for cut in 1..text.len() {
            let report = check_bytes(&text.as_bytes()[..cut], format, &table);
            let wanted = 2 * (usize::from(cut >= first) + usize::from(cut >= last));
            let found = uses(&report).len();
            assert!((wanted..=6).contains(&found), "{name} {cut}: {found}");
            let failed = report
                .skipped
                .iter()
                .filter(|it| it.reason.kind().name() == "failed");
            let reported: Vec<_> = failed.map(|it| it.reason.name()).collect();
            assert_eq!(reported, ["truncated"], "{name}: {}", &text[..cut]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_broken_item_does_not_hide_the_others(
        kind in 0usize..4,
        at in any::<prop::sample::Index>(),
        byte in prop::sample::select(&b"\"\\:{}[],x\xff\0"[..]),
    ) {
        let (name, text, one) = lists().swap_remove(kind);
        let second = text.find(&one).unwrap() + one.len() + 2;
        let mut bytes = text.clone().into_bytes();
        // Not its own brackets, which make it one.
        bytes[second + 1 + at.index(one.len() - 2)] = byte;
        let report = check_bytes(&bytes, sundown_captures::Format::from_name(name), &builtin());
        let shown = String::from_utf8_lossy(&bytes);
        let found_in = |from: usize, to: usize| {
            report.findings.iter().filter(|it| (from..to).contains(&it.finding.found.span.start)).count()
        };
        prop_assert_eq!(found_in(0, second), 2, "{}", shown);
        prop_assert_eq!(found_in(second + one.len(), text.len()), 2, "{}", shown);
    }
}

#[test]
fn stubs_are_recognised_by_any_of_their_keys_and_bodies_by_their_content() {
    let body = r#""{\"id\":{{id}},\"messages\":[{\"citations\":[]}]}""#;
    let call = r#""method":"POST","url":"/rest/api/v1/chat""#;
    let plain = r#""{\"messages\":[{\"citations\":[]}]}""#;
    let texts = [
        // A template, and keys next to a body that no log record has.
        format!(
            r#"{{"request":{{{call}}},"response":{{"status":200,"body":{body},"transformers":["response-template"]}}}}"#
        ),
        format!(r#"{{"request":{{{call}}},"response":{{"body":{plain},"tags":[1]}}}}"#),
        format!(r#"{{{call},"response":{{"body":{plain},"code":200}}}}"#),
        format!(r#"{{{call},"request":{{"body":{plain},"contentType":"application/json"}}}}"#),
        format!(r#"{{{call},"response":{{"body":{{"messages":[{{"citations":[]}}]}},"odd":1}}}}"#),
        format!(
            r#"{{"request":{{{call},"formParameters":{{"messages[0][citations]":{{"equalTo":"1"}}}}}},"response":{{"status":200}}}}"#
        ),
        // No answer, but what is compared.
        format!(
            r#"{{"request":{{{call},"bodyPatterns":[{{"equalToJson":{{"messages":[{{"citations":[]}}]}}}}]}}}}"#
        ),
    ];
    for text in texts {
        let (uses, reported) = findings_and_skips(&text);
        assert_eq!(uses.len(), 1, "{text}: {uses:?}");
        assert!(reported.is_empty(), "{text}: {reported:?}");
    }
    for method in ["ANY", "any"] {
        let text = format!(
            r#"{{"request":{{"method":"{method}","url":"/rest/api/v1/listanswers"}},"response":{{"status":200}}}}"#
        );
        assert_eq!(findings_and_skips(&text).0.len(), 1, "{text}");
    }
}

#[test]
fn further_bodies_of_a_pattern_are_reported_and_duplicate_lists_are_read_twice() {
    let request =
        r#""bodyPatterns": [{"or": [{"equalToJson": {}}, {"equalToJson": {"citations": []}}]}]"#;
    let (uses, reasons) = findings_and_skips(&mapping(request, r#""priority": 1"#));
    assert_eq!((uses.len(), reasons), (0, vec!["unread-piece"]));
    let removed = r#"{"request":{"method":"POST","url":"/rest/api/v1/listanswers"},"response":{"status":200}}"#;
    for text in [
        format!(r#"{{"mappings":[],"mappings":[{removed}]}}"#),
        format!(r#"{{"mappings":[{removed}],"mappings":[]}}"#),
    ] {
        assert_eq!(findings_and_skips(&text).0.len(), 1, "{text}");
    }
}

#[test]
fn messages_of_contracts_in_version_3_are_reported() {
    let old = r#"{"consumer": {}, "provider": {}, "messages": [{"description": "x", "contents": {"citations": []}}]}"#;
    assert_eq!(findings_and_skips(old), (vec![], vec!["message"]));
}
