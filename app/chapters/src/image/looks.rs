//! The weights of the chosen position over all positions, on the picture and as a list.

use crate::image::parameters::ImageLab;
use attention_figures::color::{css_gradient, legend_stops};
use attention_trace::lessons::Picture;
use leptos::prelude::*;

use super::{
    choice::drawn,
    context::ImageContext,
    field::{PictureField, Touch, arrow},
    place_name,
    stroke::moved,
};
use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    lessons::LessonNotice,
    state::ViewState,
    widgets::{
        Check,
        numbers::{decimal, equations, share_of_one},
    },
};

/// The number of weights in the list.
const LISTED: usize = 5;

/// The map of the weights, its colour scale and the largest weights.
#[component]
pub fn Looks() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = ImageContext::expect();
    let absolute = Memo::new(move |_| context.lab.with(|lab| lab.absolute));
    let row = Memo::new(move |_| context.row());
    let limit = Memo::new(move |_| match absolute.get() {
        true => 1.0,
        false => row.with(|row| row.as_deref().map_or(1.0, largest)),
    });
    view! {
        <section class="lesson-figure" data-testid="looks">
            <h3 class="panel-title">
                {move || t_string!(
                    i18n,
                    image.looks,
                    place = place_name(i18n, context.lab.with(|lab| lab.cell))
                )}
            </h3>
            <Scale limit />
            <Check
                name=Signal::derive(move || t_string!(i18n, image.absolute).to_owned())
                test_id="image-absolute"
                on=absolute
                set=move |on| state.update_chapters(|chapters| chapters.of_mut::<ImageLab>().absolute = on)
            />
            <LessonNotice asked=context.seen />
            <div class="picture-and-tools">
                <WeightMap row limit />
                <div class="picture-tools">
                    <Listed row />
                    <Lengths />
                </div>
            </div>
        </section>
    }
}

/// Returns the largest weight; 1 if no weight is positive, to avoid a division by 0.
fn largest(weights: &[f32]) -> f32 {
    let largest = weights.iter().copied().fold(0.0, f32::max);
    if largest > 0.0 { largest } else { 1.0 }
}

/// Returns the `count` positions with the largest weights, the largest first.
pub fn strongest(weights: &[f32], count: usize) -> Vec<(usize, f32)> {
    let mut ranked: Vec<(usize, f32)> = weights.iter().copied().enumerate().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranked.truncate(count);
    ranked
}

#[component]
fn Scale(limit: Memo<f32>) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let gradient = move || {
        let stops = legend_stops(16, appearance.get());
        format!("background: {}", css_gradient(&stops))
    };
    view! {
        <div class="legend">
            <span class="legend-name">{t!(i18n, image.weight)}</span>
            <span class="legend-end">"0"</span>
            <span class="legend-scale" style=gradient></span>
            <span class="legend-end number" data-testid="looks-limit">
                {move || match limit.get() {
                    1.0 => "1".to_owned(),
                    limit => share_of_one(limit, 4),
                }}
            </span>
        </div>
    }
}

#[component]
fn WeightMap(row: Memo<Option<Vec<f32>>>, limit: Memo<f32>) -> impl IntoView {
    let i18n = use_i18n();
    let context = ImageContext::expect();
    let appearance = Appearance::expect();
    let cell = Memo::new(move |_| context.lab.with(|lab| lab.cell));
    let shown = Memo::new(move |_| {
        let limit = limit.get();
        let share = |row: Vec<f32>| row.iter().map(|weight| weight / limit).collect::<Vec<_>>();
        let picture = context.picture.get().unwrap_or_else(Picture::blank);
        (picture, row.get().map(share), cell.get())
    });
    let drawing = move || {
        let theme = appearance.get();
        shown
            .with(|(picture, weights, cell)| drawn(picture, weights.as_deref(), Some(*cell), theme))
    };
    let label = move || {
        let place = place_name(i18n, cell.get());
        t_string!(i18n, image.map_label, place = place)
    };
    view! {
        <PictureField
            test_id="looks-field"
            label=Signal::derive(label)
            drawing=Signal::derive(drawing)
            holds=Signal::stored(false)
            touch=move |touch| {
                let (Touch::Down(cell) | Touch::Along(cell)) = touch;
                context.choose(cell);
            }
            key=move |event| {
                let cell = context.lab.with_untracked(|lab| lab.cell);
                let to = arrow(event).map(|(right, down)| moved(cell, right, down));
                if let Some(to) = to {
                    context.choose(to);
                }
                to.is_some()
            }
        />
    }
}

#[component]
fn Listed(row: Memo<Option<Vec<f32>>>) -> impl IntoView {
    let i18n = use_i18n();
    let rows = move || {
        let row = row.get()?;
        let listed = strongest(&row, LISTED).into_iter().map(|(cell, weight)| {
            view! {
                <tr data-testid="looks-strongest">
                    <th scope="row">{place_name(i18n, cell)}</th>
                    <td class="number">{share_of_one(weight, 4)}</td>
                    <td class="number">{decimal(weight * Picture::CELLS as f32, 1)}</td>
                </tr>
            }
        });
        Some(listed.collect_view())
    };
    view! {
        <div class="lesson-table">
            <table>
                <caption>{t!(i18n, image.strongest)}</caption>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, image.position)}</th>
                        <th scope="col">{t!(i18n, image.weight)}</th>
                        <th scope="col">{t!(i18n, image.times_even)}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

/// A line with `γ` and the lengths of the position's vector before attention and of the vector that attention adds.
#[component]
fn Lengths() -> impl IntoView {
    let i18n = use_i18n();
    let context = ImageContext::expect();
    let lengths = Memo::new(move |_| {
        let cell = context.lab.with(|lab| lab.cell);
        context.seen.answer.with(|seen| {
            let seen = seen.as_ref()?;
            Some((seen.gamma, *seen.lengths.get(cell)?, *seen.added.get(cell)?))
        })
    });
    let words = move || {
        let (gamma, own, added) = lengths.get()?;
        Some(equations(t_string!(
            i18n,
            image.lengths,
            gamma = decimal(gamma, 3),
            own = decimal(own, 3),
            added = decimal(added, 3)
        )))
    };
    view! {
        <p class="lesson-reading" role="status" data-testid="looks-gamma">
            {words}
        </p>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_weights_come_first_and_equal_ones_in_their_order() {
        let ranked = strongest(&[0.1, 0.4, 0.1, 0.4], 3);
        assert_eq!(ranked, [(1, 0.4), (3, 0.4), (0, 0.1)]);
        assert_eq!(largest(&[0.1, 0.4]), 0.4);
        assert_eq!(largest(&[]), 1.0);
    }
}
