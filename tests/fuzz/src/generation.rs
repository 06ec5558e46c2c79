//! The reader of `generation_config.json`, and decoding with its settings.

use attention_model::checkpoint::CheckpointFiles;

use crate::damage::Input;
use crate::tiny::{files, try_out};

/// All settings that decoding applies, and some that it ignores.
const SETTINGS: &str = r#"{
    "eos_token_id": [1, 9], "bos_token_id": 2, "decoder_start_token_id": 0, "bad_words_ids": [[3], [4, 5], [6, 7, 8]],
    "suppress_tokens": [10, 11], "begin_suppress_tokens": [12], "forced_bos_token_id": 13, "forced_eos_token_id": [1],
    "min_length": 3, "min_new_tokens": null, "no_repeat_ngram_size": 2, "num_beams": 4, "repetition_penalty": 1.5
}"#;

#[test]
fn settings_of_a_translator_and_of_a_language_model() {
    for name in ["marian-gelu", "t5-attention"] {
        let files = files(name);
        bolero::check!()
            .with_type::<Input>()
            .with_iterations(1000)
            .for_each(|input| {
                let _ = try_out(CheckpointFiles {
                    generation: Some(input.json(SETTINGS.as_bytes())),
                    ..files.clone()
                });
            });
    }
}
