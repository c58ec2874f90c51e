//! No value of an input is ever printed: secrets are planted at every string of every format, every command writes every
//! report on them, from intact and damaged files, and no output contains one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::support::{Desk, Ran, input_formats, report_formats, repository, sources};

/// Marks of the values in recorded traffic: deprecated ones, others with the same names, and all tokens.
const RECORDED: [&str; 4] = ["planted-", "alive-", "made-up", "zoe@example"];

/// The placeholder for a secret in a template.
const MARK: &str = "§";

/// Makes secrets, each with letters that occur nowhere else.
#[derive(Default)]
struct Planter {
    cores: Vec<String>,
}

impl Planter {
    fn plant(&mut self, template: &str) -> String {
        let mut pieces = template.split(MARK);
        let mut text = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            text += &self.secret();
            text += piece;
        }
        text
    }

    fn secret(&mut self) -> String {
        let number = self.cores.len() as u64;
        let core = format!("{:016x}", (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        self.cores.push(core.clone());
        let shapes = [
            "eyJhbGciOiJIUzI1NiJ9.@.c2ln",
            "sk_live_@",
            "AKIA@",
            "ghp_@",
            "hunter2-@",
            "@@example.com",
            "12-@-Street",
            "Maria-@",
            "xoxb-@",
            "AWS4-HMAC-SHA256-Signature-@",
        ];
        shapes[self.cores.len() % shapes.len()].replacen('@', &core, 1)
    }
}

/// A body with uses, and secrets next to and inside them.
const BODY: &str = r#"{"citations":["§",{"token":"§"}],"rawSecret":"§","messages":[{"author":"§","citations":"§","fragments":[{"text":"§"}]}],"password":"§","customData":{"ssn":"§"}}"#;

/// Files by their names, with marks where secrets go. Paths of unknown operations have some too, and announce an end.
fn templates() -> Vec<(&'static str, String)> {
    let escaped = BODY.replace('"', "\\\"");
    let url = "https://u:§@api.example.com/rest/api/v1/chat?api_key=§&sig=§#§";
    let other = r#""url":"https://api.example.com/users/§/orders/§?t=§""#;
    let announced = r#""response":{"status":200,"headers":{"deprecation":"@1735689600","x-other":"§","set-cookie":"a=§"},"body":{"a":"§"}}"#;
    vec![
        (
            "log.ndjson",
            [
                format!(r#"{{"method":"POST","url":"{url}","user":"§","request":{{"headers":{{"authorization":"Bearer §","cookie":"sid=§; b=§","x-api-key":"§"}},"body":{BODY}}},"response":{{"status":200,"headers":{{"set-cookie":"sid=§"}},"body":"{escaped}"}}}}"#),
                format!(r#"{{"method":"GET",{other},{announced}}}"#),
                r#"{"level":"error","msg":"§","stack":"§"}"#.to_owned(),
                "a line with § and no JSON".to_owned(),
                format!(r#"{{"method":"POST","url":"{url}","request":{{"body":"{{\"citations\":[\"§\", broken §"}}}}"#),
            ]
            .join("\n"),
        ),
        (
            "capture.har",
            format!(
                r#"{{"log":{{"version":"1.2","creator":{{"name":"§","version":"§","comment":"§"}},"pages":[{{"title":"§","id":"§"}}],"entries":[
                {{"startedDateTime":"2026-11-20T00:00:00Z","serverIPAddress":"§","comment":"§","_initiator":{{"type":"script","requestId":"§","stack":{{"callFrames":[{{"url":"data:text/javascript,§","functionName":"f","lineNumber":1,"columnNumber":1}},{{"url":"https://u:§@h/a;s=§/app.js?v=§#§","functionName":"f","scriptId":"§","lineNumber":1,"columnNumber":1}}],"parent":{{"description":"§","callFrames":[]}}}}}},"request":{{"method":"POST","url":"{url}","cookies":[{{"name":"§","value":"§"}}],"queryString":[{{"name":"k","value":"§"}}],"headers":[{{"name":"Authorization","value":"Basic §"}}],"postData":{{"mimeType":"application/json","text":"{escaped}","params":[{{"name":"§","value":"§"}}]}}}},"response":{{"status":200,"redirectURL":"§","cookies":[{{"name":"s","value":"§"}}],"headers":[{{"name":"Set-Cookie","value":"§"}}],"content":{{"mimeType":"application/json","text":"{escaped}"}}}}}},
                {{"request":{{"method":"GET",{other},"headers":[]}},"response":{{"status":200,"headers":[{{"name":"Deprecation","value":"§"}},{{"name":"Sunset","value":"§"}}],"content":{{"text":"§"}}}}}},
                {{"request":{{"method":"POST","url":"/rest/api/v1/chat","postData":{{"text":"{{\"citations\": nope §"}}}}}}]}}}}"#
            ),
        ),
        (
            "cassette.yml",
            format!(
                "---\nhttp_interactions:\n- request:\n    method: post\n    uri: {url}\n    body:\n      encoding: UTF-8\n      string: '{BODY}'\n    headers:\n      Authorization:\n      - Bearer §\n  response:\n    status:\n      code: 200\n      message: §\n    headers:\n      Set-Cookie:\n      - §\n    body:\n      encoding: UTF-8\n      string: '{BODY}'\n  recorded_at: §\nrecorded_with: §\n"
            ),
        ),
        (
            "requests.http",
            format!(
                "@token = §\n### §\n# §\nPOST {url} HTTP/1.1\nAuthorization: Bearer §\nContent-Type: application/json\n\n{BODY}\n\n###\nGET https://§.example.com/§?§=§\nCookie: §\n"
            ),
        ),
        (
            "calls.sh",
            format!(
                "#!/bin/sh\nTOKEN=§\ncurl -X POST -H 'Authorization: Bearer §' -u 'me:§' --cookie 's=§' '{url}' --json '{BODY}'\ncurl 'https://§.example.com/§' -d '§'\n"
            ),
        ),
        ("chat.request.json", BODY.to_owned()),
        (
            "openapi.yaml",
            "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths:\n  /a:\n    get:\n      deprecated: true\n      parameters:\n      - {name: k, in: query, deprecated: true, example: §, schema: {type: string, default: §}}\n      requestBody:\n        content:\n          application/json:\n            schema: {type: object, properties: {old: {type: string, deprecated: true, example: §, default: §}}}\n            example: {old: §, other: §}\n      responses: {'200': {description: ok, headers: {X: {example: §, schema: {}}}}}\n".to_owned(),
        ),
        (
            "collection.json",
            format!(
                r#"{{"info":{{"name":"c","schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"}},"auth":{{"type":"bearer","bearer":[{{"key":"token","value":"§"}}]}},"variable":[{{"key":"secret","value":"§"}}],"item":[{{"name":"n","request":{{"method":"POST","url":"{url}","header":[{{"key":"X-Key","value":"§"}}],"body":{{"mode":"raw","raw":"{escaped}"}}}},"response":[{{"name":"§","code":200,"header":[],"body":"{escaped}"}}]}}]}}"#
            ),
        ),
    ]
}

/// A file as it is, cut off, and with bytes in its middle that no format has.
fn variants(bytes: &[u8]) -> Vec<Vec<u8>> {
    let middle = bytes.len() / 2;
    let with = |what: &[u8]| [&bytes[..middle], what, &bytes[middle..]].concat();
    vec![
        bytes.to_vec(),
        bytes[..middle].to_vec(),
        bytes[..bytes.len() * 9 / 10].to_vec(),
        with(b"\xff"),
        with(b"\"\n}"),
        with(b"\x1b[31m\0"),
    ]
}

/// Returns whether a command is run on a variant of a file: each on the file as it is, and in turn on one of the damaged ones. All
/// on all take a minute; `.ci/full tests` runs them.
fn is_run(command: usize, variant: usize) -> bool {
    const DAMAGED: usize = 5;
    variant == 0
        || command % DAMAGED == variant % DAMAGED
        || std::env::var_os("SUNDOWN_TESTS").is_some_and(|tests| tests == "full")
}

/// Holds all that was written against what must not be in it.
struct Watch<'w> {
    forbidden: Vec<&'w str>,
    leaks: BTreeSet<String>,
    runs: usize,
}

impl<'w> Watch<'w> {
    fn new(forbidden: impl Iterator<Item = &'w str>) -> Self {
        Self {
            forbidden: forbidden.collect(),
            leaks: BTreeSet::new(),
            runs: 0,
        }
    }

    fn text(&mut self, text: &str, from: &str) {
        for secret in &self.forbidden {
            for line in text.lines().filter(|line| line.contains(secret)) {
                let line: String = line.chars().take(300).collect();
                self.leaks.insert(format!("{from}: {secret}: {line}"));
            }
        }
    }

    fn ran(&mut self, ran: &Ran, from: &str) {
        self.runs += 1;
        self.text(&ran.stdout, from);
        self.text(&ran.stderr, from);
        assert!(!ran.stderr.contains("panicked"), "{from}: {}", ran.stderr);
    }

    fn finish(self) {
        let leaks: Vec<_> = self.leaks.iter().take(20).cloned().collect();
        assert!(
            leaks.is_empty(),
            "{} leaks in {} runs:\n{}",
            self.leaks.len(),
            self.runs,
            leaks.join("\n")
        );
    }
}

/// Every way to run over a file of this name, or some of them if it is a damaged variant.
fn run_everything(desk: &Desk, name: &str, [file, variant]: [usize; 2], watch: &mut Watch<'_>) {
    let baseline = ["baseline", name, "--baseline", "known.toml"];
    watch.ran(&desk.run(&baseline), &format!("{name} {baseline:?}"));
    let mut commands = file..;
    let mut run = |arguments: &[&str]| {
        if commands
            .next()
            .is_some_and(|command| is_run(command, variant))
        {
            watch.ran(&desk.run(arguments), &format!("{name} {arguments:?}"));
        }
    };
    for format in report_formats() {
        run(&["check", name, "--format", format]);
    }
    run(&["check", name, "-v"]);
    run(&["check", name, "--show-values"]);
    run(&["check", name, "--contract", "--show-values", "-v"]);
    run(&[
        "check",
        name,
        "--show-values",
        "--no-fold",
        "--format",
        "ndjson",
    ]);
    run(&["check", name, "--no-fold", "--format", "ndjson"]);
    run(&["check", name, "--strict", "--max-depth", "2"]);
    run(&["check", name, "--max-record", "64", "-v"]);
    run(&[
        "check",
        name,
        "--operation",
        "POST /rest/api/v1/chat",
        "--side",
        "request",
    ]);
    run(&[
        "check",
        name,
        "--format",
        "json=/dev/full",
        "--format",
        "sarif=out.sarif",
    ]);
    run(&["check", name, "--rules", name]);
    run(&["check", name, "--baseline", "known.toml", "-v"]);
    run(&["check", name, "--baseline", name]);
    run(&["config", name]);
    run(&["init", "--stdout"]);
    run(&["check", "--config", name]);
    run(&["rules", "check", name]);
    run(&["rules", "import", name]);
    for format in ["markdown", "csv", "json", "openapi"] {
        run(&["rules", "import", name, "--from", format]);
    }
    run(&["rules", "export", "--rules", name]);
    run(&["explain", name]);
    for written in ["out.sarif", "known.toml"] {
        let text = std::fs::read_to_string(desk.path(written)).unwrap_or_default();
        watch.text(&text, written);
    }
}

/// The partial result of a file of this name, and a report on it.
fn run_parts(desk: &Desk, name: &str, watch: &mut Watch<'_>) {
    let mut run = |arguments: &[&str]| {
        let ran = desk.run(arguments);
        assert!(
            !ran.stderr.contains("error"),
            "{name} {arguments:?}: {}",
            ran.stderr
        );
        watch.ran(&ran, &format!("{name} {arguments:?}"));
    };
    let attributes = [
        "user-agent",
        "header:Authorization",
        "member:/user",
        "file",
        "initiator",
        "cassette",
    ];
    let callers = attributes.map(|attribute| ["--by", attribute]).concat();
    run(&[&["usage", name, "--partial", "usage.part"][..], &callers].concat());
    run(&["merge", "usage.part", "--format", "json"]);
    let written = std::fs::read_to_string(desk.path("usage.part")).unwrap();
    watch.text(&written, "usage.part");
}

#[test]
fn two_hundred_planted_secrets_are_never_printed() {
    let mut planter = Planter::default();
    let mut files: Vec<(&str, String)> = Vec::new();
    // Twice, with other secrets.
    for (name, template) in templates().iter().chain(&templates()) {
        files.push((name, planter.plant(template)));
    }
    assert!(planter.cores.len() >= 200, "{}", planter.cores.len());
    let mut watch = Watch::new(planter.cores.iter().map(String::as_str));
    for (file, (name, text)) in files.iter().enumerate() {
        for (variant, bytes) in variants(text.as_bytes()).iter().enumerate() {
            let desk = Desk::new().with(name, bytes);
            if variant == 0 {
                assert!(
                    desk.run(&["check", name]).stdout.contains('`'),
                    "{name} has uses"
                );
                run_parts(&desk, name, &mut watch);
            }
            run_everything(&desk, name, [file, variant], &mut watch);
        }
        // Files that are read as another format than their own.
        let desk = Desk::new().with(name, text);
        for format in input_formats() {
            let arguments = ["check", name, "--input-format", format, "-v"];
            watch.ran(&desk.run(&arguments), &format!("{name} as {format}"));
        }
    }
    watch.finish();
}

#[test]
fn secrets_in_samples_of_every_format_are_never_printed() {
    let mut planter = Planter::default();
    let mut samples = sources(&repository("crates/captures/samples"));
    samples.retain(|path| !path.ends_with("README.md"));
    assert!(samples.len() > 18, "{samples:?}");
    let mut with_secrets = |path: PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, planter.plant(&std::fs::read_to_string(path).unwrap()))
    };
    let files: Vec<_> = samples.into_iter().map(&mut with_secrets).collect();
    let mut watch = Watch::new(planter.cores.iter().map(String::as_str));
    for (name, text) in &files {
        for bytes in variants(text.as_bytes()) {
            let desk = Desk::new().with(name, &bytes);
            for arguments in [
                &["check", name, "-v"][..],
                &["check", name, "--strict", "--no-fold", "--format", "ndjson"],
                &["check", name, "--format", "sarif"],
                &["check", name, "--format", "github"],
            ] {
                watch.ran(&desk.run(arguments), &format!("{name} {arguments:?}"));
            }
        }
    }
    watch.finish();
}

/// Files that are passed as a configuration, as rules or as a list by mistake. Each is refused.
const MISTAKEN: [(&str, &str); 9] = [
    (
        "sundown.conf",
        "fail-on = '§'\ncolor = '§'\nformat = ['§=§']\n'§' = 1\nmax-record = '§'\ninclude = ['[§']\n[severity]\n'§' = '§'\nold = '§'\n[[log]]\nlog-format = '$§ %§'\n[[log]]\nurl = '§'\n[[api]]\napi = 7\nhosts = ['§ §']\nbase-paths = ['§']\n[[allow]]\noperation = '§'\npointer = '§'\nuntil = '§'\nreason = '§'\n[[payload]]\nfiles = ['[§']\noperation = '§'\nside = '§'\n",
    ),
    (
        "unsettled.conf",
        "[severity]\n'§' = 'off'\n[[payload]]\nfiles = '*'\noperation = '§'\n[[api]]\napi = '§'\nhosts = 'h'\n",
    ),
    (
        "rules.conf",
        "api = '§'\nbase_path = '§ §'\nafter_removal = {operation = '§', request = '§', response = '§'}\n[groups]\n'§' = ['§']\n[[rule]]\nid = 'A §'\noperation = '§'\nfield = 'a'\nat = ['§', '$.§']\nexcept = '§'\nsides = '§'\nremoval = '§'\nalso = [{group = '§'}, {operation = '§'}]\n[[rule]]\nid = 'x'\nschema = '§'\n[[rule]]\nid = 'x'\nschema = '§#/§'\nfix = {rename = '§', set = '§', safe = '§'}\n",
    ),
    ("broken.conf", "token = '§\nsecret '§'\n`§` = \"§\\x\"\n"),
    (
        "people.csv",
        "name,token,method,path\nzoe,§,GET,§\nzoe,§,G T,`§\n'§,\"§\n",
    ),
    (
        "people.md",
        "# §\n\n| Name | Token |\n|---|---|\n| zoe | § |\n",
    ),
    (
        "people.json",
        "{\"endpoints\": [{\"token\": \"§\", \"method\": \"G §\", \"path\": \"§\", \"§\": 1, \"§\": 2}]}",
    ),
    ("nothing.json", "{\"token\": \"§\"}"),
    ("line.txt", "the token is §"),
];

#[test]
fn secrets_in_files_passed_as_the_wrong_kind_are_never_printed() {
    let mut planter = Planter::default();
    // Often enough for each place to have a secret of each shape.
    let files: Vec<_> = (0..10)
        .flat_map(|_| {
            MISTAKEN
                .map(|(name, template)| (name, planter.plant(template)))
                .to_vec()
        })
        .collect();
    let mut watch = Watch::new(planter.cores.iter().map(String::as_str));
    for (name, text) in &files {
        let desk = Desk::new().with(name, text);
        for arguments in [
            &["check", "--config", name][..],
            &["config", "--config", name],
            &["check", name, "--rules", name],
            &["check", name, "--baseline", name],
            &["rules", "check", name],
            &["rules", "import", name],
            &["rules", "import", name, "--from", "markdown"],
            &["rules", "import", name, "--from", "csv"],
            &["rules", "import", name, "--from", "json"],
        ] {
            let ran = desk.run(arguments);
            assert_eq!(ran.code, 2, "{name} {arguments:?}: {}", ran.stdout);
            assert!(
                ran.stderr.contains(name),
                "{name} {arguments:?}: {}",
                ran.stderr
            );
            watch.ran(&ran, &format!("{name} {arguments:?}"));
        }
    }
    watch.finish();
}

/// A call whose body has a deprecated field with this value.
fn call_with(key: &str, value: &str) -> String {
    format!(
        r#"{{"method":"POST","url":"/rest/api/v1/search","request":{{"body":{{"requestOptions":{{"facetFilters":[{{"values":[{{"{key}":{value}}}]}}]}}}}}}}}"#
    )
}

#[test]
fn show_values_shows_what_cannot_be_personal() {
    let rules = "api = \"Search\"\n[[rule]]\nid = \"old-mode\"\noperation = \"POST /rest/api/v1/search\"\n\
                 field = \"mode\"\nvalue = \"now \\u001b[31m\"\n";
    let values = [
        ("isNegated", "true", "\"isNegated\": true"),
        ("isNegated", "null", "\"isNegated\": null"),
        (
            "mode",
            "\"now \\u001b[31m\"",
            "\"mode\": \"now \\u001b[31m\"",
        ),
        ("isNegated", "\"now\"", "\"isNegated\": \"…\""),
        ("isNegated", "\"sk_live_1\"", "\"isNegated\": \"…\""),
        ("isNegated", "\"62ba6c104f35d776\"", "\"isNegated\": \"…\""),
        ("isNegated", "{\"a\":1}", "\"isNegated\": {…}"),
    ];
    for (key, value, shown) in values {
        let desk = Desk::new()
            .with("log.ndjson", call_with(key, value))
            .with("rules.toml", rules);
        let check = [
            "check",
            "log.ndjson",
            "--rules",
            "rules.toml",
            "--no-builtin-rules=false",
        ];
        let hidden = desk.run(&check).stdout;
        assert!(
            !hidden.contains("\": true") && !hidden.contains("\": \"now"),
            "{hidden}"
        );
        let ran = desk.run(&[&check[..], &["--show-values"]].concat());
        assert!(ran.stdout.contains(shown), "{shown}: {}", ran.stdout);
        assert!(!ran.stdout.contains('\u{1b}'), "{}", ran.stdout);
        let json = desk.run(&[&check[..], &["--show-values", "--format", "json"]].concat());
        assert_eq!(
            json.stdout.contains("\"value\":"),
            !shown.contains('…'),
            "{}",
            json.stdout
        );
    }
}

#[test]
fn show_values_shows_no_personal_data() {
    let personal = [
        "Ann",
        "SMITH",
        "Zoë Ångström",
        "ann.smith",
        "F32.1",
        "Diabetes",
        "HIV_POSITIVE",
        "DIVORCED",
        "depression",
        "Main-Street",
        "12 Main Street",
        "8001",
        "CH-8001",
        "1984-02-29",
        "AB+",
        "756.1234.5678.97",
        "x7Kq",
        "47.3769",
    ];
    // Even if it is repeated, as a value of an enumeration is.
    let log = |value: &str| [call_with("isNegated", value).as_str(); 4].join("\n");
    let numbers = ["41", "8001", "-3.25", "185"].map(str::to_owned);
    let values = personal
        .iter()
        .map(|value| format!("\"{value}\""))
        .chain(numbers);
    for value in values {
        let desk = Desk::new().with("log.ndjson", log(&value));
        for more in [
            &[][..],
            &["--format", "json"],
            &["--no-fold", "--format", "ndjson"],
        ] {
            let ran = desk.run(&[&["check", "log.ndjson", "--show-values"], more].concat());
            assert_eq!(ran.code, 1, "{}", ran.stderr);
            for shown in [
                format!(": {value}"),
                format!(":{value}"),
                value.replace('"', "\\\""),
            ] {
                let is_shown = shown.contains(['"', ':']) && ran.stdout.contains(&shown);
                // `"span":{"start":41` is a position.
                assert!(
                    !is_shown || !value.starts_with('"'),
                    "{value}: {}",
                    ran.stdout
                );
            }
            assert!(
                !ran.stdout.contains("\"value\":"),
                "{value}: {}",
                ran.stdout
            );
        }
    }
}

/// The recorded files: captures by the tools themselves, and of each kind of file that people write.
fn recorded(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files = Vec::new();
    for path in entries {
        if path.is_dir() {
            let inner = recorded(&path);
            // Forty identical ones count as one.
            files.extend(inner.into_iter().take(12));
        } else if !path.to_string_lossy().ends_with(".expected.json") {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn values_of_recorded_traffic_are_never_printed() {
    let mut watch = Watch::new(RECORDED.into_iter());
    let mut with_values = 0;
    for folder in ["testdata/captures", "testdata/formats"] {
        for (file, path) in recorded(&repository(folder)).into_iter().enumerate() {
            let bytes = std::fs::read(&path).unwrap();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            with_values += usize::from(memchr::memmem::find(&bytes, b"planted-").is_some());
            for (variant, bytes) in variants(&bytes).iter().enumerate() {
                let desk = Desk::new().with(&name, bytes);
                let commands = [
                    &["check", &name, "-v"][..],
                    &["check", &name, "--no-fold", "--format", "ndjson"],
                    &["check", &name, "--format", "sarif"],
                    &["check", &name, "--format", "github"],
                ];
                for (number, arguments) in commands.into_iter().enumerate() {
                    if is_run(file + number, variant) {
                        watch.ran(&desk.run(arguments), &format!("{name} {arguments:?}"));
                    }
                }
            }
        }
    }
    assert!(with_values > 15, "{with_values}");
    watch.finish();
}
