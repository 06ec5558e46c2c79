//! GGUF files give the numbers that `transformers` gives with their dequantised weights, and the tokens of the tokenizers
//! that they were made of.

use std::io;
use std::path::PathBuf;

use attention_model::checkpoint::{Checkpoint, CheckpointFiles, Source, WeightsFile};
use attention_model::error::ModelError;
use attention_model::weights::{Ahead, Wanted};
use attention_trace::Generates;
use burn::prelude::Device;
use serde::Deserialize;

use crate::fixture::{Description, Fixture, fixtures};
use crate::transformers::{Differences, compare_cases};
use crate::{decoding, masked};

/// The files of decoder-only models.
const FILES: [&str; 12] = [
    "gguf-llama",
    "gguf-sentencepiece",
    "gguf-mistral",
    "gguf-qwen2",
    "gguf-qwen3",
    "gguf-gemma2",
    "gguf-gemma3",
    "gguf-phi3",
    "gguf-olmo2",
    "gguf-smollm3",
    "gguf-gpt2",
    "gguf-gptneox",
];
const BERT: &str = "gguf-bert";

fn path(name: &str) -> PathBuf {
    fixtures().join("tiny").join(name).join("model.gguf")
}

fn open(name: &str) -> Checkpoint {
    Checkpoint::open(&path(name), &Device::flex()).unwrap()
}

#[test]
fn gguf_files_equal_transformers() {
    for name in FILES {
        let checkpoint = open(name);
        let mut differences = Differences::default();
        compare_cases(&checkpoint, name, &mut differences);
        differences.report(name, &["logits", "attention weights"]);
        let fixture = Fixture::<Description>::read(&format!("tiny/{name}/expected.safetensors"));
        decoding::compare(&checkpoint, name, &fixture.description);
    }
}

/// The beginning of a file whose tensors cannot be read. What is read with the beginning is zeros behind it.
struct Beginning {
    bytes: Vec<u8>,
    length: u64,
}

impl Source for Beginning {
    fn length(&self) -> u64 {
        self.length
    }

    fn read(&self, start: u64, buffer: &mut [u8]) -> io::Result<()> {
        let start = usize::try_from(start).unwrap();
        if start >= self.bytes.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let known = buffer.len().min(self.bytes.len() - start);
        buffer.fill(0);
        buffer[..known].copy_from_slice(&self.bytes[start..start + known]);
        Ok(())
    }
}

#[test]
fn tensors_that_were_read_ahead_are_not_read_again() {
    let device = Device::flex();
    // A file with a separate output matrix is read once more, until it differs from the table.
    for name in ["gguf-llama", "gguf-gpt2"] {
        let bytes = std::fs::read(path(name)).unwrap();
        let tokenizer = open(name).tokenizer;
        let whole = CheckpointFiles::from_gguf(bytes.clone()).unwrap();
        let wanted = Checkpoint::wanted(&whole, tokenizer.clone(), &device).unwrap();
        let beginning = WeightsFile::new(Beginning {
            bytes: bytes[..wanted[0].start() as usize].to_vec(),
            length: bytes.len() as u64,
        });
        let files = CheckpointFiles {
            weights: beginning,
            ..whole
        };
        let unread = Checkpoint::with_tokenizer(&files, tokenizer.clone(), &device);
        assert!(matches!(unread, Err(ModelError::Read(_))), "{name}");
        let wanted = Checkpoint::wanted(&files, tokenizer.clone(), &device).unwrap();
        assert!(wanted.is_sorted_by_key(Wanted::start));
        let mut ahead = Ahead::default();
        for mut tensor in wanted {
            while let Some((start, count)) = tensor.next() {
                let end = (start + count) as usize;
                tensor.push(&bytes[start as usize..end]).unwrap();
            }
            ahead.add(tensor).unwrap();
        }
        let checkpoint = Checkpoint::with_tensors(&files, tokenizer, &ahead, &device).unwrap();
        let mut differences = Differences::default();
        compare_cases(&checkpoint, name, &mut differences);
        differences.report(name, &["logits", "attention weights"]);
    }
}

#[test]
fn berts_file_equals_transformers() {
    let checkpoint = open(BERT);
    assert_eq!(checkpoint.spec().generates, Generates::Nothing);
    masked::compare_with(&checkpoint, BERT, &["attention weights", "hidden states"]);
}

/// A line of a fixture, the numbers of its tokens, and the text that they give back.
#[derive(Deserialize)]
struct Line {
    text: String,
    ids: Vec<u32>,
    decoded: String,
}

#[test]
fn tokens_are_those_of_the_original_tokenizers() {
    for name in FILES.into_iter().chain([BERT]) {
        let bytes = std::fs::read(path(name).with_file_name("tokens.json")).unwrap();
        let lines: Vec<Line> = serde_json::from_slice(&bytes).unwrap();
        let tokenizer = open(name).tokenizer;
        assert!(lines.len() > 20);
        // Lines without a visible character are not read at all.
        for line in lines.iter().filter(|line| !line.text.trim().is_empty()) {
            let tokens = tokenizer.encode(&line.text).unwrap();
            let ids: Vec<u32> = tokens.iter().map(|token| token.id).collect();
            assert_eq!(ids, line.ids, "{name}: {:?}", line.text);
            let decoded = tokenizer.decode(&line.ids).unwrap();
            assert_eq!(decoded, line.decoded, "{name}: {:?}", line.text);
        }
    }
}

#[test]
fn rows_without_a_token_have_no_name() {
    let qwen = open("gguf-qwen2");
    let pieces = qwen.tokenizer.vocabulary();
    assert_eq!(qwen.spec().vocabulary, pieces + 6);
    let row = pieces as u32;
    assert_eq!(qwen.tokenizer.token(row).text, format!("<{row}>"));
}

#[test]
fn the_files_of_a_gguf_can_be_read_by_another_tokenizer() {
    let files = CheckpointFiles::from_gguf(std::fs::read(path("gguf-llama")).unwrap()).unwrap();
    let tokenizer = open("gguf-llama").tokenizer;
    let checkpoint = Checkpoint::with_tokenizer(&files, tokenizer, &Device::flex()).unwrap();
    assert_eq!(checkpoint.spec(), open("gguf-llama").spec());
    let json: serde_json::Value = serde_json::from_slice(&files.tokenizer).unwrap();
    assert_eq!(json["model"]["type"], "BPE");
}

/// Returns the message with which a file is refused in which `from` is replaced by `to`, of the same length.
fn refusal(name: &str, from: &str, to: &str) -> String {
    let mut file = std::fs::read(path(name)).unwrap();
    assert_eq!(from.len(), to.len());
    let places = file.windows(from.len());
    let place = places.into_iter().position(|part| part == from.as_bytes());
    let place = place.unwrap();
    file[place..place + to.len()].copy_from_slice(to.as_bytes());
    let loaded =
        CheckpointFiles::from_gguf(file).and_then(|files| Checkpoint::load(files, &Device::flex()));
    loaded.unwrap_err().to_string()
}

#[test]
fn files_that_make_no_model_are_refused_by_their_field() {
    for (name, from, to, words) in [
        (
            "gguf-gpt2",
            "gpt2",
            "gptj",
            "general.architecture: gptj is not implemented",
        ),
        (
            "gguf-gpt2",
            "general.architecture",
            "general.architectura",
            "general.architecture: it is missing",
        ),
        (
            "gguf-llama",
            "smollm",
            "smallm",
            "tokenizer.ggml.pre: smallm is not implemented",
        ),
        (
            "gguf-llama",
            "yarn",
            "yurn",
            "llama.rope.scaling.type: yurn is not implemented",
        ),
        (
            "gguf-llama",
            "llama.block_count",
            "llama.block_caunt",
            "llama.block_count: it is missing",
        ),
        (
            "gguf-llama",
            "scaling.factor",
            "scaling.faktor",
            "scaling.faktor: 4 is not implemented",
        ),
        (
            "gguf-qwen2",
            "blk.1.attn_q.bias",
            "blk.1.attn_x.bias",
            "`model.layers.1.self_attn.q_proj.bias` is missing",
        ),
        (
            "gguf-qwen3",
            "blk.1.ffn_up.weight",
            "blk.2.ffn_up.weight",
            "`model.layers.1.mlp.up_proj.weight` is missing",
        ),
        (
            "gguf-phi3",
            "blk.1.attn_qkv.weight",
            "blk.1.attn_qkw.weight",
            "`model.layers.1.self_attn.k_proj.weight` is missing",
        ),
        (
            "gguf-phi3",
            "rope_factors_short",
            "rope_factors_shirt",
            "rope_factors_short.weight: it is missing",
        ),
        (
            "gguf-gptneox",
            "blk.0.attn_qkv.bias",
            "blk.0.attn_qkw.bias",
            "`gpt_neox.layers.0.attention.query_key_value.bias` is missing",
        ),
        (
            "gguf-bert",
            "token_types.weight",
            "token_typos.weight",
            "token_types.weight: it is missing",
        ),
        (
            "gguf-sentencepiece",
            "tokenizer.ggml.scores",
            "tokenizer.ggml.skores",
            "tokenizer.ggml.scores: it is missing",
        ),
    ] {
        let message = refusal(name, from, to);
        assert!(message.starts_with("the GGUF file"), "{message}");
        assert!(message.contains(words), "{message} | {words}");
    }
}
