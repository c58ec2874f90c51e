//! All packs together.

use crate::support::{Desk, repository};

#[test]
fn all_packs_can_be_used_together_and_each_is_described() {
    let packs = std::fs::read_dir(repository("rules/packs")).unwrap();
    let paths = packs.map(|entry| entry.unwrap().path());
    let names: Vec<_> = paths
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    assert!(names.len() > 7, "{names:?}");
    let arguments: Vec<_> = names.iter().flat_map(|pack| ["--pack", pack]).collect();
    let desk = Desk::new();
    let ran = desk.run(&[&["rules", "list"], arguments.as_slice()].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    let described = desk
        .run(&["rules", "packs", "--as-of", "2026-11-25"])
        .stdout;
    for pack in names {
        assert!(described.contains(&format!("{pack}\n  ")), "{pack}");
    }
}
