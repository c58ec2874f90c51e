//! Whatever fails around a run (full disks, closed pipes, files that change, loops, devices, signals), it ends with the right
//! exit code, leaves no half of a report, and loses nothing without a word.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::support::report_formats;

/// The number of trials; each is derived from its number.
const TRIALS: u64 = 200;

const USE: &str =
    r#"{"method":"POST","url":"/rest/api/v1/chat","request":{"body":{"citations":[]}}}"#;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    FullOutput,
    FullReport,
    FileSizeLimit,
    ClosedPipe,
    VanishingFiles,
    GrowingFile,
    ShrinkingFile,
    LoopOfLinks,
    LinkToItself,
    FifoInFolder,
    NamedFifo,
    EndlessDevice,
    NameThatIsNoText,
    NoHome,
    EmptyAndSparse,
    Signal,
    SignalWhileStreaming,
}

const FAULTS: [Fault; 17] = [
    Fault::FullOutput,
    Fault::FullReport,
    Fault::FileSizeLimit,
    Fault::ClosedPipe,
    Fault::VanishingFiles,
    Fault::GrowingFile,
    Fault::ShrinkingFile,
    Fault::LoopOfLinks,
    Fault::LinkToItself,
    Fault::FifoInFolder,
    Fault::NamedFifo,
    Fault::EndlessDevice,
    Fault::NameThatIsNoText,
    Fault::NoHome,
    Fault::EmptyAndSparse,
    Fault::Signal,
    Fault::SignalWhileStreaming,
];

/// Numbers from a seed (`SplitMix64`).
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % limit
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::try_from(self.below(from.len() as u64)).unwrap()]
    }

    fn nap(&mut self, most: u64) {
        std::thread::sleep(Duration::from_micros(self.below(most)));
    }
}

/// A folder with a capture whose use must be found in every trial.
struct Trial {
    folder: tempfile::TempDir,
    chance: Chance,
}

impl Trial {
    fn new(seed: u64) -> Self {
        let trial = Self {
            folder: tempfile::tempdir().unwrap(),
            chance: Chance(seed),
        };
        trial.write("good.ndjson", USE);
        trial
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// A log that takes the program a while.
    fn write_log(&mut self, name: &str) {
        let lines = 200 + usize::try_from(self.chance.below(4_000)).unwrap();
        self.write(name, format!("{USE}\n").repeat(lines));
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sundown"));
        command
            .env_clear()
            .env("HOME", self.folder.path())
            .current_dir(self.folder.path());
        command
            .args(["check", "--as-of", "2026-11-20"])
            .args(arguments)
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// A format, and how many threads.
    fn manner(&mut self) -> [&'static str; 3] {
        let format = self.chance.pick(&report_formats());
        let threads = self.chance.pick(&["--threads=1", "--threads=3"][..]);
        ["--format", format, threads]
    }
}

/// The exit code of a run that was not killed.
fn code(output: &Output) -> i32 {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!stderr.contains("panicked"), "{stderr}");
    output
        .status
        .code()
        .unwrap_or_else(|| panic!("{:?}: {stderr}", output.status))
}

/// Asserts that a run found the use in the good file, and reported everything that went wrong.
fn finds(output: &Output) -> String {
    let stdout = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(
        code(output),
        1,
        "{stdout}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(stdout.contains("citations"), "{stdout}");
    stdout
}

fn assert_output_contains(output: &Output, text: &str) {
    let all = [&output.stdout[..], &output.stderr].concat();
    let all = String::from_utf8_lossy(&all);
    assert!(all.contains(text), "{text:?} is missing from: {all}");
}

/// Asserts that a report is complete, or is the one from before.
fn is_whole_or_old(path: &Path, old: Option<&str>) {
    match fs::read_to_string(path) {
        Ok(text) if Some(text.as_str()) == old => {}
        Ok(text) => {
            let report: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert!(report["summary"]["files"].is_u64(), "{text}");
        }
        Err(_) => assert_eq!(old, None, "the old report is gone"),
    }
    let names = fs::read_dir(path.parent().unwrap()).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert!(
        !names
            .iter()
            .any(|name| name.to_string_lossy().ends_with(".tmp")),
        "{names:?}"
    );
}

#[test]
fn two_hundred_faults_end_as_they_should() {
    for seed in 0..TRIALS {
        let fault = FAULTS[usize::try_from(seed).unwrap() % FAULTS.len()];
        // The number of a failed trial is all that is needed to repeat it.
        eprintln!("trial {seed}: {fault:?}");
        let mut trial = Trial::new(seed);
        match fault {
            Fault::FullOutput | Fault::FullReport | Fault::FileSizeLimit | Fault::ClosedPipe => {
                output_fails(&mut trial, fault);
            }
            Fault::VanishingFiles | Fault::GrowingFile | Fault::ShrinkingFile => {
                files_change(&mut trial, fault);
            }
            Fault::Signal | Fault::SignalWhileStreaming => signal(&mut trial, fault),
            _ => odd_files(&mut trial, fault),
        }
    }
}

fn output_fails(trial: &mut Trial, fault: Fault) {
    let full = || {
        fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    trial.write_log("more.ndjson");
    let manner = trial.manner();
    match fault {
        Fault::FullOutput => {
            let arguments = [&["."], &manner[..]].concat();
            let output = trial.command(&arguments).stdout(full()).output().unwrap();
            assert_eq!(code(&output), 2);
            assert_output_contains(&output, "space");
        }
        Fault::FullReport => {
            let output = trial.run(&[".", "--format", "human", "--format", "json=/dev/full"]);
            assert_eq!(code(&output), 2);
            assert_output_contains(&output, "/dev/full");
            // The other report hides nothing.
            assert_output_contains(&output, "citations");
        }
        Fault::FileSizeLimit => {
            let old = trial.chance.pick(&[None, Some("old")][..]);
            if let Some(old) = old {
                trial.write("out/report.json", old);
            } else {
                fs::create_dir(trial.path("out")).unwrap();
            }
            let format = trial
                .chance
                .pick(&["json", "sarif", "ndjson --no-fold"][..]);
            let format = format.replacen(' ', "=out/report.json ", 1);
            let format = if format.contains('=') {
                format
            } else {
                format + "=out/report.json"
            };
            let program = env!("CARGO_BIN_EXE_sundown");
            let script = format!(
                "trap '' XFSZ; ulimit -f 1; exec '{program}' check --as-of 2026-11-20 --format {format} good.ndjson more.ndjson"
            );
            let mut command = Command::new("sh");
            command
                .env_clear()
                .env("PATH", std::env::var_os("PATH").unwrap_or_default());
            let output = command
                .args(["-c", &script])
                .current_dir(trial.folder.path())
                .output()
                .unwrap();
            assert_eq!(code(&output), 2, "{output:?}");
            assert_output_contains(&output, "report.json");
            is_whole_or_old(&trial.path("out/report.json"), old);
        }
        _ => {
            let arguments = [&["."], &manner[..]].concat();
            let mut child = trial
                .command(&arguments)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            trial.chance.nap(3_000);
            drop(child.stdout.take());
            let output = child.wait_with_output().unwrap();
            assert_eq!(code(&output), 1, "{output:?}");
        }
    }
}

fn files_change(trial: &mut Trial, fault: Fault) {
    let name = if fault == Fault::VanishingFiles {
        "b/gone.ndjson"
    } else {
        "b/changing.ndjson"
    };
    trial.write_log(name);
    let manner = trial.manner();
    let (path, folder) = (trial.path(name), trial.path("b"));
    let over = AtomicBool::new(false);
    let mut chance = Chance(trial.chance.below(1 << 40));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                chance.nap(2_000);
                match fault {
                    Fault::VanishingFiles => {
                        fs::remove_dir_all(&folder).ok();
                        chance.nap(500);
                        fs::create_dir(&folder).ok();
                        fs::write(&path, format!("{USE}\n")).ok();
                    }
                    Fault::GrowingFile => {
                        let file = fs::OpenOptions::new().append(true).open(&path);
                        // A part of a line, now and then.
                        let piece =
                            &USE[..usize::try_from(chance.below(80)).unwrap().min(USE.len())];
                        file.unwrap().write_all(piece.as_bytes()).unwrap();
                    }
                    _ => {
                        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
                        let size = file.metadata().unwrap().len();
                        file.set_len(size - size.min(chance.below(50_000))).unwrap();
                    }
                }
            }
        });
        let output = trial.run(&[&["."], &manner[..]].concat());
        over.store(true, Ordering::Relaxed);
        // A folder that is gone when it is listed cannot be read, which outranks findings.
        let is_gone = || String::from_utf8_lossy(&output.stdout).contains("cannot be read");
        if fault == Fault::VanishingFiles && code(&output) == 2 {
            assert!(is_gone(), "{output:?}");
        } else {
            finds(&output);
        }
    });
}

fn odd_files(trial: &mut Trial, fault: Fault) {
    let make_fifo = |path: &Path| {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    match fault {
        Fault::LoopOfLinks => {
            fs::create_dir_all(trial.path("a/b")).unwrap();
            symlink("../..", trial.path("a/b/up")).unwrap();
            symlink("a", trial.path("again")).unwrap();
            let stdout = finds(&trial.run(&["."]));
            assert!(stdout.contains("symbolic link"), "{stdout}");
        }
        Fault::LinkToItself => {
            symlink("self.har", trial.path("self.har")).unwrap();
            let output = trial.run(&["self.har", "good.ndjson"]);
            assert_eq!(code(&output), 2);
            assert_output_contains(&output, "self.har: cannot be read");
            assert_output_contains(&output, "citations");
        }
        Fault::FifoInFolder => {
            make_fifo(&trial.path("pipe.json"));
            let stdout = finds(&trial.run(&["."]));
            assert!(stdout.contains("socket, pipe or device"), "{stdout}");
        }
        Fault::NamedFifo => {
            let pipe = trial.path("pipe");
            make_fifo(&pipe);
            std::thread::scope(|scope| {
                scope.spawn(|| fs::write(&pipe, USE).unwrap());
                finds(&trial.run(&["pipe"]));
            });
        }
        Fault::EndlessDevice => {
            let device = trial
                .chance
                .pick(&["/dev/zero", "/dev/null", "/dev/urandom"][..]);
            let output = trial.run(&[device, "good.ndjson", "--max-record", "8M"]);
            assert_eq!(code(&output), 2, "nothing was read from the device");
            assert_output_contains(&output, device);
            assert_output_contains(&output, "citations");
        }
        Fault::NameThatIsNoText => {
            let name = OsStr::from_bytes(b"caf\xe9\x1b[31m.ndjson");
            fs::rename(trial.path("good.ndjson"), trial.folder.path().join(name)).unwrap();
            let manner = trial.manner();
            let stdout = finds(&trial.run(&[&["."], &manner[..]].concat()));
            assert!(!stdout.contains('\u{1b}'), "{stdout}");
        }
        Fault::NoHome => {
            let home = trial
                .chance
                .pick(&[None, Some("/nowhere"), Some("/proc"), Some("")][..]);
            let mut command = trial.command(&["."]);
            command
                .env_remove("HOME")
                .envs(home.map(|home| ("HOME", home)));
            finds(&command.output().unwrap());
        }
        _ => {
            trial.write("empty.har", "");
            let sparse = fs::File::create(trial.path("sparse.har")).unwrap();
            sparse.set_len(1 << trial.chance.below(34)).unwrap();
            let output = trial.run(&[".", "empty.har", "sparse.har"]);
            assert_eq!(code(&output), 2, "nothing was read from the named files");
            assert_output_contains(&output, "citations");
            assert_output_contains(&output, "empty.har: empty");
            assert_output_contains(&output, "sparse.har");
        }
    }
}

fn signal(trial: &mut Trial, fault: Fault) {
    for _ in 0..4 {
        trial.write_log(&format!("log{}.ndjson", trial.chance.0));
    }
    let old = trial.chance.pick(&[None, Some("old")][..]);
    fs::create_dir(trial.path("out")).unwrap();
    if let Some(old) = old {
        trial.write("out/report.json", old);
    }
    let mut arguments = vec![
        ".",
        "--format",
        "json=out/report.json",
        "--format",
        "ndjson",
    ];
    if fault == Fault::SignalWhileStreaming {
        arguments = vec![".", "--no-fold", "--format", "ndjson"];
    }
    arguments.push(trial.chance.pick(&["--threads=1", "--threads=3"][..]));
    arguments.extend(["--exclude", "out"]);
    let mut command = trial.command(&arguments);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    trial.chance.nap(25_000);
    let which = trial.chance.pick(&["-INT", "-TERM"][..]);
    let sent = Command::new("kill")
        .args([which, &child.id().to_string()])
        .output()
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(sent.status.success() || output.status.code().is_some());
    // It may have been over, or not have begun to listen yet.
    let early = output.status.code().is_none() && output.stdout.is_empty();
    if !early {
        assert!([1, 130].contains(&code(&output)), "{output:?}");
        let stdout = String::from_utf8(output.stdout.clone()).unwrap();
        for line in stdout.lines() {
            serde_json::from_str::<serde_json::Value>(line).unwrap();
        }
        assert!(stdout.contains("\"summary\""), "{stdout}");
        if code(&output) == 130 {
            assert_output_contains(&output, "incomplete");
        }
    }
    is_whole_or_old(&trial.path("out/report.json"), old);
}

#[test]
fn an_interrupted_merge_leaves_no_temporary_file() {
    let mut trial = Trial::new(0);
    trial.write_log("log.ndjson");
    fs::create_dir(trial.path("parts")).unwrap();
    let counted = Command::new(env!("CARGO_BIN_EXE_sundown"))
        .current_dir(trial.folder.path())
        .args(["usage", "log.ndjson", "--partial", "parts/part"])
        .output()
        .unwrap();
    assert_eq!(code(&counted), 0);
    let arguments = ["merge", "parts", "--partial", "out/sum"];
    for round in 0..20 {
        let signal = ["-INT", "-TERM", "-HUP"][round % 3];
        let _ = fs::remove_dir_all(trial.path("out"));
        fs::create_dir(trial.path("out")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_sundown"));
        command
            .env_clear()
            .current_dir(trial.folder.path())
            .args(arguments);
        let child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        trial.chance.nap(60_000);
        Command::new("kill")
            .args([signal, &child.id().to_string()])
            .output()
            .unwrap();
        let output = child.wait_with_output().unwrap();
        let names = fs::read_dir(trial.path("out")).unwrap();
        let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        let is_temporary = |name: &std::ffi::OsString| name.to_string_lossy().starts_with('.');
        assert!(
            !names.iter().any(is_temporary),
            "{arguments:?} {signal}: {names:?}"
        );
        // A signal ends the command before it begins to write, or not at all.
        let expected = if output.status.code().is_some() {
            names.len()
        } else {
            0
        };
        assert_eq!(names.len(), expected, "{arguments:?} {signal}: {output:?}");
    }
}
