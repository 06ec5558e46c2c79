//! Shares of the parameters: a bar, and the same as a table.

use attention_figures::{
    color::{categorical, css},
    export::{Content, Shares},
    stacked::{Segment, percent, shares, stacked},
};
use attention_trace::config::Part;
use leptos::{html, prelude::*};
use leptos_i18n::I18nContext;

use super::{SizesSelection, form::name};
use attention_core::{
    appearance::Appearance,
    i18n::{Locale, t, t_string, use_i18n},
    widgets::{
        FigureButton, ScrollRegion, Taken,
        numbers::{grouped, per_cent_sign, prefixed},
        observed_width,
    },
};

/// The total, beside the published one; the bar; the table.
#[component]
pub fn ParametersSection(selection: SizesSelection) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let parameters = Memo::new(move |_| selection.valid().map(|config| config.parameters()));
    let segments = Memo::new(move |_| {
        let (parameters, theme) = (parameters.get()?, appearance.get());
        let segment = |(index, part): (usize, Part)| Segment {
            label: part_name(i18n, part),
            value: parameters.of(part) as f64,
            color: categorical(index, theme),
        };
        Some(
            Part::ALL
                .into_iter()
                .enumerate()
                .map(segment)
                .collect::<Vec<_>>(),
        )
    });
    let total = move || {
        let total = parameters.get()?.total();
        let short = prefixed(total as f64);
        Some(format!("{} ≈ {short}", grouped(total)))
    };
    let published = move || {
        let preset = selection.sizes.get().preset()?;
        let published = grouped(preset.published()?);
        let name = name(i18n, preset);
        Some(t_string!(
            i18n,
            sizes.published,
            name = name,
            count = published
        ))
    };
    let name = Signal::derive(move || t_string!(i18n, sizes.where_parameters).to_owned());
    let unit = Signal::derive(move || t_string!(i18n, sizes.parameters).to_owned());
    view! {
        <section class="lesson-figure" data-testid="sizes-parameters">
            <p class="size-total">
                {t!(i18n, sizes.parameters)} " "
                <strong class="number" data-testid="sizes-total">{total}</strong>
                " " <span class="hint" data-testid="sizes-published">{published}</span>
            </p>
            <SharedBar name unit segments />
            <SharesTable
                name
                unit
                test_id="sizes-parts"
                segments
                write=|value| grouped(value as u64)
            />
        </section>
    }
}

fn part_name(i18n: I18nContext<Locale>, part: Part) -> String {
    match part {
        Part::Embedding => t_string!(i18n, sizes.embedding),
        Part::Positions => t_string!(i18n, sizes.positions),
        Part::Attention => t_string!(i18n, sizes.attention),
        Part::FeedForward => t_string!(i18n, sizes.feed_forward),
        Part::Norms => t_string!(i18n, sizes.norms),
        Part::Output => t_string!(i18n, sizes.output),
    }
    .to_owned()
}

/// A whole and its parts. The table beside it gives the same numbers to screen readers.
#[component]
pub fn SharedBar(
    /// The name of the bar.
    name: Signal<String>,
    /// The unit of the numbers.
    unit: Signal<String>,
    /// The parts of the bar.
    segments: Memo<Option<Vec<Segment>>>,
) -> impl IntoView {
    let appearance = Appearance::expect();
    let room = NodeRef::<html::Div>::new();
    let width = observed_width(room);
    let drawing = move || {
        let draw = |segments: &Vec<Segment>| {
            stacked(
                width.get() / appearance.enlargement(),
                segments,
                appearance.get(),
                per_cent_sign(),
            )
        };
        segments.with(|segments| segments.as_ref().map(draw).unwrap_or_default())
    };
    let take = move || {
        let parts = segments.get()?.into_iter();
        let content = Content::Shares(Shares {
            unit: unit.get(),
            parts: parts.filter(|part| part.value > 0.0).collect(),
            per_cent: per_cent_sign().to_owned(),
        });
        Some(Taken::new(name.get(), content))
    };
    view! {
        <div class="figure-beside">
            <div class="bar-figure" node_ref=room aria-hidden="true" inner_html=drawing></div>
            <FigureButton name take />
        </div>
    }
}

/// The parts and their shares in numbers; parts that are nothing are left out.
#[component]
pub fn SharesTable(
    /// The name of the bar.
    name: Signal<String>,
    /// The unit of the numbers.
    unit: Signal<String>,
    /// The `data-testid` of the bar.
    test_id: &'static str,
    /// The parts of the bar.
    segments: Memo<Option<Vec<Segment>>>,
    /// A part's number as it is read.
    write: fn(f64) -> String,
) -> impl IntoView {
    let i18n = use_i18n();
    let rows = move || {
        let segments = segments.get()?;
        let shares = shares(&segments);
        let rows = segments.into_iter().zip(shares);
        let rows = rows.filter(|(segment, _)| segment.value > 0.0);
        let row = move |(segment, share): (Segment, f64)| {
            let swatch = format!("background: {}", css(segment.color));
            view! {
                <tr>
                    <th scope="row">
                        <span class="reading-swatch" style=swatch></span> {segment.label}
                    </th>
                    <td class="number">{write(segment.value)}</td>
                    <td class="number">{percent(share, per_cent_sign())}</td>
                </tr>
            }
        };
        Some(rows.map(row).collect_view())
    };
    view! {
        <ScrollRegion class="lesson-table" test_id name>
            <table aria-label=name>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, sizes.part)}</th>
                        <th scope="col">{unit}</th>
                        <th scope="col">{t!(i18n, sizes.share)}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </ScrollRegion>
    }
}
