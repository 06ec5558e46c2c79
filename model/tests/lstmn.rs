//! The LSTMN learns, with attention and without, and a seed decides its weights. A program of its own with one test, since
//! burn draws from one generator for all threads.

#![cfg(feature = "cli")]
// Clippy knows test functions, not what they call.
#![allow(clippy::unwrap_used)]

use attention_model::embedding::marked_sentences;
use attention_model::lstmn::{LearnedTapes, LstmnRun, TapeReader, learn};
use burn::prelude::Device;

const SUBJECTS: [&str; 8] = ["tom", "mary", "she", "he", "it", "ann", "bob", "kim"];
const ENDS: [&str; 6] = ["here", "there", "late", "early", "away", "ready"];

/// Made-up sentences: a question begins with the verb, a statement with its subject.
fn made_up() -> String {
    let pairs = SUBJECTS
        .iter()
        .flat_map(|it| ENDS.iter().map(move |end| (it, end)));
    let lines =
        pairs.flat_map(|(it, end)| [format!("{it} is {end} now.\n"), format!("is {it} {end}?\n")]);
    lines.collect()
}

fn learned(has_attention: bool, epochs: usize, kept: &mut Vec<f64>) -> LearnedTapes {
    let run = LstmnRun {
        seed: 3,
        epochs,
        has_attention,
    };
    let text = made_up();
    let data = marked_sentences([text.as_str()]);
    assert!(!data.test.is_empty());
    learn(
        &data,
        run,
        |_, _, _| (),
        |it| kept.push(it.scores.perplexity),
    )
    .unwrap()
}

#[test]
fn sentences_are_learned_with_attention_and_without() {
    let mut kept = vec![];
    let tapes = learned(true, 50, &mut kept);
    assert_eq!(kept.len(), 49);
    assert!(tapes.scores.perplexity < 0.5 * kept[0], "{kept:?}");
    let weight = tapes.scores.weight_of_last;
    assert!((0.0..1.0).contains(&weight), "{weight}");
    let read = TapeReader::load(tapes.config.as_bytes(), &tapes.weights, &Device::flex()).unwrap();
    let seen = read.read("is mary here").unwrap();
    assert_eq!(seen.next.last().unwrap().likeliest[0].text, "?");

    let again = learned(true, 2, &mut vec![]);
    assert!(again.weights == learned(true, 2, &mut vec![]).weights);
    let plain = learned(false, 2, &mut vec![]);
    assert_eq!(plain.scores.weight_of_last, 1.0);
    assert!(plain.parameters < again.parameters);
}
