//! The configuration: where it is found, what wins, what is refused, and the pages about it.

use insta::assert_snapshot;

use crate::support::{Desk, report_formats, repository};

const WARNING: &str = r#"{"method":"POST","url":"/rest/api/v1/insights","response":{"body":{"overviewResponse":{"searchSessionSatisfaction":1}}}}"#;

/// A project with a configuration at its top.
fn project(configuration: &str) -> Desk {
    Desk::new()
        .with(".git/HEAD", "")
        .with("sundown.toml", configuration)
        .with("captures/warning.ndjson", WARNING)
        .with("old/warning.ndjson", WARNING)
}

#[test]
fn no_value_of_a_file_that_may_not_be_a_configuration_is_printed() {
    let text = "fail-on = 'hunter2'\npath = 'x'\nmax-depth = 'y'\n'62ba6c104f35d776' = 1\n";
    let reported_in = |name: &str, text: &str| {
        let ran = Desk::new()
            .with(name, text)
            .run(&["check", "--config", name]);
        assert_eq!(ran.code, 2);
        let words = |line: &&str| line.starts_with("error") || line.contains("help");
        ran.stderr
            .lines()
            .filter(words)
            .collect::<Vec<_>>()
            .join("\n")
    };
    let masked = reported_in("settings.yaml", text);
    assert_snapshot!(masked);
    let masked = masked.replace("yaml", "toml");
    assert_eq!(
        reported_in("settings.toml", text),
        masked,
        "most keys are those of other files"
    );
    let known = format!("strict = true\nerror-within = 9\nany-host = true\n{text}");
    assert!(reported_in("settings.toml", &known).contains("`hunter2` is not known here"));
}

#[test]
fn a_short_configuration_with_misspelled_keys_is_shown() {
    for configuration in [
        "fail_on = \"warning\"\nerror-within = \"60\"\n\n[[log]]\nmetod = \"/a\"\nurl = \"b.c\"\n",
        "fail_on = \"warning\"\n",
        "[[log]]\nmetod = \"/a\"\nurl = \"b.c\"\n",
    ] {
        let ran = project(configuration).run(&["config"]);
        assert_eq!(ran.code, 2);
        assert!(!ran.stderr.contains("***"), "{}", ran.stderr);
        assert!(ran.stderr.contains("did you mean"), "{}", ran.stderr);
    }
}

#[test]
fn it_is_found_upward_from_the_checked_path_wherever_the_run_starts() {
    let desk = project("error-within = 60\n").with("sub/deep/x.txt", "");
    for (folder, arguments) in [
        (".", &["check"][..]),
        ("captures", &["check", "."]),
        ("sub/deep", &["check", "../../captures"]),
        ("sub/deep", &["check", "../../captures/warning.ndjson"]),
    ] {
        let ran = desk.run_below(folder, arguments);
        assert_eq!(
            ran.code, 1,
            "{folder} {arguments:?}\n{}{}",
            ran.stdout, ran.stderr
        );
    }
    let without = desk.run(&["check", "--no-config"]);
    assert_eq!(without.code, 0, "{}", without.stdout);
}

#[test]
fn the_search_ends_at_the_root_of_the_repository() {
    let desk = Desk::new()
        .with("sundown.toml", "error-within = 60\n")
        .with("inner/.git/HEAD", "")
        .with("inner/warning.ndjson", WARNING);
    assert_eq!(desk.run(&["check", "inner"]).code, 0);
    assert_eq!(desk.run_below("inner", &["check"]).code, 0);
    let ran = desk.run_below("inner", &["check", "--config", "../sundown.toml"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
}

#[test]
fn a_configuration_below_the_one_that_applies_is_reported() {
    let desk = project("error-within = 60").with("captures/sundown.toml", "fail-on = 'never'");
    let both = desk.run(&["check", "captures/warning.ndjson", "old/warning.ndjson"]);
    assert_eq!(both.code, 1);
    assert_snapshot!(both.stderr, @"note: captures/sundown.toml is not used: one configuration holds for a run; check captures by itself to use it");
    let alone = desk.run(&["check", "captures/warning.ndjson"]);
    assert_eq!((alone.code, alone.stderr.as_str()), (0, ""));
}

#[test]
fn flags_override_the_configuration() {
    let desk = project(
        "error-within = 60\nstrict = true\nexclude = ['old']\nfail-on = 'note'\nformat = ['json']\n",
    );
    assert_eq!(desk.run(&["check"]).code, 1);
    for (flags, code) in [
        (&["--error-within", "30", "--fail-on", "error"][..], 0),
        (&["--fail-on", "never"], 0),
        (&["--exclude", "captures", "--exclude", "old"], 2),
    ] {
        let ran = desk.run(&[&["check"], flags].concat());
        assert_eq!(ran.code, code, "{flags:?}\n{}", ran.stdout);
    }
    let desk = desk.with("captures/empty.har", "");
    for (flag, code) in [("--strict=true", 2), ("--strict=false", 0)] {
        let ran = desk.run(&["check", flag, "--fail-on", "never"]);
        assert_eq!(
            ran.code, code,
            "an empty file beside others: {}",
            ran.stdout
        );
    }
    let human = desk.run(&["check", "--format", "human"]);
    assert!(human.stdout.starts_with("error["), "{}", human.stdout);
}

#[test]
fn names_of_rules_that_a_flag_leaves_out_are_not_mistakes() {
    let shop = "api = 'Shop'\nbase_path = '/v1'\n\
        [[rule]]\nid = 'old'\noperation = 'POST /v1/orders'\nfield = 'old'\n";
    let config = "rules = ['shop.toml']\n[severity]\nold = 'note'\n'exposed/old' = 'off'\n\
        [[api]]\napi = 'Shop'\nhosts = ['x.example']\n\
        [[payload]]\nfiles = 'orders*.json'\noperation = 'orders'\n\
        [[allow]]\nrule = 'old'\nreason = 'x'\nuntil = 2026-12-31\n";
    let other = shop
        .replace("Shop", "Other")
        .replace("old", "other")
        .replace("orders", "others");
    let desk = Desk::new()
        .with("shop.toml", shop)
        .with("other.toml", other)
        .with("sundown.toml", config)
        .with(
            "a.ndjson",
            "{\"method\":\"POST\",\"url\":\"/v1/others\",\"body\":{\"old\":1}}\n",
        );
    for arguments in [
        &["check"][..],
        &["check", "--rules", "other.toml"],
        &["check", "--rules", "other.toml", "--no-builtin-rules"],
        &["explain", "other", "--rules", "other.toml"],
    ] {
        let ran = desk.run(arguments);
        assert_eq!(
            (ran.code, ran.stderr.as_str()),
            (0, ""),
            "{arguments:?} {}",
            ran.stdout
        );
        assert!(!ran.stdout.contains("no rule `old`"), "{}", ran.stdout);
    }
    let wrong = config.replace("old = 'note'", "ol = 'note'");
    std::fs::write(desk.path("sundown.toml"), wrong).unwrap();
    assert_eq!(desk.run(&["check"]).code, 2, "nothing is left out");
    assert_eq!(desk.run(&["check", "--rules", "other.toml"]).code, 0);
}

#[test]
fn paths_and_globs_are_relative_to_the_configuration() {
    let desk = project(
        "paths = ['captures', 'old']\nexclude = ['/old']\nformat = ['human', 'json=out/report.json']\nrules = ['rules/own.toml']\nbuiltin-rules = true\n",
    )
    .with("out/x", "")
    .with("sub/old/warning.ndjson", WARNING)
    .with("rules/own.toml", "api = 'Own'\n[[rule]]\nid = 'own'\noperation = 'GET /own'\n");
    let ran = desk.run_below("sub", &["check"]);
    assert!(
        ran.stdout.contains("../captures/warning.ndjson:1:"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    assert!(
        !ran.stdout.contains("old/warning.ndjson:"),
        "{}",
        ran.stdout
    );
    assert!(desk.path("out/report.json").is_file());
    let rules = desk.run_below("sub", &["rules", "list"]);
    assert!(rules.stdout.contains("own  "), "{}", rules.stdout);
    let named = desk.run_below("sub", &["check", "old"]);
    assert!(
        named.stdout.contains("old/warning.ndjson:1:"),
        "only the root's: {}",
        named.stdout
    );
}

#[test]
fn fingerprints_do_not_depend_on_where_the_run_starts() {
    let desk = project("");
    let fingerprints = |folder: &str, path: &str| {
        let ran = desk.run_below(folder, &["check", path, "--format", "json"]);
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        report["findings"][0]["fingerprint"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let from_root = fingerprints(".", "captures");
    assert_eq!(from_root, fingerprints("captures", "."));
    assert_eq!(from_root, fingerprints("old", "../captures"));
    assert_ne!(from_root, fingerprints(".", "old"));
}

#[test]
fn every_mistake_is_reported_with_its_location_and_ends_the_run() {
    let desk = project(
        "exlude = ['x']\nmax-record = '12 apples'\nfail-on = 'errors'\ninclude = ['[']\ntarget-version = ['1.33', 'a b']\nmax-depth = 0\n\n[[payload]]\nfiles = 'a.json'\nside = 'reply'\n",
    );
    let ran = desk.run(&["check"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert_snapshot!(ran.stderr);
}

#[test]
fn a_named_file_must_be_a_configuration() {
    let desk = Desk::new()
        .with("Cargo.toml", "[package]\nname = 'x'\n")
        .with("x.bin", [0xff_u8]);
    for (file, words) in [
        ("missing.toml", "no such file"),
        ("Cargo.toml", "unknown key `package`"),
        ("x.bin", "not UTF-8"),
        (".", "cannot be read"),
    ] {
        let ran = desk.run(&["check", "--config", file]);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(words), "{file}: {}", ran.stderr);
    }
}

#[test]
fn settings_are_shown_with_their_origin() {
    let desk = project(
        "error-within = 60\nexclude = [\"old\", \"a\\\"b\"]\n\n[severity]\n\"chat-citations\" = \"note\"\n\n[[payload]]\nfiles = [\"fixtures/*.json\"]\noperation = \"chat\"\n",
    );
    let ran = desk.run_in(
        &[("GITHUB_ACTIONS", "true")],
        &["config", "captures", "--fail-on", "never", "--strict"],
        b"",
    );
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_snapshot!(ran.stdout);
    // The page is TOML, and a configuration itself.
    assert!(
        Desk::new()
            .with("sundown.toml", &ran.stdout)
            .run(&["config"])
            .code
            == 0
    );
}

#[test]
fn the_environment_names_the_configuration_and_the_format() {
    let desk = project("").with("other.toml", "format = ['sarif']\n");
    let environment = [
        ("SUNDOWN_CONFIG", "other.toml"),
        ("SUNDOWN_FORMAT", "junit"),
    ];
    let format = |arguments: &[&str]| {
        let page = desk.run_in(&environment, arguments, b"").stdout;
        page.lines()
            .find(|line| line.starts_with("format"))
            .map(str::to_owned)
    };
    assert!(format(&["config"]).unwrap().contains("junit"));
    assert!(
        format(&["config", "--format", "json"])
            .unwrap()
            .contains("json")
    );
    let checked = desk.run_in(&environment[..1], &["check"], b"");
    assert!(checked.stdout.contains("\"runs\""), "{}", checked.stdout);
}

#[test]
fn a_first_configuration_fits_the_project() {
    let capture = std::fs::read(repository("testdata/captures/mitmproxy.har")).unwrap();
    let desk = Desk::new()
        .with("captures/a.har", &capture)
        .with("logs/app.ndjson", WARNING)
        .with("package.json", "{\"name\": \"x\"}")
        .with("tests/fixtures/chat.json", "{\"messages\": []}")
        .with("target/copy.har", &capture)
        .with("api.yaml", "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths:\n  /x:\n    get:\n      deprecated: true\n      responses: {}\n");
    let printed = desk.run(&["init", "--stdout"]);
    assert_snapshot!(printed.stdout);
    let written = desk.run(&["init"]);
    assert_snapshot!(written.stdout);
    let text = std::fs::read_to_string(desk.path("sundown.toml")).unwrap();
    assert_eq!(text, printed.stdout);
    let again = desk.run(&["init"]);
    assert_eq!(again.code, 2);
    assert!(
        again
            .stderr
            .contains("there is already a configuration: ./sundown.toml")
    );
    assert_eq!(
        std::fs::read_to_string(desk.path("sundown.toml")).unwrap(),
        text
    );
    assert_eq!(desk.run(&["check"]).code, 1);
}

#[test]
fn a_first_configuration_narrows_nothing_that_is_checked() {
    use std::io::Write as _;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(WARNING.as_bytes()).unwrap();
    let desk = Desk::new()
        .with("-", WARNING)
        .with("one.ndjson", WARNING)
        .with("single/exchange.json", WARNING)
        .with("spread/exchange.json", WARNING.replace('{', "{\n"))
        .with("zipped/app.log.gz", gzip.finish().unwrap())
        .with(
            "anywhere/chat.request.json",
            r#"{"messages":[{"citations":[]}]}"#,
        )
        .with(
            "stubs/a.json",
            r#"{"request":{"method":"POST","url":"/rest/api/v1/chat"},"response":{"status":200}}"#,
        )
        .with(
            "calls.sh",
            "#!/bin/sh\ncurl https://example.com/rest/api/v1/chat\n",
        )
        .with("dist/app.ndjson", WARNING)
        .with("package.json", "{\"name\": \"x\"}");
    let before = desk.run(&["check", ".", "--format", "json"]);
    let written = desk.run(&["init"]);
    assert_snapshot!(written.stdout, @"
    sundown.toml written; found here: 7 JSON files of exchanges, 1 curl file, 1 JSON body
      rules: the built-in tables
    next: `sundown check`, and `sundown config` to see the settings in effect
    ");
    let after = desk.run(&["check", "--format", "json"]);
    assert_eq!((before.code, before.stdout), (after.code, after.stdout));
    let text = std::fs::read_to_string(desk.path("sundown.toml")).unwrap();
    for line in text.lines() {
        assert!(line.is_empty() || line.starts_with('#'), "in force: {line}");
    }
}

#[test]
fn selections_that_match_nothing_are_refused() {
    for text in [
        "paths = []",
        "paths = ['']",
        "rules = [' ']",
        "format = []",
        "format = ['']",
        "exclude = ['']",
        "include = ['/']",
        "[[payload]]\nfiles = []\noperation = 'chat'",
        "[[log]]\nfiles = []\nurl = '/u'",
        "max-depth = 0",
        "error-within = -36501",
        "warn-within = 36501",
        "format = ['json=../victim.txt']",
        "format = ['json=/tmp/victim.txt']",
        "format = ['json=a/../x.txt', 'sarif=./x.txt']",
        "format = ['json=sundown.toml']",
        "format = ['json=old/warning.ndjson']",
    ] {
        let ran = project(text).run(&["check"]);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (2, ""),
            "{text}\n{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("help: "), "{text}\n{}", ran.stderr);
    }
    for flags in [
        &["--exclude", ""][..],
        &["--include", "/"],
        &["--max-depth", "0"],
        &["--error-within", "36501"],
        &["--warn-within", "-36501"],
        &["--format", "json=x", "--format", "sarif=./x"],
        &["--format", "json=sundown.toml"],
        &["--format", "json=captures/warning.ndjson"],
    ] {
        let desk = project("");
        let ran = desk.run(&[&["check"], flags].concat());
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (2, ""),
            "{flags:?}\n{}",
            ran.stderr
        );
        assert_eq!(
            std::fs::read_to_string(desk.path("captures/warning.ndjson")).unwrap(),
            WARNING
        );
        assert_eq!(
            std::fs::read_to_string(desk.path("sundown.toml")).unwrap(),
            ""
        );
    }
}

#[test]
fn a_report_may_be_written_again() {
    for format in report_formats() {
        let desk = project("");
        let into = format!("{format}=report");
        for _ in 0..2 {
            let ran = desk.run(&["check", "--format", &into]);
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{format}");
        }
    }
}

/// For each setting: the other keys of the configuration, its value, and the arguments of `check`.
const EFFECTS: [(&str, &str, &str, &[&str]); 25] = [
    ("paths", "", "['old']", &[]),
    ("include", "", "['old']", &[]),
    ("exclude", "", "['old']", &[]),
    (
        "force-exclude",
        "exclude = ['old']",
        "true",
        &["captures", "old/warning.ndjson"],
    ),
    ("rules", "", "['shop.toml']", &[]),
    ("builtin-rules", "", "false", &[]),
    (
        "without-table",
        "",
        "['client-api', 'beyond-reference']",
        &[],
    ),
    ("contract", "", "true", &["refused.ndjson"]),
    ("packs", "", "['kubernetes']", &["cluster.ndjson"]),
    (
        "unknown-host",
        "packs = ['twilio']",
        "true",
        &["twilio.ndjson"],
    ),
    (
        "deprecations-from-text",
        "rules = ['unmarked.yaml']",
        "true",
        &["orders.ndjson"],
    ),
    (
        "dates-from-text",
        "rules = ['api.yaml']",
        "true",
        &["orders.ndjson"],
    ),
    (
        "any-host",
        "rules = ['shop.toml']",
        "true",
        &["proxied.ndjson"],
    ),
    ("role", "rules = ['shop.toml']", "'consumer'", &["api.yaml"]),
    ("max-depth", "", "1", &[]),
    ("max-record", "", "'1M'", &["large.ndjson"]),
    ("error-within", "", "60", &[]),
    ("warn-within", "", "10", &[]),
    (
        "target-version",
        "packs = ['kubernetes']",
        "['1.18']",
        &["cluster.ndjson"],
    ),
    ("response-severity", "", "'note'", &[]),
    ("fail-on", "", "'warning'", &[]),
    ("strict", "", "true", &[]),
    ("baseline", "", "'known.json'", &[]),
    (
        "baseline-ignores-counts",
        "baseline = 'fewer.json'",
        "true",
        &["captures/warning.ndjson"],
    ),
    ("format", "", "['json']", &[]),
];

#[test]
fn every_setting_has_an_effect() {
    let api = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths:\n  /orders:\n    get:\n      deprecated: true\n      description: Deprecated, will be removed on 2026-12-01.\n      responses: {}\n";
    let shop =
        "api = 'Shop'\n[[rule]]\nid = 'old'\noperation = 'GET /orders'\nremoval = 2026-12-01\n";
    let get = "{\"method\":\"GET\",\"url\":\"/orders\"}\n";
    let large = format!(
        "{{\"method\":\"GET\",\"url\":\"/orders\",\"pad\":\"{}\"}}\n",
        "x".repeat(3 << 20)
    );
    let desk = project("")
        .with("large.ndjson", large)
        .with("api.yaml", api)
        .with("unmarked.yaml", api.replace("      deprecated: true\n", ""))
        .with("shop.toml", shop)
        .with("orders.ndjson", get)
        .with(
            "cluster.ndjson",
            get.replace("/orders", "/apis/batch/v1beta1/cronjobs"),
        )
        .with(
            "twilio.ndjson",
            get.replace("/orders", "/2008-08-01/Accounts"),
        )
        .with(
            "refused.ndjson",
            "{\"method\":\"POST\",\"url\":\"/rest/api/v1/chat\",\"response\":{\"status\":401}}\n",
        )
        .with("proxied.ndjson", get.replace("/orders", "/proxy/orders"))
        .with(
            "captures/broken.ndjson",
            format!("{WARNING}\n{{\"method\":"),
        );
    let check = |configuration: &str, arguments: &[&str]| {
        std::fs::write(desk.path("sundown.toml"), configuration).unwrap();
        let ran = desk.run(&[&["check"], arguments].concat());
        (ran.code, ran.stdout, ran.stderr)
    };
    assert_eq!(
        desk.run(&[
            "baseline",
            "captures/warning.ndjson",
            "--baseline",
            "known.json"
        ])
        .code,
        0
    );
    let known = std::fs::read_to_string(desk.path("known.json")).unwrap();
    let fewer = known.replace("\"uses\":1", "\"uses\":0");
    std::fs::write(desk.path("fewer.json"), fewer).unwrap();
    for (name, others, value, arguments) in EFFECTS {
        let without = check(others, arguments);
        let with = check(&format!("{others}\n{name} = {value}\n"), arguments);
        assert!(!with.1.is_empty(), "`{name}` ends the run:\n{}", with.2);
        assert_ne!(without, with, "`{name}` changes nothing");
    }
}
