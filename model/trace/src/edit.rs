//! Changes of a forward pass, as data.

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
                    .filter(|&key| !hides(edits, attention, query, key))
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

/// True if a window among the edits hides a key from a query of this attention.
fn hides(edits: &[Edit], attention: AttentionLayer, query: usize, key: usize) -> bool {
    edits.iter().any(|edit| match edit {
        Edit::Window {
            attention: of,
            window,
        } => *of == attention && !window.sees(query, key),
        _ => false,
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LayerAttention;
    use crate::config::{LlamaConfig, UniversalConfig};
    use crate::spec::tests::encoder_decoder;

    fn cross(layer: usize) -> AttentionLayer {
        AttentionLayer {
            kind: AttentionKind::Cross,
            layer,
        }
    }

    #[test]
    fn an_edit_reads_as_it_is_written_in_the_fixtures() {
        let edit = Edit::ScaleHead {
            attention: cross(0),
            head: 1,
            factor: 0.0,
        };
        let json = r#"{"kind":"scale_head","attention":"decoder.0.cross","head":1,"factor":0.0}"#;
        assert_eq!(serde_json::to_string(&edit).unwrap(), json);
        assert_eq!(serde_json::from_str::<Edit>(json).unwrap(), edit);
    }

    #[test]
    fn edits_that_change_nothing_are_told_from_those_that_do() {
        let spec = encoder_decoder();
        let scaled = |factor| Edit::ScaleHead {
            attention: cross(0),
            head: 0,
            factor,
        };
        assert!(scaled(1.0).changes_nothing(&spec));
        assert!(!scaled(0.0).changes_nothing(&spec));
        assert!(Edit::Permute { order: vec![0, 1] }.changes_nothing(&spec));
        assert!(!Edit::Permute { order: vec![1, 0] }.changes_nothing(&spec));
        assert!(!Edit::WithoutPositions.changes_nothing(&spec));
    }

    #[test]
    fn what_a_model_does_not_have_cannot_be_edited() {
        let spec = encoder_decoder();
        let fault = |layer, head, factor| {
            Edit::ScaleHead {
                attention: cross(layer),
                head,
                factor,
            }
            .fault(&spec)
        };
        assert_eq!(fault(2, 1, 0.5), None);
        assert_eq!(fault(3, 0, 0.5), Some(EditFault::Layer));
        assert_eq!(fault(0, 2, 0.5), Some(EditFault::Head));
        assert_eq!(fault(0, 0, f32::NAN), Some(EditFault::Factor));
        let masked = Edit::ScaleKey {
            attention: cross(0),
            head: None,
            key: 0,
            factor: -1.0,
        };
        assert_eq!(masked.fault(&spec), Some(EditFault::Factor));
        for (weight, fault) in [
            (0.0, None),
            (1.0, None),
            (1.5, Some(EditFault::Factor)),
            (-0.5, Some(EditFault::Factor)),
            (f32::NAN, Some(EditFault::Factor)),
        ] {
            let set = Edit::SetWeight {
                attention: cross(0),
                head: 0,
                query: 0,
                key: 0,
                weight,
            };
            assert_eq!(set.fault(&spec), fault, "{weight}");
        }
        for (name, fault) in [
            ("encoder.0.cross.z", Some(EditFault::Layer)),
            ("encoder.9.self.z", Some(EditFault::Layer)),
            ("decoder.0.self.query_before_rope", Some(EditFault::Layer)),
            ("logits", Some(EditFault::Layer)),
            ("decoder.0.cross.z", None),
        ] {
            let patch = Edit::Patch {
                site: name.parse().unwrap(),
                text: String::new(),
                target: vec![],
            };
            assert_eq!(patch.fault(&spec), fault, "{name}");
        }
    }

    #[test]
    fn rows_are_taken_over_of_all_heads_or_of_one_where_there_are_heads() {
        let spec = encoder_decoder();
        let rows = |name: &str, head, rows: &[[usize; 2]]| Edit::PatchRows {
            site: name.parse().unwrap(),
            head,
            rows: rows.to_vec(),
            text: String::new(),
            target: vec![],
        };
        for (name, head, fault) in [
            ("encoder.0.mlp.norm", None, None),
            ("decoder.0.cross.z", Some(1), None),
            ("decoder.0.cross.z", Some(2), Some(EditFault::Head)),
            ("decoder.0.cross.out", Some(0), Some(EditFault::Head)),
            ("decoder.0.mlp.norm", Some(0), Some(EditFault::Head)),
            ("encoder.9.self.z", Some(0), Some(EditFault::Layer)),
            ("logits", None, Some(EditFault::Layer)),
        ] {
            let edit = rows(name, head, &[[0, 1]]);
            assert_eq!(edit.fault(&spec), fault, "{name}");
            assert!(!edit.changes_nothing(&spec));
        }
        assert!(rows("encoder.0.mlp.norm", None, &[]).changes_nothing(&spec));
    }

    #[test]
    fn an_output_is_as_wide_as_its_head() {
        let spec = encoder_decoder();
        let width = spec.attention(AttentionKind::Cross).unwrap().head_width;
        let fault = |z: Vec<f32>| {
            let (attention, head) = (cross(0), 1);
            Edit::SetHead { attention, head, z }.fault(&spec)
        };
        assert_eq!(fault(vec![0.5; width]), None);
        assert_eq!(fault(vec![0.5; width + 1]), Some(EditFault::Width));
        assert_eq!(fault(vec![]), Some(EditFault::Width));
        assert_eq!(fault(vec![f32::NAN; width]), Some(EditFault::Factor));
    }

    #[test]
    fn groups_divide_the_heads_that_have_keys() {
        let spec = encoder_decoder();
        let heads = spec
            .attention(AttentionKind::Cross)
            .unwrap()
            .key_value_heads;
        let grouped = |layer, groups| Edit::GroupKeyValues {
            attention: cross(layer),
            groups,
        };
        for (edit, fault) in [
            (grouped(0, 1), None),
            (grouped(0, heads), None),
            (grouped(0, 0), Some(EditFault::Groups)),
            (grouped(0, heads + 1), Some(EditFault::Groups)),
            (grouped(9, 1), Some(EditFault::Layer)),
        ] {
            assert_eq!(edit.fault(&spec), fault, "{edit:?}");
        }
        assert!(grouped(0, heads).changes_nothing(&spec));
        assert!(!grouped(0, 1).changes_nothing(&spec));
        let json = r#"{"kind":"group_key_values","attention":"decoder.0.cross","groups":1}"#;
        assert_eq!(serde_json::to_string(&grouped(0, 1)).unwrap(), json);
    }

    #[test]
    fn all_heads_of_a_layer_need_the_layer_alone() {
        let spec = encoder_decoder();
        let fault = |layer, head| {
            let attention = cross(layer);
            let seed = 7;
            let both = [
                Edit::Uniform { attention, head }.fault(&spec),
                Edit::Shuffle {
                    attention,
                    head,
                    seed,
                }
                .fault(&spec),
            ];
            assert_eq!(both[0], both[1]);
            both[0]
        };
        assert_eq!(fault(2, None), None);
        assert_eq!(fault(3, None), Some(EditFault::Layer));
        assert_eq!(fault(2, Some(2)), Some(EditFault::Head));
        let json = r#"{"kind":"shuffle","attention":"decoder.0.cross","head":null,"seed":7}"#;
        let shuffle = Edit::Shuffle {
            attention: cross(0),
            head: None,
            seed: 7,
        };
        assert_eq!(serde_json::to_string(&shuffle).unwrap(), json);
    }

    #[test]
    fn only_what_halts_can_halt_elsewhere() {
        let halt = |epsilon, depths| Edit::Halt { epsilon, depths };
        let universal = UniversalConfig::default().spec();
        let own = universal.halting().unwrap().epsilon;
        for (edit, fault) in [
            (halt(0.5, 4), None),
            (halt(0.01, 1), None),
            (halt(0.01, 0), Some(EditFault::Layer)),
            (halt(0.0, 4), Some(EditFault::Factor)),
            (halt(1.0, 4), Some(EditFault::Factor)),
            (halt(f32::NAN, 4), Some(EditFault::Factor)),
        ] {
            assert_eq!(edit.fault(&universal), fault, "{edit:?}");
        }
        assert_eq!(
            halt(0.5, 2).fault(&encoder_decoder()),
            Some(EditFault::Layer)
        );
        assert!(halt(own, 4).changes_nothing(&universal));
        assert!(halt(own, usize::MAX).changes_nothing(&universal));
        assert!(!halt(own, 3).changes_nothing(&universal));
        assert!(!halt(0.5, 4).changes_nothing(&universal));
    }

    #[test]
    fn windows_are_of_self_attention_and_leave_a_query_its_own_key() {
        let spec = encoder_decoder();
        let window = |attention: &str, keys| Edit::Window {
            attention: attention.to_owned().try_into().unwrap(),
            window: Window { keys, first: 1 },
        };
        let fault = |attention, keys| window(attention, keys).fault(&spec);
        assert_eq!(fault("decoder.0.self", 1), None);
        assert_eq!(fault("encoder.0.self", 3), None);
        assert_eq!(fault("decoder.0.self", 0), Some(EditFault::Keys));
        assert_eq!(fault("decoder.9.self", 2), Some(EditFault::Layer));
        assert_eq!(fault("decoder.0.cross", 2), Some(EditFault::Layer));
        let json = r#"{"kind":"window","attention":"decoder.0.self","keys":2,"first":1}"#;
        let edit = window("decoder.0.self", 2);
        assert_eq!(serde_json::to_string(&edit).unwrap(), json);
        assert_eq!(serde_json::from_str::<Edit>(json).unwrap(), edit);
        // With a window of its own key alone, a masked key leaves a query none.
        let both = |keys| {
            let edits = [
                window("decoder.0.self", keys),
                masked("decoder.0.self", None, 4),
            ];
            Edit::masks_all(&edits, &spec, [5, 5])
        };
        assert!(!both(2) && !both(1));
        let alone = Edit::Window {
            attention: "decoder.0.self".to_owned().try_into().unwrap(),
            window: Window { keys: 1, first: 0 },
        };
        let edits = [alone, masked("decoder.0.self", None, 4)];
        assert!(Edit::masks_all(&edits, &spec, [5, 5]));
    }

    #[test]
    fn only_rope_can_be_stretched_and_never_shortened() {
        let stretch = |scaling, factor, trained| Edit::StretchRope {
            scaling,
            factor,
            trained,
        };
        let llama = LlamaConfig::default().spec();
        for (factor, trained, fault) in [
            (1.0, 1, None),
            (4.0, 32, None),
            (0.5, 32, Some(EditFault::Factor)),
            (f32::NAN, 32, Some(EditFault::Factor)),
            (f32::INFINITY, 32, Some(EditFault::Factor)),
            (4.0, 0, Some(EditFault::Factor)),
        ] {
            let edit = stretch(RopeScaling::Yarn, factor, trained);
            assert_eq!(edit.fault(&llama), fault, "{factor}, {trained}");
        }
        let edit = stretch(RopeScaling::Linear, 4.0, 32);
        assert_eq!(edit.fault(&encoder_decoder()), Some(EditFault::Rope));
        assert!(!edit.changes_nothing(&llama));
        assert!(stretch(RopeScaling::Linear, 1.0, 32).changes_nothing(&llama));
        assert!(stretch(RopeScaling::None, 4.0, 32).changes_nothing(&llama));
    }

    fn masked(attention: &str, head: Option<usize>, key: usize) -> Edit {
        Edit::ScaleKey {
            attention: attention.to_owned().try_into().unwrap(),
            head,
            key,
            factor: 0.0,
        }
    }

    #[test]
    fn a_query_is_left_a_key() {
        let spec = encoder_decoder();
        let masks_all = |edits: &[Edit], tokens| Edit::masks_all(edits, &spec, tokens);
        let all = |attention: &str, head, keys: std::ops::Range<usize>| {
            keys.map(|key| masked(attention, head, key))
                .collect::<Vec<_>>()
        };
        let cross = |keys| all("decoder.0.cross", Some(1), keys);
        assert!(!masks_all(&cross(0..4), [5, 3]));
        assert!(masks_all(&cross(0..5), [5, 3]));
        // One key for all heads, the others for the one.
        let together = [all("decoder.0.cross", None, 4..5), cross(0..4)].concat();
        assert!(masks_all(&together, [5, 3]));
        let apart = [all("decoder.1.cross", None, 4..5), cross(0..4)].concat();
        assert!(!masks_all(&apart, [5, 3]));
        // The first query of a causal stack sees the first key alone.
        let own = |keys| all("decoder.0.self", None, keys);
        assert!(masks_all(&own(0..1), [0, 3]));
        assert!(!masks_all(&own(1..9), [0, 3]));
        let open = |keys| [own(keys), vec![Edit::WithoutCausality]].concat();
        assert!(!masks_all(&open(0..2), [0, 3]));
        assert!(masks_all(&open(0..3), [0, 3]));
        assert!(!masks_all(&[], [5, 3]));
    }

    #[test]
    fn a_window_leaves_a_query_fewer_keys() {
        let mut spec = encoder_decoder();
        if let Some(decoder) = &mut spec.decoder {
            decoder.layer_attention = [Some(2), None, None]
                .map(|window| LayerAttention {
                    window,
                    ..LayerAttention::default()
                })
                .to_vec();
        }
        let masks_all = |layer: usize, keys: std::ops::Range<usize>| {
            let edits: Vec<Edit> = keys
                .map(|key| masked(&format!("decoder.{layer}.self"), None, key))
                .collect();
            Edit::masks_all(&edits, &spec, [5, 3])
        };
        assert!(!masks_all(0, 2..3));
        assert!(masks_all(0, 1..3) && masks_all(0, 7..9));
        assert!(!masks_all(1, 1..9));
    }

    #[test]
    fn an_order_has_every_token_once() {
        assert!(is_permutation(&[2, 0, 1], 3));
        assert!(is_permutation(&[], 0));
        for order in [&[0, 1][..], &[0, 1, 1], &[1, 2, 3], &[0, 1, 2, 3]] {
            assert!(!is_permutation(order, 3), "{order:?}");
        }
    }
}
