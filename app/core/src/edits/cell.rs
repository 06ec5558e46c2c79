//! The editor of the weight in the locked cell.

use leptos::{ev::MouseEvent, prelude::*};

use super::{
    control::{EditControl, Refused},
    keys::{FORBID_KEY, PIN_KEY},
    refusal::RefusalNote,
};
use crate::{
    i18n::{t, t_string, use_i18n},
    state::{GivenEdit, GivenWeight, ViewState, WeightPlace},
    widgets::numbers::decimal,
};

/// Gives the weight of a cell: by a slider, a number, or all and nothing.
#[component]
pub fn CellEditor(
    /// The cell; nothing is shown without one.
    #[prop(into)]
    place: Signal<Option<WeightPlace>>,
    /// Its weight in the result on screen.
    #[prop(into)]
    weight: Signal<Option<f32>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let weights = ViewState::expect().select(|view| view.edits.weights());
    let given = Memo::new(move |_| {
        let place = place.get()?;
        let weights = weights.read();
        let mut at = weights.iter().filter(|given| given.place == place);
        at.next().map(|given| given.thousandths)
    });
    let shown = Memo::new(move |_| {
        let computed =
            || (weight.get().unwrap_or(0.0) * f32::from(GivenWeight::ONE)).round() as u16;
        given.get().unwrap_or_else(computed)
    });
    // What is left for the row's other keys.
    let rest = Memo::new(move |_| {
        let place = place.get()?;
        given.get()?;
        let weights = weights.read();
        let of_row = weights
            .iter()
            .filter(|it| (it.place.head, it.place.query) == (place.head, place.query));
        let sum: u32 = of_row.map(|it| u32::from(it.thousandths)).sum();
        Some(spelled(
            u32::from(GivenWeight::ONE).saturating_sub(sum) as u16
        ))
    });
    view! {
        <fieldset
            class="cell-editor"
            class:is-hidden=move || place.get().is_none()
            data-testid="cell-editor"
        >
            <legend>{t!(i18n, edits.cell)}</legend>
            <WeightFields place shown />
            <Buttons place given />
            <p class="hint" data-testid="row-rule" role="status">
                {move || match rest.get() {
                    Some(rest) => t_string!(i18n, edits.row_rule, rest = rest),
                    None => t_string!(i18n, edits.row_own).to_owned(),
                }}
            </p>
            <RefusalNote is_meant=move |refused: &Refused| {
                place.get().is_some_and(|place| is_at(refused, place))
            } />
        </fieldset>
    }
}

/// True if an edit was refused at a place, or at its key in all rows.
fn is_at(refused: &Refused, place: WeightPlace) -> bool {
    let GivenEdit::Weight(GivenWeight { place: at, .. }) = refused.edit else {
        return false;
    };
    let has_query = at.query.is_none_or(|query| place.query == Some(query));
    (at.head, at.key) == (place.head, place.key) && has_query
}

/// The slider, and the number beside it.
#[component]
fn WeightFields(place: Signal<Option<WeightPlace>>, shown: Memo<u16>) -> impl IntoView {
    let i18n = use_i18n();
    let control = EditControl::expect();
    // What the slider says while it is dragged.
    let dragged = RwSignal::new(None);
    let value = move || dragged.get().unwrap_or(shown.get());
    view! {
        <div class="cell-weight">
            <input
                type="range"
                data-testid="cell-slider"
                aria-label=move || t_string!(i18n, edits.cell_weight)
                min=0
                max=GivenWeight::ONE
                prop:value=value
                aria-valuetext=move || spelled(value())
                on:input:target=move |event| dragged.set(event.target().value().parse().ok())
                on:change:target=move |event| {
                    dragged.set(None);
                    let thousandths = event.target().value().parse();
                    if let (Some(place), Ok(thousandths)) = (place.get_untracked(), thousandths) {
                        control.give(place.given(thousandths));
                    }
                    event.target().set_value(&shown.get_untracked().to_string());
                }
            />
            <input
                type="text"
                inputmode="decimal"
                class="text-field number"
                data-testid="cell-number"
                aria-label=move || t_string!(i18n, edits.cell_weight)
                prop:value=move || spelled(value())
                on:change:target=move |event| {
                    if let Some(place) = place.get_untracked() {
                        control.give_typed(place, &event.target().value());
                    }
                    // What was refused is discarded: the field shows the weight in effect again.
                    event.target().set_value(&spelled(shown.get_untracked()));
                }
            />
        </div>
    }
}

/// All of the row's weight here, nothing here, nothing here in any row, and the model's own weight.
#[component]
fn Buttons(place: Signal<Option<WeightPlace>>, given: Memo<Option<u16>>) -> impl IntoView {
    let i18n = use_i18n();
    let control = EditControl::expect();
    let act = move |act: fn(EditControl, WeightPlace)| {
        move |_: MouseEvent| {
            if let Some(place) = place.get_untracked() {
                act(control, place);
            }
        }
    };
    view! {
        <div class="cell-buttons">
            <button
                type="button"
                class="plain-button"
                data-testid="pin"
                aria-keyshortcuts=PIN_KEY
                title=move || t_string!(i18n, edits.pin_hint)
                on:click=act(EditControl::pin)
            >
                {t!(i18n, edits.pin)}
            </button>
            <button
                type="button"
                class="plain-button"
                data-testid="forbid"
                aria-keyshortcuts=FORBID_KEY
                title=move || t_string!(i18n, edits.forbid_hint)
                on:click=act(EditControl::forbid)
            >
                {t!(i18n, edits.forbid)}
            </button>
            <button
                type="button"
                class="plain-button"
                data-testid="forbid-all"
                title=move || t_string!(i18n, edits.forbid_all_hint)
                on:click=act(EditControl::forbid_for_all)
            >
                {t!(i18n, edits.forbid_all)}
            </button>
            <button
                type="button"
                class="plain-button"
                data-testid="release-weight"
                aria-keyshortcuts="Delete"
                aria-disabled=move || given.get().is_none().to_string()
                on:click=act(EditControl::release)
            >
                {t!(i18n, edits.release)}
            </button>
        </div>
    }
}

/// A weight in thousandths as it is written.
pub fn spelled(thousandths: u16) -> String {
    decimal(f32::from(thousandths) / f32::from(GivenWeight::ONE), 3)
}
