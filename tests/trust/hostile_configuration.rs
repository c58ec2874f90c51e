//! A configuration from a stranger: it makes the program show no secrets of other files, and reach no file outside of its
//! repository.

use crate::support::{Desk, Ran, report_formats};

const SECRET: &str = "cioSecretOfTheUser7fb2";

const USE: &str =
    r#"{"method":"POST","url":"/rest/api/v1/chat","request":{"body":{"citations":[]}}}"#;

/// Files with secrets as other programs write them, some of them broken.
fn files_with_secrets() -> Vec<(&'static str, String)> {
    let cargo =
        format!("[registry]\ntoken = \"{SECRET}\"\n\n[registries.x]\ntoken = \"{SECRET}\"\n");
    vec![
        ("a file of credentials", cargo.clone()),
        (
            "a broken file of credentials",
            cargo.replace("[registries.x]", "[registries.x"),
        ),
        (
            "a secret without quotes",
            format!("[default]\npassword = {SECRET}\nport = 5432\n"),
        ),
        ("keys that ours have, too", format!("api = \"{SECRET}\"\n")),
        (
            "tables that ours have, too",
            format!("[log]\nkey = \"{SECRET}\"\n[api]\ntoken = \"{SECRET}\"\n"),
        ),
        (
            "numbers",
            "[card]\nnumber = 7723094400167\npin = 7723094400167\n".to_owned(),
        ),
        ("a list", format!("tokens = [\"a\", \"{SECRET}\"]\n")),
        (
            "a list of tables",
            format!("[[rule]]\nid = \"a\"\nuser = \"u\"\nkey = \"{SECRET}\"\nhost = \"h\"\n"),
        ),
        ("no TOML", format!("machine h login u password {SECRET}\n")),
        (
            "JSON",
            format!("{{\"auths\": {{\"h\": {{\"auth\": \"{SECRET}\"}}}}}}\n"),
        ),
        (
            "a private key",
            format!("-----BEGIN KEY-----\n{SECRET}=\n-----END KEY-----\n"),
        ),
    ]
}

fn assert_hidden(what: &str, ran: &Ran) {
    for text in [&ran.stdout, &ran.stderr] {
        for secret in [SECRET, "7723094400167"] {
            assert!(!text.contains(secret), "{what}: {text}");
        }
    }
    assert_eq!(ran.code, 2, "{what}: {}{}", ran.stdout, ran.stderr);
}

#[test]
fn no_error_shows_a_value_of_a_file_of_another_program() {
    for (what, text) in files_with_secrets() {
        let desk = Desk::new()
            .with("a.ndjson", USE)
            .with("credentials.toml", &text);
        for key in [
            "rules = [\"credentials.toml\"]\n",
            "baseline = \"credentials.toml\"\n",
        ] {
            let desk = Desk::new()
                .with("a.ndjson", USE)
                .with("credentials.toml", &text)
                .with("sundown.toml", key);
            for command in [&["check", "a.ndjson"][..], &["rules", "list"], &["config"]] {
                let ran = desk.run(command);
                if ran.code == 2 {
                    assert_hidden(&format!("{what}, {key}, {command:?}"), &ran);
                }
            }
            assert_hidden(&format!("{what}, {key}"), &desk.run(&["check", "a.ndjson"]));
        }
        for flag in ["--rules", "--config", "--baseline"] {
            let ran = desk.run(&["check", "a.ndjson", flag, "credentials.toml"]);
            assert_hidden(&format!("{what}, {flag}"), &ran);
        }
        let ran = desk.run(&["rules", "check", "credentials.toml"]);
        assert_hidden(&format!("{what}, rules check"), &ran);
    }
}

#[cfg(unix)]
#[test]
fn a_configuration_that_is_a_link_to_another_file_shows_nothing_of_it() {
    for (what, text) in files_with_secrets() {
        let desk = Desk::new().with("a.ndjson", USE).with("credentials", &text);
        std::os::unix::fs::symlink(desk.path("credentials"), desk.path("sundown.toml")).unwrap();
        assert_hidden(what, &desk.run(&["check", "a.ndjson"]));
    }
}

#[test]
fn mistakes_in_our_own_files_are_shown_with_their_text() {
    let rules =
        "api = \"Shop\"\n[[rule]]\nid = \"a\"\noperation = \"GET /a\"\nremoval = \"soon\"\n";
    let ran = Desk::new()
        .with("rules.toml", rules)
        .run(&["rules", "check", "rules.toml"]);
    assert!(ran.stderr.contains("removal = \"soon\""), "{}", ran.stderr);
    for rules in [
        "api = \"Shop\"\n[[rule]\nid = \"a\"\noperation = \"GET /a\"\n",
        "api = \"Shop\"\nhosts = [\"h\"\n[[rule]]\nid = \"a\"\noperation = \"GET /a\"\n",
        "# rules\n[rule]\nid = \"a\"\noperation = \"GET /a\"\n",
        "api: Shop\nrule:\n  - id: a\n    operation: GET /a\n",
    ] {
        let desk = Desk::new().with("rules.toml", rules);
        let ran = desk.run(&["rules", "check", "rules.toml"]);
        assert!(!ran.stderr.contains("**"), "{}", ran.stderr);
    }
    for config in [
        "rules = \"ok.toml\"\n",
        "fail-on: error\n",
        "[rules]\nx = 1\nstrict = 2\n",
    ] {
        let desk = Desk::new()
            .with("a.ndjson", USE)
            .with("sundown.toml", config);
        let ran = desk.run(&["check", "a.ndjson"]);
        assert!(
            ran.code == 2 && !ran.stderr.contains("**"),
            "{}",
            ran.stderr
        );
    }
    let config = "strict = true\nerror-within = 3\nexlude = [\"x\"]\n";
    let desk = Desk::new()
        .with("a.ndjson", USE)
        .with("sundown.toml", config);
    let ran = desk.run(&["check", "a.ndjson"]);
    assert!(ran.stderr.contains("exlude = [\"x\"]"), "{}", ran.stderr);
}

/// A repository with a project in a folder, and files outside of it.
fn repository() -> Desk {
    let rules = "api = \"Shop\"\n[[rule]]\nid = \"a\"\noperation = \"GET /a\"\n";
    let baseline = Desk::new().with("a.ndjson", USE);
    let ran = baseline.run(&["baseline", "a.ndjson", "--as-of", "2026-11-20"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let baseline = std::fs::read(baseline.path("sundown-baseline.json")).unwrap();
    Desk::new()
        .with("outside/rules.toml", rules)
        .with("outside/baseline.json", &baseline)
        .with("outside/calls/a.ndjson", USE)
        .with(
            "outside/shop.yaml",
            "openapi: 3.0.0\ninfo: {title: x, version: '1'}\npaths: {}\n",
        )
        .with("repository/.git/HEAD", "ref: refs/heads/main\n")
        .with("repository/shared/rules.toml", rules)
        .with("repository/shared/baseline.json", &baseline)
        .with("repository/shared/calls/a.ndjson", USE)
        .with("repository/project/a.ndjson", USE)
}

fn check_with(desk: &Desk, config: &str, arguments: &[&str]) -> Ran {
    std::fs::write(desk.path("repository/project/sundown.toml"), config).unwrap();
    desk.run_below("repository/project", &[&["check"], arguments].concat())
}

/// The settings that are paths, with a placeholder for a folder.
const PATHS: [(&str, &[&str]); 3] = [
    ("paths = [\"~/calls\"]\n", &[]),
    ("rules = [\"~/rules.toml\"]\n", &["a.ndjson"]),
    ("baseline = \"~/baseline.json\"\n", &["a.ndjson"]),
];

#[test]
fn paths_out_of_the_repository_are_refused() {
    for (config, arguments) in PATHS {
        let desk = repository();
        let absolute = desk.path("outside");
        for folder in [
            "../../outside",
            "none/../../../outside",
            absolute.to_str().unwrap(),
        ] {
            let config = config.replace('~', folder);
            let ran = check_with(&desk, &config, arguments);
            assert_eq!(
                (ran.stdout.as_str(), ran.code),
                ("", 2),
                "{config}: {}",
                ran.stderr
            );
            for part in [
                "outside of the repository",
                "--allow-outside",
                "sundown.toml:1:",
            ] {
                assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
            }
        }
        let config = config.replace('~', "../../outside");
        let ran = check_with(&desk, &config, &[arguments, &["--allow-outside"]].concat());
        assert!(ran.code < 2, "{config}: {}", ran.stderr);
    }
}

#[cfg(unix)]
#[test]
fn a_configuration_that_is_a_link_is_used_if_it_is_in_the_repository() {
    for (target, is_used) in [
        ("../../outside/own.toml", false),
        ("../shared/own.toml", true),
    ] {
        let desk = repository();
        for folder in ["outside", "repository/shared"] {
            let own = desk.path(folder).join("own.toml");
            std::fs::write(own, "rules = [\"../shared/rules.toml\"]\n").unwrap();
        }
        let link = desk.path("repository/project/sundown.toml");
        std::os::unix::fs::symlink(target, link).unwrap();
        let ran = desk.run_below("repository/project", &["check", "a.ndjson"]);
        let refused = "sundown.toml is not used: it is a link";
        assert_eq!(!ran.stderr.contains(refused), is_used, "{}", ran.stderr);
    }
}

#[test]
fn paths_inside_the_repository_are_accepted() {
    for (config, arguments) in PATHS {
        let desk = repository();
        for folder in ["../shared", "../project/../shared"] {
            let config = config.replace('~', folder);
            let ran = check_with(&desk, &config, arguments);
            assert!(ran.code < 2, "{config}: {}", ran.stderr);
        }
    }
}

#[test]
fn without_a_repository_the_boundary_is_the_folder_of_the_configuration() {
    let desk = repository();
    std::fs::remove_dir_all(desk.path("repository/.git")).unwrap();
    let ran = check_with(&desk, "rules = [\"../shared/rules.toml\"]\n", &["a.ndjson"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("outside of the configuration's folder"),
        "{}",
        ran.stderr
    );
}

#[test]
fn paths_on_the_command_line_may_lead_anywhere() {
    let desk = repository();
    let config = "rules = [\"../../outside/none.toml\"]\n";
    let ran = check_with(
        &desk,
        config,
        &[
            "a.ndjson",
            "--rules",
            "../../outside/rules.toml",
            "--no-builtin-rules=false",
        ],
    );
    assert_eq!(ran.code, 1, "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn symbolic_links_out_of_the_repository_are_refused() {
    let desk = repository();
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(desk.path(to), desk.path(name)).unwrap();
    };
    link("outside/rules.toml", "repository/project/rules.toml");
    link("outside", "repository/project/elsewhere");
    link("repository/shared", "repository/project/shared");
    let ran = check_with(
        &desk,
        "format = [\"json=elsewhere/report.json\"]\n",
        &["a.ndjson"],
    );
    assert!(
        ran.code == 2 && !desk.path("outside/report.json").exists(),
        "{}",
        ran.stderr
    );
    for (path, code) in [
        ("rules.toml", 2),
        ("elsewhere/rules.toml", 2),
        ("shared/rules.toml", 1),
    ] {
        let config = format!("builtin-rules = true\nrules = [\"{path}\"]\n");
        let ran = check_with(&desk, &config, &["a.ndjson"]);
        assert_eq!(ran.code, code, "{path}: {}", ran.stderr);
    }
}

#[test]
fn descriptions_that_such_rules_refer_to_are_inside_the_repository() {
    let desk = repository();
    let rules = "api = \"Shop\"\ndescription = \"../../outside/shop.yaml\"\n[[rule]]\nid = \"a\"\noperation = \"GET /a\"\n";
    std::fs::write(desk.path("repository/project/rules.toml"), rules).unwrap();
    let config = "builtin-rules = true\nrules = [\"rules.toml\"]\n";
    let ran = check_with(&desk, config, &["a.ndjson"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("--allow-outside"),
        "{}",
        ran.stderr
    );
    let ran = check_with(&desk, config, &["a.ndjson", "--allow-outside"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    // The rules file on the command line may be anywhere, but the description is one that it names.
    let ran = check_with(&desk, "", &["a.ndjson", "--rules", "rules.toml"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("--allow-outside"),
        "{}",
        ran.stderr
    );
}

/// Rules that take values of persons for versions, in every part of a call.
const VERSIONS_OF_PERSONS: &str = "api = 'x'
[[rule]]
id = 'ssn'
operation = 'POST /v1/pay/{card}'
field = 'ssn'
before = '999-99-9999'
[[rule]]
id = 'born'
operation = 'POST /v1/pay/{card}'
field = 'born'
before = '2999-01-01'
[[rule]]
id = 'day'
operation = 'POST /v1/pay/{card}'
field = 'day'
before = '20991231'
[[rule]]
id = 'months'
operation = 'POST /v1/pay/{card}'
field = 'months'
supported_months = 12
newest = '2099-12'
[[rule]]
id = 'list'
operation = 'POST /v1/pay/{card}'
field = 'list'
before = 'k99'
[[rule]]
id = 'otp'
operation = 'POST /v1/pay/{card}'
parameter = 'otp'
before = '999'
[[rule]]
id = 'ip'
operation = 'POST /v1/pay/{card}'
header = 'x-ip'
before = '255.255.255.255'
[[rule]]
id = 'card'
operation = 'POST /v1/pay/{card}'
segment = 'card'
before = '9999-9999-9999-9999'
";

/// The values that they match, and their forms in ids.
const VALUES_OF_PERSONS: [&str; 11] = [
    "536-22-8147",
    "1984-07-23",
    "20040723",
    "2003-06",
    "k77",
    "k66",
    "493",
    "10.20.30.40",
    "10-20-30-40",
    "4929-1234-5678-9012",
    "2004-05-31",
];

const CALL_OF_A_PERSON: &str = r#"{"method":"POST","url":"/v1/pay/4929-1234-5678-9012?otp=493","request":{"headers":{"x-ip":"10.20.30.40"},"body":{"ssn":"536-22-8147","born":"1984-07-23","day":"20040723","months":"2003-06","list":["k77","k66"]}}}"#;

#[test]
fn rules_of_a_stranger_print_no_value_as_a_version() {
    let desk = Desk::new()
        .with("a.ndjson", CALL_OF_A_PERSON)
        .with("rules.toml", VERSIONS_OF_PERSONS)
        .with(
            "sundown.toml",
            "rules = ['rules.toml']\nbuiltin-rules = false\n",
        );
    let assert_none = |text: &str, from: &str| {
        for value in VALUES_OF_PERSONS {
            let is_at = |line: &&str| line.contains(&format!("`{value}`")) || line.contains(value);
            let line = text
                .lines()
                .filter(|line| !line.contains("fingerprint"))
                .find(is_at);
            assert_eq!(line, None, "{value} in {from}");
        }
    };
    for format in report_formats() {
        let ran = desk.run(&["check", "a.ndjson", "--format", format]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_none(&ran.stdout, format);
    }
    desk.run(&["usage", "a.ndjson", "--partial", "usage.partial"]);
    desk.run(&["baseline", "a.ndjson", "--baseline", "baseline.json"]);
    for file in ["usage.partial", "baseline.json"] {
        let written = std::fs::read(desk.path(file)).unwrap();
        assert_none(&String::from_utf8_lossy(&written), file);
    }
    for format in ["human", "json", "csv", "markdown", "html"] {
        assert_none(
            &desk.run(&["usage", "a.ndjson", "--format", format]).stdout,
            format,
        );
    }
    let json = |arguments: &[&str]| -> serde_json::Value {
        let ran = desk.run(&[&["check", "a.ndjson", "--format", "json"], arguments].concat());
        serde_json::from_str(&ran.stdout).unwrap()
    };
    let of = |report: &serde_json::Value, key: &str| -> Vec<String> {
        let findings = report["findings"].as_array().unwrap().iter();
        findings
            .filter_map(|finding| Some(finding[key].as_str()?.to_owned()))
            .collect()
    };
    let (hidden, shown) = (json(&[]), json(&["--show-values"]));
    assert_eq!(
        of(&hidden, "rule"),
        ["card", "otp", "ip", "ssn", "born", "day", "months", "list"]
    );
    assert_eq!(of(&hidden, "fingerprint"), of(&shown, "fingerprint"));
    let values: [&str; 7] = [
        "4929-1234-5678-9012",
        "493",
        "10.20.30.40",
        "\"536-22-8147\"",
        "\"1984-07-23\"",
        "\"20040723\"",
        "\"2003-06\"",
    ];
    assert_eq!(of(&shown, "value"), values);
    let text = desk.run(&["check", "a.ndjson", "--show-values"]).stdout;
    for value in values {
        assert!(text.contains(value), "{value}: {text}");
    }
}

#[test]
fn versions_that_are_dates_near_that_of_the_rule_or_configured_are_named() {
    let rules = "api = 'x'\n[[rule]]\nid = 'r'\noperation = 'GET /a'\nparameter = 'v'\nbefore = '2024-10-01'\n[[rule]]\nid = 's'\noperation = 'GET /a'\nparameter = 'w'\nbefore = 'w9'\n";
    let call = |query: &str| format!("{{\"method\":\"GET\",\"url\":\"/a?{query}\"}}\n");
    let queries = [
        "v=2024-09-30",
        "v=2014-10-01",
        "v=2014-09-30",
        "w=w7",
        "w=w8",
    ];
    let desk = Desk::new()
        .with("a.ndjson", queries.map(call).concat())
        .with("rules.toml", rules)
        .with(
            "sundown.toml",
            "rules = ['rules.toml']\nbuiltin-rules = false\n[severity]\ns-w7 = 'error'\n",
        );
    let ran = desk.run(&["check", "a.ndjson", "--format", "ndjson"]);
    for named in ["r-2024-09-30", "r-2014-10-01", "r", "s-w7", "s"] {
        assert!(
            ran.stdout.contains(&format!("\"rule\":\"{named}\"")),
            "{named}: {}",
            ran.stdout
        );
    }
    for hidden in ["2014-09-30", "w8"] {
        assert!(!ran.stdout.contains(hidden), "{hidden}: {}", ran.stdout);
    }
}

#[test]
fn a_layout_of_a_log_makes_no_value_a_time_or_a_name() {
    let config = "builtin-rules = false\nrules = ['rules.toml']\n[[log]]\nfiles = ['*.ndjson']\nurl = '/u'\nstarted = '/card'\n[[log]]\nfiles = ['*.log']\nlog-format = '\"$uri?$sent_http_x_glean_deprecated\" $msec'\n";
    let rules = "api = 'x'\n[[rule]]\nid = 'r'\noperation = 'GET /a'\n";
    let desk = Desk::new()
        .with("sundown.toml", config)
        .with("rules.toml", rules)
        .with(
            "a.ndjson",
            "{\"u\":\"/a\",\"card\":4929123456789012}\n{\"u\":\"/a\",\"card\":1795075964}\n",
        )
        .with("b.log", "\"/b?name=bobsecret\" 536228147\n");
    let ran = desk.run(&[
        "check",
        "a.ndjson",
        "b.log",
        "--no-fold",
        "--format",
        "ndjson",
    ]);
    assert!(ran.stdout.contains("X-Glean-Deprecated"), "{}", ran.stdout);
    assert!(ran.stdout.contains("2026-11-19"), "{}", ran.stdout);
    for secret in ["bobsecret", "2126-", "1986-"] {
        assert!(!ran.stdout.contains(secret), "{secret}: {}", ran.stdout);
    }
}
