//! The model that embeds a sentence learns, a seed decides its weights, and the penalty drives its hops apart. A program of
//! its own with one test, since burn draws from one generator for all threads.

#![cfg(feature = "cli")]
// Clippy knows test functions, not what they call.
#![allow(clippy::unwrap_used)]

use attention_model::embedding::{EmbedderRun, Learned, SentenceReader, learn, marked_sentences};
use burn::prelude::Device;

const SUBJECTS: [&str; 8] = ["tom", "mary", "she", "he", "it", "ann", "bob", "kim"];
const ENDS: [&str; 12] = [
    "here",
    "there",
    "at home",
    "in town",
    "late",
    "early",
    "so tall",
    "very old",
    "quite sure",
    "not well",
    "away",
    "ready",
];

/// Made-up sentences: a question begins with the verb, a statement with its subject.
fn made_up() -> String {
    let pairs = SUBJECTS
        .iter()
        .flat_map(|it| ENDS.iter().map(move |end| (it, end)));
    let lines = pairs.flat_map(|(it, end)| {
        [
            format!("{it} is {end} now.\n"),
            format!("is {it} {end} now?\n"),
        ]
    });
    lines.collect()
}

fn learned(penalty: f64, losses: &mut Vec<f32>) -> Learned {
    let run = EmbedderRun {
        seed: 3,
        epochs: 25,
        penalty,
    };
    let text = made_up();
    let data = marked_sentences([text.as_str()]);
    assert!(!data.test.is_empty());
    learn(&data, run, |_, _, loss| losses.push(loss)).unwrap()
}

#[test]
fn marks_are_learned_and_the_penalty_drives_hops_apart() {
    let mut losses = vec![];
    let free = learned(0.0, &mut losses);
    assert!(losses[losses.len() - 1] < 0.5 * losses[0], "{losses:?}");
    assert!(
        free.scores.accuracy > free.scores.majority,
        "{:?}",
        free.scores
    );
    let read =
        SentenceReader::load(free.config.as_bytes(), &free.weights, &Device::flex()).unwrap();
    let seen = read.see("Is Mary here now?", &[]).unwrap();
    assert!(seen.probabilities[1] > seen.probabilities[0]);
    let again = learned(0.0, &mut vec![]);
    assert!(again.weights == free.weights, "a seed decides the weights");
    let apart = learned(1.0, &mut vec![]);
    assert!(
        apart.scores.penalty < free.scores.penalty,
        "{:?} {:?}",
        apart.scores,
        free.scores
    );
}
