//! The weights of the layers of the pair, from the engine.

use std::sync::Arc;

use attention_core::{
    engine::{Live, Part},
    state::HeadChoice,
};
use attention_trace::{
    Array, AttentionLayer, Excerpt, ModelSpec, NormKind, NormPlacement, Slice, StackSpec, Weight,
    circuits::{HeadMatrices, LayerMatrices},
};
use leptos::prelude::*;

use super::found::KIND;

/// The widest model whose circuits are computed here: those of a wider one would hold up the page.
const WIDEST: usize = 256;

/// Returns the stack, if circuits are defined as they are computed here: a norm without a mean before each sub-layer,
/// queries and keys as the matrices make them, and no wider than the page computes with.
pub fn stack_with_circuits(spec: &ModelSpec) -> Option<&StackSpec> {
    let stack = spec.stack(KIND.stack())?;
    let norm = stack.norm?;
    let is_plain = norm.kind == NormKind::RmsNorm
        && norm.placement == NormPlacement::Pre
        && !stack.head_norm
        && !stack.whole_norm
        && !stack.parallel;
    (is_plain && spec.width <= WIDEST && stack.layers > 1).then_some(stack)
}

/// The matrices of a layer's attention.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerWeights {
    parts: Vec<Part>,
    heads: usize,
    groups: usize,
}

impl LayerWeights {
    /// Returns the matrices of one head.
    pub fn head(&self, head: usize) -> Option<HeadMatrices> {
        let [gain, query, key, value, output] = &self.parts[..] else {
            return None;
        };
        let array = |Part(array): &Part| -> Arc<Array> { array.clone() };
        let [gain, query, key, value, output] = [gain, query, key, value, output].map(array);
        LayerMatrices {
            gain: Some(&gain),
            query: &query,
            key: &key,
            value: &value,
            output: &output,
        }
        .head(head, self.heads, self.groups)
    }

    /// Returns the matrices of every head.
    pub fn all(&self) -> Option<Vec<HeadMatrices>> {
        (0..self.heads).map(|head| self.head(head)).collect()
    }
}

/// Returns the weights of the layer of a head, from the engine, if the model has circuits.
pub fn layer_of(
    live: Live,
    head: impl Fn() -> Option<HeadChoice> + Send + Sync + 'static,
) -> Memo<Option<LayerWeights>> {
    let layer = Memo::new(move |_| Some(head()?.attention));
    let stack = Memo::new(move |_| stack_with_circuits(&live.trace()?.meta.spec).cloned());
    let parts = live.parts(move || match (layer.get(), stack.read().is_some()) {
        (Some(attention), true) => excerpts(attention),
        _ => vec![],
    });
    Memo::new(move |_| {
        let stack = stack.get()?;
        Some(LayerWeights {
            parts: parts.get().filter(|parts| !parts.is_empty())?,
            heads: stack.heads,
            groups: stack.key_value_heads,
        })
    })
}

fn excerpts(attention: AttentionLayer) -> Vec<Excerpt> {
    let weights = [
        Weight::NormGain,
        Weight::WQ,
        Weight::WK,
        Weight::WV,
        Weight::WO,
    ];
    let block = attention.block();
    weights
        .map(|weight| Excerpt::new(block.parameter(weight), Slice::Whole))
        .to_vec()
}
