//! Advice for weights that do not fit, derived from their names.

/// Suffixes of names in libraries for quantised weights.
const QUANTISED: [&str; 12] = [
    ".qweight",
    ".qzeros",
    ".scales",
    ".g_idx",
    ".SCB",
    ".weight_scale",
    ".weight_scale_inv",
    ".weight_packed",
    ".absmax",
    ".quant_map",
    ".blocks",
    ".w_q",
];
/// Parts of names of low-rank adapters.
const ADAPTERS: [&str; 3] = [".lora_A.", ".lora_B.", "lora_embedding_"];
/// Prefixes of the names of heads for other tasks than predicting words.
const OTHER_HEADS: [&str; 5] = [
    "classifier.",
    "score.",
    "qa_outputs.",
    "classification_head.",
    "multiple_choice_head.",
];

/// The relation of a file to the head that gives the logits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// The head fits; the fault is elsewhere.
    There,
    /// The file lacks it, or contains another.
    Lacking,
    /// The file is that of a base model without a head.
    Bare,
}

/// Describes a file with these names, with advice; `None` if the names show nothing. `model` is the class in
/// `transformers` of a model of the family with the head that gives the logits, and `head` is the file's relation to
/// that head.
pub fn of<'a>(
    names: impl Iterator<Item = &'a str> + Clone,
    model: Option<&str>,
    head: Head,
) -> Option<String> {
    let find = |is: &dyn Fn(&str) -> bool| names.clone().find(|name| is(name));
    if let Some(name) = find(&|name| QUANTISED.iter().any(|end| name.ends_with(end))) {
        return Some(format!(
            "the file holds quantised weights (`{name}`): save the model in 16 or 32 bits, with `model.dequantize()` of \
             transformers or from the model that was quantised"
        ));
    }
    if let Some(name) = find(&|name| ADAPTERS.iter().any(|part| name.contains(part))) {
        return Some(format!(
            "the file holds an adapter (`{name}`): merge it into its model with `merge_and_unload()` of peft, and save that"
        ));
    }
    let model = model.filter(|_| head != Head::There)?;
    if let Some(name) = find(&|name| OTHER_HEADS.iter().any(|start| name.starts_with(start))) {
        return Some(format!(
            "the file holds a head for another purpose (`{name}`): what is needed is a {model}"
        ));
    }
    (head == Head::Bare).then(|| {
        format!(
            "the file holds a base model, without the head that makes logits: what is needed is a {model}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BERT: Option<&str> = Some("BertForMaskedLM");

    #[test]
    fn what_a_file_is_is_told_by_its_names() {
        for (names, word) in [
            (["bert.a.qweight", "bert.b"], "quantised"),
            (["base_model.model.q_proj.lora_A.weight", "x"], "adapter"),
            (["bert.a", "classifier.weight"], "another purpose"),
            (["embeddings.a", "pooler.dense.weight"], "base model"),
        ] {
            let help = of(names.into_iter(), BERT, Head::Bare).unwrap();
            assert!(help.contains(word), "{help}");
        }
        let usual = ["bert.a", "cls.predictions.bias"];
        assert_eq!(of(usual.into_iter(), BERT, Head::Lacking), None);
        let other = ["bert.a", "classifier.weight"];
        assert_eq!(of(other.into_iter(), BERT, Head::There), None);
        assert_eq!(of(["x"].into_iter(), None, Head::Bare), None);
    }
}
