//! A case: a folder with `case.toml` and the input files beside it. Its README says what each key means.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use regex::RegexBuilder;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::support::{Desk, report_formats, repository, sources};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    /// What is right, and why.
    why: String,
    /// Small inputs, by name.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Files of the repository that are copied under their names.
    #[serde(default)]
    samples: Vec<String>,
    #[serde(rename = "run")]
    runs: Vec<Run>,
    #[serde(skip)]
    folder: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    args: Vec<String>,
    /// The folder in which the program runs.
    #[serde(default, rename = "in")]
    folder: String,
    stdin: Option<String>,
    /// Files that are written before this run.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Files that are removed before this run.
    #[serde(default)]
    removed: Vec<String>,
    exit: i32,
    /// The exit code of the same run with `--strict`, which prints the same.
    strict: Option<i32>,
    findings: Option<Vec<Value>>,
    #[serde(default)]
    some_findings: Vec<Value>,
    #[serde(default)]
    no_findings: Vec<Value>,
    all_skips: Option<Vec<Value>>,
    #[serde(default)]
    skips: Vec<Value>,
    #[serde(default)]
    no_skips: Vec<Value>,
    /// Members of the JSON that is printed, by JSON Pointer.
    #[serde(default)]
    json: Map<String, Value>,
    #[serde(default)]
    stdout: Texts,
    #[serde(default)]
    stderr: Texts,
    /// What files contain afterwards, by name.
    #[serde(default)]
    written: BTreeMap<String, String>,
}

/// Regular expressions for lines.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Texts {
    #[serde(default)]
    has: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
    /// The whole text.
    is: Option<String>,
}

impl Case {
    pub(crate) fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let case: Self =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = path.display();
        assert!(!case.why.is_empty(), "{name}: `why` is empty");
        assert!(!case.runs.is_empty(), "{name}: there is no run");
        Self {
            folder: path.parent().unwrap().to_owned(),
            ..case
        }
    }

    /// Runs the case, and returns how the program differs from it.
    pub(crate) fn differences(&self) -> Vec<String> {
        let mut desk = Desk::new();
        for path in sources(&self.folder) {
            let name = path.strip_prefix(&self.folder).unwrap().to_str().unwrap();
            if name != "case.toml" {
                desk = desk.with(name, std::fs::read(&path).unwrap());
            }
        }
        for sample in &self.samples {
            let path = repository(sample);
            let name = path.file_name().unwrap().to_str().unwrap();
            desk = desk.with(name, std::fs::read(&path).unwrap());
        }
        desk = with_all(desk, &self.files);
        let mut differences = Vec::new();
        for (number, run) in self.runs.iter().enumerate() {
            desk = with_all(desk, &run.files);
            for name in &run.removed {
                std::fs::remove_file(desk.path(name)).unwrap();
            }
            let found = run.differences(&desk);
            differences.extend(
                found
                    .iter()
                    .map(|text| format!("run {}: {text}", number + 1)),
            );
        }
        differences
    }
}

fn with_all(desk: Desk, files: &BTreeMap<String, String>) -> Desk {
    let add = |desk: Desk, (name, content): (&String, &String)| desk.with(name, content);
    files.iter().fold(desk, add)
}

impl Run {
    fn differences(&self, desk: &Desk) -> Vec<String> {
        let mut differences = Vec::new();
        let stdin = self.stdin.as_deref().unwrap_or_default();
        for (arguments, exit) in self.variants() {
            let ran = desk.run_below_with(&self.folder, &arguments, stdin.as_bytes());
            if ran.code != exit {
                let said = ran.stderr.lines().next().unwrap_or_default();
                let line = arguments.join(" ");
                differences.push(format!(
                    "{line}: exit code {}, not {exit}: {said}",
                    ran.code
                ));
            }
            self.compare_lines(&ran.stdout, &desk.path(&self.folder), &mut differences);
            self.compare_json(&ran.stdout, &mut differences);
            self.stdout.compare("stdout", &ran.stdout, &mut differences);
            self.stderr.compare("stderr", &ran.stderr, &mut differences);
        }
        for (name, content) in &self.written {
            let found = std::fs::read_to_string(desk.path(name)).unwrap_or_default();
            if found != *content {
                differences.push(format!("{name} contains {found:?}"));
            }
        }
        differences
    }

    /// The arguments and the exit code of each run of the program: for the format `*` in each format, and perhaps once more with
    /// `--strict`. A check without a format is read line by line, each finding by itself.
    fn variants(&self) -> Vec<(Vec<&str>, i32)> {
        let mut arguments: Vec<&str> = self.args.iter().map(String::as_str).collect();
        if self.args[0] == "check" && !self.args.iter().any(|arg| arg.starts_with("--format")) {
            arguments.extend(["--format", "ndjson", "--no-fold"]);
        }
        let formats = if arguments.contains(&"*") {
            report_formats()
        } else {
            vec![""]
        };
        let with = |format| {
            let mut arguments = arguments.clone();
            for argument in arguments.iter_mut().filter(|argument| **argument == "*") {
                *argument = format;
            }
            (arguments, self.exit)
        };
        let mut variants: Vec<_> = formats.into_iter().map(with).collect();
        let strict = self
            .strict
            .map(|exit| ([&arguments[..], &["--strict"]].concat(), exit));
        variants.extend(strict);
        variants
    }

    /// Compares the findings and the skips of a report in lines.
    fn compare_lines(&self, stdout: &str, folder: &Path, differences: &mut Vec<String>) {
        let lines: Vec<Value> = stdout
            .lines()
            .map_while(|line| serde_json::from_str(line).ok())
            .map(|line| with_text(line, folder))
            .collect();
        for (name, all, some, none) in [
            (
                "finding",
                &self.findings,
                &self.some_findings,
                &self.no_findings,
            ),
            ("skipped", &self.all_skips, &self.skips, &self.no_skips),
        ] {
            let mut left: Vec<_> = lines.iter().filter(|line| line["type"] == name).collect();
            let is_there = |wanted: &&Value| left.iter().any(|line| fits(wanted, line));
            let refused = none.iter().filter(is_there);
            differences.extend(refused.map(|refused| format!("a {name} {refused}")));
            for wanted in all.iter().flatten().chain(some) {
                match left.iter().position(|found| fits(wanted, found)) {
                    Some(at) => drop(left.remove(at)),
                    None => differences.push(format!("no {name} {wanted}")),
                }
            }
            if all.is_some() {
                differences.extend(left.iter().map(|line| format!("one more {name}: {line}")));
            }
        }
    }

    fn compare_json(&self, stdout: &str, differences: &mut Vec<String>) {
        if self.json.is_empty() {
            return;
        }
        let printed: Value = serde_json::from_str(stdout).unwrap_or_default();
        for (pointer, wanted) in &self.json {
            let found = printed.pointer(pointer).unwrap_or(&Value::Bool(false));
            if !fits(wanted, found) {
                differences.push(format!("{pointer} is {found}, not {wanted}"));
            }
        }
    }
}

/// Adds the text at the span of a finding as its member `text`.
fn with_text(mut line: Value, folder: &Path) -> Value {
    let [start, end] = ["start", "end"].map(|key| line["span"][key].as_u64().unwrap_or(u64::MAX));
    let file = folder.join(line["file"].as_str().unwrap_or_default());
    let bytes = std::fs::read(file).unwrap_or_default();
    let span = usize::try_from(start).unwrap()..usize::try_from(end).unwrap();
    if let Some(text) = bytes.get(span) {
        line["text"] = String::from_utf8_lossy(text).into();
    }
    line
}

/// Whether a value is this one. An object has at least these members; `false` and `""` also stand for a missing one.
fn fits(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::Object(members), Value::Object(found)) => {
            members.iter().all(|(name, wanted)| match found.get(name) {
                Some(value) => fits(wanted, value),
                None => *wanted == Value::Bool(false) || *wanted == "",
            })
        }
        (Value::Array(wanted), Value::Array(found)) => {
            wanted.len() == found.len() && wanted.iter().zip(found).all(|(one, it)| fits(one, it))
        }
        _ => wanted == found,
    }
}

impl Texts {
    fn compare(&self, name: &str, text: &str, differences: &mut Vec<String>) {
        for pattern in self.has.iter().filter(|pattern| !matches(pattern, text)) {
            differences.push(format!("{name} lacks {pattern:?}: {text}"));
        }
        for pattern in self.lacks.iter().filter(|pattern| matches(pattern, text)) {
            differences.push(format!("{name} has {pattern:?}"));
        }
        if let Some(wanted) = self.is.as_ref().filter(|wanted| *wanted != text) {
            differences.push(format!("{name} is {text:?}, not {wanted:?}"));
        }
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    let pattern = RegexBuilder::new(pattern).multi_line(true).build().unwrap();
    pattern.is_match(text)
}
