//! Bad input gets a clear message with file, place and remedy; its good neighbours are still checked; nothing is
//! passed over in silence.

use crate::support::{Desk, Ran, input_formats};

const USE: &str =
    r#"{"method":"POST","url":"/rest/api/v1/chat","request":{"body":{"citations":[]}}}"#;

/// Asserts that the output contains each of the texts.
fn assert_output_contains(ran: &Ran, texts: &[&str]) {
    for text in texts {
        assert!(
            ran.stdout.contains(text),
            "{text:?} is missing from:\n{}{}",
            ran.stdout,
            ran.stderr
        );
    }
}

/// Asserts that a failure is reported without failing the run, and fails it with `--strict`.
fn fails_only_when_strict(desk: &Desk, arguments: &[&str], texts: &[&str]) {
    let mut arguments = arguments.to_vec();
    arguments.insert(0, "check");
    let lenient = desk.run(&arguments);
    assert_output_contains(&lenient, texts);
    assert_eq!(
        lenient.code,
        i32::from(lenient.stdout.contains("error[")),
        "{}",
        lenient.stdout
    );
    arguments.push("--strict");
    let strict = desk.run(&arguments);
    assert_output_contains(&strict, texts);
    assert_eq!(strict.code, 2);
}

/// Asserts that a named path in which nothing can be checked fails the run, but not if a hook names it.
fn fails_the_run(desk: &Desk, path: &str, texts: &[&str]) {
    let ran = desk.run(&["check", path]);
    assert_output_contains(&ran, texts);
    assert_output_contains(
        &ran,
        &[&format!(
            "Nothing was checked in {path}: the exit code is 2"
        )],
    );
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    let quiet = desk.run(&["check", "--quiet", path]);
    assert_output_contains(&quiet, &[path]);
    assert_eq!(quiet.code, 2, "{}", quiet.stdout);
    assert_eq!(desk.run(&["check", "--skip-unrelated", path]).code, 0);
}

#[test]
fn a_missing_path_fails_the_run_and_the_other_paths_are_checked() {
    let desk = Desk::new().with("good.ndjson", USE);
    let ran = desk.run(&["check", "missing.har", "good.ndjson"]);
    assert_output_contains(
        &ran,
        &[
            "missing.har: cannot be read: no such file",
            "check that the path exists",
            "chat-citations",
        ],
    );
    assert_eq!(ran.code, 2);
}

#[cfg(unix)]
#[test]
fn the_first_mistakes_of_a_file_are_reported_and_the_rest_counted() {
    const MANY: usize = 30_000;
    /// Far less than by the square of it.
    const MAX_SECONDS: u32 = 10;
    let twice = "[[rule]]\nid = 'x'\noperation = 'GET /a'\n".repeat(MANY);
    for (name, text, arguments) in [
        ("sundown.toml", "a b\n".repeat(MANY), &["check"][..]),
        (
            "sundown.toml",
            format!("paths = [\n{}]\n", "1,\n".repeat(MANY)),
            &["check"],
        ),
        // Each is reported four times, because every key that an allowance needs is missing.
        (
            "sundown.toml",
            "[[allow]]\nnope = 1\n".repeat(MANY / 4),
            &["check"],
        ),
        (
            "rules.toml",
            "a b\n".repeat(MANY),
            &["rules", "check", "rules.toml"],
        ),
        // All but the first have a duplicate id, and the last line is not TOML.
        (
            "rules.toml",
            format!("api = 'x'\n{twice}a b\n"),
            &["rules", "check", "rules.toml"],
        ),
        (
            "list.csv",
            format!("operation,removal\n{}", "x,y\n".repeat(MANY / 2)),
            &["rules", "import", "list.csv"],
        ),
        (
            "known.toml",
            format!("[\n{}{{\"version\":1}}]\n", "{\"a\":1},\n".repeat(MANY)),
            &["check", "--baseline", "known.toml"],
        ),
    ] {
        let desk = Desk::new().with(name, &text);
        let ran = desk.run_limited(MAX_SECONDS, None, arguments).unwrap();
        let first = text.lines().next().unwrap_or_default();
        assert_eq!(ran.code, 2, "{name} of {first}");
        let shown = ran.stderr.matches("\n  ┌─ ").count() + ran.stderr.matches("\n   ┌─ ").count();
        assert_eq!(shown, 20, "{name} of {first}: {}", ran.stderr);
        let reported = format!("{name}: 30,000 mistakes in the ");
        assert!(
            ran.stderr.contains("and 29,980 more"),
            "{name} of {first}: {}",
            ran.stderr
        );
        assert!(
            ran.stderr.contains(&reported),
            "{name} of {first}: {}",
            ran.stderr
        );
    }
}

#[test]
fn the_complete_entries_of_a_truncated_har_are_checked() {
    let entry = r#"{"request":{"method":"POST","url":"https://h/rest/api/v1/chat","postData":{"text":"{\"citations\":1}"}}}"#;
    let har = format!(
        "{{\"log\":{{\"version\":\"1.2\",\"entries\":[\n{entry},\n{entry},\n{{\"request\":{{\"meth"
    );
    let desk = Desk::new().with("cut.har", har);
    let texts = [
        "chat-citations",
        "and 1 more like it",
        "cut.har:4:1: ends before it is complete",
        "record it again",
    ];
    fails_only_when_strict(&desk, &["cut.har"], &texts);
}

#[test]
fn a_broken_line_does_not_hide_the_others() {
    let desk = Desk::new().with(
        "log.ndjson",
        format!("{USE}\n{{\"method\":\"POST\",\"url\":nope}}\n{USE}\n"),
    );
    let texts = [
        "log.ndjson:1:63",
        "and 1 more like it",
        "log.ndjson:2:24: not valid JSON: expected a value",
        "fix it at the given position",
    ];
    fails_only_when_strict(&desk, &["log.ndjson"], &texts);
}

#[test]
fn a_broken_entry_does_not_hide_the_others() {
    let entry = r#"{"request":{"method":"POST","url":"/rest/api/v1/chat","postData":{"text":"{\"citations\":1}"}}}"#;
    let desk = Desk::new().with(
        "x.har",
        format!("{{\"log\":{{\"entries\":[\n{{\"a\":01}},\n{entry}]}}}}"),
    );
    fails_only_when_strict(
        &desk,
        &["x.har"],
        &[
            "x.har:2:7: not valid JSON: a malformed number",
            "chat-citations",
        ],
    );
}

#[test]
fn invalid_utf8_is_reported_with_its_location() {
    let mut line = USE.as_bytes().to_vec();
    line.insert(12, 0xFF);
    let mut text = line.clone();
    text.extend_from_slice(format!("\n{USE}\n").as_bytes());
    let desk = Desk::new()
        .with("log.ndjson", text)
        .with("chat.request.json", b"{\"a\":\"\xC3\x28\",\"citations\":1}");
    // Around the bodies of a log, such a byte is one that a client sent, and hides nothing.
    assert_output_contains(
        &desk.run(&["check", "log.ndjson"]),
        &["and 1 more like it", "2 records"],
    );
    fails_only_when_strict(
        &desk,
        &["chat.request.json"],
        &["chat.request.json:1:7: not UTF-8", "iconv -t UTF-8"],
    );
    let utf16: Vec<u8> = "\u{feff}{}"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let desk = Desk::new().with("windows.json", utf16);
    fails_the_run(
        &desk,
        "windows.json",
        &["windows.json: not UTF-8: it is UTF-16"],
    );
}

#[test]
fn a_deeply_nested_body_is_checked_or_reported() {
    let deep = |levels: usize| {
        format!(
            "{}{{\"citations\":1}}{}",
            "[".repeat(levels),
            "]".repeat(levels)
        )
    };
    let desk = Desk::new().with("chat.request.json", deep(200_000));
    assert_output_contains(
        &desk.run(&["check", "chat.request.json"]),
        &["chat-citations", "chat.request.json:1:200002"],
    );
    let texts = [
        "chat.request.json:1:1001: nested too deeply: the limit is 1000 levels",
        "--max-depth",
    ];
    fails_only_when_strict(&desk, &["chat.request.json", "--max-depth", "1000"], &texts);
}

#[test]
fn an_empty_file_is_reported() {
    let desk = Desk::new()
        .with("empty.har", "")
        .with("blank.json", " \n")
        .with("sub/notes.txt", "");
    fails_the_run(&desk, "empty.har", &["empty.har: empty", "record it again"]);
    fails_the_run(&desk, "blank.json", &["blank.json: empty"]);
    let ran = desk.run(&["check", "."]);
    let texts = [
        "empty.har: empty",
        "not in a format that sundown reads (sub/notes.txt)",
        "Nothing was checked in .: the exit code is 2",
    ];
    assert_output_contains(&ran, &texts);
    assert_eq!(ran.code, 2);
    let read = desk.with("read.ndjson", "{\"method\":\"GET\",\"url\":\"/a\"}\n");
    fails_only_when_strict(&read, &["."], &texts[..2]);
}

#[test]
fn a_folder_with_nothing_to_check_is_reported() {
    let desk = Desk::new()
        .with("sub/readme.md", "# hello")
        .with("sub/node_modules/x.json", "{}");
    let texts = [
        "sub: holds nothing that could be checked",
        "name captures",
        "a folder that belongs to another tool",
        "Nothing was checked in sub: the exit code is 2",
    ];
    let ran = desk.run(&["check", "sub"]);
    assert_output_contains(&ran, &texts);
    assert_eq!(ran.code, 2);
}

#[test]
fn a_body_without_an_operation_is_counted_and_the_help_says_how_to_name_it() {
    let desk = Desk::new().with("body.json", r#"{"citations":1}"#);
    let ran = desk.run(&["check", "body.json"]);
    assert_output_contains(
        &ran,
        &[
            "1 × a JSON body with no known operation (body.json:1:1)",
            "--operation 'POST /path' --side request",
        ],
    );
    fails_the_run(
        &desk,
        "body.json",
        &["body.json: holds nothing that could be checked: it was read as `json`"],
    );
    let named = desk.run(&[
        "check",
        "body.json",
        "--operation",
        "chat",
        "--side",
        "request",
    ]);
    assert_output_contains(&named, &["chat-citations"]);
    assert_eq!(named.code, 1);
}

#[test]
fn a_named_file_in_an_unknown_format_is_reported_and_one_found_in_a_folder_is_passed_over() {
    let desk = Desk::new()
        .with("d/notes.txt", "hello")
        .with("d/app.ndjson", USE);
    fails_the_run(
        &desk,
        "d/notes.txt",
        &["d/notes.txt: in an unknown format", "--input-format"],
    );
    let ran = desk.run(&["check", "d", "--strict"]);
    assert_output_contains(
        &ran,
        &["1 × not in a format that sundown reads (d/notes.txt)"],
    );
    assert_eq!(ran.code, 1, "what is unrelated is no failure");
}

#[test]
fn broken_json_is_reported_with_its_location_even_without_an_operation() {
    let desk = Desk::new().with("x.json", "{\n  \"a\": 1,\n}");
    fails_the_run(
        &desk,
        "x.json",
        &["x.json:3:1: not valid JSON: expected a key in quotes"],
    );
}

#[test]
fn bodies_that_cannot_be_decoded_are_reported() {
    let har = r#"{"log":{"entries":[{"request":{"method":"POST","url":"/rest/api/v1/chat","postData":{"text":"{}"}},
        "response":{"content":{"mimeType":"application/json","encoding":"base64","text":"$$$"}}}]}}"#;
    let desk = Desk::new()
        .with("x.har", har)
        .with("y.gz", [0x1F, 0x8B, 8, 0]);
    fails_only_when_strict(
        &desk,
        &["x.har"],
        &["x.har:2:89: in an encoding that could not be decoded: not base64"],
    );
    fails_the_run(
        &desk,
        "y.gz",
        &["y.gz: ends before it is complete: the gzip data ends before it is complete"],
    );
}

#[test]
fn a_body_truncated_by_the_recorder_is_reported_and_its_beginning_checked() {
    let har = r#"{"log":{"entries":[{"request":{"method":"POST","url":"/rest/api/v1/getchat"},"response":{"content":
        {"size":900,"text":"{\"chatResult\":{\"chat\":{\"messages\":[{\"citations\":[{\"a\":"}}}]}}"#;
    let desk = Desk::new().with("x.har", har);
    let texts = [
        "chat-citations",
        "ends before it is complete: the capture holds only its beginning",
    ];
    fails_only_when_strict(&desk, &["x.har"], &texts);
}

#[test]
fn pages_and_pictures_on_a_covered_operation_are_not_failures() {
    let har = r#"{"log":{"entries":[{"request":{"method":"POST","url":"/rest/api/v1/chat"},"response":{"content":
        {"mimeType":"text/html","text":"\n<html>\n{ not json"}}}]}}"#;
    let ran = Desk::new()
        .with("x.har", har)
        .run(&["check", "x.har", "--strict"]);
    assert_output_contains(&ran, &["1 × a body that is not JSON (x.har:2:"]);
    assert_eq!(ran.code, 0);
}

#[test]
fn a_broken_value_in_a_streamed_body_does_not_hide_the_others() {
    let desk = Desk::new()
        .with(
            "chat.response.json",
            "{\"citations\":1}\n{\"citations\":}\n{\"citations\":3}\n",
        )
        .with(
            "chat/response.json",
            "data: {\"citations\":1}\n\ndata: ping\n\ndata: {\"citations\":2}\n\ndata: [DONE]\n",
        );
    let texts = [
        "and 1 more like it",
        "chat.response.json:2:14: not valid JSON",
    ];
    fails_only_when_strict(&desk, &["chat.response.json"], &texts);
    let stream = desk.run(&[
        "check",
        "chat/response.json",
        "--operation",
        "chat",
        "--side",
        "response",
    ]);
    assert_output_contains(
        &stream,
        &[
            "chat/response.json:1:8",
            "and 1 more like it",
            "1 × a body that is not JSON (chat/response.json:3:7)",
        ],
    );
}

#[test]
fn a_missing_path_fails_the_run_when_a_folder_is_named_too() {
    let desk = Desk::new().with("d/app.ndjson", USE);
    for paths in [["d", "d/missing.json"], [".", "missing.json"]] {
        let ran = desk.run(&["check", paths[0], paths[1], "--fail-on", "never"]);
        assert_output_contains(&ran, &["missing.json: cannot be read"]);
        assert_eq!(ran.code, 2);
    }
}

#[test]
fn a_file_reached_twice_is_checked_once() {
    let desk = Desk::new().with("d/app.ndjson", USE);
    assert_output_contains(
        &desk.run(&["check", "d", "d/app.ndjson", "./d/../d/app.ndjson"]),
        &["1 error, 0 warnings, 0 notes in 1 file"],
    );
}

#[test]
fn exchanges_without_bodies_are_reported() {
    let line = r#"{"method":"POST","url":"/rest/api/v1/chat","status":200}"#;
    let ran = Desk::new()
        .with("access.ndjson", line)
        .run(&["check", "access.ndjson", "--strict"]);
    assert_output_contains(
        &ran,
        &[
            "1 × an exchange without bodies",
            "configure the recorder or logger to keep them",
        ],
    );
    assert_eq!(ran.code, 0, "there may have been none");
}

#[test]
fn an_event_stream_is_checked_even_if_its_first_event_is_not_json() {
    let desk = Desk::new().with(
        "chat.response.json",
        "data: start\n\ndata: {\"citations\":1}\n\n",
    );
    assert_output_contains(
        &desk.run(&["check", "chat.response.json"]),
        &["chat.response.json:3:8", "1 × a body that is not JSON"],
    );
}

#[test]
fn a_broken_json_body_declared_as_text_is_a_failure() {
    let har = |body: &str| {
        format!(
            "{{\"log\":{{\"entries\":[{{\"request\":{{\"method\":\"POST\",\"url\":\"/rest/api/v1/chat\",\"postData\":{{\"mimeType\":\"text/plain;charset=UTF-8\",\"text\":\"{body}\"}}}}}}]}}}}"
        )
    };
    let desk = Desk::new()
        .with("x.har", har("{\\\"citations\\\":[1,"))
        .with("y.har", har("hello"));
    fails_only_when_strict(
        &desk,
        &["x.har"],
        &["chat-citations", "ends before it is complete"],
    );
    assert_eq!(desk.run(&["check", "y.har", "--strict"]).code, 0);
}

#[test]
fn parts_of_a_broken_document_are_not_checked_as_bodies() {
    for body in [
        "{\"note\": nope, \"results\": [\n{\"trackingToken\":\"x\"}\n]}",
        "{\"note\": \"multi\n{\"trackingToken\":\"x\"}\nend\"}",
        "[{\"x\": nope},\n{\"trackingToken\":1},\n{\"trackingToken\":2}]",
    ] {
        let ran = Desk::new().with("getanswer.response.json", body).run(&[
            "check",
            "getanswer.response.json",
            "--strict",
        ]);
        assert_output_contains(
            &ran,
            &[
                "0 errors, 0 warnings",
                "getanswer.response.json:1:",
                "not valid JSON",
            ],
        );
    }
}

#[test]
fn a_line_without_its_closing_bracket_does_not_hide_the_others() {
    let desk = Desk::new().with(
        "chat.response.json",
        "{\"citations\":1\n{\"citations\":2}\n{\"citations\":3}\n",
    );
    fails_only_when_strict(
        &desk,
        &["chat.response.json"],
        &[
            "chat.response.json:2:2",
            "and 1 more like it",
            "not valid JSON",
        ],
    );
}

#[test]
fn a_picture_is_not_a_failure() {
    let har = r#"{"log":{"entries":[{"request":{"method":"POST","url":"/rest/api/v1/chat"},"response":{"content":
        {"mimeType":"image/png","encoding":"base64","text":"iVBORw0KGgo="}}}]}}"#;
    let ran = Desk::new()
        .with("x.har", har)
        .run(&["check", "x.har", "--strict"]);
    assert_output_contains(&ran, &["1 × a body that is not JSON (x.har:2:"]);
    assert_eq!(ran.code, 0);
}

#[test]
fn lists_of_exchanges_are_read_element_by_element() {
    let text = format!("[null,\n{USE},\n{{\"method\":nope}},\n{USE},\n{{\"method\":\"PO");
    let texts = [
        "list.json:2:63",
        "and 1 more like it",
        "list.json:3:11: not valid JSON",
        "list.json:5:1: ends before",
    ];
    fails_only_when_strict(&Desk::new().with("list.json", text), &["list.json"], &texts);
    let pretty = USE.replace(',', ",\n  ");
    let desk = Desk::new().with("log.json", format!("{pretty}\n{pretty}\n"));
    assert_output_contains(
        &desk.run(&["check", "log.json"]),
        &["and 1 more like it", "2 records"],
    );
}

#[test]
fn a_fault_in_a_list_of_calls_hides_no_other_call() {
    let unclosed = USE.strip_suffix('}').unwrap();
    for (text, records) in [
        (format!("[{USE},\n{unclosed},\n{USE},\n{USE}]"), 3),
        (format!("{USE} {unclosed} {USE} {USE}"), 3),
        (format!("[{USE},,{USE}]"), 2),
        (format!("[{USE}, {USE}] trailing"), 2),
    ] {
        let ran = Desk::new()
            .with("list.json", &text)
            .run(&["check", "list.json"]);
        let found = format!("({records} records, {} bytes)", text.len());
        assert_output_contains(&ran, &[&found, "not valid JSON"]);
    }
}

#[test]
fn findings_beyond_the_limit_are_reported_as_left_out() {
    let (levels, uses) = (1_900, 30_000);
    let uses: Vec<_> = (0..uses)
        .map(|at| format!("\"{at}\":{{\"citations\":0}}"))
        .collect();
    let (open, close) = ("{\"x\":".repeat(levels), "}".repeat(levels));
    let body = format!("{open}{{{}}}{close}", uses.join(","));
    let desk = Desk::new().with("chat.request.json", body);
    let ran = desk.run(&[
        "check",
        "chat.request.json",
        "--format",
        "ndjson",
        "--strict",
    ]);
    assert_output_contains(
        &ran,
        &["\"reason\":\"too-many\"", "check the file in parts"],
    );
    assert_eq!(ran.code, 2);
}

#[test]
fn deeply_nested_lists_are_searched_for_exchanges_safely() {
    let deep = "[".repeat(500_000) + &"]".repeat(500_000);
    let desk = Desk::new().with("d.ndjson", format!("{deep}\n{USE}\n"));
    assert_output_contains(
        &desk.run(&["check", "d.ndjson"]),
        &["chat-citations", "1 × a record without"],
    );
}

#[test]
fn a_media_type_is_a_header_value_and_is_not_printed() {
    let har = r#"{"log":{"entries":[{"request":{"method":"POST","url":"/rest/api/v1/chat","postData":{"mimeType":"secret/type","text":"hello"}}}]}}"#;
    let ran = Desk::new()
        .with("x.har", har)
        .run(&["check", "x.har", "--format", "json"]);
    assert_output_contains(&ran, &["not-json"]);
    assert!(!ran.stdout.contains("secret"), "{}", ran.stdout);
}

#[test]
fn a_recorded_size_larger_than_the_body_means_truncation() {
    let har = r#"{"log":{"entries":[{"request":{"method":"POST","url":"/rest/api/v1/chat"},"response":{"content":
        {"size":900,"text":"{\"messages\":[]}"}}}]}}"#;
    let desk = Desk::new()
        .with("x.har", har)
        .with("y.har", har.replace(":900", ":18"));
    fails_only_when_strict(
        &desk,
        &["x.har"],
        &["ends before it is complete: the capture holds only its beginning"],
    );
    assert_eq!(desk.run(&["check", "y.har", "--strict"]).code, 0);
}

#[cfg(unix)]
#[test]
fn files_that_are_not_regular_are_skipped_and_reported() {
    let desk = Desk::new().with("d/app.ndjson", USE);
    std::os::unix::fs::symlink(desk.path("d/app.ndjson"), desk.path("d/link.ndjson")).unwrap();
    std::os::unix::fs::symlink(desk.path("d"), desk.path("d/loop")).unwrap();
    let ran = desk.run(&["check", "d"]);
    assert_output_contains(
        &ran,
        &[
            "2 × a symbolic link (d/link.ndjson and 1 more file)",
            "1 record",
        ],
    );
    let named = desk.run(&["check", "d/link.ndjson"]);
    assert_output_contains(&named, &["chat-citations"]);
}

#[test]
fn no_line_of_an_error_is_a_workflow_command() {
    for length in 50..90 {
        let text = format!("baseline = \"{} ::stop-commands::x\"\n", "a".repeat(length));
        let ran = Desk::new().with("sundown.toml", text).run(&["check", "."]);
        assert_eq!(ran.code, 2);
        let commands = ran
            .stderr
            .lines()
            .filter(|line| line.trim_start().starts_with("::"));
        assert_eq!(commands.count(), 0, "{}", ran.stderr);
    }
}

#[test]
fn an_error_shows_no_content_of_an_unexpected_file() {
    let desk = Desk::new()
        .with("body.json", "{\"password\":\"hunter2-secret\"}\n")
        .with("env", "DB_PASSWORD=hunter2-secret\n")
        .with("a.json", "{}");
    for arguments in [
        ["check", "a.json", "--baseline", "body.json"],
        ["check", "a.json", "--config", "env"],
        ["check", "a.json", "--rules", "env"],
    ] {
        let ran = desk.run(&arguments);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(":1:1"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("hunter2"), "{}", ran.stderr);
    }
}

#[test]
fn a_file_that_is_not_in_the_named_format_is_reported() {
    for text in [
        "0",
        "{}",
        "[]",
        "[1]",
        "{\"a\":1}",
        "\"x\"",
        "a: 1",
        "hello",
        " \n",
        "<a/>",
    ] {
        let desk = Desk::new().with("one", text);
        for format in input_formats() {
            let ran = desk.run(&["check", "one", "--input-format", format]);
            let is_told =
                ran.stdout.contains("Could not be checked:") || ran.stdout.contains("Not checked:");
            assert!(is_told, "{format} {text:?}: {}", ran.stdout);
        }
    }
    // In blocks, too; many files of a folder are something else.
    let call = "{\"method\":\"GET\",\"url\":\"/nothing\",\"status\":200}\n";
    let desk = Desk::new().with("folder/blank.txt", "\n".repeat(3 << 20));
    let desk = desk.with("folder/calls.ndjson", call);
    for (path, code) in [("folder/blank.txt", 2), ("folder", 0)] {
        let ran = desk.run(&["check", path, "--input-format", "ndjson", "--strict"]);
        assert_eq!(ran.code, code, "{path}: {}", ran.stdout);
    }
}

#[test]
fn a_named_file_without_a_record_fails_the_run_and_says_how_it_was_read() {
    for (name, text, read) in [
        (
            "deploy.sh",
            "#!/bin/sh\nbash -c \"echo curl\"\n",
            "it was read as `curl`",
        ),
        ("list.json", "[]", "it was read as `json`"),
        (
            "app.ndjson",
            "{\"at\":1}\n{\"at\":2}\n",
            "it was read as `ndjson`",
        ),
    ] {
        let desk = Desk::new().with(name, text).with("good/app.ndjson", USE);
        fails_the_run(
            &desk,
            name,
            &[&format!(
                "{name}: holds nothing that could be checked: {read}"
            )],
        );
        let beside = desk.run(&["check", "good", name]);
        assert_output_contains(&beside, &["chat-citations"]);
        assert_eq!(
            beside.code, 2,
            "2 takes precedence over 1: {}",
            beside.stdout
        );
        // In a folder, such files are usual.
        assert_eq!(desk.run(&["check", "."]).code, 1);
    }
}

#[test]
fn a_log_table_that_fits_no_record_is_reported() {
    let table = "[[log]]\nfiles = '*.ndjson'\nmethod = '/verb'\nurl = '/nope'\n";
    let line = r#"{"verb":"POST","where":"/rest/api/v1/chat","sent":{"citations":[]}}"#;
    let desk = Desk::new()
        .with("sundown.toml", table)
        .with("app.ndjson", line)
        .with("x.json", USE);
    let texts = [
        "app.ndjson: holds nothing",
        "no record fits the `[[log]]` tables",
        "citations",
    ];
    fails_only_when_strict(&desk, &["."], &texts);
}

#[test]
fn a_file_named_like_several_operations_is_reported_with_all_of_them() {
    let rules = "api = 'Shop'\n[[rule]]\nid = 'get'\noperation = 'GET /orders'\nfield = 'old'\nat = ['$.old']\nremoval = 2027-01-01\n[[rule]]\nid = 'post'\noperation = 'POST /orders'\nfield = 'old'\nat = ['$.old']\nremoval = 2027-01-01\n";
    let desk = Desk::new()
        .with("shop.toml", rules)
        .with("orders.request.json", r#"{"old":1}"#);
    let ran = desk.run(&["check", "orders.request.json", "--rules", "shop.toml"]);
    let texts = [
        "the name of the file is that of several operations: `GET /orders`, `POST /orders`",
        "name it with --operation",
    ];
    assert_output_contains(&ran, &texts);
    assert_eq!(ran.code, 2);
}
