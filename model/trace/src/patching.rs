//! Activation patching: two runs of one model on two texts, and the change in one of them if it takes over, at one
//! place, the values computed in the other ("causal mediation", Vig et al. 2020; "causal tracing", Meng et al. 2022;
//! Wang et al. 2022; Heimersheim & Nanda 2024). Plain data; `attention-model` computes it.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString};

use crate::align::{Pair, align};
use crate::site::{AttentionLayer, Block, Stack, Sublayer};
use crate::spec::{Generates, ModelSpec, StackSpec};
use crate::{Candidate, Quantity, Site, Token};

/// A question about two texts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatchingQuestion {
    /// The model's output for both texts, and the words it considers at one step.
    Runs {
        /// The first text, whose run is the clean one.
        text: String,
        /// The text of the other run.
        other: String,
        /// The decoding step, from 0; the first at which the two runs write different tokens, where none is given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<usize>,
        /// The most tokens to append.
        max_new_tokens: usize,
    },
    /// Every place of a stack patched by itself.
    Map(MapQuestion),
    /// One place patched, and the text decoded with that.
    Place {
        /// The texts and the words.
        pair: PatchingPair,
        /// The place that is patched.
        place: PatchedPlace,
        /// The run that takes it over.
        into: TakenInto,
        /// The most tokens to append.
        max_new_tokens: usize,
    },
}

/// Two texts, the target that both runs read, and the two words whose logits are compared after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatchingPair {
    /// The first text, whose run is the clean one.
    pub text: String,
    /// The text of the other run.
    pub other: String,
    /// The target tokens that both runs read.
    pub target: Vec<u32>,
    /// The word of the clean run.
    pub answer: u32,
    /// The word whose logit is subtracted.
    pub against: u32,
}

/// A map: the places of a stack and its positions, or its heads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapQuestion {
    /// The texts and the words.
    pub pair: PatchingPair,
    /// The stack whose places are patched.
    pub stack: Stack,
    /// The quantity that is taken over.
    pub patched: Patched,
    /// The run that takes it over.
    pub into: TakenInto,
}

/// The quantity that one run takes over from the other.
#[derive(
    Clone, Copy, Debug, Default, Display, EnumString, PartialEq, Eq, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Patched {
    /// The residual stream at a position: all that was computed there so far.
    #[default]
    Residual,
    /// The output of an attention at a position.
    Attention,
    /// The output of a feed-forward network at a position.
    FeedForward,
    /// A head's `z`, at all positions.
    Heads,
}

impl Patched {
    /// All quantities that can be patched.
    pub const ALL: [Patched; 4] = [
        Patched::Residual,
        Patched::Attention,
        Patched::FeedForward,
        Patched::Heads,
    ];
}

/// The run that takes over the values computed in the other.
#[derive(
    Clone, Copy, Debug, Default, Display, EnumString, PartialEq, Eq, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum TakenInto {
    /// The other text's run takes over from the clean one: finds the values that suffice for the answer ("denoising").
    #[default]
    Other,
    /// The clean run takes over from the other text's run: finds the values that the answer needs ("noising").
    Clean,
}

/// A place that one run takes over from the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PatchedPlace {
    /// The site that is taken over.
    pub site: Site,
    /// The head, of places that have heads; all of them where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<usize>,
    /// The position in the run that it is taken from, and the one in the run that takes it; all pairs of positions
    /// where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<[usize; 2]>,
}

/// The answer to a [`PatchingQuestion`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatchingAnswer {
    /// The answer to [`PatchingQuestion::Runs`].
    Runs(PatchingRuns),
    /// The answer to [`PatchingQuestion::Map`].
    Map(PatchingMap),
    /// The answer to [`PatchingQuestion::Place`].
    Place(PatchedRun),
}

/// Both runs, and the words that the model considers at one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatchingRuns {
    /// The run of the first text.
    pub clean: PatchingRun,
    /// The run of the other text.
    pub other: PatchingRun,
    /// The decoding step, from 0. Both runs read the tokens that the clean one wrote before it.
    pub step: usize,
    /// True if the two runs write different tokens at that step.
    pub differs: bool,
    /// The words that are most probable in one of the runs; first the clean run's, then the other's if it is another.
    pub words: Vec<Contender>,
}

/// One of the two runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatchingRun {
    /// The tokens that the model reads.
    pub read: Vec<Token>,
    /// The tokens that the model writes.
    pub written: Vec<Token>,
    /// The written tokens as a text.
    pub text: String,
}

/// A word that is considered, in both runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contender {
    /// The token of the word.
    pub token: Token,
    /// The probability in the clean run.
    pub clean: f32,
    /// The probability in the other run.
    pub other: f32,
}

/// The difference of the answer's logit and the other word's, in both runs with nothing patched.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatchingEnds {
    /// The difference in the clean run: 100 %.
    pub clean: f32,
    /// The difference in the other run: 0 %.
    pub other: f32,
}

impl PatchingEnds {
    /// Two differences that are closer than this are the same but for rounding: there is nothing to bring back.
    const LEAST: f32 = 1e-4;

    /// The part of the way from the other run to the clean one that a difference stands for: 0 is the other run, 1 the
    /// clean one; below 0 and above 1 it lies beyond them. `None` where the two runs do not differ.
    pub fn share(self, difference: f32) -> Option<f32> {
        let whole = self.clean - self.other;
        (whole.abs() >= Self::LEAST).then(|| (difference - self.other) / whole)
    }
}

/// A map: of each place and column the difference of logits in the patched run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatchingMap {
    /// The differences with nothing patched.
    pub ends: PatchingEnds,
    /// The cells that can be patched, row by row.
    pub cells: Vec<PatchedCell>,
}

/// A cell of a map.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatchedCell {
    /// The row: the place in [`ModelSpec::patching_sites`].
    pub row: usize,
    /// The column: the pair of positions, or the head.
    pub column: usize,
    /// The difference of the answer's logit and the other word's.
    pub difference: f32,
}

/// A run in which one place is taken over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatchedRun {
    /// The differences with nothing patched.
    pub ends: PatchingEnds,
    /// The difference of the answer's logit and the other word's with the place patched.
    pub difference: f32,
    /// The most probable words of the run that is patched, before that.
    pub before: Vec<Candidate>,
    /// The same with the place patched.
    pub after: Vec<Candidate>,
    /// The text that the run writes with nothing patched, after the target that both runs read.
    pub text_before: String,
    /// The text that the run writes with the place patched.
    pub text_after: String,
}

/// The positions of two texts that stand for each other: equal tokens, what lies between them side by side, and the
/// last of both, since the next word is predicted there.
pub fn aligned<T: PartialEq>(clean: &[T], other: &[T]) -> Vec<Pair> {
    let (Some((clean_last, clean)), Some((other_last, other))) =
        (clean.split_last(), other.split_last())
    else {
        return align(clean, other);
    };
    let mut pairs = align(clean, other);
    pairs.push(Pair {
        before: Some(clean.len()),
        after: Some(other.len()),
        is_same: clean_last == other_last,
    });
    pairs
}

impl ModelSpec {
    /// True if the model's runs can be patched here: it writes a text, and its stacks have a residual stream.
    pub fn has_patching(&self) -> bool {
        let writes = matches!(
            self.generates,
            Generates::TextFromText | Generates::Continuation
        );
        writes && self.recurrence.is_none()
    }

    /// The places that are the rows of a map, in the order of the computation.
    pub fn patching_sites(&self, stack: Stack, patched: Patched) -> Vec<Site> {
        let layers = self.stack(stack).map_or(0, |stack| stack.layers);
        let of_layer = |layer| match patched {
            Patched::Residual => vec![self.layer_output(stack, layer)],
            Patched::FeedForward => {
                let network = Block::Sublayer(stack, layer, Sublayer::FeedForward);
                vec![network.at(Quantity::Out)]
            }
            Patched::Attention => self.attentions(stack, layer, Quantity::Out),
            Patched::Heads => self.attentions(stack, layer, Quantity::Z),
        };
        let first =
            (patched == Patched::Residual && layers > 0).then(|| self.layer_input(stack, 0));
        first
            .into_iter()
            .chain((0..layers).flat_map(of_layer))
            .filter(|&site| self.has(site))
            .collect()
    }

    fn attentions(&self, stack: Stack, layer: usize, quantity: Quantity) -> Vec<Site> {
        let sublayers = self
            .sublayers(stack)
            .filter(|&sublayer| sublayer != Sublayer::FeedForward);
        sublayers
            .map(|sublayer| Block::Sublayer(stack, layer, sublayer).at(quantity))
            .collect()
    }

    /// Returns the pairs of positions that are a map's columns: for the encoder, those of its input; for a decoder with
    /// an encoder, those of the target, which is the same in both runs; for any other decoder, those of both together.
    pub fn patching_pairs(
        &self,
        stack: Stack,
        clean: &[Token],
        other: &[Token],
        target: usize,
    ) -> Vec<Pair> {
        let same = |before: usize, after: usize| Pair {
            before: Some(before),
            after: Some(after),
            is_same: true,
        };
        if stack == Stack::Decoder && self.reads_source() {
            return (0..=target).map(|row| same(row, row)).collect();
        }
        let ids = |tokens: &[Token]| tokens.iter().map(|token| token.id).collect::<Vec<_>>();
        let mut pairs = aligned(&ids(clean), &ids(other));
        if stack == Stack::Decoder {
            pairs.extend((0..target).map(|row| same(clean.len() + row, other.len() + row)));
        }
        pairs
    }

    /// True if a patch at one place can change the values computed at another: places of one stack or of both, each
    /// with its position in the run that is patched.
    pub fn reaches(&self, (from, at): (Site, usize), (to, there): (Site, usize)) -> bool {
        let (Some(from_stack), Some(to_stack)) = (from.block.stack(), to.block.stack()) else {
            return false;
        };
        if from_stack != to_stack {
            // What the encoder computes reaches every position of the decoder, behind its first look at the source.
            let looks = |block| match block {
                Block::Stack(_) => false,
                Block::Sublayer(_, layer, sublayer) => {
                    layer > 0 || sublayer != Sublayer::SelfAttention
                }
                Block::Model => true,
            };
            return from_stack == Stack::Encoder && looks(to.block);
        }
        let is_beside = |stack: &StackSpec| stack.parallel && are_beside(from, to);
        if self.stack(to_stack).is_some_and(is_beside) {
            return false;
        }
        let (from, to) = (depth(from), depth(to));
        // Between positions, it is self-attention that carries.
        let is_carried = from.0 < to.0;
        match (self.stack(to_stack), at == there) {
            (_, true) => from < to,
            (Some(stack), false) if stack.causal => {
                let reach = reach(stack, from.0..to.0);
                is_carried && at < there && reach.is_none_or(|reach| there - at <= reach)
            }
            (_, false) => is_carried,
        }
    }
}

/// True if a place of a layer's attention and the output of its feed-forward network do not depend on each other where
/// both read the same residual stream.
fn are_beside(from: Site, to: Site) -> bool {
    let (Block::Sublayer(_, from_layer, one), Block::Sublayer(_, to_layer, other)) =
        (from.block, to.block)
    else {
        return false;
    };
    let is_inner = to.quantity == Quantity::Out;
    from_layer == to_layer && one != other && is_inner
}

/// Returns the most positions that these layers of a causal stack carry a value forward; `None` if one of them sees all
/// keys.
fn reach(stack: &StackSpec, mut layers: Range<usize>) -> Option<usize> {
    layers.try_fold(0, |reach: usize, layer| {
        let window = stack.attention_in(layer).window?;
        Some(reach.saturating_add(window.saturating_sub(1)))
    })
}

/// Returns the depth of a place in its stack: the number of layers whose self-attention precedes it, and the number of
/// steps after that.
fn depth(site: Site) -> (usize, usize) {
    let last = match site.quantity {
        Quantity::Z => 0,
        Quantity::Out => 1,
        _ => 2,
    };
    match site.block {
        Block::Sublayer(_, layer, sublayer) => (layer + 1, 3 * sublayer as usize + last),
        Block::Stack(_) | Block::Model => (0, 0),
    }
}

impl PatchedPlace {
    /// The attention whose head it is, if it is one.
    pub fn attention(self) -> Option<AttentionLayer> {
        self.head
            .and(AttentionLayer::try_from(self.site.block).ok())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::config::{GruConfig, UniversalConfig};
    use crate::spec::tests::{decoder_only, encoder_decoder};

    fn names(spec: &ModelSpec, stack: Stack, patched: Patched) -> Vec<String> {
        let sites = spec.patching_sites(stack, patched);
        assert!(sites.iter().all(|&site| spec.has(site)));
        sites.iter().map(Site::to_string).collect()
    }

    #[test]
    fn rows_are_the_places_of_a_stack_in_the_order_of_the_computation() {
        let spec = encoder_decoder();
        let residual = names(&spec, Stack::Encoder, Patched::Residual);
        assert_eq!(residual[..2], ["encoder.embedding", "encoder.0.mlp.norm"]);
        let attention = names(&spec, Stack::Decoder, Patched::Attention);
        assert_eq!(
            attention[..3],
            [
                "decoder.0.self.out",
                "decoder.0.cross.out",
                "decoder.1.self.out"
            ]
        );
        assert_eq!(
            names(&spec, Stack::Encoder, Patched::Heads)[0],
            "encoder.0.self.z"
        );
        assert_eq!(names(&spec, Stack::Decoder, Patched::FeedForward).len(), 3);
        let alone = decoder_only();
        assert_eq!(names(&alone, Stack::Encoder, Patched::Residual), [""; 0]);
        assert_eq!(
            names(&alone, Stack::Decoder, Patched::Residual)[1],
            "decoder.0.mlp.residual"
        );
    }

    #[test]
    fn what_writes_no_text_or_has_no_stream_is_not_patched() {
        assert!(encoder_decoder().has_patching() && decoder_only().has_patching());
        assert!(UniversalConfig::default().spec().has_patching());
        assert!(!GruConfig::default().spec().has_patching());
        let silent = ModelSpec {
            generates: Generates::MaskedWords,
            ..encoder_decoder()
        };
        assert!(!silent.has_patching());
    }

    fn tokens(ids: &[u32]) -> Vec<Token> {
        let token = |&id| Token {
            id,
            text: String::new(),
            unknown: false,
        };
        ids.iter().map(token).collect()
    }

    /// The pairs as `[clean, other]`, −1 where there is none.
    fn spelled(pairs: &[Pair]) -> Vec<[i32; 2]> {
        let number = |place: Option<usize>| place.map_or(-1, |place| place as i32);
        pairs
            .iter()
            .map(|pair| [number(pair.before), number(pair.after)])
            .collect()
    }

    #[test]
    fn the_last_tokens_are_a_pair_whatever_they_are() {
        let pairs = |clean: &[u32], other: &[u32]| spelled(&aligned(clean, other));
        assert_eq!(
            pairs(&[1, 2, 3, 9], &[1, 4, 9]),
            [[0, 0], [1, 1], [2, -1], [3, 2]]
        );
        assert_eq!(pairs(&[1, 2, 3], &[1, 5]), [[0, 0], [1, -1], [2, 1]]);
        assert_eq!(pairs(&[1], &[2]), [[0, 0]]);
        assert_eq!(pairs(&[], &[2]), [[-1, 0]]);
    }

    #[test]
    fn columns_are_what_the_stack_reads() {
        let (clean, other) = (tokens(&[1, 2, 3, 9]), tokens(&[1, 4, 9]));
        let columns = |spec: &ModelSpec, stack, target| {
            spelled(&spec.patching_pairs(stack, &clean, &other, target))
        };
        let spec = encoder_decoder();
        assert_eq!(columns(&spec, Stack::Encoder, 2).len(), 4);
        assert_eq!(columns(&spec, Stack::Decoder, 2), [[0, 0], [1, 1], [2, 2]]);
        let alone = decoder_only();
        let all = columns(&alone, Stack::Decoder, 2);
        assert_eq!(all[3..], [[3, 2], [4, 3], [5, 4]]);
    }

    #[test]
    fn a_share_is_the_part_of_the_way_back() {
        let ends = PatchingEnds {
            clean: 3.0,
            other: -1.0,
        };
        assert_eq!(ends.share(-1.0), Some(0.0));
        assert_eq!(ends.share(3.0), Some(1.0));
        assert_eq!(ends.share(1.0), Some(0.5));
        assert_eq!(ends.share(-3.0), Some(-0.5));
        let same = PatchingEnds {
            clean: 1.0,
            other: 1.0,
        };
        assert_eq!(same.share(1.0), None);
    }

    #[test]
    fn what_is_patched_reaches_later_layers_and_what_sees_its_position() {
        let spec = encoder_decoder();
        let site = |name: &str| name.parse::<Site>().unwrap();
        let reaches =
            |from: &str, at, to: &str, there| spec.reaches((site(from), at), (site(to), there));
        assert!(reaches("encoder.embedding", 3, "encoder.0.mlp.norm", 0));
        assert!(!reaches("encoder.0.mlp.norm", 3, "encoder.0.mlp.norm", 0));
        assert!(reaches("encoder.0.self.out", 1, "encoder.0.mlp.out", 1));
        assert!(!reaches("encoder.0.self.out", 1, "encoder.0.mlp.out", 2));
        assert!(!reaches("encoder.1.self.out", 1, "encoder.0.mlp.out", 1));
        assert!(reaches("decoder.0.self.out", 1, "decoder.0.cross.out", 1));
        // Causal: what comes later sees it, what came before does not.
        assert!(reaches("decoder.0.mlp.norm", 1, "decoder.1.mlp.norm", 2));
        assert!(!reaches("decoder.0.mlp.norm", 1, "decoder.1.mlp.norm", 0));
        // The source is first looked at after the first layer's self-attention.
        assert!(reaches("encoder.2.mlp.norm", 0, "decoder.0.mlp.norm", 0));
        assert!(!reaches("encoder.0.self.out", 0, "decoder.0.self.out", 1));
        assert!(!reaches("encoder.0.self.out", 0, "decoder.embedding", 1));
        assert!(!reaches("decoder.0.mlp.norm", 0, "encoder.2.mlp.norm", 0));
    }

    #[test]
    fn questions_survive_the_way() {
        let pair = PatchingPair {
            text: "a".into(),
            other: "b".into(),
            target: vec![3],
            answer: 4,
            against: 5,
        };
        for question in [
            PatchingQuestion::Runs {
                text: "a".into(),
                other: "b".into(),
                step: None,
                max_new_tokens: 9,
            },
            PatchingQuestion::Map(MapQuestion {
                pair: pair.clone(),
                stack: Stack::Encoder,
                patched: Patched::FeedForward,
                into: TakenInto::Other,
            }),
            PatchingQuestion::Place {
                pair,
                place: PatchedPlace {
                    site: "encoder.0.self.z".parse().unwrap(),
                    head: Some(1),
                    at: None,
                },
                into: TakenInto::Clean,
                max_new_tokens: 9,
            },
        ] {
            let json = serde_json::to_string(&question).unwrap();
            assert_eq!(
                serde_json::from_str::<PatchingQuestion>(&json).unwrap(),
                question,
                "{json}"
            );
        }
    }

    proptest! {
        #[test]
        fn nothing_reaches_back(
            (from, to) in (0usize..20, 0usize..20), at in 0usize..4, there in 0usize..4,
        ) {
            let spec = encoder_decoder();
            let mut sites: Vec<Site> = vec![];
            for stack in [Stack::Encoder, Stack::Decoder] {
                for patched in Patched::ALL {
                    sites.extend(spec.patching_sites(stack, patched));
                }
            }
            let (from, to) = (sites[from % sites.len()], sites[to % sites.len()]);
            let both = spec.reaches((from, at), (to, there)) && spec.reaches((to, there), (from, at));
            prop_assert!(!both);
        }
    }
}
