//! Figures as `tikzpicture`s for pgfplots.

mod lines;
mod map;
mod plane;
mod plots;

use super::{
    Content, Export,
    latex::{comment, needs_unicode},
    map::{Cells, Side},
    number::of_f64,
};
use crate::color::Rgb;

/// Returns the picture with its caption and its needs as comments; `None` for a sheet, a tree, a grid and a
/// picture in steps.
pub(super) fn picture(export: &Export, width_mm: f64) -> Option<String> {
    let body = match &export.content {
        Content::Map(map) if map.cells == Cells::Lines => lines::picture(map, width_mm),
        Content::Map(map) => map::picture(map, width_mm),
        Content::Curves(curves) => plots::curves(curves, width_mm),
        Content::Bars(chart) => plots::bars(chart, width_mm),
        Content::Dots(dots) => plots::dots(dots, width_mm),
        Content::Marks(marks) => plane::picture(marks, width_mm),
        Content::Shares(whole) => plots::shares(whole, width_mm),
        Content::Sheet(_) | Content::Prefixes(_) | Content::Grid(_) | Content::Staged(..) => {
            return None;
        }
    };
    let mut picture = String::new();
    for text in [&export.title, &export.caption] {
        if !text.is_empty() {
            put(&mut picture, format_args!("% {}\n", comment(text)));
        }
    }
    picture.push_str("% Preamble: \\usepackage{pgfplots} \\pgfplotsset{compat=1.18}\n");
    if needs_unicode(&texts(&export.content)) {
        picture.push_str(
            "% Labels have characters that pdfLaTeX's fonts lack: compile with LuaLaTeX or XeLaTeX and a font that has \
             them, for Chinese with \\usepackage{ctex}.\n",
        );
    }
    picture.push_str(&body);
    Some(picture)
}

/// Appends formatted text to a picture.
fn put(to: &mut String, text: std::fmt::Arguments<'_>) {
    to.push_str(&std::fmt::format(text));
}

/// Returns all labels of a figure.
fn texts(content: &Content) -> String {
    let sides = |sides: [&Side; 2]| {
        let labels = sides.map(|side| side.labels.concat() + &side.name);
        labels.concat()
    };
    match content {
        Content::Map(map) => {
            sides([&map.rows, &map.columns]) + &map.words.concat() + &map.value + &map.masked
        }
        Content::Sheet(_) | Content::Prefixes(_) | Content::Grid(_) | Content::Staged(..) => {
            String::new()
        }
        Content::Marks(marks) => marks.marks.iter().map(|mark| mark.facts().1).collect(),
        Content::Shares(whole) => {
            let labels: String = whole.parts.iter().map(|part| part.label.as_str()).collect();
            labels + &whole.unit
        }
        Content::Curves(curves) => {
            let labels = curves.curves.iter().filter_map(|curve| curve.label.clone());
            let labels: String = labels.collect();
            labels + &curves.x.label + &curves.y.label
        }
        Content::Bars(chart) => {
            let labels = chart
                .series
                .iter()
                .filter_map(|series| series.label.clone());
            chart.names.concat() + &labels.collect::<String>()
        }
        Content::Dots(dots) => {
            let labels: String = dots.dots.iter().map(|dot| dot.label.as_str()).collect();
            labels + &dots.axes.concat()
        }
    }
}

/// Returns a colour as an xcolor expression.
fn color([red, green, blue]: Rgb) -> String {
    format!("{{rgb,255:red,{red};green,{green};blue,{blue}}}")
}

/// Returns the labels as a list of pgfplots, each in braces.
fn list(labels: &[String]) -> String {
    let braced = labels
        .iter()
        .map(|label| format!("{{{}}}", super::latex::escaped(label)));
    braced.collect::<Vec<_>>().join(",")
}

/// Returns finite points as pgfplots' coordinates.
fn coordinates(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let points = points.into_iter().filter_map(|(x, y)| {
        let (x, y) = (of_f64(x)?, of_f64(y)?);
        Some(format!("({x},{y})"))
    });
    points.collect::<Vec<_>>().join(" ")
}
