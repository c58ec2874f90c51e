//! Stubs and contracts: the configured responses of test servers, and the agreements of clients and services.

use proptest::prelude::*;
use sundown_report::Report;

use super::support::{builtin, check_bytes};

fn uses(report: &Report) -> Vec<String> {
    let one = |placed: &sundown_report::LocatedFinding| {
        let found = &placed.finding.found;
        let pointer = found.pointer.as_ref().map_or("-", |pointer| &pointer.exact);
        format!("{} {pointer}", found.part.name())
    };
    report.findings.iter().map(one).collect()
}

/// A stub with this request and this answer.
fn mapping(request: &str, response: &str) -> String {
    format!(
        r#"{{"request": {{"method": "POST", "urlPath": "/rest/api/v1/chat", {request}}}, "response": {{"status": 200, {response}}}}}"#
    )
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
fn a_truncated_list_gives_its_complete_items_and_is_reported_once() {
    let set = builtin();
    for (name, text, one) in lists() {
        let format = sundown_captures::Format::from_name(name);
        let first = text.find(&one).unwrap() + one.len();
        let last = text.rfind(&one).unwrap() + one.len();
        for cut in 1..text.len() {
            let report = check_bytes(&text.as_bytes()[..cut], format, &set);
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
