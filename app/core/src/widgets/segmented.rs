//! A choice among few, all visible.

use leptos::prelude::*;

use crate::state::AddressValue;

/// Buttons side by side, the chosen one pressed. `data-choice` carries the choice's address value.
#[component]
pub fn Segmented<T>(
    /// The accessible name of the choice.
    #[prop(into)]
    label: Signal<String>,
    /// The choices and their names.
    #[prop(into)]
    options: Signal<Vec<(T, String)>>,
    /// The choice in effect.
    #[prop(into)]
    value: Signal<T>,
    /// Called with a new choice.
    choose: impl Fn(T) + Copy + Send + Sync + 'static,
) -> impl IntoView
where
    T: AddressValue + Send + Sync,
{
    let button = move |(choice, name): (T, String)| {
        view! {
            <button
                type="button"
                data-choice=choice.address_value()
                aria-pressed=move || (value.get() == choice).to_string()
                on:click=move |_| choose(choice)
            >
                {name}
            </button>
        }
    };
    view! {
        <div class="segmented" role="group" aria-label=label>
            {move || options.get().into_iter().map(button).collect_view()}
        </div>
    }
}
