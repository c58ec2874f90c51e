//! Allowances and baselines on the command line: from which folders they apply, and what a run that checks less keeps.

use crate::support::Desk;

const RULES: &str = "api = 'Shop'\n\
    [[rule]]\nid = 'old'\noperation = 'POST /v1/orders'\nfield = 'old'\nremoval = 2026-12-15\n\
    [[rule]]\nid = 'older'\noperation = 'POST /v1/orders'\nfield = 'older'\n\
    [[rule]]\nid = 'box'\noperation = 'POST /v1/orders'\nfield = 'box'\n";

const TRAFFIC: &str = r#"{"method":"POST","url":"/v1/orders","body":{"items":[{"old":1},{"old":2}],"old":3}}
{"method":"POST","url":"/v1/orders","body":{"older":1}}
"#;

const CONFIG: &str = "rules = ['shop.toml']\nbuiltin-rules = false\n\
    [[allow]]\nrule = 'old'\nfiles = 'sub'\nreason = 'x'\nuntil = 2026-11-20\n\
    [[allow]]\nrule = 'box'\nreason = 'x'\nuntil = 2026-11-20\n";

#[test]
fn the_configuration_of_a_project_applies_from_any_folder() {
    let desk = Desk::new()
        .with(".git/HEAD", "")
        .with("sundown.toml", CONFIG)
        .with("shop.toml", RULES)
        .with("sub/a.ndjson", TRAFFIC);
    let unused = "sundown.toml:8: this allowance covers no finding; remove it\n";
    let ran = desk.run(&["check"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(
        ran.stdout.contains(unused) && ran.stdout.contains("Not counted: 2 allowed\n"),
        "{}",
        ran.stdout
    );
    for (folder, arguments) in [
        (".", &["check", "sub"][..]),
        ("sub", &["check"]),
        (".", &["check", "--exclude", "x"]),
        (".", &["check", "sub/a.ndjson"]),
    ] {
        let ran = desk.run_below(folder, arguments);
        assert!(
            ran.stdout.contains("Not counted: 2 allowed\n"),
            "{arguments:?} {}",
            ran.stdout
        );
        assert!(
            !ran.stdout.contains("covers no finding"),
            "{arguments:?} {}",
            ran.stdout
        );
    }
    assert!(
        desk.run_below("sub", &["check", ".."])
            .stdout
            .contains(unused)
    );
    let after = desk.run(&["check", "--as-of", "2026-11-21"]);
    assert_eq!(after.code, 1);
    assert!(
        after
            .stdout
            .contains("its allowance (sundown.toml:3) ended after 2026-11-20"),
        "{}",
        after.stdout
    );
    assert_eq!(
        desk.run(&["check", "--no-config", "--rules", "shop.toml"])
            .code,
        1
    );
}

#[test]
fn rules_that_were_not_checked_keep_their_allowances() {
    let desk = Desk::new()
        .with("sundown.toml", CONFIG)
        .with("shop.toml", RULES)
        .with("sub/a.ndjson", TRAFFIC);
    let remarks = |arguments: &[&str]| {
        let ran = desk.run(&[&["check"], arguments].concat());
        ran.stdout.matches("covers no finding").count()
    };
    assert_eq!(remarks(&[]), 1);
    assert_eq!(remarks(&["--operation", "POST /v1/orders"]), 0);
    assert_eq!(remarks(&["--input-format", "ndjson"]), 0);
    for (grades, count) in [
        ("box = 'off'", 0),
        ("old = 'off'", 1),
        ("undated = 'off'", 1),
    ] {
        let config = format!("{CONFIG}[severity]\n{grades}\n");
        std::fs::write(desk.path("sundown.toml"), config).unwrap();
        assert_eq!(remarks(&[]), count, "{grades}");
    }
    let config = CONFIG.replace("rule = 'box'", "rule = 'undated/box'");
    std::fs::write(desk.path("sundown.toml"), &config).unwrap();
    assert_eq!(remarks(&[]), 1);
    std::fs::write(
        desk.path("sundown.toml"),
        config + "[severity]\nundated = 'off'\n",
    )
    .unwrap();
    assert_eq!(remarks(&[]), 0);
}

#[test]
fn an_invalid_date_does_not_stop_a_run() {
    let config = CONFIG.replacen("2026-11-20", "2026-11-31", 1);
    let desk = Desk::new()
        .with("sundown.toml", config)
        .with("shop.toml", RULES)
        .with("sub/a.ndjson", TRAFFIC);
    let ran = desk.run(&["check"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    let reported = "sundown.toml:3: \"2026-11-31\" is not a date: this allowance counts as ended; write the year";
    assert!(ran.stdout.contains(reported), "{}", ran.stdout);
}

#[test]
fn the_baseline_of_a_configuration_applies_unless_the_command_line_overrides_it() {
    let config = "rules = ['shop.toml']\nbuiltin-rules = false\nbaseline = 'known.json'\n";
    let desk = Desk::new()
        .with(".git/HEAD", "ref: refs/heads/main\n")
        .with("sundown.toml", config)
        .with("shop.toml", RULES)
        .with("sub/a.ndjson", TRAFFIC);
    assert_eq!(desk.run(&["check"]).code, 2, "it is not there yet");
    let ran = desk.run_below("sub", &["baseline", "--as-of", "2026-11-20"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        std::fs::read_to_string(desk.path("known.json"))
            .unwrap()
            .contains("\"sub/a.ndjson\"")
    );
    assert_eq!(
        (
            desk.run(&["check"]).code,
            desk.run_below("sub", &["check"]).code
        ),
        (0, 0)
    );
    assert_eq!(desk.run(&["check", "--no-baseline"]).code, 1);
    let shown = desk.run(&["config", "--no-baseline"]).stdout;
    assert!(
        shown.contains("# baseline is not set") && shown.contains("command line: --no-baseline"),
        "{shown}"
    );
    // Without a name, it is next to the configuration.
    std::fs::write(
        desk.path("sundown.toml"),
        config.replace("baseline = 'known.json'\n", ""),
    )
    .unwrap();
    assert_eq!(
        desk.run_below("sub", &["baseline", "--as-of", "2026-11-20"])
            .code,
        0
    );
    assert!(desk.path("sundown-baseline.json").exists());
}

#[test]
fn an_expired_allowance_keeps_a_finding_out_of_the_baseline() {
    let desk = Desk::new()
        .with("sundown.toml", CONFIG)
        .with("shop.toml", RULES)
        .with("sub/a.ndjson", TRAFFIC);
    let ran = desk.run(&["baseline", "--as-of", "2026-11-21"]);
    assert!(
        ran.stdout
            .contains("1 entry, 1 new, none gone\nNot added: 2 × its allowance ended"),
        "{}",
        ran.stdout
    );
    // The entry of an existing baseline suppresses the finding before and after the last day.
    std::fs::write(
        desk.path("sundown.toml"),
        CONFIG.replace("sub", "elsewhere"),
    )
    .unwrap();
    desk.run(&["baseline", "--as-of", "2026-11-20"]);
    std::fs::write(desk.path("sundown.toml"), CONFIG).unwrap();
    let with = ["check", "--baseline", "sundown-baseline.json", "--as-of"];
    let code = |day: &str| desk.run(&[&with[..], &[day]].concat()).code;
    assert_eq!((code("2026-11-20"), code("2026-11-21")), (0, 1));
}

/// The rules of the findings of a run, each with its number of uses, and its exit code.
fn found(desk: &Desk, arguments: &[&str]) -> (Vec<String>, i32) {
    let common = [
        "check",
        "a.ndjson",
        "--rules",
        "shop.toml",
        "--no-builtin-rules",
    ];
    let ran = desk.run(&[&common, arguments, &["--format", "ndjson"]].concat());
    let lines = ran.stdout.lines();
    let lines = lines.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let findings = lines.filter(|line| line["type"] == "finding");
    let rules = findings.map(|line| format!("{} {}", line["rule"].as_str().unwrap(), line["seen"]));
    (rules.collect(), ran.code)
}

#[test]
fn a_run_reports_only_the_rules_that_the_user_names() {
    let nested = "{\"method\":\"POST\",\"url\":\"/v1/orders\",\"body\":{\"box\":{\"older\":1}}}\n";
    let desk = Desk::new()
        .with("shop.toml", RULES)
        .with("a.ndjson", format!("{TRAFFIC}{nested}"));
    let all = ["old 2", "old 1", "older 1", "box 1"];
    for (arguments, expected) in [
        (&[][..], &all[..]),
        (&["--rule", "old"], &all[..2]),
        (
            &["--rule", "old*"],
            &["old 2", "old 1", "older 1", "older 1"],
        ),
        (
            &["--rule", "old", "--rule", "box"],
            &["old 2", "old 1", "box 1"],
        ),
        (&["--ignore", "old"], &all[2..]),
        (
            &["--ignore", "*x"],
            &["old 2", "old 1", "older 1", "older 1"],
        ),
        (&["--rule", "old*", "--ignore", "older"], &all[..2]),
        (&["--rule", "exposed"], &[]),
        (&["--rule", "older", "--no-fold"], &["older 1", "older 1"]),
    ] {
        let (rules, code) = found(&desk, &[arguments, &["--fail-on", "note"]].concat());
        assert_eq!(rules, expected, "{arguments:?}");
        assert_eq!(code, i32::from(!expected.is_empty()), "{arguments:?}");
    }
}

#[test]
fn an_id_that_no_rule_has_is_an_error_that_suggests_one() {
    let desk = Desk::new()
        .with("shop.toml", RULES)
        .with("a.ndjson", TRAFFIC);
    for (flag, id) in [("--rule", "oldr"), ("--ignore", "oldr*")] {
        let arguments = ["check", "a.ndjson", "--rules", "shop.toml", flag, id];
        let ran = desk.run(&arguments);
        let error = format!(
            "error: no rule, requirement or check has the id `{id}`\n = help: did you mean `older`? `sundown rules list` lists all rules\n"
        );
        assert_eq!((ran.code, ran.stderr), (2, error));
    }
}
