//! `sundown rules import` with public feeds about the ends of models, and with the guide of Kubernetes.

use std::collections::BTreeSet;

use sundown::rules::{ElementPart, Pack, RuleFile};
use sundown::selector::Selector;

use crate::support::{Desk, Ran, repository};

const FEEDS: &str = "testdata/lifecycles/feeds";

fn feed(name: &str) -> String {
    repository(FEEDS).join(name).display().to_string()
}

/// Imports a feed into a new file, which must be usable, and returns the file.
fn imported(desk: &Desk, name: &str, more: &[&str]) -> (String, Ran) {
    let path = feed(name);
    let ran = desk.run(&[&["rules", "import", &path, "--into", "models.toml"], more].concat());
    assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
    let checked = desk.run(&["rules", "check", "models.toml"]);
    assert_eq!(checked.code, 0, "{name}: {}", checked.stderr);
    (std::fs::read_to_string(desk.path("models.toml")).unwrap(), ran)
}

/// Prints the rules of a feed.
fn import(feed: impl AsRef<[u8]>) -> Ran {
    Desk::new().with("feed.json", feed).run(&["rules", "import", "feed.json"])
}

#[test]
fn both_json_forms_of_deprecations_info_give_the_same_rules() {
    let forms = ["deprecations-info.json", "deprecations-info.jsonfeed.json"].map(|name| {
        let (text, _) = imported(&Desk::new(), name, &["--provider", "Groq", "--api", "Groq"]);
        let rules = text.split_once("\n\n").unwrap().1.to_owned();
        assert!(text.contains("hosts = [\"api.groq.com\"]"), "{text}");
        rules
    });
    let ids = |text: &str| {
        let mut ids: Vec<_> =
            text.lines().filter(|line| line.starts_with("value = ")).map(str::to_owned).collect();
        ids.sort();
        ids
    };
    assert!(!ids(&forms[0]).is_empty());
    for id in ids(&forms[1]) {
        assert!(ids(&forms[0]).contains(&id), "{id}");
    }
}

#[test]
fn the_rss_feed_of_deprecations_info_gives_the_rules_of_the_json_feed() {
    for provider in ["OpenAI", "Anthropic", "AWS Bedrock", "Azure"] {
        let dates = |name: &str| {
            let (text, _) = imported(&Desk::new(), name, &["--provider", provider]);
            let table: toml::Table = text.parse().unwrap();
            let rules = table["rule"].as_array().unwrap().clone().into_iter();
            let fact =
                |rule: &toml::Value, key: &str| rule.get(key).map(|fact| format!("{fact:?}"));
            let facts = move |rule: toml::Value| {
                let keys = ["introduced", "removal", "docs"];
                (fact(&rule, "value").unwrap(), keys.map(|key| fact(&rule, key)))
            };
            rules.map(facts).collect::<std::collections::BTreeMap<_, _>>()
        };
        let (json, rss) = (dates("deprecations-info.json"), dates("deprecations-info.rss.xml"));
        assert!(rss.len() >= 5, "{provider}: {rss:?}");
        let both = rss.iter().filter(|(id, _)| json.contains_key(*id));
        assert!(both.clone().count() >= 3, "{provider}");
        for (id, facts) in both {
            assert_eq!(json.get(id), Some(facts), "{provider} {id}");
        }
    }
}

#[test]
fn an_import_of_the_rss_feed_is_checked_and_keeps_ids_and_edits() {
    let desk = Desk::new();
    let (text, _) = imported(&desk, "deprecations-info.rss.xml", &["--provider", "OpenAI"]);
    let edited = text.replacen("\nremoval = ", "\nnote = \"ours\"\nremoval = ", 1);
    std::fs::write(desk.path("models.toml"), &edited).unwrap();
    let path = feed("deprecations-info.rss.xml");
    let into = ["--provider", "OpenAI", "--into", "models.toml"];
    let again = |more: &[&str]| desk.run(&[&["rules", "import", &path], &into[..], more].concat());
    assert_eq!(again(&["--check"]).code, 0);
    let dated = edited.replacen("removal = 2027", "removal = 2028", 1);
    assert_ne!(dated, edited);
    std::fs::write(desk.path("models.toml"), dated).unwrap();
    let check = again(&["--check"]);
    assert_eq!(check.code, 1);
    assert!(check.stdout.contains("2028"), "{}", check.stdout);
    assert_eq!(again(&[]).code, 0);
    assert_eq!(std::fs::read_to_string(desk.path("models.toml")).unwrap(), edited);
}

#[test]
fn hostile_and_damaged_rss_is_refused_with_a_place() {
    let item = "<rss version=\"2.0\"><channel><item><description>Provider: OpenAI\nModel ID: m\nShutdown Date: 2027-01-20</description></item></channel></rss>";
    let desk = Desk::new().with("good.xml", item);
    let run = |name: &str| desk.run(&["rules", "import", name]);
    assert_eq!(run("good.xml").code, 0, "{}", run("good.xml").stderr);
    let entities = "<!DOCTYPE rss [<!ENTITY a \"x\"><!ENTITY b \"&a;&a;\">]>\n";
    for (text, place) in [
        (format!("{entities}{item}"), "1:"),
        (item.replace("</item>", ""), "3:"),
        (item[..item.len() - 20].to_owned(), "3:"),
        (format!("<rss>{}", "<a>".repeat(1 << 18)), "1:"),
        (format!("<rss>{}</rss>", "<a/>".repeat(600_000)), "1:"),
    ] {
        std::fs::write(desk.path("bad.xml"), &text).unwrap();
        let ran = run("bad.xml");
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("not an RSS feed"), "{}", ran.stderr);
        assert!(ran.stderr.contains(&format!("bad.xml:{place}")), "{}", ran.stderr);
        assert!(ran.stderr.len() < 4_096, "{}", ran.stderr.len());
    }
}

#[test]
fn a_feed_with_very_many_attributes_or_namespaces_is_refused() {
    let item = "<item><description>Provider: OpenAI\nModel ID: m\nShutdown Date: 2027-01-20</description></item>";
    let feed = |more: &str| format!("<rss version=\"2.0\"><channel>{item}{more}</channel></rss>");
    let attributes = |count: usize| {
        let attributes: Vec<_> = (0..count).map(|at| format!(" a{at}='>'")).collect();
        let attributes = attributes.concat();
        feed(&format!("<!--> <x a='--><?x a='?><![CDATA[<x a=']]><x{attributes}/>"))
    };
    let namespaces = |count: usize| {
        let declared: Vec<_> = (0..count).map(|at| format!("<x xmlns:n{at}='u{at}'/>")).collect();
        feed(&declared.concat())
    };
    for (feed, message) in [
        (attributes(256), ""),
        (attributes(257), "an element has more than 256 attributes"),
        (namespaces(256), ""),
        (namespaces(257), "the feed declares more than 256 namespaces"),
    ] {
        let desk = Desk::new().with("feed.xml", feed);
        let ran = desk.run(&["rules", "import", "feed.xml"]);
        assert_eq!(ran.code, if message.is_empty() { 0 } else { 2 }, "{}", ran.stderr);
        assert!(ran.stderr.contains(message), "no {message:?} in {}", ran.stderr);
    }
}

#[test]
fn a_feed_about_several_providers_needs_the_name_of_one() {
    let desk = Desk::new();
    let message = desk.run_import(&feed("deprecations-info.json"));
    assert!(message.contains("several providers: `AWS Bedrock`, `Anthropic`"), "{message}");
    assert!(message.contains("--provider"), "{message}");
    let ran = desk.run(&["rules", "import", &feed("deprecations-info.json"), "--provider", "Acme"]);
    assert!(ran.stderr.contains("the operations of `Acme` are not known"), "{}", ran.stderr);
}

#[test]
fn every_provider_of_the_feed_has_operations() {
    for provider in [
        "OpenAI",
        "Anthropic",
        "Google",
        "Google Vertex",
        "AWS Bedrock",
        "Azure",
        "Cohere",
        "Groq",
        "xAI",
    ] {
        let (text, _) = imported(&Desk::new(), "deprecations-info.json", &["--provider", provider]);
        assert!(text.contains("\n[[rule]]\n"), "{provider}: {text}");
    }
}

#[test]
fn a_model_eol_feed_has_ids_and_aliases_and_no_promises() {
    let (text, ran) = imported(&Desk::new(), "model-eol-openai.json", &[]);
    for value in ["gpt-4-0613", "gpt-4"] {
        assert!(text.contains(&format!("value = \"{value}\"\n")), "{value}");
    }
    assert!(ran.stderr.contains("without a day on which the model ends"), "{}", ran.stderr);
    assert!(text.contains("at = [\"$.model\"]"), "{text}");
}

#[test]
fn only_firm_days_of_endoflife_become_rules() {
    let versions = ["endoflife-v0-claude.derived.json", "endoflife-v1-claude.derived.json"];
    let [zero, one] =
        versions.map(|name| imported(&Desk::new(), name, &["--provider", "claude"]).0);
    let rules = |text: &str| text.split_once("[[rule]]").map(|(_, rules)| rules.to_owned());
    assert_eq!(rules(&zero), rules(&one));
    assert!(zero.contains("claude-3") && !zero.contains("claude-opus-5"), "{zero}");
}

#[test]
fn an_imported_feed_finds_uses_on_the_hosts_of_its_provider() {
    let desk = Desk::new();
    imported(&desk, "model-eol-openai.json", &[]);
    let call = |host: &str| {
        format!(
            "{{\"method\":\"POST\",\"url\":\"https://{host}/v1/chat/completions\",\"request\":{{\"body\":{{\"model\":\"gpt-4-0613\",\"messages\":[{{\"model\":\"gpt-4\"}}]}}}}}}\n"
        )
    };
    let desk =
        desk.with("own.ndjson", call("api.openai.com")).with("other.ndjson", call("llm.example"));
    let check = |file: &str| {
        desk.run(&["check", file, "--rules", "models.toml", "--format", "json"]).stdout
    };
    assert_eq!(
        check("own.ndjson").matches("\"fingerprint\"").count(),
        1,
        "{}",
        check("own.ndjson")
    );
    assert_eq!(check("other.ndjson").matches("\"fingerprint\"").count(), 0);
}

#[test]
fn a_newer_feed_updates_the_file_and_keeps_what_its_owner_wrote() {
    let desk = Desk::new();
    let (text, _) = imported(&desk, "model-eol-openai.json", &[]);
    let own = text.replacen("\n[[rule]]\n", "\n# ours\n[[rule]]\nnote = \"checked by hand\"\n", 1);
    let old = own.replacen("removal = 2026-10-23", "removal = 2026-09-01", 1);
    assert_ne!(own, old);
    let desk = desk.with("models.toml", &old);
    let path = feed("model-eol-openai.json");
    let check = desk.run(&["rules", "import", &path, "--into", "models.toml", "--check"]);
    assert_eq!(check.code, 1, "{}", check.stderr);
    assert!(check.stdout.contains("removal was 2026-09-01, is 2026-10-23"), "{}", check.stdout);
    assert!(check.stdout.contains("0 new, 1 changed, 0 gone"), "{}", check.stdout);
    assert_eq!(imported(&desk, "model-eol-openai.json", &[]).0, own);
}

#[test]
fn a_broken_feed_is_refused_with_the_place() {
    let whole = std::fs::read_to_string(feed("model-eol-amazon.json")).unwrap();
    let desk = Desk::new()
        .with("cut.json", &whole[..whole.len() / 2])
        .with("amazon.json", &whole)
        .with("day.json", "{\"spec\": \"model-eol/0.1\", \"publisher\": \"openai\", \"models\": [{\"id\": \"a\", \"shutdown\": \"soon\"}]}");
    assert!(desk.run_import("cut.json").contains("not JSON"));
    // Its ids are those of the publisher, not of the service.
    assert!(desk.run_import("amazon.json").contains("the operations of `amazon` are not known"));
    assert!(desk.run_import("day.json").contains("the removal date `soon` is not a date"));
}

const GUIDE: &str = "---\ntitle: \"Deprecated API Migration Guide\"\n---\n\n## Removed APIs by release\n\n### v1.25\n\nThe **v1.25** release stopped serving the following deprecated API versions:\n\n#### CronJob {#cronjob-v125}\n\nThe **batch/v1beta1** API version of CronJob is no longer served as of v1.25.\n\n* Migrate manifests and API clients to use the **batch/v1** API version, available since v1.21.\n* No notable changes\n\n#### RuntimeClass {#runtimeclass-v125}\n\nRuntimeClass in the **node.k8s.io/v1beta1** API version is no longer served as of v1.25.\n\n### v1.16\n\n#### Policies\n\nThe **extensions/v1beta1** and **apps/v1beta2** API versions of NetworkPolicy,\nand DaemonSet are no longer served as of v1.16.\n\n* Migrate manifests and API clients to use the **apps/v1** API version\n\n## What to do\n\nThe **a/v1** API version of Other is no longer served.\n";

#[test]
fn the_guide_of_kubernetes_gives_an_operation_for_each_kind() {
    let desk = Desk::new().with("guide.md", GUIDE);
    let ran = desk.run(&["rules", "import", "guide.md", "--api", "Kubernetes"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    insta::assert_snapshot!("kubernetes_guide", ran.stdout);
}

/// A feed of deprecations.info about `OpenAI` with these ids and days.
fn dated_rows(rows: &[(&str, &str)]) -> String {
    let row = |(id, day): &(&str, &str)| {
        format!(
            "{{\"provider\":\"OpenAI\",\"model_id\":\"{id}\",\"deprecation_date\":\"2026-06\",\"shutdown_date\":\"{day}\"}}"
        )
    };
    format!("[{}]", rows.iter().map(row).collect::<Vec<_>>().join(",\n"))
}

/// The days of the rules about the member `model`, by value.
fn days(rules: &str) -> Vec<(String, String)> {
    let table: toml::Table = rules.parse().unwrap();
    let own = table["rule"].as_array().unwrap().iter().filter(|rule| rule.get("field").is_some());
    let text = |rule: &toml::Value, key: &str| match &rule[key] {
        toml::Value::String(text) => text.clone(),
        toml::Value::Datetime(day) => day.to_string(),
        other => panic!("{other:?}"),
    };
    own.map(|rule| (text(rule, "value"), text(rule, "removal"))).collect()
}

#[test]
fn rows_without_an_exact_day_are_counted_and_the_others_imported() {
    let feed = dated_rows(&[
        ("day", "2027-01-15"),
        ("time", "2027-02-01T00:00:00Z"),
        ("local", "2027-03-01T23:59:59-07:00"),
        ("no-zone", "2027-04-01T00:00:00"),
        ("no-zone-space", "2027-05-01 00:00:00"),
        ("month", "2026-10"),
        ("quarter", "Q3 2026"),
    ]);
    let desk = Desk::new().with("feed.json", feed);
    let ran = desk.run(&["rules", "import", "feed.json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let expected = [
        ("day", "2027-01-15"),
        ("time", "2027-02-01"),
        ("local", "2027-03-01"),
        ("no-zone", "2027-04-01"),
        ("no-zone-space", "2027-05-01"),
    ];
    assert_eq!(days(&ran.stdout), expected.map(|(id, day)| (id.to_owned(), day.to_owned())));
    insta::assert_snapshot!("inexact_days", ran.stderr);
    for inexact in ["2026-10", "2026-1-5", "2026-02-30", "+2026-01-05", "2026-01-05T25:00:00"] {
        std::fs::write(desk.path("feed.json"), dated_rows(&[("m", inexact)])).unwrap();
        let message = desk.run_import("feed.json");
        let expected = format!("the removal date `{inexact}` is not a date");
        assert!(message.contains(&expected), "{message}");
        assert!(message.contains("no entry about this provider ends on an exact day"), "{message}");
    }
}

#[test]
fn an_inexact_day_beside_a_promise_does_not_refuse_the_feed() {
    let feed = r#"{"spec":"model-eol/0.1","publisher":"openai","models":[
{"id":"a-1","shutdown":"2027-10"},
{"id":"a-2","shutdown":"2027-06-01","date_precision":"lower_bound"}]}"#;
    let ran = import(feed);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(!ran.stdout.contains("[[rule]]"), "{}", ran.stdout);
    for remark in [
        "ignored 1 entry without an exact day, such as `2027-10`\n",
        "ignored 1 entry with only a day before which the model does not end\n",
    ] {
        assert!(ran.stderr.contains(remark), "{}", ran.stderr);
    }
}

#[test]
fn the_later_day_of_an_id_counts() {
    let feed = dated_rows(&[
        ("moved", "2027-01-15"),
        ("same", "2027-01-15"),
        ("moved", "2027-06-30"),
        ("same", "2027-01-15"),
        ("moved", "2026-12-01"),
    ]);
    let ran = import(feed);
    let expected = [("moved", "2027-06-30"), ("same", "2027-01-15")];
    assert_eq!(days(&ran.stdout), expected.map(|(id, day)| (id.to_owned(), day.to_owned())));
    insta::assert_snapshot!("ids_with_two_days", ran.stderr);
}

#[test]
fn an_alias_of_several_models_or_of_another_id_becomes_no_rule() {
    let feed = r#"{"spec":"model-eol/0.1","publisher":"openai","models":[
{"id":"a-1","aliases":["a","a-latest"],"shutdown":"2027-01-15"},
{"id":"a-2","aliases":["a-latest","a-1"]},
{"id":"b-1","aliases":["b","b"],"shutdown":"2027-02-15"}]}"#;
    let ran = import(feed);
    let ids: Vec<_> = days(&ran.stdout).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["a-1", "a", "b-1", "b"], "{}", ran.stderr);
    insta::assert_snapshot!("unclear_aliases", ran.stderr);
}

#[test]
fn an_alias_of_a_model_with_several_rows_has_its_later_day() {
    let feed = r#"{"spec":"model-eol/0.1","publisher":"openai","models":[
{"id":"a-1","aliases":["a"],"shutdown":"2027-01-15"},
{"id":"a-1","aliases":["a"],"shutdown":"2027-06-15"}]}"#;
    let ran = import(feed);
    let expected = [("a-1", "2027-06-15"), ("a", "2027-06-15")];
    assert_eq!(days(&ran.stdout), expected.map(|(id, day)| (id.to_owned(), day.to_owned())));
    assert!(!ran.stderr.contains("several models"), "{}", ran.stderr);
}

#[test]
fn an_alias_that_is_the_id_with_a_prefix_needs_no_remark() {
    let feed = r#"{"spec":"model-eol/0.1","publisher":"google","models":[
{"id":"models/gemini-8","aliases":["gemini-8"],"shutdown":"2027-01-15"},
{"id":"gemini-7","aliases":["models/gemini-7"],"shutdown":"2027-01-15"}]}"#;
    let ran = import(feed);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    for id in ["gemini-7", "gemini-8"] {
        assert!(ran.stdout.contains(&format!("value = \"{id}\"\n")), "{}", ran.stdout);
    }
}

#[test]
fn ids_of_rules_begin_with_the_name_of_the_api_that_the_file_has() {
    let desk = Desk::new().with("feed.json", dated_rows(&[("m-1", "2027-01-15")]));
    for (api, prefix) in [("My Shop", "my-shop-"), ("店", "")] {
        let import = ["rules", "import", "feed.json", "--into", "own.toml", "--api", api];
        assert_eq!(desk.run(&import).code, 0);
        std::fs::write(
            desk.path("more.json"),
            dated_rows(&[("m-1", "2027-01-15"), ("m-2", "2027-01-15")]),
        )
        .unwrap();
        assert_eq!(desk.run(&["rules", "import", "more.json", "--into", "own.toml"]).code, 0);
        let rules = std::fs::read_to_string(desk.path("own.toml")).unwrap();
        for id in ["m-1", "m-2"] {
            let id = format!("id = \"{prefix}completions-model-{id}\"\n");
            assert!(rules.contains(&id), "{id}: {rules}");
        }
        std::fs::remove_file(desk.path("own.toml")).unwrap();
    }
}

/// The ids of the rules of a table that a log uses.
fn used(desk: &Desk, rules: &[&str], log: &str) -> Vec<String> {
    std::fs::write(desk.path("calls.ndjson"), log).unwrap();
    let ran = desk.run(
        &[&["check", "calls.ndjson", "--no-builtin-rules", "--format", "json"], rules].concat(),
    );
    let report: serde_json::Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    let findings = report["findings"].as_array().unwrap().iter();
    findings.map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_imported_feed_finds_an_id_wherever_the_pack_finds_one() {
    let openai = "https://api.openai.com/v1";
    let gemini = "https://generativelanguage.googleapis.com/v1beta";
    let vertex = "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/l";
    let body = |url: String, member: &str| {
        format!("{{\"method\":\"POST\",\"url\":\"{url}\",\"request\":{{\"body\":{member}}}}}\n")
    };
    let gets = |url: String| format!("{{\"method\":\"GET\",\"url\":\"{url}\"}}\n");
    for (provider, id, calls) in [
        ("OpenAI", "gpt-4-0613", vec![
            body(format!("{openai}/chat/completions"), r#"{"model":"gpt-4-0613"}"#),
            body(format!("{openai}/realtime/client_secrets"), r#"{"session":{"model":"gpt-4-0613"}}"#),
            gets(format!("{openai}/realtime?model=gpt-4-0613")),
        ]),
        ("Google", "gemini-2.0-flash", vec![
            body(format!("{gemini}/openai/chat/completions"), r#"{"model":"gemini-2.0-flash"}"#),
            body(format!("{gemini}/openai/chat/completions"), r#"{"model":"models/gemini-2.0-flash"}"#),
            body(format!("{gemini}/models/gemini-2.0-flash:generateContent"), "{}"),
            body(format!("{}/models/gemini-2.0-flash:countTokens", gemini.replace("beta", "alpha")), "{}"),
        ]),
        ("Google Vertex", "gemini-1.5-pro-002", vec![
            body(format!("{vertex}/endpoints/openapi/chat/completions"), r#"{"model":"google/gemini-1.5-pro-002"}"#),
            body(format!("{vertex}/publishers/google/models/gemini-1.5-pro-002:generateContent"), "{}"),
        ]),
        ("AWS Bedrock", "anthropic.claude-3-haiku-20240307-v1:0", vec![
            body("https://bedrock-runtime.eu-west-1.amazonaws.com/model/eu.anthropic.claude-3-haiku-20240307-v1%3A0/converse".to_owned(), "{}"),
        ]),
    ] {
        let row = format!("[{{\"provider\":\"{provider}\",\"model_id\":\"{id}\",\"shutdown_date\":\"2027-01-15\"}},{{\"provider\":\"{provider}\",\"model_id\":\"{id}x\",\"shutdown_date\":\"2027-01-15\"}}]");
        let desk = Desk::new().with("feed.json", row);
        assert_eq!(desk.run(&["rules", "import", "feed.json", "--into", "own.toml"]).code, 0);
        for call in &calls {
            let of_pack = used(&desk, &["--pack", "llm-models"], call);
            assert_eq!(of_pack.len(), 1, "the pack: {call}");
            assert_eq!(used(&desk, &["--rules", "own.toml"], call).len(), 1, "{call}");
        }
    }
}

/// Each place of each exact value that the rules of a file are about, but not those of header fields.
fn covered(file: &RuleFile) -> BTreeSet<String> {
    let mut covered = BTreeSet::new();
    for rule in &file.rules {
        let part = &rule.element.part;
        let Some(value) = rule.element.exact_value() else { continue };
        for place in rule.places.iter().filter(|_| !matches!(part, ElementPart::Header(_))) {
            let selectors: Vec<_> = place.selectors.iter().map(Selector::text).collect();
            let (operation, sides) = (&place.operation, place.sides);
            covered.insert(format!("{part:?} {value} {operation} {selectors:?} {sides:?}"));
        }
    }
    covered
}

#[test]
fn a_feed_with_all_ids_of_a_provider_covers_every_place_of_its_pack() {
    for file in Pack::named("llm-models").unwrap().load().unwrap() {
        let exact = file.rules.iter().filter(|rule| {
            matches!(rule.element.part, ElementPart::Field(_) | ElementPart::Segment(_))
        });
        let ids: BTreeSet<_> = exact.filter_map(|rule| rule.element.exact_value()).collect();
        let row = |id: &&str| {
            format!(
                "{{\"provider\":\"{}\",\"model_id\":\"{id}\",\"shutdown_date\":\"2027-01-15\"}}",
                file.api
            )
        };
        let feed = format!("[{}]", ids.iter().map(row).collect::<Vec<_>>().join(","));
        let ran = import(feed);
        let imported = RuleFile::parse("feed.toml", &ran.stdout).unwrap();
        let (own, of_pack) = (covered(&imported), covered(&file));
        assert!(!of_pack.is_empty(), "{}", file.api);
        let missing: Vec<_> = of_pack.difference(&own).collect();
        assert!(missing.is_empty(), "{}: {missing:#?}", file.api);
    }
}

#[test]
fn an_id_that_the_feed_has_with_and_without_a_prefix_is_one() {
    let row = |id: &str, day: &str| {
        format!("{{\"provider\":\"Google\",\"model_id\":\"{id}\",\"shutdown_date\":\"{day}\"}}")
    };
    let feed = format!("[{},{}]", row("m-1", "2027-01-15"), row("models/m-1", "2027-02-15"));
    let ran = import(feed);
    let expected = [("m-1", "2027-02-15"), ("models/m-1", "2027-02-15")];
    assert_eq!(
        days(&ran.stdout),
        expected.map(|(id, day)| (id.to_owned(), day.to_owned())),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_prefix_is_only_for_models_that_the_pack_has_with_it() {
    let (text, _) =
        imported(&Desk::new(), "deprecations-info.json", &["--provider", "Google Vertex"]);
    assert!(
        text.contains("value = \"claude-3-haiku\"") && !text.contains("google/claude"),
        "{text}"
    );
}

#[test]
fn lists_of_several_providers_can_be_used_together_and_with_the_pack() {
    let desk = Desk::new();
    let mut arguments = vec!["rules", "list", "--pack", "llm-models"];
    for (provider, file) in [
        ("Google", "a.toml"),
        ("Google Vertex", "b.toml"),
        ("OpenAI", "c.toml"),
        ("Azure", "d.toml"),
    ] {
        let row = format!(
            "[{{\"provider\":\"{provider}\",\"model_id\":\"m-1\",\"shutdown_date\":\"2027-01-15\"}}]"
        );
        std::fs::write(desk.path("feed.json"), row).unwrap();
        assert_eq!(desk.run(&["rules", "import", "feed.json", "--into", file]).code, 0);
        arguments.extend(["--rules", file]);
    }
    let ran = desk.run(&arguments);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let rules = std::fs::read_to_string(desk.path("a.toml")).unwrap();
    assert!(rules.contains("id = \"gemini-api-models-model-segment-m-1\""), "{rules}");
}
