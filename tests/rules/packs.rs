//! Packs on the command line: what they apply to, how they are combined, and how a gateway is added.

use serde_json::Value;

use crate::support::{Desk, RULES_OF_SEVERAL_AGES, repository};

/// The names of all packs: each is a file or a folder.
fn names() -> Vec<String> {
    let packs = std::fs::read_dir(repository("rules/packs")).unwrap();
    let paths = packs.map(|entry| entry.unwrap().path());
    let names: Vec<_> = paths
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    assert!(names.len() > 7, "{names:?}");
    names
}

#[test]
fn all_packs_can_be_used_together() {
    let packs = names();
    let arguments: Vec<_> = packs.iter().flat_map(|pack| ["--pack", pack]).collect();
    let desk = Desk::new();
    let ran = desk.run(&[&["rules", "list"], arguments.as_slice()].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
}

const CHAT: &str =
    r#"{"method": "POST", "url": "URL", "request": {"body": {"model": "gpt-4-0314"}}}"#;

/// The ids of the findings of a run on one call of this URL.
fn ids(url: &str, arguments: &[&str]) -> Vec<String> {
    let desk = Desk::new().with("calls.ndjson", CHAT.replace("URL", url));
    let arguments = [&["check", "calls.ndjson", "--format", "json"], arguments].concat();
    let ran = desk.run(&arguments);
    let report: Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .map(|finding| finding["rule"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_pack_applies_only_if_it_is_asked_for_and_only_to_its_hosts() {
    let (own, path) = (
        "https://api.openai.com/v1/chat/completions",
        "/v1/chat/completions",
    );
    let found = ["openai-model-gpt-4-0314"];
    let with = ["--pack", "llm-models"];
    assert_eq!(ids(own, &[]), [""; 0]);
    assert_eq!(ids(own, &with), found);
    assert_eq!(
        ids("https://openrouter.ai/v1/chat/completions", &with),
        [""; 0]
    );
    assert_eq!(ids(path, &with), [""; 0]);
    assert_eq!(ids(path, &[&with[..], &["--unknown-host"]].concat()), found);
    assert_eq!(
        ids(
            "https://openrouter.ai/v1/chat/completions",
            &[&with[..], &["--any-host"]].concat()
        ),
        found
    );
}

#[test]
fn an_unused_pack_is_named_with_the_number_of_calls_that_it_has_rules_for() {
    let openai = CHAT.replace("URL", "https://api.openai.com/v1/chat/completions");
    let relative = CHAT.replace("URL", "/v1/chat/completions");
    let host = r#""request": {"headers": {"Host": "api.openai.com"}, "#;
    let named = relative.replace(r#""request": {"#, host);
    let other = CHAT.replace("URL", "https://api.openai.com/health");
    let stranger = CHAT.replace("URL", "https://llm.example/v1/chat/completions");
    let own = CHAT.replace("URL", "/rest/api/v1/chat");
    let pods = relative.replace(
        "/v1/chat/completions",
        "/apis/policy/v1beta1/podsecuritypolicies",
    );
    let none = [other.clone(), stranger, relative].join("\n");
    let hint = |calls: &[&str], arguments: &[&str]| {
        let desk = Desk::new().with("calls.ndjson", calls.join("\n"));
        let printed = desk
            .run(&[&["check", "calls.ndjson"], arguments].concat())
            .stdout;
        let lines = printed.lines().filter(|line| line.starts_with("`--pack"));
        lines.collect::<Vec<_>>().join(" ")
    };
    let two = "`--pack llm-models` has rules for 2 of these records";
    assert_eq!(hint(&[&openai, &named, &other], &[]), two);
    assert_eq!(
        hint(&[&openai, &named, &other], &["--threads", "1", "--strict"]),
        two
    );
    assert_eq!(hint(&[&openai, &own], &[]), "");
    assert_eq!(
        hint(&[&pods, &openai, &none], &[]),
        "`--pack kubernetes` has rules for 1 of these records \
         `--pack llm-models` has rules for 1 of these records"
    );
    assert_eq!(hint(&[&openai], &["--pack", "llm-models"]), "");
    assert_eq!(hint(&[&none], &[]), "");
    let desk = Desk::new().with("a.ndjson", openai).with("b.ndjson", named);
    for file in ["a", "b"] {
        let (log, partial) = (format!("{file}.ndjson"), format!("{file}.partial"));
        desk.run(&["check", &log, "--partial", &partial]);
    }
    let merged = desk.run(&["merge", "a.partial", "b.partial"]).stdout;
    assert!(merged.contains(two), "{merged}");
}

#[test]
fn a_gateway_is_added_to_an_api_and_not_to_a_pack_with_several() {
    let configuration =
        "packs = [\"llm-models\"]\n[[api]]\napi = \"llm-models\"\nhosts = [\"llm.example\"]\n";
    let desk = Desk::new()
        .with("calls.ndjson", CHAT.replace("URL", "/v1/chat/completions"))
        .with("sundown.toml", configuration);
    let ran = desk.run(&["check", "calls.ndjson"]);
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!("gateway_of_a_pack", ran.stderr);
}

#[test]
fn a_gateway_can_be_added_to_an_api_of_a_pack() {
    let url = "https://llm.example/openai/v1/chat/completions";
    let configuration =
        "packs = [\"llm-models\"]\n[[api]]\napi = \"OpenAI\"\nhosts = [\"llm.example\"]\n";
    let desk = Desk::new()
        .with("calls.ndjson", CHAT.replace("URL", url))
        .with("sundown.toml", configuration);
    let ran = desk.run(&["check", "calls.ndjson"]);
    assert!(
        ran.stdout.contains("openai-model-gpt-4-0314"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn a_region_that_a_recorder_redacted_does_not_hide_the_service() {
    let path = "/model/us.anthropic.claude-sonnet-4-5-20250929-v1:0/converse";
    let cassette = |host: &str| {
        format!(
            "http_interactions:\n- request:\n    method: post\n    uri: https://{host}{path}\n    body: {{encoding: UTF-8, string: '{{}}'}}\n    headers: {{}}\n  response:\n    status: {{code: 200, message: OK}}\n    headers: {{}}\n    body: {{encoding: UTF-8, string: '{{}}'}}\nrecorded_with: VCR 6.4.0\n"
        )
    };
    let entry = |host: &str| format!("{{\"method\":\"POST\",\"url\":\"https://{host}{path}\"}}\n");
    for (host, code) in [
        ("bedrock-runtime.<AWS_REGION>.amazonaws.com", 1),
        ("bedrock-runtime.<AWS_REGION>.example.com", 2),
        ("other.<AWS_REGION>.amazonaws.com", 2),
        ("bedrock-runtime.<AWS_HOST>", 2),
    ] {
        let desk = Desk::new()
            .with("c.yml", cassette(host))
            .with("c.ndjson", entry(host));
        for file in ["c.yml", "c.ndjson"] {
            let ran = desk.run(&["check", file, "--pack", "llm-models", "--fail-on", "note"]);
            assert_eq!(
                ran.code, code,
                "{host} {file}: {}{}",
                ran.stdout, ran.stderr
            );
        }
    }
}

#[test]
fn an_unknown_pack_is_refused_with_the_known_ones() {
    let ran = Desk::new().run(&["check", "--pack", "llm-model"]);
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!("unknown_pack", ran.stderr);
}

#[test]
fn rules_with_old_facts_are_counted() {
    let desk = Desk::new()
        .with("a.toml", RULES_OF_SEVERAL_AGES)
        .with("log.ndjson", CHAT.replace("URL", "/x"));
    let ran = desk.run(&[
        "check",
        "log.ndjson",
        "--rules",
        "a.toml",
        "--as-of",
        "2026-11-25",
    ]);
    let remark = "1 of its 4 rules has old facts, the oldest from 2026-02-01, 297 days ago";
    assert!(
        ran.stdout.contains(remark) || ran.stderr.contains(remark),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn old_facts_are_reported_with_every_format() {
    let desk = Desk::new().with("calls.ndjson", CHAT.replace("URL", "/x"));
    let text = |format: &str, more: &[&str]| {
        let fixed = [
            "check",
            ".",
            "--pack",
            "shopify",
            "--as-of",
            "2099-01-01",
            "--format",
            format,
        ];
        let ran = desk.run(&[&fixed, more].concat());
        (ran.stdout, ran.stderr)
    };
    // Lists of findings have no place for a remark, so the run says it, unless another report of the run does.
    for format in ["checkstyle", "gitlab", "rdjsonl"] {
        let (report, log) = text(format, &[]);
        assert!(!report.contains("its facts are from"), "{format}: {report}");
        assert!(
            log.contains("warning: shopify: its facts are from"),
            "{format}: {log}"
        );
        assert_eq!(text(format, &["--format", "html=report.html"]).1, "");
        assert_eq!(text(format, &["--quiet"]).1, "");
    }
    for format in [
        "human", "json", "ndjson", "sarif", "markdown", "github", "html", "junit",
    ] {
        let ran = desk.run(&[
            "check",
            ".",
            "--pack",
            "shopify",
            "--as-of",
            "2099-01-01",
            "--format",
            format,
        ]);
        assert!(
            ran.stdout.contains("its facts are from"),
            "{format}: {}",
            ran.stdout
        );
        assert!(
            ran.stdout.contains("sundown rules import"),
            "{format}: {}",
            ran.stdout
        );
    }
    let ran = desk.run(&["usage", ".", "--pack", "shopify", "--as-of", "2099-01-01"]);
    assert!(
        ran.stderr.contains("shopify: its facts are from"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_rules_file_may_name_its_sources_and_is_told_to_read_them_again() {
    let rules = "api = \"Shop\"\n[sources.page]\npage = \"https://shop.example/end\"\nread = 2026-01-01\n[[rule]]\nid = \"a\"\noperation = \"GET /a\"\nsources = [\"page\"]\n";
    let desk = Desk::new()
        .with("shop.toml", rules)
        .with("calls.ndjson", "{\"method\": \"GET\", \"url\": \"/a\"}\n");
    let ran = desk.run(&["check", "calls.ndjson", "--rules", "shop.toml"]);
    assert!(
        ran.stdout
            .contains("shop.toml: its facts are from 2026-01-01"),
        "{}",
        ran.stdout
    );
    let ran = desk.run(&["explain", "a", "--rules", "shop.toml"]);
    assert!(
        ran.stdout
            .contains("Source       https://shop.example/end (read 2026-01-01)"),
        "{}",
        ran.stdout
    );
    let wrong = rules
        .replace("[\"page\"]", "[\"pages\"]")
        .replace("read = 2026-01-01\n", "");
    let ran = desk
        .with("shop.toml", wrong)
        .run(&["rules", "check", "shop.toml"]);
    insta::assert_snapshot!("wrong_sources", ran.stderr);
}

#[test]
fn a_long_table_is_listed_by_its_counts() {
    let desk = Desk::new();
    let list = |more: &[&str]| {
        let arguments = [
            "rules",
            "list",
            "--as-of",
            "2026-11-25",
            "--pack",
            "llm-models",
        ];
        desk.run(&[&arguments, more].concat()).stdout
    };
    let short = list(&[]);
    assert!(short.lines().count() < 120, "{short}");
    assert!(short.contains("end within 90 days"), "{short}");
    assert!(list(&["--all"]).lines().count() > 1_000);
    let before = list(&["--removal-before", "2023-01-01"]);
    assert_eq!(list(&["--removal-before", "2000-01-01"]), "no rules\n");
    assert!(
        before.contains("openai-v1-engines") && !before.contains("2023-"),
        "{before}"
    );
}

#[test]
fn the_packs_are_listed_with_their_dates_hosts_and_sources() {
    let ran = Desk::new().run(&["rules", "packs", "--as-of", "2026-11-25"]);
    let page = ran
        .stdout
        .split("\nshopify\n")
        .nth(1)
        .and_then(|rest| rest.split("\n\n").next());
    insta::assert_snapshot!("pack_page", page.unwrap_or(&ran.stdout));
    for pack in names() {
        assert!(ran.stdout.contains(&format!("{pack}\n  ")), "{pack}");
    }
}

#[test]
fn a_body_is_not_taken_for_one_of_a_pack_by_the_name_of_its_file() {
    let desk = Desk::new().with("completions.request.json", "{\"model\": \"gpt-4-0314\"}");
    let ran = desk.run(&["check", "completions.request.json", "--pack", "llm-models"]);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(
        ran.stdout.contains("a JSON body with no known operation"),
        "{}",
        ran.stdout
    );
}
