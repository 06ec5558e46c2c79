//! Scores of every head on the text on screen: weight on the token before, and on what followed a token earlier.

use attention_core::{
    engine::{Live, Part},
    state::{HeadChoice, ViewState},
};
use attention_trace::{
    AttentionKind, AttentionLayer, Excerpt, ModelSpec, Quantity, Slice, TraceMeta,
    roles::{Places, Role, RoleScore},
};
use leptos::prelude::*;

use super::parameters::{InductionView, ScoreKind};

/// The most numbers in the maps of all heads that are fetched for the scores.
const MOST_WEIGHTS: usize = 4 << 20;

/// The scores of a head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadScores {
    /// The head that was measured.
    pub head: HeadChoice,
    /// Its weight on the token before.
    pub previous: Option<RoleScore>,
    /// Its weight on the tokens that followed the query's token earlier; `None` in a text without repeats.
    pub induction: Option<RoleScore>,
}

impl HeadScores {
    /// Returns one of the scores.
    pub fn of(&self, wanted: ScoreKind) -> Option<RoleScore> {
        match wanted {
            ScoreKind::Induction => self.induction,
            ScoreKind::Previous => self.previous,
        }
    }
}

/// The heads of the text on screen. A context of the chapter.
#[derive(Clone, Copy)]
pub struct Found {
    /// The state of the chapter in the view.
    pub view: Memo<InductionView>,
    /// The scores of all heads of the writing stack, in the order of computation; `None` until they are here.
    pub scores: Memo<Option<Vec<HeadScores>>>,
    /// True if the text is too long for its maps to be fetched.
    pub is_too_long: Memo<bool>,
    state: ViewState,
}

impl Found {
    /// Provides the context to the chapter's figures.
    pub fn provide() -> Self {
        let (live, state) = (Live::expect(), ViewState::expect());
        let layers = Memo::new(move |_| Some(layers_of(&live.trace()?.meta)));
        let parts = live.parts(move || {
            let layers = layers.get().flatten().unwrap_or_default().into_iter();
            let whole =
                |layer: AttentionLayer| Excerpt::new(layer.at(Quantity::Pattern), Slice::Whole);
            layers.map(whole).collect()
        });
        let found = Found {
            view: state.select(|view| *view.chapters.of::<InductionView>()),
            scores: Memo::new(move |_| {
                let layers = layers.get().flatten()?;
                Some(measured(&live.trace()?.meta, &layers, &parts.get()?))
            }),
            is_too_long: Memo::new(move |_| layers.get() == Some(None)),
            state,
        };
        provide_context(found);
        found
    }

    /// The context that the chapter provided.
    ///
    /// # Panics
    /// Outside the chapter.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Changes the chapter's state in the address.
    pub fn update(self, change: impl FnOnce(&mut InductionView)) {
        self.state
            .update_chapters(|chapters| change(chapters.of_mut::<InductionView>()));
    }

    /// Returns the pair: the chosen heads, or those with the highest scores, the earlier one before the last layer and
    /// the later one after it.
    pub fn pair(self) -> Option<[HeadChoice; 2]> {
        let view = self.view.get();
        self.scores.with(|scores| pair(scores.as_ref()?, view))
    }
}

/// Returns the heads with the highest scores, or those that the visitor chose, if the later one follows the earlier one.
fn pair(scores: &[HeadScores], view: InductionView) -> Option<[HeadChoice; 2]> {
    let last = scores.last()?.head.attention.layer;
    let is_there = |head: &HeadChoice| scores.iter().any(|found| found.head == *head);
    let best = |wanted, layers: std::ops::Range<usize>| {
        let heads = scores
            .iter()
            .filter(|found| layers.contains(&found.head.attention.layer));
        heads.reduce(
            |best, other| match value(other, wanted) > value(best, wanted) {
                true => other,
                false => best,
            },
        )
    };
    let earlier = match view.earlier.filter(is_there) {
        Some(chosen) if chosen.attention.layer < last => chosen,
        _ => best(ScoreKind::Previous, 0..last)?.head,
    };
    let after = earlier.attention.layer + 1;
    let later = match view.later.filter(is_there) {
        Some(chosen) if chosen.attention.layer >= after => chosen,
        _ => best(ScoreKind::Induction, after..last + 1)?.head,
    };
    Some([earlier, later])
}

/// Returns how far a score is above chance; the least of all without one.
pub fn value(scores: &HeadScores, wanted: ScoreKind) -> f32 {
    scores
        .of(wanted)
        .map_or(f32::NEG_INFINITY, RoleScore::above_chance)
}

/// The self-attention that reads from left to right.
pub const KIND: AttentionKind = AttentionKind::DecoderSelf;

/// Returns the self-attention layers of the writing stack; `None` if their maps are too many numbers.
fn layers_of(meta: &TraceMeta) -> Option<Vec<AttentionLayer>> {
    let spec: &ModelSpec = &meta.spec;
    let (queries, keys) = meta.axes(KIND);
    let layers = spec.layers(KIND);
    let weights = layers * spec.heads(KIND) * queries.len() * keys.len();
    let listed = (0..layers).map(|layer| AttentionLayer { kind: KIND, layer });
    (weights <= MOST_WEIGHTS).then(|| listed.collect())
}

/// Measures all heads of these layers.
fn measured(meta: &TraceMeta, layers: &[AttentionLayer], parts: &[Part]) -> Vec<HeadScores> {
    let maps = layers.iter().zip(parts);
    maps.flat_map(|(&attention, Part(maps))| {
        let heads = maps.shape.first().copied().unwrap_or(0);
        (0..heads).filter_map(move |head| {
            scores_of(meta, HeadChoice { attention, head }, maps.matrix(head)?)
        })
    })
    .collect()
}

/// Measures a head by its weights, `[n, n]`; `None` if they have another size.
pub fn scores_of(meta: &TraceMeta, head: HeadChoice, weights: &[f32]) -> Option<HeadScores> {
    let AttentionLayer { kind, layer } = head.attention;
    let [previous, induction] = [Places::of(meta, kind), Places::of_repeated(meta, kind)]
        .map(|places| Some(places.measure(layer, weights)?.scores()));
    Some(HeadScores {
        head,
        previous: previous?.of(Role::Previous),
        induction: induction?.of(Role::Induction),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use attention_trace::{Pieces, Token, config::LlamaConfig};

    use super::*;

    /// Facts of a text of these tokens, read by two layers of two heads.
    pub fn meta(ids: &[u32]) -> TraceMeta {
        let config = LlamaConfig {
            num_hidden_layers: 2,
            num_attention_heads: 2,
            hidden_size: 8,
            ..LlamaConfig::default()
        };
        let token = |&id: &u32| Token {
            id,
            text: id.to_string(),
            unknown: false,
        };
        TraceMeta {
            spec: config.spec(),
            source: vec![],
            target: ids.iter().map(token).collect(),
            pieces: Pieces::default(),
        }
    }

    fn choice(layer: usize, head: usize) -> HeadChoice {
        HeadChoice {
            attention: AttentionLayer { kind: KIND, layer },
            head,
        }
    }

    #[test]
    fn a_head_is_measured_by_where_its_weight_goes() {
        let meta = meta(&[5, 6, 5, 6]);
        // Each query attends to the token before it; the first to itself.
        let mut before = vec![0.0; 16];
        before[0] = 1.0;
        (1..4).for_each(|query| before[query * 4 + query - 1] = 1.0);
        let scores = scores_of(&meta, choice(0, 0), &before).unwrap();
        assert_eq!(scores.previous.unwrap().weight, 1.0);
        // In a text that repeats after two tokens, the one before is the one that followed earlier.
        assert_eq!(scores.induction.unwrap().weight, 1.0);
        assert_eq!(scores_of(&meta, choice(0, 0), &[1.0]), None);
        let without = scores_of(&super::tests::meta(&[1, 2, 3, 4]), choice(0, 0), &before);
        assert_eq!(without.unwrap().induction, None);
    }

    #[test]
    fn the_pair_is_the_visitors_or_has_the_highest_scores() {
        let score = |weight| {
            Some(RoleScore {
                weight,
                chance: 0.1,
                queries: 9,
            })
        };
        let head = |layer, head, previous, induction| HeadScores {
            head: choice(layer, head),
            previous: score(previous),
            induction: score(induction),
        };
        let scores = [
            head(0, 0, 0.2, 0.9),
            head(0, 1, 0.8, 0.0),
            head(1, 0, 0.9, 0.3),
            head(1, 1, 0.1, 0.7),
        ];
        let view = InductionView::default();
        assert_eq!(pair(&scores, view), Some([choice(0, 1), choice(1, 1)]));
        let chosen = InductionView {
            earlier: Some(choice(0, 0)),
            later: Some(choice(1, 0)),
            ..view
        };
        assert_eq!(pair(&scores, chosen), Some([choice(0, 0), choice(1, 0)]));
        // Neither of the last layer first, nor of another model.
        let wrong = InductionView {
            earlier: Some(choice(1, 0)),
            later: Some(choice(7, 0)),
            ..view
        };
        assert_eq!(pair(&scores, wrong), Some([choice(0, 1), choice(1, 1)]));
        assert_eq!(pair(&scores[..2], view), None);
    }
}
