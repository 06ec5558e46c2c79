//! Bars: a number for each of a few named things, or several series of them side by side.

use crate::{
    color::{self, Rgb},
    number::share_in_cell,
    plot::{
        Axis, Frame, PlotError,
        canvas::{self, Canvas},
        legend::{Key, Swatch},
        marks::{self, Paint, Side},
    },
};

/// The least width of a bar with its number, in CSS pixels.
const NUMBER_WIDTH: f64 = 30.0;
/// The font size of these numbers.
const NUMBER_SIZE: f64 = 11.0;
/// The gap between neighbouring bars, in CSS pixels.
const GAP: f64 = 1.0;
/// The share of a slot that its bars fill.
const FILLED: f64 = 0.78;

/// A series of bars with one number for each name.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name in the legend; a single series needs none.
    pub label: Option<String>,
    /// The numbers, from 0 up; a number that is not finite has no bar.
    pub values: Vec<f32>,
    /// The colour of each bar; the last colour is used for the remaining bars.
    pub colors: Vec<Rgb>,
}

impl Series {
    fn key(&self) -> Option<Key> {
        Some(Key {
            label: self.label.clone()?,
            color: *self.colors.last()?,
            swatch: Swatch::Square,
        })
    }

    /// Returns the value and the colour of a bar, if there is one.
    fn bar(&self, index: usize) -> Option<(f32, Rgb)> {
        let color = self.colors.get(index).or(self.colors.last())?;
        let value = self.values.get(index)?;
        value.is_finite().then_some((*value, *color))
    }
}

/// Returns the vertical axis of bars: from 0 to `top`, or to 1 if `top` cannot be an upper end.
pub fn value_axis(top: f32) -> Axis {
    let end = if top.is_finite() && top > 0.0 {
        top
    } else {
        1.0
    };
    Axis::new("", 0.0, end.into()).with_ticks(ticks(top))
}

/// Draws the bars as an SVG document. The horizontal axis of the frame has their names, the vertical one is a
/// [`value_axis`]; the slot of `marked` has its own background.
///
/// # Errors
/// If an axis has no extent, or plotters fails.
pub fn bars(frame: &Frame, marked: Option<usize>, series: &[Series]) -> Result<String, PlotError> {
    let keys: Vec<Key> = series.iter().filter_map(Series::key).collect();
    canvas::draw(frame, &keys, |canvas| {
        if let Some(slot) = marked {
            let slot = slot as f64;
            let ground = Paint {
                color: color::furniture(frame.theme).grid,
                opacity: 0.5,
            };
            let corners = [(slot, frame.y.from), (slot + 1.0, frame.y.to)];
            marks::bar(canvas, corners, ground)?;
        }
        for (place, series) in series_by_place(series) {
            draw(canvas, frame, series, place)?;
        }
        Ok(())
    })
}

/// The place of a series' bars in each slot: the left edge and the width, in slots.
type Place = [f64; 2];

fn series_by_place(series: &[Series]) -> impl Iterator<Item = (Place, &Series)> {
    let width = FILLED / series.len().max(1) as f64;
    let left = move |place: usize| (1.0 - FILLED) / 2.0 + width * place as f64;
    let places = (0..).map(move |place| [left(place), width]);
    places.zip(series)
}

fn draw(
    canvas: &mut Canvas,
    frame: &Frame,
    series: &Series,
    [left, width]: Place,
) -> Result<(), PlotError> {
    let slot = canvas.area.unit(frame);
    // At least a pixel is seen.
    let filled = (width * slot - GAP).max(GAP) / slot;
    for index in 0..frame.x.to as usize {
        let Some((value, color)) = series.bar(index) else {
            continue;
        };
        let left = index as f64 + left;
        let top = f64::from(value).clamp(frame.y.from, frame.y.to);
        let corners = [(left, top), (left + filled, frame.y.from)];
        marks::bar(canvas, corners, Paint::opaque(color))?;
        if width * slot >= NUMBER_WIDTH {
            let number = share_in_cell(value, 2);
            let at = (left + width / 2.0, top);
            marks::text(canvas, at, (Side::Above, 1.0), &number, NUMBER_SIZE)?;
        }
    }
    Ok(())
}

/// Returns two to five round values from 0 to the upper end: 0, 0.5 and 1 up to 1.
fn ticks(top: f32) -> Vec<f64> {
    // In f64 no step of a number of 32 bits overflows or is zero.
    let top = f64::from(top);
    if !top.is_finite() || top <= 0.0 {
        return vec![0.0];
    }
    // The largest round step that the axis has two of, or one where that is all of it.
    let power = 10.0f64.powf(top.log10().floor());
    let steps = [5.0, 2.0, 1.0, 0.5, 0.2].map(|digit| digit * power);
    let step = steps.into_iter().find(|step| step * 2.0 <= top * 1.0001);
    let step = step.unwrap_or(top);
    let count = (top * 1.0001 / step).floor() as usize;
    (0..=count).map(|tick| tick as f64 * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Theme, plot::text};

    fn frame(width: f64, top: f32) -> Frame {
        Frame {
            width,
            height: 160.0,
            x: Axis::of_names(vec!["a<b".to_owned(), "étudiant".to_owned()]),
            y: value_axis(top),
            theme: Theme::Light,
        }
    }

    fn drawn(frame: &Frame, series: &[Series]) -> String {
        bars(frame, None, series).unwrap()
    }

    fn series(values: &[f32]) -> Series {
        Series {
            label: None,
            values: values.to_vec(),
            colors: vec![[1, 2, 3]],
        }
    }

    #[test]
    fn heights_are_in_proportion_and_stay_inside() {
        let svg = drawn(&frame(300.0, 1.0), &[series(&[0.25, 7.0])]);
        // 160 less the bands above and below is 122 pixels, of 8 units; the last one is the axis.
        assert!(
            svg.contains(r#"height="243""#) && svg.contains(r#"height="975""#),
            "{svg}"
        );
    }

    #[test]
    fn the_number_of_the_highest_bar_stands_above_it() {
        let frame = frame(300.0, 1.0);
        let svg = drawn(&frame, &[series(&[1.0])]);
        let top = (frame.area(6.0).top * 8.0) as i32;
        let number = format!(r#"y="{}" dy="-0.5ex""#, top - 8);
        assert!(svg.contains(&number), "{number}: {svg}");
    }

    #[test]
    fn names_are_escaped_and_cut_to_their_room() {
        let svg = drawn(&frame(110.0, 1.0), &[series(&[0.1, 0.2])]);
        assert!(svg.contains("a&lt;b") && svg.contains('…'), "{svg}");
    }

    #[test]
    fn an_axis_has_round_numbers_and_room_for_them() {
        let written = |top: f32| ticks(top).into_iter().map(text::number).collect::<Vec<_>>();
        assert_eq!(written(1.0), ["0", "0.5", "1"]);
        assert_eq!(written(52.75), ["0", "20", "40"]);
        assert_eq!(written(0.08), ["0", "0.02", "0.04", "0.06", "0.08"]);
        assert_eq!(written(10_000.0), ["0", "5000", "10000"]);
        assert_eq!(written(f32::NAN), ["0"]);
        for top in [0.003f32, 0.7, 9.0, 52.75, 12_345.0] {
            let widths = ticks(top).into_iter();
            let widths = widths.map(|value| text::width(&text::number(value)));
            let widest = widths.fold(0.0, f64::max);
            let left = frame(300.0, top).area(0.0).left;
            assert!(left >= widest + 8.0, "{top}");
        }
    }

    #[test]
    fn any_upper_end_gives_finite_heights() {
        for top in [
            0.0,
            1e-45,
            1e-40,
            f32::MIN_POSITIVE,
            f32::MAX,
            f32::INFINITY,
            f32::NAN,
        ] {
            let svg = drawn(&frame(300.0, top), &[series(&[0.0, 0.5])]);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{top}: {svg}");
        }
    }

    #[test]
    fn what_is_not_finite_has_no_bar() {
        let rectangles = |values: &[f32]| {
            drawn(&frame(300.0, 1.0), &[series(values)])
                .matches("<rect")
                .count()
        };
        assert_eq!(rectangles(&[f32::NAN, 0.5]), rectangles(&[0.5]));
        assert_eq!(rectangles(&[0.5, 0.5]), 2);
    }
}
