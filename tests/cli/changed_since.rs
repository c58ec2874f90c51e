//! `--changed-since`: only files changed in git are checked; if the changes cannot be determined, the run stops.

#[cfg(unix)]
use std::path::Path;
#[cfg(unix)]
use std::process::Command;

use serde_json::Value;

use crate::baseline::git;
use crate::support::{Desk, Ran};

const RULES: &str =
    "api = 'x'\n[[rule]]\nid = 'x'\noperation = 'POST /x'\nfield = 'old'\nremoval = 2026-01-01\n";
const USE: &str = r#"{"method":"POST","url":"/x","body":{"old":1}}"#;

/// A repository with a commit on `main`, from which `work` has parted.
fn desk() -> Desk {
    let desk = Desk::new()
        .with("x.toml", RULES)
        .with(".gitignore", "ignored.ndjson\n")
        .with("same.ndjson", USE)
        .with("edited.ndjson", USE)
        .with("staged.ndjson", USE)
        .with("committed.ndjson", USE)
        .with("deleted.ndjson", USE)
        .with("renamed.ndjson", USE);
    git(&desk, &["init", "-q"]);
    git(&desk, &["add", "."]);
    git(&desk, &["commit", "-qm", "first"]);
    git(&desk, &["checkout", "-qb", "work"]);
    desk
}

fn write(desk: &Desk, name: &str) {
    let path = desk.path(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("{USE}\n{USE}\n")).unwrap();
}

/// The program finds git where the tests do.
fn run(desk: &Desk, arguments: &[&str]) -> Ran {
    let path = std::env::var("PATH").unwrap();
    let environment = [("PATH", path.as_str()), ("GIT_CONFIG_NOSYSTEM", "1")];
    let flags = ["--rules", "x.toml", "--no-builtin-rules"];
    desk.run_in(
        &environment,
        &[&["check"][..], arguments, &flags].concat(),
        b"",
    )
}

fn checked(desk: &Desk, arguments: &[&str]) -> Vec<String> {
    let ran = run(desk, &[arguments, &["--format", "json"]].concat());
    let report: Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    let findings = report["findings"].as_array().unwrap();
    findings
        .iter()
        .map(|finding| finding["file"].as_str().unwrap().to_owned())
        .collect()
}

fn change(desk: &Desk) {
    write(desk, "committed.ndjson");
    git(desk, &["rm", "-q", "deleted.ndjson"]);
    git(desk, &["mv", "renamed.ndjson", "sub-renamed.ndjson"]);
    git(desk, &["commit", "-qam", "second"]);
    write(desk, "staged.ndjson");
    git(desk, &["add", "staged.ndjson"]);
    write(desk, "edited.ndjson");
    write(desk, "new/è \"x\"\tß.ndjson");
    write(desk, "ignored.ndjson");
}

const CHANGED: [&str; 5] = [
    "committed.ndjson",
    "edited.ndjson",
    "new/è \"x\"\tß.ndjson",
    "staged.ndjson",
    "sub-renamed.ndjson",
];

#[test]
fn only_changed_files_are_checked() {
    let desk = desk();
    change(&desk);
    assert_eq!(checked(&desk, &["--changed-since", "main"]), CHANGED);
    // Later commits of others on the base branch are not changes of this branch.
    git(&desk, &["stash", "-qu"]);
    git(&desk, &["checkout", "-q", "main"]);
    write(&desk, "same.ndjson");
    git(&desk, &["commit", "-qam", "third"]);
    git(&desk, &["checkout", "-q", "work"]);
    git(&desk, &["stash", "pop", "-q"]);
    assert_eq!(checked(&desk, &["--changed-since", "main"]), CHANGED);
    assert_eq!(
        checked(&desk, &["--changed-since", "HEAD"]).len(),
        3,
        "what is not yet committed"
    );
    assert_eq!(checked(&desk, &["--changed-since", "HEAD~1"]), CHANGED);
}

#[test]
fn a_change_that_the_working_copy_undoes_is_none() {
    let desk = desk();
    change(&desk);
    for name in ["committed.ndjson", "staged.ndjson", "edited.ndjson"] {
        std::fs::write(desk.path(name), USE).unwrap();
    }
    assert_eq!(
        checked(&desk, &["--changed-since", "main"]),
        [CHANGED[2], CHANGED[4]]
    );
}

#[test]
fn paths_and_globs_narrow_it_further() {
    let desk = desk();
    change(&desk);
    let since = ["--changed-since", "main"];
    assert_eq!(
        checked(&desk, &[&since[..], &["new", "same.ndjson"]].concat()),
        [CHANGED[2]]
    );
    assert_eq!(
        checked(&desk, &[&since[..], &["--exclude", "*ed.ndjson"]].concat()),
        [CHANGED[2]]
    );
    assert_eq!(
        checked(&desk, &[&since[..], &["--include", "staged*"]].concat()),
        [CHANGED[3]]
    );
    let stdin = desk.run_in(
        &[("PATH", &std::env::var("PATH").unwrap())],
        &[
            "check",
            "-",
            "--changed-since",
            "main",
            "--rules",
            "x.toml",
            "--no-builtin-rules",
        ],
        USE.as_bytes(),
    );
    assert_eq!(stdin.code, 1, "what comes in on standard input is new");
}

#[test]
fn it_works_from_a_subfolder_and_in_nested_repositories() {
    let desk = desk();
    write(&desk, "sub/inner/a.ndjson");
    write(&desk, "lib/b.ndjson");
    let inner = Desk::new();
    git(&inner, &["init", "-q"]);
    std::fs::rename(inner.path(".git"), desk.path("lib/.git")).unwrap();
    assert_eq!(
        checked(&desk, &["--changed-since", "main"]),
        ["lib/b.ndjson", "sub/inner/a.ndjson"]
    );
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sundown"));
    command
        .current_dir(desk.path("sub"))
        .args(["check", ".", "--changed-since", "main"]);
    let output = command
        .args(["--rules", "../x.toml", "--no-builtin-rules"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("inner/a.ndjson:1:"), "{text}");
}

#[test]
fn a_run_without_changes_says_so() {
    let desk = desk();
    let ran = run(&desk, &["--changed-since", "main"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(
        ran.stdout
            .contains("Nothing to check has changed since main.\n"),
        "{}",
        ran.stdout
    );
    let json = run(&desk, &["--changed-since", "main", "--format", "json"]).stdout;
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&report["summary"]["files"], &report["summary"]["unchanged"]),
        (&0.into(), &7.into())
    );
    let markdown = run(&desk, &["--changed-since", "main", "--format", "markdown"]).stdout;
    assert!(
        markdown.contains("Nothing to check has changed since main."),
        "{markdown}"
    );
    write(&desk, "edited.ndjson");
    let ran = run(&desk, &["--changed-since", "main"]);
    assert!(
        ran.stdout
            .contains("6 files were left out: they have not changed since main.\n"),
        "{}",
        ran.stdout
    );
}

fn refused(desk: &Desk, arguments: &[&str], what: &str, remedy: &str) {
    let ran = run(desk, arguments);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}");
    let said = ran
        .stderr
        .split_whitespace()
        .filter(|word| *word != "│")
        .collect::<Vec<_>>()
        .join(" ");
    assert!(said.contains(what) && said.contains(remedy), "{said}");
}

#[test]
fn an_unknown_revision_stops_the_run_with_a_remedy() {
    let repository = desk();
    let since = |revision: &'static str| ["--changed-since", revision];
    refused(
        &repository,
        &since("nowhere"),
        "no commit `nowhere`",
        "fetch it first",
    );
    refused(&repository, &since(""), "no commit ``", "name a branch");
    refused(
        &repository,
        &since("HEAD:x.toml"),
        "no commit `HEAD:x.toml`",
        "name a branch",
    );
    refused(
        &repository,
        &since("main\u{1b}[31m"),
        "\\u{1b}[31m",
        "name a branch",
    );
    let hostile = format!(
        "--changed-since=--output={}",
        repository.path("made").display()
    );
    refused(
        &repository,
        &[hostile.as_str()],
        "no commit `--output",
        "name a branch",
    );
    assert!(!repository.path("made").exists());
    git(&repository, &["checkout", "-q", "--orphan", "alone"]);
    git(&repository, &["commit", "-qm", "other"]);
    refused(
        &repository,
        &since("main"),
        "no common ancestor",
        "--unshallow",
    );

    let elsewhere = Desk::new().with("x.toml", RULES).with("a.ndjson", USE);
    refused(
        &elsewhere,
        &since("main"),
        "no working copy of git",
        "inside the repository",
    );
    let outside = elsewhere.path("a.ndjson").display().to_string();
    refused(
        &desk(),
        &[&outside, "--changed-since", "main"],
        "is outside of the repository",
        "in the repository",
    );

    let no_git = desk().run_in(
        &[("PATH", "/nonexistent")],
        &["check", "--changed-since", "main"],
        b"",
    );
    assert_eq!(no_git.code, 2);
    assert!(
        no_git.stderr.contains("`git` cannot be run"),
        "{}",
        no_git.stderr
    );
}

#[test]
fn a_baseline_keeps_the_entries_of_unchanged_files() {
    let desk = desk();
    let flags = [
        "--rules",
        "x.toml",
        "--no-builtin-rules",
        "--as-of",
        "2026-11-20",
    ];
    let path = std::env::var("PATH").unwrap();
    let baseline = |more: &[&str]| {
        let arguments = [&["baseline"][..], &flags, more].concat();
        desk.run_in(&[("PATH", &path)], &arguments, b"").stdout
    };
    assert!(baseline(&[]).contains("6 entries, 6 new"));
    std::fs::write(desk.path("edited.ndjson"), USE.replace("old", "new")).unwrap();
    let pruned = baseline(&["--changed-since", "main", "--prune"]);
    assert!(
        pruned.contains("5 entries, 0 new, 1 gone and taken out"),
        "{pruned}"
    );
}

#[cfg(unix)]
#[test]
fn a_new_link_is_a_new_file_whatever_its_target() {
    let desk = desk();
    std::os::unix::fs::symlink("same.ndjson", desk.path("link.ndjson")).unwrap();
    git(&desk, &["add", "link.ndjson"]);
    assert_eq!(
        checked(&desk, &["link.ndjson", "--changed-since", "HEAD"]),
        ["link.ndjson"]
    );
    assert!(checked(&desk, &["same.ndjson", "--changed-since", "HEAD"]).is_empty());
}

/// A repository whose last commit added a submodule, in which changes would not count for git.
fn with_submodule() -> Desk {
    let other = Desk::new().with("s.ndjson", USE);
    git(&other, &["init", "-q"]);
    git(&other, &["add", "."]);
    git(&other, &["commit", "-qm", "first"]);
    let desk = desk();
    let from = other.path("").display().to_string();
    let add = [
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        &from,
        "sm",
    ];
    git(&desk, &add);
    git(
        &desk,
        &["config", "-f", ".gitmodules", "submodule.sm.ignore", "all"],
    );
    git(&desk, &["add", "."]);
    git(&desk, &["commit", "-qm", "second"]);
    desk
}

#[test]
fn changes_in_a_submodule_are_found() {
    let desk = with_submodule();
    write(&desk, "sm/new.ndjson");
    let changed = checked(&desk, &["sm/new.ndjson", "--changed-since", "HEAD"]);
    assert_eq!(changed, ["sm/new.ndjson"]);
}

#[test]
fn a_submodule_without_changes_is_left_out() {
    let (desk, name) = (with_submodule(), "sm/s.ndjson");
    assert_eq!(
        checked(&desk, &[name, "--changed-since", "HEAD"]),
        Vec::<String>::new()
    );
    assert_eq!(checked(&desk, &[name, "--changed-since", "HEAD~1"]), [name]);
    write(&desk, name);
    assert_eq!(checked(&desk, &[name, "--changed-since", "HEAD"]), [name]);
    git(&desk, &["-C", "sm", "commit", "-qam", "third"]);
    assert_eq!(
        checked(&desk, &[name, "--changed-since", "HEAD"]),
        [name],
        "its commit is new"
    );
    git(&desk, &["commit", "-qam", "fourth"]);
    assert_eq!(
        checked(&desk, &[name, "--changed-since", "HEAD"]),
        Vec::<String>::new()
    );
}

#[cfg(unix)]
#[test]
fn submodules_that_contain_each_other_are_searched_once() {
    let desk = with_submodule();
    // Both folders are working copies of one repository, whose index has both.
    std::fs::remove_dir_all(desk.path("sm")).unwrap();
    for (folder, repository) in [("sm", "../.git"), ("sm/sm", "../../.git")] {
        std::fs::create_dir_all(desk.path(folder)).unwrap();
        let file = desk.path(folder).join(".git");
        std::fs::write(file, format!("gitdir: {repository}\n")).unwrap();
    }
    std::os::unix::fs::symlink(".", desk.path("sm/sm/sm")).unwrap();
    // Git does not look whether another commit is checked out there.
    git(&desk, &["update-index", "--assume-unchanged", "sm"]);
    assert_eq!(run(&desk, &["--changed-since", "HEAD"]).code, 0);
}

#[test]
fn conversions_of_line_ends_are_no_changes() {
    let desk = desk();
    std::fs::write(desk.path(".gitattributes"), "edited.ndjson text eol=crlf\n").unwrap();
    git(&desk, &["config", "core.autocrlf", "true"]);
    git(&desk, &["add", "."]);
    git(&desk, &["commit", "-qm", "second"]);
    for name in ["edited.ndjson", "same.ndjson"] {
        let lines = format!("{USE}\n");
        std::fs::write(desk.path(name), &lines).unwrap();
        git(&desk, &["add", name]);
        git(&desk, &["commit", "-qm", name]);
        std::fs::write(desk.path(name), lines.replace('\n', "\r\n")).unwrap();
    }
    assert_eq!(
        checked(&desk, &["--changed-since", "HEAD"]),
        Vec::<String>::new()
    );
    std::fs::write(desk.path("same.ndjson"), format!("{USE}\r\n{USE}\r\n")).unwrap();
    touch(&desk, "edited.ndjson");
    assert_eq!(
        checked(&desk, &["--changed-since", "HEAD"]),
        ["same.ndjson"]
    );
}

#[test]
fn linked_working_copies_and_shallow_clones_have_changes_of_their_own() {
    let desk = desk();
    change(&desk);
    git(&desk, &["worktree", "add", "-q", "linked", "main"]);
    write(&desk, "linked/edited.ndjson");
    let flags = [
        "--rules",
        "x.toml",
        "--no-builtin-rules",
        "--format",
        "ndjson",
    ];
    let path = std::env::var("PATH").unwrap();
    let since = |folder: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sundown"));
        command.current_dir(desk.path(folder)).env("PATH", &path);
        command
            .args(["check", "--changed-since", "main"])
            .args(flags);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let report = since("linked");
    assert!(
        report.contains("edited.ndjson") && !report.contains("committed"),
        "{report}"
    );
    let url = format!("file://{}", desk.path("").display());
    git(
        &desk,
        &[
            "clone", "-q", "--depth", "2", "--branch", "work", &url, "shallow",
        ],
    );
    git(&desk, &["-C", "shallow", "branch", "main", "HEAD~1"]);
    let report = since("shallow");
    assert!(
        report.contains("committed.ndjson") && !report.contains("edited"),
        "{report}"
    );
}

/// Commands that leave a mark in a folder.
#[cfg(unix)]
struct Traps(tempfile::TempDir);

#[cfg(unix)]
impl Traps {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn command(&self, name: &str) -> String {
        format!("touch {}/{name}; cat", self.0.path().display())
    }

    /// The traps that were sprung since the last call.
    fn sprung(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap());
        let mut names = Vec::new();
        for entry in entries.filter(|entry| entry.path().is_file()) {
            std::fs::remove_file(entry.path()).unwrap();
            names.push(entry.file_name().into_string().unwrap());
        }
        names.sort();
        names
    }

    /// Asserts that git itself springs these traps, when it compares the files in a folder with the index.
    fn assert_set(&self, desk: &Desk, folder: &str, names: &[&str]) {
        let mut command = Command::new("git");
        command
            .args(["-C", folder, "status"])
            .current_dir(desk.path(""))
            .output()
            .unwrap();
        let sprung = self.sprung();
        assert!(
            names
                .iter()
                .all(|name| sprung.iter().any(|sprung| sprung == name)),
            "{sprung:?}"
        );
    }

    /// Sets a trap at everything that git may run in a repository.
    fn set(&self, desk: &Desk, folder: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let ask = |arguments: &[&str]| git(desk, &[&["-C", folder], arguments].concat());
        for key in [
            "filter.plain.clean",
            "filter.plain.smudge",
            "filter..clean",
            "filter.Long.Name.process",
            "diff.external",
            "diff.evil.command",
            "diff.evil.textconv",
            "core.pager",
            "core.editor",
            "core.askPass",
            "core.sshCommand",
            "core.gitProxy",
            "core.alternateRefsCommand",
            "pager.diff-index",
            "credential.helper",
            "gpg.program",
        ] {
            ask(&["config", key, &self.command(key)]);
        }
        for command in [
            "diff-index",
            "ls-files",
            "rev-parse",
            "merge-base",
            "config",
        ] {
            let key = format!("alias.{command}");
            ask(&["config", &key, &format!("!{}", self.command(&key))]);
        }
        ask(&["config", "filter.plain.required", "true"]);
        let private = ask(&["rev-parse", "--absolute-git-dir"]);
        let private = Path::new(private.trim());
        let (hooks, info) = (private.join("hooks"), private.join("info"));
        std::fs::create_dir_all(&info).unwrap();
        for name in [
            "post-index-change",
            "fsmonitor-watchman",
            "reference-transaction",
        ] {
            let script = format!("#!/bin/sh\n{} > /dev/null\n", self.command(name));
            std::fs::write(hooks.join(name), script).unwrap();
            let executable = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(hooks.join(name), executable).unwrap();
        }
        ask(&[
            "config",
            "core.fsmonitor",
            hooks.join("fsmonitor-watchman").to_str().unwrap(),
        ]);
        // An included file has the last word.
        let included = format!(
            "[filter \"included\"]\nclean = \"{}\"\n",
            self.command("included")
        );
        std::fs::write(private.join("included"), included).unwrap();
        ask(&["config", "include.path", "included"]);
        let attributes = "e* filter=plain diff=evil\nst* filter=\nc* filter=Long.Name\nsa* filter=included\ns.* filter=plain\n";
        std::fs::write(info.join("attributes"), attributes).unwrap();
    }
}

/// Gives a file another time, after which git compares its content.
fn touch(desk: &Desk, name: &str) {
    let file = std::fs::File::options()
        .append(true)
        .open(desk.path(name))
        .unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
}

#[cfg(unix)]
#[test]
fn nothing_runs_that_the_repository_names() {
    let (desk, traps) = (desk(), Traps::new());
    change(&desk);
    std::fs::write(desk.path(".gitattributes"), "* filter=plain\n").unwrap();
    traps.set(&desk, "");
    traps.sprung();
    let index = std::fs::read(desk.path(".git/index")).unwrap();
    // One for each filter: git compares the content of a file whose time is not that of the index.
    for name in ["same.ndjson", "edited.ndjson", "committed.ndjson", "x.toml"] {
        touch(&desk, name);
    }
    assert_eq!(checked(&desk, &["--changed-since", "main"]), CHANGED);
    assert_eq!(std::fs::read(desk.path(".git/index")).unwrap(), index);
    assert_eq!(traps.sprung(), Vec::<String>::new());
    let set = [
        "filter.plain.clean",
        "filter.Long.Name.process",
        "fsmonitor-watchman",
        "included",
    ];
    traps.assert_set(&desk, "", &set);
    // What git does not take for one on its command line.
    git(
        &desk,
        &["config", "filter.a=b.clean", &traps.command("equals")],
    );
    let since = ["--changed-since", "main"];
    refused(&desk, &since, "the name of a filter", "git status");
    assert_eq!(traps.sprung(), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn nothing_runs_that_a_submodule_names() {
    let (desk, traps) = (with_submodule(), Traps::new());
    traps.set(&desk, "sm");
    touch(&desk, "sm/s.ndjson");
    traps.sprung();
    let since = ["sm/s.ndjson", "--changed-since", "HEAD"];
    assert_eq!(checked(&desk, &since), Vec::<String>::new());
    assert_eq!(traps.sprung(), Vec::<String>::new());
    traps.assert_set(&desk, "sm", &["filter.plain.clean", "fsmonitor-watchman"]);
    write(&desk, "sm/s.ndjson");
    assert_eq!(checked(&desk, &since), ["sm/s.ndjson"]);
    assert_eq!(traps.sprung(), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn a_missing_object_is_not_fetched() {
    let (desk, traps) = (desk(), Traps::new());
    let url = format!("ext::touch {}", traps.0.path().join("fetched").display());
    for (key, value) in [
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", url.as_str()),
        ("protocol.ext.allow", "always"),
    ] {
        git(&desk, &["config", key, value]);
    }
    let missing = "0123456789012345678901234567890123456789";
    refused(
        &desk,
        &["--changed-since", missing],
        "git knows no commit",
        "fetch it first",
    );
    assert_eq!(traps.sprung(), Vec::<String>::new());
    // Git itself fetches it.
    let mut command = Command::new("git");
    command.args(["rev-parse", "--verify", &format!("{missing}^{{commit}}")]);
    command.current_dir(desk.path("")).output().unwrap();
    assert_eq!(traps.sprung(), ["fetched"]);
}

#[cfg(unix)]
#[test]
fn a_program_in_the_working_copy_is_not_git() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = desk()
        .with("bin/git", "#!/bin/sh\ntouch made\n")
        .with("git", "#!/bin/sh\ntouch made\n");
    for name in ["bin/git", "git"] {
        std::fs::set_permissions(desk.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!(".::bin:{}", std::env::var("PATH").unwrap());
    let arguments = [
        "check",
        "--changed-since",
        "HEAD",
        "--rules",
        "x.toml",
        "--no-builtin-rules",
    ];
    let ran = desk.run_in(&[("PATH", &path)], &arguments, b"");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(!desk.path("made").exists());
}
