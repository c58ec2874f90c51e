//! The import graph of `src`: a file points to each other file that defines an item which it uses.
//!
//! It is read from `use` declarations and from paths in code, without unit tests. A re-export is followed to the file that
//! defines the item. An item that the `mod.rs` of an enclosing folder defines gives no edge: the vocabulary of a folder may
//! be in its `mod.rs`, which may use the files of the folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use crate::support::sources;

/// The segments of a module's path below `crate`.
type Module = Vec<String>;

/// Which file uses which others, by their paths below `src`.
pub(crate) struct ImportGraph {
    edges: BTreeMap<String, BTreeSet<String>>,
}

/// What one file imports and re-exports, as paths below `crate`.
#[derive(Default)]
struct Imports {
    file: String,
    used: Vec<Module>,
    exported: BTreeMap<String, Module>,
}

type Files = BTreeMap<Module, Imports>;

impl ImportGraph {
    /// Reads all files below a folder.
    pub(crate) fn read(root: &Path) -> Self {
        let mut texts = BTreeMap::new();
        for path in sources(root) {
            let file = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            if let Some(name) = file.strip_suffix(".rs").filter(|name| *name != "main") {
                let mut module: Module = name.split('/').map(str::to_owned).collect();
                if module.last().is_some_and(|last| last == "mod" || last == "lib") {
                    module.pop();
                }
                texts.insert(module, (file, std::fs::read_to_string(&path).unwrap()));
            }
        }
        Self::of(&texts)
    }

    fn of(texts: &BTreeMap<Module, (String, String)>) -> Self {
        let is_module = |module: &[String]| texts.contains_key(module);
        let files: Files = texts
            .iter()
            .map(|(module, (file, text))| {
                let imports = Imports { file: file.clone(), ..imports(module, text, is_module) };
                (module.clone(), imports)
            })
            .collect();
        let edges = files.iter().map(|(module, imports)| {
            let defining = imports.used.iter().filter_map(|path| definition(&files, path, 0));
            let others = defining.filter(|other| !module.starts_with(other));
            (imports.file.clone(), others.map(|other| files[other].file.clone()).collect())
        });
        Self { edges: edges.collect() }
    }

    /// Counts the imports between two files.
    pub(crate) fn len(&self) -> usize {
        self.edges.values().map(BTreeSet::len).sum()
    }

    /// Returns the sets of files that import each other, directly or through others.
    pub(crate) fn circles(&self) -> BTreeSet<BTreeSet<&str>> {
        let reached: BTreeMap<&str, BTreeSet<&str>> =
            self.edges.keys().map(|file| (file.as_str(), self.reached_from(file))).collect();
        let circles = reached.iter().map(|(file, others)| {
            others.iter().copied().filter(|other| reached[other].contains(file)).collect()
        });
        circles.filter(|circle: &BTreeSet<_>| !circle.is_empty()).collect()
    }

    fn reached_from<'g>(&'g self, file: &str) -> BTreeSet<&'g str> {
        let mut reached = BTreeSet::new();
        let mut open = vec![file];
        while let Some(next) = open.pop() {
            for other in &self.edges[next] {
                if reached.insert(other.as_str()) {
                    open.push(other);
                }
            }
        }
        reached
    }
}

/// Returns the module that defines the item of a path, following re-exports.
fn definition<'f>(files: &'f Files, path: &[String], depth: usize) -> Option<&'f Module> {
    let (length, (module, imports)) = (0..=path.len())
        .rev()
        .find_map(|length| Some((length, files.get_key_value(&path[..length])?)))?;
    let exported = path.get(length).and_then(|item| imports.exported.get(item));
    match exported {
        Some(target) if depth < 8 => {
            let target = [target, &path[length + 1..]].concat();
            definition(files, &target, depth + 1)
        }
        _ => Some(module),
    }
}

fn imports(module: &[String], text: &str, is_module: impl Fn(&[String]) -> bool) -> Imports {
    static UNIT_TESTS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^#\[cfg\(test\)\]\n(?:#\[.*\]\n)*mod \w+ \{").unwrap());
    static COMMENT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)(^| )//.*$").unwrap());
    static USE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^ *(pub(?:\([a-z: ]+\))? )?use ([^;]+);").unwrap());
    static PATH: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?:^|[^\w:])([a-z_]\w*(?:::\w+)+)").unwrap());

    let code = &text[..UNIT_TESTS.find(text).map_or(text.len(), |tests| tests.start())];
    let code = COMMENT.replace_all(code, "");
    let absolute = |path: &[String]| absolute(module, path, &is_module);
    let mut imports = Imports::default();
    for found in USE.captures_iter(&code) {
        for (path, name) in use_tree(&found[2]) {
            match (absolute(&path), found.get(1)) {
                (Some(path), Some(_)) => drop(imports.exported.insert(name, path)),
                (Some(path), None) => imports.used.push(path),
                (None, _) => {}
            }
        }
    }
    let rest = USE.replace_all(&code, "");
    let paths = PATH.captures_iter(&rest).map(|found| segments(&found[1]));
    imports.used.extend(paths.filter_map(|path| absolute(&path)));
    imports
}

fn segments(path: &str) -> Module {
    path.split("::").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Resolves a path that is written in a module; `None` if it leads out of the crate.
fn absolute(
    module: &[String],
    path: &[String],
    is_module: impl Fn(&[String]) -> bool,
) -> Option<Module> {
    let child = [module, &path[..1]].concat();
    match path[0].as_str() {
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([module, &path[1..]].concat()),
        "super" => {
            let up = path.iter().take_while(|name| *name == "super").count();
            Some([&module[..module.len().checked_sub(up)?], &path[up..]].concat())
        }
        _ if is_module(&child) => Some([&child, &path[1..]].concat()),
        _ => None,
    }
}

/// Splits `a::{b, c as d}` into its paths, each with the name that it has here.
fn use_tree(tree: &str) -> Vec<(Module, String)> {
    let tree = tree.trim();
    let Some((prefix, list)) = tree.split_once('{') else {
        let (path, alias) = tree.split_once(" as ").unwrap_or((tree, ""));
        let path = segments(path);
        let name = if alias.is_empty() { path.last().cloned() } else { Some(alias.to_owned()) };
        return name.map(|name| (path, name)).into_iter().collect();
    };
    let list = list.trim_end().strip_suffix('}').unwrap_or(list);
    let prefix = segments(prefix);
    let mut paths = Vec::new();
    for (path, name) in split_list(list).into_iter().flat_map(use_tree) {
        if path == ["self"] {
            let name = if name == "self" { prefix.last().cloned().unwrap() } else { name };
            paths.push((prefix.clone(), name));
        } else {
            paths.push(([&prefix[..], &path[..]].concat(), name));
        }
    }
    paths
}

/// Splits a list at its commas, but not at those inside braces.
fn split_list(list: &str) -> Vec<&str> {
    let (mut items, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, byte) in list.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                items.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(&list[start..]);
    items
}

#[test]
fn circles_are_found_through_nested_uses_and_re_exports() {
    let files = [
        ("", "lib.rs", "pub mod a;"),
        (
            "a",
            "a/mod.rs",
            "mod one;\nmod two;\npub use one::{One, Other as Another};\npub struct A;",
        ),
        ("a::one", "a/one.rs", "use super::{A, two::{self, Two}};\npub struct One;"),
        (
            "a::two",
            "a/two.rs",
            "// use super::A;\nfn f() { super::Another::new() }\npub struct Two;",
        ),
        (
            "a::three",
            "a/three.rs",
            "use crate::a::One;\n#[cfg(test)]\nmod tests {\n use super::*; }",
        ),
    ];
    let texts = files.map(|(module, file, text)| (segments(module), (file.into(), text.into())));
    let graph = ImportGraph::of(&texts.into_iter().collect());
    assert_eq!(graph.circles(), BTreeSet::from([BTreeSet::from(["a/one.rs", "a/two.rs"])]));
    assert_eq!(graph.edges["a/three.rs"], BTreeSet::from(["a/one.rs".to_owned()]));
    assert!(graph.edges["a/mod.rs"].is_empty());
}
