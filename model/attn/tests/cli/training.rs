//! `attn train`: what it learns, and that a run which was stopped or killed ends as the unbroken one.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Instant;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use safetensors::SafeTensors;
use serde_json::Value;

use crate::{attn, scratch, text};

const TRANSFORMER: &str = r#"
    family = "marian"
    vocab_size = 60
    d_model = 16
    encoder_layers = 1
    decoder_layers = 1
    encoder_attention_heads = 2
    decoder_attention_heads = 2
    encoder_ffn_dim = 32
    decoder_ffn_dim = 32
    activation_function = "relu"
    scale_embedding = true
    max_position_embeddings = 32
    pad_token_id = 0
    eos_token_id = 1
    decoder_start_token_id = 0
    dropout = 0.1
"#;

/// A recipe and its data, small enough for a step to take a few milliseconds.
pub struct TinyRun(PathBuf);

impl TinyRun {
    pub fn new(name: &str) -> Self {
        let directory = scratch(name);
        let sentences: String = (0..300)
            .map(|i| {
                let (subject, verb) = (
                    [("I", "je"), ("you", "tu")][i % 2],
                    [("see", "vois"), ("go", "vas")][i / 2 % 2],
                );
                format!(
                    "{} {} {i}\t{} {} {i}\n",
                    subject.0, verb.0, subject.1, verb.1
                )
            })
            .collect();
        fs::write(directory.join("pairs.tsv"), sentences).unwrap();
        let run = TinyRun(directory);
        run.plan(TRANSFORMER, 20, 10);
        run
    }

    /// A model, so many steps, and a checkpoint at every so many.
    pub fn plan(&self, model: &str, steps: usize, every: usize) {
        let recipe = format!(
            r#"
            seed = 7
            data = [{{ file = "pairs.tsv", language = "fra", source = 1, target = 0 }}]
            tokenizer = {{ vocab_size = 60, alphabet = 60 }}
            [model]
            {model}
            [optimization]
            steps = {steps}
            batch_tokens = 256
            label_smoothing = 0.1
            checkpoint_every = {every}
            max_tokens = 30
            schedule = {{ peak = 0.01, warmup_steps = 5, decay = "inverse-square-root" }}
            "#
        );
        fs::write(self.recipe(), recipe).unwrap();
    }

    pub fn recipe(&self) -> PathBuf {
        self.0.join("recipe.toml")
    }

    pub fn out(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn arguments(&self, out: &str, more: &[&str]) -> Vec<String> {
        let (recipe, out) = (self.recipe(), self.out(out));
        let path = |path: &Path| path.display().to_string();
        let arguments = [
            "train",
            &path(&recipe),
            "--data",
            &path(&self.0),
            "--out",
            &path(&out),
        ];
        let arguments = arguments.iter().chain(&["--workers", "2"]).chain(more);
        arguments.map(|&argument| argument.to_owned()).collect()
    }

    pub fn train(&self, out: &str, more: &[&str]) -> Output {
        let arguments = self.arguments(out, more);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        attn(&arguments, "")
    }

    /// Trains, which must succeed, and returns what it reported.
    pub fn trained(&self, out: &str, more: &[&str]) -> String {
        let output = self.train(out, more);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stderr)
    }

    fn start(&self, out: &str) -> Child {
        Command::new(env!("CARGO_BIN_EXE_attn"))
            .args(self.arguments(out, &[]))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// The model as published.
    pub fn model(&self, out: &str) -> Vec<u8> {
        fs::read(self.out(out).join("model.safetensors")).unwrap()
    }

    /// The directory of the only checkpoint.
    fn checkpoint(&self, out: &str) -> PathBuf {
        let entries = fs::read_dir(self.out(out).join("run")).unwrap();
        let paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        assert_eq!(paths.len(), 1, "{paths:?}");
        paths[0].clone()
    }

    /// The losses at every checkpoint, to the last bit.
    fn history(&self, out: &str) -> Value {
        let progress = fs::read(self.checkpoint(out).join("progress.json")).unwrap();
        serde_json::from_slice::<Value>(&progress).unwrap()["history"].take()
    }
}

/// A run that is stopped and gone on with ends where an uninterrupted one ends.
#[test]
fn training_learns_and_resumes() {
    let run = TinyRun::new("train");
    let report = run.trained("through", &[]);
    let losses: Vec<f32> = report
        .lines()
        .filter_map(|line| line.strip_prefix("step ")?.split("train ").nth(1))
        .map(|rest| rest.split(',').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(losses.len(), 2, "{report}");
    assert!(losses[1] < losses[0], "{report}");

    // Each of these stops after a step.
    for step in 1..4 {
        let report = run.trained("stopped", &["--minutes", "0"]);
        assert!(report.contains(&format!("step {step},")), "{report}");
    }
    let report = run.trained("stopped", &[]);
    assert!(report.contains("going on from step 3"), "{report}");
    assert_eq!(run.model("through"), run.model("stopped"));
    // At its end there is nothing more to do.
    let report = run.trained("stopped", &[]);
    assert!(report.contains("going on from step 20"), "{report}");
    assert_eq!(run.model("through"), run.model("stopped"));
}

/// The number of times the run is killed.
const KILLS: u64 = 50;
/// Steps of that run, with a checkpoint at each: more than are taken between two kills, times kills, on a machine that
/// becomes half as busy meanwhile.
const STEPS: usize = 400;

/// Wherever it is killed, in a step, while a checkpoint is written or before it has begun, a run that is started
/// again ends bit by bit as one that never was.
#[test]
fn a_run_that_is_killed_again_and_again_ends_as_the_unbroken_one() {
    let run = TinyRun::new("killed");
    run.plan(TRANSFORMER, STEPS, 1);
    let began = Instant::now();
    run.trained("through", &[]);
    let step = began.elapsed() / STEPS as u32;

    let mut random = StdRng::seed_from_u64(11);
    for kill in 0..KILLS {
        let mut child = run.start("killed");
        let mut report = BufReader::new(child.stderr.take().unwrap()).lines();
        // Its report says `step` just before a checkpoint is written.
        for _ in 0..random.random_range(0..4) {
            let line = report.find(|line| line.as_ref().unwrap().starts_with("step "));
            assert!(
                line.is_some(),
                "run {kill} ended by itself: {:?}",
                child.wait()
            );
        }
        sleep(step.mul_f64(random.random_range(0.0..1.5)));
        assert_eq!(
            child.try_wait().unwrap(),
            None,
            "run {kill} ended by itself"
        );
        // On Unix that is signal 9.
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let report = run.trained("killed", &[]);
    assert!(report.contains("going on from step "), "{report}");
    assert_eq!(run.model("through"), run.model("killed"));
    assert_eq!(run.history("through"), run.history("killed"));
    assert_eq!(run.history("through").as_array().unwrap().len(), STEPS);
}

/// A run that starts from a trained model has its loss, not that of random weights, and changes all of its weights.
#[test]
fn a_run_from_a_trained_model_goes_on_from_its_weights() {
    let run = TinyRun::new("from");
    let report = run.trained("first", &[]);
    let reached = last_loss(&report);
    let first = run.out("first").display().to_string();
    let report = run.trained("second", &["--from", &first, "--minutes", "0"]);
    let began = last_loss(&report);
    assert!(
        (began - reached).abs() < 0.2 * reached,
        "{began} is not near {reached}"
    );
    let scratch = last_loss(&run.trained("scratch", &["--minutes", "0"]));
    assert!(reached < 0.8 * scratch, "{reached}, {scratch}");

    let (before, after) = (run.model("first"), run.model("second"));
    let (before, after) = (
        SafeTensors::deserialize(&before).unwrap(),
        SafeTensors::deserialize(&after).unwrap(),
    );
    for (name, tensor) in before.tensors() {
        let now = after.tensor(&name).unwrap();
        let is_learned = name != "final_logits_bias";
        assert_eq!(tensor.data() != now.data(), is_learned, "{name}");
    }
    // It is part of what the run began with.
    let output = run.train("second", &[]);
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(
        message.contains("model.safetensors to start from"),
        "{message}"
    );
}

const GPT2: &str = r#"
    family = "gpt2"
    vocab_size = 60
    n_positions = 32
    n_embd = 16
    n_layer = 1
    n_head = 2
    bos_token_id = 1
    eos_token_id = 1
"#;

const BERT: &str = r#"
    family = "bert"
    vocab_size = 60
    hidden_size = 16
    intermediate_size = 32
    num_hidden_layers = 1
    num_attention_heads = 2
    max_position_embeddings = 32
    type_vocab_size = 1
    pad_token_id = 0
"#;

/// A decoder alone and an encoder alone learn too; their files are read, and gone on from.
#[test]
fn models_of_one_stack_learn_and_are_read() {
    for (name, model, pattern) in [
        ("gpt2", GPT2, "decoder.0.self.pattern"),
        ("bert", BERT, "encoder.0.self.pattern"),
    ] {
        let run = TinyRun::new(name);
        run.plan(model, 60, 60);
        let reached = last_loss(&run.trained("first", &[]));
        let scratch = last_loss(&run.trained("scratch", &["--minutes", "0"]));
        assert!(reached < 0.8 * scratch, "{name}: {reached}, {scratch}");
        let first = run.out("first").display().to_string();
        let began = last_loss(&run.trained("second", &["--from", &first, "--minutes", "0"]));
        assert!(began < 0.8 * scratch, "{name}: {began}, {scratch}");

        let trace = run.out("trace.safetensors").display().to_string();
        let arguments = ["--text", "I see 7", "--out", &trace];
        let output = attn(
            &[&["trace", "--model", &first][..], &arguments].concat(),
            "",
        );
        assert!(output.status.success(), "{}", text(&output.stderr));
        let bytes = fs::read(&trace).unwrap();
        let arrays = SafeTensors::deserialize(&bytes).unwrap();
        assert_eq!(arrays.tensor(pattern).unwrap().shape()[0], 2);
    }
}

/// The training loss that a run reported last.
fn last_loss(report: &str) -> f32 {
    let line = report.lines().rev().find(|line| line.starts_with("step "));
    let loss = line.unwrap().split("train ").nth(1).unwrap();
    loss.split(',').next().unwrap().parse().unwrap()
}

#[test]
fn another_recipe_or_other_data_is_refused_by_name() {
    let run = TinyRun::new("changed");
    run.trained("out", &["--minutes", "0"]);
    let refused = |what: &str| {
        let output = run.train("out", &[]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains(what), "{message}");
        assert!(message.contains("step-1"), "{message}");
    };
    let (recipe, data) = (run.recipe(), run.out("pairs.tsv"));
    for (path, from, to, what) in [
        (&recipe, "seed = 7", "seed = 8", "the recipe's `seed`"),
        (
            &recipe,
            "steps = 20",
            "steps = 30",
            "the recipe's `optimization`",
        ),
        (
            &recipe,
            "dropout = 0.1",
            "dropout = 0.2",
            "the recipe's `model`",
        ),
        (&data, "I see 0", "I saw 0", "pairs.tsv"),
        (&run.out("out/tokenizer.json"), "{", "{ ", "tokenizer.json"),
    ] {
        let before = fs::read_to_string(path).unwrap();
        assert!(before.contains(from), "{from}");
        fs::write(path, before.replacen(from, to, 1)).unwrap();
        refused(what);
        fs::write(path, before).unwrap();
    }
    // As it was, and with a comment, which changes nothing.
    let before = fs::read_to_string(&recipe).unwrap();
    fs::write(&recipe, format!("# A comment.\n{before}")).unwrap();
    let report = run.trained("out", &["--minutes", "0"]);
    assert!(report.contains("going on from step 1"), "{report}");
}

#[test]
fn a_run_of_an_earlier_version_is_refused() {
    let run = TinyRun::new("earlier");
    let files = run.out("out").join("run");
    fs::create_dir_all(&files).unwrap();
    fs::write(
        files.join("progress.json"),
        r#"{"step":10,"seconds":1.0,"history":[]}"#,
    )
    .unwrap();
    let output = run.train("out", &[]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("earlier version"), "{message}");
    assert!(message.contains(&files.display().to_string()), "{message}");
}

/// Files left behind by a killed run are neither read nor in the way.
#[test]
fn what_was_half_written_or_half_removed_is_passed_over() {
    let run = TinyRun::new("left-over");
    run.trained("through", &[]);
    run.trained("out", &["--minutes", "0"]);
    let files = run.out("out").join("run");
    // Half of the next checkpoint, and half of the one before, whose removal was cut short.
    for directory in ["partial", "step-0"] {
        fs::create_dir(files.join(directory)).unwrap();
        fs::write(files.join(directory).join("model.bpk"), b"half").unwrap();
    }
    let report = run.trained("out", &[]);
    assert!(report.contains("going on from step 1"), "{report}");
    assert_eq!(run.model("through"), run.model("out"));
    assert!(run.checkpoint("out").ends_with("step-20"));
}

/// Two runs of one recipe are the same bit by bit: without it, nothing above would mean anything.
#[test]
fn a_run_depends_on_its_recipe_and_data_alone() {
    let run = TinyRun::new("again");
    run.trained("once", &[]);
    run.trained("again", &[]);
    assert_eq!(run.model("once"), run.model("again"));
}
