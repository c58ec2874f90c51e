//! A second implementation of the main job, as plain as can be: every record through `serde_json`, every selector through
//! `jsonpath-rust`, nothing ruled out, nothing streamed. The program finds what it finds.

use std::collections::BTreeSet;

use base64::Engine as _;
use jsonpath_rust::JsonPath as _;
use serde_json::Value;

use super::support::{builtin, options, repository};
use super::traffic::{Format, Layout, Settings, Traffic};
use sundown_captures::Gauge;
use sundown_exchange::{Method, Side, Target};
use sundown_lint::rules::RuleSet;
use sundown_run::{CheckOptions, check};
use sundown_text_json::Limits;

/// A use: number of the record, side (or the operation), pointer, without the rule.
type Found = (usize, &'static str, String);

/// The values of a message's body: one, or several on lines or in events; none if it is not JSON.
fn json(body: &Value, is_base64: bool) -> Vec<Value> {
    let Some(text) = body.as_str() else {
        return vec![body.clone()];
    };
    let mut text = text.to_owned();
    if is_base64 {
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(text)
            .unwrap();
        text = String::from_utf8_lossy(&bytes).into_owned();
    }
    let is_events = ["data:", "event:", "id:", ":"]
        .iter()
        .any(|field| text.starts_with(field));
    if is_events {
        text = text
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .collect();
    }
    let values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
    values.map_while(Result::ok).collect()
}

/// The parts of an exchange in both formats: method, URL, bodies.
struct Plain {
    method: String,
    url: String,
    bodies: [Vec<Value>; 2],
}

fn records(text: &str, is_har: bool) -> Vec<Plain> {
    if !is_har {
        return text
            .lines()
            .map(|line| record(&serde_json::from_str(line).unwrap()))
            .collect();
    }
    let archive: Value = serde_json::from_str(text).unwrap();
    archive["log"]["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(entry)
        .collect()
}

fn record(record: &Value) -> Plain {
    let (request, response) = (&record["req"], &record["res"]);
    Plain {
        method: request["method"].as_str().unwrap().to_owned(),
        url: request["url"].as_str().unwrap().to_owned(),
        bodies: [
            json(&request["body"], false),
            json(&response["body"], false),
        ],
    }
}

fn entry(entry: &Value) -> Plain {
    let (request, content) = (&entry["request"], &entry["response"]["content"]);
    let data = &request["postData"];
    Plain {
        method: request["method"].as_str().unwrap().to_owned(),
        url: request["url"].as_str().unwrap().to_owned(),
        bodies: [
            json(&data["text"], data["encoding"] == "base64"),
            json(&content["text"], content["encoding"] == "base64"),
        ],
    }
}

/// `/results/0/title` from `$['results'][0]['title']`.
fn pointer(path: &str) -> String {
    let steps = path
        .strip_prefix('$')
        .unwrap()
        .split(']')
        .filter(|step| !step.is_empty());
    steps
        .flat_map(|step| ["/", step.trim_start_matches('[').trim_matches('\'')])
        .collect()
}

/// The nodes of a body that are uses of some rule: selected, not excepted, and not inside a free-form map.
fn uses(set: &RuleSet, call: &Plain, side: Side, body: &Value) -> BTreeSet<String> {
    let resolved = set.resolve(
        Method::parse(&call.method).as_ref(),
        &Target::parse(&call.url),
    );
    let mut uses = BTreeSet::new();
    for index in resolved.templates.iter().chain(&resolved.patterns) {
        for place in &set.operations()[*index].places {
            let rule = &set.rules()[place.rule];
            let selectors = &rule.places[place.place];
            if rule.element.field_name().is_none() || !selectors.sides.contains(side) {
                continue;
            }
            let nodes =
                |selector: &sundown_selector::Selector| body.query_only_path(selector.text());
            let excepted: BTreeSet<String> = rule
                .exceptions
                .iter()
                .flat_map(|selector| nodes(selector).unwrap())
                .collect();
            let maps: Vec<String> = set
                .opaque(set.rules()[place.rule].file)
                .iter()
                .flat_map(|selector| nodes(selector).unwrap())
                .collect();
            let is_inside = |path: &String| {
                maps.iter()
                    .any(|map| path.len() > map.len() && path.starts_with(map.as_str()))
            };
            let selected = selectors
                .selectors
                .iter()
                .flat_map(|selector| nodes(selector).unwrap());
            uses.extend(selected.filter(|path| !excepted.contains(path) && !is_inside(path)));
        }
    }
    uses
}

fn by_reference(set: &RuleSet, text: &str, is_har: bool) -> BTreeSet<Found> {
    let mut found = BTreeSet::new();
    for (number, call) in records(text, is_har).iter().enumerate() {
        for (side, bodies) in Side::BOTH.into_iter().zip(&call.bodies) {
            for body in bodies {
                let uses = uses(set, call, side, body);
                found.extend(uses.iter().map(|path| (number, side.name(), pointer(path))));
            }
        }
    }
    found
}

/// The uses that the program finds in bodies, including those inside others.
fn by_program(set: &RuleSet, text: &str) -> BTreeSet<Found> {
    let limits = Limits {
        block: 16 * 1024,
        ..Limits::default()
    };
    let mut options = CheckOptions {
        fold: false,
        ..options("-".as_ref(), set)
    };
    options.settings.limits = limits;
    let report = check(&options, &mut text.as_bytes(), &Gauge::default());
    let mut found = BTreeSet::new();
    for placed in &report.findings {
        let finding = &placed.finding;
        let number = finding.found.exchange.as_ref().unwrap().index;
        assert!(
            !finding.has_more_related,
            "all that is inside must be listed to be compared"
        );
        let related = finding
            .related
            .iter()
            .map(|inside| (inside.part, &inside.pointer));
        let own = (finding.found.part, &finding.found.pointer);
        found.extend(related.chain([own]).filter_map(|(part, pointer)| {
            Some((
                number,
                part.side()?.name(),
                pointer.as_ref()?.exact.to_string(),
            ))
        }));
    }
    found
}

fn assert_equal(set: &RuleSet, text: &str, is_har: bool, what: &str) {
    let (ours, theirs) = (by_program(set, text), by_reference(set, text, is_har));
    assert!(!theirs.is_empty(), "{what}: nothing to find");
    let missed: Vec<_> = theirs.difference(&ours).take(5).collect();
    let invented: Vec<_> = ours.difference(&theirs).take(5).collect();
    assert!(
        missed.is_empty() && invented.is_empty(),
        "{what}: {missed:?} {invented:?}"
    );
}

#[test]
fn generated_traffic_gives_the_findings_of_the_reference() {
    let set = builtin();
    for (format, layout) in [
        (Format::Ndjson, Layout::Minified),
        (Format::Har, Layout::Minified),
        (Format::Har, Layout::Indented),
    ] {
        for (hits, seed) in [(10, 11), (60, 12)] {
            let mut text = Vec::new();
            let settings = Settings {
                format,
                layout,
                hits,
                seed,
            };
            Traffic::new(settings)
                .write(1_500_000, &mut text, &mut std::io::sink())
                .unwrap();
            let text = String::from_utf8(text).unwrap();
            let what = format!("{hits} % hits, seed {seed}");
            assert_equal(&set, &text, matches!(format, Format::Har), &what);
        }
    }
}

#[test]
fn the_recorded_captures_give_the_findings_of_the_reference() {
    let set = builtin();
    for name in ["mitmproxy.har", "chromium.har"] {
        let text = std::fs::read_to_string(repository("testdata/captures").join(name)).unwrap();
        assert_equal(&set, &text, true, name);
    }
}
