//! Marks on a plane.

use super::{color, put};
use crate::{
    color::{self as colors, Theme},
    export::{
        diagram::Marks,
        latex::escaped,
        number::{of_f32, place},
    },
    plane::Mark,
};

/// The side of the plane.
const SIDE_MM: f64 = 60.0;
/// Millimetres in a pixel of the page's drawing.
const MM_PER_PIXEL: f64 = SIDE_MM / 320.0;

/// Returns the picture of a plane.
pub(super) fn picture(marks: &Marks, width_mm: f64) -> String {
    let extent = marks.extent;
    let unit = place(SIDE_MM.min(width_mm) / (2.0 * extent));
    let furniture = colors::furniture(Theme::Light);
    let mut picture = format!(
        "\\begin{{tikzpicture}}[x={unit}mm, y={unit}mm, >=latex, every node/.style={{font=\\scriptsize, inner sep=1pt}}]\n"
    );
    let end = place(extent);
    put(
        &mut picture,
        format_args!(
            "\\draw[color={}] (-{end},-{end}) grid ({end},{end});\n\\draw[color={axis}] (-{end},0) -- ({end},0) (0,-{end}) -- (0,{end});\n",
            color(furniture.grid),
            axis = color(furniture.axis)
        ),
    );
    for weighted in &marks.marks {
        put_mark(&mut picture, &weighted.mark);
    }
    picture.push_str("\\end{tikzpicture}\n");
    picture
}

fn put_mark(picture: &mut String, mark: &Mark) {
    let point = |point: [f32; 2]| {
        let [x, y] = point.map(of_f32);
        Some(format!("({},{})", x?, y?))
    };
    match mark {
        Mark::Dot {
            at,
            radius,
            color: fill,
            label,
            ringed,
        } => {
            let Some(at) = point(*at) else { return };
            let (radius, fill) = (radius * MM_PER_PIXEL, color(*fill));
            put(
                picture,
                format_args!(
                    "\\fill[color={fill}] {at} circle[radius={}mm];\n",
                    place(radius)
                ),
            );
            if *ringed {
                let ring = place(radius + 0.8);
                put(
                    picture,
                    format_args!("\\draw {at} circle[radius={ring}mm];\n"),
                );
            }
            let above = place(radius + 0.6);
            put(
                picture,
                format_args!("\\node[above={above}mm] at {at} {{{}}};\n", escaped(label)),
            );
        }
        Mark::Arrow {
            to,
            color: ink,
            label,
        } => {
            let Some(to) = point(*to) else { return };
            put(
                picture,
                format_args!(
                    "\\draw[->, color={}, line width=1pt] (0,0) -- {to} node[above, text=black] {{{}}};\n",
                    color(*ink),
                    escaped(label)
                ),
            );
        }
        Mark::Line {
            from,
            to,
            color: ink,
            width,
        } => {
            let Some((from, to)) = point(*from).zip(point(*to)) else {
                return;
            };
            put(
                picture,
                format_args!(
                    "\\draw[color={}, line width={}mm] {from} -- {to};\n",
                    color(*ink),
                    place(width * MM_PER_PIXEL)
                ),
            );
        }
    }
}
