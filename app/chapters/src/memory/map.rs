//! The cells of a head's map that are computed, token by token, with a cache and without one.

use attention_trace::times_computed;
use leptos::prelude::*;

use super::parameters::KeptView;
use attention_core::{
    i18n::{t_string, use_i18n},
    selection::SelfAttention,
    state::ViewState,
    widgets::{
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure, numbers_described},
        player::{Player, Transport},
    },
};

/// The most tokens of the map, so that every number is legible.
const MOST: usize = 12;

#[component]
pub fn TimesComputed() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = SelfAttention::expect();
    let wanted = state.select(|view| view.chapters.of::<KeptView>().step);
    let names = Memo::new(move |_| {
        let names = context.names();
        names.iter().take(MOST).cloned().collect::<Vec<String>>()
    });
    let player = Player::new(
        move || wanted.get(),
        move || names.read().len(),
        move |step| state.update_chapters(|all| all.of_mut::<KeptView>().step = step),
    );
    let presents = state.select(|view| view.class.present);
    player.listen_while(move || !presents.get_untracked());
    let read = Memo::new(move |_| player.timeline().step + 1);
    let matrix = move |has_cache: bool| {
        Memo::new(move |_| {
            let names = names.get();
            let n = names.len();
            let times = times_computed(read.get(), n, has_cache);
            let values: Vec<f32> = times.into_iter().map(|times| times as f32).collect();
            (n > 0).then(|| {
                Matrix::new(values, n)
                    .with_rows(names.clone())
                    .with_columns(names)
            })
        })
    };
    let (with, without) = (matrix(true), matrix(false));
    let total = |matrix: Memo<Option<Matrix>>| {
        matrix.with(|matrix| {
            let cells = matrix.iter().flat_map(|matrix| matrix.values.iter());
            cells.sum::<f32>() as usize
        })
    };
    let words = Signal::derive(move || {
        t_string!(
            i18n,
            kept.computed,
            read = read.get(),
            with = total(with),
            without = total(without)
        )
    });
    view! {
        <section class="lesson-figure" data-testid="times-computed" data-step=move || read.get()>
            <Transport
                player
                label=Signal::derive(move || t_string!(i18n, kept.map).to_owned())
                words
            />
            <Inspected>
                <div class="equation">
                    <MatrixFigure
                        id="kept-with"
                        symbol="<math><mi>A</mi></math>"
                        name=Signal::derive(move || t_string!(i18n, kept.with_cache).to_owned())
                        matrix=with
                        rows_shown=MOST
                        describe=numbers_described(with)
                    />
                    <MatrixFigure
                        id="kept-without"
                        symbol="<math><mi>A</mi></math>"
                        name=Signal::derive(move || t_string!(i18n, kept.without_cache).to_owned())
                        matrix=without
                        rows_shown=MOST
                        describe=numbers_described(without)
                    />
                </div>
            </Inspected>
        </section>
    }
}
