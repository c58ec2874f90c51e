//! `sundown lsp`: what editors send, and what they get.

mod editor;

use std::process::Command;

use serde_json::{Value, json};

use crate::support::Desk;
use editor::{Editor, apply, uri};

const RULES: &str = r#"
api = "Shop"

[[rule]]
id = "orders-customer"
operation = "POST /v1/orders"
field = "customer"
replacement = "customerId"
removal = 2027-01-31
docs = "https://shop.example/changes"
fix = { rename = "customerId", safe = true }

[[rule]]
id = "orders-total"
operation = "POST /v1/orders"
field = "total"
fix = { remove = true }
"#;

const ORDER: &str = "POST https://shop.example/v1/orders\nContent-Type: application/json\n\n\
    { \"é😀\": 1, \"customer\": \"c-17\", \"total\": 1 }\n";

/// A project with an order.
fn shop() -> Desk {
    Desk::new()
        .with("shop.toml", RULES)
        .with("sundown.toml", "rules = [\"shop.toml\"]\n")
        .with("order.http", ORDER)
}

fn codes(problems: &[Value]) -> Vec<&str> {
    let codes = problems.iter().map(|problem| problem["code"].as_str());
    codes.map(|code| code.unwrap_or("none")).collect()
}

fn messages(problems: &[Value]) -> Vec<&str> {
    problems
        .iter()
        .map(|problem| problem["message"].as_str().unwrap())
        .collect()
}

fn titles(actions: &Value) -> Vec<&str> {
    let actions = actions.as_array().unwrap().iter();
    actions
        .map(|action| action["title"].as_str().unwrap())
        .collect()
}

fn range(line: usize, start: usize, end: usize) -> Value {
    json!({"start": {"line": line, "character": start}, "end": {"line": line, "character": end}})
}

#[test]
fn a_document_is_marked_while_it_is_typed() {
    let desk = shop();
    let file = desk.path("order.http");
    let mut editor = Editor::open(&desk.path(""));
    editor.show(&file, ORDER);
    let problems = editor.sent(&file);
    assert_eq!(codes(&problems), ["orders-customer", "orders-total"]);
    let expected = json!({
        "range": range(3, 12, 22),
        "severity": 2,
        "source": "sundown",
        "code": "orders-customer",
        "codeDescription": {"href": "https://shop.example/changes"},
        "tags": [2],
        "relatedInformation": [],
        "message": "`customer` in the request of POST /v1/orders is deprecated: 72 days left, until 2027-01-31; use `customerId` (at /customer)",
    });
    assert_eq!(problems[0], expected);
    editor.change(&file, &ORDER.replace("customer", "customerId"));
    assert_eq!(codes(&editor.sent(&file)), ["orders-total"]);
    editor.close(&file);
    assert!(editor.sent(&file).is_empty());
    assert_eq!(editor.quit(), Some(0));
}

#[test]
fn keys_rules_and_operations_are_completed_where_they_are_written() {
    let own = "builtin-rules = false\nrules = [\"shop.toml\"]\n";
    let desk = shop().with("sundown.toml", own);
    let mut editor = Editor::open(&desk.path(""));
    let mut completed = |name: &str, text: &str| {
        let file = desk.path(name);
        editor.show(&file, text);
        let line = text.lines().count() - 1;
        let at = text.lines().last().unwrap().chars().count();
        let position = json!({"line": line, "character": at});
        let params = json!({"textDocument": {"uri": uri(&file)}, "position": position});
        let answer = editor.ask("textDocument/completion", &params);
        editor.close(&file);
        assert!(answer.get("error").is_none(), "{answer}");
        let items = answer["result"].as_array().cloned().unwrap_or_default();
        let inserted = items.iter().map(|item| {
            let edit = &item["textEdit"];
            assert_eq!(edit["newText"], item["label"]);
            assert_eq!(edit["range"]["end"], position);
            let start = edit["range"]["start"]["character"].as_u64().unwrap();
            (item["label"].as_str().unwrap().to_owned(), start)
        });
        inserted.collect::<Vec<_>>()
    };
    let ids = |start| ["orders-customer", "orders-total"].map(|id| (id.to_owned(), start));
    let of_shop = |mut items: Vec<(String, u64)>| {
        assert!(items.iter().any(|(id, _)| id == "undated"), "{items:?}");
        items.retain(|(id, _)| id.starts_with("orders-"));
        items
    };
    let completed_in =
        &mut |text: &str| completed("sundown.toml", &format!("{own}[[allow]]\n{text}"));
    assert_eq!(of_shop(completed_in("rule = \"ord")), ids(8));
    let second = completed_in("rule = [\"orders-total\", '");
    assert_eq!(of_shop(second), ids(25));
    let operation = [("POST /v1/orders".to_owned(), 13)];
    assert_eq!(completed_in("operation = \"POST /"), operation);
    let keys =
        |items: Vec<(String, u64)>| items.into_iter().map(|(key, _)| key).collect::<Vec<_>>();
    let of_entry = completed_in("  ru");
    assert!(of_entry.contains(&("rule".to_owned(), 2)), "{of_entry:?}");
    assert!(
        !keys(of_entry).contains(&"rules".to_owned()),
        "keys of another table"
    );
    for elsewhere in [
        "rule = ",
        "rule = \"orders-total\"",
        "reason = \"",
        "rule x",
    ] {
        assert_eq!(completed_in(elsewhere), [], "{elsewhere}");
    }
    let also = format!("{RULES}[[rule]]\noperation = \"POST ");
    assert_eq!(completed("shop.toml", &also), operation);
    let of_rule = keys(completed("shop.toml", &format!("{RULES}[[rule]]\nre")));
    assert!(
        ["removal", "replacement", "when"]
            .iter()
            .all(|key| of_rule.iter().any(|it| it == key))
    );
    assert!(keys(completed("shop.toml", "ap")).contains(&"api".to_owned()));
    assert_eq!(completed("shop.toml", "rule = \""), []);
    assert_eq!(completed("order.http", "rule = \""), []);
}

#[test]
fn an_editor_that_asks_for_problems_is_sent_none() {
    let desk = shop();
    let file = desk.path("order.http");
    let mut editor = Editor::open_to_pull(&desk.path(""));
    editor.show(&file, ORDER);
    assert_eq!(editor.pull(&file).len(), 2);
    editor.close(&file);
    assert!(editor.pull(&file).is_empty());
    editor.notify(
        "workspace/didChangeConfiguration",
        &json!({"settings": null}),
    );
    let next = editor.expect(|message| message["id"].is_string());
    assert_eq!(next["method"], "workspace/diagnostic/refresh");
    assert_eq!(editor.quit(), Some(0));
}

#[test]
fn positions_are_in_the_encoding_that_every_editor_knows() {
    let desk = shop();
    let file = desk.path("order.http");
    let mut editor = Editor::start(&desk.path(""));
    let capabilities = json!({"general": {"positionEncodings": ["utf-8", "utf-16"]}});
    let answer = editor.initialize(&json!({"capabilities": capabilities}));
    assert_eq!(answer["capabilities"]["positionEncoding"], "utf-16");
    editor.show(&file, ORDER);
    assert_eq!(editor.sent(&file)[0]["range"]["start"]["character"], 12);
}

#[test]
fn hovering_says_what_until_when_and_what_to_use() {
    let desk = shop();
    let file = desk.path("order.http");
    let mut editor = Editor::open(&desk.path(""));
    editor.show(&file, ORDER);
    let hover = editor.ask_at("textDocument/hover", &file, (3, 15));
    let page = hover["contents"]["value"].as_str().unwrap();
    assert!(!page.contains("c-17"), "{page}");
    insta::assert_snapshot!(page);
    let nothing = editor.ask_at("textDocument/hover", &file, (3, 2));
    assert_eq!(nothing, Value::Null);
}

#[test]
fn actions_edit_the_document_as_fix_does() {
    let desk = shop();
    let file = desk.path("order.http");
    let mut editor = Editor::open(&desk.path(""));
    editor.show(&file, ORDER);
    let actions = editor.ask_at("textDocument/codeAction", &file, (3, 18));
    assert_eq!(
        titles(&actions),
        [
            "sundown: rename `customer` to `customerId`",
            "sundown: allow `orders-customer` in this file until 2026-12-20 (state the reason)",
            "sundown: explain `orders-customer`"
        ]
    );
    assert_eq!(actions[0]["isPreferred"], true);
    let renamed = ORDER.replace("\"customer\"", "\"customerId\"");
    assert_eq!(apply(ORDER, &actions[0], &file), renamed);
    let unsafe_ones = editor.ask_at("textDocument/codeAction", &file, (3, 38));
    assert_eq!(
        unsafe_ones[0]["title"],
        "sundown: remove `total` (may change the meaning)"
    );
    assert_eq!(unsafe_ones[0]["isPreferred"], false);
    let removed = ORDER.replace(", \"total\": 1", "");
    assert_eq!(apply(ORDER, &unsafe_ones[0], &file), removed);
    let params = json!({
        "textDocument": {"uri": uri(&file)},
        "range": range(0, 0, 0),
        "context": {"diagnostics": [], "only": ["source.fixAll"]},
    });
    let all = editor.ask("textDocument/codeAction", &params)["result"].clone();
    assert_eq!(apply(ORDER, &all[0], &file), renamed);
    let (command, arguments) = (&actions[2]["command"], &actions[2]["command"]["arguments"]);
    let params = json!({"command": command["command"], "arguments": arguments});
    let id = editor.request("workspace/executeCommand", &params);
    let shown = editor.expect(|message| message["method"] == "window/showMessage");
    assert!(
        shown["params"]["message"]
            .as_str()
            .unwrap()
            .starts_with("orders-customer\n")
    );
    assert_eq!(
        editor.expect(|message| message["id"] == id)["result"],
        Value::Null
    );
}

#[test]
fn an_edit_that_is_not_made_has_a_reason() {
    let desk = shop();
    let mut editor = Editor::open(&desk.path(""));
    let both = ORDER.replace("total", "customerId");
    let call = r#"{"method": "POST", "url": "/v1/orders", "request": {"body": {"customer": 1}}}"#;
    for (name, text, at, reason) in [
        (
            "order.http",
            &*both,
            (3, 18),
            "`customerId` is there, too: by hand",
        ),
        (
            "calls.ndjson",
            call,
            (0, 65),
            "the call is recorded: record it again",
        ),
    ] {
        let file = desk.path(name);
        editor.show(&file, text);
        let actions = editor.ask_at("textDocument/codeAction", &file, at);
        assert_eq!(actions[0]["disabled"]["reason"], reason);
        let title = format!("sundown: cannot rename `customer` to `customerId`: {reason}");
        assert_eq!(actions[0]["title"], title);
    }
}

#[test]
fn an_allowance_is_added_to_the_configuration_as_the_editor_has_it() {
    let desk = shop();
    let (file, config) = (desk.path("order.http"), desk.path("sundown.toml"));
    let mut editor = Editor::open(&desk.path(""));
    let text = "# unsaved\nrules = [\"shop.toml\"]";
    editor.show(&config, text);
    editor.show(&file, ORDER);
    assert_eq!(
        codes(&editor.sent(&file)),
        ["orders-customer", "orders-total"]
    );
    let actions = editor.ask_at("textDocument/codeAction", &file, (3, 18));
    let edit = &actions[1]["edit"]["changes"][uri(&config)][0];
    assert_eq!(edit["range"], range(1, 21, 21), "{edit}");
    let table = "\n\n[[allow]]\nrule = \"orders-customer\"\nfiles = \"order.http\"\nreason = \"TODO\"\nuntil = 2026-12-20\n";
    assert_eq!(edit["newText"], table);
    std::fs::write(&config, format!("{text}{table}")).unwrap();
    // The server sees by itself that the file has changed.
    assert_eq!(codes(&editor.sent(&file)), ["orders-total"]);
}

#[test]
fn mistakes_in_configurations_and_rules_are_marked_where_they_are() {
    let desk = shop();
    let (config, rules) = (desk.path("sundown.toml"), desk.path("shop.toml"));
    let mut editor = Editor::open_to_pull(&desk.path(""));
    editor.show(
        &config,
        "rules = [\"shop.toml\"]\npath = [\"x\"]\n[severity]\nno-such-rule = \"note\"\n",
    );
    let problems = editor.pull(&config);
    assert_eq!(problems[0]["range"], range(1, 0, 4));
    editor.change(
        &config,
        "rules = [\"shop.toml\"]\n[severity]\nno-such-rule = \"note\"\n",
    );
    let problems = editor.pull(&config);
    assert_eq!(problems[0]["range"], range(2, 0, 12));
    assert!(messages(&problems)[0].starts_with("there is no rule or check `no-such-rule`"));
    let broken = RULES.replace("2027-01-31", "'soon'");
    std::fs::write(&rules, &broken).unwrap();
    editor.show(&rules, &broken);
    let problems = editor.pull(&rules);
    assert_eq!(
        (problems.len(), &problems[0]["range"]["start"]["line"]),
        (1, &json!(8))
    );
    // An input says why it is not checked.
    let file = desk.path("order.http");
    editor.show(&file, ORDER);
    let problems = editor.pull(&file);
    assert_eq!(
        messages(&problems),
        ["not checked: shop.toml: 1 mistake in the rules"]
    );
    // What is typed is what counts for the mistakes of a file.
    editor.change(&rules, RULES);
    assert!(editor.pull(&rules).is_empty());
    let other = desk.path("other.toml");
    editor.show(&other, "rule = 1\n");
    assert!(editor.pull(&other).is_empty());
}

#[test]
fn each_workspace_folder_has_its_own_configuration() {
    let desk = Desk::new()
        .with("one/shop.toml", RULES)
        .with("one/sundown.toml", "rules = [\"shop.toml\"]\n")
        .with(
            "one/inner/sundown.toml",
            "rules = []\nbuiltin-rules = false\n",
        )
        .with("two/shop.toml", RULES)
        .with(
            "two/sundown.toml",
            "rules = [\"shop.toml\"]\n[severity]\norders-total = \"off\"\n",
        );
    let mut editor = Editor::start(&desk.path(""));
    let folder = |name: &str| json!({"uri": uri(&desk.path(name)), "name": name});
    let folders = json!([folder("one"), folder("two")]);
    let capabilities = json!({"textDocument": {"diagnostic": {}}});
    editor.initialize(&json!({"workspaceFolders": folders, "capabilities": capabilities}));
    for (name, expected) in [
        ("one/a.http", &["orders-customer", "orders-total"][..]),
        ("two/a.http", &["orders-customer"]),
        ("one/inner/a.http", &[]),
    ] {
        let file = desk.path(name);
        editor.show(&file, ORDER);
        assert_eq!(codes(&editor.pull(&file)), expected, "{name}");
    }
    let event = json!({"event": {"removed": [folder("two")], "added": []}});
    editor.notify("workspace/didChangeWorkspaceFolders", &event);
    // A configuration above the file is that of no folder which the user chose.
    std::fs::create_dir_all(desk.path("two/deep")).unwrap();
    let file = desk.path("two/deep/a.http");
    editor.show(&file, ORDER);
    assert!(editor.pull(&file).is_empty());
}

#[test]
fn a_configuration_of_a_stranger_reads_nothing_outside_of_its_repository() {
    let desk = Desk::new()
        .with("outside.toml", format!("{RULES}\nsecret = 'canary'\n"))
        .with("theirs/.git/HEAD", "")
        .with("theirs/a.http", ORDER);
    let folder = desk.path("theirs");
    let (file, config) = (folder.join("a.http"), folder.join("sundown.toml"));
    let mut editor = Editor::open_to_pull(&folder);
    editor.show(&file, ORDER);
    for text in [
        "rules = ['../outside.toml']",
        "baseline = '../outside.toml'",
        "paths = ['..']",
    ] {
        std::fs::write(&config, text).unwrap();
        editor.notify("workspace/didChangeWatchedFiles", &json!({"changes": []}));
        editor.show(&config, text);
        let problems = [editor.pull(&file), editor.pull(&config)].concat();
        let texts = messages(&problems).concat();
        assert!(
            texts.contains("outside of the repository"),
            "{text}: {texts}"
        );
        assert!(!texts.contains("canary"), "{texts}");
    }
    // Nothing was written, either.
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, [".git", "a.http", "sundown.toml"]);
}

#[test]
fn what_is_not_for_this_program_has_no_problems() {
    let desk = shop();
    let mut editor = Editor::open_to_pull(&desk.path(""));
    for (name, text) in [
        ("package.json", r#"{"name": "x", "customer": 1}"#),
        ("main.rs", "fn main() {}\n"),
        ("empty.json", ""),
        ("customer.md", "`customer`\n"),
    ] {
        let file = desk.path(name);
        editor.show(&file, text);
        assert_eq!(messages(&editor.pull(&file)), [""; 0], "{name}");
    }
    let document =
        json!({"uri": "untitled:Untitled-1", "languageId": "http", "version": 1, "text": ORDER});
    editor.notify("textDocument/didOpen", &json!({"textDocument": document}));
    let params = json!({"textDocument": {"uri": "untitled:Untitled-1"}});
    let answer = editor.ask("textDocument/diagnostic", &params);
    assert_eq!(answer["result"]["items"], json!([]));
}

#[test]
fn a_document_that_is_too_large_says_so() {
    let desk = shop();
    let file = desk.path("order.http");
    let mut editor = Editor::open_to_pull(&desk.path(""));
    for (size, expected) in [
        ((4 << 20) - ORDER.len(), None),
        (
            4 << 20,
            Some("not checked: it is larger than 4 MiB; `sundown check` checks it"),
        ),
    ] {
        editor.show(&file, &format!("{ORDER}{}", " ".repeat(size)));
        let problems = editor.pull(&file);
        assert_eq!(
            messages(&problems)
                .into_iter()
                .find(|text| text.starts_with("not")),
            expected
        );
    }
}

#[test]
fn what_is_no_message_is_answered_and_the_session_goes_on() {
    let desk = shop();
    let mut editor = Editor::start(&desk.path(""));
    let code = |answer: &Value| answer["error"]["code"].as_i64().unwrap();
    assert_eq!(code(&editor.ask("textDocument/hover", &json!({}))), -32002);
    editor.notify("textDocument/didOpen", &json!(1));
    editor.initialize(&json!({"capabilities": 7, "rootUri": 3, "processId": "x"}));
    editor.write(b"Content-Length: 4\r\n\r\n{\"a\"");
    assert_eq!(
        code(&editor.expect(|message| message["id"].is_null())),
        -32700
    );
    editor.write(b"X: \xff\r\n\r\n");
    assert_eq!(
        code(&editor.expect(|message| message["id"].is_null())),
        -32700
    );
    for params in [json!([1]), json!({"textDocument": {"uri": 1}}), Value::Null] {
        for (method, expected) in [
            ("textDocument/hover", -32602),
            ("textDocument/codeAction", -32602),
            ("workspace/executeCommand", -32602),
            ("textDocument/rename", -32601),
            ("initialize", -32600),
        ] {
            assert_eq!(code(&editor.ask(method, &params)), expected, "{method}");
        }
        for method in [
            "textDocument/didOpen",
            "textDocument/didChange",
            "textDocument/didClose",
            "$/x",
        ] {
            editor.notify(method, &params);
        }
    }
    editor.ask("shutdown", &Value::Null);
    assert_eq!(code(&editor.ask("textDocument/hover", &json!({}))), -32600);
    editor.notify("exit", &Value::Null);
    assert_eq!(editor.wait(), Some(0));
}

#[test]
fn a_request_that_is_cancelled_or_obsolete_while_it_waits_is_answered_so() {
    let desk = shop();
    let file = desk.path("order.http");
    let mut editor = Editor::open_to_pull(&desk.path(""));
    let large = format!("{ORDER}\n###\n").repeat(10_000);
    let other = desk.path("other.http");
    editor.show(&other, &large);
    editor.show(&file, ORDER);
    let params = |file| json!({"textDocument": {"uri": uri(file)}});
    let slow = editor.request("textDocument/diagnostic", &params(&other));
    let cancelled = editor.request("textDocument/diagnostic", &params(&file));
    let obsolete = editor.request("textDocument/diagnostic", &params(&file));
    editor.change(&file, &large);
    editor.notify("$/cancelRequest", &json!({"id": cancelled}));
    editor.notify("$/cancelRequest", &json!({"id": "another"}));
    assert!(editor.expect(|message| message["id"] == slow)["result"].is_object());
    let answer = editor.expect(|message| message["id"] == cancelled);
    assert_eq!(answer["error"]["code"], -32800);
    let answer = editor.expect(|message| message["id"] == obsolete);
    assert_eq!(answer["error"]["code"], -32801);
}

#[test]
fn the_server_ends_with_the_editor() {
    let desk = shop();
    assert_eq!(Editor::open(&desk.path("")).leave(), Some(1));
    let mut editor = Editor::open(&desk.path(""));
    editor.notify("exit", &Value::Null);
    assert_eq!(editor.wait(), Some(1));
    // Its process is gone, but something else keeps the input open.
    let mut gone = Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    let mut editor = Editor::start(&desk.path(""));
    editor.initialize(&json!({"processId": gone.id(), "capabilities": {}}));
    assert_eq!(editor.wait(), Some(1));
}

/// Numbers that look random (Numerical Recipes).
struct Lottery(u32);

impl Lottery {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        usize::try_from(self.0 >> 8).unwrap() % most.max(1)
    }

    /// The offset of a character.
    fn offset(&mut self, text: &str) -> usize {
        let wanted = self.below(text.len() + 1);
        (wanted..=text.len())
            .find(|at| text.is_char_boundary(*at))
            .unwrap()
    }
}

/// What is typed, at any place or at the beginning of an object.
const TYPED: [&str; 12] = [
    "é", "😀", "\r\n", " ", "\"", "{", "}", ",", "customer", "[", "\\", "\u{2028}",
];
const MEMBERS: [&str; 5] = [
    "\"customer\": \"😀\", ",
    "\"é\": {\"customer\": 1},\r\n",
    "\"total\": [1, 2],\n",
    "\"cust\\u006fmer\": null, ",
    "\"x\": \"\r\", ",
];

/// The texts of a document after each edit.
fn typed_texts(edits: usize) -> Vec<String> {
    const BODY: &str =
        "{\r\n  \"😀\": \"é\", \"customer\": {\"id\": 1},\r\n  \"lines\": [{\"é\": 1}]\r\n}\r\n";
    let mut lottery = Lottery(7);
    let mut text = BODY.to_owned();
    let mut broken = 0;
    let mut texts = Vec::new();
    for _ in 0..edits {
        let objects: Vec<_> = text.match_indices('{').map(|(at, _)| at + 1).collect();
        if broken > 2 || text.len() > 2000 {
            BODY.clone_into(&mut text);
            broken = 0;
        } else if lottery.below(8) > 0 && !objects.is_empty() {
            let at = objects[lottery.below(objects.len())];
            text.insert_str(at, MEMBERS[lottery.below(MEMBERS.len())]);
        } else {
            let (one, other) = (lottery.offset(&text), lottery.offset(&text));
            let end = one.max(other).min(one.min(other) + 40);
            let end = (end..=text.len())
                .find(|at| text.is_char_boundary(*at))
                .unwrap();
            text.replace_range(one.min(other)..end, TYPED[lottery.below(TYPED.len())]);
            broken += 1;
        }
        texts.push(text.clone());
    }
    texts
}

/// The position of an offset, as editors count.
fn position(text: &str, offset: usize) -> Value {
    let (mut line, mut start) = (0, 0);
    for (at, character) in text[..offset].char_indices() {
        if character == '\n' || character == '\r' && !text[at + 1..].starts_with('\n') {
            line += 1;
            start = at + 1;
        }
    }
    json!({"line": line, "character": text[start..offset].encode_utf16().count()})
}

/// The findings of a check of each text, and what could not be checked.
fn check_texts(desk: &Desk, texts: &[String]) -> Vec<Vec<String>> {
    let mut checked = vec![Vec::new(); texts.len()];
    let names: Vec<_> = (0..texts.len()).map(name_of).collect();
    let arguments = [
        "check",
        "--skip-unrelated",
        "--no-fold",
        "--format",
        "ndjson",
    ];
    let names = names.iter().map(String::as_str);
    let ran = desk.run(&arguments.into_iter().chain(names).collect::<Vec<_>>());
    for line in ran.stdout.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let file = line["file"]
            .as_str()
            .and_then(|file| file.strip_prefix("bodies/"));
        let Some(file) = file else { continue };
        let number: usize = file.trim_end_matches(".json").parse().unwrap();
        if line["type"] == "finding" {
            let [start, end] = ["start", "end"].map(|end| {
                let offset = line["span"][end].as_u64().unwrap();
                position(&texts[number], usize::try_from(offset).unwrap())
            });
            checked[number].push(json!([line["rule"], start, end]).to_string());
        } else if line["type"] == "skipped" && line["kind"] == "failed" {
            checked[number].push("not checked".to_owned());
        }
    }
    checked
}

fn name_of(number: usize) -> String {
    format!("bodies/{number:05}.json")
}

#[test]
fn after_any_edits_the_marks_are_the_findings_of_a_check() {
    let count = if std::env::var_os("SUNDOWN_TESTS").is_some() {
        20_000
    } else {
        2_000
    };
    let texts = typed_texts(count);
    let config = "rules = [\"shop.toml\"]\n[[payload]]\nfiles = \"bodies/**\"\noperation = \"POST /v1/orders\"\nside = \"request\"\n";
    let mut desk = Desk::new()
        .with("shop.toml", RULES)
        .with("sundown.toml", config);
    for (number, text) in texts.iter().enumerate() {
        desk = desk.with(&name_of(number), text);
    }
    let checked = check_texts(&desk, &texts);
    let found: usize = checked.iter().map(Vec::len).sum();
    assert!(found > count, "{found}");
    let file = desk.path("bodies/live.json");
    let mut editor = Editor::open_to_pull(&desk.path(""));
    editor.show(&file, "");
    for (text, mut expected) in texts.iter().zip(checked) {
        editor.change(&file, text);
        let problems = editor.pull(&file);
        let mut marked: Vec<_> = problems
            .iter()
            .map(|problem| match &problem["code"] {
                Value::Null => "not checked".to_owned(),
                code => {
                    json!([code, problem["range"]["start"], problem["range"]["end"]]).to_string()
                }
            })
            .collect();
        marked.sort();
        expected.sort();
        // Around a place where the text breaks off, the editor keeps marks that a check does not report.
        if expected.contains(&"not checked".to_owned()) {
            marked.retain(|mark| expected.contains(mark));
        }
        assert_eq!(marked, expected, "{text:?}");
    }
}
