//! Access logs and structured logs: the calls of the other captures in the log of every server, without what logs leave
//! out; lines that are broken, cut or hostile.

use base64::Engine as _;
use serde_json::{Value, json};

use crate::support::{Desk, report_formats, repository, sources};

fn log_format(format: &str) -> String {
    format!("[[log]]\nlog-format = '''{format}'''\n")
}

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
            let config = format!(
                "[[api]]\napi = \"Client API\"\nhosts = [\"{host}\", \"{host}:8443\", \"{host}:9443\"]\n"
            );
            let desk = Desk::new()
                .with("sundown.toml", config)
                .with("a.ndjson", &bytes);
            let ran = desk.run(&["check", "a.ndjson", "--format", "ndjson", "--no-fold"]);
            assert_eq!(
                ran.stdout.contains("listanswers-endpoint"),
                is_met,
                "{name}: {}",
                ran.stdout
            );
        }
    }
}

#[test]
fn the_virtual_host_at_the_start_of_a_line_is_matched() {
    let line = |host: &str| {
        format!(
            "{host} 127.0.0.1 - - [19/Nov/2026:09:12:44 +0100] \"POST /rest/api/v1/listanswers HTTP/1.1\" 200 5\n"
        )
    };
    let config = "[[api]]\napi = \"Client API\"\nhosts = [\"api.test\"]\n";
    for (host, count) in [("api.test", 2), ("api.test:443", 2), ("other.test", 0)] {
        let desk = Desk::new()
            .with("sundown.toml", config)
            .with("a.log", line(host).repeat(2));
        let ran = desk.run(&["check", "a.log", "--format", "ndjson", "--no-fold"]);
        assert_eq!(
            ran.stdout.matches("listanswers-endpoint").count(),
            count,
            "{host}: {}",
            ran.stdout
        );
    }
}

#[test]
fn values_of_lines_are_never_shown() {
    let line = "127.0.0.1 - secret-user [19/Nov/2026:09:12:44 +0100] \"POST /rest/api/v1/listanswers?token=secret-query HTTP/1.1\" 200 5 \"secret-page\" \"secret-agent\"\n\
        127.0.0.1 - - [19/Nov/2026:09:12:44 +0100] \"secret-greeting\" 400 0 \"-\" \"-\"\n";
    for format in report_formats() {
        let desk = Desk::new().with("access.log", line);
        let ran = desk.run(&["check", "access.log", "--format", format, "-v"]);
        assert!(
            ran.stdout.contains("listanswers"),
            "{format}: {}",
            ran.stdout
        );
        assert!(
            !ran.stdout.contains("secret") && !ran.stderr.contains("secret"),
            "{format}"
        );
    }
}

#[test]
fn a_log_in_a_custom_order_is_recognised_by_its_log_format_or_its_name() {
    let named = format!("{}files = \"*.log\"\n", log_format("<$host> $request"));
    let line = "<h.test> GET /v1/old HTTP/1.1\n";
    let table = "[[rule]]\nid = \"old\"\noperation = \"GET /v1/old\"\n";
    for (name, config, count) in [
        ("a.log", &*named, 1),
        ("a.txt", &*named, 0),
        ("a.txt", &*log_format("<$host> $request"), 1),
        ("a.txt", "", 0),
    ] {
        let desk = Desk::new()
            .with("t.toml", format!("api = \"T\"\n{table}"))
            .with("sundown.toml", config)
            .with(name, line);
        let ran = desk.run(&["check", name, "--rules", "t.toml", "--format", "ndjson"]);
        assert_eq!(
            ran.stdout.matches("\"rule\":\"old\"").count(),
            count,
            "{name}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
}

#[test]
fn a_line_that_does_not_fit_the_format_fails_and_one_without_a_request_does_not() {
    let format = "$http_x_forwarded_for $request_method $request_uri $status";
    let of_file = format!("{}files = \"x.log\"\n", log_format(format));
    let fits = "1.1.1.1 POST /rest/api/v1/getanswer 200\n";
    let call = "1.1.1.1, 2.2.2.2 POST /rest/api/v1/listanswers 200\n";
    for (config, line, reason) in [
        (&of_file, call, "log-format-mismatch"),
        (&of_file, "1.1.1.1, 2.2.2.2 POST\n", "log-format-mismatch"),
        (&of_file, "1.1.1.1 - - 400\n", "no-request"),
        (&of_file, "1.1.1.1   400\n", "no-request"),
        (&of_file, "1.1.1.1 - \\x16\\x03 400\n", "no-request"),
        (&of_file, "1.1.1.1 OPTIONS * 200\n", "no-request"),
        (&of_file, "1.1.1.1 CONNECT h.test:443 400\n", "no-request"),
        (&log_format(format), call, "log-format-mismatch"),
    ] {
        for text in [format!("{fits}{line}"), format!("{line}{fits}{line}")] {
            let desk = Desk::new()
                .with("sundown.toml", config)
                .with("x.log", &text);
            let ran = desk.run(&["check", "x.log", "--strict", "--format", "ndjson"]);
            assert!(
                ran.stdout.contains(&format!("\"{reason}\"")),
                "{line}{}",
                ran.stdout
            );
            let reasons = ["log-format-mismatch", "no-request", "no-exchange"];
            let reported = reasons
                .iter()
                .filter(|it| ran.stdout.contains(&format!("\"{it}\"")));
            assert_eq!(reported.count(), 1, "{line}{}", ran.stdout);
        }
    }
    let desk = Desk::new()
        .with("sundown.toml", &of_file)
        .with("x.log", call);
    let ran = desk.run(&["check", "x.log", "--strict"]);
    assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("log-format"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn a_log_line_in_code_or_prose_does_not_make_the_file_a_log() {
    let line = "1.1.1.1 - - [19/Nov/2026:09:12:44 +0100] \"POST /rest/api/v1/listanswers HTTP/1.1\" 200 0 \"-\" \"-\"\n";
    let code = format!("import re\n\nLINE = '''\n{line}'''\nprint(LINE)\n");
    let prose = format!("# Logs\n\nThey look so:\n\n{line}\nAnd so on.\n");
    let log = format!("starting up\n{line}2026-11-19 09:12:44 reloading\n");
    let own = log_format("$remote_addr $request_method $request_uri $status");
    let said = format!(
        "Some prose\nand more\nof it\n{}",
        "1.1.1.1 POST /rest/api/v1/listanswers 200\n"
    );
    let of_files = format!("{own}files = \"x/a.*\"\n");
    for (name, config, text, is_log) in [
        ("a.py", "", &code, false),
        ("a.md", "", &prose, false),
        ("a.log", "", &log, true),
        ("a.md", &*own, &said, false),
        ("a.md", &*of_files, &said, true),
    ] {
        let desk = Desk::new()
            .with("sundown.toml", config)
            .with(&format!("x/{name}"), text);
        let ran = desk.run(&["check", "x", "--format", "ndjson"]);
        let is_found =
            ran.stdout.contains("\"type\":\"finding\"") || ran.stdout.contains("\"rule\"");
        assert_eq!(
            is_found, is_log,
            "{name}: {text}{}{}",
            ran.stdout, ran.stderr
        );
    }
    let desk = Desk::new().with("a.py", &code);
    let ran = desk.run(&[
        "check",
        "a.py",
        "--input-format",
        "access-log",
        "--format",
        "ndjson",
    ]);
    assert!(
        ran.stdout.contains("\"rule\""),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

/// The uses in the bodies of records, as side and pointer, the text at each, and the reasons for not checking.
fn check_records(text: &str) -> (Vec<String>, Vec<String>) {
    let desk = Desk::new().with("a.ndjson", text);
    let ran = desk.run(&["check", "a.ndjson", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let uses = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|found| {
            let (start, end) = (&found["span"]["start"], &found["span"]["end"]);
            let span =
                |offset: &serde_json::Value| usize::try_from(offset.as_u64().unwrap()).unwrap();
            let written = &text[span(start)..span(end)];
            let seen = span(&found["seen"]);
            std::iter::repeat_n(
                format!("{} {}", found["side"].as_str().unwrap(), written),
                seen,
            )
        });
    let skipped = report["skipped"].as_array().unwrap().iter();
    let reasons = skipped.map(|skip| skip["reason"].as_str().unwrap().to_owned());
    (uses.collect(), reasons.collect())
}

#[test]
fn envelopes_are_read_as_people_write_them() {
    let sent = r#"{"messages":[{"citations":[]}]}"#;
    let digits = base64::engine::general_purpose::STANDARD.encode(sent);
    let record =
        format!(r#"{{"method":"POST","url":"/rest/api/v1/chat","request":{{"body":{sent}}}}}"#);
    let text = serde_json::to_string(&record).unwrap();
    let twice = serde_json::to_string(sent).unwrap();
    let inner =
        format!(r#"{{"method":"POST","url":"/rest/api/v1/chat","request":{{"body":{twice}}}}}"#);
    let inner = serde_json::to_string(&inner).unwrap();
    for (record, expected) in [
        (
            format!(r#"{{":method":"POST",":path":"/rest/api/v1/chat","body":{sent}}}"#),
            "request \"citations\"",
        ),
        (
            format!(
                r#"{{"request":{{"headers":[{{"name":":method","value":"POST"}},{{"name":":path","value":"/rest/api/v1/chat"}}],"body":{sent}}}}}"#
            ),
            "request \"citations\"",
        ),
        (
            format!(r#"{{"verb":"POST","endpoint":"/rest/api/v1/chat","payload":{sent}}}"#),
            "request \"citations\"",
        ),
        (
            format!(r#"{{"Method":"POST","Path":"/rest/api/v1/chat","RequestBody":{sent}}}"#),
            "request \"citations\"",
        ),
        (
            format!(r#"{{"method":"POST","path":"/rest/api/v1/chat","reqBody":{sent}}}"#),
            "request \"citations\"",
        ),
        (
            format!(r#"{{"method":"POST","path":"/rest/api/v1/chat","Response_Body":{sent}}}"#),
            "response \"citations\"",
        ),
        (
            format!(r#"{{"log":{text},"stream":"stdout","time":"2026-11-19T08:12:44Z"}}"#),
            r#"request \"citations\""#,
        ),
        (
            format!(r#"{{"log":{inner},"stream":"stdout"}}"#),
            r#"request \\\"citations\\\""#,
        ),
        (
            format!(
                r#"{{"method":"POST","path":"/rest/api/v1/chat","request":{{"body":"{digits}","isBase64Encoded":true}}}}"#
            ),
            &*format!("request \"{digits}\""),
        ),
        (
            format!(
                r#"{{"method":"POST","path":"/rest/api/v1/chat","body":"{digits}","encoding":"base64"}}"#
            ),
            &*format!("request \"{digits}\""),
        ),
    ] {
        for count in [1, 3] {
            let (uses, reasons) = check_records(&format!("{record}\n").repeat(count));
            assert_eq!(uses, vec![expected.to_owned(); count], "{record}");
            assert!(reasons.is_empty(), "{record}: {reasons:?}");
        }
    }
}

#[test]
fn the_calls_of_batches_and_recordings_are_read() {
    let sent = r#"{"messages":[{"citations":[]}]}"#;
    for (record, expected) in [
        (
            format!(
                r#"{{"method":"POST","url":"https://h/$batch","request":{{"body":{{"requests":[{{"id":"1","method":"POST","url":"/rest/api/v1/chat","body":{sent}}}]}}}}}}"#
            ),
            "request \"citations\"",
        ),
        (
            format!(
                r#"{{"Entries":[{{"RequestUri":"https://h/rest/api/v1/chat","RequestMethod":"POST","RequestBody":{sent},"StatusCode":200}}]}}"#
            ),
            "request \"citations\"",
        ),
    ] {
        assert_eq!(
            check_records(&format!("{record}\n{record}\n")),
            (vec![expected.to_owned(); 2], vec![])
        );
    }
}

#[test]
fn members_that_occur_twice_are_all_read() {
    let (old, new) = (r#"{"messages":[{"citations":[]}]}"#, r#"{"messages":[]}"#);
    let url = "/rest/api/v1/chat";
    for record in [
        format!(r#"{{"method":"POST","url":"{url}","request":{{"body":{old},"body":{new}}}}}"#),
        format!(r#"{{"method":"POST","url":"{url}","request":{{"body":{new},"body":{old}}}}}"#),
        format!(
            r#"{{"method":"POST","url":"{url}","request":{{"body":{new}}},"request":{{"body":{old}}}}}"#
        ),
        format!(r#"{{"method":"GET","url":"{url}","body":{old},"method":"POST"}}"#),
        format!(r#"{{"method":"POST","url":"/x","body":{old},"url":"{url}"}}"#),
        format!(r#"{{"method":"POST","url":"{url}","body":{old},"url":"{url}"}}"#),
    ] {
        let (uses, _) = check_records(&format!("{record}\n{record}\n"));
        assert!(
            !uses.is_empty() && uses.len().is_multiple_of(2),
            "{record}: {uses:?}"
        );
    }
}

#[test]
fn a_member_that_may_be_a_body_is_named() {
    let body = r#"{"messages":[{"citations":[]}]}"#;
    for name in ["data", "json", "body_text", "bodyJson", "input", "rawBody"] {
        let record = format!(r#"{{"method":"POST","url":"/rest/api/v1/chat","{name}":{body}}}"#);
        let (uses, reasons) = check_records(&format!("{record}\n{record}\n"));
        assert_eq!(
            (uses.len(), reasons),
            (0, vec!["unread-body".to_owned()]),
            "{name}"
        );
        let desk = Desk::new().with("a.ndjson", format!("{record}\n{record}\n"));
        let ran = desk.run(&["check", "a.ndjson", "--strict"]);
        assert_eq!(ran.code, 2, "{}", ran.stdout);
        assert!(ran.stdout.contains(&format!("`{name}`")), "{}", ran.stdout);
        let config =
            format!("[[log]]\nmethod = \"/method\"\nurl = \"/url\"\nrequest-body = \"/{name}\"\n");
        let desk = Desk::new()
            .with("a.ndjson", format!("{record}\n{record}\n"))
            .with("sundown.toml", config);
        assert!(
            desk.run(&["check", "a.ndjson"])
                .stdout
                .contains("citations"),
            "{name}"
        );
    }
    // Neither sizes nor text are bodies.
    for member in [
        r#""body_bytes_sent": 7"#,
        r#""data": "text""#,
        r#""data": {}"#,
        r#""body_size": "9""#,
    ] {
        let record = format!(r#"{{"method":"POST","url":"/rest/api/v1/chat",{member}}}"#);
        assert_eq!(
            check_records(&format!("{record}\n")).1,
            ["no-body"],
            "{member}"
        );
    }
}

#[test]
fn a_table_is_proposed_for_an_unknown_layout_and_makes_it_read() {
    let body = r#"{"messages":[{"citations":[]}]}"#;
    let text = serde_json::to_string(body).unwrap();
    let hostile =
        "{\"a\\\"b/c~d\":{\"how\":\"POST\",\"where\":\"/rest/api/v1/chat\"},\"sent\":BODY}";
    for line in [
        format!(
            r#"{{"t":1,"call":{{"how":"POST","where":"https://h/rest/api/v1/chat"}},"sent":{body}}}"#
        ),
        format!(
            r#"{{"@ts":"2026-10-01T10:00:00+02:00","op":{{"verb":"POST","target":"/rest/api/v1/chat"}},"in":{text},"out":{{"code":201,"payload":"{{}}"}}}}"#
        ),
        format!(r#"{{"t":1,"how":"POST","where":"/rest/api/v1/chat","arguments":{text}}}"#),
        format!(
            r#"{{"op":{{"type":"POST","target":"/rest/api/v1/chat"}},"sent":{{"headers":{{}},"content":{body}}},"got":{{"code":200}}}}"#
        ),
        hostile.replace("BODY", body),
    ] {
        for log in [format!("{line}\n{line}\n"), format!("[{line},{line}]")] {
            let desk = Desk::new().with("a.ndjson", &log);
            let ran = desk.run(&["check", "a.ndjson", "--format", "json"]);
            let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
            let skip = &report["skipped"][0];
            assert_eq!(skip["reason"], "unknown-layout", "{log}: {}", ran.stdout);
            let table = skip["detail"].as_str().unwrap().trim_matches('`');
            assert!(!table.contains("rest/api"), "names, never values: {table}");
            let desk = Desk::new()
                .with("a.ndjson", &log)
                .with("sundown.toml", format!("{table}\n"));
            let ran = desk.run(&["check", "a.ndjson", "--format", "json"]);
            let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
            assert_eq!(report["findings"][0]["seen"], 2, "{table}: {}", ran.stdout);
            assert_eq!(
                desk.run(&["check", "a.ndjson", "--strict"]).code,
                1,
                "{table}"
            );
        }
    }
}

#[test]
fn a_proposed_table_has_the_time_the_status_and_both_bodies() {
    let line = r#"{"@ts":"2026-10-01T10:00:00+02:00","op":{"verb":"POST","target":"/v1/orders"},"in":"{}","out":{"code":201,"payload":"{}"}}"#;
    let desk = Desk::new().with("a.ndjson", format!("{line}\n{line}\n"));
    let ran = desk.run(&["usage", "a.ndjson"]);
    let table = r#"log = [{ method = "/op/verb", url = "/op/target", started = "/@ts", status = "/out/code", response-body = "/out/payload", request-body = "/in" }]"#;
    assert!(
        ran.stdout.contains(&format!("\n  {table}\n")),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.code, 2, "nothing was read");
}

#[test]
fn a_response_in_a_record_of_its_own_is_reported() {
    let response = r#"{"origin":"local","type":"response","correlation":"c1","status":200,"headers":{},"body":{"id":1}}"#;
    let other = r#"{"type":"response","status":200,"body":{"id":1}}"#;
    for (text, expected) in [(response, true), (other, false)] {
        let (_, reasons) = check_records(&format!("{text}\n{text}\n"));
        assert_eq!(
            reasons.iter().any(|reason| reason == "lone-response"),
            expected,
            "{text}: {reasons:?}"
        );
    }
}

#[test]
fn no_table_is_proposed_for_what_may_be_anything() {
    for text in [
        r#"{"links":[{"rel":"self","href":"/x","method":"GET"}]}"#,
        r#"{"kind":"POST","href":"/x"}"#,
        "{\"verb\":\"GET\",\"file\":\"/etc/x\"}\n{\"verb\":\"GET\",\"file\":\"/etc/x\"}\n",
        "{\"level\":30,\"msg\":\"POST\"}\n{\"level\":30,\"msg\":\"/x\"}\n",
    ] {
        assert!(
            !check_records(text)
                .1
                .iter()
                .any(|reason| reason == "unknown-layout"),
            "{text}"
        );
    }
}

#[test]
fn an_archive_may_have_the_call_in_pseudo_header_fields() {
    let har = r#"{"log":{"entries":[{"request":{"headers":[{"name":":method","value":"POST"},{"name":":path","value":"/rest/api/v1/chat"}],"postData":{"text":"{\"messages\":[{\"citations\":[]}]}"}},"response":{"status":200}}]}}"#;
    let desk = Desk::new().with("a.har", har);
    let ran = desk.run(&["check", "a.har"]);
    assert!(
        ran.stdout
            .contains("in the request of POST /rest/api/v1/chat at /messages/0/citations"),
        "{}",
        ran.stdout
    );
}

/// What is found in a log with these lines: the reason of each skip and the rule of each finding.
fn found_in(lines: &str) -> Vec<String> {
    let rules = r#"
api = "Shop"
[[rule]]
id = "legacy"
operation = "POST /orders"
field = "legacyId"
[[rule]]
id = "expand"
operation = "GET /orders"
parameter = "expand"
"#;
    let desk = Desk::new()
        .with("rules.toml", rules)
        .with("a.ndjson", lines);
    let args = [
        "check",
        "--no-config",
        "--no-builtin-rules",
        "--rules",
        "rules.toml",
    ];
    let ran = desk.run(&[&args[..], &["a.ndjson", "--format", "ndjson", "--no-fold"]].concat());
    let rows = ran.stdout.lines().map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        text("rule") + &text("reason")
    });
    rows.filter(|row| !row.is_empty() && row != "no-body")
        .collect()
}

#[test]
fn records_after_other_text_are_read() {
    let call = r#"{"method":"POST","url":"/orders","body":{"legacyId":1}}"#;
    let first = r#"{"method":"GET","url":"/health","status":200}"#;
    for before in [
        "web-1  | ",
        "\0\0\0\0",
        "2026-11-20T10:00:00Z INFO ",
        "\u{1b}[32mapi\u{1b}[0m ",
    ] {
        let lines = format!("{first}\n{before}{call}\n");
        assert_eq!(found_in(&lines), ["legacy"], "{lines:?}");
        let lines = format!("{first}\n{before}{call} trailing\n");
        assert_eq!(found_in(&lines), ["legacy"], "{lines:?}");
    }
    for other in [
        "web-1 | started {a: 1}",
        "see {\"url\":\"/orders\"}",
        "} {",
        "web-1 | {\"level\":30}",
    ] {
        assert_eq!(
            found_in(&format!("{first}\n{other}\n")),
            ["no-exchange"],
            "{other}"
        );
    }
    let cut = &call[..call.len() - 4];
    assert_eq!(
        found_in(&format!("{first}\nweb-1 | {cut}\n{first}\n")),
        ["truncated"]
    );
    let broken = call.replace("1}", "nope}");
    assert_eq!(
        found_in(&format!("{first}\nweb-1 | {broken}\n")),
        ["invalid-json"]
    );
}

#[test]
fn lines_of_access_logs_in_records_are_calls() {
    let line =
        r#"192.0.2.7 - - [20/Nov/2026:10:00:00 +0000] \"GET /orders?expand=all HTTP/1.1\" 200 512"#;
    for record in [
        format!(r#"{{"log":"{line}\n","stream":"stdout","time":"2026-11-20T10:00:00Z"}}"#),
        format!(r#"{{"@timestamp":"2026-11-20T10:00:00Z","message":"{line}"}}"#),
    ] {
        assert_eq!(found_in(&record), ["expand"], "{record}");
    }
}

#[test]
fn queries_beside_the_path_are_read_in_every_form() {
    for query in [
        r#""query":"expand=all""#,
        r#""query":"?expand=all&page=2""#,
        r#""query":{"expand":"all"}"#,
        r#""queryStringParameters":{"expand":"all"}"#,
        r#""multiValueQueryStringParameters":{"expand":["all","some"]}"#,
        r#""queryString":[{"name":"expand","value":"all"}]"#,
        r#""query_params":[["expand","all"]]"#,
    ] {
        let record = format!(r#"{{"method":"GET","path":"/orders","status":200,{query}}}"#);
        assert_eq!(found_in(&record), ["expand"], "{record}");
    }
    for other in [
        r#""query":"query { orders(expand: all) { id } }""#,
        r#""query":{"bool":{"expand":{}}}"#,
        r#""query":null"#,
        r#""query":"""#,
    ] {
        let record = format!(r#"{{"method":"GET","path":"/orders","status":200,{other}}}"#);
        assert_eq!(found_in(&record), [""; 0], "{record}");
    }
}

#[test]
fn bodies_that_recorders_wrap_are_read() {
    for body in [
        r#"{"type":"json","raw":"{\"legacyId\":1}","form":[]}"#,
        r#"{"mimeType":"application/json","text":"{\"legacyId\":1}"}"#,
        r#"{"encoding":"base64","data":"eyJsZWdhY3lJZCI6MX0="}"#,
        r#"["{\"legacyId\":1,","\"qty\":2}"]"#,
    ] {
        let record = format!(r#"{{"method":"POST","url":"/orders","body":{body}}}"#);
        assert_eq!(found_in(&record), ["legacy"], "{record}");
    }
}

#[test]
fn a_streamed_response_is_one_use_and_a_list_is_one_for_each_element() {
    let rules = "api = 'Shop'\n[[rule]]\nid = 'old'\noperation = 'GET /v1/orders'\nfield = 'old'\nat = ['$..old']\n";
    let events = "event: chunk\ndata: {\"old\": 1}\n\ndata: {\"old\": 2}\n\ndata: {\"items\": [{\"old\": 3}, {\"old\": 4}]}\n\ndata: [DONE]\n\n";
    let lines = "{\"old\": 1}\n{\"old\": 2}\n";
    let sequence = "\u{1e}{\"old\": 1}\n\u{1e}{\"old\": 2}\n";
    let list = "{\"items\": [{\"old\": 1},\n{\"old\": 2}]}";
    let report = |response: &str, side: &str, more: &[&str]| {
        let call = json!({"method": "GET", "url": "/v1/orders", side: {"body": response}});
        let desk = Desk::new()
            .with("rules.toml", rules)
            .with("log.ndjson", format!("{call}\n"));
        let arguments = [
            "check",
            "--no-builtin-rules",
            "--rules",
            "rules.toml",
            "log.ndjson",
        ];
        desk.run(&[&arguments[..], more].concat()).stdout
    };
    let seen = |response: &str, side: &str| {
        let report: Value =
            serde_json::from_str(&report(response, side, &["--format", "json"])).unwrap();
        let findings = report["findings"].as_array().unwrap();
        let seen = findings
            .iter()
            .map(|finding| finding["seen"].as_u64().unwrap());
        seen.collect::<Vec<_>>()
    };
    assert_eq!(seen(events, "response"), [1, 2]);
    assert_eq!(seen(lines, "response"), [1]);
    assert_eq!(seen(sequence, "response"), [1]);
    assert_eq!(seen(list, "response"), [2]);
    // Another element of a list is another use, whichever chunk has it.
    let choices = "data: {\"c\": [{\"old\": 1}]}\n\ndata: {\"c\": [{}, {\"old\": 1}]}\n\ndata: {\"c\": [{\"old\": 1}]}\n\n";
    assert_eq!(seen(choices, "response"), [2]);
    // The lines of a request are documents of their own.
    assert_eq!(seen(lines, "request"), [2]);
    // Each is listed.
    for (response, all) in [(events, 4), (lines, 2), (choices, 3)] {
        let listed = report(response, "response", &["--format", "ndjson", "--no-fold"]);
        let listed = listed
            .lines()
            .filter(|line| line.contains("\"type\":\"finding\""));
        assert_eq!(listed.count(), all, "{response}");
    }
}

#[test]
fn callers_in_tables_are_known_by_any_column_and_by_the_user_agent() {
    let row = "POST,/rest/api/v1/listanswers,curl/8.7.1,\"shop, west\"\n";
    let csv = format!("method,url,user_agent,client_id\n{row}");
    let iis = "#Fields: date time cs-method cs-uri-stem cs(User-Agent) sc-status\n\
        2026-11-19 08:12:44 POST /rest/api/v1/listanswers curl/8.7.1+(x) 200\n";
    for (text, by, caller) in [
        (&*csv, "user-agent", "curl/8.7.1"),
        (&*csv, "member:client_id", "shop, west"),
        (iis, "user-agent", "curl/8.7.1"),
    ] {
        let desk = Desk::new().with("calls.txt", text);
        let ran = desk.run(&[
            "usage",
            "calls.txt",
            "--by",
            by,
            "--show-callers",
            "--format",
            "json",
        ]);
        assert!(
            ran.stdout.contains(caller),
            "{by}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
}

#[test]
fn a_record_has_the_same_report_alone_and_among_others() {
    let path = "/rest/api/v1/listanswers";
    for (record, reason) in [
        (
            json!({"date": 1, "view": {}, "resource": {"method": "POST", "url": path, "status_code": 200}}),
            "listanswers-endpoint",
        ),
        (
            json!({"verb": "POST", "href": path, "at": "2026-11-19T08:12:44Z", "result": 200}),
            "unknown-layout",
        ),
        (
            json!({"reqId": "a", "body": {"id": 3}, "res": {"statusCode": 200}, "payload": [1]}),
            "lone-response",
        ),
        (
            json!({"message": format!("127.0.0.1:5 - \"POST {path} HTTP/1.1\" 200")}),
            "log-format-mismatch",
        ),
    ] {
        let known = json!({"method": "GET", "url": "/health", "status": 200});
        for lines in [
            format!("{record}\n"),
            format!("{record}\n{record}\n"),
            format!("{known}\n{record}\n"),
        ] {
            let is_alone = !lines.contains("health");
            if is_alone && ["lone-response", "log-format-mismatch"].contains(&reason) {
                continue;
            }
            let desk = Desk::new().with("a.ndjson", &lines);
            let ran = desk.run(&["check", "a.ndjson", "--format", "ndjson", "--no-fold"]);
            assert!(ran.stdout.contains(reason), "{lines}{}", ran.stdout);
        }
    }
}
