//! Packaging: the names, versions and places that the packages repeat are those of the program.

use crate::support::text;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The value of a key in a TOML or YAML file: the text after `key = `, without quotes.
fn value_of(file: &str, key: &str) -> String {
    let content = text(file);
    let line = content.lines().find_map(|line| line.strip_prefix(&format!("{key} = ")));
    line.unwrap_or_else(|| panic!("{file}: {key}")).trim_matches('"').to_owned()
}

#[test]
fn the_mirror_of_the_hook_installs_this_version() {
    let mirror = "packaging/pre-commit-mirror/pyproject.toml";
    assert_eq!(value_of(mirror, "version"), VERSION);
    assert_eq!(value_of(mirror, "dependencies"), format!("[\"sundown=={VERSION}\"]"));
    let readme = text("packaging/pre-commit-mirror/README.md");
    assert!(readme.contains(&format!("rev: v{VERSION}\n")));
}

#[test]
fn the_pages_show_this_version() {
    let page = text("docs/installation.md");
    for shown in [
        format!("sundown-v{VERSION}-TARGET.tar.gz"),
        format!("sundown_{VERSION}-1_amd64.deb"),
        format!("sundown-{VERSION}.cdx.json"),
    ] {
        assert!(page.contains(&shown), "{shown}");
    }
    assert!(text("docs/pre-commit.md").contains(&format!("[sundown=={VERSION}]")));
}

#[test]
fn binstall_finds_the_archive_and_the_program_in_it() {
    let expand = |template: String| {
        template
            .replace("{ name }", "sundown")
            .replace("{ bin }", "sundown")
            .replace("{ version }", VERSION)
            .replace("{ target }", "TARGET")
            .replace("{ binary-ext }", "")
    };
    let name = format!("sundown-v{VERSION}-TARGET");
    assert!(
        text("scripts/release-archive.sh").contains("name=sundown-v$version-$target\n"),
        "the archive has another name"
    );
    assert_eq!(
        expand(value_of("Cargo.toml", "pkg-url")),
        format!("{{ repo }}/releases/download/v{VERSION}/{name}.tar.gz")
    );
    assert_eq!(expand(value_of("Cargo.toml", "bin-dir")), format!("{name}/sundown"));
}

#[test]
fn the_install_script_and_the_action_name_the_targets_that_are_released() {
    let workflow = text(".github/workflows/release.yml");
    let action = text("scripts/action/install.sh");
    for target in [
        "x86_64-unknown-linux-musl",
        "aarch64-unknown-linux-musl",
        "x86_64-apple-darwin",
        "aarch64-apple-darwin",
        "x86_64-pc-windows-msvc",
    ] {
        assert!(workflow.contains(target) && action.contains(target), "{target}");
    }
    let script = text("install.sh");
    for system in ["unknown-linux-gnu", "unknown-linux-musl", "apple-darwin"] {
        assert!(script.contains(&format!("$processor-{system}")), "{system}");
    }
}
