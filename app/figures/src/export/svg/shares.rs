//! A bar of several parts, with their names below.

use super::{
    MARGIN_MM, TYPE_MM,
    writer::{Anchor, Drawing, Label, Writer, below_middle, text_width_mm},
};
use crate::{
    color::{self, Theme},
    export::{diagram::Shares, plot::printed},
    stacked::{percent, shares},
};

const BAR_MM: f64 = 7.0;
const LINE_MM: f64 = 4.2;
const SWATCH_MM: f64 = 2.2;
const GAP_MM: f64 = 1.2;

/// Draws the parts that are more than nothing, and their legend with numbers.
pub(super) fn draw(whole: &Shares, width_mm: f64) -> Drawing {
    let parts = whole.parts.iter().zip(shares(&whole.parts));
    let parts: Vec<_> = parts.filter(|(_, share)| *share > 0.0).collect();
    let mut writer = Writer::default();
    let room = width_mm - 2.0 * MARGIN_MM;
    let mut left = MARGIN_MM;
    for (part, share) in &parts {
        let (wide, fill) = (share * room, printed(part.color));
        writer.rect([left, MARGIN_MM], [wide, BAR_MM], fill);
        let text = percent(*share, &whole.per_cent);
        if text_width_mm(&text, TYPE_MM) + GAP_MM < wide {
            writer.text(Label {
                text: &text,
                at: [
                    left + wide / 2.0,
                    MARGIN_MM + BAR_MM / 2.0 + below_middle(TYPE_MM),
                ],
                anchor: Anchor::Middle,
                size_mm: TYPE_MM,
                ink: color::ink_on(fill),
                degrees: 0.0,
                most_mm: wide,
            });
        }
        left += wide;
    }
    let (mut x, mut middle) = (MARGIN_MM, MARGIN_MM + BAR_MM + LINE_MM);
    for (part, share) in &parts {
        let text = format!("{} {}", part.label, percent(*share, &whole.per_cent));
        let wide = SWATCH_MM + GAP_MM + text_width_mm(&text, TYPE_MM) + 2.0 * GAP_MM;
        if x > MARGIN_MM && x + wide > width_mm {
            (x, middle) = (MARGIN_MM, middle + LINE_MM);
        }
        let at = [x, middle - SWATCH_MM / 2.0];
        writer.rect(at, [SWATCH_MM, SWATCH_MM], printed(part.color));
        writer.text(Label {
            text: &text,
            at: [x + SWATCH_MM + GAP_MM, middle + below_middle(TYPE_MM)],
            anchor: Anchor::Start,
            size_mm: TYPE_MM,
            ink: color::furniture(Theme::Light).ink,
            degrees: 0.0,
            most_mm: room,
        });
        x += wide;
    }
    Drawing {
        body: writer.finish(),
        height_mm: middle + LINE_MM / 2.0 + MARGIN_MM,
    }
}
