//! Which part of a large matrix is shown.

use leptos::prelude::*;

use super::Figure;
use crate::i18n::{t_string, use_i18n};

/// Which part of a large matrix is shown, and the way to the others.
#[component]
pub(super) fn WindowControls(figure: Figure) -> impl IntoView {
    let i18n = use_i18n();
    let axis = move |columns: bool| {
        let window = figure.window()?;
        let (range, length) = figure.matrix.with(|matrix| {
            let matrix = matrix.as_ref()?;
            Some(match columns {
                true => (window.columns, matrix.columns),
                false => (window.rows, matrix.rows()),
            })
        })?;
        (range.len() < length).then_some((range, length))
    };
    let controls = move |columns: bool| {
        let (range, count) = axis(columns)?;
        let (from, to) = (range.start + 1, range.end);
        let words = if columns {
            t_string!(
                i18n,
                chapters.columns_window,
                from = from,
                to = to,
                count = count
            )
        } else {
            t_string!(
                i18n,
                chapters.rows_window,
                from = from,
                to = to,
                count = count
            )
        };
        let go = move |start: usize| {
            figure.origin.update(|(row, column)| {
                *(if columns { column } else { row }) = start;
            });
        };
        let (earlier, later) = (range.start.saturating_sub(range.len()), range.end);
        let (at_start, at_end) = (range.start == 0, range.end == count);
        Some(view! {
            <p class="matrix-window hint">
                <button
                    type="button"
                    class="window-button"
                    aria-disabled=at_start.to_string()
                    aria-label=t_string!(i18n, chapters.earlier)
                    on:click=move |_| go(earlier)
                >
                    "‹"
                </button>
                <span class="number">{words}</span>
                <button
                    type="button"
                    class="window-button"
                    aria-disabled=at_end.to_string()
                    aria-label=t_string!(i18n, chapters.later)
                    on:click=move |_| if !at_end { go(later) }
                >
                    "›"
                </button>
            </p>
        })
    };
    view! {
        <div class="matrix-windows">
            {move || controls(false)}
            {move || controls(true)}
        </div>
    }
}
