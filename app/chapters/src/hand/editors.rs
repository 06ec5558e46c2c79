//! The matrices that can be changed, and the way back to the lecture's numbers.

use crate::hand::parameters::{Hand, HandCell, HandMatrix};
use attention_trace::lessons::WorkedExample;
use leptos::prelude::*;

use super::{context::HandContext, divisor::Divisor};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::{Changes, Drafts, EditableMatrix, KeyHint, Prose, Segmented, Select},
};

/// The choice of the example, its matrices, the word that asks, and the divisor.
#[component]
pub fn Editors() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = HandContext::expect();
    let drafts = Drafts::default();
    let example = state.select(|view| view.chapters.of::<Hand>().example);
    let is_changed = move || context.hand.with(Hand::is_changed) || drafts.has_errors();
    let open = move |example| {
        drafts.clear();
        state.update_chapters(|chapters| {
            if chapters.of::<Hand>().example != example {
                *chapters.of_mut::<Hand>() = Hand::of(example);
            }
        });
    };
    let reset = move |_| {
        drafts.clear();
        state.update_chapters(|chapters| chapters.of_mut::<Hand>().reset());
    };
    let part = move || match example.get() {
        WorkedExample::FourWords => "four-words",
        WorkedExample::ThinkingMachines => "thinking-machines",
    };
    view! {
        <section class="lesson-figure" data-testid="hand-editors">
            <Segmented
                label=Signal::derive(move || t_string!(i18n, hand.example).to_owned())
                options=Signal::derive(move || vec![
                    (WorkedExample::FourWords, t_string!(i18n, hand.four_words).to_owned()),
                    (WorkedExample::ThinkingMachines, "Thinking Machines".to_owned()),
                ])
                value=example
                choose=open
            />
            <Prose part=Signal::derive(part) />
            <div class="hand-matrices">
                // Another example has other shapes.
                {move || {
                    let example = example.get();
                    HandMatrix::ALL.map(|matrix| view! { <Editor example matrix drafts /> })
                }}
            </div>
            <p class="hint">
                {t!(i18n, hand.edit_hint)}
                <KeyHint>{t!(i18n, hand.edit_keys)}</KeyHint>
            </p>
            <div class="position-controls">
                <Select
                    name=Signal::derive(move || t_string!(i18n, heads.query).to_owned())
                    test_id="hand-query"
                    options=Signal::derive(move || context.words())
                    chosen=Signal::derive(move || context.query())
                    choose=move |query| state.update_chapters(|chapters| {
                        chapters.of_mut::<Hand>().query = Some(query);
                    })
                />
                <Divisor />
                <button
                    type="button"
                    class="plain-button"
                    data-testid="hand-reset"
                    disabled=move || !is_changed()
                    on:click=reset
                >
                    {t!(i18n, hand.reset)}
                </button>
            </div>
        </section>
    }
}

#[component]
fn Editor(example: WorkedExample, matrix: HandMatrix, drafts: Drafts) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = HandContext::expect();
    let shape = Hand::of(example).matrix(matrix).shape;
    let name = move || match matrix {
        HandMatrix::Words => t_string!(i18n, hand.words).to_owned(),
        HandMatrix::Query => t_string!(i18n, chapters.name_query_weights).to_owned(),
        HandMatrix::Key => t_string!(i18n, chapters.name_key_weights).to_owned(),
        HandMatrix::Value => t_string!(i18n, chapters.name_value_weights).to_owned(),
    };
    let (id, symbol) = match matrix {
        HandMatrix::Words => ("hand-x", "<math><mi>X</mi></math>"),
        HandMatrix::Query => ("hand-wq", "<math><msup><mi>W</mi><mi>Q</mi></msup></math>"),
        HandMatrix::Key => ("hand-wk", "<math><msup><mi>W</mi><mi>K</mi></msup></math>"),
        HandMatrix::Value => ("hand-wv", "<math><msup><mi>W</mi><mi>V</mi></msup></math>"),
    };
    let values = move || {
        let array = context.hand.with(|hand| hand.matrix(matrix));
        let hundredths = |value: &f32| (value * 100.0).round() as i32;
        array.data.iter().map(hundredths).collect()
    };
    let rows = move || match matrix {
        HandMatrix::Words => context.words(),
        HandMatrix::Query | HandMatrix::Key | HandMatrix::Value => Vec::new(),
    };
    let cell = move |(row, column): (usize, usize)| HandCell {
        matrix,
        row,
        column,
    };
    let set = move |changes: Changes| {
        state.update_chapters(|chapters| {
            for (place, hundredths) in changes {
                chapters.of_mut::<Hand>().set(cell(place), hundredths);
            }
        });
    };
    view! {
        <EditableMatrix
            id
            symbol
            name=Signal::derive(name)
            shape=(shape[0], shape[1])
            values=Signal::derive(values)
            bounds=Hand::CELLS
            rows=Signal::derive(rows)
            changed=move |place| context.hand.with(|hand| hand.has_changed(cell(place)))
            drafts
            set
        />
    }
}
