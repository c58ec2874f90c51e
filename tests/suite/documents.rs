//! README and docs say what the program does: their commands are run, their excerpt is its output.

use std::path::Path;
use std::process::Command;

use crate::support::{repository, text};

/// The lines of all code blocks of one kind.
fn blocks(text: &str, kind: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        match &mut open {
            None if line == format!("```{kind}") => open = Some(String::new()),
            None => {}
            Some(_) if line == "```" => blocks.extend(open.take()),
            Some(block) => block.extend([line, "\n"]),
        }
    }
    blocks
}

/// The commands that need a build of their own, which the suite cannot make while it is itself being built; the last
/// step of continuous integration runs them as they are written.
fn builds(command: &str) -> bool {
    command == "cargo test" || command.starts_with("cargo install ")
}

/// Runs a line of a document in the repository's root, `sundown` being the program under test.
fn run(command: &str) -> (i32, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_sundown"));
    let line = command.replace("cargo run --release --", "sundown");
    assert!(line.contains("sundown "), "not a command of this program: {command}");
    let path =
        format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    std::fs::create_dir_all(repository("target")).unwrap();
    let output = Command::new("sh")
        .args(["-c", &line])
        .current_dir(repository(""))
        .env("PATH", path)
        .env_remove("GITHUB_ACTIONS")
        .output()
        .unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

#[cfg(unix)]
#[test]
fn every_command_of_the_readme_runs() {
    let commands: Vec<String> =
        blocks(&text("README.md"), "sh").concat().lines().map(str::to_owned).collect();
    assert!(commands.len() >= 9, "{commands:?}");
    for command in commands.iter().filter(|command| !builds(command)) {
        let (code, output) = run(command);
        assert!(code < 2 && !output.is_empty(), "`{command}` ended with {code}\n{output}");
        let finds = command.contains(" check ") && !command.contains(" rules check ");
        assert_eq!(code == 1, finds, "`{command}` ended with {code}");
    }
}

#[cfg(unix)]
#[test]
fn every_command_about_rules_runs() {
    let commands = blocks(&text("docs/rules.md"), "sh").concat();
    assert!(commands.lines().count() >= 5, "{commands}");
    for command in commands.lines() {
        let (code, output) = run(command);
        assert!(code == 0 && !output.is_empty(), "`{command}` ended with {code}\n{output}");
    }
}

#[cfg(unix)]
#[test]
fn every_command_about_reports_runs() {
    let commands = blocks(&text("docs/reports.md"), "sh").concat();
    assert!(commands.lines().count() >= 9, "{commands}");
    for command in commands.lines() {
        let (code, output) = run(command);
        assert!(code == 1 && !output.is_empty(), "`{command}` ended with {code}\n{output}");
    }
}

#[cfg(unix)]
#[test]
fn the_command_of_a_hook_of_ones_own_runs() {
    let commands = blocks(&text("docs/pre-commit.md"), "sh").concat();
    assert_eq!(commands.lines().count(), 1);
    let (code, output) = run(commands.trim_end());
    // What xargs makes of the exit code 1.
    assert!(code == 123 && output.contains("error["), "`{commands}` ended with {code}\n{output}");
}

#[test]
fn every_report_format_is_documented_with_its_limits() {
    let documented = text("docs/reports.md");
    for name in sundown::report::OutputFormat::ALL.map(sundown::report::OutputFormat::name) {
        assert!(documented.contains(&format!("| `{name}` |")), "docs/reports.md: `{name}`");
    }
    // 25,000 with a comma, as people write it.
    assert_eq!(sundown::report::MOST_RESULTS, 25_000);
    assert!(documented.contains("25,000 results and 10 MB"));
    assert_eq!(sundown::report::MOST_ANNOTATIONS, 10);
    assert!(documented.contains("GitHub shows ten of a type"));
}

#[test]
fn every_format_of_lists_and_exports_is_documented() {
    let documented = text("docs/rules.md");
    let lists = sundown::rule::import::ListFormat::ALL.map(sundown::rule::import::ListFormat::name);
    let exports =
        sundown::rule::export::ExportFormat::ALL.map(sundown::rule::export::ExportFormat::name);
    for name in lists.into_iter().chain(exports) {
        assert!(
            documented.contains(&format!("`{name}`")),
            "docs/rules.md does not explain `{name}`"
        );
    }
}

#[cfg(unix)]
#[test]
fn the_readmes_excerpt_is_real_output() {
    let readme = text("README.md");
    let excerpt = &blocks(&readme, "text")[0];
    let (_, output) = run("sundown check testdata/captures/mitmproxy.har --as-of 2026-11-20");
    assert!(output.contains(excerpt.as_str()), "not in the output:\n{excerpt}");
}

#[cfg(unix)]
#[test]
fn the_example_rules_find_what_their_traffic_shows() {
    let (_, output) = run(
        "sundown check docs --rules docs/example-rules.toml --no-builtin-rules --as-of 2026-11-20 --format ndjson",
    );
    let rules: Vec<_> =
        ["order-total", "order-kind-legacy", "order-total", "page-parameter", "carts-endpoint"]
            .into();
    let found: Vec<String> = output
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter_map(|line| line["rule"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(found, rules);
}

#[test]
fn continuous_integration_runs_the_readmes_test_command() {
    let commands = blocks(&text("README.md"), "sh").concat();
    assert!(commands.lines().any(|line| line == "cargo test"));
    assert!(text(".ci/run").lines().any(|line| line == "cargo test"));
}

#[test]
fn every_dependency_is_explained() {
    let manifest: toml::Table = text("Cargo.toml").parse().unwrap();
    let explained = text("docs/dependencies.md");
    for section in ["dependencies", "dev-dependencies"] {
        for name in manifest[section].as_table().unwrap().keys() {
            assert!(
                explained.contains(&format!("`{name}`")),
                "docs/dependencies.md does not say why `{name}`"
            );
        }
    }
}

#[test]
fn every_key_of_a_rule_is_documented() {
    let documented = text("docs/rules.md");
    let ids = sundown::rule::RuleFile::parse(
        "x",
        "api = 'x'\nq = 1\n[[rule]]\nid = 'x'\noperation = 'GET /x'\nq = 1\n",
    );
    let mistakes = ids.unwrap_err().mistakes;
    assert_eq!(mistakes.len(), 2);
    for mistake in mistakes {
        let help = mistake.help.unwrap();
        for key in help.strip_prefix("keys here: ").unwrap().split(", ") {
            assert!(
                documented.contains(&format!("`{key}`")),
                "docs/rules.md does not explain `{key}`"
            );
        }
    }
}
