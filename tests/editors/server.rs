//! `rust-analyzer` as a process: the language server protocol, as far as it is needed here.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long all questions together may take.
const LIMIT: Duration = Duration::from_secs(300);
/// What is answered when the text has changed in the meantime: ask again.
const CONTENT_MODIFIED: i64 = -32801;

pub(crate) struct Server {
    process: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    deadline: Instant,
    asked: u64,
    is_ready: bool,
}

impl Server {
    /// Starts it for a package. What it builds goes to `target`, where it may be built already.
    pub(crate) fn start(package: &Path, target: &Path) -> Self {
        let mut command = Command::new("rust-analyzer");
        command.current_dir(package).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || read(output).try_for_each(|message| sender.send(message)));
        let mut server = Self { process, input, messages, deadline: Instant::now() + LIMIT, asked: 0, is_ready: false };
        server.ask("initialize", &initialize(package, target));
        server.tell("initialized", &json!({}));
        server
    }

    pub(crate) fn wait_until_ready(&mut self) {
        while !self.is_ready {
            self.next("to be ready");
        }
    }

    /// The answer to a question.
    pub(crate) fn ask(&mut self, method: &str, about: &Value) -> Value {
        loop {
            self.asked += 1;
            let id = self.asked;
            self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": about }));
            let mut answer = loop {
                let message = self.next(method);
                if message["id"] == id && message["method"].is_null() {
                    break message;
                }
            };
            match answer["error"]["code"].as_i64() {
                None => return answer["result"].take(),
                Some(CONTENT_MODIFIED) => {}
                Some(_) => panic!("{method}: {}", answer["error"]),
            }
        }
    }

    pub(crate) fn tell(&mut self, method: &str, about: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": about }));
    }

    /// The next message. Questions of the server are answered with nothing.
    fn next(&mut self, wanted: &str) -> Value {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let Ok(message) = self.messages.recv_timeout(left) else {
            let _ = self.process.kill();
            panic!("rust-analyzer was asked {wanted}, and it ended or {} s are over", LIMIT.as_secs());
        };
        if !message["method"].is_null() && !message["id"].is_null() {
            self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": null }));
        }
        if message["method"] == "experimental/serverStatus" {
            let status = &message["params"];
            assert_ne!(status["health"], "error", "{status}");
            self.is_ready = status["quiescent"] == true;
        }
        message
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }
}

/// Where a test has failed. What all tests share is never dropped, but its input is closed when they end, and that ends it.
impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
    }
}

fn initialize(package: &Path, target: &Path) -> Value {
    json!({
        "processId": std::process::id(),
        "rootUri": format!("file://{}", package.display()),
        "capabilities": {
            "textDocument": { "hover": { "contentFormat": ["markdown"] } },
            "experimental": { "serverStatusNotification": true },
        },
        "initializationOptions": {
            "cargo": { "extraArgs": ["--offline"], "targetDir": target },
            "checkOnSave": false,
            "cachePriming": { "enable": false },
        },
    })
}

/// The messages of the server, until it ends.
fn read(output: ChildStdout) -> impl Iterator<Item = Value> {
    let mut output = BufReader::new(output);
    std::iter::from_fn(move || {
        let mut length = 0;
        loop {
            let mut line = String::new();
            output.read_line(&mut line).ok().filter(|&bytes| bytes > 0)?;
            match line.trim().split_once(": ") {
                Some(("Content-Length", bytes)) => length = bytes.parse().ok()?,
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        output.read_exact(&mut body).ok()?;
        serde_json::from_slice(&body).ok()
    })
}
