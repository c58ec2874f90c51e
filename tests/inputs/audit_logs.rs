//! Audit logs of Kubernetes: each call counts once, in every wrapper of cloud services and collectors, with its caller, and with
//! the deprecation that the API server announces.

use serde_json::{Value, json};

use crate::support::Desk;

const URI: &str = "/apis/batch/v1beta1/namespaces/shop/cronjobs?limit=500";
const RULE: &str = "kubernetes-batch-v1beta1-cronjob";
const PACK: [&str; 3] = ["--pack", "kubernetes", "--no-builtin-rules"];

/// An event of a call of a removed API version.
fn event(stage: &str) -> Value {
    json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata",
        "auditID": "5f4ab1c2-0000-4000-8000-000000000001", "stage": stage,
        "requestURI": URI, "verb": "list",
        "user": {"username": "ann", "groups": ["system:authenticated"]},
        "sourceIPs": ["192.0.2.7"], "userAgent": "kubectl/v1.24.0 (linux/amd64) kubernetes/4ce5a89",
        "objectRef": {"resource": "cronjobs", "namespace": "shop", "apiGroup": "batch", "apiVersion": "v1beta1"},
        "responseStatus": {"metadata": {}, "code": 200},
        "requestReceivedTimestamp": "2022-03-01T10:00:00.000000Z",
        "stageTimestamp": "2022-03-01T10:00:00.100000Z",
        "annotations": {
            "authorization.k8s.io/decision": "allow",
            "k8s.io/deprecated": "true", "k8s.io/removed-release": "1.25",
        },
    })
}

/// An event with other values in the place of some members; null removes one.
fn event_with(members: &Value) -> Value {
    let mut event = event("ResponseComplete");
    for (name, value) in members.as_object().unwrap() {
        event[name] = value.clone();
    }
    event
        .as_object_mut()
        .unwrap()
        .retain(|_, value| !value.is_null());
    event
}

/// The report of a file.
fn report(name: &str, text: &str, arguments: &[&str]) -> Value {
    let desk = Desk::new().with(name, text);
    let fixed = ["check", name, "--format", "json", "--as-of", "2022-03-02"];
    let ran = desk.run(&[&fixed, arguments].concat());
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr))
}

/// The findings of one rule.
fn findings(report: &Value, rule: &str) -> Vec<Value> {
    let all = report["findings"].as_array().unwrap().iter();
    all.filter(|finding| finding["rule"] == rule)
        .cloned()
        .collect()
}

/// Every form in which an event reaches a file.
fn wrapped() -> Vec<(&'static str, String)> {
    let event = event("ResponseComplete");
    let text = event.to_string();
    let list = json!({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "metadata": {}, "items": [event]});
    let line = |value: &Value| format!("{value}\n{{\"note\":\"next\"}}\n");
    let cloud = json!({"id": "1", "timestamp": 1_646_128_800_000_u64, "message": text});
    vec![
        ("audit.log", line(&event)),
        ("one.json", serde_json::to_string_pretty(&event).unwrap()),
        ("list.json", serde_json::to_string_pretty(&list).unwrap()),
        ("lists.ndjson", line(&list)),
        (
            "docker.log",
            line(&json!({"log": format!("{text}\n"), "stream": "stdout"})),
        ),
        (
            "collector.ndjson",
            line(&json!({"message": text, "@timestamp": "2022-03-01T10:00:00Z"})),
        ),
        (
            "insights.json",
            json!([{"@timestamp": "2022-03-01 10:00:00.100", "@message": text}]).to_string(),
        ),
        (
            "azure.ndjson",
            line(&json!({"category": "kube-audit", "properties": {"log": text, "pod": "x"}})),
        ),
        (
            "subscription.ndjson",
            line(&json!({"messageType": "DATA_MESSAGE", "logEvents": [cloud]})),
        ),
        (
            "events.json",
            serde_json::to_string_pretty(&json!({"events": [cloud], "nextToken": "x"})).unwrap(),
        ),
    ]
}

#[test]
fn a_call_is_found_at_its_uri_in_every_wrapper() {
    for (name, text) in wrapped() {
        let report = report(name, &text, &PACK);
        let found = findings(&report, RULE);
        assert_eq!(found.len(), 1, "{name}: {report}");
        let at = |key: &str| usize::try_from(found[0]["span"][key].as_u64().unwrap()).unwrap();
        let shown = text[at("start")..at("end")].trim_matches(['\\', '"']);
        assert_eq!(shown, URI, "{name}");
        assert_eq!(found[0]["removal"], "2023-07-28", "{name}");
        assert_eq!(
            found[0]["first_seen"], "2022-03-01T10:00:00Z",
            "{name}: {}",
            found[0]
        );
        // The annotation announces what the rule knows.
        assert_eq!(
            findings(&report, "announced-in-traffic").len(),
            0,
            "{name}: {report}"
        );
    }
}

#[test]
fn the_caller_of_a_call_is_found_in_every_wrapper() {
    for (name, text) in wrapped() {
        let desk = Desk::new().with(name, text);
        let by = [
            "--by",
            "user-agent",
            "--by",
            "member:user.username",
            "--show-callers",
        ];
        let fixed = ["usage", name, "--as-of", "2022-03-02"];
        let ran = desk.run(&[&fixed[..], &PACK, &by].concat());
        for caller in ["kubectl/v1.24.0", "ann"] {
            assert!(
                ran.stdout.contains(caller),
                "{name}: {}{}",
                ran.stdout,
                ran.stderr
            );
        }
    }
}

#[test]
fn a_call_counts_once_however_many_events_it_has() {
    let stages = [
        "RequestReceived",
        "ResponseStarted",
        "ResponseComplete",
        "Panic",
    ];
    let log: String = stages
        .iter()
        .map(|stage| event(stage).to_string() + "\n")
        .collect();
    let list =
        json!({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "items": stages.map(event)});
    for (name, text) in [("audit.log", log), ("list.json", list.to_string())] {
        let report = report(name, &text, &PACK);
        assert_eq!(findings(&report, RULE)[0]["seen"], 2, "{name}: {report}");
        let skipped = report["skipped"].as_array().unwrap().iter();
        let earlier: Vec<_> = skipped
            .filter(|skip| skip["reason"] == "earlier-stage")
            .collect();
        assert_eq!(earlier.len(), 1, "{name}: {report}");
        assert_eq!(
            (&earlier[0]["count"], &earlier[0]["kind"]),
            (&json!(2), &json!("unrelated"))
        );
    }
}

#[test]
fn a_log_of_earlier_stages_alone_is_no_silent_pass() {
    let event = event("RequestReceived").to_string();
    for (name, text) in [
        ("audit.log", format!("{event}\n{event}\n")),
        ("one.json", event),
    ] {
        let desk = Desk::new().with(name, text);
        let ran = desk.run(&[&["check", name][..], &PACK].concat());
        assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
        assert!(
            ran.stdout.contains("an earlier stage of a call"),
            "{}",
            ran.stdout
        );
    }
}

#[test]
fn an_annotation_is_an_announcement_with_its_release() {
    let message = |text: &str, arguments: &[&str]| {
        let report = report("audit.log", text, arguments);
        let found = findings(&report, "announced-in-traffic");
        found
            .iter()
            .map(|it| it["message"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let line = |members: Value| event_with(&members).to_string() + "\n{}\n";
    assert_eq!(
        message(&line(json!({})), &["--no-builtin-rules"]),
        [
            "GET /apis/batch/v1beta1/namespaces/{namespace}/cronjobs is deprecated; no date announced, as the audit log announces (k8s.io/deprecated, removed in release 1.25); no rule covers it"
        ]
    );
    assert_eq!(
        message(&line(json!({})), &PACK),
        [""; 0],
        "one finding for each cause"
    );
    let desk = Desk::new()
        .with("audit.log", line(json!({})))
        .with("sundown.toml", format!("[severity]\n{RULE} = \"off\"\n"));
    let ran = desk.run(&[&["check", "audit.log"][..], &PACK].concat());
    assert!(
        ran.stdout.contains(&format!("; the rule {RULE} covers it")),
        "{}",
        ran.stdout
    );
    // Another rule finds the call, although the first one is off.
    let rule = |id: &str, path: &str| format!("[[rule]]\nid = '{id}'\noperation = 'GET {path}'\n");
    let rules = rule("first", "/apis/batch/v1beta1/namespaces/{ns}/cronjobs")
        + &rule("second", "/apis/batch/v1beta1/**");
    let desk = Desk::new()
        .with("audit.log", line(json!({})))
        .with("rules.toml", format!("api = 'k'\n{rules}"))
        .with("sundown.toml", "[severity]\nfirst = 'off'\n");
    let ran = desk.run(&[
        "check",
        "audit.log",
        "--no-builtin-rules",
        "--rules",
        "rules.toml",
    ]);
    assert!(ran.stdout.contains("[second]"), "{}", ran.stdout);
    assert!(
        !ran.stdout.contains("announced-in-traffic"),
        "{}",
        ran.stdout
    );
    for annotations in [
        json!(null),
        json!({}),
        json!({"k8s.io/deprecated": "false", "k8s.io/removed-release": "1.25"}),
        json!({"note": "k8s.io/deprecated"}),
        json!({"example.com/k8s.io/deprecated": "true"}),
        json!({"k8s.io/deprecated": true}),
    ] {
        assert_eq!(
            message(&line(json!({"annotations": annotations})), &[]),
            [""; 0],
            "{annotations}"
        );
    }
}

#[test]
fn no_value_of_an_annotation_or_a_path_is_shown() {
    let secret = "hunter2-secret";
    let text = event_with(&json!({
        "requestURI": format!("/apis/{secret}!/v1/namespaces/{secret}/secrets/{secret}"),
        "annotations": {"k8s.io/deprecated": "true", "k8s.io/removed-release": secret},
    }));
    let desk = Desk::new().with("audit.log", format!("{text}\n{{}}\n"));
    for format in ["human", "json", "sarif"] {
        let ran = desk.run(&["check", "audit.log", "--format", format]);
        assert!(
            ran.stdout.contains("announced-in-traffic"),
            "{}",
            ran.stdout
        );
        assert!(
            !ran.stdout.contains(secret) && !ran.stderr.contains(secret),
            "{}",
            ran.stdout
        );
    }
}

const FIELDS: &str = r#"
api = "Kubernetes"
[[rule]]
id = "account"
operation = "POST /api/v1/namespaces/{namespace}/pods"
field = "serviceAccount"
at = ["$.spec.serviceAccount"]
"#;

#[test]
fn objects_in_events_are_the_bodies_of_both_sides() {
    let object = json!({"apiVersion": "v1", "kind": "Pod", "spec": {"serviceAccount": "x"}});
    let text = event_with(&json!({
        "level": "RequestResponse", "verb": "create", "requestURI": "/api/v1/namespaces/shop/pods",
        "requestObject": object, "responseObject": object, "annotations": null,
    }));
    // The second line has the same layout as the first.
    for (name, text) in [
        ("a.log", format!("{text}\n{text}\n")),
        ("a.json", text.to_string()),
    ] {
        let desk = Desk::new().with("rules.toml", FIELDS).with(name, &text);
        let rules = [
            "--rules",
            "rules.toml",
            "--no-builtin-rules",
            "--format",
            "json",
        ];
        let ran = desk.run(&[&["check", name][..], &rules].concat());
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        let found = findings(&report, "account");
        let sides: Vec<_> = found
            .iter()
            .map(|it| it["side"].as_str().unwrap())
            .collect();
        assert_eq!(sides, ["request", "response"], "{report}");
        for finding in found {
            let at = |key: &str| usize::try_from(finding["span"][key].as_u64().unwrap()).unwrap();
            assert_eq!(&text[at("start")..at("end")], "\"serviceAccount\"");
            assert_eq!(finding["pointer"], "/spec/serviceAccount");
        }
    }
}

#[test]
fn a_call_with_events_of_its_own_remains_a_call() {
    let call = |message: &str| json!({"method": "POST", "url": "/rest/api/v1/listanswers", "status": 200, "events": [{"message": message}]});
    // The layout of both is the same.
    let text = format!("{}\n{}\n", call("started"), call("{\"a\": 1}"));
    let report = report("calls.ndjson", &text, &[]);
    assert_eq!(
        (
            &report["summary"]["records"],
            &report["findings"][0]["seen"]
        ),
        (&json!(2), &json!(2))
    );
    let note = |message: &str| json!({"note": "x", "events": [{"message": message}]});
    let event = event("ResponseComplete").to_string();
    let text = format!("{}\n{}\n{}\n", note("x"), note(&event), note(&event));
    let report = self::report("notes.ndjson", &text, &PACK);
    assert_eq!(findings(&report, RULE)[0]["seen"], 2, "{report}");
}

#[test]
fn what_only_looks_like_an_event_of_an_audit_log_is_none() {
    for members in [
        // An event of the core API has no call.
        json!({"apiVersion": "v1", "verb": null, "requestURI": null, "auditID": null}),
        json!({"requestURI": "/apis/batch/v1/namespaces/shop/cronjobs"}),
        json!({"requestURI": "/apis/shop.test/v1beta1/namespaces/shop/cronjobs"}),
        json!({"requestURI": "/apis/batch/v1beta1/namespaces/shop/cronjobsets"}),
        json!({"requestURI": "/api/v1/namespaces/cronjobs/configmaps/batch-v1beta1?next=/apis/batch/v1beta1/cronjobs"}),
    ] {
        let text = event_with(&members).to_string() + "\n{}\n";
        let report = report("audit.log", &text, &PACK);
        assert_eq!(findings(&report, RULE), [Value::Null; 0], "{members}");
    }
}
