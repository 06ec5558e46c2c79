//! Softmax in blocks equals PyTorch's, block by block, and its attention over the same keys at once.

use attention_trace::flash::{BlockStep, plain, steps};
use serde::Deserialize;

use crate::fixture::Fixture;
use crate::run::largest_difference;

const TOLERANCE: f32 = 1e-5;

#[derive(Deserialize)]
struct Description {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    blocks: Vec<usize>,
}

/// One number of each step.
type Column = (&'static str, fn(&BlockStep) -> f32);

const COLUMNS: [Column; 3] = [
    ("maximum", |step| step.maximum),
    ("rescaled", |step| step.rescaled),
    ("sum", |step| step.sum),
];

#[test]
fn softmax_in_blocks_equals_pytorch_after_every_block() {
    let fixture = Fixture::<Description>::read("flash.safetensors");
    for Case { name, blocks } in &fixture.description.cases {
        let expected = |part: String| fixture.arrays[&format!("{name}.{part}")].data.as_slice();
        let scores = expected("scores".to_owned());
        let values = expected("values".to_owned());
        for &block in blocks {
            let expected = |part: &str| expected(format!("{block}.{part}"));
            let steps = steps(scores, values, block);
            let mut largest = 0.0_f32;
            for (part, number) in COLUMNS {
                let found: Vec<f32> = steps.iter().map(number).collect();
                largest = largest.max(largest_difference(&found, expected(part)));
            }
            let all = |row: fn(&BlockStep) -> Vec<f32>| steps.iter().flat_map(row).collect();
            let unnormalised: Vec<f32> = all(|step| step.unnormalised.clone());
            let outputs: Vec<f32> = all(BlockStep::output);
            largest = largest.max(largest_difference(&unnormalised, expected("unnormalised")));
            // Each block's output is that of attention over the keys so far, the last one's that of the whole row.
            let plainly = expected("plain");
            largest = largest.max(largest_difference(&outputs, plainly));
            let whole = plain(scores, values);
            let last = &plainly[plainly.len() - whole.len()..];
            largest = largest.max(largest_difference(&whole, last));
            println!("flash {name}, blocks of {block}: largest difference {largest:.1e}");
            assert!(largest < TOLERANCE, "{name}, blocks of {block}: {largest}");
        }
    }
}
