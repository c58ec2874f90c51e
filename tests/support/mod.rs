//! Shared by several tests: files of the repository, and runs of the program.

#![allow(dead_code, unused_imports, reason = "each program uses a part")]

mod files;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

pub(crate) use files::{Files, date, lines, repository, sources, text};

/// A file compressed with gzip.
pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

/// A folder with files, in which the program is run as a user would, in a clean environment.
pub(crate) struct Desk {
    files: Files,
}

/// The output and the exit code of a run.
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self {
            files: Files::new(),
        }
    }

    /// Adds a file.
    pub(crate) fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        Self {
            files: self.files.with(name, content),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.files.path(name)
    }

    /// Runs the program on the day of the expectations, unless the arguments say another.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, b"")
    }

    /// Runs the program with this standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], stdin: &[u8]) -> Ran {
        self.run_in(&[], arguments, stdin)
    }

    /// Runs the program with at most so many seconds of processor time, which unlike time does not depend on what else the
    /// machine does, and so many units of 1,024 bytes of memory. `None` if the memory was not enough.
    #[cfg(unix)]
    pub(crate) fn run_limited(
        &self,
        seconds: u32,
        memory: Option<usize>,
        arguments: &[&str],
    ) -> Option<Ran> {
        use std::os::unix::process::ExitStatusExt as _;
        const SIGXCPU: i32 = 24;
        let memory = memory.map_or_else(|| "unlimited".to_owned(), |most| most.to_string());
        let script = format!("ulimit -v {memory}; ulimit -S -t {seconds}; exec \"$0\" \"$@\"");
        let output = Command::new("/bin/sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_sundown")])
            .args(arguments)
            .env_clear()
            .current_dir(self.path(""))
            .output()
            .unwrap();
        assert_ne!(
            output.status.signal(),
            Some(SIGXCPU),
            "{arguments:?}: more than {seconds} seconds"
        );
        output.status.code()?;
        Some(output.into())
    }

    /// Runs the program in a subfolder.
    pub(crate) fn run_below(&self, folder: &str, arguments: &[&str]) -> Ran {
        self.run_below_with(folder, arguments, b"")
    }

    /// Runs the program in a subfolder with this standard input.
    pub(crate) fn run_below_with(&self, folder: &str, arguments: &[&str], stdin: &[u8]) -> Ran {
        start(&self.path(folder), &[], arguments, stdin)
    }

    /// Runs the program with these environment variables.
    pub(crate) fn run_in(
        &self,
        environment: &[(&str, &str)],
        arguments: &[&str],
        stdin: &[u8],
    ) -> Ran {
        start(&self.path(""), environment, arguments, stdin)
    }
}

/// The names of the report formats.
pub(crate) fn report_formats() -> Vec<&'static str> {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| names_after(&["check", "--format"]));
    NAMES.iter().map(String::as_str).collect()
}

/// The names of the input formats.
pub(crate) fn input_formats() -> Vec<&'static str> {
    static NAMES: LazyLock<Vec<String>> =
        LazyLock::new(|| names_after(&["check", "--input-format"]));
    NAMES.iter().map(String::as_str).collect()
}

/// The names that the last of these arguments takes, as the message about any other name lists them.
pub(crate) fn names_after(arguments: &[&str]) -> Vec<String> {
    let ran = Desk::new().run(&[arguments, &["none"]].concat());
    let list = |line: &str| {
        let listed = line.split_once("formats are ");
        let listed = listed.or_else(|| line.split_once("possible values: "));
        listed.map(|(_, names)| names.trim_end_matches(']').to_owned())
    };
    let names = ran.stderr.lines().find_map(list).unwrap();
    names.split(", ").map(str::to_owned).collect()
}

/// Runs the program in a folder.
fn start(folder: &Path, environment: &[(&str, &str)], arguments: &[&str], stdin: &[u8]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sundown"));
    command.env_clear().envs(environment.iter().copied());
    command.current_dir(folder).args(arguments);
    if arguments.first() == Some(&"check") && !arguments.contains(&"--as-of") {
        command.args(["--as-of", "2026-11-20"]);
    }
    let [input, output, errors] = [(); 3].map(|()| Stdio::piped());
    let child = command.stdin(input).stdout(output).stderr(errors).spawn();
    let mut child = child.unwrap();
    let mut input = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        // A program that does not read its input to the end closes it.
        scope.spawn(move || input.write_all(stdin).ok());
        child.wait_with_output().unwrap()
    });
    output.into()
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code().unwrap(),
        }
    }
}
