//! Changes of a forward pass, as data.

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::positions::{PositionalEncoding, RopeScaling};
use crate::site::{AttentionKind, AttentionLayer};
use crate::spec::ModelSpec;
use crate::{Array, Quantity, Site, Window};

/// The largest factor by which RoPE may be stretched.
const LONGEST_REACH: f32 = 1000.0;

/// One change of a pass. Rows are numbered by absolute position, so that a change acts in decoding, token by token,
/// as it does in a pass over the whole text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Edit {
    /// Multiplies a head's weighted values `z`; 0 switches it off.
    ScaleHead {
        /// The attention that the head is in.
        attention: AttentionLayer,
        /// The index of the head.
        head: usize,
        /// The factor of the head's output.
        factor: f32,
    },
    /// Gives a head's weighted values `z` the same numbers at every position, independent of its weights: the
    /// information it moves between positions is removed, its constant contribution stays.
    SetHead {
        /// The attention that the head is in.
        attention: AttentionLayer,
        /// The index of the head.
        head: usize,
        /// The numbers, as many as the head is wide.
        z: Vec<f32>,
    },
    /// Gives a head's `z` at every position its mean in a pass without edits over a text ("mean ablation", Wang et al.
    /// 2022): the mean over the positions of the stack that the queries come from. The end of the sentence, or the
    /// start token, counts as one of them.
    ///
    /// The text is given, not taken from the pass itself, since in decoding later positions cannot be known: a mean
    /// over those so far would be another number at each step, and another in a pass over all of them. With the
    /// visitor's own sentence and the model's output for it, no file is needed, so every checkpoint can do it; the edit
    /// is then replaced by [`SetHead`](Edit::SetHead) before any pass.
    MeanHead {
        /// The attention that the head is in.
        attention: AttentionLayer,
        /// The index of the head.
        head: usize,
        /// The text that the mean is taken over.
        text: String,
        /// The target tokens that are read with it.
        target: Vec<u32>,
    },
    /// Gives every key that a query sees the same weight: their scores are 0. A mask stays a mask, and weights that are
    /// given by other edits are given after this.
    Uniform {
        /// The attention that is changed.
        attention: AttentionLayer,
        /// The head; all heads where there is none.
        #[serde(default)]
        head: Option<usize>,
    },
    /// Puts the weights of each row in another order, which [`shuffled_key`](crate::shuffled_key) draws: who is
    /// attended to changes, how much attention goes to the first, the second, the third does not ("permuted attention",
    /// Jain & Wallace 2019). In a causal stack the keys up to the query's own change places.
    Shuffle {
        /// The attention that is changed.
        attention: AttentionLayer,
        /// The head; all heads where there is none.
        #[serde(default)]
        head: Option<usize>,
        /// The seed of the order.
        seed: u32,
    },
    /// Replaces a row of a head's attention weights; keys beyond those given get 0.
    Pattern {
        /// The attention that the head is in.
        attention: AttentionLayer,
        /// The index of the head.
        head: usize,
        /// The query whose row it is.
        query: usize,
        /// A weight for each key that the row can see.
        weights: Vec<f32>,
    },
    /// Sets the weight of a key for one query. The other weights of the row keep their ratios and are scaled, so that
    /// the row still sums to one; of several such edits of one row, together. Every row must be able to: see
    /// [`Edit::row_fault`].
    SetWeight {
        /// The attention that the head is in.
        attention: AttentionLayer,
        /// The index of the head.
        head: usize,
        /// The query whose row it is.
        query: usize,
        /// The position of the key.
        key: usize,
        /// The weight, from 0 to 1: 1 pins the query to the key, 0 forbids it the key.
        weight: f32,
    },
    /// Multiplies `e^score` of a key before the softmax; 0 masks the key. Every query must be left a key: see
    /// [`Edit::masks_all`].
    ScaleKey {
        /// The attention that is changed.
        attention: AttentionLayer,
        /// The head; all heads where there is none.
        #[serde(default)]
        head: Option<usize>,
        /// The position of the key.
        key: usize,
        /// The factor, not negative.
        factor: f32,
    },
    /// Hides keys from every query but those near its own and the first ones: a sliding window with the first tokens kept
    /// ([Xiao et al. 2023](https://arxiv.org/abs/2309.17453)). Keys that the model itself hides stay hidden.
    Window {
        /// The self-attention that is changed, in all its heads.
        attention: AttentionLayer,
        /// The window: which keys are left to a query.
        #[serde(flatten)]
        window: Window,
    },
    /// Gives the keys, and the values, of heads that lie side by side their mean, so that only so many different ones
    /// are left (grouped-query attention by averaging, Ainslie et al. 2023).
    GroupKeyValues {
        /// The attention that is changed.
        attention: AttentionLayer,
        /// The number of different keys and values that are left; it divides the number that the model has.
        groups: usize,
    },
    /// Replaces the array that the pass computes there by another, as far as that has rows.
    Replace {
        /// The place whose array is changed.
        site: Site,
        /// The array, of the place's own shape but for the number of rows.
        array: Array,
    },
    /// Takes an array from a pass over another text ("activation patching").
    Patch {
        /// The place whose array is changed.
        site: Site,
        /// The other text, read by the other pass.
        text: String,
        /// The target tokens that are read with it.
        target: Vec<u32>,
    },
    /// Puts rows of another array in the place of rows that the pass computes there; all else of the array stays.
    ReplaceRows {
        /// The place whose array is changed.
        site: Site,
        /// The head, of places that have heads; all of them where there is none.
        #[serde(default)]
        head: Option<usize>,
        /// Pairs `[row, position]`: that row of the array replaces that position.
        rows: Vec<[usize; 2]>,
        /// The array, of the place's own shape but for the number of rows.
        array: Array,
    },
    /// Takes rows from a pass over another text: activation patching, position by position or head by head.
    PatchRows {
        /// The place whose array is changed.
        site: Site,
        /// The head, of places that have heads; all of them where there is none.
        #[serde(default)]
        head: Option<usize>,
        /// Pairs `[there, here]`: that position of the other pass replaces that position of this
        /// one.
        rows: Vec<[usize; 2]>,
        /// The other text, read by the other pass.
        text: String,
        /// The target tokens that are read with it.
        target: Vec<u32>,
    },
    /// Puts the tokens of an encoder, or of a decoder-only model's prompt, in another order.
    Permute {
        /// The index of the token at each place.
        order: Vec<usize>,
    },
    /// Removes the position encoding from the model.
    WithoutPositions,
    /// Lets the decoder's queries see later keys, among those that are read at once.
    WithoutCausality,
    /// Turns queries and keys by RoPE with other wavelengths, so that it reaches further than it was trained. Of several,
    /// the last one counts.
    StretchRope {
        /// The way of changing the wavelengths.
        scaling: RopeScaling,
        /// The reach as a multiple of the trained one; at least 1.
        factor: f32,
        /// The number of positions in training, at least 1.
        trained: usize,
    },
    /// Lets positions halt at another `ε` than the model was trained with, and after so many depths at the latest
    /// (Adaptive Computation Time). Of several, the last one counts.
    Halt {
        /// `ε`: a position halts where its probabilities come to `1 − ε`; between 0 and 1.
        epsilon: f32,
        /// The most depths that are used, at least 1; more than there are means all.
        depths: usize,
    },
}

impl Edit {
    /// True if the edit leaves every pass of such a model unchanged.
    pub fn changes_nothing(&self, spec: &ModelSpec) -> bool {
        match self {
            Edit::ScaleHead { factor, .. } | Edit::ScaleKey { factor, .. } => *factor == 1.0,
            Edit::GroupKeyValues { attention, groups } => {
                let stack = spec.attention(attention.kind);
                stack.is_some_and(|stack| stack.key_value_heads == *groups)
            }
            Edit::Replace { array, .. } => array.data.is_empty(),
            Edit::ReplaceRows { rows, .. } | Edit::PatchRows { rows, .. } => rows.is_empty(),
            Edit::Permute { order } => order.iter().copied().eq(0..order.len()),
            Edit::WithoutPositions => spec.positions.encoding == PositionalEncoding::None,
            // A recurrent decoder reads token by token: no mask keeps it from what is later.
            Edit::WithoutCausality => {
                spec.recurrence.is_some()
                    || !spec.decoder.as_ref().is_some_and(|stack| stack.causal)
            }
            Edit::StretchRope {
                scaling, factor, ..
            } => *scaling == RopeScaling::None || *factor == 1.0,
            Edit::Halt { epsilon, depths } => {
                let most = spec
                    .stack(spec.last_stack())
                    .map_or(0, |stack| stack.layers);
                *depths >= most && spec.halting().is_some_and(|own| own.epsilon == *epsilon)
            }
            Edit::Pattern { .. }
            | Edit::SetHead { .. }
            | Edit::MeanHead { .. }
            | Edit::Uniform { .. }
            | Edit::Shuffle { .. }
            | Edit::SetWeight { .. }
            | Edit::Window { .. }
            | Edit::Patch { .. } => false,
        }
    }

    /// Returns the edit's fault for such a model; `None` if it can be applied.
    pub fn fault(&self, spec: &ModelSpec) -> Option<EditFault> {
        match self {
            Edit::ScaleHead {
                attention,
                head,
                factor,
            } => fault_of_head(spec, *attention, *head)
                .or_else(|| (!factor.is_finite()).then_some(EditFault::Factor)),
            Edit::SetHead { attention, head, z } => fault_of_head(spec, *attention, *head)
                .or_else(|| fault_of_output(spec, attention.kind, z)),
            Edit::MeanHead {
                attention, head, ..
            } => fault_of_head(spec, *attention, *head),
            Edit::Uniform { attention, head }
            | Edit::Shuffle {
                attention, head, ..
            } => fault_of_head(spec, *attention, head.unwrap_or(0)),
            Edit::Pattern {
                attention,
                head,
                weights,
                ..
            } => fault_of_head(spec, *attention, *head).or_else(|| {
                let is_weight = |weight: &f32| weight.is_finite();
                (!weights.iter().all(is_weight)).then_some(EditFault::Factor)
            }),
            Edit::SetWeight {
                attention,
                head,
                weight,
                ..
            } => fault_of_head(spec, *attention, *head)
                .or_else(|| (!(0.0..=1.0).contains(weight)).then_some(EditFault::Factor)),
            Edit::ScaleKey {
                attention,
                head,
                factor,
                ..
            } => fault_of_head(spec, *attention, head.unwrap_or(0)).or_else(|| {
                let allowed = factor.is_finite() && *factor >= 0.0;
                (!allowed).then_some(EditFault::Factor)
            }),
            Edit::GroupKeyValues { attention, groups } => {
                fault_of_groups(spec, *attention, *groups)
            }
            Edit::Replace { site, .. } | Edit::Patch { site, .. } => fault_of_site(spec, *site),
            Edit::ReplaceRows { site, head, .. } | Edit::PatchRows { site, head, .. } => {
                fault_of_site(spec, *site).or_else(|| fault_of_rows(spec, *site, (*head)?))
            }
            Edit::Window { attention, window } => {
                let is_cross = attention.kind == AttentionKind::Cross;
                let fault = (window.keys == 0).then_some(EditFault::Keys);
                let no_such = is_cross.then_some(EditFault::Layer);
                no_such
                    .or_else(|| fault_of_head(spec, *attention, 0))
                    .or(fault)
            }
            Edit::StretchRope {
                factor, trained, ..
            } => {
                let rotates = spec.positions.encoding == PositionalEncoding::Rope;
                let reaches = (1.0..=LONGEST_REACH).contains(factor) && *trained > 0;
                let fault = (!reaches).then_some(EditFault::Factor);
                (!rotates).then_some(EditFault::Rope).or(fault)
            }
            Edit::Halt { epsilon, depths } => {
                let halts = spec.halting().is_some() && *depths > 0;
                let is_fraction = *epsilon > 0.0 && *epsilon < 1.0;
                let fault = (!is_fraction).then_some(EditFault::Factor);
                (!halts).then_some(EditFault::Layer).or(fault)
            }
            Edit::Permute { .. } | Edit::WithoutPositions | Edit::WithoutCausality => None,
        }
    }

    /// True if `edits` together mask every key that some query of a head sees, so that its softmax
    /// would be 0/0. The model reads `source` tokens with its encoder, and `target` tokens at once
    /// with its decoder.
    pub fn masks_all(edits: &[Edit], spec: &ModelSpec, [source, target]: [usize; 2]) -> bool {
        let masked: HashSet<(AttentionLayer, Option<usize>, usize)> =
            edits.iter().filter_map(Edit::masked).collect();
        let sees_later = edits.contains(&Edit::WithoutCausality);
        masked.iter().any(|&(attention, head, key)| {
            let is_masked = |key| {
                masked.contains(&(attention, head, key)) || masked.contains(&(attention, None, key))
            };
            let sees_none = |query: usize, keys: Range<usize>| {
                let mut seen = keys
                    .filter(|&key| !Edit::hides(edits, attention, query, key))
                    .peekable();
                seen.peek().is_some() && seen.all(is_masked)
            };
            match attention.kind {
                AttentionKind::Cross => sees_none(0, 0..source),
                AttentionKind::EncoderSelf => {
                    (0..source).any(|query| sees_none(query, spec.seen(attention, query, source)))
                }
                AttentionKind::DecoderSelf if target == 0 => false,
                AttentionKind::DecoderSelf if sees_later => (0..target).any(|query| {
                    let first = spec.seen(attention, query, query + 1).start;
                    sees_none(query, first..target)
                }),
                // A query sees its own key, also one that is decoded.
                AttentionKind::DecoderSelf => sees_none(key, spec.seen(attention, key, key + 1)),
            }
        })
    }

    /// True if a window among `edits` hides a key from a query of this attention.
    pub fn hides(edits: &[Edit], attention: AttentionLayer, query: usize, key: usize) -> bool {
        edits.iter().any(|edit| match edit {
            Edit::Window {
                attention: of,
                window,
            } => *of == attention && !window.sees(query, key),
            _ => false,
        })
    }

    /// The attention, the head (all of them where there is none) and the key that it masks.
    fn masked(&self) -> Option<(AttentionLayer, Option<usize>, usize)> {
        match *self {
            Edit::ScaleKey {
                attention,
                head,
                key,
                factor: 0.0,
            } => Some((attention, head, key)),
            _ => None,
        }
    }
}

/// A reason why a model cannot make an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EditFault {
    /// The model has no such layer, or no such depth.
    Layer,
    /// The model has no such head.
    Head,
    /// A factor or weight is not finite, or is negative or above 1 where it may not be.
    Factor,
    /// A head's output has more or fewer numbers than the head is wide.
    Width,
    /// The edit leaves a query of the text no key to attend to.
    Keys,
    /// The weights that it gives to one row sum to more than one.
    Sum,
    /// The model encodes positions in another way than by RoPE.
    Rope,
    /// The number of groups does not divide the number of heads that have keys and values.
    Groups,
}

fn fault_of_head(spec: &ModelSpec, attention: AttentionLayer, head: usize) -> Option<EditFault> {
    let AttentionLayer { kind, layer } = attention;
    if layer >= spec.layers(kind) {
        Some(EditFault::Layer)
    } else {
        (head >= spec.heads(kind)).then_some(EditFault::Head)
    }
}

fn fault_of_output(spec: &ModelSpec, kind: AttentionKind, z: &[f32]) -> Option<EditFault> {
    let width = spec.attention(kind).map(|stack| stack.head_width);
    match width == Some(z.len()) {
        true => (!z.iter().all(|value| value.is_finite())).then_some(EditFault::Factor),
        false => Some(EditFault::Width),
    }
}

fn fault_of_groups(
    spec: &ModelSpec,
    attention: AttentionLayer,
    groups: usize,
) -> Option<EditFault> {
    let has_keys = attention.layer < spec.layers(attention.kind)
        && spec.has(attention.at(Quantity::Key))
        && spec.has(attention.at(Quantity::Value));
    let stack = spec.attention(attention.kind).filter(|_| has_keys);
    match stack {
        None => Some(EditFault::Layer),
        Some(stack) => {
            let divides = groups > 0 && stack.key_value_heads.is_multiple_of(groups);
            (!divides).then_some(EditFault::Groups)
        }
    }
}

/// Logits are made after the last place that a pass goes on from.
fn fault_of_site(spec: &ModelSpec, site: Site) -> Option<EditFault> {
    let is_open = spec.has(site) && site != Site::LOGITS;
    (!is_open).then_some(EditFault::Layer)
}

/// Returns the fault of replacing rows of one head: only outputs of heads can be replaced head by
/// head.
fn fault_of_rows(spec: &ModelSpec, site: Site, head: usize) -> Option<EditFault> {
    match AttentionLayer::try_from(site.block) {
        Ok(attention) if site.quantity == Quantity::Z => fault_of_head(spec, attention, head),
        _ => Some(EditFault::Head),
    }
}

/// True if every one of `tokens` is at exactly one place of `order`.
pub fn is_permutation(order: &[usize], tokens: usize) -> bool {
    let mut places = order.to_vec();
    places.sort_unstable();
    places.into_iter().eq(0..tokens)
}

impl ModelSpec {
    /// The attention whose tokens [`Edit::Permute`] puts in another order.
    pub fn permuted(&self) -> AttentionKind {
        match self.encoder {
            Some(_) => AttentionKind::EncoderSelf,
            None => AttentionKind::DecoderSelf,
        }
    }
}
