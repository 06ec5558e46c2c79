//! The reader of `config.json`.

use attention_model::checkpoint::CheckpointFiles;

use crate::damage::Input;
use crate::tiny::{files, try_out};

#[test]
fn configuration_of_a_marian() {
    let files = files("marian-gelu");
    bolero::check!()
        .with_type::<Input>()
        .with_iterations(3000)
        .for_each(|input| {
            let config = input.json(&files.config);
            let _ = try_out(CheckpointFiles {
                config,
                ..files.clone()
            });
        });
}

#[test]
fn configuration_of_a_llama() {
    let files = files("t5-attention");
    bolero::check!()
        .with_type::<Input>()
        .with_iterations(3000)
        .for_each(|input| {
            let config = input.json(&files.config);
            let _ = try_out(CheckpointFiles {
                config,
                ..files.clone()
            });
        });
}
