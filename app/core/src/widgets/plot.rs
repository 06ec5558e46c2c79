//! A plot with title, explanation and a readout of the values under the pointer.

use attention_figures::{
    color,
    export::{Content, Curves},
    plot::{self, Axis, Curve, Frame},
};
use leptos::{
    ev::{KeyboardEvent, MouseEvent},
    html,
    prelude::*,
};

use super::{
    FigureButton, KeyHint, Taken,
    drawing::{drawing_width, drawn},
    numbers::decimal,
    pointer_in,
};
use crate::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
};

/// The data of a plot; its `x` counts 0, 1, 2, …. A curve may begin later, end earlier, and have points at some of them
/// alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// The horizontal axis of the plot.
    pub x: Axis,
    /// The vertical axis of the plot.
    pub y: Axis,
    /// The curves; the readout names those that the legend names.
    pub curves: Vec<Curve>,
}

/// Shows a plot with its title, explanation and readout.
#[component]
pub fn PlotFigure(
    #[prop(into)] title: Signal<String>,
    /// The explanation of the plot, in a sentence.
    #[prop(into)]
    text: Signal<String>,
    /// The `data-testid` of the element.
    test_id: &'static str,
    /// The data of the plot.
    #[prop(into)]
    plot: Signal<Plot>,
    /// Controls between the explanation and the plot.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let room = NodeRef::<html::Div>::new();
    let width = drawing_width(room, appearance);
    // Read in several places, made once.
    let plot = Memo::new(move |_| plot.get());
    let frame = Memo::new(move |_| {
        let width = width.get();
        plot.with(|plot| Frame {
            width,
            height: (width * 0.55).clamp(260.0, 340.0),
            x: plot.x.clone(),
            y: plot.y.clone(),
            theme: appearance.get(),
        })
    });
    let drawing = Memo::new(move |_| {
        frame.with(|frame| plot.with(|plot| drawn(i18n, plot::curves(frame, &plot.curves))))
    });
    let reading = RwSignal::new(None::<usize>);
    let shown = Memo::new(move |_| plot.with(|plot| reading.get().map(|x| x.min(last(plot)))));
    let words = Memo::new(move |_| shown.get().map(|x| plot.with(|plot| plot.words_at(x))));
    let hint = move || t_string!(i18n, positions.reading_hint).to_owned();
    view! {
        <figure class="plot-figure" data-testid=test_id>
            <figcaption>
                <div class="figure-name">
                    <h3 class="panel-title">{title}</h3>
                    <FigureButton name=title take=move || Some(plot.with(|plot| plot.taken(title.get()))) />
                </div>
                <p class="hint">{text}</p>
            </figcaption>
            {children.map(|children| children())}
            <div
                class="plot"
                node_ref=room
                role="slider"
                tabindex="0"
                aria-label=title
                aria-valuemin="0"
                aria-valuemax=move || plot.with(last)
                aria-valuenow=move || shown.get().unwrap_or(0)
                aria-valuetext=move || words.get().unwrap_or_else(hint)
                on:pointermove=move |event| reading.set(frame.with(|f| position_under(f, &event)))
                on:pointerdown=move |event| reading.set(frame.with(|f| position_under(f, &event)))
                on:pointerleave=move |event| {
                    // A finger that was lifted leaves its reading.
                    if event.pointer_type() == "mouse" {
                        reading.set(None);
                    }
                }
                on:keydown=move |event| on_key(&event, reading, plot)
            >
                <div class="plot-drawing" aria-hidden="true" inner_html=drawing></div>
                {move || {
                    let x = shown.get()?;
                    let left = frame.with(|frame| 100.0 * frame.fraction_of(x as f64));
                    Some(view! { <div class="plot-mark" style=format!("left: {left:.3}%")></div> })
                }}
            </div>
            <p class="plot-readout number" data-testid=format!("{test_id}-readout")>
                {move || match shown.get() {
                    Some(x) => plot.with(|plot| readout(plot, x)).into_any(),
                    None => view! {
                        <span class="hint">
                            {hint()}
                            <KeyHint>{t!(i18n, positions.reading_keys)}</KeyHint>
                        </span>
                    }
                    .into_any(),
                }}
            </p>
        </figure>
    }
}

impl Plot {
    fn taken(&self, title: String) -> Taken {
        let content = Content::Curves(Curves {
            x: self.x.clone(),
            y: self.y.clone(),
            curves: self.curves.clone(),
        });
        Taken::new(title, content)
    }

    fn values_at(&self, x: usize) -> impl Iterator<Item = (&Curve, &str, f64)> {
        self.curves.iter().filter_map(move |curve| {
            let value = nearest(&curve.points, x as f64)?;
            Some((curve, curve.label.as_deref()?, value))
        })
    }

    fn words_at(&self, x: usize) -> String {
        let values = self.values_at(x);
        let values: Vec<_> = values
            .map(|(_, label, value)| format!("{label}: {}", decimal(value as f32, 3)))
            .collect();
        format!("{} {x}; {}", self.x.label, values.join(", "))
    }
}

/// The value of the point that is nearest to `x`, where `x` is between the first point and the last.
fn nearest(points: &[(f64, f64)], x: f64) -> Option<f64> {
    let after = points.partition_point(|(place, _)| *place < x);
    let (next, value) = *points.get(after)?;
    match after.checked_sub(1).map(|before| points[before]) {
        Some((place, value)) if x - place < next - x => Some(value),
        // Before the first point there is nothing.
        None if next > x => None,
        _ => Some(value),
    }
}

fn last(plot: &Plot) -> usize {
    plot.x.to as usize
}

fn readout(plot: &Plot, x: usize) -> impl IntoView + use<> {
    let values = plot.values_at(x);
    let values: Vec<_> = values
        .map(|(curve, label, value)| {
            view! {
                <span class="reading">
                    <span
                        class="reading-swatch"
                        style=format!("background: {}", color::css(curve.color))
                    ></span>
                    {label.to_owned()} " " <strong>{decimal(value as f32, 3)}</strong>
                </span>
            }
        })
        .collect();
    let place = format!("{} {x}", plot.x.label);
    view! { <span class="reading">{place}</span> {values} }
}

fn position_under(frame: &Frame, event: &MouseEvent) -> Option<usize> {
    let [x, _, width, _] = pointer_in(event)?;
    frame.x_at(x / width).map(|x| x.round() as usize)
}

fn on_key(event: &KeyboardEvent, reading: RwSignal<Option<usize>>, plot: Memo<Plot>) {
    let at = reading.get_untracked();
    let end = plot.with_untracked(last);
    let to = match event.key().as_str() {
        "ArrowLeft" | "ArrowDown" => Some(at.map_or(0, |x| x.saturating_sub(1))),
        "ArrowRight" | "ArrowUp" => Some(at.map_or(0, |x| x + 1).min(end)),
        "Home" => Some(0),
        "End" => Some(end),
        "Escape" => None,
        _ => return,
    };
    event.prevent_default();
    reading.set(to);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_names_the_curves_of_the_legend() {
        let named = Curve::counted("mean", &[1.0, -0.5], [0; 3]);
        let plot = Plot {
            x: Axis::new("distance", 0.0, 1.0),
            y: Axis::new("q·k", -1.0, 1.0),
            curves: vec![named.clone().faint(), named],
        };
        assert_eq!(plot.words_at(1), "distance 1; mean: −0.500");
        assert_eq!(last(&plot), 1);
    }

    #[test]
    fn between_two_points_the_nearer_one_is_read() {
        let points = [(2.0, 0.5), (6.0, 0.25), (7.0, 0.125)];
        let read = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0].map(|x| nearest(&points, x));
        let (first, second, third) = (Some(0.5), Some(0.25), Some(0.125));
        assert_eq!(
            read,
            [None, first, first, second, second, second, third, None]
        );
        assert_eq!(nearest(&[], 0.0), None);
    }
}
