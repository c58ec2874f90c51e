//! Rules from an API description, by way of a rules file that points into it.

use crate::support::{Desk, text};

fn desk() -> Desk {
    Desk::new().with("api/shop.yaml", text("testdata/located/shop.yaml"))
}

#[test]
fn the_path_of_a_description_is_relative_to_the_working_directory() {
    let desk = desk();
    let absolute = desk.path("api/shop.yaml");
    for description in [
        "api/shop.yaml",
        "./api/../api/shop.yaml",
        absolute.to_str().unwrap(),
    ] {
        let made = desk.run(&["rules", "import", description]);
        let named = "\ndescription = \"api/shop.yaml\"\n";
        assert!(made.stdout.contains(named), "{}", made.stdout);
    }
    let desk = desk.with("rules/shop.toml", "");
    let from_below = desk.run_below("rules", &["rules", "import", "../api/shop.yaml"]);
    std::fs::write(desk.path("rules/shop.toml"), &from_below.stdout).unwrap();
    let checked = desk.run(&["rules", "check", "rules/shop.toml"]);
    let expected = "rules/shop.toml: 6 rules, no mistakes\n";
    assert_eq!(checked.stdout, expected, "{}", checked.stderr);
}
