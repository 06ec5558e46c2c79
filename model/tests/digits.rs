//! The model of pictures learns, and a seed decides its weights. A program of its own with one test, since burn draws from one
//! generator for all threads.

#![cfg(feature = "cli")]
// Clippy knows test functions, not what they call.
#![allow(clippy::unwrap_used)]

use attention_model::image::{DigitReader, DigitRun, Learned, learn};
use attention_trace::lessons::{LabelledPicture, Picture};
use burn::prelude::Device;

/// Made-up digits: a bar, or a cross.
fn made_up(count: usize) -> Vec<LabelledPicture> {
    let made = |place: usize| {
        let is_cross = place % 2 == 1;
        let mut picture = Picture::blank();
        for line in 1..7 {
            picture.set(line * Picture::SIDE + 3, Picture::INK);
            if is_cross {
                picture.set(3 * Picture::SIDE + line, Picture::INK);
            }
        }
        LabelledPicture {
            place,
            digit: u8::from(is_cross),
            picture,
        }
    };
    (0..count).map(made).collect()
}

fn learned(losses: &mut Vec<f32>) -> Learned {
    let run = DigitRun {
        seed: 1,
        epochs: 2,
        attends: true,
    };
    learn(&made_up(720), run, |_, loss| losses.push(loss)).unwrap()
}

#[test]
fn the_loss_falls_and_the_files_are_those_of_the_model() {
    let mut losses = vec![];
    let first = learned(&mut losses);
    assert!(losses[1] < losses[0], "{losses:?}");
    let read = DigitReader::load(first.config.as_bytes(), &first.weights, &Device::flex()).unwrap();
    let seen = read.see(&first.tested[0].picture).unwrap();
    assert!(seen.gamma != 0.0);
    let again = learned(&mut vec![]);
    assert!(again.weights == first.weights, "a seed decides the weights");
}
