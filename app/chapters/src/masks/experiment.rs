//! The passes of the experiment: as the model was trained, and with the chosen mask.

use crate::masks::parameters::Masks;
use attention_trace::{AttentionKind, AttentionLayer, Edit, Excerpt, Quantity, Site, Slice};
use leptos::prelude::*;

use super::rule::Rule;
use attention_core::{
    engine::{Live, Part},
    selection::{MOST_TOKENS, SelfAttention, SelfPlace},
    state::ViewState,
};

/// The rule for the chosen kind of self-attention and the text on screen.
pub fn rule(place: &SelfPlace, masks: Masks) -> Rule {
    let kind = place.head.attention.kind;
    let tokens = place.meta.axes(kind).0.len();
    Rule {
        kind,
        layers: place.meta.spec.layers(kind),
        tokens,
        mask: masks.mask,
        padding: masks.padding.min(tokens.saturating_sub(1)),
    }
}

/// The passes without and with the mask.
#[derive(Clone, Copy)]
pub struct Experiment {
    context: SelfAttention,
    /// The rule; `None` until there is a trace.
    pub rule: Memo<Option<Rule>>,
    /// The edits of the masked pass, once they are known.
    edits: Memo<Option<Vec<Edit>>>,
}

impl Experiment {
    /// Returns the view's experiment, for attention of that many layers.
    pub fn new(layers: usize) -> Self {
        let context = SelfAttention::expect();
        let masks = ViewState::expect().select(|view| *view.chapters.of::<Masks>());
        let rule = Memo::new(move |_| {
            let masks = masks.get();
            context.with(|place| rule(place, masks))
        });
        let by_layer = masked_by_layer(rule, layers);
        let edits = Memo::new(move |_| rule.get()?.edits().or_else(|| by_layer.get()));
        Experiment {
            context,
            rule,
            edits,
        }
    }

    /// A part of the pass as the model was trained, and of the masked one.
    fn both(self, site: fn(&SelfPlace) -> Site) -> [Memo<Option<Part>>; 2] {
        let edits = self.edits;
        let plain = self
            .context
            .part(move |place| Excerpt::new(site(place), Slice::Whole));
        let masked = Live::expect().part(move || {
            let edits = edits.get()?;
            let site = self.context.with(site)?;
            Some(Excerpt::new(site, Slice::Whole).with_edits(edits))
        });
        [plain, masked]
    }

    /// The weights of all heads of the chosen layer, `[h, n, n]`.
    pub fn weights(self) -> [Memo<Option<Part>>; 2] {
        self.both(|place| place.head.attention.at(Quantity::Pattern))
    }

    /// Returns the final outputs of the stack in both passes, `[n, d]`.
    pub fn outputs(self) -> [Memo<Option<Part>>; 2] {
        self.both(|place| {
            let stack = place.head.attention.kind.stack();
            place.meta.spec.stack_output(stack)
        })
    }
}

/// A causal mask in an encoder, which has none to switch on: the scores of each layer, computed by a pass with the
/// layers below already masked, replace the layer's own, with forbidden keys far below all others.
fn masked_by_layer(rule: Memo<Option<Rule>>, layers: usize) -> Memo<Option<Vec<Edit>>> {
    let live = Live::expect();
    let none = Memo::new(|_| Some(Vec::new()));
    (0..layers).fold(none, |below, layer| {
        let site = AttentionLayer {
            kind: AttentionKind::EncoderSelf,
            layer,
        }
        .at(Quantity::MaskedScores);
        let scores = live.part(move || {
            let rule = rule.get()?;
            let is_needed = rule.edits().is_none() && rule.tokens <= MOST_TOKENS;
            let below = is_needed.then(|| below.get())??;
            Some(Excerpt::new(site, Slice::Whole).with_edits(below))
        });
        Memo::new(move |_| {
            let Part(scores) = scores.get()?;
            let array = rule.get()?.applied(&scores);
            let mut edits = below.get()?;
            edits.push(Edit::Replace { site, array });
            Some(edits)
        })
    })
}
