//! `attn serve` over real sockets: what visitors get, what they cannot, and what they never see of each other.

// Clippy knows test functions, not what they call.
#![allow(clippy::unwrap_used)]

mod class;
mod encrypted;
mod faults;
mod pages;
mod runs;
mod starts;
mod visitor;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The longest that a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running server, which ends with the test.
struct Server {
    process: Child,
    /// The address with its port.
    address: String,
    token: String,
    /// The token of who leads the class, if there is one.
    lead: Option<String>,
}

impl Server {
    /// Starts one on the small model that continues English sentences.
    fn start(options: &[&str]) -> Self {
        Self::start_on("0", options)
    }

    /// Starts one on the model of a directory.
    fn start_with(model: &Path, options: &[&str]) -> Self {
        Self::start_at(model, "0", options)
    }

    fn start_on(port: &str, options: &[&str]) -> Self {
        Self::start_at(&model(), port, options)
    }

    fn start_at(model: &Path, port: &str, options: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_attn"))
            .args(["serve", "--port", port, "--log", "json", "--model"])
            .arg(model)
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let printed = BufReader::new(process.stdout.take().unwrap());
        let mut lines = printed.lines().map(Result::unwrap);
        let mut value = |name: &str| {
            let line = lines.next().unwrap();
            line.strip_prefix(name).unwrap().trim().to_owned()
        };
        let engine = value("Engine");
        let (_, address) = engine.split_once("://").unwrap();
        let address = address.strip_suffix("/engine").unwrap().to_owned();
        let token = value("Token");
        // All that is printed, so that nobody prints into a closed pipe.
        value("Page");
        let lead = options.contains(&"--class").then(|| {
            value("Class");
            let link = value("Teacher");
            link.rsplit_once("lead=").unwrap().1.to_owned()
        });
        Server {
            process,
            address,
            token,
            lead,
        }
    }

    /// Returns the answer to `GET path`, head and body, with this `Host`.
    fn get_as(&self, host: &str, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = vec![];
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str) -> String {
        self.get_as(&self.address, path)
    }

    /// Waits until a metric has this value.
    fn wait_for(&self, name: &str, value: u64) {
        let line = format!("{name} {value}");
        let began = Instant::now();
        loop {
            let metrics = self.get("/metrics");
            if metrics.lines().any(|it| it == line) {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "{line} in {metrics}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends the server, and returns what it wrote about errors.
    fn end(mut self) -> String {
        self.process.kill().unwrap();
        let mut written = String::new();
        let mut errors = self.process.stderr.take().unwrap();
        errors.read_to_string(&mut written).unwrap();
        written
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

fn model() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models/gpt2")
}
