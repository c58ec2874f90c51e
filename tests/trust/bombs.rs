//! Files made to exhaust memory or time: each is reported with the flag that raises its limit, in little memory
//! and in little time, and hides no other file.
#![cfg(unix)]

use std::fmt::Write as _;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::support::{Desk, Ran};

/// The address space of the program, in units of 1,024 bytes; a bomb expands to more.
const MEMORY: usize = 200_000;

/// The minimum size to which a bomb expands.
const LARGE: usize = 256 << 20;

/// The processor time of the program: far more than it takes without optimisation, and far less than going through all of a bomb
/// would.
const MAX_SECONDS: u32 = 120;

const MEBIBYTE: usize = 1 << 20;

/// The file next to each bomb, with one use in it.
const NEIGHBOUR: &str = "{\"method\":\"POST\",\"url\":\"/rest/api/v1/chat\",\"request\":{\"body\":{\"citations\":[]}}}\n";

/// One bomb.
struct Row {
    name: &'static str,
    file: &'static str,
    bytes: Vec<u8>,
    arguments: &'static [&'static str],
    /// The text that the report must contain.
    says: &'static [&'static str],
    /// The memory of the run, in units of 1,024 bytes.
    memory: usize,
    /// The exit code of a run with `--strict`: 2 if something could not be checked.
    strict: i32,
}

const RAISE_RECORD: &str = "raise the limit with --max-record";
const RAISE_EXPANSION: &str = "raise the limit with --max-expansion";
const RAISE_DEPTH: &str = "raise the limit with --max-depth";
const SMALL_RECORD: &[&str] = &["--max-record", "1M"];

/// Runs the program in little memory; `None` if it was killed.
fn run_in_little(desk: &Desk, arguments: &[&str]) -> Option<Ran> {
    run_in(MEMORY, desk, arguments)
}

fn run_in(memory: usize, desk: &Desk, arguments: &[&str]) -> Option<Ran> {
    let flags = ["--as-of", "2026-11-20", "--threads", "1"];
    desk.run_limited(MAX_SECONDS, Some(memory), &[arguments, &flags].concat())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut gzip = flate2::read::GzEncoder::new(bytes, flate2::Compression::best());
    std::io::Read::read_to_end(&mut gzip, &mut packed).unwrap();
    packed
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// A long JSON text, compressed in pieces: a piece that is repeated in the file decompresses to consecutive copies.
fn bomb(pack: fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let (head, piece) = (pack(b"{\"a\":\""), pack(&vec![b'a'; MEBIBYTE]));
    [head, piece.repeat(LARGE / MEBIBYTE)].concat()
}

/// 256 MiB of such a text in 226 bytes, compressed with brotli at its highest level.
const BROTLI: &str = "z///f/ilRXTC9hQKhwUCJjx7/8///3/4JQDisABA9/6f////8EsAxGERgO79P////+GXAIjDAgDd+3/+///DLwEQhwUAuvf//P//h18CIA4LAHTv//n//w+/BEAcFgDo3v/z//8ffgmAOCwA0L3/5///P/wSAHFYAKB7/8///3/4JQDisABA9/6f////8EsAxGEBgO79P////+GXAIjDAgDd+3/+///DLwEQhwUAuvf//P//h18CIA4LAHTv//n//w+/BEAcFgDo3v/z//8ffgmAOCwA0L3/jwIA/BIAQUAAAA==";

/// A raw request with this body.
fn request(coding: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST /rest/api/v1/chat HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn deep(levels: usize) -> String {
    "[".repeat(levels) + &"]".repeat(levels)
}

/// Ten aliases in each of twelve lists, each of the list before.
fn aliases() -> String {
    let mut text = "http_interactions:\n- a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..12 {
        let list = vec![format!("*a{}", level - 1); 10].join(",");
        writeln!(text, "  a{level}: &a{level} [{list}]").unwrap();
    }
    text + "recorded_with: VCR 6.1.0\n"
}

/// A recorded call with ten thousand uses, thousands of times.
fn aliases_of_a_body() -> String {
    let uses = vec![r#"{"citations":0}"#; 10_000].join(",");
    let call = format!(
        "- &e\n  request:\n    method: post\n    uri: https://h/rest/api/v1/chat\n    body:\n      encoding: UTF-8\n      string: '[{uses}]'\n  response:\n    status: {{code: 200}}\n"
    );
    format!(
        "http_interactions:\n{call}{}recorded_with: VCR 6.1.0\n",
        "- *e\n".repeat(60_000)
    )
}

fn description(schemas: &str) -> String {
    format!(
        r##"{{"openapi":"3.1.0","info":{{"title":"x","version":"1"}},"paths":{{"/rest/api/v1/chat":{{"post":{{"requestBody":{{"content":{{"application/json":{{"schema":{{"$ref":"#/components/schemas/S0"}}}}}}}},"responses":{{}}}}}}}},"components":{{"schemas":{{{schemas}}}}}}}"##
    )
}

/// Thirty schemas, each of which refers to the next ten times: 10^30 paths to one property.
fn fan_out() -> String {
    let mut schemas = String::new();
    for level in 0..30 {
        let properties: Vec<_> = (0..10)
            .map(|key| {
                format!(
                    r##""p{key}":{{"$ref":"#/components/schemas/S{}"}}"##,
                    level + 1
                )
            })
            .collect();
        write!(
            schemas,
            r#""S{level}":{{"properties":{{{}}}}},"#,
            properties.join(",")
        )
        .unwrap();
    }
    description(&(schemas + r#""S30":{"properties":{"citations":{"deprecated":true}}}"#))
}

fn circle() -> String {
    let to = |next: usize| format!(r##"{{"$ref":"#/components/schemas/S{next}"}}"##);
    description(&format!(r#""S0":{},"S1":{},"S2":{}"#, to(1), to(2), to(0)))
}

/// A circle of `allOf` in which each of the schemas is deprecated: each of their properties has the markers of all.
fn circle_of_markers() -> String {
    let schema = |number: usize| {
        let next = (number + 1) % 3_000;
        format!(
            r##""S{number}":{{"deprecated":true,"allOf":[{{"$ref":"#/components/schemas/S{next}"}}],"properties":{{"p{number}":{{"$ref":"#/components/schemas/S0"}}}}}}"##
        )
    };
    description(&(0..3_000).map(schema).collect::<Vec<_>>().join(","))
}

/// A value or a key of many bytes on the first line, followed by a line with a use.
fn long_line(open: &str, close: &str) -> Vec<u8> {
    let mut text = open.as_bytes().to_vec();
    // Beyond what is allowed, and within what is looked at for the end of the line.
    text.resize(text.len() + 6 * MEBIBYTE, b'a');
    [&text, close.as_bytes(), b"\n", NEIGHBOUR.as_bytes()].concat()
}

fn row(name: &'static str, file: &'static str, bytes: impl Into<Vec<u8>>) -> Row {
    Row {
        name,
        file,
        bytes: bytes.into(),
        arguments: &[],
        says: &[],
        memory: MEMORY,
        strict: 2,
    }
}

fn packed() -> Vec<Row> {
    let brotli = STANDARD.decode(BROTLI).unwrap();
    let (file, body) = (
        &[
            "larger than the record limit: the limit is 1048576 bytes",
            RAISE_RECORD,
        ][..],
        &[":7:1: larger than the record limit", RAISE_RECORD][..],
    );
    let of = |says, row| Row {
        arguments: SMALL_RECORD,
        says,
        ..row
    };
    vec![
        of(file, row("a gzip file", "b.json.gz", bomb(gzip))),
        of(file, row("a zstd file", "b.json.zst", bomb(zstd))),
        of(file, row("a brotli file", "b.json.br", brotli.clone())),
        of(
            body,
            row("a gzip body", "gzip.http", request("gzip", &bomb(gzip))),
        ),
        of(
            body,
            row("a zstd body", "zstd.http", request("zstd", &bomb(zstd))),
        ),
        of(
            body,
            row("a brotli body", "br.http", request("br", &brotli)),
        ),
        Row {
            says: &[
                "small.http:7:1: expands to far more than its size",
                RAISE_EXPANSION,
            ],
            ..row(
                "a brotli body within the limit",
                "small.http",
                request("br", &brotli),
            )
        },
    ]
}

fn nested() -> Vec<Row> {
    let limit: &[&str] = &["--max-depth", "1000"];
    let says: &[&str] = &["nested too deeply: the limit is 1000 levels", RAISE_DEPTH];
    let in_string = format!(
        r#"{{"log":{{"entries":[{{"request":{{"method":"POST","url":"/rest/api/v1/chat","postData":{{"text":"{{\"a\":{},\"citations\":1}}"}}}}}}]}}}}"#,
        deep(200_000)
    );
    // With the name of a field, which could be a use.
    let body = format!(r#"{{"a":{},"citations":1}}"#, deep(200_000));
    let yaml = format!(
        "http_interactions:\n- request: {}\nrecorded_with: VCR 6.1.0\n",
        deep(100_000)
    );
    vec![
        Row {
            arguments: limit,
            says,
            ..row("a deep body", "chat.request.json", body)
        },
        Row {
            arguments: limit,
            says,
            ..row("a deep body in a HAR", "deep.har", in_string)
        },
        Row {
            says: &[
                "deep.yml:2:1012: nested too deeply: nested deeper than 1000 levels, the most that is read of YAML",
            ],
            ..row("deep YAML", "deep.yml", yaml)
        },
        Row {
            says: &[
                "alias.yml:8:20: expands to far more than its size: aliases that repeat more than 4000000 values",
                RAISE_EXPANSION,
            ],
            ..row("YAML of aliases", "alias.yml", aliases())
        },
        Row {
            says: &[
                "aliases that repeat more than 4000000 values",
                RAISE_EXPANSION,
            ],
            ..row("aliases of a body", "body.yml", aliases_of_a_body())
        },
    ]
}

fn references() -> Vec<Row> {
    vec![
        Row {
            says: &["warning[undated/chat-citations]"],
            strict: 1,
            ..row("references that fan out", "fan.json", fan_out())
        },
        Row {
            says: &["circle.json:1:", "refers back to itself"],
            ..row("references in a circle", "circle.json", circle())
        },
        Row {
            says: &["markers.json:1:", "share more than the limit"],
            ..row(
                "a circle in which everything is marked",
                "markers.json",
                circle_of_markers(),
            )
        },
    ]
}

fn long() -> Vec<Row> {
    let entries = format!(
        "{{\"log\":{{\"entries\":[{}{{}}]}}}}",
        "{},".repeat(3_000_000)
    );
    let says: &[&str] = &[
        "log.ndjson:1:1: larger than the record limit: the limit is 1048576 bytes",
        RAISE_RECORD,
        // The use after the long line.
        "log.ndjson:2:63",
    ];
    let line = row(
        "a long value on the first line",
        "log.ndjson",
        long_line("{\"a\":\"", "\"}"),
    );
    let key = row(
        "a long key on the first line",
        "log.ndjson",
        long_line("{\"", "\":1}"),
    );
    let json = vec![b'a'; 64 * MEBIBYTE];
    let document = [
        &b"{\"a\":\""[..],
        &json[..6 * MEBIBYTE],
        b"\",\n  \"b\": {\n  }\n}\n",
    ]
    .concat();
    vec![
        Row {
            arguments: SMALL_RECORD,
            says,
            ..line
        },
        Row {
            arguments: SMALL_RECORD,
            says,
            ..key
        },
        Row {
            arguments: SMALL_RECORD,
            says: &["long.json: larger than the record limit", RAISE_RECORD],
            ..row(
                "one line without an end",
                "long.json",
                [&b"{\"a\":\""[..], &json].concat(),
            )
        },
        Row {
            arguments: SMALL_RECORD,
            says: &["long.json: larger than the record limit", RAISE_RECORD],
            ..row("a document whose first line is long", "long.json", document)
        },
        Row {
            says: &[
                "3000001 × a record without a method and URL",
                "many.har:1:20",
            ],
            strict: 1,
            ..row("a HAR of empty entries", "many.har", entries)
        },
    ]
}

/// Uses that each have a long way from the root.
fn far() -> Vec<Row> {
    let uses = format!("[{}{{}}]", "{\"citations\":0},".repeat(20_000));
    let body = |open: &str, close: &str| {
        let line = format!(
            r#"{{"method":"POST","url":"/rest/api/v1/chat","request":{{"body":{open}{uses}{close}}}}}"#
        );
        line + "\n"
    };
    let (levels, key) = (150_000, "k".repeat(MEBIBYTE));
    let objects = body(&"{\"k\":".repeat(levels), &"}".repeat(levels));
    let lists = body(&"[".repeat(2 * levels), &"]".repeat(2 * levels));
    let properties: Vec<_> = (0..5_000)
        .map(|at| format!(r#""p{at}":{{"deprecated":true}}"#))
        .collect();
    let below = format!(
        r#""S0":{{"properties":{{"{key}":{{"properties":{{{}}}}}}}}}"#,
        properties.join(",")
    );
    let of_path = format!(
        r#"{{"openapi":"3.1.0","info":{{"title":"x","version":"1"}},"paths":{{"/{key}":{{"post":{{"requestBody":{{"content":{{"application/json":{{"schema":{{"properties":{{{}}}}}}}}}}},"responses":{{}}}}}}}}}}"#,
        properties.join(",")
    );
    let of = |row| Row {
        arguments: &["--show-values"],
        says: &["citations", "19999 more"],
        strict: 1,
        ..row
    };
    vec![
        of(row(
            "uses under a long key",
            "key.ndjson",
            body(&format!("{{\"{key}\":"), "}"),
        )),
        of(row("uses in deep objects", "deep.ndjson", objects)),
        of(row("uses in deep lists", "lists.ndjson", lists)),
        Row {
            says: &["[unknown-to-table]", "5000 notes"],
            strict: 1,
            ..row(
                "deprecations below a long name",
                "below.json",
                description(&below),
            )
        },
        Row {
            says: &["unknown-to-table: POST /kkkk", "5000 notes"],
            strict: 1,
            ..row("deprecations of a long path", "path.json", of_path)
        },
    ]
}

/// A description with these paths, followed by these other members.
fn paths(count: usize, path: impl Fn(usize) -> String, item: &str, more: &str) -> String {
    let paths: Vec<_> = (0..count)
        .map(|at| format!("\"{}\":{item}", path(at)))
        .collect();
    format!(
        r#"{{"openapi":"3.1.0","info":{{"title":"x","version":"1"}},"paths":{{{}}},{more}}}"#,
        paths.join(",")
    )
}

fn list(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect::<Vec<_>>().join(",")
}

fn plain(at: usize) -> String {
    format!("/p{at}")
}

/// Descriptions whose operations are repeated for each of their servers.
fn served() -> Vec<Row> {
    const CUT: &[&str] = &[
        "the servers have more paths, or longer ones, than the limit",
        RAISE_EXPANSION,
    ];
    let item = r#"{"get":{"deprecated":true,"responses":{}}}"#;
    let of =
        |count, servers: String| paths(count, plain, item, &format!(r#""servers":[{servers}]"#));
    let many = list(2_000, |at| format!(r#"{{"url":"/v{at}"}}"#));
    let long = format!(r#"{{"url":"/{}"}}"#, "k".repeat(500_000));
    let variable = format!(
        r#"{{"url":"/{}","variables":{{"a":{{"enum":["{}","{}"]}}}}}}"#,
        "{a}".repeat(1_000),
        "x".repeat(100_000),
        "y".repeat(100_000)
    );
    vec![
        Row {
            says: CUT,
            ..row("many servers", "many.json", of(3_000, many))
        },
        Row {
            says: CUT,
            ..row("a long server", "long.json", of(3_000, long))
        },
        Row {
            // The variable stays one.
            says: &["300 notes"],
            strict: 1,
            ..row("a server's variable", "variable.json", of(300, variable))
        },
    ]
}

/// Descriptions with many operations that share large parts.
fn shared() -> Vec<Row> {
    const MUCH: &[&str] = &[
        "operations and schemas share more than the limit",
        RAISE_EXPANSION,
    ];
    let referring = r##"{"$ref":"#/components/pathItems/P"}"##;
    let item = |inside: String| format!(r#""components":{{"pathItems":{{"P":{{{inside}}}}}}}"#);
    let parameters = list(6_000, |at| {
        format!(r#"{{"name":"q{at}","in":"query","deprecated":true,"schema":{{}}}}"#)
    });
    let parameters = item(format!(
        r#""parameters":[{parameters}],"get":{{"responses":{{}}}}"#
    ));
    let bodies = list(3_000, |at| {
        format!(r#""application/x{at}+json":{{"schema":{{"properties":{{"citations":{{}}}}}}}}"#)
    });
    let bodies = item(format!(
        r#""post":{{"requestBody":{{"content":{{{bodies}}}}},"responses":{{}}}}"#
    ));
    let methods = list(20_000, |at| format!(r#""M{at}":{{"responses":{{}}}}"#));
    let methods = item(format!(r#""additionalOperations":{{{methods}}}"#));
    let examples = list(20_000, |at| format!(r#""e{at}":{{"value":1}}"#));
    let examples = item(format!(
        r#""post":{{"requestBody":{{"content":{{"application/json":{{"examples":{{{examples}}}}}}}}},"responses":{{}}}}"#
    ));
    let nothing = list(20_000, |at| format!(r#""x{at}":{{}}"#));
    let callbacks = item(format!(
        r#""post":{{"callbacks":{{{nothing}}},"responses":{{}}}}"#
    ));
    let answers = item(format!(r#""post":{{"responses":{{{nothing}}}}}"#).replace("\"x", "\"4"));
    let parts = |path: fn(usize) -> String, more| paths(6_000, path, referring, more);
    let schemas = |schemas: String| format!(r#""components":{{"schemas":{{{schemas}}}}}"#);
    let body = r##"{"post":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/S0"}}}},"responses":{}}}"##;
    let properties = list(10_000, |at| format!(r#""f{at}":{{"deprecated":true}}"#));
    let properties = schemas(format!(r#""S0":{{"properties":{{{properties}}}}}"#));
    let chain = list(6_000, |at| {
        let next = at + 1;
        format!(r##""S{at}":{{"properties":{{"n":{{"$ref":"#/components/schemas/S{next}"}}}}}}"##)
    });
    let chain = schemas(format!(
        r#"{chain},"S6000":{{"properties":{{"citations":{{}}}}}}"#
    ));
    let chat = |at: usize| format!("/rest/api/v1/chat#{at}");
    vec![
        Row {
            says: MUCH,
            ..row("shared parameters", "query.json", parts(plain, &parameters))
        },
        Row {
            says: MUCH,
            ..row("shared bodies", "bodies.json", parts(plain, &bodies))
        },
        Row {
            says: MUCH,
            ..row("shared methods", "methods.json", parts(plain, &methods))
        },
        Row {
            says: MUCH,
            ..row("shared examples", "examples.json", parts(plain, &examples))
        },
        Row {
            says: MUCH,
            ..row("shared callbacks", "calls.json", parts(plain, &callbacks))
        },
        Row {
            says: MUCH,
            ..row("shared answers", "answers.json", parts(plain, &answers))
        },
        Row {
            says: &["more distinct uses than can be stored"],
            // The findings that are kept for a file, out of a hundred million.
            memory: 3 * MEMORY,
            ..row(
                "shared deprecations",
                "marks.json",
                paths(10_000, plain, body, &properties),
            )
        },
        // What all operations share is searched once.
        Row {
            says: &[],
            strict: 1,
            ..row("shared ways", "ways.json", paths(6_000, chat, body, &chain))
        },
    ]
}

#[test]
fn each_bomb_is_reported_and_hides_no_other_file() {
    let all = [
        packed(),
        nested(),
        references(),
        long(),
        far(),
        served(),
        shared(),
    ];
    for row in all.into_iter().flatten() {
        let desk = Desk::new()
            .with(row.file, &row.bytes)
            .with("good.ndjson", NEIGHBOUR);
        for (strict, code) in [(&[][..], 1), (&["--strict"], row.strict)] {
            let arguments = [&["check", row.file, "good.ndjson"], row.arguments, strict].concat();
            let ran = run_in(row.memory, &desk, &arguments);
            let Ran {
                stdout,
                stderr,
                code: ended,
            } = ran.unwrap_or_else(|| panic!("{}: more memory than there is", row.name));
            let is_unread = stdout.contains(&format!("Nothing was checked in {}:", row.file));
            let code = if is_unread { 2 } else { code };
            assert_eq!(ended, code, "{}: {stdout}{stderr}", row.name);
            for text in row.says.iter().chain(&["good.ndjson:1:63"]) {
                assert!(
                    stdout.contains(text),
                    "{}: no {text:?} in {stdout}",
                    row.name
                );
            }
            assert_eq!(stderr, "", "{}", row.name);
        }
    }
}

#[test]
fn without_its_limit_a_bomb_takes_more_memory_than_there_is() {
    // Files; that a body finds no room is an error like others.
    for row in packed().into_iter().take(3) {
        let desk = Desk::new().with(row.file, &row.bytes);
        let ran = run_in_little(&desk, &["check", row.file, "--max-record", "1G"]);
        assert!(
            ran.is_none_or(|ran| ran.code > 2),
            "{}: the memory is enough",
            row.name
        );
    }
}

#[test]
fn a_legitimate_file_is_read_with_a_higher_limit() {
    let with = |length: usize| format!(r#"{{"citations":[],"a":"{}"}}"#, "a".repeat(length));
    let call = format!(
        "- &e\n  request:\n    method: post\n    uri: https://h/rest/api/v1/chat\n    body:\n      encoding: UTF-8\n      string: '{}'\n  response:\n    status: {{code: 200}}\n",
        with(MEBIBYTE)
    );
    let aliases = "- *e\n".repeat(40);
    let tape = format!("http_interactions:\n{call}{aliases}recorded_with: VCR 6.1.0\n");
    let body = request("zstd", &zstd(with(6 * MEBIBYTE).as_bytes()));
    let twice = zstd(&zstd(with(6 * MEBIBYTE).as_bytes()));
    // An alias in the last line, which no line feed ends.
    let insomnia = format!(
        "type: collection.insomnia.rest/5.0\ncollection:\n  - &e\n    url: https://h/rest/api/v1/chat\n    method: POST\n    body:\n      mimeType: application/json\n      text: '{}'\n{}  - *e",
        with(MEBIBYTE),
        "  - *e\n".repeat(39)
    );
    let desk = Desk::new()
        .with("tape.yml", tape)
        .with("insomnia.yaml", insomnia)
        .with("body.http", body)
        .with("twice.http", request("zstd, zstd", &twice));
    for (file, uses) in [
        ("tape.yml", 41),
        ("insomnia.yaml", 41),
        ("body.http", 1),
        ("twice.http", 1),
    ] {
        let usual = desk.run(&["check", file, "--strict"]);
        assert!(
            usual.stdout.contains(RAISE_EXPANSION),
            "{file}: {}",
            usual.stdout
        );
        assert_eq!(usual.code, 2, "{file}: {}", usual.stdout);
        let arguments = [
            "check",
            file,
            "--max-expansion",
            "2",
            "--format",
            "ndjson",
            "--no-fold",
        ];
        let raised = desk.run(&arguments).stdout;
        assert_eq!(
            raised.matches(r#""pointer":"/citations""#).count(),
            uses,
            "{file}: {raised}"
        );
        assert!(!raised.contains("--max-expansion"), "{file}: {raised}");
    }
}

#[test]
fn a_higher_limit_keeps_every_server_variable() {
    let values = |name: char| list(10, |at| format!("\"{name}{at}\""));
    let variables = format!(
        r#"{{"a":{{"enum":[{}]}},"b":{{"enum":[{}]}}}}"#,
        values('a'),
        values('b')
    );
    let servers =
        format!(r#""servers":[{{"url":"https://h/{{a}}/{{b}}","variables":{variables}}}]"#);
    let item = r#"{"get":{"deprecated":true,"responses":{}}}"#;
    let desk = Desk::new()
        .with("api.json", paths(1, plain, item, &servers))
        .with(
            "log.ndjson",
            "{\"method\":\"GET\",\"url\":\"https://h/a1/zz/p0\"}\n",
        );
    let arguments = [
        "check",
        "log.ndjson",
        "--rules",
        "api.json",
        "--no-builtin-rules",
    ];
    let usual = desk.run(&arguments).stdout;
    assert!(usual.contains("GET /a1/{b}/p0"), "{usual}");
    let raised = desk.run(&[&arguments[..], &["--max-expansion", "4294967295"]].concat());
    assert_eq!(raised.stdout, usual, "{}", raised.stderr);
}

#[test]
fn what_was_not_searched_is_not_reported_as_missing() {
    let parameters = list(1_000, |at| format!(r#"{{"name":"q{at}","in":"query"}}"#));
    let item = r##"{"$ref":"#/components/pathItems/P"}"##;
    let shared = format!(
        r#""components":{{"pathItems":{{"P":{{"parameters":[{parameters}],"get":{{"responses":{{}}}}}}}}}}"#
    );
    let last = r#""/z":{"get":{"parameters":[{"name":"old","in":"query","deprecated":true}],"responses":{}}}"#;
    let with = |paths_before: usize| {
        let text = paths(paths_before, plain, item, &shared);
        text.replace(r#"},"components""#, &format!(r#",{last}}},"components""#))
    };
    let rules = "api = \"X\"\nbase_path = \"/\"\n[[rule]]\nid = \"o\"\noperation = \"GET /z\"\nparameter = \"old\"\nremoval = 2027-01-15\n";
    let desk = Desk::new()
        .with("rules.toml", rules)
        .with("few.json", with(10))
        .with("many.json", with(1_000));
    let reported = |file: &str| {
        let arguments = ["check", file, "--rules", "rules.toml", "--no-builtin-rules"];
        run_in_little(&desk, &arguments).unwrap().stdout
    };
    let few = reported("few.json");
    assert!(few.contains("[exposed/o]"), "{few}");
    let many = reported("many.json");
    assert!(many.contains("share more than the limit"), "{many}");
    for check in ["removed-early", "never-matched", "unknown-to-table"] {
        assert!(!many.contains(check), "{check} in {many}");
    }
    let desk = desk.with("sundown.toml", "max-expansion = 10\n");
    let arguments = [
        "check",
        "many.json",
        "--rules",
        "rules.toml",
        "--no-builtin-rules",
    ];
    let raised = desk.run(&arguments).stdout;
    assert!(
        raised.contains("[exposed/o]") && !raised.contains("more than the limit"),
        "{raised}"
    );
}

#[test]
fn a_description_without_shared_parts_is_never_cut() {
    let item = r#"{"get":{"responses":{}}}"#;
    let path = |at: usize| format!("/{}/p{at}", "long".repeat(20));
    let text = paths(60_000, path, item, r#""x-none":1"#);
    let desk = Desk::new().with("api.json", text);
    let ran = desk.run(&["check", "api.json"]);
    assert!(
        !ran.stdout.contains("more than the limit"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_truncated_description_makes_no_rules() {
    let item = r#"{"get":{"deprecated":true,"responses":{}}}"#;
    let of = |count| {
        let servers = list(count, |at| format!(r#"{{"url":"/v{at}"}}"#));
        paths(1, plain, item, &format!(r#""servers":[{servers}]"#))
    };
    // Nothing is called by the servers of a webhook.
    let hook = of(1).replace("\"paths\"", "\"webhooks\":{\"w\":{\"post\":{}}},\"paths\"");
    let servers = list(80, |at| format!(r#"{{"url":"/w{at}"}}"#));
    let hook = hook.replace(
        "\"post\":{}",
        &format!("\"servers\":[{servers}],\"post\":{{}}"),
    );
    let call = |at: usize| format!("{{\"method\":\"GET\",\"url\":\"/v{at}/p0\"}}\n");
    let desk = Desk::new()
        .with("few.json", of(64))
        .with("many.json", of(65))
        .with("hook.json", hook)
        .with("log.ndjson", call(3) + &call(63));
    let run = |rules| {
        let arguments = [
            "check",
            "log.ndjson",
            "--rules",
            rules,
            "--no-builtin-rules",
        ];
        run_in_little(&desk, &arguments).unwrap()
    };
    let few = run("few.json");
    assert!(
        few.stdout.contains("2 warnings") || few.stdout.contains("2 notes"),
        "{}",
        few.stdout
    );
    assert_eq!(run("hook.json").code, 0);
    let many = run("many.json");
    assert_eq!(many.code, 2, "{}", many.stdout);
    assert!(
        many.stderr.contains("the servers have more paths"),
        "{}",
        many.stderr
    );
    assert!(many.stderr.contains(RAISE_EXPANSION), "{}", many.stderr);
    let raised = |arguments: &[&str]| desk.run(&[arguments, &["--max-expansion", "2"]].concat());
    let checked = raised(&[
        "check",
        "log.ndjson",
        "--rules",
        "many.json",
        "--no-builtin-rules",
    ]);
    assert_eq!(checked.stdout, few.stdout.replace("few.json", "many.json"));
    // The references of rules in TOML, resolved by the configuration.
    let rules = "api = \"X\"\ndescription = \"many.json\"\n[[rule]]\nid = \"o\"\noperation = \"GET /v3/p0\"\nremoval = 2027-01-15\n";
    let toml = [
        "check",
        "log.ndjson",
        "--rules",
        "r.toml",
        "--no-builtin-rules",
    ];
    let desk = desk.with("r.toml", rules);
    assert_eq!(desk.run(&toml).code, 2, "{}", desk.run(&toml).stdout);
    let configured = ["rules", "import", "bomb.yaml"];
    let desk = desk
        .with("bomb.yaml", "openapi: 3.1.0\ninfo: {title: x, version: '1'}\npaths:\n  /a:\n    get:\n      deprecated: true\n      responses: {}\n  /b:\n    $ref: 'far.yaml#/b'\n")
        .with("far.yaml", format!("b: {{get: {{deprecated: true, responses: {{}}}}}}\nx: &x {}\nl: [{}]\n", "x".repeat(MEBIBYTE), vec!["*x"; 40].join(",")));
    // A file that it refers to expands to too much.
    assert_eq!(
        desk.run(&configured).code,
        2,
        "{}",
        desk.run(&configured).stdout
    );
    assert!(desk.run(&configured).stderr.contains(RAISE_EXPANSION));
    let both = desk.run(&[&configured[..], &["--max-expansion", "2"]].concat());
    assert_eq!(
        both.stdout.matches("[[rule]]").count(),
        2,
        "{}{}",
        both.stdout,
        both.stderr
    );
    let desk = desk.with("sundown.toml", "max-expansion = 2\n");
    assert_eq!(desk.run(&toml).code, 0, "{}", desk.run(&toml).stderr);
    let raised = |arguments: &[&str]| desk.run(&[arguments, &["--max-expansion", "2"]].concat());
    for command in [
        &["rules", "import", "many.json"][..],
        &["rules", "check", "many.json"],
    ] {
        assert_eq!(desk.run(command).code, 2, "{command:?}");
        assert_eq!(
            raised(command).code,
            0,
            "{command:?}: {}",
            raised(command).stderr
        );
    }
}

/// A configuration, or rules, with patterns that would take a matcher that goes back for ever.
fn patterns() -> (String, String) {
    let stars = format!("**/{}b", "*a".repeat(510));
    let folders = "**/*a*/".repeat(145);
    let config = format!(
        "exclude = [\"{stars}\"]\n[[payload]]\nfiles = [\"{folders}*.json\"]\noperation = \"POST /rest/api/v1/chat\"\nside = \"request\"\n\
         [[allow]]\noperation = \"POST /rest/{}**\"\npointer = \"/{}z\"\nfiles = \"{}x\"\nreason = \"x\"\nuntil = 2026-12-31\n\
         [[log]]\nfiles = [\"{}\"]\nurl = \"/u\"\n",
        "*/".repeat(1_000),
        "**/".repeat(1_000),
        "**/".repeat(340),
        "{a,b}".repeat(200)
    );
    let rules = format!(
        "api = \"X\"\nbase_path = \"/v1\"\n[[rule]]\nid = \"deep-old\"\noperation = \"POST /v1{}/b\"\nfield = \"old\"\nremoval = 2026-12-24\n\
         also = [{{ operation = \"* /v1/**\", at = [\"${}..old\", \"${}..old\"] }}]\n\
         [[rule]]\nid = \"named-old\"\noperation = \"POST /v1/x\"\nfield = \"older\"\nremoval = 2026-12-24\n\
         at = [\"$.items[?match(@.name, '(a+)+b')].older\", \"$.items[?search(@.name, '(a|aa)+[a-z]{{1,300}}!')].older\"]\n",
        "/{a}".repeat(2_999),
        "..a".repeat(300),
        "..*".repeat(300)
    );
    (config, rules)
}

#[test]
fn no_pattern_takes_unbounded_time() {
    let (config, rules) = patterns();
    let nested = (0..400).fold("{\"old\":1}".to_owned(), |inner, _| {
        format!("{{\"a\":{inner},\"b\":1}}")
    });
    let item = format!("{{\"name\":\"{}!\",\"older\":1}}", "a".repeat(60));
    let items = vec![item; 20_000].join(",");
    let line = |path: &str, body: &str| {
        format!("{{\"method\":\"POST\",\"url\":\"/v1{path}\",\"request\":{{\"body\":{body}}}}}\n")
    };
    let log = line(&"/a".repeat(3_000), &nested) + &line("/x", &format!("{{\"items\":[{items}]}}"));
    let long_name = format!("{}.request.json", "a".repeat(200));
    let desk = Desk::new()
        .with("sundown.toml", config)
        .with("rules.toml", rules)
        .with("log.ndjson", log)
        .with("good.ndjson", NEIGHBOUR)
        .with(&long_name, "{}");
    let stars = format!("**/{}b", "*a".repeat(510));
    let folders = "**/".repeat(341) + "*";
    for arguments in [
        &[
            "check",
            ".",
            "--rules",
            "rules.toml",
            "--no-builtin-rules=false",
        ][..],
        &["check", ".", "--exclude", &stars],
        &["check", ".", "--include", &folders],
    ] {
        let ran = run_in_little(&desk, arguments).expect("little memory is enough");
        assert!(
            ran.stdout.contains("good.ndjson:1:63"),
            "{}{}",
            ran.stdout,
            ran.stderr
        );
        assert_eq!(ran.code, 1);
        if arguments.contains(&"--rules") {
            assert!(ran.stdout.contains("deep-old"), "the nested use is found");
            assert!(
                ran.stdout.contains("named-old"),
                "the search matches, and is asked often"
            );
        }
    }
}

#[test]
fn a_pattern_that_is_too_large_is_refused_with_a_remedy() {
    let rules = |filter: &str| {
        format!(
            "api = \"X\"\nbase_path = \"/v1\"\n[[rule]]\nid = \"r\"\noperation = \"POST /v1/x\"\nfield = \"old\"\nremoval = 2026-12-24\nat = [\"$[?{filter}].old\"]\n"
        )
    };
    let desk = Desk::new()
        .with("rules.toml", rules("match(@.a, '(.{1,999}){1,999}')"))
        .with("good.ndjson", NEIGHBOUR);
    let ran = run_in_little(&desk, &["check", ".", "--rules", "rules.toml"]).unwrap();
    assert_eq!(ran.code, 2);
    for text in [
        "rules.toml:8:",
        "a regular expression that is too large",
        "repeat less",
    ] {
        assert!(ran.stderr.contains(text), "no {text:?} in {}", ran.stderr);
    }
}

#[test]
fn globs_beyond_a_limit_are_refused_before_they_are_compiled() {
    let braces = |depth: usize| "{a,".repeat(depth) + &"}".repeat(depth);
    let list = |count: usize| format!("exclude = [{}]\n", "\"a\",".repeat(count));
    let allow = |count: usize| {
        "[[allow]]\nfiles = \"a\"\nreason = \"x\"\nuntil = 2026-12-31\n".repeat(count)
    };
    // Each glob counts 64 bytes more.
    let most = 128 * 1024 / 65;
    for (config, message) in [
        (format!("exclude = [\"{}\"]\n", "a".repeat(1_024)), ""),
        (
            format!("exclude = [\"{}\"]\n", "a".repeat(1_025)),
            "a glob has more than 1024 bytes",
        ),
        (format!("exclude = [\"{}\"]\n", braces(16)), ""),
        (
            format!("exclude = [\"{}\"]\n", braces(17)),
            "braces of a glob nest deeper than 16 levels",
        ),
        (
            format!("exclude = [\"{}\"]\n", braces(60_000)),
            "the globs have more than 128 KiB together",
        ),
        (list(most), ""),
        (list(most + 1), "the globs have more than 128 KiB together"),
        (format!("{}{}", list(most - 1), allow(1)), ""),
        (
            format!("{}{}", list(most - 1), allow(2)),
            "the globs have more than 128 KiB together",
        ),
    ] {
        let desk = Desk::new()
            .with("good.ndjson", NEIGHBOUR)
            .with("sundown.toml", &config);
        let ran = run_in_little(&desk, &["check", "good.ndjson"]).expect("little memory is enough");
        if message.is_empty() {
            assert_eq!(ran.code, 1, "{}", ran.stderr);
        } else {
            assert_eq!(ran.code, 2, "{message}: {}", ran.stdout);
            assert!(
                ran.stderr.contains(message),
                "no {message:?} in {}",
                ran.stderr
            );
        }
    }
    let desk = Desk::new().with("good.ndjson", NEIGHBOUR);
    for flag in ["--exclude", "--include"] {
        let ran = run_in_little(&desk, &["check", ".", flag, &braces(17)]).unwrap();
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains("globs look like"), "{}", ran.stderr);
    }
    let ran = run_in_little(
        &desk,
        &[
            "usage",
            ".",
            "--by",
            "file",
            "--exclude-caller",
            &braces(17),
        ],
    );
    assert!(ran.unwrap().stderr.contains("nest deeper than 16 levels"));
}

/// Rules with this entry.
fn with_rule(entry: &str) -> String {
    format!(
        "api = \"X\"\n[[rule]]\nid = \"r\"\nfield = \"old\"\noperation = \"POST /v1/x\"\n{entry}"
    )
}

#[test]
fn rules_beyond_a_limit_of_selectors_are_refused() {
    let list = |count: usize, one: fn(usize) -> String| {
        let texts: Vec<_> = (0..count).map(|at| format!("\"{}\"", one(at))).collect();
        format!("[{}]", texts.join(","))
    };
    let steps = |count: usize| format!("at = [\"$..old{}\"]\n", "..old".repeat(count - 1));
    let search = |at: usize| format!("$[?search(@.k, 'a{at}')].old");
    let of_value = |at: usize| format!("v{at}");
    let operation = |at: usize| format!("POST /a{at}");
    let plain = |at: usize| format!("$.a{at}.old");
    let tests = |count: usize| vec!["search(@.k, 'a')"; count].join(" || ");
    let group = |operations: usize, selectors: usize| {
        format!(
            "also = [{{ group = \"g\", at = {} }}]\n[groups]\ng = {}\n",
            list(selectors, plain),
            list(operations, operation)
        )
    };
    let values = |values: usize, exceptions: usize| {
        format!(
            "values = {}\nexcept = {}\n",
            list(values, of_value),
            list(exceptions, plain)
        )
    };
    for (entry, message) in [
        (steps(512), ""),
        (steps(513), "more than 512 steps"),
        (format!("at = {}\n", list(64, search)), ""),
        (
            format!("at = {}\n", list(65, search)),
            "more than 64 regular expressions",
        ),
        (format!("at = [\"$[?{}].old\"]\n", tests(16)), ""),
        (
            format!("at = [\"$[?{}].old\"]\n", tests(17)),
            "more than 16 regular expressions",
        ),
        (group(1_000, 1_000), ""),
        (group(1_000, 1_001), "more than 1,000,000 combinations"),
        (values(999, 998), ""),
        (values(1_001, 1_000), "more than 1,000,000 combinations"),
    ] {
        let desk = Desk::new()
            .with("r.toml", with_rule(&entry))
            .with("good.ndjson", NEIGHBOUR);
        let ran = run_in(
            2_000_000,
            &desk,
            &[
                "check",
                "good.ndjson",
                "--rules",
                "r.toml",
                "--no-builtin-rules=false",
            ],
        )
        .expect("memory is enough");
        match message {
            "" => assert_eq!(ran.code, 1, "{}", ran.stderr),
            _ => assert!(
                ran.stdout.contains(message) || ran.stderr.contains(message),
                "no {message:?} in {}{}",
                ran.stdout,
                ran.stderr
            ),
        }
    }
}

#[test]
fn states_of_an_automaton_that_a_body_makes_are_limited() {
    // Each element has another set of positions.
    let rules = with_rule(&format!("at = [\"$..a{}.old\"]\n", ".*".repeat(500)));
    let mut seed = 1_u64;
    let mut body = String::new();
    for _ in 0..100_000 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        body.push_str(if seed >> 63 == 0 {
            "{\"a\":"
        } else {
            "{\"b\":"
        });
    }
    let body = format!("{body}{{\"old\":1}}{}", "}".repeat(100_000));
    let log =
        format!("{{\"method\":\"POST\",\"url\":\"/v1/x\",\"request\":{{\"body\":{body}}}}}\n");
    let desk = Desk::new()
        .with("r.toml", rules)
        .with("a.ndjson", log)
        .with("good.ndjson", NEIGHBOUR);
    let ran = run_in(
        400_000,
        &desk,
        &[
            "check",
            ".",
            "--rules",
            "r.toml",
            "--no-builtin-rules=false",
        ],
    )
    .expect("it ends");
    assert!(
        ran.stdout.contains("too many states"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    assert!(ran.stdout.contains("good.ndjson:1:63"), "{}", ran.stdout);
}

#[test]
fn many_conditions_and_objects_take_little_memory() {
    let rule = |at: usize| {
        let rule = with_rule(&format!("when = {{ field = \"k\", value = \"v{at}\" }}\n"));
        rule.replacen("api = \"X\"\n", "", 1)
            .replacen("\"r\"", &format!("\"r{at}\""), 1)
    };
    let rules = format!("api = \"X\"\n{}", (0..10).map(rule).collect::<String>());
    let body = "{\"old\":1},".repeat(800_000);
    let log = format!(
        "{{\"method\":\"POST\",\"url\":\"/v1/x\",\"request\":{{\"body\":[{body}{{\"old\":1,\"k\":\"v7\"}}]}}}}\n"
    );
    let desk = Desk::new().with("r.toml", rules).with("a.ndjson", log);
    let ran = run_in(500_000, &desk, &["check", ".", "--rules", "r.toml"]);
    let ran = ran.expect("the memory is enough");
    assert!(
        ran.stdout.contains("/800000/old"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn a_call_that_may_be_of_any_operation_is_not_compared_with_each() {
    let rule = |at: usize| {
        format!("[[rule]]\nid = \"r{at}\"\nfield = \"old\"\noperation = \"POST /t{at}/orders\"\n")
    };
    let rules = format!("api = \"X\"\n{}", (0..1_500).map(rule).collect::<String>());
    let call = |at: usize| {
        format!(
            "{{\"method\":\"POST\",\"url\":\"/t{at}***/orders\",\"request\":{{\"body\":{{}}}}}}\n"
        )
    };
    let log = (0..2_000)
        .map(call)
        .collect::<String>()
        .replace("/t0*", "/*");
    let desk = Desk::new().with("r.toml", rules).with("a.ndjson", log);
    let arguments = ["check", "a.ndjson", "--rules", "r.toml", "--strict"];
    let ran = run_in_little(&desk, &arguments).expect("it ends");
    assert!(
        ran.stdout
            .contains("may be of any of many operations: `POST /t0/orders` or one of 1499 others"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    assert_eq!(ran.code, 2);
}

/// A file of so many large calls, each with a use.
fn large_calls(count: usize, length: usize) -> String {
    let filler = "a".repeat(length);
    let call = format!(
        r#"{{"method":"POST","url":"/rest/api/v1/chat","request":{{"body":{{"citations":[],"a":"{filler}"}}}}}}"#
    );
    format!("{call}\n").repeat(count)
}

#[test]
fn large_records_share_one_limit_of_memory_among_all_threads() {
    let (count, length) = (10, 30 * MEBIBYTE);
    let desk = Desk::new().with("large.ndjson", large_calls(count, length));
    // Eight threads that each hold a record and its copy would take 480 MiB. Their stacks are part of the address space.
    let script = "ulimit -v 400000; exec \"$0\" \"$@\"";
    let output = Command::new("/bin/sh")
        .args([
            "-c",
            script,
            env!("CARGO_BIN_EXE_sundown"),
            "check",
            "large.ndjson",
        ])
        .args([
            "--max-record",
            "32M",
            "--threads",
            "8",
            "--as-of",
            "2026-11-20",
        ])
        .env("MALLOC_ARENA_MAX", "1")
        .current_dir(desk.path(""))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("10 records"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(output.status.code(), Some(1), "{text}");
}

#[test]
fn a_record_that_fills_the_limit_of_memory_is_read_while_others_wait() {
    let desk = Desk::new().with("large.ndjson", large_calls(12, 7 * MEBIBYTE));
    for threads in ["1", "2", "7"] {
        let arguments = [
            "check",
            "large.ndjson",
            "--max-record",
            "8M",
            "--threads",
            threads,
        ];
        let ran = desk.run(&arguments);
        assert!(
            ran.stdout.contains("12 records"),
            "{threads}: {}",
            ran.stdout
        );
    }
}
