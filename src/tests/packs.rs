//! The rule packs: every entry finds its use in a cassette and in a log, and nothing that only looks like it; calls of other or
//! unknown hosts are no uses; old facts are reported.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use chrono::Days;
use chrono::NaiveDate;
use serde_json::{Value, json};
use sundown_captures::Gauge;
use sundown_exchange::{Host, Reason, Side, SkipKind};
use sundown_lint::findings::RemarkKind;
use sundown_lint::rules::Lifecycle;
use sundown_lint::rules::{
    ConditionMember, ElementPart, MemberCondition, Pack, Rule, RuleFile, RulePlace, RuleSet,
    SetRule, ValueTest,
};
use sundown_report::{LocatedFinding, SkipGroup};
use sundown_run::check;

use super::support::pack;
use super::support::{check_bytes, day, options, repository, separate_findings, sources};
use crate::builtin::LIBRARY;

/// A call, as a log and a cassette record it.
struct SampleCall {
    method: String,
    url: String,
    headers: Value,
    body: Value,
}

/// A host that serves no pack.
const OTHER_HOST: &str = "other.example";

fn rule_set(pack: &Pack) -> RuleSet {
    RuleSet::new(pack.load().unwrap()).unwrap()
}

/// Every rule of a pack with its file.
fn entries(files: &[RuleFile]) -> Vec<(&RuleFile, &Rule)> {
    files
        .iter()
        .flat_map(|file| file.rules.iter().map(move |rule| (file, rule)))
        .collect()
}

/// A value that a rule is about.
fn value(rule: &Rule) -> Option<String> {
    Some(match rule.element.value.as_ref()? {
        ValueTest::Exact(text) => text.clone(),
        ValueTest::StartsWith(beginning) => format!("{beginning}team::abc"),
        ValueTest::Before(version) => version.older(),
        ValueTest::Supported { .. } => "2020-01".to_owned(),
        ValueTest::Other => return None,
    })
}

/// A host that serves the operations of a file.
fn host(file: &RuleFile) -> String {
    let pattern = file
        .hosts
        .first()
        .map_or("cluster.example".to_owned(), ToString::to_string);
    pattern.replace('*', "eu")
}

fn percent_encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        let _ = write!(encoded, "%{byte:02X}");
        encoded
    })
}

/// A call of a place of a rule, on this host and with this value in the place of the deprecated one.
fn call(rule: &Rule, place: &RulePlace, host: &str, value: &str) -> SampleCall {
    let method = place
        .operation
        .method
        .as_ref()
        .map_or("POST", |method| method.as_str());
    let segments =
        place
            .operation
            .path()
            .split('/')
            .skip(1)
            .map(|segment| match &rule.element.part {
                ElementPart::Segment(name) if segment.contains(&format!("{{{name}}}")) => {
                    fill(&segment.replace(&format!("{{{name}}}"), &percent_encoded(value)))
                }
                _ if segment == "**" => "a".to_owned(),
                _ => fill(segment),
            });
    let path = segments.collect::<Vec<_>>().join("/");
    let mut call = SampleCall {
        method: method.to_owned(),
        url: format!("https://{host}/{path}"),
        headers: json!({ "Content-Type": "application/json" }),
        body: json!({}),
    };
    match &rule.element.part {
        ElementPart::Field(_) => {
            let selector = place.selectors.first().unwrap().text();
            call.body = nested(selector.trim_start_matches('$'), json!(value));
            for condition in &rule.when {
                satisfy(&mut call.body, selector, condition);
            }
        }
        ElementPart::Parameter(name) => {
            call.url = format!("{}?{name}={}", call.url, percent_encoded(value));
        }
        ElementPart::Header(name) => call.headers[name.to_string()] = json!(value),
        ElementPart::Endpoint | ElementPart::Segment(_) => {}
    }
    call
}

/// Replaces the variables of a segment.
fn fill(segment: &str) -> String {
    match segment
        .split_once('{')
        .and_then(|(start, rest)| Some((start, rest.split_once('}')?.1)))
    {
        Some((start, rest)) => fill(&format!("{start}v{rest}")),
        None => segment.to_owned(),
    }
}

/// A body with a value at the end of a path of names and `[*]`.
fn nested(path: &str, value: Value) -> Value {
    if let Some(rest) = path.strip_prefix("[*]") {
        return json!([nested(rest, value)]);
    }
    let Some(rest) = path.strip_prefix('.') else {
        return value;
    };
    let end = rest.find(['.', '[']).unwrap_or(rest.len());
    json!({ &rest[..end]: nested(&rest[end..], value) })
}

/// Adds the member that a condition demands to a body with a field at this selector.
fn satisfy(body: &mut Value, selector: &str, condition: &MemberCondition) {
    let ValueTest::Exact(value) = &condition.tests[0] else {
        panic!("{condition:?}");
    };
    let path = selector.replace("[*]", ".0");
    let parents = path.rsplit_once('.').map_or("$", |(parents, _)| parents);
    let member = match &condition.member {
        ConditionMember::Path(names) => format!("$.{}", names.join(".")),
        ConditionMember::Sibling(name) => format!("{parents}.{name}"),
    };
    let mut at = body;
    for name in member.split('.').skip(1) {
        at = if at.is_array() {
            &mut at[0]
        } else {
            &mut at[name]
        };
    }
    *at = json!(value);
}

fn is_response(rule: &Rule) -> bool {
    rule.places
        .iter()
        .all(|place| !place.sides.contains(Side::Request))
}

/// A log with a call on each line.
fn log(calls: &[(&Rule, SampleCall)]) -> String {
    let line = |(rule, call): &(&Rule, SampleCall)| {
        let (request, response) = bodies(rule, call);
        json!({
            "method": call.method, "url": call.url,
            "request": { "headers": call.headers, "body": request },
            "response": { "status": 200, "body": response },
        })
        .to_string()
    };
    calls.iter().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

/// The cassette of a recorder, with the same calls.
fn cassette(calls: &[(&Rule, SampleCall)]) -> String {
    let interaction = |(rule, call): &(&Rule, SampleCall)| {
        let (request, response) = bodies(rule, call);
        let lists = call.headers.as_object().unwrap().iter();
        let headers: Value = lists
            .map(|(name, value)| (name.clone(), json!([value])))
            .collect();
        json!({
            "request": {
                "method": call.method, "uri": call.url, "headers": headers,
                "body": request.to_string(),
            },
            "response": {
                "status": { "code": 200, "message": "OK" },
                "headers": { "Content-Type": ["application/json"] },
                "body": { "string": response.to_string() },
            },
        })
    };
    let interactions: Vec<_> = calls.iter().map(interaction).collect();
    json!({ "version": 1, "interactions": interactions }).to_string()
}

fn bodies(rule: &Rule, call: &SampleCall) -> (Value, Value) {
    if is_response(rule) {
        (json!({}), call.body.clone())
    } else {
        (call.body.clone(), json!({}))
    }
}

/// The ids that each call was found by, each as often as it was.
fn found(bytes: &str, set: &RuleSet, count: usize) -> Vec<Vec<String>> {
    let report = check_bytes(bytes.as_bytes(), None, set);
    assert_eq!(report.summary.records, count, "{:?}", report.skipped);
    // All look-alikes of a pack may be at other addresses.
    let is_failed = |group: &&SkipGroup| {
        group.reason.kind() == SkipKind::Failed && group.reason != Reason::NoKnownAddress
    };
    assert_eq!(report.skipped.iter().find(is_failed), None);
    let mut ids = vec![Vec::new(); count];
    for LocatedFinding { finding, .. } in separate_findings(&report, set) {
        let exchange = finding.found.exchange.as_ref().unwrap().index;
        let own = finding.rule.other_ids.iter().map(ToString::to_string);
        ids[exchange].extend(own.chain([finding.rule.id.clone()]));
    }
    ids
}

#[test]
fn every_entry_finds_its_use_in_a_log_and_in_a_cassette() {
    for pack in LIBRARY.packs {
        let (files, set) = (pack.load().unwrap(), rule_set(pack));
        let sample = |(number, (file, rule)): (usize, (&RuleFile, &'_ Rule))| {
            let place = &rule.places[number % rule.places.len()];
            call(rule, place, &host(file), &value(rule).unwrap_or_default())
        };
        let entries = entries(&files);
        let calls: Vec<_> = entries
            .iter()
            .enumerate()
            .map(|(number, &(file, rule))| (rule, sample((number, (file, rule)))))
            .collect();
        for recording in [log(&calls), cassette(&calls)] {
            let found = found(&recording, &set, calls.len());
            for ((rule, call), ids) in calls.iter().zip(found) {
                let times = ids.iter().filter(|id| **id == rule.id).count();
                assert_eq!(times, 1, "{} {}: {ids:?}", rule.id, call.url);
            }
        }
    }
}

#[test]
fn every_place_of_an_entry_is_found() {
    for pack in LIBRARY.packs {
        let (files, set) = (pack.load().unwrap(), rule_set(pack));
        let mut known = HashSet::new();
        let mut calls = Vec::new();
        for (file, rule) in entries(&files) {
            let entry = rule.other_ids.first().map_or(&*rule.id, |id| id);
            if known.insert(entry.to_owned()) {
                let value = value(rule).unwrap_or_default();
                let places = rule.places.iter();
                calls.extend(places.map(|place| (rule, call(rule, place, &host(file), &value))));
            }
        }
        let found = found(&log(&calls), &set, calls.len());
        for ((rule, call), ids) in calls.iter().zip(found) {
            assert!(ids.contains(&rule.id), "{} {}: {ids:?}", rule.id, call.url);
        }
    }
}

/// A call that names the value of a rule at a place in the table of call forms.
fn call_form(operation: &str, place: &Value, rule: &Rule, host: &str) -> SampleCall {
    let (method, path) = operation.split_once(' ').unwrap();
    let value = value(rule).unwrap();
    let variable = |name: &Value| format!("{{{}}}", name.as_str().unwrap());
    let path = match &place["segment"] {
        Value::Null => path.to_owned(),
        name => path.replace(&variable(name), &percent_encoded(&value)),
    };
    let mut url = format!("https://{host}{}", fill(&path));
    if let Some(name) = place["name"].as_str() {
        url = format!("{url}?{name}={}", percent_encoded(&value));
    }
    let member = place["field"].as_str().map(|name| format!("/{name}"));
    let pointer = place["pointer"].as_str().map(str::to_owned).or(member);
    let body = pointer.map(|pointer| {
        let selector = pointer.replace("/*", "[*]").replace('/', ".");
        nested(&selector, json!(value))
    });
    SampleCall {
        method: method.replace("WS", "GET"),
        url,
        headers: json!({ "Content-Type": "application/json" }),
        body: body.unwrap_or_else(|| json!({})),
    }
}

/// Whether a rule is about an exact value at this kind of place.
fn is_about(rule: &Rule, place: &Value) -> bool {
    let last = place["pointer"].as_str().map(|pointer| {
        let names = pointer.trim_end_matches("/*");
        names.rsplit('/').next().unwrap()
    });
    let name = |member: &str| place[member].as_str();
    let named = match &rule.element.part {
        ElementPart::Segment(_) => name("segment"),
        ElementPart::Parameter(_) => name("name"),
        ElementPart::Field(_) => last.or(name("field")),
        _ => None,
    };
    let is_named = named.is_some() && named == rule.element.name();
    is_named && matches!(rule.element.value, Some(ValueTest::Exact(_)))
}

#[test]
fn every_place_in_the_table_of_call_forms_is_found_or_says_why_not() {
    let text = std::fs::read_to_string(repository("testdata/lifecycles/llm/endpoints.json"));
    let forms: Value = serde_json::from_str(&text.unwrap()).unwrap();
    let pack = pack("llm-models");
    let (files, set) = (pack.load().unwrap(), rule_set(pack));
    let mut calls = Vec::new();
    for provider in forms["providers"].as_array().unwrap() {
        let prefix = format!("{}-", provider["provider"].as_str().unwrap());
        let is_own = |file: &&RuleFile| file.rules[0].id.starts_with(&prefix);
        let Some(file) = files.iter().find(is_own) else {
            continue;
        };
        for form in provider["operations"].as_array().unwrap() {
            let operation = form["operation"].as_str().unwrap();
            for place in form["model_at"].as_array().unwrap() {
                if place["unchecked"].is_string() {
                    continue;
                }
                let rule = file.rules.iter().find(|rule| is_about(rule, place));
                let rule = rule.unwrap_or_else(|| panic!("{operation}: {place}"));
                calls.push((rule, call_form(operation, place, rule, &host(file))));
            }
        }
    }
    assert!(calls.len() > 130, "{}", calls.len());
    let found = found(&log(&calls), &set, calls.len());
    for ((rule, call), ids) in calls.iter().zip(found) {
        assert!(ids.contains(&rule.id), "{} {}: {ids:?}", rule.id, call.url);
    }
}

#[test]
fn no_entry_finds_what_only_looks_like_its_use() {
    for pack in LIBRARY.packs {
        let (files, set) = (pack.load().unwrap(), rule_set(pack));
        let mut calls: Vec<(&Rule, SampleCall)> = Vec::new();
        for (file, rule) in entries(&files) {
            let (place, own) = (&rule.places[0], host(file));
            let deprecated = value(rule).unwrap_or_default();
            let with = |host: &str, value: &str| call(rule, place, host, value);
            for other in [
                OTHER_HOST.to_owned(),
                format!("{own}.{OTHER_HOST}"),
                format!("x{own}"),
            ] {
                let parsed = Host::parse(&other, None).unwrap();
                let is_own = file.hosts.iter().any(|pattern| pattern.matches(&parsed));
                if !file.hosts.is_empty() && !is_own {
                    calls.push((rule, with(&other, &deprecated)));
                }
            }
            match (&rule.element.part, &rule.element.value) {
                (_, Some(_)) => {
                    for similar in [format!("{deprecated}-zz"), format!("zz-{deprecated}")] {
                        let is_another =
                            matches!(rule.element.value, Some(ValueTest::StartsWith(_)))
                                && similar.starts_with(&deprecated);
                        calls.extend((!is_another).then(|| (rule, with(&own, &similar))));
                    }
                    calls.push((rule, elsewhere(with(&own, "zz"), &deprecated)));
                }
                // Every path of a host that ends as a whole is a use.
                (ElementPart::Endpoint, None) if place.operation.path() == "/**" => {}
                (ElementPart::Endpoint, None) => {
                    let mut near = with(&own, "");
                    near.url = format!("https://{own}/zz?path={}", percent_encoded(&near.url));
                    near.body = json!({ "url": with(&own, "").url });
                    calls.push((rule, near));
                }
                (part, None) => {
                    let mut without = with(&own, "");
                    let end = without.url.find('?').unwrap_or(without.url.len());
                    without.url.truncate(end);
                    without.headers = json!({ "X-Note": rule.element.name() });
                    without.body =
                        json!({ "metadata": { part.kind(): "" }, "text": rule.element.name() });
                    calls.push((rule, without));
                }
            }
        }
        let found = found(&log(&calls), &set, calls.len());
        for ((rule, call), ids) in calls.iter().zip(found) {
            assert!(
                !ids.contains(&rule.id),
                "{} {}: {}",
                rule.id,
                call.url,
                call.body
            );
        }
    }
}

/// The kind and the API version that an entry of Kubernetes is about, as its title names them.
fn removed_type(rule: &Rule) -> (&str, &str) {
    let (version, kind) = rule.title.as_deref().unwrap().split_once(' ').unwrap();
    (kind, version)
}

/// The path of objects of a rule, in the namespace `shop` if they may be in one.
fn collection(rule: &Rule) -> String {
    let place = rule
        .places
        .iter()
        .find(|place| place.operation.path().contains("{namespace}"));
    place
        .unwrap()
        .operation
        .path()
        .replace("{namespace}", "shop")
        .replace("/watch", "")
        .replace("/**", "")
}

/// Manifests of these kinds in these API versions.
fn manifests(types: &[(&str, String)]) -> String {
    let manifest = |(kind, version): &(&str, String)| {
        format!("apiVersion: {version}\nkind: {kind}\nmetadata:\n  name: x\n---\n")
    };
    types.iter().map(manifest).collect()
}

/// Audit events of calls of these paths.
fn audit_log(paths: &[String]) -> String {
    let event = |path: &String| {
        let event = json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": "1", "verb": "update",
            "stage": "ResponseComplete", "requestURI": format!("{path}/x?fieldManager=y"),
            "responseStatus": {"code": 200},
        });
        format!("{event}\n")
    };
    paths.iter().map(event).collect()
}

/// Lines of an access log with calls of these paths.
fn access_log(paths: &[String]) -> String {
    let line = |path: &String| {
        format!(
            "192.0.2.7 - - [19/Nov/2026:09:12:44 +0100] \"GET {path}?limit=5 HTTP/1.1\" 200 5\n"
        )
    };
    paths.iter().map(line).collect()
}

#[test]
fn every_entry_of_kubernetes_is_found_in_manifests_and_in_logs_of_the_cluster() {
    let pack = pack("kubernetes");
    let (files, set) = (pack.load().unwrap(), rule_set(pack));
    let rules: Vec<&Rule> = entries(&files).into_iter().map(|(_, rule)| rule).collect();
    let types: Vec<_> = rules
        .iter()
        .map(|rule| removed_type(rule))
        .map(|(kind, version)| (kind, version.to_owned()))
        .collect();
    let paths: Vec<_> = rules.iter().map(|rule| collection(rule)).collect();
    for text in [manifests(&types), audit_log(&paths), access_log(&paths)] {
        for (rule, ids) in rules.iter().zip(found(&text, &set, rules.len())) {
            assert_eq!(ids, [&*rule.id], "{text}");
        }
    }
}

#[test]
fn no_entry_of_kubernetes_is_found_in_what_only_looks_like_it() {
    let pack = pack("kubernetes");
    let (files, set) = (pack.load().unwrap(), rule_set(pack));
    let rules: Vec<&Rule> = entries(&files).into_iter().map(|(_, rule)| rule).collect();
    let removed: HashSet<_> = rules.iter().map(|rule| removed_type(rule)).collect();
    let (mut types, mut paths) = (Vec::new(), Vec::new());
    for rule in rules {
        let (kind, version) = removed_type(rule);
        let Some((group, number)) = version.split_once('/') else {
            continue;
        };
        let current = rule
            .replacement
            .as_deref()
            .and_then(|text| text.split_once(' '));
        let others = [
            (kind, format!("{group}.example.com/{number}")),
            (kind, format!("x{version}")),
            (kind, format!("{version}1")),
            (kind, format!("{group}/v1")),
        ];
        let current = current.map(|(version, kind)| (kind, version.to_owned()));
        types.extend(
            others
                .into_iter()
                .chain(current)
                .filter(|(kind, version)| !removed.contains(&(*kind, version.as_str()))),
        );
        let path = collection(rule);
        paths.extend([
            path.replace(&format!("/{group}/"), &format!("/{group}.example.com/")),
            path.replace(&format!("/{number}/"), &format!("/{number}1/")),
            format!("{path}ets"),
            path.replace("/namespaces/shop", "/namespaces/shop/configmaps"),
            format!("/api/v1/namespaces/shop/configmaps/x?next={path}"),
        ]);
    }
    for (text, count) in [
        (manifests(&types), types.len()),
        (audit_log(&paths), paths.len()),
        (access_log(&paths), paths.len()),
    ] {
        for (number, ids) in found(&text, &set, count).into_iter().enumerate() {
            assert!(ids.is_empty(), "{ids:?}: {number} of {text}");
        }
    }
}

/// A call with a value as a key, in text, in metadata and in other parts of the call.
fn elsewhere(mut call: SampleCall, value: &str) -> SampleCall {
    let body = call.body.as_object_mut().unwrap();
    body.insert(value.to_owned(), json!(value));
    body.insert(
        "metadata".to_owned(),
        json!({ "model": value, "modelId": value }),
    );
    let text = format!("we use {value} today");
    body.insert(
        "messages".to_owned(),
        json!([{ "role": "user", "content": text, "model": value }]),
    );
    call.headers["X-Note"] = json!(value);
    let separator = if call.url.contains('?') { '&' } else { '?' };
    call.url = format!("{}{separator}note={}", call.url, percent_encoded(value));
    call
}

#[test]
fn the_tables_in_the_repository_are_those_of_the_packs() {
    let apis = LIBRARY
        .packs
        .iter()
        .flat_map(|pack| pack.load().unwrap())
        .map(|file| file.api);
    let mut embedded: Vec<_> = apis.collect();
    let mut written: Vec<_> = sources(&repository("rules/packs"))
        .into_iter()
        .map(|path| {
            RuleFile::parse("table", &std::fs::read_to_string(path).unwrap())
                .unwrap()
                .api
        })
        .collect();
    embedded.sort();
    written.sort();
    assert_eq!(embedded, written);
}

#[test]
fn every_entry_names_its_sources_and_each_pack_its_coverage() {
    for pack in LIBRARY.packs {
        assert!(
            pack.about.contains("ot "),
            "{}: what it does not cover",
            pack.name
        );
        for (file, rule) in entries(&pack.load().unwrap()) {
            assert!(!rule.sources.is_empty(), "{}", rule.id);
            assert!(file.facts_read.is_some(), "{}", file.api);
            assert!(
                rule.introduced
                    .is_none_or(|day| rule.removal.is_none_or(|end| day <= end)),
                "{}",
                rule.id
            );
        }
    }
}

#[test]
fn live_operations_beside_those_of_a_pack_are_no_uses() {
    let calls = [
        "POST https://api.github.com/orgs/acme/actions/variables",
        "GET https://api.github.com/orgs/acme/copilot/metrics/reports/users-28-day/latest",
        "GET https://api.github.com/orgs/acme/projectsV2/1/items",
        "GET https://api.github.com/organizations/acme/settings/billing/usage",
        "GET https://api.github.com/repos/acme/shop/rulesets",
        "POST https://api.github.com/applications/1/token",
        "GET https://api.github.com/search/issues?q=access_token",
        "POST https://api.github.com/orgs/acme/code-security/configurations",
        "POST https://api.github.com/orgs/acme/dependabot/secrets",
        "GET https://api.github.com/orgs/acme/teams",
        "POST https://api.openai.com/v1/responses",
        "GET https://cluster.example/apis/batch/v1/cronjobs",
        "POST https://slack.com/api/conversations.history",
        "GET https://api.cloudflare.com/client/v4/zones/1/settings/ssl",
        "GET https://api.cloudflare.com/client/v4/accounts/1/devices/posture",
        "GET https://api.cloudflare.com/client/v4/organizations/1",
        "GET https://api.hetzner.cloud/v1/locations",
        "POST https://googleads.googleapis.com/v26/customers/1/googleAds:search",
        "GET https://api.gusto.com/v1/me",
        "GET https://acme.atlassian.net/rest/api/3/search/jql",
        "GET https://jira.acme.example/rest/api/2/search",
        "GET https://api.hubapi.com/contacts/v1/lists/all/contacts/all",
        "GET https://acme.my.salesforce.com/services/data/v60.0/sobjects",
        "GET https://connect.squareup.com/v2/payments",
        "GET https://api.xero.com/api.xro/2.0/Invoices",
        "GET https://api.zoom.us/v2/phone/call_logs/1/recordings",
    ];
    let record = |call: &&str| {
        let (method, url) = call.split_once(' ').unwrap();
        json!({ "method": method, "url": url, "status": 200 }).to_string() + "\n"
    };
    let log: String = calls.iter().map(record).collect();
    for pack in LIBRARY.packs {
        let found = found(&log, &rule_set(pack), calls.len());
        assert!(found.iter().all(Vec::is_empty), "{}: {found:?}", pack.name);
    }
    for (ended, rule) in [
        (
            "POST https://api.github.com/orgs/acme/dependabot_alerts/enable_all",
            "github-post-orgs-org-security-product-enablement",
        ),
        // Operations that have left GitHub's description since their end.
        (
            "GET https://api.github.com/projects/1/columns",
            "github-projects-classic",
        ),
        (
            "GET https://api.github.com/repos/acme/shop/tags/protection",
            "github-tag-protection",
        ),
        (
            "GET https://api.github.com/user?access_token=0",
            "github-access-token",
        ),
    ] {
        let found = found(&record(&ended), &rule_set(pack("github")), 1);
        assert_eq!(found, [[rule]]);
    }
}

/// The rule of this id in a pack.
fn rule_of(set: &RuleSet, id: &str) -> Rule {
    let found = set.rules().iter().find(|rule| rule.id == id);
    Rule::clone(found.unwrap_or_else(|| panic!("{id}")))
}

#[test]
fn a_name_that_moves_is_possibly_deprecated_until_the_last_model_that_it_stands_for() {
    let set = rule_set(pack("llm-models"));
    let is_name = |rule: &&SetRule| rule.is_possible && rule.element.value.is_some();
    let names = set.rules().iter().filter(is_name);
    for rule in names {
        let note = rule.note.as_deref().unwrap_or_default();
        assert!(note.starts_with("the name "), "{}: {note}", rule.id);
        assert!(rule.removal.is_some(), "{}", rule.id);
    }
    let [name, last] =
        ["mistral-tiny", "open-mistral-7b"].map(|id| rule_of(&set, &format!("mistral-model-{id}")));
    assert_eq!((name.removal, name.is_possible), (last.removal, true));
    assert!(!last.is_possible);
}

#[test]
fn a_name_that_moves_has_the_day_that_its_provider_gives_for_it() {
    let set = rule_set(pack("llm-models"));
    for (name, last) in [
        ("gpt-4o", "gpt-4o-2024-11-20"),
        ("gpt-4-1-mini", "gpt-4-1-mini-2025-04-14"),
        ("o3", "o3-2025-04-16"),
        ("gpt-5", "gpt-5-2025-08-07"),
    ] {
        let [name, last] = [name, last].map(|id| rule_of(&set, &format!("openai-model-{id}")));
        assert_eq!((name.removal, name.is_possible), (last.removal, false));
        assert!(last.removal.is_some() && !last.is_possible, "{}", last.id);
    }
}

#[test]
fn a_fine_tuned_model_ends_with_its_base() {
    let set = rule_set(pack("llm-models"));
    let rules = set.rules().iter();
    let of_openai = rules.filter(|rule| rule.id.starts_with("openai-model-"));
    let bases: HashMap<_, _> = of_openai
        .clone()
        .filter_map(|rule| value(rule).zip(rule.removal))
        .collect();
    let mut count = 0;
    for rule in of_openai {
        let Some(ValueTest::StartsWith(beginning)) = &rule.element.value else {
            continue;
        };
        let base = beginning.trim_start_matches("ft:").trim_end_matches(':');
        let end = bases.get(base).copied();
        count += 1;
        // A family goes on as long as its last base.
        assert!(rule.removal >= end, "{}: {end:?}", rule.id);
    }
    assert!(count > 10, "{count}");
}

#[test]
fn a_replacement_outlives_what_it_replaces_and_the_next_months_or_has_its_day() {
    for pack in LIBRARY.packs {
        for file in pack.load().unwrap() {
            let soon = file.facts_read.unwrap().checked_add_days(Days::new(90));
            let mut ends: HashMap<String, NaiveDate> = HashMap::new();
            for rule in &file.rules {
                let named = value(rule).zip(rule.removal);
                ends.extend(
                    named.filter(|_| matches!(rule.element.value, Some(ValueTest::Exact(_)))),
                );
            }
            for rule in &file.rules {
                let text = rule.replacement.clone().unwrap_or_default();
                let latest = rule.removal.max(soon).unwrap();
                for name in text.split(", ").flat_map(|part| part.split(" or ")) {
                    let known = ends.get(name);
                    assert!(
                        known.is_none_or(|end| *end > latest),
                        "{}: {name} {known:?}",
                        rule.id
                    );
                }
            }
        }
    }
}

#[test]
fn facts_are_old_after_ninety_days() {
    let set = rule_set(pack("shopify"));
    let rules = set.rules().iter();
    let from = rules.filter_map(|rule| rule.facts_day()).min().unwrap();
    let remarks = |days| {
        let as_of = from.checked_add_days(Days::new(days)).unwrap();
        let path = repository("crates/captures/samples");
        let mut options = options(&path, &set);
        options.settings.lifecycle = Lifecycle::on(as_of);
        check(&options, &mut &b""[..], &Gauge::default()).remarks
    };
    assert_eq!(remarks(90), []);
    let old = remarks(91);
    assert_eq!((old.len(), old[0].kind), (1, RemarkKind::OldPack));
    assert!(from <= day().checked_add_days(Days::new(30)).unwrap());
}

#[test]
fn the_hosts_of_a_pack_are_known_without_its_rules() {
    for pack in LIBRARY.packs {
        let stated: Vec<_> = pack.hosts().collect();
        let loaded = pack.load().unwrap();
        assert!(
            loaded.iter().map(|file| &file.hosts).eq(&stated),
            "{}",
            pack.name
        );
    }
}
