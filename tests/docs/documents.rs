//! Every format, key and dependency is documented.

use crate::support::{repository, text};

#[test]
fn every_dependency_is_explained() {
    let explained = text("docs/dependencies.md");
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
                    "docs/dependencies.md does not say why `{name}`"
                );
            }
        }
    }
}
