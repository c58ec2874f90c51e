//! The command line: exit codes, standard input, outputs into files, and the pages about rules.

use insta::assert_snapshot;

use crate::support::{Desk, repository};

const ERROR: &str =
    r#"{"method":"POST","url":"/rest/api/v1/chat","request":{"body":{"citations":[]}}}"#;
const WARNING: &str = r#"{"method":"POST","url":"/rest/api/v1/insights","response":{"body":{"overviewResponse":{"searchSessionSatisfaction":1}}}}"#;

#[test]
fn the_exit_code_follows_the_worst_finding_and_the_gate() {
    let desk = Desk::new()
        .with("error.ndjson", ERROR)
        .with("warning.ndjson", WARNING)
        .with("clean.ndjson", ERROR.replace("citations", "x"));
    for (arguments, code) in [
        (&["error.ndjson"][..], 1),
        (&["error.ndjson", "--fail-on", "never"], 0),
        (&["warning.ndjson"], 0),
        (&["warning.ndjson", "--fail-on", "warning"], 1),
        (&["warning.ndjson", "--fail-on", "note"], 1),
        (&["warning.ndjson", "--error-within", "60"], 1),
        (
            &[
                "warning.ndjson",
                "--warn-within",
                "10",
                "--fail-on",
                "warning",
            ],
            0,
        ),
        (
            &[
                "warning.ndjson",
                "--error-within",
                "60",
                "--response-severity",
                "warning",
            ],
            0,
        ),
        (&["clean.ndjson", "--fail-on", "note"], 0),
        (&["clean.ndjson", "error.ndjson"], 1),
        (&["error.ndjson", "missing.ndjson"], 2),
        (&["error.ndjson", "--as-of", "2026-10-99"], 2),
        (&["error.ndjson", "--side", "request"], 2),
    ] {
        let ran = desk.run(&[&["check"], arguments].concat());
        assert_eq!(
            ran.code, code,
            "{arguments:?}\n{}{}",
            ran.stdout, ran.stderr
        );
    }
}

#[test]
fn standard_input_is_read_like_a_file() {
    let desk = Desk::new();
    let ran = desk.run_with(&["check", "-"], ERROR.as_bytes());
    assert!(ran.stdout.contains("-:1:63"), "{}", ran.stdout);
    let body = desk.run_with(
        &["check", "-", "--operation", "POST /rest/api/v1/chat"],
        br#"{"citations":1}"#,
    );
    assert!(
        body.stdout.contains("in the request") && body.stdout.contains("in the response"),
        "checked as both"
    );
}

#[test]
fn reports_go_to_files_and_standard_output() {
    let desk = Desk::new().with("a.ndjson", ERROR);
    let ran = desk.run(&[
        "check",
        "a.ndjson",
        "--format",
        "human",
        "--format",
        "json=out.json",
        "--format",
        "ndjson=out.ndjson",
    ]);
    assert!(ran.stdout.starts_with("error[chat-citations]"));
    let document: serde_json::Value =
        serde_json::from_slice(&std::fs::read(desk.path("out.json")).unwrap()).unwrap();
    assert_eq!(document["findings"][0]["rule"], "chat-citations");
    assert!(
        std::fs::read_to_string(desk.path("out.ndjson"))
            .unwrap()
            .ends_with("}\n")
    );
    let nowhere = desk.run(&[
        "check",
        "a.ndjson",
        "--format",
        "json=no/such/folder/out.json",
    ]);
    assert!(
        nowhere.stderr.contains("no/such/folder/out.json"),
        "{}",
        nowhere.stderr
    );
    assert_eq!(nowhere.code, 2);
    let both = desk.run(&[
        "check",
        "a.ndjson",
        "--format",
        "json=no/such/folder/out.json",
        "--format",
        "human",
    ]);
    assert!(
        both.stdout.contains("chat-citations"),
        "the other report is still written"
    );
}

#[test]
fn colour_is_used_only_on_request() {
    let desk = Desk::new().with("a.ndjson", ERROR);
    assert!(!desk.run(&["check", "a.ndjson"]).stdout.contains('\u{1b}'));
    assert!(
        desk.run(&["check", "a.ndjson", "--color", "always"])
            .stdout
            .contains('\u{1b}')
    );
}

#[test]
fn an_operation_that_no_rule_covers_is_an_error_that_offers_the_nearest_unless_it_is_allowed() {
    let desk = Desk::new().with("a.json", r#"{"citations":1}"#);
    for operation in ["POST /rest/api/v1/chats", "POST chat", "chats"] {
        let ran = desk.run(&["check", "a.json", "--operation", operation]);
        assert!(
            ran.stderr.contains("`POST /rest/api/v1/chat`"),
            "{operation}: {}",
            ran.stderr
        );
        assert_eq!((ran.stdout.as_str(), ran.code), ("", 2), "{operation}");
    }
    let allowed = ["--operation", "POST /v1/nope", "--allow-unknown-operation"];
    let ran = desk.run(&[&["check", "a.json"], &allowed[..]].concat());
    assert!(ran.stdout.contains("1 of operations without a rule"));
    assert!(
        ran.stdout
            .contains("No rule is about these records: `--rules FILE` adds your own"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.code, 0);
    let known = "{\"method\":\"POST\",\"url\":\"/rest/api/v1/chat\",\"request\":{\"body\":{}}}\n";
    let unknown = known.replace("chat", "nope");
    let mixed = Desk::new()
        .with("a.ndjson", [known, &unknown].concat())
        .run(&["check", "a.ndjson"]);
    assert!(
        mixed.stdout.contains("1 of operations without a rule"),
        "{}",
        mixed.stdout
    );
    assert!(
        !mixed.stdout.contains("No rule is about these"),
        "{}",
        mixed.stdout
    );
}

#[test]
fn the_nearest_operations_are_those_of_own_rules_first() {
    let rules = "api = 'Shop'\n[[rule]]\nid = 'old'\noperation = 'POST /v1/chats'\n";
    let desk = Desk::new().with("rules.toml", rules).with("a.json", "{}");
    let operation = "POST /rest/api/v1/chatz";
    let arguments = [
        "check",
        "--rules",
        "rules.toml",
        "--no-builtin-rules=false",
        "--operation",
        operation,
        "a.json",
    ];
    let ran = desk.run(&arguments);
    let first = "the nearest are `POST /v1/chats`, `POST /rest/api/v1/chat`";
    assert!(ran.stderr.contains(first), "{}", ran.stderr);
}

#[test]
fn a_misspelled_name_of_a_file_or_a_pack_gets_the_right_one() {
    let desk = Desk::new()
        .with("calls/orders.ndjson", ERROR)
        .with("rules.toml", "api = 'Shop'\n");
    for (arguments, nearest) in [
        (
            &["check", "calls/order.ndjson"][..],
            "did you mean calls/orders.ndjson?",
        ),
        (
            &["check", "--rules", "rulse.toml", "calls"],
            "did you mean rules.toml?",
        ),
        (
            &["check", "--pack", "llm-modells", "calls"],
            "did you mean `llm-models`?",
        ),
    ] {
        let ran = desk.run(arguments);
        let output = format!("{}{}", ran.stdout, ran.stderr);
        assert_eq!((ran.code, output.contains(nearest)), (2, true), "{output}");
    }
    let ran = desk.run(&["check", "zzz"]);
    assert!(!ran.stdout.contains("did you mean"), "{}", ran.stdout);
}

#[test]
fn rules_that_a_run_uses_are_no_input_of_it_unless_they_are_a_description() {
    let rules = "api = 'Shop'\n[[rule]]\nid = 'old'\noperation = 'GET /v1/old'\n";
    let description =
        "openapi: 3.0.3\ninfo: {title: Shop}\npaths: {/v1/old: {get: {deprecated: true}}}\n";
    let desk = Desk::new()
        .with("rules.toml", rules)
        .with("other.toml", rules)
        .with("api.yaml", description);
    let reported = |file: &str| {
        let ran = desk.run(&["check", "--rules", file, "-v", "."]);
        (
            ran.stdout.matches(file).count() > 0,
            ran.stdout.contains("other.toml"),
        )
    };
    assert_eq!(reported("rules.toml"), (false, true));
    assert!(reported("api.yaml").0);
}

#[test]
fn a_built_in_table_can_be_left_out() {
    let traffic =
        r#"{"method":"POST","url":"/rest/api/v1/insights","response":{"body":{"gleanAssist":1}}}"#;
    let desk = Desk::new().with("a.ndjson", traffic);
    assert_eq!(desk.run(&["check", "a.ndjson"]).code, 1);
    assert_eq!(
        desk.run(&["check", "a.ndjson", "--without-table", "beyond-reference"])
            .code,
        0
    );
    let unknown = desk.run(&["check", "a.ndjson", "--without-table", "beyond"]);
    assert!(
        unknown
            .stderr
            .contains("built-in tables: client-api, indexing-api, beyond-reference"),
        "{}",
        unknown.stderr
    );
    assert_eq!(unknown.code, 2);
}

#[test]
fn the_user_can_overrule_recognition() {
    let desk = Desk::new().with("a.json", ERROR);
    let ran = desk.run(&["check", "a.json", "--input-format", "body"]);
    assert!(
        ran.stdout
            .contains("a text that mentions what rules are about"),
        "{}",
        ran.stdout
    );
}

#[test]
fn without_a_command_the_program_says_what_it_is_and_what_to_type() {
    let capture = std::fs::read(repository("testdata/captures/mitmproxy.har")).unwrap();
    let page = |desk: &Desk| {
        let ran = desk.run(&[]);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (2, ""),
            "as for any command line without a command"
        );
        assert_eq!(ran.stderr.lines().count(), 5, "{}", ran.stderr);
        ran.stderr
    };
    assert_snapshot!("start_empty", page(&Desk::new().with("package.json", "{}")));
    let har = Desk::new().with("a.har", &capture);
    assert_snapshot!("start_har", page(&har));
    let description = "openapi: 3.1.0\npaths: {/orders: {get: {deprecated: true}}}\n";
    let described = Desk::new()
        .with("api/v2.yaml", description)
        .with("a.har", &capture);
    assert_snapshot!("start_description", page(&described));
    let odd = Desk::new().with("a b.yaml", description);
    assert!(
        page(&odd).contains("  sundown check  "),
        "a name that needs quotes is not suggested"
    );
    let configuration = "exclude = ['old']\n[[payload]]\nfiles = 'x/*.json'\noperation = 'chat'\n";
    let configured = har
        .with("old/b.har", &capture)
        .with("x/y.json", "{}")
        .with("sundown.toml", configuration);
    assert_snapshot!("start_configuration", page(&configured));
    assert_snapshot!(
        "start_mistakes",
        page(&Desk::new().with("sundown.toml", "x = 1"))
    );
    assert_snapshot!(
        "start_outside",
        page(&Desk::new().with("sundown.toml", "paths = ['../..']"))
    );
}

#[test]
fn the_survey_without_a_command_is_bounded() {
    let mut desk = Desk::new().with("many/1.har", r#"{"log":{"version":"1.2","entries":[]}}"#);
    for number in 0..1100 {
        desk = desk.with(&format!("many/{number}.txt"), "x");
    }
    let ran = desk.run(&[]);
    assert!(
        ran.stderr.contains("among the first 1000 files"),
        "{}",
        ran.stderr
    );
}

#[cfg(unix)]
#[test]
fn the_survey_without_a_command_waits_for_no_input() {
    let desk = Desk::new().with("sundown.toml", "paths = ['-', 'pipe']");
    let made = std::process::Command::new("mkfifo")
        .arg(desk.path("pipe"))
        .status()
        .unwrap();
    assert!(made.success());
    let ran = desk.run_with(&[], ERROR.as_bytes());
    assert!(
        ran.stderr.contains("Here: nothing to check yet"),
        "{}",
        ran.stderr
    );
}

#[test]
fn rules_are_listed_with_their_dates() {
    assert_snapshot!(
        Desk::new()
            .run(&["rules", "list", "--as-of", "2026-11-20"])
            .stdout
    );
}

#[test]
fn rules_are_explained() {
    let desk = Desk::new();
    let page = |id: &str| desk.run(&["explain", id, "--as-of", "2026-11-20"]).stdout;
    assert_snapshot!("explain_field", page("getanswer-tracking-token"));
    assert_snapshot!("explain_shared_field", page("createannouncement-board-id"));
    assert_snapshot!("explain_endpoint", page("listanswers-endpoint"));
    let unknown = desk.run(&["explain", "getanswer-token"]);
    assert!(
        unknown
            .stderr
            .contains("the nearest is `getanswer-tracking-token`"),
        "{}",
        unknown.stderr
    );
    assert_eq!(unknown.code, 2);
}

#[cfg(unix)]
mod interrupts {
    use std::io::Write as _;
    use std::process::{Child, ChildStdin, Command, Stdio};
    use std::time::Duration;

    use super::*;

    /// Starts a run that reads a pipe, and writes so many bytes into it: more than the pipe holds. The pipe stays open, so the run
    /// does not end.
    fn start(desk: &Desk, command: &str, capture: &[u8], bytes: usize) -> (Child, ChildStdin) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sundown"))
            .current_dir(desk.path(""))
            .args([command, "-", "--as-of", "2026-11-20"])
            .args(if command == "usage" {
                ["--partial=part", "--format=human"]
            } else {
                ["--format=json=part", "--format=human"]
            })
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for _ in 0..bytes / capture.len() {
            stdin.write_all(capture).unwrap();
        }
        (child, stdin)
    }

    fn interrupt(child: &Child) {
        let id = child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-INT", &id])
                .status()
                .unwrap()
                .success()
        );
    }

    fn capture() -> Vec<u8> {
        std::fs::read(repository("testdata/captures/pino-http.ndjson")).unwrap()
    }

    #[test]
    fn an_interrupt_reports_what_was_read_so_far_and_says_that_it_is_incomplete() {
        let capture = capture();
        for (command, found, bytes) in [
            ("check", "error[", 3_000_000),
            ("usage", "in use", 3_000_000),
            // Less than it takes to recognise the format of a log whose end is not known.
            ("check", "error[", 300_000),
            ("usage", "in use", 300_000),
        ] {
            let desk = Desk::new();
            let (child, mut stdin) = start(&desk, command, &capture, bytes);
            interrupt(&child);
            // A reader that waits for more input notices when there is some. The handler of the signal runs in a thread of its
            // own: the input must not end before that thread has run.
            while stdin.write_all(b"\n").is_ok() {
                std::thread::sleep(Duration::from_millis(20));
            }
            drop(stdin);
            let output = child.wait_with_output().unwrap();
            let reported = String::from_utf8(output.stdout).unwrap();
            assert_eq!(output.status.code(), Some(130), "{reported}");
            assert!(
                reported.contains("The run was interrupted") && reported.contains(found),
                "{reported}"
            );
            if command == "usage" {
                let merged = desk.run(&["merge", "part", "--as-of", "2026-11-20"]);
                assert_eq!(merged.code, 2, "{}", merged.stderr);
                assert!(
                    merged.stdout.contains("The run was interrupted")
                        && merged.stdout.contains(found),
                    "{}",
                    merged.stdout
                );
            }
        }
    }

    /// The reader notices the first signal only with the next input. Whether it has read all that was written cannot be seen
    /// from outside: a reader that was not finished reports, and another run is tried.
    #[test]
    fn a_second_interrupt_ends_the_program_without_a_report() {
        let ended_without_a_report = (1..=20).any(|attempt| {
            let desk = Desk::new();
            let (mut child, stdin) = start(&desk, "check", &capture(), 300_000);
            std::thread::sleep(Duration::from_millis(100 * attempt));
            // Two signals at the same moment may count as one.
            while child.try_wait().unwrap().is_none() {
                interrupt(&child);
                std::thread::sleep(Duration::from_millis(20));
            }
            drop(stdin);
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(130));
            let reported = !output.stdout.is_empty();
            assert_eq!(desk.path("part").exists(), reported);
            !reported
        });
        assert!(ended_without_a_report);
    }
}

#[test]
fn completions_and_manual_pages_name_every_command_and_flag() {
    let desk = Desk::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = desk.run(&["completions", shell]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{shell}");
        assert!(ran.stdout.contains("show-values"), "{shell}");
    }
    let page = desk.run(&["manual"]).stdout;
    assert!(page.contains("sundown\\-baseline(1)"), "{page}");
    let page = desk.run(&["manual", "check"]).stdout;
    assert!(
        page.contains(".TH sundown-check 1") && page.contains("\\-\\-show\\-values"),
        "{page}"
    );
    let page = desk.run(&["manual", "rules", "list"]).stdout;
    assert!(page.contains(".TH sundown-rules-list 1"), "{page}");
    for parent in [&["manual"][..], &["manual", "rules"]] {
        let page = desk.run(parent).stdout;
        assert!(
            !page.contains("help(1)"),
            "there is no page of `help`: {page}"
        );
    }
    let ran = desk.run(&["manual", "nothing"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("there is no command `nothing`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_report_does_not_overwrite_a_file_that_the_run_uses() {
    let rules = "api = 'Shop'\n[[rule]]\nid = 'old'\noperation = 'GET /orders'\n";
    let desk = Desk::new()
        .with("a.ndjson", ERROR)
        .with("shop.toml", rules)
        .with("known.json", "{}")
        .with(
            "sundown.toml",
            "rules = ['shop.toml']\nbaseline = 'known.json'\n",
        );
    std::fs::create_dir(desk.path("sub")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("shop.toml", desk.path("link")).unwrap();
    for file in [
        "shop.toml",
        "sub/../shop.toml",
        "link",
        "sundown.toml",
        "known.json",
        "a.ndjson",
    ] {
        if !desk.path(file).exists() {
            continue;
        }
        let before = std::fs::read(desk.path(file)).unwrap();
        let ran = desk.run(&["check", "a.ndjson", "--format", &format!("json={file}")]);
        assert!(
            ran.stderr.contains("give the report its own file"),
            "{file}: {}",
            ran.stderr
        );
        assert_eq!(
            (ran.code, std::fs::read(desk.path(file)).unwrap()),
            (2, before),
            "{file}"
        );
    }
}

/// Each command that only prints.
#[cfg(target_os = "linux")]
const PRINTING: [&[&str]; 18] = [
    &["--help"],
    &["-h"],
    &["--version"],
    &["help"],
    &["help", "usage"],
    &["check", "--help"],
    &["rules", "import", "-h"],
    &["usage", "--version"],
    &["completions", "zsh"],
    &["manual"],
    &["manual", "rules", "list"],
    &["schema", "report"],
    &["formats"],
    &["config"],
    &["init", "--stdout"],
    &["rules", "list"],
    &["rules", "packs"],
    &["explain", "chat-citations"],
];

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_printed_fails_unless_nobody_reads_it() {
    use std::process::{Command, Stdio};
    let desk = Desk::new();
    for arguments in PRINTING {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sundown"));
        command
            .env_clear()
            .current_dir(desk.path(""))
            .args(arguments)
            .stderr(Stdio::piped());
        let printed = command.stdout(Stdio::piped()).output().unwrap();
        assert_eq!(printed.status.code(), Some(0), "{arguments:?}: {printed:?}");
        assert!(printed.stdout.ends_with(b"\n"), "{arguments:?}");
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let failed = command.stdout(full).output().unwrap();
        let text = String::from_utf8_lossy(&failed.stderr);
        assert_eq!(failed.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(
            text.contains("standard output") && text.contains("space"),
            "{arguments:?}: {text}"
        );
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let closed = command.stdout(writer).output().unwrap();
        assert_eq!(closed.status.code(), Some(0), "{arguments:?}: {closed:?}");
        assert!(closed.stderr.is_empty(), "{arguments:?}: {closed:?}");
    }
}

#[test]
fn a_path_without_a_command_leads_to_the_check() {
    let desk = Desk::new().with("log.ndjson", "");
    let ran = desk.run(&["log.ndjson"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("`sundown check log.ndjson`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn names_of_other_programs_and_endings_lead_to_the_right_ones() {
    let desk = Desk::new()
        .with("bin.toml", "")
        .with("d.yaml", "rules:\n- id: a\n  operation: GET /x\n")
        .with(
            "dots.toml",
            "api = 'X'\n[[rule]]\nid = 'a'\noperation = 'GET /a/../b'\n",
        );
    for (arguments, text) in [
        (&["lint", "--json"][..], "--format json"),
        (&["check", "--output", "x"], "--format FORMAT=FILE"),
        (&["check", "--severity", "warning"], "--fail-on"),
        (&["rules", "validate", "d.yaml"], "neither a rules file"),
        (&["rules", "check", "missing.toml"], "check the path"),
        (&["rules", "check", "dots.toml"], "`..` is in no path"),
        (
            &["check", "--pack", "gh", "--pack", "k8s"],
            "no pack `gh`, `k8s`",
        ),
    ] {
        let ran = desk.run(arguments);
        assert!(ran.code == 2 && ran.stderr.contains(text), "{}", ran.stderr);
    }
}
