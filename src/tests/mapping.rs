//! What a configuration says about inputs: bare bodies, logs in a custom layout, the hosts of an API, and the severity of
//! single rules.

use crate::builtin::LIBRARY;
use std::iter;

use sundown_captures::{Gauge, LogShapes};
use sundown_files::Names;
use sundown_lint::findings::Finding;
use sundown_lint::findings::suppression::Completeness;
use sundown_lint::rules::{Lifecycle, RuleFile, RuleTable, Severity};
use sundown_report::{Failure, Report};
use sundown_run::config::Config;
use sundown_run::{AppliedConfig, CheckOptions, apply_config, check};
use sundown_text_json::Limits;

use super::support::{Files, date, load_builtin, options, written};

/// A shop whose API has a base path, with one deprecated field in orders and one endpoint.
const SHOP: &str = r#"
api = "Shop"
base_path = "/api/v1"
[[rule]]
id = "order-code"
operation = "POST /api/v1/orders"
field = "code"
at = ["$.code"]
removal = 2026-12-01
[[rule]]
id = "order-legacy"
operation = "GET /api/v1/orders/{id}"
removal = 2027-12-01
"#;

/// Another API that has an operation with the same path.
const BANK: &str = r#"
api = "Bank"
[[rule]]
id = "bank-orders"
operation = "POST /api/v1/orders"
removal = 2027-12-01
[[rule]]
id = "bank-code"
operation = "POST /api/v1/orders"
field = "code"
at = ["$..code"]
"#;

fn table(files: &[&str]) -> RuleTable {
    let file =
        |(number, text): (usize, &&str)| RuleFile::parse(&format!("file{number}"), text).unwrap();
    RuleTable::new(files.iter().enumerate().map(file).collect()).unwrap()
}

fn config(text: &str) -> Config {
    Config::parse("sundown.toml", text)
        .unwrap_or_else(|error| panic!("{}", Failure::from(error).text()))
}

fn settled(text: &str, table: &mut RuleTable) -> AppliedConfig {
    apply_config(&config(text), table, Completeness::Complete, LIBRARY)
        .unwrap_or_else(|error| panic!("{}", Failure::from(error).text()))
}

/// The mistakes of a configuration that its own reader does not see: message, place and help.
fn refused(text: &str, table: &mut RuleTable) -> Vec<(String, String, String)> {
    let mistakes = apply_config(&config(text), table, Completeness::Complete, LIBRARY)
        .unwrap_err()
        .mistakes;
    let all = mistakes.into_iter().map(|mistake| {
        (
            mistake.message,
            text[mistake.span].to_owned(),
            mistake.help.unwrap_or_default(),
        )
    });
    all.collect()
}

/// The mistakes that the reader itself reports.
fn misread(text: &str) -> Vec<(String, String)> {
    let mistakes = Config::parse("sundown.toml", text).unwrap_err().mistakes;
    mistakes
        .into_iter()
        .map(|m| (m.message, m.help.unwrap_or_default()))
        .collect()
}

/// A report on files, with what a configuration says about them.
fn report(files: &Files, text: &str, mut table: RuleTable) -> Report {
    let logs = config(text).logs;
    let AppliedConfig {
        payloads, grades, ..
    } = settled(text, &mut table);
    let root = files.path("");
    let options = CheckOptions {
        payloads,
        logs: LogShapes::new(logs),
        grades,
        names: Names::new(Some(&root)),
        fold: false,
        ..options(&root, &table)
    };
    check(&options, &mut &b""[..], &Gauge::default())
}

/// A report on lines of traffic, in blocks, with the quick walk or without.
fn of_lines(text: &[u8], written: &str, table: fn() -> RuleTable, is_quick: bool) -> Report {
    let mut table = table();
    let logs = config(written).logs;
    let AppliedConfig {
        payloads, grades, ..
    } = settled(written, &mut table);
    let limits = Limits {
        block: 4096,
        ..Limits::default()
    };
    let mut options = CheckOptions {
        payloads,
        logs: LogShapes::new(logs),
        grades,
        fold: false,
        ..options("-".as_ref(), &table)
    };
    options.settings.strict = !is_quick;
    options.settings.limits = limits;
    check(&options, &mut &*text, &Gauge::default())
}

/// Asserts the same report with and without the quick walk, and returns its findings as `file:rule operation`.
fn found(text: &[u8], config: &str, table: fn() -> RuleTable) -> Vec<String> {
    let (with, without) = (
        of_lines(text, config, table, true),
        of_lines(text, config, table, false),
    );
    assert_eq!(
        written(&with, "json"),
        written(&without, "json"),
        "the quick walk changes the report"
    );
    rules(&with)
}

fn rules(report: &Report) -> Vec<String> {
    let ids = report.findings.iter().flat_map(|located| {
        let related = located.finding.related.iter().map(|related| &related.rule);
        iter::once(&located.finding.rule.id).chain(related)
    });
    ids.cloned().collect()
}

fn graded(report: &Report) -> Vec<(String, Severity)> {
    let grade = |finding: &Finding| (finding.code().into_owned(), finding.severity);
    report
        .findings
        .iter()
        .map(|located| grade(&located.finding))
        .collect()
}

fn reasons(report: &Report) -> Vec<&'static str> {
    report
        .skipped
        .iter()
        .map(|skipped| skipped.reason.name())
        .collect()
}

/// Lines followed by so much harmless traffic that they are read in blocks.
fn padded(lines: &[String]) -> Vec<u8> {
    let harmless = r#"{"method":"GET","url":"/harmless","status":200,"body":{"a":"xxxxxxxxxxxxxxxxxxxxxxxxx"}}"#;
    let all = lines
        .iter()
        .map(String::as_str)
        .chain(std::iter::repeat_n(harmless, 200));
    all.flat_map(|line| [line.as_bytes(), b"\n"])
        .collect::<Vec<_>>()
        .concat()
}

mod payload {
    use super::*;

    const CONFIG: &str = r#"
[[payload]]
files = "fixtures/*.json"
operation = "orders"
side = "request"
[[payload]]
files = ["fixtures", "other.txt"]
operation = "POST /api/v1/orders"
"#;

    /// The findings of a report, each as file, rule and side.
    fn uses(report: &Report) -> Vec<String> {
        let one = |placed: &sundown_report::LocatedFinding| {
            let Finding { rule, found, .. } = &placed.finding;
            format!(
                "{} {} {}",
                placed.file.rsplit('/').next().unwrap(),
                rule.id,
                found.part.name()
            )
        };
        report.findings.iter().map(one).collect()
    }

    #[test]
    fn the_first_matching_payload_entry_names_the_operation() {
        let body = r#"{"code": 1}"#;
        let files = Files::new()
            .with("fixtures/a.json", body)
            .with("fixtures/b.txt", body)
            .with("fixtures/c.log", format!("{body}\n{body}\n"))
            .with("elsewhere/d.json", body);
        let report = report(&files, CONFIG, table(&[SHOP]));
        assert_eq!(
            uses(&report),
            [
                "a.json order-code request",
                "b.txt order-code request",
                "b.txt order-code response",
                "c.log order-code request",
                "c.log order-code response",
                "c.log order-code request",
                "c.log order-code response",
            ]
        );
        assert_eq!(reasons(&report), ["no-operation"]);
    }

    #[test]
    fn payload_entries_override_envelopes_and_file_names_but_not_archives() {
        let envelope = r#"{"method":"GET","url":"/api/v1/orders/7","code":1}"#;
        let har = r#"{"log":{"entries":[{"request":{"method":"GET","url":"/api/v1/orders/7"}}]}}"#;
        let files = Files::new()
            .with("fixtures/envelope.json", envelope)
            .with("fixtures/orders.response.json", r#"{"code":1}"#)
            .with("fixtures/traffic.json", har)
            .with("named/orders.response.json", r#"{"code":1}"#);
        let report = report(&files, CONFIG, table(&[SHOP]));
        assert_eq!(
            uses(&report),
            [
                "envelope.json order-code request",
                "orders.response.json order-code request",
                "traffic.json order-legacy operation",
                "orders.response.json order-code response",
            ]
        );
    }

    #[test]
    fn an_operation_on_the_command_line_overrides_payload_entries() {
        let files = Files::new().with("fixtures/a.json", r#"{"code":1}"#);
        let mut table = table(&[SHOP]);
        let AppliedConfig { payloads, .. } = settled(CONFIG, &mut table);
        let operation =
            sundown_run::resolve_operation_name("GET /api/v1/orders/7", &table).unwrap();
        let sides = sundown_lint::rules::Sides::Both;
        let named = Some(sundown_run::BodyOperation { operation, sides });
        let root = files.path("");
        let options = CheckOptions {
            payloads,
            named,
            names: Names::new(Some(&root)),
            ..options(&root, &table)
        };
        let report = check(&options, &mut &b""[..], &Gauge::default());
        assert_eq!(rules(&report), ["order-legacy"]);
    }

    #[test]
    fn a_mapped_body_that_is_not_json_is_reported_as_broken() {
        let files = Files::new().with("fixtures/a.json", "code: 1\n");
        let report = report(&files, CONFIG, table(&[SHOP]));
        assert_eq!(reasons(&report), ["invalid-json"]);
    }

    #[test]
    fn an_unknown_operation_name_is_a_mistake_and_an_unknown_path_a_warning() {
        let text = "\n[[payload]]\nfiles = \"a\"\noperation = \"oders\"\n";
        let reported = refused(text, &mut table(&[SHOP]));
        assert_eq!(reported.len(), 1);
        assert!(
            reported[0]
                .0
                .contains("no operation of the rules ends in `oders`"),
            "{reported:?}"
        );
        assert_eq!(reported[0].1, "\"oders\"");
        assert!(
            reported[0].2.contains("`POST /api/v1/orders`"),
            "{reported:?}"
        );
        let text = "[[payload]]\nfiles = \"a\"\noperation = \"POST /api/v1/oders\"\n";
        let warnings = settled(text, &mut table(&[SHOP])).warnings;
        assert_eq!(warnings.len(), 1);
        assert!(
            warnings[0].starts_with("sundown.toml:3:13: no rule covers"),
            "{warnings:?}"
        );
        assert!(
            warnings[0].contains("`POST /api/v1/orders`"),
            "{warnings:?}"
        );
    }
}

mod severity {
    use Severity::{Error, Note, Warning};

    use super::*;

    #[test]
    fn a_configured_severity_overrides_the_days_left() {
        let line = r#"{"method":"POST","url":"/api/v1/orders","request":{"body":{"code":1}},"response":{"status":200,"body":{"code":1}}}"#;
        let graded = |config: &str, cap| {
            let mut table = table(&[SHOP]);
            settled(config, &mut table);
            let lifecycle = Lifecycle {
                response_cap: cap,
                ..Lifecycle::on(date("2026-12-24"))
            };
            let mut options = options("-".as_ref(), &table);
            options.settings.lifecycle = lifecycle;
            let report = check(&options, &mut line.as_bytes(), &Gauge::default());
            report
                .findings
                .iter()
                .map(|placed| placed.finding.severity)
                .collect::<Vec<_>>()
        };
        assert_eq!(graded("", None), [Error, Error]);
        assert_eq!(
            graded("[severity]\norder-code = \"note\"\n", None),
            [Note, Note]
        );
        assert_eq!(
            graded("[severity]\norder-code = \"error\"\n", Some(Warning)),
            [Error, Warning]
        );
        assert_eq!(
            graded("[severity]\norder-legacy = \"error\"\n", None),
            [Error, Error]
        );
    }

    #[test]
    fn a_rule_that_is_off_is_not_matched_and_blocks_no_other() {
        let lines = [r#"{"method":"POST","url":"/api/v1/orders","body":{"code":1}}"#.to_owned()];
        let both = || table(&[SHOP, BANK]);
        // The more specific selector is the shop's.
        assert_eq!(
            found(&padded(&lines), "", both),
            ["bank-orders", "order-code"]
        );
        let off = "[severity]\norder-code = \"off\"\nbank-orders = \"off\"\n";
        assert_eq!(found(&padded(&lines), off, both), ["bank-code"]);
        let all = "[severity]\norder-code = \"off\"\norder-legacy = \"off\"\n";
        let report = of_lines(lines[0].as_bytes(), all, || table(&[SHOP]), true);
        assert_eq!((report.findings.len(), report.summary.no_rule), (0, 1));
    }

    /// A description that declares the shop's field, in three ways not as it should.
    const DESCRIPTION: &str = r#"{"openapi":"3.0.3","info":{"title":"T","version":"1"},"servers":[{"url":"https://a.test/api/v1"}],
        "paths":{"/orders":{"post":{"requestBody":{"content":{"application/json":{"schema":{"type":"object","required":["code"],"properties":{
            "code":{"type":"string","deprecated":true},"other":{"deprecated":true}}}}}},"responses":{}}},
            "/orders/{id}":{"get":{"responses":{}}}}}"#;

    fn described(config: &str) -> Vec<(String, Severity)> {
        let files = Files::new().with("api.json", DESCRIPTION);
        graded(&report(&files, config, table(&[SHOP])))
    }

    #[test]
    fn checks_of_descriptions_are_graded_by_id_and_by_report_name() {
        let plain = [
            ("exposed/order-code", Error),
            ("undated/order-code", Warning),
            ("still-required/order-code", Warning),
            ("unknown-to-table", Note),
            ("exposed/order-legacy", Warning),
            ("unmarked/order-legacy", Warning),
        ];
        let sorted = |mut all: Vec<(String, Severity)>| {
            all.sort();
            all
        };
        let expected = |all: &[(&str, Severity)]| {
            sorted(
                all.iter()
                    .map(|(code, severity)| ((*code).to_owned(), *severity))
                    .collect(),
            )
        };
        assert_eq!(sorted(described("")), expected(&plain));
        let config = "[severity]\norder-code = \"note\"\nexposed = \"off\"\n\"exposed/order-code\" = \"warning\"\n\
                      undated = \"error\"\nunknown-to-table = \"off\"\nstill-required = \"note\"\n";
        let changed = [
            ("exposed/order-code", Warning),
            ("undated/order-code", Error),
            ("still-required/order-code", Note),
            ("unmarked/order-legacy", Warning),
        ];
        assert_eq!(sorted(described(config)), expected(&changed));
        let by_rule = "[severity]\norder-code = \"note\"\n";
        let found = described(by_rule);
        assert!(
            found.contains(&("exposed/order-code".to_owned(), Note)),
            "{found:?}"
        );
        assert!(
            found.contains(&("undated/order-code".to_owned(), Warning)),
            "{found:?}"
        );
    }

    #[test]
    fn a_rule_that_is_off_is_still_a_known_rule() {
        let codes: Vec<_> = described("[severity]\norder-code = \"off\"\n");
        let codes: Vec<_> = codes.iter().map(|(code, _)| code.as_str()).collect();
        assert_eq!(
            codes,
            [
                "unknown-to-table",
                "exposed/order-legacy",
                "unmarked/order-legacy"
            ]
        );
    }

    #[test]
    fn an_unknown_check_is_a_mistake_for_any_rule() {
        let text = "[severity]\n\"expos/getanswer-tracking-token\" = \"off\"\n";
        for mut table in [table(&[SHOP]), load_builtin()] {
            let reported = refused(text, &mut table);
            assert!(
                reported[0].2.contains("the nearest is `exposed`"),
                "{reported:?}"
            );
        }
    }

    #[test]
    fn unknown_ids_are_mistakes_with_a_suggestion() {
        let text = "[severity]\norder-cod = \"off\"\nexposd = \"off\"\n\"exposed/order-cod\" = \"off\"\n\"expose/order-code\" = \"off\"\n";
        let reported = refused(text, &mut table(&[SHOP]));
        let said: Vec<_> = reported
            .iter()
            .map(|(message, at, help)| {
                (
                    message.as_str(),
                    at.as_str(),
                    help.split('`').nth(1).unwrap(),
                )
            })
            .collect();
        assert_eq!(
            said,
            [
                (
                    "there is no rule or check `order-cod`",
                    "order-cod",
                    "order-code"
                ),
                ("there is no rule or check `exposd`", "exposd", "exposed"),
                (
                    "there is no rule or check `exposed/order-cod`",
                    "\"exposed/order-cod\"",
                    "order-code"
                ),
                (
                    "there is no rule or check `expose/order-code`",
                    "\"expose/order-code\"",
                    "exposed"
                ),
            ]
        );
    }
}

mod api {
    use super::*;

    fn shop() -> RuleTable {
        table(&[SHOP])
    }

    fn both() -> RuleTable {
        table(&[SHOP, BANK])
    }

    fn call(url: &str) -> String {
        format!(r#"{{"method":"POST","url":"{url}","body":{{"code":1}}}}"#)
    }

    const HOSTS: &str =
        "[[api]]\napi = \"Shop\"\nhosts = [\"shop.test\", \"*.shop.test\", \"gate.test:8443\"]\n";

    #[test]
    fn calls_to_other_hosts_match_no_operation() {
        for (url, expected) in [
            ("https://shop.test/api/v1/orders", 1),
            ("https://EU.Shop.test:444/api/v1/orders?x=1", 1),
            ("https://gate.test:8443/x/api/v1/orders", 1),
            ("https://gate.test/api/v1/orders", 0),
            ("https://bank.test/api/v1/orders", 0),
            ("//bank.test/api/v1/orders", 0),
            ("/api/v1/orders", 1),
            ("{{base}}/api/v1/orders", 1),
            ("https://{{host}}/api/v1/orders", 1),
        ] {
            // Some before and after, so that what is cached for one call is not used for another.
            let lines = [
                call("https://shop.test/api/v1/orders"),
                call("https://bank.test/api/v1/orders"),
                call("/api/v1/orders"),
                call(url),
            ];
            assert_eq!(
                found(&padded(&lines), HOSTS, shop).len(),
                2 + expected,
                "{url}"
            );
        }
    }

    #[test]
    fn a_host_outside_the_url_is_matched() {
        let rest = r#""body":{"code":1}"#;
        for (host, expected) in [("shop.test", 1), ("eu.shop.test:80", 1), ("bank.test", 0)] {
            for line in [
                format!(
                    r#"{{"method":"POST","url":"/api/v1/orders","headers":{{"Host":"{host}"}},{rest}}}"#
                ),
                format!(
                    r#"{{"req":{{"method":"POST","url":"/api/v1/orders","headers":[["host","{host}"]],{rest}}},"res":{{}}}}"#
                ),
                format!(
                    r#"{{"request":{{"method":"POST","host":"{host}","uri":"/api/v1/orders",{rest}}},"status":200}}"#
                ),
                format!(
                    r#"{{"http.request.method":"POST","url":{{"path":"/api/v1/orders","domain":"{host}"}},"http.request.body":{{"code":1}}}}"#
                ),
                format!(
                    r#"{{"attributes":[{{"key":"http.request.method","value":{{"stringValue":"POST"}}}},{{"key":"url.path","value":{{"stringValue":"/api/v1/orders"}}}},{{"key":"server.address","value":{{"stringValue":"{host}"}}}},{{"key":"http.request.body","value":{{"stringValue":"{{\"code\":1}}"}}}}]}}"#
                ),
            ] {
                let lines = [
                    line.clone(),
                    line.clone(),
                    call("https://shop.test/api/v1/orders"),
                ];
                assert_eq!(
                    found(&padded(&lines), HOSTS, shop).len(),
                    1 + 2 * expected,
                    "{line}"
                );
            }
            let entry = format!(
                r#"{{"request":{{"method":"POST","url":"/api/v1/orders","headers":[{{"name":":authority","value":"{host}"}}],"postData":{{"text":"{{\"code\":1}}"}}}},"response":{{"status":200,"headers":[],"content":{{"size":0}}}}}}"#
            );
            let har = format!(r#"{{"log":{{"entries":[{}]}}}}"#, vec![entry; 60].join(","));
            assert_eq!(
                found(har.as_bytes(), HOSTS, shop).len(),
                60 * expected,
                "{host}"
            );
        }
    }

    #[test]
    fn apis_on_several_hosts_are_matched() {
        let config = format!("{HOSTS}[[api]]\napi = \"Bank\"\nhosts = [\"bank.test\"]\n");
        let lines = [
            "https://bank.test",
            "https://shop.test",
            "https://other.test",
            "",
        ]
        .map(|host| call(&format!("{host}/api/v1/orders")));
        for (line, expected) in lines.iter().zip([
            &["bank-orders", "bank-code"][..],
            &["order-code"],
            &[],
            &["bank-orders", "order-code"],
        ]) {
            let lines = padded(std::slice::from_ref(line));
            assert_eq!(found(&lines, &config, both), expected, "{line}");
        }
        assert_eq!(found(&padded(&lines), &config, both).len(), 5);
    }

    #[test]
    fn entries_without_a_name_apply_to_all_apis_and_add_up() {
        let config = format!("{HOSTS}[[api]]\nhosts = [\"both.test\"]\n");
        let rules = |host: &str| {
            found(
                &padded(&[call(&format!("https://{host}/api/v1/orders"))]),
                &config,
                both,
            )
        };
        assert_eq!(rules("both.test"), ["bank-orders", "order-code"]);
        assert_eq!(rules("shop.test"), ["order-code"]);
    }

    #[test]
    fn operations_match_under_other_base_paths_and_are_reported_by_their_own() {
        let config = "[[api]]\nbase-paths = [\"/gate\", \"/{tenant}/shop\"]\n";
        for (url, expected) in [
            ("/gate/orders", 1),
            ("https://h.test/proxy/gate/orders/", 1),
            ("/acme/shop/orders", 1),
            ("/x/acme/shop/orders", 0),
            ("/api/v1/orders", 1),
            ("/orders", 0),
            ("/gate/v1/orders", 0),
        ] {
            let text = padded(&[call(url), call(url)]);
            assert_eq!(found(&text, config, shop).len(), 2 * expected, "{url}");
            let report = of_lines(&text, config, shop, true);
            for placed in &report.findings {
                assert_eq!(&*placed.finding.found.operation, "POST /api/v1/orders");
            }
        }
        let got = r#"{"method":"GET","url":"/gate/orders/7"}"#.to_owned();
        assert_eq!(found(&padded(&[got]), config, shop), ["order-legacy"]);
    }

    #[test]
    fn a_single_slash_is_the_root_path() {
        let config = "[[api]]\nbase-paths = [\"/\"]\n";
        for (url, expected) in [
            ("https://h.test/orders", 1),
            ("/orders", 1),
            ("/x/orders", 0),
        ] {
            assert_eq!(
                found(&padded(&[call(url)]), config, shop).len(),
                expected,
                "{url}"
            );
        }
    }

    #[test]
    fn base_paths_apply_only_to_the_hosts_of_the_same_entry() {
        let config = "[[api]]\napi = \"Shop\"\nhosts = [\"gate.test\"]\nbase-paths = [\"/gate\"]\n\
                      [[api]]\napi = \"Shop\"\nhosts = [\"shop.test\"]\n";
        for (url, expected) in [
            ("https://gate.test/gate/orders", 1),
            ("https://gate.test/api/v1/orders", 1),
            ("https://shop.test/gate/orders", 0),
            ("https://shop.test/api/v1/orders", 1),
            ("https://bank.test/api/v1/orders", 0),
            ("/gate/orders", 1),
        ] {
            assert_eq!(
                found(&padded(&[call(url)]), config, shop).len(),
                expected,
                "{url}"
            );
        }
    }

    #[test]
    fn a_base_path_of_one_api_does_not_apply_to_another() {
        let text = BANK.replace("api = \"Bank\"", "api = \"Bank\"\nbase_path = \"/api\"");
        let two = table(&[SHOP, &text]);
        let mut table = two;
        settled(
            "[[api]]\napi = \"Bank\"\nbase-paths = [\"/bank\"]\n",
            &mut table,
        );
        let options = options("-".as_ref(), &table);
        let line = call("/bank/v1/orders");
        let report = check(&options, &mut line.as_bytes(), &Gauge::default());
        assert_eq!(rules(&report), ["bank-orders", "bank-code"]);
    }

    #[test]
    fn the_servers_of_a_description_are_its_base_paths() {
        let description = r#"{"openapi":"3.0.3","info":{"title":"Described","version":"1"},"servers":[{"url":"https://a.test/api/v1"},{"url":"/"}],
            "paths":{"/orders":{"post":{"deprecated":true,"requestBody":{"content":{"application/json":{"schema":{"properties":{"code":{"deprecated":true}}}}}},"responses":{}}}}}"#;
        let files = Files::new().with("api.json", description);
        let mut config = Config::default();
        config.settings.builtin_rules = false;
        config.settings.rules.push(files.path("api.json"));
        let table =
            sundown_run::load_rules(LIBRARY, &config, &sundown_files::FileAccess::default());
        let mut table = table.unwrap();
        settled(
            "[[api]]\napi = \"Described\"\nhosts = [\"a.test\"]\nbase-paths = [\"/gate/v2\"]\n",
            &mut table,
        );
        let options = options("-".as_ref(), &table);
        for (url, expected) in [
            ("https://a.test/gate/v2/orders", 2),
            ("https://b.test/orders", 0),
        ] {
            let report = check(&options, &mut call(url).as_bytes(), &Gauge::default());
            assert_eq!(rules(&report).len(), expected, "{url}");
        }
    }

    #[test]
    fn the_built_in_tables_have_two_names() {
        for name in ["Client API", "client-api"] {
            let mut table = load_builtin();
            settled(
                &format!("[[api]]\napi = \"{name}\"\nbase-paths = [\"/glean\"]\n"),
                &mut table,
            );
            let options = options("-".as_ref(), &table);
            let line = r#"{"method":"POST","url":"/glean/getanswer","response":{"status":200,"body":{"trackingToken":"x"}}}"#;
            let report = check(&options, &mut line.as_bytes(), &Gauge::default());
            let [only] = report.findings.as_slice() else {
                panic!("{:?}", rules(&report))
            };
            assert_eq!(
                &*only.finding.found.operation,
                "POST /rest/api/v1/getanswer"
            );
        }
    }

    #[test]
    fn an_api_without_rules_is_a_mistake() {
        let reported = refused(
            "[[api]]\napi = \"Shopp\"\nhosts = [\"a.test\"]\n",
            &mut shop(),
        );
        assert_eq!(
            (reported[0].0.as_str(), reported[0].1.as_str()),
            ("no rules are about the API `Shopp`", "\"Shopp\"")
        );
        assert!(
            reported[0].2.contains("the nearest is `Shop`"),
            "{reported:?}"
        );
        let config = "[[api]]\napi = \"Bank\"\nbase-paths = [\"/x\"]\n";
        let reported = refused(config, &mut both());
        assert_eq!(
            (
                reported[0].0.contains("no base path"),
                reported[0].1.as_str()
            ),
            (true, "[\"/x\"]")
        );
    }

    #[test]
    fn invalid_hosts_and_paths_are_refused() {
        let reported = misread(
            "[[api]]\nhosts = [\"https://a.test\", \"a.*.test\"]\nbase-paths = [\"gate\", \"/a b\", \"/**\"]\n\
             [[api]]\napi = \"x\"\n[[api]]\nhosts = []\n",
        );
        let messages: Vec<_> = reported
            .iter()
            .map(|(message, _)| message.as_str())
            .collect();
        assert_eq!(messages.len(), 7, "{messages:#?}");
    }
}

mod log {
    use super::*;

    const LOG: &str = r#"
[[log]]
files = "*.log"
method = "/call/verb"
url = "/call/url"
path = "/call/path"
query = "/call/query"
host = "/call/host"
status = "/answer/0"
started = "/at"
request-headers = "/call/head~1ers"
request-body = "/call/sent"
response-body = "/answer/1"
"#;

    const RULES: &str = r#"
api = "T"
base_path = "/api"
[[rule]]
id = "code"
operation = "POST /api/orders"
field = "code"
at = ["$.items[*].code"]
[[rule]]
id = "page"
operation = "POST /api/orders"
parameter = "page"
[[rule]]
id = "x-old"
operation = "POST /api/orders"
header = "x-old"
"#;

    const LINE: &str = r#"{"at":1795075964000,"call":{"verb":"post","url":"https://h.test/api/orders?page=1","head/ers":{"X-Old":"1"},"sent":"{\"items\":[{\"code\":1}]}"},"answer":[200,{"items":[{"code":2}]}]}"#;

    fn rules_of(line: &str) -> Vec<String> {
        let files = Files::new().with("a.log", format!("{line}\n{{\"level\":30}}\n"));
        rules(&report(&files, LOG, table(&[RULES])))
    }

    #[test]
    fn the_parts_of_an_exchange_are_read_at_the_mapped_pointers() {
        assert_eq!(rules_of(LINE), ["page", "x-old", "code", "code"]);
        assert_eq!(
            rules_of(&LINE.replace("/api/orders", "/api/others")),
            Vec::<String>::new()
        );
        let apart = LINE.replace(
            r#""url":"https://h.test/api/orders?page=1""#,
            r#""path":"/api/orders","query":{"page":1},"host":"h.test""#,
        );
        assert_eq!(rules_of(&apart), ["page", "x-old", "code", "code"]);
    }

    #[test]
    fn locations_in_the_file_are_exact() {
        let text = format!("\n{LINE}\n");
        let files = Files::new().with("a.log", &text);
        let report = report(&files, LOG, table(&[RULES]));
        let mut keys = 0;
        for placed in &report.findings {
            let Finding {
                found,
                rule,
                sightings,
                ..
            } = &placed.finding;
            let span = &text[found.span.start..found.span.end];
            let expected = match (rule.id.as_str(), found.part.name()) {
                ("page", _) => "page=1",
                ("x-old", _) => "\"X-Old\"",
                ("code", "request") => r#"\"code\""#,
                _ => "\"code\"",
            };
            assert_eq!(span, expected);
            assert_eq!(placed.location.line, 2);
            assert_eq!(sightings.first.unwrap().date_naive(), date("2026-11-19"));
            keys += 1;
        }
        assert_eq!(keys, 4);
    }

    #[test]
    fn the_mapped_host_is_matched() {
        let config = format!("{LOG}[[api]]\nhosts = [\"h.test\"]\n");
        let line = |host: &str| {
            LINE.replace(
                r#""url":"https://h.test"#,
                &format!(r#""host":"{host}","url":""#),
            )
        };
        for (host, expected) in [("h.test", 4), ("other.test", 0)] {
            let files = Files::new().with("a.log", format!("{}\n{{}}\n", line(host)));
            assert_eq!(
                report(&files, &config, table(&[RULES])).findings.len(),
                expected,
                "{host}"
            );
        }
    }

    #[test]
    fn records_without_the_mapped_parts_are_read_in_the_known_layouts() {
        let known = r#"{"method":"POST","url":"/api/orders","body":{"items":[{"code":1}]}}"#;
        for line in [
            known.to_owned(),
            LINE.replace("\"verb\"", "\"v\""),
            LINE.replace("[200,", "[null,"),
            LINE.replace("\"url\"", "\"u\""),
        ] {
            let files = Files::new().with("a.log", format!("{line}\n{known}\nbanner\n"));
            let report = report(&files, LOG, table(&[RULES]));
            let expected = if line == known { 2 } else { 1 };
            assert_eq!(rules(&report).len(), expected, "{line}");
            // What is in no layout states the call.
            let stated = (line != known).then_some("unread-call");
            let expected: Vec<_> = ["no-exchange"].into_iter().chain(stated).collect();
            assert_eq!(reasons(&report), expected);
        }
        let unknown_method = LINE.replace("\"post\"", "\"-\"");
        assert_eq!(rules_of(&unknown_method).len(), 4);
    }

    #[test]
    fn a_record_a_list_and_mixed_lines_are_read() {
        let noise = "noise\n".repeat(20);
        for text in [
            LINE.to_owned(),
            format!("[{LINE},\n {{}}]"),
            LINE.replace(',', ",\n"),
            format!("{noise}{LINE}\n"),
        ] {
            let files = Files::new().with("a.log", &text);
            assert_eq!(
                report(&files, LOG, table(&[RULES])).findings.len(),
                4,
                "{text}"
            );
        }
    }

    #[test]
    fn a_mapped_record_that_looks_like_a_stub_is_read_as_a_log() {
        let config = "[[log]]\nfiles = \"*.json\"\nmethod = \"/request/method\"\nurl = \"/request/url\"\nrequest-body = \"/sent\"\n";
        let line = r#"{"request":{"method":"POST","url":"/api/orders"},"response":{"status":200},"sent":{"items":[{"code":1}]}}"#;
        let files = || Files::new().with("a.json", line);
        assert_eq!(rules(&report(&files(), config, table(&[RULES]))), ["code"]);
        assert_eq!(report(&files(), "", table(&[RULES])).findings.len(), 0);
    }

    #[test]
    fn a_mapping_applies_to_its_files_or_to_all() {
        let files = || Files::new().with("a.txt", format!("{LINE}\n{LINE}\n"));
        assert_eq!(report(&files(), LOG, table(&[RULES])).findings.len(), 0);
        let all = LOG.replace("files = \"*.log\"\n", "");
        assert_eq!(report(&files(), &all, table(&[RULES])).findings.len(), 8);
        let body = Files::new().with("orders.request.json", r#"{"items":[{"code":1}],"call":1}"#);
        assert_eq!(
            rules(&report(&body, &all, table(&[RULES]))),
            ["code"],
            "a body stays one"
        );
    }

    #[test]
    fn the_first_mapping_that_fits_a_record_applies() {
        let other = "[[log]]\nurl = \"/u\"\nrequest-body = \"/b\"\n[[log]]\nurl = \"/u\"\nrequest-body = \"/c\"\n";
        let config = format!("{LOG}{other}");
        let line = r#"{"u":"/api/orders","b":{"items":[{"code":1}]},"c":{"items":[{"code":1},{"code":2}]}}"#;
        let files = Files::new().with("a.log", format!("{LINE}\n{line}\n"));
        assert_eq!(report(&files, &config, table(&[RULES])).findings.len(), 5);
    }

    #[test]
    fn large_logs_give_the_same_report_with_and_without_the_quick_walk() {
        let config = LOG.replace("files = \"*.log\"\n", "");
        let known = r#"{"method":"POST","url":"/api/orders","body":{"items":[{"code":1}]}}"#;
        let lines: Vec<_> = [LINE, known]
            .map(str::to_owned)
            .into_iter()
            .cycle()
            .take(60)
            .collect();
        assert_eq!(
            found(&padded(&lines), &config, || table(&[RULES])).len(),
            150
        );
        assert_eq!(
            found(&padded(&vec![LINE.to_owned(); 60]), &config, || table(&[
                RULES
            ]))
            .len(),
            240
        );
    }

    #[test]
    fn invalid_pointers_are_refused_with_a_remedy() {
        let reported = misread(
            "[[log]]\nurl = \"call.url\"\nmethod = \"$.call.verb\"\nstatus = \"/a~b\"\n[[log]]\nmethod = \"/m\"\n",
        );
        let said: Vec<_> = reported
            .iter()
            .map(|(message, help)| format!("{message}; {help}"))
            .collect();
        assert_eq!(said.len(), 4, "{said:#?}");
        assert!(
            said[0].contains("`url`: a JSON Pointer begins with `/`; write \"/call/url\""),
            "{said:#?}"
        );
        assert!(said[1].contains("write \"/call/verb\""), "{said:#?}");
        assert!(said[2].contains("`~0`"), "{said:#?}");
        assert!(
            said[3].contains("none of `url`, `path`, `log-format` and `ignore`"),
            "{said:#?}"
        );
    }
}
