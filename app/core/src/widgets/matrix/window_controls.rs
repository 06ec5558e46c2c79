//! The line below a large matrix that says which part is shown, with buttons to the others.

use leptos::prelude::*;

use super::{figure::Figure, window::Axis};
use crate::i18n::{t_string, use_i18n};

/// Shows the range of a large matrix that is in view, with buttons to the others.
#[component]
pub(super) fn WindowControls(figure: Figure) -> impl IntoView {
    view! {
        <div class="matrix-windows">
            <AxisControls figure axis=Axis::Rows />
            <AxisControls figure axis=Axis::Columns />
        </div>
    }
}

#[component]
fn AxisControls(figure: Figure, axis: Axis) -> impl IntoView {
    let i18n = use_i18n();
    // What is shown of how many; `None` where that is all.
    let part = Memo::new(move |_| {
        let window = figure.sight.window()?;
        let (range, count) = figure.matrix.with(|matrix| {
            let matrix = matrix.as_ref()?;
            Some(match axis {
                Axis::Rows => (window.rows, matrix.rows()),
                Axis::Columns => (window.columns, matrix.columns),
            })
        })?;
        (range.len() < count).then_some((range, count))
    });
    move || {
        let (range, count) = part.get()?;
        let (from, to) = (range.start + 1, range.end);
        let words = match axis {
            Axis::Rows => {
                t_string!(
                    i18n,
                    chapters.rows_window,
                    from = from,
                    to = to,
                    count = count
                )
            }
            Axis::Columns => {
                t_string!(
                    i18n,
                    chapters.columns_window,
                    from = from,
                    to = to,
                    count = count
                )
            }
        };
        let go = move |start: usize| figure.sight.begin(axis, start);
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
    }
}
