//! Curves, bars and dots as pgfplots' axes.

use super::{color, coordinates, list, put};
use crate::{
    export::{
        diagram::Shares,
        latex::escaped,
        number::{of_f32, of_f64, place},
        plot::{BarChart, Curves, Dots, printed},
    },
    plot::{Axis, Ticks},
};

/// Returns the picture of curves.
pub(super) fn curves(curves: &Curves, width_mm: f64) -> String {
    let mut picture = begin(width_mm, 55.0);
    range(&mut picture, "x", &curves.x);
    range(&mut picture, "y", &curves.y);
    picture.push_str("]\n");
    for curve in &curves.curves {
        let forget = if curve.label.is_none() {
            ", forget plot"
        } else {
            ""
        };
        put(
            &mut picture,
            format_args!(
                "\\addplot [color={}, line width={}pt, opacity={}{forget}] coordinates {{{}}};\n",
                color(printed(curve.color)),
                place(0.6 * curve.width),
                place(curve.opacity),
                coordinates(curve.points.iter().copied())
            ),
        );
        if let Some(label) = &curve.label {
            put(
                &mut picture,
                format_args!("\\addlegendentry{{{}}}\n", escaped(label)),
            );
        }
    }
    end(picture)
}

/// Returns the picture of bars.
pub(super) fn bars(chart: &BarChart, width_mm: f64) -> String {
    let mut picture = begin(width_mm, 40.0);
    let places: Vec<String> = (0..chart.names.len())
        .map(|place| place.to_string())
        .collect();
    picture.push_str("  ybar, bar width=3mm, ymin=0, enlarge x limits={abs=6mm},\n");
    if let Some(top) = of_f32(chart.top).filter(|_| chart.top > 0.0) {
        put(&mut picture, format_args!("  ymax={top},\n"));
    }
    put(
        &mut picture,
        format_args!(
            "  xtick={{{}}}, xticklabels={{{}}}, xticklabel style={{rotate=45, anchor=north east}},\n]\n",
            places.join(","),
            list(&chart.names)
        ),
    );
    for series in &chart.series {
        let fill = series.colors.last().copied().map(printed).map(color);
        let fill = fill.unwrap_or_else(|| "black".to_owned());
        let points = series.values.iter().enumerate();
        let points =
            points.filter_map(|(place, &value)| Some(format!("({place},{})", of_f32(value)?)));
        put(
            &mut picture,
            format_args!(
                "\\addplot [draw=none, fill={fill}] coordinates {{{}}};\n",
                points.collect::<Vec<_>>().join(" ")
            ),
        );
        if let Some(label) = &series.label {
            put(
                &mut picture,
                format_args!("\\addlegendentry{{{}}}\n", escaped(label)),
            );
        }
    }
    end(picture)
}

/// Returns the picture of a whole and its parts: one bar.
pub(super) fn shares(whole: &Shares, width_mm: f64) -> String {
    let mut picture = begin(width_mm, 28.0);
    picture.push_str(
        "  xbar stacked, bar width=7mm, xmin=0, xmax=1, ymin=-0.6, ymax=0.6, ytick=\\empty, axis y line=none, axis x line*=bottom,\n]\n",
    );
    let parts = whole.parts.iter().zip(crate::stacked::shares(&whole.parts));
    for (part, share) in parts.filter(|(_, share)| *share > 0.0) {
        put(
            &mut picture,
            format_args!(
                "\\addplot [draw=none, fill={}] coordinates {{({},0)}}; % {}\n\\addlegendentry{{{}}}\n",
                color(printed(part.color)),
                of_f64(share).unwrap_or_default(),
                of_f64(part.value).unwrap_or_default(),
                escaped(&part.label)
            ),
        );
    }
    end(picture)
}

/// Returns the picture of dots.
pub(super) fn dots(dots: &Dots, width_mm: f64) -> String {
    let mut picture = begin(width_mm, 70.0);
    let [x, y] = &dots.axes;
    put(
        &mut picture,
        format_args!(
            "  xmin=0, ymin=0, xlabel={{{}}}, ylabel={{{}}},\n]\n",
            escaped(x),
            escaped(y)
        ),
    );
    for dot in &dots.dots {
        let [x, y] = dot.at.map(of_f32);
        let (Some(x), Some(y)) = (x, y) else { continue };
        let size = if dot.is_chosen { 3 } else { 2 };
        put(
            &mut picture,
            format_args!(
                "\\addplot [only marks, mark=*, mark size={size}pt, color={}] coordinates {{({x},{y})}} node [right, font=\\scriptsize, text=black] {{{}}};\n",
                color(printed(dot.color)),
                escaped(&dot.label)
            ),
        );
    }
    end(picture)
}

fn begin(width_mm: f64, height_mm: f64) -> String {
    format!(
        "\\begin{{tikzpicture}}\n\\begin{{axis}}[\n  width={}mm, height={}mm, tick label style={{font=\\scriptsize}}, label style={{font=\\small}},\n  legend style={{font=\\scriptsize, draw=none, fill=none, at={{(0.5,1.03)}}, anchor=south, legend columns=2}}, legend cell align=left,\n",
        place(width_mm),
        place(height_mm)
    )
}

fn end(mut picture: String) -> String {
    picture.push_str("\\end{axis}\n\\end{tikzpicture}\n");
    picture
}

/// Appends the extent, the name and the ticks of an axis.
fn range(picture: &mut String, letter: &str, axis: &Axis) {
    let extent = of_f64(axis.from).zip(of_f64(axis.to));
    if let Some((from, to)) = extent.filter(|_| axis.from < axis.to) {
        put(
            picture,
            format_args!("  {letter}min={from}, {letter}max={to},\n"),
        );
    }
    put(
        picture,
        format_args!("  {letter}label={{{}}},\n", escaped(&axis.label)),
    );
    match &axis.ticks {
        Ticks::Round => {}
        Ticks::At(values) => {
            let values: Vec<String> = values.iter().copied().filter_map(of_f64).collect();
            put(
                picture,
                format_args!("  {letter}tick={{{}}},\n", values.join(",")),
            );
        }
        Ticks::Named(names) => {
            let places: Vec<String> = (0..names.len()).map(|place| format!("{place}.5")).collect();
            put(
                picture,
                format_args!(
                    "  {letter}tick={{{}}}, {letter}ticklabels={{{}}},\n",
                    places.join(","),
                    list(names)
                ),
            );
        }
    }
}
