//! T5's and ALiBi's bias by distance, added to the scaled scores.

use attention_trace::{AttentionKind, TraceMeta, positions::alibi_slopes};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::{
    Sign,
    scores::{Row, RowFigure, handed_on, pair},
};
use crate::follow::{
    context::{FollowContext, Place},
    derivation::{Derivation, Operation},
    derivation_view::explained,
};
use attention_core::i18n::{Locale, t_string, use_i18n};

/// Scaled scores, the bias of each key's distance, and what the mask acts on.
#[component]
pub fn Bias() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let rows = [Row::Scaled, Row::Bias, Row::Biased];
    let [scaled, bias, biased] = rows.map(|row| row.numbers(context));
    let because = move |key| context.with_place(|place| reason(i18n, place, key));
    let made_bias = explained(move |_, key| {
        let mut names = pair(context, key)?;
        names.push(because(key)?);
        Some(Derivation {
            place: names,
            value: bias.query_value(key)?,
            operation: context.with_place(|place| {
                made_of(&place.meta, place.choice.head, place.query.abs_diff(key))
            })??,
        })
    });
    let made_biased = explained(move |_, key| {
        let name_scaled = t_string!(i18n, chapters.name_scaled).to_owned();
        Some(Derivation {
            place: pair(context, key)?,
            value: biased.query_value(key)?,
            operation: Operation::Sum(vec![
                (name_scaled, scaled.query_value(key)?),
                (because(key)?, bias.query_value(key)?),
            ]),
        })
    });
    view! {
        <div class="equation">
            <RowFigure row=Row::Scaled numbers=scaled describe=handed_on(context, scaled) />
            <Sign sign="+" />
            <RowFigure row=Row::Bias numbers=bias describe=made_bias />
            <Sign sign="=" />
            <RowFigure row=Row::Biased numbers=biased describe=made_biased />
        </div>
    }
}

/// Describes the cause of a key's bias: T5's bucket, or ALiBi's distance.
fn reason(i18n: I18nContext<Locale>, place: &Place, key: usize) -> String {
    let stack = place.choice.attention.kind.stack();
    match place.meta.spec.buckets(stack) {
        Some(buckets) => {
            let bucket = buckets.bucket(key as isize - place.query as isize);
            t_string!(i18n, chapters.bias_of_bucket, bucket = bucket)
        }
        None => {
            let distance = place.query.abs_diff(key);
            t_string!(i18n, chapters.bias_at_distance, distance = distance)
        }
    }
}

/// T5's bias is a parameter; ALiBi's is the distance times minus the head's slope.
fn made_of(meta: &TraceMeta, head: usize, distance: usize) -> Option<Operation> {
    if meta.spec.positions.buckets.is_some() {
        return Some(Operation::Given);
    }
    let slope = *alibi_slopes(meta.spec.heads(AttentionKind::DecoderSelf)).get(head)?;
    Some(Operation::Product([
        ("−λ".to_owned(), -slope),
        ("|i − j|".to_owned(), distance as f32),
    ]))
}

#[cfg(test)]
mod tests {
    use attention_trace::{
        config::LlamaConfig,
        positions::{PositionalEncoding, alibi_bias},
    };

    use super::*;

    fn meta(positions: PositionalEncoding) -> TraceMeta {
        let config = LlamaConfig {
            num_attention_heads: 4,
            positions,
            ..LlamaConfig::default()
        };
        TraceMeta {
            spec: config.spec(),
            source: vec![],
            target: vec![],
            pieces: attention_trace::Pieces::default(),
        }
    }

    #[test]
    fn alibis_factors_make_the_bias_that_the_model_adds() {
        let meta = meta(PositionalEncoding::Alibi);
        let bias = alibi_bias(4, 0..6, 0..6);
        for (index, bias) in bias.into_iter().enumerate() {
            let (head, query, key) = (index / 36, index / 6 % 6, index % 6);
            let Some(Operation::Product([(_, slope), (_, distance)])) =
                made_of(&meta, head, query.abs_diff(key))
            else {
                panic!("a product");
            };
            assert_eq!(slope * distance, bias, "head {head}, {query} to {key}");
        }
    }

    #[test]
    fn t5s_bias_is_a_parameter() {
        let meta = meta(PositionalEncoding::T5);
        assert_eq!(made_of(&meta, 1, 3), Some(Operation::Given));
    }
}
