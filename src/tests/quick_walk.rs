//! The quick walk never changes findings: the report is the same with it and with validation of everything.

use proptest::prelude::*;
use serde_json::Value;
use sundown_captures::Gauge;
use sundown_lint::rules::{RuleFile, RuleOptions, RuleSet};
use sundown_run::{CheckOptions, check};
use sundown_text_json::Limits;

use super::support::{Files, builtin, options, repository, written};
use super::traffic::{Format, Layout, Settings, Traffic};

/// The report on a text, with the quick walk or with everything validated.
fn report(text: &[u8], set: &RuleSet, is_quick: bool) -> String {
    let path = std::path::Path::new("-");
    // Small blocks, so that the text is read in several.
    let limits = Limits {
        block: 4096,
        ..Limits::default()
    };
    let mut options = CheckOptions {
        fold: false,
        ..options(path, set)
    };
    options.settings.strict = !is_quick;
    options.settings.limits = limits;
    written(&check(&options, &mut &*text, &Gauge::default()), "json")
}

fn assert_the_quick_walk_changes_nothing(text: &[u8], set: &RuleSet, what: &str) -> String {
    let (with, without) = (report(text, set, true), report(text, set, false));
    if with != without {
        let differs = with
            .lines()
            .zip(without.lines())
            .find(|(with, without)| with != without);
        panic!("{what}: {differs:?}\n{with}");
    }
    with
}

#[test]
fn captures_give_the_same_report() {
    let set = builtin();
    let mut files = 0;
    for entry in walkdir::WalkDir::new(repository("testdata/captures")) {
        let path = entry.unwrap().into_path();
        if path
            .extension()
            .is_some_and(|ending| ending == "har" || ending == "ndjson")
        {
            let text = std::fs::read(&path).unwrap();
            assert_the_quick_walk_changes_nothing(&text, &set, &path.display().to_string());
            files += 1;
        }
    }
    assert!(files > 5, "only {files} files");
}

/// A record with such a byte is read; a method with one is unknown, and matches every method.
#[test]
fn invalid_utf8_hides_no_use_at_any_position() {
    let set = builtin();
    let calls = [
        r#"{"request":{"method":"POST","host":"a.test","uri":"/api/index/v1/getdocumentcount","headers":{"Accept":["*/*"]}},"status":200}"#,
        r#"{"method":"POST","url":"/rest/api/v1/chat","request":{"body":{"citations":[]}}}"#,
    ];
    let mut text = Vec::new();
    for call in calls {
        for at in 0..call.len() {
            let (front, back) = call.as_bytes().split_at(at);
            // Between records with a known layout and an unknown operation.
            let other = call.replace("/v1/", "/v1/un/");
            text.extend([other.as_bytes(), b"\n", front, b"\xff", back, b"\n"].concat());
        }
    }
    // A broken record in which nothing can match is not validated.
    let [with, without] = [true, false].map(|is_quick| report(&text, &set, is_quick));
    let found = findings(&with);
    assert_eq!(found, findings(&without));
    // At each position of the method, among other records.
    assert!(
        found.matches("getdocumentcount-endpoint").count() > 3,
        "{found}"
    );
}

/// The first line of a large file may be a record, invalid UTF-8, or no exchange.
#[test]
fn the_report_of_a_broken_body_does_not_depend_on_its_position() {
    let set = builtin();
    let record = |body: &[u8]| {
        let call = br#"{"req":{"method":"POST","url":"/rest/api/v1/search","headers":{}},"res":{"statusCode":200,"headers":{},"body":""#;
        [&call[..], body, b"\"}}\n"].concat()
    };
    let broken = record(br#"{\"a\":1 \"b\":2}"#);
    let no_text = record(b"{\\\"a\\\":\\\"\xff\\\"}");
    let whole = record(br#"{\"a\":1}"#).repeat(40);
    let no_exchanges = b"{\"level\":\"info\"}\n".repeat(1_000);
    let parts = [&broken, &no_text, &whole, &no_exchanges];
    let skips = |order: &[&Vec<u8>], is_quick| {
        let text: Vec<u8> = order.iter().flat_map(|part| part.iter().copied()).collect();
        let report = report(&text, &set, is_quick);
        ["\"invalid-json\"", "\"invalid-utf8\""].map(|what| report.matches(what).count())
    };
    for first in 0..parts.len() {
        for last in (0..parts.len()).filter(|&last| last != first) {
            let mut order = parts.to_vec();
            order.sort_by_key(|part| {
                let is_at = |at: usize| std::ptr::eq::<Vec<u8>>(*part, parts[at]);
                (!is_at(first), is_at(last))
            });
            assert_eq!(skips(&order, true), [0, 0], "{first} before {last}");
            assert_eq!(skips(&order, false), [1, 1], "{first} before {last}");
        }
    }
}

/// Generated traffic, and the number of uses planted in it, with those inside others.
fn traffic(settings: Settings, bytes: u64) -> (Vec<u8>, usize) {
    let (mut text, mut truth) = (Vec::new(), Vec::new());
    Traffic::new(settings)
        .write(bytes, &mut text, &mut truth)
        .unwrap();
    (text, std::str::from_utf8(&truth).unwrap().lines().count())
}

/// The number of uses in a report, with those inside others.
fn count_uses(report: &str) -> usize {
    let report: Value = serde_json::from_str(report).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let inside = |finding: &Value| finding["related"].as_array().map_or(0, Vec::len);
    assert!(
        !findings
            .iter()
            .any(|finding| finding["related_incomplete"] == true)
    );
    findings.iter().map(|finding| 1 + inside(finding)).sum()
}

#[test]
fn generated_traffic_gives_the_planted_uses_with_and_without_the_quick_walk() {
    let set = builtin();
    for (format, layout) in [
        (Format::Ndjson, Layout::Minified),
        (Format::Har, Layout::Minified),
        (Format::Har, Layout::Indented),
    ] {
        // The first bodies of each operation decide the search terms: all later ones test them.
        for (hits, seed, bytes) in [(5, 1, 6_000_000), (20, 2, 6_000_000), (100, 3, 2_000_000)] {
            let (text, planted) = traffic(
                Settings {
                    format,
                    layout,
                    hits,
                    seed,
                },
                bytes,
            );
            let what = format!("{hits} % hits, seed {seed}");
            let report = assert_the_quick_walk_changes_nothing(&text, &set, &what);
            assert_eq!(count_uses(&report), planted, "{what}");
            assert!(planted > 0, "{what}");
        }
    }
}

/// The bodies that a thread has read decide its search terms; the report must not depend on them.
#[test]
fn broken_bodies_are_reported_alike_by_any_number_of_threads() {
    let settings = Settings {
        format: Format::Ndjson,
        layout: Layout::Minified,
        hits: 10,
        seed: 4,
    };
    let (text, _) = traffic(settings, 4_000_000);
    let text = String::from_utf8(text).unwrap();
    let mut damaged = String::new();
    for (number, line) in text.lines().enumerate() {
        let line = match number % 5 {
            0 => line.replacen("}\"},\"res\"", "} {\\\"x\\\":1}\"},\"res\"", 1),
            1 => line.replacen("]}\"}", "]} x\"}", 1),
            2 => line.replacen("viewerInfo\\\":{", "viewerInfo\\\":{{", 1),
            3 => line.replacen("\\\"role\\\":", "\\\"ro\\\\/le\\\":", 1),
            _ => line.to_owned(),
        };
        damaged.push_str(&line);
        damaged.push('\n');
    }
    let set = builtin();
    let report = |threads: usize, block: usize| {
        let path = std::path::Path::new("-");
        let limits = Limits {
            block,
            ..Limits::default()
        };
        let threads = std::num::NonZeroUsize::new(threads).unwrap();
        let mut options = CheckOptions {
            threads,
            ..options(path, &set)
        };
        options.settings.strict = false;
        options.settings.limits = limits;
        let report = check(&options, &mut damaged.as_bytes(), &Gauge::default());
        written(&report, "json")
    };
    let expected = report(1, 65_536);
    assert!(expected.contains("\"invalid-json\""), "{expected}");
    for (threads, block) in [
        (1, 4_096),
        (2, 65_536),
        (2, 4_096),
        (8, 16_384),
        (8, 16_384),
    ] {
        assert_eq!(
            report(threads, block),
            expected,
            "{threads} threads, {block} bytes"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Letters of names become escapes, of one level or two, in lower and upper case; quotes and backslashes too.
    #[test]
    fn names_with_escapes_are_found(
        seed in 0u64..40,
        har in any::<bool>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..6, any::<bool>()), 1..12),
    ) {
        let format = if har { Format::Har } else { Format::Ndjson };
        let settings = Settings { format, layout: Layout::Minified, hits: 100, seed };
        // The bodies before the last have decided the search terms.
        let (text, _) = traffic(settings, 800_000);
        let last = text.len() - 25_000;
        let mut text = String::from_utf8(text).unwrap();
        for (index, offset, upper) in edits {
            let names = ["isNegated", "snippet\\\"", "viewerInfo", "role", "documents", "inviter", "reactions", "/rest/"];
            let name = names[index.index(names.len())];
            let places: Vec<_> = text.match_indices(name).map(|(at, _)| at).filter(|&at| at > last).collect();
            if places.is_empty() {
                continue;
            }
            let at = places[index.index(places.len())] + offset.min(name.len() - 1);
            let byte = text.as_bytes()[at];
            let escape = if upper { format!("\\u00{byte:02X}") } else { format!("\\u00{byte:02x}") };
            // Inside a body that is a string, both are escapes: of the file, and of the body.
            let escape = if offset % 2 == 0 { escape } else { format!("\\{escape}") };
            text.replace_range(at..=at, &escape);
        }
        let set = builtin();
        prop_assert_eq!(report(text.as_bytes(), &set, true), report(text.as_bytes(), &set, false));
    }
}

#[test]
fn thousands_of_rules_give_the_same_report() {
    let mut rules = Vec::new();
    super::traffic::write_rules(2_000, 5, &mut rules).unwrap();
    let files = Files::new().with("rules.toml", rules);
    let mut config = sundown_run::config::Config::default();
    config.settings.rules.push(files.path("rules.toml"));
    let set = sundown_run::load_rules(
        RuleOptions::default(),
        crate::builtin::LIBRARY,
        &config,
        &sundown_files::FileAccess::default(),
    )
    .unwrap();
    let settings = Settings {
        format: Format::Ndjson,
        layout: Layout::Minified,
        hits: 20,
        seed: 9,
    };
    let (text, planted) = traffic(settings, 3_000_000);
    let report = assert_the_quick_walk_changes_nothing(&text, &set, "2,000 rules");
    assert_eq!(count_uses(&report), planted);
}

#[test]
fn bodies_that_only_filters_and_slices_match_are_not_ruled_out() {
    let rules = r#"
api = "Shop"
[[rule]]
id = "simple"
operation = "* /orders"
field = "total"
[[rule]]
id = "filtered"
operation = "POST /orders"
sides = ["request"]
field = "x"
at = ["$.items[?@.kind == 'old'].x", "$.last[-1:].x"]
[[rule]]
id = "excepted"
operation = "POST /orders"
sides = ["response"]
field = "y"
except = ["$.items[?@.live].y"]
"#;
    let set = RuleSet::new(vec![RuleFile::parse("test", rules).unwrap()]).unwrap();
    let (mut text, mut planted) = (String::new(), 0);
    for number in 0..3_000 {
        let (kind, member) = match number % 10 {
            3 => ("old", "items"),
            7 => ("new", "last"),
            _ => ("new", "items"),
        };
        let request = format!(r#"{{"n":{number},"{member}":[{{"kind":"{kind}","x":{number}}}]}}"#);
        let response = format!(r#"{{"items":[{{"y":{number},"live":true}}]}}"#);
        let response = if number % 10 == 5 {
            r#"{"items":[{"y":0}]}"#
        } else {
            &response
        };
        let request = serde_json::to_string(&request).unwrap();
        let record = format!(
            r#"{{"method":"POST","url":"/orders","body":{request},"response":{{"body":{response}}}}}"#
        );
        text.push_str(&record);
        text.push('\n');
        planted += usize::from([3, 5, 7].contains(&(number % 10)));
    }
    let report = assert_the_quick_walk_changes_nothing(text.as_bytes(), &set, "filters");
    assert_eq!(report.matches("\"seen\": 1").count(), planted);
}

/// Lines of traffic, followed by so much harmless traffic that they are read in blocks.
fn padded(lines: &[&str]) -> Vec<u8> {
    let harmless = r#"{"method":"GET","url":"/harmless","status":200,"body":{"a":"xxxxxxxxxxxxxxxxxxxxxxxxx"}}"#;
    let all = lines
        .iter()
        .copied()
        .chain(std::iter::repeat_n(harmless, 200));
    all.flat_map(|line| [line.as_bytes(), b"\n"])
        .collect::<Vec<_>>()
        .concat()
}

fn uses(report: &str) -> usize {
    report.matches("\"rule\": ").count()
}

#[test]
fn bodies_that_only_a_discriminator_matches_are_not_ruled_out() {
    let description = r##"{"openapi":"3.0.3","info":{"title":"T","version":"1"},"paths":{"/pets":{"post":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Pet"}}}},"responses":{}}}},"components":{"schemas":{
        "Pet":{"type":"object","properties":{"t":{"type":"string"}},"discriminator":{"propertyName":"t","mapping":{"dog":"#/components/schemas/Dog"}}},
        "Dog":{"allOf":[{"$ref":"#/components/schemas/Pet"},{"type":"object","properties":{"bark":{"deprecated":true}}}],"discriminator":{"propertyName":"b"}},
        "Poodle":{"allOf":[{"$ref":"#/components/schemas/Dog"},{"type":"object","properties":{"curl":{"deprecated":true}}}]}}}}"##;
    let read = |_: &str| -> std::io::Result<Vec<u8>> { Err(std::io::ErrorKind::NotFound.into()) };
    let description = sundown_openapi::Description::from_bytes(
        "api",
        description.as_bytes(),
        &read,
        sundown_openapi::MarkerOptions::default(),
    );
    let (file, _) = RuleFile::from_description("api", description.unwrap());
    let set = RuleSet::new(vec![file]).unwrap();
    for (body, expected) in [
        (r#"{"t":"dog","bark":1}"#, 1),
        (r#"{"bark":1,"t":"dog"}"#, 1),
        (r#"{"t":"cat","bark":1}"#, 0),
        (r#"{"t":"dog","b":"Poodle","curl":1,"bark":2}"#, 2),
        (r#"{"t":"Dog","bark":1}"#, 1),
        (r#"{"t":"Poodle","bark":1,"curl":1}"#, 2),
    ] {
        let line = format!(
            r#"{{"method":"POST","url":"/pets","request":{{"body":{body}}},"status":200}}"#
        );
        let report = assert_the_quick_walk_changes_nothing(&padded(&[&line]), &set, body);
        assert_eq!(uses(&report), expected, "{body}");
    }
}

#[test]
fn urls_that_end_in_white_space_are_distinguished() {
    let line = |url: &str| {
        format!(
            r#"{{"method":"POST","url":"{url}","response":{{"status":200,"body":{{"trackingToken":1}}}}}}"#
        )
    };
    let plain = "/rest/api/v1/getanswer";
    for first in [" ?x=1", "\u{a0}?x", " #", ""] {
        for second in [" ", "\u{a0}", "", "?x"] {
            let lines = [
                line(&format!("{plain}{first}")),
                line(&format!("{plain}{second}")),
            ];
            let text = padded(&[&lines[0], &lines[1]]);
            assert_the_quick_walk_changes_nothing(
                &text,
                &builtin(),
                &format!("{first:?} {second:?}"),
            );
        }
    }
}

#[test]
fn a_broken_line_in_a_body_hides_no_use_in_the_others() {
    let rules = "api = 'T'\n[[rule]]\nid = 'old'\noperation = 'POST /x'\nfield = 'old'\nat = ['$.res.old']\n";
    let set = RuleSet::new(vec![RuleFile::parse("test", rules).unwrap()]).unwrap();
    let good = r#"{"res":{"old":1}}"#;
    for broken in [
        r#"{"b":"2"x"}"#,
        r#"{"b":nope"}"#,
        r#"["a" "b" ,"c"d","e"]"#,
        r#"{"x":"a"b",nope}"#,
    ] {
        for body in [
            format!("{{\"a\":1}}\n{broken}\n{good}"),
            format!("{broken}\n{good}"),
            format!("{broken}\n{good}\n{broken}"),
            format!("{good}\n{broken}"),
        ] {
            let body = serde_json::to_string(&body).unwrap();
            let line = format!(
                r#"{{"method":"POST","url":"/x","response":{{"status":200,"body":{body}}}}}"#
            );
            let found = |is_quick| {
                let report = report(&padded(&[&line]), &set, is_quick);
                uses(&report)
            };
            assert_eq!(found(true).max(found(false)), found(false), "{line}");
            assert!(found(true) >= found(false), "{line}");
        }
    }
}

/// The findings of a report, without its skips: faults of a body in which nothing can match are not searched for.
fn findings(report: &str) -> &str {
    report.split_once("\"skipped\"").unwrap().0
}

/// Records of an operation with these bodies on one side, each as a string.
fn records(operation: (&str, &str), bodies: &[String]) -> Vec<String> {
    let (side, path) = operation;
    let record = |body: &String| {
        let body = serde_json::to_string(body).unwrap();
        format!(
            r#"{{"method":"POST","url":"/rest/api/v1/{path}","{side}":{{"status":200,"body":{body}}}}}"#
        )
    };
    bodies.iter().map(record).collect()
}

/// After a broken line of a body, reading continues on a later line, which is a body of its own: whatever the brackets
/// and quotes before it suggest, at any apparent depth.
#[test]
fn a_use_on_its_own_line_is_found_even_if_it_seems_to_be_inside_another_value() {
    let broken = [
        "{\"a\":1x\"\n{\"trackingToken\":1}\nc\"}",
        "{\"a\":t\n{\"trackingToken\":1}\nrue}",
        "{\"a\":1,x\n{\"trackingToken\":1}\n{\"z\":2}}",
        "{\"a\":1x\r\n \n\t{\"trackingToken\":1}\r\n2}",
    ];
    let ordinary = || (0..40).map(|number| format!("{{\"a\":{{\"trackingToken\":{number}}}}}"));
    let bodies: Vec<_> = ordinary().chain(broken.map(str::to_owned)).collect();
    for side in ["request", "response"] {
        let lines = records((side, "getcollection"), &bodies);
        let text = padded(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        let [with, without] = [true, false].map(|is_quick| report(&text, &builtin(), is_quick));
        assert_eq!(findings(&with), findings(&without), "{side}");
        assert_eq!(uses(&without), broken.len(), "{side}");
    }
}

/// Fragments of lines: some complete, some broken, some continuing over the line's end.
const PIECES: [&str; 17] = [
    r#"{"trackingToken":1}"#,
    r#"{"boardId":1,"role":2}"#,
    r#"{"a":{"trackingToken":1,"boardId":2,"role":3}}"#,
    r#"{"data":{"boardId":1}}"#,
    r#"[{"role":1}]"#,
    r#"{"a":1x""#,
    r#"c"}"#,
    r#"{"a":t"#,
    "rue}",
    "[2]",
    "{}",
    "x}",
    "1",
    r#"{"a":"b"#,
    r#"{"viewerInfo":{"role":1x}"#,
    r#"{"a":\"#,
    "",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn lines_of_broken_bodies_are_searched_as_if_each_were_a_body(
        bodies in prop::collection::vec(
            (
                prop::collection::vec(prop::sample::select(PIECES.to_vec()), 1..6),
                prop::sample::select(vec!["\n", "\r\n", "\n \n"]),
                any::<bool>(),
            ),
            80,
        ),
    ) {
        let joined: Vec<_> = bodies
            .into_iter()
            .map(|(lines, line_end, closed)| {
                let text = lines.join(line_end);
                let close = if text.starts_with('[') { "]" } else { "}" };
                format!("{text}{}", if closed { close } else { "" })
            })
            .collect();
        let mut lines = Vec::new();
        for operation in [
            ("request", "getcollection"),
            ("response", "getanswer"),
            ("response", "editanswer"),
            ("request", "createannouncement"),
        ] {
            lines.extend(records(operation, &joined));
        }
        let text = padded(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        let [with, without] = [true, false].map(|is_quick| report(&text, &builtin(), is_quick));
        prop_assert_eq!(findings(&with), findings(&without));
    }
}

/// An implementation that reads each value to its end separately would take hours.
#[test]
fn keys_nested_in_keys_of_the_same_name_are_read_in_linear_time() {
    let nested = |inside: &str, depth: usize| {
        let (open, close) = (r#"{"interactions":"#.repeat(depth), "}".repeat(depth));
        format!("{{\"x\":{{\"reactions\":1}},\"b\":{open}{inside}{close}}}")
    };
    let ordinary = || (0..40).map(|number| format!("{{\"a\":{{\"reactions\":{number}}}}}"));
    let deep = [
        nested("1", 60),
        nested(r#"{"reactions":2}"#, 60),
        nested("1", 100_000),
    ];
    let unclosed = format!("{{{}}}", r#""interactions":{"a":"#.repeat(100_000));
    let bodies: Vec<_> = ordinary().chain(deep).chain([unclosed]).collect();
    let lines = records(("response", "editanswer"), &bodies);
    let text = padded(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let [with, without] = [true, false].map(|is_quick| report(&text, &builtin(), is_quick));
    assert_eq!(findings(&with), findings(&without));
    assert_eq!(uses(&without), 1);
}

/// An implementation that goes back from each key to the enclosing bracket would take minutes.
#[test]
fn a_million_keys_in_one_object_are_followed_in_linear_time() {
    let ordinary = (0..40).map(|number| format!("{{\"a\":{{\"isNegated\":{number}}}}}"));
    let many = format!(
        "{{\"values\":{{{}}}}}",
        vec![r#""isNegated":1"#; 1_000_000].join(",")
    );
    let bodies: Vec<_> = ordinary.chain([many]).collect();
    let lines = records(("request", "search"), &bodies);
    let text = padded(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let [with, without] = [true, false].map(|is_quick| report(&text, &builtin(), is_quick));
    assert_eq!(findings(&with), findings(&without));
    assert_eq!(uses(&without), 0);
}

/// An implementation that follows the path of each look-alike to the beginning of the body would take minutes.
#[test]
fn look_alikes_in_free_form_maps_are_followed_in_linear_time() {
    let ordinary = || (0..40).map(|number| format!("{{\"a\":{{\"role\":{number}}}}}"));
    let map = |inside: &str, open: &str, close: &str, depth: usize| {
        let (open, close) = (open.repeat(depth), close.repeat(depth));
        format!("{{\"customData\":{open}{inside}{close}}}")
    };
    let flat = format!(
        "{{\"viewerInfo\":{{{}}}}}",
        vec![r#""role":1"#; 1_500].join(",")
    );
    let apart = vec![r#"{"viewerInfo":{"role":1}}"#; 600].join(",");
    let both = [
        flat,
        format!("[{apart}]"),
        format!("[{apart},{apart},{apart}]"),
    ];
    let deep = both.iter().flat_map(|inside| {
        [
            map(inside, "[", "]", 0),
            map(inside, "[", "]", 900),
            map(inside, r#"{"a":"#, "}", 50),
        ]
    });
    let used = format!("{{\"b\":[{apart}],\"viewerInfo\":{{\"role\":1}}}}");
    let deep: Vec<_> = deep
        .chain([used.replace("\"b\"", "\"customData\"")])
        .collect();
    let bodies: Vec<_> = ordinary()
        .chain((0..100).flat_map(|_| deep.clone()))
        .collect();
    let lines = records(("response", "search"), &bodies);
    let text = padded(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let [with, without] = [true, false].map(|is_quick| report(&text, &builtin(), is_quick));
    assert_eq!(findings(&with), findings(&without));
    assert_eq!(uses(&without), 100);
}

/// An entry without its closing brackets seems to contain the entries after it.
#[test]
fn an_entry_that_has_lost_its_end_hides_no_use_in_the_others() {
    let entry = |url: &str, body: &str| {
        format!(
            r#"{{"startedDateTime":"2026-11-19T00:00:00Z","time":7,"request":{{"method":"POST","url":"https://a.test{url}","headers":[{{"name":"a","value":"b"}}],"cookies":[],"queryString":[]}},"response":{{"status":200,"headers":[{{"name":"a","value":"b"}},{{"name":"c","value":"d"}}],"cookies":[{{"name":"e","value":"f"}}],"content":{{"mimeType":"application/json","text":{}}}}},"cache":{{}},"timings":{{"send":0,"wait":7,"receive":0}}}}"#,
            serde_json::to_string(body).unwrap(),
        )
    };
    let call = entry("/rest/api/v1/getanswer", r#"{"trackingToken":1}"#);
    let other = entry("/harmless", "{}");
    let archive = |broken: &str, after: &str| {
        let ends = [other.as_str(), broken, &call, &call, &other];
        format!(
            r#"{{"log":{{"version":"1.2","entries":[{},{}]{after}}}}}"#,
            vec![other.as_str(); 40].join(","),
            ends.join(","),
        )
    };
    let mut found = 0;
    for lost in 1..other.len() {
        for after in ["", r#","pages":[]"#] {
            let text = archive(&other[..other.len() - lost], after);
            let [with, without] =
                [true, false].map(|is_quick| report(text.as_bytes(), &builtin(), is_quick));
            assert_eq!(findings(&with), findings(&without), "{lost} bytes: {text}");
            found += uses(&without);
        }
    }
    assert!(found > other.len(), "only {found}");
}

#[test]
fn header_fields_are_found_in_every_form() {
    let rules = "api = 'T'\n[[rule]]\nid = 'old'\noperation = 'POST /x'\nheader = 'X-Old'\n";
    let set = RuleSet::new(vec![RuleFile::parse("test", rules).unwrap()]).unwrap();
    for headers in [
        r#"{"X-Old":"1"}"#,
        r#"[{"name":"x-old","value":"1"}]"#,
        r#"[["X-Old","1"]]"#,
        r#"{"x-old":["1"]}"#,
    ] {
        let line = format!(
            r#"{{"method":"POST","url":"/x","request":{{"headers":{headers},"body":{{"a":1}}}},"status":200}}"#
        );
        let report = assert_the_quick_walk_changes_nothing(&padded(&[&line, &line]), &set, headers);
        assert_eq!(uses(&report), 2, "{headers}");
    }
}

/// Traffic with these header fields in every tenth response, in one of several spellings.
fn with_header(text: &str, header: &str) -> String {
    let mut parts = text.split("\"headers\":");
    let mut out = parts.next().unwrap().to_owned();
    for (number, part) in parts.enumerate() {
        out.push_str("\"headers\":");
        // Both messages of a record have header fields; every second message is a response.
        match part.strip_prefix(['{', '[']).filter(|_| number % 20 == 19) {
            Some(rest) => {
                out.push_str(&part[..1]);
                out.push_str(header);
                out.push_str(if rest.starts_with(['}', ']']) {
                    ""
                } else {
                    ","
                });
                out.push_str(rest);
            }
            None => out.push_str(part),
        }
    }
    out
}

#[test]
fn exchanges_with_announcements_are_not_ruled_out() {
    let date = "Fri, 15 Jan 2027 23:59:59 GMT";
    for (format, header) in [
        (Format::Ndjson, format!(r#""SUNSET":"{date}""#)),
        (Format::Ndjson, format!(r#""sun\u0073et":"{date}""#)),
        (
            Format::Ndjson,
            r#""link":"</v2>; rel=\"successor-version\"""#.to_owned(),
        ),
        (
            Format::Har,
            format!(r#"{{"name":"Sunset","value":"{date}"}}"#),
        ),
        (
            Format::Har,
            format!(r#"{{"value":"{date}","name":"\u0053unset"}}"#),
        ),
        (
            Format::Har,
            r#"{"name":"X-Glean-Deprecated","value":"name=x;kind=field"}"#.to_owned(),
        ),
    ] {
        let settings = Settings {
            format,
            layout: Layout::Minified,
            hits: 5,
            seed: 4,
        };
        let (text, _) = traffic(settings, 300_000);
        let text = with_header(std::str::from_utf8(&text).unwrap(), &header);
        let report = assert_the_quick_walk_changes_nothing(text.as_bytes(), &builtin(), &header);
        assert!(
            report.contains("\"check\": \"announced-in-traffic\""),
            "{header}"
        );
    }
}

/// Rules of which only some values are uses: exact ones, beginnings, versions, with conditions, in all parts of a call.
const VALUE_RULES: &str = "api = 'Shop'
hosts = ['shop.test', '*.shop.test:8080']
[[rule]]
id = 'model'
operation = 'POST /run/{name}:now'
field = 'model'
at = ['$.model', '$..items[*].model']
values = ['old', 'old-1', 7, { starts_with = 'pre' }, { before = 'v3.0' }]
[[rule]]
id = 'kind'
operation = 'POST /run/{name}:now'
field = 'version'
value = 'old'
when = { field = 'kind', value = 'x' }
[[rule]]
id = 'both'
operation = 'POST /run/{name}:now'
field = 'items'
values = ['x', { starts_with = 'pre' }]
when = [{ field = 'kind', starts_with = ['pre', 'ol'] }, { at = '$.model', values = ['old', 7], before = 'v3.0' }]
[[rule]]
id = 'name'
operation = 'POST /run/{name}:now'
segment = 'name'
values = ['old', { starts_with = 'pre' }, { before = 'v3.0' }]
[[rule]]
id = 'query'
operation = 'POST /run/{name}:now'
parameter = 'version'
values = ['old', { starts_with = 'pre' }, { before = 'v3.0' }]
[[rule]]
id = 'head'
operation = 'POST /other/{name}:now'
header = 'X-Version'
values = ['old', { starts_with = 'pre' }, { before = 'v3.0' }]
[[rule]]
id = 'other'
operation = 'POST /other/{name}:now'
field = 'model'
value = 'x'
";

/// Where a value is in a body.
#[derive(Clone, Copy, Default)]
struct NaivePlace {
    is_root: bool,
    /// Whether it is an element or member of the value of `items`.
    is_item: bool,
    /// Whether it is the value of `items`.
    is_items: bool,
}

/// Adds the ids of the rules that a naive reading of a value in the body `root` finds.
fn naive_uses(root: &Value, value: &Value, place: NaivePlace, found: &mut Vec<String>) {
    let inside = NaivePlace {
        is_item: place.is_items,
        ..NaivePlace::default()
    };
    match value {
        Value::Array(items) => items
            .iter()
            .for_each(|item| naive_uses(root, item, inside, found)),
        Value::Object(members) => {
            let may_be_model = place.is_root || place.is_item;
            let kind_has = |test: &dyn Fn(&str) -> bool| naive_condition(members.get("kind"), test);
            let meets_both = || {
                let is_model = |text: &str| ["old", "7", "v2.5"].contains(&text);
                kind_has(&|text| text.starts_with("pre") || text.starts_with("ol"))
                    && naive_condition(root.get("model"), &is_model)
            };
            for (key, inner) in members {
                let mut own: Vec<String> = Vec::new();
                for text in naive_texts(inner) {
                    let id = match (key.as_str(), text.as_str()) {
                        ("model", _) if !may_be_model => continue,
                        ("model", "old-1" | "7") => format!("model-{text}"),
                        ("model", text) => match naive_value("model", text) {
                            Some(id) => id,
                            None => continue,
                        },
                        ("version", "old") if kind_has(&|text| text == "x") => "kind".to_owned(),
                        ("items", "x") if meets_both() => "both-x".to_owned(),
                        ("items", text) if text.starts_with("pre") && meets_both() => {
                            "both-pre".to_owned()
                        }
                        _ => continue,
                    };
                    if !own.contains(&id) {
                        own.push(id);
                    }
                }
                found.extend(own);
                let place = NaivePlace {
                    is_items: key == "items",
                    ..inside
                };
                naive_uses(root, inner, place, found);
            }
        }
        _ => {}
    }
}

/// The id of the rule of an entry with the values `old`, those that begin with `pre`, and those before `v3.0`.
fn naive_value(entry: &str, text: &str) -> Option<String> {
    let value = match text {
        "old" => "old",
        "v2.5" => "before-v3-0",
        text if text.starts_with("pre") => "pre",
        _ => return None,
    };
    Some(format!("{entry}-{value}"))
}

/// Whether a member, or a scalar in its list, meets a condition.
fn naive_condition(member: Option<&Value>, test: &dyn Fn(&str) -> bool) -> bool {
    match member {
        Some(Value::Array(list)) => list
            .iter()
            .filter(|item| !item.is_array())
            .any(|item| naive_texts(item).iter().any(|text| test(text))),
        Some(one) => naive_texts(one).iter().any(|text| test(text)),
        None => false,
    }
}

/// The number of members called `model` that are or list `x`.
fn naive_count(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(naive_count).sum(),
        Value::Object(members) => {
            let is_use =
                |key: &str, inner| key == "model" && naive_texts(inner).iter().any(|it| it == "x");
            members
                .iter()
                .map(|(key, inner)| usize::from(is_use(key, inner)) + naive_count(inner))
                .sum()
        }
        _ => 0,
    }
}

/// The text of a scalar, or of the scalars of a list up to its first container.
fn naive_texts(value: &Value) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(_) | Value::Array(_) => None,
        other => Some(other.to_string()),
    };
    match value {
        Value::Array(list) => list.iter().map_while(text).collect(),
        one => text(one).into_iter().collect(),
    }
}

/// Values in a path or a query as they are written, and what they are.
const CALL_VALUES: [(&str, &str); 9] = [
    ("", ""),
    ("old", "old"),
    ("%6fld", "old"),
    ("older", "older"),
    ("pre%20x", "pre x"),
    ("xpre", "xpre"),
    ("v2.5", "v2.5"),
    ("v%32.5", "v2.5"),
    ("v3.0", "v3.0"),
];

/// The beginning of a URL, further header fields, and whether they go to a host of [`VALUE_RULES`].
const CALL_HOSTS: [(&str, &str, bool); 9] = [
    ("", "", true),
    ("https://shop.test", "", true),
    ("https://shop.test", r#","host":"other.test""#, true),
    ("https://other.test", r#","host":"shop.test""#, false),
    ("", r#","host":"shop.test""#, true),
    ("", r#","H\u006fst":"a.shop.test:8080""#, true),
    ("", r#","Host":"a.shop.test:9""#, false),
    ("", r#","Host":"other.test""#, false),
    ("", r#","Host":"{{host}}""#, true),
];

/// A body with the fields of [`VALUE_RULES`] in many places.
fn value_body() -> impl Strategy<Value = Value> {
    let texts = [
        "old", "old-1", "olds", "Old", "pre", "prefix", "xpre", "v2.5", "v3.0", "v2", "x", "a\"b",
        "ä",
    ];
    let leaf = prop_oneof![
        prop::sample::select(texts.to_vec()).prop_map(Value::from),
        prop::sample::select(vec![7, 77, -7]).prop_map(Value::from),
        Just(Value::Null),
        Just(Value::from("{\"model\":\"old\"}")),
    ];
    let key = prop::sample::select(vec!["model", "version", "kind", "items", "models", "old"]);
    let value = leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            2 => prop::collection::btree_map(key.clone(), inner, 0..4).prop_map(|members| {
                Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
        ]
    });
    value.prop_map(|value| {
        if value.is_object() {
            value
        } else {
            serde_json::json!({"items": [value]})
        }
    })
}

/// The text of a value, with some letters of its strings as escapes.
fn with_escapes(value: &Value, escapes: bool) -> String {
    let text = value.to_string();
    if escapes {
        text.replace("old", r"\u006fld")
            .replace("odel", r"od\u0065l")
    } else {
        text
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn value_rules_find_what_a_naive_reading_finds_with_and_without_the_quick_walk(
        calls in prop::collection::vec(
            (
                (value_body(), any::<bool>(), any::<bool>()),
                (1..CALL_VALUES.len(), 0..CALL_VALUES.len(), 0..CALL_HOSTS.len(), any::<bool>()),
            ),
            1..30,
        ),
    ) {
        let file = RuleFile::parse("test", VALUE_RULES).unwrap();
        let set = RuleSet::new(vec![file]).unwrap();
        let mut expected = Vec::new();
        let mut text = String::new();
        for ((body, is_in_string, escapes), (segment, other, host, is_run)) in &calls {
            let ((segment, name), (other, value)) = (CALL_VALUES[*segment], CALL_VALUES[*other]);
            let (origin, fields, is_served) = CALL_HOSTS[*host];
            let (path, query) = match (is_run, other) {
                // Without a query, nothing but the body and the path decides.
                (true, "") => (format!("/run/{segment}"), String::new()),
                (true, _) => (format!("/run/{segment}"), format!("?version={other}")),
                (false, _) => (format!("/other/{segment}"), String::new()),
            };
            let mut own = Vec::new();
            if *is_run {
                naive_uses(body, body, NaivePlace { is_root: true, ..NaivePlace::default() }, &mut own);
                own.extend(naive_value("name", name));
                own.extend(naive_value("query", value));
            } else {
                own.extend(naive_value("head", value));
                own.resize(own.len() + naive_count(body), "other".to_owned());
            }
            expected.extend(own.into_iter().filter(|_| is_served));
            let header = if *is_run { "1" } else { value };
            let body = with_escapes(body, *escapes);
            let body = if *is_in_string { serde_json::to_string(&body).unwrap() } else { body };
            let record = format!(
                "{{\"method\":\"POST\",\"url\":\"{origin}{path}:now{query}\",\"request\":{{\"headers\":{{\"x-version\":\" {header} \"{fields}}},\"body\":{body}}}}}\n"
            );
            text.push_str(&record);
        }
        let report = assert_the_quick_walk_changes_nothing(text.as_bytes(), &set, "values");
        let report: Value = serde_json::from_str(&report).unwrap();
        let mut found = Vec::new();
        for finding in report["findings"].as_array().unwrap() {
            found.push(finding["rule"].as_str().unwrap().to_owned());
            for related in finding["related"].as_array().into_iter().flatten() {
                found.push(related["rule"].as_str().unwrap().to_owned());
            }
        }
        found.sort();
        expected.sort();
        prop_assert_eq!(found, expected, "{}", text);
    }
}
