//! A map as lines from rows on the left to columns on the right.

use super::{color, put};
use crate::{
    bipartite::Layout,
    color::{self as colors, Theme},
    export::{latex::escaped, map::Map, number::place},
};

/// The height of a row, and the length of lines, in millimetres.
const ROW_MM: f64 = 4.0;
const LONGEST_MM: f64 = 60.0;
/// The share of the width between both columns of labels.
const LINES: f64 = 0.45;
const GAP_MM: f64 = 1.0;

/// Returns the picture of a map's lines.
pub(super) fn picture(map: &Map, width_mm: f64) -> String {
    let (rows, columns) = (map.rows.labels.len(), map.columns.labels.len());
    let longest = rows.max(columns);
    let layout = Layout {
        row_height: ROW_MM as f32,
        widest: (0.4 * ROW_MM) as f32,
        ..Layout::default()
    };
    let right = (LINES * width_mm).min(LONGEST_MM);
    let mut picture = String::from(
        "\\begin{tikzpicture}[x=1mm, y=-1mm, every node/.style={font=\\scriptsize, inner sep=0pt}]\n",
    );
    let sides = [
        (&map.rows, "east", -GAP_MM),
        (&map.columns, "west", right + GAP_MM),
    ];
    for (side, anchor, x) in sides {
        let mut node = |y: f64, text: &str| {
            put(
                &mut picture,
                format_args!(
                    "\\node[anchor={anchor}] at ({},{}) {{{}}};\n",
                    place(x),
                    place(y),
                    escaped(text)
                ),
            );
        };
        node(-0.5 * ROW_MM, &side.name);
        for (index, label) in side.labels.iter().enumerate() {
            node(layout.y(index, side.labels.len(), longest).into(), label);
        }
    }
    let ink = color(colors::categorical(0, Theme::Light));
    for line in layout.lines(&map.values, rows, columns) {
        let middle = place(right / 2.0);
        let (from, to) = (place(line.query_y.into()), place(line.key_y.into()));
        put(
            &mut picture,
            format_args!(
                "\\draw[color={ink}, line width={}mm, opacity={}] (0,{from}) .. controls ({middle},{from}) and ({middle},{to}) .. ({},{to}); % {}\n",
                place(line.width.into()),
                place(line.opacity.into()),
                place(right),
                line.weight
            ),
        );
    }
    picture.push_str("\\end{tikzpicture}\n");
    picture
}
