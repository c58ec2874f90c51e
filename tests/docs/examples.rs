//! Every example in README and docs works: commands are run and print the output that is shown, configurations
//! and rules are read, JSON and YAML are parsed.
//!
//! An example that cannot run has a comment right before it: `<!-- not run: it needs a network -->`. A check that finds
//! nothing has `<!-- exits with 0 -->` there. Each page has a folder of its own, with copies of `docs`, `rules` and
//! `testdata`, where its commands run one after the other.

use std::path::Path;
use std::process::Command;

use sundown_lint::rules::RuleFile;
use sundown_report::Failure;
use sundown_run::config::Config;
use sundown_text_json::json::{Document, DocumentFormat};

use crate::pages::{Example, Page, pages};
use crate::support::{repository, text};

/// The folder of a page.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = repository("");
        let copied = Command::new("cp")
            .args(["-R", "docs", "rules", "testdata"])
            .arg(folder.path())
            .current_dir(root)
            .status();
        assert!(copied.unwrap().success());
        std::fs::create_dir(folder.path().join("target")).unwrap();
        // A configuration is looked for no further up than this.
        std::fs::create_dir(folder.path().join(".git")).unwrap();
        Self(folder)
    }

    /// Runs a command, `sundown` being the program under test; gives its exit code and all that it printed.
    fn run(&self, command: &str) -> (i32, String) {
        let program = Path::new(env!("CARGO_BIN_EXE_sundown")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
        let output = Command::new("sh")
            .args(["-c", &command.replace("cargo run --release --", "sundown")])
            .current_dir(self.0.path())
            .env("PATH", path)
            .env("HOME", self.0.path())
            .envs([
                ("GIT_CONFIG_NOSYSTEM", "1"),
                ("EMAIL", "reader@example.com"),
            ])
            .env_remove("GITHUB_ACTIONS")
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        (
            output.status.code().unwrap(),
            String::from_utf8(text).unwrap(),
        )
    }
}

/// The commands of a block: a line each, or several where a line is continued or a document follows it.
fn commands(block: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut lines = block.lines();
    while let Some(line) = lines.next() {
        let mut command = line.to_owned();
        while command.ends_with('\\') {
            command = format!("{command}\n{}", lines.next().unwrap());
        }
        if let Some((_, word)) = command.split_once("<<'") {
            let end = word.split('\'').next().unwrap().to_owned();
            let document = lines.by_ref().take_while(|line| *line != end);
            let document: String = document.flat_map(|line| [line, "\n"]).collect();
            command = format!("{command}\n{document}{end}");
        }
        commands.push(command);
    }
    commands
}

/// The commands that need a build of their own, which the suite cannot make while it is itself being built. `.ci/run` has the
/// README's test command as it is written, `.ci/full install` the others.
fn builds(command: &str) -> bool {
    command == "cargo test" || command.starts_with("cargo install --path")
}

/// The expected exit code of a command: a check has findings unless a comment says otherwise.
fn expected_code(command: &str, remark: Option<&str>) -> i32 {
    let checks = ["sundown check", "cargo run --release -- check"];
    let is_check = checks.iter().any(|check| command.contains(check)) && !command.contains("<<'");
    match remark.and_then(|remark| remark.strip_prefix("exits with ")) {
        Some(code) if is_check || command.starts_with("sundown merge") => code.parse().unwrap(),
        _ => i32::from(is_check),
    }
}

/// Runs the commands of a page and gives what each of them printed; `reported` takes what went wrong.
fn run_all(page: &Page, examples: &[Example], reported: &mut Vec<String>) -> Vec<String> {
    let mut outputs = Vec::new();
    let mut folder = None;
    for example in examples.iter().filter(|example| example.language == "sh") {
        let folder = folder.get_or_insert_with(Folder::new);
        for command in commands(&example.text)
            .iter()
            .filter(|command| !builds(command))
        {
            let (code, output) = folder.run(command);
            let expected = expected_code(command, example.remark.as_deref());
            let writes = command.contains(" > ");
            let is_silent = command.starts_with("sundown ") && output.is_empty() && !writes;
            if code != expected || is_silent {
                reported.push(format!(
                    "{}:{}: `{command}` ended with {code}, not {expected}, and printed:\n{output}",
                    page.path, example.line
                ));
            }
            outputs.push(output);
        }
    }
    outputs
}

/// The mistake in an example that is not run.
fn fault(example: &Example, outputs: &[String]) -> Option<String> {
    match example.language.as_str() {
        // `src/lib.rs` makes documentation tests of examples in Rust.
        "sh" | "rust" => None,
        "text" => {
            let is_real = outputs.iter().any(|output| output.contains(&example.text));
            (!is_real).then(|| "none of the page's commands prints this".to_owned())
        }
        "toml"
            if ["[[rule]]", "[[requirement]]"]
                .iter()
                .any(|key| example.text.contains(key)) =>
        {
            let api = if example.text.contains("api = ") {
                ""
            } else {
                "api = 'x'\n"
            };
            let beside = |name: &str| {
                std::fs::read(
                    repository("testdata/located").join(Path::new(name).file_name().unwrap()),
                )
            };
            let read = RuleFile::load("example.toml", &format!("{api}{}", example.text), &beside);
            read.err().map(|mistakes| Failure::from(mistakes).text())
        }
        "toml" => {
            let read = Config::parse("sundown.toml", &example.text);
            read.err().map(|mistakes| Failure::from(mistakes).text())
        }
        "json" => serde_json::from_str::<serde_json::Value>(&example.text)
            .err()
            .map(|error| error.to_string()),
        "yaml" => Document::parse(example.text.as_str(), DocumentFormat::Yaml)
            .err()
            .map(|error| error.to_string()),
        other => Some(format!(
            "examples in `{other}` cannot be tested: say in a comment before it why it is not run"
        )),
    }
}

/// Returns whether an example says why it is not run.
fn is_left_out(example: &Example) -> bool {
    let reason = example
        .remark
        .as_deref()
        .and_then(|remark| remark.strip_prefix("not run: "));
    reason.is_some_and(|reason| reason.len() > 10)
}

#[cfg(unix)]
#[test]
fn every_example_works() {
    let mut reported = Vec::new();
    let mut tried = 0;
    for page in pages() {
        let examples: Vec<_> = page
            .examples()
            .into_iter()
            .filter(|example| !is_left_out(example))
            .collect();
        let outputs = run_all(&page, &examples, &mut reported);
        tried += examples.len();
        for example in &examples {
            reported.extend(
                fault(example, &outputs)
                    .map(|fault| format!("{}:{}: {fault}", page.path, example.line)),
            );
        }
    }
    assert!(reported.is_empty(), "{}", reported.join("\n"));
    assert!(
        tried > 60,
        "only {tried} examples were seen: the test no longer reads what it should"
    );
}

#[test]
fn multi_line_commands_are_joined() {
    let block = "a \\\n  b\ncat > x <<'END'\n1\n2\nEND\nc\n";
    assert_eq!(
        commands(block),
        ["a \\\n  b", "cat > x <<'END'\n1\n2\nEND", "c"]
    );
}

#[test]
fn examples_that_fail_are_detected() {
    let of = |language: &str, text: &str| Example {
        language: language.to_owned(),
        text: text.to_owned(),
        line: 1,
        remark: None,
    };
    for (language, works, does_not) in [
        ("text", "printed\n", "dreamt of\n"),
        ("toml", "strict = true\n", "strikt = true\n"),
        (
            "toml",
            "[[rule]]\nid = 'x'\noperation = 'GET /x'\n",
            "[[rule]]\nid = 'x'\n",
        ),
        ("json", "[1]", "[1"),
        ("yaml", "a: [1]\n", "a: [1\n"),
    ] {
        let outputs = ["what was printed\n".to_owned()];
        assert_eq!(fault(&of(language, works), &outputs), None);
        assert!(
            fault(&of(language, does_not), &outputs).is_some(),
            "{language}"
        );
    }
    assert!(fault(&of("cobol", "STOP RUN."), &[]).is_some());
    let with = |remark: &str| Example {
        remark: Some(remark.to_owned()),
        ..of("sh", "")
    };
    assert!(is_left_out(&with("not run: it needs a network")));
    assert!(!is_left_out(&with("not run: no")) && !is_left_out(&of("sh", "")));
}

#[test]
fn a_check_must_have_findings() {
    for (command, remark, code) in [
        ("sundown check x", None, 1),
        ("echo | cargo run --release -- check -", None, 1),
        ("sundown check x", Some("exits with 0"), 0),
        ("sundown rules check x", Some("exits with 1"), 0),
    ] {
        assert_eq!(expected_code(command, remark), code, "{command}");
    }
}

#[cfg(unix)]
#[test]
fn the_readme_shows_a_finding_as_it_is_printed() {
    let readme = Page::of("README.md".to_owned());
    let is_finding =
        |example: &Example| example.language == "text" && example.text.starts_with("error[");
    assert!(readme.examples().iter().any(is_finding));
}

#[cfg(unix)]
#[test]
fn the_example_rules_find_what_their_traffic_shows() {
    let (_, output) = Folder::new().run(
        "sundown check docs --rules docs/example-rules.toml --no-builtin-rules --as-of 2026-11-20 --format ndjson",
    );
    let rules: Vec<_> = [
        "order-total",
        "order-kind-legacy",
        "order-total",
        "page-parameter",
        "carts-endpoint",
    ]
    .into();
    let found: Vec<String> = output
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter_map(|line| line["rule"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(found, rules);
}

#[test]
fn the_example_requirements_are_the_file_that_the_page_names() {
    assert!(text("docs/rules.md").contains(&text("docs/example-requirements.toml")));
}

#[cfg(unix)]
#[test]
fn the_page_about_descriptions_explains_every_check_and_its_example_shows_it() {
    let page = text("docs/descriptions.md");
    let command = page.split_once("```sh\n").unwrap().1.lines().next();
    let (_, output) = Folder::new().run(command.unwrap());
    let checks = text("docs/reference/checks.md");
    let ids = checks.lines().filter_map(|line| line.strip_prefix("## "));
    let others = ["announced-in-traffic", "requirement", "mentioned"];
    let of_descriptions: Vec<_> = ids.filter(|id| !others.contains(id)).collect();
    assert!(of_descriptions.len() > 10, "{of_descriptions:?}");
    for id in of_descriptions {
        assert!(page.contains(&format!("| `{id}` |")), "{id}");
        assert!(output.contains(&format!("[{id}")), "{id}");
    }
}

#[test]
fn continuous_integration_runs_the_readmes_test_command() {
    let examples = Page::of("README.md".to_owned()).examples();
    let shell = examples.iter().filter(|example| example.language == "sh");
    assert!(
        shell
            .flat_map(|example| example.text.lines())
            .any(|line| line == "cargo test")
    );
    assert!(text(".ci/run").lines().any(|line| line == "cargo test"));
}
