//! A case: a folder with `case.toml` and the input files beside it. Its README says what each key means.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use regex::RegexBuilder;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::support::{Desk, Ran, repository, sources};

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
    exit: i32,
    findings: Option<Vec<Members>>,
    #[serde(default)]
    some_findings: Vec<Members>,
    #[serde(default)]
    no_findings: Vec<Members>,
    #[serde(default)]
    skips: Vec<Members>,
    #[serde(default)]
    no_skips: Vec<Members>,
    /// Members of the JSON that is printed, by JSON Pointer.
    #[serde(default)]
    json: Members,
    #[serde(default)]
    stdout: Texts,
    #[serde(default)]
    stderr: Texts,
    /// What files contain afterwards, by name.
    #[serde(default)]
    written: BTreeMap<String, String>,
}

/// Members that an object must have; `false` and `""` also stand for a missing one.
type Members = Map<String, Value>;

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
        let ran = self.execute(desk);
        let mut differences = Vec::new();
        if ran.code != self.exit {
            let said = ran.stderr.lines().next().unwrap_or_default();
            differences.push(format!("exit code {}, not {}: {said}", ran.code, self.exit));
        }
        self.compare_lines(&ran.stdout, &mut differences);
        self.compare_json(&ran.stdout, &mut differences);
        self.stdout.compare("stdout", &ran.stdout, &mut differences);
        self.stderr.compare("stderr", &ran.stderr, &mut differences);
        for (name, content) in &self.written {
            let found = std::fs::read_to_string(desk.path(name)).unwrap_or_default();
            if found != *content {
                differences.push(format!("{name} contains {found:?}"));
            }
        }
        differences
    }

    /// Runs the program. A check without a format is read line by line, each finding by itself.
    fn execute(&self, desk: &Desk) -> Ran {
        let mut arguments: Vec<&str> = self.args.iter().map(String::as_str).collect();
        if self.args[0] == "check" && !self.args.iter().any(|arg| arg.starts_with("--format")) {
            arguments.extend(["--format", "ndjson", "--no-fold"]);
        }
        let stdin = self.stdin.as_deref().unwrap_or_default();
        desk.run_below_with(&self.folder, &arguments, stdin.as_bytes())
    }

    /// Compares the findings and the skips of a report in lines.
    fn compare_lines(&self, stdout: &str, differences: &mut Vec<String>) {
        let lines: Vec<Value> = stdout
            .lines()
            .map_while(|line| serde_json::from_str(line).ok())
            .collect();
        let of_type = |kind: &str| -> Vec<&Value> {
            lines.iter().filter(|line| line["type"] == kind).collect()
        };
        let (findings, skips) = (of_type("finding"), of_type("skipped"));
        let mut left = findings.clone();
        let named = self.findings.iter().flatten().chain(&self.some_findings);
        for wanted in named {
            match left.iter().position(|found| fits(wanted, found)) {
                Some(at) => drop(left.remove(at)),
                None => differences.push(format!("no finding {}", shown(wanted))),
            }
        }
        if self.findings.is_some() {
            let place = |found: &&Value| {
                let [rule, file, line] = ["rule", "file", "line"].map(|key| &found[key]);
                format!("one more finding: {rule} in {file}, line {line}")
            };
            differences.extend(left.iter().map(place));
        }
        let has = |all: &[&Value], members: &Members| all.iter().any(|one| fits(members, one));
        for wanted in self.skips.iter().filter(|wanted| !has(&skips, wanted)) {
            differences.push(format!("no skip {}", shown(wanted)));
        }
        for refused in self
            .no_findings
            .iter()
            .filter(|refused| has(&findings, refused))
        {
            differences.push(format!("a finding {}", shown(refused)));
        }
        for refused in self.no_skips.iter().filter(|refused| has(&skips, refused)) {
            differences.push(format!("a skip {}", shown(refused)));
        }
    }

    fn compare_json(&self, stdout: &str, differences: &mut Vec<String>) {
        if self.json.is_empty() {
            return;
        }
        let printed: Value = serde_json::from_str(stdout).unwrap_or_default();
        for (pointer, wanted) in &self.json {
            let found = printed.pointer(pointer).unwrap_or(&Value::Null);
            if found != wanted {
                differences.push(format!("{pointer} is {found}, not {wanted}"));
            }
        }
    }
}

/// Whether an object has these members, and each object in it those of its own.
fn fits(members: &Members, found: &Value) -> bool {
    members.iter().all(|(name, wanted)| match found.get(name) {
        Some(value) => {
            value == wanted || wanted.as_object().is_some_and(|inside| fits(inside, value))
        }
        None => *wanted == Value::Bool(false) || *wanted == "",
    })
}

fn shown(members: &Members) -> String {
    Value::Object(members.clone()).to_string()
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
