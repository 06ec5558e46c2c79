//! The reader of `model.safetensors`.

use attention_model::checkpoint::CheckpointFiles;

use crate::damage::Input;
use crate::tiny::{files, try_out};

#[test]
fn weights_of_a_marian() {
    let files = files("marian-gelu");
    bolero::check!()
        .with_type::<Input>()
        .with_iterations(3000)
        .for_each(|input| {
            let weights = input.safetensors(&files.weights);
            // Whatever comes of it.
            let _ = try_out(CheckpointFiles {
                weights,
                ..files.clone()
            });
        });
}

#[test]
fn weights_of_a_llama() {
    let files = files("llama-tiny");
    bolero::check!()
        .with_type::<Input>()
        .with_iterations(3000)
        .for_each(|input| {
            let weights = input.safetensors(&files.weights);
            let _ = try_out(CheckpointFiles {
                weights,
                ..files.clone()
            });
        });
}
