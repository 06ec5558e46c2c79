//! The tiny checkpoints of `tests/fixtures`, unchanged or with one file replaced.

use std::path::PathBuf;

use attention_model::checkpoint::{Checkpoint, CheckpointFiles};
use attention_model::error::ModelError;
use attention_model::inference::RunOptions;
use attention_trace::{Quantities, Search};
use burn::prelude::Device;

pub fn files(name: &str) -> CheckpointFiles {
    CheckpointFiles {
        config: read(name, "config.json"),
        weights: weights(name).into(),
        tokenizer: read(name, "tokenizer.json"),
        ..CheckpointFiles::default()
    }
}

/// Loads the files and, if they form a model, runs it: a short search, and a traced pass.
pub fn weights(name: &str) -> Vec<u8> {
    read(name, "model.safetensors")
}

fn read(name: &str, file: &str) -> Vec<u8> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixtures/tiny");
    std::fs::read(directory.join(name).join(file)).unwrap()
}

pub fn try_out(files: CheckpointFiles) -> Result<(), ModelError> {
    let device = Device::flex();
    let checkpoint = Checkpoint::load(files, &device)?;
    let options = RunOptions {
        search: Search::Beam {
            width: 2,
            length_penalty: 0.75,
        },
        prefix: vec![7],
        max_new_tokens: 3,
        quantities: Quantities::all(),
        edits: vec![],
    };
    pollster::block_on(async {
        for text in ["the dog", "猫 🐕!"] {
            let sequences = checkpoint
                .decode(text, &options, &device, async |_| true)
                .await?;
            checkpoint
                .trace(text, &sequences, &options, &device)
                .await?;
        }
        Ok(())
    })
}
