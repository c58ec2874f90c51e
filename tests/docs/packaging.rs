//! Packaging: the names, versions and places that the packages repeat are those of the program.

use crate::support::text;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The value of a key in a TOML or YAML file: the text after `key = `, without quotes.
fn value_of(file: &str, key: &str) -> String {
    let content = text(file);
    let line = content
        .lines()
        .find_map(|line| line.strip_prefix(&format!("{key} = ")));
    line.unwrap_or_else(|| panic!("{file}: {key}"))
        .trim_matches('"')
        .to_owned()
}

#[test]
fn the_mirror_of_the_hook_installs_this_version() {
    let mirror = "packaging/pre-commit-mirror/pyproject.toml";
    assert_eq!(value_of(mirror, "version"), VERSION);
    assert_eq!(
        value_of(mirror, "dependencies"),
        format!("[\"sundown=={VERSION}\"]")
    );
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
    assert_eq!(
        expand(value_of("Cargo.toml", "bin-dir")),
        format!("{name}/sundown")
    );
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
        assert!(
            workflow.contains(target) && action.contains(target),
            "{target}"
        );
    }
    let script = text("install.sh");
    for system in ["unknown-linux-gnu", "unknown-linux-musl", "apple-darwin"] {
        assert!(script.contains(&format!("$processor-{system}")), "{system}");
    }
}

/// Runs a script in an empty home folder, with the programs in `path`; the output, and the files that it leaves.
#[cfg(unix)]
fn run_script(script: &str, path: &str, releases: &str) -> (String, usize) {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new("/bin/sh");
    command
        .env_clear()
        .env("HOME", home.path())
        .env("TMPDIR", home.path())
        .env("PATH", path);
    command
        .env("SUNDOWN_RELEASES", releases)
        .current_dir(home.path());
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A shell that gives up does not read the rest.
    let _ = child.stdin.take().unwrap().write_all(script.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    let files = std::fs::read_dir(home.path()).unwrap().count();
    (String::from_utf8_lossy(&text).into_owned(), files)
}

#[cfg(unix)]
#[test]
fn an_install_script_that_was_cut_off_runs_nothing() {
    let script = text("install.sh");
    let complete = script.trim_end().len();
    let ends = (0..complete).filter(|end| end % 7 == 0 || end + 80 > complete);
    for end in ends.filter(|end| script.is_char_boundary(*end)) {
        let (output, files) = run_script(&script[..end], "/nonexistent", "");
        // The first name of a program would be reported as not found.
        assert!(
            !output.contains("not found") && !output.contains("sundown was"),
            "{end}: {output}"
        );
        assert_eq!(files, 0, "{end}");
    }
    let (output, _) = run_script(&script, "/nonexistent", "");
    assert!(output.contains("not found"), "{output}");
}

#[cfg(unix)]
#[test]
fn the_install_script_downloads_from_the_host_that_an_address_shows() {
    use std::os::unix::fs::PermissionsExt as _;
    let programs = tempfile::tempdir().unwrap();
    let curl = programs.path().join("curl");
    std::fs::write(
        &curl,
        "#!/bin/sh\necho \"asked $*\" > \"$HOME/asked\"\nexit 7\n",
    )
    .unwrap();
    std::fs::set_permissions(&curl, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!(
        "{}:{}",
        programs.path().display(),
        std::env::var("PATH").unwrap()
    );
    let script = text("install.sh");
    for address in [
        "https://example.com@evil.example",
        "https://example.com:443@evil.example/a",
        "http://localhost:80@evil.example/a",
        "http://127.0.0.1:80\\@evil.example/a",
        "https://example.com/a@b",
        "https://example.com/a/../../b",
        "https://example.com/..",
        "https://example.com?/a",
        "https://example.com/a#b",
        "https://example.com/a b",
        "https://example.com\n.evil.example",
        "https://example.com/\u{1b}[31m",
        "https://example%2ecom/a",
        "https://{example.com,evil.example}/a",
        "https:///a",
        "http://localhost.evil.example/a",
        "http://example.com/a",
        "HTTPS://example.com/a",
        "ftp://example.com/a",
        "file://example.com/a",
    ] {
        let (output, files) = run_script(&script, &path, address);
        assert!(
            output.starts_with("sundown was not installed: "),
            "{address:?}: {output}"
        );
        assert_eq!(files, 0, "{address:?}: {output}");
    }
    for address in [
        "https://example.com",
        "https://example.com:8443/a/b~c/d_e/v1.0+2/a%20b/",
        "https://[::1]:8443/a..b",
        "http://localhost:8000/a",
        "http://127.0.0.1:8000",
    ] {
        let (output, files) = run_script(&script, &path, address);
        assert!(
            output.contains("could not be downloaded"),
            "{address}: {output}"
        );
        assert_eq!(files, 1, "{address}: {output}");
    }
}
