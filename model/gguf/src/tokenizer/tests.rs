use super::*;
use crate::written::Written;

/// A byte-level tokenizer of four pieces, an end and a row without a token.
fn byte_level(pre: &str) -> Written {
    Written::model("llama")
        .with_text(MODEL, "gpt2")
        .with_text("tokenizer.ggml.pre", pre)
        .with_texts(TOKENS, &["a", "b", "ab", "<end>", "<tool>", "[PAD5]"])
        .with_numbers(KINDS, &[1, 1, 1, 3, 4, 5])
        .with_texts("tokenizer.ggml.merges", &["a b"])
        .with_number("tokenizer.ggml.bos_token_id", 3)
}

fn sentence_piece(scores: &[f32]) -> Written {
    Written::model("llama")
        .with_text(MODEL, "llama")
        .with_texts(
            TOKENS,
            &["<unk>", "<s>", "<0x0A>", "ab", "a", "b", "bc", "c", "abc"],
        )
        .with_numbers(KINDS, &[2, 3, 6, 1, 1, 1, 1, 1, 1])
        .with_reals("tokenizer.ggml.scores", scores)
        .with_number("tokenizer.ggml.bos_token_id", 1)
}

const SCORES: [f32; 9] = [0.0, 0.0, 0.0, -2.0, -9.0, -9.0, -1.0, -9.0, -3.0];

fn read(written: &Written) -> Result<Value, GgufError> {
    let bytes = written.bytes();
    tokenizer(&Gguf::read(&bytes)?)
}

#[test]
fn the_template_of_conversations_comes_with_the_tokens_that_it_names() {
    let config = |written: Written| {
        let bytes = written.bytes();
        tokenizer_config(&Gguf::read(&bytes).unwrap())
    };
    assert_eq!(config(byte_level("qwen2")), Ok(None));
    let with_template = byte_level("qwen2").with_text(CHAT_TEMPLATE, "{{ bos_token }}");
    let expected = json!({"chat_template": "{{ bos_token }}", "bos_token": "<end>"});
    assert_eq!(config(with_template.clone()), Ok(Some(expected)));
    let beyond = with_template.with_number("tokenizer.ggml.padding_token_id", 6);
    let refused = config(beyond).unwrap_err().to_string();
    assert!(
        refused.contains("padding_token_id: 6 is not one of 6 tokens"),
        "{refused}"
    );
    let number = config(byte_level("qwen2").with_number(CHAT_TEMPLATE, 1));
    assert!(number.unwrap_err().to_string().starts_with(CHAT_TEMPLATE));
}

#[test]
fn a_byte_level_tokenizer_is_translated() {
    let json = read(&byte_level("qwen2")).unwrap();
    let vocab = json!({"a": 0, "b": 1, "ab": 2, "<end>": 3, "<tool>": 4});
    assert_eq!(json["model"]["vocab"], vocab);
    assert_eq!(json["model"]["merges"], json!(["a b"]));
    assert_eq!(json["model"]["ignore_merges"], false);
    assert_eq!(json["normalizer"], json!({"type": "NFC"}));
    assert_eq!(json["post_processor"], Value::Null);
    let special = json["added_tokens"].as_array().unwrap().iter();
    let special: Vec<_> = special
        .map(|token| (&token["id"], &token["special"]))
        .collect();
    assert_eq!(
        special,
        [(&json!(3), &json!(true)), (&json!(4), &json!(false))]
    );
    let json = read(&byte_level("llama-bpe")).unwrap();
    assert_eq!(json["model"]["ignore_merges"], true);
    assert_eq!(
        json["post_processor"]["single"][0]["SpecialToken"]["id"],
        "<end>"
    );
    let without = byte_level("llama-bpe").with_boolean("tokenizer.ggml.add_bos_token", false);
    assert_eq!(read(&without).unwrap()["post_processor"], Value::Null);
}

#[test]
fn pairs_of_pieces_are_merged_by_their_scores() {
    let json = read(&sentence_piece(&SCORES)).unwrap();
    let merges = json!([["b", "c"], ["a", "b"], ["ab", "c"], ["a", "bc"]]);
    assert_eq!(json["model"]["merges"], merges);
    assert_eq!(json["model"]["unk_token"], "<unk>");
    assert_eq!(
        json["post_processor"]["single"][0]["SpecialToken"]["id"],
        "<s>"
    );
    let plain = sentence_piece(&SCORES).with_boolean("tokenizer.ggml.add_space_prefix", false);
    assert_eq!(read(&plain).unwrap()["normalizer"]["type"], "Replace");
}

/// A tokenizer of words: three pieces, one of them within words, and BERT's special tokens.
fn word_piece(word: &str) -> Written {
    Written::model("bert")
        .with_text(MODEL, "bert")
        .with_texts(
            TOKENS,
            &[
                "[PAD]",
                "[UNK]",
                "[CLS]",
                "[SEP]",
                word,
                "s",
                "▁[unused1]",
                "▁[PAD7]",
            ],
        )
        .with_numbers(KINDS, &[3, 3, 3, 3, 1, 1, 1, 5])
        .with_number("tokenizer.ggml.bos_token_id", 2)
        .with_number("tokenizer.ggml.seperator_token_id", 3)
        .with_number("tokenizer.ggml.unknown_token_id", 1)
}

#[test]
fn word_pieces_get_their_marks_back() {
    let json = read(&word_piece("▁été")).unwrap();
    let vocab = json!({
        "[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "été": 4, "##s": 5, "[unused1]": 6,
    });
    assert_eq!(json["model"]["vocab"], vocab);
    assert_eq!(json["model"]["unk_token"], "[UNK]");
    assert_eq!(json["normalizer"]["lowercase"], true);
    assert_eq!(
        json["post_processor"]["single"][0]["SpecialToken"]["id"],
        "[CLS]"
    );
    assert_eq!(
        json["post_processor"]["pair"][4]["SpecialToken"],
        json!({"id": "[SEP]", "type_id": 1})
    );
    // A piece with a capital is of a model that reads capitals.
    let json = read(&word_piece("▁Été")).unwrap();
    assert_eq!(json["normalizer"]["lowercase"], false);
}

#[test]
fn the_ways_of_the_families_are_told_apart() {
    for (pre, normalizer, keeps_words, starts) in [
        ("olmo", json!({"type": "NFC"}), false, false),
        ("smaug-bpe", Value::Null, true, false),
        ("dbrx", Value::Null, false, false),
        ("gpt-4o", Value::Null, false, false),
        ("tekken", Value::Null, true, true),
    ] {
        let json = read(&byte_level(pre)).unwrap();
        assert_eq!(json["normalizer"], normalizer, "{pre}");
        assert_eq!(json["model"]["ignore_merges"], keeps_words, "{pre}");
        assert_eq!(json["post_processor"].is_object(), starts, "{pre}");
    }
}

#[test]
fn faults_are_named() {
    let mut broken = SCORES;
    broken[4] = f32::NAN;
    for (written, words) in [
        (
            Written::model("llama"),
            "tokenizer.ggml.tokens: it is missing",
        ),
        (
            byte_level("viking"),
            "tokenizer.ggml.pre: viking is not implemented; gpt-2, smollm",
        ),
        (
            byte_level("default"),
            "tokenizer.ggml.pre: default is not implemented",
        ),
        (
            byte_level("qwen2").with_boolean("tokenizer.ggml.add_eos_token", true),
            "eos_token_id: it is missing",
        ),
        (
            byte_level("qwen2").with_boolean("tokenizer.ggml.add_sep_token", true),
            "add_sep_token: true is not",
        ),
        (
            byte_level("qwen2")
                .with_boolean("tokenizer.ggml.add_eos_token", true)
                .with_number("tokenizer.ggml.eos_token_id", 9),
            "eos_token_id: 9 is not one of 6 tokens",
        ),
        (
            sentence_piece(&SCORES[1..]),
            "scores: 8 items are there for 9 tokens",
        ),
        (
            sentence_piece(&broken),
            "scores: NaN is not a finite number",
        ),
        (
            Written::model("llama")
                .with_texts(TOKENS, &["a", "a"])
                .with_text(MODEL, "gpt2"),
            "tokens: \"a\" is the token of the numbers 0 and 1",
        ),
        (
            Written::model("llama")
                .with_texts(TOKENS, &["a"])
                .with_numbers(KINDS, &[7]),
            "token_type: 7 is not a kind",
        ),
        (
            Written::model("gpt2")
                .with_text(MODEL, "gpt2")
                .with_texts(TOKENS, &["a", "b"])
                .with_texts("tokenizer.ggml.merges", &["a b"]),
            "merges: \"a b\" is not two tokens",
        ),
        (
            Written::model("llama")
                .with_texts(TOKENS, &["a"])
                .with_text(MODEL, "t5"),
            "tokenizer.ggml.model: t5 is not implemented",
        ),
        (
            word_piece("▁[UNK]"),
            "tokens: \"▁[UNK]\" is the token of the numbers 1 and 4",
        ),
    ] {
        let refused = read(&written).unwrap_err().to_string();
        assert!(refused.contains(words), "{refused} | {words}");
    }
}
