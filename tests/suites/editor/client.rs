//! Just enough of an editor's side of the language server protocol to ask rust-analyzer about one file.
//! Knows nothing of kernels.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Longer than any answer takes, also that the project is loaded and its macros are built.
const PATIENCE: Duration = Duration::from_secs(600);

/// rust-analyzer with one file open. Ends it when dropped.
pub(crate) struct Client {
    server: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    uri: String,
    requests: u64,
    version: u64,
    is_ready: bool,
}

impl Drop for Client {
    fn drop(&mut self) {
        // Nothing depends on how it ends.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Client {
    /// Starts rust-analyzer on the project in `root`, opens `file` in it and waits until everything is loaded.
    pub(crate) fn start(root: &Path, file: &Path, text: &str) -> Self {
        let mut server = Command::new("rust-analyzer")
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("rust-analyzer: install it with `rustup component add rust-analyzer`");
        let input = server.stdin.take().expect("a pipe");
        let mut output = BufReader::new(server.stdout.take().expect("a pipe"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let uri = format!("file://{}", file.display());
        let mut client = Self { server, input, messages, uri, requests: 0, version: 1, is_ready: false };
        client.request(
            "initialize",
            json!({
                "processId": std::process::id(),
                "rootUri": format!("file://{}", root.display()),
                "capabilities": { "experimental": { "serverStatusNotification": true } },
                "initializationOptions": {
                    "checkOnSave": false,
                    "cachePriming": { "enable": false },
                    "completion": { "autoimport": { "enable": false } },
                },
            }),
        );
        client.send(json!({ "method": "initialized", "params": {} }));
        let document = json!({ "uri": client.uri, "languageId": "rust", "version": 1, "text": text });
        client.send(json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } }));
        while !client.is_ready {
            client.receive();
        }
        client
    }

    /// Replaces the open file's text.
    pub(crate) fn change(&mut self, text: &str) {
        self.version += 1;
        let document = json!({ "uri": self.uri, "version": self.version });
        let params = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
        self.send(json!({ "method": "textDocument/didChange", "params": params }));
    }

    /// The answer to a request about a place, line and column from 0.
    pub(crate) fn ask(&mut self, method: &str, line: usize, column: usize) -> Value {
        let position = json!({ "line": line, "character": column });
        self.request(method, json!({ "textDocument": { "uri": self.uri }, "position": position }))
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        loop {
            self.requests += 1;
            let id = self.requests;
            self.send(json!({ "id": id, "method": method, "params": params }));
            let mut answer = self.receive();
            while answer["id"] != id || answer.get("method").is_some() {
                answer = self.receive();
            }
            match answer["error"]["code"].as_i64() {
                None => return answer["result"].take(),
                // Content modified, server cancelled: something was loaded meanwhile.
                Some(-32801 | -32802) => std::thread::sleep(Duration::from_millis(200)),
                Some(_) => panic!("rust-analyzer refused {method}: {answer}"),
            }
        }
    }

    /// The next message, after an answer to it if it is a question.
    fn receive(&mut self) -> Value {
        let message = match self.messages.recv_timeout(PATIENCE) {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout) => panic!("rust-analyzer said nothing for {PATIENCE:?}"),
            Err(RecvTimeoutError::Disconnected) => panic!("rust-analyzer ended"),
        };
        match (message["method"].as_str(), message.get("id")) {
            (Some("experimental/serverStatus"), _) => self.is_ready = message["params"]["quiescent"] == true,
            (Some("workspace/configuration"), Some(id)) => {
                let count = message["params"]["items"].as_array().map_or(0, Vec::len);
                self.send(json!({ "id": id, "result": vec![Value::Null; count] }));
            }
            (Some(_), Some(id)) => self.send(json!({ "id": id, "result": null })),
            _ => {}
        }
        message
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("rust-analyzer reads");
        self.input.flush().expect("rust-analyzer reads");
    }
}

/// The next message; `None` at the end of the output.
fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some(text) = line.strip_prefix("Content-Length:") {
            length = text.trim().parse().ok();
        }
    }
    let mut body = vec![0; length?];
    output.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
