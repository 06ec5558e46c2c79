//! Numbers in documents are those that the program wrote into files beside the weights.

use std::path::PathBuf;

use attention_model::checkpoint::Checkpoint;
use attention_model::evaluation::align;
use attention_model::training::Split;
use attention_trace::alignment::{
    AlignedPair, AlignmentSet, EndToken, RowErrors, RowOf, read_aligned_pair, read_alignment_scores,
};
use attention_trace::config::UniversalConfig;
use attention_trace::{
    AttentionKind, AttentionLayer, HeadScore, SetScore, read_bleu_by_length, read_head_scores,
};
use burn::prelude::Device;
use serde_json::Value;

fn read(path: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn json(path: &str) -> Value {
    serde_json::from_str(&read(path)).unwrap()
}

/// Formats a number of a file with `decimals` decimals.
fn written(value: &Value, decimals: usize) -> String {
    format!("{:.decimals$}", value.as_f64().unwrap())
}

/// Checks that each document has a line with all of these words.
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
    ["en", "zh"].map(|language| format!("app/chapters/src/universal/{language}/text.md"))
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
    for (name, scores) in &scores.models {
        let bleu: Vec<f64> = scores.iter().map(|score| score.bleu).collect();
        let is_told = |line: &str| {
            let cells = line
                .split('|')
                .filter_map(|cell| cell.trim().parse::<f64>().ok());
            let cells: Vec<f64> = cells.collect();
            let mut pairs = cells.iter().zip(&bleu);
            // Rounded to one decimal, either way from the middle.
            let is_close = pairs.all(|(told, score)| (told - score).abs() < 0.0501);
            line.contains(name.as_str()) && cells.len() == bleu.len() && is_close
        };
        assert!(readme.lines().any(is_told), "{name}: {bleu:?}");
    }
}

#[test]
fn what_recurrent_models_keep_of_their_bleu_is_that_of_the_comparison() {
    let scores = read_bleu_by_length(&read("assets/models/recurrent/by-length.json")).unwrap();
    let told = [
        ("assets/models/recurrent/README.md", " %"),
        ("app/chapters/src/recurrent/en/kit.md", " %"),
        ("app/chapters/src/recurrent/zh/kit.md", "%"),
    ];
    for name in ["fixed", "bahdanau", "luong"] {
        let scores = &scores.models[name];
        // From 1–4 to 17–24 words.
        let kept = 100.0 * scores[4].bleu / scores[0].bleu;
        for (file, sign) in told {
            let share = format!("{kept:.0}{sign}");
            assert!(read(file).contains(&share), "{file}: {name} {share}");
        }
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

fn aligned_pairs(lines: &str) -> Vec<AlignedPair> {
    let lines = lines.lines().filter(|line| !line.is_empty());
    lines.map(|line| read_aligned_pair(line).unwrap()).collect()
}

#[test]
fn heads_align_as_is_told_of_them() {
    const TRANSLATOR: &str = "assets/models/translator";
    let pairs = aligned_pairs(&read(&format!("{TRANSLATOR}/alignments.tsv")));
    for pair in &pairs {
        // Both languages' sentences were held out by the English one.
        assert_eq!(Split::of(&pair.target), Split::Test, "{}", pair.target);
        assert!(!pair.gold.sure.is_empty(), "{}", pair.source);
        let both: Vec<_> = pair.gold.sure.intersection(&pair.gold.possible).collect();
        assert!(both.is_empty(), "{}: {both:?}", pair.source);
    }
    for model in [TRANSLATOR, "assets/models/from-english"] {
        let errors = read(&format!("{model}/alignment-errors.json"));
        let scores = read_alignment_scores(&errors).unwrap();
        let readme = [format!("{model}/README.md")];
        for set in &scores.sets {
            let of_language = pairs.iter().filter(|pair| pair.language == set.language);
            assert_eq!((set.heads.len(), of_language.count()), (24, set.pairs));
            let best = set.best_head().unwrap();
            let place = String::from(best.attention);
            let name = format!("`{place}`, head {}", best.head);
            let tell = |name: &str, errors: RowErrors| {
                let rates = [errors.writing, errors.reading].map(|rate| format!("{rate:.3}"));
                told(&readme, &[name, &rates[0], &rates[1]]);
            };
            tell(&name, best.errors);
            tell("mean of all heads", set.all);
            told(&readme, &[&format!("{:.3}", set.best.error)]);
        }
    }
}

/// The claims of the chapter on word alignment about the shipped translators.
#[test]
fn the_last_layer_aligns_what_it_writes_and_one_head_below_what_was_read() {
    let set = |model: &str| {
        let errors = read(&format!("assets/models/{model}/alignment-errors.json"));
        read_alignment_scores(&errors).unwrap().sets.remove(0)
    };
    let french = set("translator");
    let cross = |layer| AttentionLayer {
        kind: AttentionKind::Cross,
        layer,
    };
    for head in 0..8 {
        let errors = french.of(cross(2), head).unwrap();
        let is_told = (0.295..0.375).contains(&errors.writing);
        assert!(
            is_told && errors.better() == RowOf::Writing,
            "{head}: {errors:?}"
        );
    }
    let back = french.of(cross(1), 3).unwrap();
    assert_eq!(back.better(), RowOf::Reading);
    assert_eq!(
        [back.reading, back.writing].map(|rate| format!("{rate:.2}")),
        ["0.36", "0.78"]
    );
    let all = [french.all.writing, french.all.reading].map(|rate| format!("{rate:.2}"));
    assert_eq!(all, ["0.26", "0.81"].map(str::to_owned));
    let other = set("from-english").of(cross(0), 7).unwrap();
    assert_eq!(other.better(), RowOf::Reading);
}

/// The published error rates of the translator on French equal those of its weights; with the end token kept, they
/// equal the rates in the documents.
#[test]
fn error_rates_are_those_of_the_weights() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let device = Device::flex();
    let checkpoint = Checkpoint::open(&root.join("assets/models/translator"), &device).unwrap();
    let pairs = aligned_pairs(&read("assets/models/translator/alignments.tsv"));
    let pairs: Vec<_> = pairs.into_iter().filter(|p| p.language == "fr").collect();
    let measured = |end| {
        let set = align(&checkpoint, (&pairs, ""), end, &device, || ());
        pollster::block_on(set).unwrap()
    };
    let errors = read("assets/models/translator/alignment-errors.json");
    let published = read_alignment_scores(&errors).unwrap().sets.remove(0);
    let without = measured(EndToken::TakenOut);
    let rates = |set: &AlignmentSet| {
        let heads = set.heads.iter().map(|head| head.errors);
        let rates = heads.chain([set.all]);
        rates
            .flat_map(|errors| [errors.writing, errors.reading])
            .collect::<Vec<_>>()
    };
    let (written, found) = (rates(&published), rates(&without));
    assert_eq!(written.len(), found.len());
    // The file has four decimals.
    let differ = written
        .iter()
        .zip(&found)
        .map(|(one, other)| (one - other).abs());
    assert!(differ.fold(0.0, f64::max) < 1e-4);
    let kept = measured(EndToken::Kept).all;
    let [writing, reading] = [kept.writing, kept.reading].map(|rate| format!("{rate:.3}"));
    let readme = ["assets/models/translator/README.md".to_owned()];
    told(&readme, &["end token left in", &writing, &reading]);
    let chapters =
        ["en", "zh"].map(|language| format!("app/chapters/src/alignment/{language}/text.md"));
    told(&chapters, &[&format!("{:.2}", kept.writing), "0.81"]);
}
