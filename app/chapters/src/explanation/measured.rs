//! Every head by itself: how much of its weight moves, and what becomes of the text.

use crate::explanation::parameters::Explanation;
use attention_core::{
    appearance::Appearance,
    edits::{ImportanceProgress, signed},
    engine::{Importance, Live, Probe},
    i18n::{t, t_string, use_i18n},
    names::{head_name, kind_name},
    selection::Chosen,
    state::{HeadChoice, ViewState},
    widgets::{ScatterFigure, ScrollRegion, numbers::share_of_one},
};
use attention_figures::{color::categorical, scatter::Dot};
use attention_trace::AttentionKind;
use leptos::prelude::*;

use super::{
    controls::new_weights,
    moved::moved,
    rows::{Row, rows, small},
};

/// Dots whose change is a larger part of the largest one bear their names.
const NAMED: f32 = 0.25;

/// The switch, the progress, a dot and a row for each head.
#[component]
pub fn EveryHead(
    /// The head in sight.
    chosen: Memo<Option<Chosen>>,
    /// The settings of the controls.
    asked: Memo<Explanation>,
) -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let weights = Signal::derive(move || new_weights(asked.get()));
    let probe = Memo::new(move |_| Probe::Reweighed(weights.get()));
    let is_on = Memo::new(move |_| asked.get().measures);
    let wanted = Memo::new(move |_| is_on.get().then_some(probe.get()));
    measure(live, wanted);
    let importance: Memo<Option<Importance>> = Memo::new(move |_| {
        let probe = probe.get();
        live.select_now(|engine| engine.importance(probe))
    });
    let moved = moved(weights);
    let listed = Memo::new(move |_| {
        let importance = importance.read();
        let known = importance.as_ref();
        known
            .map(|known| rows(known, &moved.read()))
            .unwrap_or_default()
    });
    view! {
        <p>
            <button
                type="button"
                class="plain-button"
                data-testid="every-head"
                aria-pressed=move || is_on.get().to_string()
                on:click=move |_| state.update_chapters(|chapters| {
                    chapters.of_mut::<Explanation>().measures ^= true;
                })
            >
                {t!(i18n, explanation.every_head)}
            </button>
        </p>
        <Show when=move || is_on.get()>
            <ImportanceProgress probe importance />
            <Summary listed />
            <Dots listed chosen />
            <Table listed />
        </Show>
    }
}

/// Has the engine try every head as long as that is wanted and the chapter is open.
fn measure(live: Live, wanted: Memo<Option<Probe>>) {
    // An effect because the engine lies outside the reactive graph.
    Effect::new(move |before: Option<Option<Probe>>| {
        let now = wanted.get();
        if let Some(probe) = now {
            live.measure(probe, true);
        }
        if let Some(probe) = before.flatten().filter(|before| now != Some(*before)) {
            live.measure(probe, false);
        }
        now
    });
    on_cleanup(move || {
        if let Some(probe) = wanted.try_get_untracked().flatten() {
            live.measure(probe, false);
        }
    });
}

/// A sentence with the number of heads whose weights move while the text hardly becomes less probable.
#[component]
fn Summary(listed: Memo<Vec<Row>>) -> impl IntoView {
    let i18n = use_i18n();
    let words = move || {
        let listed = listed.read();
        let (count, heads) = (small(&listed), listed.len());
        match count {
            _ if heads == 0 => String::new(),
            (small, Some(moved)) => t_string!(
                i18n,
                explanation.small_changes,
                small = small,
                heads = heads,
                moved = share_of_one(moved, 2)
            ),
            (small, None) => {
                t_string!(i18n, explanation.small_count, small = small, heads = heads)
            }
        }
    };
    view! { <p class="lesson-reading" data-testid="explained-summary">{words}</p> }
}

/// A dot for each head: how much of its weight moves, and by how much the text's `log p` changes.
#[component]
fn Dots(listed: Memo<Vec<Row>>, chosen: Memo<Option<Chosen>>) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let dots = Memo::new(move |_| {
        let theme = appearance.get();
        let listed = listed.read();
        let largest = listed.first().map_or(0.0, |row| row.change.abs());
        let chosen = chosen.get().map(|chosen| chosen.head);
        let dot = |row: &Row| {
            let is_chosen = chosen == Some(row.head);
            let is_named = is_chosen || row.change.abs() > NAMED * largest;
            Some(Dot {
                at: [row.moved?, row.change.abs()],
                label: if is_named {
                    short(row.head)
                } else {
                    String::new()
                },
                color: categorical(place_of(row.head.attention.kind), theme),
                is_chosen,
            })
        };
        listed.iter().filter_map(dot).collect::<Vec<_>>()
    });
    let axes = Signal::derive(move || {
        [
            t_string!(i18n, explanation.moved).to_owned(),
            t_string!(i18n, explanation.size_of_change).to_owned(),
        ]
    });
    let name = Signal::derive(move || t_string!(i18n, explanation.dots).to_owned());
    view! {
        <ScatterFigure name test_id="explained-dots" axes dots />
        <p class="hint">{t!(i18n, explanation.dots_hint)}</p>
    }
}

fn place_of(kind: AttentionKind) -> usize {
    let place = AttentionKind::ALL.iter().position(|&other| other == kind);
    place.unwrap_or_default()
}

/// Returns layer and head, both counted from 1, as `2.3`.
fn short(head: HeadChoice) -> String {
    format!("{}.{}", head.attention.layer + 1, head.head + 1)
}

/// The numbers; a click on a head chooses it.
#[component]
fn Table(listed: Memo<Vec<Row>>) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let (name, kind) = (head_name(), kind_name());
    let row = move |row: Row| {
        let head = row.head;
        let full = move || name(head.attention, head.head);
        view! {
            <tr data-testid="explained-head" data-head=head.to_string()>
                <th scope="row">
                    <button
                        type="button"
                        class="chip"
                        aria-label=full
                        on:click=move |_| state.update(|view| view.use_head(head))
                    >
                        {short(head)}
                    </button>
                </th>
                <td>{move || kind(head.attention.kind)}</td>
                <td class="number">{row.moved.map(|moved| share_of_one(moved, 2))}</td>
                <td class="number">{signed(row.change)}</td>
            </tr>
        }
    };
    let rows = move || listed.get().into_iter().map(row).collect_view();
    view! {
        <ScrollRegion
            class="lesson-table is-long"
            test_id="explained-table"
            name=Signal::derive(move || t_string!(i18n, explanation.table).to_owned())
        >
            <table>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, explanation.head)}</th>
                        <th scope="col">{t!(i18n, heads.kind)}</th>
                        <th scope="col">{t!(i18n, explanation.moved)}</th>
                        <th scope="col">"Δ Σ log p " {t!(i18n, edits.changes_in_nats)}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </ScrollRegion>
    }
}
