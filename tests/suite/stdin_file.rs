//! Standard input that is a file with a name, or a part of one: the report is that of the file.

use sundown::formats::Format;

use crate::support::{Desk, repository};

const LOG: &str = "testdata/usage/orders-2026-09.ndjson";

fn shop() -> [String; 3] {
    let rules = repository("testdata/usage/rules.toml").display().to_string();
    ["--no-builtin-rules".to_owned(), "--rules".to_owned(), rules]
}

#[test]
fn standard_input_with_a_name_is_checked_like_the_file_of_that_name() {
    for format in Format::ALL {
        let sample = repository("testdata").join(format.spec().sample);
        if !sample.is_file() {
            continue;
        }
        let content = std::fs::read(&sample).unwrap();
        let name = format!("folder/{}", sample.file_name().unwrap().display());
        let desk = Desk::new().with(&name, &content);
        let options = ["check", "--format", "json", "--no-config"];
        let file = desk.run(&[&options[..], &[&name]].concat());
        let stdin = [&options[..], &["-", "--stdin-filename", &name]].concat();
        let stdin = desk.run_with(&stdin, &content);
        assert_eq!((stdin.stdout, stdin.code), (file.stdout, file.code), "{name}");
    }
}

#[test]
fn the_name_selects_the_operation_and_the_layout_as_that_of_a_file_does() {
    let body = b"{\"messages\": [{\"citations\": []}]}";
    let desk = Desk::new().with(
        "sundown.toml",
        "[[log]]\nfiles = \"gateway.log\"\nlog-format = '$time_iso8601 $request_method $host$request_uri $status'\n",
    );
    let ran = desk.run_with(&["check", "-", "--stdin-filename", "chat.request.json"], body);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let line = b"2026-11-19T08:12:44+00:00 POST x.test/rest/api/v1/listanswers 200\n";
    let ran = desk.run_with(&["check", "-", "--stdin-filename", "logs/gateway.log"], line);
    assert!(ran.stdout.contains("logs/gateway.log:1:"), "{}", ran.stdout);
}

#[test]
fn a_part_of_a_log_has_the_positions_of_the_file() {
    let text = std::fs::read_to_string(repository(LOG)).unwrap();
    let desk = Desk::new().with("a.log", &text);
    let options = ["check", "--format", "ndjson", "--no-fold", "--input-format", "ndjson"];
    let rules = shop();
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    let whole = desk.run(&[&options[..], &rules, &["a.log"]].concat()).stdout;
    let findings = |out: &str| -> Vec<String> {
        out.lines().filter(|line| line.contains("\"finding\"")).map(str::to_owned).collect()
    };
    assert!(findings(&whole).len() > 10);
    // Blank lines are no records.
    let text = text.replacen('\n', "\n\n\n", 1);
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    let desk = Desk::new().with("a.log", &text);
    let whole = desk.run(&[&options[..], &rules, &["a.log"]].concat()).stdout;
    for at in [0, 1, 2, 3, 50, ends.len() - 1] {
        let lines = if at == 0 { 0 } else { at };
        let offset = if at == 0 { 0 } else { ends[at - 1] };
        let (before, after) = text.split_at(offset);
        let records = before.lines().filter(|line| !line.trim().is_empty()).count();
        let position = format!("{offset}:{lines}:{records}");
        let run = |position: &str, part: &str| {
            let part_of = ["-", "--stdin-filename", "a.log", "--stdin-position", position];
            findings(
                &desk.run_with(&[&options[..], &rules, &part_of].concat(), part.as_bytes()).stdout,
            )
        };
        let parts = [run("0:0:0", before), run(&position, after)].concat();
        assert_eq!(parts, findings(&whole), "{position}");
    }
}

#[test]
fn only_lines_have_parts_and_only_standard_input_has_such_a_name() {
    let desk = Desk::new().with("a.har", "{}");
    for (arguments, message) in [
        (
            "check - --stdin-filename a.har --input-format har --stdin-position 1:0:0",
            "a file in the format `har` has no parts",
        ),
        ("check a.har --stdin-filename b.har", "standard input is not read"),
        ("check - --stdin-position 1:0:0", "--stdin-filename"),
        (
            "check - --stdin-filename a --input-format ndjson --stdin-position 1:2:3",
            "positions look like",
        ),
        (
            "check - --stdin-filename a --input-format ndjson --stdin-position 1:1",
            "positions look like",
        ),
    ] {
        let arguments: Vec<_> = arguments.split(' ').collect();
        let ran = desk.run_with(&arguments, b"{}");
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
    }
}

#[test]
fn the_size_of_a_file_counts_that_is_not_read_to_its_end() {
    let text = "no traffic\n".repeat(200_000);
    let desk = Desk::new().with("notes.txt", &text);
    let file = desk.run(&["check", "--format", "json", "notes.txt"]);
    let size = text.len().to_string();
    let arguments =
        ["check", "--format", "json", "-", "--stdin-filename", "notes.txt", "--stdin-size", &size];
    let stdin = desk.run_with(&arguments, &text.as_bytes()[..1_200_000]);
    assert_eq!((stdin.stdout, stdin.code), (file.stdout, 2));
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
        .with("har.har", std::fs::read(repository("testdata/samples/har.har")).unwrap());
    let ran = desk.run(&["formats", "a.ndjson.gz", "large.log", "body.ndjson", "har.har"]);
    let expected =
        "a.ndjson.gz: ndjson, gzip\nlarge.log: ndjson\nbody.ndjson: body\nhar.har: har\n";
    assert_eq!((ran.stdout.as_str(), ran.code), (expected, 0));
    let ran = desk.run_with(&["formats", "-", "--stdin-filename", "x: y.txt"], b"text\n");
    assert_eq!(ran.stdout, "x: y.txt: none: not in a format that sundown reads\n");
    assert_eq!(ran.code, 2);
    assert!(desk.run(&["formats"]).stdout.starts_with("json\n"));
}

/// Scans a log in parts that end at these lines, merges the partial results in reverse order, and returns the report.
fn merged(
    desk: &Desk,
    text: &str,
    ends: &[usize],
    format: &str,
    options: &[&str],
) -> (String, i32) {
    let (mut partials, mut offset, mut lines) = (Vec::new(), 0, 0);
    for &end in ends {
        let part: String = text[offset..].split_inclusive('\n').take(end - lines).collect();
        let is_record = |line: &&str| !line.trim().is_empty();
        let records = text[..offset].lines().filter(is_record).count();
        let position = format!("{offset}:{lines}:{records}");
        let arguments = [
            &["usage", "-", "--stdin-filename", "logs/a.log", "--stdin-position", &position][..],
            &["--input-format", format, "--partial", "-"],
            options,
        ];
        let ran = desk.run_with(&arguments.concat(), part.as_bytes());
        assert!(ran.stdout.starts_with("{\"sundown_partial\""), "{}", ran.stderr);
        partials.push(ran.stdout);
        (offset, lines) = (offset + part.len(), end);
    }
    assert_eq!(offset, text.len());
    partials.reverse();
    // In two steps: the sum of some is a partial, too.
    let (some, others) = partials.split_at(partials.len() / 2);
    let sum = desk.run_with(&["merge", "-", "--partial", "-"], some.concat().as_bytes()).stdout;
    let all = [&sum, others.concat().as_str()].concat();
    let ran =
        desk.run_with(&["merge", "-", "--format", "json", "--as-of", "2026-11-20"], all.as_bytes());
    (ran.stdout, ran.code)
}

#[test]
fn the_parts_of_a_log_merge_to_the_report_on_the_log() {
    let log = std::fs::read_to_string(repository(LOG)).unwrap();
    let broken = log.replacen('\n', "\n\n{\"broken\": \nbanner\n{\"level\": \"info\"}\n", 40);
    let other = "{\"level\": \"info\", \"count\": 1}\n".repeat(40);
    let access =
        std::fs::read_to_string(repository("testdata/samples/access-log.log")).unwrap().repeat(10);
    let cut = log.trim_end().strip_suffix('}').unwrap().to_owned();
    let rules = shop();
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    for (text, format) in [
        (&log, "ndjson"),
        (&broken, "ndjson"),
        (&other, "ndjson"),
        (&cut, "ndjson"),
        (&access, "access-log"),
    ] {
        for more in [&["--by", "file"][..], &["--by", "user-agent", "--skip-unrelated"]] {
            let options = [&rules, more].concat();
            let desk = Desk::new().with("logs/a.log", text);
            let report = ["--format", "json", "--as-of", "2026-11-20", "--input-format", format];
            let whole = desk.run(&[&["usage", "logs/a.log"][..], &report, &options].concat());
            let lines = text.split_inclusive('\n').count();
            for ends in [vec![lines], vec![1, lines], vec![2, 3, lines / 2, lines - 1, lines]] {
                let merged = merged(&desk, text, &ends, format, &options);
                assert_eq!(merged, (whole.stdout.clone(), whole.code), "{format}: {ends:?}");
            }
        }
    }
}
