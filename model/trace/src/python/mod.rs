//! Python that computes a number on screen again, with PyTorch `transformers`.
//!
//! The code names the tokens by their numbers, as they are on screen, so that it does not depend on a tokenizer. It
//! makes the edits of a pass by hooks. `tests/fixtures/python` has such code with its results, computed by PyTorch.

mod edits;
mod family;

use thiserror::Error;

use crate::{AttentionKind, AttentionLayer, Edit, Generates, Stack, Token, TraceMeta};
use family::Family;

/// A pass over the tokens on screen.
#[derive(Clone, Copy, Debug)]
pub struct Pass<'a> {
    /// The model and the tokens.
    pub meta: &'a TraceMeta,
    /// The directory of the checkpoint, or its name on a hub.
    pub checkpoint: &'a str,
    /// The text that the tokens are of.
    pub text: &'a str,
    /// The number of target tokens that the text has, in a decoder-only model: those after it were written by the model.
    pub prompt: usize,
    /// The edits of the pass.
    pub edits: &'a [Edit],
}

/// The number that is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Number {
    /// The attention weights of heads of one layer, as their mean: queries × keys.
    Pattern {
        /// The attention that the heads are in.
        attention: AttentionLayer,
        /// The indices of the heads.
        heads: Vec<usize>,
    },
    /// The attention weights of all heads, by kind and layer.
    Patterns,
    /// The logits after each token: tokens × vocabulary.
    Logits,
    /// The output of a layer: tokens × width.
    State {
        /// The stack of the layer.
        stack: Stack,
        /// The index of the layer.
        layer: usize,
    },
    /// The words that the last norm and the output matrix make of the embedding and of each layer's output (logit lens):
    /// layers + 1 × tokens × words.
    Lens,
    /// The most probable words of a row of the logits.
    Next {
        /// The index of the row.
        row: usize,
    },
    /// The difference of the weights of two heads of the same kind, right minus left: queries × keys.
    Difference {
        /// The attention and the head on the left.
        left: (AttentionLayer, usize),
        /// The attention and the head on the right.
        right: (AttentionLayer, usize),
    },
}

/// A reason why there is no such code.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum NoPython {
    /// `transformers` has no such models.
    #[error("`transformers` has no models of the type `{0}`")]
    Family(String),
    /// The model reads a picture, whose pixels the code does not contain.
    #[error("the pixels of the picture are not part of the code")]
    Picture,
    /// An edit of the pass has no hook.
    #[error("there is no hook for an edit of the pass")]
    Edit,
    /// The number is not one that such models have.
    #[error("a model of the type `{0}` has no such number")]
    Number(String),
}

/// Returns the Python that computes the number, with the hooks of the pass's edits.
///
/// # Errors
/// If `transformers` has no such model, or the code cannot make an edit or the number.
pub fn python(pass: Pass<'_>, number: &Number) -> Result<String, NoPython> {
    let spec = &pass.meta.spec;
    if spec.patches.is_some() {
        return Err(NoPython::Picture);
    }
    let family =
        Family::of(&spec.model_type).ok_or_else(|| NoPython::Family(spec.model_type.clone()))?;
    let edits = edits::code(pass, family)?;
    let (before, after) = number_code(pass, family, number)?;
    let mut code = opening(pass, edits.contains("importlib"));
    for part in [edits, before, run(pass, number), after] {
        if !part.is_empty() {
            code.push('\n');
            code.push_str(&part);
        }
    }
    Ok(code)
}

/// Returns the imports, the model and its tokens.
fn opening(pass: Pass<'_>, needs_importlib: bool) -> String {
    let spec = &pass.meta.spec;
    let class = match spec.generates {
        Generates::TextFromText => "AutoModelForSeq2SeqLM",
        Generates::Continuation => "AutoModelForCausalLM",
        Generates::MaskedWords => "AutoModelForMaskedLM",
        Generates::Labels | Generates::Nothing => "AutoModel",
    };
    let mut code = String::new();
    if needs_importlib {
        code.push_str("import importlib\n\n");
    }
    add(
        &mut code,
        format!("import torch\nfrom transformers import {class}\n\n"),
    );
    add(
        &mut code,
        format!(
            "model = {class}.from_pretrained(\n    {}, attn_implementation=\"eager\", dtype=torch.float32\n).eval()\n\n",
            string(pass.checkpoint)
        ),
    );
    add(&mut code, format!("# {}\n", comment(pass.text)));
    if spec.encoder.is_some() {
        add(&mut code, tokens("source", &pass.meta.source));
    }
    if spec.decoder.is_some() {
        add(&mut code, tokens("target", &pass.meta.target));
    }
    code
}

/// Returns the call of the model.
fn run(pass: Pass<'_>, number: &Number) -> String {
    let wants_weights = matches!(
        number,
        Number::Pattern { .. } | Number::Patterns | Number::Difference { .. }
    );
    let attentions = if wants_weights {
        ", output_attentions=True"
    } else {
        ""
    };
    let inputs = inputs(pass, "source", "target");
    format!("with torch.no_grad():\n    output = model({inputs}{attentions})\n")
}

/// Returns the arguments of a call.
fn inputs(pass: Pass<'_>, source: &str, target: &str) -> String {
    let spec = &pass.meta.spec;
    match (spec.encoder.is_some(), spec.decoder.is_some()) {
        (true, true) => {
            format!("input_ids={source}, decoder_input_ids={target}, use_cache=False")
        }
        (true, false) => format!("input_ids={source}"),
        (false, _) => format!("input_ids={target}, use_cache=False"),
    }
}

/// Prints the most probable tokens.
const BEST: &str =
    "best = logits.log_softmax(-1).exp().topk(5)\nprint(best.values, best.indices)\n";

/// Returns the code before the call, and after it.
fn number_code(
    pass: Pass<'_>,
    family: Family,
    number: &Number,
) -> Result<(String, String), NoPython> {
    let no_number = || NoPython::Number(pass.meta.spec.model_type.clone());
    let states = |stack: Stack, layer: usize| {
        let module = family.layer(stack, layer).ok_or_else(no_number)?;
        Ok(format!(
            "states = []\n{module}.register_forward_hook(\n    lambda _module, _inputs, output: states.append(output[0] if isinstance(output, tuple) else output)\n)\n"
        ))
    };
    Ok(match number {
        Number::Pattern { attention, heads } => (String::new(), pattern(pass, *attention, heads)),
        Number::Patterns => (String::new(), patterns(pass)),
        Number::Logits if pass.meta.spec.generates.is_words() => {
            let row = match pass.meta.spec.generates.is_text() {
                true => "Row t predicts what follows token t.",
                false => "Row t predicts token t, if that is the mask.",
            };
            let read = format!("# {row}\nlogits = output.logits[0]\n{BEST}");
            (String::new(), read)
        }
        Number::Next { row } if pass.meta.spec.generates.is_words() => {
            let place = match pass.meta.spec.generates.is_text() {
                true => "after",
                false => "for",
            };
            let read = format!(
                "# The candidates {place} token {}.\nlogits = output.logits[0, {row}]\n{BEST}",
                row + 1
            );
            (String::new(), read)
        }
        Number::Logits | Number::Next { .. } => return Err(no_number()),
        Number::Difference { left, right } if left.0.kind == right.0.kind => {
            (String::new(), difference(pass, *left, *right))
        }
        Number::Difference { .. } => return Err(no_number()),
        Number::State { stack, layer } => (
            states(*stack, *layer)?,
            format!(
                "# The output of layer {} of the {stack}: a row for each token.\nstate = states[0][0]\nprint(state)\n",
                layer + 1
            ),
        ),
        Number::Lens => lens(pass, family).ok_or_else(no_number)?,
    })
}

/// Returns the name of a kind's weights in the output of a model.
fn attentions(pass: Pass<'_>, kind: AttentionKind) -> &'static str {
    let spec = &pass.meta.spec;
    let is_pair = spec.encoder.is_some() && spec.decoder.is_some();
    match kind {
        AttentionKind::Cross => "cross_attentions",
        AttentionKind::EncoderSelf if is_pair => "encoder_attentions",
        AttentionKind::DecoderSelf if is_pair => "decoder_attentions",
        AttentionKind::EncoderSelf | AttentionKind::DecoderSelf => "attentions",
    }
}

fn pattern(
    pass: Pass<'_>,
    AttentionLayer { kind, layer }: AttentionLayer,
    heads: &[usize],
) -> String {
    let attentions = attentions(pass, kind);
    let (number, words) = (layer + 1, kind_words(kind));
    match heads {
        &[head] => format!(
            "# {words}, layer {number}, head {}: a row for each query, a column for each key.\nweights = output.{attentions}[{layer}][0, {head}]\nprint(weights)\n",
            head + 1
        ),
        heads => {
            let names: Vec<String> = heads.iter().map(|head| (head + 1).to_string()).collect();
            format!(
                "# {words}, layer {number}, the mean of heads {}: a row for each query, a column for each key.\nweights = output.{attentions}[{layer}][0, {heads:?}].mean(0)\nprint(weights)\n",
                names.join(", ")
            )
        }
    }
}

fn difference(
    pass: Pass<'_>,
    (left, left_head): (AttentionLayer, usize),
    (right, right_head): (AttentionLayer, usize),
) -> String {
    let attentions = attentions(pass, left.kind);
    format!(
        "# {words}, layer {}, head {} minus layer {}, head {}: a row for each query, a column for each key.\nweights = output.{attentions}[{}][0, {right_head}] - output.{attentions}[{}][0, {left_head}]\nprint(weights)\n",
        right.layer + 1,
        right_head + 1,
        left.layer + 1,
        left_head + 1,
        right.layer,
        left.layer,
        words = kind_words(left.kind),
    )
}

/// Returns the hooks that keep the residual stream after the embedding and after each layer, and what reads it.
fn lens(pass: Pass<'_>, family: Family) -> Option<(String, String)> {
    let spec = &pass.meta.spec;
    if !spec.has_lens() {
        return None;
    }
    let layers = family.layers(spec.last_stack())?;
    let hooks = format!(
        "states = []\n{layers}[0].register_forward_pre_hook(lambda _module, inputs: states.append(inputs[0]))\nfor layer in {layers}:\n    layer.register_forward_hook(\n        lambda _module, _inputs, output: states.append(output[0] if isinstance(output, tuple) else output)\n    )\n"
    );
    let cap = match spec.logit_cap {
        Some(_) => {
            "    cap = model.config.final_logit_softcapping\n    logits = cap * (logits / cap).tanh()\n"
        }
        None => "",
    };
    let read = format!(
        "# Logit lens: what follows each token by the embedding and by each layer's output, as the last one is read.\nstate = torch.cat(states)\nwith torch.no_grad():\n    logits = {}\n{cap}best = logits.log_softmax(-1).exp().topk(5)\n# Layers (the embedding first) × tokens × words.\nlens, words = best.values, best.indices\nprint(lens, words)\n",
        family.logits_of_state(&spec.model_type)
    );
    Some((hooks, read))
}

fn patterns(pass: Pass<'_>) -> String {
    let mut code =
        "# The weights of each kind of attention: layers × heads × queries × keys.\n".to_owned();
    for kind in pass.meta.spec.kinds() {
        let name = attentions(pass, kind);
        add(
            &mut code,
            format!("{name} = torch.cat(output.{name})\nprint({name}.shape)\n"),
        );
    }
    code
}

fn kind_words(kind: AttentionKind) -> &'static str {
    match kind {
        AttentionKind::EncoderSelf => "Encoder self-attention",
        AttentionKind::DecoderSelf => "Decoder self-attention",
        AttentionKind::Cross => "Cross-attention",
    }
}

/// Returns the numbers of tokens as a batch of one, after a comment with the tokens.
fn tokens(name: &str, tokens: &[Token]) -> String {
    let texts: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    let ids: Vec<u32> = tokens.iter().map(|token| token.id).collect();
    format!(
        "# {}\n{name} = torch.tensor([{ids:?}])\n",
        comment(&texts.join(" "))
    )
}

/// Returns a text as one line of a comment.
fn comment(text: &str) -> String {
    let is_break = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    text.replace(is_break, " ")
}

/// Returns a text as a string of Python, in which JSON's escapes mean the same.
fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn add(code: &mut String, part: impl AsRef<str>) {
    code.push_str(part.as_ref());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_breaks_stays_a_comment() {
        assert_eq!(comment("a\nimport os\r\u{2028}b"), "a import os  b");
        assert_eq!(string("a\"\\\n学"), "\"a\\\"\\\\\\n学\"");
    }
}
