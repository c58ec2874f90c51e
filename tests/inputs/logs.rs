//! The host of every layout of logs.

use crate::support::{Desk, repository, sources};

#[test]
fn the_host_of_every_layout_is_matched() {
    // An API server logs only its calls, without its name.
    let mut logs = sources(&repository("testdata/formats/logs"));
    let others = ["kubernetes.ndjson", "rancher.ndjson", "README.md"];
    logs.retain(|path| !others.iter().any(|other| path.ends_with(other)));
    assert!(logs.len() > 20, "{logs:?}");
    for path in logs {
        let (name, bytes) = (path.display(), std::fs::read(&path).unwrap());
        for (host, is_met) in [("api.test", true), ("other.test", false)] {
            let hosts = format!("[\"{host}\", \"{host}:8443\", \"{host}:9443\"]");
            let desk = Desk::new()
                .with(
                    "sundown.toml",
                    format!("[[api]]\napi = \"Client API\"\nhosts = {hosts}\n"),
                )
                .with("a.ndjson", &bytes);
            let report = desk.run(&["check", "a.ndjson"]).stdout;
            assert_eq!(
                report.contains("listanswers-endpoint"),
                is_met,
                "{name}: {report}"
            );
        }
    }
}
