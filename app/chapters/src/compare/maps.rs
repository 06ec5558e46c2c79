//! Both maps and what lies between them: the same axes, one cursor.

use crate::compare::parameters::{Compare, Compared};
use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    names::head_name,
    state::ViewState,
    widgets::{Check, DivergingLegend},
};
use attention_figures::{
    color::{css_gradient, legend_stops},
    difference,
    heatmap::Scale,
};
use leptos::prelude::*;

use super::{
    axes::Side,
    context::Comparison,
    export::MapButton,
    map::{Map, Shows},
    models::model_names,
    precisions::file_names,
};

/// All three, with their legends.
#[component]
pub fn ThreeMaps() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let comparison = Comparison::expect();
    let own_scale = state.select(|view| view.chapters.of::<Compare>().own_scale);
    let scale = Signal::derive(move || match own_scale.get() {
        true => Scale::PerMap,
        false => Scale::Absolute,
    });
    let limit = Signal::derive(move || {
        comparison.maps.with(|maps| {
            maps.as_ref()
                .map_or(1.0, |maps| difference::limit(&maps.between, scale.get()))
        })
    });
    let sides = [heading(Side::Left), heading(Side::Right)];
    let [left, right] = sides;
    let difference = Signal::derive(move || t_string!(i18n, compare.difference).to_owned());
    view! {
        <div class="compare-maps">
            <figure class="compare-figure">
                <Caption side=Side::Left title=left>
                    <MapButton shows=Shows::Weights(Side::Left) scale name=left sides />
                </Caption>
                <WeightLegend />
                <Map shows=Shows::Weights(Side::Left) scale />
            </figure>
            <figure class="compare-figure">
                <Caption side=Side::Right title=right>
                    <MapButton shows=Shows::Weights(Side::Right) scale name=right sides />
                </Caption>
                <WeightLegend />
                <Map shows=Shows::Weights(Side::Right) scale />
            </figure>
            <figure class="compare-figure">
                <figcaption class="compare-caption">
                    <div class="figure-name">
                        <h3 class="panel-title">{difference}</h3>
                        <MapButton shows=Shows::Difference scale name=difference sides />
                    </div>
                    <p class="hint">{t!(i18n, compare.difference_hint)}</p>
                </figcaption>
                <div class="compare-scale">
                    <DivergingLegend limit />
                    <Check
                        name=Signal::derive(move || t_string!(i18n, compare.own_scale).to_owned())
                        test_id="compare-scaled"
                        on=own_scale
                        set=move |on| state.update_chapters(|chapters| chapters.of_mut::<Compare>().own_scale = on)
                    />
                </div>
                <Map shows=Shows::Difference scale />
            </figure>
        </div>
    }
}

/// Returns the heading of a side: its text or model, or which side it is.
fn heading(side: Side) -> Signal<String> {
    let i18n = use_i18n();
    let comparison = Comparison::expect();
    let [left_model, right_model] = model_names(comparison);
    let [left_file, right_file] = file_names(comparison);
    let reads = move || match side {
        Side::Left => comparison.shown.get().map(|job| job.reads),
        Side::Right => comparison.second?.shown().map(|job| job.reads),
    };
    Signal::derive(move || match (comparison.of, side) {
        (Compared::Heads, Side::Left) => t_string!(i18n, compare.left).to_owned(),
        (Compared::Heads, Side::Right) => t_string!(i18n, compare.right).to_owned(),
        (Compared::Texts, _) => reads().unwrap_or_default(),
        (Compared::Models, Side::Left) => left_model.get().unwrap_or_default(),
        (Compared::Models, Side::Right) => right_model.get().unwrap_or_default(),
        (Compared::Precisions, Side::Left) => left_file.get().unwrap_or_default(),
        (Compared::Precisions, Side::Right) => right_file.get().unwrap_or_default(),
        (Compared::Edits, Side::Left) => t_string!(i18n, compare.before).to_owned(),
        (Compared::Edits, Side::Right) => t_string!(i18n, compare.after).to_owned(),
    })
}

/// The caption of a side: its heading with the button of its menu, and its head.
#[component]
fn Caption(side: Side, title: Signal<String>, children: Children) -> impl IntoView {
    let comparison = Comparison::expect();
    let head = head_name();
    let head = move || comparison.head(side).map(|it| head(it.attention, it.head));
    view! {
        <figcaption class="compare-caption">
            <div class="figure-name">
                <h3 class="panel-title">{title}</h3>
                {children()}
            </div>
            <p class="hint">{head}</p>
        </figcaption>
    }
}

/// The colour scale of weights.
#[component]
fn WeightLegend() -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let gradient = move || {
        let stops = legend_stops(16, appearance.get());
        format!("background: {}", css_gradient(&stops))
    };
    view! {
        <div class="legend">
            <span class="legend-name">{t!(i18n, heads.weight)}</span>
            <span class="legend-end">"0"</span>
            <span class="legend-scale" style=gradient></span>
            <span class="legend-end">"1"</span>
        </div>
    }
}
