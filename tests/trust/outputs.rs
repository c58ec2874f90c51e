//! What the program writes: an output of a configuration, whose author may be a stranger, does no harm, and no output replaces what
//! the run has read.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::support::{Desk, Ran, report_formats, sources};
use proptest::prelude::*;

const USE: &str =
    r#"{"method":"POST","url":"/rest/api/v1/chat","request":{"body":{"citations":[]}}}"#;

/// A project with one use, and a configuration that writes a report in this format to this file.
fn project(format: &str, file: &str) -> Desk {
    Desk::new().with("a.ndjson", USE).with(
        "sundown.toml",
        format!("paths = ['a.ndjson']\nformat = ['{format}={file}']\n"),
    )
}

/// The content of every file below a folder. A folder that is a link is not entered.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut contents = BTreeMap::new();
    for path in sources(folder) {
        let name = path
            .strip_prefix(folder)
            .unwrap()
            .to_string_lossy()
            .into_owned();
        contents.insert(name, fs::read(path).unwrap());
    }
    contents
}

fn assert_refused(desk: &Desk, ran: &Ran, before: &BTreeMap<String, Vec<u8>>, reason: &str) {
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (2, ""),
        "{reason}: {}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains(reason) && ran.stderr.contains("help: "),
        "{}",
        ran.stderr
    );
    assert_eq!(&contents(&desk.path("")), before);
}

#[test]
fn no_output_of_a_configuration_goes_into_a_folder_of_a_tool() {
    for file in [
        ".git/hooks/pre-commit",
        ".GIT/hooks/new",
        ".git",
        ".github/workflows/ci.yml",
        ".husky/pre-push",
        ".envrc",
        ".venv/bin/python",
        "node_modules/.bin/eslint",
        "sub/NODE_MODULES/a/index.js",
        "vendor/a.php",
        "sub/../.git/hooks/new",
        // These are known by what is in them.
        "environment/bin/activate",
        "elsewhere/hooks/post-checkout",
    ] {
        let desk = project("human", file)
            .with(".git/HEAD", "ref: refs/heads/main\n")
            .with(".git/hooks/pre-commit", "#!/bin/sh\n")
            .with(".github/workflows/ci.yml", "")
            .with(".venv/bin/python", "")
            .with("node_modules/.bin/eslint", "")
            .with("sub/NODE_MODULES/a/index.js", "")
            .with("environment/pyvenv.cfg", "home = /usr/bin\n")
            .with("environment/bin/activate", "")
            .with("elsewhere/HEAD", "ref: refs/heads/main\n")
            .with("elsewhere/objects/x", "")
            .with("elsewhere/refs/x", "")
            .with("elsewhere/hooks/x", "");
        let before = contents(&desk.path(""));
        assert_refused(
            &desk,
            &desk.run(&["check"]),
            &before,
            "hidden or belongs to another tool",
        );
        // The baseline is an output, too.
        let text = format!("paths = ['a.ndjson']\nbaseline = '{file}'\n");
        fs::write(desk.path("sundown.toml"), text).unwrap();
        let before = contents(&desk.path(""));
        assert_refused(
            &desk,
            &desk.run(&["baseline"]),
            &before,
            "belongs to another tool",
        );
    }
}

#[test]
fn an_output_of_a_configuration_is_written_beside_the_sources_and_in_folders() {
    for (config, file) in [
        ("sundown.toml", "report.json"),
        ("sundown.toml", "build/reports/report.json"),
        ("sundown.toml", ".sundown-report.json"),
        ("sub/sundown.toml", "report.json"),
    ] {
        let desk = Desk::new()
            .with(".git/HEAD", "ref: refs/heads/main\n")
            .with("build/reports/x", "")
            .with("sub/a.ndjson", USE)
            .with(config, format!("format = ['json={file}']\n"));
        // Also from another folder, and over an empty file.
        for arguments in [&["check", "sub"][..], &["check", "sub/a.ndjson"]] {
            let ran = desk.run(arguments);
            assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{config} {file}");
        }
        let folder = Path::new(config).parent().unwrap().join(file);
        let text = fs::read_to_string(desk.path(folder.to_str().unwrap())).unwrap();
        assert!(text.contains("chat-citations"), "{text}");
    }
}

#[test]
fn an_output_of_a_configuration_replaces_only_an_empty_file_or_a_report_in_its_format() {
    let empty = Desk::new()
        .with("empty.ndjson", "")
        .with("clean.ndjson", USE.replace("cit", "x"));
    for format in report_formats() {
        let desk = project(format, "report");
        fs::write(desk.path("report"), "").unwrap();
        // With findings, without any, and with a failure, each over the one before.
        for (name, code) in [("a", 1), ("clean", 0), ("empty", 2), ("a", 1)] {
            let input = if name == "a" {
                USE.to_owned()
            } else {
                String::new()
            };
            let input = fs::read(empty.path(&format!("{name}.ndjson"))).unwrap_or(input.into());
            fs::write(desk.path("a.ndjson"), input).unwrap();
            let ran = desk.run(&["check"]);
            assert_eq!(
                (ran.code, ran.stderr.as_str()),
                (code, ""),
                "{format}, {name}"
            );
        }
        for other in report_formats()
            .into_iter()
            .filter(|other| *other != format)
        {
            let desk = project(other, "report");
            desk.run(&["check"]);
            // Both end with the totals.
            let are_alike =
                ["human", "github"].contains(&format) && ["human", "github"].contains(&other);
            fs::write(
                desk.path("sundown.toml"),
                format!("format = ['{format}=report']\n"),
            )
            .unwrap();
            let before = contents(&desk.path(""));
            if !are_alike {
                assert_refused(
                    &desk,
                    &desk.run(&["check", "a.ndjson"]),
                    &before,
                    "no report of",
                );
            }
        }
        for foreign in ["my notes\n", "{}", "#!/bin/sh\n", "\n"] {
            let desk = project(format, "notes").with("notes", foreign);
            let before = contents(&desk.path(""));
            assert_refused(
                &desk,
                &desk.run(&["check"]),
                &before,
                "no report of sundown",
            );
            let named = desk.run(&["check", "--format", &format!("{format}=notes")]);
            assert_eq!((named.code, named.stderr.as_str()), (1, ""), "{format}");
        }
    }
}

#[cfg(unix)]
#[test]
fn an_output_of_a_configuration_goes_through_no_link_and_is_not_executable() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    for file in ["link/report.json", "to-file.json", "to-nothing.json"] {
        let desk = project("json", file)
            .with("folder/x", "")
            .with("file.json", "");
        symlink("folder", desk.path("link")).unwrap();
        symlink("file.json", desk.path("to-file.json")).unwrap();
        symlink("nothing.json", desk.path("to-nothing.json")).unwrap();
        let ran = desk.run(&["check"]);
        assert_eq!(ran.code, 2, "{file}");
        // A link to nothing could lead out of the folder.
        let reason = if file == "to-nothing.json" {
            "outside of"
        } else {
            "is a symbolic link"
        };
        assert!(ran.stderr.contains(reason), "{}", ran.stderr);
        assert_eq!(fs::read(desk.path("file.json")).unwrap(), b"");
        assert!(!desk.path("nothing.json").exists() && !desk.path("folder/report.json").exists());
    }
    let desk = project("human", "tool").with("tool", "");
    fs::set_permissions(desk.path("tool"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(desk.run(&["check"]).code, 1);
    assert_eq!(
        desk.path("tool").metadata().unwrap().permissions().mode() & 0o777,
        0o644
    );
}

#[test]
fn allow_outside_trusts_a_configuration_with_its_outputs() {
    let desk = project("json", "notes").with("notes", "my notes\n");
    let ran = desk.run(&["check", "--allow-outside"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert!(
        fs::read_to_string(desk.path("notes"))
            .unwrap()
            .contains("chat-citations")
    );
}

/// A project in which a run reads files of many kinds.
fn read_files() -> (Desk, Vec<&'static str>) {
    let rules = "api = 'Shop'\ndescription = 'shop.yaml'\n[[rule]]\nid = 'old'\noperation = 'POST /orders'\nfield = 'old'\nat = ['$.old']\n";
    let shop = "openapi: 3.1.0\ninfo: {title: Shop, version: '1'}\npaths:\n  /orders:\n    post:\n      requestBody:\n        content:\n          application/json:\n            schema: {$ref: 'parts.yaml#/Order'}\n      responses: {'200': {description: done}}\n";
    let har = r#"{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[{"startedDateTime":"2026-11-20T00:00:00Z","time":1,"_initiator":{"type":"script","stack":{"callFrames":[{"url":"https://h/app.js","functionName":"f","scriptId":"1","lineNumber":0,"columnNumber":5}]}},"request":{"method":"POST","url":"https://h/rest/api/v1/chat","headers":[],"postData":{"mimeType":"application/json","text":"{\"citations\":[]}"}},"response":{"status":200,"headers":[],"content":{}}}]}}"#;
    let desk = Desk::new()
        .with("bodies/one.txt", r#"{"citations": []}"#)
        .with("chat.request.json", r#"{"citations": []}"#)
        .with("shop.yaml", shop)
        .with("parts.yaml", "Order: {properties: {old: {deprecated: true, type: string}}}\n")
        .with("rules.toml", rules)
        .with("calls.har", har)
        .with("log.txt", USE)
        .with(
            "sundown.toml",
            "rules = ['rules.toml']\nbuiltin-rules = true\n[[payload]]\nfiles = ['/bodies/*']\noperation = 'POST /rest/api/v1/chat'\n",
        );
    let files = vec![
        "bodies/one.txt",
        "chat.request.json",
        "shop.yaml",
        "parts.yaml",
        "rules.toml",
        "calls.har",
        "log.txt",
        "sundown.toml",
    ];
    (desk, files)
}

#[test]
fn no_output_replaces_a_file_that_the_run_has_read() {
    let (desk, files) = read_files();
    let baseline = desk.run(&["baseline", "--as-of", "2026-11-20"]);
    assert_eq!((baseline.code, baseline.stderr.as_str()), (0, ""));
    let known = "--baseline=sundown-baseline.json";
    fs::write(desk.path("list.csv"), "operation,removal\n").unwrap();
    for file in files.iter().chain(&["sundown-baseline.json"]) {
        let before = contents(&desk.path(""));
        for arguments in [
            &["check", known, "--format", &format!("json={file}")][..],
            &[
                "check",
                known,
                "--format",
                &format!("ndjson={file}"),
                "--no-fold",
            ],
            &["usage", "--partial", file],
        ] {
            let ran = desk.run(arguments);
            let is_used = arguments[0] == "check" || !file.ends_with("baseline.json");
            assert_eq!(
                ran.code, 2,
                "{file} {arguments:?}: {}{}",
                ran.stdout, ran.stderr
            );
            assert!(
                !is_used || ran.stderr.contains("own file"),
                "{file}: {}",
                ran.stderr
            );
            assert_eq!(contents(&desk.path("")), before, "{file} {arguments:?}");
        }
    }
}

#[test]
fn a_partial_result_replaces_nothing_an_empty_file_or_a_partial_result() {
    let desk = Desk::new()
        .with("a.ndjson", USE)
        .with("empty", "")
        .with("notes", "my notes\n");
    for file in ["new", "new", "empty", "empty"] {
        let ran = desk.run(&["usage", "a.ndjson", "--partial", file]);
        assert!(
            ran.code < 2 && ran.stderr.is_empty(),
            "{file}: {}",
            ran.stderr
        );
    }
    let before = contents(&desk.path(""));
    let ran = desk.run(&["usage", "a.ndjson", "--partial", "notes"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("what is there is no partial result"),
        "{}",
        ran.stderr
    );
    let merged = desk.run(&["merge", "new", "--partial", "notes"]);
    assert_eq!(merged.code, 2);
    assert_eq!(contents(&desk.path("")), before);
    // The sum of partial results may replace one of them.
    let merged = desk.run(&["merge", "new", "--partial", "new"]);
    assert!(merged.code < 2, "{}", merged.stderr);
}

#[test]
fn reports_and_partial_results_of_earlier_runs_are_not_inputs() {
    let desk = Desk::new().with("a.ndjson", USE);
    let usage = ["usage", "--partial", "p.json"];
    let counted = desk.run(&usage).stdout;
    assert_eq!(desk.run(&usage).stdout, counted);
    for format in report_formats() {
        let desk = Desk::new().with("a.ndjson", USE);
        let flags = ["check", "--format", &format!("{format}=report.json")];
        let first = desk.run(&flags);
        assert_eq!((first.code, first.stderr.as_str()), (1, ""), "{format}");
        let report = fs::read(desk.path("report.json")).unwrap();
        assert_eq!(desk.run(&flags).code, 1, "{format}");
        assert_eq!(
            fs::read(desk.path("report.json")).unwrap(),
            report,
            "{format}"
        );
    }
}

#[cfg(unix)]
#[test]
fn two_runs_that_write_a_baseline_at_once_keep_the_entries_of_both() {
    use std::io::Write as _;
    let desk = Desk::new().with("a.ndjson", USE).with("sundown.toml", "");
    let mut slow = std::process::Command::new(env!("CARGO_BIN_EXE_sundown"))
        .current_dir(desk.path(""))
        .args(["baseline", "-", "--as-of", "2026-11-20", "--threads", "1"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = slow.stdin.take().unwrap();
    writeln!(stdin, "{USE}").unwrap();
    // It has begun, and waits for more.
    let fast = desk.run(&["baseline", "a.ndjson", "--as-of", "2026-11-20"]);
    assert_eq!(fast.code, 0, "{}", fast.stderr);
    drop(stdin);
    assert!(slow.wait().unwrap().success());
    let text = fs::read_to_string(desk.path("sundown-baseline.json")).unwrap();
    assert!(
        text.contains("\"a.ndjson\"") && text.contains("\"-\""),
        "{text}"
    );
}

#[test]
fn a_name_as_long_as_the_file_system_allows_is_written() {
    let name = "r".repeat(255);
    let desk = Desk::new().with("a.ndjson", USE);
    let ran = desk.run(&["check", "a.ndjson", "--format", &format!("json={name}")]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    let longer = desk.run(&["check", "a.ndjson", "--format", &format!("json={name}r")]);
    assert_eq!(longer.code, 2);
    assert!(
        longer.stderr.contains("cannot be written"),
        "{}",
        longer.stderr
    );
}

/// Paths as a stranger may write them, most of them without meaning.
fn paths() -> impl Strategy<Value = String> {
    let names = prop::sample::select(vec![
        ".",
        "..",
        ".git",
        ".GIT",
        "hooks",
        "pre-commit",
        "sub",
        "link",
        "up",
        "node_modules",
        "notes.txt",
        "report.json",
        "a.ndjson",
        "rules.toml",
        "sundown.toml",
        "own.json",
        "new",
        "chat.request.json",
        "",
    ]);
    prop::collection::vec(names, 1..5).prop_map(|names| names.join("/"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Whatever a configuration says, the files of others stay as they are, and so do those that the run reads.
    #[test]
    fn no_configuration_changes_a_file_that_is_not_an_output(
        outputs in prop::collection::vec((prop::sample::select(report_formats()), paths()), 0..4),
        inputs in prop::collection::vec(paths(), 0..3),
        rules in prop::collection::vec(paths(), 0..2),
        baseline in prop::option::of(paths()),
        is_in_subfolder in any::<bool>(),
        command in prop::sample::select(vec![&["check"][..], &["baseline"], &["usage"]]),
    ) {
        let desk = Desk::new()
            .with("victim/notes.txt", "notes")
            .with("victim/calls.ndjson", USE)
            .with("repo/.git/HEAD", "ref: refs/heads/main\n")
            .with("repo/.git/hooks/pre-commit", "#!/bin/sh\n")
            .with("repo/node_modules/notes.txt", "")
            .with("repo/notes.txt", "notes")
            .with("repo/a.ndjson", USE)
            .with("repo/chat.request.json", r#"{"citations":[]}"#)
            .with("repo/rules.toml", "api = 'Shop'\n[[rule]]\nid = 'a'\noperation = 'GET /a'\n")
            .with("repo/sub/a.ndjson", USE)
            .with("repo/sub/notes.txt", "");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../victim", desk.path("repo/link")).unwrap();
            std::os::unix::fs::symlink("../../victim", desk.path("repo/sub/up")).unwrap();
        }
        let quoted = |paths: &[String]| {
            paths.iter().map(|path| format!("'{path}'")).collect::<Vec<_>>().join(", ")
        };
        let formats: Vec<_> =
            outputs.iter().map(|(format, path)| format!("{format}={path}")).collect();
        let mut config = String::new();
        for (key, values) in [("paths", &inputs), ("rules", &rules), ("format", &formats)] {
            if !values.is_empty() {
                writeln!(config, "{key} = [{}]", quoted(values)).unwrap();
            }
        }
        if let Some(path) = &baseline {
            writeln!(config, "baseline = '{path}'").unwrap();
        }
        let folder = if is_in_subfolder { "repo/sub" } else { "repo" };
        fs::write(desk.path(folder).join("sundown.toml"), &config).unwrap();
        let before = contents(&desk.path(""));
        let ran = desk.run_below(folder, command);
        let after = contents(&desk.path(""));
        for (name, content) in &before {
            let is_report = name == "repo/sub/notes.txt";
            prop_assert!(
                is_report || after.get(name) == Some(content),
                "{name} is changed by {command:?} with\n{config}{}", ran.stderr
            );
        }
        for name in after.keys().filter(|name| !before.contains_key(*name)) {
            let below = name.strip_prefix(&format!("{folder}/"));
            let is_inside = name.starts_with("repo/");
            let is_tool = name.to_lowercase().contains(".git/") || name.contains("node_modules");
            let is_baseline = name.ends_with("sundown-baseline.json");
            let is_output = below.is_some() || baseline.is_some();
            prop_assert!(
                is_inside && !is_tool && (is_output || is_baseline) && !name.contains(".tmp"),
                "{name} is new after {command:?} with\n{config}{}", ran.stderr
            );
        }
    }
}
