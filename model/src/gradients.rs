//! Gradients of a model's outputs with respect to its intermediate results, by burn's automatic differentiation, on a
//! checkpoint that was loaded to be read, not trained.
//!
//! The weights of the model are loaded once more, on a device with automatic differentiation. Our kernels do not apply
//! to such tensors, so a pass is composed of burn's own operations and is slower than one that shows attention.

mod estimates;

use attention_trace::derived::{GradientAnswer, GradientQuestion, Objective};
use attention_trace::{Array, Edit, ModelSpec, Quantities, Quantity};
use burn::prelude::*;
use burn::tensor::activation::log_softmax;

use crate::error::ModelError;
use crate::families;
use crate::family::Pieces;
use crate::inference::{check_length, no_logits, row};
use crate::sequence::SequenceModel;
use crate::tap::Tap;

/// A model whose outputs have gradients.
#[derive(Debug)]
pub struct Differentiable {
    model: Box<dyn SequenceModel>,
    device: Device,
}

impl Differentiable {
    /// Loads `config.json` and `model.safetensors`; tokens come as numbers, so no tokenizer is needed.
    ///
    /// # Errors
    /// As [`families::load`].
    pub fn load(config: &[u8], weights: &[u8]) -> Result<Self, ModelError> {
        let device = crate::device::cpu().autodiff();
        let model = families::load(config, &weights, Pieces::default(), &device)?;
        Ok(Differentiable { model, device })
    }

    /// Returns the specification of the model.
    pub fn spec(&self) -> ModelSpec {
        self.model.spec()
    }

    /// Computes the gradient of a token's logit, or `log p`, with respect to the weights of every head of an attention,
    /// times those weights. Each weight counts as an independent number: that its row sums to one is ignored.
    ///
    /// # Errors
    /// If the model has no such attention, row or token, or an edit needs a pass of its own or cannot be made.
    pub async fn gradient_times_attention(
        &self,
        question: &GradientQuestion,
    ) -> Result<GradientAnswer, ModelError> {
        let spec = self.spec();
        let site = question.attention.at(Quantity::Pattern);
        let edits = prepared(&spec, &question.edits)?;
        if !spec.has(site) || question.token as usize >= spec.vocabulary {
            return Err(ModelError::Unsupported(
                "the model has no such attention or no such token".into(),
            ));
        }
        if !spec.generates.is_words() {
            return Err(no_logits());
        }
        check_tokens(&spec, &question.source, &question.target)?;
        let maps = spec.recorded_maps(Quantities::of(&[Quantity::Pattern]));
        let tokens = question.source.len().max(question.target.len());
        check_length(tokens, Some(spec.longest_recorded(maps)))?;
        let side = |tokens: &[u32]| (!tokens.is_empty()).then(|| row(tokens, &self.device));
        let source = side(&question.source).map(Into::into);
        let mut tap = Tap::probing(&[Quantity::Pattern]).with_edits(&edits);
        let states = self.model.read(source, side(&question.target), &mut tap);
        let [_, rows, _] = states.dims();
        if question.row >= rows {
            return Err(ModelError::Unsupported("the pass made no such row".into()));
        }
        let state = states.narrow(1, question.row, 1).flatten::<2>(0, 1);
        let logits = self.model.logits(state);
        let outputs = match question.of {
            Objective::Logit => logits,
            Objective::LogProbability => log_softmax(logits, 1),
        };
        let output = outputs.narrow(1, question.token as usize, 1).sum();
        let gradients = output.backward();
        let probe = tap.probes().into_iter().find(|probe| probe.site == site);
        let probe = probe.ok_or_else(|| ModelError::Unsupported("no such attention".into()))?;
        let shape = probe.shape[1..].to_vec();
        let [pattern, gradient] = probe.read(&gradients);
        let wanted = vec![output.inner(), pattern * gradient];
        let (_, mut read) = Tap::quiet().read(wanted).await?;
        let data = read.pop().unwrap_or_default();
        let value = read.pop().and_then(|value| value.first().copied());
        Ok(GradientAnswer {
            value: value.unwrap_or(f32::NAN),
            product: Array { shape, data },
        })
    }
}

/// Returns the edits that change something; refuses those that need a pass of their own.
fn prepared(spec: &ModelSpec, edits: &[Edit]) -> Result<Vec<Edit>, ModelError> {
    let mut prepared = vec![];
    for edit in edits.iter().filter(|edit| !edit.changes_nothing(spec)) {
        if let Some(fault) = edit.fault(spec) {
            return Err(ModelError::Edit(fault));
        }
        match edit {
            Edit::Patch { .. } | Edit::MeanHead { .. } => {
                return Err(ModelError::Unsupported(
                    "gradients are not computed where heads give their mean or arrays are patched"
                        .into(),
                ));
            }
            // The tokens are in that order already.
            Edit::Permute { .. } => {}
            edit => prepared.push(edit.clone()),
        }
    }
    Ok(prepared)
}

/// Checks that the tokens are those of such a model.
fn check_tokens(spec: &ModelSpec, source: &[u32], target: &[u32]) -> Result<(), ModelError> {
    let fits =
        source.is_empty() != spec.encoder.is_some() && target.is_empty() != spec.decoder.is_some();
    let mut tokens = source.iter().chain(target);
    if !fits || tokens.any(|&token| token as usize >= spec.vocabulary) {
        return Err(ModelError::Unsupported(
            "the tokens are not those of such a model".into(),
        ));
    }
    Ok(())
}
