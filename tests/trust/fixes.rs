//! Whatever ends `sundown fix` before it is done, each file has its old content or its new one, as a whole.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::Desk;

const RULES: &str = "api = 'Shop'\n[[rule]]\nid = 'old'\noperation = 'POST /v1/orders'\nfield = 'old'\nat = ['$[*].old']\n\
    fix = { rename = 'brand-new', safe = true }\n";

/// How many files a run changes.
const FILES: usize = 12;

/// Files of several pages each, so that none is written at once.
fn desk() -> Desk {
    let mut desk = Desk::new().with("shop.toml", RULES);
    for number in 0..FILES {
        let body = "{\"old\": 1},\n".repeat(1_000);
        let text = format!("POST http://x/v1/orders\n\n[{body}{{\"old\": {number}}}]\n");
        desk = desk.with(&format!("files/{number}.http"), text);
    }
    desk
}

const ARGUMENTS: [&str; 6] = [
    "fix",
    "files",
    "--write",
    "--rules",
    "shop.toml",
    "--no-builtin-rules",
];

fn command(desk: &Desk) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sundown"));
    command
        .env_clear()
        .current_dir(desk.path(""))
        .args(ARGUMENTS);
    command
}

/// The files by name, but for those of runs that were killed.
fn files(desk: &Desk) -> BTreeMap<String, String> {
    let entries = fs::read_dir(desk.path("files")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter(|name| !name.starts_with(".sundown"))
        .map(|name| {
            let text = fs::read_to_string(desk.path("files").join(&name)).unwrap();
            (name, text)
        })
        .collect()
}

fn fixed(text: &str) -> String {
    text.replace("old", "brand-new")
}

fn text_of(output: &Output) -> String {
    let texts = [&output.stdout, &output.stderr];
    texts.map(|text| String::from_utf8_lossy(text)).concat()
}

#[test]
fn a_run_that_is_killed_leaves_each_file_old_or_new() {
    let is_full = std::env::var_os("SUNDOWN_TESTS").is_some_and(|tests| tests == "full");
    let (rounds, desk) = (if is_full { 200 } else { 20 }, desk());
    let old = files(&desk);
    let started = Instant::now();
    let output = command(&desk).output().unwrap();
    let whole = started.elapsed();
    assert!(output.status.success(), "{}", text_of(&output));
    let mut between = 0;
    let restore = || {
        for (name, text) in &old {
            fs::write(desk.path("files").join(name), text).unwrap();
        }
    };
    for round in 0..rounds {
        restore();
        let mut child = command(&desk)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // All parts of a run, in an order that no round depends on.
        let part = f64::from(round * 73 % rounds) / f64::from(rounds);
        std::thread::sleep(Duration::from_secs_f64(whole.as_secs_f64() * part));
        child.kill().unwrap();
        child.wait().unwrap();
        let now = files(&desk);
        let is_new = |(name, text): (&String, &String)| {
            let before = &old[name];
            let new = *text == fixed(before);
            assert!(new || text == before, "{name} in round {round}");
            new
        };
        let changed = now.iter().map(is_new).filter(|new| *new).count();
        assert_eq!(now.len(), FILES);
        between += usize::from(changed > 0 && changed < FILES);
    }
    eprintln!("{between} of {rounds} runs were killed between two files");
    restore();
    command(&desk).output().unwrap();
    let left = fs::read_dir(desk.path("files")).unwrap();
    assert_eq!(left.count(), FILES, "the next run removes what they left");
}

#[test]
fn on_a_full_disk_each_file_stays() {
    let desk = desk();
    let old = files(&desk);
    let program = env!("CARGO_BIN_EXE_sundown");
    let script = format!(
        "trap '' XFSZ; ulimit -f 8; exec '{program}' {}",
        ARGUMENTS.join(" ")
    );
    let mut shell = Command::new("sh");
    let output = shell
        .args(["-c", &script])
        .current_dir(desk.path(""))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text_of(&output));
    assert!(
        text_of(&output).contains("0.http:3:3: rename"),
        "{}",
        text_of(&output)
    );
    assert_eq!(files(&desk), old);
    let left = fs::read_dir(desk.path("files")).unwrap();
    assert_eq!(left.count(), FILES, "no half of a file is left");
}

#[test]
fn in_a_folder_that_takes_no_files_each_file_stays() {
    let desk = desk();
    let old = files(&desk);
    let mut command = command_of_other_user(&desk);
    let rights = |path: &str, mode| {
        fs::set_permissions(desk.path(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    rights("", 0o755);
    rights("files", 0o555);
    let output = command
        .args(ARGUMENTS)
        .current_dir(desk.path(""))
        .output()
        .unwrap();
    rights("files", 0o755);
    assert_eq!(output.status.code(), Some(2), "{}", text_of(&output));
    assert!(
        text_of(&output).contains("permission denied"),
        "{}",
        text_of(&output)
    );
    assert_eq!(files(&desk), old);
}

/// The program as somebody runs it to whom the system refuses something. Root may do anything, so it runs it as another user, who
/// has to find it.
fn command_of_other_user(desk: &Desk) -> Command {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    let program = desk.path("sundown");
    let source = env!("CARGO_BIN_EXE_sundown");
    fs::hard_link(source, &program)
        .or_else(|_| fs::copy(source, &program).map(drop))
        .unwrap();
    if !is_root {
        return Command::new(&program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    command.arg(&program);
    command
}

#[test]
fn a_file_of_another_user_keeps_its_owner_and_rights() {
    let desk = desk();
    let path = desk.path("files/0.http");
    // Only root can give a file away.
    if std::os::unix::fs::chown(&path, Some(1001), Some(1002)).is_err() {
        return;
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4750)).unwrap();
    let output = command(&desk).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text_of(&output));
    let found = fs::metadata(&path).unwrap();
    let rights = found.permissions().mode() & 0o7777;
    assert_eq!((found.uid(), found.gid(), rights), (1001, 1002, 0o4750));
}

#[test]
fn a_file_that_the_system_refuses_fails_the_run_of_its_folder() {
    let desk = desk();
    let rights = |path: &str, mode| {
        fs::set_permissions(desk.path(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    rights("", 0o755);
    rights("files/0.http", 0);
    let output = command_of_other_user(&desk)
        .args(["check", "files", "--fail-on", "never"])
        .args(["--rules", "shop.toml", "--no-builtin-rules"])
        .current_dir(desk.path(""))
        .output()
        .unwrap();
    rights("files/0.http", 0o644);
    assert_eq!(output.status.code(), Some(2), "{}", text_of(&output));
    assert!(
        text_of(&output).contains("files/0.http"),
        "{}",
        text_of(&output)
    );
}
