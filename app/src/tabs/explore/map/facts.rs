//! The differences of a block's attention from plain attention: heads that share keys and values, a window, layers that
//! RoPE does not rotate.

use attention_figures::model_map::{Block, Heads};
use attention_trace::{
    AttentionKind, AttentionLayer, LayerAttention, ModelSpec, positions::PositionalEncoding,
};
use leptos::prelude::*;

use super::context::MapContext;
use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::numbers::grouped,
};

/// The differences of a layer's attention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Facts {
    /// The number of query heads that share a head of keys and values; 1 in plain attention.
    group: usize,
    /// The number of keys that a query sees, if it does not see all.
    window: Option<usize>,
    /// True if RoPE rotates other layers, and not this one.
    is_unrotated: bool,
}

impl Facts {
    fn of(spec: &ModelSpec, attention: AttentionLayer) -> Option<Self> {
        let stack = spec.attention(attention.kind)?;
        let is_self = attention.kind != AttentionKind::Cross;
        let layer = stack.layer_attention.get(attention.layer);
        let layer = layer.filter(|_| is_self).copied();
        let LayerAttention {
            window, rotates, ..
        } = layer.unwrap_or_default();
        Some(Facts {
            group: stack.heads / stack.key_value_heads.max(1),
            window,
            is_unrotated: !rotates && spec.positions.encoding == PositionalEncoding::Rope,
        })
    }
}

/// Returns a function for the differences of a block's attention in words; empty for plain attention.
pub fn fact_words(
    context: MapContext,
    attention: AttentionLayer,
) -> impl Fn() -> Vec<String> + Copy {
    let i18n = use_i18n();
    let facts = Memo::new(move |_| {
        let spec = context.spec.read();
        spec.as_ref().and_then(|spec| Facts::of(spec, attention))
    });
    move || {
        let facts = facts.get().unwrap_or_default();
        let group = (facts.group > 1).then(|| t_string!(i18n, heads.groups, size = facts.group));
        let window = facts
            .window
            .map(|keys| t_string!(i18n, heads.window, keys = grouped(keys as u64)));
        let unrotated = facts
            .is_unrotated
            .then(|| t_string!(i18n, heads.unrotated).to_owned());
        [group, window, unrotated].into_iter().flatten().collect()
    }
}

/// Bars under the heads that share a head of keys and values; none where each head has its own.
#[component]
pub fn Groups(
    context: MapContext,
    attention: AttentionLayer,
    heads: Heads,
    block: Block,
) -> impl IntoView {
    let group = context.spec.with_untracked(|spec| {
        let facts = Facts::of(spec.as_ref()?, attention)?;
        Some(facts.group)
    });
    let bars = bars(heads, group.unwrap_or(1));
    bars.into_iter()
        .map(|(x, y, width)| {
            let style = format!(
                "left: {:.1}px; top: {:.1}px; width: {width:.1}px",
                x - block.rect.x,
                y - block.rect.y
            );
            view! { <span class="head-group" style=style aria-hidden="true"></span> }
        })
        .collect_view()
}

/// Returns the left end, the height and the length of a bar under each group, in each row that it has heads in.
fn bars(heads: Heads, group: usize) -> Vec<(f64, f64, f64)> {
    if group < 2 {
        return vec![];
    }
    let members: Vec<usize> = (0..heads.count).collect();
    let of_row = |head: &usize| (head / group, head / heads.across);
    let parts = members.chunk_by(|one, other| of_row(one) == of_row(other));
    parts
        .filter_map(|part| {
            let (first, last) = (heads.head(*part.first()?), heads.head(*part.last()?));
            // The gap to the next group.
            let margin = 0.12 * first.width;
            let width = last.x + last.width - first.x - 2.0 * margin;
            Some((first.x + margin, first.y + first.height, width))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use attention_trace::config::LlamaConfig;

    use super::*;

    fn heads(count: usize, across: usize) -> Heads {
        Heads {
            count,
            across,
            x: 0.0,
            y: 0.0,
            side: 10.0,
        }
    }

    #[test]
    fn each_group_has_a_bar_in_each_of_its_rows() {
        assert_eq!(bars(heads(9, 9), 3).len(), 3);
        // The second of two groups of three begins in the first row.
        let broken = bars(heads(6, 4), 3);
        let places: Vec<_> = broken.iter().map(|(x, y, _)| (x.floor(), *y)).collect();
        assert_eq!(places, [(1.0, 10.0), (31.0, 10.0), (1.0, 20.0)]);
        assert_eq!(bars(heads(8, 8), 1), []);
    }

    #[test]
    fn plain_attention_differs_in_nothing() {
        let attention = AttentionLayer {
            kind: AttentionKind::DecoderSelf,
            layer: 1,
        };
        let facts = |config: LlamaConfig| Facts::of(&config.spec(), attention).unwrap();
        let plain = facts(LlamaConfig::default());
        assert_eq!((plain.window, plain.is_unrotated), (None, false));
        let shared = LlamaConfig {
            num_attention_heads: 6,
            num_key_value_heads: Some(2),
            ..LlamaConfig::default()
        };
        assert_eq!(facts(shared).group, 3);
    }
}
