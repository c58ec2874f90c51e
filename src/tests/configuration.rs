//! Every setting is complete: documented, read, and with an effect.

use super::support::{repository, sources, text};
use sundown_run::config::{SETTINGS, Setting};

/// The settings whose effect another test shows, with its file, which sets the flag.
const SHOWN_ELSEWHERE: [(&str, &str); 1] = [("max-expansion", "trust/bombs.rs")];

#[test]
fn every_setting_is_complete() {
    let missing: Vec<String> = SETTINGS.iter().flat_map(missing_parts).collect();
    assert!(
        missing.is_empty(),
        "still missing:\n  {}\n",
        missing.join("\n  ")
    );
}

/// Returns what a setting still lacks, in the order of the steps in CONTRIBUTING.md.
fn missing_parts(setting: &Setting) -> Vec<String> {
    const EFFECTS: &str = "tests/cli/configuration.rs";
    const DECLARATION: &str = "crates/run/src/config/settings.toml";
    const PAGE: &str = "docs/reference/configuration.md";
    let key = setting.key;
    let name = key.name;
    let flag = setting.flag.map_or("", |flag| flag.name);
    let flag = &*format!("--{flag}");
    let is_todo = |text: &str| text.is_empty() || text.contains("TODO");
    let is_explained = sources(&repository("docs")).iter().any(|path| {
        let page = || std::fs::read_to_string(path).unwrap();
        let is_page = path.extension().is_some_and(|ending| ending == "md")
            && !path.starts_with(repository("docs/reference"));
        let mentions = [
            format!("`{name}"),
            format!("\n{name} ="),
            format!("`{flag}"),
            format!(" {flag}"),
        ];
        is_page
            && mentions
                .iter()
                .any(|mention| mention.len() > 1 && page().contains(mention))
    });
    let is_shown_in = |file: &str| text(&format!("tests/{file}")).contains(flag);
    let is_row = |indent: &str| text(EFFECTS).contains(&format!("({indent}\"{name}\","));
    let has_effect = is_row("")
        || is_row("\n        ")
        || SHOWN_ELSEWHERE
            .iter()
            .any(|(other, file)| *other == name && is_shown_in(file));
    let has_line = |file: &str, line: &str| text(file).lines().any(|other| other == line);
    let parts = [
        (
            !is_todo(key.doc) && key.doc.ends_with('.'),
            format!("{DECLARATION}: say in one sentence what it does, instead of TODO"),
        ),
        (
            !is_todo(key.default.unwrap_or_default()) && !is_todo(key.example),
            format!("{DECLARATION}: `default` and `example`, instead of TODO"),
        ),
        (has_effect, format!("{EFFECTS}: a row in EFFECTS")),
        (
            is_explained,
            format!("docs: no page mentions `{name}` or its flag"),
        ),
        (
            has_line(PAGE, &format!("## `{name}`")),
            format!("{PAGE}: regenerate it"),
        ),
    ];
    let lacking = parts.into_iter().filter(|(is_there, _)| !is_there);
    lacking.map(|(_, part)| format!("{name}: {part}")).collect()
}
