//! A query and its keys as arrows: what their angle and lengths make of a weight, on the visitor's sentence.

use attention_figures::dot_product::DotProducts;
use attention_trace::Quantity;
use leptos::prelude::*;

use crate::scale::parameters::Scale;
use attention_core::{
    engine::Live,
    i18n::{t_string, use_i18n},
    selection::{chosen_head, names, recorded},
    state::ViewState,
    widgets::{
        StagedFigure,
        numbers::{decimal, share_of_one},
        player::Player,
    },
};

/// The arrows with their player.
#[component]
pub fn Arrows() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let live = Live::expect();
    let chosen = chosen_head();
    let [query, key, weights] = [Quantity::Query, Quantity::Key, Quantity::Pattern]
        .map(|quantity| recorded(chosen, quantity));
    let products = Memo::new(move |_| {
        let (chosen, trace) = (chosen.get()?, live.trace()?);
        let (_, keys) = trace.meta.axes(chosen.head.attention.kind);
        let names = names(keys, chosen.visible_keys(keys.len()));
        let (query, key, weights) = (query.get()?, key.get()?, weights.get()?);
        DotProducts::of(
            query.0.row(&[chosen.query])?,
            &key.0.data,
            &names,
            weights.0.row(&[chosen.query])?,
        )
    });
    let wanted = state.select(|view| view.chapters.of::<Scale>().key);
    let player = Player::new(
        move || wanted.get(),
        move || products.with(|it| it.as_ref().map_or(0, |it| it.keys.len() + 1)),
        move |key| state.update_chapters(|chapters| chapters.of_mut::<Scale>().key = key),
    );
    let presents = state.select(|view| view.class.present);
    player.listen_while(move || !presents.get_untracked());
    let words = Signal::derive(move || {
        let step = player.timeline().step;
        products.with(|products| {
            let Some(products) = products else {
                return String::new();
            };
            let length = decimal(products.query_length, 2);
            match step.checked_sub(1).and_then(|key| products.keys.get(key)) {
                None => t_string!(i18n, scale.query_alone, length = length),
                Some(key) => t_string!(
                    i18n,
                    scale.key_arrow,
                    key = key.name.clone(),
                    q = length,
                    k = decimal(key.length, 2),
                    cosine = decimal(key.cosine, 3),
                    score = decimal(key.score, 2),
                    weight = share_of_one(key.weight, 3)
                ),
            }
        })
    });
    view! {
        <section class="lesson-figure">
            <StagedFigure
                test_id="arrows"
                name=Signal::derive(move || t_string!(i18n, scale.arrows).to_owned())
                player
                words
                draw=move |width| products.with(|it| Some(it.as_ref()?.picture(width)))
            />
        </section>
    }
}
