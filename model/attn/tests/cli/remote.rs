//! Models whose tensors are in another process: they compute what they compute here, and say so when that process is gone.

use std::io::{BufRead, BufReader};
use std::process::Child;

use super::*;

/// A process that serves a device, ended when it is dropped.
struct Lender {
    process: Child,
    device: String,
}

impl Lender {
    fn new() -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_attn"))
            .args(["device", "--port", "0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut printed = BufReader::new(process.stdout.take().unwrap());
        printed.read_line(&mut line).unwrap();
        let device = line.trim().strip_prefix("--device ").unwrap().to_owned();
        Lender { process, device }
    }
}

impl Drop for Lender {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn traced(name: &str, device: &str) -> Trace {
    let out = scratch(name)
        .join("trace.safetensors")
        .display()
        .to_string();
    let translator = model("translator");
    let output = attn(
        &[
            "trace",
            "--model",
            &translator,
            "--text",
            "Je suis étudiant.",
            "--device",
            device,
            "--out",
            &out,
        ],
        "",
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    Trace::from_safetensors(&fs::read(out).unwrap()).unwrap()
}

#[test]
fn a_device_elsewhere_computes_the_same() {
    let lender = Lender::new();
    let (here, there) = (traced("here", "cpu"), traced("there", &lender.device));
    let tokens = |trace: &Trace| {
        trace
            .meta
            .target
            .iter()
            .map(|token| token.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(tokens(&there), tokens(&here));
    assert_eq!(there.arrays.len(), here.arrays.len());
    for (site, array) in &here.arrays {
        let pairs = array.data.iter().zip(&there.arrays[site].data);
        for (expected, found) in pairs {
            let is_near = (found - expected).abs() <= 1e-4 * expected.abs().max(1.0);
            assert!(is_near || found == expected, "{site}: {found} {expected}");
        }
    }
}

#[test]
fn a_device_that_is_gone_is_reported() {
    let lender = Lender::new();
    let mut process = Command::new(env!("CARGO_BIN_EXE_attn"))
        .args([
            "translate",
            "--model",
            &model("translator"),
            "--device",
            &lender.device,
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = process.stdin.take().unwrap();
    input.write_all("Je suis étudiant.\n".as_bytes()).unwrap();
    let mut printed = BufReader::new(process.stdout.take().unwrap());
    let mut line = String::new();
    printed.read_line(&mut line).unwrap();
    assert!(line.contains("student"), "{line}");
    drop(lender);
    input.write_all("Oui.\n".as_bytes()).unwrap();
    drop(input);
    let output = process.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(message.contains("line 2: the device failed"), "{message}");
}

#[test]
fn a_device_that_does_not_exist_is_refused() {
    for (name, words) in [
        ("abacus", "this build has cpu"),
        ("remote:host", "remote:HOST:PORT"),
    ] {
        let translator = model("translator");
        let arguments = ["translate", "--model", &translator, "--device", name];
        let output = attn(&arguments, "Oui.\n");
        assert_eq!(output.status.code(), Some(2));
        let message = text(&output.stderr);
        assert!(message.contains(words), "{message}");
    }
}
