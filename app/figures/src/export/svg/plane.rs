//! Marks on a plane, drawn as on the page.

use super::{
    MARGIN_MM,
    writer::{Drawing, visible},
};
use crate::{
    color::Theme,
    export::diagram::Marks,
    plane::{Look, Mark, Plane, SIZE},
};

/// The side of a plane in print.
const SIDE_MM: f64 = 60.0;
/// The attributes that the page's style sheet gives to texts of a plane.
const LOOK: Look = Look {
    tick: "",
    mark: " font-size=\"14\" font-weight=\"600\" paint-order=\"stroke\" stroke-width=\"4\" stroke-linejoin=\"round\"",
};

/// Draws the plane at the left of the width.
pub(super) fn draw(marks: &Marks, width_mm: f64) -> Drawing {
    let side = SIDE_MM.min(width_mm - 2.0 * MARGIN_MM);
    let plane = Plane {
        extent: marks.extent,
        theme: Theme::Light,
    };
    let drawn: Vec<Mark> = marks.marks.iter().map(|it| printable(&it.mark)).collect();
    Drawing {
        body: format!(
            "<g transform=\"translate({MARGIN_MM} {MARGIN_MM}) scale({:.5})\" fill=\"none\" font-size=\"12\" \
             text-anchor=\"middle\">\n{}\n</g>\n",
            side / SIZE,
            plane.elements(&drawn, LOOK)
        ),
        height_mm: side + 2.0 * MARGIN_MM,
    }
}

/// Returns a mark whose name XML allows.
fn printable(mark: &Mark) -> Mark {
    let mut mark = mark.clone();
    if let Mark::Dot { label, .. } | Mark::Arrow { label, .. } = &mut mark {
        *label = visible(label);
    }
    mark
}
