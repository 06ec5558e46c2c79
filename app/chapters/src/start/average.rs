//! The fourth screen: an average whose weights are moved by hand.

use leptos::prelude::*;

use super::{
    measures::{average, likeness, shared},
    vectors::{LikenessBars, embeddings, row},
};
use crate::{follow::axes, start::parameters::Start};
use attention_core::{
    engine::Part,
    i18n::{t_string, use_i18n},
    selection::SelfAttention,
    state::ViewState,
    widgets::{
        Slider,
        matrix::{MatrixFigure, numbers_described},
        numbers::percent,
    },
};

/// The chosen token's share, the average, and its similarity to each token's vector.
#[component]
pub fn Average() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = SelfAttention::expect();
    let share = state.select(|view| view.chapters.of::<Start>().share);
    let embeddings = embeddings(context);
    let weights = Memo::new(move |_| {
        shared(
            context.names().len(),
            context.query(),
            share.get() as f32 / 100.0,
        )
    });
    let made = Memo::new(move |_| {
        let weights = weights.get();
        let Part(rows) = embeddings.get()?;
        average(&rows, &weights)
    });
    let matrix = Memo::new(move |_| {
        // The figure's title says what it is; the row has its symbol.
        made.with(|made| Some(row(Some("z".to_owned()), made.as_ref()?)))
    });
    let series = Memo::new(move |_| {
        let weights = weights.get();
        let names = [
            t_string!(i18n, start.weight).to_owned(),
            t_string!(i18n, start.likeness_of_average).to_owned(),
        ];
        let Part(rows) = embeddings.get()?;
        let alike = made.with(|made| Some(likeness(made.as_ref()?, &rows, weights.len())))?;
        Some(names.into_iter().zip([weights, alike]).collect::<Vec<_>>())
    });
    let words = Memo::new(move |_| {
        let token = context.query_name().unwrap_or_default();
        let share = percent(share.get() as f32 / 100.0, 0);
        format!("{token} {share}")
    });
    view! {
        <Slider
            name=Signal::derive(move || t_string!(i18n, start.share).to_owned())
            test_id="start-share"
            range=Start::SHARES
            value=share
            words
            set=move |share| state.update_chapters(|chapters| chapters.of_mut::<Start>().share = share)
        />
        <LikenessBars test_id="start-average" series />
        <MatrixFigure
            id="start-mean"
            symbol="<math><mi>z</mi></math>"
            name=Signal::derive(move || t_string!(i18n, start.average).to_owned())
            matrix
            columns=axes::WIDTH
            describe=numbers_described(matrix)
        />
    }
}
