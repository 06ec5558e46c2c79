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

/// Checks that two traces have the same tokens, and the same numbers but for their last digits.
#[track_caller]
fn assert_same(found: &Trace, expected: &Trace) {
    let tokens = |trace: &Trace| {
        let tokens = trace.meta.target.iter().map(|token| token.id);
        tokens.collect::<Vec<_>>()
    };
    assert_eq!(tokens(found), tokens(expected));
    assert_eq!(found.arrays.len(), expected.arrays.len());
    for (site, array) in &expected.arrays {
        let pairs = array.data.iter().zip(&found.arrays[site].data);
        for (expected, found) in pairs {
            let is_near = (found - expected).abs() <= 1e-4 * expected.abs().max(1.0);
            assert!(is_near || found == expected, "{site}: {found} {expected}");
        }
    }
}

#[test]
fn a_device_elsewhere_computes_the_same() {
    let lender = Lender::new();
    let traced = |name, device| {
        let translator = model("translator");
        traced(
            name,
            &translator,
            "Je suis étudiant.",
            &["--device", device],
        )
    };
    assert_same(&traced("there", &lender.device), &traced("here", "cpu"));
}

#[test]
#[cfg(not(feature = "fusion"))]
fn layers_on_several_devices_compute_the_same() {
    let (first, second) = (Lender::new(), Lender::new());
    // A layer of the first model takes less than two mebibytes, two layers take more.
    let [one, other] = [&first, &second].map(|lender| format!("{}=2", lender.device));
    let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny");
    let neox = tiny.join("gpt-neox").display().to_string();
    for (model, text) in [
        (model("sentences"), "He is"),
        (model("poems/t5"), "春"),
        (neox, "He is"),
    ] {
        let traced = |scratch, options: &[&str]| {
            let search = ["--beam", "2", "--max-new-tokens", "4"];
            traced(scratch, &model, text, &[&search, options].concat())
        };
        let here = traced("placed-here", &[]);
        let between = ["--layers-on", &one, "--layers-on", &other];
        assert_same(&traced("placed-between", &between), &here);
        let apart = ["--device", &second.device, "--layers-on", &one];
        assert_same(&traced("placed-apart", &apart), &here);
        let back = [
            "--layers-on",
            &one,
            "--layers-on",
            "cpu=2",
            "--layers-on",
            &other,
        ];
        assert_same(&traced("placed-back", &back), &here);
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
