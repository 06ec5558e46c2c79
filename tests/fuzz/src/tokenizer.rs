//! The reader of `tokenizer.json` that programs use.

use attention_model::checkpoint::CheckpointFiles;

use crate::damage::Input;
use crate::tiny::{files, try_out};

#[test]
fn tokenizer() {
    let files = files("marian-gelu");
    bolero::check!()
        .with_type::<Input>()
        .with_iterations(3000)
        .for_each(|input| {
            let tokenizer = input.json(&files.tokenizer);
            let _ = try_out(CheckpointFiles {
                tokenizer,
                ..files.clone()
            });
        });
}
