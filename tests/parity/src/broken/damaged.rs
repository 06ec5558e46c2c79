//! Truncated files, random bytes and unreasonable sizes.

#![expect(
    clippy::let_underscore_must_use,
    reason = "a refusal is an answer; a panic is none"
)]

use proptest::prelude::*;
use serde_json::json;

use super::{LLAMA, MARIAN, is_weights, refusal};
use crate::files::Files;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn weights_cut_short_anywhere_are_refused(part in 0.0f64..1.0, header in any::<bool>()) {
        // Half of the cuts in the header, which is where parsing happens.
        let end = if header { 2000 } else { MARIAN.weights.len() };
        let length = (part * end as f64) as usize;
        let broken = Files { weights: MARIAN.weights[..length].to_vec(), ..MARIAN.clone() };
        let message = refusal(broken, is_weights);
        prop_assert!(message.contains("cut short"), "{message}");
    }

    #[test]
    fn garbage_is_refused(garbage in prop::collection::vec(any::<u8>(), 0..300)) {
        let files = MARIAN.clone();
        for broken in [
            Files { weights: garbage.clone(), ..files.clone() },
            Files { config: garbage.clone(), ..files.clone() },
            Files { tokenizer: garbage, ..files },
        ] {
            prop_assert!(broken.load().is_err());
        }
    }

    #[test]
    fn a_damaged_header_never_panics(at in 0usize..4000, byte in any::<u8>()) {
        let mut files = LLAMA.clone();
        files.weights[at] = byte;
        // Some changes still say something sensible; whatever they say must be an answer.
        let _ = files.load();
    }

    #[test]
    fn no_size_in_the_configuration_panics(
        field in prop::sample::select(vec![
            "vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "head_dim",
            "num_attention_heads", "num_key_value_heads", "max_position_embeddings",
            "bos_token_id", "eos_token_id",
        ]),
        value in prop_oneof![0u64..300, any::<u64>(), Just(u64::from(u32::MAX))],
    ) {
        let _ = LLAMA.clone().with_config(json!({ field: value })).load();
    }

    #[test]
    fn no_size_of_the_other_families_panics(
        (name, field) in prop::sample::select(vec![
            ("gpt2-tiny", "vocab_size"), ("gpt2-tiny", "n_positions"), ("gpt2-tiny", "n_embd"), ("gpt2-tiny", "n_layer"),
            ("gpt2-tiny", "n_head"), ("gpt2-tiny", "n_inner"), ("gpt2-tiny", "eos_token_id"),
            ("t5-v1_1", "vocab_size"), ("t5-v1_1", "d_model"), ("t5-v1_1", "d_kv"), ("t5-v1_1", "d_ff"), ("t5-v1_1", "num_layers"),
            ("t5-v1_1", "num_decoder_layers"), ("t5-v1_1", "num_heads"), ("t5-v1_1", "relative_attention_num_buckets"),
            ("t5-v1_1", "relative_attention_max_distance"), ("t5-v1_1", "n_positions"),
            ("bert-tiny", "vocab_size"), ("bert-tiny", "hidden_size"), ("bert-tiny", "num_hidden_layers"),
            ("bert-tiny", "num_attention_heads"), ("bert-tiny", "intermediate_size"), ("bert-tiny", "type_vocab_size"),
            ("bert-tiny", "max_position_embeddings"), ("bert-tiny", "pad_token_id"),
        ]),
        value in prop_oneof![0u64..300, any::<u64>(), Just(u64::from(u32::MAX))],
    ) {
        let _ = Files::read(name).with_config(json!({ field: value })).load();
    }
}
