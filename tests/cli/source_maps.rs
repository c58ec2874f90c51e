//! Source maps lead from the bundled script that made a call to the source code: `--source-root`.

use serde_json::{Value, json};

use crate::support::{Desk, Ran, text};

const RULES: &str = r#"
api = "Shop"
[[rule]]
id = "total"
operation = "POST /orders"
field = "total"
removal = 2026-11-10
"#;

/// Column 0 of the script is line 1 of `src/a.ts`; column 10 is line 2 of a package.
const MAP: &str = r#"{"version":3,"sources":["../src/a.ts","../node_modules/b/b.js"],"names":[],"mappings":"AAAA,UCCA"}"#;

/// An archive with a call from each of the scripts.
fn har(scripts: &[&str]) -> String {
    let entry = |url: &&str| {
        json!({
            "startedDateTime": "2026-11-20T00:00:00Z",
            "_initiator": {"type": "script", "stack": {"callFrames": [{"functionName": "", "url": url, "lineNumber": 0, "columnNumber": 3}]}},
            "request": {"method": "POST", "url": "https://h/orders", "headers": [], "postData": {"mimeType": "application/json", "text": "{\"total\":1}"}},
            "response": {"status": 200, "headers": [], "content": {}},
        })
    };
    let entries: Vec<Value> = scripts.iter().map(entry).collect();
    json!({"log": {"version": "1.2", "entries": entries}}).to_string()
}

fn desk(script: &str) -> Desk {
    Desk::new()
        .with("rules.toml", RULES)
        .with("a.har", har(&[script]))
}

fn run(desk: &Desk, arguments: &[&str]) -> Ran {
    let common = [
        "check",
        "a.har",
        "--rules",
        "rules.toml",
        "--as-of",
        "2026-11-20",
    ];
    desk.run(&[&common, arguments].concat())
}

/// The source that the finding of a call names.
fn source(desk: &Desk) -> Value {
    let ran = run(desk, &["--source-root", "dist", "--format", "json"]);
    let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    report["findings"][0]["origins"][0]["source"].clone()
}

#[test]
fn a_recorded_application_leads_to_its_typescript() {
    let desk = Desk::new()
        .with("recorded.har", text("testdata/web-app/recorded.har"))
        .with("dist/app.js", text("testdata/web-app/dist/app.js"))
        .with("dist/app.js.map", text("testdata/web-app/dist/app.js.map"));
    let check = [
        "check",
        "recorded.har",
        "--source-root",
        "dist",
        "--as-of",
        "2026-11-20",
    ];
    let ran = desk.run(&[&check[..], &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let origin = &report["findings"][0]["origins"][0];
    let line_of = |file: &str, call: &str| {
        let source = text(&format!("examples/web-app/{file}"));
        source.lines().position(|line| line.contains(call)).unwrap() + 1
    };
    let place = |place: &Value| (place["file"].clone(), place["line"].clone());
    let expected = |file: &str, call: &str| (json!(file), json!(line_of(file, call)));
    assert_eq!(
        place(&origin["source"]),
        expected("src/http.ts", "await fetch(")
    );
    let callers = origin["callers"].as_array().unwrap();
    assert_eq!(
        place(&callers[0]["source"]),
        expected("src/announcements.ts", "await post<")
    );
    assert_eq!(
        place(&callers[1]["source"]),
        expected("src/main.ts", "await createAnnouncement(")
    );
    let human = desk.run(&check).stdout;
    let line = line_of("src/announcements.ts", "await post<");
    assert!(
        human.contains(&format!(
            "which is called from src/announcements.ts:{line}:"
        )),
        "{human}"
    );
    let ran = desk.run(&[&check[..], &["--format", "sarif"]].concat());
    let sarif: Value = serde_json::from_str(&ran.stdout).unwrap();
    let related = sarif["runs"][0]["results"][0]["relatedLocations"]
        .as_array()
        .unwrap();
    let uris: Vec<_> = related
        .iter()
        .map(|place| {
            place["physicalLocation"]["artifactLocation"]["uri"]
                .as_str()
                .unwrap()
        })
        .collect();
    let script = "http://127.0.0.1:18090/app.js";
    assert_eq!(
        uris,
        ["src/http.ts", script, "src/announcements.ts", "src/main.ts"]
    );
}

#[test]
fn the_longest_end_of_the_path_of_a_script_is_its_file() {
    let expected = json!({"file": "src/a.ts", "line": 1, "column": 1});
    for (script, map) in [
        ("https://h/app.js", "dist/app.js.map"),
        ("https://h/static/js/app.js", "dist/app.js.map"),
        ("https://h/my%20app.js", "dist/my app.js.map"),
    ] {
        assert_eq!(source(&desk(script).with(map, MAP)), expected, "{script}");
    }
    let nested = desk("https://h/static/js/app.js")
        .with("dist/app.js.map", "{")
        .with("dist/js/app.js.map", MAP);
    assert_eq!(source(&nested)["file"], json!("dist/src/a.ts"));
}

#[test]
fn the_comment_of_a_script_names_its_map() {
    let comment = |map: &str| format!("f()\n//# sourceMappingURL={map}\n");
    let named = desk("https://h/app.js")
        .with("dist/app.js", comment("maps/1.map"))
        .with("dist/maps/1.map", MAP);
    assert_eq!(source(&named)["file"], json!("dist/src/a.ts"));
    let data = "eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbImEudHMiXSwibWFwcGluZ3MiOiJBQUFBIn0=";
    let inline = comment(&format!("data:application/json;base64,{data}"));
    assert_eq!(
        source(&desk("https://h/app.js").with("dist/app.js", inline))["file"],
        json!("dist/a.ts")
    );
    let encoded = comment(
        "data:application/json,%7B%22version%22:3,%22sources%22:[%22a.ts%22],%22mappings%22:%22AAAA%22%7D",
    );
    assert_eq!(
        source(&desk("https://h/app.js").with("dist/app.js", encoded))["file"],
        json!("dist/a.ts")
    );
}

#[test]
fn a_script_may_name_a_map_elsewhere_in_the_folder() {
    for reference in ["../maps/1.map", "/maps/1.map"] {
        let comment = format!("f()\n//# sourceMappingURL={reference}\n");
        let desk = desk("https://h/js/app.js")
            .with("dist/js/app.js", comment)
            .with("dist/maps/1.map", MAP);
        assert_eq!(source(&desk)["file"], json!("dist/src/a.ts"), "{reference}");
    }
}

#[test]
fn the_nearest_script_decides_even_without_a_map() {
    let desk = desk("https://h/admin/app.js")
        .with("dist/app.js.map", MAP)
        .with("dist/admin/app.js", "f()");
    assert_eq!(source(&desk), json!(null));
}

#[test]
fn scripts_of_extensions_and_packages_have_no_map() {
    for script in [
        "chrome-extension://abc/app.js",
        "https://h/node_modules/b/app.js",
    ] {
        assert_eq!(
            source(&desk(script).with("dist/app.js.map", MAP)),
            json!(null),
            "{script}"
        );
    }
}

#[test]
fn nothing_outside_of_the_folder_is_read() {
    let outside = desk("https://h/../secret.js")
        .with("secret.js.map", MAP)
        .with("dist/x", "");
    assert_eq!(source(&outside), json!(null));
    let encoded = desk("https://h/%2e%2e%2fsecret.js")
        .with("secret.js.map", MAP)
        .with("dist/x", "");
    assert_eq!(source(&encoded), json!(null));
    let comment = "//# sourceMappingURL=../secret.js.map\n";
    let named = desk("https://h/app.js")
        .with("secret.js.map", MAP)
        .with("dist/app.js", comment);
    assert_eq!(source(&named), json!(null));
}

#[cfg(unix)]
#[test]
fn symbolic_links_do_not_lead_out_of_the_folder() {
    let desk = desk("https://h/app.js")
        .with("secret.map", MAP)
        .with("dist/x", "");
    std::os::unix::fs::symlink(desk.path("secret.map"), desk.path("dist/app.js.map")).unwrap();
    assert_eq!(source(&desk), json!(null));
}

#[cfg(unix)]
#[test]
fn sources_are_named_by_the_file_of_a_map_whichever_link_leads_to_it() {
    let map = r#"{"version":3,"sources":["a.ts"],"mappings":"AAAA"}"#;
    let scripts = ["https://h/current/app.js", "https://h/releases/7/app.js"];
    for scripts in [scripts, [scripts[1], scripts[0]]] {
        let desk = Desk::new()
            .with("rules.toml", RULES)
            .with("a.har", har(&scripts))
            .with("dist/releases/7/app.js.map", map);
        std::os::unix::fs::symlink("releases/7", desk.path("dist/current")).unwrap();
        let ran = run(&desk, &["--source-root", "dist", "--format", "json"]);
        let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
        for origin in report["findings"][0]["origins"].as_array().unwrap() {
            assert_eq!(origin["source"]["file"], json!("dist/releases/7/a.ts"));
        }
    }
}

#[test]
fn a_script_that_cannot_be_read_for_its_map_is_reported() {
    let data = "f()\n//# sourceMappingURL=data:application/json;base64,*\n";
    let inline = desk("https://h/app.js").with("dist/app.js", data);
    let large = desk("https://h/app.js").with("dist/app.js", "");
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(large.path("dist/app.js"))
        .unwrap();
    file.set_len((64 << 20) + 1).unwrap();
    for (desk, detail) in [
        (inline, "cannot be decoded"),
        (large, "it is larger than 64 MiB"),
    ] {
        let ran = run(&desk, &["--source-root", "dist"]);
        let report = "dist/app.js: a source map that cannot be read";
        let line = ran
            .stdout
            .lines()
            .find(|line| line.contains(report))
            .expect(&ran.stdout);
        assert!(line.contains(detail), "{line}");
    }
}

#[test]
fn a_damaged_map_is_reported_and_the_script_is_still_named() {
    for (map, detail) in [("{", "ends"), ("{\"version\":3}", "it has no `mappings`")] {
        let desk = desk("https://h/app.js").with("dist/app.js.map", map);
        let ran = run(&desk, &["--source-root", "dist"]);
        assert!(
            ran.stdout.contains("called from https://h/app.js:1:4"),
            "{}",
            ran.stdout
        );
        let report = "dist/app.js.map: a source map that cannot be read";
        let line = ran
            .stdout
            .lines()
            .find(|line| line.contains(report))
            .expect(&ran.stdout);
        assert!(line.contains(detail), "{line}");
        assert_eq!(ran.code, 1);
        assert_eq!(run(&desk, &["--source-root", "dist", "--strict"]).code, 2);
    }
}

#[test]
fn a_folder_without_a_map_for_any_script_is_reported() {
    let desk = Desk::new()
        .with("rules.toml", RULES)
        .with("a.har", har(&["https://h/a.js", "https://h/b.js"]))
        .with("dist/other.js.map", MAP);
    let ran = run(&desk, &["--source-root", "dist"]);
    let report = "dist: no source map for any script in the folder of --source-root: 2 scripts";
    assert!(ran.stdout.contains(report), "{}", ran.stdout);
    let missing = run(&desk, &["--source-root", "missing"]);
    assert_eq!(missing.code, 2);
    assert!(
        missing
            .stderr
            .contains("--source-root: missing cannot be read"),
        "{}",
        missing.stderr
    );
}

#[test]
fn one_map_among_several_scripts_is_enough() {
    let desk = Desk::new()
        .with("rules.toml", RULES)
        .with("a.har", har(&["https://h/a.js", "https://h/b.js"]))
        .with("dist/b.js.map", MAP);
    let ran = run(
        &desk,
        &["--source-root", "dist", "--no-fold", "--format", "ndjson"],
    );
    assert!(
        ran.stdout.contains("\"source\":{\"file\":\"src/a.ts\""),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("no-source-map"), "{}", ran.stdout);
}
