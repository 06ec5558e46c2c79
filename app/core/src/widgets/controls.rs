//! Controls that several views use.

use leptos::prelude::*;

/// A slider with its name and its value in words.
#[component]
pub fn Slider(
    /// The name of the setting.
    #[prop(into)]
    name: Signal<String>,
    /// The `data-testid` of the element.
    test_id: &'static str,
    /// The smallest and the largest value.
    #[prop(into)]
    range: Signal<(usize, usize)>,
    /// From one value to the next.
    #[prop(default = 1)]
    step: usize,
    #[prop(into)] value: Signal<usize>,
    /// The value as the visitor reads it.
    #[prop(into)]
    words: Signal<String>,
    /// Called with a new value.
    set: impl Fn(usize) + Send + Sync + 'static,
) -> impl IntoView {
    view! {
        <label class="slider">
            <span class="slider-name">{name}</span>
            <output class="slider-value number">{words}</output>
            <input
                type="range"
                data-testid=test_id
                min=move || range.get().0
                max=move || range.get().1
                step=step
                prop:value=move || value.get()
                aria-valuetext=words
                on:input:target=move |event| {
                    if let Ok(value) = event.target().value().parse() {
                        set(value);
                    }
                }
            />
        </label>
    }
}

/// A whole number that is typed, within bounds.
#[component]
pub fn NumberField(
    /// The name of the setting.
    #[prop(into)]
    name: Signal<String>,
    /// The `data-testid` of the element.
    test_id: &'static str,
    /// The smallest and the largest value.
    bounds: (u64, u64),
    #[prop(into)] value: Signal<u64>,
    /// Called with a new value.
    set: impl Fn(u64) + Send + Sync + 'static,
) -> impl IntoView {
    let (low, high) = bounds;
    view! {
        <label class="number-field">
            <span>{name}</span>
            <input
                type="number"
                class="number"
                style=format!("--digits: {}", high.max(low).to_string().len())
                data-testid=test_id
                min=low
                max=high
                step="1"
                prop:value=move || value.get().to_string()
                on:change:target=move |event| {
                    if let Ok(typed) = event.target().value().parse::<f64>() {
                        set((typed.round() as u64).clamp(low, high));
                    }
                    // Input that is not a number is discarded: the field shows the current value again.
                    event.target().set_value(&value.get_untracked().to_string());
                }
            />
        </label>
    }
}

/// A choice among named things. Its element stays when another thing, or another list of them, takes
/// effect, and with it the keyboard's focus.
#[component]
pub fn Select(
    /// The name of the choice.
    #[prop(into)]
    name: Signal<String>,
    /// The `data-testid` of the element.
    test_id: &'static str,
    #[prop(into)] options: Signal<Vec<String>>,
    /// The index of the one in effect.
    #[prop(into)]
    chosen: Signal<usize>,
    /// Called with the index of a new one.
    choose: impl Fn(usize) + Send + Sync + 'static,
) -> impl IntoView {
    let options = Memo::new(move |_| options.get());
    view! {
        <label class="number-field">
            <span>{name}</span>
            <select
                data-testid=test_id
                on:change:target=move |event| {
                    if let Ok(index) = event.target().value().parse() {
                        choose(index);
                    }
                }
            >
                {move || options
                    .get()
                    .into_iter()
                    .enumerate()
                    .map(|(index, name)| view! {
                        <option value=index prop:selected=move || index == chosen.get()>{name}</option>
                    })
                    .collect_view()}
            </select>
        </label>
    }
}

/// Something that is on or off.
#[component]
pub fn Check(
    /// The name of the setting.
    #[prop(into)]
    name: Signal<String>,
    /// The `data-testid` of the element.
    test_id: &'static str,
    /// True while the setting is on.
    #[prop(into)]
    on: Signal<bool>,
    /// Called when it is switched.
    set: impl Fn(bool) + Send + Sync + 'static,
) -> impl IntoView {
    view! {
        <label class="check">
            <input
                type="checkbox"
                data-testid=test_id
                prop:checked=on
                on:change:target=move |event| set(event.target().checked())
            />
            <span>{name}</span>
        </label>
    }
}
