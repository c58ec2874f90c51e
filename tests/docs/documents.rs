//! Dependencies are explained, files say what they are, and only the command line reads the clock.

use std::path::PathBuf;

use crate::support::{repository, sources, text};

#[test]
fn every_dependency_is_explained() {
    let explained = text("DEPENDENCIES.md");
    let packages = std::fs::read_dir(repository("crates")).unwrap();
    let manifests = packages.map(|package| package.unwrap().path().join("Cargo.toml"));
    for path in manifests.chain([repository("Cargo.toml")]) {
        let manifest: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
        for section in ["dependencies", "dev-dependencies"] {
            let table = manifest.get(section).and_then(toml::Value::as_table);
            let names = table.into_iter().flat_map(toml::Table::keys);
            for name in names.filter(|name| !name.starts_with("sundown-")) {
                assert!(
                    explained.contains(&format!("`{name}`")),
                    "DEPENDENCIES.md does not say why `{name}`"
                );
            }
        }
    }
}

/// All source files of the crates and of the program, without tests.
fn code() -> Vec<PathBuf> {
    let mut files = sources(&repository("src"));
    files.extend(sources(&repository("crates")));
    files.retain(|path| path.extension().is_some_and(|ending| ending == "rs"));
    assert!(files.len() > 400, "only {} files were found", files.len());
    files
}

#[test]
fn only_the_command_line_names_clap_or_reads_the_clock() {
    let (cli, tests) = (repository("src/cli"), repository("src/tests"));
    for path in code() {
        if path.starts_with(&cli) || path.starts_with(&tests) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for word in ["clap", "::now()"] {
            assert!(!text.contains(word), "{} names {word}", path.display());
        }
    }
}

#[test]
fn every_file_opens_with_a_module_comment() {
    for path in code().into_iter().chain(sources(&repository("tests"))) {
        if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.starts_with("//! "), "{}", path.display());
        }
    }
}
