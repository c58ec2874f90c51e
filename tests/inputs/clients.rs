//! The files of API clients: the same calls give the same findings, whatever keeps them; variables, quoting, and what is
//! broken.

use std::collections::BTreeSet;

use crate::support::Desk;

/// The findings as `line:column`, and the reasons of what was not checked.
fn findings_and_skips(desk: &Desk, file: &str) -> (Vec<String>, Vec<String>) {
    let ran = desk.run(&["check", file, "--format", "json", "--no-fold"]);
    let ran = if ran.stdout.is_empty() {
        desk.run(&["check", file, "--format", "json"])
    } else {
        ran
    };
    let report: serde_json::Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    let findings = report["findings"].as_array().unwrap().iter();
    let skipped = report["skipped"].as_array().unwrap().iter();
    (
        findings
            .map(|f| format!("{}:{}", f["line"], f["column"]))
            .collect(),
        skipped
            .map(|skip| skip["reason"].as_str().unwrap().to_owned())
            .filter(|reason| reason != "nothing-to-check")
            .collect(),
    )
}

fn places(name: &str, content: &str) -> (Vec<String>, Vec<String>) {
    findings_and_skips(&Desk::new().with(name, content), name)
}

fn at(places: &[&str]) -> Vec<String> {
    places.iter().map(|place| (*place).to_owned()).collect()
}

#[test]
fn commands_are_read_as_words() {
    let uses = [
        // Variables, substitutions, continuations, comments.
        (
            "#!/bin/sh\nBASE=https://h/rest/api/v1 # it's c\nif true; then\n  R=$(curl -s \"$BASE/rest/api/v1/chat\" \\\n    -d '{\"citations\": []}')\nfi\n",
            "5:10",
        ),
        (
            "#!/bin/sh\ncurl -d '{\"citations\": []}' \"${URL:-https://h}/rest/api/v1/chat\"\n",
            "2:11",
        ),
        (
            "#!/bin/sh\ncurl \"$HOST/rest/api/v1/chat\" -d \"{\\\"id\\\": $ID, \\\"citations\\\": []}\"\n",
            "2:49",
        ),
        (
            "#!/bin/sh\ncurl h/rest/api/v1/chat -d '{\"id\": '\"$ID\"', \"citations\": []}'\n",
            "2:45",
        ),
        // Options.
        (
            "curl -sSXPOST -d'{\"citations\": []}' --url h/rest/api/v1/chat",
            "1:19",
        ),
        (
            "curl https://h/x --next --json '{\"citations\"' --json ': []}' -o /dev/null h/rest/api/v1/chat",
            "1:34",
        ),
        (
            "curl -d $'{\\n\\'citations\\': 1,\"citations\": []}' $'h/rest/api/v1/ch\\x61t'",
            "",
        ),
        (
            "# c\n$ curl -d $'{\\u0022citations\\u0022: []}' h/rest/api/v1/chat",
            "2:14",
        ),
    ];
    for (script, place) in uses {
        let (found, skipped) = places("calls", script);
        if place.is_empty() {
            assert_eq!(
                (found, skipped),
                (vec![], at(&["invalid-json"])),
                "{script}"
            );
        } else {
            assert_eq!((found, skipped), (at(&[place]), vec![]), "{script}");
        }
    }
}

#[test]
fn calls_anywhere_in_a_script_are_read() {
    let uses = [
        (
            "curl --json='{\"citations\": []}' h/rest/api/v1/chat",
            "1:15",
        ),
        (
            "#!/bin/sh\ncurl h/rest/api/v1/chat --data='{\"citations\": []}' -s",
            "2:34",
        ),
        (
            "#!/bin/sh\nenv A=b time curl h/rest/api/v1/chat -d '{\"citations\": 1}'\n",
            "2:43",
        ),
        // Commands in other commands.
        (
            "#!/bin/sh\na | curl h/rest/api/v1/chat -d '{\"citations\": 1}' | b\n",
            "2:34",
        ),
        (
            "#!/bin/sh\nfor i in 1 2; do x=`curl h/rest/api/v1/chat -d '{\"citations\": 1}'`; done\n",
            "2:50",
        ),
        (
            "#!/bin/sh\ncat <<EOF | a\n$(curl h/rest/api/v1/chat -d '{\"citations\": 1}')\nEOF\n",
            "3:32",
        ),
    ];
    for (script, place) in uses {
        assert_eq!(places("calls", script), (at(&[place]), vec![]), "{script}");
    }
}

#[test]
fn calls_for_cmd_are_read_as_browsers_write_them() {
    let uses = [
        (
            "curl ^\"h/rest/api/v1/chat^\" ^\n  -H ^\"a: b^\" ^\n  --data-raw ^\"^{^\\^\"citations^\\^\":^[^]^}^\"",
            "3:18",
        ),
        (
            "curl ^\"h/rest/api/v1/chat^\" ^\r\n  --data-raw ^\"^{^\r\n\r\n^\\^\"citations^\\^\":^[^]^}^\" &\r\ncurl ^\"h/^\"\r\n",
            "4:1",
        ),
        (
            "curl \"h/rest/api/v1/chat\" ^\n  --data-raw \"{\\\"a\\\":\\\"^\\\\n'\\\",\\\"citations\\\":[]}\" --compressed",
            "2:32",
        ),
        (
            "curl \"h/rest/api/v1/chat\" ^\n  --data-raw \"{\"\"a\"\":1,\"\"citations\"\":[]}\"",
            "2:24",
        ),
        (
            "curl h/health\ncurl ^\"h/rest/api/v1/chat^\" -d ^\"^{^\\^\"citations^\\^\":^\\^\"$x^\\^\"^}^\"",
            "2:36",
        ),
    ];
    for (script, place) in uses {
        let script = format!("#!/bin/sh\n{script}");
        let (line, column) = place.split_once(':').unwrap();
        let place = format!("{}:{column}", line.parse::<u32>().unwrap() + 1);
        assert_eq!(
            places("calls", &script),
            (at(&[&place]), vec![]),
            "{script}"
        );
    }
    for (script, reason) in [
        (
            "curl ^\"https://h/rest/api/v1/chat^\" ^\n -d ^\"^{^\n",
            "truncated",
        ),
        (
            "curl \"https://h/rest/api/v1/chat\" ^\n -d \"{\n\"",
            "truncated",
        ),
        (
            "curl.exe -X POST `\n  https://h\n\ncurl https://h/rest/api/v1/chat `\n -d '{\"citations\":[]}'",
            "unread-call",
        ),
    ] {
        let script = format!("#!/bin/sh\n{script}");
        assert_eq!(
            places("calls", &script),
            (vec![], at(&[reason])),
            "{script}"
        );
    }
}

#[test]
fn what_a_call_does_not_contain_is_reported() {
    for (script, reason) in [
        ("curl -d @body.json h/rest/api/v1/chat", "body-missing"),
        (
            "curl -T body.json -X POST h/rest/api/v1/chat",
            "body-missing",
        ),
        ("curl -d \"$BODY\" h/rest/api/v1/chat", "body-missing"),
        ("curl -F a=@b.txt h/rest/api/v1/chat", "body-missing"),
        (
            "curl --data-urlencode a@b.txt h/rest/api/v1/chat",
            "body-missing",
        ),
        ("curl -d '{}' \"$URL\"", "no-exchange"),
        (
            "curl -X POST h/rest/api/v1/chat -d '{\"citations\": []}",
            "truncated",
        ),
        (
            "#!/bin/sh\n# curl\n$CURL https://h/rest/api/v1/chat -d '{}'\n",
            "no-exchange",
        ),
        ("#!/bin/sh\ncurl -K calls.txt\n", "no-exchange"),
        ("#!/bin/sh\ncat urls | xargs curl -s\n", "no-exchange"),
        (
            "curl -X POST https://h/rest/api/v1/chat \"${args[@]}\"",
            "body-missing",
        ),
        (
            "#!/bin/sh\necho '{\"citations\": []}' | curl -d @- h/rest/api/v1/chat\n",
            "body-missing",
        ),
        (
            "#!/bin/sh\ncat <<EOF | curl -d @- h/rest/api/v1/chat\n{\"citations\": []}\nEOF\n",
            "body-missing",
        ),
        (
            "#!/bin/sh\ncurl -d \"$(cat body.json)\" h/rest/api/v1/chat\n",
            "body-missing",
        ),
        (
            "#!/bin/sh\nbash -c \"curl h/rest/api/v1/chat -d '{}'\"\n",
            "no-exchange",
        ),
        (
            "#!/bin/sh\nsudo ssh -p 22 h 'curl h/rest/api/v1/chat -d 1'\n",
            "no-exchange",
        ),
        (
            "#!/bin/sh\ncmd='curl h/rest/api/v1/chat -d 1'\neval \"$cmd\"\n",
            "no-exchange",
        ),
        (
            "#!/bin/sh\nsu - app -c \"curl h/rest/api/v1/chat -d '{}'\"\n",
            "no-exchange",
        ),
        (
            "#!/bin/sh\nwatch 'curl h/rest/api/v1/chat -d 1'\n",
            "no-exchange",
        ),
        (
            "#!/bin/sh\nCURL='curl -s -X POST'\n$CURL h/rest/api/v1/chat -d '{\"citations\": 1}'\n",
            "no-exchange",
        ),
        (
            "curl -X POST h/rest/api/v1/chat -d @- <<EOF\n{\"citations\": []}\nEOF\n",
            "body-missing",
        ),
        (
            "#!/bin/sh\ncurl h/rest/api/v1/chat -d @- <<< '{\"citations\": []}'\n",
            "body-missing",
        ),
        (
            "#!/bin/sh\nDATA='{\"citations\": []}'\ncurl h/rest/api/v1/chat -d \"$DATA\"\n",
            "body-missing",
        ),
        (
            "#!/bin/sh\ncurl ^\"h/rest/api/v1/chat^\" ^\n -d \"%DATA%\"",
            "body-missing",
        ),
    ] {
        assert_eq!(places("calls", script), (vec![], at(&[reason])), "{script}");
    }
    let get = "curl -G -d trackingToken=1 h/rest/api/v1/chat";
    assert_eq!(
        places("calls", get),
        (vec![], vec![]),
        "a query is no body, and GET another operation"
    );
}

#[test]
fn a_word_that_is_also_the_name_of_a_program_is_no_call() {
    for script in [
        "#!/bin/sh\necho curl https://h/rest/api/v1/chat\n",
        "#!/bin/sh\n# curl\nwget --post-data='{\"citations\": []}' https://h/rest/api/v1/chat\n",
        "#!/bin/sh\n# curl\necho \"bash -c 'curl -d 1 h/rest/api/v1/chat'\"\n",
        "#!/bin/sh\n# curl\neval \"$(ssh-agent)\"\n",
        "#!/bin/sh\nbash -c \"apt-get install -y curl git\"\n",
        "#!/bin/sh\nsh -c 'command -v curl >/dev/null'\n",
        "#!/bin/sh\necho bash -c \"curl -d 1 h/rest/api/v1/chat\"\n",
    ] {
        assert_eq!(places("calls", script), (vec![], vec![]), "{script}");
    }
}

#[test]
fn a_broken_call_does_not_hide_the_others() {
    let good = "curl https://h/rest/api/v1/chat -d '{\"citations\": []}'\n";
    let broken = good.replace("]}'", "]}");
    let (found, skipped) = places("calls", &format!("{good}{broken}{good}"));
    assert_eq!(
        (found.len(), skipped),
        (1, at(&["truncated"])),
        "both are folded into one"
    );
    let ran = Desk::new()
        .with("calls", format!("{good}{broken}{good}"))
        .run(&["check", "calls"]);
    assert!(ran.stdout.contains("and 1 more like it"), "{}", ran.stdout);
}

#[test]
fn request_files_are_read_as_editors_read_them() {
    let file = "@base = https://h/rest/api/v1\n\n### One\n# @name one\n// c\nPOST {{base}}/chat?a=1\n    &b=2 HTTP/1.1\nContent-Type: application/json\n# c\n\n{\n  \"id\": {{id}},\n  \"citations\": []\n}\n\n> {%\n  client.test();\n%}\n<> 1.json\n\n### Two\n< {%\n  x\n%}\nPOST https://h/rest/api/v1/chat\n\n< ./body.json\n\n### Three\ncurl h/rest/api/v1/chat -d '{\"citations\": []}'\n\n###\nnothing at all\n";
    for text in [
        file.to_owned(),
        file.replace('\n', "\r\n"),
        format!("\u{feff}{file}"),
    ] {
        let desk = Desk::new().with("a.http", &text);
        let (found, skipped) = findings_and_skips(&desk, "a.http");
        assert_eq!(found, at(&["13:3"]), "{text}");
        assert_eq!(
            skipped.into_iter().collect::<BTreeSet<_>>(),
            at(&["body-missing", "no-exchange"]).into_iter().collect(),
            "{text}"
        );
        let ran = desk.run(&["check", "a.http"]);
        assert!(ran.stdout.contains("and 1 more like it"), "{}", ran.stdout);
    }
}

/// Checks a text as a Hurl file. `«` marks the locations of findings, and is removed.
fn check_hurl(marked: &str) -> Vec<String> {
    check_marked("a.hurl", marked)
}

/// Requires a finding at each mark, and returns the reasons of what was not checked.
fn check_marked(name: &str, marked: &str) -> Vec<String> {
    let (mut expected, mut text) = (Vec::new(), String::new());
    for piece in marked.split_inclusive('«') {
        text.push_str(piece.trim_end_matches('«'));
        if piece.ends_with('«') {
            let line = text.lines().count() + usize::from(text.ends_with('\n'));
            let column = text.len() - text.rfind('\n').map_or(0, |at| at + 1) + 1;
            expected.push(format!("{line}:{column}"));
        }
    }
    let (found, skipped) = places(name, &text);
    assert_eq!(found, expected, "{text}");
    skipped
}

#[test]
fn what_httpyac_writes_around_a_request_belongs_to_no_body() {
    let request =
        "POST https://h/rest/api/v1/chat\nContent-Type: application/json\n\n{\"citations\": []}\n";
    let get = "GET https://h/rest/api/v1/chat";
    for (file, expected) in [
        (
            format!("{request}\n?? status == 200\n?? body a == b\n"),
            vec!["4:2"],
        ),
        (
            format!("{request}?? js 1 == 1\n\n{{{{\n  test(1);\n}}}}\n"),
            vec!["4:2"],
        ),
        (
            format!("{get}\n?? header a: == b\n\n###\n{request}"),
            vec!["8:2"],
        ),
        (format!("# @disabled\n{request}\n###\n{get}\n"), vec![]),
        (
            format!("###\n# @name a\n// @disabled\n{request}\n###\n{request}"),
            vec!["13:2"],
        ),
        (format!("# @disabled-not\n{request}"), vec!["5:2"]),
        (format!("# @disabled a == 1\n{request}"), vec!["5:2"]),
    ] {
        assert_eq!(places("a.http", &file), (at(&expected), vec![]), "{file}");
    }
}

#[test]
fn exports_of_insomnia_are_read_in_all_versions() {
    let old = r#"{"_type": "export", "__export_format": 2, "resources": [{"_type": "request", "url": "https://h/rest/api/v1/chat", "method": "POST", "body": "{\"citations\": []}"}]}"#;
    let (found, skipped) = places("a.json", old);
    assert_eq!((found.len(), skipped), (1, vec![]));
    let yaml = "_type: export\n__export_format: 4\nresources:\n  - _id: req_1\n    _type: request\n    url: \"{{ _.base }}/rest/api/v1/chat\"\n    method: POST\n    body:\n      mimeType: application/json\n      text: |-\n        {\"citations\": []}\n  - _type: environment\n    data:\n      base: https://h\n";
    for text in [
        yaml.to_owned(),
        yaml.replacen(
            "_type: export\n__export_format: 4",
            "__export_format: 4\n_type: export",
            1,
        ),
    ] {
        assert_eq!(places("a.yaml", &text), (at(&["11:10"]), vec![]), "{text}");
    }
    let flow = "{_type: export, __export_format: 4, resources: [{_type: request, url: 'https://h/rest/api/v1/chat', method: POST, body: {text: '{\"citations\": []}'}}]}\n";
    assert_eq!(places("a.yaml", flow), (at(&["1:130"]), vec![]));
}

#[test]
fn requests_and_examples_of_opencollection_are_read_alone_and_in_bundles() {
    let one = "info:\n  name: a\n  type: http\nhttp:\n  method: post\n  url: '{{base}}/chat'\n  headers:\n    - name: A\n      value: b\n  body:\n    type: json\n    data: |-\n      {«\"citations\": []}\nruntime:\n  variables:\n    - name: base\n      value: https://h/rest/api/v1\nexamples:\n  - name: saved\n    request:\n      url: https://h/rest/api/v1/chat\n      method: POST\n    response:\n      status: 200\n      body:\n        type: json\n        data: '{«\"citations\": []}'\n";
    let bundle = "opencollection: 1.0.0\ninfo:\n  name: b\nconfig:\n  environments:\n    - name: dev\n      variables:\n        - name: base\n          value: https://h/rest/api/v1\nitems:\n  - info: {name: f, type: folder}\n    items:\n      - info: {name: a, type: http}\n        http:\n          method: POST\n          url: '{{base}}/chat'\n          body:\n            type: form-urlencoded\n            data:\n              - name: citations\n                value: x\n                disabled: true\n              - name: messages[0][«citations]\n                value: x\n";
    for marked in [one, bundle] {
        assert_eq!(check_marked("a.yml", marked), at(&[]), "{marked}");
    }
    let file = one.replace(
        "type: json\n    data: |-\n      {«\"citations\": []}",
        "type: file\n    data:\n      - filePath: «b.json\n        selected: true",
    );
    let file = file.replace("{«\"citations\": []}", "{}").replace('«', "");
    let desk = Desk::new()
        .with("a.yml", file)
        .with("b.json", "{\"citations\": []}");
    assert_eq!(findings_and_skips(&desk, "a.yml").0, at(&["13:19"]));
    let environment = "name: dev\nvariables:\n  - name: base\n    value: https://h\n";
    assert_eq!(places("a.yml", environment).1, at(&["unknown-format"]));
}

#[test]
fn records_in_yaml_are_read_in_the_shapes_of_those_in_json() {
    let keploy = "# Generated\nversion: api.keploy.io/v1beta1\nkind: Http\nname: test-1\nspec:\n  metadata: {}\n  req:\n    method: POST\n    url: http://h/rest/api/v1/chat\n    header:\n      Host: h\n    body: '{\"id\": \"it''s\", «\"citations\": []}'\n    timestamp: 2026-10-01T09:16:49.123652478Z\n  resp:\n    status_code: 200\n    header: {}\n    body: |-\n      {\n        «\"citations\": []\n      }\n---\nversion: api.keploy.io/v1beta1\nkind: Postgres\nname: mock-2\nspec: {}\n";
    assert_eq!(check_marked("a.yaml", keploy), at(&["no-exchange"]));
    let contract = "description: |\n  a contract\nrequest:\n  method: POST\n  urlPath: /rest/api/v1/chat\n  body:\n    «citations: []\nresponse:\n  status: 200\n  body:\n    messages:\n      - «citations: x\n";
    assert_eq!(check_marked("a.yml", contract), at(&[]));
    let list = "- request:\n    method: POST\n    path: /rest/api/v1/chat\n    body: '{«\"citations\": []}'\n  response:\n    status: 200\n";
    assert_eq!(check_marked("a.yml", list), at(&[]));
    for other in [
        "request: {method: x}\nresponse: a text\n",
        "services:\n  request:\n    method: POST\n  response:\n    status: 1\n",
    ] {
        assert_eq!(
            places("a.yml", other),
            (vec![], at(&["unknown-format"])),
            "{other}"
        );
    }
}

#[test]
fn what_a_client_keeps_and_does_not_send_is_no_use() {
    let thunder = |body: &str| {
        format!(
            r#"{{"clientName": "Thunder Client", "requests": [{{"_id": "1", "colId": "c", "name": "a", "url": "https://h/rest/api/v1/chat", "method": "POST", "headers": [{{"name": "A", "value": "b", "isDisabled": true}}], "params": [{{"name": "id", "value": "1", "isPath": true}}], "body": {body}, "tests": []}}]}}"#
        )
    };
    for body in [
        r#"{"type": "formencoded", "raw": "", "form": [{"name": "«citations", "value": "1"}, {"name": "boardId", "value": "1", "isDisabled": true}]}"#,
        r#"{"type": "formdata", "raw": "", "form": [{"name": "messages[0][«citations]", "value": "1"}], "files": []}"#,
        r#"{"type": "json", "raw": "{«\"citations\": []}", "form": [{"name": "citations", "value": "1"}]}"#,
    ] {
        assert_eq!(check_marked("a.json", &thunder(body)), at(&[]), "{body}");
    }
}

#[test]
fn the_fields_of_forms_are_members_at_their_places() {
    for (name, marked) in [
        ("a.sh", curl("-d 'id=1' -d «citations=2")),
        ("a.sh", curl("--data-urlencode 'messages[0][«citations]=a & b' -d id=1")),
        ("a.sh", curl("--data-urlencode 'messages=[{«\"citations\": [\"é\"]}]' -d id=1")),
        ("a.sh", curl("--data-urlencode 'id=citations=1&citations'")),
        ("a.sh", curl("-F id=1 -F 'messages={«\"citations\": []};type=application/json'")),
        ("a.sh", curl("-F 'messages=\"{«\\\"citations\\\": \\\"a;b\\\"}\"' -F '«citations=a;b'")),
        ("a.sh", curl("--form-string 'messages={\"a\": \";\", «\"citations\": []}'")),
        (
            "a.json",
            postman(
                r#"{"mode": "urlencoded", "urlencoded": [{"key": "citations", "value": 1, "disabled": true}, {"key": "messages[0][«citations]", "value": "1"}]}"#,
            ),
        ),
        (
            "a.json",
            postman(
                r#"{"mode": "formdata", "formdata": [{"key": "messages", "type": "text", "value": "[{«\"citations\": {{x}}}]"}]}"#,
            ),
        ),
        ("a.json", postman(r#"{"mode": "urlencoded", "urlencoded": "id=1&«citations=1"}"#)),
        (
            "a.http",
            "POST https://h/rest/api/v1/chat\nContent-Type: application/x-www-form-urlencoded\n\n«citations={{id}}&messages={\"a\": {{b}}, «\"citations\": []}&{{c}}={{d}}\n".to_owned(),
        ),
        (
            "a.http",
            multipart_file("{\"a\": {{b}}, «\"citations\": \"//\"}", "https://h/x"),
        ),
        (
            "a.json",
            insomnia(
                r#"{"mimeType": "multipart/form-data", "params": [{"name": "messages[0].«citations", "value": "1"}, {"name": "citations", "value": "", "disabled": true}]}"#,
            ),
        ),
        (
            "a.bru",
            bruno(
                "formUrlEncoded",
                "form-urlencoded",
                "  ~citations: 1\n  messages[0][«citations]: 1\n  \"«citations\": 2\n",
            ),
        ),
        (
            "a.bru",
            bruno(
                "multipartForm",
                "multipart-form",
                "  id: 1\n  messages: '''\n  {«\"citations\": []}\n  ''' @contentType(application/json)\n",
            ),
        ),
        ("a.hurl", hurl("[Form]\nid: 1\nmessages[0][«citations]: {{a}} # c\n")),
        ("a.hurl", hurl("[Multipart]\nid: 1\nmessages: {«\"citations\": []}\n[Options]\na: 1\n")),
    ] {
        assert_eq!(check_marked(name, &marked), at(&[]), "{marked}");
    }
    let broken = postman(
        r#"{"mode": "formdata", "formdata": [{"key": "messages", "value": "[{\"citations\": }]"}]}"#,
    );
    assert_eq!(check_marked("a.json", &broken), at(&["invalid-json"]));
}

#[test]
fn a_form_with_a_field_in_a_file_is_reported_and_its_other_fields_are_checked() {
    for (name, marked) in [
        ("a.sh", curl("-d @form.txt -d «citations=1")),
        ("a.sh", curl("-d «citations=1 -d \"$REST\"")),
        ("a.sh", curl("-F file=@a.png -F «citations=1")),
        ("a.sh", curl("--data-urlencode «citations@a.txt")),
        (
            "a.json",
            postman(
                r#"{"mode": "formdata", "formdata": [{"key": "«citations", "type": "file", "src": "a.png"}]}"#,
            ),
        ),
        (
            "a.json",
            insomnia(
                r#"{"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "{{name}}", "value": "1"}, {"name": "«citations", "value": "1"}]}"#,
            ),
        ),
        (
            "a.bru",
            bruno(
                "multipartForm",
                "multipart-form",
                "  «citations: @file(a.png)\n",
            ),
        ),
        (
            "a.hurl",
            hurl("[Multipart]\n«citations: file,a.png; image/png\n"),
        ),
        (
            "a.http",
            multipart_file("{«\"citations\": []}", "< ./a.png"),
        ),
    ] {
        assert_eq!(
            check_marked(name, &marked),
            at(&["body-missing"]),
            "{marked}"
        );
    }
}

fn curl(arguments: &str) -> String {
    format!("#!/bin/sh\ncurl h/rest/api/v1/chat {arguments}\n")
}

fn postman(body: &str) -> String {
    format!(
        r#"{{"info": {{"_postman_id": "x"}}, "item": [{{"request": {{"method": "POST", "url": "/rest/api/v1/chat", "body": {body}}}}}]}}"#
    )
}

fn multipart_file(messages: &str, citations: &str) -> String {
    format!(
        "POST https://h/rest/api/v1/chat\nContent-Type: multipart/form-data; boundary=b\n\n--b\nContent-Disposition: form-data; name=\"messages\"\nContent-Type: application/json\n\n{messages}\n--b\nContent-Disposition: form-data; name=\"«citations\"\n\n{citations}\n--b--\n"
    )
}

fn insomnia(body: &str) -> String {
    format!(
        r#"{{"_type": "export", "__export_format": 4, "resources": [{{"_type": "request", "method": "POST", "url": "/rest/api/v1/chat", "body": {body}}}]}}"#
    )
}

fn bruno(mode: &str, block: &str, fields: &str) -> String {
    format!(
        "meta {{\n}}\n\npost {{\n  url: h/rest/api/v1/chat\n  body: {mode}\n}}\n\nbody:{block} {{\n{fields}}}\n"
    )
}

fn hurl(sections: &str) -> String {
    format!("POST https://h/rest/api/v1/chat\n{sections}HTTP 200\n")
}

#[test]
fn all_sections_and_bodies_of_hurl_files_are_read() {
    let with_sections = "# c\nPOST {{base}}/rest/api/v1/chat # c\nX-a: b # c\n[Options]\nvariable: base=https://h\nretry: 2\n[QueryStringParams]\na: {{b}}\n[BasicAuth]\nu: p\n[Cookies]\nc: d\n\n# c\n{\n  \"id\": {{id}}, \"a\": \"{{b}} } \\\" {\",\n  «\"citations\": []\n} # c\n\nHTTP/1.1 200 # c\nB: c\n[Captures]\nid: jsonpath \"$.id\"\n[Asserts]\nstatus == 200\nbody == ```\nPOST https://h/rest/api/v1/chat\n{\"citations\": []}\n```\nbody == \"<a>\n<b>\n{}\"\nstatus == 200 # \"\nheader \"a\" matches /[{`\"]/\n{\"messages\": [{«\"citations\": []}]}\n\nPOST https://h/rest/api/v1/chat\n{\"messages\": [{«\"citations\": []}]}\n";
    assert_eq!(check_hurl(with_sections), at(&[]));
    for body in [
        "{\"messages\": [{«\"citations\": []}]} # c",
        "{\"a\": \"\\u{22}\\u{A}\\\\\", \"messages\": [{«\"\\u{63}itations\": []}]}",
        "```\n{\"messages\": [{«\"citations\": []}]}\n```",
        "```json\n{\"messages\": [{«\"citations\": [{{a}}]}]}\n```",
        "```json,novariable\n{\"messages\": [{«\"citations\": []}]}\n```",
        "```{\"messages\": [{«\"citations\": []}]}``` # c",
        "```json,escape\n{\"a\": \"\\\\n\",\\n \"messages\": [{«\\\"citations\\\": []}]}\n```",
        "`{\\u{20}\\n\"messages\": [{«\"\\u{63}itations\": [\"\\`\\#\"]}]}` # c",
        "base64,«eyJtZXNzYWdl\ncyI6IFt7ImNpdGF0aW9ucyI6IFtdfV19;",
        "hex,«7b226d65737361676573223a205b7b226369746174696f6e73223a205b5d7d5d7d;",
    ] {
        let file = format!("POST https://h/rest/api/v1/chat\n{body}\nHTTP *\n{body}\n");
        assert_eq!(check_hurl(&file), at(&[]), "{file}");
    }
}

#[test]
fn what_a_hurl_file_does_not_contain_is_reported() {
    for (body, reason) in [
        ("file,body.json;", &["body-missing"][..]),
        ("{{body}}", &["body-missing"]),
        ("[FormParams]\n{{a}}: b", &["body-missing"]),
        ("[Multipart]\na: file,b.txt;", &["body-missing"]),
        ("```graphql\n{ a }\n```", &["not-json"]),
        ("<?xml version=\"1.0\"?>\n<a>\n</a>", &["not-json"]),
        ("base64,e30", &["truncated"]),
        ("hex,7;", &["bad-encoding"]),
        ("{«\"citations\": [", &["truncated"]),
        ("```\n{«\"citations\": [", &["truncated"]),
        ("{}\nnothing at all", &["no-exchange"]),
        ("[Options]\nskip: true\n{\"citations\": []}", &[]),
    ] {
        let file = format!("POST https://h/rest/api/v1/chat\nA: b\n{body}");
        let file = if reason == ["truncated"] {
            format!("GET https://h/x\nHTTP 200\n{file}")
        } else {
            format!("{file}\nHTTP 200\n")
        };
        assert_eq!(check_hurl(&file), at(reason), "{file}");
    }
}

#[test]
fn a_broken_entry_of_a_hurl_file_does_not_hide_the_others() {
    let good = "POST https://h/rest/api/v1/chat\n{«\"citations\": []}\nHTTP 200\n";
    for broken in [
        "POST https://h/rest/api/v1/chat\n{\"a\": [}\n",
        "POST https://h/rest/api/v1/chat\n{\"citations\": []\n",
        "POST https://h/rest/api/v1/chat\n{\"citations\": []}}\n",
        "POST https://h/rest/api/v1/chat\n```\n{\"a\":\n",
        "GET https://h/x\nHTTP 200\n[Asserts]\nbody == ```\n{\n",
        "POST\nnothing at all\n",
    ] {
        let other = good.replace(
            "{«\"citations\": []}",
            "{\"messages\": [{«\"citations\": []}]}",
        );
        check_hurl(&format!("{good}{broken}{other}"));
    }
    let text = good.replace('\n', "\r\n").replace('«', "");
    let desk = Desk::new().with("a.hurl", format!("\u{feff}{text}"));
    assert_eq!(findings_and_skips(&desk, "a.hurl").0, at(&["2:2"]));
}

#[test]
fn query_parameters_and_header_fields_of_hurl_files_are_checked() {
    let rules = "api = 'Shop'\n[[rule]]\nid = 'q'\noperation = 'GET /v1/x'\nparameter = 'old'\n[[rule]]\nid = 'h'\noperation = 'GET /v1/x'\nheader = 'X-Old'\n";
    let text = "GET https://h/v1/x\nX-Old: 1\n[Query]\nold: 2\nHTTP 200\n";
    let desk = Desk::new().with("a.hurl", text).with("r.toml", rules);
    let ran = desk.run(&["check", "a.hurl", "--rules", "r.toml", "--format", "json"]);
    let report: serde_json::Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    let found = report["findings"].as_array().unwrap().iter();
    let found: BTreeSet<_> = found
        .map(|f| format!("{} {}", f["rule"], f["line"]))
        .collect();
    assert_eq!(
        found,
        ["\"h\" 2".to_owned(), "\"q\" 1".to_owned()].into(),
        "{}",
        ran.stdout
    );
}

#[test]
fn collections_may_have_variables_for_values_and_comments() {
    let body = "{ // all\\n \\\"id\\\": {{id}}, \\\"citations\\\": [{{a}}, {{b}}] }";
    let item = |request: &str| {
        format!(
            "{{\"info\": {{\"_postman_id\": \"x\"}},\n\"variable\": [{{\"key\": \"base\", \"value\": \"{{{{host}}}}/rest/api/v1\"}}],\n\"item\": [{{\"name\": \"f\", \"item\": [{{\"request\":\n{request}}}]}}]}}"
        )
    };
    let request = format!(
        "{{\"method\": \"POST\", \"url\": \"{{{{base}}}}/chat\", \"body\": {{\"mode\": \"raw\", \"raw\":\n\"{body}\"}}}}"
    );
    let parts = format!(
        "{{\"method\": \"POST\", \"url\": {{\"host\": [\"{{{{base}}}}\"], \"path\": [\"chat\"]}}, \"body\": {{\"raw\":\n\"{body}\"}}}}"
    );
    for request in [request, parts] {
        let column = body.find("\\\"citations").unwrap() + 2;
        assert_eq!(
            places("a.json", &item(&request)),
            (at(&[&format!("5:{column}")]), vec![]),
            "{request}"
        );
    }
    let file = "{\"method\": \"POST\", \"url\": \"/rest/api/v1/chat\", \"body\": {\"mode\": \"file\", \"file\": {\"src\": \"x\"}}}";
    assert_eq!(
        places("a.json", &item(file)),
        (vec![], at(&["body-missing"]))
    );
}

#[test]
fn all_blocks_of_a_bruno_request_are_read() {
    let file = "meta {\n  name: Chat\n}\n\npost {\n  url: {{base}}/chat\n  body: json\n}\n\nheaders {\n  @description(\"a: b\")\n  ~off: 1\n  \"a:b\": 2\n}\n\nbody:json {\n  {\n    \"id\": {{id}},\n    \"citations\": []\n  }\n}\n\nbody:text {\n  citations\n}\n\nvars:pre-request {\n  base: https://h/rest/api/v1\n}\n";
    for text in [file.to_owned(), file.replace('\n', "\r\n")] {
        assert_eq!(places("a.bru", &text), (at(&["19:5"]), vec![]), "{text}");
    }
    let (found, skipped) = places("a.bru", &file.replace("body: json", "body: text"));
    assert_eq!(
        (found, skipped),
        (vec![], at(&["not-json"])),
        "what is sent is what counts"
    );
    let cut = &file[..file.find("  }\n}").unwrap()];
    // The cut part defines the variable of the URL.
    assert_eq!(
        places("a.bru", cut),
        (vec![], at(&["no-body", "truncated"]))
    );
}

#[test]
fn nesting_beyond_the_limit_is_not_read() {
    let v5 = "type: collection.insomnia.rest/5.0\ncollection:\n  - children:\n      - children:\n          - url: https://h/rest/api/v1/chat\n            method: POST\n            body:\n              text: '{\"citations\": []}'\n";
    let collection = r#"{"info": {"_postman_id": "x"}, "item": [{"item": [{"request": {"method": "POST", "url": "https://h/rest/api/v1/chat", "body": {"raw": "{\"citations\": []}"}}}]}]}"#;
    for (name, text) in [("a.yaml", v5), ("a.json", collection)] {
        let desk = Desk::new().with(name, text);
        let deep = |limit: &str| {
            let ran = desk.run(&["check", name, "--max-depth", limit]);
            (
                ran.stdout.contains("citations"),
                ran.stdout.contains("nested too deeply"),
            )
        };
        assert_eq!(
            (deep("20"), deep("3")),
            ((true, false), (false, true)),
            "{name}"
        );
    }
}

#[test]
fn a_call_whose_url_consists_of_variables_is_reported() {
    let body = "{\"citations\": []}";
    for (name, text) in [
        (
            "a.sh",
            format!("#!/bin/sh\ncurl \"$BASE/$OPERATION\" -d '{body}'\n"),
        ),
        (
            "a.http",
            format!("### a\nPOST {{{{base}}}}/{{{{operation}}}}\n\n{body}\n"),
        ),
        (
            "a.hurl",
            format!("POST {{{{base}}}}/{{{{operation}}}}\n{body}\nHTTP 200\n"),
        ),
        (
            "a.bru",
            format!(
                "meta {{\n}}\n\npost {{\n  url: {{{{url}}}}\n  body: json\n}}\n\nbody:json {{\n  {body}\n}}\n"
            ),
        ),
        (
            "a.json",
            insomnia(r#"{"mimeType": "application/json", "text": "{}"}"#)
                .replace("/rest/api/v1/chat", "{{ _.url }}"),
        ),
    ] {
        assert_eq!(
            places(name, &text),
            (vec![], at(&["no-exchange"])),
            "{text}"
        );
    }
}

#[test]
fn collections_of_postman_v1_are_read_with_all_kinds_of_bodies() {
    let collection = |members: &str| {
        let call = r#""method":"POST","url":"{{base}}/rest/api/v1/chat""#;
        let variables = r#"[{"key":"base","value":"https://h"}]"#;
        format!(
            r#"{{"id":"c","variables":{variables},"order":["r"],"requests":[{{"id":"r","headers":"A: b\n",{call},{members}}}]}}"#
        )
    };
    let field = r#"{"key":"messages[0][«citations]","value":"x","type":"text","enabled":true}"#;
    let off = field.replace('«', "").replace("true", "false");
    for (members, reasons) in [
        (
            r#""dataMode":"raw","data":[],"rawModeData":"{«\"citations\":[]}""#.to_owned(),
            &[][..],
        ),
        (r#""data":[],"rawModeData":"{«\"citations\":[]}""#.to_owned(), &[]),
        (
            format!(r#""rawModeData":null,"dataMode":"params","data":[{off},{field}]"#),
            &[],
        ),
        (format!(r#""dataMode":"urlencoded","data":[{field}]"#), &[]),
        (r#""dataMode":"binary","data":null"#.to_owned(), &["body-missing"]),
        (
            r#""dataMode":"graphql","graphqlModeData":{"query":"{citations}"}"#.to_owned(),
            &["not-json"],
        ),
        (r#""dataMode":null,"data":null"#.to_owned(), &["no-body"]),
        (
            r#""dataMode":null,"responses":[{"request":{"url":"https://h/rest/api/v1/chat","method":"POST"},"text":"{«\"citations\":[]}"}]"#.to_owned(),
            &["no-body"],
        ),
    ] {
        assert_eq!(check_marked("a.json", &collection(&members)), at(reasons), "{members}");
    }
}

#[test]
fn of_several_bodies_of_opencollection_the_selected_one_is_read() {
    let variant = |title: &str, selected: &str, data: &str| {
        format!(
            "      - title: {title}\n{selected}        body:\n          type: json\n          data: '{data}'\n"
        )
    };
    let on = "        selected: true\n";
    let off = "        selected: false\n";
    let [used, other] = ["{«\"citations\": []}", "{\"citations\": 1}"];
    for variants in [
        [variant("a", "", other), variant("b", on, used)],
        [variant("a", on, used), variant("b", "", other)],
        [variant("a", "", used), variant("b", "", other)],
        [variant("a", off, other), variant("b", "", used)],
    ] {
        let http = "http:\n  method: POST\n  url: https://h/rest/api/v1/chat\n  body:\n";
        let marked = format!("info:\n  name: a\n{http}{}", variants.concat());
        assert_eq!(check_marked("a.yml", &marked), at(&[]), "{marked}");
    }
}

#[test]
fn the_calls_of_a_run_are_read_in_place_of_its_collection() {
    let answer = r#"{"citations":[]}"#;
    let report = serde_json::json!({
        "collection": {
            "info": {"_postman_id": "x"},
            "item": [{"request": {"method": "POST", "url": "{{host}}/rest/api/v1/other"}}],
        },
        "run": {"executions": [{
            "request": {
                "method": "POST",
                "url": {"protocol": "https", "host": ["h"], "path": ["rest", "api", "v1", "chat"]},
                "header": [{"key": "Content-Type", "value": "application/json"}],
                "body": {"mode": "raw", "raw": r#"{"messages":[{"citations":[]}]}"#},
            },
            "response": {"code": 200, "stream": {"type": "Buffer", "data": answer.as_bytes()}},
        }]},
    });
    let desk = Desk::new().with("newman.json", report.to_string());
    let ran = desk.run(&["check", "newman.json", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["summary"]["records"], 1, "{}", ran.stdout);
    assert_eq!(report["findings"][0]["side"], "request", "{}", ran.stdout);
}
