//! Bars: a number for each of a few named things, or several series of them side by side.

use std::fmt::Write;

use crate::{
    color::{self, Rgb, Theme},
    number::share_in_cell,
};

/// Room left of the bars for the numbers of the axis, in CSS pixels: the least, for `0.5`.
const LEFT: f64 = 34.0;
/// Between the numbers of the axis and its lines.
const TICK_GAP: f64 = 6.0;
/// Width of a digit of the axis.
const DIGIT: f64 = 7.2;
/// Room below the bars for their names.
const BOTTOM: f64 = 22.0;
/// Room above the bars for the number of the highest.
const TOP: f64 = 16.0;
/// Height of a line of the legend.
const LEGEND_LINE: f64 = 20.0;
/// The narrowest slot whose bars bear their numbers, per series.
const NUMBER_WIDTH: f64 = 30.0;
/// Share of a slot that its bars fill.
const FILLED: f64 = 0.78;

/// One number for each name.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend; a single series needs none.
    pub label: Option<String>,
    /// The numbers, from 0 up; what is not finite has no bar.
    pub values: Vec<f32>,
    /// The colour of each bar; the last goes on for those that lack one.
    pub colors: Vec<Rgb>,
}

/// The size and axes of a chart of bars.
#[derive(Clone, Debug, PartialEq)]
pub struct BarFrame {
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels, legend included.
    pub height: f64,
    /// What each bar, or group of bars, stands for.
    pub names: Vec<String>,
    /// The value at the upper end.
    pub top: f32,
    /// The bar that is marked.
    pub marked: Option<usize>,
    /// What the chart stands on.
    pub theme: Theme,
}

/// The bars as an SVG document; text is in the page's font.
pub fn bars(frame: &BarFrame, series: &[Series]) -> String {
    let mut svg = format!(
        r#"<svg viewBox="0 0 {:.1} {:.1}" class="bar-chart" aria-hidden="true">"#,
        frame.width, frame.height
    );
    let head = legend(&mut svg, frame, series) + TOP;
    let ticks = ticks(frame.top);
    let left = left(&ticks);
    let area = Area {
        left,
        top: head,
        bottom: frame.height - BOTTOM,
        slot: (frame.width - left) / frame.names.len().max(1) as f64,
    };
    axis(&mut svg, frame, &area, &ticks);
    for (index, name) in frame.names.iter().enumerate() {
        slot(&mut svg, frame, series, &area, index, name);
    }
    svg.push_str("</svg>");
    svg
}

/// Where the bars stand, in CSS pixels.
struct Area {
    left: f64,
    top: f64,
    bottom: f64,
    slot: f64,
}

impl Area {
    fn height_of(&self, value: f32, top: f32) -> f64 {
        // In f64 a subnormal top divides without overflow; 0 / 0 is no number.
        let share = f64::from(value) / f64::from(top);
        let share = if share.is_nan() { 0.0 } else { share };
        share.clamp(0.0, 1.0) * (self.bottom - self.top)
    }
}

fn legend(svg: &mut String, frame: &BarFrame, series: &[Series]) -> f64 {
    let ink = color::css(color::furniture(frame.theme).ink);
    let named = series.iter().filter_map(|series| {
        let color = series.colors.last()?;
        Some((series.label.as_deref()?, color::css(*color)))
    });
    let (mut x, mut y) = (LEFT, 0.0);
    let mut any = false;
    for (label, color) in named {
        let width = 24.0 + label_width(label);
        if any && x + width > frame.width {
            (x, y) = (LEFT, y + LEGEND_LINE);
        }
        // Writing to a string cannot fail.
        let _ = write!(
            svg,
            r#"<rect x="{x:.1}" y="{:.1}" width="12" height="12" rx="2" fill="{color}"/><text x="{:.1}" y="{:.1}" fill="{ink}" class="legend-text">{}</text>"#,
            y + 4.0,
            x + 17.0,
            y + 14.0,
            escaped(label)
        );
        x += width + 14.0;
        any = true;
    }
    if any { y + LEGEND_LINE } else { 0.0 }
}

fn axis(svg: &mut String, frame: &BarFrame, area: &Area, ticks: &[f32]) {
    let furniture = color::furniture(frame.theme);
    let left = area.left;
    for &value in ticks {
        let y = area.bottom - area.height_of(value, frame.top);
        let line = if value == 0.0 {
            furniture.axis
        } else {
            furniture.grid
        };
        let _ = write!(
            svg,
            r#"<path d="M{left} {y:.1}H{:.1}" stroke="{}"/><text x="{:.1}" y="{:.1}" fill="{}" class="tick">{}</text>"#,
            frame.width,
            color::css(line),
            left - TICK_GAP,
            y + 4.0,
            color::css(furniture.ink),
            tick(value)
        );
    }
}

/// Round values from 0 to the upper end, two to five of them: 0, 0.5 and 1 up to 1.
fn ticks(top: f32) -> Vec<f32> {
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
    (0..=count)
        .map(|tick| (tick as f64 * step) as f32)
        .collect()
}

/// Room left of the bars: as the widest number of the axis asks for.
fn left(ticks: &[f32]) -> f64 {
    let digits = ticks.iter().map(|&value| tick(value).len());
    let widest = digits.max().unwrap_or_default() as f64;
    (widest * DIGIT + TICK_GAP).max(LEFT)
}

fn slot(
    svg: &mut String,
    frame: &BarFrame,
    series: &[Series],
    area: &Area,
    index: usize,
    name: &str,
) {
    let ink = color::css(color::furniture(frame.theme).ink);
    let left = area.left + area.slot * index as f64;
    let middle = left + area.slot / 2.0;
    if frame.marked == Some(index) {
        let _ = write!(
            svg,
            r#"<rect x="{left:.1}" y="{:.1}" width="{:.1}" height="{:.1}" fill="{}" opacity="0.5"/>"#,
            area.top - TOP,
            area.slot,
            area.bottom - area.top + TOP,
            color::css(color::furniture(frame.theme).grid)
        );
    }
    let width = area.slot * FILLED / series.len().max(1) as f64;
    for (place, series) in series.iter().enumerate() {
        let Some(&value) = series.values.get(index) else {
            continue;
        };
        let color = series.colors.get(index).or(series.colors.last());
        let (true, Some(&color)) = (value.is_finite(), color) else {
            continue;
        };
        let x = middle - area.slot * FILLED / 2.0 + width * place as f64;
        let height = area.height_of(value, frame.top);
        let y = area.bottom - height;
        let _ = write!(
            svg,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{:.1}" height="{height:.1}" fill="{}"/>"#,
            (width - 1.0).max(1.0),
            color::css(color)
        );
        if width >= NUMBER_WIDTH {
            let _ = write!(
                svg,
                r#"<text x="{:.1}" y="{:.1}" fill="{ink}" class="value">{}</text>"#,
                x + width / 2.0,
                y - 4.0,
                share_in_cell(value, 2)
            );
        }
    }
    let _ = write!(
        svg,
        r#"<text x="{middle:.1}" y="{:.1}" fill="{ink}" class="name">{}</text>"#,
        frame.height - 6.0,
        escaped(&shortened(name, area.slot))
    );
}

/// As much of a name as fits below its bar.
fn shortened(name: &str, room: f64) -> String {
    if label_width(name) <= room {
        return name.to_owned();
    }
    let mut kept = String::new();
    for character in name.chars() {
        kept.push(character);
        if label_width(&kept) + 8.0 > room {
            kept.pop();
            break;
        }
    }
    kept.push('…');
    kept
}

/// Roughly, in CSS pixels: Chinese characters are square, Latin ones a little over half as wide.
pub(crate) fn label_width(label: &str) -> f64 {
    let widths = label
        .chars()
        .map(|c| if c >= '\u{2e80}' { 12.0 } else { 6.8 });
    widths.sum()
}

/// A number of the axis, as short as it can be.
fn tick(value: f32) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(width: f64) -> BarFrame {
        BarFrame {
            width,
            height: 160.0,
            names: vec!["a<b".to_owned(), "étudiant".to_owned()],
            top: 1.0,
            marked: None,
            theme: Theme::Light,
        }
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
        let svg = bars(&frame(300.0), &[series(&[0.25, 7.0])]);
        // 160 less the bands above and below is 122.
        assert!(
            svg.contains(r#"height="30.5""#) && svg.contains(r#"height="122.0""#),
            "{svg}"
        );
    }

    #[test]
    fn names_are_escaped_and_cut_to_their_room() {
        let svg = bars(&frame(110.0), &[series(&[0.1, 0.2])]);
        assert!(svg.contains("a&lt;b") && svg.contains('…'), "{svg}");
    }

    #[test]
    fn an_axis_has_round_numbers_and_room_for_them() {
        let written = |top: f32| ticks(top).into_iter().map(tick).collect::<Vec<_>>();
        assert_eq!(written(1.0), ["0", "0.5", "1"]);
        assert_eq!(written(52.75), ["0", "20", "40"]);
        assert_eq!(written(0.08), ["0", "0.02", "0.04", "0.06", "0.08"]);
        assert_eq!(written(10_000.0), ["0", "5000", "10000"]);
        assert_eq!(written(f32::NAN), ["0"]);
        for top in [0.003f32, 0.7, 9.0, 52.75, 12_345.0] {
            let widest = ticks(top)
                .into_iter()
                .map(|value| label_width(&tick(value)));
            let widest = widest.fold(0.0, f64::max);
            assert!(left(&ticks(top)) >= widest + TICK_GAP, "{top}");
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
            let frame = BarFrame {
                top,
                ..frame(300.0)
            };
            let svg = bars(&frame, &[series(&[0.0, 0.5])]);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{top}: {svg}");
        }
    }

    #[test]
    fn what_is_not_finite_has_no_bar() {
        let rectangles = |values: &[f32]| {
            bars(&frame(300.0), &[series(values)])
                .matches("<rect")
                .count()
        };
        assert_eq!(rectangles(&[f32::NAN, 0.5]), rectangles(&[0.5]));
        assert_eq!(rectangles(&[0.5, 0.5]), 2);
    }
}
