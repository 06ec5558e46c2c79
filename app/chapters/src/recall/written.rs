//! Pairs written into a matrix one after the other, by linear attention and by the delta rule, and what a key reads.

use attention_protocol::lessons::{Answer, Question};
use attention_trace::lessons::{StateRule, WrittenStates};
use leptos::prelude::*;

use super::{
    pairs::{
        COUNT, WIDTH, asked, asked_key, key_names, last_value, pairs, shown_keys, value_names,
    },
    parameters::{Fifth, RecallView},
    updates,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    lessons::{Asked, LessonNotice, Lessons},
    state::ViewState,
    widgets::{
        Segmented, Select, Slider,
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure, numbers_described},
        numbers::decimal,
        player::{Player, Transport},
    },
};

/// Controls, the two matrices after a pair, and what the chosen key reads from each.
#[component]
pub fn WrittenFigure() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let recall = state.select(|view| *view.chapters.of::<RecallView>());
    let player = Player::new(
        move || recall.get().step,
        || COUNT,
        move |step| state.update_chapters(|all| all.of_mut::<RecallView>().step = step),
    );
    let presents = state.select(|view| view.class.present);
    player.listen_while(move || !presents.get_untracked());
    let step = Memo::new(move |_| player.timeline().step);
    let words = Signal::derive(move || {
        let pair = pairs(recall.get().fifth)[step.get().min(COUNT - 1)];
        t_string!(
            i18n,
            recall.pair,
            pair = step.get() + 1,
            count = COUNT,
            key = key_names(i18n)[pair.key].clone(),
            value = value_names(i18n)[pair.value].clone()
        )
    });
    let added = written(recall, StateRule::Linear);
    let replaced = written(recall, StateRule::Delta);
    view! {
        <section class="lesson-figure" data-testid="written-states" data-step=move || step.get() + 1>
            <WritingControls recall />
            <Transport
                player
                label=Signal::derive(move || t_string!(i18n, recall.writing).to_owned())
                words
            />
            <LessonNotice asked=added />
            <Inspected>
                <div class="equation">
                    <StateMatrix id="recall-added" name=Signal::derive(move || t_string!(i18n, recall.linear).to_owned()) states=added step />
                    <StateMatrix id="recall-replaced" name=Signal::derive(move || t_string!(i18n, recall.delta).to_owned()) states=replaced step />
                    <Reads recall added replaced step />
                </div>
            </Inspected>
            <Reading recall added replaced step />
        </section>
    }
}

/// Asks for the states of a rule.
fn written(recall: Memo<RecallView>, rule: StateRule) -> Asked<WrittenStates> {
    Lessons::expect().ask(
        move || Some(Question::WriteStates(Box::new(asked(&recall.get(), rule)))),
        |answer| match answer {
            Answer::WrittenStates(states) => Some((**states).clone()),
            _ => None,
        },
    )
}

/// The fifth pair, `β`, and the key that is asked for.
#[component]
fn WritingControls(recall: Memo<RecallView>) -> impl IntoView {
    let i18n = use_i18n();
    let update = updates();
    view! {
        <div class="position-controls">
            <Segmented
                label=Signal::derive(move || t_string!(i18n, recall.fifth).to_owned())
                options=Signal::derive(move || vec![
                    (Fifth::New, t_string!(i18n, recall.fifth_new).to_owned()),
                    (Fifth::Again, t_string!(i18n, recall.fifth_again).to_owned()),
                ])
                value=Signal::derive(move || recall.get().fifth)
                choose=move |fifth| update(&|view| view.fifth = fifth)
            />
            <Slider
                name=Signal::derive(move || t_string!(i18n, recall.strength).to_owned())
                test_id="recall-beta"
                range=RecallView::STRENGTHS
                value=Signal::derive(move || recall.get().strength)
                words=Signal::derive(move || decimal(recall.get().strength as f32 / 10.0, 1))
                set=move |strength| update(&|view| view.strength = strength)
            />
            <Select
                name=Signal::derive(move || t_string!(i18n, recall.query).to_owned())
                test_id="recall-query"
                options=Signal::derive(move || {
                    let names = key_names(i18n);
                    let keys = shown_keys(recall.get().fifth).into_iter();
                    keys.map(|key| names[key].clone()).collect::<Vec<_>>()
                })
                chosen=Signal::derive(move || {
                    let keys = shown_keys(recall.get().fifth);
                    keys.iter().position(|key| *key == asked_key(&recall.get())).unwrap_or_default()
                })
                choose=move |query| update(&|view| view.query = query)
            />
        </div>
    }
}

/// The matrix of a rule after the pair of the step.
#[component]
fn StateMatrix(
    id: &'static str,
    name: Signal<String>,
    states: Asked<WrittenStates>,
    step: Memo<usize>,
) -> impl IntoView {
    let i18n = use_i18n();
    let matrix = Memo::new(move |_| {
        let first = step.get() * WIDTH * WIDTH;
        let values = states.answer.with(|states| {
            let data = &states.as_ref()?.states.data;
            Some(data.get(first..first + WIDTH * WIDTH)?.to_vec())
        })?;
        Some(
            Matrix::new(values, WIDTH)
                .with_rows(key_names(i18n)[..WIDTH].to_vec())
                .with_columns(value_names(i18n).to_vec()),
        )
    });
    view! { <MatrixFigure id symbol="<math><mi>S</mi></math>" name matrix describe=numbers_described(matrix) /> }
}

/// Returns what the key reads after the pair of the step.
fn read_at(states: Asked<WrittenStates>, step: usize) -> Option<Vec<f32>> {
    states.answer.with(|states| {
        let row = states.as_ref()?.reads.row(&[step])?;
        Some(row.to_vec())
    })
}

/// The vectors that the chosen key reads from the matrices.
#[component]
fn Reads(
    recall: Memo<RecallView>,
    added: Asked<WrittenStates>,
    replaced: Asked<WrittenStates>,
    step: Memo<usize>,
) -> impl IntoView {
    let i18n = use_i18n();
    let matrix = Memo::new(move |_| {
        let rows = [read_at(added, step.get())?, read_at(replaced, step.get())?];
        let names = [
            t_string!(i18n, recall.linear).to_owned(),
            t_string!(i18n, recall.delta).to_owned(),
        ];
        Some(
            Matrix::new(rows.concat(), WIDTH)
                .with_rows(names.to_vec())
                .with_columns(value_names(i18n).to_vec()),
        )
    });
    let name = Signal::derive(move || {
        let key = key_names(i18n)[asked_key(&recall.get())].clone();
        t_string!(i18n, recall.read_by, key = key)
    });
    view! {
        <MatrixFigure
            id="recall-read"
            symbol="<math><mi mathvariant=\"bold\">z</mi></math>"
            name
            matrix
            describe=numbers_described(matrix)
        />
    }
}

/// The value that was shown last with the key, and its share in what is read.
#[component]
fn Reading(
    recall: Memo<RecallView>,
    added: Asked<WrittenStates>,
    replaced: Asked<WrittenStates>,
    step: Memo<usize>,
) -> impl IntoView {
    let i18n = use_i18n();
    let words = move || {
        let view = recall.get();
        let key = asked_key(&view);
        let name = key_names(i18n)[key].clone();
        let Some(value) = last_value(view.fifth, key, step.get() + 1) else {
            return Some(t_string!(i18n, recall.unwritten, key = name));
        };
        let of = |states| Some(decimal(*read_at(states, step.get())?.get(value)?, 3));
        Some(t_string!(
            i18n,
            recall.read,
            key = name,
            value = value_names(i18n)[value].clone(),
            added = of(added)?,
            replaced = of(replaced)?
        ))
    };
    view! { <p class="lesson-reading number" role="status" data-testid="recall-reading">{words}</p> }
}
