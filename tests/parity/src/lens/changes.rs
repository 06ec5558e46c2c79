//! Shares of a logit compared with the real changes without a head, and a finding of the lens.

use attention_model::checkpoint::Checkpoint;
use attention_model::decoding::Sequence;
use attention_trace::{Part, Reading, Wanted};
use burn::prelude::Device;
use pollster::block_on;

use super::{run, run_to, shipped};

/// Returns how often the share of a head of the last layer has the same sign as the real change when the head is off:
/// for the step's word, and for its lead over the next one, over the first steps of some texts.
fn agreement(name: &str, texts: &[&str]) -> [f32; 2] {
    let model = Checkpoint::open(&shipped(name), &Device::flex()).unwrap();
    let device = Device::flex();
    let (mut same, mut all) = ([0; 2], [0; 2]);
    for text in texts {
        let (sequences, rows) = run(&model, text);
        let lens = block_on(model.lens(text, &sequences, 2, &[], &device)).unwrap();
        let first = rows - sequences[0].tokens.len();
        for row in (first..rows).take(2) {
            let words = &lens.layers.last().unwrap()[row].words;
            let (token, second) = (words[0].token.id, words[1].token.id);
            for (kind, against) in [None, Some(second)].into_iter().enumerate() {
                let wanted = Wanted {
                    row,
                    token,
                    against,
                };
                for (share, change) in last_heads(&model, text, &sequences, wanted) {
                    same[kind] += usize::from(share * change > 0.0);
                    all[kind] += 1;
                }
            }
        }
    }
    let shares = [0, 1].map(|kind| same[kind] as f32 / all[kind] as f32);
    println!(
        "{name}: same sign, of a logit {:.2}, of a difference {:.2}",
        shares[0], shares[1]
    );
    shares
}

/// Returns the share of each head of the last layer, and the number with the head minus the number without it.
fn last_heads(
    model: &Checkpoint,
    text: &str,
    sequences: &[Sequence],
    wanted: Wanted,
) -> Vec<(f32, f32)> {
    let device = Device::flex();
    let found = block_on(model.attribute(text, sequences, wanted, &[], &device)).unwrap();
    let last = found
        .shares
        .iter()
        .filter_map(|share| share.part.layer())
        .max();
    let heads = found.shares.iter().filter_map(|share| match share.part {
        Part::Head { attention, head } if Some(attention.layer) == last => {
            Some((share.value, (attention, head)))
        }
        _ => None,
    });
    heads
        .map(|(share, head)| {
            let without = model.logit_without(text, sequences, wanted, head, &[], &device);
            (share, found.logit - block_on(without).unwrap())
        })
        .collect()
}

/// The chapter's claim: contributions that favour all words alike, and those that a later norm rescales, are in a
/// logit's shares and absent from those of a difference.
#[test]
fn shares_of_a_difference_tell_more_often_what_changes_without_a_head() {
    for (name, texts) in [
        (
            "translator",
            [
                "Je suis étudiant.",
                "Il ne mange pas de viande.",
                "我不喜欢咖啡。",
                "猫在桌子上。",
            ],
        ),
        (
            "sentences",
            [
                "I don't know what",
                "Where is the",
                "We need to",
                "My father works",
            ],
        ),
    ] {
        let [logit, difference] = agreement(name, &texts);
        assert!(difference > logit, "{name}: {logit}, {difference}");
    }
}

/// A finding of the lens: the translator predicts “of” after “glass” a layer before the last, from the word that it has
/// written, while “glass” itself, which depends on the source, appears only in the last layer.
#[test]
fn the_translator_finds_of_a_layer_earlier_than_glass() {
    let text = "Je voudrais un verre d'eau.";
    let (model, device) = (
        Checkpoint::open(&shipped("translator"), &Device::flex()).unwrap(),
        Device::flex(),
    );
    let (sequences, _) = run_to(&model, text, 40);
    let lens = block_on(model.lens(text, &sequences, 1, &[], &device)).unwrap();
    let readings = |word: &str| -> Vec<Reading> {
        let mut answers = lens.answers.iter();
        let position = answers.position(|token| token.text == word).unwrap();
        lens.layers
            .iter()
            .map(|layer| layer[position].clone())
            .collect()
    };
    let [.., before, last] = &readings("▁of")[..] else {
        panic!("it has layers")
    };
    assert!(before.rank == 1 && before.probability > 0.9 && last.rank == 1);
    let [earlier @ .., last] = &readings("▁glass")[..] else {
        panic!("it has layers")
    };
    assert!(earlier.iter().all(|reading| reading.rank > 1) && last.rank == 1);
}
