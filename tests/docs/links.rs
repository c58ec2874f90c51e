//! Every link between the documents leads somewhere, and the book has every page.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use crate::pages::{Page, book, pages};
use crate::support::{repository, text};

/// Resolves `..` in a path; `None` if it leads out of the repository.
fn plain(path: &Path) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::ParentDir => drop(parts.pop()?),
            _ => {}
        }
    }
    Some(parts.join("/"))
}

/// Describes the fault of a link on a page; `None` if its target exists.
fn fault(page: &Page, link: &str) -> Option<&'static str> {
    if link.contains(':') {
        return (!link.starts_with("https://")).then_some("only https leads out of here");
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let here = Path::new(&page.path);
    let target = match path {
        "" => page.path.clone(),
        path => match plain(&here.parent().unwrap().join(path)) {
            Some(target) => target,
            None => return Some("leads out of the repository"),
        },
    };
    if page.path.starts_with("docs/") && !target.starts_with("docs/") {
        return Some("leads out of the book: write the path as code");
    }
    if !repository(&target).exists() {
        return Some("no such file");
    }
    let is_there = || {
        Page::of(target.clone())
            .anchors()
            .iter()
            .any(|known| known == anchor)
    };
    (!anchor.is_empty() && !is_there()).then_some("no such heading")
}

#[test]
fn every_link_leads_somewhere() {
    let mut checked = 0;
    let mut faults = Vec::new();
    for page in pages() {
        for link in page.links() {
            checked += 1;
            faults
                .extend(fault(&page, &link).map(|fault| format!("{}: {link}: {fault}", page.path)));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(
        checked > 80,
        "only {checked} links were seen: the test no longer reads what it should"
    );
}

#[test]
fn every_page_is_in_the_book_once() {
    let links = Page::of("docs/SUMMARY.md".to_owned()).links();
    let listed: BTreeSet<String> = links.iter().map(|link| format!("docs/{link}")).collect();
    assert_eq!(
        listed.len(),
        links.len(),
        "a page is listed twice: {links:?}"
    );
    let there: BTreeSet<String> = book().into_iter().collect();
    assert_eq!(
        listed, there,
        "docs/SUMMARY.md (left) and the pages of docs (right)"
    );
}

#[test]
fn every_page_has_the_title_that_the_contents_of_the_book_give_it() {
    let contents = text("docs/SUMMARY.md");
    let entries = contents
        .lines()
        .filter_map(|line| line.trim_end().strip_suffix(')'));
    let entries = entries.filter_map(|line| line.split_once('[')?.1.split_once("]("));
    let mut seen = 0;
    for (title, path) in entries {
        seen += 1;
        let page = text(&format!("docs/{path}"));
        let heading = page.lines().find_map(|line| line.strip_prefix("# "));
        assert_eq!(heading, Some(title), "docs/{path}");
    }
    assert_eq!(seen, book().len());
}

#[test]
fn broken_links_are_detected() {
    let page = Page {
        path: "docs/reference/x.md".to_owned(),
        text: "# Here\n".to_owned(),
    };
    for (link, expected) in [
        ("https://example.com/x", None),
        ("http://example.com/x", Some("only https leads out of here")),
        ("../rules.md", None),
        ("../rules.md#selectors", None),
        ("../rules.md#no-such", Some("no such heading")),
        ("nothing.md", Some("no such file")),
        (
            "../../README.md",
            Some("leads out of the book: write the path as code"),
        ),
        ("../../../x", Some("leads out of the repository")),
    ] {
        assert_eq!(fault(&page, link), expected, "{link}");
    }
}

/// The places where people and programs look for the address of the repository.
const ADDRESSED: [&str; 17] = [
    ".ci",
    ".github",
    ".pre-commit-hooks.yaml",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.toml",
    "README.md",
    "SECURITY.md",
    "action.yml",
    "crates",
    "docs",
    "examples",
    "packaging",
    "scripts",
    "src",
    "tests",
];

/// All files at a path, without packages that tools install.
fn files(path: &Path) -> Vec<std::path::PathBuf> {
    if path.ends_with("node_modules") {
        return Vec::new();
    }
    match std::fs::read_dir(path) {
        Ok(entries) => entries
            .flat_map(|entry| files(&entry.unwrap().path()))
            .collect(),
        Err(_) => vec![path.to_owned()],
    }
}

#[test]
fn no_placeholder_takes_the_place_of_the_repository() {
    // In parts, so that this file has none.
    let owners = [
        "OWNER",
        "<owner>",
        "your-org",
        "YOUR-ORG",
        "example.com",
        "example.org",
        "USERNAME",
    ];
    let placeholders = owners.map(|owner| format!("{owner}/{}", "sundown"));
    let mut seen = 0;
    for path in ADDRESSED.iter().flat_map(|path| files(&repository(path))) {
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        seen += 1;
        for placeholder in &placeholders {
            assert!(
                !text.contains(placeholder.as_str()),
                "{}: write a form without `{placeholder}`; packaging/repository has the address",
                path.display()
            );
        }
    }
    assert!(seen > 300, "only {seen} files were searched");
}

/// The text of every Rust file in a folder.
fn sources(folder: &Path) -> String {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let text = |path: std::path::PathBuf| match path {
        path if path.is_dir() => sources(&path),
        path if path.extension().is_some_and(|ending| ending == "rs") => {
            std::fs::read_to_string(path).unwrap()
        }
        _ => String::new(),
    };
    entries.map(text).collect()
}

#[test]
fn names_in_the_architecture_exist() {
    let packages = || std::fs::read_dir(repository("crates")).unwrap();
    let roots: Vec<_> = packages()
        .map(|package| package.unwrap().path().join("src"))
        .chain([repository("src")])
        .collect();
    let sources: String = roots.iter().map(|root| sources(root)).collect();
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let words: BTreeSet<&str> = sources.split(|character| !is_word(character)).collect();
    let is_module = |name: &str| {
        let paths = roots.iter().map(|root| root.join(name));
        paths
            .into_iter()
            .any(|path| path.is_dir() || path.with_extension("rs").is_file())
    };
    let exists = |name: &str| {
        let is_path = [
            name.to_owned(),
            format!("src/{name}"),
            format!("src/tests/{name}.rs"),
        ];
        let is_test = |program: &str| repository(&format!("tests/{program}/{name}.rs")).exists();
        is_path.iter().any(|path| repository(path).exists())
            || ["cli", "docs", "inputs", "reports", "rules", "trust"]
                .into_iter()
                .any(is_test)
            || roots.iter().any(|root| root.join(name).exists())
            || name.contains('.') && sources.contains(name)
            || name
                .split("::")
                .all(|part| words.contains(part) || is_module(part))
    };
    let page = Page::of("ARCHITECTURE.md".to_owned());
    let is_shell = |code: &str| code.contains(' ') || code.starts_with("--");
    let names: Vec<_> = page
        .code_spans()
        .into_iter()
        .filter(|code| !is_shell(code))
        .collect();
    assert!(names.len() > 40, "only {} names were seen", names.len());
    let missing: Vec<_> = names.into_iter().filter(|name| !exists(name)).collect();
    assert!(
        missing.is_empty(),
        "ARCHITECTURE.md names what does not exist: {missing:#?}"
    );
}
