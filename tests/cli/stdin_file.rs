//! Standard input that is a file with a name: the report is that of the file.

use crate::support::{Desk, repository, sources};

const LOG: &str = "testdata/usage/orders-2026-09.ndjson";

#[test]
fn standard_input_with_a_name_is_checked_like_the_file_of_that_name() {
    let folders = [
        "testdata/captures",
        "testdata/formats",
        "testdata/descriptions",
    ];
    for sample in folders.map(|folder| sources(&repository(folder))).concat() {
        let content = std::fs::read(&sample).unwrap();
        let name = format!("folder/{}", sample.file_name().unwrap().display());
        let desk = Desk::new().with(&name, &content);
        let options = ["check", "--format", "json", "--no-config"];
        let file = desk.run(&[&options[..], &[&name]].concat());
        let stdin = [&options[..], &["-", "--stdin-filename", &name]].concat();
        let stdin = desk.run_with(&stdin, &content);
        assert_eq!(
            (stdin.stdout, stdin.code),
            (file.stdout, file.code),
            "{name}"
        );
    }
}

#[test]
fn the_name_selects_the_operation_and_the_layout_as_that_of_a_file_does() {
    let body = b"{\"messages\": [{\"citations\": []}]}";
    let desk = Desk::new().with(
        "sundown.toml",
        "[[log]]\nfiles = \"gateway.log\"\nlog-format = '$time_iso8601 $request_method $host$request_uri $status'\n",
    );
    let ran = desk.run_with(
        &["check", "-", "--stdin-filename", "chat.request.json"],
        body,
    );
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let line = b"2026-11-19T08:12:44+00:00 POST x.test/rest/api/v1/listanswers 200\n";
    let ran = desk.run_with(
        &["check", "-", "--stdin-filename", "logs/gateway.log"],
        line,
    );
    assert!(ran.stdout.contains("logs/gateway.log:1:"), "{}", ran.stdout);
}

#[test]
fn only_standard_input_has_such_a_name() {
    let desk = Desk::new().with("a.har", "{}");
    let ran = desk.run(&["check", "a.har", "--stdin-filename", "b.har"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("standard input is not read"),
        "{}",
        ran.stderr
    );
}

#[test]
fn files_through_standard_input_merge_to_the_report_on_the_files() {
    let log = std::fs::read_to_string(repository(LOG)).unwrap();
    let broken = log.replacen(
        '\n',
        "\n\n{\"broken\": \nbanner\n{\"level\": \"info\"}\n",
        40,
    );
    let cut = log.trim_end().strip_suffix('}').unwrap();
    let access =
        std::fs::read_to_string(repository("crates/captures/samples/access-log.log")).unwrap();
    let files = [
        ("a.log", log.as_str()),
        ("b.log", &broken),
        ("c/a.log", cut),
        ("d", &access),
    ];
    let desk = files
        .iter()
        .fold(Desk::new(), |desk, (name, text)| desk.with(name, text));
    let rules = repository("testdata/usage/rules.toml")
        .display()
        .to_string();
    let rules = ["--no-builtin-rules", "--rules", &rules];
    let scan = |more: &[&str], stdin: &str| {
        let arguments = [&["usage", "--by", "file"], more, &rules].concat();
        desk.run_with(&arguments, stdin.as_bytes())
    };
    let options = ["--as-of", "2026-11-20", "--format", "json"];
    let whole = scan(
        &[&["a.log", "b.log", "c/a.log", "d"], &options[..]].concat(),
        "",
    );
    let partials = files.map(|(name, text)| {
        let from_stdin = ["-", "--stdin-filename", name, "--partial", "-"];
        scan(&from_stdin, text).stdout
    });
    let merge = [&["merge", "-"], &options[..]].concat();
    let merged = desk.run_with(&merge, partials.concat().as_bytes());
    assert_eq!(
        (merged.stdout, merged.code),
        (whole.stdout, whole.code),
        "{}",
        merged.stderr
    );
}

#[test]
fn formats_are_recognised_with_their_compression() {
    let log = std::fs::read(repository(LOG)).unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, &log).unwrap();
    let desk = Desk::new()
        .with("a.ndjson.gz", packed.finish().unwrap())
        .with("large.log", log.repeat(200))
        .with("body.ndjson", "{\"a\": 1}\n{\"a\": 2}\n")
        .with(
            "har.har",
            std::fs::read(repository("crates/captures/samples/har.har")).unwrap(),
        );
    let ran = desk.run(&[
        "formats",
        "a.ndjson.gz",
        "large.log",
        "body.ndjson",
        "har.har",
    ]);
    let expected = "  a.ndjson.gz  ndjson  gzip
  large.log    ndjson
  body.ndjson  body
  har.har      har
";
    assert_eq!((ran.stdout.as_str(), ran.code), (expected, 0));
    let ran = desk.run_with(&["formats", "-", "--stdin-filename", "x: y.txt"], b"text\n");
    assert_eq!(
        ran.stdout,
        "  x: y.txt  none: not in a format that sundown reads\n"
    );
    assert_eq!(ran.code, 2);
    assert!(desk.run(&["formats"]).stdout.starts_with("json\n"));
}
