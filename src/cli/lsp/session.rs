//! The session with an editor: answers its messages in order, and checks documents while none is waiting.

use std::collections::{BTreeSet, VecDeque};
use std::io::{self, Stdout, stdin, stdout};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, from_value, json};

use super::actions::{EXPLAIN, FIX_ALL, list_actions};
use super::completion::list_completions;
use super::document::{Documents, OpenDocument};
use super::frames::{read_frame, write_frame};
use super::problems::{describe_findings, explain, list_problems};
use super::project::{LspArgs, Workspace};
use crate::cli::console::Result;
use sundown_files::{FileAccess, full_path};
use sundown_report::{Failure, uri};
use sundown_run::Status;

/// The time between two looks at the clock, at the files of projects, and at the editor's process.
const TICK: Duration = Duration::from_secs(2);

/// How many messages wait for an answer, so that a later one can cancel an earlier one or make it obsolete.
const MAX_WAITING: usize = 256;

/// How many messages are read before they wait: each may be large.
const MAX_READ_AHEAD: usize = 4;

/// An error of the protocol: its number and its text.
struct ProtocolError(i32, &'static str);

/// A request that is answered with an error of the protocol.
const INVALID_JSON: ProtocolError = ProtocolError(-32700, "the message cannot be read");
const INVALID_ORDER: ProtocolError = ProtocolError(-32600, "the session has another order");
const INVALID_PARAMS: ProtocolError = ProtocolError(-32602, "a parameter is missing or unknown");
const UNKNOWN_METHOD: ProtocolError = ProtocolError(-32601, "there is no such method");
const NOT_INITIALIZED: ProtocolError =
    ProtocolError(-32002, "the session begins with `initialize`");
const CANCELLED: ProtocolError = ProtocolError(-32800, "cancelled");
const CONTENT_MODIFIED: ProtocolError =
    ProtocolError(-32801, "the document has changed: ask again");

/// Where a session is in the order that the protocol demands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Running,
    /// The editor has announced the end.
    ShutDown,
    Ended(Status),
}

/// A session with one editor.
struct Session<'a> {
    workspace: Workspace<'a>,
    out: Stdout,
    phase: Phase,
    documents: Documents,
    /// The documents that are to be checked, unless the editor asks for their problems itself.
    due: BTreeSet<String>,
    pulls: bool,
    /// Whether the editor can be asked to ask again.
    refreshes: bool,
    /// The process of the editor, if it has named one.
    editor: Option<i32>,
}

impl LspArgs {
    /// Serves one editor, until it ends the session or is gone.
    pub(crate) fn run(&self, access: &FileAccess) -> Result<Status> {
        let (sender, messages) = sync_channel(MAX_READ_AHEAD);
        // The thread ends with the process: a read cannot be interrupted.
        thread::spawn(move || {
            let mut input = stdin().lock();
            while let Some(message) = read_frame(&mut input).transpose()
                && message.as_ref().err().is_none_or(|error| error.kind() == io::ErrorKind::InvalidData)
                // What cannot be read is `null`, which is no message.
                && sender.send(message.unwrap_or_default()).is_ok()
            {}
        });
        let mut session = Session {
            workspace: Workspace::new(self, access),
            out: stdout(),
            phase: Phase::New,
            documents: Documents::new(),
            due: BTreeSet::new(),
            pulls: false,
            refreshes: false,
            editor: None,
        };
        session.run(&messages).or_else(|error| match error.kind() {
            // An editor that is gone needs no answer.
            io::ErrorKind::BrokenPipe => Ok(Status::Findings),
            _ => Err(Failure::new(format!("standard output: {error}"))),
        })
    }
}

/// The document of which a message has a new text.
fn changed_document(message: &Value) -> Option<&str> {
    let is_change = message["method"] == "textDocument/didChange";
    message["params"]["textDocument"]["uri"]
        .as_str()
        .filter(|_| is_change)
}

impl Session<'_> {
    fn run(&mut self, messages: &Receiver<Value>) -> io::Result<Status> {
        let mut waiting: VecDeque<Value> = VecDeque::new();
        loop {
            if let Phase::Ended(status) = self.phase {
                return Ok(status);
            }
            for message in messages.try_iter().take(MAX_WAITING - waiting.len()) {
                // A text that was not looked at gives way to a newer one.
                let changed = changed_document(&message);
                waiting.retain(|old| changed.is_none() || changed_document(old) != changed);
                waiting.push_back(message);
            }
            match waiting.pop_front() {
                Some(Value::Null) => self.respond(&Value::Null, Err(INVALID_JSON))?,
                Some(message) => self.answer(&message, &waiting)?,
                None if self.publish_next()? => {}
                None => match messages.recv_timeout(TICK) {
                    Ok(message) => waiting.push_back(message),
                    Err(RecvTimeoutError::Timeout) => self.tick()?,
                    Err(RecvTimeoutError::Disconnected) => self.end(),
                },
            }
        }
    }

    fn answer(&mut self, message: &Value, waiting: &VecDeque<Value>) -> io::Result<()> {
        let (id, params) = (&message["id"], &message["params"]);
        // Nothing depends on what is answered to the server's own requests.
        let Some(method) = message["method"].as_str() else {
            return Ok(());
        };
        if id.is_null() {
            return self.note(method, params);
        }
        let is_cancelled = waiting
            .iter()
            .any(|later| later["method"] == "$/cancelRequest" && later["params"]["id"] == *id);
        let mut changed = waiting.iter().filter_map(changed_document);
        let is_obsolete = changed.any(|changed| params["textDocument"]["uri"] == changed);
        let result = match (self.phase, method) {
            _ if is_cancelled => Err(CANCELLED),
            (Phase::Running, _) if is_obsolete => Err(CONTENT_MODIFIED),
            (Phase::New, "initialize") => Ok(self.initialize(params)),
            (Phase::New, _) => Err(NOT_INITIALIZED),
            (Phase::Running, "shutdown") => {
                self.phase = Phase::ShutDown;
                Ok(Value::Null)
            }
            (Phase::Running, "workspace/executeCommand") => self.execute(params)?,
            (Phase::Running, "initialize") | (Phase::ShutDown | Phase::Ended(_), _) => {
                Err(INVALID_ORDER)
            }
            (Phase::Running, _) => self.answer_about_document(method, params),
        };
        self.respond(id, result)
    }

    fn initialize(&mut self, params: &Value) -> Value {
        let capabilities = &params["capabilities"];
        self.pulls = !capabilities["textDocument"]["diagnostic"].is_null();
        self.refreshes = capabilities["workspace"]["diagnostics"]["refreshSupport"] == true;
        self.editor = params["processId"]
            .as_i64()
            .and_then(|id| id.try_into().ok());
        self.workspace.folders = folders(&params["workspaceFolders"]);
        if self.workspace.folders.is_empty() {
            self.workspace.folders.extend(folder(&params["rootUri"]));
        }
        self.phase = Phase::Running;
        json!({
            "serverInfo": {"name": "sundown", "version": env!("CARGO_PKG_VERSION")},
            "capabilities": {
                "positionEncoding": "utf-16",
                "textDocumentSync": {"openClose": true, "change": 1, "save": true},
                "diagnosticProvider": {"interFileDependencies": true, "workspaceDiagnostics": false},
                "hoverProvider": true,
                "completionProvider": {"triggerCharacters": ["\"", "'"]},
                "codeActionProvider": {"codeActionKinds": ["quickfix", FIX_ALL]},
                "executeCommandProvider": {"commands": [EXPLAIN]},
                "workspace": {"workspaceFolders": {"supported": true, "changeNotifications": true}},
            },
        })
    }

    fn answer_about_document(
        &mut self,
        method: &str,
        params: &Value,
    ) -> Result<Value, ProtocolError> {
        let workspace = &mut self.workspace;
        let uri = params["textDocument"]["uri"].as_str();
        let document = uri.and_then(|uri| self.documents.get(uri));
        let position = &params["position"];
        let range = match &params["range"] {
            Value::Null => json!({"start": position, "end": position}),
            range => range.clone(),
        };
        match (method, document, from_value(range)) {
            ("textDocument/diagnostic", document, _) => {
                let problems = document.map(|document| list_problems(workspace, document));
                Ok(json!({"kind": "full", "items": problems.unwrap_or_default()}))
            }
            ("textDocument/hover", Some(document), Ok(range)) => {
                let page = describe_findings(workspace, document, range);
                Ok((!page.is_empty())
                    .then(|| json!({"contents": {"kind": "markdown", "value": page}}))
                    .into())
            }
            ("textDocument/codeAction", Some(document), Ok(range)) => {
                let (documents, only) = (&self.documents, &params["context"]["only"]);
                let actions = list_actions(workspace, documents, document, range, only);
                Ok(actions.unwrap_or_default().into())
            }
            ("textDocument/completion", Some(document), Ok(range)) => {
                Ok(list_completions(workspace, document, range).into())
            }
            ("textDocument/hover" | "textDocument/codeAction" | "textDocument/completion", ..) => {
                Err(INVALID_PARAMS)
            }
            _ => Err(UNKNOWN_METHOD),
        }
    }

    /// Shows the page of a rule.
    fn execute(&mut self, params: &Value) -> io::Result<Result<Value, ProtocolError>> {
        let [uri, code] = [0, 1].map(|number| params["arguments"][number].as_str());
        let document = uri.and_then(|uri| self.documents.get(uri));
        let (Some(document), Some(code), true) = (document, code, params["command"] == EXPLAIN)
        else {
            return Ok(Err(INVALID_PARAMS));
        };
        let project = self.workspace.project(&document.path);
        let page = project.map(|project| explain(&project, code));
        self.notify(
            "window/showMessage",
            &json!({"type": 3, "message": page.unwrap_or_default()}),
        )?;
        Ok(Ok(Value::Null))
    }

    /// Takes a notification. One that is not known, or lacks something, has no effect.
    fn note(&mut self, method: &str, params: &Value) -> io::Result<()> {
        match (method, params["textDocument"]["uri"].as_str()) {
            ("exit", _) => self.end(),
            _ if self.phase != Phase::Running => {}
            ("textDocument/didOpen", Some(uri)) => self.open(uri, &params["textDocument"]),
            ("textDocument/didChange", Some(uri)) => {
                let changes = params["contentChanges"]
                    .as_array()
                    .and_then(|all| all.last());
                if self.documents.contains_key(uri) {
                    self.open(uri, changes.unwrap_or(&Value::Null));
                }
            }
            ("textDocument/didClose", Some(uri)) => {
                self.documents.remove(uri);
                self.due.insert(uri.to_owned());
            }
            ("workspace/didChangeWorkspaceFolders", _) => {
                let event = &params["event"];
                let removed = folders(&event["removed"]);
                self.workspace
                    .folders
                    .retain(|folder| !removed.contains(folder));
                self.workspace.folders.extend(folders(&event["added"]));
                self.reload()?;
            }
            (
                "workspace/didChangeConfiguration"
                | "workspace/didChangeWatchedFiles"
                | "textDocument/didSave",
                _,
            ) => self.reload()?,
            _ => {}
        }
        Ok(())
    }

    /// Takes the whole text of a document.
    fn open(&mut self, uri: &str, content: &Value) {
        let text = content["text"].as_str();
        if let Some(document) = text.and_then(|text| OpenDocument::new(uri, text)) {
            self.documents.insert(uri.to_owned(), document);
            self.due.insert(uri.to_owned());
        }
    }

    /// Sends the problems of the next document that is due, none if it is closed. Returns false if no document is due.
    fn publish_next(&mut self) -> io::Result<bool> {
        let Some(uri) = self.due.pop_first() else {
            return Ok(false);
        };
        if !self.pulls {
            let problems = self
                .documents
                .get(&uri)
                .map(|document| list_problems(&mut self.workspace, document));
            let params = json!({"uri": uri, "diagnostics": problems.unwrap_or_default()});
            self.notify("textDocument/publishDiagnostics", &params)?;
        }
        Ok(true)
    }

    /// Looks at what changes without a message.
    fn tick(&mut self) -> io::Result<()> {
        if self.editor.is_some_and(is_gone) {
            self.end();
        } else if self.workspace.is_outdated() {
            self.reload()?;
        }
        Ok(())
    }

    /// Loads configurations and rules again, and checks all documents with them.
    fn reload(&mut self) -> io::Result<()> {
        self.workspace.projects.clear();
        self.due.extend(self.documents.keys().cloned());
        if self.pulls && self.refreshes {
            let request = json!({"jsonrpc": "2.0", "id": "refresh", "method": "workspace/diagnostic/refresh"});
            write_frame(&mut self.out, &request)?;
        }
        Ok(())
    }

    fn end(&mut self) {
        self.phase = Phase::Ended(if self.phase == Phase::ShutDown {
            Status::Clean
        } else {
            Status::Findings
        });
    }

    fn notify(&mut self, method: &str, params: &Value) -> io::Result<()> {
        write_frame(
            &mut self.out,
            &json!({"jsonrpc": "2.0", "method": method, "params": params}),
        )
    }

    fn respond(&mut self, id: &Value, result: Result<Value, ProtocolError>) -> io::Result<()> {
        let (key, value) = match result {
            Ok(result) => ("result", result),
            Err(ProtocolError(code, text)) => ("error", json!({"code": code, "message": text})),
        };
        let message = json!({"jsonrpc": "2.0", "id": id, key: value});
        write_frame(&mut self.out, &message)
    }
}

/// The paths of the folders in a list.
fn folders(list: &Value) -> Vec<PathBuf> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(|listed| folder(&listed["uri"]))
        .collect()
}

fn folder(uri: &Value) -> Option<PathBuf> {
    full_path(&uri::to_path(uri.as_str()?)?)
}

/// Whether a process has ended.
#[cfg(unix)]
fn is_gone(process: i32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    Pid::from_raw(process)
        .is_some_and(|process| test_kill_process(process) == Err(rustix::io::Errno::SRCH))
}

/// Where that cannot be seen, only the end of input is the end of an editor.
#[cfg(not(unix))]
fn is_gone(_process: i32) -> bool {
    false
}
