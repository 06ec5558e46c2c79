//! The weights of the chosen head minus a multiple of those of the head beside it, for the chosen token.

use attention_core::{
    engine::Part,
    i18n::{t_string, use_i18n},
    selection::{SelfAttention, SelfPlace},
    state::ViewState,
    widgets::{
        Slider,
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure, weights_described},
        numbers::decimal,
    },
};
use attention_trace::{Excerpt, Quantity, Slice, differential};
use leptos::prelude::*;

use crate::heads::parameters::Heads;

/// The weights of both heads and their difference, over the same keys.
#[derive(Clone, Debug, PartialEq)]
struct Subtracted {
    /// The numbers of both heads, from 0.
    heads: [usize; 2],
    /// The weights of the first head, of the second, and the difference.
    rows: [Vec<f32>; 3],
}

#[component]
pub fn Minus() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = SelfAttention::expect();
    let heads = state.select(|view| *view.chapters.of::<Heads>());
    let lambda = move || heads.get().lambda as f32 / 10.0;
    let part = context.part(|place: &SelfPlace| {
        let site = place.head.attention.at(Quantity::Pattern);
        Excerpt::new(site, Slice::Row(place.query))
    });
    let subtracted = Memo::new(move |_| {
        let chosen = context.with(|place| place.head.head)?;
        let Part(weights) = part.get()?;
        let count = *weights.shape.first()?;
        let other = heads.get().other.min(count.checked_sub(1)?);
        let row = |head: usize| weights.row(&[head]);
        let (first, second) = (row(chosen)?, row(other)?);
        Some(Subtracted {
            heads: [chosen, other],
            rows: [
                first.to_vec(),
                second.to_vec(),
                differential(first, second, lambda()),
            ],
        })
    });
    let matrix = Memo::new(move |_| {
        let Subtracted { heads, rows } = subtracted.get()?;
        let keys = context.names();
        let columns = rows[0].len().min(keys.len());
        let values = rows.iter().flat_map(|row| row[..columns].to_vec());
        let name = |head: usize| t_string!(i18n, many_heads.head, head = head + 1);
        let names = [
            name(heads[0]),
            name(heads[1]),
            t_string!(i18n, many_heads.minus).to_owned(),
        ];
        Some(
            Matrix::new(values.collect::<Vec<f32>>(), columns)
                .with_rows(names.to_vec())
                .with_columns(keys[..columns].to_vec()),
        )
    });
    let words = move || {
        let Subtracted { rows, .. } = subtracted.get()?;
        let negative = rows[2].iter().filter(|weight| **weight < 0.0).count();
        Some(t_string!(
            i18n,
            many_heads.minus_sum,
            sum = decimal(rows[2].iter().sum(), 2),
            negative = negative,
            count = rows[2].len()
        ))
    };
    view! {
        <section class="lesson-figure" data-testid="heads-minus">
            <div class="position-controls">
                <Slider
                    name=Signal::derive(|| "λ".to_owned())
                    test_id="heads-lambda"
                    range=Heads::LAMBDAS
                    value=Signal::derive(move || heads.get().lambda)
                    words=Signal::derive(move || decimal(lambda(), 1))
                    set=move |lambda| state.update_chapters(|chapters| {
                        chapters.of_mut::<Heads>().lambda = lambda;
                    })
                />
            </div>
            <Inspected>
                <MatrixFigure
                    id="heads-minus"
                    symbol="<math><msub><mi>a</mi><mn>1</mn></msub><mo>−</mo><mi>λ</mi><msub><mi>a</mi><mn>2</mn></msub></math>"
                    name=Signal::derive(move || t_string!(i18n, many_heads.minus_rows).to_owned())
                    matrix
                    describe=weights_described(matrix)
                />
            </Inspected>
            <p class="lesson-reading number" role="status" data-testid="heads-minus-sum">{words}</p>
        </section>
    }
}
