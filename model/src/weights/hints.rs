//! What would help with weights that do not fit, told by their names.

/// Ends of names that libraries for quantised weights use.
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
/// Beginnings of the names of heads for other purposes than words.
const OTHER_HEADS: [&str; 5] = [
    "classifier.",
    "score.",
    "qa_outputs.",
    "classification_head.",
    "multiple_choice_head.",
];

/// How a file stands to the head that makes logits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// It is another part that does not fit.
    There,
    /// The file lacks it, or has another.
    Lacking,
    /// The file is that of a base model, which has none.
    Bare,
}

/// What a file with these names is, and what would help; `None` where they say nothing. `model` is what `transformers`
/// calls a model of the family with the head that makes logits, `head` how the file stands to that head.
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
