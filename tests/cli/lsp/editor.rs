//! An editor that talks to `sundown lsp`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Longer than a busy machine needs for an answer.
const PATIENCE: Duration = Duration::from_secs(120);

pub(super) struct Editor {
    server: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    requests: usize,
}

impl Editor {
    /// Starts the server in a folder, on the day of the expectations.
    pub(super) fn start(folder: &Path) -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_sundown"))
            .args(["lsp", "--stdio", "--as-of", "2026-11-20"])
            .env_clear()
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(server.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            loop {
                let mut header = String::new();
                if output.read_line(&mut header).unwrap_or(0) == 0 {
                    return;
                }
                let length = header.strip_prefix("Content-Length: ").unwrap();
                let mut content = vec![0; length.trim().parse::<usize>().unwrap() + 2];
                output.read_exact(&mut content).unwrap();
                let message = content.strip_prefix(b"\r\n").unwrap();
                let _ = sender.send(serde_json::from_slice(message).unwrap());
            }
        });
        Self {
            input: server.stdin.take(),
            server,
            messages,
            requests: 0,
        }
    }

    /// Starts the server and begins the session with one workspace folder, as an editor that is sent problems.
    pub(super) fn open(folder: &Path) -> Self {
        let mut editor = Self::start(folder);
        editor.initialize(&json!({"rootUri": uri(folder), "capabilities": {}}));
        editor
    }

    /// Begins the session as an editor that asks for problems.
    pub(super) fn open_to_pull(folder: &Path) -> Self {
        let mut editor = Self::start(folder);
        let capabilities = json!({
            "textDocument": {"diagnostic": {}},
            "workspace": {"diagnostics": {"refreshSupport": true}},
        });
        editor.initialize(&json!({"rootUri": uri(folder), "capabilities": capabilities}));
        editor
    }

    pub(super) fn initialize(&mut self, params: &Value) -> Value {
        let answer = self.ask("initialize", params);
        self.notify("initialized", &json!({}));
        answer["result"].clone()
    }

    /// Writes these bytes.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub(super) fn send(&mut self, message: &Value) {
        let content = message.to_string();
        self.write(format!("Content-Length: {}\r\n\r\n{content}", content.len()).as_bytes());
    }

    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request, and returns its id.
    pub(super) fn request(&mut self, method: &str, params: &Value) -> usize {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends a request, and returns the whole answer. Other messages before it are lost.
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.request(method, params);
        self.expect(|message| message["id"] == id && message["method"].is_null())
    }

    /// The next message of which this holds.
    pub(super) fn expect(&mut self, is_expected: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.messages.recv_timeout(PATIENCE).unwrap();
            assert_eq!(message["jsonrpc"], "2.0");
            if is_expected(&message) {
                return message;
            }
        }
    }

    /// Opens a document.
    pub(super) fn show(&mut self, path: &Path, text: &str) {
        let document = json!({"uri": uri(path), "languageId": "x", "version": 1, "text": text});
        self.notify("textDocument/didOpen", &json!({"textDocument": document}));
    }

    /// Replaces the text of a document.
    pub(super) fn change(&mut self, path: &Path, text: &str) {
        let document = json!({"uri": uri(path), "version": 2});
        let params = json!({"textDocument": document, "contentChanges": [{"text": text}]});
        self.notify("textDocument/didChange", &params);
    }

    pub(super) fn close(&mut self, path: &Path) {
        let params = json!({"textDocument": {"uri": uri(path)}});
        self.notify("textDocument/didClose", &params);
    }

    /// The problems of a document that are sent next.
    pub(super) fn sent(&mut self, path: &Path) -> Vec<Value> {
        let uri = uri(path);
        let message = self.expect(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
        });
        list(&message["params"]["diagnostics"])
    }

    /// The problems of a document, asked for.
    pub(super) fn pull(&mut self, path: &Path) -> Vec<Value> {
        let params = json!({"textDocument": {"uri": uri(path)}});
        let answer = self.ask("textDocument/diagnostic", &params);
        assert_eq!(answer["result"]["kind"], "full");
        list(&answer["result"]["items"])
    }

    /// The answer to a request about a place.
    pub(super) fn ask_at(&mut self, method: &str, path: &Path, at: (usize, usize)) -> Value {
        let position = json!({"line": at.0, "character": at.1});
        let params = json!({
            "textDocument": {"uri": uri(path)},
            "position": position,
            "range": {"start": position, "end": position},
            "context": {"diagnostics": []},
        });
        self.ask(method, &params)["result"].clone()
    }

    /// Ends the session as the protocol demands, and returns the exit code.
    pub(super) fn quit(mut self) -> Option<i32> {
        assert_eq!(self.ask("shutdown", &Value::Null)["result"], Value::Null);
        self.notify("exit", &Value::Null);
        self.wait()
    }

    /// Ends the input, and returns the exit code.
    pub(super) fn leave(mut self) -> Option<i32> {
        self.input = None;
        self.wait()
    }

    /// The exit code of the server, once it has ended.
    pub(super) fn wait(mut self) -> Option<i32> {
        let status = self.server.wait().unwrap();
        status.code()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // A test that fails leaves no server.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

pub(super) fn uri(path: &Path) -> String {
    format!(
        "file://{}",
        path.display().to_string().trim_end_matches('/')
    )
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().unwrap().clone()
}

/// The text with the edits of an action, which are on one line each.
pub(super) fn apply(text: &str, action: &Value, path: &Path) -> String {
    let edits = list(&action["edit"]["changes"][uri(path)]);
    let mut lines: Vec<_> = text.split('\n').map(str::to_owned).collect();
    for edit in edits.iter().rev() {
        let at = |end: &str| {
            let position = &edit["range"][end];
            [&position["line"], &position["character"]]
                .map(|number| usize::try_from(number.as_u64().unwrap()).unwrap())
        };
        let ([line, start], [last, end]) = (at("start"), at("end"));
        assert_eq!(line, last, "{edit}");
        let units: Vec<_> = lines[line].encode_utf16().collect();
        let [start, end] = [start, end]
            .map(|units_before| String::from_utf16(&units[..units_before]).unwrap().len());
        lines[line].replace_range(start..end, edit["newText"].as_str().unwrap());
    }
    lines.join("\n")
}
