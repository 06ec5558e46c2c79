//! A heatmap as a `matrix plot*`.

use super::{color, list, put};
use crate::{
    color::{self as colors, Rgb, Theme},
    export::{
        latex::escaped,
        map::{Map, Scale, Side},
        number::{of_f32, place},
    },
};

/// The number of colours that a colour map is interpolated from.
const STOPS: usize = 17;
/// The share of the width that labels take, by which cells are squares.
const LABELS: f64 = 0.25;

/// Returns the picture of a map.
pub(super) fn picture(map: &Map, width_mm: f64) -> String {
    let (rows, columns) = (map.rows.labels.len(), map.columns.labels.len());
    let cell = (width_mm * (1.0 - LABELS) / columns.max(1) as f64).min(7.0);
    let (width, height) = (cell * columns as f64, cell * rows as f64);
    let [low, high] = map.scale.ends();
    let mut picture = String::from("\\begin{tikzpicture}\n\\begin{axis}[\n");
    put(
        &mut picture,
        format_args!(
            "  scale only axis, width={}mm, height={}mm,\n",
            place(width),
            place(height.min(200.0))
        ),
    );
    put(
        &mut picture,
        format_args!(
            "  xmin=-0.5, xmax={}.5, ymin=-0.5, ymax={}.5, y dir=reverse,\n",
            last(columns),
            last(rows)
        ),
    );
    picture.push_str("  axis on top, tick style={draw=none}, tick label style={font=\\scriptsize}, label style={font=\\small},\n");
    put(
        &mut picture,
        format_args!("  {},\n", axis("x", &map.columns)),
    );
    picture.push_str(
        "  xticklabel pos=upper, xlabel near ticks, xticklabel style={rotate=90, anchor=west},\n",
    );
    put(&mut picture, format_args!("  {},\n", axis("y", &map.rows)));
    put(
        &mut picture,
        format_args!("  colormap={{scope}}{{{}}},\n", stops(map.scale)),
    );
    put(
        &mut picture,
        format_args!(
            "  point meta min={}, point meta max={},\n",
            number(low),
            number(high)
        ),
    );
    put(
        &mut picture,
        format_args!(
            "  colorbar horizontal, colorbar style={{width=24mm, height=1.8mm, at={{(0,-0.04)}}, anchor=north west, xticklabel pos=lower, tick label style={{font=\\scriptsize}}, title={{{}}}, title style={{at={{(1.05,0.5)}}, anchor=west, yshift=-6pt, font=\\scriptsize}}}},\n",
            escaped(&map.value)
        ),
    );
    picture.push_str("]\n");
    put(
        &mut picture,
        format_args!(
            "\\addplot [matrix plot*, mesh/cols={}, mesh/rows={}, point meta=explicit]\n",
            columns, rows
        ),
    );
    picture.push_str("  table [row sep=\\\\, x=x, y=y, meta=w] {\n  x y w\\\\\n");
    let mut masked = Vec::new();
    for (row, line) in map.lines().enumerate() {
        for (column, &value) in line.iter().enumerate() {
            if colors::is_masked(value) {
                masked.push((column, row));
            }
            // A masked cell is painted over.
            let value = of_f32(value).unwrap_or_else(|| number(low));
            put(&mut picture, format_args!("  {column} {row} {value}\\\\\n"));
        }
    }
    picture.push_str("  };\n");
    for (column, row) in masked {
        put(
            &mut picture,
            format_args!(
                "\\fill[color={}] (axis cs:{},{}) rectangle (axis cs:{},{});\n",
                color(colors::masked(Theme::Light)),
                column as f64 - 0.5,
                row as f64 - 0.5,
                column as f64 + 0.5,
                row as f64 + 0.5
            ),
        );
    }
    words(&mut picture, map, columns);
    picture.push_str("\\end{axis}\n\\end{tikzpicture}\n");
    picture
}

/// Appends the words of the cells, in black or white.
fn words(picture: &mut String, map: &Map, columns: usize) {
    let [low, high] = map.scale.ends();
    for (cell, (word, &value)) in map.words.iter().zip(&map.values).enumerate() {
        let ground = match map.scale {
            Scale::Sequential { .. } => {
                colors::sequential((value - low) / (high - low), Theme::Light)
            }
            Scale::Diverging { limit } => colors::diverging(value / limit, Theme::Light),
        };
        put(
            picture,
            format_args!(
                "\\node[font=\\tiny, text={}] at (axis cs:{},{}) {{{}}};\n",
                color(colors::ink_on(ground)),
                cell % columns.max(1),
                cell / columns.max(1),
                escaped(word)
            ),
        );
    }
}

fn last(count: usize) -> usize {
    count.saturating_sub(1)
}

fn number(value: f32) -> String {
    of_f32(value).unwrap_or_else(|| "0".to_owned())
}

/// Returns the ticks, labels and name of a side.
fn axis(letter: &str, side: &Side) -> String {
    let places: Vec<String> = (0..side.labels.len())
        .map(|place| place.to_string())
        .collect();
    format!(
        "{letter}tick={{{}}}, {letter}ticklabels={{{}}}, {letter}label={{{}}}",
        places.join(","),
        list(&side.labels),
        escaped(&side.name)
    )
}

/// Returns the colours of a scale at equal steps, as pgfplots' colour map.
fn stops(scale: Scale) -> String {
    let stops = match scale {
        Scale::Sequential { .. } => colors::legend_stops(STOPS, Theme::Light),
        Scale::Diverging { .. } => colors::diverging_legend_stops(STOPS, Theme::Light),
    };
    let stop = |(_, [red, green, blue]): (f32, Rgb)| format!("rgb255=({red},{green},{blue})");
    stops.into_iter().map(stop).collect::<Vec<_>>().join(" ")
}
