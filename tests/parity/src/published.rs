//! Numbers that documents tell are those that the program wrote into files beside the weights.

use std::path::PathBuf;

use attention_trace::config::UniversalConfig;
use attention_trace::{HeadScore, SetScore, read_bleu_by_length, read_head_scores};
use serde_json::Value;

fn read(path: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn json(path: &str) -> Value {
    serde_json::from_str(&read(path)).unwrap()
}

/// A number of a file, with so many decimals.
fn written(value: &Value, decimals: usize) -> String {
    format!("{:.decimals$}", value.as_f64().unwrap())
}

/// Holds documents to a line with all of these words.
fn told(paths: &[String], words: &[&str]) {
    for path in paths {
        let text = read(path);
        let mut lines = text.lines();
        let found = lines.any(|line| words.iter().all(|word| line.contains(word)));
        assert!(found, "{path}: {words:?}");
    }
}

const UNIVERSAL: &str = "assets/models/universal";

fn chapters() -> [String; 2] {
    ["en", "zh"].map(|language| format!("assets/locales/{language}/chapters/universal.md"))
}

#[test]
fn scores_of_the_universal_transformer_are_those_that_eval_wrote() {
    let scores = json(&format!("{UNIVERSAL}/scores.json"));
    let (bleu, perplexity) = (
        written(&scores["bleu"], 1),
        written(&scores["perplexity"], 2),
    );
    assert_eq!(scores["pairs"], 1626);
    told(
        &[format!("{UNIVERSAL}/README.md")],
        &["1,626", &bleu, &perplexity],
    );
    told(
        &["README.md".to_owned()],
        &["[universal]", &format!("BLEU (fr) {bleu}")],
    );
    told(&chapters(), &["1,626", &bleu]);
}

#[test]
fn depths_of_the_universal_transformer_are_those_that_were_counted() {
    let depths = json(&format!("{UNIVERSAL}/depths.json"));
    let readme = format!("{UNIVERSAL}/README.md");
    let means = ["encoder", "decoder"].map(|stack| written(&depths[stack]["mean"], 2));
    let [encoder, decoder] = &means;
    told(&chapters(), &[encoder, decoder]);
    for stack in ["encoder", "decoder"] {
        let deeper = &depths[stack]["tokens"].as_array().unwrap()[2..];
        assert!(
            deeper.iter().all(|count| *count == 0),
            "the chapter says none"
        );
    }
    for stack in ["encoder", "decoder"] {
        let mut row = vec![written(&depths[stack]["mean"], 2)];
        let tokens = depths[stack]["tokens"].as_array().unwrap();
        let all: f64 = tokens.iter().map(|count| count.as_f64().unwrap()).sum();
        for count in tokens {
            row.push(format!("{:.1} %", 100.0 * count.as_f64().unwrap() / all));
        }
        let row: Vec<&str> = row.iter().map(String::as_str).collect();
        told(
            std::slice::from_ref(&readme),
            &[&[stack], &row[..]].concat(),
        );
    }
}

#[test]
fn the_universal_transformer_has_the_sizes_that_are_said_and_the_translators_tokens() {
    let config: UniversalConfig =
        serde_json::from_value(json(&format!("{UNIVERSAL}/config.json"))).unwrap();
    let expected = UniversalConfig {
        dropout: config.dropout,
        ..UniversalConfig::default()
    };
    assert_eq!(config, expected);
    let tokenizer = |model: &str| read(&format!("assets/models/{model}/tokenizer.json"));
    assert!(tokenizer("universal") == tokenizer("translator"));
    let weights = config.parameters().total() as f64 / 1e6;
    told(
        &[format!("{UNIVERSAL}/README.md")],
        &[&format!("{weights:.1} M")],
    );
}

#[test]
fn bleu_by_length_is_that_of_the_comparison() {
    let scores = read_bleu_by_length(&read("assets/models/recurrent/by-length.json")).unwrap();
    let readme = read("assets/models/recurrent/README.md");
    for (name, bleu) in &scores.models {
        let is_told = |line: &str| {
            let cells = line
                .split('|')
                .filter_map(|cell| cell.trim().parse::<f64>().ok());
            let cells: Vec<f64> = cells.collect();
            let mut pairs = cells.iter().zip(bleu);
            // Rounded to one decimal, either way from the middle.
            let is_close = pairs.all(|(told, score)| (told - score).abs() < 0.0501);
            line.contains(name.as_str()) && cells.len() == bleu.len() && is_close
        };
        assert!(readme.lines().any(is_told), "{name}: {bleu:?}");
    }
}

#[test]
fn what_heads_matter_is_told_as_it_was_measured() {
    const TRANSLATOR: &str = "assets/models/translator";
    let scores = read_head_scores(&read(&format!("{TRANSLATOR}/importance.json"))).unwrap();
    let sentences = read(&format!("{TRANSLATOR}/sentences.tsv"));
    assert_eq!(sentences.lines().count(), scores.pairs);
    assert!(sentences.len() <= 15_000);
    assert_eq!((scores.alone.len(), scores.pruned.len()), (72, 72));
    let readme = [format!("{TRANSLATOR}/README.md")];
    let tell = |name: &str, score: SetScore| {
        let (bleu, loss) = (format!("{:.2}", score.bleu), format!("{:.4}", score.loss));
        told(&readme, &[name, &bleu, &loss]);
    };
    tell("none", scores.whole);
    let mut alone: Vec<&HeadScore> = scores.alone.iter().collect();
    alone.sort_by(|one, other| other.score.loss.total_cmp(&one.score.loss));
    for found in &alone[..2] {
        let place = String::from(found.attention);
        tell(&format!("`{place}`, head {}", found.head), found.score);
    }
    for out in [12, 24, 36, 48, 60] {
        tell(
            &format!("the {out} least important"),
            scores.pruned[out - 1].score,
        );
    }
}
