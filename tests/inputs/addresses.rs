//! The same path on somebody else's server is not a use, and such a call is counted and reported.

use serde_json::Value;

use crate::support::Desk;

/// Rules for the calls of one host.
const TEAMS: &str = "openapi: 3.0.3\ninfo: {title: Teams, version: '1'}\nservers: [{url: 'https://api.teams.test'}]\npaths:\n  /teams/{id}:\n    get: {deprecated: true, x-sunset: 2026-01-01, responses: {}}\n";

/// The same rules in a table, for every host.
const TABLE: &str =
    "api = 'Teams'\n[[rule]]\nid = 'teams'\noperation = 'GET /teams/{id}'\nremoval = 2026-01-01\n";

const CALLS: [&str; 8] = [
    "https://api.teams.test/teams/5",
    "https://api.teams.test/proxy/teams/5",
    "{{base}}/teams/5",
    "/teams/5",
    "https://gitlab.example.com/api/v4/teams/5",
    "https://my.own.service/teams/5",
    "/orgs/acme/teams/core",
    "/teams/5/members",
];

/// The calls with a finding, and the number of those at another address.
fn found(rules: &str, arguments: &[&str]) -> (Vec<usize>, u64) {
    let call = |url: &&str| format!("{{\"method\":\"GET\",\"url\":\"{url}\"}}\n");
    let calls: String = CALLS.iter().map(call).collect();
    let desk = Desk::new()
        .with("rules.toml", rules)
        .with("rules.yaml", rules);
    let desk = desk.with("calls.ndjson", calls);
    let file = if rules.starts_with("openapi") {
        "rules.yaml"
    } else {
        "rules.toml"
    };
    let fixed = [
        "check",
        "calls.ndjson",
        "--rules",
        file,
        "--format",
        "ndjson",
        "--no-fold",
    ];
    let ran = desk.run(&[&fixed[..], &["--no-builtin-rules"], arguments].concat());
    let lines: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let findings = lines.iter().filter(|line| line["type"] == "finding");
    let others = lines
        .iter()
        .filter(|line| line["reason"] == "other-address");
    let number = |line: &Value| usize::try_from(line["line"].as_u64().unwrap()).unwrap() - 1;
    (
        findings.map(number).collect(),
        others.map(|line| line["count"].as_u64().unwrap()).sum(),
    )
}

#[test]
fn rules_of_a_description_apply_to_its_hosts_and_to_unknown_ones() {
    assert_eq!(found(TEAMS, &[]), (vec![0, 2, 3], 4));
    let anywhere = TEAMS.replace("https://api.teams.test", "https://{host}");
    assert_eq!(found(&anywhere, &[]), (vec![0, 2, 3, 5], 3));
    let several = TEAMS
        .replace("api.teams.test", "*.teams.test")
        .replace('*', "{tenant}");
    assert_eq!(found(&several, &[]), (vec![0, 2, 3], 4));
    let swagger = "openapi: 3.0.3\n".len();
    let swagger = format!(
        "swagger: '2.0'\nhost: api.teams.test\n{}",
        &TEAMS[swagger..]
    );
    assert_eq!(found(&swagger, &[]), (vec![0, 2, 3], 4));
}

#[test]
fn rules_of_a_table_apply_to_its_hosts() {
    assert_eq!(found(TABLE, &[]), (vec![0, 2, 3, 5], 3));
    let hosts = format!("hosts = ['*.teams.test']\n{TABLE}");
    assert_eq!(found(&hosts, &[]), (vec![0, 2, 3], 4));
    let wrong = Desk::new().with("rules.toml", format!("hosts = ['https://x']\n{TABLE}"));
    let ran = wrong.run(&["rules", "check", "rules.toml"]);
    assert!(
        ran.stderr
            .contains("`https://x`: a host has neither a scheme"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_host_of_the_configuration_is_added_and_may_have_a_prefix() {
    let api = "[[api]]\nhosts = ['gitlab.example.com']\n";
    let line = r#"{"method":"GET","url":"https://gitlab.example.com/api/v4/teams/5"}"#;
    let own = line.replace("gitlab.example.com/api/v4", "api.teams.test");
    let desk = Desk::new()
        .with("sundown.toml", api)
        .with("teams.yaml", TEAMS);
    let desk = desk.with("calls.ndjson", format!("{line}\n{own}\n"));
    for more in [&[][..], &["--any-host"]] {
        let ran = desk.run(&[&["check", "calls.ndjson", "--rules", "teams.yaml"], more].concat());
        assert!(
            ran.stdout.contains("1 more like it"),
            "{more:?} {}",
            ran.stdout
        );
    }
}

#[test]
fn a_pattern_of_a_table_is_counted_at_other_addresses_too() {
    let table = TABLE.replace(
        "operation = 'GET /teams/{id}'",
        "also = [{ operation = 'GET /teams/**' }]",
    );
    let (uses, others) = found(&format!("hosts = ['api.teams.test']\n{table}"), &[]);
    assert_eq!((uses, others), (vec![0, 2, 3, 7], 4));
}

#[test]
fn any_host_checks_all_calls_whose_path_ends_like_the_operation() {
    for rules in [TEAMS, TABLE] {
        assert_eq!(
            found(rules, &["--any-host"]),
            (vec![0, 1, 2, 3, 4, 5, 6], 0)
        );
    }
}

#[test]
fn the_report_says_which_table_found_what() {
    let lines = r#"{"method":"GET","url":"https://api.teams.test/teams/5"}
{"method":"POST","url":"https://api.teams.test/rest/api/v1/chat","request":{"body":{"citations":[]}}}"#;
    let desk = Desk::new()
        .with("teams.yaml", TEAMS)
        .with("calls.ndjson", lines);
    let check = ["check", "calls.ndjson", "--rules", "teams.yaml"];
    let ran = desk.run(&check);
    assert!(
        ran.stdout
            .contains("Findings by table: client-api 1, teams.yaml 1"),
        "{}",
        ran.stdout
    );
    let report = desk.run(&[&check[..], &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    assert_eq!(
        report["tables"],
        serde_json::json!({"client-api": 1, "teams.yaml": 1})
    );
    let without = desk.run(&[&check[..], &["--without-table", "client-api"]].concat());
    assert!(!without.stdout.contains("by table:"), "{}", without.stdout);
}

#[test]
fn calls_at_other_addresses_are_counted_with_an_example() {
    let line = r#"{"method":"GET","url":"https://gitlab.example.com/api/v4/teams/5"}"#;
    let desk = Desk::new()
        .with("teams.yaml", TEAMS)
        .with("calls.ndjson", line);
    let ran = desk.run(&["check", "calls.ndjson", "--rules", "teams.yaml", "--strict"]);
    assert!(
        ran.stdout
            .contains("1 × a call to the path of a known operation")
            && ran.stdout.contains("`GET /teams/{id}`")
            && ran.stdout.contains("--any-host"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("gitlab"), "{}", ran.stdout);
    // Nothing was checked.
    assert!(
        ran.stdout.contains("1 call of known operations on 1 host"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.code, 2);
    let ran = desk.run(&["check", "calls.ndjson", "--rules", "teams.yaml"]);
    let sentence = "Nothing was checked in calls.ndjson: the exit code is 2\n";
    assert_eq!(
        (ran.code, ran.stdout.contains(sentence)),
        (2, true),
        "{}",
        ran.stdout
    );
    let usage = desk.run(&["usage", "calls.ndjson", "--rules", "teams.yaml"]);
    assert_eq!(
        (usage.code, usage.stdout.contains("exit code is 2")),
        (2, true)
    );
    // With a call that was checked, the others are ordinary.
    let checked =
        r#"{"method":"POST","url":"https://x.test/rest/api/v1/chat","request":{"body":{}}}"#;
    let desk = desk.with("more.ndjson", format!("{line}\n{checked}\n{line}\n"));
    let ran = desk.run(&["check", "more.ndjson", "--rules", "teams.yaml", "--strict"]);
    assert!(
        !ran.stdout.contains("was checked, because none"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.code, 0);
    // Hosts are counted once, over all files.
    let other = line.replace("gitlab", "github");
    let desk = desk.with("foreign/a.ndjson", format!("{line}\n{other}\n"));
    let desk = desk.with("foreign/b.ndjson", format!("{line}\n"));
    let ran = desk.run(&[
        "check",
        "foreign",
        "--rules",
        "teams.yaml",
        "--format",
        "json",
        "--strict",
    ]);
    assert!(
        ran.stdout
            .contains("3 calls of known operations on 2 hosts"),
        "{}",
        ran.stdout
    );
    assert_eq!(
        (ran.code, ran.stdout.matches("no-known-address").count()),
        (2, 1)
    );
    // So does a folder beside a file without such calls.
    let unknown = r#"{"method":"GET","url":"https://z.test/none"}"#;
    let desk = desk.with("unknown.ndjson", unknown);
    for command in ["check", "usage"] {
        for paths in [&["foreign"][..], &["foreign", "unknown.ndjson"]] {
            let arguments = [&[command, "--rules", "teams.yaml"], paths].concat();
            assert_eq!(desk.run(&arguments).code, 2, "{arguments:?}");
        }
    }
    // Of several files, each that was named counts.
    let checked = format!("{checked}\n");
    let desk = desk.with("checked.ndjson", &checked);
    let both = [
        "check",
        "checked.ndjson",
        "calls.ndjson",
        "--rules",
        "teams.yaml",
    ];
    assert_eq!(desk.run(&both).code, 2);
    let desk = desk.with("foreign/c.ndjson", &checked);
    assert_eq!(
        desk.run(&["check", "foreign", "--rules", "teams.yaml"])
            .code,
        0
    );
    for (name, file) in [("a", "checked.ndjson"), ("b", "calls.ndjson")] {
        let part = ["check", file, "--rules", "teams.yaml", "--partial", name];
        desk.run(&part);
    }
    let merge = ["merge", "--rules", "teams.yaml", "a", "b"];
    assert_eq!(desk.run(merge.get(..4).unwrap()).code, 0);
    assert_eq!(desk.run(&merge).code, 2);
}

#[test]
fn a_pattern_that_matches_the_paths_of_any_service_is_no_evidence_of_a_call() {
    for (pattern, is_evidence) in [
        ("* /**", false),
        ("* /v1/**", false),
        ("GET /{tenant}/v2beta1/*", false),
        ("GET /teams/**", true),
        ("GET /v1/{team}:archive", true),
    ] {
        let rules = format!(
            "api = 'Teams'\nhosts = ['api.teams.test']\n[[rule]]\nid = 'old'\nheader = 'x-old'\nsides = ['request']\nalso = [{{ operation = '{pattern}' }}]\n"
        );
        let path = match pattern {
            "GET /{tenant}/v2beta1/*" => "/a/v2beta1/b",
            "GET /teams/**" => "/teams/a",
            "GET /v1/{team}:archive" => "/v1/a:archive",
            _ => "/v1/a",
        };
        let call = |host: &str| {
            format!(
                "{{\"method\":\"GET\",\"url\":\"https://{host}{path}\",\"request\":{{\"headers\":{{\"x-old\":\"1\"}}}}}}\n"
            )
        };
        let desk = Desk::new()
            .with("rules.toml", rules)
            .with("own.ndjson", call("api.teams.test"))
            .with("other.ndjson", call("other.test"));
        let run = |file| {
            desk.run(&[
                "check",
                "--no-builtin-rules",
                "--rules",
                "rules.toml",
                "--strict",
                file,
            ])
        };
        assert!(run("own.ndjson").stdout.contains("[old]"), "{pattern}");
        let other = run("other.ndjson");
        assert!(!other.stdout.contains("[old]"), "{pattern}");
        let code = if is_evidence { 2 } else { 0 };
        assert_eq!(other.code, code, "{pattern}: {}", other.stdout);
        let is_counted = other
            .stdout
            .contains("a call to the path of a known operation");
        assert_eq!(is_counted, is_evidence, "{pattern}: {}", other.stdout);
    }
}

#[test]
fn a_description_of_another_host_does_not_declare_what_is_deprecated() {
    let check = |server: &str, path: &str| {
        let other = "openapi: 3.0.3\ninfo: {title: Other, version: '1'}\n";
        let other = format!(
            "{other}servers: [{{url: '{server}'}}]\npaths:\n  {path}:\n    get: {{responses: {{}}}}\n"
        );
        let desk = Desk::new()
            .with("teams.yaml", TEAMS)
            .with("other.yaml", other);
        let rules = [
            "--rules",
            "teams.yaml",
            "--no-builtin-rules",
            "--role",
            "consumer",
        ];
        desk.run(&[&["check", "other.yaml"], &rules[..]].concat())
            .code
    };
    assert_eq!(check("https://api.teams.test", "/teams/{team}"), 1);
    assert_eq!(check("/", "/teams/{team}"), 1, "the host is unknown");
    assert_eq!(check("https://other.test", "/teams/{team}"), 0);
    assert_eq!(
        check("https://api.teams.test", "/orgs/{org}/teams/{team}"),
        0
    );
}

/// Calls of `POST /api/v1/chat` as clients misspell it, and calls that have nothing to do with it.
const MISSPELT: [&str; 9] = [
    "POST https://api.teams.test/API/v1/chat",
    "POST https://api.teams.test/api%2Fv1/chat",
    "PUT /api/v1/chat",
    "POST /api/v2/chat",
    "POST https://other.test/api/v2/chat",
    "GET /api/v1/chat",
    "OPTIONS /api/v1/chat",
    "POST /api/v1/chats",
    "secret-method /api/v1/secret-path",
];

#[test]
fn calls_that_almost_match_are_counted_with_an_example() {
    let rules = "api = 'Teams'\nbase_path = '/api/v1'\nhosts = ['api.teams.test']\n[[rule]]\nid = 'chat'\noperation = 'POST /api/v1/chat'\nremoval = 2026-01-01\n";
    let line = |call: &&str| {
        let (method, url) = call.split_once(' ').unwrap();
        format!("{{\"method\":\"{method}\",\"url\":\"{url}\"}}\n")
    };
    let calls: String = MISSPELT.iter().map(line).collect();
    let desk = Desk::new()
        .with("rules.toml", rules)
        .with("calls.ndjson", calls);
    let check = [
        "check",
        "calls.ndjson",
        "--rules",
        "rules.toml",
        "--no-builtin-rules",
        "--strict",
    ];
    let ran = desk.run(&check);
    assert!(
        ran.code == 0 && ran.stdout.contains("0 errors"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout
            .contains("4 × a call that almost matches an operation of the rules")
            && ran
                .stdout
                .contains("`POST /api/v1/chat` differs only in letter case"),
        "{}",
        ran.stdout
    );
    assert!(
        !ran.stdout.contains("secret") && !ran.stdout.contains("API"),
        "{}",
        ran.stdout
    );
    for (number, example) in [
        (1, "`POST /api/v1/chat` with a slash as %2F"),
        (
            2,
            "`PUT /api/v1/chat` where the rules have `POST /api/v1/chat`",
        ),
        (3, "`POST /api/v1/chat` in another version"),
    ] {
        let desk = Desk::new().with("rules.toml", rules);
        let desk = desk.with("calls.ndjson", line(&MISSPELT[number]));
        let ran = desk.run(&check);
        assert!(ran.stdout.contains(example), "{example}: {}", ran.stdout);
    }
}

#[test]
fn a_description_knows_the_methods_of_its_paths() {
    let more = "    delete: {responses: {}}\n  /v2/teams/{id}:\n    get: {responses: {}}\n";
    let teams = TEAMS.replace("/teams/{id}", "/v1/teams/{id}");
    let calls = [
        "DELETE /v1/teams/5",
        "GET /v2/teams/5",
        "PATCH /v1/teams/5",
        "GET /v3/teams/5",
    ];
    let line = |call: &str| {
        let (method, url) = call.split_once(' ').unwrap();
        format!("{{\"method\":\"{method}\",\"url\":\"{url}\"}}\n")
    };
    let check = |call: &str| {
        let desk = Desk::new().with("teams.yaml", format!("{teams}{more}"));
        let desk = desk.with("calls.ndjson", line(call));
        let ran = desk.run(&["check", "calls.ndjson", "--rules", "teams.yaml"]);
        ran.stdout.contains("`GET /v1/teams/{id}`")
    };
    assert_eq!(calls.map(check), [false, false, true, true]);
}

#[test]
fn a_path_is_normalised_before_it_is_compared() {
    let table = TABLE.replace("/teams/{id}", "/v1/teams/{id}/members");
    let urls = [
        "/v1/teams/5/members",
        "/v1//teams/5/members/",
        "/v1/teams/5/../6/./members",
        "/v1/%2e%2E/v1/teams/5/members",
        "/v1;a=b/teams;x/5/members;jsessionid=1",
        "/v1/teams/5/members%20",
        "/v1/teams/5%2F6/members",
        "https://h.test/x/../v1/teams/5/members?a=/../",
    ];
    for url in urls {
        let call = format!("{{\"method\":\"GET\",\"url\":\"{url}\"}}\n");
        let har = format!(
            "{{\"log\":{{\"version\":\"1.2\",\"entries\":[{{\"request\":{{\"method\":\"GET\",\"url\":\"https://h.test{}\"}}}}]}}}}",
            url.trim_start_matches("https://h.test")
        );
        let desk = Desk::new()
            .with("rules.toml", &table)
            .with("c.ndjson", call)
            .with("c.har", har);
        for file in ["c.ndjson", "c.har"] {
            let ran = desk.run(&["check", file, "--rules", "rules.toml", "--no-builtin-rules"]);
            assert_eq!(ran.code, 1, "{url}: {}", ran.stdout);
        }
    }
}

#[test]
fn a_host_without_scheme_is_a_host() {
    let line = "{\"method\":\"GET\",\"url\":\"other.test/teams/5\"}\n{\"method\":\"GET\",\"url\":\"api.teams.test/teams/5\"}\n";
    let desk = Desk::new()
        .with("teams.yaml", TEAMS)
        .with("calls.ndjson", line);
    let ran = desk.run(&["check", "calls.ndjson", "--rules", "teams.yaml"]);
    assert!(ran.stdout.contains("calls.ndjson:2:"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("1 × a call to the path of a known"),
        "{}",
        ran.stdout
    );
}
