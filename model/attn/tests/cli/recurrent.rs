//! Recurrent encoder–decoders on the command line: training, and scores by the length of the source.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::training::TinyRun;
use crate::{attn, text};

const ATTENTIONS: [(&str, &str); 4] = [
    ("fixed", r#"{ kind = "none" }"#),
    ("bahdanau", r#"{ kind = "bahdanau" }"#),
    ("luong", r#"{ kind = "luong", score = "general" }"#),
    ("local", r#"{ kind = "luong", score = "dot", window = 2 }"#),
];

fn sizes(attention: &str, bidirectional: bool) -> String {
    format!(
        r#"
        family = "gru"
        vocab_size = 60
        embedding_size = 16
        hidden_size = 24
        bidirectional = {bidirectional}
        attention = {attention}
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

/// With every way of attending a model learns, a run that is stopped ends as an unbroken one, and what it wrote is
/// read again and scored by the length of the source.
#[test]
fn recurrent_models_are_trained_gone_on_with_and_compared() {
    let run = TinyRun::new("recurrent");
    let mut directories = vec![];
    for (name, attention) in ATTENTIONS {
        run.plan(&sizes(attention, name == "bahdanau"), 60, 20);
        let report = run.trained(name, &[]);
        let losses = losses(&report);
        assert_eq!(losses.len(), 3, "{report}");
        assert!(losses[2] < 0.8 * losses[0], "{name}: {losses:?}");
        let stopped = format!("{name}-stopped");
        run.trained(&stopped, &["--minutes", "0"]);
        let report = run.trained(&stopped, &[]);
        assert!(report.contains("going on from step 1"), "{report}");
        assert_eq!(run.model(name), run.model(&stopped));
        directories.push(run.out(name).display().to_string());
    }
    let (pairs, json) = (run.out("pairs.tsv"), run.out("scores.json"));
    let path = |path: &Path| path.display().to_string();
    let (pairs, json) = (path(&pairs), path(&json));
    let directories: Vec<&str> = directories.iter().map(String::as_str).collect();
    let options = ["compare", "--pairs", &pairs, "--json", &json, "--most", "5"];
    let bins = ["--bins", "1-2,3-3", "--joined", "5-6", "--models"];
    let output = attn(&[&options[..], &bins, &directories].concat(), "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let scores: Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
    let about: Vec<_> = (scores["bins"].as_array().unwrap().iter())
        .map(|bin| {
            (
                bin["from"].as_u64().unwrap(),
                bin["to"].as_u64().unwrap(),
                bin["is_joined"] == true,
            )
        })
        .collect();
    assert_eq!(about, [(1, 2, false), (3, 3, false), (5, 6, true)]);
    for (name, _) in ATTENTIONS {
        let scored = scores["models"][name].as_array().unwrap();
        // Every sentence has three words, so that the first bin is empty.
        let pairs: Vec<_> = scored.iter().map(|bin| bin["pairs"].as_u64()).collect();
        assert_eq!(pairs, [Some(0), Some(5), Some(5)], "{name}");
        let bleu = scored.iter().map(|bin| bin["bleu"].as_f64().unwrap());
        assert!(
            bleu.clone().all(|bleu| (0.0..=100.0).contains(&bleu)),
            "{name}"
        );
    }
}

#[test]
fn bins_that_are_no_ranges_are_refused() {
    for bins in ["5", "4-3", "0-2", "a-b"] {
        let options = [
            "compare", "--models", "m", "--pairs", "p", "--json", "j", "--bins", bins,
        ];
        let output = attn(&options, "");
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("no range of words"), "{bins}");
    }
}
