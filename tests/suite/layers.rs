//! The architecture of `src`: a module uses only modules of lower layers.

use crate::support::{repository, sources};

/// The layers, from the bottom up; modules of one layer do not know each other.
const LAYERS: [&[&str]; 13] = [
    &["files"],
    &["html"],
    &["selector", "toml_file"],
    &["openapi"],
    &["rules", "formats", "source_maps"],
    &["findings"],
    &["lint"],
    &["inspect"],
    &["report"],
    &["usage"],
    &["config"],
    &["run"],
    &["api", "cli"],
];

fn layer(module: &str) -> usize {
    LAYERS
        .iter()
        .position(|layer| layer.contains(&module))
        .unwrap_or_else(|| panic!("`{module}` is in no layer"))
}

/// The top-level modules that a text names after `prefix`.
fn named(text: &str, prefix: &str) -> Vec<String> {
    let word = |rest: &str| {
        rest.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect::<String>()
    };
    let mut modules: Vec<String> = text
        .match_indices(prefix)
        .map(|(at, _)| word(&text[at + prefix.len()..]))
        .collect();
    // `use crate::{a::X, b};` names several at once.
    for (at, _) in text.match_indices(&format!("{prefix}{{")) {
        let list = &text[at + prefix.len() + 1..];
        let end = list.find("};").unwrap_or(list.len());
        modules.extend(list[..end].split(',').map(|item| word(item.trim())));
    }
    modules.retain(|module| !module.is_empty());
    modules
}

#[test]
fn modules_use_only_lower_layers() {
    let root = repository("src");
    let mut checked = 0;
    for module in LAYERS.iter().flat_map(|layer| layer.iter()) {
        for path in sources(&root.join(module)) {
            let text = std::fs::read_to_string(&path).unwrap();
            // These are crates, which `src/lib.rs` names like modules.
            let uses = named(&text, "crate::").into_iter();
            for used in uses.filter(|used| !["json", "text", "traffic"].contains(&used.as_str())) {
                checked += 1;
                let allowed = used == *module || layer(&used) < layer(module);
                assert!(
                    allowed,
                    "{} uses `{used}`, which is no lower layer than `{module}`",
                    path.display()
                );
            }
        }
    }
    assert!(
        checked > 50,
        "only {checked} uses were seen: the test no longer reads what it should"
    );
}

#[test]
fn every_module_has_a_layer() {
    let text = std::fs::read_to_string(repository("src/lib.rs")).unwrap();
    let modules: Vec<_> = text
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    assert_eq!(
        modules.len(),
        LAYERS.iter().map(|layer| layer.len()).sum::<usize>()
    );
    for module in modules {
        assert!(layer(module) < LAYERS.len());
    }
}

#[test]
fn only_the_command_line_names_clap_or_reads_the_clock() {
    for module in LAYERS
        .iter()
        .flat_map(|layer| layer.iter())
        .filter(|module| **module != "cli")
    {
        for path in sources(&repository("src").join(module)) {
            let text = std::fs::read_to_string(&path).unwrap();
            for word in ["clap", "::now()"] {
                assert!(!text.contains(word), "{} names {word}", path.display());
            }
        }
    }
}

#[test]
fn every_file_opens_with_a_module_comment() {
    for path in sources(&repository("src"))
        .into_iter()
        .chain(sources(&repository("crates")))
        .chain(sources(&repository("tests/suite")))
    {
        if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.starts_with("//! "), "{}", path.display());
        }
    }
}
