//! The parts of a logit, or of the difference of two, as signed bars with their sum.

use attention_figures::color::{css, css_gradient, diverging, diverging_legend_stops};
use attention_trace::{Attribution, LensQuestion, Part, Wanted};
use leptos::prelude::*;

use super::{
    context::{LensContext, parts},
    rows::{PartBar, PartRow, RowOf, Scales, rows},
};
use attention_core::{
    appearance::Appearance,
    engine::{LensRead, Live},
    i18n::{t, t_string, use_i18n},
    names::kind_name,
    problems::failure_words,
    state::HeadChoice,
    widgets::{
        ScrollRegion,
        numbers::{largest_difference, signed},
    },
};

/// Decimals of shares and of their sum.
const DECIMALS: usize = 2;
/// Decimals of the check of the sum.
const EXACT: usize = 4;

/// Returns the engine's decomposition of a number into parts.
pub fn parts_of(
    wanted: impl Fn() -> Option<Wanted> + Send + Sync + 'static,
) -> Memo<Option<LensRead>> {
    Live::expect().lens(move || wanted().map(LensQuestion::Parts))
}

/// The figure of a number's parts as bars.
#[component]
pub fn Parts(
    /// The name of the sum of the parts.
    #[prop(into)]
    name: Signal<String>,
    /// The `data-testid` of the figure.
    test_id: &'static str,
    /// The parts as the engine computed them.
    read: Memo<Option<LensRead>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let rows_now = move || match read.get() {
        None => view! { <p class="hint">{t!(i18n, chapters.waiting)}</p> }.into_any(),
        Some(Err(failure)) => view! {
            <p class="notice problem" role="alert">
                {move || failure_words(i18n, &failure)}
            </p>
        }
        .into_any(),
        Some(Ok(answer)) => {
            let attribution = parts(&answer).cloned();
            attribution
                .map(|attribution| view! { <Bars name test_id attribution /> })
                .into_any()
        }
    };
    view! {
        <figure class="lens-parts" data-testid=test_id>
            <figcaption>{name}</figcaption>
            {rows_now}
        </figure>
    }
}

#[component]
fn Bars(name: Signal<String>, test_id: &'static str, attribution: Attribution) -> impl IntoView {
    let i18n = use_i18n();
    let all = rows(&attribution);
    let scales = Scales::of(&all);
    let (sum, logit) = (attribution.sum(), attribution.logit);
    let check = move || {
        t_string!(
            i18n,
            lens.sum,
            sum = signed(sum, EXACT),
            logit = signed(logit, EXACT),
            difference = largest_difference(&[sum], &[logit])
        )
    };
    view! {
        <div class="lens-legends">
            <Legend
                of=Signal::derive(move || t_string!(i18n, lens.scale_heads).to_owned())
                scale=scales.heads
            />
            <Legend
                of=Signal::derive(move || t_string!(i18n, lens.scale_others).to_owned())
                scale=scales.others
            />
        </div>
        <ScrollRegion class="lesson-table" name=Signal::derive(move || {
            t_string!(i18n, lens.parts_of, name = name.get())
        })>
            <table class="lens-bars">
                <thead class="visually-hidden">
                    <tr>
                        <th scope="col">{t!(i18n, lens.part)}</th>
                        <th scope="col">{t!(i18n, lens.shares)}</th>
                        <th scope="col">{t!(i18n, lens.together)}</th>
                    </tr>
                </thead>
                <tbody>
                    {all.into_iter().map(|row| view! { <BarRow row scales /> }).collect_view()}
                </tbody>
            </table>
        </ScrollRegion>
        <p class="lesson-reading number" data-testid=format!("{test_id}-sum")>{check}</p>
    }
}

/// The legend of the colours, which repeat the sign and the side of the line.
#[component]
fn Legend(
    /// The name of the parts whose bars the legend describes.
    of: Signal<String>,
    /// The magnitude of the largest bar.
    scale: f32,
) -> impl IntoView {
    let appearance = Appearance::expect();
    let gradient = move || {
        let stops = diverging_legend_stops(17, appearance.get());
        format!("background: {}", css_gradient(&stops))
    };
    view! {
        <div class="legend" aria-hidden="true">
            <span>{of}</span>
            <span class="legend-end">{signed(-scale, DECIMALS)}</span>
            <span class="legend-scale" style=gradient></span>
            <span class="legend-end">{signed(scale, DECIMALS)}</span>
        </div>
    }
}

#[component]
fn BarRow(row: PartRow, scales: Scales) -> impl IntoView {
    let (sum, scale) = (row.sum(), scales.of_row(&row));
    let is_flat = row.is_flat(scale);
    let of = row.of;
    let bars = row.bars.into_iter();
    view! {
        <tr>
            <th scope="row"><RowName of /></th>
            <td class="lens-bar-cell">
                <div class="lens-bar-row" class:is-flat=is_flat>
                    {bars.map(|bar| view! { <OneBar bar scale /> }).collect_view()}
                </div>
            </td>
            <td class="number lens-row-sum">{signed(sum, DECIMALS)}</td>
        </tr>
    }
}

#[component]
fn RowName(of: RowOf) -> impl IntoView {
    let i18n = use_i18n();
    let kind = kind_name();
    move || match of {
        RowOf::Embedding => t_string!(i18n, lens.embedding).to_owned(),
        RowOf::Heads(attention) => t_string!(
            i18n,
            lens.heads_row,
            layer = attention.layer + 1,
            kind = kind(attention.kind)
        ),
        RowOf::FeedForward(layer) => t_string!(i18n, lens.feed_forward, layer = layer + 1),
        RowOf::Biases => t_string!(i18n, lens.biases).to_owned(),
    }
}

/// A bar above or below the line, with its number. The bar of a head is a button.
#[component]
fn OneBar(bar: PartBar, scale: f32) -> impl IntoView {
    let i18n = use_i18n();
    let context = LensContext::expect();
    let appearance = Appearance::expect();
    let PartBar { part, value } = bar;
    let style = move || {
        let share = value / scale;
        let color = css(diverging(share, appearance.get()));
        format!("--share: {:.4}; background: {color}", share.abs())
    };
    let short = move || match part {
        Some(Part::Head { head, .. }) => (head + 1).to_string(),
        Some(Part::Token) => t_string!(i18n, lens.token).to_owned(),
        Some(Part::Position) => t_string!(i18n, lens.position).to_owned(),
        _ => String::new(),
    };
    let is_negative = value < 0.0;
    let drawing = move || {
        view! {
            <span class="lens-bar-name">{short}</span>
            <span class="lens-bar-room" class:is-negative=is_negative aria-hidden="true">
                <span class="lens-bar" style=style></span>
            </span>
            <span class="lens-bar-value number">{signed(value, DECIMALS)}</span>
        }
    };
    let Some(Part::Head { attention, head }) = part else {
        return view! { <span class="lens-one">{drawing()}</span> }.into_any();
    };
    let choice = HeadChoice { attention, head };
    let is_chosen = Memo::new(move |_| context.head.get() == Some(choice));
    view! {
        <button
            type="button"
            class="lens-one"
            data-testid="lens-head"
            data-head=choice.to_string()
            aria-pressed=move || is_chosen.get().to_string()
            aria-label=move || t_string!(
                i18n,
                lens.head_adds,
                head = head + 1,
                value = signed(value, DECIMALS)
            )
            on:click=move |_| context.toggle_head(choice)
        >
            {drawing()}
        </button>
    }
    .into_any()
}
