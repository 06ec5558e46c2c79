//! A map as lines from rows on the left to columns on the right.

use super::{
    MARGIN_MM, TYPE_MM, labelled, widest_mm,
    writer::{Anchor, Drawing, Label, Writer, below_middle, text_width_mm},
};
use crate::{
    bipartite::Layout,
    color::{self, Theme, css},
    export::{map::Map, number::place},
};

/// The height of a row, and of the highest drawing.
const ROW_MM: f64 = 3.8;
const HIGHEST_MM: f64 = 220.0;
/// The width of the widest line, as a share of a row.
const WIDEST: f64 = 0.4;
/// The largest share of the width for a column of labels.
const LABELS: f64 = 0.34;
/// The largest width of the lines: longer ones are harder to follow.
const LONGEST_MM: f64 = 70.0;
const GAP_MM: f64 = 1.0;
/// The weights in the legend.
const SAMPLES: [f32; 3] = [0.1, 0.5, 1.0];

/// Draws the lines, both columns of labels, and samples of widths.
pub(super) fn draw(map: &Map, width_mm: f64) -> Drawing {
    let (rows, columns) = (&map.rows.labels, &map.columns.labels);
    let longest = rows.len().max(columns.len());
    let row_mm = ROW_MM.min(HIGHEST_MM / longest.max(1) as f64);
    let layout = Layout {
        row_height: row_mm as f32,
        widest: (row_mm * WIDEST) as f32,
        ..Layout::default()
    };
    let ink = color::furniture(Theme::Light).ink;
    let most = LABELS * width_mm;
    let named = |labels: &[String], name: &str| {
        widest_mm(labels, TYPE_MM, most).max(text_width_mm(name, TYPE_MM).min(most))
    };
    let left = MARGIN_MM + named(rows, &map.rows.name) + GAP_MM;
    let room = width_mm - MARGIN_MM - named(columns, &map.columns.name) - GAP_MM;
    let right = room.min(left + LONGEST_MM);
    let top = MARGIN_MM + TYPE_MM + GAP_MM;
    let mut writer = Writer::default();
    let mut put = |text: &str, [x, y]: [f64; 2], anchor: Anchor, size_mm: f64| {
        writer.text(Label {
            text,
            at: [x, y],
            anchor,
            size_mm,
            ink,
            degrees: 0.0,
            most_mm: most,
        });
    };
    let (before, after) = (left - GAP_MM, right + GAP_MM);
    let sides = [(rows, before, Anchor::End), (columns, after, Anchor::Start)];
    let names = [&map.rows.name, &map.columns.name];
    for ((labels, x, anchor), name) in sides.into_iter().zip(names) {
        put(name, [x, MARGIN_MM + 0.8 * TYPE_MM], anchor, TYPE_MM);
        let (step, size_mm) = labelled(labels.len(), row_mm);
        for (place, label) in labels.iter().enumerate().step_by(step) {
            let middle = top + f64::from(layout.y(place, labels.len(), longest));
            put(label, [x, middle + below_middle(size_mm)], anchor, size_mm);
        }
    }
    strokes(&mut writer, map, layout, [left, right, top]);
    let bottom = top + f64::from(layout.height(rows.len(), columns.len()));
    samples(&mut writer, map, layout, bottom);
    Drawing {
        body: writer.finish(),
        height_mm: bottom + TYPE_MM + 3.0 * MARGIN_MM,
    }
}

fn strokes(writer: &mut Writer, map: &Map, layout: Layout, [left, right, top]: [f64; 3]) {
    let stroke = css(color::categorical(0, Theme::Light));
    let top = place(top);
    writer.raw(&format!(
        "<g fill=\"none\" stroke=\"{stroke}\" transform=\"translate(0 {top})\">\n"
    ));
    let (rows, columns) = (map.rows.labels.len(), map.columns.labels.len());
    for line in layout.lines(&map.values, rows, columns) {
        let path = line.path(left as f32, right as f32);
        writer.raw(&format!(
            "<path d=\"{path}\" stroke-width=\"{}\" opacity=\"{}\"/>\n",
            place(line.width.into()),
            place(line.opacity.into())
        ));
    }
    writer.raw("</g>\n");
}

/// Draws the legend: lines of some weights with their numbers.
fn samples(writer: &mut Writer, map: &Map, layout: Layout, bottom: f64) {
    const SAMPLE_MM: f64 = 5.0;
    let ink = color::furniture(Theme::Light).ink;
    let stroke = css(color::categorical(0, Theme::Light));
    let middle = bottom + MARGIN_MM + TYPE_MM / 2.0;
    let mut x = MARGIN_MM;
    let put = |writer: &mut Writer, text: &str, x: f64| {
        writer.text(Label {
            text,
            at: [x, middle + below_middle(TYPE_MM)],
            anchor: Anchor::Start,
            size_mm: TYPE_MM,
            ink,
            degrees: 0.0,
            most_mm: f64::INFINITY,
        });
        x + text_width_mm(text, TYPE_MM) + 2.0 * GAP_MM
    };
    x = put(writer, &map.value, x);
    for weight in SAMPLES {
        writer.raw(&format!(
            "<path d=\"M{} {}h{SAMPLE_MM}\" stroke=\"{stroke}\" stroke-width=\"{}\" opacity=\"{}\"/>\n",
            place(x),
            place(middle),
            place((layout.widest * weight).into()),
            place(weight.sqrt().into())
        ));
        x = put(writer, &weight.to_string(), x + SAMPLE_MM + GAP_MM);
    }
}
