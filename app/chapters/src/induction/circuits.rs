//! The circuits of the pair as matrices over the text's tokens: whom the later head attends to, and what it writes.

use attention_core::{
    engine::{Live, Part},
    i18n::{t, t_string, use_i18n},
    state::HeadChoice,
    widgets::{
        Select, Slider,
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure, numbers_described},
    },
};
use attention_trace::{
    Array, Block, Excerpt, Slice, TraceMeta, Weight,
    circuits::{Turn, led_by_diagonal, logits_of, unit_rows},
};
use leptos::prelude::*;

use super::{
    found::{Found, KIND},
    parameters::InductionView,
    weights::{layer_of, stack_with_circuits},
};

/// The most tokens of a matrix.
const MOST_TOKENS: usize = 24;

/// A token of the text, once.
#[derive(Clone, Debug, PartialEq)]
struct Named {
    id: u32,
    text: String,
}

/// Returns the different tokens of a text, in the order of their first occurrence, without the start.
fn different(meta: &TraceMeta) -> Vec<Named> {
    let mut found: Vec<Named> = vec![];
    for token in meta.target.iter().skip(1) {
        if !found.iter().any(|named| named.id == token.id) {
            found.push(Named {
                id: token.id,
                text: token.text.clone(),
            });
        }
    }
    found.truncate(MOST_TOKENS);
    found
}

/// Returns the rows of a table for these tokens, as one array each.
fn rows_of(tokens: &[Named], block: Block, weight: Weight) -> Vec<Excerpt> {
    let row = |token: &Named| {
        let id = token.id as usize;
        Excerpt::new(block.parameter(weight), Slice::Rows(id, id + 1))
    };
    tokens.iter().map(row).collect()
}

/// Joins rows `[1, d]` to one matrix `[n, d]`.
fn joined(rows: &[Part]) -> Option<Array> {
    let width = *rows.first()?.0.shape.last()?;
    let data: Vec<f32> = rows.iter().flat_map(|Part(row)| row.data.clone()).collect();
    Some(Array {
        shape: vec![rows.len(), width],
        data,
    })
}

/// Both matrices, the heads to choose from, and how many rows each diagonal leads.
#[component]
pub fn CircuitsFigure() -> impl IntoView {
    let i18n = use_i18n();
    let (live, found) = (Live::expect(), Found::expect());
    let has_circuits = Memo::new(move |_| {
        live.trace()
            .is_none_or(|trace| stack_with_circuits(&trace.meta.spec).is_some())
    });
    let tokens = Memo::new(move |_| Some(different(&live.trace()?.meta)));
    let listed = move || {
        tokens
            .get()
            .filter(|_| has_circuits.get())
            .unwrap_or_default()
    };
    let table =
        live.parts(move || rows_of(&listed(), Block::Stack(KIND.stack()), Weight::TokenTable));
    let outputs = live.parts(move || rows_of(&listed(), Block::Model, Weight::WUnembed));
    let gain = live.part(move || {
        let block = Block::Stack(KIND.stack());
        let gain = block.parameter(Weight::NormGain);
        has_circuits.get().then(|| Excerpt::new(gain, Slice::Whole))
    });
    let earlier = layer_of(live, move || Some(found.pair()?[0]));
    let later = layer_of(live, move || Some(found.pair()?[1]));
    let labelled = move |array: Array| {
        let names: Vec<String> = listed().into_iter().map(|token| token.text).collect();
        Matrix::new(array.data, names.len())
            .with_rows(names.clone())
            .with_columns(names)
    };
    let both = Memo::new(move |_| {
        let [first, second] = found.pair()?;
        let (earlier, later) = (
            earlier.get()?.head(first.head)?,
            later.get()?.head(second.head)?,
        );
        let vectors = unit_rows(&joined(&table.get()?)?)?;
        let turn = live
            .trace()?
            .meta
            .spec
            .positions
            .rope_theta
            .map(|base| Turn {
                distance: found.view.with(|view| view.distance),
                base,
            });
        let scores = later.scores(&vectors, &earlier.written(&vectors)?, turn)?;
        let Part(gain) = gain.get()?;
        let written = logits_of(
            &later.written(&vectors)?,
            &joined(&outputs.get()?)?,
            Some(&gain),
        )?;
        Some([scores, written])
    });
    let matrix = move |index: usize| {
        Memo::new(move |_| {
            Some(labelled(
                both.with(|both| Some(both.as_ref()?[index].clone()))?,
            ))
        })
    };
    let (scores, written) = (matrix(0), matrix(1));
    let words = move || {
        let [scores, written] = both.get()?;
        Some(t_string!(
            i18n,
            induction.led,
            scores = led_by_diagonal(&scores),
            written = led_by_diagonal(&written),
            all = listed().len()
        ))
    };
    view! {
        <section class="lesson-figure" data-testid="circuits">
            <Show
                when=move || has_circuits.get()
                fallback=move || view! { <p class="notice">{t!(i18n, induction.no_circuits)}</p> }
            >
                <div class="position-controls">
                    <PairControls />
                    <DistanceControl />
                </div>
                <Inspected>
                    <div class="equation">
                        <MatrixFigure
                            id="circuit-scores"
                            symbol="QK"
                            name=Signal::derive(move || t_string!(i18n, induction.qk).to_owned())
                            matrix=scores
                            describe=numbers_described(scores)
                        />
                        <MatrixFigure
                            id="circuit-written"
                            symbol="OV"
                            name=Signal::derive(move || t_string!(i18n, induction.ov).to_owned())
                            matrix=written
                            describe=numbers_described(written)
                        />
                    </div>
                </Inspected>
                <p class="lesson-reading number" role="status" data-testid="circuits-led">{words}</p>
            </Show>
        </section>
    }
}

/// The distance for which RoPE turns the queries; of other models there is none.
#[component]
fn DistanceControl() -> impl IntoView {
    let i18n = use_i18n();
    let (live, found) = (Live::expect(), Found::expect());
    let turns = Memo::new(move |_| {
        live.trace()
            .is_some_and(|trace| trace.meta.spec.positions.rope_theta.is_some())
    });
    let distance = Memo::new(move |_| found.view.with(|view| view.distance));
    view! {
        <Show when=move || turns.get()>
            <Slider
                name=Signal::derive(move || t_string!(i18n, induction.distance).to_owned())
                test_id="circuit-distance"
                range=InductionView::DISTANCES
                value=distance
                words=Signal::derive(move || distance.get().to_string())
                set=move |distance| found.update(|view| view.distance = distance)
            />
        </Show>
    }
}

/// The two heads of the pair.
#[component]
fn PairControls() -> impl IntoView {
    let i18n = use_i18n();
    let found = Found::expect();
    let heads = Memo::new(move |_| -> Vec<HeadChoice> {
        let scores = found.scores.get().unwrap_or_default();
        scores.into_iter().map(|scores| scores.head).collect()
    });
    let last = move || heads.read().last().map_or(0, |head| head.attention.layer);
    let earlier = Memo::new(move |_| -> Vec<HeadChoice> {
        let all = heads.get().into_iter();
        all.filter(|head| head.attention.layer < last()).collect()
    });
    let later = Memo::new(move |_| -> Vec<HeadChoice> {
        let after = found
            .pair()
            .map_or(0, |[earlier, _]| earlier.attention.layer);
        let all = heads.get().into_iter();
        all.filter(|head| head.attention.layer > after).collect()
    });
    let named = move |heads: Memo<Vec<HeadChoice>>| {
        Signal::derive(move || -> Vec<String> {
            let heads = heads.get().into_iter();
            let name = |head: HeadChoice| {
                let (layer, head) = (head.attention.layer + 1, head.head + 1);
                t_string!(i18n, induction.place, layer = layer, head = head).to_string()
            };
            heads.map(name).collect()
        })
    };
    let chosen = move |heads: Memo<Vec<HeadChoice>>, index: usize| {
        Signal::derive(move || {
            let own = found.pair().map(|pair| pair[index]);
            heads.with(|heads| {
                heads
                    .iter()
                    .position(|head| Some(*head) == own)
                    .unwrap_or(0)
            })
        })
    };
    view! {
        <Select
            name=Signal::derive(move || t_string!(i18n, induction.earlier).to_owned())
            test_id="circuit-earlier"
            options=named(earlier)
            chosen=chosen(earlier, 0)
            choose=move |index| {
                let head = earlier.with_untracked(|heads| heads.get(index).copied());
                found.update(|view| view.earlier = head);
            }
        />
        <Select
            name=Signal::derive(move || t_string!(i18n, induction.later).to_owned())
            test_id="circuit-later"
            options=named(later)
            chosen=chosen(later, 1)
            choose=move |index| {
                let head = later.with_untracked(|heads| heads.get(index).copied());
                found.update(|view| view.later = head);
            }
        />
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::induction::found::tests::meta;

    #[test]
    fn a_token_stands_once_and_the_start_not_at_all() {
        let ids: Vec<u32> = different(&meta(&[1, 5, 6, 5, 1]))
            .iter()
            .map(|it| it.id)
            .collect();
        assert_eq!(ids, [5, 6, 1]);
        let many: Vec<u32> = (0..40).collect();
        assert_eq!(different(&meta(&many)).len(), MOST_TOKENS);
    }
}
