//! `sundown explain` finds a rule by what a person knows of it, and shows an example and each location once.

use insta::assert_snapshot;

use crate::support::Desk;

fn explained(topic: &str) -> String {
    let ran = Desk::new().run(&["explain", topic, "--as-of", "2026-11-20"]);
    assert_eq!(ran.code, 0, "{topic}: {}", ran.stderr);
    ran.stdout
}

#[test]
fn a_rule_is_found_by_its_operation_its_path_and_its_name() {
    let page = explained("createannouncement-is-negated");
    assert_eq!(explained("isNegated"), page);
    let whole = explained("getusercount-endpoint");
    for topic in [
        "POST /api/index/v1/getusercount",
        "/api/index/v1/getusercount",
        "getusercount",
    ] {
        assert_eq!(explained(topic), whole, "{topic}");
    }
    let several = explained("createannouncement");
    assert_snapshot!(several);
    let by_operation = explained("POST /rest/api/v1/createannouncement");
    assert_eq!(
        by_operation.lines().skip(1).collect::<Vec<_>>(),
        several.lines().skip(1).collect::<Vec<_>>()
    );
    // A called path belongs to its template.
    let policy = explained("GET /rest/api/v1/governance/data/policies/7");
    assert!(policy.contains("  policy-enabled "), "{policy}");
    let fields = explained("trackingToken");
    assert!(
        fields.contains("getanswer-tracking-token")
            && fields.contains("getcollection-tracking-token"),
        "{fields}"
    );
}

#[test]
fn all_operations_are_listed_on_request() {
    let ran = Desk::new().run(&["explain", "isNegated", "--all"]);
    assert_eq!(
        ran.stdout.matches("POST /rest/api/v1/verify").count(),
        1,
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains(" more\n"), "{}", ran.stdout);
}

#[test]
fn an_unknown_topic_names_the_nearest_id_operation_or_element() {
    let desk = Desk::new();
    for (topic, nearest) in [
        ("getanswer-token", "getanswer-tracking-token"),
        ("isNegatd", "isNegated"),
        ("getusercont", "getusercount"),
        ("getusercount-endpiont", "getusercount-endpoint"),
    ] {
        let ran = desk.run(&["explain", topic]);
        assert_eq!(ran.code, 2);
        assert!(
            ran.stderr.contains(&format!("the nearest is `{nearest}`")),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn rules_that_a_description_locates_are_found_by_their_operation() {
    let description = r##"{"openapi":"3.0.3","info":{"title":"T","version":"1"},"paths":{"/orders/{id}":{"get":{"responses":{"200":{"description":"x","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Order"}}}}}}}},"components":{"schemas":{
        "Order":{"type":"object","properties":{"total":{"deprecated":true,"x-sunset":"2027-01-15"}}}}}}"##;
    let desk = Desk::new().with("api.json", description);
    let page = |topic: &str| {
        desk.run(&[
            "explain",
            topic,
            "--no-builtin-rules",
            "--rules",
            "api.json",
        ])
        .stdout
    };
    assert!(
        page("total").contains("the field `total`"),
        "{}",
        page("total")
    );
    assert_eq!(page("orders"), page("total"));
}

#[test]
fn pages_about_rules_escape_their_texts() {
    let rules = "api = 'T'\n[[rule]]\nid = 'a'\noperation = 'GET /v1/x'\nfield = \"a\\u001b[31m\"\nreplacement = \"b\\u001b[31m\"\n\
        [[rule]]\nid = 'b'\noperation = 'GET /v1/x'\nparameter = \"c\\u001b[31m\"\n";
    let desk = Desk::new().with("rules.toml", rules);
    for topic in ["a", "b", "/v1/x"] {
        let ran = desk.run(&[
            "explain",
            topic,
            "--no-builtin-rules",
            "--rules",
            "rules.toml",
        ]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(!ran.stdout.contains('\u{1b}'), "{}", ran.stdout);
    }
}
