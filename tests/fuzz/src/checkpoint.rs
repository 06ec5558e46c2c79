//! The reader of `model.safetensors`.

use attention_model::checkpoint::CheckpointFiles;

use crate::damage::Input;
use crate::tiny::{files, try_out, weights};

#[test]
fn weights_of_a_marian() {
    let (files, seed) = (files("marian-gelu"), weights("marian-gelu"));
    bolero::check!()
        .with_type::<Input>()
        .with_iterations(3000)
        .for_each(|input| {
            let weights = input.safetensors(&seed);
            // Whatever comes of it.
            let _ = try_out(CheckpointFiles {
                weights: weights.into(),
                ..files.clone()
            });
        });
}

#[test]
fn weights_of_a_llama() {
    let (files, seed) = (files("llama-tiny"), weights("llama-tiny"));
    bolero::check!()
        .with_type::<Input>()
        .with_iterations(3000)
        .for_each(|input| {
            let weights = input.safetensors(&seed);
            let _ = try_out(CheckpointFiles {
                weights: weights.into(),
                ..files.clone()
            });
        });
}
