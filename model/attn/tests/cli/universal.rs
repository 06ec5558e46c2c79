//! Universal Transformers on the command line: training with and without halting, and the depths that tokens use.

use serde_json::Value;

use crate::training::TinyRun;
use crate::{attn, text};

fn sizes(halting: &str) -> String {
    format!(
        r#"
        family = "universal"
        vocab_size = 60
        d_model = 16
        attention_heads = 2
        ffn_dim = 24
        activation_function = "relu"
        max_depth = 3
        {halting}
        max_position_embeddings = 64
        pad_token_id = 0
        eos_token_id = 1
        decoder_start_token_id = 0
        dropout = 0.1
        "#
    )
}

/// The losses at the checkpoints.
fn losses(report: &str) -> Vec<f32> {
    let lines = report.lines().filter(|line| line.starts_with("step "));
    let losses = lines.filter_map(|line| line.split("train ").nth(1)?.split(',').next());
    losses.map(|loss| loss.parse().unwrap()).collect()
}

/// The mean depth of a stack, of the pairs that the run learned from.
fn mean_depth(run: &TinyRun, name: &str, stack: &str) -> f64 {
    let (model, pairs) = (run.out(name), run.out("pairs.tsv"));
    let (model, pairs) = (model.display().to_string(), pairs.display().to_string());
    let output = attn(&["depths", "--model", &model, "--pairs", &pairs], "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let tokens = found[stack]["tokens"].as_array().unwrap();
    assert_eq!(tokens.len(), 3);
    let count = |bins: &str| -> u64 {
        let bins = found[stack][bins].as_array().unwrap().iter();
        bins.map(|bin| bin["tokens"].as_u64().unwrap()).sum()
    };
    let all: u64 = tokens.iter().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!((count("by_occurrences"), count("by_length")), (all, all));
    found[stack]["mean"].as_f64().unwrap()
}

/// Returns the scores that `attn eval` writes on the pairs that the run learned from.
fn scores(run: &TinyRun, name: &str) -> Value {
    let path = |name: &str| run.out(name).display().to_string();
    let (model, pairs, json) = (path(name), path("pairs.tsv"), path("scores.json"));
    let options = ["--model", &model, "--pairs", &pairs, "--json", &json];
    let output = attn(&[&["eval"][..], &options].concat(), "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap()
}

/// A model learns, a run that is stopped ends as an unbroken one, and what depths cost decides how many are used.
#[test]
fn universal_transformers_are_trained_and_ponder_less_where_it_costs_more() {
    let run = TinyRun::new("universal");
    for (name, cost) in [("cheap", "0.0"), ("dear", "3.0")] {
        let halting = format!("halting = {{ epsilon = 0.01, ponder_cost = {cost} }}");
        run.plan(&sizes(&halting), 60, 20);
        let losses = losses(&run.trained(name, &[]));
        assert_eq!(losses.len(), 3);
        assert!(losses[2] < 0.9 * losses[0], "{name}: {losses:?}");
    }
    let (cheap, dear) = (
        mean_depth(&run, "cheap", "encoder"),
        mean_depth(&run, "dear", "encoder"),
    );
    assert!(dear + 0.5 < cheap, "{dear}, {cheap}");
    let scores = scores(&run, "cheap");
    assert!(scores["pairs"].as_u64().unwrap() > 0);
    assert!((0.0..=100.0).contains(&scores["bleu"].as_f64().unwrap()));
    assert!(scores["perplexity"].as_f64().unwrap() > 1.0);
    run.trained("dear-stopped", &["--minutes", "0"]);
    let report = run.trained("dear-stopped", &[]);
    assert!(report.contains("going on from step 1"), "{report}");
    assert_eq!(run.model("dear"), run.model("dear-stopped"));
}

#[test]
fn a_model_that_uses_every_depth_has_none_to_count() {
    let run = TinyRun::new("universal-fixed");
    run.plan(&sizes(""), 20, 20);
    run.trained("fixed", &[]);
    let model = run.out("fixed").display().to_string();
    let pairs = run.out("pairs.tsv").display().to_string();
    let output = attn(&["depths", "--model", &model, "--pairs", &pairs], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("every depth"));
}
