//! Files of a stranger: which other files they can make a run read, whose configuration is used, and what never ends.

use crate::support::{Desk, Ran};

const USE: &str =
    r#"{"method":"POST","url":"/rest/api/v1/chat","request":{"body":{"citations":[]}}}"#;

/// A schema whose names must not be printed.
const PRIVATE: &str = "SecretSchema:\n  deprecated: true\n  properties:\n    codenameField: {deprecated: true, type: string}\n";

/// A description that refers to a schema.
fn description(reference: &str) -> String {
    format!(
        "openapi: 3.1.0\ninfo: {{title: t, version: \"1\"}}\npaths:\n  /a:\n    post:\n      deprecated: true\n      requestBody:\n        content:\n          application/json:\n            schema: {{$ref: \"{reference}\"}}\n      responses: {{\"200\": {{description: ok}}}}\n"
    )
}

/// Runs each command that reads the description `name` in the folder `repo`.
fn run_all(desk: &Desk, name: &str, more: &[&str]) -> Vec<Ran> {
    let commands: [&[&str]; 4] = [
        &["check", name, "--no-config"],
        &["check", "a.ndjson", "--rules", name],
        &["rules", "check", name],
        &["rules", "import", name],
    ];
    commands
        .map(|command| desk.run_below("repo", &[command, more].concat()))
        .into()
}

fn stranger(reference: &str) -> Desk {
    Desk::new()
        .with("victim/private.yaml", PRIVATE)
        .with("repo/.git/HEAD", "ref: refs/heads/main\n")
        .with("repo/a.ndjson", USE)
        .with("repo/api.yaml", description(reference))
}

#[test]
fn no_reference_of_a_description_leaves_its_repository() {
    let mut known = Vec::new();
    for file in ["private.yaml", "none.yaml", "private.yaml/none", ""] {
        let desk = stranger("");
        let absolute = desk.path("victim").join(file);
        for reference in [
            format!("../victim/{file}#/SecretSchema"),
            format!("none/../../victim/{file}#/SecretSchema"),
            format!("%2e%2e/victim/{file}#/no/such"),
            format!("{}#/SecretSchema", absolute.display()),
        ] {
            std::fs::write(desk.path("repo/api.yaml"), description(&reference)).unwrap();
            for ran in run_all(&desk, "api.yaml", &[]) {
                let all = format!("{}{}", ran.stdout, ran.stderr);
                assert!(!all.contains("codenameField"), "{reference}: {all}");
                assert!(
                    all.contains("outside of the repository; --allow-outside accepts it"),
                    "{reference}: {all}"
                );
            }
            // Whether the file exists does not show.
            let ran = desk.run_below("repo", &["check", "api.yaml", "--format", "ndjson"]);
            let name = reference.split('#').next().unwrap().to_owned();
            known.push((
                ran.code,
                ran.stdout.contains("no such file"),
                name.is_empty(),
            ));
        }
    }
    known.dedup();
    assert_eq!(known.len(), 1, "{known:?}");
}

#[test]
fn a_reference_that_leaves_the_repository_is_read_if_the_user_allows_it() {
    let desk = stranger("../victim/private.yaml#/SecretSchema");
    for ran in run_all(&desk, "api.yaml", &["--allow-outside"]) {
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!all.contains("outside of"), "{all}");
    }
    let ran = desk.run_below("repo", &["rules", "import", "api.yaml", "--allow-outside"]);
    assert!(
        ran.stdout.contains("codenameField"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn a_file_url_is_an_address_and_not_read() {
    let desk = stranger("");
    let url = format!(
        "file://{}#/SecretSchema",
        desk.path("victim/private.yaml").display()
    );
    std::fs::write(desk.path("repo/api.yaml"), description(&url)).unwrap();
    for ran in run_all(&desk, "api.yaml", &["--allow-outside"]) {
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!all.contains("codenameField"), "{all}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_does_not_lead_a_reference_out_of_the_repository() {
    let desk = stranger("link.yaml#/SecretSchema");
    for (target, link) in [
        ("victim/private.yaml", "repo/link.yaml"),
        ("victim/none.yaml", "repo/broken.yaml"),
        ("victim", "repo/folder"),
    ] {
        std::os::unix::fs::symlink(desk.path(target), desk.path(link)).unwrap();
    }
    for reference in [
        "link.yaml",
        "broken.yaml",
        "folder/private.yaml",
        "folder/none.yaml",
    ] {
        let text = description(&format!("{reference}#/SecretSchema"));
        std::fs::write(desk.path("repo/api.yaml"), text).unwrap();
        for ran in run_all(&desk, "api.yaml", &[]) {
            let all = format!("{}{}", ran.stdout, ran.stderr);
            assert!(
                all.contains("outside of the repository"),
                "{reference}: {all}"
            );
        }
    }
}

#[test]
fn a_description_in_several_files_of_its_project_is_read() {
    let schema = PRIVATE;
    for (marker, folder, reference, command) in [
        // In one folder, without a repository.
        (None, "api", "schemas.yaml", &["check", "api/main.yaml"][..]),
        (
            None,
            "api",
            "parts/schemas.yaml",
            &["check", "api/main.yaml"],
        ),
        // In sibling folders that the user names together.
        (None, "api/v1", "../common/schemas.yaml", &["check", "api"]),
        (None, "api/v1", "../common/schemas.yaml", &["check", "."]),
        // In sibling folders of a repository, of a worktree or a submodule.
        (
            Some(".git/HEAD"),
            "api/v1",
            "../common/schemas.yaml",
            &["check", "api/v1/main.yaml"],
        ),
        (
            Some("api/.git"),
            "api/v1",
            "../common/schemas.yaml",
            &["check", "api/v1/main.yaml"],
        ),
    ] {
        let mut desk = Desk::new()
            .with(
                &format!("{folder}/main.yaml"),
                description(&format!("{reference}#/SecretSchema")),
            )
            .with(&format!("{folder}/.keep"), "");
        let parent = format!("{folder}/{reference}");
        let place = parent.replace("v1/../", "");
        desk = desk.with(&place, schema);
        if let Some(marker) = marker {
            desk = desk.with(marker, "gitdir: elsewhere\n");
        }
        let ran = desk.run(&[command, &["--format", "ndjson"]].concat());
        assert!(
            ran.stdout.contains("codenameField"),
            "{marker:?} {place}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
    // Without a repository, one file alone does not say where its project ends.
    let desk = Desk::new()
        .with(
            "api/v1/main.yaml",
            description("../common/schemas.yaml#/SecretSchema"),
        )
        .with("api/common/schemas.yaml", schema);
    let ran = desk.run(&["check", "api/v1/main.yaml"]);
    assert!(
        ran.stdout
            .contains("outside of the folder; --allow-outside"),
        "{}",
        ran.stdout
    );
}

#[cfg(unix)]
mod special_files {
    use super::*;
    use std::process::Command;

    fn make_pipe(desk: &Desk, name: &str) {
        assert!(
            Command::new("mkfifo")
                .arg(desk.path(name))
                .status()
                .unwrap()
                .success()
        );
    }

    /// The pipe has no writer: a run that opened it would never end.
    #[test]
    fn pipes_are_refused_wherever_a_file_names_them_and_as_rules_or_partial_results() {
        let desk = Desk::new()
            .with("a.ndjson", USE)
            .with("api.yaml", description("pipe#/a"));
        make_pipe(&desk, "pipe");
        let is_refused = |arguments: &[&str]| {
            let ran = desk.run(arguments);
            let all = format!("{}{}", ran.stdout, ran.stderr);
            assert!(
                all.contains("a pipe, a socket or a device"),
                "{arguments:?}: {all}"
            );
            assert_eq!(ran.code, 2, "{arguments:?}: {all}");
        };
        for config in [
            "rules = [\"pipe\"]",
            "baseline = \"pipe\"",
            "paths = [\"pipe\"]",
        ] {
            std::fs::write(desk.path("sundown.toml"), config).unwrap();
            is_refused(&["check"]);
            is_refused(&["check", "--allow-outside"]);
        }
        std::fs::write(desk.path("sundown.toml"), "").unwrap();
        for arguments in [
            &["check", "a.ndjson", "--rules", "pipe"][..],
            &["check", "a.ndjson", "--baseline", "pipe"],
            &["check", "a.ndjson", "--config", "pipe"],
            &["rules", "check", "pipe"],
            &["rules", "import", "pipe"],
            &["merge", "pipe"],
        ] {
            is_refused(arguments);
        }
        for command in [&["check", "api.yaml"][..], &["rules", "import", "api.yaml"]] {
            let ran = desk.run(command);
            let all = format!("{}{}", ran.stdout, ran.stderr);
            assert!(
                all.contains("a pipe, a socket or a device"),
                "{command:?}: {all}"
            );
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_of_the_system_are_refused_also_if_the_user_allows_paths_to_lead_outside() {
        let desk = Desk::new().with("a.ndjson", USE);
        std::fs::write(desk.path("api.yaml"), description("/proc/self/environ")).unwrap();
        for key in [
            "rules = [\"/proc/self/status\"]",
            "baseline = \"/sys/kernel/uevent_seqnum\"",
        ] {
            let desk = Desk::new().with("a.ndjson", USE).with("sundown.toml", key);
            let ran = desk.run(&["check", "a.ndjson", "--allow-outside"]);
            assert!(
                ran.stderr.contains("in /proc, /sys or /dev"),
                "{}",
                ran.stderr
            );
        }
        let ran = desk.run(&["check", "api.yaml", "--allow-outside"]);
        assert!(
            ran.stdout.contains("in /proc, /sys or /dev"),
            "{}",
            ran.stdout
        );
    }

    #[test]
    fn an_input_on_the_command_line_may_be_a_pipe() {
        let desk = Desk::new();
        make_pipe(&desk, "calls");
        let path = desk.path("calls");
        let writer = std::thread::spawn(move || std::fs::write(path, USE).unwrap());
        let ran = desk.run(&["check", "calls"]);
        writer.join().unwrap();
        assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    }

    #[test]
    fn a_second_signal_ends_a_run_that_waits_for_a_pipe() {
        let desk = Desk::new();
        make_pipe(&desk, "calls");
        let mut child = Command::new(env!("CARGO_BIN_EXE_sundown"))
            .current_dir(desk.path(""))
            .args(["check", "calls"])
            .spawn()
            .unwrap();
        // The run has opened the pipe, and listens to signals, when this returns.
        let held = std::fs::OpenOptions::new()
            .write(true)
            .open(desk.path("calls"))
            .unwrap();
        let id = child.id().to_string();
        let mut ended = None;
        while ended.is_none() {
            assert!(
                Command::new("kill")
                    .args(["-TERM", &id])
                    .status()
                    .unwrap()
                    .success()
            );
            ended = child.try_wait().unwrap();
        }
        drop(held);
        child.wait().unwrap();
        assert_eq!(ended.unwrap().code(), Some(130));
    }
}

#[test]
fn a_file_that_is_read_whole_has_a_limit() {
    let megabytes = |count: usize| "#".repeat((count << 20) - 1) + "\n";
    for (kind, most, arguments) in [
        ("sundown.toml", 1, &["check", "a.ndjson"][..]),
        ("rules.toml", 16, &["rules", "check", "rules.toml"]),
        (
            "list.csv",
            16,
            &["rules", "import", "list.csv", "--from", "csv"],
        ),
        (
            "base.json",
            64,
            &["check", "a.ndjson", "--baseline", "base.json"],
        ),
    ] {
        let message = format!("it is larger than {most} MiB");
        let desk = Desk::new()
            .with("a.ndjson", USE)
            .with(kind, megabytes(most) + "#");
        let ran = desk.run(arguments);
        assert!(
            ran.code == 2 && ran.stderr.contains(&message),
            "{kind}: {}",
            ran.stderr
        );
        let desk = Desk::new()
            .with("a.ndjson", USE)
            .with(kind, megabytes(most));
        let ran = desk.run(arguments);
        assert!(!ran.stderr.contains(&message), "{kind}: {}", ran.stderr);
    }
}

/// The configuration that a check in a folder uses, and what it says.
fn used_config(desk: &Desk, folder: &str, arguments: &[&str]) -> (bool, String) {
    let ran = desk.run_below(folder, &[&["check"], arguments].concat());
    // Of the configurations here, each lets a check with an error succeed.
    (ran.code == 0, ran.stderr)
}

const LENIENT: &str = "fail-on = \"never\"\n";

#[test]
fn without_a_repository_only_the_folder_of_the_inputs_and_the_working_folder_count() {
    for (place, working, input, is_used) in [
        ("sundown.toml", "a/b", "x.ndjson", false),
        ("a/b/sundown.toml", "a/b", "x.ndjson", true),
        ("sundown.toml", ".", "a/b", true),
        ("a/sundown.toml", ".", "a/b", false),
        ("a/b/c/sundown.toml", "a/b", "x.ndjson", false),
    ] {
        let desk = Desk::new().with("a/b/x.ndjson", USE).with(place, LENIENT);
        let (used, stderr) = used_config(&desk, working, &[input]);
        assert_eq!(used, is_used, "{place} {working} {input}: {stderr}");
        let is_above = !is_used && !place.contains("/c/");
        assert_eq!(
            stderr.contains("is in no repository; --config "),
            is_above,
            "{place}: {stderr}"
        );
    }
}

#[test]
fn in_a_repository_the_configuration_of_its_root_is_used_and_named() {
    let desk = Desk::new()
        .with(".git/HEAD", "ref: refs/heads/main\n")
        .with("sundown.toml", LENIENT)
        .with("a/b/x.ndjson", USE);
    let (used, stderr) = used_config(&desk, "a/b", &["x.ndjson"]);
    assert!(
        used && stderr.contains("note: ../../sundown.toml is the configuration"),
        "{stderr}"
    );
    let (used, stderr) = used_config(&desk, ".", &["a/b/x.ndjson"]);
    assert!(used && stderr.is_empty(), "{stderr}");
}

#[test]
fn the_configuration_of_the_home_folder_is_for_that_folder_alone() {
    let desk = Desk::new()
        .with(".git/HEAD", "ref: refs/heads/main\n")
        .with("home/.git/HEAD", "ref: refs/heads/main\n")
        .with("home/sundown.toml", LENIENT)
        .with("home/x.ndjson", USE)
        .with("home/project/x.ndjson", USE);
    let home = desk.path("home");
    let run =
        |input: &str| desk.run_in(&[("HOME", home.to_str().unwrap())], &["check", input], b"");
    let below = run("home/project/x.ndjson");
    assert!(
        below.code == 1 && below.stderr.contains("in the home folder or above"),
        "{}",
        below.stderr
    );
    assert_eq!(run("home/x.ndjson").code, 0);
}

#[cfg(unix)]
mod owners {
    use super::*;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
    use std::os::unix::process::CommandExt as _;
    use std::process::Command;

    const STRANGER: u32 = 1001;
    const VICTIM: u32 = 1002;

    fn set_mode(desk: &Desk, name: &str, mode: u32) {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(desk.path(name), permissions).unwrap();
    }

    #[test]
    fn the_search_ends_at_a_folder_to_which_everybody_can_write() {
        for mode in [0o1777, 0o777, 0o757, 0o775, 0o755] {
            let desk = Desk::new()
                .with(".git/HEAD", "ref: refs/heads/main\n")
                .with("open/.git/HEAD", "ref: refs/heads/main\n")
                .with("open/sundown.toml", LENIENT)
                .with("open/x.ndjson", USE)
                .with("open/victim/x.ndjson", USE);
            set_mode(&desk, "open", mode);
            let is_open = mode & 0o002 != 0;
            let (used, stderr) = used_config(&desk, "open/victim", &["x.ndjson"]);
            assert_eq!(used, !is_open, "{mode:o}: {stderr}");
            assert_eq!(
                stderr.contains("everybody can write"),
                is_open,
                "{mode:o}: {stderr}"
            );
            // The folder that is checked, and the working folder, are those that the user chose.
            assert!(used_config(&desk, "open", &["x.ndjson"]).0, "{mode:o}");
            assert!(
                used_config(&desk, "open", &["victim/x.ndjson"]).0,
                "{mode:o}"
            );
        }
    }

    /// Whether the tests may act as other users.
    #[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
    fn is_root(desk: &Desk) -> bool {
        let is_root = desk.path("").metadata().unwrap().uid() == 0;
        if !is_root {
            eprintln!("skipped: only root can act as another user");
        }
        is_root
    }

    fn give(desk: &Desk, name: &str, user: u32) {
        chown(desk.path(name), Some(user), Some(user)).unwrap();
    }

    /// Checks `x.ndjson` in a folder as another user; a user that cannot start the program says nothing.
    fn check_as(desk: &Desk, user: u32, folder: &str) -> Option<(i32, String)> {
        set_mode(desk, "", 0o755);
        let output = Command::new(env!("CARGO_BIN_EXE_sundown"))
            .args(["check", "x.ndjson", "--as-of", "2026-11-20"])
            .current_dir(desk.path(folder))
            .uid(user)
            .gid(user)
            .output()
            .ok()?;
        Some((
            output.status.code().unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        ))
    }

    #[test]
    fn the_configuration_of_another_user_is_not_used() {
        let desk = Desk::new()
            .with(".git/HEAD", "ref: refs/heads/main\n")
            .with(
                "sundown.toml",
                "format = [\"human\", \"json=victim/notes.txt\"]\nfail-on = \"never\"\n",
            )
            .with("victim/notes.txt", "notes\n")
            .with("victim/x.ndjson", USE);
        if !is_root(&desk) {
            return;
        }
        give(&desk, "sundown.toml", STRANGER);
        for name in ["victim", "victim/x.ndjson", "victim/notes.txt"] {
            give(&desk, name, VICTIM);
        }
        for user in [VICTIM, 0] {
            let Some((code, stderr)) = check_as(&desk, user, "victim") else {
                return;
            };
            assert_eq!(code, 1, "{stderr}");
            let refusal = "../sundown.toml is not used: it belongs to another user; --config ../sundown.toml uses it";
            assert!(stderr.contains(refusal), "{stderr}");
            assert_eq!(
                std::fs::read(desk.path("victim/notes.txt")).unwrap(),
                b"notes\n"
            );
        }
        // Nor if it is in the folder that is checked, or a link there leads to it.
        give(&desk, "", VICTIM);
        std::fs::write(desk.path("victim/sundown.toml"), LENIENT).unwrap();
        give(&desk, "victim/sundown.toml", STRANGER);
        assert_eq!(check_as(&desk, VICTIM, "victim").unwrap().0, 1);
        std::fs::remove_file(desk.path("victim/sundown.toml")).unwrap();
        std::os::unix::fs::symlink("../sundown.toml", desk.path("victim/sundown.toml")).unwrap();
        assert_eq!(check_as(&desk, VICTIM, "victim").unwrap().0, 1);
    }

    #[test]
    fn the_search_ends_at_a_folder_of_another_user() {
        let desk = Desk::new()
            .with("their/.git/HEAD", "ref: refs/heads/main\n")
            .with("their/sundown.toml", LENIENT)
            .with("their/mine/x.ndjson", USE);
        if !is_root(&desk) {
            return;
        }
        give(&desk, "their", STRANGER);
        give(&desk, "their/mine", VICTIM);
        let Some((code, stderr)) = check_as(&desk, VICTIM, "their/mine") else {
            return;
        };
        assert!(
            code == 1 && stderr.contains("a folder of another user"),
            "{stderr}"
        );
    }

    /// As in a container, whose user is root and whose checkout belongs to the user outside, and with `sudo`.
    #[test]
    fn root_uses_the_configuration_of_the_owner_of_what_is_checked() {
        let desk = Desk::new()
            .with("work/.git/HEAD", "ref: refs/heads/main\n")
            .with("work/sundown.toml", LENIENT)
            .with("work/x.ndjson", USE)
            .with("work/out/y.ndjson", USE)
            .with("work/sub/x.ndjson", USE);
        if !is_root(&desk) {
            return;
        }
        for name in ["work", "work/sundown.toml", "work/x.ndjson", "work/sub"] {
            give(&desk, name, STRANGER);
        }
        for folder in ["work", "work/sub"] {
            assert_eq!(check_as(&desk, 0, folder).unwrap().0, 0, "{folder}");
            assert_eq!(check_as(&desk, STRANGER, folder).unwrap().0, 0, "{folder}");
        }
        // A folder that root has made in the checkout.
        assert!(used_config(&desk, "work", &["out"]).0);
        // The configuration of root is for all.
        give(&desk, "work/sundown.toml", 0);
        assert_eq!(check_as(&desk, STRANGER, "work/sub").unwrap().0, 0);
    }
}

#[test]
fn a_file_with_a_secret_is_small_and_private() {
    let rules = "api = \"A\"\n[[rule]]\nid = \"a\"\noperation = \"POST /rest/api/v1/chat\"\n";
    let usage = [
        "usage",
        "a.ndjson",
        "--rules",
        "r.toml",
        "--by",
        "header:x",
        "--caller-key-file",
        "key",
    ];
    let run = |key: &str, mode: u32| {
        let desk = Desk::new()
            .with("a.ndjson", USE)
            .with("r.toml", rules)
            .with("key", key);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(desk.path("key"), permissions).unwrap();
        }
        let _ = mode;
        desk.run(&usage)
    };
    let key = "0123456789abcdef";
    let ran = run(key, 0o600);
    assert!(ran.code == 0 && ran.stderr.is_empty(), "{}", ran.stderr);
    assert_eq!(run(&"k".repeat(4096), 0o600).code, 0);
    let large = run(&"k".repeat(4097), 0o600);
    assert!(
        large.code == 2 && large.stderr.contains("it is larger than 4 KiB"),
        "{}",
        large.stderr
    );
    if cfg!(unix) {
        for mode in [0o644, 0o604] {
            let ran = run(key, mode);
            assert!(
                ran.code == 0 && ran.stderr.contains("chmod o-r key"),
                "{}",
                ran.stderr
            );
        }
        assert!(run(key, 0o640).stderr.is_empty());
    }
}
