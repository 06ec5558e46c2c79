//! Plots on the page: how wide they are drawn, and what stands for one that fails.

use attention_figures::plot::PlotError;
use attention_protocol::OrLogged;
use leptos::{html, prelude::*};
use leptos_i18n::I18nContext;

use super::observed_width;
use crate::{
    appearance::Appearance,
    i18n::{Locale, t_string},
};

/// Returns the width in CSS pixels for a drawing that fills its place. The style sheet scales the drawing to its place:
/// one that is made narrower has larger type.
pub fn drawing_width(room: NodeRef<html::Div>, appearance: Appearance) -> Signal<f64> {
    let width = observed_width(room);
    Signal::derive(move || width.get() / appearance.enlargement())
}

/// The drawing, or words in its place. The error goes to the console.
pub fn drawn(i18n: I18nContext<Locale>, drawing: Result<String, PlotError>) -> String {
    let not_drawn = || t_string!(i18n, positions.not_drawn).to_owned();
    drawing
        .or_logged("drawing a plot")
        .unwrap_or_else(not_drawn)
}
