//! Partial results of `sundown usage` merge to the same bytes as one scan of everything, and no damaged one is merged.

use chrono::{Days, NaiveDate};
use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::{Desk, Ran, date, lines};

const RULES: &str = r#"
api = "Shop"
hosts = ["shop.example"]
[[rule]]
id = "legacy-id"
operation = "POST /v1/orders"
field = "legacyId"
sides = ["request"]
replacement = "id"
removal = 2027-01-15
[[rule]]
id = "trace"
operation = "GET /v1/orders/{id}"
parameter = "trace"
[[rule]]
id = "open-status"
operation = "GET /v1/orders/{id}"
field = "status"
value = "open"
"#;

/// The formats of the report.
const FORMATS: [&str; 5] = ["human", "json", "csv", "markdown", "html"];

/// A call on one of so many days, or a line that is something else.
fn record(days: u64) -> impl Strategy<Value = Value> {
    let bodies = prop::sample::select(vec![
        json!({"legacyId": 1}),
        json!({"lines": [{"legacyId": 1}, {"legacyId": 2}]}),
        json!({"id": 1}),
        json!(null),
        json!("{\"legacyId\": cut off"),
    ]);
    let hosts = prop::sample::select(vec!["https://shop.example", "", "https://other.example"]);
    (0..days, 0usize..6, bodies, hosts, 0u32..8).prop_map(|(day, agent, body, host, kind)| {
        let day = date("2026-09-01") + Days::new(day);
        match kind {
            0 => json!({"level": "info", "message": "no call"}),
            1 => json!({
                "time": format!("{day}T23:59:59.{kind}5Z"), "method": "GET",
                "url": format!("{host}/v1/orders/7?trace=1"),
                "request": {"headers": {"X-Team": format!("team {agent}")}},
                "response": {"status": 200, "body": {"status": "open"}},
            }),
            _ => json!({
                "time": if kind == 2 { Value::Null } else { json!(format!("{day}T10:00:00Z")) },
                "method": "POST", "url": format!("{host}/v1/orders"),
                "request": {
                    "headers": {"User-Agent": format!("agent{agent}/1"), "X-Team": format!("team {agent}")},
                    "body": body,
                },
                "response": {"status": 200},
            }),
        }
    })
}

fn desk() -> Desk {
    Desk::new()
        .with("rules.toml", RULES)
        .with("key", "a secret of enough bytes")
}

/// Options of a scan.
const SCAN: [&str; 10] = [
    "--no-builtin-rules",
    "--rules",
    "rules.toml",
    "--by",
    "user-agent",
    "--by",
    "header:X-Team",
    "--caller-key-file",
    "key",
    "--skip-unrelated",
];

/// Options of a report.
const REPORT: [&str; 4] = ["--as-of", "2026-11-20", "--quiet-days", "5"];

/// Scans a file into a partial result.
fn scan(desk: &Desk, file: &str, partial: &str) {
    let ran = desk.run(&[&["usage", file, "--partial", partial][..], &SCAN].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

fn merge(desk: &Desk, arguments: &[&str]) -> Ran {
    desk.run(&[&["merge"], arguments, &REPORT].concat())
}

fn read(desk: &Desk, file: &str) -> String {
    std::fs::read_to_string(desk.path(file)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    /// Neither the split nor the order nor the grouping of the parts changes a byte of any report or of the merged partial.
    #[test]
    fn any_split_merges_to_the_same_bytes(
        // Calls on up to three days are counted by hour.
        records in prop::sample::select(vec![4u64, 40])
            .prop_flat_map(|days| prop::collection::vec((record(days), 0usize..4), 1..60)),
        order in Just(vec![0usize, 1, 2, 3]).prop_shuffle(),
        grouped in 1usize..4,
    ) {
        let files: Vec<String> = (0..4)
            .map(|file| records.iter().filter(|(_, of)| *of == file).map(|(record, _)| record.clone()).collect::<Vec<_>>())
            .map(|records| lines(&records))
            .collect();
        let mut desk = desk();
        let mut names = Vec::new();
        for (number, text) in files.iter().enumerate().filter(|(_, text)| !text.is_empty()) {
            let name = format!("log{number}.ndjson");
            desk = desk.with(&name, text);
            scan(&desk, &name, &format!("part{number}"));
            names.push(name);
        }
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let whole = [&["usage"], &names[..], &SCAN, &REPORT].concat();
        let whole_partial = desk.run(&[&whole[..], &["--partial", "-"]].concat()).stdout;
        let parts: Vec<_> = order.iter().map(|number| format!("part{number}")).filter(|part| desk.path(part).exists()).collect();
        let parts: Vec<_> = parts.iter().map(String::as_str).collect();
        // Some are merged before the others, as in a tree.
        let (first, rest) = parts.split_at(grouped.min(parts.len()));
        let inner = merge(&desk, &[first, &["--partial", "inner"]].concat());
        prop_assert_eq!(inner.code, 0, "{}", inner.stderr);
        let all = [&["inner"], rest].concat();
        prop_assert_eq!(&merge(&desk, &[&all[..], &["--partial", "-"]].concat()).stdout, &whole_partial);
        for format in FORMATS {
            let expected = desk.run(&[&whole[..], &["--format", format]].concat());
            for inputs in [&all[..], &parts] {
                let merged = merge(&desk, &[inputs, &["--format", format]].concat());
                prop_assert_eq!((&merged.stdout, merged.code), (&expected.stdout, expected.code), "{}", merged.stderr);
            }
        }
    }
}

/// A log of days with a use each, by one of so many callers.
fn log(callers: u64) -> String {
    let record = |number: u64| {
        let day: NaiveDate = date("2026-09-01") + Days::new(number % 40);
        json!({
            "time": format!("{day}T10:00:00Z"), "method": "POST", "url": "/v1/orders",
            "request": {"headers": {"User-Agent": format!("agent/{number}"), "X-Team": format!("team {number}")}, "body": {"legacyId": 1}},
            "response": {"status": 200},
        })
    };
    lines(&(0..callers).map(record).collect::<Vec<_>>())
}

#[test]
fn the_report_is_printed_as_well_unless_the_partial_is() {
    let desk = desk().with("log.ndjson", log(40));
    let arguments = [&["usage", "log.ndjson"][..], &SCAN, &REPORT].concat();
    let report = desk.run(&arguments).stdout;
    let with_file = desk.run(&[&arguments[..], &["--partial", "out.partial"]].concat());
    assert_eq!((&with_file.stdout, with_file.code), (&report, 0));
    let with_stdout = desk.run(&[&arguments[..], &["--partial", "-"]].concat());
    assert_eq!(with_stdout.stdout, read(&desk, "out.partial"));
    // A merge of one is the same, also from standard input, where several may follow each other.
    for options in [&[][..], &["--gate"]] {
        let gated = desk.run(&[&arguments[..], options].concat());
        let merged = desk.run_with(
            &[&["merge", "-"], options, &REPORT].concat(),
            with_stdout.stdout.as_bytes(),
        );
        assert_eq!(
            (merged.stdout, merged.code),
            (gated.stdout, gated.code),
            "{}",
            merged.stderr
        );
    }
    let twice = with_stdout.stdout.repeat(2);
    let merged = desk.run_with(&["merge", "-", "--format", "csv"], twice.as_bytes());
    assert!(merged.stdout.contains(",80,"), "{}", merged.stdout);
}

/// Adds a line that leaves out callers, as in a scan of more than fit into memory.
fn leave_out_half(partial: &str) -> String {
    let (body, _) = partial.split_once("{\"end\":").unwrap();
    let limit = format!(
        "{{\"caller_limit\":{}}}\n{{\"caller\":",
        json!(vec![128; 16])
    );
    let body = body.replacen("{\"caller\":", &limit, 1);
    let hash = Sha256::digest(&body);
    let hash = hash
        .iter()
        .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    let lines = body.lines().count();
    format!("{body}{{\"end\":{{\"lines\":{lines},\"sha256\":\"{hash}\"}}}}\n")
}

#[test]
fn the_uses_of_callers_that_were_left_out_are_counted_in_every_format() {
    let desk = desk().with("log.ndjson", log(40));
    scan(&desk, "log.ndjson", "whole");
    let half = leave_out_half(&read(&desk, "whole"));
    let desk = desk.with("half", half);
    let merged = merge(&desk, &["half", "--format", "json"]);
    let report: Value = serde_json::from_str(&merged.stdout).expect(&merged.stderr);
    let element = &report["elements"][0];
    let kept = element["callers"].as_array().unwrap().len();
    let left_out = element["calls_of_other_callers"].as_u64().unwrap();
    assert!(
        kept > 0 && left_out > 0 && kept as u64 + left_out == 40,
        "{kept} {left_out}"
    );
    for format in ["human", "markdown"] {
        let text = merge(&desk, &["half", "--format", format]).stdout;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let sentence =
            format!("{left_out} calls with a use are counted, but their callers are not listed");
        assert!(text.contains(&sentence), "{text}");
    }
    let csv = merge(&desk, &["half", "--format", "csv"]).stdout;
    // The element itself is in use, and so are its callers.
    assert_eq!(csv.matches(",in-use,").count(), 1 + kept, "{csv}");
}

#[test]
fn folders_of_parts_are_read_without_the_markers_of_other_programs() {
    let desk = desk()
        .with("log.ndjson", log(40))
        .with("parts/_SUCCESS", "")
        .with("parts/.crc", "x");
    let desk = desk
        .with("parts/_temporary/0/part-9", "x")
        .with("parts/day2/.crc", "x");
    for part in ["parts/part-0", "parts/day2/part-1"] {
        scan(&desk, "log.ndjson", part);
    }
    let merged = merge(&desk, &["parts", "--format", "csv"]);
    assert!(
        merged.code == 0 && merged.stdout.contains(",80,"),
        "{}{}",
        merged.stdout,
        merged.stderr
    );
    let sum = merge(
        &desk,
        &[
            "parts/part-0",
            "parts/day2/part-1",
            "--partial",
            "parts/part-0",
        ],
    );
    assert_eq!(
        sum.code, 0,
        "a part can be replaced by a sum: {}",
        sum.stderr
    );
    assert!(
        merge(&desk, &["parts/part-0", "--format", "csv"])
            .stdout
            .contains(",80,")
    );
}

#[test]
fn parts_that_do_not_fit_are_refused_with_their_name_and_the_remedy() {
    let desk = desk()
        .with("log.ndjson", log(40))
        .with("other.toml", RULES.replace("2027-01-15", "2027-01-16"))
        .with("other.key", "another secret of enough bytes");
    scan(&desk, "log.ndjson", "part");
    let whole = read(&desk, "part");
    let cut = &whole[..whole.len() / 2];
    let cut_at_line = &whole[..=whole[..whole.len() - 2].rfind('\n').unwrap()];
    let newer = whole.replacen("\"sundown_partial\":4", "\"sundown_partial\":7", 1);
    let changed = whole.replacen("\"read\":40", "\"read\":41", 1);
    let desk = desk
        .with("cut", cut)
        .with("cut-at-line", cut_at_line)
        .with("newer", newer)
        .with("changed", changed)
        .with("empty", "")
        .with("folder/_SUCCESS", "");
    for (file, arguments) in [
        ("rules", &["--rules", "other.toml"][..]),
        ("selected", &["--rule", "legacy-id"]),
        ("since", &["--since", "2026-09-02"]),
        ("attributes", &["--by", "file"]),
        ("shown", &["--show-callers"]),
        ("excluded", &["--exclude-caller", "curl*"]),
    ] {
        let arguments = [
            &["usage", "log.ndjson", "--partial", file][..],
            &SCAN,
            arguments,
        ]
        .concat();
        let rules = arguments
            .iter()
            .position(|argument| *argument == "--rules")
            .unwrap();
        let mut arguments = arguments.clone();
        if file == "rules" {
            arguments.drain(rules..rules + 2);
        }
        assert_eq!(desk.run(&arguments).code, 0);
    }
    let other_key = [
        "--caller-key-file",
        "other.key",
        "--partial",
        "key-of-other",
    ];
    let without_key: Vec<_> = SCAN
        .iter()
        .copied()
        .filter(|argument| !["key", "--caller-key-file"].contains(argument))
        .collect();
    let keyed = desk.run(&[&["usage", "log.ndjson"], &without_key[..], &other_key].concat());
    assert_eq!(keyed.code, 0, "{}", keyed.stderr);
    let fresh = desk.run(
        &[
            &["usage", "log.ndjson", "--partial", "fresh-key"],
            &without_key[..],
        ]
        .concat(),
    );
    assert_eq!(fresh.code, 0, "{}", fresh.stderr);
    let messages = refusals(&desk);
    let mut settings = insta::Settings::clone_current();
    settings.add_filter("instead of [0-9a-f]{16,32}", "instead of [DIGEST]");
    settings.add_filter(": [0-9a-f]{16,32} instead", ": [DIGEST] instead");
    settings.bind(|| insta::assert_snapshot!("refused_partials", messages));
}

/// The messages about each part that does not fit to the first one.
fn refusals(desk: &Desk) -> String {
    let mut messages = String::new();
    for file in [
        "cut",
        "cut-at-line",
        "newer",
        "changed",
        "empty",
        "folder",
        "log.ndjson",
        "missing",
        "rules",
        "selected",
        "since",
        "attributes",
        "shown",
        "excluded",
        "key-of-other",
        "fresh-key",
        "part",
    ] {
        let ran = merge(desk, &["part", file, "--partial", "merged"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{file}");
        assert!(
            ran.stderr.contains(file) && !desk.path("merged").exists(),
            "{file}: {}",
            ran.stderr
        );
        messages += &ran.stderr;
    }
    messages
}

#[test]
fn product_tokens_and_files_need_no_key_to_be_merged() {
    let desk = desk().with("a.ndjson", log(3)).with("b.ndjson", log(3));
    for attribute in ["user-agent", "file", "initiator", "cassette"] {
        for part in ["a", "b"] {
            let file = format!("{part}.ndjson");
            let ran = desk.run(&[
                "usage",
                &file,
                "--partial",
                part,
                "--no-builtin-rules",
                "--rules",
                "rules.toml",
                "--by",
                attribute,
            ]);
            assert_eq!(ran.code, 0, "{}", ran.stderr);
        }
        let merged = merge(&desk, &["a", "b"]);
        assert_eq!(merged.code, 0, "{attribute}: {}", merged.stderr);
    }
}

#[cfg(unix)]
#[test]
fn a_partial_that_cannot_be_written_fails_the_run_and_the_report_is_still_printed() {
    let desk = desk().with("log.ndjson", log(3));
    for target in ["/dev/full", "no/such/folder/part"] {
        let ran = desk.run(&[&["usage", "log.ndjson", "--partial", target][..], &SCAN].concat());
        assert_eq!(ran.code, 2);
        assert!(
            ran.stderr.contains(target) && ran.stdout.contains("legacy-id"),
            "{}",
            ran.stderr
        );
    }
    for target in ["log.ndjson", "rules.toml", "key"] {
        let before = read(&desk, target);
        let ran = desk.run(&[&["usage", "log.ndjson", "--partial", target][..], &SCAN].concat());
        assert_eq!(
            (ran.code, read(&desk, target)),
            (2, before),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn what_could_not_be_read_in_a_part_fails_the_merge() {
    let desk = desk().with("log.ndjson", log(3)).with("empty.ndjson", "");
    let ran = desk.run(&[
        "usage",
        "empty.ndjson",
        "--partial",
        "part",
        "--no-builtin-rules",
        "--rules",
        "rules.toml",
    ]);
    assert_eq!(ran.code, 2);
    let merged = merge(&desk, &["part"]);
    assert!(
        merged.code == 2 && merged.stdout.contains("empty.ndjson"),
        "{}",
        merged.stdout
    );
    let broken = "{\"method\":\"POST\",\"url\":\"/v1/orders\",\"request\":{\"body\":";
    let desk = desk.with("broken.ndjson", format!("{}{broken}", log(3)));
    scan(&desk, "broken.ndjson", "part");
    assert_eq!(merge(&desk, &["part"]).code, 0);
    assert_eq!(merge(&desk, &["part", "--strict"]).code, 2);
}

#[test]
fn folders_are_empty_only_if_all_parts_are() {
    let other = "{\"level\":\"info\"}\n";
    let desk = desk()
        .with("fa/a.txt", "nothing")
        .with("fb/b.ndjson", log(3))
        .with("fc/c.txt", other);
    for folders in [
        &["fa", "fb"][..],
        &["fa", "fc"],
        &["fa", "fa"],
        &["fa", "fb/b.ndjson"],
    ] {
        let fixed = ["--no-builtin-rules", "--rules", "rules.toml"];
        let mut parts = vec!["merge".to_owned()];
        for (number, folder) in folders.iter().enumerate() {
            let part = format!("part{number}");
            let ran = desk.run(&[&["usage", folder, "--partial", &part][..], &fixed].concat());
            assert_eq!(
                ran.code,
                if folder.starts_with("fb") { 0 } else { 2 },
                "{}",
                ran.stderr
            );
            parts.push(part);
        }
        let parts: Vec<_> = parts.iter().map(String::as_str).collect();
        for options in [&[][..], &["--strict"]] {
            let whole = desk.run(&[&["usage"], folders, &fixed[..], &REPORT, options].concat());
            let merged = desk.run(&[&parts[..], &REPORT, options].concat());
            // The same folder twice is read once by one scan.
            if folders[0] != folders[1] {
                assert_eq!(
                    (&merged.stdout, merged.code),
                    (&whole.stdout, whole.code),
                    "{folders:?}"
                );
            }
            let is_empty = merged.stdout.contains("Could not be checked");
            assert_eq!(is_empty, !folders[1].starts_with("fb"), "{}", merged.stdout);
            assert_eq!(merged.code, if is_empty { 2 } else { 0 });
        }
    }
}

#[test]
fn folders_in_which_nothing_could_be_checked_fail_the_run_and_the_merge() {
    let broken = "{\"method\":\"POST\",\"url\":\"/v1/orders\n";
    let desk = desk()
        .with("fa/a.ndjson", broken)
        .with("fb/b.ndjson", log(3));
    let fixed = ["--no-builtin-rules", "--rules", "rules.toml"];
    for (folders, code) in [(&["fa"][..], 2), (&["fa", "fb"], 0)] {
        let whole = desk.run(&[&["usage"][..], folders, &fixed].concat());
        for folder in folders {
            let part = format!("{folder}.part");
            desk.run(&[&["usage", folder, "--partial", &part][..], &fixed].concat());
        }
        let parts: Vec<_> = folders
            .iter()
            .map(|folder| format!("{folder}.part"))
            .collect();
        let parts: Vec<_> = parts.iter().map(String::as_str).collect();
        let merged = desk.run(&[&["merge"][..], &parts].concat());
        for ran in [whole, merged] {
            assert_eq!(ran.code, code, "{folders:?}: {}{}", ran.stdout, ran.stderr);
            let text = "Nothing was checked in fa: the exit code is 2";
            assert_eq!(ran.stdout.contains(text), code == 2, "{}", ran.stdout);
        }
    }
}

#[test]
fn a_partial_result_on_standard_output_leaves_no_room_for_a_report() {
    let desk = desk().with("log.ndjson", log(3));
    let usage = [
        "usage",
        "log.ndjson",
        "--no-builtin-rules",
        "--rules",
        "rules.toml",
    ];
    let part = desk.run(&[&usage[..], &["--partial", "-"]].concat()).stdout;
    let desk = desk.with("part", &part);
    for more in [["--format", "json"], ["--format", "human"]] {
        for command in [&usage[..], &["merge", "part"]] {
            let ran = desk.run(&[command, &["--partial", "-"], &more].concat());
            assert_eq!(
                (ran.code, ran.stdout.as_str()),
                (2, ""),
                "{more:?}: {}",
                ran.stderr
            );
            let message = format!("error: `--partial -` leaves no report for {}", more[0]);
            assert!(ran.stderr.starts_with(&message), "{}", ran.stderr);
        }
    }
    // The gate is an exit code.
    let gate = desk.run(&["merge", "part", "--partial", "-", "--gate"]);
    assert_eq!((gate.stdout, gate.code), (part, 2), "{}", gate.stderr);
}
