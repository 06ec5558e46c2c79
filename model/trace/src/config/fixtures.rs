//! Configurations against the checkpoints of `tests/fixtures/tiny`.

use std::path::PathBuf;

use safetensors::SafeTensors;
use serde::de::DeserializeOwned;

use super::{
    BertConfig, DistilBertConfig, Gpt2Config, GptNeoXConfig, GruConfig, LlamaConfig, MarianConfig,
    ModernBertConfig, Parameters, T5Config, UniversalConfig, VitConfig,
};

fn path(name: &str, file: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny");
    root.join(name).join(file)
}

fn config<C: DeserializeOwned>(name: &str) -> C {
    serde_json::from_slice(&std::fs::read(path(name, "config.json")).unwrap()).unwrap()
}

/// True for tensors that files hold but models have no parameters for: GPT-2's and GPT-NeoX's masks, DINOv2's vector of
/// masked patches, and heads for other purposes.
fn is_extra(name: &str) -> bool {
    let gpt2 = name.starts_with("h.") && name.ends_with(".attn.bias");
    let of_neox = name.starts_with("gpt_neox.") && name.contains(".attention.");
    let neox = [".attention.bias", ".masked_bias", ".inv_freq"];
    let neox = of_neox && neox.iter().any(|end| name.ends_with(end));
    let heads = [
        "bert.pooler",
        "pooler",
        "cls.seq_relationship",
        "classifier",
        "qa_outputs",
    ];
    let mask = name.ends_with("embeddings.mask_token");
    gpt2 || neox || mask || heads.iter().any(|head| name.starts_with(head))
}

/// The numbers in `model.safetensors`.
fn stored(name: &str) -> u64 {
    let bytes = std::fs::read(path(name, "model.safetensors")).unwrap();
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    let sizes = tensors.iter().filter(|(name, _)| !is_extra(name));
    sizes
        .map(|(_, tensor)| tensor.shape().iter().product::<usize>() as u64)
        .sum()
}

fn check(name: &str, parameters: Parameters) {
    assert_eq!(parameters.total(), stored(name), "{name}");
}

fn without_head(config: BertConfig) -> BertConfig {
    BertConfig {
        has_head: false,
        ..config
    }
}

const LLAMAS: [&str; 22] = [
    "llama-tiny",
    "llama-gqa",
    "llama-linear",
    "llama-ntk",
    "llama-yarn",
    "llama-llama3",
    "llama-betas",
    "llama-bounds",
    "llama-bias",
    "qwen2",
    "qwen2-window",
    "qwen3",
    "mistral",
    "smollm3",
    "olmo2",
    "gemma2",
    "gemma3",
    "phi3",
    "phi3-long",
    "padded-vocabulary",
    "llama-one-layer",
    "gemma3-scalar",
];

const GPT2S: [&str; 4] = [
    "gpt2-tiny",
    "gpt2-one-layer",
    "gpt2-inverse",
    "gpt2-unscaled",
];

const GPT_NEOXS: [&str; 2] = ["gpt-neox", "gpt-neox-serial"];

const UNIVERSALS: [&str; 3] = ["universal-act", "universal-eager", "universal-fixed"];

const GRUS: [&str; 7] = [
    "gru-fixed",
    "gru-both-ends",
    "gru-bahdanau",
    "gru-dot",
    "gru-general",
    "gru-concat",
    "gru-local",
];

const VISIONS: [&str; 5] = [
    "vit-tiny",
    "vit-encoder",
    "dinov2-tiny",
    "dinov2-swiglu",
    "dinov2-registers",
];

#[test]
fn counts_are_those_of_the_files() {
    for name in [
        "marian-tiny",
        "marian-relu",
        "marian-gelu",
        "bart-tiny",
        "m2m-tiny",
    ] {
        check(name, config::<MarianConfig>(name).parameters());
    }
    for name in LLAMAS {
        check(name, config::<LlamaConfig>(name).parameters());
    }
    for name in GPT2S {
        check(name, config::<Gpt2Config>(name).parameters());
    }
    for name in GPT_NEOXS {
        check(name, config::<GptNeoXConfig>(name).parameters());
    }
    for name in ["bert-tiny", "bert-relu", "roberta-tiny"] {
        check(name, config::<BertConfig>(name).parameters());
    }
    for name in ["bert-encoder", "bert-classifier", "camembert-encoder"] {
        check(name, without_head(config(name)).parameters());
    }
    let config_of = |name| config::<DistilBertConfig>(name).bert().unwrap();
    check("distilbert-tiny", config_of("distilbert-tiny").parameters());
    let questions = without_head(config_of("distilbert-questions"));
    check("distilbert-questions", questions.parameters());
    for name in ["modernbert-tiny", "modernbert-biased"] {
        check(name, config::<ModernBertConfig>(name).parameters());
    }
    for name in ["t5-v1_0", "t5-v1_1", "mt5"] {
        check(name, config::<T5Config>(name).parameters());
    }
    // Without their classifiers.
    for name in VISIONS {
        check(name, config::<VitConfig>(name).parameters());
    }
    for name in UNIVERSALS {
        check(name, config::<UniversalConfig>(name).parameters());
    }
    for name in GRUS {
        assert_eq!(
            config::<GruConfig>(name).parameters(),
            stored(name),
            "{name}"
        );
    }
}

#[test]
fn all_can_be_built() {
    for name in LLAMAS {
        assert_eq!(config::<LlamaConfig>(name).validate(), Ok(()), "{name}");
    }
    for name in GPT2S {
        assert_eq!(config::<Gpt2Config>(name).validate(), Ok(()), "{name}");
    }
    for name in GPT_NEOXS {
        assert_eq!(config::<GptNeoXConfig>(name).validate(), Ok(()), "{name}");
    }
    for name in ["bert-tiny", "bert-relu"] {
        assert_eq!(config::<BertConfig>(name).validate(), Ok(()), "{name}");
    }
    for name in ["t5-v1_0", "t5-v1_1", "mt5"] {
        assert_eq!(config::<T5Config>(name).validate(), Ok(()), "{name}");
    }
    for name in VISIONS {
        assert_eq!(config::<VitConfig>(name).validate(), Ok(()), "{name}");
    }
    for name in UNIVERSALS {
        assert_eq!(config::<UniversalConfig>(name).validate(), Ok(()), "{name}");
    }
    for name in GRUS {
        assert_eq!(config::<GruConfig>(name).validate(), Ok(()), "{name}");
    }
}

/// An array of `expected.safetensors`, and its last two axes.
fn expected(name: &str, array: &str) -> (Vec<f32>, [usize; 2]) {
    let bytes = std::fs::read(path(name, "expected.safetensors")).unwrap();
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    let tensor = tensors.tensor(array).unwrap();
    let numbers = tensor.data().chunks_exact(4);
    let [.., rows, columns] = *tensor.shape() else {
        panic!("{array} is no matrix")
    };
    let read = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().unwrap());
    (numbers.map(read).collect(), [rows, columns])
}

/// The largest difference between the heads' vectors turned here and those that `transformers` turned.
fn difference(name: &str, text: &str, vectors: &str) -> f32 {
    let site = format!("{text}/decoder.0.self.{vectors}");
    let (before, [length, width]) = expected(name, &format!("{site}_before_rope"));
    let (after, _) = expected(name, &site);
    let config = config::<LlamaConfig>(name);
    let local = config.local_rope(length).unwrap();
    let local = local.filter(|_| config.window(0).is_some());
    let rope = local.unwrap_or_else(|| config.rope(length).unwrap());
    let rotated = config.rotary_width();
    let (wavelengths, scale) = (rope.wavelengths(rotated), rope.attention_factor as f32);
    let turned = before.chunks_exact(width).enumerate().flat_map(|(row, x)| {
        let half = rotated / 2;
        let (wavelengths, position) = (&wavelengths, (row % length) as f64);
        (0..width).map(move |i| {
            if i >= rotated {
                return x[i];
            }
            let (sine, cosine) = (position / wavelengths[i % half]).sin_cos();
            let other = if i < half { -x[i + half] } else { x[i - half] };
            scale * (x[i] * cosine as f32 + other * sine as f32)
        })
    });
    let apart = turned
        .zip(&after)
        .map(|(ours, theirs)| (ours - theirs).abs());
    apart.fold(0.0, f32::max)
}

#[test]
fn every_way_turns_queries_and_keys_as_transformers_does() {
    for name in LLAMAS.into_iter().skip(2) {
        let text = if name == "llama-ntk" {
            "long"
        } else {
            "sentence"
        };
        for vectors in ["query", "key"] {
            let difference = difference(name, text, vectors);
            assert!(difference < 1e-5, "{name}, {vectors}: {difference}");
        }
    }
}
