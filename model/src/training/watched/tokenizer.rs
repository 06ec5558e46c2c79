//! The tokenizer of a trained model, in Hugging Face's format: every character is a token.

use attention_trace::training::{Architecture, END, UNKNOWN, Vocabulary};
use serde_json::{Map, Value, json};

/// Returns `tokenizer.json`. A space is the token `▁`, or nothing if the vocabulary has none. `</s>` comes before the
/// input of a decoder-only model, and after the input of an encoder.
pub fn tokenizer_json(vocabulary: &Vocabulary, architecture: Architecture) -> String {
    let pieces: Vec<String> = vocabulary.pieces().collect();
    let specials: Vec<Value> = (0..=UNKNOWN)
        .map(|id| {
            json!({
                "id": id, "content": pieces[id as usize], "single_word": false, "lstrip": false,
                "rstrip": false, "normalized": false, "special": true
            })
        })
        .collect();
    let end = pieces[END as usize].as_str();
    let special = json!({"SpecialToken": {"id": end, "type_id": 0}});
    let text = json!({"Sequence": {"id": "A", "type_id": 0}});
    let single = match architecture.has_encoder() {
        false => [special, text],
        true => [text, special],
    };
    let second = json!({"Sequence": {"id": "B", "type_id": 1}});
    let pair: Vec<Value> = single.iter().cloned().chain([second]).collect();
    let space = if vocabulary.has_spaces() { "▁" } else { "" };
    let numbers: Map<String, Value> = (pieces.iter().zip(0u32..))
        .map(|(piece, id)| (piece.clone(), id.into()))
        .collect();
    let tokenizer = json!({
        "version": "1.0",
        "truncation": null,
        "padding": null,
        "added_tokens": specials,
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": space},
        "pre_tokenizer": null,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": single,
            "pair": pair,
            "special_tokens": {end: {"id": end, "ids": [END], "tokens": [end]}}
        },
        "decoder": {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "Fuse"}
        ]},
        "model": {
            "type": "BPE", "dropout": null, "unk_token": pieces[UNKNOWN as usize],
            "continuing_subword_prefix": null, "end_of_word_suffix": null, "fuse_unk": false,
            "byte_fallback": false, "ignore_merges": false, "vocab": numbers, "merges": []
        }
    });
    tokenizer.to_string()
}

#[cfg(test)]
#[cfg(feature = "tokenizers")]
mod tests {
    use attention_trace::training::{Sequences, Task};

    use super::*;
    use crate::tokenizer::Tokenizer;

    fn tokenizer(task: &Task, architecture: Architecture) -> (Vocabulary, Tokenizer) {
        let vocabulary = Vocabulary::of(task, architecture).unwrap();
        let json = tokenizer_json(&vocabulary, architecture);
        (vocabulary, Tokenizer::from_json(json.as_bytes()).unwrap())
    }

    fn texts(tokenizer: &Tokenizer, text: &str) -> Vec<String> {
        let tokens = tokenizer.encode(text).unwrap().into_iter();
        tokens.map(|token| token.text).collect()
    }

    #[test]
    fn every_character_is_the_token_that_it_was_trained_as() {
        let task = Task::Copy {
            sequences: Sequences::default(),
        };
        let (vocabulary, tokenizer) = tokenizer(&task, Architecture::DecoderOnly);
        assert_eq!(tokenizer.vocabulary(), vocabulary.len());
        assert_eq!(texts(&tokenizer, "ab c="), ["</s>", "a", "b", "c", "="]);
        for character in "abcdefgh=".chars() {
            assert_eq!(
                tokenizer.id(&character.to_string()),
                vocabulary.id(character)
            );
        }
        let unknown = tokenizer.encode("az").unwrap();
        assert!(unknown[2].unknown && unknown[2].text == "z");
    }

    #[test]
    fn spaces_of_the_visitors_own_text_are_tokens() {
        let task = Task::Pairs {
            text: "a cat=un chat\n你 好=hi".to_owned(),
        };
        let (vocabulary, tokenizer) = tokenizer(&task, Architecture::EncoderDecoder);
        assert_eq!(texts(&tokenizer, "a 你"), ["a", "▁", "你", "</s>"]);
        let ids: Vec<u32> = "un chat"
            .chars()
            .map(|c| vocabulary.id(c).unwrap())
            .collect();
        assert_eq!(tokenizer.decode(&ids).unwrap(), "un chat");
    }
}
