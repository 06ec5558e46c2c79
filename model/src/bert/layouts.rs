//! The names of BERT's parameters in the files of its relatives.

use std::collections::BTreeSet;

use attention_trace::config::EncoderConvention;

use super::{HEAD, TABLE};
use crate::weights::Layout;

/// The files of a convention.
pub struct Files {
    /// The names and the layout of the parameters.
    pub layout: Layout,
    /// The prefix of the names of the head that guesses masked words.
    pub head: &'static str,
    /// The name of the output matrix, if it is separate from the embedding table.
    pub unembedding: &'static str,
}

/// Returns the files of a convention.
pub fn files(convention: EncoderConvention) -> Files {
    match convention {
        EncoderConvention::Bert => Files {
            layout: Layout {
                model: Some("BertForMaskedLM"),
                base: "bert.",
                tied: &[TABLE, HEAD],
                names: bert,
                ..EXTRA
            },
            head: "cls.predictions.",
            unembedding: HEAD,
        },
        EncoderConvention::Roberta
        | EncoderConvention::XlmRoberta
        | EncoderConvention::Camembert => Files {
            layout: Layout {
                model: Some("RobertaForMaskedLM"),
                base: "roberta.",
                tied: &[
                    "roberta.embeddings.word_embeddings.weight",
                    "lm_head.decoder.weight",
                ],
                names: roberta,
                ..EXTRA
            },
            head: "lm_head.",
            unembedding: "lm_head.decoder.weight",
        },
        EncoderConvention::DistilBert => Files {
            layout: Layout {
                model: Some("DistilBertForMaskedLM"),
                base: "distilbert.",
                tied: &[
                    "distilbert.embeddings.word_embeddings.weight",
                    "vocab_projector.weight",
                ],
                names: distilbert,
                ..EXTRA
            },
            head: "vocab_",
            unembedding: "vocab_projector.weight",
        },
    }
}

const EXTRA: Layout = Layout {
    is_extra: |name| is_other_head(name) || name.ends_with(".position_ids"),
    may_be_absent: |_| false,
    ..Layout::PATHS
};

/// Returns the names of tensors that belong to heads for other purposes.
pub fn other_heads(names: &BTreeSet<String>) -> Vec<String> {
    let names = names.iter().filter(|name| is_other_head(name));
    names.cloned().collect()
}

/// Returns true for the pooler of the first token, and for heads that do not guess words.
fn is_other_head(name: &str) -> bool {
    const HEADS: [&str; 5] = [
        "pooler.",
        "cls.seq_relationship.",
        "pre_classifier.",
        "classifier.",
        "qa_outputs.",
    ];
    let name = ["bert.", "roberta."]
        .iter()
        .find_map(|base| name.strip_prefix(base))
        .unwrap_or(name);
    HEADS.iter().any(|head| name.starts_with(head))
}

/// The bias of the logits as a file has it, under two names: that of the layer that adds it comes first.
const BIASES: [&str; 2] = ["cls.predictions.bias", "cls.predictions.decoder.bias"];

/// `self` cannot be a field name in Rust, and the first published files use other names for a norm's parameters.
fn bert(path: &str) -> Vec<String> {
    if BIASES.contains(&path) {
        return ["cls.predictions.decoder.bias", "cls.predictions.bias"]
            .map(str::to_owned)
            .into();
    }
    let name = path
        .replace(".own.", ".self.")
        .replace("layer_norm", "LayerNorm");
    let older = name
        .replace("LayerNorm.weight", "LayerNorm.gamma")
        .replace("LayerNorm.bias", "LayerNorm.beta");
    let older = (older != name).then_some(older);
    [name].into_iter().chain(older).collect()
}

fn roberta(path: &str) -> Vec<String> {
    if BIASES.contains(&path) {
        return ["lm_head.decoder.bias", "lm_head.bias"]
            .map(str::to_owned)
            .into();
    }
    if let Some(path) = path.strip_prefix("cls.predictions.") {
        let path = path.strip_prefix("transform.").unwrap_or(path);
        return vec![format!("lm_head.{path}")];
    }
    let names = bert(path).into_iter();
    names
        .map(|name| name.replacen("bert.", "roberta.", 1))
        .collect()
}

fn distilbert(path: &str) -> Vec<String> {
    if BIASES.contains(&path) {
        return vec!["vocab_projector.bias".to_owned()];
    }
    /// Parts of paths, and of names in their place. A part comes before one that it contains.
    const PARTS: [(&str, &str); 13] = [
        ("cls.predictions.transform.dense", "vocab_transform"),
        ("cls.predictions.transform.layer_norm", "vocab_layer_norm"),
        ("cls.predictions.decoder", "vocab_projector"),
        (
            "bert.embeddings.layer_norm",
            "distilbert.embeddings.LayerNorm",
        ),
        ("bert.embeddings", "distilbert.embeddings"),
        ("attention.own.query", "attention.q_lin"),
        ("attention.own.key", "attention.k_lin"),
        ("attention.own.value", "attention.v_lin"),
        ("attention.output.dense", "attention.out_lin"),
        ("attention.output.layer_norm", "sa_layer_norm"),
        ("intermediate.dense", "ffn.lin1"),
        ("output.dense", "ffn.lin2"),
        ("output.layer_norm", "output_layer_norm"),
    ];
    let path = path.replace("bert.encoder.", "distilbert.transformer.");
    let part = PARTS.iter().find(|(part, _)| path.contains(part));
    vec![match part {
        Some((part, name)) => path.replace(part, name),
        None => path,
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_the_names_of_the_files() {
        let layer = "bert.encoder.layer.3";
        let of_layer = |path: &str| format!("{layer}.{path}");
        for (path, expected) in [
            ("attention.own.key.weight", "attention.k_lin.weight"),
            ("attention.output.layer_norm.bias", "sa_layer_norm.bias"),
            ("attention.output.dense.bias", "attention.out_lin.bias"),
            ("output.dense.weight", "ffn.lin2.weight"),
            ("output.layer_norm.weight", "output_layer_norm.weight"),
        ] {
            let expected = format!("distilbert.transformer.layer.3.{expected}");
            assert_eq!(distilbert(&of_layer(path)), [expected]);
        }
        let table = "bert.embeddings.word_embeddings.weight";
        assert_eq!(
            roberta(table),
            ["roberta.embeddings.word_embeddings.weight"]
        );
        assert_eq!(distilbert(table), [format!("distil{table}")]);
        assert_eq!(
            roberta("cls.predictions.transform.layer_norm.bias"),
            ["lm_head.layer_norm.bias"]
        );
    }

    #[test]
    fn heads_for_other_purposes_are_told_by_their_names() {
        let names = [
            "bert.pooler.dense.weight",
            "classifier.dense.weight",
            "qa_outputs.bias",
            "roberta.pooler.dense.bias",
            "bert.encoder.layer.0.output.dense.weight",
            "cls.predictions.bias",
        ];
        let names = names.map(str::to_owned).into();
        assert_eq!(other_heads(&names).len(), 4);
    }
}
