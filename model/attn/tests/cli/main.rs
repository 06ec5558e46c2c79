//! `attn` as its users meet it: what it prints, what it writes, how it exits.

// Clippy knows test functions, not what they call.
#![allow(clippy::unwrap_used)]

mod batch;
mod chat;
mod checkpoints;
mod corpora;
mod export;
mod gguf;
#[cfg(unix)]
mod hub;
mod inspect;
mod lengths;
mod numbers;
mod pictures;
#[cfg(not(feature = "fusion"))]
mod placement;
mod precisions;
mod pytorch;
mod recurrent;
#[cfg(feature = "remote")]
mod remote;
mod roles;
mod tokens;
mod training;
mod universal;

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use attention_trace::{AttentionKind, Generates, Quantity, Trace};

fn attn(arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_attn"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let written = child.stdin.take().unwrap().write_all(input.as_ref());
    // A command that fails early closes its input.
    if let Err(error) = written {
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    }
    child.wait_with_output().unwrap()
}

fn model(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models");
    root.join(name).display().to_string()
}

fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if directory.exists() {
        fs::remove_dir_all(&directory).unwrap();
    }
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// Returns the trace of a model over a text, with options.
fn traced(name: &str, model: &str, read: &str, options: &[&str]) -> Trace {
    let out = scratch(name).join("trace.safetensors");
    let out = out.display().to_string();
    let fixed = ["trace", "--model", model, "--text", read, "--out", &out];
    let output = attn(&[&fixed, options].concat(), "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    Trace::from_safetensors(&fs::read(out).unwrap()).unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn translates_one_line_into_one_line() {
    let input = "Je suis étudiant.\n\n我是学生。\n";
    for beam in ["1", "4"] {
        let output = attn(
            &["translate", "--model", &model("translator"), "--beam", beam],
            input,
        );
        assert!(output.status.success(), "{}", text(&output.stderr));
        let printed = text(&output.stdout);
        let lines: Vec<&str> = printed.lines().collect();
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert!(
            ["I am a student.", "I'm a student."].contains(&lines[0]),
            "{}",
            lines[0]
        );
        assert_eq!(lines[1], "");
        assert!(lines[2].contains("student"), "{}", lines[2]);
    }
}

#[test]
fn translates_with_edits() {
    let directory = scratch("edits");
    let translated = |name: &str, json: &str| {
        let path = directory.join(name);
        fs::write(&path, json).unwrap();
        attn(
            &[
                "translate",
                "--model",
                &model("translator"),
                "--edits",
                &path.display().to_string(),
            ],
            "Je suis étudiant\n",
        )
    };
    let head = |attention: &str, head: usize, factor: f32| {
        format!(
            r#"{{"kind":"scale_head","attention":"{attention}","head":{head},"factor":{factor}}}"#
        )
    };
    let all = |attention: &'static str, factor: f32| {
        (0..8).map(move |number| head(attention, number, factor))
    };
    let list = |edits: Vec<String>| format!("[{}]", edits.join(","));
    let printed = |output: Output| {
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };

    let plain = printed(translated("none.json", "[]"));
    assert_eq!(
        plain,
        printed(translated(
            "idle.json",
            &list(all("decoder.1.cross", 1.0).collect())
        ))
    );
    // Without cross-attention the decoder does not know what it translates.
    let cross = ["decoder.0.cross", "decoder.1.cross", "decoder.2.cross"];
    let off = cross.into_iter().flat_map(|attention| all(attention, 0.0));
    let blind = printed(translated("off.json", &list(off.collect())));
    assert_ne!(blind, plain);
    assert!(!blind.contains("student"), "{blind}");

    // Every head of every layer looks at the first word alone in the fourth step.
    let pinned = |weight: f32| {
        let pin = |attention: &str, head: usize| {
            format!(
                r#"{{"kind":"set_weight","attention":"{attention}","head":{head},"query":3,"key":0,"weight":{weight}}}"#
            )
        };
        let pins = cross
            .iter()
            .flat_map(|attention| (0..8).map(move |head| pin(attention, head)));
        translated("pinned.json", &list(pins.collect()))
    };
    assert_ne!(printed(pinned(1.0)), plain);
    let above = pinned(1.5);
    assert_eq!(above.status.code(), Some(1));
    let said = text(&above.stderr);
    assert!(said.contains("above 1"), "{said}");

    // All of cross-attention at its mean says the same of every position; one head's weights in another order hardly do.
    let means = cross.iter().flat_map(|attention| {
        (0..8).map(move |head| {
            format!(
                r#"{{"kind":"mean_head","attention":"{attention}","head":{head},"text":"Je suis étudiant","target":[]}}"#
            )
        })
    });
    let at_means = printed(translated("means.json", &list(means.collect())));
    assert_ne!(at_means, plain);
    assert_ne!(at_means, blind);
    let everywhere = ["encoder", "decoder"]
        .into_iter()
        .flat_map(|stack| (0..3).map(move |layer| format!("{stack}.{layer}.self")))
        .chain(cross.map(str::to_owned));
    let uniform =
        everywhere.map(|attention| format!(r#"{{"kind":"uniform","attention":"{attention}"}}"#));
    assert_ne!(
        printed(translated("uniform.json", &list(uniform.collect()))),
        plain
    );

    let missing = translated("missing.json", &list(vec![head("decoder.9.cross", 0, 0.0)]));
    assert_eq!(missing.status.code(), Some(1));
    let said = text(&missing.stderr);
    assert!(said.contains("the edit cannot be made"), "{said}");
    let junk = translated("junk.json", "[{}]");
    assert_eq!(junk.status.code(), Some(1));
    let said = text(&junk.stderr);
    assert!(said.contains("junk.json"), "{said}");
}

#[test]
fn traces_what_the_model_finds_and_what_is_given() {
    let directory = scratch("trace");
    let out = directory.join("trace.safetensors");
    let path = out.display().to_string();
    let translator = model("translator");
    let base = [
        "trace",
        "--model",
        &translator,
        "--text",
        "Je suis étudiant.",
        "--out",
        &path,
    ];

    let output = attn(&base, "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let found = Trace::from_safetensors(&fs::read(&out).unwrap()).unwrap();
    assert_eq!(found.meta.spec.generates, Generates::TextFromText);
    assert_eq!(
        found.decoding.unwrap().hypotheses[0]
            .text
            .split(' ')
            .next_back(),
        Some("student.")
    );
    let scores = found
        .arrays
        .get(&"decoder.0.cross.scores".parse().unwrap())
        .unwrap();
    assert_eq!(
        scores.shape,
        [
            found.meta.spec.heads(AttentionKind::Cross),
            found.meta.target.len(),
            found.meta.source.len()
        ]
    );

    let output = attn(
        &[
            &base[..],
            &["--target", "A student I am.", "--weights-only"],
        ]
        .concat(),
        "",
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let given = Trace::from_safetensors(&fs::read(&out).unwrap()).unwrap();
    let decoding = given.decoding.unwrap();
    assert_eq!(decoding.hypotheses[0].text, "A student I am.");
    assert!(decoding.steps.iter().all(|step| step.forced));
    assert!(
        given
            .arrays
            .keys()
            .all(|site| site.quantity == Quantity::Pattern)
    );
}

#[test]
fn scores_pairs() {
    let pairs = scratch("eval").join("pairs.tsv");
    fs::write(
        &pairs,
        "I am a student.\tJe suis étudiant.\nI like cats.\tJ'aime les chats.\n",
    )
    .unwrap();
    let output = attn(
        &[
            "eval",
            "--model",
            &model("translator"),
            "--pairs",
            &pairs.display().to_string(),
        ],
        "",
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    let value = |name: &str| -> f64 {
        let line = printed.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    assert_eq!(value("pairs"), 2.0);
    assert!((0.0..=100.0).contains(&value("BLEU")));
    assert!(value("perplexity") > 1.0 && value("perplexity") < 20.0);
}

#[test]
fn says_what_is_wrong_and_exits_accordingly() {
    let nowhere = attn(&["translate", "--model", "/nowhere"], "Bonjour.\n");
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(text(&nowhere.stderr).contains("/nowhere/config.json"));

    let wrong = attn(&["translate"], "");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("--model"));

    let long = "chat ".repeat(400);
    let output = attn(
        &["translate", "--model", &model("translator")],
        format!("Oui.\n{long}\n"),
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("line 2"),
        "{}",
        text(&output.stderr)
    );
    assert!(
        text(&output.stderr).contains("more than the 256"),
        "{}",
        text(&output.stderr)
    );
}
